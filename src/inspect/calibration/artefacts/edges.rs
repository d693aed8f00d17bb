//! Location of lines on a plane in a snapshot: edges and strokes by intensity, edges of slots by height.
//!
//! A band of points along the line is cut into slices across it. In each slice the line is located from the intensities
//! or heights of the points in order, so it does not matter whether the snapshot preserved its rows.

use serde::Serialize;

use super::RegionName;
use crate::features::{Kind, Options, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Subset, Vector, jacobi};

/// How a line is located.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Edge {
    /// The centre of a dark stroke.
    DarkStroke,
    /// A transition from white to black: where the intensity is half-way.
    Greyscale,
    /// A transition from the plane into a slot: where the surface has dropped a little. The walls below are visible on
    /// one side only, and in shadow on the other.
    Height,
}

impl Edge {
    /// Limit of the common location error of a whole edge, either way, in distances between neighbouring points along
    /// it.
    pub fn location_error_pitches(self) -> f64 {
        match self {
            Self::DarkStroke => 0.0,
            // Intensities between black and white locate the edge within a pixel, as well as a pixel's own profile is
            // known.
            Self::Greyscale => 0.06,
            Self::Height => 0.28,
        }
    }

    /// Limit of the error of a slot's width, in distances between neighbouring points: it shifts both edges
    /// symmetrically, so that the centre line is unaffected.
    pub fn width_error_pitches(self) -> f64 {
        match self {
            Self::DarkStroke => 0.0,
            Self::Greyscale => 2.0,
            Self::Height => 1.0,
        }
    }
}

/// Distance between the sensor's neighbouring points, mm, derived from the points that locate a line (on a plane with
/// that normal), one per slice. 0 for fewer than three points.
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
    let mut positions: Vec<f64> = points.iter().map(|point| point.coords.dot(&along)).collect();
    positions.sort_by(f64::total_cmp);
    let mut steps: Vec<f64> = positions.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if steps.len() < 2 {
        return 0.0;
    }
    // The median: gaps are longer than most steps.
    let median = steps.len() / 2;
    *steps.select_nth_unstable_by(median, f64::total_cmp).1 / SLICE_PITCHES
}

/// Width of a slice, in distances between neighbouring points.
const SLICE_PITCHES: f64 = 2.0;
/// Minimum number of points of a slice.
const MIN_SLICE_POINTS: usize = 8;
/// Minimum number of slices of a line.
const MIN_SLICES: usize = 8;
/// Minimum contrast between a mark and the plane, relative to the intensity of the plane.
const MIN_CONTRAST: f64 = 0.2;
/// Drop of the surface that locates an edge, mm: some standard deviations of a sensor's noise.
const EDGE_DROP_MM: f64 = 0.15;
/// Heights are averaged over this many points on either side, since the sensor itself averages over edges finer than
/// its resolution.
const AVERAGING_POINTS: usize = 2;

/// Points that the plane is fitted to, followed by the points located on each line, in the order of the regions.
pub fn extract(edge: Edge, names: &[RegionName], cloud: &Cloud, regions: &[Subset]) -> Result<Vec<Vec<Point>>> {
    if edge != Edge::Height && cloud.intensity.is_empty() {
        return Err(UserError::input(
            "This artefact is located by its greyscale, and the snapshot has none: save it with its intensities, in a \
             table of regions as a fifth column.",
        ));
    }
    let point = |&index: &u32| cloud.points.get(index as usize).copied();
    let plane: Vec<Point> = regions.first().into_iter().flat_map(|set| set.iter()).filter_map(point).collect();
    let options = Options { clip_sigmas: Some(3.0), ..Options::default() };
    let base = fit(Kind::Plane, &plane, &[], &options, &Progress::silent()).map_err(|error| error.about("plane"))?;
    let normal = base.shape.direction().unwrap_or_else(Vector::z);
    // Up is towards the sensor, at the origin.
    let level = base.shape.position();
    let up = if normal.dot(&level.coords) > 0.0 { -normal } else { normal };
    let mut lines = vec![plane];
    for (set, name) in regions.iter().zip(names).skip(1) {
        let line = Band::of(cloud, set, &level, &up).and_then(|band| band.line(edge));
        lines.push(line.ok_or_else(|| no_line(edge, name))?);
    }
    Ok(lines)
}

fn no_line(edge: Edge, name: &RegionName) -> UserError {
    let what = match edge {
        Edge::DarkStroke => "dark stroke",
        Edge::Greyscale => "edge from white to black",
        Edge::Height => "edge of a slot",
    };
    UserError::input(format!(
        "The region {} ({}) shows no {what}: brush a band along it that includes both sides.",
        name.short, name.long
    ))
}

/// A point in a band: its position along and across the band and its height, mm, and its intensity.
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
    /// Distance between neighbouring points, mm.
    pitch_mm: f64,
}

impl Band {
    /// From the points of a region; its direction is the longer principal axis of the points in the plane. `None` if
    /// there are too few points.
    fn of(cloud: &Cloud, set: &Subset, level: &Point, up: &Vector) -> Option<Self> {
        let points: Vec<(Point, f64)> = set
            .iter()
            .filter_map(|&index| {
                let grey = cloud.intensity.get(index as usize).copied().unwrap_or(1.0);
                Some((*cloud.points.get(index as usize)?, f64::from(grey)))
            })
            .collect();
        if points.len() < MIN_SLICE_POINTS * MIN_SLICES {
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
            let offset = point.coords - mean;
            Sample { along: offset.dot(&along), across: offset.dot(&across), height: (point - level).dot(up), grey }
        });
        // A uniformly filled band with standard deviations a and b has an area of 12 a b.
        let area = 12.0 * (values[1] * values[2]).max(0.0).sqrt() / points.len() as f64;
        let pitch_mm = (area / points.len() as f64).sqrt();
        let samples: Vec<Sample> = samples.collect();
        (pitch_mm > 0.0).then_some(Self { origin: Point::from(mean), along, across, samples, pitch_mm })
    }

    /// A point on the line for each slice in which it is located; `None` if there are too few.
    fn line(mut self, edge: Edge) -> Option<Vec<Point>> {
        self.samples.sort_by(|a, b| a.along.total_cmp(&b.along));
        let (first, width) = (self.samples.first()?.along, SLICE_PITCHES * self.pitch_mm);
        let slice_of = |sample: &Sample| ((sample.along - first) / width) as usize;
        let mut slices: Vec<Vec<Sample>> =
            self.samples.chunk_by(|a, b| slice_of(a) == slice_of(b)).map(<[_]>::to_vec).collect();
        slices.retain(|slice| slice.len() >= MIN_SLICE_POINTS);
        slices.iter_mut().for_each(|slice| slice.sort_by(|a, b| a.across.total_cmp(&b.across)));
        let across: Vec<Option<f64>> = match edge {
            Edge::DarkStroke => slices.iter().map(|slice| stroke_centre(slice)).collect(),
            Edge::Greyscale => {
                let grey = |sample: &Sample| sample.grey;
                let rises = self.rises(&slices, &grey)?;
                slices.iter().map(|slice| step(slice, rises, &grey)).collect()
            }
            Edge::Height => {
                // Heights are clamped to twice the drop. Otherwise a wall that is visible on one side and hidden on the
                // other would shift the two edges of a slot unequally.
                let height = |sample: &Sample| sample.height.clamp(-2.0 * EDGE_DROP_MM, 0.0);
                let rises = self.rises(&slices, &|sample| height(sample) + 2.0 * EDGE_DROP_MM)?;
                let smooth = |slice: &[Sample]| averaged(slice, &height);
                slices.iter().map(|slice| step(&smooth(slice), rises, &|sample| sample.height)).collect()
            }
        };
        let point = |(slice, across): (&Vec<Sample>, Option<f64>)| {
            let along = slice.iter().map(|sample| sample.along).sum::<f64>() / slice.len() as f64;
            across.map(|across| self.origin + self.along * along + self.across * across)
        };
        let points: Vec<Point> = slices.iter().zip(across).filter_map(point).collect();
        (points.len() >= MIN_SLICES).then_some(points)
    }

    /// Whether the value increases across the band, averaged over all slices; `None` if there is no clear edge.
    fn rises(&self, slices: &[Vec<Sample>], value: &dyn Fn(&Sample) -> f64) -> Option<bool> {
        let (mut low, mut high) = (0.0, 0.0);
        for slice in slices {
            let (first, second) = slice.split_at(slice.len() / 2);
            let mean = |part: &[Sample]| part.iter().map(value).sum::<f64>() / part.len() as f64;
            (low, high) = (low + mean(first), high + mean(second));
        }
        ((high - low).abs() > 0.5 * MIN_CONTRAST * high.max(low)).then_some(high > low)
    }
}

/// Mean position of the points darker than half-way, weighted by how much.
fn stroke_centre(slice: &[Sample]) -> Option<f64> {
    let (black, white) = levels(slice, &|sample| sample.grey)?;
    let (mut sum, mut weights) = (0.0, 0.0);
    for sample in slice {
        let weight = (0.5 * (black + white) - sample.grey).max(0.0);
        (sum, weights) = (sum + weight * sample.across, weights + weight);
    }
    (weights > 0.0).then(|| sum / weights)
}

/// Means of the lowest and the highest fifth; `None` if they hardly differ.
fn levels(slice: &[Sample], value: &dyn Fn(&Sample) -> f64) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = slice.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    let fifth = (values.len() / 5).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (low, high) = (mean(&values[..fifth]), mean(&values[values.len() - fifth..]));
    (high - low > MIN_CONTRAST * high).then_some((low, high))
}

/// Position where the value steps up (or down), with sub-point resolution: the cut that separates low from high values
/// best.
fn step(slice: &[Sample], rises: bool, value: &dyn Fn(&Sample) -> f64) -> Option<f64> {
    let (low, high) = levels(slice, value)?;
    let sign = if rises { -1.0 } else { 1.0 };
    // High values before the cut count in its favour.
    let above = |sample: &Sample| sign * (value(sample) - 0.5 * (low + high));
    let (mut best, mut sum, mut cut) = (f64::NEG_INFINITY, 0.0, 0);
    for (i, sample) in slice.iter().enumerate() {
        sum += above(sample);
        if sum > best {
            (best, cut) = (sum, i + 1);
        }
    }
    let (before, after) = (slice.get(cut.checked_sub(1)?)?, slice.get(cut)?);
    let mean_pitch = (slice.last()?.across - slice.first()?.across) / slice.len() as f64;
    let share = (above(before) / (above(before) - above(after))).clamp(0.0, 1.0);
    // Over a gap, where the sensor saw no wall, the edge is at the end of the higher side.
    let reach = (after.across - before.across).min(mean_pitch);
    Some(if rises { after.across - (1.0 - share) * reach } else { before.across + share * reach })
}

/// Heights averaged over neighbours across the band, scaled from 0 far below to 1 on the plane.
fn averaged(slice: &[Sample], height: &dyn Fn(&Sample) -> f64) -> Vec<Sample> {
    let mean = |i: usize| {
        let near = &slice[i.saturating_sub(AVERAGING_POINTS)..(i + AVERAGING_POINTS + 1).min(slice.len())];
        near.iter().map(height).sum::<f64>() / (near.len() as f64 * 2.0 * EDGE_DROP_MM) + 1.0
    };
    slice.iter().enumerate().map(|(i, sample)| Sample { height: mean(i), ..*sample }).collect()
}
