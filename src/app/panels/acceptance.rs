//! The acceptance of the sensor by scans of a ball bar and of a flat.

use std::path::PathBuf;

use egui::{Color32, RichText, Ui};

use super::super::choosing::Purpose;
use super::super::{Action, App, theme};
use super::picks::Pick;
use crate::number_field::NumberField;
use base::{capitalised, signed};
use dispatch::Command;
use dispatch::accept::Accept;
use inspect::acceptance::{Acceptance, Characteristic, Figure, Limit, Limits, Settings, Verdict};

/// What the sensor is tested by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// Two balls at a calibrated distance.
    Bar,
    /// A flat; its scans without its border.
    Flat,
}

/// What the section remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    accept: Accept,
    /// What is judged by a limit: the size of the largest error permitted, mm; 0 without.
    limits_mm: [(Characteristic, f64); 4],
    /// Standard uncertainty of the test, mm.
    test_sigma_mm: f64,
}

impl Default for Draft {
    fn default() -> Self {
        let accept = Accept {
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
        let judged = [SphereSpacing, ProbingForm, ProbingSize, Flatness];
        Self { accept, limits_mm: judged.map(|what| (what, 0.0)), test_sigma_mm: 0.0 }
    }
}

impl Draft {
    /// Takes a further scan of the ball bar, or of the flat.
    pub fn add(&mut self, artefact: Artefact, path: PathBuf) {
        self.scans(artefact).push(path);
    }

    fn scans(&mut self, artefact: Artefact) -> &mut Vec<PathBuf> {
        match artefact {
            Artefact::Bar => &mut self.accept.bars,
            Artefact::Flat => &mut self.accept.planes,
        }
    }

    fn asked(&self) -> Accept {
        let limit = |mpe_mm| Limit { mpe_mm, test_sigma_mm: self.test_sigma_mm };
        let limits = self.limits_mm.iter().filter(|(_, mpe_mm)| *mpe_mm > 0.0);
        Accept { limits: limits.map(|(what, mpe_mm)| (*what, limit(*mpe_mm))).collect(), ..self.accept.clone() }
    }
}

impl App {
    pub(super) fn acceptance_section(&mut self, ui: &mut Ui) {
        let heading = RichText::new("Acceptance of the sensor").heading();
        egui::CollapsingHeader::new(heading).id_salt("acceptance").show(ui, |ui| {
            theme::weak(ui, "Scans of a calibrated ball bar in several positions, as the sensor reports them.");
            self.acceptance_scans(ui, Artefact::Bar, "Add a scan of the bar…");
            let draft = &mut self.acceptance;
            length(ui, "Radius of the balls", &mut draft.accept.sphere_radius_mm);
            length(ui, "Length of the bar", &mut draft.accept.bar_length_mm);
            length(ui, "Points of a ball within", &mut draft.accept.within_mm);
            theme::weak(ui, "Scans of a flat in several positions, its border left out.");
            self.acceptance_scans(ui, Artefact::Flat, "Add a scan of the flat…");
            let draft = &mut self.acceptance;
            for (what, mpe_mm) in &mut draft.limits_mm {
                length(ui, &format!("Permitted {}", what.name()), mpe_mm);
            }
            length(ui, "Uncertainty of the test", &mut draft.test_sigma_mm);
            let accept = &draft.accept;
            let missing = if accept.bars.is_empty() && accept.planes.is_empty() {
                Some("Add scans of the ball bar or of the flat.")
            } else if !(accept.bars.is_empty() || accept.sphere_radius_mm > 0.0 && accept.bar_length_mm > 0.0) {
                Some("Say the calibrated radius and length.")
            } else {
                None
            };
            let asked = draft.asked();
            if theme::wide_main_button(ui, missing.is_none() && !self.is_busy(), "Judge the sensor").clicked() {
                self.send(Command::Accept(Box::new(asked)));
            }
            if let Some(missing) = missing {
                theme::weak(ui, missing);
            }
            if let Some(acceptance) = self.dispatcher.document.acceptance.clone() {
                judged(ui, &acceptance);
            }
        });
    }

    fn acceptance_scans(&mut self, ui: &mut Ui, artefact: Artefact, button: &str) {
        let mut forget = None;
        for (number, path) in self.acceptance.scans(artefact).iter().enumerate() {
            ui.horizontal(|ui| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                ui.label(format!("{}  {name}", number + 1));
                if ui.small_button("Leave out").clicked() {
                    forget = Some(number);
                }
            });
        }
        if let Some(number) = forget {
            self.acceptance.scans(artefact).remove(number);
        }
        if ui.button(button).clicked() {
            self.actions.push(Action::Browse(Purpose::Machine(Pick::Accepted(artefact))));
        }
    }
}

fn length(ui: &mut Ui, name: &str, value: &mut f64) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let drag = NumberField::new(value).speed(0.01).range(0.0..=1e5).max_decimals(4).suffix(" mm");
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

fn judged(ui: &mut Ui, acceptance: &Acceptance) {
    if let Some(verdict) = acceptance.verdict {
        ui.horizontal(|ui| {
            theme::dot(ui, colour_of(verdict));
            ui.label(RichText::new(capitalised(verdict.word())).family(theme::strong_family()));
        });
    }
    egui::Grid::new("acceptance figures").num_columns(3).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
        for Figure { characteristic, errors_mm, worst_mm, verdict, .. } in &acceptance.figures {
            let hint = format!("{}, {} positions", characteristic.symbol(), errors_mm.len());
            ui.label(RichText::new(capitalised(characteristic.name())).weak()).on_hover_text(hint);
            ui.label(format!("{} mm", signed(*worst_mm, 4)));
            if let Some(verdict) = verdict {
                theme::dot(ui, colour_of(*verdict)).on_hover_text(verdict.word());
            }
            ui.end_row();
        }
    });
    for note in &acceptance.notes {
        theme::weak(ui, note);
    }
}
