//! Edges of the nominal: found on another thread, and drawn over it from then on.

use std::sync::Arc;

use geometry::Point;
use inspect::parts::Nominal;
use render::{Gpu, LinesItem};
use session::jobs::Job;

/// The edges of a nominal, as far as they are found.
#[derive(Default)]
pub(super) struct NominalEdges {
    of: Option<Arc<Nominal>>,
    finding: Option<Job<Vec<Vec<Point>>>>,
    item: Option<LinesItem>,
}

impl NominalEdges {
    /// Begins to find the edges of another nominal, and takes them over once they are found.
    pub fn update(&mut self, (gpu, context): (&Gpu, &egui::Context), nominal: Option<&Arc<Nominal>>) {
        if !super::same(self.of.as_ref(), nominal) {
            *self = Self { of: nominal.cloned(), ..Self::default() };
            if let Some(nominal) = nominal.cloned() {
                let (context, max_segments) = (context.clone(), gpu.line_segments());
                let work = move |_: &base::Progress| Ok(nominal.edges(max_segments));
                self.finding = Some(Job::start_aside("Finding edges", move || context.request_repaint(), work));
            }
        }
        if let Some(found) = self.finding.as_ref().and_then(Job::poll) {
            self.finding = None;
            self.item = found.ok().filter(|lines| !lines.is_empty()).map(|lines| LinesItem::new(gpu, &lines));
        }
    }

    pub fn item(&self) -> Option<&LinesItem> {
        self.item.as_ref()
    }

    pub fn is_finding(&self) -> bool {
        self.finding.is_some()
    }
}
