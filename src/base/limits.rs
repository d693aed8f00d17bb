//! Memory that a job would take, said before it runs and refused when it is not there.

use super::error::{Result, UserError};

/// Bytes of memory that the operating system could hand out now; `None` where it does not say.
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Fails with both figures when `bytes` are more than the machine has left.
pub fn require_bytes(bytes: u64, what: &str) -> Result<()> {
    match available_bytes() {
        Some(available) if bytes > available => Err(UserError::input(format!(
            "{what} needs {} of memory, but only {} are free; close other programs or use a smaller file.",
            readable(bytes),
            readable(available)
        ))),
        _ => Ok(()),
    }
}

/// A byte count as a person reads it.
pub fn readable(bytes: u64) -> String {
    const STEPS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut step = 0;
    while value >= 1024.0 && step + 1 < STEPS.len() {
        value /= 1024.0;
        step += 1;
    }
    let unit = STEPS.get(step).copied().unwrap_or("bytes");
    if step == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") }
}
