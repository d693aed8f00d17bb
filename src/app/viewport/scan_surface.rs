//! The surface of the scan: made on another thread once the scan is shown, and drawn in place of its points from then on. The
//! points that are left out of it are uploaded when they are asked for.

use std::sync::Arc;

use compute::Backend;
use geometry::{Point, simplify};
use inspect::parts::Actual;
use render::{Gpu, PointsItem, SurfaceItem};
use session::jobs::Job;

/// The surface of a scan, as far as it is made.
#[derive(Default)]
pub(super) struct ScanSurface {
    /// Ends with fewer facets, to draw while the view moves, where all are too many for that.
    meshing: Option<Job<Option<Vec<[u32; 3]>>>>,
    item: Option<SurfaceItem>,
    left_out: Option<LeftOut>,
    /// Whether it was asked for.
    is_begun: bool,
}

/// The points of the scan that are a corner of no facet.
pub(super) struct LeftOut {
    /// Their indices in the scan.
    pub indices: Vec<u32>,
    pub item: PointsItem,
    /// Whether the item has values and marks.
    pub is_shaded: bool,
}

impl LeftOut {
    fn new(gpu: &Gpu, points: &[Point], corners: &[[u32; 3]]) -> Self {
        let indices = left_out(points.len(), corners);
        let points: Vec<Point> = indices.iter().map(|&index| points[index as usize]).collect();
        Self { indices, item: PointsItem::new(gpu, &points), is_shaded: false }
    }
}

/// Indices of those of so many points that are a corner of no facet, ascending.
fn left_out(count: usize, corners: &[[u32; 3]]) -> Vec<u32> {
    let mut is_corner = vec![false; count];
    corners.iter().flatten().for_each(|&corner| is_corner[corner as usize] = true);
    (0..).zip(is_corner).filter_map(|(index, is_corner)| (!is_corner).then_some(index)).collect()
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

    /// Uploads the points that are left out, unless there are none or that is done.
    pub fn upload_left_out(&mut self, gpu: &Gpu, actual: &Actual) {
        let surface = actual.made_surface().filter(|surface| surface.left_out > 0 && self.item.is_some());
        if let (None, Some(surface)) = (&self.left_out, surface) {
            self.left_out = Some(LeftOut::new(gpu, &actual.cloud.points, &surface.corners));
        }
    }

    /// The points that are left out, if they are wanted and uploaded.
    pub fn left_out(&self, is_wanted: bool) -> Option<&LeftOut> {
        self.left_out.as_ref().filter(|_| is_wanted)
    }

    /// The points that are left out, to be shaded.
    pub fn left_out_mut(&mut self) -> Option<&mut LeftOut> {
        self.left_out.as_mut()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_no_facet_are_left_out() {
        assert_eq!(left_out(7, &[[0, 1, 2], [2, 1, 5]]), [3, 4, 6]);
        assert_eq!(left_out(3, &[[2, 0, 1]]), Vec::<u32>::new());
        assert_eq!(left_out(2, &[]), [0, 1]);
    }
}
