//! Closest points of a surface within a plane.

use super::super::tree::{LEAF_BIT, NO_CHILD, Node};
use super::super::{Point, Vector};
use super::{NO_NEIGHBOUR, Surface};

/// Corners nearer to the plane than this, mm, lie in it.
const IN_PLANE_MM: f64 = 1e-9;
/// Minimum sine of the angle between a facet and the plane for the line in which they meet to have a direction.
const MIN_SINE: f64 = 1e-9;

/// The point, closest to a query point, of the line in which a plane cuts a facet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarHit {
    /// The closest point, mm, in the surface's frame.
    pub point: Point,
    /// Unsigned distance, mm.
    pub distance_mm: f64,
    /// Index of the facet; the lowest on ties.
    pub facet: u32,
    /// The edge of that facet on which the point lies, at an end of the line; `None` between its ends.
    edge: Option<u8>,
}

impl Surface {
    /// The point closest to `point` of the lines in which the plane through it with unit `normal` cuts the surface: within
    /// `max_distance_mm`, and accepted by `accepts`. Of each line only points count that are no farther than those beside
    /// them. Facets in the plane are not cut; corners in it count as above it.
    pub fn closest_in_plane(
        &self,
        point: &Point,
        normal: &Vector,
        max_distance_mm: f64,
        accepts: impl Fn(&PlanarHit) -> bool,
    ) -> Option<PlanarHit> {
        let mut best: Option<PlanarHit> = None;
        let mut nearest_mm = max_distance_mm;
        let from = point - self.centre;
        let margin_mm = self.box_margin_mm();
        if self.tree.nodes.is_empty() {
            return None;
        }
        let mut stack = vec![0_u32];
        while let Some(code) = stack.pop() {
            if code & LEAF_BIT != 0 {
                for &facet in self.tree.pack((code & !LEAF_BIT) as usize) {
                    let Some(hit) = self.closest_on_cut(facet, point, normal) else { continue };
                    let wins = match &best {
                        Some(best) => (hit.distance_mm, facet) < (best.distance_mm, best.facet),
                        None => hit.distance_mm <= nearest_mm,
                    };
                    if wins && self.is_nearest_beside(&hit, point, normal) && accepts(&hit) {
                        nearest_mm = hit.distance_mm;
                        best = Some(hit);
                    }
                }
                continue;
            }
            let node = &self.tree.nodes[code as usize];
            for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
                if is_cut_near(node, slot, [&from, normal], margin_mm, nearest_mm) {
                    stack.push(node.children[slot]);
                }
            }
        }
        best
    }

    /// The normal, outward and in the plane with unit `normal`, of the line on which `hit` lies: where two facets meet, the
    /// sum of the unit normals of both lines, so that its dot product with the vector to the query point has the sign of
    /// the deviation there, too. Not of unit length.
    pub fn normal_in_plane(&self, hit: &PlanarHit, normal: &Vector) -> Vector {
        let within = |facet: u32| {
            let own = self.mesh.normal(facet as usize);
            (own - normal * own.dot(normal)).try_normalize(MIN_SINE).unwrap_or_else(Vector::zeros)
        };
        within(hit.facet) + self.facet_across(hit).map_or_else(Vector::zeros, within)
    }

    /// The facet that meets that of `hit` at it; `None` within a facet and on an open rim.
    pub fn facet_across(&self, hit: &PlanarHit) -> Option<u32> {
        let neighbour = self.topology.neighbours[hit.facet as usize][usize::from(hit.edge?)];
        (neighbour != NO_NEIGHBOUR).then_some(neighbour)
    }

    /// Whether `hit` lies on an edge without a neighbouring facet.
    pub fn is_on_rim(&self, hit: &PlanarHit) -> bool {
        hit.edge.is_some() && self.facet_across(hit).is_none()
    }

    /// Whether the line goes on from `hit` without coming nearer to `point`; otherwise that across the edge is a hit.
    fn is_nearest_beside(&self, hit: &PlanarHit, point: &Point, normal: &Vector) -> bool {
        let across = self.facet_across(hit).and_then(|facet| self.closest_on_cut(facet, point, normal));
        across.is_none_or(|other| other.distance_mm >= hit.distance_mm - IN_PLANE_MM)
    }

    /// The closest point of a facet; `None` if the plane does not cut it.
    fn closest_on_cut(&self, facet: u32, point: &Point, normal: &Vector) -> Option<PlanarHit> {
        let corners = self.mesh.corners(facet as usize);
        let heights_mm = corners.map(|corner| {
            let height_mm = (corner - point).dot(normal);
            if height_mm.abs() <= IN_PLANE_MM { 0.0 } else { height_mm }
        });
        let is_above = heights_mm.map(|mm| mm >= 0.0);
        // The corner that is alone on its side.
        let differs = |one: usize, other: usize| is_above[one % 3] != is_above[other % 3];
        let alone = (0..3).find(|&own| differs(own, own + 1) && differs(own, own + 2))?;
        let edges = [alone, (alone + 2) % 3];
        let [from, to] = edges.map(|edge| crossing(&corners, &heights_mm, edge));
        let (along, way) = (to - from, point - from);
        let length_squared = along.norm_squared();
        let share = if length_squared > 0.0 { way.dot(&along) / length_squared } else { 0.0 };
        let (closest, edge) = if share <= 0.0 {
            (from, Some(edges[0] as u8))
        } else if share >= 1.0 {
            (to, Some(edges[1] as u8))
        } else {
            (from + along * share, None)
        };
        Some(PlanarHit { point: closest, distance_mm: (point - closest).norm(), facet, edge })
    }
}

/// Where an edge crosses the plane: from the corner above it, so that both facets at it find the same point.
fn crossing(corners: &[Point; 3], heights_mm: &[f64; 3], edge: usize) -> Point {
    let (one, other) = (edge, (edge + 1) % 3);
    let (above, below) = if heights_mm[one] >= 0.0 { (one, other) } else { (other, one) };
    let share = heights_mm[above] / (heights_mm[above] - heights_mm[below]);
    corners[above] + (corners[below] - corners[above]) * share
}

/// Whether the plane meets the box of a child, enlarged by `margin_mm`, no farther than `nearest_mm` from the query point.
/// The plane is given by the query point, relative to the centre of the tree, and its unit normal.
fn is_cut_near(node: &Node, slot: usize, [from, normal]: [&Vector; 2], margin_mm: f64, nearest_mm: f64) -> bool {
    let (mut squared, mut height_mm, mut half_mm) = (0.0, 0.0, IN_PLANE_MM);
    for axis in 0..3 {
        let min = f64::from(node.min[axis][slot]) - margin_mm - from[axis];
        let max = f64::from(node.max[axis][slot]) + margin_mm - from[axis];
        squared += min.max(-max).max(0.0).powi(2);
        height_mm += 0.5 * (min + max) * normal[axis];
        half_mm += 0.5 * (max - min) * normal[axis].abs();
    }
    squared <= nearest_mm * nearest_mm && height_mm.abs() <= half_mm
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::plane_cut;
    use base::random::Random;

    /// Distance to the nearest of the lines that the plane cuts from the whole mesh, mm.
    fn from_all_lines(surface: &Surface, point: &Point, normal: &Vector) -> f64 {
        let mut nearest_mm = f64::INFINITY;
        for line in plane_cut::cut(surface.mesh(), point, normal) {
            let ends = line.points.iter().skip(1).chain(line.points.first().filter(|_| line.is_closed));
            for (from, to) in line.points.iter().zip(ends) {
                let along = to - from;
                let share = ((point - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                nearest_mm = nearest_mm.min((point - (from + along * share)).norm());
            }
        }
        nearest_mm
    }

    #[test]
    fn they_are_those_of_the_lines_cut_from_the_whole_mesh() {
        let surface = Surface::new(shapes::torus(30.0, 8.0, 60, 30));
        let mut random = Random::new(3, 0);
        let mut found = 0;
        for _ in 0..300 {
            let point = Point::from([0, 1, 2].map(|_| random.range(-40.0, 40.0)));
            let normal = random.rotation() * Vector::z();
            let expected_mm = from_all_lines(&surface, &point, &normal);
            let hit = surface.closest_in_plane(&point, &normal, f64::INFINITY, |_| true);
            assert_eq!(hit.is_some(), expected_mm.is_finite());
            if let Some(hit) = hit {
                found += 1;
                assert!((hit.distance_mm - expected_mm).abs() < 1e-9, "{} {expected_mm}", hit.distance_mm);
                assert!((hit.point - point).dot(&normal).abs() < 1e-8);
                let nearer_mm = 0.999 * hit.distance_mm;
                assert!(surface.closest_in_plane(&point, &normal, nearer_mm, |_| true).is_none());
            }
        }
        assert!(found > 200, "{found}");
    }

    #[test]
    fn the_side_is_right_at_acute_corners_and_at_rims_there_is_nothing_across() {
        // Seen along y, the two rectangles meet at 11°; beyond the ridge the point lies outside of both.
        let ridge = Surface::new(shapes::roof(10.0, 30.0, 10.0));
        for x in [-0.5, 0.0, 0.5] {
            let point = Point::new(x, 0.3, 2.0);
            let hit = ridge.closest_in_plane(&point, &Vector::y(), 5.0, |_| true).unwrap();
            assert!((hit.point - Point::new(0.0, 0.3, 0.0)).norm() < 1e-12 && ridge.facet_across(&hit).is_some());
            assert!(ridge.normal_in_plane(&hit, &Vector::y()).dot(&(point - hit.point)) > 0.0, "{x}");
        }
        let beyond = Point::new(12.0, 0.3, -100.0);
        let hit = ridge.closest_in_plane(&beyond, &Vector::y(), 5.0, |_| true).unwrap();
        assert!(ridge.is_on_rim(&hit) && (hit.distance_mm - 2.0).abs() < 1e-12, "{hit:?}");
        assert!(ridge.closest_in_plane(&Point::new(0.0, 31.0, 0.5), &Vector::y(), 50.0, |_| true).is_none());
    }
}
