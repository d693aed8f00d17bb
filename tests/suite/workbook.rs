//! Workbooks of reports and series: as a reader of the format finds them, with the figures of the other files.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Cloud, Point};
use shadowgraph::io::write;

use super::support::{errors, shadowgraph, text};

/// Cells of a sheet, by their names (“B7”), as text.
pub type Cells = BTreeMap<String, String>;

/// The sheets of a workbook, by name.
pub fn sheets(path: &Path) -> BTreeMap<String, Cells> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut part = |name: &str| {
        let mut text = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let mut strings = Vec::new();
    walk(&part("xl/sharedStrings.xml"), |path, attributes, text| match path {
        [.., "si"] => strings.push(String::new()),
        [.., "si", "t"] if attributes.is_empty() => strings.last_mut().unwrap().push_str(text),
        _ => (),
    });
    let mut names = Vec::new();
    walk(&part("xl/workbook.xml"), |path, attributes, _| {
        if path.last() == Some(&"sheet") && !attributes.is_empty() {
            names.push(attributes["name"].clone());
        }
    });
    let sheet = |number: usize| {
        let (mut cells, mut at, mut is_string) = (Cells::new(), String::new(), false);
        walk(&part(&format!("xl/worksheets/sheet{number}.xml")), |path, attributes, text| match path {
            [.., "c"] if !attributes.is_empty() => {
                at.clone_from(&attributes["r"]);
                is_string = attributes.get("t").is_some_and(|own| own == "s");
            }
            [.., "c", "v"] if !text.is_empty() => {
                let value = if is_string { strings[text.parse::<usize>().unwrap()].clone() } else { text.to_owned() };
                cells.insert(at.clone(), value);
            }
            _ => (),
        });
        cells
    };
    let all: Vec<Cells> = (1..=names.len()).map(sheet).collect();
    names.into_iter().zip(all).collect()
}

/// Calls back for each element with its path and attributes, and for each text with the path of its element.
fn walk(xml: &str, mut visit: impl FnMut(&[&str], &BTreeMap<String, String>, &str)) {
    let mut reader = Reader::from_str(xml);
    let mut path: Vec<String> = Vec::new();
    loop {
        let event = reader.read_event().unwrap();
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(start) | Event::Empty(start) => {
                path.push(start.local_name().as_ref().to_owned());
                let attributes = start.attributes().map(|own| {
                    let own = own.unwrap();
                    (own.key.local_name().as_ref().to_owned(), own.value.to_string())
                });
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                visit(&names, &attributes.collect(), "");
                if is_empty {
                    path.pop();
                }
            }
            Event::Text(own) => {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                visit(&names, &BTreeMap::new(), &own);
            }
            Event::End(_) => drop(path.pop()),
            Event::Eof => return,
            _ => (),
        }
    }
}

/// The number in a cell.
pub fn number(cells: &Cells, at: &str) -> f64 {
    cells.get(at).unwrap_or_else(|| panic!("{at} is empty")).parse().unwrap()
}

/// Rows of a sheet in which a column has a text.
fn rows_with(cells: &Cells, column: &str, wanted: &str) -> Vec<usize> {
    let rows = cells.iter().filter(|(_, value)| *value == wanted);
    let row = |at: &String| at.strip_prefix(column).and_then(|row| row.parse().ok());
    let mut rows: Vec<usize> = rows.filter_map(|(at, _)| row(at)).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_workbook_has_the_figures_of_the_report_and_no_formulas() {
    let folder = tempfile::tempdir().unwrap();
    // A name that a spreadsheet would take for a formula.
    let (cad, scan) = (folder.path().join("=1+1.stl"), folder.path().join("scan.ply"));
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    let bulge = |x: f64, y: f64| if (x - 60.0).hypot(y - 30.0) < 6.0 { 0.5 } else { 0.02 };
    let top = (0..4800).map(|i| (f64::from(i % 80) + 0.5, f64::from(i / 80) + 0.5));
    let top: Vec<Point> = top.map(|(x, y)| Point::new(x, y, 20.0 + bulge(x, y))).collect();
    write::cloud(&scan, &Cloud::from_points(top)).unwrap();
    let (table, out) = (folder.path().join("points.csv"), folder.path().join("out"));
    std::fs::write(&table, "name,x,y,z\nP1,10,12,20\nP2,60,30,20\nP3,40,0,10\n").unwrap();
    let arguments = ["inspect", "--nominal", text(&cad), "--scan", text(&scan), "--align", "none", "--no-pictures"];
    let more = ["--tolerance-mm", "0.1", "--surface-points", text(&table), "--out", text(&out)];
    let output = shadowgraph(&[arguments.as_slice(), &more].concat());
    assert!(out.join("results.xlsx").exists(), "{}", errors(&output));
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    let sheets = sheets(&out.join("results.xlsx"));
    assert_eq!(
        sheets.keys().collect::<Vec<_>>(),
        ["Features and checks", "Regions", "Results", "Summary", "Surface points"]
    );

    let said = &sheets["Summary"];
    assert_eq!((said["A2"].as_str(), said["B2"].as_str()), ("Verdict", "fail"));
    assert_eq!(said["B3"], summary["headline"].as_str().unwrap());
    assert!(said.values().any(|value| value.contains("=1+1.stl")));

    let results = &sheets["Results"];
    let heads = ["A1", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "I1", "J1"].map(|at| results[at].as_str());
    let [figure, value, unit] = [heads[3], heads[4], heads[5]];
    assert_eq!([figure, value, unit], ["Figure", "Value", "Unit"]);
    let rms = rows_with(results, "D", "RMS");
    assert!(!rms.is_empty(), "{results:?}");
    let rms_mm = summary["deviation"]["rms_mm"].as_f64().unwrap();
    assert!(rms.iter().any(|row| number(results, &format!("E{row}")) == rms_mm), "{rms_mm} {results:?}");
    assert_eq!((results["C2"].as_str(), &results["J2"]), ("fail", &said["B3"]));

    let regions = summary["regions"].as_array().unwrap();
    assert!(!regions.is_empty());
    for (index, region) in regions.iter().enumerate() {
        let row = index + 2;
        assert_eq!(number(&sheets["Regions"], &format!("F{row}")), region["peak_mm"].as_f64().unwrap());
        assert_eq!(number(&sheets["Regions"], &format!("E{row}")), region["area_mm2"].as_f64().unwrap());
    }

    let points = &sheets["Surface points"];
    let csv = std::fs::read_to_string(out.join("surface-points.csv")).unwrap();
    for (row, line) in (2..).zip(csv.lines().skip(1)) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(points[&format!("B{row}")], fields[0]);
        match fields[5].parse::<f64>() {
            Ok(deviation_mm) => assert_eq!(number(points, &format!("G{row}")), deviation_mm),
            // Not measured: an empty cell, no zero.
            Err(_) => assert!(!points.contains_key(&format!("G{row}")) && points[&format!("K{row}")] == "incomplete"),
        }
    }
    assert_eq!(rows_with(points, "K", "pass").len(), 1);

    let mut archive = zip::ZipArchive::new(std::fs::File::open(out.join("results.xlsx")).unwrap()).unwrap();
    for index in 0..archive.len() {
        let mut xml = String::new();
        archive.by_index(index).unwrap().read_to_string(&mut xml).unwrap();
        assert!(!xml.contains("<f>"), "a formula");
    }
}
