//! Coverage of the uncertainties that dimensions in sections state, by simulation: points of a part under noise that is
//! independent or correlated over a known length along its contour.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::PlaneSection;
use super::contour::{Contour, Foot};
use super::dimension::{Dimension, DimensionKind};
use super::measured::{Measured, MeasuredPoint};
use super::plane::{PlanePoint, SectionPlane};
use base::random::Random;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Simulated noise, along the normals of the contour.
#[derive(Clone, Copy, Debug)]
pub struct ContourNoise {
    /// Standard deviation, mm.
    pub sigma_mm: f64,
    /// Share of the variance that is correlated, 0 to 1.
    pub share: f64,
    /// Length over which it is, mm: exp(-x²) of the distance.
    pub length_mm: f64,
}

/// What a simulation found of one dimension.
#[derive(Clone, Debug, serde::Serialize)]
pub struct DimensionCoverage {
    /// What was measured.
    pub case: String,
    /// Share of the draws whose expanded uncertainty contains the true value.
    pub covered: f64,
    /// Mean error, mm or degrees.
    pub bias: f64,
    /// Median of the stated expanded uncertainties, mm or degrees.
    pub median_uncertainty: f64,
    /// Share of the draws in which there was no value, or no uncertainty.
    pub missing: f64,
}

/// A part whose dimensions are measured, and where the true part differs from the nominal.
pub struct Trial {
    /// Contours of the nominal, and where each of their points is on the true part.
    contours: Vec<Contour>,
    truth: Vec<Contour>,
    dimensions: Vec<(String, Dimension)>,
}

/// Spacing of the simulated points along the contours, mm.
const SPACING_MM: f64 = 0.12;

impl Trial {
    /// A stepped block, some 60 mm long, with a half round: distance, step, angle and radius.
    pub fn block() -> Self {
        // Chords that stand off the arc by far less than its uncertainty.
        let arc = (0..=240).map(|i| {
            let angle = std::f64::consts::PI * (1.5 + f64::from(i) / 240.0);
            [60.0 + 10.0 * angle.cos(), 10.0 + 10.0 * angle.sin()]
        });
        // Counter-clockwise: bottom, half round, top, a slope of 30°, a step, and back.
        let mut points: Vec<PlanePoint> = vec![[0.0, 0.0]];
        points.extend(arc);
        let run_mm = 15.0 * 3.0_f64.sqrt();
        points.extend([[60.0 - 30.0, 20.0], [30.0 - 0.5 * run_mm, 12.5], [0.0, 12.5]]);
        let contours = vec![Contour::of_points(points, true)];
        let of = |name: &str, kind, picks: Vec<PlanePoint>| {
            (name.to_owned(), Dimension { kind, plane: 0, picks, tolerance: None, extent_mm: None })
        };
        let [bottom, top, slope] = [[25.0, 0.0], [45.0, 20.0], [30.0 - 0.25 * run_mm, 16.25]];
        Self {
            truth: contours.clone(),
            contours,
            dimensions: vec![
                of("Distance of lines of 60 mm and 30 mm", DimensionKind::Distance, vec![bottom, top]),
                of("Step of lines of 17 mm and 30 mm", DimensionKind::Step, vec![[8.0, 12.5], top]),
                of("Angle of lines of 30 mm and 15 mm", DimensionKind::Angle, vec![top, slope]),
                of("Radius of 10 mm, half round", DimensionKind::Radius, vec![[70.0, 10.0]]),
            ],
        }
    }

    /// Two sheets of 3 mm, 4 mm apart, the second of which is higher by `step_mm`, nearer by `nearer_mm` and turned by
    /// `turn_deg` about its upper edge at the gap.
    pub fn sheets(step_mm: f64, nearer_mm: f64, turn_deg: f64) -> Self {
        let sheet = |from: f64| {
            Contour::of_points(vec![[from, 0.0], [from + 50.0, 0.0], [from + 50.0, 3.0], [from, 3.0]], true)
        };
        let contours = vec![sheet(0.0), sheet(54.0)];
        let (sin, cos) = turn_deg.to_radians().sin_cos();
        let moved = |[x, y]: PlanePoint| {
            let (x, y) = (x - 54.0, y - 3.0);
            [54.0 - nearer_mm + cos * x - sin * y, 3.0 + step_mm + sin * x + cos * y]
        };
        let second = Contour::of_points(contours[1].points.iter().copied().map(moved).collect(), true);
        let dimension = Dimension {
            kind: DimensionKind::Gap,
            plane: 0,
            picks: vec![[45.0, 3.0], [60.0, 3.0]],
            tolerance: None,
            extent_mm: None,
        };
        let name = format!("Gap, step {step_mm:+} mm, nearer by {nearer_mm} mm, turned by {turn_deg}°");
        Self { truth: vec![contours[0].clone(), second], contours, dimensions: vec![(name, dimension)] }
    }

    /// Gaps between [`Self::sheets`] with steps of either sign, other widths and angles.
    pub fn gaps() -> [Self; 6] {
        [
            (0.0, 0.0, 0.0),
            (0.385, 0.195, -0.23),
            (-0.385, 0.1, 0.4),
            (0.6, -0.3, 1.0),
            (-0.2, 0.2, 0.0),
            (0.05, 0.2, 0.1),
        ]
        .map(|(step_mm, nearer_mm, turn_deg)| Self::sheets(step_mm, nearer_mm, turn_deg))
    }

    /// Of each dimension, how often its stated uncertainty contains the true value in so many draws.
    ///
    /// Returns an error if all of the noise is correlated.
    pub fn coverage(&self, noise: &ContourNoise, draws: usize) -> Result<Vec<DimensionCoverage>> {
        let pieces = self.pieces(noise)?;
        let results: Vec<Vec<Option<[f64; 2]>>> =
            (0..draws).into_par_iter().map(|index| self.draw(&pieces, noise, index)).collect();
        let of = |(which, (case, _)): (usize, &(String, Dimension))| {
            let found: Vec<[f64; 2]> = results.iter().filter_map(|own| own[which]).collect();
            let count = found.len().max(1) as f64;
            let mut uncertainties: Vec<f64> = found.iter().map(|own| own[1]).collect();
            uncertainties.sort_by(f64::total_cmp);
            DimensionCoverage {
                case: case.clone(),
                covered: found.iter().filter(|[error, uncertainty]| error.abs() <= *uncertainty).count() as f64 / count,
                bias: found.iter().map(|own| own[0]).sum::<f64>() / count,
                median_uncertainty: uncertainties.get(uncertainties.len() / 2).copied().unwrap_or(f64::NAN),
                missing: 1.0 - found.len() as f64 / draws as f64,
            }
        };
        Ok(self.dimensions.iter().enumerate().map(of).collect())
    }

    /// Points of the true part, by its smooth pieces, within which noise is correlated.
    fn pieces(&self, noise: &ContourNoise) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        for (number, truth) in (0..).zip(&self.truth) {
            for [from_mm, to_mm] in truth.pieces_mm() {
                let count = ((to_mm - from_mm) / SPACING_MM).max(1.0) as usize;
                let at = |index: usize| from_mm + (to_mm - from_mm) * (index as f64 + 0.5) / count as f64;
                let feet: Vec<Foot> = (0..count).map(|index| truth.at(number, at(index))).collect();
                pieces.push(Piece { factor: factor(&feet, noise)?, feet });
            }
        }
        Ok(pieces)
    }

    /// Errors and uncertainties of the dimensions in one draw.
    fn draw(&self, pieces: &[Piece], noise: &ContourNoise, index: usize) -> Vec<Option<[f64; 2]>> {
        let mut random = Random::new(0x5EC7, index as u64);
        let mut points = Vec::new();
        for piece in pieces {
            let normals = DVector::from_fn(piece.feet.len(), |_, _| random.normal());
            let lifts =
                piece.factor.as_ref().map_or_else(|| normals.clone(), |factor| factor * &normals) * noise.sigma_mm;
            for (foot, lift) in piece.feet.iter().zip(lifts.iter()) {
                let at = [0, 1].map(|axis| foot.at[axis] + lift * foot.normal[axis]);
                points.extend(self.nearest(foot.contour, at));
            }
        }
        points.sort_by(|a, b| a.contour.cmp(&b.contour).then(a.along_mm.total_cmp(&b.along_mm)));
        let plane = SectionPlane::new(Point::origin(), Vector::z());
        let [contours, truth] = [&self.contours, &self.truth].map(|own| PlaneSection {
            number: 0,
            plane,
            name: String::new(),
            contours: own.clone(),
            measured: Measured { points: points.clone(), ..Measured::default() },
            whiskers: Vec::new(),
        });
        let of = |(_, dimension): &(String, Dimension)| {
            let picks = dimension.picks.iter().filter_map(|pick| truth.on_contour(*pick)).collect();
            let true_value =
                Dimension { picks, ..dimension.clone() }.measure(std::slice::from_ref(&truth), false).nominal.ok()?;
            let found = dimension.measure(std::slice::from_ref(&contours), true);
            Some([found.measured?.ok()? - true_value, found.uncertainty?])
        };
        self.dimensions.iter().map(of).collect()
    }

    /// A point as a section has it: with the nearest position on its nominal contour.
    fn nearest(&self, contour: u32, at: PlanePoint) -> Option<MeasuredPoint> {
        let own = &self.contours[contour as usize];
        let mut best: Option<(f64, f64)> = None;
        for segment in 0..own.segment_count() {
            let [from, to] = own.segment(segment);
            let (way, there) = ([to[0] - from[0], to[1] - from[1]], [at[0] - from[0], at[1] - from[1]]);
            let share = ((way[0] * there[0] + way[1] * there[1]) / (way[0] * way[0] + way[1] * way[1])).clamp(0.0, 1.0);
            let away_mm = (there[0] - share * way[0]).hypot(there[1] - share * way[1]);
            if best.is_none_or(|(least_mm, _)| away_mm < least_mm) {
                best = Some((away_mm, own.start_mm(segment) + share * own.length_of(segment)));
            }
        }
        best.map(|(deviation_mm, along_mm)| MeasuredPoint { at, deviation_mm, contour, along_mm })
    }
}

struct Piece {
    feet: Vec<Foot>,
    /// Cholesky factor of the covariance of the noise in units of its variance; `None` for independent noise.
    factor: Option<DMatrix<f64>>,
}

fn factor(feet: &[Foot], noise: &ContourNoise) -> Result<Option<DMatrix<f64>>> {
    if !(noise.share > 0.0 && noise.length_mm > 0.0) {
        return Ok(None);
    }
    let covariance = DMatrix::from_fn(feet.len(), feet.len(), |i, j| {
        let away_mm = (feet[i].at[0] - feet[j].at[0]).hypot(feet[i].at[1] - feet[j].at[1]);
        let white = if i == j { 1.0 - noise.share } else { 0.0 };
        white + noise.share * (-(away_mm / noise.length_mm).powi(2)).exp()
    });
    let factor = covariance.cholesky().ok_or_else(|| UserError::usage("Part of the noise must be independent."))?;
    Ok(Some(factor.l()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGMA_MM: f64 = 0.01;

    /// A few draws of what `bench sections` tries often.
    #[test]
    fn stated_uncertainties_contain_the_true_value() {
        const DRAWS: usize = 40;
        for length_mm in [0.0, 3.0, 10.0] {
            let noise = ContourNoise { sigma_mm: SIGMA_MM, share: 0.8, length_mm };
            let found = Trial::block().coverage(&noise, DRAWS).unwrap();
            let mean = found.iter().map(|own| own.covered).sum::<f64>() / found.len() as f64;
            // Over its whole length, a line shows little of what is correlated; a longer one beside it shows more.
            let [least, least_mean] = if length_mm > 5.0 { [0.65, 0.78] } else { [0.82, 0.9] };
            assert!(
                found.iter().all(|own| own.missing == 0.0 && own.covered > least) && mean > least_mean,
                "{length_mm} mm: {found:?}"
            );
        }
    }

    /// Steps of either sign, other widths and angles: no bias beyond a fraction of what is stated.
    #[test]
    fn gaps_between_sheets_of_other_heights_are_not_biased() {
        const DRAWS: usize = 40;
        let noise = ContourNoise { sigma_mm: SIGMA_MM, share: 0.0, length_mm: 0.0 };
        for trial in Trial::gaps() {
            let found = &trial.coverage(&noise, DRAWS).unwrap()[0];
            assert!(found.bias.abs() < 0.6 * found.median_uncertainty, "{found:?}");
            assert!(
                found.missing == 0.0 && found.covered > 0.82 && found.median_uncertainty < 2.5 * SIGMA_MM,
                "{found:?}"
            );
        }
    }
}
