//! Memory requirements, checked before a job runs.

use super::error::{Result, UserError};

/// Memory available to new allocations (`MemAvailable` of `/proc/meminfo`), bytes; `None` where that cannot be read.
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns an input error stating the required and the available memory if `bytes` exceeds what is available. Succeeds
/// where the available memory is unknown.
pub fn require_bytes(bytes: u64, what: &str) -> Result<()> {
    match available_bytes() {
        Some(available) if bytes > available => Err(UserError::input(format!(
            "{what} needs {} of memory, but only {} is free; close other programs or use a smaller file.",
            format_bytes(bytes),
            format_bytes(available)
        ))),
        _ => Ok(()),
    }
}

/// Byte count in binary units with one decimal, such as `1.5 GiB`; whole bytes below 1 KiB.
pub fn format_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut exponent = 0;
    while value >= 1024.0 && exponent + 1 < UNITS.len() {
        value /= 1024.0;
        exponent += 1;
    }
    let unit = UNITS.get(exponent).copied().unwrap_or("bytes");
    if exponent == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") }
}
