//! The points under a stroke, found on the graphics device where they lie: what takes the processor tens of
//! milliseconds for ten million points is there before the next frame.
//!
//! Places are f32 about the item's centre there, f64 on the processor: on the very rim of an outline both may differ.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use wgpu::util::DeviceExt;

use super::{Cells, Region, Stroke};
use crate::readback::Readback;
use crate::{Gpu, PointsItem};
use geometry::Subset;

/// Points of one work group.
const GROUP: u32 = 256;

/// The passes; see the shader.
pub struct Sweeper {
    mark: wgpu::ComputePipeline,
    hide: wgpu::ComputePipeline,
}

/// What the shader is told of the outline, as it lays it out.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Outline {
    rows: [[f32; 4]; 4],
    size: [f32; 2],
    low: [f32; 2],
    high: [f32; 2],
    radius: f32,
    cell: f32,
    behind: f32,
    columns: u32,
    lines: u32,
    count: u32,
    first: u32,
    only_visible: u32,
    /// Uniforms come in sixteens of bytes.
    rest: [u32; 2],
}

/// A stroke on its way.
pub struct Sweep {
    read: Readback,
    count: usize,
    stride: u64,
}

impl Sweeper {
    /// On a device.
    pub fn new(gpu: &Gpu) -> Self {
        let module = gpu.device.create_shader_module(wgpu::include_wgsl!("../shaders/selecting.wgsl"));
        let pipeline = |entry_point| {
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("selecting"),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        Self { mark: pipeline("mark"), hide: pipeline("hide") }
    }

    /// Asks for the points of `item` under `stroke`; `None` where its outline holds nothing at all.
    pub fn start(&self, gpu: &Gpu, item: &PointsItem, stroke: &Stroke) -> Option<Sweep> {
        let region = Region::new(&stroke.outline)?;
        let cells = Cells::of(&region, &stroke.view);
        let words = item.points.div_ceil(32).max(1);
        let bytes = 4 * words as u64;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        // New buffers hold zeros.
        let inside = buffer(gpu, bytes, usage);
        let foremost = initial(gpu, &vec![u32::MAX; cells.count()], wgpu::BufferUsages::STORAGE);
        let (mut starts, mut edges) = (vec![0], Vec::new());
        for row in &region.rows {
            edges.extend_from_slice(row);
            starts.push(edges.len() as u32);
        }
        if edges.is_empty() {
            return None;
        }
        let starts = initial(gpu, &starts, wgpu::BufferUsages::STORAGE);
        let edges = initial(gpu, &edges, wgpu::BufferUsages::STORAGE);
        let outline = Outline {
            rows: stroke.view.rows_about(&item.centre),
            size: stroke.view.size,
            low: region.low,
            high: region.high,
            radius: region.radius,
            cell: cells.pixels,
            behind: cells.behind_mm,
            columns: cells.columns as u32,
            lines: cells.lines as u32,
            count: 0,
            first: 0,
            only_visible: u32::from(stroke.only_visible),
            rest: [0; 2],
        };
        let outlines: Vec<wgpu::Buffer> = (item.chunks.iter())
            .map(|chunk| Outline { count: chunk.count, first: chunk.first, ..outline })
            .map(|outline| initial(gpu, &[outline], wgpu::BufferUsages::UNIFORM))
            .collect();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let passes = if stroke.only_visible { &[&self.mark, &self.hide][..] } else { &[&self.mark][..] };
        for (number, pipeline) in passes.iter().enumerate() {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            for (chunk, outline) in item.chunks.iter().zip(&outlines) {
                let all = [outline, &chunk.positions, &inside, &foremost, &starts, &edges, &chunk.deviations];
                // The second pass needs the points alone.
                let used = &all[..if number == 0 { all.len() } else { 4 }];
                let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
                    .zip(used)
                    .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
                    .collect();
                let layout = &pipeline.get_bind_group_layout(0);
                let descriptor = wgpu::BindGroupDescriptor { label: Some("selecting"), layout, entries: &entries };
                pass.set_bind_group(0, &gpu.device.create_bind_group(&descriptor), &[]);
                pass.dispatch_workgroups(chunk.count.div_ceil(GROUP), 1, 1);
            }
        }
        let answer = buffer(gpu, bytes, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);
        encoder.copy_buffer_to_buffer(&inside, 0, &answer, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        Some(Sweep { read: Readback::start(answer), count: item.points, stride: item.stride() })
    }
}

fn buffer(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let descriptor = wgpu::BufferDescriptor { label: Some("selecting"), size, usage, mapped_at_creation: false };
    gpu.device.create_buffer(&descriptor)
}

fn initial<T: bytemuck::Pod>(gpu: &Gpu, contents: &[T], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("selecting"),
        contents: bytemuck::cast_slice(contents),
        usage,
    })
}

impl Sweep {
    /// The answer, once there; inside, `None` where the device failed.
    pub fn poll(&self, gpu: &Gpu) -> Option<Option<Subset>> {
        self.read.poll(gpu).map(|bytes| bytes.map(|bytes| self.numbers(bytemuck::cast_slice(&bytes))))
    }

    /// From bits in the order in which points are drawn to ascending numbers.
    fn numbers(&self, drawn: &[u32]) -> Subset {
        let all = self.count.max(1) as u64;
        // Numbers of the 32 points of a word, from that of its first.
        let steps: [u64; 32] = std::array::from_fn(|k| k as u64 * self.stride % all);
        let numbered: Vec<AtomicU32> = (0..drawn.len()).map(|_| AtomicU32::new(0)).collect();
        drawn.par_iter().enumerate().with_min_len(1024).for_each(|(word, &bits)| {
            let (mut bits, first) = (bits, if bits == 0 { 0 } else { 32 * word as u64 * self.stride % all });
            while bits != 0 {
                let number = first + steps[bits.trailing_zeros() as usize];
                let number = if number < all { number } else { number - all };
                numbered[number as usize / 32].fetch_or(1 << (number % 32), Ordering::Relaxed);
                bits &= bits - 1;
            }
        });
        let ascending = numbered.par_chunks(4096).enumerate().map(|(chunk, words)| {
            let mut numbers = Vec::new();
            for (word, bits) in (4096 * chunk as u32..).zip(words) {
                let mut bits = bits.load(Ordering::Relaxed);
                while bits != 0 {
                    numbers.push(32 * word + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
            numbers
        });
        Subset::new(ascending.collect::<Vec<_>>().concat())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::scene;
    use super::super::{Outline, View};
    use super::*;
    use geometry::Pose;

    #[test]
    fn the_device_finds_the_same_points_as_the_processor() {
        let Ok(gpu) = Gpu::off_screen() else { return };
        let (points, camera) = scene();
        let item = PointsItem::new(&gpu, &points);
        let sweeper = Sweeper::new(&gpu);
        let view = View::new(&camera, &Pose::identity(), 0.5);
        let stroke = vec![[250.3, 300.2], [520.7, 310.4], [560.1, 480.9]];
        let corners = vec![[250.3, 200.2], [640.7, 230.4], [400.1, 330.9], [610.4, 520.3], [230.9, 470.2]];
        for outline in [
            Outline::Stroke { path: stroke.clone(), radius: 33.3 },
            Outline::Stroke { path: stroke[..1].to_vec(), radius: 20.1 },
            Outline::Polygon(corners),
            Outline::Polygon(vec![]),
        ] {
            for only_visible in [false, true] {
                let hidden = Subset::default();
                let stroke = Stroke { view: view.clone(), outline: outline.clone(), only_visible, hidden };
                let expected = stroke.of(&points);
                let Some(sweep) = sweeper.start(&gpu, &item, &stroke) else {
                    assert!(expected.is_empty());
                    continue;
                };
                gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
                let found = sweep.poll(&gpu).unwrap().unwrap();
                assert!(found.len() > 20 && found.is_sorted_by(|a, b| a < b), "{}", found.len());
                // Single precision decides on the very rim.
                let apart = found.iter().filter(|number| expected.binary_search(number).is_err()).count()
                    + expected.iter().filter(|&&number| !found.contains(number)).count();
                assert!(apart * 2000 <= expected.len(), "{apart} of {} for {outline:?}", expected.len());
            }
        }
    }
}
