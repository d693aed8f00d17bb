//! Floor 6: the command line, which can do whatever the window does.
#![deny(clippy::indexing_slicing)]

mod accept;
mod arguments;
mod bench;
mod calibrate;
mod colours;
mod console;
mod contact;
mod convert;
mod demo;
mod detect;
mod fit;
mod holes;
mod info;
mod inspect;
mod inspect_parts;
mod merge;
mod offset;
mod output;
mod probe;
mod reference_points;
mod register;
mod repeatability;
mod section;
mod simulate;
mod simulate_machine;
mod surface_points;
mod template;
mod thickness;
mod tolerances;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;

use crate::output::outln;
use ::inspect::verdict::Verdict;
use arguments::{Arguments, Verb};
use base::{Result, UserError};
use compute::DeviceChoice;
use compute::cpu::Cpu;
use dispatch::Context;
use io::cad::CadReader;

/// What `main` does after the command line was run.
pub enum Outcome {
    /// Exit with this code.
    Exit(i32),
    /// Open the window with this device and CAD reader, and these files.
    Window(Context, Vec<PathBuf>),
}

/// Runs the command line. `cad_reader` is the path of the CAD reader program.
pub fn run(arguments: impl IntoIterator<Item = std::ffi::OsString>, cad_reader: Option<PathBuf>) -> Outcome {
    let parsed = match Arguments::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version go to stdout with code 0, usage errors to stderr with code 2.
            let _ = error.print();
            return Outcome::Exit(error.exit_code());
        }
    };
    let context = Context {
        backend: Arc::new(Cpu),
        cad: CadReader { program: cad_reader, ..CadReader::default() },
        hides_flags: false,
    };
    let json = parsed.json;
    match session::jobs::catch_panic(|| dispatch(parsed, &context)) {
        Ok(outcome) => outcome,
        Err(error) => {
            let option = error.scan_unit.map(|unit| format!(" (--scan-units {})", unit.symbol())).unwrap_or_default();
            let sentence = error.sentence.clone() + &option;
            if json {
                outln!("{}", serde_json::json!({ "error": sentence, "exit_code": error.exit_code() }));
            }
            eprintln!("{sentence}");
            Outcome::Exit(error.exit_code())
        }
    }
}

fn dispatch(parsed: Arguments, context: &Context) -> Result<Outcome> {
    let json = parsed.json;
    let Some(verb) = parsed.verb else {
        for file in &parsed.files {
            if !file.exists() && file.extension().is_none() {
                return Err(UserError::usage(format!(
                    "“{}” is neither a command nor a file; see “shadowgraph --help”.",
                    file.display()
                )));
            }
            std::fs::metadata(file).map_err(|e| UserError::file("open", file, &e))?;
        }
        return Ok(Outcome::Window(with_device(DeviceChoice::Auto, context), parsed.files));
    };
    match verb {
        Verb::Demo(arguments) => demo::run(&arguments, json, &with_device(DeviceChoice::Auto, context)),
        Verb::Inspect(arguments) => {
            inspect::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Register(arguments) => {
            register::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Simulate(arguments) => simulate::run(&arguments, json, context).map(Outcome::Exit),
        Verb::SimulateMachine(arguments) => simulate_machine::run(&arguments).map(Outcome::Exit),
        Verb::Calibrate(arguments) => calibrate::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Merge(arguments) => {
            // Only the global registration needs a device.
            let context = if arguments.refine { &with_device(arguments.backend, context) } else { context };
            merge::run(&arguments, json, context).map(Outcome::Exit)
        }
        Verb::Probe(arguments) => probe::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Repeatability(arguments) => repeatability::run(&arguments, json).map(Outcome::Exit),
        Verb::Accept(arguments) => accept::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Fit(arguments) => {
            // Opening a device takes longer than most fits.
            let context = if arguments.computes() { &with_device(arguments.backend, context) } else { context };
            fit::run(&arguments, json, context).map(Outcome::Exit)
        }
        Verb::Holes(arguments) => holes::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Tolerances(arguments) => tolerances::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Offset(arguments) => {
            offset::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Detect(arguments) => {
            detect::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Contact(arguments) => {
            contact::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Thickness(arguments) => {
            thickness::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Section(arguments) => {
            section::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Template(arguments) => template::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Convert(arguments) => {
            convert::run(&arguments, json, &with_device(arguments.backend, context)).map(Outcome::Exit)
        }
        Verb::Info(arguments) => info::run(&arguments, json, context).map(Outcome::Exit),
        Verb::Bench(arguments) => bench::run(&arguments, json).map(Outcome::Exit),
    }
}

/// Opens the compute device. This takes a moment, so only commands that compute do it.
fn with_device(choice: DeviceChoice, context: &Context) -> Context {
    let (backend, notice) = compute::open(choice);
    if let Some(notice) = notice {
        eprintln!("{notice}");
    }
    Context { backend, ..context.clone() }
}

/// Exit code of a command that judged: 4 for a fail and 6 for an incomplete verdict if these are asked to fail it.
fn exit_code(verdict: Option<Verdict>, fails: bool) -> i32 {
    match verdict {
        Some(Verdict::Fail) if fails => 4,
        Some(Verdict::Incomplete) if fails => 6,
        _ => 0,
    }
}

fn print_json(value: &serde_json::Value) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| UserError::internal(format!("The result cannot be written as JSON: {e}.")))?;
    outln!("{text}");
    Ok(())
}
