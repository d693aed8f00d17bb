//! What the window asks files and folders for, and the system's dialogs for them.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use super::files::{PLAN, PROJECT};
use super::panels::picks::Pick;
use io::format::Format;
use session::selection::Selectable;

/// What a file or folder is chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To open it.
    #[default]
    Open,
    /// The next scan to inspect.
    NextScan,
    /// A snapshot of the calibration's artefact.
    Snapshot,
    /// The CMM's touches on it.
    Touches,
    /// The table of snapshots to merge.
    Positions,
    /// Something about the machine.
    Machine(Pick),
    /// Where to save the project.
    SaveProject,
    /// Where to save the plan for other parts.
    SavePlan,
    /// Where the selected points or facets go.
    ExportSelection(Selectable),
    /// Where reports go.
    ReportFolder,
}

/// How a dialog asks.
pub struct Asks {
    /// Its title.
    pub title: &'static str,
    /// What it asks for.
    pub of: Wanted,
}

/// What a dialog asks for.
pub enum Wanted {
    /// A file that is there: what such files are called, and their extensions.
    File(&'static str, Vec<&'static str>),
    /// A file to be written, by its usual name; the first extension is added where there is none.
    NewFile(&'static str, Vec<&'static str>),
    /// A folder.
    Folder,
}

impl Asks {
    /// For a file that is there.
    pub fn file(title: &'static str, kind: &'static str, extensions: &[&'static str]) -> Self {
        Self { title, of: Wanted::File(kind, extensions.to_vec()) }
    }

    /// For a folder.
    pub fn folder(title: &'static str) -> Self {
        Self { title, of: Wanted::Folder }
    }

    fn new_file(title: &'static str, name: &'static str, extensions: &[&'static str]) -> Self {
        Self { title, of: Wanted::NewFile(name, extensions.to_vec()) }
    }

    /// Whether the file is written.
    pub fn writes(&self) -> bool {
        matches!(self.of, Wanted::NewFile(..))
    }

    /// `path` with the extension that a file to be written needs.
    pub fn completed(&self, path: PathBuf) -> PathBuf {
        let Wanted::NewFile(_, extensions) = &self.of else { return path };
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
    /// How a dialog asks for it.
    pub fn asks(self) -> Asks {
        match self {
            Self::Open => {
                let extensions = [&Format::NOMINAL_EXTENSIONS[..], &Format::SCAN_EXTENSIONS, &[PROJECT, PLAN]].concat();
                Asks::file("Open a file", "Nominals, scans, projects, plans", &extensions)
            }
            Self::NextScan => Asks::file("Inspect the next scan", "Scans", &Format::SCAN_EXTENSIONS),
            Self::Snapshot => Asks::file("Open a snapshot", "Scans", &Format::SCAN_EXTENSIONS),
            Self::Touches => Asks::file("Open the touches", "Tables", &["csv", "txt", "xyz"]),
            Self::Positions => Asks::file("Snapshots and positions", "Tables", &["csv", "txt"]),
            Self::Machine(pick) => pick.asks(),
            Self::SaveProject => Asks::new_file("Save the project", "inspection.shadowgraph", &[PROJECT]),
            Self::SavePlan => Asks::new_file("Save the inspection plan", "inspection.sgplan", &[PLAN]),
            Self::ExportSelection(Selectable::Points) => {
                Asks::new_file("Export the selected points", "selection.ply", &["ply", "xyz", "csv"])
            }
            Self::ExportSelection(Selectable::Facets) => {
                Asks::new_file("Export the selected facets", "facets.stl", &["stl", "ply", "obj"])
            }
            Self::ReportFolder => Asks::folder("Folder for the report"),
        }
    }
}

/// Why the system has no file chooser; `None` where it has one.
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

/// The system's dialog, on a thread of its own.
#[derive(Default)]
pub struct SystemDialog {
    asked: Option<(Purpose, mpsc::Receiver<Option<PathBuf>>)>,
}

impl SystemDialog {
    /// Shows it, in `folder`; nothing where one is shown already.
    pub fn show(&mut self, purpose: Purpose, folder: Option<&Path>, context: &egui::Context) {
        if self.asked.is_some() {
            return;
        }
        let (sender, receiver) = mpsc::channel();
        self.asked = Some((purpose, receiver));
        let (context, folder) = (context.clone(), folder.map(Path::to_owned));
        std::thread::spawn(move || {
            // The window may be gone by now.
            let _ = sender.send(pick(purpose, folder.as_deref()));
            context.request_repaint();
        });
    }

    /// Whether it is shown.
    pub fn is_shown(&self) -> bool {
        self.asked.is_some()
    }

    /// What was chosen.
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

fn pick(purpose: Purpose, folder: Option<&Path>) -> Option<PathBuf> {
    let asks = purpose.asks();
    let mut dialog = rfd::FileDialog::new().set_title(asks.title);
    if let Some(folder) = folder {
        dialog = dialog.set_directory(folder);
    }
    // The dialogs of some desktops know upper from lower case.
    let both = |extensions: &[&str]| -> Vec<String> {
        extensions.iter().flat_map(|e| [(*e).to_owned(), e.to_uppercase()]).collect()
    };
    match &asks.of {
        Wanted::Folder => dialog.pick_folder(),
        Wanted::File(kind, extensions) => dialog.add_filter(*kind, &both(extensions)).pick_file(),
        Wanted::NewFile(name, extensions) => {
            dialog.set_file_name(*name).add_filter(asks.title, &both(extensions)).save_file()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_to_be_written_gets_the_extension_it_lacks() {
        let asks = Purpose::SaveProject.asks();
        for (typed, wanted) in [
            ("/tmp/part", "/tmp/part.shadowgraph"),
            ("/tmp/part.v2", "/tmp/part.v2.shadowgraph"),
            ("/tmp/part.SHADOWGRAPH", "/tmp/part.SHADOWGRAPH"),
            ("", ""),
        ] {
            assert_eq!(asks.completed(typed.into()), Path::new(wanted));
        }
        assert_eq!(Purpose::NextScan.asks().completed("/tmp/scan".into()), Path::new("/tmp/scan"));
    }
}
