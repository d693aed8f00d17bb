//! Points on the large facets of a scan that comes as a mesh: its vertices alone say nothing of what lies between them.

use super::{Cloud, Mesh, Point, Vector, triangle};

/// Points that a surface of such facets alone is given.
const POINTS: f64 = 200_000.0;

/// What was added to a cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Added {
    /// Points.
    pub points: usize,
    /// Facets that they lie on.
    pub facets: usize,
    /// Distance of neighbours, mm.
    pub spacing_mm: f64,
}

impl Added {
    /// As a sentence for the report.
    pub fn sentence(&self) -> String {
        format!(
            "{} facets are larger than the spacing of points that an inspection needs: {} points were placed on them, \
             {:.3} mm apart. Deviations between the mesh's vertices are those of its facets.",
            self.facets, self.points, self.spacing_mm
        )
    }
}

/// Adds points to `cloud`, the vertices of `mesh`, wherever a facet has an edge longer than two spacings; `None` where
/// none is. The spacing is that of 200 000 points spread over the whole surface.
pub fn fill(cloud: &mut Cloud, mesh: &Mesh) -> Option<Added> {
    let spacing_mm = (mesh.area_mm2() / POINTS).sqrt();
    let mut added = Added { points: 0, facets: 0, spacing_mm };
    if !(spacing_mm > 0.0 && spacing_mm.is_finite()) {
        return None;
    }
    let mut fresh: Vec<(Point, Vector)> = Vec::new();
    for facet in 0..mesh.facets.len() {
        let before = fresh.len();
        let corners = mesh.corners(facet);
        let normal = triangle::normal(&corners);
        rows(&corners, spacing_mm, |point| fresh.push((point, normal)));
        added.facets += usize::from(fresh.len() > before);
    }
    if fresh.is_empty() {
        return None;
    }
    added.points = fresh.len();
    if !cloud.normals.is_empty() {
        cloud.normals.extend(fresh.iter().map(|(_, normal)| [normal.x as f32, normal.y as f32, normal.z as f32]));
    }
    cloud.points.extend(fresh.into_iter().map(|(point, _)| point));
    // What the file knows of its vertices it does not know of these.
    (cloud.to_sensor, cloud.intensity, cloud.grid) = (Vec::new(), Vec::new(), None);
    Some(added)
}

/// Points in rows along the longest edge, none on the edges themselves, which other facets share.
fn rows(corners: &[Point; 3], spacing_mm: f64, mut place: impl FnMut(Point)) {
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
        let up = (row as f64 + 0.5) / row_count;
        let in_row = count(base_mm * (1.0 - up));
        for step in 0..in_row as usize {
            let along = (step as f64 + 0.5) / in_row * (1.0 - up);
            place(from + (to - from) * along + (apex - from) * up);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_box_gets_an_even_layer_on_its_faces() {
        let mesh = shapes::cuboid([0.0, 0.0, 0.0].into(), [60.0, 40.0, 20.0].into());
        let mut cloud = Cloud::from_points(mesh.vertices.clone());
        let added = fill(&mut cloud, &mesh).unwrap();
        assert_eq!((added.facets, added.points), (12, cloud.points.len() - 8));
        assert!((added.points as f64 / POINTS - 1.0).abs() < 0.02, "{}", added.points);
        // Every point on a face, and every face in proportion to its area.
        let on_top = cloud.points.iter().filter(|point| (point.z - 20.0).abs() < 1e-9).count() as f64;
        let share = 60.0 * 40.0 / mesh.area_mm2();
        assert!((on_top / cloud.points.len() as f64 / share - 1.0).abs() < 0.02);
        let inside = |point: &Point| (0..3).all(|k| point[k] > -1e-9 && point[k] < [60.0, 40.0, 20.0][k] + 1e-9);
        assert!(cloud.points.iter().all(inside));
    }

    #[test]
    fn slivers_are_not_overcrowded_and_dense_meshes_stay_as_they_are() {
        let mut places = 0;
        rows(&[[0.0, 0.0, 0.0].into(), [100.0, 0.0, 0.0].into(), [50.0, 0.01, 0.0].into()], 0.5, |_| places += 1);
        assert_eq!(places, 100);
        let sphere = shapes::sphere(10.0, 7);
        let mut cloud = Cloud::from_points(sphere.vertices.clone());
        assert_eq!(fill(&mut cloud, &sphere), None);
        assert_eq!(cloud.points.len(), sphere.vertices.len());
    }
}
