//! Cleaning of scans: outlier removal, thinning, deletion of points, normal estimation. Steps are recorded, so that
//! they can be repeated on the next part.

mod outliers;

use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use compute::thinning::{self, Rule};
use compute::{Backend, Compute, neighbourhoods};
use geometry::{Cloud, SearchablePoints, Subset, Vector, normals};

/// Number of neighbours that a normal is fitted to, the point itself included.
pub const NORMAL_NEIGHBOURS: usize = 20;

/// A cleaning step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Removes statistical outliers: points with a large mean distance from their neighbours.
    RemoveOutliers {
        /// Number of neighbours, the point itself included.
        neighbours: usize,
        /// Limit above the mean of all mean distances, in standard deviations.
        sigmas: f64,
    },
    /// Thins the points to an even density.
    Thin(Rule),
    /// Removes the given points.
    Remove(Subset),
    /// Estimates normals from neighbours, replacing those of the file.
    Normals,
}

impl Step {
    /// Outlier removal with default parameters.
    pub const OUTLIERS: Self = Self::RemoveOutliers { neighbours: 16, sigmas: 3.0 };

    /// Name in the undo menu.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RemoveOutliers { .. } => "Remove outliers",
            Self::Thin(_) => "Thin the scan",
            Self::Remove(_) => "Delete points",
            Self::Normals => "Find normals",
        }
    }

    fn check(&self) -> Result<()> {
        let is_length = |mm: f64| mm > 0.0 && mm.is_finite();
        let sentence = match *self {
            Self::RemoveOutliers { sigmas, .. } if !(sigmas >= 0.0 && sigmas.is_finite()) => {
                "The limit for outliers must be 0 standard deviations or more."
            }
            Self::RemoveOutliers { neighbours, .. } if !(2..=neighbourhoods::MAX_NEIGHBOURS).contains(&neighbours) => {
                return Err(UserError::usage(format!(
                    "The number of neighbours must be from 2 to {}.",
                    neighbourhoods::MAX_NEIGHBOURS
                )));
            }
            Self::Thin(Rule::Cells(mm) | Rule::Distance(mm)) if !is_length(mm) => "Thinning needs a length above 0 mm.",
            _ => return Ok(()),
        };
        Err(UserError::usage(sentence))
    }
}

/// Result of a cleaning step.
pub struct CleaningResult {
    /// The scan after the step.
    pub cloud: Cloud,
    /// Indices of the remaining points, ascending; `None` if all remain.
    pub kept: Option<Vec<u32>>,
    /// Description of what was done, for the user.
    pub note: String,
}

/// Applies one step to `cloud`.
///
/// Returns an error if a parameter is out of range, if no points would remain, and if the backend fails or the work is
/// cancelled.
pub fn run(backend: &dyn Backend, cloud: &Cloud, step: &Step, progress: &Progress) -> Result<CleaningResult> {
    step.check()?;
    let points = SearchablePoints::new(&cloud.points);
    let all = cloud.points.len();
    let mut left = None;
    let (cloud, note) = match step.clone() {
        Step::RemoveOutliers { neighbours, sigmas } => {
            let request = neighbourhoods::Request { points: &points, neighbours };
            let answers = backend.compute(&request, progress)?;
            let (kept, limit_mm) = outliers::kept(&answers, sigmas);
            let rule = format!(
                "farther than {limit_mm:.4} mm from their {} nearest neighbours on average (mean + {sigmas} sigma)",
                neighbours - 1
            );
            let note = format!("{} of {all} points were removed as outliers: {rule}.", all - kept.len());
            let cloud = cloud.select(&kept);
            left = Some(kept);
            (cloud, note)
        }
        Step::Thin(rule) => {
            let kept = backend.compute(&thinning::Request { points: &points, rule }, progress)?;
            let how = match rule {
                Rule::Cells(mm) => format!("one per cube of {mm} mm"),
                Rule::Distance(mm) => format!("no two closer than {mm} mm"),
            };
            let cloud = cloud.select(&kept);
            left = Some(kept);
            (cloud, format!("{} of {all} points were kept by thinning: {how}.", left.iter().flatten().count()))
        }
        Step::Remove(points) => {
            let kept: Vec<u32> = points.inverted(all).to_vec();
            let note = format!("{} of {all} points were deleted by hand.", all - kept.len());
            let cloud = cloud.select(&kept);
            left = Some(kept);
            (cloud, note)
        }
        Step::Normals => {
            let bare = Cloud { normals: Vec::new(), ..cloud.clone() };
            let found = normals_of(backend, &bare, &points, progress)?;
            let normals = found.iter().map(|normal| normal.cast::<f32>().into()).collect();
            let side = if normals::are_oriented(cloud) {
                "oriented towards the sensor"
            } else {
                "not consistently oriented, as the sensor position is unknown"
            };
            let note = format!("Normals were estimated from {NORMAL_NEIGHBOURS} neighbours each, {side}.");
            (Cloud { normals, ..bare }, note)
        }
    };
    if cloud.points.is_empty() && all > 0 {
        return Err(UserError::input("This would remove all points of the scan."));
    }
    Ok(CleaningResult { kept: left.filter(|left| left.len() < all), cloud, note })
}

/// Unit normals of all points of `cloud`: those of the file, else estimated from neighbourhoods. Oriented towards the
/// sensor if its position or direction is known, else of arbitrary sign.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn normals_of(
    backend: &dyn Backend,
    cloud: &Cloud,
    points: &SearchablePoints<'_>,
    progress: &Progress,
) -> Result<Vec<Vector>> {
    let normals = match normals::stored(cloud) {
        Some(stored) => stored,
        None => {
            let request = neighbourhoods::Request { points, neighbours: NORMAL_NEIGHBOURS };
            backend.compute(&request, progress)?.iter().map(|answer| answer.normal).collect()
        }
    };
    Ok(normals::oriented_to_sensor(cloud, normals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use compute::cpu::Cpu;
    use geometry::Point;

    #[test]
    fn normals_of_a_noisy_sphere_point_at_the_sensor() {
        let mut random = Random::new(8, 0);
        let points: Vec<Point> = (0..20_000)
            .map(|_| Point::from(random.rotation() * Vector::z() * 50.0))
            .filter(|point| point.z > 0.0)
            .collect();
        let cloud = Cloud { viewpoint: Some(Point::new(0.0, 0.0, 300.0)), ..Cloud::from_points(points) };
        let cleaned = run(&Cpu, &cloud, &Step::Normals, &Progress::silent()).unwrap();
        for (point, normal) in cloud.points.iter().zip(&cleaned.cloud.normals).filter(|(point, _)| point.z > 15.0) {
            let normal = geometry::cloud::vector(*normal);
            assert!(normal.dot(&point.coords.normalize()) > 0.99, "{point} {normal}");
        }
    }

    #[test]
    fn isolated_points_are_removed_and_the_surface_is_kept() {
        let mut random = Random::new(9, 0);
        let mut points: Vec<Point> = (0..20_000)
            .map(|i| Point::new(f64::from(i % 200) * 0.1, f64::from(i / 200) * 0.1, 0.01 * random.normal()))
            .collect();
        points.extend(
            (0..200).map(|_| Point::new(random.range(0.0, 20.0), random.range(0.0, 10.0), 2.0 + random.normal().abs())),
        );
        let cloud = Cloud::from_points(points);
        let cleaned = run(&Cpu, &cloud, &Step::OUTLIERS, &Progress::silent()).unwrap();
        let isolated = cleaned.cloud.points.iter().filter(|point| point.z > 1.0).count();
        assert!(isolated <= 10, "{isolated}");
        assert!(cleaned.cloud.points.len() - isolated > 19_900, "{}", cleaned.cloud.points.len());
        let refused = run(&Cpu, &cloud, &Step::Thin(Rule::Cells(0.0)), &Progress::silent());
        assert!(refused.is_err_and(|error| error.sentence.contains("above 0 mm")));
    }
}
