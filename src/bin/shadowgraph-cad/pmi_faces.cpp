#include "pmi_faces.hpp"

#include <BRepAdaptor_Surface.hxx>
#include <Interface_EntityIterator.hxx>
#include <Interface_Graph.hxx>
#include <StepAP242_GeometricItemSpecificUsage.hxx>
#include <StepDimTol_Datum.hxx>
#include <StepRepr_ShapeAspectRelationship.hxx>
#include <StepShape_DimensionalLocation.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TransferBRep.hxx>
#include <Transfer_Binder.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>

PmiFaces::PmiFaces(const TopTools_IndexedMapOfShape& faces, const Handle(XSControl_WorkSession)& session)
    : faces_(faces), session_(session) {
    for (int i = 1; i <= faces.Extent(); ++i) by_geometry_[faces(i).TShape().get()].insert(i - 1);
}

FaceNumbers PmiFaces::of(const TopoDS_Shape& shape) const {
    FaceNumbers numbers;
    if (shape.IsNull()) return numbers;
    for (TopExp_Explorer explorer(shape, TopAbs_FACE); explorer.More(); explorer.Next()) {
        const auto found = by_geometry_.find(explorer.Current().TShape().get());
        if (found != by_geometry_.end()) numbers.insert(found->second.begin(), found->second.end());
    }
    return numbers;
}

FaceNumbers PmiFaces::of(const TDF_LabelSequence& labels) const {
    FaceNumbers numbers;
    for (int i = 1; i <= labels.Length(); ++i) numbers.merge(of(XCAFDoc_ShapeTool::GetShape(labels.Value(i))));
    return numbers;
}

FaceNumbers PmiFaces::of(const Handle(StepRepr_RepresentationItem)& item) const {
    const Handle(Transfer_TransientProcess) process = session_->TransferReader()->TransientProcess();
    const int index = process->MapIndex(item);
    return index > 0 ? of(TransferBRep::ShapeResult(process->MapItem(index))) : FaceNumbers();
}

FaceNumbers PmiFaces::of(const Handle(StepRepr_ShapeAspect)& aspect) const {
    FaceNumbers numbers;
    std::set<const StepRepr_ShapeAspect*> visited;
    add(aspect, numbers, visited);
    return numbers;
}

// Aspects that consist of each other, which only a damaged file has, are visited once.
void PmiFaces::add(const Handle(StepRepr_ShapeAspect)& aspect, FaceNumbers& numbers,
                   std::set<const StepRepr_ShapeAspect*>& visited) const {
    if (aspect.IsNull() || !visited.insert(aspect.get()).second) return;
    for (Interface_EntityIterator users = session_->Graph().Sharings(aspect); users.More(); users.Next()) {
        const auto usage = Handle(StepAP242_GeometricItemSpecificUsage)::DownCast(users.Value());
        if (!usage.IsNull()) {
            for (int i = 1; i <= usage->NbIdentifiedItem(); ++i) numbers.merge(of(usage->IdentifiedItemValue(i)));
        }
        const auto relation = Handle(StepRepr_ShapeAspectRelationship)::DownCast(users.Value());
        if (relation.IsNull() || relation->IsKind(STANDARD_TYPE(StepShape_DimensionalLocation))) continue;
        const auto part = relation->RelatedShapeAspect();
        if (relation->RelatingShapeAspect() != aspect || part.IsNull()) continue;
        if (!part->IsKind(STANDARD_TYPE(StepDimTol_Datum))) add(part, numbers, visited);
    }
}

std::string PmiFaces::surface_of(int face) const {
    switch (BRepAdaptor_Surface(TopoDS::Face(faces_(face + 1)), false).GetType()) {
        case GeomAbs_Plane: return "plane";
        case GeomAbs_Cylinder: return "cylinder";
        case GeomAbs_Cone: return "cone";
        case GeomAbs_Sphere: return "sphere";
        case GeomAbs_Torus: return "torus";
        default: return "other";
    }
}
