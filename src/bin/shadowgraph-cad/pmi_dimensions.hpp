// Dimensions of a STEP file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pmi_faces.hpp"

// The value of a measure in mm or degrees; none if it is none, or if its unit is neither a length nor an angle.
std::optional<double> pmi_value_of(const Handle(Standard_Transient)& measure);

// A JSON object per dimension. Adds the faces that they refer to to `named`.
//
// They are read from the entities of the file: OpenCASCADE's own reader drops the sign of lower deviations and takes a
// negative upper deviation for a limit.
std::vector<std::string> pmi_dimensions(const Handle(XSControl_WorkSession)& session, const PmiFaces& faces,
                                        FaceNumbers& named);
