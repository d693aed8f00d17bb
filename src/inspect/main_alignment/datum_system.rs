//! Alignment by a datum system: the frame of the measured datums is brought onto the frame of their nominals. The datum
//! of a plane is its outer tangent plane (ISO 5459:2011, whose text was not available to check against): it touches the
//! high points, and no point lies beyond it.

use crate::alignment::information::axis_words;
use crate::alignment::{Alignment, Information};
use crate::features::{Element, Objective, Options, Shape, fit};
use crate::tolerances::{Datum, DatumSystem};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Vector};
use nalgebra::UnitQuaternion;

/// The outer tangent plane of `points`: parallel to the plane with the least maximum distance from them, through the
/// outermost point along `outward`, which points away from the material.
///
/// Returns an error if the points define no plane.
pub fn outer_tangent_plane(points: &[Point], outward: &Vector, progress: &Progress) -> Result<Element> {
    let options = Options { objective: Objective::MinimumZone, ..Options::default() };
    let found = fit(crate::features::Kind::Plane, points, &[], &options, progress)?;
    let Shape::Plane { point, normal } = found.shape else {
        return Err(UserError::internal("The fit of a plane gave another shape."));
    };
    let normal = if normal.dot(outward) < 0.0 { -normal } else { normal };
    let highest = points.iter().map(|own| (own - point).dot(&normal)).fold(f64::NEG_INFINITY, f64::max);
    Ok(Shape::Plane { point: point + normal * highest, normal }.into())
}

/// Aligns by `datums` in order of priority, their elements in the scan frame. Degrees of freedom that they leave stay
/// as in `start`, and are named in the result.
///
/// Returns an error if a datum has no nominal, constrains nothing, or deviates too much from its nominal angle.
pub fn align(datums: &[Datum<'_>], start: &Pose) -> Result<Alignment> {
    let measured = DatumSystem::of(datums)?;
    let nominal = DatumSystem::of_nominals(datums)?;
    let nominal_from_datum = nominal.datum_from_part.inverse();
    // The motion between the two frames that the pre-alignment leaves; only its free components are kept.
    let left = nominal.datum_from_part * start * measured.datum_from_part.inverse();
    let free = &nominal.free;
    let turn = match free.turn {
        [true, true, true] => left.rotation,
        [_, _, true] => about_z(&left.rotation),
        _ => UnitQuaternion::identity(),
    };
    let shift = Vector::from_fn(|k, _| if free.shift[k] { left.translation.vector[k] } else { 0.0 });
    let pose = nominal_from_datum * Pose::from_parts(shift.into(), turn) * measured.datum_from_part;
    let axis = |k: usize| {
        let direction = nominal_from_datum * Vector::ith(k, 1.0);
        axis_words([direction.x, direction.y, direction.z])
    };
    let shifts = (0..3).filter(|&k| free.shift[k]).map(|k| format!("translation along {}", axis(k)));
    let turns = (0..3).filter(|&k| free.turn[k]).map(|k| format!("rotation about {}", axis(k)));
    let open: Vec<String> = shifts.chain(turns).collect();
    Ok(Alignment { information: Information { open, ..Information::default() }, ..Alignment::given(pose) })
}

/// The part of a rotation that is about z.
fn about_z(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let twist = nalgebra::Quaternion::new(rotation.w, 0.0, 0.0, rotation.k);
    UnitQuaternion::try_new(twist, 1e-12).unwrap_or_else(UnitQuaternion::identity)
}
