//! Parallel planes: fitted together to what was named, kept as features of one normal.

use std::sync::Arc;

use super::features::scan;
use super::{Context, Edit};
use base::{Progress, Result, UserError};
use geometry::Subset;
use inspect::features::fitting::Fitting;
use inspect::features::weights::Weights;
use inspect::features::{Kind, Objective};
use session::Document;
use session::selection::{Feature, Recipe, Selectable};

/// Fits them; one undo step lands all.
pub(super) fn fit(
    names: &[String],
    weights: Weights,
    clip_sigmas: Option<f64>,
    document: &Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (actual, backend) = (scan(document)?, context.backend.as_ref());
    if names.len() < 2 {
        return Err(UserError::usage(
            "Name two selections or features at least: one plane alone is parallel to nothing.",
        ));
    }
    if names.iter().enumerate().any(|(k, name)| names[..k].contains(name)) {
        return Err(UserError::usage("A plane is named twice."));
    }
    let planes = names.iter().map(|name| numbers_of(name, document)).collect::<Result<Vec<Subset>>>()?;
    let fitting = Fitting { clip_sigmas, weights, ..Fitting::of(Kind::Plane) };
    let set = fitting.fit_parallel(&planes, actual, backend, progress)?;
    // Names are taken one after the other, so that no two features have one.
    let mut after = document.clone();
    for (k, (name, fit)) in names.iter().zip(set.planes).enumerate() {
        let parallel_to = planes.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, own)| own.clone());
        let wanted = if document.part(name).is_some() { format!("{name} parallel") } else { name.clone() };
        let recipe = Recipe {
            name: after.free_name(&wanted, None),
            kind: Kind::Plane,
            objective: Objective::Gaussian,
            robust: false,
            clip_sigmas,
            plane: None,
            weights,
            parallel_to: parallel_to.collect(),
            points: planes[k].clone(),
        };
        after.features.push(Feature { recipe, fit: Arc::new(fit) });
    }
    let apart: Vec<String> =
        set.distances.iter().map(|own| format!("{:.4} ± {:.4} mm", own.distance_mm, own.uncertainty_mm)).collect();
    let note = format!(
        "{} parallel planes (weights: {}): {} points used, RMS {:.4} mm, normal ± {:.5}°, {} apart.",
        planes.len(),
        weights.words(),
        set.used,
        set.rms_mm,
        set.normal_uncertainty_rad.to_degrees(),
        apart.join(", ")
    );
    let added = after.features.split_off(document.features.len());
    Ok(Edit::new("Fit parallel planes", move |document| document.features.extend(added)).with_notes([note]))
}

/// The points of a selection of that name, else of a feature.
fn numbers_of(name: &str, document: &Document) -> Result<Subset> {
    let is_it = |named: &&session::selection::NamedSelection| named.of == Selectable::Points && named.name == name;
    let named = document.selections.iter().find(is_it).map(|named| named.numbers.clone());
    let numbers = named.unwrap_or_else(|| document.numbers_of(name));
    if numbers.is_empty() {
        return Err(UserError::usage(format!("There is no selection of points and no fitted feature “{name}”.")));
    }
    Ok(numbers)
}
