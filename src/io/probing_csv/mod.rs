//! CSV tables exchanged with a touch probe: holes, slots, probing targets and touches.
//!
//! Each has a header line whose column titles end in their unit (`start_x_mm`). Columns may be in any order; further
//! columns are ignored. Separators are commas, semicolons or tabs; with the latter two, decimal commas are accepted.
//! The last column of a written table of targets or touches is a word, so that a truncated line is detected even if a
//! number lost only its last digits.

mod holes;
mod slots;
mod table;
mod targets;
mod touches;

pub use holes::{parse_holes, read_holes};
pub use slots::{ListedSlot, parse_slots, read_slots};
pub use table::text as csv_text;
pub use targets::{Target, parse_targets, read_targets, targets_of, write_targets};
pub use touches::{ProbeHit, ProbeHits, ReportedPoint, parse_touches, read_touches, write_touches};
