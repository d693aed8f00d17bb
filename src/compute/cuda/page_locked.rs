//! Host memory that the device reads and writes by itself, at the full speed of the bus.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Pod;

use super::driver::Driver;
use base::Result;

/// Values in page-locked memory, for what goes to the device again and again. The system lends little of it: ordinary
/// memory goes through page-locked halves instead, at about half the speed.
pub struct PageLocked<T> {
    driver: Arc<dyn Driver>,
    place: *mut T,
    count: usize,
}

// SAFETY: it owns its memory as a vector does.
unsafe impl<T: Send> Send for PageLocked<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PageLocked<T> {}

impl<T: Pod> PageLocked<T> {
    /// `count` zeros.
    pub(super) fn zeros(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        let place: *mut T = driver.allocate_host((count * size_of::<T>()).max(1))?.cast();
        // SAFETY: the driver gave as many bytes, aligned to pages; zeros are values of a plain type.
        unsafe { place.write_bytes(0, count) };
        Ok(Self { driver: Arc::clone(driver), place, count })
    }
}

impl<T> Deref for PageLocked<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `zeros` wrote all of it, and it is freed in `drop` alone.
        unsafe { std::slice::from_raw_parts(self.place, self.count) }
    }
}

impl<T> DerefMut for PageLocked<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`.
        unsafe { std::slice::from_raw_parts_mut(self.place, self.count) }
    }
}

impl<T> Drop for PageLocked<T> {
    fn drop(&mut self) {
        self.driver.free_host(self.place.cast());
    }
}
