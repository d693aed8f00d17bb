//! CSV tables with column titles and units, for reading and writing.

use std::path::Path;

use csv::StringRecord;

use base::{Result, UserError, regular_file};
use geometry::{Point, Vector};

/// Largest table that is read, bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Longest excerpt of the file in an error message, characters.
const MAX_QUOTED_CHARS: usize = 40;

/// Reads a file as text; invalid UTF-8 is replaced. Returns an error if it cannot be read or exceeds 256 MiB.
pub fn read_text(path: &Path) -> Result<String> {
    let failed = |e: std::io::Error| UserError::file("read", path, &e);
    if regular_file::open(path)?.1 > MAX_BYTES {
        return Err(UserError::input(format!("{}: this is too large for a table of touches.", path.display())));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path).map_err(failed)?).into_owned())
}

/// A table with normalised column titles and rows with their line numbers.
pub struct Table {
    titles: Vec<String>,
    rows: Vec<(u64, StringRecord)>,
    decimal_comma: bool,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    table: &'a Table,
    /// Line number, from 1.
    pub line: u64,
    record: &'a StringRecord,
}

/// Index of a column.
#[derive(Clone, Copy)]
pub struct Column(usize);

impl Table {
    /// Parses `text`. Blank rows are ignored. Returns an error if there is no header line, or a row has more or fewer
    /// cells than the header.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let count = |separator: char| header.matches(separator).count();
        let separator = [';', '\t'].into_iter().find(|separator| count(*separator) > count(',')).unwrap_or(',');
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator as u8)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| UserError::input(format!("The table cannot be read: {e}.")))?;
            let line = line_of(&record, text);
            if !record.iter().all(|cell| cell.trim().is_empty()) {
                rows.push((line, record));
            }
        }
        if rows.is_empty() {
            return Err(UserError::input(
                "The table is empty; a header line and rows of values below it are expected.",
            ));
        }
        let titles: Vec<String> = rows.remove(0).1.iter().map(normalised_title).collect();
        for (line, record) in &rows {
            let (values, expected) = (record.len(), titles.len());
            if values != expected {
                let why =
                    if values < expected { "it may be cut off" } else { "a name that holds a separator needs quotes" };
                return Err(UserError::input(format!(
                    "Line {line} has {values} values, but the header has {expected} columns; {why}."
                )));
            }
        }
        Ok(Self { titles, rows, decimal_comma: separator != ',' })
    }

    /// The rows in file order. Returns an error if there are none.
    pub fn rows(&self) -> Result<impl Iterator<Item = Row<'_>>> {
        if self.rows.is_empty() {
            return Err(UserError::input("The table has a header but no rows of values below it."));
        }
        Ok(self.rows.iter().map(|(line, record)| Row { table: self, line: *line, record }))
    }

    /// Whether there is a column `title`.
    pub fn has(&self, title: &str) -> bool {
        self.titles.iter().any(|other| other == title)
    }

    /// The column `title`, unit included. Returns an error if there is none or more than one.
    pub fn column(&self, title: &str) -> Result<Column> {
        let mut found = self.titles.iter().enumerate().filter(|(_, other)| *other == title).map(|(i, _)| i);
        match (found.next(), found.next()) {
            (Some(column), None) => Ok(Column(column)),
            (Some(_), Some(_)) => Err(UserError::input(format!("There are two columns “{title}”; remove one."))),
            (None, _) => Err(self.missing_column(title)),
        }
    }

    /// The three columns of a vector, by title.
    pub fn vector_columns(&self, [x, y, z]: [&str; 3]) -> Result<[Column; 3]> {
        Ok([self.column(x)?, self.column(y)?, self.column(z)?])
    }

    /// The columns of a point: `{stem}_x_mm`, `{stem}_y_mm`, `{stem}_z_mm`.
    pub fn point_columns(&self, stem: &str) -> Result<[Column; 3]> {
        self.vector_columns(point_titles(stem).each_ref().map(String::as_str))
    }

    fn missing_column(&self, title: &str) -> UserError {
        let other_unit = title.strip_suffix("_mm").and_then(|stem| {
            let unit = |other: &String| other.strip_prefix(stem)?.strip_prefix('_').map(str::to_owned);
            let bare = self.titles.iter().any(|other| other == stem).then(String::new);
            self.titles.iter().find_map(unit).or(bare)
        });
        UserError::input(match other_unit {
            Some(unit) if unit.is_empty() => {
                format!("The column “{title}” has no unit in its title; mm is expected, so add it to the title.")
            }
            Some(unit) => format!(
                "The column “{title}” is expected in mm, but its title says “{}”; convert it to mm.",
                excerpt(&unit)
            ),
            None => format!("There is no column “{title}”; check the header line."),
        })
    }
}

impl Row<'_> {
    /// The trimmed text in a column. Returns an error if it is empty.
    pub fn word(&self, column: Column) -> Result<&str> {
        match self.cell(column) {
            "" => Err(self.error(format!("“{}” is empty", self.title(column)))),
            word => Ok(word),
        }
    }

    /// The number in a column. Returns an error if it is not finite.
    pub fn number(&self, column: Column) -> Result<f64> {
        let word = self.cell(column);
        let has_decimal_comma = self.table.decimal_comma && word.matches(',').count() == 1 && !word.contains('.');
        let number = if has_decimal_comma { word.replace(',', ".").parse() } else { word.parse::<f64>() };
        let number = number.ok().filter(|number| number.is_finite());
        number.ok_or_else(|| {
            self.error(format!("“{}” in “{}” is not a finite number", excerpt(word), self.title(column)))
        })
    }

    /// The point in three columns, mm.
    pub fn point(&self, columns: [Column; 3]) -> Result<Point> {
        let [x, y, z] = columns;
        Ok(Point::new(self.number(x)?, self.number(y)?, self.number(z)?))
    }

    /// The direction in three columns, not normalised. Returns an error if its length is not 1 within 0.001.
    pub fn direction(&self, columns: [Column; 3]) -> Result<Vector> {
        let direction = self.point(columns)?.coords;
        if (direction.norm() - 1.0).abs() > 1e-3 {
            return Err(self.error(format!("the direction has length {:.4}; 1 is expected", direction.norm())));
        }
        Ok(direction)
    }

    /// Error about this row, with its line number.
    pub fn error(&self, what: impl std::fmt::Display) -> UserError {
        UserError::input(format!("Line {}: {what}.", self.line))
    }

    fn cell(&self, column: Column) -> &str {
        self.record.get(column.0).unwrap_or_default().trim()
    }

    fn title(&self, column: Column) -> &str {
        self.table.titles.get(column.0).map_or("", String::as_str)
    }
}

/// Line number on which a record begins. The reader reports the line on which the previous record ended: blank lines in
/// between are added.
fn line_of(record: &StringRecord, text: &str) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = text.get(position.byte() as usize..).unwrap_or_default();
    let blank = rest.bytes().take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|byte| *byte == b'\n');
    position.line() + blank.count() as u64
}

/// Column titles of a point: `{stem}_x_mm`, `{stem}_y_mm`, `{stem}_z_mm`.
pub fn point_titles(stem: &str) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("{stem}_{axis}_mm"))
}

/// Normalises a title: `Start X [mm]` becomes `start_x_mm`.
fn normalised_title(title: &str) -> String {
    let words = title.split(|c: char| c.is_whitespace() || "_[]()".contains(c)).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

fn excerpt(text: &str) -> String {
    if text.chars().count() <= MAX_QUOTED_CHARS {
        text.to_owned()
    } else {
        text.chars().take(MAX_QUOTED_CHARS).chain(['…']).collect()
    }
}

/// Formats a table as CSV text with commas.
pub fn text(titles: &[String], rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |e: csv::Error| UserError::internal(format!("The table cannot be written: {e}."));
    writer.write_record(titles).map_err(failed)?;
    for row in rows {
        writer.write_record(row).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|e| UserError::internal(format!("The table cannot be written: {e}.")))?;
    String::from_utf8(bytes).map_err(|e| UserError::internal(format!("The table is not valid UTF-8: {e}.")))
}

/// Cells of a point or a direction: the shortest decimals that are read back to the same numbers.
pub fn cells(vector: &Vector) -> [String; 3] {
    [vector.x, vector.y, vector.z].map(|value| value.to_string())
}
