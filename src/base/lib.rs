//! Floor 0: errors, progress, units, random numbers and text helpers for every crate above; independent of geometry.

pub mod date;
pub mod decimals;
pub mod error;
pub mod folder;
pub mod hash;
pub mod limits;
pub mod once;
pub mod page_size;
pub mod paths;
pub mod progress;
pub mod random;
pub mod regular_file;
pub mod software;
pub mod standard_view;
pub mod text_table;
pub mod units;
pub mod words;

pub use decimals::{Decimals, decimals, length_text, position_text, set_decimals, signed_length};
pub use error::{ErrorKind, Result, UserError};
pub use page_size::PageSize;
pub use paths::{absolute, file_name, full_path};
pub use progress::Progress;
pub use standard_view::StandardView;
pub use units::LengthUnit;
pub use words::{capitalised, counted, signed};
