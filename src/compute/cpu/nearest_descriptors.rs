//! Nearest descriptors on the CPU.

use rayon::prelude::*;

use crate::nearest_descriptors::{Match, Request};
use base::{Progress, Result};
use geometry::local_features::{Descriptor, LENGTH, squared_distance};

/// References whose distances are found side by side.
const LANES: usize = 16;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Vec<Match>>> {
    let (groups, rest) = request.references.as_chunks::<LANES>();
    let turned: Vec<[[f32; LANES]; LENGTH]> = groups
        .par_iter()
        .map(|own| std::array::from_fn(|value| std::array::from_fn(|lane| own[lane][value])))
        .collect();
    let counter = progress.counter(request.queries.len(), "Matching descriptors");
    let of_query = |query: &Descriptor| {
        let mut nearest = Nearest { keys: Vec::with_capacity(request.kept() + 1), count: request.kept() };
        if !counter.step() || nearest.count == 0 {
            return Vec::new();
        }
        for (group, own) in turned.iter().enumerate() {
            let mut sums = [0.0_f32; LANES];
            for (value, references) in query.iter().zip(own) {
                for (sum, reference) in sums.iter_mut().zip(references) {
                    let apart = value - reference;
                    *sum += apart * apart;
                }
            }
            (0..).zip(sums).for_each(|(lane, sum)| nearest.add(sum, (group * LANES) as u32 + lane));
        }
        let first = (groups.len() * LANES) as u32;
        (first..).zip(rest).for_each(|(index, own)| nearest.add(squared_distance(query, own), index));
        nearest.keys.into_iter().map(Match::of_key).collect()
    };
    let matches = request.queries.par_iter().map(of_query).collect();
    progress.check()?;
    Ok(matches)
}

/// The nearest so far, in order.
struct Nearest {
    keys: Vec<u64>,
    count: usize,
}

impl Nearest {
    #[inline]
    fn add(&mut self, squared: f32, reference: u32) {
        let key = Match::key(squared, reference);
        if self.keys.len() == self.count && self.keys.last().is_some_and(|last| key > *last) {
            return;
        }
        let rank = self.keys.partition_point(|own| *own < key);
        self.keys.insert(rank, key);
        self.keys.truncate(self.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_nearest_are_those_of_a_full_sort_whatever_their_number() {
        let mut random = Random::new(4, 0);
        let mut draw = |count: usize| -> Vec<Descriptor> {
            // Whole numbers, so that many are equally far.
            (0..count).map(|_| std::array::from_fn(|_| random.index(3) as f32)).collect()
        };
        for (references, count) in [(0, 30), (1, 30), (15, 30), (16, 30), (17, 3), (500, 30), (500, 0)] {
            let (references, queries) = (draw(references), draw(20));
            let request = Request { references: &references, queries: &queries, count };
            let found = run(&request, &Progress::silent()).unwrap();
            for (query, found) in queries.iter().zip(&found) {
                let mut all: Vec<(f32, u32)> =
                    references.iter().zip(0..).map(|(own, index)| (squared_distance(query, own), index)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all.truncate(count);
                let found: Vec<(f32, u32)> = found.iter().map(|own| (own.squared, own.reference)).collect();
                assert_eq!(found, all);
            }
        }
    }
}
