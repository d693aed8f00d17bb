//! Exact predicates with a symbolic perturbation, so that no four points lie on one circle and no five on one sphere.

use robust::{Coord, Coord3D};

use super::super::Point;

fn coordinates(point: &Point) -> Coord3D<f64> {
    Coord3D { x: point.x, y: point.y, z: point.z }
}

/// Six times the volume of a tetrahedron but for rounding; its sign is exact. Positive where `d` lies below the plane
/// in which `a`, `b`, `c` turn counter-clockwise as seen from above.
pub fn orientation([a, b, c, d]: [&Point; 4]) -> f64 {
    robust::orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
}

/// Whether `e` lies inside the sphere through a tetrahedron of positive orientation. Where all five lie on one sphere,
/// each is lifted by an amount of its own that is vanishingly smaller the higher its `rank`; all ranks differ.
pub fn is_in_sphere(corners: [&Point; 4], ranks: [u32; 4], e: &Point, rank: u32) -> bool {
    let [a, b, c, d] = corners;
    let inside = robust::insphere(coordinates(a), coordinates(b), coordinates(c), coordinates(d), coordinates(e));
    if inside != 0.0 {
        return inside > 0.0;
    }
    // The determinant over rows (x, y, z, lift, 1) grows with a lift by the cofactor of that lift.
    let rows = [a, b, c, d, e];
    let mut order = [0, 1, 2, 3, 4];
    order.sort_unstable_by_key(|&row| ranks.get(row).copied().unwrap_or(rank));
    for row in order {
        let others: [usize; 4] = std::array::from_fn(|i| if i < row { i } else { i + 1 });
        let cofactor = orientation(others.map(|i| rows[i]));
        if cofactor != 0.0 {
            return (cofactor < 0.0) == (row % 2 == 0);
        }
    }
    false
}

/// Whether three points lie on one line, exactly.
pub fn are_collinear(a: &Point, b: &Point, c: &Point) -> bool {
    [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| {
        let flat = |point: &Point| Coord { x: point[i], y: point[j] };
        robust::orient2d(flat(a), flat(b), flat(c)) == 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_as_described() {
        let (o, x, y) = (Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0));
        let below = Point::new(0.0, 0.0, -1.0);
        assert!(orientation([&o, &x, &y, &below]) > 0.0);
        let inside = Point::new(0.2, 0.2, -0.2);
        assert!(is_in_sphere([&o, &x, &y, &below], [0, 1, 2, 3], &inside, 4));
        assert!(!is_in_sphere([&o, &x, &y, &below], [0, 1, 2, 3], &Point::new(3.0, 0.0, 0.0), 4));
        assert!(are_collinear(&o, &x, &Point::new(-7.0, 0.0, 0.0)) && !are_collinear(&o, &x, &y));
    }

    #[test]
    fn corners_of_a_cube_are_decided_whatever_their_order() {
        let corner = |i: u32| Point::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let (a, b, c, d) = (corner(0), corner(1), corner(2), corner(4));
        let (tetrahedron, ranks) = if orientation([&a, &b, &c, &d]) > 0.0 {
            ([&a, &b, &c, &d], [0, 1, 2, 4])
        } else {
            ([&b, &a, &c, &d], [1, 0, 2, 4])
        };
        // An even permutation keeps the orientation, and must keep the answer.
        let turned = [tetrahedron[1], tetrahedron[2], tetrahedron[0], tetrahedron[3]];
        let turned_ranks = [ranks[1], ranks[2], ranks[0], ranks[3]];
        for other in [3, 5, 6, 7] {
            let e = corner(other);
            assert_eq!(is_in_sphere(tetrahedron, ranks, &e, other), is_in_sphere(turned, turned_ranks, &e, other));
        }
    }
}
