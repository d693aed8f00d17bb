use super::super::{Artefact, ArtefactFrame, Imperfect, Measured};
use super::drawing::Drawing;
use super::*;
use crate::calibration::Handedness;
use crate::simulation::sensor::{Sensor, take};
use crate::simulation::views;
use base::{Progress, Result, random::Random};
use geometry::Cloud;
use geometry::mesh::shapes;
use geometry::{Point, Pose, Surface, Vector};

/// Points on each region, transformed by `pose`.
fn region_points(each: usize, pose: &Pose) -> Vec<Vec<Point>> {
    let drawing = Drawing::default();
    let points = |region| drawing.points_on(region, each, 1.0).iter().map(|point| pose * point).collect();
    Region::ALL.map(points).into()
}

fn frame(regions: &[Vec<Point>], measured: &Measured) -> Result<ArtefactFrame> {
    ANGLED_SLOTS.frame(regions, measured, &Progress::silent())
}

#[test]
fn the_frame_of_ideal_faces_is_the_artefacts_own_in_any_pose() {
    let (mut random, drawing, tip_radius_mm) = (Random::new(1, 7), Drawing::default(), 1.5);
    for _ in 0..30 {
        let shift = Vector::new(random.range(-500.0, 500.0), random.range(-500.0, 500.0), random.range(-90.0, 90.0));
        let pose = Pose::from_parts(shift.into(), random.rotation());
        let regions = region_points(40, &pose);
        let found = frame(&regions, &Measured::default()).unwrap();
        let change = pose.inverse() * found.device_from_artefact;
        assert!(change.translation.vector.norm() < 1e-9 && change.rotation.angle() < 1e-11, "{change}");
        // Probed with a spherical tip, every tip centre lies one tip radius outside the surface.
        let outside = |region: Region, points: &Vec<Point>| -> Vec<Point> {
            points.iter().map(|p| p + pose.rotation * drawing.normal(region) * tip_radius_mm).collect()
        };
        let tip_centres: Vec<_> = Region::ALL.iter().zip(&regions).map(|(r, points)| outside(*r, points)).collect();
        let found = frame(&tip_centres, &Measured { probe_radius_mm: tip_radius_mm, ..Measured::default() }).unwrap();
        let change = pose.inverse() * found.device_from_artefact;
        assert!(change.translation.vector.norm() < 1e-9 && change.rotation.angle() < 1e-11, "{change}");
    }
}

#[test]
fn exchanged_and_wrong_regions_are_named() {
    let good = region_points(60, &Pose::identity());
    let try_with = |change: &dyn Fn(&mut Vec<Vec<Point>>)| {
        let mut regions = good.clone();
        change(&mut regions);
        frame(&regions, &Measured::default()).unwrap_err().sentence
    };
    assert!(try_with(&|r| r.swap(2, 3)).contains("left and the right flank"));
    assert!(try_with(&|r| r.swap(4, 5)).contains("exchanged"));
    assert!(try_with(&|r| r.swap(0, 1)).contains("part of the plate"));
    assert!(try_with(&|r| r.swap(2, 4)).contains("not its two flanks"));
    assert!(try_with(&|r| r[3] = r[2].clone()).contains("not its two flanks"));
    assert!(try_with(&|r| r[4].truncate(2)).contains("SU (short slot, upper) holds 2 points"));
    assert!(try_with(&|r| r[5][0].x = f64::NAN).contains("finite"));
    let mirrored = |r: &mut Vec<Vec<Point>>| r.iter_mut().flatten().for_each(|point| point.x = -point.x);
    assert!(try_with(&mirrored).contains("mirrored"));
}

/// Whole snapshots of the plate in four orientations: regions are found and lie where the drawing has them; a mirrored
/// snapshot and a plate without slots are refused.
#[test]
fn regions_are_found_in_a_snapshot_in_any_orientation() {
    let drawing = Drawing::default();
    let artefact = Surface::new(drawing.mesh(2.0, &Imperfect::default()));
    let wide = Sensor { pitch_mm: [0.4, 0.4], ..Sensor::default() };
    let points_of = |part: &Surface, sensor: &Sensor, pose: &Pose| {
        let snapshot = take(part, sensor, pose, 5, 0, &Progress::silent()).unwrap();
        let measured: Vec<Point> = snapshot.points.iter().map(|point| point.measured).collect();
        (measured, snapshot)
    };
    for quarter_turns in 0..4 {
        // Rotated by 90° for every other orientation, so that the whole plate is in the field of view.
        let field_mm = if quarter_turns % 2 == 0 { wide.field_mm } else { [wide.field_mm[1], wide.field_mm[0]] };
        let sensor = Sensor { field_mm, ..wide };
        let above = views::looking_at(&drawing.view_centre(), &Vector::new(0.03, -0.04, 1.0), &sensor);
        let about_z = Vector::z() * (f64::from(quarter_turns) * std::f64::consts::FRAC_PI_2 + 0.05);
        let rotation = nalgebra::UnitQuaternion::from_scaled_axis(about_z);
        let centre = Pose::translation(drawing.view_centre().x, drawing.view_centre().y, 0.0);
        let around = centre * Pose::from_parts(nalgebra::Translation3::identity(), rotation) * centre.inverse();
        let artefact_from_sensor = around * above;
        let (points, snapshot) = points_of(&artefact, &sensor, &artefact_from_sensor);
        let regions = ANGLED_SLOTS.find(&Cloud::from_points(points.clone()), &Progress::silent()).unwrap();
        for (region, set) in Region::ALL.iter().zip(&regions) {
            assert!(set.len() > 300, "{region:?} {}", set.len());
            let is_right = |&&index: &&u32| {
                let point = artefact_from_sensor * snapshot.points[index as usize].truth;
                drawing.region_at(point.x, point.y, 0.5) == Some(*region)
            };
            let wrong = set.len() - set.iter().filter(is_right).count();
            assert!(wrong * 1000 <= set.len(), "{region:?}: {wrong} of {}", set.len());
        }
        let mirrored: Vec<Point> = points.iter().map(|point| Handedness::Left.to_right(point)).collect();
        let sentence = ANGLED_SLOTS.find(&Cloud::from_points(mirrored), &Progress::silent()).unwrap_err().sentence;
        assert!(sentence.contains("mirror image"), "{sentence}");
    }
    let bare = Surface::new(shapes::cuboid(Point::new(-45.0, -80.0, -9.0), Point::new(45.0, 80.0, 0.0)));
    let (points, _) = points_of(&bare, &wide, &views::looking_at(&Point::origin(), &Vector::z(), &wide));
    assert!(
        ANGLED_SLOTS
            .find(&Cloud::from_points(points.clone()), &Progress::silent())
            .unwrap_err()
            .sentence
            .contains("not recognised")
    );
}
