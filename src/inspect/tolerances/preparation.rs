//! What the points pass before the zone that contains them is evaluated, as the tolerance states it: outliers are
//! removed, then a Gaussian filter smooths what is left.
//!
//! Circles, and sections of cylinders, are filtered as closed profiles and lines as open ones (ISO 16610-21, with the
//! cutoffs that ISO 12181-2 and ISO 12780-2 speak of), surfaces in all their directions (ISO 16610-61). Of run-out, too, a
//! circle and the sections of a cylinder are filtered about their own least-squares circles, so that their eccentricity
//! stays as it is. The texts were not available to check against.

use std::f64::consts::TAU;

use super::feature::{mean, used};
use super::form::MIN_CIRCLE_POINTS;
use super::{Characteristic, Feature, Tolerance, extents, sections};
use crate::features::element::{Line, Situation};
use crate::features::fits::in_plane::fit_in_plane;
use crate::features::gaussian_filter::{Smoothed, smoothed, smoothed_profile};
use crate::features::noise::{MIN_POINTS, Roughness};
use crate::features::{Kind, Options, Shape};
use base::{Progress, Result, UserError};
use geometry::transform::perpendicular_axes;
use geometry::{Point, Pose, Vector};

/// Step of the numerical derivative of a distance from a shape, mm.
const STEP_MM: f64 = 1e-4;
/// Largest nesting index of a filter as a share of the feature's smallest extent.
const MAX_NESTING_SHARE: f64 = 1.0 / 3.0;
/// Minimum number of points per wave at the cutoff of a profile's filter (our reading of ISO 12181-2).
const MIN_POINTS_PER_WAVE: f64 = 7.0;
/// Minimum share of the points of a cylinder that must lie in sections that carry a filter: what is left out is not judged.
const MIN_FILTERED_SHARE: f64 = 0.95;

/// What a filter did.
pub(super) struct Filtered {
    /// Share that is left of the noise of single points.
    pub noise_share: f64,
    /// Description for reports.
    pub how: String,
}

/// What a filter left of short waves and noise.
struct Left {
    /// Share that is left of the noise of single points.
    noise_share: f64,
    /// Number of points at ends, edges and gaps.
    at_edge: usize,
}

impl Left {
    fn of(smooth: &Smoothed) -> Self {
        Self { noise_share: smooth.noise_share, at_edge: smooth.is_at_edge.iter().filter(|own| **own).count() }
    }

    /// With the description of the filter, and where it leaves more than it says.
    fn by(&self, mut how: String) -> Filtered {
        if self.at_edge > 0 {
            how += &format!(
                "; at ends, edges and gaps ({} points) it leaves up to 1.17 of a wave of the cutoff and 2.5 times as much \
                 noise",
                self.at_edge
            );
        }
        Filtered { noise_share: self.noise_share, how }
    }
}

impl Feature {
    /// Removes single points that stand off their neighbours by more than `sigmas` standard deviations of the noise;
    /// returns a description with their number, and where the farthest of them lies.
    ///
    /// Returns an error if outliers have no bearing on the tolerance, or if there are too few points to tell the noise.
    pub(super) fn remove_outliers(
        &mut self,
        sigmas: f64,
        asked: &Tolerance,
        nominal_from_scan: &Pose,
    ) -> Result<String> {
        let shape = self.shape().filter(|shape| self.size_mm.is_none() && asked.takes_outliers(shape));
        let Some(shape) = shape else {
            return Err(UserError::usage(
                "Outliers are removed where form is evaluated or a surface must lie in the zone: keep all points here.",
            ));
        };
        let total = self.points.len();
        let mut outliers = Vec::new();
        for offsets_mm in self.offsets_mm(&shape) {
            let roughness = Roughness::of(&self.points, &offsets_mm).ok_or_else(|| {
                UserError::input(format!(
                    "Outliers are told by the noise of at least {MIN_POINTS} points, and there are {total}: measure more \
                     points, or keep them all."
                ))
            })?;
            outliers.extend(roughness.spikes(sigmas));
        }
        outliers.sort_unstable();
        outliers.dedup();
        let distances_mm = self.distances_mm(&shape);
        let size = |index: &u32| distances_mm[*index as usize].abs();
        let farthest = outliers.iter().max_by(|one, other| size(one).total_cmp(&size(other)));
        let farthest = farthest.map_or_else(String::new, |index| {
            let at = nominal_from_scan * self.points[*index as usize];
            format!("; the farthest of them at ({:.2}, {:.2}, {:.2})", at.x, at.y, at.z)
        });
        self.points = used(&self.points, &outliers);
        self.deviations_mm = used(&self.deviations_mm, &outliers);
        Ok(format!(
            "{} of {total} points removed as outliers, {sigmas} standard deviations of the noise off their \
             neighbours{farthest}",
            outliers.len()
        ))
    }

    /// Distances of the points from the shape by which their noise is told, mm: of a circle those in its plane, of a line
    /// those along both directions across it.
    fn offsets_mm(&self, shape: &Shape) -> Vec<Vec<f64>> {
        match *shape {
            Shape::Circle { centre, normal, radius } => {
                let axis = Line { point: centre, direction: normal };
                vec![self.points.iter().map(|point| axis.distance(point) - radius).collect()]
            }
            Shape::Line { point, direction } => {
                let along = |axis: &Vector| self.points.iter().map(|own| (own - point).dot(axis)).collect();
                perpendicular_axes(&direction).iter().map(along).collect()
            }
            _ => vec![self.distances_mm(shape)],
        }
    }

    /// Passes the points through the Gaussian filter of a tolerance; `None` if it has none. Where that has no effect, this
    /// is what is described.
    ///
    /// Returns an error if its waves are too long for the feature, so that its form would be smoothed away, or too short
    /// for the points, or if its undulations are those of no circle.
    pub(super) fn filter(&mut self, asked: &Tolerance) -> Result<Option<Filtered>> {
        if asked.filter_upr.is_none() && asked.filter_mm.is_none() {
            return Ok(None);
        }
        let without = |why: &str| Ok(Some(Filtered { noise_share: 1.0, how: format!("not filtered: {why}") }));
        if self.size_mm.is_some() {
            return without("the points of a mid-plane lie on its two sides");
        }
        let Some(shape) = self.shape() else { return without("a point has no form") };
        let filtered = match (shape, asked.filter_upr, asked.filter_mm) {
            (Shape::Circle { centre, normal, radius }, upr, cutoff_mm) if asked.is_of_profile(&shape) => {
                let wave_mm = upr.map(|upr| TAU * radius / upr).or(cutoff_mm);
                let what = upr.map(undulations).or(cutoff_mm.map(cutoff));
                let (Some(wave_mm), Some(what)) = (wave_mm, what) else { return Ok(None) };
                let axis = Line { point: centre, direction: normal };
                check_points(self.points.len(), covered(&self.points, &axis) * TAU * radius / wave_mm, &what)?;
                filter_round(&mut self.points, &axis, radius, wave_mm)?.by(of_profile(&what))
            }
            (Shape::Line { point, direction }, _, Some(cutoff_mm)) if asked.is_of_profile(&shape) => {
                self.filter_straight(&Line { point, direction }, cutoff_mm)?.by(of_profile(&cutoff(cutoff_mm)))
            }
            (Shape::Cylinder { radius, .. }, Some(upr), _) => match asked.characteristic {
                Characteristic::Circularity { section_mm } => {
                    let (sections, filtered) = self.filter_sections(upr, section_mm)?;
                    self.filtered_sections = Some(sections);
                    filtered
                }
                // Its sections are those across the datum axis: they are cut again.
                Characteristic::CircularRunOut { section_mm } => {
                    let (sections, filtered) = self.filter_sections(upr, section_mm)?;
                    self.points = sections.concat();
                    filtered
                }
                _ => {
                    let nesting_index_mm = TAU * radius / upr;
                    let how = format!(
                        "after a Gaussian filter (ISO 16610-61) of {}, a nesting index of {nesting_index_mm:.3} mm",
                        undulations(upr)
                    );
                    self.filter_surface(&shape, nesting_index_mm)?.by(how)
                }
            },
            (other, Some(_), _) if !matches!(other, Shape::Circle { .. }) => {
                return Err(UserError::usage(
                    "A filter in undulations per revolution needs a circle or a cylinder: state a wavelength in mm.",
                ));
            }
            (_, _, Some(nesting_index_mm)) if asked.is_of_surface(&shape) => {
                let how = format!("after a Gaussian filter (ISO 16610-61) of nesting index {nesting_index_mm} mm");
                self.filter_surface(&shape, nesting_index_mm)?.by(how)
            }
            _ if matches!(asked.characteristic, Characteristic::Straightness { .. }) => {
                return without("the straightness of an axis is that of the centres of its sections");
            }
            _ => return without("a filter has no effect on this characteristic of this feature"),
        };
        Ok(Some(filtered))
    }

    /// Each point moves along the normal of the shape to the smoothed surface.
    fn filter_surface(&mut self, shape: &Shape, nesting_index_mm: f64) -> Result<Left> {
        check_wave(nesting_index_mm, self.extent_mm(shape))?;
        let before = self.distances_mm(shape);
        let normals: Vec<Vector> = self.points.iter().map(|point| gradient(shape, point)).collect();
        let smooth = smoothed(&self.points, &normals, &before, nesting_index_mm);
        let left = Left::of(&smooth);
        let after = smooth.distances_mm;
        for (((point, normal), before), after) in self.points.iter_mut().zip(&normals).zip(&before).zip(&after) {
            *point += normal * (after - before);
        }
        if !self.deviations_mm.is_empty() {
            self.deviations_mm = after;
        }
        Ok(left)
    }

    /// Each point of a line moves across it to the smoothed line.
    fn filter_straight(&mut self, line: &Line, cutoff_mm: f64) -> Result<Left> {
        let positions_mm: Vec<f64> = self.points.iter().map(|own| (own - line.point).dot(&line.direction)).collect();
        let length_mm = extents::range(positions_mm.iter().copied());
        check_wave(cutoff_mm, length_mm)?;
        check_points(self.points.len(), length_mm / cutoff_mm, &cutoff(cutoff_mm))?;
        let mut left = Left { noise_share: 0.0, at_edge: 0 };
        for axis in perpendicular_axes(&line.direction) {
            let before: Vec<f64> = self.points.iter().map(|own| (own - line.point).dot(&axis)).collect();
            let smooth = smoothed_profile(&positions_mm, &before, cutoff_mm, None);
            for ((point, before), after) in self.points.iter_mut().zip(&before).zip(&smooth.distances_mm) {
                *point += axis * (after - before);
            }
            left = Left::of(&smooth);
        }
        Ok(left)
    }

    /// Filters every section of a cylinder about its own least-squares circle. Sections of too few points are left out,
    /// and counted; returns an error if they have more than a few of the points.
    fn filter_sections(&self, upr: f64, section_mm: Option<f64>) -> Result<(Vec<Vec<Point>>, Filtered)> {
        let what = undulations(upr);
        let about = |error: UserError| error.about(&format!("Gaussian filter of {what}"));
        let Situation::Line(axis) = self.element.situation() else {
            return Err(UserError::internal("A cylinder has no axis."));
        };
        let enough =
            ((MIN_POINTS_PER_WAVE * upr * covered(&self.points, &axis)).ceil() as usize).max(MIN_CIRCLE_POINTS);
        let all = sections::across(&self.points, &axis, section_mm, MIN_CIRCLE_POINTS).map_err(about)?.len();
        let mut sections = sections::across(&self.points, &axis, section_mm, enough).map_err(about)?;
        let (kept, total) = (sections.iter().map(Vec::len).sum::<usize>(), self.points.len());
        if (kept as f64) < MIN_FILTERED_SHARE * total as f64 {
            return Err(about(UserError::input(format!(
                "Only {kept} of {total} points lie in sections of at least {enough} points, which it needs: choose longer \
                 waves or thicker sections, or measure more points."
            ))));
        }
        let mut left = Left { noise_share: 0.0, at_edge: 0 };
        for section in &mut sections {
            let plane = Shape::Plane { point: mean(section), normal: axis.direction };
            let circle = fit_in_plane(Kind::Circle, section, &[], &plane, &Options::default(), &Progress::silent())?;
            if let Shape::Circle { centre, radius, .. } = circle.shape {
                let own_axis = Line { point: centre, direction: axis.direction };
                let own = filter_round(section, &own_axis, radius, TAU * radius / upr)?;
                left.noise_share = left.noise_share.max(own.noise_share);
                left.at_edge += own.at_edge;
            }
        }
        let mut how = of_profile(&what);
        if sections.len() < all {
            how += &format!("; {} of {all} sections left out, with fewer than {enough} points", all - sections.len());
        }
        Ok((sections, left.by(how)))
    }
}

/// A cutoff by undulations, as stated.
fn undulations(upr: f64) -> String {
    format!("{upr} UPR")
}

/// A cutoff by wavelength, as stated.
fn cutoff(cutoff_mm: f64) -> String {
    format!("cutoff {cutoff_mm} mm")
}

/// Description of the filter of a profile.
fn of_profile(what: &str) -> String {
    format!("after a Gaussian filter (ISO 16610-21) of {what}")
}

/// Each point of a closed profile moves towards or away from its axis to the smoothed circle.
fn filter_round(points: &mut [Point], axis: &Line, radius_mm: f64, wave_mm: f64) -> Result<Left> {
    check_wave(wave_mm, TAU * radius_mm)?;
    let [x, y] = perpendicular_axes(&axis.direction);
    let arc_mm = |point: &Point| {
        let offset = point - axis.point;
        radius_mm * offset.dot(&y).atan2(offset.dot(&x))
    };
    let positions_mm: Vec<f64> = points.iter().map(arc_mm).collect();
    let before: Vec<f64> = points.iter().map(|point| axis.distance(point) - radius_mm).collect();
    let smooth = smoothed_profile(&positions_mm, &before, wave_mm, Some(TAU * radius_mm));
    for ((point, before), after) in points.iter_mut().zip(&before).zip(&smooth.distances_mm) {
        let offset = *point - axis.point;
        let out = offset - axis.direction * offset.dot(&axis.direction);
        *point += out.try_normalize(0.0).unwrap_or_default() * (after - before);
    }
    Ok(Left::of(&smooth))
}

/// Share of a revolution that the points cover about an axis.
fn covered(points: &[Point], axis: &Line) -> f64 {
    1.0 - sections::widest_gap_rad(points, axis) / TAU
}

/// Returns an error if waves of the cutoff are too long for an extent.
fn check_wave(nesting_index_mm: f64, extent_mm: f64) -> Result<()> {
    // A cutoff at exactly a third is one.
    if nesting_index_mm <= MAX_NESTING_SHARE * extent_mm * (1.0 + 1e-12) {
        return Ok(());
    }
    Err(UserError::usage(format!(
        "A Gaussian filter of nesting index {nesting_index_mm} mm would smooth away the form of a surface of {extent_mm:.2} \
         mm: choose at most {:.2} mm.",
        MAX_NESTING_SHARE * extent_mm
    )))
}

/// Returns an error if there are too few points for so many waves of the cutoff.
fn check_points(count: usize, waves: f64, what: &str) -> Result<()> {
    let enough = (MIN_POINTS_PER_WAVE * waves).ceil() as usize;
    if count >= enough {
        return Ok(());
    }
    Err(UserError::usage(format!(
        "A Gaussian filter of {what} needs at least {enough} points, {MIN_POINTS_PER_WAVE} per wave, and there are {count}: \
         choose longer waves, or measure more points."
    )))
}

/// Direction in which the distance from a shape grows: its normal at the point.
fn gradient(shape: &Shape, point: &Point) -> Vector {
    let rise = |axis: Vector| shape.distance(&(point + axis * STEP_MM)) - shape.distance(&(point - axis * STEP_MM));
    Vector::new(rise(Vector::x()), rise(Vector::y()), rise(Vector::z())).try_normalize(0.0).unwrap_or_default()
}
