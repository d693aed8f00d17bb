//! Details of a tolerance: angle, theoretically exact position, shape of the zone, material requirement.

use egui::RichText;

use super::super::{named, theme};
use crate::lengths::{symbol, unit};
use crate::number_field::NumberField;
use geometry::{Point, Vector};
use inspect::features::element::Situation;
use inspect::features::{Element, Shape};
use inspect::tolerances::{Characteristic, MaximumMaterial, Side, Tolerance, Zone};
use session::Document;
use texts::text;

/// Nesting index of a filter that is switched on, mm.
const DEFAULT_NESTING_INDEX_MM: f64 = 2.5;
/// Cutoff of a filter that is switched on for round features, undulations per revolution.
const DEFAULT_UPR: f64 = 50.0;
/// Usual cutoffs of straight features, mm.
const USUAL_CUTOFFS_MM: [f64; 4] = [0.25, 0.8, 2.5, 8.0];
/// Usual cutoffs of round features, undulations per revolution.
const USUAL_UPR: [f64; 4] = [15.0, 50.0, 150.0, 500.0];
/// Limit for outliers whose removal is switched on, standard deviations of the noise.
const DEFAULT_OUTLIER_SIGMAS: f64 = 4.0;

/// Fields for the details of a tolerance.
pub(super) fn details(ui: &mut egui::Ui, i: usize, tolerance: &mut Tolerance, document: &Document) {
    match &mut tolerance.characteristic {
        Characteristic::Angularity { angle_deg, .. } => {
            ui.horizontal(|ui| {
                ui.label(text!("features-at-angle"));
                let drag = NumberField::new(angle_deg).speed(0.1).range(0.0..=90.0).suffix("°");
                named(&ui.add(drag), &text!("features-angle-of", number = i + 1));
            });
        }
        Characteristic::Position { true_place, .. } => {
            if let Some(element) = document.element(&tolerance.feature) {
                match true_place {
                    Some(exact) => exact_position(ui, i, exact, &element),
                    None if document.nominal_of(&tolerance.feature).is_none() => {
                        *true_place = asked_position(ui, i, &tolerance.feature, &element);
                    }
                    None => {}
                }
            }
        }
        _ => {}
    }
    // The zone of a plane is a width along its normal; a plane has no size.
    let is_plane =
        document.element(&tolerance.feature).is_none_or(|own| matches!(own.situation(), Situation::Plane(_)));
    let shape = shape_of(&tolerance.feature, document);
    let zone = match &mut tolerance.characteristic {
        Characteristic::Parallelism { zone }
        | Characteristic::Perpendicularity { zone }
        | Characteristic::Angularity { zone, .. }
        | Characteristic::Position { zone, .. } => Some(zone),
        _ => None,
    };
    if let Some(zone) = zone.filter(|_| !is_plane) {
        zone_row(ui, i, zone);
        maximum_material(ui, i, &mut tolerance.maximum_material);
    }
    if let Some(shape) = shape.filter(|shape| tolerance.is_of_surface(shape) || tolerance.is_of_profile(shape)) {
        filter(ui, i + 1, tolerance, &shape);
    }
    if shape.is_some_and(|shape| tolerance.takes_outliers(&shape)) {
        outliers(ui, i + 1, &mut tolerance.outlier_sigmas);
    }
}

/// The shape of a feature; `None` of a point, and if there is none of that name.
pub(super) fn shape_of(feature: &str, document: &Document) -> Option<Shape> {
    if let Some(Element::Shape(shape)) = document.element(feature) { Some(shape) } else { None }
}

/// Gaussian filter of the points of a tolerance, with its cutoff: of round features in undulations per revolution or mm.
fn filter(ui: &mut egui::Ui, number: usize, tolerance: &mut Tolerance, shape: &Shape) {
    let by_undulations = tolerance.takes_undulations(shape);
    ui.horizontal_wrapped(|ui| {
        let was_filtered = tolerance.filter_mm.is_some() || tolerance.filter_upr.is_some();
        let is_filtered = filter_check(ui, was_filtered, &text!("features-filter-of", number = number));
        if is_filtered != was_filtered {
            tolerance.filter_upr = (is_filtered && by_undulations).then_some(DEFAULT_UPR);
            tolerance.filter_mm = (is_filtered && !by_undulations).then_some(DEFAULT_NESTING_INDEX_MM);
        }
        if is_filtered && by_undulations {
            let was_by_upr = tolerance.filter_upr.is_some();
            let mut is_by_upr = was_by_upr;
            theme::pick(ui, &mut is_by_upr, true, "UPR").on_hover_text(text!("features-upr-hint"));
            theme::pick(ui, &mut is_by_upr, false, symbol()).on_hover_text(text!("features-nesting-hint"));
            if is_by_upr != was_by_upr {
                tolerance.filter_upr = is_by_upr.then_some(DEFAULT_UPR);
                tolerance.filter_mm = (!is_by_upr).then_some(DEFAULT_NESTING_INDEX_MM);
            }
        }
        if let Some(upr) = &mut tolerance.filter_upr {
            let drag = NumberField::new(upr).speed(1.0).range(3.0..=10_000.0).max_decimals(0).suffix(" UPR");
            named(&ui.add(drag).on_hover_text(text!("features-upr-hint")), &text!("features-upr-of", number = number));
            for usual in USUAL_UPR {
                theme::pick(ui, upr, usual, usual.to_string());
            }
        }
        if let Some(cutoff_mm) = &mut tolerance.filter_mm {
            nesting_index(ui, cutoff_mm, &text!("features-nesting-of", number = number));
            for usual in USUAL_CUTOFFS_MM {
                theme::pick(ui, cutoff_mm, usual, unit().stated_text(usual));
            }
        }
    });
}

/// Gaussian filter of the points of tolerances of the CAD, with its nesting index.
pub(super) fn filter_of_cad(ui: &mut egui::Ui, own: &mut Option<f64>) {
    ui.horizontal(|ui| {
        let is_filtered = filter_check(ui, own.is_some(), &text!("features-filter-of-cad"));
        if is_filtered != own.is_some() {
            *own = is_filtered.then_some(DEFAULT_NESTING_INDEX_MM);
        }
        if let Some(nesting_index_mm) = own {
            nesting_index(ui, nesting_index_mm, &text!("features-nesting-of-cad"));
        }
    });
}

/// Whether points are filtered, after the click of this frame.
fn filter_check(ui: &mut egui::Ui, mut is_filtered: bool, name: &str) -> bool {
    let check = ui.checkbox(&mut is_filtered, text!("features-filter"));
    named(&check.on_hover_text(text!("features-filter-hint")), name);
    is_filtered
}

fn nesting_index(ui: &mut egui::Ui, nesting_index_mm: &mut f64, name: &str) {
    let drag = NumberField::new(nesting_index_mm).speed(0.05).range(0.01..=1000.0).max_decimals(3).unit("mm");
    named(&ui.add(drag).on_hover_text(text!("features-nesting-hint")), name);
}

/// Removal of outliers before the filter, with its limit.
fn outliers(ui: &mut egui::Ui, number: usize, own: &mut Option<f64>) {
    ui.horizontal(|ui| {
        let mut are_removed = own.is_some();
        let check = ui.checkbox(&mut are_removed, text!("features-outliers"));
        named(&check.on_hover_text(text!("features-outliers-hint")), &text!("features-outliers-of", number = number));
        if are_removed != own.is_some() {
            *own = are_removed.then_some(DEFAULT_OUTLIER_SIGMAS);
        }
        if let Some(sigmas) = own {
            let drag = NumberField::new(sigmas).speed(0.1).range(1.0..=100.0).max_decimals(1).suffix(" σ");
            named(&ui.add(drag), &text!("features-outlier-limit-of", number = number));
        }
    });
}

/// Shape of the zone: cylinder or sphere, or two planes perpendicular to an axis of the datum system.
fn zone_row(ui: &mut egui::Ui, i: usize, zone: &mut Zone) {
    let choices = [
        (text!("features-zone-diameter"), Zone::Diameter),
        (text!("features-zone-along", axis = "X"), Zone::Width { along: Vector::x() }),
        (text!("features-zone-along", axis = "Y"), Zone::Width { along: Vector::y() }),
        (text!("features-zone-along", axis = "Z"), Zone::Width { along: Vector::z() }),
    ];
    let own = choices.iter().find(|(_, choice)| choice == zone).map(|(name, _)| name.clone());
    let own = own.unwrap_or_else(|| text!("features-zone-along-other"));
    ui.horizontal(|ui| {
        ui.label(RichText::new(text!("features-zone")).weak()).on_hover_text(text!("features-zone-hint"));
        let combo = egui::ComboBox::from_id_salt(("zone", i)).selected_text(own).width(120.0);
        let shown = combo.show_ui(ui, |ui| choices.map(|(name, choice)| ui.selectable_value(zone, choice, name)));
        named(&shown.response, &text!("features-zone-of", number = i + 1));
    });
}

/// Maximum material requirement (ISO 2692): hole or shaft, and the maximum material size.
fn maximum_material(ui: &mut egui::Ui, i: usize, own: &mut Option<MaximumMaterial>) {
    ui.horizontal(|ui| {
        let mut is_required = own.is_some();
        let check = ui.checkbox(&mut is_required, text!("features-maximum-material"));
        let check = check.on_hover_text(text!("features-maximum-material-hint"));
        named(&check, &text!("features-maximum-material-of", number = i + 1));
        if is_required != own.is_some() {
            *own = is_required.then_some(MaximumMaterial { side: Side::Internal, size_mm: 0.0 });
        }
        if let Some(own) = own {
            let sides = [(Side::Internal, text!("features-hole")), (Side::External, text!("features-shaft"))];
            for (side, name) in sides {
                theme::pick(ui, &mut own.side, side, name);
            }
            let drag = NumberField::new(&mut own.size_mm).speed(0.01).range(0.0..=1e6).max_decimals(4).unit("mm");
            let field = ui.add(drag).on_hover_text(text!("features-maximum-material-size-hint"));
            named(&field, &text!("features-maximum-material-size", number = i + 1));
        }
    });
}

/// Asks for the theoretically exact position, which neither the CAD nor the operator has stated; `None` until it is.
fn asked_position(ui: &mut egui::Ui, i: usize, feature: &str, element: &Element) -> Option<Element> {
    ui.colored_label(theme::WARN, text!("features-exact-wanted"));
    let id = ui.scope_id().with(("exact position", feature, i));
    let mut at = ui.data(|data| data.get_temp::<Point>(id)).unwrap_or_default();
    let is_stated = ui.horizontal(|ui| {
        exact_coordinates(ui, i, &mut at);
        let button = ui.button(text!("features-exact-use"));
        named(&button, &text!("features-exact-use-of", number = i + 1));
        button.clicked()
    });
    ui.data_mut(|data| data.insert_temp(id, at));
    is_stated.inner.then(|| exact_element(element, at, Vector::z()))
}

/// The fields of an exact position.
fn exact_coordinates(ui: &mut egui::Ui, i: usize, at: &mut Point) {
    for (value, axis) in at.coords.iter_mut().zip(["X", "Y", "Z"]) {
        let drag = NumberField::new(value).speed(0.1).max_decimals(4).drawn_length().prefix(format!("{axis} "));
        named(&ui.add(drag), &text!("features-exact-of", axis = axis, number = i + 1));
    }
}

/// Theoretically exact position and direction.
fn exact_position(ui: &mut egui::Ui, i: usize, exact: &mut Element, element: &Element) {
    let (mut at, mut along) = (exact.position(), exact.direction().unwrap_or_else(Vector::z));
    let before = (at, along);
    ui.horizontal(|ui| {
        ui.label(RichText::new(text!("features-at")).weak()).on_hover_text(text!("features-at-hint", unit = symbol()));
        exact_coordinates(ui, i, &mut at);
    });
    if !matches!(element.situation(), Situation::Point(_)) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(text!("features-along")).weak()).on_hover_text(text!("features-along-hint"));
            for (axis, name) in [Vector::x(), Vector::y(), Vector::z()].into_iter().zip(["X", "Y", "Z"]) {
                theme::pick(ui, &mut along, axis, name);
            }
        });
    }
    if before != (at, along) {
        *exact = exact_element(element, at, along);
    }
}

/// Theoretically exact element of the same situation type as `element`: point, line or plane.
pub(super) fn exact_element(element: &Element, point: Point, along: Vector) -> Element {
    match element.situation() {
        Situation::Point(_) => point.into(),
        Situation::Line(_) => Shape::Line { point, direction: along }.into(),
        Situation::Plane(_) => Shape::Plane { point, normal: along }.into(),
    }
}
