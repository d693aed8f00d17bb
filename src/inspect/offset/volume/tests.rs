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
