//! How well a pose of a part explains a scene: what of the part is seen, hidden, or missing where it should be seen.

use super::model::PartModel;
use super::range_image::Seen;
use super::scene::Scene;
use geometry::point_pairs::OrientedPoint;
use geometry::{Point, Pose};
use serde::{Deserialize, Serialize};

/// Least cosine between a probe's normal and the line of sight at which it counts as facing the sensor (73°): less is
/// returned from flatter surfaces, if anything.
const MIN_FACING: f64 = 0.3;
/// Least cosine between the normals of a probe and of the point that explains it.
pub const MIN_AGREEMENT: f64 = 0.6;

/// How much a probe that is missing, or tilted, weighs against one that is explained.
const MISSING_AGAINST: f64 = 2.0;
const TILTED_AGAINST: f64 = 0.5;
/// How much an unknown probe counts as facing the sensor.
const UNKNOWN_FACES: f64 = 0.3;

/// What became of the probes of a part in a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Probes that the sensor would see if nothing else were there.
    pub facing: u32,
    /// Of these: measured where they should be.
    pub explained: u32,
    /// The scene lies behind them: nothing is where the part should be.
    pub missing: u32,
    /// The scene lies before them.
    pub hidden: u32,
    /// At their position, but with another direction of the surface.
    pub tilted: u32,
    /// Nothing was measured towards them, or they lie in the floor: unknown.
    pub unknown: u32,
}

impl Terms {
    /// Share of the part's outer surface facing the sensor that was measured, 0 to 1.
    pub fn visible_fraction(&self) -> f64 {
        f64::from(self.explained) / f64::from(self.facing.max(1))
    }

    /// Share of what can be said of the facing surface that speaks for the pose, 0 to 1.
    pub fn agreement(&self) -> f64 {
        let explained = f64::from(self.explained);
        explained / (explained + f64::from(self.missing) + TILTED_AGAINST * f64::from(self.tilted)).max(1.0)
    }

    /// By which poses are compared: what is explained, less what should be seen and is not, as a share of what faces the
    /// sensor; at most 1. What was not measured counts little: steep and dark surfaces return nothing.
    pub fn score(&self) -> f64 {
        let against = MISSING_AGAINST * f64::from(self.missing) + TILTED_AGAINST * f64::from(self.tilted);
        let facing = f64::from(self.facing) - (1.0 - UNKNOWN_FACES) * f64::from(self.unknown);
        (f64::from(self.explained) - against) / facing.max(1.0)
    }
}

/// Judges a pose by about `count` probes; a probe is explained within `tolerance_mm`.
pub fn judge(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose, tolerance_mm: f64, count: usize) -> Terms {
    let step = (model.probes.len() / count.max(1)).max(1);
    let probes = model.probes.iter().step_by(step);
    let mut terms = Terms::default();
    match &scene.image {
        Some(image) => {
            let sensor = scene_from_part.inverse_transform_point(&image.viewpoint);
            for probe in probes {
                let Some(facing) = facing(model, &sensor, probe) else { continue };
                terms.facing += 1;
                let (point, normal) = (scene_from_part * probe.point, scene_from_part.rotation * probe.normal);
                let Seen::Point(index, seen) = image.towards(&point) else {
                    terms.unknown += 1;
                    continue;
                };
                let own = scene.points[index as usize];
                // On slanted surfaces, what is measured beside a probe is at another range, but in its plane.
                let behind_mm = seen - (point - image.viewpoint).norm();
                let is_in_plane = (own.point - point).dot(&normal).abs() <= tolerance_mm;
                let is_near =
                    behind_mm.abs() <= tolerance_mm / facing && (is_in_plane || behind_mm.abs() <= tolerance_mm);
                *match is_near {
                    // On the floor itself, no surface of a part is seen.
                    true if scene.is_background[index as usize] => &mut terms.unknown,
                    true if own.normal.dot(&normal) >= MIN_AGREEMENT => &mut terms.explained,
                    true => &mut terms.tilted,
                    false if behind_mm > 0.0 => &mut terms.missing,
                    false => &mut terms.hidden,
                } += 1;
            }
        }
        None => {
            let mut seen = 0;
            let mut all = 0;
            for probe in probes {
                all += 1;
                let (point, normal) = (scene_from_part * probe.point, scene_from_part.rotation * probe.normal);
                let Some((index, _)) = scene.nearest(&point, tolerance_mm) else { continue };
                if scene.is_background[index as usize] {
                    continue;
                }
                *(if scene.cosine(index, &normal) >= MIN_AGREEMENT { &mut seen } else { &mut terms.tilted }) += 1;
            }
            // One position sees about half of a part; what else is missing may be hidden.
            terms.explained = seen;
            terms.facing = (all / 2).max(seen + terms.tilted);
            terms.unknown = terms.facing - seen - terms.tilted;
        }
    }
    terms
}

/// Cosine between the normal of a point of a part and the direction to the sensor, whose position is given in the part's
/// frame; `None` if the point is turned away from it or hidden by the part itself.
fn facing(model: &PartModel<'_>, sensor: &Point, own: &OrientedPoint) -> Option<f64> {
    let cosine = own.normal.dot(&(sensor - own.point).normalize());
    let is_seen = cosine >= MIN_FACING && !model.surface.is_blocked(sensor, &own.point, 1e-4 * model.diameter_mm);
    is_seen.then_some(cosine)
}

/// Whether the sensor would see a point of a part if nothing else were there; true if its position is not known.
pub fn faces(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose, own: &OrientedPoint) -> bool {
    let sensor = scene.image.as_ref().map(|image| scene_from_part.inverse_transform_point(&image.viewpoint));
    sensor.is_none_or(|sensor| facing(model, &sensor, own).is_some())
}

/// Indices of the scene's points that lie on a part in a pose.
pub fn explained(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose, tolerance_mm: f64) -> Vec<u32> {
    let centre: Point = scene_from_part * model.centre();
    let near = scene.near(&centre, 0.5 * model.diameter_mm + tolerance_mm);
    let part_from_scene = scene_from_part.inverse();
    let lies_on_it = |index: &u32| {
        let own = scene.points[*index as usize];
        let hit = model.surface.closest_point(&(part_from_scene * own.point), tolerance_mm);
        !scene.is_background[*index as usize]
            && hit.is_some_and(|hit| {
                let normal = scene_from_part.rotation * model.surface.mesh().normal(hit.facet as usize);
                scene.cosine(*index, &normal) > 0.3
            })
    };
    near.into_iter().filter(lies_on_it).collect()
}
