//! The command that writes the report.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::edit::Execution;
use super::{Context, Edit, template};
use base::date::Stamp;
use base::{Decimals, Progress, Result, UserError, full_path};
use compute::Backend;
use io::atomic;
use io::staged_folder::StagedFolder;
use render::colour_scale::ColourScale;
use report::content::Content;
use report::logo::Logo;
use report::pdf::Paper;
use report::pictures::Pictures;
use report::template::PageData;
use report::{Input, content, html, pdf, pictures, qif, results, summary, table, workbook};
use serde_json::Value;
use session::project::Project;
use session::rooms::nominal_and_scan_required;
use session::{Document, DocumentState, verdict};
use texts::Language;

/// Report commands.
#[derive(Clone, Debug)]
pub enum Report {
    /// Writes the report and the files that go with it to a folder.
    Write {
        /// The folder.
        folder: PathBuf,
    },
    /// Lays out the pages as they would be printed.
    Preview(Preview),
    /// Writes the template to start from to this file.
    SaveTemplate(PathBuf),
    /// Writes the table of features and checks (CSV).
    SaveResults(PathBuf),
}

/// Where the pages of a preview are put once they are laid out.
#[derive(Clone, Default)]
pub struct Preview(Arc<Mutex<Option<(Paper, DocumentState)>>>);

impl Preview {
    /// The pages, and the state of the document that they show, if they have been laid out since the last call.
    pub fn take(&self) -> Option<(Paper, DocumentState)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl std::fmt::Debug for Preview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Preview")
    }
}

impl Report {
    pub(super) fn execution(self, before: Document, context: Context, timings_ms: Vec<(String, f64)>) -> Execution {
        // The job's thread has no language of its own.
        let language = before.settings.report.language.unwrap_or_else(texts::language);
        let outputs = Outputs { timings_ms, language, flags: !context.hides_flags, ..Outputs::default() };
        match self {
            Self::Write { folder } => Execution::work("Writing the report", move |progress, _| {
                write_report(&before, &folder, &outputs, context.backend.as_ref(), progress)
            }),
            Self::SaveResults(path) => Execution::work("Saving the results", move |_, _| {
                atomic::write_bytes(&path, &results::csv(&before)?)?;
                Ok(Edit::nothing(format!("Saved the results in {}.", full_path(&path))))
            }),
            Self::Preview(preview) => Execution::work("Laying out the report", move |progress, _| {
                let pages = shown(language, before.settings.report.decimals, || {
                    let input = report_input(&before, &outputs.timings_ms)?;
                    let pictures = draw_pictures(&input, outputs.flags, context.backend.as_ref(), progress)?;
                    let (content, no_logo) = content_of(&input, &pictures, Stamp::now());
                    Ok((pdf::pages(&content, &pictures), no_logo))
                });
                let (pages, no_logo) = pages?;
                *preview.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((pages, before.current_state()));
                Ok(Edit::nothing("Laid out the report.").with_notes(no_logo))
            }),
            Self::SaveTemplate(path) => Execution::work("Saving the template", move |_, _| template::save(&path)),
        }
    }
}

/// Options of the report's files.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Run times for the summary: name, ms.
    pub timings_ms: Vec<(String, f64)>,
    /// Whether to render pictures.
    pub pictures: bool,
    /// Whether standard views and those of regions have flags if the plan leaves that open.
    pub flags: bool,
    /// Name of a project file to write with the report, if any.
    pub project: Option<&'static str>,
    /// The language of what is read; tables for programs are the same in all.
    pub language: Language,
}

impl Default for Outputs {
    fn default() -> Self {
        Self { timings_ms: Vec::new(), pictures: true, flags: true, project: None, language: Language::default() }
    }
}

/// The parts of `document` that a report needs. Returns an error if one is missing.
pub fn report_input<'a>(document: &'a Document, timings_ms: &'a [(String, f64)]) -> Result<Input<'a>> {
    match (document.nominal(), document.actual(), document.current_check()) {
        (Some(nominal), Some(actual), Some(check)) => {
            let overall = verdict::overall(document)
                .ok_or_else(|| UserError::internal("There is a comparison without a verdict."))?;
            Ok(Input { document, nominal, actual, check, overall, timings_ms })
        }
        (Some(_), Some(_), None) => Err(UserError::usage("Compare first: a report needs an up-to-date comparison.")),
        _ => Err(nominal_and_scan_required()),
    }
}

/// The file that marks a report as complete; it is put in place last.
pub(super) const SUMMARY: &str = "summary.json";

/// Writes `summary.json`, `deviations.csv`, `surface-points.csv` where there are any, `colormap.ply`, `views/*.png`,
/// `results.csv`, `results.xlsx`, `results.qif`, `report.html` and `report.pdf`.
pub fn write_report(
    document: &Document,
    folder: &Path,
    outputs: &Outputs,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Edit> {
    let input = report_input(document, &outputs.timings_ms)?;
    let staged = StagedFolder::new(folder)?;
    let (target, folder) = (folder, staged.path());
    let views = folder.join(VIEWS);
    std::fs::create_dir(&views).map_err(|e| UserError::file("make the folder", &views, &e))?;
    progress.report(0.0, "Writing the tables")?;
    table::write_csv(&folder.join("deviations.csv"), &input)?;
    if let Some(table) = report::surface_points::csv(document) {
        atomic::write_bytes(&folder.join("surface-points.csv"), table.as_bytes())?;
    }
    atomic::write_bytes(&folder.join("results.csv"), &results::csv(document)?)?;
    table::write_colormap(&folder.join("colormap.ply"), &input, &colour_scale(document))?;
    progress.report(0.3, "Drawing the pictures")?;
    let stamp = Stamp::now();
    let summary = summary::of(&input);
    let notes = shown(outputs.language, document.settings.report.decimals, || {
        write_pages(document, folder, outputs, (backend, &summary), progress, stamp)
    })?;
    atomic::write_bytes(&folder.join("results.qif"), qif::of(&input, stamp)?.as_bytes())?;
    write_summary(&folder.join(SUMMARY), &summary)?;
    if let Some(name) = outputs.project {
        Project::of(document).save(&folder.join(name))?;
    }
    staged.commit(SUMMARY)?;
    Ok(Edit::nothing(format!("Wrote the report to {}.", full_path(target))).with_notes(notes))
}

/// The files of a report; its pictures are in a folder.
const FILES: [&str; 8] = [
    "report.pdf",
    "report.html",
    "results.xlsx",
    "results.qif",
    "results.csv",
    "surface-points.csv",
    "deviations.csv",
    "colormap.ply",
];
const VIEWS: &str = "views";

/// Removes the report in a folder, if there is one; other files there stay.
pub(super) fn remove_report(folder: &Path) -> Result<()> {
    // Without its summary it is none.
    for name in [SUMMARY].iter().chain(&FILES) {
        base::folder::remove_file(&folder.join(name))?;
    }
    let views = folder.join(VIEWS);
    if views.is_dir() {
        std::fs::remove_dir_all(&views).map_err(|e| UserError::file("remove", &views, &e))?;
    }
    // A folder with other files stays.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// Makes what people read in a language, with the decimals that they chose.
fn shown<T>(language: Language, decimals: Decimals, work: impl FnOnce() -> T) -> T {
    texts::within(language, || decimals.within(work))
}

/// What people read of a report, in the language of this thread; returns what it lacks.
fn write_pages(
    document: &Document,
    folder: &Path,
    outputs: &Outputs,
    (backend, summary): (&dyn Backend, &Value),
    progress: &Progress,
    stamp: Stamp,
) -> Result<Vec<String>> {
    let input = report_input(document, &outputs.timings_ms)?;
    let pictures = if outputs.pictures {
        draw_pictures(&input, outputs.flags, backend, &progress.part(0.3, 0.6))?
    } else {
        Pictures { missing: Some("Pictures were omitted on request.".into()), ..Default::default() }
    };
    for view in &pictures.views {
        atomic::write_bytes(&folder.join(&view.file), &view.png)?;
    }
    progress.report(0.6, "Typesetting the report")?;
    let (content, no_logo) = content_of(&input, &pictures, stamp);
    atomic::write_bytes(&folder.join("report.html"), html::of(&content, &pictures).as_bytes())?;
    let workbook = workbook::of_report(&input, &content, document.record_of_shown(backend)?)?;
    atomic::write_bytes(&folder.join("results.xlsx"), &workbook)?;
    progress.report(0.7, "Typesetting the report")?;
    let data = PageData { document, content: &content, pictures: &pictures, summary };
    let (pdf, template_notes) = template::pdf_of(&data, stamp, &progress.part(0.7, 1.0))?;
    atomic::write_bytes(&folder.join("report.pdf"), &pdf)?;
    Ok(pictures.missing.into_iter().chain(no_logo).chain(template_notes).collect())
}

fn colour_scale(document: &Document) -> ColourScale {
    report::colour_scale(document.settings.deviation.tolerance, document)
}

fn draw_pictures(input: &Input<'_>, has_flags: bool, backend: &dyn Backend, progress: &Progress) -> Result<Pictures> {
    pictures::draw(input, &colour_scale(input.document), has_flags, backend, progress)
}

/// Content of the report, and why it has no logo if the logo cannot be read.
fn content_of(input: &Input<'_>, pictures: &Pictures, stamp: Stamp) -> (Content, Option<String>) {
    let (logo, no_logo) = match input.document.settings.report.logo.as_deref().map(Logo::read).transpose() {
        Ok(logo) => (logo, None),
        Err(error) => (None, Some(format!("The report has no logo. {}", error.sentence))),
    };
    (content::of(input, pictures, logo, stamp), no_logo)
}

fn write_summary(path: &Path, summary: &Value) -> Result<()> {
    let mut text = serde_json::to_string_pretty(summary)
        .map_err(|e| UserError::internal(format!("The summary cannot be written: {e}.")))?;
    text.push('\n');
    atomic::write_bytes(path, text.as_bytes())
}
