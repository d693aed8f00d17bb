//! The PDF of the report by the template of the user, and the template to start from.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Edit;
use base::date::Stamp;
use base::{ErrorKind, Progress, Result, full_path};
use io::staged_folder::StagedFolder;
use report::pdf;
use report::template::{self, PageData, Template, TemplatePages, Typst};

/// The report as PDF, by the template if there is one, and notes. What keeps the template from being followed is noted,
/// and the PDF has the built-in layout.
pub(super) fn pdf_of(data: &PageData<'_>, stamp: Stamp, progress: &Progress) -> Result<(Vec<u8>, Vec<String>)> {
    let built_in = || pdf::of(data.content, data.pictures, stamp);
    let Some(path) = &data.document.plan.presentation.template else { return Ok((built_in()?, Vec::new())) };
    match by_template(path, data, progress) {
        Ok(pages) => Ok((pages.pdf, pages.warnings)),
        Err(error) if error.kind == ErrorKind::Cancelled => Err(error),
        Err(error) => Ok((built_in()?, vec![format!("The PDF has the built-in layout. {}", error.sentence)])),
    }
}

fn by_template(path: &Path, data: &PageData<'_>, progress: &Progress) -> Result<TemplatePages> {
    // Several parts of a series are reported at a time.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    progress.report(0.0, "Typesetting the report by its template")?;
    let template = Template::read(path)?;
    let name = format!("shadowgraph-template-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    // Never put in place, so that it is removed in the end, also after a crash by the next run.
    let folder = StagedFolder::new(&std::env::temp_dir().join(name))?;
    template.pages(data, &Typst::of_environment(), folder.path(), progress)
}

/// Writes the template to start from.
pub(super) fn save(path: &Path) -> Result<Edit> {
    template::save_starting(path)?;
    Ok(Edit::nothing(format!("Saved a template for the report in {}.", full_path(path))))
}
