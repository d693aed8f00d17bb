//! Whatever is asked for in whatever order: nothing dangles, undo and redo lead through the same states both ways, and
//! what is saved opens as it was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand_like::Draws;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::merge::MergeOptions;
use shadowgraph::dispatch::monitoring::Monitoring;
use shadowgraph::dispatch::probe::Probe;
use shadowgraph::dispatch::{
    Align, Calibrate, Command, Dispatcher, Elements, Features, Inspect, Merge, Offset, Parts, Projects, Sections,
    Select, Tolerances, Visibility,
};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point, Pose, Vector};
use shadowgraph::inspect::alignment::Method;
use shadowgraph::inspect::alignment::point_pairs::PointPair;
use shadowgraph::inspect::calibration::repeatability::Machine;
use shadowgraph::inspect::calibration::{ArtefactKind, Handedness};
use shadowgraph::inspect::cleaning::Step;
use shadowgraph::inspect::deviation::Tolerance;
use shadowgraph::inspect::features::constructions::Construction;
use shadowgraph::inspect::features::fits::weights::Weights;
use shadowgraph::inspect::features::measured::MeasuredFeature;
use shadowgraph::inspect::features::measures::AngleConvention;
use shadowgraph::inspect::features::{Element, Kind, Objective};
use shadowgraph::inspect::main_alignment::reference_points::Direction;
use shadowgraph::inspect::main_alignment::{
    DatumAssociation, MainMethod, ReferencePoint, ReferencePoints, ToleranceFit,
};
use shadowgraph::inspect::offset::{ContactRecipe, FieldRecipe, Parameters, contact, field};
use shadowgraph::inspect::section::{self, Placement};
use shadowgraph::inspect::thickness::{self, Between, Method as ByWhat, ThicknessRecipe};
use shadowgraph::inspect::tolerances::Plan;
use shadowgraph::inspect::tolerances::measure::{MeasureRecipe, Quantity};
use shadowgraph::io::write;
use shadowgraph::render::selecting::Brushed;
use shadowgraph::session::Document;
use shadowgraph::session::calibration::Instrument;
use shadowgraph::session::calibration::monitoring::CalibrationMonitoring;
use shadowgraph::session::pipeline::State;
use shadowgraph::session::plan::{ElementId, Recipe};
use shadowgraph::session::probing;
use shadowgraph::session::project::Project;
use shadowgraph::session::selection::Selectable;

use super::support::context;

/// Draws from a seed, so that a failure can be had again.
mod rand_like {
    pub struct Draws(pub u64);

    impl Draws {
        /// From 0 to below `end` (splitmix64).
        pub fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ (mixed >> 31)) % end
        }

        pub fn share(&mut self) -> f64 {
            self.below(1 << 20) as f64 / f64::from(1 << 20)
        }

        pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
            choices[self.below(choices.len() as u64) as usize].clone()
        }
    }
}

struct Files {
    folder: tempfile::TempDir,
    nominals: Vec<PathBuf>,
    scans: Vec<PathBuf>,
    /// A snapshot of an artefact, and what the CMM probed of it.
    snapshot: PathBuf,
    touches: PathBuf,
    /// Snapshots to be merged, with the positions of the CMM.
    positions: PathBuf,
    /// Holes to be probed, and points that were.
    holes: PathBuf,
    probed: PathBuf,
}

/// Two blocks, and scans of them.
fn files() -> Files {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (mut nominals, mut scans) = (Vec::new(), Vec::new());
    for (number, height) in [(1, 8.0), (2, 9.0)] {
        nominals.push(path(&format!("block {number}.stl")));
        write::mesh(nominals.last().unwrap(), &shapes::cuboid(Point::origin(), Point::new(20.0, 12.0, height)))
            .unwrap();
        let mut points = Vec::new();
        for (u, v) in (0..400).map(|i| (f64::from(i % 20) + 0.5, f64::from(i / 20) * 0.6 + 0.3)) {
            points.extend([Point::new(u, v, height), Point::new(u, v, 0.0)]);
            points.extend([Point::new(0.0, v, height * u / 20.0), Point::new(u, 12.0, height * v / 12.0)]);
        }
        let mut cloud = Cloud::from_points(points);
        cloud.transform(&Pose::new(Vector::new(0.3, -0.2, 0.1), Vector::new(0.01, 0.02, -0.01)));
        scans.push(path(&format!("scan {number}.ply")));
        write::cloud(scans.last().unwrap(), &cloud).unwrap();
    }
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/projects");
    let [positions, probed] = ["positions.csv", "probed.csv"].map(path);
    let [_, second] = &scans[..] else { unreachable!() };
    let second = second.file_name().unwrap().to_str().unwrap();
    std::fs::write(&positions, format!("file,x,y,z\nscan 1.ply,0,0,0\n{second},1,0,0\n")).unwrap();
    std::fs::write(&probed, "hole,surface_x_mm,surface_y_mm,surface_z_mm,face\nbore,15,25,9,wall\nbore,20,20,9,wall\n")
        .unwrap();
    let [snapshot, touches, holes] = ["snapshot.ply", "touches.csv", "holes.csv"].map(|name| samples.join(name));
    Files { folder, nominals, scans, snapshot, touches, positions, holes, probed }
}

fn some(draws: &mut Draws, count: usize) -> Subset {
    let start = draws.below(count as u64) as u32;
    let every = 1 + draws.below(4) as u32;
    Subset::new((0..200).map(|i| start + i * every).filter(|number| (*number as usize) < count).collect())
}

fn names(draws: &mut Draws, document: &Document) -> Vec<String> {
    let known = document.element_names();
    if known.is_empty() {
        return vec!["nothing".into()];
    }
    (0..1 + draws.below(3)).map(|_| draws.one_of(&known)).collect()
}

fn tolerances(draws: &mut Draws, document: &Document) -> Plan {
    let (feature, datum) = (names(draws, document).remove(0), names(draws, document).remove(0));
    let kind = draws.one_of(&["flatness", "parallelism", "perpendicularity", "position", "profile", "size"]);
    let datums = if draws.below(2) == 0 { r#", "datums": ["A"]"# } else { "" };
    let limit = draws.share();
    Plan::from_json(&format!(
        r#"{{ "datums": {{ "A": "{datum}" }},
            "tolerances": [{{ "feature": "{feature}", "characteristic": "{kind}", "limit_mm": {limit} {datums} }}] }}"#
    ))
    .unwrap()
}

/// A change of some element.
fn changed(draws: &mut Draws, document: &Document) -> Command {
    let ids: Vec<ElementId> = document.plan.elements().iter().map(|own| own.id).collect();
    if ids.is_empty() {
        return Elements::Update(None).into();
    }
    let id = draws.one_of(&ids);
    match draws.below(8) {
        0 | 1 => Elements::Remove(id).into(),
        2 => Elements::Rename(id, draws.one_of(&["One", "Other", "Plane 1", ""]).into()).into(),
        3 => Elements::MoveTo(id, draws.below(12) as usize).into(),
        4 => Elements::Update(None).into(),
        5 => Features::OnFaces(id).into(),
        6 => Inspect::Show(id).into(),
        _ => Elements::Update(Some(id)).into(),
    }
}

/// Another element.
fn added(draws: &mut Draws, document: &Document) -> Command {
    match draws.below(4) {
        0 => return Inspect::AddComparison.into(),
        1 => {
            let (name, high_mm) = (draws.one_of(&["Seat", "Rim"]).to_owned(), 0.01 + draws.share());
            return Inspect::AddOwnTolerance { name, tolerance: Tolerance { low_mm: -0.1, high_mm } }.into();
        }
        _ => {}
    }
    let ids: Vec<ElementId> = document.plan.elements().iter().map(|own| own.id).collect();
    if ids.is_empty() {
        return Tolerances::Judge.into();
    }
    let (from, to) = (draws.one_of(&ids), draws.one_of(&ids));
    let upper = (draws.below(2) == 0).then(|| 20.0 * draws.share());
    let quantity = draws.one_of(&[Quantity::Distance, Quantity::Angle(AngleConvention::Acute)]);
    let recipe = MeasureRecipe { quantity, from, to, lower: None, upper, min_coverage: None, of_cad: false };
    Elements::Add("Measure".into(), Box::new(recipe.into())).into()
}

/// A main alignment by reference points, by elements of any kind, on facets, or within tolerance.
fn about_alignments(draws: &mut Draws, document: &Document) -> Command {
    let ids: Vec<ElementId> = document.plan.elements().iter().map(|own| own.id).collect();
    if ids.is_empty() {
        return Align::Run(Method::BestFit).into();
    }
    let to = match draws.below(4) {
        0 => {
            let on_top = |i: usize| {
                let point = Point::new(20.0 * draws.share(), 12.0 * draws.share(), 8.0);
                let mut own = ReferencePoint::held_along(format!("R{i}"), point, Direction::ALL[i % 4]);
                own.hold(Direction::Z, true);
                own
            };
            let points = (0..4).map(on_top).collect();
            MainMethod::ReferencePoints(ReferencePoints { points, radius_mm: 3.0 })
        }
        1 | 2 => {
            let datums = (0..=draws.below(3)).map(|_| draws.one_of(&ids).into()).collect();
            let association = draws.one_of(&[DatumAssociation::Contacting, DatumAssociation::Fitted]);
            MainMethod::DatumSystem { datums, association }
        }
        _ => {
            let tolerance = Tolerance { low_mm: -0.1, high_mm: 0.1 };
            MainMethod::WithinTolerance(ToleranceFit { tolerance, max_distance_mm: 2.0, max_angle_deg: 60.0 })
        }
    };
    match draws.below(4) {
        0 => Align::MeasureIn(draws.one_of(&ids)).into(),
        1 => Align::ChangeMain(draws.one_of(&ids), to).into(),
        _ => Align::AddMain(to).into(),
    }
}

/// A command of the rooms about the machine and its sensor.
fn about_volumes(draws: &mut Draws, document: &Document) -> Command {
    let parameters = Parameters {
        distance_mm: 4.0 * draws.share() - 2.0,
        resolution: 16 + draws.below(16) as u32,
        ..Parameters::default()
    };
    let is_offset = |own: &&Arc<shadowgraph::session::plan::Element>| matches!(own.recipe, Recipe::Offset(_));
    let volumes: Vec<ElementId> = document.plan.elements().iter().filter(is_offset).map(|own| own.id).collect();
    let others = |own: &&Arc<shadowgraph::session::plan::Element>| {
        matches!(own.recipe, Recipe::Field(_) | Recipe::Thickness(_) | Recipe::Contact(_))
    };
    let others: Vec<ElementId> = document.plan.elements().iter().filter(others).map(|own| own.id).collect();
    if let Some(nominal) = document.active.nominal.filter(|_| draws.below(3) == 0) {
        let reach_mm = 0.5 + draws.share();
        let recipe: Recipe = match draws.below(3) {
            1 => {
                let parameters = contact::Parameters { margin_mm: draws.share(), resolution: 20, ..Default::default() };
                ContactRecipe { nominal, parameters }.into()
            }
            0 => FieldRecipe { nominal, parameters: field::Parameters { reach_mm, resolution: 32 } }.into(),
            _ => ThicknessRecipe { nominal, parameters: thickness(draws) }.into(),
        };
        return match others.len() {
            2.. => Elements::SetRecipe(draws.one_of(&others), Box::new(recipe)).into(),
            _ => Elements::Add("Distances".into(), Box::new(recipe)).into(),
        };
    }
    match volumes.len() {
        0 => Offset::Add(parameters).into(),
        1..=3 if draws.below(3) == 0 => Offset::AddOfScan(parameters, draws.one_of(&[None, Some(1.0)])).into(),
        1 | 2 if draws.below(3) == 0 => Offset::AddToleranceShells(parameters).into(),
        _ => Offset::Change(draws.one_of(&volumes), parameters).into(),
    }
}

fn about_sections(draws: &mut Draws, document: &Document) -> Command {
    let axis = draws.below(3) as usize;
    let parameters = section::Parameters {
        // Some meet nothing.
        placement: Placement::Axis { axis, at_mm: 12.0 * draws.share() },
        count: 1 + draws.below(3) as usize,
        spacing_mm: 2.0,
        ..section::Parameters::default()
    };
    let is_section = |own: &&Arc<shadowgraph::session::plan::Element>| matches!(own.recipe, Recipe::Section(_));
    let sections: Vec<ElementId> = document.plan.elements().iter().filter(is_section).map(|own| own.id).collect();
    match sections.len() {
        0 | 1 => Sections::Add(parameters).into(),
        _ => Sections::Change(draws.one_of(&sections), parameters).into(),
    }
}

fn thickness(draws: &mut Draws) -> thickness::Parameters {
    thickness::Parameters {
        between: draws.one_of(&[Between::Material, Between::Air]),
        method: draws.one_of(&[ByWhat::Ball, ByWhat::Ray]),
        max_mm: 1.0 + 20.0 * draws.share(),
        min_mm: draws.share(),
        max_thickness_mm: draws.one_of(&[None, Some(1.0)]),
        min_coverage: draws.share(),
        spacing_mm: Some(2.0 + draws.share()),
    }
}

fn about_the_machine(draws: &mut Draws, document: &Document, files: &Files) -> Command {
    let instrument = draws.one_of(&Instrument::ALL);
    let region = draws.below(7) as usize;
    match draws.below(18) {
        0 | 1 => {
            let mut setup = document.calibration.setup.clone();
            setup.artefact = draws.one_of(&[ArtefactKind::default(), ArtefactKind::default(), ArtefactKind::Sphere]);
            setup.handedness = draws.one_of(&[Handedness::Left, Handedness::Left, Handedness::Right]);
            setup.probe_radius_mm = draws.one_of(&[None, Some(1.5), Some(1.5)]);
            setup.position_mm = [draws.share(), 0.0, 0.0];
            setup.mechanical.limit_deg = 0.01 + draws.share();
            Calibrate::SetUp(Box::new(setup)).into()
        }
        2..=4 => {
            let path = if instrument == Instrument::Sensor { &files.snapshot } else { &files.touches };
            Calibrate::OpenMeasurement { instrument, path: path.clone() }.into()
        }
        5 => {
            let count = document.calibration.of(instrument).actual.as_ref().map_or(10, |own| own.cloud.points.len());
            let stroke = Brushed::Points(some(draws, count.max(1)));
            let how = draws.one_of(&[Combine::Add, Combine::Remove, Combine::Replace]);
            Calibrate::BrushRegion { instrument, region, stroke, how }.into()
        }
        6 => draws.one_of(&[Calibrate::ClearRegion(instrument, region), Calibrate::ForgetSnapshot(region)]).into(),
        7 => Calibrate::FindRegions.into(),
        8 => Calibrate::KeepSnapshot.into(),
        9 | 10 => Calibrate::Run.into(),
        11 => {
            let log = draws.one_of(&[None, Some(files.folder.path().join("calibrations.jsonl"))]);
            let machine = Machine { warm_up_minutes: draws.share(), ..Machine::default() };
            let monitoring = CalibrationMonitoring { log, certificate: None, machine };
            Command::Monitoring(Monitoring::Set(Box::new(monitoring)))
        }
        12 => Command::Monitoring(draws.one_of(&[Monitoring::ReadLog, Monitoring::AddToLog])),
        13 => {
            let options = MergeOptions { reason: Some("a trial".into()), refine: None };
            Merge { table: files.positions.clone(), options }.into()
        }
        14 => Probe::OpenHoles(files.holes.clone()).into(),
        15 => {
            let setup =
                probing::Setup { probe_radius_mm: draws.one_of(&[None, Some(1.0)]), ..probing::Setup::default() };
            Probe::Begin(Box::new(setup)).into()
        }
        16 => Probe::Take(files.probed.clone()).into(),
        _ => Probe::Write(files.folder.path().join("targets")).into(),
    }
}

fn drawn(draws: &mut Draws, document: &Document, files: &Files) -> Command {
    let of = draws.one_of(&Selectable::ALL);
    let count = document.count(of).unwrap_or(10).max(1);
    let how = draws.one_of(&[Combine::Add, Combine::Remove, Combine::Replace]);
    let (robust, clip_sigmas) = (draws.below(8) == 0, draws.one_of(&[None, Some(3.0)]));
    match draws.below(49) {
        0 => match draws.below(4) {
            0 => Parts::AddNominal { path: draws.one_of(&files.nominals), unit: None }.into(),
            1 => Inspect::IdentifyPart { serial: draws.one_of(&["", "0007", "0008"]).into() }.into(),
            _ => Parts::OpenNominal { path: draws.one_of(&files.nominals), unit: None }.into(),
        },
        1 => Parts::OpenScans { paths: vec![draws.one_of(&files.scans)], unit: None, columns: None }.into(),
        2 => Parts::CleanScan(draws.one_of(&[Step::OUTLIERS, Step::Normals])).into(),
        3 => draws.one_of(&[Command::from(Parts::UnifyWinding), Parts::RemoveFacets.into()]),
        4 => Align::Run(draws.one_of(&[Method::BestFit, Method::BestFit, Method::None])).into(),
        5 => Align::SetPose(Pose::translation(draws.share(), 0.0, 0.0)).into(),
        6 => {
            let place = Point::new(20.0 * draws.share(), 12.0 * draws.share(), 8.0 * draws.share());
            Align::AddPair(PointPair { nominal: place, scan: place, enabled: true }).into()
        }
        7 => draws.one_of(&[Align::ByPairs, Align::TogglePair(0), Align::RemovePair(1), Align::ClearPairs]).into(),
        8 | 9 => Inspect::Compare.into(),
        10 => Inspect::Next { paths: vec![draws.one_of(&files.scans)], unit: None }.into(),
        11 | 12 => {
            let mut settings = document.settings.clone();
            settings.align = draws.one_of(&[Method::BestFit, Method::None]);
            settings.deviation.tolerance.high_mm = 0.01 + draws.share();
            settings.deviation.max_distance_mm = draws.one_of(&[1.0, 2.0, 3.0]);
            Inspect::SetSettings(Box::new(settings)).into()
        }
        13..=17 => Select::Numbers(of, some(draws, count), how).into(),
        18 => draws.one_of(&[Select::WholeFaces, Select::PointsOnFacets, Select::Nothing, Select::Invert(of)]).into(),
        19 => {
            let which = draws.one_of(&[Visibility::All, Visibility::WithoutSelected, Visibility::OnlySelected]);
            Select::Show(of, which).into()
        }
        20 => Select::Name(of, draws.one_of(&["a", "b", "c"]).into()).into(),
        21 => Select::Forget(draws.below(3) as usize).into(),
        22..=26 => {
            let kind = draws.one_of(&[Kind::Plane, Kind::Plane, Kind::Line, Kind::Circle, Kind::Sphere]);
            Features::Fit { kind, objective: Objective::Gaussian, robust, clip_sigmas }.into()
        }
        27 => {
            let planes = names(draws, document);
            Features::FitParallelPlanes { planes, weights: Weights::default(), clip_sigmas }.into()
        }
        28 => {
            let plane = names(draws, document).remove(0);
            Features::FitInPlane { kind: Kind::Circle, plane, robust, clip_sigmas }.into()
        }
        29 => changed(draws, document),
        30 => Features::NominalFromFacets(names(draws, document).remove(0)).into(),
        31 => Features::ForgetNominal(names(draws, document).remove(0)).into(),
        32..=34 => {
            let construction = draws.one_of(&Construction::ALL);
            Tolerances::Construct { construction, sources: names(draws, document) }.into()
        }
        35 => added(draws, document),
        36 => Tolerances::Set(Box::new(tolerances(draws, document))).into(),
        37 => Tolerances::Judge.into(),
        38 => Command::Undo,
        39..=44 => about_the_machine(draws, document, files),
        45 => about_volumes(draws, document),
        46 => about_sections(draws, document),
        47 => about_alignments(draws, document),
        _ => Command::Redo,
    }
}

/// All that there is to a state, but what is the same for every state.
fn fingerprint(document: &Document) -> String {
    let project = serde_json::to_string(&Project::of(document)).unwrap();
    let check = document.check().map(|check| (check.statistics, check.regions.len(), check.verdict()));
    let selected = Selectable::ALL.map(|of| document.marked(of).selected.clone());
    let states: Vec<State> = document.plan.elements().iter().map(|own| document.state(own.id)).collect();
    let judged = document.judgement();
    format!("{project} {check:?} {selected:?} {:?} {states:?} {judged:?}", shapes(document))
}

fn shapes(document: &Document) -> Vec<(String, Option<Element>)> {
    document.element_names().into_iter().map(|name| (name.clone(), document.element(&name))).collect()
}

fn nothing_dangles(document: &Document, said: &str) {
    let names: Vec<&str> = document.plan.elements().iter().map(|own| own.name.as_str()).collect();
    let unique: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "{said}: two elements of one name: {names:?}");
    for element in document.plan.elements() {
        for input in element.recipe.inputs() {
            assert!(document.plan.get(input).is_some(), "{said}: {} needs {input}, which is not there", element.name);
        }
    }
    let active = [document.active.nominal, document.active.scan, document.active.alignment, document.active.comparison];
    assert!(active.iter().flatten().all(|id| document.plan.get(*id).is_some()), "{said}: {:?}", document.active);
    let points = document.count(Selectable::Points).unwrap_or(0);
    let kinds = document.features().into_iter().filter(|own| document.state(own.id) == State::Fresh);
    for feature in kinds {
        let made = feature.made.unwrap();
        assert!(made.numbers.is_within(points), "{said}: {} has points that are not there", feature.name);
    }
    for of in Selectable::ALL {
        let (count, marked) = (document.count(of).unwrap_or(0), document.marked(of));
        assert!(
            marked.selected.is_within(count) && marked.hidden.is_within(count),
            "{said}: {} beyond the last",
            of.name()
        );
        let named = document.selections.iter().filter(|named| named.of == of);
        assert!(named.clone().all(|named| named.numbers.is_within(count)), "{said}: a selection beyond the last");
    }
}

/// Regions of the artefact hold points that are there.
fn regions_are_within(document: &Document, said: &str) {
    let calibration = &document.calibration;
    let set_aside = calibration.set_aside.iter().flat_map(|pair| [&pair.sensor, &pair.cmm]);
    for measurement in [&calibration.sensor, &calibration.cmm].into_iter().chain(set_aside) {
        let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
        assert!(measurement.regions.iter().all(|region| region.is_within(points)), "{said}: a region beyond the last");
    }
}

fn run(dispatcher: &mut Dispatcher, command: Command) {
    // Much of what is drawn makes no sense and is refused with a sentence.
    let _ = dispatcher.run_now(command, &Progress::silent());
}

#[test]
fn random_commands_leave_nothing_dangling_and_undo_and_redo_agree() {
    let files = files();
    let seeds = super::support::poses(2) as u64;
    let commands = if seeds < 20 { 250 } else { 1000 };
    for seed in 0..seeds {
        let mut draws = Draws(seed);
        let mut dispatcher = Dispatcher::new(context());
        run(&mut dispatcher, Parts::OpenNominal { path: files.nominals[0].clone(), unit: None }.into());
        run(
            &mut dispatcher,
            Parts::OpenScans { paths: vec![files.scans[0].clone()], unit: None, columns: None }.into(),
        );
        for number in 0..commands {
            let command = drawn(&mut draws, &dispatcher.document, &files);
            let said = format!("seed {seed}, command {number}: {command:?}");
            let said = said.chars().take(200).collect::<String>();
            run(&mut dispatcher, command);
            nothing_dangles(&dispatcher.document, &said);
            regions_are_within(&dispatcher.document, &said);
        }
        // All the way back and forth, twice.
        while dispatcher.history.redo_label().is_some() {
            run(&mut dispatcher, Command::Redo);
        }
        let mut states = vec![fingerprint(&dispatcher.document)];
        while dispatcher.history.undo_label().is_some() {
            run(&mut dispatcher, Command::Undo);
            states.push(fingerprint(&dispatcher.document));
        }
        assert!(states.len() > 50, "seed {seed}: only {} states", states.len());
        for state in states.iter().rev().skip(1) {
            run(&mut dispatcher, Command::Redo);
            assert!(fingerprint(&dispatcher.document) == *state, "seed {seed}: redo led elsewhere");
        }
        for state in states.iter().skip(1) {
            run(&mut dispatcher, Command::Undo);
            assert!(fingerprint(&dispatcher.document) == *state, "seed {seed}: undo led elsewhere");
        }
        while dispatcher.history.redo_label().is_some() {
            run(&mut dispatcher, Command::Redo);
        }
        saved_and_opened(&mut dispatcher, &files, seed);
    }
}

/// What a project keeps opens as it was.
fn saved_and_opened(dispatcher: &mut Dispatcher, files: &Files, seed: u64) {
    let path = files.folder.path().join("saved.shadowgraph");
    run(dispatcher, Projects::Save(path.clone()).into());
    let mut again = Dispatcher::new(context());
    run(&mut again, Projects::Open(path).into());
    let saved = Project::of(&dispatcher.document);
    let messages: Vec<&str> = again.messages.iter().map(|message| message.text.as_str()).collect();
    let lines = |project: &Project| serde_json::to_string_pretty(project).unwrap();
    let (now, before) = (lines(&Project::of(&again.document)), lines(&saved));
    let other: Vec<_> = now.lines().zip(before.lines()).filter(|(now, before)| now != before).take(5).collect();
    assert!(now == before, "seed {seed}: {other:?}; {messages:?}");
    for element in again.document.plan.elements() {
        let (now, before) = (again.document.state(element.id), dispatcher.document.state(element.id));
        let is_as_before = now == before || (before == State::Stale && now == State::NotMade);
        assert!(is_as_before, "seed {seed}: {} is {now:?}, and was {before:?}", element.name);
        let made = |document: &Document| document.result::<MeasuredFeature>(Some(element.id)).map(|own| own.element);
        if now == State::Fresh {
            assert_eq!(made(&again.document), made(&dispatcher.document), "seed {seed}: {}", element.name);
        }
    }
}
