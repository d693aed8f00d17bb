//! Errors held against limits: what a sensor is accepted by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::flatness::{PlaneResult, PlaneScan, flatness};
use super::spacing::{BarResult, BarScan, spacing};
use super::sphere::{SphereResult, SphereScan, probing};
use base::{Progress, Result, UserError};

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Characteristic {
    /// Probing error of form: spread of a ball's residuals.
    ProbingForm,
    /// Standard deviation of a ball's residuals.
    ProbingFormSigma,
    /// Probing dispersion: the band that holds 95 % of a ball's points.
    ProbingDispersion,
    /// Probing error of size: a ball's diameter.
    ProbingSize,
    /// Distance of a ball bar's balls.
    SphereSpacing,
    /// Spread of a flat's distances.
    Flatness,
}

impl Characteristic {
    /// All, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::ProbingForm,
        Self::ProbingFormSigma,
        Self::ProbingDispersion,
        Self::ProbingSize,
        Self::SphereSpacing,
        Self::Flatness,
    ];

    /// For people.
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

    /// As the field abbreviates it.
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

    /// Positions that a test takes; VDI/VDE 2634 part 2 is said to ask for ten, seven and six.
    pub fn least_positions(self) -> usize {
        match self {
            Self::SphereSpacing => 7,
            Self::Flatness => 6,
            _ => 10,
        }
    }
}

/// The limit of an error, and how sure the test is of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Maximum permissible error, mm: of form errors their size, of others either way.
    pub mpe_mm: f64,
    /// Standard uncertainty of the test value, mm: the artefact's calibration, its form, temperature.
    pub test_sigma_mm: f64,
}

/// Limits of what is judged; the rest is reported only.
pub type Limits = BTreeMap<Characteristic, Limit>;

/// Which way a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Proven to be within the limit.
    Conforms,
    /// Neither is proven: too near to the limit, or too few positions.
    Undecided,
    /// Proven to be beyond the limit.
    DoesNotConform,
}

impl Verdict {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Conforms => "conforms",
            Self::Undecided => "undecided",
            Self::DoesNotConform => "does not conform",
        }
    }
}

/// Standard uncertainties between a limit and where something is proven: 95 % of one side of a normal distribution, the
/// default of ISO 14253-1:2017 (the text was not available to check against).
const GUARD: f64 = 1.65;

impl Limit {
    /// What an error proves (ISO 14253-1).
    pub fn verdict(&self, error_mm: f64) -> Verdict {
        let guard_mm = GUARD * self.test_sigma_mm;
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

/// All that was scanned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// Balls.
    pub spheres: Vec<SphereScan>,
    /// Ball bars.
    pub bars: Vec<BarScan>,
    /// Flats.
    pub planes: Vec<PlaneScan>,
}

/// One characteristic over all its positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Which.
    pub characteristic: Characteristic,
    /// Its error in each position, mm, in the order of the results.
    pub errors_mm: Vec<f64>,
    /// The error of largest size, with its sign, mm.
    pub worst_mm: f64,
    /// Its limit.
    pub limit: Option<Limit>,
    /// What the worst error proves, where there is a limit.
    pub verdict: Option<Verdict>,
}

/// What came of all scans, before any judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// How they were evaluated.
    pub settings: Settings,
    /// Every ball.
    pub spheres: Vec<SphereResult>,
    /// Every position of a ball bar.
    pub bars: Vec<BarResult>,
    /// Every flat.
    pub planes: Vec<PlaneResult>,
    /// Whether steep points stayed in somewhere, since a viewpoint was not known.
    pub has_unmasked: bool,
}

/// What the whole test proves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acceptance {
    /// What came of the scans.
    pub results: Results,
    /// What was tested, in the order of [`Characteristic::ALL`].
    pub figures: Vec<Figure>,
    /// The worst of all verdicts; none where nothing has a limit. Too few positions leave it undecided at best.
    pub verdict: Option<Verdict>,
    /// What is to be known beside the figures.
    pub notes: Vec<String>,
}

/// Evaluates all scans.
///
/// Fails with a sentence where a setting makes no sense, there is nothing, or a scan cannot be evaluated.
pub fn evaluate(measured: &Measured, settings: &Settings, progress: &Progress) -> Result<Results> {
    settings.check()?;
    let total = measured.spheres.len() + measured.bars.len() + measured.planes.len();
    if total == 0 {
        return Err(UserError::input("There is no scan of a ball, a ball bar or a flat to judge the sensor by."));
    }
    let mut done = 0;
    // Fits are short: they need not report how far they are, only be cancelled.
    let mut next = || {
        let here = done as f32 / total as f32;
        done += 1;
        progress.report(here, "Evaluating").map(|()| progress.part(here, here))
    };
    Ok(Results {
        settings: *settings,
        spheres: measured.spheres.iter().map(|own| probing(own, settings, &next()?)).collect::<Result<_>>()?,
        bars: measured.bars.iter().map(|own| spacing(own, settings, &next()?)).collect::<Result<_>>()?,
        planes: measured.planes.iter().map(|own| flatness(own, settings, &next()?)).collect::<Result<_>>()?,
        has_unmasked: measured.spheres.iter().any(|own| own.viewpoint.is_none())
            || measured.bars.iter().any(|own| own.viewpoint.is_none()),
    })
}

impl Results {
    /// The errors of a characteristic in all its positions, mm.
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

    /// Holds them against limits; a sentence where a limit makes no sense.
    pub fn judged(self, limits: &Limits) -> Result<Acceptance> {
        limits.iter().try_for_each(|(what, limit)| limit.check(*what))?;
        let (mut figures, mut notes) = (Vec::new(), Vec::new());
        for what in Characteristic::ALL {
            let (errors_mm, limit) = (self.errors_mm(what), limits.get(&what).copied());
            if limit.is_some() && errors_mm.len() < what.least_positions() {
                notes.push(format!(
                    "The {} was tested in {} positions; {} are asked for.",
                    what.name(),
                    errors_mm.len(),
                    what.least_positions()
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
            notes.push("Where the viewpoint is not known, steep points of balls were not left out.".to_owned());
        }
        Ok(Acceptance { results: self, figures, verdict, notes })
    }
}
