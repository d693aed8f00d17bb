//! What typst says of a template, as sentences. It is asked for short diagnostics, a line each:
//! `company.typ:12:4: error: unknown variable: foo`, without a position where there is none.

/// Most errors or warnings that are repeated.
const MAX_LISTED: usize = 5;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
}

impl Severity {
    const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// What stands between position and message.
    fn marker(self) -> &'static str {
        match self {
            Self::Error => "error: ",
            Self::Warning => "warning: ",
        }
    }
}

/// A line of what typst says.
#[derive(Debug, PartialEq)]
struct Diagnostic<'a> {
    severity: Severity,
    /// The file, relative to that of the template, and the line, from 1.
    position: Option<(&'a str, u32)>,
    message: &'a str,
}

impl<'a> Diagnostic<'a> {
    /// Of one line; `None` if it is none, or tells only how an error came about.
    fn parse(line: &'a str) -> Option<Self> {
        let found = Severity::ALL.into_iter().filter_map(|severity| {
            let marker = severity.marker();
            let begin = if line.starts_with(marker) { 0 } else { line.find(&format!(": {marker}"))? + 2 };
            Some((begin, severity))
        });
        let (begin, severity) = found.min_by_key(|(begin, _)| *begin)?;
        let (before, rest) = line.split_at(begin);
        let message = rest.strip_prefix(severity.marker())?.trim();
        Some(Self { severity, position: position(before.trim_end_matches(": ")), message })
    }

    fn sentence(&self, template: &str) -> String {
        let message = self.message.trim_end_matches('.');
        match self.position {
            Some((file, line)) if file == template => format!("The template “{template}”, line {line}: {message}."),
            Some((file, line)) => format!("The template “{template}”, file “{file}”, line {line}: {message}."),
            None => format!("The template “{template}”: {message}."),
        }
    }
}

/// File and line of `company.typ:12:4`.
fn position(text: &str) -> Option<(&str, u32)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    column.parse::<u32>().ok()?;
    Some((file, line.parse().ok()?))
}

/// The errors of a template in sentences.
pub(super) fn errors(template: &str, said: &str) -> String {
    let found = listed(template, said, Severity::Error);
    if found.is_empty() {
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let reason = last.map_or_else(|| "it gives no reason".to_owned(), |line| line.trim_end_matches('.').to_owned());
        return format!("The template “{template}” could not be set by typst: {reason}.");
    }
    found.join(" ")
}

/// What typst warns of, a sentence each.
pub(super) fn warnings(template: &str, said: &str) -> Vec<String> {
    listed(template, said, Severity::Warning)
}

/// Sentences of the first diagnostics of a severity, and how many follow.
fn listed(template: &str, said: &str, severity: Severity) -> Vec<String> {
    let found: Vec<_> = said.lines().filter_map(Diagnostic::parse).filter(|own| own.severity == severity).collect();
    let mut sentences: Vec<String> = found.iter().take(MAX_LISTED).map(|own| own.sentence(template)).collect();
    let more = found.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        sentences.push(format!("Typst says {more} more like this."));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_template_and_line() {
        let said = "company.typ:12:4: error: unknown variable: foo\n";
        assert_eq!(errors("company.typ", said), "The template “company.typ”, line 12: unknown variable: foo.");
        // Of a file that it includes, with a path that has colons, and how it came about.
        let said = "lib/a:b.typ:3:1: error: expected expression\ncompany.typ:1:8: help: error occurred while importing \
                    this module\n";
        assert_eq!(
            errors("company.typ", said),
            "The template “company.typ”, file “lib/a:b.typ”, line 3: expected expression."
        );
        // Without a position, and not taken for another severity.
        assert_eq!(
            errors("a.typ", "error: failed to load file (access denied).\n"),
            "The template “a.typ”: failed to load file (access denied)."
        );
        let panicked = "a.typ:2:1: error: panicked with: \"b: warning: c\"";
        assert_eq!(errors("a.typ", panicked), "The template “a.typ”, line 2: panicked with: \"b: warning: c\".");
        assert!(warnings("a.typ", panicked).is_empty());
    }

    #[test]
    fn five_errors_are_listed_and_warnings_are_told_apart() {
        let mut said: String = (1..=7).map(|line| format!("a.typ:{line}:2: error: unclosed label\n")).collect();
        said.push_str("a.typ:9:2: warning: unknown font family: nope\n");
        let sentences = errors("a.typ", &said);
        assert!(
            sentences.contains("line 5: unclosed label. Typst says 2 more like this.") && !sentences.contains("line 6")
        );
        assert_eq!(warnings("a.typ", &said), ["The template “a.typ”, line 9: unknown font family: nope."]);
    }

    #[test]
    fn what_is_no_diagnostic_is_repeated_as_it_is() {
        let set = "The template “a.typ” could not be set by typst: ";
        assert_eq!(errors("a.typ", "\nlib.so: cannot open\n\n"), format!("{set}lib.so: cannot open."));
        assert_eq!(errors("a.typ", ""), format!("{set}it gives no reason."));
    }
}
