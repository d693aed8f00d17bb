//! A section as lines, for window, report and files.

use super::PlaneSection;
use super::plane::PlanePoint;
use super::whiskers::Whisker;
use crate::deviation::Tolerance;

/// Neighbouring whiskers are joined where their normals make less than this angle, as a cosine; elsewhere is a corner.
const JOINED_COSINE: f64 = 0.9;

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stroke {
    /// A contour of the nominal.
    Nominal,
    /// A limit of the tolerance.
    Limit,
    /// The measured contour.
    Measured,
    /// A deviation, mm, from the contour of the nominal to the measured one.
    Whisker(f64),
}

/// A line of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnLine {
    /// What it stands for.
    pub stroke: Stroke,
    /// Its corners, mm.
    pub points: Vec<PlanePoint>,
    /// Whether the last corner is joined to the first.
    pub is_closed: bool,
}

/// The lines of a plane, in the order of drawing, with deviations and limits `factor` times as large as they are.
pub fn lines(section: &PlaneSection, tolerance: &Tolerance, factor: f64) -> Vec<DrawnLine> {
    let mut lines = Vec::new();
    let open = |stroke, points| DrawnLine { stroke, points, is_closed: false };
    for run in section.whiskers.chunk_by(are_joined) {
        for limit_mm in [tolerance.low_mm, tolerance.high_mm] {
            let moved = |own: &Whisker| [0, 1].map(|axis| own.at[axis] + factor * limit_mm * own.normal[axis]);
            lines.push(open(Stroke::Limit, run.iter().map(moved).collect()));
        }
    }
    for own in &section.whiskers {
        if let Some(deviation_mm) = own.deviation_mm {
            lines.push(open(Stroke::Whisker(deviation_mm), vec![own.at, own.tip(factor)]));
        }
    }
    let is_run = |a: &Whisker, b: &Whisker| a.deviation_mm.is_some() == b.deviation_mm.is_some() && are_joined(a, b);
    for run in section.whiskers.chunk_by(is_run).filter(|run| run[0].deviation_mm.is_some()) {
        lines.push(open(Stroke::Measured, run.iter().map(|own| own.tip(factor)).collect()));
    }
    let contour = |own: &super::Contour| DrawnLine {
        stroke: Stroke::Nominal,
        points: own.points.clone(),
        is_closed: own.is_closed,
    };
    lines.extend(section.contours.iter().map(contour));
    lines.retain(|own| own.points.len() > 1);
    lines
}

/// Whether two neighbours lie on one smooth piece.
fn are_joined(a: &Whisker, b: &Whisker) -> bool {
    let cosine = a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1];
    a.contour == b.contour && cosine > JOINED_COSINE && (b.piece_mm[0] - a.piece_mm[1]).abs() < 1e-9
}

/// Lower and upper corner of all points, mm.
pub fn bounds<'a>(points: impl Iterator<Item = &'a PlanePoint>) -> [PlanePoint; 2] {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in points {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    [low, high]
}

/// The line of a dimension, led on to its value, and where that is written: at the middle one of three points, between two
/// that are far enough apart, or else beyond the second. Points and the height of the text in one unit.
pub fn labelled(points: &[[f64; 2]], height: f64) -> Option<(Vec<[f64; 2]>, [f64; 2])> {
    let at = label_at(points, height)?;
    let led = (points.len() == 2).then_some(at);
    Some((points.iter().copied().chain(led).collect(), at))
}

fn label_at(points: &[[f64; 2]], height: f64) -> Option<[f64; 2]> {
    match points {
        [a, b] => {
            let way = [b[0] - a[0], b[1] - a[1]];
            let long = way[0].hypot(way[1]);
            if long < 1e-3 * height {
                return Some([b[0], b[1] - 1.8 * height]);
            }
            let share = if long > 3.0 * height { 0.5 } else { 1.0 + 1.8 * height / long };
            Some([0, 1].map(|axis| a[axis] + share * way[axis]))
        }
        points => points.get(points.len() / 2).copied(),
    }
}

/// A round factor by which deviations and limits are well seen: the larger of the two takes about a twelfth of the
/// drawing.
pub fn readable_factor(section: &PlaneSection, tolerance: &Tolerance) -> f64 {
    let [low, high] = bounds(section.contours.iter().flat_map(|own| &own.points));
    let size_mm = (high[0] - low[0]).hypot(high[1] - low[1]);
    let mut deviations: Vec<f64> = section.whiskers.iter().filter_map(|own| own.deviation_mm).map(f64::abs).collect();
    deviations.sort_by(f64::total_cmp);
    // Few large ones may reach farther.
    let typical_mm = deviations.get(deviations.len() * 95 / 100).copied().unwrap_or(0.0);
    let wanted = size_mm / 12.0 / typical_mm.max(tolerance.largest_mm()).max(1e-9);
    round_number(wanted.max(1.0))
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above `value`, which is positive.
pub fn round_number(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [5.0, 2.0].into_iter().map(|step| step * power).find(|number| *number <= value).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::contour::Contour;
    use crate::section::measured::{Measured, MeasuredPoint};
    use crate::section::{Placement, whiskers};

    #[test]
    fn deviations_and_limits_are_drawn_enlarged_and_contours_as_they_are() {
        let square = Contour::of_points(vec![[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]], true);
        let points: Vec<MeasuredPoint> = (0..400)
            .map(|i| MeasuredPoint { at: [0.0; 2], deviation_mm: 0.2, contour: 0, along_mm: 0.2 + 0.4 * f64::from(i) })
            .collect();
        let contours = vec![square];
        let whiskers = whiskers::of(&contours, &points, 4.0);
        let plane = Placement::Axis { axis: 2, at_mm: 0.0 }.plane().unwrap();
        let section =
            PlaneSection { number: 0, plane, name: String::new(), contours, measured: Measured::default(), whiskers };
        let tolerance = Tolerance { low_mm: -0.1, high_mm: 0.1 };
        let factor = readable_factor(&section, &tolerance);
        assert!((factor - 20.0).abs() < 1e-12, "{factor}");
        let lines = lines(&section, &tolerance, factor);
        let of = |wanted: Stroke| lines.iter().filter(move |own| own.stroke == wanted);
        // One limit on each side of each of the four sides; corners are not joined.
        assert_eq!((of(Stroke::Limit).count(), of(Stroke::Measured).count()), (8, 4));
        let below = of(Stroke::Measured).next().unwrap();
        assert!(below.points.iter().all(|point| (point[1] + 4.0).abs() < 1e-12), "{below:?}");
        assert_eq!(of(Stroke::Whisker(0.2)).count(), 40);
        assert_eq!(of(Stroke::Nominal).next().unwrap().points.len(), 4);
    }
}
