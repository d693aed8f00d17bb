//! Contours of the selected section on the GPU.

use std::sync::Arc;

use super::same;
use geometry::Point;
use inspect::section::Section;
use render::{Gpu, LinesItem};

/// The contours shown in the 3D view.
#[derive(Default)]
pub(super) struct SectionLines {
    shown: Option<(Arc<Section>, LinesItem)>,
}

impl SectionLines {
    /// Updates them to a section.
    pub(super) fn update(&mut self, gpu: &Gpu, section: Option<Arc<Section>>) {
        if same(self.shown.as_ref().map(|(own, _)| own), section.as_ref()) {
            return;
        }
        self.shown = section.map(|section| {
            let item = LinesItem::new(gpu, &lines(&section));
            (section, item)
        });
    }

    pub(super) fn item(&self) -> Option<&LinesItem> {
        self.shown.as_ref().map(|(_, item)| item)
    }

    /// Identifies what is shown; 0 for nothing.
    pub(super) fn key(&self) -> usize {
        super::address(self.shown.as_ref().map(|(own, _)| own))
    }
}

fn lines(section: &Section) -> Vec<Vec<Point>> {
    let contours = section.planes.iter().flat_map(|own| own.contours.iter().map(move |contour| (&own.plane, contour)));
    contours
        .map(|(plane, contour)| {
            let repeated = contour.points.first().filter(|_| contour.is_closed);
            contour.points.iter().chain(repeated).map(|point| plane.outward(*point)).collect()
        })
        .collect()
}
