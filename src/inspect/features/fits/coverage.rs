//! Coverage of the stated uncertainty intervals by simulation: partial features under noise that is partly correlated
//! over a known length.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::{Fit, Kernel, Options, Shape, fit};
use base::{Progress, Result, UserError, random::Random};
use geometry::{Point, Vector};

/// Standard deviations that contain 95 % of a normal distribution.
const SIGMAS_95: f64 = 1.96;

/// Points on part of a feature about the z axis, mm, with the outward normal at each.
pub struct Patch {
    /// Display name.
    pub name: &'static str,
    /// The true feature.
    pub shape: Shape,
    points: Vec<Point>,
    normals: Vec<Vector>,
}

/// Simulated noise along the surface normals.
#[derive(Clone, Copy, Debug)]
pub struct PatchNoise {
    /// Standard deviation, mm.
    pub sigma_mm: f64,
    /// Share of the variance that is correlated, 0 to 1.
    pub share: f64,
    /// Correlation function of that share.
    pub kernel: Kernel,
    /// Correlation length, mm.
    pub length_mm: f64,
}

/// Simulation result for a patch.
pub struct Coverage {
    /// For each parameter (translations, rotations, sizes) the share of the draws whose 95 % interval contains the true
    /// value.
    pub covered: Vec<f64>,
    /// The inflation stated by each fit ([`super::Uncertainty::inflation`]), ascending.
    pub inflations: Vec<f64>,
}

impl Coverage {
    /// Mean coverage over the parameters.
    pub fn mean(&self) -> f64 {
        self.covered.iter().sum::<f64>() / self.covered.len().max(1) as f64
    }
}

/// Patches of some tens of millimetres with `count` points each: a plane, a sphere, a cylinder and a cone.
pub fn patches(count: usize) -> Vec<Patch> {
    let plane =
        |random: &mut Random| (Point::new(random.range(-20.0, 20.0), random.range(-15.0, 15.0), 0.0), Vector::z());
    let sphere = |random: &mut Random| {
        let z = random.range(70.0_f64.to_radians().cos(), 1.0);
        let (sin, cos) = random.range(0.0, std::f64::consts::TAU).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        let normal = Vector::new(radius * cos, radius * sin, z);
        (Point::from(normal * 15.0), normal)
    };
    let cylinder = |random: &mut Random| {
        let (sin, cos) = random.range(-90.0_f64, 90.0).to_radians().sin_cos();
        (Point::new(10.0 * cos, 10.0 * sin, random.range(-20.0, 20.0)), Vector::new(cos, sin, 0.0))
    };
    let half_angle_rad = 20.0_f64.to_radians();
    let cone = |random: &mut Random| {
        let slope = half_angle_rad.tan();
        // Uniformly over the surface.
        let mut z = random.range(-15.0, 15.0);
        while random.uniform() > (15.0 + slope * z) / (15.0 + slope * 15.0) {
            z = random.range(-15.0, 15.0);
        }
        let (sin, cos) = random.range(-100.0_f64, 100.0).to_radians().sin_cos();
        let radius = 15.0 + slope * z;
        let normal = Vector::new(cos * half_angle_rad.cos(), sin * half_angle_rad.cos(), -half_angle_rad.sin());
        (Point::new(radius * cos, radius * sin, z), normal)
    };
    let (point, axis) = (Point::origin(), Vector::z());
    let patch = |name, shape, draw: &dyn Fn(&mut Random) -> (Point, Vector)| {
        let mut random = Random::new(0xF17, 0);
        let (points, normals) = (0..count).map(|_| draw(&mut random)).unzip();
        Patch { name, shape, points, normals }
    };
    vec![
        patch("Plane of 40 mm by 30 mm", Shape::Plane { point, normal: axis }, &plane),
        patch("Sphere of radius 15 mm, 70° about its top", Shape::Sphere { centre: point, radius: 15.0 }, &sphere),
        patch("Half a cylinder of radius 10 mm, 40 mm long", Shape::Cylinder { point, axis, radius: 10.0 }, &cylinder),
        patch(
            "Cone of radius 15 mm and 20°, 30 mm long, 200° round",
            Shape::Cone { point, axis, radius: 15.0, half_angle_rad },
            &cone,
        ),
    ]
}

/// Fits the patch under `draws` draws of the noise; returns an error if a fit fails.
pub fn coverage(patch: &Patch, noise: &PatchNoise, draws: usize) -> Result<Coverage> {
    let factor = factor(patch, noise)?;
    let options = Options { start: Some(patch.shape), ..Options::default() };
    let draw = |index: usize| -> Result<(Vec<bool>, f64)> {
        let mut random = Random::new(0xC0, index as u64);
        let normals = DVector::from_fn(patch.points.len(), |_, _| random.normal());
        let lifts = factor.as_ref().map_or_else(|| normals.clone(), |factor| factor * &normals) * noise.sigma_mm;
        let lifted = patch.points.iter().zip(&patch.normals).zip(lifts.iter());
        let points: Vec<Point> = lifted.map(|((point, normal), lift)| point + normal * *lift).collect();
        let fitted = fit(patch.shape.kind(), &points, &[], &options, &Progress::silent())?;
        let covers_truth = |(error, sigma): (f64, f64)| error.abs() < SIGMAS_95 * sigma;
        Ok((errors(&patch.shape, &fitted).into_iter().map(covers_truth).collect(), fitted.uncertainty.inflation))
    };
    let results = (0..draws).into_par_iter().map(draw).collect::<Result<Vec<_>>>()?;
    let parameters = results.first().map_or(0, |(covered, _)| covered.len());
    let share = |k: usize| results.iter().filter(|(covered, _)| covered[k]).count() as f64 / draws as f64;
    let mut inflations: Vec<f64> = results.iter().map(|(_, inflation)| *inflation).collect();
    inflations.sort_by(f64::total_cmp);
    Ok(Coverage { covered: (0..parameters).map(share).collect(), inflations })
}

/// Cholesky factor of the noise covariance in units of its variance; `None` for independent noise.
fn factor(patch: &Patch, noise: &PatchNoise) -> Result<Option<DMatrix<f64>>> {
    if !(noise.share > 0.0 && noise.length_mm > 0.0) {
        return Ok(None);
    }
    let count = patch.points.len();
    let covariance = DMatrix::from_fn(count, count, |i, j| {
        let distance_mm = (patch.points[i] - patch.points[j]).norm();
        let white = if i == j { 1.0 - noise.share } else { 0.0 };
        white + noise.share * noise.kernel.at(distance_mm / noise.length_mm)
    });
    let factor = covariance.cholesky().ok_or_else(|| UserError::usage("Part of the noise must be independent."))?;
    Ok(Some(factor.l()))
}

/// The error of each parameter and its stated standard deviation.
fn errors(truth: &Shape, fit: &Fit) -> Vec<(f64, f64)> {
    let position = fit.shape.position();
    let direction = fit.shape.direction().map_or_else(Vector::zeros, |direction| direction * direction.z.signum());
    let motion = |k: usize| fit.uncertainty.motion[(k, k)].max(0.0).sqrt();
    // Rotations about x and y displace the z axis along -y and x.
    let rotations = [(-direction.y, motion(3)), (direction.x, motion(4))];
    let translations = [(position.x, motion(0)), (position.y, motion(1)), (position.z, motion(2))];
    let size = |k: usize, error: f64| (error, fit.uncertainty.numbers[k] / 2.0);
    let mut errors: Vec<(f64, f64)> = match truth {
        Shape::Plane { .. } => translations[2..].to_vec(),
        Shape::Sphere { .. } => translations.to_vec(),
        _ => translations[..2].to_vec(),
    };
    if fit.shape.direction().is_some() {
        errors.extend(rotations);
    }
    match (*truth, fit.shape) {
        (Shape::Sphere { radius, .. }, Shape::Sphere { radius: found, .. })
        | (Shape::Cylinder { radius, .. }, Shape::Cylinder { radius: found, .. }) => {
            errors.push(size(0, found - radius));
        }
        (Shape::Cone { radius, half_angle_rad: truth, .. }, Shape::Cone { radius: found, half_angle_rad, .. }) => {
            // The radius refers to the reference point.
            errors.push(size(0, found - radius - truth.tan() * position.z));
            errors.push(size(1, half_angle_rad - truth));
        }
        _ => (),
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(which: usize) {
        let patch = &patches(600)[which];
        for length_mm in [0.0, 2.0, 6.0] {
            let noise = PatchNoise { sigma_mm: 0.01, share: 0.8, kernel: Kernel::Gaussian, length_mm };
            let found = coverage(patch, &noise, 100).unwrap();
            println!("{}, {length_mm} mm: {:?}, mean {:.3}", patch.name, found.covered, found.mean());
            assert!((0.91..=0.995).contains(&found.mean()), "{} {length_mm}: {:?}", patch.name, found.covered);
            assert!(found.inflations[0] >= 1.0);
            assert!(length_mm == 0.0 || found.inflations[0] > 1.5, "{:?}", found.inflations);
        }
    }

    #[test]
    fn intervals_of_planes_cover_the_truth_for_any_correlation_length() {
        covers(0);
    }

    #[test]
    fn intervals_of_spheres_cover_the_truth_for_any_correlation_length() {
        covers(1);
    }

    #[test]
    fn intervals_of_cylinders_cover_the_truth_for_any_correlation_length() {
        covers(2);
    }

    #[test]
    fn intervals_of_cones_cover_the_truth_for_any_correlation_length() {
        covers(3);
    }
}
