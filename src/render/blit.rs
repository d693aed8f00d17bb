//! Draws a finished picture into a render pass of the window.

use super::target::Target;
use super::{Gpu, full_screen};

/// Blit pipeline; created once per window.
pub struct Blit {
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
}

/// A picture bound to the pipeline, ready to draw; cheap to clone.
#[derive(Clone)]
pub struct BoundPicture {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Blit {
    /// Creates the pipeline for the texture format of the window.
    pub fn new(gpu: &Gpu, window: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("blit"),
            source: wgpu::ShaderSource::Wgsl(include_str!("shaders/blit.wgsl").into()),
        });
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("blit"),
            entries: &[
                entry(
                    0,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                ),
                entry(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
            ],
        });
        let encodes = f64::from(u8::from(window.is_srgb()));
        let constants = [("window_encodes", encodes)];
        let pipeline = full_screen::pipeline(device, &shader, "corner", &layout, window, &constants);
        Self { pipeline, layout }
    }

    /// Binds the picture of `target`; `smooth` selects linear filtering, for targets smaller than the view.
    pub fn picture(&self, gpu: &Gpu, target: &Target, smooth: bool) -> BoundPicture {
        let filter = if smooth { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: filter,
            min_filter: filter,
            ..wgpu::SamplerDescriptor::default()
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("blit"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&target.picture) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        BoundPicture { pipeline: self.pipeline.clone(), group }
    }
}

impl BoundPicture {
    /// Draws the picture over the whole viewport of `pass`.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
