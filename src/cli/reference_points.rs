//! Options of an alignment by reference points.

use std::path::PathBuf;

use clap::Args;

use base::Result;
use dispatch::{Align, Command};
use inspect::main_alignment::{MainMethod, ReferencePoints, csv};

/// Reference points that the scan is aligned to after the alignment that the other options ask for.
#[derive(Args, Debug)]
pub struct ReferenceOptions {
    /// CSV of reference points (RPS): name, x, y, z, mm, and the direction in which each is held: normal, x, y or z, or
    /// several as in xz, which at an edge are measured on the faces that face them.
    /// The scan is aligned to them last; three, two and one of them on three faces are the 3-2-1 alignment.
    #[arg(long)]
    pub reference_points: Option<PathBuf>,
    /// Scan points within this distance of a reference point give the surface there, mm.
    #[arg(long, requires = "reference_points", default_value_t = ReferencePoints::default().radius_mm)]
    pub reference_radius_mm: f64,
}

impl ReferenceOptions {
    /// Aligns to the reference points, if there are any.
    pub fn align(&self, send: &mut impl FnMut(Command) -> Result<()>) -> Result<()> {
        let Some(path) = &self.reference_points else { return Ok(()) };
        let to = ReferencePoints { points: csv::read(path)?, radius_mm: self.reference_radius_mm };
        send(Align::AddMain(MainMethod::ReferencePoints(to)).into())
    }
}
