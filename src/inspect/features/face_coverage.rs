//! How much of a feature's own face was seen: what has no data is not measured, however well the rest fits.
//!
//! The face is that of the nominal facets that its points were selected by. Where these are not known, it is the extent
//! that the points themselves span: the convex hull of a plane, the arc and the length of a cylinder or a cone, the arc
//! of a circle, the length of a line. A place on the face is seen if a point lies within reach of it; the reach follows
//! the spacing of the points, as in the coverage of the nominal ([`crate::deviation::coverage`]).

use std::f64::consts::TAU;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::element::any_perpendicular;
use super::{Kind, Shape};
use geometry::kd_tree::Neighbours;
use geometry::{KdTree, Mesh, Point, Pose, Surface, Vector, draw, sampling};

/// Places on a face at which it is asked for data.
const FACE_SAMPLES: usize = 2000;
/// Maximum number of points that a face is covered by; of more, as many are drawn.
const MAX_POINTS: usize = 100_000;
/// Number of points that their spacing is computed from.
const SPACING_POINTS: usize = 5000;
/// Reach in point spacings: a uniform random scatter of points leaves a larger gap with a probability below 1e-5.
const REACH_SPACINGS: f64 = 2.0;
/// Maximum reach as a share of the diagonal of a face that is known: about ten points evenly spread cover it, a handful
/// does not.
const MAX_REACH_SHARE: f64 = 0.15;
/// Minimum cosine between the normals of a place and of the facet that a point lies on: the walls of a thin rib are two.
const MIN_NORMAL_COSINE: f64 = 0.5;
/// Positions along a profile that are closer than this share of its extent count as one.
const SAME_POSITION_SHARE: f64 = 1e-3;

/// What a face is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaceExtent {
    /// The facets of the nominal.
    NominalFacets,
    /// The points themselves.
    Points,
}

impl FaceExtent {
    /// Share of a face that must be seen where a tolerance states no other.
    ///
    /// Of nominal facets 0.8, as for an unqualified PASS of the whole surface. What the points themselves span may have
    /// openings: a flange has a bore, a frame is hollow. There 0.5 tells what was measured in two patches from a face.
    pub fn min_share(self) -> f64 {
        match self {
            Self::NominalFacets => 0.8,
            Self::Points => 0.5,
        }
    }
}

/// How much of a face was seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaceCoverage {
    /// Share of the face with data, 0 to 1.
    pub share: f64,
    /// Largest distance of a place on the face from the nearest point, mm.
    pub gap_mm: f64,
    /// Spacing of the points, mm (90th percentile).
    pub spacing_mm: f64,
    /// Arc about the axis over which there are points, rad, 2π if they go all around; of circles, cylinders and cones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc_rad: Option<f64>,
    /// What the face is known from.
    pub extent: FaceExtent,
}

impl FaceCoverage {
    /// Coverage of some facets of the nominal by `points` of the measured `shape`, both in the scan frame. `None` of
    /// lines and circles, which lie at the edge of faces, and if the facets have no area.
    pub fn of_facets(
        shape: &Shape,
        points: &[Point],
        nominal_from_scan: &Pose,
        mesh: &Mesh,
        facets: &[u32],
    ) -> Option<Self> {
        if matches!(shape.kind(), Kind::Line | Kind::Circle) {
            return None;
        }
        let face = Surface::new(mesh.part(facets));
        let samples = sampling::along_curve(&face, FACE_SAMPLES, 0);
        if samples.is_empty() {
            return None;
        }
        let chosen = drawn(points, MAX_POINTS);
        let hits: Vec<(Point, u32)> = chosen
            .par_iter()
            .filter_map(|point| {
                let point = nominal_from_scan * point;
                let facet = face.closest_point(&point, f64::INFINITY)?.facet;
                Some((crate::deviation::coverage::closest_point_on_facet(&face, &point, facet), facet))
            })
            .collect();
        let feet: Vec<Point> = hits.iter().map(|(foot, _)| *foot).collect();
        let tree = KdTree::new(&feet);
        let spacing_mm = spacing_mm(&tree, &feet);
        let reach_mm = (REACH_SPACINGS * spacing_mm).min(MAX_REACH_SHARE * face.bounds().diagonal());
        let seen: Vec<(bool, f64)> = samples
            .par_iter()
            .map_init(Neighbours::default, |neighbours, sample| {
                tree.k_nearest(&sample.point, 8, f64::INFINITY, neighbours);
                let nearest_mm = neighbours.found.first().map_or(f64::INFINITY, |own| own.squared_mm2.sqrt());
                let is_near = |squared_mm2: f64, facet: u32| {
                    squared_mm2.sqrt() <= reach_mm
                        && face.mesh().normal(facet as usize).dot(&sample.normal) > MIN_NORMAL_COSINE
                };
                let mut found = neighbours.found.iter();
                (found.any(|own| is_near(own.squared_mm2, hits[own.number as usize].1)), nearest_mm)
            })
            .collect();
        let arc_rad = arc(shape, points, spacing_mm);
        Some(Self { arc_rad, ..Self::of_places(&seen, spacing_mm, FaceExtent::NominalFacets)? })
    }

    /// Coverage of the extent that `points` of a shape span. `None` of spheres and tori, of which no part is known to be
    /// missing, and of too few points.
    pub fn of_points(shape: &Shape, points: &[Point]) -> Option<Self> {
        let points = drawn(points, MAX_POINTS);
        match *shape {
            Shape::Plane { point, normal } => {
                let u = any_perpendicular(&normal);
                let v = normal.cross(&u);
                let flat: Vec<Point> =
                    points.iter().map(|own| Point::new((own - point).dot(&u), (own - point).dot(&v), 0.0)).collect();
                of_hull(&flat)
            }
            Shape::Cylinder { point, axis, radius } => of_wall(&points, shape, &point, &axis, radius),
            Shape::Cone { point, axis, .. } => {
                let beside = |own: &Point| (own - point - axis * (own - point).dot(&axis)).norm();
                let radius = points.iter().map(beside).sum::<f64>() / points.len().max(1) as f64;
                of_wall(&points, shape, &point, &axis, radius)
            }
            Shape::Circle { centre, normal, radius } => {
                let (angles, arc_rad) = unwrapped(&points, &centre, &normal)?;
                let at: Vec<f64> = angles.iter().map(|angle| radius * angle).collect();
                let found = of_profile(&at, radius * arc_rad, Some(radius * TAU))?;
                let arc_rad = arc(shape, &points, found.spacing_mm);
                Some(Self { arc_rad, ..found })
            }
            Shape::Line { point, direction } => {
                let mut at: Vec<f64> = points.iter().map(|own| (own - point).dot(&direction)).collect();
                at.sort_by(f64::total_cmp);
                let (first, last) = (*at.first()?, *at.last()?);
                at.iter_mut().for_each(|own| *own -= first);
                of_profile(&at, last - first, None)
            }
            Shape::Sphere { .. } | Shape::Torus { .. } => None,
        }
    }

    /// The worst of several faces, by their shares of what is required by default.
    pub fn worst(all: impl Iterator<Item = Self>) -> Option<Self> {
        let need = |own: &Self| own.share / own.extent.min_share();
        all.min_by(|one, other| need(one).total_cmp(&need(other)))
    }

    /// Share of a face that goes all around, 0 to 1: where the nominal does not tell how far it goes, what lacks of a
    /// revolution was not seen.
    pub fn share_of_revolution(&self) -> f64 {
        match (self.extent, self.arc_rad) {
            (FaceExtent::Points, Some(arc_rad)) => self.share * arc_rad / TAU,
            _ => self.share,
        }
    }

    /// E.g. “20.0 % of the nominal facets, up to 40.00 mm from the nearest point, over an arc of 70°”.
    pub fn words(&self) -> String {
        let of = match self.extent {
            FaceExtent::NominalFacets => "the nominal facets",
            FaceExtent::Points => "the extent of the points",
        };
        let arc = self.arc_rad.map_or_else(String::new, |own| format!(", over an arc of {:.0}°", own.to_degrees()));
        format!("{:.1} % of {of}, up to {:.2} mm from the nearest point{arc}", floored_percent(self.share), self.gap_mm)
    }

    /// From places, of which each has data or not, and its distance from the nearest point, mm.
    fn of_places(seen: &[(bool, f64)], spacing_mm: f64, extent: FaceExtent) -> Option<Self> {
        if seen.is_empty() {
            return None;
        }
        let covered = seen.iter().filter(|(is_seen, _)| *is_seen).count();
        let gap_mm = seen.iter().map(|(_, own)| *own).filter(|own| own.is_finite()).fold(0.0, f64::max);
        let share = covered as f64 / seen.len() as f64;
        Some(Self { share, gap_mm, spacing_mm, arc_rad: None, extent })
    }
}

/// A share in percent with one decimal, never rounded up to a limit that it does not reach.
pub fn floored_percent(share: f64) -> f64 {
    (1000.0 * share + 1e-9).floor() / 10.0
}

/// About `most` of the points, all if there are fewer: drawn by their coordinates, so that their order does not matter.
pub(crate) fn drawn(points: &[Point], most: usize) -> Vec<Point> {
    draw::sample(points, most).into_iter().map(|index| points[index as usize]).collect()
}

/// 90th percentile of the spacing of points, mm; 0 without points.
fn spacing_mm(tree: &KdTree, points: &[Point]) -> f64 {
    let mut spacings: Vec<f64> = drawn(points, SPACING_POINTS)
        .par_iter()
        .map_init(Neighbours::default, |neighbours, point| tree.local_spacing_mm(point, neighbours))
        .collect();
    if spacings.is_empty() {
        return 0.0;
    }
    let rank = (spacings.len() * 9 / 10).min(spacings.len() - 1);
    *spacings.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// The arc about the axis over which there are points, rad; 2π if no gap is wider than the reach of both its ends.
fn arc(shape: &Shape, points: &[Point], spacing_mm: f64) -> Option<f64> {
    let (centre, axis) = match *shape {
        Shape::Circle { centre, normal, .. } => (centre, normal),
        Shape::Cylinder { point, axis, .. } | Shape::Cone { point, axis, .. } => (point, axis),
        _ => return None,
    };
    let beside = |own: &Point| (own - centre - axis * (own - centre).dot(&axis)).norm();
    let radius = points.iter().map(beside).sum::<f64>() / points.len().max(1) as f64;
    let (_, arc_rad) = unwrapped(points, &centre, &axis)?;
    let is_closed = radius * (TAU - arc_rad) <= 2.0 * REACH_SPACINGS * spacing_mm;
    Some(if is_closed { TAU } else { arc_rad })
}

/// Angles of points about an axis from the end of their widest gap, ascending, and the arc that they span, rad.
fn unwrapped(points: &[Point], centre: &Point, axis: &Vector) -> Option<(Vec<f64>, f64)> {
    let x = any_perpendicular(axis);
    let y = axis.cross(&x);
    let angle = |point: &Point| (point - centre).dot(&y).atan2((point - centre).dot(&x));
    let mut angles: Vec<f64> = points.iter().map(angle).collect();
    angles.sort_by(f64::total_cmp);
    let (first, last) = (*angles.first()?, *angles.last()?);
    let mut widest = (first + TAU - last, 0);
    for (index, pair) in angles.windows(2).enumerate() {
        if pair[1] - pair[0] > widest.0 {
            widest = (pair[1] - pair[0], index + 1);
        }
    }
    let start = angles[widest.1];
    angles.rotate_left(widest.1);
    angles.iter_mut().for_each(|own| *own = (*own - start).rem_euclid(TAU));
    Some((angles, TAU - widest.0))
}

/// Coverage of the convex hull of points in the plane z = 0.
fn of_hull(points: &[Point]) -> Option<FaceCoverage> {
    let hull = hull(points);
    let next = |index: usize| hull[(index + 1) % hull.len()];
    let cross = |a: &Point, b: &Point, c: &Point| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let first = *hull.first()?;
    let area_mm2 = 0.5 * (1..hull.len()).map(|index| cross(&first, &hull[index], &next(index))).sum::<f64>();
    let bounds = geometry::Aabb::of_points(hull.iter());
    if !(area_mm2 > 1e-6 * bounds.diagonal().powi(2)) {
        return None;
    }
    let tree = KdTree::new(points);
    let spacing_mm = spacing_mm(&tree, points);
    let inside = |place: &Point| (0..hull.len()).all(|index| cross(&hull[index], &next(index), place) >= 0.0);
    let places = grid(&bounds, (area_mm2 / FACE_SAMPLES as f64).sqrt()).filter(inside).collect::<Vec<_>>();
    let seen = seen(&tree, &places, spacing_mm);
    FaceCoverage::of_places(&seen, spacing_mm, FaceExtent::Points)
}

/// Coverage of the arc and the length of a round wall, rolled out.
fn of_wall(points: &[Point], shape: &Shape, at: &Point, axis: &Vector, radius_mm: f64) -> Option<FaceCoverage> {
    let (x, [start, arc_rad]) = (any_perpendicular(axis), first_and_arc(points, at, axis)?);
    let y = axis.cross(&x);
    let rolled = |own: &Point| {
        let (offset, up) = (own - at, (own - at).dot(axis));
        let angle = (offset.dot(&y).atan2(offset.dot(&x)) - start).rem_euclid(TAU);
        Point::new(radius_mm * angle, up, 0.0)
    };
    let once: Vec<Point> = points.iter().map(rolled).collect();
    let bounds = geometry::Aabb::of_points(once.iter());
    let spacing_mm = spacing_mm(&KdTree::new(points), points);
    let arc_seen = arc(shape, points, spacing_mm);
    let width_mm = if arc_seen == Some(TAU) { TAU * radius_mm } else { radius_mm * arc_rad };
    // Across the seam.
    let turn = Vector::x() * (TAU * radius_mm);
    let margin_mm = 2.0 * REACH_SPACINGS * spacing_mm;
    let before = once.iter().filter(|own| own.x > TAU * radius_mm - margin_mm).map(|own| own - turn);
    let after = once.iter().filter(|own| own.x < margin_mm).map(|own| own + turn);
    let all: Vec<Point> = once.iter().copied().chain(before).chain(after).collect();
    let height_mm = bounds.max.y - bounds.min.y;
    if !(width_mm * height_mm > 1e-9) {
        return None;
    }
    let corner = |x: f64, y: f64| Point::new(x, y, 0.0);
    let whole = geometry::Aabb::of_points([corner(0.0, bounds.min.y), corner(width_mm, bounds.max.y)].iter());
    let places: Vec<Point> = grid(&whole, (width_mm * height_mm / FACE_SAMPLES as f64).sqrt()).collect();
    let seen = seen(&KdTree::new(&all), &places, spacing_mm);
    let found = FaceCoverage::of_places(&seen, spacing_mm, FaceExtent::Points)?;
    Some(FaceCoverage { arc_rad: arc_seen, ..found })
}

/// The angle at which the points begin after their widest gap, and the arc that they span, rad.
fn first_and_arc(points: &[Point], at: &Point, axis: &Vector) -> Option<[f64; 2]> {
    let x = any_perpendicular(axis);
    let y = axis.cross(&x);
    let (_, arc_rad) = unwrapped(points, at, axis)?;
    let mut angles: Vec<f64> = points.iter().map(|own| (own - at).dot(&y).atan2((own - at).dot(&x))).collect();
    angles.sort_by(f64::total_cmp);
    let last = *angles.last()?;
    let before = std::iter::once(last - TAU).chain(angles.iter().copied());
    let widest = before.zip(&angles).max_by(|one, other| (one.1 - one.0).total_cmp(&(other.1 - other.0)))?;
    Some([*widest.1, arc_rad])
}

/// Coverage of a line or an arc by ascending positions from 0 to `extent_mm`; a closed one repeats after `period_mm`.
fn of_profile(at: &[f64], extent_mm: f64, period_mm: Option<f64>) -> Option<FaceCoverage> {
    let same_mm = SAME_POSITION_SHARE * extent_mm;
    let mut apart: Vec<f64> = Vec::new();
    let mut last = 0.0;
    for own in at {
        if own - last > same_mm {
            apart.push(own - last);
            last = *own;
        }
    }
    if !(extent_mm > 0.0) || apart.is_empty() {
        return None;
    }
    let mut sorted = apart.clone();
    sorted.sort_by(f64::total_cmp);
    let spacing_mm = sorted[(sorted.len() * 9 / 10).min(sorted.len() - 1)];
    let reach_mm = REACH_SPACINGS * spacing_mm;
    let open_mm = period_mm.map(|period_mm| period_mm - extent_mm).filter(|own| *own <= 2.0 * reach_mm);
    let whole_mm = extent_mm + open_mm.unwrap_or(0.0);
    let missing_mm: f64 = apart.iter().map(|own| (own - 2.0 * reach_mm).max(0.0)).sum();
    let widest_mm = apart.iter().copied().chain(open_mm).fold(0.0, f64::max);
    let share = 1.0 - missing_mm / whole_mm;
    Some(FaceCoverage { share, gap_mm: 0.5 * widest_mm, spacing_mm, arc_rad: None, extent: FaceExtent::Points })
}

/// Whether places in the plane have a point within reach, and their distance from the nearest one, mm.
fn seen(tree: &KdTree, places: &[Point], spacing_mm: f64) -> Vec<(bool, f64)> {
    let distance_mm = |neighbours: &mut Neighbours, place: &Point| {
        tree.k_nearest(place, 1, f64::INFINITY, neighbours);
        let nearest_mm = neighbours.found.first().map_or(f64::INFINITY, |own| own.squared_mm2.sqrt());
        (nearest_mm <= REACH_SPACINGS * spacing_mm, nearest_mm)
    };
    places.par_iter().map_init(Neighbours::default, distance_mm).collect()
}

/// Places at the centres of square cells over a rectangle in the plane z = 0.
fn grid(bounds: &geometry::Aabb, step_mm: f64) -> impl Iterator<Item = Point> + use<> {
    let count = |length_mm: f64| ((length_mm / step_mm).ceil() as usize).clamp(1, FACE_SAMPLES);
    let size = bounds.max - bounds.min;
    let (columns, rows) = (count(size.x), count(size.y));
    let min = bounds.min;
    let cell = move |index: usize, count: usize, length_mm: f64| (index as f64 + 0.5) / count as f64 * length_mm;
    (0..columns * rows).map(move |index| {
        let (column, row) = (index % columns, index / columns);
        Point::new(min.x + cell(column, columns, size.x), min.y + cell(row, rows, size.y), 0.0)
    })
}

/// Corners of the convex hull of points in the plane z = 0, counter-clockwise (Andrew 1979).
fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y)));
    let chain = |points: &mut dyn Iterator<Item = &Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(*point);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut sorted.iter());
    corners.extend(chain(&mut sorted.iter().rev()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Subset;
    use geometry::mesh::shapes;

    fn top(mesh: &Mesh) -> Subset {
        Subset::new((0..mesh.facets.len() as u32).filter(|own| mesh.normal(*own as usize).z > 0.9).collect())
    }

    /// Random points of a rectangle at a mean spacing, at a height, as far as `is_seen`.
    fn scatter(size: [f64; 2], spacing_mm: f64, is_seen: impl Fn(f64, f64) -> bool) -> Vec<Point> {
        let mut random = Random::new(77, (1000.0 * spacing_mm) as u64);
        let count = (size[0] * size[1] / spacing_mm.powi(2)) as usize;
        let at = (0..count).map(|_| (random.range(0.0, size[0]), random.range(0.0, size[1])));
        at.filter(|(x, y)| is_seen(*x, *y)).map(|(x, y)| Point::new(x, y, 20.0 + 0.2)).collect()
    }

    fn plane() -> Shape {
        Shape::Plane { point: Point::new(0.0, 0.0, 20.2), normal: Vector::z() }
    }

    #[test]
    fn a_face_seen_in_full_is_complete_at_any_spacing_and_one_seen_in_part_states_its_share() {
        let mesh = shapes::cuboid(Point::origin(), Point::new(60.0, 40.0, 20.0));
        let facets = top(&mesh);
        for spacing_mm in [0.2, 0.6, 2.0] {
            let of = |share: f64| {
                let points = scatter([60.0, 40.0], spacing_mm, |x, _| x < share * 60.0);
                FaceCoverage::of_facets(&plane(), &points, &Pose::identity(), &mesh, &facets).unwrap()
            };
            assert!(of(1.0).share > 0.99, "{spacing_mm}: {:?}", of(1.0));
            for share in [0.2, 0.6, 0.75] {
                let found = of(share);
                // A strip as wide as the reach beside the points counts as seen.
                let strip = 2.0 * 1.5 * spacing_mm / 60.0;
                assert!((share - 0.02..share + strip + 0.02).contains(&found.share), "{spacing_mm} {share}: {found:?}");
                let gap_mm = (1.0 - share) * 60.0;
                assert!((found.gap_mm - gap_mm).abs() < 3.0 * spacing_mm + 0.5, "{spacing_mm} {share}: {found:?}");
            }
        }
        let handful: Vec<Point> = [[5.0, 5.0], [55.0, 5.0], [5.0, 35.0], [55.0, 35.0], [30.0, 20.0]]
            .map(|[x, y]| Point::new(x, y, 20.0))
            .into();
        let few = FaceCoverage::of_facets(&plane(), &handful, &Pose::identity(), &mesh, &facets).unwrap();
        assert!(few.share < FaceExtent::NominalFacets.min_share(), "{few:?}");
    }

    #[test]
    fn points_alone_span_a_hull_of_which_patches_at_both_ends_are_a_part() {
        let full = FaceCoverage::of_points(&plane(), &scatter([60.0, 40.0], 0.5, |_, _| true)).unwrap();
        assert!(full.share > 0.99 && full.gap_mm < 3.0, "{full:?}");
        // A ring of 60 % and a round face are no fault.
        let disc = |x: f64, y: f64| (x - 20.0).hypot(y - 20.0);
        let ring = scatter([40.0, 40.0], 0.5, |x, y| disc(x, y) < 20.0 && disc(x, y) > 12.0);
        let ring = FaceCoverage::of_points(&plane(), &ring).unwrap();
        assert!((0.6..0.75).contains(&ring.share) && (ring.gap_mm - 12.0).abs() < 1.0, "{ring:?}");
        let ends =
            FaceCoverage::of_points(&plane(), &scatter([60.0, 40.0], 0.5, |x, _| (x - 30.0).abs() > 24.0)).unwrap();
        assert!(ends.share < 0.3 && (ends.gap_mm - 24.0).abs() < 1.5, "{ends:?}");
        // Touched in a regular pattern, whatever its step.
        let touched: Vec<Point> =
            (0..96).map(|i| Point::new(f64::from(i % 12) * 5.0, f64::from(i / 12) * 5.0, 0.0)).collect();
        let touched = FaceCoverage::of_points(&plane(), &touched).unwrap();
        assert!(touched.share > 0.99, "{touched:?}");
    }

    fn wall(arc: std::ops::Range<f64>, rings: i32) -> (Shape, Vec<Point>) {
        let axis = Vector::new(0.3, -0.2, 1.0).normalize();
        let x = any_perpendicular(&axis);
        let y = axis.cross(&x);
        let at = |ring: i32, step: i32| {
            let (sin, cos) = (arc.start + (arc.end - arc.start) * f64::from(step) / 120.0).sin_cos();
            Point::new(4.0, 5.0, 6.0) + axis * f64::from(ring) * 0.5 + (x * cos + y * sin) * 6.0
        };
        let points = (0..rings).flat_map(|ring| (0..120).map(move |step| at(ring, step))).collect();
        (Shape::Cylinder { point: Point::new(4.0, 5.0, 6.0), axis, radius: 6.0 }, points)
    }

    #[test]
    fn walls_and_circles_state_the_arc_that_was_seen() {
        for (arc, degrees) in [(0.0..TAU, 360.0), (2.8..2.8 + 70.0_f64.to_radians(), 70.0), (1.0..1.0 + 3.5, 200.5)] {
            let (shape, points) = wall(arc, 20);
            let found = FaceCoverage::of_points(&shape, &points).unwrap();
            let seen = found.arc_rad.unwrap().to_degrees();
            assert!((seen - degrees).abs() < 4.0 && found.share > 0.98, "{degrees}: {found:?}");
            let revolution = found.share_of_revolution();
            assert!((revolution - degrees / 360.0).abs() < 0.03, "{degrees}: {revolution}");
            let Shape::Cylinder { point, axis, radius } = shape else { panic!() };
            let circle = Shape::Circle { centre: point, normal: axis, radius };
            let found = FaceCoverage::of_points(&circle, &points).unwrap();
            assert!((found.arc_rad.unwrap().to_degrees() - degrees).abs() < 4.0 && found.share > 0.98, "{found:?}");
        }
        // Two bands at both ends of a long bore.
        let (shape, mut points) = wall(0.0..TAU, 60);
        points.retain(|own| !(6.0..24.0).contains(&(own - shape.position()).dot(&shape.direction().unwrap())));
        let found = FaceCoverage::of_points(&shape, &points).unwrap();
        assert!(found.share < 0.5 && (found.gap_mm - 9.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn the_order_of_the_points_does_not_matter() {
        let (shape, mut points) = wall(0.5..3.0, 40);
        let first = FaceCoverage::of_points(&shape, &points).unwrap();
        points.reverse();
        assert_eq!(FaceCoverage::of_points(&shape, &points), Some(first));
        let many: Vec<Point> = (0..300).map(|i| Point::new(f64::from(i), 0.1 * f64::from(i), 0.0)).collect();
        let mut turned = many.clone();
        turned.reverse();
        let [mut one, mut other] = [drawn(&many, 100), drawn(&turned, 100)];
        [&mut one, &mut other].into_iter().for_each(|own| own.sort_by(|a, b| a.x.total_cmp(&b.x)));
        assert!(one == other && (60..140).contains(&one.len()), "{}", one.len());
    }
}
