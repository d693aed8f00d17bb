//! Simulated structured-light sensor and CMM: scans with known true deviations, for the demo, for tests and for trying
//! out parameters.
//!
//! Camera and projector are pinholes; a point is measured where both see the part. Range noise grows with the angle of
//! incidence, part of it is correlated over the surface, and edges give fly points. Everything is determined by a seed.

pub mod cmm;
pub mod defects;
pub mod greyscale;
pub mod hand;
pub mod noise;
pub mod pile;
pub mod sensor;
mod settling;
pub mod systematic;
pub mod views;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError, limits, random::Random};
use defects::Defect;
use geometry::{Cloud, Point, Pose, Surface};
use sensor::{Sensor, Snapshot};

/// Parameters of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The sensor.
    pub sensor: Sensor,
    /// Defects of the part, applied before it is scanned.
    pub defects: Vec<Defect>,
    /// Sensor pose of each snapshot; empty for [`views::around`] with `views` directions.
    pub nominal_from_sensor: Vec<Pose>,
    /// Number of view directions if no poses are given.
    pub views: usize,
    /// Pose of the nominal frame in the frame of the merged scan.
    pub scan_from_nominal: Pose,
    /// Number of points to keep of all snapshots together; `None` for all.
    pub points: Option<usize>,
    /// Share of gross outliers in the scan, scattered around the part, 0 to 0.9.
    pub outliers: f64,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            sensor: Sensor::default(),
            defects: Vec::new(),
            nominal_from_sensor: Vec::new(),
            views: 12,
            scan_from_nominal: Pose::identity(),
            points: None,
            outliers: 0.0,
            seed: 1,
        }
    }
}

/// A simulated scan with its true values.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The measured points, scan frame, mm, with directions to the sensor.
    pub cloud: Cloud,
    /// True signed deviation of each point from the nominal, without noise, mm; NaN for gross outliers.
    pub true_deviation_mm: Vec<f32>,
    /// True pose of the scan.
    pub nominal_from_scan: Pose,
    /// Sensor pose of each snapshot.
    pub nominal_from_sensor: Vec<Pose>,
}

/// Scans `nominal` with the defects of `parameters`.
///
/// Returns an error if a parameter is out of range, if the sensor sees no point of the part, or if the work is
/// cancelled.
pub fn run(nominal: &Surface, parameters: &Parameters, progress: &Progress) -> Result<Simulation> {
    parameters.sensor.check()?;
    let part = Surface::new(defects::apply(nominal.mesh(), &parameters.defects)?);
    let poses = if parameters.nominal_from_sensor.is_empty() {
        views::around(nominal.bounds(), &parameters.sensor, parameters.views)
    } else {
        parameters.nominal_from_sensor.clone()
    };
    let mut measured = Measured::default();
    for (index, pose) in poses.iter().enumerate() {
        progress.report(index as f32 / poses.len() as f32, "Taking snapshots")?;
        check_room(measured.points.len(), index, poses.len())?;
        if !sensor::may_see(&part, &parameters.sensor, pose) {
            continue;
        }
        measured.add(&sensor::take(&part, &parameters.sensor, pose, parameters.seed, index as u64, progress)?, pose);
        // Of points that are thinned later, most deviations would be in vain.
        if parameters.points.is_none() {
            measured.find_deviations(nominal);
        }
    }
    if measured.points.is_empty() {
        return Err(UserError::input(
            "The simulated sensor saw no point of the part; check the sensor's pose and stand-off, and the unit of the \
             nominal.",
        ));
    }
    if let Some(count) = parameters.points {
        measured.thin(count, parameters.seed);
        measured.find_deviations(nominal);
    }
    measured.add_outliers(&part, parameters);
    let scan_from_nominal = parameters.scan_from_nominal;
    Ok(Simulation {
        true_deviation_mm: std::mem::take(&mut measured.true_deviation_mm),
        cloud: measured.into_cloud(&scan_from_nominal),
        nominal_from_scan: scan_from_nominal.inverse(),
        nominal_from_sensor: poses,
    })
}

/// Memory per point of a scan that is not thinned, bytes.
const BYTES_PER_POINT: f64 = (size_of::<Point>() + size_of::<[f32; 4]>()) as f64;
/// Snapshots after which the size of the whole scan is foreseen.
const FORESEEN_AFTER: usize = 8;

/// Returns an error if the scan would not fit into memory, going by the points of the snapshots `taken` of `all`.
fn check_room(points: usize, taken: usize, all: usize) -> Result<()> {
    let expected = points as f64 * all as f64 / taken.max(1) as f64;
    let missing_bytes = (expected - points as f64) * BYTES_PER_POINT;
    if taken < FORESEEN_AFTER || limits::available_bytes().is_none_or(|free| missing_bytes < 0.9 * free as f64) {
        return Ok(());
    }
    Err(UserError::input(format!(
        "The scan would have about {:.0} million points, more than fit into memory. Take fewer views, or a sensor with \
         a larger field and coarser points.",
        expected / 1e6
    )))
}

/// The points of the snapshots so far, nominal frame, mm.
#[derive(Default)]
struct Measured {
    points: Vec<Point>,
    /// Unit directions to the sensor.
    to_sensor: Vec<[f32; 3]>,
    /// True signed deviations of the first points; NaN for gross outliers.
    true_deviation_mm: Vec<f32>,
    /// The points after these, without noise.
    truths: Vec<Point>,
}

impl Measured {
    fn add(&mut self, snapshot: &Snapshot, nominal_from_sensor: &Pose) {
        for point in &snapshot.points {
            self.points.push(nominal_from_sensor * point.measured);
            self.truths.push(nominal_from_sensor * point.truth);
            let to_sensor = nominal_from_sensor.rotation * -point.measured.coords.normalize();
            self.to_sensor.push(to_sensor.cast::<f32>().into());
        }
    }

    /// Puts deviations in place of the points without noise.
    fn find_deviations(&mut self, nominal: &Surface) {
        self.true_deviation_mm.par_extend(self.truths.par_drain(..).map(|truth| {
            let hit = nominal.closest_point(&truth, f64::INFINITY);
            hit.map_or(f32::NAN, |hit| nominal.signed_distance_mm(&truth, &hit) as f32)
        }));
    }

    /// Keeps `count` randomly drawn points, in their order.
    fn thin(&mut self, count: usize, seed: u64) {
        let mut random = Random::new(seed, 0x7419);
        let total = self.points.len();
        let mut needed = count.min(total);
        let mut kept = 0;
        for index in 0..total {
            // Selection sampling (Knuth, TAOCP 3.4.2, algorithm S).
            if random.uniform() * ((total - index) as f64) < needed as f64 {
                needed -= 1;
                self.points.swap(kept, index);
                self.to_sensor.swap(kept, index);
                self.truths.swap(kept, index);
                kept += 1;
            }
        }
        self.points.truncate(kept);
        self.to_sensor.truncate(kept);
        self.truths.truncate(kept);
    }

    fn add_outliers(&mut self, part: &Surface, parameters: &Parameters) {
        let share = parameters.outliers.clamp(0.0, 0.9);
        let count = (self.points.len() as f64 * share / (1.0 - share)).round() as usize;
        let bounds = part.bounds().grown(0.1 * part.bounds().diagonal());
        let mut random = Random::new(parameters.seed, 0x0071);
        for _ in 0..count {
            let draw = |random: &mut Random, axis: usize| random.range(bounds.min[axis], bounds.max[axis]);
            self.points.push(Point::new(draw(&mut random, 0), draw(&mut random, 1), draw(&mut random, 2)));
            self.to_sensor.push((random.rotation() * geometry::Vector::z()).cast::<f32>().into());
            self.true_deviation_mm.push(f32::NAN);
        }
    }

    fn into_cloud(mut self, scan_from_nominal: &Pose) -> Cloud {
        self.points.par_iter_mut().for_each(|point| *point = scan_from_nominal * *point);
        self.to_sensor.par_iter_mut().for_each(|direction| {
            *direction = (scan_from_nominal.rotation * geometry::cloud::vector(*direction)).cast::<f32>().into();
        });
        Cloud { points: self.points, to_sensor: self.to_sensor, ..Cloud::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Vector, mesh::shapes};

    fn plate() -> Surface {
        Surface::new(shapes::cuboid(Point::new(-20.0, -15.0, 0.0), Point::new(20.0, 15.0, 4.0)))
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_seed_does_not() {
        let parameters = Parameters { views: 2, points: Some(5000), ..Parameters::default() };
        let first = run(&plate(), &parameters, &Progress::silent()).unwrap();
        let second = run(&plate(), &parameters, &Progress::silent()).unwrap();
        assert_eq!(first.cloud.points, second.cloud.points);
        assert_eq!(first.cloud.points.len(), 5000);
        let other = run(&plate(), &Parameters { seed: 2, ..parameters }, &Progress::silent()).unwrap();
        assert_ne!(first.cloud.points, other.cloud.points);
    }

    #[test]
    fn noise_at_normal_incidence_has_the_given_sigma_and_true_deviations_show_the_bump() {
        let bump = Defect::Bump { centre_mm: [0.0, 0.0, 4.0], radius_mm: 5.0, height_um: 300.0 };
        let parameters = Parameters {
            defects: vec![bump],
            nominal_from_sensor: vec![views::looking_at(&Point::new(0.0, 0.0, 4.0), &Vector::z(), &Sensor::default())],
            sensor: Sensor { fly_points: 0.0, bias_mm: 0.0, ..Sensor::default() },
            ..Parameters::default()
        };
        let nominal = plate();
        let simulation = run(&nominal, &parameters, &Progress::silent()).unwrap();
        let max = simulation.true_deviation_mm.iter().copied().fold(f32::MIN, f32::max);
        assert!((max - 0.3).abs() < 0.003, "{max}");
        let mut errors = Vec::new();
        for (point, truth) in simulation.cloud.points.iter().zip(&simulation.true_deviation_mm) {
            if *truth == 0.0 && point.x.abs() < 15.0 && point.y.abs() < 10.0 {
                errors.push(point.z - 4.0);
            }
        }
        let sigma = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        assert!((sigma - 0.035).abs() < 0.003, "{sigma}");
    }

    #[test]
    fn the_projector_casts_a_shadow_behind_a_wall() {
        let mut mesh = shapes::cuboid(Point::new(-30.0, -30.0, -1.0), Point::new(30.0, 30.0, 0.0));
        mesh.append(&shapes::cuboid(Point::new(-1.0, -20.0, 0.0), Point::new(1.0, 20.0, 25.0)));
        let surface = Surface::new(mesh);
        let pose = views::looking_at(&Point::new(0.0, 0.0, 0.0), &Vector::z(), &Sensor::default());
        let parameters = Parameters { nominal_from_sensor: vec![pose], ..Parameters::default() };
        let simulation = run(&surface, &parameters, &Progress::silent()).unwrap();
        let floor = |low: f64, high: f64| {
            simulation
                .cloud
                .points
                .iter()
                .filter(|p| p.z.abs() < 0.3 && p.y.abs() < 15.0 && (low..high).contains(&p.x))
                .count()
        };
        let (one, other) = (floor(-6.0, -2.0), floor(2.0, 6.0));
        assert!(one.min(other) * 3 < one.max(other), "{one} {other}");
    }

    #[test]
    fn snapshots_beside_the_part_are_left_out_without_a_change() {
        let (part, sensor) = (plate(), Sensor::default());
        let mut seen = 0;
        for index in 0..60 {
            let from = Vector::new(f64::from(index % 5) - 2.0, f64::from(index % 3) - 1.0, 1.0);
            let target = Point::new(f64::from(index) * 2.5, 0.0, f64::from(index % 7) * 15.0);
            let pose = views::looking_at(&target, &from, &sensor);
            let snapshot = sensor::take(&part, &sensor, &pose, 1, 0, &Progress::silent()).unwrap();
            let is_seen = sensor::may_see(&part, &sensor, &pose);
            assert!(is_seen || snapshot.points.is_empty(), "{index}: {}", snapshot.points.len());
            seen += usize::from(is_seen);
        }
        assert!((10..50).contains(&seen), "{seen}");
    }

    #[test]
    fn a_scan_that_does_not_fit_into_memory_is_refused_early() {
        assert!(check_room(2_000_000, 10, 20).is_ok() && check_room(usize::MAX >> 20, 2, 2000).is_ok());
        let refused = check_room(40_000_000, 10, 3_000_000).unwrap_err().sentence;
        assert!(refused.contains("million points"), "{refused}");
    }

    #[test]
    fn a_sensor_that_sees_nothing_is_an_error() {
        let away = Pose::translation(0.0, 0.0, 1e5);
        let parameters = Parameters { nominal_from_sensor: vec![away], ..Parameters::default() };
        assert!(run(&plate(), &parameters, &Progress::silent()).unwrap_err().sentence.contains("saw no point"));
    }
}
