//! Content of the viewport: the inspection or, in the Calibrate workspace, an instrument's measurement of the artefact.

use std::sync::Arc;

use super::viewport::same;
use super::{App, Workspace};
use geometry::Combine;
use inspect::calibration::ArtefactFrame;
use render::camera::StandardView;
use session::Document;
use session::calibration::{CalibrationState, Instrument, Measurement};
use session::selection::{NamedSelection, Selectable};

/// Content of the viewport.
#[derive(Clone, Default)]
pub(super) struct Subject {
    /// Document to be drawn.
    pub document: Document,
    /// Residual of each point in its fit, mm; NaN if it belongs to no fit.
    pub residuals: Option<Arc<Vec<f32>>>,
    /// Whether points are shown with the grey values of the camera.
    pub shows_grey: bool,
    /// Whether points are drawn as they are rather than as a surface.
    pub draws_points: bool,
    /// Standard view to be selected when other points are shown.
    pub look: Option<StandardView>,
}

/// Cached subject of the artefact. Its inputs are kept, so that their addresses cannot be reused.
#[derive(Default)]
pub(super) struct SubjectCache {
    /// Inputs: calibration, instrument, whether residuals are shown.
    inputs: Option<(CalibrationState, Instrument, bool)>,
    subject: Subject,
}

impl SubjectCache {
    fn is_of(&self, calibrating: &CalibrationState, instrument: Instrument, shows_residuals: bool) -> bool {
        self.inputs.as_ref().is_some_and(|(cached, cached_instrument, residuals)| {
            (*cached_instrument, *residuals) == (instrument, shows_residuals)
                && same(cached.outcome.as_ref(), calibrating.outcome.as_ref())
                && cached.of(instrument).is_same(calibrating.of(instrument))
        })
    }
}

impl App {
    /// Current content of the viewport.
    pub(super) fn subject(&mut self) -> Subject {
        if self.workspace != Workspace::Calibrate {
            let mut document = self.dispatcher.document.clone();
            // Colours change during a drag; the verdict is updated when it ends.
            if self.draft.check().is_ok() {
                document.settings.deviation.tolerance = self.draft.deviation.tolerance;
                document.settings.scale_mm = self.draft.scale_mm;
            }
            if let Some(own) = self.panels.compare.edited_colours(&document) {
                document.plan.presentation.colours = Some(own.clone());
            }
            // Colours of named selections must not be confused with deviations.
            if self.workspace != Workspace::Features && document.current_measurement().is_some() {
                document.selections.clear();
            }
            return Subject { document, ..Subject::default() };
        }
        let (instrument, shows_residuals) = (self.panels.calibrate.instrument, self.panels.calibrate.shows_residuals);
        let calibrating = &self.dispatcher.document.calibration;
        if !self.subject_cache.is_of(calibrating, instrument, shows_residuals) {
            let subject = subject_of(calibrating, instrument, shows_residuals);
            self.subject_cache =
                SubjectCache { inputs: Some((calibrating.clone(), instrument, shows_residuals)), subject };
        }
        let mut subject = self.subject_cache.subject.clone();
        subject.shows_grey = self.panels.calibrate.shows_grey && has_grey(&subject.document);
        subject.document.settings = self.dispatcher.document.settings.clone();
        if subject.residuals.is_some() {
            let spread = super::panels::calibrate::expected_mm(instrument);
            let settings = &mut subject.document.settings;
            settings.scale_mm = 4.0 * spread;
            settings.deviation.tolerance.low_mm = -2.0 * spread;
            settings.deviation.tolerance.high_mm = 2.0 * spread;
        }
        subject
    }
}

/// The points of an instrument as a document, with regions as named selections and fits as features.
fn subject_of(calibrating: &CalibrationState, instrument: Instrument, shows_residuals: bool) -> Subject {
    let measurement = calibrating.of(instrument);
    let artefact = calibrating.setup.artefact.artefact();
    let named = artefact.regions().iter().zip(&measurement.regions);
    let selections = named.map(|(region, points)| NamedSelection {
        name: region.short.to_owned(),
        of: Selectable::Points,
        numbers: points.clone(),
    });
    let outcome = calibrating.outcome.as_deref();
    let mut document = measurement.actual.clone().map(Document::of_scan).unwrap_or_default();
    document.selections = selections.collect();
    for part in outcome.into_iter().flat_map(|outcome| &outcome.frame(instrument).parts) {
        let regions = part.regions.iter().map(|&region| measurement.region(region));
        let points = regions.reduce(|all, own| all.combined(&own, Combine::Add)).unwrap_or_default();
        // Features that cannot be added are not drawn.
        let _ = document.add_fitted(part.name, points, Arc::new(part.fit.clone()));
    }
    let shown = outcome.filter(|_| shows_residuals);
    Subject {
        document,
        residuals: shown.and_then(|outcome| residuals(measurement, outcome.frame(instrument))).map(Arc::new),
        shows_grey: false,
        draws_points: instrument == Instrument::Cmm,
        // The snapshot as seen by the sensor, the probed points from above.
        look: Some(if instrument == Instrument::Sensor { StandardView::Bottom } else { StandardView::Top }),
    }
}

fn has_grey(document: &Document) -> bool {
    document.actual().is_some_and(|actual| !actual.cloud.intensity.is_empty())
}

/// Residual of every point of the instrument, mm; NaN if it belongs to no fit.
fn residuals(measurement: &Measurement, frame: &ArtefactFrame) -> Option<Vec<f32>> {
    let mut residuals = vec![f32::NAN; measurement.actual.as_ref()?.cloud.points.len()];
    for part in &frame.parts {
        let indices: Vec<u32> = part.regions.iter().flat_map(|&region| measurement.region(region).to_vec()).collect();
        // Edge fits have residuals of detected edge points, not of the region's points.
        if indices.len() != part.fit.residuals_mm.len() {
            continue;
        }
        for (index, residual) in indices.into_iter().zip(&part.fit.residuals_mm) {
            if let Some(own) = residuals.get_mut(index as usize) {
                *own = *residual as f32;
            }
        }
    }
    Some(residuals)
}
