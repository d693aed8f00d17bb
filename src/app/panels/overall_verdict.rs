//! The overall verdict, made once for each state of the document: several panels show it in every frame, and each of
//! thousands of own tolerances has a remark.

use std::sync::Arc;

use session::verdict::{self, Overall};
use session::{Document, DocumentState};
use texts::Language;

/// The overall verdict that was made last.
#[derive(Default)]
pub(crate) struct OverallVerdict(Option<(DocumentState, Language, Option<Arc<Overall>>)>);

impl OverallVerdict {
    /// The overall verdict of `document`; `None` if there is nothing to judge.
    pub fn of(&mut self, document: &Document) -> Option<Arc<Overall>> {
        let (state, language) = (document.current_state(), texts::language());
        if self.0.as_ref().is_none_or(|(made_of, spoken, _)| *made_of != state || *spoken != language) {
            self.0 = Some((state, language, verdict::overall(document).map(Arc::new)));
        }
        self.0.as_ref()?.2.clone()
    }
}
