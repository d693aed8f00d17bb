//! `register --compare-searches`: time and result of each search on this scan.

use serde_json::json;

use super::super::console::Console;
use crate::output::outln;
use base::Result;
use inspect::alignment::search_comparison::SearchComparison;

/// Prints the table.
pub fn print(comparison: &SearchComparison, json: bool, console: &Console) -> Result<i32> {
    if json {
        super::super::print_json(&json!({ "schema": "shadowgraph.searches/1", "searches": comparison }))?;
        return Ok(0);
    }
    console.say(&format!(
        "{} points of the scan on {} of the nominal; tree {:.1} ms, Delaunay graph {:.0} ms.",
        comparison.sensed, comparison.truth, comparison.tree_ms, comparison.graph_ms
    ));
    outln!(
        "{:36} {:5} {:>11} {:>11} {:>10} {:>11} {:>9}",
        "search",
        "on",
        "ms",
        "iterations",
        "rms mm",
        "diff. mm",
        "visited"
    );
    for row in &comparison.rows {
        let visited = row.mean_visited.map_or_else(String::new, |visited| format!("{visited:.2}"));
        outln!(
            "{:36} {:5} {:>11.2} {:>11} {:>10.4} {:>11.1e} {:>9}",
            row.search,
            row.device.kind.name(),
            row.total_ms,
            row.iterations,
            row.rms_mm,
            row.apart_mm,
            visited
        );
    }
    Ok(0)
}
