//! Artefacts made of five planes: a flat one, and two pairs of flanks that fall away from it. Each pair meets in a line
//! above or below the flat one; dropped onto it, the first pair's line gives Y, and where both lines cross is the origin.

use super::propagation::{Placed, Propagation, axes_in};
use super::smooth_bias::SmoothBias;
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, check_filled, middle_of, used};
use crate::base::{Progress, Result, UserError};
use crate::geometry::{Cloud, Point, Pose, Subset, Vector};
use crate::inspect::features::{Kind, fit};

/// An artefact of this kind.
pub struct FivePlanes {
    /// For people.
    pub name: &'static str,
    /// Its regions.
    pub regions: &'static [RegionName],
    /// The planes and their regions: the flat one, left, right, upper, lower flank.
    pub parts: [(&'static str, &'static [usize]); 5],
    /// What the pairs are called: the one along Y, the one along X.
    pub pairs: [&'static str; 2],
    /// Pairs of regions of which the first lies at the smaller X (axis 0) or Y (axis 1), and what both are.
    pub order: &'static [(usize, usize, usize, &'static str)],
    /// How its regions are found.
    pub find: Finder,
}

/// A sensor's noise is correlated over less than this, mm; what is common over more is its smooth error.
pub const NOISE_WITHIN_MM: f64 = 5.0;
/// Flanks nearer to parallel than this, or nearer to the plate, are no flanks of one slot.
const LEAST_ANGLE_DEG: f64 = 10.0;

impl Artefact for FivePlanes {
    fn name(&self) -> &'static str {
        self.name
    }

    fn regions(&self) -> &'static [RegionName] {
        self.regions
    }

    fn determines(&self) -> [bool; 6] {
        [true; 6]
    }

    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
        measured.check()?;
        check_filled(self.regions, regions, 3)?;
        let options = measured.options();
        let mut fits = Vec::with_capacity(self.parts.len());
        let mut points = Vec::with_capacity(self.parts.len());
        for (i, (name, of)) in self.parts.iter().enumerate() {
            let part = progress.part(i as f32 / self.parts.len() as f32, (i + 1) as f32 / self.parts.len() as f32);
            points.push(of.iter().flat_map(|&region| regions[region].iter().copied()).collect::<Vec<Point>>());
            fits.push(fit(Kind::Plane, &points[i], &[], &options, &part).map_err(|error| error.about(name))?);
        }
        measured.restate(&mut fits, &points);
        let fitted = fits.iter().map(|fit| (fit.shape.place(), fit.shape.direction().unwrap_or_else(Vector::z)));
        let planes = outward(&fitted.collect::<Vec<_>>(), measured.probe_radius_mm)?;
        let frame = self.of_planes(&planes)?;
        self.check_places(&frame, regions)?;
        let of = |planes: &[Placed]| self.of_planes(planes);
        let propagation = Propagation { parts: &planes, frame: &frame, of: &of };
        let mut bias = SmoothBias::new(measured.bias_mm, regions.iter().flatten());
        let mut covariances = Vec::with_capacity(fits.len());
        for (i, fit) in fits.iter().enumerate() {
            covariances.push(propagation.covariance(i, fit)?);
            if measured.bias_mm > 0.0 {
                let (place, normal) = (fit.shape.place(), planes[i].1);
                let [a, b] = axes_in(&normal);
                let still = Vector::zeros();
                let answers = propagation.answers(i, &[(normal, still), (still, a), (still, b)])?;
                // A turn about an axis lifts a point by its arm across the axis; the error is along the ray.
                bias.add(used(&points[i], fit), &answers, |point| {
                    let away = point - place;
                    let row = [1.0, a.cross(&away).dot(&normal), b.cross(&away).dot(&normal)];
                    (row, point.coords.normalize().dot(&normal))
                });
            }
        }
        let covariance = covariances.iter().sum::<nalgebra::Matrix6<f64>>() + bias.covariance();
        let parts = fits.into_iter().zip(&self.parts).zip(&covariances);
        let parts = parts.map(|((fit, &(name, regions)), own)| Part::new(name, regions, fit, own)).collect();
        Ok(ArtefactFrame { device_from_artefact: frame, covariance, parts })
    }

    fn frame_of_planes(&self, planes: &[Placed], probe_radius_mm: f64) -> Option<Result<Pose>> {
        Some(outward(planes, probe_radius_mm).and_then(|planes| self.of_planes(&planes)))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

/// The fitted planes, normals out of the material, moved onto the surface by the probe's radius.
fn outward(fitted: &[Placed], probe_radius_mm: f64) -> Result<[Placed; 5]> {
    let &[(plate, normal), ll, lr, su, sl] = fitted else {
        return Err(UserError::internal("This artefact has five planes."));
    };
    let flanks = [ll, lr, su, sl];
    // Flanks fall away below the flat face.
    let height = flanks.iter().map(|(point, _)| (point - plate).dot(&normal)).sum::<f64>();
    let up = if height > 0.0 { -normal } else { normal };
    let below = |(point, _): &Placed| (point - plate).dot(&up) < 0.0;
    if !flanks.iter().all(below) {
        return Err(UserError::input(
            "The flanks lie on both sides of the flat face: a region is brushed on the wrong face, or the regions are \
             exchanged.",
        ));
    }
    let mut planes = [(plate, up); 5];
    for (plane, (point, normal)) in planes[1..].iter_mut().zip(flanks) {
        // Every flank is seen from above.
        *plane = (point, if normal.dot(&up) < 0.0 { -normal } else { normal });
    }
    Ok(planes.map(|(point, normal)| (point - normal * probe_radius_mm, normal)))
}

impl FivePlanes {
    /// The frame of five planes whose normals look out of the material.
    fn of_planes(&self, planes: &[Placed]) -> Result<Pose> {
        let &[(plate, z), ll, lr, su, sl] = planes else {
            return Err(UserError::internal("This artefact has five planes."));
        };
        let long = self.line(&ll, &lr, &z, 0)?;
        let short = self.line(&su, &sl, &z, 1)?;
        let on_plate = |point: Point| point - z * (point - plate).dot(&z);
        let ((a, u), (b, v)) = ((on_plate(long.0), long.1), (on_plate(short.0), short.1));
        let across = u.cross(&v).dot(&z);
        if across.abs() < LEAST_ANGLE_DEG.to_radians().sin() {
            return Err(UserError::input(format!(
                "The {} and the {} come out parallel: one of their regions is brushed on the wrong one.",
                self.pairs[0], self.pairs[1]
            )));
        }
        let origin = a + u * ((b - a).cross(&v).dot(&z) / across);
        // From the lower flank towards the upper one.
        let y = if (su.0 - sl.0).dot(&u) < 0.0 { -u } else { u };
        let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
        Ok(Pose::from_parts(origin.coords.into(), turn.into()))
    }

    /// A point and the direction of the line in which two flanks meet, the direction dropped onto the flat face.
    fn line(&self, one: &Placed, other: &Placed, z: &Vector, pair: usize) -> Result<Placed> {
        let line = one.1.cross(&other.1);
        let least = LEAST_ANGLE_DEG.to_radians().sin();
        let along = line - z * line.dot(z);
        // Two flanks of one pair meet along the flat face; flanks of two pairs meet in a line that dives.
        if line.norm() < least || line.dot(z).abs() > least * line.norm() {
            return Err(UserError::input(format!(
                "The two regions of the {} are not the two flanks of one: their planes do not meet in a line along the \
                 flat face.",
                self.pairs[pair]
            )));
        }
        // On both planes, and nearest to the middle between the regions.
        let middle = nalgebra::center(&one.0, &other.0);
        let rows = nalgebra::Matrix3::from_rows(&[one.1.transpose(), other.1.transpose(), line.transpose()]);
        let right = Vector::new(one.1.dot(&one.0.coords), other.1.dot(&other.0.coords), line.dot(&middle.coords));
        let point = rows.lu().solve(&right).ok_or_else(|| UserError::internal("Two flanks do not meet."))?;
        Ok((Point::from(point), along.normalize()))
    }

    /// Every region must lie where its name says.
    fn check_places(&self, device_from_artefact: &Pose, regions: &[Vec<Point>]) -> Result<()> {
        let middle = |region: usize| device_from_artefact.inverse_transform_point(&middle_of(&regions[region]));
        for &(low, high, axis, both) in self.order {
            if middle(low)[axis] > middle(high)[axis] {
                return Err(UserError::input(format!(
                    "{both} are exchanged, or the frame is mirrored: check the names of the regions, and whether the \
                     sensor reports a left-handed frame."
                )));
            }
        }
        Ok(())
    }
}
