//! Where a camera stands and how it looks.

use serde::{Deserialize, Serialize};

use super::{Point, Vector};

/// A view of a scene: its middle, its direction, and how much of the scene it shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viewpoint {
    /// Point in the middle of the view, mm.
    pub target_mm: [f64; 3],
    /// Direction from there to the eye.
    pub to_eye: [f64; 3],
    /// Direction that points up in the view.
    pub up: [f64; 3],
    /// Visible width and height at the target, mm; a picture of another shape shows more, not less.
    pub size_mm: [f64; 2],
    /// Whether the projection is perspective rather than orthographic.
    pub is_perspective: bool,
}

impl Viewpoint {
    /// Whether something can be seen from here: finite numbers, a size, and directions that are not parallel.
    pub fn is_usable(&self) -> bool {
        let [eye, up] = [self.to_eye, self.up].map(Vector::from);
        let sine = eye.cross(&up).norm() / (eye.norm() * up.norm());
        let target = Point::from(self.target_mm);
        let has_size = self.size_mm.iter().all(|mm| mm.is_normal() && *mm > 0.0);
        target.iter().all(|mm| mm.is_finite()) && has_size && sine > 1e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_seen_without_size_or_direction() {
        let view = Viewpoint {
            target_mm: [1.0, 2.0, 3.0],
            to_eye: [0.0, -1.0, 0.5],
            up: [0.0, 0.0, 1.0],
            size_mm: [60.0, 40.0],
            is_perspective: false,
        };
        assert!(view.is_usable());
        for broken in [
            Viewpoint { size_mm: [60.0, 0.0], ..view },
            Viewpoint { size_mm: [-4.0, 40.0], ..view },
            Viewpoint { size_mm: [60.0, f64::INFINITY], ..view },
            Viewpoint { to_eye: [0.0; 3], ..view },
            Viewpoint { to_eye: [0.0, 0.0, -3.0], ..view },
            Viewpoint { up: [f64::NAN, 0.0, 1.0], ..view },
            Viewpoint { target_mm: [f64::NAN, 0.0, 0.0], ..view },
        ] {
            assert!(!broken.is_usable(), "{broken:?}");
        }
    }
}
