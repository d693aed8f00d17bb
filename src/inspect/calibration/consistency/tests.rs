use super::*;
use crate::calibration::artefacts::angled_slots::drawing::{Drawing, Slot};
use crate::calibration::artefacts::{Drawn, ErrorForm};
use crate::calibration::joint::Wanted;
use crate::calibration::{ArtefactKind, Calibration, Handedness, Placement, View, calibrate};
use crate::simulation::cmm::Cmm;
use base::{Progress, random::Random};
use geometry::{Pose, Vector};

/// Stylus tip radius, mm.
const TIP_RADIUS_MM: f64 = 1.5;

/// Pose of the artefact in front of a sensor that looks straight down on it, with the X axes parallel.
fn sensor_from_artefact() -> Pose {
    Pose::new(Vector::new(-4.0, -16.0, 250.0), Vector::x() * std::f64::consts::PI)
}

/// Points measured by a sensor with white noise on one artefact, and probed by a CMM on another, or on the same.
fn placement(kind: ArtefactKind, scanned: &dyn Drawn, probed: &dyn Drawn) -> Placement {
    let mut random = Random::new(3, 9);
    let (cmm_from_artefact, cmm) = (Pose::translation(400.0, 300.0, 100.0), Cmm::default());
    let regions = 0..kind.artefact().regions().len();
    let mut scan = |(point, _): (Point, Vector)| {
        let point = sensor_from_artefact() * point;
        point + point.coords.normalize() * (0.035 * random.normal())
    };
    let scanned: Vec<Vec<Point>> =
        regions.clone().map(|region| scanned.touches(region, 2000).into_iter().map(&mut scan).collect()).collect();
    let mut touch = |(point, outward): (Point, Vector)| cmm.probe(&(cmm_from_artefact * point), &outward, &mut random);
    let cmm = regions.map(|region| probed.touches(region, 25).into_iter().map(&mut touch).collect()).collect();
    Placement { cmm, views: vec![View { regions: scanned, ..View::default() }] }
}

/// Points on the whole surface of a plate with slots, a millimetre apart.
fn surface(drawing: &Drawing) -> Vec<Point> {
    let point = |i: i32, j: i32| {
        let (x, y) = (drawing.least_mm[0] + f64::from(i), drawing.least_mm[1] + f64::from(j));
        sensor_from_artefact() * Point::new(x, y, drawing.height_mm(x, y))
    };
    (0..=144).flat_map(|j| (0..=92).map(move |i| (i, j))).map(|(i, j)| point(i, j)).collect()
}

fn angled(scanned: &Drawing, probed: &Drawing) -> Placement {
    let mut placement = placement(ArtefactKind::AngledSlots, scanned, probed);
    placement.views[0].surface = surface(scanned);
    placement
}

fn request(artefact: ArtefactKind, placements: &[Placement]) -> Request<'_> {
    Request {
        artefact,
        placements,
        handedness: Handedness::Right,
        probe_radius_mm: TIP_RADIUS_MM,
        probe_radius_error_mm: None,
        clip_sigmas: Some(3.0),
        bias_mm: 0.01,
        scale: None,
        field_mm: None,
        probing_mm: 0.0,
        wanted: Wanted::default(),
        own_shape: false,
        any_mounting: false,
    }
}

fn calibrated(request: &Request<'_>) -> Calibration {
    calibrate(request, &Progress::silent()).unwrap()
}

#[test]
fn the_limit_is_that_of_a_normal_distribution() {
    // Two-sided quantiles for one in a thousand, and for one in twelve thousand.
    assert!((critical_deviation(1) * COVERAGE - 3.290_53).abs() < 1e-3, "{}", critical_deviation(1));
    assert!((critical_deviation(12) * COVERAGE - 3.935).abs() < 5e-3, "{}", critical_deviation(12));
    assert!((two_sided_tail(1.959_964) - 0.05).abs() < 1e-6 && (two_sided_tail(0.0) - 1.0).abs() < 1e-6);
}

#[test]
fn sound_measurements_of_every_artefact_agree() {
    for kind in ArtefactKind::ALL.into_iter().filter(|kind| *kind != ArtefactKind::Sphere) {
        let drawn = kind.drawn();
        let placements = [placement(kind, drawn.as_ref(), drawn.as_ref())];
        let calibration = calibrated(&request(kind, &placements));
        let consistency = &calibration.consistency;
        assert!(!consistency.comparisons.is_empty(), "{kind:?}");
        assert_ne!(consistency.agreement(), Light::Red, "{kind:?} {consistency:#?}");
        assert!(consistency.causes.is_empty() && !consistency.unseen.is_empty(), "{kind:?} {consistency:#?}");
        assert!(calibration.certification().is_certified(), "{kind:?} {:#?}", calibration.certification());
    }
}

/// A wrong tip radius shifts the mounting along Z and nothing else: only depths, widths and radii show it.
#[test]
fn a_wrong_stylus_tip_radius_is_noticed_and_named() {
    for kind in [
        ArtefactKind::AngledSlots,
        ArtefactKind::Frustum,
        ArtefactKind::ThreeSpheres,
        ArtefactKind::SquareSlots,
        ArtefactKind::GreyscaleSlots,
    ] {
        let drawn = kind.drawn();
        let placements = [placement(kind, drawn.as_ref(), drawn.as_ref())];
        // Spheres that differ by half a millimetre are refused outright.
        let probe_radius_mm = if kind == ArtefactKind::ThreeSpheres { 1.35 } else { 0.0 };
        let calibration = calibrated(&Request { probe_radius_mm, ..request(kind, &placements) });
        let consistency = &calibration.consistency;
        assert_eq!(consistency.agreement(), Light::Red, "{kind:?} {consistency:#?}");
        let sentences = consistency.causes.join(" ");
        assert!(sentences.contains("stylus tip radius"), "{kind:?} {sentences}");
        let certification = calibration.certification();
        assert!(!certification.is_certified() && certification.reasons().join(" ").contains("stylus tip radius"));
    }
    // Pen lines cannot show it, and say so.
    let drawn = ArtefactKind::PenLines.drawn();
    let placements = [placement(ArtefactKind::PenLines, drawn.as_ref(), drawn.as_ref())];
    let calibration = calibrated(&request(ArtefactKind::PenLines, &placements));
    let sentences = calibration.consistency.unseen.join(" ");
    assert!(sentences.contains("does not show an error of the stylus tip radius"), "{sentences}");
}

/// A radius that is off by less than anything shows displaces the mounting along Z by as much: by less than the stated
/// uncertainty, or it is not certified. Whoever states how well the radius is known gets a smaller one.
#[test]
fn a_radius_that_is_off_is_within_the_uncertainty_or_not_certified() {
    for kind in [
        ArtefactKind::AngledSlots,
        ArtefactKind::Frustum,
        ArtefactKind::SquareSlots,
        ArtefactKind::GreyscaleSlots,
        ArtefactKind::PenLines,
    ] {
        let drawn = kind.drawn();
        let placements = [placement(kind, drawn.as_ref(), drawn.as_ref())];
        let base = request(kind, &placements);
        let truth = Pose::translation(400.0, 300.0, 100.0) * sensor_from_artefact().inverse();
        let centre = Point::new(0.0, 0.0, 250.0);
        let stated_mm = |own: &Calibration| COVERAGE * own.uncertainty.moved_to(&own.mounting, centre).place_mm()[2];
        for off_mm in [-0.15, -0.1, -0.07, -0.05, 0.05, 0.07, 0.1, 0.15] {
            let found = calibrated(&Request { probe_radius_mm: TIP_RADIUS_MM + off_mm, ..base });
            let error_mm = (found.mounting.cmm_from_sensor * centre - truth * centre).z.abs();
            assert!((error_mm - f64::abs(off_mm)).abs() < 0.02, "{kind:?} {off_mm} {error_mm}");
            let is_certified = found.certification().is_certified();
            assert!(!is_certified || error_mm <= stated_mm(&found), "{kind:?} {off_mm} {}", stated_mm(&found));
        }
        let [unstated, stated] =
            [None, Some(0.001)].map(|error| calibrated(&Request { probe_radius_error_mm: error, ..base }));
        println!("{kind:?}: U along Z {:.4} mm, stated {:.4} mm", stated_mm(&unstated), stated_mm(&stated));
        assert!(stated_mm(&stated) < stated_mm(&unstated), "{kind:?}");
        let lights = [&unstated, &stated].map(|own| own.stylus.map(|stylus| stylus.light()));
        assert_eq!(lights, [Some(Light::Amber), Some(Light::Green)], "{kind:?} {:?}", unstated.stylus);
        assert!(unstated.certification().is_certified() && stated.certification().is_certified(), "{kind:?}");
    }
    // A sphere is centred wherever it was touched.
    let drawn = ArtefactKind::ThreeSpheres.drawn();
    let placements = [placement(ArtefactKind::ThreeSpheres, drawn.as_ref(), drawn.as_ref())];
    assert!(calibrated(&request(ArtefactKind::ThreeSpheres, &placements)).stylus.is_none());
}

#[test]
fn touches_of_another_artefact_disagree() {
    let narrower = |slot: Slot| Slot { half_width_mm: 0.9 * slot.half_width_mm, ..slot };
    let own = Drawing::default();
    let other = Drawing { slots: own.slots.map(narrower), ..own.clone() };
    let placements = [angled(&own, &other)];
    let calibration = calibrated(&request(ArtefactKind::AngledSlots, &placements));
    assert_eq!(calibration.consistency.agreement(), Light::Red);
    // Half a millimetre of depth; both slots alike.
    let off = calibration.consistency.comparisons.iter().filter(|own| own.outcome == Outcome::Disagrees);
    assert!(off.clone().all(|own| own.aspect == Aspect::Height), "{:#?}", calibration.consistency);
    assert!(off.count() >= 2 && !calibration.certification().is_certified());
}

/// Both instruments agree on a plate whose flanks are inclined by 45 degrees, which no 120 degree cutter has cut.
#[test]
fn a_plate_of_45_degrees_is_not_of_a_cutter_of_120() {
    let steep = Drawing { flank_deg: 45.0, ..Drawing::default() };
    let placements = [angled(&steep, &steep)];
    let base = request(ArtefactKind::AngledSlots, &placements);
    let calibration = calibrated(&base);
    let consistency = &calibration.consistency;
    assert_ne!(consistency.agreement(), Light::Red, "{consistency:#?}");
    assert_eq!(consistency.shape_light(), Light::Red);
    let reasons = calibration.certification().reasons().join(" ");
    assert!(reasons.contains("another artefact") && reasons.contains("45."), "{reasons}");
    // With its own CAD model it is accepted.
    let calibration = calibrated(&Request { own_shape: true, ..base });
    assert!(calibration.certification().is_certified(), "{:#?}", calibration.certification());
}

/// The names of all pairs of probed regions are exchanged: the frame is equally good, but rotated by 180°.
#[test]
fn pairs_named_the_other_way_round_are_noticed() {
    let drawing = Drawing::default();
    let mut placements = [angled(&drawing, &drawing)];
    [(0, 1), (2, 3), (4, 5)].iter().for_each(|&(one, other)| placements[0].cmm.swap(one, other));
    let named = request(ArtefactKind::AngledSlots, &placements);
    let calibration = calibrated(&named);
    assert_ne!(calibration.consistency.agreement(), Light::Red, "the artefact is the same");
    let mounted = calibration.consistency.mounted;
    assert!(mounted.x_off_deg > 170.0 && mounted.view_off_deg < 10.0, "{mounted:?}");
    assert!(!calibration.certification().is_certified());
    // If any mounting is allowed, the asymmetric features decide: the ends of the slots.
    let calibration = calibrated(&Request { any_mounting: true, ..named });
    assert_eq!(calibration.consistency.mounted.light(), Light::Amber);
    let touches = calibration.consistency.touches.clone().unwrap();
    assert_eq!(touches.light(), Light::Red, "{touches:?}");
    assert!(calibration.certification().reasons().join(" ").contains("the other way round"));
}

#[test]
fn touches_turned_over_are_noticed() {
    let drawing = Drawing::default();
    let mut placements = [angled(&drawing, &drawing)];
    let over = |point: &Point| Point::new(point.x, -point.y, -point.z);
    placements[0].cmm.iter_mut().flatten().for_each(|point| *point = over(point));
    let calibration = calibrated(&request(ArtefactKind::AngledSlots, &placements));
    assert!(calibration.consistency.mounted.view_off_deg > 170.0);
    assert!(!calibration.certification().is_certified());
    // A sensor whose depths have the wrong sign sees the artefact from below.
    let mut placements = [angled(&drawing, &drawing)];
    placements[0].views[0].regions.iter_mut().flatten().for_each(|point| point.z = 500.0 - point.z);
    let sentence =
        calibrate(&request(ArtefactKind::AngledSlots, &placements), &Progress::silent()).unwrap_err().sentence;
    assert!(sentence.contains("faces away from the sensor") || sentence.contains("exchanged"), "{sentence}");
}

/// A squareness error changes one quantity alone.
#[test]
fn axes_out_of_square_are_noticed_and_named() {
    let drawing = Drawing::default();
    let mut placements = [angled(&drawing, &drawing)];
    let machine = Cmm { squareness_rad: 8.073e-4, ..Cmm::default() };
    placements[0].cmm.iter_mut().flatten().for_each(|point| *point = machine.reported(point));
    let calibration = calibrated(&request(ArtefactKind::AngledSlots, &placements));
    let off = calibration.consistency.comparisons.iter().filter(|own| own.outcome == Outcome::Disagrees);
    let names: Vec<&str> = off.map(|own| own.quantity.as_str()).collect();
    assert_eq!(names, ["Angle of the long slot to the short slot"], "{:#?}", calibration.consistency);
    assert!(calibration.consistency.causes.join(" ").contains("out of square"));
}

/// Half of the plate at another height: no frame is rotated by that, but the plate is no longer one plane.
#[test]
fn a_region_on_a_wrong_face_is_named() {
    let drawing = Drawing::default();
    let mut placements = [angled(&drawing, &drawing)];
    // The right half of the plate, as if a shim lay on it.
    placements[0].views[0].regions[1].iter_mut().for_each(|point| point.z -= 0.2);
    let calibration = calibrated(&request(ArtefactKind::AngledSlots, &placements));
    let off = calibration.consistency.comparisons.iter().filter(|own| own.outcome == Outcome::Disagrees);
    assert!(
        off.clone().any(|own| own.quantity.starts_with("Step between the halves")),
        "{:#?}",
        calibration.consistency
    );
    assert!(!calibration.certification().is_certified());
}

/// Distances between spheres show that the sensor's scale is better than its systematic error alone would allow.
#[test]
fn a_scale_that_the_artefact_shows_is_no_longer_in_doubt() {
    let kind = ArtefactKind::ThreeSpheres;
    let drawn = kind.drawn();
    let placements = [placement(kind, drawn.as_ref(), drawn.as_ref())];
    let base = request(kind, &placements);
    let by_distances = calibrated(&base);
    let without = calibrated(&Request { bias_mm: 0.05, ..base });
    assert!(by_distances.scale < without.scale, "{} {}", by_distances.scale, without.scale);
    let stated = |scale| calibrated(&Request { scale: Some(scale), ..base });
    let z = |own: &Calibration| own.uncertainty.place_mm()[2];
    assert!(z(&stated(1e-6)) < z(&by_distances), "a scale known better makes Z surer");
    let by_scale = |own: &Calibration| own.uncertainty.by_form(&own.mounting, ErrorForm::Scale)[2];
    // A quarter of a metre times the scale, over root 2.
    let expected = 250.0 * 1e-5 * std::f64::consts::FRAC_1_SQRT_2;
    assert!((by_scale(&stated(1e-5)) / expected - 1.0).abs() < 0.1, "{}", by_scale(&stated(1e-5)));
}
