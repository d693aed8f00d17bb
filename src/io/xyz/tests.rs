use super::*;
use geometry::Cloud;

fn read_text(bytes: &[u8], columns: Option<Columns>) -> Result<Contents> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read(Source::open(file.path(), &Progress::silent())?, columns, &mut Account::default())
}

#[track_caller]
fn cloud_of(bytes: &[u8]) -> Cloud {
    read_text(bytes, None).unwrap_or_else(|error| panic!("{}", error.sentence)).cloud
}

#[track_caller]
fn question_of(text: &str) -> String {
    read_text(text.as_bytes(), None).map(|own| format!("{:?}", own.notes)).expect_err("nothing is asked").sentence
}

#[test]
fn what_titles_or_numbers_leave_open_is_asked() {
    for (text, said) in [
        ("X nom;Y nom;Z nom\n1;2;3\n4;5;6\n", "nominal coordinates alone"),
        ("x,y,z,x,y,z\n1,2,3,4,5,6\n", "twice"),
        ("Latitude,Longitude,Altitude\n50.1,8.2,100\n50.2,8.3,101\n", "do not say"),
        ("X machine;Y machine;Z machine\n1;2;3\n", "do not say"),
        ("x,y,z\n1,2,3,4\n2,3,4,5\n", "do not match the 4 columns"),
        ("x [µm],y [µm],z [µm]\n1,2,3\n", "not supported"),
        ("x [mm],y [mm],z [m]\n1,2,3\n", "different units"),
        ("1 5 7 9\n2 6 7 9\n3 5 6 9\n", "may number the points"),
        ("0 0 1 10.5 20.5 30.5\n0 1 0 11.5 20.5 30.5\n", "length of normals"),
        ("10.1 20.1 30.1 10.2 20.2 30.2\n40.1 20.1 30.1 40.2 20.2 30.2\n", "more columns of numbers"),
    ] {
        let asked = question_of(text);
        assert!(asked.contains(said), "{text}{asked}");
        // What is chosen is taken.
        let columns = Columns { xyz: [2, 1, 0], ..Columns::default() };
        assert!(read_text(text.as_bytes(), Some(columns)).is_ok(), "{text}");
    }
}

#[test]
fn tables_of_other_programs_are_read() {
    let first = |text: &[u8]| cloud_of(text).points[0];
    let expected = Point::new(1.5, -2.0, 3.25);
    for text in [
        "x\ty\tz\n[mm]\t[mm]\t[mm]\n1.5\t-2\t3.25\n",
        "//X Y Z R G B\n1.5 -2 3.25 10 20 30\n",
        "2\n1.5 -2 3.25 -1200 10 20 30\n4 5 6 -1200 10 20 30\n",
        "Messung 3\nMessdatum: 30.11.2026\n\nX;Y;Z;\n1,5;-2,0;3,25;\n",
        "1.5D+00 -2.0D+00 3.25D+00\n4.0D+00 1 2\n",
        "\"P 1\" 1.5 -2 3.25\n\"P 2\" 4 5 6\n",
        "Nr.|E|N|H\n17|1.5|-2|3.25\n40|2|2|2\n",
        "X Y Z nx ny nz\n1.5 -2 3.25 0 0 1\n",
    ] {
        assert_eq!(first(text.as_bytes()), expected, "{text}");
    }
    // Latin-1, as older programs write it.
    assert_eq!(first(b"Rechtswert;Hochwert;H\xF6he\n1,5;-2;3,25\n"), expected);
    let contents = read_text(b"x [inch];y [inch];z [inch]\n1;2;3\n4;5;6\n", None).unwrap();
    assert_eq!((contents.unit, contents.cloud.points[0].x), (Some(LengthUnit::Inch), 1.0));
}

#[test]
fn numbers_that_can_be_read_in_two_ways_are_refused() {
    let sentence = question_of("1,5;2,5;3,5\n1.234;2,5;3,5\n");
    assert!(sentence.contains("read in two ways"), "{sentence}");
    assert_eq!(cloud_of(b"1.234,5;2,5;3,5\n1.234;2,5;3,5\n").points[1].x, 1234.0);
}

/// How a table is written.
struct Style {
    separator: &'static str,
    decimal: char,
    quotes: bool,
    /// Grouped digits.
    group: Option<char>,
    start: &'static str,
    end: &'static str,
}

const STYLES: [Style; 6] = [
    Style { separator: ",", decimal: '.', quotes: false, group: None, start: "", end: "\n" },
    Style { separator: ";", decimal: ',', quotes: false, group: Some('.'), start: "\u{FEFF}", end: "\r\n" },
    Style {
        separator: "\t",
        decimal: '.',
        quotes: false,
        group: None,
        start: "Part: bracket\nDate: 2026-11-30\n\n",
        end: "\n",
    },
    Style { separator: " ", decimal: ',', quotes: false, group: None, start: "", end: "\n" },
    Style { separator: ",", decimal: '.', quotes: true, group: Some(','), start: "# exported\n", end: "\n" },
    Style { separator: " | ", decimal: '.', quotes: false, group: None, start: "", end: "\n" },
];

impl Style {
    fn number(&self, value: f64, decimals: usize) -> String {
        let plain = format!("{:.decimals$}", value.abs());
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let whole = match self.group {
            Some(group) if whole.len() > 3 => {
                format!("{}{group}{}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
            }
            _ => whole.to_owned(),
        };
        let sign = if value < 0.0 { "-" } else { "" };
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}{}{fraction}", self.decimal) }
    }

    fn row(&self, cells: &[String]) -> String {
        let cells: Vec<String> =
            cells.iter().map(|own| if self.quotes { format!("\"{own}\"") } else { own.clone() }).collect();
        cells.join(self.separator) + self.end
    }
}

/// A kind of column, with titles that it has in exports.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Number,
    Name,
    Actual(usize),
    Nominal(usize),
    Normal(usize),
    Deviation(usize),
    Intensity,
    Time,
}

/// Titles of x, y, z by the words of one export.
const ACTUAL: [[&str; 3]; 12] = [
    ["x", "y", "z"],
    ["X act", "Y act", "Z act"],
    ["Ist X", "Ist Y", "Ist Z"],
    ["X-Istwert", "Y-Istwert", "Z-Istwert"],
    ["MEAS_X", "MEAS_Y", "MEAS_Z"],
    ["ActualX", "ActualY", "ActualZ"],
    ["X-Wert", "Y-Wert", "Z-Wert"],
    ["Rechtswert", "Hochwert", "Höhe"],
    ["Easting", "Northing", "Elevation"],
    ["X (measured)", "Y (measured)", "Z (measured)"],
    ["x mesuré", "y mesuré", "z mesuré"],
    ["Xact", "Yact", "Zact"],
];
const NOMINAL: [[&str; 3]; 5] = [
    ["X nom", "Y nom", "Z nom"],
    ["Soll X", "Soll Y", "Soll Z"],
    ["NOM_X", "NOM_Y", "NOM_Z"],
    ["X (theoretical)", "Y (theoretical)", "Z (theoretical)"],
    ["NomX", "NomY", "NomZ"],
];
const NORMAL: [[&str; 3]; 4] =
    [["nx", "ny", "nz"], ["I", "J", "K"], ["x_normal", "y_normal", "z_normal"], ["Normal X", "Normal Y", "Normal Z"]];
const DEVIATION: [[&str; 3]; 3] = [["dX", "dY", "dZ"], ["X dev", "Y dev", "Z dev"], ["Abw X", "Abw Y", "Abw Z"]];
const UNITS: [(&str, Option<LengthUnit>); 6] = [
    ("", None),
    (" [mm]", Some(LengthUnit::Mm)),
    (" (m)", Some(LengthUnit::M)),
    ("/mm", Some(LengthUnit::Mm)),
    (" [inch]", Some(LengthUnit::Inch)),
    (" (cm)", Some(LengthUnit::Cm)),
];

/// Two hundred made-up tables: each is read as it was meant, or asked about, and most are read.
#[test]
fn no_table_is_read_as_what_it_is_not() {
    let mut random = base::random::Random::new(59, 1);
    let mut asked = 0;
    for number in 0..200 {
        let style = &STYLES[number % STYLES.len()];
        let mut pick = |count: usize| (random.uniform() * count as f64) as usize % count;
        let has_titles = pick(4) > 0;
        // Words of a title are told apart where blanks separate columns by underscores alone.
        let joined = |title: &str| if style.separator == " " { title.replace(' ', "_") } else { title.to_owned() };
        let mut groups: Vec<Vec<Kind>> = vec![(0..3).map(Kind::Actual).collect()];
        for group in [[0, 1, 2].map(Kind::Nominal), [0, 1, 2].map(Kind::Normal), [0, 1, 2].map(Kind::Deviation)] {
            if pick(3) == 0 {
                groups.insert(pick(groups.len() + 1), group.to_vec());
            }
        }
        if pick(2) == 0 {
            groups.insert(0, vec![[Kind::Number, Kind::Name][pick(2)]]);
        }
        if pick(3) == 0 {
            groups.push(vec![[Kind::Intensity, Kind::Time][pick(2)]]);
        }
        if has_titles && pick(4) == 0 {
            groups.iter_mut().for_each(|group| group.reverse());
        }
        let kinds = groups.concat();
        let (actual, nominal) = (ACTUAL[pick(ACTUAL.len())], NOMINAL[pick(NOMINAL.len())]);
        let (normal, deviation) = (NORMAL[pick(NORMAL.len())], DEVIATION[pick(DEVIATION.len())]);
        let (unit_text, unit) = UNITS[pick(UNITS.len())];
        let title = |kind: &Kind| match *kind {
            Kind::Number => joined("Point No"),
            Kind::Name => "Name".to_owned(),
            Kind::Actual(axis) => joined(&format!("{}{unit_text}", actual[axis])),
            Kind::Nominal(axis) => joined(&format!("{}{unit_text}", nominal[axis])),
            Kind::Normal(axis) => joined(normal[axis]),
            Kind::Deviation(axis) => joined(deviation[axis]),
            Kind::Intensity => "Intensity".to_owned(),
            Kind::Time => "Time".to_owned(),
        };
        let mut text = style.start.to_owned();
        if has_titles {
            text += &style.row(&kinds.iter().map(title).collect::<Vec<_>>());
        }
        let mut truth = Vec::new();
        for row in 0..30 {
            let actual: [f64; 3] = std::array::from_fn(|axis| {
                let value = 400.0 * random.uniform() - 200.0 + if axis == 0 { 1200.0 } else { 0.0 };
                (value * 1e4).round() / 1e4
            });
            let normal = random.rotation() * geometry::Vector::z();
            truth.push(Point::from(actual));
            let cell = |kind: &Kind| match *kind {
                Kind::Number => (row + 1).to_string(),
                Kind::Name => format!("P{row}"),
                Kind::Actual(axis) => style.number(actual[axis], 4),
                Kind::Nominal(axis) => style.number(actual[axis] - 0.1, 4),
                Kind::Normal(axis) => style.number(normal[axis], 4),
                Kind::Deviation(_) => style.number(0.1, 4),
                Kind::Intensity => "17".to_owned(),
                Kind::Time => format!("12:00:{row:02}"),
            };
            text += &style.row(&kinds.iter().map(cell).collect::<Vec<_>>());
        }
        match read_text(text.as_bytes(), None) {
            Ok(contents) => {
                let off = contents
                    .cloud
                    .points
                    .iter()
                    .zip(&truth)
                    .map(|(own, truth)| (own - truth).norm())
                    .fold(0.0, f64::max);
                assert!(
                    contents.cloud.points.len() == truth.len() && off < 1e-9,
                    "{number}, {off}: {:?}\n{text}",
                    contents.notes
                );
                assert_eq!(contents.unit, unit.filter(|_| has_titles), "{number}\n{text}");
                assert!(!contents.notes.is_empty());
            }
            Err(error) => {
                let first: String = text.lines().take(5).collect::<Vec<_>>().join("\n");
                println!("{number}: {}\n{first}", error.sentence);
                asked += 1;
                let is_ambiguous = !has_titles && kinds.len() > 3;
                assert!(is_ambiguous, "{number}: {}\n{first}", error.sentence);
            }
        }
    }
    assert!(asked < 40, "{asked} of 200 are asked about");
}
