//! A folder that a sensor writes its snapshots into: new files are told as soon as they are whole.
//!
//! A file is whole when its size and its time did not change between two looks, 0.3 s apart. Names of files on their way
//! are passed over: those that begin with a dot or a tilde, and those without the ending of a scan, such as
//! `snapshot.ply.part`. What lies there at the start is old, unless it is written again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::time::{Duration, SystemTime};

use super::format::Format;
use base::{Result, UserError};

/// Between two looks.
pub const PERIOD: Duration = Duration::from_millis(300);
/// Events that wait to be taken in.
const WAITING: usize = 256;

/// A file as one look shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Its size, bytes.
    pub bytes: u64,
    /// When it was last written, where the system says so.
    pub written: Option<SystemTime>,
}

/// What is known of a folder's files, from look to look.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    files: BTreeMap<PathBuf, Seen>,
}

/// A file at the last look.
#[derive(Clone, Debug)]
struct Seen {
    bytes: u64,
    written: Option<SystemTime>,
    is_told: bool,
}

impl Looks {
    /// Files that are there before the first look are old.
    pub fn new(present: &[Entry]) -> Self {
        Self { files: present.iter().map(|entry| (entry.path.clone(), Seen::of(entry, true))).collect() }
    }

    /// The next look: files that have become whole since the last one, oldest first.
    pub fn step(&mut self, present: &[Entry]) -> Vec<PathBuf> {
        let mut whole = Vec::new();
        let mut files = BTreeMap::new();
        for entry in present {
            let before = self.files.get(&entry.path).filter(|seen| seen.is_same(entry));
            let is_new = before.is_some_and(|seen| !seen.is_told) && entry.bytes > 0;
            if is_new {
                whole.push(entry);
            }
            files.insert(entry.path.clone(), Seen::of(entry, is_new || before.is_some_and(|seen| seen.is_told)));
        }
        self.files = files;
        whole.sort_by(|a, b| a.written.cmp(&b.written).then_with(|| a.path.cmp(&b.path)));
        whole.into_iter().map(|entry| entry.path.clone()).collect()
    }
}

impl Seen {
    fn of(entry: &Entry, is_told: bool) -> Self {
        Self { bytes: entry.bytes, written: entry.written, is_told }
    }

    fn is_same(&self, entry: &Entry) -> bool {
        (self.bytes, self.written) == (entry.bytes, entry.written)
    }
}

/// The snapshots in a folder, whole or not.
pub fn list(folder: &Path) -> Result<Vec<Entry>> {
    let files = std::fs::read_dir(folder).map_err(|e| UserError::file("look into", folder, &e))?;
    let entry = |file: std::fs::DirEntry| -> Option<Entry> {
        let path = file.path();
        // A file that goes away between the two calls is none.
        let of_file = is_snapshot(&path).then(|| std::fs::metadata(&path).ok()).flatten()?;
        of_file.is_file().then(|| Entry { path, bytes: of_file.len(), written: of_file.modified().ok() })
    };
    Ok(files.flatten().filter_map(entry).collect())
}

/// Whether the name is that of a finished scan.
pub fn is_snapshot(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_hidden = name.starts_with(['.', '~']) || name.ends_with('~');
    !is_hidden && Format::SCAN_EXTENSIONS.contains(&extension.as_str())
}

/// What happens in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is watched.
    Opened,
    /// Why it is not, or not any more; it is tried again.
    Lost(String),
    /// A new snapshot is whole.
    Whole(PathBuf),
}

/// A folder that is watched by a thread of its own, until it is dropped.
pub struct WatchedFolder {
    events: Receiver<Event>,
    stop: Arc<AtomicBool>,
}

impl WatchedFolder {
    /// Begins to watch; `wake` is called whenever there is something new.
    pub fn open(folder: &Path, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let folder = folder.to_owned();
        let (sender, events) = sync_channel(WAITING);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let watch = move || {
            let mut looks: Option<Looks> = None;
            let mut lost = None;
            while !stopped.load(Ordering::Relaxed) {
                let events: Vec<Event> = match list(&folder) {
                    Ok(present) => {
                        let was_lost = lost.take().is_some();
                        let is_first = looks.is_none();
                        let whole = looks.get_or_insert_with(|| Looks::new(&present)).step(&present);
                        let opened = (is_first || was_lost).then_some(Event::Opened);
                        opened.into_iter().chain(whole.into_iter().map(Event::Whole)).collect()
                    }
                    Err(error) if lost.as_ref() == Some(&error.sentence) => Vec::new(),
                    Err(error) => {
                        lost = Some(error.sentence.clone());
                        vec![Event::Lost(error.sentence)]
                    }
                };
                for event in events {
                    match sender.try_send(event) {
                        // Beyond so many that wait, only the newest counts anyway.
                        Ok(()) | Err(TrySendError::Full(_)) => wake(),
                        Err(TrySendError::Disconnected(_)) => return,
                    }
                }
                std::thread::sleep(PERIOD);
            }
        };
        let started = std::thread::Builder::new().name("watched folder".into()).spawn(watch);
        started.map_err(|error| UserError::internal(format!("No thread could be started: {error}.")))?;
        Ok(Self { events, stop })
    }

    /// What has happened since it was last asked, oldest first.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.events.try_iter().take(WAITING)
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
        let written = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
        Entry { path: name.into(), bytes, written }
    }

    #[test]
    fn a_file_is_told_once_when_it_has_stopped_growing() {
        let old = entry("old.ply", 10, 1);
        let mut looks = Looks::new(std::slice::from_ref(&old));
        let mut look = |files: &[Entry]| -> Vec<String> {
            looks.step(files).iter().map(|path| path.display().to_string()).collect()
        };
        assert!(look(std::slice::from_ref(&old)).is_empty());
        assert!(look(&[old.clone(), entry("a.ply", 5, 2)]).is_empty());
        // It grew, and was touched at the same size.
        assert!(look(&[old.clone(), entry("a.ply", 9, 3)]).is_empty());
        assert!(look(&[old.clone(), entry("a.ply", 9, 4)]).is_empty());
        assert_eq!(look(&[old.clone(), entry("a.ply", 9, 4)]), ["a.ply"]);
        assert!(look(&[old.clone(), entry("a.ply", 9, 4)]).is_empty());
        // An empty file is not whole, however long it lies there.
        let empty = [entry("b.ply", 0, 5)];
        assert!(look(&empty).is_empty() && look(&empty).is_empty());
        // Two at once come in the order in which they were written, an old one again once it is new.
        let both = [entry("c.ply", 1, 9), entry("d.ply", 1, 8), entry("old.ply", 11, 7)];
        assert!(look(&both).is_empty());
        assert_eq!(look(&both), ["old.ply", "d.ply", "c.ply"]);
        // Gone and come back.
        assert!(look(&both[1..]).is_empty());
        assert!(look(&both).is_empty());
        assert_eq!(look(&both), ["c.ply"]);
    }

    #[test]
    fn names_of_files_on_their_way_are_passed_over() {
        for name in ["a.ply", "b.XYZ", "c d.pcd", "e.csv"] {
            assert!(is_snapshot(Path::new(name)), "{name}");
        }
        for name in ["a.ply.part", "a.ply.tmp", ".a.ply", "~a.ply", "a.ply~", "notes.docx", "a", "a.ply.123.part"] {
            assert!(!is_snapshot(Path::new(name)), "{name}");
        }
    }
}
