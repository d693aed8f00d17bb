//! A buffer of the graphics device that is read without waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::Gpu;

const WAITING: u8 = 0;
const READY: u8 = 1;
const FAILED: u8 = 2;

/// A read on its way.
pub(super) struct Readback {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
}

impl Readback {
    /// Asks for `buffer` once what was submitted so far is done.
    pub fn start(buffer: wgpu::Buffer) -> Self {
        let state = Arc::new(AtomicU8::new(WAITING));
        let done = Arc::clone(&state);
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            done.store(if result.is_ok() { READY } else { FAILED }, Ordering::Release);
        });
        Self { buffer, state }
    }

    /// Its bytes, once there; inside, `None` where the device failed.
    pub fn poll(&self, gpu: &Gpu) -> Option<Option<wgpu::BufferView>> {
        // A lost device has failed; its state says so.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        match self.state.load(Ordering::Acquire) {
            WAITING => None,
            READY => Some(self.buffer.get_mapped_range(..).ok()),
            _ => Some(None),
        }
    }
}
