//! Pictures of distance fields: every pixel is what a ray through the field finds.

use shadowgraph::base::Progress;
use shadowgraph::compute::Compute as _;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::distance_field::Request;
use shadowgraph::geometry::distance_field::{DistanceField, FieldGrid, Ray};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Mesh, Point, Pose, Sides, SolidSurface, Surface, Vector};
use shadowgraph::inspect::deviation::Tolerance;
use shadowgraph::render::camera::StandardView;
use shadowgraph::render::colour_scale::ColourScale;
use shadowgraph::render::scene::Slice;
use shadowgraph::render::{
    Colouring, Cut, Draw, FacetsItem, FieldItem, Frame, Gpu, Look, Scene, Target, ViewCamera, picture,
};

const SIZE: [u32; 2] = [240, 180];

fn field(mesh: Mesh, reach_mm: f64) -> DistanceField {
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, Sides::Normals);
    let grid = FieldGrid::around(surface.bounds(), reach_mm, 128);
    Cpu.compute(&Request { solid: &solid, grid, tolerance_mm: 0.1 * grid.spacing_mm }, &Progress::silent()).unwrap()
}

fn look(colour: [f32; 3]) -> Look {
    Look { scene_from_item: Pose::identity(), colour, opacity: 1.0, colouring: Colouring::Plain, id: 1 }
}

/// What is seen at each pixel: 0 for the field, red or a grey section; 1 for the sheet, green; 2 for nothing, blue.
fn draw(scene: &Scene, camera: &ViewCamera, draws: &[Draw<'_>], cut: Option<Cut>) -> Vec<usize> {
    let target = Target::new(scene.gpu(), SIZE[0], SIZE[1]);
    let frame = Frame {
        camera,
        scale: ColourScale::new(Tolerance::default(), 1.0).into(),
        background: [[0.0, 0.0, 1.0]; 2],
        point_size: 1.0,
        points_in_front_mm: 0.0,
        lighting: 0.0,
        cut,
        slice: Slice::ALL,
    };
    scene.draw(&target, &frame, draws);
    let rgba = picture::read_back(scene.gpu(), &target).unwrap();
    let seen = |pixel: &[u8]| match pixel {
        [red, green, blue, _] if blue > red && blue > green => 2,
        [red, green, ..] if green > red => 1,
        _ => 0,
    };
    rgba.chunks(4).map(seen).collect()
}

/// What rays find: the nearer of field and sheet.
fn traced(
    field: &DistanceField,
    sheet: &Surface,
    camera: &ViewCamera,
    distance_mm: f64,
    cut: Option<Cut>,
) -> Vec<usize> {
    let grid = field.grid();
    let spacing_mm = grid.spacing_mm;
    let plane = cut.map(|cut| {
        let [x, y, z]: [f64; 3] = cut.normal.into();
        [x, y, z, cut.normal.dot(&(grid.origin - cut.at)) / spacing_mm].map(|value| value as f32)
    });
    let mut seen = Vec::new();
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let (origin, direction) = camera.ray((x as f32 + 0.5, y as f32 + 0.5));
            let local = ((origin - grid.origin) / spacing_mm).map(|value| value as f32);
            let ray = Ray { origin: local.into(), direction: direction.map(|value| value as f32).into(), cut: plane };
            let hit = field.march(&ray, (distance_mm / spacing_mm) as f32).map(|hit| f64::from(hit.t) * spacing_mm);
            let sheet = sheet.first_hit(&origin, &direction, 0.0, f64::INFINITY).map(|hit| hit.t);
            let is_kept = |t: &f64| cut.is_none_or(|cut| cut.normal.dot(&(origin + direction * *t - cut.at)) >= 0.0);
            seen.push(match (hit, sheet.filter(is_kept)) {
                (Some(field), Some(sheet)) if sheet < field => 1,
                (Some(_), _) => 0,
                (None, Some(_)) => 1,
                (None, None) => 2,
            });
        }
    }
    seen
}

#[test]
fn pixels_show_what_rays_find() {
    let gpu = Gpu::off_screen().unwrap();
    let scene = Scene::new(&gpu);
    let mut mesh = shapes::torus(16.0, 5.0, 60, 40);
    mesh.append(&shapes::cuboid(Point::new(-3.0, -4.0, -9.0), Point::new(5.0, 4.0, 9.0)));
    let field = field(mesh, 4.0);
    // A sheet through it, whose depth has to agree.
    let corners = [(-30.0, -30.0), (30.0, -30.0), (30.0, 30.0), (-30.0, 30.0)];
    let vertices = corners.iter().map(|(x, y)| Point::new(*x, *y, 0.2 * x + 0.1 * y)).collect();
    let sheet = Mesh { vertices, facets: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() };
    let (item, sheet_item) = (FieldItem::new(&gpu, &field).unwrap(), FacetsItem::new(&gpu, &sheet));
    let sheet = Surface::new(sheet);
    let mut camera = ViewCamera::new(&field.grid().bounds());
    camera.set_size(SIZE[0], SIZE[1]);
    let (mut differing, mut sheet_pixels, mut all) = (0, 0, 0);
    for (view, perspective) in
        [(StandardView::Isometric, false), (StandardView::Isometric, true), (StandardView::Front, true)]
    {
        camera.look_from(view);
        camera.set_perspective(perspective);
        camera.fit();
        for cut in [None, Some(Cut { at: Point::new(2.0, 1.0, 0.0), normal: Vector::new(-0.6, 0.8, 0.0) })] {
            for distance_mm in [-2.5, 0.0, 1.0, 3.5] {
                let draws = [
                    Draw::Field { item: &item, look: look([1.0, 0.1, 0.1]), distance_mm },
                    Draw::Facets { item: &sheet_item, look: look([0.1, 1.0, 0.1]), moving: false },
                ];
                let drawn = draw(&scene, &camera, &draws, cut);
                let expected = traced(&field, &sheet, &camera, distance_mm, cut);
                let count = |colour: usize| expected.iter().filter(|own| **own == colour).count();
                assert!(count(0) > 500 && count(2) > 500, "{view:?} {cut:?} {distance_mm}");
                sheet_pixels += count(1);
                differing += drawn.iter().zip(&expected).filter(|(a, b)| a != b).count();
                all += drawn.len();
            }
        }
    }
    assert!(sheet_pixels * 20 > all, "{sheet_pixels} of {all}");
    // Edges between pixels fall to either side by rounding.
    assert!(differing * 10_000 < all, "{differing} of {all}");
}
