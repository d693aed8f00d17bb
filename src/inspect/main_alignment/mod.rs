//! Main alignments: a scan that is already aligned (the pre-alignment) is aligned again to what the drawing refers to,
//! by reference points (RPS, of which 3-2-1 is a case) or by a datum system.

mod conditions;
pub mod datum_system;
pub mod reference_points;
#[cfg(test)]
mod tests;
