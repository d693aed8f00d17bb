//! Central panel: the 3D view, its overlays, toolbar, messages and mouse clicks.

use std::sync::Arc;

use egui::{FontId, Pos2, Rect, Sense, Vec2};

use super::super::panels::align::Picking;
use super::super::panels::{CompareView, elements, points};
use super::super::{Action, App, Workspace, icons, theme};
use super::gizmo::Pivot;
use super::overlay::Overlay;
use super::{Viewport, callouts, legend, readout, view_cube};
use crate::lengths::{length_text, position_text, signed_length, unit, with_unit};
use base::LengthUnit;
use dispatch::{Align, Projects, Sections, SurfacePoints};
use geometry::Point;
use inspect::alignment::point_pairs::PointPair;
use inspect::deviation::DeviationMap;
use inspect::section::Section;
use render::camera::StandardView;
use report::flags;
use session::Document;
use texts::text;

/// A scan point farther than this from the pointer is not picked by it, screen points.
const SCAN_REACH: f32 = 12.0;

impl App {
    /// Draws the viewport and handles the mouse in it.
    pub(in super::super) fn central(&mut self, ui: &mut egui::Ui) {
        let has_pages = self.workspace == Workspace::Report && self.preview.is_some();
        if has_pages {
            self.display.by_hand.let_go();
            let frame = egui::Frame::new().fill(theme::desk(ui.visuals().dark_mode));
            return drop(egui::CentralPanel::default().frame(frame).show(ui, |ui| self.preview_pages(ui)));
        }
        self.section_drawing(ui);
        egui::CentralPanel::no_frame().show(ui, |ui| {
            if self.workspace == Workspace::Calibrate && self.artefact_viewport.is_none() {
                self.artefact_viewport = self.viewport.as_ref().map(Viewport::another);
            }
            let Some(mut viewport) = self.viewport_slot().take() else {
                let reason = self.viewport_error.clone().unwrap_or_default();
                ui.centered_and_justified(|ui| ui.label(reason));
                return;
            };
            self.view(ui, &mut viewport);
            *self.viewport_slot() = Some(viewport);
        });
    }

    /// The selected section of the Compare workspace, if it has a result.
    pub(super) fn shown_section(&self) -> Option<Arc<Section>> {
        let selected = self.display.section.selected.filter(|_| self.shows_sections());
        selected.and_then(|id| self.dispatcher.document.shared(Some(id)))
    }

    /// Whether the Compare workspace is turned to sections.
    fn shows_sections(&self) -> bool {
        self.workspace == Workspace::Compare && self.display.compare == CompareView::Sections
    }

    /// Backspace takes back the point of a section that was picked last. Where no sections are shown, none is picked.
    fn follow_section_picks(&mut self, ui: &egui::Ui) {
        if !matches!(self.display.picking, Some(Picking::SectionPoint)) {
            return;
        }
        if !self.shows_sections() {
            self.display.picking = None;
            return;
        }
        let takes_back = !ui.ctx().text_edit_focused()
            && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Backspace));
        if let Some(points) = self.display.section.points.as_mut().filter(|_| takes_back) {
            points.take_back();
        }
    }

    /// Draws the selected section below the 3D view.
    fn section_drawing(&mut self, ui: &mut egui::Ui) {
        let Some(section) = self.shown_section() else { return };
        let scale = report::colour_scale(section.parameters.tolerance, &self.dispatcher.document);
        let height = 0.4 * ui.available_height();
        let panel = egui::Panel::bottom("section").resizable(true).frame(egui::Frame::new());
        let made = panel
            .default_size(height)
            .size_range(120.0..=0.8 * ui.available_height())
            .show(ui, |ui| self.section_view.show(ui, &section, &mut self.display.section, &scale));
        if let (Some(dimension), Some(id)) = (made.inner, self.display.section.selected) {
            self.send(Sections::AddDimension(id, dimension));
        }
    }

    fn viewport_slot(&mut self) -> &mut Option<Viewport> {
        if self.workspace == Workspace::Calibrate { &mut self.artefact_viewport } else { &mut self.viewport }
    }

    /// The viewport of the current workspace.
    pub(in super::super) fn shown_viewport(&mut self) -> Option<&mut Viewport> {
        self.viewport_slot().as_mut()
    }

    fn view(&mut self, ui: &mut egui::Ui, viewport: &mut Viewport) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, text!("viewport-3d")));
        self.follow_section_picks(ui);
        let tool = self.is_brushing().then_some(self.display.brush.tool);
        if !self.move_by_hand(ui, viewport, &response) {
            viewport.navigate(ui, &response, tool);
        }
        self.brush(ui, viewport, &response, rect);
        let scale = ui.ctx().pixels_per_point();
        let size = [(rect.width() * scale).round() as u32, (rect.height() * scale).round() as u32];
        let live = self.live.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let live = if self.is_busy() { live } else { super::LiveFit::default() };
        let mut shown = self.display.shown;
        shown.volumes = self.workspace == Workspace::Offset;
        shown.detections = self.workspace == Workspace::Detect;
        if self.shown_section().is_some() {
            shown.section = self.display.section.selected;
        }
        shown.cut = self.cut();
        // Elsewhere what is not drawn could be brushed.
        shown.others |= self.workspace != Workspace::Compare;
        if shown.detections {
            (shown.deviations, shown.unmeasured) = (false, false);
        }
        if shown.volumes {
            // Points out of tolerance lie outside the tolerance shells; facets in colours would hide the part.
            let measurement = self.dispatcher.document.current_measurement();
            let is_of_points = measurement.is_some_and(|own| matches!(own.map(), DeviationMap::Points(_)));
            (shown.deviations, shown.unmeasured) = (shown.deviations && is_of_points, false);
            shown.on_nominal = false;
        }
        // A section is placed by points of either, once both are in one frame.
        let is_aligned = self.dispatcher.document.alignment().is_some();
        let takes_either = |own: &Picking| is_aligned && matches!(own, Picking::SectionPoint);
        if let Some(picking) = self.display.picking.as_ref().filter(|own| !takes_either(own)) {
            // Only the element to be picked, so that a click cannot hit the other.
            (shown.nominal, shown.actual) = (picking.is_on_nominal(), !picking.is_on_nominal());
            shown.on_nominal = false;
        }
        shown.dragged_to = self.display.by_hand.dragged_to();
        if shown.dragged_to.is_some() {
            // Deviations are of where the scan was.
            (shown.deviations, shown.unmeasured) = (false, false);
        }
        if self.is_brushing_facets() {
            // Only the nominal, so that nothing hides its facets.
            (shown.nominal, shown.actual, shown.deviations) = (true, false, false);
        }
        if !self.is_busy() {
            viewport.previewed_selection = None;
        }
        viewport.is_selecting = !self.pending_strokes.is_empty();
        let subject = self.subject();
        (viewport.origin, viewport.scale) = (rect.min, scale);
        let legend_at = self.window_state.legend;
        let backend = Arc::clone(&self.dispatcher.context.backend);
        viewport.render((ui.ctx(), &backend), &subject, &live, (shown, &self.display.hidden), (size, legend_at.side));
        viewport.screen.paint(ui, rect);
        viewport.hover(ui.ctx(), &response);
        if self.display.picking.is_some() && response.clicked() {
            self.pick_point(viewport, &response, scale);
        }
        self.draw_brush(ui, &response, rect);
        let document = &subject.document;
        let pose = shown.dragged_to.unwrap_or_else(|| document.nominal_from_scan());
        let overlay = Overlay::new(ui, viewport, rect, scale, pose);
        // The artefact's points have features that are no elements of the plan.
        let is_artefact = self.workspace == Workspace::Calibrate;
        let takes_clicks = !is_artefact && tool.is_none() && self.display.picking.is_none();
        if let Some(id) = overlay.features(ui, document, &self.display.hidden, takes_clicks) {
            elements::select(&mut self.panels().1, id);
        }
        if let Some(name) = (!is_artefact).then(|| overlay.holes(ui, document, takes_clicks)).flatten() {
            self.select_hole(&name);
        }
        overlay.pairs(document, self.display.picking.as_ref());
        if self.workspace == Workspace::Align {
            overlay.references(self.display.main_alignment.references());
        }
        if self.workspace == Workspace::Features {
            overlay.datum_frames(&document.exact_frames());
        }
        if let Some(points) = self.display.section.points.as_ref().filter(|_| self.shows_sections()) {
            overlay.section_points(points);
        }
        if let (Some(found), Some(nominal)) = (&viewport.found, document.nominal()) {
            let mut all = found.detections.iter().chain(&found.possible);
            if let Some(own) = all.nth(shown.detection) {
                overlay.position_of(own, &document.nominal_from_scan(), nominal.surface.bounds().diagonal());
            }
        }
        if self.workspace != Workspace::Calibrate {
            overlay.spot_marker();
        }
        if !document_is_empty(document) {
            overlay.axes();
        }
        let is_on_handle = self.draw_gizmo(ui, viewport, &response);
        let mut has_legend = true;
        let mut moved = None;
        let coloured = shown.deviations && (document.current_measurement().is_some() || live.frame.is_some());
        if let Some((map, _)) = viewport.volumes.map() {
            moved = legend::thickness(ui, (rect, legend_at), map);
        } else if coloured || subject.residuals.is_some() {
            let measured = document.current_measurement().filter(|_| shown.unmeasured && live.frame.is_none());
            let has_unmeasured = measured.is_some_and(|own| !own.coverage.unmeasured_points.is_empty());
            moved = legend::deviations(ui, (rect, legend_at), document, has_unmeasured);
        } else {
            has_legend = false;
        }
        self.window_state.legend = moved.unwrap_or(legend_at);
        if live.frame.is_none() && !self.display.hides_callouts {
            let scale = |tolerance| report::colour_scale(tolerance, document);
            let flags = match self.workspace {
                Workspace::Features => flags::of_tolerances(document),
                Workspace::Compare if self.display.compare == CompareView::Points => {
                    let made = self.display.surface_points.and_then(|id| points::made(document, id));
                    made.map(|own| flags::of_points(own, &scale(own.parameters.tolerance), unit())).unwrap_or_default()
                }
                Workspace::Compare => {
                    let check = document.current_check().filter(|_| coloured);
                    check
                        .map(|own| flags::of_regions(own, &scale(own.parameters.tolerance), unit()))
                        .unwrap_or_default()
                }
                _ => Vec::new(),
            };
            let clicked =
                callouts::show(ui, viewport, rect, flags, document.nominal(), has_legend.then_some(legend_at.side));
            if let Some((spot, element)) = clicked {
                self.actions.push(Action::FlyTo(spot));
                self.display.chosen = element;
            }
        }
        if live.frame.is_some() {
            let text = text!("viewport-best-fit", rms = with_unit(length_text(live.rms_mm, 4)));
            badge(ui, rect.center_top() + Vec2::new(0.0, 56.0), &text);
        } else if let Some(sentence) = viewport.volumes.error() {
            badge(ui, rect.center_top() + Vec2::new(0.0, 56.0), &texts::word(sentence));
        } else if let Some(reason) = viewport.nominal_deviations.error().filter(|_| shown.draws_on_nominal(false)) {
            let text = text!("viewport-not-on-nominal", reason = texts::word(reason).into_owned());
            badge(ui, rect.center_top() + Vec2::new(0.0, 56.0), &text);
        } else if tool.is_none() && !is_on_handle {
            hover_readout(ui, viewport, document, rect);
        }
        let is_mechanical = self.workspace == Workspace::Calibrate && self.panels.calibrate.mechanical;
        if is_mechanical {
            let setup = &self.dispatcher.document.calibration.setup.mechanical;
            readout::show(ui, rect, setup, &self.dispatcher.mechanical);
        }
        self.toolbar(ui, rect);
        if !document_is_empty(document) {
            self.actions.extend(view_cube::show(ui, viewport, rect));
        }
        self.notices(ui, rect);
        if document_is_empty(document) && !is_mechanical {
            self.welcome(ui, rect);
        }
        if ui.input(|input| !input.raw.hovered_files.is_empty()) {
            badge(ui, rect.center(), &text!("viewport-drop"));
        }
    }

    /// Selects the element of this name as a click in the tree does, or else leads to the hole in the hybrid measurement.
    fn select_hole(&mut self, name: &str) {
        let id = self.dispatcher.document.plan.by_name(name).map(|own| own.id);
        if let Some(id) = id {
            return elements::select(&mut self.panels().1, id);
        }
        self.panels.calibrate.show_hole(name);
        self.actions.push(Action::Show(Workspace::Calibrate));
    }

    fn toolbar(&mut self, ui: &mut egui::Ui, rect: Rect) {
        let strip = Rect::from_min_size(rect.left_top() + Vec2::new(10.0, 8.0), Vec2::new(rect.width() - 20.0, 28.0));
        ui.scope_builder(egui::UiBuilder::new().max_rect(strip), |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 3.0;
                let fill = ui.visuals().window_fill.gamma_multiply(0.85);
                // A narrow view has the icons alone.
                let is_narrow = rect.width() < 520.0;
                let mut add = |icon, name: &str, hint: &str, action: Action| {
                    let button = egui::Button::new((icons::atom(icon, None), if is_narrow { "" } else { name }));
                    let response = ui.add(button.fill(fill));
                    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
                    if response.on_hover_text(hint).clicked() {
                        self.actions.push(action);
                    }
                };
                add(icons::FIT, &text!("viewport-fit"), &text!("viewport-fit-hint"), Action::Fit);
                let (name, hint) = (text!("viewport-isometric"), text!("viewport-isometric-hint"));
                add(icons::ISOMETRIC, &name, &hint, Action::Look(StandardView::Isometric));
                let (name, hint) = (text!("viewport-projection"), text!("viewport-projection-hint"));
                add(icons::LENS, &name, &hint, Action::ToggleLens);
                self.views_menu(ui, fill, is_narrow);
            });
        });
    }

    pub(in super::super) fn notices(&mut self, ui: &mut egui::Ui, rect: Rect) {
        let width = (rect.width() - 140.0).clamp(240.0, 560.0);
        if let Some(notice) = self.notice.clone() {
            let (mut dismissed, mut reopens) = (false, false);
            egui::Area::new(egui::Id::unique("notice"))
                .fixed_pos(rect.center_top() + Vec2::new(-0.5 * width, 48.0))
                .show(ui.ctx(), |ui| {
                    egui::Frame::popup(ui.style()).stroke(egui::Stroke::new(1.5, theme::BAD)).show(ui, |ui| {
                        ui.set_width(width);
                        ui.label(texts::word(&notice.text));
                        ui.horizontal(|ui| {
                            if let Some(unit) = notice.scan_unit {
                                reopens = ui.button(text!("viewport-reopen", unit = unit.symbol())).clicked();
                            }
                            dismissed = ui.button(text!("viewport-dismiss")).clicked();
                        });
                    });
                });
            if reopens {
                self.reopen_scan(notice.scan_unit);
            }
            if dismissed || reopens {
                self.notice = None;
            }
        } else if let Some(path) = self.restore.clone() {
            egui::Area::new(egui::Id::unique("restore"))
                .fixed_pos(rect.center_top() + Vec2::new(-0.5 * width, 48.0))
                .show(ui.ctx(), |ui| {
                    egui::Frame::popup(ui.style()).show(ui, |ui| {
                        ui.set_width(width);
                        ui.label(text!("viewport-unsaved"));
                        ui.horizontal(|ui| {
                            if ui.button(text!("viewport-restore")).clicked() {
                                self.send(Projects::Restore(path.clone()));
                                self.restore = None;
                                self.restoring = Some(path.clone());
                            }
                            if ui.button(text!("viewport-discard")).clicked() {
                                // It may have been deleted already.
                                let _ = std::fs::remove_file(&path);
                                self.restore = None;
                            }
                        });
                    });
                });
        }
    }

    /// Picks a reference point or a surface point of the nominal, a point that places a section, or a point of the nominal
    /// and then a point of the scan.
    fn pick_point(&mut self, viewport: &Viewport, response: &egui::Response, scale: f32) {
        let Some(picking) = self.display.picking else { return };
        let document = &self.dispatcher.document;
        let on_nominal = || nominal_point(document, viewport, response, scale);
        match picking {
            Picking::ReferencePoint => {
                if let Some(point) = on_nominal() {
                    self.display.main_alignment.add_reference(point);
                }
            }
            Picking::SurfacePoint => {
                if let Some(point) = on_nominal() {
                    self.send(SurfacePoints::Pick(self.display.surface_points, point));
                }
            }
            Picking::Pivot => {
                if let Some(point) = on_nominal() {
                    (self.display.by_hand.pivot, self.display.picking) = (Pivot::Picked(point), None);
                }
            }
            Picking::SectionPoint => {
                // Before the alignment only the nominal is shown.
                let is_shown = self.display.shown.nominal || document.alignment().is_none();
                let on_scan = scan_point(document, viewport, response, scale);
                let point = on_scan.or_else(|| on_nominal().filter(|_| is_shown));
                if let (Some(point), Some(points)) = (point, &mut self.display.section.points) {
                    points.pick(point);
                }
            }
            Picking::Pair { nominal: None } => {
                if let Some(point) = on_nominal() {
                    self.display.picking = Some(Picking::Pair { nominal: Some(point) });
                }
            }
            Picking::Pair { nominal: Some(nominal) } => {
                let scan =
                    viewport.hovered_point().and_then(|index| document.actual()?.cloud.points.get(index).copied());
                if let Some(scan) = scan {
                    self.display.picking = Some(Picking::Pair { nominal: None });
                    self.send(Align::AddPair(PointPair { nominal, scan, enabled: true }));
                }
            }
        }
    }

    /// Screen position of a point of the displayed frame, for tests; `None` if it is behind the camera.
    pub fn screen_place(&mut self, point: &Point) -> Option<Pos2> {
        let viewport = self.shown_viewport()?;
        let (x, y) = viewport.camera.pixel_of(point)?;
        Some(viewport.origin + Vec2::new(x, y) / viewport.scale)
    }

    /// Screen position of a point of the section shown, for tests.
    pub fn section_position(&self, point: &[f64; 2]) -> Option<Pos2> {
        self.section_view.position_of(point)
    }

    /// Whether the view is completely drawn, for benchmarks.
    pub fn shows_everything(&mut self) -> bool {
        self.shown_viewport().is_none_or(|viewport| viewport.is_complete())
    }

    /// Whether the Compare workspace is open, for tests.
    pub fn shows_compare(&self) -> bool {
        self.workspace == Workspace::Compare
    }
}

/// The point of the nominal under the pointer, mm.
fn nominal_point(document: &Document, viewport: &Viewport, response: &egui::Response, scale: f32) -> Option<Point> {
    let pixel = (response.interact_pointer_pos()? - response.rect.min) * scale;
    let (origin, direction) = viewport.camera.ray((pixel.x, pixel.y));
    let hit = document.nominal()?.surface.first_hit(&origin, &direction, 0.0, f64::INFINITY)?;
    Some(origin + direction * hit.t)
}

/// The point of the aligned scan that is drawn under the pointer, nominal frame, mm.
fn scan_point(document: &Document, viewport: &Viewport, response: &egui::Response, scale: f32) -> Option<Point> {
    document.alignment()?;
    let point = document.nominal_from_scan() * document.actual()?.cloud.points.get(viewport.hovered_point()?)?;
    // What lies under the pointer may have been read back before it came here.
    let (x, y) = viewport.camera.pixel_of(&point)?;
    let at = response.rect.min + Vec2::new(x, y) / scale;
    (at.distance(response.interact_pointer_pos()?) <= SCAN_REACH).then_some(point)
}

fn document_is_empty(document: &Document) -> bool {
    document.nominal().is_none() && document.actual().is_none()
}

/// A short text on a background, centred at `at`.
fn badge(ui: &egui::Ui, at: Pos2, text: &str) {
    let colour = ui.visuals().text_color();
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(14.0), colour);
    let plate = Rect::from_center_size(at, galley.size() + Vec2::new(20.0, 12.0));
    ui.painter().rect_filled(plate, 6.0, ui.visuals().window_fill.gamma_multiply(0.92));
    ui.painter().galley(plate.center() - 0.5 * galley.size(), galley, colour);
}

/// Deviation or thickness and position under the pointer, written beside it.
fn hover_readout(ui: &egui::Ui, viewport: &Viewport, document: &Document, rect: Rect) {
    let Some(pointer) = viewport.hovered_at.filter(|pointer| rect.contains(*pointer)) else { return };
    if let Some((map, _)) = viewport.volumes.map() {
        let Some(facet) = viewport.hovered_facet().filter(|facet| *facet < map.thickness_mm.len()) else { return };
        let value = map.thickness_mm[facet].map(|mm| with_unit(length_text(mm, 3)));
        let value = value.unwrap_or_else(|| text!("viewport-no-opposite-side"));
        let centre = geometry::triangle::centroid(&map.mesh.corners(facet));
        return write_beside(ui, pointer, rect, &value, &centre);
    }
    let point_and_deviation = || -> Option<(Point, Option<f64>)> {
        let measurement = document.current_measurement();
        if let Some(index) = viewport.hovered_point() {
            let point = document.nominal_from_scan() * document.actual()?.cloud.points.get(index)?;
            let deviation = measurement.and_then(|own| match own.map() {
                DeviationMap::Points(points) => points.get(index)?.value(),
                DeviationMap::Facets { .. } => None,
            });
            return Some((point, deviation));
        }
        let facet = viewport.hovered_facet()?;
        match measurement.map(|own| own.map()) {
            Some(DeviationMap::Facets { nominal, values, .. }) => {
                let centre = geometry::triangle::centroid(&nominal.corners(facet));
                Some((centre, values.get(facet)?.value()))
            }
            _ => viewport.nominal_deviations.at(facet).filter(|_| viewport.shows_on_nominal()),
        }
    };
    let Some((point, deviation)) = point_and_deviation() else { return };
    let value = match deviation {
        Some(mm) => with_unit(signed_length(mm, 3)),
        None if document.current_measurement().is_some() => text!("viewport-no-data"),
        None => text!("viewport-scan-point"),
    };
    write_beside(ui, pointer, rect, &value, &point);
}

/// Writes a value and the position that it belongs to beside the pointer; of the position, millimetres go without saying.
pub(super) fn write_beside(ui: &egui::Ui, pointer: Pos2, rect: Rect, value: &str, point: &Point) {
    let position = position_text([point.x, point.y, point.z], 3);
    let position = if unit() == LengthUnit::Mm { position } else { with_unit(position) };
    write_text_beside(ui, pointer, rect, format!("{value}\n{position}"));
}

/// Writes a text beside the pointer.
pub(super) fn write_text_beside(ui: &egui::Ui, pointer: Pos2, rect: Rect, text: String) {
    let colour = ui.visuals().text_color();
    let galley = ui.painter().layout_no_wrap(text, FontId::proportional(12.5), colour);
    let mut at = pointer + Vec2::new(16.0, 14.0);
    at.x = at.x.min(rect.right() - galley.size().x - 14.0);
    at.y = at.y.min(rect.bottom() - galley.size().y - 10.0);
    let plate = Rect::from_min_size(at, galley.size()).expand2(Vec2::new(8.0, 5.0));
    ui.painter().rect_filled(plate, 5.0, ui.visuals().window_fill.gamma_multiply(0.94));
    ui.painter().galley(at, galley, colour);
}
