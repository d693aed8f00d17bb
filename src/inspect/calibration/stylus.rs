//! Error of the stylus tip radius. It displaces the mounting perpendicular to the faces that were probed, and residuals do
//! not show it. The operator states its limit, from the qualification of the stylus; otherwise it is taken to be as large
//! as the artefact leaves it undetected: quantities of the artefact that depend on the radius (depths, widths) are measured
//! by the sensor as well (GUM 4.3: the limits of what is known of an input quantity).

use serde::Serialize;

use super::Light;
use super::consistency::Comparison;

/// Limit of the error where nothing shows it and nothing is stated, mm: larger ones are mistaken styli, not errors of one.
pub const MAX_RADIUS_ERROR_MM: f64 = 3.0;
/// Standard deviations of noise within which the error is taken to lie (95 %).
const SIGMAS: f64 = 2.0;
/// Largest limit that need not be reviewed if it is not stated, mm: about the sensor's own errors.
const MAX_UNREVIEWED_MM: f64 = 0.02;

/// How far an edge that is seen may be from the wall that is probed, mm: rims are rounded, and covers glued on, to some
/// tenths of a millimetre.
const EDGE_BESIDE_WALL_MM: f64 = 0.25;
/// Smallest derivative of a quantity by the radius that counts, mm or rad per mm.
const MIN_SENSITIVITY: f64 = 1e-6;

/// Error of the stylus tip radius of a calibration whose mounting depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StylusError {
    /// Limit that the operator stated, either way, mm.
    pub stated_mm: Option<f64>,
    /// Limit that is included in the uncertainties, either way, mm.
    pub limit_mm: f64,
    /// Limit that the artefact shows, mm; `None` if it shows none below [`MAX_RADIUS_ERROR_MM`].
    pub shown_mm: Option<f64>,
}

impl StylusError {
    /// From the limit that the operator stated and the quantities that both instruments measured.
    ///
    /// `is_told_by_edges`: widths of slots are then those between visible edges, which need not be where the walls are.
    pub(super) fn of(stated_mm: Option<f64>, comparisons: &[Comparison], is_told_by_edges: bool) -> Self {
        let beside_mm = if is_told_by_edges { EDGE_BESIDE_WALL_MM } else { 0.0 };
        let evidence = evidence(comparisons).map(|(error_mm, spread_mm)| (error_mm, spread_mm + beside_mm));
        let evidence = evidence.filter(|(_, spread_mm)| *spread_mm < MAX_RADIUS_ERROR_MM);
        let shown_mm = evidence.map(|(error_mm, spread_mm)| (error_mm.abs() + spread_mm).min(MAX_RADIUS_ERROR_MM));
        // A statement that the artefact contradicts is no limit. It is part of what the quantities may differ by.
        let own_spread_mm = |spread_mm: f64| spread_mm - stated_mm.unwrap_or(0.0);
        let at_least_mm = evidence.map_or(0.0, |(error_mm, spread_mm)| error_mm.abs() - own_spread_mm(spread_mm));
        let limit_mm = match stated_mm {
            Some(stated_mm) => stated_mm.max(at_least_mm),
            None => shown_mm.unwrap_or(MAX_RADIUS_ERROR_MM),
        };
        Self { stated_mm, limit_mm, shown_mm }
    }

    /// Standard deviation of the error, mm: as likely at its limits as the systematic error of the sensor (arcsine
    /// distribution).
    pub fn sigma_mm(&self) -> f64 {
        self.limit_mm * std::f64::consts::FRAC_1_SQRT_2
    }

    /// Green if it is stated and not contradicted, or small; otherwise amber.
    pub fn light(&self) -> Light {
        let is_sound =
            self.stated_mm.map_or(self.limit_mm <= MAX_UNREVIEWED_MM, |stated_mm| self.limit_mm <= stated_mm);
        if is_sound { Light::Green } else { Light::Amber }
    }

    /// The result in a sentence.
    pub fn sentence(&self) -> String {
        let limit_mm = self.limit_mm;
        match (self.stated_mm, self.shown_mm) {
            (Some(stated_mm), _) if self.limit_mm <= stated_mm => {
                format!("Its error is up to ± {limit_mm:.4} mm, as stated, and included in the uncertainties.")
            }
            (Some(stated_mm), _) => format!(
                "Its error is stated as up to ± {stated_mm:.4} mm, but the artefact shows at least {limit_mm:.3} mm, which \
                 is included in the uncertainties: check the stylus."
            ),
            (None, Some(_)) => format!(
                "Its error is not stated: up to ± {limit_mm:.3} mm would not be noticed with this artefact, and is included \
                 in the uncertainties perpendicular to the flat face. State it, from the qualification of the stylus, for \
                 smaller ones."
            ),
            (None, None) => format!(
                "Its error is not stated, and this artefact does not show it: ± {limit_mm:.1} mm are included in the \
                 uncertainties perpendicular to the flat face. State it, from the qualification of the stylus."
            ),
        }
    }
}

/// Error of the radius as the quantity shows it that is most sensitive to it, and how far it may be from that, mm; `None`
/// if none is. The quantities share the sensor's systematic error, so that they are not averaged.
fn evidence(comparisons: &[Comparison]) -> Option<(f64, f64)> {
    let shown = |own: &Comparison| {
        let sensitivity = own.radius_sensitivity;
        let is_sensitive = sensitivity.abs() > MIN_SENSITIVITY && own.sigma > 0.0 && own.sigma.is_finite();
        is_sensitive.then(|| (own.difference() / sensitivity, own.spread.limit(SIGMAS) / sensitivity.abs()))
    };
    comparisons.iter().filter_map(shown).min_by(|a, b| a.1.total_cmp(&b.1))
}
