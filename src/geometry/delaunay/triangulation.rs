//! Incremental Delaunay tetrahedralisation (Bowyer 1981, Watson 1981): the tetrahedra whose circumsphere contains the
//! new point are removed, and the cavity is filled with tetrahedra that connect its boundary to the point.
//!
//! Each facet of the convex hull has an outer tetrahedron to a vertex at infinity. Predicates are exact and
//! symbolically perturbed, so coplanar and cospherical points need no special treatment.

use super::super::Point;
use super::predicates::{is_in_sphere, orientation};

/// Index of the vertex at infinity.
pub const INFINITE: u32 = u32::MAX;

/// Corners in positive orientation; `neighbours[i]` lies across the facet opposite `corners[i]`.
#[derive(Clone, Copy)]
struct Tetrahedron {
    corners: [u32; 4],
    neighbours: [u32; 4],
}

/// Tetrahedra over the points inserted so far.
pub struct Triangulation<'a> {
    points: &'a [Point],
    tetrahedra: Vec<Tetrahedron>,
    /// For each tetrahedron, twice the number of the insertion that last classified it, plus one if that kept it.
    marks: Vec<u32>,
    /// Number of insertions so far.
    insertion: u32,
    /// Last finite tetrahedron created: start of the next point location.
    last: u32,
    /// Tetrahedra removed by the current insertion.
    conflicts: Vec<u32>,
    boundary: Vec<BoundaryFacet>,
    edges: EdgeTable,
    /// Unused entries of `tetrahedra`.
    free: Vec<u32>,
}

/// A facet of the cavity boundary, between a removed tetrahedron and one that is kept.
#[derive(Clone, Copy)]
struct BoundaryFacet {
    /// Corners of the removed tetrahedron.
    corners: [u32; 4],
    /// Corner opposite the facet, which the new point replaces.
    facet: usize,
    /// The tetrahedron that is kept.
    outside: u32,
}

impl<'a> Triangulation<'a> {
    /// Starts with the tetrahedron of the points with indices `first`, which must not be coplanar.
    pub fn new(points: &'a [Point], mut first: [u32; 4]) -> Self {
        if orientation(first.map(|i| &points[i as usize])) < 0.0 {
            first.swap(0, 1);
        }
        // The neighbour across facet i has the same corners with corner i at infinity and two others swapped.
        let mut tetrahedra = vec![Tetrahedron { corners: first, neighbours: [1, 2, 3, 4] }];
        for i in 0..4 {
            let mut corners = first;
            corners[i] = INFINITE;
            let (j, k) = ((i + 1) % 4, (i + 2) % 4);
            corners.swap(j, k);
            // Across the facet opposite corner m lies the outer tetrahedron with corner m at infinity.
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

    /// Inserts point `index`. If an equal point was inserted before, inserts nothing and returns the index of that
    /// point.
    pub fn insert(&mut self, index: u32) -> Option<u32> {
        let start = self.locate(index);
        let point = &self.points[index as usize];
        let corners = self.tetrahedra[start as usize].corners;
        if let Some(&twin) =
            corners.iter().find(|&&corner| corner != INFINITE && self.points[corner as usize] == *point)
        {
            return Some(twin);
        }
        self.insertion += 1;
        self.find_cavity(start, index);
        self.fill_cavity(index);
        None
    }

    /// Corners of all tetrahedra, including those with [`INFINITE`] corners; all four of an unused entry are infinite.
    pub fn corners(mut self) -> Vec<[u32; 4]> {
        for unused in std::mem::take(&mut self.free) {
            self.tetrahedra[unused as usize].corners = [INFINITE; 4];
        }
        self.tetrahedra.iter().map(|tetrahedron| tetrahedron.corners).collect()
    }

    /// Tetrahedron that contains point `index`, or an outer one whose hull facet is visible from it, by a visibility
    /// walk from the last tetrahedron.
    fn locate(&self, index: u32) -> u32 {
        let point = &self.points[index as usize];
        let mut current = self.last;
        let mut came_from = u32::MAX;
        'walk: loop {
            let Tetrahedron { corners, neighbours } = self.tetrahedra[current as usize];
            let positions = corners.map(|corner| &self.points[corner as usize]);
            for facet in 0..4 {
                if neighbours[facet] == came_from {
                    continue;
                }
                let mut toward = positions;
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

    /// Finds the tetrahedra in conflict with point `index`, from `start`, and the boundary facets of the cavity.
    fn find_cavity(&mut self, start: u32, index: u32) {
        let (removed, kept) = (2 * self.insertion, 2 * self.insertion + 1);
        self.conflicts.clear();
        self.boundary.clear();
        self.conflicts.push(start);
        self.marks[start as usize] = removed;
        let mut next = 0;
        while let Some(&tetrahedron) = self.conflicts.get(next) {
            next += 1;
            let Tetrahedron { corners, neighbours } = self.tetrahedra[tetrahedron as usize];
            for facet in 0..4 {
                let outside = neighbours[facet];
                let mark = self.marks[outside as usize];
                if mark == removed {
                    continue;
                }
                if mark != kept && self.is_in_conflict(outside, index) {
                    self.marks[outside as usize] = removed;
                    self.conflicts.push(outside);
                } else {
                    self.marks[outside as usize] = kept;
                    self.boundary.push(BoundaryFacet { corners, facet, outside });
                }
            }
        }
    }

    fn is_in_conflict(&self, tetrahedron: u32, index: u32) -> bool {
        let Tetrahedron { corners, neighbours } = self.tetrahedra[tetrahedron as usize];
        let point = &self.points[index as usize];
        let position = |corner: u32| &self.points[corner as usize];
        let Some(infinite_corner) = corners.iter().position(|&corner| corner == INFINITE) else {
            return is_in_sphere(corners.map(position), corners, point, index);
        };
        let side =
            orientation(std::array::from_fn(|i| if i == infinite_corner { point } else { position(corners[i]) }));
        if side != 0.0 {
            return side > 0.0;
        }
        // In the plane of the hull facet, the circumsphere of the tetrahedron on its inner side decides.
        let inner = neighbours[infinite_corner];
        match self.marks[inner as usize] {
            mark if mark == 2 * self.insertion => true,
            mark if mark == 2 * self.insertion + 1 => false,
            _ => self.is_in_conflict(inner, index),
        }
    }

    /// Fills the cavity with tetrahedra from its boundary facets to point `index`.
    fn fill_cavity(&mut self, index: u32) {
        self.free.append(&mut self.conflicts);
        self.edges.clear();
        for i in 0..self.boundary.len() {
            let BoundaryFacet { mut corners, facet, outside } = self.boundary[i];
            corners[facet] = index;
            let new = self.free.pop().unwrap_or_else(|| {
                self.tetrahedra.push(Tetrahedron { corners, neighbours: [u32::MAX; 4] });
                self.marks.push(0);
                self.tetrahedra.len() as u32 - 1
            });
            let mut neighbours = [u32::MAX; 4];
            neighbours[facet] = outside;
            // The facet of the outside tetrahedron is opposite its corner that is not on the facet.
            let outside_facet = self.tetrahedra[outside as usize]
                .corners
                .iter()
                .position(|corner| !corners.contains(corner))
                .unwrap_or_default();
            self.tetrahedra[outside as usize].neighbours[outside_facet] = new;
            for side in (0..4).filter(|&side| side != facet) {
                let [a, b] = others(side, facet).map(|i| corners[i]);
                if let Some((twin, of_twin)) = self.edges.register(a, b, new, side) {
                    neighbours[side] = twin;
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

/// The two elements of 0..4 other than `a` and `b`.
fn others(a: usize, b: usize) -> [usize; 2] {
    let mut rest = (0..4).filter(|&i| i != a && i != b);
    [rest.next().unwrap_or_default(), rest.next().unwrap_or_default()]
}

/// Pairs the new tetrahedra that share an edge of the cavity boundary: an open-addressing hash table, cleared by
/// incrementing its generation.
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

    /// Registers a facet of a new tetrahedron under the edge `a`, `b`. Returns the tetrahedron and facet registered
    /// before under the same edge, if any.
    fn register(&mut self, a: u32, b: u32, tetrahedron: u32, facet: usize) -> Option<(u32, usize)> {
        if 2 * self.used > self.slots.len() {
            self.grow();
        }
        let edge = (a.min(b), a.max(b));
        let slot_index = self.slot_index(edge);
        let slot = self.slots[slot_index];
        if slot.generation == self.generation {
            return Some((slot.tetrahedron, slot.facet));
        }
        self.slots[slot_index] = EdgeSlot { generation: self.generation, edge, tetrahedron, facet };
        self.used += 1;
        None
    }

    fn slot_index(&self, edge: (u32, u32)) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (u64::from(edge.0) << 32 | u64::from(edge.1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut slot_index = (mixed >> 32) as usize & mask;
        while self.slots[slot_index].generation == self.generation && self.slots[slot_index].edge != edge {
            slot_index = (slot_index + 1) & mask;
        }
        slot_index
    }

    fn grow(&mut self) {
        let new_slots = vec![EdgeSlot::default(); 2 * self.slots.len()];
        let old_slots = std::mem::replace(&mut self.slots, new_slots);
        for slot in old_slots.into_iter().filter(|slot| slot.generation == self.generation) {
            let slot_index = self.slot_index(slot.edge);
            self.slots[slot_index] = slot;
        }
    }
}
