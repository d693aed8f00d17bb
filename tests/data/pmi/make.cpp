// Writes ten STEP files (AP242) with datums, tolerances and dimensions, and a JSON file each of what was written. A face
// is given by a point on it in the file's placement, mm.
// g++ make.cpp -I/usr/include/opencascade -lTKXDESTEP -lTKXCAF -lTKLCAF -lTKCAF -lTKCDF -lTKSTEP -lTKXSBase -lTKBO -lTKPrim -lTKMesh -lTKTopAlgo -lTKBRep -lTKGeomAlgo -lTKGeomBase -lTKG3d -lTKMath -lTKernel
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakeWire.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCone.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakePrism.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRep_Tool.hxx>
#include <BRepAdaptor_Surface.hxx>
#include <GeomAPI_PointsToBSpline.hxx>
#include <Geom_BSplineCurve.hxx>
#include <Interface_Static.hxx>
#include <Poly_Triangulation.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <STEPControl_Controller.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TColgp_Array1OfPnt.hxx>
#include <TColStd_HArray1OfReal.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <XCAFDimTolObjects_DatumObject.hxx>
#include <XCAFDimTolObjects_DimensionObject.hxx>
#include <XCAFDimTolObjects_GeomToleranceObject.hxx>
#include <XCAFDoc_Datum.hxx>
#include <XCAFDoc_DimTolTool.hxx>
#include <XCAFDoc_Dimension.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_GeomTolerance.hxx>
#include <XCAFDoc_ShapeTool.hxx>

#include <fstream>
#include <optional>
#include <functional>
#include <string>
#include <vector>

using Faces = std::vector<TopoDS_Face>;
using Words = std::vector<std::string>;

static std::string list(const Words& values, bool quoted) {
    std::string text = "[";
    for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + (quoted ? "\"" + value + "\"" : value);
    return text + "]";
}

static std::string number(std::optional<double> value) {
    if (!value) return "null";
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", *value);
    return text;
}

// A point of a face: the middle of one of its triangles.
static gp_Pnt point_on(const TopoDS_Face& face) {
    BRepMesh_IncrementalMesh(face, 0.001, false, 0.05);
    TopLoc_Location place;
    const auto mesh = BRep_Tool::Triangulation(face, place);
    int a, b, c;
    mesh->Triangle(1).Get(a, b, c);
    const gp_XYZ middle = (mesh->Node(a).XYZ() + mesh->Node(b).XYZ() + mesh->Node(c).XYZ()) / 3.0;
    return gp_Pnt(middle).Transformed(place.Transformation());
}

static std::string points(const Faces& faces) {
    Words written;
    for (const auto& face : faces) {
        const gp_Pnt p = point_on(face);
        written.push_back("[" + number(p.X()) + ", " + number(p.Y()) + ", " + number(p.Z()) + "]");
    }
    return list(written, false);
}

struct DatumUse {
    std::string letter;
    int position;
    std::vector<XCAFDimTolObjects_DatumSingleModif> modifiers;
    Words words;
};

struct File {
    explicit File(std::string name, const char* unit = "MM")
        : name(std::move(name)), unit(unit), units_per_mm(this->unit == "INCH" ? 1.0 / 25.4 : 1.0), document(new TDocStd_Document("XCAF")) {
        XCAFDoc_DocumentTool::Set(document->Main(), false);
        shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
        tool = XCAFDoc_DocumentTool::DimTolTool(document->Main());
    }

    void part(const TopoDS_Shape& shape) {
        root = shapes->AddShape(shape, false);
        solid = shape;
    }

    // The faces whose surface is of a type and which `is` accepts, by a point on them.
    Faces faces(GeomAbs_SurfaceType type, const std::function<bool(const gp_Pnt&)>& is) const {
        Faces found;
        for (TopExp_Explorer e(solid, TopAbs_FACE); e.More(); e.Next()) {
            const TopoDS_Face face = TopoDS::Face(e.Current());
            if (BRepAdaptor_Surface(face).GetType() == type && is(point_on(face))) found.push_back(face);
        }
        if (found.empty()) throw std::runtime_error(name + ": no such face");
        return found;
    }

    TDF_LabelSequence labels(const Faces& faces) const {
        TDF_LabelSequence found;
        for (const auto& face : faces) found.Append(shapes->AddSubShape(root, face));
        return found;
    }

    void datum(const std::string& letter, const Faces& faces, std::optional<XCAFDimTolObjects_DatumTargetType> target = {}) {
        datum_faces.emplace_back(letter, faces);
        targets.push_back(target);
        json.push_back("{ \"item\": \"datum\", \"letter\": \"" + letter + "\", \"target\": \"" +
                       (target ? "point" : "") + "\", \"faces\": " + points(faces) + " }");
    }

    void tolerance(XCAFDimTolObjects_GeomToleranceType kind, const char* word, double value, const Faces& faces,
                   const std::vector<DatumUse>& uses = {}, const char* zone = "width",
                   const std::vector<std::pair<XCAFDimTolObjects_GeomToleranceModif, const char*>>& modifiers = {},
                   const char* material = "") {
        const TDF_Label label = tool->AddGeomTolerance();
        tool->SetGeomTolerance(labels(faces), label);
        Handle(XCAFDoc_GeomTolerance) attribute;
        label.FindAttribute(XCAFDoc_GeomTolerance::GetID(), attribute);
        Handle(XCAFDimTolObjects_GeomToleranceObject) own = new XCAFDimTolObjects_GeomToleranceObject();
        own->SetType(kind);
        own->SetValue(value * units_per_mm);
        const std::string form = zone;
        if (form == "diameter") own->SetTypeOfValue(XCAFDimTolObjects_GeomToleranceTypeValue_Diameter);
        if (form == "spherical_diameter") own->SetTypeOfValue(XCAFDimTolObjects_GeomToleranceTypeValue_SphericalDiameter);
        Words words;
        for (const auto& [modifier, text] : modifiers) {
            own->AddModifier(modifier);
            words.push_back(text);
        }
        const std::string requirement = material;
        if (requirement == "maximum") own->SetMaterialRequirementModifier(XCAFDimTolObjects_GeomToleranceMatReqModif_M);
        if (requirement == "least") own->SetMaterialRequirementModifier(XCAFDimTolObjects_GeomToleranceMatReqModif_L);
        if (!requirement.empty()) words.push_back(requirement + " material requirement");
        attribute->SetObject(own);
        Words references;
        for (const DatumUse& use : uses) {
            for (std::size_t i = 0; i < datum_faces.size(); ++i) {
                if (datum_faces[i].first != use.letter) continue;
                const TDF_Label datum = tool->AddDatum();
                TDF_LabelSequence on = labels(datum_faces[i].second);
                tool->SetDatum(on, datum);
                Handle(XCAFDoc_Datum) datum_attribute;
                datum.FindAttribute(XCAFDoc_Datum::GetID(), datum_attribute);
                Handle(XCAFDimTolObjects_DatumObject) object = new XCAFDimTolObjects_DatumObject();
                object->SetName(new TCollection_HAsciiString(use.letter.c_str()));
                object->SetPosition(use.position);
                for (const auto modifier : use.modifiers) object->AddModifier(modifier);
                if (targets[i]) {
                    object->IsDatumTarget(true);
                    object->SetDatumTargetType(*targets[i]);
                    object->SetDatumTargetNumber(1);
                    object->SetDatumTargetAxis(gp_Ax2(point_on(datum_faces[i].second[0]), gp_Dir(0, 0, 1)));
                }
                datum_attribute->SetObject(object);
                tool->SetDatumToGeomTol(datum, label);
            }
            references.push_back("{ \"letter\": \"" + use.letter + "\", \"position\": " + std::to_string(use.position) +
                                 ", \"modifiers\": " + list(use.words, true) + " }");
        }
        json.push_back(std::string("{ \"item\": \"tolerance\", \"kind\": \"") + word + "\", \"value_mm\": " + number(value) +
                       ", \"zone\": \"" + zone + "\", \"modifiers\": " + list(words, true) + ", \"datums\": " +
                       list(references, false) + ", \"faces\": " + points(faces) + " }");
    }

    Handle(XCAFDimTolObjects_DimensionObject) dimension(XCAFDimTolObjects_DimensionType kind, const Faces& first,
                                                        const Faces& second, Handle(XCAFDoc_Dimension)& attribute) {
        const TDF_Label label = tool->AddDimension();
        if (second.empty()) tool->SetDimension(labels(first), TDF_LabelSequence(), label);
        else tool->SetDimension(labels(first), labels(second), label);
        label.FindAttribute(XCAFDoc_Dimension::GetID(), attribute);
        Handle(XCAFDimTolObjects_DimensionObject) own = new XCAFDimTolObjects_DimensionObject();
        own->SetType(kind);
        return own;
    }

    void expect_dimension(const char* word, double nominal, std::optional<double> lower, std::optional<double> upper,
                          const std::string& fit, const Words& modifiers, const Faces& first, const Faces& second) {
        json.push_back(std::string("{ \"item\": \"dimension\", \"kind\": \"") + word + "\", \"nominal\": " + number(nominal) +
                       ", \"lower\": " + number(lower) + ", \"upper\": " + number(upper) + ", \"fit\": \"" + fit +
                       "\", \"modifiers\": " + list(modifiers, true) + ", \"first\": " + points(first) +
                       ", \"second\": " + points(second) + " }");
    }

    // A dimension with deviations; of angles in degrees.
    void plus_minus(XCAFDimTolObjects_DimensionType kind, const char* word, double nominal, double minus, double plus,
                    const Faces& first, const Faces& second = {},
                    const std::vector<std::pair<XCAFDimTolObjects_DimensionModif, const char*>>& modifiers = {}) {
        Handle(XCAFDoc_Dimension) attribute;
        const auto own = dimension(kind, first, second, attribute);
        const double unit = std::string(word) == "angle" ? M_PI / 180.0 : units_per_mm;
        own->SetValue(nominal * unit);
        own->SetUpperTolValue(plus * unit);
        own->SetLowerTolValue(-minus * unit);
        Words words;
        for (const auto& [modifier, text] : modifiers) {
            own->AddModifier(modifier);
            words.push_back(text);
        }
        attribute->SetObject(own);
        expect_dimension(word, nominal, nominal + minus, nominal + plus, "", words, first, second);
    }

    void bare(XCAFDimTolObjects_DimensionType kind, const char* word, double nominal, const Faces& first) {
        Handle(XCAFDoc_Dimension) attribute;
        const auto own = dimension(kind, first, {}, attribute);
        own->SetValue(nominal * units_per_mm);
        attribute->SetObject(own);
        expect_dimension(word, nominal, {}, {}, "", {}, first, {});
    }

    void fit(XCAFDimTolObjects_DimensionType kind, const char* word, double nominal, const Faces& first) {
        Handle(XCAFDoc_Dimension) attribute;
        const auto own = dimension(kind, first, {}, attribute);
        own->SetValue(nominal * units_per_mm);
        own->SetClassOfTolerance(true, XCAFDimTolObjects_DimensionFormVariance_H, XCAFDimTolObjects_DimensionGrade_IT7);
        attribute->SetObject(own);
        // OpenCASCADE 7.6 writes IT7 as 9.
        expect_dimension(word, nominal, {}, {}, "H9", {}, first, {});
    }

    void write() {
        STEPControl_Controller::Init();
        Interface_Static::SetIVal("write.step.schema", 5);
        Interface_Static::SetCVal("write.step.unit", unit.c_str());
        STEPCAFControl_Writer writer;
        writer.SetDimTolMode(true);
        writer.Transfer(document);
        writer.Write((name + ".step").c_str());
        std::ofstream out(name + ".json");
        out << "[\n";
        for (std::size_t i = 0; i < json.size(); ++i) out << "  " << json[i] << (i + 1 < json.size() ? ",\n" : "\n");
        out << "]\n";
    }

    std::string name, unit;
    // OpenCASCADE converts shapes to the unit of the file, but not the values of tolerances and dimensions.
    double units_per_mm;
    Handle(TDocStd_Document) document;
    Handle(XCAFDoc_ShapeTool) shapes;
    Handle(XCAFDoc_DimTolTool) tool;
    TDF_Label root;
    TopoDS_Shape solid;
    std::vector<std::pair<std::string, Faces>> datum_faces;
    std::vector<std::optional<XCAFDimTolObjects_DatumTargetType>> targets;
    Words json;
};

#define KIND(name) XCAFDimTolObjects_GeomToleranceType_##name
#define SIZE(name) XCAFDimTolObjects_DimensionType_##name

static TopoDS_Shape cylinder(double x, double y, double z, double radius, double height, gp_Dir axis = gp_Dir(0, 0, 1)) {
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z), axis), radius, height).Shape();
}

static bool near(double one, double other) { return std::abs(one - other) < 1e-3; }

// A plate of 80 x 50 x 12 mm with two bores of 10 mm and one of 6 mm.
static void plate(const std::string& name, const char* unit) {
    File file(name, unit);
    TopoDS_Shape shape = BRepPrimAPI_MakeBox(80, 50, 12).Shape();
    for (const double x : {20.0, 60.0}) shape = BRepAlgoAPI_Cut(shape, cylinder(x, 25, -1, 5, 14)).Shape();
    file.part(BRepAlgoAPI_Cut(shape, cylinder(40, 10, -1, 3, 14)).Shape());
    const auto at = [&](int axis, double value) {
        return file.faces(GeomAbs_Plane, [=](const gp_Pnt& p) { return near(p.Coord(axis), value); });
    };
    const auto bore = [&](double x, double y) {
        return file.faces(GeomAbs_Cylinder, [=](const gp_Pnt& p) { return p.Distance(gp_Pnt(x, y, p.Z())) < 6; });
    };
    const Faces bottom = at(3, 0), top = at(3, 12), front = at(2, 0), back = at(2, 50), left = at(1, 0), right = at(1, 80);
    file.datum("A", bottom);
    file.datum("B", front);
    file.datum("C", left);
    file.tolerance(KIND(Flatness), "flatness", 0.05, bottom);
    file.tolerance(KIND(Parallelism), "parallelism", 0.1, top, {{"A", 1, {}, {}}});
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.08, front, {{"A", 1, {}, {}}});
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.08, left, {{"A", 1, {}, {}}, {"B", 2, {}, {}}});
    for (const double x : {20.0, 60.0}) {
        file.tolerance(KIND(Position), "position", 0.2, bore(x, 25), {{"A", 1, {}, {}}, {"B", 2, {}, {}}, {"C", 3, {}, {}}},
                       "diameter", {}, "maximum");
        file.plus_minus(SIZE(Size_Diameter), "diameter", 10, -0.02, 0.05, bore(x, 25));
    }
    file.tolerance(KIND(Position), "position", 0.15, bore(40, 10), {{"A", 1, {}, {}}, {"B", 2, {}, {}}, {"C", 3, {}, {}}},
                   "diameter");
    file.plus_minus(SIZE(Size_Radius), "radius", 3, 0.01, 0.03, bore(40, 10));
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 80, -0.1, 0.1, left, right);
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 12, -0.2, -0.05, bottom, top);
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 40, -0.05, 0.05, bore(20, 25), bore(60, 25));
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 50, 0.02, 0.12, front, back);
    file.write();
}

// A shaft of three steps along z.
static void shaft() {
    File file("shaft");
    TopoDS_Shape shape = BRepAlgoAPI_Fuse(cylinder(0, 0, 0, 10, 30), cylinder(0, 0, 30, 15, 20)).Shape();
    file.part(BRepAlgoAPI_Fuse(shape, cylinder(0, 0, 50, 8, 30)).Shape());
    const auto step = [&](double from, double to) {
        return file.faces(GeomAbs_Cylinder, [=](const gp_Pnt& p) { return p.Z() > from && p.Z() < to; });
    };
    const Faces seat = step(0, 30), collar = step(30, 50), journal = step(50, 80);
    const Faces shoulder = file.faces(GeomAbs_Plane, [](const gp_Pnt& p) { return near(p.Z(), 50); });
    file.datum("A", seat);
    file.tolerance(KIND(Cylindricity), "cylindricity", 0.01, seat);
    file.tolerance(KIND(CircularityOrRoundness), "circularity", 0.008, journal);
    file.tolerance(KIND(Straightness), "straightness", 0.02, collar, {}, "diameter");
    file.tolerance(KIND(Coaxiality), "coaxiality", 0.03, journal, {{"A", 1, {}, {}}}, "diameter");
    file.tolerance(KIND(Concentricity), "concentricity", 0.04, collar, {{"A", 1, {}, {}}}, "diameter");
    file.tolerance(KIND(CircularRunout), "circular_run_out", 0.02, collar, {{"A", 1, {}, {}}});
    file.tolerance(KIND(TotalRunout), "total_run_out", 0.03, shoulder, {{"A", 1, {}, {}}});
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.02, shoulder, {{"A", 1, {}, {}}});
    file.plus_minus(SIZE(Size_Diameter), "diameter", 20, -0.041, -0.020, seat);
    file.plus_minus(SIZE(Size_Diameter), "diameter", 16, 0.001, 0.012, journal);
    file.write();
}

// A ball on a cone on a cylinder.
static void ball_and_cone() {
    File file("ball-and-cone");
    TopoDS_Shape shape = BRepAlgoAPI_Fuse(cylinder(0, 0, 0, 20, 10), BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0, 0, 10), gp_Dir(0, 0, 1)), 20, 8, 24).Shape()).Shape();
    file.part(BRepAlgoAPI_Fuse(shape, BRepPrimAPI_MakeSphere(gp_Pnt(0, 0, 45), 14).Shape()).Shape());
    const auto all = [](const gp_Pnt&) { return true; };
    const Faces ball = file.faces(GeomAbs_Sphere, all), cone = file.faces(GeomAbs_Cone, all),
                wall = file.faces(GeomAbs_Cylinder, all);
    const Faces base = file.faces(GeomAbs_Plane, [](const gp_Pnt& p) { return near(p.Z(), 0); });
    file.datum("A", base);
    file.datum("B", wall);
    file.tolerance(KIND(Position), "position", 0.12, ball, {{"A", 1, {}, {}}, {"B", 2, {}, {}}}, "spherical_diameter");
    file.tolerance(KIND(ProfileOfSurface), "profile_of_surface", 0.06, cone, {{"A", 1, {}, {}}, {"B", 2, {}, {}}});
    file.tolerance(KIND(ProfileOfSurface), "profile_of_surface", 0.1, ball);
    file.tolerance(KIND(CircularityOrRoundness), "circularity", 0.02, cone);
    file.plus_minus(SIZE(Size_SphericalDiameter), "spherical diameter", 28, -0.03, 0.03, ball);
    file.plus_minus(SIZE(Size_SphericalRadius), "spherical radius", 14, -0.02, 0.02, ball);
    file.write();
}

// A wedge: 60 x 40 mm, 30 mm high on one side and sloping by 25 degrees.
static void wedge() {
    File file("wedge");
    const double rise = 60.0 * std::tan(25.0 * M_PI / 180.0);
    BRepBuilderAPI_MakeWire wire;
    const gp_Pnt corners[] = {{0, 0, 0}, {60, 0, 0}, {60, 0, 30}, {0, 0, 30 + rise}};
    for (int i = 0; i < 4; ++i) wire.Add(BRepBuilderAPI_MakeEdge(corners[i], corners[(i + 1) % 4]).Edge());
    const TopoDS_Shape body = BRepPrimAPI_MakePrism(BRepBuilderAPI_MakeFace(wire.Wire()).Face(), gp_Vec(0, 40, 0)).Shape();
    file.part(BRepAlgoAPI_Cut(body, cylinder(30, -1, 20, 6, 42, gp_Dir(0, 1, 0))).Shape());
    const auto at = [&](int axis, double value) {
        return file.faces(GeomAbs_Plane, [=](const gp_Pnt& p) { return near(p.Coord(axis), value); });
    };
    const Faces bottom = at(3, 0), end = at(1, 60), front = at(2, 0), back = at(2, 40);
    const Faces slope = file.faces(GeomAbs_Plane, [=](const gp_Pnt& p) {
        return near(p.Z(), 30 + (60 - p.X()) * rise / 60.0) && p.X() > 0.01 && p.X() < 59.99;
    });
    const Faces bore = file.faces(GeomAbs_Cylinder, [](const gp_Pnt&) { return true; });
    file.datum("A", bottom);
    file.datum("D", front);
    file.tolerance(KIND(Angularity), "angularity", 0.1, slope, {{"A", 1, {}, {}}});
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.05, end, {{"A", 1, {}, {}}});
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.04, bore, {{"D", 1, {}, {}}}, "diameter");
    file.tolerance(KIND(Parallelism), "parallelism", 0.06, bore, {{"A", 1, {}, {}}}, "diameter");
    file.plus_minus(SIZE(Location_Angular), "angle", 25, -0.25, 0.5, bottom, slope);
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 20, -0.1, 0.1, bottom, bore);
    // The faces are 40 mm apart.
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 41, -0.1, 0.1, front, back);
    file.write();
}

// Modifiers, common datums, datum targets and projected zones: read, and refused with a reason.
static void refused() {
    File file("modifiers");
    TopoDS_Shape shape = BRepPrimAPI_MakeBox(60, 60, 15).Shape();
    for (const double x : {15.0, 45.0}) shape = BRepAlgoAPI_Cut(shape, cylinder(x, 30, -1, 4, 17)).Shape();
    file.part(shape);
    const auto at = [&](int axis, double value) {
        return file.faces(GeomAbs_Plane, [=](const gp_Pnt& p) { return near(p.Coord(axis), value); });
    };
    const auto bore = [&](double x) {
        return file.faces(GeomAbs_Cylinder, [=](const gp_Pnt& p) { return std::abs(p.X() - x) < 5; });
    };
    const Faces bottom = at(3, 0), top = at(3, 15), front = at(2, 0), back = at(2, 60);
    file.datum("A", bottom);
    file.datum("B", bore(15));
    file.datum("C", front, XCAFDimTolObjects_DatumTargetType_Point);
    using Datum = DatumUse;
    file.tolerance(KIND(Flatness), "flatness", 0.1, top, {}, "width", {{XCAFDimTolObjects_GeomToleranceModif_Free_State, "free state"}});
    file.tolerance(KIND(Flatness), "flatness", 0.2, bottom, {}, "width", {{XCAFDimTolObjects_GeomToleranceModif_Common_Zone, "common zone"}});
    file.tolerance(KIND(Parallelism), "parallelism", 0.1, top, {Datum{"A", 1, {}, {}}}, "width",
                   {{XCAFDimTolObjects_GeomToleranceModif_Tangent_Plane, "tangent plane"}});
    file.tolerance(KIND(Position), "position", 0.3, bore(45),
                   {Datum{"A", 1, {}, {}},
                    Datum{"B", 2, {XCAFDimTolObjects_DatumSingleModif_MaximumMaterialRequirement}, {"maximum material requirement"}}},
                   "diameter", {}, "maximum");
    file.tolerance(KIND(Position), "position", 0.25, bore(45), {Datum{"A", 1, {}, {}}}, "diameter", {}, "least");
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.05, bore(15), {Datum{"A", 1, {}, {}}}, "diameter");
    file.tolerance(KIND(Position), "position", 0.4, bore(15), {Datum{"A", 1, {}, {}}, Datum{"C", 2, {}, {}}}, "diameter");
    file.tolerance(KIND(ProfileOfLine), "profile_of_line", 0.1, back, {Datum{"A", 1, {}, {}}});
    file.plus_minus(SIZE(Size_Diameter), "diameter", 8, -0.1, 0.1, bore(15), {},
                    {{XCAFDimTolObjects_DimensionModif_TwoPointSize, "two point size"}});
    file.write();
}

// A block with a free-form top.
static void free_form() {
    // Without a dimension, OpenCASCADE 7.6 writes tolerances in metres.
    File file("free-form");
    TColgp_Array1OfPnt wave(1, 9);
    for (int i = 0; i <= 8; ++i) wave.SetValue(i + 1, gp_Pnt(10.0 * i, 0, 20 + 4 * std::sin(0.8 * i)));
    BRepBuilderAPI_MakeWire wire;
    wire.Add(BRepBuilderAPI_MakeEdge(GeomAPI_PointsToBSpline(wave).Curve()).Edge());
    wire.Add(BRepBuilderAPI_MakeEdge(wave(9), gp_Pnt(80, 0, 0)).Edge());
    wire.Add(BRepBuilderAPI_MakeEdge(gp_Pnt(80, 0, 0), gp_Pnt(0, 0, 0)).Edge());
    wire.Add(BRepBuilderAPI_MakeEdge(gp_Pnt(0, 0, 0), wave(1)).Edge());
    file.part(BRepPrimAPI_MakePrism(BRepBuilderAPI_MakeFace(wire.Wire()).Face(), gp_Vec(0, 30, 0)).Shape());
    const Faces top = file.faces(GeomAbs_SurfaceOfExtrusion, [](const gp_Pnt&) { return true; });
    const Faces bottom = file.faces(GeomAbs_Plane, [](const gp_Pnt& p) { return near(p.Z(), 0); });
    file.datum("A", bottom);
    file.tolerance(KIND(ProfileOfSurface), "profile_of_surface", 0.2, top, {{"A", 1, {}, {}}});
    file.tolerance(KIND(Flatness), "flatness", 0.05, bottom);
    const auto end = [&](double x) {
        return file.faces(GeomAbs_Plane, [=](const gp_Pnt& p) { return near(p.X(), x); });
    };
    file.plus_minus(SIZE(Location_LinearDistance), "linear distance", 80, -0.1, 0.1, end(0), end(80));
    file.write();
}

// Sizes without limits, with a class, and one with limits of both signs.
static void sizes() {
    File file("sizes");
    TopoDS_Shape shape = BRepPrimAPI_MakeBox(90, 30, 10).Shape();
    for (const double x : {15.0, 45.0, 75.0}) shape = BRepAlgoAPI_Cut(shape, cylinder(x, 15, -1, 6, 12)).Shape();
    file.part(shape);
    const auto bore = [&](double x) {
        return file.faces(GeomAbs_Cylinder, [=](const gp_Pnt& p) { return std::abs(p.X() - x) < 7; });
    };
    file.bare(SIZE(Size_Diameter), "diameter", 12, bore(15));
    file.fit(SIZE(Size_Diameter), "diameter", 12, bore(45));
    file.plus_minus(SIZE(Size_Diameter), "diameter", 12, 0.0, 0.018, bore(75));
    file.write();
}

// Two half bores, as many programs write them, whose tolerance names both.
static void halves() {
    File file("halves");
    TopoDS_Shape left = BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(gp_Pnt(0, 0, 0), 30, 60, 20).Shape(), cylinder(30, 30, -1, 12, 22)).Shape();
    TopoDS_Shape right = BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(gp_Pnt(30, 0, 0), 30, 60, 20).Shape(), cylinder(30, 30, -1, 12, 22)).Shape();
    file.part(BRepAlgoAPI_Fuse(left, right).Shape());
    const Faces bore = file.faces(GeomAbs_Cylinder, [](const gp_Pnt&) { return true; });
    const Faces bottom = file.faces(GeomAbs_Plane, [](const gp_Pnt& p) { return near(p.Z(), 0); });
    file.datum("A", bottom);
    file.tolerance(KIND(Perpendicularity), "perpendicularity", 0.03, bore, {{"A", 1, {}, {}}}, "diameter");
    file.tolerance(KIND(Cylindricity), "cylindricity", 0.02, bore);
    file.plus_minus(SIZE(Size_Diameter), "diameter", 24, -0.05, 0.05, bore);
    file.write();
}

// A part with nothing stated beside its shape.
static void nothing() {
    File file("nothing");
    file.part(BRepPrimAPI_MakeBox(10, 20, 30).Shape());
    file.write();
}

int main() {
    plate("plate", "MM");
    plate("plate-inch", "INCH");
    shaft();
    ball_and_cone();
    wedge();
    refused();
    free_form();
    sizes();
    halves();
    nothing();
}
