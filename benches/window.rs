//! Times frames of the whole window on the graphics adapter at hand: `cargo bench --bench window`.
//!
//! A scan of 2 million points and a mesh of 1 million facets are opened, turned, aligned and coloured; every frame is
//! drawn to its end, as for a real window. SHADOWGRAPH_POINTS and SHADOWGRAPH_FACETS take other sizes,
//! SHADOWGRAPH_REPEATS another number of openings and comparisons. SHADOWGRAPH_GPU=1 draws on a graphics card and
//! computes on the best device, and adds a best fit that is coloured while it runs. SHADOWGRAPH_AS_POINTS=1 draws the
//! scan as points in place of its surface.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui_wgpu::{RenderState, RendererOptions, ScreenDescriptor, WgpuSetup, wgpu};
use egui_kittest::Harness;
use egui_kittest::TestRenderer;
use egui_kittest::kittest::Queryable as _;
use egui_kittest::wgpu::{create_render_state, default_wgpu_setup};
use shadowgraph::app::{App, Options};
use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::{self, Backend, DeviceChoice};
use shadowgraph::dispatch::{Align, Context, Detect, Inspect, SurfacePoints};
use shadowgraph::geometry::{Aabb, Cloud, Point, Pose, Surface, Vector, mesh::shapes, sampling};
use shadowgraph::inspect::detection;
use shadowgraph::inspect::simulation::pile;
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::{LoadOptions, load_nominal, write};
use shadowgraph::render::ViewCamera;
use shadowgraph::render::selecting::{Outline, View, points_in};
use shadowgraph::session::plan::Recipe;
use shadowgraph::session::selection::Selectable;

/// Flags beside the part.
const FLAGS: usize = 40;
/// Middle of the viewport, and how far the pointer travels about it.
const CENTRE: egui::Pos2 = egui::pos2(560.0, 420.0);

fn main() {
    let size = |name, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (count, facets): (usize, f64) =
        (size("SHADOWGRAPH_POINTS", 2_000_000.0) as usize, size("SHADOWGRAPH_FACETS", 1e6));
    let repeats = size("SHADOWGRAPH_REPEATS", 5.0) as usize;
    let folder = tempfile::tempdir().unwrap();
    let (part, scan) = (folder.path().join("part.stl"), folder.path().join("scan.ply"));
    let steps = (0.5 * facets).sqrt() as u32;
    let mesh = shapes::torus(60.0, 18.0, steps, steps);
    let points: Vec<Point> = sampling::by_area(&mesh, count, 1).iter().map(|sample| sample.point).collect();
    let flagged: Vec<Point> = sampling::by_area(&mesh, FLAGS, 2).iter().map(|sample| sample.point).collect();
    select(&points);
    write::mesh(&part, &mesh).unwrap();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    println!("{} facets, {count} points, 1280x800", mesh.facets.len());

    let on_gpu = std::env::var_os("SHADOWGRAPH_GPU").is_some();
    let backend: Arc<dyn Backend> = if on_gpu { compute::open(DeviceChoice::Auto).0 } else { Arc::new(Cpu) };
    println!("computes on {:?}", backend.device());
    let context = Context { backend, cad: CadReader::default(), hides_flags: false };
    let graphics = render_state(on_gpu);
    let opened = || {
        let (files, context) = (vec![part.clone(), scan.clone()], context.clone());
        window(&graphics, Options { context, files, state_folder: None, no_chooser: None })
    };
    // Frames beside a job are few, and differ much: the job is repeated.
    let mut harness = opened();
    let mut opening = while_busy(&mut harness, |_, _| ());
    for _ in 1..repeats {
        harness = opened();
        opening.extend(while_busy(&mut harness, |_, _| ()));
    }
    report("opening, frames meanwhile", &opening);
    if std::env::var_os("SHADOWGRAPH_AS_POINTS").is_some() {
        harness.key_press(egui::Key::S);
        harness.run_steps(2);
    }
    rest(&mut harness);
    report("turning, uncoloured", &turn(&mut harness, 100));
    rest(&mut harness);
    report("idle", &(0..30).map(|_| frame(&mut harness)).collect::<Vec<_>>());
    if on_gpu {
        fit_live(&mut harness);
    }
    harness.query_all_by_label("Compare").next().unwrap().click();
    harness.run_steps(2);
    let mut comparing = Vec::new();
    for number in 0..repeats {
        harness.state_mut().send(Align::SetPose(Pose::translation(0.001 * number as f64, 0.0, 0.0)));
        while_busy(&mut harness, |_, _| ());
        harness.get_by_label("Compare now").click();
        comparing.extend(while_busy(&mut harness, turn_to));
    }
    report("comparing, turned meanwhile", &comparing);
    report("turning, coloured", &turn(&mut harness, 100));
    rest(&mut harness);
    report("idle, coloured", &(0..30).map(|_| frame(&mut harness)).collect::<Vec<_>>());
    flag(&mut harness, &flagged);
    report(&format!("turning, with {FLAGS} flags"), &turn(&mut harness, 100));
    rest(&mut harness);
    brush(&mut harness);
    search(&graphics, &context, folder.path());
}

/// Measures points of the nominal, and shows their flags.
fn flag(harness: &mut Harness<'static, App>, points: &[Point]) {
    harness.get_by_label("Points").click();
    harness.run_steps(3);
    let mut element = None;
    for point in points {
        harness.state_mut().send(SurfacePoints::Pick(element, *point));
        while_busy(harness, |_, _| ());
        let plan = &harness.state().dispatcher().document.plan;
        element = plan.elements().iter().find(|own| matches!(own.recipe, Recipe::SurfacePoints(_))).map(|own| own.id);
    }
    rest(harness);
}

/// Searches of a pile for the clamps in it: the frames meanwhile, the whole, and how soon one ends that is cancelled.
fn search(graphics: &RenderState, context: &Context, folder: &Path) {
    let part = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parts/clamp.stl");
    let clamp = Surface::new(load_nominal(&part, &LoadOptions::default(), &Progress::silent()).unwrap().mesh);
    let mut parameters = pile::Parameters::for_parts(8, clamp.bounds().diagonal(), 12);
    parameters.sensor.pitch_mm = parameters.sensor.field_mm.map(|side_mm| side_mm / 500.0);
    let cloud = pile::run(&[&clamp], &[0; 8], &parameters, &Progress::silent()).unwrap().cloud;
    println!("a pile of 8 clamps, {} points", cloud.points.len());
    let scan = folder.join("pile.ply");
    write::cloud(&scan, &cloud).unwrap();
    let (files, context) = (vec![part, scan], context.clone());
    let mut harness = window(graphics, Options { context, files, state_folder: None, no_chooser: None });
    while_busy(&mut harness, |_, _| ());
    harness.get_by_label("Detect").click();
    harness.run_steps(3);
    let (mut frames, mut wholes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    // What was searched for already is not searched for again.
    let mut min_score = detection::Parameters::default().min_score;
    let mut find = |harness: &mut Harness<'static, App>| {
        min_score += 1e-6;
        harness.state_mut().send(Detect::Find(detection::Parameters { min_score, ..detection::Parameters::default() }));
    };
    for _ in 0..3 {
        find(&mut harness);
        let started = Instant::now();
        frames.extend(while_busy(&mut harness, turn_to));
        wholes.push(started.elapsed());
    }
    let whole = wholes[wholes.len() / 2];
    // At all stages of a search.
    for tenth in 1..=9 {
        find(&mut harness);
        let started = Instant::now();
        while started.elapsed() < whole * tenth / 10 && harness.state().is_busy() {
            frame(&mut harness);
        }
        let Some(cancel) = harness.query_by_label("Cancel") else { continue };
        cancel.click();
        let started = Instant::now();
        while harness.state().is_busy() {
            frame(&mut harness);
        }
        ends.push(started.elapsed());
    }
    report("searching, turned meanwhile", &frames);
    report("a whole search", &wholes);
    report("from cancelling to the end", &ends);
}

/// A window with files.
fn window(graphics: &RenderState, options: Options) -> Harness<'static, App> {
    Harness::builder()
        .with_size([1280.0, 800.0])
        .with_step_dt(1.0 / 60.0)
        .renderer(Drawn(graphics.clone()))
        .build_eframe(move |creation| App::new(creation, options))
}

/// Strokes of a circle across the part: the frames meanwhile, and the time from the end of each to the picture with
/// its points highlighted.
fn brush(harness: &mut Harness<'static, App>) {
    // Where the view was turned to depends on how many frames there were before.
    harness.key_press(egui::Key::Num0);
    harness.key_press(egui::Key::F);
    harness.run_steps(2);
    harness.get_by_label("Features").click();
    harness.run_steps(2);
    harness.get_by_label("Round").click();
    harness.run_steps(2);
    strokes(harness, Selectable::Points);
    harness.get_by_label("Nominal facets").click();
    harness.run_steps(2);
    strokes(harness, Selectable::Facets);
}

fn strokes(harness: &mut Harness<'static, App>, of: Selectable) {
    come_to_rest(harness);
    let (mut frames, mut firsts, mut ends, mut rests) = (vec![], vec![], vec![], vec![]);
    let mut before = 0;
    for number in 0..10 {
        let from = CENTRE + egui::vec2(-120.0, 12.0 * number as f32 - 60.0);
        harness.drag_at(from);
        for step in 1..=12 {
            harness.hover_at(from + egui::vec2(20.0 * step as f32, 0.0));
            frames.push(frame(harness));
        }
        // One event, so that one frame follows: on a software rasteriser it shows the stroke on the points drawn.
        let (pos, button) = (from + egui::vec2(240.0, 0.0), egui::PointerButton::Primary);
        harness.event(egui::Event::PointerButton { pos, button, pressed: false, modifiers: egui::Modifiers::NONE });
        let started = Instant::now();
        firsts.push(frame(harness));
        // The frame that takes the selection in draws it.
        while harness.state().is_busy() {
            frame(harness);
        }
        ends.push(started.elapsed());
        let selected = harness.state().dispatcher().document.marked(of).selected.len();
        assert!(selected > before, "stroke {number} took nothing");
        before = selected;
        let started = Instant::now();
        come_to_rest(harness);
        rests.push(started.elapsed());
    }
    let what = of.name();
    report(&format!("brushing {what}, frames"), &frames);
    report(&format!("a stroke of {what}, first frame"), &firsts);
    report(&format!("{what}, from stroke to highlight"), &ends);
    report(&format!("{what}, from there to rest"), &rests);
    println!("{before} {what} selected");
}

/// Draws until the picture holds all there is.
fn come_to_rest(harness: &mut Harness<'static, App>) {
    while !harness.state_mut().shows_everything() {
        frame(harness);
    }
}

/// A stroke's points alone, without the window.
fn select(points: &[Point]) {
    let mut camera = ViewCamera::new(&Aabb::of_points(points));
    camera.set_size(900, 700);
    let view = View::new(&camera, &Pose::identity(), 0.05);
    let times: Vec<Duration> = (0..12)
        .map(|number| {
            let y = 300.0 + 8.0 * number as f32;
            let outline = Outline::Stroke { path: vec![[300.0, y], [540.0, y]], radius: 30.0 };
            let started = Instant::now();
            let found = points_in(&view, points, &outline, true, &shadowgraph::geometry::Subset::default());
            assert!(found.len() < points.len());
            started.elapsed()
        })
        .collect();
    report("points under a stroke", &times[2..]);
}

/// On a software rasteriser, or on a card.
fn render_state(on_gpu: bool) -> RenderState {
    let mut setup = default_wgpu_setup();
    if on_gpu && let WgpuSetup::CreateNew(create) = &mut setup {
        create.native_adapter_selector = Some(Arc::new(|adapters, _| {
            let card = adapters.iter().find(|adapter| adapter.get_info().device_type != wgpu::DeviceType::Cpu);
            card.cloned().ok_or_else(|| "there is no graphics card".to_owned())
        }));
    }
    let state = create_render_state(setup, RendererOptions::default());
    println!("draws on {}", state.adapter.get_info().name);
    state
}

/// Best fits from poses off by two degrees and two millimetres: how long each takes from the click to the coloured
/// picture, and the frames meanwhile.
fn fit_live(harness: &mut Harness<'static, App>) {
    let off = Pose::new(Vector::new(1.4, -1.4, 0.5), Vector::new(0.02, 0.02, 0.02));
    let (mut frames, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        harness.state_mut().send(Align::SetPose(off));
        while_busy(harness, |_, _| ());
        let started = Instant::now();
        harness.get_by_label("Best fit").click();
        for number in 0.. {
            frames.push(frame(harness));
            if number > 1 && !harness.state().is_busy() {
                break;
            }
        }
        whole.push(started.elapsed());
    }
    report("best fit, frames meanwhile", &frames);
    report("best fit, from click to picture", &whole);
    let mut moved = Vec::new();
    for number in 0..10 {
        let pose = Pose::translation(0.01 * f64::from(number), 0.0, 0.0);
        let started = Instant::now();
        harness.state_mut().send(Align::SetPose(pose));
        harness.state_mut().send(Inspect::Compare);
        while harness.state().dispatcher().document.current_check().is_none() || harness.state().is_busy() {
            harness.step();
        }
        frame(harness);
        moved.push(started.elapsed());
    }
    report("from a moved pose to its colours", &moved);
}

/// Draws as a window does: into a texture that is waited for, but not read back.
struct Drawn(RenderState);

impl TestRenderer for Drawn {
    fn setup_eframe(&self, creation: &mut eframe::CreationContext<'_>, frame: &mut eframe::Frame) {
        creation.wgpu_render_state = Some(self.0.clone());
        frame.wgpu_render_state = Some(self.0.clone());
    }

    fn handle_delta(&mut self, delta: &mut egui::TexturesDelta) {
        let mut renderer = self.0.renderer.write();
        for (id, images) in delta.set.drain() {
            for image in images {
                renderer.update_texture(&self.0.device, &self.0.queue, id, &image);
            }
        }
        delta.free.drain().for_each(|id| renderer.free_texture(&id));
    }

    fn render(&mut self, context: &egui::Context, output: &egui::FullOutput) -> Result<image::RgbaImage, String> {
        let (device, queue) = (&self.0.device, &self.0.queue);
        let pixels_per_point = context.pixels_per_point();
        let size = context.content_rect().size() * pixels_per_point;
        let size_in_pixels = [size.x.round() as u32, size.y.round() as u32];
        let screen = ScreenDescriptor { size_in_pixels, pixels_per_point };
        let shapes = context.tessellate(output.shapes.clone(), pixels_per_point);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut renderer = self.0.renderer.write();
        let buffers = renderer.update_buffers(device, queue, &mut encoder, &shapes, &screen);
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("window"),
            size: wgpu::Extent3d { width: size_in_pixels[0], height: size_in_pixels[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.0.target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        {
            let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store };
            let attachment =
                wgpu::RenderPassColorAttachment { view: &view, depth_slice: None, resolve_target: None, ops };
            let descriptor = wgpu::RenderPassDescriptor {
                color_attachments: &[Some(attachment)],
                ..wgpu::RenderPassDescriptor::default()
            };
            let mut pass = encoder.begin_render_pass(&descriptor).forget_lifetime();
            renderer.render(&mut pass, &shapes, &screen);
        }
        queue.submit(buffers.into_iter().chain([encoder.finish()]));
        device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
        Ok(image::RgbaImage::new(1, 1))
    }
}

/// One frame with its picture.
fn frame(harness: &mut Harness<'static, App>) -> Duration {
    let started = Instant::now();
    harness.step();
    harness.render().unwrap();
    started.elapsed()
}

fn turn_to(harness: &mut Harness<'static, App>, number: usize) {
    let angle = number as f32 * 0.2;
    if number == 0 {
        harness.drag_at(CENTRE);
    }
    harness.hover_at(CENTRE + 80.0 * egui::vec2(angle.cos(), angle.sin()));
}

fn turn(harness: &mut Harness<'static, App>, count: usize) -> Vec<Duration> {
    let times = (0..count).map(|number| {
        turn_to(harness, number);
        frame(harness)
    });
    let times = times.collect();
    harness.drop_at(CENTRE);
    harness.step();
    times
}

/// Lets the last move pass, and watches how everything is drawn.
fn rest(harness: &mut Harness<'static, App>) {
    std::thread::sleep(Duration::from_millis(250));
    report("coming to rest", &(0..12).map(|_| frame(harness)).collect::<Vec<_>>());
}

fn while_busy(
    harness: &mut Harness<'static, App>,
    mut input: impl FnMut(&mut Harness<'static, App>, usize),
) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut quiet = 0;
    // One job may call the next: only several frames without any are the end.
    while quiet < 5 {
        input(harness, times.len());
        times.push(frame(harness));
        quiet = if harness.state().is_busy() { 0 } else { quiet + 1 };
    }
    harness.drop_at(CENTRE);
    times
}

fn report(name: &str, times: &[Duration]) {
    let mut ms: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    ms.sort_by(f64::total_cmp);
    let (median, worst) = (ms[ms.len() / 2], ms[ms.len() - 1]);
    println!("{name:36} {median:7.1} ms median, {worst:7.1} ms worst of {} frames", ms.len());
}
