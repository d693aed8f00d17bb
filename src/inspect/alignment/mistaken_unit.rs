//! Detection of a scan read in the wrong unit: suspected from the ratio of sizes, decided by an alignment.

use super::automatic;
use super::{Alignment, best_fit};
use crate::parts::PreparedScan;
use base::{LengthUnit, Progress};
use compute::Backend;
use geometry::{Cloud, Surface};

/// Diagonals that differ by more than this factor may be due to a wrong unit; a small piece of a large part is as
/// likely.
const MAX_SIZE_RATIO: f64 = 3.0;

/// The unit in which `cloud`, read in `read_in`, fits `surface` far better than as read; `None` if there is none.
/// `found` is the alignment of the cloud as read; `None` if that failed.
pub fn likely_unit(
    backend: &dyn Backend,
    surface: &Surface,
    (cloud, read_in): (&Cloud, LengthUnit),
    found: Option<&Alignment>,
    parameters: &best_fit::Parameters,
    progress: &Progress,
) -> Option<LengthUnit> {
    let ratio = surface.bounds().diagonal() / cloud.bounds().diagonal();
    let is_plausible = |ratio: f64| (1.0 / MAX_SIZE_RATIO..MAX_SIZE_RATIO).contains(&ratio);
    if is_plausible(ratio) {
        return None;
    }
    let relative = |alignment: &Alignment, size_mm: f64| alignment.rms_mm.max(1e-9 * size_mm) / size_mm;
    let as_read = found.map(|alignment| relative(alignment, cloud.bounds().diagonal()));
    // Only units that make the sizes comparable.
    let factor_of = |unit: &LengthUnit| unit.mm_per_unit() / read_in.mm_per_unit();
    let others = LengthUnit::ALL.into_iter().filter(|unit| *unit != read_in);
    let tried = others.filter(|unit| is_plausible(ratio / factor_of(unit))).filter_map(|unit| {
        let mut scaled = cloud.clone();
        scaled.scale(factor_of(&unit));
        let prepared = PreparedScan::new(&scaled);
        let tried = automatic::run(backend, surface, &scaled, &prepared, parameters, progress, &mut |_, _| ());
        let alignment = tried.ok().filter(|alignment| alignment.overlap > 0.5)?;
        Some((unit, relative(&alignment, scaled.bounds().diagonal())))
    });
    // Of an inch and a centimetre both may fit roughly: the better of the two is meant.
    let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
    best.filter(|(_, relative)| as_read.is_none_or(|as_read| *relative < 0.2 * as_read)).map(|(unit, _)| unit)
}
