//! Nominals: the mesh of a CAD or mesh file, and as steps leave it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use base::{LengthUnit, Progress, Result};
use geometry::health::MeshFindings;
use geometry::repair::{Repaired, repair};
use geometry::{Subset, Surface, winding};
use io::cad::CadReader;
use io::{LoadOptions, SourceFile, load_nominal};

/// A change of the nominal after loading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NominalStep {
    /// Its facets were turned so that they agree and face outward.
    UnifyWinding,
    /// Facets were removed, by their numbers then.
    RemoveFacets(Subset),
}

/// A nominal.
#[derive(Debug)]
pub struct Nominal {
    /// Where it came from.
    pub source: SourceFile,
    /// The mesh, ready for search.
    pub surface: Surface,
    /// What was wrong with the file.
    pub findings: MeshFindings,
    /// Sentences for the user.
    pub notes: Vec<String>,
    /// How it was changed after loading.
    pub steps: Vec<NominalStep>,
}

impl Nominal {
    /// A surface that was made here.
    pub fn in_memory(name: &str, surface: Surface) -> Self {
        let (source, findings) = (SourceFile::in_memory(name), MeshFindings::default());
        Self { source, surface, findings, notes: Vec::new(), steps: Vec::new() }
    }

    /// Reads it, joins what rounding keeps apart, and makes it ready for search; CAD files are meshed as `cad` says.
    pub fn read(path: &Path, unit: Option<LengthUnit>, cad: CadReader, progress: &Progress) -> Result<Self> {
        let options = LoadOptions { unit, columns: None, cad };
        let loaded = load_nominal(path, &options, &progress.part(0.0, 0.7)).map_err(|e| e.in_file(path))?;
        progress.report(0.7, "Fingerprinting the file")?;
        let source = SourceFile::of(path, unit, None)?;
        progress.report(0.8, "Preparing the nominal for search")?;
        let Repaired { surface, closed_cracks, orientation } = repair(loaded.mesh);
        let findings = MeshFindings { closed_cracks, ..loaded.findings }.with_orientation(&orientation);
        let findings = findings.with_topology(surface.topology(), surface.mesh().volume_mm3());
        Ok(Self { source, surface, findings, notes: loaded.notes, steps: Vec::new() })
    }

    /// All that there is to say of it.
    pub fn sentences(&self) -> Vec<String> {
        self.source.named(&self.notes, self.findings.sentences())
    }

    /// The nominal after one more step, and a sentence on it.
    pub fn stepped(&self, step: NominalStep) -> (Self, String) {
        let before = self.surface.mesh();
        let (mesh, note) = match &step {
            NominalStep::UnifyWinding => {
                let mut mesh = before.clone();
                let turned = winding::unify(&mut mesh);
                (mesh, format!("{turned} facets were turned."))
            }
            NominalStep::RemoveFacets(removed) => {
                let left = before.part(&removed.inverted(before.facets.len()));
                (left, format!("{} of {} facets were removed by hand.", removed.len(), before.facets.len()))
            }
        };
        let surface = Surface::new(mesh);
        let findings = self.findings.with_topology(surface.topology(), surface.mesh().volume_mm3());
        let mut stepped = Self {
            source: self.source.clone(),
            findings: findings.with_undecided(&winding::examine(&surface).1),
            surface,
            notes: self.notes.clone(),
            steps: self.steps.clone(),
        };
        stepped.steps.push(step);
        stepped.notes.push(note.clone());
        (stepped, note)
    }

    /// The nominal after the steps that a project tells of; as far as they suit it, where its file has changed.
    pub fn restepped(mut self, steps: &[NominalStep], notes: &mut Vec<String>) -> Self {
        for step in steps {
            let count = self.surface.mesh().facets.len();
            if let NominalStep::RemoveFacets(removed) = step
                && (!removed.is_within(count) || removed.len() == count)
            {
                notes
                    .push(format!("{} has not the facets that were removed; all are there again.", self.source.name()));
                return self;
            }
            self = self.stepped(step.clone()).0;
        }
        self
    }
}
