//! Lines and circles in a given plane, fitted to points seen along its normal.

use nalgebra::{Matrix3, Matrix6};

use super::planar::{Frame, Place, Solved, solve};
use super::{Fit, Kind, Options, Shape, Uncertainty, fit, unconverged, undetermined};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// Fits a line or a circle in `plane` to `points` projected into it, mm, by least squares of the distances in the
/// plane. Weights and options are those of [`super::fit`].
///
/// As [`super::fit`], but what is out of the plane neither moves the fit nor enters its figures: residuals are signed
/// (of circles + outside, of lines + on the side of plane normal × direction), the form error is the greatest less the
/// least of them, and the normal of a circle is that of the plane, without uncertainty. The residuals' correlation is
/// taken from the fit in space of the same projected points.
///
/// Fails with a sentence where `plane` is none, for other kinds than line and circle, and as [`super::fit`] does.
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
            "A {} does not lie in a plane; lines and circles do.",
            kind.name().to_lowercase()
        )));
    }
    super::check(kind, points, weights)?;
    let mut kept = if weights.is_empty() { vec![1.0; points.len()] } else { weights.to_vec() };
    let frame = Frame::of(plane, points, &kept)?;
    let places: Vec<Place> = points.iter().map(|point| frame.inward(point)).collect();
    let flat: Vec<Point> = places.iter().map(|place| frame.outward(*place)).collect();
    let spatial = fit(kind, &flat, weights, options, progress)?;
    spatial.dropped.iter().for_each(|&number| kept[number as usize] = 0.0);
    let found = match kind {
        Kind::Line => line(&frame, &places, &kept, &spatial.shape),
        _ => circle(&frame, &places, &kept, &spatial.shape),
    };
    let found = found.ok_or_else(|| undetermined(kind))?;
    if !found.converged {
        return Err(unconverged(&kind.name().to_lowercase(), found.steps));
    }
    Ok(found.finish(&frame, &kept, spatial))
}

/// What was found in the plane, in units of the frame.
struct Found {
    shape: Shape,
    cost: f64,
    steps: usize,
    converged: bool,
    distances: Vec<f64>,
    parameters: usize,
    condition: f64,
    /// For residuals of variance one: of shifts along the frame's axes and the turn about the normal; of the radius.
    motion: Matrix3<f64>,
    radius: Option<f64>,
}

impl Found {
    fn finish(self, frame: &Frame, weights: &[f64], spatial: Fit) -> Fit {
        let used: Vec<f64> =
            self.distances.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(own, _)| *own).collect();
        let (least, most) = used.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), d| (l.min(*d), m.max(*d)));
        let mean = self.cost / weights.iter().sum::<f64>();
        let left = used.len().saturating_sub(self.parameters).max(1) as f64;
        let inflation = spatial.uncertainty.inflation;
        let variance = self.cost / left * inflation;
        let motion: Matrix6<f64> = frame.motion(&(self.motion * variance));
        let expanded = |block: Matrix3<f64>| 2.0 * block.symmetric_eigenvalues().max().max(0.0).sqrt();
        let numbers = self.radius.map(|own| 2.0 * frame.size_mm * (own * variance).sqrt());
        let size_mm = frame.size_mm;
        Fit {
            shape: self.shape,
            rms_mm: size_mm * mean.sqrt(),
            sigma_mm: size_mm * (mean * used.len() as f64 / left).sqrt(),
            form_error_mm: size_mm * (most - least),
            residuals_mm: self.distances.iter().map(|distance| distance * size_mm).collect(),
            used: used.len(),
            dropped: spatial.dropped,
            uncertainty: Uncertainty {
                position_mm: expanded(motion.fixed_view::<3, 3>(0, 0).into_owned()),
                direction_rad: expanded(motion.fixed_view::<3, 3>(3, 3).into_owned()),
                numbers: numbers.into_iter().collect(),
                motion,
                effective_points: used.len() as f64 / inflation,
                rank: self.parameters,
                condition: self.condition,
                ..spatial.uncertainty
            },
            iterations: self.steps,
            converged: self.converged,
            zone: None,
        }
    }
}

/// The angle of the line and its distance from the origin.
fn line_residual(&[angle, offset]: &[f64; 2], &[u, v]: &Place) -> (f64, [f64; 2]) {
    let (sin, cos) = angle.sin_cos();
    (cos * v - sin * u - offset, [-cos * u - sin * v, -1.0])
}

fn line(frame: &Frame, places: &[Place], weights: &[f64], start: &Shape) -> Option<Found> {
    let Shape::Line { point, direction } = start else { return None };
    let (angle, [u, v]) = (frame.angle(direction), frame.inward(point));
    let (sin, cos) = angle.sin_cos();
    let solved = solve([angle, cos * v - sin * u], places, weights, line_residual);
    let [angle, offset] = solved.parameters;
    let (sin, cos) = angle.sin_cos();
    let point = frame.outward([-sin * offset, cos * offset]);
    // A shift of the line is one square to it; turns are about its place, which is the foot of the origin.
    let by_parameters = nalgebra::Matrix3x2::new(0.0, -sin, 0.0, cos, 1.0, 0.0);
    let (cofactors, condition) = solved.cofactors()?;
    let motion = by_parameters * cofactors.fixed_view::<2, 2>(0, 0) * by_parameters.transpose();
    let shape = Shape::Line { point, direction: frame.direction(angle) };
    Some(found(shape, &solved, places, line_residual, motion, None, condition))
}

/// The centre and the radius.
fn circle_residual(&[x, y, radius]: &[f64; 3], &[u, v]: &Place) -> (f64, [f64; 3]) {
    let away = Vector::new(u - x, v - y, 0.0);
    let distance = away.norm();
    // A point in the very centre pulls to no side.
    let out = away.try_normalize(0.0).unwrap_or_else(Vector::zeros);
    (distance - radius, [-out.x, -out.y, -1.0])
}

fn circle(frame: &Frame, places: &[Place], weights: &[f64], start: &Shape) -> Option<Found> {
    let Shape::Circle { centre, radius, .. } = start else { return None };
    let [x, y] = frame.inward(centre);
    let solved = solve([x, y, radius / frame.size_mm], places, weights, circle_residual);
    let [x, y, radius] = solved.parameters;
    let (cofactors, condition) = solved.cofactors()?;
    let mut motion = Matrix3::zeros();
    motion.fixed_view_mut::<2, 2>(0, 0).copy_from(&cofactors.fixed_view::<2, 2>(0, 0));
    let shape =
        Shape::Circle { centre: frame.outward([x, y]), normal: frame.normal, radius: radius.abs() * frame.size_mm };
    Some(found(shape, &solved, places, circle_residual, motion, Some(cofactors[(2, 2)]), condition))
}

fn found<const N: usize>(
    shape: Shape,
    solved: &Solved<N>,
    places: &[Place],
    residual: impl Fn(&[f64; N], &Place) -> (f64, [f64; N]),
    motion: Matrix3<f64>,
    radius: Option<f64>,
    condition: f64,
) -> Found {
    Found {
        shape,
        cost: solved.cost,
        steps: solved.steps,
        converged: solved.converged,
        distances: places.iter().map(|place| residual(&solved.parameters, place).0).collect(),
        parameters: N,
        condition,
        motion,
        radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Pose;

    fn fitted(kind: Kind, points: &[Point], plane: &Shape) -> Result<Fit> {
        fit_in_plane(kind, points, &[], plane, &Options::default(), &Progress::silent())
    }

    fn leaning(random: &mut Random) -> (Pose, Shape) {
        let space_from_plane = Pose::from_parts(Vector::new(700.0, -300.0, 90.0).into(), random.rotation());
        let plane = Shape::Plane { point: Point::origin(), normal: Vector::z() };
        (space_from_plane, plane.moved(&space_from_plane))
    }

    /// An arc and a strip whose points are far off the plane, where fits in space would tilt.
    #[test]
    fn exact_lines_and_circles_come_back_whatever_is_off_the_plane() {
        let mut random = Random::new(8, 1);
        for _ in 0..20 {
            let (pose, plane) = leaning(&mut random);
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

    /// Signed residuals of a known outline: a wave of three lobes, and a strip bent by a known parabola.
    #[test]
    fn residuals_and_form_error_are_those_in_the_plane() {
        let (pose, plane) = leaning(&mut Random::new(9, 1));
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

    /// Stated standard deviations against repetitions, and sigma against the noise put in.
    #[test]
    fn uncertainties_are_the_spread_of_repetitions() {
        let mut random = Random::new(10, 1);
        let (pose, plane) = leaning(&mut random);
        let (runs, noise) = (500, 0.01);
        let mut seen: [Vec<f64>; 4] = Default::default();
        let (mut stated, mut sigma) = ([0.0; 4], 0.0);
        for _ in 0..runs {
            let mut noisy = |x: f64, y: f64| {
                pose * Point::new(x + noise * random.normal(), y + noise * random.normal(), random.range(-1.0, 1.0))
            };
            let arc: Vec<Point> =
                (0..30).map(|i| 0.06 * f64::from(i)).map(|a| noisy(8.0 * a.cos(), 8.0 * a.sin())).collect();
            let row: Vec<Point> = (0..30).map(|i| noisy(f64::from(i), 0.0)).collect();
            let (arc, row) = (fitted(Kind::Circle, &arc, &plane).unwrap(), fitted(Kind::Line, &row, &plane).unwrap());
            let Shape::Circle { centre, radius, .. } = arc.shape else { panic!() };
            let (centre, along) = (pose.inverse() * centre, pose.inverse() * row.shape.direction().unwrap());
            let along = along * along.x.signum();
            let x_axis = pose * Vector::x();
            let x_variance = arc.uncertainty.motion.fixed_view::<3, 3>(0, 0) * x_axis;
            let values = [centre.x, radius, along.y, (pose.inverse() * row.shape.place()).y];
            let own = [
                x_variance.dot(&x_axis).sqrt(),
                arc.uncertainty.numbers[0] / 2.0,
                row.uncertainty.direction_rad / 2.0,
                row.uncertainty.position_mm / 2.0,
            ];
            for k in 0..4 {
                seen[k].push(values[k]);
                stated[k] += own[k] / f64::from(runs);
            }
            sigma += (arc.sigma_mm + row.sigma_mm) / (2.0 * f64::from(runs));
        }
        assert!((sigma / noise - 1.0).abs() < 0.03, "{sigma}");
        for (values, stated) in seen.iter().zip(stated) {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
            println!("stated {stated:.3e}, seen {spread:.3e}");
            assert!((stated / spread - 1.0).abs() < 0.15, "{stated} {spread}");
        }
    }

    #[test]
    fn strays_are_dropped_and_misfits_are_sentences() {
        let plane = Shape::Plane { point: Point::origin(), normal: Vector::z() };
        let mut ring: Vec<Point> =
            (0..50).map(|i| f64::from(i) * 0.125).map(|a| Point::new(4.0 * a.cos(), 4.0 * a.sin(), 0.0)).collect();
        ring.extend((0..10).map(|i| Point::new(6.0 + f64::from(i), 1.0, 0.0)));
        let options = Options { robust: true, clip_sigmas: Some(3.0), ..Options::default() };
        let found = fit_in_plane(Kind::Circle, &ring, &[], &plane, &options, &Progress::silent()).unwrap();
        assert_eq!(found.dropped, (50..60).collect::<Vec<u32>>());
        assert!(found.form_error_mm < 1e-9 && found.used == 50);
        let says = |kind, points: &[Point], plane: &Shape| fitted(kind, points, plane).unwrap_err().sentence;
        assert!(says(Kind::Sphere, &ring, &plane).contains("lines and circles do"));
        assert!(says(Kind::Line, &ring, &found.shape).contains("needs a plane, not a circle"));
        assert!(says(Kind::Circle, &ring[..2], &plane).contains("at least 3 points"));
        let upright: Vec<Point> = (0..9).map(|i| Point::new(1.0, 1.0, f64::from(i))).collect();
        assert!(says(Kind::Line, &upright, &plane).contains("do not determine a line"));
    }
}
