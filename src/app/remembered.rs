//! State of the window kept between sessions: size, maximised or not, theme, language, and where the legend stands.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A side of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    #[default]
    Right,
}

/// Where the legend stands in the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LegendPosition {
    /// The side that it stands at.
    pub side: Side,
    /// How far down of what it can be moved, 0 to 1; `None` for the middle of the view.
    pub share_down: Option<f32>,
}

/// State of the window kept between sessions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowState {
    /// Inner size in points.
    pub size: [f32; 2],
    /// Whether the window was maximised.
    pub is_maximised: bool,
    /// Whether the dark theme was chosen; `None` follows the desktop.
    pub dark: Option<bool>,
    /// The language that was chosen; `None` follows the desktop.
    pub language: Option<texts::Language>,
    /// Where the legend stands.
    pub legend: LegendPosition,
}

impl Default for WindowState {
    fn default() -> Self {
        Self {
            size: [1360.0, 860.0],
            is_maximised: false,
            dark: None,
            language: None,
            legend: LegendPosition::default(),
        }
    }
}

const FILE: &str = "window.json";

impl WindowState {
    /// State saved in `folder`; the default if there is none or it is invalid.
    pub fn load(folder: Option<&Path>) -> Self {
        let text = folder.and_then(|folder| std::fs::read_to_string(folder.join(FILE)).ok());
        let read: Option<Self> = text.and_then(|text| serde_json::from_str(&text).ok());
        read.filter(|read| read.size.iter().all(|side| (200.0..20_000.0).contains(side))).unwrap_or_default()
    }

    /// Saves the state in `folder`; an error is only logged.
    pub fn save(&self, folder: Option<&Path>) {
        let (Some(folder), Ok(text)) = (folder, serde_json::to_string(self)) else { return };
        // A read-only home folder must not prevent closing.
        if let Err(error) = io::atomic::write_bytes(&folder.join(FILE), text.as_bytes()) {
            log::warn!("{error}");
        }
    }

    /// Updates the state to the window.
    pub fn follow(&mut self, context: &egui::Context) {
        let (rect, maximised) = context.input(|input| (input.viewport().inner_rect, input.viewport().maximized));
        self.is_maximised = maximised.unwrap_or(false);
        // Keep the size before maximising.
        if let Some(rect) = rect.filter(|_| !self.is_maximised) {
            self.size = rect.size().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_restored_and_an_invalid_file_gives_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let language = Some(texts::Language::German);
        let legend = LegendPosition { side: Side::Left, share_down: Some(0.25) };
        let own = WindowState { size: [1000.0, 700.0], is_maximised: true, dark: Some(true), language, legend };
        own.save(Some(folder.path()));
        assert_eq!(WindowState::load(Some(folder.path())), own);
        for invalid in ["{", r#"{"size":[1e9,3]}"#, ""] {
            std::fs::write(folder.path().join(FILE), invalid).unwrap();
            assert_eq!(WindowState::load(Some(folder.path())), WindowState::default());
        }
        assert_eq!(WindowState::load(None), WindowState::default());
        // As earlier versions left it.
        std::fs::write(folder.path().join(FILE), r#"{"size":[1000.0,700.0]}"#).unwrap();
        let before = WindowState { size: [1000.0, 700.0], ..WindowState::default() };
        assert_eq!(WindowState::load(Some(folder.path())), before);
    }
}
