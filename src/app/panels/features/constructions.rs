//! Constructed elements, in the Features workspace.

use super::super::steps::{self, Sought, StepState};
use super::super::{PanelContext, named, no_result, rows};
use crate::lengths::{length_text, position_text, with_unit};
use crate::number_field::NumberField;
use crate::theme;
use dispatch::{Elements, Tolerances};
use inspect::features::constructions::{Constructed, Construction, Section};
use inspect::features::element::LEAST_LENGTH_MM;
use inspect::features::{Element, Shape};
use texts::text;

/// State of the section.
#[derive(Clone, Debug)]
pub struct ConstructionSection {
    construction: Construction,
    offset_mm: f64,
    /// Names of the chosen source elements, in order.
    sources: Vec<String>,
}

impl Default for ConstructionSection {
    fn default() -> Self {
        Self { construction: Construction::Intersection, offset_mm: 10.0, sources: Vec::new() }
    }
}

impl ConstructionSection {
    /// Draws the section; `names` are those of all features, the element that is sought is opened.
    pub fn show(
        &mut self,
        ui: &mut egui::Ui,
        context: &mut PanelContext<'_>,
        (names, state): (&[String], &StepState),
        sought: &mut Sought,
    ) {
        theme::heading(ui, text!("features-construct"));
        steps::missing(ui, state);
        if !names.is_empty() {
            self.new_construction(ui, context, names);
            constructed(ui, context, sought);
        }
    }

    fn new_construction(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, names: &[String]) {
        let ready = !context.is_busy;
        let draft = &mut *self;
        let title = text!("features-construction");
        theme::choice(ui, &title, &mut draft.construction, &Construction::ALL, |own| texts::word(own.name()));
        theme::weak(ui, texts::word(draft.construction.takes()));
        let (min, max) = draft.construction.parts();
        // Removed elements are no longer chosen; after the last one there is a field for another.
        draft.sources.retain(|name| names.contains(name));
        draft.sources.truncate(max.unwrap_or(usize::MAX));
        let count = min.max(draft.sources.len() + 1).min(max.unwrap_or(usize::MAX));
        let mut chosen = draft.sources.clone();
        chosen.resize(count, String::new());
        egui::Grid::new("sources").num_columns(2).show(ui, |ui| {
            for (i, name) in chosen.iter_mut().enumerate() {
                let title = text!("features-source", number = i + 1);
                let label = ui.label(egui::RichText::new(&title).weak());
                choose(ui, &title, name, names, i >= min).labelled_by(label.id);
                ui.end_row();
            }
        });
        chosen.retain(|name| !name.is_empty());
        draft.sources = chosen;
        let construction = match draft.construction {
            Construction::OffsetPlane { .. } => {
                ui.horizontal(|ui| {
                    let label = ui.label(text!("features-offset"));
                    let drag = NumberField::new(&mut draft.offset_mm).speed(0.1).unit("mm");
                    ui.add(drag).labelled_by(label.id);
                });
                Construction::OffsetPlane { offset_mm: draft.offset_mm }
            }
            other => other,
        };
        let is_complete = draft.sources.len() >= min;
        let button = egui::Button::new(text!("features-construct-element")).min_size(egui::vec2(120.0, 26.0));
        let button = ui.add_enabled(ready && is_complete, button);
        if button.on_disabled_hover_text(text!("features-choose-elements")).clicked() {
            context.send(Tolerances::Construct { construction, sources: std::mem::take(&mut draft.sources) });
        }
    }
}

fn constructed(ui: &mut egui::Ui, context: &mut PanelContext<'_>, sought: &mut Sought) {
    let document = context.document();
    let pose = document.nominal_from_scan();
    let constructions = document.constructions();
    for (i, element) in constructions.iter().enumerate() {
        let opens = sought.lead(ui, element.id);
        let Some((feature, made)) = element.made.and_then(|own| Some((own, own.made()?))) else {
            no_result(ui, document, element.id);
            sought.reach(element.id, 1.0);
            continue;
        };
        let title = format!("{}   {}", element.name, texts::word(&feature.element.name()));
        let id = ui.make_persistent_id(("constructed", i));
        let last = i + 1 == constructions.len();
        let sources: Vec<String> = element.recipe.sources.iter().map(|id| document.plan.name(*id)).collect();
        let header = egui::CollapsingHeader::new(title).id_salt(id).default_open(last).open(opens);
        let shown = header.show(ui, |ui| {
            rows(ui, &format!("constructed {i}"), &figures(&sources, made, &feature.element.moved(&pose)));
            theme::weak(ui, texts::word(&made.remark));
            let button = ui.button(text!("common-remove"));
            named(&button, &text!("features-remove-named", name = element.name));
            if button.clicked() {
                context.send(Elements::Remove(element.id));
            }
        });
        sought.reach(element.id, shown.openness);
    }
}

/// Drop-down list of `names`; “none” can be chosen as well if the choice is optional.
pub(super) fn choose(
    ui: &mut egui::Ui,
    id: &str,
    name: &mut String,
    names: &[String],
    is_optional: bool,
) -> egui::Response {
    let empty = || if is_optional { text!("features-none") } else { text!("features-choose") };
    let text = if name.is_empty() { egui::RichText::new(empty()).weak() } else { egui::RichText::new(name.as_str()) };
    let combo = egui::ComboBox::from_id_salt(id).selected_text(text).width(105.0).truncate();
    let shown = combo.show_ui(ui, |ui| {
        if is_optional {
            ui.selectable_value(name, String::new(), empty());
        }
        for choice in names {
            ui.selectable_value(name, choice.clone(), choice.as_str());
        }
    });
    shown.response
}

/// Names and values of the results of an element; `moved` is the element in the displayed frame.
fn figures(sources: &[String], made: &Constructed, moved: &Element) -> Vec<(String, String)> {
    let position = moved.position();
    let mut figures = vec![
        (text!("features-constructed-from"), sources.join(", ")),
        (text!("features-position"), with_unit(position_text([position.x, position.y, position.z], 4))),
    ];
    if let Some(direction) = moved.direction() {
        let text = format!("{:.5}, {:.5}, {:.5}", direction.x, direction.y, direction.z);
        figures.push((text!("features-direction"), text));
    }
    if let Element::Shape(Shape::Circle { radius, .. } | Shape::Sphere { radius, .. }) = moved {
        figures.push((text!("features-radius"), with_unit(length_text(*radius, 4))));
    }
    let section = made.section.as_ref().map(|section| match section {
        Section::Circle { radius_mm, .. } => {
            text!("features-section-circle", length = with_unit(length_text(*radius_mm, 4)))
        }
        Section::Ellipse { half_long_mm, half_short_mm, .. } => {
            let (long, short) = (length_text(*half_long_mm, 4), with_unit(length_text(*half_short_mm, 4)));
            text!("features-section-ellipse", long = long, short = short)
        }
    });
    figures.extend(section.map(|section| (text!("features-section"), section)));
    if let Some(misses) = made.misses_by_mm.filter(|misses| *misses > LEAST_LENGTH_MM) {
        figures.push((text!("features-misfit"), with_unit(length_text(misses, 4))));
    }
    figures
}
