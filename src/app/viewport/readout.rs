//! Remaining rotations of the mechanical alignment, large enough to be read at the CMM.

use egui::{Color32, FontId, Label, Rect, RichText, Vec2};

use super::super::theme;
use base::date::Stamp;
use dispatch::mechanical::{Live, Reading, Source};
use inspect::calibration::Light;
use inspect::calibration::mechanical::{AXES, COVERAGE, Misalignment, TURNS, Turned, sense};
use session::calibration::mechanical::MechanicalSetup;
use texts::text;

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
            Turned::Artefact => text!("files-readout-artefact"),
            Turned::Sensor => text!("files-readout-sensor"),
        };
        line(ui, &title, TEXT_SIZE, ui.visuals().text_color());
        let reading = live.reading(setup.turned);
        match reading.map(|reading| &reading.outcome) {
            Some(Ok(misalignment)) => angles(ui, inner, setup, misalignment),
            Some(Err(message)) => line(ui, message, 24.0, ink(ui, Light::Red)),
            None => line(ui, &waiting(setup.turned, live), 32.0, ui.visuals().text_color()),
        }
        footer(ui, setup, live, reading);
    });
}

fn waiting(turned: Turned, live: &Live) -> String {
    match turned {
        _ if live.evaluating().is_some() => text!("files-readout-evaluating"),
        _ if !live.is_running() => text!("files-readout-not-started"),
        Turned::Artefact => text!("files-readout-awaits-points"),
        Turned::Sensor => text!("files-readout-awaits-snapshot"),
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
        let name = format!("{} ", texts::word(TURNS[k]));
        let [before, beneath] = if is_narrow { ["", name.as_str()] } else { [name.as_str(), ""] };
        let text = RichText::new(format!("{before}{angle:+.3}°"));
        let text = text.font(FontId::new(size, theme::strong_family())).color(colour);
        ui.add(Label::new(text).selectable(false).extend());
        let state = match remaining.lights[k] {
            Light::Green => text!("files-readout-aligned"),
            Light::Amber => text!("files-readout-nearly"),
            Light::Red => text!("files-readout-adjust"),
        };
        let text = text!(
            "files-readout-turn",
            state = state,
            sense = texts::word(sense(angle)).into_owned(),
            axis = AXES[k],
            turns = format!("{:.2}", remaining.turns[k].abs()),
            expanded = format!("{expanded:.3}")
        );
        line(ui, &format!("{beneath}{text}"), TEXT_SIZE, ui.visuals().text_color());
        ui.add_space(4.0);
    }
}

/// Source and time of the angles; errors of the sources.
fn footer(ui: &mut egui::Ui, setup: &MechanicalSetup, live: &Live, reading: Option<&Reading>) {
    let weak = ui.visuals().weak_text_color();
    if let Some(reading) = reading {
        let (when, name) = (Stamp::of_unix(reading.unix_s).to_string(), reading.name.as_str());
        let last = if setup.turned == Turned::Sensor {
            text!("files-readout-last-snapshot", when = when, name = name)
        } else {
            text!("files-readout-last-measurement", when = when, name = name)
        };
        line(ui, &last, 15.0, weak);
        if let Ok(misalignment) = &reading.outcome {
            let along = misalignment.nominal_words();
            let text = if reading.is_touched {
                text!("files-readout-as-probed", along = along)
            } else {
                text!("files-readout-as-assumed", along = along)
            };
            line(ui, &text, 13.0, weak);
        }
    }
    if let Some(name) = live.evaluating() {
        line(ui, &text!("files-readout-evaluating-name", name = name), 13.0, weak);
    }
    for source in [&live.folder_source, &live.line_source] {
        if let Source::Lost(message) = source {
            line(ui, &texts::word(message), 15.0, ink(ui, Light::Red));
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
