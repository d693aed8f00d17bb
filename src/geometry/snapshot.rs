//! Facets over the grid of an organised snapshot.

use super::{Cloud, Mesh, SnapshotGrid};

/// Meshes an organised cloud: neighbouring cells become facets, except across jumps. `None` without a grid or facets.
///
/// An edge is a jump when it is longer than eight times the median edge of the grid: a slope of 83 degrees still joins.
pub fn mesh_of(cloud: &Cloud) -> Option<Mesh> {
    let grid = cloud.grid.as_ref()?;
    let longest = 8.0 * median_edge_mm(cloud, grid)?;
    let at = |column: u32, row: u32| {
        let cell = grid.cells.get((row as usize) * grid.width as usize + column as usize).copied();
        cell.filter(|&number| number != SnapshotGrid::NO_POINT)
    };
    let near = |a: u32, b: u32| (cloud.points[a as usize] - cloud.points[b as usize]).norm() <= longest;
    let mut facets = Vec::new();
    let mut push = |corners: [Option<u32>; 3]| {
        if let [Some(a), Some(b), Some(c)] = corners
            && near(a, b)
            && near(b, c)
            && near(c, a)
        {
            facets.push(facing_sensor(cloud, [a, b, c]));
        }
    };
    for row in 1..grid.height {
        for column in 1..grid.width {
            let (a, b, c, d) = (at(column - 1, row - 1), at(column, row - 1), at(column, row), at(column - 1, row));
            // Where a corner is missing, the other three may still make a facet.
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
        .filter(|pair| pair.iter().all(|&number| number != SnapshotGrid::NO_POINT))
        .map(|pair| (cloud.points[pair[0] as usize] - cloud.points[pair[1] as usize]).norm())
        .collect();
    if lengths.is_empty() {
        return None;
    }
    let middle = lengths.len() / 2;
    Some(*lengths.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Winds a facet so that its normal looks at the sensor, where the cloud knows where that is.
fn facing_sensor(cloud: &Cloud, [a, b, c]: [u32; 3]) -> [u32; 3] {
    let corners = [a, b, c].map(|number| cloud.points[number as usize]);
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
    fn a_snapshot_of_two_steps_is_meshed_but_not_across_the_step() {
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
        // 18 columns of quads of two facets each; the missing cell takes four quads, of which each keeps one facet.
        assert_eq!(mesh.facets.len(), 18 * 9 * 2 - 4);
        assert!((0..mesh.facets.len()).all(|facet| mesh.normal(facet).z > 0.99));
    }
}
