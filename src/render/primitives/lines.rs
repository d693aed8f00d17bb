//! Wide lines over the lit picture: each segment is a capsule of pixels. Parts behind facets or points are dashed.

use super::{Chunk, Look, shader};
use crate::scene::Frame;
use crate::{Gpu, Target};
use geometry::{Aabb, Point};

/// A segment: both ends, each with how far along its line it is, mm.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Segment {
    start: [f32; 4],
    end: [f32; 4],
}

/// How lines are drawn.
#[derive(Clone, Copy, Debug)]
pub struct LineStyle {
    /// Width, pixels.
    pub width: f32,
    /// Opacity of what lies behind facets or points, as a share of that of the rest.
    pub hidden_opacity: f32,
}

/// Polylines on the device.
pub struct LinesItem {
    chunk: Option<Chunk>,
    /// What its coordinates are about, mm.
    centre: Point,
}

impl LinesItem {
    /// Uploads polylines, mm.
    pub fn new(gpu: &Gpu, lines: &[Vec<Point>]) -> Self {
        let all: Vec<Point> = lines.iter().flatten().copied().collect();
        let centre = if all.is_empty() { Point::origin() } else { Aabb::of_points(&all).centre() };
        let mut segments = Vec::with_capacity(all.len());
        for line in lines {
            let mut along_mm = 0.0;
            for pair in line.windows(2) {
                let next_mm = along_mm + (pair[1] - pair[0]).norm();
                let end = |point: &Point, along: f64| -> [f32; 4] {
                    let [x, y, z]: [f32; 3] = (point - centre).cast().into();
                    [x, y, z, along as f32]
                };
                segments.push(Segment { start: end(&pair[0], along_mm), end: end(&pair[1], next_mm) });
                along_mm = next_mm;
            }
        }
        let range = 0..segments.len();
        let chunk = (!segments.is_empty()).then(|| Chunk::new(gpu, bytemuck::cast_slice(&segments), range, false));
        Self { chunk, centre }
    }
}

pub(super) struct Pipelines {
    seen: wgpu::RenderPipeline,
    hidden: wgpu::RenderPipeline,
}

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        let shader = shader(gpu, "lines", include_str!("../shaders/lines.wgsl"));
        let pipeline = |pixel: &str, depth_compare| {
            gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(pixel),
                layout: Some(&gpu.layouts.pipeline),
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: Some("line_vertex"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[Some(wgpu::VertexBufferLayout {
                        array_stride: size_of::<Segment>() as u64,
                        step_mode: wgpu::VertexStepMode::Instance,
                        attributes: &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4],
                    })],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: Target::DEPTH,
                    depth_write_enabled: Some(false),
                    depth_compare: Some(depth_compare),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: Some(pixel),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(wgpu::ColorTargetState {
                        format: Target::COLOUR,
                        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                        write_mask: wgpu::ColorWrites::ALL,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        use wgpu::CompareFunction::{Greater, LessEqual};
        Self { seen: pipeline("line_pixel", LessEqual), hidden: pipeline("hidden_pixel", Greater) }
    }

    pub fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Frame<'_>,
        (item, look, style): (&LinesItem, &Look, &LineStyle),
    ) {
        let Some(chunk) = &item.chunk else { return };
        for (pipeline, opacity) in [(&self.hidden, style.hidden_opacity), (&self.seen, 1.0)] {
            let look = Look { opacity: opacity * look.opacity, ..*look };
            chunk.bind(gpu, pass, frame, (&look, &item.centre, style.width));
            pass.set_pipeline(pipeline);
            pass.draw(0..6, 0..chunk.count);
        }
    }
}
