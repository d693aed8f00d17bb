//! Arguments by which commands clean what they load.

use clap::Args;

use compute::thinning::Rule;
use inspect::cleaning::Step;

/// Cleaning of scans after loading, in this order.
#[derive(Args, Debug)]
pub struct Cleaning {
    /// Remove outliers: points whose distance from their neighbours exceeds the mean by this many standard deviations,
    /// such as 3.
    #[arg(long, value_name = "SIGMAS")]
    pub remove_outliers: Option<f64>,
    /// Thin the points to this minimum distance between them, mm.
    #[arg(long, conflicts_with = "thin_cells_mm")]
    pub thin_mm: Option<f64>,
    /// Thin the points to one per cube of this edge length, mm.
    #[arg(long)]
    pub thin_cells_mm: Option<f64>,
    /// Estimate normals from neighbouring points.
    #[arg(long)]
    pub normals: bool,
}

impl Cleaning {
    /// The requested steps.
    pub fn steps(&self) -> Vec<Step> {
        let outliers = self.remove_outliers.map(|sigmas| Step::RemoveOutliers { neighbours: 16, sigmas });
        let by_distance = self.thin_mm.map(|mm| Step::Thin(Rule::Distance(mm)));
        let by_cells = self.thin_cells_mm.map(|mm| Step::Thin(Rule::Cells(mm)));
        let normals = self.normals.then_some(Step::Normals);
        [outliers, by_distance, by_cells, normals].into_iter().flatten().collect()
    }
}
