//! Artefacts made of spheres. One sphere gives a position but no directions, so the CMM must carry the sensor to
//! several positions; three on one plate give a complete frame at once.
//!
//! Points that the sensor sees at a high angle of incidence are unreliable and bias a sphere's radius and centre. A
//! sphere is therefore fitted twice: to all points, then to those seen below a limit of incidence.

use nalgebra::DMatrix;

use super::invariants::{Aspect, Invariant, Invariants};
use super::propagation::{FRAME_QUANTITIES, PointDirection, Propagation};
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, centroid, check_point_counts, used_points};
use crate::features::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};

/// An artefact of one sphere or of three.
pub struct Spheres {
    /// Name shown to the operator.
    pub name: &'static str,
    /// The spheres. Of three: A is the origin, B lies on the Y axis, C on the side of positive X.
    pub regions: &'static [RegionName],
    /// Finds its regions in a whole snapshot.
    pub find: Finder,
}

const PART_REGIONS: [&[usize]; 3] = [&[0], &[1], &[2]];
/// Minimum number of points of a sphere.
const MIN_POINTS: usize = 4;
/// Minimum sine of the angle at A between the directions to B and C.
const MIN_SINE: f64 = 0.1;

impl Artefact for Spheres {
    fn name(&self) -> &'static str {
        self.name
    }

    fn regions(&self) -> &'static [RegionName] {
        self.regions
    }

    fn determines(&self) -> [bool; 6] {
        let has_directions = self.regions.len() > 1;
        [true, true, true, has_directions, has_directions, has_directions]
    }

    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
        measured.check()?;
        check_point_counts(self.regions, regions, MIN_POINTS)?;
        let mut fits = Vec::with_capacity(regions.len());
        for (i, (points, region)) in regions.iter().zip(self.regions).enumerate() {
            let part = progress.part(i as f32 / regions.len() as f32, (i + 1) as f32 / regions.len() as f32);
            fits.push(fit_sphere(points, measured, &part).map_err(|error| error.about(region.short))?);
        }
        measured.restate_pooled(&mut fits, regions);
        let parts: Vec<PointDirection> = fits.iter().map(|fit| (fit.shape.position(), Vector::zeros())).collect();
        let frame = frame_of_centres(&parts)?;
        check_side(&frame, &parts, regions)?;
        // Of the invariants, the distances depend on the centres; the radii after them come from the fits directly.
        let invariants = self.invariants();
        let distances = invariants.len() - fits.len();
        let values = |parts: &[PointDirection]| -> Result<Vec<f64>> {
            let radii = fits.iter().map(|fit| radius_of(fit) - measured.probe_radius_mm);
            Ok(distances_of(parts).into_iter().chain(radii).collect())
        };
        let propagation =
            Propagation { parts: &parts, frame: &frame, frame_of: &frame_of_centres, invariants: &values };
        let quantities = FRAME_QUANTITIES + invariants.len();
        let mut systematic = measured.systematic(regions, quantities);
        let mut noise = DMatrix::<f64>::zeros(quantities, quantities);
        let mut shares = Vec::with_capacity(fits.len());
        for (i, fit) in fits.iter().enumerate() {
            let mut own = propagation.covariance(i, fit)?;
            let radius_index = FRAME_QUANTITIES + distances + i;
            // The fit states the expanded uncertainty (k = 2).
            own[(radius_index, radius_index)] +=
                (0.5 * fit.uncertainty.of_size().filter(|own| own.is_finite()).unwrap_or(0.0)).powi(2);
            if measured.probing_mm > 0.0 {
                // Probed from all sides of the upper hemisphere: the error common to all points, and the differences
                // between directions.
                for axis in [Vector::x(), Vector::y(), Vector::z()] {
                    own += propagation.offset(i, &axis, measured.probing_sigma_mm())?;
                }
                own[(radius_index, radius_index)] += measured.probing_sigma_mm().powi(2);
            }
            noise += &own;
            shares.push(own);
            if let Some(systematic) = &mut systematic {
                let zero = Vector::zeros();
                // The last parameter, the radius, does not move the centre.
                let motions = [Vector::x(), Vector::y(), Vector::z(), zero].map(|shift| (shift, zero));
                let (mut sensitivities, centre) = (propagation.sensitivities(i, &motions)?, parts[i].0);
                sensitivities[(radius_index, 3)] = 1.0;
                systematic.add(used_points(&regions[i], fit), &sensitivities, |point| {
                    let outward = (point - centre).normalize();
                    ([outward.x, outward.y, outward.z, 1.0], outward)
                });
            }
        }
        let current = values(&parts)?;
        let stepped: Vec<f64> =
            current.iter().enumerate().map(|(k, value)| if k < distances { *value } else { value - STEP_MM }).collect();
        let invariants = Invariants::with_values(invariants, &current, &stepped, STEP_MM);
        let parts = fits.into_iter().zip(self.regions).zip(PART_REGIONS).zip(&shares);
        let parts = parts.map(|(((fit, region), own), share)| Part::new(region.short, own, fit, share)).collect();
        Ok(ArtefactFrame::new(frame, &noise, systematic, parts, invariants))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

/// Step of the numerical derivative by the stylus tip radius, mm.
const STEP_MM: f64 = 1e-4;

impl Spheres {
    /// Names of the invariants: distances between the centres, then the radii.
    fn invariants(&self) -> Vec<Invariant> {
        let short = |k: usize| self.regions[k].short;
        let distances = pairs(self.regions.len()).map(|(a, b)| {
            let name = format!("Distance of {} and {}", short(a), short(b));
            Invariant::new(name, Aspect::Distance, &[short(a), short(b)])
        });
        let radii = self.regions.iter().map(|region| {
            let name = format!("Radius of {}", region.short);
            Invariant::new(name, Aspect::Size, &[region.short])
        });
        distances.chain(radii).collect()
    }
}

/// All pairs of `count` spheres.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

fn distances_of(parts: &[PointDirection]) -> Vec<f64> {
    pairs(parts.len()).map(|(a, b)| (parts[a].0 - parts[b].0).norm()).collect()
}

fn radius_of(fit: &Fit) -> f64 {
    match fit.shape {
        Shape::Sphere { radius, .. } => radius,
        _ => 0.0,
    }
}

/// Fits a sphere to the points below the limit of incidence; the others count as rejected.
fn fit_sphere(points: &[Point], measured: &Measured, progress: &Progress) -> Result<Fit> {
    let all = fit(Kind::Sphere, points, &[], &measured.options(), progress)?;
    let Some(limit) = measured.incidence_deg else { return Ok(all) };
    let (centre, min_cosine) = (all.shape.position(), limit.to_radians().cos());
    let is_within_limit = |point: &Point| {
        let outward = (point - centre).try_normalize(0.0).unwrap_or_else(Vector::zeros);
        -outward.dot(&point.coords.normalize()) > min_cosine
    };
    let weights: Vec<f64> = points.iter().map(|point| f64::from(u8::from(is_within_limit(point)))).collect();
    let options = Options { start: Some(all.shape), ..measured.options() };
    let mut masked = fit(Kind::Sphere, points, &weights, &options, progress)?;
    masked.dropped.extend((0..).zip(&weights).filter(|(_, weight)| **weight == 0.0).map(|(index, _)| index));
    masked.dropped.sort_unstable();
    Ok(masked)
}

/// Frame of three centres, or of one, which takes the axes of the instrument.
fn frame_of_centres(parts: &[PointDirection]) -> Result<Pose> {
    let [a, b, c] = match *parts {
        [(centre, _)] => return Ok(Pose::translation(centre.x, centre.y, centre.z)),
        [(a, _), (b, _), (c, _)] => [a, b, c],
        _ => return Err(UserError::internal("This artefact has one sphere or three.")),
    };
    let (y, to_c) = (b - a, c - a);
    let z = to_c.cross(&y);
    if !(z.norm() > MIN_SINE * y.norm() * to_c.norm()) {
        return Err(UserError::input(
            "The three spheres lie on one line: two regions contain the same sphere, or one is brushed wrongly.",
        ));
    }
    let (y, z) = (y.normalize(), z.normalize());
    let rotation = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts(a.coords.into(), rotation.into()))
}

/// Checks that the spheres are measured from above. A single sphere has no upper side.
fn check_side(frame: &Pose, parts: &[PointDirection], regions: &[Vec<Point>]) -> Result<()> {
    let towards_instrument: Vector =
        regions.iter().zip(parts).map(|(points, (centre, _))| centroid(points) - centre).sum();
    if parts.len() == 1 || (frame * Vector::z()).dot(&towards_instrument) > 0.0 {
        return Ok(());
    }
    Err(UserError::input(
        "The spheres are upside down: two of them are exchanged, or the frame is mirrored. Check the names of the \
         regions, and whether the sensor reports a left-handed frame.",
    ))
}

/// Radius measured by the sensor minus radius measured by the CMM, mm, with the name of each region.
pub fn radius_biases(sensor: &ArtefactFrame, cmm: &ArtefactFrame, probe_radius_mm: f64) -> Vec<(&'static str, f64)> {
    let radius = |part: &Part| match part.fit.shape {
        Shape::Sphere { radius, .. } => Some(radius),
        _ => None,
    };
    let bias = |(scanned, probed): (&Part, &Part)| {
        Some((scanned.name, radius(scanned)? - (radius(probed)? - probe_radius_mm)))
    };
    sensor.parts.iter().zip(&cmm.parts).filter_map(bias).collect()
}
