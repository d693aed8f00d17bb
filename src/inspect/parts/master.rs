//! Nominals from measured points: a master part, or a model of a part without CAD.

use super::{Actual, Nominal};
use base::{Progress, Result, UserError, counted};
use compute::cpu::Cpu;
use geometry::facing::{self, Facing};
use geometry::health::MeshFindings;
use geometry::{Mesh, normals};
use io::source::Source;
use io::{LoadOptions, SourceFile};

/// Reads a file of points as a nominal: its surface is made of facets between the points, wound to face outward as far as
/// that can be told.
///
/// Returns an error if the file cannot be read, if no facets can be made between its points, or if the work is cancelled.
pub fn read(
    source: &SourceFile,
    opened: (Source, bool),
    options: &LoadOptions,
    progress: &Progress,
) -> Result<Nominal> {
    let path = &source.path;
    let actual = Actual::of_opened(std::iter::once(Ok((source.clone(), opened))), options, &progress.part(0.0, 0.4))?;
    let made = actual.surface(&Cpu, &progress.part(0.4, 0.8))?;
    if made.corners.is_empty() {
        return Err(UserError::input(format!(
            "No surface can be made between the points of {}; a nominal needs facets, CAD surfaces, or points that lie \
             close to each other on all of the part.",
            path.display()
        )));
    }
    progress.report(0.8, "Turning the facets outward")?;
    let (corners, left_out) = (made.corners.clone(), made.left_out);
    let Actual { cloud, sources, mut notes, .. } = actual;
    let all = Mesh { vertices: cloud.points.clone(), facets: corners.clone(), ..Mesh::default() };
    // Without the points that no facet has.
    let mesh = all.part(&(0..all.facets.len() as u32).collect::<Vec<_>>());
    let knows_sensor = normals::are_oriented(&cloud);
    let to_sensor = |facet: usize| cloud.direction_to_sensor(corners[facet][0] as usize).filter(|_| knows_sensor);
    let Facing { surface, undecided_share } = facing::outward(mesh, to_sensor);
    notes.push(format!(
        "It holds points: the nominal is {} made between them. What was not measured is missing, and noise of the points \
         is taken for the part.",
        counted(surface.mesh().facets.len(), "facet", "facets")
    ));
    if left_out > 0 {
        notes.push(format!("{} in no facet were left out.", counted(left_out, "point", "points")));
    }
    if undecided_share > 0.0 {
        let share = match undecided_share {
            share if share < 0.01 => "less than 1".to_owned(),
            share => format!("{:.0}", 100.0 * share),
        };
        notes.push(format!(
            "On {share} % of the surface outside cannot be told from inside: deviations there may have the wrong sign."
        ));
    }
    let is_sheet = !surface.topology().is_closed();
    let findings = MeshFindings::default().with_topology(surface.topology(), surface.mesh().volume_mm3());
    let source = sources.into_iter().next().unwrap_or_else(|| SourceFile::in_memory(&path.to_string_lossy()));
    Ok(Nominal { is_sheet, ..Nominal::of(source, surface, findings, notes) })
}
