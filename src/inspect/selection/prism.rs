//! A brush stroke as a prism in the nominal frame.

use serde::{Deserialize, Serialize};

use geometry::{Point, Pose};

/// A prism: a polygon drawn in a view, extruded along the viewing direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prism {
    /// Frame of the view: x to the right, y up, z towards the viewer.
    pub view_from_nominal: Pose,
    /// Corners of the polygon, view x and y, mm.
    pub outline: Vec<[f64; 2]>,
    /// Extent along z of the view, from and to, mm.
    pub depth_mm: [f64; 2],
}

impl Prism {
    /// Whether `point`, nominal frame, lies inside.
    pub fn contains(&self, point: &Point) -> bool {
        let in_view = self.view_from_nominal * point;
        if !(self.depth_mm[0]..=self.depth_mm[1]).contains(&in_view.z) {
            return false;
        }
        // Even-odd rule: a ray to the right crosses an odd number of sides if the point is inside.
        let next = self.outline.iter().skip(1).chain(self.outline.first());
        let crosses = |(from, to): &(&[f64; 2], &[f64; 2])| {
            let spans = (from[1] > in_view.y) != (to[1] > in_view.y);
            spans && in_view.x < from[0] + (in_view.y - from[1]) / (to[1] - from[1]) * (to[0] - from[0])
        };
        self.outline.iter().zip(next).filter(crosses).count() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_within_polygon_and_depth_are_inside() {
        let outline = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [2.0, 1.0], [0.0, 3.0]];
        let prism = Prism { view_from_nominal: Pose::translation(0.0, 0.0, -5.0), outline, depth_mm: [-1.0, 1.0] };
        for (point, is_inside) in [
            ([1.0, 1.0, 5.0], true),
            ([3.9, 2.5, 5.9], true),
            ([2.0, 2.0, 5.0], false),
            ([1.0, 1.0, 6.1], false),
            ([-0.1, 1.0, 5.0], false),
        ] {
            assert_eq!(prism.contains(&point.into()), is_inside, "{point:?}");
        }
    }
}
