//! The start of an alignment to a part in a scan that shows more than the part.
//!
//! A search over all poses for the one in which most of the scan lies on the part is misled by what else the scan shows:
//! on a floor, most points of it lie on a plate that is laid into the floor. A search for the part is not, since it asks
//! what of the part should be seen and is not.

use super::{Detection, Known, Parameters, PartModel, Scene, part_scans, search};
use crate::alignment::automatic::explained;
use crate::alignment::best_fit::{self, Problem};
use crate::alignment::recipe::problem;
use crate::alignment::{Alignment, Alternative, AmongOthers, Method, Rivals};
use crate::parts::{Actual, Nominal, PreparedScan};
use base::{Progress, Result};
use compute::Backend;
use geometry::{OrderedPoints, Point, Pose};
use rayon::prelude::*;

/// Points of a scan by which its size is compared with that of the part.
const SIZE_POINTS: usize = 2_000;
/// Share of them that must be too far from others to lie on the part.
const MIN_BEYOND: f64 = 0.02;

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
    let problem = problem(nominal, &prepared);
    let gate_mm = parameters.max_distance_mm.unwrap_or(best.tolerance_mm);
    let pose = best.scene_from_part.inverse();
    let fitted =
        best_fit::run_from_gate(backend, &problem, &pose, parameters, gate_mm, &progress.part(0.85, 1.0), watch)?;
    let (alternatives, rivals) = compared(&problem, best, &fitted, parameters, gate_mm);
    let whole = cloud.points.len().max(1) as f64;
    Ok(Start::Found(Box::new(Alignment {
        method: Method::Auto,
        overlap: fitted.overlap * scan.points.len() as f64 / whole,
        alternatives,
        rivals,
        explained: Some(explained(surface, &actual.prepared.ordered, &fitted.nominal_from_scan)),
        among_others: Some(AmongOthers::Found { score: best.score, more: found.detections.len() - 1 }),
        ..fitted
    })))
}

/// The other poses of a part that explain the same points, fitted to the points about it; and how they compare.
fn compared(
    problem: &Problem<'_>,
    best: &Detection,
    fitted: &Alignment,
    parameters: &best_fit::Parameters,
    gate_mm: f64,
) -> (Vec<Alternative>, Rivals) {
    let fit = |own: &super::Placed| {
        let start = own.scene_from_part.inverse();
        let silent = Progress::silent();
        best_fit::run_from_gate(&compute::cpu::Cpu, problem, &start, parameters, gate_mm, &silent, &mut |_, _| ()).ok()
    };
    let others: Vec<Alignment> = best.others.par_iter().filter(|own| own.part == best.part).filter_map(fit).collect();
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
}
