//! Draws a finished picture into a render pass of the window.

use super::target::Target;
use super::{Gpu, full_screen};

/// Blit pipelines; created once per window.
pub struct Blit {
    /// For pictures of the size of the view.
    exact: wgpu::RenderPipeline,
    /// For smaller ones.
    scaled: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
    layout: wgpu::BindGroupLayout,
}

/// A picture bound to the pipeline, ready to draw; cheap to clone.
#[derive(Clone)]
pub struct BoundPicture {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Blit {
    /// Creates the pipelines for the texture format of the window.
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
        let pipeline = |is_scaled: bool| {
            let constants = [("window_encodes", encodes), ("is_scaled", f64::from(u8::from(is_scaled)))];
            full_screen::pipeline(device, &shader, "corner", &layout, window, &constants)
        };
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        Self { exact: pipeline(false), scaled: pipeline(true), sampler, layout }
    }

    /// Binds the picture of `target`; if it is smaller than the view, it is interpolated linearly.
    pub fn picture(&self, gpu: &Gpu, target: &Target, is_scaled: bool) -> BoundPicture {
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("blit"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&target.picture) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&self.sampler) },
            ],
        });
        let pipeline = if is_scaled { &self.scaled } else { &self.exact };
        BoundPicture { pipeline: pipeline.clone(), group }
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
