//! Commands on saved views, on the colours of deviations, and on contents and template of the report.

use std::path::PathBuf;

use super::Edit;
use super::edit::Execution;
use base::{Result, UserError, full_path};
use inspect::deviation::{Colours, OwnScale};
use session::Document;
use session::presentation::{Contents, SavedView};

/// Commands on saved views, on the colours of deviations, and on contents and template of the report.
#[derive(Clone, Debug)]
pub enum Present {
    /// Saves a view, in place of the one of its name if there is one.
    SaveView(SavedView),
    /// Renames a view: its name, and the new one.
    RenameView(String, String),
    /// Puts a picture of the view into the report, or leaves it out.
    SetInReport(String, bool),
    /// Removes a view.
    RemoveView(String),
    /// Chooses and orders the sections of the report.
    SetContents(Contents),
    /// Chooses the template of the report's pages; `None` for the built-in layout.
    SetTemplate(Option<PathBuf>),
    /// Shows deviations in built-in colours, or in the operator's own in place of these.
    SetColours(Colours, Option<OwnScale>),
    /// Saves the operator's own colours in a file.
    SaveColours(PathBuf),
}

impl Present {
    pub(super) fn execution(self, mut document: Document) -> Result<Execution> {
        let presentation = &mut document.plan.presentation;
        let views = &mut presentation.views;
        let label = match self {
            Self::SaveView(view) => {
                let label = format!("Save the view “{}”", view.name);
                views.put(view)?;
                label
            }
            Self::RenameView(from, to) => {
                views.rename(&from, &to)?;
                format!("Rename the view “{from}”")
            }
            Self::SetInReport(name, in_report) => {
                views.set_in_report(&name, in_report)?;
                match in_report {
                    true => format!("Put the view “{name}” into the report"),
                    false => format!("Leave the view “{name}” out of the report"),
                }
            }
            Self::RemoveView(name) => {
                views.remove(&name)?;
                format!("Remove the view “{name}”")
            }
            Self::SetContents(contents) => {
                presentation.report = contents;
                "Change the contents of the report".to_owned()
            }
            Self::SetTemplate(template) => {
                let label = if template.is_some() { "Choose" } else { "Remove" };
                // A project elsewhere leads to it, too.
                presentation.template = template.map(|path| base::absolute(&path));
                format!("{label} the template of the report")
            }
            Self::SetColours(colours, own) => {
                own.as_ref().map_or(Ok(()), OwnScale::check)?;
                presentation.colours = own;
                document.settings.colours = colours;
                "Change the colours".to_owned()
            }
            Self::SaveColours(path) => {
                let own = presentation.colours.as_ref();
                own.ok_or_else(|| UserError::usage("There are no colours of your own to save."))?.save(&path)?;
                return Ok(Execution::Now(Edit::nothing(format!("Saved {}.", full_path(&path)))));
            }
        };
        Ok(Execution::Now(Edit::replacing(label, document)))
    }
}
