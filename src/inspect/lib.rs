//! Floor 3: metrology. Parts, alignment, deviations, features, tolerances, calibration and acceptance tests.

pub mod acceptance;
pub mod alignment;
pub mod calibration;
pub mod cleaning;
pub mod detection;
pub mod deviation;
pub mod features;
pub mod main_alignment;
pub mod offset;
pub mod parts;
pub mod pmi;
pub mod probing;
pub mod process_performance;
pub mod recipe;
mod robust_scale;
pub mod section;
pub mod selection;
pub mod simulation;
pub mod surface_points;
mod table;
#[cfg(test)]
mod test_sizes;
pub mod thickness;
pub mod tolerances;
pub mod verdict;
