// Numbers of CAD faces, by shape and by what a STEP file says of shapes.
#pragma once

#include <map>
#include <set>
#include <string>

#include <StepRepr_RepresentationItem.hxx>
#include <StepRepr_ShapeAspect.hxx>
#include <TDF_LabelSequence.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS_Shape.hxx>
#include <XSControl_WorkSession.hxx>

// Numbers of faces, from 0, in ascending order.
using FaceNumbers = std::set<int>;

class PmiFaces {
public:
    PmiFaces(const TopTools_IndexedMapOfShape& faces, const Handle(XSControl_WorkSession)& session);

    // The faces of a shape, in all its placements.
    FaceNumbers of(const TopoDS_Shape& shape) const;
    FaceNumbers of(const TDF_LabelSequence& labels) const;
    // The faces that a shape aspect, its components or what it is derived from name.
    FaceNumbers of(const Handle(StepRepr_ShapeAspect)& aspect) const;
    // “plane”, “cylinder”, “cone”, “sphere”, “torus” or “other”.
    std::string surface_of(int face) const;

private:
    FaceNumbers of(const Handle(StepRepr_RepresentationItem)& item) const;
    void add(const Handle(StepRepr_ShapeAspect)& aspect, FaceNumbers& numbers,
             std::set<const StepRepr_ShapeAspect*>& visited) const;

    const TopTools_IndexedMapOfShape& faces_;
    Handle(XSControl_WorkSession) session_;
    std::map<const TopoDS_TShape*, FaceNumbers> by_geometry_;
};
