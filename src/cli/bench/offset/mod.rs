//! Voxelisation and offsets at the published resolutions, on parts of the published areas and numbers of facets.

pub(super) mod parts;
pub(super) mod rings;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{pools, time};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::morphological_offset::{self, Template};
use compute::{Backend, Compute, distance_offset, voxelisation};
use geometry::voxels::{CellFormat, Lattice, Layout, VoxelTree};
use geometry::{Point, Sides, SolidSurface, Surface};

/// Voxels per axis of the published tables.
const RESOLUTIONS: [u32; 4] = [1024, 2048, 4096, 8192];
/// Edge of the published domain, mm.
pub(super) const DOMAIN_MM: f64 = 122.88;
/// Published distances, voxels.
const DISTANCES: [f64; 5] = [20.0, 40.0, 60.0, 80.0, 100.0];
/// Highest resolutions at which one thread, and all of them, are timed: beyond it they take minutes.
const MAX_SINGLE_VOXELS: u32 = 512;
const MAX_CPU_VOXELS: u32 = 1024;
/// Highest resolution at which the CPU offsets by the ring.
const MAX_RING_VOXELS: u32 = 256;

pub fn run(arguments: &Bench) -> Result<Value> {
    let mut rows = Vec::new();
    let gpu = Cuda::open().ok();
    let resolutions: Vec<u32> =
        RESOLUTIONS.iter().map(|&voxels| ((f64::from(voxels) * arguments.scale) as u32).next_power_of_two()).collect();
    let parts = parts::all().map(|part| (Surface::new(part.mesh()), part.name));
    let cases = |most: u32| {
        let resolutions = resolutions.iter().filter(move |voxels| **voxels <= most);
        let parts = &parts;
        resolutions.flat_map(move |&voxels| parts.iter().map(move |(surface, name)| (surface, *name, voxels)))
    };
    if let Some(gpu) = &gpu {
        for (surface, name, voxels) in cases(u32::MAX) {
            let solid = SolidSurface::new(surface, Sides::Normals);
            let case = Case::new(&solid, name, voxels);
            case.measure(&gpu.device().device, gpu, arguments, &mut rows)?;
        }
    }
    for ((threads, pool), most) in pools()?.iter().zip([MAX_SINGLE_VOXELS, MAX_CPU_VOXELS]) {
        for (surface, name, voxels) in cases(most) {
            let solid = SolidSurface::new(surface, Sides::Normals);
            let case = Case::new(&solid, name, voxels);
            pool.install(|| case.measure(threads, &Cpu, arguments, &mut rows))?;
        }
    }
    for (surface, name, voxels) in cases(MAX_RING_VOXELS).filter(|_| arguments.only.is_none()) {
        let solid = SolidSurface::new(surface, Sides::Normals);
        Case::new(&solid, name, voxels).rings("all threads", arguments, &mut rows)?;
    }
    let device = gpu.map_or_else(|| Cpu.device(), |gpu| gpu.device());
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "offset", "device": device, "rows": rows }))
}

/// A part at a resolution.
struct Case<'a> {
    name: &'a str,
    solid: &'a SolidSurface<'a>,
    lattice: Lattice,
}

impl<'a> Case<'a> {
    fn new(solid: &'a SolidSurface<'a>, name: &'a str, voxels: u32) -> Self {
        Self { name, solid, lattice: Lattice::about(&Point::origin(), DOMAIN_MM, voxels) }
    }

    fn label(&self, what: &str, threads: &str) -> String {
        format!("{} {}³, {what} ({threads})", self.name, self.lattice.voxels)
    }

    fn tree(&self, backend: &dyn Backend, layout: Layout, cell_format: CellFormat) -> Result<voxelisation::Answer> {
        let request = voxelisation::Request { solid: self.solid, lattice: self.lattice, layout, cell_format };
        backend.compute(&request, &Progress::silent())
    }

    fn measure(&self, threads: &str, backend: &dyn Backend, arguments: &Bench, rows: &mut Vec<Value>) -> Result<()> {
        let is_wanted = |what: &str| arguments.only.as_deref().is_none_or(|only| only == what);
        if is_wanted("voxelise") {
            self.voxelise(threads, backend, arguments, rows)?;
        }
        if is_wanted("exact") {
            self.offsets(threads, backend, arguments, rows)?;
        }
        Ok(())
    }

    fn voxelise(&self, threads: &str, backend: &dyn Backend, arguments: &Bench, rows: &mut Vec<Value>) -> Result<()> {
        for (layout, cell_format, name) in [
            (Layout::PUBLISHED, CellFormat::Wide, "R 16, L 16, 24 bytes"),
            (Layout::default(), CellFormat::Compact, "R 32, L 8, 12 bytes"),
        ] {
            let (made, row) = time(&self.label(&format!("voxelise, {name}"), threads), arguments.runs, || {
                self.tree(backend, layout, cell_format)
            })?;
            let statistics = made.tree.statistics();
            rows.push(with(
                row,
                &[
                    ("mapping_ms", made.mapping_ms.into()),
                    ("branching_ms", made.times.branching_ms.into()),
                    ("leaves_ms", made.times.leaves_ms.into()),
                    ("facets", self.solid.surface().mesh().facets.len().into()),
                    ("statistics", json!(statistics)),
                    ("bits_per_active_voxel", (statistics.topology_bits + statistics.data_bits).into()),
                ],
            ));
        }
        Ok(())
    }

    fn offsets(&self, name: &str, backend: &dyn Backend, arguments: &Bench, rows: &mut Vec<Value>) -> Result<()> {
        for distance in DISTANCES {
            let request = distance_offset::Request {
                solid: self.solid,
                distance_mm: distance * self.lattice.voxel_mm,
                lattice: self.lattice,
                layout: Layout::default(),
                cell_format: CellFormat::Compact,
            };
            let label = self.label(&format!("exact offset by {distance} voxels"), name);
            let (made, row) = time(&label, arguments.runs, || backend.compute(&request, &Progress::silent()))?;
            rows.push(with(row, &[("times", json!(made.times)), ("leaves", made.tree.leaves().into())]));
        }
        Ok(())
    }

    /// The published method, beside the exact ball on the same voxels.
    fn rings(&self, name: &str, arguments: &Bench, rows: &mut Vec<Value>) -> Result<()> {
        let tree: VoxelTree = self.tree(&Cpu, Layout::PUBLISHED, CellFormat::Wide)?.tree;
        for (template, culls, what) in
            [(Template::Ring, false, "ring"), (Template::Ring, true, "ring, culled"), (Template::Ball, true, "ball")]
        {
            let request =
                morphological_offset::Request { tree: &tree, distance: 20.0, template, earlier_passes: 0, culls };
            let label = self.label(&format!("offset by 20 voxels, {what}"), name);
            let (made, row) = time(&label, arguments.runs, || Cpu.compute(&request, &Progress::silent()))?;
            rows.push(with(
                row,
                &[("times", json!(made.times)), ("filtered", made.filtered.into()), ("template", made.template.into())],
            ));
        }
        Ok(())
    }
}

pub(super) fn with(mut row: Value, figures: &[(&str, Value)]) -> Value {
    if let Some(row) = row.as_object_mut() {
        row.extend(figures.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    }
    row
}
