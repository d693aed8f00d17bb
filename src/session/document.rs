//! The inspection document. Heavy data are shared, so a copy is cheap and every state can be kept for undo.

use std::sync::Arc;

use super::Settings;
use super::calibrating::Calibrating;
use super::probing::Probing;
use super::selection::{Feature, Marked, NamedSelection, Selectable};
use super::series::PartRecord;
use super::tolerancing::Tolerancing;
use super::upkeep::{Reading, Upkeep};
use geometry::Pose;
use inspect::acceptance::Acceptance;
use inspect::alignment::Alignment;
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::search_comparison::SearchComparison;
use inspect::deviation::{Check, Measurement};
use inspect::parts::{Actual, Nominal};

/// Everything there is to an inspection.
#[derive(Clone, Default)]
pub struct Document {
    /// The nominal.
    pub nominal: Option<Arc<Nominal>>,
    /// The actual.
    pub actual: Option<Arc<Actual>>,
    /// The current alignment.
    pub alignment: Option<Arc<Alignment>>,
    /// Picked point pairs.
    pub pairs: Vec<PointPair>,
    /// The scan's points as the brush has left them.
    pub points: Marked,
    /// The nominal's facets as the brush has left them.
    pub facets: Marked,
    /// Selections with names.
    pub selections: Vec<NamedSelection>,
    /// Fitted features.
    pub features: Vec<Feature>,
    /// What is made from features, and what a drawing asks of them.
    pub tolerancing: Tolerancing,
    /// The current check.
    pub check: Option<Arc<Check>>,
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
}

impl Document {
    /// The current pose of the scan on the nominal; identity before any alignment.
    pub fn nominal_from_scan(&self) -> Pose {
        self.alignment.as_ref().map_or_else(Pose::identity, |alignment| alignment.nominal_from_scan)
    }

    /// The check, unless its inputs have changed since it was made.
    pub fn current_check(&self) -> Option<&Arc<Check>> {
        self.check.as_ref().filter(|check| !self.is_stale(check))
    }

    /// Whether what `check` was made from has changed.
    pub fn is_stale(&self, check: &Check) -> bool {
        check.parameters != self.settings.deviation
            || check.scale_mm != self.settings.scale_mm
            || !self.holds(&check.measurement)
    }

    /// What the check measured, unless its inputs have changed; what it is judged by may have.
    pub fn current_measurement(&self) -> Option<&Arc<Measurement>> {
        self.check.as_ref().map(|check| &check.measurement).filter(|measurement| self.holds(measurement))
    }

    /// Whether `measurement` is of these parts in this pose, as the settings ask for it.
    fn holds(&self, measurement: &Measurement) -> bool {
        let hashes =
            |actual: &Arc<Actual>| actual.sources.iter().map(|source| &source.hash).eq(measurement.scan_hashes.iter());
        measurement.parameters.measure_as(&self.settings.deviation)
            && measurement.nominal_from_scan == self.nominal_from_scan()
            && self.nominal.as_ref().is_some_and(|nominal| nominal.source.hash == measurement.nominal_hash)
            && self.actual.as_ref().is_some_and(hashes)
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
            Selectable::Points => self.actual.as_ref().map(|actual| actual.cloud.points.len()),
            Selectable::Facets => self.nominal.as_ref().map(|nominal| nominal.surface.mesh().facets.len()),
        }
    }

    fn own_selections(&self, other: &Self) -> u64 {
        let held = |document: &Self| {
            let marked = [&document.points, &document.facets].map(|marked| marked.selected.len() + marked.hidden.len());
            let named = document.selections.iter().map(|named| named.numbers.len());
            let fitted = document.features.iter().map(|feature| 3 * feature.recipe.points.len());
            4 * (marked[0] + marked[1] + named.sum::<usize>() + fitted.sum::<usize>()) as u64
        };
        let same = |of: Selectable| {
            let (own, others) = (self.marked(of), other.marked(of));
            own.selected.is_same(&others.selected) && own.hidden.is_same(&others.hidden)
        };
        if Selectable::ALL.into_iter().all(same) { 0 } else { held(self) }
    }

    fn measurement(&self) -> Option<&Arc<Measurement>> {
        self.check.as_ref().map(|check| &check.measurement)
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
        own(self.nominal.as_ref(), other.nominal.as_ref(), |nominal| nominal.surface.bytes())
            + own(self.actual.as_ref(), other.actual.as_ref(), |actual| {
                2 * actual.cloud.bytes() + actual.facets.as_ref().map_or(0, |facets| facets.bytes())
            })
            + own(self.measurement(), other.measurement(), Measurement::bytes)
            + self.own_selections(other)
            + self.calibration.bytes_beyond(&other.calibration)
            + own(Some(&self.probing), Some(&other.probing), Probing::bytes)
            + own(self.reading.as_ref(), other.reading.as_ref(), Reading::bytes)
            + size_of::<Self>() as u64
    }
}
