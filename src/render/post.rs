//! Eye-dome lighting and the background, over the finished scene.

use bytemuck::{Pod, Zeroable};

use super::scene::Frame;
use super::{Gpu, Target, full_screen};

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct PostUniform {
    top: [f32; 4],
    bottom: [f32; 4],
    lighting: [f32; 4],
}

/// The second pass.
pub(super) struct Post {
    gpu: Gpu,
    layout: wgpu::BindGroupLayout,
    /// What the shader knows of the frame; written for each.
    uniform: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
}

impl Post {
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("post"),
            source: wgpu::ShaderSource::Wgsl(include_str!("shaders/post.wgsl").into()),
        });
        let texture = |binding, sample_type| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type,
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("post"),
            entries: &[
                wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                    count: None,
                },
                texture(1, wgpu::TextureSampleType::Float { filterable: false }),
                texture(2, wgpu::TextureSampleType::Depth),
            ],
        });
        let pipeline = full_screen::pipeline(device, &shader, "screen", &layout, Target::COLOUR, &[]);
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("post"),
            size: size_of::<PostUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { gpu: gpu.clone(), layout, uniform, pipeline }
    }

    pub fn run(&self, encoder: &mut wgpu::CommandEncoder, target: &Target, frame: &Frame<'_>) {
        let colour = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        let (near, far) = frame.camera.depth_range();
        let uniform = PostUniform {
            top: colour(frame.background[0]),
            bottom: colour(frame.background[1]),
            lighting: [
                frame.lighting,
                (target.size[1] as f32 / 700.0).round().max(1.0),
                f32::from(u8::from(frame.camera.is_perspective())),
                far / near,
            ],
        };
        self.gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&uniform));
        let view = |binding, view| wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) };
        let group = target.lighting.get_or_init(|| {
            self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("post"),
                layout: &self.layout,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: self.uniform.as_entire_binding() },
                    view(1, &target.colour),
                    view(2, &target.depth),
                ],
            })
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("post"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target.picture,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.draw(0..3, 0..1);
    }
}
