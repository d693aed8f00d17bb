//! Frames of the viewport: while the camera moves (within the point budget) and at rest.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, time};
use base::{Result, UserError};
use geometry::{Aabb, Pose};
use inspect::deviation::Tolerance;
use render::colour_scale::ColourScale;
use render::scene::{Look, Slice};
use render::{Draw, Frame, Gpu, MeshItem, PointsItem, Scene, Shade, Target, ViewCamera};

const POINTS: usize = 2_000_000;
const FACETS: usize = 1_000_000;
const SIZE: [u32; 2] = [1280, 800];

pub fn run(arguments: &Bench) -> Result<Value> {
    let scaled = |count: usize| ((count as f64 * arguments.scale) as usize).max(1000);
    let gpu = Gpu::off_screen()?;
    let mesh = part::cone(scaled(FACETS));
    let points = part::scan(&mesh, scaled(POINTS), 1);
    let mut stage = Stage {
        scene: Scene::new(&gpu),
        targets: [1, gpu.moving_shrink()].map(|shrink| Target::new(&gpu, SIZE[0] / shrink, SIZE[1] / shrink)),
        camera: ViewCamera::new(&mesh.bounds()),
        mesh: MeshItem::new(&gpu, &mesh),
        points: PointsItem::new(&gpu, &points),
    };
    stage.camera.set_size(SIZE[0], SIZE[1]);
    stage.camera.fit();
    let bounds = mesh.bounds();
    let case = |what: &str| format!("{what} ({} points, {} facets)", points.len(), mesh.facets.len());
    let (_, upload) = time(&case("upload deviations"), arguments.runs, || {
        stage.points.set_shades(&gpu, |i| Shade::Deviation((i % 100) as f64 * 0.005 - 0.25));
        wait(&gpu)
    })?;
    let budget = gpu.moving_points();
    let (_, moving) = time(&case("frame while moving"), arguments.runs, || stage.frame(&gpu, budget, &bounds))?;
    let (_, rest) =
        time(&case("frame at rest, all points"), arguments.runs, || stage.frame(&gpu, usize::MAX, &bounds))?;
    let name = gpu.device.adapter_info().name;
    Ok(json!({
        "schema": "shadowgraph.bench/1", "suite": "view",
        "device": { "kind": if gpu.is_software { "software" } else { "gpu" }, "device": name },
        "size_px": SIZE, "moving_points": budget, "rows": [upload, moving, rest],
    }))
}

struct Stage {
    scene: Scene,
    /// At rest, and while the view moves.
    targets: [Target; 2],
    camera: ViewCamera,
    mesh: MeshItem,
    points: PointsItem,
}

impl Stage {
    /// Turns a little, draws, and waits for the picture.
    fn frame(&mut self, gpu: &Gpu, budget: usize, bounds: &Aabb) -> Result<()> {
        self.camera.orbit((9.0, 3.0));
        let look = |by_deviation| Look {
            scene_from_item: Pose::identity(),
            colour: [0.6; 3],
            by_deviation,
            id: 1,
            marked: None,
        };
        let [whole, reduced] = &self.targets;
        let target = if budget < self.points.points { reduced } else { whole };
        let pixels_per_mm = f64::from(target.size[1]) / self.camera.height_mm();
        self.scene.draw(
            target,
            &Frame {
                camera: &self.camera,
                scale: ColourScale::new(Tolerance::default(), 0.3),
                background: [[0.2; 3]; 2],
                point_size: self.points.closing_size(budget, pixels_per_mm).clamp(1.0, 14.0),
                points_in_front_mm: (0.001 * bounds.diagonal()) as f32,
                lighting: 14.0,
                slice: Slice::ALL,
            },
            &[
                Draw::Mesh { item: &self.mesh, look: look(false), moving: budget < self.points.points },
                Draw::Points { item: &self.points, look: look(true), budget },
            ],
        );
        wait(gpu)
    }
}

fn wait(gpu: &Gpu) -> Result<()> {
    // An empty submission carries the writes that wait for one.
    gpu.queue.submit([]);
    gpu.device
        .poll(wgpu::PollType::wait_indefinitely())
        .map(|_| ())
        .map_err(|e| UserError::internal(format!("The graphics device was lost: {e}.")))
}
