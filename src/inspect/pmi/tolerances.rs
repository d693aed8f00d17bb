//! Geometric tolerances of a CAD file.

use std::f64::consts::FRAC_PI_2;

use super::PmiFeature;
use super::dimensions::{diameters_per_unit, rounded};
use super::features::{FeatureTable, Refusal};
use crate::features::element::acute_angle;
use crate::features::{Element, Kind, Shape};
use crate::tolerances::common::{Member, arrangement, joined};
use crate::tolerances::{Characteristic, DatumLetters, MaximumMaterial, Side, Tolerance, Zone};
use io::cad::pmi::{DatumReference, Dimension, GeometricTolerance, Pmi, ZoneShape};

/// Largest value of a tolerance as a share of the part's diagonal.
const MAX_RELATIVE_LIMIT: f64 = 0.1;
const MAXIMUM_MATERIAL: &str = "maximum material requirement";

/// A tolerance in words, e.g. “Position Ø 0.1 mm | A | B”.
pub(super) fn title(own: &GeometricTolerance) -> String {
    let words = base::capitalised(&own.kind.replace('_', " "));
    let zone = match own.zone {
        ZoneShape::Width => "",
        ZoneShape::Diameter => "Ø ",
        ZoneShape::SphericalDiameter => "SØ ",
    };
    let value = own.value_mm.map_or_else(|| "of unknown value".to_owned(), |value| format!("{zone}{value} mm"));
    let datums = compartments(&own.datums).iter().map(|letters| format!(" | {}", joined(letters))).collect::<String>();
    format!("{words} {value}{datums}")
}

/// The tolerance, if it can be evaluated.
pub(super) fn of(
    own: &GeometricTolerance,
    pmi: &Pmi,
    letters: &DatumLetters,
    table: &mut FeatureTable<'_>,
) -> Refusal<Tolerance> {
    let limit_mm = own.value_mm.filter(|value| value.is_finite() && *value >= 0.0);
    let limit_mm = limit_mm.ok_or_else(|| "its value could not be read".to_owned())?;
    if limit_mm > MAX_RELATIVE_LIMIT * table.diagonal_mm() {
        return Err("its value is too large for the part: the file may state it in a wrong unit".to_owned());
    }
    if let Some(modifier) = own.modifiers.iter().find(|modifier| *modifier != MAXIMUM_MATERIAL) {
        return Err(format!("its modifier “{modifier}” is not evaluated"));
    }
    if limit_mm == 0.0 && own.modifiers.is_empty() {
        return Err("its value is 0 without a material requirement".to_owned());
    }
    let compartments = datums(&own.datums, letters)?;
    let situations = compartments.iter().map(|own| situation(own, letters, table)).collect::<Refusal<Vec<_>>>()?;
    let datums: Vec<String> = compartments.iter().map(|own| joined(own)).collect();
    let feature = table.feature(&own.faces, None)?.clone();
    let angle_rad = situations.first().and_then(|primary| angle_to(&feature, primary));
    let characteristic = characteristic(own, &feature, angle_rad)?;
    if characteristic.needs_datum() && datums.is_empty() {
        return Err("it refers to no datum".to_owned());
    }
    if !characteristic.takes_datums() && !datums.is_empty() {
        return Err(format!("{} takes no datum", characteristic.name().to_lowercase()));
    }
    let is_extended = own.modifiers.iter().any(|modifier| modifier == MAXIMUM_MATERIAL);
    let maximum_material = if is_extended { Some(maximum_material(&feature, own, pmi, table)?) } else { None };
    Ok(Tolerance {
        name: own.name.trim().to_owned(),
        feature: feature.name,
        characteristic,
        limit_mm: rounded(limit_mm),
        fit: None,
        datums,
        maximum_material,
        expanded_uncertainty_mm: None,
        filter_mm: None,
        filter_upr: None,
        outlier_sigmas: None,
        min_coverage: None,
    })
}

/// Letters of datum references, in order of precedence: several in one position are a common datum.
fn compartments(references: &[DatumReference]) -> Vec<Vec<&str>> {
    let mut ordered: Vec<&DatumReference> = references.iter().collect();
    ordered.sort_by_key(|own| own.position);
    let of_one = ordered.chunk_by(|one, other| one.position == other.position);
    of_one.map(|own| own.iter().map(|reference| reference.letter.as_str()).collect()).collect()
}

/// As [`compartments`], if all of them can be evaluated.
fn datums<'a>(references: &'a [DatumReference], letters: &DatumLetters) -> Refusal<Vec<Vec<&'a str>>> {
    for own in references {
        if let Some(modifier) = own.modifiers.first() {
            return Err(format!("the modifier “{modifier}” of datum {} is not evaluated", own.letter));
        }
        if !letters.contains_key(&own.letter) {
            return Err(format!("datum {} has no feature that can be measured", own.letter));
        }
    }
    Ok(compartments(references))
}

/// The nominal geometry of a datum: of its feature, or of the common datum of several.
fn situation(own: &[&str], letters: &DatumLetters, table: &FeatureTable<'_>) -> Refusal<Element> {
    let mut members = Vec::with_capacity(own.len());
    for letter in own {
        let feature = letters.get(*letter).and_then(|name| table.named(name));
        let nominal = feature.map(|own| own.nominal).ok_or_else(|| "its feature is missing".to_owned())?;
        members.push(Member::nominally(letter, nominal.into()));
    }
    match members[..] {
        [single] => Ok(single.element),
        _ => arrangement(&members)
            .map(|found| found.element)
            .map_err(|error| format!("common datum “{}”: {}", joined(own), error.sentence.trim_end_matches('.'))),
    }
}

/// Angle between a feature and another, as angularity states it: 0 if they are parallel, regardless of whether they are
/// given by normals or axes; rad. `None` if one has no direction.
fn angle_to(feature: &PmiFeature, other: &Element) -> Option<f64> {
    let angle = acute_angle(&feature.nominal.direction()?, &other.direction()?);
    let is_plane = matches!(other, Element::Shape(Shape::Plane { .. }));
    let is_mixed = (feature.kind == Kind::Plane) != is_plane;
    Some(if is_mixed { FRAC_PI_2 - angle } else { angle })
}

fn characteristic(own: &GeometricTolerance, feature: &PmiFeature, angle_rad: Option<f64>) -> Refusal<Characteristic> {
    let is_plane = feature.kind == Kind::Plane;
    // Of planes, a zone is always a width; the direction of an axis' zone of a width is not read.
    let zone = |what: &str| match own.zone {
        ZoneShape::Width if !is_plane => Err(format!("the direction of the zone of the {what} is not read")),
        ZoneShape::Diameter if is_plane => Err("a plane has no cylindrical zone".to_owned()),
        ZoneShape::Diameter if matches!(feature.kind, Kind::Sphere | Kind::Torus) => {
            Err(format!("a cylindrical zone of a {} is not evaluated", feature.kind.name().to_lowercase()))
        }
        ZoneShape::SphericalDiameter if feature.kind != Kind::Sphere => {
            Err(format!("a {} has no spherical zone", feature.kind.name().to_lowercase()))
        }
        _ => Ok(Zone::Diameter),
    };
    let of_kind = |kinds: &[Kind]| {
        let is_fit = kinds.contains(&feature.kind);
        is_fit.then_some(()).ok_or_else(|| format!("it is stated of a {}", feature.kind.name().to_lowercase()))
    };
    Ok(match own.kind.as_str() {
        "flatness" => of_kind(&[Kind::Plane]).map(|()| Characteristic::Flatness {})?,
        "circularity" => {
            of_kind(&[Kind::Cylinder, Kind::Circle]).map(|()| Characteristic::Circularity { section_mm: None })?
        }
        "cylindricity" => of_kind(&[Kind::Cylinder]).map(|()| Characteristic::Cylindricity {})?,
        "straightness" if own.zone == ZoneShape::Diameter => {
            of_kind(&[Kind::Cylinder]).map(|()| Characteristic::Straightness { section_mm: None })?
        }
        "straightness" => return Err("straightness of the lines of a surface is not evaluated".to_owned()),
        "parallelism" => Characteristic::Parallelism { zone: zone("parallelism")? },
        "perpendicularity" => Characteristic::Perpendicularity { zone: zone("perpendicularity")? },
        "angularity" => {
            let angle_rad = angle_rad.ok_or_else(|| "the exact angle to its datum is not known".to_owned())?;
            Characteristic::Angularity { angle_deg: rounded(angle_rad.to_degrees()), zone: zone("angularity")? }
        }
        "position" => Characteristic::Position { zone: zone("position")?, true_place: None },
        "coaxiality" | "concentricity" => {
            of_kind(&[Kind::Cylinder, Kind::Cone, Kind::Sphere]).map(|()| Characteristic::Coaxiality {})?
        }
        "symmetry" if !is_plane => Characteristic::Symmetry {},
        "symmetry" => return Err("the median plane of two faces is not made yet".to_owned()),
        "circular_run_out" => Characteristic::CircularRunOut { section_mm: None },
        "total_run_out" => Characteristic::TotalRunOut {},
        "profile_of_surface" => Characteristic::Profile { outside_mm: None },
        "profile_of_line" => return Err("profiles of lines are not evaluated".to_owned()),
        _ => return Err("its characteristic is not one of ISO 1101".to_owned()),
    })
}

/// The maximum material size: the limit of the size that the file states for the same faces.
fn maximum_material(
    feature: &PmiFeature,
    own: &GeometricTolerance,
    pmi: &Pmi,
    table: &FeatureTable<'_>,
) -> Refusal<MaximumMaterial> {
    let side = table.side(feature).ok_or_else(|| "it is neither a hole nor a shaft".to_owned())?;
    let is_same = |size: &&Dimension| {
        let faces = |faces: &[u32]| faces.iter().copied().collect::<std::collections::BTreeSet<u32>>();
        !size.is_location && size.modifiers.is_empty() && faces(&size.first) == faces(&own.faces)
    };
    let sizes = pmi.dimensions.iter().filter(is_same);
    let diameter = |size: &Dimension| {
        let factor = diameters_per_unit(&size.kind)?;
        let limit = if side == Side::Internal { size.lower } else { size.upper };
        limit.map(|limit| limit * factor)
    };
    let size_mm = sizes.filter_map(diameter).next();
    let size_mm = size_mm.ok_or_else(|| "the file states no limits of the size for its maximum material".to_owned())?;
    Ok(MaximumMaterial { side, size_mm })
}
