//! The kernels on the processor: kernels/shim in place of a device.
#![allow(unsafe_code)]

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use shadowgraph::base::{Result, UserError};
use shadowgraph::compute::cuda::driver::Driver;
use shadowgraph::compute::cuda::kernels::check_arguments;

/// The kernels as a shared library for the processor, made once a run.
fn library() -> &'static libloading::Library {
    static LIBRARY: OnceLock<libloading::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/shim/launch.cpp");
        let folder = tempfile::tempdir().unwrap().keep();
        let target = folder.join("kernels.so");
        let made = Command::new("g++")
            .args([
                "-O2",
                "-std=c++17",
                "-ffp-contract=off",
                "-fPIC",
                "-shared",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-unknown-pragmas",
                // Where it is on by default, jumps to other stacks are refused.
                "-U_FORTIFY_SOURCE",
                "-o",
            ])
            .arg(&target)
            .arg(source)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // SAFETY: our own library, without initialisers that could misbehave.
        let library = unsafe { libloading::Library::new(&target) }.unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        library
    })
}

/// Host memory in place of a device's. Launches take turns: the shim runs one block at a time.
#[derive(Default)]
pub struct Shim {
    pub turn: Mutex<()>,
    /// Fails every allocation by which more than these bytes would be taken.
    pub most_bytes: Option<usize>,
    /// Bytes taken and not given back.
    pub taken: AtomicUsize,
    /// Kernels launched, by name.
    pub launches: Mutex<BTreeMap<&'static str, usize>>,
}

impl Shim {
    /// A device with so many bytes of memory.
    pub fn with_memory(bytes: usize) -> Self {
        Self { most_bytes: Some(bytes), ..Self::default() }
    }
}

/// Of every block, and what its length takes in front of it.
const ALIGNMENT: usize = 64;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes + ALIGNMENT, ALIGNMENT).unwrap()
}

impl Driver for Shim {
    fn name(&self) -> String {
        "processor, kernels in a shim".into()
    }

    fn free_bytes(&self) -> Result<usize> {
        Ok(self.most_bytes.unwrap_or(1 << 40).saturating_sub(self.taken.load(Ordering::Relaxed)))
    }

    fn allocate_host(&self, bytes: usize) -> Result<*mut u8> {
        self.allocate(bytes).map(|place| place as *mut u8)
    }

    fn free_host(&self, place: *mut u8) {
        self.free(place as u64);
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        if self.most_bytes.is_some_and(|most| bytes + self.taken.load(Ordering::Relaxed) > most) {
            return Err(UserError::input(format!("There is no room for {bytes} bytes.")));
        }
        // Poisoned, so that what nothing wrote shows. The length travels in front.
        let layout = layout(bytes);
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        // SAFETY: the layout is not empty, and the writes lie within it.
        unsafe {
            let block = std::alloc::alloc(layout);
            assert!(!block.is_null());
            block.write_bytes(0xFF, layout.size());
            block.cast::<usize>().write(bytes);
            Ok(block as u64 + ALIGNMENT as u64)
        }
    }

    fn free(&self, place: u64) {
        // SAFETY: `allocate` gave the place.
        unsafe {
            let block = (place as *mut u8).sub(ALIGNMENT);
            let bytes = block.cast::<usize>().read();
            self.taken.fetch_sub(bytes, Ordering::Relaxed);
            std::alloc::dealloc(block, layout(bytes));
        }
    }

    fn upload(&self, place: u64, bytes: &[u8]) -> Result<()> {
        // SAFETY: `place` was given by `allocate` for at least as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place as *mut u8, bytes.len()) };
        Ok(())
    }

    fn download(&self, bytes: &mut [u8], place: u64) -> Result<()> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::copy_nonoverlapping(place as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    // In pieces that are short and odd, so that a value torn apart would show.
    fn download_pieces(&self, place: u64, bytes: usize, unit: usize, show: &mut dyn FnMut(&[u8])) -> Result<()> {
        let mut all = vec![0; bytes];
        self.download(&mut all, place)?;
        let most = 1 << 12;
        all.chunks(most - most % unit).for_each(show);
        Ok(())
    }

    fn clear(&self, place: u64, bytes: usize) -> Result<()> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::write_bytes(place as *mut u8, 0, bytes) };
        Ok(())
    }

    fn launch(&self, kernel: &'static str, blocks: u32, threads: u32, arguments: &[&[u8]]) -> Result<()> {
        check_arguments(kernel, arguments)?;
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn =
            (self.turn.lock().unwrap(), ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        *self.launches.lock().unwrap().entry(kernel).or_default() += 1;
        let name = CString::new(kernel).unwrap();
        let mut parameters: Vec<*mut c_void> = arguments.iter().map(|bytes| bytes.as_ptr() as *mut c_void).collect();
        // SAFETY: the signature is that of kernels/shim/launch.cpp.
        let code = unsafe {
            type Launch = unsafe extern "C" fn(*const c_char, u32, u32, *mut *mut c_void) -> c_int;
            let launch: libloading::Symbol<'_, Launch> = library().get(b"shim_launch").unwrap();
            launch(name.as_ptr(), blocks, threads, parameters.as_mut_ptr())
        };
        if code == 0 { Ok(()) } else { Err(UserError::internal(format!("{kernel} ended with code {code}."))) }
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
