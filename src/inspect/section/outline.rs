//! Straight lines and arcs in the plane of a section: of a contour, and of measured points.

use super::contour::Contour;
use super::plane::PlanePoint;

/// A straight run of a contour leaves its line by no more than this, mm; the chords of a curve by more.
const STRAIGHT_MM: f64 = 1e-4;
/// An arc leaves its circle by no more than this, mm, and this share of its radius.
const ARC_MM: f64 = 0.02;
const ARC_SHARE: f64 = 0.01;
/// A chord of an arc is no longer than this share of its radius: it turns by 20° at most. Longer ones are sides of a polygon.
const MAX_CHORD: f64 = 0.35;
/// Where two chords of an arc meet, it turns by half their lengths over its radius, at most so many times that: more is an
/// edge between a side and its rounding, whatever circle their corners lie on.
const MAX_TURN: f64 = 2.5;
/// Corners of a mesh in single precision turn by so much where they should not, rad.
const MIN_TURN_RAD: f64 = 1e-3;
/// Fewest chords of an arc.
const MIN_CHORDS: usize = 4;

/// A straight line or a circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// A line.
    Line {
        /// The middle of its run, mm.
        middle: PlanePoint,
        /// Unit direction.
        along: PlanePoint,
    },
    /// A circle.
    Arc {
        /// Centre, mm.
        centre: PlanePoint,
        /// Radius, mm.
        radius_mm: f64,
    },
}

/// A piece of a contour that is a line or an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// What it is.
    pub outline: Outline,
    /// Number of the contour.
    pub contour: u32,
    /// First segment, and number of segments; of a closed contour they may go on beyond its beginning.
    first: usize,
    count: usize,
    /// Where it begins along the contour, and its length, mm.
    begin_mm: f64,
    pub length_mm: f64,
}

impl Run {
    /// The line or arc of the contours that is nearest to a point, and how far it is, mm.
    pub fn at(contours: &[Contour], pick: PlanePoint) -> Option<(Self, f64)> {
        let Nearest { away_mm, contour: number, segment, .. } = nearest(contours, pick)?;
        let contour = contours.get(number as usize)?;
        let straight = grown(contour, segment, &|points| {
            let line = line(points)?;
            let farthest = points.iter().map(|point| away(&line, point).abs()).fold(0.0, f64::max);
            (farthest <= STRAIGHT_MM).then_some(line)
        });
        let arc = grown(contour, segment, &|points| {
            // Fewer than four corners lie on a circle in any case.
            let arc = circle(points)?;
            let Outline::Arc { radius_mm, .. } = arc else { return None };
            let farthest = points.iter().map(|point| away(&arc, point).abs()).fold(0.0, f64::max);
            let chord = |pair: &[PlanePoint]| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
            let longest = points.windows(2).map(chord).fold(0.0, f64::max);
            let turns_evenly = points.windows(3).all(|three| {
                let (a, b) = (chord(&three[..2]), chord(&three[1..]));
                turn(three) <= MAX_TURN * 0.5 * (a + b) / radius_mm + MIN_TURN_RAD
            });
            let is_near = farthest <= ARC_MM.min(ARC_SHARE * radius_mm);
            (is_near && turns_evenly && longest <= MAX_CHORD * radius_mm).then_some(arc)
        });
        let (first, count, outline) = match (straight, arc) {
            (Some(straight), Some((first, count, arc))) if count >= MIN_CHORDS && straight.1 <= 2 => {
                let corners = corners(contour, first, count);
                // Sides of a coarse or rounded mesh are no arcs of hundreds of metres.
                let side = line(&corners).filter(|line| corners.iter().all(|own| away(line, own).abs() <= ARC_MM));
                (first, count, side.or_else(|| on_outer_corners(&corners)).unwrap_or(arc))
            }
            (Some(straight), _) => straight,
            (None, _) => return None,
        };
        let length_mm = (0..count).map(|own| contour.length_of((first + own) % contour.segment_count())).sum();
        let begin_mm = contour.start_mm(first);
        Some((Self { outline, contour: number, first, count, begin_mm, length_mm }, away_mm))
    }

    /// Whether both are the same piece of one contour.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_one_outline = match (self.outline, other.outline) {
            // A whole circle begins anywhere.
            (Outline::Arc { centre: [x, y], radius_mm }, Outline::Arc { centre: [u, v], radius_mm: other_mm }) => {
                (x - u).hypot(y - v) < 1e-6 && (radius_mm - other_mm).abs() < 1e-6
            }
            _ => (self.first, self.count) == (other.first, other.count),
        };
        self.contour == other.contour && is_one_outline
    }

    /// Its corners.
    pub fn corners(&self, contours: &[Contour]) -> Vec<PlanePoint> {
        contours.get(self.contour as usize).map(|own| corners(own, self.first, self.count)).unwrap_or_default()
    }

    /// Segments of its contour beyond its end, or before its beginning, the nearest first.
    pub fn segments_beyond(&self, contour: &Contour, is_end: bool) -> Vec<usize> {
        let all = contour.segment_count();
        let segment = |step: usize| match is_end {
            true => Some(self.first + self.count + step).filter(|own| contour.is_closed || *own < all),
            false if contour.is_closed => Some(self.first + all - 1 - step),
            false => self.first.checked_sub(step + 1),
        };
        (0..all.saturating_sub(self.count)).map_while(segment).map(|own| own % all).collect()
    }

    /// Where a position along its contour, mm, lies on it, as a share of its length; `None` beside it, or nearer than
    /// `margin_mm` to one of its ends.
    pub fn share_at(&self, contour: &Contour, along_mm: f64, margin_mm: f64) -> Option<f64> {
        let is_whole = self.count == contour.segment_count() && contour.is_closed;
        let from_begin = (along_mm - self.begin_mm).rem_euclid(contour.length_mm().max(f64::MIN_POSITIVE));
        let is_on = is_whole || (from_begin >= margin_mm && from_begin <= self.length_mm - margin_mm);
        is_on.then_some(from_begin / self.length_mm.max(f64::MIN_POSITIVE))
    }
}

/// Angle by which two neighbouring chords turn, rad.
fn turn(three: &[PlanePoint]) -> f64 {
    let [a, b] = [0, 1].map(|from| [0, 1].map(|axis| three[from + 1][axis] - three[from][axis]));
    (a[0] * b[1] - a[1] * b[0]).abs().atan2(a[0] * b[0] + a[1] * b[1])
}

/// The position on the contours that is nearest to a point, whichever side of a contour that lies on.
pub struct Nearest {
    /// The position, mm.
    pub at: PlanePoint,
    away_mm: f64,
    contour: u32,
    segment: usize,
}

/// See [`Nearest`]; `None` without contours.
pub fn nearest(contours: &[Contour], [x, y]: PlanePoint) -> Option<Nearest> {
    let on = |contour: u32, segment: usize, [from, to]: [PlanePoint; 2]| {
        let (way, there) = ([to[0] - from[0], to[1] - from[1]], [x - from[0], y - from[1]]);
        let square = (way[0] * way[0] + way[1] * way[1]).max(f64::MIN_POSITIVE);
        let share = ((way[0] * there[0] + way[1] * there[1]) / square).clamp(0.0, 1.0);
        let at = [0, 1].map(|axis| from[axis] + share * way[axis]);
        Nearest { at, away_mm: (x - at[0]).hypot(y - at[1]), contour, segment }
    };
    let all = (0..).zip(contours).flat_map(|(number, contour)| {
        (0..contour.segment_count()).map(move |segment| on(number, segment, contour.segment(segment)))
    });
    all.min_by(|a, b| a.away_mm.total_cmp(&b.away_mm))
}

/// Corners of `count` segments from the `first` on.
fn corners(contour: &Contour, first: usize, count: usize) -> Vec<PlanePoint> {
    (first..=first + count).map(|number| contour.points[number % contour.points.len()]).collect()
}

/// The longest run about a segment that `fit` accepts: its first segment, their number, and the fit. What three corners
/// decide too early on one side does not keep the run from growing to the other.
fn grown(
    contour: &Contour,
    segment: usize,
    fit: &dyn Fn(&[PlanePoint]) -> Option<Outline>,
) -> Option<(usize, usize, Outline)> {
    let runs = [[0, 1], [1, 0]].map(|sides| grown_by(sides, contour, segment, fit));
    runs.into_iter().flatten().max_by_key(|(_, count, _)| *count)
}

/// A run that grows to these sides in turn: 0 is its end, 1 its beginning. It grows in steps that double, so that long runs
/// take few fits.
fn grown_by(
    sides: [usize; 2],
    contour: &Contour,
    segment: usize,
    fit: &dyn Fn(&[PlanePoint]) -> Option<Outline>,
) -> Option<(usize, usize, Outline)> {
    let all = contour.segment_count();
    let (mut first, mut count) = (segment, 1);
    let mut best = fit(&corners(contour, first, count));
    // Of the end and of the beginning; 0 once it cannot be moved.
    let mut steps = [1_usize; 2];
    while steps != [0; 2] {
        for side in sides {
            let room = match (contour.is_closed, side) {
                (true, _) => all - count,
                (false, 0) => all - first - count,
                (false, _) => first,
            };
            let step = steps[side].min(room);
            if step == 0 {
                steps[side] = 0;
                continue;
            }
            let begin = if side == 0 { first } else { (first + all - step) % all };
            let wider = fit(&corners(contour, begin, count + step));
            // Three corners at least for a circle: one more may decide nothing yet.
            if wider.is_some() || (best.is_none() && count < 3) {
                (first, count, best) = (begin, count + step, wider);
                steps[side] = 2 * step;
            } else {
                steps[side] = usize::from(step > 1);
            }
        }
    }
    best.map(|own| (first, count, own))
}

/// Distance from a line to the left of its direction, or beyond a circle, mm.
pub fn away(outline: &Outline, [x, y]: &PlanePoint) -> f64 {
    match outline {
        Outline::Line { middle, along } => along[0] * (y - middle[1]) - along[1] * (x - middle[0]),
        Outline::Arc { centre, radius_mm } => (x - centre[0]).hypot(y - centre[1]) - radius_mm,
    }
}

/// The line of least squares through points; its middle is that of the run. `None` for fewer than two, or points that coincide.
pub fn line(points: &[PlanePoint]) -> Option<Outline> {
    let count = points.len() as f64;
    let mean = [0, 1].map(|axis| points.iter().map(|own| own[axis]).sum::<f64>() / count);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for [x, y] in points {
        let (x, y) = (x - mean[0], y - mean[1]);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let mut along = [angle.cos(), angle.sin()];
    // From the first point to the last.
    let (first, last) = (points.first()?, points.last()?);
    if (last[0] - first[0]) * along[0] + (last[1] - first[1]) * along[1] < 0.0 {
        along = along.map(std::ops::Neg::neg);
    }
    // The middle of the run rather than of its corners.
    let position = |point: &PlanePoint| (point[0] - mean[0]) * along[0] + (point[1] - mean[1]) * along[1];
    let positions = || points.iter().map(position);
    let (low, high) = (positions().fold(f64::INFINITY, f64::min), positions().fold(f64::NEG_INFINITY, f64::max));
    let middle = [0, 1].map(|axis| mean[axis] + 0.5 * (low + high) * along[axis]);
    (xx + yy > 0.0 && points.len() > 1).then_some(Outline::Line { middle, along })
}

/// The circle of least squares through points (algebraic start, then Gauss and Newton); `None` for fewer than three, or
/// points on a line.
pub fn circle(points: &[PlanePoint]) -> Option<Outline> {
    if points.len() < 3 {
        return None;
    }
    let count = points.len() as f64;
    let mean = [0, 1].map(|axis| points.iter().map(|own| own[axis]).sum::<f64>() / count);
    let (mut xx, mut xy, mut yy, mut xz, mut yz, mut z_mean) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for [x, y] in points {
        let (x, y) = (x - mean[0], y - mean[1]);
        let z = x * x + y * y;
        (xx, xy, yy, xz, yz) = (xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z);
        z_mean += z / count;
    }
    let determinant = xx * yy - xy * xy;
    if determinant <= 1e-12 * (xx + yy).powi(2) {
        return None;
    }
    let mut centre = [0.5 * (xz * yy - yz * xy) / determinant, 0.5 * (yz * xx - xz * xy) / determinant];
    let mut radius_mm = (z_mean + centre[0] * centre[0] + centre[1] * centre[1]).sqrt();
    for _ in 0..20 {
        // Unknowns: centre and radius; residual: distance from the centre less the radius.
        let (mut normal, mut right) = (nalgebra::Matrix3::<f64>::zeros(), nalgebra::Vector3::<f64>::zeros());
        for [x, y] in points {
            let (x, y) = (x - mean[0] - centre[0], y - mean[1] - centre[1]);
            let row = arc_gradient([x, y]);
            normal += row * row.transpose();
            right -= row * (x.hypot(y) - radius_mm);
        }
        let Some(step) = normal.lu().solve(&right) else { break };
        centre = [centre[0] + step.x, centre[1] + step.y];
        radius_mm += step.z;
        if step.norm() < 1e-13 * radius_mm.abs() {
            break;
        }
    }
    let is_circle = radius_mm.is_finite() && radius_mm > 0.0 && centre.iter().all(|mm| mm.is_finite());
    is_circle.then_some(Outline::Arc { centre: [mean[0] + centre[0], mean[1] + centre[1]], radius_mm })
}

/// Derivatives of the distance beyond a circle by its centre and its radius, at a point relative to the centre.
pub fn arc_gradient([x, y]: PlanePoint) -> nalgebra::Vector3<f64> {
    let distance = x.hypot(y).max(f64::MIN_POSITIVE);
    nalgebra::Vector3::new(-x / distance, -y / distance, -1.0)
}

/// The circle through the corners of chords that lie on it; where a plane cuts facets of a curved surface, others lie
/// within it.
fn on_outer_corners(points: &[PlanePoint]) -> Option<Outline> {
    let mut best = circle(points)?;
    let mut kept = points.to_vec();
    for _ in 0..8 {
        let outer: Vec<PlanePoint> = kept.iter().copied().filter(|point| away(&best, point) >= -1e-9).collect();
        if outer.len() < 3.max(points.len() / 3) || outer.len() == kept.len() {
            break;
        }
        let Some(better) = circle(&outer) else { break };
        (best, kept) = (better, outer);
    }
    Some(best)
}
