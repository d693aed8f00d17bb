//! Undo and redo. Each step is the whole document before and after; unchanged data are shared between steps.

use super::Document;

/// One change.
struct Step {
    label: String,
    document: Document,
    bytes: u64,
}

/// The document's past and future.
#[derive(Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
}

/// Oldest steps are dropped beyond this.
const MOST_BYTES: u64 = 4 << 30;
/// And beyond this many.
const MOST_STEPS: usize = 200;

impl History {
    /// Keeps `before` as the state to return to from a change called `label`. A fresh change clears redo.
    pub fn record(&mut self, label: impl Into<String>, before: Document, now: &Document) {
        let bytes = before.bytes_beyond(now);
        self.past.push(Step { label: label.into(), document: before, bytes });
        self.future.clear();
        while self.past.len() > MOST_STEPS || (self.past.len() > 1 && self.bytes() > MOST_BYTES) {
            self.past.remove(0);
        }
    }

    /// Goes back one step; returns what was undone.
    pub fn undo(&mut self, document: &mut Document) -> Option<String> {
        let step = self.past.pop()?;
        let undone = std::mem::replace(document, step.document);
        let bytes = undone.bytes_beyond(document);
        self.future.push(Step { label: step.label.clone(), document: undone, bytes });
        Some(step.label)
    }

    /// Goes forward one step; returns what was redone.
    pub fn redo(&mut self, document: &mut Document) -> Option<String> {
        let step = self.future.pop()?;
        let before = std::mem::replace(document, step.document);
        let bytes = before.bytes_beyond(document);
        self.past.push(Step { label: step.label.clone(), document: before, bytes });
        Some(step.label)
    }

    /// What undo would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.past.last().map(|step| step.label.as_str())
    }

    /// What redo would bring back.
    pub fn redo_label(&self) -> Option<&str> {
        self.future.last().map(|step| step.label.as_str())
    }

    /// Bytes held only for undo.
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
