//! Where lines on a plane run in a snapshot: edges and strokes in its greyscale, edges of slots in its height.
//!
//! A band of points along the line is cut into slices across it; in each slice the line is told by the grey values or
//! heights of the points in order. So it does not matter whether the snapshot kept its rows.

use serde::Serialize;

use super::RegionName;
use crate::features::{Kind, Options, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Subset, Vector, jacobi};

/// How a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Edge {
    /// A dark stroke: its middle.
    DarkStroke,
    /// From white to black: where the grey is half-way.
    Greyscale,
    /// From the plane into a slot: where the surface has fallen a little. Walls below are seen on one side only, and
    /// shadowed on the other.
    Height,
}

impl Edge {
    /// How far a whole edge may be off either way, in distances of neighbouring points, where they run along it.
    pub fn off_pitches(self) -> f64 {
        match self {
            Self::DarkStroke => 0.0,
            // Grey between black and white tells the edge within the point, as well as a pixel's own profile is known.
            Self::Greyscale => 0.06,
            Self::Height => 0.3,
        }
    }

    /// By how much a slot may come out wider or narrower than it is, in distances of neighbouring points: both edges
    /// alike, so that the middle stays.
    pub fn wider_pitches(self) -> f64 {
        match self {
            Self::DarkStroke => 0.0,
            Self::Greyscale => 2.0,
            Self::Height => 1.0,
        }
    }
}

/// Distance of the sensor's neighbouring points, mm, from the points on a line that it was told by (on a plane with that
/// normal): there is one for each slice. 0 of fewer than three points.
pub fn pitch_mm(points: &[Point], normal: &Vector) -> f64 {
    let flat = |point: &Point| point.coords - normal * point.coords.dot(normal);
    let mean = points.iter().map(flat).sum::<Vector>() / points.len().max(1) as f64;
    let mut m = [0.0; 6];
    for point in points {
        let d = flat(point) - mean;
        let own = [d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
        m.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
    let along = jacobi::eigen(&m).1[2];
    let mut places: Vec<f64> = points.iter().map(|point| point.coords.dot(&along)).collect();
    places.sort_by(f64::total_cmp);
    let mut steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if steps.len() < 2 {
        return 0.0;
    }
    // Gaps are longer than most.
    let middle = steps.len() / 2;
    *steps.select_nth_unstable_by(middle, f64::total_cmp).1 / SLICE
}

/// Width of a slice, in distances of neighbouring points.
const SLICE: f64 = 2.0;
/// Points that a slice needs.
const LEAST: usize = 8;
/// Slices that a line needs.
const SLICES: usize = 8;
/// Grey of a mark below that of the plane, as a share of it.
const CONTRAST: f64 = 0.2;
/// An edge is where the surface has fallen by this much, mm: some standard deviations of a sensor's noise.
const FALLEN_MM: f64 = 0.15;
/// Heights are averaged over so many points on either side, as are edges finer than the sensor resolves.
const AVERAGED: usize = 2;

/// The points that the plane is fitted to, and points on each line, in the order of the regions.
pub fn extract(edge: Edge, names: &[RegionName], cloud: &Cloud, regions: &[Subset]) -> Result<Vec<Vec<Point>>> {
    if edge != Edge::Height && cloud.intensity.is_empty() {
        return Err(UserError::input(
            "This artefact is told by its greyscale, and the snapshot carries none: save it with its intensities.",
        ));
    }
    let place = |&number: &u32| cloud.points.get(number as usize).copied();
    let plane: Vec<Point> = regions.first().into_iter().flat_map(|set| set.iter()).filter_map(place).collect();
    let options = Options { clip_sigmas: Some(3.0), ..Options::default() };
    let base = fit(Kind::Plane, &plane, &[], &options, &Progress::silent()).map_err(|error| error.about("plane"))?;
    let normal = base.shape.direction().unwrap_or_else(Vector::z);
    // Up is towards the sensor, at the origin.
    let level = base.shape.place();
    let up = if normal.dot(&level.coords) > 0.0 { -normal } else { normal };
    let mut found = vec![plane];
    for (set, name) in regions.iter().zip(names).skip(1) {
        let line = Band::of(cloud, set, &level, &up).and_then(|band| band.line(edge));
        found.push(line.ok_or_else(|| no_line(edge, name))?);
    }
    Ok(found)
}

fn no_line(edge: Edge, name: &RegionName) -> UserError {
    let what = match edge {
        Edge::DarkStroke => "dark stroke",
        Edge::Greyscale => "edge from white to black",
        Edge::Height => "edge of a slot",
    };
    UserError::input(format!(
        "The region {} ({}) shows no {what}: brush a band along it that holds both sides.",
        name.short, name.long
    ))
}

/// A point in a band: along it, across it, its height (mm) and its grey.
#[derive(Clone, Copy)]
struct Sample {
    along: f64,
    across: f64,
    height: f64,
    grey: f64,
}

/// A band along a line.
struct Band {
    origin: Point,
    along: Vector,
    across: Vector,
    samples: Vec<Sample>,
    /// Distance of neighbouring points, mm.
    pitch_mm: f64,
}

impl Band {
    /// The longer way of the region's points on the plane is along.
    fn of(cloud: &Cloud, set: &Subset, level: &Point, up: &Vector) -> Option<Self> {
        let points: Vec<(Point, f64)> = set
            .iter()
            .filter_map(|&number| {
                let grey = cloud.intensity.get(number as usize).copied().unwrap_or(1.0);
                Some((*cloud.points.get(number as usize)?, f64::from(grey)))
            })
            .collect();
        if points.len() < LEAST * SLICES {
            return None;
        }
        let flat = |point: &Point| point - up * (point - level).dot(up);
        let mean: Vector = points.iter().map(|(point, _)| flat(point).coords).sum::<Vector>() / points.len() as f64;
        let mut m = [0.0; 6];
        for (point, _) in &points {
            let d = flat(point).coords - mean;
            let own = [d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
            m.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        let (values, axes) = jacobi::eigen(&m);
        let along = axes[2];
        let across = up.cross(&along);
        let samples = points.iter().map(|&(point, grey)| {
            let away = point.coords - mean;
            Sample { along: away.dot(&along), across: away.dot(&across), height: (point - level).dot(up), grey }
        });
        // Evenly filled, a band of standard deviations a and b covers 12 a b.
        let area = 12.0 * (values[1] * values[2]).max(0.0).sqrt() / points.len() as f64;
        let pitch_mm = (area / points.len() as f64).sqrt();
        let samples: Vec<Sample> = samples.collect();
        (pitch_mm > 0.0).then_some(Self { origin: Point::from(mean), along, across, samples, pitch_mm })
    }

    /// A point on the line for each slice that shows it.
    fn line(mut self, edge: Edge) -> Option<Vec<Point>> {
        self.samples.sort_by(|a, b| a.along.total_cmp(&b.along));
        let (first, width) = (self.samples.first()?.along, SLICE * self.pitch_mm);
        let slice_of = |sample: &Sample| ((sample.along - first) / width) as usize;
        let mut slices: Vec<Vec<Sample>> =
            self.samples.chunk_by(|a, b| slice_of(a) == slice_of(b)).map(<[_]>::to_vec).collect();
        slices.retain(|slice| slice.len() >= LEAST);
        slices.iter_mut().for_each(|slice| slice.sort_by(|a, b| a.across.total_cmp(&b.across)));
        let across: Vec<Option<f64>> = match edge {
            Edge::DarkStroke => slices.iter().map(|slice| middle_of_dark(slice)).collect(),
            Edge::Greyscale => {
                let grey = |sample: &Sample| sample.grey;
                let rises = self.rises(&slices, &grey)?;
                slices.iter().map(|slice| step(slice, rises, &grey)).collect()
            }
            Edge::Height => {
                // A point at the bottom counts no more than one that has fallen enough, or a wall that is in view on one
                // side and hidden on the other would pull the two edges of a slot unequally.
                let height = |sample: &Sample| sample.height.clamp(-2.0 * FALLEN_MM, 0.0);
                let rises = self.rises(&slices, &|sample| height(sample) + 2.0 * FALLEN_MM)?;
                let even = |slice: &[Sample]| averaged(slice, &height);
                slices.iter().map(|slice| step(&even(slice), rises, &|sample| sample.height)).collect()
            }
        };
        let place = |(slice, across): (&Vec<Sample>, Option<f64>)| {
            let along = slice.iter().map(|sample| sample.along).sum::<f64>() / slice.len() as f64;
            across.map(|across| self.origin + self.along * along + self.across * across)
        };
        let points: Vec<Point> = slices.iter().zip(across).filter_map(place).collect();
        (points.len() >= SLICES).then_some(points)
    }

    /// Whether the value grows across the band, which must be clear over all slices; `None` where there is no edge.
    fn rises(&self, slices: &[Vec<Sample>], value: &dyn Fn(&Sample) -> f64) -> Option<bool> {
        let (mut low, mut high) = (0.0, 0.0);
        for slice in slices {
            let (one, other) = slice.split_at(slice.len() / 2);
            let mean = |part: &[Sample]| part.iter().map(value).sum::<f64>() / part.len() as f64;
            (low, high) = (low + mean(one), high + mean(other));
        }
        ((high - low).abs() > 0.5 * CONTRAST * high.max(low)).then_some(high > low)
    }
}

/// Mean position of what is darker than half-way, weighted by how much.
fn middle_of_dark(slice: &[Sample]) -> Option<f64> {
    let (black, white) = levels(slice, &|sample| sample.grey)?;
    let (mut sum, mut weights) = (0.0, 0.0);
    for sample in slice {
        let weight = (0.5 * (black + white) - sample.grey).max(0.0);
        (sum, weights) = (sum + weight * sample.across, weights + weight);
    }
    (weights > 0.0).then(|| sum / weights)
}

/// Means of the lowest and the highest fifth; `None` where they hardly differ.
fn levels(slice: &[Sample], value: &dyn Fn(&Sample) -> f64) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = slice.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    let fifth = (values.len() / 5).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (low, high) = (mean(&values[..fifth]), mean(&values[values.len() - fifth..]));
    (high - low > CONTRAST * high).then_some((low, high))
}

/// Where the value steps up (or down): the cut that parts low from high best, to a part of a point's distance.
fn step(slice: &[Sample], rises: bool, value: &dyn Fn(&Sample) -> f64) -> Option<f64> {
    let (low, high) = levels(slice, value)?;
    let sign = if rises { -1.0 } else { 1.0 };
    // High before the cut counts for it.
    let above = |sample: &Sample| sign * (value(sample) - 0.5 * (low + high));
    let (mut best, mut sum, mut cut) = (f64::NEG_INFINITY, 0.0, 0);
    for (i, sample) in slice.iter().enumerate() {
        sum += above(sample);
        if sum > best {
            (best, cut) = (sum, i + 1);
        }
    }
    let (before, after) = (slice.get(cut.checked_sub(1)?)?, slice.get(cut)?);
    let usual = (slice.last()?.across - slice.first()?.across) / slice.len() as f64;
    let share = (above(before) / (above(before) - above(after))).clamp(0.0, 1.0);
    // Over a gap, where the sensor saw no wall, the edge is where the higher side ends.
    let reach = (after.across - before.across).min(usual);
    Some(if rises { after.across - (1.0 - share) * reach } else { before.across + share * reach })
}

/// Heights averaged over neighbours across the band, from 0 far below to 1 on the plane.
fn averaged(slice: &[Sample], height: &dyn Fn(&Sample) -> f64) -> Vec<Sample> {
    let mean = |i: usize| {
        let near = &slice[i.saturating_sub(AVERAGED)..(i + AVERAGED + 1).min(slice.len())];
        near.iter().map(height).sum::<f64>() / (near.len() as f64 * 2.0 * FALLEN_MM) + 1.0
    };
    slice.iter().enumerate().map(|(i, sample)| Sample { height: mean(i), ..*sample }).collect()
}
