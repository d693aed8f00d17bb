//! Draws items into a target: one pipeline for facets, one for points as pixels, one for points as discs.

use bytemuck::{Pod, Zeroable};
use wgpu::util::DeviceExt;

use super::colour_scale::ColourScale;
use super::items::{Chunk, MeshItem, PointsItem};
use super::post::Post;
use super::target::{COLOUR, DEPTH, IDS, Target};
use super::{Gpu, ViewCamera};
use geometry::{Point, Pose};

/// What the whole frame shares.
pub struct Frame<'a> {
    /// The camera; the shape of its picture must be the target's.
    pub camera: &'a ViewCamera,
    /// Colours of deviations.
    pub scale: ColourScale,
    /// Background at the top and the bottom, RGB 0 to 1.
    pub background: [[f32; 3]; 2],
    /// Diameter of a point, pixels.
    pub point_size: f32,
    /// Points are drawn in front of facets that are less than this nearer to the eye, mm.
    pub points_in_front_mm: f32,
    /// Strength of the eye-dome lighting; 0 is none.
    pub lighting: f32,
    /// The part of every item that this call draws.
    pub slice: Slice,
}

/// One of several equal parts of a picture. The first clears the target, the last one lights it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// From 0.
    pub number: usize,
    /// Number of slices.
    pub of: usize,
}

impl Slice {
    /// All of it at once.
    pub const ALL: Self = Self { number: 0, of: 1 };

    /// Whether the picture is complete with this one.
    pub fn is_last(&self) -> bool {
        self.number + 1 >= self.of
    }

    /// This slice of `count` elements.
    fn of_elements(&self, count: usize) -> std::ops::Range<usize> {
        count * self.number / self.of..count * (self.number + 1) / self.of
    }
}

/// Something to draw.
pub enum Draw<'a> {
    /// Facets.
    Mesh {
        /// The facets.
        item: &'a MeshItem,
        /// How to draw them.
        look: Look,
        /// Whether the view moves, so that speed counts more than detail.
        moving: bool,
    },
    /// Points.
    Points {
        /// The points.
        item: &'a PointsItem,
        /// How to draw them.
        look: Look,
        /// Draw no more than this many (an even subset).
        budget: usize,
    },
}

/// How an item looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Moves the item into the scene.
    pub scene_from_item: Pose,
    /// Plain colour, RGB 0 to 1.
    pub colour: [f32; 3],
    /// Whether deviations colour it.
    pub by_deviation: bool,
    /// Comes back from picking; 0 is nothing.
    pub id: u32,
    /// Highlighted facet or drawn point.
    pub marked: Option<u32>,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct FrameUniform {
    clip_from_local: [[f32; 4]; 4],
    to_eye: [f32; 4],
    size_point_scale: [f32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct ObjectUniform {
    local_from_item: [[f32; 4]; 4],
    colour: [f32; 4],
    mode_id_first_marked: [u32; 4],
}

/// Steps of the colour table.
const TABLE: usize = 1024;
/// Discs cost six corners a point: a software rasteriser draws pixels above this many.
const MOST_SOFTWARE_DISCS: usize = 200_000;

/// Pipelines for drawing; made once per device.
pub struct Scene {
    gpu: Gpu,
    frame_layout: wgpu::BindGroupLayout,
    object_layout: wgpu::BindGroupLayout,
    facets: wgpu::RenderPipeline,
    pixels: wgpu::RenderPipeline,
    discs: wgpu::RenderPipeline,
    post: Post,
}

impl Scene {
    /// Builds the pipelines.
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl(include_str!("shaders/scene.wgsl").into()),
        });
        let frame_layout = layout(
            device,
            "frame",
            wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
        );
        let object_layout = layout(
            device,
            "object",
            wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: true },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
        );
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("scene"),
            bind_group_layouts: &[Some(&frame_layout), Some(&object_layout)],
            immediate_size: 0,
        });
        let pipeline = |vertex: &str, pixel: &str, topology, step_mode| {
            let target =
                |format| Some(wgpu::ColorTargetState { format, blend: None, write_mask: wgpu::ColorWrites::ALL });
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(vertex),
                layout: Some(&pipeline_layout),
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: Some(vertex),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[Some(wgpu::VertexBufferLayout {
                        array_stride: 12,
                        step_mode,
                        attributes: &wgpu::vertex_attr_array![0 => Float32x3],
                    })],
                },
                primitive: wgpu::PrimitiveState { topology, ..wgpu::PrimitiveState::default() },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: DEPTH,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Less),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: Some(pixel),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[target(COLOUR), target(IDS)],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        use wgpu::{PrimitiveTopology, VertexStepMode};
        let facets = pipeline("facet_vertex", "facet_pixel", PrimitiveTopology::TriangleList, VertexStepMode::Vertex);
        let pixels = pipeline("point_vertex", "point_pixel", PrimitiveTopology::PointList, VertexStepMode::Vertex);
        let discs = pipeline("disc_vertex", "point_pixel", PrimitiveTopology::TriangleList, VertexStepMode::Instance);
        Self { post: Post::new(gpu), gpu: gpu.clone(), frame_layout, object_layout, facets, pixels, discs }
    }

    /// The device it draws on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Draws `draws` into `target` and submits the work.
    pub fn draw(&self, target: &Target, frame: &Frame<'_>, draws: &[Draw<'_>]) {
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let frame_group = self.frame_group(target, frame);
        let first = frame.slice.number == 0;
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("scene"),
                color_attachments: &[attached(&target.colour, first), attached(&target.ids, first)],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &target.depth,
                    depth_ops: Some(wgpu::Operations {
                        load: if first { wgpu::LoadOp::Clear(1.0) } else { wgpu::LoadOp::Load },
                        store: wgpu::StoreOp::Store,
                    }),
                    stencil_ops: None,
                }),
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_bind_group(0, &frame_group, &[]);
            for draw in draws {
                self.draw_item(&mut pass, frame, draw);
            }
        }
        if frame.slice.is_last() {
            self.post.run(&mut encoder, target, frame);
        }
        self.gpu.queue.submit([encoder.finish()]);
    }

    fn draw_item(&self, pass: &mut wgpu::RenderPass<'_>, frame: &Frame<'_>, draw: &Draw<'_>) {
        match draw {
            Draw::Mesh { item, look, moving } => {
                // Deviations belong to the facets as they are.
                let coarse = item.coarse.as_deref().filter(|_| *moving && !look.by_deviation);
                let item = coarse.unwrap_or(item);
                pass.set_pipeline(&self.facets);
                for (chunk, part) in parts(&item.chunks, frame.slice.of_elements(item.facets)) {
                    self.bind(pass, frame, look, &item.centre, chunk);
                    pass.draw(part.start * 3..part.end * 3, 0..1);
                }
            }
            Draw::Points { item, look, budget } => {
                let drawn = item.points.min(*budget);
                let as_discs = frame.point_size > 1.5 && !(self.gpu.is_software && drawn > MOST_SOFTWARE_DISCS);
                pass.set_pipeline(if as_discs { &self.discs } else { &self.pixels });
                for (chunk, part) in parts(&item.chunks, frame.slice.of_elements(drawn)) {
                    self.bind(pass, frame, look, &item.centre, chunk);
                    if as_discs {
                        pass.draw(0..6, part);
                    } else {
                        pass.draw(part, 0..1);
                    }
                }
            }
        }
    }

    fn bind(&self, pass: &mut wgpu::RenderPass<'_>, frame: &Frame<'_>, look: &Look, centre: &Point, chunk: &Chunk) {
        // Composed in f64: far from the origin the parts are large, their sum is not.
        let matrix = (nalgebra::Translation3::from(-frame.camera.origin().coords)
            * look.scene_from_item
            * nalgebra::Translation3::from(centre.coords))
        .to_homogeneous()
        .cast::<f32>();
        let [r, g, b] = look.colour;
        let uniform = ObjectUniform {
            local_from_item: matrix.into(),
            colour: [r, g, b, 1.0],
            mode_id_first_marked: [u32::from(look.by_deviation), look.id, chunk.first, look.marked.unwrap_or(u32::MAX)],
        };
        let buffer = self.uniform(bytemuck::bytes_of(&uniform));
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("object"),
            layout: &self.object_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: chunk.deviations.as_entire_binding() },
            ],
        });
        pass.set_bind_group(1, &group, &[]);
        pass.set_vertex_buffer(0, chunk.positions.slice(..));
    }

    fn frame_group(&self, target: &Target, frame: &Frame<'_>) -> wgpu::BindGroup {
        let [x, y, z] = frame.camera.to_eye();
        let uniform = FrameUniform {
            clip_from_local: frame.camera.clip_from_local(),
            to_eye: [x, y, z, frame.points_in_front_mm],
            size_point_scale: [
                target.size[0] as f32,
                target.size[1] as f32,
                frame.point_size,
                frame.scale.end_mm as f32,
            ],
        };
        let table = self.gpu.device.create_texture_with_data(
            &self.gpu.queue,
            &wgpu::TextureDescriptor {
                label: Some("colour scale"),
                size: wgpu::Extent3d { width: TABLE as u32, height: 1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: COLOUR,
                usage: wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            },
            wgpu::util::TextureDataOrder::LayerMajor,
            frame.scale.table(TABLE).as_flattened(),
        );
        let view = table.create_view(&wgpu::TextureViewDescriptor::default());
        let buffer = self.uniform(bytemuck::bytes_of(&uniform));
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &self.frame_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&view) },
            ],
        })
    }

    fn uniform(&self, contents: &[u8]) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("uniform"),
            contents,
            usage: wgpu::BufferUsages::UNIFORM,
        })
    }
}

/// The chunks that hold elements of `range`, and which of their own.
fn parts(chunks: &[Chunk], range: std::ops::Range<usize>) -> impl Iterator<Item = (&Chunk, std::ops::Range<u32>)> {
    let (from, to) = (range.start as u32, range.end as u32);
    chunks.iter().filter_map(move |chunk| {
        let start = from.max(chunk.first);
        let end = to.min(chunk.first + chunk.count);
        (start < end).then(|| (chunk, start - chunk.first..end - chunk.first))
    })
}

fn attached(view: &wgpu::TextureView, clear: bool) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let load = if clear { wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT) } else { wgpu::LoadOp::Load };
    Some(wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
    })
}

/// A uniform at 0 and something else at 1.
fn layout(device: &wgpu::Device, label: &str, second: wgpu::BindingType) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    };
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries: &[entry(0, uniform), entry(1, second)],
    })
}
