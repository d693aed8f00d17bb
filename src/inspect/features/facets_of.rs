//! Facets of the nominal mesh that belong to a measured surface.

use super::{Fit, Kind, Options, Shape, fit};
use base::Progress;
use geometry::{Aabb, Mesh, Pose, Subset, triangle};

/// Added to the form error of the measured surface for the first selection of facets, mm.
const FORM_ERROR_MARGIN_MM: f64 = 0.02;
/// Maximum distance of a tessellation's vertices from the CAD surface: mm, plus a share of the extent for files with
/// few digits.
const EXACT_TOLERANCE_MM: f64 = 0.002;
const EXACT_RELATIVE_TOLERANCE: f64 = 1e-5;
/// Factor by which the distance limit shrinks with each refit.
const SHRINK_FACTOR: f64 = 0.3;
/// Minimum cosine of the angle between a facet's normal and that of the surface.
const MIN_COSINE: f64 = 0.94;
/// Step off a facet for the numerical derivative of the distance to the surface, mm.
const STEP_MM: f64 = 1e-3;

/// Returns those of `facets` that lie on the `measured` surface (scan frame), without adjacent fillets and walls that
/// continue it tangentially; `None` for lines and circles, and if no facet lies on the surface.
pub fn on_surface(measured: &Fit, nominal_from_scan: &Pose, mesh: &Mesh, facets: &Subset) -> Option<Subset> {
    if matches!(measured.shape.kind(), Kind::Line | Kind::Circle) {
        return None;
    }
    let mut shape = measured.shape.moved(nominal_from_scan);
    let mut within_mm = measured.form_error_mm.max(3.0 * measured.rms_mm) + FORM_ERROR_MARGIN_MM;
    let mut found = facets_near(&shape, within_mm, mesh, facets);
    let exact_mm = EXACT_TOLERANCE_MM
        + EXACT_RELATIVE_TOLERANCE * Aabb::of_points_parallel(&mesh.part(&found).vertices).diagonal();
    // The facets near the measured surface determine the nominal one, which selects the facets more tightly each time.
    while within_mm > exact_mm && !found.is_empty() {
        let Some(nominal) = fit_to_facets(&shape, mesh, &found) else { break };
        within_mm = (SHRINK_FACTOR * within_mm).max(exact_mm);
        let closer = facets_near(&nominal, within_mm, mesh, facets);
        if closer.is_empty() {
            break;
        }
        (shape, found) = (nominal, closer);
    }
    (!found.is_empty()).then_some(found)
}

/// The facets whose vertices lie within `within_mm` of the surface and whose normals agree with it: the cap over a rim
/// has vertices on the surface, too.
fn facets_near(shape: &Shape, within_mm: f64, mesh: &Mesh, facets: &Subset) -> Subset {
    let lies_on = |facet: &u32| {
        let (corners, step) = (mesh.corners(*facet as usize), STEP_MM * mesh.normal(*facet as usize));
        let centroid = triangle::centroid(&corners);
        let rise_mm = shape.distance(&(centroid + step)) - shape.distance(&(centroid - step));
        corners.iter().all(|corner| shape.distance(corner).abs() <= within_mm)
            && rise_mm.abs() >= 2.0 * STEP_MM * MIN_COSINE
    };
    Subset::new(facets.iter().copied().filter(lies_on).collect())
}

/// Fits a surface to the facets' vertices, weighted by facet area.
fn fit_to_facets(start: &Shape, mesh: &Mesh, facets: &Subset) -> Option<Shape> {
    let (mut corners, mut weights) = (Vec::new(), Vec::new());
    for facet in facets.iter() {
        let corners_of_facet = mesh.corners(*facet as usize);
        let area = 0.5
            * (corners_of_facet[1] - corners_of_facet[0]).cross(&(corners_of_facet[2] - corners_of_facet[0])).norm();
        corners.extend(corners_of_facet);
        weights.extend([area; 3]);
    }
    let options = Options { start: Some(*start), ..Options::default() };
    fit(start.kind(), &corners, &weights, &options, &Progress::silent()).ok().map(|fitted| fitted.shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Point;

    /// A block, 20 mm high, whose top meets a wall in a fillet of 3 mm radius, in steps of 3°.
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
    fn a_plane_selects_the_top_without_fillet_and_wall() {
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

    /// A cylinder of 10 mm diameter whose caps are triangle fans over the rims.
    fn capped_cylinder() -> Mesh {
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
    fn a_cylinder_selects_its_wall_without_the_caps() {
        let mesh = capped_cylinder();
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
