//! Sections of measured features: slices perpendicular to an axis, rings about it, and the median line.

use crate::features::element::{Line, any_perpendicular};
use crate::features::fits::in_plane::fit_in_plane;
use crate::features::{Kind, Options, Shape};
use base::{Progress, Result, UserError};
use geometry::Point;

/// Number of sections if no thickness is given.
const DEFAULT_SECTIONS: f64 = 20.0;
/// Maximum number of sections.
const MAX_SECTIONS: f64 = 10_000.0;
/// Minimum number of points for the circle of a section.
const MIN_POINTS: usize = 5;

/// Groups points by `coordinate`, mm, into slices up to `section_mm` thick, and drops those of fewer than `min_points`
/// points. Returns an error if none is left.
///
/// Points measured in rings stay together: a slice ends at the widest gap in its second half.
pub(super) fn slices(
    points: &[Point],
    coordinate: impl Fn(&Point) -> f64,
    section_mm: Option<f64>,
    min_points: usize,
) -> Result<Vec<Vec<Point>>> {
    let mut sorted: Vec<(f64, Point)> = points.iter().map(|point| (coordinate(point), *point)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let length_mm = sorted.last().map_or(0.0, |last| last.0) - sorted.first().map_or(0.0, |first| first.0);
    let thickness_mm = section_mm.unwrap_or(length_mm / DEFAULT_SECTIONS);
    if section_mm.is_some_and(|thickness| !(thickness > 0.0 && length_mm / thickness < MAX_SECTIONS)) {
        return Err(UserError::usage(format!(
            "A section thickness of {thickness_mm} mm cannot be used over a length of {length_mm:.3} mm; state a \
             positive thickness that gives fewer than {MAX_SECTIONS} sections."
        )));
    }
    let (mut slices, mut max_points, mut remaining) = (Vec::new(), 0, &sorted[..]);
    while !remaining.is_empty() {
        let (slice, rest) = remaining.split_at(first_slice(remaining, thickness_mm));
        max_points = max_points.max(slice.len());
        if slice.len() >= min_points {
            slices.push(slice.iter().map(|(_, point)| *point).collect());
        }
        remaining = rest;
    }
    if slices.is_empty() {
        return Err(UserError::input(format!(
            "No section of {thickness_mm:.4} mm thickness has more than {max_points} points; {min_points} are needed. \
             Use thicker sections or measure more points."
        )));
    }
    Ok(slices)
}

/// Number of points, in order, that form the first slice.
fn first_slice(sorted: &[(f64, Point)], thickness_mm: f64) -> usize {
    let first = sorted[0].0;
    let within = sorted.partition_point(|(coordinate, _)| coordinate - first <= thickness_mm);
    if within == sorted.len() {
        return within;
    }
    let from_half = sorted.partition_point(|(coordinate, _)| coordinate - first < 0.5 * thickness_mm).max(1);
    let gap = |count: usize| sorted[count].0 - sorted[count - 1].0;
    (from_half..=within).max_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap_or(within).max(1)
}

/// Slices perpendicular to an axis.
pub(super) fn across(
    points: &[Point],
    axis: &Line,
    section_mm: Option<f64>,
    min_points: usize,
) -> Result<Vec<Vec<Point>>> {
    slices(points, |point| (point - axis.point).dot(&axis.direction), section_mm, min_points)
}

/// The extracted median line of a cylinder or cone (ISO 17450-3, before that ISO 14660-2, whose texts were not
/// available to check against): the centres of the least-squares circles of its sections, mm, in order along `axis`.
///
/// `points` are those of the surface, mm; `section_mm` is the thickness of a section, by default a twentieth of the
/// length. Sections of fewer than five points are left out. Returns an error if none is left, or if the points of one
/// cover less than 180°, so that its centre is poorly determined.
pub fn median_line(points: &[Point], axis: &Line, section_mm: Option<f64>, progress: &Progress) -> Result<Vec<Point>> {
    if !points.iter().all(|point| point.coords.iter().all(|c| c.is_finite())) {
        return Err(UserError::input("A median line needs finite points; measure the feature again."));
    }
    across(points, axis, section_mm, MIN_POINTS)?.iter().map(|section| centre(section, axis, progress)).collect()
}

/// The widest angular gap between points about an axis, rad: 2π minus the gap is the angle covered.
pub(super) fn widest_gap_rad(points: &[Point], axis: &Line) -> f64 {
    let x = any_perpendicular(&axis.direction);
    let y = axis.direction.cross(&x);
    let angle = |point: &Point| (point - axis.point).dot(&y).atan2((point - axis.point).dot(&x));
    let mut angles: Vec<f64> = points.iter().map(angle).collect();
    angles.sort_by(f64::total_cmp);
    let first_again = angles.first().copied().unwrap_or_default() + std::f64::consts::TAU;
    let next = angles.iter().skip(1).copied().chain([first_again]);
    next.zip(&angles).map(|(next, own)| next - own).fold(0.0, f64::max)
}

fn centre(section: &[Point], axis: &Line, progress: &Progress) -> Result<Point> {
    let centroid = super::feature::mean(section);
    let plane = Shape::Plane { point: centroid, normal: axis.direction };
    let found = fit_in_plane(Kind::Circle, section, &[], &plane, &Options::default(), progress)?.shape.position();
    let gap = widest_gap_rad(section, &Line { point: found, direction: axis.direction });
    if gap > std::f64::consts::PI {
        return Err(UserError::input(format!(
            "A section at {:.3} mm along the axis covers only {:.0}°; its centre needs at least 180°.",
            (centroid - axis.point).dot(&axis.direction),
            (std::f64::consts::TAU - gap).to_degrees()
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vector;

    fn bent(arc: f64) -> Vec<Point> {
        // A tube of radius 5 with a median line that bends by 0.1 mm over 40 mm.
        (0..41 * 36)
            .map(|i| (f64::from(i / 36), arc * f64::from(i % 36) / 36.0))
            .map(|(z, a)| Point::new(0.1 * (z / 20.0 - 1.0).powi(2) + 5.0 * a.cos(), 5.0 * a.sin(), z))
            .collect()
    }

    #[test]
    fn the_median_line_follows_the_bend() {
        let axis = Line { point: Point::new(0.0, 0.0, -7.0), direction: Vector::z() };
        let line = median_line(&bent(std::f64::consts::TAU), &axis, Some(0.9), &Progress::silent()).unwrap();
        assert_eq!(line.len(), 41);
        for (i, centre) in line.iter().enumerate() {
            let truth = Point::new(0.1 * (i as f64 / 20.0 - 1.0).powi(2), 0.0, i as f64);
            assert!((centre - truth).norm() < 1e-9, "{centre} {truth}");
        }
    }

    /// Rings exactly one thickness apart with noise in height: none is split, none is lost.
    #[test]
    fn rings_stay_together() {
        let mut random = base::random::Random::new(25, 0);
        for rings in [5, 9, 21] {
            let mut height = |i: usize| 40.0 * (i / 8) as f64 / (rings - 1) as f64 + random.range(-1e-3, 1e-3);
            let points: Vec<Point> = (0..8 * rings).map(|i| Point::new(0.0, 0.0, height(i))).collect();
            let sections = slices(&points, |point| point.z, None, 1).unwrap();
            assert!(sections.len() == rings && sections.iter().all(|section| section.len() == 8), "{rings}");
        }
        // Arbitrary points: sections are at most as thick as requested, and contain all points.
        let points: Vec<Point> = (0..1000).map(|_| Point::new(0.0, 0.0, random.uniform())).collect();
        let sections = slices(&points, |point| point.z, Some(0.1), 1).unwrap();
        assert_eq!(sections.iter().map(Vec::len).sum::<usize>(), 1000);
        assert!(sections.iter().all(|own| own[own.len() - 1].z - own[0].z <= 0.1) && sections.len() < 21);
    }

    #[test]
    fn thin_sections_and_short_arcs_are_errors() {
        let axis = Line { point: Point::origin(), direction: Vector::z() };
        let says = |arc, section| median_line(&bent(arc), &axis, section, &Progress::silent()).unwrap_err().sentence;
        assert!(says(2.0, None).contains("covers only 112°"), "{}", says(2.0, None));
        assert!(says(6.0, Some(0.0)).contains("positive thickness"));
        assert!(says(6.0, Some(f64::NAN)).contains("positive thickness"));
        let few = median_line(&bent(6.0)[..4], &axis, None, &Progress::silent()).unwrap_err().sentence;
        assert!(few.contains("more than 4 points; 5 are needed"), "{few}");
        let mut broken = bent(6.0);
        broken[7].z = f64::NAN;
        let sentence = median_line(&broken, &axis, None, &Progress::silent()).unwrap_err().sentence;
        assert!(sentence.contains("finite points"));
    }
}
