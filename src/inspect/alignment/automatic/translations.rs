//! Hypotheses from rotations: for each rotation, the translations with the most votes.
//!
//! The votes of point pairs find distinctive poses. This search finds those that they miss, such as a piece that also
//! fits elsewhere, or a plate upside down: for every rotation (all, or those of the part onto itself), every scan point
//! votes for the translations that map it onto a point of the nominal with the same normal direction. The more such
//! points there are, the less a vote counts: the wall of one hole is more specific than a whole plate. Rotations are
//! spread by super-Fibonacci spirals (Alexa, CVPR 2022).

use nalgebra::{Quaternion, UnitQuaternion};
use rayon::prelude::*;

use geometry::point_pairs::OrientedPoint;
use geometry::{Aabb, Pose, Vector};

/// Number of rotations searched, about 13 degrees apart.
const ROTATIONS: usize = 4_608;
/// Maximum number of scan points that vote.
const VOTERS: usize = 160;
/// Number of directions that normals are binned by.
const DIRECTIONS: usize = 256;
/// Largest difference along the axis between a normal and the direction nearest to it.
const MAX_RISE: f64 = 0.2;
/// Minimum cosine between matching normals: allows for half the step of the rotations and of the directions, and for
/// noise.
const MIN_COSINE: f64 = 0.9;
/// Edge length of a translation cell in spacings of the nominal's points.
const CELL_SPACINGS: f64 = 2.0;
/// Maximum number of cells along an axis; scans that need more, being far larger than the part, are not searched.
const MAX_CELLS: usize = 96;
/// Maximum number of translations per rotation.
const MAX_PEAKS: usize = 3;
/// Maximum number of poses returned.
const MAX_POSES: usize = 160;
/// Poses closer than this to a better one, in cells, are dropped: votes fall off slowly around a pose, and its
/// neighbours would crowd out others.
const NEAR_CELLS: f64 = 1.5;
/// The same in rotation, degrees, for the search over all rotations; symmetries with smaller steps are found by
/// `turns`.
const NEAR_OF_ALL_DEG: f64 = 22.0;
/// The same for the rotations of a part about its own axes, which are closely spaced, degrees.
const NEAR_OF_TURNS_DEG: f64 = 8.0;
/// Total weight of the votes of a point per rotation; integer, so that sums do not depend on the order.
const VOTE: u32 = 1 << 16;

/// Votes of a scan for its translation on a nominal under given rotations.
pub(super) struct TranslationVotes {
    /// The nominal's points that face each direction.
    facing: Vec<Vec<Vector>>,
    directions: Vec<Vector>,
    /// Scan points relative to `centre`.
    voters: Vec<OrientedPoint>,
    /// Centroid of the voters, scan frame.
    centre: Vector,
    oriented: bool,
    origin: Vector,
    cell_mm: f64,
    cells: [usize; 3],
}

/// A pose by rotation and translation cell, with its votes.
struct Peak {
    votes: u32,
    rotation: UnitQuaternion<f64>,
    /// Centroid of the voters, nominal frame, mm.
    centre: Vector,
}

impl TranslationVotes {
    /// Prepares the votes of `scene` on `model`, whose point spacing is `spacing_mm`; `None` if the scan is far larger
    /// than the part or has fewer than three points. `oriented`: whether the scan's normals point outward.
    pub fn new(
        model: &[OrientedPoint],
        scene: &[OrientedPoint],
        bounds: &Aabb,
        oriented: bool,
        spacing_mm: f64,
    ) -> Option<Self> {
        let stride = scene.len().div_ceil(VOTERS).max(1);
        let mut voters: Vec<OrientedPoint> = scene.iter().step_by(stride).copied().collect();
        let centre = voters.iter().map(|p| p.point.coords).sum::<Vector>() / voters.len().max(1) as f64;
        voters.iter_mut().for_each(|p| p.point -= centre);
        let radius_mm = voters.iter().map(|p| p.point.coords.norm()).fold(0.0, f64::max);
        let cell_mm = CELL_SPACINGS * spacing_mm;
        // The centre of a scan no larger than the part lies in the part's box.
        let margin_mm = (radius_mm - 0.5 * bounds.diagonal()).max(0.0) + cell_mm;
        let (low, size) = (bounds.min.coords.add_scalar(-margin_mm), bounds.size().add_scalar(2.0 * margin_mm));
        let cells: [usize; 3] = std::array::from_fn(|axis| (size[axis] / cell_mm).ceil() as usize + 1);
        if voters.len() < 3 || cells.iter().any(|&count| count > MAX_CELLS) {
            return None;
        }
        let directions: Vec<Vector> = (0..DIRECTIONS).map(direction).collect();
        let faces = |normal: &Vector, direction: &Vector| {
            let cosine = normal.dot(direction);
            if oriented { cosine > MIN_COSINE } else { cosine.abs() > MIN_COSINE }
        };
        let facing = |direction: &Vector| {
            model
                .iter()
                .filter(|oriented| faces(&oriented.normal, direction))
                .map(|oriented| oriented.point.coords)
                .collect()
        };
        let facing = directions.par_iter().map(facing).collect();
        Some(Self { facing, directions, voters, centre, oriented, origin: low, cell_mm, cells })
    }

    /// Poses over all rotations, most votes first.
    pub fn over_all(&self) -> Vec<Pose> {
        self.over(&(0..ROTATIONS).map(rotation).collect::<Vec<_>>(), NEAR_OF_ALL_DEG)
    }

    /// Poses with the given, closely spaced rotations, most votes first.
    pub fn over_turns(&self, rotations: &[UnitQuaternion<f64>]) -> Vec<Pose> {
        self.over(rotations, NEAR_OF_TURNS_DEG)
    }

    fn over(&self, rotations: &[UnitQuaternion<f64>], near_deg: f64) -> Vec<Pose> {
        let mut peaks: Vec<Peak> = rotations
            .par_iter()
            .map_init(|| vec![0_u32; self.cells.iter().product()], |votes, rotation| self.peaks(rotation, votes))
            .flatten_iter()
            .collect();
        // Stable: peaks of equal votes stay in the order of the rotations.
        peaks.sort_by_key(|peak| std::cmp::Reverse(peak.votes));
        let mut kept: Vec<&Peak> = Vec::with_capacity(MAX_POSES);
        for peak in &peaks {
            let is_near = |other: &&Peak| {
                (other.centre - peak.centre).norm() < NEAR_CELLS * self.cell_mm
                    && other.rotation.angle_to(&peak.rotation) < near_deg.to_radians()
            };
            if !kept.iter().any(is_near) {
                kept.push(peak);
            }
            if kept.len() == MAX_POSES {
                break;
            }
        }
        let pose = |peak: &Peak| Pose::from_parts((peak.centre - peak.rotation * self.centre).into(), peak.rotation);
        kept.into_iter().map(pose).collect()
    }

    /// The translations with the most votes under `rotation`; `votes` is a buffer with one entry per cell.
    fn peaks(&self, rotation: &UnitQuaternion<f64>, votes: &mut [u32]) -> Vec<Peak> {
        votes.fill(0);
        let [nx, ny, nz] = self.cells;
        let matrix = rotation.to_rotation_matrix();
        let scale = 1.0 / self.cell_mm;
        for voter in &self.voters {
            let normal = matrix * voter.normal;
            let nearest = self.nearest_direction(&normal);
            let shift = self.origin + matrix * voter.point.coords;
            let weight = VOTE / self.facing[nearest].len().max(1) as u32;
            for position in &self.facing[nearest] {
                let cell = (position - shift) * scale;
                if cell.x < 0.0 || cell.y < 0.0 || cell.z < 0.0 {
                    continue;
                }
                let (x, y, z) = (cell.x as usize, cell.y as usize, cell.z as usize);
                if x < nx && y < ny && z < nz {
                    votes[(x * ny + y) * nz + z] += weight;
                }
            }
        }
        self.best_cells(rotation, votes)
    }

    /// Index of the direction nearest to a normal, or to its line if the scan's normals are not oriented.
    fn nearest_direction(&self, normal: &Vector) -> usize {
        let nearest_to = |normal: &Vector| {
            // Directions go down the axis in even steps.
            let row = |z: f64| (0.5 * (1.0 - z) * DIRECTIONS as f64).clamp(0.0, DIRECTIONS as f64) as usize;
            let rows = row(normal.z + MAX_RISE)..(row(normal.z - MAX_RISE) + 1).min(DIRECTIONS);
            let cosines = rows.map(|own| (self.directions[own].dot(normal), own));
            cosines.fold((f64::NEG_INFINITY, 0), |best, own| if own.0 >= best.0 { own } else { best })
        };
        let (cosine, index) = nearest_to(normal);
        if self.oriented {
            return index;
        }
        let (opposite_cosine, opposite_index) = nearest_to(&-normal);
        if (opposite_cosine, opposite_index) > (cosine, index) { opposite_index } else { index }
    }

    /// Peaks of the votes summed over blocks of 2 x 2 x 2 cells, since a translation near a cell border splits its
    /// votes.
    fn best_cells(&self, rotation: &UnitQuaternion<f64>, votes: &[u32]) -> Vec<Peak> {
        let [nx, ny, nz] = self.cells;
        let row = |x: usize, y: usize| &votes[(x * ny + y) * nz..][..nz];
        let mut best: Vec<(u32, [usize; 3])> = Vec::with_capacity(MAX_PEAKS + 1);
        let mut sums = vec![0_u32; nz - 1];
        for x in 0..nx - 1 {
            for y in 0..ny - 1 {
                let [a, b, c, d] = [row(x, y), row(x, y + 1), row(x + 1, y), row(x + 1, y + 1)];
                let column = |z: usize| a[z] + b[z] + c[z] + d[z];
                sums.iter_mut().enumerate().for_each(|(z, sum)| *sum = column(z) + column(z + 1));
                let entered = |best: &[(u32, [usize; 3])]| best.get(MAX_PEAKS - 1).map_or(0, |last| last.0);
                if sums.iter().copied().max().unwrap_or_default() <= entered(&best) {
                    continue;
                }
                for (z, &sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0) {
                    if sum <= entered(&best) {
                        continue;
                    }
                    let here = [x, y, z];
                    let is_adjacent = |other: &[usize; 3]| (0..3).all(|axis| other[axis].abs_diff(here[axis]) <= 1);
                    match best.iter_mut().find(|(_, other)| is_adjacent(other)) {
                        Some(own) if own.0 < sum => *own = (sum, here),
                        Some(_) => {}
                        None => best.push((sum, here)),
                    }
                    best.sort_by_key(|(sum, _)| std::cmp::Reverse(*sum));
                    best.truncate(MAX_PEAKS);
                }
            }
        }
        let centre = |[x, y, z]: [usize; 3]| {
            self.origin + Vector::new(x as f64 + 1.0, y as f64 + 1.0, z as f64 + 1.0) * self.cell_mm
        };
        best.into_iter().map(|(votes, cell)| Peak { votes, rotation: *rotation, centre: centre(cell) }).collect()
    }
}

/// Rotation `index` of [`ROTATIONS`], evenly spread.
fn rotation(index: usize) -> UnitQuaternion<f64> {
    const PHI: f64 = std::f64::consts::SQRT_2;
    /// The root of x⁴ = x + 4.
    const PSI: f64 = 1.533_751_168_755_204_3;
    let s = index as f64 + 0.5;
    let t = s / ROTATIONS as f64;
    let (r, big) = (t.sqrt(), (1.0 - t).sqrt());
    let (alpha, beta) = (std::f64::consts::TAU * s / PHI, std::f64::consts::TAU * s / PSI);
    UnitQuaternion::new_normalize(Quaternion::new(big * beta.cos(), r * alpha.sin(), r * alpha.cos(), big * beta.sin()))
}

/// Direction `index` of [`DIRECTIONS`], evenly spread over the sphere.
fn direction(index: usize) -> Vector {
    let z = 1.0 - 2.0 * (index as f64 + 0.5) / DIRECTIONS as f64;
    let angle = index as f64 * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let radius = (1.0 - z * z).sqrt();
    Vector::new(radius * angle.cos(), radius * angle.sin(), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::{Point, mesh::shapes, sampling};

    #[test]
    fn every_rotation_is_near_a_searched_one() {
        let all: Vec<UnitQuaternion<f64>> = (0..ROTATIONS).map(rotation).collect();
        let mut random = Random::new(1, 2);
        for _ in 0..200 {
            let wanted = random.rotation();
            let nearest = all.iter().map(|own| own.angle_to(&wanted)).fold(f64::INFINITY, f64::min);
            assert!(nearest.to_degrees() < 15.0, "{}", nearest.to_degrees());
        }
    }

    #[test]
    fn the_nearest_direction_is_that_among_all() {
        let scene: Vec<OrientedPoint> = (0..3_u64)
            .map(|i| OrientedPoint {
                point: Random::new(i, 4).rotation() * Point::new(1.0, 0.0, 0.0),
                normal: Vector::x(),
            })
            .collect();
        let bounds = Aabb { min: Point::origin(), max: Point::new(2.0, 2.0, 2.0) };
        let mut random = Random::new(7, 7);
        for oriented in [true, false] {
            let votes = TranslationVotes::new(&[], &scene, &bounds, oriented, 0.2).unwrap();
            for _ in 0..20_000 {
                let normal = random.rotation() * Vector::x();
                let cosine = |own: &Vector| if oriented { own.dot(&normal) } else { own.dot(&normal).abs() };
                let best = votes.directions.iter().map(cosine).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(cosine(&votes.directions[votes.nearest_direction(&normal)]), best, "{normal}");
            }
        }
    }

    #[test]
    fn a_corner_of_a_block_is_found_at_all_its_corners() {
        // A corner is its own mirror image, so rotations map it onto all eight.
        let mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 20.0));
        let (bounds, spacing_mm) = (mesh.bounds(), (mesh.area_mm2() / 1400.0).sqrt());
        let model: Vec<OrientedPoint> = sampling::by_area(&mesh, 1400, 1)
            .iter()
            .map(|sample| OrientedPoint { point: sample.point, normal: sample.normal })
            .collect();
        let truth = Pose::from_parts(Vector::new(5.0, 6.0, 7.0).into(), Random::new(3, 3).rotation());
        let scene: Vec<OrientedPoint> = sampling::by_area(&mesh, 4000, 2)
            .iter()
            .filter(|sample| sample.point.coords.norm() < 18.0)
            .map(|sample| OrientedPoint {
                point: truth.inverse() * sample.point,
                normal: truth.rotation.inverse() * sample.normal,
            })
            .collect();
        let found = TranslationVotes::new(&model, &scene, &bounds, true, spacing_mm).unwrap().over_all();
        let corner = truth.inverse() * Point::origin();
        for index in 0..8 {
            let expected = [0, 1, 2].map(|axis| if index >> axis & 1 == 1 { [60.0, 40.0, 20.0][axis] } else { 0.0 });
            let near =
                found.iter().map(|pose| (pose * corner - Point::from(expected)).norm()).fold(f64::INFINITY, f64::min);
            assert!(near < 3.0 * spacing_mm, "{expected:?}: {near}");
        }
    }
}
