//! Every search for the closest point on the user's own data, on every device: one pose, and what each costs.

use std::time::Instant;

use serde::Serialize;

use super::best_fit;
use super::search_registration::Nominal;
use base::{Progress, Result, UserError};
use compute::icp::{self, Parameters, Search, Truth};
use compute::{Backend, Compute, Device};
use geometry::{Aabb, OrderedPoints, Pose, Vector, transform};

/// Points of the scan that take part, at most: brute force looks at all pairs.
pub const SENSED: usize = 9_000;
/// Points of the truth for each point of the scan.
const TRUTH_SHARE: f64 = 4.0 / 3.0;

/// One search on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The search.
    pub search: &'static str,
    /// Where it ran.
    pub device: Device,
    /// From points in the host's memory to the pose, structures made before, ms.
    pub total_ms: f64,
    /// Iterations.
    pub iterations: usize,
    /// Root mean square of the distances minimised, mm.
    pub rms_mm: f64,
    /// From the pose that the k-d tree on the processor finds, at the middle of the part, mm.
    pub apart_mm: f64,
    /// From the same pose, degrees.
    pub apart_deg: f64,
    /// Share of the computing that went into the search; `None` where that is not known.
    pub search_share: Option<f64>,
    /// Points that a walk stood on after the first iteration, in the mean; `None` where nothing walks.
    pub mean_visited: Option<f64>,
    /// Walks after the first iteration by the points they stood on; the last entry holds all longer ones.
    pub walks: Vec<u32>,
    /// Whether it always finds the closest.
    pub is_exact: bool,
}

/// All of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchComparison {
    /// Points sampled from the nominal.
    pub truth: usize,
    /// Points of the scan.
    pub sensed: usize,
    /// Building the tree of the truth, ms.
    pub tree_ms: f64,
    /// Building the Delaunay graph, ms.
    pub graph_ms: f64,
    /// The searches on each device; the last of each device is the best fit on true facets, whose pose is another.
    pub rows: Vec<Row>,
}

impl SearchComparison {
    /// Largest distance of two poses that exact searches found, mm and degrees.
    pub fn spread(&self) -> (f64, f64) {
        self.rows
            .iter()
            .filter(|row| row.is_exact)
            .fold((0.0, 0.0), |(mm, deg), row| (row.apart_mm.max(mm), row.apart_deg.max(deg)))
    }

    /// The spread as a sentence.
    pub fn agreement(&self) -> String {
        match self.spread() {
            (mm, deg) if mm < 1e-6 && deg < 1e-6 => {
                "All exact searches find one pose, to a millionth of a mm and of a degree.".to_owned()
            }
            (mm, deg) => format!("Exact searches find poses up to {mm:.1e} mm and {deg:.1e}° apart."),
        }
    }
}

/// How far a start is turned from the present pose about the centre of the part, so that there is something to do.
const TURN_RAD: f64 = 0.08;

/// `nominal_from_scan` turned by some five degrees about the centre of the nominal: a start where the present pose is the
/// answer already.
pub fn turned(nominal_from_scan: &Pose, bounds: &Aabb) -> Pose {
    let axis = Vector::new(1.0, 2.0, -2.0) / 3.0;
    transform::step_about(&bounds.centre(), axis * TURN_RAD, Vector::zeros()) * nominal_from_scan
}

/// Registers `scan`, thinned, onto points of `nominal` with every search on each of `devices`, of which the first is the
/// reference; and by a best fit, onto facets where it has them. All start from `start`, nominal from scan.
pub fn run(
    devices: &[&dyn Backend],
    nominal: &Nominal<'_>,
    scan: &OrderedPoints,
    start: &Pose,
    progress: &Progress,
) -> Result<SearchComparison> {
    let stride = scan.points.len().div_ceil(SENSED).max(1);
    let thinned: Vec<_> = scan.points.iter().step_by(stride).copied().collect();
    let sensed = OrderedPoints::new(&thinned);
    let count = (thinned.len() as f64 * TRUTH_SHARE) as usize;
    let samples = nominal.points(count);
    if samples.len() < 3 || thinned.len() < 3 {
        return Err(UserError::input("Comparing searches needs a nominal and a scan of three points or more."));
    }
    progress.report(0.0, "Building the tree and the Delaunay graph")?;
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
        // The reference comes first, and is shown in its place.
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
            let at = reference.inverse_transform_point(&truth.centre());
            let (apart_mm, apart_rad) = transform::difference(&pose, &reference, &at);
            Row { apart_mm, apart_deg: apart_rad.to_degrees(), ..row }
        }));
    }
    Ok(SearchComparison { truth: truth.points().len(), sensed: sensed.points.len(), tree_ms, graph_ms, rows })
}

/// What all rows share.
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
        // Counting takes time of its own.
        let counted = if walks {
            let counting = Parameters { counts_walks: true, ..parameters };
            device.compute(&icp::Request { problem: &problem, parameters: &counting }, &Progress::silent())?.visits[1]
                .clone()
        } else {
            Vec::new()
        };
        let stages = answer.stages;
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
            walks: counted,
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
        // Once for what stays on the device.
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
    fn all_searches_find_one_pose() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
        let pose = Pose::new(Vector::new(0.4, -0.5, 0.7), Vector::new(0.02, -0.03, 0.05));
        let scan: Vec<_> =
            sampling::by_area(&mesh, 2000, 7).iter().map(|sample| pose.inverse() * sample.point).collect();
        let surface = Surface::new(mesh);
        let (nominal, scan, progress) = (Nominal::Surface(&surface), OrderedPoints::new(&scan), Progress::silent());
        let start = turned(&Pose::identity(), surface.bounds());
        let comparison = run(&[&Cpu, &Cpu], &nominal, &scan, &start, &progress).unwrap();
        assert_eq!(comparison.rows.len(), 2 * (Search::ALL.len() + 1));
        let (mm, deg) = comparison.spread();
        assert!(mm < 1e-9 && deg < 1e-9, "{mm} {deg}");
        let walk = comparison.rows.iter().find(|row| row.search == "Walk from the last match").unwrap();
        assert!(walk.mean_visited.unwrap() < 2.5 && walk.walks.iter().sum::<u32>() > 0);
        // Facets know better where the surface is than points on it do.
        let triangles = &comparison.rows[7];
        assert!(triangles.rms_mm < 0.01 * walk.rms_mm, "{} {}", triangles.rms_mm, walk.rms_mm);
    }

    #[test]
    fn the_start_is_the_one_given_and_a_cloud_is_a_nominal() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
        let points: Vec<_> = sampling::by_area(&mesh, 2000, 7).iter().map(|sample| sample.point).collect();
        let searchable = SearchablePoints::new(&points);
        let normals: Vec<_> = sampling::by_area(&mesh, 2000, 7).iter().map(|sample| sample.normal).collect();
        let nominal = Nominal::Cloud { points: &searchable, normals: &normals };
        // The nominal's own points where they are: a start at the answer leaves nothing to do.
        let (scan, silent) = (OrderedPoints::new(&points), Progress::silent());
        let at_once = run(&[&Cpu], &nominal, &scan, &Pose::identity(), &silent).unwrap();
        let turned = run(&[&Cpu], &nominal, &scan, &turned(&Pose::identity(), &nominal.bounds()), &silent).unwrap();
        let iterations = |comparison: &SearchComparison| comparison.rows[1].iterations;
        let both = [iterations(&at_once), iterations(&turned)];
        assert!(both[0] <= 2 && both[1] > 5, "{both:?}");
        assert!(at_once.rows.iter().filter(|row| row.is_exact).all(|row| row.rms_mm < 1e-6));
        assert!(at_once.rows[7].search.contains("best fit") && at_once.rows[7].apart_mm < 1e-3);
    }
}
