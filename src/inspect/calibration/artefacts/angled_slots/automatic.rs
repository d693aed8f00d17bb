//! Finds the artefact in a whole snapshot: the plate by most points, the slots by how steep their flanks are and which
//! way they look, the way it lies by trying all eight.

use super::super::looking::{self, Sample};
use super::ANGLED_SLOTS;
use super::drawing::Drawing;
use crate::features::{Kind, Options, fit};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Subset, Vector};

/// How far the slope of a flank may be off, degrees.
const SLOPE_DEG: f64 = 8.0;
/// How far from the drawing a point of the artefact may lie, mm.
const OFF_MM: f64 = 0.6;
/// The same while only the width of a cell is known of its place. What lies as deep shows how the artefact lies: the plate
/// looks the same from all sides, and there is most of it.
const SCORED_MM: f64 = 1.0;
/// What lies deeper than the slots by more than this is not of the artefact, mm.
const BELOW_MM: f64 = 2.0;
/// Regions keep so far from edges, mm, where the sensor rounds and points fly.
const MARGIN_MM: f64 = 1.0;

/// The points of each region, in the order of [`Region::ALL`].
pub fn find(drawing: &Drawing, points: &[Point], progress: &Progress) -> Result<Vec<Subset>> {
    progress.report(0.0, "Looking for the artefact")?;
    let half_width = drawing.slots[0].half_width_mm;
    let sample = Sample::of(ANGLED_SLOTS.name, points, half_width / 12.0, &progress.part(0.0, 0.3))?;
    let rough = sample.frame(drawing, &progress.part(0.3, 0.5))?;
    progress.report(0.5, "Naming the regions")?;
    let region_at = |place: &Point| {
        let is_near = (place.z - drawing.height_mm(place.x, place.y)).abs() < OFF_MM;
        drawing.region_at(place.x, place.y, MARGIN_MM).filter(|_| is_near).map(|region| region as usize)
    };
    looking::named_twice(&ANGLED_SLOTS, points, &rough, &region_at, &progress.part(0.5, 0.9))
}

fn not_recognised(why: &str) -> UserError {
    looking::not_recognised(ANGLED_SLOTS.name, why)
}

impl Sample {
    /// The frame, to about the width of a cell.
    fn frame(&self, drawing: &Drawing, progress: &Progress) -> Result<Pose> {
        let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
        let plate = fit(Kind::Plane, &self.points, &[], &options, progress)?;
        let (level, normal) = (plate.shape.place(), plate.shape.direction().unwrap_or_else(Vector::z));
        let up = if normal.dot(&level.coords) > 0.0 { -normal } else { normal };
        let flanks = self.flanks(drawing, &level, &up);
        if flanks.len() < 200 {
            return Err(not_recognised("no slots were found in its largest plane"));
        }
        let looks = flanks.iter().map(|flank| flank.looks);
        let [a, b] = looking::square_ways(looks, &up).ok_or_else(|| not_recognised("it has no slots"))?;
        let crossing =
            level + a * self.middle(&flanks, &a, &level, drawing)? + b * self.middle(&flanks, &b, &level, drawing)?;
        let deepest = drawing.slots[0].half_width_mm * drawing.flank_deg.to_radians().tan() + BELOW_MM;
        let score = |x: &Vector, y: &Vector| {
            let (mut on_drawing, mut sunk) = (0_usize, 0_usize);
            for point in &self.points {
                let away = point - crossing;
                let (height, drawn) = (away.dot(&up), drawing.height_mm(away.dot(x), away.dot(y)));
                if height > -deepest && height.min(drawn) < -SCORED_MM {
                    sunk += 1;
                    on_drawing += usize::from((height - drawn).abs() < SCORED_MM);
                }
            }
            on_drawing as f64 / sunk.max(1) as f64
        };
        looking::best_way(ANGLED_SLOTS.name, &crossing, [a, b], &up, &score)
    }

    fn flanks(&self, drawing: &Drawing, level: &Point, up: &Vector) -> Vec<Flank> {
        let deepest = drawing.slots[0].half_width_mm * drawing.flank_deg.to_radians().tan();
        let steep = |normal: &Vector| (normal.dot(up).clamp(-1.0, 1.0).acos().to_degrees() - drawing.flank_deg).abs();
        let flank = |(point, normal): (&Point, &Vector)| {
            let depth_mm = (level - point).dot(up);
            let is_flank = (0.1 * deepest..1.1 * deepest).contains(&depth_mm) && steep(normal) < SLOPE_DEG;
            let looks = normal - up * normal.dot(up);
            is_flank.then(|| Flank { point: *point, looks: looks.normalize(), depth_mm })
        };
        self.points.iter().zip(&self.normals).filter_map(flank).collect()
    }

    /// Where the slot whose flanks look along ±`across` has its middle, mm from `level`: each point of a flank tells it
    /// by its depth.
    fn middle(&self, flanks: &[Flank], across: &Vector, level: &Point, drawing: &Drawing) -> Result<f64> {
        let (half, slope) = (drawing.slots[0].half_width_mm, drawing.flank_deg.to_radians().tan());
        let told = |flank: &Flank| {
            let looks = flank.looks.dot(across);
            let inward = half - flank.depth_mm / slope;
            (looks.abs() > 0.9).then(|| (flank.point - level).dot(across) + looks.signum() * inward)
        };
        let mut told: Vec<f64> = flanks.iter().filter_map(told).collect();
        if told.len() < 50 {
            return Err(not_recognised("it shows slots in one direction only"));
        }
        // The small slot tells other places.
        Ok(looking::densest(&mut told).unwrap_or_default())
    }
}

/// A point that may lie on a flank.
struct Flank {
    point: Point,
    /// Which way it looks along the plate, a unit vector.
    looks: Vector,
    depth_mm: f64,
}
