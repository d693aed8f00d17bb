//! The least circle that encloses points of a plane, exact to rounding: the cross section of a cylinder zone.
//!
//! Welzl, "Smallest enclosing disks (balls and ellipsoids)", 1991: points are added in a random order (seeded, so that
//! the same points give the same circle), and one that lies outside moves to the front, where it is met early when the
//! circle is made anew. The expected effort grows with the number of points.

use std::collections::VecDeque;

use base::random::Random;

/// Points outside by less than this share of the circle's reach are inside: rounding.
const ROUNDING: f64 = 1e-13;

/// A circle in a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Its centre, mm.
    pub centre: [f64; 2],
    /// Its radius, mm.
    pub radius_mm: f64,
}

/// The least circle that encloses `places`, mm; `None` where there are none.
pub fn least_enclosing_circle(places: &[[f64; 2]]) -> Option<Circle> {
    let origin = *places.first()?;
    // About the first, so that no digits go to a far origin.
    let mut order: Vec<[f64; 2]> = places.iter().map(|place| minus(*place, origin)).collect();
    Random::new(0xC1BC1E, 0).shuffle(&mut order);
    let reach = order.iter().map(|place| length(*place)).fold(0.0, f64::max);
    let slack = ROUNDING * reach;
    let mut order = VecDeque::from(order);
    let mut circle = Circle { centre: order[0], radius_mm: 0.0 };
    let mut next = 1;
    while next < order.len() {
        let place = order[next];
        if circle.leaves_out(place, slack) {
            circle = with_one(order.make_contiguous(), next, place, slack);
            order.remove(next);
            order.push_front(place);
        }
        next += 1;
    }
    Some(Circle { centre: [circle.centre[0] + origin[0], circle.centre[1] + origin[1]], ..circle })
}

/// The least circle about the first `count` places with `one` on it.
fn with_one(places: &[[f64; 2]], count: usize, one: [f64; 2], slack: f64) -> Circle {
    let mut circle = Circle { centre: one, radius_mm: 0.0 };
    for (number, &place) in places[..count].iter().enumerate() {
        if circle.leaves_out(place, slack) {
            circle = with_two(&places[..number], one, place, slack);
        }
    }
    circle
}

/// The least circle about `places` with `one` and `two` on it.
fn with_two(places: &[[f64; 2]], one: [f64; 2], two: [f64; 2], slack: f64) -> Circle {
    let mut circle =
        Circle { centre: [0.5 * (one[0] + two[0]), 0.5 * (one[1] + two[1])], radius_mm: 0.5 * length(minus(two, one)) };
    for &place in places {
        if circle.leaves_out(place, slack) {
            circle = through(one, two, place).unwrap_or(circle);
        }
    }
    circle
}

/// The circle through three places; `None` where they lie on a line.
fn through(one: [f64; 2], two: [f64; 2], three: [f64; 2]) -> Option<Circle> {
    let (a, b) = (minus(two, one), minus(three, one));
    let area = a[0] * b[1] - a[1] * b[0];
    let (of_a, of_b) = (a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]);
    let away = [(b[1] * of_a - a[1] * of_b) / (2.0 * area), (a[0] * of_b - b[0] * of_a) / (2.0 * area)];
    let radius_mm = length(away);
    radius_mm.is_finite().then(|| Circle { centre: [one[0] + away[0], one[1] + away[1]], radius_mm })
}

impl Circle {
    fn leaves_out(&self, place: [f64; 2], slack: f64) -> bool {
        length(minus(place, self.centre)) > self.radius_mm + slack
    }
}

fn minus(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0] - other[0], one[1] - other[1]]
}

fn length([x, y]: [f64; 2]) -> f64 {
    x.hypot(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every circle through two or three of the places that leaves none out; the least of them.
    fn by_trying_all(places: &[[f64; 2]]) -> f64 {
        let mut least = f64::INFINITY;
        let mut consider = |circle: Circle| {
            if circle.radius_mm < least && !places.iter().any(|place| circle.leaves_out(*place, 1e-9)) {
                least = circle.radius_mm;
            }
        };
        for (i, &one) in places.iter().enumerate() {
            for (j, &two) in places[..i].iter().enumerate() {
                consider(with_two(&[], one, two, 0.0));
                places[..j].iter().filter_map(|&three| through(one, two, three)).for_each(&mut consider);
            }
        }
        least
    }

    #[test]
    fn it_is_the_least_of_all_circles() {
        let mut random = Random::new(20, 0);
        for round in 0..400 {
            let count = 2 + round % 11;
            let far = if round % 2 == 0 { 0.0 } else { 1e4 };
            let places: Vec<[f64; 2]> = (0..count)
                .map(|_| match round % 4 {
                    // On a line, on a grid with repeats, on a circle, anywhere.
                    0 => [far + random.uniform(), far],
                    1 => [far + random.index(3) as f64, random.index(3) as f64],
                    2 => random.range(0.0, 7.0).sin_cos().into(),
                    _ => [far + random.normal(), random.normal()],
                })
                .collect();
            let circle = least_enclosing_circle(&places).unwrap();
            assert!(!places.iter().any(|place| circle.leaves_out(*place, 1e-11)), "{places:?}");
            if places.iter().any(|place| *place != places[0]) {
                let least = by_trying_all(&places);
                assert!((circle.radius_mm - least).abs() < 1e-8, "{round} {} {least}", circle.radius_mm);
            }
        }
    }

    #[test]
    fn few_places_and_many() {
        assert_eq!(least_enclosing_circle(&[]), None);
        let one = least_enclosing_circle(&[[3.0, 4.0]; 5]).unwrap();
        assert_eq!(one, Circle { centre: [3.0, 4.0], radius_mm: 0.0 });
        let mut random = Random::new(21, 0);
        // A disc full of places, three of them on its rim.
        let mut places: Vec<[f64; 2]> = (0..200_000)
            .map(|_| (random.range(0.0, 7.0).sin_cos(), 0.999 * random.uniform().sqrt()))
            .map(|((sin, cos), r)| [5.0 + r * cos, r * sin - 2.0])
            .collect();
        for (place, angle) in places.iter_mut().step_by(60_000).zip([0.1_f64, 2.0, 4.5]) {
            *place = [5.0 + angle.cos(), angle.sin() - 2.0];
        }
        let circle = least_enclosing_circle(&places).unwrap();
        assert!((circle.radius_mm - 1.0).abs() < 1e-12 && (circle.centre[0] - 5.0).abs() < 1e-12, "{circle:?}");
        assert_eq!(least_enclosing_circle(&places), Some(circle));
    }
}
