//! Facets inside an outline on the screen: all that it touches, or only those that are seen there. What is seen is found
//! by a ray through every pixel, so that a facet counts wherever any of it shows, however large it is.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::{Region, Stroke, View};
use geometry::{Mesh, Point, Subset, Surface, Vector};

/// Rays of a stroke at most; larger outlines are looked through in steps of more than a pixel.
const MOST_RAYS: f32 = 400_000.0;

impl Stroke {
    /// The facets of `surface`, which lies in the frame of the view, that the stroke takes.
    pub fn facets(&self, surface: &Surface) -> Subset {
        let Some(region) = Region::new(&self.outline) else { return Subset::default() };
        let shapes = outlined(surface.mesh(), &self.view);
        let is_touched = |(number, shape): (usize, Option<[[f32; 3]; 3]>)| {
            let number = number as u32;
            let shape = shape.filter(|shape| region.touches(shape) && !self.hidden.contains(number))?;
            Some((number, shape))
        };
        let touched: Vec<(u32, [[f32; 3]; 3])> = shapes.enumerate().filter_map(is_touched).collect();
        if !self.only_visible {
            return Subset::new(touched.into_iter().map(|(number, _)| number).collect());
        }
        let sight = Sight::new(&self.view, surface, &self.hidden);
        let step = self.step(&region);
        let mut seen = sight.through(&region, &self.view.size, step);
        // What is smaller than the steps may lie between the rays: its middle is looked at.
        let between =
            touched.into_par_iter().filter(|(_, shape)| reach(shape) < 2.0 * step).filter(|(number, shape)| {
                let middle = |axis: usize| (shape[0][axis] + shape[1][axis] + shape[2][axis]) / 3.0;
                region.contains(middle(0), middle(1)) && sight.first([middle(0), middle(1)]) == Some(*number)
            });
        seen.extend(between.map(|(number, _)| number).collect::<Vec<_>>());
        Subset::new(seen)
    }

    /// Pixels between rays.
    fn step(&self, region: &Region) -> f32 {
        let across = |axis: usize| region.high[axis].min(self.view.size[axis]) - region.low[axis].max(0.0);
        (across(0).max(1.0) * across(1).max(1.0) / MOST_RAYS).sqrt().max(1.0)
    }
}

/// Each facet's corners as pixels and mm along the view; `None` where one lies behind the eye.
fn outlined<'a>(mesh: &'a Mesh, view: &'a View) -> impl IndexedParallelIterator<Item = Option<[[f32; 3]; 3]>> + 'a {
    (0..mesh.facets.len()).into_par_iter().map(move |facet| {
        let [a, b, c] = mesh.corners(facet).map(|corner| view.of(&corner).map(|(x, y, depth)| [x, y, depth]));
        Some([a?, b?, c?])
    })
}

/// The longer side of a facet's box on the screen, pixels.
fn reach(shape: &[[f32; 3]; 3]) -> f32 {
    let across = |axis: usize| {
        let all = shape.map(|corner| corner[axis]);
        all.iter().copied().fold(f32::MIN, f32::max) - all.iter().copied().fold(f32::MAX, f32::min)
    };
    across(0).max(across(1))
}

/// What is seen of a surface through pixels.
struct Sight<'a> {
    view: &'a View,
    surface: &'a Surface,
    hidden: &'a Subset,
    /// Where rays begin, mm along the view: before the surface and before the eye.
    start_mm: f64,
}

impl<'a> Sight<'a> {
    fn new(view: &'a View, surface: &'a Surface, hidden: &'a Subset) -> Self {
        let corners = surface.bounds().corners();
        let nearest = corners.iter().map(|corner| view.row(3, corner)).fold(f64::INFINITY, f64::min) - 1.0;
        // w grows with the depth, or stays the same without a vanishing point.
        let [_, _, w, depth] = view.rows;
        let growth = w[0] * depth[0] + w[1] * depth[1] + w[2] * depth[2];
        let eye_mm = if growth > 0.0 { depth[3] - w[3] / growth } else { f64::NEG_INFINITY };
        Self { view, surface, hidden, start_mm: nearest.max(eye_mm) }
    }

    /// The facets first met through the pixels of a region, some of them several times.
    fn through(&self, region: &Region, size: &[f32; 2], step: f32) -> Vec<u32> {
        let places = |axis: usize| {
            let (low, high) = (region.low[axis].max(0.0), region.high[axis].min(size[axis]));
            let count = ((high - low) / step).ceil().max(0.0) as usize;
            (0..count).map(move |i| low + (i as f32 + 0.5) * step)
        };
        let (columns, lines): (Vec<f32>, Vec<f32>) = (places(0).collect(), places(1).collect());
        let of_line = |&y: &f32| {
            let inside = columns.iter().filter(|&&x| region.contains(x, y));
            let mut met: Vec<u32> = inside.filter_map(|&x| self.first([x, y])).collect();
            met.dedup();
            met
        };
        lines.par_iter().flat_map_iter(of_line).collect()
    }

    /// The facet seen at a pixel.
    fn first(&self, pixel: [f32; 2]) -> Option<u32> {
        let (origin, direction) = self.ray(pixel)?;
        let mut begin = 0.0;
        loop {
            let hit = self.surface.first_hit(&origin, &direction, begin, f64::INFINITY)?;
            if !self.hidden.contains(hit.facet) {
                return Some(hit.facet);
            }
            begin = hit.t;
        }
    }

    /// Where the ray through a pixel begins, and where it leads, for each mm along the view.
    fn ray(&self, [x, y]: [f32; 2]) -> Option<(Point, Vector)> {
        let [to_x, to_y, to_w, depth] = self.view.rows;
        let across = f64::from(2.0 * x / self.view.size[0] - 1.0);
        let up = f64::from(1.0 - 2.0 * y / self.view.size[1]);
        // A point is seen there where x = across w and y = up w.
        let less = |row: [f64; 4], share: f64| std::array::from_fn(|i| row[i] - share * to_w[i]);
        let rows: [[f64; 4]; 3] = [less(to_x, across), less(to_y, up), depth];
        let matrix = Matrix3::from_rows(&rows.map(|[x, y, z, _]| Vector3::new(x, y, z).transpose()));
        let back = matrix.try_inverse()?;
        let at_start = Vector3::new(-rows[0][3], -rows[1][3], self.start_mm - rows[2][3]);
        Some((Point::from(back * at_start), back * Vector3::z()))
    }
}

impl Region {
    /// Whether a triangle and the region share any point.
    fn touches(&self, shape: &[[f32; 3]; 3]) -> bool {
        let corners = shape.map(|[x, y, _]| [x, y]);
        let outside = |axis: usize| {
            corners.iter().all(|corner| corner[axis] < self.low[axis])
                || corners.iter().all(|corner| corner[axis] > self.high[axis])
        };
        if outside(0) || outside(1) {
            return false;
        }
        if corners.iter().any(|&[x, y]| self.contains(x, y)) {
            return true;
        }
        let within = self.radius.max(0.0).powi(2);
        let meets = |&[x0, y0, x1, y1]: &[f32; 4]| {
            let (from, to) = ([x0, y0], [x1, y1]);
            let sides = (0..3).map(|i| (corners[i], corners[(i + 1) % 3]));
            is_in_triangle(from, &corners) || sides.into_iter().any(|(a, b)| squared_apart(a, b, from, to) <= within)
        };
        self.edges().any(meets)
    }

    /// Edges of the outline, some of them several times.
    fn edges(&self) -> impl Iterator<Item = &[f32; 4]> {
        self.rows.iter().enumerate().flat_map(|(i, row)| {
            let before = i.checked_sub(1).and_then(|i| self.rows.get(i));
            row.iter().filter(move |edge| before.is_none_or(|before| !before.contains(edge)))
        })
    }
}

fn is_in_triangle(at: [f32; 2], corners: &[[f32; 2]; 3]) -> bool {
    let turns: [f32; 3] = std::array::from_fn(|i| turn(corners[i], corners[(i + 1) % 3], at));
    turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0)
}

/// Twice the signed area of a triangle.
fn turn(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> f32 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Squared distance between two line segments; 0 where they cross.
fn squared_apart(a: [f32; 2], b: [f32; 2], c: [f32; 2], d: [f32; 2]) -> f32 {
    if turn(a, b, c) * turn(a, b, d) <= 0.0 && turn(c, d, a) * turn(c, d, b) <= 0.0 && turn(a, b, c) != turn(a, b, d) {
        return 0.0;
    }
    let from = |at: [f32; 2], a: [f32; 2], b: [f32; 2]| {
        let (along, to) = ([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]);
        let length = along[0] * along[0] + along[1] * along[1];
        let t = if length > 0.0 { ((along[0] * to[0] + along[1] * to[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
        (to[0] - t * along[0]).powi(2) + (to[1] - t * along[1]).powi(2)
    };
    from(c, a, b).min(from(d, a, b)).min(from(a, c, d)).min(from(b, c, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewCamera;
    use crate::camera::StandardView;
    use crate::selecting::Outline;
    use geometry::mesh::shapes;
    use geometry::{Aabb, Pose};

    /// A square of `count` by `count` cells of two facets each.
    fn sheet(count: u32, size_mm: f64, z: f64) -> Mesh {
        let place = |i: u32| f64::from(i) / f64::from(count) * size_mm;
        let row = count + 1;
        let vertices = (0..row * row).map(|i| Point::new(place(i % row), place(i / row), z)).collect();
        let cells = (0..count * count).map(|i| i / count * row + i % count);
        let facets = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]).collect();
        Mesh { vertices, facets, cad_faces: Vec::new() }
    }

    /// A fine sheet above a coarse box, seen from above.
    fn scene(perspective: bool) -> (Surface, ViewCamera) {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(100.0, 100.0, 20.0));
        mesh.append(&sheet(80, 40.0, 30.0));
        let mut camera = ViewCamera::new(&Aabb { min: Point::origin(), max: Point::new(100.0, 100.0, 30.0) });
        camera.set_size(900, 700);
        camera.look_from(StandardView::Top);
        camera.set_perspective(perspective);
        (Surface::new(mesh), camera)
    }

    fn stroke(camera: &ViewCamera, corners: &[Point], only_visible: bool, hidden: Subset) -> Stroke {
        let pixel = |p: &Point| camera.pixel_of(p).map(|(x, y)| [x, y]).unwrap();
        let outline = Outline::Polygon(corners.iter().map(pixel).collect());
        Stroke { view: View::new(camera, &Pose::identity(), 0.0), outline, only_visible, hidden }
    }

    fn square(low: f64, high: f64, z: f64) -> [Point; 4] {
        [(low, low), (high, low), (high, high), (low, high)].map(|(x, y)| Point::new(x, y, z))
    }

    #[test]
    fn what_shows_is_taken_and_through_takes_what_lies_behind() {
        for perspective in [false, true] {
            let (surface, camera) = scene(perspective);
            let mesh = surface.mesh();
            let on_sheet = |facet: &u32| *facet >= 12;
            let within = |facet: u32, low: f64, high: f64| {
                let corners = mesh.corners(facet as usize);
                corners.iter().all(|corner| corner.x.min(corner.y) > low && corner.x.max(corner.y) < high)
            };
            // A square within the sheet: all of it that the square touches, nothing of the box.
            let seen = stroke(&camera, &square(10.2, 29.7, 30.0), true, Subset::default()).facets(&surface);
            assert!(seen.iter().all(on_sheet), "{perspective}");
            assert!(
                (12..mesh.facets.len() as u32).filter(|&facet| within(facet, 10.2, 29.7)).all(|f| seen.contains(f))
            );
            assert!(seen.iter().all(|&facet| within(facet, 9.1, 30.8)));
            // Through it, the box's top and bottom lie too: large facets with no corner inside.
            let through = stroke(&camera, &square(10.2, 29.7, 30.0), false, Subset::default()).facets(&surface);
            assert!(seen.iter().all(|&facet| through.contains(facet)));
            let of_box: Vec<u32> = through.iter().copied().filter(|facet| !on_sheet(facet)).collect();
            let flat = |facet: u32| mesh.normal(facet as usize).z.abs() > 0.9;
            assert!(of_box.iter().all(|&facet| flat(facet)) && of_box.len() >= 2, "{of_box:?}");
            // With the sheet hidden, the box's top shows, and only that.
            let sheet = Subset::new((12..mesh.facets.len() as u32).collect());
            let behind = stroke(&camera, &square(10.2, 29.7, 30.0), true, sheet).facets(&surface);
            assert!(!behind.is_empty() && behind.iter().all(|&f| f < 12 && mesh.normal(f as usize).z > 0.9));
        }
    }

    #[test]
    fn facets_smaller_than_a_pixel_are_found_and_outlines_beside_the_part_find_none() {
        let dense = Surface::new(sheet(900, 10.0, 0.0));
        let mut camera =
            ViewCamera::new(&Aabb { min: Point::new(-50.0, -50.0, 0.0), max: Point::new(60.0, 60.0, 1.0) });
        camera.set_size(600, 600);
        camera.look_from(StandardView::Top);
        let all = stroke(&camera, &square(-1.0, 11.0, 0.0), true, Subset::default()).facets(&dense);
        assert_eq!(all.len(), dense.mesh().facets.len());
        let none = stroke(&camera, &square(-40.0, -20.0, 0.0), true, Subset::default()).facets(&dense);
        assert!(none.is_empty());
    }

    #[test]
    fn a_stroke_touches_triangles_that_it_only_passes() {
        let path = vec![[0.0, 0.0], [100.0, 0.0]];
        let region = Region::new(&Outline::Stroke { path, radius: 5.0 }).unwrap();
        let triangle = |y: f32| [[20.0, y, 0.0], [80.0, y, 0.0], [50.0, y + 40.0, 0.0]];
        assert!(region.touches(&triangle(4.0)) && region.touches(&triangle(-20.0)));
        assert!(!region.touches(&triangle(5.5)) && !region.touches(&triangle(-46.0)));
        // All around it.
        assert!(region.touches(&[[-500.0, -300.0, 0.0], [600.0, -300.0, 0.0], [50.0, 900.0, 0.0]]));
    }
}
