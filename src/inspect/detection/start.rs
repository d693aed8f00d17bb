//! The start of an alignment to a part in a scan that shows more than the part.
//!
//! A search over all poses for the one in which most of the scan lies on the part is misled by what else the scan shows:
//! on a floor, most points of it lie on a plate that is laid into the floor. A search for the part is not, since it asks
//! what of the part should be seen and is not.

use super::{Detection, Found, Known, Parameters, PartModel, Scene, part_scans, search};
use crate::alignment::automatic::explained;
use crate::alignment::best_fit::{self, Problem};
use crate::alignment::recipe::problem;
use crate::alignment::{Alignment, Alternative, AmongOthers, Method, Rivals};
use crate::parts::{Actual, Nominal, PreparedScan};
use base::{Progress, Result};
use compute::Backend;
use geometry::{OrderedPoints, Point, Pose};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Points of a scan by which its size is compared with that of the part.
const SIZE_POINTS: usize = 2_000;
/// Share of them that must be too far from others to lie on the part.
const MIN_BEYOND: f64 = 0.02;

/// Points about a part that its fit is given, by their distance from where it was found, in greatest distances of the fit.
const REACH_GATES: f64 = 3.0;

/// A part found among others; all poses map the scan onto the nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundPart {
    /// Where it was found.
    pub nominal_from_scan: Pose,
    /// More of the same part that were found beside it.
    pub beside: Vec<Pose>,
    /// Other poses of it that explain the same points about as well.
    pub others: Vec<Pose>,
    /// See [`Detection::score`].
    pub score: f64,
    /// See [`Detection::could_be`].
    #[serde(default)]
    pub could_be: Vec<String>,
}

impl FoundPart {
    /// A part found, as it lies among all that were found.
    pub fn new(own: &Detection, found: &Found) -> Self {
        let of_part = |part: usize| part == own.part;
        let beside = found.detections.iter().filter(|other| of_part(other.part) && !std::ptr::eq(*other, own));
        let others = own.others.iter().filter(|other| of_part(other.part));
        Self {
            nominal_from_scan: own.scene_from_part.inverse(),
            beside: beside.map(|other| other.scene_from_part.inverse()).collect(),
            others: others.map(|other| other.scene_from_part.inverse()).collect(),
            score: own.score,
            could_be: own.could_be.clone(),
        }
    }
}

/// What was found of a part among other things.
pub enum Start {
    /// It was found, and aligned by the points about it.
    Found(Box<Alignment>),
    /// It was not found; why the best pose does not count as found, if there is one.
    NotFound(Option<String>),
}

/// Whether a scan is larger than a part, by more than a few points, so that it shows other things as well.
pub fn is_larger(points: &OrderedPoints, nominal: &Nominal) -> bool {
    let step = (points.points.len() / SIZE_POINTS).max(1);
    let mut sample: Vec<Point> = points.points.iter().step_by(step).copied().collect();
    if sample.is_empty() {
        return false;
    }
    let median = |axis: usize| {
        let mut values: Vec<f64> = sample.iter().map(|point| point[axis]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let centre = Point::new(median(0), median(1), median(2));
    sample.sort_by(|a, b| (a - centre).norm_squared().total_cmp(&(b - centre).norm_squared()));
    // No stray point: a twentieth of the sample is as far from the centre.
    let Some(outer) = sample.get((0.95 * sample.len() as f64) as usize) else { return false };
    let size_mm = nominal.surface.bounds().diagonal();
    let beyond = sample.iter().filter(|point| (*point - outer).norm() > size_mm).count();
    beyond as f64 > MIN_BEYOND * sample.len() as f64
}

/// Looks for a part in a scan and fits it to the points about it. `watch` receives the pose and the RMS, mm, after every
/// iteration of that fit.
///
/// Returns an error if the scan has too few points, if the backend fails, or if the work is cancelled.
pub fn among_others(
    backend: &dyn Backend,
    nominal: &Nominal,
    actual: &Actual,
    parameters: &best_fit::Parameters,
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Start> {
    progress.report(0.0, "Analysing the nominal")?;
    let (surface, cloud) = (&nominal.surface, &actual.cloud);
    let models = [PartModel::new(&nominal.source.name(), surface)?];
    let scene = Scene::new(backend, cloud, surface.bounds().diagonal(), &progress.part(0.1, 0.3))?;
    let once = Parameters { max_rounds: 1, ..Parameters::default() };
    let found = search::run(backend, &models, &scene, &once, &Known::default(), &progress.part(0.3, 0.8))?;
    let Some(best) = found.detections.first() else {
        let reason = found.rejected.first().and_then(|own| own.doubt.as_ref());
        return Ok(Start::NotFound(reason.map(|own| own.sentence.clone())));
    };
    let first = std::slice::from_ref(best);
    let scans = part_scans::in_scene(&scene, &[surface], first, cloud, 0.0, &progress.part(0.8, 0.85))?;
    let Some(scan) = scans.first() else { return Ok(Start::NotFound(None)) };
    let prepared = PreparedScan::new(scan);
    let problem = problem(surface, &prepared);
    let gate_mm = parameters.max_distance_mm.unwrap_or_else(|| best.fit_gate_mm());
    let part = FoundPart::new(best, &found);
    let fitted = fitted(backend, &problem, &part, (parameters, gate_mm), &progress.part(0.85, 1.0), watch)?;
    Ok(Start::Found(Box::new(in_scan(
        nominal,
        actual,
        &part,
        scan.points.len(),
        Alignment { method: Method::Auto, ..fitted },
    ))))
}

/// Fits a part that was found among others to the points about it that lie on none of these.
///
/// Returns an error if there are too few of them, if the backend fails, or if the work is cancelled.
pub fn of_found(
    backend: &dyn Backend,
    nominal: &Nominal,
    actual: &Actual,
    part: &FoundPart,
    (parameters, gate_mm): (&best_fit::Parameters, f64),
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Alignment> {
    progress.report(0.0, "Taking the parts apart")?;
    let surface = &nominal.surface;
    let distance_mm = |nominal_from_scan: &Pose, point: &Point, limit_mm: f64| {
        surface.closest_point(&(nominal_from_scan * point), limit_mm).map(|hit| hit.distance_mm)
    };
    let is_on_it = |&index: &u32| {
        let point = &actual.cloud.points[index as usize];
        !progress.is_cancelled()
            && distance_mm(&part.nominal_from_scan, point, REACH_GATES * gate_mm).is_some_and(|own_mm| {
                !part.beside.iter().any(|other| distance_mm(other, point, own_mm).is_some_and(|mm| mm < own_mm))
            })
    };
    let kept: Vec<u32> = (0..actual.cloud.points.len() as u32).into_par_iter().filter(is_on_it).collect();
    progress.check()?;
    let prepared = PreparedScan::new(&actual.cloud.select(&kept));
    let problem = problem(surface, &prepared);
    let fitted = fitted(backend, &problem, part, (parameters, gate_mm), &progress.part(0.2, 1.0), watch)?;
    Ok(in_scan(nominal, actual, part, kept.len(), fitted))
}

/// A fit to some points of a scan as one of the scan.
fn in_scan(nominal: &Nominal, actual: &Actual, part: &FoundPart, points: usize, fitted: Alignment) -> Alignment {
    Alignment {
        overlap: fitted.overlap * points as f64 / actual.cloud.points.len().max(1) as f64,
        explained: Some(explained(&nominal.surface, &actual.prepared.ordered, &fitted.nominal_from_scan)),
        among_others: Some(AmongOthers::Found {
            score: part.score,
            more: part.beside.len(),
            could_be: part.could_be.clone(),
        }),
        ..fitted
    }
}

/// Fits a part found, and the other ways in which it could lie.
fn fitted(
    backend: &dyn Backend,
    problem: &Problem<'_>,
    part: &FoundPart,
    (parameters, gate_mm): (&best_fit::Parameters, f64),
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Alignment> {
    let pose = &part.nominal_from_scan;
    let fitted = best_fit::run_from_gate(backend, problem, pose, parameters, gate_mm, progress, watch)?;
    let (alternatives, rivals) = compared(problem, part, &fitted, parameters, gate_mm);
    Ok(Alignment { alternatives, rivals, ..fitted })
}

/// The other poses of a part that explain the same points, fitted to the points about it; and how they compare.
fn compared(
    problem: &Problem<'_>,
    part: &FoundPart,
    fitted: &Alignment,
    parameters: &best_fit::Parameters,
    gate_mm: f64,
) -> (Vec<Alternative>, Rivals) {
    let fit = |start: &Pose| {
        let silent = Progress::silent();
        best_fit::run_from_gate(&compute::cpu::Cpu, problem, start, parameters, gate_mm, &silent, &mut |_, _| ()).ok()
    };
    let others: Vec<Alignment> = part.others.par_iter().filter_map(fit).collect();
    let ratio = |own: &Alignment| (own.rms_mm / fitted.rms_mm.max(f64::MIN_POSITIVE)).powi(2);
    let rivals = match others.iter().map(ratio).min_by(f64::total_cmp) {
        Some(cost_ratio) => Rivals::NextBest { cost_ratio },
        None => Rivals::NoneComparable,
    };
    let alternative = |own: Alignment| Alternative {
        nominal_from_scan: own.nominal_from_scan,
        rms_mm: own.rms_mm,
        angle_rad: own.nominal_from_scan.rotation.angle_to(&fitted.nominal_from_scan.rotation),
    };
    (others.into_iter().map(alternative).collect(), rivals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::recipe::run_automatic;
    use crate::detection::tests::stepped;
    use crate::simulation::pile;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Cloud, Surface};

    fn align(nominal: &Nominal, cloud: &Cloud) -> Result<Alignment> {
        let scan = Actual::in_memory("scan", cloud.clone());
        run_automatic(nominal, &scan, &best_fit::Parameters::default(), &Cpu, &Progress::silent(), &|_, _| ())
    }

    #[test]
    fn a_part_on_a_floor_among_others_is_aligned_where_it_lies() {
        let nominal = Nominal::in_memory("stepped", stepped());
        let ring = Surface::new(shapes::torus(18.0, 6.0, 64, 32));
        let model = PartModel::new("stepped", &nominal.surface).unwrap();
        for seed in [3, 4, 5] {
            let parameters = pile::Parameters::for_parts(3, 60.0, seed);
            let surfaces = [&nominal.surface, &ring];
            // The last one lies on top.
            let truth = pile::run(&surfaces, &[1, 1, 0], &parameters, &Progress::silent()).unwrap();
            assert!(is_larger(&OrderedPoints::new(&truth.cloud.points), &nominal));
            let found = align(&nominal, &truth.cloud).unwrap();
            let pose = found.nominal_from_scan.inverse();
            let off_mm = model.distance_mm(&truth.parts.last().unwrap().scene_from_part, &pose);
            assert!(off_mm < 0.05, "{seed}: {off_mm}");
            assert!(matches!(found.among_others, Some(AmongOthers::Found { more: 0, .. })));
            let share = found.explained.unwrap().fraction;
            assert!((0.005..0.3).contains(&share) && found.overlap < share + 0.05, "{share} {}", found.overlap);
            assert!(found.remarks().iter().any(|remark| remark.contains("among other things")));
        }
    }

    #[test]
    fn one_of_several_is_said_to_be_one() {
        let nominal = Nominal::in_memory("stepped", stepped());
        let parameters = pile::Parameters { half_side_mm: 120.0, ..pile::Parameters::for_parts(2, 60.0, 2) };
        let truth = pile::run(&[&nominal.surface], &[0, 0], &parameters, &Progress::silent()).unwrap();
        let found = align(&nominal, &truth.cloud).unwrap();
        let said = found.reservations().unwrap_or_default();
        assert!(said.starts_with("one of 2 in the scan"), "{said} {:?}", found.among_others);
    }

    #[test]
    fn a_part_that_is_not_there_is_said_not_to_be() {
        let rings = pile::Parameters::for_parts(3, 50.0, 2);
        let ring = Surface::new(shapes::torus(18.0, 6.0, 64, 32));
        let truth = pile::run(&[&ring], &[0, 0, 0], &rings, &Progress::silent()).unwrap();
        let nominal = Nominal::in_memory("stepped", stepped());
        let said = match align(&nominal, &truth.cloud) {
            Ok(found) => found.remarks().join(" "),
            Err(error) => error.sentence,
        };
        assert!(said.contains("looks like"), "{said}");
    }

    /// No point lies exactly where it should, and whole faces do where the part is laid onto some of them.
    #[test]
    fn a_part_off_its_nominal_all_around_stays_in_its_place() {
        let nominal = Nominal::in_memory("stepped", stepped());
        let size_mm = nominal.surface.bounds().diagonal();
        let samples = geometry::sampling::by_area(nominal.surface.mesh(), 8_000, 2);
        let mut random = base::random::Random::new(11, 0);
        for share in [-0.03, -0.012, -0.006, 0.002, 0.006, 0.02] {
            let offset_mm = share * size_mm;
            // What other faces reach is no surface any more.
            let is_left = |own: &&geometry::sampling::SurfaceSample| {
                nominal.surface.closest_point(&(own.point + own.normal * offset_mm), 0.99 * offset_mm.abs()).is_none()
            };
            let mut moved = |own: &geometry::sampling::SurfaceSample| {
                own.point + own.normal * (offset_mm + 1e-4 * size_mm * random.normal())
            };
            let points = samples.iter().filter(is_left).map(&mut moved).collect();
            let found = align(&nominal, &Cloud::from_points(points)).unwrap();
            assert!(!found.is_among_others(), "{share}: {:?}", found.among_others);
            let off_mm = nominal.surface.mesh().vertices.iter().map(|own| (found.nominal_from_scan * own - own).norm());
            let off_mm = off_mm.fold(0.0, f64::max);
            assert!(off_mm < 2e-4 * size_mm, "{share} of {size_mm}: {off_mm}");
            let named = found.uniform_offset.unwrap();
            assert!(named.is_taken && (named.offset_mm - offset_mm).abs() < 1e-4 * size_mm, "{share}: {named:?}");
        }
    }

    #[test]
    fn a_scan_of_the_part_alone_is_not_larger_than_it() {
        let nominal = Nominal::in_memory("stepped", stepped());
        let samples = geometry::sampling::by_area(nominal.surface.mesh(), 5_000, 1);
        let mut points: Vec<Point> = samples.iter().map(|sample| sample.point).collect();
        assert!(!is_larger(&OrderedPoints::new(&points), &nominal));
        // Stray points do not count.
        points.extend((0..40).map(|i| Point::new(500.0 + f64::from(i), 0.0, 900.0)));
        assert!(!is_larger(&OrderedPoints::new(&points), &nominal));
        assert!(!is_larger(&OrderedPoints::default(), &nominal));
    }

    #[test]
    fn what_lies_on_a_part_beside_does_not_draw_a_fit() {
        let stepped = stepped();
        let nominal = Nominal::in_memory("stepped", stepped);
        let bounds = *nominal.surface.bounds();
        // Another one stands against it, a little higher.
        let apart = Pose::translation(bounds.size().x + 0.02, 0.0, 0.1);
        let mut random = base::random::Random::new(3, 0);
        let mut points = Vec::new();
        for pose in [Pose::identity(), apart] {
            let samples = geometry::sampling::by_area(nominal.surface.mesh(), 12_000, 5);
            let seen = samples.into_iter().filter(|own| own.normal.z > 0.5);
            points.extend(seen.map(|own| pose * own.point + geometry::Vector::z() * (0.02 * random.normal())));
        }
        let scan = Actual::in_memory("scan", Cloud::from_points(points));
        let part = FoundPart {
            nominal_from_scan: Pose::translation(0.05, -0.03, 0.02),
            beside: vec![apart.inverse()],
            others: Vec::new(),
            score: 0.5,
            could_be: Vec::new(),
        };
        let parameters = best_fit::Parameters { max_distance_mm: Some(0.3), ..best_fit::Parameters::default() };
        let fit = |part: &FoundPart| {
            of_found(&Cpu, &nominal, &scan, part, (&parameters, 0.3), &Progress::silent(), &mut |_, _| ()).unwrap()
        };
        let found = fit(&part);
        let alone = fit(&FoundPart { beside: Vec::new(), ..part });
        let height_mm = |own: &Alignment| own.nominal_from_scan.translation.vector.z.abs();
        assert!(height_mm(&found) < 2e-3, "{}", height_mm(&found));
        assert!((0.4..0.55).contains(&found.overlap) && found.overlap < alone.overlap, "{}", found.overlap);
        assert!(matches!(found.among_others, Some(AmongOthers::Found { more: 1, .. })));
        assert!(found.remarks().iter().any(|own| own.contains("the one chosen is measured")), "{:?}", found.remarks());
    }
}
