//! What lies on the graphics device: meshes and points, with a deviation per facet or point.
//!
//! Coordinates are f32 about the item's own centre. Facets are stored corner by corner, so that a facet's number is
//! its vertex number over three. Points are stored in a scattered order, so that the first n are an even subset.

use rayon::prelude::*;
use wgpu::util::DeviceExt;

use super::{Gpu, Scatter};
use geometry::{Aabb, Mesh, Point, simplify};

/// How an element is coloured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shade {
    /// By its deviation, mm.
    Deviation(f64),
    /// As one without data.
    NoData,
    /// As one that is selected.
    Selected,
    /// As bright as a camera saw it, 0 to 1.
    Grey(f32),
    /// In the item's own colour.
    Plain,
    /// In the colour of a group, by its number.
    Group(u8),
    /// Not at all.
    Hidden,
}

/// Colours of groups, RGB 0 to 1; the shader holds the same.
pub const GROUP_COLOURS: [[f32; 3]; 8] = [
    [0.86, 0.27, 0.27],
    [0.17, 0.62, 0.38],
    [0.48, 0.36, 0.82],
    [0.93, 0.58, 0.11],
    [0.07, 0.60, 0.72],
    [0.84, 0.35, 0.65],
    [0.55, 0.42, 0.28],
    [0.45, 0.55, 0.15],
];

impl Shade {
    /// As the shader tells them apart.
    fn value(self) -> f32 {
        match self {
            Self::Deviation(mm) => mm as f32,
            Self::NoData => 1e30,
            Self::Selected => 2e30,
            Self::Grey(brightness) => -1e30 * (1.0 + brightness.clamp(0.0, 1.0)),
            Self::Plain => 4e30,
            Self::Group(number) => 1e31 * (f32::from(number) + 1.0),
            Self::Hidden => 1e36,
        }
    }
}

impl From<Option<f64>> for Shade {
    fn from(deviation_mm: Option<f64>) -> Self {
        deviation_mm.map_or(Self::NoData, Self::Deviation)
    }
}

/// Facets that a software rasteriser draws fast enough while the view moves.
const MOVING_FACETS: usize = 40_000;
/// Facets per buffer: keeps each buffer well under the limits of small devices.
const FACETS_PER_CHUNK: usize = 1_000_000;
/// Points per buffer.
const POINTS_PER_CHUNK: usize = 4_000_000;

/// One piece of an item: positions and deviations.
pub(super) struct Chunk {
    pub positions: wgpu::Buffer,
    pub deviations: wgpu::Buffer,
    /// Facets or points.
    pub count: u32,
    /// Number of its first facet or point.
    pub first: u32,
}

/// A mesh on the device.
pub struct MeshItem {
    pub(super) chunks: Vec<Chunk>,
    /// What its coordinates are about, mm.
    pub centre: Point,
    /// Facets.
    pub facets: usize,
    /// A coarser one to draw while the view moves, where a software rasteriser would be too slow.
    pub(super) coarse: Option<Box<MeshItem>>,
}

/// Points on the device.
pub struct PointsItem {
    pub(super) chunks: Vec<Chunk>,
    /// What its coordinates are about, mm.
    pub centre: Point,
    /// Points.
    pub points: usize,
    /// Typical distance between neighbours, mm.
    pub spacing_mm: f64,
    stride: u64,
}

fn chunk(gpu: &Gpu, positions: &[[f32; 3]], count: usize, first: usize) -> Chunk {
    let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("positions"),
        contents: bytemuck::cast_slice(positions),
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE,
    });
    let deviations = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("deviations"),
        size: (count.max(1) * 4) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    Chunk { positions: buffer, deviations, count: count as u32, first: first as u32 }
}

impl MeshItem {
    /// Uploads `mesh`.
    pub fn new(gpu: &Gpu, mesh: &Mesh) -> Self {
        let centre = mesh.bounds().centre();
        let mut chunks = Vec::new();
        for first in (0..mesh.facets.len()).step_by(FACETS_PER_CHUNK) {
            let last = (first + FACETS_PER_CHUNK).min(mesh.facets.len());
            let corners = |facet| mesh.corners(facet).map(|corner| -> [f32; 3] { (corner - centre).cast().into() });
            let positions: Vec<[f32; 3]> = (first..last).into_par_iter().flat_map_iter(corners).collect();
            chunks.push(chunk(gpu, &positions, last - first, first));
        }
        let facets = mesh.facets.len();
        let coarse = (gpu.is_software && facets > 2 * MOVING_FACETS)
            .then(|| Box::new(Self::new(gpu, &simplify::by_clusters(mesh, MOVING_FACETS))));
        Self { chunks, centre, facets, coarse }
    }

    /// Sets how each facet is coloured, by its number.
    pub fn set_shades(&self, gpu: &Gpu, shade: impl Fn(usize) -> Shade + Sync) {
        upload(gpu, &self.chunks, |i| i, shade);
    }
}

impl PointsItem {
    /// Uploads `points`.
    pub fn new(gpu: &Gpu, points: &[Point]) -> Self {
        let centre = Aabb::of_points(points).centre();
        let mut item = Self {
            chunks: Vec::new(),
            centre,
            points: points.len(),
            spacing_mm: spacing_mm(points),
            stride: stride(points.len()),
        };
        for first in (0..points.len()).step_by(POINTS_PER_CHUNK) {
            let last = (first + POINTS_PER_CHUNK).min(points.len());
            let local = |i| -> [f32; 3] { (points[item.number(i)] - centre).cast().into() };
            let positions: Vec<[f32; 3]> = (first..last).into_par_iter().map(local).collect();
            item.chunks.push(chunk(gpu, &positions, last - first, first));
        }
        item
    }

    /// Numbers of the points of a cloud of `count` in the order in which they would be drawn.
    pub fn scattered(count: usize) -> impl Iterator<Item = usize> {
        let (step, all) = (stride(count), count.max(1) as u64);
        (0..count as u64).map(move |drawn| (drawn * step % all) as usize)
    }

    /// The number in the cloud of the point drawn as `drawn`.
    pub fn number(&self, drawn: usize) -> usize {
        (drawn as u64 * self.stride % (self.points.max(1) as u64)) as usize
    }

    /// See [`Self::number`].
    pub(super) fn stride(&self) -> u64 {
        self.stride
    }

    /// Diameter of discs that just close the surface when `budget` points are drawn, pixels. Points that come at random
    /// leave gaps four times their usual distance.
    pub fn closing_size(&self, budget: usize, pixels_per_mm: f64) -> f32 {
        let thinned = (self.points as f64 / budget.clamp(1, self.points.max(1)) as f64).sqrt();
        (4.0 * self.spacing_mm * thinned * pixels_per_mm).clamp(1.0, 160.0) as f32
    }

    /// Sets the deviations of the points drawn first, mm, in the order in which they are drawn; NaN, and those beyond,
    /// are no data.
    pub fn set_first_deviations(&self, gpu: &Gpu, deviations: &[f32]) {
        upload(
            gpu,
            &self.chunks,
            |drawn| drawn,
            |drawn| {
                let known = deviations.get(drawn).filter(|deviation| deviation.is_finite());
                known.map(|&deviation| f64::from(deviation)).into()
            },
        );
    }

    /// Sets how some points are coloured, by their numbers.
    pub fn change_shades(&self, gpu: &Gpu, scatter: &Scatter, numbers: &[u32], shade: impl Fn(u32) -> Shade + Sync) {
        let all = self.points.max(1) as u64;
        let back = inverse(self.stride, all);
        // Numbers are below 2³², so no product overflows.
        let drawn = |number: u32| (u64::from(number) * back % all) as u32;
        let changes: Vec<[u32; 2]> =
            numbers.par_iter().map(|&number| [drawn(number), shade(number).value().to_bits()]).collect();
        for chunk in &self.chunks {
            let own = |&&[drawn, _]: &&[u32; 2]| drawn >= chunk.first && drawn - chunk.first < chunk.count;
            let own: Vec<[u32; 2]> =
                changes.par_iter().filter(own).map(|&[drawn, bits]| [drawn - chunk.first, bits]).collect();
            scatter.write(gpu, &chunk.deviations, &own);
        }
    }

    /// Sets how each point is coloured, by its number.
    pub fn set_shades(&self, gpu: &Gpu, shade: impl Fn(usize) -> Shade + Sync) {
        upload(gpu, &self.chunks, |i| self.number(i), shade);
    }
}

fn upload(gpu: &Gpu, chunks: &[Chunk], number: impl Fn(usize) -> usize + Sync, shade: impl Fn(usize) -> Shade + Sync) {
    for chunk in chunks {
        let first = chunk.first as usize;
        let values: Vec<f32> =
            (first..first + chunk.count as usize).into_par_iter().map(|i| shade(number(i)).value()).collect();
        gpu.queue.write_buffer(&chunk.deviations, 0, bytemuck::cast_slice(&values));
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
    fn the_shader_has_the_colours_of_groups() {
        let shader = include_str!("shaders/scene.wgsl");
        for [r, g, b] in GROUP_COLOURS {
            assert!(shader.contains(&format!("vec3f({r:.2}, {g:.2}, {b:.2}),")), "{r} {g} {b}");
        }
    }

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
