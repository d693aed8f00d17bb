//! What a sensor at one position sees of a scene: the nearest point along every direction.

use bytemuck::{Pod, Zeroable};

use super::stations::{self, Line};
use super::{Cloud, Point, Vector, transform};

/// Points of a sample that the sensor's position is found from.
const SAMPLE: usize = 400;
/// Greatest distance of the lines of sight from the position found, as a share of its distance from the points.
const MAX_SPREAD: f64 = 0.02;
/// Greatest number of pixels along an axis.
const MAX_PIXELS: usize = 1024;
/// Index of a pixel without a point.
const NONE: u32 = u32::MAX;

/// The nearest point along the line of sight of a pixel; `Pixel` of pose_scores.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Pixel {
    /// Its index; `u32::MAX` where there is none.
    pub index: u32,
    /// Its distance from the sensor, mm.
    pub range_mm: f32,
}

/// Pixels and the rays that they stand for.
#[derive(Clone, Copy, Debug)]
pub struct Pinhole {
    /// Right, down and forward, unit.
    pub axes: [Vector; 3],
    /// Tangents of the first pixel, to the right and down.
    pub first: [f64; 2],
    /// Pixels per unit of tangent.
    pub pixels_per_tangent: f64,
    /// Pixels to the right and down.
    pub size: [u32; 2],
}

/// The scene as seen from one position: per pixel of a pinhole image, the nearest point.
#[derive(Clone, Debug)]
pub struct RangeImage {
    /// Position of the sensor, scene frame, mm.
    pub viewpoint: Point,
    /// Its rays.
    pub pinhole: Pinhole,
    /// By pixel, row by row.
    pub pixels: Vec<Pixel>,
}

/// What lies along a line of sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// A point, and its range from the sensor, mm.
    Point(u32, f64),
    /// Nothing was measured there, or it is outside the picture: this says nothing.
    Nothing,
}

/// The position of the sensor of a cloud, if all points were seen from one.
pub fn viewpoint_of(cloud: &Cloud) -> Option<Point> {
    if cloud.viewpoint.is_some() || cloud.to_sensor.len() != cloud.points.len() || cloud.points.len() < 10 {
        return cloud.viewpoint;
    }
    let step = (cloud.points.len() / SAMPLE).max(1);
    let lines: Vec<Line> = (0..cloud.points.len())
        .step_by(step)
        .filter_map(|index| Some((cloud.points[index], cloud.direction_to_sensor(index)?)))
        .collect();
    let position = stations::meeting_point(&lines)?;
    let fits = lines.iter().all(|(point, direction)| {
        let away = position - point;
        let along = away.dot(direction);
        along > 0.0 && (away - direction * along).norm() < MAX_SPREAD * along
    });
    fits.then_some(position)
}

impl Pinhole {
    /// Index of the pixel of a ray, given by its tangents.
    fn pixel_at(&self, tangent: [f64; 2]) -> Option<usize> {
        let at = [0, 1].map(|axis| ((tangent[axis] - self.first[axis]) * self.pixels_per_tangent).floor());
        let is_inside = (0..2).all(|axis| at[axis] >= 0.0 && at[axis] < f64::from(self.size[axis]));
        is_inside.then(|| at[1] as usize * self.size[0] as usize + at[0] as usize)
    }
}

impl RangeImage {
    /// The points of a scene, whose spacing is `spacing_mm`, from a position; `None` if they do not lie before it.
    pub fn new(viewpoint: Point, points: &[Point], spacing_mm: f64) -> Option<Self> {
        let centre = points.iter().map(|point| point.coords).sum::<Vector>() / points.len().max(1) as f64;
        let forward = (Point::from(centre) - viewpoint).try_normalize(1e-9)?;
        let [right, down] = transform::perpendicular_axes(&forward);
        let axes = [right, down, forward];
        let tangents: Vec<Option<([f64; 2], f64)>> = points
            .iter()
            .map(|point| {
                let away = point - viewpoint;
                let [x, y, z] = axes.map(|axis| axis.dot(&away));
                (z > 1e-9 && z > 0.05 * away.norm()).then(|| ([x / z, y / z], away.norm()))
            })
            .collect();
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for (tangent, _) in tangents.iter().flatten() {
            for axis in 0..2 {
                low[axis] = low[axis].min(tangent[axis]);
                high[axis] = high[axis].max(tangent[axis]);
            }
        }
        let distance_mm = (Point::from(centre) - viewpoint).norm();
        let extent = (high[0] - low[0]).max(high[1] - low[1]);
        if !(extent.is_finite() && extent > 0.0) {
            return None;
        }
        // A pixel a little larger than the spacing, so that surfaces have no holes.
        let pixels_per_tangent = (distance_mm / (1.5 * spacing_mm.max(1e-9))).min((MAX_PIXELS - 1) as f64 / extent);
        let size = [0, 1].map(|axis| ((high[axis] - low[axis]) * pixels_per_tangent) as u32 + 1);
        let pinhole = Pinhole { axes, first: low, pixels_per_tangent, size };
        let empty = Pixel { index: NONE, range_mm: 0.0 };
        let mut image = Self { viewpoint, pinhole, pixels: vec![empty; (size[0] * size[1]) as usize] };
        for (index, own) in tangents.iter().enumerate() {
            let Some((tangent, range)) = own else { continue };
            let pixel = pinhole.pixel_at(*tangent).and_then(|at| image.pixels.get_mut(at));
            if let Some(pixel) = pixel.filter(|own| own.index == NONE || (*range as f32) < own.range_mm) {
                *pixel = Pixel { index: index as u32, range_mm: *range as f32 };
            }
        }
        Some(image)
    }

    /// Index of the pixel towards a point; `None` outside the picture.
    pub fn pixel_of(&self, point: &Point) -> Option<usize> {
        let away = point - self.viewpoint;
        let [x, y, z] = self.pinhole.axes.map(|axis| axis.dot(&away));
        let pixel = self.pinhole.pixel_at([x / z, y / z]).filter(|_| z > 1e-9)?;
        (pixel < self.pixels.len()).then_some(pixel)
    }

    /// What is seen towards a point: of the pixels around, the point whose range is nearest to its own.
    pub fn towards(&self, point: &Point) -> Seen {
        let away = point - self.viewpoint;
        let [x, y, z] = self.pinhole.axes.map(|axis| axis.dot(&away));
        if z <= 1e-9 {
            return Seen::Nothing;
        }
        let range = away.dot(&away).sqrt();
        let step = 1.0 / self.pinhole.pixels_per_tangent;
        let mut best = Seen::Nothing;
        for (right, down) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)] {
            let tangent = [x / z + f64::from(right) * step, y / z + f64::from(down) * step];
            let pixel = self.pinhole.pixel_at(tangent).and_then(|at| self.pixels.get(at));
            let Some(pixel) = pixel.filter(|own| own.index != NONE) else { continue };
            let own = f64::from(pixel.range_mm);
            let nearer = match best {
                Seen::Point(_, other) => (own - range).abs() < (other - range).abs(),
                Seen::Nothing => true,
            };
            if nearer {
                best = Seen::Point(pixel.index, own);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_nearest_of_two_planes_is_seen() {
        let mut random = Random::new(2, 0);
        let mut points = Vec::new();
        for _ in 0..40_000 {
            points.push(Point::new(random.range(-50.0, 50.0), random.range(-50.0, 50.0), 300.0));
        }
        for _ in 0..40_000 {
            points.push(Point::new(random.range(-20.0, 20.0), random.range(-20.0, 20.0), 250.0));
        }
        let image = RangeImage::new(Point::origin(), &points, 0.5).unwrap();
        let at = |x: f64, y: f64, z: f64| match image.towards(&Point::new(x, y, z)) {
            Seen::Point(index, _) => points[index as usize].z,
            Seen::Nothing => f64::NAN,
        };
        assert_eq!((at(0.0, 0.0, 250.0), at(0.0, 0.0, 400.0), at(45.0, 45.0, 300.0)), (250.0, 250.0, 300.0));
        assert_eq!(image.towards(&Point::new(500.0, 0.0, 300.0)), Seen::Nothing);
        assert_eq!(image.towards(&Point::new(0.0, 0.0, -300.0)), Seen::Nothing);
    }

    #[test]
    fn the_sensor_is_where_the_lines_of_sight_meet() {
        let mut random = Random::new(3, 0);
        let sensor = Point::new(10.0, -20.0, 400.0);
        let points: Vec<Point> = (0..2000).map(|_| Point::from(random.rotation() * Vector::z() * 60.0)).collect();
        let to_sensor: Vec<[f32; 3]> =
            points.iter().map(|point| (sensor - point).normalize().cast::<f32>().into()).collect();
        let cloud = Cloud { to_sensor, ..Cloud::from_points(points) };
        assert!((viewpoint_of(&cloud).unwrap() - sensor).norm() < 0.1);
        // From two positions there is none.
        let mut two = cloud.clone();
        for (index, direction) in two.to_sensor.iter_mut().enumerate().step_by(2) {
            let other = Point::new(-300.0, 0.0, 100.0) - cloud.points[index];
            *direction = other.normalize().cast::<f32>().into();
        }
        assert!(viewpoint_of(&two).is_none() && viewpoint_of(&Cloud::from_points(cloud.points)).is_none());
    }
}
