//! Thin walls and gaps: right, or told. Volumes follow by arithmetic.

use super::*;
use compute::cpu::Cpu;
use geometry::mesh::shapes;
use geometry::{Point, Vector};

const PI: f64 = std::f64::consts::PI;

fn offset(mesh: Mesh, distance_mm: f64, resolution: u32) -> OffsetVolume {
    let parameters = Parameters { distance_mm, resolution, ..Parameters::default() };
    run(&Cpu, &Surface::new(mesh), &parameters, &Progress::silent()).unwrap()
}

fn cuboid(min: [f64; 3], size: [f64; 3]) -> Mesh {
    shapes::cuboid(Point::from(min), Point::from(min) + Vector::from(size))
}

fn all(parts: impl IntoIterator<Item = Mesh>) -> Mesh {
    parts.into_iter().fold(Mesh::default(), |mut all, own| {
        all.append(&own);
        all
    })
}

fn inside_out(mut mesh: Mesh) -> Mesh {
    mesh.flip();
    mesh
}

/// Volume of a cuboid with these edges, dilated (Steiner) or eroded by `mm`.
fn moved([a, b, c]: [f64; 3], mm: f64) -> f64 {
    if mm < 0.0 {
        return [a, b, c].map(|own| (own + 2.0 * mm).max(0.0)).into_iter().product();
    }
    a * b * c + 2.0 * mm * (a * b + b * c + c * a) + PI * mm * mm * (a + b + c) + 4.0 / 3.0 * PI * mm.powi(3)
}

/// A ring of a rectangular profile, of many facets.
fn ring(radii: [f64; 2], height: f64) -> Mesh {
    shapes::grid(96, 4, true, |u, v| {
        let angle = u * std::f64::consts::TAU;
        let corner = (4.0 * v).round() as usize % 4;
        let [radius, z] = [[radii[1], 0.0], [radii[1], height], [radii[0], height], [radii[0], 0.0]][corner];
        Point::new(radius * angle.cos(), radius * angle.sin(), z)
    })
}

/// A thin shape, its offset, the volume that is left, and how much of it the thin part has.
struct Thin {
    name: &'static str,
    mesh: Mesh,
    distance_mm: f64,
    volume_mm3: f64,
    thin_mm3: f64,
}

/// Twenty of them; `t` is how thick what is thin of them is in the end, mm.
fn thin_shapes(t: f64) -> Vec<Thin> {
    let of = |name, mesh, distance_mm, volume_mm3, thin_mm3| Thin { name, mesh, distance_mm, volume_mm3, thin_mm3 };
    let plate = |t: f64| ([-12.0, -9.0, -0.5 * t], [24.0, 18.0, t]);
    let plates =
        |gap: f64| all([cuboid([0.0; 3], [20.0, 16.0, 4.0]), cuboid([0.0, 0.0, 4.0 + gap], [20.0, 16.0, 4.0])]);
    let hollow = |outer: [f64; 3], wall: f64| {
        let inner = outer.map(|own| own - 2.0 * wall);
        (all([cuboid([0.0; 3], outer), inside_out(cuboid([wall; 3], inner))]), inner)
    };
    let block = || cuboid([-15.0, -15.0, -5.0], [30.0, 30.0, 10.0]);
    let fin = |t: f64, from: f64| cuboid([-10.0, -0.5 * t, from], [20.0, t, 14.0 - from]);
    let (plate_at, plate_size) = plate(t);
    let (shell, cavity) = hollow([20.0, 16.0, 12.0], t);
    let (thick_shell, thick_cavity) = hollow([20.0, 16.0, 12.0], t + 0.6);
    let (nearly_full, slit) =
        (all([cuboid([0.0; 3], [20.0, 16.0, 12.0]), inside_out(cuboid([3.0, 3.0, 6.0], [14.0, 10.0, t]))]), 140.0 * t);
    let tube = ring([8.0 - t, 8.0], 10.0);
    let tube_volume = tube.volume_mm3();
    let flat_ring = ring([4.0, 9.0], t);
    let flat_ring_volume = flat_ring.volume_mm3();
    let cone = shapes::grid(64, 3, true, |u, v| {
        let angle = u * std::f64::consts::TAU;
        let [radius, z] = [[2.0 * t, 0.0], [1e-4, 20.0], [1e-4, 0.0]][(3.0 * v).round() as usize % 3];
        Point::new(radius * angle.cos(), radius * angle.sin(), z)
    });
    let cone_volume = cone.volume_mm3();
    let comb = all([block()].into_iter().chain((0..3).map(|i| {
        let mut own = fin(t, 4.0);
        own.vertices.iter_mut().for_each(|vertex| vertex.y += 4.0 * f64::from(i));
        own
    })));
    vec![
        of("plate", cuboid(plate_at, plate_size), 0.0, moved(plate_size, 0.0), 432.0 * t),
        of(
            "plate, eroded",
            cuboid(plate(t + 0.08).0, plate(t + 0.08).1),
            -0.04,
            moved(plate(t + 0.08).1, -0.04),
            432.0 * t,
        ),
        of(
            "plate, eroded by much",
            cuboid(plate(t + 3.0).0, plate(t + 3.0).1),
            -1.5,
            moved(plate(t + 3.0).1, -1.5),
            300.0 * t,
        ),
        of("plate, dilated", cuboid(plate(0.01).0, plate(0.01).1), 0.5 * t, moved(plate(0.01).1, 0.5 * t), 432.0 * t),
        of("needle", cuboid([0.0; 3], [t, t, 25.0]), 0.0, 25.0 * t * t, 25.0 * t * t),
        of("needle, eroded", cuboid([0.0; 3], [t + 0.2, t + 0.2, 25.0]), -0.1, 24.8 * t * t, 24.8 * t * t),
        of("gap of two plates", plates(t), 0.0, 2560.0, 320.0 * t),
        of("gap, dilated", plates(t + 0.4), 0.2, 2.0 * moved([20.0, 16.0, 4.0], 0.2), 320.0 * t),
        of("gap, eroded", plates(t), -0.5, 2.0 * moved([20.0, 16.0, 4.0], -0.5), 1710.0),
        of("gap closed by the offset", plates(0.1), 1.0, f64::NAN, f64::NAN),
        of("hollow box", shell, 0.0, 3840.0 - cavity.into_iter().product::<f64>(), 1500.0 * t),
        of(
            "hollow box, eroded",
            thick_shell,
            -0.3,
            moved([20.0, 16.0, 12.0], -0.3) - moved(thick_cavity, 0.3),
            1300.0 * t,
        ),
        of("slit within", nearly_full, 0.0, 3840.0 - slit, slit),
        of("tube", tube, 0.0, tube_volume, tube_volume),
        of("flat ring", flat_ring, 0.0, flat_ring_volume, flat_ring_volume),
        of("thin cone", cone, 0.0, cone_volume, cone_volume),
        of("fin that overlaps its block", all([block(), fin(t, 4.0)]), 0.0, 9000.0 + 180.0 * t, 180.0 * t),
        of("fin that touches its block", all([block(), fin(t, 5.0)]), 0.0, 9000.0 + 180.0 * t, 180.0 * t),
        of("comb", comb, 0.0, 9000.0 + 540.0 * t, 540.0 * t),
        of(
            "thin plate far from a block",
            all([block(), cuboid([40.0, 0.0, 0.0], [10.0, 10.0, t])]),
            0.0,
            9000.0 + 100.0 * t,
            100.0 * t,
        ),
    ]
}

/// Turned, so that no layer of voxels lies along anything.
fn turned(mut mesh: Mesh) -> Mesh {
    let rotation = nalgebra::UnitQuaternion::from_euler_angles(0.3, 0.5, 0.7);
    mesh.vertices.iter_mut().for_each(|own| *own = rotation * *own);
    mesh
}

fn is_told(made: &OffsetVolume) -> bool {
    let is_lost = |own: &String| own.contains(" lost") || own.contains("filled");
    !made.completeness.losses.is_empty() && made.notes.iter().any(is_lost)
        || made.notes.iter().any(|own| own.contains("and its volume is about"))
}

#[test]
fn twenty_thin_shapes_are_right_or_told() {
    for t in [0.03, 0.15, 0.4] {
        for (index, shape) in thin_shapes(t).into_iter().enumerate() {
            let is_turned = |way: u64| crate::test_sizes::draws(1, 2) == 2 || way == index as u64 % 2;
            let ways = [shape.mesh.clone(), turned(shape.mesh)].into_iter().zip(0..).filter(|own| is_turned(own.1));
            for (mesh, _) in ways {
                let made = offset(mesh, shape.distance_mm, 80);
                let error = (made.volume_mm3 - shape.volume_mm3).abs();
                // What an offset closes on purpose is not lost.
                // Rounded edges of what is thick beside it count as well, but less than what is thin.
                let beside_mm3 = shape.volume_mm3.min(100.0 * shape.thin_mm3);
                let is_right = shape.volume_mm3.is_nan() || error < 0.01 * shape.thin_mm3 + 6e-4 * beside_mm3;
                let (name, notes) = (shape.name, made.notes.join(" "));
                assert!(
                    is_right || is_told(&made),
                    "{name}, {t}: {} of {}; {notes}",
                    made.volume_mm3,
                    shape.volume_mm3
                );
                assert!(!shape.volume_mm3.is_nan() || made.completeness.losses.is_empty(), "{name}, {t}: {notes}");
                assert!(!notes.contains("Nothing is left"), "{name}, {t}: {notes}");
            }
        }
    }
}

/// With the voxels that it asks for, what was lost is there; and what voxels tell is not called lost.
#[test]
fn the_resolution_that_is_asked_for_shows_what_was_lost() {
    let mut found = 0;
    for shape in thin_shapes(0.4).into_iter().filter(|own| own.volume_mm3.is_finite() && own.name != "thin cone") {
        let coarse = offset(shape.mesh.clone(), shape.distance_mm, 48);
        let Some(needed) = coarse.completeness.needed_resolution else { continue };
        if needed > 260 {
            continue;
        }
        let fine = offset(turned(shape.mesh), shape.distance_mm, (1.7 * f64::from(needed)) as u32);
        let error = (fine.volume_mm3 - shape.volume_mm3).abs();
        assert!(fine.completeness.losses.is_empty(), "{}: {:?}", shape.name, fine.notes);
        assert!(
            error < 0.02 * shape.thin_mm3 + 2e-3 * shape.volume_mm3,
            "{}: {} of {}",
            shape.name,
            fine.volume_mm3,
            shape.volume_mm3
        );
        found += 1;
    }
    assert!(found > 5, "{found}");
}

/// A plate of 0.1 mm, of which 0.04 mm are taken off: 49.92 x 49.92 x 0.02 mm are left, however coarse the voxels.
#[test]
fn nothing_is_left_only_where_nothing_is() {
    let plate = || cuboid([-25.0, -25.0, -0.05], [50.0, 50.0, 0.1]);
    for resolution in [64, 256] {
        let left = offset(plate(), -0.04, resolution);
        let notes = left.notes.join(" ");
        assert!(!notes.contains("Nothing is left") && notes.contains("0.0200 mm thickness on are lost"), "{notes}");
        let loss = left.completeness.losses[0];
        assert!((loss.volume_mm3.unwrap() - 49.84).abs() < 0.5 && loss.area_mm2 > 4900.0, "{loss:?}");
        assert!((5000..5400).contains(&left.completeness.needed_resolution.unwrap()), "{notes}");
        let gone = offset(plate(), -0.051, resolution);
        assert!(
            gone.notes.join(" ").contains("Nothing is left") && gone.completeness.losses.is_empty(),
            "{:?}",
            gone.notes
        );
        let (_, depth_mm) = gone.completeness.deepest.unwrap();
        assert!((depth_mm - 0.05).abs() < 1e-6, "{depth_mm}");
    }
}

/// Two cubes of 10 mm that share 5 x 7 x 8 mm: what is left of each alone, 934 mm³ together, and what is rounded where they
/// meet. Shells that touch are one part as well.
#[test]
fn erosion_of_overlapping_and_touching_shells_is_that_of_their_union() {
    let both = || all([cuboid([-5.0; 3], [10.0; 3]), cuboid([0.0, -2.0, -3.0], [10.0; 3])]);
    let eroded = offset(both(), -1.0, 128);
    // Along the edges where they meet, the corner between both is rounded: at most (1 - π/4) mm² of it is left more.
    let most = 934.0 + 2.0 * (5.0 + 7.0 + 8.0) * (1.0 - 0.25 * PI) + 1.0;
    assert!((934.0..most).contains(&eroded.volume_mm3), "{}", eroded.volume_mm3);
    assert!(eroded.completeness.losses.is_empty() && eroded.error.max_mm < 0.1, "{:?}", eroded.notes);
    let touching = all([cuboid([0.0; 3], [40.0, 30.0, 20.0]), cuboid([0.0, 0.0, 20.0], [40.0, 30.0, 10.0])]);
    let (welded, _) = geometry::weld::clean(touching.clone());
    for mesh in [touching, welded] {
        let eroded = offset(mesh, -2.0, 96);
        assert!((eroded.volume_mm3 / (36.0 * 26.0 * 26.0) - 1.0).abs() < 2e-3, "{}", eroded.volume_mm3);
        assert!(eroded.completeness.losses.is_empty(), "{:?}", eroded.notes);
    }
}

/// The order of facets and of their corners changes nothing that is said.
#[test]
fn the_order_of_facets_changes_nothing() {
    let plate = cuboid([-12.0, -9.0, -0.05], [24.0, 18.0, 0.1]);
    let mut shuffled = plate.clone();
    base::random::Random::new(4, 0).shuffle(&mut shuffled.facets);
    shuffled.facets.iter_mut().for_each(|own| own.rotate_left(1));
    let [one, other] = [plate, shuffled].map(|mesh| offset(mesh, -0.02, 64));
    assert_eq!(one.notes, other.notes);
}
