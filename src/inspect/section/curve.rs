//! Smooth curves through points, by the distance along them.
//!
//! Between two points runs a cubic whose tangents are those of the centripetal Catmull-Rom curve: at each point the
//! direction of the parabola through it and its two neighbours, with the square roots of the chords as parameter, so that
//! points of uneven spacing make no loops. At the ends of an open curve it is the parabola through the last three points,
//! so that the curve goes on as it is bent rather than along its last chord.

use super::MAX_PLANES;
use super::plane::SectionPlane;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Points nearer to each other than this, mm, are one point: a double click.
const SAME_MM: f64 = 1e-6;
/// Pieces of each cubic whose lengths are integrated one by one.
const PIECES: usize = 16;
/// Nodes and weights of the Gauss-Legendre rule of five points on -1 to 1.
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];
/// A tangent shorter than this share of the curve has no direction.
const MIN_TANGENT: f64 = 1e-9;
/// Distances along a curve are found to this share of it.
const RELATIVE_TOLERANCE: f64 = 1e-13;

/// A smooth curve through points, nominal frame.
#[derive(Clone, Debug)]
pub struct Curve {
    spans: Vec<Span>,
    is_closed: bool,
}

/// How stations lie along a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stations {
    /// So many from its beginning to its end; a single one lies halfway, and on a closed curve the first is at its
    /// beginning and none at its end.
    Count(usize),
    /// One at its beginning, and one each so many millimetres along it.
    Every(f64),
}

impl Stations {
    /// Returns an error for a distance that is not positive.
    pub fn check(self) -> Result<()> {
        match self {
            // NaN is refused too.
            Self::Every(spacing_mm) if !(spacing_mm > 0.0 && spacing_mm.is_finite()) => {
                Err(UserError::usage("The distance between stations of a curve must be positive."))
            }
            Self::Every(_) | Self::Count(_) => Ok(()),
        }
    }
}

/// The cubic from one point to the next.
#[derive(Clone, Debug)]
struct Span {
    /// Of the powers of the parameter, which runs from 0 to 1.
    coefficients: [Vector; 4],
    /// Distance along the curve to the beginning of each piece, then to the end of the last, mm.
    bounds_mm: [f64; PIECES + 1],
}

impl Curve {
    /// The curve through `points`; a closed one returns from the last to the first.
    ///
    /// Returns an error for fewer than two different points (three of a closed curve), or numbers that are not finite.
    pub fn through(points: &[Point], is_closed: bool) -> Result<Self> {
        if !points.iter().flat_map(|own| own.iter()).all(|mm| mm.is_finite()) {
            return Err(UserError::usage("The coordinates of a curve must be finite numbers."));
        }
        let mut points = points.to_vec();
        points.dedup_by(|own, before| (*own - *before).norm() <= SAME_MM);
        if is_closed && points.len() > 1 && are_same(points.first(), points.last()) {
            points.pop();
        }
        let needed = if is_closed { 3 } else { 2 };
        if points.len() < needed {
            let count = if is_closed { "three" } else { "two" };
            let kind = if is_closed { "A closed curve" } else { "A curve" };
            return Err(UserError::usage(format!("{kind} needs at least {count} points at different positions.")));
        }
        let count = points.len();
        let point = |index: usize| points[index % count];
        let velocities = velocities(&points, is_closed);
        let (mut spans, mut begin_mm) = (Vec::new(), 0.0);
        let chords = if is_closed { count } else { count - 1 };
        for index in 0..chords {
            let (from, to) = (point(index), point(index + 1));
            let parameter = (to - from).norm().sqrt();
            let [leaving, arriving] = [index, (index + 1) % count].map(|own| velocities[own] * parameter);
            let span = Span::new([from, to], [leaving, arriving], begin_mm);
            begin_mm = span.end_mm();
            spans.push(span);
        }
        Ok(Self { spans, is_closed })
    }

    /// Its length, mm.
    pub fn length_mm(&self) -> f64 {
        self.spans.last().map_or(0.0, Span::end_mm)
    }

    /// The point at a distance along it, mm, and the derivative by the parameter there.
    fn at(&self, along_mm: f64) -> (Point, Vector) {
        let along_mm = along_mm.clamp(0.0, self.length_mm());
        let index = self.spans.partition_point(|own| own.end_mm() < along_mm).min(self.spans.len() - 1);
        let span = &self.spans[index];
        let parameter = span.parameter_at(along_mm, RELATIVE_TOLERANCE * self.length_mm());
        (span.point(parameter), span.derivative(parameter))
    }

    /// The plane perpendicular to it at a distance along it, mm, seen against its direction.
    ///
    /// Returns an error where it turns back on itself.
    pub fn plane_at(&self, along_mm: f64) -> Result<SectionPlane> {
        let (at, along) = self.at(along_mm);
        let normal = along.try_normalize(MIN_TANGENT * self.length_mm()).ok_or_else(|| {
            UserError::usage(format!(
                "The curve turns back on itself at {along_mm:.3} mm: no plane is perpendicular to it there. Move its points."
            ))
        })?;
        Ok(SectionPlane::new(at, normal))
    }

    /// Distances of stations along it, mm.
    ///
    /// Returns an error for a distance that is not positive, or one that gives too many stations.
    pub fn stations_mm(&self, stations: Stations) -> Result<Vec<f64>> {
        stations.check()?;
        let length_mm = self.length_mm();
        match stations {
            Stations::Count(1) if !self.is_closed => Ok(vec![0.5 * length_mm]),
            Stations::Count(count) => {
                let steps = if self.is_closed { count } else { count.saturating_sub(1) };
                Ok((0..count).map(|index| length_mm * index as f64 / steps as f64).collect())
            }
            Stations::Every(spacing_mm) => {
                // A whole number of distances has its last station at the end, which is the beginning of a closed curve.
                let steps = length_mm / spacing_mm;
                let count = if self.is_closed { (steps - 1e-9).ceil() } else { (steps + 1e-9).floor() + 1.0 };
                if count > MAX_PLANES as f64 {
                    return Err(UserError::usage(format!(
                        "A station each {spacing_mm} mm would be {count:.0} planes along a curve of {length_mm:.3} mm; at \
                         most {MAX_PLANES} are possible. Choose a larger distance."
                    )));
                }
                Ok((0..count as usize).map(|index| spacing_mm * index as f64).collect())
            }
        }
    }

    /// As [`Self::stations_mm`], but on an open curve none at its ends: in the middle of equal parts of it, or with the same
    /// distance before the first as behind the last.
    ///
    /// Returns an error as that does.
    pub fn inner_stations_mm(&self, stations: Stations) -> Result<Vec<f64>> {
        let outer_mm = self.stations_mm(stations)?;
        if self.is_closed {
            return Ok(outer_mm);
        }
        let length_mm = self.length_mm();
        let (count, spacing_mm) = match stations {
            Stations::Count(count) => (count, length_mm / count as f64),
            // One lies in each whole distance that fits along it.
            Stations::Every(spacing_mm) => ((outer_mm.len() - 1).max(1), spacing_mm),
        };
        let first_mm = 0.5 * (length_mm - (count as f64 - 1.0) * spacing_mm);
        Ok((0..count).map(|index| first_mm + index as f64 * spacing_mm).collect())
    }

    /// Points along it, at about `count` equal distances, for drawing.
    pub fn outline(&self, count: usize) -> Vec<Point> {
        let step_mm = self.length_mm() / count.max(1) as f64;
        (0..=count).map(|index| self.at(step_mm * index as f64).0).collect()
    }
}

fn are_same(one: Option<&Point>, other: Option<&Point>) -> bool {
    one.zip(other).is_some_and(|(one, other)| (one - other).norm() <= SAME_MM)
}

/// Derivatives at the points by a parameter that grows by the square root of each chord. No two neighbours coincide.
fn velocities(points: &[Point], is_closed: bool) -> Vec<Vector> {
    let count = points.len();
    // Parameter and mean velocity from a point to the next.
    let chord = |index: usize| {
        let way = points[(index + 1) % count] - points[index % count];
        let parameter = way.norm().sqrt();
        (parameter, way / parameter)
    };
    let at = |index: usize| {
        let ends = (!is_closed && index == 0, !is_closed && index + 1 == count);
        match ends {
            // A straight line.
            (true, _) | (_, true) if count == 2 => chord(0).1,
            (true, _) => beyond(chord(0), chord(1)),
            (_, true) => beyond(chord(count - 2), chord(count - 3)),
            _ => {
                let ((before, arriving), (after, leaving)) = (chord(index + count - 1), chord(index));
                (arriving * after + leaving * before) / (before + after)
            }
        }
    };
    (0..count).map(at).collect()
}

/// The velocity at the outer end of a chord, of the parabola through it and the chord next to it.
fn beyond((outer, own): (f64, Vector), (inner, next): (f64, Vector)) -> Vector {
    own + (own - next) * (outer / (outer + inner))
}

impl Span {
    fn new([from, to]: [Point; 2], [leaving, arriving]: [Vector; 2], begin_mm: f64) -> Self {
        let way = to - from;
        let coefficients = [from.coords, leaving, way * 3.0 - leaving * 2.0 - arriving, leaving + arriving - way * 2.0];
        let mut own = Self { coefficients, bounds_mm: [begin_mm; PIECES + 1] };
        for piece in 0..PIECES {
            own.bounds_mm[piece + 1] = own.bounds_mm[piece] + own.length_mm(bound(piece), bound(piece + 1));
        }
        own
    }

    fn end_mm(&self) -> f64 {
        self.bounds_mm[PIECES]
    }

    fn point(&self, parameter: f64) -> Point {
        let [a, b, c, d] = &self.coefficients;
        Point::from(a + (b + (c + d * parameter) * parameter) * parameter)
    }

    fn derivative(&self, parameter: f64) -> Vector {
        let [_, b, c, d] = &self.coefficients;
        b + (c * 2.0 + d * (3.0 * parameter)) * parameter
    }

    /// Length between two parameters not farther apart than a piece, mm.
    fn length_mm(&self, from: f64, to: f64) -> f64 {
        let (half, middle) = (0.5 * (to - from), 0.5 * (to + from));
        GAUSS.iter().map(|(node, weight)| half * weight * self.derivative(middle + half * node).norm()).sum()
    }

    /// The parameter at a distance along the curve, mm.
    fn parameter_at(&self, along_mm: f64, tolerance_mm: f64) -> f64 {
        let piece = self.bounds_mm[1..PIECES].partition_point(|bound_mm| *bound_mm < along_mm);
        let (begin, begin_mm) = (bound(piece), self.bounds_mm[piece]);
        let (mut low, mut high) = (begin, bound(piece + 1));
        let length_mm = (self.bounds_mm[piece + 1] - begin_mm).max(f64::MIN_POSITIVE);
        let mut parameter = low + (high - low) * ((along_mm - begin_mm) / length_mm).clamp(0.0, 1.0);
        // Newton's steps, and halves where they leave the bracket.
        for _ in 0..60 {
            let error_mm = begin_mm + self.length_mm(begin, parameter) - along_mm;
            if error_mm.abs() <= tolerance_mm {
                break;
            }
            if error_mm > 0.0 {
                high = parameter;
            } else {
                low = parameter;
            }
            let next = parameter - error_mm / self.derivative(parameter).norm();
            parameter = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        parameter
    }
}

/// Parameter at the beginning of a piece.
fn bound(piece: usize) -> f64 {
    piece as f64 / PIECES as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a spatial curve, unevenly spaced.
    fn uneven() -> Vec<Point> {
        [0.0, 0.3, 1.4, 1.5, 2.9, 4.0]
            .iter()
            .map(|angle: &f64| Point::new(20.0 * angle.cos(), 14.0 * angle.sin(), 5.0 * angle))
            .collect()
    }

    /// A sum of chords knows nothing of parameters: it is the length between stations to a share of 1e-8.
    #[test]
    fn stations_are_equally_spaced_and_planes_perpendicular_to_the_curve() {
        for is_closed in [false, true] {
            let curve = Curve::through(&uneven(), is_closed).unwrap();
            let stations_mm = curve.stations_mm(Stations::Count(9)).unwrap();
            let spacing_mm = curve.length_mm() / if is_closed { 9.0 } else { 8.0 };
            let bounds = stations_mm.windows(2).map(|pair| [pair[0], pair[1]]);
            for [from, to] in bounds {
                assert!((to - from - spacing_mm).abs() < 1e-12 * curve.length_mm());
                let at = |i: i32| curve.at(from + (to - from) * f64::from(i) / 4000.0).0;
                let chords: f64 = (0..4000).map(|i| (at(i + 1) - at(i)).norm()).sum();
                assert!((chords / spacing_mm - 1.0).abs() < 1e-6, "{chords} instead of {spacing_mm}");
            }
            for along_mm in stations_mm.iter().copied().filter(|own| *own > 0.0 && *own < curve.length_mm()) {
                let plane = curve.plane_at(along_mm).unwrap();
                let way = curve.at(along_mm + 1e-4).0 - curve.at(along_mm - 1e-4).0;
                assert!((plane.normal - way.normalize()).norm() < 1e-6, "{along_mm}");
                assert!((plane.origin - curve.at(along_mm).0).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn curves_pass_through_their_points_and_two_make_a_straight_line() {
        let points = uneven();
        let curve = Curve::through(&points, false).unwrap();
        let ends = curve.spans.iter().map(|own| own.point(1.0));
        for (point, end) in points.iter().skip(1).zip(ends) {
            assert!((point - end).norm() < 1e-12);
        }
        // A point clicked twice is one.
        let ends = [Point::new(1.0, 2.0, 3.0), Point::new(1.0, 2.0, 3.0), Point::new(4.0, 6.0, 3.0)];
        let line = Curve::through(&ends, false).unwrap();
        assert!((line.length_mm() - 5.0).abs() < 1e-12);
        assert!((line.at(2.5).0 - Point::new(2.5, 4.0, 3.0)).norm() < 1e-12);
        assert!((line.stations_mm(Stations::Count(1)).unwrap()[0] - 2.5).abs() < 1e-12);
        assert_eq!(line.stations_mm(Stations::Every(2.5)).unwrap(), [0.0, 2.5, 5.0]);
        assert_eq!(line.stations_mm(Stations::Every(2.0)).unwrap(), [0.0, 2.0, 4.0]);
        assert_eq!(line.outline(2).len(), 3);
    }

    #[test]
    fn inner_stations_keep_away_from_the_ends_of_open_curves_alone() {
        let line = Curve::through(&[Point::origin(), Point::new(8.0, 0.0, 0.0)], false).unwrap();
        for (stations, expected_mm) in [
            (Stations::Count(1), vec![4.0]),
            (Stations::Count(4), vec![1.0, 3.0, 5.0, 7.0]),
            (Stations::Every(4.0), vec![2.0, 6.0]),
            (Stations::Every(3.0), vec![2.5, 5.5]),
            (Stations::Every(20.0), vec![4.0]),
        ] {
            let found_mm = line.inner_stations_mm(stations).unwrap();
            let are_same = found_mm.iter().zip(&expected_mm).all(|(own, expected)| (own - expected).abs() < 1e-12);
            assert!(are_same && found_mm.len() == expected_mm.len(), "{stations:?}: {found_mm:?}");
        }
        assert!(line.inner_stations_mm(Stations::Every(0.0)).is_err());
        let closed = Curve::through(&uneven(), true).unwrap();
        for stations in [Stations::Count(7), Stations::Every(9.0)] {
            assert_eq!(closed.inner_stations_mm(stations).unwrap(), closed.stations_mm(stations).unwrap());
        }
    }

    /// A closed curve has no station at its end, whose position is that of its beginning.
    #[test]
    fn a_circle_of_points_is_nearly_a_circle() {
        let at = |i: u32| f64::from(i) / 24.0 * std::f64::consts::TAU;
        let points: Vec<Point> = (0..24).map(|i| Point::new(30.0 * at(i).cos(), 30.0 * at(i).sin(), 0.0)).collect();
        let circle = Curve::through(&points, true).unwrap();
        let around_mm = std::f64::consts::TAU * 30.0;
        assert!((circle.length_mm() / around_mm - 1.0).abs() < 1e-3, "{}", circle.length_mm());
        assert!(circle.outline(500).iter().all(|own| (own.coords.norm() - 30.0).abs() < 0.01));
        assert_eq!(circle.stations_mm(Stations::Count(4)).unwrap().len(), 4);
        let quarter_mm = 0.25 * circle.length_mm();
        assert_eq!(circle.stations_mm(Stations::Every(quarter_mm)).unwrap().len(), 4);
        // The ends of an arc keep its direction.
        let arc = Curve::through(&points[..7], false).unwrap();
        assert!((arc.plane_at(0.0).unwrap().normal - Vector::y()).norm() < 0.01);
        assert!((arc.plane_at(arc.length_mm()).unwrap().normal + Vector::x()).norm() < 0.01);
    }

    #[test]
    fn what_is_no_curve_says_why() {
        let why = |points: &[Point], is_closed| Curve::through(points, is_closed).unwrap_err().sentence;
        let [a, b] = [Point::origin(), Point::new(8.0, 0.0, 0.0)];
        assert!(why(&[], false).contains("at least two points"));
        assert!(why(&[a, a], false).contains("at least two points"));
        assert!(why(&[a, b, a], true).contains("at least three points"));
        assert!(why(&[a, Point::new(f64::NAN, 0.0, 0.0)], false).contains("finite"));
        let back = Curve::through(&[a, b, a], false).unwrap();
        assert!(back.plane_at(8.0).unwrap_err().sentence.contains("turns back on itself at 8.000 mm"));
        let line = Curve::through(&[a, b], false).unwrap();
        for wrong in [0.0, -1.0, f64::NAN, 1e-9] {
            assert!(line.stations_mm(Stations::Every(wrong)).is_err(), "{wrong}");
        }
    }
}
