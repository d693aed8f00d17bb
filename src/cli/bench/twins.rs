//! Twins of parts: mirrored, in other sizes, and with one feature changed, for scenes in which the part itself is absent.
#![expect(clippy::indexing_slicing, reason = "axes are 0 to 2")]

use geometry::{Mesh, Point, Surface};

/// Sizes of scaled twins, over that of the part.
const SCALES: [f64; 4] = [0.9, 0.95, 1.05, 1.1];
/// By how much a feature is longer, as a share of the extent of the part.
const LONGER: [f64; 2] = [0.05, 0.1];

/// A twin of a part.
pub struct Twin {
    /// What tells it from the part.
    pub kind: String,
    /// Its surface.
    pub surface: Surface,
}

/// The twins of a part; the mirror image may be the part itself.
pub fn of(mesh: &Mesh) -> Vec<Twin> {
    let mut twins = Vec::new();
    let mut add = |kind: String, mesh: Mesh| twins.push(Twin { kind, surface: Surface::new(mesh) });
    let mut mirrored = mesh.clone();
    mirrored.vertices.iter_mut().for_each(|vertex| vertex.x = -vertex.x);
    mirrored.flip();
    add("mirrored".to_owned(), mirrored);
    for scale in SCALES {
        let mut scaled = mesh.clone();
        scaled.scale(scale);
        add(format!("{scale} of its size"), scaled);
    }
    for share in LONGER {
        for axis in 0..3 {
            add(format!("{:.0} % longer along {}", 100.0 * share, ["x", "y", "z"][axis]), longer(mesh, axis, share));
        }
    }
    twins
}

/// A mesh with all that lies beyond the widest gap between its vertices along an axis moved away, by a share of its extent: a
/// step is higher, a flange longer, and what lies on it is displaced.
fn longer(mesh: &Mesh, axis: usize, share: f64) -> Mesh {
    let along = |vertex: &Point| vertex.coords[axis];
    let mut levels: Vec<f64> = mesh.vertices.iter().map(along).collect();
    levels.sort_by(f64::total_cmp);
    let (low, high) = (levels.first().copied().unwrap_or(0.0), levels.last().copied().unwrap_or(0.0));
    let gaps = levels.iter().zip(levels.iter().skip(1));
    let widest = gaps.max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let middle = widest.map_or(low, |(below, above)| 0.5 * (below + above));
    let mut longer = mesh.clone();
    for vertex in longer.vertices.iter_mut().filter(|vertex| along(vertex) > middle) {
        vertex.coords[axis] += share * (high - low);
    }
    longer
}
