//! A brush stroke as a prism that stands in the nominal's frame.

use serde::{Deserialize, Serialize};

use geometry::{Point, Pose};

/// A polygon seen along a direction, and how deep it reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prism {
    /// The view that the polygon was drawn in: x to the right, y up, z towards the eye.
    pub view_from_nominal: Pose,
    /// Its corners in that view, mm.
    pub outline: Vec<[f64; 2]>,
    /// From where to where it reaches along z, mm.
    pub depth_mm: [f64; 2],
}

impl Prism {
    /// Whether a place, nominal frame, lies inside.
    pub fn holds(&self, place: &Point) -> bool {
        let seen = self.view_from_nominal * place;
        if !(self.depth_mm[0]..=self.depth_mm[1]).contains(&seen.z) {
            return false;
        }
        // The number of sides that a ray to the right crosses is odd inside.
        let next = self.outline.iter().skip(1).chain(self.outline.first());
        let crosses = |(from, to): &(&[f64; 2], &[f64; 2])| {
            let rises = (from[1] > seen.y) != (to[1] > seen.y);
            rises && seen.x < from[0] + (seen.y - from[1]) / (to[1] - from[1]) * (to[0] - from[0])
        };
        self.outline.iter().zip(next).filter(crosses).count() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_the_polygon_and_its_depth_is_held() {
        let outline = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [2.0, 1.0], [0.0, 3.0]];
        let prism = Prism { view_from_nominal: Pose::translation(0.0, 0.0, -5.0), outline, depth_mm: [-1.0, 1.0] };
        for (place, is_held) in [
            ([1.0, 1.0, 5.0], true),
            ([3.9, 2.5, 5.9], true),
            ([2.0, 2.0, 5.0], false),
            ([1.0, 1.0, 6.1], false),
            ([-0.1, 1.0, 5.0], false),
        ] {
            assert_eq!(prism.holds(&place.into()), is_held, "{place:?}");
        }
    }
}
