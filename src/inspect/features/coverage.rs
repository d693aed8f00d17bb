//! How often the intervals that fits state hold the truth, by simulation: parts of features under noise that is partly
//! correlated over a known length.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::{Fit, Kernel, Options, Shape, fit};
use base::{Progress, Result, UserError, random::Random};
use geometry::{Point, Vector};

/// Standard deviations within which 95 % of a normal distribution lie.
const OF_95: f64 = 1.96;

/// A part of a feature about the z axis, and the way out of the surface at each point, mm.
pub struct Patch {
    /// For people.
    pub name: &'static str,
    /// The feature.
    pub shape: Shape,
    points: Vec<Point>,
    normals: Vec<Vector>,
}

/// Noise along the surface's normals.
#[derive(Clone, Copy, Debug)]
pub struct PatchNoise {
    /// Its standard deviation, mm.
    pub sigma_mm: f64,
    /// Share of its variance that is correlated.
    pub share: f64,
    /// How.
    pub kernel: Kernel,
    /// Over which length, mm.
    pub length_mm: f64,
}

/// What was found of a patch under noise.
pub struct Coverage {
    /// For each parameter (shifts, turns, numbers) the share of the draws whose interval of 95 % holds the truth.
    pub covered: Vec<f64>,
    /// The inflation that the fits stated ([`super::Uncertainty::inflation`]), ascending.
    pub inflations: Vec<f64>,
}

impl Coverage {
    /// Mean over the parameters.
    pub fn mean(&self) -> f64 {
        self.covered.iter().sum::<f64>() / self.covered.len().max(1) as f64
    }
}

/// Patches of some tens of millimetres with so many points: a plane, a sphere, a cylinder and a cone.
pub fn patches(count: usize) -> Vec<Patch> {
    let plane =
        |random: &mut Random| (Point::new(random.range(-20.0, 20.0), random.range(-15.0, 15.0), 0.0), Vector::z());
    let sphere = |random: &mut Random| {
        let z = random.range(70.0_f64.to_radians().cos(), 1.0);
        let (sin, cos) = random.range(0.0, std::f64::consts::TAU).sin_cos();
        let across = (1.0 - z * z).sqrt();
        let normal = Vector::new(across * cos, across * sin, z);
        (Point::from(normal * 15.0), normal)
    };
    let cylinder = |random: &mut Random| {
        let (sin, cos) = random.range(-90.0_f64, 90.0).to_radians().sin_cos();
        (Point::new(10.0 * cos, 10.0 * sin, random.range(-20.0, 20.0)), Vector::new(cos, sin, 0.0))
    };
    let half_angle_rad = 20.0_f64.to_radians();
    let cone = |random: &mut Random| {
        let slope = half_angle_rad.tan();
        // Evenly over the surface.
        let mut z = random.range(-15.0, 15.0);
        while random.uniform() > (15.0 + slope * z) / (15.0 + slope * 15.0) {
            z = random.range(-15.0, 15.0);
        }
        let (sin, cos) = random.range(-100.0_f64, 100.0).to_radians().sin_cos();
        let across = 15.0 + slope * z;
        let normal = Vector::new(cos * half_angle_rad.cos(), sin * half_angle_rad.cos(), -half_angle_rad.sin());
        (Point::new(across * cos, across * sin, z), normal)
    };
    let (point, axis) = (Point::origin(), Vector::z());
    let patch = |name, shape, place: &dyn Fn(&mut Random) -> (Point, Vector)| {
        let mut random = Random::new(0xF17, 0);
        let (points, normals) = (0..count).map(|_| place(&mut random)).unzip();
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

/// Fits the patch under so many draws of the noise. Fails with a sentence where a fit does.
pub fn coverage(patch: &Patch, noise: &PatchNoise, draws: usize) -> Result<Coverage> {
    let factor = factor(patch, noise)?;
    let options = Options { start: Some(patch.shape), ..Options::default() };
    let draw = |number: usize| -> Result<(Vec<bool>, f64)> {
        let mut random = Random::new(0xC0, number as u64);
        let normals = DVector::from_fn(patch.points.len(), |_, _| random.normal());
        let lifts = factor.as_ref().map_or_else(|| normals.clone(), |factor| factor * &normals) * noise.sigma_mm;
        let lifted = patch.points.iter().zip(&patch.normals).zip(lifts.iter());
        let points: Vec<Point> = lifted.map(|((point, normal), lift)| point + normal * *lift).collect();
        let fitted = fit(patch.shape.kind(), &points, &[], &options, &Progress::silent())?;
        let holds = |(error, sigma): (f64, f64)| error.abs() < OF_95 * sigma;
        Ok((errors(&patch.shape, &fitted).into_iter().map(holds).collect(), fitted.uncertainty.inflation))
    };
    let drawn = (0..draws).into_par_iter().map(draw).collect::<Result<Vec<_>>>()?;
    let parameters = drawn.first().map_or(0, |(held, _)| held.len());
    let share = |k: usize| drawn.iter().filter(|(held, _)| held[k]).count() as f64 / draws as f64;
    let mut inflations: Vec<f64> = drawn.iter().map(|(_, inflation)| *inflation).collect();
    inflations.sort_by(f64::total_cmp);
    Ok(Coverage { covered: (0..parameters).map(share).collect(), inflations })
}

/// A factor of the covariance of the noise in units of its variance; `None` where it is the unit matrix.
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
    let factor = covariance.cholesky().ok_or_else(|| UserError::usage("The noise must be partly independent."))?;
    Ok(Some(factor.l()))
}

/// By how much each parameter is off, and its stated standard deviation.
fn errors(truth: &Shape, fit: &Fit) -> Vec<(f64, f64)> {
    let place = fit.shape.place();
    let direction = fit.shape.direction().map_or_else(Vector::zeros, |own| own * own.z.signum());
    let motion = |k: usize| fit.uncertainty.motion[(k, k)].max(0.0).sqrt();
    // Turned about x and y, the z axis goes along -y and x.
    let turns = [(-direction.y, motion(3)), (direction.x, motion(4))];
    let shifts = [(place.x, motion(0)), (place.y, motion(1)), (place.z, motion(2))];
    let number = |k: usize, error: f64| (error, fit.uncertainty.numbers[k] / 2.0);
    let mut errors: Vec<(f64, f64)> = match truth {
        Shape::Plane { .. } => shifts[2..].to_vec(),
        Shape::Sphere { .. } => shifts.to_vec(),
        _ => shifts[..2].to_vec(),
    };
    if fit.shape.direction().is_some() {
        errors.extend(turns);
    }
    match (*truth, fit.shape) {
        (Shape::Sphere { radius, .. }, Shape::Sphere { radius: found, .. })
        | (Shape::Cylinder { radius, .. }, Shape::Cylinder { radius: found, .. }) => {
            errors.push(number(0, found - radius));
        }
        (Shape::Cone { radius, half_angle_rad: truth, .. }, Shape::Cone { radius: found, half_angle_rad, .. }) => {
            // The radius is that at the place.
            errors.push(number(0, found - radius - truth.tan() * place.z));
            errors.push(number(1, half_angle_rad - truth));
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
    fn intervals_of_planes_hold_the_truth_whatever_the_correlation_length() {
        covers(0);
    }

    #[test]
    fn intervals_of_spheres_hold_the_truth_whatever_the_correlation_length() {
        covers(1);
    }

    #[test]
    fn intervals_of_cylinders_hold_the_truth_whatever_the_correlation_length() {
        covers(2);
    }

    #[test]
    fn intervals_of_cones_hold_the_truth_whatever_the_correlation_length() {
        covers(3);
    }
}
