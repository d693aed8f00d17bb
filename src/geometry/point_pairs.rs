//! Oriented points, and a table of all pairs of those of a part by their point pair features.
//!
//! The feature of a pair is its distance and three angles: of each normal with the line between the points, and between
//! the normals (Drost, Ulrich, Navab and Ilic, "Model globally, match locally", CVPR 2010).
//!
//! Features are found in f32, each expression in one order and with polynomials of our own instead of a library's acos and
//! atan2, so that every device finds the same buckets.

use rayon::prelude::*;

use super::sampling::{self, SurfaceSample};
use super::{Aabb, Mesh, Point, Vector, thinning};

/// Bins of each angle from 0 to π; `ANGLE_STEPS` of pose_votes.cu.
const ANGLE_STEPS: u32 = 15;
/// Larger buckets do not vote: their pairs are unspecific (two points of one plane) and cost the most time.
const MAX_BUCKET_PAIRS: u32 = 2_500;

/// A point with its unit normal.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OrientedPoint {
    /// Position, mm.
    pub point: Point,
    /// Unit normal.
    pub normal: Vector,
}

impl From<&SurfaceSample> for OrientedPoint {
    fn from(own: &SurfaceSample) -> Self {
        Self { point: own.point, normal: own.normal }
    }
}

/// `count` points of a mesh with uniform density per area, see [`sampling::by_area`].
pub fn sampled_points(mesh: &Mesh, count: usize, seed: u64) -> Vec<OrientedPoint> {
    sampling::by_area(mesh, count, seed).iter().map(OrientedPoint::from).collect()
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
    kept.iter().map(|&i| OrientedPoint::from(&samples[i])).collect()
}

fn is_positive(normal: &Vector) -> bool {
    let dominant = normal.iamax();
    normal[dominant] > 0.0
}

/// A point and its normal in f32, about a centre that all of its kind share, with two axes that complete the normal to the
/// frame in which directions about it are measured; `LocalPoint` of pose_votes.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct LocalPoint {
    /// Position about the centre, mm.
    pub point: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
    /// Directions that the shortest rotation of the normal onto x takes to y and to z.
    pub axes: [[f32; 3]; 2],
}

impl LocalPoint {
    /// A point about a centre.
    pub fn new(own: &OrientedPoint, centre: &Point) -> Self {
        let rotation = onto_x(&own.normal).inverse();
        Self {
            point: (own.point - centre).cast::<f32>().into(),
            normal: own.normal.cast::<f32>().into(),
            axes: [Vector::y(), Vector::z()].map(|axis| (rotation * axis).cast::<f32>().into()),
        }
    }

    /// The same with the opposite normal, about which directions are measured anew.
    pub fn turned(own: &OrientedPoint, centre: &Point) -> Self {
        Self::new(&OrientedPoint { normal: -own.normal, ..*own }, centre)
    }

    /// Vector to another point about the same centre, mm, and its squared length.
    #[inline]
    pub fn line_to(&self, other: &Self) -> ([f32; 3], f32) {
        let line = [0, 1, 2].map(|axis| other.point[axis] - self.point[axis]);
        (line, dot(line, line))
    }

    /// Direction of `line` about the normal, in 65536ths of a turn: atan2(-z, y) in the frame of the axes.
    #[inline]
    pub fn direction(&self, line: [f32; 3]) -> u16 {
        turn(-dot(self.axes[1], line), dot(self.axes[0], line))
    }
}

#[inline]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Angle of a cosine in bins of [`ANGLE_STEPS`] (Abramowitz and Stegun 4.4.45: to 7e-5 rad).
#[inline]
fn angle_bin(cosine: f32) -> u32 {
    let x = cosine.abs().min(1.0);
    let root = (1.0 - x).sqrt();
    let angle = root * (1.570_728_8 + x * (-0.212_114_4 + x * (0.074_261 + x * -0.018_729_3)));
    let angle = if cosine < 0.0 { std::f32::consts::PI - angle } else { angle };
    ((angle * (ANGLE_STEPS as f32 / std::f32::consts::PI)) as u32).min(ANGLE_STEPS - 1)
}

/// Angle of a direction in the plane, in 65536ths of a turn (Abramowitz and Stegun 4.4.49: to 1e-5 rad).
#[inline]
fn turn(y: f32, x: f32) -> u16 {
    let (across, along) = (y.abs(), x.abs());
    let ratio = across.min(along) / across.max(along).max(1e-30);
    let square = ratio * ratio;
    let series =
        0.999_866 + square * (-0.330_299_5 + square * (0.180_141 + square * (-0.085_133 + square * 0.020_835_1)));
    let eighth = ratio * series * (0.5 / std::f32::consts::PI);
    let quarter = if across > along { 0.25 - eighth } else { eighth };
    let half = if x < 0.0 { 0.5 - quarter } else { quarter };
    let whole = if y < 0.0 { 1.0 - half } else { half };
    (whole * 65_536.0) as u32 as u16
}

/// The shortest rotation of `normal` onto the x axis.
pub fn onto_x(normal: &Vector) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::rotation_between(normal, &Vector::x())
        .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector::y_axis(), std::f64::consts::PI))
}

/// A pair of points of a part; `Pair` of pose_votes.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PointPair {
    /// Index of its first point in the model.
    pub first: u16,
    /// Direction of its second point about the normal of the first, in 65536ths of a turn.
    pub direction: u16,
}

/// The pairs in buckets by quantised feature.
pub struct PairTable {
    steps_per_mm: f32,
    distance_steps: u32,
    /// Index of the first entry of each bucket, and one past the last entry.
    starts: Vec<u32>,
    entries: Vec<PointPair>,
}

impl PairTable {
    /// Most points of a part.
    pub const MAX_POINTS: usize = 1 << 16;

    /// Tabulates all pairs of `model`, whose point spacing is `spacing_mm`; points beyond the first
    /// [`Self::MAX_POINTS`] are left out.
    pub fn new(model: &[OrientedPoint], spacing_mm: f64) -> Self {
        let bounds = Aabb::of_points(model.iter().map(|p| &p.point));
        let diameter = bounds.diagonal();
        let distance_step_mm = spacing_mm.max(diameter / 60.0).max(f64::from(f32::MIN_POSITIVE));
        let distance_steps = (diameter / distance_step_mm).ceil() as u32 + 1;
        let mut table = Self {
            steps_per_mm: (1.0 / distance_step_mm) as f32,
            distance_steps,
            starts: Vec::new(),
            entries: Vec::new(),
        };
        let centre = bounds.centre();
        let local: Vec<LocalPoint> =
            model.iter().take(Self::MAX_POINTS).map(|own| LocalPoint::new(own, &centre)).collect();
        let keyed: Vec<(u32, PointPair)> = (0..local.len())
            .into_par_iter()
            .flat_map_iter(|first| {
                let (table, local) = (&table, &local);
                (0..local.len()).filter(move |&second| second != first).filter_map(move |second| {
                    let (line, squared) = local[first].line_to(&local[second]);
                    let key = table.key(&local[first], local[second].normal, line, squared)?;
                    Some((key, PointPair { first: first as u16, direction: local[first].direction(line) }))
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

    /// The pairs of the part with the same quantised feature as the pair of `first` and a point with `normal` at the end of
    /// `line` (mm; `squared`: its squared length); empty for oversized buckets.
    #[inline]
    pub fn similar(&self, first: &LocalPoint, normal: [f32; 3], line: [f32; 3], squared: f32) -> &[PointPair] {
        let Some(key) = self.key(first, normal, line, squared) else {
            return &[];
        };
        let (from, to) = (self.starts[key as usize], self.starts[key as usize + 1]);
        if to - from > MAX_BUCKET_PAIRS { &[] } else { &self.entries[from as usize..to as usize] }
    }

    /// Upper bound of the squared distances in the table, mm².
    pub fn reach_mm2(&self) -> f32 {
        let reach_mm = self.distance_steps as f32 / self.steps_per_mm;
        reach_mm * reach_mm
    }

    /// Distance steps per mm, and their number.
    pub fn distance_steps(&self) -> (f32, u32) {
        (self.steps_per_mm, self.distance_steps)
    }

    /// Index of the first entry of each bucket and one past the last entry; and the entries.
    pub fn buckets(&self) -> (&[u32], &[PointPair]) {
        (&self.starts, &self.entries)
    }

    /// Bucket of a pair; `None` if the points coincide or are too far apart.
    #[inline]
    fn key(&self, first: &LocalPoint, normal: [f32; 3], line: [f32; 3], squared: f32) -> Option<u32> {
        let distance = squared.sqrt();
        let step = (distance * self.steps_per_mm) as u32;
        if distance <= 0.0 || step >= self.distance_steps {
            return None;
        }
        let inverse = 1.0 / distance;
        let cosines = [dot(first.normal, line) * inverse, dot(normal, line) * inverse, dot(first.normal, normal)];
        Some(cosines.iter().fold(step, |key, &cosine| key * ANGLE_STEPS + angle_bin(cosine)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_library_to_a_thousandth_of_a_bin() {
        let bin_rad = std::f64::consts::PI / f64::from(ANGLE_STEPS);
        for number in 0..=20_000 {
            let cosine = f64::from(number) / 10_000.0 - 1.0;
            let bins = cosine.acos() / bin_rad;
            let is_inside = (bins - bins.round()).abs() > 1e-3;
            if is_inside {
                assert_eq!(angle_bin(cosine as f32), (bins as u32).min(ANGLE_STEPS - 1), "{cosine}");
            }
            let angle = f64::from(number) * std::f64::consts::TAU / 20_001.0;
            let found = f64::from(turn(3.0 * angle.sin() as f32, 3.0 * angle.cos() as f32)) / 65_536.0;
            let off = (found - angle / std::f64::consts::TAU).rem_euclid(1.0);
            assert!(off.min(1.0 - off) < 4e-5, "{angle} {found}");
        }
        assert_eq!((turn(0.0, 0.0), angle_bin(1.5), angle_bin(-1.5)), (0, 0, ANGLE_STEPS - 1));
    }
}
