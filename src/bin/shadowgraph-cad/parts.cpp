#include "parts.hpp"

#include <cstdio>
#include <map>
#include <vector>

#include <Quantity_Color.hxx>
#include <TCollection_AsciiString.hxx>
#include <TDF_Label.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TopAbs_ShapeEnum.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS_Shape.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

namespace {

// Limits the recursion for an assembly that contains itself, which only a damaged file has.
constexpr int MAX_DEPTH = 64;
constexpr std::size_t MAX_PARTS = 10'000;

struct Part {
    TDF_Label label;
    unsigned long long placements;
};

class Parts {
public:
    explicit Parts(const Handle(TDocStd_Document)& document)
        : shapes_(XCAFDoc_DocumentTool::ShapeTool(document->Main())),
          colours_(XCAFDoc_DocumentTool::ColorTool(document->Main())) {}

    std::string text() {
        TDF_LabelSequence free;
        shapes_->GetFreeShapes(free);
        for (int i = 1; i <= free.Length(); ++i) count(free.Value(i), 1, 0);
        std::string text;
        for (const Part& part : parts_) text += line(part);
        return text;
    }

private:
    // Adds the parts below `label`, which is itself placed `placements` times at assembly depth `depth`.
    void count(const TDF_Label& label, unsigned long long placements, int depth) {
        TDF_Label referred;
        const bool is_reference = XCAFDoc_ShapeTool::GetReferredShape(label, referred);
        const TDF_Label& shape = is_reference ? referred : label;
        if (depth < MAX_DEPTH && XCAFDoc_ShapeTool::IsAssembly(shape)) {
            TDF_LabelSequence components;
            XCAFDoc_ShapeTool::GetComponents(shape, components);
            for (int i = 1; i <= components.Length(); ++i) count(components.Value(i), placements, depth + 1);
            return;
        }
        TCollection_AsciiString entry;
        TDF_Tool::Entry(shape, entry);
        const auto [found, is_new] = index_by_entry_.emplace(entry.ToCString(), parts_.size());
        if (!is_new) {
            parts_[found->second].placements += placements;
        } else if (parts_.size() < MAX_PARTS) {
            parts_.push_back({shape, placements});
        } else {
            index_by_entry_.erase(found);
        }
    }

    std::string line(const Part& part) const {
        const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(part.label);
        const auto number_of = [&shape](TopAbs_ShapeEnum kind) {
            unsigned long long number = 0;
            for (TopExp_Explorer explorer(shape, kind); explorer.More(); explorer.Next()) ++number;
            return std::to_string(number);
        };
        return "part\t" + std::to_string(part.placements) + "\t" + number_of(TopAbs_SOLID) + "\t" +
               number_of(TopAbs_FACE) + "\t" + colour_of(part.label) + "\t" + name_of(part.label) + "\n";
    }

    std::string colour_of(const TDF_Label& label) const {
        Quantity_Color colour;
        for (const XCAFDoc_ColorType kind : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen, XCAFDoc_ColorCurv}) {
            if (!colours_->GetColor(label, kind, colour)) continue;
            const TCollection_AsciiString digits = Quantity_Color::ColorToHex(colour, false);
            return digits.ToCString();
        }
        return "-";
    }

    static std::string name_of(const TDF_Label& label) {
        Handle(TDataStd_Name) attribute;
        if (!label.FindAttribute(TDataStd_Name::GetID(), attribute)) return {};
        std::vector<char> bytes(static_cast<std::size_t>(attribute->Get().LengthOfCString()) + 1);
        Standard_PCharacter text = bytes.data();
        attribute->Get().ToUTF8CString(text);
        std::string name(bytes.data());
        for (char& letter : name) {
            if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
        }
        return name;
    }

    Handle(XCAFDoc_ShapeTool) shapes_;
    Handle(XCAFDoc_ColorTool) colours_;
    std::vector<Part> parts_;
    std::map<std::string, std::size_t> index_by_entry_;
};

}  // namespace

std::string parts_of(const Handle(TDocStd_Document)& document) { return Parts(document).text(); }
