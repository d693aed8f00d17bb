//! What speaks for a pose: the six terms of Popovic 2013, section 1.2.1, and four more that the system before it had
//! (Glover and Popovic 2013).

use super::super::model::PartModel;
use super::further_terms::SceneFeatures;
use super::noise::{OF_DIRECTION, OF_RANGE};
use super::observation::{NONE, Observation};
use super::outlines::Outlines;
use geometry::point_pairs::OrientedPoint;
use geometry::range_image::Seen;
use geometry::{Point, Pose, Vector};

/// Number of terms.
pub const TERMS: usize = 10;
/// Terms of a pose: distances, directions, what is visible, edges, what of them is visible, affinity of segments; then random
/// walks, distances of its segments, depth in the floor, features.
pub type Terms = [f64; TERMS];
/// Terms of the second round, and of the last.
pub const OF_ROUND: usize = 5;
pub const OF_LAST: usize = 6;

/// Greatest cosine between the line of sight and the normal of a point that may be seen.
pub const MAX_COSINE: f64 = -0.1;
/// Standard deviation of directions, as one less a cosine.
const DIRECTION_SIGMA: f64 = 0.05;
/// Points about which directions are less certain than this say nothing of them.
const MAX_DIRECTION_NOISE: f64 = 0.3;
/// What is less visible than this is left out, as a share of the mean.
const MIN_SHARE: f64 = 0.01;
/// Least affinity of segments that belong together, and the most that counts.
const TOGETHER: f64 = 0.5;
const MOST_AFFINITY: f64 = 0.9;

/// Judges poses of a part.
pub struct Judge<'a> {
    pub model: &'a PartModel<'a>,
    pub outlines: &'a Outlines,
    pub observation: &'a Observation<'a>,
    /// See [`Observation::edges`].
    pub edges: &'a [f64],
    /// For the last four terms; without them these are 0.
    pub features: Option<&'a SceneFeatures>,
}

/// A point of the part in its pose.
struct Placed {
    at: Point,
    normal: Vector,
    /// One more than the cosine between the line of sight and the normal.
    turned: f64,
}

impl Judge<'_> {
    /// Standard deviation of positions, mm.
    pub fn position_sigma_mm(&self) -> f64 {
        (2.0 * self.observation.scene.spacing_mm).max(0.02 * self.model.diameter_mm)
    }

    /// Standard deviation of ranges, mm.
    pub fn range_sigma_mm(&self) -> f64 {
        (3.0 * self.observation.scene.noise_mm).max(0.005 * self.model.diameter_mm)
    }

    /// How far behind what is seen something is still likely seen, mm.
    pub fn visible_sigma_mm(&self) -> f64 {
        (5.0 * self.observation.scene.noise_mm).max(0.01 * self.model.diameter_mm)
    }

    /// Share of the points of a pose that lie before what is seen by more than a tenth of the diameter.
    pub fn in_free_space(&self, pose: &Pose) -> f64 {
        let limit_mm = (5.0 * self.observation.scene.noise_mm).max(0.1 * self.model.diameter_mm);
        let image = self.observation.image;
        let is_before = |own: &&OrientedPoint| {
            let at = pose * own.point;
            let range_mm = (at - image.viewpoint).norm();
            matches!(image.towards(&at), Seen::Point(_, seen_mm) if range_mm < seen_mm - limit_mm)
        };
        let points = &self.model.probes.points;
        points.iter().filter(is_before).count() as f64 / points.len() as f64
    }

    /// The direction towards the sensor from the middle of a part in a pose, part frame.
    pub fn to_sensor(&self, pose: &Pose) -> Vector {
        let sensor = pose.inverse_transform_point(&self.observation.image.viewpoint);
        (sensor - self.model.centre()).normalize()
    }

    /// Terms of a pose by every `step`-th point, with distances as uncertain as `slack` times the last ones; the segments that it
    /// explains, for the last round.
    pub fn terms(&self, pose: &Pose, step: usize, slack: f64, assigned: Option<&[u32]>) -> Terms {
        let (outline, outline_mm) = self.outlines.towards(&self.to_sensor(pose));
        let image = self.observation.image;
        let points = self.model.probes.points.iter().zip(outline_mm).step_by(step);
        let mut seen: Vec<(Placed, f64, f64, u32)> = Vec::new();
        let mut count = 0;
        for (own, &outline_mm) in points {
            let (at, normal) = (pose * own.point, pose.rotation * own.normal);
            let away = at - image.viewpoint;
            let range_mm = away.norm();
            let turned = 1.0 + away.dot(&normal) / range_mm;
            // What was not measured says nothing.
            let Seen::Point(index, seen_mm) = image.towards(&at) else { continue };
            count += 1;
            let visible = if turned - 1.0 >= MAX_COSINE { 0.0 } else { self.visible(range_mm, seen_mm) };
            if visible > 0.0 {
                seen.push((Placed { at, normal, turned }, visible, outline_mm, index));
            }
        }
        let visible: f64 = seen.iter().map(|own| own.1).sum();
        let mut terms = [0.0; TERMS];
        terms[2] = logarithm(visible / f64::from(count.max(1)));
        let least = MIN_SHARE * visible / f64::from(count.max(1));
        seen.retain(|own| own.1 > least);
        (terms[0], terms[1]) = self.distances_and_directions(&seen, slack);
        (terms[3], terms[4]) = self.edges(pose, outline);
        if let Some(assigned) = assigned {
            terms[5] = self.affinity(assigned);
            if let Some(features) = self.features {
                let positions: Vec<Point> = seen.iter().map(|own| own.0.at).collect();
                terms[6] = self.walks(pose, &positions);
                terms[7] = self.segments_fit(pose, assigned);
                terms[8] = self.in_floor(pose, step);
                terms[9] = self.features(pose, features);
            }
        }
        terms
    }

    fn visible(&self, range_mm: f64, seen_mm: f64) -> f64 {
        let behind_mm = range_mm - seen_mm;
        if behind_mm < 0.0 { 1.0 } else { (-0.5 * (behind_mm / self.visible_sigma_mm()).powi(2)).exp() }
    }

    fn distances_and_directions(&self, seen: &[(Placed, f64, f64, u32)], slack: f64) -> (f64, f64) {
        let range_sigma_mm = slack * self.range_sigma_mm();
        let (mut distances, mut directions) = ([0.0; 2], [0.0; 2]);
        for (own, weight, outline_mm, index) in seen {
            let point = self.observation.scene.points[*index as usize];
            let off = |off: f64, sigma: f64| -0.5 * (off.min(2.0 * sigma) / sigma).powi(2);
            let noise = OF_RANGE.at(own.turned, outline_mm / self.model.diameter_mm);
            // Along the line of sight a tilted surface is off by more.
            let off_mm = point.normal.dot(&(own.at - point.point)).abs();
            let value = -noise.ln() + off(off_mm, range_sigma_mm * noise);
            distances = [distances[0] + weight * value, distances[1] + weight];
            let noise = OF_DIRECTION.at(own.turned, outline_mm / self.model.diameter_mm);
            if noise <= MAX_DIRECTION_NOISE {
                let value = -noise.ln() + off(1.0 - own.normal.dot(&point.normal), DIRECTION_SIGMA * noise);
                directions = [directions[0] + weight * value, directions[1] + weight];
            }
        }
        (mean(distances), mean(directions))
    }

    /// How likely edges are along the outline, and the logarithm of how much of it is visible.
    fn edges(&self, pose: &Pose, outline: &[Point]) -> (f64, f64) {
        let image = self.observation.image;
        let (mut edges, mut count) = ([0.0; 2], 0.0);
        for point in outline {
            let at = pose * point;
            let Some(pixel) = image.pixel_of(&at) else { continue };
            let around = self.observation.around(pixel, 2).map(|other| image.pixels[other]);
            let farthest_mm =
                around.filter(|own| own.index != NONE).map(|own| f64::from(own.range_mm)).reduce(f64::max);
            let Some(farthest_mm) = farthest_mm else { continue };
            count += 1.0;
            let weight = self.visible((at - image.viewpoint).norm(), farthest_mm);
            edges = [edges[0] + weight * self.edges[pixel], edges[1] + weight];
        }
        (mean(edges), logarithm(edges[1] / f64::max(count, 1.0)))
    }

    /// What speaks against explaining some segments and not those that belong to them: at most 0.
    pub fn affinity(&self, assigned: &[u32]) -> f64 {
        let of_segment = |own: &u32| {
            let others = self.observation.affinity[*own as usize].iter();
            let left = others.filter(|(other, own)| *own > TOGETHER && !assigned.contains(other));
            left.map(|(_, own)| own.min(MOST_AFFINITY)).map(|own| ((1.0 - own) / own).ln()).sum::<f64>()
        };
        0.05 * assigned.iter().map(of_segment).sum::<f64>()
    }
}

/// Mean of a sum over weights; that of nothing is 0.
pub fn mean([sum, weight]: [f64; 2]) -> f64 {
    if weight > 0.0 { sum / weight } else { 0.0 }
}

/// Logarithm of a share, at least that of a thousandth.
fn logarithm(share: f64) -> f64 {
    share.max(1e-3).ln()
}
