//! Parallel planes on the CPU: one pass over the points; sums run in fixed chunks and are added in order.

use rayon::prelude::*;

use crate::parallel_planes::{Moments, PlaneSet, Request, sets, shift_of};
use base::{Progress, Result};
use geometry::Vector;

/// Points per chunk.
const CHUNK: usize = 8192;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<PlaneSet>> {
    let mut planes = Vec::with_capacity(request.planes.len());
    for points in request.points_by_plane() {
        progress.check()?;
        let shift = shift_of(points);
        let partial: Vec<Moments> = points.par_chunks(CHUNK).map(|chunk| sums(chunk, &shift)).collect();
        let mut total = [0.0; 10];
        for sums in partial {
            total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        planes.push((total, request.origin + shift));
    }
    Ok(sets(request, &planes))
}

fn sums(points: &[[f32; 4]], shift: &Vector) -> Moments {
    let mut sums = [0.0; 10];
    for &[x, y, z, w] in points.iter().filter(|point| point[3] != 0.0) {
        let (x, y, z) = (f64::from(x) - shift.x, f64::from(y) - shift.y, f64::from(z) - shift.z);
        let w = f64::from(w);
        let [wx, wy, wz] = [w * x, w * y, w * z];
        let terms = [w, wx, wy, wz, wx * x, wx * y, wx * z, wy * y, wy * z, wz * z];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Point;

    /// Points of four planes of `length` x `width`, 20 mm apart, with Gaussian noise of 0.02 mm along the normal, and
    /// the number of points of each plane. The second plane has none.
    fn sample(length: f64, width: f64, random: &mut Random) -> (Vec<[f32; 4]>, Vec<usize>) {
        let rotation = random.rotation();
        let planes = vec![1000, 0, 2500, 700];
        let mut points = Vec::new();
        for (level, &count) in planes.iter().enumerate() {
            for _ in 0..count {
                let point = Vector::new(
                    random.range(-0.5, 0.5) * length,
                    random.range(-0.5, 0.5) * width,
                    20.0 * level as f64 + 0.02 * random.normal(),
                );
                let point = rotation * point;
                points.push([point.x as f32, point.y as f32, point.z as f32, random.range(1.0, 2.0) as f32]);
            }
        }
        (points, planes)
    }

    /// Common normal from the singular vectors of the stacked, weighted and centred points: independent of the moments.
    fn reference(request: &Request<'_>) -> Vector {
        let mut rows = Vec::new();
        for points in request.points_by_plane() {
            let points: Vec<(Vector, f64)> = points
                .iter()
                .map(|&[x, y, z, w]| (Vector::new(f64::from(x), f64::from(y), f64::from(z)), f64::from(w)))
                .filter(|(_, w)| *w > 0.0)
                .collect();
            let weight: f64 = points.iter().map(|(_, w)| w).sum();
            let centroid = points.iter().map(|(p, w)| p * *w).sum::<Vector>() / weight;
            rows.extend(points.iter().map(|(p, w)| ((p - centroid) * w.sqrt()).transpose()));
        }
        let svd = nalgebra::DMatrix::from_rows(
            &rows.iter().map(|r| nalgebra::RowDVector::from_row_slice(r.as_slice())).collect::<Vec<_>>(),
        )
        .svd(false, true);
        let v = svd.v_t.unwrap();
        Vector::new(v[(2, 0)], v[(2, 1)], v[(2, 2)])
    }

    #[test]
    fn normals_agree_with_singular_vectors_even_on_strips() {
        let mut random = Random::new(21, 0);
        for (length, width) in [(100.0, 100.0), (50.0, 5.0), (50.0, 0.5)] {
            let (points, planes) = sample(length, width, &mut random);
            let request = Request { points: &points, origin: Point::new(1e4, 0.0, 5.0), planes: &planes, sets: &[4] };
            let set = run(&request, &Progress::silent()).unwrap().remove(0);
            let normal = set.normal.unwrap();
            assert!(normal.cross(&reference(&request)).norm() < 1e-9, "{length} x {width}");
            assert!((normal.norm() - 1.0).abs() < 1e-12 && normal[normal.iamax()] > 0.0);
            assert_eq!(set.planes.len(), 4);
            assert!(set.planes[1].centroid.x.is_nan() && set.planes[1].weight == 0.0);
            assert!((set.planes[0].centroid.x - 1e4).abs() < 60.0);
            // Noise of 0.02 mm and weights of 1.5 on average.
            let per_weight = set.moments_mm2[0] / set.planes.iter().map(|plane| plane.weight).sum::<f64>();
            assert!((per_weight.sqrt() - 0.02).abs() < 0.002, "{per_weight}");
        }
    }

    #[test]
    fn zero_weights_mask_any_coordinate_and_nan_elsewhere_gives_no_normal() {
        let mut points: Vec<[f32; 4]> = (0..400).map(|i| [(i % 20) as f32, (i / 20) as f32, 7.0, 1.0]).collect();
        points[0] = [f32::NAN, 0.0, 0.0, 0.0];
        points[5] = [3.0, 3.0, 900.0, 0.0];
        fn request(points: &[[f32; 4]]) -> Request<'_> {
            Request { points, origin: Point::origin(), planes: &[400], sets: &[1] }
        }
        let set = run(&request(&points), &Progress::silent()).unwrap().remove(0);
        assert!((set.normal.unwrap() - Vector::z()).norm() < 1e-12);
        assert!((set.planes[0].centroid.z - 7.0).abs() < 1e-12 && set.planes[0].weight == 398.0);
        points[9][1] = f32::NAN;
        assert_eq!(run(&request(&points), &Progress::silent()).unwrap()[0].normal, None);
        let nothing = Request { points: &[], origin: Point::origin(), planes: &[], sets: &[0] };
        assert_eq!(run(&nothing, &Progress::silent()).unwrap()[0].normal, None);
    }
}
