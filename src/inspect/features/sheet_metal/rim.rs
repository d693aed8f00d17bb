//! Edges of openings in sheet metal: the surrounding sheet, and the edge of the opening in the scan.
//!
//! An opening is described by its midline: the centre of a round hole, or the segment between the centres of a slot's
//! rounded ends.

use crate::features::{Fit, Kind, Options, fit};
use base::{Progress, Result, UserError};
use geometry::{KdTree, Point, Vector};

/// Minimum and maximum number of sectors of the edge.
const SECTOR_RANGE: [usize; 2] = [16, 360];
/// Minimum share of the sectors in which an edge must be found.
const MIN_EDGE_SHARE: f64 = 0.6;
/// Maximum point density inside an opening, as a share of that of the sheet.
const MAX_RELATIVE_DENSITY: f64 = 0.25;
/// Minimum number of points for the plane of the sheet.
const MIN_SHEET_POINTS: usize = 30;

/// The midline of an opening: a segment, or a point for round holes.
#[derive(Clone, Copy, Debug)]
pub struct Midline {
    /// Centre of the opening, mm.
    pub centre: Point,
    /// Unit vector along the segment.
    pub along: Vector,
    /// Unit vector perpendicular to it in the sheet.
    pub across: Vector,
    /// Half of the segment's length, mm; 0 for round holes.
    pub half_mm: f64,
}

impl Midline {
    /// The midline of a round hole about `axis`.
    pub fn round(centre: Point, axis: &Vector) -> Self {
        let along = axis.cross(&Vector::ith(axis.iamin(), 1.0)).normalize();
        Self { centre, along, across: axis.cross(&along), half_mm: 0.0 }
    }

    /// The coordinate along the segment of the closest point on it, and the offset from there along and across it, mm.
    fn relative_to_segment(&self, point: &Point) -> (f64, [f64; 2]) {
        let offset = point - self.centre;
        let (u, v) = (offset.dot(&self.along), offset.dot(&self.across));
        let clamped = u.clamp(-self.half_mm, self.half_mm);
        (clamped, [u - clamped, v])
    }

    /// Distance of a point from the segment in the plane perpendicular to the axis, mm.
    pub fn distance(&self, point: &Point) -> f64 {
        let [u, v] = self.relative_to_segment(point).1;
        u.hypot(v)
    }

    /// Position of a point's projection along the circumference of the outline at `radius_mm` from the segment, 0 to 1.
    fn position_along_outline(&self, point: &Point, radius_mm: f64) -> f64 {
        let (clamped, [u, v]) = self.relative_to_segment(point);
        let angle = v.atan2(u) + std::f64::consts::PI;
        let straight = if v < 0.0 { self.half_mm + clamped } else { 3.0 * self.half_mm - clamped };
        (angle * radius_mm + straight) / (std::f64::consts::TAU * radius_mm + 4.0 * self.half_mm)
    }

    /// Area within `reach_mm` of the segment, mm².
    fn area(&self, reach_mm: f64) -> f64 {
        std::f64::consts::PI * reach_mm * reach_mm + 4.0 * self.half_mm * reach_mm
    }
}

/// The expected opening and the search distance.
pub struct Search {
    /// Nominal midline on the upper face of the sheet.
    pub midline: Midline,
    /// Unit normal out of the sheet, towards the sensor.
    pub axis: Vector,
    /// Nominal distance of the edge from the midline, mm.
    pub radius_mm: f64,
    /// Maximum distance of the edge from its nominal position, mm.
    pub search_mm: f64,
}

/// The sheet around an opening.
pub struct Sheet {
    /// The fitted plane.
    pub fit: Fit,
    /// Its unit normal, towards the sensor.
    pub axis: Vector,
    /// Points near the opening at the height of the sheet, projected onto its plane, mm.
    flat: Vec<Point>,
    /// Number of sectors in which the edge is searched.
    sectors: usize,
}

impl Search {
    fn ring_width_mm(&self) -> f64 {
        (0.6 * self.radius_mm).max(1.5 * self.search_mm)
    }

    /// Fits the plane of the surrounding sheet; returns an error if there are too few points.
    pub fn sheet(&self, points: &[Point], tree: &KdTree, progress: &Progress) -> Result<Sheet> {
        let (midline, max_mm) = (&self.midline, self.radius_mm + self.search_mm);
        let mut near = Vec::new();
        let reach = midline.half_mm + max_mm + self.ring_width_mm();
        tree.within_radius(&midline.centre, reach, |own| near.push(points[own.number as usize]));
        // Points beyond the outermost possible edge belong to the sheet if they are at its height.
        let is_sheet = |point: &&Point| {
            let height = (*point - midline.centre).dot(&self.axis);
            height.abs() < 2.0 * self.search_mm && midline.distance(point) > max_mm
        };
        let sheet: Vec<Point> = near.iter().filter(is_sheet).copied().collect();
        if sheet.len() < MIN_SHEET_POINTS {
            return Err(UserError::input(format!("only {} points of the surrounding sheet were found.", sheet.len())));
        }
        let options = Options { robust: true, clip_sigmas: Some(3.0), ..Options::default() };
        let fit = fit(Kind::Plane, &sheet, &[], &options, progress)?;
        let normal = fit.shape.direction().unwrap_or(self.axis);
        let axis = if normal.dot(&self.axis) < 0.0 { -normal } else { normal };
        let level = fit.shape.position();
        let height_limit_mm = (4.0 * fit.sigma_mm).max(1e-6);
        let flat: Vec<Point> = near
            .iter()
            .map(|point| (point, (point - level).dot(&axis)))
            .filter(|(_, height)| height.abs() < height_limit_mm)
            .map(|(point, height)| point - axis * height)
            .collect();
        // Each sector needs enough points to distinguish the first sheet point from an outlier.
        let sectors = ((flat.len() as f64 / 8.0) as usize).clamp(SECTOR_RANGE[0], SECTOR_RANGE[1]);
        Ok(Sheet { fit, axis, flat, sectors })
    }

    /// The edge as seen from `midline`: the first sheet point in each sector, ignoring isolated outliers. Returns an
    /// error if too little of it was measured.
    pub fn rim(&self, sheet: &Sheet, midline: &Midline) -> Result<Vec<Point>> {
        let min_mm = self.radius_mm - self.search_mm;
        let mut sectors: Vec<Vec<(f64, Point)>> = vec![Vec::new(); sheet.sectors];
        for point in &sheet.flat {
            let sector = ((midline.position_along_outline(point, self.radius_mm) * sheet.sectors as f64) as usize)
                .min(sheet.sectors - 1);
            sectors[sector].push((midline.distance(point), *point));
        }
        let first = |sector: &mut Vec<(f64, Point)>| {
            sector.retain(|(distance, _)| *distance > min_mm);
            sector.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A point of the sheet is followed by others, an outlier is isolated.
            let span = sector.last()?.0 - sector.first()?.0;
            let step = 4.0 * span / sector.len() as f64;
            let is_isolated = |pair: &[(f64, Point)]| pair[1].0 - pair[0].0 > step;
            let outliers = sector.windows(2).take_while(|pair| is_isolated(pair)).count();
            sector.get(outliers).map(|own| own.1)
        };
        let rim: Vec<Point> = sectors.iter_mut().filter(|sector| sector.len() >= 3).filter_map(first).collect();
        if (rim.len() as f64) < MIN_EDGE_SHARE * sheet.sectors as f64 {
            let (found, all) = (rim.len(), sheet.sectors);
            return Err(UserError::input(format!("its edge was found in only {found} of {all} sectors.")));
        }
        Ok(rim)
    }

    /// Returns an error if the point density within `radius_mm` of `midline` is comparable to that of the sheet.
    pub fn require_open(&self, sheet: &Sheet, midline: &Midline, radius_mm: f64) -> Result<()> {
        let (inner_mm, reach_mm) = (0.85 * radius_mm, self.radius_mm + self.search_mm + self.ring_width_mm());
        let (mut inside_count, mut sheet_count) = (0.0, 0.0);
        for point in &sheet.flat {
            let distance_mm = midline.distance(point);
            inside_count += f64::from(u8::from(distance_mm < inner_mm));
            sheet_count += f64::from(u8::from(distance_mm > radius_mm && distance_mm < reach_mm));
        }
        let sheet_density = sheet_count / (midline.area(reach_mm) - midline.area(radius_mm));
        if inside_count / midline.area(inner_mm) > MAX_RELATIVE_DENSITY * sheet_density.max(1e-12) {
            return Err(UserError::input("the scan shows closed sheet at its position."));
        }
        Ok(())
    }
}
