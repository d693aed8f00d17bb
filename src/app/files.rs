//! Files of the window: what files may be opened as, dropped files, recent files, the autosave.

use std::path::{Path, PathBuf};

use io::format::Format;
use session::project::Project;

/// What a file may be opened as, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Shadowgraph project, or an inspection plan.
    Project,
    /// CAD: a nominal.
    Nominal,
    /// Points only: a scan.
    Scan,
    /// A mesh: either.
    Either,
    /// Not known.
    Unknown,
}

/// Extension of project files.
pub const PROJECT: &str = "shadowgraph";
/// The extension of inspection plans.
pub const PLAN: &str = "sgplan";

/// What the file at `path` may be opened as.
pub fn kind_of(path: &Path) -> Kind {
    if has_extension(path, PROJECT) || is_plan(path) {
        return Kind::Project;
    }
    match Format::of_name(path) {
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

/// Whether the file is an inspection plan by its name.
pub fn is_plan(path: &Path) -> bool {
    has_extension(path, PLAN)
}

/// Whether the header of a PLY file promises faces.
fn has_faces(path: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    // What cannot be read here is said by the reader.
    let _ = std::fs::File::open(path).map(|file| file.take(8192).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head).into_owned();
    let header = head.split("end_header").next().unwrap_or_default();
    header.lines().any(|line| line.starts_with("element face ") && line.trim_end() != "element face 0")
}

/// Recent files kept.
const MOST_RECENT: usize = 12;

/// See the module.
pub struct Files {
    folder: Option<PathBuf>,
    /// Latest first.
    pub recent: Vec<PathBuf>,
    /// The autosave on its way.
    saving: Option<std::thread::JoinHandle<()>>,
    /// The autosave of an earlier run that this one has brought back: needless once this one has saved its own.
    superseded: Option<PathBuf>,
}

impl Files {
    /// Reads what an earlier run left in `folder`.
    pub fn new(folder: Option<PathBuf>) -> Self {
        let text = folder.as_ref().and_then(|folder| std::fs::read_to_string(folder.join("recent.txt")).ok());
        let recent = text.unwrap_or_default().lines().map(PathBuf::from).take(MOST_RECENT).collect();
        Self { folder, recent, saving: None, superseded: None }
    }

    /// Puts `path` first among the recent files.
    pub fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|other| *other != path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
        if let Some(folder) = &self.folder {
            let text: String = self.recent.iter().map(|path| format!("{}\n", path.display())).collect();
            // Recent files are a convenience: a read-only home must not get in the way of work.
            if let Err(error) = io::atomic::write_bytes(&folder.join("recent.txt"), text.as_bytes()) {
                log::warn!("{error}");
            }
        }
    }

    /// Where the program keeps what it remembers.
    pub fn state_folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What a path to open begins with: the folder of the last one.
    pub fn start(&self) -> PathBuf {
        self.folder().map(|folder| folder.join("")).unwrap_or_default()
    }

    /// Where files were chosen last.
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

    /// Whether an autosave is on its way.
    pub fn is_autosaving(&self) -> bool {
        self.saving.as_ref().is_some_and(|saving| !saving.is_finished())
    }

    /// Writes the autosave on a thread of its own, since a project with large selections takes its time; a failure is
    /// logged, not shown at every change.
    pub fn autosave(&mut self, project: Project) {
        self.finish_autosave();
        if let Some(path) = self.autosave_path() {
            let superseded = self.superseded.take();
            let save = move || match project.save(&path) {
                // Already gone is as good.
                Ok(()) => superseded.into_iter().for_each(|path| drop(std::fs::remove_file(path))),
                Err(error) => log::warn!("{error}"),
            };
            match std::thread::Builder::new().name("autosave".into()).spawn(save) {
                Ok(saving) => self.saving = Some(saving),
                Err(error) => log::warn!("No autosave: {error}."),
            }
        }
    }

    /// Waits until the autosave on its way is written.
    pub fn finish_autosave(&mut self) {
        if let Some(saving) = self.saving.take()
            && saving.join().is_err()
        {
            log::warn!("The autosave failed.");
        }
    }

    /// The autosave at `path` has been brought back.
    pub fn supersede(&mut self, path: PathBuf) {
        self.superseded = Some(path);
    }

    /// Removes the autosave, once all is saved or was refused.
    pub fn forget_autosave(&mut self) {
        self.finish_autosave();
        for path in self.autosave_path().into_iter().chain(self.superseded.take()) {
            // There may be none.
            let _ = std::fs::remove_file(path);
        }
    }

    /// The autosave of a run that is no longer alive.
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

/// A window that goes without a good end leaves its autosave whole.
impl Drop for Files {
    fn drop(&mut self) {
        self.finish_autosave();
    }
}
