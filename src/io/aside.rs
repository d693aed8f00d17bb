//! Names for what is written aside before it takes its place, and the removal of what killed runs have left so.

use std::ffi::OsString;
use std::path::Path;

/// The name of `target` while `process` writes it: hidden, beside it.
pub fn aside(target: &Path, process: u32) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{process}.part"));
    name
}

/// Removes what runs that were killed have left beside `target`.
pub fn sweep(target: &Path) {
    let Some(entries) = target.parent().and_then(|parent| std::fs::read_dir(parent).ok()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_suffix(".part")?.rsplit('.').next()?.parse::<u32>().ok());
        if let Some(process) = process
            && name == aside(target, process)
            && !Path::new("/proc").join(process.to_string()).exists()
        {
            let path = entry.path();
            // That something may stay behind is the lesser trouble.
            let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
    }
}
