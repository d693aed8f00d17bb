//! The facet nearest to each cell of a lattice about a surface: closest points in constant time, wrong by no more than the
//! diagonal of a cell. For poses that are tried by the hundred.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::surface::NO_FACET;
use super::topology::NO_NEIGHBOUR;
use super::triangle::{self, Feature};
use super::{Point, Surface, Vector};

/// Cells along the longest side of the surface.
const CELLS: f64 = 72.0;
/// Edge of the blocks of cells that are left out together.
const BLOCK: usize = 6;

/// A facet of the lattice; `LatticeFacet` of pose_refinement.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct LatticeFacet {
    /// Coordinates of its corners, mm.
    pub corners: [[f64; 3]; 3],
    /// Unit normal by the right-hand rule.
    pub normal: [f64; 3],
    /// Unit normal of the facet across each edge; its own at a border.
    pub across: [[f64; 3]; 3],
}

/// The lattice.
#[derive(Clone, Debug)]
pub struct NearestFacets {
    /// Corner of the first cell.
    pub origin: Point,
    /// Cells per mm.
    pub cells_per_mm: f64,
    /// Number of cells along x, y, z.
    pub size: [u32; 3],
    /// Index into `facets` by cell, x fastest; [`NO_FACET`] beyond reach.
    pub cells: Vec<u32>,
    /// The facets that are nearest to some cell.
    pub facets: Vec<LatticeFacet>,
}

/// Point of a surface near a query.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// From that point to the query, mm.
    pub away: Vector,
    /// Squared distance, mm².
    pub squared_mm2: f64,
    /// Whether the point lies inside its facet, not on its rim.
    pub is_inside: bool,
    /// Unit normal of its facet.
    pub normal: Vector,
    /// Unit normals of the facets across the edges on which the point lies; its own where there are none.
    pub across: [Vector; 2],
}

impl Near {
    /// Cosine of the angle between a unit direction and the surface there: on the rim of its facet the greatest of the normals
    /// that meet there, since which of them was taken says nothing. Without signs unless `oriented`.
    #[inline]
    pub fn cosine(&self, direction: &Vector, oriented: bool) -> f64 {
        let cosine = |normal: &Vector| if oriented { normal.dot(direction) } else { normal.dot(direction).abs() };
        cosine(&self.normal).max(cosine(&self.across[0])).max(cosine(&self.across[1]))
    }
}

impl NearestFacets {
    /// The lattice of a surface, as far as `reach_mm` from it.
    pub fn new(surface: &Surface, reach_mm: f64) -> Self {
        let bounds = surface.bounds();
        let cell_mm = (bounds.size().max() / CELLS).max(f64::MIN_POSITIVE);
        let origin = bounds.min - Vector::repeat(reach_mm);
        let size = bounds.size().map(|side| ((side + 2.0 * reach_mm) / cell_mm).ceil().max(1.0) as u32);
        let size: [u32; 3] = size.into();
        let blocks = size.map(|cells| (cells as usize).div_ceil(BLOCK));
        let centre_of = |cell: [f64; 3]| origin + Vector::from(cell) * cell_mm;
        let diagonal_mm = 3.0_f64.sqrt() * cell_mm;
        let of_block = |block: usize| {
            let first = [block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]];
            let first = first.map(|at| at * BLOCK);
            let middle = centre_of(first.map(|at| (at + BLOCK / 2) as f64));
            let mut found = Vec::new();
            if surface.closest_point(&middle, reach_mm + (BLOCK as f64) * diagonal_mm).is_none() {
                return found;
            }
            let [xs, ys, zs] = [0, 1, 2].map(|axis| first[axis]..(first[axis] + BLOCK).min(size[axis] as usize));
            for (z, y) in zs.flat_map(|z| ys.clone().map(move |y| (z, y))) {
                let mut last = None;
                for x in xs.clone() {
                    let centre = centre_of([x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5]);
                    let hit = surface.closest_point_from(&centre, reach_mm + diagonal_mm, last);
                    last = hit.map(|hit| hit.facet);
                    let cell = x + size[0] as usize * (y + size[1] as usize * z);
                    found.extend(last.map(|facet| (cell, facet)));
                }
            }
            found
        };
        let blocks: Vec<Vec<(usize, u32)>> = (0..blocks.iter().product()).into_par_iter().map(of_block).collect();
        let mut number_of = vec![NO_FACET; surface.mesh().facets.len()];
        let mut cells = vec![NO_FACET; size.iter().map(|&side| side as usize).product()];
        let mut facets = Vec::new();
        for (cell, facet) in blocks.into_iter().flatten() {
            let number = &mut number_of[facet as usize];
            if *number == NO_FACET {
                *number = facets.len() as u32;
                let corners = surface.mesh().corners(facet as usize);
                let neighbours = surface.topology().neighbours[facet as usize];
                let across = neighbours.map(|own| if own == NO_NEIGHBOUR { facet } else { own });
                facets.push(LatticeFacet {
                    corners: corners.map(|corner| corner.coords.into()),
                    normal: triangle::normal(&corners).into(),
                    across: across.map(|own| triangle::normal(&surface.mesh().corners(own as usize)).into()),
                });
            }
            cells[cell] = *number;
        }
        Self { origin, cells_per_mm: 1.0 / cell_mm, size, cells, facets }
    }

    /// By how much a distance found may be too large, mm: the facet nearest to the middle of a cell was taken for one at
    /// the query. None is too small.
    pub fn error_mm(&self) -> f64 {
        3.0_f64.sqrt() / self.cells_per_mm
    }

    /// The point near a query, in the frame of the surface; `None` beyond reach.
    #[inline]
    pub fn near(&self, query: &Point) -> Option<Near> {
        let at = (query - self.origin) * self.cells_per_mm;
        let is_inside = (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < f64::from(self.size[axis]));
        if !is_inside {
            return None;
        }
        let [x, y, z] = [at.x as usize, at.y as usize, at.z as usize];
        let cell = x + self.size[0] as usize * (y + self.size[1] as usize * z);
        let facet = self.facets.get(*self.cells.get(cell)? as usize)?;
        let (point, feature) = triangle::closest_point(query, &facet.corners.map(Point::from));
        let away = query - point;
        let [first, second] = match feature {
            Feature::Face => [&facet.normal; 2],
            Feature::Edge(edge) => [&facet.across[usize::from(edge)]; 2],
            Feature::Vertex(corner) => [0, 2].map(|before| &facet.across[(usize::from(corner) + before) % 3]),
        };
        Some(Near {
            away,
            squared_mm2: away.dot(&away),
            is_inside: feature == Feature::Face,
            normal: Vector::from(facet.normal),
            across: [Vector::from(*first), Vector::from(*second)],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use base::random::Random;

    #[test]
    fn distances_are_those_of_the_surface_to_a_cell() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.append(&shapes::cuboid(Point::new(-50.0, -4.0, 12.0), Point::new(50.0, 4.0, 15.0)));
        let surface = Surface::new(mesh);
        let reach_mm = 6.0;
        let lattice = NearestFacets::new(&surface, reach_mm);
        let mut random = Random::new(4, 0);
        let (mut compared, mut sum_mm) = (0, 0.0);
        for _ in 0..20_000 {
            let draw = [0, 1, 2].map(|_| random.range(-60.0, 60.0));
            let query = Point::new(draw[0], draw[1], 0.4 * draw[2]);
            let found = lattice.near(&query);
            match surface.closest_point(&query, reach_mm) {
                Some(hit) => {
                    let off_mm = found.unwrap().squared_mm2.sqrt() - hit.distance_mm;
                    assert!((-1e-9..lattice.error_mm()).contains(&off_mm), "{query} {off_mm}");
                    compared += 1;
                    sum_mm += off_mm;
                }
                None => assert!(found.is_none_or(|near| near.squared_mm2.sqrt() > reach_mm - 1e-9)),
            }
        }
        assert!(compared > 2000);
        let mean_mm = sum_mm / f64::from(compared);
        assert!(mean_mm < 0.05 * lattice.error_mm(), "{mean_mm}");
    }
}
