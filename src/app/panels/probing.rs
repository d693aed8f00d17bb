//! Hybrid measuring: holes that the scan shows, touched by the machine's probe until they stand still.

use egui::{Color32, RichText, Ui};

use super::super::choosing::Purpose;
use super::super::{Action, App, theme};
use super::picks::Pick;
use crate::number_field::NumberField;
use dispatch::probe::Probe;
use inspect::probing::{Comparison, Differences, Place, Row};
use session::probing::{Probing, Setup};

/// What the section remembers between frames.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    setup: Setup,
    /// The document's, as it was last followed.
    seen: Setup,
}

impl App {
    pub(super) fn probing_section(&mut self, ui: &mut Ui) {
        let probing = std::sync::Arc::clone(&self.dispatcher.document.probing);
        if self.probing.seen != probing.setup {
            self.probing = Draft { setup: probing.setup.clone(), seen: probing.setup.clone() };
        }
        let heading = RichText::new("Hybrid measuring").heading();
        let header = egui::CollapsingHeader::new(heading).id_salt("hybrid").default_open(!probing.holes.is_empty());
        header.show(ui, |ui| {
            self.holes_to_find(ui, &probing);
            if probing.rounds.is_some() {
                self.rounds(ui, &probing);
            }
        });
    }

    fn holes_to_find(&mut self, ui: &mut Ui, probing: &Probing) {
        ui.horizontal(|ui| {
            let hint = "A table of the holes by their drawing, in the axes of the CMM, mm: name, x, y, z, axis i, j, k, \
                        radius";
            if ui.button("Hole list…").on_hover_text(hint).clicked() {
                self.actions.push(Action::Browse(Purpose::Machine(Pick::Holes)));
            }
            match &probing.list {
                Some(list) => ui.label(format!("{}: {} holes", list.name, probing.holes.len())),
                None => ui.label(RichText::new("none yet").weak()),
            };
        });
        let setup = &mut self.probing.setup;
        figure(ui, "Search radius", &mut setup.search_mm, 0.01..=100.0, "How far from its place a hole may lie");
        ui.horizontal(|ui| {
            let label = ui.label("Ball radius");
            let mut radius = setup.probe_radius_mm.unwrap_or_default();
            let drag = NumberField::new(&mut radius).speed(0.01).range(0.0..=100.0).max_decimals(4).suffix(" mm");
            let drag =
                if setup.probe_radius_mm.is_some() { drag } else { drag.custom_formatter(|_, _| "not set".into()) };
            if ui.add(drag).labelled_by(label.id).changed() {
                setup.probe_radius_mm = Some(radius);
            }
        });
        egui::CollapsingHeader::new("How holes are touched").show(ui, |ui| touching(ui, setup));
        let has_scan = self.dispatcher.document.actual().is_some();
        let missing = match (probing.holes.is_empty(), has_scan, setup.probe_radius_mm) {
            (true, ..) => Some("Choose a list of holes."),
            (_, false, _) => Some("Load a scan in the axes of the CMM: merge snapshots by the calibration."),
            (.., None) => Some("Say the radius of the probe's ball."),
            _ => None,
        };
        let ready = missing.is_none() && !self.is_busy();
        if theme::wide_main_button(ui, ready, "Find holes and plan").clicked() {
            let setup = Box::new(self.probing.setup.clone());
            self.send(Probe::Begin(setup));
        }
        if let Some(missing) = missing {
            theme::weak(ui, missing);
        }
    }

    fn rounds(&mut self, ui: &mut Ui, probing: &Probing) {
        let Some(rounds) = &probing.rounds else { return };
        let comparison = rounds.comparison();
        let [_, open, _] = probing.counts();
        ui.label(probing.standing());
        ui.horizontal(|ui| {
            let (text, hint) = if open > 0 {
                ("Save targets…", "Writes targets.csv and program.dmi of the next round into a folder")
            } else {
                ("Save table…", "Writes table.csv into a folder")
            };
            if ui.add_enabled(!self.is_busy(), egui::Button::new(text)).on_hover_text(hint).clicked() {
                self.actions.push(Action::Browse(Purpose::Machine(Pick::TargetFolder)));
            }
            let hint = "What the machine touched: hole, ball or surface x, y, z in mm, face";
            let take = ui.add_enabled(open > 0 && !self.is_busy(), egui::Button::new("Take touches…"));
            if take.on_hover_text(hint).clicked() {
                self.actions.push(Action::Browse(Purpose::Machine(Pick::TouchedHoles)));
            }
        });
        table(ui, comparison);
        amounts(ui, comparison);
        for note in comparison.rows.iter().filter_map(|row| row.note.as_ref()) {
            ui.add(egui::Label::new(RichText::new(note).color(theme::BAD)).wrap());
        }
        for missing in &probing.missing {
            theme::weak(ui, &missing.reason);
        }
    }
}

fn figure(ui: &mut Ui, name: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>, hint: &str) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let drag = NumberField::new(value).speed(0.01).range(range).max_decimals(4).suffix(" mm");
        ui.add(drag).labelled_by(label.id).on_hover_text(hint);
    });
}

fn touching(ui: &mut Ui, setup: &mut Setup) {
    let own = &mut setup.touching;
    let figures = [
        ("Clearance", &mut own.clearance_mm, "Height of the ball above the sheet where it comes from"),
        ("Depth in the hole", &mut own.depth_mm, "Of the ball's centre when it touches the wall"),
        ("Search of a touch", &mut own.search_mm, "How far a hole may be from where a touch expects it, either way"),
        ("Beside the rim", &mut own.beside_mm, "Distance of the sheet's touches from the expected rim"),
        ("Safe plane above", &mut own.safe_above_mm, "Above the highest place that the ball comes from"),
        ("Converged below", &mut setup.convergence.tolerance_mm, "How far a middle may still move from round to round"),
    ];
    for (name, value, hint) in figures {
        figure(ui, name, value, 1e-4..=1000.0, hint);
    }
    let counts = [
        ("Touches of the sheet", &mut own.sheet_touches, 3..=100),
        ("Touches of the wall", &mut own.wall_touches, 4..=100),
        ("Rounds at most", &mut setup.convergence.most_rounds, 2..=100),
    ];
    for (name, value, range) in counts {
        ui.horizontal(|ui| {
            let label = ui.label(name);
            ui.add(NumberField::new(value).speed(0.1).range(range)).labelled_by(label.id);
        });
    }
}

/// Where the drawing, the scan, the first touches and the last have each hole, and how far off its drawing that is.
fn table(ui: &mut Ui, comparison: &Comparison) {
    egui::Grid::new("holes").num_columns(6).striped(true).spacing([8.0, 2.0]).show(ui, |ui| {
        for title in ["Hole", "by", "X", "Y", "R", "off"] {
            ui.label(RichText::new(title).family(theme::strong_family()).small());
        }
        ui.end_row();
        for row in &comparison.rows {
            let sources = [
                ("drawing", Some(row.nominal)),
                ("scan", Some(row.scan)),
                ("probe", row.probe),
                ("converged", row.settled()),
            ];
            for (number, (source, place)) in sources.into_iter().enumerate() {
                let Some(place) = place else { continue };
                ui.horizontal(|ui| {
                    if number == 0 {
                        let (colour, words) = light(row);
                        theme::dot(ui, colour).on_hover_text(words);
                        ui.label(RichText::new(&row.name).family(theme::strong_family()).small());
                    }
                });
                cells(ui, source, &place, (number > 0).then_some(&row.nominal));
                ui.end_row();
            }
        }
    });
    theme::weak(ui, "In mm, axes of the CMM; off: lateral distance from the drawing.");
}

fn cells(ui: &mut Ui, source: &str, place: &Place, nominal: Option<&Place>) {
    ui.label(RichText::new(source).weak().small());
    for value in [place.centre.x, place.centre.y, place.radius_mm] {
        ui.label(RichText::new(format!("{value:.3}")).small());
    }
    let off = nominal.map(|nominal| format!("{:.3}", nominal.lateral(&place.centre).norm()));
    ui.label(RichText::new(off.unwrap_or_default()).small());
}

fn light(row: &Row) -> (Color32, &'static str) {
    if row.converged {
        (theme::GOOD, "Converged")
    } else if row.is_open() {
        (theme::WARN, "Still to be touched")
    } else {
        (theme::BAD, "Went wrong: see below")
    }
}

/// What all holes together amount to, once some have converged.
fn amounts(ui: &mut Ui, comparison: &Comparison) {
    let amount = |what: &str, all: &Differences| {
        format!(
            "{what}: up to {:.3} mm along an axis, {:.3} mm laterally; radii {:+.3} to {:+.3} mm ({} holes).",
            all.most_along_axis_mm, all.most_lateral_mm, all.radius_mm[0], all.radius_mm[1], all.holes
        )
    };
    for (what, all) in [("Part off its drawing", comparison.part()), ("Scan off the probe", comparison.scan())] {
        if all.holes > 0 {
            theme::weak(ui, amount(what, &all));
        }
    }
}
