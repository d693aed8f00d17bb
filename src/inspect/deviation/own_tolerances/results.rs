//! What was measured on the faces of each own tolerance, and what its limits make of it.

use super::super::judgement::percent;
use super::super::map::Weights;
use super::super::regions::MIN_POINTS;
use super::super::{DeviationMap, Tolerance, Verdict};
use super::{Limits, coverage};
use base::signed;
use compute::point_deviation::PointDeviation;
use geometry::{Point, Pose, Surface};

/// What was measured on the faces of an own tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceResult {
    /// Its name.
    pub name: String,
    /// Number of facets of the nominal on which it holds.
    pub facets: usize,
    /// Its limits.
    pub tolerance: Tolerance,
    /// Number of points of the scan compared there, whatever the method.
    pub scan_points: usize,
    /// Number of points or facets with data there.
    pub points: usize,
    /// Share of these points, or of the area of these facets, in tolerance, 0 to 1.
    pub in_tolerance: f64,
    /// The smallest and the largest deviation, mm; `None` without data.
    pub range_mm: Option<[f64; 2]>,
    /// Number of regions out of tolerance of which enough lies there to be one.
    pub regions: usize,
    /// Share of the area of its faces with data, 0 to 1.
    pub coverage: f64,
    /// Share that it needs to pass, 0 to 1.
    pub min_coverage: f64,
    /// INCOMPLETE if too little was measured for a verdict.
    pub verdict: Verdict,
}

impl FaceResult {
    /// Share of the points, or of the area of the facets, with data in tolerance, 0 to 1; `None` without data.
    pub fn in_tolerance_fraction(&self) -> Option<f64> {
        (self.points > 0).then_some(self.in_tolerance)
    }

    /// The limits in words.
    pub fn limits(&self) -> String {
        let Tolerance { low_mm, high_mm } = self.tolerance;
        format!("{} mm to {} mm", signed(low_mm, 3), signed(high_mm, 3))
    }

    /// The result in a sentence; `what` was measured: points or facets.
    pub fn sentence(&self, what: &str) -> String {
        let Self { name, facets, points, .. } = self;
        let covered = percent(self.coverage);
        match (self.verdict, self.range_mm) {
            (Verdict::Incomplete, _) if *facets == 0 => {
                format!("“{name}” was not judged: later own tolerances hold on all of its faces.")
            }
            (Verdict::Incomplete, _) if self.scan_points < MIN_POINTS => {
                format!("“{name}” was not judged: fewer than {MIN_POINTS} points were measured on its {facets} facets.")
            }
            (Verdict::Incomplete, Some(_)) if self.coverage < self.min_coverage => format!(
                "“{name}” was not judged: {covered} of the area of its faces was measured; {} are required.",
                percent(self.min_coverage)
            ),
            (Verdict::Incomplete, Some(_)) => format!(
                "“{name}” was not judged: most of its {points} {what} are out of tolerance, on less than the smallest area \
                 that fails."
            ),
            (Verdict::Incomplete, None) => {
                format!("“{name}” was not judged: none of its {facets} facets has points enough for a deviation.")
            }
            (_, None) => format!(
                "“{name}” has limits of its own, {}; what was measured there lies beyond the maximum distance.",
                self.limits()
            ),
            (_, Some([min_mm, max_mm])) => format!(
                "“{name}” has limits of its own, {}: {:.1} % of its {points} {what} are in tolerance, from {} mm to {} \
                 mm, on {covered} of its area.",
                self.limits(),
                100.0 * self.in_tolerance_fraction().unwrap_or_default(),
                signed(min_mm, 3),
                signed(max_mm, 3)
            ),
        }
    }

    fn judge(&self) -> Verdict {
        if self.regions > 0 {
            return Verdict::Fail;
        }
        // No region has fewer points, so nothing could be out of tolerance there.
        let is_measured = self.points > 0 && self.scan_points >= MIN_POINTS && self.coverage >= self.min_coverage;
        // Most of it may be out of tolerance, and yet no region is large enough to fail.
        let is_mostly_in = self.in_tolerance >= 0.5;
        if is_measured && is_mostly_in { Verdict::Pass } else { Verdict::Incomplete }
    }

    fn add(&mut self, deviation_mm: f64) {
        self.points += 1;
        let [min_mm, max_mm] = self.range_mm.unwrap_or([deviation_mm; 2]);
        self.range_mm = Some([min_mm.min(deviation_mm), max_mm.max(deviation_mm)]);
    }
}

/// What was measured, to be held against the limits.
pub(in super::super) struct Measured<'a> {
    /// The limits on each facet of the nominal.
    pub limits: &'a Limits,
    /// The deviations.
    pub map: &'a DeviationMap,
    /// Deviations of the scan's points whatever the method: a face needs some to be judged.
    pub compared: &'a [PointDeviation],
    /// The scan's points, scan frame, mm.
    pub points: &'a [Point],
    /// Maps the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// The nominal.
    pub surface: &'a Surface,
    /// Spacing of the compared points, mm.
    pub spacing_mm: f64,
    /// Share of the area of its faces that an own tolerance needs measured to pass, 0 to 1.
    pub min_coverage: f64,
}

/// What deviations are by the limits that hold where each of them lies.
pub(in super::super) struct Tally {
    /// Share of the points, or of the area of the facets, with data in tolerance, 0 to 1.
    pub in_tolerance: f64,
    /// By own tolerance.
    pub faces: Vec<FaceResult>,
}

impl Measured<'_> {
    /// By own tolerance: the indices of the compared points on its faces.
    fn points(&self) -> Vec<Vec<u32>> {
        let mut points = vec![Vec::new(); self.limits.own().len()];
        let with_data = self.compared.iter().zip(0..).filter(|(own, _)| own.value().is_some());
        for (own, index) in with_data {
            if let Some(face) = self.limits.own_on(own.facet) {
                points[face].push(index);
            }
        }
        points
    }

    /// Holds the deviations against the limits. `regions` is the number of regions out of tolerance by own tolerance.
    pub fn tally(&self, regions: &[usize], weights: &Weights) -> Tally {
        let Self { limits, map, min_coverage, .. } = *self;
        let facets = limits.facets();
        let points = self.points();
        let coverage = coverage::fractions(self, &facets, &points);
        let own = limits.own().iter().zip(regions).zip(facets.iter().zip(&points).zip(coverage));
        let result = own.map(|((own, &regions), ((facets, points), coverage))| FaceResult {
            name: own.name.clone(),
            facets: facets.len(),
            tolerance: own.tolerance,
            scan_points: points.len(),
            points: 0,
            in_tolerance: 0.0,
            range_mm: None,
            regions,
            coverage,
            min_coverage,
            verdict: Verdict::Incomplete,
        });
        let mut faces: Vec<FaceResult> = result.collect();
        // In tolerance and with data, of all and of each face.
        let (mut all, mut of_faces) = ([0.0; 2], vec![[0.0; 2]; faces.len()]);
        for (at, (facet, value)) in map.facets().zip(map.values()).enumerate() {
            let Some(deviation_mm) = value else { continue };
            let weight = weights.of(at);
            let allowed = if limits.on(facet).allows(deviation_mm) { weight } else { 0.0 };
            let add = |sums: &mut [f64; 2]| *sums = [sums[0] + allowed, sums[1] + weight];
            add(&mut all);
            if let Some(index) = limits.own_on(facet) {
                faces[index].add(deviation_mm);
                add(&mut of_faces[index]);
            }
        }
        let share = |[allowed, all]: [f64; 2]| if all > 0.0 { (allowed / all).min(1.0) } else { 0.0 };
        for (face, sums) in faces.iter_mut().zip(of_faces) {
            face.in_tolerance = share(sums);
            face.verdict = face.judge();
        }
        Tally { in_tolerance: share(all), faces }
    }
}
