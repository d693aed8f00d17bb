//! Artefacts made of a plane and straight lines on it: slots located by their edges, or lines drawn with a pen.
//!
//! The plane defines Z and the height of the origin. The two edges of a slot give its centre line, so that neither the
//! radius of the stylus tip that probed its walls nor the threshold that located its edges matters; a pen stroke is a
//! line itself. The line along Y and the line along X intersect at the origin.
//!
//! An edge located by height is known only to a fraction of the distance between neighbouring points: it lies between
//! the last point above and the first below, and what lies below may be in the projector's shadow or hidden by the rim.
//! Where the sensor's rows run along the edge, all its points deviate alike, so residuals do not show it. The shadow is
//! not modelled, which would require the sensor's inner geometry; its possible effect is stated instead
//! ([`Edge::location_error_pitches`]).

use nalgebra::DMatrix;

use super::edges::{self, Edge};
use super::invariants::{Aspect, Invariant, Invariants};
use super::propagation::{FRAME_QUANTITIES, PointDirection, Propagation, in_plane_axes};
use super::systematic::SystematicPropagation;
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, check_point_counts, used_points};
use crate::features::{Fit, Kind, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};

/// An artefact of this kind.
pub struct PlaneAndLines {
    /// Name shown to the operator.
    pub name: &'static str,
    /// Regions: the plane, then either the left and right edge of the slot along Y with the upper and lower edge of the
    /// slot along X, or the line along Y and the line along X, which both start at the origin.
    pub regions: &'static [RegionName],
    /// How the lines are located in a snapshot.
    pub edge: Edge,
    /// Finds its regions in a whole snapshot.
    pub find: Finder,
}

/// Name and regions of the plane, and regions of the lines, as far as there are any.
const PLANE_PART: (&str, &[usize]) = ("plane", &[0]);
const LINE_REGIONS: [&[usize]; 4] = [&[1], &[2], &[3], &[4]];
/// Minimum angle between the two lines, degrees.
const MIN_ANGLE_DEG: f64 = 10.0;
/// Factor for the covariance of a line fitted in space to points in a plane: the two residuals of a line in space share
/// the deviations, of which one direction has all here.
const IN_PLANE_FACTOR: f64 = 2.0;
/// Step of the numerical derivative by the stylus tip radius, mm.
const STEP_MM: f64 = 1e-4;

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

    fn unmodelled_note(&self) -> Option<&'static str> {
        let is_shadowed = self.edge == Edge::Height;
        is_shadowed.then_some(
            "The projector's shadow at the rims of square slots is not modelled: edges are assumed to be located to ± \
             0.3 of the distance between neighbouring points, which is included in the uncertainties along X and Y.",
        )
    }

    fn extract(&self, cloud: &Cloud, regions: &[Subset]) -> Result<Vec<Vec<Point>>> {
        edges::extract(self.edge, self.regions, cloud, regions)
    }

    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
        measured.check()?;
        check_point_counts(self.regions, regions, 3)?;
        let options = measured.options();
        progress.report(0.0, "Fitting the plane")?;
        let plane =
            fit(Kind::Plane, &regions[0], &[], &options, progress).map_err(|error| error.about(PLANE_PART.0))?;
        let (level, normal) = (plane.shape.position(), plane.shape.direction().unwrap_or_else(Vector::z));
        let flat = |point: &Point| point - normal * (point - level).dot(&normal);
        let flattened: Vec<Vec<Point>> = regions[1..].iter().map(|points| points.iter().map(flat).collect()).collect();
        let mut fits = vec![plane];
        for (points, region) in flattened.iter().zip(&self.regions[1..]) {
            fits.push(fit(Kind::Line, points, &[], &options, progress).map_err(|error| error.about(region.short))?);
        }
        measured.restate_pooled(&mut fits[1..], &flattened);
        let point_direction = |fit: &Fit| (fit.shape.position(), fit.shape.direction().unwrap_or_else(Vector::z));
        let parts: Vec<PointDirection> = fits.iter().map(point_direction).collect();
        let frame_of = |parts: &[PointDirection]| frame_from_parts(parts, measured.probe_radius_mm);
        let frame = frame_of(&parts)?;
        let z = frame * Vector::z();
        // The sensor, at the origin, sees the upper side.
        if measured.incidence_deg.is_some() && z.dot(&level.coords) > 0.0 {
            return Err(UserError::input(
                "The artefact's upper side faces away from the sensor: two of its lines are exchanged, or the sensor's \
                 frame has the other handedness than stated.",
            ));
        }
        let values = |parts: &[PointDirection]| invariant_values(parts, measured.probe_radius_mm);
        let propagation = Propagation { parts: &parts, frame: &frame, frame_of: &frame_of, invariants: &values };
        let invariants = self.invariants();
        let quantities = FRAME_QUANTITIES + invariants.len();
        let mut systematic = measured.systematic(regions, quantities);
        let mut noise = DMatrix::<f64>::zeros(quantities, quantities);
        let mut shares = Vec::with_capacity(fits.len());
        for (i, fit) in fits.iter().enumerate() {
            let factor = if i == 0 { 1.0 } else { IN_PLANE_FACTOR };
            let mut own = propagation.covariance(i, fit)? * factor;
            let across = if i == 0 { parts[0].1 } else { z.cross(&parts[i].1) };
            if measured.probing_mm > 0.0 {
                own += propagation.offset(i, &across, measured.probing_sigma_mm())?;
            }
            if i > 0 && measured.incidence_deg.is_some() {
                own += self.edge_covariance(&propagation, i, &regions[i], &z)?;
            }
            noise += &own;
            shares.push(own);
            if let Some(systematic) = &mut systematic {
                add_systematic(systematic, &propagation, i, fit, regions, &z)?;
            }
        }
        if measured.incidence_deg.is_some() {
            for (k, own) in invariants.iter().enumerate().filter(|(_, own)| own.aspect == Aspect::Size) {
                let edge_pitch_mm = |(region, name): (&Vec<Point>, &RegionName)| {
                    let direction = fits.first().and_then(|plane| plane.shape.direction()).unwrap_or_else(Vector::z);
                    own.parts.contains(&name.short).then(|| edges::pitch_mm(region, &direction))
                };
                let pitch_mm = regions.iter().zip(self.regions).filter_map(edge_pitch_mm).fold(0.0, f64::max);
                noise[(FRAME_QUANTITIES + k, FRAME_QUANTITIES + k)] +=
                    (self.edge.width_error_pitches() * pitch_mm).powi(2) / 3.0;
            }
        }
        let radius = measured.probe_radius_mm;
        let invariants = Invariants::with_values(
            invariants,
            &invariant_values(&parts, radius)?,
            &invariant_values(&parts, radius + STEP_MM)?,
            STEP_MM,
        );
        let names = std::iter::once(PLANE_PART)
            .chain(self.regions[1..].iter().zip(LINE_REGIONS).map(|(r, own)| (r.short, own)));
        let parts = fits.into_iter().zip(names).zip(&shares);
        let parts = parts.map(|((fit, (name, regions)), own)| Part::new(name, regions, fit, own)).collect();
        Ok(ArtefactFrame::new(frame, &noise, systematic, parts, invariants))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

impl PlaneAndLines {
    /// Names of the invariants: the widths of the slots, the angles between their edges, and the angle between the
    /// slots.
    fn invariants(&self) -> Vec<Invariant> {
        let short = |k: usize| self.regions[k].short;
        if self.regions.len() < 5 {
            let lines = [short(1), short(2)];
            return vec![Invariant::new("Angle of the line along Y to the line along X", Aspect::Angle, &lines)];
        }
        let (long_slot, short_slot) = ([short(1), short(2)], [short(3), short(4)]);
        vec![
            Invariant::new("Width of the long slot", Aspect::Size, &long_slot),
            Invariant::new("Width of the short slot", Aspect::Size, &short_slot),
            Invariant::new("Angle between the edges of the long slot", Aspect::Angle, &long_slot),
            Invariant::new("Angle between the edges of the short slot", Aspect::Angle, &short_slot),
            Invariant::new(
                "Angle of the long slot to the short slot",
                Aspect::Angle,
                &[long_slot, short_slot].concat(),
            ),
        ]
    }

    /// Covariance contributed by the limited location of an edge: a shift across it, and as much at its ends, either
    /// way.
    fn edge_covariance(
        &self,
        propagation: &Propagation<'_>,
        index: usize,
        points: &[Point],
        z: &Vector,
    ) -> Result<DMatrix<f64>> {
        let (direction, zero) = (propagation.parts[index].1, Vector::zeros());
        let sigma_mm = self.edge.location_error_pitches() * edges::pitch_mm(points, z) / 3.0_f64.sqrt();
        let along = points.iter().map(|point| point.coords.dot(&direction));
        let (first, last) = along.fold((f64::MAX, f64::MIN), |(first, last), own| (first.min(own), last.max(own)));
        let half_mm = (0.5 * (last - first)).max(1e-9);
        let motions = [(z.cross(&direction) * sigma_mm, zero), (zero, *z * (sigma_mm / half_mm))];
        let sensitivities = propagation.sensitivities(index, &motions)?;
        Ok(&sensitivities * sensitivities.transpose())
    }
}

/// Adds the effect of the sensor's systematic error on the plane, or on a line in it.
fn add_systematic(
    systematic: &mut SystematicPropagation,
    propagation: &Propagation<'_>,
    index: usize,
    fit: &Fit,
    regions: &[Vec<Point>],
    z: &Vector,
) -> Result<()> {
    let ((centre, direction), zero, points) = (propagation.parts[index], Vector::zeros(), &regions[index]);
    if index == 0 {
        let [a, b] = in_plane_axes(&direction);
        let sensitivities = propagation.sensitivities(index, &[(direction, zero), (zero, a), (zero, b)])?;
        systematic.add(used_points(points, fit), &sensitivities, |point| {
            let offset = point - centre;
            ([1.0, a.cross(&offset).dot(&direction), b.cross(&offset).dot(&direction)], direction)
        });
    } else {
        let across = z.cross(&direction);
        let sensitivities = propagation.sensitivities(index, &[(across, zero), (zero, *z)])?;
        systematic
            .add(used_points(points, fit), &sensitivities, |point| ([1.0, (point - centre).dot(&direction)], across));
    }
    Ok(())
}

/// Geometry of the plane and its lines.
struct PlateGeometry {
    /// Intersection of the line along Y and the line along X.
    origin: Point,
    /// Direction of the line along Y, and the outward normal of the plane.
    y: Vector,
    z: Vector,
    /// Direction of the line along X.
    along_x: Vector,
    /// All lines, projected onto the plane.
    lines: Vec<PointDirection>,
}

impl PlateGeometry {
    /// From the plane, and two lines or two pairs of lines.
    fn of(parts: &[PointDirection]) -> Result<Self> {
        let (&(level, normal), lines) = parts.split_first().ok_or_else(|| UserError::internal("No plane."))?;
        let flat = |&(point, along): &PointDirection| -> PointDirection {
            let along: Vector = along - normal * along.dot(&normal);
            (point - normal * (point - level).dot(&normal), along.normalize())
        };
        let lines: Vec<PointDirection> = lines.iter().map(flat).collect();
        let (y_line, x_line) = match lines[..] {
            [left, right, upper, lower] => (centre_line(&left, &right), centre_line(&upper, &lower)),
            [along_y, along_x] => (along_y, along_x),
            _ => return Err(UserError::internal("This artefact has two or four lines.")),
        };
        let ((a, u), (b, v)) = (y_line, x_line);
        let across = u.cross(&v).dot(&normal);
        if !(across.abs() > MIN_ANGLE_DEG.to_radians().sin()) {
            return Err(UserError::input(
                "The lines along X and along Y are parallel: one of their regions is brushed on the wrong line.",
            ));
        }
        let origin = a + u * ((b - a).cross(&v).dot(&normal) / across);
        // The names of the edges determine the directions; pen lines point away from the origin.
        let (towards_y, towards_x) = match lines[..] {
            [left, right, upper, lower] => (upper.0 - lower.0, right.0 - left.0),
            _ => (y_line.0 - origin, x_line.0 - origin),
        };
        let y = if towards_y.dot(&u) < 0.0 { -u } else { u };
        let z = if towards_x.cross(&y).dot(&normal) < 0.0 { -normal } else { normal };
        let along_x = if v.dot(&y.cross(&z)) < 0.0 { -v } else { v };
        Ok(Self { origin, y, z, along_x, lines })
    }

    /// Signed distance of a line from the origin, perpendicular to `along`.
    fn distance(&self, line: &PointDirection, along: &Vector) -> f64 {
        let &(point, direction) = line;
        let at = point + direction * ((self.origin - point).dot(along) / direction.dot(along));
        (at - self.origin).dot(&along.cross(&self.z))
    }

    /// Signed angle from one line to another, both oriented along `along`.
    fn angle(&self, one: &PointDirection, other: &PointDirection, along: &Vector) -> f64 {
        let oriented =
            |(_, direction): &PointDirection| if direction.dot(along) < 0.0 { -direction } else { *direction };
        let (a, b) = (oriented(one), oriented(other));
        a.cross(&b).dot(&self.z).atan2(a.dot(&b))
    }
}

/// Frame from the plane and two lines, or two pairs of lines.
fn frame_from_parts(parts: &[PointDirection], probe_radius_mm: f64) -> Result<Pose> {
    let PlateGeometry { origin, y, z, .. } = PlateGeometry::of(parts)?;
    let rotation = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts((origin - z * probe_radius_mm).coords.into(), rotation.into()))
}

/// Values of the invariants, mm and rad. The walls of slots are probed from within.
fn invariant_values(parts: &[PointDirection], probe_radius_mm: f64) -> Result<Vec<f64>> {
    let plate = PlateGeometry::of(parts)?;
    let between = plate.y.dot(&plate.along_x).clamp(-1.0, 1.0).acos();
    let [left, right, upper, lower] = plate.lines[..] else { return Ok(vec![between]) };
    let width = |low: &PointDirection, high: &PointDirection, along: &Vector| {
        plate.distance(high, along) - plate.distance(low, along) + 2.0 * probe_radius_mm
    };
    Ok(vec![
        width(&left, &right, &plate.y),
        // The lower edge lies on the right-hand side of X.
        width(&upper, &lower, &plate.along_x),
        plate.angle(&left, &right, &plate.y),
        plate.angle(&upper, &lower, &plate.along_x),
        between,
    ])
}

/// Centre line between two edges.
fn centre_line(one: &PointDirection, other: &PointDirection) -> PointDirection {
    let along = if one.1.dot(&other.1) < 0.0 { one.1 - other.1 } else { one.1 + other.1 }.normalize();
    let midpoint = nalgebra::center(&one.0, &other.0);
    // Both edges at the level of the midpoint, so that it does not matter how far along each was measured.
    let at = |(point, direction): &PointDirection| {
        point + direction * ((midpoint - point).dot(&along) / direction.dot(&along))
    };
    (nalgebra::center(&at(one), &at(other)), along)
}
