//! Frame times of the viewport: while the camera moves (within the point budget) and at rest, with the scan as points and
//! as a surface; and how long the surface takes to make.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, time};
use base::{Progress, Result, UserError};
use compute::{Compute, DeviceChoice, meshing};
use geometry::{Aabb, OrderedPoints, Pose, simplify};
use inspect::deviation::Tolerance;
use render::colour_scale::ColourScale;
use render::scene::Slice;
use render::{Colouring, Draw, FacetsItem, Frame, Gpu, Look, PointsItem, Scene, SurfaceItem, Target, ViewCamera};

const POINTS: usize = 2_000_000;
const FACETS: usize = 1_000_000;
/// Points of the scans that are meshed.
const MESHED: [usize; 2] = [3_000_000, 10_000_000];
const SIZE: [u32; 2] = [1280, 800];

pub fn run(arguments: &Bench) -> Result<Value> {
    let scaled = |count: usize| ((count as f64 * arguments.scale) as usize).max(1000);
    let gpu = Gpu::off_screen()?;
    let mesh = part::cone(scaled(FACETS));
    let points = part::scan(&mesh, scaled(POINTS), 1);
    let mut bench = ViewBench {
        scene: Scene::new(&gpu),
        targets: [1, gpu.moving_shrink()].map(|shrink| Target::new(&gpu, SIZE[0] / shrink, SIZE[1] / shrink)),
        camera: ViewCamera::new(&mesh.bounds()),
        mesh: FacetsItem::new(&gpu, &mesh),
        points: PointsItem::new(&gpu, &points),
        surface: None,
    };
    bench.camera.set_size(SIZE[0], SIZE[1]);
    bench.camera.fit();
    let bounds = mesh.bounds();
    let case = |what: &str| format!("{what} ({} points, {} facets)", points.len(), mesh.facets.len());
    let (_, upload) = time(&case("upload deviations"), arguments.runs, || {
        bench.points.set_values(&gpu, |i| Some((i % 100) as f64 * 0.005 - 0.25));
        wait(&gpu)
    })?;
    let budget = gpu.moving_points();
    let (_, moving) = time(&case("frame while moving"), arguments.runs, || bench.frame(&gpu, budget, &bounds))?;
    let (_, rest) =
        time(&case("frame at rest, all points"), arguments.runs, || bench.frame(&gpu, usize::MAX, &bounds))?;
    let mut rows = vec![upload, moving, rest];
    for count in MESHED.map(scaled) {
        rows.extend(bench.surface(&gpu, count, arguments)?);
    }
    let name = gpu.device.adapter_info().name;
    Ok(json!({
        "schema": "shadowgraph.bench/1", "suite": "view",
        "device": { "kind": if gpu.is_software { "software" } else { "gpu" }, "device": name },
        "size_px": SIZE, "moving_points": budget, "rows": rows,
    }))
}

struct ViewBench {
    scene: Scene,
    /// Targets for the view at rest and while it moves.
    targets: [Target; 2],
    camera: ViewCamera,
    mesh: FacetsItem,
    points: PointsItem,
    /// Drawn in place of the points.
    surface: Option<SurfaceItem>,
}

impl ViewBench {
    /// Meshes a scan of `count` points, and turns it.
    fn surface(&mut self, gpu: &Gpu, count: usize, arguments: &Bench) -> Result<Vec<Value>> {
        let mesh = part::cone(FACETS / 10);
        let points = part::scan(&mesh, count, 1);
        let (backend, _) = compute::open(DeviceChoice::Auto);
        let ordered = OrderedPoints::new(&points);
        let request = meshing::Request { points: &ordered };
        let label = format!("meshing {} points ({})", points.len(), backend.device().device);
        let (facets, meshed) = time(&label, arguments.runs, || backend.compute(&request, &Progress::silent()))?;
        self.points = PointsItem::new(gpu, &points);
        self.points.set_values(gpu, |i| Some((i % 100) as f64 * 0.005 - 0.25));
        let budget = gpu.moving_facets();
        let (coarse, clustered) = time(&format!("coarse surface of {} facets", facets.corners.len()), 1, || {
            Ok(simplify::clustered(&points, &facets.corners, budget))
        })?;
        let all = (facets.corners.as_slice(), Some(coarse.as_slice()));
        self.surface = SurfaceItem::new(gpu, &self.points, all, &facets.normals);
        self.mesh = FacetsItem::new(gpu, &mesh);
        let label = format!("frame of a surface ({} points, {} facets)", points.len(), facets.corners.len());
        let bounds = mesh.bounds();
        let (_, frame) = time(&label, arguments.runs, || self.frame(gpu, usize::MAX, &bounds))?;
        let label = format!("frame of a turning surface ({} points, {} facets)", points.len(), coarse.len());
        let (_, moving) = time(&label, arguments.runs, || self.frame(gpu, 0, &bounds))?;
        Ok(vec![meshed, clustered, frame, moving])
    }

    /// Rotates the camera slightly, draws, and waits for the picture.
    fn frame(&mut self, gpu: &Gpu, budget: usize, bounds: &Aabb) -> Result<()> {
        self.camera.orbit((9.0, 3.0));
        let look =
            |colouring| Look { scene_from_item: Pose::identity(), colour: [0.6; 3], opacity: 1.0, colouring, id: 1 };
        let [whole, reduced] = &self.targets;
        let target = if budget < self.points.count { reduced } else { whole };
        let moving = budget < self.points.count;
        let pixels_per_mm = f64::from(target.size[1]) / self.camera.height_mm();
        self.scene.draw(
            target,
            &Frame {
                camera: &self.camera,
                scale: ColourScale::new(Tolerance::default(), 0.3).into(),
                background: [[0.2; 3]; 2],
                point_size: self.points.closing_size(budget, pixels_per_mm).clamp(1.0, 14.0),
                points_in_front_mm: (0.001 * bounds.diagonal()) as f32,
                lighting: 14.0,
                cut: None,
                slice: Slice::ALL,
            },
            &[
                Draw::Facets { item: &self.mesh, look: look(Colouring::Plain), moving },
                match &self.surface {
                    Some(item) => Draw::Surface { item, points: &self.points, look: look(Colouring::Scale), moving },
                    None => Draw::Points { item: &self.points, look: look(Colouring::Scale), budget },
                },
            ],
        );
        wait(gpu)
    }
}

pub(super) fn wait(gpu: &Gpu) -> Result<()> {
    // An empty submission flushes pending writes.
    gpu.queue.submit([]);
    gpu.device
        .poll(wgpu::PollType::wait_indefinitely())
        .map(|_| ())
        .map_err(|e| UserError::internal(format!("The graphics device was lost: {e}.")))
}
