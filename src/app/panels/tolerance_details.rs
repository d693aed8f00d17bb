//! What a tolerance says beside its limit: the angle, the true place, the form of its zone, the material condition.

use egui::RichText;

use super::super::theme;
use super::named;
use crate::number_field::NumberField;
use geometry::{Point, Vector};
use inspect::features::element::Situation;
use inspect::features::{Element, Shape};
use inspect::tolerances::{Characteristic, MaximumMaterial, Side, Tolerance, Zone};
use session::Document;

/// What else the characteristic says: the angle, the true place.
pub(super) fn details(ui: &mut egui::Ui, i: usize, tolerance: &mut Tolerance, document: &Document) {
    match &mut tolerance.characteristic {
        Characteristic::Angularity { angle_deg, .. } => {
            ui.horizontal(|ui| {
                ui.label("at");
                let drag = NumberField::new(angle_deg).speed(0.1).range(0.0..=90.0).suffix("°");
                named(&ui.add(drag), &format!("Angle {}", i + 1));
            });
        }
        Characteristic::Position { true_place: Some(place), .. } => {
            if let Some(element) = document.element(&tolerance.feature) {
                true_place(ui, i, place, &element);
            }
        }
        _ => {}
    }
    // Planes take a width along their normal, and have no size.
    let is_plane =
        document.element(&tolerance.feature).is_none_or(|own| matches!(own.situation(), Situation::Plane(_)));
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
}

/// A cylinder (or sphere), or two planes square to an axis of the datums.
fn zone_row(ui: &mut egui::Ui, i: usize, zone: &mut Zone) {
    let ways = [
        ("diameter", Zone::Diameter),
        ("width along X", Zone::Width { along: Vector::x() }),
        ("width along Y", Zone::Width { along: Vector::y() }),
        ("width along Z", Zone::Width { along: Vector::z() }),
    ];
    let own = ways.iter().find(|(_, way)| way == zone).map_or("width along another way", |(name, _)| name);
    ui.horizontal(|ui| {
        ui.label(RichText::new("zone").weak()).on_hover_text("Its form: a cylinder or sphere, or two parallel planes");
        let combo = egui::ComboBox::from_id_salt(("zone", i)).selected_text(own).width(120.0);
        let shown = combo.show_ui(ui, |ui| ways.map(|(name, way)| ui.selectable_value(zone, way, name)));
        named(&shown.response, &format!("Zone {}", i + 1));
    });
}

/// The maximum material requirement: hole or shaft, and the size with the most material.
fn maximum_material(ui: &mut egui::Ui, i: usize, own: &mut Option<MaximumMaterial>) {
    ui.horizontal(|ui| {
        let mut asked = own.is_some();
        let text = "At maximum material";
        let hint = "The limit grows by how far the actual mating envelope has left the size of the most material";
        let check = ui.checkbox(&mut asked, text).on_hover_text(hint);
        named(&check, &format!("{text}, tolerance {}", i + 1));
        if asked != own.is_some() {
            *own = asked.then_some(MaximumMaterial { side: Side::Internal, size_mm: 0.0 });
        }
        if let Some(own) = own {
            for (side, name) in [(Side::Internal, "Hole"), (Side::External, "Shaft")] {
                theme::pick(ui, &mut own.side, side, name);
            }
            let drag = NumberField::new(&mut own.size_mm).speed(0.01).range(0.0..=1e6).max_decimals(4).suffix(" mm");
            let hint = "A hole's lower limit of size, a shaft's upper one";
            named(&ui.add(drag).on_hover_text(hint), &format!("Size at maximum material {}", i + 1));
        }
    });
}

fn true_place(ui: &mut egui::Ui, i: usize, place: &mut Element, element: &Element) {
    let (mut at, mut along) = (place.place(), place.direction().unwrap_or_else(Vector::z));
    let before = (at, along);
    ui.horizontal(|ui| {
        ui.label(RichText::new("at").weak()).on_hover_text("The true place in the frame of the datums, mm");
        for (value, axis) in at.coords.iter_mut().zip(["X", "Y", "Z"]) {
            let drag = NumberField::new(value).speed(0.1).max_decimals(4).prefix(format!("{axis} "));
            named(&ui.add(drag), &format!("True {axis} of tolerance {}", i + 1));
        }
    });
    if !matches!(element.situation(), Situation::Point(_)) {
        ui.horizontal(|ui| {
            ui.label(RichText::new("along").weak()).on_hover_text("Its axis or normal, in the frame of the datums");
            for (axis, name) in [Vector::x(), Vector::y(), Vector::z()].into_iter().zip(["X", "Y", "Z"]) {
                theme::pick(ui, &mut along, axis, name);
            }
        });
    }
    if before != (at, along) {
        *place = exact(element, at, along);
    }
}

/// A true place of the kind that the element's situation asks for.
pub(super) fn exact(element: &Element, place: Point, along: Vector) -> Element {
    match element.situation() {
        Situation::Point(_) => place.into(),
        Situation::Line(_) => Shape::Line { point: place, direction: along }.into(),
        Situation::Plane(_) => Shape::Plane { point: place, normal: along }.into(),
    }
}
