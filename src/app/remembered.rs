//! What the window remembers of itself from run to run: its size, whether it was maximised, and its theme.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// Inner size in points.
    pub size: [f32; 2],
    /// Whether it filled the screen.
    pub is_maximised: bool,
    /// Whether the dark theme was chosen; `None` follows the system.
    pub dark: Option<bool>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self { size: [1360.0, 860.0], is_maximised: false, dark: None }
    }
}

const FILE: &str = "window.json";

impl Remembered {
    /// What an earlier run left in `folder`; the usual where that is nothing, or nothing sound.
    pub fn load(folder: Option<&Path>) -> Self {
        let text = folder.and_then(|folder| std::fs::read_to_string(folder.join(FILE)).ok());
        let read: Option<Self> = text.and_then(|text| serde_json::from_str(&text).ok());
        read.filter(|read| read.size.iter().all(|side| (200.0..20_000.0).contains(side))).unwrap_or_default()
    }

    /// Leaves it in `folder` for the next run.
    pub fn save(&self, folder: Option<&Path>) {
        let (Some(folder), Ok(text)) = (folder, serde_json::to_string(self)) else { return };
        // A read-only home must not get in the way of the end.
        if let Err(error) = io::atomic::write_bytes(&folder.join(FILE), text.as_bytes()) {
            log::warn!("{error}");
        }
    }

    /// Takes note of the window's size.
    pub fn follow(&mut self, context: &egui::Context) {
        let (rect, maximised) = context.input(|input| (input.viewport().inner_rect, input.viewport().maximized));
        self.is_maximised = maximised.unwrap_or(false);
        // The size to go back to is the one before it filled the screen.
        if let Some(rect) = rect.filter(|_| !self.is_maximised) {
            self.size = rect.size().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_comes_back_as_it_was_and_a_spoilt_file_is_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let own = Remembered { size: [1000.0, 700.0], is_maximised: true, dark: Some(true) };
        own.save(Some(folder.path()));
        assert_eq!(Remembered::load(Some(folder.path())), own);
        for spoilt in ["{", r#"{"size":[1e9,3]}"#, ""] {
            std::fs::write(folder.path().join(FILE), spoilt).unwrap();
            assert_eq!(Remembered::load(Some(folder.path())), Remembered::default());
        }
        assert_eq!(Remembered::load(None), Remembered::default());
    }
}
