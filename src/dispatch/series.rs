//! The command that measures a series of parts by a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::edit::Execution;
use super::output::{SUMMARY, remove_report, write_report};
use super::{Context, Edit, Outputs};
use base::{Progress, Result, UserError, counted};
use compute::Backend;
use inspect::deviation::Verdict;
use inspect::recipe::Tools;
use report::series::write_tables;
use session::plan::Plan;
use session::series::{self, MeasuredSeries, Part, PartRecord, SeriesRun};
use session::{Document, ReportInfo, Stage};

/// Measures every part of a series.
#[derive(Clone, Debug)]
pub struct Series {
    /// The plan file.
    pub plan: PathBuf,
    /// A folder of scans, one per part, or a list of parts.
    pub parts: PathBuf,
    /// Output folder for records, tables and reports.
    pub folder: PathBuf,
    /// The parts that get a report.
    pub reports: Reports,
}

/// The parts of a series that get a report, in the folder `report` of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reports {
    /// None.
    #[default]
    None,
    /// Those that do not pass.
    NotPassed,
    /// All.
    All,
}

impl Reports {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::None, Self::NotPassed, Self::All];
    /// Name of a report's folder.
    const FOLDER: &'static str = "report";

    /// The choice in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NotPassed => "parts that do not pass",
            Self::All => "all parts",
        }
    }

    fn include(self, record: &PartRecord) -> bool {
        match self {
            Self::None => false,
            Self::NotPassed => record.verdict != Some(Verdict::Pass),
            Self::All => true,
        }
    }
}

/// The result of a measured series.
pub struct SeriesResult {
    /// One record per part, in the order of the parts.
    pub records: Vec<PartRecord>,
    /// Number of records taken over from an earlier run.
    pub taken_over: usize,
    /// What reports lack, each sentence once.
    pub notes: Vec<String>,
}

/// A series to be measured.
pub struct SeriesRequest<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The parts.
    pub parts: &'a [Part],
    /// Output folder for records, tables and reports.
    pub folder: &'a Path,
    /// The parts that get a report.
    pub reports: Reports,
    /// The title block of the reports.
    pub info: &'a ReportInfo,
    /// Whether the reports have pictures.
    pub pictures: bool,
    /// Whether parts measured in an earlier run by the same plan are taken over.
    pub resumes: bool,
    /// Number of parts measured in parallel; `None` uses the number of cores, up to `MAX_PARALLEL_PARTS`.
    pub at_once: Option<usize>,
}

/// Default limit of parts measured in parallel: more bring no gain, and each holds its scan in memory.
pub const MAX_PARALLEL_PARTS: usize = 8;

impl Series {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        let mut info = before.settings.report;
        // The job's threads have no language of their own.
        info.language.get_or_insert_with(texts::language);
        Execution::work("Measuring the parts", move |progress, _| run(&self, &info, &context, progress))
    }
}

fn run(series: &Series, info: &ReportInfo, context: &Context, progress: &Progress) -> Result<Edit> {
    let (plan, notes) = Plan::load(&series.plan)?;
    let parts = Part::of_path(&series.parts)?;
    let request = SeriesRequest {
        plan: &plan,
        parts: &parts,
        folder: &series.folder,
        reports: series.reports,
        info,
        pictures: true,
        resumes: true,
        at_once: None,
    };
    measuring("Measure parts", notes, &request, context, progress)
}

/// Measures a series as [`measure`] and shows it; the summary follows `notes`.
pub(super) fn measuring(
    label: &'static str,
    notes: Vec<String>,
    request: &SeriesRequest<'_>,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let SeriesResult { records, taken_over, notes: lacking } = measure(request, context, progress)?;
    let note = summary(&records, taken_over, request.folder);
    let series = Arc::new(MeasuredSeries { plan: request.plan.clone(), records: Arc::new(records) });
    Ok(Edit::new(label, move |document| document.series = Some(series))
        .with_notes(notes)
        .with_notes(lacking)
        .with_notes([note]))
}

/// Measures the parts that are not measured yet. Writes a record for each part as soon as it is measured, then the
/// tables.
pub fn measure(request: &SeriesRequest<'_>, context: &Context, progress: &Progress) -> Result<SeriesResult> {
    let SeriesRequest { parts, folder, .. } = request;
    let plan = &request.plan.with_files_as_they_are()?;
    if parts.is_empty() {
        return Err(UserError::usage("Name the scans of the parts, a folder of them, or a list."));
    }
    base::folder::make(folder)?;
    let mut records: BTreeMap<String, PartRecord> = BTreeMap::new();
    if request.resumes {
        let (fingerprint, presentation) = (plan.content_hash()?, plan.presentation.hash());
        let finished = |part: &Part| {
            let folder = folder.join(&part.name);
            let record = PartRecord::of_finished(&fingerprint, part, &folder)?;
            let is_reported =
                || record.presentation == presentation && folder.join(Reports::FOLDER).join(SUMMARY).is_file();
            (!request.reports.include(&record) || is_reported()).then_some(record)
        };
        records.extend(parts.iter().filter_map(finished).map(|record| (record.part.clone(), record)));
    }
    let taken_over = records.len();
    let lacking = Mutex::new(BTreeSet::<String>::new());
    let open: Vec<Part> = parts.iter().filter(|part| !records.contains_key(&part.name)).cloned().collect();
    if !open.is_empty() {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from).min(MAX_PARALLEL_PARTS);
        let tools = Tools { backend: context.backend.as_ref(), cad: &context.cad, watch: &|_, _| () };
        let measured = |stage: &Stage, record: &PartRecord| -> Result<()> {
            let notes = report((plan, stage), record, request, tools.backend, progress)?;
            lacking.lock().unwrap_or_else(PoisonError::into_inner).extend(notes);
            Ok(())
        };
        // What an earlier run said of it must not stand beside a part that cannot be measured now.
        let starts = |part: &Part| -> Result<()> {
            let folder = folder.join(&part.name);
            PartRecord::remove(&folder)?;
            remove_report(&folder.join(Reports::FOLDER))
        };
        let at_once = request.at_once.unwrap_or_else(cores);
        let run = SeriesRun { plan, parts: &open, at_once, starts: &starts, measured: &measured };
        series::run(&run, &tools, progress, |part, record| {
            record.save(&folder.join(&part.name))?;
            records.insert(part.name.clone(), record);
            Ok(())
        })?;
    }
    let records: Vec<PartRecord> = parts.iter().filter_map(|part| records.remove(&part.name)).collect();
    texts::within(request.info.language.unwrap_or_default(), || write_tables(folder, &records))?;
    let notes = lacking.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    Ok(SeriesResult { records, taken_over, notes })
}

/// Writes the report of a measured part if one is wanted and the part could be compared; returns what it lacks.
fn report(
    (plan, stage): (&Plan, &Stage),
    record: &PartRecord,
    request: &SeriesRequest<'_>,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Vec<String>> {
    if !request.reports.include(record) {
        return Ok(Vec::new());
    }
    let mut document = Document::of_measured(plan, stage);
    if document.current_check().is_none() {
        return Ok(Vec::new());
    }
    document.settings.report = request.info.clone();
    let folder = request.folder.join(&record.part).join(Reports::FOLDER);
    let language = document.settings.report.language.unwrap_or_default();
    let outputs = Outputs { pictures: request.pictures, language, ..Outputs::default() };
    let edit = write_report(&document, &folder, &outputs, backend, &progress.quiet())?;
    // The first one says where it is.
    Ok(edit.notes.into_iter().skip(1).collect())
}

/// Number of measured parts with this verdict.
pub fn count_of(records: &[PartRecord], verdict: Verdict) -> usize {
    records.iter().filter(|own| own.error.is_none() && own.verdict == Some(verdict)).count()
}

/// E.g. “12 parts: 9 pass, 2 fail, 0 incomplete, 1 could not be measured; tables in ….”
pub fn summary(records: &[PartRecord], taken_over: usize, folder: &Path) -> String {
    let before = match taken_over {
        0 => String::new(),
        count => format!(" ({count} from an earlier run)"),
    };
    format!(
        "{}{before}: {} pass, {} fail, {} incomplete, {} could not be measured; tables in {}.",
        counted(records.len(), "part", "parts"),
        count_of(records, Verdict::Pass),
        count_of(records, Verdict::Fail),
        count_of(records, Verdict::Incomplete),
        records.iter().filter(|own| own.error.is_some()).count(),
        folder.display()
    )
}
