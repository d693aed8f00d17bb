//! Poses of a part that a scene proposes, by two generators: votes of point pairs, and matches of local features.

mod feature_matches;
mod pair_votes;

use serde::{Deserialize, Serialize};

use super::model::PartModel;
use base::{Progress, Result};
use compute::Backend;
use geometry::point_pairs::OrientedPoint;
use geometry::{Point, Pose, Vector};
use nalgebra::{Quaternion, UnitQuaternion, Vector4};

/// Poses of one cluster: share of the diameter, and rotation.
const SAME_POSITION: f64 = 0.1;
const SAME_ROTATION_RAD: f64 = 0.26;

/// How poses of a part are proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Generator {
    /// By votes of point pairs.
    #[default]
    PairVotes,
    /// By matches of local features (FPFH; Popovic 2013, section 1.2); by votes where it is not known to which side normals
    /// point.
    FeatureMatches,
    /// By both.
    Both,
}

/// A pose with votes.
#[derive(Clone, Copy, Debug)]
pub struct Hypothesis {
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// Votes of its cluster.
    pub votes: f64,
}

/// What of a scene proposes poses.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Points as far from each other as those of the part whose pairs vote.
    pub points: &'a [OrientedPoint],
    /// Points on rims of faces, as far from each other.
    pub rims: &'a [OrientedPoint],
    /// Points as close to each other as those of the part that have features; none if these are not asked for.
    pub close: &'a [OrientedPoint],
    /// Whether the normals are consistently oriented.
    pub oriented: bool,
}

/// The poses that some of a scene proposes, of each kind of evidence those with the most votes first.
pub fn find(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    evidence: &Evidence<'_>,
    generator: Generator,
    progress: &Progress,
) -> Result<Vec<Hypothesis>> {
    let mut found = Vec::new();
    // Features of surfaces that face an unknown side match nothing.
    if generator != Generator::FeatureMatches || !evidence.oriented {
        found.extend(pair_votes::find(backend, model, evidence, progress)?);
    }
    if generator != Generator::PairVotes && evidence.oriented {
        found.extend(feature_matches::find(backend, model, evidence, progress)?);
    }
    Ok(found)
}

/// Poses near each other.
struct Cluster {
    /// Its first pose, and the part's centre there.
    first: Pose,
    first_centre: Point,
    /// Sums over its poses, weighted by votes: of the centre, and of quaternions of one sign.
    position: Vector,
    rotation: Vector4<f64>,
    votes: f64,
    /// Indices of its poses.
    members: Vec<usize>,
}

impl Cluster {
    /// The mean of its poses.
    fn mean(&self, model: &PartModel<'_>) -> Hypothesis {
        let rotation = UnitQuaternion::from_quaternion(Quaternion::from(self.rotation));
        let position = self.position / self.votes;
        let scene_from_part = Pose::from_parts((position - rotation * model.centre().coords).into(), rotation);
        Hypothesis { scene_from_part, votes: self.votes }
    }
}

/// Poses, given with their votes, in clusters of those near each other: the clusters with the most votes first.
fn clusters(model: &PartModel<'_>, poses: impl Iterator<Item = (Pose, f64)>, max_count: usize) -> Vec<Cluster> {
    let centre = model.centre();
    let limit_mm2 = (SAME_POSITION * model.diameter_mm).powi(2);
    // Of two unit quaternions: cosine of half the angle between the rotations.
    let least_cosine = (0.5 * SAME_ROTATION_RAD).cos();
    let mut clusters: Vec<Cluster> = Vec::new();
    for (index, (pose, votes)) in poses.enumerate() {
        let at = pose * centre;
        let quaternion = pose.rotation.coords;
        let near = clusters.iter_mut().find(|own| {
            (at - own.first_centre).norm_squared() < limit_mm2
                && own.first.rotation.coords.dot(&quaternion).abs() > least_cosine
        });
        match near {
            Some(own) => {
                let sign = own.first.rotation.coords.dot(&quaternion).signum();
                own.position += at.coords * votes;
                own.rotation += quaternion * (sign * votes);
                own.votes += votes;
                own.members.push(index);
            }
            None => clusters.push(Cluster {
                first: pose,
                first_centre: at,
                position: at.coords * votes,
                rotation: quaternion * votes,
                votes,
                members: vec![index],
            }),
        }
    }
    clusters.sort_by(|a, b| b.votes.total_cmp(&a.votes));
    clusters.truncate(max_count);
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::Scene;
    use crate::detection::tests::stepped;
    use crate::simulation::pile;
    use compute::cpu::Cpu;

    #[test]
    fn of_the_first_50_poses_one_is_right_always_by_votes_and_mostly_by_matches() {
        let surface = stepped();
        let model = PartModel::new("part", &surface).unwrap();
        let scenes = crate::test_sizes::draws(4, 12) as u32;
        // All edges of the part are straight, so that single features tell little.
        for (generator, least) in [(Generator::PairVotes, 1.0), (Generator::FeatureMatches, 0.6)] {
            let mut right = 0_u32;
            for seed in 0..scenes {
                let parameters = pile::Parameters::for_parts(1, 60.0, u64::from(seed));
                let truth = pile::run(&[&surface], &[0], &parameters, &Progress::silent()).unwrap();
                let scene = Scene::new(&Cpu, &truth.cloud, model.diameter_mm, &Progress::silent()).unwrap();
                let is_wanted = |index: u32| !scene.is_background[index as usize];
                let evidence = Evidence {
                    points: &scene.sample(model.spacing_mm, is_wanted),
                    rims: &scene.sample_rims(model.spacing_mm, is_wanted),
                    close: &scene.sample(model.features().spacing_mm, is_wanted),
                    oriented: scene.oriented,
                };
                let find = || find(&Cpu, &model, &evidence, generator, &Progress::silent()).unwrap();
                let found = find();
                let truth = truth.parts[0].scene_from_part;
                let is_right = |own: &Hypothesis| {
                    let off = own.scene_from_part.inverse() * truth;
                    (off * model.centre() - model.centre()).norm() < 0.1 * model.diameter_mm
                        && off.rotation.angle() < 22.5_f64.to_radians()
                };
                right += u32::from(found.iter().take(50).any(is_right));
                // Draws are the same each time.
                let poses = |all: &[Hypothesis]| all.iter().map(|own| own.scene_from_part).collect::<Vec<_>>();
                assert_eq!(poses(&found), poses(&find()));
            }
            assert!(f64::from(right) >= least * f64::from(scenes), "{generator:?}: {right}");
        }
    }

    #[test]
    fn no_two_clusters_are_near_each_other() {
        let surface = stepped();
        let model = PartModel::new("part", &surface).unwrap();
        let mut random = base::random::Random::new(1, 0);
        let poses: Vec<(Pose, f64)> = (0..2_000)
            .map(|_| {
                let shift = Vector::new(random.normal(), random.normal(), random.normal()) * 20.0;
                let turn = Vector::new(random.normal(), random.normal(), random.normal()) * 0.3;
                (Pose::new(shift, turn), 1.0 + random.uniform())
            })
            .collect();
        let found = clusters(&model, poses.iter().copied(), poses.len());
        assert!(found.len() > 20 && found.len() < 1_900, "{}", found.len());
        assert_eq!(found.iter().map(|own| own.members.len()).sum::<usize>(), poses.len());
        for (index, own) in found.iter().enumerate() {
            for other in &found[..index] {
                let apart_mm = (own.first_centre - other.first_centre).norm();
                let turned_rad = own.first.rotation.angle_to(&other.first.rotation);
                assert!(apart_mm >= SAME_POSITION * model.diameter_mm || turned_rad >= SAME_ROTATION_RAD - 1e-9);
            }
        }
    }
}
