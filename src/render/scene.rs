//! Draws items into a target, in phases: what is opaque, what is transparent, the lighting, and what lies over it.

use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};

use super::colour_scale::Scale;
use super::post::Post;
use super::primitives::{Draw, Phase, Primitives};
use super::{Gpu, Target, ViewCamera};
use geometry::{Point, Vector};

/// What the whole frame shares.
pub struct Frame<'a> {
    /// The camera; the shape of its picture must be the target's.
    pub camera: &'a ViewCamera,
    /// Colours of values.
    pub scale: Scale,
    /// Background at the top and the bottom, RGB 0 to 1.
    pub background: [[f32; 3]; 2],
    /// Diameter of a point, pixels.
    pub point_size: f32,
    /// Points are drawn in front of facets that are less than this nearer to the eye, mm.
    pub points_in_front_mm: f32,
    /// Strength of the eye-dome lighting; 0 is none.
    pub lighting: f32,
    /// Cuts all facets, points and fields.
    pub cut: Option<Cut>,
    /// The part of every item that this call draws.
    pub slice: Slice,
}

/// A plane that cuts away one side of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// A point of the plane, mm.
    pub at: Point,
    /// Unit normal; points to the side that is kept.
    pub normal: Vector,
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
    pub(super) fn of_elements(&self, count: usize) -> std::ops::Range<usize> {
        count * self.number / self.of..count * (self.number + 1) / self.of
    }
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct FrameUniform {
    clip_from_local: [[f32; 4]; 4],
    local_from_clip: [[f32; 4]; 4],
    cut: [f32; 4],
    to_eye: [f32; 4],
    size_point_scale: [f32; 4],
    to_light: [f32; 4],
    pixels_per_mm: f32,
    scale_begin_mm: f32,
    /// Uniforms come in sixteens of bytes.
    rest: [f32; 2],
}

/// Steps of the colour table.
const TABLE: usize = 1024;
/// Draws scenes; made once per device.
pub struct Scene {
    gpu: Gpu,
    primitives: Primitives,
    post: Post,
    /// What the shaders know of the frame; written for each.
    frame: wgpu::Buffer,
    scale_table: wgpu::Texture,
    group: wgpu::BindGroup,
    /// The scale that the table holds.
    written: Mutex<Option<Scale>>,
}

impl Scene {
    /// Builds the pipelines.
    pub fn new(gpu: &Gpu) -> Self {
        let frame = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<FrameUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let scale_table = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("colour scale"),
            size: wgpu::Extent3d { width: TABLE as u32, height: 1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: Target::COLOUR,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let view = scale_table.create_view(&wgpu::TextureViewDescriptor::default());
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &gpu.layouts.frame,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&view) },
            ],
        });
        Self {
            primitives: Primitives::new(gpu),
            post: Post::new(gpu),
            gpu: gpu.clone(),
            frame,
            scale_table,
            group,
            written: Mutex::new(None),
        }
    }

    /// The device it draws on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Draws `draws` into `target` and submits the work. A distance field may stand there once.
    pub fn draw(&self, target: &Target, frame: &Frame<'_>, draws: &[Draw<'_>]) {
        self.write_frame(target, frame);
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let first = frame.slice.number == 0;
        self.primitives.prepare(&self.gpu, &mut encoder, &self.group, (target.size, frame), draws);
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
            self.phase(&mut pass, frame, draws, Phase::Opaque);
            self.phase(&mut pass, frame, draws, Phase::Transparent);
        }
        if frame.slice.is_last() {
            self.post.run(&mut encoder, target, frame);
            self.overlay(&mut encoder, target, frame, draws);
        }
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Draws over the lit picture, tested against the depth of the scene.
    fn overlay(&self, encoder: &mut wgpu::CommandEncoder, target: &Target, frame: &Frame<'_>, draws: &[Draw<'_>]) {
        if draws.iter().all(|draw| draw.phase() != Phase::Overlay) {
            return;
        }
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("overlay"),
            color_attachments: &[attached(&target.picture, false)],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &target.depth,
                depth_ops: None,
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        self.phase(&mut pass, frame, draws, Phase::Overlay);
    }

    fn phase(&self, pass: &mut wgpu::RenderPass<'_>, frame: &Frame<'_>, draws: &[Draw<'_>], phase: Phase) {
        pass.set_bind_group(0, &self.group, &[]);
        for draw in draws.iter().filter(|draw| draw.phase() == phase) {
            self.primitives.draw(&self.gpu, pass, frame, draw);
        }
    }

    /// Tells the shaders of the frame.
    fn write_frame(&self, target: &Target, frame: &Frame<'_>) {
        let to_eye = nalgebra::Vector3::from(frame.camera.to_eye());
        let to_light = (to_eye + nalgebra::Vector3::new(-0.25, -0.2, 0.55)).normalize();
        let clip_from_local = frame.camera.clip_from_local();
        let inverse = nalgebra::Matrix4::from(clip_from_local).cast::<f64>().try_inverse().unwrap_or_default();
        let cut = frame.cut.map_or([0.0; 4], |cut| {
            let [x, y, z]: [f64; 3] = cut.normal.into();
            [x, y, z, cut.normal.dot(&(frame.camera.origin() - cut.at))].map(|value| value as f32)
        });
        let [begin_mm, end_mm] = frame.scale.ends_mm();
        let uniform = FrameUniform {
            clip_from_local,
            local_from_clip: inverse.cast::<f32>().into(),
            cut,
            to_eye: to_eye.push(frame.points_in_front_mm).into(),
            size_point_scale: [target.size[0] as f32, target.size[1] as f32, frame.point_size, end_mm as f32],
            to_light: to_light.push(0.0).into(),
            pixels_per_mm: (f64::from(target.size[1]) / frame.camera.height_mm()) as f32,
            scale_begin_mm: begin_mm as f32,
            rest: [0.0; 2],
        };
        self.gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&uniform));
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.as_ref() == Some(&frame.scale) {
            return;
        }
        self.gpu.queue.write_texture(
            self.scale_table.as_image_copy(),
            frame.scale.table(TABLE).as_flattened(),
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * TABLE as u32), rows_per_image: None },
            self.scale_table.size(),
        );
        *written = Some(frame.scale.clone());
    }
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
