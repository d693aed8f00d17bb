//! Faces of many corners as triangles.

use earcut::Earcut;
use geometry::{Point, Vector};

/// Greatest share by which the areas of a face and of its triangles may differ.
const MAX_AREA_ERROR: f64 = 1e-9;

/// Divides faces into triangles by clipping ears in their planes (Held 2001; the `earcut` library).
pub struct Polygons {
    earcut: Earcut<f64>,
    clipped: Vec<u32>,
}

impl Polygons {
    pub fn new() -> Self {
        Self { earcut: Earcut::new(), clipped: Vec::new() }
    }

    /// Adds the triangles of a face, wound as it is, to `facets`; every corner is one of a triangle, so that faces side by side stay
    /// connected. False if the face crosses itself or is not flat enough to tell: its triangles then all meet in its first corner.
    /// Corners are indices of `vertices`; a face of fewer than three has no triangle.
    pub fn divide(&mut self, vertices: &[Point], corners: &[u32], facets: &mut Vec<[u32; 3]>) -> bool {
        let fan = |facets: &mut Vec<[u32; 3]>| {
            if let [first, rest @ ..] = corners {
                facets.extend(rest.iter().zip(rest.iter().skip(1)).map(|(second, third)| [*first, *second, *third]));
            }
        };
        if corners.len() <= 3 {
            fan(facets);
            return true;
        }
        let positions: Option<Vec<Point>> = corners.iter().map(|own| vertices.get(*own as usize).copied()).collect();
        let Some(flat) = positions.and_then(|positions| flattened(&positions)) else {
            fan(facets);
            return true;
        };
        if is_strictly_convex(&flat) {
            fan(facets);
            return true;
        }
        self.earcut.earcut_slice(&flat, &[], &mut self.clipped);
        let (area, doubled) = (ring_area(&flat), |triangle: &[u32; 3]| doubled_area(&flat, triangle));
        let mut triangles: Vec<[u32; 3]> = self.clipped.as_chunks::<3>().0.to_vec();
        let covered: f64 = triangles.iter().map(|own| doubled(own).abs()).sum::<f64>() / 2.0;
        let is_simple = (covered - area).abs() <= MAX_AREA_ERROR * area;
        if !is_simple {
            fan(facets);
            return false;
        }
        for triangle in &mut triangles {
            if doubled(triangle) < 0.0 {
                triangle.swap(1, 2);
            }
        }
        with_all_corners(&mut triangles, corners.len() as u32);
        let corner = |own: u32| corners.get(own as usize).copied().unwrap_or_default();
        facets.extend(triangles.into_iter().map(|triangle| triangle.map(corner)));
        true
    }
}

/// The positions in the plane of a face, counter-clockwise; `None` if it has no area.
fn flattened(positions: &[Point]) -> Option<Vec<[f64; 2]>> {
    let origin = *positions.first()?;
    let next = positions.iter().cycle().skip(1);
    let normal: Vector = positions.iter().zip(next).map(|(a, b)| (a - origin).cross(&(b - origin))).sum();
    let normal = normal.try_normalize(0.0)?;
    let u = normal.cross(&least_axis(&normal)).normalize();
    let v = normal.cross(&u);
    let flat: Vec<[f64; 2]> = positions.iter().map(|own| [(own - origin).dot(&u), (own - origin).dot(&v)]).collect();
    flat.iter().flatten().all(|own| own.is_finite()).then_some(flat)
}

fn least_axis(normal: &Vector) -> Vector {
    let size = normal.abs();
    if size.x <= size.y && size.x <= size.z {
        Vector::x()
    } else if size.y <= size.z {
        Vector::y()
    } else {
        Vector::z()
    }
}

fn doubled_area(flat: &[[f64; 2]], triangle: &[u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|own| flat.get(own as usize).copied().unwrap_or_default());
    turn(a, b, c)
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let ([ax, ay], [bx, by], [cx, cy]) = (a, b, c);
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

fn ring_area(flat: &[[f64; 2]]) -> f64 {
    let next = flat.iter().cycle().skip(1);
    flat.iter().zip(next).map(|([ax, ay], [bx, by])| ax * by - ay * bx).sum::<f64>() / 2.0
}

/// Whether the ring turns left by more than rounding at each corner, once around.
fn is_strictly_convex(flat: &[[f64; 2]]) -> bool {
    let area = ring_area(flat);
    let second = flat.iter().cycle().skip(1);
    let third = flat.iter().cycle().skip(2);
    let mut turns = flat.iter().zip(second.clone()).zip(third).map(|((a, b), c)| turn(*a, *b, *c));
    let is_left = turns.all(|own| own > 1e-12 * area);
    // A star turns left everywhere, but more than once around.
    let signs = flat.iter().zip(second).map(|(a, b)| b[1] > a[1]);
    let changes = signs.clone().zip(signs.cycle().skip(1)).take(flat.len()).filter(|(a, b)| a != b).count();
    is_left && changes <= 2
}

/// Corners on a straight line are no ears: the triangles on whose edges they lie are divided there.
fn with_all_corners(triangles: &mut Vec<[u32; 3]>, count: u32) {
    let mut is_used = vec![false; count as usize];
    for corner in triangles.iter().flatten() {
        if let Some(used) = is_used.get_mut(*corner as usize) {
            *used = true;
        }
    }
    if is_used.iter().all(|used| *used) {
        return;
    }
    let is_free = |corner: u32| !is_used.get(corner as usize).copied().unwrap_or(true);
    // The free corners that follow one along the ring, and the used one behind them.
    let gap = |from: u32| {
        let free: Vec<u32> = (1..count).map(|step| (from + step) % count).take_while(|own| is_free(*own)).collect();
        let end = (from + free.len() as u32 + 1) % count;
        (free, end)
    };
    let mut pending = std::mem::take(triangles);
    while let Some(triangle) = pending.pop() {
        let turned = |start: usize| {
            let [a, b, c] = triangle;
            [[a, b, c], [b, c, a], [c, a, b]].get(start).copied().unwrap_or(triangle)
        };
        let divided = (0..3).map(turned).find_map(|[a, b, c]| {
            let (free, end) = gap(a);
            (is_used.get(a as usize) == Some(&true) && end == b && !free.is_empty()).then_some((a, b, c, free))
        });
        let Some((a, b, c, free)) = divided else {
            triangles.push(triangle);
            continue;
        };
        let mut before = a;
        for corner in free.into_iter().chain([b]) {
            pending.push([before, corner, c]);
            before = corner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Mesh;

    fn area(vertices: &[Point], facets: &[[u32; 3]]) -> f64 {
        Mesh { vertices: vertices.to_vec(), facets: facets.to_vec(), cad_faces: Vec::new() }.area_mm2()
    }

    /// A simple polygon: points by their angle about the origin, at any distance, in a plane of any position.
    fn star(random: &mut Random, count: usize) -> (Vec<Point>, f64) {
        let flat: Vec<[f64; 2]> = (0..count)
            .map(|index| {
                let angle = std::f64::consts::TAU * (index as f64 + 0.9 * random.uniform()) / count as f64;
                let radius = 1.0 + 9.0 * random.uniform();
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect();
        let expected = ring_area(&flat);
        let (rotation, shift) = (random.rotation(), 100.0 * random.uniform());
        let place = |own: &[f64; 2]| Point::from(rotation * Vector::new(own[0], own[1], 0.0)) + Vector::repeat(shift);
        (flat.iter().map(place).collect(), expected)
    }

    #[test]
    fn a_thousand_simple_polygons_keep_their_areas() {
        let mut random = Random::new(59, 2);
        let mut polygons = Polygons::new();
        for number in 0..1000 {
            let (vertices, expected) = star(&mut random, 4 + number % 60);
            let corners: Vec<u32> = (0..vertices.len() as u32).collect();
            let mut facets = Vec::new();
            let is_simple = polygons.divide(&vertices, &corners, &mut facets);
            let found = area(&vertices, &facets);
            assert!(is_simple && (found / expected - 1.0).abs() < 1e-12, "{number}: {found} for {expected}");
            assert_eq!(facets.len(), vertices.len() - 2);
        }
    }

    #[test]
    fn corners_on_straight_edges_stay_corners() {
        // A U whose edges are divided, as faces beside it need.
        let flat = [
            (0, 0),
            (5, 0),
            (10, 0),
            (20, 0),
            (30, 0),
            (30, 15),
            (30, 30),
            (20, 30),
            (20, 20),
            (20, 10),
            (15, 10),
            (10, 10),
            (10, 30),
            (0, 30),
            (0, 20),
            (0, 1),
        ];
        let vertices: Vec<Point> = flat.iter().map(|(x, y)| Point::new(f64::from(*x), f64::from(*y), 7.0)).collect();
        for start in 0..flat.len() {
            let mut corners: Vec<u32> = (0..flat.len() as u32).collect();
            corners.rotate_left(start);
            for turned in [false, true] {
                if turned {
                    corners.reverse();
                }
                let mut facets = Vec::new();
                assert!(Polygons::new().divide(&vertices, &corners, &mut facets));
                assert!((area(&vertices, &facets) - 700.0).abs() < 1e-9, "{start}");
                assert_eq!(facets.len(), flat.len() - 2, "{start}, {turned}: {facets:?}");
                let normal = |own: &[u32; 3]| {
                    let [a, b, c] = own.map(|corner| vertices[corner as usize]);
                    (b - a).cross(&(c - a)).z
                };
                assert!(facets.iter().all(|own| (normal(own) > 0.0) != turned));
            }
        }
    }

    #[test]
    fn a_face_that_crosses_itself_is_told() {
        let vertices = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 1.0)].map(|(x, y)| Point::new(x, y, 0.0));
        let mut facets = Vec::new();
        assert!(!Polygons::new().divide(&vertices, &[0, 1, 2, 3], &mut facets));
        assert_eq!(facets.len(), 2);
    }

    #[test]
    fn a_face_of_fifty_thousand_corners_takes_no_time() {
        let (vertices, expected) = star(&mut Random::new(59, 3), 50_000);
        let corners: Vec<u32> = (0..vertices.len() as u32).collect();
        let mut facets = Vec::new();
        Polygons::new().divide(&vertices, &corners, &mut facets);
        assert!((area(&vertices, &facets) / expected - 1.0).abs() < 1e-9);
    }
}
