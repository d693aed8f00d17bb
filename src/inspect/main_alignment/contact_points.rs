//! The points that a contacting datum is sought on: those of a scan with their noise averaged out.
//!
//! Of a thousand noisy points of a perfect face the outermost lies three standard deviations outside, of a million five: a
//! plane through it moves with the number of points. ISO 5459 associates a datum with the surface, not with its noise (the
//! text was not available to check against). So
//!
//! - each point moves along the normal to the regression plane through its neighbours. Where a few neighbours lie off the
//!   plane of many by more than noise makes, theirs is taken: a burr or a bump keeps its height (the choice of bandwidth
//!   after Lepski 1990). Isolated outliers are left out.
//! - the outermost of the averaged points is still one that noise favoured. So the points are parted by lot into two
//!   halves: one tells where the contact is, the other how high it lies there, and the other way round. Its noise does not
//!   know which place was chosen, so that the mean of both has no bias (cross-validation; Stone 1974).
//!
//! Noise that is correlated over more than the neighbourhood cannot be told from form, and is contacted as such. Touched
//! points, fewer than 500, are used as they are, and so are exact ones.

use nalgebra::{Matrix2, Vector2};
use rayon::prelude::*;

use crate::features::Shape;
use crate::features::face_coverage::drawn;
use crate::features::fitting::SPIKE_SIGMAS;
use crate::features::noise::Roughness;
use geometry::kd_tree::Neighbours;
use geometry::transform::perpendicular_axes;
use geometry::{KdTree, Point, Vector, draw};

/// Number of points from which on they are a scan's: fewer are touched one by one.
const MIN_SCAN_POINTS: usize = 500;
/// Noise below this counts as none, mm: exact points.
const MIN_NOISE_MM: f64 = 1e-6;
/// Maximum number of points among which the contact is sought; of more, as many are drawn, and averaged over all.
const MAX_CONTACTS: usize = 20_000;
/// Number of neighbours that are averaged, as a share of all points and within limits.
const NEIGHBOUR_SHARE: f64 = 1.0 / 40.0;
const MIN_NEIGHBOURS: usize = 24;
const MAX_NEIGHBOURS: usize = 120;
/// Number of the nearest of these whose mean is taken where it lies off the others.
const FEW_NEIGHBOURS: usize = 16;
/// Step of the numerical derivative of a distance from a shape, mm.
const STEP_MM: f64 = 1e-4;
/// Smallest variance of positions that determines a slope, as a share of that in the other direction.
const MIN_SPREAD: f64 = 1e-3;

/// Points of a datum feature in the order in which they are associated with it.
#[derive(Clone, Debug, Default)]
pub struct ContactPoints {
    /// The points with their noise averaged out, scan frame, mm.
    pub points: Vec<Point>,
    /// The same averaged over one half of the scan's points each; empty if there was no noise to be averaged out.
    halves: [Vec<Point>; 2],
    /// Standard deviation of the noise that is left of each of the halves, mm.
    left_mm: [Vec<f64>; 2],
    /// Standard deviation of the noise of single points, mm; 0 if none was averaged out.
    pub noise_mm: f64,
    /// Number of isolated outliers that were left out.
    pub outliers: usize,
    /// Nominal height of the plane of each point above that of a common datum, mm; empty if all are 0.
    pub heights_mm: Vec<f64>,
}

/// The height of a contact along a direction.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Coordinate along the direction, mm.
    pub height_mm: f64,
    /// Its standard uncertainty by the noise of the points, mm.
    pub uncertainty_mm: f64,
}

impl ContactPoints {
    /// Points used as they are.
    pub fn as_measured(points: Vec<Point>) -> Self {
        Self { points, ..Self::default() }
    }

    /// The points of a shape with their noise averaged out.
    pub fn averaged(shape: &Shape, points: &[Point]) -> Self {
        if points.len() < MIN_SCAN_POINTS {
            return Self::as_measured(points.to_vec());
        }
        let distances_mm: Vec<f64> = points.iter().map(|point| shape.distance(point)).collect();
        let Some(roughness) = Roughness::of(points, &distances_mm) else { return Self::as_measured(points.to_vec()) };
        let noise_mm = roughness.noise_mm();
        if noise_mm < MIN_NOISE_MM {
            return Self::as_measured(points.to_vec());
        }
        let outliers = roughness.spikes(SPIKE_SIGMAS);
        let is_kept = |index: &u32| outliers.binary_search(index).is_err();
        let kept: Vec<Point> =
            (0_u32..).zip(points).filter(|(index, _)| is_kept(index)).map(|(_, point)| *point).collect();
        let field = Field::new(shape, &kept, noise_mm);
        let averaged: Vec<Averaged> = drawn(&kept, MAX_CONTACTS)
            .par_iter()
            .map_init(Neighbours::default, |neighbours, point| field.averaged(point, neighbours))
            .collect();
        let half = |which: usize| averaged.iter().map(|own| own.halves[which].0).collect();
        let left = |which: usize| averaged.iter().map(|own| noise_mm * own.halves[which].1).collect();
        Self {
            points: averaged.iter().map(|own| own.point).collect(),
            halves: [half(0), half(1)],
            left_mm: [left(0), left(1)],
            noise_mm,
            outliers: outliers.len(),
            heights_mm: Vec::new(),
        }
    }

    /// Those of several features together, each with its nominal height above the common datum, mm.
    pub fn together(all: Vec<Self>, heights_mm: &[f64]) -> Self {
        let is_averaged = all.iter().any(|own| own.noise_mm > 0.0);
        let is_level = heights_mm.iter().all(|mm| *mm == 0.0);
        let mut whole = Self::default();
        for (own, height_mm) in all.into_iter().zip(heights_mm) {
            let count = own.points.len();
            for which in [0, 1] {
                if is_averaged {
                    let half = if own.noise_mm > 0.0 { &own.halves[which] } else { &own.points };
                    whole.halves[which].extend(half);
                    let none = vec![0.0; count];
                    whole.left_mm[which].extend(if own.noise_mm > 0.0 { &own.left_mm[which] } else { &none });
                }
            }
            if !is_level {
                whole.heights_mm.extend(std::iter::repeat_n(*height_mm, count));
            }
            whole.noise_mm = whole.noise_mm.max(own.noise_mm);
            whole.outliers += own.outliers;
            whole.points.extend(own.points);
        }
        whole
    }

    /// The points lowered by their heights along the normal of a common plane.
    pub fn lowered(&self, normal: &Vector) -> Self {
        let lower = |points: &[Point]| -> Vec<Point> {
            points.iter().zip(&self.heights_mm).map(|(point, height_mm)| point - normal * *height_mm).collect()
        };
        Self {
            points: lower(&self.points),
            halves: self.halves.each_ref().map(|own| lower(own)),
            heights_mm: Vec::new(),
            ..self.clone()
        }
    }

    /// The height of the outermost point along a direction; `None` without points.
    pub fn contact(&self, direction: &Vector) -> Option<Contact> {
        let along = |point: &Point| point.coords.dot(direction);
        let outermost = |points: &[Point]| {
            let heights = points.iter().map(along).enumerate();
            heights.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(index, _)| index)
        };
        if self.noise_mm == 0.0 {
            let index = outermost(&self.points)?;
            return Some(Contact { height_mm: along(&self.points[index]), uncertainty_mm: 0.0 });
        }
        let read = |sought: usize, told: usize| -> Option<(f64, f64)> {
            let index = outermost(&self.halves[sought])?;
            Some((along(&self.halves[told][index]), self.left_mm[told][index]))
        };
        let (one, other) = (read(0, 1)?, read(1, 0)?);
        Some(Contact { height_mm: 0.5 * (one.0 + other.0), uncertainty_mm: 0.5 * one.1.hypot(other.1) })
    }
}

/// A point with the noise averaged out over all of its neighbours and over either half of them, with the share of noise
/// that is left of these.
struct Averaged {
    point: Point,
    halves: [(Point, f64); 2],
}

/// Points about a shape, to be averaged.
struct Field<'a> {
    shape: &'a Shape,
    points: &'a [Point],
    tree: KdTree,
    distances_mm: Vec<f64>,
    is_in_first: Vec<bool>,
    neighbours: usize,
    noise_mm: f64,
    /// Standard deviations by which few neighbours must lie off many to be taken for form.
    significant_sigmas: f64,
}

impl<'a> Field<'a> {
    fn new(shape: &'a Shape, points: &'a [Point], noise_mm: f64) -> Self {
        let share = (NEIGHBOUR_SHARE * points.len() as f64) as usize;
        Self {
            shape,
            points,
            tree: KdTree::new(points),
            distances_mm: points.iter().map(|point| shape.distance(point)).collect(),
            is_in_first: points.iter().map(|point| draw::key(point) & 1 == 0).collect(),
            neighbours: share.clamp(MIN_NEIGHBOURS, MAX_NEIGHBOURS),
            noise_mm,
            significant_sigmas: 1.0 + (2.0 * (points.len().max(2) as f64).ln()).sqrt(),
        }
    }

    fn averaged(&self, point: &Point, neighbours: &mut Neighbours) -> Averaged {
        self.tree.k_nearest(point, self.neighbours, f64::INFINITY, neighbours);
        let normal = self.normal(point);
        let tangents = perpendicular_axes(&normal);
        let sums = |count: usize, is_taken: &dyn Fn(usize) -> bool| {
            let mut sums = Regression::default();
            let near = neighbours.found.iter().take(count).map(|own| own.number as usize);
            for index in near.filter(|index| is_taken(*index)) {
                let offset = self.points[index] - point;
                sums.add(Vector2::new(offset.dot(&tangents[0]), offset.dot(&tangents[1])), self.distances_mm[index]);
            }
            sums
        };
        let own_mm = self.shape.distance(point);
        let at = |distance_mm: f64| point + normal * (distance_mm - own_mm);
        let in_half = |is_first: bool| move |index: usize| self.is_in_first[index] == is_first;
        let many = sums(self.neighbours, &|_| true).value().unwrap_or((own_mm, 1.0));
        let few = sums(FEW_NEIGHBOURS, &|_| true).mean().unwrap_or((own_mm, 1.0));
        let scatter_mm = self.noise_mm * (few.1.powi(2) - many.1.powi(2)).max(0.0).sqrt();
        let stands_off = (few.0 - many.0).abs() > self.significant_sigmas * scatter_mm;
        let half = |is_first: bool| {
            let found = if stands_off {
                sums(FEW_NEIGHBOURS, &in_half(is_first)).mean().unwrap_or(few)
            } else {
                sums(self.neighbours, &in_half(is_first)).value().unwrap_or(many)
            };
            (at(found.0), found.1)
        };
        Averaged { point: at(if stands_off { few.0 } else { many.0 }), halves: [half(true), half(false)] }
    }

    /// Direction in which the distance from the shape grows.
    fn normal(&self, point: &Point) -> Vector {
        if let Shape::Plane { normal, .. } = self.shape {
            return *normal;
        }
        let rise = |axis: Vector| {
            self.shape.distance(&(point + axis * STEP_MM)) - self.shape.distance(&(point - axis * STEP_MM))
        };
        let rises = Vector::new(rise(Vector::x()), rise(Vector::y()), rise(Vector::z()));
        rises.try_normalize(0.0).unwrap_or_else(Vector::z)
    }
}

/// Sums of the least-squares plane through values about a position.
#[derive(Default)]
struct Regression {
    count: f64,
    at: Vector2<f64>,
    products: Matrix2<f64>,
    values: f64,
    values_by_position: Vector2<f64>,
}

impl Regression {
    fn add(&mut self, at: Vector2<f64>, value: f64) {
        self.count += 1.0;
        self.at += at;
        self.products += at * at.transpose();
        self.values += value;
        self.values_by_position += at * value;
    }

    /// The mean, and the share of the noise of single values that is left in it; `None` without values.
    fn mean(&self) -> Option<(f64, f64)> {
        (self.count >= 1.0).then(|| (self.values / self.count, 1.0 / self.count.sqrt()))
    }

    /// The value of the plane at the position, and the share of the noise of single values that is left in it; `None`
    /// without values.
    fn value(&self) -> Option<(f64, f64)> {
        if self.count < 1.0 {
            return None;
        }
        let (mean, centre) = (self.values / self.count, self.at / self.count);
        let spread = self.products / self.count - centre * centre.transpose();
        let covariance = self.values_by_position / self.count - centre * mean;
        let eigen = spread.symmetric_eigen();
        let widest = eigen.eigenvalues.max();
        let (mut value, mut variance) = (mean, 1.0);
        for (own, direction) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            // In a single row of points, no slope across it is determined.
            if *own > MIN_SPREAD * widest && *own > 0.0 && self.count > 5.0 {
                let lever = direction.dot(&centre);
                value -= lever * direction.dot(&covariance) / own;
                variance += lever * lever / own;
            }
        }
        Some((value, (variance / self.count).sqrt()))
    }
}
