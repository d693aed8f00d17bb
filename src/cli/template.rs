//! `shadowgraph template`: writes a template for the pages of the report.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::output::outln;
use base::{Progress, Result, UserError};
use dispatch::{Context, Dispatcher, Report};

/// `template`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph template --out company.typ\n  shadowgraph inspect --nominal part.step \
    --scan part.ply --template company.typ --out report/\n\nThe PDF is made by the program typst 0.12 or newer, found in \
    PATH or named by SHADOWGRAPH_TYPST. The template may use pictures, fonts and typst files that lie beside it."
)]
pub struct Template {
    /// File to write (.typ).
    #[arg(long)]
    pub out: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Template, json: bool, context: &Context) -> Result<i32> {
    let out = &arguments.out;
    if !arguments.force && out.symlink_metadata().is_ok() {
        let out = out.display();
        return Err(UserError::usage(format!("{out} exists; name another file, or replace it with --force.")));
    }
    let mut dispatcher = Dispatcher::new(context.clone());
    dispatcher.run_now(Report::SaveTemplate(out.clone()), &Progress::silent())?;
    if json {
        super::print_json(&json!({ "template": out.to_string_lossy() }))?;
    } else {
        dispatcher.messages.iter().for_each(|message| outln!("{}", message.text));
    }
    Ok(0)
}
