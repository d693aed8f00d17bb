//! Own tolerances: faces of the nominal whose limits are tighter or wider than those of the part.

mod coverage;
mod results;
pub mod table;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::{Parameters, Tolerance};
use crate::parts::{Faces, Nominal};
use base::{Result, UserError};
pub use results::FaceResult;
pub(super) use results::{Measured, Tally};

/// Limits that hold on some faces of the nominal in place of those of the part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaceTolerance {
    /// Its name; no two of a comparison have the same.
    pub name: String,
    /// The faces.
    pub faces: Faces,
    /// The limits of deviations there.
    pub tolerance: Tolerance,
}

/// Returns an error if one has no name, the name of another or no facets, or if its limits are out of range.
pub(super) fn check(all: &[FaceTolerance]) -> Result<()> {
    for (index, own) in all.iter().enumerate() {
        let name = &own.name;
        if name.trim().is_empty() {
            return Err(UserError::usage(format!("Own tolerance {} needs a name.", index + 1)));
        }
        if all[..index].iter().any(|other| other.name == *name) {
            return Err(UserError::usage(format!("There are two own tolerances called “{name}”; rename one.")));
        }
        if own.faces.facets.is_empty() {
            return Err(UserError::usage(format!("The own tolerance “{name}” has no facets; remove it.")));
        }
        own.tolerance.check().map_err(|error| error.about(&format!("“{name}”")))?;
    }
    Ok(())
}

/// The limits that hold on each facet of the nominal.
#[derive(Clone, Debug)]
pub struct Limits {
    part: Tolerance,
    own: Vec<FaceTolerance>,
    /// By facet of the nominal: index in `own` of the limits that hold there, or [`OF_PART`]; empty if `own` is.
    by_facet: Vec<u32>,
}

/// Stands for the limits of the part.
const OF_PART: u32 = u32::MAX;

impl Limits {
    /// The limits of `parameters` on the facets of `nominal`. Where own tolerances share a facet, the last one holds.
    ///
    /// Returns an error if facets of an own tolerance are not found on the nominal.
    pub fn new(parameters: &Parameters, nominal: &Nominal) -> Result<Self> {
        let own = parameters.own_tolerances.clone();
        let count = if own.is_empty() { 0 } else { nominal.surface.mesh().facets.len() };
        let mut by_facet = vec![OF_PART; count];
        for (face, index) in own.iter().zip(0..) {
            let facets = face.faces.on(nominal).map_err(|error| error.about(&format!("“{}”", face.name)))?;
            facets.iter().for_each(|&facet| by_facet[facet as usize] = index);
        }
        Ok(Self { part: parameters.tolerance, own, by_facet })
    }

    /// The own tolerances, in their order.
    pub fn own(&self) -> &[FaceTolerance] {
        &self.own
    }

    /// Index of the own tolerance that holds on `facet`; `None` where the limits of the part hold.
    pub fn own_on(&self, facet: u32) -> Option<usize> {
        let index = *self.by_facet.get(facet as usize)?;
        (index != OF_PART).then_some(index as usize)
    }

    /// The limits on `facet`.
    pub fn on(&self, facet: u32) -> &Tolerance {
        self.own_on(facet).map_or(&self.part, |index| &self.own[index].tolerance)
    }

    /// By own tolerance: the facets on which it holds.
    fn facets(&self) -> Vec<Vec<u32>> {
        let mut facets = vec![Vec::new(); self.own.len()];
        let all = self.by_facet.iter().zip(0..).filter(|(own, _)| **own != OF_PART);
        all.for_each(|(&own, facet)| facets[own as usize].push(facet));
        facets
    }
}
