//! An NVIDIA GPU through the driver alone: no toolkit is needed to build or to run.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result, sys};

use super::driver::Driver;
use crate::base::{Result, UserError};

/// Compiled kernels by file, and the kernels in each. Made by kernels/make_ptx.py.
const MODULES: [(&str, &[&str]); 3] = [
    (include_str!("../../../kernels/ptx/radix_sort.ptx"), &["radix_count", "exclusive_scan", "radix_scatter"]),
    (include_str!("../../../kernels/ptx/facet_tree.ptx"), &["facet_keys", "facet_corners", "tree_links", "tree_boxes"]),
    (include_str!("../../../kernels/ptx/closest_point.ptx"), &["signed_closest"]),
];

/// A GPU with all kernels loaded.
pub struct Nvidia {
    context: Arc<CudaContext>,
    kernels: HashMap<&'static str, sys::CUfunction>,
    name: String,
}

// SAFETY: function handles belong to the context, which any thread may bind; they are never changed.
unsafe impl Send for Nvidia {}
// SAFETY: as above.
unsafe impl Sync for Nvidia {}

impl Nvidia {
    /// Opens the first GPU; a sentence says why there is none.
    pub fn open() -> Result<Self> {
        let none = |reason: String| UserError::input(format!("No CUDA device can be used: {reason}."));
        // SAFETY: only looks for the driver library.
        if !unsafe { sys::is_culib_present() } {
            return Err(none("the NVIDIA driver is not installed".into()));
        }
        match CudaContext::device_count() {
            Ok(count) if count > 0 => {}
            Ok(_) => return Err(none("the driver names no device".into())),
            Err(error) => return Err(none(words(error))),
        }
        let context = CudaContext::new(0).map_err(|error| none(words(error)))?;
        let name = context.name().map_err(|error| none(words(error)))?;
        let mut kernels = HashMap::new();
        for (ptx, names) in MODULES {
            let failed = |error| none(format!("the driver does not take the kernels ({})", words(error)));
            let text = CString::new(ptx).map_err(|_| none("the kernels are damaged".into()))?;
            // SAFETY: the text ends in zero, and the context is bound by its creation.
            let module = unsafe { result::module::load_data(text.as_ptr().cast()) }.map_err(failed)?;
            for &name in names {
                let symbol = CString::new(name).map_err(|_| none("a kernel has no name".into()))?;
                // SAFETY: the module was loaded just before and is never unloaded.
                kernels.insert(name, unsafe { result::module::get_function(module, symbol) }.map_err(failed)?);
            }
        }
        Ok(Self { context, kernels, name })
    }

    fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| lost(error, "taking the device"))
    }
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

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.bind()?;
        // SAFETY: the context is bound.
        unsafe { result::malloc_sync(bytes) }.map_err(|error| {
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
            let _ = unsafe { result::free_sync(place) };
        }
    }

    fn upload(&self, place: u64, bytes: &[u8]) -> Result<()> {
        self.bind()?;
        // SAFETY: the buffer at `place` is at least as long as `bytes`: both come from one `Buffer`.
        unsafe { result::memcpy_htod_sync(place, bytes) }.map_err(|error| lost(error, "copying to it"))
    }

    fn download(&self, bytes: &mut [u8], place: u64) -> Result<()> {
        self.bind()?;
        // SAFETY: as for `upload`.
        unsafe { result::memcpy_dtoh_sync(bytes, place) }.map_err(|error| lost(error, "copying from it"))
    }

    fn clear(&self, place: u64, bytes: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: as for `upload`.
        unsafe { result::memset_d8_sync(place, 0, bytes) }.map_err(|error| lost(error, "clearing memory"))
    }

    fn launch(&self, kernel: &'static str, blocks: u32, threads: u32, arguments: &[&[u8]]) -> Result<()> {
        self.bind()?;
        let function = self
            .kernels
            .get(kernel)
            .ok_or_else(|| UserError::internal(format!("There is no kernel named {kernel}.")))?;
        let mut parameters: Vec<*mut c_void> =
            arguments.iter().map(|argument| argument.as_ptr().cast_mut().cast()).collect();
        // SAFETY: each parameter points to bytes of the type that the kernel declares, which the driver copies before
        // it returns; buffers named in them outlive the launch, as every read-back waits for it.
        let launched = unsafe {
            result::launch_kernel(*function, (blocks, 1, 1), (threads, 1, 1), 0, std::ptr::null_mut(), &mut parameters)
        };
        launched.map_err(|error| lost(error, kernel))
    }

    fn synchronize(&self) -> Result<()> {
        self.context.synchronize().map_err(|error| lost(error, "computing"))
    }
}
