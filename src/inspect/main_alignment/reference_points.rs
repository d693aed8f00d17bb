//! Alignment by reference points (RPS): the scanned surface passes through given points of the nominal. Three points
//! on a primary, two on a secondary and one on a tertiary face are the 3-2-1 alignment; a point on an edge can hold
//! several directions, each measured on the face that faces it; one may be the centre of a measured hole or slot.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Main;
use super::conditions::{Condition, Frame};
use crate::alignment::Alignment;
use crate::features::Element;
use crate::features::element::Situation;
use crate::recipe::ElementId;
use crate::robust_scale::{SIGMA_OF_MEDIAN, median};
use base::{Progress, Result, UserError};
use geometry::triangle::Feature;
use geometry::{KdTree, Point, Pose, Surface, SurfaceHit, Vector, transform};
use uncertainty::{Field, MANY_POINTS};

mod uncertainty;

/// Maximum distance of a reference point from the nominal surface, mm: beyond it, it belongs to another part or unit.
const MAX_OFF_SURFACE_MM: f64 = 0.5;
/// Minimum cosine of the angle between the locked direction and the surface normal: at more than about 78°, the surface
/// says hardly anything about that direction.
const MIN_COSINE: f64 = 0.2;
/// Maximum deviation at a reference point, in radii.
const MAX_DEVIATION_RADII: f64 = 4.0;
/// Minimum number of scan points about a reference point.
const MIN_POINTS: usize = 3;
/// Maximum distance of their centroid from the reference point, as a share of the radius: beyond it, the surface was
/// not measured around the point.
const MAX_ECCENTRICITY: f64 = 0.6;
/// Outlier limit of these points, in robust standard deviations.
const CLIP_SIGMAS: f64 = 4.0;
/// Maximum cosine of the angle between the axis of a hole and the direction that its centre is held along.
const MAX_AXIS_COSINE: f64 = 0.5;
/// Minimum cosine of the angle between a measured axis and its nominal one.
const MIN_AXIS_SLOPE: f64 = 0.5;
/// Maximum distance of a measured centre from its reference point in the pre-alignment, as a share of the part's diagonal.
const MAX_CENTRE_SHARE: f64 = 0.1;
/// Maximum number of steps, and the motion below which they stop, mm.
const MAX_STEPS: usize = 60;
const STEP_LIMIT_MM: f64 = 1e-10;

/// Direction in which a reference point is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Along the surface normal.
    #[default]
    Normal,
    /// Along x of the nominal frame.
    X,
    /// Along y of the nominal frame.
    Y,
    /// Along z of the nominal frame.
    Z,
}

/// A reference point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferencePoint {
    /// Name, such as “R1”.
    pub name: String,
    /// Its position on the nominal, nominal frame, mm.
    pub point: Point,
    /// The direction in which it is held.
    pub direction: Direction,
    /// Further directions in which it is held, as body drawings ask for it. All those on one smooth face are one
    /// condition, since a surface says nothing about motions along itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Direction>,
    /// The measured hole, slot, pin or ball whose centre it is; `None` if it lies on the surface. A centre is held along
    /// axes alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre_of: Option<ElementId>,
}

/// Reference points, and the vicinity in which the scan is measured there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferencePoints {
    /// The points.
    pub points: Vec<ReferencePoint>,
    /// Scan points within this distance of a reference point give the surface there, mm.
    pub radius_mm: f64,
}

impl Default for ReferencePoints {
    fn default() -> Self {
        Self { points: Vec::new(), radius_mm: 2.0 }
    }
}

impl ReferencePoints {
    /// Adds a point that was picked at `at`, held along the normal; its name is `initial` and the next free number.
    pub fn add(&mut self, initial: char, at: &Point) {
        let is_free = |name: &String| self.points.iter().all(|own| own.name != *name);
        let name = (1..).map(|number| format!("{initial}{number}")).find(is_free).unwrap_or_default();
        // Picks are good to a pixel; more digits would only look exact.
        let point = at.map(|mm| (1e3 * mm).round() / 1e3);
        self.points.push(ReferencePoint::held_along(name, point, Direction::Normal));
    }
}

impl ReferencePoint {
    /// A point that is held along one direction; its position in the nominal frame, mm.
    pub fn held_along(name: String, point: Point, direction: Direction) -> Self {
        Self { name, point, direction, also: Vec::new(), centre_of: None }
    }

    /// Makes it the centre of a measured feature with this nominal, or a point of the surface again. It moves to the
    /// nominal centre, or onto the nominal axis at its height, and is held across that where it was held along the
    /// normal.
    pub fn set_centre(&mut self, of: Option<ElementId>, nominal: Option<Element>) {
        self.centre_of = of;
        if of.is_none() {
            return;
        }
        match nominal.map(|own| own.situation()) {
            Some(Situation::Point(centre)) => self.point = centre,
            Some(Situation::Line(axis)) => self.point = axis.foot(&self.point),
            Some(Situation::Plane(_)) | None => {}
        }
        if self.directions().any(|own| own == Direction::Normal) {
            let axis = nominal.and_then(|own| own.direction()).unwrap_or_default();
            let axes = [Direction::X, Direction::Y, Direction::Z].into_iter().zip(axis.iter());
            let across: Vec<Direction> = axes.filter(|(_, share)| share.abs() < 0.5).map(|(own, _)| own).collect();
            across.into_iter().for_each(|direction| self.hold(direction, true));
            self.hold(Direction::Normal, false);
        }
    }

    /// All directions in which it is held.
    pub fn directions(&self) -> impl Iterator<Item = Direction> {
        std::iter::once(self.direction).chain(self.also.iter().copied())
    }

    /// Holds it along `direction`, or no longer; the only direction of a point stays.
    pub fn hold(&mut self, direction: Direction, is_held: bool) {
        let stays =
            |own: &Direction| if *own == direction { is_held } else { self.directions().any(|held| held == *own) };
        let held: Vec<Direction> = Direction::ALL.into_iter().filter(stays).collect();
        if let Some((first, also)) = held.split_first() {
            (self.direction, self.also) = (*first, also.to_vec());
        }
    }
}

/// A reference point after the alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceResult {
    /// Name of the point.
    pub name: String,
    /// The direction in which it is held.
    pub direction: Direction,
    /// Whether it is a further direction of the point before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_further: bool,
    /// Deviation of the scan there in the pre-alignment, along that direction, mm.
    pub before_mm: f64,
    /// Deviation that is left, mm.
    pub deviation_mm: f64,
    /// Number of scan points that it was measured from.
    pub points: usize,
}

/// The centre of a measured feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Centre {
    /// The centre, or the axis, which is at the reference point where it meets the plane through that across the nominal
    /// axis; scan frame, mm.
    pub situation: Situation,
    /// Direction of the nominal axis, nominal frame; `None` without a nominal.
    pub nominal_axis: Option<Vector>,
    /// Number of points that it was fitted to.
    pub points: usize,
}

/// The centres of measured features, by their elements.
pub type Centres = BTreeMap<ElementId, Centre>;

/// A reference point in one of its directions, with the surface it lies on; of a centre, both normal and direction are
/// that in which it is held.
struct Held<'a> {
    own: &'a ReferencePoint,
    direction: Direction,
    /// The point of the surface, its unit normal, and the unit direction, nominal frame.
    foot: Point,
    normal: Vector,
    along: Vector,
}

/// The linear function of position through the deviations about a point.
struct LocalFit {
    /// Its value at the point, along the direction of that, mm.
    deviation_mm: f64,
    /// Positions in the tangent plane and deviations along the normal, mm.
    samples: Vec<[f64; 3]>,
}

/// Aligns by `references`, starting from `start`; degrees of freedom that they leave stay as there, and are named in the
/// result. The scan's surface at a reference point is that of the scan points within `radius_mm`; points that are the
/// centres of features are measured at those of `centres`.
///
/// Returns an error if there is no reference point, one is not on the nominal, cannot hold its direction or was not
/// measured, and if the work is cancelled.
pub fn align(
    nominal: &Surface,
    scan: &[Point],
    references: &ReferencePoints,
    centres: &Centres,
    start: &Pose,
    progress: &Progress,
) -> Result<Alignment> {
    let radius_mm = references.radius_mm;
    if references.points.is_empty() {
        return Err(UserError::usage("Give at least one reference point."));
    }
    if !(radius_mm > 0.0 && radius_mm.is_finite()) {
        return Err(UserError::usage("The radius about the reference points must be a positive number of mm."));
    }
    let held = all_held(nominal, &references.points)?;
    let (bounds, frame) = (nominal.bounds(), frame(nominal));
    let mut pose = *start;
    let (mut iterations, mut converged) = (0, false);
    // Scan points that may come into the vicinity of each reference point, and the pose they were sought in.
    let reach_mm = 3.0 * radius_mm + 0.02 * bounds.diagonal();
    let mut near = vicinities(scan, &held, &pose, reach_mm);
    let mut sought_in = pose;
    let measured_in = |near: &[Vec<Point>], pose: &Pose| conditions(nominal, &held, near, centres, pose, radius_mm);
    let (before, _) = measured_in(&near, &pose)?;
    check_centres(&held, &before, bounds.diagonal())?;
    while iterations < MAX_STEPS && !converged {
        progress.report(iterations as f32 / MAX_STEPS as f32, "Aligning by reference points")?;
        let moved = |own: &Held<'_>| (pose * (sought_in.inverse() * own.foot) - own.foot).norm();
        if held.iter().any(|own| moved(own) > reach_mm - 2.0 * radius_mm) {
            near = vicinities(scan, &held, &pose, reach_mm);
            sought_in = pose;
        }
        let (conditions, _) = measured_in(&near, &pose)?;
        let (step, moved_mm) = frame.step(&conditions);
        pose = step * pose;
        iterations += 1;
        converged = moved_mm < STEP_LIMIT_MM.max(1e-13 * bounds.diagonal());
    }
    let (conditions, counts) = measured_in(&near, &pose)?;
    let squares: f64 = conditions.iter().map(|own| own.value_mm.powi(2)).sum();
    let values = before.iter().zip(&conditions);
    let points = held.iter().zip(values).zip(&counts).map(|((held, (before, condition)), points)| ReferenceResult {
        name: held.own.name.clone(),
        direction: held.direction,
        is_further: held.direction != held.own.direction,
        before_mm: before.value_mm,
        deviation_mm: condition.value_mm,
        points: *points,
    });
    let (points, amplification) = (points.collect(), frame.amplification(&conditions));
    Ok(Alignment {
        rms_mm: (squares / conditions.len() as f64).sqrt(),
        iterations,
        overlap: counts.iter().sum::<usize>() as f64 / scan.len().max(1) as f64,
        converged,
        information: frame.information(&conditions),
        main: Some(Main::ReferencePoints { points, amplification: Some(amplification).filter(|own| own.is_finite()) }),
        ..Alignment::given(pose)
    })
}

/// The surface of a scan about a point of the nominal.
#[derive(Clone, Copy, Debug)]
pub struct PointMeasurement {
    /// Deviation along the direction of the point, mm.
    pub deviation_mm: f64,
    /// Number of scan points that it was found from.
    pub points: usize,
    /// Expanded uncertainty (k = 2) by the noise of the scan, mm; `None` if it shows too little of it.
    pub uncertainty_mm: Option<f64>,
}

/// The deviation of the scan, moved to the nominal frame by `pose`, at each of `references` along its (first) direction,
/// with its uncertainty; an error for a point that is not on the nominal, cannot be held along its direction, or was not
/// measured.
pub fn measured(
    nominal: &Surface,
    scan: &[Point],
    references: &ReferencePoints,
    pose: &Pose,
) -> Vec<Result<PointMeasurement>> {
    if references.points.is_empty() {
        return Vec::new();
    }
    let tree = KdTree::new(scan);
    let field = Field { nominal, scan, tree: &tree, pose, radius_mm: references.radius_mm };
    let is_many = references.points.len() > MANY_POINTS;
    let measure = |own: &ReferencePoint| {
        let held = Held::of(own, own.direction, nominal)?;
        let near = field.near(&held.foot, usize::MAX);
        let fit = held.fit(nominal, &near, pose, references.radius_mm)?;
        let uncertainty_mm = field.uncertainty_mm(&held, &fit, is_many);
        Ok(PointMeasurement { deviation_mm: fit.deviation_mm, points: fit.samples.len(), uncertainty_mm })
    };
    references.points.par_iter().map(measure).collect()
}

/// Degrees of freedom in words that reference points leave, weakest first: six minus their number are held.
///
/// Returns an error if a point is not on the nominal, or cannot be held along its direction.
pub fn open_freedoms(nominal: &Surface, points: &[ReferencePoint]) -> Result<Vec<String>> {
    let held = all_held(nominal, points)?;
    let condition = |held: &Held<'_>| Condition { value_mm: 0.0, point: held.foot, gradient: held.gradient() };
    let conditions: Vec<Condition> = held.iter().map(condition).collect();
    Ok(frame(nominal).information(&conditions).open)
}

/// Each point in each of its directions, in order.
fn all_held<'a>(nominal: &Surface, points: &'a [ReferencePoint]) -> Result<Vec<Held<'a>>> {
    let pairs = points.iter().flat_map(|own| own.directions().map(move |direction| (own, direction)));
    pairs.map(|(own, direction)| Held::of(own, direction, nominal)).collect()
}

fn frame(nominal: &Surface) -> Frame {
    let bounds = nominal.bounds();
    Frame { pivot: bounds.centre(), lever_mm: (0.5 * bounds.diagonal()).max(f64::MIN_POSITIVE) }
}

impl Direction {
    /// All directions.
    pub const ALL: [Self; 4] = [Self::Normal, Self::X, Self::Y, Self::Z];

    /// The direction called `name`, in small or capital letters.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name().eq_ignore_ascii_case(name))
    }

    /// The axis of the nominal frame; `None` of the normal.
    fn axis(self) -> Option<Vector> {
        match self {
            Self::Normal => None,
            Self::X => Some(Vector::x()),
            Self::Y => Some(Vector::y()),
            Self::Z => Some(Vector::z()),
        }
    }

    /// Name for display.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

impl<'a> Held<'a> {
    fn of(own: &'a ReferencePoint, direction: Direction, nominal: &Surface) -> Result<Self> {
        let name = &own.name;
        if own.centre_of.is_some() {
            let along = direction.axis().ok_or_else(|| {
                UserError::usage(format!("Point “{name}” is the centre of a feature: hold it along x, y or z."))
            })?;
            return Ok(Self { own, direction, foot: own.point, normal: along, along });
        }
        let hit = nominal.closest_point(&own.point, MAX_OFF_SURFACE_MM).ok_or_else(|| {
            UserError::usage(format!(
                "Point “{name}” is more than {MAX_OFF_SURFACE_MM} mm from the nominal; pick it on the surface."
            ))
        })?;
        let normal_of = |facet: u32| nominal.mesh().normal(facet as usize);
        let along = direction.axis().unwrap_or_else(|| normal_of(hit.facet));
        let faces_it = |facet: u32| along.dot(&normal_of(facet)).abs() >= MIN_COSINE;
        // At an edge, the closest face is not always the one that faces the direction.
        let facing = if faces_it(hit.facet) {
            Some(hit)
        } else {
            nominal.closest_point_where(&own.point, MAX_OFF_SURFACE_MM, faces_it)
        };
        let Some(hit) = facing else {
            return Err(UserError::usage(format!(
                "Point “{name}” cannot be held along {}: the surface there is nearly parallel to that axis. \
                 Hold it along its normal, or choose another point.",
                direction.name()
            )));
        };
        Ok(Self { own, direction, foot: hit.point, normal: normal_of(hit.facet), along })
    }

    /// Derivative of its deviation by a translation.
    fn gradient(&self) -> Vector {
        self.normal / self.along.dot(&self.normal)
    }

    /// The deviation of the scan at this point along its direction, mm, and the number of points it was found from:
    /// a linear function of position through the deviations of the scan points about it.
    fn measure(&self, nominal: &Surface, near: &[Point], pose: &Pose, radius_mm: f64) -> Result<(f64, usize)> {
        self.fit(nominal, near, pose, radius_mm).map(|own| (own.deviation_mm, own.samples.len()))
    }

    /// As [`Self::measure`], with the scan points that it was found from.
    fn fit(&self, nominal: &Surface, near: &[Point], pose: &Pose, radius_mm: f64) -> Result<LocalFit> {
        let [u, v] = transform::perpendicular_axes(&self.normal);
        let mut samples: Vec<[f64; 3]> = near
            .iter()
            .filter_map(|point| {
                let query = pose * point;
                let hit = nominal.closest_point(&query, MAX_DEVIATION_RADII * radius_mm)?;
                let beside = hit.point - self.foot;
                let is_here = beside.norm() <= radius_mm && self.is_on_same_side(nominal, &query, &hit);
                is_here.then(|| [beside.dot(&u), beside.dot(&v), nominal.signed_distance_mm(&query, &hit)])
            })
            .collect();
        let mut fit = self.linear_fit(&samples, radius_mm)?;
        for _ in 0..3 {
            let off = |own: &[f64; 3]| (own[2] - fit.dot(&Vector3::new(1.0, own[0], own[1]))).abs();
            let mut sizes: Vec<f64> = samples.iter().map(off).collect();
            let limit = (CLIP_SIGMAS * SIGMA_OF_MEDIAN * median(&mut sizes).unwrap_or_default()).max(1e-9);
            let before = samples.len();
            samples.retain(|own| off(own) <= limit);
            if samples.len() == before {
                break;
            }
            fit = self.linear_fit(&samples, radius_mm)?;
        }
        Ok(LocalFit { deviation_mm: fit[0] / self.along.dot(&self.normal), samples })
    }

    /// The deviation of a measured centre from this point along its direction, mm, and the number of points that it was
    /// found from.
    fn measure_centre(&self, centre: Option<&Centre>, pose: &Pose) -> Result<(f64, usize)> {
        let (name, along) = (&self.own.name, self.along);
        let centre = centre.ok_or_else(|| {
            UserError::usage(format!("The feature of point “{name}” was not measured; choose a hole or slot for it."))
        })?;
        let at = match centre.situation {
            Situation::Point(point) => pose * point,
            Situation::Line(axis) => {
                let (point, direction) = (pose * axis.point, pose * axis.direction);
                let across = centre.nominal_axis.unwrap_or(direction);
                if along.dot(&across).abs() > MAX_AXIS_COSINE {
                    return Err(UserError::usage(format!(
                        "Point “{name}” cannot be held along {}: the axis of its hole runs that way. Hold it across the \
                         axis.",
                        self.direction.name()
                    )));
                }
                let slope = direction.dot(&across);
                if slope.abs() < MIN_AXIS_SLOPE {
                    return Err(off_nominal(name));
                }
                point + direction * ((self.own.point - point).dot(&across) / slope)
            }
            Situation::Plane(_) => return Err(off_nominal(name)),
        };
        Ok(((at - self.own.point).dot(&along), centre.points))
    }

    /// Whether a scan point belongs to this side of the part, and does not lie beyond its edge.
    fn is_on_same_side(&self, nominal: &Surface, query: &Point, hit: &SurfaceHit) -> bool {
        let is_beyond = hit.feature != Feature::Face && nominal.tilt_rad(query, hit) > std::f64::consts::FRAC_PI_4;
        !is_beyond && nominal.mesh().normal(hit.facet as usize).dot(&self.normal) > 0.5
    }

    /// Deviation at the reference point and its slopes, by least squares.
    fn linear_fit(&self, samples: &[[f64; 3]], radius_mm: f64) -> Result<Vector3<f64>> {
        let name = &self.own.name;
        if samples.len() < MIN_POINTS {
            return Err(UserError::input(format!(
                "Point “{name}” was not measured: only {} scan points lie within {radius_mm} mm of it. Choose \
                 another point, or a larger radius.",
                samples.len()
            )));
        }
        let (mut matrix, mut right) = (Matrix3::<f64>::zeros(), Vector3::zeros());
        for [x, y, value] in samples {
            let row = Vector3::new(1.0, x / radius_mm, y / radius_mm);
            matrix += row * row.transpose();
            right += row * *value;
        }
        let count = samples.len() as f64;
        if matrix[(0, 1)].hypot(matrix[(0, 2)]) > MAX_ECCENTRICITY * count {
            return Err(UserError::input(format!(
                "Point “{name}” lies at the border of what was measured; choose one that is measured all around."
            )));
        }
        // Points in a row have no slope across it.
        let is_spread = matrix.symmetric_eigenvalues().min() > 1e-6 * count;
        let solution = matrix.cholesky().filter(|_| is_spread).map(|factor| factor.solve(&right));
        let fit = solution.unwrap_or_else(|| Vector3::new(right[0] / count, 0.0, 0.0));
        Ok(Vector3::new(fit[0], fit[1] / radius_mm, fit[2] / radius_mm))
    }
}

fn off_nominal(name: &str) -> UserError {
    UserError::input(format!(
        "The feature of point “{name}” lies far off its nominal position; check that the right feature is assigned."
    ))
}

/// Returns an error if the centre of a feature lies far off its reference point in the pre-alignment: it is then that of
/// another one.
fn check_centres(held: &[Held<'_>], before: &[Condition], diagonal_mm: f64) -> Result<()> {
    let is_off = |(own, condition): &(&Held<'_>, &Condition)| {
        own.own.centre_of.is_some() && condition.value_mm.abs() > MAX_CENTRE_SHARE * diagonal_mm
    };
    match held.iter().zip(before).find(is_off) {
        Some((own, _)) => Err(off_nominal(&own.own.name)),
        None => Ok(()),
    }
}

/// For each reference point, the scan points within `reach_mm` of it.
fn vicinities(scan: &[Point], held: &[Held<'_>], pose: &Pose, reach_mm: f64) -> Vec<Vec<Point>> {
    let scan_from_nominal = pose.inverse();
    let vicinity = |own: &Held<'_>| {
        if own.own.centre_of.is_some() {
            return Vec::new();
        }
        let centre = scan_from_nominal * own.foot;
        let is_near = |point: &&Point| (**point - centre).norm_squared() <= reach_mm * reach_mm;
        scan.par_iter().filter(is_near).copied().collect()
    };
    held.iter().map(vicinity).collect()
}

fn conditions(
    nominal: &Surface,
    held: &[Held<'_>],
    near: &[Vec<Point>],
    centres: &Centres,
    pose: &Pose,
    radius_mm: f64,
) -> Result<(Vec<Condition>, Vec<usize>)> {
    let condition = |(own, near): (&Held<'_>, &Vec<Point>)| {
        let (value_mm, count) = match own.own.centre_of {
            Some(id) => own.measure_centre(centres.get(&id), pose)?,
            None => own.measure(nominal, near, pose, radius_mm)?,
        };
        Ok((Condition { value_mm, point: own.foot, gradient: own.gradient() }, count))
    };
    let found: Result<Vec<(Condition, usize)>> = held.par_iter().zip(near).map(condition).collect();
    Ok(found?.into_iter().unzip())
}
