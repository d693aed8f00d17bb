//! Calibration trials against simulated truth: random mountings, whole snapshots of the artefact and probed points of a
//! CMM; the errors of the results, and how often the stated intervals contain the truth.

mod mishaps;

use rayon::prelude::*;
use serde_json::{Value, json};

pub use mishaps::{Mishap, MishapTrial, mishap_trial, mishap_trials};

use super::artefacts::{Drawn, Imperfect, radius_biases};
use super::joint::Wanted;
use super::{ArtefactKind, Calibration, Handedness, Placement, Request, View, angles_rad, calibrate};
use crate::simulation::cmm::Cmm;
use crate::simulation::greyscale::Greyscale;
use crate::simulation::hand::Hand;
use crate::simulation::sensor::{Sensor, take};
use crate::simulation::systematic::SystematicErrorForm;
use base::{Progress, Result, random::Random};
use geometry::{Cloud, Point, Pose, Subset, Surface, Vector};

/// Settings common to all trials.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// The sensor.
    pub sensor: Sensor,
    /// Simulation of the sensor's intensities.
    pub greyscale: Greyscale,
    /// The CMM.
    pub cmm: Cmm,
    /// Number of probed points of a region.
    pub touches: usize,
    /// Deviations of the artefact from its drawing.
    pub imperfect: Imperfect,
    /// Range of the clearance from edges that an operator keeps, mm.
    pub margin_mm: [f64; 2],
    /// Whether the regions are found automatically; otherwise they are brushed.
    pub automatic: bool,
    /// How an operator brushes them; `None` assigns them without error, from the true points.
    pub hand: Option<Hand>,
    /// Whether the operator states the sensor's measuring field, from its data sheet.
    pub states_field: bool,
    /// Limit of the error of the stylus tip radius that the operator states, mm; `None` states none.
    pub stated_radius_error_mm: Option<f64>,
    /// Whether all snapshots of a mounting share one systematic error of their sensor; otherwise each has its own.
    pub one_error: bool,
    /// Seed of all random draws.
    pub seed: u64,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            artefact: ArtefactKind::default(),
            sensor: Sensor::default(),
            greyscale: Greyscale::default(),
            cmm: Cmm::default(),
            touches: 25,
            imperfect: Imperfect::default(),
            margin_mm: [0.5, 1.5],
            automatic: false,
            hand: None,
            states_field: false,
            stated_radius_error_mm: Some(0.001),
            one_error: false,
            seed: 1,
        }
    }
}

impl Setting {
    /// Realistic conditions: the artefact has form error, the probe has three-lobed errors, an operator brushes the
    /// regions and states the measuring field, and the sensor's systematic error is the same in all of its snapshots.
    pub fn at_work(artefact: ArtefactKind, error_form: SystematicErrorForm) -> Self {
        Self {
            artefact,
            sensor: Sensor { error_form, ..Sensor::default() },
            cmm: Cmm { lobing_mm: 0.001, ..Cmm::default() },
            imperfect: Imperfect { form_mm: 0.003, form_seed: 1, ..Imperfect::default() },
            hand: Some(Hand::default()),
            states_field: true,
            one_error: true,
            ..Self::default()
        }
    }

    /// Selects the systematic error of sensor `number`, if all its snapshots share one.
    fn of_sensor(&self, number: u64) -> Self {
        let error_seed = self.one_error.then(|| base::random::mix(self.seed ^ base::random::mix(number)));
        Self { sensor: Sensor { error_seed, ..self.sensor }, ..self.clone() }
    }
}

/// Errors of one mounting along and about the CMM's axes, and their stated uncertainties.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Displacement of the centre of the measuring volume, mm.
    pub place_mm: [f64; 3],
    /// Errors of the angles of Rx Ry Rz, rad.
    pub angles_rad: [f64; 3],
    /// Stated standard uncertainties of the displacement, mm.
    pub place_sigma_mm: [f64; 3],
    /// Stated standard uncertainties of the angles, rad.
    pub angles_sigma_rad: [f64; 3],
    /// Radii of spheres by the sensor minus those by the CMM, mm.
    pub radius_bias_mm: Vec<f64>,
    /// Largest normalised deviation of the quantities measured by both instruments, relative to its limit.
    pub deviation: f64,
    /// Whether it would be certified.
    pub certified: bool,
}

/// A simulated snapshot, as reported by the sensor.
#[derive(Clone, Debug)]
pub struct SimulatedSnapshot {
    /// Points with intensities.
    pub cloud: Cloud,
    /// Point indices of each region, as brushed or taken from the truth.
    pub regions: Vec<Vec<u32>>,
    /// CMM position as read from its scales, mm.
    pub position_mm: Vector,
}

/// A simulated calibration: the measurements of both instruments, and the truth.
#[derive(Clone, Debug)]
pub struct Scene {
    /// True mounting at the first snapshot.
    pub cmm_from_sensor: Pose,
    /// True pose of the artefact.
    pub cmm_from_artefact: Pose,
    /// Handedness of the frame that the sensor reports in.
    pub handedness: Handedness,
    /// The snapshots.
    pub views: Vec<SimulatedSnapshot>,
    /// Stylus tip centres at each region.
    pub touches: Vec<Vec<Point>>,
}

/// A manufactured artefact.
pub struct Made {
    drawn: Box<dyn Drawn>,
    surface: Surface,
}

impl Made {
    /// Manufactured according to the settings.
    pub fn of(setting: &Setting) -> Self {
        Self::drawn(setting.artefact.drawn(), &setting.imperfect)
    }

    /// Manufactured from any drawing.
    pub fn drawn(drawn: Box<dyn Drawn>, imperfect: &Imperfect) -> Self {
        let surface = Surface::new(drawn.mesh(imperfect));
        Self { drawn, surface }
    }
}

/// A trial with a random mounting: up to 3 degrees about each axis. The CMM is positioned so that the artefact is in
/// view.
pub fn trial(setting: &Setting, artefact: &Made, number: u64) -> Result<Trial> {
    let handedness = if number.is_multiple_of(2) { Handedness::Right } else { Handedness::Left };
    let scene = scene(setting, artefact, handedness, number)?;
    let found = calibrated(setting, &scene)?;
    Ok(evaluated(setting, &scene, &found))
}

/// Errors of a calibration.
fn evaluated(setting: &Setting, scene: &Scene, found: &Calibration) -> Trial {
    let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
    let stated = found.uncertainty.moved_to(&found.mounting, centre);
    let displacement = found.mounting.cmm_from_sensor * centre - scene.cmm_from_sensor * centre;
    let (angles, truth) = (found.mounting.angles_rad(), angles_rad(&scene.cmm_from_sensor));
    let full_turn = std::f64::consts::TAU;
    let wrapped = |angle: f64| angle - full_turn * (angle / full_turn).round();
    let biases = radius_biases(&found.sensor, &found.cmm, found.probe_radius_mm);
    Trial {
        place_mm: displacement.into(),
        angles_rad: [0, 1, 2].map(|k| wrapped(angles[k] - truth[k])),
        place_sigma_mm: stated.place_mm(),
        angles_sigma_rad: stated.angles_rad,
        radius_bias_mm: biases.into_iter().map(|(_, bias_mm)| bias_mm).collect(),
        deviation: max_deviation(found),
        certified: found.certification().is_certified(),
    }
}

fn max_deviation(found: &Calibration) -> f64 {
    let consistency = &found.consistency;
    consistency.comparisons.iter().map(|own| own.normalised / own.limit).fold(0.0, f64::max)
}

/// Errors of squareness and mounting determined from several placements.
#[derive(Clone, Copy, Debug)]
pub struct JointTrial {
    /// Error of the squareness, rad.
    pub squareness_rad: f64,
    /// Its stated standard uncertainty, rad.
    pub squareness_sigma_rad: f64,
    /// Rotation error of the mounting, rad.
    pub angle_rad: f64,
    /// Displacement of the centre of the measuring volume, mm.
    pub place_mm: f64,
    /// Rotation error with the first placement alone, without correction of the squareness, rad.
    pub alone_angle_rad: f64,
    /// Displacement with the first placement alone, mm.
    pub alone_place_mm: f64,
    /// See [`super::joint::Joint::misfit`].
    pub misfit: f64,
}

/// A trial with one mounting determined from `count` placements, together with the squareness.
pub fn joint_trial(setting: &Setting, artefact: &Made, count: usize, number: u64) -> Result<JointTrial> {
    let scenes = scenes(setting, artefact, count, number)?;
    let placements = scenes.iter().map(|scene| placement(setting, scene)).collect::<Result<Vec<_>>>()?;
    let solve = |placements: &[Placement], wanted: Wanted| {
        calibrate(&Request { wanted, ..request(setting, Handedness::Right, placements) }, &Progress::silent())
    };
    let truth = scenes[0].cmm_from_sensor;
    let found = solve(&placements, Wanted { squareness: true, ..Wanted::default() })?;
    let alone = solve(&placements[..1], Wanted::default())?;
    let joint = found.joint.as_ref().ok_or_else(|| base::UserError::internal("Not solved together."))?;
    let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
    let errors = |pose: &Pose| (pose.rotation.angle_to(&truth.rotation), (pose * centre - truth * centre).norm());
    let (angle_rad, place_mm) = errors(&found.mounting.cmm_from_sensor);
    let (alone_angle_rad, alone_place_mm) = errors(&alone.mounting.cmm_from_sensor);
    Ok(JointTrial {
        squareness_rad: joint.faults.squareness_rad - setting.cmm.squareness_rad,
        squareness_sigma_rad: joint.faults_sigma[0],
        angle_rad,
        place_mm,
        alone_angle_rad,
        alone_place_mm,
        misfit: joint.misfit,
    })
}

/// Runs `count` joint trials of `placements` placements each.
pub fn joint_trials(setting: &Setting, count: usize, placements: usize) -> Result<Vec<JointTrial>> {
    let artefact = Made::of(setting);
    (0..count as u64).into_par_iter().map(|number| joint_trial(setting, &artefact, placements, number)).collect()
}

/// Input of a calibration from a scene, with regions found according to the settings.
fn placement(setting: &Setting, scene: &Scene) -> Result<Placement> {
    let view = |snapshot: &SimulatedSnapshot| {
        let mut right_handed = snapshot.cloud.clone();
        right_handed.points.iter_mut().for_each(|point| *point = scene.handedness.to_right(point));
        let artefact = setting.artefact.artefact();
        let regions = if setting.automatic {
            artefact.find(&right_handed, &Progress::silent())?
        } else {
            snapshot.regions.iter().cloned().map(Subset::new).collect()
        };
        let mut regions = artefact.extract(&right_handed, &regions)?;
        regions.iter_mut().flatten().for_each(|point| *point = scene.handedness.to_right(point));
        let surface = View::surface_of(&snapshot.cloud.points);
        Ok(View { regions, surface, position_mm: snapshot.position_mm })
    };
    Ok(Placement { cmm: scene.touches.clone(), views: scene.views.iter().map(view).collect::<Result<_>>()? })
}

fn request<'a>(setting: &Setting, handedness: Handedness, placements: &'a [Placement]) -> Request<'a> {
    Request {
        artefact: setting.artefact,
        placements,
        handedness,
        probe_radius_mm: setting.cmm.probe_radius_mm,
        probe_radius_error_mm: setting.stated_radius_error_mm,
        clip_sigmas: Some(3.0),
        bias_mm: setting.sensor.bias_mm,
        scale: None,
        field_mm: setting.states_field.then_some(setting.sensor.field_mm),
        probing_mm: setting.cmm.lobing_mm,
        wanted: Wanted::default(),
        own_shape: false,
        any_mounting: false,
    }
}

/// Calibrates from a scene, with regions found according to the settings.
pub fn calibrated(setting: &Setting, scene: &Scene) -> Result<Calibration> {
    let placements = [placement(setting, scene)?];
    calibrate(&request(setting, scene.handedness, &placements), &Progress::silent())
}

/// The scene of a [`trial`].
pub fn scene(setting: &Setting, artefact: &Made, handedness: Handedness, number: u64) -> Result<Scene> {
    let setting = &setting.of_sensor(number);
    let mut random = Random::new(setting.seed, number);
    let mounted = random_rotation(&mut random, 3.0) * looking_down();
    let artefact_rotation = random_rotation(&mut random, 2.0);
    let cmm_from_artefact = Pose::from_parts(Vector::new(400.0, 300.0, 100.0).into(), artefact_rotation);
    look(setting, artefact, handedness, &mounted, &cmm_from_artefact, &mut random, number)
}

/// Scenes of several placements of the artefact with one mounting: each rotated by 90° from the previous one, at
/// another position on the table.
pub fn scenes(setting: &Setting, artefact: &Made, count: usize, number: u64) -> Result<Vec<Scene>> {
    let setting = &setting.of_sensor(number);
    let mut random = Random::new(setting.seed, number);
    let mounted = random_rotation(&mut random, 3.0) * looking_down();
    (0..count)
        .map(|k| {
            let quarter = Vector::z() * (k as f64 * std::f64::consts::FRAC_PI_2);
            let artefact_rotation =
                random_rotation(&mut random, 2.0) * nalgebra::UnitQuaternion::from_scaled_axis(quarter);
            let position = Vector::new(300.0 + 60.0 * (k % 2) as f64, 250.0 + 80.0 * (k / 2) as f64, 100.0);
            let cmm_from_artefact = Pose::from_parts(position.into(), artefact_rotation);
            let own = number * 1000 + k as u64;
            look(setting, artefact, Handedness::Right, &mounted, &cmm_from_artefact, &mut random, own)
        })
        .collect()
}

fn random_rotation(random: &mut Random, max_deg: f64) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_scaled_axis(Vector::from_fn(|_, _| random.range(-max_deg, max_deg).to_radians()))
}

fn looking_down() -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI)
}

/// Measurements of both instruments of an artefact at `cmm_from_artefact`, with the CMM positioned so that it is in
/// view. `mounted` is the rotation of `cmm_from_sensor`; `number` and `random` determine the random draws.
pub fn look(
    setting: &Setting,
    artefact: &Made,
    handedness: Handedness,
    mounted: &nalgebra::UnitQuaternion<f64>,
    cmm_from_artefact: &Pose,
    random: &mut Random,
    number: u64,
) -> Result<Scene> {
    let drawn = &artefact.drawn;
    let aim = Vector::from_fn(|_, _| random.range(-3.0, 3.0));
    let view_centre = Vector::new(0.0, 0.0, setting.sensor.working_distance_mm) + aim;
    let shift = (cmm_from_artefact * drawn.view_centre()).coords - mounted * view_centre;
    let cmm_from_sensor = Pose::from_parts(shift.into(), *mounted);
    // The operator's clearance from edges varies.
    let margin_mm = random.range(setting.margin_mm[0], setting.margin_mm[1]);
    let views = (0..).zip(drawn.positions_mm()).map(|(k, travel)| {
        let cmm_from_sensor = nalgebra::Translation3::from(Vector::from(*travel)) * cmm_from_sensor;
        snapshot(setting, artefact, handedness, &cmm_from_sensor, cmm_from_artefact, margin_mm, number * 64 + k)
    });
    let views = views.collect::<Result<Vec<_>>>()?;
    let mut probe_region = |region: usize| -> Vec<Point> {
        let points = drawn.touches(region, setting.touches);
        let mut probe = |(point, outward): (Point, Vector)| {
            let point = drawn.manufactured(&point, &outward, &setting.imperfect);
            setting.cmm.probe(&(cmm_from_artefact * point), &(cmm_from_artefact.rotation * outward), random)
        };
        points.into_iter().map(&mut probe).collect()
    };
    let touches = (0..setting.artefact.artefact().regions().len()).map(&mut probe_region).collect();
    Ok(Scene { cmm_from_sensor, cmm_from_artefact: *cmm_from_artefact, handedness, views, touches })
}

fn snapshot(
    setting: &Setting,
    artefact: &Made,
    handedness: Handedness,
    cmm_from_sensor: &Pose,
    cmm_from_artefact: &Pose,
    margin_mm: f64,
    number: u64,
) -> Result<SimulatedSnapshot> {
    let (sensor, artefact_from_sensor) = (&setting.sensor, cmm_from_artefact.inverse() * cmm_from_sensor);
    let seen = take(&artefact.surface, sensor, &artefact_from_sensor, setting.seed, number, &Progress::silent())?;
    let count = setting.artefact.artefact().regions().len();
    let mut regions = vec![Vec::new(); count];
    if let Some(hand) = &setting.hand {
        let mut random = Random::new(setting.seed ^ 0x4A4D, number);
        let measured = seen.points.iter().map(|point| artefact_from_sensor * point.measured);
        regions = brushed(hand, artefact.drawn.as_ref(), &measured.collect::<Vec<_>>(), count, margin_mm, &mut random);
    } else {
        for (i, point) in (0..).zip(&seen.points) {
            if let Some(region) = artefact.drawn.region_at(&(artefact_from_sensor * point.truth), margin_mm) {
                regions[region].push(i);
            }
        }
    }
    let brightness = |point: &Point| artefact.drawn.brightness(point, &setting.imperfect);
    let intensity = setting.greyscale.of(&seen, sensor, &artefact_from_sensor, &brightness, setting.seed ^ number << 8);
    let points = seen.points.iter().map(|point| handedness.to_right(&point.measured)).collect();
    // The scales read zero where the sensor's origin would coincide with that of the CMM.
    let position_mm = setting.cmm.reported(&Point::from(cmm_from_sensor.translation.vector)).coords;
    Ok(SimulatedSnapshot { cloud: Cloud { intensity, ..Cloud::from_points(points) }, regions, position_mm })
}

/// Point indices of each region as brushed by an operator: one stroke per region, over what the operator takes to be
/// the region. `points` are the measured points, artefact frame.
fn brushed(
    hand: &Hand,
    drawn: &dyn Drawn,
    points: &[Point],
    count: usize,
    margin_mm: f64,
    random: &mut Random,
) -> Vec<Vec<u32>> {
    let mut is_taken = vec![false; points.len()];
    let mut regions = Vec::with_capacity(count);
    for region in 0..count {
        let stroke = hand.stroke(random);
        let is_in = |point: &Point| {
            let [x, y] = stroke.perceived(point.x, point.y);
            drawn.region_at(&Point::new(x, y, point.z), margin_mm) == Some(region)
        };
        let mut indices: Vec<u32> = (0..)
            .zip(points)
            .filter(|(index, point)| !is_taken[*index as usize] && is_in(point))
            .map(|(index, _)| index)
            .collect();
        let own: Vec<[f64; 2]> = indices.iter().map(|&index| points[index as usize]).map(|p| [p.x, p.y]).collect();
        stroke.shorten(&mut indices, &own);
        indices.iter().for_each(|&index| is_taken[index as usize] = true);
        regions.push(indices);
    }
    regions
}

/// Runs `count` trials.
pub fn trials(setting: &Setting, count: usize) -> Result<Vec<Trial>> {
    let artefact = Made::of(setting);
    (0..count as u64).into_par_iter().map(|number| trial(setting, &artefact, number)).collect()
}

/// Maximum angle error of a good calibration, degrees.
pub const MAX_ANGLE_ERROR_DEG: f64 = 0.01;
/// Maximum displacement of the centre of the measuring volume of a good calibration, mm.
pub const MAX_DISPLACEMENT_MM: f64 = 0.02;
/// Half width of a 95 % interval, in standard deviations.
const SIGMAS_95: f64 = 1.96;

/// Statistics of the trials as JSON.
pub fn summary(trials: &[Trial]) -> Value {
    let count = trials.len().max(1) as f64;
    let share = |is_good: &dyn Fn(&Trial) -> bool| trials.iter().filter(|trial| is_good(trial)).count() as f64 / count;
    let angles_good =
        |trial: &Trial| trial.angles_rad.iter().all(|angle| angle.abs().to_degrees() < MAX_ANGLE_ERROR_DEG);
    let place_good = |trial: &Trial| Vector::from(trial.place_mm).norm() < MAX_DISPLACEMENT_MM;
    let rms =
        |value: &dyn Fn(&Trial) -> f64| (trials.iter().map(|trial| value(trial).powi(2)).sum::<f64>() / count).sqrt();
    let axes = [0, 1, 2];
    json!({
        "mountings": trials.len(),
        "angles_within_0.01_deg": share(&|trial| angles_good(trial)),
        "place_within_0.02_mm": share(&|trial| place_good(trial)),
        "both": share(&|trial| angles_good(trial) && place_good(trial)),
        "radius_bias_mm": mean_bias(trials),
        "place_rms_mm": axes.map(|k| rms(&|trial| trial.place_mm[k])),
        "angles_rms_deg": axes.map(|k| rms(&|trial| trial.angles_rad[k].to_degrees())),
        "place_stated_sigma_mm": axes.map(|k| rms(&|trial| trial.place_sigma_mm[k])),
        "angles_stated_sigma_deg": axes.map(|k| rms(&|trial| trial.angles_sigma_rad[k].to_degrees())),
        "certified": share(&|trial| trial.certified),
        "largest_deviation": trials.iter().map(|trial| trial.deviation).fold(0.0, f64::max),
        "place_covered": axes.map(|k| share(&|trial| trial.place_mm[k].abs() <= SIGMAS_95 * trial.place_sigma_mm[k])),
        "angles_covered": axes.map(|k| {
            share(&|trial| trial.angles_rad[k].abs() <= SIGMAS_95 * trial.angles_sigma_rad[k])
        }),
    })
}

/// Minimum and mean share of trials in which the 95 % intervals of displacement and angles contain the truth.
pub fn coverage(trials: &[Trial]) -> [f64; 2] {
    let count = trials.len().max(1) as f64;
    let displacements = [0, 1, 2].map(|k| {
        let is_covered = |trial: &&Trial| trial.place_mm[k].abs() <= SIGMAS_95 * trial.place_sigma_mm[k];
        trials.iter().filter(is_covered).count() as f64 / count
    });
    let angles = [0, 1, 2].map(|k| {
        let is_covered = |trial: &&Trial| trial.angles_rad[k].abs() <= SIGMAS_95 * trial.angles_sigma_rad[k];
        trials.iter().filter(is_covered).count() as f64 / count
    });
    let all = displacements.iter().chain(&angles);
    [all.clone().copied().fold(1.0, f64::min), all.sum::<f64>() / 6.0]
}

/// Mean radius bias of all spheres of all trials, mm; `None` if there are no spheres.
fn mean_bias(trials: &[Trial]) -> Option<f64> {
    let all: Vec<f64> = trials.iter().flat_map(|trial| trial.radius_bias_mm.iter().copied()).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
