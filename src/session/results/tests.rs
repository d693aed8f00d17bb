//! Rows of a block with a bore whose errors are known, of a section and of surface points.

use std::sync::Arc;

use super::*;
use crate::verdict::overall;
use base::Progress;
use base::random::Random;
use compute::cpu::Cpu;
use geometry::{Cloud, Pose, Subset};
use inspect::alignment::{Alignment, AlignmentRecipe, Refinement, Start};
use inspect::deviation::Tolerance as Limits;
use inspect::features::fitting::Fitting;
use inspect::features::recipe::FeatureRecipe;
use inspect::features::{Element as Geometry, Shape};
use inspect::main_alignment::reference_points::Direction;
use inspect::parts::Actual;
use inspect::recipe::Tools;
use inspect::section::dimension::{Dimension, DimensionKind, MeasuredDimension};
use inspect::section::{self, Section, SectionRecipe};
use inspect::selection::{ScanPoints, Selection};
use inspect::surface_points::{self, SurfacePoint, SurfacePoints, SurfacePointsRecipe};
use inspect::tolerances::measure::{MeasureRecipe, Quantity};
use inspect::tolerances::recipe::ToleranceRecipe;
use inspect::tolerances::{Characteristic, Tolerance};
use io::cad::CadReader;

const PATCH: u32 = 900;

/// The scan lies this far off the nominal.
fn moved() -> geometry::Vector {
    geometry::Vector::new(1.0, -2.0, 3.0)
}

/// The bottom of a block, its lid 0.1 mm too high, and a bore 0.02 mm too wide and 0.03 mm off, one after the other.
fn scan() -> Actual {
    let mut noise = Random::new(3, 1);
    let mut off = || 0.002 * noise.normal();
    let mut points = Vec::new();
    for patch in 0..3 {
        for number in 0..PATCH {
            let (u, v) = (f64::from(number % 30), f64::from(number / 30));
            let point = match patch {
                0 => Point::new(2.0 * u, 1.3 * v, off()),
                1 => Point::new(2.0 * u, 1.3 * v, 20.1 + off()),
                _ => {
                    let (sin, cos) = (u * 12.0_f64.to_radians()).sin_cos();
                    let radius = 5.01 + off();
                    Point::new(30.03 + radius * cos, 20.0 + radius * sin, v * 20.0 / 29.0)
                }
            };
            points.push(point + moved());
        }
    }
    Actual::in_memory("scan.ply", Cloud::from_points(points))
}

struct Block {
    document: Document,
    scan: ElementId,
}

impl Block {
    fn new() -> Self {
        let mut document = Document::of_scan(Arc::new(scan()));
        let scan = document.active.scan.unwrap();
        let recipe =
            AlignmentRecipe { nominal: scan, scan, start: Start::Pose(Pose::identity()), refinement: Refinement::None };
        let alignment = document.plan.add("Alignment", recipe.into()).unwrap();
        let pose = Pose::translation(-moved().x, -moved().y, -moved().z);
        document.store_result::<AlignmentRecipe>(alignment, Arc::new(Alignment::given(pose)));
        document.active.alignment = Some(alignment);
        let plane = |z: f64| Shape::Plane { point: Point::new(30.0, 20.0, z), normal: geometry::Vector::z() };
        let axis = geometry::Vector::z();
        let bore = Shape::Cylinder { point: Point::new(30.0, 20.0, 0.0), axis, radius: 5.0 };
        let mut own = Self { document, scan };
        own.feature("bottom", 0, plane(0.0));
        own.feature("lid", 1, plane(20.0));
        own.feature("bore", 2, bore);
        own
    }

    fn id(&self, name: &str) -> ElementId {
        self.document.plan.by_name(name).unwrap().id
    }

    fn feature(&mut self, name: &str, patch: u32, nominal: Shape) {
        let numbers = Subset::new((patch * PATCH..(patch + 1) * PATCH).collect());
        let selection = Selection::Points(ScanPoints::of(numbers, self.document.actual().unwrap()));
        let recipe = FeatureRecipe {
            scan: self.scan,
            selection,
            fitting: Fitting::of(nominal.kind()),
            plane: None,
            parallel_to: Vec::new(),
            nominal: Some(Geometry::Shape(nominal)),
            nominal_from: None,
        };
        self.document.plan.add(name, recipe.into()).unwrap();
    }

    /// A size of a feature, with an uncertainty that is stated.
    fn size(&mut self, name: &str, feature: &str, limit_mm: f64) {
        let asked = Tolerance {
            name: String::new(),
            feature: feature.to_owned(),
            characteristic: Characteristic::Size { lower_mm: Some(9.9) },
            limit_mm,
            fit: None,
            datums: Vec::new(),
            maximum_material: None,
            expanded_uncertainty_mm: Some(0.02),
            filter_mm: None,
            filter_upr: None,
            outlier_sigmas: None,
            min_coverage: None,
        };
        let recipe = ToleranceRecipe { feature: Some(self.id(feature)), ..ToleranceRecipe::new(asked) };
        self.document.plan.add(name, recipe.into()).unwrap();
    }

    fn height(&mut self, name: &str, upper: Option<f64>) {
        let (from, to) = (self.id("bottom"), self.id("lid"));
        let recipe = MeasureRecipe {
            quantity: Quantity::Distance,
            from,
            to,
            lower: None,
            upper,
            min_coverage: None,
            of_cad: false,
        };
        self.document.plan.add(name, recipe.into()).unwrap();
    }

    fn make(&mut self) {
        let cad = CadReader::default();
        let tools = Tools { backend: &Cpu, cad: &cad, watch: &|_, _| () };
        self.document.run(None, &tools, &Progress::silent()).unwrap();
    }

    fn rows(&self, name: &str) -> Vec<ResultRow> {
        rows(&self.document).into_iter().filter(|own| own.name == name).collect()
    }

    fn row(&self, name: &str, characteristic: &str) -> ResultRow {
        let mut rows = self.rows(name).into_iter();
        rows.find(|own| own.characteristic == characteristic).unwrap_or_else(|| panic!("{name}: {characteristic}"))
    }

    /// The verdict of rows together.
    fn verdict(&self, is_of: impl Fn(&ResultRow) -> bool) -> Option<Verdict> {
        rows(&self.document)
            .iter()
            .filter(|own| is_of(own))
            .filter_map(|own| own.verdict.verdict())
            .reduce(Verdict::and)
    }
}

fn near(figure: Option<f64>, wanted: f64, within: f64) {
    assert!(figure.is_some_and(|own| (own - wanted).abs() < within), "{figure:?} instead of {wanted}");
}

#[test]
fn features_stand_against_their_nominals_in_the_nominal_frame() {
    let mut block = Block::new();
    block.make();
    let bore = block.rows("bore");
    let characteristics: Vec<&str> = bore.iter().map(|own| &*own.characteristic).collect();
    assert_eq!(characteristics, ["Diameter", "Form error", "X", "Y", "Z", "Angle to the nominal"]);
    for (own, nominal, actual) in
        [(&bore[0], 10.0, 10.02), (&bore[2], 30.0, 30.03), (&bore[3], 20.0, 20.0), (&bore[4], 0.0, 0.0)]
    {
        near(own.nominal, nominal, 1e-12);
        near(own.actual, actual, 1e-3);
        near(own.deviation, actual - nominal, 1e-3);
        // Along its axis nothing determines where a bore is.
        let is_determined = own.characteristic != "Z";
        assert_eq!(own.uncertainty.is_some_and(|own| (0.0..2e-3).contains(&own)), is_determined, "{own:?}");
        assert!(own.verdict == RowVerdict::None && !own.is_check && own.lower.is_none() && own.upper.is_none());
    }
    let form = &bore[1];
    assert!(form.actual.is_some_and(|own| own > 0.0) && form.nominal.is_none() && form.deviation.is_none());
    near(block.row("lid", "Offset along the normal").deviation, 0.1, 1e-3);
    near(block.row("lid", "Angle to the nominal").actual, 0.0, 0.01);
    assert!((bore[0].at.unwrap() - Point::new(30.03, 20.0, 10.0)).norm() < 0.01, "{:?}", bore[0].at);
    // Without an up-to-date alignment nothing is compared with where it should be, sizes are.
    block.document.active.alignment = None;
    let bare = block.rows("bore");
    assert_eq!(bare.len(), 2, "{bare:?}");
    near(bare[0].deviation, 0.02, 1e-3);
}

#[test]
fn checks_pass_fail_and_are_in_doubt_as_the_overall_verdict_has_them() {
    let mut block = Block::new();
    for (name, feature, limit_mm) in
        [("good", "bore", 10.05), ("open", "bore", 10.03), ("bad", "bore", 9.95), ("wrong", "lid", 10.0)]
    {
        block.size(name, feature, limit_mm);
    }
    block.height("bare height", None);
    block.height("good height", Some(20.2));
    block.height("bad height", Some(20.05));
    block.make();
    let verdicts = |block: &Block, names: &[&str]| -> Vec<RowVerdict> {
        names.iter().map(|name| block.rows(name)[0].verdict).collect()
    };
    use RowVerdict::{Fail, InDoubt, NotJudged, Pass};
    assert_eq!(verdicts(&block, &["good", "open", "bad", "wrong"]), [Pass, InDoubt, Fail, NotJudged]);
    assert_eq!(verdicts(&block, &["bare height", "good height", "bad height"]), [RowVerdict::None, Pass, Fail]);
    let good = block.row("good", "Size");
    near(good.nominal, 10.0, 1e-12);
    near(good.deviation, 0.02, 1e-3);
    assert_eq!((good.lower, good.upper, good.uncertainty), (Some(9.9), Some(10.05), Some(0.02)));
    // What could not be judged stands with its sentence and without figures.
    let wrong = block.row("wrong", "Size");
    assert!(wrong.why.contains("a size needs a circle") && wrong.actual.is_none(), "{wrong:?}");
    let height = block.row("bad height", "Distance");
    near(height.nominal, 20.0, 1e-12);
    near(height.deviation, 0.1, 1e-3);
    assert!(height.uncertainty.is_some_and(|own| own > 0.0) && height.is_check);
    let component = |block: &Block, name: String| {
        let components = overall(&block.document).unwrap().components;
        components.into_iter().find(|own| own.name == name).map(|own| own.verdict)
    };
    let is_tolerance = |own: &ResultRow| own.characteristic == "Size";
    let is_measure = |own: &ResultRow| own.characteristic == "Distance";
    assert_eq!(block.verdict(is_tolerance), component(&block, texts::text!("verdict-tolerances")));
    assert_eq!(block.verdict(is_measure), component(&block, texts::text!("verdict-measures")));
    assert_eq!(block.verdict(|_| true), Some(overall(&block.document).unwrap().verdict));
    // A changed limit makes one stale, a changed selection everything that is made of it; nothing is dropped.
    let count = rows(&block.document).len();
    let id = block.id("good");
    block
        .document
        .change_recipe(id, |recipe| {
            if let Recipe::Tolerance(own) = recipe {
                own.asked.limit_mm = 10.06;
            }
        })
        .unwrap();
    block.document.refresh();
    let stale = block.row("good", "Size");
    assert!(stale.verdict == NotJudged && stale.why.contains("out of date") && stale.actual.is_none(), "{stale:?}");
    assert_eq!(rows(&block.document).len(), count);
    assert_eq!(verdicts(&block, &["open", "bad"]), [InDoubt, Fail]);
    assert_eq!(component(&block, texts::text!("verdict-tolerances")), Some(Verdict::Incomplete));
}

/// A feature that cannot be fitted says so; what needs it waits, and both stay in the table.
#[test]
fn what_failed_and_what_waits_for_it_say_why() {
    let mut block = Block::new();
    block.height("height", Some(20.2));
    let id = block.id("lid");
    let empty = Selection::Points(ScanPoints::of(Subset::default(), block.document.actual().unwrap()));
    block
        .document
        .change_recipe(id, |recipe| {
            if let Recipe::Feature(own) = recipe {
                own.selection = empty;
            }
        })
        .unwrap();
    block.make();
    let (lid, height) = (block.rows("lid"), block.rows("height"));
    assert!(lid.len() == 1 && lid[0].verdict == RowVerdict::NotJudged && lid[0].why.contains("points"), "{lid:?}");
    assert!(height[0].verdict == RowVerdict::NotJudged && height[0].why == "Waiting for “lid”.", "{height:?}");
    assert_eq!(overall(&block.document).unwrap().verdict, Verdict::Incomplete);
}

#[test]
fn dimensions_and_surface_points_have_a_row_each() {
    let mut block = Block::new();
    let scan = block.scan;
    let limits = Limits { low_mm: -0.05, high_mm: 0.05 };
    let dimension = |measured: f64, uncertainty: f64| MeasuredDimension {
        dimension: Dimension {
            kind: DimensionKind::Distance,
            plane: 0,
            picks: vec![[0.0, 0.0], [0.0, 20.0]],
            tolerance: Some(limits),
            extent_mm: None,
        },
        nominal: Ok(20.0),
        measured: Some(Ok(measured)),
        uncertainty: Some(uncertainty),
        line: Vec::new(),
    };
    let missing = MeasuredDimension { measured: Some(Err("there is no arc".to_owned())), ..dimension(0.0, 0.0) };
    let section = Section {
        parameters: section::Parameters::default(),
        planes: Vec::new(),
        edge: Vec::new(),
        is_compared: true,
        half_width_mm: 0.1,
        dimensions: vec![dimension(20.01, 0.01), dimension(20.045, 0.01), dimension(20.2, 0.01), missing],
        notes: Vec::new(),
    };
    let parameters = section.parameters.clone();
    let recipe = SectionRecipe { nominal: scan, scan: Some(scan), alignment: None, parameters };
    let id = block.document.plan.add("cut", recipe.into()).unwrap();
    block.document.store_result::<SectionRecipe>(id, Arc::new(section));
    let point = |name: &str, measured: Result<(f64, usize), String>| SurfacePoint {
        uncertainty_mm: measured.is_ok().then_some(0.01),
        name: name.to_owned(),
        direction: Direction::Normal,
        at: Point::origin(),
        measured,
    };
    let parameters = surface_points::Parameters { tolerance: limits, ..Default::default() };
    let points = vec![
        point("P1", Ok((0.02, 9))),
        point("P2", Ok((-0.07, 9))),
        point("P3", Err("P3 was not measured.".to_owned())),
        point("P4", Ok((0.045, 9))),
    ];
    let made = SurfacePoints { parameters: parameters.clone(), points };
    let recipe = SurfacePointsRecipe { nominal: scan, scan, alignment: None, parameters };
    let id = block.document.plan.add("points", recipe.into()).unwrap();
    block.document.store_result::<SurfacePointsRecipe>(id, Arc::new(made));
    use RowVerdict::{Fail, InDoubt, NotJudged, Pass};
    let (cut, points) = (block.rows("cut"), block.rows("points"));
    let verdicts = |rows: &[ResultRow]| rows.iter().map(|own| own.verdict).collect::<Vec<_>>();
    // The contours themselves were not measured.
    assert_eq!(verdicts(&cut), [NotJudged, Pass, InDoubt, Fail, NotJudged]);
    assert_eq!(verdicts(&points), [Pass, Fail, NotJudged, InDoubt]);
    near(points[0].uncertainty, 0.01, 1e-12);
    assert_eq!((cut[1].title().as_str(), points[1].title().as_str()), ("cut · Distance 1", "points · P2"));
    near(cut[1].deviation, 0.01, 1e-12);
    near(cut[1].upper, 20.05, 1e-12);
    assert!(cut[4].actual.is_none() && cut[4].why.starts_with("Not measured, there is no arc"), "{:?}", cut[4]);
    near(points[1].deviation, -0.07, 1e-12);
    assert_eq!(points[2].why, "P3 was not measured.");
    let of = |name: &str| block.verdict(|own| own.name == name);
    let components = overall(&block.document).unwrap().components;
    for name in ["cut", "points"] {
        let own = components.iter().find(|own| own.name == name).map(|own| own.verdict);
        assert_eq!(of(name), own, "{name}");
    }
}

#[test]
fn figures_are_written_in_the_unit_that_is_shown() {
    let block = Block::new();
    let element = block.document.plan.by_name("lid").unwrap();
    let row = ResultRow::new(element, "Distance", "mm").measured(Some(25.4), Some(50.8), None);
    assert_eq!(row.written(row.actual, LengthUnit::Mm, false), "50.8000");
    assert_eq!(row.written(row.deviation, LengthUnit::Inch, true), "+1.00000");
    assert_eq!((row.written(None, LengthUnit::Mm, true), row.shown_unit(LengthUnit::Inch)), (String::new(), "inch"));
    let angle = ResultRow::new(element, "Angle", "°").measured(None, Some(-0.000_01), None);
    assert_eq!(
        (angle.written(angle.actual, LengthUnit::Inch, true).as_str(), angle.shown_unit(LengthUnit::Inch)),
        ("0.0000", "°")
    );
    assert!(ResultRow::new(element, "In tolerance", "%").measured(None, Some(f64::NAN), None).actual.is_none());
}
