//! What the CAD file states of tolerances and dimensions, in the Features workspace.

use egui::RichText;

use super::super::PanelContext;
use super::tolerance_details::filter;
use crate::theme;
use dispatch::{Select, Tolerances};
use geometry::{Combine, Subset};
use inspect::pmi::PmiPlan;
use inspect::tolerances::Characteristic;
use session::selection::Selectable;

/// Offers to take over what the CAD file states; shows nothing if it states nothing.
pub fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>, filter_mm: &mut Option<f64>) {
    let Some(stated) = context.document().pmi_plan().cloned() else { return };
    let (in_plan, all) = context.document().pmi_in_plan();
    theme::weak(ui, format!("The CAD file states {all} tolerances and dimensions; {in_plan} are in the plan."));
    filter(ui, filter_mm, "for tolerances of the CAD");
    let is_aligned = context.document().alignment().is_some();
    let ready = !context.is_busy && is_aligned && stated.count() > 0;
    let button = ui.add_enabled(ready, egui::Button::new("Take from the CAD"));
    let button = button.on_hover_text("Fits the features that they refer to, adds them to the plan and judges them");
    let why = match (is_aligned, stated.count()) {
        (_, 0) => "None of them can be evaluated",
        (false, _) => "Align first",
        _ => "At work",
    };
    if button.on_disabled_hover_text(why).clicked() {
        context.send(Tolerances::TakeFromCad { filter_mm: *filter_mm });
    }
    let title = format!("Stated in the CAD ({all})");
    egui::CollapsingHeader::new(title).id_salt("pmi").show(ui, |ui| {
        if let Some(facets) = rows(ui, &stated) {
            context.send(Select::Numbers(Selectable::Facets, facets, Combine::Replace));
        }
    });
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
        let hint = if has_facets { format!("{hint}\nClick to select its faces.") } else { hint.to_owned() };
        if label.on_hover_text(hint).clicked() && has_facets {
            let all = facets.into_iter().flatten();
            chosen = Some(all.fold(Subset::default(), |all, own| all.combined(own, Combine::Add)));
        }
    };
    for (letter, feature) in &stated.datums {
        let text = format!("Datum {letter}: {feature}");
        row(ui, RichText::new(&text), &text, [facets_of(feature), None]);
    }
    for own in &stated.tolerances {
        let limits = match own.characteristic {
            Characteristic::Size { lower_mm: Some(lower) } => format!("{lower} to {} mm", own.limit_mm),
            Characteristic::Size { lower_mm: None } => format!("at most {} mm", own.limit_mm),
            _ => format!("{} mm", own.limit_mm),
        };
        let bonus = if own.maximum_material.is_some() { " Ⓜ" } else { "" };
        let datums = own.datums.iter().map(|letter| format!(" | {letter}")).collect::<String>();
        let zone = if feature(&own.feature).is_some_and(|one| own.has_round_zone(&one.nominal)) { "Ø " } else { "" };
        let text = format!("{} {zone}{limits}{bonus}{datums}: {}", own.characteristic.name(), own.feature);
        row(ui, RichText::new(&text), &text, [facets_of(&own.feature), None]);
    }
    for own in &stated.measures {
        let limit = |limit: Option<f64>| limit.map_or_else(|| "–".to_owned(), |limit| limit.to_string());
        let text = format!("{}: {} to {}", own.name, limit(own.lower), limit(own.upper));
        row(ui, RichText::new(&text), &text, [facets_of(&own.from), facets_of(&own.to)]);
    }
    for own in &stated.unsupported {
        let text = RichText::new(format!("{}: not evaluated", own.what)).color(theme::WARN);
        let hint = format!("{}: {}.", own.what, own.why);
        row(ui, text, &hint, [Some(&own.facets), None]);
    }
    chosen
}
