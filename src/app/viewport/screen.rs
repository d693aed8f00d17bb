//! What the scene is drawn into and egui shows: a target of the view's size, and where a software rasteriser draws, a
//! smaller one for as long as the view moves.

use eframe::egui_wgpu::RenderState;

use crate::render::{Gpu, Target};

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
    state: RenderState,
    whole: Option<Target>,
    reduced: Option<Target>,
    shown: Quality,
    texture: Option<egui::TextureId>,
}

impl Screen {
    /// On the window's device; targets are made when first drawn into.
    pub fn new(state: &RenderState) -> Self {
        Self { state: state.clone(), whole: None, reduced: None, shown: Quality::Whole, texture: None }
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
        self.shown = quality;
        let filter = match quality {
            Quality::Reduced => wgpu::FilterMode::Linear,
            Quality::Whole => wgpu::FilterMode::Nearest,
        };
        let Some(target) = self.current() else { return };
        let mut renderer = self.state.renderer.write();
        match self.texture {
            Some(texture) => {
                renderer.update_egui_texture_from_wgpu_texture(&gpu.device, &target.picture, filter, texture);
            }
            None => {
                let texture = renderer.register_native_texture(&gpu.device, &target.picture, filter);
                drop(renderer);
                self.texture = Some(texture);
            }
        }
    }

    fn current(&self) -> Option<&Target> {
        match self.shown {
            Quality::Reduced => self.reduced.as_ref(),
            Quality::Whole => self.whole.as_ref(),
        }
    }

    /// The target whose pixels are those of the view, for picking; `None` while a reduced one is shown.
    pub fn pickable(&self) -> Option<&Target> {
        self.whole.as_ref().filter(|_| self.shown == Quality::Whole)
    }

    /// What egui shows.
    pub fn texture(&self) -> egui::TextureId {
        self.texture.unwrap_or_default()
    }
}
