//! Exact geometric predicates. A symbolic perturbation resolves cospherical points.

use robust::{Coord, Coord3D};

use super::super::Point;

fn coordinates(point: &Point) -> Coord3D<f64> {
    Coord3D { x: point.x, y: point.y, z: point.z }
}

/// Six times the signed volume of the tetrahedron `a`, `b`, `c`, `d`, with exact sign. Positive if `d` lies below the
/// plane through `a`, `b`, `c`, which are counter-clockwise seen from above.
pub fn orientation([a, b, c, d]: [&Point; 4]) -> f64 {
    robust::orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
}

/// Whether `e` lies inside the circumsphere of a tetrahedron of positive orientation. If all five points are
/// cospherical, the lifted coordinate of each is perturbed symbolically, by an amount that is infinitesimally smaller
/// the higher its `rank`. All ranks must differ.
pub fn is_in_sphere(corners: [&Point; 4], ranks: [u32; 4], e: &Point, rank: u32) -> bool {
    let [a, b, c, d] = corners;
    let inside = robust::insphere(coordinates(a), coordinates(b), coordinates(c), coordinates(d), coordinates(e));
    if inside != 0.0 {
        return inside > 0.0;
    }
    // The derivative of the determinant over rows (x, y, z, lift, 1) with respect to a lift is the cofactor of that
    // lift.
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

/// Whether three points are collinear, exactly.
pub fn are_collinear(a: &Point, b: &Point, c: &Point) -> bool {
    [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| {
        let projected = |point: &Point| Coord { x: point[i], y: point[j] };
        robust::orient2d(projected(a), projected(b), projected(c)) == 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_match_their_documentation() {
        let (o, x, y) = (Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0));
        let below = Point::new(0.0, 0.0, -1.0);
        assert!(orientation([&o, &x, &y, &below]) > 0.0);
        let inside = Point::new(0.2, 0.2, -0.2);
        assert!(is_in_sphere([&o, &x, &y, &below], [0, 1, 2, 3], &inside, 4));
        assert!(!is_in_sphere([&o, &x, &y, &below], [0, 1, 2, 3], &Point::new(3.0, 0.0, 0.0), 4));
        assert!(are_collinear(&o, &x, &Point::new(-7.0, 0.0, 0.0)) && !are_collinear(&o, &x, &y));
    }

    #[test]
    fn corners_of_a_cube_are_decided_independently_of_their_order() {
        let corner = |i: u32| Point::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let (a, b, c, d) = (corner(0), corner(1), corner(2), corner(4));
        let (tetrahedron, ranks) = if orientation([&a, &b, &c, &d]) > 0.0 {
            ([&a, &b, &c, &d], [0, 1, 2, 4])
        } else {
            ([&b, &a, &c, &d], [1, 0, 2, 4])
        };
        // An even permutation keeps the orientation and must give the same result.
        let permuted = [tetrahedron[1], tetrahedron[2], tetrahedron[0], tetrahedron[3]];
        let permuted_ranks = [ranks[1], ranks[2], ranks[0], ranks[3]];
        for other in [3, 5, 6, 7] {
            let e = corner(other);
            assert_eq!(is_in_sphere(tetrahedron, ranks, &e, other), is_in_sphere(permuted, permuted_ranks, &e, other));
        }
    }
}
