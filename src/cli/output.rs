//! Output to standard output. A closed pipe (`| head`) ends the program silently; any other failure, such as a full
//! disk, ends it with an error message.

use std::io::{ErrorKind, Write as _};

/// Prints to standard output; used by [`out`] and [`outln`].
pub fn print(text: std::fmt::Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("Standard output cannot be written ({error}): free disk space or redirect it elsewhere.");
    std::process::exit(3);
}

/// As `print!`, but failures are handled by [`print`].
macro_rules! out {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// As `println!`, but failures are handled by [`print`].
macro_rules! outln {
    () => { $crate::output::print(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {out, outln};
