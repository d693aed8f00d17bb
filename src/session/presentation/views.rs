//! Views of the part that the operator saved.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};
use geometry::viewpoint::Viewpoint;

/// Most saved views of an inspection.
pub const MAX_VIEWS: usize = 100;

/// A view of the part under a name, in the frame of the nominal. Kept in the plan, so that further parts are seen alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedView {
    /// Its name; unique among the saved views.
    pub name: String,
    /// From where.
    pub viewpoint: Viewpoint,
    /// What is cut away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<Clip>,
    /// What is shown.
    #[serde(default)]
    pub shows: Shows,
    /// Whether the report has a picture of it.
    #[serde(default = "yes")]
    pub in_report: bool,
}

fn yes() -> bool {
    true
}

/// A plane in the frame of the nominal that cuts away what lies on one side of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// A point of the plane, mm.
    pub at_mm: [f64; 3],
    /// Unit normal; points to the side that is kept.
    pub normal: [f64; 3],
}

/// What a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shows {
    /// The nominal.
    pub nominal: bool,
    /// Its opacity, 0 to 1.
    pub nominal_opacity: f32,
    /// The edges of the nominal.
    pub edges: bool,
    /// The scan.
    pub scan: bool,
    /// The deviations in colours.
    pub deviations: bool,
    /// Whether those of points are on the nominal rather than on the scan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_nominal: bool,
    /// The flags beside the part.
    #[serde(skip_serializing_if = "is_true")]
    pub flags: bool,
}

/// What is as usual is not stored.
fn is_true(value: &bool) -> bool {
    *value
}

impl Default for Shows {
    fn default() -> Self {
        Self {
            nominal: true,
            nominal_opacity: 1.0,
            edges: true,
            scan: true,
            deviations: true,
            on_nominal: false,
            flags: true,
        }
    }
}

/// Saved views in the operator's order, each under a name of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SavedViews(Vec<SavedView>);

impl SavedViews {
    /// All of them.
    pub fn all(&self) -> &[SavedView] {
        &self.0
    }

    /// The view of this name.
    pub fn get(&self, name: &str) -> Option<&SavedView> {
        self.0.iter().find(|view| view.name == name)
    }

    /// A name that no view has: “View 1” and so on.
    pub fn free_name(&self) -> String {
        let view = texts::name("View");
        (1..).map(|number| format!("{view} {number}")).find(|name| self.get(name).is_none()).unwrap_or_default()
    }

    /// Saves a view, in place of the one of its name if there is one.
    ///
    /// Returns an error if the name is empty, nothing can be seen from there, or there are too many.
    pub fn put(&mut self, view: SavedView) -> Result<()> {
        let view = SavedView { name: view.name.trim().to_owned(), ..view };
        if view.name.is_empty() {
            return Err(UserError::usage("Give the view a name."));
        }
        if !view.viewpoint.is_usable() {
            return Err(UserError::usage(format!("Nothing can be seen in the view “{}”.", view.name)));
        }
        let number = self.0.iter().position(|own| own.name == view.name);
        if number.is_none() && self.0.len() >= MAX_VIEWS {
            return Err(UserError::usage(format!("There are {MAX_VIEWS} saved views: remove one first.")));
        }
        match number {
            Some(number) => self.0[number] = view,
            None => self.0.push(view),
        }
        Ok(())
    }

    /// Renames a view. Returns an error if there is none, or if the name is empty or taken.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let to = to.trim();
        if to.is_empty() {
            return Err(UserError::usage("Give the view a name."));
        }
        if to != from && self.get(to).is_some() {
            return Err(UserError::usage(format!("There is a view “{to}” already; choose another name.")));
        }
        to.clone_into(&mut self.find(from)?.name);
        Ok(())
    }

    /// Sets whether the report has a picture of a view. Returns an error if there is none of this name.
    pub fn set_in_report(&mut self, name: &str, in_report: bool) -> Result<()> {
        self.find(name)?.in_report = in_report;
        Ok(())
    }

    /// Removes a view. Returns an error if there is none of this name.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        self.find(name)?;
        self.0.retain(|view| view.name != name);
        Ok(())
    }

    fn find(&mut self, name: &str) -> Result<&mut SavedView> {
        let found = self.0.iter_mut().find(|view| view.name == name);
        found.ok_or_else(|| UserError::usage(format!("There is no view “{name}” any more.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(name: &str) -> SavedView {
        let viewpoint = Viewpoint {
            target_mm: [0.0; 3],
            to_eye: [0.0, -1.0, 0.0],
            up: [0.0, 0.0, 1.0],
            size_mm: [80.0, 60.0],
            is_perspective: false,
        };
        SavedView { name: name.to_owned(), viewpoint, clip: None, shows: Shows::default(), in_report: true }
    }

    #[test]
    fn names_are_unique_and_what_is_not_there_is_said() {
        let mut views = SavedViews::default();
        assert_eq!(views.free_name(), "View 1");
        views.put(view(" Rib ")).unwrap();
        views.put(view("View 1")).unwrap();
        assert_eq!(views.free_name(), "View 2");
        views.put(SavedView { in_report: false, ..view("Rib") }).unwrap();
        assert!(views.all().len() == 2 && !views.get("Rib").unwrap().in_report, "saving again replaces");
        assert!(views.rename("Rib", "View 1").unwrap_err().sentence.contains("already"));
        assert!(views.rename("Rib", " ").is_err() && views.put(view(" ")).is_err());
        assert!(views.rename("Bore", "Hole").unwrap_err().sentence.contains("no view “Bore”"));
        views.rename("Rib", "Rib").unwrap();
        views.rename("Rib", "Wall").unwrap();
        views.remove("Wall").unwrap();
        assert!(views.remove("Wall").is_err());
        let blind = Viewpoint { size_mm: [0.0; 2], ..view("x").viewpoint };
        assert!(views.put(SavedView { viewpoint: blind, ..view("Blind") }).is_err());
        for number in 0..MAX_VIEWS {
            assert_eq!(views.put(view(&format!("n{number}"))).is_ok(), number < MAX_VIEWS - 1);
        }
    }

    #[test]
    fn what_is_not_stated_is_as_usual() {
        let text = r#"[{"name": "Rib", "viewpoint": {"target_mm": [1, 2, 3], "to_eye": [0, -1, 0], "up": [0, 0, 1],
            "size_mm": [80, 60], "is_perspective": false}}]"#;
        let views: SavedViews = serde_json::from_str(text).unwrap();
        let own = views.get("Rib").unwrap();
        assert!(own.in_report && own.shows == Shows::default() && own.clip.is_none());
        let again: SavedViews = serde_json::from_str(&serde_json::to_string(&views).unwrap()).unwrap();
        assert_eq!(again, views);
        let shows = serde_json::to_value(Shows::default()).unwrap();
        assert!(shows.get("on_nominal").is_none() && shows.get("flags").is_none(), "{shows}");
        let chosen = Shows { on_nominal: true, flags: false, ..Shows::default() };
        let again: Shows = serde_json::from_value(serde_json::to_value(chosen).unwrap()).unwrap();
        assert_eq!(again, chosen);
    }
}
