//! Joint solution of one mounting from several snapshots and placements of the artefact, including geometric errors of
//! the CMM.
//!
//! Every placement of the artefact has a frame, known only from the CMM's probed points; every snapshot shows one
//! placement from a CMM position. All frames and the mounting are determined together by weighted least squares
//! (Gauss-Newton), each observation weighted by its own covariance. So an artefact that gives no directions, a sphere,
//! is sufficient if the CMM carries the sensor to several positions; and a squareness error of the CMM, or scale errors
//! relative to the sensor, are revealed by an artefact measured in several orientations.
//!
//! The noise of different snapshots is independent, but the sensor's systematic error is the same in all: it does not
//! average out, so each of its forms is propagated through the normal equations as a whole.

use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use serde::Serialize;

use super::artefacts::Systematic;
use super::solve::{Frames, Request};
use super::{ArtefactFrame, Mounting, MountingUncertainty};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Vector};

/// Geometric errors of a CMM: squareness and scales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
#[serde(default)]
pub struct CmmErrors {
    /// Squareness error: 90° minus the angle between X and Y, rad.
    pub squareness_rad: f64,
    /// Relative scale errors of X, Y and Z: true lengths are longer than indicated by this share.
    pub scales: [f64; 3],
}

impl CmmErrors {
    /// The true point at which the scales indicate this one.
    pub fn corrected(&self, reported: &Point) -> Point {
        let scaled = Point::from(reported.coords.component_mul(&(Vector::from(self.scales) + Vector::repeat(1.0))));
        let (sin, cos) = self.squareness_rad.sin_cos();
        Point::new(scaled.x + sin * scaled.y, cos * scaled.y, scaled.z)
    }

    /// The point that the scales indicate at a true one.
    pub fn indicated(&self, truth: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        let y = truth.y / cos;
        let [x_scale, y_scale, z_scale] = self.scales.map(|own| 1.0 + own);
        Point::new((truth.x - sin * y) / x_scale, y / y_scale, truth.z / z_scale)
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn of(errors: &[f64; 4]) -> Self {
        Self { squareness_rad: errors[0], scales: [errors[1], errors[2], errors[3]] }
    }
}

/// CMM geometric errors to be determined in addition to the mounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// Squareness of X and Y.
    pub squareness: bool,
    /// Scales of X, Y and Z.
    pub scales: bool,
    /// What is known of them already, such as from a ball bar; applied also where they are not determined.
    pub known: KnownErrors,
}

/// Geometric errors of a CMM that are known from another measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
#[serde(default)]
pub struct KnownErrors {
    /// Squareness of X and Y, rad.
    pub squareness_rad: Option<Stated>,
    /// Scales of X, Y and Z.
    pub scales: [Option<Stated>; 3],
}

/// A value with its expanded uncertainty (k = 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
pub struct Stated {
    /// The value, rad or relative.
    pub value: f64,
    /// U, rad or relative.
    pub expanded: f64,
}

impl Stated {
    /// Its weight, and the least standard uncertainty that is believed: of 1 nm at 1 m.
    fn weight(&self) -> f64 {
        (0.5 * self.expanded).max(1e-9).powi(-2)
    }
}

impl Wanted {
    fn known(&self, error: usize) -> Option<Stated> {
        if error == 0 { self.known.squareness_rad } else { self.known.scales[error - 1] }
    }

    fn is_determined(&self, error: usize) -> bool {
        if error == 0 { self.squareness } else { self.scales }
    }

    /// Returns an error if a known value or its uncertainty is not plausible.
    fn check(&self) -> Result<()> {
        let is_plausible =
            |own: &Stated| own.value.abs() <= MAX_CMM_ERROR && (0.0..=MAX_CMM_ERROR).contains(&own.expanded);
        if (0..4).filter_map(|error| self.known(error)).all(|own| is_plausible(&own)) {
            return Ok(());
        }
        Err(UserError::usage(
            "A known squareness or scale and its uncertainty must be at most 0.1 rad or 0.1 mm/mm, and the uncertainty not \
             below 0.",
        ))
    }
}

/// Results of several snapshots in addition to the mounting.
#[derive(Clone, Debug, Serialize)]
pub struct Joint {
    /// CMM geometric errors; zero if not determined.
    pub faults: CmmErrors,
    /// What was known of them beforehand.
    pub known: KnownErrors,
    /// Standard uncertainties of the geometric errors: squareness (rad), scales of X, Y and Z.
    pub faults_sigma: [f64; 4],
    /// Square root of the weighted sum of squared residuals per degree of freedom: near 1 if the stated uncertainties
    /// are right; 0 without redundancy.
    pub misfit: f64,
    /// Residuals of each snapshot: translation (mm) and rotation (rad) in the artefact's frame.
    pub residuals: Vec<[f64; 6]>,
    /// Their standard uncertainties; 0 for components that the artefact does not determine.
    pub residual_sigmas: Vec<[f64; 6]>,
    /// Degrees of freedom: residuals minus parameters; 0 if nothing is left for a check.
    pub redundancy: usize,
}

/// Maximum number of iterations; no sound set of placements needs as many.
const MAX_ITERATIONS: usize = 30;
/// Geometric errors of the CMM beyond this, rad or relative, are not plausible.
const MAX_CMM_ERROR: f64 = 0.1;
/// Steps smaller than this end the iteration, mm and rad.
const CONVERGED_STEP: f64 = 1e-9;
/// Step of numerical derivatives: mm, rad, and relative for the scales.
const DERIVATIVE_STEP: f64 = 1e-6;
/// Relative tolerance of eigenvalues of the scaled normal matrix below which a parameter is undetermined.
const SINGULAR_TOLERANCE: f64 = 1e-9;

/// Determines the mounting and the CMM geometric errors. The sensor's frames are used as they are; the CMM's are
/// computed again from points corrected for its errors.
pub(super) fn solve(
    request: &Request<'_>,
    frames: &Frames,
    wanted: Wanted,
    progress: &Progress,
) -> Result<(Mounting, MountingUncertainty, Joint)> {
    wanted.check()?;
    let unknown_errors: Vec<usize> =
        (0..4).filter(|&error| wanted.is_determined(error) || wanted.known(error).is_some()).collect();
    let is_open = |error: &usize| wanted.is_determined(*error) && wanted.known(*error).is_none();
    if unknown_errors.iter().any(is_open) && request.placements.len() < 2 {
        return Err(UserError::usage(
            "Squareness and scales need several placements of the artefact in different orientations.",
        ));
    }
    let problem = Problem::new(request, frames, unknown_errors)?;
    let mut state = problem.start()?;
    let mut inverse = DMatrix::zeros(0, 0);
    for _ in 0..MAX_ITERATIONS {
        progress.report(0.95, "Fitting all snapshots")?;
        let (normal, right) = problem.normal_equations(&state)?;
        inverse = inverted(&normal).ok_or_else(undetermined)?;
        let step = &inverse * right;
        state = problem.stepped(&state, &step);
        if step.amax() < CONVERGED_STEP {
            break;
        }
    }
    if !inverse.iter().all(|value| value.is_finite())
        || state.cmm_errors.iter().any(|error| error.abs() > MAX_CMM_ERROR)
    {
        return Err(undetermined());
    }
    problem.finish(&state, &inverse)
}

fn undetermined() -> UserError {
    UserError::input(
        "These snapshots do not determine all requested parameters: carry the sensor to positions that are not on one \
         line, or place the artefact in more orientations, 90° apart.",
    )
}

/// Inverse of a positive definite matrix; `None` if it is numerically singular.
fn inverted(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let scales = matrix.diagonal().map(|d| if d > 0.0 { d.sqrt() } else { 0.0 });
    if scales.iter().any(|scale| *scale == 0.0) {
        return None;
    }
    let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] / (scales[i] * scales[j]));
    let values = scaled.symmetric_eigenvalues();
    if values.min() < SINGULAR_TOLERANCE * values.max() {
        return None;
    }
    let inverse = scaled.cholesky()?.inverse();
    Some(DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| inverse[(i, j)] / (scales[i] * scales[j])))
}

/// Parameters of the joint solution.
#[derive(Clone)]
struct State {
    cmm_from_sensor: Pose,
    cmm_errors: [f64; 4],
    /// Pose of the artefact in each placement, true CMM axes.
    artefacts: Vec<Pose>,
}

/// Residuals of the CMM's frames, and of the sensor's frames.
type Residuals = (Vec<Vector6<f64>>, Vec<Vector6<f64>>);

struct Problem<'a> {
    request: &'a Request<'a>,
    frames: &'a Frames,
    /// Indices of the translations and rotations that the artefact determines.
    determined: Vec<usize>,
    /// Indices of the CMM geometric errors to be determined.
    unknown_errors: Vec<usize>,
    /// Weights of the CMM's frame of each placement, and of the sensor's frame of each snapshot.
    weights: (Vec<Matrix6<f64>>, Vec<Matrix6<f64>>),
}

/// Pose from a small translation (mm) and rotation (rad) in a frame's own axes.
fn pose_of_motion(by: &Vector6<f64>) -> Pose {
    let rotation = nalgebra::UnitQuaternion::from_scaled_axis(Vector::new(by[3], by[4], by[5]));
    Pose::from_parts(Vector::new(by[0], by[1], by[2]).into(), rotation)
}

fn motion_of(change: &Pose) -> Vector6<f64> {
    let (shift, turn) = (change.translation.vector, change.rotation.scaled_axis());
    Vector6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z)
}

impl<'a> Problem<'a> {
    fn new(request: &'a Request<'a>, frames: &'a Frames, unknown_errors: Vec<usize>) -> Result<Self> {
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
        let weights_of = |frames: &[ArtefactFrame]| frames.iter().map(weight).collect::<Result<Vec<_>>>();
        let weights = (weights_of(&frames.cmm)?, weights_of(&frames.sensor)?);
        Ok(Self { request, frames, determined, unknown_errors, weights })
    }

    /// True CMM position of each snapshot relative to the first, mm.
    fn travels(&self, cmm_errors: &CmmErrors) -> Vec<Vector> {
        let position = |view: &super::solve::View| cmm_errors.corrected(&Point::from(view.position_mm)).coords;
        let all: Vec<Vector> = self.request.views().map(|(_, view)| position(view)).collect();
        all.iter().map(|own| own - all[0]).collect()
    }

    fn start(&self) -> Result<State> {
        let cmm: Vec<Pose> = self.frames.cmm.iter().map(|frame| frame.device_from_artefact).collect();
        let sensor: Vec<Pose> = self.frames.sensor.iter().map(|frame| frame.device_from_artefact).collect();
        let cmm_from_sensor = if self.determined.len() == 6 {
            cmm[0] * sensor[0].inverse()
        } else {
            // Align the positions measured by the sensor with those by the CMM, less its travel.
            let travels = self.travels(&CmmErrors::default());
            let measured: Vec<Vector> = sensor.iter().map(|pose| pose.translation.vector).collect();
            let reference = self.request.views().zip(&travels).map(|((p, _), by)| cmm[p].translation.vector - by);
            rigid_fit(&measured, &reference.collect::<Vec<_>>()).ok_or_else(undetermined)?
        };
        let known = |error| self.request.wanted.known(error).map_or(0.0, |own| own.value);
        Ok(State { cmm_from_sensor, cmm_errors: [0, 1, 2, 3].map(known), artefacts: cmm })
    }

    /// Number of parameters: the mounting, the geometric errors, then each placement.
    fn count(&self) -> usize {
        6 + self.unknown_errors.len() + self.determined.len() * self.frames.cmm.len()
    }

    fn stepped(&self, state: &State, by: &DVector<f64>) -> State {
        let mut next = state.clone();
        let rotation = nalgebra::UnitQuaternion::from_scaled_axis(Vector::new(by[3], by[4], by[5]));
        // Translated along, and rotated in place about, the CMM's axes.
        let shift = state.cmm_from_sensor.translation.vector + Vector::new(by[0], by[1], by[2]);
        next.cmm_from_sensor = Pose::from_parts(shift.into(), rotation * state.cmm_from_sensor.rotation);
        self.unknown_errors.iter().enumerate().for_each(|(k, &index)| next.cmm_errors[index] += by[6 + k]);
        let first = 6 + self.unknown_errors.len();
        for (p, artefact) in next.artefacts.iter_mut().enumerate() {
            let mut own = Vector6::zeros();
            for (k, &index) in self.determined.iter().enumerate() {
                own[index] = by[first + p * self.determined.len() + k];
            }
            *artefact *= pose_of_motion(&own);
        }
        next
    }

    /// The CMM's frames, from probed points corrected for its geometric errors.
    fn cmm_frames(&self, cmm_errors: &[f64; 4]) -> Result<Vec<Pose>> {
        if cmm_errors.iter().all(|error| *error == 0.0) {
            return Ok(self.frames.cmm.iter().map(|frame| frame.device_from_artefact).collect());
        }
        let cmm_errors = CmmErrors::of(cmm_errors);
        self.request
            .cmm_frames(&|point| cmm_errors.corrected(point))
            .map(|frames| frames.iter().map(|frame| frame.device_from_artefact).collect())
    }

    /// Deviations of each CMM frame and of each sensor frame, in the artefact's frame: mm, then rad.
    fn residuals(&self, state: &State, cmm: &[Pose]) -> Residuals {
        let by_cmm = cmm.iter().zip(&state.artefacts).map(|(own, artefact)| motion_of(&(own.inverse() * artefact)));
        let travels = self.travels(&CmmErrors::of(&state.cmm_errors));
        let by_sensor = self.request.views().zip(&travels).zip(&self.frames.sensor).map(|(((p, _), by), sensor)| {
            let cmm_from_sensor = nalgebra::Translation3::from(*by) * state.cmm_from_sensor;
            let sensor_from_artefact = cmm_from_sensor.inverse() * state.artefacts[p];
            motion_of(&(sensor.device_from_artefact.inverse() * sensor_from_artefact))
        });
        (by_cmm.collect(), by_sensor.collect())
    }

    /// Derivatives of all residuals by each parameter.
    fn columns(&self, state: &State, cmm: &[Pose], here: &Residuals) -> Result<Vec<Residuals>> {
        let count = self.count();
        let mut columns = Vec::with_capacity(count);
        for k in 0..count {
            let moved =
                self.stepped(state, &DVector::from_fn(count, |i, _| if i == k { DERIVATIVE_STEP } else { 0.0 }));
            let is_cmm_error = (6..6 + self.unknown_errors.len()).contains(&k);
            let there = if is_cmm_error {
                self.residuals(&moved, &self.cmm_frames(&moved.cmm_errors)?)
            } else {
                self.residuals(&moved, cmm)
            };
            let change = |there: &[Vector6<f64>], here: &[Vector6<f64>]| -> Vec<Vector6<f64>> {
                there.iter().zip(here).map(|(there, here)| (there - here) / DERIVATIVE_STEP).collect()
            };
            columns.push((change(&there.0, &here.0), change(&there.1, &here.1)));
        }
        Ok(columns)
    }

    fn normal_equations(&self, state: &State) -> Result<(DMatrix<f64>, DVector<f64>)> {
        let count = self.count();
        let cmm = self.cmm_frames(&state.cmm_errors)?;
        let here = self.residuals(state, &cmm);
        let columns = self.columns(state, &cmm, &here)?;
        let (mut normal, mut right) = (DMatrix::zeros(count, count), DVector::zeros(count));
        for (instrument, (weights, here)) in
            [(&self.weights.0, &here.0), (&self.weights.1, &here.1)].into_iter().enumerate()
        {
            let column = |k: usize| if instrument == 0 { &columns[k].0 } else { &columns[k].1 };
            for (o, weight) in weights.iter().enumerate() {
                for i in 0..count {
                    let weighted = weight * column(i)[o];
                    right[i] -= weighted.dot(&here[o]);
                    (0..count).for_each(|j| normal[(i, j)] += weighted.dot(&column(j)[o]));
                }
            }
        }
        for (own, stated) in self.stated() {
            normal[(own, own)] += stated.weight();
            right[own] -= stated.weight() * (state.cmm_errors[self.unknown_errors[own - 6]] - stated.value);
        }
        Ok((normal, right))
    }

    /// The known geometric errors, each an observation of its own, with the indices of their parameters.
    fn stated(&self) -> impl Iterator<Item = (usize, Stated)> {
        let errors = self.unknown_errors.iter().enumerate();
        errors.filter_map(|(k, &error)| Some((6 + k, self.request.wanted.known(error)?)))
    }

    /// Propagates noise and systematic error of the frames to the parameters, and to the residuals of each snapshot.
    fn propagated(&self, columns: &[Residuals], inverse: &DMatrix<f64>) -> Propagated {
        let count = self.count();
        let jacobian = |select: &dyn Fn(&Residuals) -> Vector6<f64>| {
            let own: Vec<Vector6<f64>> = columns.iter().map(select).collect();
            DMatrix::from_fn(6, count, |i, j| own[j][i])
        };
        let dynamic = |matrix: &Matrix6<f64>| DMatrix::from_fn(6, 6, |i, j| matrix[(i, j)]);
        // The parameters respond to a motion of an observed frame by the inverse times this.
        let response = |jacobian: &DMatrix<f64>, weight: &Matrix6<f64>| jacobian.transpose() * dynamic(weight);
        let mut input_covariance = DMatrix::<f64>::zeros(count, count);
        self.stated().for_each(|(own, stated)| input_covariance[(own, own)] += stated.weight());
        for (o, (frame, weight)) in self.frames.cmm.iter().zip(&self.weights.0).enumerate() {
            let own = response(&jacobian(&|column| column.0[o]), weight);
            input_covariance += &own * dynamic(&frame.noise) * own.transpose();
        }
        let sensor_jacobians: Vec<DMatrix<f64>> =
            (0..self.frames.sensor.len()).map(|o| jacobian(&|column| column.1[o])).collect();
        let mut input_effects: Option<DMatrix<f64>> = None;
        for ((frame, weight), own) in self.frames.sensor.iter().zip(&self.weights.1).zip(&sensor_jacobians) {
            let own = response(own, weight);
            input_covariance += &own * dynamic(&frame.noise) * own.transpose();
            if !frame.systematic.is_none() {
                let effects = own * frame.systematic.effects();
                input_effects = Some(input_effects.map_or_else(|| effects.clone(), |sum| sum + &effects));
            }
        }
        let covariance = inverse * input_covariance * inverse.transpose();
        let systematic =
            input_effects.map_or_else(|| Systematic::none(count), |effects| Systematic::of(inverse * effects));
        let residual_sigmas_of = |(frame, own): (&ArtefactFrame, &DMatrix<f64>)| -> [f64; 6] {
            // A frame's own noise is partly absorbed by the parameters, so the sum of both is an upper bound for the
            // residuals.
            let fitted = own * &covariance * own.transpose();
            let error = if frame.systematic.is_none() || systematic.is_none() {
                Systematic::none(6)
            } else {
                Systematic::of(own * systematic.effects() - frame.systematic.effects())
            };
            std::array::from_fn(|k| {
                let noise = frame.noise[(k, k)] + fitted[(k, k)];
                if self.determined.contains(&k) { (noise + error.variance_of(k)).max(0.0).sqrt() } else { 0.0 }
            })
        };
        let residual_sigmas = self.frames.sensor.iter().zip(&sensor_jacobians).map(residual_sigmas_of).collect();
        Propagated { covariance, systematic, residual_sigmas }
    }

    fn finish(&self, state: &State, inverse: &DMatrix<f64>) -> Result<(Mounting, MountingUncertainty, Joint)> {
        let cmm = self.cmm_frames(&state.cmm_errors)?;
        let here = self.residuals(state, &cmm);
        let Propagated { covariance, systematic, residual_sigmas } =
            self.propagated(&self.columns(state, &cmm, &here)?, inverse);
        let (by_cmm, by_sensor) = here;
        let squared_sum = |residuals: &[Vector6<f64>], weights: &[Matrix6<f64>]| -> f64 {
            residuals.iter().zip(weights).map(|(own, weight)| own.dot(&(weight * own))).sum()
        };
        let of_stated = self.stated().map(|(own, stated)| {
            stated.weight() * (state.cmm_errors[self.unknown_errors[own - 6]] - stated.value).powi(2)
        });
        let squares =
            squared_sum(&by_cmm, &self.weights.0) + squared_sum(&by_sensor, &self.weights.1) + of_stated.sum::<f64>();
        let observed = self.determined.len() * (by_cmm.len() + by_sensor.len()) + self.stated().count();
        let redundancy = observed.saturating_sub(self.count());
        let mut faults_sigma = [0.0; 4];
        for (k, &index) in self.unknown_errors.iter().enumerate() {
            let variance = covariance[(6 + k, 6 + k)] + systematic.variance_of(6 + k);
            faults_sigma[index] = variance.max(0.0).sqrt();
        }
        let position_mm = self.request.views().next().map_or_else(Vector::zeros, |(_, view)| view.position_mm);
        let mounting = Mounting {
            cmm_from_sensor: state.cmm_from_sensor,
            handedness: self.request.handedness,
            position_mm,
            cmm_errors: CmmErrors::of(&state.cmm_errors),
        };
        let at_origin = Matrix6::from_fn(|i, j| covariance[(i, j)]);
        let of_mounting = systematic.quantities(0..6);
        let uncertainty = MountingUncertainty::from_origin(&mounting, &at_origin, of_mounting, self.frames.centroid);
        let joint = Joint {
            faults: CmmErrors::of(&state.cmm_errors),
            known: self.request.wanted.known,
            faults_sigma,
            misfit: if redundancy > 0 { (squares / redundancy as f64).sqrt() } else { 0.0 },
            residuals: by_sensor.iter().map(|own| (*own).into()).collect(),
            residual_sigmas,
            redundancy,
        };
        Ok((mounting, uncertainty, joint))
    }
}

/// Result of [`Problem::propagated`].
struct Propagated {
    /// Covariance of the parameters caused by noise.
    covariance: DMatrix<f64>,
    /// Effect of the systematic error on the parameters.
    systematic: Systematic,
    /// Standard uncertainties of the residuals of each snapshot.
    residual_sigmas: Vec<[f64; 6]>,
}

/// Rigid motion that maps one set of positions to another with least squares; `None` if there are fewer than three, or
/// if they are on one line.
fn rigid_fit(from: &[Vector], to: &[Vector]) -> Option<Pose> {
    let mean = |points: &[Vector]| points.iter().sum::<Vector>() / points.len().max(1) as f64;
    let (a, b) = (mean(from), mean(to));
    let mut cross_covariance = nalgebra::Matrix3::zeros();
    from.iter().zip(to).for_each(|(p, q)| cross_covariance += (q - b) * (p - a).transpose());
    let svd = cross_covariance.svd(true, true);
    // Of three singular values in descending order, the second is zero for positions on one line.
    if from.len() < 3 || !(svd.singular_values[1] > SINGULAR_TOLERANCE * svd.singular_values[0]) {
        return None;
    }
    let (u, v) = (svd.u?, svd.v_t?);
    let sign = (u * v).determinant().signum();
    let rotation = u * nalgebra::Matrix3::from_diagonal(&Vector::new(1.0, 1.0, sign)) * v;
    let rotation = nalgebra::UnitQuaternion::from_matrix(&rotation);
    Some(Pose::from_parts((b - rotation * a).into(), rotation))
}
