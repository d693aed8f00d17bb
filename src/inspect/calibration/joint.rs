//! One mounting from several snapshots and placements of the artefact, with the machine's own faults.
//!
//! Every placement of the artefact has a frame, unknown but for what the machine's touches say of it; every snapshot
//! sees one placement from where the machine stood. All frames and the mounting are found together, by weighted least
//! squares (Gauss and Newton), each observation weighted by its own covariance. So an artefact that gives no directions,
//! a sphere, is enough where the machine carries the sensor about; and a machine whose axes are not quite square, or
//! whose scales are off relative to the sensor's, is found out by an artefact that lies in several ways.
//!
//! The noise of one snapshot has nothing to do with that of another, but the sensor's systematic error is one and the
//! same in all: it does not average out, so each of its forms is carried through the normal equations as a whole.

use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use serde::Serialize;

use super::artefacts::Systematic;
use super::solve::{Frames, Request};
use super::{ArtefactFrame, Mounting, MountingUncertainty};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Vector};

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

    fn of(faults: &[f64; 4]) -> Self {
        Self { squareness_rad: faults[0], scales: [faults[1], faults[2], faults[3]] }
    }
}

/// What is to be found beside the mounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Wanted {
    /// The squareness of X and Y.
    pub squareness: bool,
    /// The scales.
    pub scales: bool,
}

/// What several snapshots told beside the mounting.
#[derive(Clone, Debug, Serialize)]
pub struct Joint {
    /// The machine's faults; those not wanted are zero.
    pub faults: MachineFaults,
    /// Standard uncertainties of the faults: squareness (rad), scales.
    pub faults_sigma: [f64; 4],
    /// Root of the weighted mean square of what is left, in standard deviations: near 1 where all is as stated.
    pub misfit: f64,
    /// How far each snapshot is off: shift (mm) and turn (rad) in the artefact's frame.
    pub residuals: Vec<[f64; 6]>,
    /// Their standard uncertainties; 0 of what the artefact does not determine.
    pub residual_sigmas: Vec<[f64; 6]>,
    /// Residuals beyond what is found from them: 0 where nothing is left to tell by.
    pub redundancy: usize,
}

/// Steps that no sound set of placements needs.
const STEPS: usize = 30;
/// Steps as small as this, mm and rad, end the search.
const ENOUGH: f64 = 1e-9;
/// Steps of numeric derivatives: mm and rad, and for the faults.
const STEP: f64 = 1e-6;
/// Information of the scaled problem below this share of its largest is none.
const OPEN: f64 = 1e-9;

/// Finds mounting and faults from the frames of the request; all but those of the machine are used as they are.
pub(super) fn solve(
    request: &Request<'_>,
    frames: &Frames,
    wanted: Wanted,
    progress: &Progress,
) -> Result<(Mounting, MountingUncertainty, Joint)> {
    let faults: Vec<usize> = (0..4).filter(|&k| if k == 0 { wanted.squareness } else { wanted.scales }).collect();
    if !faults.is_empty() && request.placements.len() < 2 {
        return Err(UserError::usage(
            "Squareness and scales need several placements of the artefact that lie in different ways.",
        ));
    }
    let problem = Problem::new(request, frames, faults)?;
    let mut state = problem.start()?;
    let mut inverse = DMatrix::zeros(0, 0);
    for _ in 0..STEPS {
        progress.report(0.95, "Fitting all snapshots")?;
        let (normal, right) = problem.normal_equations(&state)?;
        inverse = inverted(&normal).ok_or_else(undetermined)?;
        let by = &inverse * right;
        state = problem.stepped(&state, &by);
        if by.amax() < ENOUGH {
            break;
        }
    }
    if !inverse.iter().all(|value| value.is_finite()) || state.faults.iter().any(|fault| fault.abs() > 0.1) {
        return Err(undetermined());
    }
    problem.finish(&state, &inverse)
}

fn undetermined() -> UserError {
    UserError::input(
        "These snapshots do not determine what is asked: carry the sensor to positions that lie on no line, or lay the \
         artefact in more different ways, a quarter turn apart.",
    )
}

/// The inverse of a positive matrix; `None` where something is left open.
fn inverted(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let scales = matrix.diagonal().map(|d| if d > 0.0 { d.sqrt() } else { 0.0 });
    if scales.iter().any(|scale| *scale == 0.0) {
        return None;
    }
    let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] / (scales[i] * scales[j]));
    let values = scaled.symmetric_eigenvalues();
    if values.min() < OPEN * values.max() {
        return None;
    }
    let inverse = scaled.cholesky()?.inverse();
    Some(DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| inverse[(i, j)] / (scales[i] * scales[j])))
}

/// What is being found.
#[derive(Clone)]
struct State {
    cmm_from_sensor: Pose,
    faults: [f64; 4],
    /// Of each placement: the artefact in the machine's true axes.
    artefacts: Vec<Pose>,
}

/// Of the frames that were touched, and of those that were seen.
type Residuals = (Vec<Vector6<f64>>, Vec<Vector6<f64>>);

/// Where only places of an artefact turn the sensor's axes (one sphere from several positions), the stated uncertainty of
/// the angles is widened by this: in trials with systematic errors of third order they spread by 1.47 times what the
/// forms propagate to, since each position puts the sphere into another, small part of the field.
const TURNS_BY_PLACES: f64 = 1.5;

struct Problem<'a> {
    request: &'a Request<'a>,
    frames: &'a Frames,
    /// Shifts and turns that the artefact determines.
    determined: Vec<usize>,
    /// Numbers of the faults to be found.
    faults: Vec<usize>,
    /// Of the machine's frame of each placement, and of each snapshot's.
    weights: (Vec<Matrix6<f64>>, Vec<Matrix6<f64>>),
}

/// A small shift (mm) and turn (rad) in a frame's own axes.
fn motion(by: &Vector6<f64>) -> Pose {
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector::new(by[3], by[4], by[5]));
    Pose::from_parts(Vector::new(by[0], by[1], by[2]).into(), turn)
}

fn of_motion(change: &Pose) -> Vector6<f64> {
    let (by, turn) = (change.translation.vector, change.rotation.scaled_axis());
    Vector6::new(by.x, by.y, by.z, turn.x, turn.y, turn.z)
}

impl<'a> Problem<'a> {
    fn new(request: &'a Request<'a>, frames: &'a Frames, faults: Vec<usize>) -> Result<Self> {
        let determines = request.artefact.artefact().determines();
        let determined: Vec<usize> = (0..6).filter(|&k| determines[k]).collect();
        let weight = |frame: &ArtefactFrame| {
            let count = determined.len();
            let own = DMatrix::from_fn(count, count, |i, j| frame.covariance[(determined[i], determined[j])]);
            let inverse = inverted(&own).ok_or_else(undetermined)?;
            let mut weight = Matrix6::zeros();
            for (i, &row) in determined.iter().enumerate() {
                determined.iter().enumerate().for_each(|(j, &column)| weight[(row, column)] = inverse[(i, j)]);
            }
            Ok(weight)
        };
        let of = |frames: &[ArtefactFrame]| frames.iter().map(weight).collect::<Result<Vec<_>>>();
        let weights = (of(&frames.cmm)?, of(&frames.sensor)?);
        Ok(Self { request, frames, determined, faults, weights })
    }

    /// Where the machine truly stood at each snapshot, from where it stood at the first.
    fn driven(&self, faults: &MachineFaults) -> Vec<Vector> {
        let stood = |view: &super::solve::View| faults.truth(&Point::from(view.position_mm)).coords;
        let all: Vec<Vector> = self.request.views().map(|(_, view)| stood(view)).collect();
        all.iter().map(|place| place - all[0]).collect()
    }

    fn start(&self) -> Result<State> {
        let cmm: Vec<Pose> = self.frames.cmm.iter().map(|frame| frame.device_from_artefact).collect();
        let sensor: Vec<Pose> = self.frames.sensor.iter().map(|frame| frame.device_from_artefact).collect();
        let cmm_from_sensor = if self.determined.len() == 6 {
            cmm[0] * sensor[0].inverse()
        } else {
            // The places that the sensor saw, onto where they were, the machine's drive taken off.
            let driven = self.driven(&MachineFaults::default());
            let seen: Vec<Vector> = sensor.iter().map(|pose| pose.translation.vector).collect();
            let were = self.request.views().zip(&driven).map(|((p, _), by)| cmm[p].translation.vector - by);
            onto(&seen, &were.collect::<Vec<_>>()).ok_or_else(undetermined)?
        };
        Ok(State { cmm_from_sensor, faults: [0.0; 4], artefacts: cmm })
    }

    /// Numbers of the parameters: the mounting, faults, then each placement.
    fn count(&self) -> usize {
        6 + self.faults.len() + self.determined.len() * self.frames.cmm.len()
    }

    fn stepped(&self, state: &State, by: &DVector<f64>) -> State {
        let mut next = state.clone();
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector::new(by[3], by[4], by[5]));
        // Shifted, and turned about its own place, along and about the CMM's axes.
        let shift = state.cmm_from_sensor.translation.vector + Vector::new(by[0], by[1], by[2]);
        next.cmm_from_sensor = Pose::from_parts(shift.into(), turn * state.cmm_from_sensor.rotation);
        self.faults.iter().enumerate().for_each(|(k, &which)| next.faults[which] += by[6 + k]);
        let first = 6 + self.faults.len();
        for (p, artefact) in next.artefacts.iter_mut().enumerate() {
            let mut own = Vector6::zeros();
            for (k, &which) in self.determined.iter().enumerate() {
                own[which] = by[first + p * self.determined.len() + k];
            }
            *artefact *= motion(&own);
        }
        next
    }

    /// The machine's frames, touched places corrected for its faults.
    fn cmm_frames(&self, faults: &[f64; 4]) -> Result<Vec<Pose>> {
        if faults.iter().all(|fault| *fault == 0.0) {
            return Ok(self.frames.cmm.iter().map(|frame| frame.device_from_artefact).collect());
        }
        let faults = MachineFaults::of(faults);
        self.request
            .cmm_frames(&|place| faults.truth(place))
            .map(|frames| frames.iter().map(|frame| frame.device_from_artefact).collect())
    }

    /// What each touched and each seen frame is off, in the artefact's frame: mm, then rad.
    fn residuals(&self, state: &State, cmm: &[Pose]) -> Residuals {
        let touched = cmm.iter().zip(&state.artefacts).map(|(own, artefact)| of_motion(&(own.inverse() * artefact)));
        let driven = self.driven(&MachineFaults::of(&state.faults));
        let seen = self.request.views().zip(&driven).zip(&self.frames.sensor).map(|(((p, _), by), sensor)| {
            let cmm_from_sensor = nalgebra::Translation3::from(*by) * state.cmm_from_sensor;
            let sensor_from_artefact = cmm_from_sensor.inverse() * state.artefacts[p];
            of_motion(&(sensor.device_from_artefact.inverse() * sensor_from_artefact))
        });
        (touched.collect(), seen.collect())
    }

    /// How all residuals change with each parameter.
    fn columns(&self, state: &State, cmm: &[Pose], here: &Residuals) -> Result<Vec<Residuals>> {
        let count = self.count();
        let mut columns = Vec::with_capacity(count);
        for k in 0..count {
            let moved = self.stepped(state, &DVector::from_fn(count, |i, _| if i == k { STEP } else { 0.0 }));
            let is_fault = (6..6 + self.faults.len()).contains(&k);
            let there = if is_fault {
                self.residuals(&moved, &self.cmm_frames(&moved.faults)?)
            } else {
                self.residuals(&moved, cmm)
            };
            let change = |there: &[Vector6<f64>], here: &[Vector6<f64>]| -> Vec<Vector6<f64>> {
                there.iter().zip(here).map(|(there, here)| (there - here) / STEP).collect()
            };
            columns.push((change(&there.0, &here.0), change(&there.1, &here.1)));
        }
        Ok(columns)
    }

    fn normal_equations(&self, state: &State) -> Result<(DMatrix<f64>, DVector<f64>)> {
        let count = self.count();
        let cmm = self.cmm_frames(&state.faults)?;
        let here = self.residuals(state, &cmm);
        let columns = self.columns(state, &cmm, &here)?;
        let (mut normal, mut right) = (DMatrix::zeros(count, count), DVector::zeros(count));
        for (which, (weights, here)) in [(&self.weights.0, &here.0), (&self.weights.1, &here.1)].into_iter().enumerate()
        {
            let column = |k: usize| if which == 0 { &columns[k].0 } else { &columns[k].1 };
            for (o, weight) in weights.iter().enumerate() {
                for i in 0..count {
                    let weighted = weight * column(i)[o];
                    right[i] -= weighted.dot(&here[o]);
                    (0..count).for_each(|j| normal[(i, j)] += weighted.dot(&column(j)[o]));
                }
            }
        }
        Ok((normal, right))
    }

    /// What noise and systematic error of the frames do to the parameters, and to what is left of each snapshot.
    fn propagated(&self, columns: &[Residuals], inverse: &DMatrix<f64>) -> Propagated {
        let count = self.count();
        let jacobian = |of: &dyn Fn(&Residuals) -> Vector6<f64>| {
            let own: Vec<Vector6<f64>> = columns.iter().map(of).collect();
            DMatrix::from_fn(6, count, |i, j| own[j][i])
        };
        let dynamic = |matrix: &Matrix6<f64>| DMatrix::from_fn(6, 6, |i, j| matrix[(i, j)]);
        // Parameters answer a motion of an observed frame by the inverse times this.
        let answer = |jacobian: &DMatrix<f64>, weight: &Matrix6<f64>| jacobian.transpose() * dynamic(weight);
        let mut middle = DMatrix::<f64>::zeros(count, count);
        for (o, (frame, weight)) in self.frames.cmm.iter().zip(&self.weights.0).enumerate() {
            let own = answer(&jacobian(&|column| column.0[o]), weight);
            middle += &own * dynamic(&frame.noise) * own.transpose();
        }
        let seen: Vec<DMatrix<f64>> = (0..self.frames.sensor.len()).map(|o| jacobian(&|column| column.1[o])).collect();
        let mut driven: Option<DMatrix<f64>> = None;
        for ((frame, weight), own) in self.frames.sensor.iter().zip(&self.weights.1).zip(&seen) {
            let own = answer(own, weight);
            middle += &own * dynamic(&frame.noise) * own.transpose();
            if !frame.systematic.is_none() {
                let by = own * frame.systematic.answers();
                driven = Some(driven.map_or_else(|| by.clone(), |sum| sum + &by));
            }
        }
        let covariance = inverse * middle * inverse.transpose();
        let systematic = driven.map_or_else(|| Systematic::none(count), |driven| Systematic::of(inverse * driven));
        let left = |(frame, own): (&ArtefactFrame, &DMatrix<f64>)| -> [f64; 6] {
            // A frame's own noise is in part taken up by the parameters: both together are more than is left.
            let fitted = own * &covariance * own.transpose();
            let error = if frame.systematic.is_none() || systematic.is_none() {
                Systematic::none(6)
            } else {
                Systematic::of(own * systematic.answers() - frame.systematic.answers())
            };
            std::array::from_fn(|k| {
                let noise = frame.noise[(k, k)] + fitted[(k, k)];
                if self.determined.contains(&k) { (noise + error.variance_of(k)).max(0.0).sqrt() } else { 0.0 }
            })
        };
        let residual_sigmas = self.frames.sensor.iter().zip(&seen).map(left).collect();
        Propagated { covariance, systematic, residual_sigmas }
    }

    fn finish(&self, state: &State, inverse: &DMatrix<f64>) -> Result<(Mounting, MountingUncertainty, Joint)> {
        let cmm = self.cmm_frames(&state.faults)?;
        let here = self.residuals(state, &cmm);
        let Propagated { covariance, systematic, residual_sigmas } =
            self.propagated(&self.columns(state, &cmm, &here)?, inverse);
        let (touched, seen) = here;
        let square = |residuals: &[Vector6<f64>], weights: &[Matrix6<f64>]| -> f64 {
            residuals.iter().zip(weights).map(|(own, weight)| own.dot(&(weight * own))).sum()
        };
        let squares = square(&touched, &self.weights.0) + square(&seen, &self.weights.1);
        let left = (self.determined.len() * (touched.len() + seen.len())).saturating_sub(self.count());
        let mut faults_sigma = [0.0; 4];
        for (k, &which) in self.faults.iter().enumerate() {
            let variance = covariance[(6 + k, 6 + k)] + systematic.variance_of(6 + k);
            faults_sigma[which] = variance.max(0.0).sqrt();
        }
        let position_mm = self.request.views().next().map_or_else(Vector::zeros, |(_, view)| view.position_mm);
        let mounting =
            Mounting { cmm_from_sensor: state.cmm_from_sensor, handedness: self.request.handedness, position_mm };
        let widened = |i: usize| if self.determined.len() < 6 && i >= 3 { TURNS_BY_PLACES } else { 1.0 };
        let at_origin = Matrix6::from_fn(|i, j| covariance[(i, j)] * widened(i) * widened(j));
        let of_mounting = systematic.figures(0..6);
        let answers = of_mounting.answers();
        let answers = DMatrix::from_fn(answers.nrows(), answers.ncols(), |i, j| answers[(i, j)] * widened(i));
        let of_mounting = Systematic::of(answers);
        let uncertainty = MountingUncertainty::from_origin(&mounting, &at_origin, of_mounting, self.frames.middle);
        let joint = Joint {
            faults: MachineFaults::of(&state.faults),
            faults_sigma,
            misfit: if left > 0 { (squares / left as f64).sqrt() } else { 0.0 },
            residuals: seen.iter().map(|own| (*own).into()).collect(),
            residual_sigmas,
            redundancy: left,
        };
        Ok((mounting, uncertainty, joint))
    }
}

/// See [`Problem::propagated`].
struct Propagated {
    /// Of the parameters, by noise.
    covariance: DMatrix<f64>,
    /// What the systematic error does to the parameters.
    systematic: Systematic,
    /// Standard uncertainties of the residuals of each snapshot.
    residual_sigmas: Vec<[f64; 6]>,
}

/// The motion that brings some places nearest to others; `None` where there are fewer than three, or on one line.
fn onto(from: &[Vector], to: &[Vector]) -> Option<Pose> {
    let mean = |places: &[Vector]| places.iter().sum::<Vector>() / places.len().max(1) as f64;
    let (a, b) = (mean(from), mean(to));
    let mut spread = nalgebra::Matrix3::zeros();
    from.iter().zip(to).for_each(|(p, q)| spread += (q - b) * (p - a).transpose());
    let svd = spread.svd(true, true);
    // Of three singular values in descending order, places on one line leave the second zero.
    if from.len() < 3 || !(svd.singular_values[1] > OPEN * svd.singular_values[0]) {
        return None;
    }
    let (u, v) = (svd.u?, svd.v_t?);
    let sign = (u * v).determinant().signum();
    let turn = u * nalgebra::Matrix3::from_diagonal(&Vector::new(1.0, 1.0, sign)) * v;
    let turn = nalgebra::UnitQuaternion::from_matrix(&turn);
    Some(Pose::from_parts((b - turn * a).into(), turn))
}
