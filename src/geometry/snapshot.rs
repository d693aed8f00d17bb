//! Meshing of organised snapshots.

use super::{Cloud, Mesh, SnapshotGrid};

/// Meshes an organised cloud: neighbouring cells are joined by facets, except across depth discontinuities. `None` if
/// there is no grid, or no facet results. Facets face the sensor where its position or direction is known.
///
/// An edge is a discontinuity if it is longer than eight times the median edge along the grid rows, so slopes of up to
/// 83° are joined.
pub fn mesh_of(cloud: &Cloud) -> Option<Mesh> {
    let grid = cloud.grid.as_ref()?;
    let max_edge_mm = 8.0 * median_edge_mm(cloud, grid)?;
    let at = |column: u32, row: u32| {
        let cell = grid.cells.get((row as usize) * grid.width as usize + column as usize).copied();
        cell.filter(|&index| index != SnapshotGrid::NO_POINT)
    };
    let are_joined = |a: u32, b: u32| (cloud.points[a as usize] - cloud.points[b as usize]).norm() <= max_edge_mm;
    let mut facets = Vec::new();
    let mut push = |corners: [Option<u32>; 3]| {
        if let [Some(a), Some(b), Some(c)] = corners
            && are_joined(a, b)
            && are_joined(b, c)
            && are_joined(c, a)
        {
            facets.push(facing_sensor(cloud, [a, b, c]));
        }
    };
    for row in 1..grid.height {
        for column in 1..grid.width {
            let (a, b, c, d) = (at(column - 1, row - 1), at(column, row - 1), at(column, row), at(column - 1, row));
            // If one corner is missing, the other three may still form a facet.
            match (a, b, c, d) {
                (Some(_), _, Some(_), _) => {
                    push([a, b, c]);
                    push([a, c, d]);
                }
                _ => {
                    push([a, b, d]);
                    push([b, c, d]);
                }
            }
        }
    }
    let mesh = Mesh { vertices: cloud.points.clone(), facets, cad_faces: Vec::new() };
    let (mesh, _) = super::weld::clean(mesh);
    (!mesh.facets.is_empty()).then_some(mesh)
}

fn median_edge_mm(cloud: &Cloud, grid: &SnapshotGrid) -> Option<f64> {
    let mut lengths: Vec<f64> = grid
        .cells
        .chunks(grid.width.max(1) as usize)
        .flat_map(|row| row.windows(2))
        .filter(|pair| pair.iter().all(|&index| index != SnapshotGrid::NO_POINT))
        .map(|pair| (cloud.points[pair[0] as usize] - cloud.points[pair[1] as usize]).norm())
        .collect();
    if lengths.is_empty() {
        return None;
    }
    let median = lengths.len() / 2;
    Some(*lengths.select_nth_unstable_by(median, f64::total_cmp).1)
}

/// Winds a facet so that its normal points towards the sensor, if the direction to the sensor is known.
fn facing_sensor(cloud: &Cloud, [a, b, c]: [u32; 3]) -> [u32; 3] {
    let corners = [a, b, c].map(|index| cloud.points[index as usize]);
    let away = cloud
        .direction_to_sensor(a as usize)
        .is_some_and(|direction| direction.dot(&super::triangle::area_vector(&corners)) < 0.0);
    if away { [a, c, b] } else { [a, b, c] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

    #[test]
    fn a_snapshot_is_meshed_but_not_across_a_step() {
        let (width, height) = (20_u32, 10_u32);
        let mut cloud = Cloud { viewpoint: Some(Point::new(10.0, 5.0, 100.0)), ..Cloud::default() };
        let mut cells = Vec::new();
        for row in 0..height {
            for column in 0..width {
                if column == 3 && row == 3 {
                    cells.push(SnapshotGrid::NO_POINT);
                    continue;
                }
                cells.push(cloud.points.len() as u32);
                let z = if column < 10 { 0.0 } else { 20.0 };
                cloud.points.push(Point::new(f64::from(column), f64::from(row), z));
            }
        }
        cloud.grid = Some(SnapshotGrid { width, height, cells });
        let mesh = mesh_of(&cloud).unwrap();
        // 18 columns of quads of two facets each; the four quads at the missing cell keep one facet each.
        assert_eq!(mesh.facets.len(), 18 * 9 * 2 - 4);
        assert!((0..mesh.facets.len()).all(|facet| mesh.normal(facet).z > 0.99));
    }
}
