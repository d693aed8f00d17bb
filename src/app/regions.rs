//! The regions of the window that F6 leads the keyboard through.

use egui::{FocusDirection, Id, Sense};

/// A region of the window, in the order that F6 goes through them.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Region {
    /// Menus and the names of the rooms.
    #[default]
    Top,
    /// The panel of the room, at the right.
    Room,
    /// The tree of elements, at the left.
    Elements,
    /// The table of results, at the bottom, while it is open.
    Results,
}

/// Where F6 was last, and where it leads to.
#[derive(Default)]
pub struct Regions {
    last: Region,
    /// The region that is to have the keyboard once it is drawn.
    wanted: Option<Region>,
    /// Whether its first widget is to have it in the next frame.
    enters: bool,
}

impl Regions {
    /// Leads on to the next region.
    pub fn go_on(&mut self, has_results: bool) {
        self.last = match self.last {
            Region::Top => Region::Room,
            Region::Room => Region::Elements,
            Region::Elements if has_results => Region::Results,
            Region::Elements | Region::Results => Region::Top,
        };
        self.wanted = Some(self.last);
    }

    /// Goes on to the first widget of a region entered in the last frame; before anything is drawn.
    pub fn follow(&mut self, context: &egui::Context) {
        if std::mem::take(&mut self.enters) {
            context.memory_mut(|memory| memory.move_focus(FocusDirection::Next));
        }
    }

    /// Marks where a region begins; its widgets are drawn next.
    pub fn begin(&mut self, ui: &egui::Ui, region: Region) {
        let mark = egui::Rect::from_min_size(ui.cursor().min, egui::Vec2::ZERO);
        let id = Id::unique(("region", region as u8));
        // Only while it is wanted: Tab would stop at it.
        if self.wanted == Some(region) || ui.memory(|memory| memory.has_focus(id)) {
            ui.interact(mark, id, Sense::focusable_noninteractive());
        }
        if self.wanted.take_if(|wanted| *wanted == region).is_some() {
            ui.memory_mut(|memory| memory.request_focus(id));
            self.enters = true;
            ui.ctx().request_repaint();
        }
    }
}
