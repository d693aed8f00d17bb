//! Text helpers for messages: capitalisation, plurals, signed numbers.

/// `text` with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A count with its noun in singular or plural: `1 region`, `2 regions`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `value` with an explicit sign and `decimals` decimals; a value that rounds to zero has no sign.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text.trim_start_matches(['+', '-']).chars().all(|c| matches!(c, '0' | '.')) {
        text[1..].to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_unsigned_and_one_is_singular() {
        let written = [(-0.000_04, "0.0000"), (0.0, "0.0000"), (-0.000_06, "-0.0001"), (1.25, "+1.2500")];
        written.iter().for_each(|(value, text)| assert_eq!(signed(*value, 4), *text));
        assert_eq!(signed(f64::NAN, 2), "NaN");
        assert_eq!([counted(1, "pose", "poses"), counted(2, "pose", "poses")], ["1 pose", "2 poses"]);
    }
}
