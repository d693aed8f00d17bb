use super::*;
use compute::cpu::Cpu;
use geometry::Point;
use geometry::topology::Topology;

fn of(mesh: Mesh, parameters: &Parameters) -> ContactVolumes {
    run(&Cpu, &Surface::new(mesh), parameters, &Progress::silent()).unwrap()
}

#[test]
fn the_tool_neither_gouges_the_part_nor_leaves_more_than_the_depth_of_cut() {
    let parameters = Parameters { tool_radius_mm: 2.0, depth_mm: 3.0, margin_mm: 2.5, resolution: 128 };
    let mut part = shapes::torus(12.0, 4.0, 64, 32);
    part.append(&shapes::cuboid(Point::new(-3.0, -3.0, -4.0), Point::new(3.0, 3.0, 4.0)));
    let surface = Surface::new(part.clone());
    let made = of(part, &parameters);
    assert_eq!(made.passes.len(), ((0.5 * 13.0 + 2.0) / 3.0_f64).ceil() as usize);
    let voxel_mm = made.passes[0].tree.lattice().voxel_mm;
    for pass in &made.passes {
        assert!(Topology::new(&pass.mesh).is_closed());
        assert!(pass.clearance_mm > -1e-3 * voxel_mm, "{} {voxel_mm}", pass.clearance_mm);
        // Every vertex touches the part, or what is left of the stock: a cuboid with faces moved in.
        let left_mm = parameters.tool_radius_mm - pass.depth_mm;
        for vertex in &pass.mesh.vertices {
            let to_part = surface.closest_point(vertex, f64::INFINITY).unwrap().distance_mm - 2.0;
            let beyond = (made.stock.min - vertex).sup(&(vertex - made.stock.max));
            let to_stock = if beyond.max() < 0.0 { beyond.max() } else { beyond.map(|own| own.max(0.0)).norm() };
            let nearest = to_part.abs().min((to_stock - left_mm).abs());
            assert!(nearest < 0.3 * voxel_mm, "{vertex} {to_part} {to_stock} {left_mm}");
        }
    }
    let volumes: Vec<f64> = made.passes.iter().map(|pass| pass.volume_mm3).collect();
    assert!(volumes.windows(2).all(|pair| pair[1] < pair[0]), "{volumes:?}");
    // After the last pass only the dilated part is left.
    let dilated = super::super::Parameters { distance_mm: 2.0, resolution: 128, ..super::super::Parameters::default() };
    let alone = super::super::run(&Cpu, &surface, &dilated, &Progress::silent()).unwrap();
    assert!((volumes[volumes.len() - 1] / alone.volume_mm3 - 1.0).abs() < 5e-3);
}

/// Over whole facets, at random: convex parts, where facets are chords, a point of a cone, edges, and a notch.
#[test]
fn no_facet_gouges_the_part() {
    let cone = shapes::grid(24, 3, true, |u, v| {
        let angle = u * std::f64::consts::TAU;
        let [radius_mm, z] = [[6.0, 0.0], [1e-3, 9.0], [1e-3, 0.0]][(3.0 * v).round() as usize % 3];
        Point::new(radius_mm * angle.cos(), radius_mm * angle.sin(), z)
    });
    let mut notched = shapes::cuboid(Point::new(-6.0, -6.0, -3.0), Point::new(-0.05, 6.0, 3.0));
    notched.append(&shapes::cuboid(Point::new(0.05, -6.0, -3.0), Point::new(6.0, 6.0, 3.0)));
    for (name, part) in [
        ("sphere", shapes::sphere(6.0, 4)),
        ("torus", shapes::torus(7.0, 2.5, 48, 24)),
        ("cuboid", shapes::cuboid(Point::new(-5.0, -4.0, -3.0), Point::new(5.0, 4.0, 3.0))),
        ("cone", cone),
        ("notched", notched),
    ] {
        let surface = Surface::new(part.clone());
        for (tool_radius_mm, resolution) in [(1.5, 40), (3.0, 48)] {
            let parameters = Parameters { tool_radius_mm, depth_mm: 4.0, margin_mm: 1.0, resolution };
            for pass in &of(part.clone(), &parameters).passes {
                assert!(Topology::new(&pass.mesh).is_closed());
                assert!(pass.clearance_mm > -1e-6, "{name} {tool_radius_mm}: {}", pass.clearance_mm);
                let samples = geometry::sampling::by_area(&pass.mesh, 6_000, 5);
                let distance = |at: &Point| surface.closest_point(at, f64::INFINITY).unwrap().distance_mm;
                let least = samples.iter().map(|own| distance(&own.point)).fold(f64::INFINITY, f64::min);
                assert!(least > tool_radius_mm - 1e-6, "{name} {tool_radius_mm} {}: {least}", pass.depth_mm);
            }
        }
    }
}

#[test]
fn bad_parameters_and_too_many_passes_are_said() {
    let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(50.0, 40.0, 30.0)));
    for (parameters, said) in [
        (Parameters { tool_radius_mm: 0.0, ..Parameters::default() }, "Tool radius"),
        (Parameters { margin_mm: -1.0, ..Parameters::default() }, "margin"),
        (Parameters { resolution: 4, ..Parameters::default() }, "resolution"),
        (Parameters { depth_mm: 0.01, ..Parameters::default() }, "passes"),
    ] {
        let error = run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}
