//! Rays through a distance field: the reference of `field.wgsl`, step by step the same.

use super::{BRICK, DistanceField, Spot};
use crate::voxels::CellState;

/// A ray in spacings of the grid from its origin.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it begins.
    pub origin: [f32; 3],
    /// Unit direction.
    pub direction: [f32; 3],
    /// What is cut away: all points for which the dot product with the first three is less than minus the fourth.
    pub cut: Option<[f32; 4]>,
}

/// Where a ray meets an offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray, in spacings.
    pub t: f32,
    /// Whether the ray entered through the cut, within the offset.
    pub is_section: bool,
}

const MAX_STEPS: usize = 1024;
/// Least step, in distances of the samples passed.
const MIN_STEP: f32 = 0.5;
/// Corrections between the last two steps, by where a straight line between their values would be zero.
const CORRECTIONS: usize = 3;
/// A value beyond reach.
const FAR: f32 = 1e9;

impl DistanceField {
    /// Where the ray first enters all that is within `distance`, in spacings. A ray that begins inside has to leave
    /// first, unless it is cut off there.
    pub fn march(&self, ray: &Ray, distance: f32) -> Option<Hit> {
        let (mut t, end, is_cut) = self.span(ray)?;
        let (mut before, mut is_inside) = ((t, FAR), false);
        for step in 0..MAX_STEPS {
            if t >= end {
                return None;
            }
            let spot = self.spot(point(ray, t))?;
            let value = self.value(&spot, distance);
            if step == 0 && value < 0.0 {
                if is_cut {
                    return Some(Hit { t, is_section: true });
                }
                is_inside = true;
            }
            if is_inside {
                is_inside = value < 0.0;
            } else if value < 0.0 {
                return Some(Hit { t: self.crossing(ray, distance, before, (t, value)), is_section: false });
            }
            before = (t, value);
            t += match spot.state {
                CellState::Boundary => value.abs().max(MIN_STEP * spot.scale),
                _ => leaving(ray, &spot, t),
            };
        }
        None
    }

    /// Where the ray enters and leaves the grid, and whether it enters through the cut.
    fn span(&self, ray: &Ray) -> Option<(f32, f32, bool)> {
        let size = self.grid.size();
        let (mut from, mut to) = (0.0_f32, f32::MAX);
        for axis in 0..3 {
            let inverse = 1.0 / ray.direction[axis];
            let (a, b) = ((0.0 - ray.origin[axis]) * inverse, (size[axis] as f32 - ray.origin[axis]) * inverse);
            // A NaN is a ray in a face: the other bound stays.
            (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
        }
        from += 1e-3;
        to -= 1e-3;
        let mut is_cut = false;
        if let Some([x, y, z, w]) = ray.cut {
            let dot = |v: [f32; 3]| x * v[0] + y * v[1] + z * v[2];
            let (height, slope) = (dot(ray.origin) + w, dot(ray.direction));
            let at = -height / slope;
            if slope > 0.0 {
                is_cut = at > from;
                from = from.max(at);
            } else if slope < 0.0 {
                to = to.min(at);
            } else if height < 0.0 {
                return None;
            }
        }
        (from < to).then_some((from, to, is_cut))
    }

    /// How far a spot is from the offset, in spacings; negative inside.
    #[inline]
    fn value(&self, spot: &Spot, distance: f32) -> f32 {
        match spot.state {
            CellState::Boundary => self.interpolated(spot) - distance,
            CellState::Full => -FAR,
            CellState::Empty | CellState::Branch => FAR,
        }
    }

    /// Where the offset lies between a point outside and one inside, given with their values.
    fn crossing(&self, ray: &Ray, distance: f32, mut outside: (f32, f32), mut inside: (f32, f32)) -> f32 {
        for _ in 0..CORRECTIONS {
            let t = between(outside, inside);
            let value = self.spot(point(ray, t)).map_or(FAR, |spot| self.value(&spot, distance));
            if value < 0.0 { inside = (t, value) } else { outside = (t, value) }
        }
        between(outside, inside)
    }
}

#[inline]
fn between(outside: (f32, f32), inside: (f32, f32)) -> f32 {
    let share = if outside.1 - inside.1 < FAR { outside.1 / (outside.1 - inside.1) } else { 0.5 };
    outside.0 + share * (inside.0 - outside.0)
}

#[inline]
fn point(ray: &Ray, t: f32) -> [f32; 3] {
    std::array::from_fn(|axis| ray.origin[axis] + t * ray.direction[axis])
}

/// Distance from `t` to just beyond the node of a spot.
fn leaving(ray: &Ray, spot: &Spot, t: f32) -> f32 {
    let edge = spot.scale * BRICK as f32;
    let mut out = f32::MAX;
    for axis in 0..3 {
        let inverse = 1.0 / ray.direction[axis];
        let (a, b) =
            ((spot.min[axis] - ray.origin[axis]) * inverse, (spot.min[axis] + edge - ray.origin[axis]) * inverse);
        out = out.min(a.max(b));
    }
    (out - t).max(0.0) + 0.01 * spot.scale
}
