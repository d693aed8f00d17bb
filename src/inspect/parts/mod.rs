//! The nominal and the actual part, read from files.

mod actual;
mod faces;
mod master;
mod nominal;
mod of_nominal;
mod prepared_scan;
mod recipe;

pub use actual::{Actual, Scan};
pub(crate) use faces::area_mm2;
pub use faces::{Anchors, Faces, MIN_EDGE_ANGLE_RAD};
pub use nominal::{Nominal, NominalStep};
pub use of_nominal::{FromNominal, OfNominal};
pub use prepared_scan::PreparedScan;
pub use recipe::{NominalRecipe, ScanRecipe};
