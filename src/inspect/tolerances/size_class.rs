//! Limits of sizes that a drawing states by a tolerance class, such as “25 H7” (ISO 286-1 and -2:2010, sizes to 500 mm).
//!
//! The standard's texts were not available to check against: the tables are those in common use, which agree between
//! several reprints, with known fits and with the formulas behind them. What could not be confirmed so is refused, such as
//! cd, ef and fg above 10 mm.

mod tables;

use base::{Result, UserError};
use tables::{
    A, B, C, CD, D, E, EF, F, FG, FINE_RANGES_MM, FIRST_GRADE, G, GRADES, J_5, J_7, J_8, J_HOLE, K, M, N, P, R,
    RANGES_MM, S, T, TOLERANCES_UM, U, V, X, Y, Z, ZA, ZB, ZC,
};

/// Up to this size, mm, the standard has no a, no b, and no N above grade 8.
const SMALL_MM: f64 = 1.0;

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
        let is_rough = matches!(letters, "a" | "b" | "A" | "B") || (letters == "N" && grade > 8);
        let is_stated = nominal_mm > SMALL_MM || !is_rough;
        let limits_um = if is_hole { hole(letters, grade, range, fine) } else { shaft(letters, grade, range, fine) };
        let [lower_um, upper_um] = limits_um.filter(|_| is_stated).ok_or_else(|| {
            UserError::usage(format!(
                "The deviations of “{class}” are not known here for {nominal_mm} mm: state the limits in mm."
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

/// Distance of a shaft's zone above the nominal size for t to zc, µm. Some have none for small sizes.
fn above_s(letters: &str, fine: usize) -> Option<f64> {
    let table: &[f64] = match letters {
        "t" => &T,
        "u" => &U,
        "v" => &V,
        "x" => &X,
        "y" => &Y,
        "z" => &Z,
        "za" => &ZA,
        "zb" => &ZB,
        "zc" => &ZC,
        _ => return None,
    };
    let first = FINE_RANGES_MM.len() - table.len();
    table.get(fine.checked_sub(first)?).copied()
}

/// Lower and upper deviation of a shaft, µm; `None` if the letter is not known here.
fn shaft(letters: &str, grade: usize, range: usize, fine: usize) -> Option<[f64; 2]> {
    let it = tolerance_um(grade, range);
    let below = |upper: f64| Some([-upper - it, -upper]);
    let above = |lower: f64| Some([lower, lower + it]);
    match letters {
        "a" => below(A[fine]),
        "b" => below(B[fine]),
        "c" => below(C[fine]),
        "cd" => below(*CD.get(range)?),
        "d" => below(D[range]),
        "e" => below(E[range]),
        "ef" => below(*EF.get(range)?),
        "f" => below(F[range]),
        "fg" => below(*FG.get(range)?),
        "g" => below(G[range]),
        "h" => Some([-it, 0.0]),
        "js" => Some([-0.5 * it, 0.5 * it]),
        "j" => match grade {
            5 | 6 => above(-J_5[range]),
            7 => above(-J_7[range]),
            8 => above(-*J_8.get(range)?),
            _ => None,
        },
        "k" => above(if grade <= 7 { K[range] } else { 0.0 }),
        "m" => above(M[range]),
        "n" => above(N[range]),
        "p" => above(P[range]),
        "r" => above(R[fine]),
        "s" => above(S[fine]),
        _ => above(above_s(letters, fine)?),
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
        "A" => above(A[fine]),
        "B" => above(B[fine]),
        "C" => above(C[fine]),
        "CD" => above(*CD.get(range)?),
        "D" => above(D[range]),
        "E" => above(E[range]),
        "EF" => above(*EF.get(range)?),
        "F" => above(F[range]),
        "FG" => above(*FG.get(range)?),
        "G" => above(G[range]),
        "H" => Some([0.0, it]),
        "JS" => Some([-0.5 * it, 0.5 * it]),
        "J" => below(J_HOLE.get(grade.checked_sub(6)?)?[range]),
        "K" if grade <= 8 => below(to_8 - K[range]),
        // The one exception of the table.
        "M" if grade == 6 && RANGES_MM[range] == 315.0 => below(-9.0),
        "M" => below(to_8 - M[range]),
        "N" if grade > 8 && range > 0 => below(0.0),
        "N" => below(to_8 - N[range]),
        "P" => below(to_7 - P[range]),
        "R" => below(to_7 - R[fine]),
        "S" => below(to_7 - S[fine]),
        _ => below(to_7 - above_s(&letters.to_ascii_lowercase(), fine)?),
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
            ("20 a11", [-430.0, -300.0]),
            ("20 b11", [-290.0, -160.0]),
            ("260 b12", [-1000.0, -480.0]),
            ("5 cd9", [-76.0, -46.0]),
            ("8 ef8", [-40.0, -18.0]),
            ("3 fg6", [-10.0, -4.0]),
            ("10 j6", [-2.0, 7.0]),
            ("40 j5", [-5.0, 6.0]),
            ("40 j7", [-10.0, 15.0]),
            ("3 j8", [-6.0, 8.0]),
            ("300 j6", [-16.0, 16.0]),
            ("40 t6", [48.0, 64.0]),
            ("25 t7", [41.0, 62.0]),
            ("40 u6", [60.0, 76.0]),
            ("20 u6", [41.0, 54.0]),
            ("15 v6", [39.0, 50.0]),
            ("40 x6", [80.0, 96.0]),
            ("12 x7", [40.0, 58.0]),
            ("40 y7", [94.0, 119.0]),
            ("40 z6", [112.0, 128.0]),
            ("40 za8", [148.0, 187.0]),
            ("40 zb9", [200.0, 262.0]),
            ("500 zc11", [2600.0, 3000.0]),
            ("20 A11", [300.0, 430.0]),
            ("20 B11", [160.0, 290.0]),
            ("10 CD10", [56.0, 114.0]),
            ("6 EF7", [14.0, 26.0]),
            ("8 FG7", [8.0, 23.0]),
            ("25 J7", [-9.0, 12.0]),
            ("25 J6", [-5.0, 8.0]),
            ("25 J8", [-13.0, 20.0]),
            ("40 T7", [-64.0, -39.0]),
            ("40 U7", [-76.0, -51.0]),
            ("25 U8", [-81.0, -48.0]),
            ("40 X7", [-96.0, -71.0]),
            ("40 Z6", [-123.0, -107.0]),
            ("40 ZA7", [-164.0, -139.0]),
            ("3 ZC8", [-74.0, -60.0]),
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
        // The letters between two others lie at their geometric mean.
        for (between, one, other) in [(&CD, &C[..3], &D[..3]), (&EF, &E[..3], &F[..3]), (&FG, &F[..3], &G[..3])] {
            for ((between, one), other) in between.iter().zip(one).zip(other) {
                assert!((between - f64::sqrt(one * other)).abs() < 1.0, "{between} between {one} and {other}");
            }
        }
        let mut start = 1.0_f64;
        for (fine, end) in FINE_RANGES_MM.into_iter().enumerate() {
            let range = RANGES_MM.iter().position(|coarse| end <= *coarse).unwrap();
            let size = (start * end).sqrt();
            let a = if end <= 120.0 { 265.0 + 1.3 * size } else { 3.5 * size };
            let b = if end <= 160.0 { 140.0 + 0.85 * size } else { 1.8 * size };
            assert!((A[fine] / a - 1.0).abs() < 0.05 && (B[fine] / b - 1.0).abs() < 0.05, "to {end} mm: {a}, {b}");
            for (letters, grade, factor) in [
                ("t", 7, 0.63),
                ("u", 7, 1.0),
                ("v", 7, 1.25),
                ("x", 7, 1.6),
                ("y", 7, 2.0),
                ("z", 7, 2.5),
                ("za", 8, 3.15),
                ("zb", 9, 4.0),
                ("zc", 10, 5.0),
            ] {
                let formula = tolerance_um(grade, range) + factor * size;
                // Those of small sizes are larger.
                if let Some(own) = above_s(letters, fine).filter(|_| end > 10.0) {
                    assert!((own / formula - 1.0).abs() < 0.11, "{letters} to {end} mm: {own} {formula}");
                }
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
            ("25 j9", "“j9” are not known here for 25 mm"),
            ("25 j8", "“j8” are not known here"),
            ("25 J5", "“J5” are not known here"),
            ("25 K9", "“K9” are not known here"),
            ("24 t6", "“t6” are not known here"),
            ("14 v6", "“v6” are not known here"),
            ("18 y6", "“y6” are not known here"),
            ("12 cd9", "“cd9” are not known here"),
            ("12 EF9", "“EF9” are not known here"),
            ("25 q6", "“q6” are not known here"),
            ("25 ZD7", "“ZD7” are not known here"),
            ("1 a11", "“a11” are not known here for 1 mm"),
            ("0.8 N9", "“N9” are not known here"),
        ] {
            let sentence = SizeClass::read(text, None).unwrap_err().sentence;
            assert!(sentence.contains(says), "{text}: {sentence}");
        }
    }
}
