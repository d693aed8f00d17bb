//! The four terms that the system before the published one had beside the six (Glover and Popovic 2013): random walks,
//! distances of segments, depth in the floor, features. Each is the mean of half the squares of what it weighs, in standard
//! deviations, negative.

use super::super::model::PartModel;
use super::observation::NONE;
use super::terms::{Judge, MAX_COSINE, mean};
use base::random::Random;
use geometry::local_features::{LocalFeature, squared_distance};
use geometry::point_pairs::OrientedPoint;
use geometry::{KdTree, Point, Pose, Vector};

/// Every which point walks, and the longest walk, pixels.
const WALK_STEP: usize = 6;
const MAX_WALK: i32 = 20;
/// Most features of a part that are compared.
const MAX_FEATURES: usize = 300;

/// Features of a scene at the scale of a part.
pub struct SceneFeatures {
    tree: KdTree,
    features: Vec<LocalFeature>,
    reach_mm: f64,
}

impl SceneFeatures {
    /// Of points, as close as those of the part that have features.
    pub fn new(model: &PartModel<'_>, points: &[OrientedPoint]) -> Self {
        let own = model.features().of_scene(points);
        let all = points.iter().zip(own).filter_map(|(own, feature)| Some((own.point, feature?)));
        let (points, features): (Vec<Point>, Vec<LocalFeature>) = all.unzip();
        Self { tree: KdTree::new(&points), features, reach_mm: 2.0 * model.features().spacing_mm }
    }
}

impl Judge<'_> {
    /// How far from the part is what lies about its points, up to an edge: mean of half the squares of distances in standard
    /// deviations, negative.
    pub fn walks(&self, pose: &Pose, positions: &[Point]) -> f64 {
        let (image, sigma_mm) = (self.observation.image, self.range_sigma_mm());
        let part_from_scene = pose.inverse();
        let (width, height) = (image.pinhole.size[0] as i32, image.pinhole.size[1] as i32);
        let mut sum = [0.0; 2];
        for (number, at) in positions.iter().enumerate().step_by(WALK_STEP) {
            let Some(pixel) = image.pixel_of(at) else { continue };
            let mut random = Random::new(pixel as u64, number as u64);
            let angle = random.range(0.0, std::f64::consts::TAU);
            let step = |length: i32| {
                let column = pixel as i32 % width + (f64::from(length) * angle.cos()).round() as i32;
                let row = pixel as i32 / width + (f64::from(length) * angle.sin()).round() as i32;
                let is_inside = (0..width).contains(&column) && (0..height).contains(&row);
                is_inside.then_some((row * width + column) as usize)
            };
            let goes_on = |length: i32, random: &mut Random| {
                step(length).is_some_and(|pixel| random.uniform() > self.edges[pixel].exp())
            };
            let length = (1..MAX_WALK).take_while(|&length| goes_on(length, &mut random)).last().unwrap_or(0);
            let Some(ended) = step(random.index(length as usize + 1) as i32) else { continue };
            let index = image.pixels[ended].index;
            if index == NONE {
                continue;
            }
            sum = [sum[0] - self.half_square(&part_from_scene, index, sigma_mm), sum[1] + 1.0];
        }
        mean(sum)
    }

    /// Half the square of the distance of a point of the scene from the part, in standard deviations, of which two count.
    fn half_square(&self, part_from_scene: &Pose, index: u32, sigma_mm: f64) -> f64 {
        let point = part_from_scene * self.observation.scene.points[index as usize].point;
        let near = self.model.lattice.nearest(&point, 2.0 * sigma_mm);
        0.5 * near.map_or(4.0, |own| own.squared_mm2 / sigma_mm.powi(2))
    }

    /// As [`Self::walks`], of the points that stand for the segments explained.
    pub fn segments_fit(&self, pose: &Pose, assigned: &[u32]) -> f64 {
        let sigma_mm = 0.5 * self.position_sigma_mm();
        let part_from_scene = pose.inverse();
        let mut sum = [0.0; 2];
        for key in assigned.iter().flat_map(|&own| &self.observation.segments[own as usize].keys) {
            sum = [sum[0] - self.half_square(&part_from_scene, *key, sigma_mm), sum[1] + 1.0];
        }
        mean(sum)
    }

    /// As [`Self::walks`], of the depths of what lies in the floor or a wall.
    pub fn in_floor(&self, pose: &Pose, step: usize) -> f64 {
        let sigma_mm = self.visible_sigma_mm();
        let mut sum = [0.0; 2];
        for own in self.model.probes.points.iter().step_by(step) {
            let at = pose * own.point;
            let heights_mm = self.observation.scene.supports.iter().filter_map(|own| own.height_mm(&at));
            if let Some(depth_mm) = heights_mm.reduce(f64::min).filter(|own| *own < 0.0) {
                sum = [sum[0] - 0.5 * (depth_mm / sigma_mm).powi(2).min(100.0), sum[1] + 1.0];
            }
        }
        mean(sum)
    }

    /// How far the features of the part are from those of the scene: as [`Self::walks`], in standard deviations of all features.
    pub fn features(&self, pose: &Pose, of_scene: &SceneFeatures) -> f64 {
        let features = self.model.features();
        let to_sensor = self.to_sensor(pose);
        let stride = features.points.len().div_ceil(MAX_FEATURES).max(1);
        let mut sum = [0.0; 2];
        for (point, own) in features.points.iter().zip(&features.features).step_by(stride) {
            if (own.frame * Vector::x()).dot(&to_sensor) < -MAX_COSINE {
                continue;
            }
            let near = of_scene.tree.nearest(&(pose * point), of_scene.reach_mm);
            let squared = near.map_or(4.0, |near| {
                let other = &of_scene.features[near.number as usize];
                f64::from(squared_distance(&own.descriptor, &other.descriptor) / features.variance).min(4.0)
            });
            sum = [sum[0] - 0.5 * squared, sum[1] + 1.0];
        }
        mean(sum)
    }
}
