//! Artefacts made of five planes: a flat one, and two pairs of flanks that fall away from it. Each pair meets in a line
//! above or below the flat one; dropped onto it, the first pair's line gives Y, and where both lines cross is the origin.

use nalgebra::DMatrix;

use super::invariants::{Aspect, Invariant, Invariants};
use super::propagation::{OF_FRAME, Placed, Propagation, axes_in};
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, check_filled, middle_of, used};
use crate::features::{Fit, Kind, fit};
use base::{ErrorKind, Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};

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
    /// How far the flanks lean from the flat face, degrees, where the kind of artefact implies it.
    pub flank_deg: Option<f64>,
    /// How its regions are found.
    pub find: Finder,
}

/// A sensor's noise is correlated over less than this, mm; what is common over more is its systematic error.
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
        let planes = outward(&fits.iter().map(placed).collect::<Vec<_>>(), measured.probe_radius_mm)?;
        let frame = self.of_planes(&planes)?;
        self.check_places(&frame, regions)?;
        let z = planes[0].1;
        // A sensor, which is at the origin, sees the upper side.
        if measured.incidence_deg.is_some() && z.dot(&planes[0].0.coords) > 0.0 {
            return Err(UserError::input(
                "The artefact's upper side looks away from the sensor: its flanks come nearer where they should fall away. \
                 Regions are brushed on the wrong faces, or the sensor's depths have the wrong sign.",
            ));
        }
        // The halves of the flat face are no parts of the frame; that they lie in one plane is an invariant.
        let halves = self.halves(regions, measured, progress)?;
        let radius = measured.probe_radius_mm;
        let upward = |fit: &Fit| {
            let (point, normal) = placed(fit);
            let normal = if normal.dot(&z) < 0.0 { -normal } else { normal };
            (point - normal * radius, normal)
        };
        let all: Vec<Placed> = planes.into_iter().chain(halves.iter().map(upward)).collect();
        points.extend(regions.iter().take(halves.len()).cloned());
        let of = |planes: &[Placed]| self.of_planes(planes);
        let values = |planes: &[Placed]| self.invariant_values(planes);
        let propagation = Propagation { parts: &all, frame: &frame, of: &of, invariants: &values };
        let named = self.invariants(!halves.is_empty());
        let figures = OF_FRAME + named.len();
        let mut systematic = measured.systematic(regions, figures);
        let mut noise = DMatrix::<f64>::zeros(figures, figures);
        let mut shares = Vec::with_capacity(all.len());
        for (i, fit) in fits.iter().chain(&halves).enumerate() {
            let (place, normal) = (fit.shape.place(), all[i].1);
            let mut own = propagation.covariance(i, fit)?;
            if measured.probing_mm > 0.0 {
                own += propagation.offset(i, &normal, measured.probing_sigma_mm())?;
            }
            noise += &own;
            shares.push(own);
            if let Some(systematic) = &mut systematic {
                let [a, b] = axes_in(&normal);
                let still = Vector::zeros();
                let answers = propagation.answers(i, &[(normal, still), (still, a), (still, b)])?;
                // A turn about an axis lifts a point by its arm across the axis; the error is along the ray.
                systematic.add(used(&points[i], fit), &answers, |point| {
                    let away = point - place;
                    let row = [1.0, a.cross(&away).dot(&normal), b.cross(&away).dot(&normal)];
                    (row, point.coords.normalize().dot(&normal))
                });
            }
        }
        let stepped: Vec<Placed> = all.iter().map(|(point, normal)| (point - normal * STEP_MM, *normal)).collect();
        let named = Invariants::valued(named, &values(&all)?, &values(&stepped)?, STEP_MM);
        let parts = fits.into_iter().zip(&self.parts).zip(&shares);
        let parts = parts.map(|((fit, &(name, regions)), own)| Part::new(name, regions, fit, own)).collect();
        Ok(ArtefactFrame::new(frame, &noise, systematic, parts, named))
    }

    fn frame_of_planes(&self, planes: &[Placed], probe_radius_mm: f64) -> Option<Result<Pose>> {
        Some(outward(planes, probe_radius_mm).and_then(|planes| self.of_planes(&planes)))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

/// Step of the derivative by the stylus tip radius, mm.
const STEP_MM: f64 = 1e-4;

fn placed(fit: &Fit) -> Placed {
    (fit.shape.place(), fit.shape.direction().unwrap_or_else(Vector::z))
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
    /// Fits of both halves of the flat face by themselves; none where it is one region, or where the points of a half do
    /// not determine a plane.
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
        measured.restate(&mut halves, &regions[..2]);
        Ok(halves)
    }

    /// Names of the invariants: nine of five planes, which have 15 degrees of freedom less the frame's 6, and three of
    /// the flat face's halves.
    fn invariants(&self, has_halves: bool) -> Vec<Invariant> {
        let [_, (ll, _), (lr, _), (su, _), (sl, _)] = self.parts;
        let [long, short] = self.pairs;
        let nominal = self.flank_deg.map(f64::to_radians);
        let mut of: Vec<Invariant> = [ll, lr, su, sl]
            .map(|name| Invariant::new(format!("Inclination of {name}"), Aspect::Angle, &[name]).implied(nominal))
            .into();
        of.push(Invariant::new(format!("Angle of the {long} to the {short}"), Aspect::Angle, &[ll, lr, su, sl]));
        of.push(Invariant::new(format!("Slope of the line of the {long}"), Aspect::Angle, &[ll, lr]));
        of.push(Invariant::new(format!("Slope of the line of the {short}"), Aspect::Angle, &[su, sl]));
        of.push(Invariant::new(format!("Height of the line of the {long}"), Aspect::Height, &[ll, lr]));
        of.push(Invariant::new(format!("Height of the line of the {short}"), Aspect::Height, &[su, sl]));
        if has_halves {
            let halves = &[self.regions[0].short, self.regions[1].short];
            of.push(Invariant::new("Step between the halves of the flat face", Aspect::Height, halves));
            of.push(Invariant::new("Fold between the halves of the flat face", Aspect::Angle, halves));
            of.push(Invariant::new("Twist between the halves of the flat face", Aspect::Angle, halves));
        }
        of
    }

    /// Their values, mm and rad, of planes whose normals look out of the material: the five, then both halves if there
    /// are any.
    fn invariant_values(&self, planes: &[Placed]) -> Result<Vec<f64>> {
        let &[(plate, z), ll, lr, su, sl, ..] = planes else {
            return Err(UserError::internal("This artefact has five planes."));
        };
        let frame = self.of_planes(planes)?;
        let origin = Point::from(frame.translation.vector);
        let (x, y) = (frame * Vector::x(), frame * Vector::y());
        let mut values: Vec<f64> =
            [ll, lr, su, sl].iter().map(|(_, normal)| normal.dot(&z).clamp(-1.0, 1.0).acos()).collect();
        // Both lines, along Y and from the lower flank to the upper one's right.
        let line = |one: &Placed, other: &Placed, towards: &Vector| -> Result<Placed> {
            let along = one.1.cross(&other.1).normalize();
            let (point, _) = meeting(one, other, &along)?;
            Ok((point, if along.dot(towards) < 0.0 { -along } else { along }))
        };
        let (long, short) = (line(&ll, &lr, &y)?, line(&su, &sl, &x)?);
        let flat = |along: &Vector| (along - z * along.dot(&z)).normalize();
        values.push(flat(&long.1).dot(&flat(&short.1)).clamp(-1.0, 1.0).acos());
        values.extend([long, short].map(|(_, along)| along.dot(&z).asin()));
        // Each line where it passes the origin.
        values.extend([long, short].map(|(point, along)| {
            let ways = flat(&along);
            let on_line = point + along * ((origin - point).dot(&ways) / along.dot(&ways));
            (on_line - plate).dot(&z)
        }));
        if let [left, right] = planes[5..] {
            let height = |(point, normal): Placed| (point - origin).dot(&normal) / normal.dot(&z);
            values.push(height(left) - height(right));
            let apart = left.1 - right.1;
            values.extend([apart.dot(&x), apart.dot(&y)]);
        }
        Ok(values)
    }

    /// The frame of five planes whose normals look out of the material; others after them do not matter.
    fn of_planes(&self, planes: &[Placed]) -> Result<Pose> {
        let &[(plate, z), ll, lr, su, sl, ..] = planes else {
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
        let (point, _) = meeting(one, other, &line)?;
        Ok((point, along.normalize()))
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

/// The line in which two planes meet, `line` along it: its point nearest to the middle between the regions.
fn meeting(one: &Placed, other: &Placed, line: &Vector) -> Result<Placed> {
    let middle = nalgebra::center(&one.0, &other.0);
    let rows = nalgebra::Matrix3::from_rows(&[one.1.transpose(), other.1.transpose(), line.transpose()]);
    let right = Vector::new(one.1.dot(&one.0.coords), other.1.dot(&other.0.coords), line.dot(&middle.coords));
    let point = rows.lu().solve(&right).ok_or_else(|| UserError::internal("Two flanks do not meet."))?;
    Ok((Point::from(point), *line))
}
