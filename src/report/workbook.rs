//! Results as a workbook (XLSX, ECMA-376): figures as numbers, so that a spreadsheet can go on with them; words in the
//! language of this thread.

use rust_xlsxwriter::{Color, Format, FormatAlign, Workbook, Worksheet, XlsxError};

use super::Input;
use super::content::{Content, ReportBlock};
use super::series::{self, Row, Trend};
use super::surface_points::up_to_date;
use base::{Result, UserError};
use inspect::deviation::Verdict;
use session::pipeline::State;
use session::plan::ElementId;
use session::results::ResultRow;
use session::series::PartRecord;
use texts::word;

/// Most characters of a cell.
const MAX_TEXT: usize = 32_767;

/// The workbook of a report: its text, features and checks against their nominals, the results of all elements, the regions out of tolerance, the surface points.
pub fn of_report(input: &Input<'_>, content: &Content, record: PartRecord) -> Result<Vec<u8>> {
    let record = [as_reported(input, record)];
    let records = series::rows(&record);
    let mut tables = vec![summary(content), features_and_checks(input), results(&records, false), regions(input)];
    tables.extend(surface_points(input));
    written(&tables)
}

/// The workbook of a series: the results of all parts, and the statistics of each figure.
pub fn of_series(rows: &[Row<'_>], trends: &[Trend]) -> Result<Vec<u8>> {
    written(&[results(rows, true), statistics(trends)])
}

/// A sheet: a heading for each column, and rows.
struct Table {
    /// Its name in English.
    name: &'static str,
    /// Names of the columns in English, and their widths, in characters.
    columns: Vec<(&'static str, f64)>,
    rows: Vec<Vec<Cell>>,
}

enum Cell {
    Text(String),
    Heading(String),
    /// `pass`, `fail`, another word for what is neither, or empty.
    Verdict(&'static str),
    /// A length in mm or an angle in degrees.
    Measured(Option<f64>),
    /// Another number.
    Number(Option<f64>),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A cell with a term or sentences of the floors below.
fn in_words(english: &str) -> Cell {
    Cell::Text(word(english).into_owned())
}

/// What the report says, in its words and its unit.
fn summary(content: &Content) -> Table {
    let pair = |label: &str, text: &str| vec![Cell::from(label), Cell::from(text)];
    let mut rows = vec![
        vec![Cell::Heading(content.title.clone()), Cell::Heading(content.subtitle.clone())],
        vec![in_words("Verdict"), Cell::Verdict(series::verdict_name(Some(content.status)))],
        pair("", &content.verdict),
        pair("", &content.verdict_reason),
        pair(&word("Date"), &content.date),
    ];
    let mut add = |title: &str, pairs: &[(String, String)]| {
        rows.extend([Vec::new(), vec![Cell::Heading(title.to_owned())]]);
        rows.extend(pairs.iter().map(|(label, text)| pair(label, text)));
    };
    let notes: Vec<(String, String)> = content.notes.iter().map(|note| (String::new(), note.clone())).collect();
    add(&word("Remarks"), &notes);
    for ReportBlock { title, rows, .. } in &content.blocks {
        add(title, rows);
    }
    Table { name: "Summary", columns: vec![("", 38.0), ("", 100.0)], rows }
}

/// The record of a part with the verdict of the report; elements without an up-to-date result say so and have no figures.
fn as_reported(input: &Input<'_>, mut record: PartRecord) -> PartRecord {
    record.verdict = Some(input.overall.verdict);
    record.headline = input.overall.headline();
    for element in &mut record.elements {
        if matches!(input.document.state(ElementId(element.id)), State::Stale) {
            element.verdict = element.is_check.then_some(Verdict::Incomplete);
            element.sentence = "no up-to-date result".to_owned();
            element.figures.clear();
        }
    }
    record
}

/// Rows of elements and figures; of several parts, or of one.
fn results(rows: &[Row<'_>], of_parts: bool) -> Table {
    let mut columns = vec![
        ("Element", 30.0),
        ("Kind", 20.0),
        ("Verdict", 12.0),
        ("Figure", 26.0),
        ("Value", 12.0),
        ("Unit", 7.0),
        ("U (k = 2)", 11.0),
        ("Lower limit", 12.0),
        ("Upper limit", 12.0),
        ("Result", 100.0),
    ];
    let cells = |(index, row): (usize, &Row<'_>)| {
        // What is said of an element stands beside its first figure.
        let before = index.checked_sub(1).and_then(|before| rows.get(before));
        let is_first = before.is_none_or(|before| (before.part, before.element) != (row.part, row.element));
        let number = |value: Option<f64>| match row.unit {
            "mm" | "°" => Cell::Measured(value),
            _ => Cell::Number(value),
        };
        let is_whole_part = row.element.is_empty();
        let mut cells = vec![
            if is_whole_part { Cell::Heading(word("Part").into_owned()) } else { row.element.into() },
            in_words(row.kind),
            Cell::Verdict(row.verdict),
            in_words(row.figure),
            number(row.value),
            row.unit.into(),
            number(row.uncertainty),
            number(row.lower),
            number(row.upper),
            in_words(if is_first { row.sentence } else { "" }),
        ];
        if of_parts {
            cells.insert(0, row.part.into());
        }
        cells
    };
    if of_parts {
        columns.insert(0, ("Part", 24.0));
    }
    Table {
        name: if of_parts { "Parts" } else { "Results" },
        columns,
        rows: rows.iter().enumerate().map(cells).collect(),
    }
}

/// A row for each characteristic of features and checks, as in `results.csv`.
fn features_and_checks(input: &Input<'_>) -> Table {
    let rows = session::results::rows(input.document);
    let cells = |row: &ResultRow| {
        let number = |value: Option<f64>| match row.unit {
            "mm" | "°" => Cell::Measured(value),
            _ => Cell::Number(value),
        };
        vec![
            row.name.as_str().into(),
            row.item.as_str().into(),
            in_words(&row.characteristic),
            number(row.nominal),
            number(row.actual),
            number(row.deviation),
            number(row.lower),
            number(row.upper),
            number(row.uncertainty),
            row.unit.into(),
            Cell::Verdict(row.verdict.name()),
            in_words(&row.why),
        ]
    };
    let columns = vec![
        ("Element", 30.0),
        ("Item", 16.0),
        ("Characteristic", 24.0),
        ("Nominal", 12.0),
        ("Actual", 12.0),
        ("Deviation", 12.0),
        ("Lower limit", 12.0),
        ("Upper limit", 12.0),
        ("U (k = 2)", 11.0),
        ("Unit", 7.0),
        ("Verdict", 12.0),
        ("Remark", 80.0),
    ];
    Table { name: "Features and checks", columns, rows: rows.iter().map(cells).collect() }
}

/// All regions out of tolerance, worst first.
fn regions(input: &Input<'_>) -> Table {
    let rows = input.check.regions.iter().enumerate().map(|(index, region)| {
        let [x, y, z] = region.peak_at_mm.map(|mm| Cell::Measured(Some(mm)));
        let number = Cell::Number(Some(index as f64 + 1.0));
        vec![number, x, y, z, Cell::Number(Some(region.area_mm2)), Cell::Measured(Some(region.peak_mm))]
    });
    let names = ["Region", "Peak x, mm", "Peak y, mm", "Peak z, mm", "Area, mm²", "Peak deviation, mm"];
    Table { name: "Regions", columns: names.map(|name| (name, 19.0)).to_vec(), rows: rows.collect() }
}

/// Surface points; `None` if there are none that are up to date.
fn surface_points(input: &Input<'_>) -> Option<Table> {
    let mut rows = Vec::new();
    for (name, made) in up_to_date(input.document) {
        let tolerance = made.parameters.tolerance;
        for own in &made.points {
            let measured = own.measured.as_ref().ok();
            rows.push(vec![
                name.into(),
                own.name.as_str().into(),
                Cell::Measured(Some(own.at.x)),
                Cell::Measured(Some(own.at.y)),
                Cell::Measured(Some(own.at.z)),
                in_words(own.direction.name()),
                Cell::Measured(measured.map(|(mm, _)| *mm)),
                Cell::Measured(Some(tolerance.low_mm)),
                Cell::Measured(Some(tolerance.high_mm)),
                Cell::Number(measured.map(|(_, count)| *count as f64)),
                Cell::Verdict(series::verdict_name(Some(made.verdict_of(own)))),
            ]);
        }
    }
    let columns = vec![
        ("Element", 24.0),
        ("Point", 18.0),
        ("x, mm", 12.0),
        ("y, mm", 12.0),
        ("z, mm", 12.0),
        ("Along", 12.0),
        ("Deviation, mm", 15.0),
        ("Lower limit, mm", 17.0),
        ("Upper limit, mm", 17.0),
        ("Scan points", 13.0),
        ("Verdict", 14.0),
    ];
    (!rows.is_empty()).then_some(Table { name: "Surface points", columns, rows })
}

/// Statistics of each figure over the parts.
fn statistics(trends: &[Trend]) -> Table {
    let columns = vec![
        ("Element", 30.0),
        ("Figure", 26.0),
        ("Unit", 7.0),
        ("Lower limit", 12.0),
        ("Upper limit", 12.0),
        ("Beyond limits", 14.0),
        ("In doubt", 10.0),
        ("Parts", 8.0),
        ("Mean", 12.0),
        ("Sigma", 12.0),
        ("Least", 12.0),
        ("Greatest", 12.0),
        ("Pp", 9.0),
        ("Ppk", 9.0),
        ("Ppk, lower 95 %", 16.0),
    ];
    let cells = |own: &Trend| {
        let over_parts = &own.over_parts;
        vec![
            own.element.as_str().into(),
            in_words(&own.figure),
            own.unit.as_str().into(),
            Cell::Measured(own.lower),
            Cell::Measured(own.upper),
            Cell::Number(Some(own.beyond as f64)),
            Cell::Number(Some(own.in_doubt as f64)),
            Cell::Number(Some(over_parts.count as f64)),
            Cell::Measured(Some(over_parts.mean)),
            Cell::Measured(over_parts.sigma),
            Cell::Measured(Some(over_parts.least)),
            Cell::Measured(Some(over_parts.greatest)),
            Cell::Number(over_parts.pp),
            Cell::Number(over_parts.ppk),
            Cell::Number(over_parts.ppk_lower_95),
        ]
    };
    Table { name: "Statistics", columns, rows: trends.iter().map(cells).collect() }
}

/// The workbook of some tables, as the bytes of its file.
fn written(tables: &[Table]) -> Result<Vec<u8>> {
    let mut workbook = Workbook::new();
    let mut write = || -> std::result::Result<Vec<u8>, XlsxError> {
        for table in tables {
            table.write(workbook.add_worksheet())?;
        }
        workbook.save_to_buffer()
    };
    write().map_err(|e| UserError::internal(format!("The workbook cannot be written: {e}.")))
}

impl Table {
    fn write(&self, sheet: &mut Worksheet) -> std::result::Result<(), XlsxError> {
        sheet.set_name(word(self.name))?.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0);
        for (column, (_, width)) in (0..).zip(&self.columns) {
            sheet.set_column_width(column, *width)?;
        }
        let has_heads = self.columns.iter().any(|(name, _)| !name.is_empty());
        if has_heads {
            let head = Format::new().set_bold().set_background_color(Color::RGB(0x00E7_EBF0));
            for (column, (name, _)) in self.columns.iter().enumerate() {
                let is_number =
                    |cells: &Vec<Cell>| matches!(cells.get(column), Some(Cell::Measured(_) | Cell::Number(_)));
                let head = match self.rows.iter().any(is_number) {
                    true => head.clone().set_align(FormatAlign::Right),
                    false => head.clone(),
                };
                sheet.write_string_with_format(0, column as u16, word(name), &head)?;
            }
            let last = (self.rows.len() as u32, self.columns.len() as u16 - 1);
            sheet.set_freeze_panes(1, 0)?.set_repeat_rows(0, 0)?.autofilter(0, 0, last.0, last.1)?;
        }
        for (row, cells) in (u32::from(has_heads)..).zip(&self.rows) {
            let mut lines = 1.0_f64;
            for ((column, cell), (_, width)) in (0..).zip(cells).zip(&self.columns) {
                cell.write(sheet, row, column)?;
                lines = lines.max(cell.lines(*width));
            }
            if lines > 1.0 {
                sheet.set_row_height(row, LINE_HEIGHT * lines)?;
            }
        }
        Ok(())
    }
}

/// The number of a paper in ECMA-376.
const A4: u8 = 9;

/// Height of a line of text, in points, and how many letters stand in it for each of the digits that widths are given in.
const LINE_HEIGHT: f64 = 15.0;
const LETTERS: f64 = 1.1;

impl Cell {
    /// How many lines it takes in a column of some width, in characters.
    fn lines(&self, width: f64) -> f64 {
        match self {
            Self::Text(text) => {
                text.split('\n').map(|line| (line.chars().count() as f64 / (LETTERS * width)).ceil().max(1.0)).sum()
            }
            _ => 1.0,
        }
    }

    fn write(&self, sheet: &mut Worksheet, row: u32, column: u16) -> std::result::Result<(), XlsxError> {
        let top = Format::new().set_align(FormatAlign::Top);
        match self {
            Self::Text(text) if text.is_empty() => {}
            Self::Verdict("") | Self::Measured(None) | Self::Number(None) => {}
            Self::Text(text) => {
                sheet.write_string_with_format(row, column, shortened(text), &top.set_text_wrap())?;
            }
            Self::Heading(text) => {
                sheet.write_string_with_format(row, column, shortened(text), &top.set_bold())?;
            }
            Self::Verdict(verdict) => {
                let (ink, fill) = match *verdict {
                    "pass" => (0x0000_6100, 0x00C6_EFCE),
                    "fail" => (0x009C_0006, 0x00FF_C7CE),
                    _ => (0x007F_6000, 0x00FF_EB9C),
                };
                let colours = top.set_font_color(Color::RGB(ink)).set_background_color(Color::RGB(fill));
                sheet.write_string_with_format(row, column, word(verdict), &colours)?;
            }
            Self::Measured(Some(value)) => {
                sheet.write_number_with_format(row, column, *value, &top.set_num_format("0.0000"))?;
            }
            Self::Number(Some(value)) => {
                let format = if value.fract() == 0.0 { top } else { top.set_num_format("0.00") };
                sheet.write_number_with_format(row, column, *value, &format)?;
            }
        }
        Ok(())
    }
}

/// A text as far as it fits into a cell.
fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
