//! Commands on selections and features.

use std::sync::Arc;

use super::Edit;
use crate::base::{Progress, Result, UserError};
use crate::geometry::Point;
use crate::geometry::point_set::{Combine, PointSet};
use crate::inspect::features::{self, Kind, Options};
use crate::render::selecting::Stroke;
use crate::session::selection::{Feature, NamedSelection, Recipe};
use crate::session::{Actual, Document};

fn scan(document: &Document) -> Result<&Arc<Actual>> {
    document.actual.as_ref().ok_or_else(|| UserError::usage("Load a scan first."))
}

fn selected(document: &Document) -> Result<PointSet> {
    if document.selection.is_empty() {
        return Err(UserError::usage("Brush some points first."));
    }
    Ok(document.selection.clone())
}

fn change(label: &str, selection: PointSet) -> Edit {
    Edit::new(label, move |document| document.selection = selection)
}

pub(super) fn select(stroke: &PointSet, how: Combine, document: &Document) -> Result<Edit> {
    let count = scan(document)?.cloud.points.len();
    if stroke.last().is_some_and(|&last| last as usize >= count) {
        return Err(UserError::internal("A stroke named points that the scan has not."));
    }
    Ok(change("Select points", document.selection.combined(stroke, how)))
}

pub(super) fn brush(stroke: &Stroke, how: Combine, document: &Document) -> Result<Edit> {
    select(&stroke.of(&scan(document)?.cloud.points), how, document)
}

pub(super) fn invert(document: &Document) -> Result<Edit> {
    let count = scan(document)?.cloud.points.len();
    Ok(change("Invert the selection", document.selection.inverted(count)))
}

pub(super) fn name(name: &str, document: &Document) -> Result<Edit> {
    let points = selected(document)?;
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err(UserError::usage("Give the selection a name."));
    }
    Ok(Edit::new("Name the selection", move |document| {
        document.selections.retain(|other| other.name != name);
        document.selections.push(NamedSelection { name, points });
    }))
}

pub(super) fn fit(
    kind: Kind,
    robust: bool,
    clip_sigmas: Option<f64>,
    document: &Document,
    progress: &Progress,
) -> Result<Edit> {
    let points = selected(document)?;
    let same_kind = document.features.iter().filter(|feature| feature.recipe.kind == kind).count();
    let named = document.selections.iter().find(|named| named.points == points);
    let name = named.map_or_else(|| format!("{} {}", kind.name(), same_kind + 1), |named| named.name.clone());
    let feature = made(Recipe { name, kind, robust, clip_sigmas, points }, scan(document)?, progress)?;
    let note = format!(
        "{}: {} points used, {} dropped, RMS {:.4} mm.",
        feature.recipe.name,
        feature.fit.used,
        feature.fit.dropped.len(),
        feature.fit.rms_mm
    );
    let label = format!("Fit a {}", kind.name().to_lowercase());
    Ok(Edit::new(label, move |document| document.features.push(feature)).with_notes([note]))
}

/// The feature of that recipe on that scan.
pub(super) fn made(recipe: Recipe, actual: &Actual, progress: &Progress) -> Result<Feature> {
    let place = |&number: &u32| actual.cloud.points.get(number as usize).copied();
    let points: Option<Vec<Point>> = recipe.points.iter().map(place).collect();
    let points =
        points.ok_or_else(|| UserError::input(format!("{} names points that the scan has not.", recipe.name)))?;
    let options = Options { robust: recipe.robust, clip_sigmas: recipe.clip_sigmas, ..Options::default() };
    let fit = features::fit(recipe.kind, &points, &[], &options, progress)?;
    Ok(Feature { recipe, fit: Arc::new(fit) })
}

/// What is left of selections and features when only the points `kept` are. A feature that lost points goes: its fit
/// would no longer be one of the scan.
pub(super) fn renumber(document: &mut Document, kept: &[u32]) {
    document.selection = document.selection.renumbered(kept);
    document.selections.iter_mut().for_each(|named| named.points = named.points.renumbered(kept));
    document.selections.retain(|named| !named.points.is_empty());
    document.features.retain_mut(|feature| {
        let before = feature.recipe.points.len();
        feature.recipe.points = feature.recipe.points.renumbered(kept);
        feature.recipe.points.len() == before
    });
}
