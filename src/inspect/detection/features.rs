//! Local features of a part as a sensor sees it: of what is visible from one side at a time.

use rayon::prelude::*;

use geometry::local_features::{self, Descriptor, LENGTH, LocalFeature, squared_distance};
use geometry::oriented_matches::{Frames, OrientedMatch};
use geometry::point_pairs::{OrientedPoint, oriented_points};
use geometry::{Point, Probes, Surface, Vector};

/// Approximate number of points with features.
const POINTS: usize = 2_800;
/// Radius about a point that its feature describes, in spacings of the points.
const RADIUS: f64 = 5.0;
/// Directions from which the part is seen: those with whole numbers that have this sum of magnitudes, 66 of them.
const DIRECTIONS: i32 = 4;
/// A point seen from several sides has several features if these differ by more than this share of all their variance.
const OTHER: f32 = 0.25;

/// Features of a part.
pub struct Features {
    /// Their points, part frame, mm.
    pub points: Vec<Point>,
    /// By point.
    pub features: Vec<LocalFeature>,
    /// Descriptors by point.
    pub descriptors: Vec<Descriptor>,
    /// Mean squared distance of a descriptor from their mean.
    pub variance: f32,
    /// Spacing of the points, mm.
    pub spacing_mm: f64,
}

impl Features {
    /// The features of a surface whose points that vote are `spacing_mm` apart.
    pub fn new(surface: &Surface, spacing_mm: f64) -> Self {
        let spacing_mm = 0.5 * spacing_mm;
        let all = Probes::new(surface, &oriented_points(surface.mesh(), POINTS, spacing_mm));
        let of_view = |direction: &Vector| {
            let seen: Vec<usize> = (0..all.points.len()).filter(|&index| all.is_seen(index, direction)).collect();
            let points: Vec<OrientedPoint> = seen.iter().map(|&index| all.points[index]).collect();
            let features = local_features::of_points(&points, radius_mm(spacing_mm));
            seen.into_iter().zip(features).filter_map(|(index, own)| Some((index, own?))).collect::<Vec<_>>()
        };
        let views: Vec<Vec<(usize, LocalFeature)>> = directions().par_iter().map(of_view).collect();
        let variance = variance(views.iter().flatten().map(|(_, own)| &own.descriptor));
        let mut kept: Vec<Vec<LocalFeature>> = vec![Vec::new(); all.points.len()];
        for (index, own) in views.into_iter().flatten() {
            let is_other =
                |other: &LocalFeature| squared_distance(&own.descriptor, &other.descriptor) > OTHER * variance;
            if kept[index].iter().all(is_other) {
                kept[index].push(own);
            }
        }
        let kept = all.points.iter().zip(kept).flat_map(|(own, features)| features.into_iter().map(|f| (own.point, f)));
        let (points, features): (Vec<Point>, Vec<LocalFeature>) = kept.unzip();
        let descriptors = features.iter().map(|own| own.descriptor).collect();
        Self { points, features, descriptors, variance, spacing_mm }
    }

    /// A match of one of them with a feature of a scene.
    pub fn matched(&self, index: usize, point: &Point, own: &LocalFeature) -> OrientedMatch {
        let of_part = self.features[index];
        let ratio = of_part.curvature.ratio().min(own.curvature.ratio());
        let concentration = Frames::concentration(ratio);
        let frames = Frames { part: of_part.frame, scene: own.frame, concentration };
        OrientedMatch { part: self.points[index], scene: *point, frames: Some(frames) }
    }

    /// The features of points of a scene, which are `spacing_mm` apart or less.
    pub fn of_scene(&self, points: &[OrientedPoint]) -> Vec<Option<LocalFeature>> {
        local_features::of_points(points, radius_mm(self.spacing_mm))
    }
}

fn radius_mm(spacing_mm: f64) -> f64 {
    RADIUS * spacing_mm
}

/// The 66 directions from which a part is seen.
pub fn directions() -> Vec<Vector> {
    let reach = || -DIRECTIONS..=DIRECTIONS;
    let all = reach().flat_map(|x| reach().flat_map(move |y| reach().map(move |z| [x, y, z])));
    let on_octahedron = all.filter(|own| own.iter().map(|value| value.abs()).sum::<i32>() == DIRECTIONS);
    on_octahedron.map(|own| Vector::from(own.map(f64::from)).normalize()).collect()
}

fn variance<'a>(descriptors: impl Iterator<Item = &'a Descriptor> + Clone) -> f32 {
    let count = descriptors.clone().count().max(1) as f32;
    let mut mean = [0.0; LENGTH];
    descriptors.clone().for_each(|own| mean.iter_mut().zip(own).for_each(|(mean, own)| *mean += own / count));
    descriptors.map(|own| squared_distance(own, &mean) / count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_seen_from_66_sides() {
        let all = directions();
        assert_eq!(all.len(), 66);
        let nearest_rad = |own: &Vector| {
            let others = all.iter().filter(|other| *other != own);
            others.map(|other| own.angle(other)).fold(f64::INFINITY, f64::min)
        };
        assert!(all.iter().all(|own| (0.2..0.5).contains(&nearest_rad(own))));
    }
}
