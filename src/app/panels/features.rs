//! The Features workspace: fits to what was brushed, and what they found.

use super::super::{App, theme};
use super::constructions::choose;
use super::{is_settled, named, not_made, rows};
use crate::number_field::NumberField;
use base::signed;
use dispatch::{Command, Elements, Features, Select};
use geometry::Combine;
use inspect::features::fitting::Fitting;
use inspect::features::recipe::FeatureRecipe;
use inspect::features::{Certificate, Element, Fit, Kind, Objective, Shape, nominal};
use session::features::Measured;
use session::plan::{ElementId, Recipe};
use session::selection::Selectable;

/// Robust standard deviations beyond which points are usually dropped.
const USUAL_SIGMAS: f64 = 3.0;

/// What the panel remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Of the selection.
    pub(super) name: String,
    /// The plane that lines, circles and slots are fitted in; empty fits them in space.
    plane: String,
    objective: Objective,
    robust: bool,
    clips: bool,
    sigmas: f64,
    /// How a feature is fitted, while that is being edited.
    edited: Option<(ElementId, Fitting)>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            name: String::new(),
            plane: String::new(),
            objective: Objective::default(),
            robust: false,
            clips: true,
            sigmas: USUAL_SIGMAS,
            edited: None,
        }
    }
}

impl App {
    pub(super) fn features_panel(&mut self, ui: &mut egui::Ui) {
        theme::heading(ui, "Brush");
        let document = &self.dispatcher.document;
        if document.actual().is_none() && document.nominal().is_none() {
            theme::weak(ui, "Load a scan, then brush the points of a feature.");
            return;
        }
        let mut send = None;
        self.brush_what(ui);
        self.brush_options(ui);
        self.selection(ui, &mut send);
        self.fits(ui, &mut send);
        self.features(ui, &mut send);
        self.take_fitting(ui, &mut send);
        self.slots(ui, &mut send);
        self.constructions(ui, &mut send);
        self.tolerances(ui, &mut send);
        if let Some(command) = send {
            self.send(command);
        }
    }

    fn fits(&mut self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let ready = !self.dispatcher.document.points.selected.is_empty() && !self.is_busy();
        theme::heading(ui, "Fit to the selected points");
        let document = &self.dispatcher.document;
        let is_plane = |name: &String| matches!(document.element(name), Some(Element::Shape(Shape::Plane { .. })));
        let planes: Vec<String> = document.element_names().into_iter().filter(is_plane).collect();
        let draft = &mut self.feature_draft;
        if !planes.contains(&draft.plane) {
            draft.plane.clear();
        }
        let plane = Some(draft.plane.clone()).filter(|plane| !plane.is_empty());
        let clip_sigmas = draft.clips.then_some(draft.sigmas);
        ui.horizontal_wrapped(|ui| {
            for kind in Kind::ALL {
                let button = egui::Button::new(kind.name()).min_size(egui::vec2(70.0, 26.0));
                let ready = ready && draft.objective.suits(kind);
                if ui.add_enabled(ready, button).on_disabled_hover_text("Brush some points first").clicked() {
                    let (plane, robust) = (plane.clone(), draft.robust);
                    *send = Some(match (kind, plane) {
                        (Kind::Line | Kind::Circle, Some(plane)) => {
                            Command::Features(Features::FitInPlane { kind, plane, robust, clip_sigmas })
                        }
                        _ => Command::Features(Features::Fit { kind, objective: draft.objective, robust, clip_sigmas }),
                    });
                }
            }
            let button = egui::Button::new("Slot").min_size(egui::vec2(70.0, 26.0));
            if ui.add_enabled(ready, button).on_disabled_hover_text("Brush some points first").clicked() {
                *send = Some(Features::FitSlot { plane, clip_sigmas }.into());
            }
        });
        if !planes.is_empty() {
            ui.horizontal(|ui| {
                let label = ui.label("In plane").on_hover_text("Lines, circles and slots are fitted in this plane");
                choose(ui, "in plane", &mut draft.plane, &planes, "none").labelled_by(label.id);
            });
        }
        theme::choice(ui, "Objective", &mut draft.objective, &Objective::ALL, |own| own.name());
        ui.checkbox(&mut draft.robust, "Most points decide")
            .on_hover_text("Begins with the feature that most points lie on: for selections that spill over an edge");
        ui.horizontal(|ui| {
            ui.checkbox(&mut draft.clips, "Drop points beyond");
            let drag = NumberField::new(&mut draft.sigmas).speed(0.05).range(1.0..=10.0).suffix(" σ");
            ui.add_enabled(draft.clips, drag);
        });
        self.parallel_planes(ui, clip_sigmas, send);
    }

    /// A change of how a feature is fitted, once the edit has ended.
    fn take_fitting(&mut self, ui: &egui::Ui, send: &mut Option<Command>) {
        if send.is_some() || self.is_busy() || !is_settled(ui) {
            return;
        }
        let Some((id, fitting)) = self.feature_draft.edited.take() else { return };
        if let Some(Recipe::Feature(own)) = self.dispatcher.document.plan.get(id).map(|own| &own.recipe) {
            let recipe = FeatureRecipe { fitting, ..FeatureRecipe::clone(own) };
            *send = Some(Elements::SetRecipe(id, Box::new(recipe.into())).into());
        }
    }

    fn features(&mut self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let document = &self.dispatcher.document;
        let edited = &mut self.feature_draft.edited;
        theme::heading(ui, "Features");
        let features = document.features();
        if features.is_empty() {
            theme::weak(ui, "None fitted yet.");
            return;
        }
        let frame = if document.alignment().is_some() { "nominal" } else { "scan" };
        theme::weak(ui, format!("Places and directions in the frame of the {frame}; uncertainties with k = 2."));
        let pose = document.nominal_from_scan();
        for (i, feature) in features.iter().enumerate() {
            let Some((made, fit)) = feature.made.and_then(|made| Some((made, made.fit()?))) else {
                not_made(ui, document, feature.id);
                if ui.button("Remove").clicked() {
                    *send = Some(Elements::Remove(feature.id).into());
                }
                continue;
            };
            let title = format!("{}   RMS {:.4} mm", feature.name, fit.rms_mm);
            let id = ui.make_persistent_id(("feature", i));
            let last = i + 1 == features.len();
            let header = egui::CollapsingHeader::new(title).id_salt(id).default_open(last);
            header.show(ui, |ui| {
                let shape = fit.shape.moved(&pose);
                let name = feature.name;
                let nominal = feature.recipe.nominal.as_ref();
                let mut figures = figures(feature.recipe, fit, &shape);
                if let Some(nominal) = nominal.filter(|_| document.alignment().is_some()) {
                    figures.extend(off_nominal(&shape, nominal));
                }
                rows(ui, &format!("feature {i}"), &figures);
                theme::weak(ui, format!("{}.", fit.uncertainty.assumption));
                selection_words(ui, feature, document.alignment().is_some(), send);
                fitting(ui, feature, edited);
                ui.horizontal(|ui| {
                    let hint = "What it should be: the feature that the selected facets of the nominal are of";
                    let missing = if document.alignment().is_none() {
                        "Align first"
                    } else {
                        "Brush its facets of the nominal first"
                    };
                    let ready = document.alignment().is_some() && !document.facets.selected.is_empty();
                    let button = ui.add_enabled(ready, egui::Button::new("Nominal from facets"));
                    if button.on_hover_text(hint).on_disabled_hover_text(missing).clicked() {
                        *send = Some(Features::NominalFromFacets(name.to_owned()).into());
                    }
                    if nominal.is_some() && ui.button("Forget nominal").clicked() {
                        *send = Some(Features::ForgetNominal(name.to_owned()).into());
                    }
                });
                if nominal.is_some() && document.alignment().is_none() {
                    theme::weak(ui, "Align to see how far it is from its nominal.");
                }
                ui.horizontal(|ui| {
                    if ui.button("Select its points").clicked() {
                        let points = made.numbers.clone();
                        *send = Some(Select::Numbers(Selectable::Points, points, Combine::Replace).into());
                    }
                    if ui.button("Remove").clicked() {
                        *send = Some(Elements::Remove(feature.id).into());
                    }
                });
            });
        }
    }
}

/// How it is fitted, to be changed; taken over when an edit ends.
fn fitting(ui: &mut egui::Ui, feature: &Measured<'_, FeatureRecipe>, edited: &mut Option<(ElementId, Fitting)>) {
    let own = &feature.recipe.fitting;
    let mut fitting = match edited {
        Some((id, fitting)) if *id == feature.id => fitting.clone(),
        _ => own.clone(),
    };
    ui.horizontal(|ui| {
        let robust = ui.checkbox(&mut fitting.robust, "Most points decide");
        named(&robust, &format!("Most points decide {}", feature.name));
        let mut clips = fitting.clip_sigmas.is_some();
        let clip = ui.checkbox(&mut clips, "Drop beyond");
        named(&clip, &format!("Drop points of {}", feature.name));
        if clip.changed() {
            fitting.clip_sigmas = clips.then_some(USUAL_SIGMAS);
        }
        if let Some(sigmas) = &mut fitting.clip_sigmas {
            let drag = NumberField::new(sigmas).speed(0.05).range(1.0..=10.0).suffix(" σ");
            named(&ui.add(drag), &format!("Largest residual of {}", feature.name));
        }
    });
    if fitting != *own {
        *edited = Some((feature.id, fitting));
    }
}

/// What its points are, and whether they are found again on other parts.
fn selection_words(
    ui: &mut egui::Ui,
    feature: &Measured<'_, FeatureRecipe>,
    is_aligned: bool,
    send: &mut Option<Command>,
) {
    let selection = &feature.recipe.selection;
    if selection.is_repeatable() {
        theme::weak(ui, format!("Measured on every part: {}.", selection.words()));
        return;
    }
    ui.horizontal(|ui| {
        theme::weak(ui, "Of this part only.");
        let button = ui.add_enabled(is_aligned, egui::Button::new("Measure on its faces"));
        let hint = "Takes the faces of the nominal that its points lie on, so that it is measured on every part";
        if button.on_hover_text(hint).on_disabled_hover_text("Align first").clicked() {
            *send = Some(Features::OnFaces(feature.id).into());
        }
    });
}

/// How far a feature is from what it should be, nominal frame.
fn off_nominal(shape: &Shape, nominal: &Element) -> Vec<(&'static str, String)> {
    let nominal::Off { shift_mm, turn_rad, numbers } = nominal::off(shape, nominal);
    let mut figures = vec![(
        "Off nominal",
        format!("{} mm", [shift_mm.x, shift_mm.y, shift_mm.z].map(|mm| signed(mm, 4)).join(", ")),
    )];
    figures.extend(turn_rad.map(|turn| ("Turned", format!("{:.4}°", turn.to_degrees()))));
    figures.extend(numbers.into_iter().map(|(name, off)| {
        let off = if name == "Half angle" {
            format!("{}°", signed(off.to_degrees(), 4))
        } else {
            format!("{} mm", signed(off, 4))
        };
        (if name == "Half angle" { "Half angle off" } else { "Size off" }, format!("{name} {off}"))
    }));
    figures
}

/// The feature's figures by name; `shape` is it in the frame that is shown.
fn figures(recipe: &FeatureRecipe, fit: &Fit, shape: &Shape) -> Vec<(&'static str, String)> {
    let u = &fit.uncertainty;
    let place = shape.place();
    let mut figures = vec![
        ("Place", format!("{:.4}, {:.4}, {:.4} mm", place.x, place.y, place.z)),
        ("", format!("± {:.4} mm", u.position_mm)),
    ];
    if let Some(direction) = shape.direction() {
        let degrees = u.direction_rad.to_degrees();
        figures.push(("Direction", format!("{:.5}, {:.5}, {:.5}", direction.x, direction.y, direction.z)));
        figures.push(("", format!("± {degrees:.4}°")));
    }
    let number = |i: usize| u.numbers.get(i).copied().unwrap_or_default();
    let length = |name, mm: f64, i| (name, format!("{mm:.4} ± {:.4} mm", number(i)));
    match *shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => {
            figures.push(length("Radius", radius, 0));
        }
        Shape::Cone { radius, half_angle_rad, .. } => {
            figures.push(length("Radius there", radius, 0));
            let angle = half_angle_rad.to_degrees();
            figures.push(("Half angle", format!("{angle:.4} ± {:.4}°", number(1).to_degrees())));
        }
        Shape::Torus { major, minor, .. } => {
            figures.push(length("Major radius", major, 0));
            figures.push(length("Minor radius", minor, 1));
        }
        Shape::Line { .. } | Shape::Plane { .. } => {}
    }
    figures.push(("Form error", format!("{:.4} mm", fit.form_error_mm)));
    if let Some(zone) = &fit.zone {
        let shown = match zone.certified {
            Certificate::Exact => "shown to be the best of all",
            Certificate::Local => "shown to be the best nearby",
            Certificate::Open => "the best that was found",
        };
        figures.push(("Objective", format!("{}, {shown}", zone.objective.name())));
        figures.push(("Held by", format!("{} points", zone.contacts.len())));
    }
    figures.push(("Points", format!("{} used, {} dropped", theme::count(fit.used), theme::count(fit.dropped.len()))));
    if !recipe.fitting.weights.is_plain() {
        figures.push(("Weights", recipe.fitting.weights.words()));
    }
    if !recipe.parallel_to.is_empty() {
        figures.push(("Normal", format!("of {} planes together", recipe.parallel_to.len() + 1)));
    }
    figures
}
