//! Short ways over many places.

use geometry::Point;

/// What a change must save to be made, mm: rounding saves nothing.
const LEAST_GAIN_MM: f64 = 1e-9;

/// The numbers of `places` in an order of short way that need not return: the nearest next, from the place of least x,
/// then parts turned round as long as that shortens the way (2-opt; Croes, "A method for solving traveling-salesman
/// problems", 1958). The same places give the same order.
pub fn short_way(places: &[Point]) -> Vec<usize> {
    let mut way = nearest_next(places);
    while shortened(places, &mut way) {}
    way
}

fn nearest_next(places: &[Point]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..places.len()).collect();
    // Ties go to the lowest number: `min_by` keeps the first, and what is left stays in order.
    let by_x = |a: &usize, b: &usize| places[*a].x.total_cmp(&places[*b].x);
    let Some(first) = left.iter().copied().min_by(by_x) else { return Vec::new() };
    left.retain(|&own| own != first);
    let mut way = vec![first];
    let mut here = first;
    while !left.is_empty() {
        let distance = |own: &usize| (places[*own] - places[here]).norm_squared();
        let nearest = left.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(left[0]);
        left.retain(|&own| own != nearest);
        way.push(nearest);
        here = nearest;
    }
    way
}

/// Goes once over all parts of the way; whether any was turned round.
fn shortened(places: &[Point], way: &mut [usize]) -> bool {
    // Beyond either end nothing is joined.
    let joint = |a: Option<usize>, b: usize| a.map_or(0.0, |a| (places[a] - places[b]).norm());
    let mut is_shorter = false;
    for from in 0..way.len() {
        for to in from + 1..way.len() {
            let (before, after) = (from.checked_sub(1).map(|i| way[i]), way.get(to + 1).copied());
            let now = joint(before, way[from]) + joint(after, way[to]);
            let turned = joint(before, way[to]) + joint(after, way[from]);
            if now - turned > LEAST_GAIN_MM {
                way[from..=to].reverse();
                is_shorter = true;
            }
        }
    }
    is_shorter
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn length(places: &[Point], way: &[usize]) -> f64 {
        way.windows(2).map(|pair| (places[pair[0]] - places[pair[1]]).norm()).sum()
    }

    /// The shortest of all ways, by trying all.
    fn shortest(places: &[Point], way: &mut Vec<usize>) -> f64 {
        if way.len() == places.len() {
            return length(places, way);
        }
        let mut best = f64::INFINITY;
        for next in 0..places.len() {
            if !way.contains(&next) {
                way.push(next);
                best = best.min(shortest(places, way));
                way.pop();
            }
        }
        best
    }

    #[test]
    fn ways_are_near_the_shortest_and_visit_all_once() {
        let mut random = Random::new(1, 8);
        let (mut sum, mut least) = (0.0, 0.0);
        for _ in 0..60 {
            let places: Vec<Point> =
                (0..7).map(|_| Point::new(random.range(0.0, 100.0), random.range(0.0, 100.0), 0.0)).collect();
            let way = short_way(&places);
            assert_eq!(way, short_way(&places));
            let mut visited = way.clone();
            visited.sort_unstable();
            assert_eq!(visited, (0..7).collect::<Vec<_>>());
            let best = shortest(&places, &mut Vec::new());
            assert!(length(&places, &way) < 1.35 * best, "{} {best}", length(&places, &way));
            (sum, least) = (sum + length(&places, &way), least + best);
        }
        println!("ways are {:.3} times the shortest", sum / least);
        assert!(sum < 1.05 * least, "{sum} {least}");
    }

    #[test]
    fn a_row_is_gone_along_and_nothing_is_no_way() {
        let places: Vec<Point> = [3, 0, 4, 1, 2].iter().map(|&x| Point::new(f64::from(x), 0.0, 0.0)).collect();
        assert_eq!(short_way(&places), [1, 3, 4, 0, 2]);
        assert!(short_way(&[]).is_empty());
        assert_eq!(short_way(&[Point::origin()]), [0]);
        assert_eq!(short_way(&[Point::origin(); 4]), [0, 1, 2, 3]);
    }
}
