//! Fits against point sets whose answers others have published (tests/data/fits/published.json names the sources).

use serde::Deserialize;
use shadowgraph::base::Progress;
use shadowgraph::geometry::{Point, Vector};
use shadowgraph::inspect::features::{Fit, Kind, Objective, Options, Shape, fit};

#[derive(Deserialize)]
struct Published {
    name: String,
    kind: String,
    objective: Option<String>,
    /// The digits that were published, mm.
    tolerance: f64,
    answer: Answer,
    points: Vec<[f64; 3]>,
}

/// As the reference pairs state it: of planes, lines and cones any point on them or on their axes.
#[derive(Deserialize)]
struct Answer {
    place: [f64; 3],
    direction: Option<[f64; 3]>,
    diameter: Option<f64>,
    /// Of the surface of a cone from `place`, square to it.
    distance: Option<f64>,
    apex_deg: Option<f64>,
}

impl Published {
    fn fit(&self) -> Fit {
        let points: Vec<Point> = self.points.iter().map(|&place| Point::from(place)).collect();
        let kind = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(&self.kind)).unwrap();
        let objective = match self.objective.as_deref() {
            None => Objective::Gaussian,
            Some("circumscribed") => Objective::MinimumCircumscribed,
            Some("inscribed") => Objective::MaximumInscribed,
            Some(other) => panic!("{other}"),
        };
        fit(kind, &points, &[], &Options { objective, ..Options::default() }, &Progress::silent()).unwrap()
    }

    /// By how much place (mm), direction (rad) and sizes (mm; apex in rad) are off.
    fn errors(&self, shape: &Shape) -> [f64; 3] {
        let (place, answer) = (Point::from(self.answer.place), &self.answer);
        let along = answer.direction.map(Vector::from);
        let away = shape.position() - place;
        let turned = along.zip(shape.direction()).map_or(0.0, |(published, own)| published.cross(&own).norm());
        let diameter = answer.diameter.unwrap_or_default();
        let (apart, size) = match *shape {
            Shape::Plane { normal, .. } => (away.dot(&normal), 0.0),
            Shape::Line { direction, .. } => (away.cross(&direction).norm(), 0.0),
            Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } => (away.norm(), 2.0 * radius - diameter),
            Shape::Cylinder { axis, radius, .. } => (away.cross(&axis).norm(), 2.0 * radius - diameter),
            Shape::Cone { axis, half_angle_rad, .. } => {
                // On the axis, the distance to the cone's surface is that to its nearest line.
                let distance = -shape.distance(&place) - answer.distance.unwrap();
                let apex = 2.0 * half_angle_rad - answer.apex_deg.unwrap().to_radians();
                (away.cross(&axis).norm(), f64::max(distance.abs(), apex.abs()))
            }
            Shape::Torus { .. } => panic!("no torus was published"),
        };
        [apart.abs(), turned, size.abs()]
    }
}

#[test]
fn fits_agree_with_published_answers() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fits/published.json")).unwrap();
    let sets: Vec<Published> = serde_json::from_str(&text).unwrap();
    assert!(sets.len() > 20);
    let mut off = Vec::new();
    for set in &sets {
        let fitted = set.fit();
        let errors = set.errors(&fitted.shape);
        println!("{:8} {:9} off {errors:?}, published to {:.0e}", set.name, set.kind, set.tolerance);
        if errors.iter().any(|error| *error > set.tolerance) {
            off.push(format!("{}: off {errors:?} of {:?}", set.name, fitted.shape));
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
}
