//! A name in the tree that is being changed.

use egui::{Key, Ui};

use super::super::named;
use texts::text;

/// Renaming of one of the things of a kind, which `T` tells apart.
#[derive(Clone, Debug)]
pub struct NameEdit<T> {
    /// What is being renamed, and its name so far.
    of: Option<(T, String)>,
    name: String,
    /// Whether the field is to get the keyboard focus.
    wants_focus: bool,
}

impl<T> Default for NameEdit<T> {
    fn default() -> Self {
        Self { of: None, name: String::new(), wants_focus: false }
    }
}

impl<T: PartialEq> NameEdit<T> {
    /// Begins with the name so far.
    pub fn begin(&mut self, of: T, name: &str) {
        *self = Self { of: Some((of, name.to_owned())), name: name.to_owned(), wants_focus: true };
    }

    /// Whether something is being renamed.
    pub fn is_active(&self) -> bool {
        self.of.is_some()
    }

    /// Whether this is being renamed.
    pub fn is_of(&self, of: &T) -> bool {
        self.of.as_ref().is_some_and(|(own, _)| own == of)
    }

    /// The field. Enter or a click elsewhere applies the name, which is returned if it is another one; Esc keeps the old.
    pub fn show(&mut self, ui: &mut Ui) -> Option<(T, String)> {
        let field = ui.add(egui::TextEdit::singleline(&mut self.name).desired_width(f32::INFINITY));
        named(&field, &text!("elements-new-name"));
        if std::mem::take(&mut self.wants_focus) {
            field.request_focus();
        }
        if !field.lost_focus() {
            return None;
        }
        let Self { of, name, .. } = std::mem::take(self);
        let (of, before) = of?;
        let is_kept = ui.input(|input| input.key_pressed(Key::Escape)) || name.trim() == before;
        (!is_kept).then_some((of, name))
    }
}
