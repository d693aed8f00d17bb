//! Commands on saved views and on the contents of the report.

use super::Edit;
use super::edit::Execution;
use base::Result;
use session::Document;
use session::presentation::{Contents, SavedView};

/// Commands on saved views and on the contents of the report.
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
}

impl Present {
    pub(super) fn execution(self, mut document: Document) -> Result<Execution> {
        let presentation = &mut document.plan.presentation;
        let views = &mut presentation.views;
        let label = match self {
            Self::SaveView(view) => {
                let label = format!("Save the view {}", view.name);
                views.put(view)?;
                label
            }
            Self::RenameView(from, to) => {
                views.rename(&from, &to)?;
                format!("Rename the view {from}")
            }
            Self::SetInReport(name, in_report) => {
                views.set_in_report(&name, in_report)?;
                format!("{} the report: view {name}", if in_report { "Put into" } else { "Leave out of" })
            }
            Self::RemoveView(name) => {
                views.remove(&name)?;
                format!("Remove the view {name}")
            }
            Self::SetContents(contents) => {
                presentation.report = contents;
                "Change the contents of the report".to_owned()
            }
        };
        Ok(Execution::Now(Edit::replacing(label, document)))
    }
}
