//! Text and figures of the inspection report, formatted once for HTML and PDF.

use serde::Serialize;

use super::Input;
use super::logo::Logo;
use super::pictures::Pictures;
use super::results::ResultLine;
use super::sections::Drawing;
use base::date::Stamp;
use base::units::LengthUnit;
use base::{PageSize, StandardView, signed};
use geometry::{Pose, transform};
use inspect::alignment::Alignment;
use inspect::deviation::Verdict;
use inspect::deviation::judgement::percent;
use inspect::deviation::{DeviationMap, Method, Tolerance};
use inspect::main_alignment::{DatumReport, Main};
use render::colour_scale::ColourScale;
use session::presentation::ReportSection;
use texts::{text, word};

/// Titled list of label-value pairs.
#[derive(Clone, Debug, Serialize)]
pub struct ReportBlock {
    /// The section that it belongs to.
    #[serde(skip)]
    pub section: ReportSection,
    /// Heading.
    pub title: String,
    /// Label and value of each row; an empty label continues the row above.
    pub rows: Vec<(String, String)>,
}

/// Histogram of the deviations with the tolerance limits, as fractions of its width and height.
#[derive(Clone, Debug, Serialize)]
pub struct HistogramBars {
    /// Bar heights, 0 to 1, relative to the highest bar.
    pub heights: Vec<f64>,
    /// Bar colours, `#rrggbb`.
    pub colours: Vec<String>,
    /// Positions of the tolerance limits within the range of the histogram, 0 to 1.
    pub limits: Vec<f64>,
    /// Axis labels, left to right: minimum, zero, maximum.
    pub labels: Vec<String>,
}

/// Content of an inspection report.
#[derive(Clone, Debug, Serialize)]
pub struct Content {
    /// Title.
    pub title: String,
    /// Logo of the company.
    #[serde(skip)]
    pub logo: Option<Logo>,
    /// Size of its pages.
    #[serde(skip)]
    pub page_size: PageSize,
    /// Subtitle: scans and nominal.
    pub subtitle: String,
    /// Headline: the verdict and its coverage.
    pub verdict: String,
    /// Reason for the verdict, in one or more sentences.
    pub verdict_reason: String,
    /// Overall verdict.
    pub status: Verdict,
    /// Date and time with UTC offset.
    pub date: String,
    /// Name and version of the software.
    pub software: String,
    /// The sections that are shown, in their order.
    pub order: Vec<ReportSection>,
    /// The tables of all sections.
    #[serde(rename = "sections")]
    pub blocks: Vec<ReportBlock>,
    /// Histogram of the deviations.
    pub histogram: HistogramBars,
    /// Colours of the scale from its lower to its upper end, `#rrggbb`.
    pub scale_colours: Vec<String>,
    /// Tolerance limits on the scale, and boundaries of own colours: position, 0 to 1, and label.
    pub scale_limits: Vec<(f64, String)>,
    /// What has none of its colours.
    pub scale_key: String,
    /// Labels of the lower and the upper end of the scale.
    pub scale_ends: [String; 2],
    /// Regions out of tolerance, worst first: number, position x, y, z of the peak, area, peak deviation.
    pub regions: Vec<[String; 6]>,
    /// Table of features and checks.
    pub results: Vec<ResultLine>,
    /// Drawings of sections.
    pub drawings: Vec<Drawing>,
    /// Message shown if there are no pictures.
    pub no_pictures: Option<String>,
    /// Remarks: results of the components, doubts, notes on the files, decision rule.
    pub notes: Vec<String>,
}

/// Formats the content of the report.
pub fn of(input: &Input<'_>, pictures: &Pictures, logo: Option<Logo>, stamp: Stamp) -> Content {
    let check = input.check;
    let info = &input.document.settings.report;
    let settings = &input.document.settings;
    let contents = &input.document.plan.presentation.report;
    let scale = super::colour_scale(check.parameters.tolerance, input.document);
    let unit = LengthFormatter(settings.shown_unit);
    Content {
        title: if info.title.is_empty() { text!("printed-title") } else { info.title.clone() },
        logo,
        page_size: info.page_size,
        subtitle: text!("printed-subtitle", scan = scan_names(input), nominal = input.nominal.source.name()),
        verdict: input.overall.headline(),
        verdict_reason: word(&reason(input)).into_owned(),
        status: input.overall.verdict,
        date: stamp.to_string(),
        software: super::software(),
        order: contents.order().into_iter().filter(|section| contents.has(*section)).collect(),
        blocks: [part(input, stamp), statistics(input, unit), coverage(input, unit)]
            .into_iter()
            .chain(super::own_tolerances::block(check, unit))
            .chain(super::tolerances::block(input.document))
            .chain(super::checks::features(input.document))
            .chain(super::checks::measures(input.document))
            .chain(super::checks::other_comparisons(input.document))
            .chain(super::surface_points::block(input.document))
            .chain(super::sections::block(input.document))
            .chain(super::offsets::block(input.document))
            .chain(super::thickness::block(input.document))
            .chain([alignment(input, unit), parameters(input, unit)])
            .chain(super::checks::calibrations(input.document))
            .chain([sources(input)])
            .map(|block| in_words(block, input))
            .collect(),
        histogram: histogram(input, &scale, unit),
        scale_colours: scale
            .table(scale_steps(&scale))
            .iter()
            .map(|[r, g, b, _]| format!("#{r:02x}{g:02x}{b:02x}"))
            .collect(),
        scale_limits: scale_limits(&scale, unit),
        scale_key: scale_key(input),
        scale_ends: [-scale.end_mm, scale.end_mm].map(|mm| unit.signed(mm, 2)),
        regions: regions(input, unit),
        results: super::results::lines(input.document),
        drawings: super::sections::drawings(input.document),
        no_pictures: pictures.missing.as_deref().map(|why| word(why).into_owned()),
        notes: notes(input).iter().map(|note| word(note).into_owned()).collect(),
    }
}

impl Content {
    /// The verdict in one word, and what it covers, both from its headline.
    pub fn verdict_parts(&self) -> (String, String) {
        let status = word(self.status.name()).into_owned();
        let covers = self.verdict.strip_prefix(&status).unwrap_or(&self.verdict).trim().to_owned();
        (status, covers)
    }
}

/// Header of the list of regions.
pub(super) fn region_header() -> [String; 6] {
    let [number, x, y, z] = ["#", "x", "y", "z"].map(str::to_owned);
    [number, x, y, z, text!("printed-area"), text!("printed-peak")]
}

/// A block in the language of the report; what operators named or typed stays as it is.
fn in_words(block: ReportBlock, input: &Input<'_>) -> ReportBlock {
    let is_typed = matches!(block.section, ReportSection::Part | ReportSection::Sources);
    let is_name = |label: &str| {
        input.document.plan.elements().iter().any(|element| element.name == label)
            || input.check.own_tolerances.iter().any(|own| own.name == label)
    };
    let own = |text: String, stays: bool| if stays { text } else { word(&text).into_owned() };
    let row = |(label, value): (String, String)| {
        let stays = is_name(&label);
        (own(label, stays), own(value, is_typed))
    };
    let rows = block.rows.into_iter().map(row).collect();
    ReportBlock { title: own(block.title, false), rows, ..block }
}

/// What the colours of the scale do not say.
fn scale_key(input: &Input<'_>) -> String {
    let grey = match input.is_among_others() {
        true => text!("printed-grey-and-others"),
        false => text!("printed-grey"),
    };
    let parameters = &input.check.parameters;
    let grey = match parameters.direction_in_words() {
        Some(across) if parameters.is_in_plane() => text!("printed-across", grey = grey, across = across),
        Some(along) => text!("printed-along", grey = grey, along = along),
        None => grey,
    };
    match input.check.own_tolerances.len() {
        0 => grey,
        count => text!("printed-own-tolerances", grey = grey, count = count),
    }
}

/// Formats lengths in the display unit of the document.
#[derive(Clone, Copy)]
pub(super) struct LengthFormatter(LengthUnit);

impl LengthFormatter {
    /// A length with its unit; `digits` decimals for mm where the usual ones are chosen, more for larger units.
    fn length(&self, mm: f64, digits: usize) -> String {
        format!("{} {}", self.0.length_text(mm, digits), self.0.symbol())
    }

    /// A length with its sign; what rounds to zero has none.
    pub(super) fn signed(&self, mm: f64, digits: usize) -> String {
        format!("{} {}", self.0.signed_length(mm, digits), self.0.symbol())
    }
}

pub(super) fn row(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn scan_names(input: &Input<'_>) -> String {
    let names: Vec<String> = input.actual.sources.iter().map(io::SourceFile::name).collect();
    names.join(", ")
}

fn reason(input: &Input<'_>) -> String {
    let components = &input.overall.components;
    match components.as_slice() {
        [one] => one.reason.clone(),
        // Only the components that determine the overall verdict.
        all => {
            let deciding = all.iter().filter(|component| component.verdict == input.overall.verdict);
            deciding.map(|component| format!("{}: {}", component.name, component.reason)).collect::<Vec<_>>().join(" ")
        }
    }
}

fn coverage(input: &Input<'_>, unit: LengthFormatter) -> ReportBlock {
    let coverage = &input.check.measurement.coverage;
    let mut rows = vec![row("Surface measured", percent(coverage.fraction))];
    if let Some(in_view) = coverage.in_view_fraction {
        rows.push(row("Surface in view measured", percent(in_view)));
    }
    rows.push(row("Point spacing", unit.length(coverage.spacing_mm, 2)));
    rows.push(row(
        "Scan points near the nominal",
        format!(
            "{} within {}",
            percent(input.check.part_match.explained_fraction),
            unit.length(input.check.part_match.within_mm, 2)
        ),
    ));
    rows.push(row("RMS without distance limit", unit.length(input.check.part_match.rms_all_mm, 4)));
    for (i, region) in coverage.unmeasured.iter().take(8).enumerate() {
        let [x, y, z] = region.centre_mm.map(|mm| unit.length(mm, 1));
        let name = if i == 0 { "Unmeasured regions" } else { "" };
        rows.push(row(name, format!("{:.0} mm² at {x}, {y}, {z}", region.area_mm2)));
    }
    ReportBlock { section: ReportSection::Coverage, title: "Coverage".into(), rows }
}

fn part(input: &Input<'_>, stamp: Stamp) -> ReportBlock {
    let info = &input.document.settings.report;
    let or_dash = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    ReportBlock {
        section: ReportSection::Part,
        title: "Part".into(),
        rows: vec![
            row("Part number", or_dash(&info.part_number)),
            row("Serial number", or_dash(&input.document.stage().serial)),
            row("Operator", or_dash(&info.operator)),
            row("Date", stamp.to_string()),
            row("Units", input.document.settings.shown_unit.symbol()),
        ],
    }
}

fn statistics(input: &Input<'_>, unit: LengthFormatter) -> ReportBlock {
    let s = &input.check.statistics;
    let excluded = &input.check.excluded;
    let title = match input.check.parameters.measured_in_words() {
        Some(how) => format!("Deviation {how}"),
        None => "Deviation".to_owned(),
    };
    ReportBlock {
        section: ReportSection::Deviation,
        title,
        rows: vec![
            row("Points evaluated", s.count.to_string()),
            row(
                "Without data",
                format!(
                    "{} ({} beyond max. distance, {} beyond max. angle, {} beyond an open edge)",
                    s.excluded, excluded.too_far, excluded.wrong_angle, excluded.beyond_rim
                ),
            ),
            row("Mean", unit.signed(s.mean_mm, 4)),
            row("Standard deviation", unit.length(s.sigma_mm, 4)),
            row("RMS", unit.length(s.rms_mm, 4)),
            row("Min, max", format!("{}, {}", unit.signed(s.min_mm, 3), unit.signed(s.max_mm, 3))),
            row(
                "Percentiles 1, 50, 99 %",
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

/// Tolerance limits.
pub(super) fn limits(tolerance: &Tolerance, unit: LengthFormatter) -> String {
    format!("{} to {}", unit.signed(tolerance.low_mm, 3), unit.signed(tolerance.high_mm, 3))
}

fn parameters(input: &Input<'_>, unit: LengthFormatter) -> ReportBlock {
    let p = &input.check.parameters;
    let direction = p.measured_in_words();
    let method = match p.method {
        Method::Closest if p.is_in_plane() => {
            "within planes: distance of each scan point from the nominal in the plane through it perpendicular to a \
             direction"
        }
        Method::Closest if direction.is_some() => {
            "along a direction: distance of each scan point from the nominal along it"
        }
        Method::Closest => "closest point: distance of each scan point from the nominal",
        Method::PointFacet => "points over facets: mean of the scan points over each nominal facet",
        Method::FacetFacet => {
            "facets along normals: distance from each nominal facet along its normal to the meshed scan"
        }
    };
    let mut rows = vec![
        row("Method", method),
        row("Tolerance", limits(&p.tolerance, unit) + &p.own_tolerances_in_words()),
        row(
            "Min. area of a failing region",
            p.min_region_mm2.map_or_else(|| "what the data can detect".to_owned(), |mm2| format!("{mm2} mm²")),
        ),
        row("Max. distance", unit.length(p.effective_max_distance_mm(), 2)),
        row("Max. angle between normals", format!("{}°", input.check.measurement.parameters.effective_max_angle_deg())),
    ];
    if let Some(direction) = direction {
        rows.insert(1, row("Direction", direction));
    }
    if let Some(own) = &input.document.plan.presentation.colours {
        rows.push(row("Colour scale", own.name.as_str()));
    }
    if let DeviationMap::Facets { max_edge_mm, .. } = input.check.measurement.map() {
        rows.push(row("Max. facet edge length", unit.length(*max_edge_mm, 3)));
    }
    rows.push(row(
        "Computed on",
        format!("{}, {}", input.check.measurement.device.kind.name(), input.check.measurement.device.device),
    ));
    ReportBlock { section: ReportSection::Parameters, title: "Evaluation parameters".into(), rows }
}

fn alignment(input: &Input<'_>, unit: LengthFormatter) -> ReportBlock {
    let mut rows = Vec::new();
    if let Some(alignment) = input.document.alignment() {
        rows.push(row("Method", alignment.method_name()));
        match &alignment.main {
            Some(main) => rows.extend(main_alignment(input, alignment, main, unit)),
            // Nothing was fitted or searched.
            None if alignment.by_hand => {}
            None => rows.extend(best_fit(alignment, unit)),
        }
        if !alignment.by_hand {
            rows.push(row("Alternative poses", alignment.rivals.words()));
        }
        if !alignment.alternatives.is_empty() {
            rows.push(row("Comparable alternative poses", alignment.alternatives.len().to_string()));
        }
    }
    rows.extend(pose(&input.check.measurement.nominal_from_scan, unit));
    ReportBlock { section: ReportSection::Alignment, title: "Alignment".into(), rows }
}

fn best_fit(alignment: &Alignment, unit: LengthFormatter) -> Vec<(String, String)> {
    vec![
        row("RMS minimised", unit.length(alignment.rms_mm, 4)),
        row("Iterations", alignment.iterations.to_string()),
        row("Points used", format!("{:.1} %", 100.0 * alignment.overlap)),
        row("Weakest degree of freedom", alignment.information.weakest.trim_start_matches("least determined: ")),
    ]
}

/// What a main alignment started from, what it met and what it left.
fn main_alignment(input: &Input<'_>, own: &Alignment, main: &Main, unit: LengthFormatter) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    if let Some(before) = input.document.result::<Alignment>(input.document.pre_alignment()) {
        rows.push(row("Pre-alignment", before.method_name()));
    }
    match main {
        Main::OnFaces { .. } => rows.extend(best_fit(own, unit)),
        Main::WithinTolerance { .. } => rows.push(row("Result", main.words())),
        Main::DatumSystem { reports, .. } => {
            rows.extend(reports.iter().filter_map(DatumReport::words).map(|own| row("Datum", own)));
        }
        Main::ReferencePoints { points, amplification } => {
            for point in points {
                rows.push(row(
                    &format!("{}, along {}", point.name, point.direction.name()),
                    format!(
                        "{} left, {} in the pre-alignment; {} points",
                        unit.signed(point.deviation_mm, 4),
                        unit.signed(point.before_mm, 4),
                        point.points
                    ),
                ));
            }
            if let Some(amplification) = amplification {
                let error_mm = 0.01;
                let moved = unit.length(error_mm * amplification, 3);
                rows.push(row(
                    "Sensitivity",
                    format!("an error of {} at a point moves the part by up to {moved}", unit.length(error_mm, 2)),
                ));
            }
        }
    }
    let listed = |words: &[String]| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    rows.push(row("Degrees of freedom as in the pre-alignment", listed(&own.as_before)));
    rows.push(row("Undetermined degrees of freedom", listed(&own.information.open)));
    rows
}

/// The pose of the scan in the nominal frame: rotation axis and angle, translation, and matrix.
fn pose(nominal_from_scan: &Pose, unit: LengthFormatter) -> Vec<(String, String)> {
    let rotation = match nominal_from_scan.rotation.axis_angle() {
        Some((axis, angle)) => {
            let [x, y, z] = [axis.x, axis.y, axis.z].map(|component| signed(component, 4));
            format!("{:.4}° about ({x}, {y}, {z})", angle.to_degrees())
        }
        None => "none".to_owned(),
    };
    let translation = nominal_from_scan.translation.vector;
    let translation = [translation.x, translation.y, translation.z].map(|mm| unit.signed(mm, 4)).join(", ");
    let mut rows = vec![row("Rotation", rotation), row("Translation after rotation", translation)];
    for (i, [a, b, c, d]) in transform::rows_of(nominal_from_scan).iter().enumerate() {
        let name = if i == 0 { "Matrix, nominal from scan (mm)" } else { "" };
        rows.push(row(name, format!("{a:+.7}   {b:+.7}   {c:+.7}   {d:+.5}")));
    }
    rows
}

fn sources(input: &Input<'_>) -> ReportBlock {
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
    ReportBlock { section: ReportSection::Sources, title: "Sources".into(), rows }
}

fn histogram(input: &Input<'_>, scale: &ColourScale, unit: LengthFormatter) -> HistogramBars {
    let histogram = &input.check.histogram;
    let max_count = histogram.counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let position = |mm: f64| (mm - histogram.low_mm) / (histogram.high_mm - histogram.low_mm);
    let tolerance = &input.check.parameters.tolerance;
    HistogramBars {
        heights: histogram.counts.iter().map(|&count| count as f64 / max_count).collect(),
        colours: (0..histogram.counts.len())
            .map(|bin| {
                let [r, g, b] = scale.colour(Some(histogram.bin_centre_mm(bin)));
                format!("#{r:02x}{g:02x}{b:02x}")
            })
            .collect(),
        // Limits outside the range of the histogram are not drawn.
        limits: [tolerance.low_mm, tolerance.high_mm]
            .map(position)
            .into_iter()
            .filter(|position| (0.0..=1.0).contains(position))
            .collect(),
        labels: vec![unit.signed(histogram.low_mm, 2), unit.length(0.0, 0), unit.signed(histogram.high_mm, 2)],
    }
}

/// Limits closer together than this fraction of the scale share one label.
const MIN_LABEL_DISTANCE: f64 = 0.14;

fn scale_limits(scale: &ColourScale, unit: LengthFormatter) -> Vec<(f64, String)> {
    let limits = [scale.tolerance.low_mm, scale.tolerance.high_mm];
    let position = |mm: f64| 0.5 + 0.5 * mm / scale.end_mm;
    let [low, high] = limits.map(position);
    let [below, above] = limits.map(|mm| unit.signed(mm, 3));
    let mut labels = if high - low < MIN_LABEL_DISTANCE {
        vec![(0.5 * (low + high), format!("{below} to {above}"))]
    } else {
        vec![(low, below), (high, above)]
    };
    // Boundaries of own colours, where there is room for them; the label of both limits is longer.
    let distance = if labels.len() == 1 { 1.75 * MIN_LABEL_DISTANCE } else { MIN_LABEL_DISTANCE };
    let boundaries_mm = scale.own.as_ref().map(|own| own.boundaries_mm(&scale.tolerance)).unwrap_or_default();
    for mm in boundaries_mm {
        let at = position(mm);
        if labels.iter().all(|(other, _)| (at - other).abs() >= distance) {
            labels.push((at, unit.signed(mm, 3)));
        }
    }
    labels
}

/// Number of colours by which the scale is printed.
fn scale_steps(scale: &ColourScale) -> usize {
    // Bands of own colours may be narrow.
    if scale.own.is_some() { 512 } else { 64 }
}

/// Most regions that are listed.
const MAX_LISTED_REGIONS: usize = 40;

fn regions(input: &Input<'_>, unit: LengthFormatter) -> Vec<[String; 6]> {
    input
        .check
        .regions
        .iter()
        .take(MAX_LISTED_REGIONS)
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
    let components =
        components.map(|component| format!("{}: {}. {}", component.name, component.verdict.name(), component.reason));
    let prefixed = |name: String, notes: Vec<String>| notes.into_iter().map(move |note| format!("{name}: {note}"));
    let nominal = input.nominal.notes.iter().cloned().chain(input.nominal.findings.sentences()).collect();
    let scan = input.actual.notes.iter().cloned().chain(input.actual.findings.sentences()).collect();
    let files = prefixed(input.nominal.source.name(), nominal).chain(prefixed(scan_names(input), scan));
    let remarks = components.chain(overall.remarks.iter().cloned()).chain(files);
    remarks.chain(unlisted(input)).chain([overall.decision_rule.clone()]).collect()
}

/// What the report does not show.
fn unlisted(input: &Input<'_>) -> impl Iterator<Item = String> {
    let (contents, count) = (&input.document.plan.presentation.report, input.check.regions.len());
    let regions = (count > MAX_LISTED_REGIONS)
        .then(|| format!("Of {count} regions out of tolerance, the {MAX_LISTED_REGIONS} worst are listed."));
    let left_out = ReportSection::ALL.into_iter().filter(|section| !contents.has(*section));
    let left_out: Vec<_> = left_out.map(|own| word(own.name())).collect();
    let left_out = (!left_out.is_empty()).then(|| text!("printed-left-out", sections = left_out.join(", ")));
    let views = StandardView::ALL.into_iter().filter(|view| !contents.has_view(*view)).map(StandardView::name);
    let views: Vec<_> = views.filter(|_| contents.has(ReportSection::Views)).map(word).collect();
    let views = (!views.is_empty()).then(|| text!("printed-views-left-out", views = views.join(", ")));
    regions.into_iter().chain(left_out).chain(views)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect::deviation::own_scale::{BoundaryUnit, Stop};
    use inspect::deviation::{OwnScale, Tolerance};

    #[test]
    fn limits_stand_where_the_scale_has_them() {
        let limits = |high_mm: f64, end_mm: f64| {
            let scale = ColourScale::new(Tolerance { low_mm: -high_mm, high_mm }, end_mm);
            (scale.end_mm, scale_limits(&scale, LengthFormatter(LengthUnit::Mm)))
        };
        for (high_mm, end_mm) in [(2.0, 6.0), (2.0, 0.3), (0.1, 0.3), (0.299, 0.3)] {
            let (end_mm, labels) = limits(high_mm, end_mm);
            let [(low, below), (high, above)] = labels.as_slice() else { panic!("{labels:?}") };
            assert!((high - (0.5 + 0.5 * high_mm / end_mm)).abs() < 1e-12 && (low + high - 1.0).abs() < 1e-12);
            assert!(*high <= 1.0, "{high_mm} lies beyond the end of the scale");
            assert_eq!((below, above), (&format!("-{high_mm:.3} mm"), &format!("+{high_mm:.3} mm")));
        }
        // Boundaries of own colours are named where there is room.
        let tolerance = Tolerance { low_mm: -0.1, high_mm: 0.1 };
        let stops = (-30..=30).map(|step| Stop { at: 0.01 * f64::from(step), colour: [0; 3] }).collect();
        let own = OwnScale { name: "own".into(), unit: BoundaryUnit::Mm, is_stepped: false, stops };
        let scale = ColourScale::new(tolerance, 0.3).with_own(Some(own));
        let labels = scale_limits(&scale, LengthFormatter(LengthUnit::Mm));
        assert!(labels.len() > 4 && labels[0].1 == "-0.100 mm" && labels[1].1 == "+0.100 mm", "{labels:?}");
        for (index, (at, _)) in labels.iter().enumerate() {
            let others = labels[index + 1..].iter();
            assert!(others.clone().all(|(other, _)| (at - other).abs() >= MIN_LABEL_DISTANCE), "{labels:?}");
        }
        // So near to each other that their labels would overlap, they have one.
        assert_eq!(limits(0.01, 0.3).1, [(0.5, "-0.010 mm to +0.010 mm".to_owned())]);
    }
}
