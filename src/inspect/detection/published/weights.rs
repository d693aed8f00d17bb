//! Weights of what speaks for poses and for sets of them, and how they are learned (Popovic 2013, section 2.3.2).

use serde::{Deserialize, Serialize};

use super::terms::{OF_LAST, TERMS, Terms};
use base::random::Random;

/// Number of weights: of the terms, what is added to a pose, and of what is left of a scene, claimed twice, and the number of
/// poses.
pub const WEIGHTS: usize = TERMS + 4;
/// Trials of the descent.
const TRIALS: u64 = 6_000;
/// What a weight e times as large as it was, or as small, takes from precision and recall: few scenes teach little.
const PRIOR: f64 = 1e-3;
/// How much recall counts against precision where few should be found, and right.
const RECALL_OF_FIRST: f64 = 0.25;

/// Weights of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Of the terms of a pose.
    pub terms: Terms,
    /// Added to them, so that a pose that explains nothing gets less than nothing.
    pub shift: f64,
    /// Of the share of the scene that is left.
    pub unexplained: f64,
    /// Of what two poses claim.
    pub overlap: f64,
    /// Of each pose.
    pub number: f64,
}

/// Set by hand for machined parts: not published.
impl Default for Weights {
    fn default() -> Self {
        let terms = [1.0, 1.0, 0.5, 0.5, 0.25, 0.5, 0.0, 0.0, 0.0, 0.0];
        Self { terms, shift: 1.0, unexplained: 0.5, overlap: 1.0, number: 0.02 }
    }
}

impl Weights {
    /// As they start for the ten terms.
    pub fn of_ten() -> Self {
        let mut own = Self::default();
        own.terms[OF_LAST..].fill(0.25);
        own
    }

    /// Score of a pose.
    pub fn of_pose(&self, terms: &Terms) -> f64 {
        self.shift + terms.iter().zip(self.terms).map(|(own, weight)| own * weight).sum::<f64>()
    }

    /// The terms, then the shift, unexplained, overlap and number.
    pub fn to_array(self) -> [f64; WEIGHTS] {
        let others = [self.shift, self.unexplained, self.overlap, self.number];
        std::array::from_fn(|index| if index < TERMS { self.terms[index] } else { others[index - TERMS] })
    }

    /// See [`Self::to_array`].
    pub fn from_array(all: [f64; WEIGHTS]) -> Self {
        let [shift, unexplained, overlap, number] = std::array::from_fn(|index| all[TERMS + index]);
        Self { terms: std::array::from_fn(|index| all[index]), shift, unexplained, overlap, number }
    }
}

/// A set of poses of a scene whose truth is known.
#[derive(Clone, Debug)]
pub struct Example {
    /// See [`super::assignment::Pool::weighed`].
    pub weighed: [f64; WEIGHTS],
    /// Poses in it that are right.
    pub right: usize,
    /// Poses in it that are not.
    pub wrong: usize,
}

/// Sets of one scene, and the parts in it that should be found.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// The sets.
    pub examples: Vec<Example>,
    /// Parts that should be found.
    pub there: usize,
}

/// What weights are learned for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Few wrong ones: for what the second stage builds on.
    Precision,
    /// Few wrong ones and few missed.
    Both,
}

/// Precision and recall of the best sets of some scenes under weights.
pub fn quality(lessons: &[Lesson], weights: &Weights) -> [f64; 2] {
    let weights = weights.to_array();
    let score = |own: &Example| own.weighed.iter().zip(weights).map(|(own, weight)| own * weight).sum::<f64>();
    let (mut right, mut wrong, mut there) = (0, 0, 0);
    for lesson in lessons {
        there += lesson.there;
        if let Some(best) = lesson.examples.iter().max_by(|a, b| score(a).total_cmp(&score(b))) {
            right += best.right;
            wrong += best.wrong;
        }
    }
    [right as f64 / (right + wrong).max(1) as f64, right as f64 / there.max(1) as f64]
}

/// Weights learned from scenes by random descent: of those from which `start` may differ (`is_free`).
pub fn learned(lessons: &[Lesson], start: &Weights, aim: Aim, is_free: [bool; WEIGHTS]) -> Weights {
    let value = |weights: &Weights| {
        let [precision, recall] = quality(lessons, weights);
        let both = precision + if aim == Aim::Precision { RECALL_OF_FIRST } else { 1.0 } * recall;
        let pairs = weights.to_array().into_iter().zip(start.to_array()).filter(|(_, start)| *start > 0.0);
        both - PRIOR * pairs.map(|(own, start)| (own / start).ln().powi(2)).sum::<f64>()
    };
    let mut best = (value(start), *start);
    for trial in 0..TRIALS {
        let mut random = Random::new(trial, 0x1EA2);
        let mut all = best.1.to_array();
        let width = 0.5 * random.uniform();
        for (own, _) in all.iter_mut().zip(is_free).filter(|(_, is_free)| *is_free) {
            if random.uniform() < 0.3 {
                // Of one sign: each term is made so that more of it speaks for a set.
                *own *= (width * random.normal()).exp();
            }
        }
        let tried = Weights::from_array(all);
        let of_tried = value(&tried);
        if of_tried > best.0 {
            best = (of_tried, tried);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_learn_which_term_tells_right_from_wrong() {
        let mut random = Random::new(6, 0);
        let mut lessons = Vec::new();
        for _ in 0..60 {
            let example = |is_right: bool, random: &mut Random| {
                let mut weighed: [f64; WEIGHTS] = std::array::from_fn(|_| random.normal());
                // The second term tells; the others are chance.
                weighed[1] = if is_right { 1.0 } else { 0.0 } + 0.2 * random.normal();
                Example { weighed, right: usize::from(is_right), wrong: usize::from(!is_right) }
            };
            let examples = (0..12).map(|index| example(index == 0, &mut random)).collect();
            lessons.push(Lesson { examples, there: 1 });
        }
        let (train, held_out) = lessons.split_at(40);
        let start = Weights::default();
        let learned = learned(train, &start, Aim::Both, [true; WEIGHTS]);
        let [before, after] = [start, learned].map(|own| quality(held_out, &own)[0]);
        assert!(before < 0.4 && after > 0.75, "{before} {after} {learned:?}");
    }
}
