//! The skin of a part of overlapping shells: what of their facets lies inside no other one.
//!
//! Facets that another shell cuts are divided until their pieces are small; a piece counts as exposed where any of it is.
//! Whether a point is, the winding number just above it says (Jacobson, Kavan and Sorkine-Hornung 2013).

use rayon::prelude::*;

use super::shells::Shells;
use super::winding_number::WindingNumbers;
use super::{Mesh, Point, Surface, Vector, triangle};

/// How far above a facet its outside begins, in diagonals of the part.
const ABOVE: f64 = 1e-8;
/// How far within a piece its corners are looked at, as a share of it: on its edges it may be seen from both sides.
const WITHIN: f64 = 1e-3;
/// Cosine of the angle up to which facets of two shells that meet lie in one plane, and their distance, in diagonals.
const COPLANAR: f64 = 1.0 - 1e-9;
const TOUCHING: f64 = 1e-6;
/// Most pieces; beyond, those that are left stay as large as they are.
const MAX_PIECES: usize = 2_000_000;

/// The exposed pieces of `surface`, none that another shell cuts larger than `max_edge_mm`. Its shells must be closed and face
/// outward. Neighbouring pieces share no vertices.
pub fn skin(surface: &Surface, max_edge_mm: f64) -> Mesh {
    let shells = Shells::of(surface.mesh(), surface.topology());
    let search = Search {
        surface,
        winding: WindingNumbers::new(surface),
        shells,
        diagonal_mm: surface.bounds().diagonal(),
        is_shared: surface.topology().non_manifold_edges > 0,
    };
    let piece = |facet: usize| Piece { corners: surface.mesh().corners(facet), facet: facet as u32 };
    let mut pieces: Vec<Piece> = (0..surface.mesh().facets.len()).map(piece).collect();
    let mut skin = Mesh::default();
    while !pieces.is_empty() {
        let views: Vec<View> = pieces.par_iter().map(|own| search.view(own)).collect();
        let is_full = skin.facets.len() + 2 * pieces.len() > MAX_PIECES;
        let mut halves = Vec::new();
        for (own, view) in pieces.iter().zip(views) {
            match view {
                View::Covered => {}
                View::Exposed => add(&mut skin, own),
                View::Cut { is_exposed } if is_full || own.longest().1 <= max_edge_mm => {
                    if is_exposed {
                        add(&mut skin, own);
                    }
                }
                View::Cut { .. } => halves.extend(own.halves()),
            }
        }
        pieces = halves;
    }
    skin
}

fn add(mesh: &mut Mesh, piece: &Piece) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(piece.corners);
    mesh.facets.push([first, first + 1, first + 2]);
}

/// A piece of a facet.
#[derive(Clone, Copy)]
struct Piece {
    corners: [Point; 3],
    facet: u32,
}

impl Piece {
    /// Its longest edge, by the number of its first corner, and how long that is, mm.
    fn longest(&self) -> (usize, f64) {
        let length = |edge: usize| (self.corners[(edge + 1) % 3] - self.corners[edge]).norm();
        (0..3).map(|edge| (edge, length(edge))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }

    /// Both halves beside the middle of its longest edge.
    fn halves(self) -> [Self; 2] {
        let (edge, _) = self.longest();
        let (next, last) = ((edge + 1) % 3, (edge + 2) % 3);
        let middle = nalgebra::center(&self.corners[edge], &self.corners[next]);
        let of = |a: Point, b: Point| Self { corners: [a, b, self.corners[last]], facet: self.facet };
        [of(self.corners[edge], middle), of(middle, self.corners[next])]
    }
}

/// What is seen of a piece from outside.
enum View {
    Exposed,
    Covered,
    /// Some of it may be exposed and some not; whether any was seen.
    Cut {
        is_exposed: bool,
    },
}

struct Search<'a> {
    surface: &'a Surface,
    winding: WindingNumbers<'a>,
    shells: Shells,
    diagonal_mm: f64,
    /// Whether edges have more than two facets.
    is_shared: bool,
}

impl Search<'_> {
    fn view(&self, piece: &Piece) -> View {
        let centroid = triangle::centroid(&piece.corners);
        let normal = self.surface.mesh().normal(piece.facet as usize);
        let is_exposed = |at: &Point| self.winding.at(&(at + normal * (ABOVE * self.diagonal_mm))) < 0.5;
        let corners = piece.corners.map(|corner| corner + (centroid - corner) * WITHIN);
        let seen = corners.iter().chain([&centroid]).filter(|at| is_exposed(at)).count();
        let is_uniform = (seen == 0 || seen == 4) && !self.is_met(piece, &centroid, &normal);
        match (is_uniform, seen) {
            (true, 0) => View::Covered,
            (true, _) => View::Exposed,
            (false, seen) => View::Cut { is_exposed: seen > 0 },
        }
    }

    /// Whether another shell comes so near that it may cut the piece, and does not only lie on it.
    fn is_met(&self, piece: &Piece, centroid: &Point, normal: &Vector) -> bool {
        let reach_mm = piece.corners.iter().map(|corner| (corner - centroid).norm()).fold(0.0, f64::max);
        let own = self.shells.of_facet[piece.facet as usize];
        let mesh = self.surface.mesh();
        let corners = mesh.facets[piece.facet as usize];
        let is_other = |facet: u32| {
            let lies_on = || {
                let height_mm = (mesh.corners(facet as usize)[0] - centroid).dot(normal).abs();
                mesh.normal(facet as usize).dot(normal).abs() > COPLANAR && height_mm < TOUCHING * self.diagonal_mm
            };
            // Bodies whose vertices are shared may hang together as one shell.
            let is_neighbour = || mesh.facets[facet as usize].iter().any(|corner| corners.contains(corner));
            let is_apart = self.shells.of_facet[facet as usize] != own || (self.is_shared && !is_neighbour());
            is_apart && !lies_on()
        };
        self.surface.closest_point_where(centroid, reach_mm, is_other).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn cuboids(boxes: &[[[f64; 3]; 2]]) -> Surface {
        let mut mesh = Mesh::default();
        boxes.iter().for_each(|[min, max]| mesh.append(&shapes::cuboid(Point::from(*min), Point::from(*max))));
        Surface::new(mesh)
    }

    #[test]
    fn what_lies_inside_another_shell_is_no_skin() {
        // Two cubes of 10 mm that share 5 x 7 x 8 mm: of each, three faces are covered by so much.
        let both = cuboids(&[[[-5.0; 3], [5.0; 3]], [[0.0, -2.0, -3.0], [10.0, 8.0, 7.0]]]);
        for edge_mm in [0.5, 0.1] {
            let skin = skin(&both, edge_mm);
            let (x, y, z) = (5.0, 7.0, 8.0);
            let wanted = 1200.0 - 2.0 * (x * y + y * z + z * x);
            // Pieces along the seam count whole.
            let seam_mm = 2.0 * 2.0 * (x + y + z);
            let excess = skin.area_mm2() - wanted;
            assert!(excess > -1e-6 && excess < seam_mm * edge_mm, "{edge_mm}: {excess}");
        }
        // Bars that touch face to face: what they share is no skin, whatever their facets.
        let touching = cuboids(&[[[0.0; 3], [40.0, 30.0, 20.0]], [[0.0, 0.0, 20.0], [40.0, 30.0, 30.0]]]);
        assert!((skin(&touching, 0.5).area_mm2() - 2.0 * (1200.0 + 1200.0 + 900.0)).abs() < 1e-6);
        // A cavity and a part beside are.
        let mut cavity = shapes::cuboid(Point::new(-2.0, -2.0, -2.0), Point::new(2.0, 2.0, 2.0));
        cavity.flip();
        let mut hollow = shapes::cuboid(Point::new(-5.0, -5.0, -5.0), Point::new(5.0, 5.0, 5.0));
        hollow.append(&cavity);
        assert!((skin(&Surface::new(hollow), 0.5).area_mm2() - 696.0).abs() < 1e-6);
    }
}
