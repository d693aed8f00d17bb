//! Evaluation of successive calibrations: control charts, drift, agreement with a certificate.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::chart::Chart;
use super::drift::Drift;
use super::scatter::Scatter;
use super::{Quantity, Record};
use base::{Result, UserError, text_table};

/// Certified values of the six quantities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Position, mm.
    pub shift_mm: [f64; 3],
    /// Angles of `Rx Ry Rz`, rad.
    pub angles_rad: [f64; 3],
    /// Expanded uncertainties (k = 2) of the position, mm.
    pub shift_uncertainty_mm: [f64; 3],
    /// Expanded uncertainties (k = 2) of the angles, rad.
    pub angles_uncertainty_rad: [f64; 3],
}

impl Certificate {
    /// Converts to a record, which has standard uncertainties.
    fn record(&self) -> Record {
        Record {
            unix_s: 0,
            shift_mm: self.shift_mm,
            angles_rad: self.angles_rad,
            shift_sigma_mm: self.shift_uncertainty_mm.map(|own| own / COVERAGE),
            angles_sigma_rad: self.angles_uncertainty_rad.map(|own| own / COVERAGE),
        }
    }
}

/// Coverage factor of expanded uncertainties.
const COVERAGE: f64 = 2.0;
/// Recommended number of calibrations for control limits (ISO 7870-2 mentions some 20 to 25 subgroups).
const RECOMMENDED_COUNT: usize = 20;
/// Minimum number of calibrations of a chart: among four, an outlier always lies within the limits that it widens
/// itself, however large it is.
pub(super) const MIN_CHARTED: usize = 5;

/// Comparison of the last calibration with the certificate, in the unit of the quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Last calibration minus certificate; for angles, wrapped to ±180°.
    pub difference: f64,
    /// Combined expanded uncertainty (k = 2) of both.
    pub uncertainty: f64,
    /// Normalised error En = |d| / √(U1² + U2²); agreement up to 1.
    pub normalised_error: f64,
}

impl Agreement {
    /// Whether the difference is within the combined expanded uncertainty.
    pub fn holds(&self) -> bool {
        self.normalised_error <= 1.0
    }
}

/// One quantity over all calibrations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantified {
    /// The quantity.
    pub quantity: Quantity,
    /// Control charts.
    pub chart: Chart,
    /// Root mean square of the stated standard uncertainties: the expected standard deviation.
    pub stated_sigma: f64,
    /// Scatter compared with the stated uncertainties; `None` if a calibration states none.
    #[serde(default)]
    pub scatter: Option<Scatter>,
    /// Drift; `None` for fewer than three calibrations, or if all have the same time.
    pub drift: Option<Drift>,
    /// Comparison of the last value with the certificate, if there is one.
    pub agreement: Option<Agreement>,
}

/// Evaluation of successive calibrations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeatability {
    /// Times of the calibrations, seconds since 1970, in ascending order.
    pub unix_s: Vec<i64>,
    /// The six quantities.
    pub quantities: Vec<Quantified>,
    /// Findings in sentences.
    pub sentences: Vec<String>,
}

impl Repeatability {
    /// Evaluates at least two calibrations, in any order.
    ///
    /// Returns an error if there are fewer, if a record or the certificate fails [`Record::check`], or if neither the
    /// last calibration nor the certificate states an uncertainty.
    pub fn of(records: &[Record], certificate: Option<&Certificate>) -> Result<Self> {
        if records.len() < 2 {
            return Err(UserError::input(format!(
                "Repeatability needs at least two calibrations, and {RECOMMENDED_COUNT} for reliable limits; there are \
                 {}.",
                records.len()
            )));
        }
        for (i, record) in records.iter().enumerate() {
            record.check().map_err(|error| error.about(&format!("Calibration {}", i + 1)))?;
        }
        let mut records = records.to_vec();
        records.sort_by_key(|record| record.unix_s);
        let certificate = certificate.map(Certificate::record);
        if let Some(own) = &certificate {
            own.check().map_err(|error| error.about("Certificate"))?;
        }
        let quantities = Quantity::ALL
            .into_iter()
            .map(|quantity| quantity_history(quantity, &records, certificate.as_ref()))
            .collect::<Result<Vec<_>>>()?;
        let mut repeatability =
            Self { unix_s: records.iter().map(|record| record.unix_s).collect(), quantities, sentences: Vec::new() };
        repeatability.sentences = repeatability.findings();
        Ok(repeatability)
    }

    /// Whether no rule applies at the last calibration, no quantity drifts, and the stated uncertainties explain how the
    /// calibrations scatter. `None` if there are too few calibrations for control charts.
    ///
    /// By chance, one of all rules on six charts applies at about one calibration in fifteen: a finding calls for a
    /// check and a repetition, not for a repair.
    pub fn in_control(&self) -> Option<bool> {
        let is_quiet = |own: &Quantified| {
            own.chart.findings.iter().all(|finding| finding.run < self.unix_s.len())
                && !own.drift.is_some_and(|drift| drift.is_significant())
                && own.scatter.is_none_or(|scatter| scatter.is_explained())
        };
        let is_quiet = self.quantities.iter().all(is_quiet);
        (self.unix_s.len() >= MIN_CHARTED || !is_quiet).then_some(is_quiet)
    }

    fn findings(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.unix_s.len() < RECOMMENDED_COUNT {
            sentences.push(format!(
                "The control limits are based on only {} calibrations; at least {RECOMMENDED_COUNT} are recommended.",
                self.unix_s.len()
            ));
        }
        let mut earlier = BTreeSet::new();
        for own in &self.quantities {
            let quantity = own.quantity;
            for finding in &own.chart.findings {
                if finding.run < self.unix_s.len() {
                    earlier.insert(finding.run);
                    continue;
                }
                let value = own.chart.values.last().copied().unwrap_or_default();
                sentences.push(format!(
                    "The {quantity} of the last calibration, {}, {}.",
                    quantity.shown(value),
                    finding.rule.says()
                ));
            }
            if let Some(drift) = own.drift.filter(Drift::is_significant) {
                sentences.push(format!(
                    "The {quantity} drifts by {} per hour (standard uncertainty {}), which is statistically \
                     significant.",
                    quantity.shown_small(drift.per_hour),
                    quantity.shown_small(drift.sigma_per_hour)
                ));
            }
        }
        let wide = self.quantities.iter().filter_map(|own| Some((own, own.scatter.filter(|own| !own.is_explained())?)));
        sentences.extend(wide.clone().map(|(own, scatter)| {
            format!(
                "The {} scatters by {} (standard deviation), {:.2} times its stated standard uncertainty; chance explains \
                 at most {:.2} times.",
                own.quantity,
                own.quantity.shown_small(own.chart.standard_deviation),
                scatter.ratio,
                scatter.limit
            )
        }));
        if wide.count() > 0 {
            sentences.push(
                "The calibrations differ by more than they state: check the mounting for play, the warm-up and the stated \
                 errors of both instruments. A sensor that was mounted anew needs a log of its own."
                    .to_owned(),
            );
        }
        if self.in_control() == Some(true) {
            sentences
                .push("At the last calibration all six quantities are in control, and none of them drifts.".to_owned());
        }
        if !earlier.is_empty() {
            let runs: Vec<String> = earlier.iter().map(usize::to_string).collect();
            sentences
                .push(format!("Rules also applied at earlier calibrations, see their charts: {}.", runs.join(", ")));
        }
        let compared: Vec<(Quantity, Agreement)> =
            self.quantities.iter().filter_map(|own| Some((own.quantity, own.agreement?))).collect();
        for (quantity, agreement) in compared.iter().filter(|(_, agreement)| !agreement.holds()) {
            sentences.push(format!(
                "The {quantity} of the last calibration differs from the certificate by {}, more than the combined \
                 uncertainty explains (En = {:.2}); check what has moved.",
                quantity.shown_small(agreement.difference),
                agreement.normalised_error
            ));
        }
        let worst = compared.iter().max_by(|a, b| a.1.normalised_error.total_cmp(&b.1.normalised_error));
        if let Some((quantity, agreement)) = worst.filter(|(_, agreement)| agreement.holds()) {
            sentences.push(format!(
                "The last calibration agrees with the certificate; the {quantity} deviates most (En = {:.2}).",
                agreement.normalised_error
            ));
        }
        sentences
    }

    /// Plain text: a table of the six quantities, lengths in mm and angles in rad, followed by the sentences.
    pub fn text(&self) -> String {
        let titles = [
            "quantity",
            "unit",
            "mean",
            "std dev",
            "stated",
            "ratio",
            "limit",
            "lower limit",
            "upper limit",
            "drift / h",
            "p-value",
            "En",
        ];
        let row = |own: &Quantified| {
            let digits = |value: f64| format!("{value:.6}");
            let small = |value: f64| format!("{value:.2e}");
            vec![
                own.quantity.to_string(),
                own.quantity.unit().to_owned(),
                digits(own.chart.mean),
                small(own.chart.standard_deviation),
                small(own.stated_sigma),
                own.scatter.map_or("-".to_owned(), |scatter| format!("{:.2}", scatter.ratio)),
                own.scatter.map_or("-".to_owned(), |scatter| format!("{:.2}", scatter.limit)),
                digits(own.chart.limits[0]),
                digits(own.chart.limits[1]),
                own.drift.map_or("-".to_owned(), |drift| small(drift.per_hour)),
                own.drift.map_or("-".to_owned(), |drift| format!("{:.3}", drift.p_value)),
                own.agreement.map_or("-".to_owned(), |agreement| format!("{:.2}", agreement.normalised_error)),
            ]
        };
        let rows: Vec<Vec<String>> = self.quantities.iter().map(row).collect();
        text_table::aligned(&titles, &rows) + "\n" + &self.sentences.join("\n") + "\n"
    }
}

fn quantity_history(quantity: Quantity, records: &[Record], certificate: Option<&Record>) -> Result<Quantified> {
    let too_few = || UserError::internal("A chart of fewer than two calibrations.");
    let (first, last) = records.first().zip(records.last()).ok_or_else(too_few)?;
    // Angles are unwrapped, so that there is no jump in the chart.
    let start = quantity.value(first);
    let values = records.iter().map(|record| start + quantity.difference(quantity.value(record), start)).collect();
    let chart = Chart::of(values).ok_or_else(too_few)?;
    let hours: Vec<f64> = records.iter().map(|record| (record.unix_s - first.unix_s) as f64 / 3600.0).collect();
    let agreement = certificate.map(|own| agreement(quantity, last, own)).transpose()?;
    let sigmas: Vec<f64> = records.iter().map(|record| quantity.sigma(record)).collect();
    let squares: f64 = sigmas.iter().map(|sigma| sigma * sigma).sum();
    Ok(Quantified {
        quantity,
        scatter: Scatter::of(&chart.values, &sigmas),
        drift: Drift::of(&hours, &chart.values),
        chart,
        stated_sigma: (squares / records.len() as f64).sqrt(),
        agreement,
    })
}

fn agreement(quantity: Quantity, last: &Record, certificate: &Record) -> Result<Agreement> {
    let difference = quantity.difference(quantity.value(last), quantity.value(certificate));
    let uncertainty = COVERAGE * quantity.sigma(last).hypot(quantity.sigma(certificate));
    if !(uncertainty > 0.0) {
        return Err(UserError::input(format!(
            "Neither the last calibration nor the certificate states an uncertainty of the {quantity}; without one \
             they cannot be compared."
        )));
    }
    Ok(Agreement { difference, uncertainty, normalised_error: difference.abs() / uncertainty })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    const SIGMA: [f64; 6] = [0.003, 0.004, 0.005, 2e-5, 3e-5, 4e-5];
    const TRUTH: [f64; 6] = [12.0, -7.0, 300.0, 0.01, -0.02, std::f64::consts::PI];

    fn record(hour: f64, change: impl Fn(usize) -> f64) -> Record {
        let at = |k: usize| TRUTH[k] + change(k);
        // The last angle lies at 180°: it is reported on either side.
        let wrapped = |angle: f64| angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round();
        Record {
            unix_s: 1_700_000_000 + (3600.0 * hour) as i64,
            shift_mm: [at(0), at(1), at(2)],
            angles_rad: [at(3), at(4), at(5)].map(wrapped),
            shift_sigma_mm: [SIGMA[0], SIGMA[1], SIGMA[2]],
            angles_sigma_rad: [SIGMA[3], SIGMA[4], SIGMA[5]],
        }
    }

    fn noisy(count: usize, seed: u64, extra: impl Fn(usize, usize) -> f64) -> Vec<Record> {
        let mut random = Random::new(seed, 11);
        (0..count)
            .map(|i| {
                let draws: Vec<f64> = SIGMA.iter().map(|sigma| sigma * random.normal()).collect();
                record(2.0 * i as f64, |k| draws[k] + extra(i, k))
            })
            .collect()
    }

    fn certificate() -> Certificate {
        Certificate {
            shift_mm: [TRUTH[0], TRUTH[1], TRUTH[2]],
            angles_rad: [TRUTH[3], TRUTH[4], -TRUTH[5]],
            shift_uncertainty_mm: [0.006; 3],
            angles_uncertainty_rad: [6e-5; 3],
        }
    }

    #[test]
    fn a_quiet_run_is_recovered_with_its_spread() {
        let mut records = noisy(60, 3, |_, _| 0.0);
        Random::new(1, 1).shuffle(&mut records);
        let found = Repeatability::of(&records, None).unwrap();
        assert!(found.unix_s.is_sorted());
        for (k, own) in found.quantities.iter().enumerate() {
            let off = own.quantity.difference(own.chart.mean, TRUTH[k]);
            assert!(off.abs() < 4.0 * SIGMA[k] / 60.0_f64.sqrt(), "{} {off}", own.quantity);
            for spread in [own.chart.standard_deviation, own.chart.sigma] {
                assert!((spread / SIGMA[k] - 1.0).abs() < 0.35, "{} {spread}", own.quantity);
            }
            assert!((own.stated_sigma / SIGMA[k] - 1.0).abs() < 1e-12);
            assert!(!own.drift.unwrap().is_significant() && own.agreement.is_none());
            let scatter = own.scatter.unwrap();
            assert!(
                scatter.is_explained()
                    && (scatter.ratio / (own.chart.standard_deviation / SIGMA[k]) - 1.0).abs() < 1e-9
            );
        }
        println!("{}", found.text());
        assert_eq!(found.in_control(), Some(true));
        assert!(found.sentences.iter().any(|own| own.contains("earlier calibrations")));
        assert_eq!(serde_json::from_str::<Repeatability>(&serde_json::to_string(&found).unwrap()).unwrap(), found);
    }

    #[test]
    fn a_drift_of_one_quantity_is_named_with_its_size() {
        let found = Repeatability::of(&noisy(30, 5, |i, k| if k == 2 { 0.0005 * 2.0 * i as f64 } else { 0.0 }), None);
        let found = found.unwrap();
        for own in &found.quantities {
            let drift = own.drift.unwrap();
            assert_eq!(drift.is_significant(), own.quantity == Quantity::ShiftZ, "{}", own.quantity);
            if own.quantity == Quantity::ShiftZ {
                assert!((drift.per_hour - 0.0005).abs() < 3.0 * drift.sigma_per_hour && drift.sigma_per_hour < 1e-4);
            }
        }
        assert_eq!(found.in_control(), Some(false));
        assert!(
            found.sentences.iter().any(|own| own.starts_with("The shift along Z drifts by 0.")),
            "{:?}",
            found.sentences
        );
    }

    /// Six mountings of a sensor with half a millimetre of play are quiet by their own control limits; by the uncertainty
    /// that they state they are not.
    #[test]
    fn a_scatter_beyond_the_stated_uncertainty_is_named() {
        let play = [0.25, -0.31, 0.12, -0.22, 0.34, -0.18];
        let loose = Repeatability::of(&noisy(6, 7, |i, k| if k == 0 { play[i] } else { 0.0 }), None).unwrap();
        for own in &loose.quantities {
            assert!(own.quantity != Quantity::ShiftX || own.chart.findings.is_empty(), "{:?}", own.chart.findings);
            assert_eq!(own.scatter.unwrap().is_explained(), own.quantity != Quantity::ShiftX, "{own:?}");
        }
        assert_eq!(loose.in_control(), Some(false));
        let sentences = loose.sentences.join(" ");
        assert!(
            sentences.contains("The shift along X scatters by 2") && sentences.contains("a log of its own"),
            "{sentences}"
        );
        assert!(!sentences.contains("in control"), "{sentences}");
        // The last angle lies at 180° and jumps by a full turn: that is no scatter.
        assert!(loose.quantities[5].scatter.unwrap().ratio < 2.0);
        // An uncertainty that is not stated judges nothing.
        let mut unstated = noisy(6, 7, |_, _| 0.0);
        unstated[3].shift_sigma_mm[1] = 0.0;
        let found = Repeatability::of(&unstated, None).unwrap();
        assert!(found.quantities[1].scatter.is_none() && found.quantities[2].scatter.is_some());
    }

    #[test]
    fn the_quantity_that_left_its_certificate_is_named() {
        let records = noisy(25, 8, |i, k| if i == 24 && k == 4 { 3e-4 } else { 0.0 });
        let found = Repeatability::of(&records, Some(&certificate())).unwrap();
        let last = records.last().unwrap();
        for own in &found.quantities {
            let agreement = own.agreement.unwrap();
            assert_eq!(agreement.holds(), own.quantity != Quantity::AngleY, "{} {agreement:?}", own.quantity);
        }
        // By hand: the last angle against the combined uncertainty.
        let by_hand = (last.angles_rad[1] - TRUTH[4]).abs() / (6e-5_f64.powi(2) + (2.0 * SIGMA[4]).powi(2)).sqrt();
        assert!((found.quantities[4].agreement.unwrap().normalised_error - by_hand).abs() < 1e-12);
        assert!(found.sentences.iter().any(|own| own.contains("angle about Y of the last calibration differs")));
        assert!(found.sentences.iter().any(|own| own.contains("angle about Y of the last") && own.contains("three")));
        let agreeing = Repeatability::of(&records[..24], Some(&certificate())).unwrap();
        assert!(
            agreeing.sentences.iter().any(|own| own.contains("agrees with the certificate")),
            "{:?}",
            agreeing.sentences
        );
    }

    #[test]
    fn what_cannot_be_evaluated_is_an_error() {
        let records = noisy(3, 1, |_, _| 0.0);
        assert!(Repeatability::of(&records[..1], None).unwrap_err().sentence.contains("at least two"));
        let found = Repeatability::of(&records[..2], None).unwrap();
        assert!(found.quantities[0].drift.is_none() && found.sentences[0].contains("only 2 calibrations"));
        // Two calibrations are too few to be called in control.
        assert!(found.in_control().is_none() && !found.sentences.iter().any(|own| own.contains("in control")));
        let mut bad = records.clone();
        bad[1].angles_rad[2] = f64::INFINITY;
        assert!(Repeatability::of(&bad, None).unwrap_err().sentence.starts_with("Calibration 2"));
        let mut unsure = records.clone();
        unsure[2].shift_sigma_mm = [0.0; 3];
        let sure = Certificate { shift_uncertainty_mm: [0.0; 3], ..certificate() };
        assert!(Repeatability::of(&unsure, Some(&sure)).unwrap_err().sentence.contains("cannot be compared"));
        let same = vec![records[0]; 30];
        let still = Repeatability::of(&same, None).unwrap();
        assert!(still.in_control() == Some(true) && still.quantities[0].drift.is_none());
    }
}
