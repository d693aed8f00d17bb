//! Colour scale of wall thickness: red where it is thin, blue where it is thick, black-red below the limits and violet
//! above them.

use super::colour_scale::{NO_DATA, interpolate};
use inspect::thickness::{Parameters, ThicknessMap};

/// Maps thicknesses to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThicknessScale {
    /// Least thickness allowed, mm; 0 for no limit.
    pub min_mm: f64,
    /// Greatest thickness allowed, mm; `None` for no limit.
    pub limit_mm: Option<f64>,
    /// Thickness at the end of the scale, mm; it begins at 0.
    pub end_mm: f64,
}

/// Colour below the limit.
const TOO_THIN: [u8; 3] = [122, 0, 62];
/// Colour above the limit.
const TOO_THICK: [u8; 3] = [58, 16, 110];
/// Colours from the lower limit, or 0, to the upper one, or the end of the scale.
const COLOURS: [[u8; 3]; 6] =
    [[214, 40, 40], [247, 127, 0], [252, 208, 60], [112, 190, 92], [40, 160, 190], [38, 84, 170]];

impl ThicknessScale {
    /// The scale of a map, up to its greatest thickness.
    pub fn of(map: &ThicknessMap) -> Self {
        let end_mm = if map.statistics.max_mm > 0.0 { map.statistics.max_mm } else { map.parameters.max_mm };
        let Parameters { min_mm, max_thickness_mm, .. } = map.parameters;
        Self { min_mm, limit_mm: max_thickness_mm, end_mm: end_mm.max(1.01 * min_mm) }
    }

    /// Lookup table for the GPU: RGBA at the centres of `count` equal steps from 0 to `end_mm`.
    pub fn table(&self, count: usize) -> Vec<[u8; 4]> {
        let at = |step: usize| self.colour(Some((step as f64 + 0.5) / count as f64 * self.end_mm));
        (0..count).map(at).map(|[r, g, b]| [r, g, b, 255]).collect()
    }

    /// The colour of a thickness, mm; [`NO_DATA`] for `None` and non-finite values.
    pub fn colour(&self, thickness_mm: Option<f64>) -> [u8; 3] {
        match thickness_mm.filter(|mm| mm.is_finite()) {
            None => NO_DATA,
            Some(mm) if mm < self.min_mm => TOO_THIN,
            Some(mm) if self.limit_mm.is_some_and(|limit_mm| mm > limit_mm) => TOO_THICK,
            Some(mm) => {
                let top_mm = self.limit_mm.map_or(self.end_mm, |limit_mm| limit_mm.min(self.end_mm));
                let share = (mm - self.min_mm) / (top_mm - self.min_mm).max(f64::MIN_POSITIVE);
                interpolate(&COLOURS, share.clamp(0.0, 1.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_limits_stands_out() {
        let scale = ThicknessScale { min_mm: 2.0, limit_mm: None, end_mm: 6.0 };
        assert_eq!(scale.colour(Some(1.999)), TOO_THIN);
        assert_eq!(scale.colour(Some(2.0)), COLOURS[0]);
        assert_eq!(scale.colour(Some(6.0)), COLOURS[5]);
        assert_eq!(scale.colour(Some(60.0)), COLOURS[5]);
        assert_eq!(scale.colour(None), NO_DATA);
        assert_eq!(ThicknessScale { min_mm: 0.0, limit_mm: None, end_mm: 0.0 }.colour(Some(0.0)), COLOURS[0]);
        let both = ThicknessScale { limit_mm: Some(5.0), ..scale };
        assert_eq!(both.colour(Some(1.999)), TOO_THIN);
        assert_eq!((both.colour(Some(5.0)), both.colour(Some(5.001))), (COLOURS[5], TOO_THICK));
        assert_eq!(both.table(600).last().unwrap()[..3], TOO_THICK);
    }
}
