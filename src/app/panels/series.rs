//! Many parts by one plan: what is to be measured, the table of parts and checks, and what a value does over the parts.

mod trend;

use std::path::PathBuf;
use std::sync::Arc;

use egui::{RichText, Ui};

use super::super::choosing::Purpose;
use super::super::{Action, theme};
use super::picks::Pick;
use dispatch::{Dispatcher, Inspect, Series};
use inspect::deviation::Verdict;
use report::series::{Trend, trends};
use session::series::{ElementRecord, PartRecord};

/// The window; draws itself and says what is to be done.
#[derive(Default)]
pub struct SeriesWindow {
    /// Whether it is shown.
    pub is_open: bool,
    /// The plan's file, as it is typed.
    plan: String,
    /// The folder of scans or the list, as it is typed.
    parts: String,
    folder: String,
    /// Element and value that the chart shows.
    chosen: Option<(String, String)>,
    /// What was last made of the records that are shown.
    shown: Option<(Arc<Vec<PartRecord>>, Vec<Trend>)>,
    /// Whose parts are shown.
    source: Source,
    /// The parts of the inspection, in that state of it.
    stages: Option<(u64, Arc<Vec<PartRecord>>)>,
}

/// Whose parts the window shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Those measured by a plan from files.
    #[default]
    Series,
    /// Those of the inspection.
    Stages,
}

/// Width of the fields of paths, in points.
const FIELD_WIDTH: f32 = 520.0;
/// Width of the column of names, and of each check, in points.
const NAME_WIDTH: f32 = 150.0;
const CHECK_WIDTH: f32 = 150.0;

impl SeriesWindow {
    /// Opens it on those parts.
    pub fn open(&mut self, source: Source) {
        (self.is_open, self.source, self.chosen) = (true, source, None);
    }

    /// The parts of the inspection.
    fn of_stages(&mut self, dispatcher: &Dispatcher) -> Option<Arc<Vec<PartRecord>>> {
        let document = &dispatcher.document;
        if self.stages.as_ref().is_none_or(|(revision, _)| *revision != document.revision) {
            let records = document.records(dispatcher.context.backend.as_ref()).ok()?;
            self.stages = Some((document.revision, Arc::new(records)));
        }
        self.stages.as_ref().map(|(_, records)| Arc::clone(records))
    }

    /// Draws it over the other panels.
    pub fn show(&mut self, context: &egui::Context, dispatcher: &Dispatcher, is_busy: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        if !self.is_open {
            return actions;
        }
        let (title, records) = match self.source {
            Source::Series => ("Measure parts by a plan", dispatcher.document.series.clone()),
            Source::Stages => ("Parts measured so far", self.of_stages(dispatcher)),
        };
        let mut is_open = self.is_open;
        let area = context.content_rect();
        egui::Window::new(title)
            .open(&mut is_open)
            .collapsible(false)
            .default_size([(area.width() - 80.0).min(860.0), (area.height() - 120.0).min(620.0)])
            .default_pos([40.0, 60.0])
            .constrain_to(area)
            .show(context, |ui| {
                if self.source == Source::Series {
                    self.orders(ui, is_busy, &mut actions);
                }
                let Some(records) = &records else {
                    theme::weak(
                        ui,
                        "A plan is saved from an inspection: File, Save plan for other parts… Every part then goes \
                         through the same alignment, comparison, features and tolerances.",
                    );
                    return;
                };
                if self.shown.as_ref().is_none_or(|(shown, _)| !Arc::ptr_eq(shown, records)) {
                    self.shown = Some((Arc::clone(records), trends(records)));
                }
                ui.separator();
                let part = table(ui, records, &mut self.chosen);
                if let Some(number) = part.filter(|_| self.source == Source::Stages && !is_busy) {
                    actions.push(Action::Send(Box::new(Inspect::ShowPart(number).into())));
                }
                let Some((_, trends)) = &self.shown else { return };
                ui.separator();
                trend::section(ui, records, trends, &mut self.chosen);
            });
        self.is_open = is_open;
        actions
    }

    fn orders(&mut self, ui: &mut Ui, is_busy: bool, actions: &mut Vec<Action>) {
        egui::Grid::new("series orders").num_columns(3).spacing([10.0, 6.0]).show(ui, |ui| {
            let fields = [
                ("Plan", "an inspection plan (.sgplan)", &mut self.plan, Pick::SeriesPlan),
                ("Parts", "a folder of scans, or a list", &mut self.parts, Pick::SeriesParts),
                ("Results", "a folder of their own", &mut self.folder, Pick::SeriesFolder),
            ];
            for (name, hint, text, pick) in fields {
                let label = ui.label(name);
                let field = egui::TextEdit::singleline(text).hint_text(hint);
                ui.add_sized(egui::vec2(FIELD_WIDTH, ui.spacing().interact_size.y), field).labelled_by(label.id);
                let button = ui.button("Choose…");
                super::named(&button, &format!("Choose {}…", name.to_lowercase()));
                if button.clicked() {
                    actions.push(Action::Browse(Purpose::Machine(pick)));
                }
                ui.end_row();
            }
        });
        let is_ready = [&self.plan, &self.parts, &self.folder].iter().all(|text| !text.trim().is_empty());
        ui.horizontal(|ui| {
            let button =
                ui.add_enabled(is_ready && !is_busy, theme::main_button("Measure the parts", is_ready && !is_busy));
            if button.on_disabled_hover_text("Name plan, parts and results first").clicked() {
                let path = |text: &str| PathBuf::from(text.trim());
                let series = Series { plan: path(&self.plan), parts: path(&self.parts), folder: path(&self.folder) };
                actions.push(Action::Send(Box::new(series.into())));
            }
            theme::weak(ui, "Parts that were measured by the same plan before are taken over from the results.");
        });
    }

    /// Takes over what was chosen; results go beside the plan until a folder is named.
    pub fn take(&mut self, pick: Pick, path: &std::path::Path) {
        let text = path.display().to_string();
        match pick {
            Pick::SeriesPlan => {
                if self.folder.trim().is_empty() {
                    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                    self.folder = path.with_file_name(format!("{stem}-results")).display().to_string();
                }
                self.plan = text;
            }
            Pick::SeriesParts => self.parts = text,
            _ => self.folder = text,
        }
    }
}

pub(super) fn colour(verdict: Option<Verdict>) -> egui::Color32 {
    verdict.map_or(egui::Color32::GRAY, super::compare::verdict_colour)
}

/// A row a part, a column a check; rows out of view cost nothing. The number of the part that was clicked.
fn table(ui: &mut Ui, records: &[PartRecord], chosen: &mut Option<(String, String)>) -> Option<usize> {
    let mut part = None;
    let checks: Vec<&ElementRecord> = records
        .iter()
        .find(|record| !record.elements.is_empty())
        .map(|record| record.elements.iter().filter(|element| element.is_check).collect())
        .unwrap_or_default();
    let height = ui.text_style_height(&egui::TextStyle::Body) + 6.0;
    let cell = |ui: &mut Ui, width: f32, add: &mut dyn FnMut(&mut Ui)| {
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(egui::vec2(width, height), layout, |ui| {
            ui.set_width(width);
            add(ui);
        });
    };
    let title = |ui: &mut Ui, text: &str| {
        let text = RichText::new(text).family(theme::strong_family());
        ui.add(egui::Label::new(text).truncate());
    };
    egui::ScrollArea::horizontal().id_salt("series table").show(ui, |ui| {
        ui.horizontal(|ui| {
            cell(ui, NAME_WIDTH, &mut |ui| title(ui, "Part"));
            cell(ui, CHECK_WIDTH, &mut |ui| title(ui, "Verdict"));
            for check in &checks {
                cell(ui, CHECK_WIDTH, &mut |ui| title(ui, &check.name));
            }
        });
        let rows = egui::ScrollArea::vertical().id_salt("series rows").max_height(220.0).auto_shrink([false, true]);
        rows.show_rows(ui, height, records.len(), |ui, range| {
            for (number, record) in range.clone().zip(records.get(range).unwrap_or_default()) {
                ui.horizontal(|ui| {
                    cell(ui, NAME_WIDTH, &mut |ui| {
                        let name = egui::Label::new(&record.part).truncate().sense(egui::Sense::click());
                        part = ui.add(name).clicked().then_some(number).or(part);
                    });
                    cell(ui, CHECK_WIDTH, &mut |ui| {
                        theme::dot(ui, colour(record.verdict));
                        let words = match (&record.error, record.verdict) {
                            (Some(_), _) => "not measured",
                            (None, Some(verdict)) => verdict.name(),
                            (None, None) => "not judged",
                        };
                        let hint = record.error.as_ref().unwrap_or(&record.headline);
                        ui.add(egui::Label::new(words).truncate()).on_hover_text(hint);
                    });
                    for check in &checks {
                        let own = record.elements.iter().find(|own| own.id == check.id);
                        cell(ui, CHECK_WIDTH, &mut |ui| check_cell(ui, own, chosen));
                    }
                });
            }
        });
    });
    part
}

fn check_cell(ui: &mut Ui, own: Option<&ElementRecord>, chosen: &mut Option<(String, String)>) {
    let Some(own) = own else {
        ui.label("–");
        return;
    };
    theme::dot(ui, colour(own.verdict));
    let Some((figure, value)) = own.figures.first().and_then(|figure| Some((figure, figure.value?))) else {
        ui.add(egui::Label::new("not made").truncate()).on_hover_text(&own.sentence);
        return;
    };
    let words = format!("{value:.3} {}", figure.unit);
    let label = egui::Label::new(words).sense(egui::Sense::click()).truncate();
    if ui.add(label).on_hover_text(format!("{}: {}\n{}", own.name, figure.name, own.sentence)).clicked() {
        *chosen = Some((own.name.clone(), figure.name.clone()));
    }
}
