//! Undo and redo. Each step keeps a whole document; unchanged data are shared between the steps.

use super::Document;

/// One change and the document on its other side.
struct Step {
    label: String,
    document: Document,
    bytes: u64,
}

/// The undo and redo stacks.
#[derive(Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
}

/// The oldest steps are dropped when the stack holds more memory than this, bytes.
const MAX_BYTES: u64 = 4 << 30;
/// The oldest steps are dropped beyond this number.
const MAX_STEPS: usize = 200;

impl History {
    /// Records a change called `label`; undo returns to `before`. Clears redo.
    pub fn record(&mut self, label: impl Into<String>, before: Document, now: &Document) {
        let bytes = before.bytes_beyond(now);
        self.past.push(Step { label: label.into(), document: before, bytes });
        self.future.clear();
        while self.past.len() > MAX_STEPS || (self.past.len() > 1 && self.bytes() > MAX_BYTES) {
            self.past.remove(0);
        }
    }

    /// Goes back one step; returns the label of the undone change, `None` if there was none.
    pub fn undo(&mut self, document: &mut Document) -> Option<String> {
        let step = self.past.pop()?;
        let undone = std::mem::replace(document, step.document);
        let bytes = undone.bytes_beyond(document);
        self.future.push(Step { label: step.label.clone(), document: undone, bytes });
        Some(step.label)
    }

    /// Goes forward one step; returns the label of the redone change, `None` if there was none.
    pub fn redo(&mut self, document: &mut Document) -> Option<String> {
        let step = self.future.pop()?;
        let before = std::mem::replace(document, step.document);
        let bytes = before.bytes_beyond(document);
        self.past.push(Step { label: step.label.clone(), document: before, bytes });
        Some(step.label)
    }

    /// Label of the change that undo would revert.
    pub fn undo_label(&self) -> Option<&str> {
        self.past.last().map(|step| step.label.as_str())
    }

    /// Label of the change that redo would restore.
    pub fn redo_label(&self) -> Option<&str> {
        self.future.last().map(|step| step.label.as_str())
    }

    /// Estimated bytes held for undo alone.
    pub fn bytes(&self) -> u64 {
        self.past.iter().map(|step| step.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_scale(scale_mm: f64) -> Document {
        let mut document = Document::default();
        document.settings.scale_mm = scale_mm;
        document
    }

    #[test]
    fn undo_and_redo_walk_the_changes_and_a_fresh_change_clears_redo() {
        let mut history = History::default();
        let mut document = with_scale(1.0);
        for scale in [2.0, 3.0] {
            let before = std::mem::replace(&mut document, with_scale(scale));
            history.record(format!("scale {scale}"), before, &document);
        }
        assert_eq!(history.undo(&mut document).as_deref(), Some("scale 3"));
        assert_eq!(document.settings.scale_mm, 2.0);
        assert_eq!(history.undo(&mut document).as_deref(), Some("scale 2"));
        assert_eq!(history.undo(&mut document), None);
        assert_eq!(history.redo(&mut document).as_deref(), Some("scale 2"));
        assert_eq!(document.settings.scale_mm, 2.0);
        let before = std::mem::replace(&mut document, with_scale(9.0));
        history.record("scale 9", before, &document);
        assert_eq!(history.redo_label(), None);
    }
}
