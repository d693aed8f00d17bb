//! Saved views: the viewport looks as one of them says, and the current view is saved.

use egui::{Button, Ui};

use super::super::{Action, App, Workspace, icons};
use super::Viewport;
use dispatch::Present;
use geometry::viewpoint::Viewpoint;
use render::Cut;
use session::presentation::{Clip, SavedView, Shows};
use texts::text;

impl Viewport {
    fn look_as(&mut self, viewpoint: &Viewpoint) {
        self.camera.look_as(viewpoint);
        self.auto_fit = false;
        self.spot = None;
    }
}

impl App {
    /// Looks as a saved view says.
    pub(in super::super) fn look_at_saved(&mut self, name: &str) {
        let Some(view) = self.dispatcher.document.plan.presentation.views.get(name).cloned() else { return };
        let Shows { nominal, nominal_opacity, edges, scan, deviations, on_nominal, flags } = view.shows;
        let shown = &mut self.display.shown;
        (shown.nominal, shown.nominal_opacity, shown.edges) = (nominal, nominal_opacity, edges);
        (shown.actual, shown.deviations, shown.on_nominal) = (scan, deviations, on_nominal);
        self.display.hides_callouts = !flags;
        self.display.section.clips = false;
        self.display.clip = view.clip;
        self.preview = None;
        if self.workspace == Workspace::Calibrate {
            self.workspace = Workspace::Compare;
        }
        if let Some(viewport) = &mut self.viewport {
            viewport.look_as(&view.viewpoint);
        }
    }

    /// Saves the current view, under a new name or in place of the saved one of this name.
    pub(in super::super) fn save_view(&mut self, name: Option<String>) {
        let views = &self.dispatcher.document.plan.presentation.views;
        let name = name.unwrap_or_else(|| views.free_name());
        let in_report = views.get(&name).is_none_or(|view| view.in_report);
        let Some(viewport) = &self.viewport else { return };
        let viewpoint = viewport.camera.viewpoint();
        let clip = self.cut().map(|cut| Clip { at_mm: cut.at.into(), normal: cut.normal.into() });
        let shown = &self.display.shown;
        let shows = Shows {
            nominal: shown.nominal,
            nominal_opacity: shown.nominal_opacity,
            edges: shown.edges,
            scan: shown.actual,
            deviations: shown.deviations,
            on_nominal: shown.on_nominal,
            flags: !self.display.hides_callouts,
        };
        self.send(Present::SaveView(SavedView { name, viewpoint, clip, shows, in_report }));
    }

    /// The plane that clips the view: that of the section that is looked at, or of a saved view.
    pub(super) fn cut(&self) -> Option<Cut> {
        let display = &self.display.section;
        // A click would pick what is cut away.
        let is_picking = self.display.picking.is_some();
        let of_section = self.shown_section().filter(|_| display.clips && !is_picking).and_then(|section| {
            let plane = section.planes.get(display.plane)?.plane;
            let normal = if display.is_flipped { plane.normal } else { -plane.normal };
            Some(Cut { at: plane.origin, normal })
        });
        // Elsewhere the frame is another.
        let is_elsewhere = matches!(self.workspace, Workspace::Calibrate | Workspace::Offset);
        let saved = self.display.clip.as_ref().filter(|_| !is_elsewhere && !is_picking);
        of_section.or_else(|| saved.map(report::cut))
    }

    /// Menu of the saved views in the toolbar, and the button that ends the clipping by one of them.
    pub(super) fn views_menu(&mut self, ui: &mut Ui, fill: egui::Color32, is_narrow: bool) {
        if self.workspace == Workspace::Calibrate || self.dispatcher.document.nominal().is_none() {
            return;
        }
        let names: Vec<String> =
            self.dispatcher.document.plan.presentation.views.all().iter().map(|view| view.name.clone()).collect();
        let shown = |name: &str| if is_narrow { String::new() } else { name.to_owned() };
        let label = text!("viewport-views");
        let button = Button::new((icons::atom(icons::VIEWS, None), shown(&label))).fill(fill);
        let (response, _) = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
            ui.set_min_width(160.0);
            if ui.button(text!("viewport-save-view")).clicked() {
                self.actions.push(Action::SaveView(None));
            }
            if !names.is_empty() {
                ui.separator();
            }
            for name in names {
                if ui.button(&name).clicked() {
                    self.actions.push(Action::LookAs(name));
                }
            }
        });
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &label));
        response.on_hover_text(text!("viewport-views-hint"));
        if self.display.clip.is_some() {
            let label = text!("viewport-end-clipping");
            let button = Button::new((icons::atom(icons::CLIP, None), shown(&label))).fill(fill);
            let response = ui.add(button);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &label));
            if response.on_hover_text(text!("viewport-end-clipping-hint")).clicked() {
                self.display.clip = None;
            }
        }
    }
}
