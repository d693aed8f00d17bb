//! Facet-facet matching on the CPU: intersects each facet's normal line with the tree of the scan.

use rayon::prelude::*;

use super::CHUNK;
use crate::facet_facet_matching::Request;
use crate::point_facet_matching::FacetDeviation;
use base::{Progress, Result};
use geometry::triangle;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<FacetDeviation>> {
    let facets = request.nominal.facets.len();
    let scan_from_nominal = request.nominal_from_scan.inverse();
    let min_cosine = request.max_angle_rad.cos();
    let along_curve = request.nominal.facets_along_curve();
    let counter = progress.counter(facets.div_ceil(CHUNK), "Matching facets to facets");
    let ordered: Vec<FacetDeviation> = along_curve
        .numbers
        .par_chunks(CHUNK)
        .flat_map_iter(|chunk| {
            let is_running = counter.step();
            let scan_from_nominal = &scan_from_nominal;
            chunk.iter().map(move |&facet| {
                if !is_running {
                    return FacetDeviation::default();
                }
                let corners = request.nominal.corners(facet as usize).map(|corner| scan_from_nominal * corner);
                let (centroid, normal) = (triangle::centroid(&corners), triangle::normal(&corners));
                let crossing =
                    request.scan.nearest_crossing(&centroid, &normal, request.max_distance_mm, |candidate| {
                        request.scan.mesh().normal(candidate as usize).dot(&normal) > min_cosine
                    });
                crossing.map_or_else(FacetDeviation::default, |hit| FacetDeviation { deviation_mm: hit.t, matches: 1 })
            })
        })
        .collect();
    progress.check()?;
    Ok(along_curve.scatter(&ordered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Point, Pose, Surface, mesh::shapes, refine};

    #[test]
    fn an_inflated_sphere_deviates_by_its_growth_everywhere() {
        let nominal = shapes::sphere(30.0, 4);
        let mut grown = nominal.clone();
        grown.vertices.iter_mut().for_each(|vertex| vertex.coords *= 30.2 / 30.0);
        let scan = Surface::new(grown);
        let request = Request {
            nominal: &nominal,
            scan: &scan,
            nominal_from_scan: &Pose::identity(),
            max_distance_mm: 1.0,
            max_angle_rad: std::f64::consts::FRAC_PI_2,
        };
        for answer in run(&request, &Progress::silent()).unwrap() {
            let deviation = answer.value().unwrap();
            assert!((deviation - 0.2).abs() < 2e-3, "{deviation}");
        }
    }

    #[test]
    fn the_nearest_wall_with_the_same_orientation_is_matched() {
        // A plate 0.5 mm thick: the top face of the scan lies 0.2 mm above that of the nominal, and its bottom face,
        // whose normal is opposed, is closer than 1 mm as well.
        let plate = shapes::cuboid(Point::origin(), Point::new(10.0, 10.0, 0.5));
        let (nominal, _) = refine::to_max_edge(&plate, 3.0, &Progress::silent()).unwrap();
        let scan = Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.1), Point::new(10.0, 10.0, 0.7)));
        let request = Request {
            nominal: &nominal,
            scan: &scan,
            nominal_from_scan: &Pose::identity(),
            max_distance_mm: 1.0,
            max_angle_rad: std::f64::consts::FRAC_PI_2,
        };
        for (facet, answer) in run(&request, &Progress::silent()).unwrap().iter().enumerate() {
            let z = nominal.normal(facet).z;
            if z.abs() > 0.5 {
                let expected = if z > 0.0 { 0.2 } else { -0.1 };
                assert!((answer.value().unwrap() - expected).abs() < 1e-12);
            }
        }
    }
}
