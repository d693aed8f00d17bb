//! Where kernels run: an NVIDIA GPU, or in tests the processor. Everything above is the same for both.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use base::{Result, UserError};

/// Memory, transfers and launches of one device. Places are addresses in its memory.
pub trait Driver: Send + Sync {
    /// The device for people.
    fn name(&self) -> String;

    /// Bytes that can still be taken.
    fn free_bytes(&self) -> Result<usize>;

    /// Takes page-locked memory of the host.
    fn allocate_host(&self, bytes: usize) -> Result<*mut u8>;

    /// Gives it back.
    fn free_host(&self, place: *mut u8);

    /// Takes `bytes` of memory; an input error that says the figure where they are not there.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Gives memory back.
    fn free(&self, place: u64);

    /// Copies to the device, behind everything launched before.
    fn upload(&self, place: u64, bytes: &[u8]) -> Result<()>;

    /// Copies from the device behind everything launched before, and waits.
    fn download(&self, bytes: &mut [u8], place: u64) -> Result<()>;

    /// Shows `bytes` of the device's memory piece by piece, each while the next is on its way. Every piece is a whole
    /// number of units long.
    fn download_pieces(&self, place: u64, bytes: usize, unit: usize, show: &mut dyn FnMut(&[u8])) -> Result<()>;

    /// Sets memory to zero.
    fn clear(&self, place: u64, bytes: usize) -> Result<()>;

    /// Launches `blocks` of `threads`; `arguments` are the bytes of each parameter as the kernel declares it.
    fn launch(&self, kernel: &'static str, blocks: u32, threads: u32, arguments: &[&[u8]]) -> Result<()>;

    /// Waits for everything launched, and says what went wrong in it.
    fn synchronize(&self) -> Result<()>;
}

/// Values on a device, freed with the last handle.
pub struct Buffer<T> {
    driver: Arc<dyn Driver>,
    place: u64,
    count: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Room for `count` values, not set.
    pub fn new(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        let place = driver.allocate((count * size_of::<T>()).max(1))?;
        Ok(Self { driver: Arc::clone(driver), place, count, of: PhantomData })
    }

    /// `count` zeros.
    pub fn zeros(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        let buffer = Self::new(driver, count)?;
        driver.clear(buffer.place, count * size_of::<T>())?;
        Ok(buffer)
    }

    /// A copy of `values`.
    pub fn of(driver: &Arc<dyn Driver>, values: &[T]) -> Result<Self> {
        let buffer = Self::new(driver, values.len())?;
        driver.upload(buffer.place, bytemuck::cast_slice(values))?;
        Ok(buffer)
    }

    /// All values.
    pub fn read(&self) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); self.count];
        self.driver.download(bytemuck::cast_slice_mut(&mut values), self.place)?;
        Ok(values)
    }

    /// All values, each as something else: no more than that is ever held.
    pub fn read_as<U: Send>(&self, convert: impl Fn(&T) -> U + Sync) -> Result<Vec<U>>
    where
        T: Sync,
    {
        let mut values = Vec::with_capacity(self.count);
        let unit = size_of::<T>();
        self.driver.download_pieces(self.place, self.count * unit, unit, &mut |piece| {
            // Copied where the driver's memory is not aligned for them.
            match bytemuck::try_cast_slice::<u8, T>(piece) {
                Ok(piece) => values.par_extend(piece.par_iter().map(&convert)),
                Err(_) => values.extend(bytemuck::pod_collect_to_vec::<u8, T>(piece).iter().map(&convert)),
            }
        })?;
        if values.len() != self.count {
            return Err(UserError::internal(
                "The CUDA device gave back another number of answers than it was asked for.",
            ));
        }
        Ok(values)
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Its address, as kernels take it.
    pub fn place(&self) -> u64 {
        self.place
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.driver.free(self.place);
    }
}

/// Refuses a job that needs more memory than there is, before it begins.
pub fn require(driver: &dyn Driver, bytes: usize, job: &str) -> Result<()> {
    let free = driver.free_bytes()?;
    if bytes <= free {
        return Ok(());
    }
    Err(UserError::input(format!(
        "{job} needs {} MiB on {}, where {} MiB are free.",
        bytes.div_ceil(1 << 20),
        driver.name(),
        free >> 20
    )))
}

/// Threads of a block where a kernel has no wish of its own.
const THREADS: u32 = 128;

/// Launches one thread for each of `count` elements.
pub fn launch_each(driver: &dyn Driver, kernel: &'static str, count: usize, arguments: &[&[u8]]) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    driver.launch(kernel, (count as u64).div_ceil(u64::from(THREADS)) as u32, THREADS, arguments)
}
