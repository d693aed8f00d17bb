//! The datum frames that exact positions refer to, for display.

use super::Document;
use super::plan::ElementId;
use geometry::Pose;
use inspect::features::measured::MeasuredFeature;
use inspect::tolerances::recipe::{Datum as LetteredFeature, ToleranceRecipe};
use inspect::tolerances::{Characteristic, Datum, DatumSystem};

/// A datum frame of the measured part.
#[derive(Clone, Debug, PartialEq)]
pub struct DatumFrame {
    /// The letters of its datums, such as A|B|C.
    pub name: String,
    /// Transforms it into the scan frame, mm.
    pub scan_from_datum: Pose,
}

impl Document {
    /// The frames of the positions whose exact values are stated in them, or are still to be, since no nominal says them; each
    /// once. Common datums have none here.
    pub fn exact_frames(&self) -> Vec<DatumFrame> {
        let mut frames: Vec<DatumFrame> = Vec::new();
        for (_, recipe) in self.tolerances().filter(|(_, own)| self.has_exact_values(own)) {
            let frame = self.datum_frame(recipe);
            frames.extend(frame.filter(|own| !frames.contains(own)));
        }
        frames
    }

    fn has_exact_values(&self, recipe: &ToleranceRecipe) -> bool {
        let Characteristic::Position { true_place, .. } = &recipe.asked.characteristic else { return false };
        let of_feature = |id: ElementId| self.plan.get(id).and_then(|own| own.recipe.nominal());
        true_place.is_some() || recipe.feature.is_some_and(|id| of_feature(id).is_none())
    }

    fn datum_frame(&self, recipe: &ToleranceRecipe) -> Option<DatumFrame> {
        let scan_from_nominal = self.nominal_from_scan().inverse();
        let datum = |(id, stated): (ElementId, &'_ str)| {
            let lettered = self.result::<LetteredFeature>(Some(id));
            let feature =
                lettered.map(LetteredFeature::feature).or_else(|| self.result::<MeasuredFeature>(Some(id)))?;
            let letter = lettered.map_or(stated, LetteredFeature::letter).to_owned();
            let nominal = feature.nominal;
            let like = nominal.map(|own| own.moved(&scan_from_nominal));
            let element = like.map_or(feature.element, |like| feature.element.oriented_like(&like));
            Some((letter, element, nominal))
        };
        let ids = recipe.datums.iter().map(|own| match own.all() {
            [Some(id)] => Some(*id),
            _ => None,
        });
        let stated = recipe.asked.datums.iter().map(String::as_str);
        let found = ids.zip(stated).map(|(id, stated)| datum((id?, stated))).collect::<Option<Vec<_>>>()?;
        let datums: Vec<Datum<'_>> = found
            .iter()
            .map(|(letter, element, nominal)| Datum { letter, element: *element, nominal: *nominal })
            .collect();
        let system = DatumSystem::of(&datums).ok()?;
        Some(DatumFrame { name: system.name.clone(), scan_from_datum: system.datum_from_part.inverse() })
    }
}
