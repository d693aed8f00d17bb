//! The inspection document: the plan, the parts that it was run on, and how the operator has left the rooms. Heavy data are
//! shared, so a copy is cheap and every state can be kept for undo.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::calibrating::Calibrating;
use super::pipeline::State;
use super::plan::{ElementId, Fingerprints, Plan, Recipe};
use super::probing::Probing;
use super::selection::{Marked, NamedSelection, Selectable};
use super::series::PartRecord;
use super::stage::{Stage, Stages};
use super::upkeep::{Reading, Upkeep};
use geometry::Pose;
use inspect::acceptance::Acceptance;
use inspect::alignment::Alignment;
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::search_comparison::SearchComparison;
use inspect::deviation::{Check, Measurement};
use inspect::features::Element;
use inspect::parts::{Actual, Nominal};

/// Everything there is to an inspection.
#[derive(Clone, Default)]
pub struct Document {
    /// What is done on every part.
    pub plan: Plan,
    /// The parts measured so far.
    pub stages: Stages,
    /// The elements that the rooms work on.
    pub active: Active,
    /// What features should be that are not there yet, by their names, nominal frame.
    pub expected: Arc<BTreeMap<String, Element>>,
    /// Picked point pairs.
    pub pairs: Vec<PointPair>,
    /// The scan's points as the brush has left them.
    pub points: Marked,
    /// The nominal's facets as the brush has left them.
    pub facets: Marked,
    /// Selections with names.
    pub selections: Vec<NamedSelection>,
    /// The last comparison of searches.
    pub searches: Option<Arc<SearchComparison>>,
    /// The calibration of the sensor.
    pub calibration: Calibrating,
    /// Holes that a touch probe measures.
    pub probing: Arc<Probing>,
    /// What is watched between calibrations.
    pub upkeep: Upkeep,
    /// What the log of calibrations said when it was last read.
    pub reading: Option<Arc<Reading>>,
    /// What the last acceptance of the sensor said.
    pub acceptance: Option<Arc<Acceptance>>,
    /// The last series of parts that was measured by a plan.
    pub series: Option<Arc<Vec<PartRecord>>>,
    /// All settings.
    pub settings: Settings,
    /// Which inspection this is: opening a project and beginning anew make another.
    pub inspection: u64,
    /// The number of this state among all that there have been; 0 before the first change.
    pub revision: u64,
    /// What every element would be made from now; see [`Document::refresh`].
    pub(crate) prints: Arc<Fingerprints>,
}

/// The elements that the rooms work on, of each kind one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Active {
    /// The nominal.
    pub nominal: Option<ElementId>,
    /// The scan.
    pub scan: Option<ElementId>,
    /// The alignment that is shown and measured in.
    pub alignment: Option<ElementId>,
    /// The comparison that is shown.
    pub comparison: Option<ElementId>,
}

impl Active {
    /// Those of a plan that says no more: its first nominal, scan and comparison, and the alignment of that comparison,
    /// else its last one.
    pub fn of(plan: &Plan) -> Self {
        let mut own = Self::default();
        for element in plan.elements() {
            match &element.recipe {
                Recipe::Nominal(_) => own.nominal = own.nominal.or(Some(element.id)),
                Recipe::Scan(_) => own.scan = own.scan.or(Some(element.id)),
                Recipe::Comparison(_) => own.comparison = own.comparison.or(Some(element.id)),
                Recipe::Alignment(_) => own.alignment = Some(element.id),
                _ => {}
            }
        }
        if let Some(Recipe::Comparison(recipe)) = own.comparison.and_then(|id| plan.get(id)).map(|own| &own.recipe) {
            own.nominal = Some(recipe.nominal).filter(|id| plan.get(*id).is_some()).or(own.nominal);
            own.alignment = recipe.alignment.or(own.alignment);
        }
        own
    }

    /// Without what `plan` has not.
    pub fn within(self, plan: &Plan) -> Self {
        let there = |id: Option<ElementId>| id.filter(|id| plan.get(*id).is_some());
        Self {
            nominal: there(self.nominal),
            scan: there(self.scan),
            alignment: there(self.alignment),
            comparison: there(self.comparison),
        }
    }
}

impl Document {
    /// The shown part.
    pub fn stage(&self) -> &Stage {
        self.stages.shown()
    }

    /// What an element came to on the shown part, up to date or not, to be kept.
    pub fn shared<T: Any + Send + Sync>(&self, id: Option<ElementId>) -> Option<Arc<T>> {
        self.stage().results.get(id?)
    }

    /// The same, to be looked at.
    pub fn result<T: Any + Send + Sync>(&self, id: Option<ElementId>) -> Option<&T> {
        self.stage().results.look_at(id?)
    }

    /// How an element stands on the shown part.
    pub fn state(&self, id: ElementId) -> State {
        self.stage().results.state(id, &self.plan, &self.prints)
    }

    /// The nominal.
    pub fn nominal(&self) -> Option<&Nominal> {
        self.result(self.active.nominal)
    }

    /// The scan of the shown part.
    pub fn actual(&self) -> Option<&Actual> {
        self.result(self.active.scan)
    }

    /// The nominal, to be kept.
    pub fn shared_nominal(&self) -> Option<Arc<Nominal>> {
        self.shared(self.active.nominal)
    }

    /// The scan of the shown part, to be kept.
    pub fn shared_actual(&self) -> Option<Arc<Actual>> {
        self.shared(self.active.scan)
    }

    /// The current alignment.
    pub fn alignment(&self) -> Option<&Alignment> {
        self.result(self.active.alignment)
    }

    /// The current pose of the scan on the nominal; identity before any alignment.
    pub fn nominal_from_scan(&self) -> Pose {
        self.alignment().map_or_else(Pose::identity, |alignment| alignment.nominal_from_scan)
    }

    /// The shown comparison, up to date or not.
    pub fn check(&self) -> Option<&Check> {
        self.result(self.active.comparison)
    }

    /// The shown comparison, unless what it is made from has changed.
    pub fn current_check(&self) -> Option<&Check> {
        let id = self.active.comparison?;
        self.check().filter(|_| self.state(id) == State::Fresh)
    }

    /// The shown comparison, to be kept, unless what it is made from has changed.
    pub fn shared_check(&self) -> Option<Arc<Check>> {
        self.current_check().and_then(|_| self.shared(self.active.comparison))
    }

    /// What the shown comparison measured, unless that has changed; what it is judged by may have.
    pub fn current_measurement(&self) -> Option<&Arc<Measurement>> {
        let recipe = match &self.plan.get(self.active.comparison?)?.recipe {
            Recipe::Comparison(recipe) => recipe,
            _ => return None,
        };
        let (nominal, actual) = (self.nominal()?, self.actual()?);
        let measurement = &self.check()?.measurement;
        measurement.is_of(nominal, actual, &self.nominal_from_scan(), &recipe.parameters).then_some(measurement)
    }

    /// How the brush has left points or facets.
    pub fn marked(&self, of: Selectable) -> &Marked {
        match of {
            Selectable::Points => &self.points,
            Selectable::Facets => &self.facets,
        }
    }

    /// See [`Self::marked`].
    pub fn marked_mut(&mut self, of: Selectable) -> &mut Marked {
        match of {
            Selectable::Points => &mut self.points,
            Selectable::Facets => &mut self.facets,
        }
    }

    /// How many points or facets there are; `None` without a scan or a nominal.
    pub fn count(&self, of: Selectable) -> Option<usize> {
        match of {
            Selectable::Points => self.actual().map(|actual| actual.cloud.points.len()),
            Selectable::Facets => self.nominal().map(|nominal| nominal.surface.mesh().facets.len()),
        }
    }

    fn own_selections(&self, other: &Self) -> u64 {
        let held = |document: &Self| {
            let marked = [&document.points, &document.facets].map(|marked| marked.selected.len() + marked.hidden.len());
            let named = document.selections.iter().map(|named| named.numbers.len());
            4 * (marked[0] + marked[1] + named.sum::<usize>()) as u64
        };
        let same = |of: Selectable| {
            let (own, others) = (self.marked(of), other.marked(of));
            own.selected.is_same(&others.selected) && own.hidden.is_same(&others.hidden)
        };
        if Selectable::ALL.into_iter().all(same) { 0 } else { held(self) }
    }

    /// Bytes of what this document holds and `other` does not: the cost of keeping it for undo.
    pub fn bytes_beyond(&self, other: &Self) -> u64 {
        fn own<T>(mine: Option<&Arc<T>>, theirs: Option<&Arc<T>>, bytes: impl Fn(&T) -> u64) -> u64 {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => 0,
                (Some(mine), _) => bytes(mine),
                (None, _) => 0,
            }
        }
        let theirs = other.stage().results.blocks();
        let results = self.stage().results.blocks();
        results.iter().filter(|(block, _)| !theirs.contains_key(block)).map(|(_, bytes)| bytes).sum::<u64>()
            + self.own_selections(other)
            + self.calibration.bytes_beyond(&other.calibration)
            + own(Some(&self.probing), Some(&other.probing), Probing::bytes)
            + own(self.reading.as_ref(), other.reading.as_ref(), Reading::bytes)
            + size_of::<Self>() as u64
    }
}
