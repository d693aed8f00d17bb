//! Arguments of `bench`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use inspect::calibration::ArtefactKind;
use inspect::detection::Generator;
use inspect::simulation::systematic::SystematicErrorForm;

/// `bench`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  shadowgraph bench deviation\n  shadowgraph bench register --runs 9 --json")]
pub struct Bench {
    /// The suite to run.
    #[arg(value_enum)]
    pub suite: Suite,
    /// Number of runs after one warm-up; the median is reported.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Fraction of the full problem sizes, for a quick run.
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// Only this case of the suite. Of gpu: closest, matching, published, neighbours, statistics, fit, planes,
    /// searches; of calibration: brushed, found, squareness, sphere-bias, an artefact such as frustum, coverage and
    /// mishaps only if named here; of searches: sizes, variants, iterations, poses, graphs, outliers, distance,
    /// pipeline, model; of tables: points, facets, planes; of poses: part of the name of a part; of fits: plane,
    /// sphere, cylinder, cone; of sections: block, gaps; of offset: voxelise, exact; of defects: defects, views,
    /// points; of rings: dilations,
    /// erosions, layouts, passes, gpus.
    #[arg(long)]
    pub only: Option<String>,
    /// Number of random mountings (calibration); ten times as many draws of the noise (fits, sections).
    #[arg(long, default_value_t = 100)]
    pub mountings: usize,
    /// Number of draws (defects).
    #[arg(long, default_value_t = 1000)]
    pub draws: usize,
    /// Number of the first pile (detect): with others than the usual 0, other piles are drawn.
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// Parts come to rest in a bin (detect); otherwise they stay on a floor where they first touch.
    #[arg(long)]
    pub in_bin: bool,
    /// Pixels of the sensor along a side of its field (detect).
    #[arg(long, default_value_t = 420)]
    pub pixels: u32,
    /// Twins of the parts in their stead: mirrored, in other sizes, with one feature changed (detect, wrong-parts). None may be
    /// found, or pass, without doubt.
    #[arg(long)]
    pub twins: bool,
    /// How poses of parts are proposed (detect).
    #[arg(long, value_enum, default_value_t)]
    pub generator: Generator,
    /// Weights of the published search (published-detection); set by hand without.
    #[arg(long)]
    pub weights: Option<PathBuf>,
    /// Learn weights of the published search from every other part, and write them to this file (published-detection).
    #[arg(long)]
    pub train: Option<PathBuf>,
    /// Only this form of the systematic sensor error (calibration: coverage).
    #[arg(long, value_enum)]
    pub form: Option<SystematicErrorForm>,
    /// Only this artefact (calibration: coverage, mishaps).
    #[arg(long, value_enum)]
    pub artefact: Option<ArtefactKind>,
    /// Also write the generated inputs to this folder, to time other programs on.
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Folders of the parts to be scanned (poses, wrong-parts).
    #[arg(long, num_args = 1..)]
    pub parts: Vec<PathBuf>,
    /// Also write the charts of the suite (searches, tables) to this folder, as SVG files.
    #[arg(long)]
    pub charts: Option<PathBuf>,
}

/// The suites of `bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// Closest point, point-facet and facet-facet matching.
    Deviation,
    /// Best fit.
    Register,
    /// Iterative closest point by every correspondence search.
    Searches,
    /// Reading a large binary STL.
    Read,
    /// Frame times of the viewport with 2 million points and 1 million triangles.
    View,
    /// The CUDA device compared with the CPU.
    Gpu,
    /// Voxelisation and offsets of parts of the published areas and numbers of facets.
    Offset,
    /// Offsets of the same parts by ring templates as published, with their errors, on the GPU if there is one.
    Rings,
    /// Distance fields of the same parts, and frame times while their distance changes.
    Field,
    /// Calibrations of a simulated sensor at random mountings.
    Calibration,
    /// Plane fits to points of uneven density: unweighted, thinned and weighted.
    Planes,
    /// Automatic alignment of crops of parts, and whether wrong poses are flagged as ambiguous.
    Poses,
    /// Detection of parts in piles whose truth is known.
    Detect,
    /// The published search for parts in its configurations beside ours, on the same piles.
    PublishedDetection,
    /// Automatic alignment of parts in scans that hold more than the part.
    Starts,
    /// The same of parts whose faces all lie off their nominal alike: poses, and whether the offset is named.
    UniformOffsets,
    /// Scans compared with every part, all of equal size: whether a wrong part is detected.
    WrongParts,
    /// The published tables of facet matching and parallel planes, measured again next to the published figures.
    Tables,
    /// How often the uncertainty intervals of fits contain the true value, under correlated noise.
    Fits,
    /// The same of dimensions in sections and of gaps between sheets of other heights.
    Sections,
    /// Parts with and without defects: whether a defect beyond what the headline states as detectable ever passes.
    Defects,
}
