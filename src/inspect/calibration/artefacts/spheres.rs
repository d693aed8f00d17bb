//! Artefacts made of spheres. One gives a place and no direction, so the machine must carry the sensor to several
//! positions; three on one plate give a frame at once.
//!
//! Points that the sensor sees at a slant are unreliable, and pull a sphere's radius and place with them. So a sphere is
//! fitted twice: to all points, then to those seen at less than a limit of incidence.

use nalgebra::DMatrix;

use super::invariants::{Aspect, Invariant, Invariants};
use super::propagation::{OF_FRAME, Placed, Propagation};
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, check_filled, middle_of, used};
use crate::features::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};

/// One sphere, or three.
pub struct Spheres {
    /// For people.
    pub name: &'static str,
    /// The spheres; of three, A is the origin, B lies along Y, C on the side of X.
    pub regions: &'static [RegionName],
    /// How its regions are found.
    pub find: Finder,
}

const PARTS: [&[usize]; 3] = [&[0], &[1], &[2]];
/// Points that a sphere needs.
const LEAST: usize = 4;
/// Three spheres must lie farther from one line than this share of their distance.
const OFF_LINE: f64 = 0.1;

impl Artefact for Spheres {
    fn name(&self) -> &'static str {
        self.name
    }

    fn regions(&self) -> &'static [RegionName] {
        self.regions
    }

    fn determines(&self) -> [bool; 6] {
        let turns = self.regions.len() > 1;
        [true, true, true, turns, turns, turns]
    }

    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
        measured.check()?;
        check_filled(self.regions, regions, LEAST)?;
        let mut fits = Vec::with_capacity(regions.len());
        for (i, (points, region)) in regions.iter().zip(self.regions).enumerate() {
            let part = progress.part(i as f32 / regions.len() as f32, (i + 1) as f32 / regions.len() as f32);
            fits.push(sphere(points, measured, &part).map_err(|error| error.about(region.short))?);
        }
        measured.restate(&mut fits, regions);
        let parts: Vec<Placed> = fits.iter().map(|fit| (fit.shape.place(), Vector::zeros())).collect();
        let frame = of_centres(&parts)?;
        check_side(&frame, &parts, regions)?;
        // Of the invariants, the distances follow the centres; the radii, after them, have fits of their own.
        let of = self.invariants();
        let distances = of.len() - fits.len();
        let values = |parts: &[Placed]| -> Result<Vec<f64>> {
            let radii = fits.iter().map(|fit| radius_of(fit) - measured.probe_radius_mm);
            Ok(distances_of(parts).into_iter().chain(radii).collect())
        };
        let propagation = Propagation { parts: &parts, frame: &frame, of: &of_centres, invariants: &values };
        let figures = OF_FRAME + of.len();
        let mut systematic = measured.systematic(regions, figures);
        let mut noise = DMatrix::<f64>::zeros(figures, figures);
        let mut shares = Vec::with_capacity(fits.len());
        for (i, fit) in fits.iter().enumerate() {
            let mut own = propagation.covariance(i, fit)?;
            let own_radius = OF_FRAME + distances + i;
            // Expanded, k = 2.
            own[(own_radius, own_radius)] += (0.5 * fit.uncertainty.numbers.first().copied().unwrap_or(0.0)).powi(2);
            if measured.probing_mm > 0.0 {
                // Touched from all sides of the upper half: what all touches have in common, and what sides differ by.
                for axis in [Vector::x(), Vector::y(), Vector::z()] {
                    own += propagation.offset(i, &axis, measured.probing_sigma_mm())?;
                }
                own[(own_radius, own_radius)] += measured.probing_sigma_mm().powi(2);
            }
            noise += &own;
            shares.push(own);
            if let Some(systematic) = &mut systematic {
                let still = Vector::zeros();
                // The radius, the last, moves no centre.
                let moves = [Vector::x(), Vector::y(), Vector::z(), still].map(|shift| (shift, still));
                let (mut answers, centre) = (propagation.answers(i, &moves)?, parts[i].0);
                answers[(own_radius, 3)] = 1.0;
                systematic.add(used(&regions[i], fit), &answers, |point| {
                    let out = (point - centre).normalize();
                    ([out.x, out.y, out.z, 1.0], point.coords.normalize().dot(&out))
                });
            }
        }
        let now = values(&parts)?;
        let stepped: Vec<f64> =
            now.iter().enumerate().map(|(k, value)| if k < distances { *value } else { value - STEP_MM }).collect();
        let of = Invariants::valued(of, &now, &stepped, STEP_MM);
        let named = fits.into_iter().zip(self.regions).zip(PARTS).zip(&shares);
        let parts = named.map(|(((fit, region), own), share)| Part::new(region.short, own, fit, share)).collect();
        Ok(ArtefactFrame::new(frame, &noise, systematic, parts, of))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

/// Step of the derivative by the stylus tip radius, mm.
const STEP_MM: f64 = 1e-4;

impl Spheres {
    /// Names of the invariants: distances of the centres, then the radii.
    fn invariants(&self) -> Vec<Invariant> {
        let name = |k: usize| self.regions[k].short;
        let distances = pairs(self.regions.len()).map(|(a, b)| {
            let what = format!("Distance of {} and {}", name(a), name(b));
            Invariant::new(what, Aspect::Distance, &[name(a), name(b)])
        });
        let radii = self.regions.iter().map(|region| {
            let what = format!("Radius of {}", region.short);
            Invariant::new(what, Aspect::Size, &[region.short])
        });
        distances.chain(radii).collect()
    }
}

/// Every two of some spheres.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

fn distances_of(parts: &[Placed]) -> Vec<f64> {
    pairs(parts.len()).map(|(a, b)| (parts[a].0 - parts[b].0).norm()).collect()
}

fn radius_of(fit: &Fit) -> f64 {
    match fit.shape {
        Shape::Sphere { radius, .. } => radius,
        _ => 0.0,
    }
}

/// A sphere fitted to the points that are seen well enough; those seen at a slant count as dropped.
fn sphere(points: &[Point], measured: &Measured, progress: &Progress) -> Result<Fit> {
    let all = fit(Kind::Sphere, points, &[], &measured.options(), progress)?;
    let Some(limit) = measured.incidence_deg else { return Ok(all) };
    let (centre, least) = (all.shape.place(), limit.to_radians().cos());
    let is_seen_well = |point: &Point| {
        let out = (point - centre).try_normalize(0.0).unwrap_or_else(Vector::zeros);
        -out.dot(&point.coords.normalize()) > least
    };
    let weights: Vec<f64> = points.iter().map(|point| f64::from(u8::from(is_seen_well(point)))).collect();
    let options = Options { start: Some(all.shape), ..measured.options() };
    let mut masked = fit(Kind::Sphere, points, &weights, &options, progress)?;
    masked.dropped.extend((0..).zip(&weights).filter(|(_, weight)| **weight == 0.0).map(|(number, _)| number));
    masked.dropped.sort_unstable();
    Ok(masked)
}

/// The frame of one centre, turned as the device is, or of three.
fn of_centres(parts: &[Placed]) -> Result<Pose> {
    let [a, b, c] = match *parts {
        [(centre, _)] => return Ok(Pose::translation(centre.x, centre.y, centre.z)),
        [(a, _), (b, _), (c, _)] => [a, b, c],
        _ => return Err(UserError::internal("This artefact has one sphere or three.")),
    };
    let (y, aside) = (b - a, c - a);
    let z = aside.cross(&y);
    if !(z.norm() > OFF_LINE * y.norm() * aside.norm()) {
        return Err(UserError::input(
            "The three spheres come out on one line: two regions hold the same sphere, or one is brushed wrongly.",
        ));
    }
    let (y, z) = (y.normalize(), z.normalize());
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts(a.coords.into(), turn.into()))
}

/// Three spheres are measured from above.
fn check_side(frame: &Pose, parts: &[Placed], regions: &[Vec<Point>]) -> Result<()> {
    let seen_from: Vector = regions.iter().zip(parts).map(|(points, (centre, _))| middle_of(points) - centre).sum();
    if parts.len() == 1 || (frame * Vector::z()).dot(&seen_from) > 0.0 {
        return Ok(());
    }
    Err(UserError::input(
        "The spheres come out upside down: two of them are exchanged, or the frame is mirrored: check the names of the \
         regions, and whether the sensor reports a left-handed frame.",
    ))
}

/// By how much the sensor's spheres come out larger than the CMM's, mm: each region's name and the difference.
pub fn radius_biases(sensor: &ArtefactFrame, cmm: &ArtefactFrame, probe_radius_mm: f64) -> Vec<(&'static str, f64)> {
    let radius = |part: &Part| match part.fit.shape {
        Shape::Sphere { radius, .. } => Some(radius),
        _ => None,
    };
    let bias =
        |(seen, touched): (&Part, &Part)| Some((seen.name, radius(seen)? - (radius(touched)? - probe_radius_mm)));
    sensor.parts.iter().zip(&cmm.parts).filter_map(bias).collect()
}
