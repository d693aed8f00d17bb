//! Copies between pageable host memory and the device through two page-locked staging buffers: while one is
//! transferred over the bus, all cores fill or empty the other.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{DriverError, result, sys};
use rayon::prelude::*;

/// Size of a staging buffer in bytes.
const BUFFER_BYTES: usize = 4 << 20;
/// Bytes copied per task on the host.
const TASK_BYTES: usize = 256 << 10;

/// Double-buffered transfers on a stream.
pub(super) struct Staging {
    stream: sys::CUstream,
    /// Buffers that no transfer uses. Each transfer takes two of its own: while all cores fill or empty them, the thread
    /// that waits may begin another transfer, which must not wait for the first.
    free: Mutex<Vec<Buffers>>,
}

struct Buffers {
    addresses: [*mut c_void; 2],
    /// Recorded after the last copy from or to each buffer.
    done: [sys::CUevent; 2],
    next: usize,
}

// SAFETY: the buffers are used by one transfer at a time; the handles may be used by any thread that has bound the context.
unsafe impl Send for Buffers {}

impl Staging {
    /// Copies run in order with everything else on `stream`. The context must be bound.
    pub fn new(stream: sys::CUstream) -> Result<Self, DriverError> {
        Ok(Self { stream, free: Mutex::new(vec![Buffers::new()?]) })
    }

    /// Runs a transfer with buffers of its own. The context must be bound.
    fn with_buffers(&self, transfer: impl FnOnce(&mut Buffers) -> Result<(), DriverError>) -> Result<(), DriverError> {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = free().pop();
        let mut buffers = match taken {
            Some(buffers) => buffers,
            None => Buffers::new()?,
        };
        let done = transfer(&mut buffers);
        free().push(buffers);
        done
    }

    /// Copies to the device. `bytes` may be changed after the return; the copy itself completes in stream order.
    pub fn upload(&self, address: u64, bytes: &[u8]) -> Result<(), DriverError> {
        if is_page_locked(bytes) {
            // SAFETY: the memory is borrowed until the copy has completed.
            return unsafe {
                result::memcpy_htod_async(address, bytes, self.stream)?;
                result::stream::synchronize(self.stream)
            };
        }
        self.with_buffers(|buffers| {
            for (index, piece) in bytes.chunks(BUFFER_BYTES).enumerate() {
                let current = buffers.take();
                // SAFETY: the buffer is at least as long as the piece, and no copy from it runs after its event.
                unsafe {
                    result::event::synchronize(buffers.done[current])?;
                    let staged = std::slice::from_raw_parts_mut(buffers.addresses[current].cast::<u8>(), piece.len());
                    copy(staged, piece);
                    result::memcpy_htod_async(address + (index * BUFFER_BYTES) as u64, staged, self.stream)?;
                    result::event::record(buffers.done[current], self.stream)?;
                }
            }
            Ok(())
        })
    }

    /// Copies from the device after everything on the stream, and waits for it.
    pub fn download(&self, bytes: &mut [u8], address: u64) -> Result<(), DriverError> {
        if is_page_locked(bytes) {
            // SAFETY: as for `upload`.
            return unsafe {
                result::memcpy_dtoh_async(bytes, address, self.stream)?;
                result::stream::synchronize(self.stream)
            };
        }
        let mut rest = bytes;
        self.download_pieces(address, rest.len(), 1, &mut |piece| {
            let (head, tail) = std::mem::take(&mut rest).split_at_mut(piece.len());
            copy(head, piece);
            rest = tail;
        })
    }

    /// Copies `bytes` from the device after everything on the stream and calls `read` with each piece, whose length is
    /// a multiple of `unit` bytes.
    pub fn download_pieces(
        &self,
        address: u64,
        bytes: usize,
        unit: usize,
        read: &mut dyn FnMut(&[u8]),
    ) -> Result<(), DriverError> {
        let max_length = BUFFER_BYTES - BUFFER_BYTES % unit;
        self.with_buffers(|buffers| {
            let mut pending = None;
            for start in (0..bytes).step_by(max_length) {
                let (current, length) = (buffers.take(), max_length.min(bytes - start));
                // SAFETY: as for `upload`; the stream orders the copy after earlier ones from this buffer, and the
                // previous piece in it has been read.
                unsafe {
                    let staged = std::slice::from_raw_parts_mut(buffers.addresses[current].cast::<u8>(), length);
                    result::memcpy_dtoh_async(staged, address + start as u64, self.stream)?;
                    result::event::record(buffers.done[current], self.stream)?;
                }
                if let Some((previous, length)) = pending.replace((current, length)) {
                    buffers.read(previous, length, read)?;
                }
            }
            pending.map_or(Ok(()), |(last, length)| buffers.read(last, length, read))
        })
    }
}

impl Buffers {
    /// The context must be bound.
    fn new() -> Result<Self, DriverError> {
        // SAFETY: the context is bound.
        let buffer = || unsafe { result::malloc_host(BUFFER_BYTES, 0) };
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        Ok(Self { addresses: [buffer()?, buffer()?], done: [event()?, event()?], next: 0 })
    }

    /// Index of the buffer to use next.
    fn take(&mut self) -> usize {
        self.next = 1 - self.next;
        self.next
    }

    /// Waits for the copy into a buffer and calls `read` with its first `length` bytes.
    fn read(&self, index: usize, length: usize, read: &mut dyn FnMut(&[u8])) -> Result<(), DriverError> {
        // SAFETY: the copy into the buffer has completed, and the buffer is at least `length` bytes long.
        unsafe {
            result::event::synchronize(self.done[index])?;
            read(std::slice::from_raw_parts(self.addresses[index].cast::<u8>(), length));
        }
        Ok(())
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        for index in 0..2 {
            // SAFETY: created by `new` and no longer in use. A lost device frees memory by itself.
            unsafe {
                let _ = result::free_host(self.addresses[index]);
                let _ = result::event::destroy(self.done[index]);
            }
        }
    }
}

/// Whether the device can access this host memory directly. Not queried for small copies, where it does not pay.
fn is_page_locked(bytes: &[u8]) -> bool {
    if bytes.len() < BUFFER_BYTES {
        return false;
    }
    let mut kind = 0_u32;
    let mut attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    let mut value: *mut std::ffi::c_void = (&raw mut kind).cast();
    // SAFETY: one attribute is queried, which is a 32-bit integer; the address is only looked up. The query for a list
    // of attributes, unlike that for a single one, does not fail for memory unknown to the driver.
    let status = unsafe { sys::cuPointerGetAttributes(1, &raw mut attribute, &raw mut value, bytes.as_ptr() as u64) };
    status == sys::CUresult::CUDA_SUCCESS && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
}

fn copy(to: &mut [u8], from: &[u8]) {
    if from.len() < 4 * TASK_BYTES {
        to.copy_from_slice(from);
    } else {
        to.par_chunks_mut(TASK_BYTES).zip(from.par_chunks(TASK_BYTES)).for_each(|(to, from)| to.copy_from_slice(from));
    }
}
