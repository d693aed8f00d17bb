//! Contours of the selected section on the GPU, and the edge of the nominal that it lies along.

use std::sync::Arc;

use super::same;
use geometry::Point;
use inspect::section::Section;
use render::{Gpu, LinesItem};

/// The contours shown in the 3D view.
#[derive(Default)]
pub(super) struct SectionLines {
    shown: Option<SectionItems>,
}

/// What is drawn of a section.
struct SectionItems {
    section: Arc<Section>,
    contours: LinesItem,
    /// The edge that its planes are perpendicular to; `None` for other planes.
    edge: Option<LinesItem>,
}

impl SectionLines {
    /// Updates them to a section.
    pub(super) fn update(&mut self, gpu: &Gpu, section: Option<Arc<Section>>) {
        if same(self.shown.as_ref().map(|own| &own.section), section.as_ref()) {
            return;
        }
        self.shown = section.map(|section| {
            let contours = LinesItem::new(gpu, &lines(&section));
            let edge = (!section.edge.is_empty()).then(|| LinesItem::new(gpu, std::slice::from_ref(&section.edge)));
            SectionItems { section, contours, edge }
        });
    }

    pub(super) fn contours(&self) -> Option<&LinesItem> {
        self.shown.as_ref().map(|own| &own.contours)
    }

    /// The edge of the nominal that the planes are perpendicular to.
    pub(super) fn edge(&self) -> Option<&LinesItem> {
        self.shown.as_ref()?.edge.as_ref()
    }

    /// Identifies what is shown; 0 for nothing.
    pub(super) fn key(&self) -> usize {
        super::address(self.shown.as_ref().map(|own| &own.section))
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
