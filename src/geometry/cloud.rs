//! Measured point clouds with the optional data of their files.

use rayon::prelude::*;

use super::{Aabb, Point, Pose, Vector, morton};

/// A measured point cloud, mm. Each optional column is empty or has one entry per point.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    /// Points, mm, in the scan frame; all finite.
    pub points: Vec<Point>,
    /// Unit normals; empty if unknown.
    pub normals: Vec<[f32; 3]>,
    /// Unit directions from each point to the sensor; empty if unknown.
    pub to_sensor: Vec<[f32; 3]>,
    /// Intensities as in the file, without scaling; empty if unknown.
    pub intensity: Vec<f32>,
    /// Sensor position, mm, if it is the same for all points.
    pub viewpoint: Option<Point>,
    /// Grid of an organised snapshot.
    pub grid: Option<SnapshotGrid>,
}

/// Pixel grid of an organised snapshot, with the point of each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotGrid {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Point index of each cell, row by row; [`Self::NO_POINT`] where the sensor measured nothing.
    pub cells: Vec<u32>,
}

impl SnapshotGrid {
    /// Marks a cell without a measured point.
    pub const NO_POINT: u32 = u32::MAX;
}

impl Cloud {
    /// A cloud without optional data.
    pub fn from_points(points: Vec<Point>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Bounding box of all points, mm.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(&self.points)
    }

    /// Multiplies points and viewpoint by `factor` (change of unit).
    pub fn scale(&mut self, factor: f64) {
        if factor != 1.0 {
            self.points.iter_mut().for_each(|point| point.coords *= factor);
            self.viewpoint = self.viewpoint.map(|viewpoint| viewpoint * factor);
        }
    }

    /// Unit direction from point `index` to the sensor, from its own direction or the viewpoint; `None` if unknown.
    pub fn direction_to_sensor(&self, index: usize) -> Option<Vector> {
        if let Some(direction) = self.to_sensor.get(index) {
            return Some(vector(*direction));
        }
        let offset = self.viewpoint? - self.points.get(index)?;
        (offset.norm() > 0.0).then(|| offset.normalize())
    }

    /// The points with indices `keep` and their optional data; the grid is dropped.
    pub fn select(&self, keep: &[u32]) -> Self {
        fn pick<T: Copy>(column: &[T], keep: &[u32]) -> Vec<T> {
            if column.is_empty() { Vec::new() } else { keep.iter().map(|&i| column[i as usize]).collect() }
        }
        Self {
            points: pick(&self.points, keep),
            normals: pick(&self.normals, keep),
            to_sensor: pick(&self.to_sensor, keep),
            intensity: pick(&self.intensity, keep),
            viewpoint: self.viewpoint,
            grid: None,
        }
    }

    /// Appends another snapshot in the same frame. An optional column is kept only if both clouds have it; the grid is
    /// dropped. If one cloud is empty, the result is the other one, with its grid.
    pub fn append(&mut self, mut other: Self) {
        if other.points.is_empty() {
            return;
        }
        if self.points.is_empty() {
            *self = other;
            return;
        }
        if self.viewpoint != other.viewpoint {
            self.replace_viewpoint_by_directions();
            other.replace_viewpoint_by_directions();
        }
        fn append_or_clear<T>(mine: &mut Vec<T>, mut theirs: Vec<T>) {
            if mine.is_empty() || theirs.is_empty() { *mine = Vec::new() } else { mine.append(&mut theirs) }
        }
        append_or_clear(&mut self.normals, other.normals);
        append_or_clear(&mut self.to_sensor, other.to_sensor);
        append_or_clear(&mut self.intensity, other.intensity);
        self.points.append(&mut other.points);
        self.grid = None;
    }

    /// Replaces the common viewpoint by one direction per point, so that clouds with different viewpoints can be
    /// merged.
    fn replace_viewpoint_by_directions(&mut self) {
        if self.to_sensor.is_empty() && self.viewpoint.is_some() {
            self.to_sensor = (0..self.points.len())
                .map(|i| self.direction_to_sensor(i).unwrap_or_else(Vector::z).cast::<f32>().into())
                .collect();
        }
        self.viewpoint = None;
    }

    /// Transforms points, normals, sensor directions and viewpoint by `to_from_scan`.
    pub fn transform(&mut self, to_from_scan: &Pose) {
        self.points.iter_mut().for_each(|point| *point = to_from_scan * *point);
        for direction in self.normals.iter_mut().chain(&mut self.to_sensor) {
            *direction = (to_from_scan.rotation * vector(*direction)).cast::<f32>().into();
        }
        self.viewpoint = self.viewpoint.map(|viewpoint| to_from_scan * viewpoint);
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        (self.points.capacity() * size_of::<Point>()
            + (self.normals.capacity() + self.to_sensor.capacity()) * size_of::<[f32; 3]>()
            + self.intensity.capacity() * size_of::<f32>()
            + self.grid.as_ref().map_or(0, |grid| grid.cells.capacity() * size_of::<u32>())) as u64
    }
}

/// A stored f32 direction as an f64 vector.
#[inline]
pub fn vector(direction: [f32; 3]) -> Vector {
    Vector::new(f64::from(direction[0]), f64::from(direction[1]), f64::from(direction[2]))
}

/// Points ordered along a space-filling curve, so that neighbours in memory are mostly neighbours in space. Consecutive
/// queries then visit cached parts of a tree; the order remains useful after a rigid motion.
#[derive(Clone, Debug, Default)]
pub struct OrderedPoints {
    /// Points in order along the curve, mm.
    pub points: Vec<Point>,
    /// For each of `points`, its index in the original slice.
    pub numbers: Vec<u32>,
}

impl OrderedPoints {
    /// Orders `points` along the curve.
    pub fn new(points: &[Point]) -> Self {
        let numbers = morton::order(points);
        Self { points: numbers.par_iter().map(|&i| points[i as usize]).collect(), numbers }
    }

    /// Reorders `values`, one per ordered point, to the order of the original slice.
    pub fn scatter<T: Copy + Default>(&self, values: &[T]) -> Vec<T> {
        let mut out = vec![T::default(); values.len()];
        for (&index, &value) in self.numbers.iter().zip(values) {
            out[index as usize] = value;
        }
        out
    }
}
