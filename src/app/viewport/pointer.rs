//! The pointer in the viewport: it moves the camera, and what lies beneath it is read back from the picture.

use std::time::{Duration, Instant};

use super::{ACTUAL, LEFT_OUT, NOMINAL, Viewport, brush};
use render::picking::Pick;

impl Viewport {
    /// Moves the camera with the mouse.
    pub(super) fn navigate(&mut self, ui: &egui::Ui, response: &egui::Response, brush: Option<brush::Tool>) {
        let scale = ui.ctx().pixels_per_point();
        let before = self.camera.clip_from_local();
        let delta = response.drag_delta();
        let (shift, alt) = ui.input(|input| (input.modifiers.shift, input.modifiers.alt));
        let brushes = brush.is_some() && !alt;
        let pans = response.dragged_by(egui::PointerButton::Middle)
            || response.dragged_by(egui::PointerButton::Secondary)
            || (shift && !brushes && response.dragged_by(egui::PointerButton::Primary));
        if pans {
            self.camera.pan((delta.x * scale, delta.y * scale));
        } else if !brushes && response.dragged_by(egui::PointerButton::Primary) {
            self.camera.orbit((delta.x, delta.y));
        }
        if let Some(pointer) = response.hover_pos() {
            let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            // With the circle brush the wheel sets its radius; with Ctrl it still zooms.
            let wheel = if brush == Some(brush::Tool::Circle) { 0.0 } else { wheel };
            let factor = (wheel * 0.004).exp() * pinch;
            if (factor - 1.0).abs() > 1e-4 {
                let at = (pointer - response.rect.min) * scale;
                self.camera.zoom(factor, (at.x, at.y));
            }
        }
        if self.camera.clip_from_local() != before {
            self.auto_fit = false;
            self.moved_at = Some(Instant::now());
        }
    }

    /// Turns the view by a drag, screen points.
    pub(super) fn orbit(&mut self, delta: egui::Vec2) {
        self.camera.orbit((delta.x, delta.y));
        self.auto_fit = false;
        self.moved_at = Some(Instant::now());
    }

    /// Requests and polls the element under the pointer.
    pub(super) fn hover(&mut self, context: &egui::Context, response: &egui::Response) {
        let gpu = self.gpu();
        if let Some(answer) = self.pick.as_ref().and_then(|pick| pick.poll(&gpu)) {
            self.pick = None;
            if self.hovered != answer {
                self.hovered = answer;
                context.request_repaint();
            }
        }
        let pointer = response.hover_pos();
        if pointer.is_none() {
            self.hovered = None;
            self.hovered_at = None;
        }
        // Over the background the answer is that nothing is there.
        if pointer == self.hovered_at && self.pick.is_none() {
            return;
        }
        if let (Some(pointer), Some(target), None) = (pointer, self.screen.pickable(), &self.pick)
            && !response.dragged()
        {
            let at = (pointer - response.rect.min) * context.pixels_per_point();
            self.pick = Some(Pick::start(&gpu, target, [at.x.max(0.0) as u32, at.y.max(0.0) as u32]));
            self.hovered_at = Some(pointer);
            context.request_repaint_after(Duration::from_millis(15));
        } else if self.pick.is_some() {
            context.request_repaint_after(Duration::from_millis(15));
        }
    }

    /// Index in the cloud of the point under the pointer.
    pub(super) fn hovered_point(&self) -> Option<usize> {
        let picked = self.hovered?;
        let drawn = picked.element as usize;
        match picked.id {
            ACTUAL => Some(self.actual.as_ref()?.item.index(drawn)),
            LEFT_OUT => {
                let left_out = self.scan_surface.left_out(true)?;
                left_out.indices.get(left_out.item.index(drawn)).map(|index| *index as usize)
            }
            _ => None,
        }
    }

    /// Index of the nominal's facet under the pointer.
    pub(super) fn hovered_facet(&self) -> Option<usize> {
        self.hovered.filter(|picked| picked.id == NOMINAL).map(|picked| picked.element as usize)
    }
}
