//! A main alignment being edited.

use std::sync::Arc;

use geometry::{Point, Subset};
use inspect::main_alignment::reference_points::open_freedoms;
use inspect::main_alignment::{DatumAssociation, MainMethod, ReferencePoint, ReferencePoints, ToleranceFit};
use inspect::parts::Nominal;
use inspect::selection::FacetSelection;
use inspect::tolerances::recipe::DatumElements;
use session::Document;
use session::plan::{ElementId, Recipe};

/// Kinds of main alignments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    References,
    Datums,
    Faces,
    Tolerance,
}

/// A main alignment being edited.
#[derive(Default)]
pub(crate) struct MainAlignmentDraft {
    pub(super) kind: Kind,
    /// Faces of a best fit, until others are selected.
    pub(super) faces: Option<FacetSelection>,
    pub(super) references: ReferencePoints,
    /// The datums by priority, several elements of a common datum.
    pub(super) datums: [Option<DatumElements<ElementId>>; 3],
    pub(super) association: DatumAssociation,
    /// The main alignment that it was taken from, as it was then; `None` for a new one.
    pub(super) edited: Option<(ElementId, MainMethod)>,
    freedoms: Freedoms,
}

/// What the reference points leave free, and what that was found for.
struct Freedoms {
    nominal: Option<Arc<Nominal>>,
    points: Vec<ReferencePoint>,
    /// Degrees of freedom in words, or why the points cannot be used.
    open: Result<Vec<String>, String>,
}

impl Default for Freedoms {
    fn default() -> Self {
        Self { nominal: None, points: Vec::new(), open: Ok(Vec::new()) }
    }
}

impl MainAlignmentDraft {
    /// Adds a reference point that was picked on the nominal.
    pub(crate) fn add_reference(&mut self, point: Point) {
        self.references.add('R', &point);
    }

    /// The reference points to be drawn.
    pub(crate) fn references(&self) -> &[ReferencePoint] {
        if self.kind == Kind::References { &self.references.points } else { &[] }
    }

    /// The pre-alignment and the selected facets, if a best fit on these is wanted and they are not those it has.
    fn other_facets<'a>(&self, document: &'a Document) -> Option<(ElementId, &'a Subset)> {
        let facets = &document.facets.selected;
        let is_other = || self.faces.as_ref().is_none_or(|own| own.facets != *facets);
        let is_wanted = self.kind == Kind::Faces && !facets.is_empty() && document.nominal().is_some() && is_other();
        Some((document.pre_alignment()?, facets)).filter(|_| is_wanted)
    }

    /// Whether other facets are selected than those of the best fit.
    pub(super) fn has_other_facets(&self, document: &Document) -> bool {
        self.other_facets(document).is_some()
    }

    /// Takes over the selected facets: on a large nominal too slow for every frame.
    pub(super) fn take_facets(&mut self, document: &Document) {
        if let Some((alignment, facets)) = self.other_facets(document)
            && let (Some(nominal), Some(id)) = (document.nominal(), document.active.nominal)
        {
            let deviation = &document.settings.deviation;
            self.faces = Some(FacetSelection::of(facets.clone(), (nominal, id), alignment, deviation));
        }
    }

    /// What is aligned to, on the facets taken over last; `None` while something is missing.
    pub(super) fn method(&self, document: &Document) -> Option<MainMethod> {
        let deviation = &document.settings.deviation;
        match self.kind {
            Kind::References => {
                let is_complete = !self.references.points.is_empty() && self.freedoms.open.is_ok();
                is_complete.then(|| MainMethod::ReferencePoints(self.references.clone()))
            }
            Kind::Datums => {
                let datums: Vec<DatumElements<ElementId>> = self.datums.iter().flatten().cloned().collect();
                let association = self.association;
                (!datums.is_empty()).then_some(MainMethod::DatumSystem { datums, association })
            }
            Kind::Faces => {
                let (faces, parameters) = (self.faces.clone()?, document.settings.best_fit.clone());
                Some(MainMethod::OnFaces { faces, parameters })
            }
            Kind::Tolerance => Some(MainMethod::WithinTolerance(ToleranceFit {
                tolerance: deviation.tolerance,
                max_distance_mm: deviation.effective_max_distance_mm(),
                max_angle_deg: deviation.max_angle_deg,
            })),
        }
    }

    /// Takes over the active main alignment when it changes.
    pub(super) fn follow(&mut self, document: &Document) {
        let active = document.active.alignment.and_then(|id| match &document.plan.get(id)?.recipe {
            Recipe::MainAlignment(own) => Some((id, own.to.clone())),
            _ => None,
        });
        if self.edited == active {
            return;
        }
        match &active {
            Some((_, MainMethod::ReferencePoints(own))) => {
                (self.kind, self.references) = (Kind::References, own.clone());
            }
            Some((_, MainMethod::OnFaces { faces, .. })) => {
                (self.kind, self.faces) = (Kind::Faces, Some(faces.clone()));
            }
            Some((_, MainMethod::WithinTolerance(_))) => self.kind = Kind::Tolerance,
            Some((_, MainMethod::DatumSystem { datums, association })) => {
                (self.kind, self.association) = (Kind::Datums, *association);
                self.datums = std::array::from_fn(|i| datums.get(i).cloned());
            }
            None => {}
        }
        self.edited = active;
    }

    pub(super) fn update_freedoms(&mut self, document: &Document) -> &Result<Vec<String>, String> {
        let nominal = document.shared_nominal();
        let own = &mut self.freedoms;
        let is_same = match (&own.nominal, &nominal) {
            (Some(own), Some(now)) => Arc::ptr_eq(own, now),
            (own, now) => own.is_none() && now.is_none(),
        };
        if !is_same || own.points != self.references.points {
            own.points.clone_from(&self.references.points);
            own.open = match &nominal {
                Some(nominal) => open_freedoms(&nominal.surface, &own.points).map_err(|error| error.sentence),
                None => Err("Load a nominal first.".to_owned()),
            };
            own.nominal = nominal;
        }
        &self.freedoms.open
    }
}
