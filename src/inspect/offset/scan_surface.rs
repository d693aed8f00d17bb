//! The surface of a scan, to be offset: its facets, or a disc about each of its points.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::alignment::recipe::pose_in;
use crate::cleaning;
use crate::deviation::coverage::spacing_percentile_mm;
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Inputs, Make, Tools};
use base::{Progress, Result, UserError, counted};
use compute::thinning::{self, Rule};
use compute::{Backend, Compute};
use geometry::{Cloud, KdTree, Mesh, Point, Pose, SearchablePoints, Surface, transform};

/// The surface of a scan. Its result is a [`Nominal`], so that all that is made of nominals can be made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanSurfaceRecipe {
    /// The scan.
    pub scan: ElementId,
    /// The alignment it is placed by; `None` leaves it in its own frame.
    pub alignment: Option<ElementId>,
    /// Splat radius of points without facets, mm; `None` derives it from their spacing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splat_radius_mm: Option<f64>,
}

/// Splat radius in point spacings: discs of random points overlap everywhere but about one in thousands.
const RADIUS_SPACINGS: f64 = 1.5;
/// Points above which a cloud is thinned first.
const MAX_SPLATS: usize = 2_000_000;
/// Corners of the polygon around a splat.
const CORNERS: usize = 6;

impl Make for ScanSurfaceRecipe {
    type Made = Nominal;

    const NAME: &'static str = "Surface of the scan";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        std::iter::once(self.scan).chain(self.alignment).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&Nominal>,
        progress: &Progress,
    ) -> Result<Nominal> {
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let pose = pose_in(self.alignment, inputs)?;
        of_scan(tools.backend, &actual, &pose, self.splat_radius_mm, progress)
    }
}

/// The surface of `actual`, placed by `pose`: its facets if it has them, else a disc about each of its points.
///
/// Returns an error if the radius is out of range, there are too few points to tell normals, the backend fails or the
/// work is cancelled.
pub fn of_scan(
    backend: &dyn Backend,
    actual: &Actual,
    pose: &Pose,
    splat_radius_mm: Option<f64>,
    progress: &Progress,
) -> Result<Nominal> {
    let name = actual.sources.first().map(io::SourceFile::name).unwrap_or_default();
    if let Some(facets) = &actual.facets {
        let mut mesh = facets.mesh().clone();
        mesh.vertices.par_iter_mut().for_each(|point| *point = pose * *point);
        let surface = Surface::new(mesh);
        let is_sheet = !surface.topology().is_closed();
        let note = "Its facets enclose nothing: it is dilated to both sides.";
        let notes = is_sheet.then(|| note.to_owned()).into_iter().collect();
        return Ok(Nominal { notes, is_sheet, ..Nominal::in_memory(&name, surface) });
    }
    let splats = Splats::of(backend, &actual.cloud, splat_radius_mm, MAX_SPLATS, progress)?;
    let notes = vec![splats.sentence()];
    Ok(Nominal { notes, is_sheet: true, ..Nominal::in_memory(&name, Surface::new(splats.mesh(pose))) })
}

/// Discs about points.
struct Splats {
    /// Points of the scan before thinning.
    all: usize,
    /// The points, scan frame, mm.
    points: Vec<Point>,
    /// Their unit normals, of any sign.
    normals: Vec<geometry::Vector>,
    radius_mm: f64,
}

impl Splats {
    fn of(
        backend: &dyn Backend,
        cloud: &Cloud,
        radius_mm: Option<f64>,
        most: usize,
        progress: &Progress,
    ) -> Result<Self> {
        if radius_mm.is_some_and(|mm| !(mm > 0.0 && mm.is_finite())) {
            return Err(UserError::usage("The splat radius must be a length above 0 mm."));
        }
        if cloud.points.len() < 3 {
            return Err(UserError::input("A surface needs at least three points."));
        }
        let points = SearchablePoints::new(&cloud.points);
        let all_spacing_mm = spacing_mm(&cloud.points);
        let excess = (cloud.points.len() as f64 / most as f64).sqrt();
        let thinned = if excess > 1.0 {
            let request = thinning::Request { points: &points, rule: Rule::Cells(1.2 * excess * all_spacing_mm) };
            Some(cloud.select(&backend.compute(&request, &progress.part(0.0, 0.4))?))
        } else {
            None
        };
        let kept = thinned.as_ref().unwrap_or(cloud);
        let spacing_mm = if thinned.is_some() { spacing_mm(&kept.points) } else { all_spacing_mm };
        let searchable = SearchablePoints::new(&kept.points);
        let normals = cleaning::normals_of(backend, kept, &searchable, &progress.part(0.4, 0.8))?;
        Ok(Self {
            all: cloud.points.len(),
            points: kept.points.clone(),
            normals,
            radius_mm: radius_mm.unwrap_or(RADIUS_SPACINGS * spacing_mm),
        })
    }

    /// A polygon around each disc, of which the disc is the inscribed circle, in the frame that `pose` maps to.
    fn mesh(&self, pose: &Pose) -> Mesh {
        let reach_mm = self.radius_mm / (std::f64::consts::PI / CORNERS as f64).cos();
        let corners = |(point, normal): (&Point, &geometry::Vector)| {
            let [u, v] = transform::perpendicular_axes(normal);
            std::array::from_fn::<Point, CORNERS, _>(|i| {
                let (sin, cos) = (i as f64 * std::f64::consts::TAU / CORNERS as f64).sin_cos();
                pose * (point + (u * cos + v * sin) * reach_mm)
            })
        };
        let rings: Vec<[Point; CORNERS]> = self.points.par_iter().zip(&self.normals).map(corners).collect();
        let fan = |splat: usize| {
            let first = (splat * CORNERS) as u32;
            (1..CORNERS as u32 - 1).map(move |i| [first, first + i, first + i + 1])
        };
        let facets = (0..rings.len()).flat_map(fan).collect();
        Mesh { vertices: rings.into_flattened(), facets, ..Mesh::default() }
    }

    fn sentence(&self) -> String {
        let of = if self.points.len() < self.all { format!(" of {}", self.all) } else { String::new() };
        format!(
            "Discs of {:.3} mm radius about {}{of}: surface within that of an edge or of a gap is uncertain, and what \
             was not measured is missing.",
            self.radius_mm,
            counted(self.points.len(), "point", "points")
        )
    }
}

/// Median spacing of the points, mm.
fn spacing_mm(points: &[Point]) -> f64 {
    spacing_percentile_mm(&KdTree::new(points), points, points, 50)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offset::{self, Parameters};
    use base::random::Random;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;

    const RADIUS_MM: f64 = 30.0;

    fn sphere(count: usize) -> Cloud {
        let mut random = Random::new(4, 0);
        let point = |_| Point::from(random.rotation() * geometry::Vector::z() * RADIUS_MM);
        Cloud::from_points((0..count).map(point).collect())
    }

    fn dilated(nominal: &Nominal, distance_mm: f64) -> Result<offset::OffsetVolume> {
        let parameters = Parameters { distance_mm, resolution: 256, ..Parameters::default() };
        offset::run(&Cpu, nominal, &parameters, &Progress::silent())
    }

    #[test]
    fn points_of_a_sphere_are_dilated_to_a_shell_of_twice_the_distance() {
        let actual = Actual::in_memory("sphere.xyz", sphere(20_000));
        let surface = of_scan(&Cpu, &actual, &Pose::identity(), None, &Progress::silent()).unwrap();
        assert!(surface.is_sheet && surface.notes[0].contains("about 20000 points"), "{:?}", surface.notes);
        let made = dilated(&surface, 2.0).unwrap();
        let truth_mm3 = 4.0 / 3.0 * std::f64::consts::PI * (32.0f64.powi(3) - 28.0f64.powi(3));
        assert!((made.volume_mm3 / truth_mm3 - 1.0).abs() < 0.01, "{} of {truth_mm3} mm³", made.volume_mm3);
        for vertex in &made.mesh.vertices {
            let off_mm = ((vertex.coords.norm() - RADIUS_MM).abs() - 2.0).abs();
            assert!(off_mm < 0.15, "{off_mm} mm off");
        }
        assert!(made.sentences().iter().any(|sentence| sentence.contains("dilated")));
        for distance_mm in [0.0, -1.0] {
            let refused = dilated(&surface, distance_mm).unwrap_err().sentence;
            assert!(refused.contains("encloses nothing"), "{refused}");
        }
        assert!(surface.enclosing("A thickness map").unwrap_err().sentence.contains("A thickness map needs"));
    }

    #[test]
    fn many_points_are_thinned_and_their_discs_still_overlap() {
        let cloud = sphere(50_000);
        let splats = Splats::of(&Cpu, &cloud, None, 10_000, &Progress::silent()).unwrap();
        assert!((5_000..=10_000).contains(&splats.points.len()), "{}", splats.points.len());
        assert!(splats.sentence().contains("of 50000"), "{}", splats.sentence());
        let tree = KdTree::new(&splats.points);
        let covered = |point: &&Point| tree.nearest(point, splats.radius_mm).is_some();
        let share = cloud.points.iter().filter(covered).count() as f64 / cloud.points.len() as f64;
        assert!(share > 0.999, "{share}");
    }

    #[test]
    fn facets_of_a_scan_are_taken_as_they_are() {
        let solid = |mesh: Mesh| {
            let mut actual = Actual::in_memory("scan.stl", Cloud::from_points(mesh.vertices.clone()));
            actual.facets = Some(std::sync::Arc::new(Surface::new(mesh)));
            let moved = Pose::translation(0.0, 0.0, 7.0);
            of_scan(&Cpu, &actual, &moved, None, &Progress::silent()).unwrap()
        };
        let mut mesh = shapes::sphere(10.0, 3);
        let closed = solid(mesh.clone());
        assert!(!closed.is_sheet && (closed.surface.bounds().min.z + 3.0).abs() < 0.2, "placed by the pose");
        assert!(dilated(&closed, -1.0).is_ok());
        mesh.facets.truncate(100);
        let open = solid(mesh);
        assert!(open.is_sheet && open.notes[0].contains("both sides"));
    }

    #[test]
    fn faulty_radii_and_too_few_points_are_told() {
        let of = |count, radius_mm| {
            let actual = Actual::in_memory("scan.xyz", sphere(count));
            of_scan(&Cpu, &actual, &Pose::identity(), radius_mm, &Progress::silent()).map(|_| ())
        };
        for radius_mm in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(of(100, Some(radius_mm)).unwrap_err().sentence.contains("above 0 mm"), "{radius_mm}");
        }
        assert!(of(2, None).unwrap_err().sentence.contains("three points"));
    }
}
