//! Fast point feature histograms (Rusu, Blodow and Beetz, "Fast point feature histograms (FPFH) for 3D registration", ICRA
//! 2009).

use std::f64::consts::PI;

use rayon::prelude::*;

use super::super::Vector;
use super::super::point_pairs::OrientedPoint;

/// Bins of each of three angles.
const BINS: usize = 11;
/// Values of a descriptor.
pub const LENGTH: usize = 3 * BINS;
/// Least distance of a neighbour by which its histogram is weighted, as a share of the radius.
const MIN_DISTANCE: f64 = 0.05;

/// Three histograms of angles between a normal and those around, each with the sum 100.
pub type Descriptor = [f32; LENGTH];

/// Squared distance of two descriptors; its sum runs in the order of the values, as on every device.
#[inline]
pub fn squared_distance(a: &Descriptor, b: &Descriptor) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        let apart = a - b;
        sum += apart * apart;
    }
    sum
}

/// The descriptor of each point from its neighbours, all within `radius_mm` of it. Distances are in units of it, so that a
/// descriptor is the same in any unit of length. All values are 0 without neighbours.
pub fn of_points(points: &[OrientedPoint], neighbours: &[Vec<u32>], radius_mm: f64) -> Vec<Descriptor> {
    let simple = |(own, near): (&OrientedPoint, &Vec<u32>)| {
        let mut histogram = [0.0; LENGTH];
        let others = near.iter().filter_map(|&index| points.get(index as usize));
        for bins in others.filter_map(|other| bins(own, other)) {
            (0..).zip(bins).for_each(|(angle, bin)| histogram[angle * BINS + bin] += 1.0);
        }
        normalised(histogram)
    };
    let simple: Vec<[f64; LENGTH]> = points.par_iter().zip(neighbours).map(simple).collect();
    let weighted = |(index, (own, near)): (usize, (&OrientedPoint, &Vec<u32>))| {
        let mut histogram = simple[index];
        for &other in near {
            let distance = (points[other as usize].point - own.point).norm() / radius_mm;
            let weight = 1.0 / (near.len() as f64 * distance.max(MIN_DISTANCE));
            histogram.iter_mut().zip(&simple[other as usize]).for_each(|(own, other)| *own += weight * other);
        }
        normalised(histogram).map(|own| own as f32)
    };
    points.par_iter().zip(neighbours).enumerate().map(weighted).collect()
}

/// Bins of the three angles between two points; `None` if the line between them is along the normal of the first.
fn bins(own: &OrientedPoint, other: &OrientedPoint) -> Option<[usize; 3]> {
    let line = (other.point - own.point).normalize();
    let u: Vector = own.normal;
    let v = u.cross(&line).try_normalize(1e-12)?;
    let w = u.cross(&v);
    let theta = w.dot(&other.normal).atan2(u.dot(&other.normal));
    let bin = |share: f64| ((share * BINS as f64) as usize).min(BINS - 1);
    Some([bin(0.5 + 0.5 * v.dot(&other.normal)), bin(0.5 + 0.5 * u.dot(&line)), bin(0.5 + 0.5 * theta / PI)])
}

/// Each of the three histograms with the sum 100, or empty.
fn normalised(mut histogram: [f64; LENGTH]) -> [f64; LENGTH] {
    for own in histogram.as_chunks_mut::<BINS>().0 {
        let sum: f64 = own.iter().sum();
        if sum > 0.0 {
            own.iter_mut().for_each(|value| *value *= 100.0 / sum);
        }
    }
    histogram
}
