//! The points of each part found, as scans of their own: so that each can be measured by itself.

use rayon::prelude::*;

use super::{Detection, Scene};
use base::{Progress, Result};
use compute::Backend;
use geometry::{Cloud, Surface};

/// Least distance from a part up to which points are taken, as a share of its diameter: a deviation that keeps a point from
/// explaining the part must not be cut away.
const REACH: f64 = 0.05;

/// The points on and about each part found, in the frame of the scene: all up to `reach_mm` from its surface, but for those
/// of a floor or wall and those that another part explains.
///
/// `surfaces` are those of the parts that were looked for, `found` is what was found of them in `cloud`. Returns an error if
/// the scene cannot be prepared, or if the work is cancelled.
pub fn part_scans(
    backend: &dyn Backend,
    surfaces: &[&Surface],
    found: &[Detection],
    cloud: &Cloud,
    reach_mm: f64,
    progress: &Progress,
) -> Result<Vec<Cloud>> {
    let diameter_mm = surfaces.iter().map(|own| own.bounds().diagonal()).fold(0.0, f64::max);
    let scene = Scene::new(backend, cloud, diameter_mm, &progress.part(0.0, 0.5))?;
    in_scene(&scene, surfaces, found, cloud, reach_mm, &progress.part(0.5, 1.0))
}

/// As [`part_scans`], where the scene is prepared.
pub(super) fn in_scene(
    scene: &Scene,
    surfaces: &[&Surface],
    found: &[Detection],
    cloud: &Cloud,
    reach_mm: f64,
    progress: &Progress,
) -> Result<Vec<Cloud>> {
    let mut owners = vec![None; scene.points.len()];
    for (number, own) in found.iter().enumerate() {
        own.points.iter().for_each(|&point| owners[point as usize] = Some(number));
    }
    // The scene may be a part of the scan's points: each is what the nearest of those is.
    let nearest = cloud.points.par_iter().map(|point| scene.nearest(point, f64::INFINITY).map(|(index, _)| index));
    let nearest: Vec<Option<u32>> = nearest.collect();
    let counter = progress.counter(found.len(), "Taking the parts apart");
    let scan = |(number, own): (usize, &Detection)| {
        let surface = surfaces.get(own.part).filter(|_| counter.step())?;
        let part_from_scene = own.scene_from_part.inverse();
        let reach_mm = reach_mm.max(REACH * surface.bounds().diagonal());
        let is_kept = |&index: &u32| {
            let of_scene = nearest[index as usize].map(|index| index as usize);
            let is_free = of_scene.is_some_and(|index| match owners[index] {
                Some(owner) => owner == number,
                None => !scene.is_background[index],
            });
            let position = part_from_scene * cloud.points[index as usize];
            is_free && surface.closest_point(&position, reach_mm).is_some()
        };
        let kept: Vec<u32> = (0..cloud.points.len() as u32).into_par_iter().filter(is_kept).collect();
        Some(cloud.select(&kept))
    };
    let scans = found.par_iter().enumerate().filter_map(|(number, own)| scan((number, own))).collect();
    progress.check()?;
    Ok(scans)
}
