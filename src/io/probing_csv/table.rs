//! Tables with titles and units, for reading and writing.

use std::path::Path;

use csv::StringRecord;

use base::{Result, UserError};
use geometry::{Point, Vector};

/// Largest table that is read, bytes: touches are few.
const MOST_BYTES: u64 = 256 << 20;
/// Longest piece of the file that a sentence repeats, characters.
const SHOWN: usize = 40;

/// The text of a file; bytes that are not UTF-8 are replaced.
pub fn text_of(path: &Path) -> Result<String> {
    let failed = |e: std::io::Error| UserError::file("read", path, &e);
    if std::fs::metadata(path).map_err(failed)?.len() > MOST_BYTES {
        return Err(UserError::input(format!("{}: this is too large for a table of touches.", path.display())));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path).map_err(failed)?).into_owned())
}

/// A table: its titles and where its rows are.
pub struct Table {
    titles: Vec<String>,
    rows: Vec<(u64, StringRecord)>,
    decimal_comma: bool,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    table: &'a Table,
    /// Number of its line, from 1.
    pub line: u64,
    record: &'a StringRecord,
}

/// Which column holds what.
#[derive(Clone, Copy)]
pub struct Column(usize);

impl Table {
    /// Splits `text` into titles and rows. Every row has as many cells as there are titles.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let count = |separator: char| first.matches(separator).count();
        let separator = [';', '\t'].into_iter().find(|own| count(*own) > count(',')).unwrap_or(',');
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
                "The table is empty; a line of titles and lines of values below it are expected.",
            ));
        }
        let titles: Vec<String> = rows.remove(0).1.iter().map(plain_title).collect();
        for (line, record) in &rows {
            let (values, wanted) = (record.len(), titles.len());
            if values != wanted {
                let why =
                    if values < wanted { "it may be cut off" } else { "a name that holds a separator needs quotes" };
                return Err(UserError::input(format!(
                    "Line {line} has {values} values, but there are {wanted} titles; {why}."
                )));
            }
        }
        Ok(Self { titles, rows, decimal_comma: separator != ',' })
    }

    /// The rows in their order; a sentence where there are none.
    pub fn rows(&self) -> Result<impl Iterator<Item = Row<'_>>> {
        if self.rows.is_empty() {
            return Err(UserError::input("The table has titles but no lines of values below them."));
        }
        Ok(self.rows.iter().map(|(line, record)| Row { table: self, line: *line, record }))
    }

    /// Whether there is a column of that title.
    pub fn has(&self, title: &str) -> bool {
        self.titles.iter().any(|own| own == title)
    }

    /// The column of that title, unit included.
    pub fn column(&self, title: &str) -> Result<Column> {
        let mut found = self.titles.iter().enumerate().filter(|(_, own)| *own == title).map(|(i, _)| i);
        match (found.next(), found.next()) {
            (Some(column), None) => Ok(Column(column)),
            (Some(_), Some(_)) => Err(UserError::input(format!("There are two columns “{title}”; leave one."))),
            (None, _) => Err(self.missing(title)),
        }
    }

    /// Three columns by their titles.
    pub fn three(&self, [x, y, z]: [&str; 3]) -> Result<[Column; 3]> {
        Ok([self.column(x)?, self.column(y)?, self.column(z)?])
    }

    /// Three columns `{stem}_x_mm`, `{stem}_y_mm`, `{stem}_z_mm`.
    pub fn place_columns(&self, stem: &str) -> Result<[Column; 3]> {
        self.three(place_titles(stem).each_ref().map(String::as_str))
    }

    fn missing(&self, title: &str) -> UserError {
        let other_unit = title.strip_suffix("_mm").and_then(|stem| {
            let unit = |own: &String| own.strip_prefix(stem)?.strip_prefix('_').map(str::to_owned);
            let bare = self.titles.iter().any(|own| own == stem).then(String::new);
            self.titles.iter().find_map(unit).or(bare)
        });
        UserError::input(match other_unit {
            Some(unit) if unit.is_empty() => {
                format!("The column “{title}” has no unit in its title; mm is expected, and the title to say so.")
            }
            Some(unit) => format!(
                "The column “{title}” is expected in mm, but its title says “{}”; convert it to mm.",
                shown(&unit)
            ),
            None => format!("There is no column “{title}”; check the line of titles."),
        })
    }
}

impl Row<'_> {
    /// The word in a column, blanks about it taken off; never empty.
    pub fn word(&self, column: Column) -> Result<&str> {
        match self.cell(column) {
            "" => Err(self.wrong(format!("“{}” is empty", self.title(column)))),
            word => Ok(word),
        }
    }

    /// The number in a column; always finite.
    pub fn number(&self, column: Column) -> Result<f64> {
        let word = self.cell(column);
        let comma = self.table.decimal_comma && word.matches(',').count() == 1 && !word.contains('.');
        let number = if comma { word.replace(',', ".").parse() } else { word.parse::<f64>() };
        let number = number.ok().filter(|number| number.is_finite());
        number
            .ok_or_else(|| self.wrong(format!("“{}” in “{}” is not a finite number", shown(word), self.title(column))))
    }

    /// The place in three columns, mm.
    pub fn place(&self, columns: [Column; 3]) -> Result<Point> {
        let [x, y, z] = columns;
        Ok(Point::new(self.number(x)?, self.number(y)?, self.number(z)?))
    }

    /// The direction in three columns; refused where its length is off one by more than rounding does.
    pub fn direction(&self, columns: [Column; 3]) -> Result<Vector> {
        let direction = self.place(columns)?.coords;
        if (direction.norm() - 1.0).abs() > 1e-3 {
            return Err(self.wrong(format!("the direction has length {:.4}; 1 is expected", direction.norm())));
        }
        Ok(direction)
    }

    /// A sentence on this line.
    pub fn wrong(&self, what: impl std::fmt::Display) -> UserError {
        UserError::input(format!("Line {}: {what}.", self.line))
    }

    fn cell(&self, column: Column) -> &str {
        self.record.get(column.0).unwrap_or_default().trim()
    }

    fn title(&self, column: Column) -> &str {
        self.table.titles.get(column.0).map_or("", String::as_str)
    }
}

/// The number of the line that a record begins on. The reader counts from where the one before ended: blank lines
/// between are still to be counted.
fn line_of(record: &StringRecord, text: &str) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = text.get(position.byte() as usize..).unwrap_or_default();
    let blank = rest.bytes().take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|byte| *byte == b'\n');
    position.line() + blank.count() as u64
}

/// The titles of a place.
pub fn place_titles(stem: &str) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("{stem}_{axis}_mm"))
}

/// `Start X [mm]` is as good as `start_x_mm`.
fn plain_title(title: &str) -> String {
    let words = title.split(|c: char| c.is_whitespace() || "_[]()".contains(c)).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

fn shown(text: &str) -> String {
    if text.chars().count() <= SHOWN { text.to_owned() } else { text.chars().take(SHOWN).chain(['…']).collect() }
}

/// A table as text: commas, shortest decimals that are read back to the same number.
pub fn text(titles: &[String], rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |e: csv::Error| UserError::internal(format!("The table cannot be written: {e}."));
    writer.write_record(titles).map_err(failed)?;
    for row in rows {
        writer.write_record(row).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|e| UserError::internal(format!("The table cannot be written: {e}.")))?;
    String::from_utf8(bytes).map_err(|e| UserError::internal(format!("The table is no text: {e}.")))
}

/// The cells of a place or a direction.
pub fn cells(vector: &Vector) -> [String; 3] {
    [vector.x, vector.y, vector.z].map(|value| value.to_string())
}
