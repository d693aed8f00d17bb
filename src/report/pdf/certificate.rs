//! PDF layout of the calibration certificate, in the language of this thread; the record is English.

use serde_json::Value;

use super::lettering::{Colour, Style, shape};
use super::paper::{Kind, MM, Paper, SECONDARY, SMALL, TEXT, WIDTH};
use super::table::{Cell, Table};
use super::{AMBER, GREEN, RED, serialise};
use base::date::Stamp;
use base::{PageSize, Result};
use texts::{text, word};

/// Width of the label column, points.
const LABEL_WIDTH: f32 = 52.0 * MM;

/// The certificate as PDF, from a record of `certificate::record`.
///
/// Returns an error if the PDF cannot be written.
pub fn of(record: &Value, stamp: Stamp, size: PageSize) -> Result<Vec<u8>> {
    serialise(layout(record, size), &title(record), stamp)
}

fn title(record: &Value) -> String {
    in_words(if record["certified"] == true { "Calibration certificate" } else { "Calibration record, not certified" })
}

/// What the record or this file says in English, in the language of this thread.
fn in_words(english: &str) -> String {
    word(english).into_owned()
}

fn layout(record: &Value, size: PageSize) -> Paper {
    let (c, title) = (Record(record), title(record));
    let certified = record["certified"] == true;
    let mut paper = Paper::new(size);
    let part = paper.part(Kind::Heading(1), None);
    let line = shape(&title, Style::plain(19.0).strong());
    let end = paper.text(&[line], [0.0, paper.y()], WIDTH, 0.0, Some(part));
    paper.go_to(end);
    let artefact = c.words("artefact");
    let subtitle = text!("printed-certificate-subtitle", artefact = artefact.as_str());
    paper.paragraph(&subtitle, TEXT.coloured(SECONDARY));
    paper.space(6.0);
    if !certified {
        let reasons = c.texts("reasons").iter().map(|reason| in_words(reason)).collect::<Vec<_>>().join(" ");
        paper.paragraph(&format!("{} {reasons}", word("Not certified.")), TEXT.strong().coloured(RED));
        paper.space(6.0);
    }
    setup(&mut paper, &c);
    let assessment = c.list("lights").map(|item| {
        vec![Cell::from(item.words("name")).with_dot(light(&item.text("light"))), item.words("sentence").into()]
    });
    Table {
        widths: vec![LABEL_WIDTH, WIDTH - LABEL_WIDTH],
        aligned: vec![0.0; 2],
        head: Vec::new(),
        rows: assessment.collect(),
    }
    .draw_under(&mut paper, &word("Assessment"));
    mounting(&mut paper, &c);
    for (name, key) in [("Sensor", "sensor"), ("CMM", "cmm")] {
        instrument(&mut paper, name, &c.inner(key));
    }
    comparison(&mut paper, &c.inner("consistency"));
    paper.heading(&word("Limitations of this calibration"), 3.0 * TEXT.leading());
    c.inner("consistency").texts("unseen").iter().for_each(|text| paper.item(&word(text), TEXT));
    paper.heading(&word("Evaluation method"), 4.0 * TEXT.leading());
    paper.paragraph(&word(METHOD), TEXT);
    let footer = format!("{} · {}", c.text("software"), c.text("date"));
    paper.add_headers_and_footers([&title, &artefact], &footer);
    paper
}

const METHOD: &str = "Features are fitted by total least squares (ISO 14405 GG). The artefact coordinate system is \
    established from them in the CMM and in the sensor coordinate system; the mounting is the pose of the artefact in \
    the CMM times the inverse of its pose in the sensor. Several snapshots are combined by a least-squares fit to all \
    these poses, each weighted by its covariance. The expanded uncertainties U (k = 2) include the residuals of the \
    fits, with the correlation between neighbouring points estimated from the residuals themselves, the probing error, \
    the error of the stylus tip radius, and the systematic sensor error stated above, assumed in turn to be a tilt, a bowl, \
    a cubic, a scale error and waves of that magnitude along the line of sight, and scale, shear, distortion and waves of \
    the image across it; for each quantity the form with the largest effect is used. CMM geometric errors are not \
    included unless they were estimated as well. Quantities of the artefact that do not depend on the coordinate \
    system are compared between the two instruments. A calibration with a red item in the assessment is not certified.";

/// Lenient reader of a JSON object: missing fields read as empty text, NaN or empty lists.
struct Record<'a>(&'a Value);

impl<'a> Record<'a> {
    fn text(&self, key: &str) -> String {
        self.0[key].as_str().unwrap_or_default().to_owned()
    }

    /// A text that the program gave.
    fn words(&self, key: &str) -> String {
        in_words(&self.text(key))
    }

    fn number(&self, key: &str) -> f64 {
        self.0[key].as_f64().unwrap_or(f64::NAN)
    }

    fn numbers(&self, key: &str) -> Vec<f64> {
        self.0[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    fn texts(&self, key: &str) -> Vec<String> {
        self.0[key].as_array().into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
    }

    fn list(&self, key: &str) -> impl Iterator<Item = Record<'a>> {
        self.0[key].as_array().into_iter().flatten().map(Record)
    }

    fn inner(&self, key: &str) -> Record<'a> {
        Record(&self.0[key])
    }

    /// The numbers of a list with the given number of decimals, then the unit.
    fn formatted_list(&self, key: &str, decimals: usize, unit: &str) -> String {
        format!(
            "{} {unit}",
            self.numbers(key).iter().map(|value| fixed(*value, decimals)).collect::<Vec<_>>().join("   ")
        )
    }
}

/// A number with fixed decimals and a true minus sign; zero has no sign.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !is_zero { format!("−{text}") } else { text }
}

/// Colour of a traffic light.
fn light(name: &str) -> Colour {
    match name {
        "green" => GREEN,
        "amber" => AMBER,
        _ => RED,
    }
}

fn row(label: &str, value: String) -> (String, String) {
    (in_words(label), value)
}

/// A row whose value the program gave in words.
fn row_in_words(label: &str, value: &str) -> (String, String) {
    row(label, in_words(value))
}

fn setup(paper: &mut Paper, c: &Record<'_>) {
    let or_not_stated = |text: String| if text.is_empty() { in_words("not stated") } else { text };
    let frame = if c.text("handedness") == "left" { "left-handed, mirrored in x" } else { "right-handed" };
    let field = match c.numbers("sensor_field_mm")[..] {
        [x, y] => format!("its field of {} × {} mm", fixed(x, 1), fixed(y, 1)),
        _ => "what the snapshots show of its field".to_owned(),
    };
    let limit_mm = c.number("probe_radius_limit_mm");
    let stylus = if limit_mm.is_nan() {
        "without effect on the mounting".to_owned()
    } else if c.0["probe_radius_error_mm"].as_f64() == Some(limit_mm) {
        format!("up to {} mm, as stated", fixed(limit_mm, 4))
    } else {
        format!("up to {} mm, as far as the artefact shows it", fixed(limit_mm, 4))
    };
    let rows = [
        row("Date", c.text("date")),
        row("Valid until", format!("{}: {}", c.text("valid_until"), c.words("valid_because"))),
        row("Operator", or_not_stated(c.text("operator"))),
        row("Sensor serial number", or_not_stated(c.text("sensor_serial"))),
        row("CMM serial number", or_not_stated(c.text("machine_serial"))),
        row("Artefact serial number", or_not_stated(c.text("artefact_serial"))),
        row_in_words("Sensor coordinate system", frame),
        row("CMM position at the snapshot", c.formatted_list("position_mm", 3, "mm")),
        row("Stylus tip radius", format!("{} mm", fixed(c.number("probe_radius_mm"), 4))),
        row_in_words("Error of the stylus tip radius", &stylus),
        row_in_words(
            "Systematic sensor error",
            &format!("up to {} mm over {field}, as stated", fixed(c.number("sensor_bias_mm"), 4)),
        ),
        row_in_words("Sensor scale error", &format!("up to {} µm/m", fixed(1e6 * c.number("sensor_scale_error"), 1))),
        row_in_words("CMM probing error", &format!("up to {} mm, as stated", fixed(c.number("cmm_probing_mm"), 4))),
    ];
    Table::of_pairs(&rows, LABEL_WIDTH, WIDTH).draw(paper, 0.0);
}

fn mounting(paper: &mut Paper, c: &Record<'_>) {
    let uncertainty = c.inner("uncertainty_k2");
    let forms: Vec<String> = uncertainty.texts("systematic_forms").iter().map(|form| in_words(form)).collect();
    let mut rows = vec![
        row("Translation X, Y, Z", c.formatted_list("translation_mm", 4, "mm")),
        row("Angles of R = Rx Ry Rz", c.formatted_list("angles_deg", 5, "°")),
        row("Position, U (k = 2)", format!("± {}", uncertainty.formatted_list("place_mm", 4, "mm"))),
        row("  due to systematic sensor error", uncertainty.formatted_list("place_systematic_mm", 4, "mm")),
        row("  due to the stylus tip radius", uncertainty.formatted_list("place_stylus_mm", 4, "mm")),
        row("Angles, U (k = 2)", format!("± {}", uncertainty.formatted_list("angles_deg", 5, "°"))),
        row("  due to systematic sensor error", uncertainty.formatted_list("angles_systematic_deg", 5, "°")),
        row("  dominant form, X Y Z Rx Ry Rz", forms.join("   ")),
    ];
    let bootstrap = c.inner("bootstrap_k2");
    if !bootstrap.0.is_null() {
        rows.push(row(
            "Position, U by block bootstrap",
            format!("± {}", bootstrap.formatted_list("place_mm", 4, "mm")),
        ));
        rows.push(row("Angles, U by block bootstrap", format!("± {}", bootstrap.formatted_list("angles_deg", 5, "°"))));
    }
    rows.push(row("Reference point, sensor frame", uncertainty.formatted_list("reference_mm", 1, "mm")));
    let micro = |value: f64| fixed(1e6 * value, 1);
    let joint = c.inner("joint");
    if !joint.0.is_null() {
        let misfit = fixed(joint.number("misfit"), 2);
        let snapshots = format!("{}, normalised RMS residual {misfit}", c.number("snapshots"));
        rows.push(row_in_words("Snapshots", &snapshots));
        let sigma = joint.number("squareness_k2_rad");
        if sigma > 0.0 {
            let squareness = micro(joint.number("squareness_rad"));
            rows.push(row("Squareness of X and Y, ± U (k = 2)", format!("{squareness} ± {} µrad", micro(sigma))));
        }
        let sigmas = joint.numbers("scales_k2");
        if sigmas.first().is_some_and(|sigma| *sigma > 0.0) {
            for ((axis, scale), sigma) in ["X", "Y", "Z"].iter().zip(joint.numbers("scales")).zip(sigmas) {
                rows.push(row(
                    &format!("Scale error of {axis}, ± U (k = 2)"),
                    format!("{} ± {} µm/m", micro(scale), micro(sigma)),
                ));
            }
        }
    }
    for bias in c.list("radius_bias_mm") {
        let name = text!("printed-certificate-radius", sphere = bias.words("sphere"));
        rows.push((name, format!("{} mm", fixed(bias.number("bias_mm"), 4))));
    }
    Table::of_pairs(&rows, LABEL_WIDTH, WIDTH).draw_under(paper, &word("Mounting: transformation from sensor to CMM"));
    let numbers = |row: &Value| row.as_array().into_iter().flatten().filter_map(Value::as_f64).collect::<Vec<_>>();
    let matrix = c.0["cmm_from_sensor"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| numbers(row).into_iter().map(|value| Cell::from(fixed(value, 8))).collect());
    let width = 32.0 * MM;
    Table { widths: vec![width; 4], aligned: vec![1.0; 4], head: Vec::new(), rows: matrix.collect() }
        .draw_under(paper, &word("Mounting as a matrix, translation in mm"));
}

/// Fits of one instrument.
fn instrument(paper: &mut Paper, name: &str, record: &Record<'_>) {
    let fits = record.list("fits").map(|item| {
        let (fit, direction_rad) = (item.inner("fit"), item.inner("fit").inner("uncertainty").number("direction_rad"));
        let cells = [
            fit.number("used").to_string(),
            item.number("dropped").to_string(),
            fixed(fit.number("rms_mm"), 4),
            fixed(fit.number("form_error_mm"), 4),
            // A sphere has no direction to be uncertain of.
            if fit.inner("shape").text("kind") == "sphere" {
                "–".to_owned()
            } else {
                format!("± {}°", fixed(direction_rad.to_degrees(), 4))
            },
        ];
        let first = Cell::from(item.words("region")).with_dot(light(&item.text("light")));
        std::iter::once(first).chain(cells.map(Cell::from)).collect::<Vec<_>>()
    });
    let table = value_table(
        ["Feature", "Points", "Rejected", "RMS, mm", "Form error, mm", "Direction, U\u{a0}(k\u{a0}=\u{a0}2)"],
        fits.collect(),
    );
    paper.heading(&word(name), table.height() + 16.0);
    let blake3 = record.text("blake3");
    let digest = blake3.get(..16).unwrap_or(&blake3);
    paper.paragraph(&format!("{} · BLAKE3 {digest}", record.text("file")), SMALL);
    table.draw(paper, 0.0);
    if let Some(weakest) = record.0["weakest"].as_str() {
        paper.space(3.0);
        paper.paragraph(&text!("printed-certificate-weakest", name = in_words(weakest)), TEXT);
    }
}

/// A table with a label column and five columns of values.
fn value_table(head: [&str; 6], rows: Vec<Vec<Cell>>) -> Table {
    Table {
        widths: [vec![LABEL_WIDTH], vec![(WIDTH - LABEL_WIDTH) / 5.0; 5]].concat(),
        aligned: vec![0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        head: head.map(in_words).to_vec(),
        rows,
    }
}

/// Quantities of the artefact measured by both instruments.
fn comparison(paper: &mut Paper, consistency: &Record<'_>) {
    let rows = consistency.list("comparisons").map(|quantity| {
        let is_not_judged = quantity.text("outcome") == "not_judged";
        let normalised = if is_not_judged { "–".to_owned() } else { fixed(quantity.number("normalised"), 2) };
        let values = ["sensor", "cmm", "difference", "uncertainty_k2"].map(|key| fixed(quantity.number(key), 4));
        let name = format!("{}, {}", quantity.words("quantity"), quantity.text("unit"));
        let cells = values.into_iter().chain([normalised]).map(Cell::from);
        std::iter::once(Cell::from(name).with_dot(light(&quantity.text("light")))).chain(cells).collect::<Vec<_>>()
    });
    let table = value_table(["Quantity", "Sensor", "CMM", "Difference", "U (k = 2)", "|d| / U"], rows.collect());
    table.draw_under(paper, &word("Comparison of sensor and CMM"));
    paper.space(3.0);
    let limit = fixed(consistency.number("limit"), 2);
    let sentence =
        format!("Normalised deviations |d| / U up to {limit} are within chance for this number of comparisons.");
    paper.paragraph(&word(&sentence), TEXT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A calibration that was not certified, with serial numbers and an operator longer than a line.
    fn record() -> Value {
        let fit = |name: &str| {
            json!({ "region": name, "light": "green", "dropped": 12.0, "fit": { "used": 15_402.0, "rms_mm": 0.0042,
                "form_error_mm": 0.0213, "shape": { "kind": "plane" }, "uncertainty": { "direction_rad": 2e-5 } } })
        };
        let fits = ["sphere 1", "sphere 2", "sphere 3", "plane 1", "plane 2", "plane 3"].map(fit);
        let instrument = json!({ "file": "a-snapshot-of-the-artefact-with-a-name-that-is-long.ply",
            "blake3": "0123456789abcdef0123456789abcdef", "weakest": "plane 2",
            "fits": fits });
        let quantity = |i: usize| {
            json!({ "quantity": format!("Distance of the spheres {i}"), "unit": "mm", "light": "amber",
                "outcome": "agrees", "normalised": 0.4, "sensor": 50.0, "cmm": 50.01, "difference": -0.01,
                "uncertainty_k2": 0.02 })
        };
        let light = |name: &str| {
            json!({ "name": name, "light": "red",
                "sentence": "The angles contradict each other by far more than the fits allow, so that something moved." })
        };
        let lights = ["Sensor", "CMM", "Artefact", "Placement"].map(light);
        let comparisons: Vec<Value> = (0..30).map(quantity).collect();
        json!({ "certified": false, "reasons": ["The sensor moved.", "The artefact was measured in two places."],
            "artefact": "Three spheres and three planes", "date": "2026-11-25 15:00 +0100", "software": "Shadowgraph",
            "valid_until": "2026-11-26 15:00 +0100",
            "valid_because": "24 hours after calibration, as set by the operator, or until the next restart of the CMM",
            "operator": "Wilhelmine-Charlotte Mustermann-Beispielhausen of the department for production metrology",
            "sensor_serial": "SN-0001/2026-A", "machine_serial": "CMM-77-0815".repeat(12), "artefact_serial": "ART-42",
            "handedness": "left", "position_mm": [1200.5, -300.25, 800.125], "translation_mm": [-1.5, 2.5, 1e4],
            "angles_deg": [0.1, -0.2, 179.9], "cmm_from_sensor": vec![vec![0.123_456_789; 4]; 4],
            "probe_radius_mm": 1.5, "sensor_bias_mm": 0.005, "sensor_scale_error": 1e-5, "cmm_probing_mm": 0.002,
            "lights": lights, "sensor": instrument, "cmm": instrument,
            "consistency": { "limit": 3.2, "comparisons": comparisons,
                "unseen": ["An error of the machine that both instruments share is not seen."] },
            "uncertainty_k2": { "place_mm": [0.01, 0.02, 0.03], "systematic_forms": ["tilt", "bowl", "tilt", "bowl", "cubic", "scale"] } })
    }

    #[test]
    fn a_certificate_in_german_keeps_within_its_pages_and_names_what_was_typed() {
        texts::within(texts::Language::German, || {
            let (paper, title) = (layout(&record(), PageSize::A4), title(&record()));
            assert_eq!(title, "Kalibrierprotokoll, nicht zertifiziert");
            let written = written_within_pages(&paper);
            for text in
                ["Nicht zertifiziert.", "SN-0001/2026-A", "Wilhelmine-Charlotte", "Beurteilung", "Anbau als Matrix"]
            {
                assert!(written.contains(text), "{text:?} is not in {written}");
            }
            for english in ["Rejected", "Valid until", "as stated", "Features are fitted", "contributes most"] {
                assert!(!written.contains(english), "{english:?} is in {written}");
            }
        });
    }

    #[test]
    fn a_certificate_names_serial_numbers_and_validity_and_keeps_within_its_pages() {
        PageSize::ALL.into_iter().for_each(names_all_and_keeps_within_its_pages);
    }

    /// All text of a paper, none of which is cut.
    fn written_within_pages(paper: &Paper) -> String {
        use super::super::paper::Ink;
        let (margin, [width, height]) = (paper.left(), paper.size);
        let mut written = String::new();
        for (page, marks) in paper.pages.iter().enumerate() {
            let mut lowest: f32 = 0.0;
            for mark in marks {
                let Ink::Text([x, y], line) = &mark.ink else { continue };
                let (from, to) = (margin - 0.5, width - margin + 0.5);
                assert!(*x >= from && x + line.width <= to, "page {}: {:?} is cut", page + 1, line.text);
                lowest = lowest.max(*y);
                written += &line.text;
                written.push(' ');
            }
            assert!(lowest < height - 8.0 * MM, "page {} ends at {lowest}", page + 1);
        }
        written
    }

    fn names_all_and_keeps_within_its_pages(size: PageSize) {
        let paper = layout(&record(), size);
        let written = written_within_pages(&paper);
        assert!((2..=4).contains(&paper.pages.len()), "{} pages", paper.pages.len());
        for text in [
            "Calibration record, not certified",
            "The sensor moved.",
            "SN-0001/2026-A",
            "ART-42",
            "2026-11-26 15:00 +0100: 24 hours after calibration, as set by the operator",
            "Wilhelmine-Charlotte",
        ] {
            assert!(written.contains(text), "{text:?} is not in {written}");
        }
        let unbroken: String = written.split_whitespace().collect();
        assert!(unbroken.contains(&"CMM-77-0815".repeat(12)), "the serial number of the machine is cut");
        assert!(of(&record(), Stamp::of_unix(0), size).unwrap().starts_with(b"%PDF"));
    }

    #[test]
    fn values_have_fixed_decimals_and_zero_has_no_sign() {
        assert_eq!([fixed(-0.000_04, 4), fixed(-1.5, 2), fixed(2.0, 3)], ["0.0000", "−1.50", "2.000"]);
    }
}
