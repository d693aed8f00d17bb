//! What a CAD file states of datums, tolerances and dimensions (PMI), as features, tolerances and measures that can be
//! evaluated, and a list of what cannot.

mod dimensions;
mod features;
mod tolerances;

use crate::features::{Kind, Shape};
use crate::tolerances::measure::Quantity;
use crate::tolerances::{DatumLetters, Tolerance};
use features::FeatureTable;
use geometry::{Mesh, Subset};
use io::cad::pmi::{DatumFeature, Dimension, GeometricTolerance, Pmi};

/// The plan that follows from the PMI of a CAD file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PmiPlan {
    /// Features of the nominal that datums, tolerances and measures refer to.
    pub features: Vec<PmiFeature>,
    /// Feature name of each datum letter.
    pub datums: DatumLetters,
    /// Tolerances with their limits; [`Tolerance::feature`] names one of the features.
    pub tolerances: Vec<Tolerance>,
    /// Distances and angles with limits.
    pub measures: Vec<PmiMeasure>,
    /// What the file states and cannot be evaluated.
    pub unsupported: Vec<Unsupported>,
}

/// A feature on faces of the nominal.
#[derive(Clone, Debug, PartialEq)]
pub struct PmiFeature {
    /// Name, unique in the plan.
    pub name: String,
    /// Kind.
    pub kind: Kind,
    /// The facets of its faces.
    pub facets: Subset,
    /// Its nominal, nominal frame.
    pub nominal: Shape,
}

/// A distance or angle between two features.
#[derive(Clone, Debug, PartialEq)]
pub struct PmiMeasure {
    /// Name for reports.
    pub name: String,
    /// The measured quantity.
    pub quantity: Quantity,
    /// Name of the first feature.
    pub from: String,
    /// Name of the second feature.
    pub to: String,
    /// Lower limit, mm or degrees.
    pub lower: Option<f64>,
    /// Upper limit, mm or degrees.
    pub upper: Option<f64>,
}

/// A statement that cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What the file states, e.g. “Position Ø 0.1 mm”.
    pub what: String,
    /// Why it is not evaluated, without a full stop.
    pub why: String,
    /// The facets of the faces that it refers to; may be empty.
    pub facets: Subset,
    /// Number of requirements that it makes: none if it is a datum, or a dimension without limits.
    pub requirements: usize,
}

impl PmiPlan {
    /// The plan for what `pmi` states; its CAD faces are those of `mesh`.
    pub fn of(pmi: &Pmi, mesh: &Mesh) -> Self {
        let mut table = FeatureTable::new(pmi, mesh);
        let mut plan = Self::default();
        for datum in &pmi.datums {
            match features::of_datum(datum, &mut table) {
                Ok(name) => drop(plan.datums.insert(datum.letter.clone(), name)),
                Err(why) => plan.refuse(format!("Datum {}", datum.letter), why, table.facets(&datum.faces), 0),
            }
        }
        for own in &pmi.tolerances {
            match tolerances::of(own, pmi, &plan.datums, &mut table) {
                Ok(tolerance) => plan.tolerances.push(tolerance),
                Err(why) => {
                    let what = format!("{} of {}", tolerances::title(own), faces(&own.faces));
                    plan.refuse(what, why, table.facets(&own.faces), 1);
                }
            }
        }
        for own in &pmi.dimensions {
            match dimensions::of(own, &mut table) {
                Ok(dimensions::Judgeable::Size(tolerance)) => plan.tolerances.push(tolerance),
                Ok(dimensions::Judgeable::Measure(measure)) => plan.measures.push(measure),
                Err(why) => {
                    let all: Vec<u32> = own.first.iter().chain(&own.second).copied().collect();
                    let what = format!("{} of {}", dimensions::title(own), faces(&all));
                    plan.refuse(what, why, table.facets(&all), usize::from(own.is_requirement()));
                }
            }
        }
        if pmi.lost_tolerances > 0 {
            let what = base::words::counted(pmi.lost_tolerances, "geometric tolerance", "geometric tolerances");
            let why = "the file names no face, or is of a kind that OpenCASCADE does not read".to_owned();
            plan.refuse(what, why, Subset::default(), pmi.lost_tolerances);
        }
        if pmi.unread > 0 {
            let what = base::words::counted(pmi.unread, "statement", "statements");
            plan.refuse(
                what,
                "what the file states of tolerances could not be read".to_owned(),
                Subset::default(),
                pmi.unread,
            );
        }
        plan.features = table.into_features();
        plan
    }

    fn refuse(&mut self, what: String, why: String, facets: Subset, requirements: usize) {
        self.unsupported.push(Unsupported { what, why, facets, requirements });
    }

    /// Whether there is nothing to evaluate and nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty() && self.unsupported.is_empty()
    }

    /// Number of tolerances and measures that can be evaluated.
    pub fn count(&self) -> usize {
        self.tolerances.len() + self.measures.len()
    }

    /// What cannot be evaluated, in a sentence for each.
    pub fn refusals(&self) -> Vec<String> {
        self.unsupported.iter().map(|own| format!("Not evaluated: {}: {}.", own.what, own.why)).collect()
    }
}

/// All that a file states, in a line each.
pub fn statements(pmi: &Pmi) -> Vec<String> {
    let datum = |own: &DatumFeature| {
        let target = if own.target.is_empty() { "" } else { ", a datum target" };
        format!("Datum {}{target}: {}", own.letter, faces(&own.faces))
    };
    let tolerance = |own: &GeometricTolerance| {
        let modifiers = own.modifiers.iter().map(|modifier| format!(", {modifier}")).collect::<String>();
        format!("{}{modifiers}: {}", tolerances::title(own), faces(&own.faces))
    };
    let dimension = |own: &Dimension| {
        let modifiers = own.modifiers.iter().map(|modifier| format!(", {modifier}")).collect::<String>();
        let fit = if own.fit.is_empty() { String::new() } else { format!(" {}", own.fit) };
        let to = if own.is_location { format!(" to {}", faces(&own.second)) } else { String::new() };
        format!("{}{fit}{modifiers}: {}{to}", dimensions::title(own), faces(&own.first))
    };
    let datums = pmi.datums.iter().map(datum);
    datums.chain(pmi.tolerances.iter().map(tolerance)).chain(pmi.dimensions.iter().map(dimension)).collect()
}

/// CAD faces in words, counted from 1.
fn faces(faces: &[u32]) -> String {
    match faces {
        [] => "no face".to_owned(),
        [face] => format!("face {}", face + 1),
        _ => format!("faces {}", faces.iter().map(|face| (face + 1).to_string()).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests;
