//! What operators read, in each language: every text of the window is there, and a window in German has no English left.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use shadowgraph::app::App;
use shadowgraph::base::StandardView;
use shadowgraph::dispatch::{Command, Inspect, Parts, Sections};
use shadowgraph::inspect::deviation::Colours;
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::section::{Parameters, Placement};
use shadowgraph::session::presentation::ReportSection;
use shadowgraph::texts::{self, Language};

use super::pictures::inspected;
use super::support::{asset, errors, shadowgraph, text};
use super::window::{compare_picture, open_sized, send, settle};
use super::workbook::{Cells, sheets};

/// A text's id, and the names of the values in it.
type Texts = BTreeMap<String, BTreeSet<String>>;

fn files(folder: &Path, extension: &str) -> Vec<(std::path::PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The texts of a language, without the words of the lower floors.
fn texts_of(language: &str) -> Texts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/texts").join(language);
    let mut all = Texts::new();
    for (path, text) in files(&folder, "ftl") {
        let mut values: Option<&mut BTreeSet<String>> = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((id, _)) =
                line.split_once(" =").filter(|_| line.starts_with(|own: char| own.is_ascii_lowercase()))
            {
                assert!(!all.contains_key(id), "{}: {id} stands there twice", path.display());
                values = Some(all.entry(id.to_owned()).or_default());
            }
            let named = line.split('$').skip(1).map(|rest| rest.split(|own| !is_name(own)).next().unwrap().to_owned());
            values.iter_mut().for_each(|own| own.extend(named.clone()));
        }
    }
    all.retain(|id, _| !id.starts_with("word-"));
    all
}

/// The texts that the source asks for, with the values that it gives them.
fn texts_asked_for() -> Vec<(String, BTreeSet<String>)> {
    let mut asked = Vec::new();
    for (path, source) in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "rs") {
        if path.components().any(|own| own.as_os_str() == "texts") {
            continue;
        }
        for call in source.split("text!(").skip(1) {
            let call = call.trim_start();
            let Some((id, rest)) = call.strip_prefix('"').and_then(|call| call.split_once('"')) else { continue };
            asked.push((id.to_owned(), values_given(rest)));
        }
    }
    asked
}

/// The names before `=` in the arguments of a call, up to its closing parenthesis.
fn values_given(arguments: &str) -> BTreeSet<String> {
    let (mut depth, mut is_quoted, mut before) = (1, false, ' ');
    let (mut names, mut name) = (BTreeSet::new(), String::new());
    for letter in arguments.chars() {
        match letter {
            '"' if before != '\\' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 => name.clear(),
            '=' if depth == 1 && !name.is_empty() => {
                names.insert(std::mem::take(&mut name));
                // Until the next argument.
                name.push('\0');
            }
            _ if depth == 1 && is_name(letter) && !name.starts_with('\0') => name.push(letter),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        before = letter;
    }
    names.retain(|name| !name.contains('\0'));
    names
}

#[test]
fn every_text_is_there_in_each_language_and_has_the_values_that_it_is_given() {
    let [english, german] = ["en", "de"].map(texts_of);
    assert!(english.len() > 1000, "{} texts", english.len());
    let ids = |texts: &Texts| texts.keys().cloned().collect::<BTreeSet<_>>();
    let missing: Vec<String> = ids(&english).symmetric_difference(&ids(&german)).cloned().collect();
    assert!(missing.is_empty(), "in one language alone: {missing:?}");
    for (id, values) in &english {
        assert_eq!(german[id], *values, "{id}: the values of both languages");
    }
    let asked = texts_asked_for();
    for (id, values) in &asked {
        assert_eq!(english.get(id), Some(values), "{id}: the values in the text and those that the source gives");
    }
    let used: BTreeSet<String> = asked.into_iter().map(|(id, _)| id).collect();
    let unused: Vec<_> = english.keys().filter(|id| !used.contains(*id)).collect();
    assert!(unused.is_empty(), "never asked for: {unused:?}");
}

/// Names of the lower floors that lists of the window show.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Kind::ALL.map(Kind::name).to_vec();
    names.extend(Objective::ALL.map(|own| own.name()));
    names.extend(StandardView::ALL.map(StandardView::name));
    names.extend(Colours::ALL.map(Colours::name));
    names.extend(ReportSection::ALL.map(ReportSection::name));
    names
}

#[test]
fn names_of_the_lower_floors_have_german_words() {
    texts::set_language(Language::German);
    // The same in both languages.
    let same = ["Torus", "Robust", "Position"];
    for name in names().into_iter().filter(|name| !same.contains(name)) {
        assert_ne!(texts::word(name), name, "no German word");
    }
}

/// What the window says at this moment: names of its widgets and texts.
fn said(window: &Harness<'static, App>) -> BTreeSet<String> {
    let nodes = std::iter::once(window.root()).flat_map(|root| root.children_recursive());
    let texts = nodes.flat_map(|node| [node.accesskit_node().label(), node.accesskit_node().value()]);
    texts.flatten().flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether there is a word of a language: not a unit, an abbreviation or the name of a file.
fn has_word(text: &str) -> bool {
    let is_file = |own: &str| own.trim_end_matches([',', '.']).contains('.');
    let words = text.split_whitespace().filter(|own| !is_file(own));
    words.flat_map(|own| own.split(|own: char| !own.is_alphabetic())).any(|word| word.chars().count() >= 4)
}

pub fn speak(window: &mut Harness<'static, App>, [menu, languages]: [&str; 2], language: &str) {
    window.get_by_role_and_label(egui::Role::Button, menu).click();
    window.run_steps(3);
    window.get_by_role_and_label(egui::Role::Button, languages).click();
    window.run_steps(3);
    window.get_by_label(language).click();
    window.run_steps(4);
}

/// The rooms of the window in both languages.
const ROOMS: [(&str, &str); 7] = [
    ("Calibrate", "Kalibrieren"),
    ("Align", "Ausrichten"),
    ("Compare", "Vergleichen"),
    ("Features", "Geometrie"),
    ("Offset", "Offset"),
    ("Detect", "Erkennen"),
    ("Report", "Bericht"),
];

#[test]
fn a_window_in_german_has_no_english_left() {
    let mut window = inspected();
    let mut rooms = BTreeMap::new();
    for (english, _) in ROOMS {
        window.get_by_role_and_label(egui::Role::Button, english).click();
        settle(&mut window);
        rooms.insert(english, said(&window));
    }
    speak(&mut window, ["View", "Language"], "Language: Deutsch");
    let mut left = BTreeSet::new();
    for (english, german) in ROOMS {
        window.get_by_role_and_label(egui::Role::Button, german).click();
        settle(&mut window);
        window.hover_at(egui::pos2(640.0, 795.0));
        window.run_steps(4);
        left.extend(said(&window).intersection(&rooms[english]).filter(|text| has_word(text)).cloned());
        compare_picture(&mut window, &format!("german-{}", english.to_lowercase()));
    }
    let left: Vec<_> =
        left.iter().filter(|text| !SAME.contains(&text.as_str()) && !text.starts_with("CPU, ")).collect();
    assert!(left.is_empty(), "the same in both languages: {left:#?}");
    speak(&mut window, ["Ansicht", "Sprache"], "Sprache: English");
    assert!(said(&window).contains("Report"));
}

/// What is the same in both languages: words of both, and the names of elements and files.
const SAME: [&str; 21] = [
    "Element 1",
    "Element 2",
    "Element Plane 1",
    "Lasso",
    "Logo",
    "Name",
    "Normal",
    "Offset",
    "Polygon",
    "Position",
    "Robust (LMedS)",
    "Robust (LMedS) Plane 1",
    "Rotation",
    "Sensor",
    "Torus",
    "Translation",
    "Plane 1   RMS 0.0359 mm",
    "Resize panel",
    "bracket-scan.ply",
    "bracket.stl",
    "report",
];

/// The texts of a report in a language, and its summary without times.
fn report(folder: &Path, language: &str) -> (BTreeSet<String>, serde_json::Value) {
    let out = folder.join(language);
    let [cad, scan] = [asset("bracket.stl"), asset("bracket-scan.ply")];
    let given = ["--nominal", text(&cad), "--scan", text(&scan), "--out", text(&out), "--language", language];
    let run = shadowgraph(&[&["inspect"], given.as_slice(), &["--no-pictures"]].concat());
    assert!(out.join("report.pdf").exists(), "{}", errors(&run));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let (_, body) = page.split_once("</style>").unwrap();
    let texts = body.split('<').filter_map(|tag| Some(tag.split_once('>')?.1.trim().to_owned()));
    let mut summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    summary.as_object_mut().unwrap().retain(|name, _| !name.starts_with("timings") && name != "date");
    (texts.filter(|own| !own.is_empty()).collect(), summary)
}

#[test]
fn a_report_in_german_has_no_english_left_and_tables_for_programs_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let [(english, english_summary), (german, german_summary)] = ["en", "de"].map(|own| report(folder.path(), own));
    assert_eq!(english_summary, german_summary);
    assert!(german.contains("Prüfbericht") && german.iter().any(|text| text.starts_with("n. i. O.")), "{german:#?}");
    let left: Vec<_> = english.intersection(&german).filter(|text| has_word(text)).collect();
    let is_data = |text: &str| ["bracket", "Shadowgraph", "BLAKE3"].iter().any(|own| text.contains(own));
    let same = ["Position", "Rotation", "Scan", "Software", "Translation"];
    let is_hash = |text: &str| text.len() == 64;
    let left: Vec<_> =
        left.into_iter().filter(|text| !is_data(text) && !is_hash(text) && !same.contains(&text.as_str())).collect();
    assert!(left.is_empty(), "the same in both languages: {left:#?}");
}

#[test]
fn a_workbook_in_german_has_german_headings_and_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let [english, german] = ["en", "de"].map(|own| {
        report(folder.path(), own);
        sheets(&folder.path().join(own).join("results.xlsx"))
    });
    assert_eq!(
        german.keys().collect::<Vec<_>>(),
        ["Bereiche", "Ergebnisse", "Geometrieelemente und Prüfungen", "Übersicht"]
    );
    let heads = ["B1", "D1", "E1", "H1"].map(|at| german["Ergebnisse"][at].as_str());
    assert_eq!(heads, ["Art", "Kenngröße", "Wert", "Untere Grenze"]);
    assert_eq!(german["Ergebnisse"]["C2"], "n. i. O.");
    let figures = |cells: &Cells| -> Cells {
        cells
            .iter()
            .filter(|(_, value)| value.parse::<f64>().is_ok())
            .map(|(at, own)| (at.clone(), own.clone()))
            .collect()
    };
    assert_eq!(figures(&english["Results"]), figures(&german["Ergebnisse"]));
    assert_eq!(figures(&english["Regions"]), figures(&german["Bereiche"]));
}

/// What is made in a window in German is named in German, and again so when it is changed in one in English.
#[test]
fn elements_are_named_in_the_language_of_the_window_that_made_them() {
    let mut window = open_sized([1280.0, 800.0], vec![asset("bracket.stl")], None);
    settle(&mut window);
    speak(&mut window, ["View", "Language"], "Language: Deutsch");
    let scan = Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None };
    let section = |at_mm| Parameters { placement: Placement::Axis { axis: 2, at_mm }, ..Parameters::default() };
    for command in [Command::Parts(scan), Inspect::AlignAndCompare.into(), Sections::Add(section(10.0)).into()] {
        send(&mut window, command);
    }
    let names = |window: &Harness<'static, App>| -> Vec<String> {
        let plan = &window.state().dispatcher().document.plan;
        plan.elements().iter().map(|own| own.name.clone()).collect()
    };
    let made = ["bracket.stl", "Scan", "Ausrichtung", "Flächenvergleich"];
    assert_eq!(names(&window), [made.as_slice(), &["Schnitt Z = 10 mm"]].concat());
    speak(&mut window, ["Ansicht", "Sprache"], "Sprache: English");
    let id = window.state().dispatcher().document.plan.elements().last().unwrap().id;
    send(&mut window, Sections::Change(id, section(12.5)));
    assert_eq!(names(&window), [made.as_slice(), &["Schnitt Z = 12.5 mm"]].concat());
}

#[test]
fn undo_entries_and_sentences_name_elements_in_german() {
    texts::within(Language::German, || {
        assert_eq!(texts::word("Remove “Plane 1”"), "„Plane 1“ entfernen");
        assert_eq!(texts::word("Put the view “Rib” into the report"), "Ansicht „Rib“ in den Bericht aufnehmen");
        let sentence = "Point “A” was not measured: only 3 scan points lie within 1 mm of it. Choose another point, or a \
                        larger radius.";
        assert!(texts::word(sentence).starts_with("Punkt „A“ wurde nicht gemessen: Nur 3 Scanpunkte"));
        assert_eq!(
            texts::word("Hole “H1”: the scan shows closed sheet at its position."),
            "Loch „H1“: der Scan zeigt an seiner Position geschlossenes Blech."
        );
    });
}

#[test]
fn the_smallest_window_has_room_for_german() {
    let mut window = open_sized([900.0, 600.0], Vec::new(), None);
    window.run_steps(3);
    speak(&mut window, ["View", "Language"], "Language: Deutsch");
    let mut right = 0.0;
    for name in ["Datei", "Bearbeiten", "Prüfen", "Ansicht", "Hilfe"].into_iter().chain(ROOMS.map(|(_, german)| german))
    {
        let rect = window.query_all_by_role_and_label(egui::Role::Button, name).next().expect(name).rect();
        assert!(rect.left() >= right && rect.right() <= 900.0, "{name} at {rect}, after {right}");
        right = rect.right();
    }
    compare_picture(&mut window, "german-smallest");
}
