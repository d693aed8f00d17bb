//! Result tables of a series of parts: one row per part, element and value, and statistics of each value.

mod parquet_table;
#[cfg(test)]
mod tests;

use std::path::Path;

use inspect::deviation::Verdict;
use inspect::process_performance::ProcessPerformance;
use serde::Serialize;

use super::workbook;
use base::{Result, UserError};
use io::atomic;
use session::series::{FigureRecord, PartRecord};

/// Table row: a value of an element of a part, or the outcome of an element without values.
#[derive(Clone, Debug, Serialize)]
pub struct Row<'a> {
    /// Name of the part.
    pub part: &'a str,
    /// Verdict on the part: `pass`, `fail`, `incomplete` or empty.
    pub part_verdict: &'static str,
    /// Name of the element; empty in the row of the part as a whole.
    pub element: &'a str,
    /// Kind of element.
    pub kind: &'a str,
    /// Verdict of the element, or of the part in its own row; empty if there is none.
    pub verdict: &'static str,
    /// Name of the value.
    pub figure: &'a str,
    /// Value, in `unit`; `None` if there is none.
    pub value: Option<f64>,
    /// Unit.
    pub unit: &'a str,
    /// Expanded uncertainty (k = 2), in `unit`.
    pub uncertainty: Option<f64>,
    /// Lower limit, in `unit`.
    pub lower: Option<f64>,
    /// Upper limit, in `unit`.
    pub upper: Option<f64>,
    /// Result in words, or the error message.
    pub sentence: &'a str,
}

/// Name of a verdict in tables; empty if there is none.
pub(super) fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "pass",
        Some(Verdict::Fail) => "fail",
        Some(Verdict::Incomplete) => "incomplete",
        None => "",
    }
}

/// The rows of all parts in the given order; the first row of each is the part as a whole.
pub fn rows(records: &[PartRecord]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for record in records {
        let of_part = Row {
            part: &record.part,
            part_verdict: verdict_name(record.verdict),
            element: "",
            kind: "",
            verdict: "",
            figure: "",
            value: None,
            unit: "",
            uncertainty: None,
            lower: None,
            upper: None,
            sentence: record.error.as_deref().unwrap_or(&record.headline),
        };
        rows.push(Row { verdict: of_part.part_verdict, ..of_part.clone() });
        for element in &record.elements {
            let (verdict, sentence) = (verdict_name(element.verdict), element.sentence.as_str());
            let of_element = Row { element: &element.name, kind: &element.kind, verdict, sentence, ..of_part.clone() };
            if element.figures.is_empty() {
                rows.push(of_element.clone());
            }
            rows.extend(element.figures.iter().map(|figure| {
                let FigureRecord { name, unit, value, uncertainty, lower, upper } = figure;
                Row {
                    figure: name,
                    value: *value,
                    unit,
                    uncertainty: *uncertainty,
                    lower: *lower,
                    upper: *upper,
                    ..of_element.clone()
                }
            }));
        }
    }
    rows
}

/// Statistics of a value over the parts of a series.
#[derive(Clone, Debug, Serialize)]
pub struct Trend {
    /// Name of the element.
    pub element: String,
    /// Name of the value.
    pub figure: String,
    /// Unit.
    pub unit: String,
    /// Lower limit, in `unit`.
    pub lower: Option<f64>,
    /// Upper limit, in `unit`.
    pub upper: Option<f64>,
    /// Number of parts with the value beyond a limit by more than its uncertainty.
    pub beyond: usize,
    /// Number of parts with the value nearer to a limit than its uncertainty.
    pub in_doubt: usize,
    /// Mean, spread and performance indices.
    #[serde(flatten)]
    pub over_parts: ProcessPerformance,
}

/// Where a value lies with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Within its limits, or without any.
    Within,
    /// Nearer to a limit than its uncertainty.
    InDoubt,
    /// Beyond a limit.
    Beyond,
}

/// Where the value of a figure lies; `None` without a value.
pub fn place_of(figure: &FigureRecord) -> Option<Place> {
    let (value, uncertainty) = (figure.value?, figure.uncertainty.unwrap_or_default());
    // How far it is beyond the limit that it is farthest beyond.
    let beyond = figure.lower.map(|lower| lower - value).into_iter().chain(figure.upper.map(|upper| value - upper));
    let beyond = beyond.fold(f64::NEG_INFINITY, f64::max);
    Some(if beyond > uncertainty {
        Place::Beyond
    } else if beyond > -uncertainty {
        Place::InDoubt
    } else {
        Place::Within
    })
}

/// Statistics of every value, in the order of first occurrence. Limits that differ between the parts, as with the bonus
/// tolerance of the maximum material requirement, are omitted and give no performance index.
pub fn trends(records: &[PartRecord]) -> Vec<Trend> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    let mut values_by_key = std::collections::BTreeMap::<(&str, &str), Vec<&FigureRecord>>::new();
    for record in records {
        for element in &record.elements {
            for figure in &element.figures {
                let key = (element.name.as_str(), figure.name.as_str());
                values_by_key
                    .entry(key)
                    .or_insert_with(|| {
                        keys.push(key);
                        Vec::new()
                    })
                    .push(figure);
            }
        }
    }
    let trend = |key: &(&str, &str)| {
        let figures = values_by_key.get(key)?;
        let first = figures.first()?;
        let common_limit = |of: fn(&FigureRecord) -> Option<f64>| {
            let limit = of(first);
            limit.filter(|_| figures.iter().all(|figure| of(figure) == limit))
        };
        let (lower, upper) = (common_limit(|figure| figure.lower), common_limit(|figure| figure.upper));
        let values: Vec<f64> = figures.iter().filter_map(|figure| figure.value).collect();
        let count = |place: Place| figures.iter().filter(|figure| place_of(figure) == Some(place)).count();
        Some(Trend {
            element: key.0.to_owned(),
            figure: key.1.to_owned(),
            unit: first.unit.clone(),
            lower,
            upper,
            beyond: count(Place::Beyond),
            in_doubt: count(Place::InDoubt),
            over_parts: ProcessPerformance::of(&values, lower, upper)?,
        })
    };
    keys.iter().filter_map(trend).collect()
}

/// Writes `parts.csv`, `parts.parquet`, `statistics.csv`, and all of it as `results.xlsx`, whose words are in the
/// language of this thread, into `folder`.
///
/// Returns an error if a file cannot be written.
pub fn write_tables(folder: &Path, records: &[PartRecord]) -> Result<()> {
    let rows = rows(records);
    let names = [
        "part",
        "part_verdict",
        "element",
        "kind",
        "verdict",
        "figure",
        "value",
        "unit",
        "uncertainty",
        "lower",
        "upper",
        "sentence",
    ];
    atomic::write_bytes(&folder.join("parts.csv"), &csv_of(&names, &rows)?)?;
    atomic::write_bytes(&folder.join("parts.parquet"), &parquet_table::of(&rows)?)?;
    let names = [
        "element",
        "figure",
        "unit",
        "lower",
        "upper",
        "beyond",
        "in_doubt",
        "count",
        "mean",
        "sigma",
        "least",
        "greatest",
        "pp",
        "ppk",
        "ppk_lower_95",
    ];
    let trends = trends(records);
    atomic::write_bytes(&folder.join("results.xlsx"), &workbook::of_series(&rows, &trends)?)?;
    let trends: Vec<_> = trends.into_iter().map(flattened).collect();
    atomic::write_bytes(&folder.join("statistics.csv"), &csv_of(&names, &trends)?)
}

/// The columns of `statistics.csv`, in order.
fn flattened(trend: Trend) -> impl Serialize {
    let Trend { element, figure, unit, lower, upper, beyond, in_doubt, over_parts: statistics } = trend;
    let spread = (statistics.count, statistics.mean, statistics.sigma, statistics.least, statistics.greatest);
    (
        element,
        figure,
        unit,
        lower,
        upper,
        [beyond, in_doubt],
        spread,
        (statistics.pp, statistics.ppk, statistics.ppk_lower_95),
    )
}

pub(super) fn csv_of(names: &[&str], rows: &[impl Serialize]) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| UserError::internal(format!("The table cannot be written: {e}."));
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(names).map_err(|e| failed(&e))?;
    for row in rows {
        writer.serialize(row).map_err(|e| failed(&e))?;
    }
    writer.into_inner().map_err(|e| failed(&e))
}
