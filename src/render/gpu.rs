//! The graphics device: borrowed from the window, or opened off-screen.

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
}

impl Gpu {
    /// The device that a window already has.
    pub fn of(adapter: &wgpu::Adapter, device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let is_software = adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        Self { device: device.clone(), queue: queue.clone(), is_software }
    }

    /// Points to draw at most while the camera moves, so that frames keep coming.
    pub fn moving_points(&self) -> usize {
        if self.is_software { 40_000 } else { 3_000_000 }
    }

    /// Facets and points to draw in one frame at rest; more are spread over several.
    pub fn elements_per_frame(&self) -> usize {
        if self.is_software { 350_000 } else { 6_000_000 }
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
