//! Calibration on simulated truth: random mountings, whole snapshots of the artefact, touches of a CMM; how far off the
//! answers are, and how often the stated intervals hold the truth.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::angled_slots::Region;
use super::angled_slots::drawing::{Drawing, Imperfect};
use super::{ArtefactKind, Calibration, Handedness, MountingUncertainty, Request, angles_rad, calibrate, joint};
use crate::base::{Progress, Result, random::Random};
use crate::geometry::{Point, Pose, Surface, Vector};
use crate::inspect::simulation::cmm::Cmm;
use crate::inspect::simulation::sensor::{Sensor, take};

/// What the trials have in common.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The sensor.
    pub sensor: Sensor,
    /// The machine.
    pub cmm: Cmm,
    /// Touches of a region.
    pub touches: usize,
    /// How far the artefact is from its drawing.
    pub imperfect: Imperfect,
    /// Whether the program finds the regions; else they are taken from the truth, as by hand.
    pub automatic: bool,
    /// Decides every draw.
    pub seed: u64,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            sensor: Sensor::default(),
            cmm: Cmm::default(),
            touches: 25,
            imperfect: Imperfect::default(),
            automatic: false,
            seed: 1,
        }
    }
}

/// One mounting's errors, along and about the CMM's axes, and what was stated of them.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Displacement of the middle of the measuring volume, mm.
    pub place_mm: [f64; 3],
    /// Of the angles of Rx Ry Rz, rad.
    pub angles_rad: [f64; 3],
    /// Stated standard uncertainties of both.
    pub place_sigma_mm: [f64; 3],
    /// See above.
    pub angles_sigma_rad: [f64; 3],
}

/// A simulated calibration: what both devices measure of the artefact, and the truth.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The mounting.
    pub cmm_from_sensor: Pose,
    /// How the artefact lies.
    pub cmm_from_artefact: Pose,
    /// Where the machine's scales say it stood, mm.
    pub position_mm: Vector,
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// The snapshot as the sensor reports it.
    pub snapshot: Vec<Point>,
    /// The points of each region, taken from the truth as a hand would.
    pub regions: Vec<Vec<u32>>,
    /// Centres of the probe's ball at each region.
    pub touches: Vec<Vec<Point>>,
}

/// One random mounting: up to 3 degrees about each axis; the machine is driven to where the artefact is in view.
pub fn trial(setting: &Setting, artefact: &Surface, number: u64) -> Result<Trial> {
    let handedness = if number.is_multiple_of(2) { Handedness::Right } else { Handedness::Left };
    let scene = scene(setting, artefact, handedness, number)?;
    let found = calibrated(setting, &scene)?;
    let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
    let stated = MountingUncertainty::new(&found.mounting, &found.cmm, &found.sensor, centre);
    let apart = found.mounting.cmm_from_sensor * centre - scene.cmm_from_sensor * centre;
    let (angles, truth) = (found.mounting.angles_rad(), angles_rad(&scene.cmm_from_sensor));
    let whole = std::f64::consts::TAU;
    let wrapped = |angle: f64| angle - whole * (angle / whole).round();
    Ok(Trial {
        place_mm: apart.into(),
        angles_rad: [0, 1, 2].map(|k| wrapped(angles[k] - truth[k])),
        place_sigma_mm: stated.place_mm(),
        angles_sigma_rad: stated.angles_rad,
    })
}

/// How far off, and how sure, squareness and angles are, from several placements.
#[derive(Clone, Copy, Debug)]
pub struct JointTrial {
    /// Of the squareness, rad.
    pub squareness_rad: f64,
    /// Stated of that.
    pub squareness_sigma_rad: f64,
    /// Of the turn of the mounting, rad.
    pub angle_rad: f64,
    /// Displacement of the middle of the measuring volume, mm.
    pub place_mm: f64,
    /// The same for the first placement alone, the squareness not corrected.
    pub alone_angle_rad: f64,
    /// See above.
    pub alone_place_mm: f64,
    /// See [`joint::Joint::misfit`].
    pub misfit: f64,
}

/// One mounting from `count` placements, squareness found with it.
pub fn joint_trial(setting: &Setting, artefact: &Surface, count: usize, number: u64) -> Result<JointTrial> {
    let scenes = scenes(setting, artefact, count, number)?;
    let placement = |scene: &Scene| {
        let places = |numbers: &Vec<u32>| numbers.iter().map(|&i| scene.snapshot[i as usize]).collect();
        let sensor = scene.regions.iter().map(places).collect();
        joint::Placement { sensor, cmm: scene.touches.clone(), position_mm: scene.position_mm }
    };
    let placements: Vec<joint::Placement> = scenes.iter().map(placement).collect();
    let shared = joint::Shared {
        artefact: ArtefactKind::AngledSlots,
        handedness: Handedness::Right,
        probe_radius_mm: setting.cmm.probe_radius_mm,
        clip_sigmas: Some(3.0),
        bias_mm: setting.sensor.bias_mm,
    };
    let (quiet, truth) = (Progress::silent(), scenes[0].cmm_from_sensor);
    let wanted = joint::Wanted { squareness: true, scales: false };
    let found = joint::solve(&shared, &placements, wanted, &quiet)?;
    let alone = joint::solve(&shared, &placements[..1], joint::Wanted::default(), &quiet)?;
    let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
    let off = |pose: &Pose| (pose.rotation.angle_to(&truth.rotation), (pose * centre - truth * centre).norm());
    let (angle_rad, place_mm) = off(&found.mounting.cmm_from_sensor);
    let (alone_angle_rad, alone_place_mm) = off(&alone.mounting.cmm_from_sensor);
    Ok(JointTrial {
        squareness_rad: found.faults.squareness_rad - setting.cmm.squareness_rad,
        squareness_sigma_rad: found.faults_sigma[0],
        angle_rad,
        place_mm,
        alone_angle_rad,
        alone_place_mm,
        misfit: found.misfit,
    })
}

/// Many of them.
pub fn joint_trials(setting: &Setting, count: usize, placements: usize) -> Result<Vec<JointTrial>> {
    let artefact = artefact(setting);
    (0..count as u64).into_par_iter().map(|number| joint_trial(setting, &artefact, placements, number)).collect()
}

/// Calibrates from what a scene shows, with regions as the setting says.
pub fn calibrated(setting: &Setting, scene: &Scene) -> Result<Calibration> {
    let handedness = scene.handedness;
    let places = |numbers: &[u32]| numbers.iter().map(|&i| scene.snapshot[i as usize]).collect::<Vec<_>>();
    let sensor: Vec<Vec<Point>> = if setting.automatic {
        let righted: Vec<Point> = scene.snapshot.iter().map(|point| handedness.to_right(point)).collect();
        let found = ArtefactKind::AngledSlots.artefact().find(&righted, &Progress::silent())?;
        found.iter().map(|set| places(set)).collect()
    } else {
        scene.regions.iter().map(|numbers| places(numbers)).collect()
    };
    let request = Request {
        artefact: ArtefactKind::AngledSlots,
        sensor: &sensor,
        cmm: &scene.touches,
        handedness,
        probe_radius_mm: setting.cmm.probe_radius_mm,
        clip_sigmas: Some(3.0),
        bias_mm: setting.sensor.bias_mm,
        position_mm: Vector::zeros(),
    };
    calibrate(&request, &Progress::silent())
}

/// See [`trial`].
pub fn scene(setting: &Setting, artefact: &Surface, handedness: Handedness, number: u64) -> Result<Scene> {
    let mut random = Random::new(setting.seed, number);
    let mounted = turned(&mut random, 3.0) * looking_down();
    let lying = turned(&mut random, 2.0);
    let cmm_from_artefact = Pose::from_parts(Vector::new(400.0, 300.0, 100.0).into(), lying);
    look(setting, artefact, handedness, &mounted, &cmm_from_artefact, &mut random, number)
}

/// Several placements of the artefact before one mounting: each a quarter turn from the last, elsewhere on the table.
pub fn scenes(setting: &Setting, artefact: &Surface, count: usize, number: u64) -> Result<Vec<Scene>> {
    let mut random = Random::new(setting.seed, number);
    let mounted = turned(&mut random, 3.0) * looking_down();
    (0..count)
        .map(|k| {
            let quarter = Vector::z() * (k as f64 * std::f64::consts::FRAC_PI_2);
            let lying = turned(&mut random, 2.0) * nalgebra::UnitQuaternion::from_scaled_axis(quarter);
            let place = Vector::new(300.0 + 60.0 * (k % 2) as f64, 250.0 + 80.0 * (k / 2) as f64, 100.0);
            let cmm_from_artefact = Pose::from_parts(place.into(), lying);
            let own = number * 1000 + k as u64;
            look(setting, artefact, Handedness::Right, &mounted, &cmm_from_artefact, &mut random, own)
        })
        .collect()
}

fn turned(random: &mut Random, most_deg: f64) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_scaled_axis(Vector::from_fn(|_, _| random.range(-most_deg, most_deg).to_radians()))
}

fn looking_down() -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI)
}

/// What both devices measure of an artefact that lies there, with the machine driven to where it is in view.
fn look(
    setting: &Setting,
    artefact: &Surface,
    handedness: Handedness,
    mounted: &nalgebra::UnitQuaternion<f64>,
    cmm_from_artefact: &Pose,
    random: &mut Random,
    number: u64,
) -> Result<Scene> {
    let drawing = Drawing::default();
    let aim = Vector::from_fn(|_, _| random.range(-3.0, 3.0));
    let seen_at = Vector::new(0.0, 0.0, setting.sensor.working_distance_mm) + aim;
    let shift = (cmm_from_artefact * drawing.middle()).coords - mounted * seen_at;
    let cmm_from_sensor = Pose::from_parts(shift.into(), *mounted);

    let artefact_from_sensor = cmm_from_artefact.inverse() * cmm_from_sensor;
    let quiet = Progress::silent();
    let seen = take(artefact, &setting.sensor, &artefact_from_sensor, setting.seed, number, &quiet)?;
    // A hand keeps more or less clear of the edges.
    let margin_mm = random.range(0.5, 2.5);
    let mut regions = vec![Vec::new(); Region::ALL.len()];
    for (i, point) in (0..).zip(&seen.points) {
        let place = artefact_from_sensor * point.truth;
        if let Some(region) = drawing.region_at(place.x, place.y, margin_mm) {
            regions[region as usize].push(i);
        }
    }
    let mut touch = |region: Region| -> Vec<Point> {
        let outward = cmm_from_artefact.rotation * drawing.normal(region);
        let places = drawing.places_on(region, setting.touches, 2.0);
        places.iter().map(|place| setting.cmm.touch(&(cmm_from_artefact * place), &outward, random)).collect()
    };
    let touches = Region::ALL.map(&mut touch).into();
    let snapshot = seen.points.iter().map(|point| handedness.to_right(&point.measured)).collect();
    // The scales read zero where the sensor's origin would be at the machine's.
    let position_mm = setting.cmm.reported(&Point::from(shift)).coords;
    Ok(Scene {
        cmm_from_sensor,
        cmm_from_artefact: *cmm_from_artefact,
        position_mm,
        handedness,
        snapshot,
        regions,
        touches,
    })
}

/// The artefact of a setting.
pub fn artefact(setting: &Setting) -> Surface {
    // Flatness and rounding need a finer mesh than flat faces and sharp edges.
    let is_ideal = setting.imperfect == Imperfect::default();
    Surface::new(Drawing::default().mesh(if is_ideal { 2.0 } else { 0.25 }, &setting.imperfect))
}

/// Many trials.
pub fn trials(setting: &Setting, count: usize) -> Result<Vec<Trial>> {
    let artefact = artefact(setting);
    (0..count as u64).into_par_iter().map(|number| trial(setting, &artefact, number)).collect()
}

/// What is to hold of a good calibration.
pub const ANGLE_DEG: f64 = 0.01;
/// See above: displacement of the middle of the measuring volume.
pub const PLACE_MM: f64 = 0.02;
/// Standard deviations of a 95 % interval.
const OF_95: f64 = 1.96;

/// The trials in figures.
pub fn summary(trials: &[Trial]) -> Value {
    let count = trials.len().max(1) as f64;
    let share = |good: &dyn Fn(&Trial) -> bool| trials.iter().filter(|trial| good(trial)).count() as f64 / count;
    let angles = |trial: &Trial| trial.angles_rad.iter().all(|angle| angle.abs().to_degrees() < ANGLE_DEG);
    let place = |trial: &Trial| Vector::from(trial.place_mm).norm() < PLACE_MM;
    let rms = |of: &dyn Fn(&Trial) -> f64| (trials.iter().map(|trial| of(trial).powi(2)).sum::<f64>() / count).sqrt();
    let axes = [0, 1, 2];
    json!({
        "mountings": trials.len(),
        "angles_within_0.01_deg": share(&|trial| angles(trial)),
        "place_within_0.02_mm": share(&|trial| place(trial)),
        "both": share(&|trial| angles(trial) && place(trial)),
        "place_rms_mm": axes.map(|k| rms(&|trial| trial.place_mm[k])),
        "angles_rms_deg": axes.map(|k| rms(&|trial| trial.angles_rad[k].to_degrees())),
        "place_stated_sigma_mm": axes.map(|k| rms(&|trial| trial.place_sigma_mm[k])),
        "angles_stated_sigma_deg": axes.map(|k| rms(&|trial| trial.angles_sigma_rad[k].to_degrees())),
        "place_covered": axes.map(|k| share(&|trial| trial.place_mm[k].abs() <= OF_95 * trial.place_sigma_mm[k])),
        "angles_covered": axes.map(|k| share(&|trial| trial.angles_rad[k].abs() <= OF_95 * trial.angles_sigma_rad[k])),
    })
}
