//! Generalises a document's plan to other parts: brushed points become the nominal facets beneath them, and the
//! alignment starts as the settings say.

use super::{ElementId, Recipe};
use crate::Document;
use base::{ErrorKind, Progress, Result, UserError};
use compute::Backend;
use geometry::Subset;
use inspect::alignment::{Method, Start};
use inspect::features::Fit;
use inspect::features::facets_of::on_surface;
use inspect::features::recipe::InPlane;
use inspect::parts::{Actual, Nominal};
use inspect::selection::{FacetSelection, ScanPoints, Selection};

/// Projects selections of scan points onto facets of the nominal.
struct FacetProjection<'a> {
    document: &'a Document,
    nominal: (&'a Nominal, ElementId),
    actual: &'a Actual,
    alignment: ElementId,
    backend: &'a dyn Backend,
}

impl Document {
    /// The document with its plan made ready for other parts: with an alignment and a comparison, and with facets of
    /// the nominal instead of brushed points. The returned notes name what can be measured on this scan alone. Returns
    /// an error without a nominal and a scan.
    pub fn for_other_parts(&self, backend: &dyn Backend, progress: &Progress) -> Result<(Self, Vec<String>)> {
        let mut own = self.clone();
        let alignment = own.align_as_set()?;
        if own.active.comparison.is_some() || own.comparisons().next().is_none() {
            own.ensure_comparison()?;
        }
        let mut notes = Vec::new();
        let features: Vec<ElementId> =
            own.plan.elements().iter().filter(|own| own.recipe.is_feature()).map(|own| own.id).collect();
        let (Some(nominal), Some(actual), Some(id)) = (self.nominal(), self.actual(), own.active.nominal) else {
            return Err(parts_missing());
        };
        let projection = FacetProjection { document: self, nominal: (nominal, id), actual, alignment, backend };
        for (done, id) in features.iter().enumerate() {
            let part = progress.part(done as f32 / features.len() as f32, (done + 1) as f32 / features.len() as f32);
            let Some(element) = own.plan.get(*id).cloned() else { continue };
            let recipe = projection.on_facets(&element.name, element.recipe, &mut notes, &part)?;
            own.plan.set_recipe(*id, recipe)?;
        }
        own.refresh();
        Ok((own, notes))
    }

    /// The recipe of one feature with facets of the nominal instead of brushed points. Returns an error if the points
    /// lie on no facets, or without an alignment.
    pub fn feature_on_faces(&self, id: ElementId, backend: &dyn Backend, progress: &Progress) -> Result<Recipe> {
        let (Some(nominal), Some(actual), Some(of), Some(alignment)) =
            (self.nominal(), self.actual(), self.active.nominal, self.pre_alignment())
        else {
            return Err(UserError::usage("Align first: the points must lie on the nominal."));
        };
        let projection = FacetProjection { document: self, nominal: (nominal, of), actual, alignment, backend };
        let Some(element) = self.plan.get(id).cloned() else { return Err(super::missing(id)) };
        let mut notes = Vec::new();
        let recipe = projection.on_facets(&element.name, element.recipe, &mut notes, progress)?;
        notes.into_iter().next().map_or(Ok(recipe), |note| Err(UserError::input(note)))
    }

    /// Sets the alignment as it is run on every part: a start from this part's own pose or point pairs is replaced by
    /// an automatic start if the settings ask for one.
    pub(crate) fn align_as_set(&mut self) -> Result<ElementId> {
        if let (Some(id), Method::Auto) = (self.pre_alignment(), self.settings.align)
            && let Some(Recipe::Alignment(recipe)) = self.plan.get(id).map(|own| &own.recipe)
            && matches!(recipe.start, Start::Automatic | Start::After(_))
        {
            return Ok(id);
        }
        self.align_by(self.settings.align)
    }
}

fn parts_missing() -> UserError {
    UserError::usage("Load a nominal and a scan first: a plan is made of what is measured on them.")
}

impl FacetProjection<'_> {
    fn on_facets(&self, name: &str, recipe: Recipe, notes: &mut Vec<String>, progress: &Progress) -> Result<Recipe> {
        Ok(match recipe {
            Recipe::Feature(mut own) => {
                let plane = own.plane.clone();
                let fit = self.document.feature(name).and_then(|own| own.fit());
                let geometry = (plane.as_ref(), fit.map(|fit| &**fit));
                self.project(name, &mut own.selection, geometry, notes, progress)?;
                for selection in &mut own.parallel_to {
                    self.project(name, selection, (plane.as_ref(), None), notes, progress)?;
                }
                Recipe::Feature(own)
            }
            Recipe::Slot(mut own) => {
                let plane = own.plane.clone();
                self.project(name, &mut own.selection, (plane.as_ref(), None), notes, progress)?;
                Recipe::Slot(own)
            }
            other => other,
        })
    }

    /// Replaces selected points by the facets beneath them; where they lie on none, keeps the points and adds a note.
    fn project(
        &self,
        name: &str,
        selection: &mut Selection,
        (plane, fitted): (Option<&InPlane>, Option<&Fit>),
        notes: &mut Vec<String>,
        progress: &Progress,
    ) -> Result<()> {
        let points: &Subset = match selection {
            Selection::Points(ScanPoints { numbers, .. }) => numbers,
            Selection::Facets(_) | Selection::Prism { .. } => return Ok(()),
        };
        if let Some(InPlane::Fixed(_)) = plane {
            notes.push(format!(
                "“{name}” can be measured on this scan alone: the feature whose plane it lies in was removed."
            ));
            return Ok(());
        }
        let pose = self.document.pre_aligned_pose();
        let found = FacetSelection::under_points(
            points,
            self.nominal,
            self.actual,
            (&pose, self.alignment),
            &self.document.settings.deviation,
            |mesh, facets| fitted.and_then(|fit| on_surface(fit, &pose, mesh, facets)),
            self.backend,
            progress,
        );
        match found {
            Ok(facets) => *selection = Selection::Facets(facets),
            Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
            Err(error) => notes.push(format!("“{name}” can be measured on this scan alone. {error}")),
        }
        Ok(())
    }
}
