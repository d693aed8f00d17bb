//! Where what is seen departs from a part that lies there: connected points that are off to one side by more than the noise of the
//! scene, and surface that should be seen and is not. Noise is neither connected nor of one sign; another part, or a defect, is
//! both. What is off is compared with the noise of the scene itself, since the scatter of a misfit cannot judge it.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::Detection;
use super::misfit;
use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;
use super::{score, segments};
use crate::deviation::resolution::rounded_up;
use geometry::point_pairs::OrientedPoint;
use geometry::range_image::Seen;
use geometry::{KdTree, Point, Vector};

/// Distance of the neighbours over which deviations are averaged and by which regions are connected, in spacings, and least cosine
/// between their normals: of faces that meet in an edge, each has its own mean.
const REACH: f64 = 2.5;
const MIN_COSINE: f64 = 0.7;
/// Fewest neighbours that a mean is taken over.
const MIN_NEIGHBOURS: usize = 6;
/// Least mean deviation: as a share of the diameter, since sensors have systematic errors of their own, and in standard deviations
/// of a mean over that many points.
const MIN_DEVIATION: f64 = 1.5e-3;
const MIN_SIGMAS: f64 = 4.0;
/// Share of the neighbours that must be off for a point to lie in a region and not at an edge.
const MIN_OFF: f64 = 0.75;
/// Fewest points of a region that is off, and of missing surface, as many mm² as points of the scene: at its edges, a sensor misses
/// more than it measures wrongly.
const MIN_OFF_POINTS: usize = 12;
/// The same of points that go on with single points of the part alone, where something else that touches it has a few such points.
const MIN_LOOSE_POINTS: usize = 40;
const MIN_MISSING_POINTS: f64 = 20.0;
/// What is always noticed: area and width, in squared and in single spacings, and how far it is off, in limits of a mean. A
/// disc of that area has the points of the smallest region of either kind so far inside that most of their neighbours are off, too,
/// and so has the middle of a strip of that width.
const NOTICEABLE_AREA: f64 = 85.0;
const NOTICEABLE_WIDTH: f64 = 3.5;
const NOTICEABLE_LIMITS: f64 = 1.25;
/// A piece of the scene belongs to a part that explains at least this share of it, or that it lies about as a whole.
const MIN_OF_PIECE: f64 = 0.5;
const MIN_ABOUT: f64 = 0.9;

/// Greatest height of a point of no piece over the plane of one beside it that belongs to the part, as a share of its distance.
const MAX_SLOPE: f64 = 0.2;

/// Where what is seen departs from a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrepancy {
    /// Greatest mean deviation over a few points, signed, + outside, mm; `None` where surface is missing.
    pub deviation_mm: Option<f64>,
    /// Area, mm².
    pub area_mm2: f64,
    /// Its middle, part frame, mm.
    pub at: Point,
}

impl Discrepancy {
    /// In words.
    pub fn sentence(&self) -> String {
        let Self { deviation_mm, area_mm2, at } = self;
        let at = format!("about {:.1}, {:.1}, {:.1} mm on it", at.x, at.y, at.z);
        match deviation_mm {
            Some(deviation_mm) => {
                format!("what is seen there does not fit it: {deviation_mm:+.2} mm off over {area_mm2:.0} mm² {at}")
            }
            None => {
                format!("what is seen there does not fit it: {area_mm2:.0} mm² {at} should be seen and are not there")
            }
        }
    }
}

/// The smallest difference from a part that a scene shows where it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DetectionLimit {
    /// Area of the surface that differs, mm².
    pub area_mm2: f64,
    /// Its width, mm.
    pub width_mm: f64,
    /// By how much it is off, mm.
    pub deviation_mm: f64,
}

impl DetectionLimit {
    /// That of a part in a scene.
    pub fn for_part(model: &PartModel<'_>, scene: &Scene) -> Self {
        let limit_mm = limit_mm(model, scene, MIN_NEIGHBOURS);
        Self {
            area_mm2: NOTICEABLE_AREA * scene.spacing_mm.powi(2),
            width_mm: NOTICEABLE_WIDTH * scene.spacing_mm,
            deviation_mm: NOTICEABLE_LIMITS * limit_mm,
        }
    }

    /// In words.
    pub fn sentence(&self) -> String {
        format!(
            "Where it was measured, surface that differs from the part is noticed from {} mm², {} mm wide and {} mm off: a part \
             that differs by less looks the same.",
            rounded_up(self.area_mm2),
            rounded_up(self.width_mm),
            rounded_up(self.deviation_mm)
        )
    }
}

/// Mean deviation of so many points from which on they are off, mm.
fn limit_mm(model: &PartModel<'_>, scene: &Scene, count: usize) -> f64 {
    (MIN_DEVIATION * model.diameter_mm).max(MIN_SIGMAS * scene.noise_mm / (count as f64).sqrt())
}

/// The largest region where the scene is off a part found, and the largest that is missing. `is_other`: whether a point lies on
/// something else that was found.
pub fn of(own: &Detection, model: &PartModel<'_>, scene: &Scene, is_other: impl Fn(u32) -> bool) -> Vec<Discrepancy> {
    let larger = |a: &Discrepancy, b: &Discrepancy| a.area_mm2.total_cmp(&b.area_mm2);
    let off = off_points(own, model, scene, is_other).into_iter().max_by(larger);
    let missing = missing(own, model, scene).into_iter().max_by(larger);
    off.into_iter().chain(missing).collect()
}

/// Points with a value each, and their neighbours on the same face.
struct Field {
    points: Vec<OrientedPoint>,
    tree: KdTree,
    reach_mm: f64,
}

impl Field {
    fn new(points: Vec<OrientedPoint>, reach_mm: f64) -> Self {
        let positions: Vec<Point> = points.iter().map(|own| own.point).collect();
        Self { tree: KdTree::new(&positions), points, reach_mm }
    }

    /// Neighbours of a point, itself among them.
    fn neighbours(&self, index: usize) -> Vec<usize> {
        let own = &self.points[index];
        let mut found = Vec::new();
        self.tree.within_radius(&own.point, self.reach_mm, |near| found.push(near.number as usize));
        found.retain(|&other| self.points[other].normal.dot(&own.normal) > MIN_COSINE);
        // Sums have one order.
        found.sort_unstable();
        found
    }

    /// Connected groups of those points for which `is_in` holds, by indices.
    fn groups(&self, is_in: &[bool]) -> Vec<Vec<usize>> {
        let mut is_new = is_in.to_vec();
        let mut groups = Vec::new();
        for start in 0..is_new.len() {
            if !std::mem::replace(&mut is_new[start], false) {
                continue;
            }
            let (mut group, mut pending) = (vec![start], vec![start]);
            while let Some(own) = pending.pop() {
                for other in self.neighbours(own) {
                    if std::mem::replace(&mut is_new[other], false) {
                        group.push(other);
                        pending.push(other);
                    }
                }
            }
            groups.push(group);
        }
        groups
    }

    fn middle(&self, group: &[usize]) -> Point {
        let sum: Vector = group.iter().map(|&index| self.points[index].point.coords).sum();
        Point::from(sum / group.len().max(1) as f64)
    }
}

/// Whether a point is of a part, so that it says something against it where it is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Belongs {
    Perhaps,
    Surely,
}

/// Regions in which the points of the pieces that belong to a part are off it.
fn off_points(
    own: &Detection,
    model: &PartModel<'_>,
    scene: &Scene,
    is_other: impl Fn(u32) -> bool,
) -> Vec<Discrepancy> {
    let part_from_scene = Placement::rigid(&own.scene_from_part.inverse());
    let mut near = misfit::near(model, scene, &own.scene_from_part);
    near.retain(|&index| !is_other(index));
    let mut counts: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for &index in &near {
        let count = counts.entry(scene.pieces[index as usize]).or_default();
        count[0] += usize::from(own.points.binary_search(&index).is_ok());
        count[1] += 1;
    }
    counts.remove(&segments::NONE);
    counts.retain(|piece, [on_it, all]| {
        *on_it as f64 >= MIN_OF_PIECE * *all as f64
            || *all as f64 >= MIN_ABOUT * scene.piece_sizes[*piece as usize] as f64
    });
    // At its rim a face has points of no piece: those in its plane go on with it. Narrow faces have no others: those in the plane of
    // single points of the part, or beyond a convex edge, may be of it. Things that touch meet in concave ones.
    let belongs = |index: &u32| {
        let piece = scene.pieces[*index as usize];
        if piece != segments::NONE {
            return counts.contains_key(&piece).then_some(Belongs::Surely);
        }
        let OrientedPoint { point, normal } = &scene.points[*index as usize];
        let with = |other: u32| {
            let beside = &scene.points[other as usize];
            let away = point - beside.point;
            let limit_mm = (MAX_SLOPE * away.norm()).max(MIN_SIGMAS * scene.noise_mm);
            let [over_mm, under_mm] = [away.dot(&beside.normal), -away.dot(normal)];
            let is_piece = counts.contains_key(&scene.pieces[other as usize]);
            let is_single =
                || scene.pieces[other as usize] == segments::NONE && own.points.binary_search(&other).is_ok();
            match over_mm.abs() < limit_mm {
                true if is_piece => Some(Belongs::Surely),
                false if over_mm > 0.0 || under_mm > limit_mm => None,
                _ => (is_piece || is_single()).then_some(Belongs::Perhaps),
            }
        };
        scene.near(point, REACH * scene.spacing_mm).into_iter().filter_map(with).max()
    };
    let (near, belonging): (Vec<u32>, Vec<Belongs>) =
        near.into_par_iter().filter_map(|index| Some((index, belongs(&index)?))).unzip();
    let sure: Vec<u32> =
        near.iter().zip(&belonging).filter(|(_, own)| **own == Belongs::Surely).map(|(index, _)| *index).collect();
    let mut found = regions_off(&sure, MIN_OFF_POINTS, model, scene, &part_from_scene);
    found.extend(regions_off(&near, MIN_LOOSE_POINTS, model, scene, &part_from_scene));
    found
}

/// Regions of at least so many points of a scene that are off a part to one side.
fn regions_off(
    points: &[u32],
    least: usize,
    model: &PartModel<'_>,
    scene: &Scene,
    part_from_scene: &Placement,
) -> Vec<Discrepancy> {
    let to_part = |index: &u32| {
        let point = &scene.points[*index as usize];
        let normal = part_from_scene.direction_to_scene(&point.normal);
        OrientedPoint { point: part_from_scene.in_scene(&point.point), normal }
    };
    let field = Field::new(points.iter().map(to_part).collect(), REACH * scene.spacing_mm);
    let reach_mm = misfit::REACH * model.diameter_mm;
    let deviations_mm: Vec<f64> =
        field.points.par_iter().map(|point| deviation_mm(model, &point.point, reach_mm)).collect();
    // Mean deviation of the neighbours where most of them are off to one side, or 0.
    let mean_mm = |index: usize| {
        let neighbours = field.neighbours(index);
        let mean_mm =
            neighbours.iter().map(|&other| deviations_mm[other]).sum::<f64>() / neighbours.len().max(1) as f64;
        let limit_mm = limit_mm(model, scene, neighbours.len().max(1));
        let off = neighbours.iter().filter(|&&other| deviations_mm[other] * mean_mm.signum() > 0.5 * limit_mm).count();
        let is_off = neighbours.len() >= MIN_NEIGHBOURS
            && mean_mm.abs() > limit_mm
            && off as f64 >= MIN_OFF * neighbours.len() as f64;
        if is_off { mean_mm } else { 0.0 }
    };
    let means_mm: Vec<f64> = (0..field.points.len()).into_par_iter().map(mean_mm).collect();
    let mut found = Vec::new();
    for sign in [1.0, -1.0] {
        let is_off: Vec<bool> = means_mm.iter().map(|mean_mm| mean_mm * sign > 0.0).collect();
        for group in field.groups(&is_off).into_iter().filter(|group| group.len() >= least) {
            found.push(Discrepancy {
                deviation_mm: Some(sign * group.iter().map(|&index| means_mm[index].abs()).fold(0.0, f64::max)),
                area_mm2: group.len() as f64 * scene.spacing_mm.powi(2),
                at: field.middle(&group),
            });
        }
    }
    found
}

/// Signed distance of a position, part frame, from a part, + outside, mm; beyond the rim of its face the distance from that.
fn deviation_mm(model: &PartModel<'_>, position: &Point, reach_mm: f64) -> f64 {
    let Some(near) = model.lattice.nearest(position, reach_mm) else { return 0.0 };
    let (along_mm, distance_mm) = (near.normal.dot(&near.away), near.squared_mm2.sqrt());
    if along_mm < -0.7 * distance_mm { -distance_mm } else { distance_mm }
}

/// Regions of a part that the sensor looks at and sees through.
fn missing(own: &Detection, model: &PartModel<'_>, scene: &Scene) -> Vec<Discrepancy> {
    let Some(image) = &scene.image else { return Vec::new() };
    let placement = Placement::rigid(&own.scene_from_part);
    let facing: Vec<OrientedPoint> =
        model.dense.par_iter().filter(|point| score::faces(model, scene, &placement, point)).copied().collect();
    let sample_mm2 = model.surface.mesh().area_mm2() / model.dense.len().max(1) as f64;
    let field = Field::new(facing, REACH * scene.spacing_mm.max(sample_mm2.sqrt()));
    // Whether it is missing; `None` where nothing was measured, or something hides it. On slanted surfaces, what is measured
    // beside a position is at another range, but in its plane.
    let is_missing = |point: &OrientedPoint| {
        let position = placement.in_scene(&point.point);
        let Seen::Point(index, seen_mm) = image.towards(&position) else { return None };
        let behind_mm = seen_mm - (image.viewpoint - position).norm();
        let over_mm = (scene.points[index as usize].point - position).dot(&placement.direction_to_scene(&point.normal));
        match behind_mm.abs().min(over_mm.abs()) <= own.tolerance_mm {
            true => Some(false),
            false => (behind_mm > 0.0 && over_mm < 0.0).then_some(true),
        }
    };
    let missing: Vec<Option<bool>> = field.points.par_iter().map(is_missing).collect();
    let is_within = |index: usize| {
        let known: Vec<bool> = field.neighbours(index).into_iter().filter_map(|other| missing[other]).collect();
        let count = known.iter().filter(|own| **own).count();
        missing[index] == Some(true) && known.len() >= MIN_NEIGHBOURS && count as f64 >= MIN_OFF * known.len() as f64
    };
    let is_within: Vec<bool> = (0..field.points.len()).into_par_iter().map(is_within).collect();
    let groups = field.groups(&is_within).into_iter().map(|group| Discrepancy {
        deviation_mm: None,
        area_mm2: group.len() as f64 * sample_mm2,
        at: field.middle(&group),
    });
    let least_mm2 = MIN_MISSING_POINTS * scene.spacing_mm.powi(2).max(sample_mm2);
    groups.filter(|own| own.area_mm2 >= least_mm2).collect()
}
