//! Flags and deviations on the nominal in the pictures of the report.

use std::path::Path;

use shadowgraph::base::{Progress, StandardView};
use shadowgraph::dispatch::{Command, Dispatcher, Inspect, Parts, Present, Report};
use shadowgraph::geometry::viewpoint::Viewpoint;
use shadowgraph::session::presentation::{Contents, SavedView, Shows};

use super::support::{asset, context};

fn run(dispatcher: &mut Dispatcher, command: impl Into<Command>) {
    dispatcher.run_now(command, &Progress::silent()).unwrap();
}

/// The report as HTML, and a picture of it.
fn written(dispatcher: &mut Dispatcher, folder: &Path, picture: &str) -> (String, Vec<u8>) {
    run(dispatcher, Report::Write { folder: folder.to_owned() });
    let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
    (html, std::fs::read(folder.join("views").join(picture)).unwrap())
}

/// The figure of this caption.
fn figure<'a>(html: &'a str, caption: &str) -> &'a str {
    let named = format!("<figure><div><img alt=\"{caption}\"");
    html.split(&named).nth(1).and_then(|rest| rest.split("</figure>").next()).expect("no such figure")
}

#[test]
fn pictures_have_the_flags_of_the_view_and_saved_views_what_they_showed() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = Dispatcher::new(context());
    run(&mut dispatcher, Parts::OpenNominal { path: asset("bracket.stl"), unit: None });
    run(&mut dispatcher, Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None });
    run(&mut dispatcher, Inspect::AlignAndCompare);
    let regions = dispatcher.document.current_check().unwrap().regions.len();
    assert!(regions > 0, "the demo part has regions out of tolerance");
    let mut contents = Contents::default();
    StandardView::ALL.into_iter().for_each(|view| contents.set_view(view, view == StandardView::Top));
    run(&mut dispatcher, Present::SetContents(contents.clone()));
    let viewpoint = Viewpoint {
        target_mm: [60.0, 20.0, 10.0],
        to_eye: [0.0, 0.0, 1.0],
        up: [0.0, 1.0, 0.0],
        size_mm: [160.0, 120.0],
        is_perspective: false,
    };
    let view = |name: &str, shows| {
        Present::SaveView(SavedView { name: name.to_owned(), viewpoint, clip: None, shows, in_report: true })
    };
    run(&mut dispatcher, view("Scan", Shows { flags: false, ..Shows::default() }));
    run(&mut dispatcher, view("Nominal", Shows { on_nominal: true, ..Shows::default() }));
    let [with, without, again] = ["with", "without", "again"].map(|name| folder.path().join(name));
    let (html, top) = written(&mut dispatcher, &with, "top.png");
    assert!(figure(&html, "Top").contains("<svg") && !figure(&html, "Top").contains("<b"), "{}", figure(&html, "Top"));
    assert!(figure(&html, "Top").contains(">1   "), "the worst region has no flag");
    assert!(!figure(&html, "Scan").contains("<svg") && figure(&html, "Nominal").contains("<svg"));
    let saved = |number: u8| std::fs::read(with.join(format!("views/saved-{number}.png"))).unwrap();
    assert_ne!(saved(1), saved(2), "deviations are not on the nominal");
    // Left out, the picture is the same below, and regions have their numbers alone.
    contents.set_flags(Some(false));
    run(&mut dispatcher, Present::SetContents(contents));
    let (html, plain) = written(&mut dispatcher, &without, "top.png");
    assert!(!figure(&html, "Top").contains("<svg") && !figure(&html, "Nominal").contains("<svg"));
    assert_eq!(top, plain);
    // As the window shows them, where nothing is chosen.
    run(&mut dispatcher, Command::Undo);
    dispatcher.context.hides_flags = true;
    let (html, _) = written(&mut dispatcher, &again, "top.png");
    assert!(!figure(&html, "Top").contains("<svg") && figure(&html, "Nominal").contains("<svg"));
}
