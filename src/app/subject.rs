//! What the viewport shows: the inspection, or in the workspace Calibrate what one device measured of the artefact.

use std::sync::Arc;

use super::viewport::same;
use super::{App, Workspace};
use geometry::Combine;
use inspect::calibration::ArtefactFrame;
use render::camera::StandardView;
use session::Document;
use session::calibrating::{Calibrating, Device, Measurement};
use session::selection::{NamedSelection, Selectable};

/// Beyond the parts of a document that the viewport draws.
#[derive(Clone, Default)]
pub(super) struct Subject {
    /// What is drawn.
    pub document: Document,
    /// Residuals of the points about their fits, mm; NaN for those of no fit.
    pub residuals: Option<Arc<Vec<f32>>>,
    /// Whether points are as bright as the camera saw them.
    pub shows_grey: bool,
    /// Where to look from when other points are shown.
    pub look: Option<StandardView>,
}

/// The artefact's subject as it was last made. What it was made from is kept with it, so that nothing else can come to lie
/// at the same address.
#[derive(Default)]
pub(super) struct SubjectCache {
    made: Option<(Calibrating, Device, bool)>,
    subject: Subject,
}

impl SubjectCache {
    fn is_of(&self, calibrating: &Calibrating, device: Device, shows_residuals: bool) -> bool {
        self.made.as_ref().is_some_and(|(own, whose, residuals)| {
            (*whose, *residuals) == (device, shows_residuals)
                && same(own.outcome.as_ref(), calibrating.outcome.as_ref())
                && own.of(device).is_same(calibrating.of(device))
        })
    }
}

impl App {
    /// What the viewport shows now.
    pub(super) fn subject(&mut self) -> Subject {
        if self.workspace != Workspace::Calibrate {
            let mut document = self.dispatcher.document.clone();
            // Colours follow the hand; the verdict follows when it lets go.
            if self.draft.check().is_ok() {
                document.settings.deviation.tolerance = self.draft.deviation.tolerance;
                document.settings.scale_mm = self.draft.scale_mm;
            }
            // Where deviations are read, no other colours stand for something else.
            if self.workspace != Workspace::Features && document.current_measurement().is_some() {
                document.selections.clear();
            }
            return Subject { document, ..Subject::default() };
        }
        let (device, shows_residuals) = (self.calibration.device, self.calibration.shows_residuals);
        let calibrating = &self.dispatcher.document.calibration;
        if !self.subject_cache.is_of(calibrating, device, shows_residuals) {
            let subject = subject_of(calibrating, device, shows_residuals);
            self.subject_cache = SubjectCache { made: Some((calibrating.clone(), device, shows_residuals)), subject };
        }
        let mut subject = self.subject_cache.subject.clone();
        subject.shows_grey = self.calibration.shows_grey && has_grey(&subject.document);
        subject.document.settings = self.dispatcher.document.settings.clone();
        if subject.residuals.is_some() {
            let spread = super::panels::calibrate::expected_mm(device);
            let settings = &mut subject.document.settings;
            settings.scale_mm = 4.0 * spread;
            settings.deviation.tolerance.low_mm = -2.0 * spread;
            settings.deviation.tolerance.high_mm = 2.0 * spread;
        }
        subject
    }
}

/// The device's points as a document: regions as named selections, fits as features.
fn subject_of(calibrating: &Calibrating, device: Device, shows_residuals: bool) -> Subject {
    let measurement = calibrating.of(device);
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
    for part in outcome.into_iter().flat_map(|outcome| &outcome.frame(device).parts) {
        let regions = part.regions.iter().map(|&region| measurement.region(region));
        let points = regions.reduce(|all, own| all.combined(&own, Combine::Add)).unwrap_or_default();
        // What cannot be drawn is left out of the picture.
        let _ = document.add_fitted(part.name, points, Arc::new(part.fit.clone()));
    }
    let shown = outcome.filter(|_| shows_residuals);
    Subject {
        document,
        residuals: shown.and_then(|outcome| residuals(measurement, outcome.frame(device))).map(Arc::new),
        shows_grey: false,
        // As the sensor sees it; touches from above.
        look: Some(if device == Device::Sensor { StandardView::Bottom } else { StandardView::Top }),
    }
}

fn has_grey(document: &Document) -> bool {
    document.actual().is_some_and(|actual| !actual.cloud.intensity.is_empty())
}

/// Of every point of the device, mm.
fn residuals(measurement: &Measurement, frame: &ArtefactFrame) -> Option<Vec<f32>> {
    let mut residuals = vec![f32::NAN; measurement.actual.as_ref()?.cloud.points.len()];
    for part in &frame.parts {
        let numbers: Vec<u32> = part.regions.iter().flat_map(|&region| measurement.region(region).to_vec()).collect();
        // Edges found in a region are not its points.
        if numbers.len() != part.fit.residuals_mm.len() {
            continue;
        }
        for (number, residual) in numbers.into_iter().zip(&part.fit.residuals_mm) {
            if let Some(own) = residuals.get_mut(number as usize) {
                *own = *residual as f32;
            }
        }
    }
    Some(residuals)
}
