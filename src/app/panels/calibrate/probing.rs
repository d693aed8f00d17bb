//! Hybrid measurement: holes found in the scan are probed by the CMM in cycles until their positions converge.

use egui::{Color32, RichText, Ui};

use super::super::PanelContext;
use super::super::picks::Pick;
use crate::choosing::Purpose;
use crate::lengths::{decimals, length_text, symbol, unit, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::probe::Probe;
use inspect::probing::{Comparison, Differences, HoleGeometry, Row};
use session::probing::{Probing, Setup};
use texts::text;

/// State of the section.
#[derive(Clone, Debug, Default)]
pub struct ProbingSection {
    setup: Setup,
    /// The document's setup at the last update.
    synced: Setup,
    /// The hole that was chosen in the view, until the table is open and has led there.
    sought: Option<String>,
}

impl ProbingSection {
    pub fn show(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let probing = std::sync::Arc::clone(&context.document().probing);
        if self.synced != probing.setup {
            (self.setup, self.synced) = (probing.setup.clone(), probing.setup.clone());
        }
        let heading = RichText::new(text!("calibrate-hybrid")).heading();
        let header = egui::CollapsingHeader::new(heading).id_salt("hybrid").default_open(!probing.holes.is_empty());
        let sought = self.sought.clone();
        let shown = header.open(sought.as_ref().map(|_| true)).show(ui, |ui| {
            self.holes_to_find(ui, context, &probing);
            if probing.rounds.is_some() {
                cycles(ui, context, &probing, sought.as_deref());
            }
        });
        if shown.openness >= 1.0 {
            self.sought = None;
        }
    }

    /// Opens the table of holes at this one.
    pub fn lead_to(&mut self, name: &str) {
        self.sought = Some(name.to_owned());
    }

    fn holes_to_find(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, probing: &Probing) {
        ui.horizontal(|ui| {
            let hint = text!("calibrate-holes-hint");
            if ui.button(text!("calibrate-holes-open")).on_hover_text(hint).clicked() {
                context.ask(Action::Browse(Purpose::Machine(Pick::Holes)));
            }
            match &probing.list {
                Some(list) => {
                    ui.label(text!("calibrate-hole-list", name = list.name.as_str(), count = probing.holes.len()))
                }
                None => ui.label(RichText::new(text!("calibrate-none-yet")).weak()),
            };
        });
        let setup = &mut self.setup;
        let (name, hint) = (text!("calibrate-search-radius"), text!("calibrate-search-radius-hint"));
        length(ui, name, &mut setup.search_mm, 0.01..=100.0, hint);
        super::stylus_radius(ui, &mut setup.probe_radius_mm);
        egui::CollapsingHeader::new(text!("calibrate-strategy")).show(ui, |ui| strategy(ui, setup));
        let has_scan = context.document().actual().is_some();
        let missing = match (probing.holes.is_empty(), has_scan, setup.probe_radius_mm) {
            (true, ..) => Some(text!("calibrate-missing-holes")),
            (_, false, _) => Some(text!("calibrate-missing-scan")),
            (.., None) => Some(text!("calibrate-missing-radius")),
            _ => None,
        };
        let ready = missing.is_none() && !context.is_busy;
        if theme::wide_main_button(ui, ready, text!("calibrate-plan")).clicked() {
            let setup = Box::new(self.setup.clone());
            context.send(Probe::Begin(setup));
        }
        if let Some(missing) = missing {
            theme::weak(ui, missing);
        }
    }
}

/// Progress and results of the probing cycles; scrolls to the hole that is sought.
fn cycles(ui: &mut Ui, context: &mut PanelContext<'_>, probing: &Probing, sought: Option<&str>) {
    let Some(rounds) = &probing.rounds else { return };
    let comparison = rounds.comparison();
    let [_, open, _] = probing.counts();
    ui.label(probing.standing());
    ui.horizontal(|ui| {
        let (text, hint) = if open > 0 {
            (text!("calibrate-targets-save"), text!("calibrate-targets-save-hint"))
        } else {
            (text!("calibrate-table-save"), text!("calibrate-table-save-hint"))
        };
        if ui.add_enabled(!context.is_busy, egui::Button::new(text)).on_hover_text(hint).clicked() {
            context.ask(Action::Browse(Purpose::Machine(Pick::TargetFolder)));
        }
        let hint = text!("calibrate-probed-holes-hint");
        let load = ui.add_enabled(open > 0 && !context.is_busy, egui::Button::new(text!("calibrate-probed-holes")));
        if load.on_hover_text(hint).clicked() {
            context.ask(Action::Browse(Purpose::Machine(Pick::ProbedHoles)));
        }
    });
    table(ui, comparison, sought);
    summary(ui, comparison);
    for note in comparison.rows.iter().filter_map(|row| row.note.as_ref()) {
        ui.add(egui::Label::new(RichText::new(note).color(theme::BAD)).wrap());
    }
    for missing in &probing.missing {
        theme::weak(ui, texts::word(&missing.reason));
    }
}

fn length(ui: &mut Ui, name: String, value: &mut f64, range: std::ops::RangeInclusive<f64>, hint: String) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let drag = NumberField::new(value).speed(0.01).range(range).max_decimals(4).unit("mm");
        ui.add(drag).labelled_by(label.id).on_hover_text(hint);
    });
}

/// Fields of the probing strategy.
fn strategy(ui: &mut Ui, setup: &mut Setup) {
    let own = &mut setup.touching;
    let lengths = [
        (text!("calibrate-clearance"), &mut own.clearance_mm, text!("calibrate-clearance-hint")),
        (text!("calibrate-depth"), &mut own.depth_mm, text!("calibrate-depth-hint")),
        (text!("calibrate-search-distance"), &mut own.search_mm, text!("calibrate-search-distance-hint")),
        (text!("calibrate-rim"), &mut own.beside_mm, text!("calibrate-rim-hint")),
        (text!("calibrate-safe-plane"), &mut own.safe_above_mm, text!("calibrate-safe-plane-hint")),
        (text!("calibrate-convergence"), &mut setup.convergence.tolerance_mm, text!("calibrate-convergence-hint")),
    ];
    for (name, value, hint) in lengths {
        length(ui, name, value, 1e-4..=1000.0, hint);
    }
    let counts = [
        (text!("calibrate-sheet-points"), &mut own.sheet_touches, 3..=100),
        (text!("calibrate-wall-points"), &mut own.wall_touches, 4..=100),
        (text!("calibrate-cycles"), &mut setup.convergence.most_rounds, 2..=100),
    ];
    for (name, value, range) in counts {
        ui.horizontal(|ui| {
            let label = ui.label(name);
            ui.add(NumberField::new(value).speed(0.1).range(range)).labelled_by(label.id);
        });
    }
}

/// Nominal, scanned, first probed and converged position of each hole, and the deviations from nominal.
fn table(ui: &mut Ui, comparison: &Comparison, sought: Option<&str>) {
    egui::Grid::new("holes").num_columns(6).striped(true).spacing([8.0, 2.0]).show(ui, |ui| {
        let (hole, source) = (text!("calibrate-hole"), text!("calibrate-source"));
        let [x, y, radius] = ["X", "Y", "R"].map(str::to_owned);
        for title in [hole, source, x, y, radius, text!("calibrate-dev")] {
            ui.label(RichText::new(title).family(theme::strong_family()).small());
        }
        ui.end_row();
        let sources = [
            text!("calibrate-source-nominal"),
            text!("calibrate-source-scan"),
            text!("calibrate-source-probe"),
            text!("calibrate-source-converged"),
        ];
        for row in &comparison.rows {
            let geometries = [Some(row.nominal), Some(row.scan), row.probe, row.settled()];
            for (index, (source, geometry)) in sources.iter().zip(geometries).enumerate() {
                let Some(geometry) = geometry else { continue };
                ui.horizontal(|ui| {
                    if index == 0 {
                        if sought == Some(row.name.as_str()) {
                            ui.scroll_to_cursor(Some(egui::Align::Center));
                        }
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
    theme::weak(ui, text!("calibrate-table-note", unit = symbol()));
}

fn cells(ui: &mut Ui, source: &str, geometry: &HoleGeometry, nominal: Option<&HoleGeometry>) {
    ui.label(RichText::new(source).weak().small());
    for value in [geometry.centre.x, geometry.centre.y, geometry.radius_mm] {
        ui.label(RichText::new(length_text(value, 3)).small());
    }
    let deviation = nominal.map(|nominal| length_text(nominal.lateral(&geometry.centre).norm(), 3));
    ui.label(RichText::new(deviation.unwrap_or_default()).small());
}

fn light(row: &Row) -> (Color32, String) {
    if row.converged {
        (theme::GOOD, text!("calibrate-hole-converged"))
    } else if row.is_open() {
        (theme::WARN, text!("calibrate-hole-open"))
    } else {
        (theme::BAD, text!("calibrate-hole-failed"))
    }
}

/// Ranges of the deviations of all converged holes.
fn summary(ui: &mut Ui, comparison: &Comparison) {
    let radius = |mm: f64| format!("{:+.*}", decimals(3), unit().from_mm(mm));
    let text = |what: String, all: &Differences| {
        text!(
            "calibrate-differences",
            what = what,
            axis = with_unit(length_text(all.most_along_axis_mm, 3)),
            lateral = with_unit(length_text(all.most_lateral_mm, 3)),
            least = radius(all.radius_mm[0]),
            most = with_unit(radius(all.radius_mm[1])),
            count = all.holes
        )
    };
    let (part, scan) = (text!("calibrate-part-differences"), text!("calibrate-scan-differences"));
    for (what, all) in [(part, comparison.part()), (scan, comparison.scan())] {
        if all.holes > 0 {
            theme::weak(ui, text(what, &all));
        }
    }
}
