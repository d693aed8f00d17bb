#include "pmi.hpp"

#include "json.hpp"
#include "pmi_dimensions.hpp"
#include "pmi_faces.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include <StepBasic_MeasureWithUnit.hxx>
#include <StepData_StepModel.hxx>
#include <StepData_UndefinedEntity.hxx>
#include <StepDimTol_GeometricTolerance.hxx>
#include <XCAFDimTolObjects_DatumModifiersSequence.hxx>
#include <XCAFDimTolObjects_DatumObject.hxx>
#include <XCAFDimTolObjects_GeomToleranceModifiersSequence.hxx>
#include <XCAFDimTolObjects_GeomToleranceObject.hxx>
#include <XCAFDoc_Datum.hxx>
#include <XCAFDoc_DimTolTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_GeomTolerance.hxx>

namespace {

// Names of the values of OpenCASCADE's enumerations, in their order.
constexpr const char* KINDS[] = {
    "none",       "angularity",   "circular_run_out", "circularity", "coaxiality",       "concentricity",
    "cylindricity", "flatness",   "parallelism",      "perpendicularity", "position",    "profile_of_line",
    "profile_of_surface", "straightness", "symmetry", "total_run_out"};
constexpr const char* ZONES[] = {"width", "diameter", "spherical_diameter"};
constexpr const char* ZONE_MODIFIERS[] = {"", "projected zone", "run-out zone", "non-uniform zone"};
constexpr const char* MODIFIERS[] = {
    "any cross-section", "common zone",     "each radial element", "free state",   "least material requirement",
    "line element",      "major diameter",  "maximum material requirement", "minor diameter", "not convex",
    "pitch diameter",    "reciprocity requirement", "separate requirement", "statistical tolerance", "tangent plane",
    "all around",        "all over"};
constexpr const char* DATUM_MODIFIERS[] = {
    "any cross-section", "any longitudinal section", "basic", "contacting feature", "degree of freedom u",
    "degree of freedom v", "degree of freedom w", "degree of freedom x", "degree of freedom y", "degree of freedom z",
    "variable distance", "free state", "least material requirement", "line", "major diameter",
    "maximum material requirement", "minor diameter", "orientation only", "pitch diameter", "plane", "point",
    "translation"};
constexpr const char* TARGETS[] = {"point", "line", "rectangle", "circle", "area"};

template <std::size_t N, class Value>
std::string named(const char* const (&names)[N], Value value) {
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : "unknown";
}

template <class Text>
std::string text_of(const Text& text) {
    return text.IsNull() ? std::string() : text->ToCString();
}

class Pmi {
public:
    Pmi(const PmiFaces& faces, const Handle(TDocStd_Document)& document)
        : faces_(faces), tool_(XCAFDoc_DocumentTool::DimTolTool(document->Main())) {}

    std::string text(const Handle(XSControl_WorkSession)& session) {
        find_entities(session->Model());
        std::vector<std::string> objects = datums();
        std::size_t found = 0;
        TDF_LabelSequence labels;
        tool_->GetGeomToleranceLabels(labels);
        for (int i = 1; i <= labels.Length(); ++i) {
            if (auto object = tolerance(labels.Value(i)); !object.empty()) {
                objects.push_back(object);
                ++found;
            }
        }
        // OpenCASCADE leaves out those that name no shape.
        const std::size_t stated = entities_.size() + unknown_;
        if (stated > found) objects.push_back(JsonObject("item", "lost").number("tolerances", stated - found).text());
        for (const std::string& object : pmi_dimensions(session, faces_, named_)) objects.push_back(object);
        for (const int face : named_) {
            objects.push_back(JsonObject("item", "face").number("face", face).string("surface", faces_.surface_of(face)).text());
        }
        std::string text;
        for (const std::string& object : objects) text += "pmi\t" + object + "\n";
        return text;
    }

private:
    // The tolerances of the file, in its order, and the number of those of a kind that OpenCASCADE does not know.
    void find_entities(const Handle(Interface_InterfaceModel)& model) {
        for (int i = 1; i <= model->NbEntities(); ++i) {
            const auto own = Handle(StepDimTol_GeometricTolerance)::DownCast(model->Value(i));
            if (!own.IsNull()) entities_.push_back(own);
            auto unknown = Handle(StepData_UndefinedEntity)::DownCast(model->Value(i));
            for (; !unknown.IsNull(); unknown = unknown->Next()) {
                if (std::strstr(unknown->StepType(), "GEOMETRIC_TOLERANCE") == nullptr) continue;
                ++unknown_;
                break;
            }
        }
    }

    // What the entity of a tolerance says and OpenCASCADE's object does not: then it cannot be evaluated. Objects stand in
    // the order of their entities, some of which have none.
    void add_unread(const Handle(XCAFDimTolObjects_GeomToleranceObject)& object, bool has_references,
                    std::vector<std::string>& modifiers, std::optional<double>& value_mm) {
        for (; next_entity_ < entities_.size(); ++next_entity_) {
            const auto& entity = entities_[next_entity_];
            const std::optional<double> stated = pmi_value_of(entity->Magnitude());
            if (stated && std::abs(*stated - object->GetValue()) > 1e-9 * (1.0 + std::abs(*stated))) continue;
            const std::string type = entity->DynamicType()->Name();
            const auto has = [&type](const char* part) { return type.find(part) != std::string::npos; };
            if (has("UneqDis") || has("UnequallyDisposed")) modifiers.push_back("unequally disposed");
            if (has("ModGeoTol") || has("ModifiedGeometric")) modifiers.push_back("modified");
            if (has("DefinedUnit") || has("DefinedArea")) modifiers.push_back("per unit");
            if (has("NonUniform")) modifiers.push_back("non-uniform zone");
            if ((has("DatRef") || has("DatumReference")) && !has_references) {
                modifiers.push_back("datum reference that could not be read");
            }
            value_mm = stated;
            ++next_entity_;
            return;
        }
        modifiers.push_back("unknown");
    }

    FaceNumbers faces_of(const TDF_Label& label) {
        TDF_LabelSequence first, second;
        tool_->GetRefShapeLabel(label, first, second);
        FaceNumbers numbers = faces_.of(first);
        numbers.merge(faces_.of(second));
        named_.insert(numbers.begin(), numbers.end());
        return numbers;
    }

    static Handle(XCAFDimTolObjects_DatumObject) datum_of(const TDF_Label& label) {
        Handle(XCAFDoc_Datum) datum;
        if (!label.FindAttribute(XCAFDoc_Datum::GetID(), datum)) return {};
        return datum->GetObject();
    }

    // OpenCASCADE has a datum for each reference to it; those of one letter are one here.
    std::vector<std::string> datums() {
        std::vector<std::string> objects;
        std::map<std::string, std::pair<FaceNumbers, std::string>> by_letter;
        TDF_LabelSequence labels;
        tool_->GetDatumLabels(labels);
        for (int i = 1; i <= labels.Length(); ++i) {
            const auto datum = datum_of(labels.Value(i));
            if (datum.IsNull()) continue;
            auto& [numbers, target] = by_letter[text_of(datum->GetName())];
            numbers.merge(faces_of(labels.Value(i)));
            if (datum->IsDatumTarget()) target = named(TARGETS, datum->GetDatumTargetType());
        }
        for (const auto& [letter, own] : by_letter) {
            objects.push_back(JsonObject("item", "datum").string("letter", letter).numbers("faces", own.first)
                                  .string("target", own.second).text());
        }
        return objects;
    }

    std::string tolerance(const TDF_Label& label) {
        Handle(XCAFDoc_GeomTolerance) attribute;
        if (!label.FindAttribute(XCAFDoc_GeomTolerance::GetID(), attribute)) return {};
        const auto own = attribute->GetObject();
        if (own.IsNull()) return {};
        std::vector<std::string> modifiers;
        const XCAFDimTolObjects_GeomToleranceModifiersSequence sequence = own->GetModifiers();
        for (int i = 1; i <= sequence.Length(); ++i) modifiers.push_back(named(MODIFIERS, sequence.Value(i)));
        const auto material = own->GetMaterialRequirementModifier();
        if (material == XCAFDimTolObjects_GeomToleranceMatReqModif_M) modifiers.push_back("maximum material requirement");
        if (material == XCAFDimTolObjects_GeomToleranceMatReqModif_L) modifiers.push_back("least material requirement");
        const std::string zone_modifier = named(ZONE_MODIFIERS, own->GetZoneModifier());
        if (!zone_modifier.empty()) modifiers.push_back(zone_modifier);
        if (own->GetMaxValueModifier() > 0.0) modifiers.push_back("maximum value");
        const std::vector<std::string> datums = references(label);
        std::optional<double> value_mm;
        add_unread(own, !datums.empty(), modifiers, value_mm);
        return JsonObject("item", "tolerance")
            .string("name", text_of(own->GetSemanticName()))
            .string("kind", named(KINDS, own->GetType()))
            .number("value_mm", value_mm)
            .string("zone", named(ZONES, own->GetTypeOfValue()))
            .strings("modifiers", modifiers)
            .raw("datums", json_array(datums))
            .numbers("faces", faces_of(label))
            .text();
    }

    // The datum references of a tolerance, in order; those of one position are a common datum.
    std::vector<std::string> references(const TDF_Label& tolerance) const {
        TDF_LabelSequence labels;
        tool_->GetDatumWithObjectOfTolerLabels(tolerance, labels);
        std::multimap<int, std::string> by_position;
        for (int i = 1; i <= labels.Length(); ++i) {
            const auto datum = datum_of(labels.Value(i));
            if (datum.IsNull()) continue;
            std::vector<std::string> modifiers;
            const XCAFDimTolObjects_DatumModifiersSequence sequence = datum->GetModifiers();
            for (int k = 1; k <= sequence.Length(); ++k) modifiers.push_back(named(DATUM_MODIFIERS, sequence.Value(k)));
            XCAFDimTolObjects_DatumModifWithValue with_value = XCAFDimTolObjects_DatumModifWithValue_None;
            double value = 0.0;
            datum->GetModifierWithValue(with_value, value);
            if (with_value != XCAFDimTolObjects_DatumModifWithValue_None) modifiers.push_back("modifier with a value");
            by_position.emplace(datum->GetPosition(), JsonObject("letter", text_of(datum->GetName()))
                                                          .number("position", datum->GetPosition())
                                                          .strings("modifiers", modifiers)
                                                          .text());
        }
        std::vector<std::string> objects;
        for (const auto& [position, object] : by_position) objects.push_back(object);
        return objects;
    }

    const PmiFaces& faces_;
    Handle(XCAFDoc_DimTolTool) tool_;
    std::vector<Handle(StepDimTol_GeometricTolerance)> entities_;
    std::size_t next_entity_ = 0;
    std::size_t unknown_ = 0;
    FaceNumbers named_;
};

}  // namespace

std::string pmi_of(STEPCAFControl_Reader& reader, const Handle(TDocStd_Document)& document,
                   const TopTools_IndexedMapOfShape& faces) {
    const Handle(XSControl_WorkSession) session = reader.Reader().WS();
    return Pmi(PmiFaces(faces, session), document).text(session);
}
