//! `shadowgraph offset`: the offset volume of a part, and the mesh around it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::console::Console;
use crate::output::outln;
use base::limits::format_bytes;
use base::{LengthUnit, Progress, Result, UserError};
use compute::DeviceChoice;
use dispatch::Context;
use geometry::Pose;
use geometry::voxels::{CellFormat, Layout};
use inspect::offset::estimate::Estimate;
use inspect::offset::{MAX_RESOLUTION, Method, OffsetVolume, Parameters, level_set, scan_surface};
use inspect::parts::{Actual, Nominal};
use io::voxels::{VoxelFormat, hdt, slices};
use io::{atomic, write};
use render::camera::StandardView;
use report::offset_picture::{self, OffsetView};

/// `offset`
#[derive(Args, Debug)]
#[command(
    after_help = "The distance is measured exactly, to the facets of the part, unless another method is chosen. The voxels \
    fill a cube around the offset part.\n\nExamples:\n  shadowgraph offset part.stl --distance-mm 2 --out larger.stl\n  \
    shadowgraph offset part.step --distance-mm -0.5 --resolution 1024 --out smaller.ply --json\n  shadowgraph offset \
    part.stl --distance-mm 2 --voxels larger.nvdb --slices layers/ --slice-step 8\n  shadowgraph offset part.stl \
    --distance-mm 6 --method ring --passes 4 --voxels larger.hdt\n  shadowgraph offset part.stl --distance-mm 2 \
    --resolution 16384 --estimate\n  shadowgraph offset part.stl --distance-mm 2 --picture section.png --section z:0.5\n  \
    shadowgraph offset scan.ply --scan --distance-mm 1 --out envelope.stl\n  shadowgraph offset sheet.stl --distance-mm \
    -0.2 --resolve-walls --out thinner.stl"
)]
pub struct Offset {
    /// The part: a mesh or CAD file.
    pub part: PathBuf,
    /// Unit of the part's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// The file is a scan, which encloses nothing: its facets are dilated to both sides, or a disc about each point.
    #[arg(long)]
    pub scan: bool,
    /// Radius of the disc about each point of a scan, mm; by default 1.5 times the point spacing.
    #[arg(long, requires = "scan")]
    pub splat_radius_mm: Option<f64>,
    /// Offset, mm: dilation if positive, erosion if negative.
    #[arg(long, allow_hyphen_values = true)]
    pub distance_mm: f64,
    /// Voxels per axis.
    #[arg(long, default_value_t = 512)]
    pub resolution: u32,
    /// Take more voxels than --resolution where the thinnest wall or gap that the offset leaves needs more.
    #[arg(long)]
    pub resolve_walls: bool,
    /// How the offset is computed.
    #[arg(long, value_enum, default_value_t)]
    pub method: Method,
    /// Passes in which a template of voxels goes the distance.
    #[arg(long, default_value_t = 1)]
    pub passes: u32,
    /// Cells per axis of the tree's root grid: 4, 8, 16, 32, 64 or 128.
    #[arg(long, default_value_t = Layout::default().root)]
    pub root: u32,
    /// Children per axis of a branching cell: 2, 4 or 8.
    #[arg(long, default_value_t = Layout::default().branching)]
    pub branching: u32,
    /// Voxels per axis of a leaf: 8 or 16.
    #[arg(long, default_value_t = Layout::default().leaf)]
    pub leaf: u32,
    /// Store cells in 24 instead of 12 bytes.
    #[arg(long)]
    pub wide_cells: bool,
    /// Write the mesh around the volume to this file: .stl, .ply, .obj or .3mf.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the voxels to this file: .hdt (hybrid dynamic tree) or .nvdb (NanoVDB level set).
    #[arg(long)]
    pub voxels: Option<PathBuf>,
    /// Write layers of the volume as PNG pictures into this folder.
    #[arg(long)]
    pub slices: Option<PathBuf>,
    /// Axis across which the layers lie.
    #[arg(long, value_enum, default_value_t = Axis::Z)]
    pub slice_axis: Axis,
    /// Write every so many layers.
    #[arg(long, default_value_t = 1)]
    pub slice_step: u32,
    /// Draw part and offset, seen from the front right above, into this PNG file.
    #[arg(long)]
    pub picture: Option<PathBuf>,
    /// Cut the picture across an axis at a share of its extent, such as z:0.5.
    #[arg(long, value_parser = section, requires = "picture")]
    pub section: Option<(Axis, f64)>,
    /// Say how large the volume would be, and compute nothing.
    #[arg(long)]
    pub estimate: bool,
    /// Compute device.
    #[arg(long, value_enum, default_value_t)]
    pub backend: DeviceChoice,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    /// Across x.
    X,
    /// Across y.
    Y,
    /// Across z.
    Z,
}

fn section(text: &str) -> std::result::Result<(Axis, f64), String> {
    let parts = text.split_once(':').and_then(|(axis, share)| {
        let share = share.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share))?;
        Some((Axis::from_str(axis, true).ok()?, share))
    });
    parts.ok_or_else(|| "an axis and a share of the extent are expected, such as z:0.5".to_owned())
}

impl Offset {
    fn parameters(&self) -> Parameters {
        Parameters {
            distance_mm: self.distance_mm,
            resolution: self.resolution,
            method: self.method,
            passes: self.passes,
            layout: Layout { root: self.root, branching: self.branching, leaf: self.leaf },
            cell_format: if self.wide_cells { CellFormat::Wide } else { CellFormat::Compact },
        }
    }

    /// What can be refused before minutes of work.
    fn check(&self, parameters: &Parameters) -> Result<()> {
        parameters.check()?;
        if let Some(out) = &self.out {
            write::check_mesh(out)?;
        }
        if let Some(voxels) = &self.voxels
            && VoxelFormat::from_extension(voxels)? == VoxelFormat::NanoVdb
            && self.method != Method::Exact
        {
            return Err(UserError::usage("Only offsets by exact distance can be written as a level set (.nvdb)."));
        }
        Ok(())
    }
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Offset, json: bool, context: &Context) -> Result<i32> {
    let mut parameters = arguments.parameters();
    arguments.check(&parameters)?;
    let console = Console::new();
    let progress = console.progress();
    let nominal = read(arguments, context, &progress.part(0.0, 0.2))?;
    if arguments.resolve_walls {
        let (backend, part) = (context.backend.as_ref(), progress.part(0.2, 0.25));
        let needed = inspect::offset::needed_resolution(backend, &nominal, &parameters, &part)?;
        parameters.resolution = needed.map_or(parameters.resolution, |needed| needed.min(MAX_RESOLUTION));
    }
    if arguments.estimate {
        let estimate = Estimate::new(&nominal, &parameters)?;
        console.done();
        return say_estimate(arguments, &parameters, &estimate, json).map(|()| 0);
    }
    let part = progress.part(0.25, 0.9);
    let made = inspect::offset::run(context.backend.as_ref(), &nominal, &parameters, &part)?;
    let written = write_all(arguments, &nominal, &made, &progress.part(0.9, 1.0))?;
    console.done();
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    if json {
        super::print_json(&in_json(arguments, &made, context))?;
    } else {
        nominal.sentences().iter().chain(&made.sentences()).chain(&written).for_each(|sentence| outln!("{sentence}"));
    }
    Ok(0)
}

fn read(arguments: &Offset, context: &Context, progress: &Progress) -> Result<Nominal> {
    if !arguments.scan {
        return Nominal::read(&arguments.part, arguments.units, context.cad.clone(), progress);
    }
    let paths = [arguments.part.clone()];
    let actual = Actual::read(&paths, arguments.units, None, &context.cad, &progress.part(0.0, 0.6))?;
    let (backend, radius_mm) = (context.backend.as_ref(), arguments.splat_radius_mm);
    scan_surface::of_scan(backend, &actual, &Pose::identity(), radius_mm, &progress.part(0.6, 1.0))
}

/// Writes what is asked for; a line on each.
fn write_all(arguments: &Offset, nominal: &Nominal, made: &OffsetVolume, progress: &Progress) -> Result<Vec<String>> {
    let mut written = Vec::new();
    if let Some(out) = &arguments.out {
        progress.report(0.0, "Writing the mesh")?;
        write::mesh(out, &made.mesh)?;
        written.push(format!("{} facets in {}", made.mesh.facets.len(), out.display()));
        written.extend(write::rounding_note(out, &made.mesh));
    }
    if let Some(path) = &arguments.voxels {
        match VoxelFormat::from_extension(path)? {
            VoxelFormat::Hdt => hdt::write(path, &made.tree)?,
            VoxelFormat::NanoVdb => level_set::write(path, made, &nominal.surface, &progress.part(0.1, 0.6))?,
        }
        written.push(format!("Voxels in {}", path.display()));
    }
    if let Some(folder) = &arguments.slices {
        let axis = arguments.slice_axis as usize;
        let count = slices::write(folder, &made.tree, axis, arguments.slice_step, &progress.part(0.6, 0.9))?;
        written.push(format!("{count} layers in {}", folder.display()));
    }
    if let Some(path) = &arguments.picture {
        progress.report(0.9, "Drawing the picture")?;
        atomic::write_bytes(path, &picture(arguments, nominal, made)?)?;
        written.push(format!("Picture in {}", path.display()));
    }
    Ok(written)
}

/// The picture of part and offset, as PNG.
fn picture(arguments: &Offset, nominal: &Nominal, made: &OffsetVolume) -> Result<Vec<u8>> {
    let part = nominal.surface.mesh();
    let section = arguments.section.map(|(axis, share)| (axis as usize, share));
    let opacity = if section.is_some() { 1.0 } else { 0.45 };
    let view = OffsetView { view: StandardView::Isometric, section, opacity, size: [1000, 800] };
    offset_picture::draw(part, &made.mesh, made.parameters.distance_mm, &view)?.png()
}

fn say_estimate(arguments: &Offset, parameters: &Parameters, estimate: &Estimate, json: bool) -> Result<()> {
    if json {
        return super::print_json(&json!({
            "schema": "shadowgraph.offset-estimate/1",
            "part": arguments.part.to_string_lossy(),
            "parameters": parameters,
            "estimate": estimate,
        }));
    }
    let (size, voxels) = (estimate.size, parameters.resolution);
    outln!(
        "At {voxels} voxels per axis the volume would have about {} voxels in its skin, {} leaves and {} cells: {}.",
        size.active_voxels,
        size.leaves,
        size.cells,
        format_bytes(estimate.volume_bytes)
    );
    outln!("Computing it with its mesh needs about {} of memory.", format_bytes(estimate.peak_bytes));
    Ok(())
}

fn in_json(arguments: &Offset, made: &OffsetVolume, context: &Context) -> serde_json::Value {
    let lattice = made.tree.lattice();
    json!({
        "schema": "shadowgraph.offset/1",
        "software": report::software(),
        "backend": context.backend.device(),
        "part": arguments.part.to_string_lossy(),
        "parameters": made.parameters,
        "lattice": lattice,
        "height": made.tree.height(),
        "statistics": made.statistics,
        "sides": made.sides,
        "voxel_error": made.voxel_error,
        "passes": made.earlier.iter().map(|pass| pass.distance_mm).chain([made.parameters.distance_mm]).collect::<Vec<_>>(),
        "mesh": {
            "path": arguments.out.as_ref().map(|out| out.to_string_lossy()),
            "vertices": made.mesh.vertices.len(),
            "facets": made.mesh.facets.len(),
            "volume_mm3": made.volume_mm3,
            "area_mm2": made.area_mm2,
            "error": made.error,
            "completeness": made.completeness,
        },
        "timings_ms": { "voxels": made.voxels_ms, "mesh": made.mesh_ms },
        "notes": made.notes,
    })
}
