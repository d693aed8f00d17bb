//! Nominals: the mesh of a CAD or mesh file, and its changes after loading.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::master;
use crate::pmi::PmiPlan;
use base::{LengthUnit, Progress, Result, UserError};
use geometry::health::MeshFindings;
use geometry::repair::{Repaired, repair};
use geometry::{Point, Subset, Surface, edges, winding};
use io::cad::CadReader;
use io::cad::pmi::Pmi;
use io::{LoadOptions, SourceFile, holds_points, load_nominal_from};

/// Angle of adjacent facets from which on their edge is a crease: more than between the facets of a fillet.
const MIN_CREASE_RAD: f64 = 0.5;
/// Number of facets from which on a mesh with creases everywhere is a rough surface.
const MIN_ROUGH_FACETS: usize = 1000;

/// A change of the nominal after loading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NominalStep {
    /// Facets are flipped to a consistent winding with outward normals.
    UnifyWinding,
    /// Facets are removed, by their indices before this step.
    RemoveFacets(Subset),
}

/// A nominal part.
#[derive(Debug)]
pub struct Nominal {
    /// Source file.
    pub source: SourceFile,
    /// The mesh, prepared for search, mm.
    pub surface: Surface,
    /// Defects found in the file.
    pub findings: MeshFindings,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
    /// Changes since loading.
    pub steps: Vec<NominalStep>,
    /// Whether it encloses nothing, such as the surface of a scan.
    pub is_sheet: bool,
    /// What its file states of datums, tolerances and dimensions.
    pub pmi: Arc<Pmi>,
    /// The plan that follows from it.
    pub pmi_plan: Arc<PmiPlan>,
}

impl Nominal {
    /// A nominal from a surface that does not come from a file.
    pub fn in_memory(name: &str, surface: Surface) -> Self {
        Self::of(SourceFile::in_memory(name), surface, MeshFindings::default(), Vec::new())
    }

    /// A nominal from a surface of a file without PMI.
    pub(super) fn of(source: SourceFile, surface: Surface, findings: MeshFindings, notes: Vec<String>) -> Self {
        let (pmi, pmi_plan) = Default::default();
        Self { source, surface, findings, notes, steps: Vec::new(), is_sheet: false, pmi, pmi_plan }
    }

    /// With what its file states of datums, tolerances and dimensions.
    fn with_pmi(mut self, pmi: Arc<Pmi>) -> Self {
        self.pmi_plan = Arc::new(PmiPlan::of(&pmi, self.surface.mesh()));
        self.pmi = pmi;
        self
    }

    /// Reads a nominal, closes cracks due to rounding, and prepares it for search. CAD files are meshed with the
    /// tolerances of `cad`; of points, the surface between them is taken. `unit`: `None` for the unit of the file, else mm.
    ///
    /// Returns an error if the file cannot be read or the work is cancelled.
    pub fn read(path: &Path, unit: Option<LengthUnit>, cad: CadReader, progress: &Progress) -> Result<Self> {
        Self::of_file(&SourceFile::read(path, unit, None)?, cad, progress)
    }

    /// As [`Self::read`], of a file that was hashed.
    pub fn of_file(source: &SourceFile, cad: CadReader, progress: &Progress) -> Result<Self> {
        let options = LoadOptions { unit: source.unit, columns: None, cad };
        let (mut opened, is_as_hashed) = source.open(&progress.part(0.0, 0.7))?;
        if holds_points(&mut opened)? {
            return master::read(source, (opened, is_as_hashed), &options, progress);
        }
        let loaded = load_nominal_from(opened, &options, &progress.part(0.0, 0.7));
        let loaded = loaded.map_err(|e| e.in_file(&source.path))?;
        // CAD files are read again, by a program of their own.
        if !is_as_hashed || loaded.structure.is_some() {
            source.check_unchanged()?;
        }
        let source = source.read_as(source.unit, None);
        progress.report(0.8, "Preparing the nominal for search")?;
        let Repaired { surface, closed_cracks, orientation } = repair(loaded.mesh);
        let findings = MeshFindings { closed_cracks, ..loaded.findings }.with_orientation(&orientation);
        let findings = findings.with_topology(surface.topology(), surface.mesh().volume_mm3());
        let pmi = loaded.structure.map(|structure| Arc::new(structure.pmi)).unwrap_or_default();
        Ok(Self::of(source, surface, findings, loaded.notes).with_pmi(pmi))
    }

    /// Returns an error if it encloses nothing, for `what`, which needs an inside.
    pub fn enclosing(&self, what: &str) -> Result<()> {
        if self.is_sheet {
            return Err(UserError::usage(format!(
                "{what} needs a part that encloses a volume; the surface of a scan does not."
            )));
        }
        Ok(())
    }

    /// Polylines along the edges, to be drawn; none if they have more than `max_segments` segments, or if every second
    /// facet has one, as in meshes of scans.
    pub fn edges(&self, max_segments: usize) -> Vec<Vec<Point>> {
        let mesh = self.surface.mesh();
        let most = if mesh.facets.len() > MIN_ROUGH_FACETS { mesh.facets.len() / 2 } else { usize::MAX };
        edges::lines(mesh, self.surface.topology(), MIN_CREASE_RAD, most.min(max_segments)).unwrap_or_default()
    }

    /// All notes and findings, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let stated = self.pmi.sentence().into_iter().chain(self.pmi_plan.refusals());
        let notes: Vec<String> = self.notes.iter().cloned().chain(stated).collect();
        self.source.named(&notes, self.findings.sentences())
    }

    /// The nominal after one more step, and a note about it.
    pub fn with_step(&self, step: NominalStep) -> (Self, String) {
        let before = self.surface.mesh();
        let (mesh, note) = match &step {
            NominalStep::UnifyWinding => {
                let mut mesh = before.clone();
                let flipped = winding::unify(&mut mesh);
                (mesh, format!("{flipped} facets were flipped."))
            }
            NominalStep::RemoveFacets(removed) => {
                let left = before.part(&removed.inverted(before.facets.len()));
                (left, format!("{} of {} facets were removed by hand.", removed.len(), before.facets.len()))
            }
        };
        let surface = Surface::new(mesh);
        let findings = self.findings.with_topology(surface.topology(), surface.mesh().volume_mm3());
        let orientation = winding::examine(&surface).1;
        let surface = surface.with_overlaps(orientation.undecided > 0);
        let findings = findings.with_undecided(&orientation);
        let mut stepped = Self {
            steps: self.steps.clone(),
            is_sheet: self.is_sheet,
            ..Self::of(self.source.clone(), surface, findings, self.notes.clone()).with_pmi(Arc::clone(&self.pmi))
        };
        stepped.steps.push(step);
        stepped.notes.push(note.clone());
        (stepped, note)
    }

    /// The nominal after the steps recorded in a project. If the file has changed and a step no longer applies, it and
    /// the following ones are skipped with a note in `notes`.
    pub fn with_steps(mut self, steps: &[NominalStep], notes: &mut Vec<String>) -> Self {
        for step in steps {
            let count = self.surface.mesh().facets.len();
            if let NominalStep::RemoveFacets(removed) = step
                && (!removed.is_within(count) || removed.len() == count)
            {
                notes.push(format!(
                    "The facets removed by hand do not exist in {}; its facets are kept.",
                    self.source.name()
                ));
                return self;
            }
            self = self.with_step(step.clone()).0;
        }
        self
    }
}
