//! The command that finds the artefact's regions in a snapshot: by what the program knows of the artefact, or by its CAD.

use std::path::Path;

use super::calibrate::{change, mirror};
use super::{Context, Edit};
use base::{Progress, Result, UserError};
use compute::point_deviation::PointDeviation;
use geometry::{Cloud, Point, Pose, Subset, Surface, Vector};
use inspect::alignment::automatic;
use inspect::alignment::{Alignment, best_fit};
use inspect::calibration::artefacts::CLEARLY;
use inspect::calibration::by_cad::{NominalArtefact, OFF_MM, on_cad};
use inspect::calibration::{Artefact, Handedness};
use inspect::deviation::{self, Parameters, Scan};
use inspect::parts::PreparedScan;
use io::{LoadOptions, load_nominal, region_table};
use session::Document;

/// Finds the regions in the snapshot.
pub(super) fn find(document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let Some(actual) = &document.calibration.sensor.actual else {
        return Err(UserError::usage("Open a snapshot first."));
    };
    let setup = &document.calibration.setup;
    let artefact = setup.artefact.artefact();
    let (regions, notes) = match (&setup.nominal.cad, &setup.nominal.regions) {
        (Some(cad), Some(table)) => find_by_cad(artefact, (cad, table), &actual.cloud, context, progress)?,
        (None, None) => (artefact.find(&actual.cloud, progress)?, Vec::new()),
        _ => return Err(UserError::usage("Name both the artefact's CAD and the table of its regions, or neither.")),
    };
    let notes = [format!("Found {} regions.", regions.len())].into_iter().chain(notes);
    Ok(change("Find the regions", move |calibration| calibration.sensor.regions = regions).with_notes(notes))
}

/// Finds the regions by the artefact's CAD; with sentences on how the snapshot lies on it.
fn find_by_cad(
    artefact: &dyn Artefact,
    (cad, table): (&Path, &Path),
    cloud: &Cloud,
    context: &Context,
    progress: &Progress,
) -> Result<(Vec<Subset>, Vec<String>)> {
    if artefact.is_told_by_edges() {
        return Err(UserError::usage(format!(
            "{} are told by edges and marks, which a CAD's faces do not show; leave the CAD out or brush the regions.",
            artefact.name()
        )));
    }
    let options = LoadOptions { cad: context.cad.clone(), ..LoadOptions::default() };
    let loaded = load_nominal(cad, &options, &progress.part(0.0, 0.2)).map_err(|error| error.in_file(cad))?;
    let surface = geometry::repair(loaded.mesh).surface;
    let place = |(name, place): (String, Point)| Ok((artefact.region_of_name(&name)?, place));
    let places = region_table::read(table)?.into_iter().map(place).collect::<Result<Vec<_>>>();
    let nominal = places.and_then(|places| NominalArtefact::new(artefact, &surface, &places));
    let nominal = nominal.map_err(|error| error.in_file(table))?;
    let (alignment, matched) = laid(cloud, &surface, context, &progress.part(0.2, 0.6))?;
    let mut mirrored = cloud.clone();
    mirror(&mut mirrored, Handedness::Left);
    let other = laid(&mirrored, &surface, context, &progress.part(0.6, 1.0));
    let share = |matched: &[PointDeviation]| on_cad(matched) as f64 / cloud.points.len().max(1) as f64;
    let (own, other) = (share(&matched), other.map_or(0.0, |(_, matched)| share(&matched)));
    if other > own + CLEARLY {
        return Err(UserError::input(format!(
            "The snapshot is the mirror image of the CAD ({:.1} % of it lie on the CAD, {:.1} % of its mirror image): the \
             sensor's frame is of the other handedness than was said.",
            100.0 * own,
            100.0 * other
        )));
    }
    let regions = nominal.regions(&cloud.points, &matched, &alignment.nominal_from_scan)?;
    let on_cad = format!("{:.1} % of the snapshot lie on the CAD, RMS {:.4} mm.", 100.0 * own, alignment.rms_mm);
    let mut notes = vec![on_cad];
    if !alignment.alternatives.is_empty() {
        notes.push(format!(
            "{} other ways of laying the artefact fit as well: it is taken to lie with the X of its CAD along the sensor's. \
             Look whether the regions are the right ones.",
            alignment.alternatives.len()
        ));
    }
    Ok((regions, notes))
}

/// A snapshot on the CAD, and the closest facet of each point.
fn laid(
    cloud: &Cloud,
    surface: &Surface,
    context: &Context,
    progress: &Progress,
) -> Result<(Alignment, Vec<PointDeviation>)> {
    let (backend, prepared) = (context.backend.as_ref(), PreparedScan::new(cloud));
    let fit = best_fit::Parameters::default();
    let progress_of_start = progress.part(0.0, 0.9);
    let mut alignment = automatic::run(backend, surface, cloud, &prepared, &fit, &progress_of_start, &mut |_, _| ())?;
    // What its symmetry leaves open, the calibration tells by how the sensor sits.
    let follows = |pose: &Pose| (pose.rotation * Vector::x()).x;
    let others = alignment.alternatives.iter().map(|own| own.nominal_from_scan);
    let other = others.max_by(|one, other| follows(one).total_cmp(&follows(other)));
    if let Some(pose) = other.filter(|pose| follows(pose) > follows(&alignment.nominal_from_scan)) {
        alignment.nominal_from_scan = pose;
    }
    let parameters = Parameters { max_distance_mm: OFF_MM, ..Parameters::default() };
    let scan = Scan { cloud, ordered: &prepared.ordered, oriented: prepared.oriented, facets: None };
    let pose = &alignment.nominal_from_scan;
    let matched = deviation::closest(backend, surface, &scan, pose, &parameters, &progress.part(0.9, 1.0))?;
    Ok((alignment, matched))
}
