//! The results as a table: of the report, of its workbook, and as a file for programs.

use serde::Serialize;

use super::series::csv_of;
use base::{LengthUnit, Result};
use session::Document;
use session::plan::Recipe;
use session::results::{ResultRow, RowVerdict, rows};
use texts::{text, word};

/// Columns of `results.csv`.
const COLUMNS: [&str; 13] = [
    "element",
    "item",
    "class",
    "characteristic",
    "nominal",
    "actual",
    "deviation",
    "lower",
    "upper",
    "uncertainty",
    "unit",
    "verdict",
    "why",
];

/// Name in `results.csv` of what a row is of.
fn class(row: &ResultRow) -> &'static str {
    if row.is_check { "check" } else { "feature" }
}

/// All rows with the figures in full, mm, degrees and percent; uncertainties are expanded (k = 2).
pub fn csv(document: &Document) -> Result<Vec<u8>> {
    let record = |row: &ResultRow| {
        (
            (row.name.clone(), row.item.clone(), class(row), row.characteristic.clone()),
            (row.nominal, row.actual, row.deviation),
            (row.lower, row.upper, row.uncertainty),
            (row.unit, row.verdict.name(), row.why.clone()),
        )
    };
    csv_of(&COLUMNS, &rows(document).iter().map(record).collect::<Vec<_>>())
}

/// A line of the report's table.
#[derive(Clone, Debug, Serialize)]
pub struct ResultLine {
    /// Element and characteristic; then nominal, actual, deviation, lower and upper limit and expanded uncertainty.
    pub cells: [String; 8],
    /// Its verdict.
    #[serde(skip)]
    pub verdict: RowVerdict,
}

impl ResultLine {
    fn of(row: &ResultRow, shown: LengthUnit) -> Self {
        // As many places after the decimal point in each row, so that right-aligned columns are aligned on it.
        let decimals = shown.decimals(base::decimals(4));
        let figure = |figure: Option<f64>, has_sign| {
            let text = row.written(figure, shown, has_sign);
            let own = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            let padding = if text.is_empty() { 0 } else { decimals - own.min(decimals) };
            text + &"\u{2007}".repeat(padding)
        };
        Self {
            cells: [
                row.title(),
                format!("{}, {}", word(&row.characteristic), row.shown_unit(shown)).trim_end_matches(", ").to_owned(),
                figure(row.nominal, false),
                figure(row.actual, false),
                figure(row.deviation, true),
                figure(row.lower, false),
                figure(row.upper, false),
                figure(row.uncertainty, false),
            ],
            verdict: row.verdict,
        }
    }

    /// Its verdict as text; “–” where nothing is judged.
    pub fn verdict_text(&self) -> String {
        if self.verdict == RowVerdict::None { "–".to_owned() } else { word(self.verdict.name()).into_owned() }
    }
}

/// The lines of the report's table, lengths in the unit of the report; none where there is nothing but the comparison,
/// which the report states as a whole.
pub(super) fn lines(document: &Document) -> Vec<ResultLine> {
    let rows = rows(document);
    let is_comparison =
        |row: &ResultRow| document.plan.get(row.element).is_some_and(|own| matches!(own.recipe, Recipe::Comparison(_)));
    if rows.iter().all(is_comparison) {
        return Vec::new();
    }
    rows.iter().map(|row| ResultLine::of(row, document.settings.shown_unit)).collect()
}

/// Headings of the columns, in the language of the report.
pub(super) fn headings() -> [String; 9] {
    [
        text!("results-element"),
        text!("results-characteristic"),
        text!("results-nominal"),
        text!("results-actual"),
        text!("results-deviation"),
        text!("results-lower"),
        text!("results-upper"),
        text!("results-uncertainty"),
        text!("results-verdict"),
    ]
}
