//! Floor 2: heavy computations as requests and answers, one file per capability, behind one interface.
//!
//! The same file name holds the reference implementation in [`cpu`]; other devices stand beside it.

mod capability;
pub mod cpu;
pub mod cuda;
pub mod facet_facet_matching;
pub mod icp;
pub mod neighbourhoods;
pub mod parallel_planes;
pub mod point_deviation;
pub mod point_facet_matching;
pub mod registration;
pub mod smoothing;
pub mod statistics;
pub mod thinning;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use base::Result;

pub use capability::{Capability, Compute};

/// The kind of device that computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// All cores of the processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

impl DeviceKind {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Cuda => "CUDA",
        }
    }
}

/// The device behind a backend, as reports name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Kind of device.
    pub kind: DeviceKind,
    /// Its name and size.
    pub device: String,
}

/// The device asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceChoice {
    /// The best there is.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// One of the devices of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceId {
    /// The processor.
    Cpu,
    /// A CUDA device, by the number that the driver gives it.
    Cuda(usize),
}

/// All devices with their names, the processor first; and why there is no CUDA device where there is none.
pub fn devices() -> (Vec<(DeviceId, String)>, Option<String>) {
    let cpu = (DeviceId::Cpu, cpu::Cpu.device().device);
    match cuda::Cuda::names() {
        Ok(names) => {
            let cards = names.into_iter().enumerate().map(|(number, name)| (DeviceId::Cuda(number), name));
            (std::iter::once(cpu).chain(cards).collect(), None)
        }
        Err(error) => (vec![cpu], Some(error.sentence)),
    }
}

/// The backend of one device; a sentence where it cannot be used.
pub fn open_device(id: DeviceId) -> Result<Arc<dyn Backend>> {
    Ok(match id {
        DeviceId::Cpu => Arc::new(cpu::Cpu),
        DeviceId::Cuda(number) => Arc::new(cuda::Cuda::open_number(number)?),
    })
}

/// The backend of that choice; the processor, and why, where a CUDA device was asked for and cannot be used.
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

/// A device that computes; how it is asked: [`Compute`]. Answers agree between devices to 1e-6 mm and are the same bits at
/// each repeat.
pub trait Backend: Send + Sync {
    /// The device.
    fn device(&self) -> Device;

    /// Sentences since the last call about steps that the device could not do.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// The CUDA device that it computes on, where there is one.
    fn cuda(&self) -> Option<&cuda::Cuda> {
        None
    }

    /// Told of each computation as it begins, by what progress shows of it.
    fn begins(&self, _step: &'static str) {}
}
