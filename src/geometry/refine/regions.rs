//! Plane regions of a mesh, and their refinement.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rayon::prelude::*;

use super::planar::{self, At, RIM, Region};
use super::{MAX_FACETS, PLANE};
use crate::triangle;
use crate::weld::CoordinateHasher;
use crate::{Mesh, Point, Vector, transform};
use base::{Progress, Result, UserError};

/// Cosine of the greatest angle between the normals of facets in one plane; those of slivers are not exact.
const MIN_COSINE: f64 = 0.999;

/// Longest piece of an edge between regions as a share of the longest edge: across a narrow strip, diagonals are a little longer than
/// its pieces.
const RIM_PIECE: f64 = 0.9;

/// By edge, its lower vertex first: the vertices that divide it, from the lower vertex on.
type Divisions = HashMap<u64, std::ops::Range<u32>, BuildHasherDefault<CoordinateHasher>>;

fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// A region after refinement: inner points, and facets whose vertices are those of the mesh, or beyond them the inner points.
struct Refined {
    inner: Vec<Point>,
    facets: Vec<[u32; 3]>,
    parents: Vec<u32>,
}

/// See [`super::to_max_edge`].
pub(super) fn refined(mesh: &Mesh, max_edge_mm: f64, progress: &Progress) -> Result<(Mesh, Vec<u32>)> {
    if !(0..mesh.facets.len()).into_par_iter().any(|facet| longest_mm(mesh, facet as u32) > max_edge_mm) {
        return Ok((mesh.clone(), (0..mesh.facets.len() as u32).collect()));
    }
    let neighbours = joined(mesh);
    let regions = regions(mesh, &neighbours);
    progress.check()?;
    // All vertices on edges between regions first: both sides share them.
    let mut vertices = mesh.vertices.clone();
    let mut divisions = Divisions::default();
    let mut region_of = vec![0_u32; mesh.facets.len()];
    for (index, region) in regions.iter().enumerate() {
        region.iter().for_each(|&facet| region_of[facet as usize] = index as u32);
    }
    for (facet, corners) in mesh.facets.iter().enumerate() {
        for edge in 0..3 {
            let across = neighbours[facet][edge];
            let is_inner = across != RIM && region_of[across as usize] == region_of[facet];
            let (a, b) = (corners[edge].min(corners[(edge + 1) % 3]), corners[edge].max(corners[(edge + 1) % 3]));
            if is_inner || divisions.contains_key(&key(a, b)) {
                continue;
            }
            let (from, to) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
            let length_mm = (to - from).norm();
            let is_long = length_mm > max_edge_mm;
            let pieces = if is_long { (length_mm / (RIM_PIECE * max_edge_mm)).ceil() } else { 1.0 };
            if vertices.len() as f64 + pieces > MAX_FACETS as f64 {
                return Err(too_many(max_edge_mm));
            }
            let first = vertices.len() as u32;
            vertices.extend((1..pieces as u32).map(|k| from + (to - from) * (f64::from(k) / pieces)));
            divisions.insert(key(a, b), first..vertices.len() as u32);
        }
    }
    let on_edges = vertices.len() as u32;
    let counter = progress.counter(regions.len(), "Refining the nominal");
    let refine = |region: &Vec<u32>| {
        counter.step().then(|| refined_region(mesh, &neighbours, region, (&vertices, &divisions), max_edge_mm))
    };
    let mut refined: Vec<Option<Refined>> = regions.par_iter().map(refine).collect();
    progress.check()?;
    // As the file lists them.
    refined.sort_by_key(|own| own.as_ref().and_then(|own| own.parents.iter().min().copied()));
    let mut out = Mesh { vertices, ..Mesh::default() };
    let mut parents = Vec::new();
    for own in refined.into_iter().flatten() {
        let shift = out.vertices.len() as u32 - on_edges;
        let moved = |vertex: u32| if vertex < on_edges { vertex } else { vertex + shift };
        out.facets.extend(own.facets.iter().map(|facet| facet.map(moved)));
        out.vertices.extend(own.inner);
        parents.extend(own.parents);
        if out.facets.len() > MAX_FACETS {
            return Err(too_many(max_edge_mm));
        }
    }
    if !mesh.cad_faces.is_empty() {
        out.cad_faces = parents.iter().map(|&parent| mesh.cad_faces[parent as usize]).collect();
    }
    Ok((out, parents))
}

/// How many facets refinements to different longest edges would give, without making them.
pub struct Expected {
    regions: Vec<Measures>,
}

/// A plane region: its facets, its longest edge and the edges on its rim, mm, and its area, mm².
struct Measures {
    facets: usize,
    longest_mm: f64,
    rim_mm: Vec<f64>,
    area_mm2: f64,
}

impl Expected {
    /// Of the refinements of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let neighbours = joined(mesh);
        let regions = regions(mesh, &neighbours);
        let mut region_of = vec![0_u32; mesh.facets.len()];
        for (index, region) in regions.iter().enumerate() {
            region.iter().for_each(|&facet| region_of[facet as usize] = index as u32);
        }
        let measures = |(index, region): (usize, &Vec<u32>)| {
            let mut own = Measures { facets: region.len(), longest_mm: 0.0, rim_mm: Vec::new(), area_mm2: 0.0 };
            for &facet in region {
                let corners = mesh.corners(facet as usize);
                own.area_mm2 += 0.5 * triangle::area_vector(&corners).norm();
                for edge in 0..3 {
                    let length_mm = (corners[(edge + 1) % 3] - corners[edge]).norm();
                    own.longest_mm = own.longest_mm.max(length_mm);
                    let across = neighbours[facet as usize][edge];
                    if across == RIM || region_of[across as usize] != index as u32 {
                        own.rim_mm.push(length_mm);
                    }
                }
            }
            own
        };
        Self { regions: regions.par_iter().enumerate().map(measures).collect() }
    }

    /// About how many facets there would be.
    pub fn facets(&self, max_edge_mm: f64) -> f64 {
        let (piece_mm, lattice_mm) = (RIM_PIECE * max_edge_mm, planar::LATTICE * max_edge_mm);
        let of = |own: &Measures| {
            if own.longest_mm <= max_edge_mm {
                return own.facets as f64;
            }
            let pieces = |length: &f64| if *length > max_edge_mm { (length / piece_mm).ceil() } else { 1.0 };
            let on_rim: f64 = own.rim_mm.iter().map(pieces).sum();
            // Points of the lattice keep away from the rim. A triangulation has two triangles for each of them, and about one for
            // each on the rim.
            let inside_mm2 = own.area_mm2 - 0.5 * lattice_mm * own.rim_mm.iter().sum::<f64>();
            let inside = (inside_mm2 / (0.75_f64.sqrt() * lattice_mm * lattice_mm)).max(0.0);
            on_rim + 2.0 * inside
        };
        self.regions.iter().map(of).sum()
    }

    /// The longest edge of all, mm.
    pub fn longest_mm(&self) -> f64 {
        self.regions.iter().map(|own| own.longest_mm).fold(0.0, f64::max)
    }
}

fn too_many(max_edge_mm: f64) -> UserError {
    UserError::usage(format!(
        "A maximum edge length of {max_edge_mm} mm gives more than {MAX_FACETS} facets; choose a larger one."
    ))
}

/// The facet across each edge that exactly two facets share, in opposite directions; [`RIM`] for other edges.
fn joined(mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut halves: Vec<(u64, u32)> = (0..3 * mesh.facets.len() as u32)
        .into_par_iter()
        .map(|half| {
            let facet = mesh.facets[half as usize / 3];
            (key(facet[half as usize % 3], facet[(half as usize + 1) % 3]), half)
        })
        .collect();
    halves.par_sort_unstable();
    let mut neighbours = vec![[RIM; 3]; mesh.facets.len()];
    let start = |half: u32| mesh.facets[half as usize / 3][half as usize % 3];
    for pair in halves.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, one), (_, other)] = *pair
            && start(one) != start(other)
        {
            neighbours[one as usize / 3][one as usize % 3] = other / 3;
            neighbours[other as usize / 3][other as usize % 3] = one / 3;
        }
    }
    neighbours
}

fn longest_mm(mesh: &Mesh, facet: u32) -> f64 {
    let [a, b, c] = mesh.corners(facet as usize);
    (b - a).norm().max((c - b).norm()).max((a - c).norm())
}

/// The corner of a facet with the lowest position, from which it is the same in whatever order a file lists its corners.
fn lowest_corner(mesh: &Mesh, facet: u32) -> usize {
    let at = |corner: usize| mesh.vertices[mesh.facets[facet as usize][corner] as usize].coords;
    (1..3).fold(0, |lowest, corner| if is_lower(&at(corner), &at(lowest)) { corner } else { lowest })
}

/// Three values, from the one at this index on.
fn from(first: usize, values: [u32; 3]) -> [u32; 3] {
    std::array::from_fn(|k| values[(first + k) % 3])
}

fn from_lowest(mesh: &Mesh, facet: u32) -> [u32; 3] {
    from(lowest_corner(mesh, facet), mesh.facets[facet as usize])
}

fn is_lower(one: &Vector, other: &Vector) -> bool {
    one.iter().partial_cmp(other.iter()) == Some(std::cmp::Ordering::Less)
}

/// Facets by decreasing area, then by position: the same order in whatever order a file lists them.
fn by_area(mesh: &Mesh, facets: impl IntoParallelIterator<Item = u32>) -> Vec<u32> {
    let keyed = |facet: u32| {
        let [a, b, c] = from_lowest(mesh, facet).map(|corner| mesh.vertices[corner as usize]);
        (triangle::area_vector(&[a, b, c]).norm_squared(), a.coords + b.coords + c.coords, facet)
    };
    let mut keyed: Vec<(f64, Vector, u32)> = facets.into_par_iter().map(keyed).collect();
    keyed.par_sort_by(|one, other| {
        let by_position = one.1.iter().partial_cmp(other.1.iter()).unwrap_or(std::cmp::Ordering::Equal);
        other.0.total_cmp(&one.0).then(by_position)
    });
    keyed.into_iter().map(|own| own.2).collect()
}

/// The facets of each plane region, the largest first; the regions in the order of their largest facets.
fn regions(mesh: &Mesh, neighbours: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let tolerance_mm = PLANE * mesh.bounds().diagonal();
    let mut is_taken = vec![false; mesh.facets.len()];
    let mut regions = Vec::new();
    for seed in by_area(mesh, 0..mesh.facets.len() as u32) {
        if std::mem::replace(&mut is_taken[seed as usize], true) {
            continue;
        }
        let mut region = vec![seed];
        let plane = Plane::of(mesh, seed);
        let mut index = 0;
        while let Some(&facet) = region.get(index).filter(|_| plane.is_sound) {
            index += 1;
            for across in neighbours[facet as usize] {
                let is_open = across != RIM && !is_taken[across as usize];
                if is_open && plane.holds(mesh, seed, across, tolerance_mm) {
                    is_taken[across as usize] = true;
                    region.push(across);
                }
            }
        }
        regions.push(region);
    }
    regions
}

/// The plane of a facet.
struct Plane {
    origin: Point,
    normal: Vector,
    axes: [Vector; 2],
    /// Whether the facet has an area.
    is_sound: bool,
}

impl Plane {
    fn of(mesh: &Mesh, facet: u32) -> Self {
        let corners = from_lowest(mesh, facet).map(|corner| mesh.vertices[corner as usize]);
        let area = triangle::area_vector(&corners);
        let longest = corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| (b - a).norm_squared());
        let is_sound = area.norm() > 1e-6 * longest.take(3).fold(0.0, f64::max);
        let normal = area.try_normalize(0.0).filter(|_| is_sound).unwrap_or_else(Vector::z);
        let first = transform::perpendicular_axes(&normal)[0];
        Self { origin: corners[0], normal, axes: [first, normal.cross(&first)], is_sound }
    }

    fn holds(&self, mesh: &Mesh, seed: u32, facet: u32, tolerance_mm: f64) -> bool {
        let is_same_face = mesh.cad_faces.is_empty() || mesh.cad_faces[seed as usize] == mesh.cad_faces[facet as usize];
        let corners = mesh.corners(facet as usize);
        let area = triangle::area_vector(&corners);
        is_same_face
            && area.dot(&self.normal) > MIN_COSINE * area.norm()
            && corners.iter().all(|corner| (corner - self.origin).dot(&self.normal).abs() <= tolerance_mm)
    }

    fn at(&self, point: &Point) -> At {
        self.axes.map(|axis| (point - self.origin).dot(&axis))
    }
}

fn refined_region(
    mesh: &Mesh,
    neighbours: &[[u32; 3]],
    facets: &[u32],
    (vertices, divisions): (&[Point], &Divisions),
    max_edge_mm: f64,
) -> Refined {
    let unchanged = || Refined {
        inner: Vec::new(),
        facets: facets.iter().map(|&f| mesh.facets[f as usize]).collect(),
        parents: facets.to_vec(),
    };
    if !facets.iter().any(|&facet| longest_mm(mesh, facet) > max_edge_mm) {
        return unchanged();
    }
    let facets = by_area(mesh, facets.to_vec());
    let plane = Plane::of(mesh, facets[0]);
    // Numbers within the region: its corners first, then what divides its rim.
    let mut numbers: HashMap<u32, u32, BuildHasherDefault<CoordinateHasher>> = HashMap::default();
    let mut global: Vec<u32> = Vec::new();
    let mut number = |vertex: u32, global: &mut Vec<u32>| {
        *numbers.entry(vertex).or_insert_with(|| {
            global.push(vertex);
            global.len() as u32 - 1
        })
    };
    let triangles: Vec<[u32; 3]> =
        facets.iter().map(|&facet| from_lowest(mesh, facet).map(|vertex| number(vertex, &mut global))).collect();
    let places: HashMap<u32, u32, BuildHasherDefault<CoordinateHasher>> =
        facets.iter().zip(0..).map(|(&facet, place)| (facet, place)).collect();
    let across = |&facet: &u32| {
        let own = from(lowest_corner(mesh, facet), neighbours[facet as usize]);
        own.map(|other| places.get(&other).copied().unwrap_or(RIM))
    };
    let points: Vec<At> = global.iter().map(|&vertex| plane.at(&vertices[vertex as usize])).collect();
    let original = Region { points, triangles, neighbours: facets.iter().map(across).collect() };
    let mut region = original.clone();
    let mut rim = region.rim();
    let mut edges: Vec<(u32, u32)> = rim.keys().copied().collect();
    edges.sort_unstable();
    for (from, to) in edges {
        let (a, b) = (global[from as usize], global[to as usize]);
        let between = divisions.get(&key(a, b)).cloned().unwrap_or_default();
        let own: Vec<u32> = if a < b { between.collect() } else { between.rev().collect() };
        let first = region.points.len() as u32;
        region.points.extend(own.iter().map(|&vertex| plane.at(&vertices[vertex as usize])));
        let added: Vec<u32> = (first..region.points.len() as u32).collect();
        global.extend(own);
        region.divide_rim(&mut rim, (from, to), &added);
    }
    region.flip(0..region.triangles.len() as u32);
    region.fill(max_edge_mm);
    let known = global.len();
    let inner: Vec<Point> =
        region.points[known..].iter().map(|[x, y]| plane.origin + plane.axes[0] * *x + plane.axes[1] * *y).collect();
    let vertex = |local: u32| match global.get(local as usize) {
        Some(&vertex) => vertex,
        None => vertices.len() as u32 + (local - known as u32),
    };
    let parents = parents(&original, &region).into_iter().map(|place| facets[place as usize]).collect();
    Refined { inner, facets: region.triangles.iter().map(|own| own.map(vertex)).collect(), parents }
}

/// For each triangle of a region the one of `original` that contains its centroid.
fn parents(original: &Region, region: &Region) -> Vec<u32> {
    let mut near = 0;
    let parent = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| region.points[corner as usize]);
        let at = [(a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0];
        near = original.containing(at, near).unwrap_or_else(|| nearest(original, at));
        near
    };
    region.triangles.iter().map(parent).collect()
}

/// The triangle that a point lies in, or is the least outside of.
fn nearest(region: &Region, at: At) -> u32 {
    let inside = |triangle: &[u32; 3]| {
        let corners = triangle.map(|corner| region.points[corner as usize]);
        let edges = (0..3).map(|edge| planar::doubled_area(corners[edge], corners[(edge + 1) % 3], at));
        edges.fold(f64::INFINITY, f64::min)
    };
    let all = region.triangles.iter().map(inside).enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index as u32)
}
