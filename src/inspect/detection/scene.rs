//! A scan in which parts are looked for.

use std::sync::OnceLock;

use super::background::{self, Background, Support};
use super::{segments, viewpoint};
use crate::cleaning;
use base::{Progress, Result, UserError, once};
use compute::Backend;
use geometry::point_pairs::OrientedPoint;
use geometry::range_image::{RangeImage, Seen, viewpoint_of};
use geometry::{Cloud, KdTree, OrderedPoints, Point, SearchablePoints, Vector, noise, normals, rims, thinning};

/// Greatest number of points that poses are judged by.
const MAX_POINTS: usize = 200_000;
/// How far beyond a rim is looked for what hides the rest of the face, in spacings.
const BEYOND: f64 = 2.5;
/// Least number of points of a scene.
const MIN_POINTS: usize = 50;

/// How it is known where the sensor of a scan stood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensor {
    /// The scan says so.
    Given,
    /// By what hides what in the scan.
    Found,
    /// It is not known.
    #[default]
    Unknown,
}

/// A scan in which parts are looked for.
pub struct Scene {
    /// Points with normals, facing the sensor if it is known; scene frame.
    pub points: Vec<OrientedPoint>,
    /// Whether the normals are consistently oriented.
    pub oriented: bool,
    /// Their spacing, mm.
    pub spacing_mm: f64,
    /// Their noise across the surface, mm.
    pub noise_mm: f64,
    /// Whether each point lies on a plane wider than the parts: it hides and is seen, but is none of them.
    pub is_background: Vec<bool>,
    /// Floor and walls.
    pub supports: Vec<Support>,
    /// What the sensor sees; `None` if its position is not known.
    pub image: Option<RangeImage>,
    /// How its position is known.
    pub sensor: Sensor,
    /// Piece of each point, from 0 by falling size; see `segments`.
    pub pieces: Vec<u32>,
    /// Number of points of each piece.
    pub piece_sizes: Vec<usize>,
    tree: KdTree,
    /// See [`Scene::rims`].
    rims: OnceLock<Vec<Option<Vector>>>,
    /// Of each point of the scan, the index of the one that stands for it here; empty if all are here.
    stands_for: Vec<u32>,
}

impl Scene {
    /// Prepares a scan in which parts of up to `part_mm` are looked for.
    ///
    /// Returns an error if it has too few points, if the backend fails, or if the work is cancelled.
    pub fn new(backend: &dyn Backend, cloud: &Cloud, part_mm: f64, progress: &Progress) -> Result<Self> {
        progress.report(0.0, "Analysing the scene")?;
        if cloud.points.len() < MIN_POINTS {
            return Err(UserError::input(format!(
                "The scene has {} points; at least {MIN_POINTS} are needed to look for parts in it.",
                cloud.points.len()
            )));
        }
        let (mut base, stands_for) = thinned(cloud);
        let tree = KdTree::new(&base.points);
        let spacing_mm = thinning::spacing_mm(&tree, &base.points);
        progress.report(0.05, "Analysing the scene")?;
        let (viewpoint, sensor) = match viewpoint_of(&base) {
            Some(given) => (Some(given), Sensor::Given),
            None => match viewpoint::of_single_scan(&base.points, spacing_mm) {
                Some(found) => (Some(found), Sensor::Found),
                None => (None, Sensor::Unknown),
            },
        };
        base.viewpoint = viewpoint;
        let searchable = SearchablePoints::new(&base.points);
        let all = cleaning::normals_of(backend, &base, &searchable, &progress.part(0.1, 0.9))?;
        let oriented = normals::are_oriented(&base);
        let noise_mm = noise::across_surface_mm(&tree, &base.points);
        let image = viewpoint.and_then(|viewpoint| RangeImage::new(viewpoint, &base.points, spacing_mm));
        let points = base.points.iter().zip(all).map(|(point, normal)| OrientedPoint { point: *point, normal });
        let points: Vec<OrientedPoint> = points.collect();
        progress.check()?;
        let Background { is_on: is_background, supports } =
            background::on_planes(&points, oriented, viewpoint, spacing_mm, part_mm);
        let pieces = segments::of_points(&points, &tree, spacing_mm, progress)?;
        Ok(Self {
            points,
            oriented,
            spacing_mm,
            noise_mm,
            is_background,
            supports,
            image,
            sensor,
            piece_sizes: segments::sizes(&pieces),
            pieces,
            tree,
            rims: OnceLock::new(),
            stands_for,
        })
    }

    /// One point for each cell of `cell_mm`, of those for which `is_wanted` holds.
    pub fn sample(&self, cell_mm: f64, is_wanted: impl Fn(u32) -> bool) -> Vec<OrientedPoint> {
        let wanted: Vec<u32> = (0..self.points.len() as u32).filter(|&index| is_wanted(index)).collect();
        let points: Vec<Point> = wanted.iter().map(|&index| self.points[index as usize].point).collect();
        let kept = thinning::one_per_dense_cell(&points, cell_mm.max(self.spacing_mm));
        kept.iter().map(|&index| self.points[wanted[index as usize] as usize]).collect()
    }

    /// The direction in which the face of each point ends there, but where it only goes on behind something that is nearer to
    /// the sensor.
    pub fn rims(&self) -> &[Option<Vector>] {
        let goes_on = |own: &OrientedPoint, out: &Vector| {
            let beyond = own.point + out * (BEYOND * self.spacing_mm);
            self.hides(&beyond, self.spacing_mm)
        };
        let make = || {
            let rims = rims::of_points(&self.points, &self.tree, self.spacing_mm);
            self.points.iter().zip(rims).map(|(own, rim)| rim.filter(|out| !goes_on(own, out))).collect()
        };
        once::get_or_make::<Vec<_>>(&self.rims, make)
    }

    /// Rims of faces, one for each cell of `cell_mm`, of the points for which `is_wanted` holds.
    pub fn sample_rims(&self, cell_mm: f64, is_wanted: impl Fn(u32) -> bool) -> Vec<OrientedPoint> {
        let wanted = (0..).zip(&self.points).zip(self.rims()).filter(|((index, _), _)| is_wanted(*index));
        // The face ends about halfway to the point that would come next.
        let at = |own: &OrientedPoint, out: Vector| OrientedPoint {
            point: own.point + out * (0.5 * self.spacing_mm),
            normal: out,
        };
        let rims: Vec<OrientedPoint> = wanted.filter_map(|((_, own), rim)| Some(at(own, (*rim)?))).collect();
        let points: Vec<Point> = rims.iter().map(|own| own.point).collect();
        thinning::one_per_cell(&points, cell_mm).into_iter().map(|index| rims[index as usize]).collect()
    }

    /// Something known of each point, as of each point of the scan.
    pub fn of_scan<T: Copy>(&self, known: Vec<T>) -> Vec<T> {
        match self.stands_for.is_empty() {
            true => known,
            false => self.stands_for.iter().map(|&index| known[index as usize]).collect(),
        }
    }

    /// Indices of the points within a distance of a position, in no order.
    pub fn near(&self, position: &Point, radius_mm: f64) -> Vec<u32> {
        let mut found = Vec::new();
        self.tree.within_radius(position, radius_mm, |neighbour| found.push(neighbour.number));
        found
    }

    /// The point nearest to a position, and its distance, mm; `None` beyond `max_mm`.
    pub fn nearest(&self, position: &Point, max_mm: f64) -> Option<(u32, f64)> {
        self.tree.nearest(position, max_mm).map(|neighbour| (neighbour.number, neighbour.squared_mm2.sqrt()))
    }

    /// Whether the scene hides a position, by more than `tolerance_mm`; false if the sensor's position is not known.
    pub fn hides(&self, position: &Point, tolerance_mm: f64) -> bool {
        self.image.as_ref().is_some_and(|image| match image.towards(position) {
            Seen::Point(_, seen) => seen < (position - image.viewpoint).norm() - tolerance_mm,
            Seen::Nothing => false,
        })
    }

    /// Cosine between the normal of a point and another, without its sign if the normals are not oriented.
    pub fn cosine(&self, index: u32, normal: &Vector) -> f64 {
        let cosine = self.points[index as usize].normal.dot(normal);
        if self.oriented { cosine } else { cosine.abs() }
    }
}

/// At most [`MAX_POINTS`] of a cloud, evenly along a space-filling curve; and of each of its points, the index of the one near
/// it that is kept, or nothing if all are.
fn thinned(cloud: &Cloud) -> (Cloud, Vec<u32>) {
    if cloud.points.len() <= MAX_POINTS {
        return (Cloud { grid: None, ..cloud.clone() }, Vec::new());
    }
    let ordered = OrderedPoints::new(&cloud.points);
    let stride = cloud.points.len().div_ceil(MAX_POINTS);
    let kept: Vec<u32> = ordered.numbers.iter().step_by(stride).copied().collect();
    // Of the two along the curve, the nearer: it jumps.
    let mut stands_for = vec![0; cloud.points.len()];
    for (at, &number) in ordered.numbers.iter().enumerate() {
        let squared_mm2 = |kept_at: usize| {
            let other = ordered.points.get(kept_at * stride);
            other.map_or(f64::INFINITY, |other| (other - ordered.points[at]).norm_squared())
        };
        let (before, after) = (at / stride, at / stride + 1);
        stands_for[number as usize] = if squared_mm2(after) < squared_mm2(before) { after } else { before } as u32;
    }
    (cloud.select(&kept), stands_for)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn of_a_large_scan_each_point_has_one_near_it_that_stands_for_it() {
        let mut random = Random::new(3, 1);
        let mut draw = |high: f64| random.range(0.0, high);
        let points: Vec<Point> = (0..500_000).map(|_| Point::new(draw(100.0), draw(100.0), draw(0.1))).collect();
        let cloud = Cloud::from_points(points);
        let (kept, stands_for) = thinned(&cloud);
        assert!(kept.points.len() > MAX_POINTS / 2 && kept.points.len() <= MAX_POINTS);
        let away_mm = |(point, &own): (&Point, &u32)| (point - kept.points[own as usize]).norm();
        let mut distances_mm: Vec<f64> = cloud.points.iter().zip(&stands_for).map(away_mm).collect();
        distances_mm.sort_by(f64::total_cmp);
        // Their spacing is about 0.24 mm.
        assert!(distances_mm[490_000] < 1.0 && distances_mm[250_000] < 0.3, "{}", distances_mm[490_000]);
        assert_eq!(distances_mm.iter().filter(|own| **own == 0.0).count(), kept.points.len());
    }
}
