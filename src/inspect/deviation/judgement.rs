//! The verdict of a surface comparison: decision, coverage it applies to, reason and remarks.

use serde::{Deserialize, Serialize};

use super::part_match::LARGE_TOLERANCE;
use super::regions::{Clutter, MIN_POINTS, Outliers, Region};
use super::{Coverage, FaceResult, OutlierLimit, Parameters, PartMatch, Statistics};
use crate::verdict::Verdict;

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
}

/// Input of the decision.
pub struct Evidence<'a> {
    /// Parameters of the comparison.
    pub parameters: &'a Parameters,
    /// Statistics of the deviations.
    pub statistics: &'a Statistics,
    /// Regions out of tolerance.
    pub regions: &'a [Region],
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
    /// Decides on the verdict: FAIL for regions or too many points out of tolerance, else INCOMPLETE for too little
    /// coverage, a doubtful part or an own tolerance that was not judged, else PASS.
    pub fn judge(&self) -> Judgement {
        let (too_many, not_judged) = (self.too_many_outliers(), self.not_judged().count());
        let verdict = if !self.regions.is_empty() || too_many.is_some() {
            Verdict::Fail
        } else if self.coverage.fraction < self.parameters.min_coverage || self.part_match.is_doubtful || not_judged > 0
        {
            Verdict::Incomplete
        } else {
            Verdict::Pass
        };
        let mut covers = format!("on {} of the surface", percent(self.coverage.fraction));
        if self.part_match.is_doubtful {
            covers += "; the scan may be of another part";
        }
        if self.is_own_file {
            covers += "; the scan is the nominal's own file, so no part was measured";
        }
        match not_judged {
            0 => {}
            1 => covers += "; 1 own tolerance was not judged",
            count => covers += &format!("; {count} own tolerances were not judged"),
        }
        let (reason, mut remarks) = (self.reason(too_many), self.remarks());
        remarks.retain(|remark| *remark != reason);
        Judgement { verdict, covers, reason, remarks }
    }

    /// The own tolerances of whose faces too little was measured.
    fn not_judged(&self) -> impl Iterator<Item = &FaceResult> {
        self.own_tolerances.iter().filter(|own| own.verdict == Verdict::Incomplete)
    }

    fn reason(&self, too_many: Option<String>) -> String {
        if let [worst, ..] = self.regions {
            let regions = match self.regions.len() {
                1 => "1 region is".to_owned(),
                n => format!("{n} regions are"),
            };
            let peak = format!("{regions} out of tolerance, the worst by {:+.3} mm", worst.peak_mm);
            return match self.regions.iter().filter(|region| region.beyond_max_distance).count() {
                0 => format!("{peak}."),
                beyond => format!(
                    "{peak}; {beyond} of them beyond the maximum distance of {} mm: extra or missing material.",
                    self.parameters.effective_max_distance_mm()
                ),
            };
        }
        if let Some(sentence) = too_many {
            return sentence;
        }
        if self.part_match.is_doubtful {
            return format!(
                "Only {} of the scan's points lie within {:.3} mm of the nominal: the scan may be of another part, in \
                 another unit, or in a wrong pose.",
                percent(self.part_match.explained_fraction),
                self.part_match.within_mm
            );
        }
        if self.coverage.fraction < self.parameters.min_coverage {
            return format!(
                "Only {} of the nominal's surface was measured; {} are required.",
                percent(self.coverage.fraction),
                percent(self.parameters.min_coverage)
            );
        }
        if let Some(own) = self.not_judged().next() {
            return own.sentence(self.parameters.method.measured());
        }
        format!("No connected region of {} mm² or more is out of tolerance.", self.parameters.min_region_mm2)
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
        let resolved_mm2 = MIN_POINTS as f64 * coverage.spacing_mm.powi(2);
        if resolved_mm2 > parameters.min_region_mm2 {
            remarks.push(format!(
                "At a point spacing of {:.2} mm, regions under {resolved_mm2:.1} mm² cannot be detected.",
                coverage.spacing_mm
            ));
        }
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
