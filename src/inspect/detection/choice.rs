//! Which of the poses found belong to one scene: parts do not share points of it, and do not reach into each other.

use std::collections::BTreeSet;

use super::Detection;
use super::model::PartModel;

/// Share of the points of the smaller of two that both may claim.
const MAX_SHARED: f64 = 0.15;
/// Share of a part's probes that may lie inside another part, deeper than its tolerance.
const MAX_INSIDE: f64 = 0.04;
/// Most candidates of one group of conflicts for which all sets are tried.
const MAX_EXACT: usize = 22;

/// Whether both cannot be in one scene.
pub fn conflict(a: &Detection, b: &Detection, models: &[PartModel<'_>]) -> bool {
    shared(a, b) > MAX_SHARED || reaches_into(a, b, models) || reaches_into(b, a, models)
}

/// Points that both claim, as a share of those of the smaller.
pub fn shared(a: &Detection, b: &Detection) -> f64 {
    let (small, large) = if a.points.len() < b.points.len() { (a, b) } else { (b, a) };
    let both = small.points.iter().filter(|point| large.points.binary_search(point).is_ok()).count();
    both as f64 / small.points.len().max(1) as f64
}

/// Whether much of `a` lies inside of `b`.
fn reaches_into(a: &Detection, b: &Detection, models: &[PartModel<'_>]) -> bool {
    let (Some(own), Some(other)) = (models.get(a.part), models.get(b.part)) else { return false };
    let apart = (a.scene_from_part * own.centre() - b.scene_from_part * other.centre()).norm();
    if apart > 0.5 * (own.diameter_mm + other.diameter_mm) || !other.surface.topology().is_closed() {
        return false;
    }
    let b_from_a = b.scene_from_part.inverse() * a.scene_from_part;
    let depth_mm = (0.04 * other.diameter_mm.min(own.diameter_mm)).max(2.0 * a.tolerance_mm);
    let step = (own.probes.points.len() / 150).max(1);
    let probes = own.probes.points.iter().step_by(step);
    let (mut inside, mut count) = (0, 0);
    for probe in probes {
        count += 1;
        let point = b_from_a * probe.point;
        let hit = other.surface.closest_point(&point, other.diameter_mm);
        inside += i32::from(hit.is_some_and(|hit| other.surface.signed_distance_mm(&point, &hit) < -depth_mm));
    }
    f64::from(inside) > MAX_INSIDE * f64::from(count)
}

/// The indices of the candidates of greatest weight together of which no two are in conflict, ascending. Exact for groups
/// of up to [`MAX_EXACT`] candidates that depend on each other; larger ones are improved by exchanges.
pub fn best_set(weights: &[f64], in_conflict: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let count = weights.len();
    let conflicts: Vec<BTreeSet<usize>> =
        (0..count).map(|a| (0..count).filter(|&b| a != b && in_conflict(a.min(b), a.max(b))).collect()).collect();
    let mut chosen = Vec::new();
    let mut seen = vec![false; count];
    for start in 0..count {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut group, mut pending) = (vec![start], vec![start]);
        while let Some(own) = pending.pop() {
            for &other in &conflicts[own] {
                if !std::mem::replace(&mut seen[other], true) {
                    group.push(other);
                    pending.push(other);
                }
            }
        }
        // The heaviest first: good sets are found early, and the rest is cut off.
        group.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        let mut search = Search { weights, conflicts: &conflicts, group: &group, best: (0.0, Vec::new()) };
        if group.len() <= MAX_EXACT {
            search.exact(0, &mut Vec::new(), 0.0);
        } else {
            search.greedy();
        }
        chosen.extend(search.best.1);
    }
    chosen.sort_unstable();
    chosen
}

struct Search<'a> {
    weights: &'a [f64],
    conflicts: &'a [BTreeSet<usize>],
    group: &'a [usize],
    best: (f64, Vec<usize>),
}

impl Search<'_> {
    fn is_free(&self, own: usize, set: &[usize]) -> bool {
        set.iter().all(|other| !self.conflicts[own].contains(other))
    }

    /// Branch and bound over the candidates from `next` on.
    fn exact(&mut self, next: usize, set: &mut Vec<usize>, weight: f64) {
        if weight > self.best.0 {
            self.best = (weight, set.clone());
        }
        let rest: f64 = self.group[next..].iter().map(|&own| self.weights[own].max(0.0)).sum();
        if next == self.group.len() || weight + rest <= self.best.0 {
            return;
        }
        let own = self.group[next];
        if self.weights[own] > 0.0 && self.is_free(own, set) {
            set.push(own);
            self.exact(next + 1, set, weight + self.weights[own]);
            set.pop();
        }
        self.exact(next + 1, set, weight);
    }

    /// The heaviest that is free, again and again; then each one left out is tried in place of those it excludes.
    fn greedy(&mut self) {
        let mut set: Vec<usize> = Vec::new();
        for &own in self.group {
            if self.weights[own] > 0.0 && self.is_free(own, &set) {
                set.push(own);
            }
        }
        let total = |set: &[usize]| set.iter().map(|&own| self.weights[own]).sum::<f64>();
        let mut improves = true;
        while improves {
            improves = false;
            for &own in self.group.iter().filter(|own| self.weights[**own] > 0.0) {
                if set.contains(&own) {
                    continue;
                }
                let mut with: Vec<usize> =
                    set.iter().copied().filter(|other| !self.conflicts[own].contains(other)).collect();
                with.push(own);
                for &other in self.group {
                    if self.weights[other] > 0.0 && !with.contains(&other) && self.is_free(other, &with) {
                        with.push(other);
                    }
                }
                if total(&with) > total(&set) + 1e-9 {
                    set = with;
                    improves = true;
                }
            }
        }
        self.best = (total(&set), set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// Trying all sets.
    fn by_force(weights: &[f64], conflicts: &[Vec<bool>]) -> f64 {
        (0..1_u32 << weights.len())
            .filter(|set| {
                let has = |own: usize| set >> own & 1 == 1;
                (0..weights.len()).all(|a| (0..a).all(|b| !(has(a) && has(b) && conflicts[a][b])))
            })
            .map(|set| (0..weights.len()).filter(|own| set >> own & 1 == 1).map(|own| weights[own]).sum())
            .fold(0.0, f64::max)
    }

    #[test]
    fn the_best_set_is_that_of_trying_all() {
        let mut random = Random::new(4, 0);
        for round in 0..300 {
            let count = 1 + random.index(12);
            let weights: Vec<f64> = (0..count).map(|_| random.range(-1.0, 5.0)).collect();
            let share = [0.1, 0.3, 0.7][round % 3];
            let mut conflicts = vec![vec![false; count]; count];
            for a in 0..count {
                for b in 0..a {
                    let own = random.uniform() < share;
                    (conflicts[a][b], conflicts[b][a]) = (own, own);
                }
            }
            let set = best_set(&weights, |a, b| conflicts[a][b]);
            let weight: f64 = set.iter().map(|&own| weights[own]).sum();
            assert!((weight - by_force(&weights, &conflicts)).abs() < 1e-12, "{round}");
            assert!(set.iter().all(|&a| set.iter().all(|&b| !conflicts[a][b])));
        }
    }

    #[test]
    fn large_groups_are_improved_by_exchanges() {
        // A chain in which the heaviest excludes two that weigh more together.
        let weights: Vec<f64> = (0..61).map(|number| if number % 2 == 1 { 1.5 } else { 1.0 }).collect();
        let set = best_set(&weights, |a, b| a.abs_diff(b) == 1);
        let weight: f64 = set.iter().map(|&own| weights[own]).sum();
        assert!(weight >= 45.0, "{weight}");
        assert!(set.windows(2).all(|pair| pair[1] - pair[0] > 1));
    }
}
