//! Offsets of what was measured: in the window by clicks, in a plan on every part, on the command line.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use shadowgraph::dispatch::{Inspect, Offset};
use shadowgraph::inspect::offset::{OffsetVolume, Parameters};
use shadowgraph::io::{LoadOptions, load_nominal};
use shadowgraph::session::pipeline::State;

use shadowgraph::base::Progress;

use super::many_parts::scans;
use super::support::{asset, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};

#[test]
fn the_scan_is_offset_by_clicks_and_again_on_the_next_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.state_mut().send(Inspect::AlignAndCompare);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    for name in ["Offset volume", "Scan", "Coarse"] {
        window.get_by_label(name).click();
        window.run_steps(4);
    }
    window.get_by_label("Add offset volume").click();
    settle(&mut window);
    let volume = |window: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        let document = &window.state().dispatcher().document;
        let id = document.plan.by_name("Dilation 1 mm of the scan").expect("the volume").id;
        assert_eq!(document.state(id), State::Fresh);
        document.shared::<OffsetVolume>(Some(id)).expect("made").volume_mm3
    };
    let first_mm3 = volume(&window);
    compare_picture(&mut window, "offset-of-scan");
    let document = &window.state().dispatcher().document;
    let surface = document.plan.by_name("Surface of the scan").expect("its surface").id;
    let area_mm2 = document.nominal().unwrap().surface.mesh().area_mm2();
    // A sheet of both sides of the surface, in the frame of the nominal; a little less where nothing was measured.
    assert!((0.7..1.05).contains(&(first_mm3 / (2.0 * area_mm2))), "{first_mm3} mm³ about {area_mm2} mm²");
    let low = document.result::<shadowgraph::inspect::parts::Nominal>(Some(surface)).unwrap().surface.bounds().min;
    assert!((low - document.nominal().unwrap().surface.bounds().min).norm() < 5.0, "{low}");

    // Another one shares the surface; another radius does not.
    window.state_mut().send(Offset::AddOfScan(Parameters { resolution: 64, ..Parameters::default() }, None));
    window.state_mut().send(Offset::AddOfScan(Parameters { resolution: 64, ..Parameters::default() }, Some(2.0)));
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let surfaces = document.plan.elements().iter().filter(|own| own.name.starts_with("Surface of the scan"));
    assert_eq!(surfaces.count(), 2);

    window.state_mut().send(Inspect::Next { paths: vec![scans(folder.path())[1].clone()], unit: None });
    settle(&mut window);
    let messages = &window.state().dispatcher().messages;
    assert!(!messages.iter().any(|message| message.is_error), "{messages:?}");
    let next_mm3 = volume(&window);
    assert!(next_mm3 != first_mm3 && (next_mm3 / first_mm3 - 1.0).abs() < 0.3, "{first_mm3} and {next_mm3} mm³");
}

#[test]
fn the_command_line_offsets_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let (scan, out) = (asset("bracket-scan.ply"), folder.path().join("envelope.stl"));
    let run = |more: &[&str]| {
        let words = ["offset", text(&scan), "--resolution", "256", "--out", text(&out)];
        shadowgraph(&[&words[..], more].concat())
    };
    let done = run(&["--scan", "--distance-mm", "1", "--splat-radius-mm", "1.2"]);
    assert!(done.status.success(), "{}", errors(&done));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("Discs of 1.200 mm radius about 150000 points"), "{said}");
    let mesh = load_nominal(&out, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    assert!(mesh.volume_mm3() > 10_000.0, "{}", mesh.volume_mm3());
    for (more, said) in [
        (&["--scan", "--distance-mm", "-1"][..], "encloses nothing"),
        (&["--scan", "--distance-mm", "1", "--splat-radius-mm", "0"], "above 0 mm"),
        (&["--distance-mm", "1", "--splat-radius-mm", "1"], "--scan"),
    ] {
        let failed = run(more);
        assert_eq!(failed.status.code(), Some(2), "{}", errors(&failed));
        assert!(errors(&failed).contains(said), "{}", errors(&failed));
    }
}
