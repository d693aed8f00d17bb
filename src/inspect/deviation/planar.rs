//! Deviations within planes, for all points, in place of those from the closest point of the nominal.
//!
//! A point is measured to the closest point of the nominal in the plane through it that is perpendicular to the direction.
//! How far that can be follows from the closest point: on a surface whose normal has a sine s with the direction, it is as
//! far as the closest point divided by s. What is farther away are other faces, and nothing is measured where the surface
//! runs nearly in the plane.

use super::directional::{MARGIN_MM, MIN_COSINE, Request};
use compute::point_deviation::{MAX_RIM_TILT_RAD, MatchState, PointDeviation};
use geometry::surface::PlanarHit;
use geometry::{Point, Vector};

impl Request<'_> {
    /// The deviation of `point`, nominal frame, whose closest point is known.
    pub(super) fn within_plane(&self, closest: &PointDeviation, point: &Point) -> PointDeviation {
        let without_data = PointDeviation { state: MatchState::WrongAngle, ..*closest };
        let sine_here = self.sine(closest.facet);
        if sine_here < MIN_COSINE {
            return without_data;
        }
        // Farther away it would be another face; twice as far where this one is curved.
        let reach_mm = 2.0 * closest.deviation_mm.abs() / sine_here + MARGIN_MM;
        let has_side = closest.deviation_mm.abs() > MARGIN_MM;
        let is_own_side = |hit: &PlanarHit| !has_side || self.is_outside(point, hit) == (closest.deviation_mm > 0.0);
        let nearest = |normal: &Vector| self.surface.closest_in_plane(point, normal, reach_mm, is_own_side);
        // Of a face that ends in the plane, the corners count as above it: seen from the other side it is cut.
        let Some(hit) = nearest(&self.direction).or_else(|| nearest(&-self.direction)) else { return without_data };
        let across = self.surface.facet_across(&hit).map_or(0.0, |facet| self.sine(facet));
        let state = if self.sine(hit.facet).max(across) < MIN_COSINE {
            MatchState::WrongAngle
        } else if self.is_beyond_rim(point, &hit) {
            MatchState::BeyondRim
        } else if hit.distance_mm > self.max_distance_mm {
            MatchState::TooFar
        } else {
            MatchState::Matched
        };
        let deviation_mm = if self.is_outside(point, &hit) { hit.distance_mm } else { -hit.distance_mm };
        PointDeviation { deviation_mm, facet: hit.facet, state }
    }

    /// Cosine of the angle between the plane and the normal of a facet.
    fn sine(&self, facet: u32) -> f64 {
        self.surface.mesh().normal(facet as usize).cross(&self.direction).norm()
    }

    fn is_outside(&self, point: &Point, hit: &PlanarHit) -> bool {
        self.surface.normal_in_plane(hit, &self.direction).dot(&(point - hit.point)) >= 0.0
    }

    /// Whether the point lies beyond an open rim, in the plane, as closest points do.
    fn is_beyond_rim(&self, point: &Point, hit: &PlanarHit) -> bool {
        let (normal, offset) = (self.surface.normal_in_plane(hit, &self.direction), point - hit.point);
        let tilt_rad = normal.cross(&offset).norm().atan2(normal.dot(&offset).abs());
        self.surface.is_on_rim(hit) && hit.distance_mm > MARGIN_MM && tilt_rad > MAX_RIM_TILT_RAD
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Compared};
    use super::super::directional::tests::{above, check_of, sloped, states};
    use super::super::{Parameters, Verdict, measure};
    use super::*;
    use crate::parts::{Actual, Nominal};
    use base::Progress;
    use base::random::Random;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Cloud, Pose, Surface};

    fn across(direction: [f64; 3]) -> Parameters {
        Parameters { direction: Some(direction), in_plane: true, ..Parameters::default() }
    }

    /// The deviation of each point.
    fn measured(surface: &Surface, points: &[Point], parameters: &Parameters) -> Vec<PointDeviation> {
        let actual = Actual::in_memory("scan", Cloud::from_points(points.to_vec()));
        let (pose, silent) = (Pose::identity(), Progress::silent());
        measure(&Cpu, surface, &actual.scan(), &pose, parameters, &silent).unwrap().compared().to_vec()
    }

    /// About z, 30 mm high, with 48 flat faces; the radii are those of the edges at the bottom and at the top, mm.
    fn cone(bottom_mm: f64, top_mm: f64) -> Surface {
        Surface::new(shapes::grid(1, 48, false, |u, v| {
            let (height, angle) = (1.0 - u, v * std::f64::consts::TAU);
            let radius_mm = bottom_mm + (top_mm - bottom_mm) * height;
            Point::new(radius_mm * angle.cos(), radius_mm * angle.sin(), 30.0 * height)
        }))
    }

    #[test]
    fn on_a_sloped_plane_the_deviation_is_the_distance_divided_by_the_sine() {
        let slope_rad = 0.5_f64;
        let (nominal, normal) = sloped(slope_rad);
        for height_mm in [0.2, -0.2, 0.0] {
            for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, -2.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 3.0, 2.0]] {
                let sine = normal.cross(&Vector::from(direction)).norm() / Vector::from(direction).norm();
                let check = check_of(&nominal, above(slope_rad, height_mm), &across(direction));
                let values: Vec<f64> = check.measurement.map().values().flatten().collect();
                assert_eq!(values.len(), 400, "{direction:?}: {:?}", check.excluded);
                let expected_mm = height_mm / sine;
                for mm in values {
                    assert!((mm - expected_mm).abs() < 1e-9, "{direction:?} at {height_mm}: {mm}, not {expected_mm}");
                }
            }
        }
        // 0.09 along the normal is in tolerance, and 0.188 in the plane is not.
        let check = check_of(&nominal, above(slope_rad, 0.09), &across([0.0, 0.0, 1.0]));
        assert_eq!((check.verdict(), check.regions.len()), (Verdict::Fail, 1), "{:?}", check.judgement);
        assert!(check.judgement.remarks.contains(&"Deviations are measured perpendicular to Z.".to_owned()));
    }

    #[test]
    fn within_planes_perpendicular_to_its_axis_a_cylinder_is_measured_to_the_closest_points() {
        let cylinder = cone(12.0, 12.0);
        let mut random = Random::new(4, 0);
        // Some at its very ends, which planes touch from one side only.
        let heights_mm = [0.0, 30.0].into_iter().cycle().take(40);
        let heights_mm: Vec<f64> = heights_mm.chain((0..2000).map(|i| 2.0 + 0.013 * f64::from(i))).collect();
        let points: Vec<Point> = heights_mm
            .into_iter()
            .map(|z| (random.range(0.0, 7.0), random.range(11.0, 13.0), z))
            .map(|(angle, radius_mm, z): (f64, f64, f64)| {
                Point::new(radius_mm * angle.cos(), radius_mm * angle.sin(), z)
            })
            .collect();
        let closest = measured(&cylinder, &points, &Parameters::default());
        let within = measured(&cylinder, &points, &across([0.0, 0.0, 1.0]));
        for ((own, closest), point) in within.iter().zip(&closest).zip(&points) {
            assert_eq!(own.state, MatchState::Matched);
            assert!((own.deviation_mm - closest.deviation_mm).abs() < 1e-9, "{own:?} {closest:?} at {point}");
        }
    }

    #[test]
    fn a_cone_is_measured_across_its_axis_on_both_sides() {
        let (bottom_mm, top_mm, half_rad) = (20.0, 5.0, std::f64::consts::PI / 48.0);
        let surface = cone(bottom_mm, top_mm);
        // Its flat faces lean by less than its edges.
        let lean_rad = (0.5 * half_rad.cos()).atan();
        for (index, beside_mm) in [0.3, -0.3, 1.2, -0.01].into_iter().enumerate() {
            let z = 7.3 + 4.0 * index as f64;
            let flat_mm = (bottom_mm + (top_mm - bottom_mm) * z / 30.0) * half_rad.cos();
            let points: Vec<Point> = (0..48)
                .map(|face| half_rad * f64::from(2 * face + 1))
                .map(|angle| Vector::new(angle.cos(), angle.sin(), 0.0) * (flat_mm + beside_mm))
                .map(|own| Point::new(own.x, own.y, z))
                .collect();
            let expected = [(across([0.0, 0.0, 1.0]), beside_mm), (Parameters::default(), beside_mm * lean_rad.cos())];
            for (parameters, expected_mm) in expected {
                for own in measured(&surface, &points, &parameters) {
                    assert!(
                        own.value().is_some_and(|mm| (mm - expected_mm).abs() < 1e-9),
                        "{own:?}, not {expected_mm}"
                    );
                }
            }
        }
    }

    #[test]
    fn faces_in_the_plane_and_what_lies_beyond_an_edge_are_not_measured_to_the_flange_below() {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 2.0), Point::new(30.0, 20.0, 15.0));
        mesh.append(&shapes::cuboid(Point::new(-10.0, -10.0, 0.0), Point::new(40.0, 30.0, 5.0)));
        let surface = Surface::new(mesh);
        let grid = |x: f64, z: f64| (0..50).map(move |i| Point::new(x, 0.3 + 0.38 * f64::from(i), z));
        let says = |points: Vec<Point>, direction: [f64; 3], expected: Option<f64>| {
            for own in measured(&surface, &points, &across(direction)) {
                let is_so = match (own.value(), expected) {
                    (Some(mm), Some(expected_mm)) => (mm - expected_mm).abs() < 1e-9,
                    (value, None) => value.is_none() && own.state == MatchState::WrongAngle,
                    _ => false,
                };
                assert!(is_so, "{direction:?}: {own:?}, not {expected:?}");
            }
        };
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let side: Vec<Point> = (6..15).flat_map(|at| grid(30.02, f64::from(at))).collect();
        says(side.clone(), z, Some(0.02));
        says(side.clone(), y, Some(0.02));
        says(side, x, None);
        let top: Vec<Point> = (1..29).flat_map(|at| grid(f64::from(at), 14.98)).collect();
        says(top.clone(), x, Some(-0.02));
        says(top.clone(), y, Some(-0.02));
        says(top, z, None);
        // Beyond the edge at the top: planes parallel to the side meet the flange alone.
        says(grid(30.02, 15.01).collect(), x, None);
        says(grid(30.02, 15.01).collect(), z, None);
        says(grid(30.03, 15.04).collect(), y, Some(0.05));
        // On the flange beside the block, and where the block rises from it.
        says(grid(33.0, 5.02).collect(), x, Some(0.02));
        says(grid(33.0, 5.02).collect(), z, None);
        says(grid(30.5, 5.3).collect(), y, Some(0.3));
    }

    #[test]
    fn slopes_near_the_plane_are_not_measured_nor_what_lies_beyond_a_rim_in_it() {
        for (slope_rad, state) in [(0.11, MatchState::Matched), (0.09, MatchState::WrongAngle)] {
            let found = measured(&sloped(slope_rad).0.surface, &above(slope_rad, 0.01), &across([0.0, 0.0, 1.0]));
            assert!(found.iter().all(|own| own.state == state), "{slope_rad}");
        }
        // In the plane, the foot of the second point lies beyond the border, though the closest point does not.
        let points = [Point::new(15.0, 0.0, 0.2), Point::new(19.95, 0.0, 0.2)];
        let found = measured(&sloped(0.0).0.surface, &points, &across([1.0, 1.0, 3.0]));
        assert!((found[0].deviation_mm - 0.2 * (11.0_f64 / 2.0).sqrt()).abs() < 1e-9, "{found:?}");
        assert_eq!([found[0].state, found[1].state], [MatchState::Matched, MatchState::BeyondRim]);
    }

    #[test]
    fn what_lies_beyond_the_maximum_distance_in_the_plane_is_judged_all_the_same() {
        // 1.5 mm along the normal, 3 mm across z.
        let slope_rad = std::f64::consts::FRAC_PI_6;
        let nominal: Nominal = sloped(slope_rad).0;
        let mut points = above(slope_rad, 0.0);
        points.iter_mut().filter(|point| point.x > 0.0).for_each(|point| point.x -= 3.0);
        let check = check_of(&nominal, points, &across([0.0, 0.0, 1.0]));
        assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
        assert!((check.regions[0].peak_mm - 3.0).abs() < 0.05 && check.regions[0].beyond_max_distance);
        assert!(states(&check).contains(&MatchState::TooFar));
    }

    #[test]
    fn what_the_plane_misses_is_out_of_tolerance_by_its_closest_points() {
        let dome_mm = 10.0;
        let at = |radius_mm: f64, polar: f64, angle: f64| {
            let (sin, cos) = polar.sin_cos();
            Point::new(radius_mm * sin * angle.cos(), radius_mm * sin * angle.sin(), radius_mm * cos)
        };
        let nominal = Nominal::in_memory(
            "dome",
            Surface::new(shapes::grid(120, 240, false, |u, v| {
                at(dome_mm, 1.1 * (u + 0.01), v * std::f64::consts::TAU)
            })),
        );
        let is_outwards = nominal.surface.mesh().normal(0).z > 0.0;
        // Polar angles of 6.9° to 10.3°: where it is 0.2 mm too high, planes perpendicular to z pass above it.
        let raised = [0.12, 0.18];
        let points = |height_mm: f64| -> Vec<Point> {
            let rings = (0..90).map(|ring| 0.1 + 0.01 * f64::from(ring));
            rings
                .flat_map(|polar| {
                    let count = (polar * 600.0) as u32;
                    (0..count).map(move |i| (polar, std::f64::consts::TAU * f64::from(i) / f64::from(count)))
                })
                .map(|(polar, angle)| {
                    let is_raised = (raised[0]..=raised[1]).contains(&polar);
                    at(dome_mm + if is_raised { height_mm } else { -1e-3 }, polar, angle)
                })
                .collect()
        };
        assert!(is_outwards);
        let parameters = Parameters { min_coverage: 0.1, ..across([0.0, 0.0, 1.0]) };
        let good = check_of(&nominal, points(-1e-3), &parameters);
        assert_eq!(good.verdict(), Verdict::Pass, "{:?}", good.judgement);
        let high = check_of(&nominal, points(0.2), &parameters);
        assert_eq!(high.verdict(), Verdict::Fail, "{:?}", high.judgement);
        let worst = &high.regions[0];
        assert!((worst.peak_mm - 0.2).abs() < 0.02 && !worst.beyond_max_distance, "{worst:?}");
        let remark = " points out of tolerance could not be measured in this direction, and are ";
        assert!(high.judgement.remarks.iter().any(|own| own.contains(remark)), "{:?}", high.judgement);
        assert_eq!(high.clutter.stray_points, 0);
    }

    #[test]
    fn a_direction_that_measures_nothing_is_said_to_be_the_reason() {
        let (nominal, silent) = (sloped(0.0).0, Progress::silent());
        let actual = Actual::in_memory("scan", Cloud::from_points(above(0.0, 0.01)));
        let compared = Compared { nominal: &nominal, actual: &actual, is_found: false };
        let said = |parameters: &Parameters| {
            check::run(&Cpu, &compared, &Pose::identity(), parameters, 0.3, &silent).unwrap_err().sentence
        };
        assert!(said(&across([0.0, 0.0, 1.0])).starts_with("In this direction no deviation can be measured: "));
    }

    #[test]
    fn older_parameters_are_read_and_written_as_they_were() {
        let along = Parameters { in_plane: false, ..across([0.0, 0.0, 1.0]) };
        let written = serde_json::to_string(&along).unwrap();
        assert!(!written.contains("in_plane"));
        assert_eq!(serde_json::from_str::<Parameters>(&written).unwrap(), along);
        let within = across([0.0, 0.0, 1.0]);
        assert_eq!(serde_json::from_str::<Parameters>(&serde_json::to_string(&within).unwrap()).unwrap(), within);
        assert!(!within.gives_same_measurement(&along) && within.is_in_plane());
        // Without a direction there is no plane.
        let without = Parameters { direction: None, ..within };
        assert!(!without.is_in_plane() && without.gives_same_measurement(&Parameters::default()));
    }
}
