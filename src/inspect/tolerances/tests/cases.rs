//! Features with known errors, and the expected value of each characteristic.

use super::*;

fn form_cases() -> Vec<Case> {
    let up = plane([5.0, 5.0, 5.0], Vector::z());
    let wave = |u: f64, v: f64| if (u + v) > 0.0 { 0.03 } else { -0.01 };
    let lobes = |amplitude: f64| move |a: f64| amplitude * (3.0 * a).cos();
    let bolt = axis([1.0, 2.0, 3.0], Vector::new(0.3, -0.4, 1.0), 6.0);
    let string = line([1.0, 1.0, 1.0], Vector::z());
    let helix = (0..100).map(|i| f64::from(i) * 0.3).map(|t| Point::new(1.0 + 0.02 * t.cos(), 1.0 + 0.02 * t.sin(), t));
    // Radius 6, with a median line that is bent by 0.1 from the centre to the ends.
    let bent: Vec<Point> = (0..41 * 36)
        .map(|i| (f64::from(i / 36) - 20.0, f64::from(i % 36) * TAU / 36.0))
        .map(|(z, a)| Point::new(0.1 * (z / 20.0).powi(2) + 6.0 * a.cos(), 6.0 * a.sin(), z))
        .collect();
    // Three lobes that grow towards the ends.
    let trumpet = tube(bolt, 40.0, |z, a| 0.001 * z.abs() * (3.0 * a).cos());
    // For an inclined reference the zone would be larger; the minimum zone is passed in.
    let zone = Feature {
        minimum_zone: Some(plane([0.0, 0.0, 5.01], Vector::z())),
        ..patch(plane([5.0, 5.0, 5.0], Vector::new(1e-3, 0.0, 1.0)), Vector::x(), [0.0, 40.0], none)
    };
    let case = |json, feature, truth| Case { json, features: named([("f", feature)]), truth };
    vec![
        case(r#""characteristic":"size","upper_mm":12.05,"lower_mm":11.95"#, tube(bolt, 9.0, none), 12.0),
        case(r#""characteristic":"size","limit_mm":8.1"#, Feature { size_mm: Some(8.02), ..Feature::of(up) }, 8.02),
        case(r#""characteristic":"flatness""#, patch(up, Vector::x(), [50.0, 30.0], wave), 0.04),
        case(r#""characteristic":"flatness""#, zone, 0.0),
        case(r#""characteristic":"straightness""#, with_points(string, helix.collect()), 0.04),
        case(
            r#""characteristic":"straightness","section_mm":0.9"#,
            with_points(axis([0.0; 3], Vector::z(), 6.0), bent),
            0.1,
        ),
        case(r#""characteristic":"circularity""#, ring(circle([3.0, 4.0, 5.0], 20.0), lobes(0.03)), 0.06),
        case(r#""characteristic":"circularity""#, trumpet.clone(), 0.04),
        case(r#""characteristic":"cylindricity""#, trumpet, 0.04),
        case(r#""characteristic":"cylindricity""#, tube(bolt, 30.0, |z, _| 0.001 * z), 0.03),
    ]
}

fn orientation_cases() -> Vec<Case> {
    let inclination =
        |angle: f64, azimuth: f64| Vector::new(angle.sin() * azimuth.cos(), angle.sin() * azimuth.sin(), angle.cos());
    let floor = || Feature::of(plane([9.0, 9.0, 0.0], Vector::z()));
    let pin = || Feature::of(axis([7.0, 1.0, 5.0], Vector::z(), 3.0));
    let case = |json, datum, feature, truth| Case { json, features: named([("A", datum), ("f", feature)]), truth };
    let down = std::f64::consts::FRAC_PI_2;
    let slope = |angle: f64, azimuth: f64, along: f64, across: f64| {
        let normal = inclination(angle, azimuth);
        patch(plane([3.0, 2.0, 8.0], normal), Vector::z() - normal * normal.z, [along, across], none)
    };
    let rod = |direction: Vector, length: f64| tube(axis([3.0, 2.0, 8.0], direction, 4.0), length, none);
    let tilt = 0.002_f64;
    vec![
        case(
            r#""characteristic":"parallelism","datums":["A"]"#,
            floor(),
            slope(tilt, 0.7, 50.0, 20.0),
            50.0 * tilt.sin(),
        ),
        // In any direction, a wall inclined by the tilt deviates by that over its height.
        case(
            r#""characteristic":"perpendicularity","datums":["A"]"#,
            floor(),
            slope(down - tilt, 2.3, 30.0, 80.0),
            30.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"angularity","angle_deg":45,"datums":["A"]"#,
            floor(),
            slope(45.0_f64.to_radians() + tilt, 4.0, 30.0, 80.0),
            30.0 * tilt.sin(),
        ),
        // A plane to an axis: parallel as a wall, perpendicular as a floor, at 30° between plane and axis.
        case(
            r#""characteristic":"parallelism","datums":["A"]"#,
            pin(),
            slope(down + tilt, 1.0, 30.0, 80.0),
            30.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"perpendicularity","datums":["A"]"#,
            pin(),
            slope(tilt, 1.0, 30.0, 10.0),
            30.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"angularity","angle_deg":30,"datums":["A"]"#,
            pin(),
            slope(60.0_f64.to_radians() - tilt, 1.0, 30.0, 80.0),
            30.0 * tilt.sin(),
        ),
        // An axis: perpendicular to a plane, parallel to an axis, parallel to a plane, at an angle to both.
        case(
            r#""characteristic":"perpendicularity","datums":["A"]"#,
            floor(),
            rod(inclination(tilt, 1.0), 40.0),
            40.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"parallelism","datums":["A"],"zone":"diameter""#,
            pin(),
            rod(-inclination(tilt, 1.0), 40.0),
            40.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"parallelism","datums":["A"]"#,
            floor(),
            rod(inclination(down - tilt, 1.0), 40.0),
            40.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"parallelism","datums":["A"],"zone":{"width":{"along":[0,0,2]}}"#,
            floor(),
            rod(inclination(down - tilt, 1.0), 40.0),
            40.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"perpendicularity","datums":["A"],"zone":{"width":{"along":[0,0,1]}}"#,
            pin(),
            rod(inclination(down + tilt, 5.0), 40.0),
            40.0 * tilt.sin(),
        ),
        case(
            r#""characteristic":"angularity","angle_deg":60,"datums":["A"]"#,
            floor(),
            rod(inclination(30.0_f64.to_radians() + tilt, 5.0), 40.0),
            40.0 * tilt.sin(),
        ),
        // A bent line: its smallest cylinder in the exact direction.
        case(
            r#""characteristic":"perpendicularity","datums":["A"]"#,
            floor(),
            with_points(
                line([0.0; 3], Vector::z()),
                (0..9)
                    .map(|i| f64::from(i) * TAU / 9.0)
                    .map(|a| Point::new(0.03 * a.cos(), 0.03 * a.sin(), a))
                    .collect(),
            ),
            0.06,
        ),
        // Two datums: the wall must have the direction of its nominal in their frame.
        Case {
            json: r#""characteristic":"perpendicularity","datums":["A","B"]"#,
            features: in_corner(
                patch(
                    plane([30.0, 20.0, 5.0], Vector::new(tilt.sin(), tilt.cos(), 0.0)),
                    Vector::x(),
                    [50.0, 20.0],
                    none,
                ),
                plane([0.0; 3], Vector::y()),
            ),
            truth: 50.0 * tilt.sin(),
        },
    ]
}

fn location_cases() -> Vec<Case> {
    let position = r#""characteristic":"position","datums":["A","B","C"]"#;
    let true_axis = line([10.0, 20.0, 0.0], Vector::z());
    let off = |x: f64, y: f64, inclination: f64| {
        tube(axis([10.0 + x, 20.0 + y, 15.0], Vector::new(inclination, 0.0, 1.0), 4.0), 30.0, none)
    };
    // Ends at ±15 along an axis whose inclination adds to the offset in x at one end.
    let end = |x: f64, y: f64, inclination: f64| (x + 15.0 * inclination.atan().sin()).hypot(y);
    let sphere = |x: f64, y: f64, z: f64| Feature::of(Shape::Sphere { centre: Point::new(x, y, z), radius: 2.0 });
    let pin = || Feature::of(axis([7.0, 1.0, 5.0], Vector::z(), 3.0));
    let rod = |x: f64, inclination: f64| {
        tube(axis([7.0 + x, 1.0, 40.0], Vector::new(inclination, 0.0, 1.0), 4.0), 20.0, none)
    };
    let pair = |json, datum, feature, truth| Case { json, features: named([("A", datum), ("f", feature)]), truth };
    let middle = |normal: Vector, x: f64| Feature {
        size_mm: Some(8.0),
        ..patch(plane([40.0 + x, 10.0, 5.0], normal), Vector::y(), [20.0, 30.0], |u, _| 4.0 * u.signum())
    };
    vec![
        Case { json: position, features: in_corner(off(0.03, 0.04, 0.0), true_axis), truth: 0.1 },
        Case {
            json: position,
            features: in_corner(off(0.03, 0.04, 0.001), true_axis),
            truth: 2.0 * end(0.03, 0.04, 0.001),
        },
        Case {
            json: r#""characteristic":"position","datums":["A","B","C"],
                "true_place":{"shape":{"kind":"line","point":[10,20,0],"direction":[0,0,1]}}"#,
            features: in_corner(off(0.03, 0.04, 0.0), line([99.0; 3], Vector::x())),
            truth: 0.1,
        },
        Case {
            json: r#""characteristic":"position","datums":["A","B","C"],"zone":{"width":{"along":[1,0,0]}}"#,
            features: in_corner(off(0.03, 0.04, 0.001), true_axis),
            truth: 2.0 * end(0.03, 0.0, 0.001),
        },
        Case {
            json: position,
            features: in_corner(sphere(1.02, 2.03, 3.06), Point::new(1.0, 2.0, 3.0)),
            truth: 2.0 * 0.07,
        },
        // A circle is evaluated in its plane.
        Case {
            json: position,
            features: in_corner(ring(circle([1.03, 2.04, 3.5], 2.0), |_| 0.0), circle([1.0, 2.0, 3.0], 2.0)),
            truth: 0.1,
        },
        Case {
            json: r#""characteristic":"position","datums":["A","B","C"],"zone":{"width":{"along":[0,0,1]}}"#,
            features: in_corner(sphere(1.02, 2.03, 3.06), Point::new(1.0, 2.0, 3.0)),
            truth: 0.12,
        },
        // A mid-plane, whose points are those of the sides; and a surface.
        Case {
            json: position,
            features: in_corner(middle(Vector::x(), 0.05), plane([40.0, 0.0, 0.0], Vector::x())),
            truth: 0.1,
        },
        Case {
            json: position,
            features: in_corner(
                patch(plane([40.05, 9.0, 5.0], Vector::x()), Vector::y(), [20.0, 30.0], |u, _| 1e-3 * u),
                plane([40.0, 0.0, 0.0], Vector::x()),
            ),
            truth: 0.12,
        },
        // Unconstrained degrees of freedom are irrelevant for a pin on the datum axis.
        pair(
            r#""characteristic":"position","datums":["A"],"true_place":{"shape":
            {"kind":"line","point":[0,0,0],"direction":[0,0,1]}}"#,
            pin(),
            rod(0.03, 0.0),
            0.06,
        ),
        pair(r#""characteristic":"coaxiality","datums":["A"]"#, pin(), rod(0.03, 0.0), 0.06),
        pair(
            r#""characteristic":"coaxiality","datums":["A"]"#,
            pin(),
            rod(0.03, -0.002),
            2.0 * (0.03 + 10.0 * 0.002_f64.atan().sin()),
        ),
        pair(r#""characteristic":"coaxiality","datums":["A"]"#, pin(), sphere(7.03, 1.04, 90.0), 0.1),
        pair(
            r#""characteristic":"coaxiality","datums":["A"]"#,
            Feature::of(circle([1.0, 2.0, 3.0], 5.0)),
            ring(circle([1.03, 2.04, 3.5], 2.0), |_| 0.0),
            0.1,
        ),
        pair(r#""characteristic":"coaxiality","datums":["A"]"#, sphere(1.0, 2.0, 3.0), sphere(1.02, 2.03, 3.06), 0.14),
        pair(
            r#""characteristic":"symmetry","datums":["A"]"#,
            Feature::of(plane([40.0, 0.0, 0.0], Vector::x())),
            middle(Vector::new(1.0, 0.001, 0.0), 0.02),
            2.0 * (0.02 + 10.0 * 0.001_f64.atan().sin()),
        ),
    ]
}

fn run_out_and_profile_cases() -> Vec<Case> {
    let spindle = || Feature::of(axis([7.0, 1.0, 5.0], Vector::z(), 3.0));
    let pair = |json, feature, truth| Case { json, features: named([("A", spindle()), ("f", feature)]), truth };
    let eccentric = || tube(axis([7.02, 1.0, 40.0], Vector::z(), 10.0), 20.0, none);
    // A tapered tube, coaxial: every section is round, the whole is not.
    let tapered = || tube(axis([7.0, 1.0, 40.0], Vector::z(), 10.0), 20.0, |z, _| 0.001 * z);
    let tilt = 0.001_f64;
    let face = |normal: Vector| {
        let shape = plane([7.0, 1.0, 50.0], normal);
        let rings = (1..=10).flat_map(|i| (0..72).map(move |j| (2.0 * f64::from(i), f64::from(j) * TAU / 72.0)));
        let at = |(r, a): (f64, f64)| Point::new(7.0 + r * a.cos(), 1.0 + r * a.sin(), 50.0 - tilt * r * a.cos());
        with_points(shape, rings.map(at).collect())
    };
    let sheet = |deviations_mm: Vec<f64>| Feature {
        deviations_mm,
        ..with_points(plane([0.0; 3], Vector::z()), (0..3).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect())
    };
    let alone = |json, deviations, truth| Case { json, features: named([("f", sheet(deviations))]), truth };
    vec![
        pair(r#""characteristic":"circular_run_out","datums":["A"]"#, eccentric(), 0.04),
        pair(r#""characteristic":"total_run_out","datums":["A"]"#, eccentric(), 0.04),
        pair(r#""characteristic":"circular_run_out","section_mm":0.5,"datums":["A"]"#, tapered(), 0.0),
        pair(r#""characteristic":"total_run_out","datums":["A"]"#, tapered(), 0.02),
        pair(
            r#""characteristic":"circular_run_out","datums":["A"]"#,
            ring(circle([7.0, 1.0, 9.0], 5.0), |a| 0.01 * (2.0 * a).cos()),
            0.02,
        ),
        // A face with axial run-out: twice the slope over the outermost ring.
        pair(r#""characteristic":"circular_run_out","datums":["A"]"#, face(Vector::new(tilt, 0.0, 1.0)), 40.0 * tilt),
        pair(r#""characteristic":"total_run_out","datums":["A"]"#, face(Vector::new(tilt, 0.0, 1.0)), 40.0 * tilt),
        alone(r#""characteristic":"profile","limit_mm":0.4"#, vec![-0.05, 0.0, 0.15], 0.3),
        // A zone of 0.4 that is all outside: its centre is 0.2 outside, and the maximum distance from there is 0.25.
        alone(r#""characteristic":"profile","limit_mm":0.4,"outside_mm":0.4"#, vec![-0.05, 0.0, 0.15], 0.5),
        alone(r#""characteristic":"profile","limit_mm":0.4,"outside_mm":0.1"#, vec![-0.3, 0.1, 0.0], 0.4),
        // From the nominal shape, through the datum frame.
        Case {
            json: r#""characteristic":"profile","datums":["A","B","C"]"#,
            features: in_corner(
                tube(axis([10.0, 20.0, 15.0], Vector::z(), 4.03), 30.0, |_, a| 0.01 * (2.0 * a).cos()),
                axis([10.0, 20.0, 0.0], Vector::z(), 4.0),
            ),
            truth: 0.08,
        },
        Case {
            json: r#""characteristic":"profile","datums":["A"]"#,
            features: in_corner(
                patch(plane([10.0, 20.0, 7.02], Vector::z()), Vector::x(), [20.0, 30.0], none),
                plane([0.0, 0.0, 7.0], Vector::z()),
            ),
            truth: 0.04,
        },
    ]
}

/// All cases.
pub fn all() -> Vec<Case> {
    [form_cases(), orientation_cases(), location_cases(), run_out_and_profile_cases()].into_iter().flatten().collect()
}
