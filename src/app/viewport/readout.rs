//! What is still to be turned, large enough to be read from the machine.

use egui::{Color32, FontId, Label, Rect, RichText, Vec2};

use super::super::theme;
use dispatch::mechanical::{Live, Reading, Source};
use inspect::calibration::Light;
use inspect::calibration::mechanical::{AXES, COVERAGE, Misalignment, TURNS, Turned, sense};
use report::date::Stamp;
use session::mechanical::MechanicalSetup;

/// Least and greatest size of the angles, points.
const SIZES: [f32; 2] = [64.0, 120.0];
/// Of the words beneath them.
const WORDS: f32 = 18.0;

/// Draws it over the view.
pub fn show(ui: &mut egui::Ui, rect: Rect, setup: &MechanicalSetup, live: &Live) {
    // Clear of the buttons above.
    let area = Rect::from_min_max(rect.left_top() + Vec2::new(14.0, 44.0), rect.right_bottom() - Vec2::splat(14.0));
    ui.painter().rect_filled(area, 10.0, ui.visuals().window_fill.gamma_multiply(0.94));
    let inner = area.shrink2(Vec2::new(24.0, 12.0));
    let builder = egui::UiBuilder::new().max_rect(inner).layout(egui::Layout::top_down(egui::Align::Min));
    ui.scope_builder(builder, |ui| {
        ui.set_clip_rect(area.intersect(rect));
        ui.spacing_mut().item_spacing.y = 2.0;
        let title = match setup.turned {
            Turned::Artefact => "The artefact is still to be turned by",
            Turned::Sensor => "The sensor is still to be turned by",
        };
        line(ui, title, WORDS, ui.visuals().text_color());
        let reading = live.reading(setup.turned);
        match reading.map(|reading| &reading.outcome) {
            Some(Ok(misalignment)) => angles(ui, inner, setup, misalignment),
            Some(Err(sentence)) => line(ui, sentence, 24.0, ink(ui, Light::Red)),
            None => line(ui, waiting(setup.turned, live), 32.0, ui.visuals().text_color()),
        }
        footer(ui, setup, live, reading);
    });
}

fn waiting(turned: Turned, live: &Live) -> &'static str {
    match turned {
        _ if live.evaluating().is_some() => "Evaluating",
        _ if !live.is_running() => "Nothing is watched yet",
        Turned::Artefact => "Waiting for touches",
        Turned::Sensor => "Waiting for a snapshot",
    }
}

fn angles(ui: &mut egui::Ui, inner: Rect, setup: &MechanicalSetup, misalignment: &Misalignment) {
    let told = setup.to_turn(misalignment);
    // Three angles with a line of words each, and room for the footer; "Pitch -12.345°" is about eight sizes wide, and
    // where that is not there the name stands with the words.
    let is_narrow = inner.width() < 8.0 * SIZES[0];
    let by_width = inner.width() / if is_narrow { 5.0 } else { 8.0 };
    let by_height = ((inner.height() - 100.0) / 3.0 - 2.0 * WORDS) / 1.3;
    let size = by_height.min(by_width).clamp(SIZES[0], SIZES[1]);
    for k in 0..3 {
        let [angle, expanded] = [told.angles_rad[k], COVERAGE * told.sigma_rad[k]].map(f64::to_degrees);
        let colour = ink(ui, told.lights[k]);
        let name = format!("{} ", TURNS[k]);
        let [before, beneath] = if is_narrow { ["", &name] } else { [&name, ""] };
        let text = RichText::new(format!("{before}{angle:+.3}°"));
        let text = text.font(FontId::new(size, theme::strong_family())).color(colour);
        ui.add(Label::new(text).selectable(false).extend());
        let word = match told.lights[k] {
            Light::Green => "Good",
            Light::Amber => "Nearly",
            Light::Red => "Turn",
        };
        let (sense, turns) = (sense(angle), told.turns[k].abs());
        let words =
            format!("{beneath}{word}: {sense} about {}, {turns:.2} turns of the screw (± {expanded:.3}°)", AXES[k]);
        line(ui, &words, WORDS, ui.visuals().text_color());
        ui.add_space(4.0);
    }
}

/// From what, and when; what is wrong with the sources.
fn footer(ui: &mut egui::Ui, setup: &MechanicalSetup, live: &Live, reading: Option<&Reading>) {
    let weak = ui.visuals().weak_text_color();
    if let Some(reading) = reading {
        let kind = if setup.turned == Turned::Sensor { "Last snapshot" } else { "Last measurement" };
        line(ui, &format!("{kind}: {}, {}", Stamp::of_unix(reading.unix_s), reading.name), 15.0, weak);
        if let Ok(misalignment) = &reading.outcome {
            let artefact = if reading.is_touched { "as it was touched" } else { "taken to lie along the machine" };
            let along = misalignment.nominal_words();
            let text = format!(
                "Artefact {artefact}; X Y Z towards {along}. Seen against the axis, from its positive end; ± with k = 2."
            );
            line(ui, &text, 13.0, weak);
        }
    }
    if let Some(name) = live.evaluating() {
        line(ui, &format!("Evaluating {name}"), 13.0, weak);
    }
    for source in [&live.folder_source, &live.line_source] {
        if let Source::Lost(sentence) = source {
            line(ui, sentence, 15.0, ink(ui, Light::Red));
        }
    }
}

/// A text that lets the pointer through.
fn line(ui: &mut egui::Ui, text: &str, size: f32, colour: Color32) {
    ui.add(Label::new(RichText::new(text).size(size).color(colour)).selectable(false).wrap());
}

/// Colours of text that stand out from the plate in both themes.
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
