//! What a comparison can detect: the smallest region out of tolerance that noise and spacing of its points would not hide.

use serde::{Deserialize, Serialize};

use super::noise::ScanNoise;
use super::regions::significance::{ERROR_RATE, MIN_RATE, following, min_group, upper_quantile, upper_tail};
use super::{Method, Tolerance};
use compute::smoothing;

/// Standard deviations by which a region exceeds the limits, so that nearly all of its points do.
const EXCESS_SIGMAS: f64 = 3.0;
/// Standard deviations of the scatter of a Poisson number that are allowed for: fewer points fall onto a region of the
/// stated area in one of 10,000 cases.
const SCATTER_SIGMAS: f64 = 1.9;
/// Width of the narrowest strip whose points hang together, in spacings.
const WIDTH_SPACINGS: f64 = 2.0;
/// Number of points, and width in spacings, of a region that most of the [`smoothing::NEIGHBOURS`] of a point lie on: it
/// is found by medians where single points say nothing.
const MEDIAN_POINTS: f64 = 2.5 * smoothing::NEIGHBOURS as f64;
const MEDIAN_WIDTH_SPACINGS: f64 = 7.0;
/// Share of the distance between the limits that the standard deviation of the noise must not exceed: beyond it, a point
/// says little about which side of a limit it is on.
const MAX_NOISE_SHARE: f64 = 1.0 / 3.0;

/// The smallest region out of tolerance that is detected wherever the surface was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resolution {
    /// Area, mm².
    pub area_mm2: f64,
    /// Width, mm: narrower strips may be missed, however long they are.
    pub width_mm: f64,
    /// Diameter of the smallest gap in what was measured that is found, mm: a hole with dark walls leaves one.
    pub gap_mm: f64,
    /// By how much it must exceed a limit, mm.
    pub excess_mm: f64,
    /// Standard deviation of the noise of single points, mm.
    pub noise_mm: f64,
    /// Whether the noise is too large for the limits.
    pub is_noise_too_large: bool,
}

/// What the resolution follows from.
#[derive(Clone, Copy)]
pub(super) struct Conditions {
    /// The method of measuring.
    pub method: Method,
    /// Number of compared points.
    pub count: usize,
    /// Their spacing, mm.
    pub spacing_mm: f64,
    /// Diameter of the smallest gap between them that is found, mm.
    pub gap_mm: f64,
    /// Their noise.
    pub noise: ScanNoise,
    /// Their median deviation, mm.
    pub median_mm: f64,
    /// Share of them out of tolerance outside regions.
    pub outside_fraction: f64,
    /// The limits.
    pub tolerance: Tolerance,
}

impl Resolution {
    pub(super) fn new(conditions: &Conditions) -> Self {
        let Conditions {
            method,
            count,
            spacing_mm,
            gap_mm: smallest_gap_mm,
            noise,
            median_mm,
            outside_fraction,
            tolerance,
        } = *conditions;
        let sigma_mm = noise.sigma_mm;
        let gap_mm = (tolerance.high_mm - median_mm).min(median_mm - tolerance.low_mm).max(0.0);
        let by_noise = if sigma_mm > 0.0 { upper_tail(gap_mm / sigma_mm * following(&noise)) } else { 0.0 };
        let points = min_group(count, by_noise + outside_fraction.max(MIN_RATE));
        let by_points = points.map_or(f64::INFINITY, |points| ((points as f64).sqrt() + SCATTER_SIGMAS).powi(2));
        let peaks = (count / smoothing::NEIGHBOURS).max(1) as f64;
        let of_median_mm = upper_quantile(ERROR_RATE / peaks) * noise.median_sigma_mm;
        let (number, width, excess_mm) = if method != Method::Closest || by_points > MEDIAN_POINTS {
            (MEDIAN_POINTS, MEDIAN_WIDTH_SPACINGS, of_median_mm.max(EXCESS_SIGMAS * sigma_mm))
        } else {
            (by_points, WIDTH_SPACINGS, EXCESS_SIGMAS * sigma_mm)
        };
        Self {
            area_mm2: number * spacing_mm * spacing_mm,
            width_mm: width * spacing_mm,
            gap_mm: smallest_gap_mm,
            excess_mm,
            noise_mm: sigma_mm,
            is_noise_too_large: sigma_mm > MAX_NOISE_SHARE * (tolerance.high_mm - tolerance.low_mm),
        }
    }
}

/// A figure with two significant digits, rounded up so that it never promises too much.
pub fn rounded_up(figure: f64) -> String {
    let decimals =
        if figure >= 10.0 || !(figure > 0.0) { 0 } else { (1.0 - figure.log10().floor()).clamp(0.0, 4.0) as usize };
    let unit = 10_f64.powi(decimals as i32);
    format!("{:.decimals$}", (figure * unit - 1e-9).ceil() / unit)
}
