//! Best fits from what a detection found in piles beside those from the truth.

use base::Progress;
use compute::cpu::Cpu;
use compute::registration::Target;
use geometry::{OrderedPoints, Point, Pose};
use inspect::alignment::best_fit::{self, Problem};
use inspect::alignment::recipe;
use inspect::detection::{Detection, PartModel};
use inspect::parts::PreparedScan;
use inspect::simulation::pile::PlacedPart;

/// Greatest mean distance of the surfaces in two poses that count as the same after a best fit, mm.
const SAME_FIT_MM: f64 = 0.01;
/// A turn maps a part onto itself if no point of it comes farther from its surface than this share of the diameter.
const ITSELF: f64 = 1e-3;
/// Nobody can tell which of two poses is right if the logarithms of their likelihoods differ by less.
const MIN_TOLD: f64 = 2.0;
/// A pose fits as well as the truth if the logarithm of its likelihood is less by no more than this.
const MAX_GAIN: f64 = 20.0;

/// A best fit from a detection beside one from the truth.
pub enum Fit {
    /// The surfaces in the two are at most [`SAME_FIT_MM`] apart on average.
    Same,
    /// Another pose fits the points as well as the truth does, and the detection says that it may, or the fit that a direction is
    /// not determined.
    Open {
        /// How they differ.
        how: String,
        /// Whether the points tell the truth from it at all.
        is_told: bool,
    },
    Other(String),
}

/// The true pose of a part; of a symmetric one, that of those that look alike which is nearest to a pose.
fn true_pose(model: &PartModel<'_>, scene_from_part: &Pose, truth: &PlacedPart) -> Pose {
    let points: Vec<Point> = model.dense.iter().map(|own| own.point).collect();
    let points = OrderedPoints::new(&points);
    let problem = Problem {
        target: Target::Surface(model.surface),
        bounds: *model.surface.bounds(),
        points: &points,
        normals: &[],
        oriented: false,
    };
    let start = truth.scene_from_part.inverse() * scene_from_part;
    let parameters = best_fit::Parameters::default();
    let turn = best_fit::run(&Cpu, &problem, &start, &parameters, &Progress::silent(), &mut |_, _| ());
    let is_itself =
        |turn: &Pose| model.dense.iter().all(|own| model.is_near(&(turn * own.point), ITSELF * model.diameter_mm));
    let turn = turn.ok().map(|fit| fit.nominal_from_scan).filter(is_itself);
    truth.scene_from_part * turn.unwrap_or_else(Pose::identity)
}

/// Half the sum of squares of the distances from a part, in standard deviations and capped at three: a difference of two is that
/// of the logarithms of their likelihoods.
fn misfit(model: &PartModel<'_>, points: &[Point], scene_from_part: &Pose, sigma_mm: f64) -> f64 {
    let (part_from_scene, cap_mm) = (scene_from_part.inverse(), 3.0 * sigma_mm);
    let distance_mm = |point: &Point| {
        model.surface.closest_point(&(part_from_scene * point), cap_mm).map_or(cap_mm, |hit| hit.distance_mm)
    };
    0.5 * points.iter().map(|point| (distance_mm(point) / sigma_mm).powi(2)).sum::<f64>()
}

/// Compares a best fit from a detection with one from the truth, of the points on and about the part.
pub fn fit(model: &PartModel<'_>, scan: &PreparedScan, own: &Detection, truth: &PlacedPart) -> Fit {
    let problem = recipe::problem(model.surface, scan);
    // As from the window: only what lies on this part may draw the fit.
    let parameters =
        best_fit::Parameters { max_distance_mm: Some(own.fit_gate_mm()), ..best_fit::Parameters::default() };
    let fit = |scene_from_part: &Pose| {
        let start = scene_from_part.inverse();
        best_fit::run(&Cpu, &problem, &start, &parameters, &Progress::silent(), &mut |_, _| ())
    };
    let (from_it, from_truth) = match (fit(&own.scene_from_part), fit(&true_pose(model, &own.scene_from_part, truth))) {
        (Ok(from_it), Ok(from_truth)) => (from_it, from_truth),
        (Err(error), _) => return Fit::Other(format!("none from it: {error}")),
        (_, Err(error)) => return Fit::Other(format!("none from the truth: {error}")),
    };
    let [pose, true_pose] = [&from_it, &from_truth].map(|fit| fit.nominal_from_scan.inverse());
    let apart_mm = model.distance_mm(&pose, &true_pose);
    if apart_mm <= SAME_FIT_MM {
        return Fit::Same;
    }
    let of_part = own.others.iter().filter(|other| other.part == own.part).count();
    let sigma_mm = from_truth.rms_mm;
    let [misfit_of_it, of_truth] = [&pose, &true_pose].map(|own| misfit(model, &scan.ordered.points, own, sigma_mm));
    let gain = misfit_of_it - of_truth;
    let how = format!(
        "{apart_mm:.3} mm apart, turned {:.2}°, RMS {:.4} and {:.4} mm, overlap {:.4} and {:.4}, truth likelier by {gain:.1}, \
         {of_part} other poses named, {}",
        (pose.inverse() * true_pose).rotation.angle().to_degrees(),
        from_it.rms_mm,
        from_truth.rms_mm,
        from_it.overlap,
        from_truth.overlap,
        from_it.information.weakest,
    );
    let is_said = of_part > 0 || !from_it.information.open.is_empty();
    match is_said && gain < MAX_GAIN {
        true => Fit::Open { how, is_told: gain >= MIN_TOLD },
        false => Fit::Other(how),
    }
}
