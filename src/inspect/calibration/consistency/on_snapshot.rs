//! Whether the probed points, transformed by the calibration, lie on the surface that the snapshot shows. Planes extend
//! beyond the faces that they were fitted to: labels rotated by 180° give the same planes, but probed points beside the
//! faces.

use std::collections::HashMap;

use serde::Serialize;

use super::super::artefacts::propagation::in_plane_axes;
use super::super::{ArtefactFrame, Light};
use super::CheckInput;
use crate::features::Shape;
use geometry::{Point, Vector};

/// Maximum distance across the line of sight between a probed point and the snapshot points that show the surface
/// there, mm.
const SEARCH_RADIUS_MM: f64 = 2.0;
/// Minimum number of such points; with fewer, the surface was not seen there.
const MIN_POINTS: usize = 5;
/// Maximum distance of a point on a face, mm, or in standard deviations of the fit, whichever is larger.
const ON_FACE_MM: f64 = 0.3;
const ON_FACE_SIGMAS: f64 = 6.0;
/// Maximum distance along the line of sight, mm: the far side of a sphere is not the side that is seen.
const MAX_DEPTH_DIFFERENCE_MM: f64 = 5.0;
/// Minimum number and share of probed points beside the surface that are not accidental.
const MIN_MISSED: usize = 3;
const MAX_MISSED_SHARE: f64 = 0.02;

/// Probed points compared with the snapshots.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TouchesOnSnapshot {
    /// Probed points where a snapshot shows a surface.
    pub judged: usize,
    /// Of these, points whose face is not there.
    pub missed: usize,
    /// Short names of the regions of the missed points.
    pub regions: Vec<&'static str>,
}

impl TouchesOnSnapshot {
    /// Red if more points are missed than by accident.
    pub fn light(&self) -> Light {
        let is_off = self.missed >= MIN_MISSED && self.missed as f64 > MAX_MISSED_SHARE * self.judged as f64;
        if is_off { Light::Red } else { Light::Green }
    }

    /// The result in a sentence.
    pub fn sentence(&self) -> String {
        let (missed, judged) = (self.missed, self.judged);
        if self.light() == Light::Green {
            return format!("{} of {judged} touches lie on the surface that the snapshot shows.", judged - missed);
        }
        format!(
            "{missed} of {judged} touches, transformed by this calibration, lie beside the faces that the snapshot \
             shows (of {}): regions are named the other way round, or the touches are of another artefact.",
            self.regions.join(", ")
        )
    }
}

/// Compares the probed points with all snapshots; `cmm` holds the CMM's frame of each placement.
pub(super) fn check(input: &CheckInput<'_>, cmm: &[ArtefactFrame]) -> Option<TouchesOnSnapshot> {
    let mut found = TouchesOnSnapshot::default();
    let views = input.request.views().zip(&input.frames.sensor).zip(input.surfaces);
    for (((placement, view), sensor), surface) in views.filter(|(_, surface)| surface.len() >= MIN_POINTS) {
        let touches = &input.request.placements[placement].cmm;
        let names = input.request.artefact.artefact().regions();
        let grid = SnapshotGrid::new(surface);
        let (cmm_frame, radius_mm) = (&cmm[placement], input.request.probe_radius_mm);
        let (sensor_from_cmm, travel_mm) =
            (input.mounting.cmm_from_sensor.inverse(), input.mounting.travel_mm(&view.position_mm));
        for (sensor_part, part) in sensor.parts.iter().zip(&cmm_frame.parts) {
            let max_distance_mm = ON_FACE_MM.max(ON_FACE_SIGMAS * sensor_part.fit.sigma_mm);
            for (&region, touch) in
                part.regions.iter().flat_map(|region| touches[*region].iter().map(move |t| (region, t)))
            {
                let Some(contact) = contact(touch, &part.fit.shape, cmm_frame, radius_mm) else { continue };
                let contact = sensor_from_cmm * (contact - travel_mm);
                let near = grid.near(&contact);
                if near.len() < MIN_POINTS {
                    continue;
                }
                found.judged += 1;
                let is_on = |point: &Point| {
                    sensor_part.fit.shape.distance(point).abs() < max_distance_mm
                        && grid.depth(&(point - contact)).abs() < MAX_DEPTH_DIFFERENCE_MM
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

/// Contact point of the stylus tip on the surface; `None` for lines, which have no face.
fn contact(touch: &Point, shape: &Shape, cmm_frame: &ArtefactFrame, radius_mm: f64) -> Option<Point> {
    let outward = match shape {
        Shape::Plane { normal, .. } => {
            let up = cmm_frame.device_from_artefact * Vector::z();
            if normal.dot(&up) < 0.0 { -normal } else { *normal }
        }
        Shape::Sphere { centre, .. } => (touch - centre).try_normalize(0.0)?,
        _ => return None,
    };
    Some(touch - outward * radius_mm)
}

/// A snapshot as seen along the line of sight, in a grid of cells.
struct SnapshotGrid<'a> {
    surface: &'a [Point],
    along: Vector,
    across: [Vector; 2],
    cells: HashMap<[i32; 2], Vec<u32>>,
}

impl<'a> SnapshotGrid<'a> {
    fn new(surface: &'a [Point]) -> Self {
        let sum: Vector = surface.iter().map(|point| point.coords).sum();
        let along = sum.try_normalize(0.0).unwrap_or_else(Vector::z);
        let mut grid = Self { surface, along, across: in_plane_axes(&along), cells: HashMap::new() };
        for (index, point) in (0..).zip(surface) {
            let cell = grid.projected(point).map(cell_of);
            grid.cells.entry(cell).or_default().push(index);
        }
        grid
    }

    fn projected(&self, point: &Point) -> [f64; 2] {
        self.across.map(|axis| point.coords.dot(&axis))
    }

    fn depth(&self, by: &Vector) -> f64 {
        by.dot(&self.along)
    }

    /// Points near a position across the line of sight, at any depth.
    fn near(&self, point: &Point) -> Vec<&'a Point> {
        let own = self.projected(point);
        let [i, j] = own.map(cell_of);
        let cells = (-1..=1).flat_map(|a| (-1..=1).map(move |b| [i + a, j + b]));
        let points =
            cells.filter_map(|cell| self.cells.get(&cell)).flatten().map(|&index| &self.surface[index as usize]);
        points
            .filter(|point| {
                let other = self.projected(point);
                (own[0] - other[0]).hypot(own[1] - other[1]) < SEARCH_RADIUS_MM
            })
            .collect()
    }
}

fn cell_of(coordinate: f64) -> i32 {
    (coordinate / SEARCH_RADIUS_MM).floor() as i32
}
