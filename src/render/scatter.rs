//! Single values of a buffer, written by the device: a stroke of the brush changes few of many points.

use wgpu::util::DeviceExt;

use super::Gpu;

/// See the module.
pub struct Scatter {
    pipeline: wgpu::ComputePipeline,
}

/// Changes of one work group.
const GROUP: usize = 256;
/// Work groups in a row; the shader knows the same.
const ROW: usize = 32_768;

impl Scatter {
    /// On a device.
    pub fn new(gpu: &Gpu) -> Self {
        let module = gpu.device.create_shader_module(wgpu::include_wgsl!("shaders/scatter.wgsl"));
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("scatter"),
            layout: None,
            module: &module,
            entry_point: Some("scatter"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline }
    }

    /// Writes `changes`, place and bits, into a buffer of 32-bit values.
    pub(super) fn write(&self, gpu: &Gpu, values: &wgpu::Buffer, changes: &[[u32; 2]]) {
        if changes.is_empty() {
            return;
        }
        let list = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("changes"),
            contents: bytemuck::cast_slice(changes),
            usage: wgpu::BufferUsages::STORAGE,
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("scatter"),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: values.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: list.as_entire_binding() },
            ],
        });
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            let groups = changes.len().div_ceil(GROUP);
            pass.dispatch_workgroups(groups.min(ROW) as u32, groups.div_ceil(ROW) as u32, 1);
        }
        gpu.queue.submit([encoder.finish()]);
    }
}
