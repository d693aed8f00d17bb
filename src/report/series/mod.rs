//! Tables over many parts: one row a part, element and value, and what each value does over the parts.

mod parquet_table;
#[cfg(test)]
mod tests;

use std::path::Path;

use inspect::deviation::Verdict;
use inspect::process_capability::ProcessCapability;
use serde::Serialize;

use base::{Result, UserError};
use io::atomic;
use session::series::{FigureRecord, PartRecord};

/// One row: a value of an element of a part, or that element's fate where it has no value.
#[derive(Clone, Debug, Serialize)]
pub struct Row<'a> {
    /// The part.
    pub part: &'a str,
    /// Its verdict.
    pub part_verdict: &'a str,
    /// The element; empty where the part could not be read at all.
    pub element: &'a str,
    /// What kind of element it is.
    pub kind: &'a str,
    /// What the element decides; empty where it decides nothing.
    pub verdict: &'a str,
    /// The value's name.
    pub figure: &'a str,
    /// The value; `None` where there is none.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: &'a str,
    /// Its expanded uncertainty (k = 2).
    pub uncertainty: Option<f64>,
    /// The least value allowed.
    pub lower: Option<f64>,
    /// The greatest value allowed.
    pub upper: Option<f64>,
    /// What the element came to, or why it came to nothing.
    pub sentence: &'a str,
}

fn name(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "pass",
        Some(Verdict::Fail) => "fail",
        Some(Verdict::Incomplete) => "incomplete",
        None => "",
    }
}

/// The rows of all parts, in their order.
pub fn rows(records: &[PartRecord]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for record in records {
        let of_part = Row {
            part: &record.part,
            part_verdict: name(record.verdict),
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
        // The part as a whole comes first.
        rows.push(Row { verdict: of_part.part_verdict, ..of_part.clone() });
        for element in &record.elements {
            let (verdict, sentence) = (name(element.verdict), element.sentence.as_str());
            let own = Row { element: &element.name, kind: &element.kind, verdict, sentence, ..of_part.clone() };
            if element.figures.is_empty() {
                rows.push(own.clone());
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
                    ..own.clone()
                }
            }));
        }
    }
    rows
}

/// What a value does over the parts.
#[derive(Clone, Debug, Serialize)]
pub struct Trend {
    /// The element.
    pub element: String,
    /// The value's name.
    pub figure: String,
    /// Its unit.
    pub unit: String,
    /// The least value allowed.
    pub lower: Option<f64>,
    /// The greatest value allowed.
    pub upper: Option<f64>,
    /// How many parts are beyond a limit.
    pub beyond: usize,
    /// Its spread.
    #[serde(flatten)]
    pub over_parts: ProcessCapability,
}

/// Every value that some part has, in the plan's order. Limits that are not the same on all parts, as with a bonus at
/// maximum material, make no index.
pub fn trends(records: &[PartRecord]) -> Vec<Trend> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    let mut seen = std::collections::BTreeMap::<(&str, &str), Vec<&FigureRecord>>::new();
    for record in records {
        for element in &record.elements {
            for figure in &element.figures {
                let key = (element.name.as_str(), figure.name.as_str());
                seen.entry(key)
                    .or_insert_with(|| {
                        keys.push(key);
                        Vec::new()
                    })
                    .push(figure);
            }
        }
    }
    let trend = |key: &(&str, &str)| {
        let figures = seen.get(key)?;
        let first = figures.first()?;
        let same = |of: fn(&FigureRecord) -> Option<f64>| {
            let limit = of(first);
            limit.filter(|_| figures.iter().all(|own| of(own) == limit))
        };
        let (lower, upper) = (same(|own| own.lower), same(|own| own.upper));
        let values: Vec<f64> = figures.iter().filter_map(|own| own.value).collect();
        let is_beyond = |own: &&&FigureRecord| {
            own.value.is_some_and(|value| {
                own.lower.is_some_and(|lower| value < lower) || own.upper.is_some_and(|upper| value > upper)
            })
        };
        Some(Trend {
            element: key.0.to_owned(),
            figure: key.1.to_owned(),
            unit: first.unit.clone(),
            lower,
            upper,
            beyond: figures.iter().filter(is_beyond).count(),
            over_parts: ProcessCapability::of(&values, lower, upper)?,
        })
    };
    keys.iter().filter_map(trend).collect()
}

/// Writes `parts.csv`, `parts.parquet` and `statistics.csv` into `folder`.
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
        "count",
        "mean",
        "sigma",
        "least",
        "greatest",
        "cp",
        "cpk",
        "cpk_lower_95",
    ];
    let trends: Vec<_> = trends(records).into_iter().map(flat).collect();
    atomic::write_bytes(&folder.join("statistics.csv"), &csv_of(&names, &trends)?)
}

fn flat(trend: Trend) -> impl Serialize {
    let Trend { element, figure, unit, lower, upper, beyond, over_parts: own } = trend;
    let spread = (own.count, own.mean, own.sigma, own.least, own.greatest);
    (element, figure, unit, lower, upper, beyond, spread, (own.cp, own.cpk, own.cpk_lower_95))
}

fn csv_of(names: &[&str], rows: &[impl Serialize]) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| UserError::internal(format!("The table cannot be written: {e}."));
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(names).map_err(|e| failed(&e))?;
    for row in rows {
        writer.serialize(row).map_err(|e| failed(&e))?;
    }
    writer.into_inner().map_err(|e| failed(&e))
}
