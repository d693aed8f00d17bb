//! Where the sensor of a scan stood, if its file does not say: the one position from which all points are seen, and from
//! which nothing is seen that was not measured.

use rayon::prelude::*;

use geometry::{Point, Vector, thinning, transform};

/// Points that positions are judged by, about.
const POINTS: f64 = 16_000.0;
/// Edge of a pixel, and how much farther than the nearest point of its pixel a point may be to count as seen, in spacings.
const PIXEL: f64 = 2.0;
const DEPTH: f64 = 4.0;
/// Directions that are tried at first, and how far the sensor is assumed to stand then, in radii of the scene.
const DIRECTIONS: usize = 400;
const FIRST_DISTANCE: f64 = 5.0;
/// Directions that are followed up, and the steps by which they are: angles, rad, and factors of the distance.
const FOLLOWED: usize = 4;
const STEPS: [(f64, f64); 6] = [(0.12, 1.6), (0.06, 1.3), (0.03, 1.15), (0.015, 1.08), (0.008, 1.04), (0.004, 1.02)];
/// The nearest and farthest positions, in radii of the scene.
const DISTANCES: [f64; 2] = [1.2, 60.0];
/// Least score of the position, and by how much it must be above those of others from elsewhere (60° and more away).
const MIN_SCORE: f64 = 0.9;
const MIN_LEAD: f64 = 0.02;
const MIN_COSINE_ELSEWHERE: f64 = 0.5;

/// The position of the sensor of a scan from one side, whose points have a spacing; `None` if it cannot be told.
pub fn of_single_scan(points: &[Point], spacing_mm: f64) -> Option<Point> {
    let cell_mm = spacing_mm * (points.len() as f64 / POINTS).sqrt().max(1.0);
    let kept = thinning::one_per_cell(points, cell_mm);
    let points: Vec<Point> = kept.iter().map(|&index| points[index as usize]).collect();
    let centre = Point::from(points.iter().map(|own| own.coords).sum::<Vector>() / points.len().max(1) as f64);
    let radius_mm = points.iter().map(|own| (own - centre).norm()).fold(0.0, f64::max);
    if !(radius_mm > 0.0 && cell_mm > 0.0) {
        return None;
    }
    let judged = |position: Vector| (score(&points, &centre, &position, cell_mm), position);
    let better = |a: &(f64, Vector), b: &(f64, Vector)| b.0.total_cmp(&a.0);
    let first = (0..DIRECTIONS).into_par_iter().map(|index| judged(direction(index) * FIRST_DISTANCE * radius_mm));
    let mut first: Vec<(f64, Vector)> = first.collect();
    first.sort_by(better);
    let followed = first.par_iter().take(FOLLOWED).map(|start| follow(*start, &judged, radius_mm));
    let best = followed.min_by(better)?;
    let is_elsewhere = |other: &Vector| other.normalize().dot(&best.1.normalize()) < MIN_COSINE_ELSEWHERE;
    let elsewhere: Vec<(f64, Vector)> =
        first.into_iter().filter(|(_, other)| is_elsewhere(other)).take(FOLLOWED).collect();
    let elsewhere = elsewhere.par_iter().map(|start| follow(*start, &judged, radius_mm)).min_by(better)?;
    (best.0 >= MIN_SCORE && best.0 - elsewhere.0 >= MIN_LEAD).then(|| centre + best.1)
}

/// Directions spread evenly over the sphere.
fn direction(index: usize) -> Vector {
    let z = 1.0 - (2.0 * index as f64 + 1.0) / DIRECTIONS as f64;
    let (v, u) = (index as f64 * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt())).sin_cos();
    let across = (1.0 - z * z).sqrt();
    Vector::new(across * u, across * v, z)
}

/// Climbs from a position to the best near it.
fn follow(start: (f64, Vector), judged: &impl Fn(Vector) -> (f64, Vector), radius_mm: f64) -> (f64, Vector) {
    let mut best = start;
    for (angle, factor) in STEPS {
        for _ in 0..4 {
            let before = best.0;
            let at = best.1;
            let [right, down] = transform::perpendicular_axes(&at.normalize()).map(|axis| axis * angle * at.norm());
            let moved = [at + right, at - right, at + down, at - down, at * factor, at / factor];
            for position in moved {
                let distance = position.norm() / radius_mm;
                if (DISTANCES[0]..DISTANCES[1]).contains(&distance) {
                    let own = judged(position);
                    best = if own.0 > best.0 { own } else { best };
                }
            }
            if best.0 <= before {
                break;
            }
        }
    }
    best
}

/// Share of the points that are seen from a position relative to the centre, less the share of what is seen between them that
/// holds no point.
fn score(points: &[Point], centre: &Point, position: &Vector, cell_mm: f64) -> f64 {
    let (sensor, forward) = (centre + position, -position.normalize());
    let axes = transform::perpendicular_axes(&forward);
    let pixel = PIXEL * cell_mm / position.norm();
    let mut rays: Vec<([i32; 2], f64)> = Vec::with_capacity(points.len());
    for point in points {
        let away = point - sensor;
        let depth = away.dot(&forward);
        if depth <= 0.0 {
            return f64::NEG_INFINITY;
        }
        rays.push((axes.map(|axis| (away.dot(&axis) / depth / pixel).floor() as i32), away.norm()));
    }
    let low = [0, 1].map(|axis| rays.iter().map(|own| own.0[axis]).min().unwrap_or_default());
    let size =
        [0, 1].map(|axis| (rays.iter().map(|own| own.0[axis]).max().unwrap_or_default() - low[axis]) as usize + 1);
    if size[0].saturating_mul(size[1]) > 64 * points.len() {
        return f64::NEG_INFINITY;
    }
    let index = |at: [i32; 2]| (at[1] - low[1]) as usize * size[0] + (at[0] - low[0]) as usize;
    let mut nearest = vec![f64::INFINITY; size[0] * size[1]];
    for (at, range) in &rays {
        let own = &mut nearest[index(*at)];
        *own = own.min(*range);
    }
    let seen = rays.iter().filter(|(at, range)| *range < nearest[index(*at)] + DEPTH * cell_mm).count();
    // Between the first and the last of its row, and of its column.
    let is_filled = |x: usize, y: usize| nearest[y * size[0] + x].is_finite();
    let ends = |filled: &mut dyn Iterator<Item = usize>| filled.fold((usize::MAX, 0), |ends, at| (ends.0.min(at), at));
    let rows: Vec<(usize, usize)> =
        (0..size[1]).map(|y| ends(&mut (0..size[0]).filter(|&x| is_filled(x, y)))).collect();
    let columns: Vec<(usize, usize)> =
        (0..size[0]).map(|x| ends(&mut (0..size[1]).filter(|&y| is_filled(x, y)))).collect();
    let (mut between, mut empty) = (0_usize, 0_usize);
    for (y, row) in rows.iter().enumerate() {
        for (x, column) in columns.iter().enumerate() {
            if row.0 <= x && x <= row.1 && column.0 <= y && y <= column.1 {
                between += 1;
                empty += usize::from(!is_filled(x, y));
            }
        }
    }
    seen as f64 / points.len() as f64 - empty as f64 / between.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::pile;
    use base::Progress;
    use base::random::Random;
    use geometry::mesh::shapes;
    use geometry::{KdTree, Surface, sampling};

    fn position(points: &[Point]) -> Option<Point> {
        of_single_scan(points, thinning::spacing_mm(&KdTree::new(points), points))
    }

    fn stepped() -> Surface {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 30.0, 10.0));
        mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 9.0), Point::new(20.0, 30.0, 25.0)));
        Surface::new(mesh)
    }

    #[test]
    fn the_sensor_of_a_pile_is_found_by_what_hides_what() {
        let (stepped, ring) = (stepped(), Surface::new(shapes::torus(18.0, 6.0, 64, 32)));
        for seed in 0..6 {
            let parameters = pile::Parameters::for_parts(5, 60.0, seed);
            let truth = pile::run(&[&stepped, &ring], &[0, 1, 0, 1, 0], &parameters, &Progress::silent()).unwrap();
            // Anywhere in any direction.
            let turned = Random::new(seed, 1).rotation();
            let points: Vec<Point> = truth.cloud.points.iter().map(|own| turned * own).collect();
            let viewpoint = turned * truth.cloud.viewpoint.unwrap();
            let found = position(&points).unwrap_or_else(|| panic!("none in pile {seed}"));
            let centre = Point::from(points.iter().map(|own| own.coords).sum::<Vector>() / points.len() as f64);
            let off_deg = (found - centre).angle(&(viewpoint - centre)).to_degrees();
            assert!(off_deg < 12.0, "{seed}: {off_deg}");
        }
    }

    #[test]
    fn a_part_seen_from_all_sides_a_shell_and_nothing_have_no_sensor() {
        let all: Vec<Point> = sampling::by_area(stepped().mesh(), 20_000, 1).iter().map(|own| own.point).collect();
        assert_eq!(position(&all), None);
        // A cap looks the same from within.
        let sphere = sampling::by_area(&shapes::sphere(20.0, 5), 20_000, 1);
        let cap: Vec<Point> = sphere.iter().map(|own| own.point).filter(|own| own.z > 8.0).collect();
        assert_eq!(position(&cap), None);
        assert_eq!(of_single_scan(&[], 0.0), None);
        assert_eq!(of_single_scan(&[Point::origin(); 60], 0.0), None);
    }

    #[test]
    fn a_part_seen_alone_is_not_taken_to_be_seen_from_behind() {
        let samples = sampling::by_area(stepped().mesh(), 30_000, 3);
        let mut random = Random::new(8, 0);
        for _ in 0..12 {
            let direction = random.rotation() * Vector::z();
            let seen = samples.iter().filter(|own| own.normal.dot(&direction) > 0.2);
            let points: Vec<Point> = seen.map(|own| own.point).collect();
            let centre = Point::from(points.iter().map(|own| own.coords).sum::<Vector>() / points.len() as f64);
            let found = position(&points);
            assert!(
                found.is_none_or(|own| (own - centre).normalize().dot(&direction) > 0.5),
                "{direction:?} {found:?}"
            );
        }
    }
}
