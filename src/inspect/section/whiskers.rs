//! Whiskers: deviations along the contours, the median of the points of a short piece each.

use serde::Serialize;

use super::contour::{Contour, Foot};
use super::measured::MeasuredPoint;
use super::plane::PlanePoint;

/// Fewer points than these do not measure a piece: one of them may be astray.
const MIN_POINTS: usize = 3;

/// A piece of a contour, and what was measured there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Whisker {
    /// Number of the contour.
    pub contour: u32,
    /// Where the piece begins and ends along the contour, mm.
    pub piece_mm: [f64; 2],
    /// Middle of the piece, mm.
    pub at: PlanePoint,
    /// Unit normal there, to the outside.
    pub normal: PlanePoint,
    /// Median deviation of its points, mm, positive outside; `None` if there are too few.
    pub deviation_mm: Option<f64>,
    /// Number of its points.
    pub points: usize,
}

/// The whiskers of `contours`, about one each `every_mm`. `points`: along the contours.
pub fn of(contours: &[Contour], points: &[MeasuredPoint], every_mm: f64) -> Vec<Whisker> {
    let mut whiskers = Vec::new();
    for (number, contour) in contours.iter().enumerate() {
        let number = number as u32;
        let from = points.partition_point(|point| point.contour < number);
        let to = points.partition_point(|point| point.contour <= number);
        let own = &points[from..to];
        for [begin_mm, end_mm] in contour.pieces_mm() {
            let count = ((end_mm - begin_mm) / every_mm).round().max(1.0);
            for index in 0..count as usize {
                let bound = |index: usize| begin_mm + (end_mm - begin_mm) * (index as f64 / count);
                let piece_mm = [bound(index), bound(index + 1)];
                // The last one has its end.
                let is_last = piece_mm[1] >= contour.length_mm();
                let from = own.partition_point(|point| point.along_mm < piece_mm[0]);
                let to = own.partition_point(|point| point.along_mm < piece_mm[1] || is_last);
                let mut deviations: Vec<f64> = own[from..to].iter().map(|point| point.deviation_mm).collect();
                let Foot { at, normal, .. } = contour.at(number, 0.5 * (piece_mm[0] + piece_mm[1]));
                let (deviation_mm, points) = (median(&mut deviations), deviations.len());
                whiskers.push(Whisker { contour: number, piece_mm, at, normal, deviation_mm, points });
            }
        }
    }
    whiskers
}

impl Whisker {
    /// Length of the piece, mm.
    pub fn length_mm(&self) -> f64 {
        self.piece_mm[1] - self.piece_mm[0]
    }

    /// The middle of the piece moved by the deviation times `factor`.
    pub fn tip(&self, factor: f64) -> PlanePoint {
        let moved_mm = factor * self.deviation_mm.unwrap_or(0.0);
        [0, 1].map(|axis| self.at[axis] + moved_mm * self.normal[axis])
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    if values.len() < MIN_POINTS {
        return None;
    }
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if is_odd {
        return Some(upper);
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(0.5 * (lower + upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_short_pieces_follow_the_deviation_and_leave_out_what_was_not_measured() {
        let square = Contour::of_points(vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], true);
        // Only the first side, one point astray.
        let points: Vec<MeasuredPoint> = (0..40)
            .map(|i| {
                let along_mm = 0.05 + 0.1 * f64::from(i);
                let deviation_mm = if i == 7 { 9.0 } else { 0.1 * along_mm };
                MeasuredPoint { at: [along_mm, -deviation_mm], deviation_mm, contour: 0, along_mm }
            })
            .collect();
        let whiskers = of(&[square], &points, 1.0);
        assert_eq!(whiskers.len(), 16);
        for (index, own) in whiskers.iter().enumerate() {
            match own.deviation_mm {
                Some(deviation) => {
                    assert!(index < 4 && (deviation - 0.1 * (index as f64 + 0.5)).abs() < 0.011, "{own:?}")
                }
                None => assert!(index >= 4 && own.points == 0),
            }
            assert!((own.length_mm() - 1.0).abs() < 1e-12);
        }
        let total: f64 = whiskers.iter().map(Whisker::length_mm).sum();
        assert!((total - 16.0).abs() < 1e-12);
    }
}
