//! Trials of the verdict on simulated parts whose truth is known: whether a defect beyond what the headline states as
//! detectable ever passes, and whether sound parts do.

mod kinds;
pub(crate) mod scan;
pub mod shapes;
pub mod views;

use rayon::prelude::*;

use super::check::{self, Check, Compared};
use super::{Parameters, Resolution, Tolerance, Verdict};
use crate::parts::{Actual, Nominal};
use base::random::Random;
use base::{Progress, Result};
use compute::cpu::Cpu;
use geometry::{Cloud, Mesh, Pose, Surface};
pub use kinds::Kind;
pub use scan::NoiseForm;
use scan::Scan;

/// Diagonal that parts of any size are scaled to, mm.
const DIAGONAL_MM: f64 = 120.0;
/// Limits of the deviations, ± mm.
const LIMIT_MM: f64 = 0.1;
/// Numbers of points of a scan.
pub const POINTS: [usize; 3] = [4_000, 10_000, 25_000];
/// Standard deviations of a point, as shares of the limit.
pub const NOISE_SHARES: [f64; 3] = [0.05, 0.15, 0.3];
/// Sizes of the defects in those that are stated as detectable.
pub const SIZES: [f64; 4] = [0.6, 1.05, 1.5, 3.0];

/// A part with its name.
pub struct TrialPart {
    /// Its name.
    pub name: String,
    /// Its nominal.
    pub nominal: Nominal,
}

impl TrialPart {
    /// A part by its mesh, mm.
    pub fn new(name: &str, mesh: Mesh) -> Self {
        Self { name: name.to_owned(), nominal: Nominal::in_memory(name, Surface::new(mesh)) }
    }

    /// The part scaled to a diagonal of 120 mm, for which limits, noise and numbers of points are chosen.
    pub fn scaled(name: &str, mut mesh: Mesh) -> Self {
        mesh.scale(DIAGONAL_MM / mesh.bounds().diagonal());
        Self::new(name, mesh)
    }
}

/// One draw: a part, its noise, and a defect.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Its number, which determines all random numbers.
    pub number: u64,
    /// Index of the part.
    pub part: usize,
    /// Index in [`POINTS`].
    pub points: usize,
    /// Index in [`NOISE_SHARES`].
    pub noise: usize,
    /// Form of the noise.
    pub form: NoiseForm,
    /// The defect.
    pub kind: Kind,
    /// Index in [`SIZES`].
    pub size: usize,
}

/// What was said of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// PASS without a qualification.
    Passes,
    /// PASS, and the headline says what puts it in doubt.
    PassesQualified,
    /// FAIL.
    Fails,
    /// INCOMPLETE.
    Incomplete,
}

/// Outcome of a draw.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The draw.
    pub draw: Draw,
    /// What was said of the sound part.
    pub sound: Said,
    /// The headline and its reason where that is no PASS.
    pub sound_why: String,
    /// What was said of the same part with the defect; `None` if there is no room for it.
    pub defective: Option<Said>,
}

impl Outcome {
    /// Whether a defect that is stated as detectable passed without a word.
    pub fn is_missed(&self) -> bool {
        SIZES[self.draw.size] >= 1.0 && self.defective == Some(Said::Passes)
    }
}

impl Draw {
    /// The draw with this number, of so many parts.
    pub fn new(number: u64, parts: usize) -> Self {
        let mut random = Random::new(number, 0xD3F3);
        let mut below = |count: usize| ((random.uniform() * count as f64) as usize).min(count - 1);
        let (points, noise, size) = (below(POINTS.len()), below(NOISE_SHARES.len()), below(SIZES.len()));
        let form = NoiseForm::ALL[below(NoiseForm::ALL.len())];
        let kind = Kind::all().nth(number as usize % Kind::count()).unwrap_or_default();
        Self { number, part: below(parts), points, noise, form, kind, size }
    }
}

/// What was said in a check.
pub fn said(check: &Check) -> Said {
    match check.verdict() {
        Verdict::Pass if check.judgement.is_qualified() => Said::PassesQualified,
        Verdict::Pass => Said::Passes,
        Verdict::Fail => Said::Fails,
        Verdict::Incomplete => Said::Incomplete,
    }
}

/// Carries out a draw.
///
/// Returns an error if a comparison fails.
pub fn run(part: &TrialPart, draw: Draw) -> Result<Outcome> {
    let sigma_mm = NOISE_SHARES[draw.noise] * LIMIT_MM;
    let mut random = Random::new(draw.number, 0x5CA7);
    let scan = Scan::of(&part.nominal.surface, POINTS[draw.points], &mut random);
    let noise_mm = scan.noise_mm(sigma_mm, draw.form, &mut random);
    let sound = compare(part, scan.measured(&noise_mm))?;
    let size = SIZES[draw.size];
    let Resolution { area_mm2, width_mm, gap_mm, excess_mm, .. } = sound.resolution;
    let wanted = kinds::Wanted {
        area_mm2: size * area_mm2,
        width_mm: size.sqrt().max(1.0) * width_mm * if size < 1.0 { size } else { 1.0 },
        gap_mm: size * gap_mm,
        height_mm: LIMIT_MM + size.max(1.0) * excess_mm.max(0.01 * LIMIT_MM),
    };
    let defective = match draw.kind.applied(&scan, &noise_mm, &part.nominal.surface, &wanted, &mut random) {
        Some(points) => Some(said(&compare(part, points)?)),
        None => None,
    };
    let said_of_sound = said(&sound);
    let sound_why = match said_of_sound {
        Said::Passes => String::new(),
        _ => format!("{}. {}", sound.judgement.headline(), sound.judgement.reason),
    };
    Ok(Outcome { draw, sound: said_of_sound, sound_why, defective })
}

/// All draws of these numbers, in their order.
///
/// Returns an error if a comparison fails.
pub fn run_all(parts: &[TrialPart], draws: impl IntoParallelIterator<Item = u64>) -> Result<Vec<Outcome>> {
    let one = |number: u64| {
        let draw = Draw::new(number, parts.len());
        run(&parts[draw.part], draw)
    };
    let mut all = draws.into_par_iter().map(one).collect::<Result<Vec<Outcome>>>()?;
    all.sort_by_key(|own| own.draw.number);
    Ok(all)
}

/// Compares points in the nominal's frame with a part.
fn compare(part: &TrialPart, points: Vec<geometry::Point>) -> Result<Check> {
    let actual = Actual::in_memory("scan", Cloud::from_points(points));
    let compared = Compared { nominal: &part.nominal, actual: &actual, is_found: false };
    let tolerance = Tolerance { low_mm: -LIMIT_MM, high_mm: LIMIT_MM };
    let parameters = Parameters { tolerance, ..Parameters::default() };
    check::run(&Cpu, &compared, &Pose::identity(), &parameters, 3.0 * LIMIT_MM, &Progress::silent())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plate_with_noise(sigma_mm: f64, form: NoiseForm) -> Check {
        let parts = shapes::all();
        let mut random = Random::new(5, 5);
        let scan = Scan::of(&parts[0].nominal.surface, 20_000, &mut random);
        let noise_mm = scan.noise_mm(sigma_mm, form, &mut random);
        compare(&parts[0], scan.measured(&noise_mm)).unwrap()
    }

    #[test]
    fn noise_as_large_as_the_limits_neither_fails_nor_passes() {
        for form in [NoiseForm::White, NoiseForm::Short] {
            let check = plate_with_noise(LIMIT_MM, form);
            assert_eq!(check.verdict(), Verdict::Incomplete, "{form:?}: {:?}", check.judgement);
            assert!(check.regions.is_empty() && check.statistics.in_tolerance_fraction < 0.8, "{:?}", check.regions);
        }
        let check = plate_with_noise(0.3 * LIMIT_MM, NoiseForm::White);
        assert_eq!(said(&check), Said::Passes, "{:?}", check.judgement);
    }

    #[test]
    fn a_region_that_the_data_cannot_show_is_not_promised() {
        let parts = shapes::all();
        let mut random = Random::new(6, 6);
        let scan = Scan::of(&parts[0].nominal.surface, 10_000, &mut random);
        let noise_mm = scan.noise_mm(0.01, NoiseForm::White, &mut random);
        let actual = Actual::in_memory("scan", Cloud::from_points(scan.measured(&noise_mm)));
        let compared = Compared { nominal: &parts[0].nominal, actual: &actual, is_found: false };
        let judged = |min_region_mm2: Option<f64>| {
            let parameters = Parameters { min_region_mm2, ..Parameters::default() };
            check::run(&Cpu, &compared, &Pose::identity(), &parameters, 0.3, &Progress::silent()).unwrap().judgement
        };
        let free = judged(None);
        assert_eq!(free.verdict, Verdict::Pass, "{free:?}");
        assert!(free.headline().contains(", for regions from ") && free.headline().contains(" mm wide"), "{free:?}");
        let small = judged(Some(1.0));
        assert_eq!(small.verdict, Verdict::Incomplete, "{small:?}");
        assert!(small.reason.starts_with("Regions from 1 mm² are to be detected, but"), "{small:?}");
        assert_eq!(judged(Some(100.0)).verdict, Verdict::Pass);
    }

    #[test]
    fn defects_that_are_stated_as_detectable_never_pass_and_sound_parts_do() {
        let parts = shapes::all();
        let outcomes = run_all(&parts, 0..crate::test_sizes::draws(1, 4) * Kind::count() as u64).unwrap();
        let missed: Vec<&Outcome> = outcomes.iter().filter(|own| own.is_missed()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
        let wrong: Vec<&Outcome> = outcomes.iter().filter(|own| own.sound != Said::Passes).collect();
        assert!(wrong.iter().all(|own| own.sound != Said::Fails), "{wrong:#?}");
        assert!(wrong.len() * 20 <= outcomes.len(), "{wrong:#?}");
        let placed = outcomes.iter().filter(|own| own.defective.is_some()).count();
        assert!(2 * placed > outcomes.len(), "{placed} of {}", outcomes.len());
    }
}
