//! Values of arguments, read from their texts. Each function returns an error that says what is expected.

use clap::ValueEnum as _;

use inspect::deviation::Tolerance;
use inspect::features::Kind;

/// Parses numbers separated by commas.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(',').map(|word| word.trim().parse::<f64>().map_err(|_| format!("“{word}” is not a number"))).collect()
}

/// Parses a direction: an axis or a vector.
pub(super) fn direction(text: &str) -> Result<[f64; 3], String> {
    let vector = match text.trim().to_ascii_uppercase().as_str() {
        "X" => vec![1.0, 0.0, 0.0],
        "Y" => vec![0.0, 1.0, 0.0],
        "Z" => vec![0.0, 0.0, 1.0],
        _ => numbers(text)?,
    };
    <[f64; 3]>::try_from(vector).map_err(|_| "X, Y, Z or three numbers are expected, such as 0,0.6,0.8".to_owned())
}

/// Parses tolerance limits, mm. An error if the text can be one number with a decimal comma as well.
pub fn tolerance(text: &str) -> Result<Tolerance, String> {
    if let Some((first, second)) = decimal_comma(text) {
        let limits = numbers(text)?.iter().map(|limit| format!("{limit:?}")).collect::<Vec<_>>();
        return Err(format!(
            "“{text}” can be read as {first}.{second} and as the limits {}; write {first}.{second} or {}",
            limits.join(" and "),
            limits.join(",")
        ));
    }
    let tolerance = match *numbers(text)?.as_slice() {
        [low_mm, high_mm] => Tolerance { low_mm, high_mm },
        [both] => Tolerance { low_mm: -both.abs(), high_mm: both.abs() },
        _ => return Err("two numbers are expected, such as -0.1,0.1".to_owned()),
    };
    tolerance.check().map_err(|error| error.sentence)?;
    Ok(tolerance)
}

/// The whole and the decimal digits of a text that can be one number with a decimal comma, and not only two numbers: `-1,1` is two,
/// since one that is negative would be no pair of limits.
fn decimal_comma(text: &str) -> Option<(&str, &str)> {
    let (first, second) = text.trim().split_once(',')?;
    let digits = first.trim_start_matches(['-', '+']);
    let is_digits = |own: &str| !own.is_empty() && own.bytes().all(|own| own.is_ascii_digit());
    let is_two = first.starts_with('-') && !digits.starts_with('0') && !(second.len() > 1 && second.starts_with('0'));
    (is_digits(digits) && is_digits(second) && !is_two).then_some((first, second))
}

pub(super) fn name_and_kind(text: &str) -> Result<(String, Kind), String> {
    let (name, kind) = text.rsplit_once('=').ok_or("a feature and its kind are expected, such as bottom=plane")?;
    Ok((name.trim().to_owned(), Kind::from_str(kind.trim(), true)?))
}

pub(super) fn name_and_point(text: &str) -> Result<(String, [f64; 3]), String> {
    let (name, point) = text.rsplit_once('=').ok_or("a feature and a point are expected, such as bottom=10,20,0")?;
    Ok((name.trim().to_owned(), three(point)?))
}

/// Parses three finite numbers separated by commas.
pub fn three(text: &str) -> Result<[f64; 3], String> {
    finite(text)?.ok_or_else(|| "three numbers are expected".to_owned())
}

pub(super) fn two(text: &str) -> Result<[f64; 2], String> {
    finite(text)?.ok_or_else(|| "two numbers are expected, such as 75,131.25".to_owned())
}

/// Parses `N` finite numbers separated by commas; `None` if there are more or fewer, or some are not finite.
fn finite<const N: usize>(text: &str) -> Result<Option<[f64; N]>, String> {
    let numbers: Option<[f64; N]> = numbers(text)?.try_into().ok();
    Ok(numbers.filter(|all| all.iter().all(|n| n.is_finite())))
}

/// Parses the columns of x, y, z, counted from 1.
pub fn columns(text: &str) -> Result<io::xyz::Columns, String> {
    let words: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse::<usize>()).collect();
    match words.as_deref() {
        Ok(&[x, y, z]) if x > 0 && y > 0 && z > 0 => {
            Ok(io::xyz::Columns { xyz: [x - 1, y - 1, z - 1], ..Default::default() })
        }
        _ => Err("three column numbers from 1 are expected, such as 1,2,3".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_in_one_way_or_refused() {
        let limits = |text: &str| tolerance(text).map(|own| [own.low_mm, own.high_mm]);
        for (text, expected) in [
            ("0.02", [-0.02, 0.02]),
            ("-0.1,0.1", [-0.1, 0.1]),
            ("-1,1", [-1.0, 1.0]),
            ("-2, 3", [-2.0, 3.0]),
            ("0.0,2.0", [0.0, 2.0]),
            ("0,0.2", [0.0, 0.2]),
            ("-0.05,0", [-0.05, 0.0]),
        ] {
            assert_eq!(limits(text), Ok(expected), "{text}");
        }
        for text in ["0,02", "0,2", "1,5", "-0,05", "+0,1", "12,5", "-1,05", " 0,02 "] {
            assert!(limits(text).is_err_and(|error| error.contains("can be read as")), "{text}");
        }
        assert!(limits("0,02,").is_err() && limits("1;2").is_err());
    }
}
