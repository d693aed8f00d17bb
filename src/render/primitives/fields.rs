//! Offsets of distance fields, found by rays through them: another distance is another number in the shader.
//!
//! The rays are a compute shader: devices for computing run pixel shaders on a small part of themselves.

use std::sync::{Mutex, PoisonError};

use super::{Chunk, Look, LookUniform, POSITIONS, Phase, buffer, group, shader};
use crate::Gpu;
use crate::scene::Frame;
use base::{Result, UserError};
use geometry::Point;
use geometry::distance_field::DistanceField;

/// Words before the nodes; HEADER of fields.wgsl.
const HEADER: usize = 8;
/// Pixels of a workgroup along each side, as in fields.wgsl.
const WORKGROUP: u32 = 8;

/// A distance field on the device.
pub struct FieldItem {
    chunk: Chunk,
    look: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// What the rays of the last picture found.
    found: Mutex<Option<Found>>,
    origin: Point,
    spacing_mm: f64,
}

impl FieldItem {
    /// Uploads `field`. Returns an error if it is larger than a buffer of the device may be.
    pub fn new(gpu: &Gpu, field: &DistanceField) -> Result<Self> {
        let limit = gpu.device.limits().max_storage_buffer_binding_size;
        if field.bytes() + 4 * HEADER as u64 > limit {
            return Err(UserError::input(
                "The distance field is too large for the graphics device; choose a lower resolution to see it.",
            ));
        }
        let grid = field.grid();
        let [x, y, z] = grid.roots;
        let spacing = grid.spacing_mm as f32;
        let header: [u32; HEADER] = [x, y, z, grid.depth, field.unit().to_bits(), spacing.to_bits(), 0, 0];
        let mut nodes = header.to_vec();
        nodes.extend_from_slice(bytemuck::cast_slice(field.nodes()));
        let buffer = |label, contents: &[u32]| {
            // An empty field has no bricks, but buffers cannot be empty.
            let contents = if contents.is_empty() { &[0] } else { contents };
            super::filled(gpu, label, bytemuck::cast_slice(contents), wgpu::BufferUsages::STORAGE)
        };
        // A triangle around the screen.
        let corners: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]];
        let channels = [buffer("nodes", &nodes), buffer("bricks", field.words())];
        let chunk = Chunk::with_channels(gpu, bytemuck::cast_slice(&corners), 0..1, channels);
        let look = super::buffer(gpu, "look", size_of::<LookUniform>(), wgpu::BufferUsages::UNIFORM);
        let group = group(gpu, &gpu.layouts.item, &[&look, &chunk.values, &chunk.marks, &chunk.geometry]);
        Ok(Self { chunk, look, group, found: Mutex::default(), origin: grid.origin, spacing_mm: grid.spacing_mm })
    }
}

/// What the ray of each pixel finds.
struct Found {
    /// How many pixels there is room for.
    pixels: usize,
    written: wgpu::BindGroup,
    read: wgpu::BindGroup,
}

impl Found {
    fn new(gpu: &Gpu, layout: &wgpu::BindGroupLayout, (chunk, look): (&Chunk, &wgpu::Buffer), pixels: usize) -> Self {
        let found = buffer(gpu, "found", size_of::<[u32; 2]>() * pixels, wgpu::BufferUsages::STORAGE);
        let read = group(gpu, &gpu.layouts.item, &[look, &found, &chunk.marks, &chunk.geometry]);
        Self { pixels, written: group(gpu, layout, &[&found]), read }
    }
}

pub(super) struct Pipelines {
    rays: wgpu::ComputePipeline,
    found: wgpu::BindGroupLayout,
    drawn: super::Pipelines,
}

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        let shader = shader(gpu, "fields", include_str!("../shaders/fields.wgsl"));
        let found = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("found"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: false },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("rays"),
            bind_group_layouts: &[Some(&gpu.layouts.frame), Some(&gpu.layouts.item), Some(&found)],
            immediate_size: 0,
        });
        let rays = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("rays"),
            layout: Some(&layout),
            module: &shader,
            entry_point: Some("field_rays"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let layout = (wgpu::PrimitiveTopology::TriangleList, [POSITIONS].as_slice());
        let drawn = super::Pipelines::new(gpu, &shader, ("field_vertex", "field_pixel"), layout);
        Self { rays, found, drawn }
    }

    /// Sends the rays of all pixels of a target of `size`.
    pub fn trace(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame_group: &wgpu::BindGroup,
        (size, frame): ([u32; 2], &Frame<'_>),
        (item, look, distance_mm): (&FieldItem, &Look, f64),
    ) {
        let look = item.chunk.look(frame, (look, &item.origin, (distance_mm / item.spacing_mm) as f32));
        gpu.queue.write_buffer(&item.look, 0, bytemuck::bytes_of(&look));
        let pixels = size[0] as usize * size[1] as usize;
        let mut found = item.found.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match &mut *found {
            Some(own) if own.pixels >= pixels => own,
            other => other.insert(Found::new(gpu, &self.found, (&item.chunk, &item.look), pixels)),
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.rays);
        pass.set_bind_group(0, frame_group, &[]);
        pass.set_bind_group(1, &item.group, &[]);
        pass.set_bind_group(2, &found.written, &[]);
        pass.dispatch_workgroups(size[0].div_ceil(WORKGROUP), size[1].div_ceil(WORKGROUP), 1);
    }

    /// Draws what the rays have found.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, frame: &Frame<'_>, phase: Phase, item: &FieldItem) {
        let found = item.found.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(found) = found.as_ref().filter(|_| frame.slice.is_last()) else { return };
        pass.set_pipeline(self.drawn.of(phase, frame.cut.is_some()));
        pass.set_bind_group(1, &found.read, &[]);
        pass.set_vertex_buffer(0, item.chunk.geometry.slice(..));
        pass.draw(0..3, 0..1);
    }
}
