// Reads a STEP or IGES file with OpenCASCADE, meshes it, and returns plain arrays through a C interface.
// Errors are returned as text; no exception crosses the interface.

#include "parts.hpp"
#include "pmi.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <IMeshTools_Parameters.hxx>
#include <BRep_Tool.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_PrinterOStream.hxx>
#include <Message_ProgressIndicator.hxx>
#include <Message_ProgressScope.hxx>
#include <Poly_Triangulation.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <Standard_ErrorHandler.hxx>
#include <Standard_Failure.hxx>
#include <Standard_OutOfMemory.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TDocStd_Document.hxx>
#include <TopAbs_Orientation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopLoc_Location.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <IGESData_IGESModel.hxx>
#include <IGESData_GlobalSection.hxx>

namespace {

struct Answer {
    std::vector<double> vertices;         // x y z, mm
    std::vector<std::uint32_t> facets;    // three vertex indices each, counter-clockwise seen from outside
    std::vector<std::uint32_t> faces;     // CAD face index of each facet
    std::vector<std::uint32_t> unmeshed;  // indices of CAD faces that could not be meshed
    std::uint64_t face_count = 0;
    std::string structure;  // "unit", a tab and the name of the unit, then the lines of `parts_of` and of `pmi_of`
    std::string error;
};

// Writes the progress to standard error, in lines such as "progress 0.42".
class ProgressPrinter : public Message_ProgressIndicator {
public:
    void Show(const Message_ProgressScope&, const Standard_Boolean) override {
        const int percent = static_cast<int>(100.0 * GetPosition());
        if (percent == last_percent_) return;
        last_percent_ = percent;
        std::fprintf(stderr, "progress %.2f\n", percent / 100.0);
    }

private:
    int last_percent_ = -1;
};

// Name of the length unit in the file; empty if it has none.
std::string unit_of(STEPCAFControl_Reader& reader) {
    TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
    reader.ChangeReader().FileUnits(lengths, angles, solid_angles);
    return lengths.IsEmpty() ? std::string() : lengths.First().ToCString();
}

std::string unit_of(IGESCAFControl_Reader& reader) {
    const Handle(IGESData_IGESModel) model = reader.IGESModel();
    const Handle(TCollection_HAsciiString) name = model->GlobalSection().UnitName();
    return name.IsNull() ? std::string() : name->ToCString();
}

// All shapes of the file as one.
TopoDS_Shape root_shape(STEPCAFControl_Reader& reader) { return reader.Reader().OneShape(); }

// The faces of an IGES file share no edges: faces with coincident edges are sewn, so that both are meshed with the same
// vertices along them.
TopoDS_Shape root_shape(IGESCAFControl_Reader& reader) {
    constexpr double SEWING_TOLERANCE_MM = 0.01;
    const TopoDS_Shape shape = reader.OneShape();
    if (shape.IsNull()) return shape;
    BRepBuilderAPI_Sewing sewing(SEWING_TOLERANCE_MM);
    sewing.Add(shape);
    sewing.Perform();
    const TopoDS_Shape sewn = sewing.SewedShape();
    return sewn.IsNull() ? shape : sewn;
}

// Numbers of the faces of a shape, in the order in which they are first met.
TopTools_IndexedMapOfShape faces_of(const TopoDS_Shape& shape) {
    TopTools_IndexedMapOfShape faces;
    if (!shape.IsNull()) TopExp::MapShapes(shape, TopAbs_FACE, faces);
    return faces;
}

// Datums, tolerances and dimensions; if they fail, the shape is read all the same.
std::string stated(STEPCAFControl_Reader& reader, const Handle(TDocStd_Document)& document, const TopoDS_Shape& shape) {
    if (!reader.GetGDTMode()) return {};
    try {
        OCC_CATCH_SIGNALS
        return pmi_of(reader, document, faces_of(shape));
    } catch (const Standard_OutOfMemory&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        return "pmi\t{\"item\":\"unreadable\"}\n";
    } catch (const Standard_Failure&) {
        return "pmi\t{\"item\":\"unreadable\"}\n";
    }
}

// IGES files have no semantic ones.
std::string stated(IGESCAFControl_Reader&, const Handle(TDocStd_Document)&, const TopoDS_Shape&) { return {}; }

template <class Reader>
TopoDS_Shape read_shape(Reader& reader, const char* path, const Message_ProgressRange& range, Answer& answer) {
    if (reader.ReadFile(path) != IFSelect_RetDone) {
        answer.error = "the file is damaged or cut short, so OpenCASCADE cannot parse it";
        return {};
    }
    Handle(TDocStd_Document) document = new TDocStd_Document("XCAF");
    XCAFDoc_DocumentTool::Set(document->Main(), Standard_False);
    if (!reader.Transfer(document, range)) {
        answer.error = "the file holds no shape that can be meshed";
        return {};
    }
    const TopoDS_Shape shape = root_shape(reader);
    answer.structure = "unit\t" + unit_of(reader) + "\n" + parts_of(document) + stated(reader, document, shape);
    return shape;
}

// Appends the triangulation of a face, transformed to its placement, with outward winding.
void add_face(const TopoDS_Face& face, std::uint32_t face_index, Answer& answer) {
    TopLoc_Location location;
    const Handle(Poly_Triangulation) triangulation = BRep_Tool::Triangulation(face, location);
    if (triangulation.IsNull() || triangulation->NbTriangles() == 0) {
        answer.unmeshed.push_back(face_index);
        return;
    }
    const auto first = static_cast<std::uint32_t>(answer.vertices.size() / 3);
    const gp_Trsf transform = location.Transformation();
    for (int i = 1; i <= triangulation->NbNodes(); ++i) {
        const gp_Pnt node = triangulation->Node(i).Transformed(transform);
        answer.vertices.insert(answer.vertices.end(), {node.X(), node.Y(), node.Z()});
    }
    // A mirroring location reverses the winding once more.
    const bool reversed = (face.Orientation() == TopAbs_REVERSED) != transform.IsNegative();
    for (int i = 1; i <= triangulation->NbTriangles(); ++i) {
        int a, b, c;
        triangulation->Triangle(i).Get(a, b, c);
        if (reversed) std::swap(b, c);
        for (const int corner : {a, b, c}) {
            answer.facets.push_back(first + static_cast<std::uint32_t>(corner - 1));
        }
        answer.faces.push_back(face_index);
    }
}

enum class Format { step, iges, step_without_pmi };

TopoDS_Shape read_shape(Format format, const char* path, const Message_ProgressRange& range, Answer& answer) {
    if (format == Format::iges) {
        IGESCAFControl_Reader reader;
        return read_shape(reader, path, range, answer);
    }
    STEPCAFControl_Reader reader;
    reader.SetGDTMode(format == Format::step);
    return read_shape(reader, path, range, answer);
}

void read(const char* path, Format format, double chord_mm, double angle_rad, Answer& answer) {
    const Handle(ProgressPrinter) printer = new ProgressPrinter;
    Message_ProgressScope scope(printer->Start(), nullptr, 10);
    const TopoDS_Shape shape = read_shape(format, path, scope.Next(4), answer);
    if (!answer.error.empty()) return;
    if (shape.IsNull()) {
        answer.error = "the file holds no shape that can be meshed";
        return;
    }
    IMeshTools_Parameters parameters;
    parameters.Deflection = chord_mm;
    parameters.Angle = angle_rad;
    parameters.InParallel = Standard_True;
    BRepMesh_IncrementalMesh mesher(shape, parameters, scope.Next(6));
    const TopTools_IndexedMapOfShape faces = faces_of(shape);
    answer.face_count = static_cast<std::uint64_t>(faces.Extent());
    // Each placement of a repeated part adds its facets.
    for (TopExp_Explorer explorer(shape, TopAbs_FACE); explorer.More(); explorer.Next()) {
        const int index = faces.FindIndex(explorer.Current());
        add_face(TopoDS::Face(explorer.Current()), static_cast<std::uint32_t>(index > 0 ? index - 1 : 0), answer);
    }
    if (answer.facets.empty()) answer.error = "none of its faces could be meshed";
}

// Exit code that the program which started this one reads as too little memory.
constexpr int out_of_memory = 5;

// Whether the address space was once almost used up: OpenCASCADE gives up a face for which there is no memory, and says
// nothing.
bool was_short_of_memory() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "VmPeak:" && status >> kibibytes) return 1024.0 * kibibytes > 0.8 * limit.rlim_cur;
    }
    return false;
}

// OpenCASCADE meshes on threads of its own, where nobody can catch what they throw.
[[noreturn]] void end_on_uncaught() {
    try {
        if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        _exit(out_of_memory);
    } catch (const Standard_OutOfMemory&) {
        _exit(out_of_memory);
    } catch (...) {
    }
    std::abort();
}

}  // namespace

extern "C" {

// Format 0: STEP, 1: IGES, 2: STEP without its datums, tolerances and dimensions.
void* shadowgraph_cad_read(const char* path, int format, double chord_mm, double angle_rad) {
    std::set_terminate(end_on_uncaught);
    auto* answer = new Answer();
    try {
        // OpenCASCADE prints to standard output, which is reserved for the result.
        Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_PrinterOStream));
        OCC_CATCH_SIGNALS
        read(path, static_cast<Format>(format), chord_mm, angle_rad, *answer);
        if ((answer->facets.empty() || !answer->unmeshed.empty()) && was_short_of_memory()) _exit(out_of_memory);
    } catch (const Standard_OutOfMemory&) {
        _exit(out_of_memory);
    } catch (const Standard_Failure& failure) {
        const char* text = failure.GetMessageString();
        const bool has_text = text != nullptr && *text != 0;
        answer->error = std::string("OpenCASCADE failed: ") + (has_text ? text : "no reason given");
    } catch (const std::bad_alloc&) {
        _exit(out_of_memory);
    } catch (const std::exception& failure) {
        answer->error = std::string("OpenCASCADE failed: ") + failure.what();
    }
    return answer;
}

// Limits the address space of the process, so that a file that needs too much memory is refused with a reason.
void shadowgraph_cad_limit_memory(std::uint64_t bytes) {
    const rlimit limit{bytes, bytes};
    // If the limit cannot be set, the work continues without it.
    (void)setrlimit(RLIMIT_AS, &limit);
}

const char* shadowgraph_cad_error(void* answer) { return static_cast<Answer*>(answer)->error.c_str(); }

std::uint64_t shadowgraph_cad_face_count(void* answer) { return static_cast<Answer*>(answer)->face_count; }

// Array 0: vertices (f64), 1: facets, 2: CAD face index of each facet, 3: indices of faces that could not be meshed
// (1 to 3: u32), 4: structure (UTF-8). Returns the number of elements.
std::uint64_t shadowgraph_cad_array(void* answer, int which, const void** data) {
    const auto* a = static_cast<Answer*>(answer);
    switch (which) {
        case 0: *data = a->vertices.data(); return a->vertices.size();
        case 1: *data = a->facets.data(); return a->facets.size();
        case 2: *data = a->faces.data(); return a->faces.size();
        case 3: *data = a->unmeshed.data(); return a->unmeshed.size();
        default: *data = a->structure.data(); return a->structure.size();
    }
}

void shadowgraph_cad_free(void* answer) { delete static_cast<Answer*>(answer); }

}  // extern "C"
