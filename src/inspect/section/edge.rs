//! Edges of a nominal as curves that planes are perpendicular to.

use super::curve::Curve;
use crate::parts::Nominal;
use base::{Result, UserError};
use geometry::Point;

/// An edge ends where it turns by more than this, rad: more than from one chord of an arc to the next.
const MAX_TURN_RAD: f64 = 0.6;
/// An edge ends at a turn that stands alone, unlike those of an arc, if an arc instead of it would leave the chords by more
/// than this share of the part's diagonal.
const MAX_SAGITTA_SHARE: f64 = 1e-3;
/// Neighbouring turns of an arc differ by a smaller factor.
const ARC_FACTOR: f64 = 2.0;
/// A chord this many times as long as those beside it is no chord of an arc, but straight.
const STRAIGHT_FACTOR: f64 = 3.0;
/// A smaller turn is none, rad.
const NO_TURN_RAD: f64 = 1e-6;
/// A point farther from all edges than this share of the part's diagonal is at none.
const MAX_DISTANCE_SHARE: f64 = 0.05;
/// Positions nearer to each other than this, mm, are one.
const SAME_MM: f64 = 1e-6;

/// The edge of `nominal` nearest to a point, nominal frame: a smooth curve through its vertices, straight where it is so,
/// from where it meets other edges or turns sharply to where it does so again; closed if it never does.
///
/// Returns an error if the nominal has no edges, if the point is far from all of them, or if it lies where several meet.
pub fn nearest(nominal: &Nominal, point: &Point) -> Result<Curve> {
    let diagonal_mm = nominal.surface.bounds().diagonal();
    let between_turns = |line: Vec<Point>| Edge::between_turns(line, MAX_SAGITTA_SHARE * diagonal_mm);
    let edges: Vec<Edge> = nominal.edges(usize::MAX).into_iter().flat_map(between_turns).collect();
    let mut feet: Vec<(f64, Point, &Edge)> =
        edges.iter().filter_map(|own| foot(&own.points, point).map(|(mm, at)| (mm, at, own))).collect();
    feet.sort_by(|one, other| one.0.total_cmp(&other.0));
    let Some((distance_mm, at, edge)) = feet.first() else {
        return Err(UserError::input("The nominal has no edges. Place the planes along a curve through points."));
    };
    if *distance_mm > MAX_DISTANCE_SHARE * diagonal_mm {
        return Err(UserError::usage(format!(
            "The edge nearest to the point is {distance_mm:.3} mm away from it. Choose a point at an edge of the nominal."
        )));
    }
    if edge.ends_at(at) && feet.get(1).is_some_and(|next| next.0 - distance_mm <= SAME_MM) {
        return Err(UserError::usage(
            "Several edges meet at the point. Choose a point of one of them, away from its ends.",
        ));
    }
    Curve::through(&edge.with_straight_chords(), edge.is_closed)
}

/// An edge that nowhere turns sharply.
struct Edge {
    /// Its vertices, mm; a closed one repeats the first.
    points: Vec<Point>,
    is_closed: bool,
}

impl Edge {
    /// The pieces of a line between its sharp turns. A line that is closed repeats its first vertex.
    fn between_turns(mut line: Vec<Point>, max_sagitta_mm: f64) -> Vec<Self> {
        line.dedup_by(|own, before| (*own - *before).norm() <= SAME_MM);
        let is_closed = line.len() > 3 && line.first().zip(line.last()).is_some_and(|(a, b)| (a - b).norm() <= SAME_MM);
        let mut is_turn = sharp_turns(&turns(&line, is_closed), max_sagitta_mm);
        if is_closed {
            let Some(begin) = is_turn[1..].iter().position(|is_turn| *is_turn) else {
                return vec![Self { points: line, is_closed: true }];
            };
            // It begins at a sharp turn.
            line.pop();
            is_turn.pop();
            line.rotate_left(begin + 1);
            is_turn.rotate_left(begin + 1);
            line.push(line[0]);
        }
        let (mut edges, mut begin) = (Vec::new(), 0);
        for index in 1..line.len().saturating_sub(1) {
            if is_turn[index] {
                edges.push(Self { points: line[begin..=index].to_vec(), is_closed: false });
                begin = index;
            }
        }
        edges.push(Self { points: line.split_off(begin), is_closed: false });
        edges
    }

    /// Its vertices, and on straight chords, which turn into shorter ones at their ends, points as far from these ends as
    /// those are long: a smooth curve bends only up to there.
    fn with_straight_chords(&self) -> Vec<Point> {
        let turns = turns(&self.points, self.is_closed);
        let mut points = Vec::with_capacity(self.points.len());
        for (chord, ends) in self.points.windows(2).zip(turns.windows(2)) {
            let (along, [from, to]) = (chord[1] - chord[0], [&ends[0], &ends[1]]);
            let length_mm = along.norm();
            let bend_mm = [from.map(|own| own.before_mm), to.map(|own| own.after_mm)];
            let is_short = |mm: &Option<f64>| mm.is_none_or(|mm| mm * STRAIGHT_FACTOR <= length_mm);
            points.push(chord[0]);
            if bend_mm.iter().all(is_short) {
                points.extend(bend_mm[0].map(|mm| chord[0] + along * (mm / length_mm)));
                points.extend(bend_mm[1].map(|mm| chord[1] - along * (mm / length_mm)));
            }
        }
        points.extend(self.points.last());
        points
    }

    fn ends_at(&self, point: &Point) -> bool {
        let ends = [self.points.first(), self.points.last()].into_iter().flatten();
        !self.is_closed && ends.map(|end| (end - point).norm()).any(|mm| mm <= SAME_MM)
    }
}

/// A vertex at which a line turns.
#[derive(Clone, Copy)]
struct Turn {
    angle_rad: f64,
    /// Lengths of the chords before and after it.
    before_mm: f64,
    after_mm: f64,
}

/// The turn at each vertex of a line; `None` where it does not turn, and at the ends of one that is not closed. A closed
/// line repeats its first vertex.
fn turns(line: &[Point], is_closed: bool) -> Vec<Option<Turn>> {
    let at = |index: usize| {
        let last = line.len() - 1;
        let (before, after) = match (index == 0 || index == last, is_closed) {
            (true, false) => return None,
            (true, true) => (line[last - 1], line[1]),
            (false, _) => (line[index - 1], line[index + 1]),
        };
        let (before, after) = (line[index] - before, after - line[index]);
        let angle_rad = before.angle(&after);
        (angle_rad > NO_TURN_RAD).then(|| Turn { angle_rad, before_mm: before.norm(), after_mm: after.norm() })
    };
    (0..line.len()).map(at).collect()
}

/// Whether each vertex of a line is one where its edge ends.
fn sharp_turns(turns: &[Option<Turn>], max_sagitta_mm: f64) -> Vec<bool> {
    let angle_rad = |index: usize| turns.get(index).copied().flatten().map_or(0.0, |own| own.angle_rad);
    let is_sharp = |index: usize| {
        let Some(Turn { angle_rad: own_rad, before_mm, after_mm }) = turns[index] else { return false };
        // The vertices before the first and after the last of a closed line do not matter: there, it is enough that one
        // of the neighbours is like it.
        let beside = [index.checked_sub(1).map_or(0.0, angle_rad), angle_rad(index + 1)];
        let is_alike = |rad: f64| rad * ARC_FACTOR > own_rad && rad < own_rad * ARC_FACTOR;
        let sagitta_mm = own_rad * before_mm.min(after_mm) / 8.0;
        own_rad > MAX_TURN_RAD || (sagitta_mm > max_sagitta_mm && !beside.into_iter().any(is_alike))
    };
    (0..turns.len()).map(is_sharp).collect()
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
    use super::super::plane::SectionPlane;
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
        let edges = Edge::between_turns(bend.to_vec(), 10.0);
        assert!(edges.len() == 2 && edges[0].points == bend[..3] && edges[1].points == bend[2..]);
        // A single turn of 30° is none of an arc.
        let bend = [[0.0, 0.0], [60.0, 0.0], [112.0, 30.0]].map(|[x, y]| Point::new(x, y, 0.0));
        assert_eq!(Edge::between_turns(bend.to_vec(), 0.1).len(), 2);
        assert_eq!(Edge::between_turns(bend.to_vec(), 10.0).len(), 1);
    }

    /// A slot, 60 mm long between its centres and 16 mm wide, whose round ends have chords of 15°.
    fn slot_border(straight_chords: usize) -> Vec<Point> {
        let end = |centre_x: f64, from_deg: f64| {
            (0..=12).map(move |i| (centre_x, (from_deg + 15.0 * f64::from(i)).to_radians()))
        };
        let mut line: Vec<Point> = end(30.0, -90.0)
            .chain(end(-30.0, 90.0))
            .map(|(x, angle): (f64, f64)| Point::new(x + 8.0 * angle.cos(), 8.0 * angle.sin(), 0.0))
            .collect();
        for step in 1..straight_chords {
            line.push(Point::new(-30.0 + 60.0 * step as f64 / straight_chords as f64, -8.0, 0.0));
        }
        line.push(line[0]);
        line
    }

    #[test]
    fn straight_chords_stay_straight_where_they_meet_an_arc() {
        for straight_chords in [1, 3] {
            let mut edges = Edge::between_turns(slot_border(straight_chords), 0.08);
            let slot = edges.pop().filter(|own| own.is_closed && edges.is_empty()).unwrap();
            let curve = Curve::through(&slot.with_straight_chords(), true).unwrap();
            assert!((curve.length_mm() / (120.0 + std::f64::consts::TAU * 8.0) - 1.0).abs() < 2e-3);
            let chord_mm = 16.0 * 7.5_f64.to_radians().sin();
            let (mut on_lines, mut on_arcs) = (0, 0);
            for step in 0..400 {
                let plane = curve.plane_at(curve.length_mm() * f64::from(step) / 400.0).unwrap();
                let SectionPlane { origin, normal, .. } = plane;
                let beyond_mm = origin.x.abs() - 30.0;
                if beyond_mm < -chord_mm - 1e-6 {
                    assert!((origin.y.abs() - 8.0).abs() < 1e-9 && normal.y.abs() < 1e-9, "{origin}: {normal:?}");
                    on_lines += 1;
                } else if beyond_mm > chord_mm {
                    let radial = Vector::new(beyond_mm * origin.x.signum(), origin.y, 0.0).normalize();
                    let off_deg = normal.dot(&radial).abs().asin().to_degrees();
                    assert!(off_deg < 0.5, "{origin}: {off_deg}°");
                    on_arcs += 1;
                }
            }
            assert!(on_lines > 200 && on_arcs > 80, "{on_lines}, {on_arcs}");
        }
    }
}
