//! Artefacts made of a plane and straight lines on it: slots told by their edges, or lines drawn with a pen.
//!
//! The plane gives Z and the height of the origin. A slot's two edges give the line in its middle, so that neither the
//! radius of the probe that touched its walls nor the threshold that told its edges matters; a pen's stroke is a line
//! itself. The line along Y and the line along X cross at the origin.
//!
//! An edge told by its height is known to a part of the distance of neighbouring points only: it lies between the last
//! point above and the first below, and what lies below may be in the projector's shadow or hidden by the rim. Where the
//! sensor's rows run along the edge all its points are off alike, so residuals do not show it. The shadow is not modelled,
//! which would take the sensor's inner geometry; what it can do is stated ([`Edge::off_pitches`]).

use nalgebra::DMatrix;

use super::edges::{self, Edge};
use super::invariants::{Aspect, Invariant, Invariants};
use super::propagation::{OF_FRAME, Placed, Propagation, axes_in};
use super::systematic::SystematicPropagation;
use super::{Artefact, ArtefactFrame, Finder, Measured, Part, RegionName, check_filled, used};
use crate::features::{Fit, Kind, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};

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
/// Step of the derivative by the stylus tip radius, mm.
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

    fn remark(&self) -> Option<&'static str> {
        let is_shadowed = self.edge == Edge::Height;
        is_shadowed.then_some(
            "The projector's shadow at the rims of square slots is not modelled: edges are taken as known to 0.3 of the \
             distance of neighbouring points either way, which the uncertainties along X and Y contain.",
        )
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
        let values = |parts: &[Placed]| invariant_values(parts, measured.probe_radius_mm);
        let propagation = Propagation { parts: &parts, frame: &frame, of: &of, invariants: &values };
        let named = self.invariants();
        let figures = OF_FRAME + named.len();
        let mut systematic = measured.systematic(regions, figures);
        let mut noise = DMatrix::<f64>::zeros(figures, figures);
        let mut shares = Vec::with_capacity(fits.len());
        for (i, fit) in fits.iter().enumerate() {
            let times = if i == 0 { 1.0 } else { OF_LINE_IN_PLANE };
            let mut own = propagation.covariance(i, fit)? * times;
            let across = if i == 0 { parts[0].1 } else { z.cross(&parts[i].1) };
            if measured.probing_mm > 0.0 {
                own += propagation.offset(i, &across, measured.probing_sigma_mm())?;
            }
            if i > 0 && measured.incidence_deg.is_some() {
                own += self.of_edge(&propagation, i, &regions[i], &z)?;
            }
            noise += &own;
            shares.push(own);
            if let Some(systematic) = &mut systematic {
                add_systematic(systematic, &propagation, i, fit, regions, &z)?;
            }
        }
        if measured.incidence_deg.is_some() {
            for (k, own) in named.iter().enumerate().filter(|(_, own)| own.aspect == Aspect::Size) {
                let widened = |(region, name): (&Vec<Point>, &RegionName)| {
                    let direction = fits.first().and_then(|plane| plane.shape.direction()).unwrap_or_else(Vector::z);
                    own.parts.contains(&name.short).then(|| edges::pitch_mm(region, &direction))
                };
                let pitch_mm = regions.iter().zip(self.regions).filter_map(widened).fold(0.0, f64::max);
                noise[(OF_FRAME + k, OF_FRAME + k)] += (self.edge.wider_pitches() * pitch_mm).powi(2) / 3.0;
            }
        }
        let radius = measured.probe_radius_mm;
        let named = Invariants::valued(
            named,
            &invariant_values(&parts, radius)?,
            &invariant_values(&parts, radius + STEP_MM)?,
            STEP_MM,
        );
        let names = std::iter::once(PLANE).chain(self.regions[1..].iter().zip(LINES).map(|(r, own)| (r.short, own)));
        let parts = fits.into_iter().zip(names).zip(&shares);
        let parts = parts.map(|((fit, (name, regions)), own)| Part::new(name, regions, fit, own)).collect();
        Ok(ArtefactFrame::new(frame, &noise, systematic, parts, named))
    }

    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
        (self.find)(cloud, progress)
    }
}

impl PlaneAndLines {
    /// Names of the invariants: widths and edges of the slots, and their angle.
    fn invariants(&self) -> Vec<Invariant> {
        let short = |k: usize| self.regions[k].short;
        if self.regions.len() < 5 {
            let lines = [short(1), short(2)];
            return vec![Invariant::new("Angle of the line along Y to the line along X", Aspect::Angle, &lines)];
        }
        let (long, other) = ([short(1), short(2)], [short(3), short(4)]);
        vec![
            Invariant::new("Width of the long slot", Aspect::Size, &long),
            Invariant::new("Width of the short slot", Aspect::Size, &other),
            Invariant::new("Angle between the edges of the long slot", Aspect::Angle, &long),
            Invariant::new("Angle between the edges of the short slot", Aspect::Angle, &other),
            Invariant::new("Angle of the long slot to the short slot", Aspect::Angle, &[long, other].concat()),
        ]
    }

    /// What the sensor's points leave open of an edge: a shift across it, and as much at its ends, either way.
    fn of_edge(
        &self,
        propagation: &Propagation<'_>,
        which: usize,
        points: &[Point],
        z: &Vector,
    ) -> Result<DMatrix<f64>> {
        let (direction, still) = (propagation.parts[which].1, Vector::zeros());
        let sigma_mm = self.edge.off_pitches() * edges::pitch_mm(points, z) / 3.0_f64.sqrt();
        let along = points.iter().map(|point| point.coords.dot(&direction));
        let (first, last) = along.fold((f64::MAX, f64::MIN), |(first, last), own| (first.min(own), last.max(own)));
        let half_mm = (0.5 * (last - first)).max(1e-9);
        let moves = [(z.cross(&direction) * sigma_mm, still), (still, *z * (sigma_mm / half_mm))];
        let answers = propagation.answers(which, &moves)?;
        Ok(&answers * answers.transpose())
    }
}

/// What the sensor's systematic error does through the plane, or through a line on it.
fn add_systematic(
    systematic: &mut SystematicPropagation,
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
        systematic.add(used(points, fit), &answers, |point| {
            let away = point - place;
            ([1.0, a.cross(&away).dot(&direction), b.cross(&away).dot(&direction)], ray(point).dot(&direction))
        });
    } else {
        let across = z.cross(&direction);
        let answers = propagation.answers(which, &[(across, still), (still, *z)])?;
        systematic.add(used(points, fit), &answers, |point| {
            ([1.0, (point - place).dot(&direction)], ray(point).dot(&across))
        });
    }
    Ok(())
}

/// The plane and its lines as they lie.
struct Laid {
    /// Where the line along Y and the line along X cross.
    origin: Point,
    /// Along the line along Y, and out of the plane.
    y: Vector,
    z: Vector,
    /// Along the line along X.
    along_x: Vector,
    /// All lines, dropped onto the plane.
    lines: Vec<Placed>,
}

impl Laid {
    /// The plane, and two lines or two pairs of them.
    fn of(parts: &[Placed]) -> Result<Self> {
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
        let along_x = if v.dot(&y.cross(&z)) < 0.0 { -v } else { v };
        Ok(Self { origin, y, z, along_x, lines })
    }

    /// How far from the origin a line passes, across `along`.
    fn beside(&self, line: &Placed, along: &Vector) -> f64 {
        let &(point, direction) = line;
        let at = point + direction * ((self.origin - point).dot(along) / direction.dot(along));
        (at - self.origin).dot(&along.cross(&self.z))
    }

    /// The angle from one line to another, both taken along `along`.
    fn angle(&self, one: &Placed, other: &Placed, along: &Vector) -> f64 {
        let turned = |(_, direction): &Placed| if direction.dot(along) < 0.0 { -direction } else { *direction };
        let (a, b) = (turned(one), turned(other));
        a.cross(&b).dot(&self.z).atan2(a.dot(&b))
    }
}

/// The frame of the plane and two lines, or two pairs of them.
fn of_parts(parts: &[Placed], probe_radius_mm: f64) -> Result<Pose> {
    let Laid { origin, y, z, .. } = Laid::of(parts)?;
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts((origin - z * probe_radius_mm).coords.into(), turn.into()))
}

/// Values of the invariants, mm and rad; the walls of slots are touched from within.
fn invariant_values(parts: &[Placed], probe_radius_mm: f64) -> Result<Vec<f64>> {
    let laid = Laid::of(parts)?;
    let between = laid.y.dot(&laid.along_x).clamp(-1.0, 1.0).acos();
    let [left, right, upper, lower] = laid.lines[..] else { return Ok(vec![between]) };
    let width = |low: &Placed, high: &Placed, along: &Vector| {
        laid.beside(high, along) - laid.beside(low, along) + 2.0 * probe_radius_mm
    };
    Ok(vec![
        width(&left, &right, &laid.y),
        // What lies to the right of X is lower.
        width(&upper, &lower, &laid.along_x),
        laid.angle(&left, &right, &laid.y),
        laid.angle(&upper, &lower, &laid.along_x),
        between,
    ])
}

/// The line in the middle between two edges.
fn middle(one: &Placed, other: &Placed) -> Placed {
    let along = if one.1.dot(&other.1) < 0.0 { one.1 - other.1 } else { one.1 + other.1 }.normalize();
    let between = nalgebra::center(&one.0, &other.0);
    // Both edges where the middle is, so that it does not matter how far along each was seen.
    let at = |(point, direction): &Placed| point + direction * ((between - point).dot(&along) / direction.dot(&along));
    (nalgebra::center(&at(one), &at(other)), along)
}
