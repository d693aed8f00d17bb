//! `shadowgraph demo`: inspects the demo part that ships with the program.

use std::path::PathBuf;

use super::Outcome;
use super::arguments::{Demo, Inspect};
use base::{Result, UserError};
use dispatch::{Context, demo};

/// Unpacks the part, inspects it, and opens the window if there is a display.
pub fn run(arguments: &Demo, json: bool, context: &Context) -> Result<Outcome> {
    // Next to the report, so that the project refers to existing files.
    let files = demo::unpack(&arguments.out.join("part"), &context.cad)?;
    let code = match inspect(&files.nominal, &files.scan, &arguments.out, json, context) {
        // OpenCASCADE may be missing on this machine.
        Err(error) if files.nominal != files.mesh && error.kind == base::ErrorKind::Input => {
            eprintln!("{error}");
            inspect(&files.mesh, &files.scan, &arguments.out, json, context)?
        }
        outcome => outcome?,
    };
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if arguments.no_window || !has_display {
        return Ok(Outcome::Exit(code));
    }
    Ok(Outcome::Window(context.clone(), vec![arguments.out.join(super::inspect::PROJECT)]))
}

fn inspect(nominal: &PathBuf, scan: &PathBuf, out: &PathBuf, json: bool, context: &Context) -> Result<i32> {
    use clap::Parser;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        inspect: Inspect,
    }
    let mut words = vec!["inspect".into(), "--nominal".into(), nominal.into(), "--scan".into()];
    words.extend([scan.into(), "--out".into(), out.into()] as [std::ffi::OsString; 3]);
    words.extend(["--title", "Demo: stamped bracket", "--part-number", "SG-1001", "--serial", "0001"].map(Into::into));
    let line = Line::try_parse_from(words).map_err(|e| UserError::internal(format!("The demo's own command: {e}")))?;
    super::inspect::run(&line.inspect, json, context)
}
