//! Signs of deviations from a nominal of shells that overlap: faces inside another shell bound nothing, so that the side on
//! which a point lies of these says nothing.

use compute::point_deviation::{MatchState, PointDeviation};
use geometry::winding_number::WindingNumbers;
use geometry::{OrderedPoints, Pose, Surface};
use rayon::prelude::*;

/// Distances below this share of the diagonal of the nominal have either sign.
const ON_SURFACE: f64 = 1e-9;

/// Deviations by point index, without those whose sign contradicts how often the nominal surrounds their points: these are
/// nearest to a face inside another shell, and count as beyond a rim.
pub(super) fn without_open_signs(
    surface: &Surface,
    points: &OrderedPoints,
    nominal_from_scan: &Pose,
    mut deviations: Vec<PointDeviation>,
) -> Vec<PointDeviation> {
    if !surface.has_overlaps() {
        return deviations;
    }
    let (winding, least_mm) = (WindingNumbers::new(surface), ON_SURFACE * surface.bounds().diagonal());
    let is_open = |(point, index): (&geometry::Point, &u32)| {
        let own = deviations[*index as usize].value().filter(|mm| mm.abs() > least_mm);
        own.is_some_and(|mm| (winding.at(&(nominal_from_scan * point)) > 0.5) != (mm < 0.0)).then_some(*index)
    };
    let open: Vec<u32> = points.points.par_iter().zip(&points.numbers).filter_map(is_open).collect();
    open.into_iter().for_each(|index| deviations[index as usize].state = MatchState::BeyondRim);
    deviations
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use compute::cpu::Cpu;
    use compute::{Compute as _, point_deviation};
    use geometry::mesh::shapes;
    use geometry::{Mesh, Point, repair};

    fn cuboid(min: [f64; 3], max: [f64; 3]) -> Mesh {
        shapes::cuboid(Point::from(min), Point::from(max))
    }

    /// Boxes that overlap, one of them inside out; three; and bars that cross. What has a sign has the right one, and all
    /// that is outside has one.
    #[test]
    fn signs_about_overlapping_shells_are_right_or_open() {
        let boxes: [&[[[f64; 3]; 2]]; 3] = [
            &[[[0.0; 3], [40.0, 30.0, 20.0]], [[30.0, 5.0, 5.0], [70.0, 25.0, 15.0]]],
            &[
                [[0.0; 3], [40.0, 30.0, 20.0]],
                [[30.0, 5.0, 5.0], [70.0, 25.0, 15.0]],
                [[60.0, 0.0, -10.0], [75.0, 30.0, 30.0]],
            ],
            &[[[-30.0, -4.0, -4.0], [30.0, 4.0, 4.0]], [[-5.0, -30.0, -3.0], [5.0, 30.0, 3.0]]],
        ];
        for boxes in boxes {
            for inverted in 0..=boxes.len() {
                let mut mesh = Mesh::default();
                for (index, [min, max]) in boxes.iter().enumerate() {
                    let mut own = cuboid(*min, *max);
                    if index == inverted {
                        own.flip();
                    }
                    mesh.append(&own);
                }
                let surface = repair(mesh).surface;
                let bounds = *surface.bounds();
                let mut random = Random::new(3, inverted as u64);
                let mut at = || {
                    Point::from(bounds.min.coords.zip_map(&bounds.max.coords, |a, b| random.range(a - 15.0, b + 15.0)))
                };
                let points: Vec<Point> = (0..3000).map(|_| at()).collect();
                let ordered = OrderedPoints::new(&points);
                let request = point_deviation::Request {
                    surface: &surface,
                    points: &ordered,
                    normals: &[],
                    oriented: false,
                    nominal_from_scan: &Pose::identity(),
                    max_distance_mm: f64::INFINITY,
                    max_angle_rad: std::f64::consts::PI,
                };
                let found = Cpu.compute(&request, &base::Progress::silent()).unwrap();
                let found = without_open_signs(&surface, &ordered, &Pose::identity(), found);
                for (point, own) in points.iter().zip(found) {
                    let is_inside = boxes
                        .iter()
                        .any(|[min, max]| (0..3).all(|axis| point[axis] > min[axis] && point[axis] < max[axis]));
                    match own.value() {
                        Some(mm) => assert_eq!(mm < 0.0, is_inside, "{point} {mm} {inverted}"),
                        None => assert!(is_inside, "{point} {inverted}"),
                    }
                }
            }
        }
    }
}
