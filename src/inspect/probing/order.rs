//! Short paths through many points.

use geometry::Point;

/// Minimum saving of a change, mm: prevents endless changes by rounding.
const MIN_GAIN_MM: f64 = 1e-9;

/// Indices of `points` in the order of a short path that need not return: nearest neighbour, starting from the point
/// with minimum x, then reversal of sections as long as that shortens the path (2-opt; Croes, "A method for solving
/// traveling-salesman problems", 1958). The same points give the same order.
pub fn short_path(points: &[Point]) -> Vec<usize> {
    let mut path = nearest_neighbour_path(points);
    while shorten(points, &mut path) {}
    path
}

fn nearest_neighbour_path(points: &[Point]) -> Vec<usize> {
    let mut remaining: Vec<usize> = (0..points.len()).collect();
    // Ties go to the lowest index: `min_by` keeps the first, and the remaining indices stay in order.
    let by_x = |a: &usize, b: &usize| points[*a].x.total_cmp(&points[*b].x);
    let Some(first) = remaining.iter().copied().min_by(by_x) else { return Vec::new() };
    remaining.retain(|&own| own != first);
    let mut path = vec![first];
    let mut current = first;
    while !remaining.is_empty() {
        let distance = |own: &usize| (points[*own] - points[current]).norm_squared();
        let nearest =
            remaining.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(remaining[0]);
        remaining.retain(|&own| own != nearest);
        path.push(nearest);
        current = nearest;
    }
    path
}

/// Tries to reverse every section of the path once; returns whether any was reversed.
fn shorten(points: &[Point], path: &mut [usize]) -> bool {
    // There is no joint beyond either end.
    let length_between = |a: Option<usize>, b: usize| a.map_or(0.0, |a| (points[a] - points[b]).norm());
    let mut changed = false;
    for from in 0..path.len() {
        for to in from + 1..path.len() {
            let (before, after) = (from.checked_sub(1).map(|i| path[i]), path.get(to + 1).copied());
            let current = length_between(before, path[from]) + length_between(after, path[to]);
            let reversed = length_between(before, path[to]) + length_between(after, path[from]);
            if current - reversed > MIN_GAIN_MM {
                path[from..=to].reverse();
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn length(points: &[Point], path: &[usize]) -> f64 {
        path.windows(2).map(|pair| (points[pair[0]] - points[pair[1]]).norm()).sum()
    }

    /// Length of the shortest of all paths, by exhaustive search.
    fn shortest(points: &[Point], path: &mut Vec<usize>) -> f64 {
        if path.len() == points.len() {
            return length(points, path);
        }
        let mut best = f64::INFINITY;
        for next in 0..points.len() {
            if !path.contains(&next) {
                path.push(next);
                best = best.min(shortest(points, path));
                path.pop();
            }
        }
        best
    }

    #[test]
    fn paths_are_near_the_shortest_and_visit_all_once() {
        let mut random = Random::new(1, 8);
        let (mut sum, mut shortest_sum) = (0.0, 0.0);
        for _ in 0..60 {
            let points: Vec<Point> =
                (0..7).map(|_| Point::new(random.range(0.0, 100.0), random.range(0.0, 100.0), 0.0)).collect();
            let path = short_path(&points);
            assert_eq!(path, short_path(&points));
            let mut visited = path.clone();
            visited.sort_unstable();
            assert_eq!(visited, (0..7).collect::<Vec<_>>());
            let best = shortest(&points, &mut Vec::new());
            assert!(length(&points, &path) < 1.35 * best, "{} {best}", length(&points, &path));
            (sum, shortest_sum) = (sum + length(&points, &path), shortest_sum + best);
        }
        println!("ways are {:.3} times the shortest", sum / shortest_sum);
        assert!(sum < 1.05 * shortest_sum, "{sum} {shortest_sum}");
    }

    #[test]
    fn a_row_is_followed_and_no_points_give_no_path() {
        let points: Vec<Point> = [3, 0, 4, 1, 2].iter().map(|&x| Point::new(f64::from(x), 0.0, 0.0)).collect();
        assert_eq!(short_path(&points), [1, 3, 4, 0, 2]);
        assert!(short_path(&[]).is_empty());
        assert_eq!(short_path(&[Point::origin()]), [0]);
        assert_eq!(short_path(&[Point::origin(); 4]), [0, 1, 2, 3]);
    }
}
