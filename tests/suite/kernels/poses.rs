//! Poses that point pairs vote for, many poses fitted at once, and what is seen of a part in each: the processor's bits.

use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::pose_refinement::Refined;
use shadowgraph::compute::{Backend, Compute, pose_refinement, pose_scores, pose_votes};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::point_pairs::{OrientedPoint, PairTable, sampled_points};
use shadowgraph::geometry::{NearestFacets, Point, Pose, Probes, RangeImage, Surface, Vector};

use super::device;

/// An angle of two legs with a pin.
fn part() -> Surface {
    let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 20.0, 6.0));
    mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 6.0), Point::new(6.0, 20.0, 40.0)));
    mesh.append(&shapes::cuboid(Point::new(40.0, 8.0, 6.0), Point::new(46.0, 14.0, 18.0)));
    Surface::new(mesh)
}

/// What a sensor far above sees of the part in a pose, and of a floor; and whether each point belongs to the floor.
fn scene(surface: &Surface, scene_from_part: &Pose, sensor: &Point) -> (Vec<OrientedPoint>, Vec<bool>) {
    let mut random = Random::new(8, 0);
    let mut points: Vec<OrientedPoint> = sampled_points(surface.mesh(), 6000, 3)
        .into_iter()
        .map(|own| OrientedPoint {
            point: scene_from_part * own.point + Vector::z() * (0.02 * random.normal()),
            normal: scene_from_part.rotation * own.normal,
        })
        .filter(|own| own.normal.dot(&(sensor - own.point)) > 0.0)
        .collect();
    let of_part = points.len();
    for _ in 0..3000 {
        let point = Point::new(random.range(-90.0, 90.0), random.range(-90.0, 90.0), -40.0);
        points.push(OrientedPoint { point, normal: Vector::z() });
    }
    let is_background = (0..points.len()).map(|index| index >= of_part).collect();
    (points, is_background)
}

fn truth() -> Pose {
    Pose::new(Vector::new(4.0, -9.0, 3.0), Vector::new(0.4, -0.3, 1.1))
}

#[test]
fn votes_agree_with_the_processor() {
    let surface = part();
    let model = sampled_points(surface.mesh(), 160, 3);
    let table = PairTable::new(&model, 4.0);
    let (points, _) = scene(&surface, &truth(), &Point::new(0.0, 0.0, 500.0));
    let scene: Vec<OrientedPoint> = points.into_iter().step_by(45).collect();
    let references: Vec<u32> = (0..scene.len() as u32).step_by(12).collect();
    for oriented in [true, false] {
        let request =
            pose_votes::Request { table: &table, model: &model, scene: &scene, references: &references, oriented };
        let cuda = device();
        let ours = cuda.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(cuda.take_notices(), Vec::<String>::new());
        let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(ours, reference);
        let best = reference.iter().max_by(|a, b| a.votes.total_cmp(&b.votes)).unwrap();
        let off = best.model_from_scene * truth();
        assert!(reference.len() > references.len() && best.votes > 20.0, "{}", best.votes);
        assert!(off.rotation.angle() < 0.6 || !oriented, "{off}");
    }
}

#[test]
fn fits_of_many_poses_agree_with_the_processor_and_find_the_pose() {
    let surface = part();
    let lattice = NearestFacets::new(&surface, 5.0, 8.0);
    let (scene, _) = scene(&surface, &truth(), &Point::new(0.0, 0.0, 500.0));
    let mut random = Random::new(5, 1);
    let mut starts: Vec<Pose> = (0..12)
        .map(|_| {
            let shift = Vector::new(random.normal(), random.normal(), random.normal());
            let turn = Vector::new(random.normal(), random.normal(), random.normal()) * 0.02;
            (truth() * Pose::new(shift, turn)).inverse()
        })
        .collect();
    // Nothing lies about it.
    starts.push(Pose::translation(900.0, 0.0, 0.0));
    for (oriented, is_rough, max_points) in [(true, false, 300), (false, false, 2000), (true, true, 300)] {
        let request = pose_refinement::Request {
            lattice: &lattice,
            centre: surface.bounds().centre(),
            radius_mm: 0.5 * surface.bounds().diagonal(),
            scene: &scene,
            oriented,
            is_rough,
            part_from_scene: &starts,
            gates_mm: [5.0, 1.0],
            min_cosine: 0.5,
            max_points,
            max_steps: 20,
            step_limit_mm: 1e-6,
        };
        let cuda = device();
        let ours = cuda.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(cuda.take_notices(), Vec::<String>::new());
        let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(ours, reference);
        let off = |own: &Refined| {
            let off = own.part_from_scene * truth();
            off.translation.vector.norm() + off.rotation.angle() * 40.0
        };
        assert!(reference[..12].iter().all(|own| own.as_ref().is_some_and(|own| off(own) < 0.1)), "{reference:?}");
        assert!(reference[12].is_none());
    }
}

#[test]
fn what_is_seen_agrees_with_the_processor_and_tells_right_poses_from_wrong_ones() {
    let surface = part();
    let probes = Probes::new(&surface, &sampled_points(surface.mesh(), 900, 3));
    let sensor = Point::new(20.0, -30.0, 500.0);
    let (scene, is_background) = scene(&surface, &truth(), &sensor);
    let points: Vec<Point> = scene.iter().map(|own| own.point).collect();
    let image = RangeImage::new(sensor, &points, 0.9).unwrap();
    let mut random = Random::new(6, 1);
    let mut poses = vec![truth()];
    poses.extend((0..30).map(|_| {
        let shift = Vector::new(random.normal(), random.normal(), random.normal()) * 12.0;
        truth() * Pose::from_parts(shift.into(), random.rotation())
    }));
    let tolerances_mm: Vec<f64> = (0..poses.len()).map(|index| 1.0 + 0.02 * index as f64).collect();
    for step in [1, 3] {
        let request = pose_scores::Request {
            probes: &probes,
            step,
            image: &image,
            scene: &scene,
            is_background: &is_background,
            scene_from_part: &poses,
            tolerances_mm: &tolerances_mm,
        };
        let cuda = device();
        let ours = cuda.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(cuda.take_notices(), Vec::<String>::new());
        let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(ours, reference);
        let right = reference[0];
        assert!(right.score() > 0.8 && right.agreement() > 0.95, "{right:?}");
        assert!(reference[1..].iter().all(|own| own.score() < 0.5), "{reference:?}");
        let whole = |own: &pose_scores::Terms| own.explained + own.missing + own.hidden + own.tilted + own.unknown;
        assert!(reference.iter().all(|own| whole(own) == own.facing));
    }
}
