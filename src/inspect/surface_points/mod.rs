//! Surface points: deviations of the scan at given points of the nominal, each along the surface normal or an axis, and
//! judged by common limits.

mod recipe;
#[cfg(test)]
mod tests;
pub mod trials;

use serde::{Deserialize, Serialize};

use crate::deviation::Tolerance;
use crate::main_alignment::reference_points::{Direction, measured};
use crate::main_alignment::{ReferencePoints, csv};
use crate::tolerances::Conformity;
use crate::verdict::Verdict;
use base::{Progress, Result, UserError, counted, decimals, signed, signed_length};
use geometry::{Point, Pose, Surface};

pub use recipe::SurfacePointsRecipe;

/// Maximum number of points.
const MAX_POINTS: usize = 10_000;

/// Which points are measured, and how they are judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The points, and the vicinity in which the scan is measured there.
    pub at: ReferencePoints,
    /// Limits of the deviations.
    pub tolerance: Tolerance,
}

/// A surface point as measured.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Its name.
    pub name: String,
    /// The direction that it is measured along.
    pub direction: Direction,
    /// Its position, nominal frame.
    pub at: Point,
    /// Deviation of the scan along that direction, mm, and the number of scan points that it was found from; or why it
    /// was not measured.
    pub measured: std::result::Result<(f64, usize), String>,
    /// Expanded uncertainty (k = 2) of the deviation by the noise of the scan about the point, mm; `None` if the scan shows
    /// too little of it, or the point was not measured.
    pub uncertainty_mm: Option<f64>,
}

impl SurfacePoint {
    /// What its deviation proves within `limits` (ISO 14253-1); `None` if it was not measured. Without an uncertainty
    /// nothing is proven.
    pub fn conformity(&self, limits: &Tolerance) -> Option<Conformity> {
        let (mm, _) = *self.measured.as_ref().ok()?;
        let excess_mm = limits.excess_mm(mm);
        Some(match self.uncertainty_mm {
            Some(own) if excess_mm <= -own => Conformity::Conforms,
            Some(own) if excess_mm > own => Conformity::DoesNotConform,
            _ => Conformity::Undecided,
        })
    }
}

/// Deviations at surface points.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePoints {
    /// How they were measured and judged.
    pub parameters: Parameters,
    /// The points, in the order of the parameters.
    pub points: Vec<SurfacePoint>,
}

impl Parameters {
    /// Returns an error if there are too many points, two have the same name, or radius or limits are out of range.
    pub fn check(&self) -> Result<()> {
        let ReferencePoints { points, radius_mm } = &self.at;
        if !(*radius_mm > 0.0 && radius_mm.is_finite()) {
            return Err(UserError::usage("The radius about the surface points must be a positive number of mm."));
        }
        if points.len() > MAX_POINTS {
            return Err(UserError::usage(format!("There are more than {MAX_POINTS} surface points.")));
        }
        if let Some(own) = points.iter().find(|own| !own.also.is_empty()) {
            return Err(UserError::usage(format!(
                "Surface point “{}” is measured along one direction; give it a single one.",
                own.name
            )));
        }
        let mut names: Vec<&str> = points.iter().map(|own| own.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(UserError::usage(format!("Two surface points are called “{}”.", pair[0])));
        }
        self.tolerance.check()
    }
}

impl SurfacePoints {
    /// Deviations of the points that were measured, mm.
    pub fn deviations(&self) -> impl Iterator<Item = f64> {
        self.points.iter().filter_map(|own| own.measured.as_ref().ok()).map(|(deviation_mm, _)| *deviation_mm)
    }

    /// Number of points in tolerance.
    pub fn in_tolerance(&self) -> usize {
        self.deviations().filter(|mm| self.parameters.tolerance.allows(*mm)).count()
    }

    /// Number of points closer to a limit than their uncertainty.
    pub fn in_doubt(&self) -> usize {
        self.points.iter().filter(|own| self.conformity_of(own) == Some(Conformity::Undecided)).count()
    }

    /// What a point proves; `None` if it was not measured.
    pub fn conformity_of(&self, point: &SurfacePoint) -> Option<Conformity> {
        point.conformity(&self.parameters.tolerance)
    }

    /// Fail if a point is out of tolerance, incomplete if one is in doubt or was not measured; `None` without points.
    pub fn verdict(&self) -> Option<Verdict> {
        self.points.iter().map(|own| self.verdict_of(own)).reduce(Verdict::and)
    }

    /// Verdict on one of its points; incomplete if it is in doubt or was not measured.
    pub fn verdict_of(&self, point: &SurfacePoint) -> Verdict {
        match self.conformity_of(point) {
            Some(Conformity::Conforms) => Verdict::Pass,
            Some(Conformity::DoesNotConform) => Verdict::Fail,
            Some(Conformity::Undecided) | None => Verdict::Incomplete,
        }
    }

    /// What each point shows, e.g. “+0.123 mm, U 0.004 mm, in tolerance”.
    pub fn describe(&self, point: &SurfacePoint) -> String {
        match &point.measured {
            Ok((mm, _)) => {
                let word = match self.conformity_of(point) {
                    Some(Conformity::Conforms) => "in tolerance",
                    Some(Conformity::DoesNotConform) => "out of tolerance",
                    Some(Conformity::Undecided) | None => "in doubt",
                };
                let digits = decimals(4);
                let uncertainty = match point.uncertainty_mm {
                    Some(own) => format!("U {own:.digits$} mm"),
                    None => "no uncertainty".to_owned(),
                };
                format!("{} mm, {uncertainty}, {word}", signed_length(*mm, 4))
            }
            Err(sentence) => sentence.clone(),
        }
    }

    /// A table: name, position and direction, deviation, limits and expanded uncertainty in mm, number of scan points,
    /// verdict.
    pub fn csv(&self) -> String {
        let mut text =
            "name,x_mm,y_mm,z_mm,direction,deviation_mm,low_mm,high_mm,uncertainty_mm,points,verdict\n".to_owned();
        let Tolerance { low_mm, high_mm } = self.parameters.tolerance;
        for own in &self.points {
            let name = csv::plain_name(&own.name);
            let (deviation, count) =
                own.measured.as_ref().map_or_else(|_| (String::new(), 0), |(mm, n)| (mm.to_string(), *n));
            let verdict = match self.conformity_of(own) {
                Some(Conformity::Conforms) => "pass",
                Some(Conformity::DoesNotConform) => "fail",
                Some(Conformity::Undecided) => "in doubt",
                None => "not measured",
            };
            let uncertainty = own.uncertainty_mm.map(|mm| mm.to_string()).unwrap_or_default();
            let ([x, y, z], direction) = ([own.at.x, own.at.y, own.at.z], own.direction.name());
            text += &format!(
                "{name},{x},{y},{z},{direction},{deviation},{low_mm},{high_mm},{uncertainty},{count},{verdict}\n"
            );
        }
        text
    }

    /// The result in one sentence.
    fn summary(&self) -> String {
        let (total, measured) = (self.points.len(), self.deviations().count());
        let of_measured = format!("{} of {} in tolerance", self.in_tolerance(), counted(measured, "point", "points"));
        let missing = total - measured;
        let missing = if missing > 0 { format!("; {missing} not measured") } else { String::new() };
        let doubt = match self.in_doubt() {
            0 => String::new(),
            count => format!("; {count} in doubt"),
        };
        let (min_mm, max_mm) = self.range_mm();
        let range = if measured > 0 {
            format!(", deviations from {} mm to {} mm", signed(min_mm, 4), signed(max_mm, 4))
        } else {
            String::new()
        };
        format!("{of_measured}{missing}{doubt}{range}.")
    }

    /// Smallest and largest deviation, mm.
    fn range_mm(&self) -> (f64, f64) {
        let range = |(min, max): (f64, f64), mm: f64| (min.min(mm), max.max(mm));
        self.deviations().fold((f64::INFINITY, f64::NEG_INFINITY), range)
    }
}

/// Measures the points on `scan`, moved to the nominal frame by `pose`.
pub fn run(
    nominal: &Surface,
    scan: &[Point],
    pose: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<SurfacePoints> {
    parameters.check()?;
    progress.report(0.0, "Measuring surface points")?;
    let found = measured(nominal, scan, &parameters.at, pose);
    let points = parameters.at.points.iter().zip(found).map(|(own, found)| SurfacePoint {
        name: own.name.clone(),
        direction: own.direction,
        at: own.point,
        uncertainty_mm: found.as_ref().ok().and_then(|own| own.uncertainty_mm),
        measured: found.map(|own| (own.deviation_mm, own.points)).map_err(|error| error.sentence),
    });
    Ok(SurfacePoints { parameters: parameters.clone(), points: points.collect() })
}
