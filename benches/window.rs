//! Times frames of the whole window on the graphics adapter at hand: `cargo bench --bench window`.
//!
//! A scan of 2 million points and a mesh of 1 million facets are opened, turned, aligned and coloured; every frame is
//! drawn and read back. SHADOWGRAPH_SCALE=0.1 takes a tenth of the sizes.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui_wgpu::RendererOptions;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use egui_kittest::wgpu::WgpuTestRenderer;
use shadowgraph::app::{App, Options};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::dispatch::Context;
use shadowgraph::geometry::{Cloud, mesh::shapes, sampling};
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::write;

/// Middle of the viewport, and how far the pointer travels about it.
const CENTRE: egui::Pos2 = egui::pos2(560.0, 420.0);

fn main() {
    let scale: f64 = std::env::var("SHADOWGRAPH_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let folder = tempfile::tempdir().unwrap();
    let (part, scan) = (folder.path().join("part.stl"), folder.path().join("scan.ply"));
    let steps = (500_000.0 * scale).sqrt() as u32;
    let mesh = shapes::torus(60.0, 18.0, steps, steps);
    let points = sampling::by_area(&mesh, (2e6 * scale) as usize, 1).iter().map(|sample| sample.point).collect();
    write::mesh(&part, &mesh).unwrap();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    println!("{} facets, {} points, 1280x800", mesh.facets.len(), (2e6 * scale) as usize);

    let context = Context { backend: Arc::new(Cpu), cad: CadReader::default() };
    let options = Options { context, files: vec![part, scan], state_folder: None };
    let mut harness = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_step_dt(1.0 / 60.0)
        // As a real window draws; the tests' predictable filtering costs several times as much in software.
        .renderer(WgpuTestRenderer::with_render_options(RendererOptions {
            dithering: false,
            ..RendererOptions::default()
        }))
        .build_eframe(move |creation| App::new(creation, options));
    report("opening, frames meanwhile", &while_busy(&mut harness, |_, _| ()));
    report("turning, uncoloured", &turn(&mut harness, 30));
    rest(&mut harness);
    report("idle", &(0..30).map(|_| frame(&mut harness)).collect::<Vec<_>>());
    harness.get_by_label("Compare").click();
    harness.run_steps(2);
    harness.get_by_label("Compare now").click();
    report("comparing, turned meanwhile", &while_busy(&mut harness, turn_to));
    report("turning, coloured", &turn(&mut harness, 30));
    rest(&mut harness);
    report("idle, coloured", &(0..30).map(|_| frame(&mut harness)).collect::<Vec<_>>());
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
    loop {
        input(harness, times.len());
        times.push(frame(harness));
        if times.len() > 2 && !harness.state().is_busy() {
            break;
        }
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
