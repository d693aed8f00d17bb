//! `shadowgraph accept`: acceptance test of a sensor by scans of a ball bar and of a flat.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::console::Console;
use crate::output::out;
use base::{LengthUnit, Result, UserError, hash};
use dispatch::{self, Command, Context, Dispatcher};
use inspect::acceptance::{Characteristic, Limit, Settings, SpacingRadius, Verdict};
use io::atomic;

/// `accept`
#[derive(Args, Debug)]
#[command(
    after_help = "Each scan shows the ball bar in a different position, in the sensor frame with the sensor at the \
    origin. Limits are NAME=MPE or NAME=MPE:U in mm, U the standard uncertainty of the test; names are probing_form, \
    probing_form_sigma, probing_dispersion, probing_size, sphere_spacing, flatness.\n\nExample:\n  shadowgraph accept \
    --bar p1.ply p2.ply p3.ply --sphere-radius-mm 15 --bar-length-mm 150.0032 --limits \
    sphere_spacing=0.02:0.002,probing_form=0.05"
)]
pub struct Accept {
    /// Scans of the ball bar, one per position.
    #[arg(long, num_args = 1.., requires_all = ["sphere_radius_mm", "bar_length_mm"], required_unless_present = "plane")]
    pub bar: Vec<PathBuf>,
    /// Calibrated radius of the spheres of the ball bar, mm.
    #[arg(long)]
    pub sphere_radius_mm: Option<f64>,
    /// Calibrated distance between their centres, mm.
    #[arg(long)]
    pub bar_length_mm: Option<f64>,
    /// Scans of a flat without its border, one per position.
    #[arg(long, num_args = 1..)]
    pub plane: Vec<PathBuf>,
    /// Unit of the scans' coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Points closer than this to a sphere belong to it, mm: a few standard deviations of the scan's noise.
    #[arg(long, default_value_t = 0.1)]
    pub within_mm: f64,
    /// Fraction of the points that is rejected before form errors are evaluated.
    #[arg(long, default_value_t = Settings::default().rejected_share)]
    pub rejected_share: f64,
    /// Maximum angle between a sphere's normal and the viewing direction, degrees; steeper points are left out.
    #[arg(long, default_value_t = 60.0)]
    pub max_incidence_deg: f64,
    /// Radius used to find the centres of the spheres.
    #[arg(long, value_enum, default_value = "free")]
    pub spacing_radius: SpacingRadius,
    /// Limits of the test, NAME=MPE or NAME=MPE:U, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = limit)]
    pub limits: Vec<(Characteristic, Limit)>,
    /// Exit with code 4 if the sensor is proven not to conform.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
    /// Write results, settings and hashes of the scans to this JSON file.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

fn limit(text: &str) -> std::result::Result<(Characteristic, Limit), String> {
    let (name, values) = text.split_once('=').ok_or_else(|| format!("“{text}” is not NAME=MPE or NAME=MPE:U"))?;
    let number = |word: &str| word.trim().parse::<f64>().map_err(|_| format!("“{word}” is not a number"));
    let (mpe_mm, test_sigma_mm) = match values.split_once(':') {
        Some((mpe, sigma)) => (number(mpe)?, number(sigma)?),
        None => (number(values)?, 0.0),
    };
    let name = name.trim().replace('-', "_");
    let characteristic =
        serde_json::from_value(json!(name)).map_err(|_| format!("“{name}” is not a characteristic; see --help"))?;
    Ok((characteristic, Limit { mpe_mm, test_sigma_mm }))
}

impl Accept {
    fn test(&self) -> inspect::acceptance::AcceptanceTest {
        inspect::acceptance::AcceptanceTest {
            bars: self.bar.clone(),
            planes: self.plane.clone(),
            unit: self.units,
            // Required with a ball bar, unused without one.
            sphere_radius_mm: self.sphere_radius_mm.unwrap_or_default(),
            bar_length_mm: self.bar_length_mm.unwrap_or_default(),
            within_mm: self.within_mm,
            settings: Settings {
                rejected_share: self.rejected_share,
                max_incidence_rad: self.max_incidence_deg.to_radians(),
                spacing_radius: self.spacing_radius,
            },
            limits: self.limits.iter().copied().collect(),
        }
    }
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Accept, json: bool, context: &Context) -> Result<i32> {
    let console = Console::new();
    let mut dispatcher = Dispatcher::new(context.clone());
    let test = arguments.test();
    let done = dispatcher.run_now(Command::Accept(Box::new(test.clone())), &console.progress());
    console.done();
    done?;
    let Some(acceptance) = &dispatcher.document.acceptance else {
        return Err(UserError::internal("The acceptance test gave no result."));
    };
    let scans = test.bars.iter().chain(&test.planes);
    let scans: Vec<_> = scans
        .map(|path| Ok(json!({ "file": path.to_string_lossy(), "blake3": hash::file_hash(path)? })))
        .collect::<Result<_>>()?;
    let record = json!({
        "schema": "shadowgraph.acceptance/1",
        "software": report::software(),
        "date": base::date::Stamp::now().to_string(),
        "scans": scans,
        "sphere_radius_mm": arguments.sphere_radius_mm,
        "bar_length_mm": arguments.bar_length_mm,
        "within_mm": arguments.within_mm,
        "acceptance": acceptance.as_ref(),
    });
    if let Some(path) = &arguments.out {
        atomic::write_bytes(path, format!("{record:#}\n").as_bytes())?;
    }
    if json {
        super::print_json(&record)?;
    } else {
        out!("{}", acceptance.text());
    }
    let failed = acceptance.verdict == Some(Verdict::DoesNotConform);
    Ok(if failed && arguments.fail_on_out_of_tolerance { 4 } else { 0 })
}
