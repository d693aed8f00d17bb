//! Selection of points and facets inside a screen outline: all of them, or only the visible ones.

pub mod facets;
pub mod on_device;

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::ViewCamera;
use geometry::{Point, Pose, Subset, Vector};

/// Outline on the screen, pixels, y down.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// All within a radius of a polyline.
    Stroke {
        /// Vertices of the polyline.
        path: Vec<[f32; 2]>,
        /// Radius, pixels; at least 0.5 is used.
        radius: f32,
    },
    /// Interior of a polygon by the even-odd rule.
    Polygon(Vec<[f32; 2]>),
}

/// Outline prepared for inside tests: the edges `[x0, y0, x1, y1]` that matter in each row of pixels, and the bounds.
struct Region {
    rows: Vec<Vec<[f32; 4]>>,
    low: [f32; 2],
    high: [f32; 2],
    /// Radius of the stroke, pixels; negative for polygons.
    radius: f32,
}

impl Region {
    /// `None` for an empty outline, or one of 100 000 pixels or more in height.
    fn new(outline: &Outline) -> Option<Self> {
        let (corners, radius, closed) = match outline {
            Outline::Stroke { path, radius } => (path, radius.max(0.5), false),
            Outline::Polygon(corners) => (corners, -1.0, true),
        };
        let margin = radius.max(0.0);
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for corner in corners.iter().filter(|corner| corner.iter().all(|c| c.is_finite())) {
            for axis in 0..2 {
                low[axis] = low[axis].min(corner[axis] - margin);
                high[axis] = high[axis].max(corner[axis] + margin);
            }
        }
        let height = high[1] - low[1];
        if !(0.0..1e5).contains(&height) {
            return None;
        }
        let mut rows = vec![Vec::new(); height as usize + 1];
        let next = |i: usize| corners.get(i + 1).or(if closed { corners.first() } else { None });
        for (i, &[x0, y0]) in corners.iter().enumerate() {
            let Some(&[x1, y1]) = next(i).or(if corners.len() == 1 { corners.first() } else { None }) else { continue };
            let from = (y0.min(y1) - margin - low[1]).max(0.0) as usize;
            let to = ((y0.max(y1) + margin - low[1]) as usize).min(rows.len() - 1);
            for row in rows.iter_mut().take(to + 1).skip(from) {
                row.push([x0, y0, x1, y1]);
            }
        }
        Some(Self { rows, low, high, radius })
    }

    fn contains(&self, x: f32, y: f32) -> bool {
        if !(self.low[0] <= x && x <= self.high[0] && self.low[1] <= y && y <= self.high[1]) {
            return false;
        }
        let Some(edges) = self.rows.get((y - self.low[1]) as usize) else { return false };
        if self.radius < 0.0 {
            let crossed =
                |&&[x0, y0, x1, y1]: &&[f32; 4]| (y0 <= y) != (y1 <= y) && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0);
            return edges.iter().filter(crossed).count() % 2 == 1;
        }
        edges.iter().any(|&[x0, y0, x1, y1]| {
            let (edge, to) = ([x1 - x0, y1 - y0], [x - x0, y - y0]);
            let length2 = edge[0] * edge[0] + edge[1] * edge[1];
            let t = if length2 > 0.0 { ((edge[0] * to[0] + edge[1] * to[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
            let offset = [to[0] - t * edge[0], to[1] - t * edge[1]];
            offset[0] * offset[0] + offset[1] * offset[1] <= self.radius * self.radius
        })
    }
}

/// Projection of points to pixels and depth along the view, mm; a copy, independent of later camera movements.
#[derive(Clone, Debug)]
pub struct View {
    /// Rows that map a point, in its own frame, mm, to clip x, y and w and to its depth.
    rows: [[f64; 4]; 4],
    size: [f32; 2],
    pixels_per_mm: f32,
    spacing_mm: f32,
}

impl View {
    /// Projection of a camera for points that are `spacing_mm` apart.
    pub fn new(camera: &ViewCamera, scene_from_points: &Pose, spacing_mm: f64) -> Self {
        let clip = camera.clip_from_local();
        let row = |i: usize| std::array::from_fn(|j| f64::from(clip[j][i]));
        let depth = -Vector::from(camera.to_eye().map(f64::from));
        // From rows in camera coordinates to rows in the frame of the points.
        let points_from_scene = scene_from_points.rotation.inverse();
        let shift = scene_from_points.translation.vector - camera.origin().coords;
        let in_points_frame = |[x, y, z, w]: [f64; 4]| {
            let direction = Vector::new(x, y, z);
            let rotated = points_from_scene * direction;
            [rotated.x, rotated.y, rotated.z, direction.dot(&shift) + w]
        };
        Self {
            rows: [row(0), row(1), row(3), [depth.x, depth.y, depth.z, 0.0]].map(in_points_frame),
            size: camera.size().map(|pixels| pixels as f32),
            pixels_per_mm: camera.size()[1] as f32 / camera.height_mm() as f32,
            spacing_mm: spacing_mm as f32,
        }
    }

    /// The same view for a subset with this share of the points, 0 to 1, and so a larger spacing.
    pub fn for_subset(&self, share: f64) -> Self {
        let spacing_mm = self.spacing_mm / share.clamp(1e-6, 1.0).sqrt() as f32;
        Self { spacing_mm, ..self.clone() }
    }

    /// Normalised device coordinates x min, x max, y min, y max of a pixel rectangle, slightly enlarged.
    fn clip_box(&self, low: [f32; 2], high: [f32; 2]) -> [f64; 4] {
        let ndc = |pixel: f32, axis: usize| 2.0 * f64::from(pixel) / f64::from(self.size[axis]) - 1.0;
        let margin = 1e-4;
        [ndc(low[0], 0) - margin, ndc(high[0], 0) + margin, -ndc(high[1], 1) - margin, -ndc(low[1], 1) + margin]
    }

    /// The rows for points relative to `centre`.
    fn rows_about(&self, centre: &Point) -> [[f32; 4]; 4] {
        self.rows.map(|[x, y, z, w]| [x, y, z, Vector::new(x, y, z).dot(&centre.coords) + w].map(|c| c as f32))
    }

    /// Value of one row for a point: 0 to 2 clip x, y, w, 3 depth.
    #[inline]
    fn row(&self, row: usize, point: &Point) -> f64 {
        let row = &self.rows[row];
        row[0] * point.x + row[1] * point.y + row[2] * point.z + row[3]
    }

    /// Whether a point projects into a rectangle in normalised device coordinates, without division.
    #[inline]
    fn is_within(&self, [left, right, low, high]: &[f64; 4], point: &Point) -> bool {
        let [x, y, w] = [self.row(0, point), self.row(1, point), self.row(2, point)];
        (x >= left * w) & (x <= right * w) & (y >= low * w) & (y <= high * w)
    }

    /// Pixel x, y and depth (mm) of a point; `None` behind the camera.
    fn of(&self, point: &Point) -> Option<(f32, f32, f32)> {
        let [x, y, w, depth] = [0, 1, 2, 3].map(|row| self.row(row, point));
        (w > 0.0).then(|| {
            let pixel = [(x / w * 0.5 + 0.5) as f32 * self.size[0], (0.5 - y / w * 0.5) as f32 * self.size[1]];
            (pixel[0], pixel[1], depth as f32)
        })
    }
}

/// Minimum size of the cells in which points occlude each other, pixels.
const MIN_CELL_PIXELS: f32 = 3.0;
/// Depth behind the nearest point of a cell within which points count as visible, in cell widths.
const VISIBLE_DEPTH_CELLS: f32 = 2.5;

/// Brush stroke, or another selection outline, in a view.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// The view at the time of the stroke.
    pub view: View,
    /// The outline.
    pub outline: Outline,
    /// Whether occluded points are excluded.
    pub only_visible: bool,
    /// Hidden points; they are neither selected nor do they occlude others.
    pub hidden: Subset,
}

impl Stroke {
    /// Indices of the selected points.
    pub fn of(&self, points: &[Point]) -> Subset {
        Subset::new(points_in(&self.view, points, &self.outline, self.only_visible, &self.hidden))
    }
}

/// Selection by a stroke: still to be evaluated, or already evaluated on the graphics device.
#[derive(Clone, Debug)]
pub enum Brushed {
    /// The stroke to evaluate.
    Under(Box<Stroke>),
    /// Indices of the selected points.
    Points(Subset),
}

impl Brushed {
    /// Indices of the selected points.
    pub fn of(&self, points: &[Point]) -> Subset {
        match self {
            Self::Under(stroke) => stroke.of(points),
            Self::Points(found) => found.clone(),
        }
    }
}

/// Indices of the points inside `outline`, ascending. `only_visible` excludes occluded points; points in `hidden` are
/// ignored.
pub fn points_in(view: &View, points: &[Point], outline: &Outline, only_visible: bool, hidden: &Subset) -> Vec<u32> {
    let Some(region) = Region::new(outline) else { return Vec::new() };
    let mut inside = inside(view, points, &region);
    if !hidden.is_empty() {
        inside.retain(|(index, _)| !hidden.contains(*index));
    }
    if !only_visible {
        return inside.into_iter().map(|(index, _)| index).collect();
    }
    let cells = Cells::of(&region, view);
    let foremost: Vec<AtomicU32> = (0..cells.count()).map(|_| AtomicU32::new(u32::MAX)).collect();
    inside.par_iter().for_each(|(_, projected)| {
        foremost[cells.at(projected)].fetch_min(sortable_bits(projected[2]), Ordering::Relaxed);
    });
    let is_visible = |projected: &[f32; 3]| {
        sortable_bits(projected[2] - cells.behind_mm) <= foremost[cells.at(projected)].load(Ordering::Relaxed)
    };
    inside.into_par_iter().filter(|(_, projected)| is_visible(projected)).map(|(index, _)| index).collect()
}

/// Grid of pixel cells in which points occlude each other.
struct Cells {
    low: [f32; 2],
    pixels: f32,
    columns: usize,
    lines: usize,
    /// Depth behind the nearest point of a cell within which points count as visible, mm.
    behind_mm: f32,
}

impl Cells {
    fn of(region: &Region, view: &View) -> Self {
        let pixels = MIN_CELL_PIXELS.max(2.0 * view.spacing_mm * view.pixels_per_mm);
        let count = |axis: usize| ((region.high[axis] - region.low[axis]) / pixels) as usize + 1;
        let behind_mm = VISIBLE_DEPTH_CELLS * pixels / view.pixels_per_mm;
        Self { low: region.low, pixels, columns: count(0), lines: count(1), behind_mm }
    }

    fn count(&self) -> usize {
        self.columns * self.lines
    }

    /// Index of the cell of a projected point.
    fn at(&self, &[x, y, _]: &[f32; 3]) -> usize {
        let (column, line) = (((x - self.low[0]) / self.pixels) as usize, ((y - self.low[1]) / self.pixels) as usize);
        line.min(self.lines - 1) * self.columns + column.min(self.columns - 1)
    }
}

/// Number of points per task.
const CHUNK_POINTS: usize = 16_384;

/// Indices, ascending, and projections (pixel x, y, depth in mm) of the points inside a region.
fn inside(view: &View, points: &[Point], region: &Region) -> Vec<(u32, [f32; 3])> {
    // Most points lie outside the bounds of the region and are rejected without a division.
    let bounds = view.clip_box(region.low, region.high);
    let chunks = points.par_chunks(CHUNK_POINTS).enumerate().map(|(chunk, points)| {
        let mut found = Vec::new();
        for (index, point) in ((chunk * CHUNK_POINTS) as u32..).zip(points) {
            if view.is_within(&bounds, point)
                && let Some((x, y, depth)) = view.of(point)
                && region.contains(x, y)
            {
                found.push((index, [x, y, depth]));
            }
        }
        found
    });
    chunks.collect::<Vec<_>>().concat()
}

/// Maps a float to an unsigned integer with the same order.
fn sortable_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::camera::StandardView;
    use geometry::Aabb;

    /// Two layers of a grid, seen from above.
    pub fn scene() -> (Vec<Point>, ViewCamera) {
        let layer =
            |z: f64| (0..40_000).map(move |i| Point::new(f64::from(i % 200) * 0.5, f64::from(i / 200) * 0.5, z));
        let points: Vec<Point> = layer(0.0).chain(layer(-10.0)).collect();
        let mut camera = ViewCamera::new(&Aabb::of_points(&points));
        camera.set_size(900, 700);
        camera.look_from(StandardView::Top);
        (points, camera)
    }

    #[test]
    fn a_stroke_selects_all_points_or_only_the_visible_ones() {
        let (points, camera) = scene();
        let (a, b) = (Point::new(30.0, 40.0, 0.0), Point::new(60.0, 55.0, 0.0));
        let pixel = |p: &Point| camera.pixel_of(p).map(|(x, y)| [x, y]).unwrap();
        let radius_mm = 5.2;
        let radius = (pixel(&Point::new(30.0 + radius_mm, 40.0, 0.0))[0] - pixel(&a)[0]).abs();
        let outline = Outline::Stroke { path: vec![pixel(&a), pixel(&b)], radius };
        let distance_mm = |p: &Point| {
            let t = ((p - a).xy().dot(&(b - a).xy()) / (b - a).xy().norm_squared()).clamp(0.0, 1.0);
            (p - (a + (b - a) * t)).xy().norm()
        };
        for only_visible in [false, true] {
            let found = points_in(
                &View::new(&camera, &Pose::identity(), 0.5),
                &points,
                &outline,
                only_visible,
                &Subset::default(),
            );
            // With a margin for the slightly tilted view and for single precision at the edge of the outline.
            let expected = |index: usize, margin: f64| {
                distance_mm(&points[index]) <= radius_mm + margin && (!only_visible || index < 40_000)
            };
            assert!(found.iter().all(|&index| expected(index as usize, 0.01)));
            let missing =
                (0..points.len()).filter(|&n| expected(n, -0.01) && found.binary_search(&(n as u32)).is_err());
            assert_eq!(missing.count(), 0, "{only_visible}");
        }
    }

    #[test]
    fn a_concave_polygon_selects_its_interior() {
        let (points, camera) = scene();
        let pixel = |x: f64, y: f64| camera.pixel_of(&Point::new(x, y, 0.0)).map(|(x, y)| [x, y]).unwrap();
        let view = View::new(&camera, &Pose::identity(), 0.5);
        // U shape; the notch is outside.
        let corners = [
            (10.2, 10.2),
            (80.2, 10.2),
            (80.2, 60.2),
            (60.2, 60.2),
            (60.2, 30.2),
            (30.2, 30.2),
            (30.2, 60.2),
            (10.2, 60.2),
        ];
        let outline = Outline::Polygon(corners.iter().map(|&(x, y)| pixel(x, y)).collect());
        let none = Subset::default();
        let found = points_in(&view, &points[..40_000], &outline, false, &none);
        let inside = |p: &Point| {
            let between = |v: f64, low: f64, high: f64| low < v && v < high;
            let outer = between(p.x, 10.2, 80.2) && between(p.y, 10.2, 60.2);
            outer && !(between(p.x, 30.2, 60.2) && p.y > 30.2)
        };
        let expected: Vec<u32> = (0..40_000).filter(|&n| inside(&points[n as usize])).collect();
        assert_eq!(found, expected);
        assert!(points_in(&view, &points, &Outline::Polygon(vec![]), false, &none).is_empty());
        // With the upper layer hidden, the lower one is visible.
        let upper = Subset::new((0..40_000).collect());
        let through = points_in(&view, &points, &outline, true, &upper);
        assert!(through.len() > 1000 && through.iter().all(|&index| index >= 40_000), "{}", through.len());
    }
}
