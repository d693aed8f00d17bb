//! A block of 40 x 30 x 20 mm with its top, its bottom and two sides as features.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::*;
use crate::plan::Plan;
use base::LengthUnit;
use compute::cpu::Cpu;
use compute::{Backend, Device};
use geometry::mesh::shapes;
use geometry::{Cloud, Point, Pose, Subset};
use inspect::alignment::{AlignmentRecipe, Refinement, Start};
use inspect::deviation::{self, Check, ComparisonRecipe, Verdict};
use inspect::features::constructions::Construction;
use inspect::features::fitting::Fitting;
use inspect::features::measured::MeasuredFeature;
use inspect::features::recipe::{ConstructionRecipe, FeatureRecipe};
use inspect::features::{Element as Geometry, Kind};
use inspect::parts::{Nominal, NominalRecipe, ScanRecipe};
use inspect::recipe::ElementId;
use inspect::selection::{Anchors, FacetSelection, ScanPoints, Selection};
use inspect::tolerances::measure::{Measure, MeasureRecipe, Quantity};
use inspect::tolerances::recipe::{DatumRecipe, ToleranceRecipe};
use inspect::tolerances::{Characteristic, Judged, Tolerance, Zone};
use io::SourceFile;
use io::cad::CadReader;
use io::write;

/// The CPU backend, recording the steps it was asked to run.
#[derive(Default)]
struct Counting(Mutex<Vec<&'static str>>);

impl Backend for Counting {
    fn device(&self) -> Device {
        Cpu.device()
    }

    fn notify_start(&self, step: &'static str) {
        self.0.lock().unwrap().push(step);
    }
}

/// A plan on files in a folder, and the ids of its elements.
struct Block {
    folder: tempfile::TempDir,
    plan: Plan,
    alignment: ElementId,
    comparison: ElementId,
    strict: ElementId,
    top: ElementId,
    bottom: ElementId,
    height: ElementId,
    mid_plane: ElementId,
    parallel: ElementId,
}

const SIZE: [f64; 3] = [40.0, 30.0, 20.0];

fn true_pose() -> Pose {
    Pose::new(vector(0.4, -0.3, 0.2), vector(0.01, -0.015, 0.02))
}

fn vector(x: f64, y: f64, z: f64) -> geometry::Vector {
    geometry::Vector::new(x, y, z)
}

/// Points on all faces at a spacing of 1 mm, the top face raised, in the scan frame.
fn scan(folder: &Path, name: &str, top_raised_mm: f64, nominal_from_scan: &Pose) -> PathBuf {
    let mut points = Vec::new();
    let steps = |size: f64| (0..size as usize).map(|i| i as f64 + 0.5);
    for (axis, along, across) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        for side in [0.0, SIZE[axis]] {
            for a in steps(SIZE[along]) {
                for b in steps(SIZE[across]) {
                    let mut point = [0.0; 3];
                    let raised = if axis == 2 && side > 0.0 { top_raised_mm } else { 0.0 };
                    (point[axis], point[along], point[across]) = (side + raised, a, b);
                    points.push(nominal_from_scan.inverse() * Point::from(point));
                }
            }
        }
    }
    let path = folder.join(name);
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    path
}

impl Block {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cad = folder.path().join("block.stl");
        write::mesh(&cad, &shapes::cuboid(Point::origin(), SIZE.into())).unwrap();
        let source = SourceFile::of(&cad, Some(LengthUnit::Mm), None).unwrap();
        let read = Nominal::read(&cad, None, CadReader::default(), &Progress::silent()).unwrap();
        let mut plan = Plan::default();
        let nominal = NominalRecipe { source, chord_mm: 0.005, angle_deg: 5.0, steps: Vec::new() };
        let nominal = plan.add("Block", nominal.into()).unwrap();
        let scan = plan.add("Scan", ScanRecipe::default().into()).unwrap();
        let parameters = inspect::alignment::best_fit::Parameters::default();
        let (start, refinement) = (Start::Pose(Pose::identity()), Refinement::BestFit { parameters, gate_mm: None });
        let alignment = plan.add("Best fit", AlignmentRecipe { nominal, scan, start, refinement }.into()).unwrap();
        let mut compare = |name: &str, limit_mm: f64| {
            let mut parameters = deviation::Parameters::default();
            (parameters.tolerance.low_mm, parameters.tolerance.high_mm) = (-limit_mm, limit_mm);
            let recipe = ComparisonRecipe { nominal, scan, alignment: Some(alignment), parameters, scale_mm: 1.0 };
            plan.add(name, recipe.into()).unwrap()
        };
        let (comparison, strict) = (compare("Surface", 0.5), compare("Surface, strict", 0.05));
        let mut face = |name: &str, is_it: &dyn Fn(&geometry::Vector) -> bool| {
            let mesh = read.surface.mesh();
            let facets = Subset::new((0..12).filter(|facet| is_it(&mesh.normal(*facet as usize))).collect());
            let selection = Selection::Facets(FacetSelection {
                nominal,
                alignment,
                anchors: Anchors::of(&facets, &read),
                facets,
                max_distance_mm: 1.0,
                max_angle_deg: 90.0,
            });
            let fitting = Fitting::of(Kind::Plane);
            let recipe = FeatureRecipe {
                scan,
                selection,
                fitting,
                plane: None,
                parallel_to: Vec::new(),
                nominal: None,
                nominal_from: None,
            };
            plan.add(name, recipe.into()).unwrap()
        };
        let (top, bottom) = (face("Top", &|normal| normal.z > 0.9), face("Bottom", &|normal| normal.z < -0.9));
        let height = MeasureRecipe {
            quantity: Quantity::Distance,
            from: bottom,
            to: top,
            lower: Some(19.9),
            upper: Some(20.1),
            min_coverage: None,
            of_cad: false,
        };
        let height = plan.add("Height", height.into()).unwrap();
        let construction = Construction::Middle;
        let mid_plane =
            ConstructionRecipe { construction, sources: vec![top, bottom], nominal: None, nominal_from: None };
        let mid_plane = plan.add("Mid-plane", mid_plane.into()).unwrap();
        let a = plan
            .add("A", DatumRecipe { letter: "A".into(), feature: Some(bottom), name: String::new() }.into())
            .unwrap();
        let tolerance = Tolerance {
            name: String::new(),
            feature: String::new(),
            characteristic: Characteristic::Parallelism { zone: Zone::default() },
            limit_mm: 0.05,
            fit: None,
            datums: Vec::new(),
            maximum_material: None,
            expanded_uncertainty_mm: None,
            filter_mm: None,
            filter_upr: None,
            outlier_sigmas: None,
            min_coverage: None,
        };
        let parallel =
            ToleranceRecipe { feature: Some(top), datums: vec![Some(a).into()], ..ToleranceRecipe::new(tolerance) };
        let parallel = plan.add("Parallel", parallel.into()).unwrap();
        Self { folder, plan, alignment, comparison, strict, top, bottom, height, mid_plane, parallel }
    }

    fn stage(&self, name: &str, top_raised_mm: f64, pose: &Pose) -> Stage {
        Stage::of(name.into(), &[scan(self.folder.path(), &format!("{name}.ply"), top_raised_mm, pose)]).unwrap()
    }
}

/// A scan of which the bottom is seen on a fifth.
fn fifth_of_bottom(block: &Block, name: &str) -> Stage {
    let path = scan(block.folder.path(), &format!("{name}-whole.ply"), 0.0, &true_pose());
    let loaded = io::load_scan(&path, &io::LoadOptions::default(), &Progress::silent()).unwrap();
    let is_seen = |own: &&Point| {
        let there = true_pose() * **own;
        there.z.abs() > 1e-6 || there.x < 0.2 * SIZE[0]
    };
    let points = loaded.cloud.points.iter().filter(is_seen).copied().collect();
    let path = block.folder.path().join(format!("{name}.ply"));
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    Stage::of(name.into(), &[path]).unwrap()
}

#[test]
fn what_refers_to_a_datum_that_was_seen_on_a_fifth_is_not_judged() {
    let mut block = Block::new();
    let mut stage = fifth_of_bottom(&block, "fifth");
    run_all(&block.plan, &mut stage, &Cpu);
    let bottom = stage.results.get::<MeasuredFeature>(block.bottom).unwrap();
    let coverage = bottom.coverage.unwrap();
    assert!((0.18..0.3).contains(&coverage.share) && (coverage.gap_mm - 32.5).abs() < 1.0, "{coverage:?}");
    assert_eq!(stage.results.get::<MeasuredFeature>(block.top).unwrap().coverage.unwrap().share, 1.0);
    let parallel = stage.results.get::<Judged>(block.parallel).unwrap();
    assert!(
        parallel.words() == "incomplete" && parallel.incomplete.starts_with("“Bottom” was seen on 2"),
        "{parallel:?}"
    );
    let height = stage.results.get::<Measure>(block.height).unwrap();
    assert!(height.words() == Some("incomplete") && height.incomplete.starts_with("“Bottom”"), "{height:?}");
    let verdict = |stage: &Stage, id| stage.results.made(id).unwrap().verdict;
    for id in [block.parallel, block.height] {
        assert_eq!(verdict(&stage, id), Some(Verdict::Incomplete));
    }
    // The middle of both faces rests on the worse of them.
    let middle = stage.results.get::<MeasuredFeature>(block.mid_plane).unwrap();
    assert_eq!(middle.coverage, Some(coverage));

    // As much as is stated suffices.
    for id in [block.parallel, block.height] {
        let mut recipe = block.plan.get(id).unwrap().recipe.clone();
        match &mut recipe {
            Recipe::Tolerance(own) => own.asked.min_coverage = Some(0.15),
            Recipe::Measure(own) => own.min_coverage = Some(0.15),
            _ => panic!(),
        }
        block.plan.set_recipe(id, recipe).unwrap();
    }
    run_all(&block.plan, &mut stage, &Cpu);
    for id in [block.parallel, block.height] {
        assert_eq!(verdict(&stage, id), Some(Verdict::Pass));
    }
}

fn run_all(plan: &Plan, stage: &mut Stage, backend: &dyn Backend) {
    let cad = CadReader::default();
    let tools = Tools { backend, cad: &cad, watch: &|_, _| () };
    stage.results = run(plan, stage, None, &tools, &Progress::silent()).unwrap();
}

#[test]
fn a_plan_measures_every_part_alike() {
    let block = Block::new();
    for (name, raised_mm) in [("one", 0.0), ("two", 0.3)] {
        let mut stage = block.stage(name, raised_mm, &true_pose());
        run_all(&block.plan, &mut stage, &Cpu);
        let fingerprints = block.plan.fingerprints(&stage.sources);
        for element in block.plan.elements() {
            assert_eq!(stage.results.state(element.id, &block.plan, &fingerprints), State::Fresh, "{}", element.name);
        }
        let height = stage.results.get::<Measure>(block.height).unwrap();
        // The centroid of the top's points, measured from the bottom plane.
        assert!((height.figure.value - 20.0 - raised_mm).abs() < 1e-6, "{height:?}");
        let top = stage.results.get::<MeasuredFeature>(block.top).unwrap();
        assert_eq!(top.numbers.len(), 1200, "the points of the top and of nothing else");
        let mid_plane = stage.results.get::<MeasuredFeature>(block.mid_plane).unwrap();
        let expected = true_pose().inverse() * Point::new(20.0, 15.0, 10.0 + 0.5 * raised_mm);
        let Geometry::Shape(shape) = mid_plane.element else { panic!("{mid_plane:?}") };
        let distance = (expected - shape.position()).dot(&shape.direction().unwrap());
        assert!(distance.abs() < 1e-6, "{distance}");
        assert!(stage.results.get::<Judged>(block.parallel).unwrap().measured_mm < 1e-6);
        let verdict = |id| stage.results.made(id).unwrap().verdict;
        let (good, bad) = (Some(Verdict::Pass), Some(Verdict::Fail));
        assert_eq!(verdict(block.comparison), good);
        let expected = if raised_mm == 0.0 { good } else { bad };
        assert_eq!((verdict(block.strict), verdict(block.height)), (expected, expected));
        assert_eq!(stage.results.verdict(&block.plan), expected);
    }
}

#[test]
fn only_what_is_stale_is_made_again() {
    let mut block = Block::new();
    let counting = Counting::default();
    let mut stage = block.stage("part", 0.0, &true_pose());
    run_all(&block.plan, &mut stage, &counting);
    counting.0.lock().unwrap().clear();
    run_all(&block.plan, &mut stage, &counting);
    assert!(counting.0.lock().unwrap().is_empty(), "nothing has changed");

    // A changed limit: that comparison is judged again, nothing is measured.
    let before = stage.results.clone();
    let Some(Recipe::Comparison(recipe)) = block.plan.get(block.strict).map(|own| own.recipe.clone()) else { panic!() };
    let mut looser = *recipe;
    looser.parameters.tolerance.high_mm = 0.06;
    block.plan.set_recipe(block.strict, looser.into()).unwrap();
    let fingerprints = block.plan.fingerprints(&stage.sources);
    let stale = |stage: &Stage| -> Vec<ElementId> {
        let is_stale = |id: &ElementId| stage.results.state(*id, &block.plan, &fingerprints) == State::Stale;
        block.plan.elements().iter().map(|own| own.id).filter(is_stale).collect()
    };
    assert_eq!(stale(&stage), [block.strict]);
    run_all(&block.plan, &mut stage, &counting);
    let steps = std::mem::take(&mut *counting.0.lock().unwrap());
    assert!(!steps.iter().any(|step| step.contains("deviations") || step.contains("Registering")), "{steps:?}");
    let check = |results: &Results| results.get::<Check>(block.strict).unwrap();
    assert!(Arc::ptr_eq(&check(&before).measurement, &check(&stage.results).measurement));
    assert!(!Arc::ptr_eq(&check(&before), &check(&stage.results)));
    let other = |results: &Results| results.get::<Check>(block.comparison).unwrap();
    assert!(Arc::ptr_eq(&other(&before), &other(&stage.results)));

    // A changed alignment: everything that depends on it, but neither nominal nor scan.
    let Some(Recipe::Alignment(recipe)) = block.plan.get(block.alignment).map(|own| own.recipe.clone()) else {
        panic!()
    };
    let shifted = AlignmentRecipe { start: Start::Pose(Pose::translation(0.01, 0.0, 0.0)), ..*recipe };
    block.plan.set_recipe(block.alignment, shifted.into()).unwrap();
    let before = stage.results.clone();
    run_all(&block.plan, &mut stage, &counting);
    for element in block.plan.elements() {
        let is_same = Arc::ptr_eq(before.made(element.id).unwrap(), stage.results.made(element.id).unwrap());
        let depends_on_it =
            element.id == block.alignment || block.plan.dependents(block.alignment).contains(&element.id);
        assert_eq!(is_same, !depends_on_it, "{}", element.name);
    }
}

#[test]
fn the_next_part_keeps_the_nominal_and_points_of_one_scan_say_so() {
    let mut block = Block::new();
    let mut first = block.stage("first", 0.0, &true_pose());
    run_all(&block.plan, &mut first, &Cpu);
    let scan_id = block.plan.by_name("Scan").unwrap().id;
    let actual = first.results.get(scan_id).unwrap();
    let numbers = first.results.get::<MeasuredFeature>(block.top).unwrap().numbers.clone();
    let bare = FeatureRecipe {
        scan: scan_id,
        selection: Selection::Points(ScanPoints::of(numbers, &actual)),
        fitting: Fitting::of(Kind::Plane),
        plane: None,
        parallel_to: Vec::new(),
        nominal: None,
        nominal_from: None,
    };
    let bare = block.plan.add("Bare", bare.into()).unwrap();
    let tilt = MeasureRecipe {
        quantity: Quantity::Distance,
        from: block.bottom,
        to: bare,
        lower: None,
        upper: None,
        min_coverage: None,
        of_cad: false,
    };
    let tilt = block.plan.add("Of bare", tilt.into()).unwrap();
    run_all(&block.plan, &mut first, &Cpu);
    assert!(first.results.made(tilt).is_some());

    let mut second = block.stage("second", 0.1, &Pose::identity());
    second.results = first.results.clone();
    run_all(&block.plan, &mut second, &Cpu);
    let nominal = block.plan.by_name("Block").unwrap().id;
    assert!(Arc::ptr_eq(first.results.made(nominal).unwrap(), second.results.made(nominal).unwrap()));
    let fingerprints = block.plan.fingerprints(&second.sources);
    let state = |id| second.results.state(id, &block.plan, &fingerprints);
    assert!(matches!(state(bare), State::Failed(sentence) if sentence.contains("another scan")));
    assert_eq!(state(tilt), State::Waits(vec!["Bare".into()]));
    assert_eq!(state(block.height), State::Fresh);
    assert_eq!(second.results.verdict(&block.plan), Some(Verdict::Fail), "what fails outweighs what is open");
}

#[test]
fn a_cancel_changes_nothing_and_a_missing_file_names_itself() {
    let block = Block::new();
    let stage = block.stage("part", 0.0, &true_pose());
    let cad = CadReader::default();
    let tools = Tools { backend: &Cpu, cad: &cad, watch: &|_, _| () };
    let cancelled = Progress::new(Arc::new(true.into()), |_, _| ());
    let error = run(&block.plan, &stage, None, &tools, &cancelled).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Cancelled);
    std::fs::remove_file(block.folder.path().join("block.stl")).unwrap();
    let results = run(&block.plan, &stage, None, &tools, &Progress::silent()).unwrap();
    let fingerprints = block.plan.fingerprints(&stage.sources);
    let nominal = block.plan.by_name("Block").unwrap().id;
    assert!(
        matches!(results.state(nominal, &block.plan, &fingerprints), State::Failed(own) if own.contains("block.stl"))
    );
    assert_eq!(
        results.state(block.comparison, &block.plan, &fingerprints),
        State::Waits(vec!["Block".into(), "Best fit".into()])
    );
}

#[test]
fn a_file_of_the_plan_measures_to_the_bit_the_same() {
    let block = Block::new();
    let path = block.folder.path().join("block.sgplan");
    block.plan.save(&path).unwrap();
    let (again, notes) = Plan::load(&path).unwrap();
    assert_eq!((&again, notes), (&block.plan, Vec::new()));
    let mut stages = [&block.plan, &again].map(|plan| {
        let mut stage = block.stage("part", 0.07, &true_pose());
        run_all(plan, &mut stage, &Cpu);
        stage
    });
    let [one, other] = stages.each_mut();
    for element in block.plan.elements() {
        let figures = |stage: &Stage| stage.results.made(element.id).unwrap().figures.clone();
        assert_eq!(figures(one), figures(other), "{}", element.name);
    }
}
