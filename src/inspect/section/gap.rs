//! Gaps between the ends of two surfaces that face each other, such as those of sheets, and how flush these are.
//!
//! The gap is measured along the straight line of the nominal that the reference surface is: from the farthest that its end
//! reaches to the farthest that the other end reaches towards it, both down to a depth below their surfaces. Flush is how
//! high the other surface, where it ends, lies over the reference line.
//!
//! The farthest of many measured points is farther than the end, the more so the more points there are: each has its noise,
//! and the largest is taken. So the points of the face that looks into the gap are taken together. How much farther they
//! reach than the nominal at their depth is fitted by a constant, by a line and by a parabola over the depth, and the
//! farthest is that of the nominal face so moved. Which of the three it is the points seldom decide: each counts by how
//! probable it is (by the criterion of Schwarz, "Estimating the dimension of a model", 1978, as Raftery, "Bayesian model
//! selection in social research", 1995, averages by it), so that a slope that noise feigns, which the farthest would follow,
//! counts little, and what they leave open is in the uncertainty. Depths are below the measured surface, so that a side that
//! lies higher or lower is not taken for one of another form; and near the edges of the face no point is taken, as those of
//! the surfaces beside it overhang there.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use nalgebra::{DMatrix, DVector};

use super::PlaneSection;
use super::contour::Contour;
use super::dimension::{
    DEFAULT_LENGTH_MM, Dimension, DimensionKind, MeasuredDimension, Outcome, Value, check_measured, cross, dot,
    end_margin_mm, fit, foot, measured, points_on,
};
use super::fitted::{self, FittedOutline, REJECTED_SIGMAS};
use super::outline::{self, Outline, Run};
use super::plane::PlanePoint;
use crate::features::fits::{CorrelatedNoise, LinearFit};
use crate::robust_scale::{self, SIGMA_OF_MEDIAN};
use geometry::Vector;

/// Surfaces next to a gap make no larger angle than this, degrees.
const MAX_SKEW_DEG: f64 = 30.0;
/// A face looks into the gap where its normal makes less than 30° with the direction across: its cosine.
const MIN_FACING: f64 = 0.866;
/// Number of depths at which the farthest of a face is looked for, beside those of its corners.
const DEPTHS: u32 = 200;
/// How often values that stand off are sought.
const REJECTIONS: usize = 3;
/// Greatest degree of the polynomial by which a face differs from that of the nominal.
const MAX_DEGREE: usize = 2;
/// How much less probable another degree is before anything is measured: ends of sheets are mostly cut straight.
const PRIOR_OF_DEGREE: f64 = 0.3;
/// Share of a face that is left out at each of its edges, and at most so much, mm.
const EDGE_SHARE: f64 = 0.1;
const MAX_EDGE_MM: f64 = 1.0;
/// Standard deviations of a normal distribution that contain 95 %.
const SIGMAS_95: f64 = 1.959_964;

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
        let face = end.measured(self.section, end.deeper_mm(&surface.outline))?;
        // What a short face shows of the noise is less than a long surface beside it does.
        let run = self.runs[side];
        let points = points_on(self.section, run, [0.0, 1.0]).unwrap_or_default();
        let probable = face.probable(fitted::noise(&run.outline, &points).as_ref());
        let of_surface = measured(&[surface], |moved| match moved {
            [surface] => Ok(end.measured(self.section, end.deeper_mm(surface))?.reach_mm(&probable.weights)),
            _ => Err("nothing to measure".to_owned()),
        })?;
        let of_end_mm2 = face.variance_mm2(&probable);
        // Expanded with k = 2.
        let of_surface_mm2 = of_surface.uncertainty.map(|own| (0.5 * own).powi(2));
        Ok((of_surface.value, of_end_mm2.zip(of_surface_mm2).map(|(end, surface)| end + surface)))
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

    /// What was measured of the end, whose surface lies so much deeper than the nominal along `inward`.
    fn measured(&self, section: &PlaneSection, deeper_mm: f64) -> Outcome<Face> {
        let face = self.face().ok_or("one of its ends has no face that looks into the gap")?;
        let face = &self.corners[face];
        let nominal: Vec<[f64; 2]> = face.iter().map(|own| self.depth_and_reach(&own.at)).collect();
        let ([first, last], [top_mm, bottom_mm]) = match (face, nominal.as_slice()) {
            ([first, .., last], [[top_mm, _], .., [bottom_mm, _]]) => ([first, last], [*top_mm, *bottom_mm]),
            _ => return Err("one of its ends has no face that looks into the gap".to_owned()),
        };
        let (middle_mm, half_mm) = (0.5 * (top_mm + bottom_mm), 0.5 * (bottom_mm - top_mm));
        let edge = (EDGE_SHARE * 2.0 * half_mm).min(MAX_EDGE_MM) / half_mm;
        let [begin, end] = if self.is_forward { [first, last] } else { [last, first] };
        let around_mm = self.contour.length_mm().max(f64::MIN_POSITIVE);
        // Where a side lies higher or lower, the nominal ends before its face does.
        let beside_mm = deeper_mm.abs() + 1e-6;
        let beyond_mm = |along_mm: f64| (along_mm - begin.along_mm + beside_mm).rem_euclid(around_mm);
        let (mut points, mut tenths) = (Vec::new(), [false; 10]);
        for own in section.measured.points.iter().filter(|own| own.contour == self.number) {
            let [depth_mm, reach_mm] = self.depth_and_reach(&own.at);
            let depth_mm = depth_mm - deeper_mm;
            let position = (depth_mm - middle_mm) / half_mm;
            if position.abs() <= 1.0 - edge
                && let Some(nominal_mm) = reach_at(&nominal, depth_mm)
                && beyond_mm(own.along_mm) <= beyond_mm(end.along_mm) + beside_mm
            {
                points.push([position, reach_mm - nominal_mm]);
                tenths[((5.0 * (position / (1.0 - edge) + 1.0)) as usize).min(9)] = true;
            }
        }
        check_measured(points.len(), &tenths, "ends")?;
        let steps = (0..=DEPTHS).map(|step| top_mm + 2.0 * half_mm * f64::from(step) / f64::from(DEPTHS));
        let depths = steps.chain(nominal.iter().map(|[depth_mm, _]| *depth_mm));
        let of_nominal = |depth_mm: f64| Some([(depth_mm - middle_mm) / half_mm, reach_at(&nominal, depth_mm)?]);
        let nominal = depths.filter_map(of_nominal).collect();
        Face::new(nominal, &points, half_mm)
            .ok_or_else(|| "no smooth face fits the points of one of its ends".to_owned())
    }
}

/// A measured face: how far it reaches beyond that of the nominal, over positions from -1 at its top to 1.
struct Face {
    /// Positions and how far the nominal reaches there, mm.
    nominal: Vec<[f64; 2]>,
    /// Positions of the points that do not stand off, and how much farther they reach, mm.
    points: Vec<[f64; 2]>,
    /// Half its height, mm.
    half_mm: f64,
    /// The polynomials of least squares by their degree.
    fits: Vec<[f64; MAX_DEGREE + 1]>,
}

/// How probable the polynomials of a face are.
struct Probable {
    weights: Vec<f64>,
    /// Covariance of their coefficients; `None` where it is not determined.
    covariances: Vec<Option<DMatrix<f64>>>,
}

impl Face {
    fn new(nominal: Vec<[f64; 2]>, points: &[[f64; 2]], half_mm: f64) -> Option<Self> {
        let mut kept = points.to_vec();
        // Values that stand off have pulled the first fits towards them.
        for _ in 0..REJECTIONS {
            let all = polynomial(&kept, MAX_DEGREE)?;
            let away = |own: &[f64; 2]| (own[1] - value(&all, own[0])).abs();
            let mut residuals: Vec<f64> = points.iter().map(away).collect();
            let limit = REJECTED_SIGMAS * SIGMA_OF_MEDIAN * robust_scale::median(&mut residuals)?;
            kept = points.iter().copied().filter(|own| away(own) <= limit).collect();
        }
        let fits = (0..=MAX_DEGREE).map(|degree| polynomial(&kept, degree)).collect::<Option<Vec<_>>>()?;
        Some(Self { nominal, points: kept, half_mm, fits })
    }

    /// How probable each of its polynomials is: one more degree by how much better it fits, in standard uncertainties of its
    /// coefficient, less what noise alone would make of it among so many points.
    fn probable(&self, noise: Option<&CorrelatedNoise>) -> Probable {
        let covariances: Vec<_> = (0..=MAX_DEGREE).map(|degree| self.covariance(degree, noise)).collect();
        let count = self.points.len() as f64;
        let mut logarithms = vec![0.0];
        for degree in 1..=MAX_DEGREE {
            let variance = covariances[degree].as_ref().map_or(f64::INFINITY, |own| own[(degree, degree)]);
            let freedom = (count - degree as f64 - 1.0).max(1.0);
            // Exact values are what they are.
            let square = (self.fits[degree][degree].powi(2) / variance.max(f64::MIN_POSITIVE)).min(1e9);
            let better = count * (square / freedom).ln_1p() - count.ln();
            logarithms.push(logarithms[degree - 1] + 0.5 * better + PRIOR_OF_DEGREE.ln());
        }
        let best = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logarithms.iter().map(|own| (own - best).exp()).collect();
        let sum: f64 = weights.iter().sum();
        Probable { weights: weights.into_iter().map(|own| own / sum).collect(), covariances }
    }

    /// Covariance of the coefficients of a polynomial, with noise that is known from elsewhere.
    fn covariance(&self, degree: usize, noise: Option<&CorrelatedNoise>) -> Option<DMatrix<f64>> {
        let fit = LinearFit {
            positions: self.points.iter().map(|own| Vector::new(own[0] * self.half_mm, 0.0, 0.0)).collect(),
            residuals: self.points.iter().map(|own| own[1] - value(&self.fits[degree], own[0])).collect(),
            rows: DMatrix::from_fn(self.points.len(), degree + 1, |index, power| powers(self.points[index][0])[power]),
        };
        let found = noise.map_or_else(|| fit.covariance(), |noise| fit.covariance_with(noise))?;
        Some(found / fitted::REMAINING_VARIANCE)
    }

    /// The farthest that the nominal face reaches, moved by a polynomial, mm, and at which position.
    fn farthest(&self, fit: &[f64; MAX_DEGREE + 1]) -> [f64; 2] {
        let reaches = self.nominal.iter().map(|[position, nominal_mm]| [nominal_mm + value(fit, *position), *position]);
        reaches.max_by(|a, b| a[0].total_cmp(&b[0])).unwrap_or([f64::NAN; 2])
    }

    /// The farthest that it reaches, mm, its polynomials counted by `weights`.
    fn reach_mm(&self, weights: &[f64]) -> f64 {
        self.fits.iter().zip(weights).map(|(fit, weight)| weight * self.farthest(fit)[0]).sum()
    }

    /// Variance of the farthest that it reaches, mm²: 1.96 standard deviations of it contain 95 % of what its polynomials leave
    /// open, and which of them it is. `None` where one of them has none.
    fn variance_mm2(&self, Probable { weights, covariances }: &Probable) -> Option<f64> {
        let mean_mm = self.reach_mm(weights);
        let mut parts = Vec::new();
        for ((fit, weight), covariance) in self.fits.iter().zip(weights).zip(covariances) {
            let [reach_mm, position] = self.farthest(fit);
            let covariance = covariance.as_ref()?;
            let row = DVector::from_fn(covariance.nrows(), |power, _| powers(position)[power]);
            parts.push((*weight, reach_mm - mean_mm, covariance.dot(&(&row * row.transpose())).max(0.0).sqrt()));
        }
        let outside = |limit: f64| -> f64 {
            let of = |&(weight, off_mm, sigma_mm): &(f64, f64, f64)| {
                let beyond = |way: f64| match sigma_mm > 0.0 {
                    true => 0.5 * libm::erfc(way / (sigma_mm * std::f64::consts::SQRT_2)),
                    false => f64::from(u8::from(way < 0.0)),
                };
                weight * (beyond(limit - off_mm) + beyond(limit + off_mm))
            };
            parts.iter().map(of).sum()
        };
        let (mut low, mut high) =
            (0.0, parts.iter().map(|(_, off_mm, sigma_mm)| off_mm.abs() + 6.0 * sigma_mm).fold(0.0, f64::max));
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            *(if outside(middle) > 0.05 { &mut low } else { &mut high }) = middle;
        }
        Some((high / SIGMAS_95).powi(2))
    }
}

/// How far a face reaches at a depth, mm; `None` beside it. `face`: depth and reach of its corners, from above.
fn reach_at(face: &[[f64; 2]], depth_mm: f64) -> Option<f64> {
    let next = face.partition_point(|own| own[0] < depth_mm).max(1);
    let ([from_mm, from], [to_mm, to]) = (face.get(next - 1)?, face.get(next)?);
    let share = (depth_mm - from_mm) / (to_mm - from_mm);
    (0.0..=1.0).contains(&share).then(|| from + share * (to - from))
}

/// The polynomial of least squares through points: its coefficients, from the constant on.
fn polynomial(points: &[[f64; 2]], degree: usize) -> Option<[f64; MAX_DEGREE + 1]> {
    if points.len() <= degree + 1 {
        return None;
    }
    let rows = DMatrix::from_fn(points.len(), degree + 1, |index, power| powers(points[index][0])[power]);
    let values = DVector::from_iterator(points.len(), points.iter().map(|own| own[1]));
    let found = rows.tr_mul(&rows).cholesky()?.solve(&rows.tr_mul(&values));
    Some(std::array::from_fn(|power| found.get(power).copied().unwrap_or(0.0)))
}

fn powers(position: f64) -> [f64; MAX_DEGREE + 1] {
    [1.0, position, position * position]
}

fn value([a, b, c]: &[f64; MAX_DEGREE + 1], position: f64) -> f64 {
    a + (b + c * position) * position
}
