//! What a mesh needs before it is searched: cracks closed, shells facing as they lie in each other.

use super::winding::{self, Orientation};
use super::{Mesh, Surface, cracks};

/// A mesh ready for search, and what was done to it.
pub struct Repaired {
    /// The surface.
    pub surface: Surface,
    /// Corners that were joined where rounding had kept them apart.
    pub closed_cracks: usize,
    /// Shells that were turned, and those of which nobody can say which way they face.
    pub orientation: Orientation,
}

/// Repairs `mesh`. The same mesh gives the same facets, so that a project need not keep them.
pub fn repair(mesh: Mesh) -> Repaired {
    let (surface, closed_cracks) = without_cracks(Surface::new(mesh));
    let (surface, orientation) = winding::orient(surface);
    Repaired { surface, closed_cracks, orientation }
}

fn without_cracks(surface: Surface) -> (Surface, usize) {
    if surface.topology().open_edges == 0 {
        return (surface, 0);
    }
    let mut mesh = surface.mesh().clone();
    match cracks::close(&mut mesh, surface.topology()) {
        0 => (surface, 0),
        joined => (Surface::new(mesh), joined),
    }
}
