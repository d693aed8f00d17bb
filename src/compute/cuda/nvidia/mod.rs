//! An NVIDIA GPU through the driver API alone: no CUDA toolkit is needed to build or to run.
//!
//! Everything runs in order on one stream, allocations included: the driver's pool reuses freed memory immediately.
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
    // Declared before the context, so that it is dropped first.
    staging: Staging,
    context: Arc<CudaContext>,
    stream: sys::CUstream,
    /// Whether the driver has a memory pool.
    is_pooled: bool,
    kernels: HashMap<&'static str, sys::CUfunction>,
    name: String,
}

// SAFETY: the handles belong to the context, which any thread may bind; they are never changed.
unsafe impl Send for Nvidia {}
// SAFETY: as above.
unsafe impl Sync for Nvidia {}

impl Nvidia {
    /// Names of all GPUs by index. Returns an error if there are none.
    pub fn names() -> Result<Vec<String>> {
        let name = |index| result::device::get_name(result::device::get(index)?);
        (0..device_count()?).map(|index| name(index).map_err(|error| unavailable(description(error)))).collect()
    }

    /// Opens the GPU at an index. Returns an error if it cannot be used.
    pub fn open(index: usize) -> Result<Self> {
        let count = device_count()?;
        if index >= count.cast_unsigned() as usize {
            return Err(unavailable(format!("there is no device {index}, counted from 0; {count} found")));
        }
        let context = CudaContext::new(index).map_err(|error| unavailable(description(error)))?;
        let name = context.name().map_err(|error| unavailable(description(error)))?;
        let mut kernels = HashMap::new();
        for ptx in MODULES.iter() {
            let failed = |error| unavailable(format!("the driver rejected the kernels ({})", description(error)));
            let text = CString::new(ptx.as_str()).map_err(|_| unavailable("the embedded kernels are corrupt"))?;
            // SAFETY: the text is zero-terminated, and creating the context has bound it.
            let module = unsafe { result::module::load_data(text.as_ptr().cast()) }.map_err(failed)?;
            for name in names(ptx) {
                let symbol = CString::new(name).map_err(|_| unavailable("a kernel name is invalid"))?;
                // SAFETY: the module was loaded above and is never unloaded.
                kernels.insert(name, unsafe { result::module::get_function(module, symbol) }.map_err(failed)?);
            }
        }
        let failed = |error| unavailable(description(error));
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking).map_err(failed)?;
        let is_pooled = keep_freed_memory(&context).is_ok();
        let staging = Staging::new(stream).map_err(failed)?;
        Ok(Self { context, stream, is_pooled, staging, kernels, name })
    }

    fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| device_error(error, "binding its context"))
    }
}

fn unavailable(reason: impl std::fmt::Display) -> UserError {
    UserError::input(format!("No CUDA device can be used: {reason}."))
}

/// Number of GPUs. Returns an error if there are none.
fn device_count() -> Result<i32> {
    // SAFETY: only searches for the driver library.
    if !unsafe { sys::is_culib_present() } {
        return Err(unavailable("the NVIDIA driver is not installed"));
    }
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count),
        Ok(_) => Err(unavailable("the driver reports no device")),
        Err(error) => Err(unavailable(description(error))),
    }
}

/// Keeps freed memory in the pool, which otherwise returns it to the system at every synchronisation.
fn keep_freed_memory(context: &CudaContext) -> std::result::Result<(), DriverError> {
    let mut unlimited = u64::MAX;
    // SAFETY: the attribute is a 64-bit integer.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device())?;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, threshold, (&raw mut unlimited).cast())
    }
}

/// Bytes reserved by the pool but not in use.
fn unused_in_pool(context: &CudaContext) -> std::result::Result<usize, DriverError> {
    let (mut reserved, mut used) = (0_u64, 0_u64);
    // SAFETY: both attributes are 64-bit integers.
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

fn description(error: DriverError) -> String {
    error.error_string().map_or_else(|_| format!("{error:?}"), |text| text.to_string_lossy().into_owned())
}

fn device_error(error: DriverError, action: &str) -> UserError {
    UserError::internal(format!("The CUDA device failed while {action}: {}.", description(error)))
}

impl Driver for Nvidia {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn free_bytes(&self) -> Result<usize> {
        self.bind()?;
        let failed = |error| device_error(error, "querying its memory");
        let (free, _) = result::mem_get_info().map_err(failed)?;
        // Memory that the pool holds unused is free as well.
        Ok(free + if self.is_pooled { unused_in_pool(&self.context).map_err(failed)? } else { 0 })
    }

    fn allocate_host(&self, bytes: usize) -> Result<*mut u8> {
        self.bind()?;
        // SAFETY: the context is bound.
        let address = unsafe { result::malloc_host(bytes, 0) };
        address.map(<*mut c_void>::cast).map_err(|error| {
            let mebibytes = bytes.div_ceil(1 << 20);
            UserError::input(format!("The system cannot page-lock {mebibytes} MiB of memory: {}.", description(error)))
        })
    }

    fn free_host(&self, address: *mut u8) {
        if self.bind().is_ok() {
            // SAFETY: it is from `allocate_host`, and its only owner is being dropped.
            let _ = unsafe { result::free_host(address.cast()) };
        }
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.bind()?;
        // SAFETY: the context is bound.
        let address = unsafe {
            if self.is_pooled { result::malloc_async(self.stream, bytes) } else { result::malloc_sync(bytes) }
        };
        address.map_err(|error| {
            let free = result::mem_get_info().map_or(0, |(free, _)| free);
            let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
            UserError::input(format!(
                "{} cannot allocate {} MiB ({} MiB are free): {}.",
                self.name,
                mebibytes(bytes),
                mebibytes(free),
                description(error)
            ))
        })
    }

    fn free(&self, address: u64) {
        if self.bind().is_ok() {
            // SAFETY: it is from `allocate`, and its only owner is being dropped. A lost device frees memory by itself.
            let _ = unsafe {
                if self.is_pooled { result::free_async(address, self.stream) } else { result::free_sync(address) }
            };
        }
    }

    fn upload(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.bind()?;
        self.staging.upload(address, bytes).map_err(|error| device_error(error, "copying data to it"))
    }

    fn download(&self, bytes: &mut [u8], address: u64) -> Result<()> {
        self.bind()?;
        self.staging.download(bytes, address).map_err(|error| device_error(error, "copying data from it"))
    }

    fn download_pieces(&self, address: u64, bytes: usize, unit: usize, read: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.bind()?;
        let copied = self.staging.download_pieces(address, bytes, unit, read);
        copied.map_err(|error| device_error(error, "copying data from it"))
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: the buffer at `address` is at least as long.
        let cleared = unsafe { result::memset_d8_async(address, 0, bytes, self.stream) };
        cleared.map_err(|error| device_error(error, "clearing memory"))
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
        // SAFETY: each parameter points to as many bytes as the kernel declares, and the driver copies them before it
        // returns; the buffers they refer to outlive the launch, as every download waits for it.
        let launched = unsafe {
            result::launch_kernel(*function, (blocks, 1, 1), (threads, 1, 1), 0, self.stream, &mut parameters)
        };
        launched.map_err(|error| device_error(error, &format!("launching {kernel}")))
    }

    fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: the stream lives as long as the device.
        unsafe { result::stream::synchronize(self.stream) }.map_err(|error| device_error(error, "computing"))
    }
}
