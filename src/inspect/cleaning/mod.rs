//! A scan made ready: outliers removed, points thinned, normals found. Every step is recorded, so that it can be done
//! again on the next part.

mod outliers;

use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use compute::thinning::{self, Rule};
use compute::{Backend, Compute, neighbourhoods};
use geometry::{Cloud, SearchablePoints, Subset, Vector, normals};

/// Neighbours that a normal is fitted to, the point itself included.
pub const NORMAL_NEIGHBOURS: usize = 20;

/// One step of cleaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Removes points that stand farther from their neighbours than most.
    RemoveOutliers {
        /// Neighbours looked at.
        neighbours: usize,
        /// Standard deviations beyond the mean distance from which on a point goes.
        sigmas: f64,
    },
    /// Leaves fewer points of even density.
    Thin(Rule),
    /// Removes these points.
    Remove(Subset),
    /// Finds normals from neighbours, in place of those that the file may hold.
    Normals,
}

impl Step {
    /// Outlier removal as it is usually wanted.
    pub const OUTLIERS: Self = Self::RemoveOutliers { neighbours: 16, sigmas: 3.0 };

    /// What it is called in the undo menu.
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
                "Outliers are removed beyond a number of standard deviations of 0 or more."
            }
            Self::RemoveOutliers { neighbours, .. } if !(2..=neighbourhoods::MOST).contains(&neighbours) => {
                return Err(UserError::usage(format!("Look at 2 to {} neighbours.", neighbourhoods::MOST)));
            }
            Self::Thin(Rule::Cells(mm) | Rule::Distance(mm)) if !is_length(mm) => "Thinning needs a length above 0 mm.",
            _ => return Ok(()),
        };
        Err(UserError::usage(sentence))
    }
}

/// What a step left.
pub struct Cleaned {
    /// The scan after it.
    pub cloud: Cloud,
    /// Numbers of the points that stayed, where some went; in ascending order.
    pub kept: Option<Vec<u32>>,
    /// What was done, for people.
    pub note: String,
}

/// Does one step on `cloud`.
pub fn run(backend: &dyn Backend, cloud: &Cloud, step: &Step, progress: &Progress) -> Result<Cleaned> {
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
                Rule::Cells(mm) => format!("one in each cube of {mm} mm"),
                Rule::Distance(mm) => format!("no two nearer than {mm} mm"),
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
                "turned towards the sensor"
            } else {
                "of either sign, as the scan does not say where the sensor stood"
            };
            let note = format!("Normals were found from {NORMAL_NEIGHBOURS} neighbours each, {side}.");
            (Cloud { normals, ..bare }, note)
        }
    };
    if cloud.points.is_empty() && all > 0 {
        return Err(UserError::input("Nothing would be left of the scan."));
    }
    Ok(Cleaned { kept: left.filter(|left| left.len() < all), cloud, note })
}

/// Unit normals of all points of `cloud`: its own where the file has them, else those of its neighbourhoods. Turned
/// towards the sensor where the file says where it stood; of either sign elsewhere.
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
    Ok(normals::turned_to_sensor(cloud, normals))
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
    fn lone_points_go_and_the_surface_stays() {
        let mut random = Random::new(9, 0);
        let mut points: Vec<Point> = (0..20_000)
            .map(|i| Point::new(f64::from(i % 200) * 0.1, f64::from(i / 200) * 0.1, 0.01 * random.normal()))
            .collect();
        points.extend(
            (0..200).map(|_| Point::new(random.range(0.0, 20.0), random.range(0.0, 10.0), 2.0 + random.normal().abs())),
        );
        let cloud = Cloud::from_points(points);
        let cleaned = run(&Cpu, &cloud, &Step::OUTLIERS, &Progress::silent()).unwrap();
        let lone = cleaned.cloud.points.iter().filter(|point| point.z > 1.0).count();
        assert!(lone <= 10, "{lone}");
        assert!(cleaned.cloud.points.len() - lone > 19_900, "{}", cleaned.cloud.points.len());
        let refused = run(&Cpu, &cloud, &Step::Thin(Rule::Cells(0.0)), &Progress::silent());
        assert!(refused.is_err_and(|error| error.sentence.contains("above 0 mm")));
    }
}
