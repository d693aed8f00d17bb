//! Marks of facets and points: what the brush, the operator and named selections make of single elements. After a stroke
//! only the marks that changed are sent, and the device writes them where they belong.

use crate::Gpu;

/// What goes before an element's own colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// It is selected.
    Selected,
    /// It is not drawn.
    Hidden,
    /// It belongs to the group of that index, modulo the number of group colours.
    Group(u8),
    /// It belongs to what is of no interest.
    Background,
}

impl Mark {
    /// As the shaders tell them apart.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Selected => 1,
            Self::Hidden => 2,
            Self::Background => 3 + super::GROUP_COLOURS.len() as u8,
            Self::Group(index) => 3 + index % super::GROUP_COLOURS.len() as u8,
        }
    }
}

/// Writes single marks on the device.
pub struct MarkWriter {
    pipeline: wgpu::ComputePipeline,
}

/// Changes of one work group.
const GROUP: usize = 256;
/// Work groups in a row; the shader knows the same.
const ROW: usize = 32_768;

impl MarkWriter {
    /// On a device.
    pub fn new(gpu: &Gpu) -> Self {
        let module = gpu.device.create_shader_module(wgpu::include_wgsl!("../shaders/marks.wgsl"));
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("marks"),
            layout: None,
            module: &module,
            entry_point: Some("write_marks"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline }
    }

    /// Writes `changes`, each an element of the chunk and the code of its mark.
    pub(super) fn write(&self, gpu: &Gpu, marks: &wgpu::Buffer, changes: &[[u32; 2]]) {
        if changes.is_empty() {
            return;
        }
        let list = super::filled(gpu, "changes", bytemuck::cast_slice(changes), wgpu::BufferUsages::STORAGE);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("marks"),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: marks.as_entire_binding() },
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
