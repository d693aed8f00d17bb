//! Calibration on simulated truth: random mountings, whole snapshots of the artefact, touches of a CMM; how far off the
//! answers are, and how often the stated intervals hold the truth.

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

/// What the trials have in common.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// The sensor.
    pub sensor: Sensor,
    /// Its image.
    pub greyscale: Greyscale,
    /// The machine.
    pub cmm: Cmm,
    /// Touches of a region.
    pub touches: usize,
    /// How far the artefact is from its drawing.
    pub imperfect: Imperfect,
    /// How far a hand keeps clear of edges, mm: from, to.
    pub margin_mm: [f64; 2],
    /// Whether the program finds the regions; else they are brushed.
    pub automatic: bool,
    /// How a hand brushes them; `None` takes them from the truth.
    pub hand: Option<Hand>,
    /// Whether all snapshots of a mounting have the one systematic error of their sensor; else each has its own.
    pub one_error: bool,
    /// Decides every draw.
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
            one_error: false,
            seed: 1,
        }
    }
}

impl Setting {
    /// As it is at work: the artefact has form error, the probe errs in three lobes, a hand brushes the regions, and the
    /// sensor's systematic error is one in all of its snapshots.
    pub fn at_work(artefact: ArtefactKind, error_form: SystematicErrorForm) -> Self {
        Self {
            artefact,
            sensor: Sensor { error_form, ..Sensor::default() },
            cmm: Cmm { lobing_mm: 0.001, ..Cmm::default() },
            imperfect: Imperfect { form_mm: 0.003, form_seed: 1, ..Imperfect::default() },
            hand: Some(Hand::default()),
            one_error: true,
            ..Self::default()
        }
    }

    /// The same with the systematic error of one sensor, where all its snapshots have one.
    fn of_sensor(&self, number: u64) -> Self {
        let error_seed = self.one_error.then(|| base::random::mix(self.seed ^ base::random::mix(number)));
        Self { sensor: Sensor { error_seed, ..self.sensor }, ..self.clone() }
    }
}

/// One mounting's errors, along and about the CMM's axes, and what was stated of them.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Displacement of the middle of the measuring volume, mm.
    pub place_mm: [f64; 3],
    /// Of the angles of Rx Ry Rz, rad.
    pub angles_rad: [f64; 3],
    /// Stated standard uncertainties of both.
    pub place_sigma_mm: [f64; 3],
    /// See above.
    pub angles_sigma_rad: [f64; 3],
    /// By how much spheres came out larger for the sensor, mm.
    pub radius_bias_mm: Vec<f64>,
    /// The largest normalised deviation of quantities that both instruments measured, over its limit.
    pub deviation: f64,
    /// Whether it would be certified.
    pub certified: bool,
}

/// A snapshot, as the sensor reports it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its points, with their grey.
    pub cloud: Cloud,
    /// The points of each region as they were brushed, or taken from the truth.
    pub regions: Vec<Vec<u32>>,
    /// Where the machine's scales say it stood, mm.
    pub position_mm: Vector,
}

/// A simulated calibration: what both devices measure of the artefact, and the truth.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The mounting, at the first snapshot.
    pub cmm_from_sensor: Pose,
    /// How the artefact lies.
    pub cmm_from_artefact: Pose,
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// The snapshots.
    pub views: Vec<Seen>,
    /// Centres of the probe's ball at each region.
    pub touches: Vec<Vec<Point>>,
}

/// An artefact as it was made.
pub struct Made {
    drawn: Box<dyn Drawn>,
    surface: Surface,
}

impl Made {
    /// Of a setting.
    pub fn of(setting: &Setting) -> Self {
        Self::drawn(setting.artefact.drawn(), &setting.imperfect)
    }

    /// Of a drawing of one's own.
    pub fn drawn(drawn: Box<dyn Drawn>, imperfect: &Imperfect) -> Self {
        let surface = Surface::new(drawn.mesh(imperfect));
        Self { drawn, surface }
    }
}

/// One random mounting: up to 3 degrees about each axis; the machine is driven to where the artefact is in view.
pub fn trial(setting: &Setting, artefact: &Made, number: u64) -> Result<Trial> {
    let handedness = if number.is_multiple_of(2) { Handedness::Right } else { Handedness::Left };
    let scene = scene(setting, artefact, handedness, number)?;
    let found = calibrated(setting, &scene)?;
    Ok(judged(setting, &scene, &found))
}

/// What a calibration is off.
fn judged(setting: &Setting, scene: &Scene, found: &Calibration) -> Trial {
    let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
    let stated = found.uncertainty.moved_to(&found.mounting, centre);
    let apart = found.mounting.cmm_from_sensor * centre - scene.cmm_from_sensor * centre;
    let (angles, truth) = (found.mounting.angles_rad(), angles_rad(&scene.cmm_from_sensor));
    let whole = std::f64::consts::TAU;
    let wrapped = |angle: f64| angle - whole * (angle / whole).round();
    let biases = radius_biases(&found.sensor, &found.cmm, found.probe_radius_mm);
    Trial {
        place_mm: apart.into(),
        angles_rad: [0, 1, 2].map(|k| wrapped(angles[k] - truth[k])),
        place_sigma_mm: stated.place_mm(),
        angles_sigma_rad: stated.angles_rad,
        radius_bias_mm: biases.into_iter().map(|(_, bias_mm)| bias_mm).collect(),
        deviation: deviation(found),
        certified: found.certification().is_certified(),
    }
}

fn deviation(found: &Calibration) -> f64 {
    let consistency = &found.consistency;
    consistency.comparisons.iter().map(|own| own.normalised / consistency.limit).fold(0.0, f64::max)
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
    /// See [`super::joint::Joint::misfit`].
    pub misfit: f64,
}

/// One mounting from `count` placements, squareness found with it.
pub fn joint_trial(setting: &Setting, artefact: &Made, count: usize, number: u64) -> Result<JointTrial> {
    let scenes = scenes(setting, artefact, count, number)?;
    let placements = scenes.iter().map(|scene| placement(setting, scene)).collect::<Result<Vec<_>>>()?;
    let solved = |placements: &[Placement], wanted: Wanted| {
        calibrate(&Request { wanted, ..request(setting, Handedness::Right, placements) }, &Progress::silent())
    };
    let truth = scenes[0].cmm_from_sensor;
    let found = solved(&placements, Wanted { squareness: true, scales: false })?;
    let alone = solved(&placements[..1], Wanted::default())?;
    let joint = found.joint.as_ref().ok_or_else(|| base::UserError::internal("Not solved together."))?;
    let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
    let off = |pose: &Pose| (pose.rotation.angle_to(&truth.rotation), (pose * centre - truth * centre).norm());
    let (angle_rad, place_mm) = off(&found.mounting.cmm_from_sensor);
    let (alone_angle_rad, alone_place_mm) = off(&alone.mounting.cmm_from_sensor);
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

/// Many of them.
pub fn joint_trials(setting: &Setting, count: usize, placements: usize) -> Result<Vec<JointTrial>> {
    let artefact = Made::of(setting);
    (0..count as u64).into_par_iter().map(|number| joint_trial(setting, &artefact, placements, number)).collect()
}

/// What a calibration is made from, regions as the setting says.
fn placement(setting: &Setting, scene: &Scene) -> Result<Placement> {
    let view = |seen: &Seen| {
        let mut righted = seen.cloud.clone();
        righted.points.iter_mut().for_each(|point| *point = scene.handedness.to_right(point));
        let artefact = setting.artefact.artefact();
        let regions = if setting.automatic {
            artefact.find(&righted, &Progress::silent())?
        } else {
            seen.regions.iter().cloned().map(Subset::new).collect()
        };
        let mut regions = artefact.extract(&righted, &regions)?;
        regions.iter_mut().flatten().for_each(|point| *point = scene.handedness.to_right(point));
        let surface = View::surface_of(&seen.cloud.points);
        Ok(View { regions, surface, position_mm: seen.position_mm })
    };
    Ok(Placement { cmm: scene.touches.clone(), views: scene.views.iter().map(view).collect::<Result<_>>()? })
}

fn request<'a>(setting: &Setting, handedness: Handedness, placements: &'a [Placement]) -> Request<'a> {
    Request {
        artefact: setting.artefact,
        placements,
        handedness,
        probe_radius_mm: setting.cmm.probe_radius_mm,
        clip_sigmas: Some(3.0),
        bias_mm: setting.sensor.bias_mm,
        scale: None,
        probing_mm: setting.cmm.lobing_mm,
        wanted: Wanted::default(),
        own_shape: false,
        any_mounting: false,
    }
}

/// Calibrates from what a scene shows, with regions as the setting says.
pub fn calibrated(setting: &Setting, scene: &Scene) -> Result<Calibration> {
    let placements = [placement(setting, scene)?];
    calibrate(&request(setting, scene.handedness, &placements), &Progress::silent())
}

/// See [`trial`].
pub fn scene(setting: &Setting, artefact: &Made, handedness: Handedness, number: u64) -> Result<Scene> {
    let setting = &setting.of_sensor(number);
    let mut random = Random::new(setting.seed, number);
    let mounted = turned(&mut random, 3.0) * looking_down();
    let lying = turned(&mut random, 2.0);
    let cmm_from_artefact = Pose::from_parts(Vector::new(400.0, 300.0, 100.0).into(), lying);
    look(setting, artefact, handedness, &mounted, &cmm_from_artefact, &mut random, number)
}

/// Several placements of the artefact before one mounting: each a quarter turn from the last, elsewhere on the table.
pub fn scenes(setting: &Setting, artefact: &Made, count: usize, number: u64) -> Result<Vec<Scene>> {
    let setting = &setting.of_sensor(number);
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

/// What both devices measure of an artefact that lies there, with the machine driven to where it is in view. `mounted`
/// is the rotation of `cmm_from_sensor`; `number` and `random` decide the draws.
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
    let seen_at = Vector::new(0.0, 0.0, setting.sensor.working_distance_mm) + aim;
    let shift = (cmm_from_artefact * drawn.middle()).coords - mounted * seen_at;
    let cmm_from_sensor = Pose::from_parts(shift.into(), *mounted);
    // A hand keeps more or less clear of the edges.
    let margin_mm = random.range(setting.margin_mm[0], setting.margin_mm[1]);
    let views = (0..).zip(drawn.positions_mm()).map(|(k, by)| {
        let driven = nalgebra::Translation3::from(Vector::from(*by)) * cmm_from_sensor;
        snapshot(setting, artefact, handedness, &driven, cmm_from_artefact, margin_mm, number * 64 + k)
    });
    let views = views.collect::<Result<Vec<_>>>()?;
    let mut touch = |region: usize| -> Vec<Point> {
        let places = drawn.touches(region, setting.touches);
        let mut touch = |(place, outward): (Point, Vector)| {
            let place = drawn.made(&place, &outward, &setting.imperfect);
            setting.cmm.touch(&(cmm_from_artefact * place), &(cmm_from_artefact.rotation * outward), random)
        };
        places.into_iter().map(&mut touch).collect()
    };
    let touches = (0..setting.artefact.artefact().regions().len()).map(&mut touch).collect();
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
) -> Result<Seen> {
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
    let ink = |place: &Point| artefact.drawn.ink(place, &setting.imperfect);
    let intensity = setting.greyscale.of(&seen, sensor, &artefact_from_sensor, &ink, setting.seed ^ number << 8);
    let points = seen.points.iter().map(|point| handedness.to_right(&point.measured)).collect();
    // The scales read zero where the sensor's origin would be at the machine's.
    let position_mm = setting.cmm.reported(&Point::from(cmm_from_sensor.translation.vector)).coords;
    Ok(Seen { cloud: Cloud { intensity, ..Cloud::from_points(points) }, regions, position_mm })
}

/// The points of each region as a hand brushes them: a stroke for each, over what it takes for the region. `places` are
/// where the sensor sees the points, artefact frame.
fn brushed(
    hand: &Hand,
    drawn: &dyn Drawn,
    places: &[Point],
    count: usize,
    margin_mm: f64,
    random: &mut Random,
) -> Vec<Vec<u32>> {
    let mut is_taken = vec![false; places.len()];
    let mut regions = Vec::with_capacity(count);
    for region in 0..count {
        let stroke = hand.stroke(random);
        let is_in = |place: &Point| {
            let [x, y] = stroke.seeming(place.x, place.y);
            drawn.region_at(&Point::new(x, y, place.z), margin_mm) == Some(region)
        };
        let mut points: Vec<u32> = (0..)
            .zip(places)
            .filter(|(number, place)| !is_taken[*number as usize] && is_in(place))
            .map(|(number, _)| number)
            .collect();
        let own: Vec<[f64; 2]> = points.iter().map(|&number| places[number as usize]).map(|p| [p.x, p.y]).collect();
        stroke.shorten(&mut points, &own);
        points.iter().for_each(|&number| is_taken[number as usize] = true);
        regions.push(points);
    }
    regions
}

/// Many trials.
pub fn trials(setting: &Setting, count: usize) -> Result<Vec<Trial>> {
    let artefact = Made::of(setting);
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
        "radius_bias_mm": mean_bias(trials),
        "place_rms_mm": axes.map(|k| rms(&|trial| trial.place_mm[k])),
        "angles_rms_deg": axes.map(|k| rms(&|trial| trial.angles_rad[k].to_degrees())),
        "place_stated_sigma_mm": axes.map(|k| rms(&|trial| trial.place_sigma_mm[k])),
        "angles_stated_sigma_deg": axes.map(|k| rms(&|trial| trial.angles_sigma_rad[k].to_degrees())),
        "certified": share(&|trial| trial.certified),
        "largest_deviation": trials.iter().map(|trial| trial.deviation).fold(0.0, f64::max),
        "place_covered": axes.map(|k| share(&|trial| trial.place_mm[k].abs() <= OF_95 * trial.place_sigma_mm[k])),
        "angles_covered": axes.map(|k| share(&|trial| trial.angles_rad[k].abs() <= OF_95 * trial.angles_sigma_rad[k])),
    })
}

/// The least and the mean share of trials in which the 95 % intervals of place and angles hold the truth.
pub fn coverage(trials: &[Trial]) -> [f64; 2] {
    let count = trials.len().max(1) as f64;
    let places = [0, 1, 2].map(|k| {
        let held = |trial: &&Trial| trial.place_mm[k].abs() <= OF_95 * trial.place_sigma_mm[k];
        trials.iter().filter(held).count() as f64 / count
    });
    let angles = [0, 1, 2].map(|k| {
        let held = |trial: &&Trial| trial.angles_rad[k].abs() <= OF_95 * trial.angles_sigma_rad[k];
        trials.iter().filter(held).count() as f64 / count
    });
    let all = places.iter().chain(&angles);
    [all.clone().copied().fold(1.0, f64::min), all.sum::<f64>() / 6.0]
}

/// Of all spheres of all trials, mm; none where there are no spheres.
fn mean_bias(trials: &[Trial]) -> Option<f64> {
    let all: Vec<f64> = trials.iter().flat_map(|trial| trial.radius_bias_mm.iter().copied()).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
