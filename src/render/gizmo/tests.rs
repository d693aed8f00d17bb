use super::*;
use crate::ViewCamera;
use crate::camera::StandardView;
use geometry::Aabb;

/// Views of a part far from the origin, orthographic and perspective, from standard and from oblique directions.
fn cameras() -> Vec<ViewCamera> {
    let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
    let mut all = Vec::new();
    for perspective in [false, true] {
        for view in StandardView::ALL {
            for orbit in [(0.0, 0.0), (140.0, -60.0)] {
                let mut camera = ViewCamera::new(&bounds);
                camera.set_size(900, 600);
                camera.set_perspective(perspective);
                camera.look_from(view);
                camera.orbit(orbit);
                all.push(camera);
            }
        }
    }
    all
}

const CENTRE: Point = Point::new(1045.0, 33.0, 17.0);

fn gizmo(projection: &Projection) -> Gizmo {
    Gizmo::new(CENTRE, [Vector::x(), Vector::y(), Vector::z()], projection, 80.0).unwrap()
}

/// The pixel in which the camera draws a point.
fn drawn(camera: &ViewCamera, point: &Point) -> [f64; 2] {
    let (x, y) = camera.pixel_of(point).unwrap();
    [f64::from(x), f64::from(y)]
}

/// Drags a handle along these points.
fn drag(camera: &ViewCamera, handle: Handle, path: &[Point]) -> Option<Displacement> {
    let projection = Projection::of(camera);
    let mut drag = Drag::new(gizmo(&projection), handle, &projection, drawn(camera, &path[0]))?;
    path.iter().for_each(|point| drag.follow(&projection, drawn(camera, point)));
    Some(drag.displacement())
}

#[test]
fn an_arrow_moves_by_the_mm_that_its_pixels_show() {
    let mut count = 0;
    for camera in cameras() {
        for axis in 0..3 {
            let direction = gizmo(&Projection::of(&camera)).axes[axis];
            let path = [4.0, 9.0, -8.5].map(|mm| CENTRE + direction * mm);
            let Some(moved) = drag(&camera, Handle::Along(axis), &path) else { continue };
            let Displacement::Along { mm, .. } = moved else { panic!("{moved:?}") };
            assert!((mm + 12.5).abs() < 1e-3, "{mm}");
            let shift = moved.motion(&CENTRE) * CENTRE - CENTRE;
            assert!((shift - direction * mm).norm() < 1e-9);
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn squares_and_the_disc_move_in_their_planes() {
    let mut count = 0;
    for camera in cameras() {
        for axis in 0..3 {
            let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
            let mut ends = [CENTRE; 2];
            ends[0][a] += 3.0;
            (ends[1][a], ends[1][b]) = (CENTRE[a] + 10.0, CENTRE[b] - 6.0);
            let Some(moved) = drag(&camera, Handle::In(axis), &ends) else { continue };
            let Displacement::In { mm: [u, v], .. } = moved else { panic!("{moved:?}") };
            assert!((u - 7.0).abs() < 1e-3 && (v + 6.0).abs() < 1e-3, "{u} {v}");
            count += 1;
        }
        let [right, up, _] = Projection::of(&camera).axes();
        let moved = drag(&camera, Handle::InView, &[CENTRE, CENTRE + right * 5.0 - up * 2.0]).unwrap();
        let Displacement::In { mm: [u, v], .. } = moved else { panic!("{moved:?}") };
        assert!((u - 5.0).abs() < 1e-3 && (v + 2.0).abs() < 1e-3, "{u} {v}");
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_ring_turns_by_the_angle_that_is_drawn_and_turns_add_up() {
    let mut count = 0;
    for camera in cameras() {
        for axis in 0..3 {
            let own = gizmo(&Projection::of(&camera));
            let [a, b] = [own.axes[(axis + 1) % 3], own.axes[(axis + 2) % 3]];
            let at = |degrees: f64| {
                let (sin, cos) = degrees.to_radians().sin_cos();
                CENTRE + (a * cos + b * sin) * own.ring_mm()
            };
            for path in [vec![10.0, 25.0, 40.0], vec![0.0, 100.0, 200.0, 270.0], vec![40.0, -90.0, -200.0, -360.0]] {
                let expected: f64 = path[path.len() - 1] - path[0];
                let points: Vec<Point> = path.into_iter().map(at).collect();
                let Some(moved) = drag(&camera, Handle::About(axis), &points) else { continue };
                let Displacement::About { angle_rad, .. } = moved else { panic!("{moved:?}") };
                assert!((angle_rad.to_degrees() - expected).abs() < 0.02, "{} {expected}", angle_rad.to_degrees());
                let end = moved.motion(&CENTRE) * points[0];
                assert!(
                    (end - points[points.len() - 1]).norm() < 0.02
                        && (moved.motion(&CENTRE) * CENTRE - CENTRE).norm() < 1e-9
                );
                count += 1;
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn what_is_seen_edge_on_is_no_handle() {
    let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
    let mut camera = ViewCamera::new(&bounds);
    camera.set_size(900, 600);
    camera.look_from(StandardView::Front);
    let projection = Projection::of(&camera);
    let own = gizmo(&projection);
    let usable: Vec<Handle> =
        Handle::ALL.into_iter().filter(|own_handle| own.is_usable(*own_handle, &projection)).collect();
    // Seen along y.
    assert_eq!(usable, [Handle::InView, Handle::In(1), Handle::Along(0), Handle::Along(2), Handle::About(1)]);
    for handle in [Handle::Along(1), Handle::In(0), Handle::About(2)] {
        assert!(drag(&camera, handle, &[CENTRE, CENTRE + Vector::new(5.0, 0.0, 3.0)]).is_none());
    }
    let at_centre = projection.pixel_of(&(CENTRE + Vector::new(0.0, 20.0, 0.0))).unwrap();
    assert_eq!(own.handle_at(&projection, at_centre, 6.0), Some(Handle::InView));
}

#[test]
fn a_drag_towards_the_vanishing_point_stays_finite() {
    let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
    let mut camera = ViewCamera::new(&bounds);
    camera.set_size(900, 600);
    camera.set_perspective(true);
    camera.look_from(StandardView::Isometric);
    let projection = Projection::of(&camera);
    let own = gizmo(&projection);
    for handle in Handle::ALL.into_iter().filter(|handle| own.is_usable(*handle, &projection)) {
        let grip = projection.pixel_of(&own.grip(handle, &projection)).unwrap();
        let mut drag = Drag::new(own, handle, &projection, grip).unwrap();
        for step in 0..4000 {
            let angle = 0.37 * f64::from(step);
            let far = 3.0 * f64::from(step);
            drag.follow(&projection, [grip[0] + far * angle.cos(), grip[1] + far * angle.sin()]);
            let motion = drag.displacement().motion(&CENTRE);
            let moved_mm = (motion * CENTRE - CENTRE).norm();
            assert!(moved_mm.is_finite() && moved_mm < 1e5, "{handle:?} {step}: {moved_mm} mm");
        }
    }
}

#[test]
fn every_handle_is_found_at_its_grip_and_is_of_the_same_size_in_each_view() {
    for camera in cameras() {
        let projection = Projection::of(&camera);
        let own = gizmo(&projection);
        for handle in Handle::ALL.into_iter().filter(|handle| own.is_usable(*handle, &projection)) {
            let grip = own.grip(handle, &projection);
            assert!(
                own.distance(handle, &projection, projection.pixel_of(&grip).unwrap()).unwrap() < 0.5,
                "{handle:?}"
            );
        }
        let beside = own.centre + projection.axes()[0] * own.size_mm;
        let [from, to] = [own.centre, beside].map(|point| projection.pixel_of(&point).unwrap());
        assert!((to[0] - from[0] - 80.0).abs() < 1e-6, "{from:?} {to:?}");
        // Far beside all of them.
        assert_eq!(own.handle_at(&projection, [from[0] + 150.0, from[1] - 150.0], 6.0), None);
    }
    let isometric = &cameras()[StandardView::ALL.iter().position(|own| *own == StandardView::Isometric).unwrap() * 2];
    let projection = Projection::of(isometric);
    let own = gizmo(&projection);
    for handle in Handle::ALL {
        let grip = projection.pixel_of(&own.grip(handle, &projection)).unwrap();
        assert_eq!(own.handle_at(&projection, grip, 6.0), Some(handle));
    }
}

#[test]
fn steps_are_whole_and_suit_the_part() {
    assert_eq!([145.0, 40.0, 900.0].map(snap_step_mm), [1.0, 0.1, 10.0]);
    assert_eq!(snap_step_mm(0.0), 1.0);
    let along = Displacement::Along { axis: Vector::x(), mm: 3.4 };
    assert_eq!(along.snapped(1.0, SNAP_RAD), Displacement::Along { axis: Vector::x(), mm: 3.0 });
    let turned = Displacement::About { axis: Vector::z(), angle_rad: 0.4 }.snapped(1.0, SNAP_RAD);
    let Displacement::About { angle_rad, .. } = turned else { panic!("{turned:?}") };
    assert!((angle_rad.to_degrees() - 25.0).abs() < 1e-9);
    assert!(along.snapped(10.0, SNAP_RAD).is_none() && !along.is_none());
}
