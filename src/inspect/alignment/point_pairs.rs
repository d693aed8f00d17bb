//! Alignment by picked point pairs.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};
use geometry::{Point, Pose, Vector, closed_form};

/// A picked point on the nominal and the corresponding point on the scan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointPair {
    /// On the nominal, nominal frame, mm.
    pub nominal: Point,
    /// On the scan, scan frame, mm.
    pub scan: Point,
    /// Whether the pair is used in the fit.
    pub enabled: bool,
}

/// Pose fitted to point pairs, with residuals.
#[derive(Clone, Debug, PartialEq)]
pub struct PairFit {
    /// Maps the scan onto the nominal.
    pub nominal_from_scan: Pose,
    /// Distance between the points of each pair after alignment, disabled pairs included, mm.
    pub residuals_mm: Vec<f64>,
    /// Root mean square over the enabled pairs, mm; this is minimised.
    pub rms_mm: f64,
}

/// The pose that minimises the sum of squared distances of the enabled pairs ([`closed_form`]).
///
/// Returns an error for fewer than three enabled pairs, and if they are collinear.
pub fn fit(pairs: &[PointPair]) -> Result<PairFit> {
    let enabled: Vec<&PointPair> = pairs.iter().filter(|pair| pair.enabled).collect();
    if enabled.len() < 3 {
        return Err(UserError::input(format!(
            "Three point pairs are needed to align; {} are enabled. Pick more on both parts.",
            enabled.len()
        )));
    }
    let count = enabled.len() as f64;
    let centre = |point: fn(&PointPair) -> Point| enabled.iter().map(|pair| point(pair).coords).sum::<Vector>() / count;
    let (nominal_centre, scan_centre) = (centre(|pair| pair.nominal), centre(|pair| pair.scan));
    let mut covariance = nalgebra::Matrix3::zeros();
    for pair in &enabled {
        covariance += (pair.scan.coords - scan_centre) * (pair.nominal.coords - nominal_centre).transpose();
    }
    let nominal_from_scan = closed_form::rigid_motion(&nominal_centre.into(), &scan_centre.into(), &covariance)
        .ok_or_else(|| {
            UserError::input(
                "The point pairs lie on a line (or coincide), so the rotation about it is undetermined; pick one off \
                 the line.",
            )
        })?;
    let residuals_mm: Vec<f64> =
        pairs.iter().map(|pair| (nominal_from_scan * pair.scan - pair.nominal).norm()).collect();
    let squares: f64 =
        pairs.iter().zip(&residuals_mm).filter(|(pair, _)| pair.enabled).map(|(_, residual)| residual * residual).sum();
    Ok(PairFit { nominal_from_scan, residuals_mm, rms_mm: (squares / count).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::transform;

    fn random_pairs(count: usize, random: &mut Random, pose: &Pose) -> Vec<PointPair> {
        (0..count)
            .map(|_| {
                let scan = Point::new(random.normal(), random.normal(), random.normal()) * 50.0;
                PointPair { nominal: pose * scan, scan, enabled: true }
            })
            .collect()
    }

    #[test]
    fn exact_pairs_give_the_pose_to_full_precision() {
        let mut random = Random::new(6, 0);
        for _ in 0..200 {
            let pose = Pose::from_parts(Vector::new(10.0, -300.0, 5.0).into(), random.rotation());
            let fit = fit(&random_pairs(4, &mut random, &pose)).unwrap();
            let (shift, angle) = transform::difference(&fit.nominal_from_scan, &pose, &Point::origin());
            assert!(shift < 1e-10 && angle.to_degrees() < 1e-10, "{shift} {angle}");
            assert!(fit.rms_mm < 1e-10);
        }
    }

    #[test]
    fn a_wrong_pair_has_the_largest_residual_and_can_be_disabled() {
        let mut random = Random::new(7, 0);
        let pose = Pose::rotation(Vector::new(0.3, 0.2, 0.1));
        let mut pairs = random_pairs(6, &mut random, &pose);
        pairs[2].nominal.x += 5.0;
        let with = fit(&pairs).unwrap();
        let worst = (0..6).max_by(|&a, &b| with.residuals_mm[a].total_cmp(&with.residuals_mm[b]));
        assert_eq!(worst, Some(2));
        pairs[2].enabled = false;
        let without = fit(&pairs).unwrap();
        assert!(without.rms_mm < 1e-9 && (without.residuals_mm[2] - 5.0).abs() < 1e-9);
    }

    #[test]
    fn mirrored_pairs_give_a_rotation_never_a_reflection() {
        let mut random = Random::new(8, 0);
        let mut pairs = random_pairs(8, &mut random, &Pose::identity());
        pairs.iter_mut().for_each(|pair| pair.nominal.x = -pair.nominal.x);
        let fit = fit(&pairs).unwrap();
        assert!((fit.nominal_from_scan.rotation.to_rotation_matrix().matrix().determinant() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn two_pairs_and_collinear_pairs_are_errors() {
        let pair =
            |x: f64| PointPair { nominal: Point::new(x, 0.0, 0.0), scan: Point::new(0.0, x, 1.0), enabled: true };
        assert!(fit(&[pair(0.0), pair(1.0)]).unwrap_err().sentence.contains("Three point pairs"));
        let line: Vec<PointPair> = (0..5).map(|i| pair(f64::from(i))).collect();
        assert!(fit(&line).unwrap_err().sentence.contains("on a line"));
        assert!(fit(&[pair(1.0); 4]).is_err());
    }
}
