//! Offset volumes in the window, in a plan and on the command line.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::{Compute as _, point_deviation};
use shadowgraph::dispatch::{Command, Elements, Inspect, Offset, Outputs, write_report};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::topology::Topology;
use shadowgraph::geometry::{OrderedPoints, Point, Pose, Surface, sampling};
use shadowgraph::inspect::offset::{
    self, ContactVolumes, FieldRecipe, Method, OffsetVolume, Parameters, PartField, contact, field,
};
use shadowgraph::io::voxels::hdt;
use shadowgraph::io::{LoadOptions, load_nominal, write};
use shadowgraph::session::Document;
use shadowgraph::session::pipeline::State;
use shadowgraph::session::plan::Recipe;

use super::support::{asset, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};

type Window = Harness<'static, App>;

fn document(window: &Window) -> &Document {
    &window.state().dispatcher().document
}

fn send(window: &mut Window, command: impl Into<Command>) {
    window.state_mut().send(command);
    settle(window);
}

fn volumes(window: &Window) -> Vec<(String, &OffsetVolume)> {
    let offsets = document(window).plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Offset(_)));
    offsets.map(|own| (own.name.clone(), document(window).result(Some(own.id)).unwrap())).collect()
}

fn is_closed(mesh: &shadowgraph::geometry::Mesh) -> bool {
    Topology::new(mesh).is_closed()
}

#[test]
fn a_part_is_offset_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    compare_picture(&mut window, "offset-before");
    window.get_by_label("Offset volume").click();
    window.run_steps(3);
    window.get_by_label("Preview").click();
    window.run_steps(3);
    window.get_by_label("Add offset volume").click();
    window.run_steps(3);
    settle(&mut window);
    let made = volumes(&window);
    assert_eq!((made.len(), made[0].0.as_str()), (1, "Dilation 1 mm"));
    assert!(is_closed(&made[0].1.mesh) && made[0].1.notes.is_empty(), "{:?}", made[0].1.notes);
    window.get_by_label("Element Dilation 1 mm").click();
    window.run_steps(4);
    settle(&mut window);
    window.get_by_label("Save mesh…");
    compare_picture(&mut window, "offset-dilated");

    // Changed, it keeps its place and its name follows.
    let id = document(&window).plan.by_name("Dilation 1 mm").unwrap().id;
    let parameters = Parameters { distance_mm: -0.5, resolution: 256, ..Parameters::default() };
    send(&mut window, Offset::Change(id, parameters));
    assert_eq!(document(&window).plan.name(id), "Erosion 0.5 mm");
    window.run_steps(4);
    settle(&mut window);
    compare_picture(&mut window, "offset-eroded");
    let path = folder.path().join("smaller.stl");
    send(&mut window, Offset::SaveMesh(id, usize::MAX, path.clone()));
    let saved = load_nominal(&path, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    // In the single precision of STL, a few facets have no area left.
    let count = volumes(&window)[0].1.mesh.facets.len();
    assert!(is_closed(&saved) && saved.facets.len() + count / 1000 > count, "{} {count}", saved.facets.len());

    // Another nominal leaves it out of date, and it is made again from that.
    let cuboid = folder.path().join("cuboid.stl");
    write::mesh(&cuboid, &shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0))).unwrap();
    send(&mut window, shadowgraph::dispatch::Parts::OpenNominal { path: cuboid, unit: None });
    assert_ne!(document(&window).state(id), State::Fresh);
    send(&mut window, shadowgraph::dispatch::Elements::Update(Some(id)));
    let volume = volumes(&window)[0].1.volume_mm3;
    assert!((volume - 29.0 * 19.0 * 9.0).abs() < 1.0, "{volume}");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_ne!(document(&window).state(id), State::Fresh);
}

#[test]
fn a_slider_leads_through_all_offsets() {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    window.get_by_label("Draft").click();
    window.run_steps(3);
    window.get_by_label("Prepare live offset").click();
    window.run_steps(3);
    settle(&mut window);
    let own = document(&window).plan.by_name("Distance field").unwrap().id;
    let made = document(&window).result::<PartField>(Some(own)).unwrap();
    assert!(made.notes.is_empty() && made.error.p95_mm < 0.2 * made.field.grid().spacing_mm, "{:?}", made.error);
    slide_to(&mut window, 0.8);
    compare_picture(&mut window, "offset-live");
    slide_to(&mut window, 0.4);
    window.get_by_label("X").click();
    window.run_steps(4);
    compare_picture(&mut window, "offset-live-section");

    // The distance that is shown becomes a volume.
    window.get_by_label("Make a volume of it…").click();
    window.run_steps(3);
    let nominal = document(&window).active.nominal.unwrap();
    let recipe = FieldRecipe { nominal, parameters: field::Parameters { reach_mm: 2.0, resolution: 64 } };
    send(&mut window, Elements::SetRecipe(own, Box::new(recipe.into())));
    window.get_by_label("Preview").click();
    window.run_steps(3);
    window.get_by_label("Add offset volume").click();
    window.run_steps(3);
    settle(&mut window);
    let (name, volume) = &volumes(&window)[0];
    assert!(name.starts_with("Erosion ") && (-2.0..0.0).contains(&volume.parameters.distance_mm), "{name}");
    for _ in 0..3 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        settle(&mut window);
    }
    assert!(document(&window).plan.get(own).is_none());
}

/// Drags the handle of the live distance to a share of its rail.
fn slide_to(window: &mut Window, share: f32) {
    let rail = window.get_by_label("Live distance").rect();
    let modifiers = Modifiers::NONE;
    let to = egui::pos2(rail.left() + share * rail.width(), rail.center().y);
    let button =
        |pos, pressed| egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers };
    for event in [egui::Event::PointerMoved(to), button(to, true), button(to, false)] {
        window.event(event);
        window.run_steps(2);
    }
}

#[test]
fn tolerance_shells_enclose_the_part_and_lie_in_it() {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    let mut settings = document(&window).settings.clone();
    (settings.deviation.tolerance.low_mm, settings.deviation.tolerance.high_mm) = (-1.0, 2.0);
    send(&mut window, Inspect::SetSettings(Box::new(settings)));
    window.get_by_label("Offset volume").click();
    window.run_steps(3);
    window.get_by_label("Preview").click();
    window.run_steps(3);
    window.get_by_label("Add tolerance shells").click();
    window.run_steps(3);
    settle(&mut window);
    let part = document(&window).nominal().unwrap().surface.mesh().volume_mm3();
    let made = volumes(&window);
    let [(upper, outer), (lower, inner)] = &made[..] else { panic!("{}", made.len()) };
    assert_eq!((upper.as_str(), lower.as_str()), ("Upper tolerance shell", "Lower tolerance shell"));
    assert!(inner.volume_mm3 < part && part < outer.volume_mm3);
    compare_picture(&mut window, "offset-shells");
}

#[test]
fn a_tool_goes_around_the_part_pass_by_pass() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    window.get_by_label("Contact volume").click();
    window.run_steps(3);
    window.get_by_label("Preview").click();
    window.run_steps(3);
    window.get_by_label("Add contact volumes").click();
    window.run_steps(3);
    settle(&mut window);
    let id = document(&window).plan.by_name("Contact volumes").unwrap().id;
    let made = document(&window).result::<ContactVolumes>(Some(id)).unwrap();
    assert!(made.passes.iter().all(|pass| pass.clearance_mm > -0.05 * pass.tree.lattice().voxel_mm));
    window.get_by_label("Next").click();
    window.run_steps(3);
    compare_picture(&mut window, "offset-contact");
    let path = folder.path().join("pass.stl");
    send(&mut window, Offset::SavePass(id, 1, path.clone()));
    let saved = load_nominal(&path, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    assert!(is_closed(&saved));
}

#[test]
fn the_command_line_computes_the_same_passes_and_saves_every_one() {
    let folder = tempfile::tempdir().unwrap();
    let part = asset("bracket.stl");
    let options = ["--tool-radius-mm", "3", "--depth-mm", "8", "--resolution", "64", "--json"];
    let done = shadowgraph(&[&["contact", text(&part), "--out", text(folder.path())], &options[..]].concat());
    assert!(done.status.success(), "{}", errors(&done));
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let surface = Surface::new(load_nominal(&part, &LoadOptions::default(), &Progress::silent()).unwrap().mesh);
    let parameters = contact::Parameters { depth_mm: 8.0, resolution: 64, ..contact::Parameters::default() };
    let made = contact::run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap();
    assert_eq!(answer["passes"].as_array().unwrap().len(), made.passes.len());
    for (number, pass) in (1..).zip(&made.passes) {
        assert_eq!(answer["passes"][number - 1]["volume_mm3"], pass.volume_mm3);
        assert!(folder.path().join(format!("pass-{number:02}.stl")).exists());
    }
}

#[test]
fn points_out_of_tolerance_are_those_outside_the_tolerance_shells() {
    let mesh = load_nominal(&asset("bracket.stl"), &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    let surface = Surface::new(mesh);
    let (low_mm, high_mm) = (-0.3, 0.5);
    let shell = |distance_mm: f64| {
        let parameters = Parameters { distance_mm, resolution: 512, ..Parameters::default() };
        offset::run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap().tree
    };
    let [outer, inner] = [shell(high_mm), shell(low_mm)];
    let mut random = Random::new(4, 0);
    let samples = sampling::by_area(surface.mesh(), 20_000, 2);
    let points: Vec<Point> = samples.iter().map(|own| own.point + own.normal * random.range(-0.7, 1.0)).collect();
    let points = OrderedPoints::new(&points);
    let request = point_deviation::Request {
        surface: &surface,
        points: &points,
        normals: &[],
        oriented: false,
        nominal_from_scan: &Pose::identity(),
        max_distance_mm: 2.0,
        max_angle_rad: std::f64::consts::PI,
    };
    let deviations = Cpu.compute(&request, &Progress::silent()).unwrap();
    let mut decided = [0; 4];
    for (point, number) in points.points.iter().zip(&points.numbers) {
        let deviation_mm = deviations[*number as usize].value().unwrap();
        for (index, (tree, limit_mm)) in [(&outer, high_mm), (&inner, low_mm)].into_iter().enumerate() {
            let lattice = tree.lattice();
            let voxel = ((point - lattice.origin) / lattice.voxel_mm).map(|index| index.floor() as i32);
            if (deviation_mm - limit_mm).abs() > lattice.voxel_mm {
                let is_within = deviation_mm < limit_mm;
                assert_eq!(tree.is_in(voxel.into()), is_within, "{deviation_mm} {limit_mm}");
                decided[2 * index + usize::from(is_within)] += 1;
            }
        }
    }
    assert!(decided.iter().all(|count| *count > 1000), "{decided:?}");
}

#[test]
fn the_command_line_writes_the_mesh_and_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (part, out) = (folder.path().join("part.stl"), folder.path().join("larger.ply"));
    write::mesh(&part, &shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0))).unwrap();
    let run = |more: &[&str]| shadowgraph(&[&["offset", text(&part)], more].concat());
    let done = run(&["--distance-mm", "2", "--resolution", "96", "--out", text(&out), "--json"]);
    assert!(done.status.success(), "{}", errors(&done));
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let mesh = load_nominal(&out, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    assert_eq!(answer["mesh"]["facets"], mesh.facets.len());
    assert!(is_closed(&mesh));
    // The window computes the same.
    let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0)));
    let parameters = Parameters { distance_mm: 2.0, resolution: 96, ..Parameters::default() };
    let volume = offset::run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap();
    assert_eq!(answer["mesh"]["volume_mm3"], volume.volume_mm3);

    let gone = run(&["--distance-mm", "-6"]);
    assert!(gone.status.success() && String::from_utf8_lossy(&gone.stdout).contains("Nothing is left"));
    for (more, code, said) in [
        (&["--distance-mm", "1", "--root", "48"][..], 2, "root grid"),
        (&["--distance-mm", "1", "--resolution", "4"], 2, "from 16 to"),
        (&["--distance-mm", "nan"], 2, "number of mm"),
        (&["--distance-mm", "1", "--out", "x.docx"], 3, "docx"),
    ] {
        let failed = run(more);
        assert_eq!(failed.status.code(), Some(code), "{}", errors(&failed));
        assert!(errors(&failed).contains(said), "{}", errors(&failed));
    }
}

#[test]
fn the_command_line_writes_voxels_layers_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let part = path("part.stl");
    write::mesh(&part, &shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0))).unwrap();
    let run = |more: &[&str]| shadowgraph(&[&["offset", text(&part), "--resolution", "96"], more].concat());
    let (tree, level_set, layers, picture) = (path("a.hdt"), path("a.nvdb"), path("layers"), path("a.png"));
    let done = run(&["--distance-mm", "2", "--voxels", text(&tree), "--slices", text(&layers), "--slice-step", "10"]);
    assert!(done.status.success(), "{}", errors(&done));
    let back = hdt::read(&tree, &Progress::silent()).unwrap();
    let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0)));
    let parameters = Parameters { distance_mm: 2.0, resolution: 96, ..Parameters::default() };
    let volume = offset::run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap();
    assert_eq!((back.words(), back.statistics()), (volume.tree.words(), volume.statistics));
    assert_eq!(std::fs::read_dir(&layers).unwrap().count(), 10);
    let told = shadowgraph(&["info", text(&tree), "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["files"][0]["skin_voxels"], volume.statistics.active_voxels);
    let more = ["--voxels", text(&level_set), "--picture", text(&picture), "--section", "z:0.5"];
    let done = run(&[&["--distance-mm", "2"], &more[..]].concat());
    assert!(done.status.success(), "{}", errors(&done));
    assert!(std::fs::read(&level_set).unwrap().starts_with(b"NanoVDB0"));
    assert_eq!(image::open(&picture).unwrap().to_rgb8().dimensions(), (1000, 800));
    // Templates in passes, with their error; and how large a volume would be.
    let done = run(&["--distance-mm", "4", "--method", "ring", "--passes", "2", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(answer["passes"], serde_json::json!([2.0, 4.0]));
    assert!(answer["voxel_error"]["mean_absolute"].as_f64().unwrap() < 2.0, "{answer}");
    let done = shadowgraph(&["offset", text(&part), "--distance-mm", "2", "--resolution", "2048", "--estimate"]);
    assert!(String::from_utf8_lossy(&done.stdout).contains("needs about"), "{}", errors(&done));
    for (more, said) in [
        (&["--distance-mm", "2", "--voxels", "x.vdb"][..], "use .hdt"),
        (&["--distance-mm", "2", "--method", "ball", "--voxels", "x.nvdb"], "exact distance"),
        (&["--distance-mm", "2", "--passes", "3"], "in one pass"),
        (&["--distance-mm", "2", "--picture", "x.png", "--section", "w:2"], "z:0.5"),
    ] {
        let failed = run(more);
        assert_eq!(failed.status.code(), Some(2), "{}", errors(&failed));
        assert!(errors(&failed).contains(said), "{}", errors(&failed));
    }
}

#[test]
fn passes_of_a_template_are_played_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    let parameters =
        Parameters { distance_mm: 8.0, resolution: 160, method: Method::Ball, passes: 4, ..Parameters::default() };
    send(&mut window, Offset::Add(parameters));
    window.run_steps(4);
    settle(&mut window);
    window.get_by_label("Pass 4 of 4");
    window.get_by_label("Previous").click();
    window.run_steps(3);
    window.get_by_label("Previous").click();
    window.run_steps(3);
    window.get_by_label("Pass 2 of 4");
    window.get_by_label("Shown after 4.0000 mm.");
    settle(&mut window);
    compare_picture(&mut window, "offset-passes");
    // What is shown is what is saved.
    let id = document(&window).plan.by_name("Dilation 8 mm").unwrap().id;
    let path = folder.path().join("second.ply");
    send(&mut window, Offset::SaveMesh(id, 1, path.clone()));
    let saved = load_nominal(&path, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    // Facets without an area are not read.
    assert!(saved.facets.len().abs_diff(volumes(&window)[0].1.after_pass(1).1.facets.len()) < 10);
    let tree = folder.path().join("last.hdt");
    send(&mut window, Offset::SaveVoxels(id, tree.clone()));
    assert_eq!(hdt::read(&tree, &Progress::silent()).unwrap().words(), volumes(&window)[0].1.tree.words());
    // A level set has distances, which templates do not.
    send(&mut window, Offset::SaveVoxels(id, folder.path().join("last.nvdb")));
    assert!(!folder.path().join("last.nvdb").exists());
}

#[test]
fn the_report_tells_of_offset_volumes() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    send(&mut window, Inspect::AlignAndCompare);
    send(&mut window, Offset::Add(Parameters { distance_mm: 0.5, resolution: 64, ..Parameters::default() }));
    let outputs = Outputs { pictures: false, ..Outputs::default() };
    write_report(document(&window), &folder.path().join("report"), &outputs, &Cpu, &Progress::silent()).unwrap();
    let html = std::fs::read_to_string(folder.path().join("report/report.html")).unwrap();
    let volume = &volumes(&window)[0].1;
    for said in
        ["Offset volumes", "Dilation 0.5 mm", &format!("{:.4} cm³", volume.volume_mm3 / 1000.0), "less than a voxel"]
    {
        assert!(html.contains(said), "{said}");
    }
}
