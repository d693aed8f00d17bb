//! Parts that look nearly the same when they are turned: the motions that map a part nearly onto itself, and which way
//! round one lies in a scene.

use nalgebra::{Matrix3, SymmetricEigen};
use rayon::prelude::*;

use super::misfit::{self, Witnesses};
use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;
use super::search::{SAME_POSE, unlike};
use crate::alignment::Information;
use crate::alignment::automatic::about_own_axes;
use base::{Progress, Result};
use compute::Compute as _;
use compute::cpu::Cpu;
use compute::pose_refinement::{MAX_MEMBERS, Request};
use geometry::point_pairs::OrientedPoint;
use geometry::{Point, Pose, Vector, transform};

/// A motion maps a part nearly onto itself: least share of its points that it brings near the surface, and how near, as a
/// share of the diameter; before and after it is fitted. The nearest rotation tried may be off by 3°.
const MIN_SYMMETRIC: f64 = 0.55;
const NEAR: [f64; 2] = [0.03, 0.02];
/// Motions are the same if no point is moved farther from the surface by the one after the inverse of the other than this
/// share of the diameter; and one is none at all.
const SAME: f64 = 2e-3;
const NONE: f64 = 5e-3;
/// Every so many of the dense points tell motions apart.
const STEP: usize = 4;
/// The mirror image of a part may be taken for it where a motion brings at least this share of its points near the surface.
const MIN_MIRRORED: f64 = 0.4;
/// Most motions that are fitted for that.
const MAX_MIRRORED: usize = 80;
/// Turned poses that are fitted to a scene, of those that explain it best; and how much more than the given pose they may
/// misfit it before.
const FITTED: usize = 6;
const MAX_ROUGH: f64 = 2.0;
/// Steps all around an axis that a fit leaves open, of a candidate and of a part found: a key that few points show fits only where
/// the part is turned to a degree. And the share of the largest eigenvalue below which an axis is open.
const OPEN_STEPS: usize = 72;
const FINE_STEPS: usize = 288;
const OPEN_RATIO: f64 = 1e-2;
/// Of an axis that a part has: least angle of the turn that tells it, rad, and how far that may shift along it, as a share of its
/// shift. It is beside another: least cosine of the angle between them, and greatest distance, as a share of the diameter.
const MIN_TURN: f64 = 0.5;
const MAX_SHIFT: f64 = 0.05;
const BESIDE_COSINE: f64 = 0.996;
const BESIDE: f64 = 0.03;

/// The motions, other than its true symmetries, that map a part nearly onto itself; part frame.
pub fn turns(model: &PartModel<'_>) -> Result<Vec<Pose>> {
    let starts = about_own_axes(&model.pairs.points);
    let turns = onto_itself(model, &model.pairs.points, &starts, MIN_SYMMETRIC)?;
    let is_none = |turn: &Pose| looks_like(model, &Placement::rigid(turn), NONE);
    Ok(turns.into_iter().filter(|turn| !is_none(turn)).collect())
}

/// How the mirror image of a part may be taken for it.
pub struct MirrorImage {
    /// The part mirrored in a plane through the centroid of its surface; part frame.
    pub mirror: Placement,
    /// The motions that map the mirrored part nearly onto the part; none if one does so exactly, as then it is its own mirror
    /// image.
    pub turns: Vec<Pose>,
}

impl MirrorImage {
    /// Of a part that is its own.
    pub fn none() -> Self {
        Self { mirror: Placement::rigid(&Pose::identity()), turns: Vec::new() }
    }
}

/// The mirror image of a part.
pub fn mirror_image(model: &PartModel<'_>) -> Result<MirrorImage> {
    let points = &model.pairs.points;
    let centroid = Point::from(points.iter().map(|own| own.point.coords).sum::<Vector>() / points.len().max(1) as f64);
    let spread = points.iter().fold(Matrix3::zeros(), |sum, own| {
        let away = own.point - centroid;
        sum + away * away.transpose()
    });
    let axes = SymmetricEigen::new(spread).eigenvectors;
    // In a plane of its inertia, so that the turns about the axes of that lead from it to all other planes through these.
    let mirror = Placement::mirrored(&centroid, &axes.column(0).into_owned());
    let mirrored = |own: &OrientedPoint| OrientedPoint {
        point: mirror.in_scene(&own.point),
        normal: mirror.direction_to_scene(&own.normal),
    };
    let all: Vec<OrientedPoint> = points.iter().map(mirrored).collect();
    // And in the planes through the middle of its box: a hole displaces the centroid.
    let in_box = (0..3).map(|axis| {
        let turn = Placement::mirrored(&model.centre(), &Vector::ith(axis, 1.0)).after(&mirror);
        turn.as_pose()
    });
    let starts: Vec<Pose> = about_own_axes(points).into_iter().chain([Pose::identity()]).chain(in_box).collect();
    let turns = onto_itself(model, &all, &nearest(model, &all, starts), MIN_MIRRORED)?;
    let is_itself = |turn: &Pose| looks_like(model, &Placement::rigid(turn).after(&mirror), SAME);
    let turns = if turns.iter().any(is_itself) { Vec::new() } else { turns };
    Ok(MirrorImage { mirror, turns })
}

/// Of some motions, those that bring most points of a part's mirror image near its surface.
fn nearest(model: &PartModel<'_>, points: &[OrientedPoint], starts: Vec<Pose>) -> Vec<Pose> {
    let limit_mm = NEAR[0] * model.diameter_mm;
    let near = |turn: &Pose| points.iter().filter(|own| model.is_near(&(turn * own.point), limit_mm)).count();
    let counted = starts.into_par_iter().map(|turn| (near(&turn), turn));
    let mut counted: Vec<(usize, Pose)> = counted.collect();
    counted.sort_by_key(|own| std::cmp::Reverse(own.0));
    counted.into_iter().take(MAX_MIRRORED).map(|(_, turn)| turn).collect()
}

/// Whether no point of a part is farther from its surface than a share of the diameter when it is moved.
fn looks_like(model: &PartModel<'_>, moved: &Placement, share: f64) -> bool {
    let is_near = |own: &OrientedPoint| model.is_near(&moved.in_scene(&own.point), share * model.diameter_mm);
    model.dense.iter().step_by(STEP).all(is_near)
}

/// The motions near some that map points of a part, or of its mirror image, nearly onto its surface: a share of them.
fn onto_itself(model: &PartModel<'_>, points: &[OrientedPoint], starts: &[Pose], min_share: f64) -> Result<Vec<Pose>> {
    let is_near = |turn: &Pose, share: f64| {
        let limit_mm = share * model.diameter_mm;
        let near = points.iter().filter(|own| model.is_near(&(turn * own.point), limit_mm));
        near.count() as f64 >= min_share * points.len() as f64
    };
    let starts: Vec<Pose> = starts.par_iter().filter(|turn| is_near(turn, NEAR[0])).copied().collect();
    let request = Request {
        lattice: &model.lattice,
        centre: model.centre(),
        radius_mm: 0.5 * model.diameter_mm,
        scene: points,
        oriented: true,
        is_rough: false,
        part_from_scene: &starts,
        gates_mm: NEAR.map(|share| share * model.diameter_mm),
        min_cosine: 0.5,
        max_points: points.len().min(MAX_MEMBERS),
        max_steps: 20,
        step_limit_mm: 1e-5 * model.diameter_mm,
    };
    let fitted = Cpu.compute(&request, &Progress::silent())?;
    let mut turns: Vec<Pose> = Vec::new();
    for turn in fitted.into_iter().flatten().map(|own| own.part_from_scene) {
        let is_same = |other: &Pose| looks_like(model, &Placement::rigid(&(other.inverse() * turn)), SAME);
        if is_near(&turn, NEAR[1]) && !turns.iter().any(is_same) {
            turns.push(turn);
        }
    }
    Ok(turns)
}

/// A pose and those turned from it, as they fit a scene.
pub struct Turned {
    /// The one that fits best, where another does so than the given one.
    pub best: Option<Pose>,
    /// Whether it fits clearly better than the given one.
    pub is_clear: bool,
    /// Those that fit about as well as the best and look like neither it nor the given one.
    pub others: Vec<Pose>,
}

/// An axis: a point on it, mm, and its direction.
type Axis = (Point, Vector);

/// The axis about which a motion turns, if it turns by much and hardly shifts along it.
fn axis_of(turn: &Pose) -> Option<Axis> {
    let (direction, angle) = turn.rotation.axis_angle().filter(|(_, angle)| *angle > MIN_TURN)?;
    let shift = turn.translation.vector;
    let along = direction.dot(&shift);
    let across = shift - direction.into_inner() * along;
    let is_turn = along.abs() <= MAX_SHIFT * (shift.norm() + 1.0);
    let on_axis = 0.5 * (across + direction.cross(&across) / (0.5 * angle).tan());
    is_turn.then(|| (on_axis.into(), direction.into_inner()))
}

/// Of the axes about which a part turns nearly onto itself, the one beside an axis that a fit leaves open, which the noise of
/// the scan has displaced; without one, that.
fn own_axis(model: &PartModel<'_>, open: Axis) -> Axis {
    let from_centre = |(on_axis, direction): &Axis| {
        let to_axis = on_axis - model.centre();
        to_axis - direction * direction.dot(&to_axis)
    };
    let is_beside = |own: &Axis| {
        own.1.dot(&open.1).abs() > BESIDE_COSINE
            && (from_centre(own) - from_centre(&open)).norm() < BESIDE * model.diameter_mm
    };
    // Of a turn by much, the axis is known best.
    let turns = model.turns.iter().map(|turn| (turn.rotation.angle(), turn));
    let beside = turns.filter_map(|(angle, turn)| Some((angle, axis_of(turn).filter(is_beside)?)));
    beside.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(open, |(_, axis)| axis)
}

/// Turns about the axes that a fit leaves open, all around; part frame.
pub fn open_turns(model: &PartModel<'_>, fit: &Information) -> Vec<Pose> {
    open_axes(model, fit).flat_map(|open| all_around(open, OPEN_STEPS)).collect()
}

/// The same in finer steps, about the part's own axes.
pub fn fine_turns(model: &PartModel<'_>, fit: &Information) -> Vec<Pose> {
    open_axes(model, fit).flat_map(|open| all_around(own_axis(model, open), FINE_STEPS)).collect()
}

fn open_axes(model: &PartModel<'_>, fit: &Information) -> impl Iterator<Item = Axis> {
    let lever_mm = 0.5 * model.diameter_mm;
    fit.weak_motions(lever_mm, OPEN_RATIO).into_iter().filter_map(move |own| own.axis(lever_mm))
}

fn all_around((on_axis, axis): Axis, steps: usize) -> impl Iterator<Item = Pose> {
    let turn = move |step: usize| axis * (std::f64::consts::TAU * step as f64 / steps as f64);
    (1..steps).map(move |step| transform::step_about(&on_axis, turn(step), Vector::zeros()))
}

/// A part as it lies in a scene.
pub struct Lying<'a> {
    model: &'a PartModel<'a>,
    witnesses: Witnesses,
    /// Maps the part into the scene, as its points fit best.
    scene_from_part: Pose,
    misfit: f64,
}

impl<'a> Lying<'a> {
    /// About where it lies. `None` if there is too little about it.
    pub fn new(model: &'a PartModel<'a>, scene: &Scene, scene_from_part: &Pose) -> Option<Self> {
        let witnesses = Witnesses::about(model, scene, scene_from_part);
        let about = std::slice::from_ref(scene_from_part);
        let (misfit, scene_from_part) = witnesses.fitted(model, about, misfit::CLOSE_GATE).pop().flatten()?;
        Some(Self { model, witnesses, scene_from_part, misfit })
    }

    /// It, turned by some turns, part frame.
    pub fn turned(&self, turns: &[Pose]) -> Turned {
        let Self { model, ref witnesses, scene_from_part: own, misfit } = *self;
        let most = MAX_ROUGH * witnesses.roughly(model, &own);
        let rough = turns.par_iter().map(|turn| own * turn).map(|pose| (witnesses.roughly(model, &pose), pose));
        let mut rough: Vec<(f64, Pose)> = rough.filter(|(rough, _)| *rough < most).collect();
        rough.sort_by(|a, b| a.0.total_cmp(&b.0));
        rough.truncate(FITTED);
        let turned: Vec<Pose> = rough.into_iter().map(|(_, pose)| pose).collect();
        let fitted = witnesses.best_fitted(model, &turned, misfit::GATE).into_iter();
        let is_another = |(_, pose): &(f64, Pose)| !model.is_within(pose, &own, NONE * model.diameter_mm);
        let (mut all, alike): (Vec<_>, Vec<_>) = fitted.partition(is_another);
        // Of those that look like it, one may fit closer: the fit that began at the given pose ended beside it.
        let closer =
            alike.into_iter().filter(|own| misfit - own.0 > misfit::DECIDES).min_by(|a, b| a.0.total_cmp(&b.0));
        let of_alike = closer.map_or(misfit, |own| own.0);
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = all.first().map_or(of_alike, |best| of_alike.min(best.0));
        all.retain(|own| own.0 - least < misfit::DECIDES);
        let all = unlike(model, all, SAME_POSE, |(_, pose)| pose);
        let is_best = all.first().is_some_and(|best| best.0 < of_alike);
        let best = if is_best { all.first().map(|best| best.1) } else { closer.map(|own| own.1) };
        let others = all.into_iter().skip(usize::from(is_best)).map(|(_, pose)| pose).collect();
        Turned { best, is_clear: misfit - least > misfit::DECIDES, others }
    }
}

#[cfg(test)]
mod tests {
    use super::super::refinement;
    use super::*;
    use base::random::Random;
    use geometry::mesh::shapes;
    use geometry::sampling::{self, SurfaceSample};
    use geometry::{Cloud, Surface};

    /// A plate, with a mark near one corner of its upper face if wanted.
    fn plate(is_marked: bool) -> Surface {
        let mut mesh = shapes::cuboid(Point::new(-30.0, -18.0, 0.0), Point::new(30.0, 18.0, 10.0));
        if is_marked {
            mesh.append(&shapes::cuboid(Point::new(18.0, 8.0, 10.0), Point::new(24.0, 14.0, 11.0)));
        }
        Surface::new(mesh)
    }

    /// Noisy points of a part on the sides whose normals, part frame, point along some direction.
    fn scan(surface: &Surface, pose: &Pose, along: &Vector) -> Scene {
        let mut random = Random::new(3, 0);
        // The underside of the mark lies inside.
        let is_inside = |own: &SurfaceSample| own.normal.z < -0.5 && own.point.z > 5.0;
        // From below, the plate hides it.
        let is_hidden = |own: &SurfaceSample| along.z < 0.0 && own.point.z > 10.0;
        let is_seen = |own: &SurfaceSample| own.normal.dot(along) > 0.2 && !is_inside(own) && !is_hidden(own);
        let seen = sampling::by_area(surface.mesh(), 12_000, 5).into_iter().filter(is_seen);
        let noisy = |point: Point| point + Vector::from_fn(|_, _| 0.05 * random.normal());
        let points: Vec<Point> = seen.map(|own| own.point).map(noisy).map(|point| pose * point).collect();
        Scene::new(&Cpu, &Cloud::from_points(points), 70.0, &Progress::silent()).unwrap()
    }

    #[test]
    fn true_symmetries_are_none_and_a_marked_part_has_its_turns() {
        let (plain, marked) = (plate(false), plate(true));
        let model = PartModel::new("plain", &plain).unwrap();
        assert!(model.turns.iter().all(|turn| !model.is_within(turn, &Pose::identity(), 1e-3)));
        let model = PartModel::new("marked", &marked).unwrap();
        let half = Pose::rotation(Vector::z() * std::f64::consts::PI);
        let off = |turn: &Pose| (turn.inverse() * half).rotation.angle().to_degrees();
        assert!(
            model.turns.iter().any(|turn| off(turn) < 0.2),
            "{:?}",
            model.turns.iter().map(off).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_turned_part_is_turned_back_where_its_mark_is_seen_and_else_both_are_named() {
        let marked = plate(true);
        let model = PartModel::new("marked", &marked).unwrap();
        let pose = Pose::new(Vector::new(4.0, 5.0, 6.0), Vector::new(0.3, -0.2, 0.9));
        let turned = pose * Pose::rotation(Vector::z() * std::f64::consts::PI);
        let off_deg = |own: &Pose| (own.inverse() * pose).rotation.angle().to_degrees();
        let seen = scan(&marked, &pose, &Vector::new(0.5, 0.4, 1.0));
        let found = Lying::new(&model, &seen, &turned).unwrap().turned(&model.turns);
        assert!(found.is_clear && found.best.is_some_and(|best| off_deg(&best) < 0.5) && found.others.is_empty());
        let found = Lying::new(&model, &seen, &pose).unwrap().turned(&model.turns);
        assert!(found.best.is_none() && found.others.is_empty(), "{:?} {:?}", found.best, found.others);
        let hidden = scan(&marked, &pose, &Vector::new(0.5, 0.4, -1.0));
        let found = Lying::new(&model, &hidden, &turned).unwrap().turned(&model.turns);
        let named = found.best.iter().chain(&found.others);
        assert!(!found.is_clear && named.into_iter().any(|own| off_deg(own) < 0.5), "{:?}", found.others);
    }

    /// A ring with a key on its rim: any turn about its axis explains most of what is seen.
    #[test]
    fn a_part_that_may_turn_is_turned_to_where_its_key_is_seen() {
        let mut mesh = shapes::torus(24.0, 8.0, 72, 36);
        mesh.append(&shapes::cuboid(Point::new(30.0, -4.0, -3.0), Point::new(38.0, 4.0, 3.0)));
        let ring = Surface::new(mesh);
        let model = PartModel::new("ring", &ring).unwrap();
        let pose = Pose::new(Vector::new(4.0, 5.0, 6.0), Vector::new(0.3, -0.2, 0.9));
        let seen = scan(&ring, &pose, &Vector::z());
        let turned = pose * Pose::rotation(Vector::z() * 1.8);
        let points = seen.sample(2.0, |_| true);
        let fit = refinement::last(&model, &seen, &points, &turned, &Progress::silent()).unwrap();
        let turns = open_turns(&model, &fit.information);
        assert!(turns.len() >= OPEN_STEPS - 1, "{:?}", fit.information.weakest);
        let found = Lying::new(&model, &seen, &fit.nominal_from_scan.inverse()).unwrap().turned(&turns);
        let off_deg = found.best.map(|best| (best.inverse() * pose).rotation.angle().to_degrees());
        assert!(found.is_clear && off_deg.is_some_and(|own| own < 0.5), "{off_deg:?}");
        // Noise has displaced the axis that a fit leaves open; the part's own is known.
        let tilted = (Point::new(0.3, -0.4, 5.0), Vector::new(0.02, 0.01, -1.0).normalize());
        let (on_axis, axis) = own_axis(&model, tilted);
        assert!(axis.z.abs() > 0.999_99 && axis.cross(&on_axis.coords).norm() < 0.05, "{on_axis} {axis}");
        let elsewhere = (Point::new(0.0, 20.0, 0.0), Vector::z());
        assert_eq!(own_axis(&model, elsewhere), elsewhere);
        // Where it is, nothing is better.
        let found = Lying::new(&model, &seen, &pose).unwrap().turned(&turns);
        assert!(found.best.is_none_or(|best| (best.inverse() * pose).rotation.angle().to_degrees() < 0.5));
    }
}
