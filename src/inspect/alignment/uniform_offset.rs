//! Scans whose faces all lie off the nominal alike, such as those of castings with an allowance, of coated and of shrunk parts. A
//! robust fit lays some of the faces onto the nominal and leaves those opposite twice as far off; with the offset as a seventh
//! unknown beside the pose, all of them fit.

use nalgebra::{SMatrix, SVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Alignment, Information, StopReason};
use crate::parts::PreparedScan;
use base::Progress;
use compute::registration::TUKEY_CUTOFF;
use geometry::{Point, Pose, Surface, Vector, transform};

/// By how much all faces of a scan lie off the nominal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UniformOffset {
    /// The offset, mm, positive outside the material.
    pub offset_mm: f64,
    /// Whether the pose was found with it; otherwise it was asked for a fit onto the nominal, which lays some faces onto it.
    pub is_taken: bool,
}

impl UniformOffset {
    /// Where the faces lie: “0.500 mm outside the nominal alike”.
    fn place(&self) -> String {
        let side = if self.offset_mm < 0.0 { "inside" } else { "outside" };
        format!("{:.3} mm {side} the nominal alike", self.offset_mm.abs())
    }

    /// The offset as a reservation about the pose.
    pub fn reservation(&self) -> String {
        let verb = if self.is_taken { "lie" } else { "may lie" };
        format!("all faces {verb} {}", self.place())
    }

    /// The offset as a remark, if the pose was found with it.
    pub fn remark(&self) -> Option<String> {
        let sentence = format!(
            "All faces of the scan lie {}: the pose was found at this offset, and no face was laid onto the nominal.",
            self.place()
        );
        self.is_taken.then_some(sentence)
    }
}

/// Points with the directions in which they face, scan frame; the latter empty if unknown.
#[derive(Clone, Copy)]
pub(super) struct DirectedPoints<'a> {
    pub points: &'a [Point],
    pub facing: &'a [Vector],
}

/// A pose with an offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct OffsetFit {
    /// Maps the scan onto the nominal.
    pub pose: Pose,
    /// The offset, mm.
    pub offset_mm: f64,
    /// Robust standard deviation of the points about it, mm.
    pub scale_mm: f64,
    /// Weighted RMS about it, mm.
    pub rms_mm: f64,
    /// Share of the points with a weight, 0 to 1.
    pub used_fraction: f64,
    pub iterations: usize,
    /// Whether the last step was small.
    pub converged: bool,
    /// Normal matrix of rotations about the centre of the nominal's bounds, translations and the offset, for unit weight.
    hessian: SMatrix<f64, 7, 7>,
}

/// Points per unit of work.
const CHUNK: usize = 256;
/// The first gate of an offset beside a fit as a share of the nominal's diagonal, and the most iterations.
const FIRST_GATE_SHARE: f64 = 0.05;
const MAX_ITERATIONS: usize = 40;
/// Gate in robust standard deviations.
const GATE_SCALES: f64 = 10.0;
/// The first lower bound of the robust scale as a share of the gate, as in a best fit.
const FIRST_SCALE: f64 = 0.2;
/// Unknowns are undetermined in directions whose eigenvalue is below this share of the largest.
const UNDETERMINED: f64 = 1e-8;
/// A step that moves no point by more than this share of the scale ends a fit.
const SMALL_STEP: f64 = 1e-3;
/// Share of an offset's normal equation that no motion of the part explains, below which offset and pose cannot be told apart:
/// on three faces of a block, an offset is a translation.
const MIN_INDEPENDENT: f64 = 0.05;
/// An offset below this many standard deviations of the points misleads no robust fit.
const MIN_SCALES: f64 = 2.0;
/// Distance from the offset up to which a point agrees with it, in standard deviations; the share of the points of each side of the
/// part that must agree, and the share of all points that makes a side.
const AGREEMENT_SCALES: f64 = 4.0;
const MIN_AGREEMENT: f64 = 0.5;
const MIN_SIDE: f64 = 0.01;

/// Share of the points that a fit onto the nominal uses, below which the others may lie at an offset.
const MAX_USED: f64 = 0.9;
/// Points that an offset is looked for by, beside a fit onto the nominal.
const POINTS: usize = 4_000;
/// An offset must let this many times as many points lie about it as about the nominal.
const MIN_GAIN: f64 = 1.3;

/// The offset at which far more of the scan would fit than onto the nominal, in which `fitted` ended; for fits from a given pose,
/// which do not look for one.
pub(super) fn possible(surface: &Surface, scan: &PreparedScan, fitted: &Alignment) -> Option<UniformOffset> {
    if fitted.overlap >= MAX_USED {
        return None;
    }
    let stride = scan.ordered.points.len().div_ceil(POINTS).max(1);
    let points: Vec<Point> = scan.ordered.points.iter().step_by(stride).copied().collect();
    let numbers = scan.ordered.numbers.iter().step_by(stride);
    let facing: Vec<Vector> =
        numbers.filter(|_| scan.oriented).filter_map(|&number| scan.normals.get(number as usize).copied()).collect();
    let facing = if facing.len() == points.len() { facing.as_slice() } else { &[] };
    let points = DirectedPoints { points: &points, facing };
    let (pose, gate_mm) = (&fitted.nominal_from_scan, FIRST_GATE_SHARE * surface.bounds().diagonal());
    let found = fit(surface, points, (pose, 0.0), gate_mm, MAX_ITERATIONS, &Progress::silent())?;
    let near = |pose: &Pose, offset_mm: f64| {
        let about_mm = AGREEMENT_SCALES * found.scale_mm;
        let own = residuals(surface, points, pose, offset_mm.abs() + about_mm);
        own.iter().flatten().filter(|own| (own.distance_mm - offset_mm).abs() <= about_mm).count() as f64
    };
    let is_better = near(&found.pose, found.offset_mm) > MIN_GAIN * near(pose, 0.0);
    (is_better && found.is_uniform(surface, points))
        .then_some(UniformOffset { offset_mm: found.offset_mm, is_taken: false })
}

/// Position of a point relative to the nominal.
struct Residual {
    distance_mm: f64,
    /// Direction in which the distance grows, unit vector.
    direction: Vector,
    /// Relative to the centre of the nominal's bounds, mm.
    arm: Vector,
}

/// The signed distance of a point, or `None` if it is farther than the gate, faces away, or lies beyond an open rim.
fn residual(
    surface: &Surface,
    points: DirectedPoints<'_>,
    index: usize,
    pose: &Pose,
    gate_mm: f64,
) -> Option<Residual> {
    let point = pose * points.points[index];
    let hit = surface.closest_point(&point, gate_mm)?;
    let faces_away = points.facing.get(index).is_some_and(|own| surface.aligned_cosine(&hit, &(pose * own)) < 0.0);
    if faces_away || surface.is_on_boundary(&hit) {
        return None;
    }
    let distance_mm = surface.signed_distance_mm(&point, &hit);
    let is_on_face = hit.feature == geometry::triangle::Feature::Face || hit.distance_mm <= 0.0;
    let normal = surface.mesh().normal(hit.facet as usize);
    let direction = if is_on_face { normal } else { (point - hit.point) / distance_mm };
    Some(Residual { distance_mm, direction, arm: point - surface.bounds().centre() })
}

fn residuals(surface: &Surface, points: DirectedPoints<'_>, pose: &Pose, gate_mm: f64) -> Vec<Option<Residual>> {
    let count = points.points.len();
    (0..count).into_par_iter().with_min_len(CHUNK).map(|i| residual(surface, points, i, pose, gate_mm)).collect()
}

/// Fits pose and offset to `points` from `start`, with a greatest distance of `gate_mm` at first that then follows the fit. `None` if
/// too few points lie within it.
pub(super) fn fit(
    surface: &Surface,
    points: DirectedPoints<'_>,
    start: (&Pose, f64),
    first_gate_mm: f64,
    max_iterations: usize,
    progress: &Progress,
) -> Option<OffsetFit> {
    let centre = surface.bounds().centre();
    let lever_mm = 0.5 * surface.bounds().diagonal();
    let (mut pose, mut offset_mm) = (*start.0, start.1);
    let (mut gate_mm, mut floor_mm) = (first_gate_mm, FIRST_SCALE * first_gate_mm);
    let mut last = None;
    for iteration in 1..=max_iterations {
        if progress.is_cancelled() {
            return None;
        }
        let found: Vec<Residual> =
            residuals(surface, points, &pose, offset_mm.abs() + gate_mm).into_iter().flatten().collect();
        let mut about_mm: Vec<f64> = found.iter().map(|own| (own.distance_mm - offset_mm).abs()).collect();
        if about_mm.len() < 7 {
            return None;
        }
        let middle = about_mm.len() / 2;
        let own_scale_mm = 1.4826 * *about_mm.select_nth_unstable_by(middle, f64::total_cmp).1;
        let scale_mm = own_scale_mm.max(floor_mm);
        let cutoff_mm = TUKEY_CUTOFF * scale_mm;
        let mut hessian = SMatrix::<f64, 7, 7>::zeros();
        let mut gradient = SVector::<f64, 7>::zeros();
        let (mut weights, mut curvatures, mut squares, mut used) = (0.0, 0.0, 0.0, 0_usize);
        for own in &found {
            let residual_mm = own.distance_mm - offset_mm;
            let square = (residual_mm / cutoff_mm).powi(2);
            if square >= 1.0 {
                continue;
            }
            let (moment, direction) = (own.arm.cross(&own.direction) / lever_mm, own.direction);
            let row =
                SVector::<f64, 7>::from([moment.x, moment.y, moment.z, direction.x, direction.y, direction.z, -1.0]);
            let weight = (1.0 - square).powi(2);
            hessian.ger(weight, &row, &row, 1.0);
            gradient.axpy(weight * residual_mm, &row, 1.0);
            weights += weight;
            curvatures += (1.0 - square) * (1.0 - 5.0 * square);
            squares += weight * residual_mm * residual_mm;
            used += 1;
        }
        let is_settled = own_scale_mm >= floor_mm;
        // As in a best fit: reweighted steps are too short.
        let factor = if is_settled { (weights / curvatures.max(0.5 * weights)).max(1.0) } else { 1.0 };
        let step = factor * solved(&hessian, &gradient)?;
        let turn = Vector::new(step[0], step[1], step[2]) / lever_mm;
        let shift = Vector::new(step[3], step[4], step[5]);
        pose = transform::step_about(&centre, turn, shift) * pose;
        pose.rotation.renormalize();
        offset_mm += step[6];
        let moved_mm = turn.norm() * lever_mm + shift.norm() + step[6].abs();
        let converged = is_settled && moved_mm < SMALL_STEP * own_scale_mm.max(1e-9 * lever_mm);
        last = Some(OffsetFit {
            pose,
            offset_mm,
            scale_mm,
            rms_mm: (squares / weights.max(f64::MIN_POSITIVE)).sqrt(),
            used_fraction: used as f64 / points.points.len() as f64,
            iterations: iteration,
            converged,
            hessian,
        });
        if converged {
            break;
        }
        if moved_mm < floor_mm {
            floor_mm *= 0.5;
        }
        gate_mm = gate_mm.min((GATE_SCALES * scale_mm).max(1e-4 * lever_mm));
    }
    last
}

/// The step of the normal equations, zero along undetermined directions.
fn solved(hessian: &SMatrix<f64, 7, 7>, gradient: &SVector<f64, 7>) -> Option<SVector<f64, 7>> {
    let eigen = nalgebra::SymmetricEigen::new(*hessian);
    let largest = eigen.eigenvalues.amax();
    let mut step = SVector::zeros();
    for (direction, value) in eigen.eigenvectors.column_iter().zip(&eigen.eigenvalues) {
        if *value > UNDETERMINED * largest {
            step -= direction * (direction.dot(gradient) / value);
        }
    }
    step.iter().all(|own| own.is_finite()).then_some(step)
}

impl OffsetFit {
    /// Whether the offset is no motion of the part, larger than the scatter of the points, and held by every side of the part.
    pub fn is_uniform(&self, surface: &Surface, points: DirectedPoints<'_>) -> bool {
        self.offset_mm.abs() > MIN_SCALES * self.scale_mm
            && self.independent_fraction() >= MIN_INDEPENDENT
            && self.is_held_by_every_side(surface, points)
    }

    /// Share of the offset's normal equation that no motion explains, 0 to 1.
    fn independent_fraction(&self) -> f64 {
        let of_pose = self.hessian.fixed_view::<6, 6>(0, 0).into_owned();
        let with_pose = self.hessian.fixed_view::<6, 1>(0, 6).into_owned();
        let own = self.hessian[(6, 6)];
        let Some(inverse) = of_pose.pseudo_inverse(1e-9 * of_pose.norm()).ok() else { return 0.0 };
        (own - (with_pose.transpose() * inverse * with_pose)[0]) / own.max(f64::MIN_POSITIVE)
    }

    fn is_held_by_every_side(&self, surface: &Surface, points: DirectedPoints<'_>) -> bool {
        let agreement_mm = AGREEMENT_SCALES * self.scale_mm;
        // By the axis to which a normal is closest, and its sign: all points, and those that agree.
        let mut sides = [[0_usize; 2]; 6];
        let gate_mm = 2.0 * self.offset_mm.abs() + agreement_mm;
        for own in residuals(surface, points, &self.pose, gate_mm).into_iter().flatten() {
            let axis = own.direction.iamax();
            let side = &mut sides[2 * axis + usize::from(own.direction[axis] < 0.0)];
            side[0] += 1;
            side[1] += usize::from((own.distance_mm - self.offset_mm).abs() <= agreement_mm);
        }
        let all: usize = sides.iter().map(|side| side[0]).sum();
        let counts = sides.iter().filter(|side| side[0] as f64 >= MIN_SIDE * all as f64);
        all > 0 && counts.into_iter().all(|side| side[1] as f64 >= MIN_AGREEMENT * side[0] as f64)
    }

    /// The fit as an alignment, with a start that was searched.
    pub fn alignment(&self, surface: &Surface) -> Alignment {
        let bounds = surface.bounds();
        let lever_mm = 0.5 * bounds.diagonal();
        Alignment {
            rms_mm: self.rms_mm,
            iterations: self.iterations,
            overlap: self.used_fraction,
            converged: self.converged,
            stop: if self.converged { StopReason::SmallStep } else { StopReason::MaxIterations },
            information: Information::new(&self.hessian_of_pose(lever_mm), bounds.centre(), lever_mm),
            uniform_offset: Some(UniformOffset { offset_mm: self.offset_mm, is_taken: true }),
            ..Alignment::given(self.pose)
        }
    }

    /// The normal matrix of the pose alone, per rad and mm.
    fn hessian_of_pose(&self, lever_mm: f64) -> nalgebra::Matrix6<f64> {
        let scale = |i: usize| if i < 3 { lever_mm } else { 1.0 };
        nalgebra::Matrix6::from_fn(|row, column| self.hessian[(row, column)] * scale(row) * scale(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::best_fit;
    use crate::alignment::recipe::problem;
    use base::random::Random;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Cloud, sampling};

    /// Points on the faces of a block, each moved out along its normal by what `offset_mm` says of the normal.
    fn scan(surface: &Surface, offset_mm: impl Fn(&Vector) -> f64) -> Cloud {
        let mut random = Random::new(3, 0);
        let samples = sampling::by_area(surface.mesh(), 12_000, 4);
        let mut moved =
            |own: &sampling::SurfaceSample| own.point + own.normal * (offset_mm(&own.normal) + 0.01 * random.normal());
        Cloud::from_points(samples.iter().map(&mut moved).collect())
    }

    /// A fit onto the nominal from `start`, and what is said beside it.
    fn beside_a_fit(surface: &Surface, cloud: &Cloud, start: Vector) -> (Pose, Option<UniformOffset>) {
        let scan = PreparedScan::new(cloud);
        let parameters = best_fit::Parameters { max_distance_mm: Some(0.15), ..best_fit::Parameters::default() };
        let (start, silent) = (Pose::from_parts(start.into(), Default::default()), Progress::silent());
        let fitted =
            best_fit::run(&Cpu, &problem(surface, &scan), &start, &parameters, &silent, &mut |_, _| ()).unwrap();
        (fitted.nominal_from_scan, possible(surface, &scan, &fitted))
    }

    #[test]
    fn a_fit_onto_the_nominal_says_that_all_faces_may_lie_off_it() {
        let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(60.0, 40.0, 25.0)));
        for offset_mm in [-0.8, -0.1, 0.1, 0.8] {
            let onto_three_faces = Vector::from_element(offset_mm);
            let (pose, found) = beside_a_fit(&surface, &scan(&surface, |_| offset_mm), onto_three_faces);
            let found = found.unwrap();
            assert!(pose.translation.vector.norm() > 0.5 * offset_mm.abs(), "{pose}");
            assert!(!found.is_taken && (found.offset_mm - offset_mm).abs() < 2e-3, "{offset_mm}: {found:?}");
        }
    }

    #[test]
    fn faces_off_by_themselves_are_no_offset_of_all() {
        let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(60.0, 40.0, 25.0)));
        let said =
            |offset_mm: &dyn Fn(&Vector) -> f64| beside_a_fit(&surface, &scan(&surface, offset_mm), Vector::zeros()).1;
        assert_eq!(said(&|_| 0.0), None);
        // Too thick, with its walls right; and too long.
        assert_eq!(said(&|own| 0.3 * own.z.abs()), None);
        assert_eq!(said(&|own| 0.3 * own.x.max(0.0)), None);
    }

    #[test]
    fn an_offset_of_three_faces_alone_is_a_translation() {
        let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(60.0, 40.0, 25.0)));
        let cloud = scan(&surface, |_| 0.5);
        let seen: Vec<Point> =
            cloud.points.iter().filter(|own| own.x > 60.2 || own.y > 40.2 || own.z > 25.2).copied().collect();
        let points = DirectedPoints { points: &seen, facing: &[] };
        let found = fit(&surface, points, (&Pose::identity(), 0.5), 2.0, 40, &Progress::silent()).unwrap();
        assert!(!found.is_uniform(&surface, points), "{found:?}");
    }
}
