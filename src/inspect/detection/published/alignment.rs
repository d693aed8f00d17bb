//! A pose aligned with the segments of the scene that it may explain (Bingham Procrustean alignment; Glover and Popovic 2013).

use super::terms::Judge;
use base::random::Random;
use geometry::oriented_matches::{self, Frames, OrientedMatch};
use geometry::point_pairs::onto_x;
use geometry::{Point, Pose, Vector};

/// Angles between directions count by this share, and their standard deviation, rad.
const ANGLE_SHARE: f64 = 0.2;
const ANGLE_SIGMA_RAD: f64 = 0.05;
/// Least probability of a segment that a pose explains at last.
const EXPLAINED: f64 = 0.5;
/// Alignments of one round.
const ALIGNMENTS: usize = 3;

impl Judge<'_> {
    /// How likely a pose explains each segment, by index, where that is not 0.
    fn segments(&self, pose: &Pose, is_masked: &[bool], slack: f64) -> Vec<(u32, f64)> {
        let (scene, part_from_scene) = (self.observation.scene, pose.inverse());
        let sigma_mm = slack * self.position_sigma_mm();
        let point = |index: u32| part_from_scene * scene.points[index as usize].point;
        let reach_mm = 0.5 * self.model.diameter_mm;
        let (centre, lattice) = (self.model.centre(), &self.model.lattice);
        let of_key = |key: &u32| {
            let Some(near) = lattice.nearest(&point(*key), sigma_mm) else { return 0.0 };
            let normal = part_from_scene.rotation * scene.points[*key as usize].normal;
            let angle_rad = near.cosine(&normal, false).clamp(-1.0, 1.0).acos();
            let angle = ANGLE_SHARE * angle_rad / ANGLE_SIGMA_RAD;
            (-0.5 * (near.squared_mm2 / sigma_mm.powi(2) + angle * angle)).exp()
        };
        let all = self.observation.segments.iter().enumerate().filter(|(number, _)| !is_masked[*number]);
        let near = all.filter(|(_, own)| {
            let at = point(own.centre);
            (at - centre).norm() < reach_mm + own.radius_mm && lattice.is_within(&at, own.radius_mm.max(sigma_mm))
        });
        let likely = near.map(|(number, own)| {
            (number as u32, own.keys.iter().map(of_key).sum::<f64>() / own.keys.len().max(1) as f64)
        });
        likely.filter(|(_, own)| *own > 0.0).collect()
    }

    /// The segments that a pose explains, ascending.
    pub fn assigned(&self, pose: &Pose, is_masked: &[bool]) -> Vec<u32> {
        let all = self.segments(pose, is_masked, 1.0).into_iter();
        all.filter(|(_, likely)| *likely > EXPLAINED).map(|(number, _)| number).collect()
    }

    /// A pose aligned with segments that are drawn by how likely it explains them; `None` where there are none.
    pub fn aligned(&self, pose: &Pose, is_masked: &[bool], slack: f64, random: &mut Random) -> Option<Pose> {
        let drawn = self.segments(pose, is_masked, slack).into_iter().filter(|(_, likely)| random.uniform() < *likely);
        let drawn: Vec<u32> = drawn.map(|(number, _)| number).collect();
        let mut pose = *pose;
        for _ in 0..ALIGNMENTS {
            let matches = self.matches(&pose, &drawn, slack);
            pose = oriented_matches::align(&matches, self.position_sigma_mm())?.scene_from_part;
        }
        Some(pose)
    }

    /// Matches of segments: their middles with the nearest points of the part, and one of their edges each with its outline.
    fn matches(&self, pose: &Pose, segments: &[u32], slack: f64) -> Vec<OrientedMatch> {
        let (scene, part_from_scene) = (self.observation.scene, pose.inverse());
        let (outline, _) = self.outlines.towards(&self.to_sensor(pose));
        let sigma_mm = slack * self.position_sigma_mm();
        let position = |index: u32| scene.points[index as usize].point;
        let upright = |normal: &Vector| onto_x(normal).inverse();
        let mut matches = Vec::new();
        for own in segments.iter().map(|&own| &self.observation.segments[own as usize]) {
            let at = part_from_scene * position(own.centre);
            if let Some(near) = self.model.lattice.nearest(&at, 2.0 * sigma_mm) {
                let normal = scene.points[own.centre as usize].normal;
                let frames = Frames { part: upright(&near.normal), scene: upright(&normal), concentration: 0.0 };
                matches.push(OrientedMatch { part: at - near.away, scene: position(own.centre), frames: Some(frames) });
            }
            let to_outline = |key: u32| {
                let at = part_from_scene * position(key);
                let away = |own: &Point| (own - at).norm_squared();
                let nearest = outline.iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
                Some((away(nearest), *nearest, position(key)))
            };
            let edges = own.edge_keys.iter().filter_map(|&key| to_outline(key));
            let nearest = edges.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|own| own.0 < sigma_mm.powi(2));
            matches.extend(nearest.map(|(_, part, scene)| OrientedMatch { part, scene, frames: None }));
        }
        matches
    }
}
