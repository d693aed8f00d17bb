//! The pages of the report as they would be printed, in place of the 3D view.

use std::collections::HashMap;

use egui::{Color32, ColorImage, CornerRadius, FontId, Pos2, Rect, Sense, Shape, Stroke, TextureHandle, Ui, Vec2};

use super::{Action, App, theme};
use base::file_name;
use report::pdf::{Ink, Line, Paper, Weight};
use session::DocumentState;
use texts::text;

/// Space around the pages, and between them, screen points.
const GAP: f32 = 18.0;
/// Screen points per point of the paper at most, at 100 %.
const MAX_SCALE: f32 = 1.6;
/// Zoom factors.
const ZOOM: std::ops::RangeInclusive<f32> = 0.5..=3.0;

/// A preview that is open.
pub(super) struct OpenPreview {
    paper: Paper,
    /// What it shows.
    state: DocumentState,
    /// What the report follows besides.
    follows: Follows,
    /// Pictures, by page and number of the mark.
    textures: HashMap<(usize, usize), TextureHandle>,
    zoom: f32,
}

/// Language of the window, and whether its views have no flags: a report follows them unless it has its own.
pub(super) type Follows = (texts::Language, bool);

/// What was asked for in the bar above the pages.
enum Choice {
    Close,
    Refresh,
}

impl OpenPreview {
    fn new(paper: Paper, state: DocumentState, follows: Follows) -> Self {
        Self { paper, state, follows, textures: HashMap::new(), zoom: 1.0 }
    }

    fn bar(&mut self, ui: &mut Ui, is_stale: bool, is_busy: bool) -> Option<Choice> {
        let mut choice = None;
        ui.horizontal(|ui| {
            ui.add_space(GAP);
            let name = text!("window-preview-of", count = self.paper.pages.len());
            ui.label(egui::RichText::new(name).strong());
            let zooms = [("−", text!("window-smaller"), 1.0 / 1.25), ("+", text!("window-larger"), 1.25)];
            for (name, hint, factor) in zooms {
                let response = ui.add(egui::Button::new(name).min_size(Vec2::splat(24.0))).on_hover_text(&hint);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &hint));
                if response.clicked() {
                    self.zoom = (self.zoom * factor).clamp(*ZOOM.start(), *ZOOM.end());
                }
            }
            if is_stale {
                ui.colored_label(theme::WARN, text!("window-preview-stale"));
                if ui.add_enabled(!is_busy, egui::Button::new(text!("window-lay-out-again"))).clicked() {
                    choice = Some(Choice::Refresh);
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.add_space(GAP);
                if ui.button(text!("window-close-preview")).clicked() {
                    choice = Some(Choice::Close);
                }
            });
        });
        choice
    }

    fn pages(&mut self, ui: &mut Ui) {
        let [width, height] = self.paper.size;
        let scale = ((ui.available_width() - 2.0 * GAP - 12.0) / width).clamp(0.2, MAX_SCALE) * self.zoom;
        let size = scale * Vec2::new(width, height);
        egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = GAP;
            for page in 0..self.paper.pages.len() {
                let row = Vec2::new(ui.available_width().max(size.x + 2.0 * GAP), size.y);
                let (rect, response) = ui.allocate_exact_size(row, Sense::hover());
                let name = text!("window-page", number = page + 1);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &name));
                let sheet = Rect::from_center_size(rect.center(), size);
                if ui.is_rect_visible(sheet) {
                    ui.painter().rect_filled(
                        sheet.translate(Vec2::new(0.0, 2.0)).expand(1.5),
                        2.0,
                        Color32::from_black_alpha(50),
                    );
                    ui.painter().rect_filled(sheet, 0.0, Color32::WHITE);
                    self.page(ui, page, sheet, scale);
                }
            }
        });
    }

    fn page(&mut self, ui: &Ui, page: usize, sheet: Rect, scale: f32) {
        let painter = ui.painter().with_clip_rect(sheet.intersect(ui.clip_rect()));
        let at = |[x, y]: [f32; 2]| sheet.min + scale * Vec2::new(x, y);
        let rectangle = |[x, y, w, h]: [f32; 4]| Rect::from_min_size(at([x, y]), scale * Vec2::new(w, h));
        for (number, mark) in self.paper.pages[page].iter().enumerate() {
            match &mark.ink {
                Ink::Text(from, line) => draw_line(&painter, at(*from), line, scale),
                Ink::Fill(rect, colour, radius) => {
                    let rect = rectangle(*rect);
                    let radius = (scale * radius).min(0.5 * rect.height().min(rect.width())).round();
                    painter.rect_filled(rect, CornerRadius::same(radius as u8), opaque(*colour));
                }
                Ink::Rule(from, to, colour, width, is_dashed) => {
                    let stroke = Stroke::new((scale * width).max(0.5), opaque(*colour));
                    let ends = [at(*from), at(*to)];
                    match is_dashed {
                        true => painter.extend(Shape::dashed_line(&ends, stroke, 2.0 * scale, 2.0 * scale)),
                        false => drop(painter.line_segment(ends, stroke)),
                    }
                }
                Ink::Picture(rect, png) => {
                    let texture = self.textures.entry((page, number)).or_insert_with(|| {
                        let image = image::load_from_memory(png).map(|image| image.to_rgba8()).unwrap_or_default();
                        let size = [image.width() as usize, image.height() as usize];
                        let image = ColorImage::from_rgba_unmultiplied(size, image.as_raw());
                        ui.ctx().load_texture(format!("preview {page}/{number}"), image, egui::TextureOptions::LINEAR)
                    });
                    let all = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
                    painter.image(texture.id(), rectangle(*rect), all, Color32::WHITE);
                }
            }
        }
    }
}

fn opaque([r, g, b]: [u8; 3]) -> Color32 {
    Color32::from_rgb(r, g, b)
}

/// A line whose baseline begins at `from`, in the middle of the width that it has on paper.
fn draw_line(painter: &egui::Painter, from: Pos2, line: &Line, scale: f32) {
    let family = match line.style.weight {
        Weight::Regular => egui::FontFamily::Proportional,
        Weight::Strong => theme::strong_family(),
    };
    let colour = opaque(line.style.colour);
    let galley = painter.layout_no_wrap(line.text.clone(), FontId::new(scale * line.style.size, family), colour);
    let baseline = galley.rows.first().and_then(|row| Some(row.pos.y + row.glyphs.first()?.pos.y)).unwrap_or_default();
    let slack = scale * line.width - galley.size().x;
    painter.galley(from + Vec2::new(0.5 * slack, -baseline), galley, colour);
}

impl App {
    /// Asks for the pages of the report.
    pub(super) fn lay_out_report(&mut self) {
        self.preview_follows = self.follows();
        self.send(dispatch::Report::Preview(self.preview_slot.clone()));
    }

    /// Takes the pages that have been laid out.
    pub(super) fn follow_preview(&mut self) {
        if let Some((paper, state)) = self.preview_slot.take() {
            let zoom = self.preview.as_ref().map_or(1.0, |before| before.zoom);
            self.preview = Some(OpenPreview { zoom, ..OpenPreview::new(paper, state, self.preview_follows) });
        }
    }

    fn follows(&self) -> Follows {
        (texts::language(), self.display.hides_callouts)
    }

    /// Draws the pages, if there are any.
    pub(super) fn preview_pages(&mut self, ui: &mut Ui) {
        let (is_busy, follows) = (self.is_busy(), self.follows());
        let rect = ui.max_rect();
        self.notices(ui, rect);
        let Some(preview) = &mut self.preview else { return };
        ui.add_space(6.0);
        let document = &self.dispatcher.document;
        let is_stale = preview.state != document.current_state() || preview.follows != follows;
        let choice = preview.bar(ui, is_stale, is_busy);
        if let Some(template) = &document.plan.presentation.template {
            ui.horizontal(|ui| {
                ui.add_space(GAP);
                theme::weak(ui, text!("window-preview-template", template = file_name(template)));
            });
        }
        ui.add_space(2.0);
        preview.pages(ui);
        match choice {
            Some(Choice::Close) => self.preview = None,
            Some(Choice::Refresh) => self.actions.push(Action::PreviewReport),
            None => {}
        }
    }
}
