//! Purposes for which the window asks for files and folders, and the desktop's dialogs for them.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use super::files::{PLAN, PROJECT};
use super::panels::picks::Pick;
use io::format::Format;
use report::template;
use session::plan::ElementId;
use session::selection::Selectable;
use texts::text;

/// Purpose of a file or folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To be opened.
    #[default]
    Open,
    /// The next scan to inspect.
    NextScan,
    /// A snapshot of the calibration artefact.
    Snapshot,
    /// The points probed by the CMM on the artefact.
    ProbedPoints,
    /// The table of snapshots to be merged and their CMM positions.
    Positions,
    /// A file or folder of a section of a panel.
    Machine(Pick),
    /// The project file to be saved.
    SaveProject,
    /// The inspection plan to be saved.
    SavePlan,
    /// The file for the selected points or facets.
    ExportSelection(Selectable),
    /// The file for the mesh around an offset volume.
    OffsetMesh(ElementId),
    /// The file for the voxels of an offset volume.
    OffsetVoxels(ElementId),
    /// The folder for the layers of an offset volume.
    OffsetSlices(ElementId),
    /// The folder for the drawings of a section.
    SectionFolder(ElementId),
    /// The file for the table of results.
    ResultsTable,
    /// The folder of the report.
    ReportFolder,
    /// The logo on the report.
    Logo,
    /// The template of the report's pages.
    Template,
    /// The file for a template to start from.
    StartingTemplate,
    /// A colour scale to be used.
    LoadColours,
    /// The file for the operator's own colour scale.
    SaveColours,
}

/// Title and kind of a file dialog.
pub struct DialogSpec {
    /// Title.
    pub title: String,
    /// Kind of path.
    pub kind: PathKind,
}

/// Kind of path that a dialog asks for.
pub enum PathKind {
    /// An existing file: name of the file type, and extensions.
    File(String, Vec<&'static str>),
    /// A file to be written: default name, and extensions; the first is added if none of them is given.
    NewFile(&'static str, Vec<&'static str>),
    /// A folder.
    Folder,
}

impl DialogSpec {
    /// Dialog for an existing file.
    pub fn file(title: impl Into<String>, kind: impl Into<String>, extensions: &[&'static str]) -> Self {
        Self { title: title.into(), kind: PathKind::File(kind.into(), extensions.to_vec()) }
    }

    /// Dialog for a folder.
    pub fn folder(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: PathKind::Folder }
    }

    fn new_file(title: String, name: &'static str, extensions: &[&'static str]) -> Self {
        Self { title, kind: PathKind::NewFile(name, extensions.to_vec()) }
    }

    /// Whether the dialog is for a file to be written.
    pub fn is_written(&self) -> bool {
        matches!(self.kind, PathKind::NewFile(..))
    }

    /// `path`, with the extension added if the file is to be written and has none of the extensions.
    pub fn with_extension(&self, path: PathBuf) -> PathBuf {
        let PathKind::NewFile(_, extensions) = &self.kind else { return path };
        let own = path.extension().map(|own| own.to_ascii_lowercase());
        if path.as_os_str().is_empty() || extensions.iter().any(|one| own.as_deref() == Some(one.as_ref())) {
            return path;
        }
        let mut name = path.into_os_string();
        name.push(format!(".{}", extensions[0]));
        name.into()
    }
}

impl Purpose {
    /// The dialog for this purpose.
    pub fn dialog(self) -> DialogSpec {
        match self {
            Self::Open => {
                let extensions = [&Format::NOMINAL_EXTENSIONS[..], &Format::SCAN_EXTENSIONS, &[PROJECT, PLAN]].concat();
                DialogSpec::file(text!("files-open-title"), text!("files-kind-all"), &extensions)
            }
            Self::NextScan => {
                DialogSpec::file(text!("files-next-scan-title"), text!("files-kind-scans"), &Format::SCAN_EXTENSIONS)
            }
            Self::Snapshot => {
                DialogSpec::file(text!("files-snapshot-title"), text!("files-kind-scans"), &Format::SCAN_EXTENSIONS)
            }
            Self::ProbedPoints => {
                DialogSpec::file(text!("files-probed-title"), text!("files-kind-tables"), &["csv", "txt", "xyz"])
            }
            Self::Positions => {
                DialogSpec::file(text!("files-positions-title"), text!("files-kind-tables"), &["csv", "txt"])
            }
            Self::Machine(pick) => pick.dialog(),
            Self::SaveProject => {
                DialogSpec::new_file(text!("files-save-project-title"), "inspection.shadowgraph", &[PROJECT])
            }
            Self::SavePlan => DialogSpec::new_file(text!("files-save-plan-title"), "inspection.sgplan", &[PLAN]),
            Self::ExportSelection(Selectable::Points) => {
                DialogSpec::new_file(text!("files-export-points-title"), "selection.ply", &["ply", "xyz", "csv"])
            }
            Self::ExportSelection(Selectable::Facets) => {
                DialogSpec::new_file(text!("files-export-facets-title"), "facets.stl", &["stl", "ply", "obj"])
            }
            Self::OffsetMesh(_) => {
                DialogSpec::new_file(text!("files-offset-mesh-title"), "offset.stl", &["stl", "ply", "3mf", "obj"])
            }
            Self::OffsetVoxels(_) => DialogSpec::new_file(text!("files-voxels-title"), "offset.hdt", &["hdt", "nvdb"]),
            Self::OffsetSlices(_) => DialogSpec::folder(text!("files-layers-title")),
            Self::SectionFolder(_) => DialogSpec::folder(text!("files-drawings-title")),
            Self::ResultsTable => DialogSpec::new_file(text!("files-results-title"), "results.csv", &["csv"]),
            Self::ReportFolder => DialogSpec::folder(text!("files-report-title")),
            Self::Logo => DialogSpec::file(text!("files-logo-title"), text!("files-kind-pictures"), &["png"]),
            Self::Template => {
                DialogSpec::file(text!("files-template-title"), text!("files-kind-templates"), &[template::EXTENSION])
            }
            Self::StartingTemplate => {
                DialogSpec::new_file(text!("files-starting-template-title"), "template.typ", &[template::EXTENSION])
            }
            Self::LoadColours => {
                DialogSpec::file(text!("files-load-colours-title"), text!("files-kind-colours"), &["json"])
            }
            Self::SaveColours => DialogSpec::new_file(text!("files-save-colours-title"), "colours.json", &["json"]),
        }
    }
}

/// Why the file chooser of the desktop is unavailable, in English; `None` if it is available.
pub fn missing_chooser() -> Option<&'static str> {
    let in_folders = |variable: &str, usual: &str, file: &str| {
        let folders = std::env::var_os(variable).filter(|value| !value.is_empty()).unwrap_or_else(|| usual.into());
        std::env::split_paths(&folders).any(|folder| folder.join(file).is_file())
    };
    let has_zenity = in_folders("PATH", "/usr/bin", "zenity");
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || runtime.is_some_and(|folder| folder.join("bus").exists());
    let portal = Path::new("dbus-1/services/org.freedesktop.portal.Desktop.service");
    let has_portal = in_folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share", &portal.to_string_lossy());
    (!(has_zenity || (has_bus && has_portal))).then_some(
        "This desktop has no file chooser (Debian packages: xdg-desktop-portal-gtk, or zenity). Type the path, or drop \
         the file on the window.",
    )
}

/// The desktop's file dialog, on a separate thread.
#[derive(Default)]
pub struct SystemDialog {
    asked: Option<(Purpose, mpsc::Receiver<Option<PathBuf>>)>,
}

impl SystemDialog {
    /// Shows the dialog, starting in `folder`; does nothing if one is shown already.
    pub fn show(&mut self, purpose: Purpose, folder: Option<&Path>, context: &egui::Context) {
        if self.asked.is_some() {
            return;
        }
        let (sender, receiver) = mpsc::channel();
        self.asked = Some((purpose, receiver));
        // Its texts are made here: another thread does not have the language of this one.
        let (context, folder, spec) = (context.clone(), folder.map(Path::to_owned), purpose.dialog());
        std::thread::spawn(move || {
            // The window may have been closed.
            let _ = sender.send(pick(spec, folder.as_deref()));
            context.request_repaint();
        });
    }

    /// Whether a dialog is shown.
    pub fn is_shown(&self) -> bool {
        self.asked.is_some()
    }

    /// Purpose and chosen path, once a path was chosen.
    pub fn take(&mut self) -> Option<(Purpose, PathBuf)> {
        let (purpose, receiver) = self.asked.as_ref()?;
        let purpose = *purpose;
        let picked = match receiver.try_recv() {
            Ok(picked) => picked,
            Err(mpsc::TryRecvError::Empty) => return None,
            Err(mpsc::TryRecvError::Disconnected) => None,
        };
        self.asked = None;
        picked.map(|path| (purpose, path))
    }
}

fn pick(spec: DialogSpec, folder: Option<&Path>) -> Option<PathBuf> {
    let mut dialog = rfd::FileDialog::new().set_title(spec.title.as_str());
    if let Some(folder) = folder {
        dialog = dialog.set_directory(folder);
    }
    // Some desktops' dialogs filter case-sensitively.
    let both_cases = |extensions: &[&str]| -> Vec<String> {
        extensions.iter().flat_map(|e| [(*e).to_owned(), e.to_uppercase()]).collect()
    };
    match spec.kind {
        PathKind::Folder => dialog.pick_folder(),
        PathKind::File(kind, extensions) => dialog.add_filter(kind, &both_cases(&extensions)).pick_file(),
        PathKind::NewFile(name, extensions) => {
            dialog.set_file_name(name).add_filter(spec.title, &both_cases(&extensions)).save_file()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_extensions_are_added_to_files_to_be_written() {
        let spec = Purpose::SaveProject.dialog();
        for (typed, wanted) in [
            ("/tmp/part", "/tmp/part.shadowgraph"),
            ("/tmp/part.v2", "/tmp/part.v2.shadowgraph"),
            ("/tmp/part.SHADOWGRAPH", "/tmp/part.SHADOWGRAPH"),
            ("", ""),
        ] {
            assert_eq!(spec.with_extension(typed.into()), Path::new(wanted));
        }
        assert_eq!(Purpose::NextScan.dialog().with_extension("/tmp/scan".into()), Path::new("/tmp/scan"));
    }
}
