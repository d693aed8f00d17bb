//! The PDF of the report by the template of the user, and the template to start from.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::Edit;
use base::date::Stamp;
use base::{ErrorKind, Progress, Result, UserError, full_path};
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
    progress.report(0.0, "Typesetting the report by its template")?;
    let template = Template::read(path)?;
    // Of a name that nobody can foresee, and closed to others from the start.
    let permissions = Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("shadowgraph-template-").permissions(permissions).tempdir();
    let folder = folder.map_err(|e| UserError::file("make a folder in", &std::env::temp_dir(), &e))?;
    template.pages(data, &Typst::of_environment(), folder.path(), progress)
}

/// Writes the template to start from.
pub(super) fn save(path: &Path) -> Result<Edit> {
    template::save_starting(path)?;
    Ok(Edit::nothing(format!("Saved a template for the report in {}.", full_path(path))))
}
