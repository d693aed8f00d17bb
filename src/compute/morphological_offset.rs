//! Offsets of voxel volumes by morphology: dilation and erosion by a template of voxels.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::voxels::{BuildTimes, VoxelTree};

/// The template that is moved over the volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// All voxels within the distance: exact.
    #[default]
    Ball,
    /// The voxels of the ball of which a neighbour is not in it.
    Shell,
    /// Rings of voxels at the distance, about 2.9 voxels apart, as in the published measurements. What is smaller than
    /// the distance leaves cavities.
    Ring,
}

/// A request for the dilation or erosion of a volume.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The volume.
    pub tree: &'a VoxelTree,
    /// Distance, voxels: dilation if positive, erosion if negative.
    pub distance: f64,
    /// Template.
    pub template: Template,
    /// Passes that led to the volume: each turns the rings about another axis, so that their gaps do not add up.
    pub earlier_passes: u32,
    /// Whether exact distances decide on cubes that lie within the distance or beyond it. Otherwise every leaf within the
    /// distance is filtered, along each axis apart, as in the published measurements.
    pub culls: bool,
}

/// A dilated or eroded volume: a voxel is full if its six neighbours are in the volume, otherwise skin.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The volume.
    pub tree: VoxelTree,
    /// Number of leaves that were filtered.
    pub filtered: usize,
    /// Number of voxels of the template.
    pub template: usize,
    /// Time of its steps: cells are the skeleton, leaves the filter.
    pub times: BuildTimes,
}

/// The voxels of a template of radius `radius` voxels; rings lie about z, x and y in turn.
pub fn template(template: Template, radius: f64, earlier_passes: u32) -> Vec<[i32; 3]> {
    match template {
        Template::Ball => ball(radius, |_| true),
        Template::Shell => ball(radius, |voxel| {
            (0..6).any(|side| {
                let mut neighbour = voxel;
                neighbour[side / 2] += if side % 2 == 0 { 1 } else { -1 };
                squared(neighbour) > radius * radius
            })
        }),
        Template::Ring => {
            let mut voxels = ring(radius);
            voxels.iter_mut().for_each(|voxel| voxel.rotate_right(earlier_passes as usize % 3));
            voxels
        }
    }
}

fn squared(voxel: [i32; 3]) -> f64 {
    voxel.iter().map(|&index| f64::from(index) * f64::from(index)).sum()
}

fn ball(radius: f64, is_wanted: impl Fn([i32; 3]) -> bool) -> Vec<[i32; 3]> {
    let reach = radius.floor() as i32;
    let mut voxels = Vec::new();
    for z in -reach..=reach {
        for y in -reach..=reach {
            for x in -reach..=reach {
                if squared([x, y, z]) <= radius * radius && is_wanted([x, y, z]) {
                    voxels.push([x, y, z]);
                }
            }
        }
    }
    voxels
}

/// Distance of neighbouring voxels of the ring template; reproduces the published counts.
const RING_SPACING: f64 = 2.89;

fn ring(radius: f64) -> Vec<[i32; 3]> {
    use std::f64::consts::PI;
    // The smallest has its poles and four voxels between them.
    let rings = ((PI * radius / RING_SPACING).floor() as u32).max(2);
    let least = if rings == 2 { 4 } else { 1 };
    let mut voxels = Vec::new();
    for ring in 0..=rings {
        let (sine, cosine) = (PI * f64::from(ring) / f64::from(rings)).sin_cos();
        let count = ((2.0 * PI * radius * sine / RING_SPACING).round() as u32).max(if sine > 0.5 { least } else { 1 });
        for step in 0..count {
            let (v, u) = (2.0 * PI * f64::from(step) / f64::from(count)).sin_cos();
            let position = [radius * sine * u, radius * sine * v, radius * cosine];
            voxels.push(position.map(|coordinate| coordinate.round() as i32));
        }
    }
    voxels.sort_unstable();
    voxels.dedup();
    voxels
}

impl Capability for Request<'_> {
    type Answer = Answer;

    const LABEL: &'static str = "Offsetting by voxels";

    fn check(&self) -> Result<()> {
        if self.distance.is_finite() && self.distance.abs() <= 4096.0 {
            return Ok(());
        }
        Err(UserError::usage("A distance of at most 4096 voxels is supported."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Answer> {
        cpu::morphological_offset::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Answer> {
        // What distances decide is decided on the CPU.
        if self.culls || self.template == Template::Ball {
            return self.on_cpu(progress);
        }
        cuda.prepare_morphological_offset(self)?.run(progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_the_published_numbers_of_voxels() {
        let published = [(13.0, 251), (20.0, 581), (25.0, 946), (40.0, 2375), (50.0, 3720), (60.0, 5370), (80.0, 9674)];
        for (radius, count) in published {
            let own = template(Template::Ring, radius, 0).len() as f64;
            assert!((own / f64::from(count) - 1.0).abs() < 0.06, "{radius}: {own} {count}");
            assert!(
                template(Template::Ring, radius, 0).iter().all(|voxel| (squared(*voxel).sqrt() - radius).abs() < 1.0)
            );
        }
        assert!(template(Template::Ring, 100.0, 0).len().abs_diff(14_948) < 900);
        // Small ones go the distance along every axis, to a voxel.
        for radius in [1.0, 1.5, 2.0, 2.8] {
            let own = template(Template::Ring, radius, 0);
            let farthest = |axis: usize| own.iter().map(|voxel| voxel[axis].abs()).max();
            assert!(
                (0..3)
                    .all(|axis| (Some(radius.floor() as i32)..=Some(radius.round() as i32)).contains(&farthest(axis))),
                "{own:?}"
            );
        }
        let (ball, shell) = (template(Template::Ball, 9.0, 0), template(Template::Shell, 9.0, 0));
        let volume = 4.0 / 3.0 * std::f64::consts::PI * 9.0_f64.powi(3);
        assert!((ball.len() as f64 / volume - 1.0).abs() < 0.02, "{} {volume}", ball.len());
        assert!(shell.len() < ball.len() && shell.iter().all(|voxel| ball.contains(voxel)));
    }
}
