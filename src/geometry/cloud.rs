//! Measured points with whatever their file knows about them.

use rayon::prelude::*;

use super::{Aabb, Point, Pose, Vector, morton};

/// A measured point cloud, mm. Optional columns are empty or as long as `points`.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    /// Places, mm, in the scan's frame; every one finite.
    pub points: Vec<Point>,
    /// Unit normals; empty where unknown.
    pub normals: Vec<[f32; 3]>,
    /// Unit directions from the point to the sensor; empty where unknown.
    pub to_sensor: Vec<[f32; 3]>,
    /// Intensity as the file gives it; empty where unknown.
    pub intensity: Vec<f32>,
    /// Where the sensor stood, mm, where one place served all points.
    pub viewpoint: Option<Point>,
    /// The grid of an organised snapshot.
    pub grid: Option<SnapshotGrid>,
}

/// Which point each cell of an organised snapshot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotGrid {
    /// Cells in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Index of the point in each cell, row by row; `NO_POINT` where the sensor saw nothing.
    pub cells: Vec<u32>,
}

impl SnapshotGrid {
    /// Marks a cell in which the sensor saw nothing.
    pub const NO_POINT: u32 = u32::MAX;
}

impl Cloud {
    /// A cloud that knows nothing but its points.
    pub fn from_points(points: Vec<Point>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Box around all points, mm.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(&self.points)
    }

    /// Every length times `factor` (a change of unit).
    pub fn scale(&mut self, factor: f64) {
        if factor != 1.0 {
            self.points.iter_mut().for_each(|point| point.coords *= factor);
            self.viewpoint = self.viewpoint.map(|viewpoint| viewpoint * factor);
        }
    }

    /// The direction from point `index` to the sensor, where the file knows it.
    pub fn direction_to_sensor(&self, index: usize) -> Option<Vector> {
        if let Some(direction) = self.to_sensor.get(index) {
            return Some(vector(*direction));
        }
        let away = self.viewpoint? - self.points.get(index)?;
        (away.norm() > 0.0).then(|| away.normalize())
    }

    /// The points numbered `keep`, with their columns; the grid is dropped.
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

    /// Appends another snapshot of the same frame. A column survives only where both have it.
    pub fn append(&mut self, mut other: Self) {
        if other.points.is_empty() {
            return;
        }
        if self.points.is_empty() {
            *self = other;
            return;
        }
        if self.viewpoint != other.viewpoint {
            self.spell_out_directions();
            other.spell_out_directions();
        }
        fn join<T>(mine: &mut Vec<T>, mut theirs: Vec<T>) {
            if mine.is_empty() || theirs.is_empty() { *mine = Vec::new() } else { mine.append(&mut theirs) }
        }
        join(&mut self.normals, other.normals);
        join(&mut self.to_sensor, other.to_sensor);
        join(&mut self.intensity, other.intensity);
        self.points.append(&mut other.points);
        self.grid = None;
    }

    /// Replaces the one viewpoint by a direction per point, so that clouds of different viewpoints can be merged.
    fn spell_out_directions(&mut self) {
        if self.to_sensor.is_empty() && self.viewpoint.is_some() {
            self.to_sensor = (0..self.points.len())
                .map(|i| self.direction_to_sensor(i).unwrap_or_else(Vector::z).cast::<f32>().into())
                .collect();
        }
        self.viewpoint = None;
    }

    /// Moves points, normals and directions by `to_from_scan`.
    pub fn transform(&mut self, to_from_scan: &Pose) {
        self.points.iter_mut().for_each(|point| *point = to_from_scan * *point);
        for direction in self.normals.iter_mut().chain(&mut self.to_sensor) {
            *direction = (to_from_scan.rotation * vector(*direction)).cast::<f32>().into();
        }
        self.viewpoint = self.viewpoint.map(|viewpoint| to_from_scan * viewpoint);
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        (self.points.capacity() * size_of::<Point>()
            + (self.normals.capacity() + self.to_sensor.capacity()) * size_of::<[f32; 3]>()
            + self.intensity.capacity() * size_of::<f32>()
            + self.grid.as_ref().map_or(0, |grid| grid.cells.capacity() * size_of::<u32>())) as u64
    }
}

/// A stored direction as f64.
#[inline]
pub fn vector(direction: [f32; 3]) -> Vector {
    Vector::new(f64::from(direction[0]), f64::from(direction[1]), f64::from(direction[2]))
}

/// Points laid along a space-filling curve, so that neighbours in memory are neighbours in space. Searches over them
/// reuse what the previous query touched; a rigid motion keeps the order good.
#[derive(Clone, Debug, Default)]
pub struct OrderedPoints {
    /// The points along the curve, mm.
    pub points: Vec<Point>,
    /// For each of `points`, its number in the cloud.
    pub numbers: Vec<u32>,
}

impl OrderedPoints {
    /// Orders `points` along the curve.
    pub fn new(points: &[Point]) -> Self {
        let numbers = morton::order(points);
        Self { points: numbers.par_iter().map(|&i| points[i as usize]).collect(), numbers }
    }

    /// Puts `values`, one per ordered point, back into the cloud's own numbering.
    pub fn scatter<T: Copy + Default>(&self, values: &[T]) -> Vec<T> {
        let mut out = vec![T::default(); values.len()];
        for (&number, &value) in self.numbers.iter().zip(values) {
            out[number as usize] = value;
        }
        out
    }
}
