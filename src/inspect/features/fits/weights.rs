//! Weights of measured points for fits by weighted total least squares.
//!
//! Standards refer to the surface, but a fit to its points: densely measured regions have more influence, and points
//! with large sensor noise as much as others. Weights by area remove the first effect, weights by incidence the second
//! (Shakarji and Srinivasan 2013).

use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use compute::{Backend, Compute, neighbourhoods};
use geometry::{Cloud, SearchablePoints, Vector, normals};

/// The source of point weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Weighting {
    /// Uniform weights.
    #[default]
    None,
    /// The squared cosine of the angle of incidence: the standard deviation of a sensor's range is inversely
    /// proportional to the cosine.
    Incidence,
    /// The surface area represented by the point.
    Area,
    /// A column of the file, values of at least 0; its intensity unless another column is named.
    Column,
}

impl Weighting {
    /// All sources of weights.
    pub const ALL: [Self; 4] = [Self::None, Self::Incidence, Self::Area, Self::Column];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "uniform",
            Self::Incidence => "by angle of incidence",
            Self::Area => "by area",
            Self::Column => "by file column",
        }
    }
}

/// Weights of points, and a limit of incidence for masking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Weights {
    /// Source of the weights.
    pub by: Weighting,
    /// Points with a larger angle of incidence get weight 0, rad; `None` masks none.
    pub max_incidence_rad: Option<f64>,
}

/// Neighbours for the area and for the normal of a point, including the point itself.
const AREA_NEIGHBOURS: usize = 16;
const NORMAL_NEIGHBOURS: usize = 20;

impl Weights {
    /// Whether weights are uniform and no point is masked.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Description for reports.
    pub fn words(&self) -> String {
        let masked = self
            .max_incidence_rad
            .map_or_else(String::new, |limit| format!(", points above {:.1}° incidence masked", limit.to_degrees()));
        format!("{}{masked}", self.by.name())
    }

    /// The weight of each point of `cloud`; empty for uniform weights.
    ///
    /// Returns an error if the cloud lacks the data for the weights.
    pub fn of(&self, backend: &dyn Backend, cloud: &Cloud, progress: &Progress) -> Result<Vec<f64>> {
        if self.is_plain() {
            return Ok(Vec::new());
        }
        if self.max_incidence_rad.is_some_and(|limit| !(limit > 0.0 && limit <= std::f64::consts::FRAC_PI_2)) {
            return Err(UserError::usage("The maximum angle of incidence must be above 0° and at most 90°."));
        }
        let points = SearchablePoints::new(&cloud.points);
        let mut weights = match self.by {
            Weighting::None | Weighting::Incidence => vec![1.0; cloud.points.len()],
            Weighting::Area => areas(backend, &points, progress)?,
            Weighting::Column => column(cloud)?,
        };
        if self.by == Weighting::Incidence || self.max_incidence_rad.is_some() {
            let min_cosine = self.max_incidence_rad.map_or(0.0, f64::cos);
            for (weight, cosine) in weights.iter_mut().zip(cosines(backend, cloud, &points, progress)?) {
                if self.by == Weighting::Incidence {
                    *weight *= cosine * cosine;
                }
                if cosine < min_cosine {
                    *weight = 0.0;
                }
            }
        }
        Ok(weights)
    }
}

/// The area represented by each point divided by the mean area, so that weighted residuals keep their scale.
fn areas(backend: &dyn Backend, points: &SearchablePoints<'_>, progress: &Progress) -> Result<Vec<f64>> {
    let request = neighbourhoods::Request { points, neighbours: AREA_NEIGHBOURS };
    let answers = backend.compute(&request, progress)?;
    let areas: Vec<f64> = answers.iter().map(neighbourhoods::Neighbourhood::area_mm2).collect();
    let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
    Ok(areas.into_iter().map(|area| if mean > 0.0 { area / mean } else { area }).collect())
}

fn column(cloud: &Cloud) -> Result<Vec<f64>> {
    if cloud.intensity.len() != cloud.points.len() || cloud.points.is_empty() {
        return Err(UserError::input(
            "The file has no weight column: name one (--weight-column), or store the weights as intensity.",
        ));
    }
    let weights: Vec<f64> = cloud.intensity.iter().map(|&weight| f64::from(weight)).collect();
    match weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
        Some(index) => Err(UserError::input(format!(
            "The weight of point {} is {}; weights must be finite and at least 0.",
            index + 1,
            weights.get(index).copied().unwrap_or(f64::NAN)
        ))),
        None => Ok(weights),
    }
}

/// Cosine of the angle between the direction to the sensor and the normal of each point, which is taken from the file
/// or from its neighbourhood; 0 for points without a direction to the sensor.
fn cosines(
    backend: &dyn Backend,
    cloud: &Cloud,
    points: &SearchablePoints<'_>,
    progress: &Progress,
) -> Result<Vec<f64>> {
    if !normals::are_oriented(cloud) {
        return Err(UserError::usage(
            "The scan does not contain the sensor position, so the angle of incidence is unknown: state the position \
             (--viewpoint-mm X,Y,Z), or weight by area.",
        ));
    }
    let normals = match normals::stored(cloud) {
        Some(stored) => stored,
        None => {
            let request = neighbourhoods::Request { points, neighbours: NORMAL_NEIGHBOURS };
            backend.compute(&request, progress)?.iter().map(|answer| answer.normal).collect()
        }
    };
    let cosine = |(i, normal): (usize, &Vector)| {
        cloud.direction_to_sensor(i).map_or(0.0, |direction| {
            let lengths = direction.norm() * normal.norm();
            if lengths > 0.0 { (direction.dot(normal) / lengths).abs().min(1.0) } else { 0.0 }
        })
    };
    Ok(normals.iter().enumerate().map(cosine).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use compute::cpu::Cpu;
    use geometry::Point;

    /// A flat grid, twice as dense in x on its right half, with a steep strip at its end.
    fn cloud() -> Cloud {
        let mut points = Vec::new();
        for row in 0..40 {
            points.extend((0..20).map(|i| Point::new(f64::from(i) - 20.0, f64::from(row), 0.0)));
            points.extend((0..40).map(|i| Point::new(0.5 * f64::from(i), f64::from(row), 0.0)));
            points.extend((0..10).map(|i| Point::new(25.0 + 0.1 * f64::from(i), f64::from(row), 10.0 + f64::from(i))));
        }
        Cloud { viewpoint: Some(Point::new(0.0, 20.0, 500.0)), ..Cloud::from_points(points) }
    }

    fn of(weights: Weights, cloud: &Cloud) -> Result<Vec<f64>> {
        weights.of(&Cpu, cloud, &Progress::silent())
    }

    #[test]
    fn weights_by_area_compensate_density() {
        let cloud = cloud();
        let weights = of(Weights { by: Weighting::Area, max_incidence_rad: None }, &cloud).unwrap();
        assert!((weights.iter().sum::<f64>() / weights.len() as f64 - 1.0).abs() < 1e-12);
        let mean = |low: f64, high: f64| {
            let inside = |point: &Point| (low..high).contains(&point.x) && (5.0..35.0).contains(&point.y);
            let own: Vec<f64> =
                cloud.points.iter().zip(&weights).filter(|(point, _)| inside(point)).map(|(_, w)| *w).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        let ratio = mean(-15.0, -5.0) / mean(5.0, 15.0);
        assert!((1.6..2.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn weights_by_incidence_reduce_and_mask_steep_points() {
        let cloud = cloud();
        let steep = |i: usize| cloud.points[i].z > 12.0 && cloud.points[i].z < 17.0;
        let weights = of(Weights { by: Weighting::Incidence, max_incidence_rad: None }, &cloud).unwrap();
        assert!((0..weights.len()).filter(|&i| steep(i)).all(|i| weights[i] < 0.1));
        let flat = (0..weights.len()).filter(|&i| cloud.points[i].x.abs() < 15.0);
        assert!(flat.clone().all(|i| weights[i] > 0.95));
        let masked = Weights { by: Weighting::None, max_incidence_rad: Some(60.0_f64.to_radians()) };
        let weights = of(masked, &cloud).unwrap();
        assert!((0..weights.len()).filter(|&i| steep(i)).all(|i| weights[i] == 0.0));
        assert!(flat.clone().all(|i| weights[i] == 1.0));
        assert_eq!(masked.words(), "uniform, points above 60.0° incidence masked");
        let blind = Cloud { viewpoint: None, ..cloud.clone() };
        assert!(of(masked, &blind).unwrap_err().sentence.contains("sensor position"));
        assert!(of(Weights { max_incidence_rad: Some(2.0), ..masked }, &cloud).is_err());
    }

    #[test]
    fn column_weights_are_unchanged_and_uniform_weights_are_empty() {
        let mut cloud = cloud();
        let by = Weights { by: Weighting::Column, max_incidence_rad: None };
        assert!(of(by, &cloud).unwrap_err().sentence.contains("no weight column"));
        cloud.intensity = (0..cloud.points.len()).map(|i| i as f32).collect();
        assert_eq!(of(by, &cloud).unwrap()[7], 7.0);
        cloud.intensity[3] = -1.0;
        assert!(of(by, &cloud).unwrap_err().sentence.contains("point 4 is -1"));
        assert!(of(Weights::default(), &cloud).unwrap().is_empty());
    }
}
