//! Snapshots of a calibrated sensor, merged by where the machine stood, and what is found in the merged scan.

use serde_json::Value;
use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::Backend;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::geometry::{Aabb, Cloud, KdTree, Mesh, Point, Pose, Surface, Vector, transform};
use shadowgraph::inspect::alignment::multi_view;
use shadowgraph::inspect::calibration::artefacts::Drawn;
use shadowgraph::inspect::calibration::artefacts::angled_slots::drawing::Drawing;
use shadowgraph::inspect::calibration::merging::{Merged, Seam, Snapshot, merge};
use shadowgraph::inspect::calibration::record::with_digest;
use shadowgraph::inspect::calibration::trials::{self, Scene, Setting};
use shadowgraph::inspect::calibration::{ArtefactKind, Calibration, Handedness, Mounting};
use shadowgraph::inspect::features::sheet_metal::holes::{self, NominalHole};
use shadowgraph::inspect::simulation::cmm::Cmm;
use shadowgraph::inspect::simulation::sensor::{Sensor, take};
use shadowgraph::io::{LoadOptions, load_nominal, load_scan, write};

use super::support::{asset, errors, shadowgraph, text};

/// A sensor on a CMM that drives about a part: what it truly sees, and what its calibration makes of it.
struct Machine {
    sensor: Sensor,
    scene: Scene,
    calibration: Calibration,
}

impl Machine {
    fn calibrated(number: u64) -> Self {
        let setting = Setting { automatic: true, ..Setting::default() };
        let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Left, number).unwrap();
        let calibration = trials::calibrated(&setting, &scene).unwrap();
        Self { sensor: setting.sensor, scene, calibration }
    }

    /// The snapshot of a part that lies on the table, with the machine driven so that the volume's middle is at `over`
    /// (CMM frame).
    fn snapshot(&self, part: &Surface, cmm_from_part: &Pose, over: &Point, number: u64) -> Snapshot {
        let middle = Point::new(0.0, 0.0, self.sensor.working_distance_mm);
        let driven = over - self.scene.cmm_from_sensor * middle;
        let position_mm = self.scene.views[0].position_mm + driven;
        let cmm_from_sensor = Pose::translation(driven.x, driven.y, driven.z) * self.scene.cmm_from_sensor;
        let part_from_sensor = cmm_from_part.inverse() * cmm_from_sensor;
        let taken = take(part, &self.sensor, &part_from_sensor, 77, number, &Progress::silent()).unwrap();
        let reported = taken.points.iter().map(|point| self.scene.handedness.to_right(&point.measured)).collect();
        Snapshot { cloud: Cloud::from_points(reported), position_mm }
    }
}

impl Machine {
    /// The bracket, where it lies, and seven snapshots of it.
    fn seven(&self) -> (Surface, Pose, Vec<Snapshot>) {
        let loaded = load_nominal(&asset("bracket.stl"), &LoadOptions::default(), &Progress::silent()).unwrap();
        let bracket = Surface::new(loaded.mesh);
        let cmm_from_part = Pose::new(Vector::new(300.0, 200.0, 50.0), Vector::new(0.35, -0.3, 0.4));
        let bounds = Aabb::of_points(&bracket.bounds().corners().map(|corner| cmm_from_part * corner));
        let at = |u: f64, v: f64| {
            let share = |k: usize, t: f64| bounds.min[k] + t * (bounds.max[k] - bounds.min[k]);
            Point::new(share(0, u), share(1, v), share(2, 0.5))
        };
        let places = [(0.5, 0.5), (0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8), (0.5, 0.25), (0.5, 0.75)];
        let snapshots: Vec<Snapshot> = places
            .iter()
            .enumerate()
            .map(|(i, &(u, v))| self.snapshot(&bracket, &cmm_from_part, &at(u, v), i as u64))
            .collect();
        (bracket, cmm_from_part, snapshots)
    }
}

/// Snapshots whose positions were reported wrong are brought to agree, and are no worse where they were right.
#[test]
fn misplaced_snapshots_are_brought_to_agree() {
    let machine = Machine::calibrated(11);
    let (_, _, mut snapshots) = machine.seven();
    let mounting = &machine.calibration.mounting;
    let given = multi_view::Parameters::default();
    let run = |snapshots: &[Snapshot], refines: bool| {
        let refine = refines.then_some((&Cpu as &dyn Backend, &given));
        merge(mounting, snapshots, refine, &Progress::silent()).unwrap()
    };
    let (cmm_from_sensor, position_mm) = (machine.scene.cmm_from_sensor, machine.scene.views[0].position_mm);
    let truly = Mounting { cmm_from_sensor, position_mm, ..*mounting };
    let truth = merge(&truly, &snapshots, None, &Progress::silent()).unwrap();
    // How far the snapshots lie apart, root mean square, mm; what all have in common is no disagreement.
    let apart = |merged: &Merged| {
        let mut first = 0;
        let off = merged.counts.iter().map(|count| {
            let own = first..first + count;
            first += count;
            let off = merged.cloud.points[own.clone()].iter().zip(&truth.cloud.points[own]).map(|(one, two)| one - two);
            off.sum::<Vector>() / *count as f64
        });
        let off: Vec<Vector> = off.collect();
        let mean = off.iter().sum::<Vector>() / off.len() as f64;
        (off.iter().map(|own| (own - mean).norm_squared()).sum::<f64>() / off.len() as f64).sqrt()
    };
    let (plain, refined) = (run(&snapshots, false), run(&snapshots, true));
    println!("right positions: apart by {:.4} mm, refined {:.4} mm", apart(&plain), apart(&refined));
    println!("moved by {:.4?}", refined.refinement.as_ref().unwrap().shifts_mm);
    assert!(apart(&refined) < 0.015);
    let mut random = Random::new(31, 7);
    for snapshot in &mut snapshots {
        let wrong = Vector::new(random.normal(), random.normal(), random.normal());
        snapshot.position_mm += wrong * given.shift_sigma_mm;
    }
    let (plain, refined) = (run(&snapshots, false), run(&snapshots, true));
    println!("wrong positions: apart by {:.4} mm, refined {:.4} mm", apart(&plain), apart(&refined));
    assert!(apart(&refined) < 0.02 && apart(&refined) < 0.25 * apart(&plain));
    let worst = |seams: &[Seam]| seams.iter().map(|seam| seam.mean_mm.abs()).fold(0.0, f64::max);
    let refinement = refined.refinement.unwrap();
    println!("worst seam {:.4} mm, refined {:.4} mm", worst(&plain.seams), worst(&refined.seams));
    assert_eq!((refinement.far().count(), &plain.seams), (0, &refinement.seams_before));
    assert!(worst(&refined.seams) < 0.4 * worst(&plain.seams));
    // One that is far off is named.
    snapshots[3].position_mm.x += 0.4;
    let refined = run(&snapshots, true);
    assert_eq!(refined.refinement.unwrap().far().collect::<Vec<_>>(), [3]);
}

/// Seven snapshots of the bracket, merged by the calibration and compared with its CAD where it truly lies: 95 % of the
/// deviations are within the sensor's own uncertainty plus 0.05 mm, and neighbours agree in their seams.
#[test]
fn seven_snapshots_are_merged_by_the_calibration() {
    let machine = Machine::calibrated(11);
    let (bracket, cmm_from_part, snapshots) = machine.seven();
    let merged = merge(&machine.calibration.mounting, &snapshots, None, &Progress::silent()).unwrap();
    assert_eq!(merged.counts.len(), 7);
    assert!(merged.seams.len() >= 6, "{:?}", merged.seams);
    assert!(merged.seams.iter().all(|seam| seam.mean_mm.abs() < 0.02 && seam.sigma_mm < 0.2), "{:?}", merged.seams);
    let (mut inside, mut count) = (0_usize, 0_usize);
    let part_from_cmm = cmm_from_part.inverse();
    for (i, point) in merged.cloud.points.iter().enumerate().step_by(7) {
        let place = part_from_cmm * point;
        let hit = bracket.closest_point(&place, 10.0).unwrap();
        let outward = cmm_from_part.rotation * bracket.mesh().normal(hit.facet as usize);
        let cosine = outward.dot(&shadowgraph::geometry::cloud::vector(merged.cloud.to_sensor[i])).max(0.25);
        let own = 2.0 * machine.sensor.range_sigma_mm / cosine + machine.sensor.bias_mm;
        inside += usize::from(bracket.signed_distance_mm(&place, &hit).abs() <= own + 0.05);
        count += 1;
    }
    println!("{inside} of {count}");
    assert!(count > 20_000 && inside * 100 >= 95 * count, "{inside} of {count}");
    // The same points at the same position twice, and nothing at all, are sentences.
    let twice = [snapshots[0].clone(), snapshots[0].clone()];
    let said = merge(&machine.calibration.mounting, &twice, None, &Progress::silent()).unwrap_err().sentence;
    assert!(said.contains("same position"), "{said}");
    assert!(merge(&machine.calibration.mounting, &[], None, &Progress::silent()).is_err());
}

/// Axes out of square: uncorrected they turn the mounting, from four placements the fault is found.
#[test]
fn squareness_is_found_from_four_placements() {
    let cmm = Cmm { squareness_rad: 8.073e-4, ..Cmm::default() };
    let setting = Setting { cmm, ..Setting::default() };
    let trial = trials::joint_trial(&setting, &trials::Made::of(&setting), 4, 5).unwrap();
    assert!(trial.squareness_rad.abs() < 4.0 * trial.squareness_sigma_rad, "{trial:?}");
    assert!(trial.squareness_sigma_rad < 3e-4 && trial.misfit < 2.0, "{trial:?}");
    assert!(trial.alone_angle_rad.to_degrees() > 0.02 && trial.angle_rad.to_degrees() < 0.02, "{trial:?}");
    assert!(trial.alone_place_mm > 0.1 && trial.place_mm < 0.08, "{trial:?}");
}

/// A CMM out of square by 8.073e-4 rad, found from five placements of an artefact: a snapshot taken 300 mm away in Y is
/// merged to where the part truly is, and not 0.24 mm beside it.
#[test]
fn squareness_that_the_calibration_found_is_used_by_the_merge() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let cmm = Cmm { squareness_rad: 8.073e-4, sigma_mm: 0.0007, ..Cmm::default() };
    let truly = |position: &Vector| cmm.truth(&Point::from(*position)).coords;
    let turned = |axis: Vector, angle: f64| nalgebra::UnitQuaternion::from_scaled_axis(axis * angle);
    let mounted =
        turned(Vector::x(), std::f64::consts::PI + 0.002) * turned(Vector::y(), -0.003) * turned(Vector::z(), 0.004);
    let cmm_from_sensor = Pose::from_parts(Vector::new(400.0, 300.0, 350.0).into(), mounted);
    let first = Vector::new(100.0, 50.0, 20.0);
    let travelled = |position: &Vector| truly(position) - truly(&first);
    let drawing = Drawing::default();
    let names = ArtefactKind::AngledSlots.artefact().regions();
    let mut random = Random::new(5, 5);
    let mut rows = "sensor,cmm,x_mm,y_mm,z_mm\n".to_owned();
    let places = [(0.0, 0.0, 0.0), (90.0, 20.0, 12.0), (180.0, -16.0, 24.0), (270.0, 12.0, -20.0), (45.0, 0.0, 8.0)];
    for (k, (degrees, x, y)) in places.into_iter().enumerate() {
        let position = first + Vector::new(x, y, 0.0);
        let artefact = turned(Vector::z(), f64::to_radians(degrees) + 0.001);
        let below = cmm_from_sensor.translation.vector + travelled(&position) - Vector::z() * 250.0;
        let origin = below - artefact * Vector::new(4.0, -16.0, 0.0);
        let sensor_from_cmm = cmm_from_sensor.inverse();
        let (mut seen, mut probed) = ("region,x_mm,y_mm,z_mm\n".to_owned(), "region,x_mm,y_mm,z_mm\n".to_owned());
        for (region, name) in names.iter().enumerate() {
            for (point, _) in Drawn::touches(&drawing, region, 2000) {
                let point = sensor_from_cmm * (Point::from(artefact * point.coords + origin) - travelled(&position));
                let point = point + point.coords.normalize() * (0.02 * random.normal());
                seen += &format!("{},{},{},{}\n", name.short, point.x, point.y, point.z);
            }
            for (point, outward) in Drawn::touches(&drawing, region, 40) {
                let contact = Point::from(artefact * point.coords + origin);
                let point = cmm.probe(&contact, &(artefact * outward), &mut random);
                probed += &format!("{},{},{},{}\n", name.short, point.x, point.y, point.z);
            }
        }
        std::fs::write(at(&format!("sensor{k}.csv")), seen).unwrap();
        std::fs::write(at(&format!("cmm{k}.csv")), probed).unwrap();
        rows += &format!("sensor{k}.csv,cmm{k}.csv,{},{},{}\n", position.x, position.y, position.z);
    }
    std::fs::write(at("snapshots.csv"), &rows).unwrap();
    let (snapshots, calibration) = (at("snapshots.csv"), at("calibration.json"));
    let mut arguments = vec!["calibrate", "--snapshots", text(&snapshots), "--squareness", "--probe-radius-mm", "1.5"];
    arguments.extend(["--out", text(&calibration)]);
    let output = shadowgraph(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&calibration).unwrap()).unwrap();
    let found = record["joint"]["squareness_rad"].as_f64().unwrap();
    let stated = record["joint"]["squareness_k2_rad"].as_f64().unwrap();
    assert!((found - 8.073e-4).abs() < stated.min(2e-5), "{found} ± {stated}");
    // A plate seen from there and from 300 mm further along Y.
    let grid: Vec<Point> =
        (0..2500).map(|i| Point::new(f64::from(i % 50) * 1.2 - 30.0, f64::from(i / 50) * 2.2 - 55.0, -250.0)).collect();
    let mut table = "file,x,y,z\n".to_owned();
    let mut truth = Vec::new();
    for (name, y) in [("near.xyz", 0.0), ("far.xyz", 300.0)] {
        let position = first + Vector::new(0.0, y, 0.0);
        let onto = cmm_from_sensor.translation.vector + travelled(&position);
        let plate: Vec<Point> = grid.iter().map(|point| point + onto).collect();
        let seen = plate.iter().map(|point| cmm_from_sensor.inverse() * (point - travelled(&position)));
        std::fs::write(at(name), seen.map(|p| format!("{} {} {}\n", p.x, p.y, p.z)).collect::<String>()).unwrap();
        table += &format!("{name},{},{},{}\n", position.x, position.y, position.z);
        truth.push(plate);
    }
    std::fs::write(at("positions.csv"), table).unwrap();
    let (positions, out) = (at("positions.csv"), at("merged.xyz"));
    let figures = |line: &str| -> Option<Point> {
        let values: Vec<f64> = line.split_whitespace().take(3).map_while(|text| text.parse().ok()).collect();
        (values.len() == 3).then(|| Point::new(values[0], values[1], values[2]))
    };
    // How far each snapshot is off after a merge by the calibration.
    let merged = || -> Vec<f64> {
        let mut arguments = vec!["merge", "--calibration", text(&calibration), "--positions", text(&positions)];
        arguments.extend(["--out", text(&out), "--use-expired-because", "a trial"]);
        let output = shadowgraph(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains("the scan is in true axes"), "{output:?}");
        let written = std::fs::read_to_string(&out).unwrap();
        let merged: Vec<Point> = written.lines().filter_map(figures).collect();
        assert_eq!(merged.len(), 2 * grid.len());
        let off = merged.chunks(grid.len()).zip(&truth).map(|(merged, truth)| {
            let sum: Vector = merged.iter().zip(truth).map(|(one, other)| one - other).sum();
            sum.norm() / grid.len() as f64
        });
        off.collect()
    };
    let found_off = merged();
    println!("off by {found_off:?} mm");
    assert!(found_off.iter().all(|off| *off < 0.01), "{found_off:?}");
    // From one placement, with the squareness from a ball bar.
    let first_row: String = rows.lines().take(2).map(|line| format!("{line}\n")).collect();
    std::fs::write(at("first.csv"), first_row).unwrap();
    let calibrate = |known: &[&str]| {
        let table = at("first.csv");
        let parts = ["calibrate", "--snapshots", text(&table), "--probe-radius-mm", "1.5", "--out", text(&calibration)];
        let told = shadowgraph(&[&parts[..], known].concat());
        (told.status.code(), errors(&told))
    };
    let (code, said) = calibrate(&["--known-squareness-urad", "807.3,2"]);
    assert!(matches!(code, Some(0 | 4)), "{said}");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&calibration).unwrap()).unwrap();
    let stated = |key: &str| record["joint"][key].as_f64().unwrap();
    assert!((stated("squareness_rad") - 8.073e-4).abs() < 1e-9 && (stated("squareness_k2_rad") - 2e-6).abs() < 1e-8);
    assert_eq!(record["joint"]["known"]["squareness_rad"]["expanded"], 2e-6);
    let known_off = merged();
    println!("off by {known_off:?} mm, known");
    assert!(known_off.iter().all(|off| *off < 0.02), "{known_off:?}");
    let (code, said) = calibrate(&["--known-squareness-urad", "807.3,-2"]);
    assert!(code == Some(2) && said.contains("not below 0"), "{said}");
}

/// Merging on the command line: a table of files and positions, a calibration that has expired, files that are not
/// there.
#[test]
fn snapshots_are_merged_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let grid: Vec<Point> =
        (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.2, f64::from(i / 100) * 0.2, 250.0)).collect();
    let bright = |points: Vec<Point>, intensity: f32| {
        let intensity = vec![intensity; points.len()];
        Cloud { points, intensity, ..Cloud::default() }
    };
    write::cloud(&at("a.ply"), &bright(grid.clone(), 0.25)).unwrap();
    let shifted = grid.iter().map(|p| p - Vector::x() * 10.0).collect();
    write::cloud(&at("b.ply"), &bright(shifted, 0.75)).unwrap();
    std::fs::write(at("positions.csv"), "file,x,y,z\na.ply,0,0,0\nb.ply,10,0,0\n").unwrap();
    let calibration = |expires: i64| {
        let record = serde_json::json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [0.0, 0.0, 0.0],
            "cmm_from_sensor": transform::rows_of(&Pose::identity()), "date_unix_s": 0, "valid_until_unix_s": expires,
            "certified": true,
        });
        std::fs::write(at("calibration.json"), with_digest(record).to_string()).unwrap();
    };
    let run = |positions: &str, more: &[&str]| {
        let (calibration, positions, out) = (at("calibration.json"), at(positions), at("merged.ply"));
        let mut arguments = vec!["merge", "--calibration", text(&calibration), "--positions", text(&positions)];
        arguments.extend(["--out", text(&out), "--json"]);
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    calibration(1 << 40);
    let output = run("positions.csv", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["points"], serde_json::json!([10_000, 10_000]));
    assert!(value["seams"][0]["mean_mm"].as_f64().unwrap().abs() < 1e-5, "{value}");
    assert!(at("merged.json").exists());
    let merged = load_scan(&at("merged.ply"), &LoadOptions::default(), &Progress::silent()).unwrap().cloud;
    assert_eq!((merged.intensity[0], merged.intensity[10_000], merged.intensity.len()), (0.25, 0.75, 20_000));
    // A table of a calibration's snapshots, as the simulator writes it, is one of snapshots to merge as well.
    let table = "sensor,cmm,x_mm,y_mm,z_mm\na.ply,touches.csv,0,0,0\nb.ply,touches.csv,10,0,0\n";
    std::fs::write(at("snapshots.csv"), table).unwrap();
    let output = run("snapshots.csv", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), value);
    let refined = run("positions.csv", &["--refine", "--placed-to-mm", "0.02", "--backend", "cpu"]);
    assert_eq!(refined.status.code(), Some(0), "{}", errors(&refined));
    let value: Value = serde_json::from_slice(&refined.stdout).unwrap();
    assert_eq!(value["refinement"]["given"]["shift_sigma_mm"], 0.02);
    assert!(value["refinement"]["shifts_mm"][1].as_f64().unwrap() < 1e-4, "{value}");
    assert!(std::fs::read_to_string(at("merged.json")).unwrap().contains("seams_before"));
    for wrong in [["--placed-to-mm", "1"], ["--backend", "cpu"]] {
        assert_eq!(run("positions.csv", &wrong).status.code(), Some(2));
    }
    assert!(errors(&run("positions.csv", &["--refine", "--turned-to-deg", "NaN"])).contains("10 degrees"));
    calibration(1000);
    let refused = run("positions.csv", &[]);
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("expired"), "{}", errors(&refused));
    let reason = ["--use-expired-because", "the machine was not restarted"];
    assert_eq!(run("positions.csv", &reason).status.code(), Some(0));
    assert!(std::fs::read_to_string(at("merged.json")).unwrap().contains("not restarted"));
    // Edited by hand, or not certified: refused without a reason, and the record says what was used.
    let written = std::fs::read_to_string(at("calibration.json")).unwrap();
    std::fs::write(at("calibration.json"), written.replacen("1000", "1099511627776", 1)).unwrap();
    let refused = run("positions.csv", &[]);
    assert!(refused.status.code() == Some(3) && errors(&refused).contains("digest"), "{}", errors(&refused));
    assert_eq!(run("positions.csv", &reason).status.code(), Some(0));
    let merged: Value = serde_json::from_str(&std::fs::read_to_string(at("merged.json")).unwrap()).unwrap();
    assert_eq!(merged["calibration"]["edited"], true);
    calibration(1 << 40);
    let mut record: Value = serde_json::from_str(&std::fs::read_to_string(at("calibration.json")).unwrap()).unwrap();
    record["certified"] = false.into();
    std::fs::write(at("calibration.json"), with_digest(record).to_string()).unwrap();
    let refused = run("positions.csv", &[]);
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("not certified"), "{}", errors(&refused));
    calibration(1000);
    std::fs::write(at("missing.csv"), "gone.ply,0,0,0\n").unwrap();
    assert!(errors(&run("missing.csv", &reason)).contains("gone.ply"));
    std::fs::write(at("calibration.json"), "{}").unwrap();
    assert!(errors(&run("positions.csv", &[])).contains("not a calibration record"));
}

/// A sheet with round holes: every hole in a square of its own, the rest of the square meshed about it.
fn sheet_with_holes(holes: &[(Point, f64)], cell_mm: f64) -> Mesh {
    const SIDES: u32 = 128;
    let mut mesh = Mesh::default();
    for (k, (centre, radius)) in holes.iter().enumerate() {
        let middle = Point::new(cell_mm * k as f64, 0.0, 0.0);
        let first = mesh.vertices.len() as u32;
        for i in 0..SIDES {
            let (sin, cos) = (f64::from(i) / f64::from(SIDES) * std::f64::consts::TAU).sin_cos();
            let out = 0.5 * cell_mm / sin.abs().max(cos.abs());
            for z in [0.0, -1.5] {
                mesh.vertices.push(Point::new(centre.x + radius * cos, centre.y + radius * sin, z));
                mesh.vertices.push(Point::new(middle.x + out * cos, middle.y + out * sin, z));
            }
        }
        for i in 0..SIDES {
            let (a, b) = (first + 4 * i, first + 4 * ((i + 1) % SIDES));
            // The upper face, the lower one, and the wall of the hole.
            mesh.facets.extend([[a, a + 1, b + 1], [a, b + 1, b], [a + 2, b + 3, a + 3], [a + 2, b + 2, b + 3]]);
            mesh.facets.extend([[a, b, b + 2], [a, b + 2, a + 2]]);
        }
    }
    mesh
}

/// Five holes off their places by as much as the published ones, found in the merged scan within 0.107 mm per axis.
#[test]
fn holes_are_found_in_the_merged_scan() {
    let machine = Machine::calibrated(12);
    let cell_mm = 34.0;
    let off = [[-0.131, 0.458], [-0.208, 0.301], [-0.169, 0.272], [-0.19, 0.346], [0.079, 0.36]];
    let radii = [4.957, 4.96, 4.95, 10.963, 4.971];
    let nominal_at = |k: usize| Point::new(cell_mm * k as f64, 0.0, 0.0);
    let holes: Vec<(Point, f64)> =
        (0..5).map(|k| (nominal_at(k) + Vector::new(off[k][0], off[k][1], 0.0), radii[k])).collect();
    let sheet = Surface::new(sheet_with_holes(&holes, cell_mm));
    let cmm_from_part = Pose::new(Vector::new(250.0, 320.0, 60.0), Vector::new(0.06, -0.05, 0.3));
    let snapshots: Vec<Snapshot> = (0..4)
        .map(|i| {
            let over = cmm_from_part * Point::new(cell_mm * (4.0 * f64::from(i) / 3.0), 0.0, 0.0);
            machine.snapshot(&sheet, &cmm_from_part, &over, u64::from(i as u32))
        })
        .collect();
    let merged = merge(&machine.calibration.mounting, &snapshots, None, &Progress::silent()).unwrap();
    let points = &merged.cloud.points;
    let tree = KdTree::new(points);
    for (k, nominal_mm) in [5.0, 5.0, 5.0, 11.0, 5.0].into_iter().enumerate() {
        let nominal = NominalHole {
            name: format!("{}", k + 1),
            centre: cmm_from_part * nominal_at(k),
            axis: cmm_from_part.rotation * Vector::z(),
            radius_mm: nominal_mm,
        };
        let found = holes::find(points, &tree, &nominal, 1.0, &Progress::silent()).unwrap();
        let error = cmm_from_part.inverse() * found.centre - holes[k].0;
        println!(
            "hole {}: off by {:+.3} {:+.3} mm, radius {:+.3} mm",
            k + 1,
            error.x,
            error.y,
            found.radius_mm - radii[k]
        );
        assert!(error.x.abs() < 0.107 && error.y.abs() < 0.107, "{error}");
        assert!((found.radius_mm - radii[k]).abs() < 0.24, "{}", found.radius_mm);
    }
}
