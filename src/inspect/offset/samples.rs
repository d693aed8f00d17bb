//! Points of the skin of a part, spread evenly by area, at least one on each facet of a mesh of few.

use base::random::{Random, mix};
use geometry::{Point, Surface, Vector, triangle};

/// A point of the skin, and how much of it that stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SkinSample {
    /// Position, mm.
    pub at: Point,
    /// Outward unit normal.
    pub normal: Vector,
    /// Area, mm².
    pub area_mm2: f64,
}

/// About `count` points of a surface. Where they lie on a facet follows from where that lies, so that the order of facets and
/// of their corners does not matter.
pub(super) fn of(surface: &Surface, count: usize) -> Vec<SkinSample> {
    let mesh = surface.mesh();
    let area_mm2 = mesh.area_mm2();
    if !(area_mm2 > 0.0 && area_mm2.is_finite()) {
        return Vec::new();
    }
    let each = usize::from(mesh.facets.len() <= count);
    let mut samples = Vec::new();
    for facet in 0..mesh.facets.len() {
        let mut corners = mesh.corners(facet);
        let (normal, own_mm2) = (triangle::normal(&corners), 0.5 * triangle::area_vector(&corners).norm());
        corners.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        let key = corners.iter().flat_map(|own| own.iter()).fold(0_u64, |key, value| mix(key ^ value.to_bits()));
        let mut random = Random::new(29, key);
        let wanted = count as f64 * own_mm2 / area_mm2;
        let own = ((wanted + random.uniform()) as usize).max(each);
        for _ in 0..own {
            let (mut u, mut v) = (random.uniform(), random.uniform());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let at = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
            let of_each = if each == 1 { own_mm2 / own as f64 } else { area_mm2 / count as f64 };
            samples.push(SkinSample { at, normal, area_mm2: of_each });
        }
    }
    samples
}
