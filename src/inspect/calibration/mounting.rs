//! The mounting of a sensor on a CMM, and its uncertainty.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector6};
use serde::{Deserialize, Serialize};

use super::artefacts::{ArtefactFrame, ErrorForm, Systematic};
use super::joint::CmmErrors;
use geometry::{Cloud, Point, Pose, Vector};

/// Handedness of the frame that a sensor reports in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Handedness {
    /// Right-handed, as all other frames.
    #[default]
    Right,
    /// Left-handed: the X axis is reversed.
    Left,
}

impl Handedness {
    /// Converts a point to a right-handed frame; the inverse is the same.
    pub fn to_right(self, point: &Point) -> Point {
        match self {
            Self::Right => *point,
            Self::Left => Point::new(-point.x, point.y, point.z),
        }
    }

    /// Converts a cloud, including its directions to the sensor, between the reported and the right-handed frame.
    pub fn convert(self, cloud: &mut Cloud) {
        if self == Self::Left {
            cloud.points.iter_mut().for_each(|point| *point = self.to_right(point));
            cloud.to_sensor.iter_mut().for_each(|direction| direction[0] = -direction[0]);
        }
    }
}

/// The mounting of a sensor on a CMM.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mounting {
    /// Maps the right-handed sensor frame to the CMM frame, at the CMM position of the calibration.
    pub cmm_from_sensor: Pose,
    /// Handedness of the frame that the sensor reports in.
    pub handedness: Handedness,
    /// CMM position of the calibration as read from its scales, mm.
    pub position_mm: Vector,
    /// Geometric errors of the CMM that were determined with the mounting; zero if they were not. Positions are corrected
    /// for them, and what is mapped to the CMM frame is in its true axes.
    #[serde(default)]
    pub cmm_errors: CmmErrors,
}

impl Mounting {
    /// From the poses of the same artefact as determined by CMM and sensor.
    pub fn new(
        cmm_from_artefact: &Pose,
        sensor_from_artefact: &Pose,
        handedness: Handedness,
        position_mm: Vector,
    ) -> Self {
        let cmm_from_sensor = cmm_from_artefact * sensor_from_artefact.inverse();
        Self { cmm_from_sensor, handedness, position_mm, cmm_errors: CmmErrors::default() }
    }

    /// Converts a point reported by the sensor at the CMM position `position_mm` (as read from its scales) to the CMM
    /// frame.
    pub fn to_cmm(&self, reported: &Point, position_mm: &Vector) -> Point {
        self.cmm_from_sensor * self.handedness.to_right(reported) + self.travel_mm(position_mm)
    }

    /// True travel of the CMM from the position of the calibration to `position_mm` (as read from its scales), mm.
    pub fn travel_mm(&self, position_mm: &Vector) -> Vector {
        self.true_position_mm(position_mm) - self.true_position_mm(&self.position_mm)
    }

    /// True position of one that was read from the CMM's scales, mm.
    pub fn true_position_mm(&self, position_mm: &Vector) -> Vector {
        self.cmm_errors.corrected(&Point::from(*position_mm)).coords
    }

    /// Position of a point of the sensor (right-handed frame, mm) relative to the true CMM position of the calibration: the
    /// same wherever the CMM stood.
    pub fn relative_position_mm(&self, point: &Point) -> Point {
        self.cmm_from_sensor * point - self.true_position_mm(&self.position_mm)
    }

    /// Angles of `Rx Ry Rz`, rad: the mounting's rotations about the CMM's axes.
    pub fn angles_rad(&self) -> [f64; 3] {
        angles_rad(&self.cmm_from_sensor)
    }
}

/// Angles a, b, c of `Rx(a) Ry(b) Rz(c)`, rad.
pub fn angles_rad(pose: &Pose) -> [f64; 3] {
    let m = pose.rotation.to_rotation_matrix();
    let a = (-m[(1, 2)]).atan2(m[(2, 2)]);
    let b = m[(0, 2)].clamp(-1.0, 1.0).asin();
    let c = (-m[(0, 1)]).atan2(m[(0, 0)]);
    [a, b, c]
}

/// Standard uncertainty of a mounting, caused by noise and by the systematic error in whichever form affects a quantity
/// most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MountingUncertainty {
    /// Reference point of the displacements, right-handed sensor frame, mm. A rotation displaces points far from it
    /// more.
    pub reference_mm: Point,
    /// Covariance of the reference point's displacement (mm) and of small rotations (rad), along and about the CMM's
    /// axes, caused by noise.
    pub covariance: Matrix6<f64>,
    /// Effect of the sensor's systematic error on these.
    #[serde(skip)]
    pub systematic: Systematic,
    /// Effect of one standard deviation of the error of the stylus tip radius on these.
    pub stylus: Vector6<f64>,
    /// Of the three angles of `Rx Ry Rz`, rad.
    pub angles_rad: [f64; 3],
}

/// Contributions to a standard uncertainty, mm or rad.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contributions {
    /// Noise of both instruments, and the probing error.
    pub noise: f64,
    /// Systematic error of the sensor, in its dominant form.
    pub systematic: f64,
    /// Error of the stylus tip radius.
    pub stylus: f64,
    /// The dominant form of the systematic error.
    pub form: ErrorForm,
}

impl MountingUncertainty {
    /// Uncertainty of a mounting determined from the frames of both instruments, whose errors are independent.
    pub fn new(mounting: &Mounting, cmm: &ArtefactFrame, sensor: &ArtefactFrame, reference_mm: Point) -> Self {
        let position = sensor.device_from_artefact.inverse_transform_point(&reference_mm).coords;
        let rotation = cmm.device_from_artefact.rotation.to_rotation_matrix();
        let mut to_cmm = Matrix6::zeros();
        to_cmm.fixed_view_mut::<3, 3>(0, 0).copy_from(rotation.matrix());
        to_cmm.fixed_view_mut::<3, 3>(0, 3).copy_from(&(rotation.matrix() * -position.cross_matrix()));
        to_cmm.fixed_view_mut::<3, 3>(3, 3).copy_from(rotation.matrix());
        let covariance = to_cmm * (cmm.noise + sensor.noise) * to_cmm.transpose();
        Self::of(mounting, covariance, sensor.systematic.mapped(&dynamic(&to_cmm)), reference_mm)
    }

    /// From the covariance of the sensor's origin and its rotations, along and about the CMM's axes, and the effect of
    /// the systematic error on those.
    pub fn from_origin(
        mounting: &Mounting,
        at_origin: &Matrix6<f64>,
        systematic: Systematic,
        reference_mm: Point,
    ) -> Self {
        Self::of(mounting, *at_origin, systematic, Point::origin()).moved_to(mounting, reference_mm)
    }

    fn of(mounting: &Mounting, covariance: Matrix6<f64>, systematic: Systematic, reference_mm: Point) -> Self {
        let mut own = Self { reference_mm, covariance, systematic, stylus: Vector6::zeros(), angles_rad: [0.0; 3] };
        own.angles_rad = angle_rows(&mounting.cmm_from_sensor).map(|row| own.contributions_by(&row).total());
        own
    }

    /// With the effect of one standard deviation of the error of the stylus tip radius, on the displacement of the
    /// reference point (mm) and small rotations (rad), along and about the CMM's axes.
    pub fn with_stylus(self, mounting: &Mounting, stylus: Vector6<f64>) -> Self {
        let mut own = Self { stylus, ..self };
        own.angles_rad = angle_rows(&mounting.cmm_from_sensor).map(|row| own.contributions_by(&row).total());
        own
    }

    /// The same for another reference point (right-handed sensor frame, mm).
    pub fn moved_to(&self, mounting: &Mounting, reference_mm: Point) -> Self {
        let arm = mounting.cmm_from_sensor.rotation * (reference_mm - self.reference_mm);
        let mut moved = Matrix6::identity();
        moved.fixed_view_mut::<3, 3>(0, 3).copy_from(&-arm.cross_matrix());
        Self {
            reference_mm,
            covariance: moved * self.covariance * moved.transpose(),
            systematic: self.systematic.mapped(&dynamic(&moved)),
            stylus: moved * self.stylus,
            angles_rad: self.angles_rad,
        }
    }

    /// Standard uncertainties of the displacement of the reference point along the CMM's axes, mm.
    pub fn place_mm(&self) -> [f64; 3] {
        position_rows().map(|row| self.contributions_by(&row).total())
    }

    /// Contributions to the uncertainties of the displacement along X, Y and Z, followed by those of the three angles.
    pub fn contributions(&self, mounting: &Mounting) -> [Contributions; 6] {
        let ([x, y, z], [a, b, c]) = (position_rows(), angle_rows(&mounting.cmm_from_sensor));
        [x, y, z, a, b, c].map(|row| self.contributions_by(&row))
    }

    /// Standard uncertainties of the same six quantities caused by one form of the systematic error.
    pub fn by_form(&self, mounting: &Mounting, form: ErrorForm) -> [f64; 6] {
        let ([x, y, z], [a, b, c]) = (position_rows(), angle_rows(&mounting.cmm_from_sensor));
        [x, y, z, a, b, c].map(|row| self.systematic.variance_by(form, &row).sqrt())
    }

    fn contributions_by(&self, row: &DVector<f64>) -> Contributions {
        let own = Vector6::from_fn(|k, _| row[k]);
        let noise = own.dot(&(self.covariance * own)).max(0.0).sqrt();
        let (form, variance) = self.systematic.largest(row);
        Contributions { noise, systematic: variance.sqrt(), stylus: own.dot(&self.stylus).abs(), form }
    }
}

impl Contributions {
    /// Combined standard uncertainty.
    pub fn total(&self) -> f64 {
        self.noise.hypot(self.systematic).hypot(self.stylus)
    }
}

fn dynamic(matrix: &Matrix6<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(6, 6, |i, j| matrix[(i, j)])
}

/// Rows that select the displacements along the CMM's axes from displacements and rotations.
fn position_rows() -> [DVector<f64>; 3] {
    [0, 1, 2].map(|axis| DVector::from_fn(6, |k, _| if k == axis { 1.0 } else { 0.0 }))
}

/// Rows that map displacements and rotations along and about the CMM's axes to the angles of `Rx Ry Rz`.
fn angle_rows(cmm_from_sensor: &Pose) -> [DVector<f64>; 3] {
    let rows = rotation_derivatives(cmm_from_sensor);
    [0, 1, 2].map(|angle: usize| DVector::from_fn(6, |k, _| if k < 3 { 0.0 } else { rows[angle][k - 3] }))
}

/// Standard uncertainties of the angles of `Rx Ry Rz`, rad, from the covariance of rotations about the CMM's axes.
pub(super) fn angle_uncertainties(cmm_from_sensor: &Pose, covariance: &Matrix6<f64>) -> [f64; 3] {
    let turns: Matrix3<f64> = covariance.fixed_view::<3, 3>(3, 3).into();
    rotation_derivatives(cmm_from_sensor).map(|row| row.dot(&(turns * row)).max(0.0).sqrt())
}

/// Derivatives of the angles by rotations about the CMM's axes, by central differences: one row per angle.
fn rotation_derivatives(cmm_from_sensor: &Pose) -> [Vector; 3] {
    let step = 1e-6;
    let derivatives: [[f64; 3]; 3] = [0, 1, 2].map(|axis| {
        let rotated = |angle: f64| {
            let rotation = nalgebra::UnitQuaternion::from_scaled_axis(Vector::ith(axis, angle));
            angles_rad(&Pose::from_parts(nalgebra::Translation3::identity(), rotation * cmm_from_sensor.rotation))
        };
        let (up, down) = (rotated(step), rotated(-step));
        [0, 1, 2].map(|k| {
            let change = up[k] - down[k];
            // An angle near 180° may jump by 360°.
            let full_turn = std::f64::consts::TAU;
            (change - full_turn * (change / full_turn).round()) / (2.0 * step)
        })
    });
    [0, 1, 2].map(|k| Vector::new(derivatives[0][k], derivatives[1][k], derivatives[2][k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn angles_rebuild_the_rotation_and_the_composition_maps_sensor_to_cmm() {
        let mut random = Random::new(4, 4);
        for _ in 0..50 {
            let pose = |random: &mut Random| {
                let shift =
                    Vector::new(random.range(-300.0, 300.0), random.range(-300.0, 300.0), random.range(-9.0, 9.0));
                Pose::from_parts(shift.into(), random.rotation())
            };
            let truth = pose(&mut random);
            let [a, b, c] = angles_rad(&truth);
            let turn = |axis: Vector, angle: f64| nalgebra::UnitQuaternion::from_scaled_axis(axis * angle);
            let rebuilt = turn(Vector::x(), a) * turn(Vector::y(), b) * turn(Vector::z(), c);
            assert!(rebuilt.angle_to(&truth.rotation) < 1e-12);
            // The artefact measured by both instruments; a left-handed sensor reports mirrored points.
            let cmm_from_artefact = pose(&mut random);
            let sensor_from_artefact = truth.inverse() * cmm_from_artefact;
            for handedness in [Handedness::Right, Handedness::Left] {
                let position = Vector::new(10.0, 20.0, 30.0);
                let mounting = Mounting::new(&cmm_from_artefact, &sensor_from_artefact, handedness, position);
                let point = Point::new(1.0, 2.0, 3.0);
                let reported = handedness.to_right(&(sensor_from_artefact * point));
                assert!((mounting.to_cmm(&reported, &position) - cmm_from_artefact * point).norm() < 1e-10);
                let further = position + Vector::new(5.0, 0.0, 0.0);
                let moved = mounting.to_cmm(&reported, &further) - mounting.to_cmm(&reported, &position);
                assert!((moved - Vector::new(5.0, 0.0, 0.0)).norm() < 1e-10);
            }
        }
    }
}
