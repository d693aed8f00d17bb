//! Votes of the point pairs of a scene for poses of a part in it (Drost, Ulrich, Navab and Ilic, "Model globally, match
//! locally", CVPR 2010).

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::point_pairs::{LocalPoint, OrientedPoint, PairTable, onto_x};
use geometry::{Aabb, Pose, Vector};

/// Bins of the angle about the normal; `ANGLE_BINS` of pose_votes.cu.
pub(crate) const ANGLE_BINS: usize = 30;
/// Maximum number of peaks per reference point and sign of its normal; `MAX_PEAKS` of pose_votes.cu.
pub(crate) const MAX_PEAKS: usize = 4;

/// A request for the poses with the most votes.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// All pairs of points of the part.
    pub table: &'a PairTable,
    /// The points of the part.
    pub model: &'a [OrientedPoint],
    /// The points of the scene.
    pub scene: &'a [OrientedPoint],
    /// Indices of the points of the scene whose pairs vote.
    pub references: &'a [u32],
    /// Whether the scene's normals are consistently oriented; otherwise both signs of each vote.
    pub oriented: bool,
}

/// A pose and its number of votes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Maps the scene onto the part.
    pub model_from_scene: Pose,
    /// Votes, smoothed over neighbouring angles.
    pub votes: f64,
}

/// A bin with many votes: point of the part times [`ANGLE_BINS`] plus bin of the angle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bin {
    pub votes: u32,
    pub slot: u32,
}

/// The scene as its votes are counted: in f32 about its centre.
pub(crate) struct Voters {
    pub points: Vec<LocalPoint>,
    /// The reference points; where normals are not oriented, each a second time with the opposite normal.
    pub references: Vec<LocalPoint>,
}

impl Request<'_> {
    pub(crate) fn voters(&self) -> Voters {
        let centre = Aabb::of_points(self.scene.iter().map(|own| &own.point)).centre();
        let points: Vec<LocalPoint> = self.scene.iter().map(|own| LocalPoint::new(own, &centre)).collect();
        let of_references = self.references.iter().filter_map(|&index| self.scene.get(index as usize));
        let references = of_references
            .flat_map(|own| {
                let turned = (!self.oriented).then(|| LocalPoint::turned(own, &centre));
                std::iter::once(LocalPoint::new(own, &centre)).chain(turned)
            })
            .collect();
        Voters { points, references }
    }

    /// The peaks of bins found for each of [`Voters::references`], [`MAX_PEAKS`] each.
    pub(crate) fn peaks(&self, bins: &[[Bin; MAX_PEAKS]]) -> Vec<Peak> {
        let signs: &[f64] = if self.oriented { &[1.0] } else { &[1.0, -1.0] };
        let first = self.references.iter().filter_map(|&index| self.scene.get(index as usize));
        let first = first.flat_map(|own| signs.iter().map(|&sign| OrientedPoint { normal: own.normal * sign, ..*own }));
        let of_reference = |(first, bins): (OrientedPoint, &[Bin; MAX_PEAKS])| {
            let best = bins.iter().filter(|bin| bin.votes > 0).filter_map(move |bin| {
                let nominal = self.model.get(bin.slot as usize / ANGLE_BINS)?;
                let angle = (f64::from(bin.slot % ANGLE_BINS as u32) + 0.5) * std::f64::consts::TAU / ANGLE_BINS as f64;
                Some(Peak { model_from_scene: pose_of(nominal, &first, angle), votes: f64::from(bin.votes) })
            });
            best.collect::<Vec<_>>()
        };
        first.zip(bins).flat_map(of_reference).collect()
    }
}

/// The pose that maps point and normal of `scene` onto those of `nominal`, with rotation `angle` (rad) about the
/// normal.
fn pose_of(nominal: &OrientedPoint, scene: &OrientedPoint, angle: f64) -> Pose {
    // Directions about a normal are atan2(-z, y): left-handed about x.
    let about_x = nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), -angle);
    let rotation = onto_x(&nominal.normal).inverse() * about_x * onto_x(&scene.normal);
    Pose::from_parts((nominal.point.coords - rotation * scene.point.coords).into(), rotation)
}

impl Capability for Request<'_> {
    /// The peaks of every reference point, in the order of these.
    type Answer = Vec<Peak>;

    const LABEL: &'static str = "Voting for poses";

    fn check(&self) -> Result<()> {
        if self.references.iter().all(|&reference| (reference as usize) < self.scene.len()) {
            return Ok(());
        }
        Err(UserError::internal("A reference point of a vote does not exist."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Vec<Peak>> {
        cpu::pose_votes::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _progress: &Progress) -> Result<Vec<Peak>> {
        cuda.prepare_pose_votes(self)?.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Point;

    #[test]
    fn a_matching_pair_votes_for_the_true_pose() {
        let mut random = Random::new(1, 1);
        for _ in 0..100 {
            let truth = Pose::from_parts(Vector::new(4.0, -7.0, 9.0).into(), random.rotation());
            let mut draw = || OrientedPoint {
                point: Point::new(random.normal(), random.normal(), random.normal()) * 10.0,
                normal: random.rotation() * Vector::z(),
            };
            let (nominal_first, nominal_second) = (draw(), draw());
            let back = |p: &OrientedPoint| OrientedPoint {
                point: truth.inverse() * p.point,
                normal: truth.rotation.inverse() * p.normal,
            };
            let (scene_first, scene_second) = (back(&nominal_first), back(&nominal_second));
            let direction = |first: &OrientedPoint, second: &OrientedPoint| {
                let local = [first, second].map(|own| LocalPoint::new(own, &first.point));
                let (line, _) = local[0].line_to(&local[1]);
                f64::from(local[0].direction(line)) / 65_536.0 * std::f64::consts::TAU
            };
            let angle = direction(&nominal_first, &nominal_second) - direction(&scene_first, &scene_second);
            let pose = pose_of(&nominal_first, &scene_first, angle);
            let moved = pose * scene_second.point;
            assert!((pose * scene_first.point - nominal_first.point).norm() < 1e-9);
            assert!((moved - nominal_second.point).norm() < 1e-2, "{}", (moved - nominal_second.point).norm());
            assert!(pose.rotation.angle_to(&truth.rotation) < 5e-4);
        }
    }
}
