//! Evaluation of a hole from probed points: the plane of its sheet, and the circle of its wall, projected onto that
//! plane.
//!
//! The circle is the orthogonal least-squares circle (ISO 10360-6, Gaussian associated circle; the clause was not
//! available to check against). Uncertainties are propagated from the scatter of the points; if the few points scatter
//! less than the stated standard deviation of a single one, the latter is used.

use serde::{Deserialize, Serialize};

use super::targets::Settings;
use crate::features::{self, Kind, Shape};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector, jacobi};
use io::probing_csv::{ProbeHits, ReportedPoint};
use io::probing_program::{Face, HoleGeometry, NamedHole};

/// A hole determined from probed points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbedHole {
    /// Centre in the plane of the sheet, normal of the sheet, and radius compensated for the stylus tip.
    pub place: HoleGeometry,
    /// Expanded uncertainty (k = 2) of the centre in any direction in the plane of the sheet, mm.
    pub centre_uncertainty_mm: f64,
    /// Expanded uncertainty (k = 2) of the radius, mm.
    pub radius_uncertainty_mm: f64,
    /// Standard deviation of a point used for the uncertainties, mm.
    pub sigma_mm: f64,
    /// Roundness deviation of the points on the wall: range of their distances from the centre, mm.
    pub roundness_mm: f64,
    /// Flatness deviation of the points on the sheet: range of their distances from the plane, mm.
    pub flatness_mm: f64,
    /// Mean depth of the points on the wall below the sheet, mm.
    pub depth_mm: f64,
    /// Number of points on the sheet and on the wall.
    pub touches: [usize; 2],
}

/// Minimum number of points on the sheet and on the wall.
const MIN_TOUCHES: [usize; 2] = [3, 4];
/// Number of parameters of a circle in its plane, and of a plane.
const FIT_PARAMETERS: usize = 3;
/// Minimum ratio of the two principal extents of the points on the sheet: below it they are nearly collinear.
const MIN_EXTENT_RATIO: f64 = 0.1;
/// Coverage factor of the expanded uncertainties.
const COVERAGE: f64 = 2.0;

/// Evaluates the probed points of the hole named in `expected`.
///
/// Returns an error if there are too few points, if they are nearly collinear, leave out half of the wall or more,
/// touch the rim instead of the wall, or give a centre outside the expected hole.
pub fn evaluate(
    expected: &NamedHole,
    touches: &ProbeHits,
    settings: &Settings,
    progress: &Progress,
) -> Result<ProbedHole> {
    settings.check()?;
    let refused = |why: String| Err(UserError::input(format!("Hole “{}”: {why}", expected.name)));
    let [sheet, wall] = [Face::Sheet, Face::Wall].map(|face| touches.of(&expected.name, face));
    if sheet.len() < MIN_TOUCHES[0] || wall.len() < MIN_TOUCHES[1] {
        return refused(format!(
            "{} touches of the sheet and {} of the wall came back; at least {} and {} are needed.",
            sheet.len(),
            wall.len(),
            MIN_TOUCHES[0],
            MIN_TOUCHES[1]
        ));
    }
    if !sheet.iter().chain(&wall).all(|point| point.coords.iter().all(|value| value.abs() < 1e9)) {
        return refused("a touch is not a finite point; read the results again.".to_owned());
    }
    let tip_radius_mm = match touches.reported {
        ReportedPoint::BallCentre => settings.probe_radius_mm,
        ReportedPoint::Surface => 0.0,
    };
    let Some(plane) = Plane::through(&sheet, &expected.place.axis) else {
        return refused(
            "the touches of the sheet are nearly on a line and do not determine its tilt; spread them.".to_owned(),
        );
    };
    let level = plane.centroid - plane.normal * tip_radius_mm;
    let heights: Vec<f64> = wall.iter().map(|point| (point - level).dot(&plane.normal)).collect();
    if let Some(height) = heights.iter().copied().find(|height| *height >= 0.0) {
        return refused(format!(
            "a touch of the wall is {height:.3} mm above the sheet, where the stylus tip meets the rim; probe deeper."
        ));
    }
    let flat: Vec<Point> = wall.iter().zip(&heights).map(|(point, height)| point - plane.normal * *height).collect();
    let fitted = features::fit(Kind::Circle, &flat, &[], &features::Options::default(), progress);
    let fitted = fitted.map_err(|error| error.about(&format!("Hole “{}”", expected.name)))?;
    let Shape::Circle { centre, radius, .. } = fitted.shape else {
        return Err(UserError::internal("The fit of a circle returned another shape."));
    };
    let place = HoleGeometry {
        centre: centre - plane.normal * (centre - level).dot(&plane.normal),
        axis: plane.normal,
        radius_mm: radius + tip_radius_mm,
    };
    let circle = CircleStatistics::about(&place, &flat);
    if circle.widest_gap_rad >= std::f64::consts::PI {
        return refused("the touches of the wall leave out half of it or more; probe all around.".to_owned());
    }
    let distance_mm = expected.place.lateral(&place.centre).norm();
    if distance_mm > expected.place.radius_mm {
        return refused(format!(
            "its centre is {distance_mm:.3} mm from the expected position, outside the hole; check whether results \
             were mixed up."
        ));
    }
    let freedom = wall.len() - FIT_PARAMETERS;
    let sigma_mm = (circle.squares_mm2 / freedom as f64).sqrt().max(settings.touch_sigma_mm);
    let depth_mm = -heights.iter().sum::<f64>() / heights.len() as f64;
    let sheet_sigma_mm = plane.sigma_mm.max(settings.touch_sigma_mm);
    // The wall is perpendicular to the sheet: a tilt of the plane shifts the centre by this much per mm of depth.
    let tilt_shift_mm = depth_mm * sheet_sigma_mm * plane.tilt_per_mm;
    Ok(ProbedHole {
        place,
        centre_uncertainty_mm: COVERAGE * (sigma_mm * circle.centre_factor).hypot(tilt_shift_mm),
        radius_uncertainty_mm: COVERAGE * sigma_mm * circle.radius_factor,
        sigma_mm,
        roundness_mm: circle.range_mm,
        flatness_mm: plane.range_mm,
        depth_mm,
        touches: [sheet.len(), wall.len()],
    })
}

/// Total least-squares plane through a few points.
struct Plane {
    centroid: Point,
    normal: Vector,
    /// Standard deviation of a point; 0 for three points.
    sigma_mm: f64,
    range_mm: f64,
    /// Standard deviation of the less well determined tilt, rad, for a standard deviation of the points of 1 mm.
    tilt_per_mm: f64,
}

impl Plane {
    /// Fits the plane, with its normal on the side of `upward`. `None` if the points are nearly collinear.
    fn through(points: &[Point], upward: &Vector) -> Option<Self> {
        let count = points.len() as f64;
        let first = points.first()?;
        let centroid = first + points.iter().map(|point| point - first).sum::<Vector>() / count;
        let scatter = jacobi::scatter(points.iter().map(|point| point - centroid));
        let ([_, weak, strong], [normal, _, _]) = jacobi::eigen(&scatter);
        if !(strong > 0.0 && weak > MIN_EXTENT_RATIO * MIN_EXTENT_RATIO * strong) {
            return None;
        }
        let normal = if normal.dot(upward) < 0.0 { -normal } else { normal };
        let heights: Vec<f64> = points.iter().map(|point| (point - centroid).dot(&normal)).collect();
        let squares: f64 = heights.iter().map(|height| height * height).sum();
        let freedom = points.len().saturating_sub(FIT_PARAMETERS);
        Some(Self {
            centroid,
            normal,
            sigma_mm: if freedom > 0 { (squares / freedom as f64).sqrt() } else { 0.0 },
            range_mm: range(heights.into_iter()),
            tilt_per_mm: 1.0 / weak.sqrt(),
        })
    }
}

/// Statistics of the points about a circle.
struct CircleStatistics {
    squares_mm2: f64,
    range_mm: f64,
    widest_gap_rad: f64,
    /// Maximum standard deviation of the centre, and that of the radius, for a standard deviation of the points of 1.
    centre_factor: f64,
    radius_factor: f64,
}

impl CircleStatistics {
    fn about(place: &HoleGeometry, flat: &[Point]) -> Self {
        let [u, v] = place.in_plane_axes();
        let in_plane: Vec<(f64, f64)> = flat
            .iter()
            .map(|own| {
                let offset = own - place.centre;
                (offset.dot(&u), offset.dot(&v))
            })
            .collect();
        let distances: Vec<f64> = in_plane.iter().map(|(x, y)| x.hypot(*y)).collect();
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let mut angles: Vec<f64> = in_plane.iter().map(|(x, y)| y.atan2(*x)).collect();
        angles.sort_by(f64::total_cmp);
        let closing_gap = std::f64::consts::TAU + angles.first().unwrap_or(&0.0) - angles.last().unwrap_or(&0.0);
        // Derivatives of a distance by the centre and the radius: -cos, -sin, -1.
        let mut information = nalgebra::Matrix3::zeros();
        for angle in &angles {
            let row = Vector::new(angle.cos(), angle.sin(), 1.0);
            information += row * row.transpose();
        }
        let covariance = information.try_inverse().unwrap_or_else(|| nalgebra::Matrix3::repeat(f64::INFINITY));
        let (xx, xy, yy) = (covariance[(0, 0)], covariance[(0, 1)], covariance[(1, 1)]);
        let largest = 0.5 * (xx + yy) + (0.5 * (xx - yy)).hypot(xy);
        Self {
            squares_mm2: distances.iter().map(|own| (own - mean).powi(2)).sum(),
            range_mm: range(distances.into_iter()),
            widest_gap_rad: angles.windows(2).map(|pair| pair[1] - pair[0]).fold(closing_gap, f64::max),
            centre_factor: largest.sqrt(),
            radius_factor: covariance[(2, 2)].sqrt(),
        }
    }
}

fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(own), high.max(own)));
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use io::probing_csv::ProbeHit;

    fn truth() -> NamedHole {
        let axis = Vector::new(0.1, -0.2, 1.0).normalize();
        NamedHole {
            name: "1".into(),
            place: HoleGeometry { centre: Point::new(112.0, -57.0, 3.0), axis, radius_mm: 4.957 },
        }
    }

    /// Centres of a tip of radius 1 in contact with an ideal sheet and wall, each displaced along the approach by a
    /// normal random value.
    fn touches(count: [usize; 2], sigma_mm: f64, random: &mut Random) -> ProbeHits {
        let place = truth().place;
        let [u, v] = place.in_plane_axes();
        let direction = |i: usize, count: usize| {
            let (sin, cos) = (std::f64::consts::TAU * (i as f64 + 0.3) / count as f64).sin_cos();
            u * cos + v * sin
        };
        let mut touched = Vec::new();
        for i in 0..count[0] {
            let place = place.centre + direction(i, count[0]) * 8.0 + place.axis * (1.0 + sigma_mm * random.normal());
            touched.push(ProbeHit { hole: "1".into(), face: Face::Sheet, place });
        }
        for i in 0..count[1] {
            let outward = direction(i, count[1]) * (place.radius_mm - 1.0 + sigma_mm * random.normal());
            touched.push(ProbeHit {
                hole: "1".into(),
                face: Face::Wall,
                place: place.centre - place.axis * 0.5 + outward,
            });
        }
        ProbeHits { reported: ReportedPoint::BallCentre, touched }
    }

    #[test]
    fn ideal_touches_give_the_hole_back() {
        let mut random = Random::new(1, 1);
        for count in [[3, 4], [3, 7], [6, 12]] {
            let mut touches = touches(count, 0.0, &mut random);
            let found = evaluate(&truth(), &touches, &Settings::default(), &Progress::silent()).unwrap();
            assert!((found.place.centre - truth().place.centre).norm() < 1e-9);
            assert!((found.place.axis - truth().place.axis).norm() < 1e-9);
            assert!((found.place.radius_mm - 4.957).abs() < 1e-9);
            assert!((found.depth_mm - 0.5).abs() < 1e-9 && found.roundness_mm < 1e-9 && found.flatness_mm < 1e-9);
            assert_eq!((found.touches, found.sigma_mm), (count, 0.001));
            // Radius compensation by the CMM.
            for touched in &mut touches.touched {
                let own = truth().place;
                let lateral = own.lateral(&touched.place).normalize();
                touched.place += if touched.face == Face::Sheet { -own.axis } else { lateral };
            }
            touches.reported = ReportedPoint::Surface;
            let again = evaluate(&truth(), &touches, &Settings::default(), &Progress::silent()).unwrap();
            assert!((again.place.centre - found.place.centre).norm() < 1e-9);
            assert!((again.place.radius_mm - found.place.radius_mm).abs() < 1e-9);
        }
    }

    /// The stated intervals (k = 2) contain the truth in about 95 % of all cases if the stated scatter is the true one.
    #[test]
    fn uncertainties_cover_the_truth() {
        let mut random = Random::new(2, 1);
        let settings = Settings { touch_sigma_mm: 0.002, ..Settings::default() };
        let (mut in_x, mut in_radius, runs) = (0, 0, 400);
        for _ in 0..runs {
            let touches = touches([3, 7], 0.002, &mut random);
            let found = evaluate(&truth(), &touches, &settings, &Progress::silent()).unwrap();
            let own = truth().place;
            in_x += usize::from(
                own.lateral(&found.place.centre).dot(&own.in_plane_axes()[0]).abs() < found.centre_uncertainty_mm,
            );
            in_radius += usize::from((found.place.radius_mm - own.radius_mm).abs() < found.radius_uncertainty_mm);
            assert!(found.centre_uncertainty_mm < 0.01 && found.radius_uncertainty_mm < 0.005);
        }
        println!("covered: middle {in_x}, radius {in_radius} of {runs}");
        assert!((370..=400).contains(&in_x) && (370..=400).contains(&in_radius), "{in_x} {in_radius}");
    }

    #[test]
    fn insufficient_touches_are_refused() {
        let mut random = Random::new(3, 1);
        let whole = touches([3, 7], 0.0, &mut random);
        let why = |change: &dyn Fn(&mut ProbeHits)| {
            let mut own = whole.clone();
            change(&mut own);
            evaluate(&truth(), &own, &Settings::default(), &Progress::silent()).unwrap_err().sentence
        };
        assert!(why(&|own| own.touched.truncate(6)).contains("3 touches of the sheet and 3 of the wall"));
        assert!(why(&|own| own.touched.iter_mut().for_each(|t| t.hole = "2".into())).contains("0 touches"));
        assert!(why(&|own| own.touched[1].place = own.touched[0].place).contains("nearly on a line"));
        assert!(why(&|own| own.touched[5].place.x = f64::NAN).contains("not a finite point"));
        assert!(why(&|own| own.touched[5].place += truth().place.axis).contains("meets the rim"));
        assert!(why(&|own| own.touched.iter_mut().for_each(|t| t.place.x += 9.0)).contains("mixed up"));
        let half = |own: &mut ProbeHits| {
            let centre = truth().place.centre;
            own.touched.retain(|t| t.face == Face::Sheet || t.place.x > centre.x - 1.2);
        };
        assert!(why(&half).contains("half of it"), "{}", why(&half));
        let same = |own: &mut ProbeHits| {
            let place = own.touched[4].place;
            own.touched.iter_mut().filter(|t| t.face == Face::Wall).for_each(|t| t.place = place);
        };
        assert!(why(&same).starts_with("Hole “1”"), "{}", why(&same));
        let wrong = Settings { probe_radius_mm: f64::NAN, ..Settings::default() };
        assert!(evaluate(&truth(), &whole, &wrong, &Progress::silent()).is_err());
    }
}
