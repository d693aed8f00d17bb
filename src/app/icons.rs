//! Icons: letters of the Phosphor font, of which `assets/fonts/make_icons.py` keeps those that are named here.

use egui::{Align2, Atom, Color32, FontId};

use super::theme;

pub const CALIBRATE: &str = "\u{e1d8}";
pub const ALIGN: &str = "\u{e2d2}";
pub const COMPARE: &str = "\u{e6c8}";
pub const FEATURES: &str = "\u{ec5e}";
pub const OFFSET: &str = "\u{e466}";
pub const DETECT: &str = "\u{e30c}";
pub const REPORT: &str = "\u{e23a}";
pub const FIT: &str = "\u{e626}";
pub const ISOMETRIC: &str = "\u{e1da}";
pub const LENS: &str = "\u{ebe6}";
pub const OPEN: &str = "\u{e256}";
pub const NEXT: &str = "\u{e06c}";
pub const BACK: &str = "\u{e058}";
pub const CHECK: &str = "\u{e182}";
pub const VIEWS: &str = "\u{e0ec}";
pub const CLIP: &str = "\u{eae0}";
pub const PREVIEW: &str = "\u{e238}";
pub const UP: &str = "\u{e13c}";
pub const DOWN: &str = "\u{e136}";
pub const DEMO: &str = "\u{e3d2}";

/// Side of an icon beside text, points.
const SIZE: f32 = 16.0;

/// An icon before the name of a button, in a colour or in that of other text; screen readers read the name alone.
pub fn atom(icon: &'static str, colour: Option<Color32>) -> Atom<'static> {
    let font = FontId::new(SIZE, theme::icon_family());
    Atom::paint(egui::Vec2::splat(SIZE), move |ui, args| {
        let colour = colour.unwrap_or(args.fallback_text_color);
        ui.painter().text(args.rect.center(), Align2::CENTER_CENTER, icon, font.clone(), colour);
    })
}
