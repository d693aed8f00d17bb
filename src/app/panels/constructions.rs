//! Elements made from features, and distances and angles between elements: parts of the Features workspace.

use super::super::{App, theme};
use super::{named, rows};
use crate::number_field::NumberField;
use base::UserError;
use dispatch::{Command, Tolerances};
use inspect::features::constructions::{Construction, Section};
use inspect::features::element::LEAST_LENGTH_MM;
use inspect::features::measures::{Angle, AngleConvention, Distance, Known, angle, distance};
use inspect::features::{Element, Shape};
use session::Document;
use session::tolerancing::{ConstructedElement, Part};

/// What these parts remember between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    construction: Construction,
    offset_mm: f64,
    /// Chosen so far, in order; empty where none is.
    sources: Vec<String>,
    measured: [String; 2],
    measures: Option<Measures>,
}

/// What was measured between two parts.
#[derive(Clone, Debug)]
struct Measures {
    of: [Option<Part>; 2],
    distance: Result<Distance, UserError>,
    angle: Result<Angle, UserError>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            construction: Construction::Intersection,
            offset_mm: 10.0,
            sources: Vec::new(),
            measured: [String::new(), String::new()],
            measures: None,
        }
    }
}

impl App {
    pub(super) fn constructions(&mut self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        theme::heading(ui, "Construct");
        let names = self.dispatcher.document.element_names();
        if names.is_empty() {
            theme::weak(ui, "Fit features first; then elements can be made from them, measured and toleranced.");
            return;
        }
        self.construction(ui, &names, send);
        self.constructed(ui, send);
        theme::heading(ui, "Measure");
        self.measures(ui, &names);
    }

    fn construction(&mut self, ui: &mut egui::Ui, names: &[String], send: &mut Option<Command>) {
        let ready = !self.is_busy();
        let draft = &mut self.construction_draft;
        theme::choice(ui, "Construction", &mut draft.construction, &Construction::ALL, Construction::name);
        theme::weak(ui, draft.construction.takes());
        let (least, most) = draft.construction.parts();
        // Parts that went are chosen no longer; behind the last one there is room for another.
        draft.sources.retain(|name| names.contains(name));
        draft.sources.truncate(most.unwrap_or(usize::MAX));
        let shown = least.max(draft.sources.len() + 1).min(most.unwrap_or(usize::MAX));
        let mut chosen = draft.sources.clone();
        chosen.resize(shown, String::new());
        egui::Grid::new("parts").num_columns(2).show(ui, |ui| {
            for (i, name) in chosen.iter_mut().enumerate() {
                let title = format!("Part {}", i + 1);
                let label = ui.label(egui::RichText::new(&title).weak());
                let empty = if i < least { "choose" } else { "none" };
                choose(ui, &title, name, names, empty).labelled_by(label.id);
                ui.end_row();
            }
        });
        chosen.retain(|name| !name.is_empty());
        draft.sources = chosen;
        let construction = match draft.construction {
            Construction::OffsetPlane { .. } => {
                ui.horizontal(|ui| {
                    let label = ui.label("Offset");
                    let drag = NumberField::new(&mut draft.offset_mm).speed(0.1).suffix(" mm");
                    ui.add(drag).labelled_by(label.id);
                });
                Construction::OffsetPlane { offset_mm: draft.offset_mm }
            }
            other => other,
        };
        let complete = draft.sources.len() >= least;
        let button = egui::Button::new("Construct element").min_size(egui::vec2(120.0, 26.0));
        if ui.add_enabled(ready && complete, button).on_disabled_hover_text("Choose its parts first").clicked() {
            *send = Some(Tolerances::Construct { construction, sources: std::mem::take(&mut draft.sources) }.into());
        }
    }

    fn constructed(&self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let document = &self.dispatcher.document;
        let pose = document.nominal_from_scan();
        for (i, element) in document.tolerancing.constructed.iter().enumerate() {
            let title = format!("{}   {}", element.recipe.name, element.made.element.name());
            let id = ui.make_persistent_id(("constructed", i));
            let last = i + 1 == document.tolerancing.constructed.len();
            egui::CollapsingHeader::new(title).id_salt(id).default_open(last).show(ui, |ui| {
                rows(ui, &format!("constructed {i}"), &figures(element, &element.made.element.moved(&pose)));
                theme::weak(ui, &element.made.remark);
                let button = ui.button("Remove");
                named(&button, &format!("Remove {}", element.recipe.name));
                if button.clicked() {
                    *send = Some(Tolerances::RemoveConstruction(i).into());
                }
            });
        }
    }

    fn measures(&mut self, ui: &mut egui::Ui, names: &[String]) {
        let document = &self.dispatcher.document;
        let draft = &mut self.construction_draft;
        ui.horizontal(|ui| {
            for (name, title) in draft.measured.iter_mut().zip(["From", "To"]) {
                let label = ui.label(egui::RichText::new(title).weak());
                choose(ui, title, name, names, "choose").labelled_by(label.id);
            }
        });
        let [from, to] = &draft.measured;
        let of = [document.part(from), document.part(to)];
        if of.iter().any(Option::is_none) || from == to {
            theme::weak(ui, "Choose two elements to see how far apart they are, and at which angle.");
            return;
        }
        let kept = draft.measures.take().filter(|measures| measures.of == of);
        let measures = kept.unwrap_or_else(|| measured(document, from, to, of));
        let mut figures = Vec::new();
        if let Ok(distance) = &measures.distance {
            figures.push(("Distance", with(distance.distance_mm, distance.uncertainty_mm, " mm")));
        }
        if let Ok(angle) = &measures.angle {
            let uncertainty = angle.uncertainty_rad.map(f64::to_degrees);
            figures.push(("Angle", with(angle.angle_rad.to_degrees(), uncertainty, "°")));
        }
        rows(ui, "measures", &figures);
        match &measures.distance {
            Ok(distance) => theme::weak(ui, format!("{}.", distance.how)),
            Err(error) => theme::weak(ui, &error.sentence),
        };
        // Points have no angle: nothing is missing then.
        if let Ok(angle) = &measures.angle {
            theme::weak(ui, format!("{}. Uncertainties with k = 2; constructed elements count as exact.", angle.how));
        }
        draft.measures = Some(measures);
    }
}

fn measured(document: &Document, from: &str, to: &str, of: [Option<Part>; 2]) -> Measures {
    let points = [from, to].map(|name| document.points_at(&document.numbers_of(name)));
    let [one, other] = &of;
    let (distance, angle) = match (known(one.as_ref(), &points[0]), known(other.as_ref(), &points[1])) {
        (Some(one), Some(other)) => (distance(&one, &other), angle(&one, &other, AngleConvention::Acute)),
        _ => {
            let missing = UserError::internal("An element to be measured is missing.");
            (Err(missing.clone()), Err(missing))
        }
    };
    Measures { distance, angle, of }
}

fn known<'a>(part: Option<&'a Part>, points: &'a [geometry::Point]) -> Option<Known<'a>> {
    part.map(|part| match part {
        Part::Fitted(fit) => Known::of_fit(fit, points),
        Part::Slot(fit) => {
            Known { motion: Some(&fit.uncertainty.motion), points, ..Known::exact(fit.slot.mid_plane()) }
        }
        Part::Made(element) => Known::exact(*element),
    })
}

/// “12.3456 ± 0.0010 mm”.
fn with(value: f64, uncertainty: Option<f64>, unit: &str) -> String {
    let sure = uncertainty.map_or_else(String::new, |own| format!(" ± {own:.4}"));
    format!("{value:.4}{sure}{unit}")
}

/// One of `names`; `empty` is shown where none is chosen, which is a choice too where it is “none”.
pub(super) fn choose(ui: &mut egui::Ui, id: &str, name: &mut String, names: &[String], empty: &str) -> egui::Response {
    let text = if name.is_empty() { egui::RichText::new(empty).weak() } else { egui::RichText::new(name.as_str()) };
    let combo = egui::ComboBox::from_id_salt(id).selected_text(text).width(105.0).truncate();
    let shown = combo.show_ui(ui, |ui| {
        if empty == "none" {
            ui.selectable_value(name, String::new(), "none");
        }
        for choice in names {
            ui.selectable_value(name, choice.clone(), choice.as_str());
        }
    });
    shown.response
}

/// The element's figures by name; `moved` is it in the frame that is shown.
fn figures(element: &ConstructedElement, moved: &Element) -> Vec<(&'static str, String)> {
    let place = moved.place();
    let mut figures = vec![
        ("Made from", element.recipe.sources.join(", ")),
        ("Place", format!("{:.4}, {:.4}, {:.4} mm", place.x, place.y, place.z)),
    ];
    if let Some(direction) = moved.direction() {
        figures.push(("Direction", format!("{:.5}, {:.5}, {:.5}", direction.x, direction.y, direction.z)));
    }
    if let Element::Shape(Shape::Circle { radius, .. } | Shape::Sphere { radius, .. }) = moved {
        figures.push(("Radius", format!("{radius:.4} mm")));
    }
    match element.made.section {
        Some(Section::Circle { radius_mm, .. }) => figures.push(("Cut", format!("circle of radius {radius_mm:.4} mm"))),
        Some(Section::Ellipse { half_long_mm, half_short_mm, .. }) => {
            figures.push(("Cut", format!("ellipse, half axes {half_long_mm:.4}, {half_short_mm:.4} mm")));
        }
        None => {}
    }
    if let Some(misses) = element.made.misses_by_mm.filter(|misses| *misses > LEAST_LENGTH_MM) {
        figures.push(("Misses by", format!("{misses:.4} mm")));
    }
    figures
}
