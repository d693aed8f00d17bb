//! What goes to standard output. A reader that has seen enough (`| head`) ends the program quietly; a full disk ends it with
//! a sentence.

use std::io::{ErrorKind, Write as _};

/// Prints; used by [`out`] and [`outln`].
pub fn print(text: std::fmt::Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("Standard output cannot be written ({error}): free space, or send it elsewhere.");
    std::process::exit(3);
}

/// As `print!`, but for what [`print`] does where it fails.
macro_rules! out {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// As `println!`, but for what [`print`] does where it fails.
macro_rules! outln {
    () => { $crate::output::print(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {out, outln};
