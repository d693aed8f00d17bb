//! Generalised winding numbers: how often a surface surrounds a point, also of surfaces with gaps, overlaps or doubled
//! facets.
//!
//! After Jacobson, Kavan and Sorkine-Hornung 2013; distant facets are summed by dipoles as in Barill et al., "Fast
//! winding numbers for soups and clouds" (2018).

use super::tree::{LEAF_BIT, NO_CHILD};
use super::{Point, Surface, Vector, triangle};

/// Distance in radii of a group of facets from which on its dipole stands for it: an error below 0.01 in all.
const DIPOLE_FROM: f64 = 3.0;

/// A surface prepared for winding numbers.
pub struct WindingNumbers<'a> {
    surface: &'a Surface,
    /// Per node and child.
    dipoles: Vec<[Dipole; 8]>,
}

/// A group of facets as seen from afar.
#[derive(Clone, Copy, Debug)]
struct Dipole {
    /// Area vectors in all, mm².
    area: Vector,
    /// Centre, weighted by area.
    centre: Point,
    /// Distance from the centre that contains all facets, mm.
    radius_mm: f64,
}

impl Dipole {
    const NONE: Self = Self { area: Vector::new(0.0, 0.0, 0.0), centre: Point::new(0.0, 0.0, 0.0), radius_mm: 0.0 };
}

/// Sums of a group while it is collected.
#[derive(Clone, Copy)]
struct Sums {
    area: Vector,
    weighted: Vector,
    weight: f64,
    bounds: super::Aabb,
}

impl Sums {
    const NONE: Self = Self {
        area: Vector::new(0.0, 0.0, 0.0),
        weighted: Vector::new(0.0, 0.0, 0.0),
        weight: 0.0,
        bounds: super::Aabb::EMPTY,
    };

    fn add(self, other: &Self) -> Self {
        Self {
            area: self.area + other.area,
            weighted: self.weighted + other.weighted,
            weight: self.weight + other.weight,
            bounds: self.bounds.union(&other.bounds),
        }
    }

    fn dipole(&self) -> Dipole {
        let centre = if self.weight > 0.0 { Point::from(self.weighted / self.weight) } else { self.bounds.centre() };
        let radius_mm = self.bounds.corners().iter().map(|corner| (corner - centre).norm()).fold(0.0, f64::max);
        Dipole { area: self.area, centre, radius_mm }
    }
}

impl<'a> WindingNumbers<'a> {
    /// Prepares `surface`.
    pub fn new(surface: &'a Surface) -> Self {
        let mut own = Self { surface, dipoles: vec![[Dipole::NONE; 8]; surface.search_tree().nodes.len()] };
        if !own.dipoles.is_empty() {
            own.collect(0);
        }
        own
    }

    fn collect(&mut self, code: u32) -> Sums {
        let tree = self.surface.search_tree();
        if code & LEAF_BIT != 0 {
            let of_facet = |facet: &u32| {
                let corners = self.surface.mesh().corners(*facet as usize);
                let area = 0.5 * triangle::area_vector(&corners);
                let weight = area.norm();
                let weighted = triangle::centroid(&corners).coords * weight;
                Sums { area, weighted, weight, bounds: super::Aabb::of_points(&corners) }
            };
            return tree.pack((code & !LEAF_BIT) as usize).iter().map(of_facet).fold(Sums::NONE, |a, b| a.add(&b));
        }
        let children = tree.nodes[code as usize].children;
        let mut all = Sums::NONE;
        for (slot, child) in children.into_iter().enumerate().filter(|(_, child)| *child != NO_CHILD) {
            let sums = self.collect(child);
            self.dipoles[code as usize][slot] = sums.dipole();
            all = all.add(&sums);
        }
        all
    }

    /// Winding number of a point: 1 inside a closed surface that faces outward, 0 outside, in between near gaps.
    pub fn at(&self, point: &Point) -> f64 {
        let tree = self.surface.search_tree();
        if tree.nodes.is_empty() {
            return 0.0;
        }
        let (mut solid_angle, mut stack) = (0.0, vec![0_u32]);
        while let Some(code) = stack.pop() {
            if code & LEAF_BIT != 0 {
                for &facet in tree.pack((code & !LEAF_BIT) as usize) {
                    solid_angle += solid_angle_of(&self.surface.mesh().corners(facet as usize), point);
                }
                continue;
            }
            let children = tree.nodes[code as usize].children;
            for (slot, child) in children.into_iter().enumerate().filter(|(_, child)| *child != NO_CHILD) {
                let dipole = &self.dipoles[code as usize][slot];
                let to_centre = dipole.centre - point;
                let distance = to_centre.norm();
                if distance > DIPOLE_FROM * dipole.radius_mm {
                    solid_angle += dipole.area.dot(&to_centre) / (distance * distance * distance);
                } else {
                    stack.push(child);
                }
            }
        }
        solid_angle / (4.0 * std::f64::consts::PI)
    }
}

/// Signed solid angle of a triangle seen from `point`, sr (van Oosterom and Strackee 1983).
fn solid_angle_of(corners: &[Point; 3], point: &Point) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (na, nb, nc) = (a.norm(), b.norm(), c.norm());
    let numerator = a.dot(&b.cross(&c));
    let denominator = na * nb * nc + a.dot(&b) * nc + b.dot(&c) * na + c.dot(&a) * nb;
    2.0 * numerator.atan2(denominator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use base::random::Random;

    #[test]
    fn points_in_a_torus_are_surrounded_once_and_those_outside_not_at_all() {
        let surface = Surface::new(shapes::torus(10.0, 3.0, 96, 48));
        let winding = WindingNumbers::new(&surface);
        let mut random = Random::new(5, 0);
        let mut inside = 0;
        for _ in 0..4000 {
            let point = Point::new(random.range(-14.0, 14.0), random.range(-14.0, 14.0), random.range(-4.0, 4.0));
            let hit = surface.closest_point(&point, f64::INFINITY).unwrap();
            let is_inside = surface.signed_distance_mm(&point, &hit) < 0.0;
            inside += u32::from(is_inside);
            let found = winding.at(&point);
            let error = (found - f64::from(u8::from(is_inside))).abs();
            assert!(error < 0.02, "{point}: {found}");
        }
        assert!(inside > 500, "{inside}");
    }

    #[test]
    fn a_gap_leaves_the_sides_apart_and_an_overlap_counts_twice() {
        let mut mesh = shapes::sphere(5.0, 4);
        mesh.facets.truncate(mesh.facets.len() - 60);
        let mut shifted = shapes::sphere(5.0, 4);
        shifted.vertices.iter_mut().for_each(|vertex| vertex.x += 4.0);
        let (open, two) = (mesh.clone(), {
            mesh.append(&shifted);
            mesh
        });
        let (open, two) = (Surface::new(open), Surface::new(two));
        let open_winding = WindingNumbers::new(&open);
        assert!(open_winding.at(&Point::origin()) > 0.9 && open_winding.at(&Point::new(0.0, 0.0, 20.0)) < 0.05);
        assert!(WindingNumbers::new(&two).at(&Point::new(2.0, 0.0, 0.0)) > 1.8);
    }
}
