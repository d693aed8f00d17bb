//! Distance fields of parts of the published areas at the published resolutions: how long they take, how exact they are,
//! and frame times while the distance changes.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::offset::{DOMAIN_MM, parts, with};
use super::view::wait;
use super::{pools, time};
use base::Result;
use compute::Backend;
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use geometry::distance_field::Ray;
use geometry::{Pose, Surface};
use inspect::deviation::Tolerance;
use inspect::offset::{PartField, field};
use render::colour_scale::ColourScale;
use render::scene::Slice;
use render::{Colouring, Draw, FieldItem, Frame, Gpu, Look, Scene, Target, ViewCamera};

/// Voxels per axis of the published tables.
const RESOLUTIONS: [u32; 4] = [512, 1024, 2048, 4096];
/// Highest resolution at which all threads are timed.
const MAX_CPU_VOXELS: u32 = 512;
/// Reach, voxels.
const REACH: f64 = 100.0;
/// Sizes of the view: at rest on a graphics card, and moving on a software rasteriser.
const SIZES: [[u32; 2]; 2] = [[1920, 1080], [640, 400]];

pub fn run(arguments: &Bench) -> Result<Value> {
    let mut rows = Vec::new();
    let cuda = Cuda::open().ok();
    let threads = pools()?.last().map_or_else(String::new, |(name, _)| name.clone());
    for part in parts::all() {
        let surface = Surface::new(part.mesh());
        for voxels in RESOLUTIONS.map(|voxels| ((f64::from(voxels) * arguments.scale) as u32).max(16)) {
            let parameters = parameters(&surface, voxels);
            let label = format!("{} {voxels}³, field to {REACH} voxels", part.name);
            if let Some(cuda) = &cuda {
                let name = cuda.device().device;
                let label = format!("{label} ({name})");
                let (made, row) = build(&label, cuda, &surface, &parameters, arguments)?;
                rows.push(row);
                if voxels > MAX_CPU_VOXELS {
                    rows.extend(frames(&format!("{} {voxels}³", part.name), &made, arguments)?);
                }
            }
            if voxels <= MAX_CPU_VOXELS {
                let (made, row) = build(&format!("{label} ({threads})"), &Cpu, &surface, &parameters, arguments)?;
                rows.push(row);
                rows.extend(frames(&format!("{} {voxels}³", part.name), &made, arguments)?);
            }
        }
    }
    let device = cuda.map_or_else(|| Cpu.device(), |cuda| cuda.device());
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "field", "device": device, "rows": rows }))
}

/// Samples as far apart as the voxels of the published domain.
fn parameters(surface: &Surface, voxels: u32) -> field::Parameters {
    let voxel_mm = DOMAIN_MM / f64::from(voxels);
    let size_mm = surface.bounds().size().max() + 2.0 * REACH * voxel_mm;
    field::Parameters { reach_mm: REACH * voxel_mm, resolution: (size_mm / voxel_mm).round() as u32 }
}

fn build(
    label: &str,
    backend: &dyn Backend,
    surface: &Surface,
    parameters: &field::Parameters,
    arguments: &Bench,
) -> Result<(PartField, Value)> {
    let (made, row) =
        time(label, arguments.runs, || field::run(backend, surface, parameters, &base::Progress::silent()))?;
    let spacing_mm = made.field.grid().spacing_mm;
    eprintln!(
        "    the field itself {:.1} ms, {} bricks, {} bytes",
        made.field_ms,
        made.field.bricks(),
        made.field.bytes()
    );
    let row = with(
        row,
        &[
            ("field_ms", made.field_ms.into()),
            ("bricks", made.field.bricks().into()),
            ("bytes", made.field.bytes().into()),
            ("p95_voxels", (made.error.p95_mm / spacing_mm).into()),
            ("max_voxels", (made.error.max_mm / spacing_mm).into()),
        ],
    );
    Ok((made, row))
}

/// Frames at another distance each, and the rays of one on the CPU.
fn frames(part: &str, made: &PartField, arguments: &Bench) -> Result<Vec<Value>> {
    let Ok(gpu) = Gpu::off_screen() else { return Ok(Vec::new()) };
    let name = gpu.device.adapter_info().name;
    let (scene, item) = (Scene::new(&gpu), FieldItem::new(&gpu, &made.field)?);
    let mut rows = Vec::new();
    for size in SIZES {
        let target = Target::new(&gpu, size[0], size[1]);
        let mut camera = ViewCamera::new(&made.field.grid().bounds());
        camera.set_size(size[0], size[1]);
        camera.fit();
        let mut share = 0.0_f64;
        let label = format!("{part}, frame of {} x {} at another distance ({name})", size[0], size[1]);
        let (_, row) = time(&label, arguments.runs.max(20), || {
            share = (share + 0.137).fract();
            camera.orbit((9.0, 3.0));
            let look = Look {
                scene_from_item: Pose::identity(),
                colour: [0.1, 0.6, 0.7],
                opacity: 1.0,
                colouring: Colouring::Plain,
                id: 1,
            };
            let distance_mm = (2.0 * share - 1.0) * made.parameters.reach_mm;
            let frame = Frame {
                camera: &camera,
                scale: ColourScale::new(Tolerance::default(), 0.3).into(),
                background: [[0.2; 3]; 2],
                point_size: 1.0,
                points_in_front_mm: 0.0,
                lighting: 14.0,
                cut: None,
                slice: Slice::ALL,
            };
            scene.draw(&target, &frame, &[Draw::Field { item: &item, look, distance_mm }]);
            wait(&gpu)
        })?;
        rows.push(row);
        if made.field.grid().size().iter().max() > Some(&(2 * MAX_CPU_VOXELS)) {
            continue;
        }
        let (hits, row) = time(&format!("{part}, rays of {} x {} (CPU)", size[0], size[1]), arguments.runs, || {
            Ok(hits(made, &camera, size))
        })?;
        rows.push(with(row, &[("hits", hits.into())]));
    }
    Ok(rows)
}

fn hits(made: &PartField, camera: &ViewCamera, size: [u32; 2]) -> usize {
    use rayon::prelude::*;
    let grid = made.field.grid();
    let distance = (0.5 * made.parameters.reach_mm / grid.spacing_mm) as f32;
    let is_hit = |pixel: &u32| {
        let (origin, direction) = camera.ray(((pixel % size[0]) as f32 + 0.5, (pixel / size[0]) as f32 + 0.5));
        let local = ((origin - grid.origin) / grid.spacing_mm).map(|value| value as f32);
        let ray = Ray { origin: local.into(), direction: direction.map(|value| value as f32).into(), cut: None };
        made.field.march(&ray, distance).is_some()
    };
    (0..size[0] * size[1]).into_par_iter().filter(is_hit).count()
}
