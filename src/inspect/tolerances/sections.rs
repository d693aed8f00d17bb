//! Sections of measured features: slices square to an axis, rings about it, and the line of the slices' centres.

use crate::features::element::{Straight, any_square_to};
use crate::features::in_plane::fit_in_plane;
use crate::features::{Kind, Options, Shape};
use base::{Progress, Result, UserError};
use geometry::Point;

/// Sections that are taken where no thickness is given.
const SECTIONS: f64 = 20.0;
/// Sections at most: more have too few points to be meant.
const MOST: f64 = 10_000.0;
/// Points that a section's circle needs.
const LEAST: usize = 5;

/// Groups of points by `place` of each along some scale, mm: slices up to `section_mm` thick; those of fewer than
/// `least` points are left out. A sentence where none is left.
///
/// Points that were measured in rings stay together: a slice ends at the widest gap in its farther half.
pub(super) fn slices(
    points: &[Point],
    place: impl Fn(&Point) -> f64,
    section_mm: Option<f64>,
    least: usize,
) -> Result<Vec<Vec<Point>>> {
    let mut placed: Vec<(f64, Point)> = points.iter().map(|point| (place(point), *point)).collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let reach_mm = placed.last().map_or(0.0, |last| last.0) - placed.first().map_or(0.0, |first| first.0);
    let thick_mm = section_mm.unwrap_or(reach_mm / SECTIONS);
    if section_mm.is_some_and(|own| !(own > 0.0 && reach_mm / own < MOST)) {
        return Err(UserError::usage(format!(
            "Sections {thick_mm} mm thick are no use over {reach_mm:.3} mm; give a positive thickness that makes fewer \
             than {MOST} of them."
        )));
    }
    let (mut slices, mut most, mut rest) = (Vec::new(), 0, &placed[..]);
    while !rest.is_empty() {
        let (slice, after) = rest.split_at(first_slice(rest, thick_mm));
        most = most.max(slice.len());
        if slice.len() >= least {
            slices.push(slice.iter().map(|(_, point)| *point).collect());
        }
        rest = after;
    }
    if slices.is_empty() {
        return Err(UserError::input(format!(
            "No section {thick_mm:.4} mm thick has more than {most} points, and {least} are needed; take thicker \
             sections or measure more points."
        )));
    }
    Ok(slices)
}

/// How many of the first points, in order, make a slice.
fn first_slice(placed: &[(f64, Point)], thick_mm: f64) -> usize {
    let first = placed[0].0;
    let held = placed.partition_point(|(place, _)| place - first <= thick_mm);
    if held == placed.len() {
        return held;
    }
    let near = placed.partition_point(|(place, _)| place - first < 0.5 * thick_mm).max(1);
    let gap = |count: usize| placed[count].0 - placed[count - 1].0;
    (near..=held).max_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap_or(held).max(1)
}

/// Slices square to an axis.
pub(super) fn across(
    points: &[Point],
    axis: &Straight,
    section_mm: Option<f64>,
    least: usize,
) -> Result<Vec<Vec<Point>>> {
    slices(points, |point| (point - axis.point).dot(&axis.direction), section_mm, least)
}

/// The extracted median line of a cylinder or cone (ISO 17450-3, before that ISO 14660-2, whose texts were not
/// available to check against): the centres of the least-squares circles of its sections, mm, in order along `axis`.
///
/// `points` are those of the surface, `section_mm` is the thickness of a section; `None` takes a twentieth of the
/// length. Sections of fewer than five points are left out. A sentence where none is left, or where the points of one
/// lie on less than half of the round, so that its centre is not sure.
pub fn median_line(
    points: &[Point],
    axis: &Straight,
    section_mm: Option<f64>,
    progress: &Progress,
) -> Result<Vec<Point>> {
    if !points.iter().all(|point| point.coords.iter().all(|c| c.is_finite())) {
        return Err(UserError::input("A median line needs finite points; measure the feature again."));
    }
    across(points, axis, section_mm, LEAST)?.iter().map(|section| centre(section, axis, progress)).collect()
}

/// The widest gap between points as seen along an axis, rad: a whole turn less the gap is how far round they lie.
pub(super) fn widest_gap_rad(points: &[Point], axis: &Straight) -> f64 {
    let x = any_square_to(&axis.direction);
    let y = axis.direction.cross(&x);
    let angle = |point: &Point| (point - axis.point).dot(&y).atan2((point - axis.point).dot(&x));
    let mut angles: Vec<f64> = points.iter().map(angle).collect();
    angles.sort_by(f64::total_cmp);
    let around = angles.first().copied().unwrap_or_default() + std::f64::consts::TAU;
    let next = angles.iter().skip(1).copied().chain([around]);
    next.zip(&angles).map(|(next, own)| next - own).fold(0.0, f64::max)
}

fn centre(section: &[Point], axis: &Straight, progress: &Progress) -> Result<Point> {
    let level = super::feature::mean(section);
    let plane = Shape::Plane { point: level, normal: axis.direction };
    let found = fit_in_plane(Kind::Circle, section, &[], &plane, &Options::default(), progress)?.shape.place();
    let gap = widest_gap_rad(section, &Straight { point: found, direction: axis.direction });
    if gap > std::f64::consts::PI {
        return Err(UserError::input(format!(
            "A section at {:.3} mm along the axis was measured over {:.0}° only; its centre needs at least 180°.",
            (level - axis.point).dot(&axis.direction),
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
        // A tube of radius 5 whose middle bends by 0.1 mm over 40 mm.
        (0..41 * 36)
            .map(|i| (f64::from(i / 36), arc * f64::from(i % 36) / 36.0))
            .map(|(z, a)| Point::new(0.1 * (z / 20.0 - 1.0).powi(2) + 5.0 * a.cos(), 5.0 * a.sin(), z))
            .collect()
    }

    #[test]
    fn the_median_line_follows_the_bend() {
        let axis = Straight { point: Point::new(0.0, 0.0, -7.0), direction: Vector::z() };
        let line = median_line(&bent(std::f64::consts::TAU), &axis, Some(0.9), &Progress::silent()).unwrap();
        assert_eq!(line.len(), 41);
        for (i, centre) in line.iter().enumerate() {
            let truth = Point::new(0.1 * (i as f64 / 20.0 - 1.0).powi(2), 0.0, i as f64);
            assert!((centre - truth).norm() < 1e-9, "{centre} {truth}");
        }
    }

    /// Rings exactly one thickness apart, their heights in noise: none is torn, none is lost.
    #[test]
    fn rings_stay_together() {
        let mut random = base::random::Random::new(25, 0);
        for rings in [5, 9, 21] {
            let mut place = |i: usize| 40.0 * (i / 8) as f64 / (rings - 1) as f64 + random.range(-1e-3, 1e-3);
            let points: Vec<Point> = (0..8 * rings).map(|i| Point::new(0.0, 0.0, place(i))).collect();
            let sections = slices(&points, |point| point.z, None, 1).unwrap();
            assert!(sections.len() == rings && sections.iter().all(|section| section.len() == 8), "{rings}");
        }
        // Points anywhere: sections are at most as thick as asked, and hold all points.
        let points: Vec<Point> = (0..1000).map(|_| Point::new(0.0, 0.0, random.uniform())).collect();
        let sections = slices(&points, |point| point.z, Some(0.1), 1).unwrap();
        assert_eq!(sections.iter().map(Vec::len).sum::<usize>(), 1000);
        assert!(sections.iter().all(|own| own[own.len() - 1].z - own[0].z <= 0.1) && sections.len() < 21);
    }

    #[test]
    fn thin_sections_and_short_arcs_are_sentences() {
        let axis = Straight { point: Point::origin(), direction: Vector::z() };
        let says = |arc, section| median_line(&bent(arc), &axis, section, &Progress::silent()).unwrap_err().sentence;
        assert!(says(2.0, None).contains("over 112° only"), "{}", says(2.0, None));
        assert!(says(6.0, Some(0.0)).contains("positive thickness"));
        assert!(says(6.0, Some(f64::NAN)).contains("positive thickness"));
        let few = median_line(&bent(6.0)[..4], &axis, None, &Progress::silent()).unwrap_err().sentence;
        assert!(few.contains("more than 4 points, and 5 are needed"), "{few}");
        let mut broken = bent(6.0);
        broken[7].z = f64::NAN;
        let sentence = median_line(&broken, &axis, None, &Progress::silent()).unwrap_err().sentence;
        assert!(sentence.contains("finite points"));
    }
}
