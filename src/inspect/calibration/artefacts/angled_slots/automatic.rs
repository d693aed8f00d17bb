//! Finds the artefact in a whole snapshot: the plate by most points, the slots by how steep their flanks are and which
//! way they look, the way it lies by trying all eight.

use super::super::{Artefact, Measured};
use super::ANGLED_SLOTS;
use super::drawing::Drawing;
use crate::base::{Progress, Result, UserError};
use crate::compute::{Backend, cpu::Cpu, neighbourhoods};
use crate::geometry::{Point, PointSet, Pose, SearchablePoints, Vector, thinning};
use crate::inspect::features::{Kind, Options, fit};

/// Points that normals are found from.
const NEIGHBOURS: usize = 24;
/// How far the slope of a flank may be off, degrees.
const SLOPE_DEG: f64 = 8.0;
/// How far from the drawing a point of the artefact may lie, mm.
const OFF_MM: f64 = 0.6;
/// Regions keep so far from edges, mm, where the sensor rounds and points fly.
const MARGIN_MM: f64 = 1.0;
/// Share of the points that must lie on the drawing.
const RECOGNISED: f64 = 0.6;
/// By how much the mirror image must fit better to be taken for the truth.
const CLEARLY: f64 = 0.02;

/// The points of each region, in the order of [`Region::ALL`].
pub fn find(drawing: &Drawing, points: &[Point], progress: &Progress) -> Result<Vec<PointSet>> {
    progress.report(0.0, "Looking for the artefact")?;
    let half_width = drawing.slots[0].half_width_mm;
    let thinned = Thinned::of(points, half_width / 12.0, &progress.part(0.0, 0.3))?;
    let rough = thinned.frame(drawing, &progress.part(0.3, 0.5))?;
    progress.report(0.5, "Naming the regions")?;
    let regions = named(drawing, points, &rough);
    // Once more from the frame that these regions give.
    let places: Vec<Vec<Point>> =
        regions.iter().map(|region| region.iter().map(|&number| points[number as usize]).collect()).collect();
    let measured = Measured { clip_sigmas: Some(3.0), ..Measured::default() };
    let frame = ANGLED_SLOTS.frame(&places, &measured, &progress.part(0.5, 0.9))?;
    Ok(named(drawing, points, &frame.device_from_artefact))
}

fn named(drawing: &Drawing, points: &[Point], device_from_artefact: &Pose) -> Vec<PointSet> {
    let mut regions: [Vec<u32>; 6] = Default::default();
    let artefact_from_device = device_from_artefact.inverse();
    for (number, point) in (0..).zip(points) {
        let place = artefact_from_device * point;
        let Some(region) = drawing.region_at(place.x, place.y, MARGIN_MM) else { continue };
        if (place.z - drawing.height_mm(place.x, place.y)).abs() < OFF_MM {
            regions[region as usize].push(number);
        }
    }
    regions.map(PointSet::new).into()
}

/// Some of the points, evenly spread, with the way the surface looks there.
struct Thinned {
    points: Vec<Point>,
    normals: Vec<Vector>,
}

fn not_recognised(why: &str) -> UserError {
    UserError::input(format!(
        "The artefact with angled slots was not recognised: {why}. Brush its regions by hand, or take a snapshot that \
         shows the plate with both slots."
    ))
}

impl Thinned {
    fn of(points: &[Point], cell_mm: f64, progress: &Progress) -> Result<Self> {
        let kept: Vec<Point> =
            thinning::one_per_dense_cell(points, cell_mm).iter().map(|&number| points[number as usize]).collect();
        if kept.len() < 500 {
            return Err(not_recognised("there are too few points"));
        }
        let searchable = SearchablePoints::new(&kept);
        let request = neighbourhoods::Request { points: &searchable, neighbours: NEIGHBOURS };
        let found = Cpu.neighbourhoods(&request, progress)?;
        // The sensor, at the origin, sees only what looks at it.
        let towards =
            |(point, normal): (&Point, Vector)| if normal.dot(&point.coords) > 0.0 { -normal } else { normal };
        let normals = kept.iter().zip(found.iter().map(|own| own.normal)).map(towards).collect();
        Ok(Self { points: kept, normals })
    }

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
        // The ways that flanks look are a quarter turn apart; four times their angle is the same for all.
        let e1 = flanks[0].looks;
        let e2 = up.cross(&e1);
        let mut quarter = 0.0;
        for round in 0..4 {
            let near = |angle: &f64| round == 0 || (4.0 * (angle - quarter)).cos() > 0.0;
            let angles = flanks.iter().map(|flank| flank.looks.dot(&e2).atan2(flank.looks.dot(&e1))).filter(near);
            let (sin, cos) =
                angles.fold((0.0, 0.0), |(s, c), angle| (s + (4.0 * angle).sin(), c + (4.0 * angle).cos()));
            quarter = sin.atan2(cos) / 4.0;
        }
        let a = e1 * quarter.cos() + e2 * quarter.sin();
        let b = up.cross(&a);
        let crossing =
            level + a * self.middle(&flanks, &a, &level, drawing)? + b * self.middle(&flanks, &b, &level, drawing)?;
        self.best_of_eight(drawing, &crossing, [a, b], &up)
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
        told.sort_by(f64::total_cmp);
        // The narrowest stretch that holds a third of them: the small slot tells other places.
        let third = told.len() / 3;
        let width = |i: &usize| told[i + third] - told[*i];
        let densest = (0..told.len() - third).min_by(|i, j| width(i).total_cmp(&width(j))).unwrap_or_default();
        Ok(told[densest + third / 2])
    }

    fn best_of_eight(&self, drawing: &Drawing, crossing: &Point, [a, b]: [Vector; 2], up: &Vector) -> Result<Pose> {
        let score = |x: &Vector, y: &Vector| {
            let on_drawing = |point: &&Point| {
                let away = *point - crossing;
                (away.dot(up) - drawing.height_mm(away.dot(x), away.dot(y))).abs() < OFF_MM
            };
            self.points.iter().filter(on_drawing).count() as f64 / self.points.len() as f64
        };
        let ways = [a, b, -a, -b].map(|x| (x, up.cross(&x)));
        let best = |mirror: f64| {
            let scored = ways.iter().map(|(x, y)| (score(x, &(y * mirror)), *x));
            scored.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, a))
        };
        let ((right, x), (mirrored, _)) = (best(1.0), best(-1.0));
        if mirrored > right + CLEARLY && mirrored >= RECOGNISED {
            return Err(UserError::input(format!(
                "The artefact appears as its mirror image ({:.1} % of the points lie on it, {:.1} % on the artefact \
                 itself): the sensor's frame is of the other handedness than was said.",
                100.0 * mirrored,
                100.0 * right
            )));
        }
        if right < RECOGNISED {
            return Err(not_recognised(&format!("only {:.0} % of the points lie on it", 100.0 * right)));
        }
        let turn = nalgebra::Rotation3::from_basis_unchecked(&[x, up.cross(&x), *up]);
        Ok(Pose::from_parts(crossing.coords.into(), nalgebra::UnitQuaternion::from_rotation_matrix(&turn)))
    }
}

/// A point that may lie on a flank.
struct Flank {
    point: Point,
    /// Which way it looks along the plate, a unit vector.
    looks: Vector,
    depth_mm: f64,
}
