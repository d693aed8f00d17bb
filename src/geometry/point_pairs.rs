//! Oriented points, and a table of all pairs of those of a part by their point pair features.
//!
//! The feature of a pair is its distance and three angles: of each normal with the line between the points, and between
//! the normals (Drost, Ulrich, Navab and Ilic, "Model globally, match locally", CVPR 2010).

use rayon::prelude::*;

use super::{Aabb, Mesh, Point, Vector, sampling, thinning};

/// Bins of each angle from 0 to π.
const ANGLE_STEPS: u32 = 15;
/// Larger buckets do not vote: their pairs are unspecific (two points of one plane) and cost the most time.
const MAX_BUCKET_PAIRS: usize = 2_500;

/// A point with its unit normal.
#[derive(Clone, Copy, Debug)]
pub struct OrientedPoint {
    /// Position, mm.
    pub point: Point,
    /// Unit normal.
    pub normal: Vector,
}

/// About `count` points of a mesh, spread evenly at `spacing_mm`, on both sides of thin sheets.
pub fn oriented_points(mesh: &Mesh, count: usize, spacing_mm: f64) -> Vec<OrientedPoint> {
    let samples = sampling::by_area(mesh, count * 12, 0);
    // Thinned separately by the sign of the normal, so that both sides of a thin sheet are represented.
    let mut kept = Vec::new();
    for positive in [true, false] {
        let side: Vec<usize> = (0..samples.len()).filter(|&i| is_positive(&samples[i].normal) == positive).collect();
        let points: Vec<Point> = side.iter().map(|&i| samples[i].point).collect();
        kept.extend(thinning::one_per_cell(&points, spacing_mm).iter().map(|&i| side[i as usize]));
    }
    kept.sort_unstable();
    kept.iter().map(|&i| OrientedPoint { point: samples[i].point, normal: samples[i].normal }).collect()
}

fn is_positive(normal: &Vector) -> bool {
    let dominant = normal.iamax();
    normal[dominant] > 0.0
}

/// A pair of points of a part.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointPair {
    /// Index of its first point in the model.
    pub first: u32,
    /// Angle of its second point about the normal of the first, rad; see [`angle_about_normal`].
    pub angle: f32,
}

/// The pairs in buckets by quantised feature.
pub struct PairTable {
    distance_step_mm: f64,
    distance_steps: u32,
    /// Index of the first entry of each bucket, and one past the last entry.
    starts: Vec<u32>,
    entries: Vec<PointPair>,
}

/// Point pair feature: distance (mm) and angles (rad); `None` for coincident points.
pub fn pair_feature(first: &OrientedPoint, second: &OrientedPoint) -> Option<(f64, [f64; 3])> {
    let line = second.point - first.point;
    let distance = line.norm();
    if distance <= 0.0 {
        return None;
    }
    let along = line / distance;
    let angle = |cosine: f64| cosine.clamp(-1.0, 1.0).acos();
    Some((
        distance,
        [angle(first.normal.dot(&along)), angle(second.normal.dot(&along)), angle(first.normal.dot(&second.normal))],
    ))
}

/// Angle of `second` about the normal of `first`, rad, after rotating that normal onto x ([`onto_x`]): atan2(-z, y).
pub fn angle_about_normal(first: &OrientedPoint, second: &OrientedPoint) -> f64 {
    let local = onto_x(&first.normal) * (second.point - first.point);
    (-local.z).atan2(local.y)
}

/// The shortest rotation of `normal` onto the x axis.
pub fn onto_x(normal: &Vector) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::rotation_between(normal, &Vector::x())
        .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector::y_axis(), std::f64::consts::PI))
}

impl PairTable {
    /// Tabulates all pairs of `model`, whose point spacing is `spacing_mm`.
    pub fn new(model: &[OrientedPoint], spacing_mm: f64) -> Self {
        let diameter = Aabb::of_points(model.iter().map(|p| &p.point)).diagonal();
        let distance_step_mm = spacing_mm.max(diameter / 60.0).max(f64::MIN_POSITIVE);
        let distance_steps = (diameter / distance_step_mm).ceil() as u32 + 1;
        let mut table = Self { distance_step_mm, distance_steps, starts: Vec::new(), entries: Vec::new() };
        let keyed: Vec<(u32, PointPair)> = (0..model.len())
            .into_par_iter()
            .flat_map_iter(|first| {
                let table = &table;
                (0..model.len()).filter(move |&second| second != first).filter_map(move |second| {
                    let (distance, angles) = pair_feature(&model[first], &model[second])?;
                    let entry = PointPair {
                        first: first as u32,
                        angle: angle_about_normal(&model[first], &model[second]) as f32,
                    };
                    Some((table.key(distance, angles)?, entry))
                })
            })
            .collect();
        let buckets = (distance_steps * ANGLE_STEPS.pow(3)) as usize;
        let mut starts = vec![0_u32; buckets + 1];
        keyed.iter().for_each(|(key, _)| starts[*key as usize + 1] += 1);
        for bucket in 0..buckets {
            starts[bucket + 1] += starts[bucket];
        }
        let mut next = starts.clone();
        let mut entries = vec![PointPair::default(); keyed.len()];
        for (key, entry) in keyed {
            let slot = &mut next[key as usize];
            entries[*slot as usize] = entry;
            *slot += 1;
        }
        table.starts = starts;
        table.entries = entries;
        table
    }

    /// The pairs of the nominal with the same quantised feature; empty for oversized buckets.
    #[inline]
    pub fn similar(&self, distance: f64, angles: [f64; 3]) -> &[PointPair] {
        let Some(key) = self.key(distance, angles) else {
            return &[];
        };
        let (from, to) = (self.starts[key as usize] as usize, self.starts[key as usize + 1] as usize);
        if to - from > MAX_BUCKET_PAIRS { &[] } else { &self.entries[from..to] }
    }

    /// Upper bound of the distances in the table, mm.
    pub fn reach_mm(&self) -> f64 {
        self.distance_step_mm * f64::from(self.distance_steps)
    }

    /// Bucket of a feature; `None` if the distance is out of range.
    #[inline]
    fn key(&self, distance: f64, angles: [f64; 3]) -> Option<u32> {
        let step = (distance / self.distance_step_mm) as u32;
        if step >= self.distance_steps {
            return None;
        }
        let scale = f64::from(ANGLE_STEPS) / std::f64::consts::PI;
        Some(angles.iter().fold(step, |key, angle| key * ANGLE_STEPS + ((angle * scale) as u32).min(ANGLE_STEPS - 1)))
    }
}
