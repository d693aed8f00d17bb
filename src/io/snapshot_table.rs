//! Tables of snapshots: the file of the sensor, the file of the CMM's probed points where there is one, and the CMM
//! position x, y, z in mm. Calibrations of several snapshots are read from them, and merges; so a table written for the
//! one serves the other.

use std::path::Path;

use base::{Result, UserError, regular_file};
use geometry::Vector;

/// Largest table that is read, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotRow {
    /// Line number, from 1.
    pub line: usize,
    /// File of the sensor, as written: relative to the table.
    pub sensor: String,
    /// File of the CMM's probed points, if the row names one.
    pub cmm: Option<String>,
    /// CMM position, mm.
    pub position_mm: Vector,
}

/// Which fields of a row hold what.
struct Columns {
    sensor: usize,
    cmm: Option<usize>,
    position: [usize; 3],
}

impl Columns {
    /// By the titles of a header line; `None` if it does not name a file and three coordinates.
    fn titled(titles: &[String]) -> Option<Self> {
        let plain = |title: &String| title.trim().to_lowercase();
        let find = |names: &[&str]| titles.iter().position(|title| names.contains(&plain(title).as_str()));
        let axis = |axis: &str| {
            let is_axis = |title: &String| {
                let title = plain(title);
                let name = title.strip_prefix(axis).map(|unit| unit.trim_matches(['_', ' ', '(', ')', '[', ']']));
                matches!(name, Some("" | "mm"))
            };
            titles.iter().position(is_axis)
        };
        Some(Self {
            sensor: find(&["sensor", "file", "snapshot", "scan", "name"])?,
            cmm: find(&["cmm", "touches", "probed"]),
            position: [axis("x")?, axis("y")?, axis("z")?],
        })
    }

    /// By the number of fields: one file or two, then x, y, z.
    fn counted(count: usize) -> Option<Self> {
        match count {
            4 => Some(Self { sensor: 0, cmm: None, position: [1, 2, 3] }),
            5 => Some(Self { sensor: 0, cmm: Some(1), position: [2, 3, 4] }),
            _ => None,
        }
    }

    fn row(&self, line: usize, fields: &[String]) -> Option<SnapshotRow> {
        let number = |index: usize| fields.get(index)?.parse::<f64>().ok().filter(|value| value.is_finite());
        let [x, y, z] = self.position;
        let position_mm = Vector::new(number(x)?, number(y)?, number(z)?);
        let file = |index: usize| fields.get(index).filter(|name| !name.is_empty()).cloned();
        let cmm = self.cmm.and_then(file);
        // A file's name is no figure: a row of figures alone has lost its files.
        let sensor = file(self.sensor).filter(|name| name.parse::<f64>().is_err())?;
        Some(SnapshotRow { line, sensor, cmm, position_mm })
    }
}

/// Reads a table: file, x, y, z, or sensor file, CMM file, x, y, z, in mm; a header line may name the columns in any
/// order. Fields are separated by commas, semicolons or tabs; comments start with `#`.
///
/// Returns an error if a row is not of this form, there is none, or the file cannot be read or exceeds 16 MiB.
pub fn read(path: &Path) -> Result<Vec<SnapshotRow>> {
    let (_, length) = regular_file::open(path)?;
    if length > MAX_BYTES {
        return Err(UserError::input(format!("{}: this is too large for a table of snapshots.", path.display())));
    }
    let bytes = std::fs::read(path).map_err(|e| UserError::file("read", path, &e))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !is_blank(line)).unwrap_or_default();
    let delimiter = [b';', b'\t'].into_iter().find(|own| first.contains(char::from(*own))).unwrap_or(b',');
    let mut columns: Option<Columns> = None;
    let mut rows = Vec::new();
    for (index, (line, text)) in (1..).zip(text.lines()).filter(|(_, text)| !is_blank(text)).enumerate() {
        let fields = fields(text, delimiter);
        if index == 0 {
            columns = Columns::titled(&fields);
            // A header with other titles holds no numbers.
            if columns.is_some() || fields.iter().all(|field| field.parse::<f64>().is_err()) {
                continue;
            }
        }
        let row = match &columns {
            Some(columns) => columns.row(line, &fields),
            None => Columns::counted(fields.len()).and_then(|columns| columns.row(line, &fields)),
        };
        rows.push(row.ok_or_else(|| {
            UserError::input(format!(
                "{}, line {line}: file, x, y, z, or sensor file, CMM file, x, y, z were expected, coordinates in mm.",
                path.display()
            ))
        })?);
    }
    if rows.is_empty() {
        return Err(UserError::input(format!("{} lists no snapshots.", path.display())));
    }
    Ok(rows)
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The fields of a line, without quotes and surrounding white space, and without a comment after the last one.
fn fields(line: &str, delimiter: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    let record = reader.records().next().and_then(|record| record.ok()).unwrap_or_default();
    let mut fields: Vec<String> = record.iter().map(str::to_owned).collect();
    if let Some(last) = fields.last_mut()
        && let Some((before, _)) = last.split_once(" #")
    {
        *last = before.trim().to_owned();
    }
    while fields.last().is_some_and(String::is_empty) {
        fields.pop();
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<SnapshotRow>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshots.csv");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    /// What the simulator writes for a calibration is read, and so is a table of one file a row.
    #[test]
    fn rows_with_and_without_probed_points_are_read() {
        let rows = read_text("sensor,cmm,x_mm,y_mm,z_mm\nsnapshot.ply,touches.csv,400.25,281.5,-353.125\n").unwrap();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.sensor.as_str(), row.cmm.as_deref(), row.line), ("snapshot.ply", Some("touches.csv"), 2));
        assert_eq!(row.position_mm, Vector::new(400.25, 281.5, -353.125));
        for text in [
            "a.ply,1,2,3\nb.ply,4,5,6\n",
            "file,x,y,z\na.ply,1,2,3\n\n# the second\nb.ply, 4, 5, 6 # by hand\n",
            "\u{feff}Z (mm);Y (mm);X (mm);File\r\n3;2;1;a.ply\r\n6;5;4;b.ply\r\n",
            "snapshot\tx\ty\tz\na.ply\t1\t2\t3\nb.ply\t4\t5\t6",
            "Datei,links,vorn,oben\na.ply,1,2,3\n\"b.ply\",4,5,6,\n",
        ] {
            let rows = read_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let found: Vec<_> =
                rows.iter().map(|row| (row.sensor.as_str(), row.cmm.clone(), row.position_mm)).collect();
            let expected = [("a.ply", None, Vector::new(1.0, 2.0, 3.0)), ("b.ply", None, Vector::new(4.0, 5.0, 6.0))];
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(read_text("\"a, b.ply\",1,2,3").unwrap()[0].sensor, "a, b.ply");
    }

    #[test]
    fn rows_of_another_form_are_named() {
        for (text, line) in [
            ("a.ply,1,2\n", "line 1"),
            ("file,x,y,z\na.ply,1,2,nan\n", "line 2"),
            ("1,2,3\n", "line 1"),
            ("1,2,3,4\n", "line 1"),
            ("a.ply,1,2,3\nb.ply,4,five,6\n", "line 2"),
            ("a.ply,b.csv,c.csv,1,2,3\n", "line 1"),
            ("file,x,y,z\n,1,2,3\n", "line 2"),
        ] {
            let error = read_text(text).unwrap_err().sentence;
            assert!(error.contains(line) && error.contains("were expected"), "{text}: {error}");
        }
        for text in ["", "# nothing\n", "file,x,y,z\n"] {
            assert!(read_text(text).unwrap_err().sentence.contains("lists no snapshots"), "{text}");
        }
    }
}
