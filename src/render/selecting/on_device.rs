//! Selection of points by a stroke on the graphics device, where the points are stored: available before the next
//! frame, while the CPU takes tens of milliseconds for ten million points.
//!
//! Positions are f32 relative to the centre of the item here and f64 on the CPU, so both may differ for points at the
//! edge of an outline.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use wgpu::util::DeviceExt;

use super::{Cells, Region, Stroke};
use crate::readback::Readback;
use crate::{Gpu, PointsItem};
use geometry::Subset;

/// Number of points per workgroup.
const WORKGROUP_SIZE: u32 = 256;

/// Compute pipelines of the selection passes, see `selecting.wgsl`.
pub struct PointSelector {
    mark: wgpu::ComputePipeline,
    hide: wgpu::ComputePipeline,
}

/// Parameters of the outline, in the layout of `Outline` in the shader.
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
    /// Pads the struct to a multiple of 16 bytes.
    padding: [u32; 2],
}

/// A pending selection.
pub struct PendingSelection {
    read: Readback,
    count: usize,
    stride: u64,
}

impl PointSelector {
    /// Creates the pipelines.
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

    /// Starts the selection of the points of `item` by `stroke`; `None` if the outline is empty.
    pub fn start(&self, gpu: &Gpu, item: &PointsItem, stroke: &Stroke) -> Option<PendingSelection> {
        let region = Region::new(&stroke.outline)?;
        let cells = Cells::of(&region, &stroke.view);
        let words = item.count.div_ceil(32).max(1);
        let bytes = 4 * words as u64;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        // New buffers are zeroed.
        let inside = empty_buffer(gpu, bytes, usage);
        let foremost = filled_buffer(gpu, &vec![u32::MAX; cells.count()], wgpu::BufferUsages::STORAGE);
        let (mut starts, mut edges) = (vec![0], Vec::new());
        for row in &region.rows {
            edges.extend_from_slice(row);
            starts.push(edges.len() as u32);
        }
        if edges.is_empty() {
            return None;
        }
        let starts = filled_buffer(gpu, &starts, wgpu::BufferUsages::STORAGE);
        let edges = filled_buffer(gpu, &edges, wgpu::BufferUsages::STORAGE);
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
            padding: [0; 2],
        };
        let outlines: Vec<wgpu::Buffer> = (item.chunks.iter())
            .map(|chunk| Outline { count: chunk.count, first: chunk.first, ..outline })
            .map(|outline| filled_buffer(gpu, &[outline], wgpu::BufferUsages::UNIFORM))
            .collect();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let passes = if stroke.only_visible { &[&self.mark, &self.hide][..] } else { &[&self.mark][..] };
        for (pass_index, pipeline) in passes.iter().enumerate() {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            for (chunk, outline) in item.chunks.iter().zip(&outlines) {
                let buffers = [outline, &chunk.geometry, &inside, &foremost, &starts, &edges, &chunk.marks];
                // The second pass binds only the first four buffers.
                let used = &buffers[..if pass_index == 0 { buffers.len() } else { 4 }];
                let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
                    .zip(used)
                    .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
                    .collect();
                let layout = &pipeline.get_bind_group_layout(0);
                let descriptor = wgpu::BindGroupDescriptor { label: Some("selecting"), layout, entries: &entries };
                pass.set_bind_group(0, &gpu.device.create_bind_group(&descriptor), &[]);
                pass.dispatch_workgroups(chunk.count.div_ceil(WORKGROUP_SIZE), 1, 1);
            }
        }
        let answer = empty_buffer(gpu, bytes, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);
        encoder.copy_buffer_to_buffer(&inside, 0, &answer, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        Some(PendingSelection { read: Readback::start(answer), count: item.count, stride: item.stride() })
    }
}

fn empty_buffer(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let descriptor = wgpu::BufferDescriptor { label: Some("selecting"), size, usage, mapped_at_creation: false };
    gpu.device.create_buffer(&descriptor)
}

fn filled_buffer<T: bytemuck::Pod>(gpu: &Gpu, contents: &[T], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("selecting"),
        contents: bytemuck::cast_slice(contents),
        usage,
    })
}

impl PendingSelection {
    /// The selected points; `None` while pending, `Some(None)` if the device failed.
    pub fn poll(&self, gpu: &Gpu) -> Option<Option<Subset>> {
        self.read.poll(gpu).map(|bytes| bytes.map(|bytes| self.indices(bytemuck::cast_slice(&bytes))))
    }

    /// Converts bits in drawing order to ascending point indices.
    fn indices(&self, drawn: &[u32]) -> Subset {
        let count = self.count.max(1) as u64;
        // Index offsets of the 32 points of a word from the first.
        let offsets: [u64; 32] = std::array::from_fn(|k| k as u64 * self.stride % count);
        let by_index: Vec<AtomicU32> = (0..drawn.len()).map(|_| AtomicU32::new(0)).collect();
        drawn.par_iter().enumerate().with_min_len(1024).for_each(|(word, &bits)| {
            let (mut bits, first) = (bits, if bits == 0 { 0 } else { 32 * word as u64 * self.stride % count });
            while bits != 0 {
                let index = first + offsets[bits.trailing_zeros() as usize];
                let index = if index < count { index } else { index - count };
                by_index[index as usize / 32].fetch_or(1 << (index % 32), Ordering::Relaxed);
                bits &= bits - 1;
            }
        });
        let ascending = by_index.par_chunks(4096).enumerate().map(|(chunk, words)| {
            let mut indices = Vec::new();
            for (word, bits) in (4096 * chunk as u32..).zip(words) {
                let mut bits = bits.load(Ordering::Relaxed);
                while bits != 0 {
                    indices.push(32 * word + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
            indices
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
    fn the_device_selects_the_same_points_as_the_cpu() {
        let Ok(gpu) = Gpu::off_screen() else { return };
        let (points, camera) = scene();
        let item = PointsItem::new(&gpu, &points);
        let sweeper = PointSelector::new(&gpu);
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
                // Points at the edge of the outline may differ by single precision.
                let different = found.iter().filter(|index| expected.binary_search(index).is_err()).count()
                    + expected.iter().filter(|&&index| !found.contains(index)).count();
                assert!(different * 2000 <= expected.len(), "{different} of {} for {outline:?}", expected.len());
            }
        }
    }
}
