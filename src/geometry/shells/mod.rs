//! Shells: what hangs together over edges, which of them are closed, and which lie in which.
//!
//! A point lies in a closed shell where a ray from it leaves the shell more often than it enters it (the winding
//! number, so that a shell that meets itself counts as one). Rays that touch an edge, or graze a facet, are cast again
//! in another direction. One tree over all facets answers for all shells at once.

mod rays;

use rayon::prelude::*;

use super::topology::{NO_NEIGHBOUR, Topology};
use super::tree::{LEAF_BIT, NO_CHILD, PrimitiveBox, SplitRule, Tree, build};
use super::{Aabb, Mesh, Point, Surface};
use rays::{Found, Rays};

/// No shell yet.
const NONE: u32 = u32::MAX;
/// A shell of less volume than this share of its cubed diagonal encloses none.
const FLAT: f64 = 1e-12;
/// What is nearer than this share of the mesh's diagonal touches: a tenth of a micrometre on a part of 100 mm.
const TOUCHES: f64 = 1e-6;

/// Facets that hang together over edges.
#[derive(Clone, Debug)]
pub struct Shell {
    /// Their numbers, neighbours after neighbours.
    pub facets: Vec<u32>,
    /// Box around them, mm.
    pub bounds: Aabb,
    /// Whether no edge of theirs has a facet on one side only.
    pub is_rimless: bool,
    /// Whether they enclose a volume: without a rim, with two sides, and with no edge of more than two facets.
    pub is_closed: bool,
    /// Signed volume, mm³, if all of them wound as the first one does: above 0 where that is outward.
    pub volume_mm3: f64,
}

/// The shells of a mesh.
#[derive(Clone, Debug)]
pub struct Shells {
    /// In the order of their first facets.
    pub list: Vec<Shell>,
    /// The shell of each facet.
    pub of_facet: Vec<u32>,
    /// For each facet, whether it winds the other way than the first one of its shell.
    pub is_opposed: Vec<bool>,
}

/// How a shell lies among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nesting {
    /// In how many closed shells it lies; `None` where it overlaps one, or lies in one that does.
    pub depth: Option<usize>,
    /// Whether a shell that is not closed may surround it: the box of one holds its own.
    pub is_in_open: bool,
}

impl Shells {
    /// Of a mesh with its neighbours.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let count = mesh.facets.len();
        let mut shells = Self { list: Vec::new(), of_facet: vec![NONE; count], is_opposed: vec![false; count] };
        for seed in 0..count as u32 {
            if shells.of_facet[seed as usize] == NONE {
                let shell = shells.grow(mesh, topology, seed);
                shells.list.push(shell);
            }
        }
        for &facet in &topology.crowded_facets {
            shells.list[shells.of_facet[facet as usize] as usize].is_closed = false;
        }
        shells
    }

    /// What hangs together with `seed`.
    fn grow(&mut self, mesh: &Mesh, topology: &Topology, seed: u32) -> Shell {
        let number = self.list.len() as u32;
        let mut facets = vec![seed];
        let (mut is_rimless, mut has_two_sides, mut bounds) = (true, true, Aabb::EMPTY);
        self.of_facet[seed as usize] = number;
        let mut next = 0;
        while let Some(&facet) = facets.get(next) {
            next += 1;
            let corners = mesh.facets[facet as usize];
            for edge in 0..3 {
                let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
                bounds = bounds.with(&mesh.vertices[a as usize]);
                let neighbour = topology.neighbours[facet as usize][edge];
                if neighbour == NO_NEIGHBOUR {
                    is_rimless = false;
                    continue;
                }
                let other = mesh.facets[neighbour as usize];
                let same_way = (0..3).any(|i| other[i] == a && other[(i + 1) % 3] == b);
                let is_opposed = self.is_opposed[facet as usize] != same_way;
                let neighbour = neighbour as usize;
                if self.of_facet[neighbour] == NONE {
                    (self.of_facet[neighbour], self.is_opposed[neighbour]) = (number, is_opposed);
                    facets.push(neighbour as u32);
                } else {
                    has_two_sides &= self.is_opposed[neighbour] == is_opposed;
                }
            }
        }
        let centre = bounds.centre();
        let signed = |&facet: &u32| {
            let [a, b, c] = mesh.corners(facet as usize).map(|corner| corner - centre);
            let volume = a.dot(&b.cross(&c)) / 6.0;
            if self.is_opposed[facet as usize] { -volume } else { volume }
        };
        let volume_mm3: f64 = facets.iter().map(signed).sum();
        let is_closed = is_rimless && has_two_sides && volume_mm3.abs() > FLAT * bounds.diagonal().powi(3);
        Shell { facets, bounds, is_rimless, is_closed, volume_mm3 }
    }

    /// How each shell without a rim lies among the closed ones of `surface`, whose shells these are.
    pub fn nesting(&self, surface: &Surface) -> Vec<Nesting> {
        if self.list.len() == 1 {
            return vec![Nesting { depth: Some(0), is_in_open: false }];
        }
        let touches_mm = TOUCHES * surface.bounds().diagonal();
        let near = self.near(touches_mm);
        let rays = Rays { surface, shells: self, touches_mm };
        let found: Vec<Found> = near.par_iter().enumerate().map(|(i, near)| rays.examine(i, &near.closed)).collect();
        let mut is_open: Vec<bool> = found.iter().map(|own| own.is_unclear).collect();
        for (number, found) in found.iter().enumerate() {
            for &other in &found.crossed {
                (is_open[number], is_open[other as usize]) = (true, true);
            }
        }
        let nesting = |(number, found): (usize, &Found)| {
            let is_known = !is_open[number] && found.within.iter().all(|&other| !is_open[other as usize]);
            Nesting { depth: is_known.then_some(found.within.len()), is_in_open: near[number].is_in_open }
        };
        found.iter().enumerate().map(nesting).collect()
    }

    /// What lies near each shell: only there it can lie in another, or cross it.
    fn near(&self, touches_mm: f64) -> Vec<Near> {
        let whole = self.list.iter().fold(Aabb::EMPTY, |all, shell| all.union(&shell.bounds));
        // The tree's boxes are f32 about the centre: widened by their rounding.
        let (centre, slack_mm) = (whole.centre(), touches_mm + 4.0 * f64::from(f32::EPSILON) * whole.diagonal());
        let local = |corner: Point| -> [f32; 3] { (corner - centre).cast::<f32>().into() };
        let boxed = |shell: &Shell| {
            let grown = shell.bounds.grown(slack_mm);
            PrimitiveBox { min: local(grown.min), max: local(grown.max) }
        };
        let boxes: Vec<PrimitiveBox> = self.list.iter().map(boxed).collect();
        let tree = build(&boxes, SplitRule::SurfaceArea);
        let of_one = |number: usize| {
            let own = &self.list[number].bounds;
            let mut near = Near { closed: Aabb::EMPTY, is_in_open: false };
            each_overlapping(&tree, &boxes[number], |other| {
                let shell = &self.list[other];
                if other != number && shell.is_closed {
                    near.closed = near.closed.union(&shell.bounds);
                } else if other != number {
                    let held = shell.bounds.grown(touches_mm);
                    near.is_in_open |= held.contains(&own.min) && held.contains(&own.max);
                }
            });
            near
        };
        (0..self.list.len()).into_par_iter().map(of_one).collect()
    }

    /// The facets of a shell that do not face as they should: outward, or inward where it is a cavity.
    pub fn turned_wrongly(&self, shell: &Shell, is_cavity: bool) -> Vec<u32> {
        self.opposed_to(shell, (shell.volume_mm3 < 0.0) != is_cavity)
    }

    /// The facets of a shell whose winding differs from that of its first one, or where `inverted`, agrees with it.
    pub fn opposed_to(&self, shell: &Shell, inverted: bool) -> Vec<u32> {
        let is_wrong = |&&facet: &&u32| self.is_opposed[facet as usize] != inverted;
        shell.facets.iter().filter(is_wrong).copied().collect()
    }
}

/// What lies near a shell.
struct Near {
    /// Box around all closed shells whose boxes meet its own; empty where there are none.
    closed: Aabb,
    /// See [`Nesting::is_in_open`].
    is_in_open: bool,
}

/// Tells the numbers of all boxes that overlap a box.
fn each_overlapping(tree: &Tree, own: &PrimitiveBox, mut take: impl FnMut(usize)) {
    let mut stack = if tree.nodes.is_empty() { Vec::new() } else { vec![0_u32] };
    while let Some(code) = stack.pop() {
        if code & LEAF_BIT != 0 {
            tree.pack((code & !LEAF_BIT) as usize).iter().for_each(|&number| take(number as usize));
            continue;
        }
        let node = &tree.nodes[code as usize];
        for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
            let meets = |axis: usize| node.min[axis][slot] <= own.max[axis] && own.min[axis] <= node.max[axis][slot];
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
        shells.nesting(&surface).iter().map(|own| own.depth).collect()
    }

    #[test]
    fn shells_are_told_apart_and_closed_ones_known() {
        let mut open = cube([30.0, 0.0, 0.0], 2.0);
        open.facets.pop();
        let mut mixed = shapes::sphere(3.0, 2);
        mixed.facets[17].swap(0, 1);
        let mesh = all(&[cube([0.0; 3], 5.0), open, mixed]);
        let shells = Shells::of(&mesh, &Topology::new(&mesh));
        let told: Vec<(usize, bool, bool)> =
            shells.list.iter().map(|shell| (shell.facets.len(), shell.is_closed, shell.is_rimless)).collect();
        assert_eq!(told, [(12, true, true), (11, false, false), (320, true, true)]);
        assert!((shells.list[0].volume_mm3 - 1000.0).abs() < 1e-9);
        assert_eq!(shells.is_opposed.iter().filter(|own| **own).count(), 1);
        assert_eq!(shells.turned_wrongly(&shells.list[2], false), [12 + 11 + 17]);
    }

    #[test]
    fn what_has_one_side_or_touches_along_an_edge_is_not_closed() {
        // A bottle of Klein: a band in the form of an eight, joined upside down.
        let (rows, columns) = (24_u32, 12_u32);
        let at = |i: u32, j: u32| {
            let [u, v] = [(i, rows), (j, columns)].map(|(k, of)| f64::from(k) / f64::from(of) * std::f64::consts::TAU);
            let ((s, c), (one, two)) = ((0.5 * u).sin_cos(), (v.sin(), (2.0 * v).sin()));
            let reach = 10.0 + 3.0 * (c * one - s * two);
            Point::new(reach * u.cos(), reach * u.sin(), 3.0 * (s * one + c * two))
        };
        let number = |i: u32, j: u32| if i == rows { (2 * columns - j) % columns } else { i * columns + j % columns };
        let mut bottle = Mesh::default();
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            bottle.vertices.push(at(i, j));
            let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            bottle.facets.extend([[a, b, c], [a, c, d]]);
        }
        let shells = Shells::of(&bottle, &Topology::new(&bottle));
        assert!(shells.list.len() == 1 && shells.list[0].is_rimless && !shells.list[0].is_closed);
        // Two cubes with one edge in common.
        let mut pair = cube([0.0; 3], 1.0);
        pair.append(&cube([2.0, 2.0, 0.0], 1.0));
        let (pair, _) = crate::weld::clean(pair);
        let shells = Shells::of(&pair, &Topology::new(&pair));
        assert!(shells.list.iter().all(|shell| shell.is_rimless && !shell.is_closed));
    }

    #[test]
    fn depths_are_counted_however_shells_are_wound() {
        let mut random = Random::new(50, 0);
        let parts = [
            cube([0.0; 3], 20.0),
            cube([1.0, 2.0, 3.0], 12.0),
            shapes::sphere(5.0, 3),
            cube([60.0, 0.0, 0.0], 8.0),
            cube([60.0, 0.0, 0.0], 3.0),
        ];
        for _ in 0..4 {
            let mut turned = parts.clone();
            turned.iter_mut().filter(|_| random.uniform() < 0.5).for_each(Mesh::flip);
            let mut mesh = all(&turned);
            let pose = crate::Pose::from_parts(Vector::new(300.0, -70.0, 9.0).into(), random.rotation());
            mesh.vertices.iter_mut().for_each(|vertex| *vertex = pose * *vertex);
            assert_eq!(depths(&mesh), [0, 1, 2, 0, 1].map(Some));
        }
    }

    /// By a corner; as two bars that cross, none of whose corners lies in the other; by a spike through a face.
    #[test]
    fn shells_that_overlap_have_no_depth_and_others_keep_theirs() {
        let bar = |half: [f64; 3]| shapes::cuboid(Point::from(-Vector::from(half)), Point::from(Vector::from(half)));
        let spike = Mesh {
            vertices: [[0.3, 0.2, 4.0], [-0.1, 0.2, 9.0], [0.2, -0.3, 9.0], [0.4, 0.5, 9.0]].map(Point::from).to_vec(),
            facets: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
            cad_faces: Vec::new(),
        };
        let aside = || cube([40.0, 0.0, 0.0], 2.0);
        for (one, other) in [
            (cube([0.0; 3], 5.0), cube([4.0, 3.0, 2.0], 5.0)),
            (bar([9.0, 1.0, 1.0]), bar([2.0, 7.0, 0.5])),
            (cube([0.0; 3], 5.0), spike),
        ] {
            assert_eq!(depths(&all(&[one.clone(), other.clone(), aside()])), [None, None, Some(0)]);
            // What lies in both has none either; what lies around both keeps its own.
            let inner = cube([0.0, 0.0, 0.0], 0.2);
            let around = cube([0.0; 3], 30.0);
            let found = depths(&all(&[around, one, other, inner]));
            assert_eq!((found[0], found[1], found[2], found[3]), (Some(0), None, None, None));
        }
    }

    /// Parts that lie against each other do not overlap: over a whole face, over part of one, or by rounding.
    #[test]
    fn shells_that_touch_keep_their_depths() {
        let one = cube([0.0; 3], 5.0);
        for (centre, half) in
            [([10.0, 0.0, 0.0], 5.0), ([8.0, 1.0, 0.5], 3.0), ([8.0 - 1e-7, 1.0, 0.5], 3.0), ([8.0, 7.0, 0.0], 3.0)]
        {
            assert_eq!(depths(&all(&[one.clone(), cube(centre, half)])), [Some(0), Some(0)], "{centre:?}");
        }
        // A cavity that reaches up to the wall.
        assert_eq!(depths(&all(&[one, cube([2.0, 0.0, 0.0], 3.0)])), [Some(0), Some(1)]);
    }

    #[test]
    fn many_shells_are_nested_in_little_time() {
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
    fn a_shell_in_the_box_of_an_open_one_is_told() {
        let mut outer = cube([0.0; 3], 10.0);
        outer.facets.pop();
        let mesh = all(&[outer, cube([0.0; 3], 3.0), cube([30.0, 0.0, 0.0], 3.0)]);
        let surface = Surface::new(mesh.clone());
        let found = Shells::of(&mesh, surface.topology()).nesting(&surface);
        assert_eq!(found.iter().map(|own| own.is_in_open).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(found[2], Nesting { depth: Some(0), is_in_open: false });
    }
}
