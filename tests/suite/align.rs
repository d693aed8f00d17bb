//! Automatic alignment from any pose, on the demo and on the shared parts.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::geometry::{Cloud, Pose, Surface, Vector, transform};
use shadowgraph::inspect::alignment::automatic;
use shadowgraph::inspect::alignment::{Alignment, best_fit};
use shadowgraph::inspect::parts::PreparedScan;
use shadowgraph::inspect::simulation::{self, sensor::Sensor, views};
use shadowgraph::io::{LoadOptions, load_nominal, load_scan};

use super::support::{asset, cad_reader, poses, shared_data};

fn align(surface: &Surface, cloud: &Cloud) -> Alignment {
    let prepared = PreparedScan::new(cloud);
    let parameters = best_fit::Parameters::default();
    automatic::run(&Cpu, surface, cloud, &prepared, &parameters, &Progress::silent(), &mut |_, _| ()).unwrap()
}

fn random_pose(random: &mut Random, size: f64) -> Pose {
    let shift = Vector::new(random.normal(), random.normal(), random.normal()) * size;
    Pose::from_parts(shift.into(), random.rotation())
}

#[test]
fn the_demo_is_found_from_any_pose_with_the_same_bits_at_a_second_run() {
    let silent = Progress::silent();
    let surface = Surface::new(load_nominal(&asset("bracket.stl"), &LoadOptions::default(), &silent).unwrap().mesh);
    let scan = load_scan(&asset("bracket-scan.ply"), &LoadOptions::default(), &silent).unwrap();
    let truth: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(asset("bracket-truth.json")).unwrap()).unwrap();
    let rows: [[f64; 4]; 4] = serde_json::from_value(truth["nominal_from_scan"].clone()).unwrap();
    let truth = transform::from_rows(&rows).unwrap();
    let mut random = Random::new(100, 0);
    for i in 0..poses(2) {
        let moved = random_pose(&mut random, 100.0);
        let mut cloud = scan.cloud.clone();
        cloud.transform(&moved);
        let found = align(&surface, &cloud);
        let expected = truth * moved.inverse();
        let centre = expected.inverse_transform_point(&surface.bounds().centre());
        let (shift_mm, angle_rad) = transform::difference(&found.nominal_from_scan, &expected, &centre);
        assert!(shift_mm < 0.005 && angle_rad.to_degrees() < 0.005, "{i}: {shift_mm} {}", angle_rad.to_degrees());
        if i == 0 {
            assert_eq!(align(&surface, &cloud).nominal_from_scan, found.nominal_from_scan);
        }
    }
}

/// One-sided scans with outliers of a shared part scaled to 100 mm.
fn one_sided(name: &str) {
    let Some(path) = shared_data(name) else { return };
    let options = LoadOptions { cad: cad_reader(), ..LoadOptions::default() };
    let mut mesh = load_nominal(&path, &options, &Progress::silent()).unwrap().mesh;
    mesh.scale(100.0 / mesh.bounds().diagonal());
    let surface = Surface::new(mesh);
    let mut random = Random::new(7, 7);
    for i in 0..poses(1) {
        let sensor = Sensor { pitch_mm: [0.18, 0.3], ..Sensor::default() };
        // Three views within 20 degrees of one side, as one would take them: about 30 % of the surface.
        let turn = random.rotation();
        let views = (0..3).flat_map(|view| {
            let angle = f64::from(view) * std::f64::consts::TAU / 3.0;
            let from = turn * Vector::new(0.35 * angle.cos(), 0.35 * angle.sin(), 1.0);
            views::tiles(surface.bounds(), &from, &sensor)
        });
        let scan_from_nominal = random_pose(&mut random, 50.0);
        let parameters = simulation::Parameters {
            sensor,
            nominal_from_sensor: views.collect(),
            scan_from_nominal,
            outliers: 0.05,
            seed: i as u64 + 1,
            ..simulation::Parameters::default()
        };
        let simulated = simulation::run(&surface, &parameters, &Progress::silent()).unwrap();
        let found = align(&surface, &simulated.cloud);
        let expected = simulated.nominal_from_scan;
        let centre = expected.inverse_transform_point(&surface.bounds().centre());
        let (shift_mm, angle_rad) = transform::difference(&found.nominal_from_scan, &expected, &centre);
        assert!(
            shift_mm < 0.02 && angle_rad.to_degrees() < 0.02,
            "{name} {i}: {shift_mm} mm {} deg, {} alternatives",
            angle_rad.to_degrees(),
            found.alternatives.len()
        );
    }
}

#[test]
fn one_sided_scans_of_a_cad_part() {
    if cfg!(feature = "cad") {
        one_sided("cad/featuretype.step");
    }
}

#[test]
fn one_sided_scans_of_fandisk() {
    one_sided("mesh/fandisk.obj");
}

#[test]
fn one_sided_scans_of_rocker_arm() {
    one_sided("mesh/rocker-arm.obj");
}

#[test]
fn a_symmetric_part_reports_its_other_poses() {
    // A square plate with a boss in its middle looks the same from four sides.
    let mut mesh = shadowgraph::geometry::mesh::shapes::cuboid([-20.0, -20.0, 0.0].into(), [20.0, 20.0, 4.0].into());
    mesh.append(&shadowgraph::geometry::mesh::shapes::cuboid([-6.0, -6.0, 4.0].into(), [6.0, 6.0, 12.0].into()));
    let surface = Surface::new(mesh);
    let parameters = simulation::Parameters { views: 6, points: Some(30_000), ..simulation::Parameters::default() };
    let simulated = simulation::run(&surface, &parameters, &Progress::silent()).unwrap();
    let found = align(&surface, &simulated.cloud);
    let quarter = std::f64::consts::FRAC_PI_2;
    assert_eq!(found.alternatives.len(), 3);
    for alternative in &found.alternatives {
        let turns = alternative.angle_rad / quarter;
        assert!(turns.round() >= 1.0 && (turns - turns.round()).abs() < 0.01, "{}", alternative.angle_rad.to_degrees());
    }
}

#[test]
fn a_flat_sheet_seen_from_above_lies_on_its_upper_face() {
    // All pairs of such a scan look alike, and the lower face is closer than the spacing of the search.
    let sheet = shadowgraph::geometry::mesh::shapes::cuboid([0.0; 3].into(), [100.0, 70.0, 1.0].into());
    let surface = Surface::new(sheet);
    let mut random = Random::new(5, 5);
    let scan_from_nominal = random_pose(&mut random, 50.0);
    let sensor = Sensor { pitch_mm: [0.36, 0.6], ..Sensor::default() };
    let views = views::tiles(surface.bounds(), &Vector::z(), &sensor).into_iter().collect();
    let parameters = simulation::Parameters {
        sensor,
        nominal_from_sensor: views,
        scan_from_nominal,
        ..simulation::Parameters::default()
    };
    let simulated = simulation::run(&surface, &parameters, &Progress::silent()).unwrap();
    let found = align(&surface, &simulated.cloud);
    let place = found.nominal_from_scan * simulated.cloud.bounds().centre();
    let up = found.nominal_from_scan.rotation * (scan_from_nominal.rotation * Vector::z());
    let (heights, count) = simulated
        .cloud
        .points
        .iter()
        .fold((0.0, 0.0), |(sum, count), point| (sum + (found.nominal_from_scan * point).z, count + 1.0));
    // Fly points pull the mean by some hundredths. Upside down it would lie on the lower face, seen from below: as good a fit.
    let height = if up.z > 0.0 { heights / count } else { 1.0 - heights / count };
    assert!((height - 1.0).abs() < 0.1 && up.z.abs() > 0.9999, "{height} {up}");
    assert!((place.x - 50.0).abs() < 3.0 && (place.y - 35.0).abs() < 3.0, "{place}");
}
