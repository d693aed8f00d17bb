//! Which columns of a table are taken as coordinates, and what is asked because the table does not say it.

use super::Columns;
use super::dialect::Dialect;
use super::table::Table;
use super::titles::{self, Role, Title};
use base::LengthUnit;

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub columns: Columns,
    /// Unit that the titles of the coordinates state.
    pub unit: Option<LengthUnit>,
    /// What was taken, as sentences.
    pub taken: Vec<String>,
    /// Why it has to be asked which columns hold the coordinates; `None` if it is known.
    pub question: Option<String>,
}

/// Components of one kind: its role and the columns of x, y, z.
type Group = (Role, [Option<usize>; 3]);

/// Chooses columns by the titles or, where there are none, by the numbers.
pub fn choose(table: &Table, chosen: Option<Columns>) -> Choice {
    let parsed = titles::parse_all(&table.titles);
    let (mut columns, question, left_out) = match table.titles.is_empty() {
        true => by_numbers(table),
        false => by_titles(&parsed),
    };
    let unmatched = table.unmatched.as_ref().map(|line| {
        format!("The titles “{line}” do not match the {} columns below them.", table.rows.first().map_or(0, Vec::len))
    });
    let mut question = unmatched.or(question);
    if let Some(chosen) = chosen {
        columns.xyz = chosen.xyz;
        columns.normal = chosen.normal.or(columns.normal).filter(|own| own.iter().all(|at| !chosen.xyz.contains(at)));
        columns.intensity = chosen.intensity.or(columns.intensity).filter(|at| !chosen.xyz.contains(at));
        question = None;
    }
    let (unit, problem) = unit_of(&parsed, columns.xyz);
    let mut taken = vec![format!("Columns {} were read as x, y, z.", named(table, columns.xyz))];
    taken.extend(columns.normal.map(|own| format!("Columns {} were read as normals.", named(table, own))));
    taken.extend(chosen.is_none().then_some(left_out).into_iter().flatten());
    Choice { columns, unit, taken, question: question.or(problem.filter(|_| chosen.is_none())) }
}

/// Columns in words: numbers from 1, and titles if there are any.
fn named(table: &Table, columns: [usize; 3]) -> String {
    let one = |column: usize| match table.titles.get(column) {
        Some(title) => format!("{} (“{title}”)", column + 1),
        None => (column + 1).to_string(),
    };
    let [x, y, z] = columns.map(one);
    format!("{x}, {y} and {z}")
}

fn by_titles(parsed: &[Title]) -> (Columns, Option<String>, Vec<String>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut is_twice = false;
    for (column, (axis, role)) in parsed.iter().enumerate().filter_map(|(at, own)| Some((at, own.component.as_ref()?)))
    {
        let position = groups.iter().position(|(own, _)| own == role).unwrap_or_else(|| {
            groups.push((role.clone(), [None; 3]));
            groups.len() - 1
        });
        let slot = groups.get_mut(position).and_then(|(_, columns)| columns.get_mut(*axis));
        is_twice |=
            slot.is_some_and(|slot| slot.replace(column).is_some() && !matches!(role, Role::Normal | Role::Deviation));
    }
    let complete: Vec<(&Role, [usize; 3])> = groups
        .iter()
        .filter_map(|(role, columns)| {
            let [x, y, z] = *columns;
            Some((role, [x?, y?, z?]))
        })
        .collect();
    let of = |role: Role| complete.iter().find(|(own, _)| **own == role).map(|(_, columns)| *columns);
    let normal = of(Role::Normal);
    let intensity = parsed.iter().position(|own| own.is_intensity);
    let with = |xyz: [usize; 3]| Columns { xyz, normal, intensity };
    let nominal = of(Role::Nominal).is_some();
    let other = complete.iter().find(|(role, _)| matches!(role, Role::Other(_))).map(|(_, columns)| *columns);
    let left_out: Vec<String> =
        nominal.then(|| "Its nominal coordinates were left out.".to_owned()).into_iter().collect();
    let ask = |why: &str| Some(why.to_owned());
    let first = of(Role::Actual).or(of(Role::Coordinate)).or(other).or(of(Role::Nominal)).unwrap_or([0, 1, 2]);
    let question = match (of(Role::Actual), of(Role::Coordinate), other) {
        _ if is_twice => ask("Its titles name the same coordinate twice."),
        (Some(_), _, _) | (None, Some(_), None) => None,
        (None, Some(_), Some(_)) => ask("Its titles name coordinates of several kinds."),
        (None, None, None) if nominal => ask("Its titles name nominal coordinates alone."),
        (None, None, _) => ask("Its titles do not say which columns hold x, y and z."),
    };
    (with(first), question, left_out)
}

/// The unit of the coordinates, and what is unclear about it.
fn unit_of(parsed: &[Title], xyz: [usize; 3]) -> (Option<LengthUnit>, Option<String>) {
    let units: Vec<_> = xyz.into_iter().filter_map(|column| parsed.get(column)?.unit).collect();
    match units.as_slice() {
        [] => (None, None),
        [first, rest @ ..] if units.len() == 3 && rest.iter().all(|own| own == first) => match first {
            Some(unit) => (Some(*unit), None),
            None => (None, Some("Its titles state a unit that is not supported; mm, cm, m and inch are.".to_owned())),
        },
        _ => (None, Some("Its titles state different units of x, y and z.".to_owned())),
    }
}

/// Columns without titles: what their numbers allow.
fn by_numbers(table: &Table) -> (Columns, Option<String>, Vec<String>) {
    let numbers = Numbers::new(table);
    let all = &numbers.columns;
    let mut left_out = Vec::new();
    let counter = all.first().copied().filter(|first| all.len() > 3 && numbers.is_counter(*first));
    let coordinates = match counter {
        Some(_) => all.get(1..).unwrap_or_default(),
        None => all.as_slice(),
    };
    let &[x, y, z, ref rest @ ..] = coordinates else { return (Columns::default(), None, left_out) };
    let columns = Columns { xyz: [x, y, z], normal: None, intensity: None };
    if let Some(counter) = counter {
        if numbers.are_whole([x, y, z]) {
            let question = format!("Its column {} may number the points or hold a coordinate.", counter + 1);
            return (columns, Some(question), left_out);
        }
        left_out.push(format!("Column {} numbers the points.", counter + 1));
    }
    let question = if numbers.are_unit([x, y, z]) && !rest.is_empty() {
        Some("Its first three columns of numbers have the length of normals.")
    } else if !numbers.are_attributes(rest) {
        Some(
            "It holds more columns of numbers than three coordinates, a normal, a colour and an intensity, and no titles.",
        )
    } else {
        None
    };
    (columns, question.map(str::to_owned), left_out)
}

/// The first rows of a table as numbers.
struct Numbers {
    /// Columns that hold a number in each row.
    columns: Vec<usize>,
    rows: Vec<Vec<f64>>,
    texts: Vec<Vec<String>>,
}

impl Numbers {
    fn new(table: &Table) -> Self {
        let dialect: &Dialect = &table.dialect;
        let number = |cell: &String| dialect.number(cell).unwrap_or(f64::NAN);
        let is_row = |row: &&Vec<String>| row.iter().filter(|cell| dialect.number(cell).is_some()).count() >= 3;
        let texts: Vec<Vec<String>> = table.rows.iter().filter(is_row).cloned().collect();
        let width = texts.iter().map(Vec::len).min().unwrap_or(0);
        let is_number = |column: &usize| {
            let cells = texts.iter().filter_map(|row| row.get(*column));
            let found = cells.clone().filter(|cell| dialect.number(cell).is_some()).count();
            2 * found > texts.len()
        };
        let columns = (0..width).filter(is_number).collect();
        let rows = texts.iter().map(|row| row.iter().map(number).collect()).collect();
        Self { columns, rows, texts }
    }

    fn all<const N: usize>(&self, columns: [usize; N], holds: impl Fn([f64; N]) -> bool) -> bool {
        let value = |row: &Vec<f64>, column: usize| row.get(column).copied().unwrap_or(f64::NAN);
        let mut rows = self.rows.iter().map(|row| columns.map(|column| value(row, column)));
        rows.all(|row| row.iter().any(|own| own.is_nan()) || holds(row))
    }

    /// Whether a column counts up by one, in whole numbers.
    fn is_counter(&self, column: usize) -> bool {
        let values: Vec<f64> = self.rows.iter().filter_map(|row| row.get(column).copied()).collect();
        let is_whole =
            self.texts.iter().all(|row| row.get(column).is_some_and(|own| own.bytes().all(|own| own.is_ascii_digit())));
        is_whole && values.len() > 1 && values.iter().zip(values.iter().skip(1)).all(|(a, b)| b - a == 1.0)
    }

    fn are_whole(&self, columns: [usize; 3]) -> bool {
        self.all(columns, |own| own.iter().all(|value| value.fract() == 0.0))
    }

    fn are_unit(&self, columns: [usize; 3]) -> bool {
        self.all(columns, |[x, y, z]| ((x * x + y * y + z * z).sqrt() - 1.0).abs() < 0.01)
    }

    fn are_colours(&self, columns: [usize; 3]) -> bool {
        self.all(columns, |own| own.iter().all(|value| value.fract() == 0.0 && (0.0..=255.0).contains(value)))
    }

    /// Whether these columns are what follows coordinates in scans: a normal, a colour and an intensity, in any order.
    fn are_attributes(&self, columns: &[usize]) -> bool {
        match *columns {
            [] | [_] => true,
            [a, b, c, ref rest @ ..] if self.are_unit([a, b, c]) || self.are_colours([a, b, c]) => {
                self.are_attributes(rest)
            }
            [_, a, b, c, ref rest @ ..] if self.are_unit([a, b, c]) || self.are_colours([a, b, c]) => {
                self.are_attributes(rest) && rest.len() % 3 == 0
            }
            _ => false,
        }
    }
}
