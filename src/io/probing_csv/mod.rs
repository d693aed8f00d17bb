//! Tables that go to a touch probe and come back from it: holes, targets, and what was touched.
//!
//! All begin with a title line whose titles end in their unit (`start_x_mm`). Columns may stand in any order and
//! others may stand between them; commas, semicolons and tabs separate, and behind the latter two a number may have a
//! decimal comma. The last column written holds a word, so that a line that was cut off is noticed even where a number
//! lost only its last digits.

mod holes;
mod slots;
mod table;
mod targets;
mod touches;

pub use holes::{parse_holes, read_holes};
pub use slots::{ListedSlot, parse_slots, read_slots};
pub use table::text as csv_text;
pub use targets::{Target, parse_targets, read_targets, targets_of, write_targets};
pub use touches::{Reported, Touched, Touches, parse_touches, read_touches, write_touches};
