//! Sections of a search for a part: matches of descriptors, what is seen of poses, fits of poses (sizes of Popovic 2013,
//! table 3.1).

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::time;
use super::{no_notices, time_on_cpu, time_resident};
use base::random::Random;
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::{Capability, Compute, nearest_descriptors, pose_refinement, pose_scores};
use geometry::local_features::Descriptor;
use geometry::mesh::shapes;
use geometry::point_pairs::sampled_points;
use geometry::{Point, Pose, Probes, Surface, Vector};
use inspect::detection::{PartModel, Scene};
use inspect::simulation::pile;

/// References, queries and neighbours of the matches.
const REFERENCES: usize = 10_240;
const QUERIES: usize = 2_000;
const NEIGHBOURS: usize = 30;
/// Poses that are judged, by how many probes each.
const JUDGED: [(usize, usize); 3] = [(2_000, 500), (400, 500), (50, 10_000)];
/// Poses that are fitted, to how many points, in how many steps.
const FITTED: [(usize, usize); 2] = [(50, 2_500), (400, 400)];
const STEPS: usize = 20;

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    matches(arguments, cuda, rows)?;
    let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 30.0, 10.0));
    mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 9.0), Point::new(20.0, 30.0, 25.0)));
    mesh.append(&shapes::torus(8.0, 3.0, 64, 32));
    let surface = Surface::new(mesh);
    let parameters = pile::Parameters::for_parts(8, surface.bounds().diagonal(), 1);
    let pile = pile::run(&[&surface], &[0; 8], &parameters, &Progress::silent())?;
    let model = PartModel::new("part", &surface)?;
    let scene = Scene::new(&Cpu, &pile.cloud, model.diameter_mm, &Progress::silent())?;
    let mut random = Random::new(3, 0);
    let mut near_truth = |count: usize| -> Vec<Pose> {
        let placed = pile.parts.iter().cycle().take(count);
        placed
            .map(|placed| {
                let shift = Vector::new(random.normal(), random.normal(), random.normal()) * (0.02 * model.diameter_mm);
                let turn = Vector::new(random.normal(), random.normal(), random.normal()) * 0.05;
                placed.scene_from_part * Pose::new(shift, turn)
            })
            .collect()
    };
    for (poses, probes) in JUDGED {
        judge(arguments, cuda, rows, &surface, &scene, &near_truth(poses), probes)?;
    }
    for (poses, points) in FITTED {
        fit(arguments, cuda, rows, &model, &scene, &near_truth(poses), points)?;
    }
    no_notices(cuda)
}

/// Times a request on the processor, from host to host and resident on a device, and compares the answers.
fn compare<C: Capability<Answer: PartialEq + Send> + Sync>(
    case: &str,
    arguments: &Bench,
    cuda: &Cuda,
    rows: &mut Vec<Value>,
    request: &C,
    launch: impl FnMut() -> Result<()>,
) -> Result<()> {
    let reference = time_on_cpu(case, arguments, rows, || Cpu.compute(request, &Progress::silent()))?;
    let (answers, row) =
        time(&format!("{case}, host to host"), arguments.runs, || cuda.compute(request, &Progress::silent()))?;
    rows.push(row);
    rows.push(time_resident(&format!("{case}, resident"), arguments, cuda, launch)?);
    rows.push(json!({ "case": format!("{case}, parity"), "same": answers == reference }));
    Ok(())
}

fn matches(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let mut random = Random::new(1, 0);
    let mut draw = |count: usize| -> Vec<Descriptor> {
        (0..count).map(|_| std::array::from_fn(|_| (100.0 * random.uniform()) as f32)).collect()
    };
    let (references, queries) = (draw(REFERENCES), draw(QUERIES));
    let request = nearest_descriptors::Request { references: &references, queries: &queries, count: NEIGHBOURS };
    let case = format!("{NEIGHBOURS} nearest of {REFERENCES} descriptors ({QUERIES} queries)");
    let job = cuda.prepare_nearest_descriptors(&request)?;
    compare(&case, arguments, cuda, rows, &request, || job.launch())
}

fn judge(
    arguments: &Bench,
    cuda: &Cuda,
    rows: &mut Vec<Value>,
    surface: &Surface,
    scene: &Scene,
    poses: &[Pose],
    probes: usize,
) -> Result<()> {
    let Some(image) = &scene.image else { return Err(UserError::internal("The pile has no range image.")) };
    let probes = Probes::new(surface, &sampled_points(surface.mesh(), probes, 7));
    let tolerances_mm = vec![1.0; poses.len()];
    let request = pose_scores::Request {
        probes: &probes,
        step: 1,
        image,
        scene: &scene.points,
        is_background: &scene.is_background,
        scene_from_part: poses,
        tolerances_mm: &tolerances_mm,
    };
    let case = format!("what is seen of {} poses ({} probes each)", poses.len(), probes.points.len());
    let job = cuda.prepare_pose_scores(&request)?;
    compare(&case, arguments, cuda, rows, &request, || job.launch())
}

fn fit(
    arguments: &Bench,
    cuda: &Cuda,
    rows: &mut Vec<Value>,
    model: &PartModel<'_>,
    scene: &Scene,
    poses: &[Pose],
    points: usize,
) -> Result<()> {
    let starts: Vec<Pose> = poses.iter().map(Pose::inverse).collect();
    let request = pose_refinement::Request {
        lattice: &model.lattice,
        centre: model.centre(),
        radius_mm: 0.5 * model.diameter_mm,
        scene: &scene.points,
        oriented: scene.oriented,
        is_rough: true,
        part_from_scene: &starts,
        gates_mm: [0.06, 0.02].map(|share| share * model.diameter_mm),
        min_cosine: 0.5,
        max_points: points,
        max_steps: STEPS,
        // All steps are taken.
        step_limit_mm: 0.0,
    };
    let case = format!("fits of {} poses ({points} points, {STEPS} steps)", poses.len());
    let job = cuda.prepare_pose_refinement(&request)?;
    compare(&case, arguments, cuda, rows, &request, || job.launch())
}
