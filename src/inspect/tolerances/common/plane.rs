//! The common plane of parallel planes: their least-squares fit with one normal, each at its nominal height.

use nalgebra::{Matrix3, SymmetricEigen};

use super::{Member, undetermined};
use crate::features::element::{Plane, angle_between};
use base::Result;
use geometry::{Point, Vector};

const MAX_ROUNDS: usize = 50;
/// Turn that ends the fit, and the largest with which it counts as converged, rad.
const LAST_TURN_RAD: f64 = 1e-14;
const MAX_LAST_TURN_RAD: f64 = 1e-9;
/// Least extent of the points across the longest one, as a share of its square.
const MIN_RELATIVE_MOMENT: f64 = 1e-9;

/// The plane by least squares of the distances of all points from their planes, which lie `heights_mm` above it. Its
/// normal has the sense of the first feature.
///
/// Lowered by its height, each feature lies on the common plane: where the normal by which they are lowered is that of the
/// plane through them, the sum of squares is least, since a small error of it moves them along the plane alone.
pub(super) fn fit(members: &[Member<'_>], heights_mm: &[f64]) -> Result<Plane> {
    let mut normal = members.first().and_then(|own| own.element.direction()).ok_or_else(undetermined)?;
    let mut found = Plane { point: Point::origin(), normal };
    let mut turn_rad = f64::INFINITY;
    for _ in 0..MAX_ROUNDS {
        found = through(members, heights_mm, &normal)?;
        turn_rad = angle_between(&normal, &found.normal);
        normal = found.normal;
        if turn_rad <= LAST_TURN_RAD {
            break;
        }
    }
    if turn_rad <= MAX_LAST_TURN_RAD { Ok(found) } else { Err(undetermined()) }
}

/// The plane through the points of all features, each lowered by its height along `normal`.
fn through(members: &[Member<'_>], heights_mm: &[f64], normal: &Vector) -> Result<Plane> {
    let lowered = || {
        let features = members.iter().zip(heights_mm);
        features.flat_map(move |(own, height_mm)| own.points.iter().map(move |point| point - normal * *height_mm))
    };
    let first = lowered().next().ok_or_else(undetermined)?;
    let (sum, count) =
        lowered().fold((Vector::zeros(), 0_usize), |(sum, count), point| (sum + (point - first), count + 1));
    let centroid = first + sum / count as f64;
    let mut moments = Matrix3::<f64>::zeros();
    for point in lowered() {
        let from_centroid = point - centroid;
        moments += from_centroid * from_centroid.transpose();
    }
    let eigen = SymmetricEigen::new(moments);
    let least = eigen.eigenvalues.imin();
    let mut sorted = [eigen.eigenvalues[0], eigen.eigenvalues[1], eigen.eigenvalues[2]];
    sorted.sort_by(f64::total_cmp);
    let [across, narrow, long] = sorted;
    if !(narrow > MIN_RELATIVE_MOMENT * long && narrow > 2.0 * across) {
        return Err(undetermined());
    }
    let own = eigen.eigenvectors.column(least).into_owned().normalize();
    Ok(Plane { point: centroid, normal: if own.dot(normal) < 0.0 { -own } else { own } })
}
