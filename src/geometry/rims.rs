//! Rims of faces: points on their borders, each with the direction in which the face ends, in its plane. Of a part they are
//! known from its creases; of points from where the neighbours end. Where one plane of a part is seen, its rims alone tell
//! where it lies.

use rayon::prelude::*;

use super::point_pairs::OrientedPoint;
use super::topology::NO_NEIGHBOUR;
use super::{KdTree, Point, Probes, Surface, Vector, thinning};

/// Least angle of a crease (30°), as its cosine.
const MAX_COSINE: f64 = 0.866;
/// Points tried on a crease in one spacing, and how far inside its face each lies to be seen, as a share of the spacing.
const SAMPLES: f64 = 3.0;
const INSIDE: f64 = 0.1;
/// How much farther apart rims are tried while there are too many.
const COARSER: f64 = 1.3;
/// Radius about a point of a cloud in which its neighbours are looked at, in spacings.
const RADIUS: f64 = 3.5;
/// Neighbours on the same face: least cosine between the normals, and greatest height, as a share of the radius.
const MIN_SAME_COSINE: f64 = 0.96;
const MAX_HEIGHT: f64 = 0.25;
/// Least number of them, and least distance of their centre as a share of the radius: 0.42 on a straight rim.
const MIN_NEIGHBOURS: usize = 6;
const MIN_OFFSET: f64 = 0.3;

/// Up to about `most` rims of a part, `spacing_mm` or more apart, one for each face that meets in a crease, as far as they can
/// be seen from outside; the normal of each is the direction in which its face ends.
pub fn of_surface(surface: &Surface, spacing_mm: f64, most: usize) -> Vec<OrientedPoint> {
    let mesh = surface.mesh();
    let mut rims: Vec<OrientedPoint> = Vec::new();
    let mut seen_at: Vec<OrientedPoint> = Vec::new();
    for (facet, neighbours) in surface.topology().neighbours.iter().enumerate() {
        let normal = mesh.normal(facet);
        let corners = mesh.corners(facet);
        for (edge, &neighbour) in neighbours.iter().enumerate() {
            let is_crease = neighbour == NO_NEIGHBOUR || normal.dot(&mesh.normal(neighbour as usize)) < MAX_COSINE;
            let (from, along) = (corners[edge], corners[(edge + 1) % 3] - corners[edge]);
            let length_mm = along.norm();
            if !is_crease || length_mm <= 0.0 {
                continue;
            }
            let out = along.cross(&normal) / length_mm;
            let count = (SAMPLES * length_mm / spacing_mm).ceil().max(1.0);
            for number in 0..count as usize {
                let point = from + along * ((number as f64 + 0.5) / count);
                rims.push(OrientedPoint { point, normal: out });
                seen_at.push(OrientedPoint { point: point - out * (INSIDE * spacing_mm), normal });
            }
        }
    }
    let mut kept = thinned(&rims, spacing_mm);
    let mut apart_mm = spacing_mm;
    while kept.len() > most {
        apart_mm *= COARSER;
        kept = thinned(&rims, apart_mm);
    }
    let inside: Vec<OrientedPoint> = kept.iter().map(|&index| seen_at[index as usize]).collect();
    let is_seen = |own: &OrientedPoint| !Probes::new(surface, &[*own]).points.is_empty();
    let is_seen: Vec<bool> = inside.par_iter().map(is_seen).collect();
    kept.into_iter().zip(is_seen).filter(|(_, is_seen)| *is_seen).map(|(index, _)| rims[index as usize]).collect()
}

/// Indices of some rims about `spacing_mm` apart: faces that meet keep their own.
fn thinned(rims: &[OrientedPoint], spacing_mm: f64) -> Vec<u32> {
    let mut kept = Vec::new();
    for side in 0..6 {
        let is_of_side = |own: &OrientedPoint| {
            let axis = own.normal.iamax();
            2 * axis + usize::from(own.normal[axis] < 0.0) == side
        };
        let own: Vec<u32> = (0..rims.len() as u32).filter(|&index| is_of_side(&rims[index as usize])).collect();
        let points: Vec<Point> = own.iter().map(|&index| rims[index as usize].point).collect();
        kept.extend(thinning::one_per_cell(&points, spacing_mm).iter().map(|&at| own[at as usize]));
    }
    kept.sort_unstable();
    kept
}

/// The direction in which the face of each point ends there, unit vector; `None` inside faces and where there are too few
/// points. Signs of normals do not matter.
pub fn of_points(points: &[OrientedPoint], tree: &KdTree, spacing_mm: f64) -> Vec<Option<Vector>> {
    let radius_mm = RADIUS * spacing_mm;
    let of_point = |own: &OrientedPoint| {
        let (mut sum, mut count) = (Vector::zeros(), 0);
        tree.within_radius(&own.point, radius_mm, |near| {
            let other = &points[near.number as usize];
            let away = other.point - own.point;
            let is_same = own.normal.dot(&other.normal).abs() > MIN_SAME_COSINE
                && away.dot(&own.normal).abs() < MAX_HEIGHT * radius_mm;
            if is_same {
                sum += away;
                count += 1;
            }
        });
        let centre = sum / count.max(1) as f64;
        let in_plane = centre - own.normal * centre.dot(&own.normal);
        let is_rim = count >= MIN_NEIGHBOURS && in_plane.norm() > MIN_OFFSET * radius_mm;
        is_rim.then(|| -in_plane.normalize())
    };
    points.par_iter().map(of_point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;
    use crate::mesh::shapes;

    #[test]
    fn rims_of_a_box_lie_on_its_edges_and_point_out_of_its_faces() {
        let surface = Surface::new(shapes::cuboid(Point::new(-20.0, -15.0, -5.0), Point::new(20.0, 15.0, 5.0)));
        let rims = of_surface(&surface, 2.0, 1_000);
        let half = Vector::new(20.0, 15.0, 5.0);
        let mut sides = [0; 3];
        for own in &rims {
            let at = own.point.coords;
            let on: Vec<usize> = (0..3).filter(|&axis| (at[axis].abs() - half[axis]).abs() < 1e-9).collect();
            let out = own.normal.iamax();
            assert!(on.len() == 2 && on.contains(&out) && own.normal[out] * at[out] > 0.0, "{own:?}");
            assert!((own.normal[out].abs() - 1.0).abs() < 1e-12);
            sides[out] += 1;
        }
        // Two faces at each of twelve edges.
        let expected = 2.0 * 4.0 * (40.0 + 30.0 + 10.0) / 2.0;
        assert!((0.7 * expected..1.3 * expected).contains(&(rims.len() as f64)), "{} {sides:?}", rims.len());
        // What only an inner face has is not seen.
        let mut hollow = surface.mesh().clone();
        hollow.append(&shapes::cuboid(Point::new(-4.0, -4.0, -2.0), Point::new(4.0, 4.0, 2.0)));
        assert_eq!(of_surface(&Surface::new(hollow), 2.0, 1_000).len(), rims.len());
        let few = of_surface(&surface, 2.0, 60).len();
        assert!((20..=60).contains(&few), "{few}");
    }

    #[test]
    fn rims_of_a_plate_of_points_are_its_border() {
        let mut points = Vec::new();
        for x in 0..60 {
            for y in 0..40 {
                points.push(OrientedPoint { point: Point::new(f64::from(x), f64::from(y), 0.0), normal: Vector::z() });
            }
        }
        // The floor below goes on.
        for x in -30..90 {
            for y in -30..70 {
                if !(0..60).contains(&x) || !(0..40).contains(&y) {
                    let point = Point::new(f64::from(x), f64::from(y), -4.0);
                    points.push(OrientedPoint { point, normal: Vector::z() });
                }
            }
        }
        let positions: Vec<Point> = points.iter().map(|own| own.point).collect();
        let rims = of_points(&points, &KdTree::new(&positions), 1.0);
        let bounds = Aabb::of_points(&positions[..2400]);
        for (own, rim) in points.iter().zip(&rims).take(2400) {
            let to_border =
                (0..2).map(|axis| (own.point[axis] - bounds.min[axis]).min(bounds.max[axis] - own.point[axis]));
            let nearest = to_border.clone().fold(f64::INFINITY, f64::min);
            if nearest < 0.5 {
                let out = rim.unwrap();
                let outward = (0..2).map(|axis| (own.point[axis] - bounds.centre()[axis]).signum() * out[axis]);
                assert!(outward.fold(f64::NEG_INFINITY, f64::max) > 0.6, "{own:?} {out}");
            } else if nearest > 1.5 {
                assert!(rim.is_none(), "{own:?}");
            }
        }
    }
}
