//! What the CAD file states of tolerances and dimensions, in the Features workspace.

use egui::RichText;

use super::super::PanelContext;
use super::tolerance_details::filter_of_cad;
use crate::lengths::{stated_length, unit, with_unit};
use crate::theme;
use base::LengthUnit;
use dispatch::{Select, Tolerances};
use geometry::{Combine, Subset};
use inspect::pmi::PmiPlan;
use inspect::tolerances::Characteristic;
use inspect::tolerances::measure::Quantity;
use session::pmi::Restated;
use session::selection::Selectable;
use texts::text;

/// Offers to take over what the CAD file states; shows nothing if it states nothing.
pub fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>, filter_mm: &mut Option<f64>) {
    of_earlier_file(ui, context);
    let Some(stated) = context.document().pmi_plan().cloned() else { return };
    let (in_plan, all) = context.document().pmi_in_plan();
    theme::weak(ui, text!("features-pmi-stated", all = all, planned = in_plan));
    filter_of_cad(ui, filter_mm);
    let is_aligned = context.document().alignment().is_some();
    let ready = !context.is_busy && is_aligned && stated.count() > 0;
    let button = ui.add_enabled(ready, egui::Button::new(text!("features-pmi-take")));
    let button = button.on_hover_text(text!("features-pmi-take-hint"));
    let why = match (is_aligned, stated.count()) {
        (_, 0) => text!("features-pmi-none"),
        (false, _) => text!("common-align-first"),
        _ => text!("features-at-work"),
    };
    if button.on_disabled_hover_text(why).clicked() {
        context.send(Tolerances::TakeFromCad { filter_mm: *filter_mm });
    }
    let title = text!("features-pmi-list", all = all);
    egui::CollapsingHeader::new(title).id_salt("pmi").show(ui, |ui| {
        if let Some(facets) = rows(ui, &stated) {
            context.send(Select::Numbers(Selectable::Facets, facets, Combine::Replace));
        }
    });
    ui.separator();
}

/// Lists what was taken from an earlier CAD file and is stated otherwise or no longer, and offers to follow the new one.
fn of_earlier_file(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let outdated = document.outdated_pmi();
    if outdated.is_empty() {
        return;
    }
    let warning = ui.visuals().warn_fg_color;
    ui.colored_label(warning, text!("features-pmi-earlier"));
    for (id, restated) in &outdated {
        let name = document.plan.name(*id);
        theme::weak(
            ui,
            match restated {
                Restated::Changed(_) => text!("features-pmi-changed", name = name),
                Restated::Gone => text!("features-pmi-gone", name = name),
            },
        );
    }
    let button = ui.add_enabled(!context.is_busy, egui::Button::new(text!("features-pmi-follow")));
    if button.on_hover_text(text!("features-pmi-follow-hint")).clicked() {
        context.send(Tolerances::FollowCad);
    }
    ui.separator();
}

/// A line for each statement; returns the facets of the one that was clicked.
fn rows(ui: &mut egui::Ui, stated: &PmiPlan) -> Option<Subset> {
    let feature = |name: &str| stated.features.iter().find(|own| own.name == name);
    let facets_of = |name: &str| feature(name).map(|own| &own.facets);
    let mut chosen = None;
    let mut row = |ui: &mut egui::Ui, text: RichText, hint: &str, facets: [Option<&Subset>; 2]| {
        let label = ui.add(egui::Label::new(text).truncate().sense(egui::Sense::click()));
        let has_facets = facets.iter().flatten().any(|own| !own.is_empty());
        let hint = if has_facets { text!("features-pmi-faces-hint", hint = hint) } else { hint.to_owned() };
        if label.on_hover_text(hint).clicked() && has_facets {
            let all = facets.into_iter().flatten();
            chosen = Some(all.fold(Subset::default(), |all, own| all.combined(own, Combine::Add)));
        }
    };
    for (letter, feature) in &stated.datums {
        let text = text!("features-pmi-datum", letter = letter.as_str(), feature = feature.as_str());
        row(ui, RichText::new(&text), &text, [facets_of(feature), None]);
    }
    for own in &stated.tolerances {
        let limits = match own.characteristic {
            Characteristic::Size { lower_mm: Some(lower) } => {
                text!("features-pmi-limits", lower = unit().stated_text(lower), upper = stated_length(own.limit_mm))
            }
            Characteristic::Size { lower_mm: None } => {
                text!("features-pmi-at-most", upper = stated_length(own.limit_mm))
            }
            _ => stated_length(own.limit_mm),
        };
        let bonus = if own.maximum_material.is_some() { " Ⓜ" } else { "" };
        let datums = own.datums.iter().map(|letter| format!(" | {letter}")).collect::<String>();
        let zone = if feature(&own.feature).is_some_and(|one| own.has_round_zone(&one.nominal)) { "Ø " } else { "" };
        let characteristic = texts::word(own.characteristic.name());
        let text = format!("{characteristic} {zone}{limits}{bonus}{datums}: {}", own.feature);
        row(ui, RichText::new(&text), &text, [facets_of(&own.feature), None]);
    }
    for own in &stated.measures {
        let is_angle = matches!(own.quantity, Quantity::Angle(_));
        let stated = |limit: f64| if is_angle { limit.to_string() } else { unit().stated_text(limit) };
        let limit = |limit: Option<f64>| limit.map_or_else(|| "–".to_owned(), stated);
        let (lower, mut upper) = (limit(own.lower), limit(own.upper));
        // Without a unit, as drawings are, in millimetres alone.
        if !is_angle && unit() != LengthUnit::Mm {
            upper = with_unit(upper);
        }
        let text = text!("features-pmi-measure", name = own.name.as_str(), lower = lower, upper = upper);
        row(ui, RichText::new(&text), &text, [facets_of(&own.from), facets_of(&own.to)]);
    }
    for own in &stated.unsupported {
        let text = RichText::new(text!("features-pmi-not-evaluated", what = texts::word(&own.what).into_owned()))
            .color(theme::WARN);
        let hint = format!("{}: {}.", texts::word(&own.what), texts::word(&own.why));
        row(ui, text, &hint, [Some(&own.facets), None]);
    }
    chosen
}
