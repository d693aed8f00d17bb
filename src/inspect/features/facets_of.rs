//! The facets of the nominal that lie on a measured surface.

use super::{Fit, Kind, Options, Shape, fit};
use base::Progress;
use geometry::{Aabb, Mesh, Pose, Subset, triangle};

/// Beyond the form error of what was measured, facets are not of it, mm.
const ROUGHLY_MM: f64 = 0.02;
/// Corners of a tessellation lie on the surface of the CAD, but for the digits of the file: mm, and a share of the extent.
const EXACTLY_MM: f64 = 0.002;
const EXACTLY: f64 = 1e-5;
/// How much nearer facets must lie to each surface that is fitted to those before.
const NEARER: f64 = 0.3;
/// How far facets lean from their surface at most: its cosine.
const UPRIGHT: f64 = 0.94;
/// How far to step off a facet to see which way its surface goes, mm.
const STEP_MM: f64 = 1e-3;

/// Those of `facets` that lie on the surface that was `measured`, scan frame, and not on the fillets and walls that go on
/// smoothly; `None` where it is no surface, or no facet lies on it.
pub fn on_surface(measured: &Fit, nominal_from_scan: &Pose, mesh: &Mesh, facets: &Subset) -> Option<Subset> {
    if matches!(measured.shape.kind(), Kind::Line | Kind::Circle) {
        return None;
    }
    let mut shape = measured.shape.moved(nominal_from_scan);
    let mut within_mm = measured.form_error_mm.max(3.0 * measured.rms_mm) + ROUGHLY_MM;
    let mut found = near(&shape, within_mm, mesh, facets);
    let exactly_mm = EXACTLY_MM + EXACTLY * Aabb::of_many(&mesh.part(&found).vertices).diagonal();
    // What the scan is near to tells the surface of the nominal, and that tells its facets, closer each time.
    while within_mm > exactly_mm && !found.is_empty() {
        let Some(nominal) = of_facets(&shape, mesh, &found) else { break };
        within_mm = (NEARER * within_mm).max(exactly_mm);
        let nearer = near(&nominal, within_mm, mesh, facets);
        if nearer.is_empty() {
            break;
        }
        (shape, found) = (nominal, nearer);
    }
    (!found.is_empty()).then_some(found)
}

/// The facets whose corners lie by the surface, and that do not stand across it as a lid does over its rim.
fn near(shape: &Shape, within_mm: f64, mesh: &Mesh, facets: &Subset) -> Subset {
    let lies_on = |facet: &u32| {
        let (corners, step) = (mesh.corners(*facet as usize), STEP_MM * mesh.normal(*facet as usize));
        let middle = triangle::centroid(&corners);
        let rise_mm = shape.distance(&(middle + step)) - shape.distance(&(middle - step));
        corners.iter().all(|corner| shape.distance(corner).abs() <= within_mm)
            && rise_mm.abs() >= 2.0 * STEP_MM * UPRIGHT
    };
    Subset::new(facets.iter().copied().filter(lies_on).collect())
}

/// The surface of some facets, each as heavy as it is large.
fn of_facets(start: &Shape, mesh: &Mesh, facets: &Subset) -> Option<Shape> {
    let (mut corners, mut weights) = (Vec::new(), Vec::new());
    for facet in facets.iter() {
        let own = mesh.corners(*facet as usize);
        let area = 0.5 * (own[1] - own[0]).cross(&(own[2] - own[0])).norm();
        corners.extend(own);
        weights.extend([area; 3]);
    }
    let options = Options { start: Some(*start), ..Options::default() };
    fit(start.kind(), &corners, &weights, &options, &Progress::silent()).ok().map(|own| own.shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Point;

    /// A block whose top goes over into a wall by a fillet of 3 mm, in steps of 3°.
    fn filleted() -> Mesh {
        let mut profile = vec![[0.0, 0.0], [40.0, 0.0], [40.0, 17.0]];
        profile.extend((1..=30).map(|i| {
            let (sin, cos) = (f64::from(i) * 3.0).to_radians().sin_cos();
            [37.0 + 3.0 * cos, 17.0 + 3.0 * sin]
        }));
        profile.push([0.0, 20.0]);
        let mut mesh = Mesh::default();
        for y in [0.0, 30.0] {
            mesh.vertices.extend(profile.iter().map(|[x, z]| Point::new(*x, y, *z)));
        }
        let count = profile.len() as u32;
        for i in 0..count {
            let next = (i + 1) % count;
            mesh.facets.extend([[i, next, count + next], [i, count + next, count + i]]);
        }
        mesh
    }

    #[test]
    fn a_plane_keeps_the_top_and_leaves_fillet_and_wall() {
        let mesh = filleted();
        let all = Subset::new((0..mesh.facets.len() as u32).collect());
        // Measured 0.05 mm too high, with a form error of 0.2 mm.
        let points: Vec<Point> = (0..600)
            .map(|i| Point::new(f64::from(i % 30) * 1.2, f64::from(i / 30) * 1.5, 20.05 + 0.1 * f64::from(i % 3 - 1)))
            .collect();
        let measured = fit(Kind::Plane, &points, &[], &Options::default(), &Progress::silent()).unwrap();
        let found = on_surface(&measured, &Pose::identity(), &mesh, &all).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|facet| mesh.normal(*facet as usize).z.abs() > 0.999_999));
    }

    /// A rod of 10 mm, its lids fans over their rims.
    fn rod() -> Mesh {
        let mut mesh = Mesh::default();
        for z in [0.0, 20.0] {
            mesh.vertices.extend((0..96).map(|i| {
                let (sin, cos) = (f64::from(i) * 3.75_f64.to_radians()).sin_cos();
                Point::new(5.0 * cos, 5.0 * sin, z)
            }));
        }
        for i in 0..96 {
            let next = (i + 1) % 96;
            mesh.facets.extend([[i, next, 96 + next], [i, 96 + next, 96 + i]]);
        }
        for i in 1..95 {
            mesh.facets.extend([[0, i + 1, i], [96, 96 + i, 97 + i]]);
        }
        mesh
    }

    #[test]
    fn a_cylinder_keeps_its_wall_and_leaves_its_lids() {
        let mesh = rod();
        let all = Subset::new((0..mesh.facets.len() as u32).collect());
        let points: Vec<Point> = (0..800)
            .map(|i| {
                let (sin, cos) = (f64::from(i) * 0.37).sin_cos();
                Point::new(5.02 * cos, 5.02 * sin, 20.0 * f64::from(i) / 800.0)
            })
            .collect();
        let measured = fit(Kind::Cylinder, &points, &[], &Options::default(), &Progress::silent()).unwrap();
        let found = on_surface(&measured, &Pose::identity(), &mesh, &all).unwrap();
        let walls = all.iter().filter(|facet| mesh.normal(**facet as usize).z.abs() < 0.5).count();
        assert_eq!(found.len(), walls);
        assert!(found.iter().all(|facet| mesh.normal(*facet as usize).z.abs() < 0.5));
    }
}
