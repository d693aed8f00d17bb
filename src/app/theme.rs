//! Fonts, sizes and colours of the light and the dark theme.

use std::sync::Arc;

use egui::{Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, TextStyle, Theme};

use super::icons;
use inspect::tolerances::{Conformity, Judged, Verdict};

/// Accent colour of selections and main buttons.
pub const ACCENT: Color32 = Color32::from_rgb(38, 118, 214);
/// Lines of fitted features.
pub const FEATURE: Color32 = Color32::from_rgb(168, 60, 190);
/// Planned items: nominal holes and probing approaches.
pub const PLANNED: Color32 = Color32::from_rgb(52, 62, 78);
/// Outline of lines drawn over points of any colour.
pub const HALO: Color32 = Color32::from_rgba_premultiplied(170, 170, 170, 170);
/// The coordinate axes x, y and z.
pub const AXES: [Color32; 3] =
    [Color32::from_rgb(220, 70, 70), Color32::from_rgb(80, 170, 80), Color32::from_rgb(80, 130, 230)];
/// A handle under the pointer.
pub const HANDLE: Color32 = Color32::from_rgb(245, 166, 35);
/// Pass.
pub const GOOD: Color32 = Color32::from_rgb(38, 140, 70);
/// Warning.
pub const WARN: Color32 = Color32::from_rgb(214, 140, 20);
/// Fail.
pub const BAD: Color32 = Color32::from_rgb(204, 48, 48);

/// Installs the fonts and both themes.
pub fn install(context: &egui::Context) {
    let mut fonts = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8]| {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    };
    add("Inter", include_bytes!("../../assets/fonts/Inter-Regular.otf"));
    add("Inter SemiBold", include_bytes!("../../assets/fonts/Inter-SemiBold.otf"));
    add("Phosphor", include_bytes!("../../assets/fonts/Phosphor-Subset.ttf"));
    let fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let family = |first: &str| std::iter::once(first.to_owned()).chain(fallback.iter().cloned()).collect();
    fonts.families.insert(FontFamily::Proportional, family("Inter"));
    fonts.families.insert(strong_family(), family("Inter SemiBold"));
    fonts.families.insert(icon_family(), vec!["Phosphor".to_owned()]);
    context.set_fonts(fonts);
    context.all_styles_mut(|style| {
        style.text_styles = [
            (TextStyle::Small, FontId::proportional(11.0)),
            (TextStyle::Body, FontId::proportional(13.0)),
            (TextStyle::Button, FontId::proportional(13.0)),
            (TextStyle::Heading, FontId::new(15.0, strong_family())),
            (TextStyle::Monospace, FontId::monospace(12.0)),
        ]
        .into();
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.button_padding = egui::vec2(9.0, 4.0);
        style.spacing.interact_size.y = 24.0;
        style.spacing.slider_width = 150.0;
        let visuals = &mut style.visuals;
        visuals.selection.bg_fill = ACCENT;
        visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
        visuals.hyperlink_color = ACCENT;
        visuals.window_corner_radius = CornerRadius::same(8);
        visuals.menu_corner_radius = CornerRadius::same(6);
        let widgets = &mut visuals.widgets;
        for state in [
            &mut widgets.inactive,
            &mut widgets.hovered,
            &mut widgets.active,
            &mut widgets.open,
            &mut widgets.noninteractive,
        ] {
            state.corner_radius = CornerRadius::same(5);
        }
    });
    context.style_mut_of(Theme::Dark, |style| {
        let visuals = &mut style.visuals;
        visuals.panel_fill = Color32::from_rgb(30, 33, 38);
        visuals.window_fill = Color32::from_rgb(36, 39, 45);
        visuals.extreme_bg_color = Color32::from_rgb(20, 22, 26);
        visuals.override_text_color = Some(Color32::from_rgb(222, 226, 232));
    });
    context.style_mut_of(Theme::Light, |style| {
        let visuals = &mut style.visuals;
        visuals.panel_fill = Color32::from_rgb(246, 247, 249);
        visuals.window_fill = Color32::WHITE;
        visuals.override_text_color = Some(Color32::from_rgb(28, 32, 38));
    });
}

/// Font family of headings and main values.
pub fn strong_family() -> FontFamily {
    FontFamily::Name("strong".into())
}

/// Font family of icons.
pub fn icon_family() -> FontFamily {
    FontFamily::Name("icons".into())
}

/// Background colours of the viewport at top and bottom, RGB, 0 to 1.
pub fn backdrop(dark: bool) -> [[f32; 3]; 2] {
    if dark { [[0.20, 0.225, 0.26], [0.10, 0.11, 0.13]] } else { [[0.97, 0.98, 0.99], [0.84, 0.87, 0.90]] }
}

/// Colour of what pages lie on.
pub fn desk(dark: bool) -> Color32 {
    if dark { Color32::from_rgb(20, 22, 26) } else { Color32::from_rgb(222, 226, 231) }
}

/// A heading inside a panel.
pub fn heading(ui: &mut egui::Ui, text: impl Into<String>) -> egui::Response {
    ui.add_space(6.0);
    let response = ui.label(egui::RichText::new(text).heading());
    ui.add_space(2.0);
    response
}

/// A modal dialog.
pub fn dialog(name: &'static str, context: &egui::Context) -> egui::Modal {
    let frame = egui::Frame::popup(&context.style_of(context.theme())).inner_margin(16.0);
    egui::Modal::new(egui::Id::unique(name)).frame(frame)
}

/// Secondary text.
pub fn weak(ui: &mut egui::Ui, text: impl Into<String>) -> egui::Response {
    ui.add(egui::Label::new(egui::RichText::new(text).weak()).wrap())
}

/// One of several choices; white on the accent colour if it is chosen.
pub fn chip(ui: &mut egui::Ui, chosen: bool, text: impl Into<String>) -> egui::Response {
    let mut label = egui::RichText::new(text);
    if chosen {
        label = label.color(Color32::WHITE);
    }
    ui.add(egui::Button::selectable(chosen, label))
}

/// A [`chip`] that sets `value` to `choice`.
pub fn pick<T: PartialEq>(ui: &mut egui::Ui, value: &mut T, choice: T, text: impl Into<String>) -> egui::Response {
    let response = chip(ui, *value == choice, text);
    if response.clicked() {
        *value = choice;
    }
    response
}

/// A colour of the viewport, RGB 0 to 1.
pub fn colour(share: [f32; 3]) -> Color32 {
    let [r, g, b] = share.map(|share| (255.0 * share) as u8);
    Color32::from_rgb(r, g, b)
}

/// A filled dot, aligned with a line of text.
pub fn dot(ui: &mut egui::Ui, colour: Color32) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(12.0, 18.0), egui::Sense::hover());
    ui.painter().circle_filled(rect.center(), 5.0, colour);
    response
}

/// A drop-down list with a label before it.
pub fn choice<T: Copy + PartialEq, N: Into<String>>(
    ui: &mut egui::Ui,
    label: &str,
    value: &mut T,
    choices: &[T],
    name_of: impl Fn(T) -> N,
) {
    ui.horizontal(|ui| labelled_choice(ui, label, value, choices, name_of));
}

/// Label and drop-down list of a [`choice`], one after the other: two cells of a grid.
pub fn labelled_choice<T: Copy + PartialEq, N: Into<String>>(
    ui: &mut egui::Ui,
    label: &str,
    value: &mut T,
    choices: &[T],
    name_of: impl Fn(T) -> N,
) {
    let label_response = ui.label(label);
    let combo = egui::ComboBox::from_id_salt(label).selected_text(name_of(*value).into()).width(150.0);
    let shown = combo.show_ui(ui, |ui| {
        for choice in choices {
            ui.selectable_value(value, *choice, name_of(*choice).into());
        }
    });
    shown.response.labelled_by(label_response.id);
}

/// A [`main_button`] of the full width of the panel.
pub fn wide_main_button(ui: &mut egui::Ui, enabled: bool, text: impl Into<String>) -> egui::Response {
    let size = egui::vec2(ui.available_width(), 34.0);
    ui.add_enabled_ui(enabled, |ui| ui.add_sized(size, main_button(text, enabled))).inner
}

/// Colour of the result of a tolerance.
pub fn of_judged(judged: &Judged) -> Color32 {
    match (judged.conformity, judged.verdict) {
        (Some(Conformity::Undecided), _) => WARN,
        (Some(Conformity::Conforms), _) | (None, Verdict::In) => GOOD,
        (Some(Conformity::DoesNotConform), _) | (None, Verdict::Out) => BAD,
    }
}

/// A slider without a number, as wide as there is room for, of this name for screen readers.
pub fn wide_slider<T: egui::emath::Numeric>(
    ui: &mut egui::Ui,
    name: &str,
    value: &mut T,
    range: std::ops::RangeInclusive<T>,
) -> egui::Response {
    ui.scope(|ui| {
        ui.spacing_mut().slider_width = ui.available_width();
        let response = ui.add(egui::Slider::new(value, range).show_value(false));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, name));
        response
    })
    .inner
}

/// A count in groups of three digits separated by narrow spaces (ISO 80000-1).
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join("\u{202f}")
}

/// The main button of a panel.
pub fn main_button(text: impl Into<String>, enabled: bool) -> egui::Button<'static> {
    let text = egui::RichText::new(text).family(strong_family());
    let text = if enabled { text.color(Color32::WHITE) } else { text };
    emphasised(egui::Button::new(text), enabled)
}

/// A [`main_button`] with an icon.
pub fn main_button_with(icon: &'static str, text: impl Into<String>, enabled: bool) -> egui::Button<'static> {
    let colour = enabled.then_some(Color32::WHITE);
    let text = egui::RichText::new(text).family(strong_family());
    let text = if enabled { text.color(Color32::WHITE) } else { text };
    emphasised(egui::Button::new((icons::atom(icon, colour), text)), enabled)
}

// A faded accent would give white on pale blue, so a disabled button has no accent.
fn emphasised(button: egui::Button<'_>, enabled: bool) -> egui::Button<'_> {
    let button = if enabled { button.fill(ACCENT) } else { button };
    button.min_size(egui::vec2(0.0, 32.0))
}
