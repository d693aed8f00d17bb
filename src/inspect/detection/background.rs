//! Planes on which parts lie or between which they stand: the floor of a bin, a table, a wall.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use nalgebra::{Matrix3, SymmetricEigen};
use rayon::prelude::*;

use base::random::Random;
use geometry::point_pairs::OrientedPoint;
use geometry::{Aabb, Point, Vector, transform};

/// Planes that are tried, each through a point with its normal, and points that judge them.
const TRIALS: usize = 400;
const JUDGES: usize = 4_000;
/// Most planes that are looked at.
const MAX_PLANES: usize = 10;
/// Least share of the points that are left on a plane.
const MIN_SHARE: f64 = 0.03;
/// A plane is wider than the largest part by this factor.
const MIN_WIDTH: f64 = 1.15;
/// Least width of what is seen of a wall, as a share of the largest part, and greatest cosine between its normal and that of
/// the floor.
const MIN_WALL_WIDTH: f64 = 0.7;
const MAX_WALL_COSINE: f64 = 0.2;
/// Directions in which widths are measured.
const DIRECTIONS: usize = 12;
/// Least share of the points of a plane in a patch that tells how far it reaches.
const MIN_PATCH: f64 = 0.05;
/// Most and least of the other points that lie behind and before a plane on which things lie, as shares of all.
const MAX_BEHIND: f64 = 0.005;
const MIN_BEFORE: f64 = 0.05;
/// Most points seen through a plane where it is, as a share of those on it: pieces of several things that happen to lie in one
/// plane hide nothing between them.
const MAX_SEEN_THROUGH: f64 = 0.05;
/// Distance from which on they do, as a share of the largest part: the rim of a wall is narrow.
const CLEAR: f64 = 0.03;
/// Least cosine between the normals of a plane and of a point on it.
const MIN_COSINE: f64 = 0.9;
/// Least height of one plane over another to lie on it, as a share of the largest part: a floor is not quite flat.
const MIN_STEP: f64 = 0.01;
/// Cells by which patches are connected, in spacings.
const CELL: f64 = 3.0;

/// What parts lie on or stand against.
#[derive(Debug)]
pub struct Background {
    /// Of each point, whether it belongs to it.
    pub is_on: Vec<bool>,
    /// Its planes behind which nothing lies.
    pub supports: Vec<Support>,
}

/// A floor or a wall, as far as it is seen.
#[derive(Debug)]
pub struct Support {
    point: Point,
    /// Unit normal, towards what lies before it.
    before: Vector,
    /// Axes of its extent.
    axes: [Vector; 2],
    extent: Extent,
}

impl Support {
    /// Height of a position over it, mm; `None` beside what is seen of it.
    pub fn height_mm(&self, position: &Point) -> Option<f64> {
        let away = position - self.point;
        self.extent.holds(self.axes.map(|axis| away.dot(&axis))).then(|| away.dot(&self.before))
    }

    /// How many points are seen from a position through what is seen of it, at least so far behind it.
    fn seen_through(&self, points: &[OrientedPoint], viewpoint: &Point, clear_mm: f64) -> usize {
        let height_mm = |position: &Point| (position - self.point).dot(&self.before);
        let from_mm = height_mm(viewpoint);
        let is_seen_through = |own: &&OrientedPoint| {
            let to_mm = height_mm(&own.point);
            let crossing = || viewpoint + (own.point - viewpoint) * (from_mm / (from_mm - to_mm));
            from_mm > 0.0 && to_mm < -clear_mm && self.height_mm(&crossing()).is_some()
        };
        points.par_iter().filter(is_seen_through).count()
    }
}

/// The planes wider than `part_mm`, the size of the largest part: with a connected patch that is, or planes behind which
/// nothing lies, as parts on a floor cut it into patches. `viewpoint`: where the sensor stood, if it is known.
pub fn on_planes(
    points: &[OrientedPoint],
    oriented: bool,
    viewpoint: Option<Point>,
    spacing_mm: f64,
    part_mm: f64,
) -> Background {
    let mut is_on = vec![false; points.len()];
    let mut is_looked_at = is_on.clone();
    let mut planes: Vec<(Plane, Vec<Patch>)> = Vec::new();
    for number in 0..MAX_PLANES {
        let left: Vec<u32> = (0..points.len() as u32).filter(|&index| !is_looked_at[index as usize]).collect();
        let Some(plane) = widest(points, &left, spacing_mm, number as u64) else { break };
        let own: Vec<u32> = left.iter().copied().filter(|&index| plane.holds(&points[index as usize])).collect();
        if (own.len() as f64) < MIN_SHARE * left.len() as f64 {
            break;
        }
        own.iter().for_each(|&index| is_looked_at[index as usize] = true);
        let patches = plane.patches(points, own, spacing_mm);
        for patch in patches.iter().filter(|patch| patch.extent.widest() > MIN_WIDTH * part_mm) {
            patch.points.iter().for_each(|&index| is_on[index as usize] = true);
        }
        planes.push((plane, patches));
    }
    let is_wide = |possible: &Possible| possible.reach_mm > MIN_WIDTH * part_mm;
    let possible = |(plane, patches): &(Plane, Vec<Patch>)| {
        plane.as_support(points, oriented, viewpoint, patches, &is_on, part_mm)
    };
    let floors: Vec<Support> = planes.iter().filter_map(possible).filter(is_wide).map(|own| own.support).collect();
    // The upper faces of plates on a floor reach as far as a floor does, but none of them alone.
    let lies_on_one = |own: &Support, patches: &[Patch]| {
        let lies_on = |floor: &Support| {
            floor.before.dot(&own.before) > MIN_COSINE
                && floor.before.dot(&(own.point - floor.point)) > MIN_STEP * part_mm
        };
        patches.iter().all(|patch| patch.extent.widest() < MIN_WIDTH * part_mm) && floors.iter().any(lies_on)
    };
    let mut supports: Vec<Support> = Vec::new();
    let mut narrow = Vec::new();
    // Behind a wall lies its rim, which is found after it.
    for (plane, patches) in planes {
        let Some(possible) = plane.as_support(points, oriented, viewpoint, &patches, &is_on, part_mm) else { continue };
        if lies_on_one(&possible.support, &patches) {
            continue;
        }
        if is_wide(&possible) {
            patches.iter().flat_map(|patch| &patch.points).for_each(|&index| is_on[index as usize] = true);
            supports.push(possible.support);
        } else {
            narrow.push((possible, patches));
        }
    }
    // Of a wall often only a piece is seen; but a floor ends at it.
    for (Possible { support, reach_mm, is_last }, patches) in narrow {
        let stands = |floor: &Support| floor.before.dot(&support.before).abs() < MAX_WALL_COSINE;
        if is_last && reach_mm > MIN_WALL_WIDTH * part_mm && supports.iter().any(stands) {
            patches.iter().flat_map(|patch| &patch.points).for_each(|&index| is_on[index as usize] = true);
            supports.push(support);
        }
    }
    Background { is_on, supports }
}

#[derive(Clone, Copy)]
struct Plane {
    point: Point,
    normal: Vector,
    tolerance_mm: f64,
}

impl Plane {
    fn holds(&self, own: &OrientedPoint) -> bool {
        self.distance_mm(own).abs() < self.tolerance_mm && own.normal.dot(&self.normal).abs() > MIN_COSINE
    }

    fn distance_mm(&self, own: &OrientedPoint) -> f64 {
        (own.point - self.point).dot(&self.normal)
    }

    /// Some points on it, by connected patches.
    fn patches(&self, points: &[OrientedPoint], own: Vec<u32>, spacing_mm: f64) -> Vec<Patch> {
        let axes = transform::perpendicular_axes(&self.normal);
        let cell_mm = CELL * spacing_mm;
        let mut cells: BTreeMap<[i64; 2], Vec<u32>> = BTreeMap::new();
        for index in own {
            let away = points[index as usize].point - self.point;
            cells.entry(axes.map(|axis| (away.dot(&axis) / cell_mm).floor() as i64)).or_default().push(index);
        }
        let mut patches = Vec::new();
        while let Some((start, first)) = cells.pop_first() {
            let (mut patch, mut pending) = (Patch { points: first, extent: Extent::default() }, vec![start]);
            while let Some([x, y]) = pending.pop() {
                for corner in [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]] {
                    patch.extent.add(corner.map(|own| own as f64 * cell_mm));
                }
                for next in [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]] {
                    if let Some(more) = cells.remove(&next) {
                        patch.points.extend(more);
                        pending.push(next);
                    }
                }
            }
            patches.push(patch);
        }
        patches
    }

    /// It as a support of parts of up to `part_mm`, if other things lie before it, and behind it none but other wide planes.
    fn as_support(
        &self,
        points: &[OrientedPoint],
        oriented: bool,
        viewpoint: Option<Point>,
        patches: &[Patch],
        is_on: &[bool],
        part_mm: f64,
    ) -> Option<Possible> {
        let clear_mm = CLEAR * part_mm;
        // On either side: points of other things, and all.
        let mut counts = [[0_usize; 2]; 2];
        for (point, is_on) in points.iter().zip(is_on) {
            let distance_mm = self.distance_mm(point);
            if distance_mm.abs() > clear_mm {
                let side = &mut counts[usize::from(distance_mm > 0.0)];
                side[0] += usize::from(!is_on);
                side[1] += 1;
            }
        }
        let own = patches.iter().flat_map(|patch| &patch.points);
        // Behind the highest face of a pile lies nothing, either: only before it, where its points face, things lie on it.
        let facing: f64 = own.map(|&index| points[index as usize].normal.dot(&self.normal)).sum();
        let is_up = if oriented { facing > 0.0 } else { counts[1][0] > counts[0][0] };
        let [behind, before] = if is_up { counts } else { [counts[1], counts[0]] };
        let share = |count: usize| count as f64 / points.len() as f64;
        if share(behind[0]) > MAX_BEHIND || share(before[0]) < MIN_BEFORE {
            return None;
        }
        let all: usize = patches.iter().map(|patch| patch.points.len()).sum();
        let large = patches.iter().filter(|patch| patch.points.len() as f64 > MIN_PATCH * all as f64);
        let extent = large.fold(Extent::default(), |sum, patch| sum.with(&patch.extent));
        // Without known sides, only one connected patch is wide enough to be no face of a part.
        let reach_mm = match oriented {
            true => extent.widest(),
            false => patches.iter().map(|patch| patch.extent.widest()).fold(0.0, f64::max),
        };
        let before = if is_up { self.normal } else { -self.normal };
        let axes = transform::perpendicular_axes(&self.normal);
        let support = Support { point: self.point, before, axes, extent };
        let seen_through = viewpoint.map_or(0, |viewpoint| support.seen_through(points, &viewpoint, clear_mm));
        if seen_through as f64 > MAX_SEEN_THROUGH * all as f64 {
            return None;
        }
        Some(Possible { support, reach_mm, is_last: oriented && share(behind[1]) < MAX_BEHIND })
    }
}

/// A plane that may be a support: how wide it is, and whether nothing at all lies behind it.
struct Possible {
    support: Support,
    reach_mm: f64,
    is_last: bool,
}

/// A connected patch of a plane.
struct Patch {
    points: Vec<u32>,
    extent: Extent,
}

/// How far something reaches in its plane, by direction.
#[derive(Debug)]
struct Extent([[f64; 2]; DIRECTIONS]);

impl Default for Extent {
    fn default() -> Self {
        Self([[f64::INFINITY, f64::NEG_INFINITY]; DIRECTIONS])
    }
}

impl Extent {
    fn along([x, y]: [f64; 2], direction: usize) -> f64 {
        // Asked for often, by each probe of each candidate.
        static SINES: LazyLock<[(f64, f64); DIRECTIONS]> = LazyLock::new(|| {
            std::array::from_fn(|number| (std::f64::consts::PI * number as f64 / DIRECTIONS as f64).sin_cos())
        });
        let (sine, cosine) = SINES[direction];
        x * cosine + y * sine
    }

    fn add(&mut self, at: [f64; 2]) {
        for (direction, [low, high]) in self.0.iter_mut().enumerate() {
            let along = Self::along(at, direction);
            (*low, *high) = (low.min(along), high.max(along));
        }
    }

    /// Of both.
    fn with(mut self, other: &Self) -> Self {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = [own[0].min(other[0]), own[1].max(other[1])];
        }
        self
    }

    fn holds(&self, at: [f64; 2]) -> bool {
        let mut directions = self.0.iter().enumerate();
        directions.all(|(direction, [low, high])| (*low..=*high).contains(&Self::along(at, direction)))
    }

    fn widest(&self) -> f64 {
        self.0.iter().map(|[low, high]| high - low).fold(0.0, f64::max)
    }
}

/// The plane that most of some points lie on.
fn widest(points: &[OrientedPoint], left: &[u32], spacing_mm: f64, stream: u64) -> Option<Plane> {
    if left.len() < 50 {
        return None;
    }
    let mut random = Random::new(17, stream);
    let coarse_mm = spacing_mm;
    let step = (left.len() / JUDGES).max(1);
    let judges: Vec<OrientedPoint> = left.iter().step_by(step).map(|&index| points[index as usize]).collect();
    let trials: Vec<Plane> = (0..TRIALS)
        .map(|_| points[left[random.index(left.len())] as usize])
        .map(|own| Plane { point: own.point, normal: own.normal, tolerance_mm: coarse_mm })
        .collect();
    let counts: Vec<usize> =
        trials.par_iter().map(|plane| judges.iter().filter(|own| plane.holds(own)).count()).collect();
    let best = (0..TRIALS).max_by_key(|&index| (counts[index], TRIALS - index))?;
    let mut plane = trials[best];
    for round in 0..4 {
        let on: Vec<&OrientedPoint> = judges.iter().filter(|own| plane.holds(own)).collect();
        if on.len() < 10 {
            return None;
        }
        let centre = Point::from(on.iter().map(|own| own.point.coords).sum::<Vector>() / on.len() as f64);
        let scatter = on.iter().fold(Matrix3::zeros(), |sum, own| {
            let away = own.point - centre;
            sum + away * away.transpose()
        });
        let eigen = SymmetricEigen::new(scatter);
        let normal = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
        plane = Plane { point: centre, normal, ..plane };
        if round == 2 {
            // Noise decides how near the plane is near enough.
            let mut residuals: Vec<f64> = on.iter().map(|own| plane.distance_mm(own).abs()).collect();
            residuals.sort_by(f64::total_cmp);
            let median = residuals.get(residuals.len() / 2).copied().unwrap_or_default();
            plane.tolerance_mm = (6.0 * median).clamp(0.05 * spacing_mm, coarse_mm);
        }
    }
    let is_finite = Aabb::of_points(&[plane.point]).diagonal().is_finite();
    is_finite.then_some(plane)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noisy points of level rectangles, each given by its corners, its height and how many there are on it.
    fn level(seed: u64, rectangles: &[([f64; 2], [f64; 2], f64, usize)]) -> Vec<OrientedPoint> {
        let mut random = Random::new(seed, 0);
        let mut points = Vec::new();
        for &(low, high, height, count) in rectangles {
            for _ in 0..count {
                let mut at = |axis: usize| random.range(low[axis], high[axis]);
                let point = Point::new(at(0), at(1), height + 0.05 * random.normal());
                points.push(OrientedPoint { point, normal: Vector::z() });
            }
        }
        points
    }

    #[test]
    fn a_floor_is_removed_and_a_plate_on_it_is_not() {
        let points = level(
            1,
            &[
                ([-200.0, -200.0], [200.0, 200.0], 0.0, 20_000),
                ([-40.0, -30.0], [40.0, 30.0], 4.0, 4_000),
                ([60.0, -30.0], [140.0, 30.0], 4.0, 4_000),
            ],
        );
        let is_on = on_planes(&points, true, None, 2.0, 100.0).is_on;
        let count = |range: std::ops::Range<usize>| is_on[range].iter().filter(|own| **own).count();
        assert!(count(0..20_000) > 19_800 && count(20_000..28_000) == 0);
        // With parts as large as the floor, it could be one of them.
        assert!(on_planes(&points, true, None, 2.0, 500.0).is_on.iter().all(|own| !own));
    }

    #[test]
    fn plates_side_by_side_under_other_things_are_no_floor() {
        let points = level(
            3,
            &[
                ([-200.0, -200.0], [200.0, 200.0], 0.0, 20_000),
                ([-80.0, -30.0], [0.0, 30.0], 6.0, 4_000),
                ([40.0, -30.0], [120.0, 30.0], 6.0, 4_000),
                ([-30.0, 60.0], [30.0, 100.0], 30.0, 4_000),
            ],
        );
        let background = on_planes(&points, true, None, 2.0, 100.0);
        assert!(background.supports.len() == 1 && background.is_on[20_000..].iter().all(|own| !own));
    }

    /// Steep faces of three things happen to lie in one plane, and the floor is seen between them.
    #[test]
    fn faces_in_one_plane_with_the_floor_seen_between_them_are_no_wall() {
        let mut points =
            level(4, &[([-200.0, -200.0], [200.0, 200.0], 0.0, 20_000), ([-60.0, -90.0], [60.0, -40.0], 60.0, 6_000)]);
        let (others, mut random) = (points.len(), Random::new(5, 0));
        let (normal, along) = (Vector::new(0.0, -0.6, 0.8), Vector::new(0.0, 0.8, 0.6));
        for middle in [-100.0, 0.0, 100.0] {
            for _ in 0..1_500 {
                let (x, up) = (middle + random.range(-15.0, 15.0), random.range(-15.0, 15.0));
                let point = Point::new(x, 0.0, 20.0) + along * up + normal * (0.05 * random.normal());
                points.push(OrientedPoint { point, normal });
            }
        }
        let sensor = Point::new(0.0, -300.0, 500.0);
        let background = on_planes(&points, true, Some(sensor), 2.0, 100.0);
        assert!(background.supports.len() == 1 && background.is_on[others..].iter().all(|own| !own));
    }

    #[test]
    fn a_piece_of_a_wall_is_removed_where_the_floor_ends_at_it() {
        for (floor_to, is_wall) in [(200.0, true), (280.0, false)] {
            let mut random = Random::new(2, 0);
            let mut points = Vec::new();
            let mut draw = |low: [f64; 3], high: [f64; 3], normal: Vector, count: usize| {
                for _ in 0..count {
                    let at = |axis: usize, random: &mut Random| random.range(low[axis], high[axis]);
                    let point = Point::new(at(0, &mut random), at(1, &mut random), at(2, &mut random));
                    points.push(OrientedPoint { point: point + normal * (0.05 * random.normal()), normal });
                }
            };
            draw([-200.0, -200.0, 0.0], [floor_to, 200.0, 0.0], Vector::z(), 20_000);
            draw([-50.0, -30.0, 30.0], [30.0, 30.0, 30.0], Vector::z(), 6_000);
            draw([200.0, -45.0, 0.0], [200.0, 45.0, 40.0], -Vector::x(), 3_000);
            let background = on_planes(&points, true, None, 2.0, 100.0);
            let count = |range: std::ops::Range<usize>| background.is_on[range].iter().filter(|own| **own).count();
            assert!(count(0..20_000) > 19_800 && count(20_000..26_000) == 0);
            assert_eq!(count(26_000..29_000) > 2_900, is_wall);
            assert_eq!(background.supports.len(), if is_wall { 2 } else { 1 });
            let height_mm = |x: f64, y: f64, z: f64| background.supports[0].height_mm(&Point::new(x, y, z));
            assert!((height_mm(10.0, 20.0, 7.0).unwrap() - 7.0).abs() < 0.2 && height_mm(400.0, 0.0, 7.0).is_none());
        }
    }
}
