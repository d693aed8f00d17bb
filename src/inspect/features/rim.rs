//! Rims of openings in sheet metal: the sheet beside an opening, and its edge in the scan.
//!
//! An opening is seen from its middle: the centre of a round hole, the segment between the centres of a slot's ends.

use super::{Fit, Kind, Options, fit};
use base::{Progress, Result, UserError};
use geometry::{KdTree, Point, Vector};

/// Sectors of the rim at least and at most.
const SECTORS: [usize; 2] = [16, 360];
/// Share of the sectors that must show a rim.
const SEEN: f64 = 0.6;
/// An opening with more than this share of the sheet's density inside is none.
const CLOSED: f64 = 0.25;
/// Points of the sheet that a plane needs.
const SHEET: usize = 30;

/// The middle of an opening.
#[derive(Clone, Copy, Debug)]
pub struct Middle {
    /// Its centre, mm.
    pub centre: Point,
    /// Along the segment; a unit vector.
    pub along: Vector,
    /// Square to it on the sheet; a unit vector.
    pub across: Vector,
    /// Half of the segment's length, mm; 0 for round holes.
    pub half_mm: f64,
}

impl Middle {
    /// Of a round hole about `axis`.
    pub fn round(centre: Point, axis: &Vector) -> Self {
        let along = axis.cross(&Vector::ith(axis.iamin(), 1.0)).normalize();
        Self { centre, along, across: axis.cross(&along), half_mm: 0.0 }
    }

    /// Place along the segment (held to it), and the way from there, along and across.
    fn seen_from_segment(&self, point: &Point) -> (f64, [f64; 2]) {
        let away = point - self.centre;
        let (u, v) = (away.dot(&self.along), away.dot(&self.across));
        let held = u.clamp(-self.half_mm, self.half_mm);
        (held, [u - held, v])
    }

    /// Distance of a point from the segment as seen along the axis, mm.
    pub fn distance(&self, point: &Point) -> f64 {
        let [u, v] = self.seen_from_segment(point).1;
        u.hypot(v)
    }

    /// How far round an outline at `radius_mm` from the segment a point is seen, 0 to 1.
    fn share(&self, point: &Point, radius_mm: f64) -> f64 {
        let (held, [u, v]) = self.seen_from_segment(point);
        let turned = v.atan2(u) + std::f64::consts::PI;
        let straight = if v < 0.0 { self.half_mm + held } else { 3.0 * self.half_mm - held };
        (turned * radius_mm + straight) / (std::f64::consts::TAU * radius_mm + 4.0 * self.half_mm)
    }

    /// Area within `reach_mm` of the segment, mm².
    fn area(&self, reach_mm: f64) -> f64 {
        std::f64::consts::PI * reach_mm * reach_mm + 4.0 * self.half_mm * reach_mm
    }
}

/// Where an opening should be, and how far from there to look.
pub struct Search {
    /// Its middle, on the upper face of the sheet.
    pub middle: Middle,
    /// Out of the sheet, towards whoever measures; a unit vector.
    pub axis: Vector,
    /// Distance of the rim from the middle, mm.
    pub radius_mm: f64,
    /// How far the rim may be off its place, mm.
    pub search_mm: f64,
}

/// The sheet about an opening.
pub struct Sheet {
    /// Its plane.
    pub fit: Fit,
    /// Its normal, towards whoever measures.
    pub axis: Vector,
    /// Points at its height near the opening, projected on it.
    flat: Vec<Point>,
    /// Sectors of the rim that are looked at.
    sectors: usize,
}

impl Search {
    fn ring_mm(&self) -> f64 {
        (0.6 * self.radius_mm).max(1.5 * self.search_mm)
    }

    /// Finds the sheet; a sentence where there is none.
    pub fn sheet(&self, points: &[Point], tree: &KdTree, progress: &Progress) -> Result<Sheet> {
        let (middle, farthest) = (&self.middle, self.radius_mm + self.search_mm);
        let mut near = Vec::new();
        let reach = middle.half_mm + farthest + self.ring_mm();
        tree.within_radius(&middle.centre, reach, |own| near.push(points[own.number as usize]));
        // What lies beyond where the rim can be is sheet, if it lies at the sheet's height.
        let beside = |point: &&Point| {
            let height = (*point - middle.centre).dot(&self.axis);
            height.abs() < 2.0 * self.search_mm && middle.distance(point) > farthest
        };
        let sheet: Vec<Point> = near.iter().filter(beside).copied().collect();
        if sheet.len() < SHEET {
            return Err(UserError::input(format!("only {} points of the sheet lie around it.", sheet.len())));
        }
        let options = Options { robust: true, clip_sigmas: Some(3.0), ..Options::default() };
        let fit = fit(Kind::Plane, &sheet, &[], &options, progress)?;
        let normal = fit.shape.direction().unwrap_or(self.axis);
        let axis = if normal.dot(&self.axis) < 0.0 { -normal } else { normal };
        let level = fit.shape.place();
        let thick_mm = (4.0 * fit.sigma_mm).max(1e-6);
        let flat: Vec<Point> = near
            .iter()
            .map(|point| (point, (point - level).dot(&axis)))
            .filter(|(_, height)| height.abs() < thick_mm)
            .map(|(point, height)| point - axis * height)
            .collect();
        // Along the ring the points of one sector must be enough to tell the first from a stray one.
        let sectors = ((flat.len() as f64 / 8.0) as usize).clamp(SECTORS[0], SECTORS[1]);
        Ok(Sheet { fit, axis, flat, sectors })
    }

    /// The rim as seen from `middle`: the first point of the sheet in each direction; strays inside are passed over. A
    /// sentence where too little of it shows.
    pub fn rim(&self, sheet: &Sheet, middle: &Middle) -> Result<Vec<Point>> {
        let least_mm = self.radius_mm - self.search_mm;
        let mut sectors: Vec<Vec<(f64, Point)>> = vec![Vec::new(); sheet.sectors];
        for point in &sheet.flat {
            let sector = ((middle.share(point, self.radius_mm) * sheet.sectors as f64) as usize).min(sheet.sectors - 1);
            sectors[sector].push((middle.distance(point), *point));
        }
        let first = |sector: &mut Vec<(f64, Point)>| {
            sector.retain(|(distance, _)| *distance > least_mm);
            sector.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A point of the sheet is followed by others; a stray one stands alone.
            let span = sector.last()?.0 - sector.first()?.0;
            let step = 4.0 * span / sector.len() as f64;
            let lone = |pair: &[(f64, Point)]| pair[1].0 - pair[0].0 > step;
            let strays = sector.windows(2).take_while(|pair| lone(pair)).count();
            sector.get(strays).map(|own| own.1)
        };
        let rim: Vec<Point> = sectors.iter_mut().filter(|sector| sector.len() >= 3).filter_map(first).collect();
        if (rim.len() as f64) < SEEN * sheet.sectors as f64 {
            let (seen, all) = (rim.len(), sheet.sectors);
            return Err(UserError::input(format!("its rim shows in {seen} of {all} directions only.")));
        }
        Ok(rim)
    }

    /// A sentence where points are nearly as dense within `radius_mm` of `middle` as they are beside.
    pub fn require_open(&self, sheet: &Sheet, middle: &Middle, radius_mm: f64) -> Result<()> {
        let (inner, reach) = (0.85 * radius_mm, self.radius_mm + self.search_mm + self.ring_mm());
        let (mut inside, mut beside) = (0.0, 0.0);
        for point in &sheet.flat {
            let away = middle.distance(point);
            inside += f64::from(u8::from(away < inner));
            beside += f64::from(u8::from(away > radius_mm && away < reach));
        }
        let density_beside = beside / (middle.area(reach) - middle.area(radius_mm));
        if inside / middle.area(inner) > CLOSED * density_beside.max(1e-12) {
            return Err(UserError::input("the scan shows sheet where it should be."));
        }
        Ok(())
    }
}
