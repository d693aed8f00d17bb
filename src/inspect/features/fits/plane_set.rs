//! Parallel planes fitted together: one normal from the points of all of them, by weighted total least squares
//! (Shakarji and Srinivasan, "Theory and algorithms for weighted total least-squares fitting of lines, planes, and
//! parallel planes to support tolerancing standards", 2013).
//!
//! Each plane passes through the weighted centroid of its points. Translated to a common centroid, the points of all
//! planes lie on one plane, whose fit gives the common normal: its uncertainty follows from that fit, including the
//! correlation of neighbouring residuals, since points of different planes are no more correlated there than elsewhere.

use nalgebra::Matrix6;
use serde::Serialize;

use super::robust;
use super::{Drawn, Fit, Kind, Options, ROUNDS, Shape, Uncertainty, fit};
use base::{Progress, Result, UserError};
use compute::{Backend, Compute, parallel_planes};
use geometry::{Aabb, Point, Vector};

/// The points of one plane.
#[derive(Clone, Copy, Debug)]
pub struct PlanePoints<'a> {
    /// Points, mm.
    pub points: &'a [Point],
    /// A weight of at least 0 for each, taken as an inverse variance; 0 masks a point. Empty: all one.
    pub weights: &'a [f64],
}

/// A set of parallel planes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaneSet {
    /// Common unit normal; its largest component by absolute value is positive.
    pub normal: Vector,
    /// Maximum expanded uncertainty of the normal over all directions (k = 2), rad.
    pub normal_uncertainty_rad: f64,
    /// Weighted RMS distance of all points used from their planes, mm.
    pub rms_mm: f64,
    /// Standard deviation of a distance of unit weight, mm, from the remaining degrees of freedom.
    pub sigma_mm: f64,
    /// Number of points used.
    pub used: usize,
    /// Each plane as a feature through its centroid; residuals and dropped indices refer to its own points.
    pub planes: Vec<Fit>,
    /// Distances between all pairs of planes.
    pub distances: Vec<PlaneDistance>,
}

/// The distance between two planes of a set along the common normal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaneDistance {
    /// Indices of the planes, from 0.
    pub planes: [usize; 2],
    /// Distance between their centroids along the normal, mm.
    pub distance_mm: f64,
    /// Expanded uncertainty of the distance (k = 2), mm; infinite without points to spare.
    pub uncertainty_mm: f64,
}

/// Fits parallel planes; a set may consist of a single plane. `clip_sigmas` drops points farther from their plane than
/// this many robust standard deviations of all distances, and repeats the fit until none is left.
///
/// Returns an error if a plane has no point of positive weight, if there are fewer points than unknowns, if they do not
/// determine the normal, or if a coordinate or weight is not finite.
pub fn fit_parallel(
    backend: &dyn Backend,
    planes: &[PlanePoints<'_>],
    clip_sigmas: Option<f64>,
    progress: &Progress,
) -> Result<PlaneSet> {
    if planes.iter().any(|plane| !plane.weights.is_empty() && plane.weights.len() != plane.points.len()) {
        return Err(UserError::internal("A fit needs a weight for each point."));
    }
    let drawn: Vec<Drawn> = planes.iter().map(|plane| Drawn::new(plane.points, plane.weights)).collect();
    let in_order: Vec<PlanePoints<'_>> =
        drawn.iter().map(|own| PlanePoints { points: &own.points, weights: &own.weights }).collect();
    let mut set = fit_in_order(backend, &in_order, clip_sigmas, progress)?;
    set.planes = set.planes.into_iter().zip(&drawn).map(|(fit, own)| own.back(fit)).collect();
    Ok(set)
}

/// [`fit_parallel`] to points in their drawn order.
fn fit_in_order(
    backend: &dyn Backend,
    planes: &[PlanePoints<'_>],
    clip_sigmas: Option<f64>,
    progress: &Progress,
) -> Result<PlaneSet> {
    let all = Stack::new(planes)?;
    let mut dropped: Vec<u32> = Vec::new();
    for round in 0..ROUNDS {
        progress.report(0.5 * round as f32 / ROUNDS as f32, "Fitting parallel planes")?;
        let weights = all.used_weights(&dropped);
        let centroids = all.centroids(&weights)?;
        let normal = all.normal(backend, &weights, progress)?;
        let distances = all.distances(&centroids, &normal);
        let next = clip_sigmas.map(|sigmas| robust::outliers(&distances, &all.weights, sigmas));
        if next.as_ref().is_none_or(|next| *next == dropped) || round + 1 == ROUNDS {
            let start = Shape::Plane { point: centroids[0], normal };
            let last = LastRound { weights: &weights, dropped: &dropped, centroids: &centroids, clip_sigmas };
            return all.finish(&last, start, &progress.part(0.5, 1.0));
        }
        dropped = next.unwrap_or_default();
    }
    Err(UserError::internal("The outlier rejection did not terminate."))
}

/// The points of all planes, one plane after the other.
struct Stack {
    points: Vec<Point>,
    weights: Vec<f64>,
    counts: Vec<usize>,
}

/// State of the last round of outlier rejection.
struct LastRound<'a> {
    weights: &'a [f64],
    dropped: &'a [u32],
    centroids: &'a [Point],
    clip_sigmas: Option<f64>,
}

impl Stack {
    fn new(planes: &[PlanePoints<'_>]) -> Result<Self> {
        let mut stack = Self { points: Vec::new(), weights: Vec::new(), counts: Vec::new() };
        for plane in planes {
            let count = plane.points.len();
            stack.points.extend_from_slice(plane.points);
            stack.weights.extend_from_slice(plane.weights);
            stack.weights.resize(stack.points.len(), 1.0);
            stack.counts.push(count);
        }
        if planes.is_empty() {
            return Err(UserError::usage("State the points of at least one plane."));
        }
        let is_finite = |point: &Point| point.coords.iter().all(|c| c.abs() < 1e30);
        if !stack.points.iter().all(is_finite) || !stack.weights.iter().all(|weight| (0.0..1e100).contains(weight)) {
            return Err(UserError::input("A fit needs finite coordinates, and weights of at least 0."));
        }
        Ok(stack)
    }

    /// The weights, with those of dropped points set to 0.
    fn used_weights(&self, dropped: &[u32]) -> Vec<f64> {
        let mut weights = self.weights.clone();
        dropped.iter().for_each(|&index| weights[index as usize] = 0.0);
        weights
    }

    /// The index range of each plane's points.
    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut next = 0;
        self.counts.iter().map(move |&count| {
            let first = next;
            next += count;
            first..next
        })
    }

    fn centroids(&self, weights: &[f64]) -> Result<Vec<Point>> {
        let mut used = 0;
        let mut centroids = Vec::with_capacity(self.counts.len());
        for (index, range) in self.ranges().enumerate() {
            let own =
                || self.points[range.clone()].iter().zip(&weights[range.clone()]).filter(|(_, weight)| **weight > 0.0);
            let Some((&first, _)) = own().next() else {
                return Err(UserError::input(format!("Plane {} has no point with a weight above 0.", index + 1)));
            };
            // Relative to one of them, so that a remote origin costs no digits.
            let weight: f64 = own().map(|(_, weight)| weight).sum();
            let sum: Vector = own().map(|(point, weight)| (point - first) * *weight).sum();
            centroids.push(first + sum / weight);
            used += own().count();
        }
        let needed = self.counts.len() + 2;
        if used < needed {
            return Err(UserError::input(format!(
                "{} parallel planes need at least {needed} points; there are {used}.",
                self.counts.len()
            )));
        }
        Ok(centroids)
    }

    /// The common normal as computed by the backend.
    fn normal(&self, backend: &dyn Backend, weights: &[f64], progress: &Progress) -> Result<Vector> {
        let origin = Aabb::of_points_parallel(&self.points).centre();
        let max_weight = weights.iter().copied().fold(0.0, f64::max);
        let row = |(point, weight): (&Point, &f64)| -> [f32; 4] {
            let [x, y, z]: [f64; 3] = (point - origin).into();
            [x as f32, y as f32, z as f32, (weight / max_weight) as f32]
        };
        let rows: Vec<[f32; 4]> = self.points.iter().zip(weights).map(row).collect();
        let sets = [self.counts.len()];
        let request = parallel_planes::Request { points: &rows, origin, planes: &self.counts, sets: &sets };
        let set = backend.compute(&request, progress)?.pop();
        let [across, narrow, long] = set.as_ref().map_or([0.0; 3], |set| set.moments_mm2);
        let is_determined = narrow > MIN_RELATIVE_MOMENT * long && narrow > 2.0 * across;
        set.and_then(|set| set.normal).filter(|_| is_determined).ok_or_else(undetermined)
    }

    fn distances(&self, centroids: &[Point], normal: &Vector) -> Vec<f64> {
        let of_plane = |(range, centroid): (std::ops::Range<usize>, &Point)| -> Vec<f64> {
            self.points[range].iter().map(|point| (point - centroid).dot(normal)).collect()
        };
        self.ranges().zip(centroids).flat_map(of_plane).collect()
    }

    fn finish(&self, last: &LastRound<'_>, start: Shape, progress: &Progress) -> Result<PlaneSet> {
        let (weights, centroids) = (last.weights, last.centroids);
        let mut stacked = Vec::with_capacity(self.points.len());
        for (range, centroid) in self.ranges().zip(centroids) {
            let shift = centroids[0] - centroid;
            stacked.extend(self.points[range].iter().map(|point| point + shift));
        }
        let options = Options { start: Some(start), ..Options::default() };
        let joint = fit(Kind::Plane, &stacked, weights, &options, progress)?;
        drop(stacked);
        let normal = with_positive_sign(joint.shape.direction().ok_or_else(undetermined)?);
        let distances = self.distances(centroids, &normal);
        let widening = Widening::new(&joint, self.counts.len(), last.clip_sigmas);
        let assumption = self.assumption(&joint.uncertainty);
        let total: f64 = weights.iter().sum();
        let is_stated = joint.used > self.counts.len() + 2;
        let base = Fit {
            sigma_mm: joint.sigma_mm * widening.sigma,
            residuals_mm: Vec::new(),
            dropped: Vec::new(),
            ..joint.clone()
        };
        let mut planes = Vec::with_capacity(self.counts.len());
        for (range, &point) in self.ranges().zip(centroids) {
            let (own, own_weights) = (&distances[range.clone()], &weights[range.clone()]);
            let used = || own.iter().zip(own_weights).filter(|(_, weight)| **weight > 0.0);
            let weight: f64 = own_weights.iter().sum();
            let squares: f64 = used().map(|(distance, weight)| weight * distance * distance).sum();
            let max = used().map(|(distance, _)| *distance).fold(f64::NEG_INFINITY, f64::max);
            let min = used().map(|(distance, _)| *distance).fold(f64::INFINITY, f64::min);
            let dropped = last.dropped.iter().filter(|&&index| range.contains(&(index as usize)));
            planes.push(Fit {
                shape: Shape::Plane { point, normal },
                rms_mm: (squares / weight).sqrt(),
                form_error_mm: max - min,
                residuals_mm: own.to_vec(),
                used: used().count(),
                dropped: dropped.map(|&index| index - range.start as u32).collect(),
                uncertainty: if is_stated {
                    Uncertainty {
                        assumption: assumption.clone(),
                        redundancy: joint.used - self.counts.len() - 2,
                        ..widening.of_plane(&joint.uncertainty, total / weight)
                    }
                } else {
                    Uncertainty::unstated(used().count(), 0, true)
                },
                ..base.clone()
            });
        }
        let squares: f64 = distances.iter().zip(weights).map(|(distance, weight)| weight * distance * distance).sum();
        let indices = 0..planes.len();
        let pairs = indices.flat_map(|one| (one + 1..planes.len()).map(move |other| [one, other]));
        Ok(PlaneSet {
            normal,
            normal_uncertainty_rad: match is_stated {
                true => joint.uncertainty.direction_rad * widening.uncertainty,
                false => f64::INFINITY,
            },
            rms_mm: (squares / total).sqrt(),
            sigma_mm: base.sigma_mm,
            used: joint.used,
            distances: pairs.map(|pair| distance(&planes, pair, &normal)).collect(),
            planes,
        })
    }
}

impl Stack {
    /// Assumptions behind the uncertainties.
    fn assumption(&self, joint: &Uncertainty) -> String {
        let mut text = joint.assumption.clone();
        if self.counts.len() > 1 {
            text += &format!("; common normal of {} planes", self.counts.len());
        }
        let mut used = self.weights.iter().filter(|weight| **weight > 0.0);
        let first = used.next();
        if used.any(|weight| Some(weight) != first) {
            text += "; weights are taken as inverse variances";
        }
        text
    }
}

/// Corrections of the joint fit, which counts a single offset and ignores the outlier rejection.
struct Widening {
    /// Factor on standard deviations of distances.
    sigma: f64,
    /// Factor on uncertainties.
    uncertainty: f64,
}

impl Widening {
    fn new(joint: &Fit, planes: usize, clip_sigmas: Option<f64>) -> Self {
        let freedom = |unknowns: usize| joint.used.saturating_sub(unknowns).max(1) as f64;
        let sigma = (freedom(3) / freedom(planes + 2)).sqrt();
        Self { sigma, uncertainty: sigma / clip_sigmas.map_or(1.0, variance_within).sqrt() }
    }

    /// The uncertainty of one plane; all planes together have `weight_ratio` times its weight.
    fn of_plane(&self, joint: &Uncertainty, weight_ratio: f64) -> Uncertainty {
        let mut motion: Matrix6<f64> = joint.motion * self.uncertainty.powi(2);
        let translation = motion.fixed_view::<3, 3>(0, 0) * weight_ratio;
        motion.fixed_view_mut::<3, 3>(0, 0).copy_from(&translation);
        Uncertainty {
            position_mm: joint.position_mm * self.uncertainty * weight_ratio.sqrt(),
            direction_rad: joint.direction_rad * self.uncertainty,
            motion,
            effective_points: joint.effective_points / weight_ratio,
            ..joint.clone()
        }
    }
}

/// The share of a normal distribution's variance that remains within the outlier limit: a repetition fits all points,
/// including those dropped here.
fn variance_within(sigmas: f64) -> f64 {
    let steps = 400;
    let (mut share, mut variance) = (0.0, 0.0);
    for i in 0..steps {
        let x = sigmas * (f64::from(i) + 0.5) / f64::from(steps);
        let density = (-0.5 * x * x).exp();
        (share, variance) = (share + density, variance + density * x * x);
    }
    variance / share
}

/// Along the common normal; the offsets of the planes are uncorrelated, and a rotation of the normal contributes in
/// proportion to the lateral distance of the centroids.
fn distance(planes: &[Fit], [one, other]: [usize; 2], normal: &Vector) -> PlaneDistance {
    let (from, to) = (&planes[one], &planes[other]);
    let apart = to.shape.position() - from.shape.position();
    let offset_variance = |plane: &Fit| normal.dot(&(plane.uncertainty.motion.fixed_view::<3, 3>(0, 0) * normal));
    let lever = normal.cross(&apart);
    let rotation_variance = lever.dot(&(from.uncertainty.motion.fixed_view::<3, 3>(3, 3) * lever));
    let is_stated = from.uncertainty.is_stated();
    let variance = offset_variance(from) + offset_variance(to) + rotation_variance;
    PlaneDistance {
        planes: [one, other],
        distance_mm: apart.dot(normal).abs(),
        uncertainty_mm: if is_stated { 2.0 * variance.max(0.0).sqrt() } else { f64::INFINITY },
    }
}

/// The normal with the sign that makes its largest component by absolute value positive.
fn with_positive_sign(normal: Vector) -> Vector {
    if normal[normal.iamax()] < 0.0 { -normal } else { normal }
}

/// Minimum ratio of the second to the largest moment; below it the points are collinear.
const MIN_RELATIVE_MOMENT: f64 = 1e-12;

fn undetermined() -> UserError {
    UserError::input(
        "These points do not determine a normal: they lie too close to a line, or scatter as much across the planes as \
         along them.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use compute::cpu::Cpu;

    fn fitted(planes: &[Vec<Point>], weights: &[Vec<f64>], clip_sigmas: Option<f64>) -> Result<PlaneSet> {
        let own = |(i, points): (usize, &'_ Vec<Point>)| -> Vec<f64> {
            weights.get(i).map_or_else(|| vec![1.0; points.len()], Clone::clone)
        };
        let weights: Vec<Vec<f64>> = planes.iter().enumerate().map(own).collect();
        let planes: Vec<PlanePoints<'_>> =
            planes.iter().zip(&weights).map(|(points, weights)| PlanePoints { points, weights }).collect();
        fit_parallel(&Cpu, &planes, clip_sigmas, &Progress::silent())
    }

    /// Planes 20 mm apart with the given side lengths, mm, under noise of 0.01 mm, and their normal.
    fn planes(random: &mut Random, counts: &[usize], sides: [f64; 2]) -> (Vec<Vec<Point>>, Vector) {
        let turn = random.rotation();
        let plane = |(number, &count): (usize, &usize)| -> Vec<Point> {
            (0..count)
                .map(|_| {
                    let [u, v] = sides.map(|side| side * random.range(-0.5, 0.5));
                    Point::from(turn * Vector::new(u, v, 20.0 * number as f64 + 0.01 * random.normal()))
                })
                .collect()
        };
        let planes = counts.iter().enumerate().map(plane).collect();
        (planes, with_positive_sign(turn * Vector::z()))
    }

    /// From the singular values of the stacked, weighted rows, independently of the moments.
    fn reference(planes: &[Vec<Point>], weights: &[Vec<f64>]) -> Vector {
        let mut rows = Vec::new();
        for (points, weights) in planes.iter().zip(weights) {
            let total: f64 = weights.iter().sum();
            let centroid = points.iter().zip(weights).map(|(p, w)| p.coords * *w).sum::<Vector>() / total;
            rows.extend(points.iter().zip(weights).map(|(p, w)| ((p.coords - centroid) * w.sqrt()).transpose()));
        }
        let rows: Vec<_> = rows.iter().map(|row| nalgebra::RowDVector::from_row_slice(row.as_slice())).collect();
        let v = nalgebra::DMatrix::from_rows(&rows).svd(false, true).v_t.unwrap();
        with_positive_sign(Vector::new(v[(2, 0)], v[(2, 1)], v[(2, 2)]))
    }

    #[test]
    fn the_normal_equals_the_singular_vector_of_the_stacked_points() {
        let mut random = Random::new(3, 1);
        for sides in [[100.0, 80.0], [50.0, 5.0]] {
            let (planes, _) = planes(&mut random, &[700, 300, 1000], sides);
            let weights: Vec<Vec<f64>> =
                planes.iter().map(|points| points.iter().map(|_| random.range(0.1, 3.0)).collect()).collect();
            let set = fitted(&planes, &weights, None).unwrap();
            assert!((set.normal - reference(&planes, &weights)).norm() < 1e-10, "{sides:?}");
            assert_eq!((set.used, set.planes.len(), set.distances.len()), (2000, 3, 3));
            let far = set.distances.iter().find(|own| own.planes == [0, 2]).unwrap();
            assert!((far.distance_mm - 40.0).abs() < 3.0 * far.uncertainty_mm, "{far:?}");
            for plane in &set.planes {
                assert!(
                    (plane.sigma_mm - 0.01).abs() < 0.001 && (plane.rms_mm - 0.01).abs() < 0.002,
                    "{}",
                    plane.sigma_mm
                );
            }
        }
    }

    #[test]
    fn stated_uncertainties_of_normal_and_distances_cover_the_truth() {
        let mut random = Random::new(5, 2);
        let (mut turns, mut covered, mut narrower, runs) = (0.0, 0, 0.0, 80);
        for _ in 0..runs {
            let (planes, truth) = planes(&mut random, &[300, 300], [60.0, 60.0]);
            let set = fitted(&planes, &[], None).unwrap();
            turns += (2.0 * set.normal.cross(&truth).norm() / set.normal_uncertainty_rad).powi(2);
            let [only] = set.distances[..] else { panic!("one pair") };
            covered += usize::from((only.distance_mm - 20.0).abs() < only.uncertainty_mm);
            // Two planes determine the normal better than one.
            let own = fit(Kind::Plane, &planes[0], &[], &Options::default(), &Progress::silent()).unwrap();
            narrower += set.normal_uncertainty_rad / own.uncertainty.direction_rad / f64::from(runs);
        }
        // Two rotations of one standard uncertainty each.
        let spread = (turns / f64::from(runs)).sqrt();
        assert!((0.8..1.8).contains(&spread), "{spread}");
        assert!(covered * 100 >= 85 * runs as usize, "{covered}");
        assert!(narrower < 0.85, "{narrower}");
    }

    #[test]
    fn outliers_are_dropped_or_masked_and_a_plane_may_be_a_single_point() {
        let mut random = Random::new(8, 3);
        let (mut planes, truth) = planes(&mut random, &[900, 900, 1], [60.0, 40.0]);
        planes[1].iter_mut().step_by(10).for_each(|point| *point += truth * 2.0);
        let plain = fitted(&planes, &[], None).unwrap();
        let clipped = fitted(&planes, &[], Some(5.0)).unwrap();
        assert_eq!(clipped.planes.iter().map(|plane| plane.dropped.len()).collect::<Vec<_>>(), [0, 90, 0]);
        assert!(clipped.planes[1].dropped.iter().all(|number| number % 10 == 0));
        let weights: Vec<Vec<f64>> = planes
            .iter()
            .enumerate()
            .map(|(k, points)| (0..points.len()).map(|i| f64::from(k != 1 || i % 10 != 0)).collect())
            .collect();
        let masked = fitted(&planes, &weights, None).unwrap();
        assert!((masked.normal - clipped.normal).norm() < 1e-12);
        let between = |set: &PlaneSet| set.distances[0].distance_mm;
        assert!((between(&masked) - 20.0).abs() < 0.002 && (between(&plain) - 20.0).abs() > 0.1);
        assert!((masked.planes[2].rms_mm, masked.planes[2].used) == (0.0, 1));
        // The uncertainty of a plane through a single point is that of its noise.
        let u = masked.planes[2].uncertainty.position_mm;
        assert!((0.015..0.05).contains(&u) && u > 10.0 * masked.planes[0].uncertainty.position_mm, "{u}");
    }

    #[test]
    fn points_that_cannot_be_fitted_are_an_error() {
        let line: Vec<Point> = (0..50).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect();
        let says = |planes: &[Vec<Point>], weights: &[Vec<f64>]| fitted(planes, weights, None).unwrap_err().sentence;
        assert!(says(std::slice::from_ref(&line), &[]).contains("close to a line"));
        assert!(says(&[line[..2].to_vec(), line[..1].to_vec()], &[]).contains("at least 4 points"));
        assert!(says(&[line.clone(), line.clone()], &[vec![1.0; 50], vec![0.0; 50]]).contains("Plane 2 has no point"));
        assert!(says(&[vec![Point::new(f64::NAN, 0.0, 0.0); 5]], &[]).contains("finite coordinates"));
        assert!(says(&[], &[]).contains("at least one plane"));
    }
}
