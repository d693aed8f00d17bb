//! What is seen of a part in each of several poses, on the CPU.

use rayon::prelude::*;

use crate::pose_scores::{MIN_AGREEMENT, MIN_FACING, Request, Terms};
use base::{Progress, Result};
use geometry::Pose;
use geometry::range_image::Seen;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Terms>> {
    let terms = request
        .scene_from_part
        .par_iter()
        .zip(request.tolerances_mm)
        .map(|(pose, &tolerance_mm)| judge(request, pose, tolerance_mm))
        .collect();
    progress.check()?;
    Ok(terms)
}

fn judge(request: &Request<'_>, scene_from_part: &Pose, tolerance_mm: f64) -> Terms {
    let Request { probes, image, .. } = *request;
    let mut terms = Terms::default();
    for index in (0..probes.points.len()).step_by(request.step.max(1)) {
        let probe = probes.points[index];
        let (point, normal) = (scene_from_part * probe.point, scene_from_part.rotation * probe.normal);
        let towards = image.viewpoint - point;
        let range_mm = towards.dot(&towards).sqrt();
        let facing = normal.dot(&towards) / range_mm;
        if facing < MIN_FACING || !probes.is_seen(index, &(scene_from_part.rotation.inverse() * towards)) {
            continue;
        }
        terms.facing += 1;
        let Seen::Point(nearest, seen_mm) = image.towards(&point) else {
            terms.unknown += 1;
            continue;
        };
        let own = request.scene[nearest as usize];
        // On slanted surfaces, what is measured beside a probe is at another range, but in its plane.
        let behind_mm = seen_mm - range_mm;
        let is_in_plane = (own.point - point).dot(&normal).abs() <= tolerance_mm;
        let is_near = behind_mm.abs() <= tolerance_mm / facing && (is_in_plane || behind_mm.abs() <= tolerance_mm);
        *match is_near {
            // On the floor itself, no surface of a part is seen.
            true if request.is_background[nearest as usize] => &mut terms.unknown,
            true if own.normal.dot(&normal) >= MIN_AGREEMENT => &mut terms.explained,
            true => &mut terms.tilted,
            false if behind_mm > 0.0 => &mut terms.missing,
            false => &mut terms.hidden,
        } += 1;
    }
    terms
}
