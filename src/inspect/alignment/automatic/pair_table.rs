//! All pairs of oriented points of the nominal, found again by their shape.
//!
//! The shape of a pair is its distance and the three angles between its normals and the line between them (point pair
//! feature; Drost, Ulrich, Navab and Ilic, "Model globally, match locally", CVPR 2010).

use rayon::prelude::*;

use super::OrientedPoint;
use geometry::Vector;

/// Steps of each angle over π.
const ANGLE_STEPS: u32 = 15;
/// Buckets with more pairs than this say little (two points of one plane) and cost most: they do not vote.
const LARGEST_BUCKET: usize = 2_500;

/// A pair as votes need it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Number of its first point in the model.
    pub first: u32,
    /// Angle of its second point about the first one's normal, rad.
    pub angle: f32,
}

/// The pairs, in buckets by shape.
pub(super) struct PairTable {
    distance_step_mm: f64,
    distance_steps: u32,
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// Distance and angles of a pair, quantised; what a bucket holds.
pub(super) fn shape(first: &OrientedPoint, second: &OrientedPoint) -> Option<(f64, [f64; 3])> {
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

/// Angle of `second` about the normal of `first`, in the frame that turns that normal onto x.
pub(super) fn turn(first: &OrientedPoint, second: &OrientedPoint) -> f64 {
    let local = onto_x(&first.normal) * (second.point - first.point);
    (-local.z).atan2(local.y)
}

/// The rotation that turns `normal` onto the x axis the short way.
pub(super) fn onto_x(normal: &Vector) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::rotation_between(normal, &Vector::x())
        .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector::y_axis(), std::f64::consts::PI))
}

impl PairTable {
    /// Tabulates all pairs of `model`, whose points are `spacing_mm` apart.
    pub fn new(model: &[OrientedPoint], spacing_mm: f64) -> Self {
        let diameter = geometry::Aabb::of_points(model.iter().map(|p| &p.point)).diagonal();
        let distance_step_mm = spacing_mm.max(diameter / 60.0).max(f64::MIN_POSITIVE);
        let distance_steps = (diameter / distance_step_mm).ceil() as u32 + 1;
        let mut table = Self { distance_step_mm, distance_steps, starts: Vec::new(), entries: Vec::new() };
        let keyed: Vec<(u32, Entry)> = (0..model.len())
            .into_par_iter()
            .flat_map_iter(|first| {
                let table = &table;
                (0..model.len()).filter(move |&second| second != first).filter_map(move |second| {
                    let (distance, angles) = shape(&model[first], &model[second])?;
                    let entry = Entry { first: first as u32, angle: turn(&model[first], &model[second]) as f32 };
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
        let mut entries = vec![Entry::default(); keyed.len()];
        for (key, entry) in keyed {
            let place = &mut next[key as usize];
            entries[*place as usize] = entry;
            *place += 1;
        }
        table.starts = starts;
        table.entries = entries;
        table
    }

    /// The pairs of the nominal with the shape of this one.
    #[inline]
    pub fn similar(&self, distance: f64, angles: [f64; 3]) -> &[Entry] {
        let Some(key) = self.key(distance, angles) else {
            return &[];
        };
        let (from, to) = (self.starts[key as usize] as usize, self.starts[key as usize + 1] as usize);
        if to - from > LARGEST_BUCKET { &[] } else { &self.entries[from..to] }
    }

    /// Longest distance in the table, mm.
    pub fn reach_mm(&self) -> f64 {
        self.distance_step_mm * f64::from(self.distance_steps)
    }

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
