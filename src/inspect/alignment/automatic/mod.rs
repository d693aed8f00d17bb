//! Automatic start: the pose of a scan on its nominal without an initial pose, from any orientation, also for partial
//! scans.
//!
//! 1. Oriented point pairs of the nominal are tabulated by their point pair features (`geometry::point_pairs`, after
//!    Drost et al. 2010).
//! 2. Point pairs of the thinned scan vote for poses; peaks are clustered into hypotheses (`votes`). Principal axes add
//!    hypotheses for parts on which all pairs look alike (`principal`), and a search over all rotations adds those that
//!    the votes miss (`translations`).
//! 3. Hypotheses are evaluated against the surface, refined and ranked (`verification`).
//! 4. The best pose is compared with its rivals: the part, and the scanned piece of it, rotated about its own principal
//!    axes (`turns`) and translated. Nearly symmetric parts end in the pose that fits best, and runners-up that fit
//!    about as well are reported.
//!
//! Nothing is random and all sums have a fixed order: the same input gives bitwise identical results.

mod offsets;
mod onto_cloud;
mod principal;
mod translations;
mod turns;
mod verification;
mod votes;

use super::best_fit::{self, Parameters};
use super::{Alignment, Method};
use crate::cleaning;
use crate::parts::PreparedScan;
use base::{Progress, Result, UserError};
use compute::Backend;
use compute::registration::Target;
use geometry::point_pairs::{OrientedPoint, PairTable, oriented_points};
use geometry::{Cloud, Pose, SearchablePoints, Surface, normals, thinning};
pub use onto_cloud::{explained, explained_within, on_cloud};
use translations::TranslationVotes;
pub use turns::about_own_axes;

/// Approximate number of oriented points that represent the nominal.
const MODEL_POINTS: usize = 1_400;
/// Maximum number of scan points that normals are computed for.
const NORMAL_POINTS: usize = 60_000;

/// Finds the pose of `cloud` on `surface` without an initial pose, then refines it by a best fit with all points.
/// `watch` receives the pose and the RMS, mm, after every iteration of that fit.
///
/// Returns an error for fewer than three or collinear points, if no pose is found, and if the backend fails or the work
/// is cancelled.
pub fn run(
    backend: &dyn Backend,
    surface: &Surface,
    cloud: &Cloud,
    scan: &PreparedScan,
    parameters: &Parameters,
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Alignment> {
    check_spread(cloud)?;
    progress.report(0.0, "Analysing the nominal")?;
    let spacing_mm = (surface.mesh().area_mm2() / MODEL_POINTS as f64).sqrt();
    let model = oriented_points(surface.mesh(), MODEL_POINTS, spacing_mm);
    let table = PairTable::new(&model, spacing_mm);
    progress.report(0.15, "Analysing the scan")?;
    let scene = scene_points(backend, cloud, scan, spacing_mm)?;
    let oriented = normals::are_oriented(cloud);
    let votes = votes::Ballot { table: &table, model: &model, scene: &scene, oriented, spacing_mm };
    let mut hypotheses = votes.hypotheses(surface.bounds(), &progress.part(0.2, 0.5))?;
    hypotheses.extend(principal::hypotheses(&model, &scene));
    progress.report(0.5, "Searching all rotations")?;
    let translations = TranslationVotes::new(&model, &scene, surface.bounds(), oriented, spacing_mm);
    hypotheses.extend(translations.iter().flat_map(TranslationVotes::over_all));
    let verifier = verification::Verifier::new(surface, cloud, scan, &model, &scene, translations, spacing_mm);
    let ranked = verifier.rank(hypotheses, &progress.part(0.5, 0.8))?;
    let Some(best) = ranked.first() else {
        return Err(UserError::input(
            "No pose was found in which the scan fits the nominal. Check that both are of the same part and in the \
             same unit, or pick three point pairs.",
        ));
    };
    if let Some(fit) = best.offset {
        return Ok(Alignment {
            method: Method::Auto,
            explained: Some(verifier.explained(&verifier.dense, &fit.pose, Some(fit))?),
            alternatives: verification::alternatives(&ranked, spacing_mm),
            rivals: verification::rivals(&ranked, spacing_mm),
            ..fit.alignment(surface)
        });
    }
    let problem = best_fit::Problem {
        target: Target::Surface(surface),
        bounds: *surface.bounds(),
        points: &scan.ordered,
        normals: &scan.normals,
        oriented: scan.oriented,
    };
    let start_gate = parameters.max_distance_mm.unwrap_or(best.gate_mm);
    let start = Parameters { max_distance_mm: None, ..parameters.clone() };
    let fitted =
        best_fit::run_from_gate(backend, &problem, &best.pose, &start, start_gate, &progress.part(0.8, 1.0), watch)?;
    let explained = verifier.explained(&verifier.dense, &fitted.nominal_from_scan, None)?;
    Ok(Alignment {
        method: Method::Auto,
        explained: Some(explained),
        alternatives: verification::alternatives(&ranked, spacing_mm),
        rivals: verification::rivals(&ranked, spacing_mm),
        ..fitted
    })
}

fn check_spread(cloud: &Cloud) -> Result<()> {
    if cloud.points.len() < 3 {
        return Err(UserError::input(format!(
            "An alignment needs at least 3 scan points; this scan has {}.",
            cloud.points.len()
        )));
    }
    let centre = cloud.bounds().centre();
    let mut spread = nalgebra::Matrix3::zeros();
    for point in &cloud.points {
        let offset = point - centre;
        spread += offset * offset.transpose();
    }
    if !spread.iter().all(|value| value.is_finite()) {
        return Err(UserError::input("The scan's coordinates are too large to work with; check its unit."));
    }
    let mut extents: Vec<f64> = nalgebra::SymmetricEigen::new(spread).eigenvalues.iter().copied().collect();
    extents.sort_by(|a, b| b.total_cmp(a));
    if extents[1] <= 1e-10 * extents[0] || extents[0] <= 0.0 {
        return Err(UserError::input(
            "All scan points lie on one line (or coincide), so the part's orientation is undetermined; load a scan \
             that shows a surface.",
        ));
    }
    Ok(())
}

fn scene_points(
    backend: &dyn Backend,
    cloud: &Cloud,
    scan: &PreparedScan,
    spacing_mm: f64,
) -> Result<Vec<OrientedPoint>> {
    // By stride along the curve, not by cells: cells would give isolated outliers the weight of whole surface patches.
    let stride = (scan.ordered.numbers.len() / NORMAL_POINTS).max(1);
    let base = cloud.select(&scan.ordered.numbers.iter().step_by(stride).copied().collect::<Vec<_>>());
    let searchable = SearchablePoints::new(&base.points);
    let all_normals = cleaning::normals_of(backend, &base, &searchable, &Progress::silent())?;
    // A scan may be far smaller than its nominal (a piece of a door) or larger: the cell is adapted to the count.
    let mut cell = spacing_mm;
    let mut kept = thinning::one_per_dense_cell(&base.points, cell);
    while kept.len() < 600 && kept.len() * 2 < base.points.len() && cell > 0.25 * spacing_mm {
        cell *= 0.8;
        kept = thinning::one_per_dense_cell(&base.points, cell);
    }
    while kept.len() > 2500 {
        cell *= 1.2;
        kept = thinning::one_per_dense_cell(&base.points, cell);
    }
    let oriented = |&i: &u32| OrientedPoint { point: base.points[i as usize], normal: all_normals[i as usize] };
    Ok(kept.iter().map(oriented).collect())
}
