//! A folder into which a sensor writes its snapshots: new files are reported as soon as they are complete.
//!
//! A file is complete when its size and modification time have not changed between two polls, 0.3 s apart. Temporary
//! files are ignored: names that begin with a dot or begin or end with a tilde, and names without the extension of a
//! scan, such as `snapshot.ply.part`. Files present at the start are not reported unless they are modified.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::time::{Duration, SystemTime};

use super::format::Format;
use base::{Result, UserError};

/// Time between two polls of the folder.
pub const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Capacity of the event queue.
const EVENT_QUEUE_CAPACITY: usize = 256;

/// A file found by a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path of the file.
    pub path: PathBuf,
    /// Size, bytes.
    pub bytes: u64,
    /// Modification time; `None` if the file system has none.
    pub modified: Option<SystemTime>,
}

/// Detects completed files in a folder from poll to poll.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    files: BTreeMap<PathBuf, FileState>,
}

/// State of a file at the last poll.
#[derive(Clone, Debug)]
struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    is_reported: bool,
}

impl Looks {
    /// Starts with the files `present` in the folder, which count as already reported.
    pub fn new(present: &[Entry]) -> Self {
        Self { files: present.iter().map(|entry| (entry.path.clone(), FileState::of(entry, true))).collect() }
    }

    /// Takes the files `present` at the next poll and returns those completed since the last one, oldest first. Empty
    /// files are never complete.
    pub fn step(&mut self, present: &[Entry]) -> Vec<PathBuf> {
        let mut completed = Vec::new();
        let mut files = BTreeMap::new();
        for entry in present {
            let before = self.files.get(&entry.path).filter(|state| state.is_unchanged(entry));
            let is_new = before.is_some_and(|state| !state.is_reported) && entry.bytes > 0;
            if is_new {
                completed.push(entry);
            }
            let is_reported = is_new || before.is_some_and(|state| state.is_reported);
            files.insert(entry.path.clone(), FileState::of(entry, is_reported));
        }
        self.files = files;
        completed.sort_by(|a, b| a.modified.cmp(&b.modified).then_with(|| a.path.cmp(&b.path)));
        completed.into_iter().map(|entry| entry.path.clone()).collect()
    }
}

impl FileState {
    fn of(entry: &Entry, is_reported: bool) -> Self {
        Self { bytes: entry.bytes, modified: entry.modified, is_reported }
    }

    fn is_unchanged(&self, entry: &Entry) -> bool {
        (self.bytes, self.modified) == (entry.bytes, entry.modified)
    }
}

/// Lists the scan files in a folder, complete or not. Returns an error if the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Entry>> {
    let files = std::fs::read_dir(folder).map_err(|e| UserError::file("read the folder", folder, &e))?;
    let entry = |file: std::fs::DirEntry| -> Option<Entry> {
        let path = file.path();
        // A file that vanishes between the two calls is ignored.
        let metadata = is_snapshot(&path).then(|| std::fs::metadata(&path).ok()).flatten()?;
        metadata.is_file().then(|| Entry { path, bytes: metadata.len(), modified: metadata.modified().ok() })
    };
    Ok(files.flatten().filter_map(entry).collect())
}

/// Whether the file name is that of a scan and not of a temporary file.
pub fn is_snapshot(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_hidden = name.starts_with(['.', '~']) || name.ends_with('~');
    !is_hidden && Format::SCAN_EXTENSIONS.contains(&extension.as_str())
}

/// An event of the watched folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The folder is being watched.
    Opened,
    /// The folder cannot be read, with the reason; polling continues.
    Lost(String),
    /// A new snapshot is complete.
    Complete(PathBuf),
}

/// A folder that is watched on a separate thread until it is dropped.
pub struct WatchedFolder {
    events: Receiver<Event>,
    stop: Arc<AtomicBool>,
}

impl WatchedFolder {
    /// Starts watching `folder`, which may not exist yet. `wake` is called on the watching thread after every event.
    pub fn open(folder: &Path, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let folder = folder.to_owned();
        let (sender, events) = sync_channel(EVENT_QUEUE_CAPACITY);
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let watch = move || {
            let mut looks: Option<Looks> = None;
            let mut last_error = None;
            // What the queue had no room for: the newest snapshot is the one that counts, so nothing is dropped.
            let mut pending = VecDeque::new();
            while !is_stopped.load(Ordering::Relaxed) {
                let events: Vec<Event> = match list(&folder) {
                    Ok(present) => {
                        let was_lost = last_error.take().is_some();
                        let is_first = looks.is_none();
                        let completed = looks.get_or_insert_with(|| Looks::new(&present)).step(&present);
                        let opened = (is_first || was_lost).then_some(Event::Opened);
                        opened.into_iter().chain(completed.into_iter().map(Event::Complete)).collect()
                    }
                    Err(error) if last_error.as_ref() == Some(&error.sentence) => Vec::new(),
                    Err(error) => {
                        last_error = Some(error.sentence.clone());
                        vec![Event::Lost(error.sentence)]
                    }
                };
                pending.extend(events);
                while let Some(event) = pending.pop_front() {
                    match sender.try_send(event) {
                        Ok(()) => wake(),
                        Err(TrySendError::Full(event)) => {
                            pending.push_front(event);
                            wake();
                            break;
                        }
                        Err(TrySendError::Disconnected(_)) => return,
                    }
                }
                std::thread::sleep(POLL_INTERVAL);
            }
        };
        let started = std::thread::Builder::new().name("watched folder".into()).spawn(watch);
        started.map_err(|error| UserError::internal(format!("No thread could be started: {error}.")))?;
        Ok(Self { events, stop })
    }

    /// Events since the last call, oldest first.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.events.try_iter().take(EVENT_QUEUE_CAPACITY)
    }
}

impl Drop for WatchedFolder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, bytes: u64, second: u64) -> Entry {
        let modified = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
        Entry { path: name.into(), bytes, modified }
    }

    #[test]
    fn a_file_is_reported_once_when_it_has_stopped_growing() {
        let old = entry("old.ply", 10, 1);
        let mut looks = Looks::new(std::slice::from_ref(&old));
        let mut look = |files: &[Entry]| -> Vec<String> {
            looks.step(files).iter().map(|path| path.display().to_string()).collect()
        };
        assert!(look(std::slice::from_ref(&old)).is_empty());
        assert!(look(&[old.clone(), entry("a.ply", 5, 2)]).is_empty());
        // It grew, then was rewritten with the same size.
        assert!(look(&[old.clone(), entry("a.ply", 9, 3)]).is_empty());
        assert!(look(&[old.clone(), entry("a.ply", 9, 4)]).is_empty());
        assert_eq!(look(&[old.clone(), entry("a.ply", 9, 4)]), ["a.ply"]);
        assert!(look(&[old.clone(), entry("a.ply", 9, 4)]).is_empty());
        // An empty file is never complete.
        let empty = [entry("b.ply", 0, 5)];
        assert!(look(&empty).is_empty() && look(&empty).is_empty());
        // Files completed together are ordered by modification time; a rewritten old file is reported.
        let both = [entry("c.ply", 1, 9), entry("d.ply", 1, 8), entry("old.ply", 11, 7)];
        assert!(look(&both).is_empty());
        assert_eq!(look(&both), ["old.ply", "d.ply", "c.ply"]);
        // Deleted and written again.
        assert!(look(&both[1..]).is_empty());
        assert!(look(&both).is_empty());
        assert_eq!(look(&both), ["c.ply"]);
    }

    #[test]
    fn temporary_files_are_ignored() {
        for name in ["a.ply", "b.XYZ", "c d.pcd", "e.csv"] {
            assert!(is_snapshot(Path::new(name)), "{name}");
        }
        for name in ["a.ply.part", "a.ply.tmp", ".a.ply", "~a.ply", "a.ply~", "notes.docx", "a", "a.ply.123.part"] {
            assert!(!is_snapshot(Path::new(name)), "{name}");
        }
    }
}
