//! Remaining rotations of the mechanical alignment, large enough to be read at the CMM.

use egui::{Color32, FontId, Label, Rect, RichText, Vec2};

use super::super::theme;
use base::date::Stamp;
use dispatch::mechanical::{Live, Reading, Source};
use inspect::calibration::Light;
use inspect::calibration::mechanical::{AXES, COVERAGE, Misalignment, TURNS, Turned, sense};
use session::calibration::mechanical::MechanicalSetup;

/// Minimum and maximum font size of the angles, points.
const ANGLE_SIZES: [f32; 2] = [64.0, 120.0];
/// Font size of the text beneath them, points.
const TEXT_SIZE: f32 = 18.0;

/// Draws the readout over the view.
pub fn show(ui: &mut egui::Ui, rect: Rect, setup: &MechanicalSetup, live: &Live) {
    // Below the toolbar.
    let area = Rect::from_min_max(rect.left_top() + Vec2::new(14.0, 44.0), rect.right_bottom() - Vec2::splat(14.0));
    ui.painter().rect_filled(area, 10.0, ui.visuals().window_fill.gamma_multiply(0.94));
    let inner = area.shrink2(Vec2::new(24.0, 12.0));
    let builder = egui::UiBuilder::new().max_rect(inner).layout(egui::Layout::top_down(egui::Align::Min));
    ui.scope_builder(builder, |ui| {
        ui.set_clip_rect(area.intersect(rect));
        ui.spacing_mut().item_spacing.y = 2.0;
        let title = match setup.turned {
            Turned::Artefact => "Remaining rotation of the artefact",
            Turned::Sensor => "Remaining rotation of the sensor",
        };
        line(ui, title, TEXT_SIZE, ui.visuals().text_color());
        let reading = live.reading(setup.turned);
        match reading.map(|reading| &reading.outcome) {
            Some(Ok(misalignment)) => angles(ui, inner, setup, misalignment),
            Some(Err(message)) => line(ui, message, 24.0, ink(ui, Light::Red)),
            None => line(ui, waiting(setup.turned, live), 32.0, ui.visuals().text_color()),
        }
        footer(ui, setup, live, reading);
    });
}

fn waiting(turned: Turned, live: &Live) -> &'static str {
    match turned {
        _ if live.evaluating().is_some() => "Evaluating",
        _ if !live.is_running() => "Not started",
        Turned::Artefact => "Waiting for probed points",
        Turned::Sensor => "Waiting for a snapshot",
    }
}

fn angles(ui: &mut egui::Ui, inner: Rect, setup: &MechanicalSetup, misalignment: &Misalignment) {
    let remaining = setup.to_turn(misalignment);
    // Three angles with a line of text each, and space for the footer. "Pitch -12.345°" is about eight font sizes wide;
    // in a narrower view the name is part of the text line.
    let is_narrow = inner.width() < 8.0 * ANGLE_SIZES[0];
    let by_width = inner.width() / if is_narrow { 5.0 } else { 8.0 };
    let by_height = ((inner.height() - 100.0) / 3.0 - 2.0 * TEXT_SIZE) / 1.3;
    let size = by_height.min(by_width).clamp(ANGLE_SIZES[0], ANGLE_SIZES[1]);
    for k in 0..3 {
        let [angle, expanded] = [remaining.angles_rad[k], COVERAGE * remaining.sigma_rad[k]].map(f64::to_degrees);
        let colour = ink(ui, remaining.lights[k]);
        let name = format!("{} ", TURNS[k]);
        let [before, beneath] = if is_narrow { ["", &name] } else { [&name, ""] };
        let text = RichText::new(format!("{before}{angle:+.3}°"));
        let text = text.font(FontId::new(size, theme::strong_family())).color(colour);
        ui.add(Label::new(text).selectable(false).extend());
        let word = match remaining.lights[k] {
            Light::Green => "Aligned",
            Light::Amber => "Nearly aligned",
            Light::Red => "Adjust",
        };
        let (sense, turns) = (sense(angle), remaining.turns[k].abs());
        let text =
            format!("{beneath}{word}: {sense} about {}, {turns:.2} turns of the screw (± {expanded:.3}°)", AXES[k]);
        line(ui, &text, TEXT_SIZE, ui.visuals().text_color());
        ui.add_space(4.0);
    }
}

/// Source and time of the angles; errors of the sources.
fn footer(ui: &mut egui::Ui, setup: &MechanicalSetup, live: &Live, reading: Option<&Reading>) {
    let weak = ui.visuals().weak_text_color();
    if let Some(reading) = reading {
        let kind = if setup.turned == Turned::Sensor { "Last snapshot" } else { "Last measurement" };
        line(ui, &format!("{kind}: {}, {}", Stamp::of_unix(reading.unix_s), reading.name), 15.0, weak);
        if let Ok(misalignment) = &reading.outcome {
            let artefact = if reading.is_touched { "as probed" } else { "assumed parallel to the CMM axes" };
            let along = misalignment.nominal_words();
            let text = format!(
                "Artefact {artefact}; X Y Z towards {along}. Sense of rotation seen from the positive end of the axis; \
                 ± U (k = 2)."
            );
            line(ui, &text, 13.0, weak);
        }
    }
    if let Some(name) = live.evaluating() {
        line(ui, &format!("Evaluating {name}"), 13.0, weak);
    }
    for source in [&live.folder_source, &live.line_source] {
        if let Source::Lost(message) = source {
            line(ui, message, 15.0, ink(ui, Light::Red));
        }
    }
}

/// A line of text that ignores the mouse.
fn line(ui: &mut egui::Ui, text: &str, size: f32, colour: Color32) {
    ui.add(Label::new(RichText::new(text).size(size).color(colour)).selectable(false).wrap());
}

/// Text colour with enough contrast in both themes.
fn ink(ui: &egui::Ui, light: Light) -> Color32 {
    match (light, ui.visuals().dark_mode) {
        (Light::Green, false) => Color32::from_rgb(20, 112, 50),
        (Light::Amber, false) => Color32::from_rgb(160, 92, 0),
        (Light::Red, false) => Color32::from_rgb(190, 30, 30),
        (Light::Green, true) => Color32::from_rgb(96, 208, 128),
        (Light::Amber, true) => Color32::from_rgb(244, 184, 72),
        (Light::Red, true) => Color32::from_rgb(255, 112, 104),
    }
}
