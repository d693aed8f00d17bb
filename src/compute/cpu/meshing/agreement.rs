//! Facets on which their corners agree, and the gaps that disagreement leaves.

use rayon::prelude::*;

use super::star::OPEN;
use super::{POINTS, Stars};

/// Gaps of up to this many edges come from points that see their neighbourhood differently, and are closed.
const MAX_GAP: usize = 8;

/// Facets, and the points around which some are missing.
#[derive(Default)]
pub struct AgreedFacets {
    pub facets: Vec<[u32; 3]>,
    pub doubtful: Vec<u32>,
}

impl Stars {
    /// Pairs of neighbours of a point that it has a facet with.
    fn wedges(&self, index: u32) -> impl Iterator<Item = [u32; 2]> {
        let own = self.of(index);
        let nexts = own.iter().skip(1).chain(own.first());
        own.iter().zip(nexts).filter(|(first, _)| *first & OPEN == 0).map(|(&first, &second)| [first, second & !OPEN])
    }

    /// Whether a point has a facet with two neighbours, in either order: normals may point either way.
    fn has_wedge(&self, index: u32, a: u32, b: u32) -> bool {
        let own = self.of(index);
        let Some(at) = own.iter().position(|&own| own & !OPEN == a) else { return false };
        let (next, before) = (if at + 1 == own.len() { 0 } else { at + 1 }, if at == 0 { own.len() } else { at } - 1);
        (own[at] & OPEN == 0 && own[next] & !OPEN == b) || own[before] == b
    }

    /// Whether two neighbours of a point agree with it on the facet between them.
    fn is_agreed(&self, index: u32, [a, b]: [u32; 2]) -> bool {
        self.has_wedge(a, b, index) && self.has_wedge(b, index, a)
    }

    /// Facets that all their corners have.
    pub fn agreed(&self) -> AgreedFacets {
        let tasks: Vec<AgreedFacets> = (0..self.count)
            .into_par_iter()
            .step_by(POINTS)
            .map(|begin| {
                let mut agreed = AgreedFacets::default();
                for index in begin as u32..self.count.min(begin + POINTS) as u32 {
                    let before = agreed.doubtful.len();
                    for [a, b] in self.wedges(index) {
                        if index < a && index < b {
                            if self.is_agreed(index, [a, b]) {
                                agreed.facets.push([index, a, b]);
                            } else {
                                agreed.doubtful.extend([index, a, b]);
                            }
                        } else {
                            // Its lowest corner asks the third one.
                            let (lowest, third) = if a < b { (a, b) } else { (b, a) };
                            if !self.has_wedge(lowest, index, third) {
                                agreed.doubtful.push(index);
                            }
                        }
                    }
                    if agreed.doubtful.len() == before && self.of(index).iter().any(|own| own & OPEN != 0) {
                        agreed.doubtful.push(index);
                    }
                }
                agreed
            })
            .collect();
        let mut agreed = AgreedFacets::default();
        agreed.facets.reserve_exact(tasks.iter().map(|task| task.facets.len()).sum());
        for task in tasks {
            agreed.facets.extend(task.facets);
            agreed.doubtful.extend(task.doubtful);
        }
        agreed.doubtful.par_sort_unstable();
        agreed.doubtful.dedup();
        agreed
    }

    /// Facets that close the gaps left where corners do not agree.
    pub fn fillings(&self, doubtful: &[u32]) -> Vec<[u32; 3]> {
        let borders: Vec<Border> = doubtful.par_iter().flat_map_iter(|&index| self.borders(index)).collect();
        let after = |index: u32, before: u32| {
            let begin = borders.partition_point(|own| own.index < index);
            borders[begin..].iter().take_while(|own| own.index == index).find(|own| own.ends.contains(&before))
        };
        borders.par_iter().filter_map(|own| gap(own, after)).flat_map_iter(|around| self.fan(around)).collect()
    }

    /// The borders that lead through a point: one for each run of its neighbours without facets.
    fn borders(&self, index: u32) -> Vec<Border> {
        let own = self.of(index);
        let after = |at: usize| if at + 1 == own.len() { 0 } else { at + 1 };
        let has_facet = |at: usize| {
            let pair = [own[at], own[after(at)] & !OPEN];
            pair[0] & OPEN == 0 && self.is_agreed(index, pair)
        };
        let has_facet: Vec<bool> = (0..own.len()).map(has_facet).collect();
        let facets = has_facet.iter().filter(|own| **own).count();
        let mut borders = Vec::new();
        for begin in (0..own.len()).filter(|&at| has_facet[at] && !has_facet[after(at)]) {
            let mut end = after(begin);
            while !has_facet[end] {
                end = after(end);
            }
            borders.push(Border { index, ends: [own[after(begin)] & !OPEN, own[end] & !OPEN], facets });
        }
        borders
    }

    /// Whether any facet agreed on has an edge.
    fn has_edge(&self, index: u32, to: u32) -> bool {
        self.wedges(index).any(|pair| pair.contains(&to) && self.is_agreed(index, pair))
    }

    /// Facets that close a border, from the first of its points of which no other facet has a diagonal; none if there is
    /// no such point.
    fn fan(&self, mut around: Vec<u32>) -> Vec<[u32; 3]> {
        for _ in 0..around.len() {
            if let [apex, _, inner @ .., _] = around.as_slice()
                && inner.iter().all(|point| !self.has_edge(*apex, *point))
            {
                return (2..around.len()).map(|at| [*apex, around[at - 1], around[at]]).collect();
            }
            around.rotate_left(1);
        }
        Vec::new()
    }
}

/// A border at a point where facets end: the point, and the points before and after it along the border, in either order.
struct Border {
    index: u32,
    ends: [u32; 2],
    /// Facets at the point.
    facets: usize,
}

/// The border that leads from a point back to it, if it is short, goes around a gap and that point is its lowest.
fn gap<'a>(first: &Border, after: impl Fn(u32, u32) -> Option<&'a Border>) -> Option<Vec<u32>> {
    let mut around = vec![first.index, first.ends[0]];
    let mut facets = first.facets;
    while around.len() <= MAX_GAP {
        let [.., before, last] = *around.as_slice() else { return None };
        if last < first.index {
            return None;
        }
        let own = after(last, before)?;
        facets += own.facets;
        let [a, b] = own.ends;
        let following = if a == before { b } else { a };
        if following == first.index {
            // Around a gap most points have three facets or more; around a scrap, two.
            return (last == first.ends[1] && facets >= 3 * around.len()).then_some(around);
        }
        around.push(following);
    }
    None
}
