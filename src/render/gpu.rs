//! The graphics device: borrowed from the window, or opened off-screen.

use std::sync::Arc;

use base::{Result, UserError};

/// A device and its queue.
#[derive(Clone)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Whether it is a software rasteriser, which asks for smaller point budgets.
    pub is_software: bool,
    pub(super) layouts: Arc<Layouts>,
}

/// How shaders of primitives find the frame and the item.
pub(super) struct Layouts {
    pub frame: wgpu::BindGroupLayout,
    pub item: wgpu::BindGroupLayout,
    pub pipeline: wgpu::PipelineLayout,
}

impl Layouts {
    fn new(device: &wgpu::Device) -> Self {
        let layout = |label, entries: &[wgpu::BindingType]| {
            let entry = |(binding, ty): (u32, &wgpu::BindingType)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT | wgpu::ShaderStages::COMPUTE,
                ty: *ty,
                count: None,
            };
            let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..).zip(entries).map(entry).collect();
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
        };
        let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        let uniform = buffer(wgpu::BufferBindingType::Uniform);
        let storage = buffer(wgpu::BufferBindingType::Storage { read_only: true });
        let table = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let (frame, item) = (layout("frame", &[uniform, table]), layout("item", &[uniform, storage, storage, storage]));
        let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("primitives"),
            bind_group_layouts: &[Some(&frame), Some(&item)],
            immediate_size: 0,
        });
        Self { frame, item, pipeline }
    }
}

impl Gpu {
    /// The device that a window already has.
    pub fn of(adapter: &wgpu::Adapter, device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let is_software = adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let layouts = Arc::new(Layouts::new(device));
        Self { device: device.clone(), queue: queue.clone(), is_software, layouts }
    }

    /// Points to draw at most while the camera moves, so that frames keep coming.
    pub fn moving_points(&self) -> usize {
        if self.is_software { 40_000 } else { 3_000_000 }
    }

    /// Facets of a mesh or between points to draw at most while the camera moves; of more, a coarser choice is drawn.
    pub fn moving_facets(&self) -> usize {
        if self.is_software { 10_000 } else { 4_000_000 }
    }

    /// Facets and points to draw in one frame at rest; more are spread over several.
    pub fn elements_per_frame(&self) -> usize {
        if self.is_software { 350_000 } else { 6_000_000 }
    }

    /// Maximum number of segments of lines.
    pub fn line_segments(&self) -> usize {
        if self.is_software { 30_000 } else { 2_000_000 }
    }

    /// How much smaller in each direction a picture is drawn while the camera moves.
    pub fn moving_shrink(&self) -> u32 {
        if self.is_software { 2 } else { 1 }
    }

    /// Opens a device without a window; a sentence that names the package when there is none.
    pub fn off_screen() -> Result<Self> {
        let missing = |_| {
            UserError::input(
                "No graphics adapter was found, so there are no pictures. The Debian package mesa-vulkan-drivers (with \
                 libvulkan1) brings one that needs no graphics card.",
            )
        };
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|e| missing(e.to_string()))?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("off-screen"),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|e| missing(e.to_string()))?;
        Ok(Self::of(&adapter, &device, &queue))
    }
}
