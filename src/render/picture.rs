//! Off-screen pictures: rendering with oversampling, averaging for smooth edges, PNG encoding.

use super::primitives::Draw;
use super::scene::{Frame, Scene};
use super::{Gpu, Target};
use base::{Result, UserError};

/// Oversampling factor in each direction.
pub const OVERSAMPLING: u32 = 2;

/// An RGB picture.
pub struct Picture {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Three bytes per pixel, row by row from the top.
    pub rgb: Vec<u8>,
}

/// Renders a picture of `width` x `height` pixels. The frame's camera must have the oversampled size.
///
/// Returns an error if the picture cannot be read back.
pub fn draw(scene: &Scene, width: u32, height: u32, frame: &Frame<'_>, draws: &[Draw<'_>]) -> Result<Picture> {
    let target = Target::new(scene.gpu(), width * OVERSAMPLING, height * OVERSAMPLING);
    scene.draw(&target, frame, draws);
    let rgba = read_back(scene.gpu(), &target)?;
    let row_pixels = (width * OVERSAMPLING) as usize;
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    let side = OVERSAMPLING as usize;
    for y in 0..height as usize {
        for x in 0..width as usize {
            for channel in 0..3 {
                let sum: u32 = (0..side * side)
                    .map(|i| ((y * side + i / side) * row_pixels + x * side + i % side) * 4 + channel)
                    .map(|index| u32::from(rgba.get(index).copied().unwrap_or(0)))
                    .sum();
                rgb.push((sum / (OVERSAMPLING * OVERSAMPLING)) as u8);
            }
        }
    }
    Ok(Picture { width, height, rgb })
}

/// The finished picture of `target`, RGBA, row by row from the top; blocks until it is available.
///
/// Returns an error if the device fails.
pub fn read_back(gpu: &Gpu, target: &Target) -> Result<Vec<u8>> {
    let failed = |reason: &str| UserError::internal(format!("The picture could not be read back ({reason})."));
    let [width, height] = target.size;
    let row_bytes = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size: u64::from(row_bytes) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        target.picture_texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row_bytes),
                rows_per_image: Some(height),
            },
        },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
    gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver outlives this callback: it waits below.
        let _ = sender.send(result);
    });
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(&e.to_string()))?;
    receiver.recv().map_err(|e| failed(&e.to_string()))?.map_err(|e| failed(&e.to_string()))?;
    let bytes = buffer.get_mapped_range(..).map_err(|e| failed(&e.to_string()))?;
    Ok(bytes.chunks(row_bytes as usize).flat_map(|row| row.iter().copied().take(width as usize * 4)).collect())
}

impl Picture {
    /// The picture as a PNG file.
    ///
    /// Returns an error if it cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>> {
        use image::ImageEncoder;
        let mut png = Vec::new();
        image::codecs::png::PngEncoder::new(&mut png)
            .write_image(&self.rgb, self.width, self.height, image::ExtendedColorType::Rgb8)
            .map_err(|e| UserError::internal(format!("The picture could not be encoded: {e}.")))?;
        Ok(png)
    }
}
