//! Pending strokes: the points under a stroke are found on the GPU or by a job, then the stroke becomes a command.

use std::sync::Arc;

use super::super::App;
use super::{Viewport, same};
use dispatch::{Calibrate, Command, Select};
use geometry::Subset;
use geometry::subset::Combine;
use inspect::parts::Actual;
use render::Gpu;
use render::selecting::on_device::PendingSelection;
use render::selecting::{self, Brushed};
use session::calibration::Instrument;

impl App {
    /// Starts to select the points under a stroke: on the GPU if there is one, otherwise by a job.
    pub(super) fn select_under_stroke(
        &mut self,
        ui: &egui::Ui,
        viewport: &mut Viewport,
        stroke: selecting::Stroke,
        target: Target,
    ) {
        let gpu = viewport.gpu();
        let Some(shown) = viewport.actual.as_ref().filter(|_| !gpu.is_software) else {
            if target.region.is_none() {
                viewport.preview_stroke(&stroke, target.how, &self.dispatcher.document.points.selected);
            }
            // The preview is drawn before the job occupies the CPU.
            self.queued_strokes.push_back(target.command(Brushed::Under(Box::new(stroke))));
            return ui.ctx().request_repaint();
        };
        match viewport.selector.start(&gpu, &shown.item, &stroke) {
            Some(selection) => {
                let actual = Arc::clone(&shown.source);
                self.pending_strokes.push_back(PendingStroke { selection, gpu, stroke, actual, target });
                ui.ctx().request_repaint();
            }
            None => self.send(target.command(Brushed::Points(Subset::default()))),
        }
    }

    /// Sends queued strokes, then those whose points the GPU has found, in order.
    pub(in super::super) fn follow_strokes(&mut self, context: &egui::Context) {
        while let Some(command) = self.queued_strokes.pop_front() {
            self.send(command);
        }
        while let Some(next) = self.pending_strokes.front() {
            let Some(found) = next.selection.poll(&next.gpu) else {
                context.request_repaint();
                return;
            };
            let Some(done) = self.pending_strokes.pop_front() else { return };
            let document = &self.dispatcher.document;
            let actual = match done.target.region {
                Some((instrument, _)) => document.calibration.of(instrument).actual.clone(),
                None => document.shared_actual(),
            };
            // Point indices are meaningless if the scan has been replaced.
            if same(Some(&done.actual), actual.as_ref()) {
                let found = found.map_or_else(|| Brushed::Under(Box::new(done.stroke)), Brushed::Points);
                self.send(done.target.command(found));
            }
        }
    }
}

/// Target of a stroke.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Region of the artefact; `None` for the selection.
    pub region: Option<(Instrument, usize)>,
    /// How the stroke changes it.
    pub how: Combine,
}

impl Target {
    fn command(self, stroke: Brushed) -> Command {
        match self {
            Self { region: Some((instrument, region)), how } => {
                Command::Calibrate(Calibrate::BrushRegion { instrument, region, stroke, how })
            }
            Self { region: None, how } => Command::Select(Select::Brush { stroke, how }),
        }
    }
}

/// A stroke whose points are being selected on the GPU.
pub(in super::super) struct PendingStroke {
    selection: PendingSelection,
    gpu: Gpu,
    stroke: selecting::Stroke,
    /// Scan that is selected from.
    actual: Arc<Actual>,
    target: Target,
}
