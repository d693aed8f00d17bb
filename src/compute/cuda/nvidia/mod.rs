//! An NVIDIA GPU through the driver alone: no toolkit is needed to build or to run.
//!
//! Everything runs in order on one stream, memory included: the driver's pool hands freed memory out again at once.
#![allow(unsafe_code)]

mod staging;

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result, sys};

use super::driver::Driver;
use super::kernels::{MODULES, check_arguments, names};
use base::{Result, UserError};
use staging::Staging;

/// A GPU with all kernels loaded.
pub struct Nvidia {
    // Before the context: it goes first.
    staging: Staging,
    context: Arc<CudaContext>,
    stream: sys::CUstream,
    /// Whether the driver has a memory pool.
    is_pooled: bool,
    kernels: HashMap<&'static str, sys::CUfunction>,
    name: String,
}

// SAFETY: function handles belong to the context, which any thread may bind; they are never changed.
unsafe impl Send for Nvidia {}
// SAFETY: as above.
unsafe impl Sync for Nvidia {}

impl Nvidia {
    /// The names of all GPUs by their numbers; a sentence says why there is none.
    pub fn names() -> Result<Vec<String>> {
        let name = |number| result::device::get_name(result::device::get(number)?);
        (0..count()?).map(|number| name(number).map_err(|error| none(words(error)))).collect()
    }

    /// Opens a GPU by its number; a sentence says why it cannot be used.
    pub fn open(number: usize) -> Result<Self> {
        let count = count()?;
        if number >= count.cast_unsigned() as usize {
            return Err(none(format!("there is none of number {number} among {count}")));
        }
        let context = CudaContext::new(number).map_err(|error| none(words(error)))?;
        let name = context.name().map_err(|error| none(words(error)))?;
        let mut kernels = HashMap::new();
        for &ptx in MODULES {
            let failed = |error| none(format!("the driver does not take the kernels ({})", words(error)));
            let text = CString::new(ptx).map_err(|_| none("the kernels are damaged"))?;
            // SAFETY: the text ends in zero, and the context is bound by its creation.
            let module = unsafe { result::module::load_data(text.as_ptr().cast()) }.map_err(failed)?;
            for name in names(ptx) {
                let symbol = CString::new(name).map_err(|_| none("a kernel has no name"))?;
                // SAFETY: the module was loaded just before and is never unloaded.
                kernels.insert(name, unsafe { result::module::get_function(module, symbol) }.map_err(failed)?);
            }
        }
        let failed = |error| none(words(error));
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking).map_err(failed)?;
        let is_pooled = keep_freed_memory(&context).is_ok();
        let staging = Staging::new(stream).map_err(failed)?;
        Ok(Self { context, stream, is_pooled, staging, kernels, name })
    }

    fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| lost(error, "taking the device"))
    }
}

fn none(reason: impl std::fmt::Display) -> UserError {
    UserError::input(format!("No CUDA device can be used: {reason}."))
}

/// Number of GPUs, at least one.
fn count() -> Result<i32> {
    // SAFETY: only looks for the driver library.
    if !unsafe { sys::is_culib_present() } {
        return Err(none("the NVIDIA driver is not installed"));
    }
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count),
        Ok(_) => Err(none("the driver names no device")),
        Err(error) => Err(none(words(error))),
    }
}

/// Without this the pool gives memory back to the system at every wait.
fn keep_freed_memory(context: &CudaContext) -> std::result::Result<(), DriverError> {
    let mut all = u64::MAX;
    // SAFETY: the attribute takes a 64-bit number.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device())?;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, threshold, (&raw mut all).cast())
    }
}

/// Bytes that the pool holds and nobody uses.
fn unused_in_pool(context: &CudaContext) -> std::result::Result<usize, DriverError> {
    let (mut reserved, mut used) = (0_u64, 0_u64);
    // SAFETY: both attributes are 64-bit numbers.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device())?;
        for (attribute, value) in [
            (sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &raw mut reserved),
            (sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &raw mut used),
        ] {
            sys::cuMemPoolGetAttribute(pool, attribute, value.cast()).result()?;
        }
    }
    Ok(reserved.saturating_sub(used) as usize)
}

fn words(error: DriverError) -> String {
    error.error_string().map_or_else(|_| format!("{error:?}"), |text| text.to_string_lossy().into_owned())
}

fn lost(error: DriverError, doing: &str) -> UserError {
    UserError::internal(format!("The CUDA device failed while {doing}: {}.", words(error)))
}

impl Driver for Nvidia {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn free_bytes(&self) -> Result<usize> {
        self.bind()?;
        let failed = |error| lost(error, "asking for its memory");
        let (free, _) = result::mem_get_info().map_err(failed)?;
        // What the pool keeps for the next one is free as well.
        Ok(free + if self.is_pooled { unused_in_pool(&self.context).map_err(failed)? } else { 0 })
    }

    fn allocate_host(&self, bytes: usize) -> Result<*mut u8> {
        self.bind()?;
        // SAFETY: the context is bound.
        let place = unsafe { result::malloc_host(bytes, 0) };
        place.map(<*mut c_void>::cast).map_err(|error| {
            let mebibytes = bytes.div_ceil(1 << 20);
            UserError::input(format!("The system cannot lock {mebibytes} MiB of memory: {}.", words(error)))
        })
    }

    fn free_host(&self, place: *mut u8) {
        if self.bind().is_ok() {
            // SAFETY: it came from `allocate_host`, and its only owner is being dropped.
            let _ = unsafe { result::free_host(place.cast()) };
        }
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.bind()?;
        // SAFETY: the context is bound.
        let place = unsafe {
            if self.is_pooled { result::malloc_async(self.stream, bytes) } else { result::malloc_sync(bytes) }
        };
        place.map_err(|error| {
            let free = result::mem_get_info().map_or(0, |(free, _)| free);
            let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
            UserError::input(format!(
                "{} has no room for {} MiB more ({} MiB are free): {}.",
                self.name,
                mebibytes(bytes),
                mebibytes(free),
                words(error)
            ))
        })
    }

    fn free(&self, place: u64) {
        if self.bind().is_ok() {
            // SAFETY: the place came from `allocate` and its only owner is being dropped. A lost device frees by itself.
            let _ = unsafe {
                if self.is_pooled { result::free_async(place, self.stream) } else { result::free_sync(place) }
            };
        }
    }

    fn upload(&self, place: u64, bytes: &[u8]) -> Result<()> {
        self.bind()?;
        self.staging.upload(place, bytes).map_err(|error| lost(error, "copying to it"))
    }

    fn download(&self, bytes: &mut [u8], place: u64) -> Result<()> {
        self.bind()?;
        self.staging.download(bytes, place).map_err(|error| lost(error, "copying from it"))
    }

    fn download_pieces(&self, place: u64, bytes: usize, unit: usize, show: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.bind()?;
        self.staging.download_pieces(place, bytes, unit, show).map_err(|error| lost(error, "copying from it"))
    }

    fn clear(&self, place: u64, bytes: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: the buffer at `place` has these bytes.
        unsafe { result::memset_d8_async(place, 0, bytes, self.stream) }.map_err(|error| lost(error, "clearing memory"))
    }

    fn launch(&self, kernel: &'static str, blocks: u32, threads: u32, arguments: &[&[u8]]) -> Result<()> {
        check_arguments(kernel, arguments)?;
        self.bind()?;
        let function = self
            .kernels
            .get(kernel)
            .ok_or_else(|| UserError::internal(format!("There is no kernel named {kernel}.")))?;
        let mut parameters: Vec<*mut c_void> =
            arguments.iter().map(|argument| argument.as_ptr().cast_mut().cast()).collect();
        // SAFETY: each parameter points to as many bytes as the kernel declares, which the driver copies before
        // it returns; buffers named in them outlive the launch, as every read-back waits for it.
        let launched = unsafe {
            result::launch_kernel(*function, (blocks, 1, 1), (threads, 1, 1), 0, self.stream, &mut parameters)
        };
        launched.map_err(|error| lost(error, kernel))
    }

    fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: the stream lives as long as the device.
        unsafe { result::stream::synchronize(self.stream) }.map_err(|error| lost(error, "computing"))
    }
}
