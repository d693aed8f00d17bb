//! What the titles of columns say, in the words of measuring machines, scanners and geographic systems, in English and in some other
//! languages.

use base::LengthUnit;

/// What the numbers of a column are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Coordinates, where measured and nominal ones are not told apart.
    Coordinate,
    /// Measured coordinates.
    Actual,
    /// Nominal coordinates.
    Nominal,
    /// Components of a normal.
    Normal,
    /// Deviations, tolerances and limits.
    Deviation,
    /// Coordinates of which words say more that is not known.
    Other(String),
}

/// What a title says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    /// The axis that it belongs to, and what it holds of it.
    pub component: Option<(usize, Role)>,
    /// Whether it is an intensity.
    pub is_intensity: bool,
    /// Unit of its lengths; `Some(None)`: one that is not a length.
    pub unit: Option<Option<LengthUnit>>,
}

const AXES: [&[&str]; 3] = [
    &["x", "xwert", "xcoord", "xcoordinate", "xkoordinate", "xpos"],
    &["y", "ywert", "ycoord", "ycoordinate", "ykoordinate", "ypos"],
    &["z", "zwert", "zcoord", "zcoordinate", "zkoordinate", "zpos"],
];
/// Axes by their names in geographic systems.
const DIRECTIONS: [&[&str]; 3] = [
    &[
        "e",
        "east",
        "easting",
        "eastings",
        "rechtswert",
        "rechts",
        "ost",
        "ostwert",
        "est",
        "este",
        "abscissa",
        "abscisse",
    ],
    &["n", "north", "northing", "northings", "hochwert", "hoch", "nord", "nordwert", "norte", "ordinate", "ordonnee"],
    &[
        "h",
        "height",
        "hoehe",
        "höhe",
        "höhenwert",
        "elevation",
        "elev",
        "altitude",
        "alt",
        "kote",
        "cote",
        "cota",
        "quota",
        "hauteur",
        "altura",
        "z",
    ],
];
const ACTUAL: &[&str] = &[
    "act",
    "actual",
    "actuals",
    "meas",
    "measured",
    "measurement",
    "mess",
    "messwert",
    "gemessen",
    "ist",
    "istwert",
    "istmaß",
    "istmass",
    "mesure",
    "mesuré",
    "mesuree",
    "mesurée",
    "reel",
    "réel",
    "real",
    "reale",
    "medido",
    "misurato",
    "attuale",
    "obs",
    "observed",
    "effectif",
    "effettivo",
];
const NOMINAL: &[&str] = &[
    "nom",
    "nominal",
    "nominals",
    "nominale",
    "soll",
    "sollwert",
    "sollmaß",
    "sollmass",
    "theo",
    "theor",
    "theoretical",
    "theoretisch",
    "théorique",
    "theorique",
    "teorico",
    "teórico",
    "target",
    "ref",
    "reference",
    "cad",
    "design",
    "ziel",
    "nenn",
    "nennwert",
    "nennmaß",
    "nennmass",
];
const DEVIATION: &[&str] = &[
    "d",
    "dev",
    "deviation",
    "delta",
    "diff",
    "difference",
    "error",
    "err",
    "abw",
    "abweichung",
    "abmaß",
    "ecart",
    "écart",
    "tol",
    "tolerance",
    "toleranz",
    "utol",
    "ltol",
    "upper",
    "lower",
    "min",
    "max",
    "sigma",
    "std",
    "rms",
    "residual",
    "u",
    "unc",
    "uncertainty",
    "scarto",
    "desviacion",
    "desviación",
];
const NORMAL: &[&str] = &["n", "normal", "normals", "normale", "norm", "nrm", "vector", "vektor", "direction", "dir"];
/// Words that say nothing more of a coordinate.
const NEUTRAL: &[&str] = &[
    "coord",
    "coords",
    "coordinate",
    "coordinates",
    "koordinate",
    "koordinaten",
    "coordonnee",
    "coordonnée",
    "coordinata",
    "coordenada",
    "pos",
    "position",
    "point",
    "points",
    "punkt",
    "pt",
    "pnt",
    "value",
    "val",
    "wert",
    "valeur",
    "valore",
    "valor",
    "axis",
    "achse",
    "in",
    "location",
    "loc",
    "vertex",
    "world",
    "cartesian",
];
const INTENSITY: &[&str] = &[
    "intensity",
    "intensität",
    "intensitaet",
    "intensite",
    "intensité",
    "reflectance",
    "remission",
    "i",
    "gray",
    "grey",
];

/// The component of each word that stands for both, such as `nx`.
const SHORT: [(&str, Role); 4] =
    [("n", Role::Normal), ("d", Role::Deviation), ("v", Role::Normal), ("e", Role::Deviation)];
const IJK: [&str; 3] = ["i", "j", "k"];

/// What titles say, each beside the others.
pub fn parse_all(titles: &[String]) -> Vec<Title> {
    let words: Vec<(Vec<String>, Option<Option<LengthUnit>>)> = titles.iter().map(|title| words_of(title)).collect();
    let is_alone =
        |index: usize, word: &str| words.get(index).is_some_and(|(own, _)| own.as_slice() == [word.to_owned()]);
    let has_alone = |word: &str| (0..words.len()).any(|index| is_alone(index, word));
    let has_vector = IJK.iter().all(|word| has_alone(word));
    let is_coordinate = |words: &[String]| matches!(role_of(words), Role::Coordinate | Role::Actual);
    let axes: Vec<Option<usize>> =
        words.iter().map(|(own, _)| axis_in(own, &AXES).filter(|_| is_coordinate(own))).collect();
    let has_axes = (0..2).any(|axis| axes.contains(&Some(axis)));
    let title = |index: usize, (own, unit): &(Vec<String>, Option<Option<LengthUnit>>)| {
        if has_vector && let Some(axis) = IJK.iter().position(|word| is_alone(index, word)) {
            return Title { component: Some((axis, Role::Normal)), is_intensity: false, unit: *unit };
        }
        let short = short(own);
        let component = short.or_else(|| {
            let directed =
                || axis_in(own, &DIRECTIONS).filter(|axis| !has_axes || *axis == 2 && !axes.contains(&Some(2)));
            let axis = axis_in(own, &AXES).or_else(directed)?;
            Some((axis, role_of(own)))
        });
        let is_intensity = component.is_none() && own.first().is_some_and(|word| INTENSITY.contains(&word.as_str()));
        Title { component, is_intensity, unit: *unit }
    };
    words.iter().enumerate().map(|(index, own)| title(index, own)).collect()
}

/// The axis that some words name once.
fn axis_in(words: &[String], names: &[&[&str]; 3]) -> Option<usize> {
    let mut found = words.iter().filter_map(|word| names.iter().position(|names| names.contains(&word.as_str())));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Of words such as `nx` and `dz`.
fn short(words: &[String]) -> Option<(usize, Role)> {
    let mut own = words.iter().filter(|word| !NEUTRAL.contains(&word.as_str()));
    let (word, None) = (own.next()?, own.next()) else { return None };
    let (role, axis) = word.split_at_checked(1)?;
    let axis = ["x", "y", "z"].iter().position(|name| *name == axis)?;
    SHORT.iter().find(|(letter, _)| *letter == role).map(|(_, role)| (axis, role.clone()))
}

fn role_of(words: &[String]) -> Role {
    let names_axis = |word: &str| AXES.iter().chain(&DIRECTIONS).any(|names| names.contains(&word));
    let others: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !names_axis(word) || *word == "n" && words.len() > 1).collect();
    let has = |names: &[&str]| others.iter().any(|word| names.contains(word));
    if has(DEVIATION) {
        Role::Deviation
    } else if has(NORMAL) {
        Role::Normal
    } else if has(ACTUAL) {
        Role::Actual
    } else if has(NOMINAL) {
        Role::Nominal
    } else {
        let unknown: Vec<&str> = others.into_iter().filter(|word| !NEUTRAL.contains(word)).collect();
        if unknown.is_empty() { Role::Coordinate } else { Role::Other(unknown.join(" ")) }
    }
}

/// The words of a title in lower case, and its unit.
fn words_of(title: &str) -> (Vec<String>, Option<Option<LengthUnit>>) {
    let mut text = String::new();
    let mut unit = None;
    let mut rest = title;
    // What stands in brackets or behind a slash is a unit, or more words.
    while let Some(start) = rest.find(['[', '(', '{', '<', '/']) {
        text.push_str(&rest[..start]);
        let inner = &rest[start + 1..];
        let end = if rest[start..].starts_with('/') { None } else { inner.find([']', ')', '}', '>']) };
        let (inside, after) = match end {
            Some(end) => (&inner[..end], &inner[end + 1..]),
            None => (inner, ""),
        };
        match unit_in(inside) {
            Some(found) => unit = Some(found),
            None => {
                text.push(' ');
                text.push_str(inside);
            }
        }
        text.push(' ');
        rest = after;
    }
    text.push_str(rest);
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for own in text.chars() {
        // Words end at signs, at digits, and where a capital follows a small letter.
        let ends = !own.is_alphanumeric()
            || before.is_numeric() != own.is_numeric()
            || (before.is_lowercase() && own.is_uppercase());
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if own.is_alphanumeric() {
            word.extend(own.to_lowercase());
        }
        before = own;
    }
    if !word.is_empty() {
        words.push(word);
    }
    let mut words: Vec<String> = words.into_iter().flat_map(|word| apart(&word)).collect();
    if unit.is_none()
        && words.len() > 1
        && let Some(Some(found)) = words.last().and_then(|own| unit_in(own))
    {
        (unit, _) = (Some(Some(found)), words.pop());
    }
    (words, unit)
}

/// The two words of one such as `xnom` or `actx`.
fn apart(word: &str) -> Vec<String> {
    let is_axis = |own: &str| matches!(own, "x" | "y" | "z");
    let is_role = |own: &str| [ACTUAL, NOMINAL, DEVIATION].iter().any(|words| own.len() > 2 && words.contains(&own));
    let ends = [word.char_indices().nth(1), word.char_indices().last()].into_iter().flatten();
    let halves = ends.filter_map(|(at, _)| word.split_at_checked(at));
    let mut known = halves.filter(|(a, b)| is_axis(a) && is_role(b) || is_role(a) && is_axis(b));
    known.next().map_or_else(|| vec![word.to_owned()], |(a, b)| vec![a.to_owned(), b.to_owned()])
}

/// The unit that a text is; `Some(None)` for one that is no length or not supported.
fn unit_in(text: &str) -> Option<Option<LengthUnit>> {
    let text = text.trim().to_lowercase();
    let text = text.strip_prefix("in ").unwrap_or(&text);
    Some(match text {
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" | "millimètre" | "millimètres" => {
            Some(LengthUnit::Mm)
        }
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" | "zentimeter" => Some(LengthUnit::Cm),
        "m" | "meter" | "meters" | "metre" | "metres" | "mètre" | "mètres" => Some(LengthUnit::M),
        "in" | "inch" | "inches" | "zoll" | "\"" | "″" | "pouce" | "pouces" => Some(LengthUnit::Inch),
        "µm" | "μm" | "um" | "micron" | "microns" | "micrometer" | "micrometre" | "nm" | "km" | "ft" | "feet"
        | "foot" | "us-ft" | "deg" | "°" | "grad" | "gon" | "rad" | "dd" | "px" | "pixel" | "pixels" => None,
        _ => return None,
    })
}

/// Whether a cell holds a unit alone.
pub fn is_unit(cell: &str) -> bool {
    unit_in(cell.trim_matches(['[', ']', '(', ')', ' '])).is_some()
}
