//! Computes the calibration from the measurements of both instruments.

use super::{CalibrationState, InputFile, Measurement, Outcome, Provenance, Setup, SnapshotPair};
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Subset, Vector};
use inspect::calibration::{Placement, Request, View, by_cad, calibrate};
use io::LoadOptions;
use io::cad::CadReader;

impl CalibrationState {
    /// Calibrates the sensor from all snapshots. `unix_s` is the time of the calibration, seconds since 1970 (UTC).
    pub fn solve(&self, unix_s: i64, progress: &Progress) -> Result<Outcome> {
        let setup = &self.setup;
        setup.check()?;
        let probe_radius_mm = setup.probe_radius_mm.ok_or_else(|| {
            UserError::usage(
                "Enter the stylus tip radius of the CMM first; 0 if its points are surface points already.",
            )
        })?;
        let snapshots = self.snapshots();
        let placements = placements(&snapshots, setup)?;
        let request = Request {
            artefact: setup.artefact,
            placements: &placements,
            handedness: setup.handedness,
            probe_radius_mm,
            probe_radius_error_mm: setup.probe_radius_error_mm,
            clip_sigmas: setup.clip_sigmas,
            bias_mm: setup.bias_mm,
            scale: setup.scale,
            field_mm: setup.field_mm,
            probing_mm: setup.probing_mm,
            wanted: setup.wanted,
            own_shape: setup.nominal.cad.is_some(),
            any_mounting: setup.any_mounting,
        };
        let calibration = calibrate(&request, progress)?;
        let file = |measurement: &Measurement| measurement.source().map(InputFile::of).unwrap_or_default();
        let mut files = snapshots.iter().flat_map(|pair| [file(&pair.sensor), file(&pair.cmm)]);
        let provenance = Provenance {
            sensor: files.next().unwrap_or_default(),
            cmm: files.next().unwrap_or_default(),
            more: files.collect(),
            operator: setup.operator.clone(),
            serials: setup.serials.clone(),
            unix_s,
            valid_hours: setup.valid_hours,
        };
        Ok(Outcome { calibration, provenance })
    }

    /// Finds the points of each region in the snapshot, by the built-in design of the artefact or by its CAD if named
    /// (a STEP file is read by the program `cad`). Returns point indices per region, and notes for the log.
    pub fn find_regions(
        &self,
        cad: &CadReader,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<(Vec<Subset>, Vec<String>)> {
        let Some(actual) = &self.sensor.actual else {
            return Err(UserError::usage("Open a snapshot first."));
        };
        let artefact = self.setup.artefact.artefact();
        match (&self.setup.nominal.cad, &self.setup.nominal.regions) {
            (Some(path), Some(table)) => {
                let options = LoadOptions { cad: cad.clone(), ..LoadOptions::default() };
                by_cad::find_regions(artefact, (path, table), &actual.cloud, &options, backend, progress)
            }
            (None, None) => Ok((artefact.find(&actual.cloud, progress)?, Vec::new())),
            _ => Err(UserError::usage("Name both the CAD of the artefact and the table of its regions, or neither.")),
        }
    }
}

fn view(pair: &SnapshotPair, setup: &Setup) -> Result<View> {
    let Some(actual) = &pair.sensor.actual else {
        return Err(UserError::usage("Open a snapshot of the sensor first."));
    };
    let artefact = setup.artefact.artefact();
    let all: Vec<Subset> = (0..artefact.regions().len()).map(|region| pair.sensor.region(region)).collect();
    let mut regions = artefact.extract(&actual.cloud, &all)?;
    regions.iter_mut().flatten().for_each(|point| *point = setup.handedness.to_right(point));
    let mut surface = View::surface_of(&actual.cloud.points);
    surface.iter_mut().for_each(|point| *point = setup.handedness.to_right(point));
    Ok(View { regions, surface, position_mm: Vector::from(pair.position_mm) })
}

/// Groups the snapshots by placement of the artefact: those with the same probed points.
fn placements(snapshots: &[SnapshotPair], setup: &Setup) -> Result<Vec<Placement>> {
    let mut found: Vec<(&Measurement, Placement)> = Vec::new();
    for pair in snapshots {
        let view = view(pair, setup)?;
        match found.iter_mut().find(|(cmm, _)| cmm.is_same(&pair.cmm)) {
            Some((_, placement)) => placement.views.push(view),
            None => {
                let cmm = pair.cmm.points_of_regions(setup.artefact.artefact())?;
                found.push((&pair.cmm, Placement { cmm, views: vec![view] }));
            }
        }
    }
    Ok(found.into_iter().map(|(_, placement)| placement).collect())
}
