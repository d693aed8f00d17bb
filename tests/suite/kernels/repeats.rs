//! Repeats: the same bits each time, and no memory that stays behind.

use rayon::prelude::*;
use shadowgraph::base::Progress;
use shadowgraph::compute::cuda::Cuda;
use shadowgraph::compute::icp::{self, Parameters, Search, Start, Truth};
use shadowgraph::compute::morphological_offset::Template;
use shadowgraph::compute::registration::{Metric, Problem, Robust, Step, Target};
use shadowgraph::compute::{
    Backend, Compute, distance_field, distance_offset, facet_facet_matching, morphological_offset, neighbourhoods,
    parallel_planes, point_deviation, point_facet_matching, statistics, thinning, voxel_error, voxelisation,
};
use shadowgraph::geometry::distance_field::FieldGrid;
use shadowgraph::geometry::voxels::{CellFormat, Lattice, Layout, VoxelTree};
use shadowgraph::geometry::{
    OrderedPoints, Point, Pose, SearchablePoints, Sides, SolidSurface, Surface, Vector, mesh::shapes, sampling,
};

use super::{assert_nothing_stays_behind, device, is_on_gpu, sized};

/// Inputs of every job, made once.
struct Jobs {
    surface: Surface,
    points: Vec<Point>,
    ordered: OrderedPoints,
    truth: Truth,
    planes: Vec<[f32; 4]>,
}

impl Jobs {
    fn new() -> Self {
        let surface = Surface::new(shapes::torus(30.0, 8.0, 24, 12));
        let points: Vec<Point> = sampling::by_area(surface.mesh(), 700, 3)
            .iter()
            .map(|sample| sample.point + sample.normal * 0.1 * (sample.point.x + sample.point.z).sin())
            .collect();
        let truth = sampling::by_area(surface.mesh(), 900, 4).iter().map(|sample| sample.point).collect::<Vec<_>>();
        let planes =
            (0..9000_u16).map(|i| [f32::from(i % 90), f32::from(i / 90), 0.01 * f32::from(i % 7), 1.0]).collect();
        Self { ordered: OrderedPoints::new(&points), truth: Truth::new(&truth), surface, points, planes }
    }

    /// Runs every job; the bits of all answers.
    fn run(&self, cuda: &Cuda) -> Vec<u64> {
        let (silent, pose) = (Progress::silent(), Pose::new(Vector::new(0.2, 0.1, -0.1), Vector::new(0.01, 0.0, 0.02)));
        let mut bits = Vec::new();
        let request = point_deviation::Request {
            surface: &self.surface,
            points: &self.ordered,
            normals: &[],
            oriented: false,
            nominal_from_scan: &pose,
            max_distance_mm: 5.0,
            max_angle_rad: 1.0,
        };
        bits.extend(cuda.compute(&request, &silent).unwrap().iter().map(|d| d.deviation_mm.to_bits()));
        let searchable = SearchablePoints::new(&self.points);
        let request = point_facet_matching::Request {
            nominal: self.surface.mesh(),
            points: &searchable,
            directions: &[],
            nominal_from_scan: &pose,
            radius_mm: None,
            max_distance_mm: 1.0,
            max_angle_rad: 1.0,
        };
        bits.extend(cuda.compute(&request, &silent).unwrap().iter().map(|d| d.deviation_mm.to_bits()));
        let request = facet_facet_matching::Request {
            nominal: self.surface.mesh(),
            scan: &self.surface,
            nominal_from_scan: &pose,
            max_distance_mm: 1.0,
            max_angle_rad: 1.0,
        };
        bits.extend(cuda.compute(&request, &silent).unwrap().iter().map(|d| d.deviation_mm.to_bits()));
        let (sets, each) = ([2], [4500, 4500]);
        let request =
            parallel_planes::Request { points: &self.planes, origin: Point::origin(), planes: &each, sets: &sets };
        bits.extend(cuda.compute(&request, &silent).unwrap()[0].moments_mm2.map(f64::to_bits));
        let problem =
            Problem { target: Target::Surface(&self.surface), points: &self.ordered, normals: &[], oriented: false };
        let step = Step {
            stride: 1,
            nominal_from_scan: pose,
            pivot: Point::origin(),
            max_distance_mm: 2.0,
            max_angle_rad: 1.0,
            trim: 0.1,
            robust: Robust::Tukey,
            floor_mm: 1e-6,
            metric: Metric::PointToTriangle,
        };
        let answer = cuda.registration(problem).step(&step, &silent).unwrap();
        bits.extend(answer.hessian.iter().chain(answer.gradient.iter()).map(|term| term.to_bits()));
        for search in [Search::KdTree, Search::Walk(Start::LeafThenPrevious)] {
            let parameters = Parameters { max_iterations: 3, ..Parameters::new(search, &self.truth) };
            let problem = icp::Problem { truth: &self.truth, sensed: &self.ordered };
            let answer = cuda.compute(&icp::Request { problem: &problem, parameters: &parameters }, &silent).unwrap();
            bits.extend(answer.truth_from_sensed.to_homogeneous().iter().map(|term| term.to_bits()));
        }
        let request = neighbourhoods::Request { points: &searchable, neighbours: 12 };
        bits.extend(cuda.compute(&request, &silent).unwrap().iter().map(|own| own.variation.to_bits()));
        let values: Vec<f64> = self.points.iter().map(|point| point.x).collect();
        let request = statistics::Request { values: &values, allowed: [-1.0, 1.0], range: [-5.0, 5.0], bins: 9 };
        bits.push(cuda.compute(&request, &silent).unwrap().variance.to_bits());
        let request = thinning::Request { points: &searchable, rule: thinning::Rule::Distance(2.0) };
        bits.extend(cuda.compute(&request, &silent).unwrap().iter().map(|&number| u64::from(number)));
        bits.extend(self.volumes(cuda));
        assert_eq!(cuda.take_notices(), Vec::<String>::new());
        bits
    }

    /// Volumes of every kind, one of another.
    fn volumes(&self, cuda: &Cuda) -> Vec<u64> {
        let silent = Progress::silent();
        let solid = SolidSurface::new(&self.surface, Sides::Normals);
        let lattice = Lattice::around(self.surface.bounds(), 6.0, sized(64, 48) as u32);
        let (layout, cell_format) = (Layout { root: 4, branching: 2, leaf: 8 }, CellFormat::Compact);
        let words = |tree: &VoxelTree| tree.words().iter().map(|word| u64::from(*word)).collect::<Vec<_>>();
        let request = voxelisation::Request { solid: &solid, lattice, layout, cell_format };
        let source = cuda.compute(&request, &silent).unwrap().tree;
        let request = distance_offset::Request { solid: &solid, distance_mm: 2.0, lattice, layout, cell_format };
        let exact = cuda.compute(&request, &silent).unwrap().tree;
        let request = morphological_offset::Request {
            tree: &source,
            distance: 3.0,
            template: Template::Ring,
            earlier_passes: 1,
            culls: false,
        };
        let ring = cuda.compute(&request, &silent).unwrap().tree;
        let request = voxel_error::Request { offset: &ring, source: &source, distance: 3.0 };
        let error = cuda.compute(&request, &silent).unwrap().mean_absolute;
        let grid = FieldGrid::around(self.surface.bounds(), 3.0, 40);
        let request = distance_field::Request { solid: &solid, grid, tolerance_mm: 0.1 };
        let bricks = cuda.compute(&request, &silent).unwrap().bricks() as u64;
        let mut bits = [words(&source), words(&exact), words(&ring)].concat();
        bits.extend([error.to_bits(), bricks]);
        bits
    }
}

#[test]
fn repeats_are_the_same_bits_and_leave_no_memory_behind() {
    let (jobs, cuda) = (Jobs::new(), device());
    let first = jobs.run(&cuda);
    let free = cuda.driver().free_bytes().unwrap();
    for repeat in 0..if is_on_gpu() { 100 } else { sized(2, 1) } {
        assert!(jobs.run(&cuda) == first, "repeat {repeat} differs");
    }
    // Every buffer taken and given back, surfaces included.
    for _ in 0..if is_on_gpu() { 900 } else { 1 } {
        cuda.forget();
        jobs.run(&cuda);
    }
    assert_nothing_stays_behind(&cuda, free);
}

/// The elements of a plan and the parts of a detection ask the device side by side, from the threads that also fill and
/// empty its buffers: none may wait for another that waits for it.
#[test]
fn requests_from_all_threads_at_once_are_answered() {
    let count = if is_on_gpu() { 400_000 } else { 3_000 };
    let surfaces: Vec<Surface> =
        (0..6).map(|number| Surface::new(shapes::torus(30.0 + f64::from(number), 8.0, 24, 12))).collect();
    let points: Vec<Point> = sampling::by_area(surfaces[0].mesh(), count, 3).iter().map(|own| own.point).collect();
    let ordered = OrderedPoints::new(&points);
    let cuda = device();
    let of = |number: usize| {
        let request = point_deviation::Request {
            surface: &surfaces[number % surfaces.len()],
            points: &ordered,
            normals: &[],
            oriented: false,
            nominal_from_scan: &Pose::identity(),
            max_distance_mm: 20.0,
            max_angle_rad: 3.2,
        };
        cuda.compute(&request, &Progress::silent()).map(|answer| answer.len())
    };
    let tasks = if is_on_gpu() { 96 } else { 8 };
    let answers: Vec<usize> = (0..tasks).into_par_iter().map(of).collect::<Result<_, _>>().unwrap();
    assert!(answers.iter().all(|answer| *answer == points.len()));
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
}
