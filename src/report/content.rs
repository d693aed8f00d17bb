//! The words and figures of a report, formatted once for HTML and PDF alike.

use serde::Serialize;

use super::Input;
use super::date::Stamp;
use super::pictures::Pictures;
use base::signed;
use geometry::{Pose, transform};
use inspect::deviation::Verdict;
use inspect::deviation::judgement::percent;
use inspect::deviation::{DeviationMap, Method};
use render::colour_scale::ColourScale;

/// A titled list of names and values.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Names and values.
    pub rows: Vec<(String, String)>,
}

/// A picture's place in the report.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Name of its file.
    pub file: String,
    /// Line under it.
    pub caption: String,
}

/// Bars of the histogram and the limits drawn over it, in shares of its width and height.
#[derive(Clone, Debug, Serialize)]
pub struct Bars {
    /// Height of each bar, 0 to 1.
    pub heights: Vec<f64>,
    /// Colour of each bar.
    pub colours: Vec<String>,
    /// Where the tolerance limits are, 0 to 1.
    pub limits: Vec<f64>,
    /// Labels under it, left to right.
    pub labels: Vec<String>,
}

/// Everything that a report says.
#[derive(Clone, Debug, Serialize)]
pub struct Content {
    /// Title line.
    pub title: String,
    /// Under the title.
    pub subtitle: String,
    /// The verdict with what it covers.
    pub verdict: String,
    /// Why, in a sentence.
    pub verdict_reason: String,
    /// The verdict alone.
    pub status: Verdict,
    /// Date and time.
    pub date: String,
    /// Software and version.
    pub software: String,
    /// Lists of figures.
    pub sections: Vec<Section>,
    /// The histogram.
    pub histogram: Bars,
    /// Colours of the scale from low to high, and the labels beside it.
    pub scale_colours: Vec<String>,
    /// The limits on the scale: place 0 to 1 and text.
    pub scale_limits: Vec<(f64, String)>,
    /// Labels of its ends.
    pub scale_ends: [String; 2],
    /// Regions out of tolerance: number, centre, area, peak.
    pub regions: Vec<[String; 6]>,
    /// Pictures.
    pub figures: Vec<Figure>,
    /// Said in place of pictures.
    pub no_pictures: Option<String>,
    /// Remarks of the readers and the alignment.
    pub notes: Vec<String>,
}

/// Formats everything once.
pub fn of(input: &Input<'_>, pictures: &Pictures, stamp: Stamp) -> Content {
    let check = input.check;
    let info = &input.document.settings.report;
    let scale = ColourScale::new(check.parameters.tolerance, input.document.settings.scale_mm);
    let unit = Unit { input };
    Content {
        title: if info.title.is_empty() { "Inspection report".to_owned() } else { info.title.clone() },
        subtitle: format!("{} against {}", names_of_scans(input), input.nominal.source.name()),
        verdict: input.overall.headline(),
        verdict_reason: reason(input),
        status: input.overall.verdict,
        date: stamp.to_string(),
        software: super::software(),
        sections: [
            part(input, stamp),
            statistics(input, &unit),
            coverage(input, &unit),
            parameters(input, &unit),
            alignment(input, &unit),
            sources(input),
        ]
        .into_iter()
        .chain(super::checks::other_comparisons(input.document))
        .chain(super::checks::measures(input.document))
        .chain(super::tolerances::section(input.document))
        .collect(),
        histogram: bars(input, &scale, &unit),
        scale_colours: scale.table(64).iter().map(|[r, g, b, _]| format!("#{r:02x}{g:02x}{b:02x}")).collect(),
        scale_limits: scale_limits(&scale, &unit),
        scale_ends: [-scale.end_mm, scale.end_mm].map(|mm| unit.signed(mm, 2)),
        regions: regions(input, &unit),
        figures: pictures
            .views
            .iter()
            .map(|view| Figure { file: view.file.clone(), caption: view.caption.clone() })
            .collect(),
        no_pictures: pictures.missing.clone(),
        notes: notes(input),
    }
}

/// Lengths in the unit that the user chose.
struct Unit<'a> {
    input: &'a Input<'a>,
}

impl Unit<'_> {
    fn length(&self, mm: f64, digits: usize) -> String {
        let unit = self.input.document.settings.shown_unit;
        // An inch shows two more digits than a millimetre for the same step.
        let extra = (unit.in_mm().log10().round()).max(0.0) as usize;
        format!("{:.*} {}", digits + extra, mm / unit.in_mm(), unit.symbol())
    }

    fn signed(&self, mm: f64, digits: usize) -> String {
        let text = self.length(mm, digits);
        match text.strip_prefix('-') {
            // What rounds to zero has no sign.
            Some(zero) if !zero.contains(|c: char| ('1'..='9').contains(&c)) => zero.to_owned(),
            None if mm > 0.0 && text.contains(|c: char| ('1'..='9').contains(&c)) => format!("+{text}"),
            _ => text,
        }
    }
}

fn row(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn names_of_scans(input: &Input<'_>) -> String {
    let names: Vec<String> = input.actual.sources.iter().map(io::SourceFile::name).collect();
    names.join(", ")
}

fn reason(input: &Input<'_>) -> String {
    let components = &input.overall.components;
    match components.as_slice() {
        [one] => one.reason.clone(),
        // What decided comes first.
        all => {
            let deciding = all.iter().filter(|component| component.verdict == input.overall.verdict);
            deciding.map(|own| format!("{}: {}", own.name, own.reason)).collect::<Vec<_>>().join(" ")
        }
    }
}

fn coverage(input: &Input<'_>, unit: &Unit<'_>) -> Section {
    let coverage = &input.check.measurement.coverage;
    let mut rows = vec![row("Surface measured", percent(coverage.fraction))];
    if let Some(in_view) = coverage.in_view_fraction {
        rows.push(row("Of what was in view", percent(in_view)));
    }
    rows.push(row("Point spacing", unit.length(coverage.spacing_mm, 2)));
    rows.push(row(
        "Explained by the nominal",
        format!(
            "{} of the scan's points, within {}",
            percent(input.check.part_match.explained_fraction),
            unit.length(input.check.part_match.within_mm, 2)
        ),
    ));
    rows.push(row("RMS of all but clutter", unit.length(input.check.part_match.rms_all_mm, 4)));
    for (i, region) in coverage.unmeasured.iter().take(8).enumerate() {
        let [x, y, z] = region.centre_mm.map(|mm| unit.length(mm, 1));
        let name = if i == 0 { "Not measured" } else { "" };
        rows.push(row(name, format!("{:.0} mm² about {x}, {y}, {z}", region.area_mm2)));
    }
    Section { title: "Coverage".into(), rows }
}

fn part(input: &Input<'_>, stamp: Stamp) -> Section {
    let info = &input.document.settings.report;
    let or_dash = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    Section {
        title: "Part".into(),
        rows: vec![
            row("Part number", or_dash(&info.part_number)),
            row("Serial number", or_dash(&info.serial)),
            row("Operator", or_dash(&info.operator)),
            row("Date", stamp.to_string()),
            row("Units", input.document.settings.shown_unit.symbol()),
        ],
    }
}

fn statistics(input: &Input<'_>, unit: &Unit<'_>) -> Section {
    let s = &input.check.statistics;
    let excluded = &input.check.excluded;
    Section {
        title: "Deviation".into(),
        rows: vec![
            row("Points evaluated", s.count.to_string()),
            row(
                "Without data",
                format!(
                    "{} ({} too far, {} wrong angle, {} beyond a rim)",
                    s.excluded, excluded.too_far, excluded.wrong_angle, excluded.beyond_rim
                ),
            ),
            row("Mean", unit.signed(s.mean_mm, 4)),
            row("Standard deviation", unit.length(s.sigma_mm, 4)),
            row("RMS", unit.length(s.rms_mm, 4)),
            row("Min, max", format!("{}, {}", unit.signed(s.min_mm, 3), unit.signed(s.max_mm, 3))),
            row(
                "1 %, 50 %, 99 %",
                format!(
                    "{}, {}, {}",
                    unit.signed(s.percentiles_mm.p01, 3),
                    unit.signed(s.percentiles_mm.p50, 3),
                    unit.signed(s.percentiles_mm.p99, 3)
                ),
            ),
            row("In tolerance", format!("{:.2} %", 100.0 * s.in_tolerance_fraction)),
        ],
    }
}

fn parameters(input: &Input<'_>, unit: &Unit<'_>) -> Section {
    let p = &input.check.parameters;
    let method = match p.method {
        Method::Closest => "each scan point to the closest point of the nominal",
        Method::PointFacet => "mean of the scan points over each nominal facet",
        Method::FacetFacet => "scan facet along the normal of each nominal facet",
    };
    let mut rows = vec![
        row("Method", method),
        row("Tolerance", format!("{} to {}", unit.signed(p.tolerance.low_mm, 3), unit.signed(p.tolerance.high_mm, 3))),
        row("Smallest region that fails", format!("{} mm²", p.min_region_mm2)),
        row("Largest distance", unit.length(p.effective_max_distance_mm(), 2)),
        row("Largest angle", format!("{}°", input.check.measurement.parameters.effective_max_angle_deg())),
    ];
    if let DeviationMap::Facets { max_edge_mm, .. } = input.check.measurement.map() {
        rows.push(row("Largest facet edge", unit.length(*max_edge_mm, 3)));
    }
    rows.push(row(
        "Computed on",
        format!("{}, {}", input.check.measurement.device.kind.name(), input.check.measurement.device.device),
    ));
    Section { title: "How it was measured".into(), rows }
}

fn alignment(input: &Input<'_>, unit: &Unit<'_>) -> Section {
    let mut rows = Vec::new();
    if let Some(alignment) = input.document.alignment() {
        let how = match alignment.method {
            inspect::alignment::Method::Auto => "automatic start and best fit",
            inspect::alignment::Method::BestFit => "best fit",
            inspect::alignment::Method::None => "given",
        };
        rows.push(row("Method", how));
        rows.push(row("RMS minimised", unit.length(alignment.rms_mm, 4)));
        rows.push(row("Iterations", alignment.iterations.to_string()));
        rows.push(row("Share of points used", format!("{:.1} %", 100.0 * alignment.overlap)));
        rows.push(row("Least determined", alignment.information.weakest.trim_start_matches("least determined: ")));
        rows.push(row("Other poses", alignment.rivals.words()));
        if !alignment.alternatives.is_empty() {
            rows.push(row("Other poses that fit about as well", alignment.alternatives.len().to_string()));
        }
    }
    rows.extend(pose(&input.check.measurement.nominal_from_scan, unit));
    Section { title: "Alignment".into(), rows }
}

/// How the scan was moved onto the nominal, in words and as the matrix that does it.
fn pose(nominal_from_scan: &Pose, unit: &Unit<'_>) -> Vec<(String, String)> {
    let turn = match nominal_from_scan.rotation.axis_angle() {
        Some((axis, angle)) => {
            let [x, y, z] = [axis.x, axis.y, axis.z].map(|part| signed(part, 4));
            format!("{:.4}° about the direction {x}, {y}, {z}", angle.to_degrees())
        }
        None => "none".to_owned(),
    };
    let shift = nominal_from_scan.translation.vector;
    let shift = [shift.x, shift.y, shift.z].map(|mm| unit.signed(mm, 4)).join(", ");
    let mut rows = vec![row("Scan turned by", turn), row("Then moved by", shift)];
    for (i, [a, b, c, d]) in transform::rows_of(nominal_from_scan).iter().enumerate() {
        let name = if i == 0 { "As a matrix, mm" } else { "" };
        rows.push(row(name, format!("{a:+.7}   {b:+.7}   {c:+.7}   {d:+.5}")));
    }
    rows
}

fn sources(input: &Input<'_>) -> Section {
    let mut rows = vec![
        row("Nominal", input.nominal.source.path.display().to_string()),
        row("BLAKE3", input.nominal.source.hash.clone()),
        row("Facets", input.nominal.surface.mesh().facets.len().to_string()),
    ];
    for source in &input.actual.sources {
        rows.push(row("Scan", source.path.display().to_string()));
        rows.push(row("BLAKE3", source.hash.clone()));
    }
    rows.push(row("Points", input.actual.cloud.points.len().to_string()));
    rows.push(row("Software", super::software()));
    Section { title: "Sources".into(), rows }
}

fn bars(input: &Input<'_>, scale: &ColourScale, unit: &Unit<'_>) -> Bars {
    let histogram = &input.check.histogram;
    let top = histogram.counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let place = |mm: f64| (mm - histogram.low_mm) / (histogram.high_mm - histogram.low_mm);
    let tolerance = &input.check.parameters.tolerance;
    Bars {
        heights: histogram.counts.iter().map(|&count| count as f64 / top).collect(),
        colours: (0..histogram.counts.len())
            .map(|bin| {
                let [r, g, b] = scale.colour(Some(histogram.bin_centre_mm(bin)));
                format!("#{r:02x}{g:02x}{b:02x}")
            })
            .collect(),
        // A limit beyond its ends is not on it.
        limits: [tolerance.low_mm, tolerance.high_mm]
            .map(place)
            .into_iter()
            .filter(|at| (0.0..=1.0).contains(at))
            .collect(),
        labels: vec![unit.signed(histogram.low_mm, 2), unit.length(0.0, 0), unit.signed(histogram.high_mm, 2)],
    }
}

/// Limits nearer than this share of the scale share a label.
const BETWEEN_LIMITS: f64 = 0.14;

fn scale_limits(scale: &ColourScale, unit: &Unit<'_>) -> Vec<(f64, String)> {
    let limits = [scale.tolerance.low_mm, scale.tolerance.high_mm];
    let [low, high] = limits.map(|mm| 0.5 + 0.5 * mm / scale.end_mm);
    let [below, above] = limits.map(|mm| unit.signed(mm, 3));
    if high - low < BETWEEN_LIMITS {
        return vec![(0.5 * (low + high), format!("{below} to {above}"))];
    }
    vec![(low, below), (high, above)]
}

fn regions(input: &Input<'_>, unit: &Unit<'_>) -> Vec<[String; 6]> {
    input
        .check
        .regions
        .iter()
        .take(40)
        .enumerate()
        .map(|(i, region)| {
            let [x, y, z] = region.peak_at_mm.map(|mm| unit.length(mm, 2));
            [(i + 1).to_string(), x, y, z, format!("{:.1} mm²", region.area_mm2), unit.signed(region.peak_mm, 3)]
        })
        .collect()
}

fn notes(input: &Input<'_>) -> Vec<String> {
    let overall = &input.overall;
    let components = overall.components.iter().filter(|_| overall.components.len() > 1);
    let components = components.map(|own| format!("{}: {}. {}", own.name, own.verdict.name(), own.reason));
    let named = |name: String, notes: Vec<String>| notes.into_iter().map(move |note| format!("{name}: {note}"));
    let nominal = input.nominal.notes.iter().cloned().chain(input.nominal.findings.sentences()).collect();
    let scan = input.actual.notes.iter().cloned().chain(input.actual.findings.sentences()).collect();
    let files = named(input.nominal.source.name(), nominal).chain(named(names_of_scans(input), scan));
    let said = components.chain(overall.remarks.iter().cloned()).chain(files);
    said.chain([overall.decision_rule.clone()]).collect()
}
