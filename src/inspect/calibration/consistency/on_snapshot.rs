//! Whether the touches, put where the calibration says, lie on the surface that the snapshot shows. Planes go on beyond
//! the faces that they were fitted to: labels turned by half give the same planes, but touches beside their faces.

use std::collections::HashMap;

use serde::Serialize;

use super::super::artefacts::propagation::axes_in;
use super::super::{ArtefactFrame, Light};
use super::Checked;
use crate::features::Shape;
use geometry::{Point, Vector};

/// Points of the snapshot this near to a touch, across the line of sight, show the surface there, mm.
const REACH_MM: f64 = 2.0;
/// Points that show it at least; where there are fewer, nothing was seen.
const LEAST: usize = 5;
/// A point this near to the face lies on it, mm, or so many of the fit's standard deviations.
const ON_FACE_MM: f64 = 0.3;
const ON_FACE_SIGMAS: f64 = 6.0;
/// And within this of the touch along the line of sight, mm: the far side of a sphere is not the side that is seen.
const DEPTH_MM: f64 = 5.0;
/// So many touches beside the surface are no accident, nor is this share of them.
const MISSES: usize = 3;
const MISSED_SHARE: f64 = 0.02;

/// Touches that were looked for on the snapshots.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TouchesOnSnapshot {
    /// Touches where a snapshot shows a surface.
    pub judged: usize,
    /// Of these, touches of a face that is not there.
    pub missed: usize,
    /// Short names of the regions that they belong to.
    pub regions: Vec<&'static str>,
}

impl TouchesOnSnapshot {
    /// Red where more miss than by accident.
    pub fn light(&self) -> Light {
        let is_off = self.missed >= MISSES && self.missed as f64 > MISSED_SHARE * self.judged as f64;
        if is_off { Light::Red } else { Light::Green }
    }

    /// What there is to say of it.
    pub fn sentence(&self) -> String {
        let (missed, judged) = (self.missed, self.judged);
        if self.light() == Light::Green {
            return format!("{} of {judged} touches lie on the surface that the snapshot shows.", judged - missed);
        }
        format!(
            "{missed} of {judged} touches, put where this calibration says, lie beside the faces that the snapshot shows \
             (of {}): regions are named the other way round, or the touches are of another artefact.",
            self.regions.join(", ")
        )
    }
}

/// Of all snapshots, with the frames that the CMM found of each placement.
pub(super) fn check(checked: &Checked<'_>, cmm: &[ArtefactFrame]) -> Option<TouchesOnSnapshot> {
    let mut found = TouchesOnSnapshot::default();
    let views = checked.request.views().zip(&checked.frames.sensor).zip(checked.surfaces);
    for (((placement, view), sensor), surface) in views.filter(|(_, surface)| surface.len() >= LEAST) {
        let touches = &checked.request.placements[placement].cmm;
        let names = checked.request.artefact.artefact().regions();
        let shown = Shown::new(surface);
        let (touched, radius_mm) = (&cmm[placement], checked.request.probe_radius_mm);
        let (sensor_from_cmm, driven) =
            (checked.mounting.cmm_from_sensor.inverse(), view.position_mm - checked.mounting.position_mm);
        for (seen, part) in sensor.parts.iter().zip(&touched.parts) {
            let near_mm = ON_FACE_MM.max(ON_FACE_SIGMAS * seen.fit.sigma_mm);
            for (&region, touch) in
                part.regions.iter().flat_map(|region| touches[*region].iter().map(move |t| (region, t)))
            {
                let Some(contact) = contact(touch, &part.fit.shape, touched, radius_mm) else { continue };
                let contact = sensor_from_cmm * (contact - driven);
                let near = shown.near(&contact);
                if near.len() < LEAST {
                    continue;
                }
                found.judged += 1;
                let is_on = |point: &Point| {
                    seen.fit.shape.distance(point).abs() < near_mm && shown.depth(&(point - contact)).abs() < DEPTH_MM
                };
                if !near.iter().any(|point| is_on(point)) {
                    found.missed += 1;
                    let name = names[region].short;
                    if !found.regions.contains(&name) {
                        found.regions.push(name);
                    }
                }
            }
        }
    }
    (found.judged > 0).then_some(found)
}

/// Where the ball touched the surface; `None` of lines, which have no face.
fn contact(touch: &Point, shape: &Shape, touched: &ArtefactFrame, radius_mm: f64) -> Option<Point> {
    let outward = match shape {
        Shape::Plane { normal, .. } => {
            let up = touched.device_from_artefact * Vector::z();
            if normal.dot(&up) < 0.0 { -normal } else { *normal }
        }
        Shape::Sphere { centre, .. } => (touch - centre).try_normalize(0.0)?,
        _ => return None,
    };
    Some(touch - outward * radius_mm)
}

/// A snapshot as the sensor looks at it, in cells.
struct Shown<'a> {
    surface: &'a [Point],
    along: Vector,
    across: [Vector; 2],
    cells: HashMap<[i32; 2], Vec<u32>>,
}

impl<'a> Shown<'a> {
    fn new(surface: &'a [Point]) -> Self {
        let sum: Vector = surface.iter().map(|point| point.coords).sum();
        let along = sum.try_normalize(0.0).unwrap_or_else(Vector::z);
        let mut shown = Self { surface, along, across: axes_in(&along), cells: HashMap::new() };
        for (number, point) in (0..).zip(surface) {
            let cell = shown.place(point).map(cell_of);
            shown.cells.entry(cell).or_default().push(number);
        }
        shown
    }

    fn place(&self, point: &Point) -> [f64; 2] {
        self.across.map(|axis| point.coords.dot(&axis))
    }

    fn depth(&self, by: &Vector) -> f64 {
        by.dot(&self.along)
    }

    /// The points beside a place, whatever their depth.
    fn near(&self, place: &Point) -> Vec<&'a Point> {
        let own = self.place(place);
        let [i, j] = own.map(cell_of);
        let cells = (-1..=1).flat_map(|a| (-1..=1).map(move |b| [i + a, j + b]));
        let points =
            cells.filter_map(|cell| self.cells.get(&cell)).flatten().map(|&number| &self.surface[number as usize]);
        points
            .filter(|point| {
                let other = self.place(point);
                (own[0] - other[0]).hypot(own[1] - other[1]) < REACH_MM
            })
            .collect()
    }
}

fn cell_of(place: f64) -> i32 {
    (place / REACH_MM).floor() as i32
}
