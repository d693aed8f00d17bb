//! Recognises the artefact in a whole snapshot: the plate as a robust plane, the slots by the slope and direction of
//! their flanks, the orientation by scoring all eight candidates.

use super::super::recognition::{self, Sample};
use super::ANGLED_SLOTS;
use super::drawing::Drawing;
use crate::features::{Kind, Options, fit};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Subset, Vector};

/// Tolerance of a flank's slope, degrees.
const MAX_SLOPE_ERROR_DEG: f64 = 8.0;
/// Maximum distance of a point of the artefact from the drawing, mm.
const MAX_DISTANCE_MM: f64 = 0.6;
/// The same while the pose is known only to about the width of a cell. Only points below the plate are scored: most
/// points lie on the plate, which looks the same in every orientation.
const ROUGH_DISTANCE_MM: f64 = 1.0;
/// Points deeper than the slots by more than this do not belong to the artefact, mm.
const MAX_EXCESS_DEPTH_MM: f64 = 2.0;
/// Clearance of regions from edges, mm: near edges the sensor rounds off and produces stray points.
const MARGIN_MM: f64 = 1.0;
/// Minimum number of flank points, of all slots and of one direction.
const MIN_FLANK_POINTS: usize = 200;
const MIN_FLANK_POINTS_PER_SLOT: usize = 50;

/// Point indices of each region, in the order of [`Region::ALL`].
pub fn find(drawing: &Drawing, points: &[Point], progress: &Progress) -> Result<Vec<Subset>> {
    progress.report(0.0, "Looking for the artefact")?;
    let half_width = drawing.slots[0].half_width_mm;
    let sample = Sample::of(ANGLED_SLOTS.name, points, half_width / 12.0, &progress.part(0.0, 0.3))?;
    let rough_pose = sample.rough_pose(drawing, &progress.part(0.3, 0.5))?;
    progress.report(0.5, "Naming the regions")?;
    let region_at = |point: &Point| {
        let is_near = (point.z - drawing.height_mm(point.x, point.y)).abs() < MAX_DISTANCE_MM;
        drawing.region_at(point.x, point.y, MARGIN_MM).filter(|_| is_near).map(|region| region as usize)
    };
    recognition::assign_regions_refined(&ANGLED_SLOTS, points, &rough_pose, &region_at, &progress.part(0.5, 0.9))
}

fn not_recognised(why: &str) -> UserError {
    recognition::not_recognised(ANGLED_SLOTS.name, why)
}

impl Sample {
    /// Pose of the artefact in the sensor frame, accurate to about the width of a cell.
    fn rough_pose(&self, drawing: &Drawing, progress: &Progress) -> Result<Pose> {
        let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
        let plate = fit(Kind::Plane, &self.points, &[], &options, progress)?;
        let (level, normal) = (plate.shape.position(), plate.shape.direction().unwrap_or_else(Vector::z));
        let up = if normal.dot(&level.coords) > 0.0 { -normal } else { normal };
        let flanks = self.flanks(drawing, &level, &up);
        if flanks.len() < MIN_FLANK_POINTS {
            return Err(not_recognised("no slots were found in its largest plane"));
        }
        let facing = flanks.iter().map(|flank| flank.direction);
        let [a, b] =
            recognition::perpendicular_directions(facing, &up).ok_or_else(|| not_recognised("it has no slots"))?;
        let crossing = level
            + a * self.slot_centre(&flanks, &a, &level, drawing)?
            + b * self.slot_centre(&flanks, &b, &level, drawing)?;
        let deepest = drawing.slots[0].half_width_mm * drawing.flank_deg.to_radians().tan() + MAX_EXCESS_DEPTH_MM;
        let score = |x: &Vector, y: &Vector| {
            let (mut matching, mut below_plate) = (0_usize, 0_usize);
            for point in &self.points {
                let offset = point - crossing;
                let (height, nominal) = (offset.dot(&up), drawing.height_mm(offset.dot(x), offset.dot(y)));
                if height > -deepest && height.min(nominal) < -ROUGH_DISTANCE_MM {
                    below_plate += 1;
                    matching += usize::from((height - nominal).abs() < ROUGH_DISTANCE_MM);
                }
            }
            matching as f64 / below_plate.max(1) as f64
        };
        recognition::best_orientation(ANGLED_SLOTS.name, &crossing, [a, b], &up, &score)
    }

    fn flanks(&self, drawing: &Drawing, level: &Point, up: &Vector) -> Vec<Flank> {
        let deepest = drawing.slots[0].half_width_mm * drawing.flank_deg.to_radians().tan();
        let slope_error_deg =
            |normal: &Vector| (normal.dot(up).clamp(-1.0, 1.0).acos().to_degrees() - drawing.flank_deg).abs();
        let flank = |(point, normal): (&Point, &Vector)| {
            let depth_mm = (level - point).dot(up);
            let is_flank =
                (0.1 * deepest..1.1 * deepest).contains(&depth_mm) && slope_error_deg(normal) < MAX_SLOPE_ERROR_DEG;
            let facing = normal - up * normal.dot(up);
            is_flank.then(|| Flank { point: *point, direction: facing.normalize(), depth_mm })
        };
        self.points.iter().zip(&self.normals).filter_map(flank).collect()
    }

    /// Centre of the slot whose flanks face ±`across`, as a distance along `across` from `level`, mm; estimated from
    /// the depth of every flank point.
    fn slot_centre(&self, flanks: &[Flank], across: &Vector, level: &Point, drawing: &Drawing) -> Result<f64> {
        let (half, slope) = (drawing.slots[0].half_width_mm, drawing.flank_deg.to_radians().tan());
        let position = |flank: &Flank| {
            let facing = flank.direction.dot(across);
            let inward = half - flank.depth_mm / slope;
            (facing.abs() > 0.9).then(|| (flank.point - level).dot(across) + facing.signum() * inward)
        };
        let mut positions: Vec<f64> = flanks.iter().filter_map(position).collect();
        if positions.len() < MIN_FLANK_POINTS_PER_SLOT {
            return Err(not_recognised("it shows slots in one direction only"));
        }
        // The points of the small slot lead to other positions.
        Ok(recognition::densest_value(&mut positions).unwrap_or_default())
    }
}

/// A point that may lie on a flank.
struct Flank {
    point: Point,
    /// Projection of the normal onto the plate, a unit vector.
    direction: Vector,
    depth_mm: f64,
}
