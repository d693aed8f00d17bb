#include "pmi_dimensions.hpp"

#include "json.hpp"

#include <Interface_EntityIterator.hxx>
#include <Interface_Graph.hxx>
#include <STEPConstruct_UnitContext.hxx>
#include <StepBasic_MeasureWithUnit.hxx>
#include <StepBasic_NamedUnit.hxx>
#include <StepData_StepModel.hxx>
#include <StepRepr_CompoundRepresentationItem.hxx>
#include <StepRepr_DescriptiveRepresentationItem.hxx>
#include <StepRepr_ReprItemAndMeasureWithUnit.hxx>
#include <StepRepr_ReprItemAndMeasureWithUnitAndQRI.hxx>
#include <StepRepr_HArray1OfRepresentationItem.hxx>
#include <StepShape_AngularLocation.hxx>
#include <StepShape_AngularSize.hxx>
#include <StepShape_DimensionalCharacteristicRepresentation.hxx>
#include <StepShape_DimensionalLocation.hxx>
#include <StepShape_DimensionalSize.hxx>
#include <StepShape_LimitsAndFits.hxx>
#include <StepShape_PlusMinusTolerance.hxx>
#include <StepShape_QualifiedRepresentationItem.hxx>
#include <StepShape_ShapeDimensionRepresentation.hxx>
#include <StepShape_ToleranceValue.hxx>
#include <StepShape_TypeQualifier.hxx>
#include <StepShape_ValueQualifier.hxx>

namespace {

constexpr double DEGREES_PER_RADIAN = 57.295779513082320877;

std::string text_of(const Handle(TCollection_HAsciiString)& text) {
    return text.IsNull() ? std::string() : text->ToCString();
}

class Dimension {
public:
    // Adds what an entity that refers to the dimension says of it.
    void add(const Handle(Standard_Transient)& user) {
        if (const auto own = Handle(StepShape_DimensionalCharacteristicRepresentation)::DownCast(user); !own.IsNull()) {
            const Handle(StepShape_ShapeDimensionRepresentation) representation = own->Representation();
            const auto items = representation.IsNull() ? nullptr : representation->Items();
            for (int i = 1; !items.IsNull() && i <= items->Length(); ++i) add_item(items->Value(i));
        }
        if (const auto own = Handle(StepShape_PlusMinusTolerance)::DownCast(user); !own.IsNull()) {
            is_toleranced_ = true;
            const StepShape_ToleranceMethodDefinition range = own->Range();
            if (const auto value = Handle(StepShape_ToleranceValue)::DownCast(range.Value()); !value.IsNull()) {
                minus_ = pmi_value_of(value->LowerBound());
                plus_ = pmi_value_of(value->UpperBound());
            }
            if (const auto fit = Handle(StepShape_LimitsAndFits)::DownCast(range.Value()); !fit.IsNull()) {
                fit_ = text_of(fit->FormVariance()) + text_of(fit->Grade());
            }
        }
    }

    JsonObject& write(JsonObject& object) const {
        std::optional<double> lower = lower_, upper = upper_;
        if (nominal_ && minus_) lower = *nominal_ + *minus_;
        if (nominal_ && plus_) upper = *nominal_ + *plus_;
        // Bounds that were stated but not read must not count as none.
        const bool is_unread = is_toleranced_ && fit_.empty() && !(lower && upper);
        return object.number("nominal", nominal_)
            .number("lower", lower)
            .number("upper", upper)
            .string("fit", fit_)
            .raw("unread_bounds", is_unread ? "true" : "false")
            .strings("modifiers", modifiers_);
    }

private:
    void add_item(const Handle(StepRepr_RepresentationItem)& item) {
        if (item.IsNull()) return;
        if (const auto own = Handle(StepRepr_DescriptiveRepresentationItem)::DownCast(item); !own.IsNull()) {
            if (own->Name().IsNull() || own->Name()->String() != "dimensional note") modifiers_.push_back(text_of(own->Description()));
        }
        if (const auto own = Handle(StepRepr_CompoundRepresentationItem)::DownCast(item); !own.IsNull()) {
            for (int i = 1; i <= own->NbItemElement(); ++i) add_item(own->ItemElementValue(i));
        }
        if (const auto own = Handle(StepShape_QualifiedRepresentationItem)::DownCast(item); !own.IsNull()) {
            for (const std::string& qualifier : qualifiers_of(own)) modifiers_.push_back(qualifier);
        }
        const std::optional<double> value = pmi_value_of(item);
        if (!value) return;
        const std::string name = text_of(item->Name());
        const auto qualified = Handle(StepRepr_ReprItemAndMeasureWithUnitAndQRI)::DownCast(item);
        const auto qualifiers =
            qualified.IsNull() ? std::vector<std::string>() : qualifiers_of(qualified->GetQualifiedRepresentationItem());
        const auto is = [&](const char* limit, const char* qualifier) {
            for (const std::string& own : qualifiers) {
                if (own == qualifier) return true;
            }
            return name.find(limit) != std::string::npos;
        };
        if (is("upper limit", "maximum")) upper_ = value;
        else if (is("lower limit", "minimum")) lower_ = value;
        else nominal_ = value;
    }

    static std::vector<std::string> qualifiers_of(const Handle(StepShape_QualifiedRepresentationItem)& item) {
        std::vector<std::string> names;
        for (int i = 1; !item.IsNull() && !item->Qualifiers().IsNull() && i <= item->NbQualifiers(); ++i) {
            const auto type = Handle(StepShape_TypeQualifier)::DownCast(item->QualifiersValue(i).Value());
            if (!type.IsNull()) names.push_back(text_of(type->Name()));
        }
        return names;
    }

    std::optional<double> nominal_, lower_, upper_, minus_, plus_;
    std::string fit_;
    std::vector<std::string> modifiers_;
    bool is_toleranced_ = false;
};

}  // namespace

std::optional<double> pmi_value_of(const Handle(Standard_Transient)& entity) {
    auto measure = Handle(StepBasic_MeasureWithUnit)::DownCast(entity);
    if (const auto item = Handle(StepRepr_ReprItemAndMeasureWithUnit)::DownCast(entity); !item.IsNull()) {
        measure = item->GetMeasureWithUnit();
    }
    if (const auto item = Handle(StepRepr_ReprItemAndMeasureWithUnitAndQRI)::DownCast(entity); !item.IsNull()) {
        measure = item->GetMeasureWithUnit();
    }
    if (measure.IsNull()) return {};
    const StepBasic_Unit unit = measure->UnitComponent();
    const Handle(StepBasic_NamedUnit) named = unit.IsNull() ? Handle(StepBasic_NamedUnit)() : unit.NamedUnit();
    if (named.IsNull()) return {};
    STEPConstruct_UnitContext context;
    context.ComputeFactors(named);
    if (context.LengthDone()) return measure->ValueComponent() * context.LengthFactor();
    if (context.PlaneAngleDone()) return measure->ValueComponent() * context.PlaneAngleFactor() * DEGREES_PER_RADIAN;
    return {};
}

std::vector<std::string> pmi_dimensions(const Handle(XSControl_WorkSession)& session, const PmiFaces& faces,
                                        FaceNumbers& named) {
    std::vector<std::string> objects;
    const Handle(Interface_InterfaceModel) model = session->Model();
    for (int i = 1; i <= model->NbEntities(); ++i) {
        const Handle(Standard_Transient) entity = model->Value(i);
        const auto size = Handle(StepShape_DimensionalSize)::DownCast(entity);
        const auto location = Handle(StepShape_DimensionalLocation)::DownCast(entity);
        if (size.IsNull() && location.IsNull()) continue;
        FaceNumbers first = faces.of(size.IsNull() ? location->RelatingShapeAspect() : size->AppliesTo());
        FaceNumbers second = size.IsNull() ? faces.of(location->RelatedShapeAspect()) : FaceNumbers();
        named.insert(first.begin(), first.end());
        named.insert(second.begin(), second.end());
        const bool is_angle = entity->IsKind(STANDARD_TYPE(StepShape_AngularSize)) ||
                              entity->IsKind(STANDARD_TYPE(StepShape_AngularLocation));
        std::string name = text_of(size.IsNull() ? location->Name() : size->Name());
        if (is_angle) name = "angle";
        Dimension dimension;
        for (Interface_EntityIterator users = session->Graph().Sharings(entity); users.More(); users.Next()) {
            dimension.add(users.Value());
        }
        JsonObject object("item", "dimension");
        object.string("kind", name).raw("is_location", size.IsNull() ? "true" : "false");
        objects.push_back(dimension.write(object).numbers("first", first).numbers("second", second).text());
    }
    return objects;
}
