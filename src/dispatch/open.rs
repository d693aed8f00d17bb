//! Commands that load and save.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::saves::Kept;
use super::{Context, Edit};
use base::{LengthUnit, Progress, Result, UserError, hash};
use geometry::health::{CloudFindings, MeshFindings};
use geometry::repair::{Repaired, repair};
use geometry::{Cloud, Mesh, Surface, facet_sampling, snapshot, winding};
use inspect::alignment::automatic::PreparedScan;
use inspect::cleaning;
use io::xyz::Columns;
use io::{LoadOptions, load_nominal, load_scan};
use session::document::NominalStep;
use session::project::Project;
use session::selection::{Marked, Selectable};
use session::{Actual, Document, Nominal, Settings, SourceFile};

pub(super) fn nominal(
    path: &Path,
    unit: Option<LengthUnit>,
    settings: &Settings,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let nominal = Arc::new(read_nominal(path, unit, settings, context, progress)?);
    let notes = notes_of(&nominal.source, &nominal.notes, nominal.findings.sentences());
    Ok(Edit::new("Open the nominal", move |document| {
        document.nominal = Some(nominal);
        document.facets = Marked::default();
        document.selections.retain(|named| named.of != Selectable::Facets);
        document.alignment = None;
        document.check = None;
        document.searches = None;
        document.pairs.clear();
    })
    .with_notes(notes))
}

fn read_nominal(
    path: &Path,
    unit: Option<LengthUnit>,
    settings: &Settings,
    context: &Context,
    progress: &Progress,
) -> Result<Nominal> {
    let mut cad = context.cad.clone();
    (cad.chord_mm, cad.angle_deg) = (settings.chord_mm, settings.angle_deg);
    let options = LoadOptions { unit, columns: None, cad };
    let loaded = load_nominal(path, &options, &progress.part(0.0, 0.7)).map_err(|e| e.in_file(path))?;
    progress.report(0.7, "Fingerprinting the file")?;
    let source = source_file(path, unit, None)?;
    progress.report(0.8, "Preparing the nominal for search")?;
    let Repaired { surface, closed_cracks, orientation } = repair(loaded.mesh);
    let findings = MeshFindings { closed_cracks, ..loaded.findings }.with_orientation(&orientation);
    let findings = findings.with_topology(surface.topology(), surface.mesh().volume_mm3());
    Ok(Nominal { source, surface, findings, notes: loaded.notes, steps: Vec::new() })
}

/// The nominal after one more step, and a sentence on it.
fn stepped(nominal: &Nominal, step: NominalStep) -> (Nominal, String) {
    let before = nominal.surface.mesh();
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
    let findings = nominal.findings.with_topology(surface.topology(), surface.mesh().volume_mm3());
    let mut stepped = Nominal {
        source: nominal.source.clone(),
        findings: findings.with_undecided(&winding::examine(&surface).1),
        surface,
        notes: nominal.notes.clone(),
        steps: nominal.steps.clone(),
    };
    stepped.steps.push(step);
    stepped.notes.push(note.clone());
    (stepped, note)
}

pub(super) fn scans(
    paths: &[PathBuf],
    unit: Option<LengthUnit>,
    columns: Option<Columns>,
    steps: &[cleaning::Step],
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let actual = read_scans(paths, unit, columns, context, &progress.part(0.0, 0.8))?;
    let actual = Arc::new(cleaned(actual, steps, context, &progress.part(0.8, 1.0))?);
    let notes = match actual.sources.as_slice() {
        [source] => notes_of(source, &actual.notes, actual.findings.sentences()),
        // Those of several snapshots carry their names already.
        _ => actual.notes.iter().cloned().chain(actual.findings.sentences()).collect(),
    };
    Ok(Edit::new("Open the scan", move |document| {
        document.actual = Some(actual);
        document.points = Marked::default();
        document.selections.retain(|named| named.of != Selectable::Points);
        document.features.clear();
        document.tolerancing.slots.clear();
        document.alignment = None;
        document.check = None;
        document.searches = None;
        document.pairs.clear();
    })
    .with_notes(notes))
}

fn read_scans(
    paths: &[PathBuf],
    unit: Option<LengthUnit>,
    columns: Option<Columns>,
    context: &Context,
    progress: &Progress,
) -> Result<Actual> {
    let mut cloud = Cloud::default();
    let mut mesh: Option<Mesh> = Some(Mesh::default());
    let mut findings = CloudFindings::default();
    let (mut sources, mut notes) = (Vec::new(), Vec::new());
    for (i, path) in paths.iter().enumerate() {
        let share = |at: usize| 0.8 * at as f32 / paths.len() as f32;
        let options = LoadOptions { unit, columns, cad: context.cad.clone() };
        let mut loaded =
            load_scan(path, &options, &progress.part(share(i), share(i + 1))).map_err(|e| e.in_file(path))?;
        let source = source_file(path, Some(loaded.unit), columns)?;
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
        notes.extend(if paths.len() > 1 { notes_of(&source, &loaded.notes, Vec::new()) } else { loaded.notes });
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
    Ok(Actual { sources, cloud, prepared, facets, findings, notes, cleaning: Vec::new() })
}

/// The scan after some steps of cleaning.
fn cleaned(mut actual: Actual, steps: &[cleaning::Step], context: &Context, progress: &Progress) -> Result<Actual> {
    for step in steps {
        clean_once(&mut actual, step, context, progress)?;
    }
    if !steps.is_empty() {
        actual.prepared = PreparedScan::new(&actual.cloud);
    }
    Ok(actual)
}

/// One step; the numbers of the points that stayed, where some went.
fn clean_once(
    actual: &mut Actual,
    step: &cleaning::Step,
    context: &Context,
    progress: &Progress,
) -> Result<Option<Vec<u32>>> {
    let cleaned = cleaning::run(context.backend.as_ref(), &actual.cloud, step, progress)?;
    if cleaned.kept.is_some() && actual.facets.take().is_some() {
        actual.notes.push("The scan's facets went with the points that were removed.".to_owned());
    }
    actual.notes.push(cleaned.note);
    actual.cloud = cleaned.cloud;
    actual.cleaning.push(step.clone());
    Ok(cleaned.kept)
}

pub(super) fn clean(
    step: &cleaning::Step,
    document: &Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let Some(actual) = &document.actual else {
        return Err(UserError::usage("Load a scan first."));
    };
    let before = Actual { prepared: PreparedScan::default(), ..Actual::clone(actual) };
    let mut after = before;
    let kept = clean_once(&mut after, step, context, progress)?;
    after.prepared = PreparedScan::new(&after.cloud);
    let news = after.notes[actual.notes.len()..].to_vec();
    let actual = Arc::new(after);
    Ok(Edit::new(step.name(), move |document| {
        document.actual = Some(actual);
        document.check = None;
        document.searches = None;
        if let Some(kept) = kept {
            super::selecting::renumber(Selectable::Points, document, &kept);
        }
    })
    .with_notes(news))
}

fn source_file(path: &Path, unit: Option<LengthUnit>, columns: Option<Columns>) -> Result<SourceFile> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Ok(SourceFile { hash: hash::file_hash(&path)?, path, unit, columns })
}

fn notes_of(source: &SourceFile, notes: &[String], findings: Vec<String>) -> Vec<String> {
    notes.iter().cloned().chain(findings).map(|note| format!("{}: {note}", source.name())).collect()
}

pub(super) fn unify_winding(document: &Document) -> Result<Edit> {
    let Some(nominal) = &document.nominal else {
        return Err(UserError::usage("Load a nominal first."));
    };
    let (nominal, note) = stepped(nominal, NominalStep::UnifyWinding);
    let nominal = Arc::new(nominal);
    Ok(Edit::new("Unify the winding", move |document| {
        document.nominal = Some(nominal);
        document.check = None;
    })
    .with_notes([note]))
}

/// Takes the selected facets out of the nominal.
pub(super) fn remove_facets(document: &Document) -> Result<Edit> {
    let (Some(nominal), removed) = (&document.nominal, document.facets.selected.clone()) else {
        return Err(UserError::usage("Load a nominal first."));
    };
    let kept = removed.inverted(nominal.surface.mesh().facets.len());
    if removed.is_empty() {
        return Err(UserError::usage("Brush some facets first."));
    }
    if kept.is_empty() {
        return Err(UserError::usage("These are all facets of the nominal: nothing would be left to compare with."));
    }
    let (nominal, note) = stepped(nominal, NominalStep::RemoveFacets(removed));
    let nominal = Arc::new(nominal);
    Ok(Edit::new("Remove facets", move |document| {
        document.nominal = Some(nominal);
        document.check = None;
        document.searches = None;
        super::selecting::renumber(Selectable::Facets, document, &kept);
    })
    .with_notes([note]))
}

pub(super) fn save(document: &Document, path: PathBuf) -> Result<Edit> {
    Project::of(document).save(&path)?;
    let note = format!("Saved {}.", path.display());
    Ok(Edit { kept: Some(Kept::In(path)), ..Edit::nothing(note) })
}

/// Opens a project as far as it can be opened; the notes say what is missing or has changed. An autosave belongs into the
/// file that the inspection was last saved in, not into its own.
pub(super) fn project(path: PathBuf, is_autosave: bool, context: &Context, progress: &Progress) -> Result<Edit> {
    let (project, mut notes) = Project::load(&path)?;
    let mut document = Document { settings: project.settings.clone(), pairs: project.pairs, ..Document::default() };
    let mut complete = true;
    if let Some(source) = &project.nominal {
        let read = read_nominal(&source.path, source.unit, &project.settings, context, &progress.part(0.0, 0.4));
        let read = keep(read, &mut notes, &mut complete)?;
        document.nominal = read.map(|read| Arc::new(restepped(read, &project.nominal_steps, &mut notes)));
        if document.nominal.as_ref().is_some_and(|nominal| nominal.source.hash != source.hash) {
            notes.push(format!("{} has changed since the project was saved.", source.name()));
            complete = false;
        }
    }
    if let Some(first) = project.scans.first() {
        let paths: Vec<PathBuf> = project.scans.iter().map(|source| source.path.clone()).collect();
        let read = read_scans(&paths, first.unit, first.columns, context, &progress.part(0.4, 0.7))
            .and_then(|actual| cleaned(actual, &project.cleaning, context, &progress.part(0.7, 0.8)));
        document.actual = keep(read, &mut notes, &mut complete)?.map(Arc::new);
        let same = |actual: &Arc<Actual>| {
            actual.sources.iter().map(|source| &source.hash).eq(project.scans.iter().map(|source| &source.hash))
        };
        if document.actual.as_ref().is_some_and(|actual| !same(actual)) {
            notes.push("A scan has changed since the project was saved.".to_owned());
            complete = false;
        }
    }
    document.probing = Arc::new(project.probing);
    document.upkeep = project.upkeep;
    document.points.hidden = project.hidden;
    document.facets.hidden = project.hidden_facets;
    document.selections = project.selections;
    super::selecting::drop_strangers(&mut document);
    if let Some(actual) = &document.actual {
        for recipe in project.features {
            let backend = context.backend.as_ref();
            let made = super::features::made(recipe, actual, backend, &progress.part(0.8, 0.82));
            document.features.extend(keep(made, &mut notes, &mut complete)?);
        }
    }
    document.alignment = project.alignment.map(Arc::new);
    if project.checked && document.nominal.is_some() && document.actual.is_some() {
        let compared = super::plan::compare(&document, context, &progress.part(0.8, 1.0));
        if let Some(edit) = keep(compared, &mut notes, &mut complete)? {
            (edit.apply)(&mut document);
        }
    }
    let found = notes.len();
    document.calibration = super::calibrate::restored(project.calibration, &mut notes, &progress.part(0.9, 1.0))?;
    super::tolerances::restored(project.tolerancing, &mut document, &mut notes, &progress.part(0.9, 1.0))?;
    complete &= notes.len() == found;
    if !complete {
        notes.push("The project was opened as far as its files allow.".to_owned());
    }
    let kept = if is_autosave {
        notes.push("Brought back what was not saved.".to_owned());
        Kept::Nowhere(project.belongs_in)
    } else {
        notes.push(format!("Opened {}.", path.display()));
        Kept::In(path)
    };
    Ok(Edit::inspection("Open a project", document, kept).with_notes(notes))
}

/// The nominal after the steps that a project tells of; as far as they suit it, where its file has changed.
fn restepped(mut nominal: Nominal, steps: &[NominalStep], notes: &mut Vec<String>) -> Nominal {
    for step in steps {
        let count = nominal.surface.mesh().facets.len();
        if let NominalStep::RemoveFacets(removed) = step
            && (!removed.is_within(count) || removed.len() == count)
        {
            notes.push(format!("{} has not the facets that were removed; all are there again.", nominal.source.name()));
            return nominal;
        }
        nominal = stepped(&nominal, step.clone()).0;
    }
    nominal
}

/// The value, or its failure as a note; a cancel stays a cancel.
fn keep<T>(read: Result<T>, notes: &mut Vec<String>, complete: &mut bool) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind == base::ErrorKind::Cancelled => Err(error),
        Err(error) => {
            notes.push(error.sentence);
            *complete = false;
            Ok(None)
        }
    }
}
