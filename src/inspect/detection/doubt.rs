//! Why a candidate does not count as found: too little to decide by, too much against it, or nothing that fixes
//! its position.

use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;
use super::search::FINE_PROBES;
use super::support::OnSupport;
use super::{Detection, Parameters, Terms, score};
use base::Progress;
use compute::cpu::Cpu;
use geometry::{Pose, Vector, transform};

/// Least number of probes that explain a part, and of points of the scene on it.
const MIN_EXPLAINED: u32 = 30;
pub const MIN_POINTS: usize = 60;
/// Least share of the second direction of the surface among the points on a part: on one plane, its position is not known.
const MIN_SECOND_DIRECTION: f64 = 0.02;
/// Least score of a part of which one plane is seen, and least share of what can be said of it that speaks for it: its outline
/// must be seen, too.
const MIN_PLANE_SCORE: f64 = 0.4;
const MIN_PLANE_AGREEMENT: f64 = 0.95;
/// Greatest RMS deviation of the points of a part, as a share of its diameter; or else how much it may exceed the noise of
/// the scene, where more points than that agree.
const MAX_RMS: f64 = 4e-3;
const MAX_RMS_OF_NOISE: f64 = 1.6;
const MIN_NOISY_POINTS: usize = 500;
/// Greatest share of a part that reaches through the floor or a wall.
pub const MAX_THROUGH: f64 = 0.02;
/// How far a part on one plane is moved to see whether its position is known, as a share of its diameter, in how many
/// directions, and the share of its score that then speaks against that.
const SLIDE: f64 = 0.1;
const SLIDES: usize = 8;
const MAX_SLIDING_SCORE: f64 = 0.85;

/// Why a candidate does not count as found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// In words.
    pub sentence: String,
    /// Whether it may be right all the same: nothing speaks against it, but too little is seen.
    pub is_open: bool,
}

/// Whether what was seen of a part does not refute it already.
pub fn may_pass(terms: &Terms, parameters: &Parameters) -> bool {
    terms.explained >= MIN_EXPLAINED
        && terms.agreement() >= parameters.min_agreement
        && terms.score() >= parameters.min_score
        && terms.unknown <= terms.explained
}

/// Why a candidate does not count as found; `None` if it does.
pub fn of(own: &Detection, model: &PartModel<'_>, scene: &Scene, parameters: &Parameters) -> Option<Doubt> {
    let refuted = |sentence: String| Some(Doubt { sentence, is_open: false });
    let open = |sentence: &str| Some(Doubt { sentence: sentence.to_owned(), is_open: true });
    let terms = &own.terms;
    if own.points.len() < MIN_POINTS {
        return refuted(format!("only {} points of the scene lie on it: too few to decide by", own.points.len()));
    }
    if terms.explained < MIN_EXPLAINED {
        let share = 100.0 * f64::from(terms.explained) / model.probes.points.len() as f64;
        return refuted(format!("only {share:.1} % of its surface is seen: too little to decide by"));
    }
    if terms.agreement() < parameters.min_agreement {
        return refuted(format!(
            "{:.0} % of what should be seen of it is not there",
            100.0 * (1.0 - terms.agreement())
        ));
    }
    let is_noise = own.fit.rms_mm < MAX_RMS_OF_NOISE * scene.noise_mm && own.points.len() > MIN_NOISY_POINTS;
    if own.fit.rms_mm > MAX_RMS * model.diameter_mm && !is_noise {
        return refuted(format!("what is seen there has another shape: {:.3} mm RMS off", own.fit.rms_mm));
    }
    if terms.unknown > terms.explained {
        return refuted(format!(
            "{:.0} % of what should be seen of it was not measured, more than was",
            100.0 * f64::from(terms.unknown) / f64::from(terms.facing)
        ));
    }
    if terms.score() < parameters.min_score {
        return refuted(format!("only {:.0} % of it is seen", 100.0 * terms.visible_fraction()));
    }
    if own.score < parameters.min_score || terms.agreement() * own.coverage < parameters.min_agreement {
        return refuted(format!(
            "{:.0} % of the surface under it goes on beyond it, so it belongs to something else",
            100.0 * (1.0 - own.coverage)
        ));
    }
    let on_support =
        OnSupport::of(model, scene, &Placement::rigid(&own.scene_from_part), &own.points, own.tolerance_mm);
    if on_support.through > MAX_THROUGH {
        return refuted(format!("{:.0} % of it would be in the floor or a wall", 100.0 * on_support.through));
    }
    let (normal, second) = directions(scene, &own.points);
    if second < MIN_SECOND_DIRECTION {
        if own.score < MIN_PLANE_SCORE || terms.agreement() * own.coverage < MIN_PLANE_AGREEMENT {
            return open("all that is seen of it is a piece of one plane, which many parts have");
        }
        if slides(own, model, scene, &normal) {
            return open("all that is seen of it is one plane, along which it could lie elsewhere");
        }
    }
    None
}

/// Whether a part fits about as well when it is moved along a plane: then its outline does not show where it lies.
fn slides(own: &Detection, model: &PartModel<'_>, scene: &Scene, normal: &Vector) -> bool {
    let [u, v] = transform::perpendicular_axes(normal);
    let moved: [Pose; SLIDES] = std::array::from_fn(|number| {
        let (sine, cosine) = (std::f64::consts::TAU * number as f64 / SLIDES as f64).sin_cos();
        let step = (u * cosine + v * sine) * (SLIDE * model.diameter_mm);
        Pose::from(nalgebra::Translation3::from(step)) * own.scene_from_part
    });
    let terms = score::judge(&Cpu, model, scene, &moved, &[own.tolerance_mm; SLIDES], FINE_PROBES, &Progress::silent());
    let limit = MAX_SLIDING_SCORE * own.score;
    // What goes on beyond it is counted only where the rest does not decide.
    terms.map_or(true, |terms| {
        moved.iter().zip(&terms).any(|(pose, terms)| {
            let coverage = || score::explained(model, scene, pose, own.tolerance_mm).1;
            terms.score() > limit && terms.score() - (1.0 - coverage()) > limit
        })
    })
}

/// The main direction of the normals of some points, and the share of the second, 0 to 0.5: 0 on a plane.
fn directions(scene: &Scene, points: &[u32]) -> (Vector, f64) {
    let mut scatter = nalgebra::Matrix3::zeros();
    for &index in points {
        let normal = scene.points[index as usize].normal;
        scatter += normal * normal.transpose();
    }
    let eigen = scatter.symmetric_eigen();
    let mut shares: Vec<f64> = eigen.eigenvalues.iter().map(|own| own.max(0.0)).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let main = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    (main, shares.get(1).copied().unwrap_or(0.0) / shares.iter().sum::<f64>().max(1e-12))
}
