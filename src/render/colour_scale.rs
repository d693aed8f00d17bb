//! Colour scale of deviations; grey without data.

use super::own_scale;
use super::thickness_scale::ThicknessScale;
use inspect::deviation::{Colours, OwnScale, Tolerance};

/// Maps deviations to colours; used by viewport, legend, report pictures and exported files.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourScale {
    /// Tolerance limits.
    pub tolerance: Tolerance,
    /// Absolute deviation at both ends of the scale, mm.
    pub end_mm: f64,
    /// Its colours.
    pub colours: Colours,
    /// A scale of the operator's own, in place of these colours.
    pub own: Option<OwnScale>,
}

/// Colour where there is no data.
pub const NO_DATA: [u8; 3] = [128, 128, 132];

/// Colours in tolerance, and from the limits to the ends of the scale.
struct Stops {
    inside: [u8; 3],
    above: [[u8; 3]; 4],
    below: [[u8; 3]; 4],
}

const SPECTRUM: Stops = Stops {
    inside: [76, 175, 80],
    above: [[205, 220, 57], [255, 193, 7], [251, 110, 20], [200, 24, 30]],
    below: [[38, 198, 190], [3, 160, 235], [33, 90, 225], [62, 24, 150]],
};
const COLOUR_BLIND: Stops = Stops {
    inside: [240, 236, 222],
    above: [[253, 208, 130], [248, 160, 60], [222, 100, 18], [136, 52, 4]],
    below: [[170, 205, 235], [100, 160, 215], [35, 105, 180], [8, 42, 110]],
};
/// Steps of [`Colours::Bands`] on each side.
pub(super) const BANDS: f64 = 4.0;

impl ColourScale {
    /// Scale from `-end_mm` to `end_mm`, extended if the tolerance limits reach further.
    pub fn new(tolerance: Tolerance, end_mm: f64) -> Self {
        let max_limit_mm = tolerance.low_mm.abs().max(tolerance.high_mm.abs());
        Self { tolerance, end_mm: end_mm.max(max_limit_mm * 1.01), colours: Colours::default(), own: None }
    }

    /// The scale in other colours.
    pub fn with(self, colours: Colours) -> Self {
        Self { colours, ..self }
    }

    /// The scale in the operator's own colours, if there are any, extended to show all of them.
    pub fn with_own(self, own: Option<OwnScale>) -> Self {
        let reach_mm = own.as_ref().map_or(0.0, |own| own_scale::reach_mm(own, &self.tolerance));
        Self { end_mm: self.end_mm.max(reach_mm), own, ..self }
    }

    /// Colours in tolerance, and from the limits outwards above and below, of the built-in scale.
    pub(super) fn built_in(&self) -> ([u8; 3], [[u8; 3]; 4], [[u8; 3]; 4]) {
        let Stops { inside, above, below } = self.stops();
        (*inside, *above, *below)
    }

    fn stops(&self) -> &'static Stops {
        if self.colours == Colours::ColourBlind { &COLOUR_BLIND } else { &SPECTRUM }
    }

    /// The colour of a deviation, mm; [`NO_DATA`] for `None` and non-finite values.
    pub fn colour(&self, deviation_mm: Option<f64>) -> [u8; 3] {
        let Some(deviation) = deviation_mm.filter(|deviation| deviation.is_finite()) else {
            return NO_DATA;
        };
        if let Some(own) = &self.own {
            return own_scale::colour(own, &self.tolerance, deviation);
        }
        let stops = self.stops();
        if self.colours == Colours::Continuous {
            let [b0, b1, b2, b3] = stops.below;
            let [a0, a1, a2, a3] = stops.above;
            let fraction = 0.5 + 0.5 * deviation / self.end_mm;
            return interpolate(&[b3, b2, b1, b0, stops.inside, a0, a1, a2, a3], fraction.clamp(0.0, 1.0));
        }
        if self.tolerance.allows(deviation) {
            return stops.inside;
        }
        let (stops, limit) =
            if deviation > 0.0 { (stops.above, self.tolerance.high_mm) } else { (stops.below, self.tolerance.low_mm) };
        let fraction = (deviation - limit).abs() / (self.end_mm - limit.abs()).max(f64::MIN_POSITIVE);
        let fraction = fraction.clamp(0.0, 1.0);
        match self.colours {
            Colours::Bands => interpolate(&stops, (BANDS * fraction).floor().min(BANDS - 1.0) / (BANDS - 1.0)),
            _ => interpolate(&stops, fraction),
        }
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
#[derive(Clone, Debug, PartialEq)]
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
        let Stops { inside, above, below } = SPECTRUM;
        assert_eq!(scale.colour(Some(0.2)), inside);
        assert_eq!(scale.colour(Some(-0.1)), inside);
        assert_eq!(scale.colour(Some(0.2001))[0], above[0][0]);
        assert_eq!(scale.colour(Some(0.5)), above[3]);
        assert_eq!(scale.colour(Some(-99.0)), below[3]);
        assert_eq!(scale.colour(None), NO_DATA);
        assert_eq!(scale.colour(Some(f64::NAN)), NO_DATA);
    }

    #[test]
    fn the_table_matches_the_scale() {
        let scale = ColourScale::new(Tolerance::default(), 0.3);
        let table = scale.table(256);
        assert_eq!(table[128][..3], SPECTRUM.inside);
        assert_eq!(table[255][..3], scale.colour(Some(0.2988)));
    }

    #[test]
    fn bands_are_four_on_each_side_and_continuous_colours_change_within_tolerance() {
        let scale = ColourScale::new(Tolerance { low_mm: -0.1, high_mm: 0.1 }, 0.5);
        let distinct = |colours: Colours| {
            let mut found: Vec<_> = scale.clone().with(colours).table(1000);
            found.dedup();
            found.len()
        };
        assert_eq!(distinct(Colours::Bands), 9);
        let continuous = scale.with(Colours::Continuous);
        assert_ne!(continuous.colour(Some(0.05)), continuous.colour(Some(-0.05)));
        assert_eq!(continuous.colour(Some(0.0)), SPECTRUM.inside);
        assert_eq!(continuous.colour(Some(0.5)), SPECTRUM.above[3]);
    }

    /// As seen by somebody without the receptor of long waves (Viénot, Brettel and Mollon 1999), in linear RGB.
    #[test]
    fn colour_blind_readers_tell_above_below_and_inside_apart() {
        let seen = |colour: [u8; 3]| {
            let [r, g, b] = colour.map(|level| (f64::from(level) / 255.0).powf(2.2));
            let yellow = 0.11238 * r + 0.88762 * g;
            [yellow, 0.00401 * r - 0.00401 * g + b].map(|light| light.max(0.0).powf(1.0 / 2.2))
        };
        let scale = ColourScale::new(Tolerance { low_mm: -0.1, high_mm: 0.1 }, 0.5).with(Colours::ColourBlind);
        let at = |mm: f64| seen(scale.colour(Some(mm)));
        let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        for mm in [0.15, 0.25, 0.35, 0.45] {
            assert!(apart(at(mm), at(-mm)) > 0.3, "{mm}: {}", apart(at(mm), at(-mm)));
            assert!(apart(at(mm), at(0.0)) > 0.15 && apart(at(-mm), at(0.0)) > 0.08, "{mm}");
        }
    }
}
