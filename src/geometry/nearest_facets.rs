//! The facets that may be the nearest in each cell of a lattice about a surface: exact closest points from a short list. For
//! poses that are tried by the hundred.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::surface::{NO_FACET, SurfaceHit};
use super::topology::NO_NEIGHBOUR;
use super::triangle::{self, Feature};
use super::{Point, Surface, Vector, identifier};

/// Cells along the longest side of the surface.
const CELLS: f64 = 72.0;
/// Edge of the blocks of cells that are left out together.
const BLOCK: usize = 6;

/// Most candidates of a cell: a mesh of millions of facets must not fill the memory. Where more may be the nearest, only the
/// first is kept, and the surface itself is asked.
const MAX_CANDIDATES: usize = 128;
/// Stands for all others where there are too many of them.
const TOO_MANY: Candidate = Candidate { facet: u32::MAX, from_middle_mm: 0.0 };

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

/// A facet that may be the nearest to a position in a cell; `Candidate` of pose_refinement.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Candidate {
    /// Index into the facets of the lattice.
    pub facet: u32,
    /// Its distance from the middle of the cell or somewhat less, mm.
    pub from_middle_mm: f32,
}

/// The lattice.
#[derive(Debug)]
pub struct NearestFacets<'a> {
    id: u64,
    surface: &'a Surface,
    is_complete: bool,
    origin: Point,
    cell_mm: f64,
    size: [u32; 3],
    starts: Vec<u32>,
    candidates: Vec<Candidate>,
    facets: Vec<LatticeFacet>,
}

/// Facets and their distances from the middle of a cell, mm.
type Distant = Vec<(u32, f32)>;

/// The facets that may be the nearest to a position up to half a diagonal from a middle, nearest first, with their distances
/// from the middle, mm. `nearest`: the nearest to the middle; alone if there are too many.
fn may_be_nearest(surface: &Surface, middle: &Point, half_diagonal_mm: f64, nearest: &SurfaceHit) -> Distant {
    // The nearest to the middle is at most half a diagonal farther from the position, and any other that is nearer to that at
    // most half a diagonal farther from the middle.
    let limit_mm = (nearest.distance_mm + 2.0 * half_diagonal_mm) * (1.0 + 1e-9);
    let Some(mut near) = surface.facets_within(middle, limit_mm, MAX_CANDIDATES) else {
        return vec![(nearest.facet, nearest.distance_mm as f32), (TOO_MANY.facet, TOO_MANY.from_middle_mm)];
    };
    near.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    near.into_iter().map(|(facet, distance_mm)| (facet, distance_mm as f32)).collect()
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

impl LatticeFacet {
    fn new(surface: &Surface, facet: u32) -> Self {
        let corners = surface.mesh().corners(facet as usize);
        let neighbours = surface.topology().neighbours[facet as usize];
        let across = neighbours.map(|own| if own == NO_NEIGHBOUR { facet } else { own });
        Self {
            corners: corners.map(|corner| corner.coords.into()),
            normal: triangle::normal(&corners).into(),
            across: across.map(|own| triangle::normal(&surface.mesh().corners(own as usize)).into()),
        }
    }
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

impl<'a> NearestFacets<'a> {
    /// The lattice of a surface, as far as `reach_mm` from it. Its distances are exact up to `exact_mm`; beyond they may be too
    /// large, by at most the diagonal of a cell.
    pub fn new(surface: &'a Surface, exact_mm: f64, reach_mm: f64) -> Self {
        let bounds = surface.bounds();
        let cell_mm = (bounds.size().max() / CELLS).max(f64::MIN_POSITIVE);
        let origin = bounds.min - Vector::repeat(reach_mm);
        let size = bounds.size().map(|side| ((side + 2.0 * reach_mm) / cell_mm).ceil().max(1.0) as u32);
        let size: [u32; 3] = size.into();
        let blocks = size.map(|cells| (cells as usize).div_ceil(BLOCK));
        let middle_of = |cell: [f64; 3]| origin + Vector::from(cell) * cell_mm;
        let half_diagonal_mm = 0.5 * 3.0_f64.sqrt() * cell_mm;
        let of_block = |block: usize| {
            let first = [block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]];
            let first = first.map(|at| at * BLOCK);
            let middle = middle_of(first.map(|at| (at + BLOCK / 2) as f64));
            let mut found = Vec::new();
            if surface.closest_point(&middle, reach_mm + (BLOCK as f64) * half_diagonal_mm).is_none() {
                return found;
            }
            let [xs, ys, zs] = [0, 1, 2].map(|axis| first[axis]..(first[axis] + BLOCK).min(size[axis] as usize));
            for (z, y) in zs.flat_map(|z| ys.clone().map(move |y| (z, y))) {
                let mut last = None;
                for x in xs.clone() {
                    let middle = middle_of([x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5]);
                    let hit = surface.closest_point_from(&middle, reach_mm + half_diagonal_mm, last);
                    last = hit.map(|hit| hit.facet);
                    let Some(hit) = hit else { continue };
                    let near = match hit.distance_mm <= exact_mm + half_diagonal_mm {
                        true => may_be_nearest(surface, &middle, half_diagonal_mm, &hit),
                        false => vec![(hit.facet, hit.distance_mm as f32)],
                    };
                    let cell = x + size[0] as usize * (y + size[1] as usize * z);
                    found.push((cell, near));
                }
            }
            found
        };
        let blocks: Vec<Vec<(usize, Distant)>> = (0..blocks.iter().product()).into_par_iter().map(of_block).collect();
        let mut number_of = vec![NO_FACET; surface.mesh().facets.len()];
        let cell_count: usize = size.iter().map(|&side| side as usize).product();
        let mut of_cell: Vec<&[(u32, f32)]> = vec![&[]; cell_count];
        for (cell, near) in blocks.iter().flatten() {
            of_cell[*cell] = near;
        }
        let (mut starts, mut candidates, mut facets) = (vec![0], Vec::new(), Vec::new());
        for near in of_cell {
            for &(facet, distance_mm) in near {
                if facet == TOO_MANY.facet {
                    candidates.push(TOO_MANY);
                    continue;
                }
                let number = &mut number_of[facet as usize];
                if *number == NO_FACET {
                    *number = facets.len() as u32;
                    facets.push(LatticeFacet::new(surface, facet));
                }
                candidates.push(Candidate { facet: *number, from_middle_mm: distance_mm * (1.0 - 1e-6) });
            }
            starts.push(candidates.len() as u32);
        }
        let is_complete = !candidates.contains(&TOO_MANY);
        Self { id: identifier::next(), surface, is_complete, origin, cell_mm, size, starts, candidates, facets }
    }

    /// Identifier, unique within the process; key of data cached elsewhere for this lattice.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether its lists alone tell the nearest; otherwise the surface is asked too, and only the first of each list tells
    /// about the nearest by itself.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Corner of the first cell.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// Edge of a cell, mm.
    pub fn cell_mm(&self) -> f64 {
        self.cell_mm
    }

    /// Number of cells along x, y, z.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// By cell, x fastest, the index of its first candidate; that of the next cell is behind its last one.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The candidates of all cells, by distance from the middle of their cell; none beyond reach.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The facets that may be the nearest to some position.
    pub fn facets(&self) -> &[LatticeFacet] {
        &self.facets
    }

    /// The point nearest to a query, in the frame of the surface; `None` if it is farther than `limit_mm` or beyond reach.
    #[inline]
    pub fn nearest(&self, query: &Point, limit_mm: f64) -> Option<Near> {
        let (candidates, off_mm) = self.candidates_at(query)?;
        let (first, others) = candidates.split_first()?;
        if f64::from(first.from_middle_mm) - off_mm > limit_mm {
            return None;
        }
        if others.first() == Some(&TOO_MANY) {
            let hit = self.surface.closest_point(query, limit_mm)?;
            return Some(self.of_surface(query, &hit));
        }
        let mut best = self.on_facet(query, first.facet);
        for other in others {
            // No nearer to the query than that, as all that follow.
            let least_mm = f64::from(other.from_middle_mm) - off_mm;
            if least_mm > 0.0 && least_mm * least_mm > best.squared_mm2 {
                break;
            }
            let own = self.on_facet(query, other.facet);
            if own.squared_mm2 < best.squared_mm2 {
                best = own;
            }
        }
        (best.squared_mm2 <= limit_mm * limit_mm).then(|| near(best))
    }

    /// As [`Self::nearest`], on the facet nearest to the middle of the cell: its distance may be too large, by at most the
    /// diagonal of a cell.
    #[inline]
    pub fn about_nearest(&self, query: &Point) -> Option<Near> {
        let (candidates, _) = self.candidates_at(query)?;
        Some(near(self.on_facet(query, candidates.first()?.facet)))
    }

    /// Whether the surface is within a distance of a query.
    pub fn is_within(&self, query: &Point, limit_mm: f64) -> bool {
        let Some((candidates, off_mm)) = self.candidates_at(query) else { return false };
        let may_be = |own: &&Candidate| f64::from(own.from_middle_mm) - off_mm <= limit_mm;
        let is_near = |own: &Candidate| self.on_facet(query, own.facet).squared_mm2 <= limit_mm * limit_mm;
        if candidates.get(1) == Some(&TOO_MANY) {
            let Some(first) = candidates.first().filter(may_be) else { return false };
            return is_near(first) || self.surface.closest_point(query, limit_mm).is_some();
        }
        candidates.iter().take_while(may_be).any(is_near)
    }

    /// The candidates in the cell of a query, and its distance from the middle of the cell, mm; `None` beyond the lattice.
    #[inline]
    fn candidates_at(&self, query: &Point) -> Option<(&[Candidate], f64)> {
        let at = (query - self.origin) / self.cell_mm;
        let is_inside = (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < f64::from(self.size[axis]));
        if !is_inside {
            return None;
        }
        let [x, y, z] = [at.x as usize, at.y as usize, at.z as usize];
        let cell = x + self.size[0] as usize * (y + self.size[1] as usize * z);
        let [from, to] = [*self.starts.get(cell)?, *self.starts.get(cell + 1)?];
        let off = at - Vector::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5);
        Some((self.candidates.get(from as usize..to as usize)?, off.dot(&off).sqrt() * self.cell_mm))
    }

    #[inline]
    fn on_facet(&self, query: &Point, facet: u32) -> OnFacet<'_> {
        let facet = &self.facets[facet as usize];
        let (point, feature) = triangle::closest_point(query, &facet.corners.map(Point::from));
        let away = query - point;
        OnFacet { facet, away, squared_mm2: away.dot(&away), feature }
    }

    /// The point that a search of the surface found.
    fn of_surface(&self, query: &Point, hit: &SurfaceHit) -> Near {
        let facet = LatticeFacet::new(self.surface, hit.facet);
        let away = query - hit.point;
        near(OnFacet { facet: &facet, away, squared_mm2: away.dot(&away), feature: hit.feature })
    }
}

#[inline]
fn near(own: OnFacet<'_>) -> Near {
    let OnFacet { facet, away, squared_mm2, feature } = own;
    let [first, second] = match feature {
        Feature::Face => [&facet.normal; 2],
        Feature::Edge(edge) => [&facet.across[usize::from(edge)]; 2],
        Feature::Vertex(corner) => [0, 2].map(|before| &facet.across[(usize::from(corner) + before) % 3]),
    };
    Near {
        away,
        squared_mm2,
        is_inside: feature == Feature::Face,
        normal: Vector::from(facet.normal),
        across: [Vector::from(*first), Vector::from(*second)],
    }
}

/// The point of a facet that is nearest to a query.
struct OnFacet<'a> {
    facet: &'a LatticeFacet,
    away: Vector,
    squared_mm2: f64,
    feature: Feature,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;
    use crate::mesh::shapes;
    use base::random::Random;

    #[test]
    fn distances_are_those_of_the_surface() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.append(&shapes::cuboid(Point::new(-50.0, -4.0, 12.0), Point::new(50.0, 4.0, 15.0)));
        distances_are_those_of(mesh, true);
    }

    #[test]
    fn distances_are_those_of_a_surface_of_very_many_facets() {
        distances_are_those_of(shapes::torus(30.0, 12.0, 900, 300), false);
    }

    fn distances_are_those_of(mesh: Mesh, is_complete: bool) {
        let surface = Surface::new(mesh);
        let (exact_mm, reach_mm) = (4.0, 6.0);
        let lattice = NearestFacets::new(&surface, exact_mm, reach_mm);
        assert_eq!(lattice.is_complete(), is_complete);
        let diagonal_mm = 3.0_f64.sqrt() * lattice.cell_mm;
        let mut random = Random::new(4, 0);
        let mut compared = 0;
        for _ in 0..20_000 {
            let draw = [0, 1, 2].map(|_| random.range(-60.0, 60.0));
            let query = Point::new(draw[0], draw[1], 0.4 * draw[2]);
            let found = lattice.nearest(&query, reach_mm);
            let is_within = |limit_mm: f64| lattice.is_within(&query, limit_mm);
            match surface.closest_point(&query, reach_mm) {
                Some(hit) => {
                    if hit.distance_mm <= exact_mm {
                        assert!((found.unwrap().squared_mm2.sqrt() - hit.distance_mm).abs() < 1e-12, "{query}");
                    }
                    let about_mm = lattice.about_nearest(&query).unwrap().squared_mm2.sqrt();
                    assert!((-1e-12..diagonal_mm).contains(&(about_mm - hit.distance_mm)));
                    assert!(hit.distance_mm > exact_mm || is_within(hit.distance_mm + 1e-9));
                    assert!(!is_within(hit.distance_mm - 1e-9));
                    compared += i32::from(hit.distance_mm <= exact_mm);
                }
                None => assert!(found.is_none()),
            }
        }
        assert!(compared > 2000);
    }
}
