//! Render targets shown by egui: one of the size of the view and, on a software rasteriser, a smaller one while the
//! view moves.

use eframe::egui_wgpu::{Callback, CallbackResources, CallbackTrait};

use render::blit::{Blit, BoundPicture};
use render::{Gpu, Target};

/// Quality of a rendered view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Within the budgets for a moving view.
    Reduced,
    /// Complete.
    Full,
}

/// Render targets of a viewport, and the picture shown.
pub struct Screen {
    blit: Blit,
    full: Option<Target>,
    reduced: Option<Target>,
    shown: Option<(Quality, BoundPicture)>,
}

/// Paints the picture in egui's render pass.
struct Paint(BoundPicture);

impl CallbackTrait for Paint {
    fn paint(
        &self,
        _info: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        _resources: &CallbackResources,
    ) {
        self.0.draw(pass);
    }
}

impl Screen {
    /// For a window of this texture format; targets are created on first use.
    pub fn new(gpu: &Gpu, window: wgpu::TextureFormat) -> Self {
        Self { blit: Blit::new(gpu, window), full: None, reduced: None, shown: None }
    }

    /// The target for a view of `size` pixels. It is not shown before [`Self::show`] is called.
    pub fn target(&mut self, gpu: &Gpu, size: [u32; 2], quality: Quality) -> &Target {
        let (slot, shrink) = match quality {
            Quality::Reduced => (&mut self.reduced, gpu.moving_shrink()),
            Quality::Full => (&mut self.full, 1),
        };
        let wanted = size.map(|pixels| pixels.div_ceil(shrink).max(1));
        match slot.take().filter(|target| target.size == wanted) {
            Some(target) => slot.insert(target),
            None => slot.insert(Target::new(gpu, wanted[0], wanted[1])),
        }
    }

    /// Shows the last view drawn in this quality.
    pub fn show(&mut self, gpu: &Gpu, quality: Quality) {
        let target = match quality {
            Quality::Reduced => self.reduced.as_ref(),
            Quality::Full => self.full.as_ref(),
        };
        let is_scaled = quality == Quality::Reduced;
        self.shown = target.map(|target| (quality, self.blit.picture(gpu, target, is_scaled)));
    }

    /// Paints the shown picture into `rect` of the window.
    pub fn paint(&self, ui: &egui::Ui, rect: egui::Rect) {
        if let Some((_, shown)) = &self.shown {
            ui.painter().add(Callback::new_paint_callback(rect, Paint(shown.clone())));
        }
    }

    /// The full-size target, for picking; `None` while a reduced one is shown.
    pub fn pickable(&self) -> Option<&Target> {
        let is_full = self.shown.as_ref().is_some_and(|(quality, _)| *quality == Quality::Full);
        self.full.as_ref().filter(|_| is_full)
    }
}
