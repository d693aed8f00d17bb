//! Floor 2: compute-intensive capabilities as requests and answers, one file per capability, behind one interface.
//!
//! The file of the same name in [`cpu`] holds the reference implementation, the one in [`cuda`] that for CUDA devices.

mod capability;
pub mod cpu;
pub mod cuda;
pub mod distance_field;
pub mod distance_offset;
pub mod facet_facet_matching;
pub mod icp;
pub mod meshing;
pub mod morphological_offset;
pub mod nearest_descriptors;
pub mod neighbourhoods;
pub mod parallel_planes;
pub mod point_deviation;
pub mod point_facet_matching;
pub mod pose_refinement;
pub mod pose_scores;
pub mod pose_votes;
pub mod registration;
pub mod smoothing;
pub mod statistics;
pub mod thickness;
pub mod thinning;
pub mod voxel_error;
pub mod voxelisation;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use base::Result;

pub use capability::{Capability, Compute};

/// Kind of compute device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// All cores of the CPU.
    #[default]
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

impl DeviceKind {
    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Cuda => "CUDA",
        }
    }
}

/// The device of a backend, as shown in reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Kind of device.
    pub kind: DeviceKind,
    /// Name of the GPU, or number of CPU threads.
    pub device: String,
}

/// The device requested by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceChoice {
    /// A CUDA device if one can be used, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// A device of this computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceId {
    /// The CPU.
    Cpu,
    /// A CUDA device, by its index in the driver.
    Cuda(usize),
}

/// All devices with their names, the CPU first, and the reason if no CUDA device can be used.
pub fn devices() -> (Vec<(DeviceId, String)>, Option<String>) {
    let cpu = (DeviceId::Cpu, cpu::Cpu.device().device);
    match cuda::Cuda::names() {
        Ok(names) => {
            let gpus = names.into_iter().enumerate().map(|(index, name)| (DeviceId::Cuda(index), name));
            (std::iter::once(cpu).chain(gpus).collect(), None)
        }
        Err(error) => (vec![cpu], Some(error.sentence)),
    }
}

/// Opens the backend of one device. Returns an error if the device cannot be used.
pub fn open_device(id: DeviceId) -> Result<Arc<dyn Backend>> {
    Ok(match id {
        DeviceId::Cpu => Arc::new(cpu::Cpu),
        DeviceId::Cuda(index) => Arc::new(cuda::Cuda::open_device(index)?),
    })
}

/// Opens the backend of a choice. If a CUDA device was requested and cannot be used, opens the CPU and returns the
/// reason.
pub fn open(choice: DeviceChoice) -> (Arc<dyn Backend>, Option<String>) {
    if choice == DeviceChoice::Cpu {
        return (Arc::new(cpu::Cpu), None);
    }
    match cuda::Cuda::open() {
        Ok(cuda) => (Arc::new(cuda), None),
        Err(error) if choice == DeviceChoice::Cuda => {
            (Arc::new(cpu::Cpu), Some(format!("{} Computing on the processor.", error.sentence)))
        }
        Err(_) => (Arc::new(cpu::Cpu), None),
    }
}

/// A compute device; requests go through [`Compute`]. Answers agree between devices to 1e-6 mm and are bitwise
/// identical when repeated on the same device.
pub trait Backend: Send + Sync {
    /// Kind and name of the device.
    fn device(&self) -> Device;

    /// Messages since the last call about computations that the device could not run.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// The CUDA device of the backend, if it has one.
    fn cuda(&self) -> Option<&cuda::Cuda> {
        None
    }

    /// Called at the start of each computation with its [`Capability::LABEL`] or "Registering".
    fn notify_start(&self, _step: &'static str) {}
}
