//! Tables of measured points with the name of the artefact region of each: region, x, y, z in mm, and the intensity where a
//! sensor gave one. Separators are commas, or semicolons or tabs, with which decimal commas are accepted.

use std::path::Path;

use base::{Result, UserError, regular_file};
use geometry::Point;

/// Largest table that is read, bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Whether the file is such a table: its first or second line with content is a region name followed by three numbers.
pub fn is_region_table(path: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    // `read` reports files that cannot be read.
    let _ = regular_file::open(path).map(|(file, _)| file.take(4096).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut rows = head.lines().filter(|line| !without_comment(line).is_empty());
    // The first line may be a header.
    let is_row = |line: &str| parse_row(without_comment(line)).is_some_and(|own| own.region.parse::<f64>().is_err());
    rows.next().is_some_and(is_row) || rows.next().is_some_and(is_row)
}

/// A row of such a table.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionPoint {
    /// Name of the region.
    pub region: String,
    /// The point, mm.
    pub point: Point,
    /// Its intensity, if there is one.
    pub intensity: Option<f32>,
}

/// Reads the rows. A header line is skipped; comments start with `#`. Returns an error if a row
/// is invalid, there is none, or the file exceeds 256 MiB.
pub fn read(path: &Path) -> Result<Vec<RegionPoint>> {
    let (_, length) = regular_file::open(path)?;
    if length > MAX_BYTES {
        return Err(UserError::input(format!("{}: this is too large for a table of touches.", path.display())));
    }
    let bytes = std::fs::read(path).map_err(|e| UserError::file("read", path, &e))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = without_comment(line);
        if line.is_empty() {
            continue;
        }
        match parse_row(line) {
            Some(row) => rows.push(row),
            None if i == 0 => {}
            None => {
                return Err(UserError::input(format!(
                    "{}, line {}: a region and x, y, z in mm, and perhaps an intensity, were expected, separated by \
                     commas, or by semicolons where numbers have decimal commas.",
                    path.display(),
                    i + 1
                )));
            }
        }
    }
    if rows.is_empty() {
        return Err(UserError::input(format!("{} holds no touches.", path.display())));
    }
    Ok(rows)
}

fn without_comment(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').split('#').next().unwrap_or_default().trim()
}

fn parse_row(line: &str) -> Option<RegionPoint> {
    let has_commas_in_numbers = line.contains([';', '\t']);
    let separators: &[char] = if has_commas_in_numbers { &[';', '\t'] } else { &[','] };
    let mut words = line.split(separators).map(str::trim);
    let region = words.next().filter(|name| !name.is_empty())?.to_owned();
    let number = |word: &str| {
        let word = if has_commas_in_numbers { word.replace(',', ".") } else { word.to_owned() };
        word.parse::<f64>().ok().filter(|value| value.is_finite())
    };
    let point = Point::new(number(words.next()?)?, number(words.next()?)?, number(words.next()?)?);
    let mut more = words.filter(|word| !word.is_empty());
    let intensity = match more.next() {
        Some(word) => Some(number(word)? as f32),
        None => None,
    };
    // What other columns mean is not known.
    more.next().is_none().then_some(RegionPoint { region, point, intensity })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_and_errors_name_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("touches.csv");
        let with = |text: &str| {
            std::fs::write(&path, text).unwrap();
            (is_region_table(&path), read(&path))
        };
        let (is, rows) = with("region,x_mm,y_mm,z_mm\nLP, 1, 2, 3\n# all of them\nRP;4;5;6 # by hand\n");
        assert!(is);
        let rows = rows.unwrap();
        let row = |region: &str, point, intensity| RegionPoint { region: region.to_owned(), point, intensity };
        assert_eq!(rows[0], row("LP", Point::new(1.0, 2.0, 3.0), None));
        assert_eq!(rows[1].region, "RP");
        // Decimal commas, an intensity, and columns that are not known.
        let read = with("LP;1,5;2,25;-3,125\nRP\t4\t5\t6\t0,5\nLL,7,8,9,200,\n").1.unwrap();
        assert_eq!(read[0], row("LP", Point::new(1.5, 2.25, -3.125), None));
        assert_eq!(read[1], row("RP", Point::new(4.0, 5.0, 6.0), Some(0.5)));
        assert_eq!(read[2], row("LL", Point::new(7.0, 8.0, 9.0), Some(200.0)));
        assert!(with("LP,1,2,3\nLP,1,5,2,25,3,125\n").1.unwrap_err().sentence.contains("line 2"));
        let (is, rows) = with("LP,1,2,3\nRP,4,five,6\n");
        assert!(is && rows.unwrap_err().sentence.contains("line 2"));
        assert!(with("LP,1,2,3\nLP,NaN,1,1\n").1.unwrap_err().sentence.contains("line 2"));
        assert!(with("").1.unwrap_err().sentence.contains("no touches"));
        assert!(!with("1,2,3\n4,5,6\n").0);
        assert!(!with("x,y,z\n1,2,3\n").0);
        assert!(!with("\u{0}\u{1}\u{2}").0);
    }
}
