//! Artefacts made of five planes: a flat face and two pairs of flanks that slope down from it. The planes of each pair
//! intersect in a line above or below the flat face. Projected onto it, the line of the first pair defines Y, and the
//! intersection of both lines is the origin.

use nalgebra::DMatrix;

use super::invariants::{Aspect, Invariant, Invariants};
use super::propagation::{FRAME_QUANTITIES, PointDirection, Propagation, in_plane_axes};
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, centroid, check_point_counts, used_points};
use crate::features::{Fit, Kind, fit};
use base::{ErrorKind, Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};

/// An artefact of this kind.
pub struct FivePlanes {
    /// Name shown to the operator.
    pub name: &'static str,
    /// Regions.
    pub regions: &'static [RegionName],
    /// The planes and their regions: the flat face, then the left, right, upper and lower flank.
    pub parts: [(&'static str, &'static [usize]); 5],
    /// Names of the pairs of flanks: the one along Y, then the one along X.
    pub pairs: [&'static str; 2],
    /// Pairs of regions of which the first lies at the smaller X (axis 0) or Y (axis 1), with a name for both.
    pub order: &'static [(usize, usize, usize, &'static str)],
    /// Inclination of the flanks to the flat face, degrees, if the kind of artefact implies it.
    pub flank_deg: Option<f64>,
    /// Finds its regions in a whole snapshot.
    pub find: Finder,
}

/// Correlation length of a sensor's noise is below this, mm; what is common over longer distances is its systematic
/// error.
pub const MAX_CORRELATION_LENGTH_MM: f64 = 5.0;
/// Minimum angle between two flanks of one pair, and between the two slots, degrees; also the maximum slope of their
/// lines.
const MIN_ANGLE_DEG: f64 = 10.0;

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
        check_point_counts(self.regions, regions, 3)?;
        let options = measured.options();
        let mut fits = Vec::with_capacity(self.parts.len());
        let mut points = Vec::with_capacity(self.parts.len());
        for (i, (name, part_regions)) in self.parts.iter().enumerate() {
            let part = progress.part(i as f32 / self.parts.len() as f32, (i + 1) as f32 / self.parts.len() as f32);
            points
                .push(part_regions.iter().flat_map(|&region| regions[region].iter().copied()).collect::<Vec<Point>>());
            fits.push(fit(Kind::Plane, &points[i], &[], &options, &part).map_err(|error| error.about(name))?);
        }
        measured.restate_pooled(&mut fits, &points);
        let planes = outward_planes(&fits.iter().map(point_direction).collect::<Vec<_>>(), measured.probe_radius_mm)?;
        let frame = self.frame_from_planes(&planes)?;
        self.check_order(&frame, regions)?;
        let z = planes[0].1;
        // The sensor, at the origin, sees the upper side.
        if measured.incidence_deg.is_some() && z.dot(&planes[0].0.coords) > 0.0 {
            return Err(UserError::input(
                "The artefact's upper side faces away from the sensor: its flanks rise where they should slope down. \
                 Regions are brushed on the wrong faces, or the sensor's depths have the wrong sign.",
            ));
        }
        // The halves of the flat face do not contribute to the frame; that they are coplanar is an invariant.
        let halves = self.halves(regions, measured, progress)?;
        let radius = measured.probe_radius_mm;
        let upward = |fit: &Fit| {
            let (point, normal) = point_direction(fit);
            let normal = if normal.dot(&z) < 0.0 { -normal } else { normal };
            (point - normal * radius, normal)
        };
        let all: Vec<PointDirection> = planes.into_iter().chain(halves.iter().map(upward)).collect();
        points.extend(regions.iter().take(halves.len()).cloned());
        let frame_of = |planes: &[PointDirection]| self.frame_from_planes(planes);
        let values = |planes: &[PointDirection]| self.invariant_values(planes);
        let propagation = Propagation { parts: &all, frame: &frame, frame_of: &frame_of, invariants: &values };
        let invariants = self.invariants(!halves.is_empty());
        let quantities = FRAME_QUANTITIES + invariants.len();
        let mut systematic = measured.systematic(regions, quantities);
        let mut noise = DMatrix::<f64>::zeros(quantities, quantities);
        let mut shares = Vec::with_capacity(all.len());
        for (i, fit) in fits.iter().chain(&halves).enumerate() {
            let (centre, normal) = (fit.shape.position(), all[i].1);
            let mut own = propagation.covariance(i, fit)?;
            if measured.probing_mm > 0.0 {
                own += propagation.offset(i, &normal, measured.probing_sigma_mm())?;
            }
            noise += &own;
            shares.push(own);
            if let Some(systematic) = &mut systematic {
                let [a, b] = in_plane_axes(&normal);
                let zero = Vector::zeros();
                let sensitivities = propagation.sensitivities(i, &[(normal, zero), (zero, a), (zero, b)])?;
                // A rotation about an axis lifts a point by its lever arm across the axis.
                systematic.add(used_points(&points[i], fit), &sensitivities, |point| {
                    let offset = point - centre;
                    let row = [1.0, a.cross(&offset).dot(&normal), b.cross(&offset).dot(&normal)];
                    (row, normal)
                });
            }
        }
        let stepped: Vec<PointDirection> =
            all.iter().map(|(point, normal)| (point - normal * STEP_MM, *normal)).collect();
        let invariants = Invariants::with_values(invariants, &values(&all)?, &values(&stepped)?, STEP_MM);
        let parts = fits.into_iter().zip(&self.parts).zip(&shares);
        let parts = parts.map(|((fit, &(name, regions)), own)| Part::new(name, regions, fit, own)).collect();
        Ok(ArtefactFrame::new(frame, &noise, systematic, parts, invariants))
    }

    fn frame_of_planes(&self, planes: &[PointDirection], probe_radius_mm: f64) -> Option<Result<Pose>> {
        Some(outward_planes(planes, probe_radius_mm).and_then(|planes| self.frame_from_planes(&planes)))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

/// Step of the numerical derivative by the stylus tip radius, mm.
const STEP_MM: f64 = 1e-4;

fn point_direction(fit: &Fit) -> PointDirection {
    (fit.shape.position(), fit.shape.direction().unwrap_or_else(Vector::z))
}

/// The fitted planes with outward normals, moved onto the surface by the stylus tip radius.
fn outward_planes(fitted: &[PointDirection], probe_radius_mm: f64) -> Result<[PointDirection; 5]> {
    let &[(plate, normal), ll, lr, su, sl] = fitted else {
        return Err(UserError::internal("This artefact has five planes."));
    };
    let flanks = [ll, lr, su, sl];
    // Flanks lie below the flat face.
    let height = flanks.iter().map(|(point, _)| (point - plate).dot(&normal)).sum::<f64>();
    let up = if height > 0.0 { -normal } else { normal };
    let is_below = |(point, _): &PointDirection| (point - plate).dot(&up) < 0.0;
    if !flanks.iter().all(is_below) {
        return Err(UserError::input(
            "The flanks lie on both sides of the flat face: a region is brushed on the wrong face, or regions are \
             exchanged.",
        ));
    }
    let mut planes = [(plate, up); 5];
    for (plane, (point, normal)) in planes[1..].iter_mut().zip(flanks) {
        // Every flank faces upward.
        *plane = (point, if normal.dot(&up) < 0.0 { -normal } else { normal });
    }
    Ok(planes.map(|(point, normal)| (point - normal * probe_radius_mm, normal)))
}

impl FivePlanes {
    /// Separate fits of both halves of the flat face; none if it is a single region, or if the points of a half do not
    /// determine a plane.
    fn halves(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<Vec<Fit>> {
        if self.parts[0].1 != [0, 1] {
            return Ok(Vec::new());
        }
        let mut halves = Vec::with_capacity(2);
        for points in &regions[..2] {
            match fit(Kind::Plane, points, &[], &measured.options(), progress) {
                Ok(half) => halves.push(half),
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(_) => return Ok(Vec::new()),
            }
        }
        measured.restate_pooled(&mut halves, &regions[..2]);
        Ok(halves)
    }

    /// Names of the invariants: nine of the five planes, which have 15 degrees of freedom less the frame's 6, and three
    /// of the halves of the flat face.
    fn invariants(&self, has_halves: bool) -> Vec<Invariant> {
        let [_, (ll, _), (lr, _), (su, _), (sl, _)] = self.parts;
        let [long, short] = self.pairs;
        let nominal = self.flank_deg.map(f64::to_radians);
        let mut invariants: Vec<Invariant> = [ll, lr, su, sl]
            .map(|name| Invariant::new(format!("Inclination of {name}"), Aspect::Angle, &[name]).with_nominal(nominal))
            .into();
        invariants.push(Invariant::new(
            format!("Angle of the {long} to the {short}"),
            Aspect::Angle,
            &[ll, lr, su, sl],
        ));
        invariants.push(Invariant::new(format!("Slope of the line of the {long}"), Aspect::Angle, &[ll, lr]));
        invariants.push(Invariant::new(format!("Slope of the line of the {short}"), Aspect::Angle, &[su, sl]));
        invariants.push(Invariant::new(format!("Height of the line of the {long}"), Aspect::Height, &[ll, lr]));
        invariants.push(Invariant::new(format!("Height of the line of the {short}"), Aspect::Height, &[su, sl]));
        if has_halves {
            let halves = &[self.regions[0].short, self.regions[1].short];
            invariants.push(Invariant::new("Step between the halves of the flat face", Aspect::Height, halves));
            invariants.push(Invariant::new("Fold between the halves of the flat face", Aspect::Angle, halves));
            invariants.push(Invariant::new("Twist between the halves of the flat face", Aspect::Angle, halves));
        }
        invariants
    }

    /// Values of the invariants, mm and rad, from planes with outward normals: the five planes, followed by both halves
    /// of the flat face if there are any.
    fn invariant_values(&self, planes: &[PointDirection]) -> Result<Vec<f64>> {
        let &[(plate, z), ll, lr, su, sl, ..] = planes else {
            return Err(UserError::internal("This artefact has five planes."));
        };
        let frame = self.frame_from_planes(planes)?;
        let origin = Point::from(frame.translation.vector);
        let (x, y) = (frame * Vector::x(), frame * Vector::y());
        let mut values: Vec<f64> =
            [ll, lr, su, sl].iter().map(|(_, normal)| normal.dot(&z).clamp(-1.0, 1.0).acos()).collect();
        // Both lines, the first towards +Y, the second towards +X.
        let line = |one: &PointDirection, other: &PointDirection, towards: &Vector| -> Result<PointDirection> {
            let along = one.1.cross(&other.1).normalize();
            let (point, _) = intersection(one, other, &along)?;
            Ok((point, if along.dot(towards) < 0.0 { -along } else { along }))
        };
        let (long, short) = (line(&ll, &lr, &y)?, line(&su, &sl, &x)?);
        let flat = |along: &Vector| (along - z * along.dot(&z)).normalize();
        values.push(flat(&long.1).dot(&flat(&short.1)).clamp(-1.0, 1.0).acos());
        values.extend([long, short].map(|(_, along)| along.dot(&z).asin()));
        // Height of each line where it passes the origin.
        values.extend([long, short].map(|(point, along)| {
            let in_plane = flat(&along);
            let on_line = point + along * ((origin - point).dot(&in_plane) / along.dot(&in_plane));
            (on_line - plate).dot(&z)
        }));
        if let [left, right] = planes[5..] {
            let height = |(point, normal): PointDirection| (point - origin).dot(&normal) / normal.dot(&z);
            values.push(height(left) - height(right));
            let difference = left.1 - right.1;
            values.extend([difference.dot(&x), difference.dot(&y)]);
        }
        Ok(values)
    }

    /// Frame from five planes with outward normals; any planes after the fifth are ignored.
    fn frame_from_planes(&self, planes: &[PointDirection]) -> Result<Pose> {
        let &[(plate, z), ll, lr, su, sl, ..] = planes else {
            return Err(UserError::internal("This artefact has five planes."));
        };
        let long = self.line(&ll, &lr, &z, 0)?;
        let short = self.line(&su, &sl, &z, 1)?;
        let on_plate = |point: Point| point - z * (point - plate).dot(&z);
        let ((a, u), (b, v)) = ((on_plate(long.0), long.1), (on_plate(short.0), short.1));
        let across = u.cross(&v).dot(&z);
        if across.abs() < MIN_ANGLE_DEG.to_radians().sin() {
            return Err(UserError::input(format!(
                "The {} and the {} are parallel: one of their regions is brushed on a wrong face.",
                self.pairs[0], self.pairs[1]
            )));
        }
        let origin = a + u * ((b - a).cross(&v).dot(&z) / across);
        // Y points from the lower flank to the upper one.
        let y = if (su.0 - sl.0).dot(&u) < 0.0 { -u } else { u };
        let rotation = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
        Ok(Pose::from_parts(origin.coords.into(), rotation.into()))
    }

    /// Point and direction of the line in which two flanks intersect, the direction projected onto the flat face.
    fn line(&self, one: &PointDirection, other: &PointDirection, z: &Vector, pair: usize) -> Result<PointDirection> {
        let line = one.1.cross(&other.1);
        let min_sine = MIN_ANGLE_DEG.to_radians().sin();
        let along = line - z * line.dot(z);
        // Two flanks of one pair intersect parallel to the flat face; flanks of two pairs intersect in an inclined
        // line.
        if line.norm() < min_sine || line.dot(z).abs() > min_sine * line.norm() {
            return Err(UserError::input(format!(
                "The two regions of the {} are not its two flanks: their planes do not intersect in a line parallel to \
                 the flat face.",
                self.pairs[pair]
            )));
        }
        let (point, _) = intersection(one, other, &line)?;
        Ok((point, along.normalize()))
    }

    /// Checks that every region lies where its name says.
    fn check_order(&self, device_from_artefact: &Pose, regions: &[Vec<Point>]) -> Result<()> {
        let position = |region: usize| device_from_artefact.inverse_transform_point(&centroid(&regions[region]));
        for &(low, high, axis, both) in self.order {
            if position(low)[axis] > position(high)[axis] {
                return Err(UserError::input(format!(
                    "{both} are exchanged, or the frame is mirrored. Check the names of the regions, and whether the \
                     sensor reports a left-handed frame."
                )));
            }
        }
        Ok(())
    }
}

/// Line of intersection of two planes with the given direction: the returned point is the one closest to the midpoint
/// between the regions.
fn intersection(one: &PointDirection, other: &PointDirection, line: &Vector) -> Result<PointDirection> {
    let midpoint = nalgebra::center(&one.0, &other.0);
    let rows = nalgebra::Matrix3::from_rows(&[one.1.transpose(), other.1.transpose(), line.transpose()]);
    let right = Vector::new(one.1.dot(&one.0.coords), other.1.dot(&other.0.coords), line.dot(&midpoint.coords));
    let point = rows.lu().solve(&right).ok_or_else(|| UserError::internal("Two flanks do not intersect."))?;
    Ok((Point::from(point), *line))
}
