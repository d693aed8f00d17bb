//! Scans of a part: one or more snapshots in one frame, and as cleaning leaves them.

use std::path::PathBuf;
use std::sync::Arc;

use super::PreparedScan;
use crate::cleaning::{self, Step};
use base::{LengthUnit, Progress, Result, UserError};
use compute::Backend;
use geometry::health::CloudFindings;
use geometry::{Cloud, Mesh, OrderedPoints, Surface, facet_sampling, snapshot};
use io::cad::CadReader;
use io::xyz::Columns;
use io::{LoadOptions, SourceFile, load_scan};

/// One or more snapshots in one frame.
#[derive(Clone)]
pub struct Actual {
    /// Where they came from.
    pub sources: Vec<SourceFile>,
    /// All points.
    pub cloud: Cloud,
    /// Ready for alignment.
    pub prepared: PreparedScan,
    /// The scan's facets, where it has them.
    pub facets: Option<Arc<Surface>>,
    /// What was wrong with the files.
    pub findings: CloudFindings,
    /// Sentences for the user.
    pub notes: Vec<String>,
    /// How it was cleaned after loading.
    pub cleaning: Vec<Step>,
}

impl Actual {
    /// A cloud that was made here, ready for alignment.
    pub fn in_memory(name: &str, cloud: Cloud) -> Self {
        Self {
            sources: vec![SourceFile::in_memory(name)],
            prepared: PreparedScan::new(&cloud),
            cloud,
            facets: None,
            findings: CloudFindings::default(),
            notes: Vec::new(),
            cleaning: Vec::new(),
        }
    }

    /// As a comparison takes it.
    pub fn scan(&self) -> Scan<'_> {
        Scan {
            cloud: &self.cloud,
            ordered: &self.prepared.ordered,
            oriented: self.prepared.oriented,
            facets: self.facets.as_deref(),
        }
    }

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

/// A scan in the forms that methods of comparison need.
#[derive(Clone, Copy)]
pub struct Scan<'a> {
    /// The points with what the file knows of them.
    pub cloud: &'a Cloud,
    /// The points along a space-filling curve.
    pub ordered: &'a OrderedPoints,
    /// Whether its normals know their sign.
    pub oriented: bool,
    /// The scan as facets, where it has them (facet-facet matching).
    pub facets: Option<&'a Surface>,
}
