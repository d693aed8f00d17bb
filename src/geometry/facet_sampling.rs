//! Sampling of large facets of a scan given as a mesh, whose vertices alone do not cover the facets.

use super::{Cloud, Mesh, Point, Vector, triangle};

/// Number of points over the whole surface, which determines the spacing.
const SAMPLE_POINTS: f64 = 200_000.0;

/// Points added to a cloud by [`fill`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddedPoints {
    /// Number of points added.
    pub points: usize,
    /// Number of facets on which points were added.
    pub facets: usize,
    /// Spacing of the points, mm.
    pub spacing_mm: f64,
}

impl AddedPoints {
    /// Note for the report.
    pub fn sentence(&self) -> String {
        format!(
            "{} facets are larger than the point spacing needed for inspection: {} points were sampled on them, \
             {:.3} mm apart. Between the vertices of the mesh, deviations are those of its facets.",
            self.facets, self.points, self.spacing_mm
        )
    }
}

/// Adds points to `cloud`, which holds the vertices of `mesh`, on every facet with an edge longer than twice the
/// spacing. Returns `None` and leaves `cloud` unchanged if there is none. The spacing is that of 200 000 points spread
/// evenly over the whole surface. The cloud loses its sensor directions, intensities and grid.
pub fn fill(cloud: &mut Cloud, mesh: &Mesh) -> Option<AddedPoints> {
    let spacing_mm = (mesh.area_mm2() / SAMPLE_POINTS).sqrt();
    let mut added = AddedPoints { points: 0, facets: 0, spacing_mm };
    if !(spacing_mm > 0.0 && spacing_mm.is_finite()) {
        return None;
    }
    let mut samples: Vec<(Point, Vector)> = Vec::new();
    for facet in 0..mesh.facets.len() {
        let count_before = samples.len();
        let corners = mesh.corners(facet);
        let normal = triangle::normal(&corners);
        sample_facet(&corners, spacing_mm, |point| samples.push((point, normal)));
        added.facets += usize::from(samples.len() > count_before);
    }
    if samples.is_empty() {
        return None;
    }
    added.points = samples.len();
    if !cloud.normals.is_empty() {
        cloud.normals.extend(samples.iter().map(|(_, normal)| [normal.x as f32, normal.y as f32, normal.z as f32]));
    }
    cloud.points.extend(samples.into_iter().map(|(point, _)| point));
    // The file gives these columns for its vertices only.
    (cloud.to_sensor, cloud.intensity, cloud.grid) = (Vec::new(), Vec::new(), None);
    Some(added)
}

/// Calls `emit` with points in rows parallel to the longest edge, none on the edges, which other facets share. None if
/// that edge is at most two spacings long.
fn sample_facet(corners: &[Point; 3], spacing_mm: f64, mut emit: impl FnMut(Point)) {
    let length = |i: usize| (corners[(i + 1) % 3] - corners[i]).norm();
    let longest = (0..3).max_by(|&i, &j| length(i).total_cmp(&length(j))).unwrap_or(0);
    let base_mm = length(longest);
    if base_mm <= 2.0 * spacing_mm {
        return;
    }
    let (from, to, apex) = (corners[longest], corners[(longest + 1) % 3], corners[(longest + 2) % 3]);
    let height_mm = triangle::area_vector(corners).norm() / base_mm;
    let count = |mm: f64| (mm / spacing_mm).round().max(1.0);
    let row_count = count(height_mm);
    for row in 0..row_count as usize {
        let height_fraction = (row as f64 + 0.5) / row_count;
        let points_in_row = count(base_mm * (1.0 - height_fraction));
        for step in 0..points_in_row as usize {
            let base_fraction = (step as f64 + 0.5) / points_in_row * (1.0 - height_fraction);
            emit(from + (to - from) * base_fraction + (apex - from) * height_fraction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_box_is_sampled_evenly_on_its_faces() {
        let mesh = shapes::cuboid([0.0, 0.0, 0.0].into(), [60.0, 40.0, 20.0].into());
        let mut cloud = Cloud::from_points(mesh.vertices.clone());
        let added = fill(&mut cloud, &mesh).unwrap();
        assert_eq!((added.facets, added.points), (12, cloud.points.len() - 8));
        assert!((added.points as f64 / SAMPLE_POINTS - 1.0).abs() < 0.02, "{}", added.points);
        // Every point lies on a face, and each face has points in proportion to its area.
        let on_top = cloud.points.iter().filter(|point| (point.z - 20.0).abs() < 1e-9).count() as f64;
        let share = 60.0 * 40.0 / mesh.area_mm2();
        assert!((on_top / cloud.points.len() as f64 / share - 1.0).abs() < 0.02);
        let inside = |point: &Point| (0..3).all(|k| point[k] > -1e-9 && point[k] < [60.0, 40.0, 20.0][k] + 1e-9);
        assert!(cloud.points.iter().all(inside));
    }

    #[test]
    fn slivers_are_not_oversampled_and_dense_meshes_are_unchanged() {
        let mut count = 0;
        sample_facet(&[[0.0, 0.0, 0.0].into(), [100.0, 0.0, 0.0].into(), [50.0, 0.01, 0.0].into()], 0.5, |_| {
            count += 1
        });
        assert_eq!(count, 100);
        let sphere = shapes::sphere(10.0, 7);
        let mut cloud = Cloud::from_points(sphere.vertices.clone());
        assert_eq!(fill(&mut cloud, &sphere), None);
        assert_eq!(cloud.points.len(), sphere.vertices.len());
    }
}
