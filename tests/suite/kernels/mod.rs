//! The CUDA kernels against the processor's own backend: on the processor through kernels/shim, or with
//! `SHADOWGRAPH_GPU=1` on the GPU of this machine.

mod descriptors;
mod detection;
mod distance_field;
mod distance_offset;
mod fallback;
mod icp;
mod matching;
mod meshing;
mod morphological_offset;
mod neighbours;
mod planes;
mod point_deviation;
mod poses;
mod registration;
mod repeats;
mod shim;
mod smoothing;
mod statistics;
mod thickness;
mod voxelisation;
mod whole_job;

use std::sync::Arc;

use shadowgraph::compute::cuda::Cuda;
use shadowgraph::compute::cuda::driver::Driver;
use shim::Shim;

fn is_on_gpu() -> bool {
    std::env::var_os("SHADOWGRAPH_GPU").is_some()
}

/// A size of inputs: `large` on a GPU and for thorough tests, `small` where the shim takes seconds for what a GPU does in
/// milliseconds.
fn sized(large: usize, small: usize) -> usize {
    if is_on_gpu() || super::support::is_thorough() { large } else { small }
}

/// Where these tests run.
fn device() -> Cuda {
    if is_on_gpu() { Cuda::open().unwrap() } else { Cuda::on(Arc::new(Shim::default())) }
}

/// Its driver, another one with each call.
fn driver() -> Arc<dyn Driver> {
    if is_on_gpu() { Arc::clone(Cuda::open().unwrap().driver()) } else { Arc::new(Shim::default()) }
}

/// That as much of a device is free as once was.
fn assert_nothing_stays_behind(cuda: &Cuda, free_bytes: usize) {
    let free = || cuda.driver().free_bytes().unwrap();
    // What other tests hold on the same device comes back when they end.
    let started = std::time::Instant::now();
    while free() < free_bytes && started.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert!(free() >= free_bytes, "{} bytes stay behind", free_bytes.saturating_sub(free()));
}
