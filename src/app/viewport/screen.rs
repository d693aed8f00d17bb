//! What the scene is drawn into and egui shows: a target of the view's size, and where a software rasteriser draws, a
//! smaller one for as long as the view moves.

use eframe::egui_wgpu::{Callback, CallbackResources, CallbackTrait};

use render::blit::{Blit, Shown};
use render::{Gpu, Target};

/// How well a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Within the budgets of a moving view.
    Reduced,
    /// All of it.
    Whole,
}

/// See the module.
pub struct Screen {
    blit: Blit,
    whole: Option<Target>,
    reduced: Option<Target>,
    shown: Option<(Quality, Shown)>,
}

/// Paints the picture in egui's pass.
struct Paint(Shown);

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
    /// For a window of this format; targets are made when first drawn into.
    pub fn new(gpu: &Gpu, window: wgpu::TextureFormat) -> Self {
        Self { blit: Blit::new(gpu, window), whole: None, reduced: None, shown: None }
    }

    /// The target to draw a view of `size` pixels into. A new one is not shown before [`Self::show`].
    pub fn target(&mut self, gpu: &Gpu, size: [u32; 2], quality: Quality) -> &Target {
        let (slot, shrink) = match quality {
            Quality::Reduced => (&mut self.reduced, gpu.moving_shrink()),
            Quality::Whole => (&mut self.whole, 1),
        };
        let wanted = size.map(|pixels| pixels.div_ceil(shrink).max(1));
        match slot.take().filter(|target| target.size == wanted) {
            Some(target) => slot.insert(target),
            None => slot.insert(Target::new(gpu, wanted[0], wanted[1])),
        }
    }

    /// Shows what was drawn last in this quality.
    pub fn show(&mut self, gpu: &Gpu, quality: Quality) {
        let target = match quality {
            Quality::Reduced => self.reduced.as_ref(),
            Quality::Whole => self.whole.as_ref(),
        };
        let smooth = quality == Quality::Reduced;
        self.shown = target.map(|target| (quality, self.blit.picture(gpu, target, smooth)));
    }

    /// Puts what is shown into `rect` of the window.
    pub fn paint(&self, ui: &egui::Ui, rect: egui::Rect) {
        if let Some((_, shown)) = &self.shown {
            ui.painter().add(Callback::new_paint_callback(rect, Paint(shown.clone())));
        }
    }

    /// The target whose pixels are those of the view, for picking; `None` while a reduced one is shown.
    pub fn pickable(&self) -> Option<&Target> {
        let is_whole = self.shown.as_ref().is_some_and(|(quality, _)| *quality == Quality::Whole);
        self.whole.as_ref().filter(|_| is_whole)
    }
}
