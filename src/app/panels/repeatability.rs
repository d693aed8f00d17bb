//! Whether calibrations repeat and still hold: their log, control charts, and what is known of the machine.

use std::path::PathBuf;

use egui::{RichText, Ui};
use egui_plot::{HLine, Line, LineStyle, Plot, Points};

use super::super::choosing::Purpose;
use super::super::{Action, App, theme};
use super::picks::Pick;
use super::rows;
use crate::number_field::NumberField;
use base::capitalised;
use dispatch::Command;
use dispatch::upkeep::Request;
use inspect::calibration::repeatability::{
    CalibrationVerdict, Machine, Quantified, Quantity, Repeatability, Standing, State,
};
use report::date;
use session::upkeep::{Reading, Upkeep, status};

/// What the section remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Path of the log, as it is typed.
    pub log: String,
    /// Path of the certificate, as it is typed.
    pub certificate: String,
    machine: Machine,
    quantity: Quantity,
    /// The document's, as it was last followed.
    seen: Upkeep,
}

impl Default for Draft {
    fn default() -> Self {
        let seen = Upkeep::default();
        Self { log: String::new(), certificate: String::new(), machine: seen.machine, quantity: Quantity::ShiftX, seen }
    }
}

impl Draft {
    fn follow(&mut self, upkeep: &Upkeep) {
        let shown = |path: &Option<PathBuf>| path.as_ref().map_or_else(String::new, |path| path.display().to_string());
        if self.seen != *upkeep {
            (self.log, self.certificate) = (shown(&upkeep.log), shown(&upkeep.certificate));
            (self.machine, self.seen) = (upkeep.machine, upkeep.clone());
        }
    }

    fn wanted(&self) -> Upkeep {
        let path = |text: &str| (!text.trim().is_empty()).then(|| PathBuf::from(text.trim()));
        Upkeep { log: path(&self.log), certificate: path(&self.certificate), machine: self.machine }
    }
}

impl App {
    /// The line that says where calibrations are logged.
    pub(super) fn calibration_log(&mut self, ui: &mut Ui) {
        self.repeatability.follow(&self.dispatcher.document.upkeep);
        let hint = "Every calibration is added to this file; without one none is";
        let names = ("Calibration log", hint);
        let browse = path_field(ui, names, &mut self.repeatability.log, ("Choose log…", Pick::Log));
        self.actions.extend(browse);
        let settled = !ui.ctx().egui_is_using_pointer() && !ui.ctx().text_edit_focused();
        let wanted = self.repeatability.wanted();
        if settled && !self.is_busy() && wanted != self.dispatcher.document.upkeep {
            self.send(Command::Upkeep(Request::Set(Box::new(wanted))));
        }
    }

    pub(super) fn repeatability_section(&mut self, ui: &mut Ui) {
        let heading = RichText::new("Repeatability").heading();
        egui::CollapsingHeader::new(heading).id_salt("repeatability").show(ui, |ui| {
            self.standing(ui);
            let names = ("Held against", "The JSON file of a calibration that the last one is held against");
            let field = &mut self.repeatability.certificate;
            let browse = path_field(ui, names, field, ("Choose calibration…", Pick::Certificate));
            self.actions.extend(browse);
            let has_log = self.dispatcher.document.upkeep.log.is_some();
            let read = ui.add_enabled(has_log && !self.is_busy(), egui::Button::new("Read the log"));
            if read.on_disabled_hover_text("Name the calibration log first").clicked() {
                self.send(Command::Upkeep(Request::ReadLog));
            }
            if let Some(reading) = self.dispatcher.document.reading.clone() {
                self.log_says(ui, &reading);
            }
        });
    }

    /// Whether the last calibration still holds, and what is known of the machine.
    fn standing(&mut self, ui: &mut Ui) {
        let document = &self.dispatcher.document;
        let made = document.calibration.outcome.as_ref().map(|outcome| (outcome.made.unix_s, outcome.made.valid_hours));
        let logged = document.reading.as_ref().and_then(|reading| reading.last_unix_s());
        let made = made.or_else(|| Some((logged?, document.calibration.setup.valid_hours)));
        let valid_hours = made.map(|(_, hours)| hours).filter(|hours| *hours > 0.0);
        let machine = Machine { valid_hours, ..self.repeatability.machine };
        let (now, made) = (date::unix_now(), made.map(|(unix_s, _)| unix_s));
        let standing = Standing::of(now, made, &machine);
        let status = status(now, made, &machine, document.reading.as_deref());
        let words = match standing.state {
            State::Missing => "Not calibrated".to_owned(),
            State::Valid { hours_left: Some(hours) } => format!("Valid for {hours:.1} hours"),
            State::Valid { hours_left: None } => "Without a time of validity".to_owned(),
            State::Expired { .. } => "Expired".to_owned(),
            State::Restarted { .. } => "Ended by a restart of the CMM".to_owned(),
            State::InFuture { .. } => "Made later than now".to_owned(),
        };
        // Green only where every test speaks for it.
        let colour = match status.verdict {
            CalibrationVerdict::Holds if standing.is_in_time() => theme::GOOD,
            CalibrationVerdict::Holds | CalibrationVerdict::NotJudged => theme::WARN,
            CalibrationVerdict::DoesNotHold => theme::BAD,
        };
        ui.horizontal(|ui| {
            theme::dot(ui, colour);
            ui.label(RichText::new(status.verdict.name()).family(theme::strong_family()));
            ui.label(words);
        });
        for sentence in standing.sentences.iter().chain(&status.sentences()) {
            theme::weak(ui, sentence);
        }
        let machine = &mut self.repeatability.machine;
        ui.horizontal_wrapped(|ui| {
            let hint = "A calibration ends with every restart: the machine finds its zero anew";
            if ui.button("The CMM was restarted").on_hover_text(hint).clicked() {
                machine.restarted_unix_s = Some(date::unix_now());
            }
            if ui.button("The sensor was switched on").clicked() {
                machine.switched_on_unix_s = Some(date::unix_now());
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Warm-up");
            let drag = NumberField::new(&mut machine.warm_up_minutes).speed(0.5).range(0.0..=1440.0).suffix(" min");
            ui.add(drag).labelled_by(label.id).on_hover_text("How long the sensor takes to warm up");
        });
    }

    fn log_says(&mut self, ui: &mut Ui, reading: &Reading) {
        ui.label(format!("{} calibrations in the log.", reading.log.records.len()));
        for damaged in &reading.log.damaged {
            theme::weak(ui, format!("Line {}: {}", damaged.line, damaged.reason));
        }
        let found = match &reading.repeatability {
            Ok(found) => found,
            Err(error) => {
                theme::weak(ui, &error.sentence);
                return;
            }
        };
        if let Some(sentence) = &reading.uncompared {
            ui.colored_label(theme::WARN, sentence.as_str());
        }
        ui.horizontal_wrapped(|ui| {
            for quantity in Quantity::ALL {
                theme::pick(ui, &mut self.repeatability.quantity, quantity, &capitalised(quantity.name()));
            }
        });
        let chosen = found.quantities.iter().find(|own| own.quantity == self.repeatability.quantity);
        if let Some(own) = chosen {
            chart(ui, own);
            rows(ui, "repeatability figures", &figures(own));
            for finding in &own.chart.findings {
                theme::weak(ui, format!("Calibration {} {}.", finding.run, finding.rule.says()));
            }
        }
        sentences(ui, found);
    }
}

fn path_field(
    ui: &mut Ui,
    (name, hint): (&str, &str),
    text: &mut String,
    (button, pick): (&str, Pick),
) -> Option<Action> {
    let chosen = ui.horizontal(|ui| {
        let label = ui.label(name);
        let field = egui::TextEdit::singleline(text).hint_text("no file").desired_width(110.0);
        ui.add(field).labelled_by(label.id).on_hover_text(hint);
        ui.button(button).clicked()
    });
    chosen.inner.then_some(Action::Browse(Purpose::Machine(pick)))
}

/// Micrometres a millimetre, microradians a radian: what six quantities of a good sensor are shown in.
const MICRO: f64 = 1e6;

fn small_unit(quantity: Quantity) -> (&'static str, f64) {
    if quantity.unit() == "mm" { ("µm", 1e-3 * MICRO) } else { ("µrad", MICRO) }
}

/// The chart of individuals about its centre line.
fn chart(ui: &mut Ui, own: &Quantified) {
    let (unit, scale) = small_unit(own.quantity);
    let at = |number: usize, value: f64| [number as f64 + 1.0, scale * (value - own.chart.mean)];
    let values: Vec<[f64; 2]> = own.chart.values.iter().enumerate().map(|(i, value)| at(i, *value)).collect();
    let is_found = |run: usize| own.chart.findings.iter().any(|finding| finding.run == run);
    let (found, quiet): (Vec<_>, Vec<_>) = values.iter().enumerate().partition(|(i, _)| is_found(i + 1));
    let only = |numbered: Vec<(usize, &[f64; 2])>| numbered.into_iter().map(|(_, place)| *place).collect::<Vec<_>>();
    let (found, quiet) = (only(found), only(quiet));
    let limit = scale * 3.0 * own.chart.sigma;
    let line = ui.visuals().text_color();
    Plot::new("control chart")
        .height(150.0)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .include_y(1.2 * limit)
        .include_y(-1.2 * limit)
        .include_x(0.5)
        .include_x(values.len() as f64 + 0.5)
        .y_axis_label(format!("off the mean, {unit}"))
        .show(ui, |plot| {
            plot.hline(HLine::new("mean", 0.0).color(line).width(1.0));
            for limit in [-limit, limit] {
                let style = LineStyle::dashed_loose();
                plot.hline(HLine::new("control limit", limit).color(theme::BAD).width(1.0).style(style));
            }
            plot.line(Line::new("calibrations", values).color(theme::ACCENT).width(1.0));
            plot.points(Points::new("in control", quiet).color(theme::ACCENT).radius(3.0));
            plot.points(Points::new("found", found).color(theme::BAD).radius(4.0));
        });
}

fn figures(own: &Quantified) -> Vec<(&'static str, String)> {
    let (unit, scale) = small_unit(own.quantity);
    let small = |value: f64| format!("{:.2} {unit}", scale * value);
    let mean = if own.quantity.unit() == "mm" {
        format!("{:.4} mm", own.chart.mean)
    } else {
        format!("{:.5}°", own.chart.mean.to_degrees())
    };
    let mut figures = vec![
        ("Mean", mean),
        ("Repeats within", small(own.chart.standard_deviation)),
        ("Stated", small(own.stated_sigma)),
        ("Control limits", format!("± {}", small(3.0 * own.chart.sigma))),
    ];
    if let Some(drift) = own.drift {
        figures.push(("Drift", format!("{} an hour", small(drift.per_hour))));
    }
    if let Some(agreement) = own.agreement {
        let word = if agreement.holds() { "agrees" } else { "disagrees" };
        figures.push(("Certificate", format!("En = {:.2}, {word}", agreement.normalised_error)));
    }
    figures
}

fn sentences(ui: &mut Ui, found: &Repeatability) {
    ui.horizontal(|ui| {
        let (colour, words) = match found.in_control() {
            Some(true) => (theme::GOOD, "In control"),
            Some(false) => (theme::BAD, "Out of control: look"),
            None => (theme::WARN, "Too few calibrations for control charts"),
        };
        theme::dot(ui, colour);
        ui.label(words);
    });
    for sentence in &found.sentences {
        theme::weak(ui, sentence);
    }
}
