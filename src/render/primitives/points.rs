//! Points, as single pixels or as discs that close the surface. They are stored in a scattered order, so that the first n
//! of them are an even subset.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Chunk, Look, Mark, MarkWriter, POSITIONS, Phase, parts, shader, upload_marks, upload_values};
use crate::Gpu;
use crate::scene::Frame;
use geometry::{Aabb, Point};

/// Points per buffer: keeps each within what every device binds, 128 MiB.
const POINTS_PER_CHUNK: usize = 10_000_000;
/// Points from which on discs close the surface, and the largest discs of fewer and of more, pixels.
const MIN_CLOSED_POINTS: usize = 1000;
const MAX_MARK_SIZE: f64 = 10.0;
const MAX_DISC_SIZE: f64 = 160.0;
/// Discs cost six corners a point: a software rasteriser draws pixels above this many.
const MAX_SOFTWARE_DISCS: usize = 200_000;

/// Points on the device.
pub struct PointsItem {
    pub(crate) chunks: Vec<Chunk>,
    /// What its coordinates are about, mm.
    pub centre: Point,
    /// Number of points.
    pub count: usize,
    /// Typical distance between neighbours, mm.
    pub spacing_mm: f64,
    stride: u64,
    /// Whether points may be hidden.
    hides_any: AtomicBool,
}

impl PointsItem {
    /// Uploads `points`.
    pub fn new(gpu: &Gpu, points: &[Point]) -> Self {
        let centre = Aabb::of_points(points).centre();
        let mut item = Self {
            chunks: Vec::new(),
            centre,
            count: points.len(),
            spacing_mm: spacing_mm(points),
            stride: stride(points.len()),
            hides_any: AtomicBool::new(false),
        };
        for first in (0..points.len()).step_by(POINTS_PER_CHUNK) {
            let range = first..(first + POINTS_PER_CHUNK).min(points.len());
            let local = |i| -> [f32; 3] { (points[item.index(i)] - centre).cast().into() };
            let positions: Vec<[f32; 3]> = range.clone().into_par_iter().map(local).collect();
            item.chunks.push(Chunk::new(gpu, bytemuck::cast_slice(&positions), range, true));
        }
        item
    }

    /// Indices of the points of a cloud of `count` in the order in which they would be drawn.
    pub fn scattered(count: usize) -> impl Iterator<Item = usize> {
        let (step, all) = (stride(count), count.max(1) as u64);
        (0..count as u64).map(move |drawn| (drawn * step % all) as usize)
    }

    /// The index in the cloud of the point drawn as `drawn`.
    pub fn index(&self, drawn: usize) -> usize {
        (drawn as u64 * self.stride % (self.count.max(1) as u64)) as usize
    }

    /// What finds the place in the order of drawing by the index in the cloud.
    pub(crate) fn drawn_of(&self) -> impl Fn(u32) -> u32 + Sync {
        let all = self.count.max(1) as u64;
        let back = inverse(self.stride, all);
        // Indices are below 2³², so no product overflows.
        move |index| (u64::from(index) * back % all) as u32
    }

    /// Whether they are few enough for a [`super::surface::SurfaceItem`], which needs them in one buffer.
    pub fn can_carry_surface(&self) -> bool {
        self.chunks.len() == 1
    }

    pub(crate) fn hides_any(&self) -> bool {
        self.hides_any.load(Ordering::Relaxed)
    }

    /// How far apart in the cloud two points are that are drawn after each other, modulo their number.
    pub(crate) fn stride(&self) -> u64 {
        self.stride
    }

    /// Diameter of discs that just close the surface when `budget` points are drawn, pixels. Points that come at random
    /// leave gaps four times their usual distance. Few points, as those that a CMM touched, are marks and no surface.
    pub fn closing_size(&self, budget: usize, pixels_per_mm: f64) -> f32 {
        let thinned = (self.count as f64 / budget.clamp(1, self.count.max(1)) as f64).sqrt();
        let largest = if self.count < MIN_CLOSED_POINTS { MAX_MARK_SIZE } else { MAX_DISC_SIZE };
        (4.0 * self.spacing_mm * thinned * pixels_per_mm).clamp(1.0, largest) as f32
    }

    /// Sets the values of the points drawn first, in the order in which they are drawn; NaN, and those beyond, are no data.
    pub fn set_first_values(&self, gpu: &Gpu, values: &[f32]) {
        upload_values(gpu, &self.chunks, |drawn| {
            values.get(drawn).filter(|value| value.is_finite()).map(|&own| own.into())
        });
    }

    /// Sets the value of each point, by its index in the cloud.
    pub fn set_values(&self, gpu: &Gpu, value: impl Fn(usize) -> Option<f64> + Sync) {
        upload_values(gpu, &self.chunks, |drawn| value(self.index(drawn)));
    }

    /// Sets the mark of each point, by its index in the cloud.
    pub fn set_marks(&self, gpu: &Gpu, mark: impl Fn(usize) -> Mark + Sync) {
        self.hides_any.store(false, Ordering::Relaxed);
        upload_marks(gpu, &self.chunks, |drawn| {
            let mark = mark(self.index(drawn));
            self.note(mark);
            mark
        });
    }

    fn note(&self, mark: Mark) {
        if mark == Mark::Hidden {
            self.hides_any.store(true, Ordering::Relaxed);
        }
    }

    /// Changes the marks of some points, by their indices in the cloud; each may stand there once.
    pub fn change_marks(&self, gpu: &Gpu, writer: &MarkWriter, indices: &[u32], mark: impl Fn(u32) -> Mark + Sync) {
        let drawn = self.drawn_of();
        let code = |index| {
            let mark = mark(index);
            self.note(mark);
            u32::from(mark.code())
        };
        let changes: Vec<[u32; 2]> = indices.par_iter().map(|&index| [drawn(index), code(index)]).collect();
        for chunk in &self.chunks {
            let own = |&&[drawn, _]: &&[u32; 2]| drawn >= chunk.first && drawn - chunk.first < chunk.count;
            let own: Vec<[u32; 2]> =
                changes.par_iter().filter(own).map(|&[drawn, code]| [drawn - chunk.first, code]).collect();
            writer.write(gpu, &chunk.marks, &own);
        }
    }
}

pub(super) struct Pipelines {
    pixels: super::Pipelines,
    discs: super::Pipelines,
}

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        use wgpu::PrimitiveTopology;
        let shader = shader(gpu, "points", include_str!("../shaders/points.wgsl"));
        let pipelines = |vertex, layout| super::Pipelines::new(gpu, &shader, (vertex, "point_pixel"), layout);
        Self {
            pixels: pipelines("point_vertex", (PrimitiveTopology::PointList, [POSITIONS].as_slice())),
            discs: pipelines("disc_vertex", (PrimitiveTopology::TriangleList, [].as_slice())),
        }
    }

    pub fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Frame<'_>,
        phase: Phase,
        (item, look, budget): (&PointsItem, &Look, usize),
    ) {
        let drawn = item.count.min(budget);
        let as_discs = frame.point_size > 1.5 && !(gpu.is_software && drawn > MAX_SOFTWARE_DISCS);
        let pipelines = if as_discs { &self.discs } else { &self.pixels };
        pass.set_pipeline(pipelines.of(phase, frame.cut.is_some()));
        for (chunk, part) in parts(&item.chunks, frame.slice.of_elements(drawn)) {
            chunk.bind(gpu, pass, frame, (look, &item.centre, 0.0));
            if as_discs {
                pass.draw(6 * part.start..6 * part.end, 0..1);
            } else {
                pass.draw(part, 0..1);
            }
        }
    }
}

/// Typical distance between neighbours, from a part of the cloud: the whole of a small one, one of many small boxes of
/// a large one.
fn spacing_mm(points: &[Point]) -> f64 {
    let ordered = geometry::morton::order(&points[..points.len().min(400_000)]);
    let run: Vec<Point> = ordered.iter().take(60_000).map(|&i| points[i as usize]).collect();
    let kept_share = run.len() as f64 / ordered.len().max(1) as f64;
    let sampled_share = ordered.len() as f64 / points.len().max(1) as f64;
    let spacing = geometry::thinning::spacing_mm(&geometry::KdTree::new(&run), &run);
    // A cloud read only in part is denser than the part shows, where its points come in no order.
    if kept_share < 1.0 && sampled_share < 1.0 { spacing * sampled_share.sqrt() } else { spacing }
}

/// A step that visits all of `count` numbers, each next one far from the last: near the golden section, without a
/// common divisor.
fn stride(count: usize) -> u64 {
    let count = count.max(1) as u64;
    let mut step = ((count as f64 * 0.618_033_988_75) as u64).max(1);
    while greatest_common_divisor(step, count) != 1 {
        step += 1;
    }
    step
}

/// What undoes a multiplication by `step` modulo `all`, which have no common divisor (Euclid's algorithm).
fn inverse(step: u64, all: u64) -> u64 {
    let (mut a, mut b) = (all as i128, (step % all) as i128);
    let (mut x, mut y) = (0_i128, 1_i128);
    while b != 0 {
        let times = a / b;
        (a, b) = (b, a - times * b);
        (x, y) = (y, x - times * y);
    }
    x.rem_euclid(all as i128) as u64
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scattered_order_visits_every_point_once_and_evenly() {
        for count in [1_usize, 2, 3, 10, 997, 1000, 4096] {
            let step = stride(count);
            let mut seen = vec![false; count];
            for i in 0..count {
                seen[(i as u64 * step % count as u64) as usize] = true;
            }
            assert!(seen.iter().all(|&seen| seen), "{count}");
            let back = inverse(step, count as u64);
            assert!((0..count as u64).all(|i| i * step % count as u64 * back % count as u64 == i), "{count}");
        }
        let step = stride(1000);
        let mut first: Vec<u64> = (0..100).map(|i| i * step % 1000).collect();
        first.sort_unstable();
        assert!(first.windows(2).all(|pair| pair[1] - pair[0] <= 60));
    }
}
