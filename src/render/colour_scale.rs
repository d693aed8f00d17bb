//! The colour scale of deviations: green in tolerance, yellow to red above, cyan to blue below, grey for no data.

use inspect::deviation::Tolerance;

/// Maps deviations to colours. The same scale serves viewport, legend, pictures and files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourScale {
    /// Allowed deviations: the green band.
    pub tolerance: Tolerance,
    /// Deviation at both ends, mm.
    pub end_mm: f64,
}

/// Colour of places without data.
pub const NO_DATA: [u8; 3] = [128, 128, 132];
const IN_TOLERANCE: [u8; 3] = [76, 175, 80];
/// From the tolerance outwards.
const ABOVE: [[u8; 3]; 4] = [[205, 220, 57], [255, 193, 7], [251, 110, 20], [200, 24, 30]];
const BELOW: [[u8; 3]; 4] = [[38, 198, 190], [3, 160, 235], [33, 90, 225], [62, 24, 150]];

impl ColourScale {
    /// A scale whose ends lie beyond its tolerance.
    pub fn new(tolerance: Tolerance, end_mm: f64) -> Self {
        let reach = tolerance.low_mm.abs().max(tolerance.high_mm.abs());
        Self { tolerance, end_mm: end_mm.max(reach * 1.01) }
    }

    /// The colour of a deviation; of no data for `None`.
    pub fn colour(&self, deviation_mm: Option<f64>) -> [u8; 3] {
        let Some(deviation) = deviation_mm.filter(|deviation| deviation.is_finite()) else {
            return NO_DATA;
        };
        if self.tolerance.allows(deviation) {
            return IN_TOLERANCE;
        }
        let (stops, limit) =
            if deviation > 0.0 { (ABOVE, self.tolerance.high_mm) } else { (BELOW, self.tolerance.low_mm) };
        let beyond = (deviation - limit).abs() / (self.end_mm - limit.abs()).max(f64::MIN_POSITIVE);
        along(&stops, beyond.clamp(0.0, 1.0))
    }

    /// Colours at `count` even steps from minus to plus the end, for look-up on the GPU.
    pub fn table(&self, count: usize) -> Vec<[u8; 4]> {
        (0..count)
            .map(|i| {
                let share = (i as f64 + 0.5) / count as f64;
                let [r, g, b] = self.colour(Some((2.0 * share - 1.0) * self.end_mm));
                [r, g, b, 255]
            })
            .collect()
    }
}

fn along(stops: &[[u8; 3]], share: f64) -> [u8; 3] {
    let place = share * (stops.len() - 1) as f64;
    let first = (place as usize).min(stops.len() - 2);
    let part = place - first as f64;
    std::array::from_fn(|channel| {
        let (from, to) = (f64::from(stops[first][channel]), f64::from(stops[first + 1][channel]));
        (from + (to - from) * part).round() as u8
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
