//! Window for a series of parts: files to be measured with a plan, table of parts and checks, trend of a value.

mod trend;

use std::path::PathBuf;
use std::sync::Arc;

use egui::{RichText, Ui};

use super::PanelContext;
use super::picks::Pick;
use crate::choosing::Purpose;
use crate::{Action, lengths, theme};
use compute::Backend;
use dispatch::{Inspect, LIST_OF_FOUND, PLAN_OF_FOUND, Reports, Series};
use inspect::deviation::Verdict;
use report::series::{Trend, trends};
use session::series::{ElementRecord, PartRecord};
use session::{Document, DocumentState};
use texts::text;

/// State of the window.
#[derive(Default)]
pub struct SeriesWindow {
    /// Whether the window is shown.
    pub is_open: bool,
    /// Path of the plan, as typed.
    plan: String,
    /// Path of the folder of scans or of the list, as typed.
    parts: String,
    /// Folder for the results, as typed.
    folder: String,
    /// The parts that get a report.
    reports: Reports,
    /// Element and value shown in the chart.
    chosen: Option<(String, String)>,
    /// Records shown, with their statistics.
    shown: Option<(Arc<Vec<PartRecord>>, Vec<Trend>)>,
    /// Source of the parts shown.
    source: Source,
    /// The parts of the current inspection.
    stages: Option<StageRecords>,
}

/// Records of the parts of an inspection, and what they were made of. They are in English whatever the language, and their
/// decimals are settings of the document.
struct StageRecords {
    state: DocumentState,
    backend: Arc<dyn Backend>,
    records: Arc<Vec<PartRecord>>,
}

/// Source of the parts shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Parts measured from files with a plan.
    #[default]
    Series,
    /// Parts of the current inspection.
    Stages,
}

/// Width of the path fields, screen points.
const FIELD_WIDTH: f32 = 520.0;
/// Width of the column of names, screen points.
const NAME_WIDTH: f32 = 150.0;
/// Width of the column of a check, screen points.
const CHECK_WIDTH: f32 = 150.0;

impl SeriesWindow {
    /// Shows the window with the parts of `source`.
    pub fn open(&mut self, source: Source) {
        (self.is_open, self.source, self.chosen) = (true, source, None);
    }

    /// Shows the window for parts found in a scene that are being measured into a folder.
    pub fn follow_found(&mut self, folder: &std::path::Path) {
        self.open(Source::Series);
        let text = |path: PathBuf| path.display().to_string();
        (self.plan, self.parts) = (text(folder.join(PLAN_OF_FOUND)), text(folder.join(LIST_OF_FOUND)));
        self.folder = text(folder.to_owned());
    }

    /// The parts of the current inspection; `None` if their records cannot be made.
    fn stage_records(&mut self, document: &Document, backend: &Arc<dyn Backend>) -> Option<Arc<Vec<PartRecord>>> {
        let state = document.current_state();
        let is_of_now = |own: &StageRecords| own.state == state && Arc::ptr_eq(&own.backend, backend);
        if !self.stages.as_ref().is_some_and(is_of_now) {
            let records = Arc::new(document.records(backend.as_ref()).ok()?);
            self.stages = Some(StageRecords { state, backend: Arc::clone(backend), records });
        }
        self.stages.as_ref().map(|own| Arc::clone(&own.records))
    }

    /// Draws the window over the other panels.
    pub fn show(&mut self, egui: &egui::Context, context: &mut PanelContext<'_>) {
        if !self.is_open {
            return;
        }
        let dispatcher = context.dispatcher;
        let (title, records) = match self.source {
            Source::Series => {
                let records = dispatcher.document.series.as_ref().map(|own| Arc::clone(&own.records));
                (text!("series-title"), records)
            }
            Source::Stages => {
                let records = self.stage_records(&dispatcher.document, &dispatcher.context.backend);
                (text!("series-title-measured"), records)
            }
        };
        let mut is_open = self.is_open;
        let area = egui.content_rect();
        egui::Window::new(title)
            .open(&mut is_open)
            .collapsible(false)
            .default_size([(area.width() - 80.0).min(860.0), (area.height() - 120.0).min(620.0)])
            .default_pos([40.0, 60.0])
            .constrain_to(area)
            .show(egui, |ui| {
                if self.source == Source::Series {
                    self.inputs(ui, context);
                }
                let Some(records) = &records else {
                    theme::weak(ui, text!("series-about"));
                    return;
                };
                if self.shown.as_ref().is_none_or(|(shown, _)| !Arc::ptr_eq(shown, records)) {
                    self.shown = Some((Arc::clone(records), trends(records)));
                }
                ui.separator();
                let part = table(ui, records, &mut self.chosen);
                match (part.filter(|_| !context.is_busy), self.source) {
                    (Some(index), Source::Stages) => context.send(Inspect::ShowPart(index)),
                    (Some(index), Source::Series) => context.ask(Action::OpenSeries(index)),
                    (None, _) => {}
                }
                let Some((_, trends)) = &self.shown else { return };
                ui.separator();
                trend::section(ui, records, trends, &mut self.chosen);
            });
        self.is_open = is_open;
    }

    /// Fields for plan, parts and results, and the button to measure.
    fn inputs(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        egui::Grid::new("series orders").num_columns(3).spacing([10.0, 6.0]).show(ui, |ui| {
            let fields = [
                (
                    [text!("series-plan"), text!("series-plan-hint"), text!("series-plan-choose")],
                    &mut self.plan,
                    Pick::SeriesPlan,
                ),
                (
                    [text!("series-parts"), text!("series-parts-hint"), text!("series-parts-choose")],
                    &mut self.parts,
                    Pick::SeriesParts,
                ),
                (
                    [text!("series-results"), text!("series-results-hint"), text!("series-results-choose")],
                    &mut self.folder,
                    Pick::SeriesFolder,
                ),
            ];
            for ([name, hint, choose], path, pick) in fields {
                let label = ui.label(name);
                let field = egui::TextEdit::singleline(path).hint_text(hint);
                ui.add_sized(egui::vec2(FIELD_WIDTH, ui.spacing().interact_size.y), field).labelled_by(label.id);
                let button = ui.button(text!("series-choose"));
                super::named(&button, &choose);
                if button.clicked() {
                    context.ask(Action::Browse(Purpose::Machine(pick)));
                }
                ui.end_row();
            }
            let label = ui.label(text!("series-reports"));
            let shown = texts::word(self.reports.name());
            let combo = egui::ComboBox::from_id_salt("reports").selected_text(shown).width(190.0);
            let combo = combo.show_ui(ui, |ui| {
                for choice in Reports::ALL {
                    ui.selectable_value(&mut self.reports, choice, texts::word(choice.name()));
                }
            });
            combo.response.labelled_by(label.id);
            ui.end_row();
        });
        let is_busy = context.is_busy;
        let is_ready = [&self.plan, &self.parts, &self.folder].iter().all(|text| !text.trim().is_empty());
        ui.horizontal(|ui| {
            let is_free = is_ready && !is_busy;
            let button = ui.add_enabled(is_free, theme::main_button(text!("series-measure"), is_free));
            if button.on_disabled_hover_text(text!("series-measure-hint")).clicked() {
                let path = |text: &str| PathBuf::from(text.trim());
                context.send(Series {
                    plan: path(&self.plan),
                    parts: path(&self.parts),
                    folder: path(&self.folder),
                    reports: self.reports,
                });
            }
            theme::weak(ui, text!("series-measured-before"));
        });
    }

    /// Uses the chosen path. The default folder for the results is beside the plan.
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

/// Table with a row per part and a column per check; only visible rows are drawn. Returns the index of a clicked part.
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
            cell(ui, NAME_WIDTH, &mut |ui| title(ui, &text!("series-part")));
            cell(ui, CHECK_WIDTH, &mut |ui| title(ui, &text!("series-verdict")));
            for check in &checks {
                cell(ui, CHECK_WIDTH, &mut |ui| title(ui, &check.name));
            }
        });
        let rows = egui::ScrollArea::vertical().id_salt("series rows").max_height(220.0).auto_shrink([false, true]);
        rows.show_rows(ui, height, records.len(), |ui, range| {
            for (index, record) in range.clone().zip(records.get(range).unwrap_or_default()) {
                ui.horizontal(|ui| {
                    cell(ui, NAME_WIDTH, &mut |ui| {
                        let name = egui::Label::new(&record.part).truncate().sense(egui::Sense::click());
                        let name = ui.add(name).on_hover_text(text!("series-open-part"));
                        part = name.clicked().then_some(index).or(part);
                    });
                    cell(ui, CHECK_WIDTH, &mut |ui| {
                        theme::dot(ui, colour(record.verdict));
                        let words = match (&record.error, record.verdict) {
                            (Some(_), _) => text!("series-not-measured"),
                            (None, Some(verdict)) => texts::word(verdict.name()).into_owned(),
                            (None, None) => text!("series-no-verdict"),
                        };
                        let hint = texts::word(record.error.as_ref().unwrap_or(&record.headline));
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
        ui.add(egui::Label::new(text!("series-not-computed")).truncate()).on_hover_text(texts::word(&own.sentence));
        return;
    };
    let digits = lengths::decimals_of(&figure.unit, 3, 3);
    let text = format!("{:.digits$} {}", lengths::figure(value, &figure.unit), lengths::unit_of(&figure.unit));
    let label = egui::Label::new(text).sense(egui::Sense::click()).truncate();
    let hint = format!("{}: {}\n{}", own.name, texts::word(&figure.name), texts::word(&own.sentence));
    if ui.add(label).on_hover_text(hint).clicked() {
        *chosen = Some((own.name.clone(), figure.name.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use compute::cpu::Cpu;
    use session::pipeline::Results;

    #[test]
    fn records_follow_what_is_judged_again_and_the_device() {
        let (mut document, mut window) = (Document::default(), SeriesWindow::default());
        let backend: Arc<dyn Backend> = Arc::new(Cpu);
        let mut of = |document: &Document, backend: &Arc<dyn Backend>| window.stage_records(document, backend).unwrap();
        let first = of(&document, &backend);
        assert!(Arc::ptr_eq(&first, &of(&document, &backend)), "made once while nothing changes");
        // What was judged again has no revision of its own.
        document.stages.shown_mut().results = Results::default();
        let judged = of(&document, &backend);
        assert!(!Arc::ptr_eq(&first, &judged));
        document.revision += 1;
        let changed = of(&document, &backend);
        assert!(!Arc::ptr_eq(&judged, &changed));
        let other: Arc<dyn Backend> = Arc::new(Cpu);
        assert!(!Arc::ptr_eq(&changed, &of(&document, &other)), "another device is named in them");
    }
}
