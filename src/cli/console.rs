//! Progress on standard error: a bar when it is a terminal, nothing otherwise.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::{ProgressBar, ProgressStyle};

use base::Progress;

/// A progress bar for long commands.
pub struct Console {
    bar: ProgressBar,
}

impl Console {
    /// Draws to standard error if that is a terminal.
    pub fn new() -> Self {
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{msg:34} [{wide_bar}] {percent:>3} %") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Self { bar }
    }

    /// A progress handle for one command.
    pub fn progress(&self) -> Progress {
        let bar = self.bar.clone();
        Progress::new(Arc::new(AtomicBool::new(false)), move |fraction, step| {
            bar.set_position((fraction * 1000.0) as u64);
            if bar.message() != step {
                bar.set_message(step.to_owned());
            }
        })
    }

    /// Prints a line to standard error without disturbing the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Removes the bar.
    pub fn done(&self) {
        self.bar.finish_and_clear();
    }
}
