//! The surface of the scan: made on another thread once the scan is shown, and drawn in place of its points from then on.

use std::sync::Arc;

use compute::Backend;
use geometry::simplify;
use inspect::parts::Actual;
use render::{Gpu, PointsItem, SurfaceItem};
use session::jobs::Job;

/// The surface of a scan, as far as it is made.
#[derive(Default)]
pub(super) struct ScanSurface {
    /// Ends with fewer facets, to draw while the view moves, where all are too many for that.
    meshing: Option<Job<Option<Vec<[u32; 3]>>>>,
    item: Option<SurfaceItem>,
    /// Whether it was asked for.
    is_begun: bool,
}

impl ScanSurface {
    /// Begins to make the surface of `actual`, and takes it over once it is made.
    pub fn update(
        &mut self,
        (gpu, context): (&Gpu, &egui::Context),
        (actual, points): (&Arc<Actual>, &PointsItem),
        backend: &Arc<dyn Backend>,
    ) {
        if !self.is_begun && actual.shows_surface() && points.can_carry_surface() {
            self.is_begun = true;
            let (actual, backend, context) = (Arc::clone(actual), Arc::clone(backend), context.clone());
            let budget = gpu.moving_facets();
            let work = move |progress: &base::Progress| {
                let facets = &actual.surface(backend.as_ref(), progress)?.corners;
                Ok((facets.len() > budget).then(|| simplify::clustered(&actual.cloud.points, facets, budget)))
            };
            self.meshing = Some(Job::start_aside("Meshing the scan", move || context.request_repaint(), work));
        }
        if let Some(made) = self.meshing.as_ref().and_then(Job::poll) {
            self.meshing = None;
            // Without a surface the points are drawn.
            let (Ok(coarse), Some(surface)) = (made, actual.made_surface()) else { return };
            let facets = (surface.corners.as_slice(), coarse.as_deref());
            self.item = SurfaceItem::new(gpu, points, facets, &surface.normals);
        }
    }

    /// The surface, if it is wanted and made.
    pub fn item(&self, is_wanted: bool) -> Option<&SurfaceItem> {
        self.item.as_ref().filter(|_| is_wanted)
    }

    pub fn is_meshing(&self) -> bool {
        self.meshing.is_some()
    }
}

impl Drop for ScanSurface {
    fn drop(&mut self) {
        if let Some(meshing) = &self.meshing {
            meshing.cancel();
        }
    }
}
