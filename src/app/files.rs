//! File handling of the window: file kinds, dropped files, recent files, autosave.

use std::path::{Path, PathBuf};

use super::App;
use dispatch::Message;
use io::format::Format;
use session::project::Project;
use texts::text;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Shadowgraph project or inspection plan.
    Project,
    /// CAD file: a nominal.
    Nominal,
    /// Point cloud: a scan.
    Scan,
    /// Mesh: nominal or scan.
    Either,
    /// Unknown.
    Unknown,
}

/// Extension of project files, without dot.
pub const PROJECT: &str = "shadowgraph";
/// Extension of inspection plans, without dot.
pub const PLAN: &str = "sgplan";

/// Kind of the file at `path`, from its extension; for PLY also from its header.
pub fn kind_of(path: &Path) -> Kind {
    if has_extension(path, PROJECT) || is_plan(path) {
        return Kind::Project;
    }
    match Format::from_extension(path) {
        Ok(Format::Step | Format::Iges) => Kind::Nominal,
        Ok(Format::Pcd | Format::Xyz | Format::E57 | Format::Ptx | Format::Las) => Kind::Scan,
        Ok(Format::Ply) if !has_faces(path) => Kind::Scan,
        Ok(_) => Kind::Either,
        Err(_) => Kind::Unknown,
    }
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Whether the file has the extension of inspection plans.
pub fn is_plan(path: &Path) -> bool {
    has_extension(path, PLAN)
}

/// Whether the header of a PLY file declares faces.
fn has_faces(path: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    // Read errors are reported by the reader.
    let _ = base::regular_file::open(path).map(|(file, _)| file.take(8192).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head).into_owned();
    let header = head.split("end_header").next().unwrap_or_default();
    header.lines().any(|line| line.starts_with("element face ") && line.trim_end() != "element face 0")
}

/// Maximum number of recent files.
const MAX_RECENT: usize = 12;

fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|path| path.exists()).cloned().collect()
}

/// Recent files and autosave.
pub struct Files {
    folder: Option<PathBuf>,
    /// Recent files, latest first.
    pub recent: Vec<PathBuf>,
    /// Those of them that existed when the list last changed: frames ask no disk, which may be far away.
    pub offered: Vec<PathBuf>,
    /// Thread that is writing the autosave.
    saving: Option<std::thread::JoinHandle<()>>,
    /// Restored autosave of an earlier session; obsolete once this session has saved its own.
    superseded: Option<PathBuf>,
}

impl Files {
    /// Reads the recent files from `folder`.
    pub fn new(folder: Option<PathBuf>) -> Self {
        let text = folder.as_ref().and_then(|folder| std::fs::read_to_string(folder.join("recent.txt")).ok());
        let recent: Vec<PathBuf> = text.unwrap_or_default().lines().map(PathBuf::from).take(MAX_RECENT).collect();
        Self { folder, offered: existing(&recent), recent, saving: None, superseded: None }
    }

    /// Puts `path` first among the recent files.
    pub fn remember(&mut self, path: &Path) {
        let path = base::absolute(path);
        self.recent.retain(|other| *other != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
        self.offered = existing(&self.recent);
        if let Some(folder) = &self.folder {
            let text: String = self.recent.iter().map(|path| format!("{}\n", path.display())).collect();
            // Recent files are a convenience: a read-only home folder is no error.
            if let Err(error) = io::atomic::write_bytes(&folder.join("recent.txt"), text.as_bytes()) {
                log::warn!("{error}");
            }
        }
    }

    /// Folder of the recent files, window state and autosave.
    pub fn state_folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Initial path of the open dialog: the folder of the last file, with a trailing separator.
    pub fn start(&self) -> PathBuf {
        self.folder().map(|folder| folder.join("")).unwrap_or_default()
    }

    /// Folder of the last file, if it exists.
    pub fn folder(&self) -> Option<&Path> {
        self.recent.first()?.parent().filter(|folder| folder.is_dir())
    }

    /// Files dropped on the window in this frame.
    pub fn take_dropped(&self, context: &egui::Context) -> Vec<PathBuf> {
        context.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect())
    }

    fn autosave_path(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("autosave-{}.shadowgraph", std::process::id())))
    }

    /// Whether an autosave is being written.
    pub fn is_autosaving(&self) -> bool {
        self.saving.as_ref().is_some_and(|saving| !saving.is_finished())
    }

    /// Writes the autosave on a separate thread, as a project with large selections takes a while. Errors are logged,
    /// not shown at every change.
    pub fn autosave(&mut self, project: Project) {
        self.finish_autosave();
        if let Some(path) = self.autosave_path() {
            let superseded = self.superseded.take();
            let save = move || match project.save(&path) {
                // It may have been deleted already.
                Ok(()) => superseded.into_iter().for_each(|path| drop(std::fs::remove_file(path))),
                Err(error) => log::warn!("{error}"),
            };
            match std::thread::Builder::new().name("autosave".into()).spawn(save) {
                Ok(saving) => self.saving = Some(saving),
                Err(error) => log::warn!("No autosave: {error}."),
            }
        }
    }

    /// Waits until the autosave is written.
    pub fn finish_autosave(&mut self) {
        if let Some(saving) = self.saving.take()
            && saving.join().is_err()
        {
            log::warn!("The autosave failed.");
        }
    }

    /// Marks the autosave at `path` as restored.
    pub fn supersede(&mut self, path: PathBuf) {
        self.superseded = Some(path);
    }

    /// Deletes the autosave, after the work was saved or discarded.
    pub fn forget_autosave(&mut self) {
        self.finish_autosave();
        for path in self.autosave_path().into_iter().chain(self.superseded.take()) {
            // There may be no such file.
            let _ = std::fs::remove_file(path);
        }
    }

    /// The autosave of a session whose process no longer runs.
    pub fn left_over_autosave(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(self.folder.as_ref()?).ok()?;
        entries.flatten().map(|entry| entry.path()).find(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let process =
                name.strip_prefix("autosave-").and_then(|rest| rest.strip_suffix(".shadowgraph")).unwrap_or_default();
            !process.is_empty() && !Path::new("/proc").join(process).exists()
        })
    }
}

/// Completes the autosave if the window ends without closing properly.
impl Drop for Files {
    fn drop(&mut self) {
        self.finish_autosave();
    }
}

impl App {
    /// Writes the report into its folder, or shows an error if none is given.
    pub(super) fn write_report(&mut self) {
        match self.panels.report.command() {
            Some(command) => self.send(command),
            None => self.show_error(text!("files-no-report-folder")),
        }
    }

    /// Opens a file or folder with the desktop's default application.
    pub(super) fn open_outside(&mut self, path: &Path) {
        let path = base::absolute(path);
        let quiet = || std::process::Stdio::null();
        let opener = std::process::Command::new("xdg-open").arg(&path).stdout(quiet()).stderr(quiet()).spawn();
        if let Err(error) = opener {
            let (path, error) = (path.display().to_string(), error.to_string());
            self.show_error(text!("files-not-opened-outside", path = path, error = error));
        }
    }

    pub(super) fn show_error(&mut self, text: String) {
        self.notice = Some(Message { text, is_error: true, scan_unit: None });
    }
}
