//! Scans of a part: one or more snapshots in one frame, and their cleaning.

use std::path::PathBuf;
use std::sync::Arc;

use super::PreparedScan;
use crate::cleaning::{self, Step};
use base::{LengthUnit, Progress, Result, UserError};
use compute::meshing::{self, Facets};
use compute::{Backend, Compute};
use geometry::health::CloudFindings;
use geometry::{Cloud, Mesh, OrderedPoints, Surface, facet_sampling, snapshot};
use io::cad::CadReader;
use io::source::Source;
use io::xyz::Columns;
use io::{LoadOptions, SourceFile, load_scan_from};

/// Fewer points are single touches more often than a surface.
const MIN_SURFACE_POINTS: usize = 2000;

/// A scan: one or more snapshots in one frame.
#[derive(Clone)]
pub struct Actual {
    /// Source files.
    pub sources: Vec<SourceFile>,
    /// Points of all snapshots, scan frame, mm.
    pub cloud: Cloud,
    /// The points prepared for alignment.
    pub prepared: PreparedScan,
    /// Facets of the scan; `None` if not all snapshots have them, or after points were removed.
    pub facets: Option<Arc<Surface>>,
    /// Defects found in the files.
    pub findings: CloudFindings,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
    /// Cleaning steps since loading.
    pub cleaning: Vec<Step>,
}

impl Actual {
    /// A scan from a cloud that does not come from a file.
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

    /// View of the scan for a comparison.
    pub fn scan(&self) -> Scan<'_> {
        Scan {
            cloud: &self.cloud,
            ordered: &self.prepared.ordered,
            oriented: self.prepared.oriented,
            facets: self.facets.as_deref(),
        }
    }

    /// Whether its points show a surface, rather than single touches.
    pub fn shows_surface(&self) -> bool {
        self.cloud.points.len() >= MIN_SURFACE_POINTS
    }

    /// The facets between its points, to draw it as a surface; made when first asked for.
    ///
    /// Returns an error if the work is cancelled.
    pub fn surface(&self, backend: &dyn Backend, progress: &Progress) -> Result<&Facets> {
        if let Some(surface) = self.made_surface() {
            return Ok(surface);
        }
        let request = meshing::Request { points: &self.prepared.ordered };
        let surface = backend.compute(&request, progress)?;
        Ok(self.prepared.surface.get_or_init(|| surface))
    }

    /// The facets between its points, if they were asked for.
    pub fn made_surface(&self) -> Option<&Facets> {
        self.prepared.surface.get()
    }

    /// Reads snapshots of one part, given in one frame, and prepares them for alignment. `unit` and `columns`: `None`
    /// to take them from the files.
    ///
    /// Returns an error if `paths` is empty, a file cannot be read, or the work is cancelled.
    pub fn read(
        paths: &[PathBuf],
        unit: Option<LengthUnit>,
        columns: Option<Columns>,
        cad: &CadReader,
        progress: &Progress,
    ) -> Result<Self> {
        let read = |path: &PathBuf| SourceFile::read(path, unit, columns);
        let files = paths.iter().map(read).collect::<Result<Vec<_>>>()?;
        Self::of_files(&files, unit, columns, cad, progress)
    }

    /// As [`Self::read`], of files that were hashed.
    pub fn of_files(
        files: &[SourceFile],
        unit: Option<LengthUnit>,
        columns: Option<Columns>,
        cad: &CadReader,
        progress: &Progress,
    ) -> Result<Self> {
        let options = LoadOptions { unit, columns, cad: cad.clone() };
        let opened = files.iter().enumerate().map(|(i, file)| {
            let fraction = |index: usize| 0.8 * index as f32 / files.len() as f32;
            Ok((file.clone(), file.open(&progress.part(fraction(i), fraction(i + 1)))?))
        });
        Self::of_opened(opened, &options, progress)
    }

    /// As [`Self::read`], of files that were hashed and opened; each with whether it is what was hashed for certain.
    pub(super) fn of_opened(
        files: impl ExactSizeIterator<Item = Result<(SourceFile, (Source, bool))>>,
        options: &LoadOptions,
        progress: &Progress,
    ) -> Result<Self> {
        let mut cloud = Cloud::default();
        let mut mesh: Option<Mesh> = Some(Mesh::default());
        let mut findings = CloudFindings::default();
        let (mut sources, mut notes) = (Vec::new(), Vec::new());
        let is_one_of_many = files.len() > 1;
        for (i, file) in files.enumerate() {
            let (file, (opened, is_as_hashed)) = file?;
            let mut loaded = load_scan_from(opened, options, &progress.quiet()).map_err(|e| e.in_file(&file.path))?;
            if !is_as_hashed {
                file.check_unchanged()?;
            }
            let source = file.read_as(Some(loaded.unit), options.columns);
            if let Some(added) = loaded.mesh.as_ref().and_then(|mesh| facet_sampling::fill(&mut loaded.cloud, mesh)) {
                loaded.notes.push(added.sentence());
            }
            // Each snapshot is organised on its own grid; the merged cloud is not.
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
            notes.extend(if is_one_of_many { source.named(&loaded.notes, Vec::new()) } else { loaded.notes });
            sources.push(source);
            if i == 0 {
                cloud = loaded.cloud;
            } else {
                cloud.append(loaded.cloud);
            }
        }
        if sources.is_empty() {
            return Err(UserError::usage("Give at least one scan."));
        }
        progress.report(0.8, "Ordering the points")?;
        let prepared = PreparedScan::new(&cloud);
        progress.report(0.9, "Preparing the scan for search")?;
        let facets = mesh.map(|mesh| Arc::new(Surface::new(mesh)));
        Ok(Self { sources, cloud, prepared, facets, findings, notes, cleaning: Vec::new() })
    }

    /// All notes and findings, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        match self.sources.as_slice() {
            [source] => source.named(&self.notes, self.findings.sentences()),
            // Notes of several snapshots already include their names.
            _ => self.notes.iter().cloned().chain(self.findings.sentences()).collect(),
        }
    }

    /// The scan after `steps` of cleaning.
    ///
    /// Returns an error as [`cleaning::run`] does.
    pub fn cleaned(mut self, steps: &[Step], backend: &dyn Backend, progress: &Progress) -> Result<Self> {
        for step in steps {
            self.clean_once(step, backend, progress)?;
        }
        if !steps.is_empty() {
            self.prepared = PreparedScan::new(&self.cloud);
        }
        Ok(self)
    }

    /// The scan after one more cleaning step, and the indices of the remaining points; `None` if all remain.
    ///
    /// Returns an error as [`cleaning::run`] does.
    pub fn with_step(
        &self,
        step: &Step,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<(Self, Option<Vec<u32>>)> {
        let mut after = Self { prepared: PreparedScan::default(), ..self.clone() };
        let kept = after.clean_once(step, backend, progress)?;
        after.prepared = PreparedScan::new(&after.cloud);
        Ok((after, kept))
    }

    fn clean_once(&mut self, step: &Step, backend: &dyn Backend, progress: &Progress) -> Result<Option<Vec<u32>>> {
        let cleaned = cleaning::run(backend, &self.cloud, step, progress)?;
        if cleaned.kept.is_some() && self.facets.take().is_some() {
            self.notes.push("The scan's facets were discarded, as points were removed.".to_owned());
        }
        self.notes.push(cleaned.note);
        self.cloud = cleaned.cloud;
        self.cleaning.push(step.clone());
        Ok(cleaned.kept)
    }
}

/// View of a scan in the forms that the comparison methods need.
#[derive(Clone, Copy)]
pub struct Scan<'a> {
    /// The points with their attributes from the file.
    pub cloud: &'a Cloud,
    /// The points in the order of a space-filling curve.
    pub ordered: &'a OrderedPoints,
    /// Whether the normals are consistently oriented.
    pub oriented: bool,
    /// Facets of the scan, for facet-facet matching; `None` if it has none.
    pub facets: Option<&'a Surface>,
}
