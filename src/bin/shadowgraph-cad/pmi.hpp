// Datums, geometric tolerances and dimensions of a STEP file (AP242), with the faces that they refer to.
#pragma once

#include <string>

#include <STEPCAFControl_Reader.hxx>
#include <TDocStd_Document.hxx>
#include <TopTools_IndexedMapOfShape.hxx>

// One line per datum feature, tolerance, dimension and face that they refer to, each “pmi”, a tab and a JSON object as
// described in `shadowgraph::io::cad::pmi`. Faces are numbered as in `faces`, from 0. The reader must have transferred
// the file into the document with its GDT mode on.
std::string pmi_of(STEPCAFControl_Reader& reader, const Handle(TDocStd_Document)& document,
                   const TopTools_IndexedMapOfShape& faces);
