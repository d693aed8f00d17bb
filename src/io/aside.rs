//! Names of temporary files and folders that are written before they replace their target, and removal of those that
//! killed runs left behind.

use std::ffi::OsString;
use std::path::Path;

/// Name under which process `process` writes `target` before the final rename: `.NAME.PROCESS.part`, hidden and in the
/// same folder.
pub fn temporary_name(target: &Path, process: u32) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{process}.part"));
    name
}

/// Removes temporary files and folders for `target` whose process no longer runs.
pub fn remove_stale(target: &Path) {
    let Some(entries) = target.parent().and_then(|parent| std::fs::read_dir(parent).ok()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_suffix(".part")?.rsplit('.').next()?.parse::<u32>().ok());
        if let Some(process) = process
            && name == temporary_name(target, process)
            && is_gone(process)
        {
            let path = entry.path();
            // Best effort: a leftover must not keep the new file from being written.
            let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
    }
}

/// Whether a process no longer runs; `false` where the system does not say.
fn is_gone(process: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}
