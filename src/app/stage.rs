//! What the viewport shows: the inspection, or in the workspace Calibrate what one device measured of the artefact.

use std::sync::Arc;

use super::{App, Workspace};
use crate::inspect::features::Kind;
use crate::render::camera::StandardView;
use crate::session::Document;
use crate::session::calibrating::{Calibrating, Device};
use crate::session::selection::{Feature, NamedSelection, Recipe};

/// Beyond the parts of a document that the viewport draws.
#[derive(Clone, Default)]
pub(super) struct Stage {
    /// What is drawn.
    pub document: Document,
    /// Residuals of the points about their fits, mm; NaN for those of no fit.
    pub residuals: Option<Arc<Vec<f32>>>,
    /// Where to look from when other points are shown.
    pub look: Option<StandardView>,
}

/// Residuals as they were last made, and from what.
#[derive(Default)]
pub(super) struct ResidualCache {
    of: Option<(usize, Device)>,
    residuals: Option<Arc<Vec<f32>>>,
}

impl App {
    /// What the viewport shows now.
    pub(super) fn stage(&mut self) -> Stage {
        if self.workspace != Workspace::Calibrate {
            return Stage { document: self.dispatcher.document.clone(), ..Stage::default() };
        }
        let (device, calibrating) = (self.calibration.device, &self.dispatcher.document.calibration);
        let mut document = staged(calibrating, device);
        document.settings = self.dispatcher.document.settings.clone();
        let outcome = calibrating.outcome.as_ref().filter(|_| self.calibration.shows_residuals);
        let key = outcome.map(|outcome| (Arc::as_ptr(outcome) as usize, device));
        if self.residual_cache.of != key {
            let residuals = outcome.and_then(|_| residuals(calibrating, device)).map(Arc::new);
            self.residual_cache = ResidualCache { of: key, residuals };
        }
        if self.residual_cache.residuals.is_some() {
            let spread = super::panels::calibrate::expected_mm(device);
            document.settings.scale_mm = 4.0 * spread;
            document.settings.deviation.tolerance.low_mm = -2.0 * spread;
            document.settings.deviation.tolerance.high_mm = 2.0 * spread;
        }
        // As the sensor sees it; touches from above.
        let look = if device == Device::Sensor { StandardView::Bottom } else { StandardView::Top };
        Stage { document, residuals: self.residual_cache.residuals.clone(), look: Some(look) }
    }
}

/// The device's points as a document: regions as named selections, fits as features.
fn staged(calibrating: &Calibrating, device: Device) -> Document {
    let measurement = calibrating.of(device);
    let artefact = calibrating.setup.artefact.artefact();
    let named = artefact.regions().iter().zip(&measurement.regions);
    let selections =
        named.map(|(region, points)| NamedSelection { name: region.short.to_owned(), points: points.clone() });
    let frame = calibrating.outcome.as_ref().map(|outcome| match device {
        Device::Sensor => &outcome.calibration.sensor,
        Device::Cmm => &outcome.calibration.cmm,
    });
    let features = frame.into_iter().flat_map(|frame| &frame.parts).map(|part| {
        let regions = part.regions.iter().map(|&region| measurement.region(region));
        let points = regions.reduce(|all, own| all.combined(&own, crate::geometry::Combine::Add)).unwrap_or_default();
        let recipe = Recipe { name: part.name.to_owned(), kind: Kind::Plane, robust: false, clip_sigmas: None, points };
        Feature { recipe, fit: Arc::new(part.fit.clone()) }
    });
    Document {
        actual: measurement.actual.clone(),
        selections: selections.collect(),
        features: features.collect(),
        ..Document::default()
    }
}

/// Of every point of the device, mm.
fn residuals(calibrating: &Calibrating, device: Device) -> Option<Vec<f32>> {
    let outcome = calibrating.outcome.as_ref()?;
    let (measurement, frame) = match device {
        Device::Sensor => (&calibrating.sensor, &outcome.calibration.sensor),
        Device::Cmm => (&calibrating.cmm, &outcome.calibration.cmm),
    };
    let mut residuals = vec![f32::NAN; measurement.actual.as_ref()?.cloud.points.len()];
    for part in &frame.parts {
        let numbers = part.regions.iter().flat_map(|&region| measurement.region(region).to_vec());
        for (number, residual) in numbers.zip(&part.fit.residuals_mm) {
            if let Some(own) = residuals.get_mut(number as usize) {
                *own = *residual as f32;
            }
        }
    }
    Some(residuals)
}
