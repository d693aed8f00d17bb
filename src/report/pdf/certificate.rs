//! The certificate of a calibration, from its record.

use serde_json::Value;

use super::super::date::Stamp;
use super::lettering::{Colour, Style, shape};
use super::paper::{Kind, MM, Paper, SMALL, SOFT, TEXT, WIDTH};
use super::table::{Cell, Table};
use super::{BAD, DOUBT, GOOD, written};
use base::Result;

const NAMES: f32 = 52.0 * MM;

/// The certificate as PDF; `record` as `certificate::record` makes it.
pub fn of(record: &Value, stamp: Stamp) -> Result<Vec<u8>> {
    let c = Record(record);
    let certified = record["certified"] == true;
    let title = if certified { "Calibration certificate" } else { "Calibration, not certified" };
    let mut paper = Paper::default();
    let part = paper.part(Kind::Heading(1), None);
    let line = shape(title, Style::plain(19.0).strong());
    let end = paper.text(&[line], [0.0, paper.y()], WIDTH, 0.0, Some(part));
    paper.go_to(end);
    let subtitle = format!("Sensor on a coordinate measuring machine · artefact: {}", c.text("artefact"));
    paper.paragraph(&subtitle, TEXT.coloured(SOFT));
    paper.space(6.0);
    if !certified {
        paper.paragraph(&format!("Not certified. {}", c.texts("reasons").join(" ")), TEXT.strong().coloured(BAD));
        paper.space(6.0);
    }
    set_up(&mut paper, &c);
    let lights = c
        .list("lights")
        .map(|own| vec![Cell::from(own.text("name")).lit(light(&own.text("light"))), own.text("sentence").into()]);
    Table { widths: vec![NAMES, WIDTH - NAMES], aligned: vec![0.0; 2], head: Vec::new(), rows: lights.collect() }
        .draw_under(&mut paper, "Lights");
    mounting(&mut paper, &c);
    for (name, key) in [("Sensor", "sensor"), ("CMM", "cmm")] {
        device(&mut paper, name, &c.inner(key));
    }
    agreement(&mut paper, &c.inner("consistency"));
    paper.heading("What this calibration does not show", 3.0 * TEXT.leading());
    c.inner("consistency").texts("unseen").iter().for_each(|text| paper.item(text, TEXT));
    paper.heading("How this was computed", 4.0 * TEXT.leading());
    paper.paragraph(COMPUTED, TEXT);
    paper.furnish([title, &c.text("artefact")], &format!("{} · {}", c.text("software"), c.text("date")));
    written(paper, title, stamp)
}

const COMPUTED: &str = "Features are fitted by total least squares (ISO 14405 GG); the artefact's frame is built from \
    them in both devices, and the mounting is the frame in the CMM times the inverse of the frame in the sensor; of \
    several snapshots, what fits all their frames best, each weighted by its own covariance. Uncertainties follow from the \
    residuals of the fits, whose correlation between neighbouring points is estimated from the residuals themselves, from \
    the probing error, and from the sensor's systematic error as stated above: as a tilt, a bowl, a cubic, a scale error \
    and waves of that size, of which the worst counts for each figure. CMM geometric errors are not in them, unless they \
    were found too. Quantities of the artefact that are the same in every frame are compared between the instruments; a \
    calibration with a red light is not certified.";

/// A JSON object that is read leniently: the record was made a moment ago, and its tests hold its fields.
struct Record<'a>(&'a Value);

impl<'a> Record<'a> {
    fn text(&self, key: &str) -> String {
        self.0[key].as_str().unwrap_or_default().to_owned()
    }

    fn number(&self, key: &str) -> f64 {
        self.0[key].as_f64().unwrap_or(f64::NAN)
    }

    fn numbers(&self, key: &str) -> Vec<f64> {
        self.0[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    fn texts(&self, key: &str) -> Vec<String> {
        self.0[key].as_array().into_iter().flatten().filter_map(|own| Some(own.as_str()?.to_owned())).collect()
    }

    fn list(&self, key: &str) -> impl Iterator<Item = Record<'a>> {
        self.0[key].as_array().into_iter().flatten().map(Record)
    }

    fn inner(&self, key: &str) -> Record<'a> {
        Record(&self.0[key])
    }

    fn three(&self, key: &str, digits: usize, unit: &str) -> String {
        format!("{} {unit}", self.numbers(key).iter().map(|own| fixed(*own, digits)).collect::<Vec<_>>().join("   "))
    }
}

/// With so many decimals and a minus sign as long as it should be.
fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !is_zero { format!("−{text}") } else { text }
}

fn light(name: &str) -> Colour {
    match name {
        "green" => GOOD,
        "amber" => DOUBT,
        _ => BAD,
    }
}

fn row(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

fn set_up(paper: &mut Paper, c: &Record<'_>) {
    let or = |text: String, otherwise: &str| if text.is_empty() { otherwise.to_owned() } else { text };
    let frame = if c.text("handedness") == "left" { "left-handed, mirrored in x" } else { "right-handed" };
    let rows = [
        row("Date", c.text("date")),
        row("Valid until", format!("{}: {}", c.text("valid_until"), c.text("valid_because"))),
        row("Operator", or(c.text("operator"), "not named")),
        row("Sensor", or(c.text("sensor_serial"), "serial number not named")),
        row("Machine", or(c.text("machine_serial"), "serial number not named")),
        row("Artefact", or(c.text("artefact_serial"), "serial number not named")),
        row("Sensor frame", frame.to_owned()),
        row("CMM position at the snapshot", c.three("position_mm", 3, "mm")),
        row("Radius of the probe", format!("{} mm", fixed(c.number("probe_radius_mm"), 4))),
        row(
            "Systematic sensor error",
            format!("up to {} mm over the field, as stated", fixed(c.number("sensor_bias_mm"), 4)),
        ),
        row("Scale error of the sensor", format!("up to {} µm/m", fixed(1e6 * c.number("sensor_scale_error"), 1))),
        row("Probing error of the CMM", format!("up to {} mm, as stated", fixed(c.number("cmm_probing_mm"), 4))),
    ];
    Table::of_pairs(&rows, NAMES, WIDTH).draw(paper, 0.0);
}

fn mounting(paper: &mut Paper, c: &Record<'_>) {
    let u = c.inner("uncertainty_k2");
    let mut rows = vec![
        row("Translation", c.three("translation_mm", 4, "mm")),
        row("Angles of Rx Ry Rz", c.three("angles_deg", 5, "°")),
        row("Uncertainty of place (k = 2)", format!("± {}", u.three("place_mm", 4, "mm"))),
        row("  of it, systematic sensor error", u.three("place_systematic_mm", 4, "mm")),
        row("Uncertainty of angles (k = 2)", format!("± {}", u.three("angles_deg", 5, "°"))),
        row("  of it, systematic sensor error", u.three("angles_systematic_deg", 5, "°")),
        row("  worst form, X Y Z Rx Ry Rz", u.texts("systematic_forms").join("   ")),
    ];
    let again = c.inner("bootstrap_k2");
    if !again.0.is_null() {
        rows.push(row("The same, points drawn again", format!("± {}", again.three("place_mm", 4, "mm"))));
        rows.push(row("", format!("± {}", again.three("angles_deg", 5, "°"))));
    }
    rows.push(row("Place is stated at, sensor frame", u.three("reference_mm", 1, "mm")));
    let micro = |value: f64| fixed(1e6 * value, 1);
    let joint = c.inner("joint");
    if !joint.0.is_null() {
        let misfit = fixed(joint.number("misfit"), 2);
        rows.push(row("Snapshots", format!("{}, misfit {misfit} standard deviations", c.number("snapshots"))));
        let sigma = joint.number("squareness_k2_rad");
        if sigma > 0.0 {
            let squareness = micro(joint.number("squareness_rad"));
            rows.push(row("Squareness of X and Y", format!("{squareness} ± {} µrad", micro(sigma))));
        }
        let sigmas = joint.numbers("scales_k2");
        if sigmas.first().is_some_and(|sigma| *sigma > 0.0) {
            for ((axis, scale), sigma) in ["X", "Y", "Z"].iter().zip(joint.numbers("scales")).zip(sigmas) {
                rows.push(row(&format!("Scale of {axis}"), format!("{} ± {} µm/m", micro(scale), micro(sigma))));
            }
        }
    }
    for bias in c.list("radius_bias_mm") {
        let name = format!("Radius of {}, sensor less CMM", bias.text("sphere"));
        rows.push((name, format!("{} mm", fixed(bias.number("bias_mm"), 4))));
    }
    Table::of_pairs(&rows, NAMES, WIDTH).draw_under(paper, "Mounting: CMM from sensor");
    paper.space(6.0);
    let figures = |own: &Value| own.as_array().into_iter().flatten().filter_map(Value::as_f64).collect::<Vec<_>>();
    let matrix = c.0["cmm_from_sensor"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|own| figures(own).into_iter().map(|value| Cell::from(fixed(value, 8))).collect());
    let wide = 32.0 * MM;
    Table { widths: vec![wide; 4], aligned: vec![1.0; 4], head: Vec::new(), rows: matrix.collect() }
        .draw(paper, 0.5 * (WIDTH - 4.0 * wide));
}

fn device(paper: &mut Paper, name: &str, d: &Record<'_>) {
    let fits = d.list("fits").map(|own| {
        let (fit, tilt) = (own.inner("fit"), own.inner("fit").inner("uncertainty").number("direction_rad"));
        let cells = [
            fit.number("used").to_string(),
            own.number("dropped").to_string(),
            fixed(fit.number("rms_mm"), 4),
            fixed(fit.number("form_error_mm"), 4),
            format!("± {}°", fixed(tilt.to_degrees(), 4)),
        ];
        let first = Cell::from(own.text("region")).lit(light(&own.text("light")));
        std::iter::once(first).chain(cells.map(Cell::from)).collect::<Vec<_>>()
    });
    let table = figures(["Fit", "Points", "Dropped", "RMS, mm", "Form, mm", "Tilt (k = 2)"], fits.collect());
    paper.heading(name, table.height() + 16.0);
    let blake3 = d.text("blake3");
    let digest = blake3.get(..16).unwrap_or(&blake3);
    paper.paragraph(&format!("{} · BLAKE3 {digest}", d.text("file")), SMALL);
    table.draw(paper, 0.0);
    if let Some(weakest) = d.0["weakest"].as_str() {
        paper.space(3.0);
        paper.paragraph(&format!("The angles are limited most by the fit of {weakest}."), TEXT);
    }
}

/// A table of names and five columns of figures.
fn figures(head: [&str; 6], rows: Vec<Vec<Cell>>) -> Table {
    let first = 52.0 * MM;
    Table {
        widths: [vec![first], vec![(WIDTH - first) / 5.0; 5]].concat(),
        aligned: vec![0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        head: head.map(str::to_owned).to_vec(),
        rows,
    }
}

fn agreement(paper: &mut Paper, own: &Record<'_>) {
    let rows = own.list("comparisons").map(|q| {
        let is_open = q.text("outcome") == "not_judged";
        let normalised = if is_open { "–".to_owned() } else { fixed(q.number("normalised"), 2) };
        let of = ["sensor", "cmm", "difference", "uncertainty_k2"].map(|key| fixed(q.number(key), 4));
        let name = format!("{}, {}", q.text("quantity"), q.text("unit"));
        let cells = of.into_iter().chain([normalised]).map(Cell::from);
        std::iter::once(Cell::from(name).lit(light(&q.text("light")))).chain(cells).collect::<Vec<_>>()
    });
    let table = figures(["Quantity", "Sensor", "CMM", "Difference", "U (k = 2)", "|d| / U"], rows.collect());
    table.draw_under(paper, "Agreement of both instruments");
    paper.space(3.0);
    let limit = fixed(own.number("limit"), 2);
    let sentence = format!("Up to {limit}, the largest of so many normalised deviations is chance.");
    paper.paragraph(&sentence, TEXT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_decimals_and_zero_no_sign() {
        assert_eq!([fixed(-0.000_04, 4), fixed(-1.5, 2), fixed(2.0, 3)], ["0.0000", "−1.50", "2.000"]);
    }
}
