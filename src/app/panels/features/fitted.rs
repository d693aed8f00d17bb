//! Fitted features with their results and fit options, in the Features workspace.

use std::collections::BTreeMap;

use super::super::{PanelContext, named, no_result, rows};
use super::{DEFAULT_SIGMAS, FeaturesPanel};
use crate::lengths::{length_text, position_text, signed_length, with_unit};
use crate::number_field::NumberField;
use crate::theme;
use base::signed;
use dispatch::{Elements, Features, Select};
use geometry::Combine;
use inspect::features::fitting::{Fitting, SPIKE_SIGMAS};
use inspect::features::measured::MeasuredFeature;
use inspect::features::recipe::FeatureRecipe;
use inspect::features::{Certificate, Element, Fit, Shape, nominal};
use inspect::selection::Selection;
use session::features::Measured;
use session::plan::ElementId;
use session::selection::Selectable;
use texts::text;

impl FeaturesPanel {
    /// Fitted features with their results; the one that is sought is opened.
    pub(super) fn features(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let (edited, sought) = (&mut self.edited, &mut self.sought);
        theme::heading(ui, text!("features-features"));
        let features = document.features();
        if features.is_empty() {
            theme::weak(ui, text!("features-no-features"));
            return;
        }
        let frame = match document.alignment() {
            Some(_) => text!("features-nominal-frame"),
            None => text!("features-scan-frame"),
        };
        theme::weak(ui, frame);
        let pose = document.nominal_from_scan();
        for (i, feature) in features.iter().enumerate() {
            let opens = sought.lead(ui, feature.id);
            let Some((made, fit)) = feature.made.and_then(|made| Some((made, made.fit()?))) else {
                no_result(ui, document, feature.id);
                sought.reach(feature.id, 1.0);
                if ui.button(text!("common-remove")).clicked() {
                    context.send(Elements::Remove(feature.id));
                }
                continue;
            };
            let title = format!("{}   RMS {}", feature.name, with_unit(length_text(fit.rms_mm, 4)));
            let id = ui.make_persistent_id(("feature", i));
            let last = i + 1 == features.len();
            let header = egui::CollapsingHeader::new(title).id_salt(id).default_open(last).open(opens);
            let shown = header.show(ui, |ui| {
                let shape = fit.shape.moved(&pose);
                let name = feature.name;
                let nominal = feature.recipe.nominal.as_ref();
                let mut figures = figures(feature.recipe, made, fit, &shape);
                if let Some(nominal) = nominal.filter(|_| document.alignment().is_some()) {
                    figures.extend(nominal_deviations(&shape, nominal));
                }
                rows(ui, &format!("feature {i}"), &figures);
                theme::weak(ui, format!("{}.", texts::word(&fit.uncertainty.assumption)));
                for note in made.notes(&pose) {
                    theme::weak(ui, texts::word(&note));
                }
                if let Some(radius_mm) = fit.uncertainty.min_radius_mm {
                    let text = format!("The arc does not determine the radius: at least {radius_mm:.4} mm.");
                    ui.colored_label(ui.visuals().warn_fg_color, texts::word(&text).into_owned());
                }
                for doubt in &fit.doubts {
                    ui.colored_label(ui.visuals().warn_fg_color, texts::word(doubt).into_owned());
                }
                selection_note(ui, feature, document.alignment().is_some(), context);
                fitting(ui, feature, edited);
                ui.horizontal(|ui| {
                    let hint = text!("features-nominal-from-facets-hint");
                    let missing = if document.alignment().is_none() {
                        text!("common-align-first")
                    } else {
                        text!("features-select-facets-first")
                    };
                    let ready = document.alignment().is_some() && !document.facets.selected.is_empty();
                    let button = ui.add_enabled(ready, egui::Button::new(text!("features-nominal-from-facets")));
                    if button.on_hover_text(hint).on_disabled_hover_text(missing).clicked() {
                        context.send(Features::NominalFromFacets(name.to_owned()));
                    }
                    if nominal.is_some() && ui.button(text!("features-remove-nominal")).clicked() {
                        context.send(Features::ForgetNominal(name.to_owned()));
                    }
                });
                if nominal.is_some() && document.alignment().is_none() {
                    theme::weak(ui, text!("features-align-to-compare"));
                }
                ui.horizontal(|ui| {
                    if ui.button(text!("features-select-points")).clicked() {
                        let points = made.numbers.clone();
                        context.send(Select::Numbers(Selectable::Points, points, Combine::Replace));
                    }
                    if ui.button(text!("common-remove")).clicked() {
                        context.send(Elements::Remove(feature.id));
                    }
                });
            });
            sought.reach(feature.id, shown.openness);
        }
    }
}

/// Fit options of a feature; sent when an edit ends.
fn fitting(ui: &mut egui::Ui, feature: &Measured<'_, FeatureRecipe>, edited: &mut BTreeMap<ElementId, Fitting>) {
    let own = &feature.recipe.fitting;
    let mut fitting = edited.get(&feature.id).unwrap_or(own).clone();
    ui.horizontal(|ui| {
        let robust = ui.checkbox(&mut fitting.robust, text!("features-robust"));
        named(&robust, &text!("features-robust-of", name = feature.name));
        let mut clips = fitting.clip_sigmas.is_some();
        let clip = ui.checkbox(&mut clips, text!("features-reject"));
        named(&clip, &text!("features-reject-points-of", name = feature.name));
        if clip.changed() {
            fitting.clip_sigmas = clips.then_some(DEFAULT_SIGMAS);
        }
        if let Some(sigmas) = &mut fitting.clip_sigmas {
            let drag = NumberField::new(sigmas).speed(0.05).range(1.0..=10.0).suffix(" σ");
            named(&ui.add(drag), &text!("features-max-residual-of", name = feature.name));
        }
    });
    ui.horizontal(|ui| {
        let mut rejects = fitting.spike_sigmas.is_some();
        let check = ui.checkbox(&mut rejects, text!("features-reject-spikes"));
        let check = check.on_hover_text(text!("features-reject-spikes-hint"));
        named(&check, &text!("features-reject-spikes-of", name = feature.name));
        if check.changed() {
            fitting.spike_sigmas = rejects.then_some(SPIKE_SIGMAS);
        }
        if let Some(sigmas) = &mut fitting.spike_sigmas {
            let drag = NumberField::new(sigmas).speed(0.05).range(3.0..=20.0).suffix(" σ");
            named(&ui.add(drag), &text!("features-spike-limit-of", name = feature.name));
        }
    });
    if fitting == *own {
        edited.remove(&feature.id);
    } else {
        edited.insert(feature.id, fitting);
    }
}

/// Whether the points of a feature are selected on every part, and how.
fn selection_note(
    ui: &mut egui::Ui,
    feature: &Measured<'_, FeatureRecipe>,
    is_aligned: bool,
    context: &mut PanelContext<'_>,
) {
    let on_every_part = match &feature.recipe.selection {
        Selection::Facets(own) => Some(text!("features-on-facets", count = own.facets.len())),
        Selection::Prism { .. } => Some(text!("features-in-prism")),
        Selection::Points(_) => None,
    };
    if let Some(note) = on_every_part {
        theme::weak(ui, note);
        return;
    }
    ui.horizontal(|ui| {
        theme::weak(ui, text!("features-on-this-part"));
        let button = ui.add_enabled(is_aligned, egui::Button::new(text!("features-on-faces")));
        let hint = text!("features-on-faces-hint");
        if button.on_hover_text(hint).on_disabled_hover_text(text!("common-align-first")).clicked() {
            context.send(Features::OnFaces(feature.id));
        }
    });
}

/// Deviations of a feature from its nominal, nominal frame.
fn nominal_deviations(shape: &Shape, nominal: &Element) -> Vec<(String, String)> {
    let nominal::Off { shift_mm, turn_rad, numbers } = nominal::off(shape, nominal);
    let shift = [shift_mm.x, shift_mm.y, shift_mm.z].map(|mm| signed_length(mm, 4)).join(", ");
    let mut figures = vec![(text!("features-deviation"), with_unit(shift))];
    figures.extend(turn_rad.map(|turn| (text!("features-angular-deviation"), format!("{:.4}°", turn.to_degrees()))));
    figures.extend(numbers.into_iter().map(|(name, off)| {
        let (title, off) = if name == "Half angle" {
            (text!("features-angle-deviation"), format!("{}°", signed(off.to_degrees(), 4)))
        } else {
            (text!("features-size-deviation"), with_unit(signed_length(off, 4)))
        };
        (title, format!("{} {off}", texts::word(name)))
    }));
    figures
}

/// An uncertainty as text, or that there is none.
fn stated(own: f64, text: impl Fn(f64) -> String) -> String {
    if own.is_finite() { text(own) } else { text!("features-no-uncertainty") }
}

/// Names and values of the results of a feature; `shape` is in the displayed frame.
fn figures(recipe: &FeatureRecipe, made: &MeasuredFeature, fit: &Fit, shape: &Shape) -> Vec<(String, String)> {
    let u = &fit.uncertainty;
    let position = shape.position();
    let mut figures = vec![
        (text!("features-position"), with_unit(position_text([position.x, position.y, position.z], 4))),
        (String::new(), stated(u.position_mm, |own| with_unit(format!("± {}", length_text(own, 4))))),
    ];
    if let Some(direction) = shape.direction() {
        let text = format!("{:.5}, {:.5}, {:.5}", direction.x, direction.y, direction.z);
        figures.push((text!("features-direction"), text));
        figures.push((String::new(), stated(u.direction_rad, |own| format!("± {:.4}°", own.to_degrees()))));
    }
    let number = |i: usize| u.numbers.get(i).copied().unwrap_or_default();
    let length = |name: String, mm: f64, i| {
        let own = stated(number(i), |own| with_unit(format!("{} ± {}", length_text(mm, 4), length_text(own, 4))));
        let is_stated = number(i).is_finite();
        (name, if is_stated { own } else { format!("{}, {own}", with_unit(length_text(mm, 4))) })
    };
    match *shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => {
            figures.push(length(text!("features-radius"), radius, 0));
        }
        Shape::Cone { radius, half_angle_rad, .. } => {
            figures.push(length(text!("features-radius-at-position"), radius, 0));
            let angle = half_angle_rad.to_degrees();
            let u = stated(number(1), |own| format!("± {:.4}°", own.to_degrees()));
            figures.push((text!("features-half-angle"), format!("{angle:.4}° {u}")));
        }
        Shape::Torus { major, minor, .. } => {
            figures.push(length(text!("features-major-radius"), major, 0));
            figures.push(length(text!("features-minor-radius"), minor, 1));
        }
        Shape::Line { .. } | Shape::Plane { .. } => {}
    }
    if let Some(arc_deg) = fit.arc_deg {
        figures.push((text!("features-arc-seen"), format!("{arc_deg:.0}°")));
    }
    figures.push((
        text!("features-form-error"),
        with_unit(length_text(made.form_error_mm().unwrap_or(fit.form_error_mm), 4)),
    ));
    if let Some(zone) = &fit.zone {
        let objective = texts::word(zone.objective.name()).into_owned();
        let optimality = match zone.certified {
            Certificate::Exact => text!("features-global-optimum", objective = objective),
            Certificate::Local => text!("features-local-optimum", objective = objective),
            Certificate::Open => text!("features-open-optimum", objective = objective),
        };
        figures.push((text!("features-objective"), optimality));
        figures.push((text!("features-contact-points"), zone.contacts.len().to_string()));
    }
    let (used, rejected) = (theme::count(fit.used), theme::count(fit.dropped.len()));
    figures.push((text!("features-points"), text!("features-points-used", used = used, rejected = rejected)));
    let weights = &recipe.fitting.weights;
    if !weights.is_plain() {
        let by = texts::word(weights.by.name()).into_owned();
        let text = match weights.max_incidence_rad {
            Some(limit) => text!("features-weights-masked", by = by, degrees = format!("{:.1}", limit.to_degrees())),
            None => by,
        };
        figures.push((text!("features-weights"), text));
    }
    if !recipe.parallel_to.is_empty() {
        let common = text!("features-common-normal", count = recipe.parallel_to.len() + 1);
        figures.push((text!("features-normal"), common));
    }
    figures
}
