//! The verdict of a surface comparison: decision, coverage it applies to, reason and remarks.

use serde::{Deserialize, Serialize};

use super::coverage::UnmeasuredRegion;
use super::part_match::LARGE_TOLERANCE;
use super::regions::{Clutter, Outliers, Region};
use super::resolution::rounded_up;
use super::{Coverage, FaceResult, OutlierLimit, Parameters, PartMatch, Resolution, Statistics, Tolerance};
use crate::verdict::Verdict;
use base::counted;

/// The decision rule of surface comparisons, as reports state it.
pub const DECISION_RULE: &str = "Decision rule: a deviation is compared with the limits as measured, limits inclusive; \
    the measurement uncertainty of the scan is unknown, so no guard band is applied, and deviations closer to a limit \
    than the uncertainty prove neither conformity nor nonconformity (ISO 14253-1).";

/// Outcome of a surface comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What the verdict applies to and what puts it in doubt, such as `on 61 % of the surface`; follows its name.
    pub covers: String,
    /// The reason, one sentence.
    pub reason: String,
    /// Further remarks, one sentence each.
    pub remarks: Vec<String>,
}

impl Judgement {
    /// The verdict with what it covers, such as `PASS on 61 % of the surface`.
    pub fn headline(&self) -> String {
        self.verdict.headline(&self.covers)
    }

    /// Whether it says more than how much was measured and what can be detected: something puts it in doubt.
    pub fn is_qualified(&self) -> bool {
        self.covers.contains(';')
    }
}

/// The limits, mm, without the rounding errors of a conversion from another unit.
fn in_words(Tolerance { low_mm, high_mm }: Tolerance) -> String {
    let number = |mm: f64| {
        let text = format!("{mm:.6}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    if low_mm == -high_mm {
        format!("±{}", number(high_mm))
    } else {
        format!("{} to {}", number(low_mm), number(high_mm))
    }
}

/// Input of the decision.
pub struct Evidence<'a> {
    /// Parameters of the comparison.
    pub parameters: &'a Parameters,
    /// Statistics of the deviations.
    pub statistics: &'a Statistics,
    /// Regions out of tolerance.
    pub regions: &'a [Region],
    /// Regions that may be out of tolerance.
    pub doubtful_regions: &'a [Region],
    /// What can be detected.
    pub resolution: &'a Resolution,
    /// Points that do not belong to the part.
    pub clutter: &'a Clutter,
    /// Points out of tolerance outside regions.
    pub outliers: &'a Outliers,
    /// Number of points out of tolerance by their closest points, where none could be measured along the direction.
    pub missed: usize,
    /// Results of the own tolerances.
    pub own_tolerances: &'a [FaceResult],
    /// Coverage of the nominal.
    pub coverage: &'a Coverage,
    /// Agreement of scan and nominal.
    pub part_match: &'a PartMatch,
    /// Diagonal of the nominal's bounds, mm.
    pub diagonal_mm: f64,
    /// Whether the scan is the nominal's own file.
    pub is_own_file: bool,
}

impl Evidence<'_> {
    /// Decides on the verdict: FAIL for regions or too many points out of tolerance, else INCOMPLETE for what may be out
    /// of tolerance or was not seen: too little coverage, a hole in what was measured, too much noise, a doubtful part, a
    /// region in doubt, or an own tolerance that was not judged; else PASS.
    pub fn judge(&self) -> Judgement {
        let (too_many, open) = (self.too_many_outliers(), self.open());
        let verdict = if !self.regions.is_empty() || too_many.is_some() {
            Verdict::Fail
        } else if open.is_some() {
            Verdict::Incomplete
        } else {
            Verdict::Pass
        };
        let limits = in_words(self.parameters.tolerance);
        let mut covers = format!("({limits} mm) on {} of the surface", percent(self.coverage.fraction));
        if verdict != Verdict::Fail {
            let Resolution { area_mm2, width_mm, gap_mm, .. } = self.resolution;
            let area_mm2 = self.parameters.min_region_mm2.map_or(*area_mm2, |own| own.max(*area_mm2));
            covers += &format!(
                ", for regions from {} mm² and {} mm wide and gaps from {} mm",
                rounded_up(area_mm2),
                rounded_up(*width_mm),
                rounded_up(*gap_mm)
            );
        }
        if self.part_match.is_doubtful {
            covers += "; the scan may be of another part";
        }
        if self.is_own_file {
            covers += "; the scan is the nominal's own file, so no part was measured";
        }
        match self.doubtful_regions.len() {
            0 => {}
            1 => covers += "; 1 region is in doubt",
            count => covers += &format!("; {count} regions are in doubt"),
        }
        match self.holes().count() {
            0 => {}
            1 => covers += "; 1 gap in what was measured may be a hole",
            count => covers += &format!("; {count} gaps in what was measured may be holes"),
        }
        match self.exposed().count() {
            0 => {}
            1 => covers += "; 1 exposed region without data",
            count => covers += &format!("; {count} exposed regions without data"),
        }
        match self.not_judged().count() {
            0 => {}
            1 => covers += "; 1 own tolerance was not judged",
            count => covers += &format!("; {count} own tolerances were not judged"),
        }
        let reason = self.fails(too_many).or(open).unwrap_or_else(|| self.passes());
        let mut remarks = self.remarks();
        remarks.retain(|remark| *remark != reason);
        Judgement { verdict, covers, reason, remarks }
    }

    /// Regions without data that are large enough for a region that fails.
    ///
    /// Along a direction or within planes, gaps are where the surface runs that way.
    fn large_gaps(&self) -> impl Iterator<Item = &UnmeasuredRegion> {
        let Self { coverage, resolution, parameters, .. } = self;
        let is_closest = parameters.effective_direction().is_none();
        let area_mm2 = parameters.min_region_mm2.unwrap_or_default().max(resolution.area_mm2);
        let is_large = move |own: &&UnmeasuredRegion| is_closest && own.gap_mm2(coverage.reach_mm) >= area_mm2;
        coverage.unmeasured.iter().filter(is_large)
    }

    /// Those within what was measured.
    fn holes(&self) -> impl Iterator<Item = &UnmeasuredRegion> {
        self.large_gaps().filter(|own| own.is_enclosed)
    }

    /// The others that a sensor could have seen: a piece of the part may be missing.
    fn exposed(&self) -> impl Iterator<Item = &UnmeasuredRegion> {
        self.large_gaps().filter(|own| own.is_exposed && !own.is_enclosed)
    }

    /// The own tolerances of whose faces too little was measured.
    fn not_judged(&self) -> impl Iterator<Item = &FaceResult> {
        self.own_tolerances.iter().filter(|own| own.verdict == Verdict::Incomplete)
    }

    /// The reason for a FAIL.
    fn fails(&self, too_many: Option<String>) -> Option<String> {
        let [worst, ..] = self.regions else { return too_many };
        let regions = match self.regions.len() {
            1 => "1 region is".to_owned(),
            n => format!("{n} regions are"),
        };
        let peak = format!("{regions} out of tolerance, the worst by {:+.3} mm", worst.peak_mm);
        Some(match self.regions.iter().filter(|region| region.beyond_max_distance).count() {
            0 => format!("{peak}."),
            beyond => format!(
                "{peak}; {beyond} of them beyond the maximum distance of {} mm: extra or missing material.",
                self.parameters.effective_max_distance_mm()
            ),
        })
    }

    /// What leaves the verdict open where nothing fails, the gravest alone.
    fn open(&self) -> Option<String> {
        let Self { part_match, coverage, parameters, resolution, .. } = self;
        if part_match.is_doubtful {
            return Some(format!(
                "Only {} of the scan's points lie within {:.3} mm of the nominal: the scan may be of another part, in \
                 another unit, or in a wrong pose.",
                percent(part_match.explained_fraction),
                part_match.within_mm
            ));
        }
        if coverage.fraction < parameters.min_coverage {
            return Some(format!(
                "Only {} of the nominal's surface was measured; {} are required.",
                percent(coverage.fraction),
                percent(parameters.min_coverage)
            ));
        }
        if let [worst, ..] = self.doubtful_regions {
            return Some(format!(
                "{} may be out of tolerance, the worst by {:+.3} mm: noise of the scan about a surface at the limit could \
                 show the same.",
                counted(self.doubtful_regions.len(), "region", "regions"),
                worst.peak_mm
            ));
        }
        if let Some(largest) = self.holes().max_by(|a, b| a.area_mm2.total_cmp(&b.area_mm2)) {
            let [x, y, z] = largest.centre_mm;
            return Some(format!(
                "There is no data in {} within what was measured, the largest {} mm² at ({x:.1}, {y:.1}, {z:.1}) mm: \
                 material may be missing there.",
                counted(self.holes().count(), "gap", "gaps"),
                rounded_up(largest.gap_mm2(coverage.reach_mm)),
            ));
        }
        if resolution.is_noise_too_large {
            return Some(format!(
                "The noise of the scan, {:.3} mm (standard deviation of a point), is too large for these limits: points \
                 say little about which side of a limit they are on.",
                resolution.noise_mm
            ));
        }
        if let Some(mm2) = parameters.min_region_mm2.filter(|own| *own < resolution.area_mm2) {
            return Some(format!(
                "Regions from {mm2} mm² are to be detected, but these data show none under {} mm² or narrower than {} mm.",
                rounded_up(resolution.area_mm2),
                rounded_up(resolution.width_mm)
            ));
        }
        self.not_judged().next().map(|own| own.sentence(parameters.method.measured()))
    }

    /// The reason for a PASS.
    fn passes(&self) -> String {
        match self.parameters.min_region_mm2 {
            Some(mm2) => format!("No connected region of {mm2} mm² or more is out of tolerance."),
            None => "No region is out of tolerance beyond what the noise of the scan explains.".to_owned(),
        }
    }

    /// The reason for failing the part by its number of points out of tolerance outside regions; `None` if there is no
    /// limit or it is not exceeded.
    fn too_many_outliers(&self) -> Option<String> {
        let (count, total) = (self.outliers.count, self.statistics.count);
        let (allowed, is_exceeded) = match self.parameters.max_outliers? {
            OutlierLimit::Count(limit) => (limit.to_string(), count > limit),
            OutlierLimit::Fraction(limit) => {
                (format!("{} %", 100.0 * limit), count as f64 > limit * total.max(1) as f64)
            }
        };
        is_exceeded
            .then(|| format!("{count} of {total} points are out of tolerance outside regions; {allowed} are allowed."))
    }

    fn remarks(&self) -> Vec<String> {
        let Self { parameters, coverage, clutter, outliers, .. } = self;
        let what = parameters.method.measured();
        let along = parameters.measured_in_words().map(|own| format!("Deviations are measured {own}."));
        let is_along = along.is_some();
        let mut remarks: Vec<String> = along.into_iter().collect();
        if is_along && self.regions.iter().any(|region| region.beyond_max_distance) {
            let mm = parameters.effective_max_distance_mm();
            remarks.push(format!("Points farther than {mm} mm from the nominal are measured to their closest points."));
        }
        match self.missed {
            0 => {}
            1 => remarks.push(
                "1 point out of tolerance could not be measured in this direction, and is judged by its closest point."
                    .to_owned(),
            ),
            many => remarks.push(format!(
                "{many} points out of tolerance could not be measured in this direction, and are judged by their closest \
                 points."
            )),
        }
        if let Some(name) = self.regions.first().and_then(|worst| worst.own_tolerance.as_deref()) {
            remarks.push(format!("The peak of the worst region lies on “{name}”, which has limits of its own."));
        }
        remarks.extend(self.own_tolerances.iter().map(|own| own.sentence(what)));
        if outliers.count > 0 {
            remarks.push(format!(
                "{:.1} % are in tolerance: {} single {what} or groups too small to count are out of tolerance, the \
                 largest by {:+.3} mm.",
                100.0 * self.statistics.in_tolerance_fraction,
                outliers.count,
                outliers.largest_mm
            ));
        }
        // A few of many explain nothing.
        if 10 * outliers.over_edges > outliers.count {
            remarks.push(format!(
                "{} of them lie over edges and are in tolerance to each face beside these.",
                outliers.over_edges
            ));
        }
        if let [largest, ..] = coverage.unmeasured.as_slice() {
            let in_view =
                coverage.unmeasured.iter().any(|region| region.in_view_fraction.is_some_and(|fraction| fraction > 0.5));
            remarks.push(format!(
                "{} of the surface without data, the largest {:.0} mm² at ({:.1}, {:.1}, {:.1}) mm{}.",
                if coverage.unmeasured.len() == 1 {
                    "1 region".into()
                } else {
                    format!("{} regions", coverage.unmeasured.len())
                },
                largest.area_mm2,
                largest.centre_mm[0],
                largest.centre_mm[1],
                largest.centre_mm[2],
                if in_view { "; some of it was in view of the sensor, so material may be missing there" } else { "" }
            ));
        }
        if let [worst, ..] = self.doubtful_regions {
            let [x, y, z] = worst.peak_at_mm;
            remarks.push(format!(
                "The worst region in doubt is {} mm² large and lies at ({x:.1}, {y:.1}, {z:.1}) mm: {:+.3} mm with U {:.3} mm.",
                rounded_up(worst.area_mm2),
                worst.peak_mm,
                worst.uncertainty_mm.unwrap_or_default()
            ));
        }
        let Resolution { area_mm2, width_mm, excess_mm, noise_mm, .. } = self.resolution;
        remarks.push(format!(
            "At a point spacing of {:.2} mm and a noise of {noise_mm:.3} mm (standard deviation of a point), regions are \
             detected from {} mm² and a width of {} mm that exceed a limit by {} mm.",
            coverage.spacing_mm,
            rounded_up(*area_mm2),
            rounded_up(*width_mm),
            rounded_up(*excess_mm)
        ));
        if clutter.points > 0 {
            remarks.push(format!(
                "{} points beyond the maximum distance were classified as clutter (objects beside the part).",
                clutter.points
            ));
        }
        if clutter.stray_points > 0 {
            remarks.push(match clutter.stray_points {
                1 => "1 single point beyond the maximum distance forms no surface.".to_owned(),
                many => format!("{many} single points beyond the maximum distance form no surface."),
            });
        }
        let limit_mm = parameters.largest_limit_mm();
        if limit_mm > LARGE_TOLERANCE * self.diagonal_mm {
            remarks.push(format!(
                "The limit of {limit_mm} mm is {:.1} % of the part's size: check the units.",
                100.0 * limit_mm / self.diagonal_mm
            ));
        }
        if limit_mm >= parameters.max_distance_mm {
            remarks.push(format!(
                "The maximum distance of {} mm was raised to {} mm: within it, a limit of {limit_mm} mm could not be \
                 exceeded.",
                parameters.max_distance_mm,
                parameters.effective_max_distance_mm()
            ));
        }
        remarks
    }
}

/// A share in percent, rounded down so that it never overstates what was measured.
pub fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    // Rounding errors of the sum must not count as missing surface.
    if percent >= 10.0 {
        format!("{} %", (percent + 1e-9).floor())
    } else {
        format!("{:.1} %", (10.0 * percent).floor() / 10.0)
    }
}
