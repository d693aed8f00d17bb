//! The panels around the viewport. Each owns the state being edited in it, reads from a [`PanelContext`] and requests
//! actions there.

pub mod align;
pub mod bottom;
pub mod calibrate;
mod compare;
mod context;
pub mod detect;
pub mod elements;
pub mod features;
pub mod offset;
mod overall_verdict;
mod parts_bar;
pub mod picks;
pub mod report;
pub mod results;
pub mod series;
mod steps;
mod turn;

use super::regions::Region;
use super::{App, Workspace, theme};
use align::AlignPanel;
use align::searches::SearchesWindow;
use bottom::BottomBar;
use calibrate::CalibratePanel;
use compare::ComparePanel;
pub(crate) use compare::{CompareView, SectionPoints, points, verdict_colour};
pub use context::{Devices, PanelContext};
use detect::DetectPanel;
use dispatch::Command;
use elements::ElementsPanel;
use features::FeaturesPanel;
use inspect::main_alignment::reference_points::Direction;
use offset::OffsetPanel;
pub(crate) use overall_verdict::OverallVerdict;
use report::ReportPanel;
use results::ResultsPanel;
use series::SeriesWindow;
use session::Document;
use session::pipeline::State;
use session::plan::ElementId;
use texts::text;

/// All panels.
#[derive(Default)]
pub struct Panels {
    pub align: AlignPanel,
    pub compare: ComparePanel,
    pub calibrate: CalibratePanel,
    pub features: FeaturesPanel,
    pub offset: OffsetPanel,
    pub detect: DetectPanel,
    pub report: ReportPanel,
    pub elements: ElementsPanel,
    pub bottom: BottomBar,
    pub results: ResultsPanel,
    pub searches: SearchesWindow,
    pub series: SeriesWindow,
}

impl Panels {
    /// Begins with another inspection: forgets which elements were looked at, and shows what was reached in it.
    pub(super) fn begin(&mut self, document: &Document) {
        self.compare = ComparePanel::default();
        self.results.forget_selection();
        self.features.begin(document);
        self.calibrate.begin(document);
    }

    /// The commands that send what was edited in this document, all drafts but the settings. They are asked for once the
    /// edit has ended, and sent: each is returned once.
    pub(super) fn edits(&mut self, document: &Document) -> Vec<Command> {
        let mut edits = Vec::new();
        edits.extend(self.calibrate.edits(document));
        edits.extend(self.compare.edits(document));
        edits.extend(self.features.edits(document));
        edits.extend(self.report.edit(document));
        edits
    }
}

impl App {
    /// The panels and their context.
    pub(super) fn panels(&mut self) -> (&mut Panels, PanelContext<'_>) {
        let is_busy = self.is_busy();
        let context = PanelContext {
            dispatcher: &self.dispatcher,
            settings: &mut self.draft,
            display: &mut self.display,
            devices: &self.devices,
            saved_scales: self.saved_scales.all(),
            is_busy,
            actions: &mut self.actions,
        };
        (&mut self.panels, context)
    }

    /// Draws the panels around the viewport.
    pub(super) fn surrounding_panels(&mut self, ui: &mut egui::Ui) {
        let workspace = self.workspace;
        let mut regions = std::mem::take(&mut self.regions);
        let (panels, mut context) = self.panels();
        panels.bottom.show(ui, &mut context, panels.results.is_open);
        regions.begin(ui, Region::Results);
        panels.results.show(ui, &mut context);
        regions.begin(ui, Region::Elements);
        panels.elements.show(ui, &mut context);
        regions.begin(ui, Region::Room);
        egui::Panel::right("properties").resizable(true).default_size(330.0).size_range(290.0..=480.0).show(ui, |ui| {
            match workspace {
                // What they do in steps is scrolled between the row of steps and the way on.
                Workspace::Calibrate => panels.calibrate.show(ui, &mut context),
                Workspace::Features => panels.features.show(ui, &mut context),
                Workspace::Align => scrolled(ui, |ui| panels.align.show(ui, &mut context)),
                Workspace::Compare => scrolled(ui, |ui| panels.compare.show(ui, &mut context)),
                Workspace::Offset => scrolled(ui, |ui| panels.offset.show(ui, &mut context)),
                Workspace::Detect => scrolled(ui, |ui| panels.detect.show(ui, &mut context)),
                Workspace::Report => scrolled(ui, |ui| panels.report.show(ui, &mut context)),
            }
        });
        parts_bar::show(ui, &mut context);
        self.regions = regions;
    }

    /// Draws the windows over the viewport.
    pub(super) fn floating_panels(&mut self, context: &egui::Context) {
        let (panels, mut panel_context) = self.panels();
        panels.searches.show(context, &panel_context);
        panels.series.show(context, &mut panel_context);
    }
}

/// Draws the contents of a panel that are scrolled as a whole.
fn scrolled(ui: &mut egui::Ui, contents: impl FnOnce(&mut egui::Ui)) {
    scrolled_within(ui, "contents", ui.available_height(), contents);
}

/// Draws contents that are scrolled within a height. The bar stands in the margin of the panel, beside what is scrolled.
fn scrolled_within(ui: &mut egui::Ui, salt: impl egui::AsIdSalt, height: f32, contents: impl FnOnce(&mut egui::Ui)) {
    let margin =
        egui::Margin { right: egui::Frame::side_top_panel(ui.style()).inner_margin.right, ..egui::Margin::ZERO };
    let rect = ui.available_rect_before_wrap();
    let rect = rect.with_max_y(rect.top() + height);
    let wide = rect.with_max_x(rect.right() + margin.rightf());
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(wide));
    let scrolled = egui::ScrollArea::vertical().id_salt(salt).auto_shrink(false).show(&mut child, |ui| {
        egui::Frame::NONE.inner_margin(margin).show(ui, contents);
    });
    // The panel grows to what is wider than it is.
    let width = rect.width().max(scrolled.content_size.x - margin.rightf());
    ui.advance_cursor_after_rect(rect.with_max_x(rect.left() + width));
}

/// Sets the accessible name of a widget without a label of its own.
fn named(response: &egui::Response, name: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
}

/// Shows an element without result, and the reason.
fn no_result(ui: &mut egui::Ui, document: &Document, id: ElementId) {
    let name = document.plan.name(id);
    let reason = match document.state(id) {
        State::Failed(message) => texts::word(&message).into_owned(),
        State::Waits(on) => text!("window-waiting-for", names = on.join(", ")),
        State::NotMade | State::Stale | State::Fresh => text!("window-not-computed"),
    };
    ui.horizontal_wrapped(|ui| {
        theme::dot(ui, theme::WARN);
        ui.label(name);
    });
    theme::weak(ui, reason);
}

/// Choice of the direction that a point is held or measured along; `name` is for screen readers, and unique.
fn direction_choice(ui: &mut egui::Ui, direction: &mut Direction, name: &str) {
    let combo = egui::ComboBox::from_id_salt(name).selected_text(texts::word(direction.name())).width(66.0);
    let combo = combo.show_ui(ui, |ui| {
        for other in Direction::ALL {
            ui.selectable_value(direction, other, texts::word(other.name()));
        }
    });
    named(&combo.response, name);
}

/// A table of names and values.
fn rows<N: AsRef<str>>(ui: &mut egui::Ui, id: &str, rows: &[(N, String)]) {
    egui::Grid::new(id).num_columns(2).striped(true).spacing([16.0, 4.0]).show(ui, |ui| {
        for (name, value) in rows {
            ui.label(egui::RichText::new(name.as_ref()).weak());
            ui.label(value);
            ui.end_row();
        }
    });
}

/// A drop-down list of elements; returns one that is chosen in place of the one shown.
fn element_choice(
    ui: &mut egui::Ui,
    label: &str,
    document: &Document,
    all: &[ElementId],
    shown: Option<ElementId>,
) -> Option<ElementId> {
    let mut chosen = shown;
    ui.horizontal(|ui| {
        let label_of = ui.label(label);
        let text = shown.map(|id| document.plan.name(id)).unwrap_or_default();
        let combo = egui::ComboBox::from_id_salt(label).selected_text(text).width(150.0).truncate();
        let combo = combo.show_ui(ui, |ui| {
            for id in all {
                ui.selectable_value(&mut chosen, Some(*id), document.plan.name(*id));
            }
        });
        combo.response.labelled_by(label_of.id);
    });
    chosen.filter(|_| chosen != shown)
}
