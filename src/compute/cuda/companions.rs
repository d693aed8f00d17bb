//! The other GPUs of this computer, which share long work.

use std::sync::{Arc, OnceLock};

use super::driver::Driver;
use super::nvidia::Nvidia;

/// GPUs beside the one of a backend, opened when they are first asked for.
pub struct Companions {
    /// Index of the backend's own GPU.
    own: Option<usize>,
    /// Tests of a voxel from which on it pays to give them the volume, too.
    worth: usize,
    drivers: OnceLock<Vec<Arc<dyn Driver>>>,
}

impl Companions {
    /// All visible GPUs but the one at `index`; those that cannot be opened are left out.
    pub fn beside(index: usize) -> Self {
        Self { own: Some(index), worth: 1 << 33, drivers: OnceLock::new() }
    }

    /// These, for all work.
    pub fn of(drivers: Vec<Arc<dyn Driver>>) -> Self {
        Self { own: None, worth: 0, drivers: OnceLock::from(drivers) }
    }

    /// Their drivers, for work of so many tests of a voxel; empty if it is too little to be shared.
    pub fn for_work(&self, tests: usize) -> &[Arc<dyn Driver>] {
        if tests < self.worth {
            return &[];
        }
        self.drivers.get_or_init(|| {
            let count = Nvidia::names().map_or(0, |names| names.len());
            let others = (0..count).filter(|index| Some(*index) != self.own);
            others.filter_map(|index| Some(Arc::new(Nvidia::open(index).ok()?) as Arc<dyn Driver>)).collect()
        })
    }
}
