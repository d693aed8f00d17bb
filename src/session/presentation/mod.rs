//! How a plan's results are shown on every part: saved views, and what the report contains.

pub mod contents;
pub mod views;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use contents::{Contents, ReportSection};
pub use views::{Clip, SavedView, SavedViews, Shows};

/// How the results of a plan are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Presentation {
    /// Views of the part.
    pub views: SavedViews,
    /// Sections and views of the report.
    pub report: Contents,
}

impl Presentation {
    /// Reads what can be read; the notes name the rest.
    pub(crate) fn salvage(value: &Value) -> (Self, Vec<String>) {
        let (mut own, mut notes) = (Self::default(), Vec::new());
        if let Some(report) = value.get("report") {
            let (contents, unknown) = Contents::salvage(report);
            own.report = contents;
            notes.extend(unknown.iter().map(|name| format!("The report's section or view {name} is not known here.")));
        }
        for view in value.get("views").and_then(Value::as_array).into_iter().flatten() {
            let name = view.get("name").and_then(Value::as_str).unwrap_or_default();
            let read = SavedView::deserialize(view).ok().filter(|view| own.views.get(&view.name).is_none());
            if read.is_none_or(|view| own.views.put(view).is_err()) {
                notes.push(format!("The saved view “{name}” could not be read and was left out."));
            }
        }
        (own, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named_and_the_rest_is_kept() {
        let viewpoint = r#"{"target_mm": [1, 2, 3], "to_eye": [0, -1, 0], "up": [0, 0, 1], "size_mm": [80, 60],
            "is_perspective": true}"#;
        let text = format!(
            r#"{{"report": {{"order": ["sources"], "left_out": ["coverage"]}}, "views": [
                {{"name": "Rib", "viewpoint": {viewpoint}}}, {{"name": "Rib", "viewpoint": {viewpoint}}},
                {{"name": "Flat", "viewpoint": {}}}, 7]}}"#,
            viewpoint.replace("80", "0")
        );
        let (own, notes) = Presentation::salvage(&serde_json::from_str(&text).unwrap());
        assert_eq!(own.views.all().len(), 1);
        assert!(own.report.order()[0] == ReportSection::Sources && !own.report.has(ReportSection::Coverage));
        assert!(notes.len() == 3 && notes[0].contains("“Rib”") && notes[1].contains("“Flat”"), "{notes:?}");
        let (again, notes) = Presentation::salvage(&serde_json::to_value(&own).unwrap());
        assert_eq!((again, notes.len()), (own, 0));
        let (none, notes) = Presentation::salvage(&serde_json::json!({"report": {"order": ["hologram"]}}));
        assert!(none == Presentation::default() && notes.len() == 1 && notes[0].contains("hologram"), "{notes:?}");
        // What a newer version adds takes nothing away.
        let report = serde_json::json!({"left_out": ["coverage", "hologram"], "left_out_views": ["back", "askew"]});
        let (some, notes) = Presentation::salvage(&serde_json::json!({ "report": report }));
        assert!(!some.report.has(ReportSection::Coverage) && !some.report.has_view(base::StandardView::Back));
        assert_eq!(notes.len(), 2);
    }
}
