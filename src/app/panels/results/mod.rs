//! Table of results at the bottom: each characteristic of features and checks, sorted and filtered, copied and saved.

mod lines;
mod table;

use super::{PanelContext, elements, named};
use crate::choosing::Purpose;
use crate::viewport::Spot;
use crate::{Action, theme};
use lines::{Filter, Line, Lines};
use texts::text;

/// Height of the table, and the least one, points.
const HEIGHT: f32 = 260.0;
const MIN_HEIGHT: f32 = 130.0;
/// Most of the window that it may take.
const MAX_SHARE: f32 = 0.55;
/// Radius of the area about a result that the view shows at least, mm.
const SPOT_RADIUS_MM: f64 = 1.0;

/// State of the table.
#[derive(Default)]
pub struct ResultsPanel {
    /// Whether it is shown.
    pub is_open: bool,
    filter: Filter,
    lines: Lines,
    /// Key of the line that was clicked last.
    selected: Option<String>,
}

impl ResultsPanel {
    pub fn forget_selection(&mut self) {
        self.selected = None;
    }

    /// Draws the table, if it is open, over the whole width.
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        if !self.is_open {
            return;
        }
        let max_height = (MAX_SHARE * ui.available_height()).max(MIN_HEIGHT);
        let panel = egui::Panel::bottom("results").resizable(true).default_size(HEIGHT);
        panel.size_range(MIN_HEIGHT..=max_height).show(ui, |ui| {
            ui.add_space(3.0);
            self.lines.follow(context.document(), &self.filter);
            self.tools(ui, context);
            self.table(ui, context);
        });
    }

    /// Choice of what is shown, and what can be done with it.
    fn tools(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        ui.horizontal_wrapped(|ui| {
            ui.label(egui::RichText::new(text!("results-heading")).heading());
            let classes = [
                (None, text!("results-all")),
                (Some(false), text!("results-of-features")),
                (Some(true), text!("results-of-checks")),
            ];
            for (of_checks, name) in classes {
                theme::pick(ui, &mut self.filter.of_checks, of_checks, name);
            }
            let hint = text!("results-only-open-hint");
            ui.checkbox(&mut self.filter.only_open, text!("results-only-open")).on_hover_text(hint);
            let label = ui.label(text!("results-filter"));
            let field = egui::TextEdit::singleline(&mut self.filter.text).desired_width(130.0);
            ui.add(field.hint_text(text!("results-filter-hint"))).labelled_by(label.id);
            let [shown, all] = [self.lines.shown_count(), self.lines.all_count()].map(theme::count);
            theme::weak(ui, text!("results-count", shown = shown, all = all));
            let copy = egui::Button::new(text!("results-copy"));
            let copy = ui.add_enabled(self.lines.shown_count() > 0, copy).on_hover_text(text!("results-copy-hint"));
            if copy.clicked() {
                ui.ctx().copy_text(self.lines.as_text());
            }
            let save = ui.add_enabled(!context.is_busy, egui::Button::new(text!("results-save")));
            if save.on_hover_text(text!("results-save-hint")).clicked() {
                context.ask(Action::Browse(Purpose::ResultsTable));
            }
            let close = ui.small_button("×");
            named(&close, &text!("results-close"));
            if close.clicked() {
                context.ask(Action::ToggleResults);
            }
        });
    }

    fn table(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        if self.lines.shown_count() == 0 {
            let text = if self.lines.all_count() == 0 { text!("results-none") } else { text!("results-no-match") };
            theme::weak(ui, text);
        }
        let done = table::show(ui, &self.lines, &self.filter, self.selected.as_deref());
        if let Some(column) = done.sorted {
            self.filter.sort_by(column);
        }
        if let Some(line) = done.clicked.and_then(|index| self.lines.get(index)) {
            self.selected = Some(line.key.clone());
            choose(line, context);
        }
    }
}

/// Selects the element of a line as a click in the tree does, and flies to where the result lies.
fn choose(line: &Line, context: &mut PanelContext<'_>) {
    elements::select(context, line.element);
    if let Some(at) = line.at {
        context.ask(Action::FlyTo(Spot { name: line.title.clone(), at, radius_mm: SPOT_RADIUS_MM }));
    }
}
