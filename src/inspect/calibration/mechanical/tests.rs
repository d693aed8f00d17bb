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
    ArtefactFrame::of_noise(device_from_artefact, covariance, Vec::new())
}

#[test]
fn there_are_24_ways_and_each_is_nearest_to_its_own_neighbourhood() {
    let all: Vec<UnitQuaternion<f64>> =
        axis_parallel().map(|rotation| UnitQuaternion::from_rotation_matrix(&rotation)).collect();
    assert_eq!(all.len(), 24);
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| one.angle_to(other) > 1.5));
    }
    let mut random = Random::new(24, 1);
    for nominal in &all {
        let off = [0; 3].map(|_| random.range(-0.3, 0.3));
        // What is still to be turned leads back to the nominal one.
        let found = Misalignment::of(&(rx_ry_rz(off).inverse() * nominal), &Matrix3::zeros());
        assert!(found.nominal.angle_to(nominal) < 1e-12);
        for k in 0..3 {
            assert!((found.angles_rad[k] - off[k]).abs() < 1e-12, "{found:?} {off:?}");
        }
    }
}

#[test]
fn each_axis_alone_is_told_with_its_sign_and_its_screw() {
    let module = Module { pitch_mm: 0.5, arm_mm: [40.0, 60.0, 80.0] };
    for axis in 0..3 {
        for angle_rad in [0.02, -0.01] {
            // The artefact lies turned by the angle: it is still to be turned back.
            let found = Misalignment::of_artefact(&frame_of(about(axis, angle_rad), [0.0; 3]));
            let told = found.to_turn(&module, 0.001);
            for k in 0..3 {
                let right = if k == axis { -angle_rad } else { 0.0 };
                assert!((told.angles_rad[k] - right).abs() < 1e-12, "{told:?}");
                assert!((told.turns[k] - right * module.arm_mm[k] / 0.5).abs() < 1e-9, "{told:?}");
            }
            assert_eq!(sense(told.angles_rad[axis]), if angle_rad > 0.0 { "clockwise" } else { "counter-clockwise" });
            assert_eq!((told.light(), told.lights[axis]), (Light::Red, Light::Red));
            assert_eq!(told.lights[(axis + 1) % 3], Light::Green);
        }
    }
}

/// Yaw first, then pitch, then roll, about the machine's own axes; at a few degrees the order matters by their product.
#[test]
fn turning_by_the_told_angles_in_their_order_makes_it_parallel() {
    let lies = rx_ry_rz([0.05, -0.03, 0.04]);
    let told = Misalignment::of_artefact(&frame_of(lies, [0.0; 3])).angles_rad;
    let after = about(0, told[0]) * (about(1, told[1]) * (about(2, told[2]) * lies));
    assert!(after.angle() < 1e-12, "{}", after.angle());
    let other_way = about(2, told[2]) * about(1, told[1]) * about(0, told[0]) * lies;
    assert!(other_way.angle() > 1e-4 && other_way.angle() < 0.05 * 0.04 * 2.0, "{}", other_way.angle());
    for (own, negated) in told.iter().zip([0.05, -0.03, 0.04]) {
        assert!((own + negated).abs() < 0.05 * 0.05, "{told:?}");
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
            // Both devices' turns, about any axes the same.
            let both = 1e-4_f64.hypot(2e-4);
            assert!((found.sigma_rad[k] / both - 1.0).abs() < 0.01, "{found:?}");
        }
    }
    // Without touches the artefact is taken to lie along the machine.
    let seen = frame_of(about(0, std::f64::consts::PI) * about(2, 0.01), [0.0; 3]);
    let found = Misalignment::of_sensor(&seen, None);
    assert_eq!(found.nominal_words(), "+X -Y -Z");
    assert!((found.angles_rad[2] - 0.01).abs() < 1e-12 && found.angles_rad[0].abs() < 1e-12, "{found:?}");
}

/// The stated uncertainties are the scatter of what comes out when the frame is turned at random.
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

/// Touches of a lying artefact: its plate with the long slot, with a side face, and all of its regions say the same.
#[test]
fn touched_faces_tell_the_directions() {
    let (drawing, mut random) = (Drawing::default(), Random::new(3, 1));
    let pose = Pose::from_parts(Translation3::new(400.0, 300.0, 100.0), rx_ry_rz([0.03, -0.02, 0.05]));
    let ball = 1.5;
    let mut touch = |place: Point, outward: Vector| {
        pose * (place + outward * ball) + Vector::from_fn(|_, _| 0.002 * random.normal())
    };
    let mut slot = Touched::new(ArtefactKind::AngledSlots);
    let mut side = Touched::new(ArtefactKind::AngledSlots);
    let mut whole = Touched::new(ArtefactKind::AngledSlots);
    assert!(whole.is_empty());
    for region in Region::ALL {
        for place in drawing.places_on(region, 12, 2.0) {
            let place = touch(place, drawing.normal(region));
            whole.add(region.name().short, place).unwrap();
            if !matches!(region, Region::SU | Region::SL) {
                slot.add(&region.name().short.to_lowercase(), place).unwrap();
            }
            if matches!(region, Region::LP | Region::RP) {
                side.add("plate", place).unwrap();
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
        // The right way round, too, which the sensor's turns depend on.
        assert!(frame.device_from_artefact.rotation.angle_to(&pose.rotation) < 0.001);
        for sigma in found.sigma_rad {
            assert!((1e-6..5e-4).contains(&sigma), "{found:?}");
        }
    }
    assert_eq!(side.counts(), [("PLATE", 24), ("SIDE", 8)]);
}

#[test]
fn touches_that_tell_nothing_are_sentences() {
    let silent = Progress::silent();
    let said = |touched: &Touched| touched.frame(&silent).unwrap_err().sentence;
    let mut touched = Touched::new(ArtefactKind::AngledSlots);
    assert!(touched.add("XX", Point::origin()).unwrap_err().sentence.contains("“XX” is no region"));
    assert!(said(&touched).contains("Touch the plate"));
    for (x, y) in [(0.0, 0.0), (50.0, 0.0), (0.0, 50.0), (50.0, 40.0)] {
        touched.add("PLATE", Point::new(x, y, 0.0)).unwrap();
    }
    assert!(said(&touched).contains("Touch the plate"));
    let mut along_plate = touched.clone();
    for (x, y) in [(0.0, 0.0), (50.0, 0.0), (0.0, 50.0)] {
        along_plate.add("SIDE", Point::new(x, y, -5.0)).unwrap();
    }
    assert!(said(&along_plate).contains("side face was touched 3 times"));
    along_plate.add("SIDE", Point::new(40.0, 50.0, -5.0)).unwrap();
    assert!(said(&along_plate).contains("along the plate"));
    // Both "flanks" on one plane.
    for (name, x) in [("LL", -5.0), ("LR", 5.0)] {
        for (dx, y) in [(0.0, 0.0), (1.0, 20.0), (2.0, 0.0), (0.0, 30.0)] {
            touched.add(name, Point::new(x + dx, y, -3.0)).unwrap();
        }
    }
    assert!(said(&touched).contains("two flanks"));
}

/// A whole snapshot of a mis-mounted sensor over the touched artefact.
#[test]
fn a_simulated_mounting_is_told() {
    let setting = Setting::default();
    let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Right, 9).unwrap();
    let artefact = setting.artefact.artefact();
    let regions: Vec<Vec<Point>> = scene.views[0]
        .regions
        .iter()
        .map(|region| region.iter().map(|&number| scene.views[0].cloud.points[number as usize]).collect())
        .collect();
    let measured: Measured = crate::calibration::by_sensor(Some(3.0), setting.sensor.bias_mm);
    let seen = artefact.frame(&regions, &measured, &Progress::silent()).unwrap();
    let touched = Touched::of(setting.artefact, scene.touches.clone()).frame(&Progress::silent()).unwrap();
    let found = Misalignment::of_sensor(&seen, Some(&touched));
    assert_eq!(found.nominal_words(), "+X -Y -Z");
    // Turned as told, only the error of measurement is left: within three stated standard uncertainties.
    let left = rx_ry_rz(found.angles_rad) * scene.cmm_from_sensor.rotation * found.nominal.inverse();
    let left = left.scaled_axis();
    for k in 0..3 {
        assert!(left[k].abs() < 3.5 * found.sigma_rad[k] && left[k].abs().to_degrees() < 0.01, "{left} {found:?}");
    }
}
