//! Nominals and scans from their files, and as their steps leave them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::NominalStep;
use super::{Actual, Nominal, Settings, SourceFile};
use base::{LengthUnit, Progress, Result, UserError, hash};
use compute::Backend;
use geometry::health::{CloudFindings, MeshFindings};
use geometry::repair::{Repaired, repair};
use geometry::{Cloud, Mesh, Surface, facet_sampling, snapshot, winding};
use inspect::alignment::automatic::PreparedScan;
use inspect::cleaning::{self, Step};
use io::cad::CadReader;
use io::xyz::Columns;
use io::{LoadOptions, load_nominal, load_scan};

impl SourceFile {
    fn of(path: &Path, unit: Option<LengthUnit>, columns: Option<Columns>) -> Result<Self> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Self { hash: hash::file_hash(&path)?, path, unit, columns })
    }

    /// Sentences on the file, with its name before each.
    fn named(&self, notes: &[String], findings: Vec<String>) -> Vec<String> {
        notes.iter().cloned().chain(findings).map(|note| format!("{}: {note}", self.name())).collect()
    }
}

impl Nominal {
    /// Reads it, joins what rounding keeps apart, and makes it ready for search; CAD files are meshed as `settings` say.
    pub fn read(
        path: &Path,
        unit: Option<LengthUnit>,
        settings: &Settings,
        cad: &CadReader,
        progress: &Progress,
    ) -> Result<Self> {
        let cad = CadReader { chord_mm: settings.chord_mm, angle_deg: settings.angle_deg, ..cad.clone() };
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

impl Actual {
    /// Reads snapshots of one part in one frame, and makes them ready for alignment.
    pub fn read(
        paths: &[PathBuf],
        unit: Option<LengthUnit>,
        columns: Option<Columns>,
        cad: &CadReader,
        progress: &Progress,
    ) -> Result<Self> {
        let mut cloud = Cloud::default();
        let mut mesh: Option<Mesh> = Some(Mesh::default());
        let mut findings = CloudFindings::default();
        let (mut sources, mut notes) = (Vec::new(), Vec::new());
        for (i, path) in paths.iter().enumerate() {
            let share = |at: usize| 0.8 * at as f32 / paths.len() as f32;
            let options = LoadOptions { unit, columns, cad: cad.clone() };
            let mut loaded =
                load_scan(path, &options, &progress.part(share(i), share(i + 1))).map_err(|e| e.in_file(path))?;
            let source = SourceFile::of(path, Some(loaded.unit), columns)?;
            if let Some(added) = loaded.mesh.as_ref().and_then(|mesh| facet_sampling::fill(&mut loaded.cloud, mesh)) {
                loaded.notes.push(added.sentence());
            }
            // Each snapshot has a grid of its own, which the merged cloud has not.
            let facets = loaded.mesh.take().or_else(|| {
                let facets = snapshot::mesh_of(&loaded.cloud)?;
                loaded.notes.push(format!("The organised snapshot was meshed into {} facets.", facets.facets.len()));
                Some(facets)
            });
            mesh = mesh.zip(facets).map(|(mut all, facets)| {
                all.append(&facets);
                all
            });
            findings.not_finite_points += loaded.findings.not_finite_points;
            findings.duplicate_points += loaded.findings.duplicate_points;
            let is_one_of_many = paths.len() > 1;
            notes.extend(if is_one_of_many { source.named(&loaded.notes, Vec::new()) } else { loaded.notes });
            sources.push(source);
            if i == 0 {
                cloud = loaded.cloud;
            } else {
                cloud.append(loaded.cloud);
            }
        }
        if sources.is_empty() {
            return Err(UserError::usage("Name at least one scan."));
        }
        progress.report(0.8, "Ordering the points")?;
        let prepared = PreparedScan::new(&cloud);
        progress.report(0.9, "Preparing the scan for search")?;
        let facets = mesh.map(|mesh| Arc::new(Surface::new(mesh)));
        Ok(Self { sources, cloud, prepared, facets, findings, notes, cleaning: Vec::new() })
    }

    /// All that there is to say of it.
    pub fn sentences(&self) -> Vec<String> {
        match self.sources.as_slice() {
            [source] => source.named(&self.notes, self.findings.sentences()),
            // Those of several snapshots carry their names already.
            _ => self.notes.iter().cloned().chain(self.findings.sentences()).collect(),
        }
    }

    /// The scan after some steps of cleaning.
    pub fn cleaned(mut self, steps: &[Step], backend: &dyn Backend, progress: &Progress) -> Result<Self> {
        for step in steps {
            self.clean_once(step, backend, progress)?;
        }
        if !steps.is_empty() {
            self.prepared = PreparedScan::new(&self.cloud);
        }
        Ok(self)
    }

    /// The scan after one more step, and the numbers of the points that stayed, where some went.
    pub fn after(&self, step: &Step, backend: &dyn Backend, progress: &Progress) -> Result<(Self, Option<Vec<u32>>)> {
        let mut after = Self { prepared: PreparedScan::default(), ..self.clone() };
        let kept = after.clean_once(step, backend, progress)?;
        after.prepared = PreparedScan::new(&after.cloud);
        Ok((after, kept))
    }

    fn clean_once(&mut self, step: &Step, backend: &dyn Backend, progress: &Progress) -> Result<Option<Vec<u32>>> {
        let cleaned = cleaning::run(backend, &self.cloud, step, progress)?;
        if cleaned.kept.is_some() && self.facets.take().is_some() {
            self.notes.push("The scan's facets went with the points that were removed.".to_owned());
        }
        self.notes.push(cleaned.note);
        self.cloud = cleaned.cloud;
        self.cleaning.push(step.clone());
        Ok(cleaned.kept)
    }
}
