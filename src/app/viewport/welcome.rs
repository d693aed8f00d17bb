//! What an empty view offers: first steps, recent files and the demo.

use std::path::PathBuf;

use egui::{Rect, RichText, Vec2};

use super::super::choosing::Purpose;
use super::super::{Action, App, Workspace, icons, theme};
use session::calibration::Instrument;
use texts::text;

/// Steps from files to a verdict.
fn steps() -> [(String, String); 3] {
    [
        (text!("files-step-nominal"), text!("files-step-nominal-text")),
        (text!("files-step-scan"), text!("files-step-scan-text")),
        (text!("files-step-compare"), text!("files-step-compare-text")),
    ]
}

/// Number of recent files that are offered.
const MAX_RECENT: usize = 5;
const MAIN_BUTTON: Vec2 = Vec2::new(170.0, 36.0);
const WIDTH: f32 = 420.0;
/// Height of title, steps and buttons.
const STEPS_HEIGHT: f32 = 250.0;
/// Names of recent files begin below the left button, folders end below the right one.
const RECENT_WIDTH: f32 = 366.0;

impl App {
    /// Shows what to do first.
    pub(super) fn welcome(&mut self, ui: &mut egui::Ui, rect: Rect) {
        if self.workspace == Workspace::Calibrate {
            return self.calibration_welcome(ui, rect);
        }
        let recent: Vec<_> = self.files.offered.iter().take(MAX_RECENT).cloned().collect();
        let rows = if recent.is_empty() { 0.0 } else { 40.0 + 30.0 * recent.len() as f32 };
        // Below the toolbar; in a small window without what the File menu has, too.
        let rect = rect.with_min_y(rect.top() + 44.0);
        let width = WIDTH.min(rect.width() - 16.0);
        let (title_size, hints) = if width < WIDTH { (16.5, 110.0) } else { (19.0, 50.0) };
        let has_room = rect.height() > STEPS_HEIGHT + hints + rows;
        let height = if has_room { STEPS_HEIGHT + hints + rows } else { STEPS_HEIGHT };
        centred(ui, rect, Vec2::new(width, height), |ui| {
            ui.label(RichText::new(text!("files-welcome")).heading().size(title_size));
            ui.add_space(12.0);
            for (number, (title, text)) in (1..).zip(steps()) {
                step(ui, width, number, &title, &text);
            }
            ui.add_space(12.0);
            ui.horizontal(|ui| self.first_buttons(ui, width));
            if has_room {
                self.recent_files(ui, recent, RECENT_WIDTH.min(width));
                ui.add_space(12.0);
                theme::weak(ui, text!("files-drop-here"));
                theme::weak(ui, text!("files-mouse"));
            }
        });
    }

    fn first_buttons(&mut self, ui: &mut egui::Ui, width: f32) {
        let half = 0.5 * (width - ui.spacing().item_spacing.x);
        let size = Vec2::new(MAIN_BUTTON.x.min(half), MAIN_BUTTON.y);
        ui.add_space(half - size.x);
        let open = theme::main_button_with(icons::OPEN, text!("files-open-a-file"), true).min_size(size);
        if ui.add(open).clicked() {
            self.actions.push(Action::Open);
        }
        let demo = egui::Button::new((icons::atom(icons::DEMO, None), text!("files-demo"))).min_size(size);
        let hint = text!("files-demo-hint");
        if ui.add(demo).on_hover_text(hint).clicked() {
            self.actions.push(Action::Demo);
        }
    }

    fn recent_files(&mut self, ui: &mut egui::Ui, recent: Vec<PathBuf>, width: f32) {
        if recent.is_empty() {
            return;
        }
        ui.add_space(16.0);
        theme::weak(ui, text!("files-recent"));
        for path in recent {
            let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
            let name = base::file_name(&path);
            let button = egui::Button::new(name).shortcut_text(shortened(&folder)).frame_when_inactive(false);
            if ui.add_sized([width, 24.0], button).on_hover_text(path.display().to_string()).clicked() {
                self.actions.push(Action::OpenFile(path));
            }
        }
    }

    fn calibration_welcome(&mut self, ui: &mut egui::Ui, rect: Rect) {
        let (title, text, button, purpose) = match self.panels.calibrate.instrument {
            Instrument::Sensor => (
                text!("files-welcome-sensor"),
                text!("files-drop-snapshot"),
                text!("files-open-snapshot"),
                Purpose::Snapshot,
            ),
            Instrument::Cmm => (
                text!("files-welcome-probed"),
                text!("files-drop-probed"),
                text!("files-open-probed"),
                Purpose::ProbedPoints,
            ),
        };
        centred(ui, rect, Vec2::new(440.0, 150.0), |ui| {
            ui.label(RichText::new(title).heading().size(19.0));
            ui.add_space(4.0);
            theme::weak(ui, text);
            ui.add_space(10.0);
            if ui.add(theme::main_button_with(icons::OPEN, button, true).min_size(MAIN_BUTTON)).clicked() {
                self.actions.push(Action::Browse(purpose));
            }
        });
    }
}

/// Lays out a column of that size in the middle.
fn centred(ui: &mut egui::Ui, rect: Rect, size: Vec2, contents: impl FnOnce(&mut egui::Ui)) {
    let area = Rect::from_center_size(rect.center(), size.min(rect.size()));
    ui.scope_builder(egui::UiBuilder::new().max_rect(area), |ui| ui.vertical_centered(contents));
}

/// A numbered step.
fn step(ui: &mut egui::Ui, width: f32, number: u8, title: &str, text: &str) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, 40.0), egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{number}. {title}. {text}")));
    let (painter, visuals) = (ui.painter(), ui.visuals());
    // The number stands above the left edge of the first button.
    let centre = rect.left_center() + Vec2::new((0.5 * (width - 2.0 * MAIN_BUTTON.x)).max(0.0) + 14.0, 0.0);
    painter.circle_filled(centre, 13.0, visuals.widgets.inactive.weak_bg_fill);
    let strong = egui::FontId::new(13.5, theme::strong_family());
    painter.text(centre, egui::Align2::CENTER_CENTER, number, strong.clone(), visuals.text_color());
    let at = centre + Vec2::new(26.0, 0.0);
    painter.text(at, egui::Align2::LEFT_BOTTOM, title, strong, visuals.text_color());
    painter.text(at, egui::Align2::LEFT_TOP, text, egui::FontId::proportional(12.5), visuals.weak_text_color());
}

/// The end of a long path, which tells folders apart.
fn shortened(path: &str) -> String {
    const MAX_LETTERS: usize = 36;
    let count = path.chars().count();
    if count <= MAX_LETTERS {
        return path.to_owned();
    }
    format!("…{}", path.chars().skip(count - MAX_LETTERS).collect::<String>())
}
