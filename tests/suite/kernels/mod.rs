//! The CUDA kernels against the processor's own backend: on the processor through kernels/shim, or with
//! `SHADOWGRAPH_GPU=1` on the GPU of this machine.

mod closest;
mod fallback;
mod icp;
mod matching;
mod planes;
mod registration;
mod shim;
mod whole_job;

use std::sync::Arc;

use shadowgraph::compute::cuda::Cuda;
use shim::Shim;

/// Where these tests run.
fn device() -> Cuda {
    if std::env::var_os("SHADOWGRAPH_GPU").is_some() {
        Cuda::open().unwrap()
    } else {
        Cuda::on(Arc::new(Shim::default()))
    }
}
