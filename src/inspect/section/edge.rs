//! Edges of a nominal as curves that planes are perpendicular to.

use super::curve::Curve;
use crate::parts::Nominal;
use base::{Result, UserError};
use geometry::Point;

/// An edge ends where it turns by more than this, rad: more than from one chord of an arc to the next.
const MAX_TURN_RAD: f64 = 0.6;
/// A point farther from all edges than this share of the part's diagonal is at none.
const MAX_DISTANCE_SHARE: f64 = 0.05;
/// Positions nearer to each other than this, mm, are one.
const SAME_MM: f64 = 1e-6;

/// The edge of `nominal` nearest to a point, nominal frame: a smooth curve through its vertices, from where it meets other
/// edges or turns sharply to where it does so again; closed if it never does.
///
/// Returns an error if the nominal has no edges, if the point is far from all of them, or if it lies where several meet.
pub fn nearest(nominal: &Nominal, point: &Point) -> Result<Curve> {
    let edges: Vec<Edge> = nominal.edges(usize::MAX).into_iter().flat_map(Edge::between_turns).collect();
    let mut feet: Vec<(f64, Point, &Edge)> =
        edges.iter().filter_map(|own| foot(&own.points, point).map(|(mm, at)| (mm, at, own))).collect();
    feet.sort_by(|one, other| one.0.total_cmp(&other.0));
    let Some((distance_mm, at, edge)) = feet.first() else {
        return Err(UserError::input("The nominal has no edges. Place the planes along a curve through points."));
    };
    if *distance_mm > MAX_DISTANCE_SHARE * nominal.surface.bounds().diagonal() {
        return Err(UserError::usage(format!(
            "The edge nearest to the point is {distance_mm:.3} mm away from it. Choose a point at an edge of the nominal."
        )));
    }
    if edge.ends_at(at) && feet.get(1).is_some_and(|next| next.0 - distance_mm <= SAME_MM) {
        return Err(UserError::usage(
            "Several edges meet at the point. Choose a point of one of them, away from its ends.",
        ));
    }
    Curve::through(&edge.points, edge.is_closed)
}

/// An edge that nowhere turns sharply.
struct Edge {
    /// Its vertices, mm; a closed one repeats the first.
    points: Vec<Point>,
    is_closed: bool,
}

impl Edge {
    /// The pieces of a line between its sharp turns. A line that is closed repeats its first vertex.
    fn between_turns(mut line: Vec<Point>) -> Vec<Self> {
        let turns = |before: &Point, at: &Point, after: &Point| (at - before).angle(&(after - at)) > MAX_TURN_RAD;
        if line.len() > 3 && line.first() == line.last() {
            line.pop();
            let count = line.len();
            let is_turn =
                |index: &usize| turns(&line[(index + count - 1) % count], &line[*index], &line[(index + 1) % count]);
            let begin = (0..count).find(is_turn);
            // It begins at a sharp turn, if it has one.
            line.rotate_left(begin.unwrap_or_default());
            let first = line[0];
            line.push(first);
            if begin.is_none() {
                return vec![Self { points: line, is_closed: true }];
            }
        }
        let (mut edges, mut begin) = (Vec::new(), 0);
        for index in 1..line.len().saturating_sub(1) {
            if turns(&line[index - 1], &line[index], &line[index + 1]) {
                edges.push(Self { points: line[begin..=index].to_vec(), is_closed: false });
                begin = index;
            }
        }
        edges.push(Self { points: line.split_off(begin), is_closed: false });
        edges
    }

    fn ends_at(&self, point: &Point) -> bool {
        let ends = [self.points.first(), self.points.last()].into_iter().flatten();
        !self.is_closed && ends.map(|end| (end - point).norm()).any(|mm| mm <= SAME_MM)
    }
}

/// Distance of `point` from a polyline, mm, and the point of it that is nearest; `None` of fewer than two vertices.
fn foot(line: &[Point], point: &Point) -> Option<(f64, Point)> {
    let of_segment = |ends: &[Point]| {
        let (from, along) = (ends[0], ends[1] - ends[0]);
        let share = ((point - from).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let at = from + along * share;
        ((point - at).norm(), at)
    };
    line.windows(2).map(of_segment).min_by(|one, other| one.0.total_cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::super::curve::Stations;
    use super::*;
    use geometry::mesh::shapes;
    use geometry::{Surface, Vector};

    fn nominal(mesh: geometry::Mesh) -> Nominal {
        Nominal::in_memory("part.stl", Surface::new(mesh))
    }

    #[test]
    fn the_nearest_edge_of_a_block_is_straight_from_corner_to_corner() {
        let block = nominal(shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0)));
        let edge = nearest(&block, &Point::new(31.0, 0.4, 20.3)).unwrap();
        assert!((edge.length_mm() - 80.0).abs() < 1e-9);
        for along_mm in edge.inner_stations_mm(Stations::Count(4)).unwrap() {
            let plane = edge.plane_at(along_mm).unwrap();
            assert!((plane.normal.x.abs() - 1.0).abs() < 1e-12 && plane.origin.y == 0.0 && plane.origin.z == 20.0);
        }
        let refused = |at: [f64; 3]| nearest(&block, &Point::from(at)).unwrap_err().sentence;
        assert!(refused([80.2, 60.1, 20.1]).contains("Several edges meet"));
        assert!(refused([40.0, 30.0, 20.0]).contains("is 30.000 mm away"));
        let torus = nominal(shapes::torus(40.0, 12.0, 100, 60));
        assert!(nearest(&torus, &Point::new(52.0, 0.0, 0.0)).unwrap_err().sentence.contains("has no edges"));
    }

    /// A tube that is open at both ends: its borders are polygons of 48 corners.
    #[test]
    fn a_round_border_is_a_closed_curve_whose_planes_hold_the_axis() {
        let tube = nominal(shapes::grid(1, 48, false, |u, v| {
            let angle = v * std::f64::consts::TAU;
            Point::new(12.0 * angle.cos(), 12.0 * angle.sin(), 30.0 * (1.0 - u))
        }));
        let border = nearest(&tube, &Point::new(0.3, 12.1, 29.0)).unwrap();
        assert!((border.length_mm() / (std::f64::consts::TAU * 12.0) - 1.0).abs() < 1e-4, "{}", border.length_mm());
        let stations_mm = border.inner_stations_mm(Stations::Count(8)).unwrap();
        assert_eq!(stations_mm.len(), 8);
        for along_mm in stations_mm {
            let plane = border.plane_at(along_mm).unwrap();
            let radial = Vector::new(plane.origin.x, plane.origin.y, 0.0).normalize();
            assert!(plane.normal.z.abs() < 1e-12 && plane.normal.dot(&radial).abs() < 1e-3 && plane.origin.z == 30.0);
        }
    }

    #[test]
    fn edges_end_at_sharp_turns() {
        // The border of a sheet: four straight edges, though no other edges meet at its corners.
        let mut sheet = shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 10.0));
        sheet.facets.truncate(2);
        sheet.cad_faces.clear();
        let sheet = nominal(sheet);
        for (at, length_mm) in [([20.0, 0.5, 0.0], 40.0), ([39.9, 10.0, 0.0], 30.0), ([11.0, 30.2, 0.1], 40.0)] {
            let edge = nearest(&sheet, &Point::from(at)).unwrap();
            assert!((edge.length_mm() - length_mm).abs() < 1e-9, "{at:?}: {}", edge.length_mm());
        }
        let bend = [[0.0, 0.0], [10.0, 0.0], [20.0, 1.0], [20.0, 11.0]].map(|[x, y]| Point::new(x, y, 0.0));
        let edges = Edge::between_turns(bend.to_vec());
        assert!(edges.len() == 2 && edges[0].points == bend[..3] && edges[1].points == bend[2..]);
    }
}
