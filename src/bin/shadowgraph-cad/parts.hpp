// Parts of a CAD file: names, placements, solids, faces, colours.
#pragma once

#include <string>

#include <TDocStd_Document.hxx>

// One line per distinct part, fields separated by tabs: "part", numbers of placements, solids and faces, colour
// (RRGGBB, or "-" if there is none), name (UTF-8). At most 10,000 parts are listed.
std::string parts_of(const Handle(TDocStd_Document)& document);
