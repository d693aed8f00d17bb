//! The artefact with angled slots: a flat plate, a long slot along its Y and a short slot along its X, both cut with a
//! double-edged cutter, so that each has two flanks. Brushed or touched are six regions: the plate left and right, both
//! flanks of the long slot, both of the short one.
//!
//! The plate gives Z, and the height of the origin. The flanks of a slot meet in a line, which is dropped onto the
//! plate; the long slot's gives Y, and where both lines cross is the origin.

mod automatic;
pub mod drawing;

use nalgebra::Matrix6;

use super::artefact::{Artefact, ArtefactFrame, Measured, Part, RegionName};
use super::smooth_bias::SmoothBias;
use crate::base::{Progress, Result, UserError};
use crate::geometry::{Point, PointSet, Pose, Vector};
use crate::inspect::features::{Fit, Kind, Options, fit};

/// The artefact.
pub struct AngledSlots;

/// A region of the artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// The plate, left.
    LP,
    /// The plate, right.
    RP,
    /// The long slot's left flank.
    LL,
    /// The long slot's right flank.
    LR,
    /// The short slot's upper flank.
    SU,
    /// The short slot's lower flank.
    SL,
}

impl Region {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::LP, Self::RP, Self::LL, Self::LR, Self::SU, Self::SL];

    /// Its names.
    pub fn name(self) -> RegionName {
        REGIONS[self as usize]
    }
}

const fn named(short: &'static str, long: &'static str) -> RegionName {
    RegionName { short, long }
}

const REGIONS: [RegionName; 6] = [
    named("LP", "left plane"),
    named("RP", "right plane"),
    named("LL", "long slot, left"),
    named("LR", "long slot, right"),
    named("SU", "short slot, upper"),
    named("SL", "short slot, lower"),
];

/// What is fitted, and to which regions.
const PARTS: [(&str, &[usize]); 5] = [("plate", &[0, 1]), ("LL", &[2]), ("LR", &[3]), ("SU", &[4]), ("SL", &[5])];

/// Planes as the frame takes them: the plate, LL, LR, SU, SL.
type Planes = [(Point, Vector); 5];

/// A sensor's noise is correlated over less than this, mm; what is common over more is its smooth error.
const NOISE_WITHIN_MM: f64 = 5.0;
/// Flanks nearer to parallel than this, or nearer to the plate, are no flanks of one slot.
const LEAST_ANGLE_DEG: f64 = 10.0;

impl Artefact for AngledSlots {
    fn name(&self) -> &'static str {
        "Angled slots"
    }

    fn regions(&self) -> &'static [RegionName] {
        &REGIONS
    }

    fn determines(&self) -> [bool; 6] {
        [true; 6]
    }

    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
        if !(measured.probe_radius_mm >= 0.0 && measured.probe_radius_mm.is_finite()) {
            return Err(UserError::usage("The probe's radius must be 0 mm or more."));
        }
        for (region, points) in REGIONS.iter().zip(regions) {
            if points.len() < 3 {
                return Err(UserError::input(format!(
                    "The region {} ({}) holds {} points; it needs three or more.",
                    region.short,
                    region.long,
                    points.len()
                )));
            }
        }
        let [left, right, ll, lr, su, sl] = regions else {
            return Err(UserError::internal("The artefact with angled slots has six regions."));
        };
        let plate = [left.clone(), right.clone()].concat();
        let within = (measured.bias_mm > 0.0).then_some(NOISE_WITHIN_MM);
        let options =
            Options { clip_sigmas: measured.clip_sigmas, correlation_within_mm: within, ..Options::default() };
        let mut fits = Vec::with_capacity(PARTS.len());
        for (i, (points, (name, _))) in [&plate, ll, lr, su, sl].into_iter().zip(PARTS).enumerate() {
            let part = progress.part(i as f32 / PARTS.len() as f32, (i + 1) as f32 / PARTS.len() as f32);
            fits.push(fit(Kind::Plane, points, &[], &options, &part).map_err(|error| error.about(name))?);
        }
        let fitted = fits.iter().map(|fit| (fit.shape.place(), fit.shape.direction().unwrap_or_else(Vector::z)));
        let planes = outward(&fitted.collect::<Vec<_>>(), measured.probe_radius_mm)?;
        let device_from_artefact = of_planes(&planes)?;
        check_places(&device_from_artefact, regions)?;
        let covariances = covariances(&planes, &fits, &device_from_artefact)?;
        let mut covariance: Matrix6<f64> = covariances.iter().sum();
        if measured.bias_mm > 0.0 {
            let mut bias = SmoothBias::new(measured.bias_mm, regions.iter().flatten());
            for (i, (fit, points)) in fits.iter().zip([&plate, ll, lr, su, sl]).enumerate() {
                let (axes, answers) = answers(&planes, i, &device_from_artefact)?;
                bias.add_plane((fit, points), &planes[i].1, &axes, &answers);
            }
            covariance += bias.covariance();
        }
        let parts = fits.into_iter().zip(PARTS).zip(&covariances).map(|((fit, (name, regions)), own)| Part {
            name,
            regions,
            fit,
            shares: std::array::from_fn(|k| own[(k, k)]),
        });
        let parts = parts.collect();
        Ok(ArtefactFrame { device_from_artefact, covariance, parts })
    }

    fn frame_of_planes(&self, planes: &[(Point, Vector)], probe_radius_mm: f64) -> Option<Result<Pose>> {
        Some(outward(planes, probe_radius_mm).and_then(|planes| of_planes(&planes)))
    }

    fn find(&self, points: &[Point], progress: &Progress) -> Result<Vec<PointSet>> {
        automatic::find(&drawing::Drawing::default(), points, progress)
    }
}

/// The fitted planes, normals out of the material, moved onto the surface by the probe's radius.
fn outward(fitted: &[(Point, Vector)], probe_radius_mm: f64) -> Result<Planes> {
    let &[(plate, normal), ll, lr, su, sl] = fitted else {
        return Err(UserError::internal("The artefact with angled slots has five planes."));
    };
    let flanks = [ll, lr, su, sl];
    // The slots are cut into the plate: their flanks lie below it.
    let height = flanks.iter().map(|(point, _)| (point - plate).dot(&normal)).sum::<f64>();
    let up = if height > 0.0 { -normal } else { normal };
    let below = |(point, _): &(Point, Vector)| (point - plate).dot(&up) < 0.0;
    if !flanks.iter().all(below) {
        return Err(UserError::input(
            "The slots' flanks lie on both sides of the plate: a region is brushed on the wrong face, or the regions \
             are exchanged.",
        ));
    }
    let mut planes = [(plate, up); 5];
    for (plane, (point, normal)) in planes[1..].iter_mut().zip(flanks) {
        // A V opens upward, so each flank looks up.
        *plane = (point, if normal.dot(&up) < 0.0 { -normal } else { normal });
    }
    Ok(planes.map(|(point, normal)| (point - normal * probe_radius_mm, normal)))
}

/// The frame of five planes whose normals look out of the material.
fn of_planes(planes: &Planes) -> Result<Pose> {
    let [(plate, z), ll, lr, su, sl] = *planes;
    let long = slot_line(&ll, &lr, &z, "long")?;
    let short = slot_line(&su, &sl, &z, "short")?;
    let on_plate = |point: Point| point - z * (point - plate).dot(&z);
    let ((a, u), (b, v)) = ((on_plate(long.0), long.1), (on_plate(short.0), short.1));
    let across = u.cross(&v).dot(&z);
    if across.abs() < LEAST_ANGLE_DEG.to_radians().sin() {
        return Err(UserError::input(
            "The long and the short slot come out parallel: one of their regions is brushed on the wrong slot.",
        ));
    }
    let origin = a + u * ((b - a).cross(&v).dot(&z) / across);
    // From the lower flank towards the upper one.
    let y = if (su.0 - sl.0).dot(&u) < 0.0 { -u } else { u };
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts(origin.coords.into(), turn.into()))
}

/// A point and the direction of the line in which two flanks meet, the direction dropped onto the plate.
fn slot_line(one: &(Point, Vector), other: &(Point, Vector), z: &Vector, slot: &str) -> Result<(Point, Vector)> {
    let line = one.1.cross(&other.1);
    let least = LEAST_ANGLE_DEG.to_radians().sin();
    let along = line - z * line.dot(z);
    // Two flanks of one slot meet along the plate; flanks of two slots meet in a line that dives.
    if line.norm() < least || line.dot(z).abs() > least * line.norm() {
        return Err(UserError::input(format!(
            "The two regions of the {slot} slot are not the two flanks of one slot: their planes do not meet in a line \
             along the plate."
        )));
    }
    // On both planes, and nearest to the middle between the regions.
    let middle = nalgebra::center(&one.0, &other.0);
    let rows = nalgebra::Matrix3::from_rows(&[one.1.transpose(), other.1.transpose(), line.transpose()]);
    let right = Vector::new(one.1.dot(&one.0.coords), other.1.dot(&other.0.coords), line.dot(&middle.coords));
    let point = rows.lu().solve(&right).ok_or_else(|| UserError::internal("Two flanks do not meet."))?;
    Ok((Point::from(point), along.normalize()))
}

/// Every region must lie where its name says.
fn check_places(device_from_artefact: &Pose, regions: &[Vec<Point>]) -> Result<()> {
    let middle = |region: usize| {
        let points = &regions[region];
        let sum: Vector = points.iter().map(|point| point.coords).sum();
        device_from_artefact.inverse_transform_point(&Point::from(sum / points.len() as f64))
    };
    let [lp, rp, ll, lr, su, sl] = [0, 1, 2, 3, 4, 5].map(middle);
    let exchanged = |what: &str| {
        Err(UserError::input(format!(
            "{what} are exchanged, or the frame is mirrored: check the names of the regions, and whether the sensor \
             reports a left-handed frame."
        )))
    };
    if ll.x > lr.x {
        return exchanged("The left and the right flank of the long slot");
    }
    if lp.x > rp.x {
        return exchanged("The left and the right part of the plate");
    }
    if sl.y > su.y {
        return exchanged("The lower and the upper flank of the short slot");
    }
    Ok(())
}

/// What the frame does for a shift of a plane along its normal by 1 mm and turns by 1 rad about two axes in it.
fn answers(planes: &Planes, which: usize, frame: &Pose) -> Result<([Vector; 2], nalgebra::SMatrix<f64, 6, 3>)> {
    let (point, normal) = planes[which];
    let x = normal.cross(&Vector::ith(normal.iamin(), 1.0)).normalize();
    let axes = [x, normal.cross(&x)];
    let step = 1e-6;
    let turned = |axis: Vector| (point, nalgebra::UnitQuaternion::from_scaled_axis(axis * step) * normal);
    let moves = [(point + normal * step, normal), turned(axes[0]), turned(axes[1])];
    let mut answers = nalgebra::SMatrix::<f64, 6, 3>::zeros();
    for (k, moved) in moves.into_iter().enumerate() {
        let mut planes = *planes;
        planes[which] = moved;
        answers.set_column(k, &(change(frame, &planes)? / step));
    }
    Ok((axes, answers))
}

/// Shift and turn of the frame that `planes` give, in `frame`.
fn change(frame: &Pose, planes: &Planes) -> Result<nalgebra::Vector6<f64>> {
    let change = frame.inverse() * of_planes(planes)?;
    let (by, turn) = (change.translation.vector, change.rotation.scaled_axis());
    Ok(nalgebra::Vector6::new(by.x, by.y, by.z, turn.x, turn.y, turn.z))
}

/// What each fit adds to the covariance of shifts and turns in the artefact's frame: by moving each plane along the
/// axes of its own covariance.
fn covariances(planes: &Planes, fits: &[Fit], frame: &Pose) -> Result<[Matrix6<f64>; 5]> {
    let mut covariances = [Matrix6::zeros(); 5];
    for (i, fit) in fits.iter().enumerate() {
        let (point, normal) = planes[i];
        let own = nalgebra::SymmetricEigen::new(fit.uncertainty.motion);
        for (k, variance) in own.eigenvalues.iter().enumerate().filter(|(_, variance)| **variance > 0.0) {
            let motion = own.eigenvectors.column(k) * variance.sqrt();
            let (shift, turn) =
                (Vector::new(motion[0], motion[1], motion[2]), Vector::new(motion[3], motion[4], motion[5]));
            let mut planes = *planes;
            planes[i] = (point + shift, nalgebra::UnitQuaternion::from_scaled_axis(turn) * normal);
            let change = change(frame, &planes)?;
            covariances[i] += change * change.transpose();
        }
    }
    Ok(covariances)
}

#[cfg(test)]
mod tests;
