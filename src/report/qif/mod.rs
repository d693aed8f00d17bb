//! Results for other programs of quality assurance: `results.qif`, QIF 3.0 (ISO 23952:2020). Lengths in mm, angles in
//! degrees, coordinates in the nominal frame.

mod characteristic;
mod features;
mod node;

use std::collections::BTreeMap;

use super::Input;
use base::date::Stamp;
use base::hash::bytes_hash;
use base::{Result, UserError};
use characteristic::{Characteristic, value};
use features::{Measured, form};
use inspect::deviation::{Check, Verdict};
use inspect::section::Section;
use inspect::surface_points::SurfacePoints;
use inspect::tolerances::measure::Measure;
use node::Node;
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};

/// The document.
///
/// Returns an error if it cannot be written.
pub fn of(input: &Input<'_>, stamp: Stamp) -> Result<String> {
    let mut ids = Ids(0);
    let frames = Frames::of(input.document, &mut ids);
    let features = Measured::all(input.document, &mut ids);
    let characteristics = characteristics(input, &frames);
    let written: Vec<Written> = characteristics.iter().map(|own| Written::of(own, &features, &mut ids)).collect();
    let list = |name: &str, part: fn(&Written) -> &Node| {
        Node::list(name, written.iter().map(|own| part(own).clone()).collect())
    };
    let (results_id, standard) = (ids.next(), ids.next());
    let mut nodes = vec![
        Node::of("Version", vec![Node::text("TimeCreated", date_time(stamp))]),
        Node::of("Header", vec![Node::of("Application", vec![Node::text("Name", super::software())])]),
        standards(standard),
        units(),
    ];
    nodes.extend(frames.nodes());
    nodes.push(Node::of(
        "Characteristics",
        vec![
            Node::text("FormalStandardId", standard),
            list("CharacteristicDefinitions", |own| &own.definition),
            list("CharacteristicNominals", |own| &own.nominal),
            list("CharacteristicItems", |own| &own.item),
        ],
    ));
    let mut results = vec![statements(input)];
    if !features.is_empty() {
        results.push(Node::list("MeasuredFeatures", features.iter().map(Measured::node).collect()));
    }
    let measured = list("CharacteristicMeasurements", |own| &own.measurement);
    results.push(Node::of("MeasuredCharacteristics", vec![measured]));
    let status = match input.overall.verdict {
        Verdict::Pass => "PASS",
        Verdict::Fail => "FAIL",
        Verdict::Incomplete => "UNKNOWN",
    };
    results.push(Node::of("InspectionStatus", vec![Node::text("InspectionStatusEnum", status)]));
    let results = Node::of("MeasurementResults", results).with("id", &results_id.to_string());
    nodes.push(Node::of("Results", vec![Node::list("MeasurementResultsSet", vec![results])]));
    let document = |identity: String| {
        Node::of("QIFDocument", [vec![Node::text("QPId", identity)], nodes.clone()].concat())
            .with("xmlns", "http://qifstandards.org/xsd/qif3")
            .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
            .with("xsi:schemaLocation", "http://qifstandards.org/xsd/qif3 QIFDocument.xsd")
            .with("idMax", &ids.0.to_string())
            .with("versionQIF", "3.0.0")
    };
    // The same results have the same identity.
    let text = document(String::new()).document().map_err(|error| not_written(&error))?;
    document(identity(&text)).document().map_err(|error| not_written(&error))
}

fn not_written(error: &std::io::Error) -> UserError {
    UserError::internal(format!("The QIF document could not be written: {error}."))
}

/// Ids of a document, from 1.
struct Ids(u32);

impl Ids {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

/// A universally unique identifier that the text determines.
fn identity(text: &str) -> String {
    let hash = bytes_hash(text.as_bytes());
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default().to_owned();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

fn date_time(stamp: Stamp) -> String {
    let Stamp { year, month, day, hour, minute, second, offset_minutes } = stamp;
    let (sign, offset) = (if offset_minutes < 0 { '-' } else { '+' }, offset_minutes.abs());
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{:02}:{:02}",
        offset / 60,
        offset % 60
    )
}

fn units() -> Node {
    let unit = |kind: &str, base: &str, name: &str, factor: f64| {
        let conversion = Node::of("UnitConversion", vec![Node::number("Factor", factor)]);
        Node::of(kind, vec![Node::text("SIUnitName", base), Node::text("UnitName", name), conversion])
    };
    let angular = unit("AngularUnit", "radian", "degree", 1.0_f64.to_radians());
    let linear = unit("LinearUnit", "meter", "mm", 0.001);
    Node::of("FileUnits", vec![Node::of("PrimaryUnits", vec![angular, linear])])
}

/// What the tolerances are defined by: ISO 1101.
fn standards(id: u32) -> Node {
    let nodes = vec![
        Node::of("Organization", vec![Node::text("StandardsOrganizationEnum", "ISO")]),
        Node::text("Designator", "1101"),
        Node::text("Year", 2017),
    ];
    Node::list("StandardsDefinitions", vec![Node::of("Standard", nodes).with("id", &id.to_string())])
}

/// What the report says of the part as a whole.
fn statements(input: &Input<'_>) -> Node {
    let info = &input.document.settings.report;
    let stated = [
        ("PartNumber", info.part_number.clone()),
        ("SerialNumber", input.document.stage().serial.clone()),
        ("Operator", info.operator.clone()),
        ("Nominal", input.nominal.source.name()),
        ("Scan", input.actual.sources.iter().map(io::SourceFile::name).collect::<Vec<_>>().join(", ")),
        ("Verdict", input.overall.headline()),
        ("DecisionRule", input.overall.decision_rule.clone()),
    ];
    let remarks = input.overall.remarks.iter().map(|remark| ("Remark", remark.clone()));
    let stated = stated.into_iter().chain(remarks).filter(|(_, text)| !text.is_empty());
    Node::list("Attributes", stated.map(|(name, text)| Node::stated(name, &text)).collect())
}

/// Datum reference frames: lists of datums in order of priority.
struct Frames {
    /// Letters and their ids.
    datums: Vec<(String, u32)>,
    /// Datums of each frame as stated, and its id.
    frames: Vec<(Vec<String>, u32)>,
    /// The letters of each common datum, as it is stated.
    common: BTreeMap<String, Vec<String>>,
}

const PRECEDENCE: [&str; 6] = ["PRIMARY", "SECONDARY", "TERTIARY", "QUATERNARY", "QUINARY", "SENARY"];

impl Frames {
    fn of(document: &Document, ids: &mut Ids) -> Self {
        let (mut datums, mut frames, mut common) = (Vec::<(String, u32)>::new(), Vec::new(), BTreeMap::new());
        for (_, recipe) in document.tolerances() {
            let letters = &recipe.asked.datums;
            for (index, stated) in letters.iter().enumerate() {
                let members = match recipe.datums.get(index) {
                    Some(own) if own.all().len() > 1 => own.names_in(stated),
                    _ => vec![stated.clone()],
                };
                for letter in &members {
                    if !datums.iter().any(|(own, _)| own == letter) {
                        datums.push((letter.clone(), ids.next()));
                    }
                }
                if members.len() > 1 {
                    common.insert(stated.clone(), members);
                }
            }
            if !letters.is_empty() && !frames.iter().any(|(own, _)| own == letters) {
                frames.push((letters.clone(), ids.next()));
            }
        }
        Self { datums, frames, common }
    }

    fn id(&self, letters: &[String]) -> Option<u32> {
        self.frames.iter().find(|(own, _)| own == letters).map(|(_, id)| *id)
    }

    fn nodes(&self) -> Vec<Node> {
        if self.datums.is_empty() {
            return Vec::new();
        }
        let definition = |(letter, id): &(String, u32)| {
            // A name token has no spaces.
            let label: String = letter.chars().map(|own| if own.is_alphanumeric() { own } else { '_' }).collect();
            Node::of("DatumDefinition", vec![Node::text("DatumLabel", label)]).with("id", &id.to_string())
        };
        let simple = |letter: &String| {
            let id = self.datums.iter().find(|(own, _)| own == letter).map_or(0, |(_, id)| *id);
            let nodes = vec![
                Node::text("DatumDefinitionId", id),
                Node::text("MaterialModifier", "NONE"),
                Node::text("ReferencedComponent", "ACTUAL"),
            ];
            Node::of("SimpleDatum", nodes)
        };
        let datum = |(stated, precedence): (&String, &str)| {
            let datum = match self.common.get(stated) {
                Some(members) => {
                    let numbered = (1..).zip(members).map(|(number, letter): (u32, &String)| {
                        Node::of("Datum", vec![simple(letter), Node::text("SequenceNumber", number)])
                    });
                    Node::list("CompoundDatum", numbered.collect())
                }
                None => simple(stated),
            };
            let precedence = Node::of("Precedence", vec![Node::text("PrecedenceEnum", precedence)]);
            Node::of("Datum", vec![datum, precedence])
        };
        let frame = |(letters, id): &(Vec<String>, u32)| {
            let datums = letters.iter().zip(PRECEDENCE).map(datum).collect();
            Node::of("DatumReferenceFrame", vec![Node::list("Datums", datums)]).with("id", &id.to_string())
        };
        vec![
            Node::list("DatumDefinitions", self.datums.iter().map(definition).collect()),
            Node::list("DatumReferenceFrames", self.frames.iter().map(frame).collect()),
        ]
    }
}

/// The four elements of a characteristic.
struct Written {
    definition: Node,
    nominal: Node,
    item: Node,
    measurement: Node,
}

impl Written {
    fn of(own: &Characteristic, features: &[Measured], ids: &mut Ids) -> Self {
        let [definition, nominal, item, measurement] = std::array::from_fn(|_| ids.next());
        let node = |part: &str, id: u32, nodes: Vec<Node>| {
            Node::of(format!("{}Characteristic{part}", own.kind), nodes).with("id", &id.to_string())
        };
        let referring = |name: &str, id: u32, rest: &[Node]| [vec![Node::text(name, id)], rest.to_vec()].concat();
        let feature = features.iter().find(|feature| Some(feature.of) == own.feature);
        let feature = feature.map(|feature| Node::list("FeatureMeasurementIds", vec![Node::text("Id", feature.id)]));
        let mut measured: Vec<Node> = own.preparation.iter().cloned().collect();
        measured.extend([
            Node::of("Status", vec![Node::text("CharacteristicStatusEnum", own.status())]),
            Node::text("CharacteristicItemId", item),
        ]);
        measured.extend(feature);
        measured.extend(own.measurement.iter().cloned());
        Self {
            definition: node("Definition", definition, own.definition.clone()),
            nominal: node("Nominal", nominal, referring("CharacteristicDefinitionId", definition, &own.nominal)),
            item: node(
                "Item",
                item,
                vec![Node::text("Name", &own.name), Node::text("CharacteristicNominalId", nominal)],
            ),
            measurement: node("Measurement", measurement, measured),
        }
    }
}

/// All checks, in the order of the plan.
fn characteristics(input: &Input<'_>, frames: &Frames) -> Vec<Characteristic> {
    let document = input.document;
    let mut all = Vec::new();
    for element in document.plan.elements() {
        let (id, name) = (element.id, element.name.clone());
        let is_fresh = document.state(id) == State::Fresh;
        match &element.recipe {
            Recipe::Tolerance(recipe) => {
                let made = document.judgement_of(id).and_then(std::result::Result::ok);
                let frame = frames.id(&recipe.asked.datums);
                let form = form(document, recipe.feature);
                let own = Characteristic::of_tolerance(name, &recipe.asked, form, frame, made.as_ref());
                all.push(Characteristic { feature: recipe.feature, ..own });
            }
            Recipe::Measure(recipe) => {
                let made = document.result::<Measure>(Some(id)).filter(|_| is_fresh);
                all.push(Characteristic::of_measure(name, recipe.quantity, [recipe.lower, recipe.upper], made));
            }
            Recipe::Comparison(_) => {
                if let Some(check) = document.result::<Check>(Some(id)).filter(|_| is_fresh) {
                    all.extend(of_comparison(&name, check));
                } else {
                    all.push(stale(name, "Surface comparison"));
                }
            }
            Recipe::SurfacePoints(_) => match document.result::<SurfacePoints>(Some(id)).filter(|_| is_fresh) {
                Some(made) => all.extend(of_points(&name, made)),
                None => all.push(stale(name, "Deviations at points of the surface")),
            },
            Recipe::Section(_) => {
                let Some(made) = document.result::<Section>(Some(id)).filter(|_| is_fresh) else {
                    all.push(stale(name, "Section"));
                    continue;
                };
                let dimensions = made.dimension_names().zip(&made.dimensions);
                let dimensions =
                    dimensions.map(|(own, made)| Characteristic::of_dimension(format!("{name}, {own}"), made));
                let said = inspect::recipe::Product::sentences(made).join(" ");
                all.push(Characteristic::judged(name.clone(), "Deviations in a section", made.verdict(), &said));
                all.extend(dimensions);
            }
            _ => all.extend(other(document, id, &name, is_fresh)),
        }
    }
    all
}

/// A check without an up-to-date result.
fn stale(name: String, what: &str) -> Characteristic {
    Characteristic::judged(name, what, None, "no up-to-date result")
}

/// A surface comparison: its verdict, and the statistics of its deviations.
fn of_comparison(name: &str, check: &Check) -> Vec<Characteristic> {
    let tolerance = check.parameters.tolerance;
    let what = format!(
        "Deviations of the surface{} within {} mm to {} mm but for regions smaller than {:.3} mm²{}",
        check.parameters.measured_in_words().map(|own| format!(" {own}")).unwrap_or_default(),
        tolerance.low_mm,
        tolerance.high_mm,
        check.parameters.min_region_mm2.unwrap_or(check.resolution.area_mm2),
        check.parameters.own_tolerances_in_words()
    );
    let said = format!("{}. {}", check.judgement.headline(), check.judgement.reason);
    let statistics = &check.statistics;
    let figures = [
        ("mean deviation", statistics.mean_mm),
        ("standard deviation", statistics.sigma_mm),
        ("RMS deviation", statistics.rms_mm),
        ("least deviation", statistics.min_mm),
        ("greatest deviation", statistics.max_mm),
    ];
    let figure = |(what, mm): (&str, f64)| Characteristic {
        measurement: vec![value("Value", mm, None)],
        ..Characteristic::length(format!("{name}, {what}"), what, [None; 2])
    };
    let judged = Characteristic::judged(name.to_owned(), &what, Some(check.judgement.verdict), &said);
    std::iter::once(judged).chain(figures.into_iter().filter(|(_, mm)| mm.is_finite()).map(figure)).collect()
}

/// Deviations at points of the surface.
fn of_points(name: &str, made: &SurfacePoints) -> Vec<Characteristic> {
    let tolerance = made.parameters.tolerance;
    let limits = [Some(tolerance.low_mm), Some(tolerance.high_mm)];
    let one = |own: &inspect::surface_points::SurfacePoint| {
        let [x, y, z] = [own.at.x, own.at.y, own.at.z];
        let what = format!("Deviation along {} at {x}, {y}, {z} mm", own.direction.name());
        let measured = own.measured.as_ref().ok().map(|(mm, _)| *mm);
        Characteristic {
            verdict: measured.map(|_| made.verdict_of(own)),
            measurement: measured.map(|mm| value("Value", mm, own.uncertainty_mm)).into_iter().collect(),
            ..Characteristic::length(format!("{name}, {}", own.name), &what, limits)
        }
    };
    made.points.iter().map(one).collect()
}

/// Another check with a verdict, such as a calibration.
fn other(document: &Document, id: ElementId, name: &str, is_fresh: bool) -> Option<Characteristic> {
    let made = document.stage().results.made(id).filter(|_| is_fresh)?;
    let verdict = made.verdict?;
    let kind = document.plan.get(id).map_or("Check", |element| element.recipe.kind());
    Some(Characteristic::judged(name.to_owned(), kind, Some(verdict), &made.sentences.join(" ")))
}
