//! Artefacts made of a plane and straight lines on it: slots told by their edges, or lines drawn with a pen.
//!
//! The plane gives Z and the height of the origin. A slot's two edges give the line in its middle, so that neither the
//! radius of the probe that touched its walls nor the threshold that told its edges matters; a pen's stroke is a line
//! itself. The line along Y and the line along X cross at the origin.

use nalgebra::Matrix6;

use super::edges::{self, Edge};
use super::propagation::{Placed, Propagation, axes_in};
use super::smooth_bias::SmoothBias;
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, check_filled, used};
use crate::base::{Progress, Result, UserError};
use crate::geometry::{Cloud, Point, Pose, Subset, Vector};
use crate::inspect::features::{Fit, Kind, fit};

/// An artefact of this kind.
pub struct PlaneAndLines {
    /// For people.
    pub name: &'static str,
    /// Its regions: the plane, then either the left and right edge of the slot along Y with the upper and lower edge of
    /// the slot along X, or the line along Y and the line along X, which both start at the origin.
    pub regions: &'static [RegionName],
    /// How a snapshot shows the lines.
    pub edge: Edge,
    /// How its regions are found.
    pub find: Finder,
}

/// Names and regions of the parts, as far as there are regions.
const PLANE: (&str, &[usize]) = ("plane", &[0]);
const LINES: [&[usize]; 4] = [&[1], &[2], &[3], &[4]];
/// The lines must cross at more than this, degrees.
const LEAST_ANGLE_DEG: f64 = 10.0;
/// Both residuals of a line in space share its deviations; within a plane, one has them all.
const OF_LINE_IN_PLANE: f64 = 2.0;

impl Artefact for PlaneAndLines {
    fn name(&self) -> &'static str {
        self.name
    }

    fn regions(&self) -> &'static [RegionName] {
        self.regions
    }

    fn determines(&self) -> [bool; 6] {
        [true; 6]
    }

    fn is_told_by_edges(&self) -> bool {
        true
    }

    fn extract(&self, cloud: &Cloud, regions: &[Subset]) -> Result<Vec<Vec<Point>>> {
        edges::extract(self.edge, self.regions, cloud, regions)
    }

    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
        measured.check()?;
        check_filled(self.regions, regions, 3)?;
        let options = measured.options();
        progress.report(0.0, "Fitting the plane")?;
        let plane = fit(Kind::Plane, &regions[0], &[], &options, progress).map_err(|error| error.about(PLANE.0))?;
        let (level, normal) = (plane.shape.place(), plane.shape.direction().unwrap_or_else(Vector::z));
        let flat = |point: &Point| point - normal * (point - level).dot(&normal);
        let flattened: Vec<Vec<Point>> = regions[1..].iter().map(|points| points.iter().map(flat).collect()).collect();
        let mut fits = vec![plane];
        for (points, region) in flattened.iter().zip(&self.regions[1..]) {
            fits.push(fit(Kind::Line, points, &[], &options, progress).map_err(|error| error.about(region.short))?);
        }
        measured.restate(&mut fits[1..], &flattened);
        let placed = |fit: &Fit| (fit.shape.place(), fit.shape.direction().unwrap_or_else(Vector::z));
        let parts: Vec<Placed> = fits.iter().map(placed).collect();
        let of = |parts: &[Placed]| of_parts(parts, measured.probe_radius_mm);
        let frame = of(&parts)?;
        let z = frame * Vector::z();
        // A sensor, which is at the origin, sees the upper side.
        if measured.incidence_deg.is_some() && z.dot(&level.coords) > 0.0 {
            return Err(UserError::input(
                "The artefact's upper side looks away from the sensor: two of its lines are exchanged, or the sensor's \
                 frame is of the other handedness than was said.",
            ));
        }
        let propagation = Propagation { parts: &parts, frame: &frame, of: &of };
        let mut bias = SmoothBias::new(measured.bias_mm, regions.iter().flatten());
        let mut covariances: Vec<Matrix6<f64>> = Vec::with_capacity(fits.len());
        for (i, fit) in fits.iter().enumerate() {
            let times = if i == 0 { 1.0 } else { OF_LINE_IN_PLANE };
            covariances.push(propagation.covariance(i, fit)? * times);
            if measured.bias_mm > 0.0 {
                add_bias(&mut bias, &propagation, i, fit, regions, &z)?;
            }
        }
        let covariance = covariances.iter().sum::<Matrix6<f64>>() + bias.covariance();
        let names = std::iter::once(PLANE).chain(self.regions[1..].iter().zip(LINES).map(|(r, own)| (r.short, own)));
        let parts = fits.into_iter().zip(names).zip(&covariances);
        let parts = parts.map(|((fit, (name, regions)), own)| Part::new(name, regions, fit, own)).collect();
        Ok(ArtefactFrame { device_from_artefact: frame, covariance, parts })
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

/// What the sensor's smooth error does through the plane, or through a line on it.
fn add_bias(
    bias: &mut SmoothBias,
    propagation: &Propagation<'_>,
    which: usize,
    fit: &Fit,
    regions: &[Vec<Point>],
    z: &Vector,
) -> Result<()> {
    let ((place, direction), still, points) = (propagation.parts[which], Vector::zeros(), &regions[which]);
    let ray = |point: &Point| point.coords.normalize();
    if which == 0 {
        let [a, b] = axes_in(&direction);
        let answers = propagation.answers(which, &[(direction, still), (still, a), (still, b)])?;
        bias.add(used(points, fit), &answers, |point| {
            let away = point - place;
            ([1.0, a.cross(&away).dot(&direction), b.cross(&away).dot(&direction)], ray(point).dot(&direction))
        });
    } else {
        let across = z.cross(&direction);
        let answers = propagation.answers(which, &[(across, still), (still, *z)])?;
        bias.add(used(points, fit), &answers, |point| {
            ([1.0, (point - place).dot(&direction)], ray(point).dot(&across))
        });
    }
    Ok(())
}

/// The frame of the plane and two lines, or two pairs of them.
fn of_parts(parts: &[Placed], probe_radius_mm: f64) -> Result<Pose> {
    let (&(level, normal), lines) = parts.split_first().ok_or_else(|| UserError::internal("No plane."))?;
    let flat = |&(point, along): &Placed| -> Placed {
        let along: Vector = along - normal * along.dot(&normal);
        (point - normal * (point - level).dot(&normal), along.normalize())
    };
    let lines: Vec<Placed> = lines.iter().map(flat).collect();
    let (y_line, x_line) = match lines[..] {
        [left, right, upper, lower] => (middle(&left, &right), middle(&upper, &lower)),
        [along_y, along_x] => (along_y, along_x),
        _ => return Err(UserError::internal("This artefact has two or four lines.")),
    };
    let ((a, u), (b, v)) = (y_line, x_line);
    let across = u.cross(&v).dot(&normal);
    if !(across.abs() > LEAST_ANGLE_DEG.to_radians().sin()) {
        return Err(UserError::input(
            "The lines along X and along Y come out parallel: one of their regions is brushed on the wrong one.",
        ));
    }
    let origin = a + u * ((b - a).cross(&v).dot(&normal) / across);
    // Edges tell the directions by their names, lines by which way they leave the origin.
    let (towards_y, towards_x) = match lines[..] {
        [left, right, upper, lower] => (upper.0 - lower.0, right.0 - left.0),
        _ => (y_line.0 - origin, x_line.0 - origin),
    };
    let y = if towards_y.dot(&u) < 0.0 { -u } else { u };
    let z = if towards_x.cross(&y).dot(&normal) < 0.0 { -normal } else { normal };
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts((origin - z * probe_radius_mm).coords.into(), turn.into()))
}

/// The line in the middle between two edges.
fn middle(one: &Placed, other: &Placed) -> Placed {
    let along = if one.1.dot(&other.1) < 0.0 { one.1 - other.1 } else { one.1 + other.1 }.normalize();
    let between = nalgebra::center(&one.0, &other.0);
    // Both edges where the middle is, so that it does not matter how far along each was seen.
    let at = |(point, direction): &Placed| point + direction * ((between - point).dot(&along) / direction.dot(&along));
    (nalgebra::center(&at(one), &at(other)), along)
}
