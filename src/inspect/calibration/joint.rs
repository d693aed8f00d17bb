//! One mounting from several placements of the artefact, with the machine's own faults.
//!
//! A machine whose axes are not quite square, or whose scales are off relative to the sensor's, measures an artefact
//! differently for every way it lies. From several ways the mounting and those faults are found together, by weighted
//! least squares over the frames that both devices see (Gauss and Newton).

use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use serde::Serialize;

use super::{ArtefactFrame, ArtefactKind, Handedness, Measured, Mounting, MountingUncertainty};
use crate::base::{Progress, Result, UserError};
use crate::geometry::{Point, Pose, Vector};

/// Faults of a machine: true places from what its scales say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MachineFaults {
    /// By how much the angle between X and Y is smaller than a right one, rad.
    pub squareness_rad: f64,
    /// Relative errors of the scales of X, Y and Z: true lengths are longer by this share.
    pub scales: [f64; 3],
}

impl MachineFaults {
    /// The true place.
    pub fn truth(&self, reported: &Point) -> Point {
        let scaled = Point::from(reported.coords.component_mul(&(Vector::from(self.scales) + Vector::repeat(1.0))));
        let (sin, cos) = self.squareness_rad.sin_cos();
        Point::new(scaled.x + sin * scaled.y, cos * scaled.y, scaled.z)
    }
}

/// What is to be found beside the mounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The squareness of X and Y.
    pub squareness: bool,
    /// The scales.
    pub scales: bool,
}

/// One placement of the artefact: regions in its order, mm.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Points of each region as the sensor reports them.
    pub sensor: Vec<Vec<Point>>,
    /// Centres of the probe's ball as the machine reports them.
    pub cmm: Vec<Vec<Point>>,
    /// Where the machine stood at the snapshot, as it reports.
    pub position_mm: Vector,
}

/// How all placements were measured.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// Radius of the probe's ball, mm.
    pub probe_radius_mm: f64,
    /// Robust standard deviations beyond which the sensor's points are dropped.
    pub clip_sigmas: Option<f64>,
    /// Largest smooth error of the sensor over its field, mm.
    pub bias_mm: f64,
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Joint {
    /// How the sensor is mounted, at the first placement's position; in true, square axes.
    pub mounting: Mounting,
    /// How sure that is.
    pub uncertainty: MountingUncertainty,
    /// The machine's faults; those not wanted are zero.
    pub faults: MachineFaults,
    /// Standard uncertainties of the faults: squareness (rad), scales.
    pub faults_sigma: [f64; 4],
    /// Root of the weighted mean square of what is left, in standard deviations: near 1 where all is as stated.
    pub misfit: f64,
    /// How far each placement is off: shift (mm) and turn (rad) in the artefact's frame.
    pub residuals: Vec<[f64; 6]>,
}

/// Steps that no sound set of placements needs.
const STEPS: usize = 20;
/// Steps as small as this, mm and rad, end the search.
const ENOUGH: f64 = 1e-9;
/// Steps of numeric derivatives: mm and rad, and for the faults.
const STEP: f64 = 1e-6;

/// Finds mounting and faults. Squareness and scales need placements that lie in different ways.
pub fn solve(shared: &Shared, placements: &[Placement], wanted: Wanted, progress: &Progress) -> Result<Joint> {
    let artefact = shared.artefact.artefact();
    let righted = |regions: &[Vec<Point>]| -> Vec<Vec<Point>> {
        regions.iter().map(|region| region.iter().map(|point| shared.handedness.to_right(point)).collect()).collect()
    };
    let scanned = Measured { probe_radius_mm: 0.0, clip_sigmas: shared.clip_sigmas, bias_mm: shared.bias_mm };
    let mut sensor = Vec::with_capacity(placements.len());
    for (i, placement) in placements.iter().enumerate() {
        let share = |at: usize| 0.9 * at as f32 / placements.len() as f32;
        let part = progress.part(share(i), share(i + 1));
        let frame = artefact.frame(&righted(&placement.sensor), &scanned, &part);
        sensor.push(frame.map_err(|error| error.about(&format!("Placement {}, sensor", i + 1)))?);
    }
    let problem = Problem { shared, placements, sensor: &sensor };
    let first = problem.cmm_frames(&MachineFaults::default())?;
    let (Some(one), Some(other)) = (first.first(), sensor.first()) else {
        return Err(UserError::usage("Name at least one placement of the artefact."));
    };
    let mut pose = one.device_from_artefact * other.device_from_artefact.inverse();
    let unknown: Vec<usize> = (0..4).filter(|&k| if k == 0 { wanted.squareness } else { wanted.scales }).collect();
    if !unknown.is_empty() && placements.len() < 2 {
        return Err(UserError::usage(
            "Squareness and scales need several placements of the artefact that lie in different ways.",
        ));
    }
    let mut faults = [0.0; 4];
    let count = 6 + unknown.len();
    // Faults change what the frames are, hardly how sure they are.
    let weights = problem.weights(&faults)?;
    let mut inverse = DMatrix::zeros(count, count);
    for _ in 0..STEPS {
        progress.report(0.95, "Fitting all placements")?;
        let here = problem.residuals(&pose, &faults)?;
        let columns: Vec<Vec<Vector6<f64>>> = (0..count)
            .map(|k| {
                let (mut moved, mut changed) = (pose, faults);
                if k < 6 {
                    moved = step(&pose, &Vector6::ith(k, STEP));
                } else {
                    changed[unknown[k - 6]] += STEP;
                }
                let there = problem.residuals(&moved, &changed)?;
                Ok(there.iter().zip(&here).map(|(a, b)| (a - b) / STEP).collect())
            })
            .collect::<Result<_>>()?;
        let (mut normal, mut right) = (DMatrix::<f64>::zeros(count, count), DVector::<f64>::zeros(count));
        for (p, weight) in weights.iter().enumerate() {
            for i in 0..count {
                right[i] -= columns[i][p].dot(&(weight * here[p]));
                for j in 0..count {
                    normal[(i, j)] += columns[i][p].dot(&(weight * columns[j][p]));
                }
            }
        }
        inverse = normal.clone().try_inverse().ok_or_else(undetermined)?;
        let by = &inverse * right;
        pose = step(&pose, &Vector6::from_fn(|k, _| by[k]));
        unknown.iter().enumerate().for_each(|(k, &which)| faults[which] += by[6 + k]);
        if by.amax() < ENOUGH {
            break;
        }
    }
    if !inverse.iter().all(|value| value.is_finite()) || faults.iter().any(|fault| fault.abs() > 0.1) {
        return Err(undetermined());
    }
    problem.finish(&pose, &faults, &unknown, &inverse, &weights)
}

fn undetermined() -> UserError {
    UserError::input(
        "These placements do not determine what is asked: lay the artefact in more different ways, a quarter turn apart.",
    )
}

/// Moved by a shift and a turn about its own place, in the CMM's axes.
fn step(pose: &Pose, by: &Vector6<f64>) -> Pose {
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector::new(by[3], by[4], by[5]));
    Pose::from_parts((pose.translation.vector + Vector::new(by[0], by[1], by[2])).into(), turn * pose.rotation)
}

fn faults_of(faults: &[f64; 4]) -> MachineFaults {
    MachineFaults { squareness_rad: faults[0], scales: [faults[1], faults[2], faults[3]] }
}

struct Problem<'a> {
    shared: &'a Shared,
    placements: &'a [Placement],
    sensor: &'a [ArtefactFrame],
}

impl Problem<'_> {
    fn cmm_frames(&self, faults: &MachineFaults) -> Result<Vec<ArtefactFrame>> {
        let touched = Measured { probe_radius_mm: self.shared.probe_radius_mm, ..Measured::default() };
        let frame = |(i, placement): (usize, &Placement)| {
            let places: Vec<Vec<Point>> =
                placement.cmm.iter().map(|region| region.iter().map(|p| faults.truth(p)).collect()).collect();
            let artefact = self.shared.artefact.artefact();
            artefact
                .frame(&places, &touched, &Progress::silent())
                .map_err(|error| error.about(&format!("Placement {}, CMM", i + 1)))
        };
        self.placements.iter().enumerate().map(frame).collect()
    }

    /// What each placement is off, in the artefact's frame: mm, then rad.
    fn residuals(&self, pose: &Pose, faults: &[f64; 4]) -> Result<Vec<Vector6<f64>>> {
        let faults = faults_of(faults);
        let frames = self.cmm_frames(&faults)?;
        let stood = |placement: &Placement| faults.truth(&Point::from(placement.position_mm)).coords;
        let start = self.placements.first().map_or_else(Vector::zeros, stood);
        let off = |((placement, cmm), sensor): ((&Placement, &ArtefactFrame), &ArtefactFrame)| {
            let driven = nalgebra::Translation3::from(stood(placement) - start) * pose;
            let change = cmm.device_from_artefact.inverse() * driven * sensor.device_from_artefact;
            let (by, turn) = (change.translation.vector, change.rotation.scaled_axis());
            Vector6::new(by.x, by.y, by.z, turn.x, turn.y, turn.z)
        };
        Ok(self.placements.iter().zip(&frames).zip(self.sensor).map(off).collect())
    }

    fn weights(&self, faults: &[f64; 4]) -> Result<Vec<Matrix6<f64>>> {
        let frames = self.cmm_frames(&faults_of(faults))?;
        frames
            .iter()
            .zip(self.sensor)
            .map(|(cmm, sensor)| (cmm.covariance + sensor.covariance).try_inverse().ok_or_else(undetermined))
            .collect()
    }

    fn finish(
        &self,
        pose: &Pose,
        faults: &[f64; 4],
        unknown: &[usize],
        inverse: &DMatrix<f64>,
        weights: &[Matrix6<f64>],
    ) -> Result<Joint> {
        let residuals = self.residuals(pose, faults)?;
        let square: f64 = residuals.iter().zip(weights).map(|(own, weight)| own.dot(&(weight * own))).sum();
        let left = (6 * residuals.len()).saturating_sub(6 + unknown.len());
        let mut faults_sigma = [0.0; 4];
        unknown
            .iter()
            .enumerate()
            .for_each(|(k, &which)| faults_sigma[which] = inverse[(6 + k, 6 + k)].max(0.0).sqrt());
        let position_mm = self.placements.first().map_or_else(Vector::zeros, |placement| placement.position_mm);
        let mounting = Mounting { cmm_from_sensor: *pose, handedness: self.shared.handedness, position_mm };
        let covariance = Matrix6::from_fn(|i, j| inverse[(i, j)]);
        // Stated where the artefact was.
        let middle = self.sensor.iter().map(|frame| frame.device_from_artefact.translation.vector).sum::<Vector>();
        let middle = Point::from(middle / self.sensor.len() as f64);
        let uncertainty = MountingUncertainty::from_origin(&mounting, &covariance, middle);
        Ok(Joint {
            mounting,
            uncertainty,
            faults: faults_of(faults),
            faults_sigma,
            misfit: if left > 0 { (square / left as f64).sqrt() } else { 0.0 },
            residuals: residuals.iter().map(|own| (*own).into()).collect(),
        })
    }
}
