//! Repair of a mesh before use: cracks are closed and closed shells are oriented by their nesting.

use super::winding::{self, Orientation};
use super::{Mesh, Surface, cracks};

/// A repaired mesh, and what was changed.
pub struct Repaired {
    /// The repaired mesh, ready for searches.
    pub surface: Surface,
    /// Number of boundary vertices merged because only rounding kept them apart.
    pub closed_cracks: usize,
    /// Shells reoriented, and those whose orientation could not be decided.
    pub orientation: Orientation,
}

/// Repairs `mesh`. Deterministic, so a project need not store the repaired facets.
pub fn repair(mesh: Mesh) -> Repaired {
    let (surface, closed_cracks) = without_cracks(Surface::new(mesh));
    let (surface, orientation) = winding::orient(surface);
    let surface = surface.with_overlaps(orientation.undecided > 0);
    Repaired { surface, closed_cracks, orientation }
}

fn without_cracks(surface: Surface) -> (Surface, usize) {
    if surface.topology().open_edges == 0 {
        return (surface, 0);
    }
    let mut mesh = surface.mesh().clone();
    match cracks::close(&mut mesh, surface.topology()) {
        0 => (surface, 0),
        merged => (Surface::new(mesh), merged),
    }
}
