//! The interface to the device that runs the kernels: an NVIDIA GPU, or the CPU in tests.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use base::{Result, UserError};

/// Memory, transfers and launches of one device. Addresses are those of device memory unless stated otherwise.
pub trait Driver: Send + Sync {
    /// Display name of the device.
    fn name(&self) -> String;

    /// Free device memory in bytes.
    fn free_bytes(&self) -> Result<usize>;

    /// Allocates page-locked host memory and returns its host address.
    fn allocate_host(&self, bytes: usize) -> Result<*mut u8>;

    /// Frees memory from [`Self::allocate_host`].
    fn free_host(&self, address: *mut u8);

    /// Allocates `bytes` of memory and returns their address. Returns an input error with the size if there are not
    /// enough.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Frees memory from [`Self::allocate`].
    fn free(&self, address: u64);

    /// Copies to the device, after everything launched before.
    fn upload(&self, address: u64, bytes: &[u8]) -> Result<()>;

    /// Copies from the device after everything launched before, and waits for it.
    fn download(&self, bytes: &mut [u8], address: u64) -> Result<()>;

    /// Copies `bytes` from the device in pieces and calls `read` with each while the next is being copied. The length
    /// of every piece is a multiple of `unit` bytes.
    fn download_pieces(&self, address: u64, bytes: usize, unit: usize, read: &mut dyn FnMut(&[u8])) -> Result<()>;

    /// Sets memory to zero.
    fn clear(&self, address: u64, bytes: usize) -> Result<()>;

    /// Launches `blocks` blocks of `threads` threads; `arguments` are the bytes of each parameter as the kernel
    /// declares it.
    fn launch(&self, kernel: &'static str, blocks: u32, threads: u32, arguments: &[&[u8]]) -> Result<()>;

    /// Waits for everything launched. Returns an error if any of it failed.
    fn synchronize(&self) -> Result<()>;
}

/// An array of values in device memory, freed on drop.
pub struct Buffer<T> {
    driver: Arc<dyn Driver>,
    address: u64,
    count: usize,
    values: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Allocates `count` uninitialised values.
    pub fn new(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        let address = driver.allocate((count * size_of::<T>()).max(1))?;
        Ok(Self { driver: Arc::clone(driver), address, count, values: PhantomData })
    }

    /// Allocates `count` values of zero.
    pub fn zeros(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        let buffer = Self::new(driver, count)?;
        driver.clear(buffer.address, count * size_of::<T>())?;
        Ok(buffer)
    }

    /// Uploads a copy of `values`.
    pub fn from_slice(driver: &Arc<dyn Driver>, values: &[T]) -> Result<Self> {
        let buffer = Self::new(driver, values.len())?;
        driver.upload(buffer.address, bytemuck::cast_slice(values))?;
        Ok(buffer)
    }

    /// Downloads all values.
    pub fn read(&self) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); self.count];
        self.driver.download(bytemuck::cast_slice_mut(&mut values), self.address)?;
        Ok(values)
    }

    /// Downloads all values and converts them piece by piece, without a copy of all raw values on the host.
    pub fn read_as<U: Send>(&self, convert: impl Fn(&T) -> U + Sync) -> Result<Vec<U>>
    where
        T: Sync,
    {
        let mut values = Vec::with_capacity(self.count);
        self.append_as(&mut values, convert)?;
        Ok(values)
    }

    /// As [`Self::read_as`], appended to `values`.
    pub fn append_as<U: Send>(&self, values: &mut Vec<U>, convert: impl Fn(&T) -> U + Sync) -> Result<()>
    where
        T: Sync,
    {
        let (unit, before) = (size_of::<T>(), values.len());
        self.driver.download_pieces(self.address, self.count * unit, unit, &mut |piece| {
            // A copy is needed if the memory of the driver is not aligned for the type.
            match bytemuck::try_cast_slice::<u8, T>(piece) {
                Ok(piece) => values.par_extend(piece.par_iter().map(&convert)),
                Err(_) => values.extend(bytemuck::pod_collect_to_vec::<u8, T>(piece).iter().map(&convert)),
            }
        })?;
        if values.len() != before + self.count {
            return Err(UserError::internal("The CUDA device returned a different number of values than requested."));
        }
        Ok(())
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Address of the first value, as passed to kernels.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.driver.free(self.address);
    }
}

/// Returns an error if `job` needs more memory than is free; called before it starts.
pub fn require(driver: &dyn Driver, bytes: usize, job: &str) -> Result<()> {
    let free = driver.free_bytes()?;
    if bytes <= free {
        return Ok(());
    }
    Err(UserError::input(format!(
        "{job} needs {} MiB on {}, but only {} MiB are free.",
        bytes.div_ceil(1 << 20),
        driver.name(),
        free >> 20
    )))
}

/// Threads per block of kernels without requirements of their own.
const THREADS: u32 = 128;

/// Launches one thread for each of `count` elements.
pub fn launch_each(driver: &dyn Driver, kernel: &'static str, count: usize, arguments: &[&[u8]]) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    driver.launch(kernel, (count as u64).div_ceil(u64::from(THREADS)) as u32, THREADS, arguments)
}
