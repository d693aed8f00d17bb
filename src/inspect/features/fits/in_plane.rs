//! Lines and circles fitted in a given plane to points projected onto it.

use nalgebra::{DMatrix, Matrix3, Matrix6};

use super::drawn::Drawn;
use super::lobes::{Lobes, Row};
use super::planar::{Frame, PlanePoint, Solution, solve};
use super::uncertainty::{few_residuals_factor, small_sample_factor};
use super::{Fit, Kind, Options, Shape, Uncertainty, fit, unconverged, undetermined};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// Fits a line or a circle in `plane` to `points` projected onto it, mm, by least squares of the distances in the
/// plane. Weights and options are those of [`super::fit`].
///
/// Unlike with [`super::fit`], deviations out of the plane affect neither the fit nor its results: residuals are signed
/// (circles: positive outside; lines: positive on the side of plane normal × direction), the form error is their
/// maximum minus their minimum, and the normal of a circle is that of the plane, without uncertainty. The correlation
/// of the residuals is taken from the fit in space to the same projected points.
///
/// Returns an error if `plane` is not a plane, for kinds other than line and circle, and as [`super::fit`] does.
pub fn fit_in_plane(
    kind: Kind,
    points: &[Point],
    weights: &[f64],
    plane: &Shape,
    options: &Options,
    progress: &Progress,
) -> Result<Fit> {
    if !matches!(kind, Kind::Line | Kind::Circle) {
        return Err(UserError::usage(format!(
            "A {} cannot be fitted in a plane; only lines and circles can.",
            kind.name().to_lowercase()
        )));
    }
    super::check(kind, points, weights)?;
    let drawn = Drawn::new(points, weights);
    Ok(drawn.back(fit_in_order(kind, &drawn.points, &drawn.weights, plane, options, progress)?))
}

/// [`fit_in_plane`] to points in their drawn order.
fn fit_in_order(
    kind: Kind,
    points: &[Point],
    weights: &[f64],
    plane: &Shape,
    options: &Options,
    progress: &Progress,
) -> Result<Fit> {
    let mut used_weights = weights.to_vec();
    let frame = Frame::of(plane, points, &used_weights)?;
    let plane_points: Vec<PlanePoint> = points.iter().map(|point| frame.inward(point)).collect();
    let projected: Vec<Point> = plane_points.iter().map(|point| frame.outward(*point)).collect();
    let spatial = fit(kind, &projected, weights, options, progress)?;
    spatial.dropped.iter().for_each(|&index| used_weights[index as usize] = 0.0);
    let fitted = match kind {
        Kind::Line => line(&frame, &plane_points, &used_weights, &spatial.shape),
        _ => circle(&frame, &plane_points, &used_weights, &spatial.shape),
    };
    let fitted = fitted.ok_or_else(|| undetermined(kind))?;
    if !fitted.converged {
        return Err(unconverged(&kind.name().to_lowercase(), fitted.steps));
    }
    Ok(fitted.finish(&frame, &used_weights, spatial))
}

/// Result of the fit in the plane, in units of the frame.
struct InPlaneFit {
    shape: Shape,
    cost: f64,
    steps: usize,
    converged: bool,
    distances: Vec<f64>,
    parameters: usize,
    condition: f64,
    /// For residuals of unit variance: covariance of translations along the frame's axes and of the rotation about the
    /// normal; variance of the radius.
    motion: Matrix3<f64>,
    radius_variance: Option<f64>,
    /// Lobes of a circle in units of the frame, and the cost without them.
    lobes: Option<(Lobes, f64)>,
}

impl InPlaneFit {
    fn finish(self, frame: &Frame, weights: &[f64], spatial: Fit) -> Fit {
        let used: Vec<f64> = self
            .distances
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(distance, _)| *distance)
            .collect();
        let (min, max) =
            used.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), d| (min.min(*d), max.max(*d)));
        let mean = self.cost / weights.iter().sum::<f64>();
        let size_mm = frame.size_mm;
        let uncertainty = self.uncertainty(frame, used.len(), spatial.uncertainty);
        let freedom = used.len().saturating_sub(self.parameters).max(1) as f64;
        Fit {
            shape: self.shape,
            rms_mm: size_mm * mean.sqrt(),
            sigma_mm: size_mm * (mean * used.len() as f64 / freedom).sqrt(),
            form_error_mm: size_mm * (max - min),
            residuals_mm: self.distances.iter().map(|distance| distance * size_mm).collect(),
            used: used.len(),
            dropped: spatial.dropped,
            uncertainty,
            iterations: self.steps,
            converged: self.converged,
            zone: None,
            arc_deg: spatial.arc_deg,
            doubts: spatial.doubts,
        }
    }

    /// The uncertainty with the correlation of the residuals from the fit in space.
    fn uncertainty(&self, frame: &Frame, used: usize, spatial: Uncertainty) -> Uncertainty {
        let redundancy = used.saturating_sub(self.parameters);
        if redundancy == 0 {
            let sizes = usize::from(self.radius_variance.is_some());
            return Uncertainty::unstated(used, sizes, self.radius_variance.is_none());
        }
        let freedom = redundancy as f64;
        let inflation = spatial.inflation;
        let small_sample = few_residuals_factor(redundancy).unwrap_or_else(|| small_sample_factor(freedom));
        let cost = self.lobes.as_ref().map_or(self.cost, |(_, cost)| *cost);
        let variance = cost / freedom * inflation * small_sample;
        let (mut motion, mut radius_variance) =
            (self.motion * variance, self.radius_variance.map(|own| own * variance));
        if let Some((lobes, _)) = &self.lobes {
            let centre = motion.fixed_view::<2, 2>(0, 0) + lobes.covariance.fixed_view::<2, 2>(0, 0);
            motion.fixed_view_mut::<2, 2>(0, 0).copy_from(&centre);
            radius_variance = radius_variance.map(|own| own + lobes.covariance[(2, 2)]);
        }
        let motion: Matrix6<f64> = frame.motion(&motion);
        let expanded = |block: Matrix3<f64>| 2.0 * block.symmetric_eigenvalues().max().max(0.0).sqrt();
        let numbers = radius_variance.map(|variance| 2.0 * frame.size_mm * variance.max(0.0).sqrt());
        let mut own = Uncertainty {
            position_mm: expanded(motion.fixed_view::<3, 3>(0, 0).into_owned()),
            direction_rad: expanded(motion.fixed_view::<3, 3>(3, 3).into_owned()),
            numbers: numbers.into_iter().collect(),
            redundancy,
            min_radius_mm: None,
            motion,
            effective_points: used as f64 / inflation,
            rank: self.parameters,
            condition: self.condition,
            ..spatial
        };
        own.bound(self.shape.radius());
        own
    }
}

/// Parameters: the angle of the line and its distance from the origin.
fn line_residual(&[angle, offset]: &[f64; 2], &[u, v]: &PlanePoint) -> (f64, [f64; 2]) {
    let (sin, cos) = angle.sin_cos();
    (cos * v - sin * u - offset, [-cos * u - sin * v, -1.0])
}

fn line(frame: &Frame, points: &[PlanePoint], weights: &[f64], start: &Shape) -> Option<InPlaneFit> {
    let Shape::Line { point, direction } = start else { return None };
    let (angle, [u, v]) = (frame.angle(direction), frame.inward(point));
    let (sin, cos) = angle.sin_cos();
    let solved = solve([angle, cos * v - sin * u], points, weights, line_residual);
    let [angle, offset] = solved.parameters;
    let (sin, cos) = angle.sin_cos();
    let point = frame.outward([-sin * offset, cos * offset]);
    // A line is translated perpendicular to itself and rotated about its reference point, the foot of the origin.
    let by_parameters = nalgebra::Matrix3x2::new(0.0, -sin, 0.0, cos, 1.0, 0.0);
    let (cofactors, condition) = solved.cofactors()?;
    let motion = by_parameters * cofactors.fixed_view::<2, 2>(0, 0) * by_parameters.transpose();
    let shape = Shape::Line { point, direction: frame.direction(angle) };
    Some(in_plane_fit(shape, &solved, points, line_residual, motion, None, condition))
}

/// Parameters: centre and radius.
fn circle_residual(&[x, y, radius]: &[f64; 3], &[u, v]: &PlanePoint) -> (f64, [f64; 3]) {
    let offset = Vector::new(u - x, v - y, 0.0);
    let distance = offset.norm();
    // A point exactly at the centre has no gradient.
    let out = offset.try_normalize(0.0).unwrap_or_else(Vector::zeros);
    (distance - radius, [-out.x, -out.y, -1.0])
}

fn circle(frame: &Frame, points: &[PlanePoint], weights: &[f64], start: &Shape) -> Option<InPlaneFit> {
    let Shape::Circle { centre, radius, .. } = start else { return None };
    let [x, y] = frame.inward(centre);
    let solved = solve([x, y, radius / frame.size_mm], points, weights, circle_residual);
    let [x, y, radius] = solved.parameters;
    let (cofactors, condition) = solved.cofactors()?;
    let mut motion = Matrix3::zeros();
    motion.fixed_view_mut::<2, 2>(0, 0).copy_from(&cofactors.fixed_view::<2, 2>(0, 0));
    let shape =
        Shape::Circle { centre: frame.outward([x, y]), normal: frame.normal, radius: radius.abs() * frame.size_mm };
    let lobes = lobes(&solved, points, weights, &cofactors);
    let fit = in_plane_fit(shape, &solved, points, circle_residual, motion, Some(cofactors[(2, 2)]), condition);
    Some(InPlaneFit { lobes, ..fit })
}

/// The lobes of a circle, and its cost without them.
fn lobes(
    solved: &Solution<3>,
    points: &[PlanePoint],
    weights: &[f64],
    cofactors: &DMatrix<f64>,
) -> Option<(Lobes, f64)> {
    let row = |index: usize, point: &PlanePoint| {
        let (residual, [x, y, radius]) = circle_residual(&solved.parameters, point);
        // The derivatives by the centre are the direction away from the point.
        Row { weight: weights[index], residual, by: [x, y, radius, 0.0, 0.0, 0.0, 0.0], direction: [-x, -y] }
    };
    let lobes = Lobes::from_rows(points, row, cofactors, 2)?;
    let without = |(index, point): (usize, &PlanePoint)| {
        let Row { weight, residual, direction, .. } = row(index, point);
        weight * (residual - lobes.height_along(direction)).powi(2)
    };
    let cost = points.iter().enumerate().map(without).sum();
    Some((lobes, cost))
}

fn in_plane_fit<const N: usize>(
    shape: Shape,
    solved: &Solution<N>,
    points: &[PlanePoint],
    residual: impl Fn(&[f64; N], &PlanePoint) -> (f64, [f64; N]),
    motion: Matrix3<f64>,
    radius_variance: Option<f64>,
    condition: f64,
) -> InPlaneFit {
    InPlaneFit {
        shape,
        cost: solved.cost,
        steps: solved.steps,
        converged: solved.converged,
        distances: points.iter().map(|point| residual(&solved.parameters, point).0).collect(),
        parameters: N,
        condition,
        motion,
        radius_variance,
        lobes: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Pose;
    use std::f64::consts::TAU;

    fn fitted(kind: Kind, points: &[Point], plane: &Shape) -> Result<Fit> {
        fit_in_plane(kind, points, &[], plane, &Options::default(), &Progress::silent())
    }

    fn random_plane(random: &mut Random) -> (Pose, Shape) {
        let space_from_plane = Pose::from_parts(Vector::new(700.0, -300.0, 90.0).into(), random.rotation());
        let plane = Shape::Plane { point: Point::origin(), normal: Vector::z() };
        (space_from_plane, plane.moved(&space_from_plane))
    }

    /// An arc and a strip with points far off the plane; fits in space would tilt.
    #[test]
    fn exact_lines_and_circles_are_recovered_from_points_off_the_plane() {
        let mut random = Random::new(8, 1);
        for _ in 0..20 {
            let (pose, plane) = random_plane(&mut random);
            let (centre, radius) = (Point::new(3.0, 4.0, 0.0), random.range(5.0, 50.0));
            let arc: Vec<Point> = (0..60)
                .map(|i| (0.02 * f64::from(i) + 0.3).sin_cos())
                .map(|(sin, cos)| pose * (centre + Vector::new(radius * cos, radius * sin, random.range(-9.0, 9.0))))
                .collect();
            let found = fitted(Kind::Circle, &arc, &plane).unwrap();
            let Shape::Circle { centre: own, normal, radius: own_radius } = found.shape else { panic!() };
            assert!((own - pose * centre).norm() < 1e-9 && (own_radius - radius).abs() < 1e-9, "{own_radius} {radius}");
            assert!((normal - pose * Vector::z()).norm() < 1e-15 && found.form_error_mm < 1e-10);
            let row: Vec<Point> =
                (0..30).map(|i| pose * Point::new(f64::from(i), 2.0, random.range(-9.0, 9.0))).collect();
            let found = fitted(Kind::Line, &row, &plane).unwrap();
            let direction = found.shape.direction().unwrap();
            assert!(direction.cross(&(pose * Vector::x())).norm() < 1e-12 && found.form_error_mm < 1e-10);
            assert!((found.shape.distance(&(pose * Point::new(-50.0, 2.0, 0.0)))) < 1e-10);
        }
    }

    /// Signed residuals and form error of a circle with three lobes.
    #[test]
    fn residuals_and_form_error_are_those_in_the_plane() {
        let (pose, plane) = random_plane(&mut Random::new(9, 1));
        let lobes: Vec<Point> = (0..360)
            .map(|i| f64::from(i).to_radians())
            .map(|a| (10.0 + 0.05 * (3.0 * a).cos(), a))
            .map(|(r, a)| pose * Point::new(r * a.cos(), r * a.sin(), a.sin()))
            .collect();
        let found = fitted(Kind::Circle, &lobes, &plane).unwrap();
        assert!((found.form_error_mm - 0.1).abs() < 1e-5, "{}", found.form_error_mm);
        assert!((found.residuals_mm[0] - 0.05).abs() < 1e-4 && (found.residuals_mm[60] + 0.05).abs() < 1e-4);
        assert!((found.rms_mm - 0.05 / 2.0_f64.sqrt()).abs() < 1e-6 && found.used == 360);
    }

    /// Stated standard deviations against repetitions, and sigma against the simulated noise. On an arc they would be
    /// those of the form that the rest may have.
    #[test]
    fn uncertainties_are_the_spread_of_repetitions() {
        let mut random = Random::new(10, 1);
        let (pose, plane) = random_plane(&mut random);
        let (runs, noise) = (500, 0.01);
        let mut observed: [Vec<f64>; 4] = Default::default();
        let (mut stated, mut sigma) = ([0.0; 4], 0.0);
        for _ in 0..runs {
            let mut noisy = |x: f64, y: f64| {
                pose * Point::new(x + noise * random.normal(), y + noise * random.normal(), random.range(-1.0, 1.0))
            };
            let arc: Vec<Point> =
                (0..30).map(|i| TAU / 30.0 * f64::from(i)).map(|a| noisy(8.0 * a.cos(), 8.0 * a.sin())).collect();
            let row: Vec<Point> = (0..30).map(|i| noisy(f64::from(i), 0.0)).collect();
            let (arc, row) = (fitted(Kind::Circle, &arc, &plane).unwrap(), fitted(Kind::Line, &row, &plane).unwrap());
            let Shape::Circle { centre, radius, .. } = arc.shape else { panic!() };
            let (centre, along) = (pose.inverse() * centre, pose.inverse() * row.shape.direction().unwrap());
            let along = along * along.x.signum();
            let x_axis = pose * Vector::x();
            let x_variance = arc.uncertainty.motion.fixed_view::<3, 3>(0, 0) * x_axis;
            let values = [centre.x, radius, along.y, (pose.inverse() * row.shape.position()).y];
            let stated_now = [
                x_variance.dot(&x_axis).sqrt(),
                arc.uncertainty.numbers[0] / 2.0,
                row.uncertainty.direction_rad / 2.0,
                row.uncertainty.position_mm / 2.0,
            ];
            for k in 0..4 {
                observed[k].push(values[k]);
                stated[k] += stated_now[k] / f64::from(runs);
            }
            sigma += (arc.sigma_mm + row.sigma_mm) / (2.0 * f64::from(runs));
        }
        assert!((sigma / noise - 1.0).abs() < 0.03, "{sigma}");
        for (values, stated) in observed.iter().zip(stated) {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
            println!("stated {stated:.3e}, observed {spread:.3e}");
            assert!((stated / spread - 1.0).abs() < 0.15, "{stated} {spread}");
        }
    }

    #[test]
    fn outliers_are_dropped_and_unsuitable_input_is_an_error() {
        let plane = Shape::Plane { point: Point::origin(), normal: Vector::z() };
        let mut ring: Vec<Point> =
            (0..50).map(|i| f64::from(i) * 0.125).map(|a| Point::new(4.0 * a.cos(), 4.0 * a.sin(), 0.0)).collect();
        ring.extend((0..10).map(|i| Point::new(6.0 + f64::from(i), 1.0, 0.0)));
        let options = Options { robust: true, clip_sigmas: Some(3.0), ..Options::default() };
        let found = fit_in_plane(Kind::Circle, &ring, &[], &plane, &options, &Progress::silent()).unwrap();
        assert_eq!(found.dropped, (50..60).collect::<Vec<u32>>());
        assert!(found.form_error_mm < 1e-9 && found.used == 50);
        let says = |kind, points: &[Point], plane: &Shape| fitted(kind, points, plane).unwrap_err().sentence;
        assert!(says(Kind::Sphere, &ring, &plane).contains("only lines and circles can"));
        assert!(says(Kind::Line, &ring, &found.shape).contains("needs a plane, not a circle"));
        assert!(says(Kind::Circle, &ring[..2], &plane).contains("at least 3 points"));
        let upright: Vec<Point> = (0..9).map(|i| Point::new(1.0, 1.0, f64::from(i))).collect();
        assert!(says(Kind::Line, &upright, &plane).contains("do not determine a line"));
    }
}
