//! Colour scale of deviations: green in tolerance, yellow to red above, cyan to blue below, grey without data.

use super::thickness_scale::ThicknessScale;
use inspect::deviation::Tolerance;

/// Maps deviations to colours; used by viewport, legend, report pictures and exported files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourScale {
    /// Tolerance limits: the green band.
    pub tolerance: Tolerance,
    /// Absolute deviation at both ends of the scale, mm.
    pub end_mm: f64,
}

/// Colour where there is no data.
pub const NO_DATA: [u8; 3] = [128, 128, 132];
const IN_TOLERANCE: [u8; 3] = [76, 175, 80];
/// Colours from the upper tolerance limit to the end of the scale.
const ABOVE: [[u8; 3]; 4] = [[205, 220, 57], [255, 193, 7], [251, 110, 20], [200, 24, 30]];
/// Colours from the lower tolerance limit to the end of the scale.
const BELOW: [[u8; 3]; 4] = [[38, 198, 190], [3, 160, 235], [33, 90, 225], [62, 24, 150]];

impl ColourScale {
    /// Scale from `-end_mm` to `end_mm`, extended if the tolerance limits reach further.
    pub fn new(tolerance: Tolerance, end_mm: f64) -> Self {
        let max_limit_mm = tolerance.low_mm.abs().max(tolerance.high_mm.abs());
        Self { tolerance, end_mm: end_mm.max(max_limit_mm * 1.01) }
    }

    /// The colour of a deviation, mm; [`NO_DATA`] for `None` and non-finite values.
    pub fn colour(&self, deviation_mm: Option<f64>) -> [u8; 3] {
        let Some(deviation) = deviation_mm.filter(|deviation| deviation.is_finite()) else {
            return NO_DATA;
        };
        if self.tolerance.allows(deviation) {
            return IN_TOLERANCE;
        }
        let (stops, limit) =
            if deviation > 0.0 { (ABOVE, self.tolerance.high_mm) } else { (BELOW, self.tolerance.low_mm) };
        let fraction = (deviation - limit).abs() / (self.end_mm - limit.abs()).max(f64::MIN_POSITIVE);
        interpolate(&stops, fraction.clamp(0.0, 1.0))
    }

    /// Lookup table for the GPU: RGBA at the centres of `count` equal steps from `-end_mm` to `end_mm`.
    pub fn table(&self, count: usize) -> Vec<[u8; 4]> {
        (0..count)
            .map(|i| {
                let fraction = (i as f64 + 0.5) / count as f64;
                let [r, g, b] = self.colour(Some((2.0 * fraction - 1.0) * self.end_mm));
                [r, g, b, 255]
            })
            .collect()
    }
}

/// What the values of a frame are, and their colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Deviations.
    Deviation(ColourScale),
    /// Thicknesses.
    Thickness(ThicknessScale),
}

impl Scale {
    /// Values at both ends of the scale, mm.
    pub fn ends_mm(&self) -> [f64; 2] {
        match self {
            Self::Deviation(scale) => [-scale.end_mm, scale.end_mm],
            Self::Thickness(scale) => [0.0, scale.end_mm],
        }
    }

    /// Lookup table for the GPU: RGBA at the centres of `count` equal steps between both ends.
    pub fn table(&self, count: usize) -> Vec<[u8; 4]> {
        match self {
            Self::Deviation(scale) => scale.table(count),
            Self::Thickness(scale) => scale.table(count),
        }
    }
}

impl From<ColourScale> for Scale {
    fn from(scale: ColourScale) -> Self {
        Self::Deviation(scale)
    }
}

/// Linear interpolation between equally spaced colours; `fraction` from 0 to 1.
pub(super) fn interpolate(stops: &[[u8; 3]], fraction: f64) -> [u8; 3] {
    let position = fraction * (stops.len() - 1) as f64;
    let first = (position as usize).min(stops.len() - 2);
    let weight = position - first as f64;
    std::array::from_fn(|channel| {
        let (from, to) = (f64::from(stops[first][channel]), f64::from(stops[first + 1][channel]));
        (from + (to - from) * weight).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive_and_no_data_is_grey() {
        let scale = ColourScale::new(Tolerance { low_mm: -0.1, high_mm: 0.2 }, 0.5);
        assert_eq!(scale.colour(Some(0.2)), IN_TOLERANCE);
        assert_eq!(scale.colour(Some(-0.1)), IN_TOLERANCE);
        assert_eq!(scale.colour(Some(0.2001))[0], ABOVE[0][0]);
        assert_eq!(scale.colour(Some(0.5)), ABOVE[3]);
        assert_eq!(scale.colour(Some(-99.0)), BELOW[3]);
        assert_eq!(scale.colour(None), NO_DATA);
        assert_eq!(scale.colour(Some(f64::NAN)), NO_DATA);
    }

    #[test]
    fn the_table_matches_the_scale() {
        let scale = ColourScale::new(Tolerance::default(), 0.3);
        let table = scale.table(256);
        assert_eq!(table[128][..3], IN_TOLERANCE);
        assert_eq!(table[255][..3], scale.colour(Some(0.2988)));
    }
}
