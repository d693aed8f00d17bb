//! Parallel planes, fitted together to named selections and features and stored as features with a common normal.

use super::features::scan;
use super::{Context, Edit};
use base::{Progress, Result, UserError};
use geometry::Subset;
use inspect::features::fits::weights::Weights;
use inspect::features::fitting::Fitting;
use inspect::features::measured::MeasuredFeature;
use inspect::features::measures::distance;
use inspect::features::recipe::FeatureRecipe;
use inspect::features::{Fit, Kind};
use inspect::selection::{ScanPoints, Selection};
use session::Document;
use session::plan::ElementId;
use session::selection::Selectable;

/// Fits parallel planes, as one undo step.
pub(super) fn fit(
    names: &[String],
    weights: Weights,
    clip_sigmas: Option<f64>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (scan_id, actual) = scan(&document)?;
    if names.len() < 2 {
        return Err(UserError::usage("Name at least two selections or features: parallel planes need two."));
    }
    if names.iter().enumerate().any(|(k, name)| names[..k].contains(name)) {
        return Err(UserError::usage("A plane is listed twice."));
    }
    let indices = names.iter().map(|name| point_indices(name, &document)).collect::<Result<Vec<Subset>>>()?;
    let planes: Vec<Selection> =
        indices.into_iter().map(|indices| Selection::Points(ScanPoints::of(indices, actual))).collect();
    let fitting = Fitting { clip_sigmas, weights, ..Fitting::of(Kind::Plane) };
    let mut ids = Vec::new();
    for (k, (name, selection)) in names.iter().zip(&planes).enumerate() {
        let parallel_to = planes.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, own)| own.clone());
        let wanted = if document.feature_id(name).is_some() { format!("{name} parallel") } else { name.clone() };
        let recipe = FeatureRecipe {
            scan: scan_id,
            selection: selection.clone(),
            fitting: fitting.clone(),
            plane: None,
            parallel_to: parallel_to.collect(),
            nominal: None,
            nominal_from: None,
        };
        let name = document.free_name(&wanted, None);
        ids.push(document.plan.add(&name, recipe.into())?);
    }
    document.make(&ids, &context.quiet_tools(), progress)?;
    if let Some(error) = ids.iter().find_map(|id| document.failure(*id)) {
        return Err(error);
    }
    let note = summary(&ids, weights, &document)?;
    Ok(Edit::replacing("Fit parallel planes", document).with_notes([note]))
}

/// E.g. “3 parallel planes (weights: …): … points used, …, 12.0000 ± 0.0010 mm apart.”
fn summary(ids: &[ElementId], weights: Weights, document: &Document) -> Result<String> {
    let features: Vec<&MeasuredFeature> = ids.iter().filter_map(|id| document.result(Some(*id))).collect();
    let fits: Vec<&Fit> = features.iter().filter_map(|own| own.fit().map(|fit| &**fit)).collect();
    let used: usize = fits.iter().map(|fit| fit.used).sum();
    let squares: f64 = fits.iter().map(|fit| fit.rms_mm * fit.rms_mm * fit.used as f64).sum();
    let normal_rad = fits.first().map_or(0.0, |fit| fit.uncertainty.direction_rad);
    let mut distances = Vec::new();
    for pair in features.windows(2) {
        let (near, far) = (pair[0].used(), pair[1].used());
        let found = distance(&pair[0].known(&near), &pair[1].known(&far))?;
        let uncertainty = found.uncertainty_mm.map_or_else(String::new, |own| format!(" ± {own:.4}"));
        distances.push(format!("{:.4}{uncertainty} mm", found.distance_mm));
    }
    let normal = match normal_rad.is_finite() {
        true => format!("normal ± {:.5}°", normal_rad.to_degrees()),
        false => "normal without uncertainty".to_owned(),
    };
    Ok(format!(
        "{} parallel planes (weights: {}): {used} points used, RMS {:.4} mm, {normal}, {} apart.",
        ids.len(),
        weights.words(),
        (squares / used.max(1) as f64).sqrt(),
        distances.join(", ")
    ))
}

/// Point indices of the selection called `name`, else of the feature called `name`.
fn point_indices(name: &str, document: &Document) -> Result<Subset> {
    let matches = |named: &&session::selection::NamedSelection| named.of == Selectable::Points && named.name == name;
    let named = document.selections.iter().find(matches).map(|named| named.numbers.clone());
    let fitted = || document.feature(name).map(|own| own.numbers.clone()).unwrap_or_default();
    let indices = named.unwrap_or_else(fitted);
    if indices.is_empty() {
        return Err(UserError::usage(format!("There is no selection of points and no fitted feature “{name}”.")));
    }
    Ok(indices)
}
