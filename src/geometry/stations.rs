//! Stations: the places that a cloud was measured from, told by its lines of sight, since those of a station meet in it.

use nalgebra::Matrix3;

use super::{Point, Pose, Vector};

/// A line of sight: a measured point, mm, and the unit direction from it to the sensor.
pub type Line = (Point, Vector);

/// Greatest distance of a line from the station that it leads to, as a share of its length there.
const MAX_SPREAD: f64 = 2e-3;
/// Sine of the angle below which lines are parallel, and above which they say where they meet.
const PARALLEL: f64 = 1e-5;
const MIN_SINE: f64 = 0.01;
/// Relative depth within which lines meet a line at the same place.
const WINDOW: f64 = 0.02;
/// Fewest lines of a station: a number, and a share of all.
const MIN_LINES: usize = 8;
const MIN_SHARE: f64 = 3e-3;
/// Greatest share of lines that lead to no station: single wrong points have directions at random.
const MAX_STRAY: f64 = 0.05;

/// A place that points were measured from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Station {
    /// Its position, mm.
    At(Point),
    /// So far away that its lines of sight are parallel; unit direction towards it.
    Towards(Vector),
}

impl Station {
    /// Unit direction from a position to the station, and its distance, mm; `None` where they coincide.
    pub fn seen_from(&self, position: &Point) -> Option<(Vector, f64)> {
        match self {
            Self::Towards(direction) => Some((*direction, f64::INFINITY)),
            Self::At(station) => {
                let away = station - position;
                let distance_mm = away.norm();
                (distance_mm > 0.0).then(|| (away / distance_mm, distance_mm))
            }
        }
    }

    /// The station in another frame.
    pub fn in_frame(&self, other_from_own: &Pose) -> Self {
        match self {
            Self::At(position) => Self::At(other_from_own * position),
            Self::Towards(direction) => Self::Towards(other_from_own.rotation * direction),
        }
    }

    /// Whether a line of sight leads to it.
    pub fn ends(&self, (point, direction): &Line) -> bool {
        let limit = match self {
            Self::At(_) => MAX_SPREAD,
            Self::Towards(_) => PARALLEL,
        };
        self.seen_from(point)
            .is_some_and(|(towards, _)| towards.dot(direction) > 0.0 && sine(&towards, direction) < limit)
    }
}

/// The stations that lines of sight lead to; empty if some lead to none, as those of a sensor that moves while it measures.
///
/// Takes time with the square of their number: some thousand say where the stations are.
pub fn from_lines(lines: &[Line]) -> Vec<Station> {
    let least = MIN_LINES.max((MIN_SHARE * lines.len() as f64) as usize);
    let mut left: Vec<Line> = lines.to_vec();
    let (mut found, mut strays) = (Vec::new(), 0);
    while let Some(seed) = left.pop() {
        let parallel = Station::Towards(seed.1);
        let is_parallel = left.iter().filter(|line| parallel.ends(line)).count() + 1 >= least;
        match if is_parallel { Some(parallel) } else { meeting(&seed, &left, least) } {
            Some(station) => {
                left.retain(|line| !station.ends(line));
                found.push(station);
            }
            None => strays += 1,
        }
        if strays as f64 > MAX_STRAY * lines.len() as f64 {
            return Vec::new();
        }
    }
    found
}

/// The station on a line in which at least `least` of the others meet it.
fn meeting(seed: &Line, others: &[Line], least: usize) -> Option<Station> {
    let mut depths_mm: Vec<(f64, usize)> =
        others.iter().enumerate().filter_map(|(index, line)| Some((depth_mm(seed, line)?, index))).collect();
    depths_mm.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let end_of = |start: usize| depths_mm.partition_point(|(mm, _)| *mm <= depths_mm[start].0 * (1.0 + WINDOW));
    let (start, end) =
        (0..depths_mm.len()).map(|start| (start, end_of(start))).max_by_key(|(start, end)| end - start)?;
    let near = depths_mm[start..end].iter().map(|(_, index)| &others[*index]).chain([seed]);
    // Among those that pass near the seed by chance are lines of other stations: the second time there are none.
    let first = Station::At(meeting_point(near)?);
    let met = others.iter().filter(|line| first.ends(line)).chain([seed]);
    let station = Station::At(meeting_point(met)?);
    let count = others.iter().filter(|line| station.ends(line)).count() + 1;
    (count >= least && station.ends(seed)).then_some(station)
}

/// Where another line meets a line, as the distance from the point of that, mm; `None` if they do not, or at too small an angle.
fn depth_mm((point, direction): &Line, other: &Line) -> Option<f64> {
    if sine(direction, &other.1) < MIN_SINE {
        return None;
    }
    let (away, cosine) = (other.0 - point, direction.dot(&other.1));
    let scale = 1.0 / (1.0 - cosine * cosine);
    let own_mm = (away.dot(direction) - cosine * away.dot(&other.1)) * scale;
    let other_mm = (cosine * away.dot(direction) - away.dot(&other.1)) * scale;
    let gap_mm = ((point + direction * own_mm) - (other.0 + other.1 * other_mm)).norm();
    (own_mm > 0.0 && other_mm > 0.0 && gap_mm < MAX_SPREAD * own_mm).then_some(own_mm)
}

/// The position with the least sum of squared distances from lines, mm; `None` if they are parallel.
pub(super) fn meeting_point<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Option<Point> {
    let (mut matrix, mut right) = (Matrix3::zeros(), Vector::zeros());
    for (point, direction) in lines {
        let across = Matrix3::identity() - direction * direction.transpose();
        matrix += across;
        right += across * point.coords;
    }
    Some(Point::from(matrix.try_inverse()? * right))
}

fn sine(a: &Vector, b: &Vector) -> f64 {
    a.cross(b).norm()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use base::random::Random;

    /// Lines of sight from a part of 100 mm to each of some stations in turn, in single precision, with noise along them.
    fn lines(stations: &[Station], count: usize, random: &mut Random) -> Vec<Line> {
        let line = |index: usize, random: &mut Random| {
            let point = Point::from(random.rotation() * Vector::z() * random.range(20.0, 50.0));
            let direction = stations[index % stations.len()].seen_from(&point).unwrap().0;
            (point + direction * random.normal() * 0.05, direction.cast::<f32>().cast())
        };
        (0..count).map(|index| line(index, random)).collect()
    }

    #[test]
    fn stations_are_where_lines_of_sight_meet() {
        let mut random = Random::new(11, 0);
        for count in [1, 2, 12, 60] {
            let mut place = || Point::from(random.rotation() * Vector::z() * random.range(250.0, 900.0));
            let mut truth: Vec<Station> = (0..count).map(|_| Station::At(place())).collect();
            truth.push(Station::Towards((random.rotation() * Vector::z()).normalize()));
            let mut lines = lines(&truth, 2000, &mut random);
            // Fly points: wherever, seen from anywhere.
            for line in lines.iter_mut().step_by(50) {
                *line = (Point::from(random.rotation() * Vector::z() * 60.0), random.rotation() * Vector::z());
            }
            let found = from_lines(&lines);
            assert_eq!(found.len(), truth.len());
            for station in &truth {
                let is_same = |other: &Station| match (station, other) {
                    (Station::At(a), Station::At(b)) => (a - b).norm() < 0.2,
                    (Station::Towards(a), Station::Towards(b)) => sine(a, b) < 1e-6,
                    _ => false,
                };
                assert!(found.iter().any(is_same), "{station:?} is not in {found:?}");
            }
        }
    }

    #[test]
    fn a_sensor_that_moves_while_it_measures_has_no_station() {
        let mut random = Random::new(12, 0);
        let moving: Vec<Station> =
            (0..2000).map(|index| Station::At(Point::new(f64::from(index) * 0.2 - 200.0, 0.0, 400.0))).collect();
        assert!(from_lines(&lines(&moving, 2000, &mut random)).is_empty());
        assert!(from_lines(&[]).is_empty());
    }
}
