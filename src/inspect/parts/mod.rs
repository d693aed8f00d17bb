//! What is inspected: the nominal part and the actual one, read from their files.

mod actual;
mod nominal;
mod recipe;
mod source_file;

pub use actual::Actual;
pub use nominal::{Nominal, NominalStep};
pub use recipe::{NominalRecipe, ScanRecipe};
pub use source_file::SourceFile;
