//! What became of the points that a fit rejected. Rejection for a shape is one thing, for its form another: points that
//! lie together are a defect or the surface of something else, never noise.
//!
//! Of the rejected points, form, profiles and datums leave out those alone that stand by themselves, farther off their
//! neighbours than noise makes ([`Roughness::spikes`]): outliers such as a sensor measures in reflections (ISO 16610-1
//! speaks of outliers as local, not of the feature; the text was not available to check against). All others count, and
//! where they lie together it is said where.

use geometry::kd_tree::Neighbours;
use geometry::transform::perpendicular_axes;
use geometry::{DisjointSets, KdTree, Point, Pose, Vector};

use super::Shape;
use super::element::Line;
use super::fitting::SPIKE_SIGMAS;
use super::noise::Roughness;

/// Number of rejected points from which on they are a group: in 10,000 points of white noise with a limit of three
/// standard deviations, as many lie together in one of 1,000 scans.
const MIN_GROUP_POINTS: usize = 6;
/// Greatest distance of neighbours in a group, in spacings of the points about them.
const LINK_SPACINGS: f64 = 2.0;
/// Number of neighbours that tell a single outlier where there are too few points to tell their noise.
const FEW_NEIGHBOURS: usize = 4;

/// Rejected points that lie together.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedGroup {
    /// Number of points.
    pub points: usize,
    /// The farthest of them from the shape, scan frame.
    pub at: Point,
    /// Its distance from the shape, mm.
    pub distance_mm: f64,
}

/// What became of the points that a fit rejected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rejection {
    /// Indices of those that stand by themselves, ascending: outliers that form, profiles and datums leave out.
    pub isolated: Vec<u32>,
    /// The farthest of these from the shape, scan frame, and its distance, mm.
    pub farthest: Option<(Point, f64)>,
    /// Number of the others: they count in form, profiles and datums.
    pub counted: usize,
    /// Groups of at least six that lie together, largest first.
    pub groups: Vec<RejectedGroup>,
    /// Maximum minus minimum distance of all points but the isolated ones, mm; `None` if none of the rejected points
    /// count. Of lines the diameter of the tube around them.
    pub form_error_mm: Option<f64>,
}

impl Rejection {
    /// Of points fitted by a shape, with the ascending indices of those that the fit rejected and its limit for spikes.
    pub fn of_shape(shape: &Shape, points: &[Point], rejected: &[u32], spike_sigmas: Option<f64>) -> Self {
        if rejected.is_empty() {
            return Self::default();
        }
        let signed = match *shape {
            Shape::Circle { centre, normal, radius } => {
                let axis = Line { point: centre, direction: normal };
                vec![points.iter().map(|point| axis.distance(point) - radius).collect()]
            }
            Shape::Line { point, direction } => {
                let along = |axis: &Vector| points.iter().map(|own| (own - point).dot(axis)).collect();
                perpendicular_axes(&direction).iter().map(along).collect()
            }
            _ => vec![points.iter().map(|point| shape.distance(point)).collect::<Vec<f64>>()],
        };
        Self::of_distances(&signed, points, rejected, spike_sigmas)
    }

    /// As [`Self::of_shape`], by the signed distances of the points, mm; of lines in the two directions across them.
    pub fn of_distances(signed_mm: &[Vec<f64>], points: &[Point], rejected: &[u32], spike_sigmas: Option<f64>) -> Self {
        if rejected.is_empty() {
            return Self::default();
        }
        let size = |index: u32| {
            let squares: f64 = signed_mm.iter().map(|own| own[index as usize].powi(2)).sum();
            if let [one] = signed_mm { one[index as usize] } else { squares.sqrt() }
        };
        let mut isolated: Vec<u32> =
            signed_mm.iter().flat_map(|own| single(points, own, rejected, spike_sigmas)).collect();
        isolated.sort_unstable();
        isolated.dedup();
        let farthest = isolated.iter().copied().max_by(|one, other| size(*one).abs().total_cmp(&size(*other).abs()));
        let others: Vec<u32> = rejected.iter().copied().filter(|own| isolated.binary_search(own).is_err()).collect();
        let kept = (0..points.len() as u32).filter(|own| isolated.binary_search(own).is_err());
        let (low, high) =
            kept.map(size).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(own), high.max(own)));
        let form_mm = if signed_mm.len() > 1 { 2.0 * high } else { high - low };
        Self {
            farthest: farthest.map(|own| (points[own as usize], size(own))),
            counted: others.len(),
            groups: groups(points, &others, size),
            form_error_mm: (!others.is_empty()).then_some(form_mm),
            isolated,
        }
    }

    /// The points that form, profiles and datums are taken from.
    pub fn kept<T: Copy>(&self, values: &[T]) -> Vec<T> {
        let kept = (0_u32..).zip(values).filter(|(index, _)| self.isolated.binary_search(index).is_err());
        kept.map(|(_, value)| *value).collect()
    }

    /// What became of them, in parts of a sentence, with positions in the frame of `to_from_scan`; empty if none was
    /// rejected.
    pub fn words(&self, to_from_scan: &Pose) -> Vec<String> {
        let at = |point: &Point| {
            let point = to_from_scan * point;
            format!("({}, {}, {})", base::signed(point.x, 2), base::signed(point.y, 2), base::signed(point.z, 2))
        };
        let mut words = Vec::new();
        if let Some((point, distance_mm)) = &self.farthest {
            let (count, far) = (self.isolated.len(), base::signed(*distance_mm, 4));
            words.push(if count == 1 {
                format!("1 isolated point left out as an outlier, {far} mm from the shape at {}", at(point))
            } else {
                format!(
                    "{count} isolated points left out as outliers, the farthest {far} mm from the shape at {}",
                    at(point)
                )
            });
        }
        if self.counted > 0 {
            words.push(format!("{} points count that the fit of the shape rejected", self.counted));
        }
        if let Some(largest) = self.groups.first() {
            let far = base::signed(largest.distance_mm, 4);
            let count = self.groups.len();
            words.push(if count == 1 {
                format!(
                    "{} of them lie together, a defect or another face, up to {far} mm from the shape at {}",
                    largest.points,
                    at(&largest.at)
                )
            } else {
                format!(
                    "they lie together in {count} groups, defects or other faces, the largest of {} points up to {far} mm \
                     from the shape at {}",
                    largest.points,
                    at(&largest.at)
                )
            });
        }
        words
    }
}

/// Indices of the rejected points that stand by themselves.
fn single(points: &[Point], distances_mm: &[f64], rejected: &[u32], spike_sigmas: Option<f64>) -> Vec<u32> {
    if let Some(roughness) = Roughness::of(points, distances_mm) {
        let spikes = roughness.spikes(spike_sigmas.unwrap_or(SPIKE_SIGMAS));
        return spikes.into_iter().filter(|own| rejected.binary_search(own).is_ok()).collect();
    }
    // Too few points to tell their noise: those of which no neighbour lies as far off on the same side.
    let tree = KdTree::new(points);
    let mut neighbours = Neighbours::default();
    let mut is_single = |index: &u32| {
        tree.k_nearest(&points[*index as usize], FEW_NEIGHBOURS + 1, f64::INFINITY, &mut neighbours);
        let own = distances_mm[*index as usize];
        let mut others = neighbours.found.iter().map(|near| near.number).filter(|near| near != index);
        !others.any(|near| (distances_mm[near as usize] - own).abs() <= 0.5 * own.abs())
    };
    rejected.iter().copied().filter(|index| is_single(index)).collect()
}

/// Groups of rejected points that lie together, largest first.
fn groups(points: &[Point], rejected: &[u32], size: impl Fn(u32) -> f64) -> Vec<RejectedGroup> {
    if rejected.len() < MIN_GROUP_POINTS {
        return Vec::new();
    }
    // The spacing is that of all points: rejected ones alone lie far apart.
    let (all, mut neighbours) = (KdTree::new(points), Neighbours::default());
    let among: Vec<Point> = rejected.iter().map(|own| points[*own as usize]).collect();
    let tree = KdTree::new(&among);
    let mut sets = DisjointSets::new(among.len());
    for (index, point) in (0_u32..).zip(&among) {
        let reach_mm = LINK_SPACINGS * all.local_spacing_mm(point, &mut neighbours);
        tree.within_radius(point, reach_mm, |near| {
            // A bump beside a dent is another defect.
            if size(rejected[index as usize]) * size(rejected[near.number as usize]) > 0.0 {
                sets.join(index, near.number);
            }
        });
    }
    let mut groups = sets.groups(0..among.len() as u32);
    groups.retain(|own| own.len() >= MIN_GROUP_POINTS);
    let group = |members: &Vec<u32>| {
        let indices = members.iter().map(|own| rejected[*own as usize]);
        let farthest = indices.max_by(|one, other| size(*one).abs().total_cmp(&size(*other).abs())).unwrap_or_default();
        RejectedGroup { points: members.len(), at: points[farthest as usize], distance_mm: size(farthest) }
    };
    let mut groups: Vec<RejectedGroup> = groups.iter().map(group).collect();
    groups.sort_by(|one, other| {
        other.points.cmp(&one.points).then(other.distance_mm.abs().total_cmp(&one.distance_mm.abs()))
    });
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Kind, Options, fit};
    use base::{Progress, random::Random};

    /// What is planted on a surface, by its two coordinates, mm.
    type Planted = fn(f64, f64) -> f64;

    fn nothing(_: f64, _: f64) -> f64 {
        0.0
    }

    fn bump_and_dent(u: f64, v: f64) -> f64 {
        let bump = if (u - 12.0).hypot(v - 10.0) < 3.0 { 0.35 } else { 0.0 };
        bump + if (u - 28.0).hypot(v - 20.0) < 3.0 { -0.3 } else { 0.0 }
    }

    fn strip(u: f64, _: f64) -> f64 {
        if (u - 20.0).abs() < 0.35 { -0.25 } else { 0.0 }
    }

    fn small_dent(u: f64, v: f64) -> f64 {
        if (u - 12.0).hypot(v - 10.0) < 0.9 { -0.2 } else { 0.0 }
    }

    /// Random points over 40 x 30 mm, mean spacing 0.4 mm, with noise of 0.01 mm, a defect, and 9 fly points of 0.4 to
    /// 1 mm; as coordinates and deviation.
    fn measured(seed: u64, planted: Planted) -> Vec<[f64; 3]> {
        let mut random = Random::new(seed, 0xFACE);
        let mut points: Vec<[f64; 3]> = (0..7500)
            .map(|_| {
                let (u, v) = (random.range(0.0, 40.0), random.range(0.0, 30.0));
                [u, v, planted(u, v) + 0.01 * random.normal()]
            })
            .collect();
        for fly in 0..9_usize {
            let at = 600 * fly + 17;
            points[at][2] += random.range(0.4, 1.0) * if fly % 2 == 0 { 1.0 } else { -1.0 };
        }
        points
    }

    fn truth_mm(planted: Planted) -> f64 {
        let all = (0..400 * 300).map(|i| planted(f64::from(i % 400) * 0.1, f64::from(i / 400) * 0.1));
        let (low, high) = all.fold((0.0_f64, 0.0_f64), |(low, high), own| (low.min(own), high.max(own)));
        high - low
    }

    /// On a plane, a cylinder and a sphere: a clip for the shape takes defects out of the shape, never out of the form, and
    /// fly points stay out of both.
    #[test]
    fn planted_defects_count_in_the_form_and_fly_points_do_not() {
        let radius = 40.0 / std::f64::consts::TAU * 1.5;
        let cylinder = |[u, v, off]: [f64; 3]| {
            let (sin, cos) = (u / radius).sin_cos();
            Point::new((radius + off) * cos, (radius + off) * sin, v)
        };
        let plane = |[u, v, off]: [f64; 3]| Point::new(u, v, off);
        type Onto<'a> = &'a dyn Fn([f64; 3]) -> Point;
        for (kind, onto) in [(Kind::Plane, &plane as Onto<'_>), (Kind::Cylinder, &cylinder)] {
            for (number, planted) in [nothing as Planted, bump_and_dent, strip, small_dent].into_iter().enumerate() {
                let points: Vec<Point> = measured(number as u64, planted).into_iter().map(onto).collect();
                let options = Options { clip_sigmas: Some(3.0), ..Options::default() };
                let fitted = fit(kind, &points, &[], &options, &Progress::silent()).unwrap();
                let found = Rejection::of_shape(&fitted.shape, &points, &fitted.dropped, None);
                let form_mm = found.form_error_mm.unwrap();
                // Both extremes of the noise, at most.
                let range = truth_mm(planted)..truth_mm(planted) + 0.095;
                assert!(range.contains(&form_mm), "{kind:?} {number}: {form_mm} of {range:?}, {found:?}");
                assert_eq!(found.isolated.len(), 9, "{kind:?} {number}: {found:?}");
                assert!(found.isolated.iter().all(|own| (own - 17) % 600 == 0), "{found:?}");
                assert_eq!(found.isolated.len() + found.counted, fitted.dropped.len());
                // A strip of scattered points may fall apart where they lie thin.
                let expected = [0..=0, 2..=2, 1..=2, 1..=1][number].clone();
                assert!(expected.contains(&found.groups.len()), "{kind:?} {number}: {found:?}");
                assert_eq!(found.kept(&points).len(), points.len() - 9);
            }
        }
    }

    #[test]
    fn of_few_points_only_a_single_one_is_an_outlier() {
        let grid = |dented: &[u32]| -> Vec<Point> {
            let height = |i: u32| if dented.contains(&i) { -0.3 } else { 0.001 * f64::from(i % 3) };
            (0..24).map(|i| Point::new(f64::from(i % 6), f64::from(i / 6), height(i))).collect()
        };
        let shape = Shape::Plane { point: Point::origin(), normal: Vector::z() };
        let one = Rejection::of_shape(&shape, &grid(&[8]), &[8], None);
        assert!(one.isolated == [8] && one.counted == 0 && one.form_error_mm.is_none(), "{one:?}");
        let two = Rejection::of_shape(&shape, &grid(&[8, 9]), &[8, 9], None);
        assert!(two.isolated.is_empty() && two.counted == 2 && two.form_error_mm.unwrap() > 0.29, "{two:?}");
    }

    #[test]
    fn words_say_how_many_where_and_why() {
        let points: Vec<Point> = measured(1, bump_and_dent).into_iter().map(Point::from).collect();
        let options = Options { clip_sigmas: Some(3.0), ..Options::default() };
        let fitted = fit(Kind::Plane, &points, &[], &options, &Progress::silent()).unwrap();
        let words = Rejection::of_shape(&fitted.shape, &points, &fitted.dropped, None)
            .words(&Pose::translation(100.0, 0.0, 0.0));
        assert!(words[0].starts_with("9 isolated points left out as outliers, the farthest"), "{words:?}");
        assert!(words[1].ends_with("points count that the fit of the shape rejected"), "{words:?}");
        assert!(words[2].starts_with("they lie together in 2 groups, defects or other faces"), "{words:?}");
        assert!(
            words[2].contains("at (+112") || words[2].contains("at (+128") || words[2].contains("at (+1"),
            "{words:?}"
        );
        assert!(Rejection::default().words(&Pose::identity()).is_empty());
    }
}
