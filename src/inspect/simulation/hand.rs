//! Errors of regions brushed by hand: offset from the true edges of a face by some tenths of a millimetre, with a wavy
//! outline, crossing a rim here and there, and stopping short of the ends.

use serde::{Deserialize, Serialize};

use base::random::Random;

/// Errors of brush strokes by hand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hand {
    /// Standard deviation of the offset of a whole stroke along X and along Y, mm.
    pub offset_mm: f64,
    /// Amplitude of the waviness of its outline, mm.
    pub tremble_mm: f64,
    /// Wavelength of the waviness, mm.
    pub wave_mm: f64,
    /// Maximum share of the region's length left out at either end, 0 to 1.
    pub short: f64,
}

impl Default for Hand {
    fn default() -> Self {
        Self { offset_mm: 0.4, tremble_mm: 0.4, wave_mm: 17.0, short: 0.15 }
    }
}

/// The errors of one stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandStroke {
    offset_mm: [f64; 2],
    tremble_mm: f64,
    /// Angular wave number, rad/mm.
    wave_number: f64,
    phases: [f64; 2],
    ends: [f64; 2],
}

impl Hand {
    /// Draws a stroke.
    pub fn stroke(&self, random: &mut Random) -> HandStroke {
        let mut phase = || random.range(0.0, std::f64::consts::TAU);
        let phases = [phase(), phase()];
        HandStroke {
            offset_mm: [self.offset_mm * random.normal(), self.offset_mm * random.normal()],
            tremble_mm: self.tremble_mm,
            wave_number: std::f64::consts::TAU / self.wave_mm,
            phases,
            ends: [self.short * random.uniform(), self.short * random.uniform()],
        }
    }
}

impl HandStroke {
    /// Position at which the operator perceives the point (`x`, `y`), mm: points perceived inside a region are brushed.
    pub fn perceived(&self, x: f64, y: f64) -> [f64; 2] {
        [
            x + self.offset_mm[0] + self.tremble_mm * (self.wave_number * y + self.phases[0]).sin(),
            y + self.offset_mm[1] + self.tremble_mm * (self.wave_number * x + self.phases[1]).sin(),
        ]
    }

    /// Removes the points at both ends of a region, along the longer of its two extents. `positions`: X and Y of each
    /// of `points`, mm.
    pub fn shorten(&self, points: &mut Vec<u32>, positions: &[[f64; 2]]) {
        let bounds = |axis: usize| {
            let values = || positions.iter().map(move |position| position[axis]);
            (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
        };
        let (x, y) = (bounds(0), bounds(1));
        let (axis, (first, last)) = if x.1 - x.0 > y.1 - y.0 { (0, x) } else { (1, y) };
        let kept = first + self.ends[0] * (last - first)..=last - self.ends[1] * (last - first);
        let mut positions = positions.iter();
        points.retain(|_| positions.next().is_some_and(|position| kept.contains(&position[axis])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_are_offset_wavy_and_short_of_the_ends() {
        let mut random = Random::new(6, 6);
        for _ in 0..50 {
            let hand = Hand::default();
            let stroke = hand.stroke(&mut random);
            let [x, y] = stroke.perceived(10.0, -20.0);
            assert!((x - 10.0).hypot(y + 20.0) < 3.0);
            assert_ne!(stroke.perceived(10.0, -16.0)[0], x);
            let positions: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i % 3), f64::from(i)]).collect();
            let mut points: Vec<u32> = (0..100).collect();
            stroke.shorten(&mut points, &positions);
            assert!((69..=100).contains(&points.len()), "{}", points.len());
            assert!(points.windows(2).all(|pair| pair[1] == pair[0] + 1));
        }
    }
}
