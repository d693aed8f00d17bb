//! Copies between ordinary memory and the device through two page-locked halves: while one is on its way over the bus,
//! all cores fill or empty the other.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{DriverError, result, sys};
use rayon::prelude::*;

/// Bytes of a half.
const HALF: usize = 4 << 20;
/// Bytes that one core copies at a time.
const SHARE: usize = 256 << 10;

/// See the module.
pub(super) struct Staging {
    stream: sys::CUstream,
    halves: Mutex<Halves>,
}

struct Halves {
    places: [*mut c_void; 2],
    /// Recorded behind the last copy from or to each half.
    done: [sys::CUevent; 2],
    next: usize,
}

// SAFETY: the halves are used under the lock only; the handles may be used from any thread that has bound the context.
unsafe impl Send for Halves {}

impl Staging {
    /// Copies run in order with everything else on `stream`. The context is bound.
    pub fn new(stream: sys::CUstream) -> Result<Self, DriverError> {
        // SAFETY: the context is bound.
        let half = || unsafe { result::malloc_host(HALF, 0) };
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let halves = Halves { places: [half()?, half()?], done: [event()?, event()?], next: 0 };
        Ok(Self { stream, halves: Mutex::new(halves) })
    }

    /// Copies to the device. On return `bytes` may change; the copy itself is done in its turn on the stream.
    pub fn upload(&self, place: u64, bytes: &[u8]) -> Result<(), DriverError> {
        if is_page_locked(bytes) {
            // SAFETY: the memory stays as it is until the copy has ended.
            return unsafe {
                result::memcpy_htod_async(place, bytes, self.stream)?;
                result::stream::synchronize(self.stream)
            };
        }
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, piece) in bytes.chunks(HALF).enumerate() {
            let half = halves.take();
            // SAFETY: the half is at least as long as the piece, and no copy from it runs after its event.
            unsafe {
                result::event::synchronize(halves.done[half])?;
                let staged = std::slice::from_raw_parts_mut(halves.places[half].cast::<u8>(), piece.len());
                copy(staged, piece);
                result::memcpy_htod_async(place + (number * HALF) as u64, staged, self.stream)?;
                result::event::record(halves.done[half], self.stream)?;
            }
        }
        Ok(())
    }

    /// Copies from the device behind everything on the stream, and waits.
    pub fn download(&self, bytes: &mut [u8], place: u64) -> Result<(), DriverError> {
        if is_page_locked(bytes) {
            // SAFETY: as for `upload`.
            return unsafe {
                result::memcpy_dtoh_async(bytes, place, self.stream)?;
                result::stream::synchronize(self.stream)
            };
        }
        let mut rest = bytes;
        self.download_pieces(place, rest.len(), 1, &mut |piece| {
            let (head, tail) = std::mem::take(&mut rest).split_at_mut(piece.len());
            copy(head, piece);
            rest = tail;
        })
    }

    /// Shows memory of the device piece by piece, each of whole units, behind everything on the stream.
    pub fn download_pieces(
        &self,
        place: u64,
        bytes: usize,
        unit: usize,
        show: &mut dyn FnMut(&[u8]),
    ) -> Result<(), DriverError> {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        let mut under_way = None;
        let most = HALF - HALF % unit;
        for start in (0..bytes).step_by(most) {
            let (half, length) = (halves.take(), most.min(bytes - start));
            // SAFETY: as for `upload`; the piece before has left the other half only after its own event.
            unsafe {
                let staged = std::slice::from_raw_parts_mut(halves.places[half].cast::<u8>(), length);
                result::memcpy_dtoh_async(staged, place + start as u64, self.stream)?;
                result::event::record(halves.done[half], self.stream)?;
            }
            if let Some((half, length)) = under_way.replace((half, length)) {
                halves.show(half, length, show)?;
            }
        }
        under_way.map_or(Ok(()), |(half, length)| halves.show(half, length, show))
    }
}

impl Halves {
    /// The half whose turn it is.
    fn take(&mut self) -> usize {
        self.next = 1 - self.next;
        self.next
    }

    fn show(&self, half: usize, length: usize, show: &mut dyn FnMut(&[u8])) -> Result<(), DriverError> {
        // SAFETY: the copy into the half has ended, and the half is at least as long as the piece.
        unsafe {
            result::event::synchronize(self.done[half])?;
            show(std::slice::from_raw_parts(self.places[half].cast::<u8>(), length));
        }
        Ok(())
    }
}

impl Drop for Halves {
    fn drop(&mut self) {
        for half in 0..2 {
            // SAFETY: made by `new`, used by nobody any more. A lost device frees by itself.
            unsafe {
                let _ = result::free_host(self.places[half]);
                let _ = result::event::destroy(self.done[half]);
            }
        }
    }
}

/// Whether the device can read this memory of the host by itself. Small copies are not worth the question.
fn is_page_locked(bytes: &[u8]) -> bool {
    if bytes.len() < HALF {
        return false;
    }
    let mut kind = 0_u32;
    let mut attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    let mut answer: *mut std::ffi::c_void = (&raw mut kind).cast();
    // SAFETY: one attribute is asked for, and it is a 32-bit number; the address is only looked up. The question for a
    // list of attributes, unlike that for one, is no error for memory that the driver does not know.
    let known = unsafe { sys::cuPointerGetAttributes(1, &raw mut attribute, &raw mut answer, bytes.as_ptr() as u64) };
    known == sys::CUresult::CUDA_SUCCESS && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
}

fn copy(to: &mut [u8], from: &[u8]) {
    if from.len() < 4 * SHARE {
        to.copy_from_slice(from);
    } else {
        to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
    }
}
