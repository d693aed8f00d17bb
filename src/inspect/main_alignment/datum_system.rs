//! Alignment by a datum system: the frame of the measured datums is brought onto the frame of their nominals.

use nalgebra::UnitQuaternion;
use serde::{Deserialize, Serialize};

use super::Main;
use super::association::{Associated, DatumFeature, Directions};
use crate::alignment::information::axis_words;
use crate::alignment::{Alignment, Information};
use crate::features::Element;
use crate::tolerances::coverage::SeenFace;
use crate::tolerances::{Datum, DatumSystem};
use base::{Progress, Result, UserError};
use geometry::{Pose, Vector};

/// How datums are associated with the measured surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DatumAssociation {
    /// Outer tangent planes, and maximum inscribed or minimum circumscribed features of size, of the points with their
    /// noise averaged out.
    #[default]
    Contacting,
    /// The same of the points as they are: each moves with the noise of a single point.
    ContactingExtreme,
    /// The features as fitted.
    Fitted,
}

/// How a datum was associated with its points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatumReport {
    /// Datum letter, or the name of the feature; A-B of a common datum.
    pub letter: String,
    /// Standard deviation of the noise of single points that was averaged out, mm; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_mm: Option<f64>,
    /// Expanded uncertainty (k = 2) of the contact of a plane by that noise, mm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty_mm: Option<f64>,
    /// Number of isolated outliers that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outliers: usize,
    /// The faces of its features, as far as their coverage is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<SeenFace>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl DatumReport {
    fn of(datum: &DatumFeature, associated: Option<&Associated>) -> Self {
        let averaged = datum.contacts.as_ref().filter(|own| own.noise_mm > 0.0 && associated.is_some());
        Self {
            letter: datum.letter.clone(),
            noise_mm: averaged.map(|own| own.noise_mm),
            uncertainty_mm: associated.and_then(|own| own.uncertainty_mm).map(|own| 2.0 * own),
            outliers: averaged.map_or(0, |own| own.outliers),
            faces: datum.faces.clone(),
        }
    }

    /// How it was associated, in a sentence; `None` if its points were used as they are.
    pub fn words(&self) -> Option<String> {
        let noise_mm = self.noise_mm?;
        let uncertainty =
            self.uncertainty_mm.map_or_else(String::new, |own| format!(", contact ± {own:.4} mm (k = 2)"));
        let outliers = match self.outliers {
            0 => String::new(),
            count => format!(", isolated outliers left out: {count}"),
        };
        let letter = &self.letter;
        Some(format!("Datum “{letter}”: noise of {noise_mm:.4} mm averaged out{uncertainty}{outliers}."))
    }
}

/// Returns an error if two datums are of one kind and of the same points.
fn check_distinct(datums: &[DatumFeature]) -> Result<()> {
    for (index, own) in datums.iter().enumerate() {
        let is_same = |other: &&DatumFeature| {
            other.element.name() == own.element.name() && !own.points.is_empty() && other.points == own.points
        };
        if let Some(other) = datums[..index].iter().find(is_same) {
            return Err(UserError::usage(format!(
                "Datums {} and {} are the same feature, or of the same points: choose another for one of them.",
                other.letter, own.letter
            )));
        }
    }
    Ok(())
}

/// Aligns by `datums` in order of priority. Degrees of freedom that they leave stay as in `start`, and are named in the
/// result.
///
/// Returns an error if a datum has no nominal, constrains nothing, was not measured all around or deviates too much
/// from its nominal angle, and if the work is cancelled.
pub fn align(
    datums: &[DatumFeature],
    association: DatumAssociation,
    start: &Pose,
    progress: &Progress,
) -> Result<Alignment> {
    fn with(datums: &[DatumFeature], elements: impl Iterator<Item = Element>) -> Vec<Datum<'_>> {
        let pairs = datums.iter().zip(elements);
        pairs.map(|(own, element)| Datum { letter: &own.letter, element, nominal: own.nominal }).collect()
    }
    check_distinct(datums)?;
    let fitted = with(datums, datums.iter().map(|own| own.element));
    let nominal = DatumSystem::of_nominals(&fitted)?;
    let mut measured = DatumSystem::of(&fitted)?;
    let mut reports: Vec<DatumReport> = datums.iter().map(|own| DatumReport::of(own, None)).collect();
    if association != DatumAssociation::Fitted {
        let mut directions = Directions::default();
        let count = datums.len() as f32;
        let associate = |(i, own): (usize, &DatumFeature)| {
            directions.associate(own, &progress.part(i as f32 / count, (i + 1) as f32 / count))
        };
        let elements = datums.iter().enumerate().map(associate).collect::<Result<Vec<_>>>()?;
        reports = datums.iter().zip(&elements).map(|(own, found)| DatumReport::of(own, Some(found))).collect();
        measured = DatumSystem::of(&with(datums, elements.into_iter().map(|own| own.element)))?;
    }
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
    let letters = datums.iter().map(|own| own.letter.clone()).collect();
    Ok(Alignment {
        information: Information { open, ..Information::default() },
        main: Some(Main::DatumSystem { datums: letters, association, reports }),
        ..Alignment::given(pose)
    })
}

/// The part of a rotation that is about z.
fn about_z(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let twist = nalgebra::Quaternion::new(rotation.w, 0.0, 0.0, rotation.k);
    UnitQuaternion::try_new(twist, 1e-12).unwrap_or_else(UnitQuaternion::identity)
}
