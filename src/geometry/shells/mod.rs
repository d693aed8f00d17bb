//! Shells: edge-connected components of a mesh, which of them are closed, and how closed shells are nested.
//!
//! A point lies inside a closed shell if its winding number is not zero: a ray from it leaves the shell a different
//! number of times than it enters it. A self-intersecting shell thus counts as one. Rays that touch an edge or graze a
//! facet are cast again in another direction. One tree over all facets serves all shells.

mod rays;

use rayon::prelude::*;

use super::topology::{NO_NEIGHBOUR, Topology};
use super::tree::{LEAF_BIT, NO_CHILD, PrimitiveBox, SplitRule, Tree, build};
use super::{Aabb, Mesh, Point, Surface};
use rays::{Containment, RayCaster};

/// Marks a facet not yet assigned to a shell.
const NONE: u32 = u32::MAX;
/// Minimum volume of a closed shell, relative to the cube of its diagonal.
const MIN_RELATIVE_VOLUME: f64 = 1e-12;
/// Distance below which surfaces count as touching, relative to the diagonal of the mesh: 0.1 µm for a diagonal of 100
/// mm.
const RELATIVE_TOUCH_DISTANCE: f64 = 1e-6;

/// An edge-connected set of facets.
#[derive(Clone, Debug)]
pub struct Shell {
    /// Facet indices, in breadth-first order from the first.
    pub facets: Vec<u32>,
    /// Bounding box, mm.
    pub bounds: Aabb,
    /// Whether it has no boundary edge.
    pub has_no_boundary: bool,
    /// Whether it encloses a volume: no boundary edge, orientable, no edge of more than two facets, and not flat.
    pub is_closed: bool,
    /// Signed volume, mm³, with all facets wound as the first one: positive if the first one faces outward.
    pub volume_mm3: f64,
}

/// The shells of a mesh.
#[derive(Clone, Debug)]
pub struct Shells {
    /// The shells, in order of their first facet.
    pub list: Vec<Shell>,
    /// Index in `list` of the shell of each facet.
    pub of_facet: Vec<u32>,
    /// For each facet, whether its winding is opposite to that of the first facet of its shell.
    pub is_reversed: Vec<bool>,
}

/// Position of a shell relative to the other shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nesting {
    /// Number of closed shells that contain it; `None` if it overlaps one, or lies in one that overlaps another.
    pub depth: Option<usize>,
    /// Of a shell that overlaps others: the number of closed shells that contain the part of it that is in the fewest. `None`
    /// of others, and where that is not known.
    pub least_depth: Option<usize>,
    /// Whether a shell that is not closed may surround it: its bounding box lies within that of such a shell.
    pub is_in_open: bool,
}

impl Shells {
    /// Finds the shells of `mesh`, whose topology is `topology`.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let count = mesh.facets.len();
        let mut shells = Self { list: Vec::new(), of_facet: vec![NONE; count], is_reversed: vec![false; count] };
        for seed in 0..count as u32 {
            if shells.of_facet[seed as usize] == NONE {
                let shell = shells.grow(mesh, topology, seed);
                shells.list.push(shell);
            }
        }
        for &facet in &topology.non_manifold_facets {
            shells.list[shells.of_facet[facet as usize] as usize].is_closed = false;
        }
        shells
    }

    /// Collects the facets connected to `seed` as the next shell.
    fn grow(&mut self, mesh: &Mesh, topology: &Topology, seed: u32) -> Shell {
        let index = self.list.len() as u32;
        let mut facets = vec![seed];
        let (mut has_no_boundary, mut is_orientable, mut bounds) = (true, true, Aabb::EMPTY);
        self.of_facet[seed as usize] = index;
        let mut next = 0;
        while let Some(&facet) = facets.get(next) {
            next += 1;
            let corners = mesh.facets[facet as usize];
            for edge in 0..3 {
                let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
                bounds = bounds.with(&mesh.vertices[a as usize]);
                let neighbour = topology.neighbours[facet as usize][edge];
                if neighbour == NO_NEIGHBOUR {
                    has_no_boundary = false;
                    continue;
                }
                let other = mesh.facets[neighbour as usize];
                let has_same_winding = (0..3).any(|i| other[i] == a && other[(i + 1) % 3] == b);
                let is_reversed = self.is_reversed[facet as usize] != has_same_winding;
                let neighbour = neighbour as usize;
                if self.of_facet[neighbour] == NONE {
                    (self.of_facet[neighbour], self.is_reversed[neighbour]) = (index, is_reversed);
                    facets.push(neighbour as u32);
                } else {
                    is_orientable &= self.is_reversed[neighbour] == is_reversed;
                }
            }
        }
        let centre = bounds.centre();
        let signed_volume = |&facet: &u32| {
            let [a, b, c] = mesh.corners(facet as usize).map(|corner| corner - centre);
            let volume = a.dot(&b.cross(&c)) / 6.0;
            if self.is_reversed[facet as usize] { -volume } else { volume }
        };
        let volume_mm3: f64 = facets.iter().map(signed_volume).sum();
        let is_closed =
            has_no_boundary && is_orientable && volume_mm3.abs() > MIN_RELATIVE_VOLUME * bounds.diagonal().powi(3);
        Shell { facets, bounds, has_no_boundary, is_closed, volume_mm3 }
    }

    /// Nesting of each shell among the closed shells of `surface`, whose shells these are. Shells with a boundary are
    /// not examined and get depth `Some(0)`.
    pub fn nesting(&self, surface: &Surface) -> Vec<Nesting> {
        if self.list.len() == 1 {
            return vec![Nesting { depth: Some(0), least_depth: None, is_in_open: false }];
        }
        let touch_distance_mm = RELATIVE_TOUCH_DISTANCE * surface.bounds().diagonal();
        let neighbourhoods = self.neighbourhoods(touch_distance_mm);
        let rays = RayCaster { surface, shells: self, touch_distance_mm };
        let containments: Vec<Containment> = neighbourhoods
            .par_iter()
            .enumerate()
            .map(|(i, neighbourhood)| rays.examine(i, &neighbourhood.closed))
            .collect();
        let mut is_undecided: Vec<bool> = containments.iter().map(|containment| containment.is_undecided).collect();
        let mut overlaps = vec![false; containments.len()];
        for (index, containment) in containments.iter().enumerate() {
            for &other in &containment.crossed {
                (is_undecided[index], is_undecided[other as usize]) = (true, true);
                (overlaps[index], overlaps[other as usize]) = (true, true);
            }
        }
        let nesting = |(index, containment): (usize, &Containment)| {
            let is_decided =
                !is_undecided[index] && containment.within.iter().all(|&other| !is_undecided[other as usize]);
            Nesting {
                depth: is_decided.then_some(containment.within.len()),
                least_depth: (overlaps[index] && !containment.is_undecided).then_some(containment.least),
                is_in_open: neighbourhoods[index].is_in_open,
            }
        };
        containments.iter().enumerate().map(nesting).collect()
    }

    /// For each shell, what overlaps its bounding box: only there can it be nested in, or cross, another shell.
    fn neighbourhoods(&self, touch_distance_mm: f64) -> Vec<Neighbourhood> {
        let whole = self.list.iter().fold(Aabb::EMPTY, |all, shell| all.union(&shell.bounds));
        // Boxes of the tree are f32 relative to the centre: enlarged by their rounding error.
        let (centre, slack_mm) = (whole.centre(), touch_distance_mm + 4.0 * f64::from(f32::EPSILON) * whole.diagonal());
        let local = |corner: Point| -> [f32; 3] { (corner - centre).cast::<f32>().into() };
        let padded_box = |shell: &Shell| {
            let padded = shell.bounds.grown(slack_mm);
            PrimitiveBox { min: local(padded.min), max: local(padded.max) }
        };
        let boxes: Vec<PrimitiveBox> = self.list.iter().map(padded_box).collect();
        let tree = build(&boxes, SplitRule::SurfaceArea);
        let of_shell = |index: usize| {
            let own = &self.list[index].bounds;
            let mut neighbourhood = Neighbourhood { closed: Aabb::EMPTY, is_in_open: false };
            for_each_overlapping(&tree, &boxes[index], |other| {
                let shell = &self.list[other];
                if other != index && shell.is_closed {
                    neighbourhood.closed = neighbourhood.closed.union(&shell.bounds);
                } else if other != index {
                    let grown = shell.bounds.grown(touch_distance_mm);
                    neighbourhood.is_in_open |= grown.contains(&own.min) && grown.contains(&own.max);
                }
            });
            neighbourhood
        };
        (0..self.list.len()).into_par_iter().map(of_shell).collect()
    }

    /// Facets of `shell` with the wrong orientation: correct is outward, or inward if it is a cavity.
    pub fn misoriented_facets(&self, shell: &Shell, is_cavity: bool) -> Vec<u32> {
        self.reversed_facets(shell, (shell.volume_mm3 < 0.0) != is_cavity)
    }

    /// Facets of `shell` wound opposite to its first facet, or if `inverted`, those wound like it.
    pub fn reversed_facets(&self, shell: &Shell, inverted: bool) -> Vec<u32> {
        let is_selected = |&&facet: &&u32| self.is_reversed[facet as usize] != inverted;
        shell.facets.iter().filter(is_selected).copied().collect()
    }
}

/// What overlaps the bounding box of a shell.
struct Neighbourhood {
    /// Box around all other closed shells whose bounding boxes overlap its own; empty if there are none.
    closed: Aabb,
    /// See [`Nesting::is_in_open`].
    is_in_open: bool,
}

/// Calls `visit` with the index of every box in the leaves of `tree` that overlap `query`.
fn for_each_overlapping(tree: &Tree, query: &PrimitiveBox, mut visit: impl FnMut(usize)) {
    let mut stack = if tree.nodes.is_empty() { Vec::new() } else { vec![0_u32] };
    while let Some(code) = stack.pop() {
        if code & LEAF_BIT != 0 {
            tree.pack((code & !LEAF_BIT) as usize).iter().for_each(|&index| visit(index as usize));
            continue;
        }
        let node = &tree.nodes[code as usize];
        for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
            let meets =
                |axis: usize| node.min[axis][slot] <= query.max[axis] && query.min[axis] <= node.max[axis][slot];
            if (0..3).all(meets) {
                stack.push(node.children[slot]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;
    use crate::mesh::shapes;
    use base::random::Random;

    fn cube(centre: [f64; 3], half: f64) -> Mesh {
        let (centre, half) = (Point::from(centre), Vector::repeat(half));
        shapes::cuboid(centre - half, centre + half)
    }

    fn all(parts: &[Mesh]) -> Mesh {
        let mut mesh = Mesh::default();
        parts.iter().for_each(|part| mesh.append(part));
        mesh
    }

    fn depths(mesh: &Mesh) -> Vec<Option<usize>> {
        let surface = Surface::new(mesh.clone());
        let shells = Shells::of(mesh, surface.topology());
        shells.nesting(&surface).iter().map(|nesting| nesting.depth).collect()
    }

    #[test]
    fn shells_are_separated_and_closed_ones_identified() {
        let mut open = cube([30.0, 0.0, 0.0], 2.0);
        open.facets.pop();
        let mut mixed = shapes::sphere(3.0, 2);
        mixed.facets[17].swap(0, 1);
        let mesh = all(&[cube([0.0; 3], 5.0), open, mixed]);
        let shells = Shells::of(&mesh, &Topology::new(&mesh));
        let properties: Vec<(usize, bool, bool)> =
            shells.list.iter().map(|shell| (shell.facets.len(), shell.is_closed, shell.has_no_boundary)).collect();
        assert_eq!(properties, [(12, true, true), (11, false, false), (320, true, true)]);
        assert!((shells.list[0].volume_mm3 - 1000.0).abs() < 1e-9);
        assert_eq!(shells.is_reversed.iter().filter(|own| **own).count(), 1);
        assert_eq!(shells.misoriented_facets(&shells.list[2], false), [12 + 11 + 17]);
    }

    #[test]
    fn non_orientable_shells_and_shells_with_a_shared_edge_are_not_closed() {
        // A Klein bottle: a tube with a figure-eight cross-section, half-twisted and closed.
        let (rows, columns) = (24_u32, 12_u32);
        let at = |i: u32, j: u32| {
            let [u, v] = [(i, rows), (j, columns)].map(|(k, of)| f64::from(k) / f64::from(of) * std::f64::consts::TAU);
            let ((s, c), (one, two)) = ((0.5 * u).sin_cos(), (v.sin(), (2.0 * v).sin()));
            let reach = 10.0 + 3.0 * (c * one - s * two);
            Point::new(reach * u.cos(), reach * u.sin(), 3.0 * (s * one + c * two))
        };
        let vertex_index =
            |i: u32, j: u32| if i == rows { (2 * columns - j) % columns } else { i * columns + j % columns };
        let mut bottle = Mesh::default();
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            bottle.vertices.push(at(i, j));
            let [a, b, c, d] =
                [vertex_index(i, j), vertex_index(i + 1, j), vertex_index(i + 1, j + 1), vertex_index(i, j + 1)];
            bottle.facets.extend([[a, b, c], [a, c, d]]);
        }
        let shells = Shells::of(&bottle, &Topology::new(&bottle));
        assert!(shells.list.len() == 1 && shells.list[0].has_no_boundary && !shells.list[0].is_closed);
        // Two cubes with one edge in common.
        let mut pair = cube([0.0; 3], 1.0);
        pair.append(&cube([2.0, 2.0, 0.0], 1.0));
        let (pair, _) = crate::weld::clean(pair);
        let shells = Shells::of(&pair, &Topology::new(&pair));
        assert!(shells.list.iter().all(|shell| shell.has_no_boundary && !shell.is_closed));
    }

    #[test]
    fn depths_do_not_depend_on_winding() {
        let mut random = Random::new(50, 0);
        let parts = [
            cube([0.0; 3], 20.0),
            cube([1.0, 2.0, 3.0], 12.0),
            shapes::sphere(5.0, 3),
            cube([60.0, 0.0, 0.0], 8.0),
            cube([60.0, 0.0, 0.0], 3.0),
        ];
        for _ in 0..4 {
            let mut flipped = parts.clone();
            flipped.iter_mut().filter(|_| random.uniform() < 0.5).for_each(Mesh::flip);
            let mut mesh = all(&flipped);
            let pose = crate::Pose::from_parts(Vector::new(300.0, -70.0, 9.0).into(), random.rotation());
            mesh.vertices.iter_mut().for_each(|vertex| *vertex = pose * *vertex);
            assert_eq!(depths(&mesh), [0, 1, 2, 0, 1].map(Some));
        }
    }

    /// Overlap at a corner; of two crossing bars, neither with a corner in the other; of a spike through a face.
    #[test]
    fn overlapping_shells_have_no_depth_and_others_keep_theirs() {
        let bar = |half: [f64; 3]| shapes::cuboid(Point::from(-Vector::from(half)), Point::from(Vector::from(half)));
        let spike = Mesh {
            vertices: [[0.3, 0.2, 4.0], [-0.1, 0.2, 9.0], [0.2, -0.3, 9.0], [0.4, 0.5, 9.0]].map(Point::from).to_vec(),
            facets: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
            cad_faces: Vec::new(),
        };
        let separate = || cube([40.0, 0.0, 0.0], 2.0);
        for (one, other) in [
            (cube([0.0; 3], 5.0), cube([4.0, 3.0, 2.0], 5.0)),
            (bar([9.0, 1.0, 1.0]), bar([2.0, 7.0, 0.5])),
            (cube([0.0; 3], 5.0), spike),
        ] {
            assert_eq!(depths(&all(&[one.clone(), other.clone(), separate()])), [None, None, Some(0)]);
            // A shell inside both has no depth either; a shell around both keeps its own.
            let inner = cube([0.0, 0.0, 0.0], 0.2);
            let around = cube([0.0; 3], 30.0);
            let found = depths(&all(&[around, one, other, inner]));
            assert_eq!((found[0], found[1], found[2], found[3]), (Some(0), None, None, None));
        }
    }

    /// Touching is not overlap: over a whole face, over part of one, or within rounding.
    #[test]
    fn touching_shells_keep_their_depths() {
        let one = cube([0.0; 3], 5.0);
        for (centre, half) in
            [([10.0, 0.0, 0.0], 5.0), ([8.0, 1.0, 0.5], 3.0), ([8.0 - 1e-7, 1.0, 0.5], 3.0), ([8.0, 7.0, 0.0], 3.0)]
        {
            assert_eq!(depths(&all(&[one.clone(), cube(centre, half)])), [Some(0), Some(0)], "{centre:?}");
        }
        // A cavity that reaches the outer wall.
        assert_eq!(depths(&all(&[one, cube([2.0, 0.0, 0.0], 3.0)])), [Some(0), Some(1)]);
    }

    #[test]
    fn nesting_of_many_shells() {
        let mut parts = vec![cube([50.0; 3], 60.0)];
        for i in 0..12_i32.pow(3) {
            let at = [i % 12, i / 12 % 12, i / 144].map(|k| 8.0 * f64::from(k) + 3.0);
            parts.push(cube(at, 2.0));
        }
        let mesh = all(&parts);
        let started = std::time::Instant::now();
        let found = depths(&mesh);
        println!("{} shells in {:.3} s", found.len(), started.elapsed().as_secs_f64());
        assert!(found[0] == Some(0) && found[1..].iter().all(|depth| *depth == Some(1)));
    }

    #[test]
    fn a_shell_within_the_bounding_box_of_an_open_one_is_flagged() {
        let mut outer = cube([0.0; 3], 10.0);
        outer.facets.pop();
        let mesh = all(&[outer, cube([0.0; 3], 3.0), cube([30.0, 0.0, 0.0], 3.0)]);
        let surface = Surface::new(mesh.clone());
        let found = Shells::of(&mesh, surface.topology()).nesting(&surface);
        assert_eq!(found.iter().map(|own| own.is_in_open).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(found[2], Nesting { depth: Some(0), least_depth: None, is_in_open: false });
    }
}
