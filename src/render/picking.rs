//! Picking: reads a few pixels of the id texture around the pointer, without blocking.

use super::readback::Readback;
use super::{Gpu, Target};

/// A picked element: item id, and index of the facet or drawn point within the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedElement {
    /// Id of the item.
    pub id: u32,
    /// Index of the facet or of the point in drawing order.
    pub element: u32,
}

/// Side of the square that is read, pixels.
const SIDE: u32 = 7;

/// A pending read of ids.
pub struct Pick {
    read: Readback,
    row_bytes: u32,
    size: [u32; 2],
    centre: [u32; 2],
}

impl Pick {
    /// Starts reading the ids around `pixel` (y down).
    pub fn start(gpu: &Gpu, target: &Target, pixel: [u32; 2]) -> Self {
        let low = pixel.map(|p| p.saturating_sub(SIDE / 2));
        let low = [low[0].min(target.size[0] - 1), low[1].min(target.size[1] - 1)];
        let size = [SIDE.min(target.size[0] - low[0]), SIDE.min(target.size[1] - low[1])];
        let row_bytes = (size[0] * 8).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pick"),
            size: u64::from(row_bytes * size[1]),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo {
                texture: &target.ids_texture,
                mip_level: 0,
                origin: wgpu::Origin3d { x: low[0], y: low[1], z: 0 },
                aspect: wgpu::TextureAspect::All,
            },
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row_bytes),
                    rows_per_image: Some(size[1]),
                },
            },
            wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        );
        gpu.queue.submit([encoder.finish()]);
        let centre = [pixel[0] - low[0].min(pixel[0]), pixel[1] - low[1].min(pixel[1])];
        Self { read: Readback::start(buffer), row_bytes, size, centre }
    }

    /// The drawn element nearest to the pixel; `None` while pending, `Some(None)` for the background.
    pub fn poll(&self, gpu: &Gpu) -> Option<Option<PickedElement>> {
        // A lost device counts as background.
        self.read.poll(gpu).map(|bytes| self.nearest(&bytes?))
    }

    fn nearest(&self, bytes: &[u8]) -> Option<PickedElement> {
        let mut best: Option<(i64, PickedElement)> = None;
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                let offset = (y * self.row_bytes + x * 8) as usize;
                let word = |offset: usize| {
                    bytes.get(offset..offset + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                };
                let picked = PickedElement { id: word(offset), element: word(offset + 4) };
                let squared_difference = |a: u32, b: u32| (i64::from(a) - i64::from(b)).pow(2);
                let distance = squared_difference(x, self.centre[0]) + squared_difference(y, self.centre[1]);
                if picked.id != 0 && best.is_none_or(|(nearest, _)| distance < nearest) {
                    best = Some((distance, picked));
                }
            }
        }
        best.map(|(_, picked)| picked)
    }
}
