use super::*;
use crate::calibration::artefacts::angled_slots::Region;
use crate::calibration::artefacts::angled_slots::drawing::Drawing;
use crate::calibration::trials::{self, Setting};
use crate::calibration::{ArtefactKind, Handedness, Measured};
use base::{Progress, random::Random};
use geometry::Point;

fn about(axis: usize, angle_rad: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(Vector::ith(axis, angle_rad))
}

fn rx_ry_rz([a, b, c]: [f64; 3]) -> UnitQuaternion<f64> {
    about(0, a) * about(1, b) * about(2, c)
}

fn frame_of(rotation: UnitQuaternion<f64>, sigmas_rad: [f64; 3]) -> ArtefactFrame {
    let mut covariance = Matrix6::zeros();
    (0..3).for_each(|k| covariance[(k + 3, k + 3)] = sigmas_rad[k].powi(2));
    let device_from_artefact = Pose::from_parts(Translation3::new(9.0, 8.0, 7.0), rotation);
    ArtefactFrame::noise_only(device_from_artefact, covariance, Vec::new())
}

#[test]
fn there_are_24_orientations_and_each_is_nearest_to_its_own_neighbourhood() {
    let all: Vec<UnitQuaternion<f64>> =
        axis_parallel().map(|rotation| UnitQuaternion::from_rotation_matrix(&rotation)).collect();
    assert_eq!(all.len(), 24);
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| one.angle_to(other) > 1.5));
    }
    let mut random = Random::new(24, 1);
    for nominal in &all {
        let offset = [0; 3].map(|_| random.range(-0.3, 0.3));
        // The remaining rotation leads back to the nominal orientation.
        let found = Misalignment::of(&(rx_ry_rz(offset).inverse() * nominal), &Matrix3::zeros());
        assert!(found.nominal.angle_to(nominal) < 1e-12);
        for k in 0..3 {
            assert!((found.angles_rad[k] - offset[k]).abs() < 1e-12, "{found:?} {offset:?}");
        }
    }
}

#[test]
fn each_axis_alone_has_the_right_sign_and_screw() {
    let module = Module { pitch_mm: 0.5, arm_mm: [40.0, 60.0, 80.0] };
    for axis in 0..3 {
        for angle_rad in [0.02, -0.01] {
            // The artefact is rotated by the angle and has to be turned back.
            let found = Misalignment::of_artefact(&frame_of(about(axis, angle_rad), [0.0; 3]));
            let remaining = found.to_turn(&module, 0.001);
            for k in 0..3 {
                let expected = if k == axis { -angle_rad } else { 0.0 };
                assert!((remaining.angles_rad[k] - expected).abs() < 1e-12, "{remaining:?}");
                assert!((remaining.turns[k] - expected * module.arm_mm[k] / 0.5).abs() < 1e-9, "{remaining:?}");
            }
            assert_eq!(
                sense(remaining.angles_rad[axis]),
                if angle_rad > 0.0 { "clockwise" } else { "counter-clockwise" }
            );
            assert_eq!((remaining.light(), remaining.lights[axis]), (Light::Red, Light::Red));
            assert_eq!(remaining.lights[(axis + 1) % 3], Light::Green);
        }
    }
}

/// Yaw first, then pitch, then roll, about the CMM's own axes; at a few degrees, the order matters by the product of
/// the angles.
#[test]
fn turning_by_the_angles_in_their_order_makes_it_parallel() {
    let cmm_from_artefact = rx_ry_rz([0.05, -0.03, 0.04]);
    let remaining = Misalignment::of_artefact(&frame_of(cmm_from_artefact, [0.0; 3])).angles_rad;
    let after = about(0, remaining[0]) * (about(1, remaining[1]) * (about(2, remaining[2]) * cmm_from_artefact));
    assert!(after.angle() < 1e-12, "{}", after.angle());
    let reversed_order = about(2, remaining[2]) * about(1, remaining[1]) * about(0, remaining[0]) * cmm_from_artefact;
    assert!(reversed_order.angle() > 1e-4 && reversed_order.angle() < 0.05 * 0.04 * 2.0, "{}", reversed_order.angle());
    for (own, negated) in remaining.iter().zip([0.05, -0.03, 0.04]) {
        assert!((own + negated).abs() < 0.05 * 0.05, "{remaining:?}");
    }
}

#[test]
fn the_sensor_looks_down_whichever_way_it_is_held() {
    let mut random = Random::new(5, 5);
    for nominal in axis_parallel() {
        let nominal = UnitQuaternion::from_rotation_matrix(&nominal);
        let off = [0; 3].map(|_| random.range(-0.05, 0.05));
        let cmm_from_sensor = rx_ry_rz(off).inverse() * nominal;
        let cmm_from_artefact = random.rotation();
        let seen = frame_of(cmm_from_sensor.inverse() * cmm_from_artefact, [1e-4; 3]);
        let touched = frame_of(cmm_from_artefact, [2e-4; 3]);
        let found = Misalignment::of_sensor(&seen, Some(&touched));
        for k in 0..3 {
            assert!((found.angles_rad[k] - off[k]).abs() < 1e-9, "{found:?} {off:?}");
            // The rotations of both instruments, the same about all axes.
            let both = 1e-4_f64.hypot(2e-4);
            assert!((found.sigma_rad[k] / both - 1.0).abs() < 0.01, "{found:?}");
        }
    }
    // Without probed points, the artefact's axes are taken to be parallel to those of the CMM.
    let seen = frame_of(about(0, std::f64::consts::PI) * about(2, 0.01), [0.0; 3]);
    let found = Misalignment::of_sensor(&seen, None);
    assert_eq!(found.nominal_words(), "+X -Y -Z");
    assert!((found.angles_rad[2] - 0.01).abs() < 1e-12 && found.angles_rad[0].abs() < 1e-12, "{found:?}");
}

/// The stated uncertainties match the scatter of the angles of randomly rotated frames.
#[test]
fn uncertainties_are_the_scatter_of_the_angles() {
    let mut random = Random::new(8, 2);
    let (lies, sigmas) = (rx_ry_rz([0.4, -0.3, 0.35]), [1e-4, 3e-4, 6e-4]);
    let stated = Misalignment::of_artefact(&frame_of(lies, sigmas));
    let draws = 20_000;
    let mut squares = [0.0; 3];
    for _ in 0..draws {
        // About the artefact's own axes.
        let turn = Vector::from_fn(|k, _| sigmas[k] * random.normal());
        let drawn = Misalignment::of_artefact(&frame_of(lies * UnitQuaternion::from_scaled_axis(turn), [0.0; 3]));
        (0..3).for_each(|k| squares[k] += (drawn.angles_rad[k] - stated.angles_rad[k]).powi(2));
    }
    for k in 0..3 {
        let scatter = (squares[k] / f64::from(draws)).sqrt();
        assert!((scatter / stated.sigma_rad[k] - 1.0).abs() < 0.03, "{k}: {scatter} beside {stated:?}");
    }
}

#[test]
fn lights_count_the_uncertainty() {
    let limit = 0.05_f64.to_radians();
    assert_eq!(light_of(0.5 * limit, 0.2 * limit, limit), Light::Green);
    assert_eq!(light_of(-0.5 * limit, 0.3 * limit, limit), Light::Amber);
    assert_eq!(light_of(2.5 * limit, 0.0, limit), Light::Amber);
    assert_eq!(light_of(-3.5 * limit, 0.0, limit), Light::Red);
    assert_eq!(light_of(f64::NAN, 0.0, limit), Light::Red);
    assert!(Module { pitch_mm: 0.0, ..Module::default() }.check().is_err());
    assert!(Module { arm_mm: [50.0, f64::NAN, 1.0], ..Module::default() }.check().is_err());
    assert!(Module::default().check().is_ok());
}

/// Probed points of an artefact: its plate with the long slot, with a side face, and all of its regions give the same
/// directions.
#[test]
fn probed_faces_determine_the_directions() {
    let (drawing, mut random) = (Drawing::default(), Random::new(3, 1));
    let pose = Pose::from_parts(Translation3::new(400.0, 300.0, 100.0), rx_ry_rz([0.03, -0.02, 0.05]));
    let tip_radius_mm = 1.5;
    let mut touch = |point: Point, outward: Vector| {
        pose * (point + outward * tip_radius_mm) + Vector::from_fn(|_, _| 0.002 * random.normal())
    };
    let mut slot = Touched::new(ArtefactKind::AngledSlots);
    let mut side = Touched::new(ArtefactKind::AngledSlots);
    let mut whole = Touched::new(ArtefactKind::AngledSlots);
    assert!(whole.is_empty());
    for region in Region::ALL {
        for point in drawing.points_on(region, 12, 2.0) {
            let point = touch(point, drawing.normal(region));
            whole.add(region.name().short, point).unwrap();
            if !matches!(region, Region::SU | Region::SL) {
                slot.add(&region.name().short.to_lowercase(), point).unwrap();
            }
            if matches!(region, Region::LP | Region::RP) {
                side.add("plate", point).unwrap();
            }
        }
    }
    for y in [-60.0, -30.0, 0.0, 30.0] {
        for z in [-4.0, -12.0] {
            side.add("SIDE", touch(Point::new(drawing.greatest_mm[0], y, z), Vector::x())).unwrap();
        }
    }
    for touched in [&slot, &side, &whole] {
        let frame = touched.frame(&Progress::silent()).unwrap();
        let found = Misalignment::of_artefact(&frame);
        let after = rx_ry_rz(found.angles_rad) * pose.rotation;
        assert!(after.angle().to_degrees() < 0.02, "{} deg by {:?}", after.angle().to_degrees(), touched.counts());
        // The right way round, too, which the rotations of the sensor depend on.
        assert!(frame.device_from_artefact.rotation.angle_to(&pose.rotation) < 0.001);
        for sigma in found.sigma_rad {
            assert!((1e-6..5e-4).contains(&sigma), "{found:?}");
        }
    }
    assert_eq!(side.counts(), [("PLATE", 24), ("SIDE", 8)]);
}

#[test]
fn insufficient_touches_are_refused() {
    let silent = Progress::silent();
    let sentence = |touched: &Touched| touched.frame(&silent).unwrap_err().sentence;
    let mut touched = Touched::new(ArtefactKind::AngledSlots);
    assert!(touched.add("XX", Point::origin()).unwrap_err().sentence.contains("“XX” is no region"));
    assert!(sentence(&touched).contains("Touch the plate"));
    for (x, y) in [(0.0, 0.0), (50.0, 0.0), (0.0, 50.0), (50.0, 40.0)] {
        touched.add("PLATE", Point::new(x, y, 0.0)).unwrap();
    }
    assert!(sentence(&touched).contains("Touch the plate"));
    let mut along_plate = touched.clone();
    for (x, y) in [(0.0, 0.0), (50.0, 0.0), (0.0, 50.0)] {
        along_plate.add("SIDE", Point::new(x, y, -5.0)).unwrap();
    }
    assert!(sentence(&along_plate).contains("side face was touched 3 times"));
    along_plate.add("SIDE", Point::new(40.0, 50.0, -5.0)).unwrap();
    assert!(sentence(&along_plate).contains("parallel to the plate"));
    // Both "flanks" on one plane.
    for (name, x) in [("LL", -5.0), ("LR", 5.0)] {
        for (dx, y) in [(0.0, 0.0), (1.0, 20.0), (2.0, 0.0), (0.0, 30.0)] {
            touched.add(name, Point::new(x + dx, y, -3.0)).unwrap();
        }
    }
    assert!(sentence(&touched).contains("two flanks"));
}

/// A whole snapshot of a misaligned sensor over the probed artefact.
#[test]
fn a_simulated_mounting_is_determined() {
    let setting = Setting::default();
    let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Right, 9).unwrap();
    let artefact = setting.artefact.artefact();
    let regions: Vec<Vec<Point>> = scene.views[0]
        .regions
        .iter()
        .map(|region| region.iter().map(|&index| scene.views[0].cloud.points[index as usize]).collect())
        .collect();
    let measured: Measured = crate::calibration::by_sensor(Some(3.0), setting.sensor.bias_mm);
    let seen = artefact.frame(&regions, &measured, &Progress::silent()).unwrap();
    let touched = Touched::of(setting.artefact, scene.touches.clone()).frame(&Progress::silent()).unwrap();
    let found = Misalignment::of_sensor(&seen, Some(&touched));
    assert_eq!(found.nominal_words(), "+X -Y -Z");
    // After the remaining rotation, only the measurement error is left: within 3.5 stated standard uncertainties.
    let residual = rx_ry_rz(found.angles_rad) * scene.cmm_from_sensor.rotation * found.nominal.inverse();
    let residual = residual.scaled_axis();
    for k in 0..3 {
        assert!(
            residual[k].abs() < 3.5 * found.sigma_rad[k] && residual[k].abs().to_degrees() < 0.01,
            "{residual} {found:?}"
        );
    }
}
