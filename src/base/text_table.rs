//! Plain-text tables for consoles, e-mails and log files.

/// Formats `rows` under `titles` and a rule. Each column is as wide as its widest cell, the first left-aligned, the
/// others right-aligned, two spaces between columns. Ends with a newline.
pub fn aligned(titles: &[&str], rows: &[Vec<String>]) -> String {
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let columns = rows.iter().map(Vec::len).fold(titles.len(), usize::max);
    let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| cell(row, column).chars().count());
        cells.fold(cell(&titles, column).chars().count(), usize::max)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &[String]| {
        let padded = widths.iter().enumerate().map(|(column, &width)| {
            let text = cell(row, column);
            if column == 0 { format!("{text:<width$}") } else { format!("{text:>width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    [line(&titles), line(&rule)].into_iter().chain(rows.iter().map(|row| line(row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let table = aligned(&["hole", "x"], &[row(["a", "12.5"]), row(["größer", "1"])]);
        assert_eq!(table, "hole       x\n------  ----\na       12.5\ngrößer     1\n");
        assert_eq!(aligned(&["a"], &[Vec::new()]), "a\n-\n\n");
    }
}
