//! `shadowgraph probe`: hybrid measurement; holes found in a scan are measured by touch probe, cycle by cycle.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::arguments::three;
use super::console::Console;
use crate::output::outln;
use base::{LengthUnit, Result, UserError};
use dispatch::probe::{self, Probe as ProbeCommand};
use dispatch::{Command, Context, Dispatcher};
use geometry::Vector;
use inspect::probing::{Convergence, Prober as _, Settings, SimulatedProber};
use io::atomic;
use io::probing_csv::{ReportedPoint, read_holes, write_touches};
use session::probing::{Probing, Setup};

/// `probe`
#[derive(Args, Debug)]
#[command(
    after_help = "Coordinates are in CMM axes, mm; where a merge corrected the scan for the squareness and scales of the CMM, by the \
    record beside it, targets are written in the machine's own coordinates, and touches are read in them. holes.csv has the columns name, x_mm, y_mm, z_mm, axis_i, axis_j, \
    axis_k, radius_mm; touches.csv has hole, ball_x_mm, ball_y_mm, ball_z_mm (or surface_x_mm, …), face (sheet or \
    wall).\n\nExample:\n  shadowgraph probe begin --scan merged.ply --holes holes.csv --probe-radius-mm 1 --out \
    probing\n  shadowgraph probe take --rounds probing/rounds.json --touches touches.csv"
)]
pub struct Probe {
    /// The step to run.
    #[command(subcommand)]
    pub step: Step,
}

/// The steps of `probe`.
#[derive(Subcommand, Debug)]
pub enum Step {
    /// Finds the holes in a scan and plans the first probing cycle.
    Begin(Box<Begin>),
    /// Evaluates the points probed by the CMM, and plans the next probing cycle or writes the table of results.
    Take(Take),
    /// Simulates the probing of holes by a CMM, for trials.
    Simulate(Simulate),
}

/// `probe begin`
#[derive(Args, Debug)]
pub struct Begin {
    /// The scan in CMM axes, as written by `merge`.
    #[arg(long)]
    pub scan: PathBuf,
    /// Unit of the scan's coordinates.
    #[arg(long)]
    pub scan_units: Option<LengthUnit>,
    /// The nominal holes: CSV.
    #[arg(long)]
    pub holes: PathBuf,
    /// Maximum distance from the nominal position at which a hole is searched in the scan, mm.
    #[arg(long, default_value_t = Setup::default().search_mm, allow_hyphen_values = true)]
    pub search_mm: f64,
    /// Stylus tip radius, mm.
    #[arg(long)]
    pub probe_radius_mm: f64,
    /// Number of touches on the sheet around each hole.
    #[arg(long, default_value_t = Settings::default().sheet_touches)]
    pub sheet_touches: usize,
    /// Number of touches on the wall of each hole.
    #[arg(long, default_value_t = Settings::default().wall_touches)]
    pub wall_touches: usize,
    /// Height of the stylus tip centre above the sheet where an approach starts, mm.
    #[arg(long, default_value_t = Settings::default().clearance_mm)]
    pub clearance_mm: f64,
    /// Depth of the stylus tip centre below the sheet when it touches the wall, mm.
    #[arg(long, default_value_t = Settings::default().depth_mm)]
    pub depth_mm: f64,
    /// Search distance of a touch: how far a hole may be off its expected position, mm (±).
    #[arg(long, default_value_t = Settings::default().search_mm)]
    pub probe_search_mm: f64,
    /// Distance of the touches on the sheet from the expected rim, mm.
    #[arg(long, default_value_t = Settings::default().beside_mm)]
    pub beside_mm: f64,
    /// Height of the safe plane above the highest start of an approach, mm.
    #[arg(long, default_value_t = Settings::default().safe_above_mm)]
    pub safe_above_mm: f64,
    /// Standard deviation of a touch along its approach, mm.
    #[arg(long, default_value_t = Settings::default().touch_sigma_mm)]
    pub touch_sigma_mm: f64,
    /// Direction towards the ram of the CMM, X,Y,Z.
    #[arg(long, value_parser = three, default_value = "0,0,1", allow_hyphen_values = true)]
    pub up: [f64; 3],
    /// A hole has converged when its centre moves by less than this from one probing cycle to the next, mm.
    #[arg(long, default_value_t = Convergence::default().tolerance_mm)]
    pub tolerance_mm: f64,
    /// Maximum number of probing cycles.
    #[arg(long, default_value_t = Convergence::default().most_rounds)]
    pub most_rounds: usize,
    /// Calibrated probe that program.dmi selects; by default the current one stays selected.
    #[arg(long, default_value = "")]
    pub sensor: String,
    /// Folder for rounds.json, targets.csv and program.dmi.
    #[arg(long)]
    pub out: PathBuf,
}

/// `probe take`
#[derive(Args, Debug)]
pub struct Take {
    /// The rounds.json written by `probe begin`. It is updated, and the next targets or the table of results are
    /// written beside it.
    #[arg(long)]
    pub rounds: PathBuf,
    /// The probed points: CSV.
    #[arg(long)]
    pub touches: PathBuf,
}

/// `probe simulate`
#[derive(Args, Debug)]
pub struct Simulate {
    /// The rounds.json whose next program is run.
    #[arg(long)]
    pub rounds: PathBuf,
    /// The true holes: CSV.
    #[arg(long)]
    pub holes: PathBuf,
    /// Standard deviation of a touch along its approach, mm.
    #[arg(long, default_value_t = Settings::default().touch_sigma_mm)]
    pub sigma_mm: f64,
    /// Report surface points instead of the stylus tip centre.
    #[arg(long)]
    pub surface: bool,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The file of probed points to write.
    #[arg(long)]
    pub out: PathBuf,
}

impl Begin {
    fn setup(&self) -> Setup {
        let touching = Settings {
            probe_radius_mm: self.probe_radius_mm,
            sheet_touches: self.sheet_touches,
            wall_touches: self.wall_touches,
            clearance_mm: self.clearance_mm,
            depth_mm: self.depth_mm,
            search_mm: self.probe_search_mm,
            beside_mm: self.beside_mm,
            safe_above_mm: self.safe_above_mm,
            touch_sigma_mm: self.touch_sigma_mm,
            up: Vector::from(self.up),
        };
        let convergence = Convergence { tolerance_mm: self.tolerance_mm, most_rounds: self.most_rounds };
        let probe_radius_mm = Some(self.probe_radius_mm);
        Setup { search_mm: self.search_mm, probe_radius_mm, touching, convergence, sensor: self.sensor.clone() }
    }
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Probe, json: bool, context: &Context) -> Result<i32> {
    match &arguments.step {
        Step::Begin(begin) => {
            // Invalid settings are reported before a large scan is read.
            begin.setup().settings()?;
            let open = Command::Parts(dispatch::Parts::OpenScans {
                paths: vec![begin.scan.clone()],
                unit: begin.scan_units,
                columns: None,
            });
            let probing = [ProbeCommand::OpenHoles(begin.holes.clone()), ProbeCommand::Begin(Box::new(begin.setup()))];
            let commands = [open].into_iter().chain(probing.map(Command::Probe));
            step(Probing::default(), commands, (&begin.out, &begin.out.join("rounds.json")), json, context)
        }
        Step::Take(take) => {
            let folder = take.rounds.parent().unwrap_or(Path::new(""));
            let commands = [Command::Probe(ProbeCommand::Take(take.touches.clone()))];
            step(Probing::read(&take.rounds)?, commands, (folder, &take.rounds), json, context)
        }
        Step::Simulate(simulate) => simulate_cycle(simulate, json),
    }
}

/// Runs commands on the previous state, writes the results and prints a summary.
fn step(
    before: Probing,
    commands: impl IntoIterator<Item = Command>,
    (folder, rounds): (&Path, &Path),
    json: bool,
    context: &Context,
) -> Result<i32> {
    let console = Console::new();
    let progress = console.progress();
    let mut dispatcher = Dispatcher::new(context.clone());
    dispatcher.document.probing = Arc::new(before);
    let done = commands.into_iter().try_for_each(|command| dispatcher.run_now(command, &progress));
    console.done();
    done?;
    dispatcher.messages.iter().for_each(|message| console.say(&message.text));
    let probing = &dispatcher.document.probing;
    let written = probing.write(folder)?;
    probing.save(rounds)?;
    let [converged, open, failed] = probing.counts();
    let comparison = probing.rounds.as_ref().map(|own| own.comparison());
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.probing-step/1",
            "software": report::software(),
            "rounds": probing.rounds.as_ref().map(|own| own.done()),
            "converged": converged,
            "open": open,
            "wrong": failed,
            "missing": probing.missing,
            "comparison": comparison,
            "written": written.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        }))?;
        return Ok(0);
    }
    outln!("{}", comparison.map(|own| own.text()).unwrap_or_default());
    outln!("{} Wrote {}.", probing.standing(), probe::names(&written));
    Ok(0)
}

/// Runs the program of the next probing cycle on simulated holes.
fn simulate_cycle(simulate: &Simulate, json: bool) -> Result<i32> {
    if !(simulate.sigma_mm >= 0.0 && simulate.sigma_mm < 1e3) {
        return Err(UserError::usage(format!(
            "The standard deviation of a touch must be 0 mm or more, not {} mm.",
            simulate.sigma_mm
        )));
    }
    let probing = Probing::read(&simulate.rounds)?;
    let Some(program) = probing.program()? else {
        return Err(UserError::usage("Nothing is left to probe: every hole has converged or failed."));
    };
    let holes = read_holes(&simulate.holes)?.into_iter().map(|hole| hole.place).collect();
    let reported = if simulate.surface { ReportedPoint::Surface } else { ReportedPoint::BallCentre };
    // Each probing cycle has its own noise.
    let seed = simulate.seed.wrapping_add(probing.taken.len() as u64);
    let console = Console::new();
    let probed = SimulatedProber::new(holes, simulate.sigma_mm, reported, seed).probe(&program, &console.progress());
    console.done();
    let mut probed = probed?;
    // As a machine with these errors reports them.
    probed.touches.touched.iter_mut().for_each(|own| own.place = probing.cmm_errors.indicated(&own.place));
    probed.missed.iter().for_each(|own| console.say(&own.reason));
    atomic::write_bytes(&simulate.out, write_touches(&probed.touches)?.as_bytes())?;
    let count = probed.touches.touched.len();
    if json {
        super::print_json(&json!({ "touches": count, "missed": probed.missed }))?;
    } else {
        outln!("{count} touches of {} holes in {}", program.holes.len(), simulate.out.display());
    }
    Ok(0)
}
