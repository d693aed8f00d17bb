//! Offsets of distance fields, found by rays through them: another distance is another number in the shader.

use wgpu::util::DeviceExt;

use super::{Chunk, Look, Phase, pipeline, shader};
use crate::Gpu;
use crate::scene::Frame;
use base::{Result, UserError};
use geometry::Point;
use geometry::distance_field::DistanceField;

/// Words before the nodes; HEADER of fields.wgsl.
const HEADER: usize = 8;

/// A distance field on the device.
pub struct FieldItem {
    chunk: Chunk,
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
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents: bytemuck::cast_slice(contents),
                usage: wgpu::BufferUsages::STORAGE,
            })
        };
        // A triangle around the screen.
        let corners: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]];
        let channels = [buffer("nodes", &nodes), buffer("bricks", field.words())];
        let chunk = Chunk::with_channels(gpu, bytemuck::cast_slice(&corners), 0..1, channels);
        Ok(Self { chunk, origin: grid.origin, spacing_mm: grid.spacing_mm })
    }
}

pub(super) struct Pipelines {
    opaque: wgpu::RenderPipeline,
    transparent: wgpu::RenderPipeline,
}

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        let shader = shader(gpu, "fields", include_str!("../shaders/fields.wgsl"));
        let layout = (wgpu::PrimitiveTopology::TriangleList, wgpu::VertexStepMode::Vertex);
        let pipeline = |phase| pipeline(gpu, &shader, ("field_vertex", "field_pixel"), layout, phase);
        Self { opaque: pipeline(Phase::Opaque), transparent: pipeline(Phase::Transparent) }
    }

    pub fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Frame<'_>,
        phase: Phase,
        (item, look, distance_mm): (&FieldItem, &Look, f64),
    ) {
        // Pixels cannot be divided among slices as elements are.
        if !frame.slice.is_last() {
            return;
        }
        pass.set_pipeline(if phase == Phase::Opaque { &self.opaque } else { &self.transparent });
        item.chunk.bind(gpu, pass, frame, (look, &item.origin, (distance_mm / item.spacing_mm) as f32));
        pass.draw(0..3, 0..1);
    }
}
