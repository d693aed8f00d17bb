//! Comparison of errors with limits: the acceptance decision.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::flatness::{PlaneResult, PlaneScan, flatness};
use super::spacing::{BarResult, BarScan, spacing};
use super::sphere::{SphereResult, SphereScan, probing};
use base::{Progress, Result, UserError};

/// Tested characteristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Characteristic {
    /// Probing error of form: range of a sphere's residuals.
    ProbingForm,
    /// Standard deviation of a sphere's residuals.
    ProbingFormSigma,
    /// Probing dispersion: width of the band that contains 95 % of a sphere's points.
    ProbingDispersion,
    /// Probing error of size: error of a sphere's diameter.
    ProbingSize,
    /// Error of the distance between a ball bar's spheres.
    SphereSpacing,
    /// Flatness error: range of a flat's distances from the plane.
    Flatness,
}

impl Characteristic {
    /// All characteristics, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::ProbingForm,
        Self::ProbingFormSigma,
        Self::ProbingDispersion,
        Self::ProbingSize,
        Self::SphereSpacing,
        Self::Flatness,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProbingForm => "probing error of form",
            Self::ProbingFormSigma => "sigma of form",
            Self::ProbingDispersion => "probing dispersion 95 %",
            Self::ProbingSize => "probing error of size",
            Self::SphereSpacing => "sphere-spacing error",
            Self::Flatness => "flatness error",
        }
    }

    /// Symbol commonly used.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::ProbingForm => "P_Form.Sph",
            Self::ProbingFormSigma => "P_Form.Sph.sigma",
            Self::ProbingDispersion => "P_Form.Sph.D95%",
            Self::ProbingSize => "P_Size.Sph",
            Self::SphereSpacing => "SD",
            Self::Flatness => "F",
        }
    }

    /// Minimum number of positions of a test; VDI/VDE 2634 part 2 is said to require ten, seven and six.
    pub fn min_positions(self) -> usize {
        match self {
            Self::SphereSpacing => 7,
            Self::Flatness => 6,
            _ => 10,
        }
    }
}

/// Limit of an error, and the uncertainty of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Maximum permissible error (MPE), mm: an upper limit for form errors, ± for all others.
    pub mpe_mm: f64,
    /// Standard test value uncertainty, mm: calibration and form of the artefact, temperature.
    pub test_sigma_mm: f64,
}

/// Limits of the characteristics that are judged; the others are only reported.
pub type Limits = BTreeMap<Characteristic, Limit>;

/// Decision on conformance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Conformance is proven.
    Conforms,
    /// Neither is proven: too close to the limit, or too few positions.
    Undecided,
    /// Non-conformance is proven.
    DoesNotConform,
}

impl Verdict {
    /// Wording in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Conforms => "conforms",
            Self::Undecided => "undecided",
            Self::DoesNotConform => "does not conform",
        }
    }
}

/// Guard band in standard uncertainties: 95 % one-sided probability of a normal distribution, the default of ISO
/// 14253-1:2017 (the text was not available to check against).
const GUARD_FACTOR: f64 = 1.65;

impl Limit {
    /// Decision for an error (ISO 14253-1).
    pub fn verdict(&self, error_mm: f64) -> Verdict {
        let guard_mm = GUARD_FACTOR * self.test_sigma_mm;
        if error_mm.abs() <= self.mpe_mm - guard_mm {
            Verdict::Conforms
        } else if error_mm.abs() > self.mpe_mm + guard_mm {
            Verdict::DoesNotConform
        } else {
            Verdict::Undecided
        }
    }

    fn check(&self, what: Characteristic) -> Result<()> {
        if !(self.mpe_mm > 0.0
            && self.mpe_mm.is_finite()
            && self.test_sigma_mm >= 0.0
            && self.test_sigma_mm.is_finite())
        {
            return Err(UserError::usage(format!(
                "The {} needs a limit above 0 and an uncertainty of at least 0 mm, not {} and {}.",
                what.name(),
                self.mpe_mm,
                self.test_sigma_mm
            )));
        }
        Ok(())
    }
}

/// Scans of an acceptance test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptanceScans {
    /// Scans of spheres.
    pub spheres: Vec<SphereScan>,
    /// Scans of ball bars.
    pub bars: Vec<BarScan>,
    /// Scans of flats.
    pub planes: Vec<PlaneScan>,
}

/// One characteristic over all positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The characteristic.
    pub characteristic: Characteristic,
    /// Error in each position, mm, in the order of the results.
    pub errors_mm: Vec<f64>,
    /// Signed error with the largest magnitude, mm.
    pub worst_mm: f64,
    /// Limit, if any.
    pub limit: Option<Limit>,
    /// Decision for the worst error, if there is a limit.
    pub verdict: Option<Verdict>,
}

/// Results of all scans, before comparison with limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Settings of the evaluation.
    pub settings: Settings,
    /// Results of the spheres.
    pub spheres: Vec<SphereResult>,
    /// Results of the ball bar positions.
    pub bars: Vec<BarResult>,
    /// Results of the flats.
    pub planes: Vec<PlaneResult>,
    /// Whether steep points were not masked in some scan, because its viewpoint is unknown.
    pub has_unmasked: bool,
}

/// Result of an acceptance test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Results of the scans.
    pub results: Results,
    /// Tested characteristics, in the order of [`Characteristic::ALL`].
    pub figures: Vec<Figure>,
    /// The worst of all verdicts; `None` if nothing has a limit. With too few positions, it is at best undecided.
    pub verdict: Option<Verdict>,
    /// Remarks on the test.
    pub notes: Vec<String>,
}

/// Evaluates all scans.
///
/// Returns an error if a setting is out of range, if there are no scans, or if a scan cannot be evaluated.
pub fn evaluate(scans: &AcceptanceScans, settings: &Settings, progress: &Progress) -> Result<Results> {
    settings.check()?;
    let total = scans.spheres.len() + scans.bars.len() + scans.planes.len();
    if total == 0 {
        return Err(UserError::input("There is no scan of a sphere, a ball bar or a flat to evaluate."));
    }
    let mut done = 0;
    // Fits are short: they need not report progress, only be cancellable.
    let mut next = || {
        let here = done as f32 / total as f32;
        done += 1;
        progress.report(here, "Evaluating").map(|()| progress.part(here, here))
    };
    Ok(Results {
        settings: *settings,
        spheres: scans.spheres.iter().map(|own| probing(own, settings, &next()?)).collect::<Result<_>>()?,
        bars: scans.bars.iter().map(|own| spacing(own, settings, &next()?)).collect::<Result<_>>()?,
        planes: scans.planes.iter().map(|own| flatness(own, settings, &next()?)).collect::<Result<_>>()?,
        has_unmasked: scans.spheres.iter().any(|own| own.viewpoint.is_none())
            || scans.bars.iter().any(|own| own.viewpoint.is_none()),
    })
}

impl Results {
    /// Errors of a characteristic in all positions, mm.
    pub fn errors_mm(&self, what: Characteristic) -> Vec<f64> {
        let of_spheres = |error: fn(&SphereResult) -> f64| self.spheres.iter().map(error).collect();
        match what {
            Characteristic::ProbingForm => of_spheres(|own| own.form_error_mm),
            Characteristic::ProbingFormSigma => of_spheres(|own| own.form_sigma_mm),
            Characteristic::ProbingDispersion => of_spheres(|own| own.dispersion_mm),
            Characteristic::ProbingSize => of_spheres(|own| own.size_error_mm),
            Characteristic::SphereSpacing => self.bars.iter().map(|own| own.error_mm).collect(),
            Characteristic::Flatness => self.planes.iter().map(|own| own.form_error_mm).collect(),
        }
    }

    /// Compares the results with limits; returns an error if a limit is out of range.
    pub fn judged(self, limits: &Limits) -> Result<Acceptance> {
        limits.iter().try_for_each(|(what, limit)| limit.check(*what))?;
        let (mut figures, mut notes) = (Vec::new(), Vec::new());
        for what in Characteristic::ALL {
            let (errors_mm, limit) = (self.errors_mm(what), limits.get(&what).copied());
            if limit.is_some() && errors_mm.len() < what.min_positions() {
                notes.push(format!(
                    "The {} was tested in {} positions; {} are required.",
                    what.name(),
                    errors_mm.len(),
                    what.min_positions()
                ));
            }
            if let Some(worst_mm) = errors_mm.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())) {
                let verdict = limit.map(|limit| limit.verdict(worst_mm));
                figures.push(Figure { characteristic: what, errors_mm, worst_mm, limit, verdict });
            }
        }
        let too_few = (!notes.is_empty()).then_some(Verdict::Undecided);
        let verdict = figures.iter().filter_map(|figure| figure.verdict).chain(too_few).max();
        if self.has_unmasked {
            notes.push("Where the viewpoint is unknown, steep points of spheres were not masked.".to_owned());
        }
        Ok(Acceptance { results: self, figures, verdict, notes })
    }
}
