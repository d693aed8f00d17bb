//! Comparison of all closest-point searches on the user's own data and on every device: the poses they find and their
//! running times.

use std::time::Instant;

use serde::Serialize;

use super::best_fit;
use super::search_registration::Nominal;
use base::{Progress, Result, UserError};
use compute::icp::{self, Parameters, Search, Truth};
use compute::{Backend, Compute, Device};
use geometry::{Aabb, OrderedPoints, Pose, Vector, transform};

/// Maximum number of scan points used: brute force compares all pairs.
pub const MAX_SCAN_POINTS: usize = 9_000;
/// Points sampled from the nominal per point of the scan.
const NOMINAL_POINTS_PER_SCAN_POINT: f64 = 4.0 / 3.0;

/// Result of one search on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the search.
    pub search: &'static str,
    /// Device it ran on.
    pub device: Device,
    /// Time from points in host memory to the pose, ms; search structures were built before.
    pub total_ms: f64,
    /// Number of iterations.
    pub iterations: usize,
    /// RMS of the minimised distances, mm.
    pub rms_mm: f64,
    /// Distance from the pose that the k-d tree finds on the first device, at the centre of the part, mm.
    pub apart_mm: f64,
    /// Angle of rotation relative to the same pose, degrees.
    pub apart_deg: f64,
    /// Share of the computing time spent in the search, 0 to 1; `None` if unknown.
    pub search_share: Option<f64>,
    /// Mean number of points visited per walk after the first iteration; `None` for searches that do not walk.
    pub mean_visited: Option<f64>,
    /// Number of walks after the first iteration by points visited; the last entry includes all longer walks.
    pub walks: Vec<u32>,
    /// Whether the search always finds the closest point.
    pub is_exact: bool,
}

/// Comparison of all searches on all devices.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchComparison {
    /// Number of points sampled from the nominal.
    pub truth: usize,
    /// Number of scan points used.
    pub sensed: usize,
    /// Time to build the k-d tree of the nominal's points, ms.
    pub tree_ms: f64,
    /// Time to build their Delaunay graph, ms.
    pub graph_ms: f64,
    /// The searches, device by device; the last row of each device is the best fit, which minimises other distances and
    /// ends in another pose.
    pub rows: Vec<Row>,
}

impl SearchComparison {
    /// Largest deviation of an exact search from the reference pose: mm and degrees.
    pub fn spread(&self) -> (f64, f64) {
        self.rows
            .iter()
            .filter(|row| row.is_exact)
            .fold((0.0, 0.0), |(mm, deg), row| (row.apart_mm.max(mm), row.apart_deg.max(deg)))
    }

    /// [`Self::spread`] as a sentence.
    pub fn agreement(&self) -> String {
        match self.spread() {
            (mm, deg) if mm < 1e-6 && deg < 1e-6 => {
                "All exact searches find the same pose to within 1e-6 mm and 1e-6°.".to_owned()
            }
            (mm, deg) => format!("The poses found by exact searches differ by up to {mm:.1e} mm and {deg:.1e}°."),
        }
    }
}

/// Rotation of the start from the present pose, rad.
const START_ROTATION_RAD: f64 = 0.08;

/// `nominal_from_scan` rotated by some five degrees about the centre of the nominal's bounds: a start for comparisons
/// where the scan is already aligned.
pub fn rotated_start(nominal_from_scan: &Pose, bounds: &Aabb) -> Pose {
    let axis = Vector::new(1.0, 2.0, -2.0) / 3.0;
    transform::step_about(&bounds.centre(), axis * START_ROTATION_RAD, Vector::zeros()) * nominal_from_scan
}

/// Registers `scan`, thinned to [`MAX_SCAN_POINTS`], onto points sampled from `nominal` with every search on each of
/// `devices`, and by a best fit onto the nominal itself. The reference pose is that of the k-d tree on the first
/// device. All start from `start`, nominal from scan.
///
/// Returns an error for fewer than three points on either side, and if a device fails or the work is cancelled.
pub fn run(
    devices: &[&dyn Backend],
    nominal: &Nominal<'_>,
    scan: &OrderedPoints,
    start: &Pose,
    progress: &Progress,
) -> Result<SearchComparison> {
    let stride = scan.points.len().div_ceil(MAX_SCAN_POINTS).max(1);
    let thinned: Vec<_> = scan.points.iter().step_by(stride).copied().collect();
    let sensed = OrderedPoints::new(&thinned);
    let count = (thinned.len() as f64 * NOMINAL_POINTS_PER_SCAN_POINT) as usize;
    let samples = nominal.points(count);
    if samples.len() < 3 || thinned.len() < 3 {
        return Err(UserError::input("Comparing searches needs a nominal and a scan with at least three points."));
    }
    progress.report(0.0, "Building the k-d tree and the Delaunay graph")?;
    let truth = Truth::new(&samples);
    let (tree_ms, _) = timed(|| Ok(truth.tree()))?;
    let (graph_ms, _) = timed(|| truth.graph(&progress.part(0.0, 0.1)))?;
    let case = Case { nominal, truth: &truth, sensed: &sensed, start };
    let runs = devices.len() * (Search::ALL.len() + 1);
    let part =
        |done: usize| progress.part(0.1 + 0.9 * done as f32 / runs as f32, 0.1 + 0.9 * (done + 1) as f32 / runs as f32);
    let mut reference = None;
    let mut rows = Vec::new();
    for &device in devices {
        // The reference runs first; the rows are sorted afterwards.
        let mut own = Vec::new();
        for search in std::iter::once(Search::KdTree).chain(Search::ALL.into_iter().filter(|s| *s != Search::KdTree)) {
            let (row, pose) = case.search(device, search, &part(rows.len() + own.len()))?;
            own.push((search, row, pose));
        }
        let (row, pose) = case.best_fit(device, &part(rows.len() + own.len()))?;
        let reference = *reference.get_or_insert(own[0].2);
        own.sort_by_key(|(search, ..)| Search::ALL.iter().position(|other| other == search));
        let all = own.into_iter().map(|(_, row, pose)| (row, pose)).chain([(row, pose)]);
        rows.extend(all.map(|(row, pose)| {
            let centre = reference.inverse_transform_point(&truth.centre());
            let (apart_mm, apart_rad) = transform::difference(&pose, &reference, &centre);
            Row { apart_mm, apart_deg: apart_rad.to_degrees(), ..row }
        }));
    }
    Ok(SearchComparison { truth: truth.points().len(), sensed: sensed.points.len(), tree_ms, graph_ms, rows })
}

/// The problem that all searches solve.
struct Case<'a> {
    nominal: &'a Nominal<'a>,
    truth: &'a Truth,
    sensed: &'a OrderedPoints,
    start: &'a Pose,
}

impl Case<'_> {
    fn search(&self, device: &dyn Backend, search: Search, progress: &Progress) -> Result<(Row, Pose)> {
        let parameters = Parameters { start: *self.start, ..Parameters::new(search, self.truth) };
        let problem = icp::Problem { truth: self.truth, sensed: self.sensed };
        let (total_ms, answer) =
            timed(|| device.compute(&icp::Request { problem: &problem, parameters: &parameters }, progress))?;
        let walks = matches!(search, Search::Walk(_));
        // Counted in a second run, as counting takes time.
        let walk_counts = if walks {
            let counting = Parameters { records_walk_lengths: true, ..parameters };
            device.compute(&icp::Request { problem: &problem, parameters: &counting }, &Progress::silent())?.visits[1]
                .clone()
        } else {
            Vec::new()
        };
        let stages = answer.timings;
        let computing_ms = stages.search_ms + stages.sums_ms + stages.solve_ms;
        let row = Row {
            search: search.name(),
            device: device.device(),
            total_ms,
            iterations: answer.iterations.len(),
            rms_mm: answer.error_mm2().sqrt(),
            apart_mm: 0.0,
            apart_deg: 0.0,
            search_share: (computing_ms > 0.0).then_some(stages.search_ms / computing_ms),
            mean_visited: walks.then(|| answer.mean_visited(1..)),
            walks: walk_counts,
            is_exact: search.is_exact(),
        };
        Ok((row, answer.truth_from_sensed))
    }

    fn best_fit(&self, device: &dyn Backend, progress: &Progress) -> Result<(Row, Pose)> {
        let problem = best_fit::Problem {
            target: self.nominal.target(),
            bounds: self.nominal.bounds(),
            points: self.sensed,
            normals: &[],
            oriented: false,
        };
        let parameters = best_fit::Parameters::default();
        let fit = || best_fit::run(device, &problem, self.start, &parameters, progress, &mut |_, _| ());
        // Warm-up: uploads what stays on the device.
        fit()?;
        let (total_ms, alignment) = timed(fit)?;
        let row = Row {
            search: match self.nominal {
                Nominal::Surface(_) => "Closest triangle (best fit)",
                Nominal::Cloud { .. } => "Closest point with normal (best fit)",
            },
            device: device.device(),
            total_ms,
            iterations: alignment.iterations,
            rms_mm: alignment.rms_mm,
            apart_mm: 0.0,
            apart_deg: 0.0,
            search_share: None,
            mean_visited: None,
            walks: Vec::new(),
            is_exact: false,
        };
        Ok((row, alignment.nominal_from_scan))
    }
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let started = Instant::now();
    let answer = work()?;
    Ok((started.elapsed().as_secs_f64() * 1e3, answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{SearchablePoints, Surface, sampling};

    #[test]
    fn all_exact_searches_find_the_same_pose() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
        let pose = Pose::new(Vector::new(0.4, -0.5, 0.7), Vector::new(0.02, -0.03, 0.05));
        let scan: Vec<_> =
            sampling::by_area(&mesh, 2000, 7).iter().map(|sample| pose.inverse() * sample.point).collect();
        let surface = Surface::new(mesh);
        let (nominal, scan, progress) = (Nominal::Surface(&surface), OrderedPoints::new(&scan), Progress::silent());
        let start = rotated_start(&Pose::identity(), surface.bounds());
        let comparison = run(&[&Cpu, &Cpu], &nominal, &scan, &start, &progress).unwrap();
        assert_eq!(comparison.rows.len(), 2 * (Search::ALL.len() + 1));
        let (mm, deg) = comparison.spread();
        assert!(mm < 1e-9 && deg < 1e-9, "{mm} {deg}");
        let walk = comparison.rows.iter().find(|row| row.search == "Walk from the last match").unwrap();
        assert!(walk.mean_visited.unwrap() < 2.5 && walk.walks.iter().sum::<u32>() > 0);
        // Facets represent the surface better than points sampled on it.
        let triangles = &comparison.rows[7];
        assert!(triangles.rms_mm < 0.01 * walk.rms_mm, "{} {}", triangles.rms_mm, walk.rms_mm);
    }

    #[test]
    fn the_given_start_is_used_and_the_nominal_can_be_a_cloud() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
        let points: Vec<_> = sampling::by_area(&mesh, 2000, 7).iter().map(|sample| sample.point).collect();
        let searchable = SearchablePoints::new(&points);
        let normals: Vec<_> = sampling::by_area(&mesh, 2000, 7).iter().map(|sample| sample.normal).collect();
        let nominal = Nominal::Cloud { points: &searchable, normals: &normals };
        // The nominal's own points, in place: a start at the solution converges at once.
        let (scan, silent) = (OrderedPoints::new(&points), Progress::silent());
        let at_once = run(&[&Cpu], &nominal, &scan, &Pose::identity(), &silent).unwrap();
        let turned =
            run(&[&Cpu], &nominal, &scan, &rotated_start(&Pose::identity(), &nominal.bounds()), &silent).unwrap();
        let iterations = |comparison: &SearchComparison| comparison.rows[1].iterations;
        let both = [iterations(&at_once), iterations(&turned)];
        assert!(both[0] <= 2 && both[1] > 5, "{both:?}");
        assert!(at_once.rows.iter().filter(|row| row.is_exact).all(|row| row.rms_mm < 1e-6));
        assert!(at_once.rows[7].search.contains("best fit") && at_once.rows[7].apart_mm < 1e-3);
    }
}
