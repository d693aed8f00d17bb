//! What a scan shows in the plane of a section.
//!
//! A scan seldom has points exactly in a plane. Those in a thin slab about it are compared with the nominal in space, and
//! each is brought into the plane along the nominal's surface: where the nominal moves by h along the normal of the
//! plane, its foot moves tangentially, and its deviation d becomes d / sin φ, φ being the angle between the normals of
//! surface and plane. So the curvature and the slope of the nominal within the slab do not appear as deviations. Where it
//! lies in the plane is where its way from the nominal leads, which beyond an edge is not along a normal: what stands over
//! an edge stays there, and is not taken for a point of one of its faces.

use serde::Serialize;

use super::contour::{Contour, ContourSearch, Foot};
use super::plane::{PlanePoint, SectionPlane};
use crate::parts::{Actual, Nominal};
use base::{Progress, Result};
use compute::point_deviation::{MatchState, Request};
use compute::{Backend, Compute as _};
use geometry::{OrderedPoints, Point, Pose, Vector, triangle};

/// Below this angle between the normals of surface and plane, rad, a surface is not measured in the plane: it runs
/// along it.
const MIN_ANGLE_RAD: f64 = 20.0 * std::f64::consts::PI / 180.0;

/// A scan, where it lies, and how far from the nominal its points may be.
pub struct Scan<'a> {
    /// The scan.
    pub actual: &'a Actual,
    /// Transforms it into the nominal frame.
    pub nominal_from_scan: Pose,
    /// Half the thickness of the slab about the plane, mm.
    pub half_width_mm: f64,
    /// Maximum distance from the nominal, mm.
    pub max_distance_mm: f64,
}

/// A scan point brought into the plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeasuredPoint {
    /// Where it lies, mm.
    pub at: PlanePoint,
    /// Deviation in the plane, mm, positive outside.
    pub deviation_mm: f64,
    /// Number of the contour that it belongs to.
    pub contour: u32,
    /// Distance along that contour, mm.
    pub along_mm: f64,
}

/// Scan points of one plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// The points, along the contours.
    pub points: Vec<MeasuredPoint>,
    /// Number of points in the slab that are farther from the nominal than the maximum distance.
    pub too_far: usize,
    /// Number of points on surfaces that run along the plane or do not reach it.
    pub along_plane: usize,
}

/// The points of `scan` at `plane`, whose contours are `contours`.
pub fn measure(
    backend: &dyn Backend,
    nominal: &Nominal,
    scan: &Scan<'_>,
    (plane, contours): (&SectionPlane, &[Contour]),
    progress: &Progress,
) -> Result<Measured> {
    let prepared = &scan.actual.prepared;
    let is_near = |point: &Point| {
        // NaN is refused too.
        plane.height_mm(&(scan.nominal_from_scan * point)).abs() <= scan.half_width_mm
    };
    let (points, numbers): (Vec<Point>, Vec<u32>) = {
        let all = prepared.ordered.points.iter().zip(&prepared.ordered.numbers);
        all.filter(|(point, _)| is_near(point)).map(|(point, number)| (*point, *number)).unzip()
    };
    let normals: Vec<Vector> = match prepared.normals.as_slice() {
        [] => Vec::new(),
        all => numbers.iter().map(|number| all[*number as usize]).collect(),
    };
    // They stay in their order along the curve.
    let ordered = OrderedPoints { numbers: (0..points.len() as u32).collect(), points };
    let request = Request {
        surface: &nominal.surface,
        points: &ordered,
        normals: &normals,
        oriented: prepared.oriented,
        nominal_from_scan: &scan.nominal_from_scan,
        max_distance_mm: scan.max_distance_mm,
        max_angle_rad: std::f64::consts::FRAC_PI_2,
    };
    let deviations = backend.compute(&request, progress)?;
    let search = ContourSearch::new(contours);
    let mut measured = Measured::default();
    for (point, deviation) in ordered.points.iter().zip(&deviations) {
        match deviation.state {
            MatchState::Matched => {}
            MatchState::TooFar => {
                measured.too_far += 1;
                continue;
            }
            MatchState::WrongAngle | MatchState::BeyondRim => {
                measured.along_plane += 1;
                continue;
            }
        }
        let point = scan.nominal_from_scan * point;
        match in_plane(nominal, plane, &search, &point, deviation.facet, deviation.deviation_mm, scan.half_width_mm) {
            Some((foot, at, deviation_mm)) => {
                let (contour, along_mm) = (foot.contour, foot.along_mm);
                measured.points.push(MeasuredPoint { at, deviation_mm, contour, along_mm });
            }
            None => measured.along_plane += 1,
        }
    }
    measured.points.sort_by(|a, b| a.contour.cmp(&b.contour).then(a.along_mm.total_cmp(&b.along_mm)));
    Ok(measured)
}

/// The position on a contour that a point belongs to, where the point itself then lies in the plane, and its deviation, mm;
/// `None` if the surface does not cross the plane near it.
fn in_plane(
    nominal: &Nominal,
    plane: &SectionPlane,
    search: &ContourSearch<'_>,
    point: &Point,
    facet: u32,
    deviation_mm: f64,
    half_width_mm: f64,
) -> Option<(Foot, PlanePoint, f64)> {
    let surface = &nominal.surface;
    let (closest, feature) = triangle::closest_point(point, &surface.mesh().corners(facet as usize));
    let normal = surface.pseudo_normal(facet, feature).try_normalize(0.0)?;
    let along = normal.dot(&plane.normal);
    let sine_squared = 1.0 - along * along;
    if sine_squared < MIN_ANGLE_RAD.sin().powi(2) {
        return None;
    }
    let height_mm = plane.height_mm(&closest);
    let tangent = (plane.normal - normal * along) / sine_squared;
    let foot = plane.inward(&(closest - tangent * height_mm));
    let facing = plane.turned_inward(&normal);
    let (foot, _) = search.nearest(foot, facing, half_width_mm)?;
    // The angle in the plane itself: that at the point is of another height.
    let way = point - closest;
    let way = plane.turned_inward(&(way - tangent * way.dot(&plane.normal)));
    let at = [0, 1].map(|axis| foot.at[axis] + way[axis]);
    (foot.sine >= MIN_ANGLE_RAD.sin()).then(|| (foot, at, deviation_mm / foot.sine))
}
