//! `shadowgraph demo`: inspects the demo part that ships with the program.

use std::path::PathBuf;

use super::Outcome;
use super::arguments::{Demo, Inspect};
use base::{Result, UserError};
use dispatch::Context;

/// The demo part as STL, mm.
pub const BRACKET_STL: &[u8] = include_bytes!("../../assets/bracket.stl");

/// Files of the demo part, unpacked next to the report so that the project refers to existing files.
const FILES: [(&str, &[u8]); 3] = [
    ("bracket.step", include_bytes!("../../assets/bracket.step")),
    ("bracket.stl", BRACKET_STL),
    ("bracket-scan.ply", include_bytes!("../../assets/bracket-scan.ply")),
];

/// Unpacks the part, inspects it, and opens the window if there is a display.
pub fn run(arguments: &Demo, json: bool, context: &Context) -> Result<Outcome> {
    let folder = arguments.out.join("part");
    base::folder::make(&folder)?;
    for (name, bytes) in FILES {
        io::atomic::write_bytes(&folder.join(name), bytes)?;
    }
    // Without a CAD reader the STL file of the part is used.
    let has_reader = context.cad.program.as_ref().is_some_and(|program| program.exists());
    let nominal = folder.join(if has_reader { "bracket.step" } else { "bracket.stl" });
    let scan = folder.join("bracket-scan.ply");
    let code = match inspect(&nominal, &scan, &arguments.out, json, context) {
        // OpenCASCADE may be missing on this machine.
        Err(error) if has_reader && error.kind == base::ErrorKind::Input => {
            eprintln!("{error}");
            inspect(&folder.join("bracket.stl"), &scan, &arguments.out, json, context)?
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
