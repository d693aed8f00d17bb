//! Hybrid measurement: holes found in the scan are probed by the CMM in cycles until their positions converge.

use egui::{Color32, RichText, Ui};

use super::super::PanelContext;
use super::super::picks::Pick;
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::probe::Probe;
use inspect::probing::{Comparison, Differences, HoleGeometry, Row};
use session::probing::{Probing, Setup};

/// State of the section.
#[derive(Clone, Debug, Default)]
pub struct ProbingSection {
    setup: Setup,
    /// The document's setup at the last update.
    synced: Setup,
}

impl ProbingSection {
    pub fn show(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let probing = std::sync::Arc::clone(&context.document().probing);
        if self.synced != probing.setup {
            *self = Self { setup: probing.setup.clone(), synced: probing.setup.clone() };
        }
        let heading = RichText::new("Hybrid measurement").heading();
        let header = egui::CollapsingHeader::new(heading).id_salt("hybrid").default_open(!probing.holes.is_empty());
        header.show(ui, |ui| {
            self.holes_to_find(ui, context, &probing);
            if probing.rounds.is_some() {
                cycles(ui, context, &probing);
            }
        });
    }

    fn holes_to_find(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, probing: &Probing) {
        ui.horizontal(|ui| {
            let hint = "Table of nominal holes in the CMM frame, mm: name, x, y, z, axis i, j, k, radius";
            if ui.button("Hole list…").on_hover_text(hint).clicked() {
                context.ask(Action::Browse(Purpose::Machine(Pick::Holes)));
            }
            match &probing.list {
                Some(list) => ui.label(format!("{}: {} holes", list.name, probing.holes.len())),
                None => ui.label(RichText::new("none yet").weak()),
            };
        });
        let setup = &mut self.setup;
        length(ui, "Search radius", &mut setup.search_mm, 0.01..=100.0, "Max. deviation of a hole from nominal");
        super::stylus_radius(ui, &mut setup.probe_radius_mm);
        egui::CollapsingHeader::new("Probing strategy").show(ui, |ui| strategy(ui, setup));
        let has_scan = context.document().actual().is_some();
        let missing = match (probing.holes.is_empty(), has_scan, setup.probe_radius_mm) {
            (true, ..) => Some("Choose a hole list."),
            (_, false, _) => Some("Load a scan in the CMM frame: merge snapshots with the calibration."),
            (.., None) => Some("Enter the stylus tip radius."),
            _ => None,
        };
        let ready = missing.is_none() && !context.is_busy;
        if theme::wide_main_button(ui, ready, "Find holes and plan probing").clicked() {
            let setup = Box::new(self.setup.clone());
            context.send(Probe::Begin(setup));
        }
        if let Some(missing) = missing {
            theme::weak(ui, missing);
        }
    }
}

/// Progress and results of the probing cycles.
fn cycles(ui: &mut Ui, context: &mut PanelContext<'_>, probing: &Probing) {
    let Some(rounds) = &probing.rounds else { return };
    let comparison = rounds.comparison();
    let [_, open, _] = probing.counts();
    ui.label(probing.standing());
    ui.horizontal(|ui| {
        let (text, hint) = if open > 0 {
            ("Save targets…", "Writes targets.csv and program.dmi of the next probing cycle into a folder")
        } else {
            ("Save table…", "Writes table.csv into a folder")
        };
        if ui.add_enabled(!context.is_busy, egui::Button::new(text)).on_hover_text(hint).clicked() {
            context.ask(Action::Browse(Purpose::Machine(Pick::TargetFolder)));
        }
        let hint = "Points probed by the CMM: hole, tip centre or surface point x, y, z in mm, face";
        let load = ui.add_enabled(open > 0 && !context.is_busy, egui::Button::new("Load probed points…"));
        if load.on_hover_text(hint).clicked() {
            context.ask(Action::Browse(Purpose::Machine(Pick::ProbedHoles)));
        }
    });
    table(ui, comparison);
    summary(ui, comparison);
    for note in comparison.rows.iter().filter_map(|row| row.note.as_ref()) {
        ui.add(egui::Label::new(RichText::new(note).color(theme::BAD)).wrap());
    }
    for missing in &probing.missing {
        theme::weak(ui, &missing.reason);
    }
}

fn length(ui: &mut Ui, name: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>, hint: &str) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let drag = NumberField::new(value).speed(0.01).range(range).max_decimals(4).suffix(" mm");
        ui.add(drag).labelled_by(label.id).on_hover_text(hint);
    });
}

/// Fields of the probing strategy.
fn strategy(ui: &mut Ui, setup: &mut Setup) {
    let own = &mut setup.touching;
    let lengths = [
        ("Clearance", &mut own.clearance_mm, "Height of the tip centre above the sheet at the start of an approach"),
        ("Probing depth", &mut own.depth_mm, "Depth of the tip centre below the sheet when it probes the wall"),
        ("Search distance", &mut own.search_mm, "Max. deviation of a hole from its expected position, ±"),
        ("Rim distance", &mut own.beside_mm, "Distance of the points on the sheet from the expected rim"),
        ("Safe plane height", &mut own.safe_above_mm, "Above the highest starting point"),
        ("Convergence limit", &mut setup.convergence.tolerance_mm, "Max. change of the centre between probing cycles"),
    ];
    for (name, value, hint) in lengths {
        length(ui, name, value, 1e-4..=1000.0, hint);
    }
    let counts = [
        ("Points on the sheet", &mut own.sheet_touches, 3..=100),
        ("Points on the wall", &mut own.wall_touches, 4..=100),
        ("Max. probing cycles", &mut setup.convergence.most_rounds, 2..=100),
    ];
    for (name, value, range) in counts {
        ui.horizontal(|ui| {
            let label = ui.label(name);
            ui.add(NumberField::new(value).speed(0.1).range(range)).labelled_by(label.id);
        });
    }
}

/// Nominal, scanned, first probed and converged position of each hole, and the deviations from nominal.
fn table(ui: &mut Ui, comparison: &Comparison) {
    egui::Grid::new("holes").num_columns(6).striped(true).spacing([8.0, 2.0]).show(ui, |ui| {
        for title in ["Hole", "Source", "X", "Y", "R", "Dev."] {
            ui.label(RichText::new(title).family(theme::strong_family()).small());
        }
        ui.end_row();
        for row in &comparison.rows {
            let sources = [
                ("nominal", Some(row.nominal)),
                ("scan", Some(row.scan)),
                ("probe", row.probe),
                ("converged", row.settled()),
            ];
            for (index, (source, geometry)) in sources.into_iter().enumerate() {
                let Some(geometry) = geometry else { continue };
                ui.horizontal(|ui| {
                    if index == 0 {
                        let (colour, status) = light(row);
                        theme::dot(ui, colour).on_hover_text(status);
                        ui.label(RichText::new(&row.name).family(theme::strong_family()).small());
                    }
                });
                cells(ui, source, &geometry, (index > 0).then_some(&row.nominal));
                ui.end_row();
            }
        }
    });
    theme::weak(ui, "In mm, CMM frame. Dev.: lateral distance from nominal.");
}

fn cells(ui: &mut Ui, source: &str, geometry: &HoleGeometry, nominal: Option<&HoleGeometry>) {
    ui.label(RichText::new(source).weak().small());
    for value in [geometry.centre.x, geometry.centre.y, geometry.radius_mm] {
        ui.label(RichText::new(format!("{value:.3}")).small());
    }
    let deviation = nominal.map(|nominal| format!("{:.3}", nominal.lateral(&geometry.centre).norm()));
    ui.label(RichText::new(deviation.unwrap_or_default()).small());
}

fn light(row: &Row) -> (Color32, &'static str) {
    if row.converged {
        (theme::GOOD, "Converged")
    } else if row.is_open() {
        (theme::WARN, "To be probed")
    } else {
        (theme::BAD, "Failed: see below")
    }
}

/// Ranges of the deviations of all converged holes.
fn summary(ui: &mut Ui, comparison: &Comparison) {
    let text = |what: &str, all: &Differences| {
        format!(
            "{what}: up to {:.3} mm along an axis, {:.3} mm laterally; radii {:+.3} to {:+.3} mm ({} holes).",
            all.most_along_axis_mm, all.most_lateral_mm, all.radius_mm[0], all.radius_mm[1], all.holes
        )
    };
    for (what, all) in [("Part against nominal", comparison.part()), ("Scan against probe", comparison.scan())] {
        if all.holes > 0 {
            theme::weak(ui, text(what, &all));
        }
    }
}
