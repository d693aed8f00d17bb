//! Determines the sensor's mounting from the regions that both instruments measured.

use nalgebra::Vector6;
use serde::Serialize;

use super::artefacts::{Aspect, Field, Invariants};
use super::bootstrap::{self, Bootstrap};
use super::consistency::{self, CheckInput, Consistency};
use super::joint::{self, Joint, Wanted};
use super::stylus::StylusError;
use super::{ArtefactFrame, ArtefactKind, Handedness, Measured, Mounting, MountingUncertainty, artefacts};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector, thinning};

/// A snapshot of the artefact.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Points of each region in the artefact's order, as reported by the sensor, mm.
    pub regions: Vec<Vec<Point>>,
    /// The whole snapshot, thinned, as reported by the sensor, mm: probed points are compared with it. Empty if only
    /// regions are known.
    pub surface: Vec<Point>,
    /// CMM position as read from its scales, mm.
    pub position_mm: Vector,
}

impl View {
    /// Thins a whole snapshot for [`View::surface`]: one point per sufficiently filled cell of a millimetre.
    pub fn surface_of(points: &[Point]) -> Vec<Point> {
        thinning::one_per_dense_cell(points, 1.0).iter().map(|&index| points[index as usize]).collect()
    }
}

/// One placement of the artefact, probed by the CMM and scanned by the sensor.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Stylus tip centres at each region, CMM frame, mm.
    pub cmm: Vec<Vec<Point>>,
    /// Snapshots of this placement.
    pub views: Vec<View>,
}

/// Input of a calibration.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// Placements of the artefact; the mounting is stated for the CMM position of the first snapshot.
    pub placements: &'a [Placement],
    /// Handedness of the frame that the sensor reports in.
    pub handedness: Handedness,
    /// Stylus tip radius, mm; 0 if the CMM's points are on the surface already.
    pub probe_radius_mm: f64,
    /// Limit of the error of the stylus tip radius, mm, either way, from its qualification; `None` takes what the artefact
    /// leaves undetected.
    pub probe_radius_error_mm: Option<f64>,
    /// Rejection threshold for the sensor's points, in robust standard deviations; `None` rejects none.
    pub clip_sigmas: Option<f64>,
    /// Maximum systematic error of the sensor over its field, mm.
    pub bias_mm: f64,
    /// Maximum relative scale error of the sensor; `None` derives it from the maximum systematic error.
    pub scale: Option<f64>,
    /// Sides of the sensor's measuring field, mm, see [`Field::stated`]; `None` takes what the artefact fills of it for
    /// the whole.
    pub field_mm: Option<[f64; 2]>,
    /// Maximum probing error of the CMM, mm, either sign.
    pub probing_mm: f64,
    /// CMM geometric errors to be determined as well.
    pub wanted: Wanted,
    /// Whether the artefact is the user's own, known by its CAD model: the shape implied by its kind is then not
    /// checked.
    pub own_shape: bool,
    /// Whether the operator confirms an unusual mounting of the sensor.
    pub any_mounting: bool,
}

/// Result of a calibration.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// The artefact used.
    pub artefact: ArtefactKind,
    /// The sensor's mounting.
    pub mounting: Mounting,
    /// Its uncertainty.
    pub uncertainty: MountingUncertainty,
    /// The artefact in the right-handed sensor frame, from the first snapshot.
    pub sensor: ArtefactFrame,
    /// The artefact in the CMM frame, from the first placement.
    pub cmm: ArtefactFrame,
    /// Stylus tip radius that was compensated, mm.
    pub probe_radius_mm: f64,
    /// Error of the stylus tip radius; `None` if the mounting does not depend on it.
    pub stylus: Option<StylusError>,
    /// Stated maximum systematic error of the sensor, mm.
    pub bias_mm: f64,
    /// Stated sides of the field that this error applies to, mm; `None` if that is what the artefact filled.
    pub field_mm: Option<[f64; 2]>,
    /// Maximum relative scale error of the sensor that the uncertainties include: as stated, or less if lengths of the
    /// artefact show that it is smaller.
    pub scale: f64,
    /// Stated maximum probing error of the CMM, mm.
    pub probing_mm: f64,
    /// Number of snapshots.
    pub snapshots: usize,
    /// Bootstrap uncertainties; only for a single snapshot.
    pub bootstrap: Option<Bootstrap>,
    /// Further results of several snapshots.
    pub joint: Option<Joint>,
    /// Whether both instruments measured the same artefact, each correctly.
    pub consistency: Consistency,
}

/// Frames determined by both instruments.
pub(super) struct Frames {
    /// The CMM's frame of each placement.
    pub cmm: Vec<ArtefactFrame>,
    /// The sensor's frame of each snapshot.
    pub sensor: Vec<ArtefactFrame>,
    /// Centroid of the first snapshot's regions, right-handed sensor frame, mm: the reference point of displacements.
    pub centroid: Point,
}

impl Request<'_> {
    /// All snapshots, each with the index of its placement.
    pub(super) fn views(&self) -> impl Iterator<Item = (usize, &View)> {
        self.placements.iter().enumerate().flat_map(|(p, placement)| placement.views.iter().map(move |view| (p, view)))
    }

    fn to_right_handed(self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|point| self.handedness.to_right(point)).collect()
    }

    /// The CMM's frame of each placement, with the probed points corrected by `correct`.
    pub(super) fn cmm_frames(&self, correct: &dyn Fn(&Point) -> Point) -> Result<Vec<ArtefactFrame>> {
        let conditions =
            Measured { probe_radius_mm: self.probe_radius_mm, probing_mm: self.probing_mm, ..Measured::default() };
        let frame = |(index, placement): (usize, &Placement)| {
            let points: Vec<Vec<Point>> =
                placement.cmm.iter().map(|region| region.iter().map(correct).collect()).collect();
            let found = self.artefact.artefact().frame(&points, &conditions, &Progress::silent());
            found.map_err(|error| error.about(&numbered("CMM", "placement", index, self.placements.len())))
        };
        self.placements.iter().enumerate().map(frame).collect()
    }
}

/// "Sensor", or "Sensor, snapshot 2" if there are several.
fn numbered(instrument: &str, item: &str, index: usize, count: usize) -> String {
    if count > 1 { format!("{instrument}, {item} {}", index + 1) } else { instrument.to_owned() }
}

/// Measurement conditions of a sensor: rejection threshold in robust standard deviations, and maximum systematic error
/// over its field, mm.
pub fn by_sensor(clip_sigmas: Option<f64>, bias_mm: f64) -> Measured {
    Measured { clip_sigmas, bias_mm, incidence_deg: Some(MAX_INCIDENCE_DEG), ..Measured::default() }
}

/// Determines the artefact's frame with both instruments, and from these the sensor's mounting, its uncertainty and the
/// consistency of the measurement.
pub fn calibrate(request: &Request<'_>, progress: &Progress) -> Result<Calibration> {
    let artefact = request.artefact.artefact();
    let count = request.views().count();
    if count == 0 {
        return Err(UserError::usage("Name at least one snapshot of the artefact."));
    }
    if !artefact.determines()[3] && count < 3 {
        return Err(UserError::usage(
            "One sphere gives a position but no directions: take snapshots of it from three or more CMM positions that \
             are not on one line.",
        ));
    }
    let cmm = request.cmm_frames(&|point| *point)?;
    let right_handed: Vec<Vec<Vec<Point>>> = request
        .views()
        .map(|(_, view)| view.regions.iter().map(|region| request.to_right_handed(region)).collect())
        .collect();
    let surfaces: Vec<Vec<Point>> = request.views().map(|(_, view)| request.to_right_handed(&view.surface)).collect();
    // One sensor has one systematic error, over its measuring field, or what all its snapshots fill of it.
    let regions = || right_handed.iter().flatten().flatten();
    let field = match request.field_mm {
        Some(sides_mm) => Field::stated(sides_mm, &Field::of(regions()))?,
        None => Field::seen(regions(), &surfaces),
    };
    let by_sensor = by_sensor(request.clip_sigmas, request.bias_mm);
    let scanned = Measured { scale: request.scale, field: Some(field), ..by_sensor };
    let mut sensor = Vec::with_capacity(count);
    for (index, ((placement, _), regions)) in request.views().zip(&right_handed).enumerate() {
        let share = |at: usize| 0.95 * at as f32 / count as f32;
        let labelled = |error: UserError| error.about(&numbered("Sensor", "snapshot", index, count));
        let frame = artefact.frame(regions, &scanned, &progress.part(share(index), share(index + 1)));
        let frame = frame.map_err(labelled)?;
        check_same_artefact(regions, &request.placements[placement].cmm, &frame, &cmm[placement])?;
        check_same_spheres(&frame, &cmm[placement], request.probe_radius_mm)?;
        sensor.push(frame);
    }
    // A lateral error of the image may hide a scale error in what both do to a distance: each of half the stated size.
    let stated = request.scale.unwrap_or_else(|| field.scale_of(request.bias_mm));
    let scale = request.views().zip(&sensor).fold(stated, |limit, ((placement, _), frame)| {
        let shown = scale_error_limit(&frame.invariants, &cmm[placement].invariants);
        limit.min(shown.map_or(stated, |shown| shown.max(MAX_HIDDEN_SCALE_SHARE * stated)))
    });
    if scale < stated {
        sensor.iter_mut().for_each(|frame| {
            frame.systematic = std::mem::take(&mut frame.systematic).with_scale(scale / stated);
        });
    }
    let mut frames = Frames { centroid: centroid(&right_handed[0]), cmm, sensor };
    let is_single = count == 1 && request.wanted == Wanted::default();
    let (mounting, uncertainty, joint) = solved(request, &frames, progress)?;
    let consistency = consistency::check(&CheckInput {
        request,
        frames: &frames,
        surfaces: &surfaces,
        joint: joint.as_ref(),
        mounting: &mounting,
        uncertainty: &uncertainty,
    })?;
    let by_radius = by_stylus_radius(request, &mut frames, &mounting, progress)?;
    let stylus = (by_radius.amax() > MIN_STYLUS_EFFECT)
        .then(|| StylusError::of(request.probe_radius_error_mm, &consistency.comparisons, artefact.is_told_by_edges()));
    let stylus_sigma_mm = stylus.map_or(0.0, |stylus| stylus.sigma_mm());
    let uncertainty = uncertainty.with_stylus(&mounting, by_radius * stylus_sigma_mm);
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
        stylus,
        bias_mm: request.bias_mm,
        field_mm: request.field_mm,
        scale,
        probing_mm: request.probing_mm,
        snapshots: count,
        bootstrap: None,
        joint,
        consistency,
    };
    if is_single {
        let cmm = &request.placements[0].cmm;
        calibration.bootstrap = bootstrap::run(&calibration, &right_handed[0], cmm, &progress.part(0.95, 1.0))?;
    }
    Ok(calibration)
}

/// The mounting, from one snapshot or from several together.
fn solved(
    request: &Request<'_>,
    frames: &Frames,
    progress: &Progress,
) -> Result<(Mounting, MountingUncertainty, Option<Joint>)> {
    if request.views().count() > 1 || request.wanted != Wanted::default() {
        let (mounting, uncertainty, joint) = joint::solve(request, frames, request.wanted, progress)?;
        return Ok((mounting, uncertainty, Some(joint)));
    }
    let (Some(from_cmm), Some(from_sensor)) = (frames.cmm.first(), frames.sensor.first()) else {
        return Err(UserError::internal("A calibration without frames."));
    };
    let position_mm = request.views().next().map_or_else(Vector::zeros, |(_, view)| view.position_mm);
    let (a, b) = (&from_cmm.device_from_artefact, &from_sensor.device_from_artefact);
    let mounting = Mounting::new(a, b, request.handedness, position_mm);
    Ok((mounting, MountingUncertainty::new(&mounting, from_cmm, from_sensor, frames.centroid), None))
}

/// Derivatives of the mounting by the stylus tip radius, per mm: displacement of the reference point along (mm) and
/// rotation about (rad) the CMM's axes, by probed points compensated with a slightly larger radius.
fn by_stylus_radius(
    request: &Request<'_>,
    frames: &mut Frames,
    mounting: &Mounting,
    progress: &Progress,
) -> Result<Vector6<f64>> {
    let larger = Request { probe_radius_mm: request.probe_radius_mm + STYLUS_STEP_MM, ..*request };
    let mut cmm = larger.cmm_frames(&|point| *point)?;
    std::mem::swap(&mut frames.cmm, &mut cmm);
    let moved = solved(&larger, frames, progress);
    std::mem::swap(&mut frames.cmm, &mut cmm);
    let (moved, before) = (moved?.0.cmm_from_sensor, mounting.cmm_from_sensor);
    let reference = &frames.centroid;
    let shift = moved * reference - before * reference;
    let turn = (moved.rotation * before.rotation.inverse()).scaled_axis();
    Ok(Vector6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z) / STYLUS_STEP_MM)
}

/// Maximum relative scale error of the sensor that is compatible with distances measured by both instruments (k = 2,
/// including the error that they show, since it is not corrected); `None` if the artefact has no distances.
fn scale_error_limit(sensor: &Invariants, cmm: &Invariants) -> Option<f64> {
    let (mut information, mut sum) = (0.0_f64, 0.0_f64);
    for (k, own) in sensor.quantities.iter().enumerate().filter(|(_, own)| own.aspect == Aspect::Distance) {
        let j = cmm.position(&own.name)?;
        let (length, variance) = (cmm.quantities[j].value, sensor.variance_without_scale(k) + cmm.variance(j));
        information += length * length / variance;
        sum += length * (own.value - length) / variance;
    }
    (information > 0.0 && information.is_finite()).then(|| (sum / information).abs() + 2.0 / information.sqrt())
}

/// Checks that spheres have the same radii and distances for both instruments.
fn check_same_spheres(sensor: &ArtefactFrame, cmm: &ArtefactFrame, probe_radius_mm: f64) -> Result<()> {
    let biases = artefacts::radius_biases(sensor, cmm, probe_radius_mm);
    for (name, bias_mm) in &biases {
        if bias_mm.abs() > MAX_RADIUS_DIFFERENCE_MM {
            return Err(UserError::input(format!(
                "The radius of sphere {name} is {:.3} mm {} for the sensor than for the CMM: check the stylus tip \
                 radius, and that both measured the same sphere.",
                bias_mm.abs(),
                if *bias_mm > 0.0 { "larger" } else { "smaller" }
            )));
        }
    }
    if biases.is_empty() {
        return Ok(());
    }
    let position = |frame: &ArtefactFrame, part: usize| {
        frame.device_from_artefact.inverse_transform_point(&frame.parts[part].fit.shape.position())
    };
    for part in 1..sensor.parts.len().min(cmm.parts.len()) {
        let difference_mm = (position(sensor, part) - position(cmm, part)).norm();
        if difference_mm > MAX_POSITION_DIFFERENCE_MM {
            return Err(UserError::input(format!(
                "The positions of sphere {} by sensor and CMM differ by {difference_mm:.3} mm: the two files do not \
                 show the same artefact, or two spheres are exchanged.",
                sensor.parts[part].name
            )));
        }
    }
    Ok(())
}

fn centroid(regions: &[Vec<Point>]) -> Point {
    let points = regions.iter().flatten();
    let count = points.clone().count().max(1);
    Point::from(points.map(|point| point.coords).sum::<Vector>() / count as f64)
}

/// Checks that both instruments measured about the same areas of one artefact.
fn check_same_artefact(
    sensor: &[Vec<Point>],
    cmm: &[Vec<Point>],
    by_sensor: &ArtefactFrame,
    by_cmm: &ArtefactFrame,
) -> Result<()> {
    let normals = |frame: &ArtefactFrame| -> Vec<Vector> {
        let rotation = frame.device_from_artefact.rotation.inverse();
        frame.parts.iter().filter_map(|part| part.fit.shape.direction()).map(|normal| rotation * normal).collect()
    };
    for ((a, b), part) in normals(by_sensor).iter().zip(normals(by_cmm)).zip(&by_cmm.parts) {
        let angle_deg = a.cross(&b).norm().min(1.0).asin().to_degrees();
        if angle_deg > MAX_ANGLE_DIFFERENCE_DEG {
            return Err(UserError::input(format!(
                "The directions of {} by sensor and CMM differ by {angle_deg:.2} degrees in the artefact's frame: the \
                 two files do not show the same artefact.",
                part.name
            )));
        }
    }
    let extent = |regions: &[Vec<Point>], frame: &ArtefactFrame| {
        let to_artefact = |point: &Point| frame.device_from_artefact.inverse_transform_point(point);
        let all: Vec<Point> = regions.iter().flatten().map(to_artefact).collect();
        geometry::Aabb::of_points(&all)
    };
    let (a, b) = (extent(sensor, by_sensor), extent(cmm, by_cmm));
    if (0..2).any(|k| a.max[k] < b.min[k] || b.max[k] < a.min[k]) {
        return Err(UserError::input(
            "Sensor and CMM measured areas of the artefact that do not overlap: the two files do not show the same \
             artefact, or it was moved.",
        ));
    }
    Ok(())
}

/// Share of the stated scale error that distances cannot exclude.
const MAX_HIDDEN_SCALE_SHARE: f64 = 0.5;
/// Step of the derivative by the stylus tip radius, mm.
const STYLUS_STEP_MM: f64 = 0.01;
/// Smallest effect of the radius that counts, mm per mm or rad per mm: spheres are centred wherever they were touched.
const MIN_STYLUS_EFFECT: f64 = 1e-3;
/// Maximum difference of a sphere's radius between sensor and CMM, mm.
const MAX_RADIUS_DIFFERENCE_MM: f64 = 0.5;
/// Maximum difference of a sphere's position between sensor and CMM in the artefact's frame, mm.
const MAX_POSITION_DIFFERENCE_MM: f64 = 0.5;
/// Maximum angle of incidence of points on curved faces, degrees.
const MAX_INCIDENCE_DEG: f64 = 50.0;
/// Maximum difference of a face's direction between sensor and CMM in the artefact's frame, degrees.
const MAX_ANGLE_DIFFERENCE_DEG: f64 = 1.0;
