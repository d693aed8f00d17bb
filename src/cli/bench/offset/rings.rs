//! The published measurements of offsets by ring templates, repeated: dilations and erosions, the layout of the tree, and
//! offsets in several passes, each with its error.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::time;
use super::{DOMAIN_MM, parts, with};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::morphological_offset::{Request, Template};
use compute::{Backend, Compute, voxel_error, voxelisation};
use geometry::voxels::{CellFormat, Lattice, Layout, VoxelTree};
use geometry::{Point, Sides, SolidSurface, Surface};

/// Distances of the published dilations, voxels.
const DILATIONS: [f64; 5] = [20.0, 40.0, 60.0, 80.0, 100.0];
/// Distances of the published erosions, voxels.
const EROSIONS: [f64; 3] = [-10.0, -20.0, -40.0];
/// Published seconds of the dilations: per part and voxels per axis.
const PUBLISHED_S: [(&str, u32, [f64; 5]); 12] = [
    ("Head", 1024, [4.0, 15.0, 38.0, 81.0, 186.0]),
    ("Head", 2048, [14.7, 60.7, 151.1, 288.6, 629.0]),
    ("Head", 4096, [59.0, 254.2, 611.9, 1147.1, 2294.5]),
    ("Dragon", 1024, [4.0, 17.0, 42.0, 85.0, 194.0]),
    ("Dragon", 2048, [17.2, 71.1, 172.0, 325.4, 674.1]),
    ("Dragon", 4096, [75.2, 325.3, 761.9, 1415.7, 2730.5]),
    ("Turbine", 1024, [3.0, 13.0, 28.0, 57.0, 132.0]),
    ("Turbine", 2048, [14.7, 56.8, 119.1, 206.9, 407.5]),
    ("Turbine", 4096, [75.6, 314.2, 702.6, 1273.4, 2322.7]),
    ("Candle", 1024, [4.0, 17.0, 40.0, 80.0, 178.0]),
    ("Candle", 2048, [19.1, 77.6, 183.9, 325.4, 645.3]),
    ("Candle", 4096, [76.8, 346.5, 843.2, 1531.3, 2885.0]),
];
/// Layouts whose effect was published, and the distance at which it was: root grid, branching, leaf.
const LAYOUTS: [(&str, Layout); 7] = [
    ("R 16", Layout::PUBLISHED),
    ("R 8", Layout { root: 8, ..Layout::PUBLISHED }),
    ("R 32", Layout { root: 32, ..Layout::PUBLISHED }),
    ("R 64", Layout { root: 64, ..Layout::PUBLISHED }),
    ("R 4, B 2", Layout { root: 4, ..Layout::PUBLISHED }),
    ("R 4, B 4", Layout { root: 4, branching: 4, ..Layout::PUBLISHED }),
    ("R 4, B 8", Layout { root: 4, branching: 8, ..Layout::PUBLISHED }),
];
const LAYOUT_DISTANCE: f64 = 60.0;
/// Root grid and leaf of the published measurements of leaves and passes.
const SMALL_LEAVES: Layout = Layout { root: 32, branching: 2, leaf: 8 };
/// Voxels per axis and distance, voxels, of an offset shared by several GPUs.
const SHARED_VOXELS: u32 = 4096;
const SHARED_DISTANCE: f64 = 100.0;
/// Passes that add up to 100 voxels.
const PASSES: [(u32, f64); 4] = [(1, 100.0), (2, 50.0), (4, 25.0), (8, 12.5)];

pub fn run(arguments: &Bench) -> Result<Value> {
    let cuda = Cuda::open().ok();
    let backend: &dyn Backend = cuda.as_ref().map_or(&Cpu, |cuda| cuda);
    let mut bench = Rings { backend, arguments, rows: Vec::new() };
    for part in parts::all() {
        let surface = Surface::new(part.mesh());
        let solid = SolidSurface::new(&surface, Sides::Normals);
        for voxels in [1024, 2048, 4096] {
            bench.part(part.name, &solid, voxels)?;
        }
        bench.shared(part.name, &solid)?;
    }
    let rows = bench.rows;
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "rings", "device": backend.device(), "rows": rows }))
}

struct Rings<'a> {
    backend: &'a dyn Backend,
    arguments: &'a Bench,
    rows: Vec<Value>,
}

impl Rings<'_> {
    fn part(&mut self, name: &str, solid: &SolidSurface<'_>, voxels: u32) -> Result<()> {
        let is_wanted = |what: &str| self.arguments.only.as_deref().is_none_or(|only| only == what);
        let [dilations, erosions, layouts, passes] = ["dilations", "erosions", "layouts", "passes"].map(is_wanted);
        let label = |what: &str| format!("{name} {voxels}³, {what}");
        let scaled = |distance: f64| distance * self.arguments.scale;
        if dilations || erosions {
            let tree = self.tree(solid, voxels, Layout::PUBLISHED)?;
            let published = PUBLISHED_S.iter().find(|own| own.0 == name && own.1 == voxels).map(|own| own.2);
            for (index, distance) in DILATIONS.into_iter().enumerate().filter(|_| dilations) {
                let seconds = published.filter(|_| self.arguments.scale == 1.0).and_then(|own| own.get(index).copied());
                self.offset(&label(&format!("dilation by {distance}")), &tree, &[scaled(distance)], seconds)?;
            }
            for distance in EROSIONS.into_iter().filter(|_| erosions && voxels > 1024) {
                self.offset(&label(&format!("erosion by {}", -distance)), &tree, &[scaled(distance)], None)?;
            }
        }
        for (layout_name, layout) in LAYOUTS.into_iter().filter(|_| layouts && voxels > 1024) {
            let tree = self.tree(solid, voxels, layout)?;
            self.offset(&label(&format!("{layout_name}, dilation by 60")), &tree, &[scaled(LAYOUT_DISTANCE)], None)?;
        }
        if passes && voxels > 1024 {
            let tree = self.tree(solid, voxels, SMALL_LEAVES)?;
            for (count, distance) in PASSES {
                let all = vec![scaled(distance); count as usize];
                self.offset(&label(&format!("L 8, {count} x {distance}")), &tree, &all, None)?;
            }
        }
        Ok(())
    }

    /// The same offset on each GPU by itself and on all of them: the speed of all as a share of the sum of each.
    fn shared(&mut self, name: &str, solid: &SolidSurface<'_>) -> Result<()> {
        let gpus = Cuda::names().map_or(0, |names| names.len());
        if gpus < 2 || self.arguments.only.as_deref().is_some_and(|only| only != "gpus") {
            return Ok(());
        }
        let source = self.tree(solid, SHARED_VOXELS, Layout::PUBLISHED)?;
        let distance = SHARED_DISTANCE * self.arguments.scale;
        let request = Request { tree: &source, distance, template: Template::Ring, earlier_passes: 0, culls: false };
        let mut on = |backend: &Cuda, label: &str| {
            let label = format!("{name} {SHARED_VOXELS}³ by {SHARED_DISTANCE}, {label}");
            let (mut branching_ms, mut leaves_ms) = (Vec::new(), Vec::new());
            let (tree, row) = time(&label, self.arguments.runs, || {
                let made = backend.compute(&request, &Progress::silent())?;
                branching_ms.push(made.times.branching_ms);
                leaves_ms.push(made.times.leaves_ms);
                Ok(made.tree)
            })?;
            let median = |mut all: Vec<f64>| {
                // The first only warms up.
                all.remove(0);
                all.sort_by(f64::total_cmp);
                all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
            };
            let [branching_ms, leaves_ms] = [branching_ms, leaves_ms].map(median);
            eprintln!("    on the device: branching {branching_ms:.1} ms, leaves {leaves_ms:.1} ms");
            self.rows.push(with(row, &[("branching_ms", branching_ms.into()), ("leaves_ms", leaves_ms.into())]));
            Ok::<_, base::UserError>((tree, branching_ms + leaves_ms))
        };
        let mut sum_per_ms = 0.0;
        let mut alone = Vec::new();
        for index in 0..gpus {
            let (tree, device_ms) = on(&Cuda::open_alone(index)?, &format!("GPU {index} alone"))?;
            sum_per_ms += 1.0 / device_ms;
            alone.push(tree);
        }
        let (tree, device_ms) = on(&Cuda::open()?, &format!("{gpus} GPUs"))?;
        let is_same = alone.iter().all(|own| *own == tree);
        let share = 1.0 / (device_ms * sum_per_ms);
        eprintln!("    {:.1} % of the summed speed; the same voxels: {is_same}", 100.0 * share);
        let case = format!("{name}, {gpus} GPUs");
        self.rows.push(json!({ "case": case, "share_of_summed_speed": share, "same_voxels": is_same }));
        Ok(())
    }

    fn tree(&self, solid: &SolidSurface<'_>, voxels: u32, layout: Layout) -> Result<VoxelTree> {
        let voxels = ((f64::from(voxels) * self.arguments.scale) as u32).next_power_of_two();
        let lattice = Lattice::about(&Point::origin(), DOMAIN_MM, voxels);
        let request = voxelisation::Request { solid, lattice, layout, cell_format: CellFormat::Wide };
        Ok(self.backend.compute(&request, &Progress::silent())?.tree)
    }

    /// Offsets in passes, with the time of all and the error of the last.
    fn offset(&mut self, label: &str, source: &VoxelTree, passes: &[f64], published_s: Option<f64>) -> Result<()> {
        let silent = Progress::silent();
        let ((offset, figures), row) = time(label, self.arguments.runs, || {
            let (mut offset, mut filtered, mut device_ms, mut template) = (source.clone(), 0, 0.0, 0);
            for (earlier_passes, &distance) in (0..).zip(passes) {
                let request =
                    Request { tree: &offset, distance, template: Template::Ring, earlier_passes, culls: false };
                let made = self.backend.compute(&request, &silent)?;
                (filtered, template) = (filtered + made.filtered, made.template);
                device_ms += made.times.branching_ms + made.times.leaves_ms;
                offset = made.tree;
            }
            Ok((offset, (filtered, template, device_ms)))
        })?;
        let (filtered, template, device_ms) = figures;
        let distance = passes.iter().sum();
        let error = self.backend.compute(&voxel_error::Request { offset: &offset, source, distance }, &silent)?;
        let row = with(
            row,
            &[
                ("device_ms", device_ms.into()),
                ("filtered", filtered.into()),
                ("template", template.into()),
                ("error", json!(error)),
                ("relative_error", (error.mean_absolute / distance.abs()).into()),
                ("published_s", published_s.into()),
            ],
        );
        let error = error.mean_absolute / distance.abs();
        eprintln!("    on the device {device_ms:.1} ms, {filtered} leaves, template {template}, error {error:.4}");
        self.rows.push(row);
        Ok(())
    }
}
