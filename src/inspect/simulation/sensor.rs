//! The simulated sensor: its rays, visibility and measurement errors.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::noise::Field;
use super::systematic::{SystematicError, SystematicErrorForm};
use base::{Progress, Result, UserError, random::Random};
use geometry::{Point, Pose, Surface, Vector};

/// A structured-light sensor. Sensor frame: origin at the camera's pinhole, z along the viewing direction, x towards
/// the projector ("across"), y "along".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensor {
    /// Distance from the camera to the centre of the measuring volume, mm. The housing ends in front of the camera's
    /// pinhole, so this exceeds the stand-off of a data sheet (150 mm here).
    pub working_distance_mm: f64,
    /// Depth of the measuring volume, mm.
    pub range_mm: f64,
    /// Field of view at the working distance, x and y, mm.
    pub field_mm: [f64; 2],
    /// Point spacing at the working distance, x and y, mm.
    pub pitch_mm: [f64; 2],
    /// Distance between camera and projector, mm.
    pub baseline_mm: f64,
    /// Maximum angle of incidence of camera ray and projector light, degrees.
    pub max_incidence_deg: f64,
    /// Standard deviation of the range noise at normal incidence, mm; grows with 1 / cos(incidence).
    pub range_sigma_mm: f64,
    /// Systematic range error on slanted surfaces: this times (1 / cos(incidence) - 1)³, mm, away from the camera.
    /// Models the blurring of fringes, small at first and growing rapidly towards the rim of a round face.
    #[serde(default)]
    pub slant_mm: f64,
    /// Share of the noise variance that is correlated over the field, 0 to 1.
    pub correlated_share: f64,
    /// Correlation length of that share at the working distance, mm.
    pub correlation_mm: f64,
    /// Magnitude of the systematic error over the field, mm; see [`super::systematic`].
    pub bias_mm: f64,
    /// Form of the systematic error.
    #[serde(default)]
    pub error_form: SystematicErrorForm,
    /// Seed of the systematic error if all snapshots share one; `None` if each snapshot has its own.
    #[serde(default)]
    pub error_seed: Option<u64>,
    /// Resolution that x and y of the points are rounded to, mm; 0 for no rounding.
    pub bin_mm: f64,
    /// Share of fly points, which occur at edges, 0 to below 0.5.
    pub fly_points: f64,
    /// Number of glossy spots on the part that give no points.
    pub glossy_patches: u32,
    /// Radius of the glossy spots, mm.
    pub glossy_radius_mm: f64,
}

impl Default for Sensor {
    /// A blue-light snapshot sensor mounted on a CMM: field of view 60 x 105 to 90 x 158 mm over 100 mm of range,
    /// resolution 0.09 x 0.15 x 0.035 mm.
    fn default() -> Self {
        Self {
            working_distance_mm: 250.0,
            range_mm: 100.0,
            field_mm: [75.0, 131.25],
            pitch_mm: [0.09, 0.15],
            baseline_mm: 90.0,
            max_incidence_deg: 75.0,
            range_sigma_mm: 0.035,
            slant_mm: 0.0,
            correlated_share: 0.5,
            correlation_mm: 1.0,
            bias_mm: 0.01,
            error_form: SystematicErrorForm::Waves,
            error_seed: None,
            bin_mm: 0.0,
            fly_points: 0.005,
            glossy_patches: 0,
            glossy_radius_mm: 2.0,
        }
    }
}

impl Sensor {
    /// The sensor with all lengths scaled, for a part `factor` times as large.
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            working_distance_mm: self.working_distance_mm * factor,
            range_mm: self.range_mm * factor,
            field_mm: self.field_mm.map(|length| length * factor),
            pitch_mm: self.pitch_mm.map(|length| length * factor),
            baseline_mm: self.baseline_mm * factor,
            range_sigma_mm: self.range_sigma_mm * factor,
            slant_mm: self.slant_mm * factor,
            correlation_mm: self.correlation_mm * factor,
            bias_mm: self.bias_mm * factor,
            bin_mm: self.bin_mm * factor,
            glossy_radius_mm: self.glossy_radius_mm * factor,
            ..self
        }
    }

    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        let lengths =
            [self.working_distance_mm, self.range_mm, self.pitch_mm[0], self.pitch_mm[1], self.correlation_mm];
        let positive = lengths.iter().chain(&self.field_mm).all(|length| *length > 0.0 && length.is_finite());
        let pixels = self.columns() as u64 * self.rows() as u64;
        if !positive || self.range_mm >= 2.0 * self.working_distance_mm {
            return Err(UserError::usage(
                "The sensor's distances must be positive, and its range must not reach behind the camera.",
            ));
        }
        if pixels > 100_000_000 {
            return Err(UserError::usage(format!(
                "The sensor would have {pixels} rays; choose a coarser pitch or a smaller field."
            )));
        }
        if !(0.0..=1.0).contains(&self.correlated_share) || !(0.0..0.5).contains(&self.fly_points) {
            return Err(UserError::usage(
                "Shares of the sensor's noise must lie between 0 and 1 (fly points below 0.5).",
            ));
        }
        Ok(())
    }

    /// `point` with x and y rounded to the resolution.
    fn binned(&self, point: Point) -> Point {
        let rounded = |value: f64| if self.bin_mm > 0.0 { (value / self.bin_mm).round() * self.bin_mm } else { value };
        Point::new(rounded(point.x), rounded(point.y), point.z)
    }

    /// Number of rays along x.
    pub fn columns(&self) -> u32 {
        (self.field_mm[0] / self.pitch_mm[0]).floor() as u32 + 1
    }

    /// Number of rays along y.
    pub fn rows(&self) -> u32 {
        (self.field_mm[1] / self.pitch_mm[1]).floor() as u32 + 1
    }
}

/// A measured point, sensor frame.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotPoint {
    /// Reported position, mm.
    pub measured: Point,
    /// True intersection of its ray with the part, mm.
    pub truth: Point,
    /// Column of its ray.
    pub column: u32,
    /// Row of its ray.
    pub row: u32,
}

/// Points measured from one sensor pose.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The points, row by row.
    pub points: Vec<SnapshotPoint>,
}

/// Visible intersection of a ray with the part, without noise.
#[derive(Clone, Copy)]
struct RayHit {
    /// Distance along the ray, mm.
    depth: f64,
    /// Cosine of the angle of incidence, above 0.
    cosine: f64,
}

/// Takes snapshot `number` of `part` from `nominal_from_sensor`; `seed` and `number` determine all random numbers.
///
/// Returns an error if the work is cancelled.
pub fn take(
    part: &Surface,
    sensor: &Sensor,
    nominal_from_sensor: &Pose,
    seed: u64,
    number: u64,
    progress: &Progress,
) -> Result<Snapshot> {
    let (columns, rows) = (sensor.columns(), sensor.rows());
    let glossy = glossy_patches(part, sensor, seed);
    let mut hits: Vec<Option<RayHit>> = vec![None; rows as usize * columns as usize];
    hits.par_chunks_mut(columns as usize).zip(0..rows).for_each(|(hits, row)| {
        if !progress.is_cancelled() {
            for (hit, column) in hits.iter_mut().zip(0..columns) {
                *hit = trace(part, sensor, nominal_from_sensor, ray(sensor, column, row), &glossy);
            }
        }
    });
    progress.check()?;
    let edges = edges(&hits, columns, rows, 20.0 * sensor.pitch_mm[0]);
    let valid = hits.iter().flatten().count();
    let edge_count = edges.iter().filter(|edge| **edge).count();
    let fly_chance = sensor.fly_points * valid as f64 / edge_count.max(1) as f64;
    let stream = |kind: u64| kind << 32 | number;
    let field = Field::correlated(sensor, &mut Random::new(seed, stream(1)));
    let mut drawn = sensor.error_seed.map_or_else(|| Random::new(seed, stream(2)), |own| Random::new(own, 0xE440));
    let error = SystematicError::of(sensor, &mut drawn);
    let in_row = |row: u32| {
        let mut random = Random::new(seed, stream(3) ^ u64::from(row) << 44);
        let first = row as usize * columns as usize;
        let mut points = Vec::with_capacity(hits[first..first + columns as usize].iter().flatten().count());
        if points.capacity() > 0 {
            points.extend((0..columns).filter_map(|column| {
                let cell = first + column as usize;
                // Every ray draws equally many numbers, so that a point's noise does not depend on other points.
                let (white, flies, fly) = (random.normal(), random.uniform(), random.normal());
                let RayHit { depth, cosine } = hits[cell]?;
                let [x, y] = on_plane(sensor, column, row);
                let sigma = sensor.range_sigma_mm / cosine;
                let share = sensor.correlated_share;
                let spread = sigma * ((1.0 - share).sqrt() * white + share.sqrt() * field.at(x, y));
                let noise = spread + error.at(x, y, depth) + sensor.slant_mm * (1.0 / cosine - 1.0).powi(3);
                let fly = if edges[cell] && flies < fly_chance { 15.0 * sensor.pitch_mm[0] * fly.abs() } else { 0.0 };
                let direction = ray(sensor, column, row);
                let [dx, dy] = error.lateral_at(x, y);
                let lateral = Vector::new(dx, dy, 0.0);
                Some(SnapshotPoint {
                    measured: sensor.binned(Point::from(direction * (depth + noise + fly) + lateral)),
                    truth: Point::from(direction * depth),
                    column,
                    row,
                })
            }));
        }
        points
    };
    let points: Vec<Vec<SnapshotPoint>> = (0..rows).into_par_iter().map(in_row).collect();
    Ok(Snapshot { points: points.concat() })
}

/// Whether any facet of `part` may lie in the measuring volume of the sensor at `nominal_from_sensor`; never false if
/// one does.
pub(super) fn may_see(part: &Surface, sensor: &Sensor, nominal_from_sensor: &Pose) -> bool {
    let sensor_from_nominal = nominal_from_sensor.inverse();
    let [near, far] = [-0.5, 0.5].map(|share| sensor.working_distance_mm + share * sensor.range_mm);
    let [across, along] = sensor.field_mm.map(|length| 0.5 * length / sensor.working_distance_mm);
    // Positive on the outside of each plane of the volume.
    let outside = |p: &Point| {
        [near - p.z, p.z - far, p.x - across * p.z, -p.x - across * p.z, p.y - along * p.z, -p.y - along * p.z]
    };
    let mesh = part.mesh();
    (0..mesh.facets.len()).into_par_iter().any(|facet| {
        let corners = mesh.corners(facet).map(|corner| outside(&(sensor_from_nominal * corner)));
        (0..6).all(|plane| corners.iter().any(|corner| corner[plane] <= 0.0))
    })
}

/// Intersection of a ray with the plane at the working distance, x and y, mm.
fn on_plane(sensor: &Sensor, column: u32, row: u32) -> [f64; 2] {
    [
        (f64::from(column) - 0.5 * f64::from(sensor.columns() - 1)) * sensor.pitch_mm[0],
        (f64::from(row) - 0.5 * f64::from(sensor.rows() - 1)) * sensor.pitch_mm[1],
    ]
}

/// Unit direction of a ray, sensor frame.
fn ray(sensor: &Sensor, column: u32, row: u32) -> Vector {
    let [x, y] = on_plane(sensor, column, row);
    Vector::new(x, y, sensor.working_distance_mm).normalize()
}

/// Intersection of a ray (unit `direction`, sensor frame) with `part`; `None` if nothing is measured there: out of
/// range, too oblique, back of a closed part, hidden from the projector, or glossy.
fn trace(
    part: &Surface,
    sensor: &Sensor,
    nominal_from_sensor: &Pose,
    direction: Vector,
    glossy: &[Point],
) -> Option<RayHit> {
    let camera = nominal_from_sensor * Point::origin();
    let along = nominal_from_sensor.rotation * direction;
    let (near, far) = (
        (sensor.working_distance_mm - 0.5 * sensor.range_mm) / direction.z,
        (sensor.working_distance_mm + 0.5 * sensor.range_mm) / direction.z,
    );
    let hit = part.first_hit(&camera, &along, 0.0, far)?;
    if hit.t < near {
        return None;
    }
    let point = camera + along * hit.t;
    let normal = part.mesh().normal(hit.facet as usize);
    let cosine = -normal.dot(&along);
    let projector = nominal_from_sensor * Point::new(sensor.baseline_mm, 0.0, 0.0);
    let light = (point - projector).normalize();
    if cosine <= 0.0 && part.topology().is_closed() {
        return None;
    }
    let min_cosine = sensor.max_incidence_deg.to_radians().cos();
    // Open surfaces are visible from both sides.
    if cosine.abs() < min_cosine
        || (normal.dot(&light)).abs() < min_cosine
        || (cosine > 0.0) == (normal.dot(&light) > 0.0)
    {
        return None;
    }
    if part.is_blocked(&projector, &point, 1e-6 * sensor.working_distance_mm) {
        return None;
    }
    if glossy.iter().any(|patch| (patch - point).norm() < sensor.glossy_radius_mm) {
        return None;
    }
    Some(RayHit { depth: hit.t, cosine: cosine.abs() })
}

fn glossy_patches(part: &Surface, sensor: &Sensor, seed: u64) -> Vec<Point> {
    geometry::sampling::by_area(part.mesh(), sensor.glossy_patches as usize, seed ^ 0x6105)
        .iter()
        .map(|sample| sample.point)
        .collect()
}

/// By ray: whether it has a hit and lies beside a depth jump above `jump_mm` or beside a ray without a hit.
fn edges(hits: &[Option<RayHit>], columns: u32, rows: u32, jump_mm: f64) -> Vec<bool> {
    let is_inside =
        |column: i64, row: i64| (0..i64::from(columns)).contains(&column) && (0..i64::from(rows)).contains(&row);
    let at = |column: i64, row: i64| {
        if is_inside(column, row) {
            hits[(row * i64::from(columns) + column) as usize].map(|hit| hit.depth)
        } else {
            None
        }
    };
    (0..i64::from(rows))
        .into_par_iter()
        .flat_map_iter(|row| {
            (0..i64::from(columns)).map(move |column| {
                at(column, row).is_some_and(|depth| {
                    [(1, 0), (-1, 0), (0, 1), (0, -1)].iter().any(|&(dx, dy)| {
                        // The border of the field of view is no edge of the part.
                        is_inside(column + dx, row + dy)
                            && at(column + dx, row + dy).is_none_or(|next| (next - depth).abs() > jump_mm)
                    })
                })
            })
        })
        .collect()
}
