//! Non-blocking read-back of a buffer of the graphics device.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::Gpu;

const WAITING: u8 = 0;
const READY: u8 = 1;
const FAILED: u8 = 2;

/// A pending read-back.
pub(super) struct Readback {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
}

impl Readback {
    /// Starts mapping `buffer`; it completes after all work submitted so far.
    pub fn start(buffer: wgpu::Buffer) -> Self {
        let state = Arc::new(AtomicU8::new(WAITING));
        let callback_state = Arc::clone(&state);
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            callback_state.store(if result.is_ok() { READY } else { FAILED }, Ordering::Release);
        });
        Self { buffer, state }
    }

    /// The bytes; `None` while pending, `Some(None)` if the device failed.
    pub fn poll(&self, gpu: &Gpu) -> Option<Option<wgpu::BufferView>> {
        // An error here means a lost device, which `state` reports.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        match self.state.load(Ordering::Acquire) {
            WAITING => None,
            READY => Some(self.buffer.get_mapped_range(..).ok()),
            _ => Some(None),
        }
    }
}
