//! Facet maps of one part in several tessellations: the figures are of its surface and not of its facets.

use super::check::{self, Check, Compared};
use super::{Method, Parameters};
use crate::parts::{Actual, Nominal};
use base::Progress;
use base::random::Random;
use compute::cpu::Cpu;
use geometry::mesh::shapes;
use geometry::{Cloud, Mesh, Point, Pose, Surface, refine};

const SIZE_MM: [f64; 3] = [60.0, 40.0, 10.0];
const POINTS: usize = 40_000;
const NOISE_MM: f64 = 0.01;

/// The block as two triangles a side, divided evenly, and much finer about three of its corners.
fn tessellations() -> Vec<Mesh> {
    let [x, y, z] = SIZE_MM;
    let block = shapes::cuboid(Point::origin(), Point::new(x, y, z));
    let near = |corner: Point| refine::near(&block, &corner, 25.0, 0.8);
    let even = refine::to_max_edge(&block, 3.0, &Progress::silent()).unwrap().0;
    vec![near(Point::origin()), near(Point::new(x, y, z)), near(Point::new(x, 0.0, z)), even, block]
}

/// Its top rises from -0.2 to +0.2 mm along x; the other sides are as they should be.
fn scan() -> Cloud {
    let [x, y, z] = SIZE_MM;
    let mut random = Random::new(59, 5);
    let mut point = |_| {
        let sides = [(x * y, 2), (x * y, 2), (x * z, 1), (x * z, 1), (y * z, 0), (y * z, 0)];
        let mut place = random.uniform() * sides.iter().map(|(area, _)| area).sum::<f64>();
        let side = sides.iter().position(|(area, _)| {
            place -= area;
            place < 0.0
        });
        let side = side.unwrap_or(0);
        let axis = sides[side].1;
        let mut at = Point::from(SIZE_MM.map(|size_mm| size_mm * random.uniform()));
        at[axis] = if side % 2 == 0 { 0.0 } else { SIZE_MM[axis] };
        let rise_mm = if side == 1 { 0.4 * (at.x / x - 0.5) } else { 0.0 };
        at[axis] += rise_mm + NOISE_MM * random.normal();
        at
    };
    let points = (0..POINTS).map(&mut point).collect();
    Cloud::from_points(points)
}

fn compare(mesh: Mesh, actual: &Actual, method: Method) -> Check {
    let nominal = Nominal::in_memory("block", Surface::new(mesh));
    let compared = Compared { nominal: &nominal, actual, is_found: false };
    let parameters = Parameters { method, ..Parameters::default() };
    check::run(&Cpu, &compared, &Pose::identity(), &parameters, 0.3, &Progress::silent()).unwrap()
}

#[test]
fn figures_of_facets_do_not_depend_on_the_tessellation() {
    let actual = Actual::in_memory("scan", scan());
    let closest = compare(tessellations().remove(4), &actual, Method::Closest).statistics;
    for mesh in tessellations() {
        let facets = mesh.facets.len();
        let found = compare(mesh, &actual, Method::PointFacet).statistics;
        // Points at the rim are those of a facet or of none: a hundredth of the area.
        assert!((found.mean_mm - closest.mean_mm).abs() < 0.002, "{facets} facets: {found:?}, points: {closest:?}");
        assert!((found.sigma_mm - closest.sigma_mm).abs() < 0.003, "{facets} facets: {found:?}, points: {closest:?}");
        let share = found.in_tolerance_fraction - closest.in_tolerance_fraction;
        assert!(share.abs() < 0.01, "{facets} facets: {found:?}, points: {closest:?}");
    }
}
