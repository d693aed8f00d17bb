//! The textures that a frame is drawn into.

use super::Gpu;

/// Colour, ids, depth and the finished picture, all of one size.
pub struct Target {
    /// Pixels across and down.
    pub size: [u32; 2],
    pub(super) colour: wgpu::TextureView,
    pub(super) ids_texture: wgpu::Texture,
    pub(super) ids: wgpu::TextureView,
    pub(super) depth: wgpu::TextureView,
    /// What the lighting reads; made when it is first lit.
    pub(super) lighting: std::sync::OnceLock<wgpu::BindGroup>,
    pub(super) picture_texture: wgpu::Texture,
    /// The finished picture, RGBA.
    pub picture: wgpu::TextureView,
}

impl Target {
    /// Format of colour and picture.
    pub const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
    /// Format of the object and element under each pixel.
    pub const IDS: wgpu::TextureFormat = wgpu::TextureFormat::Rg32Uint;
    /// Format of depth.
    pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

    /// Makes the textures; sizes are kept within what the device can do.
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Self {
        let most = gpu.device.limits().max_texture_dimension_2d;
        let size = [width.clamp(1, most), height.clamp(1, most)];
        let texture = |label, format, usage| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING | usage,
                view_formats: &[],
            })
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let ids_texture = texture("ids", Self::IDS, wgpu::TextureUsages::COPY_SRC);
        let picture_texture = texture("picture", Self::COLOUR, wgpu::TextureUsages::COPY_SRC);
        Self {
            size,
            colour: view(&texture("colour", Self::COLOUR, wgpu::TextureUsages::empty())),
            ids: view(&ids_texture),
            ids_texture,
            depth: view(&texture("depth", Self::DEPTH, wgpu::TextureUsages::empty())),
            picture: view(&picture_texture),
            picture_texture,
            lighting: std::sync::OnceLock::new(),
        }
    }
}
