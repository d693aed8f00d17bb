//! Acceptance test of the sensor with scans of a ball bar and of a flat standard.

use std::path::PathBuf;

use egui::{Color32, RichText, Ui};

use super::super::PanelContext;
use super::super::picks::Pick;
use crate::choosing::Purpose;
use crate::lengths::{signed_length, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use base::capitalised;
use dispatch::Command;
use inspect::acceptance::AcceptanceTest;
use inspect::acceptance::{Acceptance, Characteristic, Figure, Limit, Limits, Settings, Verdict};
use texts::text;

/// Artefact of the acceptance test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// Ball bar: two spheres at a calibrated distance.
    Bar,
    /// Flat standard, scanned without its border.
    Flat,
}

/// State of the section.
#[derive(Clone, Debug)]
pub struct AcceptanceSection {
    test: AcceptanceTest,
    /// Maximum permissible errors (MPE), mm; 0 for none.
    limits_mm: [(Characteristic, f64); 4],
    /// Standard uncertainty of the test, mm.
    test_sigma_mm: f64,
}

impl Default for AcceptanceSection {
    fn default() -> Self {
        let test = AcceptanceTest {
            bars: Vec::new(),
            planes: Vec::new(),
            unit: None,
            sphere_radius_mm: 0.0,
            bar_length_mm: 0.0,
            within_mm: 0.1,
            settings: Settings::default(),
            limits: Limits::new(),
        };
        use Characteristic::{Flatness, ProbingForm, ProbingSize, SphereSpacing};
        let characteristics = [SphereSpacing, ProbingForm, ProbingSize, Flatness];
        Self { test, limits_mm: characteristics.map(|characteristic| (characteristic, 0.0)), test_sigma_mm: 0.0 }
    }
}

impl AcceptanceSection {
    /// Adds a scan of `artefact`.
    pub fn add(&mut self, artefact: Artefact, path: PathBuf) {
        self.scans(artefact).push(path);
    }

    fn scans(&mut self, artefact: Artefact) -> &mut Vec<PathBuf> {
        match artefact {
            Artefact::Bar => &mut self.test.bars,
            Artefact::Flat => &mut self.test.planes,
        }
    }

    /// The test with its limits.
    fn with_limits(&self) -> AcceptanceTest {
        let limit = |mpe_mm| Limit { mpe_mm, test_sigma_mm: self.test_sigma_mm };
        let limits = self.limits_mm.iter().filter(|(_, mpe_mm)| *mpe_mm > 0.0);
        AcceptanceTest { limits: limits.map(|(what, mpe_mm)| (*what, limit(*mpe_mm))).collect(), ..self.test.clone() }
    }
}

impl AcceptanceSection {
    pub fn show(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let heading = RichText::new(text!("calibrate-acceptance")).heading();
        egui::CollapsingHeader::new(heading).id_salt("acceptance").show(ui, |ui| {
            theme::weak(ui, text!("calibrate-bar-about"));
            self.scan_list(ui, context, Artefact::Bar, &text!("calibrate-bar-add"));
            let draft = &mut *self;
            length(ui, text!("calibrate-sphere-radius"), &mut draft.test.sphere_radius_mm);
            length(ui, text!("calibrate-bar-length"), &mut draft.test.bar_length_mm);
            length(ui, text!("calibrate-within"), &mut draft.test.within_mm);
            theme::weak(ui, text!("calibrate-flat-about"));
            self.scan_list(ui, context, Artefact::Flat, &text!("calibrate-flat-add"));
            let draft = &mut *self;
            for (what, mpe_mm) in &mut draft.limits_mm {
                let name = texts::word(what.name()).into_owned();
                length(ui, text!("calibrate-mpe", name = name), mpe_mm);
            }
            length(ui, text!("calibrate-test-uncertainty"), &mut draft.test_sigma_mm);
            let test = &draft.test;
            let missing = if test.bars.is_empty() && test.planes.is_empty() {
                Some(text!("calibrate-missing-scans"))
            } else if !(test.bars.is_empty() || test.sphere_radius_mm > 0.0 && test.bar_length_mm > 0.0) {
                Some(text!("calibrate-missing-bar"))
            } else {
                None
            };
            let test = draft.with_limits();
            let ready = missing.is_none() && !context.is_busy;
            if theme::wide_main_button(ui, ready, text!("calibrate-evaluate")).clicked() {
                context.send(Command::Accept(Box::new(test)));
            }
            if let Some(missing) = missing {
                theme::weak(ui, missing);
            }
            if let Some(acceptance) = context.document().acceptance.clone() {
                results(ui, &acceptance);
            }
        });
    }

    fn scan_list(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, artefact: Artefact, button: &str) {
        let mut removed = None;
        for (index, path) in self.scans(artefact).iter().enumerate() {
            ui.horizontal(|ui| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                ui.label(format!("{}  {name}", index + 1));
                if ui.small_button(text!("common-remove")).clicked() {
                    removed = Some(index);
                }
            });
        }
        if let Some(index) = removed {
            self.scans(artefact).remove(index);
        }
        if ui.button(button).clicked() {
            context.ask(Action::Browse(Purpose::Machine(Pick::Accepted(artefact))));
        }
    }
}

fn length(ui: &mut Ui, name: String, value: &mut f64) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let drag = NumberField::new(value).speed(0.01).range(0.0..=1e5).max_decimals(4).unit("mm");
        ui.add(drag).labelled_by(label.id);
    });
}

fn colour_of(verdict: Verdict) -> Color32 {
    match verdict {
        Verdict::Conforms => theme::GOOD,
        Verdict::Undecided => theme::WARN,
        Verdict::DoesNotConform => theme::BAD,
    }
}

/// Verdict and results of the test.
fn results(ui: &mut Ui, acceptance: &Acceptance) {
    if let Some(verdict) = acceptance.verdict {
        ui.horizontal(|ui| {
            theme::dot(ui, colour_of(verdict));
            ui.label(RichText::new(capitalised(&texts::word(verdict.word()))).family(theme::strong_family()));
        });
    }
    egui::Grid::new("acceptance figures").num_columns(3).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
        for Figure { characteristic, errors_mm, worst_mm, verdict, .. } in &acceptance.figures {
            let hint = text!("calibrate-in-positions", symbol = characteristic.symbol(), count = errors_mm.len());
            let name = capitalised(&texts::word(characteristic.name()));
            ui.label(RichText::new(name).weak()).on_hover_text(hint);
            ui.label(with_unit(signed_length(*worst_mm, 4)));
            if let Some(verdict) = verdict {
                theme::dot(ui, colour_of(*verdict)).on_hover_text(texts::word(verdict.word()));
            }
            ui.end_row();
        }
    });
    for note in &acceptance.notes {
        theme::weak(ui, texts::word(note));
    }
}
