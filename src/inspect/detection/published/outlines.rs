//! Outlines of a part: from each of 66 sides, where its range jumps.

use rayon::prelude::*;

use super::super::features::directions;
use super::super::model::PartModel;
use geometry::{KdTree, Point, Vector, transform};

/// Rays along the diameter of the part.
const RAYS: usize = 56;
/// Least jump of the range between neighbouring rays, in their spacings: a steep face is no outline.
const MIN_JUMP: f64 = 3.0;
/// Most points of an outline.
const MAX_POINTS: usize = 200;

/// Outlines of a part.
pub struct Outlines {
    /// Directions towards the sensor, part frame.
    directions: Vec<Vector>,
    /// By direction: points of the outline, part frame, mm.
    points: Vec<Vec<Point>>,
    /// By direction and probe of the part: its distance from the outline, mm.
    distances_mm: Vec<Vec<f64>>,
}

impl Outlines {
    /// Those of a part.
    pub fn new(model: &PartModel<'_>) -> Self {
        let directions = directions();
        let points: Vec<Vec<Point>> = directions.par_iter().map(|direction| of_side(model, direction)).collect();
        let distances_mm = points.par_iter().map(|outline| {
            let tree = KdTree::new(outline);
            let distance_mm = |point: &Point| {
                tree.nearest(point, model.diameter_mm).map_or(model.diameter_mm, |own| own.squared_mm2.sqrt())
            };
            model.probes.points.iter().map(|probe| distance_mm(&probe.point)).collect()
        });
        Self { distances_mm: distances_mm.collect(), directions, points }
    }

    /// The outline seen from nearest to a direction towards the sensor, part frame, and the distance of each probe from it, mm.
    pub fn towards(&self, direction: &Vector) -> (&[Point], &[f64]) {
        let sides = self.directions.iter().zip(self.points.iter().zip(&self.distances_mm));
        let nearest = sides.max_by(|(a, _), (b, _)| a.dot(direction).total_cmp(&b.dot(direction)));
        nearest.map_or((&[], &[]), |(_, (points, distances_mm))| (points, distances_mm))
    }
}

/// The outline of a part from far in one direction.
fn of_side(model: &PartModel<'_>, direction: &Vector) -> Vec<Point> {
    let [right, down] = transform::perpendicular_axes(direction);
    let step_mm = model.diameter_mm / (RAYS - 2) as f64;
    let from_middle_mm = |index: usize| (index as f64 - 0.5 * (RAYS - 1) as f64) * step_mm;
    let far_mm = 2.0 * model.diameter_mm;
    let range_mm = |row: usize, column: usize| {
        let across = right * from_middle_mm(column) + down * from_middle_mm(row);
        let from = model.centre() + across + direction * far_mm;
        let hit = model.surface.first_hit(&from, &-direction, 0.0, 2.0 * far_mm)?;
        Some((hit.t, from - direction * hit.t))
    };
    let seen: Vec<Option<(f64, Point)>> = (0..RAYS * RAYS).map(|index| range_mm(index / RAYS, index % RAYS)).collect();
    let is_on_outline = |index: usize, range_mm: f64| {
        let (row, column) = (index / RAYS, index % RAYS);
        let is_farther = |row: usize, column: usize| match seen.get(row * RAYS + column).filter(|_| column < RAYS) {
            Some(Some((other_mm, _))) => other_mm - range_mm > MIN_JUMP * step_mm,
            _ => true,
        };
        [(row + 1, column), (row.wrapping_sub(1), column), (row, column + 1), (row, column.wrapping_sub(1))]
            .into_iter()
            .any(|(row, column)| row >= RAYS || is_farther(row, column))
    };
    let outline = seen.iter().enumerate().filter_map(|(index, own)| own.map(|own| (index, own)));
    let outline: Vec<Point> = outline
        .filter(|(index, (range_mm, _))| is_on_outline(*index, *range_mm))
        .map(|(_, (_, point))| point)
        .collect();
    let stride = outline.len().div_ceil(MAX_POINTS).max(1);
    outline.into_iter().step_by(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Surface;
    use geometry::mesh::shapes;

    #[test]
    fn the_outline_of_a_box_is_its_silhouette() {
        let surface = Surface::new(shapes::cuboid(Point::new(-10.0, -10.0, -10.0), Point::new(10.0, 10.0, 10.0)));
        let model = PartModel::new("box", &surface).unwrap();
        let outlines = Outlines::new(&model);
        let (points, distances_mm) = outlines.towards(&Vector::z());
        let ray_mm = model.diameter_mm / (RAYS - 2) as f64;
        assert!(points.len() > 50 && distances_mm.len() == model.probes.points.len());
        for point in points {
            let from_rim_mm = 10.0 - point.x.abs().max(point.y.abs());
            assert!(from_rim_mm < ray_mm && (point.z - 10.0).abs() < 1e-9, "{point}");
        }
        for (probe, distance_mm) in model.probes.points.iter().zip(distances_mm) {
            let on_top = (probe.point.z - 10.0).abs() < 1e-9;
            let from_rim_mm = 10.0 - probe.point.x.abs().max(probe.point.y.abs());
            assert!(!on_top || (distance_mm - from_rim_mm).abs() < 2.0 * ray_mm, "{distance_mm} {from_rim_mm}");
        }
    }
}
