// What a CAD file says of its parts: names, placements, solids, faces, colours.
#pragma once

#include <string>

#include <TDocStd_Document.hxx>

// One line a part, its fields apart by tabs: "part", placements, solids, faces, colour (RRGGBB, or "-"), name.
std::string parts_of(const Handle(TDocStd_Document)& document);
