//! Terms and sentences of the floors below, which speak English, in other languages.

use std::borrow::Cow;

use super::language::naming_language;
use super::{Language, Value, bundles, language, within};
use base::capitalised;

/// A term, a sentence or several of the floors below in the language of this thread; what the language has nothing for
/// stays as it is.
///
/// The id of a text is `word-` and its letters and digits, all else as hyphens. In a sentence with figures, quoted names
/// or paths these are values, `$n1`, `$n2` and so on, `$q1` and `$p1`; in the id `n`, `q` and `p` stand for them:
/// `4 holes of “Plate”` is `word-n-holes-of-q`. What has no entry as a whole is looked up by its sentences, and by what
/// stands before and after a colon. A text begins with a capital letter, and ends with a full stop, where the English
/// does.
pub fn word(english: &str) -> Cow<'_, str> {
    match language() {
        Language::English => Cow::Borrowed(english),
        other => translated(other, english).map_or(Cow::Borrowed(english), Cow::Owned),
    }
}

/// A name for something new, such as an element, in the language of the operator that it is made for; see
/// [`super::naming_in`]. From then on it is a name like one that was typed.
pub fn name(english: &str) -> String {
    within(naming_language(), || word(english).into_owned())
}

fn translated(language: Language, english: &str) -> Option<String> {
    whole(language, english).or_else(|| parts(language, english))
}

fn whole(language: Language, english: &str) -> Option<String> {
    let own = bundles::own(language, &id_of(english), bundles::NOTHING).or_else(|| {
        let (pattern, values) = pattern(english);
        let named = |own: &(String, &str)| -> (String, Value<'static>) { (own.0.clone(), own.1.to_owned().into()) };
        let values: Vec<_> = values.iter().map(named).collect();
        (!values.is_empty()).then(|| bundles::own(language, &id_of(&pattern), &values)).flatten()
    })?;
    // Abbreviations such as “i. O.” stay as they are.
    let is_word = own.chars().nth(1).is_some_and(char::is_alphabetic);
    let mut own = if is_word && english.starts_with(char::is_uppercase) { capitalised(&own) } else { own };
    if english.ends_with('.') && !own.ends_with('.') {
        own.push('.');
    } else if !english.ends_with('.') && own.ends_with('.') && !is_abbreviated(&own) {
        own.pop();
    }
    Some(own)
}

/// Whether a text ends with the full stop of an abbreviation.
fn is_abbreviated(text: &str) -> bool {
    text.split_whitespace().next_back().is_some_and(|last| last.chars().count() <= 4)
}

/// A text of several parts of which some can be translated.
fn parts(language: Language, english: &str) -> Option<String> {
    // The strongest alone: the weaker ones separate the parts of the parts, so that each is looked up once.
    let separator = ["\n", ". ", "; ", ": ", " | ", ", "].into_iter().find(|own| english.contains(own))?;
    let (first, rest) = english.split_once(separator)?;
    let (first, between) = if separator == ". " { (format!("{first}."), " ") } else { (first.to_owned(), separator) };
    let [own_first, own_rest] = [translated(language, &first), translated(language, rest)];
    if own_first.is_none() && own_rest.is_none() {
        return None;
    }
    Some(own_first.unwrap_or(first) + between + &own_rest.unwrap_or_else(|| rest.to_owned()))
}

fn id_of(english: &str) -> String {
    let mut id = "word".to_owned();
    let is_part = |letter: char| letter.is_ascii_alphanumeric();
    for part in english.split(|letter| !is_part(letter)).filter(|part| !part.is_empty()) {
        id.push('-');
        id.push_str(&part.to_ascii_lowercase());
    }
    id
}

/// A sentence with its figures, quoted names and paths as ` n `, ` q ` and ` p `, and these by their names.
fn pattern(english: &str) -> (String, Vec<(String, &str)>) {
    let (mut pattern, mut values, mut counts) = (String::new(), Vec::new(), [0; 3]);
    let (mut rest, mut before) = (english, ' ');
    while let Some(letter) = rest.chars().next() {
        let (kind, taken, value) = if let Some(inner) = quoted(rest) {
            (1, inner.len() + "“”".len(), inner)
        } else if let Some(figure) = figure(rest, before) {
            (0, figure.len(), figure)
        } else if let Some(path) = path(rest, english) {
            (2, path.len(), path)
        } else {
            pattern.push(letter);
            (before, rest) = (letter, &rest[letter.len_utf8()..]);
            continue;
        };
        counts[kind] += 1;
        let letter = ["n", "q", "p"][kind];
        values.push((format!("{letter}{}", counts[kind]), value));
        pattern.push_str(&format!(" {letter} "));
        (before, rest) = (' ', &rest[taken..]);
    }
    (pattern, values)
}

/// What stands in the quotes that a text begins with.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('“')?.split_once('”').map(|(inner, _)| inner)
}

/// The full path that the rest of a text begins with, if it has no spaces.
fn path<'a>(text: &'a str, whole: &str) -> Option<&'a str> {
    let before = whole[..whole.len() - text.len()].chars().next_back();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let path = text[..end].trim_end_matches(['.', ',', ';', ':', ')']);
    let begins = before.is_none_or(|own| own.is_whitespace() || own == '(');
    (text.starts_with('/') && begins && path.len() > 1).then_some(path)
}

/// The figure that a text begins with: digits with a sign, decimals, groups and an exponent. Not one within a word.
fn figure(text: &str, before: char) -> Option<&str> {
    if before.is_alphanumeric() {
        return None;
    }
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with(['+', '-']));
    let mut end = sign + digits(sign);
    if end == sign {
        return None;
    }
    while let Some(separator) = text[end..].chars().next().filter(|own| matches!(own, '.' | ',' | '\u{202f}')) {
        let more = digits(end + separator.len_utf8());
        if more == 0 {
            break;
        }
        end += separator.len_utf8() + more;
    }
    if text[end..].starts_with('e') {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    Some(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(english: &str) -> (String, Vec<String>) {
        let (pattern, values) = pattern(english);
        (id_of(&pattern), values.into_iter().map(|(name, value)| format!("{name}={value}")).collect())
    }

    #[test]
    fn figures_and_quoted_names_are_values() {
        let german = |english| translated(Language::German, english).unwrap_or_default();
        // Several sentences, and what stands before a colon.
        assert_eq!(german("scan.ply: FAIL. Flatness"), "scan.ply: n. i. O. Ebenheit");
        assert_eq!(german("nobody translated this. Nor this: that"), "");
        assert_eq!(id_of("Max. facet edge (0: auto)"), "word-max-facet-edge-0-auto");
        let (id_of_verdict, values) = id("4 regions are out of tolerance, the worst by +0.342 mm.");
        assert_eq!(id_of_verdict, "word-n-regions-are-out-of-tolerance-the-worst-by-n-mm");
        assert_eq!(values, ["n1=4", "n2=+0.342"]);
        assert_eq!(
            id("“Plane 1” has 1\u{202f}200 points, x2, -1e-7, 3."),
            (
                "word-q-has-n-points-x2-n-n".to_owned(),
                ["q1=Plane 1", "n1=1\u{202f}200", "n2=-1e-7", "n3=3"].map(str::to_owned).to_vec()
            )
        );
        assert_eq!(id("“open, 1.e"), ("word-open-n-e".to_owned(), vec!["n1=1".to_owned()]));
        let (saved, values) = id("Saved /tmp/a-1/part.shadowgraph.");
        assert_eq!((saved.as_str(), values), ("word-saved-p", vec!["p1=/tmp/a-1/part.shadowgraph".to_owned()]));
        assert_eq!(id("1/2 and / alone").0, "word-n-n-and-alone");
        assert_eq!(id("Größe – 5°"), ("word-gr-e-n".to_owned(), vec!["n1=5".to_owned()]));
    }
}
