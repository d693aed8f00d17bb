//! Selection of facets by a screen outline: all facets that the outline touches, or only those visible inside it.
//! Visibility is determined by a ray through every pixel, so that a large facet counts even if only part of it is
//! visible.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::{Region, Stroke, View};
use geometry::{Mesh, Point, Subset, Surface, Vector};

/// Maximum number of rays of a stroke; for larger outlines the rays are more than one pixel apart.
const MAX_RAYS: f32 = 400_000.0;

impl Stroke {
    /// Indices of the selected facets of `surface`, which is in the frame of the points of the view.
    pub fn facets(&self, surface: &Surface) -> Subset {
        let Some(region) = Region::new(&self.outline) else { return Subset::default() };
        let projected = project_facets(surface.mesh(), &self.view);
        let touched_facet = |(index, triangle): (usize, Option<[[f32; 3]; 3]>)| {
            let index = index as u32;
            let triangle = triangle.filter(|triangle| region.touches(triangle) && !self.hidden.contains(index))?;
            Some((index, triangle))
        };
        let touched: Vec<(u32, [[f32; 3]; 3])> = projected.enumerate().filter_map(touched_facet).collect();
        if !self.only_visible {
            return Subset::new(touched.into_iter().map(|(index, _)| index).collect());
        }
        let visibility = Visibility::new(&self.view, surface, &self.hidden);
        let step = self.step(&region);
        let mut visible = visibility.visible_facets(&region, &self.view.size, step);
        // Facets smaller than the ray spacing may lie between the rays: their centroids are tested.
        let small = touched.into_par_iter().filter(|(_, triangle)| screen_extent(triangle) < 2.0 * step).filter(
            |(index, triangle)| {
                let centroid = |axis: usize| (triangle[0][axis] + triangle[1][axis] + triangle[2][axis]) / 3.0;
                region.contains(centroid(0), centroid(1))
                    && visibility.facet_at([centroid(0), centroid(1)]) == Some(*index)
            },
        );
        visible.extend(small.map(|(index, _)| index).collect::<Vec<_>>());
        Subset::new(visible)
    }

    /// Distance between rays, pixels; at least 1.
    fn step(&self, region: &Region) -> f32 {
        let extent = |axis: usize| region.high[axis].min(self.view.size[axis]) - region.low[axis].max(0.0);
        (extent(0).max(1.0) * extent(1).max(1.0) / MAX_RAYS).sqrt().max(1.0)
    }
}

/// Corners of each facet as pixel x, y and depth (mm); `None` if one is behind the camera.
fn project_facets<'a>(
    mesh: &'a Mesh,
    view: &'a View,
) -> impl IndexedParallelIterator<Item = Option<[[f32; 3]; 3]>> + 'a {
    (0..mesh.facets.len()).into_par_iter().map(move |facet| {
        let [a, b, c] = mesh.corners(facet).map(|corner| view.of(&corner).map(|(x, y, depth)| [x, y, depth]));
        Some([a?, b?, c?])
    })
}

/// The longer side of the bounding rectangle of a projected facet, pixels.
fn screen_extent(triangle: &[[f32; 3]; 3]) -> f32 {
    let extent = |axis: usize| {
        let all = triangle.map(|corner| corner[axis]);
        all.iter().copied().fold(f32::MIN, f32::max) - all.iter().copied().fold(f32::MAX, f32::min)
    };
    extent(0).max(extent(1))
}

/// Visibility of the facets of a surface by ray casting.
struct Visibility<'a> {
    view: &'a View,
    surface: &'a Surface,
    hidden: &'a Subset,
    /// Depth at which rays start, mm: in front of the surface, but not behind the camera.
    start_mm: f64,
}

impl<'a> Visibility<'a> {
    fn new(view: &'a View, surface: &'a Surface, hidden: &'a Subset) -> Self {
        let corners = surface.bounds().corners();
        let nearest = corners.iter().map(|corner| view.row(3, corner)).fold(f64::INFINITY, f64::min) - 1.0;
        // In perspective w grows linearly with the depth and is 0 at the eye; orthographic w is constant.
        let [_, _, w, depth] = view.rows;
        let w_per_mm = w[0] * depth[0] + w[1] * depth[1] + w[2] * depth[2];
        let eye_mm = if w_per_mm > 0.0 { depth[3] - w[3] / w_per_mm } else { f64::NEG_INFINITY };
        Self { view, surface, hidden, start_mm: nearest.max(eye_mm) }
    }

    /// The visible facets at rays `step` pixels apart within a region, possibly with duplicates.
    fn visible_facets(&self, region: &Region, size: &[f32; 2], step: f32) -> Vec<u32> {
        let positions = |axis: usize| {
            let (low, high) = (region.low[axis].max(0.0), region.high[axis].min(size[axis]));
            let count = ((high - low) / step).ceil().max(0.0) as usize;
            (0..count).map(move |i| low + (i as f32 + 0.5) * step)
        };
        let (columns, lines): (Vec<f32>, Vec<f32>) = (positions(0).collect(), positions(1).collect());
        let of_line = |&y: &f32| {
            let inside = columns.iter().filter(|&&x| region.contains(x, y));
            let mut facets: Vec<u32> = inside.filter_map(|&x| self.facet_at([x, y])).collect();
            facets.dedup();
            facets
        };
        lines.par_iter().flat_map_iter(of_line).collect()
    }

    /// The visible facet at a pixel; hidden facets are transparent.
    fn facet_at(&self, pixel: [f32; 2]) -> Option<u32> {
        let (origin, direction) = self.ray(pixel)?;
        let mut t_min = 0.0;
        loop {
            let hit = self.surface.first_hit(&origin, &direction, t_min, f64::INFINITY)?;
            if !self.hidden.contains(hit.facet) {
                return Some(hit.facet);
            }
            t_min = hit.t;
        }
    }

    /// Origin of the ray through a pixel, mm, and its direction per mm of depth.
    fn ray(&self, [x, y]: [f32; 2]) -> Option<(Point, Vector)> {
        let [clip_x, clip_y, clip_w, depth] = self.view.rows;
        let ndc_x = f64::from(2.0 * x / self.view.size[0] - 1.0);
        let ndc_y = f64::from(1.0 - 2.0 * y / self.view.size[1]);
        // The points of the ray satisfy clip x = ndc_x w and clip y = ndc_y w.
        let constraint = |row: [f64; 4], ndc: f64| std::array::from_fn(|i| row[i] - ndc * clip_w[i]);
        let rows: [[f64; 4]; 3] = [constraint(clip_x, ndc_x), constraint(clip_y, ndc_y), depth];
        let matrix = Matrix3::from_rows(&rows.map(|[x, y, z, _]| Vector3::new(x, y, z).transpose()));
        let inverse = matrix.try_inverse()?;
        let at_start = Vector3::new(-rows[0][3], -rows[1][3], self.start_mm - rows[2][3]);
        Some((Point::from(inverse * at_start), inverse * Vector3::z()))
    }
}

impl Region {
    /// Whether a projected triangle and the region intersect.
    fn touches(&self, triangle: &[[f32; 3]; 3]) -> bool {
        let corners = triangle.map(|[x, y, _]| [x, y]);
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
        let max_squared_distance = self.radius.max(0.0).powi(2);
        let meets = |&[x0, y0, x1, y1]: &[f32; 4]| {
            let (from, to) = ([x0, y0], [x1, y1]);
            let sides = (0..3).map(|i| (corners[i], corners[(i + 1) % 3]));
            is_in_triangle(from, &corners)
                || sides.into_iter().any(|(a, b)| squared_distance(a, b, from, to) <= max_squared_distance)
        };
        self.edges().any(meets)
    }

    /// Edges of the outline, possibly with duplicates.
    fn edges(&self) -> impl Iterator<Item = &[f32; 4]> {
        self.rows.iter().enumerate().flat_map(|(i, row)| {
            let before = i.checked_sub(1).and_then(|i| self.rows.get(i));
            row.iter().filter(move |edge| before.is_none_or(|before| !before.contains(edge)))
        })
    }
}

fn is_in_triangle(point: [f32; 2], corners: &[[f32; 2]; 3]) -> bool {
    let areas: [f32; 3] = std::array::from_fn(|i| double_area(corners[i], corners[(i + 1) % 3], point));
    areas.iter().all(|area| *area >= 0.0) || areas.iter().all(|area| *area <= 0.0)
}

/// Twice the signed area of a triangle.
fn double_area(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> f32 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Squared distance between the line segments ab and cd; 0 if they intersect.
fn squared_distance(a: [f32; 2], b: [f32; 2], c: [f32; 2], d: [f32; 2]) -> f32 {
    if double_area(a, b, c) * double_area(a, b, d) <= 0.0
        && double_area(c, d, a) * double_area(c, d, b) <= 0.0
        && double_area(a, b, c) != double_area(a, b, d)
    {
        return 0.0;
    }
    let to_segment = |point: [f32; 2], a: [f32; 2], b: [f32; 2]| {
        let (edge, to) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
        let length2 = edge[0] * edge[0] + edge[1] * edge[1];
        let t = if length2 > 0.0 { ((edge[0] * to[0] + edge[1] * to[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
        (to[0] - t * edge[0]).powi(2) + (to[1] - t * edge[1]).powi(2)
    };
    to_segment(c, a, b).min(to_segment(d, a, b)).min(to_segment(a, c, d)).min(to_segment(b, c, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewCamera;
    use crate::camera::StandardView;
    use crate::selecting::Outline;
    use geometry::mesh::shapes;
    use geometry::{Aabb, Pose};

    /// Square sheet of `count` by `count` cells with two facets each.
    fn sheet(count: u32, size_mm: f64, z: f64) -> Mesh {
        let coordinate = |i: u32| f64::from(i) / f64::from(count) * size_mm;
        let row = count + 1;
        let vertices = (0..row * row).map(|i| Point::new(coordinate(i % row), coordinate(i / row), z)).collect();
        let cells = (0..count * count).map(|i| i / count * row + i % count);
        let facets = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]).collect();
        Mesh { vertices, facets, cad_faces: Vec::new() }
    }

    /// Fine sheet above a coarse box, seen from above.
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
    fn a_stroke_selects_visible_facets_or_all_facets() {
        for perspective in [false, true] {
            let (surface, camera) = scene(perspective);
            let mesh = surface.mesh();
            let on_sheet = |facet: &u32| *facet >= 12;
            let within = |facet: u32, low: f64, high: f64| {
                let corners = mesh.corners(facet as usize);
                corners.iter().all(|corner| corner.x.min(corner.y) > low && corner.x.max(corner.y) < high)
            };
            // A square within the sheet: every facet of the sheet that it touches, none of the box.
            let visible = stroke(&camera, &square(10.2, 29.7, 30.0), true, Subset::default()).facets(&surface);
            assert!(visible.iter().all(on_sheet), "{perspective}");
            assert!(
                (12..mesh.facets.len() as u32).filter(|&facet| within(facet, 10.2, 29.7)).all(|f| visible.contains(f))
            );
            assert!(visible.iter().all(|&facet| within(facet, 9.1, 30.8)));
            // Without the visibility test also the top and the bottom of the box: large facets without a corner inside.
            let through = stroke(&camera, &square(10.2, 29.7, 30.0), false, Subset::default()).facets(&surface);
            assert!(visible.iter().all(|&facet| through.contains(facet)));
            let of_box: Vec<u32> = through.iter().copied().filter(|facet| !on_sheet(facet)).collect();
            let flat = |facet: u32| mesh.normal(facet as usize).z.abs() > 0.9;
            assert!(of_box.iter().all(|&facet| flat(facet)) && of_box.len() >= 2, "{of_box:?}");
            // With the sheet hidden, only the top of the box is visible.
            let sheet = Subset::new((12..mesh.facets.len() as u32).collect());
            let behind = stroke(&camera, &square(10.2, 29.7, 30.0), true, sheet).facets(&surface);
            assert!(!behind.is_empty() && behind.iter().all(|&f| f < 12 && mesh.normal(f as usize).z > 0.9));
        }
    }

    #[test]
    fn facets_smaller_than_a_pixel_are_selected_and_outlines_beside_the_part_select_none() {
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
    fn a_stroke_touches_triangles_without_a_corner_inside() {
        let path = vec![[0.0, 0.0], [100.0, 0.0]];
        let region = Region::new(&Outline::Stroke { path, radius: 5.0 }).unwrap();
        let triangle = |y: f32| [[20.0, y, 0.0], [80.0, y, 0.0], [50.0, y + 40.0, 0.0]];
        assert!(region.touches(&triangle(4.0)) && region.touches(&triangle(-20.0)));
        assert!(!region.touches(&triangle(5.5)) && !region.touches(&triangle(-46.0)));
        // A triangle that encloses the stroke.
        assert!(region.touches(&[[-500.0, -300.0, 0.0], [600.0, -300.0, 0.0], [50.0, 900.0, 0.0]]));
    }
}
