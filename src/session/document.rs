//! The inspection document: the plan, the measured parts, and the state of the workspaces. Bulk data are shared, so a
//! copy is cheap and every state can be kept for undo.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::calibration::CalibrationState;
use super::calibration::monitoring::{CalibrationMonitoring, Reading};
use super::pipeline::{ResultsIdentity, State};
use super::plan::{ElementId, Fingerprints, Plan, Recipe};
use super::probing::Probing;
use super::selection::{NamedSelection, Selectable, SelectionState};
use super::series::MeasuredSeries;
use super::stage::{Stage, Stages};
use geometry::Pose;
use inspect::acceptance::Acceptance;
use inspect::alignment::Alignment;
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::search_comparison::SearchComparison;
use inspect::deviation::{Check, Measurement};
use inspect::features::Element;
use inspect::parts::{Actual, Nominal};

/// The complete state of an inspection.
#[derive(Clone, Default)]
pub struct Document {
    /// The inspection plan, run on every part.
    pub plan: Plan,
    /// The parts measured so far, one of them shown.
    pub stages: Stages,
    /// The elements the workspaces act on.
    pub active: Active,
    /// Nominal geometry of features that do not exist yet, by feature name; nominal frame.
    pub expected: Arc<BTreeMap<String, Element>>,
    /// Picked point pairs (nominal, scan) for the alignment.
    pub pairs: Vec<PointPair>,
    /// Selected and hidden points of the scan.
    pub points: SelectionState,
    /// Selected and hidden facets of the nominal.
    pub facets: SelectionState,
    /// Named selections.
    pub selections: Vec<NamedSelection>,
    /// Result of the last comparison of correspondence searches.
    pub searches: Option<Arc<SearchComparison>>,
    /// The sensor calibration.
    pub calibration: CalibrationState,
    /// Hybrid measurement: holes located in the scan and measured by touch probe.
    pub probing: Arc<Probing>,
    /// Settings of the calibration monitoring.
    pub monitoring: CalibrationMonitoring,
    /// The calibration log as last read, and its evaluation.
    pub reading: Option<Arc<Reading>>,
    /// Result of the last acceptance test of the sensor.
    pub acceptance: Option<Arc<Acceptance>>,
    /// The last series of parts measured by a plan.
    pub series: Option<Arc<MeasuredSeries>>,
    /// All settings.
    pub settings: Settings,
    /// Distinguishes inspections: opening a project or starting a new inspection changes it.
    pub inspection: u64,
    /// Sequence number of this state in the session; 0 before the first change.
    pub revision: u64,
    /// Current fingerprint of every element; see [`Document::refresh`].
    pub(crate) fingerprints: Arc<Fingerprints>,
}

/// What a view of a document is made of: it is made again once this differs. The revision alone does not tell: a change of
/// limits is one step, in which results are judged again after the settings have changed.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentState {
    inspection: u64,
    revision: u64,
    results: ResultsIdentity,
}

/// The elements the workspaces act on, at most one of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Active {
    /// The nominal.
    pub nominal: Option<ElementId>,
    /// The scan.
    pub scan: Option<ElementId>,
    /// The alignment that is shown and used for measuring.
    pub alignment: Option<ElementId>,
    /// The comparison that is shown.
    pub comparison: Option<ElementId>,
}

impl Active {
    /// The defaults for a plan: its first nominal, scan and comparison, and the alignment of that comparison or else
    /// the last alignment.
    pub fn of(plan: &Plan) -> Self {
        let mut own = Self::default();
        for element in plan.elements() {
            match &element.recipe {
                Recipe::Nominal(_) => own.nominal = own.nominal.or(Some(element.id)),
                Recipe::Scan(_) => own.scan = own.scan.or(Some(element.id)),
                Recipe::Comparison(_) => own.comparison = own.comparison.or(Some(element.id)),
                Recipe::Alignment(_) | Recipe::MainAlignment(_) => own.alignment = Some(element.id),
                _ => {}
            }
        }
        if let Some(Recipe::Comparison(recipe)) = own.comparison.and_then(|id| plan.get(id)).map(|own| &own.recipe) {
            own.nominal = Some(recipe.nominal).filter(|id| plan.get(*id).is_some()).or(own.nominal);
            own.alignment = recipe.alignment.or(own.alignment);
        }
        own
    }

    /// Clears ids that are not in `plan`.
    pub fn within(self, plan: &Plan) -> Self {
        let existing = |id: Option<ElementId>| id.filter(|id| plan.get(*id).is_some());
        Self {
            nominal: existing(self.nominal),
            scan: existing(self.scan),
            alignment: existing(self.alignment),
            comparison: existing(self.comparison),
        }
    }
}

impl Document {
    /// The part that is shown.
    pub fn stage(&self) -> &Stage {
        self.stages.shown()
    }

    /// What differs once anything has changed that is shown of it.
    pub fn current_state(&self) -> DocumentState {
        let results = self.stage().results.identity();
        DocumentState { inspection: self.inspection, revision: self.revision, results }
    }

    /// Shared handle to an element's result on the shown part, up to date or not; `None` if there is none of type `T`.
    pub fn shared<T: Any + Send + Sync>(&self, id: Option<ElementId>) -> Option<Arc<T>> {
        self.stage().results.get(id?)
    }

    /// Reference to an element's result on the shown part, up to date or not; `None` if there is none of type `T`.
    pub fn result<T: Any + Send + Sync>(&self, id: Option<ElementId>) -> Option<&T> {
        self.stage().results.get_ref(id?)
    }

    /// State of an element's result on the shown part.
    pub fn state(&self, id: ElementId) -> State {
        self.stage().results.state(id, &self.plan, &self.fingerprints)
    }

    /// The active nominal.
    pub fn nominal(&self) -> Option<&Nominal> {
        self.result(self.active.nominal)
    }

    /// The active scan of the shown part.
    pub fn actual(&self) -> Option<&Actual> {
        self.result(self.active.scan)
    }

    /// Shared handle to the active nominal.
    pub fn shared_nominal(&self) -> Option<Arc<Nominal>> {
        self.shared(self.active.nominal)
    }

    /// Shared handle to the active scan of the shown part.
    pub fn shared_actual(&self) -> Option<Arc<Actual>> {
        self.shared(self.active.scan)
    }

    /// The active alignment, up to date or not.
    pub fn alignment(&self) -> Option<&Alignment> {
        self.result(self.active.alignment)
    }

    /// Pose of the active alignment; the identity without one.
    pub fn nominal_from_scan(&self) -> Pose {
        self.alignment().map_or_else(Pose::identity, |alignment| alignment.nominal_from_scan)
    }

    /// Result of the active comparison, up to date or not.
    pub fn check(&self) -> Option<&Check> {
        self.result(self.active.comparison)
    }

    /// Result of the active comparison if it is up to date.
    pub fn current_check(&self) -> Option<&Check> {
        let id = self.active.comparison?;
        self.check().filter(|_| self.state(id) == State::Fresh)
    }

    /// Shared handle to the result of the active comparison if it is up to date.
    pub fn shared_check(&self) -> Option<Arc<Check>> {
        self.current_check().and_then(|_| self.shared(self.active.comparison))
    }

    /// The deviations of the active comparison, if they match the current nominal, scan, pose and deviation parameters.
    /// Its judgement may be out of date.
    pub fn current_measurement(&self) -> Option<&Arc<Measurement>> {
        let recipe = match &self.plan.get(self.active.comparison?)?.recipe {
            Recipe::Comparison(recipe) => recipe,
            _ => return None,
        };
        let (nominal, actual) = (self.nominal()?, self.actual()?);
        let measurement = &self.check()?.measurement;
        measurement.is_of(nominal, actual, &self.nominal_from_scan(), &recipe.parameters).then_some(measurement)
    }

    /// Selected and hidden points or facets.
    pub fn marked(&self, of: Selectable) -> &SelectionState {
        match of {
            Selectable::Points => &self.points,
            Selectable::Facets => &self.facets,
        }
    }

    /// Mutable access to the selected and hidden points or facets.
    pub fn marked_mut(&mut self, of: Selectable) -> &mut SelectionState {
        match of {
            Selectable::Points => &mut self.points,
            Selectable::Facets => &mut self.facets,
        }
    }

    /// Number of points of the active scan or facets of the active nominal; `None` without one.
    pub fn count(&self, of: Selectable) -> Option<usize> {
        match of {
            Selectable::Points => self.actual().map(|actual| actual.cloud.points.len()),
            Selectable::Facets => self.nominal().map(|nominal| nominal.surface.mesh().facets.len()),
        }
    }

    fn selection_bytes_beyond(&self, other: &Self) -> u64 {
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

    /// Bytes this document holds and `other` does not: the memory it costs to keep it for undo.
    pub fn bytes_beyond(&self, other: &Self) -> u64 {
        fn unshared<T>(own_part: Option<&Arc<T>>, theirs: Option<&Arc<T>>, bytes: impl Fn(&T) -> u64) -> u64 {
            match (own_part, theirs) {
                (Some(own_part), Some(theirs)) if Arc::ptr_eq(own_part, theirs) => 0,
                (Some(own_part), _) => bytes(own_part),
                (None, _) => 0,
            }
        }
        let theirs = other.stage().results.blocks();
        let results = self.stage().results.blocks();
        results.iter().filter(|(block, _)| !theirs.contains_key(block)).map(|(_, bytes)| bytes).sum::<u64>()
            + self.selection_bytes_beyond(other)
            + self.calibration.bytes_beyond(&other.calibration)
            + unshared(Some(&self.probing), Some(&other.probing), Probing::bytes)
            + unshared(self.reading.as_ref(), other.reading.as_ref(), Reading::bytes)
            + size_of::<Self>() as u64
    }
}
