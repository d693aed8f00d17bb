//! How a sensor is mounted on a CMM, and how sure that is.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6};
use serde::{Deserialize, Serialize};

use super::artefacts::{ArtefactFrame, ErrorForm, Systematic};
use geometry::{Point, Pose, Vector};

/// The frame that a sensor reports in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Handedness {
    /// As everything else here.
    #[default]
    Right,
    /// Mirrored: x grows the other way.
    Left,
}

impl Handedness {
    /// The place in a right-handed frame; and back, which is the same.
    pub fn to_right(self, place: &Point) -> Point {
        match self {
            Self::Right => *place,
            Self::Left => Point::new(-place.x, place.y, place.z),
        }
    }
}

/// How a sensor is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mounting {
    /// From the (right-handed) sensor frame to the CMM, at the position of the calibration.
    pub cmm_from_sensor: Pose,
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// Where the CMM stood then, mm.
    pub position_mm: Vector,
}

impl Mounting {
    /// From what sensor and CMM say of the same artefact.
    pub fn new(
        cmm_from_artefact: &Pose,
        sensor_from_artefact: &Pose,
        handedness: Handedness,
        position_mm: Vector,
    ) -> Self {
        Self { cmm_from_sensor: cmm_from_artefact * sensor_from_artefact.inverse(), handedness, position_mm }
    }

    /// A place that the sensor reports while the CMM stands at `position_mm`, in the CMM's frame.
    pub fn to_cmm(&self, reported: &Point, position_mm: &Vector) -> Point {
        self.cmm_from_sensor * self.handedness.to_right(reported) + (position_mm - self.position_mm)
    }

    /// Angles of `Rx Ry Rz`, rad: the mounting's turns about the CMM's axes.
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

/// Standard uncertainties of a mounting: of noise, and of the systematic error in whichever form moves a figure most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MountingUncertainty {
    /// The place that displacements are stated for, right-handed sensor frame, mm: a turn moves places far from it
    /// more.
    pub reference_mm: Point,
    /// Covariance of that place's displacement (mm) and of small turns (rad), along and about the CMM's axes, by noise.
    pub covariance: Matrix6<f64>,
    /// What the forms of the sensor's systematic error do to these.
    #[serde(skip)]
    pub systematic: Systematic,
    /// Of the three angles of `Rx Ry Rz`, rad.
    pub angles_rad: [f64; 3],
}

/// What a standard uncertainty is made of, mm or rad.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contributions {
    /// Noise of both instruments, and the probing error.
    pub noise: f64,
    /// The systematic error of the sensor.
    pub systematic: f64,
    /// The form of it that does most.
    pub form: ErrorForm,
}

impl MountingUncertainty {
    /// Of a mounting made from both devices' frames; the places of both are independent of each other.
    pub fn new(mounting: &Mounting, cmm: &ArtefactFrame, sensor: &ArtefactFrame, reference_mm: Point) -> Self {
        let place = sensor.device_from_artefact.inverse_transform_point(&reference_mm).coords;
        let turn = cmm.device_from_artefact.rotation.to_rotation_matrix();
        let mut to_cmm = Matrix6::zeros();
        to_cmm.fixed_view_mut::<3, 3>(0, 0).copy_from(turn.matrix());
        to_cmm.fixed_view_mut::<3, 3>(0, 3).copy_from(&(turn.matrix() * -place.cross_matrix()));
        to_cmm.fixed_view_mut::<3, 3>(3, 3).copy_from(turn.matrix());
        let covariance = to_cmm * (cmm.noise + sensor.noise) * to_cmm.transpose();
        Self::of(mounting, covariance, sensor.systematic.mapped(&dynamic(&to_cmm)), reference_mm)
    }

    /// From the covariance of the sensor's origin and of its turns, along and about the CMM's axes, and what the
    /// systematic error does to those.
    pub fn from_origin(
        mounting: &Mounting,
        at_origin: &Matrix6<f64>,
        systematic: Systematic,
        reference_mm: Point,
    ) -> Self {
        Self::of(mounting, *at_origin, systematic, Point::origin()).moved_to(mounting, reference_mm)
    }

    fn of(mounting: &Mounting, covariance: Matrix6<f64>, systematic: Systematic, reference_mm: Point) -> Self {
        let mut own = Self { reference_mm, covariance, systematic, angles_rad: [0.0; 3] };
        own.angles_rad = angle_rows(&mounting.cmm_from_sensor).map(|row| own.contributions_by(&row).total());
        own
    }

    /// The same, stated for another place (right-handed sensor frame, mm).
    pub fn moved_to(&self, mounting: &Mounting, reference_mm: Point) -> Self {
        let arm = mounting.cmm_from_sensor.rotation * (reference_mm - self.reference_mm);
        let mut moved = Matrix6::identity();
        moved.fixed_view_mut::<3, 3>(0, 3).copy_from(&-arm.cross_matrix());
        Self {
            reference_mm,
            covariance: moved * self.covariance * moved.transpose(),
            systematic: self.systematic.mapped(&dynamic(&moved)),
            angles_rad: self.angles_rad,
        }
    }

    /// Of the displacement of the reference place, along the CMM's axes, mm.
    pub fn place_mm(&self) -> [f64; 3] {
        place_rows().map(|row| self.contributions_by(&row).total())
    }

    /// What the uncertainties are made of: of the displacement along X, Y and Z, then of the three angles.
    pub fn contributions(&self, mounting: &Mounting) -> [Contributions; 6] {
        let ([x, y, z], [a, b, c]) = (place_rows(), angle_rows(&mounting.cmm_from_sensor));
        [x, y, z, a, b, c].map(|row| self.contributions_by(&row))
    }

    /// What one form of the systematic error does to each of the same, as a standard uncertainty.
    pub fn by_form(&self, mounting: &Mounting, form: ErrorForm) -> [f64; 6] {
        let ([x, y, z], [a, b, c]) = (place_rows(), angle_rows(&mounting.cmm_from_sensor));
        [x, y, z, a, b, c].map(|row| self.systematic.variance_by(form, &row).sqrt())
    }

    fn contributions_by(&self, row: &DVector<f64>) -> Contributions {
        let own = nalgebra::Vector6::from_fn(|k, _| row[k]);
        let noise = own.dot(&(self.covariance * own)).max(0.0).sqrt();
        let (form, variance) = self.systematic.largest(row);
        Contributions { noise, systematic: variance.sqrt(), form }
    }
}

impl Contributions {
    /// The standard uncertainty.
    pub fn total(&self) -> f64 {
        self.noise.hypot(self.systematic)
    }
}

fn dynamic(matrix: &Matrix6<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(6, 6, |i, j| matrix[(i, j)])
}

/// Displacements along the CMM's axes, of displacements and turns.
fn place_rows() -> [DVector<f64>; 3] {
    [0, 1, 2].map(|axis| DVector::from_fn(6, |k, _| if k == axis { 1.0 } else { 0.0 }))
}

/// The angles of `Rx Ry Rz`, of displacements and turns along and about the CMM's axes.
fn angle_rows(cmm_from_sensor: &Pose) -> [DVector<f64>; 3] {
    let rows = by_turns(cmm_from_sensor);
    [0, 1, 2].map(|angle: usize| DVector::from_fn(6, |k, _| if k < 3 { 0.0 } else { rows[angle][k - 3] }))
}

/// Standard uncertainties of the angles of `Rx Ry Rz`, rad, from the covariance of turns about the CMM's axes.
pub(super) fn of_angles(cmm_from_sensor: &Pose, covariance: &Matrix6<f64>) -> [f64; 3] {
    let turns: Matrix3<f64> = covariance.fixed_view::<3, 3>(3, 3).into();
    by_turns(cmm_from_sensor).map(|row| row.dot(&(turns * row)).max(0.0).sqrt())
}

/// Derivatives of the angles by turns about the CMM's axes, by central differences: of each angle a row.
fn by_turns(cmm_from_sensor: &Pose) -> [Vector; 3] {
    let step = 1e-6;
    let by: [[f64; 3]; 3] = [0, 1, 2].map(|axis| {
        let turned = |angle: f64| {
            let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector::ith(axis, angle));
            angles_rad(&Pose::from_parts(nalgebra::Translation3::identity(), turn * cmm_from_sensor.rotation))
        };
        let (up, down) = (turned(step), turned(-step));
        [0, 1, 2].map(|k| {
            let apart = up[k] - down[k];
            // An angle near half a turn may jump by a whole one.
            let whole = std::f64::consts::TAU;
            (apart - whole * (apart / whole).round()) / (2.0 * step)
        })
    });
    [0, 1, 2].map(|k| Vector::new(by[0][k], by[1][k], by[2][k]))
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
            // The artefact seen by both; a left-handed sensor reports mirrored places.
            let cmm_from_artefact = pose(&mut random);
            let sensor_from_artefact = truth.inverse() * cmm_from_artefact;
            for handedness in [Handedness::Right, Handedness::Left] {
                let position = Vector::new(10.0, 20.0, 30.0);
                let mounting = Mounting::new(&cmm_from_artefact, &sensor_from_artefact, handedness, position);
                let place = Point::new(1.0, 2.0, 3.0);
                let reported = handedness.to_right(&(sensor_from_artefact * place));
                assert!((mounting.to_cmm(&reported, &position) - cmm_from_artefact * place).norm() < 1e-10);
                let further = position + Vector::new(5.0, 0.0, 0.0);
                let moved = mounting.to_cmm(&reported, &further) - mounting.to_cmm(&reported, &position);
                assert!((moved - Vector::new(5.0, 0.0, 0.0)).norm() < 1e-10);
            }
        }
    }
}
