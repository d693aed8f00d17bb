//! Facet-facet matching on the processor: each facet's normal line against the scan's tree.

use rayon::prelude::*;

use super::{CHUNK, facets_along_curve};
use crate::facet_facet_matching::Request;
use crate::point_facet_matching::FacetDeviation;
use base::{Progress, Result};
use geometry::triangle;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<FacetDeviation>> {
    let facets = request.nominal.facets.len();
    let scan_from_nominal = request.nominal_from_scan.inverse();
    let least_cosine = request.max_angle_rad.cos();
    let along_curve = facets_along_curve(request.nominal);
    let counter = progress.counter(facets.div_ceil(CHUNK), "Matching facets to facets");
    let ordered: Vec<FacetDeviation> = along_curve
        .numbers
        .par_chunks(CHUNK)
        .flat_map_iter(|chunk| {
            let go_on = counter.step();
            let scan_from_nominal = &scan_from_nominal;
            chunk.iter().map(move |&facet| {
                if !go_on {
                    return FacetDeviation::default();
                }
                let corners = request.nominal.corners(facet as usize).map(|corner| scan_from_nominal * corner);
                let (centre, normal) = (triangle::centroid(&corners), triangle::normal(&corners));
                let pierced = request.scan.nearest_crossing(&centre, &normal, request.max_distance_mm, |candidate| {
                    request.scan.mesh().normal(candidate as usize).dot(&normal) > least_cosine
                });
                pierced.map_or_else(FacetDeviation::default, |hit| FacetDeviation { deviation_mm: hit.t, matches: 1 })
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
    fn the_nearest_of_several_walls_counts_and_backs_do_not() {
        // A plate 0.5 mm thick: seen from the top facet, its own top is at 0, its bottom has the opposite normal.
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
