//! Painting of the user interface on a software rasteriser.
//!
//! egui's shader has two methods to filter a texture, one with integer divisions for each of four taps. A GPU executes
//! only the branch it needs; a software rasteriser computes both, so that 1280x800 pixels take ten times longer than
//! necessary. This plugin draws the same triangles with the same textures through a simple shader, large areas of one
//! colour without a texture lookup, and opaque ones without reading what is behind them. Textures and paint callbacks are
//! left to egui.

use std::ops::Range;

use eframe::egui_wgpu::{Callback, CallbackResources, CallbackTrait, RenderState};
use egui::epaint::{ClippedPrimitive, ClippedShape, Primitive, Vertex};
use wgpu::util::DeviceExt as _;

use render::Gpu;

/// Minimum area of an opaque triangle drawn by itself, and of single-coloured ones in a row drawn without texture, square
/// points: each change costs as much as many pixels.
const MIN_OPAQUE_AREA: f32 = 2000.0;
const MIN_PLAIN_AREA: f32 = 10_000.0;
/// Side of the blocks in which a software rasteriser computes pixels, points.
const BLOCK: f32 = 4.0;

/// How a triangle is painted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paint {
    Textured,
    /// In the colours of its corners alone.
    Plain,
    /// So, and nothing shines through.
    Opaque,
}

/// A render pipeline for each [`Paint`].
#[derive(Clone)]
struct Pipelines {
    textured: wgpu::RenderPipeline,
    plain: wgpu::RenderPipeline,
    opaque: wgpu::RenderPipeline,
}

/// The plugin, one per window.
pub struct PlainInterface {
    state: RenderState,
    pipelines: Pipelines,
    /// Uniform buffer: size of the window, points.
    window: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// Triangles between two paint callbacks.
struct Triangles {
    pipelines: Pipelines,
    group: wgpu::BindGroup,
    corners: wgpu::Buffer,
    indices: wgpu::Buffer,
    draws: Vec<Draw>,
}

struct Draw {
    clip: egui::Rect,
    texture: wgpu::BindGroup,
    paint: Paint,
    indices: Range<u32>,
    first_corner: i32,
}

impl PlainInterface {
    /// Plugin for the window of `state`; `None` on a GPU, where egui's own shader is faster.
    pub fn new(state: &RenderState) -> Option<Self> {
        if !Gpu::of(&state.adapter, &state.device, &state.queue).is_software {
            return None;
        }
        let device = &state.device;
        let window = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("window"),
            size: 8,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let [of_window, of_texture] = layouts(device);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("window"),
            layout: &of_window,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: window.as_entire_binding() }],
        });
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("interface"),
            source: wgpu::ShaderSource::Wgsl(include_str!("../render/shaders/interface.wgsl").into()),
        });
        let pipeline = |paint| pipeline(device, &shader, [&of_window, &of_texture], state.target_format, paint);
        let pipelines = Pipelines {
            textured: pipeline(Paint::Textured),
            plain: pipeline(Paint::Plain),
            opaque: pipeline(Paint::Opaque),
        };
        Some(Self { state: state.clone(), pipelines, window, group })
    }

    /// Uploads the vertices and indices of all `meshes`, in one buffer each.
    fn triangles(&self, meshes: &[(egui::Rect, egui::Mesh)]) -> Triangles {
        let renderer = self.state.renderer.read();
        let (mut corners, mut indices, mut draws) = (Vec::<Vertex>::new(), Vec::<u32>::new(), Vec::new());
        for (clip, mesh) in meshes {
            let Some(texture) = renderer.texture(&mesh.texture_id) else { continue };
            let first_corner = corners.len() as i32;
            let texture = &texture.bind_group;
            let mut first = indices.len() as u32;
            corners.extend_from_slice(&mesh.vertices);
            indices.extend_from_slice(&mesh.indices);
            for (paint, count) in runs(mesh) {
                let indices = first..first + 3 * count;
                first = indices.end;
                draws.push(Draw { clip: *clip, texture: texture.clone(), paint, indices, first_corner });
            }
        }
        let buffer = |label, contents, usage| {
            self.state.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        Triangles {
            pipelines: self.pipelines.clone(),
            group: self.group.clone(),
            corners: buffer("corners", bytemuck::cast_slice(&corners), wgpu::BufferUsages::VERTEX),
            indices: buffer("indices", bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
            draws,
        }
    }
}

impl egui::Plugin for PlainInterface {
    fn debug_name(&self) -> &'static str {
        "plain interface"
    }

    fn output_hook(&mut self, context: &egui::Context, output: &mut egui::FullOutput) {
        // The textures of the triangles must exist before the window applies the changes of this frame.
        let mut renderer = self.state.renderer.write();
        for (id, images) in output.textures_delta.set.drain() {
            for image in images {
                renderer.update_texture(&self.state.device, &self.state.queue, id, &image);
            }
        }
        drop(renderer);
        let rect = context.content_rect();
        self.state.queue.write_buffer(&self.window, 0, bytemuck::cast_slice(&[rect.width(), rect.height()]));

        let primitives = context.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        let mut meshes = Vec::new();
        let flush = |meshes: &mut Vec<_>, shapes: &mut Vec<ClippedShape>| {
            if !meshes.is_empty() {
                let triangles = self.triangles(meshes);
                shapes.push(ClippedShape::new(rect, Callback::new_paint_callback(rect, triangles)));
                meshes.clear();
            }
        };
        for ClippedPrimitive { clip_rect, primitive } in primitives {
            match primitive {
                Primitive::Mesh(mesh) => meshes.push((clip_rect, mesh)),
                Primitive::Callback(callback) => {
                    flush(&mut meshes, &mut output.shapes);
                    output.shapes.push(ClippedShape::new(clip_rect, callback));
                }
            }
        }
        flush(&mut meshes, &mut output.shapes);
    }
}

impl CallbackTrait for Triangles {
    fn paint(
        &self,
        info: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        _resources: &CallbackResources,
    ) {
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_vertex_buffer(0, self.corners.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for draw in &self.draws {
            let clip = egui::PaintCallbackInfo { clip_rect: draw.clip, ..info }.clip_rect_in_pixels();
            if clip.width_px > 0 && clip.height_px > 0 {
                let [left, top, width, height] =
                    [clip.left_px, clip.top_px, clip.width_px, clip.height_px].map(i32::cast_unsigned);
                pass.set_scissor_rect(left, top, width, height);
                pass.set_pipeline(match draw.paint {
                    Paint::Textured => &self.pipelines.textured,
                    Paint::Plain => &self.pipelines.plain,
                    Paint::Opaque => &self.pipelines.opaque,
                });
                pass.set_bind_group(1, &draw.texture, &[]);
                pass.draw_indexed(draw.indices.clone(), draw.first_corner, 0..1);
            }
        }
    }
}

/// How the triangles of `mesh` are painted, and how many of them in a row are: without texture where all their corners map
/// to the white texel of egui's texture, and they are large together.
fn runs(mesh: &egui::Mesh) -> Vec<(Paint, u32)> {
    let mut of_a_kind: Vec<(Paint, u32, f32)> = Vec::new();
    for triangle in mesh.indices.as_chunks().0 {
        let (paint, area) = paint_of(mesh, triangle);
        match of_a_kind.last_mut().filter(|(last, ..)| *last == paint) {
            Some((_, count, sum)) => (*count, *sum) = (*count + 1, *sum + area),
            None => of_a_kind.push((paint, 1, area)),
        }
    }
    let mut runs: Vec<(Paint, u32)> = Vec::new();
    for (paint, count, area) in of_a_kind {
        let paint = if paint == Paint::Plain && area < MIN_PLAIN_AREA { Paint::Textured } else { paint };
        match runs.last_mut().filter(|(last, _)| *last == paint) {
            Some((_, sum)) => *sum += count,
            None => runs.push((paint, count)),
        }
    }
    runs
}

/// How a triangle of `mesh` would be painted by itself, and the area that a rasteriser computes for it: by blocks, so that
/// a long one costs much however thin it is; square points.
fn paint_of(mesh: &egui::Mesh, triangle: &[u32; 3]) -> (Paint, f32) {
    let corners = triangle.map(|corner| &mesh.vertices[corner as usize]);
    if corners.iter().any(|corner| corner.uv != egui::epaint::WHITE_UV) {
        return (Paint::Textured, 0.0);
    }
    let [ab, ac] = [corners[1], corners[2]].map(|corner| corner.pos - corners[0].pos);
    let area = 0.5 * (ab.x * ac.y - ab.y * ac.x).abs();
    let longest = ab.abs().max(ac.abs()).max_elem();
    let is_opaque = area > MIN_OPAQUE_AREA && corners.iter().all(|corner| corner.color.is_opaque());
    (if is_opaque { Paint::Opaque } else { Paint::Plain }, area + BLOCK * longest)
}

/// Bind group layouts of the window size and of a texture as bound by egui.
fn layouts(device: &wgpu::Device) -> [wgpu::BindGroupLayout; 2] {
    let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
    };
    let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let uniform = |bytes| wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: std::num::NonZeroU64::new(bytes),
    };
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    let pixel = wgpu::ShaderStages::FRAGMENT;
    [
        layout("window", &[entry(0, wgpu::ShaderStages::VERTEX, uniform(8))]),
        layout("texture", &[entry(0, pixel, texture), entry(1, pixel, sampler), entry(2, pixel, uniform(16))]),
    ]
}

fn pipeline(
    device: &wgpu::Device,
    shader: &wgpu::ShaderModule,
    layouts: [&wgpu::BindGroupLayout; 2],
    format: wgpu::TextureFormat,
    paint: Paint,
) -> wgpu::RenderPipeline {
    let pixel = if paint == Paint::Textured { "textured" } else { "plain" };
    let blend = (paint != Paint::Opaque).then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("interface"),
        bind_group_layouts: &layouts.map(Some),
        immediate_size: 0,
    });
    let constants = [("window_encodes", f64::from(u8::from(format.is_srgb())))];
    let corner = wgpu::VertexBufferLayout {
        array_stride: size_of::<Vertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &wgpu::vertex_attr_array![0 => Float32x2, 1 => Float32x2, 2 => Unorm8x4],
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("interface"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some("corner"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[Some(corner)],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some(pixel),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Color32, Rect, pos2, vec2};

    #[test]
    fn large_areas_and_rows_of_long_lines_are_painted_without_texture() {
        let mut mesh = egui::Mesh::default();
        let mut add = |size, colour, is_glyph: bool| {
            let rect = Rect::from_min_size(pos2(5.0, 5.0), size);
            let uv = Rect::from_min_size(pos2(0.5, 0.5), vec2(0.1, 0.1));
            if is_glyph { mesh.add_rect_with_uv(rect, uv, colour) } else { mesh.add_colored_rect(rect, colour) }
        };
        let clear = Color32::from_black_alpha(90);
        // A window, a small mark and a glyph, twenty thin lines, a glyph, and a large area that shines through.
        add(vec2(400.0, 300.0), Color32::GRAY, false);
        add(vec2(6.0, 6.0), Color32::GRAY, false);
        add(vec2(300.0, 300.0), Color32::WHITE, true);
        (0..20).for_each(|_| add(vec2(300.0, 1.0), clear, false));
        add(vec2(8.0, 8.0), Color32::WHITE, true);
        add(vec2(400.0, 300.0), clear, false);
        let expected =
            [(Paint::Opaque, 2), (Paint::Textured, 4), (Paint::Plain, 40), (Paint::Textured, 2), (Paint::Plain, 2)];
        assert!(runs(&mesh) == expected);
    }
}
