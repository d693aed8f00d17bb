//! What is inspected: the nominal part and the actual one, read from their files.

mod actual;
mod nominal;
mod source_file;

pub use actual::Actual;
pub use nominal::{Nominal, NominalStep};
pub use source_file::SourceFile;
