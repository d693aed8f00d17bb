//! Page-locked host memory, which the device accesses directly at the full speed of the bus.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Pod;

use super::driver::Driver;
use base::Result;

/// Values in page-locked host memory, for data transferred repeatedly. It is a limited resource: pageable memory is
/// copied through page-locked staging buffers instead, at about half the speed.
pub struct PageLockedBuffer<T> {
    driver: Arc<dyn Driver>,
    address: *mut T,
    count: usize,
}

// SAFETY: it owns its memory as a vector does.
unsafe impl<T: Send> Send for PageLockedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PageLockedBuffer<T> {}

impl<T: Pod> PageLockedBuffer<T> {
    /// Allocates `count` values of zero.
    pub(super) fn zeros(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        let address: *mut T = driver.allocate_host((count * size_of::<T>()).max(1))?.cast();
        // SAFETY: the driver allocated as many bytes, aligned to pages; all zeros is a valid value of a `Pod` type.
        unsafe { address.write_bytes(0, count) };
        Ok(Self { driver: Arc::clone(driver), address, count })
    }
}

impl<T> Deref for PageLockedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `zeros` initialised all of it, and only `drop` frees it.
        unsafe { std::slice::from_raw_parts(self.address, self.count) }
    }
}

impl<T> DerefMut for PageLockedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.count) }
    }
}

impl<T> Drop for PageLockedBuffer<T> {
    fn drop(&mut self) {
        self.driver.free_host(self.address.cast());
    }
}
