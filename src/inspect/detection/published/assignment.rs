//! Which poses of all parts explain a scene together (MOPE; Popovic 2013, sections 2.1 and 2.2): by annealing.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::single::Sample;
use super::terms::TERMS;
use super::weights::{WEIGHTS, Weights};
use base::random::Random;

/// Chains of the annealing, and steps of each.
const CHAINS: u64 = 32;
const STEPS: usize = 20_000;
/// How likely a worse set is taken at the start of a chain.
const START: f64 = 0.5;
/// Sets that are kept, to learn weights from.
const KEPT: usize = 100;

/// Poses to choose from.
pub struct Pool {
    /// Those of one part beside each other.
    pub samples: Vec<Sample>,
    /// By segment of the scene: its share of all pixels.
    pub shares: Vec<f64>,
}

/// A set of poses.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Indices of its samples, ascending.
    pub chosen: Vec<usize>,
    /// How well it explains the scene.
    pub score: f64,
}

/// Counts of a set, kept between sets so that nothing is allocated.
struct Counts {
    covering: Vec<u32>,
    sum: Vec<f64>,
}

impl Pool {
    /// What is weighed of a set: terms of its poses and one, over the segments that they explain; then, negative, the share
    /// of the scene that is left, what two poses claim, and the number of poses. (The score is linear in the weights.)
    pub fn weighed(&self, chosen: &[usize]) -> [f64; WEIGHTS] {
        let mut covering: BTreeMap<u32, u32> = BTreeMap::new();
        let segments = || chosen.iter().flat_map(|&own| self.samples[own].segments.iter().map(move |&at| (own, at)));
        segments().for_each(|(_, segment)| *covering.entry(segment).or_default() += 1);
        let mut weighed = [0.0; WEIGHTS];
        for (own, segment) in segments() {
            let share = self.shares[segment as usize] / f64::from(covering[&segment]);
            let terms = self.samples[own].terms.iter().chain([&1.0]);
            weighed.iter_mut().zip(terms).for_each(|(sum, term)| *sum += share * term);
        }
        let explained: f64 = covering.keys().map(|&own| self.shares[own as usize]).sum();
        weighed[TERMS + 1] = explained - 1.0;
        for &own in chosen {
            let (mut all, mut both) = (0.0, 0.0);
            for &segment in &self.samples[own].segments {
                all += self.shares[segment as usize];
                both += if covering[&segment] > 1 { self.shares[segment as usize] } else { 0.0 };
            }
            weighed[TERMS + 2] -= both / all;
        }
        weighed[TERMS + 3] = -(chosen.len() as f64);
        weighed
    }

    /// Score of a set; of none, none.
    fn score(&self, chosen: &[usize], values: &[f64], weights: &Weights, counts: &mut Counts) -> f64 {
        if chosen.is_empty() {
            return f64::NEG_INFINITY;
        }
        for &own in chosen {
            for &segment in &self.samples[own].segments {
                counts.covering[segment as usize] += 1;
                counts.sum[segment as usize] += values[own];
            }
        }
        let (mut fit, mut explained, mut overlap) = (0.0, 0.0, 0.0);
        for &own in chosen {
            let (mut all, mut both) = (0.0, 0.0);
            for &segment in &self.samples[own].segments {
                let at = segment as usize;
                let (share, covering) = (self.shares[at], f64::from(counts.covering[at]));
                all += share;
                both += if covering > 1.0 { share } else { 0.0 };
                explained += share / covering;
                fit += share * counts.sum[at] / (covering * covering);
            }
            overlap += both / all;
        }
        for segment in chosen.iter().flat_map(|&own| &self.samples[own].segments) {
            counts.covering[*segment as usize] = 0;
            counts.sum[*segment as usize] = 0.0;
        }
        fit - weights.unexplained * (1.0 - explained) - weights.overlap * overlap - weights.number * chosen.len() as f64
    }

    fn counts(&self) -> Counts {
        Counts { covering: vec![0; self.shares.len()], sum: vec![0.0; self.shares.len()] }
    }

    /// Scores of the samples.
    fn values(&self, weights: &Weights) -> Vec<f64> {
        self.samples.iter().map(|own| weights.of_pose(&own.terms)).collect()
    }

    /// Score of a set.
    pub fn score_of(&self, chosen: &[usize], weights: &Weights) -> f64 {
        self.score(chosen, &self.values(weights), weights, &mut self.counts())
    }

    /// The best sets, the best first; none without samples.
    pub fn anneal(&self, weights: &Weights) -> Vec<Assignment> {
        if self.samples.is_empty() {
            return Vec::new();
        }
        let values = self.values(weights);
        let chains = (0..CHAINS).into_par_iter().map(|chain| self.chain(&values, weights, chain));
        let mut all: Vec<Assignment> = chains.collect::<Vec<_>>().into_iter().flatten().collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chosen.cmp(&b.chosen)));
        all.dedup_by(|a, b| a.chosen == b.chosen);
        all.truncate(KEPT);
        all
    }

    /// The best sets of one chain, from nothing.
    fn chain(&self, values: &[f64], weights: &Weights, chain: u64) -> Vec<Assignment> {
        let mut random = Random::new(chain, 0xA11);
        let mut counts = self.counts();
        let mut state: Vec<usize> = Vec::new();
        let mut score = f64::NEG_INFINITY;
        let mut best: Vec<Assignment> = Vec::new();
        let mut next = Vec::new();
        for step in 0..STEPS {
            next.clone_from(&state);
            if !self.moved(&mut next, &mut random) {
                continue;
            }
            let of_next = self.score(&next, values, weights, &mut counts);
            let likely = START * (1.0 - step as f64 / STEPS as f64);
            if of_next > score || random.uniform() < likely {
                std::mem::swap(&mut state, &mut next);
                score = of_next;
                keep(&mut best, &state, score);
            }
        }
        best
    }

    /// Takes one pose from a set, adds one, takes another pose of one of its parts, or any other for it; false where that is not
    /// possible.
    fn moved(&self, set: &mut Vec<usize>, random: &mut Random) -> bool {
        let kind = random.index(4);
        let any = random.index(self.samples.len());
        if kind == 1 {
            let is_new = !set.contains(&any);
            set.extend(is_new.then_some(any));
            return is_new;
        }
        if set.is_empty() {
            return false;
        }
        let at = random.index(set.len());
        if kind == 0 {
            set.swap_remove(at);
            return true;
        }
        let of_part = |index: usize| self.samples[index].part == self.samples[set[at]].part;
        let other = match kind {
            2 => {
                let first = self.samples.partition_point(|own| own.part < self.samples[set[at]].part);
                first + random.index((first..self.samples.len()).take_while(|&own| of_part(own)).count())
            }
            _ => any,
        };
        let is_new = !set.contains(&other);
        if is_new {
            set[at] = other;
        }
        is_new
    }
}

/// Keeps a set among the best, best first.
fn keep(best: &mut Vec<Assignment>, set: &[usize], score: f64) {
    if set.is_empty() || (best.len() == KEPT && best.last().is_some_and(|worst| score <= worst.score)) {
        return;
    }
    let mut chosen = set.to_vec();
    chosen.sort_unstable();
    let at = best.partition_point(|own| own.score > score);
    if best[at..].iter().take_while(|own| own.score == score).all(|own| own.chosen != chosen) {
        best.insert(at, Assignment { chosen, score });
        best.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Pose;

    /// Samples of random segments and scores.
    fn pool(random: &mut Random, samples: usize, segments: usize) -> Pool {
        let sample = |part: usize, random: &mut Random| {
            let mut terms = [0.0; TERMS];
            terms.iter_mut().for_each(|own| *own = random.normal());
            let mut of_scene: Vec<u32> = (0..segments as u32).collect();
            random.shuffle(&mut of_scene);
            of_scene.truncate(1 + random.index(segments / 2));
            of_scene.sort_unstable();
            Sample { part, scene_from_part: Pose::identity(), terms, segments: of_scene }
        };
        let samples = (0..samples).map(|index| sample(index / 3, random)).collect();
        let sizes: Vec<f64> = (0..segments).map(|_| random.range(1.0, 5.0)).collect();
        let all: f64 = sizes.iter().sum();
        Pool { samples, shares: sizes.iter().map(|own| own / all).collect() }
    }

    #[test]
    fn annealing_finds_the_best_of_all_sets() {
        let mut random = Random::new(4, 0);
        for _ in 0..10 {
            let (pool, weights) = (pool(&mut random, 10, 12), Weights::default());
            let of_bits = |bits: usize| (0..10).filter(|own| bits >> own & 1 == 1).collect::<Vec<usize>>();
            let best =
                (1..1 << 10).map(|bits| pool.score_of(&of_bits(bits), &weights)).fold(f64::NEG_INFINITY, f64::max);
            let found = pool.anneal(&weights);
            assert!((found[0].score - best).abs() < 1e-12, "{} {best}", found[0].score);
            assert!(found.len() > 20, "{}", found.len());
            assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
            assert_eq!(found, pool.anneal(&weights));
        }
    }

    #[test]
    fn the_score_of_a_set_is_linear_in_the_weights() {
        let mut random = Random::new(5, 0);
        let pool = pool(&mut random, 9, 10);
        for _ in 0..20 {
            let weights = Weights::from_array(std::array::from_fn(|_| random.normal()));
            let chosen: Vec<usize> = (0..9).filter(|_| random.uniform() < 0.4).collect();
            if !chosen.is_empty() {
                let sum: f64 =
                    pool.weighed(&chosen).iter().zip(weights.to_array()).map(|(own, weight)| own * weight).sum();
                assert!((pool.score_of(&chosen, &weights) - sum).abs() < 1e-12);
            }
        }
    }
}
