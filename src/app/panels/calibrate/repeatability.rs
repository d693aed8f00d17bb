//! Repeatability and validity of calibrations: log, control charts, restarts and warm-up.

use std::path::PathBuf;

use egui::{RichText, Ui};
use egui_plot::{HLine, Line, LineStyle, Plot, Points};

use super::super::picks::Pick;
use super::super::{PanelContext, rows};
use crate::choosing::Purpose;
use crate::lengths::{length_text, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use base::capitalised;
use base::date;
use dispatch::Command;
use dispatch::monitoring::Monitoring;
use inspect::calibration::repeatability::{
    CalibrationAge, CalibrationStatus, CalibrationVerdict, Machine, Quantified, Quantity, Repeatability, State,
};
use session::Document;
use session::calibration::monitoring::{CalibrationMonitoring, Reading, status};
use texts::text;

/// State of the section.
#[derive(Clone, Debug)]
pub struct RepeatabilitySection {
    /// Path of the log, as typed.
    pub log: String,
    /// Path of the reference certificate, as typed.
    pub certificate: String,
    machine: Machine,
    quantity: Quantity,
    /// The document's settings at the last update.
    synced: CalibrationMonitoring,
}

impl Default for RepeatabilitySection {
    fn default() -> Self {
        let synced = CalibrationMonitoring::default();
        Self {
            log: String::new(),
            certificate: String::new(),
            machine: synced.machine,
            quantity: Quantity::ShiftX,
            synced,
        }
    }
}

impl RepeatabilitySection {
    fn follow(&mut self, monitoring: &CalibrationMonitoring) {
        if self.synced != *monitoring {
            self.show_settings(monitoring);
        }
    }

    fn show_settings(&mut self, monitoring: &CalibrationMonitoring) {
        let shown = |path: &Option<PathBuf>| path.as_ref().map_or_else(String::new, |path| path.display().to_string());
        (self.log, self.certificate) = (shown(&monitoring.log), shown(&monitoring.certificate));
        (self.machine, self.synced) = (monitoring.machine, monitoring.clone());
    }

    fn edited(&self) -> CalibrationMonitoring {
        let path = |text: &str| (!text.trim().is_empty()).then(|| PathBuf::from(text.trim()));
        CalibrationMonitoring { log: path(&self.log), certificate: path(&self.certificate), machine: self.machine }
    }
}

impl RepeatabilitySection {
    /// Field for the calibration log.
    pub fn log_field(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        self.follow(&context.document().monitoring);
        let hint = text!("calibrate-log-hint");
        let names = (text!("calibrate-log"), hint);
        let browse = path_field(ui, names, &mut self.log, (text!("calibrate-log-choose"), Pick::Log));
        context.actions.extend(browse);
    }

    /// The command that sends what was edited.
    pub fn edit(&mut self, monitoring: &CalibrationMonitoring) -> Option<Command> {
        self.follow(monitoring);
        // Paths that cannot be shown as they are stay as they are.
        let mut before = self.clone();
        before.show_settings(monitoring);
        let edited = self.edited();
        let is_edited = edited != before.edited();
        is_edited.then(|| Command::Monitoring(Monitoring::Set(Box::new(edited))))
    }

    pub fn show(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let heading = RichText::new(text!("calibrate-repeatability")).heading();
        egui::CollapsingHeader::new(heading).id_salt("repeatability").show(ui, |ui| {
            self.status(ui, context);
            let names = (text!("calibrate-compare-with"), text!("calibrate-compare-with-hint"));
            let field = &mut self.certificate;
            let browse = path_field(ui, names, field, (text!("calibrate-compare-choose"), Pick::Certificate));
            context.actions.extend(browse);
            let has_log = context.document().monitoring.log.is_some();
            let read = ui.add_enabled(has_log && !context.is_busy, egui::Button::new(text!("calibrate-log-read")));
            if read.on_disabled_hover_text(text!("calibrate-log-first")).clicked() {
                context.send(Command::Monitoring(Monitoring::ReadLog));
            }
            let document = context.document();
            let made = document.calibration.outcome.as_ref().map(|own| own.provenance.unix_s);
            let is_logged = |unix_s| document.reading.as_ref().is_some_and(|own| own.log.holds(unix_s));
            if has_log && made.is_some_and(|unix_s| !is_logged(unix_s)) {
                let add = ui.add_enabled(!context.is_busy, egui::Button::new(text!("calibrate-log-add")));
                if add.on_hover_text(text!("calibrate-log-add-hint")).clicked() {
                    context.send(Command::Monitoring(Monitoring::AddToLog));
                }
            }
            if let Some(reading) = context.document().reading.clone() {
                self.log_contents(ui, &reading);
            }
        });
    }

    /// Validity of the last calibration, restarts and warm-up.
    fn status(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let (age, status) = validity(context.document(), &self.machine);
        let validity = match age.state {
            State::Missing => text!("calibrate-not-calibrated"),
            State::Valid { hours_left: Some(hours) } => {
                text!("calibrate-valid-for", hours = format!("{hours:.1}"))
            }
            State::Valid { hours_left: None } => text!("calibrate-no-period"),
            State::Expired { .. } => text!("calibrate-expired"),
            State::Restarted { .. } => text!("calibrate-restarted"),
            State::InFuture { .. } => text!("calibrate-in-future"),
        };
        // Green only if the calibration holds and is current.
        let colour = match status.verdict {
            CalibrationVerdict::Holds if age.is_current() => theme::GOOD,
            CalibrationVerdict::Holds | CalibrationVerdict::NotJudged => theme::WARN,
            CalibrationVerdict::DoesNotHold => theme::BAD,
        };
        ui.horizontal(|ui| {
            theme::dot(ui, colour);
            ui.label(RichText::new(texts::word(status.verdict.name())).family(theme::strong_family()));
            ui.label(validity);
        });
        for sentence in age.sentences.iter().chain(&status.sentences()) {
            theme::weak(ui, texts::word(sentence));
        }
        let machine = &mut self.machine;
        ui.horizontal_wrapped(|ui| {
            let hint = text!("calibrate-restart-hint");
            if ui.button(text!("calibrate-restart")).on_hover_text(hint).clicked() {
                machine.restarted_unix_s = Some(date::unix_now());
            }
            if ui.button(text!("calibrate-switched-on")).clicked() {
                machine.switched_on_unix_s = Some(date::unix_now());
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-warm-up"));
            let drag = NumberField::new(&mut machine.warm_up_minutes).speed(0.5).range(0.0..=1440.0).suffix(" min");
            ui.add(drag).labelled_by(label.id).on_hover_text(text!("calibrate-warm-up-hint"));
        });
        scatter_limits(ui, machine);
    }

    /// Results from the calibration log.
    fn log_contents(&mut self, ui: &mut Ui, reading: &Reading) {
        ui.label(text!("calibrate-logged", count = reading.log.records.len()));
        if let Some(sentence) = reading.log.repeated_sentence() {
            theme::weak(ui, texts::word(&sentence));
        }
        for damaged in &reading.log.damaged {
            theme::weak(
                ui,
                text!("calibrate-line", line = damaged.line, reason = texts::word(&damaged.reason).into_owned()),
            );
        }
        let found = match &reading.repeatability {
            Ok(found) => found,
            Err(error) => {
                theme::weak(ui, texts::word(&error.sentence));
                return;
            }
        };
        if let Some(sentence) = &reading.uncompared {
            ui.colored_label(theme::WARN, texts::word(sentence));
        }
        ui.horizontal_wrapped(|ui| {
            for quantity in Quantity::ALL {
                theme::pick(ui, &mut self.quantity, quantity, capitalised(&texts::word(quantity.name())));
            }
        });
        let chosen = found.quantities.iter().find(|own| own.quantity == self.quantity);
        if let Some(own) = chosen {
            chart(ui, own);
            rows(ui, "repeatability figures", &figures(own));
            for finding in &own.chart.findings {
                let says = texts::word(finding.rule.says()).into_owned();
                theme::weak(ui, text!("calibrate-finding", run = finding.run, says = says));
            }
        }
        summary(ui, found);
    }
}

/// Limits of the scatter of the logged calibrations, besides what their stated uncertainties explain.
fn scatter_limits(ui: &mut Ui, machine: &mut Machine) {
    let mut has_limits = machine.max_scatter_mm.is_some() || machine.max_scatter_rad.is_some();
    let had_limits = has_limits;
    let hint = text!("calibrate-scatter-limits-hint");
    ui.checkbox(&mut has_limits, text!("calibrate-scatter-limits")).on_hover_text(hint);
    if has_limits != had_limits {
        machine.max_scatter_mm = has_limits.then_some(0.01);
        machine.max_scatter_rad = has_limits.then_some(0.005_f64.to_radians());
    }
    if let Some(limit_mm) = &mut machine.max_scatter_mm {
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-scatter-shift"));
            let drag = NumberField::new(limit_mm).speed(0.001).range(0.0001..=10.0).max_decimals(4).unit("mm");
            ui.add(drag).labelled_by(label.id);
        });
    }
    if let Some(limit_rad) = &mut machine.max_scatter_rad {
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-scatter-angle"));
            let mut limit_deg = limit_rad.to_degrees();
            let drag = NumberField::new(&mut limit_deg).speed(0.0005).range(0.0001..=10.0).max_decimals(4).suffix("°");
            if ui.add(drag).labelled_by(label.id).changed() {
                *limit_rad = limit_deg.to_radians();
            }
        });
    }
}

/// Age of the last calibration, made here or in the log, and its status by all tests, with these data of the machine.
pub fn validity(document: &Document, machine: &Machine) -> (CalibrationAge, CalibrationStatus) {
    let made = document
        .calibration
        .outcome
        .as_ref()
        .map(|outcome| (outcome.provenance.unix_s, outcome.provenance.valid_hours));
    let logged = document.reading.as_ref().and_then(|reading| reading.last_unix_s());
    let made = made.or_else(|| Some((logged?, document.calibration.setup.valid_hours)));
    let valid_hours = made.map(|(_, hours)| hours).filter(|hours| *hours > 0.0);
    let machine = Machine { valid_hours, ..*machine };
    let (now, made) = (date::unix_now(), made.map(|(unix_s, _)| unix_s));
    let age = CalibrationAge::of(now, made, &machine);
    (age, status(now, made, &machine, document.reading.as_deref()))
}

fn path_field(
    ui: &mut Ui,
    (name, hint): (String, String),
    text: &mut String,
    (button, pick): (String, Pick),
) -> Option<Action> {
    let chosen = ui.horizontal(|ui| {
        let label = ui.label(name);
        let field = egui::TextEdit::singleline(text).hint_text(text!("calibrate-no-file")).desired_width(110.0);
        ui.add(field).labelled_by(label.id).on_hover_text(hint);
        ui.button(button).clicked()
    });
    chosen.inner.then_some(Action::Browse(Purpose::Machine(pick)))
}

/// Micro units per unit.
const MICRO: f64 = 1e6;

/// Display unit of a quantity, and the factor to it from mm or rad.
fn small_unit(quantity: Quantity) -> (&'static str, f64) {
    if quantity.unit() == "mm" { ("µm", 1e-3 * MICRO) } else { ("µrad", MICRO) }
}

/// Control chart of individuals, relative to the mean.
fn chart(ui: &mut Ui, own: &Quantified) {
    let (unit, scale) = small_unit(own.quantity);
    let at = |index: usize, value: f64| [index as f64 + 1.0, scale * (value - own.chart.mean)];
    let values: Vec<[f64; 2]> = own.chart.values.iter().enumerate().map(|(i, value)| at(i, *value)).collect();
    let is_out = |run: usize| own.chart.findings.iter().any(|finding| finding.run == run);
    let (out, inside): (Vec<_>, Vec<_>) = values.iter().enumerate().partition(|(i, _)| is_out(i + 1));
    let points = |numbered: Vec<(usize, &[f64; 2])>| numbered.into_iter().map(|(_, point)| *point).collect::<Vec<_>>();
    let (out, inside) = (points(out), points(inside));
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
        .y_axis_label(text!("calibrate-chart-axis", unit = unit))
        .show(ui, |plot| {
            plot.hline(HLine::new(text!("calibrate-chart-mean"), 0.0).color(line).width(1.0));
            for limit in [-limit, limit] {
                let style = LineStyle::dashed_loose();
                plot.hline(HLine::new(text!("calibrate-chart-limit"), limit).color(theme::BAD).width(1.0).style(style));
            }
            plot.line(Line::new(text!("calibrate-chart-calibrations"), values).color(theme::ACCENT).width(1.0));
            plot.points(Points::new(text!("calibrate-chart-inside"), inside).color(theme::ACCENT).radius(3.0));
            plot.points(Points::new(text!("calibrate-chart-outside"), out).color(theme::BAD).radius(4.0));
        });
}

fn figures(own: &Quantified) -> Vec<(String, String)> {
    let (unit, scale) = small_unit(own.quantity);
    let small = |value: f64| format!("{:.2} {unit}", scale * value);
    let mean = if own.quantity.unit() == "mm" {
        with_unit(length_text(own.chart.mean, 4))
    } else {
        format!("{:.5}°", own.chart.mean.to_degrees())
    };
    let mut figures = vec![
        (text!("calibrate-mean"), mean),
        (text!("calibrate-standard-deviation"), small(own.chart.standard_deviation)),
        (text!("calibrate-stated-uncertainty"), small(own.stated_sigma)),
        (text!("calibrate-control-limits"), format!("± {}", small(3.0 * own.chart.sigma))),
    ];
    if let Some(scatter) = own.scatter {
        let (ratio, limit) = (format!("{:.2}", scatter.ratio), format!("{:.2}", scatter.limit));
        let text = if scatter.is_explained() {
            text!("calibrate-scatter-explained", ratio = ratio, limit = limit)
        } else {
            text!("calibrate-scatter-unexplained", ratio = ratio, limit = limit)
        };
        figures.push((text!("calibrate-scatter"), text));
    }
    if let Some(drift) = own.drift {
        figures.push((text!("calibrate-drift"), format!("{}/h", small(drift.per_hour))));
    }
    if let Some(agreement) = own.agreement {
        let en = format!("{:.2}", agreement.normalised_error);
        let text =
            if agreement.holds() { text!("calibrate-agrees", en = en) } else { text!("calibrate-disagrees", en = en) };
        figures.push((text!("calibrate-certificate"), text));
    }
    figures
}

/// Overall result of the control charts.
fn summary(ui: &mut Ui, found: &Repeatability) {
    ui.horizontal(|ui| {
        let (colour, result) = match found.in_control() {
            Some(true) => (theme::GOOD, text!("calibrate-in-control")),
            Some(false) => (theme::BAD, text!("calibrate-out-of-control")),
            None => (theme::WARN, text!("calibrate-too-few")),
        };
        theme::dot(ui, colour);
        ui.label(result);
    });
    for sentence in &found.sentences {
        theme::weak(ui, texts::word(sentence));
    }
}
