//! Whether the mesh of an offset has all of it: from points of the true offset surface to the mesh, the other way round than
//! its vertices are measured. A wall or a gap that is thinner than voxels tell is not there, and no vertex says so.
//!
//! Points of the skin, moved by the distance along its normal, lie on the offset surface unless they are nearer to something
//! else. How far each is from the mesh is the other half of the Hausdorff distance of both (Aspert, Santa-Cruz and Ebrahimi,
//! "MESH: measuring errors between surfaces using the Hausdorff distance", 2002); what is farther than a voxel was lost.

use rayon::prelude::*;
use serde::Serialize;

use super::deepest::deepest;
use super::samples::{self, SkinSample};
use super::volume::MAX_RESOLUTION;
use base::{Progress, Result};
use compute::thickness::{self, Between};
use compute::{Backend, Compute};
use geometry::voxels::Lattice;
use geometry::{Mesh, OrderedPoints, Point, Sides, SolidSurface, Surface, Vector};

/// Points of the skin that are looked at.
const SAMPLES: usize = 20_000;
/// A point of the offset surface is at the distance of the offset to this share of it and of the diagonal of the part.
const AT_DISTANCE: f64 = 1e-6;
/// What is farther from the mesh than so many voxels was lost; of templates, which are coarser, than so many.
const LOST_VOXELS: f64 = 1.0;
const LOST_TEMPLATE_VOXELS: f64 = 2.5;
/// Share of the area of what is lost that is thinner than what is stated of it.
const THIN_SHARE: f64 = 0.01;
/// Voxels across a wall or a gap that show it.
const VOXELS_ACROSS: f64 = 2.0;

/// What can be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Material thinner than voxels tell.
    Wall,
    /// Air thinner than voxels tell, which was filled.
    Gap,
    /// Something else, such as the tip of a cone.
    Other,
}

/// What the mesh of an offset lacks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// What it is.
    pub detail: Detail,
    /// Thickness of the walls or width of the gaps that are lost, mm: what 1 % of their area do not exceed, since every wedge
    /// ends at none. `None` of other details.
    pub thickness_mm: Option<f64>,
    /// Area of the offset surface that is lost, both sides of it, mm².
    pub area_mm2: f64,
    /// About how much material or air that is, mm³; `None` of other details.
    pub volume_mm3: Option<f64>,
    /// The point of it that is farthest from the mesh, nominal frame, mm.
    pub at: Point,
}

/// How completely the mesh of an offset shows its surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Completeness {
    /// Number of points of the offset surface that were looked at.
    pub points: usize,
    /// Root mean square of their distances from the mesh, mm; NaN without a mesh or a point.
    pub rms_mm: f64,
    /// Greatest distance from the mesh, mm; NaN without a mesh or a point.
    pub max_mm: f64,
    /// What is lost, walls first.
    pub losses: Vec<Loss>,
    /// Voxels per axis that the thinnest lost wall or gap needs; `None` if none is lost.
    pub needed_resolution: Option<u32>,
    /// The deepest point of the part and its depth, mm; looked for where no mesh is left.
    pub deepest: Option<(Point, f64)>,
}

/// The offset surface of a part.
pub(super) struct OffsetSurface<'a> {
    pub solid: &'a SolidSurface<'a>,
    pub distance_mm: f64,
    pub lattice: Lattice,
}

/// A point of the offset surface.
struct SurfacePoint {
    /// The point of the skin that it belongs to.
    of: SkinSample,
    at: Point,
}

impl OffsetSurface<'_> {
    /// How completely `mesh` shows it, and that mesh again. `is_exact`: made by the exact distance.
    pub fn completeness(
        &self,
        backend: &dyn Backend,
        mesh: Mesh,
        is_exact: bool,
        progress: &Progress,
    ) -> Result<(Completeness, Mesh)> {
        progress.report(0.0, "Looking for what the mesh lacks")?;
        let samples = self.samples();
        let points = self.points(&samples);
        let mut own = Completeness { points: points.len(), ..Completeness::default() };
        if mesh.facets.is_empty() && self.solid.sides() != Sides::Open {
            own.deepest = deepest(self.solid, &samples);
        }
        let (distances_mm, mesh) = distances_mm(&points, mesh);
        let mean = distances_mm.iter().map(|mm| mm * mm).sum::<f64>() / points.len() as f64;
        let is_measured = mean.is_finite();
        own.rms_mm = if is_measured { mean.sqrt() } else { f64::NAN };
        own.max_mm = if is_measured { distances_mm.iter().copied().fold(0.0, f64::max) } else { f64::NAN };
        let limit_mm = self.lattice.voxel_mm * if is_exact { LOST_VOXELS } else { LOST_TEMPLATE_VOXELS };
        let lost = points.into_iter().zip(distances_mm).filter(|(_, mm)| *mm > limit_mm);
        let (lost, distances_mm): (Vec<SurfacePoint>, Vec<f64>) = lost.unzip();
        own.losses = self.losses(backend, &lost, &distances_mm, &progress.part(0.5, 1.0))?;
        let thinnest = own.losses.iter().filter_map(|loss| loss.thickness_mm).reduce(f64::min);
        own.needed_resolution = thinnest.map(|mm| self.resolution_for(mm));
        Ok((own, mesh))
    }

    /// Voxels per axis that the walls and gaps need that the voxels do not tell, before anything is made of them; `None` if
    /// they tell all.
    pub fn needed_resolution(&self, backend: &dyn Backend, progress: &Progress) -> Result<Option<u32>> {
        let points = self.points(&self.samples());
        let thin = self.thin(backend, &points, progress)?;
        let of_area = points.iter().zip(thin).filter_map(|(own, thin)| Some((own.of.area_mm2, thin?.1)));
        Ok(thin_quantile(of_area.collect()).map(|mm| self.resolution_for(mm)))
    }

    fn samples(&self) -> Vec<SkinSample> {
        let mut samples = samples::of(self.solid.surface(), SAMPLES);
        if self.solid.sides() == Sides::Open {
            // Both sides of a sheet.
            let back: Vec<SkinSample> = samples.iter().map(|own| SkinSample { normal: -own.normal, ..*own }).collect();
            samples.extend(back);
        }
        samples
    }

    /// The samples moved by the distance, where that leads to the offset surface.
    fn points(&self, samples: &[SkinSample]) -> Vec<SurfacePoint> {
        let within_mm = AT_DISTANCE * (self.distance_mm.abs() + self.solid.surface().bounds().diagonal());
        let is_on = |at: &Point| {
            let hit = self.solid.surface().closest_point(at, self.distance_mm.abs() + within_mm);
            let is_at = hit.is_none_or(|hit| hit.distance_mm >= self.distance_mm.abs() - within_mm);
            // On the skin itself either side will do.
            let is_inside = || self.solid.contains(at) == (self.distance_mm < 0.0);
            is_at && (self.distance_mm.abs() <= within_mm || self.solid.sides() == Sides::Open || is_inside())
        };
        let moved = |own: &SkinSample| SurfacePoint { of: *own, at: own.at + own.normal * self.distance_mm };
        samples.par_iter().map(moved).filter(|own| is_on(&own.at)).collect()
    }

    /// Of each point the wall or gap that it lies at, if that is thinner than voxels tell, and how thick that is, mm.
    fn thin(
        &self,
        backend: &dyn Backend,
        points: &[SurfacePoint],
        progress: &Progress,
    ) -> Result<Vec<Option<(Detail, f64)>>> {
        let mut thin = vec![None; points.len()];
        if self.solid.sides() == Sides::Open || points.is_empty() {
            return Ok(thin);
        }
        let positions: Vec<Point> = points.iter().map(|own| own.of.at).collect();
        let normals: Vec<Vector> = points.iter().map(|own| own.of.normal).collect();
        let ordered = OrderedPoints::new(&positions);
        for (detail, between, grows_by_mm) in [
            (Detail::Wall, Between::Material, 2.0 * self.distance_mm),
            (Detail::Gap, Between::Air, -2.0 * self.distance_mm),
        ] {
            let max_mm = VOXELS_ACROSS * self.lattice.voxel_mm - grows_by_mm;
            if !(max_mm > 0.0) {
                continue;
            }
            let method = thickness::Method::Ball;
            let (surface, points) = (self.solid.surface(), &ordered);
            let request = thickness::Request { surface, points, normals: &normals, between, method, max_mm };
            let found = backend.compute(&request, progress)?;
            for (thin, found) in thin.iter_mut().zip(found) {
                let own = found.map(|mm| (detail, mm + grows_by_mm)).filter(|(_, mm)| *mm > 0.0);
                *thin = [*thin, own].into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1));
            }
        }
        Ok(thin)
    }

    fn losses(
        &self,
        backend: &dyn Backend,
        lost: &[SurfacePoint],
        distances_mm: &[f64],
        progress: &Progress,
    ) -> Result<Vec<Loss>> {
        let thin = self.thin(backend, lost, progress)?;
        let mut losses = Vec::new();
        for wanted in [Detail::Wall, Detail::Gap, Detail::Other] {
            let kind = |own: &Option<(Detail, f64)>| own.map_or(Detail::Other, |(detail, _)| detail);
            let all = || lost.iter().zip(&thin).zip(distances_mm).filter(|((_, thin), _)| kind(thin) == wanted);
            // Of several equally far ones, such as without a mesh, always the same, whatever the order of facets.
            let place = |own: &SurfacePoint| <[f64; 3]>::from(own.at);
            let farthest = all().max_by(|a, b| {
                let by_place = place(a.0.0).into_iter().zip(place(b.0.0)).map(|(a, b)| a.total_cmp(&b));
                by_place.fold(a.1.total_cmp(b.1), std::cmp::Ordering::then)
            });
            let Some(((farthest, _), _)) = farthest else { continue };
            let thickness = || all().filter_map(|((own, thin), _)| Some((own.of.area_mm2, (*thin)?.1)));
            losses.push(Loss {
                detail: wanted,
                thickness_mm: thin_quantile(thickness().collect()),
                area_mm2: all().map(|((own, _), _)| own.of.area_mm2).sum(),
                volume_mm3: (wanted != Detail::Other).then(|| thickness().map(|(area, mm)| 0.5 * area * mm).sum()),
                at: farthest.at,
            });
        }
        Ok(losses)
    }

    /// Voxels per axis that show a wall or a gap of this thickness, rounded up to two digits.
    fn resolution_for(&self, thickness_mm: f64) -> u32 {
        let wanted = VOXELS_ACROSS * self.lattice.edge_mm() / thickness_mm;
        let unit = 10.0_f64.powf((wanted.max(1.0).log10() - 1.0).floor().max(0.0));
        (((wanted / unit).ceil() * unit).min(f64::from(u32::MAX)) as u32).max(self.lattice.voxels)
    }
}

/// The thickness that [`THIN_SHARE`] of the area do not exceed, mm, of areas and thicknesses; `None` without any.
fn thin_quantile(mut of_area: Vec<(f64, f64)>) -> Option<f64> {
    of_area.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)));
    let all_mm2: f64 = of_area.iter().map(|own| own.0).sum();
    let mut below_mm2 = 0.0;
    let reached = of_area.iter().find(|own| {
        below_mm2 += own.0;
        below_mm2 >= THIN_SHARE * all_mm2
    });
    reached.or(of_area.last()).map(|own| own.1)
}

/// Distances of points from a mesh, mm, infinite without one; and that mesh again.
fn distances_mm(points: &[SurfacePoint], mesh: Mesh) -> (Vec<f64>, Mesh) {
    if mesh.facets.is_empty() {
        return (vec![f64::INFINITY; points.len()], mesh);
    }
    let surface = Surface::new(mesh);
    let distance_mm =
        |own: &SurfacePoint| surface.closest_point(&own.at, f64::INFINITY).map_or(f64::INFINITY, |hit| hit.distance_mm);
    let distances_mm = points.par_iter().map(distance_mm).collect();
    (distances_mm, surface.into_mesh())
}

impl Completeness {
    /// What is lost, and what is left, in sentences. `distance_mm` is that of the offset.
    pub fn sentences(&self, distance_mm: f64, has_mesh: bool) -> Vec<String> {
        let mut sentences: Vec<String> = self.losses.iter().map(Loss::sentence).collect();
        match self.needed_resolution {
            Some(needed) if needed <= MAX_RESOLUTION => {
                sentences.push(format!("The thinnest of what is lost needs {needed} voxels per axis."));
            }
            Some(needed) => sentences.push(format!(
                "The thinnest of what is lost would need {needed} voxels per axis, more than the {MAX_RESOLUTION} that there can be."
            )),
            None => {}
        }
        if has_mesh {
            return sentences;
        }
        match self.deepest.filter(|_| distance_mm < 0.0) {
            Some((at, depth_mm)) if depth_mm > -distance_mm => {
                if self.losses.is_empty() {
                    sentences.push(format!(
                        "Something finer than a voxel is left about ({:.3}, {:.3}, {:.3}) mm, which lies {:.4} mm inside; choose a \
                         higher resolution.",
                        at.x, at.y, at.z, depth_mm
                    ));
                }
            }
            deepest => {
                if distance_mm < 0.0 {
                    sentences.push(format!(
                        "Nothing is left of the part when {} mm are taken off all around.",
                        -distance_mm
                    ));
                }
                if let Some((at, depth_mm)) = deepest {
                    let [x, y, z] = [at.x, at.y, at.z];
                    sentences.push(format!(
                        "Its deepest point, at ({x:.3}, {y:.3}, {z:.3}) mm, lies {depth_mm:.4} mm inside."
                    ));
                }
            }
        }
        sentences
    }
}

impl Loss {
    fn sentence(&self) -> String {
        let near = format!("near ({:.3}, {:.3}, {:.3}) mm", self.at.x, self.at.y, self.at.z);
        let (area, volume) = (self.area_mm2, self.volume_mm3.unwrap_or_default());
        match (self.detail, self.thickness_mm) {
            (Detail::Wall, Some(mm)) => format!(
                "Walls from {mm:.4} mm thickness on are lost, {near}: {area:.2} mm² of their sides, about {volume:.2} mm³."
            ),
            (Detail::Gap, Some(mm)) => format!(
                "Gaps from {mm:.4} mm width on are filled, {near}: {area:.2} mm² of their sides, about {volume:.2} mm³."
            ),
            _ => format!("Details finer than a voxel are lost, {near}: {area:.2} mm² of the offset surface."),
        }
    }
}
