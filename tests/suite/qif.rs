//! Results as QIF 3.0: every figure as `summary.json` has it, every reference to something that is there, and the schema
//! of the standard where it is at hand (`SHADOWGRAPH_QIF_SCHEMA` names its file `QIFDocument.xsd`; needs `xmllint`).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command as Program;

use quick_xml::events::Event;
use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Inspect, Parts, Report, Sections, SurfacePoints};
use shadowgraph::geometry::Point;
use shadowgraph::inspect::section::{Parameters, Placement};

use super::pmi::{data, plate_scan, shaft_scan, shaft_with_common_datum};
use super::support::{asset, context, errors, shadowgraph, skipped, text};

/// An element of an XML document.
#[derive(Debug, Default)]
struct Node {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
    children: Vec<Node>,
}

impl Node {
    fn read(path: &Path) -> Self {
        let xml = std::fs::read_to_string(path).unwrap();
        let (mut reader, mut open) = (quick_xml::Reader::from_str(&xml), vec![Self::default()]);
        loop {
            let event = reader.read_event().unwrap();
            let is_empty = matches!(event, Event::Empty(_));
            match event {
                Event::Start(tag) | Event::Empty(tag) => {
                    let attribute = |own: quick_xml::events::attributes::Attribute<'_>| {
                        (own.key.as_ref().to_owned(), quick_xml::escape::unescape(&own.value).unwrap().into_owned())
                    };
                    let name = tag.name().as_ref().to_owned();
                    let attributes = tag.attributes().map(|own| attribute(own.unwrap())).collect();
                    open.push(Self { name, attributes, ..Self::default() });
                    if is_empty {
                        Self::close(&mut open);
                    }
                }
                Event::End(_) => Self::close(&mut open),
                Event::Text(own) => open.last_mut().unwrap().text += own.trim(),
                Event::GeneralRef(own) => {
                    let reference = format!("&{};", &*own);
                    open.last_mut().unwrap().text += &quick_xml::escape::unescape(&reference).unwrap();
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(open.len(), 1, "not all elements are closed");
        open.pop().unwrap().children.pop().unwrap()
    }

    fn close(open: &mut Vec<Self>) {
        let closed = open.pop().unwrap();
        open.last_mut().unwrap().children.push(closed);
    }

    fn all(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.children.iter().flat_map(Self::all)).collect()
    }

    fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|own| own.name == name)
    }

    fn text_of(&self, name: &str) -> &str {
        self.child(name).map_or("", |own| own.text.as_str())
    }

    /// The measurements with the names of their items.
    fn measurements(&self) -> Vec<(String, &Self)> {
        let all = self.all();
        let items: BTreeMap<&str, &str> = all
            .iter()
            .filter(|own| own.name.ends_with("CharacteristicItem"))
            .map(|own| (own.attributes["id"].as_str(), own.text_of("Name")))
            .collect();
        let measured = all.iter().filter(|own| own.name.ends_with("CharacteristicMeasurement"));
        measured.map(|own| (items[own.text_of("CharacteristicItemId")].to_owned(), *own)).collect()
    }

    fn status(&self) -> &str {
        self.child("Status").unwrap().text_of("CharacteristicStatusEnum")
    }
}

/// Every id is one, none is above the stated maximum, lists have as many as they say, references lead somewhere, and the
/// schema holds.
fn check(path: &Path) -> Node {
    let document = Node::read(path);
    let all = document.all();
    let ids: Vec<&str> = all.iter().filter_map(|own| own.attributes.get("id")).map(String::as_str).collect();
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    let max: u32 = document.attributes["idMax"].parse().unwrap();
    assert!(ids.iter().all(|id| (1..=max).contains(&id.parse::<u32>().unwrap())));
    for own in &all {
        if let Some(count) = own.attributes.get("n") {
            assert_eq!(own.children.len().to_string(), *count, "{}", own.name);
        }
        let is_reference = own.name == "Id" || own.name.ends_with("Id") && own.name != "QPId";
        assert!(!is_reference || unique.contains(own.text.as_str()), "{} leads to {}", own.name, own.text);
    }
    match std::env::var_os("SHADOWGRAPH_QIF_SCHEMA") {
        Some(schema) => {
            let ended = Program::new("xmllint").args(["--noout", "--schema"]).arg(schema).arg(path).output().unwrap();
            assert!(ended.status.success(), "{}", errors(&ended));
        }
        None => skipped("the schema of QIF is not at hand: SHADOWGRAPH_QIF_SCHEMA=…/QIFDocument.xsd"),
    }
    document
}

/// Equal but for what 18 decimals do not hold.
fn same(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-17, "{a} is not {b}");
}

#[test]
fn what_is_read_back_is_what_the_summary_says() {
    let folder = tempfile::tempdir().unwrap();
    let (scan, out, nominal) = (plate_scan(folder.path()), folder.path().join("report"), data("plate.step"));
    let mut arguments = vec!["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "none", "--pmi"];
    arguments.extend(["--no-pictures", "--serial", "7 & <8>", "--part-number", "SG-7", "--out", text(&out)]);
    let ended = shadowgraph(&arguments);
    assert!(ended.status.success(), "{}", errors(&ended));
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    let document = check(&out.join("results.qif"));
    let measurements = document.measurements();
    let found = |name: &str| {
        let mut named = measurements.iter().filter(|(own, _)| own == name);
        let (_, own) = named.next().unwrap_or_else(|| panic!("“{name}” is missing"));
        assert!(named.next().is_none(), "“{name}” stands twice");
        *own
    };
    let value = |own: &Node| own.text_of("Value").parse::<f64>().unwrap();
    let uncertainty = |own: &Node| {
        own.child("Value").unwrap().attributes.get("combinedUncertainty").map(|text| text.parse::<f64>().unwrap())
    };
    let status = |words: &str| match words {
        "conforms" | "in tolerance" => "PASS",
        "does not conform" | "out of tolerance" => "FAIL",
        _ => "INDETERMINATE",
    };
    let tolerances = summary["tolerances"].as_array().unwrap();
    for own in tolerances {
        let there = found(own["name"].as_str().unwrap());
        same(value(there), own["judged"]["measured_mm"].as_f64().unwrap());
        let known = (uncertainty(there), own["judged"]["uncertainty_mm"].as_f64());
        assert_eq!(known.0.is_some(), known.1.is_some());
        known.0.zip(known.1).iter().for_each(|(u, expanded)| same(2.0 * u, *expanded));
        assert_eq!(there.status(), status(own["words"].as_str().unwrap()), "{own}");
    }
    for own in summary["measures"].as_array().unwrap() {
        let there = found(own["name"].as_str().unwrap());
        same(value(there), own["value"].as_f64().unwrap());
        assert_eq!(there.status(), status(own["words"].as_str().unwrap()), "{own}");
    }
    let kinds: Vec<&str> = document.all().iter().map(|own| own.name.as_str()).collect::<Vec<_>>();
    for kind in ["Flatness", "Parallelism", "Perpendicularity", "Position", "Diameter", "DistanceBetween"] {
        assert!(kinds.contains(&format!("{kind}CharacteristicDefinition").as_str()), "{kind}");
    }
    // Widths of zones, as they were asked for; datums in their order.
    let all = document.all();
    let flatness = all.iter().find(|own| own.name == "FlatnessCharacteristicDefinition").unwrap();
    assert_eq!(flatness.text_of("ToleranceValue"), "0.05");
    let labels: Vec<&str> =
        all.iter().filter(|own| own.name == "DatumDefinition").map(|own| own.text_of("DatumLabel")).collect();
    assert!(labels.contains(&"A") && labels.len() >= 3, "{labels:?}");
    let (_, mean) = measurements.iter().find(|(name, _)| name.ends_with(", mean deviation")).expect("no mean");
    same(value(mean), summary["deviation"]["mean_mm"].as_f64().unwrap());
    let attributes: BTreeMap<&str, &str> = all
        .iter()
        .filter(|own| own.name == "AttributeStr")
        .map(|own| (own.attributes["name"].as_str(), own.attributes["value"].as_str()))
        .collect();
    assert_eq!((attributes["SerialNumber"], attributes["PartNumber"]), ("7 & <8>", "SG-7"));
    assert_eq!(attributes["Verdict"], summary["headline"].as_str().unwrap());
    let inspected = all.iter().find(|own| own.name == "InspectionStatus").unwrap().text_of("InspectionStatusEnum");
    let overall = summary["verdict"].as_str().unwrap();
    assert_eq!(
        inspected,
        match overall {
            "pass" => "PASS",
            "fail" => "FAIL",
            _ => "UNKNOWN",
        }
    );
    // Measured features are where they were measured.
    let planes: Vec<&&Node> = all.iter().filter(|own| own.name == "PlaneFeatureMeasurement").collect();
    assert!(
        planes.iter().any(|own| own
            .text_of("Normal")
            .split(' ')
            .filter_map(|n| n.parse::<f64>().ok())
            .any(|n| n.abs() > 0.99))
    );
    assert!(
        all.iter().any(|own| own.name == "CylinderFeatureMeasurement"
            && (own.text_of("Diameter").parse::<f64>().unwrap() - 10.0).abs() < 0.2),
        "the bore"
    );
}

#[test]
fn a_common_datum_is_a_compound_one() {
    let folder = tempfile::tempdir().unwrap();
    let (nominal, scan) = (shaft_with_common_datum(folder.path()), shaft_scan(folder.path()));
    let out = folder.path().join("report");
    let arguments = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "none", "--pmi"];
    let ended = shadowgraph(&[&arguments[..], &["--no-pictures", "--out", text(&out)]].concat());
    assert!(ended.status.success(), "{}", errors(&ended));
    let document = check(&out.join("results.qif"));
    let all = document.all();
    let labels: BTreeMap<&str, &str> = all
        .iter()
        .filter(|own| own.name == "DatumDefinition")
        .map(|own| (own.attributes["id"].as_str(), own.text_of("DatumLabel")))
        .collect();
    assert_eq!(labels.values().copied().collect::<Vec<_>>(), ["A", "B"]);
    let compound: Vec<&&Node> = all.iter().filter(|own| own.name == "CompoundDatum").collect();
    assert_eq!(compound.len(), 1);
    let members: Vec<(&str, &str)> = compound[0]
        .children
        .iter()
        .map(|own| {
            let simple = own.child("SimpleDatum").unwrap();
            (labels[simple.text_of("DatumDefinitionId")], own.text_of("SequenceNumber"))
        })
        .collect();
    assert_eq!(members, [("A", "1"), ("B", "2")]);
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.contains("| A-B"), "the report names the common datum");
}

#[test]
fn points_sections_and_what_was_not_judged_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command: Command| {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
    };
    send(&mut dispatcher, Parts::OpenNominal { path: asset("bracket.stl"), unit: None }.into());
    send(
        &mut dispatcher,
        Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None }.into(),
    );
    send(&mut dispatcher, Inspect::AlignAndCompare.into());
    let surface = &dispatcher.document.nominal().unwrap().surface;
    let on_top = surface.closest_point(&Point::new(95.0, 25.0, 4.0), f64::INFINITY).unwrap().point;
    send(&mut dispatcher, SurfacePoints::Pick(None, on_top).into());
    let placement = Placement::Axis { axis: 1, at_mm: 10.0 };
    send(&mut dispatcher, Sections::Add(Parameters { placement, ..Parameters::default() }).into());
    send(&mut dispatcher, Report::Write { folder: folder.path().join("report") }.into());
    let path = folder.path().join("report/results.qif");
    let document = check(&path);
    let measurements = document.measurements();
    let (_, point) = measurements.iter().find(|(name, _)| name.starts_with("Surface points")).expect("no point");
    assert!(matches!(point.status(), "PASS" | "FAIL") && point.text_of("Value").parse::<f64>().unwrap().abs() < 1.0);
    let (_, section) = measurements.iter().find(|(name, _)| name == "Section Y = 10 mm").expect("no section");
    assert!(section.status() == "PASS" && section.text_of("Value").contains("Deviations in the plane"), "{section:?}");
    let (_, rms) = measurements.iter().find(|(name, _)| name.ends_with("RMS deviation")).unwrap();
    assert_eq!(rms.status(), "NOT_ANALYZED", "a figure without limits is not judged");
    // The same results again are the same document.
    let identity = |document: &Node| document.text_of("QPId").to_owned();
    assert_eq!(identity(&document).split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
}
