use super::*;
use compute::cpu::Cpu;
use geometry::Point;
use geometry::mesh::shapes;

fn offset(mesh: Mesh, distance_mm: f64, resolution: u32) -> OffsetVolume {
    let parameters = Parameters { distance_mm, resolution, ..Parameters::default() };
    run(&Cpu, &Surface::new(mesh), &parameters, &Progress::silent()).unwrap()
}

fn check_watertight(mesh: &Mesh) {
    let topology = geometry::topology::Topology::new(mesh);
    assert!(topology.is_closed(), "{} boundary edges", topology.open_edges);
}

#[test]
fn offsets_of_analytic_shapes_are_exact_to_a_tenth_of_a_voxel() {
    let pi = std::f64::consts::PI;
    let (ring, tube) = (12.0, 4.0);
    let torus = |tube: f64| 2.0 * pi * pi * ring * tube * tube;
    for (distance_mm, resolution) in [(1.5, 128), (3.0, 200), (-1.2, 160), (0.0, 128)] {
        let made = offset(shapes::torus(ring, tube, 512, 256), distance_mm, resolution);
        check_watertight(&made.mesh);
        let voxel_mm = made.tree.lattice().voxel_mm;
        // Against the torus itself, which the facets of the part approach to 0.001 mm.
        let error = |vertex: &Point| {
            let radial = vertex.x.hypot(vertex.y) - ring;
            (radial.hypot(vertex.z) - tube - distance_mm).abs()
        };
        let worst = made.mesh.vertices.iter().map(error).fold(0.0, f64::max);
        assert!(worst < 0.1 * voxel_mm + 0.002, "{distance_mm} {worst} {voxel_mm}");
        assert!(made.error.max_mm < 0.1 * voxel_mm && made.error.rms_mm <= made.error.max_mm, "{:?}", made.error);
        let ratio = made.volume_mm3 / torus(tube + distance_mm);
        assert!((ratio - 1.0).abs() < 2e-3, "{distance_mm}: {ratio}");
    }
}

#[test]
fn corners_stay_sharp_where_the_offset_has_them() {
    let cuboid = shapes::cuboid(Point::new(-5.0, -4.0, -3.0), Point::new(5.0, 4.0, 3.0));
    let shrunk = offset(cuboid.clone(), -1.0, 96);
    check_watertight(&shrunk.mesh);
    assert!((shrunk.volume_mm3 - 8.0 * 6.0 * 4.0).abs() < 0.05, "{}", shrunk.volume_mm3);
    let bounds = shrunk.mesh.bounds();
    assert!((bounds.max - Point::new(4.0, 3.0, 2.0)).norm() < 1e-2, "{bounds:?}");
    assert!(shrunk.notes.is_empty());
    let same = offset(cuboid, 0.0, 64);
    assert!((same.volume_mm3 - 480.0).abs() < 0.2, "{}", same.volume_mm3);
}

#[test]
fn what_an_offset_depends_on_is_said() {
    let cuboid = || shapes::cuboid(Point::new(-5.0, -4.0, -3.0), Point::new(5.0, 4.0, 3.0));
    let gone = offset(cuboid(), -3.5, 64);
    assert!(gone.mesh.facets.is_empty() && gone.notes.join(" ").contains("Nothing is left"), "{:?}", gone.notes);
    let mut open = cuboid();
    open.facets.truncate(10);
    let made = offset(open, 1.0, 64);
    assert!(made.sides == Sides::WindingNumbers && made.notes[0].contains("not closed"), "{:?}", made.notes);
    check_watertight(&made.mesh);
    let mut two = cuboid();
    let mut other = cuboid();
    other.vertices.iter_mut().for_each(|vertex| vertex.coords += geometry::Vector::new(3.0, 2.0, 1.0));
    two.append(&other);
    let overlapping = offset(two, -0.5, 64);
    assert!(overlapping.notes.join(" ").contains("2 shells overlap"), "{:?}", overlapping.notes);
    let coarse = offset(cuboid(), 0.05, 64);
    assert!(coarse.notes.join(" ").contains("less than a voxel"), "{:?}", coarse.notes);
    let surface = Surface::new(Mesh::default());
    let fault = |parameters: &Parameters| run(&Cpu, &surface, parameters, &Progress::silent()).unwrap_err().sentence;
    assert!(fault(&Parameters::default()).contains("without facets"));
    assert!(fault(&Parameters { resolution: 4, ..Parameters::default() }).contains("from 16 to"));
    assert!(fault(&Parameters { distance_mm: f64::NAN, ..Parameters::default() }).contains("number of mm"));
}

#[test]
fn templates_of_voxels_agree_with_the_exact_distance_to_their_voxels() {
    let torus = || shapes::torus(12.0, 4.0, 48, 24);
    let by = |method, passes, distance_mm| {
        let parameters = Parameters { distance_mm, resolution: 80, method, passes, ..Parameters::default() };
        run(&Cpu, &Surface::new(torus()), &parameters, &Progress::silent()).unwrap()
    };
    for distance_mm in [2.0, -1.2] {
        let exact = by(Method::Exact, 1, distance_mm);
        let voxel_mm = exact.tree.lattice().voxel_mm;
        for (method, passes) in [(Method::Ball, 1), (Method::Shell, 1), (Method::Ball, 2)] {
            let made = by(method, passes, distance_mm);
            check_watertight(&made.mesh);
            let error = made.voxel_error.unwrap();
            assert!(error.mean_absolute < 0.7 * f64::from(passes) && error.unmatched == 0, "{method:?} {error:?}");
            // A skin of voxels around the part stands over it by up to a voxel.
            assert!(made.error.max_mm < f64::from(1 + passes) * 1.1 * voxel_mm, "{method:?} {:?}", made.error);
            // So much too thick, in voxels.
            let thicker = (made.volume_mm3 - exact.volume_mm3) / (exact.area_mm2 * voxel_mm);
            assert!(thicker.abs() < f64::from(passes) + 0.2, "{method:?} {thicker}");
            assert_eq!(made.earlier.len() as u32, passes - 1);
        }
    }
    let passes = by(Method::Ring, 3, 3.0);
    assert_eq!(passes.earlier.len(), 2);
    let volumes: Vec<f64> = (0..4).map(|pass| passes.after_pass(pass).1.volume_mm3()).collect();
    assert!(volumes[0] < volumes[1] && volumes[1] < volumes[2] && volumes[2] == volumes[3], "{volumes:?}");
    assert!((passes.after_pass(0).0 - 1.0).abs() < 1e-12 && passes.after_pass(9).0 == 3.0);
    assert!(passes.sentences().join(" ").contains("in 3 passes"), "{:?}", passes.sentences());
}

#[test]
fn what_a_template_leaves_hollow_is_said() {
    // Smaller than the distance: a shell around it does not meet its middle.
    let parameters = Parameters { distance_mm: 6.0, resolution: 40, method: Method::Shell, ..Parameters::default() };
    let made = run(&Cpu, &Surface::new(shapes::sphere(1.5, 3)), &parameters, &Progress::silent()).unwrap();
    assert!(made.notes.join(" ").contains("cavities"), "{:?}", made.notes);
    let surface = Surface::new(shapes::sphere(5.0, 3));
    let fault = |parameters: &Parameters| run(&Cpu, &surface, parameters, &Progress::silent()).unwrap_err().sentence;
    let many = Parameters { passes: 33, method: Method::Ring, ..Parameters::default() };
    assert!(fault(&many).contains("from 1 to 32"));
    assert!(fault(&Parameters { passes: 2, ..Parameters::default() }).contains("in one pass"));
    let short = Parameters { resolution: 64, passes: 8, method: Method::Ring, ..Parameters::default() };
    assert!(fault(&short).contains("fewer passes"));
}

/// What parts come with on normal days: a watertight mesh, or a sentence.
#[test]
fn faulty_parts_give_closed_volumes_and_say_what_they_rest_on() {
    let cuboid = |at: [f64; 3], size: [f64; 3]| {
        shapes::cuboid(Point::from(at), Point::new(at[0] + size[0], at[1] + size[1], at[2] + size[2]))
    };
    let mut crossing = cuboid([0.0; 3], [10.0, 4.0, 4.0]);
    crossing.append(&cuboid([3.0, -3.0, 1.0], [4.0, 10.0, 2.0]));
    let mut inverted = cuboid([0.0; 3], [10.0, 4.0, 4.0]);
    inverted.facets[3].swap(0, 1);
    let mut apart = cuboid([0.0; 3], [4.0; 3]);
    apart.append(&cuboid([9.0, 0.0, 0.0], [4.0; 3]));
    // Closed, but folded back onto itself: its sides contradict each other.
    let needles = shapes::grid(3, 400, true, |u, v| {
        let angle = u * std::f64::consts::TAU;
        Point::new(200.0 * v, (1.0 + v) * angle.cos(), (1.0 + v) * angle.sin())
    });
    let pi = std::f64::consts::PI;
    let two = 2.0 * (64.0 + 96.0 + 12.0 * pi + 4.0 / 3.0 * pi);
    for (name, mesh, distance_mm, solid_volume, said) in [
        ("crossing", crossing, 0.5, None, ""),
        ("one facet turned", inverted, 0.5, None, "wrong way"),
        ("two parts", apart, 1.0, Some(two), ""),
        ("folded needles", needles, 2.0, None, "contradict"),
        ("farther than its size", cuboid([0.0; 3], [1.0; 3]), 25.0, None, ""),
        ("by nothing", cuboid([0.0; 3], [5.0, 4.0, 3.0]), 0.0, Some(60.0), ""),
    ] {
        let made = offset(mesh, distance_mm, 96);
        let open_edges = geometry::topology::Topology::new(&made.mesh).open_edges;
        assert_eq!(open_edges, 0, "{name}");
        assert!(
            made.volume_mm3 > 0.0 && (!said.is_empty() || made.error.max_mm < 2.0 * made.tree.lattice().voxel_mm),
            "{name}: {:?}",
            made.error
        );
        let notes = made.notes.join(" ");
        assert!(notes.contains(said) && notes.is_empty() == said.is_empty(), "{name}: {notes}");
        if let Some(volume) = solid_volume {
            assert!((made.volume_mm3 / volume - 1.0).abs() < 0.02, "{name}: {} {volume}", made.volume_mm3);
        }
    }
}

#[test]
fn a_cancelled_offset_leaves_nothing() {
    let surface = Surface::new(shapes::torus(12.0, 4.0, 96, 48));
    for method in Method::ALL {
        for stop_at in [0.1, 0.5, 0.8] {
            let cancelled = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
            let flag = std::sync::Arc::clone(&cancelled);
            let progress = Progress::new(cancelled, move |share, _| {
                flag.fetch_or(share >= stop_at, std::sync::atomic::Ordering::Relaxed);
            });
            let parameters = Parameters { distance_mm: 2.0, resolution: 128, method, ..Parameters::default() };
            let error = run(&Cpu, &surface, &parameters, &progress).unwrap_err();
            assert_eq!(error.kind, base::ErrorKind::Cancelled, "{method:?} {stop_at}");
        }
    }
}
