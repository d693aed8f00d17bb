//! Whether noise of the scan's own size would make connected points beyond a limit.
//!
//! Of n points, each beyond a limit with a probability p by noise alone, about n·pᵏ·λᵏ⁻¹ groups of k connected ones are
//! expected, where λᵏ⁻¹ bounds the number of ways in which k linked points hang together (Klarner, "Cell growth
//! problems", 1967; Grimmett, "Percolation", 1999, section 4.2). A group of which fewer than [`ERROR_RATE`] are expected
//! on a whole part is none of noise, whatever its shape: a strip counts as a spot does. As the size of clusters above a
//! threshold in images of the brain is judged (Friston et al., "Assessing the significance of focal activations using
//! their spatial extent", 1994), so at several levels above the limit, few points far beyond it say as much as many
//! close to it.
//!
//! The probability of a point follows from the distance between the limit and the surface about the group, in standard
//! deviations as they are there, and from the number of single points out of tolerance about it: fly points stay out by
//! being alone. Neighbours of correlated noise (ρ) follow each other: given one at t standard deviations, the next one
//! is there with the probability of t·√((1-ρ)/(1+ρ)).

use std::collections::BTreeSet;

use super::samples::Samples;
use super::sides::Sides;
use crate::deviation::noise::{Deviating, ScanNoise, scatter};
use crate::robust_scale::median;
use geometry::kd_tree::Neighbours;
use geometry::{DisjointSets, Point, Vector};

/// Probability per part that noise alone makes a region.
pub(in crate::deviation) const ERROR_RATE: f64 = 1e-3;
/// Growth constant λ of groups of linked points: 6.8 on a square grid with eight neighbours, more for scattered points.
const GROWTH: f64 = 10.0;
/// Minimum number of points of a group: two or three fly points may lie side by side.
pub(in crate::deviation) const MIN_GROUP: usize = 4;
/// Levels above the limit at which groups are formed, in standard deviations.
const LEVELS: [f64; 6] = [8.0, 5.0, 3.0, 2.0, 1.0, 0.0];
/// Number of nearest points that are looked at about a group, in addition to twice its own.
const AROUND: usize = 400;
/// Maximum number of these, and of the members that are looked at one by one.
const MAX_AROUND: usize = 2_000;
const MAX_MEMBERS: usize = 200;
/// Number of neighbours of a member whose median is the surface beside the group, and how many must not be of it.
const BESIDE: usize = 48;
const MIN_BESIDE: usize = 8;
/// The noise about a group is at least this share of that of the part: estimates from few points may be too low.
const MIN_LOCAL_SHARE: f64 = 0.5;
/// Number of links of a point in both directions: of points out of tolerance at random, exp(-links·p) are alone.
const LINKED: f64 = 10.0;
/// Largest share of single points that can be told from a connected half.
const MAX_SINGLE_RATE: f64 = 0.09;

/// What the noise says of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// Whether noise about a surface in tolerance does not explain it.
    pub is_significant: bool,
    /// Whether noise about a surface just at the limit does not explain it either, so that it is out of tolerance.
    pub is_certain: bool,
    /// Standard deviation of the points about it, mm.
    pub sigma_mm: f64,
}

/// Judges groups of points.
pub(super) struct Significance<'a> {
    pub samples: &'a Samples,
    pub sides: &'a Sides<'a>,
    pub all: Deviating<'a>,
    pub noise: ScanNoise,
    /// Points out of tolerance that are alone, or one of two or three.
    singles: BTreeSet<u32>,
    /// Number of points out of tolerance.
    out: usize,
}

/// Probability of a standard normal variable above `t`.
pub(in crate::deviation) fn upper_tail(t: f64) -> f64 {
    0.5 * libm::erfc(t / std::f64::consts::SQRT_2)
}

/// Standard normal deviate that is exceeded with the probability `p`, 0 < p < 0.5.
pub(in crate::deviation) fn upper_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if upper_tail(middle) > p { &mut low } else { &mut high }) = middle;
    }
    high
}

/// Number of standard deviations that a point of correlated noise needs where its neighbours are there already.
pub(in crate::deviation) fn following(noise: &ScanNoise) -> f64 {
    ((1.0 - noise.correlation) / (1.0 + noise.correlation)).sqrt()
}

/// Share of points that are out of tolerance by themselves, from the number `single` of those that are alone.
fn single_rate(single: usize, count: usize) -> f64 {
    let alone = (single + 1) as f64 / (count + 1) as f64;
    // Some of them have a neighbour by chance: p = alone · exp(links · p).
    let rate = (0..8).fold(alone, |rate, _| (alone * (LINKED * rate).exp()).min(MAX_SINGLE_RATE));
    rate.max(alone).min(0.5)
}

/// Least number of connected points that noise does not make, if each is out of tolerance with the probability `p`;
/// `None` if there is none.
pub(in crate::deviation) fn min_group(count: usize, p: f64) -> Option<usize> {
    let per_point = -(p * GROWTH).ln();
    let needed = (count.max(1) as f64).ln() + (LEVELS.len() as f64).ln() - ERROR_RATE.ln() - GROWTH.ln();
    (per_point > 0.1).then(|| ((needed / per_point).ceil() as usize).max(MIN_GROUP))
}

/// Probability at least with which a point counts as out of tolerance by itself: of [`AROUND`] points none may show it.
pub(in crate::deviation) const MIN_RATE: f64 = 1.0 / (AROUND + 1) as f64;

impl<'a> Significance<'a> {
    /// `groups` are the connected points out of tolerance.
    pub fn new(
        samples: &'a Samples,
        sides: &'a Sides<'a>,
        all: Deviating<'a>,
        noise: ScanNoise,
        groups: &[Vec<u32>],
    ) -> Self {
        let singles = groups.iter().filter(|own| own.len() < MIN_GROUP).flatten().copied().collect();
        Self { samples, sides, all, noise, singles, out: groups.iter().map(Vec::len).sum() }
    }

    /// Share of the points of the part that are out of tolerance by themselves.
    fn single_rate(&self) -> f64 {
        single_rate(self.singles.len(), self.all.count)
    }

    /// What the noise says of connected points on one side out of tolerance, in ascending order.
    pub fn of(&self, members: &[u32]) -> Evidence {
        if members.len() < MIN_GROUP {
            return Evidence::default();
        }
        let mut looked_at: Vec<u32> = members.to_vec();
        if looked_at.len() > MAX_MEMBERS {
            looked_at.sort_by_key(|&i| self.all.scanned.key(i));
            looked_at.truncate(MAX_MEMBERS);
        }
        let mut neighbours = Neighbours::default();
        let (sigma_mm, rate) = self.about(members, &looked_at, &mut neighbours);
        let rate = rate.max(self.single_rate()).max(MIN_RATE);
        let gaps_mm = self.gaps_mm(members, &looked_at, &mut neighbours);
        let middle_mm = median(&mut gaps_mm.clone()).unwrap_or_default();
        let gap_mm = |member: u32| match looked_at.iter().position(|own| *own == member) {
            Some(index) if members.len() <= MAX_MEMBERS => gaps_mm[index],
            _ => middle_mm,
        };
        let share = following(&self.noise);
        let log_probability = |gap_mm: f64, level: f64| {
            let sigmas = if sigma_mm > 0.0 { gap_mm / sigma_mm + level } else { f64::INFINITY };
            (upper_tail(sigmas * share) + rate).min(0.5).ln()
        };
        let gaps_mm: Vec<f64> = members.iter().map(|&own| gap_mm(own)).collect();
        let mut evidence = Evidence { sigma_mm, ..Evidence::default() };
        for level in LEVELS {
            let at_limit = log_probability(0.0, level);
            for part in self.parts(members, level * sigma_mm) {
                let expected = |count: usize, sum: f64| {
                    let ways = (part.len() as f64 - 1.0) * GROWTH.ln();
                    (count.max(1) as f64).ln() + (LEVELS.len() as f64).ln() + sum + ways
                };
                let sum = part.iter().map(|&index| log_probability(gaps_mm[index as usize], level)).sum();
                evidence.is_significant |= expected(self.all.count, sum) < ERROR_RATE.ln();
                evidence.is_certain |= expected(self.out, part.len() as f64 * at_limit) < ERROR_RATE.ln();
            }
            if evidence.is_certain && evidence.is_significant {
                break;
            }
        }
        evidence.is_certain &= evidence.is_significant;
        evidence
    }

    /// Standard deviation of the points about a group, mm, and the share of them that are out of tolerance by themselves.
    fn about(&self, members: &[u32], looked_at: &[u32], neighbours: &mut Neighbours) -> (f64, f64) {
        let points = self.all.points;
        let sum: Vector = looked_at.iter().map(|&i| points[i as usize].coords).sum();
        let centre = Point::from(sum / looked_at.len() as f64);
        let squared = |i: &&u32| (points[**i as usize] - centre).norm_squared();
        let Some(&middle) = looked_at.iter().min_by(|a, b| squared(a).total_cmp(&squared(b))) else {
            return (self.noise.sigma_mm, 0.0);
        };
        let wanted = (AROUND + 2 * members.len()).min(MAX_AROUND);
        self.all.tree.k_nearest(&points[middle as usize], wanted, f64::INFINITY, neighbours);
        let normal = &self.all.normals[middle as usize];
        let is_other = |index: &u32| members.binary_search(index).is_err();
        let others: Vec<(u32, f64)> =
            self.all.facing(normal, neighbours).filter(|(index, _)| is_other(index)).collect();
        let found = neighbours.found.iter().map(|own| own.number);
        let single = found.filter(|index| self.singles.contains(index)).count();
        let local_mm = if others.len() < MIN_BESIDE { 0.0 } else { scatter(others.iter().map(|(_, mm)| *mm)) };
        let sigma_mm = local_mm.max(MIN_LOCAL_SHARE * self.noise.sigma_mm);
        (sigma_mm, single_rate(single, neighbours.found.len()))
    }

    /// By member: how far the surface beside the group lies within the limit, mm; 0 if nothing is beside it.
    fn gaps_mm(&self, members: &[u32], looked_at: &[u32], neighbours: &mut Neighbours) -> Vec<f64> {
        let gap = |&member: &u32| {
            let (point, normal) = (&self.all.points[member as usize], &self.all.normals[member as usize]);
            self.all.tree.k_nearest(point, BESIDE, f64::INFINITY, neighbours);
            let others = self.all.facing(normal, neighbours).filter(|(index, _)| members.binary_search(index).is_err());
            let mut beside: Vec<f64> = others.map(|(_, mm)| mm).collect();
            if beside.len() < MIN_BESIDE {
                return 0.0;
            }
            // The surface beside it may be out of tolerance on the other side.
            let excess_mm = median(&mut beside).map_or(0.0, |mm| self.sides.beyond_mm(member, self.side(member), mm));
            (-excess_mm).max(0.0)
        };
        looked_at.iter().map(gap).collect()
    }

    fn side(&self, member: u32) -> i8 {
        self.sides.of(member, self.samples.raw_mm(member as usize))
    }

    /// The connected parts of `members` that lie more than `above_mm` beyond the limit, as indices in `members`.
    fn parts(&self, members: &[u32], above_mm: f64) -> Vec<Vec<u32>> {
        let is_above = |index: usize| {
            let member = members[index];
            let raw_mm = self.samples.raw_mm(member as usize);
            self.sides.beyond_mm(member, self.side(member), raw_mm) > above_mm
        };
        let above: Vec<bool> = (0..members.len()).map(is_above).collect();
        let mut sets = DisjointSets::new(members.len());
        for (index, &member) in members.iter().enumerate().filter(|(index, _)| above[*index]) {
            for other in self.samples.near_links(member as usize) {
                if let Ok(other) = members.binary_search(&other)
                    && above[other]
                {
                    sets.join(index as u32, other as u32);
                }
            }
        }
        let all = (0..members.len() as u32).filter(|&index| above[index as usize]);
        let mut parts = sets.groups(all);
        parts.retain(|own| own.len() >= MIN_GROUP);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_the_inverse_of_tails() {
        for (p, t) in [(0.158_655_25, 1.0), (1.349_898e-3, 3.0), (2.866_516e-7, 5.0)] {
            assert!((upper_quantile(p) - t).abs() < 1e-4 && (upper_tail(t) / p - 1.0).abs() < 1e-5, "{p} {t}");
        }
    }

    #[test]
    fn groups_that_noise_does_not_make_grow_with_the_rate_of_single_points() {
        assert_eq!(min_group(20_000, MIN_RATE), Some(5));
        assert!(min_group(1_000_000, 0.01) > min_group(20_000, 0.01));
        assert_eq!(min_group(20_000, 0.12), None);
        assert!((single_rate(0, 999) - 0.001).abs() < 1e-4);
        // Of points out of tolerance at random, p·exp(-links·p) are alone.
        let alone = (0.03 * (-LINKED * 0.03_f64).exp() * 1e6) as usize;
        assert!((single_rate(alone, 1_000_000) - 0.03).abs() < 1e-3);
    }
}
