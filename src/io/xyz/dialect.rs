//! Separator and number format of a text table.

use std::borrow::Cow;

/// What separates the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One character.
    Character(u8),
    /// Any white space.
    Blanks,
}

/// Separator and number format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub separator: Separator,
    pub decimal_comma: bool,
    /// Whether digits are grouped somewhere, as in 1.234,5.
    pub groups_digits: bool,
    /// Whether some numbers have a decimal point although others have a decimal comma.
    pub has_both: bool,
}

impl Dialect {
    /// All that are tried, the likelier first.
    const ALL: [(Separator, bool); 9] = [
        (Separator::Character(b';'), false),
        (Separator::Character(b';'), true),
        (Separator::Character(b'\t'), false),
        (Separator::Character(b'\t'), true),
        (Separator::Character(b'|'), false),
        (Separator::Character(b'|'), true),
        (Separator::Blanks, false),
        (Separator::Blanks, true),
        (Separator::Character(b','), false),
    ];

    /// The one in which most of some lines hold at least three numbers; `None` if none does.
    pub fn detect(lines: &[String]) -> Option<Self> {
        let rows = |dialect: &Self| lines.iter().filter(|line| dialect.numbers_in(line) >= 3).count();
        let mut best = None;
        for (separator, decimal_comma) in Self::ALL {
            let plain = Self { separator, decimal_comma, groups_digits: false, has_both: false };
            let dialect = plain.with_habits(lines);
            let count = rows(&dialect);
            if count > best.map_or(0, |(count, _)| count) {
                best = Some((count, dialect));
            }
        }
        best.map(|(_, dialect)| dialect)
    }

    /// How the numbers of these lines are written beyond their decimal sign.
    fn with_habits(mut self, lines: &[String]) -> Self {
        for line in lines {
            for cell in self.cells(line).iter() {
                let groups = |decimal, group| group_count(cell, decimal, group).is_some_and(|(_, has_both)| has_both);
                self.groups_digits |= if self.decimal_comma { groups(',', '.') } else { groups('.', ',') };
                self.has_both |= self.decimal_comma
                    && cell.matches('.').count() == 1
                    && !cell.contains(',')
                    && cell.parse::<f64>().is_ok()
                    && group_count(cell, ',', '.').is_none();
            }
        }
        self
    }

    /// Number of cells with a number.
    pub fn numbers_in(&self, line: &str) -> usize {
        self.cells(line).iter().filter(|cell| self.number(cell).is_some()).count()
    }

    /// The cells of a row, without blanks about them, and without the empty ones that end it.
    pub fn cells<'a>(&self, line: &'a str) -> Cells<'a> {
        let mut cells = match self.separator {
            Separator::Character(separator) if line.contains('"') => Cells::Quoted(unquoted(line, separator)),
            Separator::Character(separator) => Cells::Plain(line.split(char::from(separator)).map(str::trim).collect()),
            Separator::Blanks if line.contains('"') => Cells::Quoted(unquoted(&single_blanks(line), b' ')),
            Separator::Blanks => Cells::Plain(line.split_whitespace().collect()),
        };
        cells.trim_end();
        cells
    }

    /// The number in a cell; NaN where it says that there is none. `None` if it is none, or if it can be read in two ways.
    pub fn number(&self, cell: &str) -> Option<f64> {
        let plain = match self.decimal_comma {
            false => cell.parse().ok(),
            true if self.has_both || cell.contains('.') => None,
            true => cell.replace(',', ".").parse().ok(),
        };
        plain.or_else(|| self.unusual_number(cell))
    }

    fn unusual_number(&self, cell: &str) -> Option<f64> {
        let (decimal, group) = if self.decimal_comma { (',', '.') } else { ('.', ',') };
        if is_no_number(cell) {
            return Some(f64::NAN);
        }
        match group_count(cell, decimal, group) {
            // 1.234,5 and 1.234.567 can be read in one way.
            Some((groups, has_both)) if has_both || groups > 1 || self.groups_digits => {
                let digits: String = cell.chars().filter(|own| *own != group).collect();
                return digits.replace(decimal, ".").parse().ok();
            }
            Some(_) => return None,
            None => {}
        }
        if self.decimal_comma && self.has_both && group_count(cell, '.', ',').is_some() {
            return None;
        }
        let cell: Cow<'_, str> = match self.decimal_comma && cell.matches(',').count() == 1 && !cell.contains('.') {
            true => cell.replace(',', ".").into(),
            false => cell.into(),
        };
        let bare: String = cell.chars().filter(|own| !matches!(own, '\'' | '’' | '\u{A0}' | '\u{202F}')).collect();
        // Exponents of Fortran.
        bare.parse().ok().or_else(|| bare.replace(['d', 'D'], "e").parse().ok())
    }
}

/// The cells of a row.
pub enum Cells<'a> {
    Plain(Vec<&'a str>),
    /// With quotes taken off.
    Quoted(Vec<String>),
}

impl Cells<'_> {
    pub fn get(&self, index: usize) -> Option<&str> {
        match self {
            Self::Plain(cells) => cells.get(index).copied(),
            Self::Quoted(cells) => cells.get(index).map(String::as_str),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Plain(cells) => cells.len(),
            Self::Quoted(cells) => cells.len(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    fn trim_end(&mut self) {
        match self {
            Self::Plain(cells) => cells.truncate(cells.iter().rposition(|own| !own.is_empty()).map_or(0, |at| at + 1)),
            Self::Quoted(cells) => cells.truncate(cells.iter().rposition(|own| !own.is_empty()).map_or(0, |at| at + 1)),
        }
    }
}

fn unquoted(line: &str, separator: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .buffer_capacity(1 << 10)
        .from_reader(line.as_bytes());
    let mut record = csv::StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(_) => record.iter().map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    }
}

/// White space outside quotes as single blanks.
fn single_blanks(line: &str) -> String {
    let (mut single, mut is_quoted) = (String::with_capacity(line.len()), false);
    for own in line.trim().chars() {
        is_quoted ^= own == '"';
        match own.is_whitespace() && !is_quoted {
            true if single.ends_with(' ') => {}
            true => single.push(' '),
            false => single.push(own),
        }
    }
    single
}

/// Whether a cell says that there is no number, as C libraries write it.
fn is_no_number(cell: &str) -> bool {
    let bare = cell.trim_start_matches(['-', '+']).to_ascii_lowercase();
    ["nan(", "1.#", "1,#", "#n", "inf"].iter().any(|start| bare.starts_with(start)) || bare == "nan"
}

/// How many groups of three digits a number is written in, beyond the first, and whether a decimal sign follows them; `None` if it
/// is not written in groups.
fn group_count(cell: &str, decimal: char, group: char) -> Option<(usize, bool)> {
    let bare = cell.trim_start_matches(['-', '+']);
    let (whole, fraction) = match bare.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (bare, None),
    };
    let mut groups = whole.split(group);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|own| own.is_ascii_digit());
    let first = groups.next().filter(|own| is_digits(own) && own.len() <= 3 && !own.starts_with('0'))?;
    let rest: Vec<&str> = groups.collect();
    let is_grouped = !first.is_empty() && !rest.is_empty() && rest.iter().all(|own| own.len() == 3 && is_digits(own));
    (is_grouped && fraction.is_none_or(is_digits)).then_some((rest.len(), fraction.is_some()))
}
