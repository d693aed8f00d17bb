// Writes fixture.step and fixture.igs: a plate of 80 x 40 x 5 mm with two pins of 6 x 12 mm, named and coloured.
// g++ make.cpp -I/usr/include/opencascade -lTKXDESTEP -lTKXDEIGES -lTKXCAF -lTKLCAF -lTKSTEP -lTKIGES -lTKXSBase -lTKPrim -lTKTopAlgo -lTKBRep -lTKMath -lTKernel
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <IGESCAFControl_Writer.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopLoc_Location.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Trsf.hxx>

int main() {
    Handle(TDocStd_Document) document = new TDocStd_Document("XCAF");
    XCAFDoc_DocumentTool::Set(document->Main(), false);
    const auto shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const auto colours = XCAFDoc_DocumentTool::ColorTool(document->Main());
    const auto part = [&](const TopoDS_Shape& shape, const char* name, double red, double green, double blue) {
        const TDF_Label label = shapes->AddShape(shape, false);
        TDataStd_Name::Set(label, TCollection_ExtendedString(name, true));
        colours->SetColor(label, Quantity_Color(red, green, blue, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
        return label;
    };
    const TDF_Label plate = part(BRepPrimAPI_MakeBox(80, 40, 5).Shape(), "Plate", 0.2, 0.4, 0.8);
    const TDF_Label pin = part(BRepPrimAPI_MakeCylinder(3, 12).Shape(), "Paßstift 6×12", 1, 0, 0);
    const TDF_Label fixture = shapes->NewShape();
    TDataStd_Name::Set(fixture, "Fixture");
    shapes->AddComponent(fixture, plate, TopLoc_Location());
    for (const double x_mm : {20, 60}) {
        gp_Trsf place;
        place.SetTranslation(gp_Vec(x_mm, 20, 5));
        shapes->AddComponent(fixture, pin, TopLoc_Location(place));
    }
    shapes->UpdateAssemblies();
    STEPCAFControl_Writer step;
    step.Transfer(document);
    step.Write("fixture.step");
    IGESCAFControl_Writer iges;
    iges.Transfer(document);
    iges.Write("fixture.igs");
}
