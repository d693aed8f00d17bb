//! Strokes on their way: a graphics card looks for the points under them, or a job does, and they become commands.

use std::sync::Arc;

use super::super::App;
use super::{Viewport, same};
use dispatch::{Calibrate, Command, Select};
use geometry::Subset;
use geometry::subset::Combine;
use inspect::parts::Actual;
use render::Gpu;
use render::selecting::on_device::Sweep;
use render::selecting::{self, Brushed};
use session::calibrating::Device;

impl App {
    /// Looks for the points under a stroke where that is fastest: on a graphics card, or by a job.
    pub(super) fn sweep(&mut self, ui: &egui::Ui, viewport: &mut Viewport, stroke: selecting::Stroke, target: Target) {
        let gpu = viewport.gpu();
        let Some(shown) = viewport.actual.as_ref().filter(|_| !gpu.is_software) else {
            if target.region.is_none() {
                viewport.foresee(&stroke, target.how, &self.dispatcher.document.points.selected);
            }
            // The job would take the processor from the picture that shows it: first that.
            self.strokes_next.push_back(target.command(Brushed::Under(Box::new(stroke))));
            return ui.ctx().request_repaint();
        };
        match viewport.sweeper.start(&gpu, &shown.item, &stroke) {
            Some(sweep) => {
                let of = Arc::clone(&shown.of);
                self.sweeping.push_back(Sweeping { sweep, gpu, stroke, of, target });
                ui.ctx().request_repaint();
            }
            None => self.send(target.command(Brushed::Points(Subset::default()))),
        }
    }

    /// Sends strokes that were shown, and takes in what a graphics card has found under others, in their order.
    pub(in super::super) fn follow_strokes(&mut self, context: &egui::Context) {
        while let Some(command) = self.strokes_next.pop_front() {
            self.send(command);
        }
        while let Some(next) = self.sweeping.front() {
            let Some(found) = next.sweep.poll(&next.gpu) else {
                context.request_repaint();
                return;
            };
            let Some(done) = self.sweeping.pop_front() else { return };
            let document = &self.dispatcher.document;
            let actual = match done.target.region {
                Some((device, _)) => document.calibration.of(device).actual.clone(),
                None => document.shared_actual(),
            };
            // Numbers of points of a scan that is gone mean nothing.
            if same(Some(&done.of), actual.as_ref()) {
                let found = found.map_or_else(|| Brushed::Under(Box::new(done.stroke)), Brushed::Points);
                self.send(done.target.command(found));
            }
        }
    }
}

/// What a stroke changes, and how.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// A region of the artefact; else the selection.
    pub region: Option<(Device, usize)>,
    /// How.
    pub how: Combine,
}

impl Target {
    fn command(self, stroke: Brushed) -> Command {
        match self {
            Self { region: Some((device, region)), how } => {
                Command::Calibrate(Calibrate::BrushRegion { device, region, stroke, how })
            }
            Self { region: None, how } => Command::Select(Select::Brush { stroke, how }),
        }
    }
}

/// A stroke whose points a graphics card looks for.
pub(in super::super) struct Sweeping {
    sweep: Sweep,
    gpu: Gpu,
    stroke: selecting::Stroke,
    /// The points that it looks among.
    of: Arc<Actual>,
    target: Target,
}
