//! What the sensor had in view: from its stations where the lines of sight tell them, else from its mean directions.

use std::collections::BTreeMap;

use nalgebra::Unit;
use rayon::prelude::*;

use geometry::sampling::SurfaceSample;
use geometry::stations::{self, Line, Station};
use geometry::{Cloud, Pose, Surface, Vector, draw};

/// Maximum number of lines of sight that stations and that directions are determined from.
const STATION_LINES: usize = 2_000;
const DIRECTION_LINES: usize = 20_000;
/// Minimum cosine between a line of sight and the normal of a surface that it shows: 75°.
const MIN_VIEW_COSINE: f64 = 0.26;
/// Sectors about a gap.
pub(super) const SECTORS: usize = 12;
/// Share of the samples of a gap that a station must have in view to have looked at it.
const MIN_IN_VIEW: f64 = 0.5;

/// From where a scan was taken, nominal frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    /// The stations, or the mean directions towards a sensor that has none; empty if the scan does not say.
    places: Vec<Station>,
    /// Whether these are stations.
    are_exact: bool,
    /// For each compared point, which of these stations measured it; the number of stations if none did.
    of_feet: Vec<u16>,
}

impl Sight {
    /// Of a scan and those of its points that were compared, by index.
    pub fn new(cloud: &Cloud, nominal_from_scan: &Pose, compared: &[u32]) -> Self {
        if cloud.to_sensor.is_empty() && cloud.viewpoint.is_none() {
            return Self::default();
        }
        let line = |&index: &u32| Some((cloud.points[index as usize], cloud.direction_to_sensor(index as usize)?));
        // In random order, so that its beginning is a smaller sample.
        let sample = draw::sample(&cloud.points, DIRECTION_LINES);
        let lines: Vec<Line> = sample.iter().take(STATION_LINES).filter_map(line).collect();
        let stations = stations::from_lines(&lines);
        let in_nominal = |station: &Station| station.in_frame(nominal_from_scan);
        if stations.is_empty() {
            let directions = mean_directions(sample.iter().filter_map(line).map(|(_, direction)| direction));
            let places = directions.into_iter().map(|direction| in_nominal(&Station::Towards(direction))).collect();
            return Self { places, ..Self::default() };
        }
        let station_of = |index: &u32| {
            let station = line(index).and_then(|line| stations.iter().position(|station| station.ends(&line)));
            station.unwrap_or(stations.len()) as u16
        };
        Self {
            of_feet: compared.par_iter().map(station_of).collect(),
            places: stations.iter().map(in_nominal).collect(),
            are_exact: true,
        }
    }

    /// Whether the scan says from where it was taken.
    pub fn is_known(&self) -> bool {
        !self.places.is_empty()
    }

    /// For each sample, whether a place has it in view; empty if the places are unknown.
    pub fn in_view(&self, surface: &Surface, samples: &[SurfaceSample]) -> Vec<bool> {
        if !self.is_known() {
            return Vec::new();
        }
        samples.par_iter().map(|sample| self.places.iter().any(|place| sees(place, surface, sample))).collect()
    }

    /// Whether a station had a gap in the data in view and measured most of the sectors about it, given by the compared points
    /// with their sectors; then its surface is not there, or dark. True if the stations are unknown.
    pub fn looked_at(&self, surface: &Surface, gap: &[&SurfaceSample], about: &[(u32, usize)]) -> bool {
        if !self.are_exact {
            return true;
        }
        self.places.iter().enumerate().any(|(station, place)| {
            let mut is_met = [false; SECTORS];
            for (_, sector) in about.iter().filter(|(foot, _)| self.of_feet[*foot as usize] as usize == station) {
                is_met[*sector] = true;
            }
            let met = is_met.iter().filter(|is_met| **is_met).count();
            let in_view = || gap.iter().filter(|sample| sees(place, surface, sample)).count();
            4 * met >= 3 * SECTORS && in_view() as f64 >= MIN_IN_VIEW * gap.len() as f64
        })
    }
}

/// The sector about a gap in which a position relative to its centre lies.
pub(super) fn sector([x, y]: [f64; 2]) -> usize {
    let turn = (y.atan2(x) / std::f64::consts::TAU).rem_euclid(1.0);
    ((turn * SECTORS as f64) as usize).min(SECTORS - 1)
}

/// Whether a place has a sample of a part in view: it looks at it from within 75° of its normal, and nothing of the part is
/// between them.
pub(super) fn sees(place: &Station, surface: &Surface, sample: &SurfaceSample) -> bool {
    let diagonal_mm = surface.bounds().diagonal();
    let Some((direction, distance_mm)) = place.seen_from(&sample.point) else { return false };
    let start = sample.point + sample.normal * (2e-4 * diagonal_mm);
    direction.dot(&sample.normal) > MIN_VIEW_COSINE
        && !surface.is_hit(&start, &direction, [0.0, distance_mm.min(2.0 * diagonal_mm)])
}

/// The distinct directions among unit directions: the mean direction of each cell of about ten degrees that holds more than a
/// hundredth of them, most frequent first, at most 32.
fn mean_directions(to_sensor: impl Iterator<Item = Vector>) -> Vec<Vector> {
    let mut cells: BTreeMap<[i8; 3], (usize, Vector)> = BTreeMap::new();
    let mut total = 0;
    for direction in to_sensor {
        let cell = cells.entry((direction * 6.0).map(|c| c.round() as i8).into()).or_insert((0, Vector::zeros()));
        cell.0 += 1;
        cell.1 += direction;
        total += 1;
    }
    let mut kept: Vec<(usize, Vector)> = cells.into_values().filter(|(count, _)| count * 100 > total).collect();
    kept.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    kept.truncate(32);
    kept.into_iter().filter_map(|(_, sum)| Unit::try_new(sum, 1e-9).map(Unit::into_inner)).collect()
}
