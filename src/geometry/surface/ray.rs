//! Ray intersections with a surface, for picking, the simulated sensor and containment tests.

use std::cell::Cell;

use super::super::simd::{Lanes, Task, dispatch};
use super::super::tree::{LEAF_BIT, NO_CHILD, Node};
use super::super::triangle;
use super::super::{Point, Vector};
use super::Surface;

/// Intersection of a ray with a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Ray parameter: distance in units of the length of the direction vector.
    pub t: f64,
    /// Index of the facet hit; the lowest on ties.
    pub facet: u32,
}

/// Enlargement of facets, barycentric, so that no ray passes between two.
const EDGE_TOLERANCE: f64 = 1e-9;

thread_local! {
    /// Nodes still to be visited with the ray parameters at which they are entered; empty between rays, and kept so that
    /// rays allocate nothing.
    static PENDING: Cell<Vec<(f64, u32)>> = const { Cell::new(Vec::new()) };
}

impl Surface {
    /// What boxes of the tree, which are f32, are enlarged by for their rounding error, mm.
    pub(super) fn box_margin_mm(&self) -> f64 {
        4.0 * f64::from(f32::EPSILON) * self.reach_mm
    }

    /// First intersection with the ray `origin + t * direction` for `t_min < t < t_max`.
    pub fn first_hit(&self, origin: &Point, direction: &Vector, t_min: f64, t_max: f64) -> Option<RayHit> {
        self.first_hit_where(origin, direction, [t_min, t_max], |_| true)
    }

    /// As [`Self::first_hit`], among the facets for which `accepts` holds.
    pub fn first_hit_where(
        &self,
        origin: &Point,
        direction: &Vector,
        range: [f64; 2],
        accepts: impl Fn(u32) -> bool,
    ) -> Option<RayHit> {
        dispatch(Shot { surface: self, origin, direction, range, accepts, is_any_enough: false })
    }

    /// Whether the ray `origin + t * direction` intersects the surface for `t_min < t < t_max`.
    pub fn is_hit(&self, origin: &Point, direction: &Vector, range: [f64; 2]) -> bool {
        let accepts = |_| true;
        dispatch(Shot { surface: self, origin, direction, range, accepts, is_any_enough: true }).is_some()
    }

    /// Calls `visit` with every intersection of `origin + t * direction` for `t_min < t < t_max`, in no particular
    /// order. `tolerance` enlarges facets (barycentric): a line through an edge may hit both of its facets.
    pub fn each_hit(
        &self,
        origin: &Point,
        direction: &Vector,
        [t_min, t_max]: [f64; 2],
        tolerance: f64,
        mut visit: impl FnMut(RayHit),
    ) {
        if self.tree.nodes.is_empty() {
            return;
        }
        let from = origin - self.centre;
        let inverse = direction.map(|component| 1.0 / component);
        let margin = self.box_margin_mm();
        let mut stack = vec![0_u32];
        while let Some(code) = stack.pop() {
            if code & LEAF_BIT != 0 {
                for &facet in self.tree.pack((code & !LEAF_BIT) as usize) {
                    let corners = self.mesh.corners(facet as usize);
                    let t = triangle::intersect_line(origin, direction, &corners, tolerance);
                    if let Some(t) = t.filter(|t| t_min < *t && *t < t_max) {
                        visit(RayHit { t, facet });
                    }
                }
                continue;
            }
            let node = &self.tree.nodes[code as usize];
            stack.extend(children_met(node, [&from, &inverse], margin, [t_min, t_max]).map(|(_, child)| child));
        }
    }

    /// Intersection of the line `origin + t * direction` (unit vector) nearest to `origin` on either side, within
    /// `max_distance_mm`, with a facet for which `accept` holds.
    pub fn nearest_crossing(
        &self,
        origin: &Point,
        direction: &Vector,
        max_distance_mm: f64,
        accept: impl Fn(u32) -> bool,
    ) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        let mut nearest = max_distance_mm;
        let direction_abs = direction.map(|component| component.abs());
        let from = origin - self.centre;
        let margin = self.box_margin_mm();
        if self.tree.nodes.is_empty() {
            return None;
        }
        let mut stack = vec![0_u32];
        while let Some(code) = stack.pop() {
            if code & LEAF_BIT != 0 {
                for &facet in self.tree.pack((code & !LEAF_BIT) as usize) {
                    let corners = self.mesh.corners(facet as usize);
                    let Some(t) = triangle::intersect_line(origin, direction, &corners, EDGE_TOLERANCE) else {
                        continue;
                    };
                    let wins = match best {
                        Some(hit) => t.abs() < nearest || (t.abs() == nearest && facet < hit.facet),
                        None => t.abs() <= nearest,
                    };
                    if wins && accept(facet) {
                        nearest = t.abs();
                        best = Some(RayHit { t, facet });
                    }
                }
                continue;
            }
            let node = &self.tree.nodes[code as usize];
            for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
                let overlaps = (0..3).all(|axis| {
                    let reach = direction_abs[axis] * nearest + margin;
                    f64::from(node.min[axis][slot]) <= from[axis] + reach
                        && f64::from(node.max[axis][slot]) >= from[axis] - reach
                });
                if overlaps {
                    stack.push(node.children[slot]);
                }
            }
        }
        best
    }

    /// Whether the segment between two points intersects the surface farther than `clearance_mm` from both ends.
    pub fn is_blocked(&self, from: &Point, to: &Point, clearance_mm: f64) -> bool {
        let along = to - from;
        let length = along.norm();
        if length <= 2.0 * clearance_mm {
            return false;
        }
        let margin = clearance_mm / length;
        self.is_hit(from, &along, [margin, 1.0 - margin])
    }
}

/// A ray, and what of it is asked for.
struct Shot<'a, A> {
    surface: &'a Surface,
    origin: &'a Point,
    direction: &'a Vector,
    /// Range of the parameter, both ends exclusive.
    range: [f64; 2],
    accepts: A,
    /// Whether any intersection is as good as the first.
    is_any_enough: bool,
}

impl<A: Fn(u32) -> bool> Task for Shot<'_, A> {
    type Output = Option<RayHit>;

    // All in f64: the lanes are the compiler's.
    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<RayHit> {
        let Self { surface, origin, direction, range: [t_min, t_max], accepts, is_any_enough } = self;
        let mut best: Option<RayHit> = None;
        let mut nearest = t_max;
        let from = origin - surface.centre;
        let inverse = direction.map(|component| 1.0 / component);
        let margin = surface.box_margin_mm();
        if surface.tree.nodes.is_empty() {
            return None;
        }
        let mut stack = PENDING.take();
        stack.push((t_min, 0_u32));
        while let Some((entry, code)) = stack.pop() {
            if entry > nearest {
                continue;
            }
            if code & LEAF_BIT != 0 {
                for &facet in surface.tree.pack((code & !LEAF_BIT) as usize) {
                    let corners = surface.mesh.corners(facet as usize);
                    let Some(t) = triangle::intersect_line(origin, direction, &corners, EDGE_TOLERANCE) else {
                        continue;
                    };
                    let tie = best.is_some_and(|hit| t == hit.t && facet < hit.facet);
                    if t > t_min && (t < nearest || tie) && accepts(facet) {
                        nearest = t;
                        best = Some(RayHit { t, facet });
                    }
                }
                if is_any_enough && best.is_some() {
                    break;
                }
                continue;
            }
            let node = &surface.tree.nodes[code as usize];
            let first = stack.len();
            stack.extend(children_met(node, [&from, &inverse], margin, [t_min, nearest]));
            stack[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        }
        stack.clear();
        PENDING.set(stack);
        best
    }
}

/// The children whose boxes, enlarged by `margin`, a line meets within the parameter range given last, each after the
/// parameter at which the line enters it. The line is given by its origin relative to the centre of the tree and the
/// reciprocals of its direction.
#[inline(always)]
fn children_met(
    node: &Node,
    [from, inverse]: [&Vector; 2],
    margin: f64,
    [low, high]: [f64; 2],
) -> impl Iterator<Item = (f64, u32)> {
    let (mut entries, mut exits) = ([low; 8], [high; 8]);
    for axis in 0..3 {
        let (from, inverse) = (from[axis], inverse[axis]);
        // All eight at once, by comparisons that are one instruction each and drop the NaN of 0 * inf, for a ray that runs
        // exactly in a plane of the enlarged box.
        for slot in 0..8 {
            let near = (f64::from(node.min[axis][slot]) - margin - from) * inverse;
            let far = (f64::from(node.max[axis][slot]) + margin - from) * inverse;
            let (first, last) = (if near < far { near } else { far }, if near > far { near } else { far });
            entries[slot] = if first > entries[slot] { first } else { entries[slot] };
            exits[slot] = if last < exits[slot] { last } else { exits[slot] };
        }
    }
    let all = entries.into_iter().zip(exits).zip(node.children);
    all.filter(|((entry, exit), child)| entry <= exit && *child != NO_CHILD).map(|((entry, _), child)| (entry, child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use base::random::Random;

    #[test]
    fn rays_hit_a_box_at_its_faces() {
        let surface = Surface::new(shapes::cuboid(Point::new(-1.0, -2.0, -3.0), Point::new(1.0, 2.0, 3.0)));
        let mut random = Random::new(9, 0);
        for _ in 0..5000 {
            let direction = random.rotation() * Vector::z();
            let origin = Point::from(-direction * 20.0);
            let hit = surface.first_hit(&origin, &direction, 0.0, f64::INFINITY).unwrap();
            let position = origin + direction * hit.t;
            let scaled = Vector::new(position.x, position.y / 2.0, position.z / 3.0);
            assert!((scaled.amax() - 1.0).abs() < 1e-9, "{position}");
            // Until just before it, and on any line at all, there is a hit where there is a first one.
            assert!(surface.is_hit(&origin, &direction, [0.0, hit.t + 1e-9]));
            assert!(!surface.is_hit(&origin, &direction, [0.0, hit.t]));
            let any = random.rotation() * Vector::z();
            let has_first = surface.first_hit(&origin, &any, 0.0, 19.0).is_some();
            assert_eq!(surface.is_hit(&origin, &any, [0.0, 19.0]), has_first);
        }
        assert!(surface.first_hit(&Point::new(5.0, 0.0, 0.0), &Vector::x(), 0.0, 1e9).is_none());
        let mut hits = Vec::new();
        let (high, down) = (Point::new(0.3, 0.4, 10.0), -Vector::z());
        surface.each_hit(&high, &down, [0.0, f64::INFINITY], 0.0, |hit| hits.push(hit.t));
        hits.sort_by(f64::total_cmp);
        assert!(hits.len() == 2 && (hits[0] - 7.0).abs() < 1e-12 && (hits[1] - 13.0).abs() < 1e-12, "{hits:?}");
        surface.each_hit(&high, &down, [7.5, 12.5], 0.0, |hit| panic!("{hit:?}"));
        let straight_down = surface.first_hit(&Point::new(0.0, 0.0, 10.0), &-Vector::z(), 0.0, 1e9).unwrap();
        assert_eq!(straight_down.t, 7.0);
    }
}
