//! What a report contains, and in which order.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use base::StandardView;

/// A part of the report. Title, verdict, remarks and the lines to sign on are in every report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ReportSection {
    /// Pictures of the part from all sides, the saved views, and the colour scale.
    Views,
    /// Part, operator and date; histogram of the deviations.
    Part,
    /// Regions out of tolerance, with pictures of the worst ones.
    Regions,
    /// Statistics of the deviations.
    Deviation,
    /// How much of the surface was measured.
    Coverage,
    /// Table of all features and checks: nominal, actual, deviation, limits, uncertainty and verdict.
    Results,
    /// Tolerances of form, orientation and position.
    Tolerances,
    /// Features, measured distances and angles.
    Measures,
    /// Comparisons beside the first one.
    Comparisons,
    /// Deviations at chosen points.
    Points,
    /// Sections and their drawings.
    Sections,
    /// Offset volumes and wall thickness.
    Offsets,
    /// How the scan was aligned.
    Alignment,
    /// How the comparison was computed and judged.
    Parameters,
    /// The calibration of the sensor.
    Calibration,
    /// Files and software.
    Sources,
}

impl ReportSection {
    /// All, in the usual order.
    pub const ALL: [Self; 16] = [
        Self::Views,
        Self::Part,
        Self::Regions,
        Self::Deviation,
        Self::Coverage,
        Self::Results,
        Self::Tolerances,
        Self::Measures,
        Self::Comparisons,
        Self::Points,
        Self::Sections,
        Self::Offsets,
        Self::Alignment,
        Self::Parameters,
        Self::Calibration,
        Self::Sources,
    ];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Views => "Views",
            Self::Part => "Part and histogram",
            Self::Regions => "Regions",
            Self::Deviation => "Deviation statistics",
            Self::Coverage => "Coverage",
            Self::Results => "Results",
            Self::Tolerances => "Tolerances",
            Self::Measures => "Features and measures",
            Self::Comparisons => "Other comparisons",
            Self::Points => "Surface points",
            Self::Sections => "Sections",
            Self::Offsets => "Offsets and thickness",
            Self::Alignment => "Alignment",
            Self::Parameters => "Evaluation parameters",
            Self::Calibration => "Calibration",
            Self::Sources => "Sources",
        }
    }
}

/// Which sections a report has, in which order, and from which sides it shows the part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Contents {
    /// Sections in the operator's order; those that it does not name follow in the usual one.
    order: Vec<ReportSection>,
    /// Sections that are not in the report.
    left_out: BTreeSet<ReportSection>,
    /// Standard views that are not in the report.
    left_out_views: BTreeSet<StandardView>,
    /// Whether the pictures have flags; `None` as the window, or the saved view, shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<bool>,
    /// Whether the standard views and those of regions show deviations of points on the nominal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    on_nominal: bool,
}

impl Contents {
    /// Reads what is known; returns the names of the rest.
    pub(super) fn salvage(value: &Value) -> (Self, Vec<String>) {
        let mut unknown = Vec::new();
        let own = Self {
            order: known(value, "order", &mut unknown),
            left_out: known(value, "left_out", &mut unknown).into_iter().collect(),
            left_out_views: known(value, "left_out_views", &mut unknown).into_iter().collect(),
            flags: switch(value, "flags", &mut unknown),
            on_nominal: switch(value, "on_nominal", &mut unknown).unwrap_or_default(),
        };
        (own, unknown)
    }

    /// These sections in this order, and no others.
    pub fn choose(&mut self, sections: &[ReportSection]) {
        self.left_out = ReportSection::ALL.into_iter().filter(|own| !sections.contains(own)).collect();
        self.order = sections.to_vec();
    }

    /// All sections, in the order of the report.
    pub fn order(&self) -> Vec<ReportSection> {
        let mut order: Vec<ReportSection> = Vec::with_capacity(ReportSection::ALL.len());
        for section in self.order.iter().copied().chain(ReportSection::ALL) {
            if !order.contains(&section) {
                order.push(section);
            }
        }
        order
    }

    /// Whether the report has this section.
    pub fn has(&self, section: ReportSection) -> bool {
        !self.left_out.contains(&section)
    }

    /// Whether the report shows the part from this side.
    pub fn has_view(&self, view: StandardView) -> bool {
        !self.left_out_views.contains(&view)
    }

    /// Whether the pictures have flags; `None` as the window, or the saved view, shows them.
    pub fn flags(&self) -> Option<bool> {
        self.flags
    }

    /// Whether the standard views and those of regions show deviations of points on the nominal.
    pub fn on_nominal(&self) -> bool {
        self.on_nominal
    }

    /// Chooses whether the pictures have flags.
    pub fn set_flags(&mut self, has_flags: Option<bool>) {
        self.flags = has_flags;
    }

    /// Chooses where the standard views and those of regions show deviations of points.
    pub fn set_on_nominal(&mut self, on_nominal: bool) {
        self.on_nominal = on_nominal;
    }

    /// Puts a section into the report or leaves it out.
    pub fn set(&mut self, section: ReportSection, is_in: bool) {
        if is_in {
            self.left_out.remove(&section)
        } else {
            self.left_out.insert(section)
        };
    }

    /// Shows the part from this side or not.
    pub fn set_view(&mut self, view: StandardView, is_in: bool) {
        if is_in {
            self.left_out_views.remove(&view)
        } else {
            self.left_out_views.insert(view)
        };
    }

    /// Moves a section by `steps`, towards the end if positive, as far as there is room.
    pub fn shift(&mut self, section: ReportSection, steps: isize) {
        let mut order = self.order();
        if let Some(from) = order.iter().position(|own| *own == section) {
            let to = from.saturating_add_signed(steps).min(order.len() - 1);
            order.remove(from);
            order.insert(to, section);
        }
        self.order = if order == ReportSection::ALL { Vec::new() } else { order };
    }
}

/// Entries of a list that can be read; the others are added to `unknown`.
fn known<T: DeserializeOwned>(value: &Value, list: &str, unknown: &mut Vec<String>) -> Vec<T> {
    let mut read = |entry: &Value| T::deserialize(entry).map_err(|_| unknown.push(entry.to_string())).ok();
    value.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(&mut read).collect()
}

/// A choice of yes or no; what else it may be is added to `unknown`.
fn switch(value: &Value, name: &str, unknown: &mut Vec<String>) -> Option<bool> {
    let own = value.get(name).filter(|own| !own.is_null())?;
    own.as_bool().or_else(|| {
        unknown.push(format!("{name}: {own}"));
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_stands_once_whatever_a_file_says() {
        let contents: Contents =
            serde_json::from_str(r#"{"order": ["sources", "views", "sources"], "left_out": ["coverage"]}"#).unwrap();
        let order = contents.order();
        assert_eq!(order[..3], [ReportSection::Sources, ReportSection::Views, ReportSection::Part]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((order.len(), sorted.len()), (ReportSection::ALL.len(), ReportSection::ALL.len()));
        assert!(!contents.has(ReportSection::Coverage) && contents.has(ReportSection::Regions));
        assert!(contents.has_view(StandardView::Back));
    }

    #[test]
    fn the_choices_of_the_pictures_are_kept_and_older_files_have_none() {
        let usual = serde_json::to_value(Contents::default()).unwrap();
        assert!(usual.get("flags").is_none() && usual.get("on_nominal").is_none(), "{usual}");
        let mut contents = Contents::default();
        contents.set_flags(Some(false));
        contents.set_on_nominal(true);
        let (again, unknown) = Contents::salvage(&serde_json::to_value(&contents).unwrap());
        assert_eq!((again, unknown.len()), (contents, 0));
        let (none, unknown) = Contents::salvage(&serde_json::json!({"flags": "some"}));
        assert_eq!((none, unknown.as_slice()), (Contents::default(), ["flags: \"some\"".to_owned()].as_slice()));
    }

    #[test]
    fn sections_are_moved_within_the_report_and_back() {
        let mut contents = Contents::default();
        contents.shift(ReportSection::Part, -5);
        assert_eq!(contents.order()[0], ReportSection::Part);
        contents.shift(ReportSection::Part, 1);
        assert_eq!(contents, Contents::default());
        contents.shift(ReportSection::Sources, 3);
        assert_eq!(contents, Contents::default());
        contents.choose(&[ReportSection::Regions, ReportSection::Views]);
        let shown: Vec<_> = contents.order().into_iter().filter(|own| contents.has(*own)).collect();
        assert_eq!(shown, [ReportSection::Regions, ReportSection::Views]);
    }
}
