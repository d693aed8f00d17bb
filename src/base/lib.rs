//! Floor 0: what every floor above may use and nothing here knows of geometry.

pub mod error;
pub mod hash;
pub mod limits;
pub mod progress;
pub mod random;
pub mod text_table;
pub mod units;
pub mod words;

pub use error::{ErrorKind, Result, UserError};
pub use progress::Progress;
pub use units::LengthUnit;
pub use words::{capitalised, counted, signed};
