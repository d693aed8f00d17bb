//! How a plan's results are shown on every part: saved views, the colour scale, and what the report contains.

pub mod contents;
pub mod views;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use inspect::deviation::OwnScale;

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
    /// Template of the report's pages, a typst file; `None` for the built-in layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<PathBuf>,
    /// Colour scale of deviations; `None` for the built-in one that the settings name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colours: Option<OwnScale>,
}

impl Presentation {
    /// BLAKE3 hash, hexadecimal, of all of it, and of what its template says rather than where it lies.
    pub fn hash(&self) -> String {
        let mut own = self.clone();
        let template = own.template.take().and_then(|path| base::hash::file_hash(&path).ok());
        base::hash::bytes_hash(&serde_json::to_vec(&(own, template)).unwrap_or_default())
    }

    /// Reads what can be read; the notes name the rest.
    pub(crate) fn salvage(value: &Value) -> (Self, Vec<String>) {
        let (mut own, mut notes) = (Self::default(), Vec::new());
        if let Some(report) = value.get("report") {
            let (contents, unknown) = Contents::salvage(report);
            own.report = contents;
            notes.extend(
                unknown.iter().map(|name| format!("The report's section, view or choice “{name}” is not known here.")),
            );
        }
        if let Some(template) = value.get("template") {
            match PathBuf::deserialize(template) {
                Ok(path) => own.template = Some(path),
                Err(_) => notes.push("The template of the report could not be read and was left out.".to_owned()),
            }
        }
        match value.get("colours").filter(|own| !own.is_null()).map(OwnScale::deserialize) {
            Some(Ok(colours)) => own.colours = Some(colours),
            Some(Err(error)) => notes.push(format!("The colour scale could not be read and was left out: {error}")),
            None => {}
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
    fn own_colours_are_kept_and_damaged_ones_named() {
        let scale = |first: f64| {
            serde_json::json!({"colours": {"name": "Gaps", "unit": "tolerance", "is_stepped": true, "stops": [
                {"at": first, "colour": "#0000c8"}, {"at": 1.0, "colour": "#c80000"}]}})
        };
        let (own, notes) = Presentation::salvage(&scale(-1.0));
        assert!(own.colours.as_ref().is_some_and(|own| own.name == "Gaps") && notes.is_empty(), "{notes:?}");
        assert_eq!(Presentation::salvage(&serde_json::to_value(&own).unwrap()), (own, Vec::new()));
        let (none, notes) = Presentation::salvage(&scale(2.0));
        assert!(none.colours.is_none() && notes.len() == 1 && notes[0].contains("Boundary 2"), "{notes:?}");
        let before = serde_json::to_value(Presentation::default()).unwrap();
        assert!(before.get("colours").is_none());
    }

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
        let (some, notes) = Presentation::salvage(&serde_json::json!({"template": "company.typ"}));
        assert_eq!((some.template.unwrap().to_str(), notes.len()), (Some("company.typ"), 0));
        let (none, notes) = Presentation::salvage(&serde_json::json!({"template": 7}));
        assert!(none == Presentation::default() && notes[0].contains("template"), "{notes:?}");
        // What a newer version adds takes nothing away.
        let report = serde_json::json!({"left_out": ["coverage", "hologram"], "left_out_views": ["back", "askew"]});
        let (some, notes) = Presentation::salvage(&serde_json::json!({ "report": report }));
        assert!(!some.report.has(ReportSection::Coverage) && !some.report.has_view(base::StandardView::Back));
        assert_eq!(notes.len(), 2);
    }
}
