//! Distance fields.

use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::distance_field::Request;
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::distance_field::{FieldGrid, Reading};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Mesh, Point, Sides, SolidSurface, Surface, Vector};

use super::{device, is_on_gpu, sized};

/// Checks that both devices have as many nodes and bricks, and the same distances to the last bit of a sample.
fn agree(mesh: Mesh, reach_mm: f64, resolution: u32, sides: Sides) {
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, sides);
    let grid = FieldGrid::around(surface.bounds(), reach_mm, resolution);
    let request = Request { solid: &solid, grid, tolerance_mm: 0.1 * grid.spacing_mm };
    let cuda = device();
    let ours = cuda.compute(&request, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
    assert_eq!((ours.nodes().len(), ours.bricks()), (reference.nodes().len(), reference.bricks()));
    assert!(ours.bricks() > 50);
    let (bounds, mut random) = (grid.bounds(), Random::new(7, 0));
    let mut within = 0;
    for _ in 0..20_000 {
        let share = Vector::from(std::array::from_fn::<f64, 3, _>(|_| random.uniform()));
        let at = bounds.min + share.component_mul(&bounds.size());
        match (ours.read(&at), reference.read(&at)) {
            (Reading::Distance(a), Reading::Distance(b)) => {
                within += 1;
                assert!((a - b).abs() <= 1.001 * grid.unit_mm(), "{at} {a} {b}");
            }
            (a, b) => assert_eq!(a, b, "{at}"),
        }
    }
    assert!(within > 1000, "{within}");
}

#[test]
fn distance_fields_agree_with_the_processor() {
    let cuboid = shapes::cuboid(Point::new(-3.0, -2.0, -1.0), Point::new(4.0, 5.0, 2.0));
    let (size, torus) = if is_on_gpu() { (512, (256, 128)) } else { (sized(72, 48) as u32, (24, 12)) };
    let torus = shapes::torus(6.0, 2.0, torus.0, torus.1);
    agree(cuboid, 0.8, size, Sides::Normals);
    agree(torus.clone(), 1.5, size, Sides::Normals);
    agree(torus, 0.5, size, Sides::Open);
}
