//! What was measured on the faces of each own tolerance, and what its limits make of it.

use super::super::regions::MIN_POINTS;
use super::super::{DeviationMap, Tolerance, Verdict};
use super::Limits;
use base::signed;
use compute::point_deviation::PointDeviation;

/// What was measured on the faces of an own tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceResult {
    /// Its name.
    pub name: String,
    /// Number of facets of the nominal on which it holds.
    pub facets: usize,
    /// Its limits.
    pub tolerance: Tolerance,
    /// Number of points or facets with data there.
    pub points: usize,
    /// Number of these in tolerance.
    pub in_tolerance: usize,
    /// The smallest and the largest deviation, mm; `None` without data.
    pub range_mm: Option<[f64; 2]>,
    /// Number of regions out of tolerance that lie there, at least in part.
    pub regions: usize,
    /// INCOMPLETE if too little was measured for a verdict.
    pub verdict: Verdict,
}

impl FaceResult {
    /// Share of the points or facets with data in tolerance, 0 to 1; `None` without data.
    pub fn in_tolerance_fraction(&self) -> Option<f64> {
        (self.points > 0).then(|| self.in_tolerance as f64 / self.points as f64)
    }

    /// The limits in words.
    pub fn limits(&self) -> String {
        let Tolerance { low_mm, high_mm } = self.tolerance;
        format!("{} mm to {} mm", signed(low_mm, 3), signed(high_mm, 3))
    }

    /// The result in a sentence; `what` was measured: points or facets.
    pub fn sentence(&self, what: &str) -> String {
        let Self { name, facets, points, .. } = self;
        match (self.verdict, self.range_mm) {
            (Verdict::Incomplete, _) if *facets == 0 => {
                format!("“{name}” was not judged: later own tolerances hold on all of its faces.")
            }
            (Verdict::Incomplete, Some(_)) if 2 * self.in_tolerance < *points => format!(
                "“{name}” was not judged: most of its {points} {what} are out of tolerance, on less than the smallest area \
                 that fails."
            ),
            (Verdict::Incomplete, _) => {
                format!("“{name}” was not judged: fewer than {MIN_POINTS} points were measured on its {facets} facets.")
            }
            (_, None) => format!(
                "“{name}” has limits of its own, {}; what was measured there lies beyond the maximum distance.",
                self.limits()
            ),
            (_, Some([min_mm, max_mm])) => format!(
                "“{name}” has limits of its own, {}: {:.1} % of its {points} {what} are in tolerance, from {} mm to {} \
                 mm.",
                self.limits(),
                100.0 * self.in_tolerance_fraction().unwrap_or_default(),
                signed(min_mm, 3),
                signed(max_mm, 3)
            ),
        }
    }

    fn add(&mut self, deviation_mm: f64, is_in_tolerance: bool) {
        self.points += 1;
        self.in_tolerance += usize::from(is_in_tolerance);
        let [min_mm, max_mm] = self.range_mm.unwrap_or([deviation_mm; 2]);
        self.range_mm = Some([min_mm.min(deviation_mm), max_mm.max(deviation_mm)]);
    }
}

/// What deviations are by the limits that hold where each of them lies.
pub(in super::super) struct Tally {
    /// Number of points or facets in tolerance.
    pub in_tolerance: usize,
    /// By own tolerance.
    pub faces: Vec<FaceResult>,
}

/// Holds the deviations of `map` against `limits`. `compared` are those of the scan's points whatever the method, of
/// which a face needs some to be judged, and `regions` the number of regions out of tolerance by own tolerance.
pub(in super::super) fn tally(
    limits: &Limits,
    map: &DeviationMap,
    compared: &[PointDeviation],
    regions: &[usize],
) -> Tally {
    let result = |(index, &regions): (usize, &usize)| FaceResult {
        name: limits.own()[index].name.clone(),
        facets: limits.facets_of(index),
        tolerance: limits.own()[index].tolerance,
        points: 0,
        in_tolerance: 0,
        range_mm: None,
        regions,
        verdict: Verdict::Incomplete,
    };
    let mut faces: Vec<FaceResult> = regions.iter().enumerate().map(result).collect();
    let mut in_tolerance = 0;
    for (facet, value) in map.facets().zip(map.values()) {
        let Some(deviation_mm) = value else { continue };
        let is_in_tolerance = limits.on(facet).allows(deviation_mm);
        in_tolerance += usize::from(is_in_tolerance);
        if let Some(index) = limits.own_on(facet) {
            faces[index].add(deviation_mm, is_in_tolerance);
        }
    }
    let mut measured = vec![0; faces.len()];
    let with_data = compared.iter().filter(|point| point.value().is_some());
    with_data.filter_map(|point| limits.own_on(point.facet)).for_each(|index| measured[index] += 1);
    for (face, measured) in faces.iter_mut().zip(measured) {
        face.verdict = match face.regions {
            1.. => Verdict::Fail,
            // No region has fewer points, so nothing could be out of tolerance there.
            0 if face.points == 0 || measured < MIN_POINTS => Verdict::Incomplete,
            // Most of it is out of tolerance, and yet no region is large enough to fail.
            0 if 2 * face.in_tolerance < face.points => Verdict::Incomplete,
            0 => Verdict::Pass,
        };
    }
    Tally { in_tolerance, faces }
}
