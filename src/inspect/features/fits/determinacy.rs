//! Whether points determine the fitted shape, or lie as closely on a simpler one.
//!
//! Where they do, the fit has a result all the same, along whatever the noise prefers: the normal of a plane through
//! points on a line, the radius of a sphere through points of a plane. Whether the simpler shape explains the points as
//! well is told by the residuals of both, as in an F test of nested models with the effective number of independent
//! residuals; whether two extents differ, by Mauchly's test of sphericity (1940).

use super::model::Model;
use super::newton::WeightedPoints;
use super::shape::Shape;
use super::start::circle_about;
use super::{GaussianFit, Uncertainty};
use base::{Result, UserError};
use geometry::{Vector, jacobi};

/// Variance that is due to rounding, as a share of the largest one.
const ROUNDING: f64 = 1e-14;
/// Ratio of two variances up to which they count as equal, whatever the number of points, since noise is correlated.
const MIN_RATIO: f64 = 2.0;
/// Ratio of two variances from which on they count as different, however few the points.
const CLEAR_RATIO: f64 = 100.0;
/// Ratio of the second to the largest variance below which points may be those of a line.
const MAX_ELONGATED: f64 = 0.05;
/// Number of points from which on a cloud can be told from a line.
const MIN_CLOUD: usize = 10;
/// Stands for no shape at all.
const SCATTER: &str = "";
/// Probability of an error of the first kind.
const SIGNIFICANCE: f64 = 1e-3;
/// Quantile of chi-squared for that probability and one parameter, and the increase per further parameter.
const CHI_SQUARED: [f64; 2] = [11.0, 3.0];
/// Smallest half angle of a cone, rad: below it is that of a cylinder whatever the noise.
const MIN_HALF_ANGLE_RAD: f64 = 1e-9;
/// Ratio of the summed squares up to which a circle explains points as well as a surface: a circle has two residuals per
/// point, and each may be twice as large.
const CIRCLE_RATIO: f64 = 8.0;

/// Returns an error if the points lie on a simpler shape as closely as on the fitted one.
pub fn check(
    fit: &GaussianFit,
    points: WeightedPoints<'_>,
    used: usize,
    uncertainty: Option<&Uncertainty>,
) -> Result<()> {
    let kind = fit.shape.kind();
    match simpler_shape(fit, points, used, uncertainty) {
        None => Ok(()),
        Some(SCATTER) => Err(UserError::input(format!(
            "These points do not determine a {}: they scatter as much across it as along it.",
            kind.name().to_lowercase()
        ))),
        Some(simpler) => Err(UserError::input(format!(
            "These points do not determine a {}: they lie on {simpler}, as closely as their noise can tell. Measure \
             more of it, or fit the simpler shape.",
            kind.name().to_lowercase()
        ))),
    }
}

/// What the points lie on as closely as on the fitted shape, with its article; `None` if they determine it.
fn simpler_shape(
    fit: &GaussianFit,
    points: WeightedPoints<'_>,
    used: usize,
    uncertainty: Option<&Uncertainty>,
) -> Option<&'static str> {
    const LINE: &str = "a straight line";
    const PLANE: &str = "a plane";
    let form = Model::of(&fit.shape).form;
    let Moments { variances: [low, middle, high], normal, total } = Moments::of(points);
    let floor = ROUNDING * high;
    let cost = fit.solved.cost / total + floor;
    let inflation = uncertainty.map_or(1.0, |own| own.inflation);
    let freedom = (((used * form.residuals()) as f64 - form.parameters() as f64) / inflation).max(1.0);
    // Whether a shape with so many parameters less explains the points as well.
    let explains = |simpler: f64, less: usize| {
        let limit = CHI_SQUARED[0] + CHI_SQUARED[1] * (less as f64 - 1.0);
        simpler <= cost * (1.0 + limit / freedom)
    };
    match fit.shape {
        Shape::Line { .. } => (used >= MIN_CLOUD && !differ(high, middle, floor, used)).then_some(SCATTER),
        Shape::Plane { .. } if middle < MAX_ELONGATED * high => (!differ(middle, low, floor, used)).then_some(LINE),
        Shape::Plane { .. } => (middle < MIN_RATIO * low).then_some(SCATTER),
        Shape::Circle { .. } => explains(low + middle, 2).then_some(LINE),
        Shape::Sphere { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } => {
            if low + middle <= CIRCLE_RATIO * cost {
                return Some(LINE);
            }
            if explains(low, form.parameters().saturating_sub(3)) {
                return Some(PLANE);
            }
            if low + radial_variance(points, &normal) <= CIRCLE_RATIO * cost {
                return Some("a circle");
            }
            is_cylinder(&fit.shape, uncertainty).then_some("a cylinder")
        }
        Shape::Torus { .. } => None,
    }
}

/// Whether the half angle of a cone is within its uncertainty.
fn is_cylinder(shape: &Shape, uncertainty: Option<&Uncertainty>) -> bool {
    let Shape::Cone { half_angle_rad, .. } = *shape else { return false };
    let stated = uncertainty.filter(|own| own.is_stated()).and_then(|own| own.numbers.get(1).copied());
    half_angle_rad <= stated.unwrap_or(0.0).max(MIN_HALF_ANGLE_RAD)
}

/// Whether a variance is significantly larger than another, both of so many points, and than rounding.
fn differ(large: f64, small: f64, floor: f64, count: usize) -> bool {
    if large <= floor || large < MIN_RATIO * small {
        return false;
    }
    let sphericity = 4.0 * large * small / (large + small).powi(2);
    large >= CLEAR_RATIO * small || count <= 3 || sphericity.powf(0.5 * (count as f64 - 3.0)) < SIGNIFICANCE
}

/// Second moments of the points about their centroid.
struct Moments {
    /// Along the principal directions, ascending.
    variances: [f64; 3],
    /// The direction of least variance.
    normal: Vector,
    /// Sum of the weights.
    total: f64,
}

impl Moments {
    fn of(points: WeightedPoints<'_>) -> Self {
        let weighted = || {
            points.points.iter().enumerate().map(|(i, point)| (points.weights.get(i).copied().unwrap_or(1.0), point))
        };
        let total: f64 = weighted().map(|own| own.0).sum();
        let centre = weighted().map(|(weight, point)| point.coords * weight).sum::<Vector>() / total;
        let mut moments = [0.0; 6];
        for (weight, point) in weighted() {
            let products = jacobi::products(&(point.coords - centre));
            moments.iter_mut().zip(products).for_each(|(sum, product)| *sum += weight * product / total);
        }
        let (values, axes) = jacobi::eigen(&moments);
        Self { variances: values.map(|value| value.max(0.0)), normal: axes[0], total }
    }
}

/// Mean squared distance of the points, projected along `normal`, from a circle; infinite if there is none.
fn radial_variance(points: WeightedPoints<'_>, normal: &Vector) -> f64 {
    let Some((centre, radius)) = circle_about(points, normal) else { return f64::INFINITY };
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, point) in points.points.iter().enumerate() {
        let weight = points.weights.get(i).copied().unwrap_or(1.0);
        sum += weight * ((point - centre).cross(normal).norm() - radius).powi(2);
        total += weight;
    }
    sum / total
}
