//! Turning a panel from one thing to another. What was being edited is drawn once more before that, as fields take what
//! was typed when they are drawn without the keyboard.

use egui::{Id, Ui};

use crate::edits;

/// A choice among the things that a panel shows, while they are drawn.
pub struct Turn<T> {
    id: Id,
    /// Whether a field had the keyboard when the panel began to be drawn.
    was_editing: bool,
    /// What was chosen in the last frame, and waits for the end of this one.
    due: Option<T>,
}

impl<T: Copy + PartialEq + Send + Sync + 'static> Turn<T> {
    /// Begins before anything of the panel is drawn; `salt` is unique in the panel.
    pub fn begin(ui: &Ui, salt: &'static str) -> Self {
        let id = ui.scope_id().with(("turn", salt));
        let due = ui.data(|data| data.get_temp::<T>(id));
        if due.is_some() {
            ui.data_mut(|data| data.remove::<T>(id));
            edits::end(ui.ctx());
        }
        Self { id, was_editing: ui.ctx().text_edit_focused(), due }
    }

    /// Whether a field had the keyboard when the panel began to be drawn.
    pub fn was_editing(&self) -> bool {
        self.was_editing
    }

    /// What is to be drawn in this frame: `shown`, which was shown before it, where a field of it may have been edited.
    pub fn drawn(&self, shown: T, chosen: T) -> T {
        if self.was_editing || self.due.is_some() { shown } else { chosen }
    }

    /// Ends when all is drawn; `chosen` is what was chosen in place of `shown`, and what is shown from the next frame on.
    pub fn end(self, ui: &Ui, shown: T, chosen: &mut T) {
        if *chosen != shown && self.was_editing {
            ui.data_mut(|data| data.insert_temp(self.id, *chosen));
            *chosen = shown;
            ui.ctx().request_repaint();
        } else if *chosen == shown
            && let Some(due) = self.due
        {
            *chosen = due;
        }
        if *chosen != shown {
            ui.ctx().request_repaint();
        }
    }
}
