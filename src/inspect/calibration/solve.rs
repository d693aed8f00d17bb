//! From the regions that both devices measured to the sensor's mounting.

use serde::Serialize;

use super::artefacts::{Aspect, ErrorForm, Field, Invariants};
use super::bootstrap::{self, Bootstrap};
use super::consistency::{self, Checked, Consistency};
use super::joint::{self, Joint, Wanted};
use super::{ArtefactFrame, ArtefactKind, Handedness, Measured, Mounting, MountingUncertainty, artefacts};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector, thinning};

/// A snapshot of the artefact.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Points of each region in the artefact's order, as the sensor reports them, mm.
    pub regions: Vec<Vec<Point>>,
    /// The whole snapshot, thinned, as the sensor reports it, mm: touches are looked for on it. Empty where only regions
    /// are known.
    pub surface: Vec<Point>,
    /// Where the CMM stood, as its scales say, mm.
    pub position_mm: Vector,
}

impl View {
    /// A whole snapshot, thinned for [`View::surface`]: a point in each cell of a millimetre that holds enough.
    pub fn surface_of(points: &[Point]) -> Vec<Point> {
        thinning::one_per_dense_cell(points, 1.0).iter().map(|&number| points[number as usize]).collect()
    }
}

/// The artefact as it lay once, touched and seen.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Centres of the probe's ball at each region, CMM frame, mm.
    pub cmm: Vec<Vec<Point>>,
    /// Snapshots of it.
    pub views: Vec<View>,
}

/// What a calibration is made from.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// How it lay; the mounting is stated for the first snapshot's position.
    pub placements: &'a [Placement],
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// Radius of the probe's ball; 0 where the CMM's points are on the surface already.
    pub probe_radius_mm: f64,
    /// Robust standard deviations beyond which the sensor's points are dropped.
    pub clip_sigmas: Option<f64>,
    /// Largest systematic error of the sensor over its field, mm.
    pub bias_mm: f64,
    /// Largest relative error of the sensor's scale; `None` takes what its systematic error allows.
    pub scale: Option<f64>,
    /// Largest probing error of the CMM, mm, either way.
    pub probing_mm: f64,
    /// Faults of the machine to be found too.
    pub wanted: Wanted,
    /// Whether the artefact is one's own, known by its CAD: its shape is not that which its kind implies.
    pub own_shape: bool,
    /// Whether the operator confirms that the sensor sits otherwise than sensors do.
    pub any_mounting: bool,
}

/// A calibrated sensor.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// With which artefact.
    pub artefact: ArtefactKind,
    /// How the sensor is mounted.
    pub mounting: Mounting,
    /// How sure that is.
    pub uncertainty: MountingUncertainty,
    /// The artefact in the right-handed sensor frame, in the first snapshot.
    pub sensor: ArtefactFrame,
    /// The artefact in the CMM's frame, as it lay first.
    pub cmm: ArtefactFrame,
    /// The probe's radius that was taken off, mm.
    pub probe_radius_mm: f64,
    /// The sensor's largest systematic error, as it was stated, mm.
    pub bias_mm: f64,
    /// The largest relative error of the sensor's scale that the uncertainties hold: as stated, or less where the
    /// artefact's lengths show that it is less.
    pub scale: f64,
    /// The CMM's largest probing error, as it was stated, mm.
    pub probing_mm: f64,
    /// Snapshots that it was made from.
    pub snapshots: usize,
    /// The uncertainties as drawing the points again gives them, of one snapshot.
    pub bootstrap: Option<Bootstrap>,
    /// What several snapshots told beside the mounting.
    pub joint: Option<Joint>,
    /// Whether both instruments measured one artefact, each rightly.
    pub consistency: Consistency,
}

/// The frames that both devices found.
pub(super) struct Frames {
    /// Of each placement.
    pub cmm: Vec<ArtefactFrame>,
    /// Of each snapshot.
    pub sensor: Vec<ArtefactFrame>,
    /// Middle of the first snapshot's regions, right-handed sensor frame: what displacements are stated for.
    pub middle: Point,
}

impl Request<'_> {
    /// All snapshots, each with the number of its placement.
    pub(super) fn views(&self) -> impl Iterator<Item = (usize, &View)> {
        self.placements.iter().enumerate().flat_map(|(p, placement)| placement.views.iter().map(move |view| (p, view)))
    }

    fn righted(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|point| self.handedness.to_right(point)).collect()
    }

    /// The machine's frames, its places corrected by `truth`.
    pub(super) fn cmm_frames(&self, truth: &dyn Fn(&Point) -> Point) -> Result<Vec<ArtefactFrame>> {
        let touched =
            Measured { probe_radius_mm: self.probe_radius_mm, probing_mm: self.probing_mm, ..Measured::default() };
        let frame = |(number, placement): (usize, &Placement)| {
            let places: Vec<Vec<Point>> =
                placement.cmm.iter().map(|region| region.iter().map(truth).collect()).collect();
            let found = self.artefact.artefact().frame(&places, &touched, &Progress::silent());
            found.map_err(|error| error.about(&of_several("CMM", "placement", number, self.placements.len())))
        };
        self.placements.iter().enumerate().map(frame).collect()
    }
}

/// "Sensor", or "Sensor, snapshot 2" where there are several.
fn of_several(device: &str, what: &str, number: usize, count: usize) -> String {
    if count > 1 { format!("{device}, {what} {}", number + 1) } else { device.to_owned() }
}

/// How a sensor measures regions: robust standard deviations from which on points are dropped, and its largest
/// systematic error over its field, mm.
pub fn by_sensor(clip_sigmas: Option<f64>, bias_mm: f64) -> Measured {
    Measured { clip_sigmas, bias_mm, incidence_deg: Some(STEEPEST_DEG), ..Measured::default() }
}

/// Finds the artefact's frame with both devices, and how one lies in the other.
pub fn calibrate(request: &Request<'_>, progress: &Progress) -> Result<Calibration> {
    let artefact = request.artefact.artefact();
    let count = request.views().count();
    if count == 0 {
        return Err(UserError::usage("Name at least one snapshot of the artefact."));
    }
    if !artefact.determines()[3] && count < 3 {
        return Err(UserError::usage(
            "One sphere gives a place and no directions: take snapshots of it from three or more positions of the \
             machine that lie on no line.",
        ));
    }
    let cmm = request.cmm_frames(&|place| *place)?;
    let righted: Vec<Vec<Vec<Point>>> =
        request.views().map(|(_, view)| view.regions.iter().map(|region| request.righted(region)).collect()).collect();
    // One sensor has one systematic error, over the field that all its snapshots fill.
    let field = Field::of(righted.iter().flatten().flatten());
    let by_sensor = by_sensor(request.clip_sigmas, request.bias_mm);
    let scanned = Measured { scale: request.scale, field: Some(field), ..by_sensor };
    let mut sensor = Vec::with_capacity(count);
    for (number, ((placement, _), regions)) in request.views().zip(&righted).enumerate() {
        let share = |at: usize| 0.95 * at as f32 / count as f32;
        let named = |error: UserError| error.about(&of_several("Sensor", "snapshot", number, count));
        let frame = artefact.frame(regions, &scanned, &progress.part(share(number), share(number + 1)));
        let frame = frame.map_err(named)?;
        same_artefact(regions, &request.placements[placement].cmm, &frame, &cmm[placement])?;
        same_spheres(&frame, &cmm[placement], request.probe_radius_mm)?;
        sensor.push(frame);
    }
    let stated = request.scale.unwrap_or_else(|| field.scale_of(request.bias_mm));
    let scale = request.views().zip(&sensor).fold(stated, |least, ((placement, _), frame)| {
        least.min(shown_scale(&frame.invariants, &cmm[placement].invariants).unwrap_or(stated))
    });
    if scale < stated {
        sensor.iter_mut().for_each(|frame| {
            frame.systematic = std::mem::take(&mut frame.systematic).scaled(ErrorForm::Scale, scale / stated);
        });
    }
    let frames = Frames { middle: middle(&righted[0]), cmm, sensor };
    let is_single = count == 1 && request.wanted == Wanted::default();
    let (mounting, uncertainty, joint) = if is_single {
        let (from_cmm, from_sensor) = (&frames.cmm[0], &frames.sensor[0]);
        let position_mm = request.views().next().map_or_else(Vector::zeros, |(_, view)| view.position_mm);
        let (a, b) = (&from_cmm.device_from_artefact, &from_sensor.device_from_artefact);
        let mounting = Mounting::new(a, b, request.handedness, position_mm);
        (mounting, MountingUncertainty::new(&mounting, from_cmm, from_sensor, frames.middle), None)
    } else {
        let (mounting, uncertainty, joint) = joint::solve(request, &frames, request.wanted, progress)?;
        (mounting, uncertainty, Some(joint))
    };
    let surfaces: Vec<Vec<Point>> = request.views().map(|(_, view)| request.righted(&view.surface)).collect();
    let consistency = consistency::check(&Checked {
        request,
        frames: &frames,
        surfaces: &surfaces,
        joint: joint.as_ref(),
        mounting: &mounting,
        uncertainty: &uncertainty,
    })?;
    let (Some(cmm), Some(sensor)) = (frames.cmm.into_iter().next(), frames.sensor.into_iter().next()) else {
        return Err(UserError::internal("A calibration without frames."));
    };
    let mut calibration = Calibration {
        artefact: request.artefact,
        mounting,
        uncertainty,
        sensor,
        cmm,
        probe_radius_mm: request.probe_radius_mm,
        bias_mm: request.bias_mm,
        scale,
        probing_mm: request.probing_mm,
        snapshots: count,
        bootstrap: None,
        joint,
        consistency,
    };
    if is_single {
        let cmm = &request.placements[0].cmm;
        calibration.bootstrap = bootstrap::run(&calibration, &righted[0], cmm, &progress.part(0.95, 1.0))?;
    }
    Ok(calibration)
}

/// The largest relative error of the sensor's scale that distances by both instruments leave open (k = 2, the error that
/// they show itself included, since it is not corrected); `None` where the artefact has no distances.
fn shown_scale(sensor: &Invariants, cmm: &Invariants) -> Option<f64> {
    let (mut information, mut sum) = (0.0_f64, 0.0_f64);
    for (k, own) in sensor.of.iter().enumerate().filter(|(_, own)| own.aspect == Aspect::Distance) {
        let j = cmm.position(&own.name)?;
        let (length, variance) = (cmm.of[j].value, sensor.variance_without_scale(k) + cmm.variance(j));
        information += length * length / variance;
        sum += length * (own.value - length) / variance;
    }
    (information > 0.0 && information.is_finite()).then(|| (sum / information).abs() + 2.0 / information.sqrt())
}

/// Spheres must lie as far from each other, and be as large, for both devices.
fn same_spheres(sensor: &ArtefactFrame, cmm: &ArtefactFrame, probe_radius_mm: f64) -> Result<()> {
    let biases = artefacts::radius_biases(sensor, cmm, probe_radius_mm);
    for (name, bias_mm) in &biases {
        if bias_mm.abs() > MOST_RADIUS_MM {
            return Err(UserError::input(format!(
                "Sphere {name} comes out {:.3} mm {} for the sensor than for the CMM: check the probe's radius, and \
                 that both measured the same sphere.",
                bias_mm.abs(),
                if *bias_mm > 0.0 { "larger" } else { "smaller" }
            )));
        }
    }
    if biases.is_empty() {
        return Ok(());
    }
    let place = |frame: &ArtefactFrame, part: usize| {
        frame.device_from_artefact.inverse_transform_point(&frame.parts[part].fit.shape.place())
    };
    for part in 1..sensor.parts.len().min(cmm.parts.len()) {
        let apart = (place(sensor, part) - place(cmm, part)).norm();
        if apart > MOST_SPACING_MM {
            return Err(UserError::input(format!(
                "Sphere {} lies {apart:.3} mm elsewhere for the sensor than for the CMM: the two files do not show the \
                 same artefact, or two spheres are exchanged.",
                sensor.parts[part].name
            )));
        }
    }
    Ok(())
}

fn middle(regions: &[Vec<Point>]) -> Point {
    let points = regions.iter().flatten();
    let count = points.clone().count().max(1);
    Point::from(points.map(|point| point.coords).sum::<Vector>() / count as f64)
}

/// Both devices must have measured about the same places of one artefact.
fn same_artefact(
    sensor: &[Vec<Point>],
    cmm: &[Vec<Point>],
    by_sensor: &ArtefactFrame,
    by_cmm: &ArtefactFrame,
) -> Result<()> {
    let normals = |frame: &ArtefactFrame| -> Vec<Vector> {
        let turn = frame.device_from_artefact.rotation.inverse();
        frame.parts.iter().filter_map(|part| part.fit.shape.direction()).map(|normal| turn * normal).collect()
    };
    for ((a, b), part) in normals(by_sensor).iter().zip(normals(by_cmm)).zip(&by_cmm.parts) {
        let apart = a.cross(&b).norm().min(1.0).asin().to_degrees();
        if apart > MOST_APART_DEG {
            return Err(UserError::input(format!(
                "The sensor's and the CMM's {} differ by {apart:.2} degrees in the artefact's frame: the two files do \
                 not show the same artefact.",
                part.name
            )));
        }
    }
    let extent = |regions: &[Vec<Point>], frame: &ArtefactFrame| {
        let place = |point: &Point| frame.device_from_artefact.inverse_transform_point(point);
        let all: Vec<Point> = regions.iter().flatten().map(place).collect();
        geometry::Aabb::of_points(&all)
    };
    let (a, b) = (extent(sensor, by_sensor), extent(cmm, by_cmm));
    if (0..2).any(|k| a.max[k] < b.min[k] || b.max[k] < a.min[k]) {
        return Err(UserError::input(
            "Sensor and CMM measured places of the artefact that do not overlap: the two files do not show the same \
             artefact, or it was moved.",
        ));
    }
    Ok(())
}

/// A sensor's sphere differs in radius by less than this, mm.
const MOST_RADIUS_MM: f64 = 0.5;
/// Spheres on a plate lie where they do to this, mm.
const MOST_SPACING_MM: f64 = 0.5;
/// Round faces are trusted up to this incidence, degrees.
const STEEPEST_DEG: f64 = 50.0;
/// Faces of one artefact differ less than this between devices.
const MOST_APART_DEG: f64 = 1.0;
