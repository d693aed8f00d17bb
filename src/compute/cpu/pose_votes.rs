//! Votes of point pairs for poses on the CPU.

use rayon::prelude::*;

use crate::pose_votes::{ANGLE_BINS, Bin, MAX_PEAKS, Peak, Request, Voters};
use base::{Progress, Result};
use geometry::point_pairs::{LocalPoint, PairTable};

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Peak>> {
    let Voters { points, references } = request.voters();
    let counter = progress.counter(references.len(), "Searching for the part's pose");
    let of_reference = |counts: &mut Vec<u32>, first: &LocalPoint| {
        if !counter.step() {
            return [Bin::default(); MAX_PEAKS];
        }
        counts.fill(0);
        vote(request.table, first, &points, request.oriented, counts);
        best_bins(counts)
    };
    let slots = request.model.len() * ANGLE_BINS;
    let bins: Vec<_> = references.par_iter().map_init(|| vec![0_u32; slots], of_reference).collect();
    progress.check()?;
    Ok(request.peaks(&bins))
}

fn vote(table: &PairTable, first: &LocalPoint, scene: &[LocalPoint], oriented: bool, counts: &mut [u32]) {
    let reach_mm2 = table.reach_mm2();
    for other in scene {
        let (line, squared) = first.line_to(other);
        if squared >= reach_mm2 {
            continue;
        }
        let direction = first.direction(line);
        let mut vote = |normal: [f32; 3]| {
            for entry in table.similar(first, normal, line, squared) {
                let between = u32::from(entry.direction.wrapping_sub(direction));
                let bin = (between * ANGLE_BINS as u32) >> 16;
                counts[usize::from(entry.first) * ANGLE_BINS + bin as usize] += 1;
            }
        };
        vote(other.normal);
        if !oriented {
            vote(other.normal.map(|own| -own));
        }
    }
}

/// The bins with the most votes, the first of equal ones first.
fn best_bins(counts: &[u32]) -> [Bin; MAX_PEAKS] {
    let mut best = [Bin::default(); MAX_PEAKS];
    for (point, bins) in counts.as_chunks::<ANGLE_BINS>().0.iter().enumerate() {
        let most = bins.iter().fold(0, |most, &count| most.max(count));
        if 4 * most <= best[MAX_PEAKS - 1].votes {
            continue;
        }
        for (bin, &count) in bins.iter().enumerate() {
            // Empty bins are no peaks, whatever their neighbours hold.
            if count == 0 {
                continue;
            }
            // A pose near a bin border splits its votes, so each bin gets half the votes of its neighbours (all counts
            // doubled).
            let votes = 2 * count + bins[(bin + 1) % ANGLE_BINS] + bins[(bin + ANGLE_BINS - 1) % ANGLE_BINS];
            if votes > best[MAX_PEAKS - 1].votes {
                let rank = best.partition_point(|other| other.votes >= votes);
                best[rank..].rotate_right(1);
                best[rank] = Bin { votes, slot: (point * ANGLE_BINS + bin) as u32 };
            }
        }
    }
    best
}
