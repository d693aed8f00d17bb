//! The command that measures many parts by a plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit};
use base::{Progress, Result, UserError, counted};
use inspect::deviation::Verdict;
use inspect::recipe::Tools;
use report::series::write_tables;
use session::plan::Plan;
use session::series::{self, Part, PartRecord};

/// Measures every part of a series.
#[derive(Clone, Debug)]
pub struct Series {
    /// The plan's file.
    pub plan: PathBuf,
    /// A folder of scans, one a part, or a list of parts.
    pub parts: PathBuf,
    /// Where records and tables go.
    pub folder: PathBuf,
}

/// A series as it was measured.
pub struct Measured {
    /// In the order of the parts.
    pub records: Vec<PartRecord>,
    /// How many of them an earlier run had measured.
    pub taken_over: usize,
}

/// How a series is measured.
pub struct Orders<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The parts.
    pub parts: &'a [Part],
    /// Where records and tables go.
    pub folder: &'a Path,
    /// Whether parts that an earlier run has measured by the same plan are taken over.
    pub resumes: bool,
    /// Parts in work at a time; `None`: as many as there are cores, up to [`MOST_AT_ONCE`].
    pub at_once: Option<usize>,
}

/// More parts at a time gain nothing, and each holds its scan.
pub const MOST_AT_ONCE: usize = 8;

impl Series {
    pub(super) fn execution(self, context: Context) -> Execution {
        Execution::work("Measuring the parts", move |progress, _| run(&self, &context, progress))
    }
}

fn run(series: &Series, context: &Context, progress: &Progress) -> Result<Edit> {
    let (plan, notes) = Plan::load(&series.plan)?;
    let parts = Part::of_path(&series.parts)?;
    let orders = Orders { plan: &plan, parts: &parts, folder: &series.folder, resumes: true, at_once: None };
    let Measured { records, taken_over } = measure(&orders, context, progress)?;
    let note = in_words(&records, taken_over, &series.folder);
    let records = Arc::new(records);
    let edit = Edit::new("Measure parts", move |document| document.series = Some(records));
    Ok(edit.with_notes(notes).with_notes([note]))
}

/// Measures what is not measured yet, and writes a record for each part as soon as it has one, and the tables.
pub fn measure(orders: &Orders<'_>, context: &Context, progress: &Progress) -> Result<Measured> {
    let Orders { plan, parts, folder, .. } = orders;
    if parts.is_empty() {
        return Err(UserError::usage("Name the scans of the parts, a folder of them, or a list."));
    }
    std::fs::create_dir_all(folder).map_err(|e| UserError::file("make the folder", folder, &e))?;
    let mut records: BTreeMap<String, PartRecord> = BTreeMap::new();
    if orders.resumes {
        let fingerprint = PartRecord::fingerprint(plan)?;
        let finished = |part: &Part| PartRecord::of_finished(&fingerprint, part, &folder.join(&part.name));
        records.extend(parts.iter().filter_map(finished).map(|record| (record.part.clone(), record)));
    }
    let taken_over = records.len();
    let open: Vec<Part> = parts.iter().filter(|part| !records.contains_key(&part.name)).cloned().collect();
    if !open.is_empty() {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from).min(MOST_AT_ONCE);
        let tools = Tools { backend: context.backend.as_ref(), cad: &context.cad, watch: &|_, _| () };
        series::run(plan, &open, orders.at_once.unwrap_or_else(cores), &tools, progress, |part, record| {
            record.save(&folder.join(&part.name))?;
            records.insert(part.name.clone(), record);
            Ok(())
        })?;
    }
    let records: Vec<PartRecord> = parts.iter().filter_map(|part| records.remove(&part.name)).collect();
    write_tables(folder, &records)?;
    Ok(Measured { records, taken_over })
}

/// How many of the parts that were measured came to that verdict.
pub fn count_of(records: &[PartRecord], verdict: Verdict) -> usize {
    records.iter().filter(|own| own.error.is_none() && own.verdict == Some(verdict)).count()
}

/// “12 parts: 9 pass, 2 fail, 0 incomplete, 1 could not be measured; tables in …”
pub fn in_words(records: &[PartRecord], taken_over: usize, folder: &Path) -> String {
    let before = match taken_over {
        0 => String::new(),
        count => format!(" ({count} of them before)"),
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
