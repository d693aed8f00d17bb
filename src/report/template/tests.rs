use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::super::content::{Content, HistogramBars, ReportBlock};
use super::super::logo::Logo;
use super::super::pictures::{Pictures, RegionMark, View, ViewKind};
use super::super::results::ResultLine;
use super::super::sections::Drawing;
use super::*;
use base::{ErrorKind, PageSize};
use inspect::deviation::Verdict;
use serde_json::json;
use session::presentation::ReportSection;
use session::results::RowVerdict;

fn content() -> Content {
    let block = |section, title: &str, value: &str| ReportBlock {
        section,
        title: title.to_owned(),
        rows: vec![("RMS".to_owned(), value.to_owned())],
    };
    Content {
        title: "#panic(\"no\") *bold*".to_owned(),
        logo: Some(Logo { png: b"logo".to_vec(), size: [2, 1] }),
        page_size: PageSize::Letter,
        subtitle: "a.ply against a.step".to_owned(),
        verdict: "FAIL on 98 % of the surface".to_owned(),
        verdict_reason: "1 region is out of tolerance.".to_owned(),
        status: Verdict::Fail,
        date: "2026-01-02".to_owned(),
        software: "Shadowgraph".to_owned(),
        order: vec![
            ReportSection::Deviation,
            ReportSection::Views,
            ReportSection::Regions,
            ReportSection::Results,
            ReportSection::Measures,
            ReportSection::Sections,
        ],
        blocks: vec![
            block(ReportSection::Measures, "Features", "r"),
            block(ReportSection::Deviation, "Deviation", "0.0321 mm"),
            block(ReportSection::Measures, "Distances", "d"),
            block(ReportSection::Coverage, "Coverage", "left out"),
        ],
        histogram: HistogramBars {
            heights: vec![1.0],
            colours: vec!["#00ff00".to_owned()],
            limits: vec![0.5],
            labels: vec!["0 mm".to_owned()],
        },
        scale_colours: vec!["#00ff00".to_owned()],
        scale_limits: vec![(0.25, "-0.1 mm".to_owned())],
        scale_key: "grey: no data".to_owned(),
        scale_ends: ["-1 mm", "+1 mm"].map(str::to_owned),
        regions: vec![["1", "2.00 mm", "3.00 mm", "4.00 mm", "5.0 mm²", "+0.342 mm"].map(str::to_owned)],
        results: vec![ResultLine {
            cells: ["Bore", "Diameter, mm", "10.0000", "10.0120", "+0.0120", "", "10.0200", "0.0031"]
                .map(str::to_owned),
            verdict: RowVerdict::Pass,
        }],
        drawings: vec![Drawing { caption: "Section".to_owned(), size: [9.0; 2], lines: Vec::new(), texts: Vec::new() }],
        no_pictures: None,
        notes: vec!["A remark.".to_owned()],
    }
}

fn pictures() -> Pictures {
    let view = |file: &str, kind| View {
        file: format!("views/{file}.png"),
        caption: file.to_owned(),
        png: file.as_bytes().to_vec(),
        kind,
        marks: vec![RegionMark { number: 1, at: [0.25, 0.75] }],
        flags: None,
    };
    let views =
        vec![view("top", ViewKind::Standard), view("region-1", ViewKind::Region), view("saved-1", ViewKind::Saved)];
    Pictures { views, missing: None }
}

/// Sets the pages of [`content`] by a program.
fn set(template: &Template, typst: &Typst, progress: &Progress) -> Result<TemplatePages> {
    let folder = tempfile::tempdir().unwrap();
    let (content, pictures, summary) = (content(), pictures(), json!({ "schema": "shadowgraph.inspection/1" }));
    let document = Document::default();
    let data = PageData { document: &document, content: &content, pictures: &pictures, summary: &summary };
    template.pages(&data, typst, folder.path(), progress)
}

/// A template, and a program that does what a script says.
fn by_script(folder: &Path, script: &str) -> (Template, Typst) {
    let [template, program] = ["company.typ", "typst"].map(|name| folder.join(name));
    std::fs::write(&template, "#data").unwrap();
    // Written by another process: one that this process has open for writing cannot be started.
    let body = format!("#!/bin/sh\nset -e\n{script}\n");
    let writer = ["-c", "printf '%s' \"$1\" > \"$0\" && chmod 755 \"$0\""];
    assert!(Command::new("sh").args(writer).arg(&program).arg(body).status().unwrap().success());
    (Template::read(&template).unwrap(), Typst { program, limit: Duration::from_secs(30) })
}

fn sentence(template: &Template, typst: &Typst) -> String {
    set(template, typst, &Progress::silent()).unwrap_err().sentence
}

#[test]
fn the_report_as_json_has_all_sections_in_their_order() {
    let (content, pictures, summary) = (content(), pictures(), json!({ "deviation": { "rms_mm": 0.0321 } }));
    let mut document = Document::default();
    document.settings.report.part_number = "SG-7".to_owned();
    let data = PageData { document: &document, content: &content, pictures: &pictures, summary: &summary };
    let report = data::of(&data);
    assert_eq!(report["summary"], summary);
    assert_eq!((&report["title"], &report["page_size"]), (&json!(content.title), &json!("us-letter")));
    assert_eq!((&report["part"]["part_number"], &report["logo"]), (&json!("SG-7"), &json!("pictures/logo.png")));
    let verdict = &report["verdict"];
    let [status, word, covers] = ["status", "word", "covers"].map(|key| verdict[key].as_str().unwrap());
    assert_eq!([status, word, covers], ["fail", "FAIL", "on 98 % of the surface"]);
    assert_eq!(verdict["colour"], "#c62828");
    let sections = report["sections"].as_array().unwrap();
    let headings: Vec<&str> = sections.iter().map(|own| own["heading"].as_str().unwrap()).collect();
    let expected = [
        "Deviation",
        "Views",
        "Regions out of tolerance",
        "Worst region",
        "Features and checks, U with k = 2",
        "Features",
        "Distances",
        "Drawings of the sections",
    ];
    assert_eq!(headings, expected);
    assert_eq!(sections[0]["tables"][0]["rows"], json!([["RMS", "0.0321 mm"]]));
    let files = |section: usize| -> Vec<&str> {
        sections[section]["figures"].as_array().unwrap().iter().map(|own| own["file"].as_str().unwrap()).collect()
    };
    assert_eq!(files(1), ["pictures/top.png", "pictures/saved-1.png"]);
    assert_eq!((files(3), files(7)), (vec!["pictures/region-1.png"], vec!["pictures/section-1.svg"]));
    assert_eq!(sections[1]["figures"][0]["marks"], json!([{ "number": 1, "x": 0.25, "y": 0.75 }]));
    let regions = &sections[2]["tables"][0];
    assert_eq!((&regions["header"][5], &regions["rows"][0][5]), (&json!("Peak"), &json!("+0.342 mm")));
    assert_eq!(report["labels"]["page"], "Page {number} of {count}");
    assert_eq!(report["remarks"]["items"], json!(["A remark."]));
}

#[test]
fn the_template_finds_its_neighbours_and_writes_to_none_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let own = |name: &str| folder.path().join(name);
    for name in ["layout.typ", "report.json", "report.pdf", "said.txt", "Corporate.OTF"] {
        std::fs::write(own(name), "mine").unwrap();
    }
    std::fs::create_dir(own("art")).unwrap();
    std::fs::write(own("art/mark.svg"), "mine").unwrap();
    let checks = "
        for own in layout.typ art/mark.svg report.pdf ../fonts/Corporate.OTF; do grep -q mine $own; done
        if grep -q mine report.json; then exit 1; fi
        grep -q 'inspection/1' report.json
        test ! -L company.typ
        for own in top region-1 saved-1 logo; do test \"$(head -c 3 pictures/$own.png)\" = \"$(echo $own | cut -c 1-3)\"; done
        grep -q '<svg' pictures/section-1.svg
        test -s ../fonts/Inter-Regular.otf
        for last; do :; done
        printf '%%PDF-1.7 made' > \"$last\"
        echo 'company.typ:4:1: warning: unknown font family: nope' >&2";
    let (template, typst) = by_script(folder.path(), checks);
    let made = set(&template, &typst, &Progress::silent()).unwrap();
    assert_eq!(made.pdf, b"%PDF-1.7 made");
    assert_eq!(made.warnings, ["The template “company.typ”, line 4: unknown font family: nope."]);
    for name in ["report.json", "report.pdf", "said.txt"] {
        assert_eq!(std::fs::read(own(name)).unwrap(), b"mine", "{name}");
    }
}

#[test]
fn pictures_of_the_user_stand_beside_those_of_the_report_and_hidden_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("pictures");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("stamp.png"), "mine").unwrap();
    let script = "
        grep -q mine pictures/stamp.png
        test \"$(head -c 3 pictures/top.png)\" = top
        for last; do :; done
        printf '%%PDF-1.7 made' > \"$last\"";
    let (template, typst) = by_script(folder.path(), script);
    let warnings = || set(&template, &typst, &Progress::silent()).unwrap().warnings;
    assert!(warnings().is_empty());
    std::fs::write(own.join("top.png"), "mine").unwrap();
    let said = "“pictures/top.png” beside the template “company.typ” is hidden by the picture of that name in the report: \
                rename it.";
    assert_eq!(warnings(), [said]);
    std::fs::write(own.join("logo.png"), "mine").unwrap();
    let said = "“pictures/logo.png” and 1 more beside the template “company.typ” are hidden by the pictures of these names \
                in the report: rename them.";
    assert_eq!(warnings(), [said]);
    assert_eq!(std::fs::read(own.join("top.png")).unwrap(), b"mine");
}

#[test]
fn what_typst_does_wrong_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (template, typst) =
        by_script(folder.path(), "echo 'company.typ:3:2: error: unknown variable: foo' >&2; exit 1");
    assert_eq!(sentence(&template, &typst), "The template “company.typ”, line 3: unknown variable: foo.");
    let (template, typst) = by_script(folder.path(), "exit 0");
    assert!(sentence(&template, &typst).contains("made no PDF of the template “company.typ”"));
    let (template, typst) = by_script(folder.path(), "exec sleep 60");
    let typst = Typst { limit: Duration::from_secs(1), ..typst };
    assert!(sentence(&template, &typst).contains("was not set within 1 s"), "{}", sentence(&template, &typst));
    let cancelled = Progress::new(Arc::new(AtomicBool::new(true)), |_, _| ());
    assert_eq!(set(&template, &typst, &cancelled).unwrap_err().kind, ErrorKind::Cancelled);
}

#[test]
fn where_typst_is_missing_that_is_said_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (template, typst) = by_script(folder.path(), "exit 0");
    let missing = Typst { program: "shadowgraph-has-no-such-program".into(), ..typst.clone() };
    let said = sentence(&template, &missing);
    assert!(said.contains("needs the program typst, which is not found: install typst"), "{said}");
    assert!(said.contains("SHADOWGRAPH_TYPST") && said.ends_with("the built-in layout needs nothing."), "{said}");
    let missing = Typst { program: PathBuf::from("/no/such/typst"), ..typst };
    let said = sentence(&template, &missing);
    assert!(said.contains("“/no/such/typst”, which SHADOWGRAPH_TYPST names, does not start"), "{said}");
}

#[test]
fn what_is_no_template_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("company.typ");
    let said = |path: &Path| Template::read(path).unwrap_err().sentence;
    assert!(said(&path).contains("company.typ: it does not exist"), "{}", said(&path));
    std::fs::write(&path, [b'#', 0xff, 0xfe]).unwrap();
    assert_eq!(said(&path), "The template “company.typ” is not a text in UTF-8; save it as one.");
    std::fs::File::create(&path).unwrap().set_len(11 << 20).unwrap();
    assert_eq!(said(&path), "The template “company.typ” has 11.0 MiB; a template has at most 10.0 MiB.");
    assert!(said(&folder.path().join("report.json")).contains("the name of one ends with .typ"));
    assert!(save_starting(&folder.path().join("report.json")).is_err());
    save_starting(&path).unwrap();
    assert_eq!(Template::read(&path).unwrap().text, STARTING);
}
