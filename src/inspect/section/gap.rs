//! Gaps between the ends of two surfaces that face each other, such as those of sheets, and how flush these are.
//!
//! The gap is measured along the straight line of the nominal that the reference surface is: from the farthest that its end
//! reaches to the farthest that the other end reaches towards it, both down to a depth below their surfaces. Flush is how
//! high the other surface, where it ends, lies over the reference line.
//!
//! The farthest of many measured points is farther than the end, the more so the more points there are: each has its noise,
//! and the largest is taken. So the points of the face that looks into the gap are taken together. How much farther they
//! reach than the nominal at their depth is fitted by a constant, or by a line or a parabola over the depth where these
//! show more than noise does; and the farthest is that of the nominal face so moved. A fit is linear in the noise, which
//! so has no sign of its own, and a slope that noise feigns, which the farthest would follow, is left out. Depths are below
//! the measured surface, so that a side that lies higher or lower is not taken for one of another form.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use nalgebra::{Matrix3, Vector3};

use super::PlaneSection;
use super::contour::Contour;
use super::dimension::{
    DEFAULT_LENGTH_MM, Dimension, DimensionKind, MeasuredDimension, Outcome, Value, check_measured, cross, dot,
    end_margin_mm, fit, foot, measured,
};
use super::fitted::{self, FittedOutline, REJECTED_SIGMAS};
use super::outline::{self, Outline, Run};
use super::plane::PlanePoint;
use crate::robust_scale::{self, SIGMA_OF_MEDIAN};

/// Surfaces next to a gap make no larger angle than this, degrees.
const MAX_SKEW_DEG: f64 = 30.0;
/// A face looks into the gap where its normal makes less than 30° with the direction across: its cosine.
const MIN_FACING: f64 = 0.866;
/// Number of depths at which the farthest of a face is looked for, beside those of its corners.
const DEPTHS: u32 = 200;
/// How often values that stand off are sought.
const REJECTIONS: usize = 3;

/// Measures a gap, or how flush its sides are. `runs`: the reference surface and the other one.
pub(super) fn measure(
    dimension: &Dimension,
    section: &PlaneSection,
    runs: &[Run],
    is_compared: bool,
) -> MeasuredDimension {
    // How deep the ends go does not matter to a flush, whose extent is a length.
    match (Gap::new(section, runs, dimension.extent_mm()), dimension.kind) {
        (Err(why), _) => dimension.with(Err(why), None, Vec::new()),
        (Ok(gap), DimensionKind::Flush) => {
            let [reference, other] = gap.runs.map(|run| run.outline);
            let measured = is_compared.then(|| gap.measured_flush(dimension.extent_mm()));
            let at = gap.ends[1].flat_end();
            dimension.with(Ok(gap.flush_mm(&reference, &other)), measured, vec![foot(&reference, &at), at])
        }
        (Ok(gap), _) => {
            let [from, to] = [0, 1].map(|side| gap.ends[side].farthest_mm());
            let measured = is_compared.then(|| gap.measured());
            let at = gap.ends[0].farthest();
            let across = [0, 1].map(|axis| at[axis] - (from + to) * gap.ends[0].towards[axis]);
            dimension.with(Ok(-(from + to)), measured, vec![at, across])
        }
    }
}

/// The two sides of a gap, the reference first.
struct Gap<'a> {
    section: &'a PlaneSection,
    runs: [&'a Run; 2],
    ends: [End<'a>; 2],
}

impl<'a> Gap<'a> {
    fn new(section: &'a PlaneSection, runs: &'a [Run], depth_mm: f64) -> Outcome<Self> {
        let [first, second] = runs else { return Err("nothing to measure".to_owned()) };
        let (Outline::Line { middle: a, along: u }, Outline::Line { middle: b, along: v }) =
            (&first.outline, &second.outline)
        else {
            return Err("both must be straight lines".to_owned());
        };
        let skew_deg = cross(u, v).abs().atan2(dot(u, v).abs()).to_degrees();
        if skew_deg > MAX_SKEW_DEG {
            return Err(format!("the lines are not parallel: {skew_deg:.1}°"));
        }
        // The outside is on the right of both.
        if dot(u, v) < 0.0 {
            return Err("the two surfaces face opposite ways".to_owned());
        }
        let sense = dot(u, &[b[0] - a[0], b[1] - a[1]]).signum();
        let towards = u.map(|own| sense * own);
        let inward = [-u[1], u[0]];
        let end = |run, towards| End::new(&section.contours, run, [towards, inward], depth_mm);
        let ends = [end(first, towards), end(second, towards.map(std::ops::Neg::neg))];
        let [Some(one), Some(other)] = ends else { return Err("there is no contour".to_owned()) };
        Ok(Self { section, runs: [first, second], ends: [one, other] })
    }

    /// How high the line of the other surface lies, where that ends, over the reference line, mm, positive outside.
    fn flush_mm(&self, reference: &Outline, other: &Outline) -> f64 {
        // The outside is on the right of a contour.
        -outline::away(reference, &self.ends[1].flat_end_on(other))
    }

    /// The line through the points of a side that were measured over this length next to the gap, mm.
    fn line(&self, side: usize, length_mm: f64) -> Outcome<FittedOutline> {
        let run = self.runs[side];
        let share = |mm: f64| (mm / run.length_mm).clamp(0.0, 1.0);
        let margin_mm = end_margin_mm(run);
        let [near, far] = [share(margin_mm), share(margin_mm + length_mm)];
        let piece = if self.ends[side].is_forward { [1.0 - far, 1.0 - near] } else { [near, far] };
        fit(self.section, run, piece)
    }

    /// How high the other surface, measured over this length next to the gap, lies over the reference.
    fn measured_flush(&self, length_mm: f64) -> Outcome<Value> {
        measured(&[self.line(0, length_mm)?, self.line(1, length_mm)?], |outlines| match outlines {
            [reference, other] => Ok(self.flush_mm(reference, other)),
            _ => Err("nothing to measure".to_owned()),
        })
    }

    /// The gap between the measured ends.
    fn measured(&self) -> Outcome<Value> {
        let ((from_mm, from_mm2), (to_mm, to_mm2)) = (self.reach(0)?, self.reach(1)?);
        let uncertainty = from_mm2.zip(to_mm2).map(|(from_mm2, to_mm2)| 2.0 * (from_mm2 + to_mm2).sqrt());
        Ok(Value { value: -(from_mm + to_mm), uncertainty })
    }

    /// How far the measured end of a side reaches across the gap, mm, and the variance of that, mm²: from the scatter of the
    /// points of the end, and of those of its surface, below which depths are.
    fn reach(&self, side: usize) -> Outcome<(f64, Option<f64>)> {
        let (end, surface) = (&self.ends[side], self.line(side, DEFAULT_LENGTH_MM)?);
        let below = |surface: &Outline| end.measured(self.section, end.deeper_mm(surface));
        let [reach_mm, of_end_mm2] = below(&surface.outline)?;
        let of_surface = measured(&[surface], |moved| match moved {
            [surface] => below(surface).map(|[reach_mm, _]| reach_mm),
            _ => Err("nothing to measure".to_owned()),
        })?;
        // Expanded with k = 2.
        Ok((reach_mm, of_surface.uncertainty.map(|own| of_end_mm2 + (0.5 * own).powi(2))))
    }
}

/// The end of a surface next to a gap, as the nominal has it.
struct End<'a> {
    contour: &'a Contour,
    /// Number of the contour.
    number: u32,
    /// Whether the contour runs from the surface around the end.
    is_forward: bool,
    /// Unit vector across the gap, away from this side, along the reference line.
    towards: PlanePoint,
    /// Unit vector perpendicular to it, into the material.
    inward: PlanePoint,
    /// From where the straight surface ends around the end, down to the depth.
    corners: Vec<Corner>,
    /// The corner that reaches farthest.
    farthest: usize,
}

/// A corner of an end.
#[derive(Clone, Copy)]
struct Corner {
    at: PlanePoint,
    /// Distance along the contour, mm.
    along_mm: f64,
}

impl<'a> End<'a> {
    fn new(contours: &'a [Contour], run: &Run, [towards, inward]: [PlanePoint; 2], depth_mm: f64) -> Option<Self> {
        let Outline::Line { along, .. } = &run.outline else { return None };
        let contour = contours.get(run.contour as usize)?;
        let is_forward = dot(along, &towards) > 0.0;
        let of_run = run.corners(contours);
        let flat_end = *(if is_forward { of_run.last() } else { of_run.first() })?;
        let mut corners = vec![Corner { at: flat_end, along_mm: 0.0 }];
        let below_mm = |own: &Corner| outline::away(&run.outline, &own.at);
        // What lies farther behind belongs to something else.
        let behind_mm = dot(&flat_end, &towards) - depth_mm;
        for segment in run.segments_beyond(contour, is_forward) {
            let [begin, end] = contour.segment(segment);
            let corner = |way: f64| {
                let share = if is_forward { way } else { 1.0 - way };
                let along_mm = contour.start_mm(segment) + share * contour.length_of(segment);
                Corner { at: [0, 1].map(|axis| begin[axis] + share * (end[axis] - begin[axis])), along_mm }
            };
            let (from, to) = (corner(0.0), corner(1.0));
            if let [only] = corners.as_mut_slice() {
                *only = from;
            }
            let (before_mm, after_mm) = (below_mm(&from), below_mm(&to));
            if after_mm > depth_mm {
                corners.push(corner(((depth_mm - before_mm) / (after_mm - before_mm)).clamp(0.0, 1.0)));
                break;
            }
            corners.push(to);
            if after_mm < -depth_mm || dot(&to.at, &towards) < behind_mm {
                break;
            }
        }
        let reach = |index: &usize| dot(&corners[*index].at, &towards);
        let farthest = (0..corners.len()).max_by(|a, b| reach(a).total_cmp(&reach(b)))?;
        Some(Self { contour, number: run.contour, is_forward, towards, inward, corners, farthest })
    }

    /// Where the straight surface ends.
    fn flat_end(&self) -> PlanePoint {
        self.corners[0].at
    }

    /// How much deeper than the nominal a measured surface lies where that ends, mm along `inward`, to which it may be
    /// skewed.
    fn deeper_mm(&self, surface: &Outline) -> f64 {
        let Outline::Line { along, .. } = surface else { return 0.0 };
        // The inside is on the left of a contour.
        -outline::away(surface, &self.flat_end()) / dot(&[-along[1], along[0]], &self.inward)
    }

    /// Where a measured surface passes above or below the end of the straight surface.
    fn flat_end_on(&self, surface: &Outline) -> PlanePoint {
        let (at, deeper_mm) = (self.flat_end(), self.deeper_mm(surface));
        [0, 1].map(|axis| at[axis] + deeper_mm * self.inward[axis])
    }

    fn farthest(&self) -> PlanePoint {
        self.corners[self.farthest].at
    }

    /// How far the nominal reaches across the gap, mm.
    fn farthest_mm(&self) -> f64 {
        dot(&self.farthest(), &self.towards)
    }

    /// Depth of a position in the direction into the material, and how far it lies across the gap, mm.
    fn depth_and_reach(&self, at: &PlanePoint) -> [f64; 2] {
        [dot(at, &self.inward), dot(at, &self.towards)]
    }

    /// Whether the piece from a corner to the next looks into the gap.
    fn looks_across(&self, corner: usize) -> bool {
        let (from, to) = (self.corners[corner].at, self.corners[corner + 1].at);
        let way = [to[0] - from[0], to[1] - from[1]];
        // The outside is on the right of a contour.
        let normal = if self.is_forward { [way[1], -way[0]] } else { [-way[1], way[0]] };
        dot(&normal, &self.towards) >= MIN_FACING * way[0].hypot(way[1])
    }

    /// The corners of the face about the farthest one that looks into the gap.
    fn face(&self) -> Option<RangeInclusive<usize>> {
        let (mut from, mut to) = (self.farthest, self.farthest);
        while from > 0 && self.looks_across(from - 1) {
            from -= 1;
        }
        while to + 1 < self.corners.len() && self.looks_across(to) {
            to += 1;
        }
        (to > from).then_some(from..=to)
    }

    /// How far the measured end reaches across the gap, mm, whose surface lies so much deeper than the nominal along
    /// `inward`, and the variance of that, mm², from the scatter of its points.
    fn measured(&self, section: &PlaneSection, deeper_mm: f64) -> Outcome<[f64; 2]> {
        let face = self.face().ok_or("one of its ends has no face that looks into the gap")?;
        let face = &self.corners[face];
        let nominal: Vec<[f64; 2]> = face.iter().map(|own| self.depth_and_reach(&own.at)).collect();
        let ([first, last], [top_mm, bottom_mm]) = match (face, nominal.as_slice()) {
            ([first, .., last], [[top_mm, _], .., [bottom_mm, _]]) => ([first, last], [*top_mm, *bottom_mm]),
            _ => return Err("one of its ends has no face that looks into the gap".to_owned()),
        };
        let (middle_mm, half_mm) = (0.5 * (top_mm + bottom_mm), 0.5 * (bottom_mm - top_mm));
        let [begin, end] = if self.is_forward { [first, last] } else { [last, first] };
        let around_mm = self.contour.length_mm().max(f64::MIN_POSITIVE);
        let beyond_mm = |along_mm: f64| (along_mm - begin.along_mm).rem_euclid(around_mm);
        let (mut points, mut tenths) = (Vec::new(), [false; 10]);
        for own in section.measured.points.iter().filter(|own| own.contour == self.number) {
            let [depth_mm, reach_mm] = self.depth_and_reach(&own.at);
            let depth_mm = depth_mm - deeper_mm;
            if let Some(nominal_mm) = reach_at(&nominal, depth_mm)
                && beyond_mm(own.along_mm) <= beyond_mm(end.along_mm)
            {
                let position = (depth_mm - middle_mm) / half_mm;
                points.push([position, reach_mm - nominal_mm]);
                tenths[((5.0 * (position + 1.0)) as usize).min(9)] = true;
            }
        }
        check_measured(points.len(), &tenths, "ends")?;
        let (moved, covariance) = smooth(&points).ok_or("no smooth face fits the points of one of its ends")?;
        let steps = (0..=DEPTHS).map(|step| top_mm + 2.0 * half_mm * f64::from(step) / f64::from(DEPTHS));
        let depths = steps.chain(nominal.iter().map(|[depth_mm, _]| *depth_mm));
        let reaches = depths.filter_map(|depth_mm| {
            let position = (depth_mm - middle_mm) / half_mm;
            Some([reach_at(&nominal, depth_mm)? + value(&moved, position), position])
        });
        let farthest = reaches.max_by(|a, b| a[0].total_cmp(&b[0]));
        let [reach_mm, position] = farthest.ok_or("one of its ends has no face that looks into the gap")?;
        let row = powers(position);
        Ok([reach_mm, (row.transpose() * covariance * row).x])
    }
}

/// How far a face reaches at a depth, mm; `None` beside it. `face`: depth and reach of its corners, from above.
fn reach_at(face: &[[f64; 2]], depth_mm: f64) -> Option<f64> {
    let next = face.partition_point(|own| own[0] < depth_mm).max(1);
    let ([from_mm, from], [to_mm, to]) = (face.get(next - 1)?, face.get(next)?);
    let share = (depth_mm - from_mm) / (to_mm - from_mm);
    (0.0..=1.0).contains(&share).then(|| from + share * (to - from))
}

/// What is smooth of values at positions from -1 to 1: the coefficients of a parabola, a line or a constant, whichever is
/// the first that noise does not account for, and their covariance. Values that stand off are left out.
fn smooth(points: &[[f64; 2]]) -> Option<([f64; 3], Matrix3<f64>)> {
    let mut kept = points.to_vec();
    // Values that stand off have pulled the first fits towards them.
    for _ in 0..REJECTIONS {
        let (all, _) = polynomial(&kept, 2)?;
        let away = |own: &[f64; 2]| (own[1] - value(&all, own[0])).abs();
        let mut residuals: Vec<f64> = points.iter().map(away).collect();
        let limit = REJECTED_SIGMAS * SIGMA_OF_MEDIAN * robust_scale::median(&mut residuals)?;
        kept = points.iter().copied().filter(|own| away(own) <= limit).collect();
    }
    // Of the parabola also where less is kept: what noise hides may be there.
    let (_, full) = polynomial(&kept, 2)?;
    for degree in [2, 1] {
        if let Some((found, covariance)) = polynomial(&kept, degree)
            && found[degree].abs() > REJECTED_SIGMAS * covariance[(degree, degree)].sqrt()
        {
            return Some((found, full));
        }
    }
    polynomial(&kept, 0).map(|(found, _)| (found, full))
}

/// The polynomial of least squares through points in their order: its coefficients, from the constant on, and their
/// covariance.
fn polynomial(points: &[[f64; 2]], degree: usize) -> Option<([f64; 3], Matrix3<f64>)> {
    if points.len() <= degree + 1 {
        return None;
    }
    let (mut normal, mut right) = (Matrix3::<f64>::zeros(), Vector3::<f64>::zeros());
    for [position, value] in points {
        let all = powers(*position);
        let row = Vector3::from_fn(|power, _| if power > degree { 0.0 } else { all[power] });
        normal += row * row.transpose();
        right += row * *value;
    }
    for unused in degree + 1..3 {
        normal[(unused, unused)] = 1.0;
    }
    let mut inverse = normal.try_inverse()?;
    let found: [f64; 3] = (inverse * right).into();
    for unused in degree + 1..3 {
        inverse[(unused, unused)] = 0.0;
    }
    let residuals: Vec<f64> = points.iter().map(|[position, own]| own - value(&found, *position)).collect();
    Some((found, inverse * fitted::variance(&residuals, degree + 1)))
}

fn powers(position: f64) -> Vector3<f64> {
    Vector3::new(1.0, position, position * position)
}

fn value([a, b, c]: &[f64; 3], position: f64) -> f64 {
    a + (b + c * position) * position
}
