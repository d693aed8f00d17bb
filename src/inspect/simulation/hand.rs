//! Regions as a hand brushes them: not along the faces' edges as they truly are, but beside them by some tenths of a
//! millimetre, with a trembling outline, over a rim here and there, and not to the very ends.

use serde::{Deserialize, Serialize};

use base::random::Random;

/// How far a hand's strokes are off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hand {
    /// Standard deviation of a whole stroke's place along X and along Y, mm.
    pub offset_mm: f64,
    /// Amplitude by which its outline trembles, mm.
    pub tremble_mm: f64,
    /// Length of the waves of that, mm.
    pub wave_mm: f64,
    /// Largest share of the region's length that is left out at either end.
    pub short: f64,
}

impl Default for Hand {
    fn default() -> Self {
        Self { offset_mm: 0.4, tremble_mm: 0.4, wave_mm: 17.0, short: 0.15 }
    }
}

/// One stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandStroke {
    offset_mm: [f64; 2],
    tremble_mm: f64,
    number: f64,
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
            number: std::f64::consts::TAU / self.wave_mm,
            phases,
            ends: [self.short * random.uniform(), self.short * random.uniform()],
        }
    }
}

impl HandStroke {
    /// Where the hand takes a place to be: what it brushes as a region is what seems to lie in it.
    pub fn seeming(&self, x: f64, y: f64) -> [f64; 2] {
        [
            x + self.offset_mm[0] + self.tremble_mm * (self.number * y + self.phases[0]).sin(),
            y + self.offset_mm[1] + self.tremble_mm * (self.number * x + self.phases[1]).sin(),
        ]
    }

    /// Drops what lies at the ends of a region, along the longer of its two extents. `places` are X and Y of the
    /// `points` of the region.
    pub fn shorten(&self, points: &mut Vec<u32>, places: &[[f64; 2]]) {
        let bounds = |axis: usize| {
            let own = || places.iter().map(move |place| place[axis]);
            (own().fold(f64::MAX, f64::min), own().fold(f64::MIN, f64::max))
        };
        let (across, along) = (bounds(0), bounds(1));
        let (axis, (first, last)) = if across.1 - across.0 > along.1 - along.0 { (0, across) } else { (1, along) };
        let kept = first + self.ends[0] * (last - first)..=last - self.ends[1] * (last - first);
        let mut places = places.iter();
        points.retain(|_| places.next().is_some_and(|place| kept.contains(&place[axis])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_are_off_by_some_tenths_and_leave_out_ends() {
        let mut random = Random::new(6, 6);
        for _ in 0..50 {
            let hand = Hand::default();
            let stroke = hand.stroke(&mut random);
            let [x, y] = stroke.seeming(10.0, -20.0);
            assert!((x - 10.0).hypot(y + 20.0) < 3.0);
            assert_ne!(stroke.seeming(10.0, -16.0)[0], x);
            let places: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i % 3), f64::from(i)]).collect();
            let mut points: Vec<u32> = (0..100).collect();
            stroke.shorten(&mut points, &places);
            assert!((69..=100).contains(&points.len()), "{}", points.len());
            assert!(points.windows(2).all(|pair| pair[1] == pair[0] + 1));
        }
    }
}
