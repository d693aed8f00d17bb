//! Gaussian fits against references with 50 digits (tests/data/fits), from blind starts.
//!
//! A part of the sets is tried; `SHADOWGRAPH_FITS=all` tries every one, those of a million points among them, and
//! `SHADOWGRAPH_FITS=cylinder` all of one kind.

use rayon::prelude::*;
use shadowgraph::base::{Progress, random::Random};
use shadowgraph::geometry::{Point, Vector};
use shadowgraph::inspect::features::{Kind, Options, Shape, fit};

/// Every one of so many is tried, unless all are asked for.
const USUALLY: usize = 50;
/// What every set must keep: mm, and rad.
const LIMIT: f64 = 1e-9;
/// How many times what the points' own rounding does a fit may be off.
const TIMES_ROUNDING: f64 = 10.0;

/// The published remedy for uneven density: weights by area bring the fit back to the surface itself.
#[test]
fn weighted_planes_follow_the_surface_where_plain_ones_follow_the_density() {
    let output = super::support::shadowgraph(&["bench", "planes", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", super::support::errors(&output));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = value["rows"].as_array().unwrap();
    let off = |row: usize, key: &str| rows[row][key].as_f64().unwrap();
    assert!(off(0, "plain_off_urad") < 10.0 && off(0, "weighted_off_urad") < 10.0);
    assert!(off(2, "plain_off_urad") > 150.0, "{}", rows[2]);
    assert!(off(2, "weighted_off_urad") < 0.1 * off(2, "plain_off_urad"), "{}", rows[2]);
    assert!(off(2, "thinned_off_urad") < 0.5 * off(2, "plain_off_urad"), "{}", rows[2]);
    for row in &rows[4..] {
        let apart = row["tilt_urad"].as_f64().unwrap() - row["true_tilt_urad"].as_f64().unwrap();
        assert!(apart.abs() < 6.0, "{row}");
    }
}

/// The generator of tests/data/fits/reference.cpp, operation by operation.
mod generator {
    use super::{Kind, Point, Random};

    const SIZES: [usize; 20] =
        [8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 800, 1500, 3000, 10000];
    const NOISES: [f64; 6] = [0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.1];

    fn noise(random: &mut Random) -> f64 {
        let mut sum = -6.0;
        (0..12).for_each(|_| sum += random.uniform());
        sum
    }

    fn arc(t: f64) -> (f64, f64) {
        let d = 1.0 + t * t;
        ((1.0 - t * t) / d, 2.0 * t / d)
    }

    fn on_arc(random: &mut Random, reach: f64) -> f64 {
        let u = random.range(-1.0, 1.0);
        if reach > 0.0 { reach * u } else { u / (1.0 - u.abs() * 0.999) }
    }

    pub fn make(kind: Kind, number: usize) -> Vec<Point> {
        let mut random = Random::new(2026 + kind as u64, number as u64);
        let share = random.uniform();
        let count = if number < 1000 { SIZES[(share * 20.0) as usize] } else { 1_000_000 };
        let mut sigma = NOISES[(random.uniform() * 6.0) as usize];
        let (mut q, mut square) = ([0.0; 4], 0.0);
        for part in &mut q {
            *part = random.range(-1.0, 1.0);
            square += *part * *part;
        }
        let length = f64::sqrt(square);
        let [x, y, z, w] = q.map(|part| part / length);
        let r = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let far = if random.uniform() < 0.5 { 10.0 } else { 1000.0 };
        let origin: [f64; 3] = std::array::from_fn(|_| random.range(-far, far));
        let reach = if random.uniform() < 0.3 { 0.0 } else { random.range(0.0437, 1.73) };
        let tube = if random.uniform() < 0.5 { 0.0 } else { random.range(0.3, 1.73) };
        let size = random.uniform();
        let mut radius = 1.0 + 199.0 * size * size;
        let (height, slope) = (random.range(5.0, 200.0), random.range(0.05, 1.5));
        let (ratio, wide, narrow) = (random.range(0.1, 0.8), random.range(5.0, 300.0), random.range(5.0, 300.0));
        let depth = if reach > 0.0 { radius * (1.0 - arc(reach).0) } else { radius };
        if sigma > 0.1 * depth && !matches!(kind, Kind::Line | Kind::Plane) {
            sigma = 0.1 * depth;
        }
        if kind == Kind::Cone {
            radius += slope * 0.5 * height;
        }
        let steep = f64::sqrt(1.0 + slope * slope);
        (0..count)
            .map(|_| {
                let (a, b) = (on_arc(&mut random, reach), on_arc(&mut random, tube));
                let (u, v) = (random.range(-0.5, 0.5), random.range(-0.5, 0.5));
                let (n1, n2) = (sigma * noise(&mut random), sigma * noise(&mut random));
                let (c, s) = arc(a);
                let [px, py, pz] = match kind {
                    Kind::Line => [n1, n2, wide * u],
                    Kind::Plane => [wide * u, narrow * v, n1],
                    Kind::Circle => [(radius + n1) * c, (radius + n1) * s, n2],
                    Kind::Sphere => {
                        let e = if reach > 0.0 { reach * 2.0 * u } else { on_arc(&mut random, 0.0) };
                        let (d, l) = (1.0 + a * a + e * e, radius + n1);
                        [l * (2.0 * a / d), l * (2.0 * e / d), l * ((1.0 - a * a - e * e) / d)]
                    }
                    Kind::Cylinder => [(radius + n1) * c, (radius + n1) * s, height * u],
                    Kind::Cone => {
                        let along = height * u;
                        let across = radius + slope * along;
                        [(across + n1 / steep) * c, (across + n1 / steep) * s, along - n1 * slope / steep]
                    }
                    Kind::Torus => {
                        let (l, (e, f)) = (radius * ratio + n1, arc(b));
                        [(radius + l * e) * c, (radius + l * e) * s, l * f]
                    }
                };
                Point::new(
                    r[0][0] * px + r[0][1] * py + r[0][2] * pz + origin[0],
                    r[1][0] * px + r[1][1] * py + r[1][2] * pz + origin[1],
                    r[2][0] * px + r[2][1] * py + r[2][2] * pz + origin[2],
                )
            })
            .collect()
    }
}

struct Reference {
    kind: Kind,
    number: usize,
    place: Point,
    direction: Vector,
    numbers: [f64; 2],
    /// What rounding of the points does to place, direction and numbers.
    rounding: [f64; 3],
}

impl Reference {
    fn shape(&self) -> Shape {
        let (place, direction, [first, second]) = (self.place, self.direction, self.numbers);
        match self.kind {
            Kind::Line => Shape::Line { point: place, direction },
            Kind::Plane => Shape::Plane { point: place, normal: direction },
            Kind::Circle => Shape::Circle { centre: place, normal: direction, radius: first },
            Kind::Sphere => Shape::Sphere { centre: place, radius: first },
            Kind::Cylinder => Shape::Cylinder { point: place, axis: direction, radius: first },
            Kind::Cone => Shape::Cone { point: place, axis: direction, radius: first, half_angle_rad: second },
            Kind::Torus => Shape::Torus { centre: place, axis: direction, major: first, minor: second },
        }
    }
}

fn references() -> Vec<Reference> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fits/reference.csv")).unwrap();
    let read = |line: &str| {
        let words: Vec<&str> = line.split(',').collect();
        let at = |i: usize| words[i].parse::<f64>().unwrap();
        let kind = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(words[0])).unwrap();
        // Few points on a short arc may have no least sum near the truth.
        (words[3] == "1").then(|| Reference {
            kind,
            number: words[1].parse().unwrap(),
            place: Point::new(at(4), at(5), at(6)),
            direction: Vector::new(at(7), at(8), at(9)),
            numbers: [at(10), at(11)],
            rounding: [13, 14, 15].map(|gain| at(gain) * at(12) * f64::EPSILON),
        })
    };
    let references: Vec<Reference> = text.lines().filter_map(read).collect();
    assert!(references.len() * 100 > text.lines().count() * 99);
    references
}

/// By how much place, direction and numbers are off.
fn errors(shape: &Shape, reference: &Reference) -> [f64; 3] {
    let away = shape.position() - reference.place;
    let direction = reference.direction;
    let place = match reference.kind {
        Kind::Plane => away.dot(&direction).abs(),
        Kind::Line | Kind::Cylinder | Kind::Cone => away.cross(&direction).norm(),
        _ => away.norm(),
    };
    let angle = shape.direction().map_or(0.0, |own| own.cross(&direction).norm());
    let numbers = match *shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => [radius, 0.0],
        Shape::Cone { radius, half_angle_rad, .. } => [radius, half_angle_rad],
        Shape::Torus { major, minor, .. } => [major, minor],
        Shape::Line { .. } | Shape::Plane { .. } => [0.0; 2],
    };
    let off = match reference.kind {
        Kind::Line | Kind::Plane => 0.0,
        Kind::Circle | Kind::Sphere | Kind::Cylinder => (numbers[0] - reference.numbers[0]).abs(),
        _ => (numbers[0] - reference.numbers[0]).abs().max((numbers[1] - reference.numbers[1]).abs()),
    };
    [place, angle, off]
}

/// Short arcs of tori, from 5° of the ring and 20° of the tube on, without noise and with 1 and 10 µm of it: the fit
/// converges to a minimum as low as the one near the truth. In some, ring and tube are hardly told apart. With centre
/// and radii for parameters, the sets that are always tried did not converge, or to a worse minimum.
#[test]
fn tori_of_short_arcs_converge() {
    let asked = std::env::var("SHADOWGRAPH_FITS").unwrap_or_default();
    let usual = [1, 14, 26, 35, 49, 97, 104, 121, 215, 320, 355, 460, 566, 641, 700];
    let wanted = |seed: &usize| asked == "all" || asked.eq_ignore_ascii_case("torus") || usual.contains(seed);
    let off: Vec<String> = (1..=735_usize)
        .into_par_iter()
        .filter(wanted)
        .filter_map(|seed| {
            let number = seed - 1;
            let ring = [5.0, 10.0, 20.0, 30.0, 45.0, 60.0, 90.0][number / 105];
            let tube = [20.0, 30.0, 60.0, 90.0, 120.0, 180.0, 360.0][number / 15 % 7];
            let middle = [0.0, 50.0, 90.0, 130.0, 180.0][number / 3 % 5];
            let sigma = [0.0, 1e-3, 1e-2][number % 3];
            let major = 30.0 + (seed % 7) as f64 * 15.0;
            let minor = major * (0.1 + 0.1 * (seed % 5) as f64);
            let count = [100, 600, 1500][seed % 3];
            let mut random = Random::new(77, seed as u64);
            let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector::from_fn(|_, _| random.normal()));
            let centre = Point::from(Vector::from_fn(|_, _| random.range(-100.0, 100.0)));
            let points: Vec<Point> = (0..count)
                .map(|_| {
                    let a = (ring * (random.uniform() - 0.5)).to_radians();
                    let b = (middle + tube * (random.uniform() - 0.5)).to_radians();
                    let radius = minor + sigma * random.normal();
                    let across = major + radius * b.cos();
                    centre + turn * Vector::new(across * a.cos(), across * a.sin(), radius * b.sin())
                })
                .collect();
            let truth = Shape::Torus { centre, axis: turn * Vector::z(), major, minor };
            let name = format!("{seed}: ring {ring}°, tube {tube}° about {middle}°, noise {sigma} mm, {count} points");
            let fitted = |options: &Options| fit(Kind::Torus, &points, &[], options, &Progress::silent());
            let (blind, near) =
                match (fitted(&Options::default()), fitted(&Options { start: Some(truth), ..Options::default() })) {
                    (Ok(blind), Ok(near)) => (blind, near),
                    (Err(error), _) | (_, Err(error)) => return Some(format!("{name}: {error}")),
                };
            let is_minimum = blind.converged && blind.rms_mm <= near.rms_mm * (1.0 + 1e-6) + 1e-9;
            (!is_minimum).then(|| format!("{name}: RMS {} mm, near the truth {} mm", blind.rms_mm, near.rms_mm))
        })
        .collect();
    assert!(off.is_empty(), "{} sets:\n{}", off.len(), off.join("\n"));
}

#[test]
fn fits_agree_with_references_of_fifty_digits() {
    let asked = std::env::var("SHADOWGRAPH_FITS").unwrap_or_default();
    let wanted = |reference: &Reference| {
        let every = asked == "all" || reference.kind.name().eq_ignore_ascii_case(&asked);
        every || (asked.is_empty() && reference.number.is_multiple_of(USUALLY) && reference.number < 1000)
    };
    let references: Vec<Reference> = references().into_iter().filter(wanted).collect();
    let off: Vec<String> = references
        .par_iter()
        .filter_map(|reference| {
            let points = generator::make(reference.kind, reference.number);
            let name = format!("{} {} ({} points)", reference.kind.name(), reference.number, points.len());
            let fitted = match fit(reference.kind, &points, &[], &Options::default(), &Progress::silent()) {
                Ok(fitted) => fitted,
                Err(error) => return Some(format!("{name}: {error}")),
            };
            let errors = errors(&fitted.shape, reference);
            let allowed = reference.rounding.map(|rounding| LIMIT.max(TIMES_ROUNDING * rounding));
            let within = errors.iter().zip(allowed).all(|(error, allowed)| *error <= allowed);
            // Few points may have a lower least sum than the one near the truth.
            let squares = |shape: &Shape| points.iter().map(|point| shape.distance(point).powi(2)).sum::<f64>();
            if !within && fitted.converged && squares(&fitted.shape) < squares(&reference.shape()) * (1.0 - 1e-6) {
                return (points.len() > 30).then(|| format!("{name}: another least sum"));
            }
            if asked == "all" || !asked.is_empty() {
                println!("{name}: off {errors:?}, allowed {allowed:?}");
            }
            (!within).then(|| {
                format!(
                    "{name}: off {errors:?}, allowed {allowed:?}, {:?} after {} steps, converged: {}, {:?}",
                    fitted.shape, fitted.iterations, fitted.converged, fitted.uncertainty
                )
                .chars()
                .take(2000)
                .collect()
            })
        })
        .collect();
    assert!(references.len() > 100, "{} sets", references.len());
    assert!(off.is_empty(), "{} of {} sets:\n{}", off.len(), references.len(), off.join("\n"));
}
