//! Copies on a device of what is used again and again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::Result;

/// Copies by the number of what each was uploaded from, in order of upload.
pub struct Copies<T> {
    most: usize,
    all: Mutex<Vec<(u64, Arc<T>)>>,
}

impl<T> Copies<T> {
    /// None yet, and at most so many.
    pub fn new(most: usize) -> Self {
        Self { most, all: Mutex::default() }
    }

    /// The copy of what has a number, uploaded on first use.
    pub fn get_or_upload(&self, number: u64, upload: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let find = |all: &[(u64, Arc<T>)]| all.iter().find(|own| own.0 == number).map(|(_, copy)| Arc::clone(copy));
        {
            let mut all = self.all();
            if let Some(copy) = find(&all) {
                return Ok(copy);
            }
            // Releases the oldest before the upload: one more may not fit.
            if all.len() >= self.most {
                all.remove(0);
            }
        }
        // Not under the lock: the upload uses all cores, and the thread that waits for them may begin another.
        let copy = Arc::new(upload()?);
        let mut all = self.all();
        if let Some(other) = find(&all) {
            return Ok(other);
        }
        all.push((number, Arc::clone(&copy)));
        let surplus = all.len().saturating_sub(self.most);
        all.drain(..surplus);
        Ok(copy)
    }

    /// Releases all.
    pub fn forget(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, Vec<(u64, Arc<T>)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
