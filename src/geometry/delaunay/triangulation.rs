//! The Delaunay tetrahedralisation, point by point (Bowyer 1981, Watson 1981): every tetrahedron whose sphere holds the
//! new point goes, and the hole is filled with tetrahedra around it.
//!
//! Outside the hull, each of its facets carries a tetrahedron to a vertex at infinity. Predicates are exact and
//! perturbed, so grids, planes and spheres of points are no special cases.

use super::super::Point;
use super::predicates::{is_in_sphere, orientation};

/// The vertex at infinity.
pub const INFINITE: u32 = u32::MAX;

/// Positively oriented; `neighbours[i]` lies across the facet opposite to `corners[i]`.
#[derive(Clone, Copy)]
struct Tetrahedron {
    corners: [u32; 4],
    neighbours: [u32; 4],
}

/// Tetrahedra over the points inserted so far.
pub struct Triangulation<'a> {
    points: &'a [Point],
    tetrahedra: Vec<Tetrahedron>,
    /// Per tetrahedron twice the number of the insertion that judged it last, and one more where it stays.
    marks: Vec<u32>,
    insertion: u32,
    last: u32,
    conflicts: Vec<u32>,
    boundary: Vec<Boundary>,
    edges: EdgeTable,
    free: Vec<u32>,
}

/// A facet between a tetrahedron that goes and one that stays.
#[derive(Clone, Copy)]
struct Boundary {
    /// Of the one that goes; `facet` is opposite to the corner that the new point replaces.
    corners: [u32; 4],
    facet: usize,
    outside: u32,
}

impl<'a> Triangulation<'a> {
    /// Of the tetrahedron over four points that lie on no plane.
    pub fn new(points: &'a [Point], mut first: [u32; 4]) -> Self {
        if orientation(first.map(|i| &points[i as usize])) < 0.0 {
            first.swap(0, 1);
        }
        // The neighbours across facet i: the same corners with the one at i at infinity, mirrored.
        let mut tetrahedra = vec![Tetrahedron { corners: first, neighbours: [1, 2, 3, 4] }];
        for i in 0..4 {
            let mut corners = first;
            corners[i] = INFINITE;
            let (j, k) = ((i + 1) % 4, (i + 2) % 4);
            corners.swap(j, k);
            // Across the facet opposite to corner m lies the outer one that has corner m at infinity.
            let mut neighbours: [u32; 4] = std::array::from_fn(|m| m as u32 + 1);
            neighbours.swap(j, k);
            neighbours[i] = 0;
            tetrahedra.push(Tetrahedron { corners, neighbours });
        }
        Self {
            points,
            marks: vec![0; tetrahedra.len()],
            tetrahedra,
            insertion: 0,
            last: 0,
            conflicts: Vec::new(),
            boundary: Vec::new(),
            edges: EdgeTable::default(),
            free: Vec::new(),
        }
    }

    /// Inserts a point; the number of the one that it equals where that is there already.
    pub fn insert(&mut self, number: u32) -> Option<u32> {
        let start = self.locate(number);
        let point = &self.points[number as usize];
        let corners = self.tetrahedra[start as usize].corners;
        if let Some(&twin) =
            corners.iter().find(|&&corner| corner != INFINITE && self.points[corner as usize] == *point)
        {
            return Some(twin);
        }
        self.insertion += 1;
        self.dig(start, number);
        self.fill(number);
        None
    }

    /// The corners of all tetrahedra, those at infinity too.
    pub fn corners(mut self) -> Vec<[u32; 4]> {
        for unused in std::mem::take(&mut self.free) {
            self.tetrahedra[unused as usize].corners = [INFINITE; 4];
        }
        self.tetrahedra.iter().map(|tetrahedron| tetrahedron.corners).collect()
    }

    /// The tetrahedron that holds a point, or one outside the hull that sees it.
    fn locate(&self, number: u32) -> u32 {
        let point = &self.points[number as usize];
        let mut current = self.last;
        let mut came_from = u32::MAX;
        'walk: loop {
            let Tetrahedron { corners, neighbours } = self.tetrahedra[current as usize];
            let places = corners.map(|corner| &self.points[corner as usize]);
            for facet in 0..4 {
                if neighbours[facet] == came_from {
                    continue;
                }
                let mut toward = places;
                toward[facet] = point;
                if orientation(toward) < 0.0 {
                    came_from = current;
                    current = neighbours[facet];
                    if self.tetrahedra[current as usize].corners.contains(&INFINITE) {
                        return current;
                    }
                    continue 'walk;
                }
            }
            return current;
        }
    }

    /// Finds all tetrahedra that the point removes, and the facets around them.
    fn dig(&mut self, start: u32, number: u32) {
        let (goes, stays) = (2 * self.insertion, 2 * self.insertion + 1);
        self.conflicts.clear();
        self.boundary.clear();
        self.conflicts.push(start);
        self.marks[start as usize] = goes;
        let mut next = 0;
        while let Some(&tetrahedron) = self.conflicts.get(next) {
            next += 1;
            let Tetrahedron { corners, neighbours } = self.tetrahedra[tetrahedron as usize];
            for facet in 0..4 {
                let outside = neighbours[facet];
                let mark = self.marks[outside as usize];
                if mark == goes {
                    continue;
                }
                if mark != stays && self.is_in_conflict(outside, number) {
                    self.marks[outside as usize] = goes;
                    self.conflicts.push(outside);
                } else {
                    self.marks[outside as usize] = stays;
                    self.boundary.push(Boundary { corners, facet, outside });
                }
            }
        }
    }

    fn is_in_conflict(&self, tetrahedron: u32, number: u32) -> bool {
        let Tetrahedron { corners, neighbours } = self.tetrahedra[tetrahedron as usize];
        let point = &self.points[number as usize];
        let place = |corner: u32| &self.points[corner as usize];
        let Some(infinite) = corners.iter().position(|&corner| corner == INFINITE) else {
            return is_in_sphere(corners.map(place), corners, point, number);
        };
        let side = orientation(std::array::from_fn(|i| if i == infinite { point } else { place(corners[i]) }));
        if side != 0.0 {
            return side > 0.0;
        }
        // In the plane of the hull's facet its sphere decides, which is that of the tetrahedron behind.
        let behind = neighbours[infinite];
        match self.marks[behind as usize] {
            mark if mark == 2 * self.insertion => true,
            mark if mark == 2 * self.insertion + 1 => false,
            _ => self.is_in_conflict(behind, number),
        }
    }

    /// Replaces what was dug out by tetrahedra around the point.
    fn fill(&mut self, number: u32) {
        self.free.append(&mut self.conflicts);
        self.edges.clear();
        for index in 0..self.boundary.len() {
            let Boundary { mut corners, facet, outside } = self.boundary[index];
            corners[facet] = number;
            let new = self.free.pop().unwrap_or_else(|| {
                self.tetrahedra.push(Tetrahedron { corners, neighbours: [u32::MAX; 4] });
                self.marks.push(0);
                self.tetrahedra.len() as u32 - 1
            });
            let mut neighbours = [u32::MAX; 4];
            neighbours[facet] = outside;
            // The one outside knows its facet by the corner that the facet lacks.
            let back = self.tetrahedra[outside as usize]
                .corners
                .iter()
                .position(|corner| !corners.contains(corner))
                .unwrap_or_default();
            self.tetrahedra[outside as usize].neighbours[back] = new;
            for own in (0..4).filter(|&own| own != facet) {
                let [a, b] = others(own, facet).map(|i| corners[i]);
                if let Some((twin, of_twin)) = self.edges.meet(a, b, new, own) {
                    neighbours[own] = twin;
                    self.tetrahedra[twin as usize].neighbours[of_twin] = new;
                }
            }
            self.tetrahedra[new as usize] = Tetrahedron { corners, neighbours };
            self.marks[new as usize] = 0;
            if !corners.contains(&INFINITE) {
                self.last = new;
            }
        }
    }
}

/// The two of 0..4 that are neither.
fn others(a: usize, b: usize) -> [usize; 2] {
    let mut rest = (0..4).filter(|&i| i != a && i != b);
    [rest.next().unwrap_or_default(), rest.next().unwrap_or_default()]
}

/// Pairs up tetrahedra that share an edge of the hole's rim: a small open hash table, emptied by counting up.
#[derive(Default)]
struct EdgeTable {
    slots: Vec<EdgeSlot>,
    used: usize,
    generation: u32,
}

#[derive(Clone, Copy, Default)]
struct EdgeSlot {
    generation: u32,
    edge: (u32, u32),
    tetrahedron: u32,
    facet: usize,
}

impl EdgeTable {
    fn clear(&mut self) {
        self.generation += 1;
        self.used = 0;
        if self.slots.is_empty() {
            self.slots.resize(256, EdgeSlot::default());
        }
    }

    /// Who was here before on the same edge; the second of each pair to come is told of the first.
    fn meet(&mut self, a: u32, b: u32, tetrahedron: u32, facet: usize) -> Option<(u32, usize)> {
        if 2 * self.used > self.slots.len() {
            self.grow();
        }
        let edge = (a.min(b), a.max(b));
        let place = self.place(edge);
        let slot = self.slots[place];
        if slot.generation == self.generation {
            return Some((slot.tetrahedron, slot.facet));
        }
        self.slots[place] = EdgeSlot { generation: self.generation, edge, tetrahedron, facet };
        self.used += 1;
        None
    }

    fn place(&self, edge: (u32, u32)) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (u64::from(edge.0) << 32 | u64::from(edge.1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut place = (mixed >> 32) as usize & mask;
        while self.slots[place].generation == self.generation && self.slots[place].edge != edge {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let wider = vec![EdgeSlot::default(); 2 * self.slots.len()];
        let before = std::mem::replace(&mut self.slots, wider);
        for slot in before.into_iter().filter(|slot| slot.generation == self.generation) {
            let place = self.place(slot.edge);
            self.slots[place] = slot;
        }
    }
}
