//! Limits of sizes that a drawing states by a tolerance class, such as “25 H7” (ISO 286-1 and -2:2010, sizes to 500 mm).
//!
//! The standard's texts were not available to check against: the tables below are those in common use, of which the
//! letters are given that could be confirmed by the formulas behind them or by known fits. Others are refused.

use base::{Result, UserError};

/// Upper ends of the ranges of nominal sizes, mm; each includes its end.
const RANGES_MM: [f64; 13] = [3.0, 6.0, 10.0, 18.0, 30.0, 50.0, 80.0, 120.0, 180.0, 250.0, 315.0, 400.0, 500.0];
/// Upper ends of the finer ranges, by which some letters are stated, mm.
const FINE_RANGES_MM: [f64; 23] = [
    3.0, 6.0, 10.0, 18.0, 30.0, 40.0, 50.0, 65.0, 80.0, 100.0, 120.0, 140.0, 160.0, 180.0, 200.0, 225.0, 250.0, 280.0,
    315.0, 355.0, 400.0, 450.0, 500.0,
];
/// Grade of the first row of [`TOLERANCES_UM`].
const FIRST_GRADE: usize = 4;
/// Grades of which limits are given.
const GRADES: std::ops::RangeInclusive<usize> = 5..=13;
/// Standard tolerances IT4 to IT13 in each range, µm.
const TOLERANCES_UM: [[f64; 13]; 10] = [
    [3.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0],
    [4.0, 5.0, 6.0, 8.0, 9.0, 11.0, 13.0, 15.0, 18.0, 20.0, 23.0, 25.0, 27.0],
    [6.0, 8.0, 9.0, 11.0, 13.0, 16.0, 19.0, 22.0, 25.0, 29.0, 32.0, 36.0, 40.0],
    [10.0, 12.0, 15.0, 18.0, 21.0, 25.0, 30.0, 35.0, 40.0, 46.0, 52.0, 57.0, 63.0],
    [14.0, 18.0, 22.0, 27.0, 33.0, 39.0, 46.0, 54.0, 63.0, 72.0, 81.0, 89.0, 97.0],
    [25.0, 30.0, 36.0, 43.0, 52.0, 62.0, 74.0, 87.0, 100.0, 115.0, 130.0, 140.0, 155.0],
    [40.0, 48.0, 58.0, 70.0, 84.0, 100.0, 120.0, 140.0, 160.0, 185.0, 210.0, 230.0, 250.0],
    [60.0, 75.0, 90.0, 110.0, 130.0, 160.0, 190.0, 220.0, 250.0, 290.0, 320.0, 360.0, 400.0],
    [100.0, 120.0, 150.0, 180.0, 210.0, 250.0, 300.0, 350.0, 400.0, 460.0, 520.0, 570.0, 630.0],
    [140.0, 180.0, 220.0, 270.0, 330.0, 390.0, 460.0, 540.0, 630.0, 720.0, 810.0, 890.0, 970.0],
];

/// Distance of a shaft's zone from the nominal size, µm: below it for c to g, above it for k to s.
const D: [f64; 13] = [20.0, 30.0, 40.0, 50.0, 65.0, 80.0, 100.0, 120.0, 145.0, 170.0, 190.0, 210.0, 230.0];
const E: [f64; 13] = [14.0, 20.0, 25.0, 32.0, 40.0, 50.0, 60.0, 72.0, 85.0, 100.0, 110.0, 125.0, 135.0];
const F: [f64; 13] = [6.0, 10.0, 13.0, 16.0, 20.0, 25.0, 30.0, 36.0, 43.0, 50.0, 56.0, 62.0, 68.0];
const G: [f64; 13] = [2.0, 4.0, 5.0, 6.0, 7.0, 9.0, 10.0, 12.0, 14.0, 15.0, 17.0, 18.0, 20.0];
const K: [f64; 13] = [0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0, 5.0];
const M: [f64; 13] = [2.0, 4.0, 6.0, 7.0, 8.0, 9.0, 11.0, 13.0, 15.0, 17.0, 20.0, 21.0, 23.0];
const N: [f64; 13] = [4.0, 8.0, 10.0, 12.0, 15.0, 17.0, 20.0, 23.0, 27.0, 31.0, 34.0, 37.0, 40.0];
const P: [f64; 13] = [6.0, 12.0, 15.0, 18.0, 22.0, 26.0, 32.0, 37.0, 43.0, 50.0, 56.0, 62.0, 68.0];
/// The same in the finer ranges.
const C: [f64; 23] = [
    60.0, 70.0, 80.0, 95.0, 110.0, 120.0, 130.0, 140.0, 150.0, 170.0, 180.0, 200.0, 210.0, 230.0, 240.0, 260.0, 280.0,
    300.0, 330.0, 360.0, 400.0, 440.0, 480.0,
];
const R: [f64; 23] = [
    10.0, 15.0, 19.0, 23.0, 28.0, 34.0, 34.0, 41.0, 43.0, 51.0, 54.0, 63.0, 65.0, 68.0, 77.0, 80.0, 84.0, 94.0, 98.0,
    108.0, 114.0, 126.0, 132.0,
];
const S: [f64; 23] = [
    14.0, 19.0, 23.0, 28.0, 35.0, 43.0, 43.0, 53.0, 59.0, 71.0, 79.0, 92.0, 100.0, 108.0, 122.0, 130.0, 140.0, 158.0,
    170.0, 190.0, 208.0, 232.0, 252.0,
];

/// A nominal size with its tolerance class.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeClass {
    nominal_mm: f64,
    /// Letter and grade, such as “H7”.
    class: String,
    lower_um: f64,
    upper_um: f64,
}

impl SizeClass {
    /// Reads a size such as “25 H7” or “Ø12.5 g6”; `nominal_mm` is the nominal size where the text states none.
    ///
    /// Returns an error if it cannot be read, if the size is beyond 500 mm, or if the deviations of the class are not
    /// known here.
    pub fn read(text: &str, nominal_mm: Option<f64>) -> Result<Self> {
        let unreadable = || {
            UserError::usage(format!(
                "“{text}” is no tolerance class: state a nominal size, a letter and a grade, such as 25 H7."
            ))
        };
        let plain = text.trim().trim_start_matches('Ø').trim_start().replace(',', ".");
        let from_letters = plain.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &plain[..plain.len() - from_letters.len()];
        let class = from_letters.trim();
        let grade = class.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let letters = &class[..class.len() - grade.len()];
        let grade: usize = grade.trim().parse().map_err(|_| unreadable())?;
        let is_hole = letters.chars().all(|c| c.is_ascii_uppercase());
        if letters.is_empty() || !(is_hole || letters.chars().all(|c| c.is_ascii_lowercase())) {
            return Err(unreadable());
        }
        let nominal_mm = if number.is_empty() {
            // Without the digits that a computation leaves.
            let own = nominal_mm.map(|own| (own * 1e4).round() / 1e4);
            own.ok_or_else(|| {
                UserError::usage(format!("“{text}” has no nominal size: state it before the class, such as 25 H7."))
            })?
        } else {
            number.parse::<f64>().map_err(|_| unreadable())?
        };
        let range = RANGES_MM.iter().position(|end| nominal_mm > 0.0 && nominal_mm <= *end);
        let fine = FINE_RANGES_MM.iter().position(|end| nominal_mm <= *end);
        let (Some(range), Some(fine)) = (range, fine) else {
            return Err(UserError::usage(format!(
                "Limits of tolerance classes are known for sizes above 0 and up to 500 mm, not for {nominal_mm} mm: state \
                 the limits in mm."
            )));
        };
        if !GRADES.contains(&grade) {
            return Err(UserError::usage(format!(
                "Limits of tolerance classes are known for the grades 5 to 13, not for {grade}: state the limits in mm."
            )));
        }
        let class = format!("{letters}{grade}");
        let limits_um = if is_hole { hole(letters, grade, range, fine) } else { shaft(letters, grade, range, fine) };
        let [lower_um, upper_um] = limits_um.ok_or_else(|| {
            UserError::usage(format!(
                "The deviations of “{class}” are not known here, but those of c to h, js, k, m, n, p, r and s, in capitals \
                 for holes, K up to grade 8: state the limits in mm."
            ))
        })?;
        Ok(Self { nominal_mm, class, lower_um, upper_um })
    }

    /// The size as a drawing states it, such as “25 H7”.
    pub fn designation(&self) -> String {
        format!("{} {}", self.nominal_mm, self.class)
    }

    /// Lower and upper limit of the size, mm.
    pub fn limits_mm(&self) -> [f64; 2] {
        [self.lower_um, self.upper_um].map(|um| ((self.nominal_mm * 1e6).round() + um * 1e3) / 1e6)
    }

    /// The limits in words for reports.
    pub fn words(&self) -> String {
        let [lower, upper] = [self.lower_um, self.upper_um].map(deviation_text);
        format!("limits of “{}” (ISO 286): {lower} and {upper} mm from the nominal size", self.designation())
    }
}

/// A deviation in mm with its sign.
fn deviation_text(um: f64) -> String {
    if um == 0.0 { "0".to_owned() } else { format!("{:+}", um / 1e3) }
}

/// Standard tolerance of a grade from IT4 on, µm.
fn tolerance_um(grade: usize, range: usize) -> f64 {
    TOLERANCES_UM[grade - FIRST_GRADE][range]
}

/// Lower and upper deviation of a shaft, µm; `None` if the letter is not known here.
fn shaft(letters: &str, grade: usize, range: usize, fine: usize) -> Option<[f64; 2]> {
    let it = tolerance_um(grade, range);
    let below = |upper: f64| Some([-upper - it, -upper]);
    let above = |lower: f64| Some([lower, lower + it]);
    match letters {
        "c" => below(C[fine]),
        "d" => below(D[range]),
        "e" => below(E[range]),
        "f" => below(F[range]),
        "g" => below(G[range]),
        "h" => Some([-it, 0.0]),
        "js" => Some([-0.5 * it, 0.5 * it]),
        "k" => above(if grade <= 7 { K[range] } else { 0.0 }),
        "m" => above(M[range]),
        "n" => above(N[range]),
        "p" => above(P[range]),
        "r" => above(R[fine]),
        "s" => above(S[fine]),
        _ => None,
    }
}

/// Lower and upper deviation of a hole, µm; `None` if the letter is not known here.
fn hole(letters: &str, grade: usize, range: usize, fine: usize) -> Option<[f64; 2]> {
    let it = tolerance_um(grade, range);
    let above = |lower: f64| Some([lower, lower + it]);
    let below = |upper: f64| Some([upper - it, upper]);
    // So that a hole and a shaft of the next finer grade have the same fit as in the system of the basic hole.
    let delta = if range == 0 { 0.0 } else { it - tolerance_um(grade - 1, range) };
    let to_8 = if grade <= 8 { delta } else { 0.0 };
    let to_7 = if grade <= 7 { delta } else { 0.0 };
    match letters {
        "C" => above(C[fine]),
        "D" => above(D[range]),
        "E" => above(E[range]),
        "F" => above(F[range]),
        "G" => above(G[range]),
        "H" => Some([0.0, it]),
        "JS" => Some([-0.5 * it, 0.5 * it]),
        "K" if grade <= 8 => below(to_8 - K[range]),
        // The one exception of the table.
        "M" if grade == 6 && RANGES_MM[range] == 315.0 => below(-9.0),
        "M" => below(to_8 - M[range]),
        "N" if grade > 8 && range > 0 => below(0.0),
        "N" => below(to_8 - N[range]),
        "P" => below(to_7 - P[range]),
        "R" => below(to_7 - R[fine]),
        "S" => below(to_7 - S[fine]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lower and upper deviation, µm.
    fn deviations(text: &str) -> [f64; 2] {
        let class = SizeClass::read(text, None).unwrap();
        [class.lower_um, class.upper_um]
    }

    #[test]
    fn known_fits_have_their_limits() {
        for (text, expected) in [
            ("25 H7", [0.0, 21.0]),
            ("25 g6", [-20.0, -7.0]),
            ("50 js9", [-31.0, 31.0]),
            ("10 f7", [-28.0, -13.0]),
            ("100 h6", [-22.0, 0.0]),
            ("30 p6", [22.0, 35.0]),
            ("40 n6", [17.0, 33.0]),
            ("60 k6", [2.0, 21.0]),
            ("25 c11", [-240.0, -110.0]),
            ("60 s6", [53.0, 72.0]),
            ("100 r6", [51.0, 73.0]),
            ("20 m6", [8.0, 21.0]),
            ("500 d9", [-385.0, -230.0]),
            ("3 e8", [-28.0, -14.0]),
            ("60 k9", [0.0, 74.0]),
            ("25 F8", [20.0, 53.0]),
            ("25 G7", [7.0, 28.0]),
            ("80 JS7", [-15.0, 15.0]),
            ("25 K7", [-15.0, 6.0]),
            ("25 M7", [-21.0, 0.0]),
            ("25 M8", [-29.0, 4.0]),
            ("25 N7", [-28.0, -7.0]),
            ("25 N9", [-52.0, 0.0]),
            ("25 P7", [-35.0, -14.0]),
            ("25 P9", [-74.0, -22.0]),
            ("60 R7", [-60.0, -30.0]),
            ("60 S7", [-72.0, -42.0]),
            ("3 N7", [-14.0, -4.0]),
            ("3 K7", [-10.0, 0.0]),
            ("300 M6", [-41.0, -9.0]),
        ] {
            assert_eq!(deviations(text), expected, "{text}");
        }
        // A range ends with its upper end.
        assert_eq!((deviations("18 H7"), deviations("18.01 H7")), ([0.0, 18.0], [0.0, 21.0]));
    }

    /// The tables follow the formulas of the standard, which they round.
    #[test]
    fn tables_follow_their_formulas() {
        let mut start = 1.0_f64;
        for (range, end) in RANGES_MM.into_iter().enumerate() {
            let size = (start * end).sqrt();
            let unit = 0.45 * size.cbrt() + 0.001 * size;
            for (grade, units) in (5..).zip([7.0, 10.0, 16.0, 25.0, 40.0, 64.0, 100.0, 160.0, 250.0]) {
                let ratio = tolerance_um(grade, range) / (units * unit);
                assert!((ratio - 1.0).abs() < 0.16, "IT{grade} to {end} mm: {ratio}");
            }
            for (table, formula, within) in [
                (&D, 16.0 * size.powf(0.44), 5.0),
                (&E, 11.0 * size.powf(0.41), 3.0),
                (&F, 5.5 * size.powf(0.41), 1.0),
                (&G, 2.5 * size.powf(0.34), 1.1),
                (&K, 0.6 * size.cbrt(), 0.8),
                (&M, 6.0 * unit, 1.4),
                (&N, 5.0 * size.powf(0.34), 2.1),
                (&P, 16.0 * unit + 2.0, 5.0),
            ] {
                assert!((table[range] - formula).abs() < within, "{} to {end} mm, {formula}", table[range]);
            }
            start = end;
        }
        // The letter r lies at the geometric mean of p and s.
        for (fine, end) in FINE_RANGES_MM.into_iter().enumerate() {
            let range = RANGES_MM.iter().position(|coarse| end <= *coarse).unwrap();
            assert!((R[fine] - (P[range] * S[fine]).sqrt()).abs() < 1.2, "to {end} mm");
        }
    }

    #[test]
    fn designations_are_read_as_they_are_written() {
        let of = |text: &str| SizeClass::read(text, None).unwrap();
        assert_eq!(of("Ø 12,5 g6").designation(), "12.5 g6");
        assert_eq!(of("25H7").limits_mm(), [25.0, 25.021]);
        assert_eq!(of("25 js7").words(), "limits of “25 js7” (ISO 286): -0.0105 and +0.0105 mm from the nominal size");
        assert_eq!(of("25 H7").words(), "limits of “25 H7” (ISO 286): 0 and +0.021 mm from the nominal size");
        let by_nominal = SizeClass::read("H7", Some(24.999_999_6)).unwrap();
        assert_eq!((by_nominal.designation().as_str(), by_nominal.limits_mm()), ("25 H7", [25.0, 25.021]));
        for (text, says) in [
            ("H7", "no nominal size"),
            ("25", "is no tolerance class"),
            ("25 7", "is no tolerance class"),
            ("25 Js7", "is no tolerance class"),
            ("2.5.1 H7", "is no tolerance class"),
            ("0 H7", "not for 0 mm"),
            ("630 H7", "not for 630 mm"),
            ("25 H4", "not for 4"),
            ("25 H14", "not for 14"),
            ("25 a11", "“a11” are not known here"),
            ("25 j6", "“j6” are not known here"),
            ("25 K9", "“K9” are not known here"),
            ("25 ZA7", "“ZA7” are not known here"),
        ] {
            let sentence = SizeClass::read(text, None).unwrap_err().sentence;
            assert!(sentence.contains(says), "{text}: {sentence}");
        }
    }
}
