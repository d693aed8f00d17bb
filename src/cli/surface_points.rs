//! Options of an inspection at surface points.

use std::path::PathBuf;

use clap::Args;

use base::Result;
use dispatch::{Command, SurfacePoints};
use inspect::deviation::Tolerance;
use inspect::main_alignment::{ReferencePoints, csv};
use inspect::surface_points::Parameters;

/// Surface points that are measured after the comparison.
#[derive(Args, Debug)]
pub struct SurfacePointOptions {
    /// CSV of surface points: name, x, y, z, mm, and the direction in which each is measured: normal, x, y or z. Their
    /// deviations are judged by the limits of --tolerance-mm and written to surface-points.csv.
    #[arg(long)]
    pub surface_points: Option<PathBuf>,
    /// Scan points within this distance of a surface point give the surface there, mm.
    #[arg(long, requires = "surface_points", default_value_t = ReferencePoints::default().radius_mm)]
    pub surface_point_radius_mm: f64,
}

impl SurfacePointOptions {
    /// Measures the points, if there are any.
    pub fn measure(&self, tolerance: Tolerance, send: &mut impl FnMut(Command) -> Result<()>) -> Result<()> {
        let Some(path) = &self.surface_points else { return Ok(()) };
        let at = ReferencePoints { points: csv::read(path)?, radius_mm: self.surface_point_radius_mm };
        send(SurfacePoints::Add(Parameters { at, tolerance }).into())
    }
}
