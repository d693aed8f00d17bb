//! Elements made from features: a part of the Features workspace.

use super::super::{App, theme};
use super::{named, not_made, rows};
use crate::number_field::NumberField;
use dispatch::{Command, Elements, Tolerances};
use inspect::features::constructions::{Constructed, Construction, Section};
use inspect::features::element::LEAST_LENGTH_MM;
use inspect::features::{Element, Shape};

/// What these parts remember between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    construction: Construction,
    offset_mm: f64,
    /// Chosen so far, in order; empty where none is.
    sources: Vec<String>,
}

impl Default for Draft {
    fn default() -> Self {
        Self { construction: Construction::Intersection, offset_mm: 10.0, sources: Vec::new() }
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
        self.measures(ui, &names, send);
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
        let constructions = document.constructions();
        for (i, element) in constructions.iter().enumerate() {
            let Some((feature, made)) = element.made.and_then(|own| Some((own, own.made()?))) else {
                not_made(ui, document, element.id);
                continue;
            };
            let title = format!("{}   {}", element.name, feature.element.name());
            let id = ui.make_persistent_id(("constructed", i));
            let last = i + 1 == constructions.len();
            let sources: Vec<String> = element.recipe.sources.iter().map(|id| document.plan.name(*id)).collect();
            egui::CollapsingHeader::new(title).id_salt(id).default_open(last).show(ui, |ui| {
                rows(ui, &format!("constructed {i}"), &figures(&sources, made, &feature.element.moved(&pose)));
                theme::weak(ui, &made.remark);
                let button = ui.button("Remove");
                named(&button, &format!("Remove {}", element.name));
                if button.clicked() {
                    *send = Some(Elements::Remove(element.id).into());
                }
            });
        }
    }
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
fn figures(sources: &[String], made: &Constructed, moved: &Element) -> Vec<(&'static str, String)> {
    let place = moved.place();
    let mut figures = vec![
        ("Made from", sources.join(", ")),
        ("Place", format!("{:.4}, {:.4}, {:.4} mm", place.x, place.y, place.z)),
    ];
    if let Some(direction) = moved.direction() {
        figures.push(("Direction", format!("{:.5}, {:.5}, {:.5}", direction.x, direction.y, direction.z)));
    }
    if let Element::Shape(Shape::Circle { radius, .. } | Shape::Sphere { radius, .. }) = moved {
        figures.push(("Radius", format!("{radius:.4} mm")));
    }
    match made.section {
        Some(Section::Circle { radius_mm, .. }) => figures.push(("Cut", format!("circle of radius {radius_mm:.4} mm"))),
        Some(Section::Ellipse { half_long_mm, half_short_mm, .. }) => {
            figures.push(("Cut", format!("ellipse, half axes {half_long_mm:.4}, {half_short_mm:.4} mm")));
        }
        None => {}
    }
    if let Some(misses) = made.misses_by_mm.filter(|misses| *misses > LEAST_LENGTH_MM) {
        figures.push(("Misses by", format!("{misses:.4} mm")));
    }
    figures
}
