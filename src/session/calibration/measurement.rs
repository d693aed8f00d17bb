//! Points of the artefact measured by an instrument, and their assignment to its regions.

use std::path::Path;
use std::sync::Arc;

use super::Setup;
use base::{Progress, Result, UserError};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point, Subset};
use inspect::calibration::Artefact;
use inspect::parts::{Actual, PreparedScan};
use io::{LoadOptions, SourceFile, load_scan_from, region_table};

/// The measuring instrument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instrument {
    /// The optical sensor.
    #[default]
    Sensor,
    /// The coordinate measuring machine.
    Cmm,
}

impl Instrument {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Sensor, Self::Cmm];

    /// Name for display.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sensor => "Sensor",
            Self::Cmm => "CMM",
        }
    }
}

/// Points measured by an instrument.
#[derive(Clone, Default)]
pub struct Measurement {
    /// The points, in the instrument's frame; those of a left-handed sensor are converted to right-handed.
    pub actual: Option<Arc<Actual>>,
    /// Indices of the points of each region, in the artefact's order.
    pub regions: Vec<Subset>,
}

impl Measurement {
    /// Reads the points measured by an instrument; a table with region names assigns the regions too.
    pub fn read(instrument: Instrument, path: &Path, setup: &Setup, progress: &Progress) -> Result<Self> {
        let (mut measurement, names) = Self::read_points(instrument, path, setup, progress)?;
        let artefact = setup.artefact.artefact();
        let mut regions = vec![Vec::new(); artefact.regions().len()];
        for (index, name) in (0_u32..).zip(&names) {
            regions[artefact.region_of_name(name)?].push(index);
        }
        measurement.regions = regions.into_iter().map(Subset::new).collect();
        Ok(measurement)
    }

    /// Reads the points without assigning regions, and the region name of each point if the file is a table.
    pub(super) fn read_points(
        instrument: Instrument,
        path: &Path,
        setup: &Setup,
        progress: &Progress,
    ) -> Result<(Self, Vec<String>)> {
        let (mut notes, mut names) = (Vec::new(), Vec::new());
        let source = SourceFile::read(path, None, None)?;
        let mut cloud = if region_table::is_region_table(path) {
            let rows = region_table::read(path)?;
            let intensity: Option<Vec<f32>> = rows.iter().map(|row| row.intensity).collect();
            let points = rows.iter().map(|row| row.point).collect();
            names = rows.into_iter().map(|row| row.region).collect();
            Cloud { points, intensity: intensity.unwrap_or_default(), ..Cloud::default() }
        } else {
            let loaded = load_scan_from(source.open(progress)?.0, &LoadOptions::default(), progress)?;
            notes = loaded.notes;
            loaded.cloud
        };
        if instrument == Instrument::Sensor {
            setup.handedness.convert(&mut cloud);
        }
        let actual = Actual {
            sources: vec![source],
            cloud,
            prepared: PreparedScan::default(),
            facets: None,
            findings: CloudFindings::default(),
            notes,
            cleaning: Vec::new(),
        };
        Ok((Self { actual: Some(Arc::new(actual)), regions: Vec::new() }, names))
    }

    /// The points of each region, in the artefact's order. Returns an error if nothing was measured.
    pub fn points_of_regions(&self, artefact: &dyn Artefact) -> Result<Vec<Vec<Point>>> {
        let Some(actual) = &self.actual else {
            return Err(UserError::usage("Open the points probed by the CMM first."));
        };
        let points_of = |region: usize| {
            let indices = self.region(region);
            indices.iter().filter_map(|&index| actual.cloud.points.get(index as usize).copied()).collect()
        };
        Ok((0..artefact.regions().len()).map(points_of).collect())
    }

    /// Point indices of region number `index`; empty if there is no such region.
    pub fn region(&self, index: usize) -> Subset {
        self.regions.get(index).cloned().unwrap_or_default()
    }

    /// Whether both share the same data; compares pointers, not points.
    pub fn is_same(&self, other: &Self) -> bool {
        let actual = match (&self.actual, &other.actual) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        actual
            && self.regions.len() == other.regions.len()
            && self.regions.iter().zip(&other.regions).all(|(own, other)| own.is_same(other))
    }

    /// The file it was read from.
    pub fn source(&self) -> Option<&SourceFile> {
        self.actual.as_ref()?.sources.first()
    }
}
