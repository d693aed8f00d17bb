//! Points and facets inside an outline on the screen, all of them or only those that nothing hides.

pub mod facets;
pub mod on_device;

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::ViewCamera;
use geometry::{Point, Pose, Subset, Vector};

/// An outline in pixels, y down.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// All within a radius of a path.
    Stroke {
        /// Corners of the path.
        path: Vec<[f32; 2]>,
        /// The radius, pixels.
        radius: f32,
    },
    /// The inside of a polygon, by the even-odd rule.
    Polygon(Vec<[f32; 2]>),
}

/// An outline made ready: for each row of pixels the edges that matter there.
struct Region {
    rows: Vec<Vec<[f32; 4]>>,
    low: [f32; 2],
    high: [f32; 2],
    /// Negative for polygons.
    radius: f32,
}

impl Region {
    fn new(outline: &Outline) -> Option<Self> {
        let (corners, radius, closed) = match outline {
            Outline::Stroke { path, radius } => (path, radius.max(0.5), false),
            Outline::Polygon(corners) => (corners, -1.0, true),
        };
        let reach = radius.max(0.0);
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for corner in corners.iter().filter(|corner| corner.iter().all(|c| c.is_finite())) {
            for axis in 0..2 {
                low[axis] = low[axis].min(corner[axis] - reach);
                high[axis] = high[axis].max(corner[axis] + reach);
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
            let from = (y0.min(y1) - reach - low[1]).max(0.0) as usize;
            let to = ((y0.max(y1) + reach - low[1]) as usize).min(rows.len() - 1);
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
            let (along, to) = ([x1 - x0, y1 - y0], [x - x0, y - y0]);
            let length = along[0] * along[0] + along[1] * along[1];
            let t = if length > 0.0 { ((along[0] * to[0] + along[1] * to[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
            let away = [to[0] - t * along[0], to[1] - t * along[1]];
            away[0] * away[0] + away[1] * away[1] <= self.radius * self.radius
        })
    }
}

/// Where a view puts points: pixel, and distance along the view, mm. Outlives the camera's next move.
#[derive(Clone, Debug)]
pub struct View {
    /// Rows that take a point to clip x, y and w, and to its depth: a few numbers for each of many points.
    rows: [[f64; 4]; 4],
    size: [f32; 2],
    pixels_per_mm: f32,
    spacing_mm: f32,
}

impl View {
    /// Of a camera, on points that lie `spacing_mm` apart.
    pub fn new(camera: &ViewCamera, scene_from_points: &Pose, spacing_mm: f64) -> Self {
        let clip = camera.clip_from_local();
        let row = |i: usize| std::array::from_fn(|j| f64::from(clip[j][i]));
        let depth = -Vector::from(camera.to_eye().map(f64::from));
        // The camera's rows are about its origin; the points have a frame of their own.
        let turn = scene_from_points.rotation.inverse();
        let shift = scene_from_points.translation.vector - camera.origin().coords;
        let on_points = |[x, y, z, w]: [f64; 4]| {
            let along = Vector::new(x, y, z);
            let own = turn * along;
            [own.x, own.y, own.z, along.dot(&shift) + w]
        };
        Self {
            rows: [row(0), row(1), row(3), [depth.x, depth.y, depth.z, 0.0]].map(on_points),
            size: camera.size().map(|pixels| pixels as f32),
            pixels_per_mm: camera.size()[1] as f32 / camera.height_mm() as f32,
            spacing_mm: spacing_mm as f32,
        }
    }

    /// The same of only a share of the points, which lie farther apart.
    pub fn of_fewer(&self, share: f64) -> Self {
        let spacing_mm = self.spacing_mm / share.clamp(1e-6, 1.0).sqrt() as f32;
        Self { spacing_mm, ..self.clone() }
    }

    /// Least and greatest clip x and y, each over w, of a box of pixels, a little widened.
    fn clip_box(&self, low: [f32; 2], high: [f32; 2]) -> [f64; 4] {
        let across = |pixel: f32, axis: usize| 2.0 * f64::from(pixel) / f64::from(self.size[axis]) - 1.0;
        let more = 1e-4;
        [across(low[0], 0) - more, across(high[0], 0) + more, -across(high[1], 1) - more, -across(low[1], 1) + more]
    }

    /// The rows for points about `centre`.
    fn rows_about(&self, centre: &Point) -> [[f32; 4]; 4] {
        self.rows.map(|[x, y, z, w]| [x, y, z, Vector::new(x, y, z).dot(&centre.coords) + w].map(|c| c as f32))
    }

    #[inline]
    fn row(&self, row: usize, point: &Point) -> f64 {
        let row = &self.rows[row];
        row[0] * point.x + row[1] * point.y + row[2] * point.z + row[3]
    }

    #[inline]
    fn is_within(&self, [left, right, low, high]: &[f64; 4], point: &Point) -> bool {
        let [x, y, w] = [self.row(0, point), self.row(1, point), self.row(2, point)];
        (x >= left * w) & (x <= right * w) & (y >= low * w) & (y <= high * w)
    }

    fn of(&self, point: &Point) -> Option<(f32, f32, f32)> {
        let [x, y, w, depth] = [0, 1, 2, 3].map(|row| self.row(row, point));
        (w > 0.0).then(|| {
            let pixel = [(x / w * 0.5 + 0.5) as f32 * self.size[0], (0.5 - y / w * 0.5) as f32 * self.size[1]];
            (pixel[0], pixel[1], depth as f32)
        })
    }
}

/// Pixels of a cell in which points hide each other, at least.
const CELL_PIXELS: f32 = 3.0;
/// Cells' widths that a point may lie behind the foremost one of its cell and still be seen.
const BEHIND: f32 = 2.5;

/// A stroke of the brush.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// What the screen showed.
    pub view: View,
    /// The outline.
    pub outline: Outline,
    /// Whether points that others hide are left out.
    pub only_visible: bool,
    /// Points that are not shown, and hide nothing.
    pub hidden: Subset,
}

impl Stroke {
    /// The points inside.
    pub fn of(&self, points: &[Point]) -> Subset {
        Subset::new(points_in(&self.view, points, &self.outline, self.only_visible, &self.hidden))
    }
}

/// What a stroke takes: points yet to be found, or those that the graphics device has found.
#[derive(Clone, Debug)]
pub enum Brushed {
    /// What lies under it.
    Under(Box<Stroke>),
    /// These.
    Points(Subset),
}

impl Brushed {
    /// The points.
    pub fn of(&self, points: &[Point]) -> Subset {
        match self {
            Self::Under(stroke) => stroke.of(points),
            Self::Points(found) => found.clone(),
        }
    }
}

/// Numbers of the points inside `outline`, in ascending order. `only_visible` leaves out those that others hide.
/// Those of `hidden` are not there.
pub fn points_in(view: &View, points: &[Point], outline: &Outline, only_visible: bool, hidden: &Subset) -> Vec<u32> {
    let Some(region) = Region::new(outline) else { return Vec::new() };
    let mut inside = inside(view, points, &region);
    if !hidden.is_empty() {
        inside.retain(|(number, _)| !hidden.contains(*number));
    }
    if !only_visible {
        return inside.into_iter().map(|(number, _)| number).collect();
    }
    let cells = Cells::of(&region, view);
    let foremost: Vec<AtomicU32> = (0..cells.count()).map(|_| AtomicU32::new(u32::MAX)).collect();
    inside.par_iter().for_each(|(_, seen)| {
        foremost[cells.at(seen)].fetch_min(ordered(seen[2]), Ordering::Relaxed);
    });
    let is_seen =
        |seen: &[f32; 3]| ordered(seen[2] - cells.behind_mm) <= foremost[cells.at(seen)].load(Ordering::Relaxed);
    inside.into_par_iter().filter(|(_, seen)| is_seen(seen)).map(|(number, _)| number).collect()
}

/// Cells of pixels in which points hide each other.
struct Cells {
    low: [f32; 2],
    pixels: f32,
    columns: usize,
    lines: usize,
    /// How far behind the foremost point of its cell a point is still seen, mm.
    behind_mm: f32,
}

impl Cells {
    fn of(region: &Region, view: &View) -> Self {
        let pixels = CELL_PIXELS.max(2.0 * view.spacing_mm * view.pixels_per_mm);
        let count = |axis: usize| ((region.high[axis] - region.low[axis]) / pixels) as usize + 1;
        let behind_mm = BEHIND * pixels / view.pixels_per_mm;
        Self { low: region.low, pixels, columns: count(0), lines: count(1), behind_mm }
    }

    fn count(&self) -> usize {
        self.columns * self.lines
    }

    fn at(&self, &[x, y, _]: &[f32; 3]) -> usize {
        let (column, line) = (((x - self.low[0]) / self.pixels) as usize, ((y - self.low[1]) / self.pixels) as usize);
        line.min(self.lines - 1) * self.columns + column.min(self.columns - 1)
    }
}

/// Points of one task.
const CHUNK: usize = 16_384;

/// Numbers and places (pixels, and mm along the view) of the points inside a region, in ascending order.
fn inside(view: &View, points: &[Point], region: &Region) -> Vec<(u32, [f32; 3])> {
    // Nearly all points lie outside the region's box: they are told by two products, before any division.
    let around = view.clip_box(region.low, region.high);
    let chunks = points.par_chunks(CHUNK).enumerate().map(|(chunk, points)| {
        let mut found = Vec::new();
        for (number, point) in ((chunk * CHUNK) as u32..).zip(points) {
            if view.is_within(&around, point)
                && let Some((x, y, depth)) = view.of(point)
                && region.contains(x, y)
            {
                found.push((number, [x, y, depth]));
            }
        }
        found
    });
    chunks.collect::<Vec<_>>().concat()
}

/// Bits that order as the numbers do.
fn ordered(value: f32) -> u32 {
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
    fn a_stroke_takes_what_lies_under_it_through_or_visible() {
        let (points, camera) = scene();
        let (a, b) = (Point::new(30.0, 40.0, 0.0), Point::new(60.0, 55.0, 0.0));
        let pixel = |p: &Point| camera.pixel_of(p).map(|(x, y)| [x, y]).unwrap();
        let radius_mm = 5.2;
        let radius = (pixel(&Point::new(30.0 + radius_mm, 40.0, 0.0))[0] - pixel(&a)[0]).abs();
        let outline = Outline::Stroke { path: vec![pixel(&a), pixel(&b)], radius };
        let within = |p: &Point| {
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
            // Seen from a hair beside the vertical; on the very rim single precision decides.
            let expected = |number: usize, margin: f64| {
                within(&points[number]) <= radius_mm + margin && (!only_visible || number < 40_000)
            };
            assert!(found.iter().all(|&number| expected(number as usize, 0.01)));
            let missing =
                (0..points.len()).filter(|&n| expected(n, -0.01) && found.binary_search(&(n as u32)).is_err());
            assert_eq!(missing.count(), 0, "{only_visible}");
        }
    }

    #[test]
    fn a_polygon_takes_its_inside_also_where_it_is_hollow() {
        let (points, camera) = scene();
        let pixel = |x: f64, y: f64| camera.pixel_of(&Point::new(x, y, 0.0)).map(|(x, y)| [x, y]).unwrap();
        let view = View::new(&camera, &Pose::identity(), 0.5);
        // A U: the notch is outside.
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
        // The upper layer hidden, the lower one is seen.
        let upper = Subset::new((0..40_000).collect());
        let through = points_in(&view, &points, &outline, true, &upper);
        assert!(through.len() > 1000 && through.iter().all(|&number| number >= 40_000), "{}", through.len());
    }
}
