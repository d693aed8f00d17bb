//! Finds the regions of an artefact in a snapshot by aligning it to the artefact's CAD model.

use std::path::Path;

use super::{MAX_DISTANCE_MM, NominalArtefact, count_on_cad};
use crate::alignment::{Alignment, automatic, best_fit};
use crate::calibration::Handedness;
use crate::calibration::artefacts::{Artefact, MIRROR_MARGIN};
use crate::deviation::{self, Parameters, Scan};
use crate::parts::PreparedScan;
use base::{Progress, Result, UserError};
use compute::Backend;
use compute::point_deviation::PointDeviation;
use geometry::{Cloud, Pose, Subset, Surface, Vector};
use io::region_table::{self, RegionPoint};
use io::{LoadOptions, load_nominal};

/// Finds the regions by the artefact's CAD model (first path) and named points on it (second path). Returns the point
/// indices of each region, and notes on the alignment.
pub fn find_regions(
    artefact: &dyn Artefact,
    (cad, table): (&Path, &Path),
    cloud: &Cloud,
    options: &LoadOptions,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<(Vec<Subset>, Vec<String>)> {
    if artefact.is_told_by_edges() {
        return Err(UserError::usage(format!(
            "{} are located by edges and marks, which the faces of a CAD model do not show; leave the CAD model out or \
             brush the regions.",
            artefact.name()
        )));
    }
    let loaded = load_nominal(cad, options, &progress.part(0.0, 0.2)).map_err(|error| error.in_file(cad))?;
    let surface = geometry::repair(loaded.mesh).surface;
    let with_region = |row: RegionPoint| Ok((artefact.region_of_name(&row.region)?, row.point));
    let named_points = region_table::read(table)?.into_iter().map(with_region).collect::<Result<Vec<_>>>();
    let nominal = named_points.and_then(|points| NominalArtefact::new(artefact, &surface, &points));
    let nominal = nominal.map_err(|error| error.in_file(table))?;
    let (alignment, matched) = align(cloud, &surface, backend, &progress.part(0.2, 0.6))?;
    let mut mirrored = cloud.clone();
    Handedness::Left.convert(&mut mirrored);
    let other = align(&mirrored, &surface, backend, &progress.part(0.6, 1.0));
    let share = |matched: &[PointDeviation]| count_on_cad(matched) as f64 / cloud.points.len().max(1) as f64;
    let (own, other) = (share(&matched), other.map_or(0.0, |(_, matched)| share(&matched)));
    if other > own + MIRROR_MARGIN {
        return Err(UserError::input(format!(
            "The snapshot is the mirror image of the CAD model ({:.1} % of its points lie on the CAD model, {:.1} % if \
             mirrored): the sensor's frame has the other handedness than stated.",
            100.0 * own,
            100.0 * other
        )));
    }
    let regions = nominal.regions(&cloud.points, &matched, &alignment.nominal_from_scan)?;
    let on_cad =
        format!("{:.1} % of the snapshot points lie on the CAD model, RMS {:.4} mm.", 100.0 * own, alignment.rms_mm);
    let mut notes = vec![on_cad];
    if !alignment.alternatives.is_empty() {
        notes.push(format!(
            "{} other orientations of the artefact fit as well: the one with the X axis of its CAD model closest to \
             the sensor's X was chosen. Check that the regions are the right ones.",
            alignment.alternatives.len()
        ));
    }
    Ok((regions, notes))
}

/// Aligns a snapshot to the CAD model; returns the alignment and the closest facet of each point.
fn align(
    cloud: &Cloud,
    surface: &Surface,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<(Alignment, Vec<PointDeviation>)> {
    let prepared = PreparedScan::new(cloud);
    let fit = best_fit::Parameters::default();
    let start_progress = progress.part(0.0, 0.9);
    let mut alignment = automatic::run(backend, surface, cloud, &prepared, &fit, &start_progress, &mut |_, _| ())?;
    // If the artefact is symmetric, choose the pose whose X axis is closest to the sensor's; a wrong choice is revealed
    // by the mounting check of the calibration.
    let x_agreement = |pose: &Pose| (pose.rotation * Vector::x()).x;
    let others = alignment.alternatives.iter().map(|own| own.nominal_from_scan);
    let other = others.max_by(|one, other| x_agreement(one).total_cmp(&x_agreement(other)));
    if let Some(pose) = other.filter(|pose| x_agreement(pose) > x_agreement(&alignment.nominal_from_scan)) {
        alignment.nominal_from_scan = pose;
    }
    let parameters = Parameters { max_distance_mm: MAX_DISTANCE_MM, ..Parameters::default() };
    let scan = Scan { cloud, ordered: &prepared.ordered, oriented: prepared.oriented, facets: None };
    let pose = &alignment.nominal_from_scan;
    let matched = deviation::closest(backend, surface, &scan, pose, &parameters, &progress.part(0.9, 1.0))?;
    Ok((alignment, matched))
}
