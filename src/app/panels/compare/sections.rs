//! Sections: where they lie, and what they show.

mod dimensions;

use std::sync::Arc;

use super::super::{PanelContext, named, no_result, rows};
use super::{SectionPoints, banner, section_points};
use crate::choosing::Purpose;
use crate::lengths::{length_text, signed_length, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::Sections;
use geometry::Aabb;
use inspect::deviation::judgement::percent;
use inspect::recipe::Product as _;
use inspect::section::{Parameters, Placement, Section, SectionRecipe};
use session::Document;
use session::pipeline::State;
use session::plan::{Element, ElementId, Recipe};
use texts::text;

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct SectionsPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The section that they were taken from, and its recipe then; `None` for a new one.
    edited: Option<(ElementId, SectionRecipe)>,
    /// The newest section at the last frame.
    newest: Option<ElementId>,
    /// The nominal that a new section was placed in the middle of.
    placed_in: Option<ElementId>,
}

impl SectionsPart {
    /// Draws it.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        self.follow(context);
        let Some(bounds) = context.document().nominal().map(|own| *own.surface.bounds()) else {
            theme::weak(ui, text!("compare-section-load"));
            return;
        };
        self.choice(ui, context);
        self.follow_picks(context);
        self.position(ui, context, &bounds);
        self.planes_and_limits(ui, context.display.section.points.is_none());
        self.buttons(ui, context);
        if let Some(id) = self.edited.as_ref().map(|(id, _)| *id) {
            result(ui, context, id);
            if let Some(section) = context.document().result::<Section>(Some(id)) {
                self.dimensions(ui, context, (id, section));
            }
        }
    }

    /// Selects what is new, and takes the parameters of what is selected.
    fn follow(&mut self, context: &mut PanelContext<'_>) {
        let document = context.document();
        let newest = sections(document).map(|own| own.id).max();
        let display = &mut context.display.section;
        if newest > self.newest {
            display.selected = newest;
        }
        self.newest = newest;
        let recipe = |id| match &document.plan.get(id)?.recipe {
            Recipe::Section(own) => Some((id, SectionRecipe::clone(own))),
            _ => None,
        };
        let selected = display.selected.and_then(recipe);
        if selected.is_none() {
            display.selected = None;
        }
        section_points::follow(context.display);
        if self.edited != selected {
            let display = &mut context.display.section;
            if let Some((id, recipe)) = &selected {
                match &self.edited {
                    // What else is being edited stays when a dimension comes or goes.
                    Some((edited, before)) if edited == id && is_alike(before, recipe) => {
                        self.parameters.dimensions.clone_from(&recipe.parameters.dimensions);
                    }
                    before => {
                        if before.as_ref().is_none_or(|(edited, _)| edited != id) {
                            display.plane = 0;
                        }
                        self.parameters = recipe.parameters.clone();
                        display.points = SectionPoints::of(&self.parameters.placement);
                        section_points::end_picking(context.display);
                    }
                }
            } else {
                section_points::cancel_picking(context.display);
            }
            self.edited = selected;
        }
        // A new section starts in the middle of the part, with the limits of the comparison.
        if self.edited.is_none() && self.placed_in != document.active.nominal {
            self.placed_in = document.active.nominal;
            if let Some(nominal) = document.nominal() {
                let tolerance = document.settings.deviation.tolerance;
                let placement = in_the_middle(nominal.surface.bounds(), 2);
                self.parameters = Parameters { placement, tolerance, ..Parameters::default() };
                context.display.section.points = None;
            }
        }
    }

    /// Choice among the sections of the plan, and a new one.
    fn choice(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        if sections(document).next().is_none() {
            return;
        }
        let selected = &mut context.display.section.selected;
        ui.horizontal(|ui| {
            let text = selected.map_or_else(|| text!("compare-new-section"), |id| document.plan.name(id));
            let combo = egui::ComboBox::from_id_salt("section").selected_text(text).width(190.0).truncate();
            let response = combo.show_ui(ui, |ui| {
                for own in sections(document) {
                    ui.selectable_value(selected, Some(own.id), own.name.as_str());
                }
            });
            named(&response.response, &text!("compare-section-shown"));
            if ui.button(text!("compare-new-section")).clicked() {
                *selected = None;
            }
        });
    }

    /// Cuts once the third of the points that define a plane, or that at an edge, was picked.
    fn follow_picks(&mut self, context: &mut PanelContext<'_>) {
        if context.is_busy {
            return;
        }
        if let Some(placement) = section_points::picked_placement(context.display) {
            self.parameters.placement = placement;
            self.cut(context);
        }
    }

    /// Cuts what is edited, or a new section.
    fn cut(&self, context: &mut PanelContext<'_>) {
        let parameters = self.parameters.clone();
        context.send(match &self.edited {
            Some((id, _)) => Sections::Change(*id, parameters),
            None => Sections::Add(parameters),
        });
    }

    /// Where it lies.
    fn position(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, bounds: &Aabb) {
        let parameters = &mut self.parameters;
        ui.horizontal(|ui| {
            ui.label(text!("compare-perpendicular"));
            for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                let is_axis = matches!(parameters.placement, Placement::Axis { axis: own, .. } if own == axis);
                let is_on = is_axis && context.display.section.points.is_none();
                if theme::chip(ui, is_on, name).clicked() && !is_on {
                    section_points::end_picking(context.display);
                    context.display.section.points = None;
                    parameters.placement = in_the_middle(bounds, axis);
                }
            }
        });
        section_points::choices(ui, context.display);
        section_points::show(ui, context, bounds);
        if let Some(points) = &context.display.section.points {
            if let Some(placement) = points.placement() {
                parameters.placement = placement;
            }
            return;
        }
        match &mut parameters.placement {
            Placement::Axis { axis, at_mm } => {
                let range = bounds.min[*axis]..=bounds.max[*axis];
                let response = theme::wide_slider(ui, &text!("compare-section-position"), at_mm, range);
                if response.changed() {
                    *at_mm = (100.0 * *at_mm).round() / 100.0;
                }
            }
            other => {
                theme::weak(ui, text!("compare-plane", position = texts::word(&other.describe()).into_owned()));
            }
        }
    }

    /// Its planes, and its limits. `has_no_points`: it is not placed by points.
    fn planes_and_limits(&mut self, ui: &mut egui::Ui, has_no_points: bool) {
        let parameters = &mut self.parameters;
        egui::Grid::new("section parameters").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
            // Planes along a curve or an edge are so many, or one each so many millimetres.
            let along_curve = match &mut parameters.placement {
                Placement::Axis { at_mm, .. } if has_no_points => {
                    let label = ui.label(text!("compare-position"));
                    ui.add(NumberField::new(at_mm).speed(0.05).max_decimals(3).unit("mm")).labelled_by(label.id);
                    ui.end_row();
                    None
                }
                Placement::Curve { every_spacing, .. } | Placement::Edge { every_spacing, .. } => Some(*every_spacing),
                Placement::Axis { .. } | Placement::ThreePoints { .. } | Placement::PointNormal { .. } => None,
            };
            if along_curve != Some(true) {
                let label = ui.label(text!("compare-planes"));
                ui.add(NumberField::new(&mut parameters.count).speed(0.1).range(1..=1000)).labelled_by(label.id);
                ui.end_row();
            }
            if along_curve.unwrap_or(parameters.count > 1) {
                let label = ui.label(text!("compare-spacing"));
                let field = NumberField::new(&mut parameters.spacing_mm).speed(0.05).max_decimals(3);
                ui.add(field.unit("mm")).labelled_by(label.id);
                ui.end_row();
            }
            let tolerance = &mut parameters.tolerance;
            let numbers = [
                (text!("compare-lower-limit"), &mut tolerance.low_mm, -1e3..=1e3),
                (text!("compare-upper-limit"), &mut tolerance.high_mm, -1e3..=1e3),
                (text!("compare-max-distance"), &mut parameters.max_distance_mm, 1e-3..=1e4),
            ];
            for (name, value, range) in numbers {
                let label = ui.label(name);
                let field = NumberField::new(value).speed(0.01).range(range).max_decimals(4);
                ui.add(field.unit("mm")).labelled_by(label.id);
                ui.end_row();
            }
        });
    }

    fn buttons(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let checked = self.parameters.check();
        let is_placed = context.display.section.points.as_ref().is_none_or(SectionPoints::is_complete);
        let ready = !context.is_busy && checked.is_ok() && is_placed;
        let clicked = match &self.edited {
            Some((id, made_with)) => {
                let document = context.document();
                // What was cut before the scan was aligned is compared now.
                let is_bare = made_with.scan.is_none() && document.alignment().is_some();
                let is_due = is_bare || made_with.parameters != self.parameters || document.state(*id) != State::Fresh;
                theme::wide_main_button(ui, ready && is_due, text!("compare-cut-again")).clicked()
            }
            None => theme::wide_main_button(ui, ready, text!("compare-add-section")).clicked(),
        };
        if clicked {
            section_points::end_picking(context.display);
            self.cut(context);
        }
        if let Err(error) = checked {
            ui.colored_label(ui.visuals().warn_fg_color, texts::word(&error.sentence).into_owned());
        }
        if context.document().actual().is_some() && context.document().alignment().is_none() {
            theme::weak(ui, text!("compare-not-aligned"));
        }
    }
}

/// Whether two recipes differ in their dimensions at most.
fn is_alike(one: &SectionRecipe, other: &SectionRecipe) -> bool {
    let bare = |own: &SectionRecipe| {
        let parameters = Parameters { dimensions: Vec::new(), ..own.parameters.clone() };
        SectionRecipe { parameters, ..own.clone() }
    };
    bare(one) == bare(other)
}

/// Perpendicular to an axis, in the middle of `bounds` to a tenth of a millimetre.
fn in_the_middle(bounds: &Aabb, axis: usize) -> Placement {
    Placement::Axis { axis, at_mm: (10.0 * bounds.centre()[axis]).round() / 10.0 }
}

/// The sections of the plan.
fn sections(document: &Document) -> impl Iterator<Item = &Arc<Element>> {
    document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Section(_)))
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    let Some(section) = document.result::<Section>(Some(id)) else {
        return no_result(ui, document, id);
    };
    if document.state(id) != State::Fresh {
        theme::weak(ui, text!("compare-section-stale"));
    }
    let own = section.statistics();
    if let Some(verdict) = section.verdict() {
        banner(ui, verdict, &section.covers().unwrap_or_default(), std::iter::empty());
    }
    let mut figures = vec![(text!("compare-contour"), with_unit(length_text(own.length_mm, 3)))];
    if section.is_compared {
        figures.push((text!("compare-measured"), percent(own.coverage())));
    }
    if own.measured_mm > 0.0 {
        figures.push((text!("compare-in-tolerance"), percent(own.in_tolerance_mm / own.measured_mm)));
        figures.push((
            text!("compare-min-max"),
            with_unit(format!("{}, {}", signed_length(own.min_mm, 4), signed_length(own.max_mm, 4))),
        ));
        figures.push((text!("compare-mean"), with_unit(signed_length(own.mean_mm, 4))));
        figures.push((text!("compare-rms"), with_unit(length_text(own.rms_mm, 4))));
    }
    rows(ui, "section figures", &figures);
    for note in &section.notes {
        ui.colored_label(ui.visuals().warn_fg_color, texts::word(note).into_owned());
    }
    if section.is_compared {
        let width = with_unit(length_text(2.0 * section.half_width_mm, 2));
        theme::weak(ui, text!("compare-section-medians", width = width));
    }
    view(ui, context, section);
    let ready = !context.is_busy && document.state(id) == State::Fresh;
    if ui
        .add_enabled(ready, egui::Button::new(text!("compare-save-drawings")))
        .on_hover_text(text!("compare-save-drawings-hint"))
        .clicked()
    {
        context.ask(Action::Browse(Purpose::SectionFolder(id)));
    }
}

/// Which plane is shown, and how.
fn view(ui: &mut egui::Ui, context: &mut PanelContext<'_>, section: &Section) {
    let display = &mut context.display.section;
    let last = section.planes.len().saturating_sub(1);
    display.plane = display.plane.min(last);
    theme::heading(ui, text!("compare-view"));
    if last > 0 {
        ui.horizontal(|ui| {
            ui.label(text!("compare-plane-of", number = display.plane + 1, count = last + 1));
            if ui.add_enabled(display.plane > 0, egui::Button::new(text!("compare-previous"))).clicked() {
                display.plane -= 1;
            }
            if ui.add_enabled(display.plane < last, egui::Button::new(text!("compare-next"))).clicked() {
                display.plane += 1;
            }
        });
    }
    if section.is_compared {
        ui.horizontal(|ui| {
            let label = ui.label(text!("compare-enlarge"));
            let times = |factor: f64| text!("compare-times", factor = factor.to_string());
            let text = display.factor.map_or_else(|| text!("compare-automatic"), times);
            let combo = egui::ComboBox::from_id_salt("enlarge").selected_text(text).width(110.0);
            let combo = combo.show_ui(ui, |ui| {
                ui.selectable_value(&mut display.factor, None, text!("compare-automatic"));
                for factor in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0] {
                    ui.selectable_value(&mut display.factor, Some(factor), times(factor));
                }
            });
            combo.response.labelled_by(label.id);
        });
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut display.clips, text!("compare-clip"));
        if display.clips && ui.button(text!("compare-flip")).on_hover_text(text!("compare-flip-hint")).clicked() {
            display.is_flipped = !display.is_flipped;
        }
    });
}
