//! Subsets of the points of a cloud or of the facets of a mesh.

use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sorted, unique indices of points or facets. Clones share the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subset(Arc<Vec<u32>>);

/// Set operation of a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// Union.
    #[default]
    Add,
    /// Difference.
    Remove,
    /// Replacement.
    Replace,
}

/// Maximum number of indices accepted from a file.
const MAX_INDICES: u64 = 1 << 30;

impl Subset {
    /// The subset with `indices`, in any order; duplicates are removed.
    pub fn new(mut indices: Vec<u32>) -> Self {
        // Brushes supply them in order, and checking is cheaper than sorting.
        if !indices.is_sorted_by(|one, next| one < next) {
            indices.sort_unstable();
            indices.dedup();
        }
        Self(Arc::new(indices))
    }

    /// Whether `index` is in the subset.
    pub fn contains(&self, index: u32) -> bool {
        self.0.binary_search(&index).is_ok()
    }

    /// Whether all indices are below `count`.
    pub fn is_within(&self, count: usize) -> bool {
        self.0.last().is_none_or(|&last| (last as usize) < count)
    }

    /// Whether both share the same data: a comparison in constant time.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Address of the shared data, for change detection.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Result of applying `other` to this subset.
    pub fn combined(&self, other: &Self, how: Combine) -> Self {
        match how {
            Combine::Replace => other.clone(),
            Combine::Remove => Self(Arc::new(combine_in_parallel(self, other, difference))),
            Combine::Add => Self(Arc::new(combine_in_parallel(self, other, union))),
        }
    }

    /// Complement within the indices 0 to `count` - 1.
    pub fn inverted(&self, count: usize) -> Self {
        Self(Arc::new(combine_in_parallel(&(0..count as u32).collect::<Vec<_>>(), self, difference)))
    }

    /// The subset after all but the indices `kept` (ascending) have been removed: elements not kept are dropped, the
    /// others become their position in `kept`.
    pub fn renumbered(&self, kept: &[u32]) -> Self {
        let position = |index: &u32| kept.binary_search(index).ok().map(|position| position as u32);
        Self(Arc::new(self.iter().filter_map(position).collect()))
    }
}

/// Indices of the larger set per parallel task.
const TASK_INDICES: usize = 32_768;

/// `combine` applied to two ascending lists, in parallel over blocks of the same index range.
fn combine_in_parallel(one: &[u32], other: &[u32], combine: impl Fn(&[u32], &[u32]) -> Vec<u32> + Sync) -> Vec<u32> {
    let larger = if one.len() < other.len() { other } else { one };
    if larger.len() <= TASK_INDICES {
        return combine(one, other);
    }
    let starts: Vec<u32> = larger.iter().copied().step_by(TASK_INDICES).skip(1).collect();
    let range = |indices: &'_ [u32], from: Option<&u32>, to: Option<&u32>| {
        let position = |start: &u32| indices.partition_point(|index| index < start);
        from.map_or(0, position)..to.map_or(indices.len(), position)
    };
    let parts = (0..=starts.len()).into_par_iter().map(|i| {
        let (from, to) = (i.checked_sub(1).and_then(|i| starts.get(i)), starts.get(i));
        combine(&one[range(one, from, to)], &other[range(other, from, to)])
    });
    parts.collect::<Vec<_>>().concat()
}

/// Indices compared at once.
const BLOCK: usize = 16;

/// Elements of `one` that are not in `other`; both ascending.
fn difference(mut one: &[u32], mut other: &[u32]) -> Vec<u32> {
    let mut remaining = Vec::new();
    loop {
        // Selections differ little between brush strokes: skip equal blocks.
        while let (Some((a, after)), Some((b, others))) = (one.split_at_checked(BLOCK), other.split_at_checked(BLOCK))
            && a == b
        {
            (one, other) = (after, others);
        }
        let Some((&index, after)) = one.split_first() else { return remaining };
        match other.split_first() {
            Some((&next, others)) if next < index => other = others,
            Some((&next, others)) if next == index => (one, other) = (after, others),
            Some(_) => {
                remaining.push(index);
                one = after;
            }
            None => {
                remaining.extend_from_slice(one);
                return remaining;
            }
        }
    }
}

/// Union of two ascending lists, ascending, without duplicates.
fn union(one: &[u32], other: &[u32]) -> Vec<u32> {
    let (mut larger, smaller) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let mut merged = Vec::with_capacity(larger.len() + smaller.len());
    for &index in smaller {
        // Copy everything below `index` as one slice, whose end is found by galloping search.
        let mut stride = 1;
        while larger.get(stride - 1).is_some_and(|&value| value < index) {
            stride *= 2;
        }
        let (before, after) =
            larger.split_at(larger[..stride.min(larger.len())].partition_point(|&value| value < index));
        merged.extend_from_slice(before);
        merged.push(index);
        larger = if after.first() == Some(&index) { &after[1..] } else { after };
    }
    merged.extend_from_slice(larger);
    merged
}

impl Deref for Subset {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

/// Stored as runs `[first index, length]`: points selected together are often consecutive.
impl Serialize for Subset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs: Vec<[u32; 2]> = Vec::new();
        for &index in self.iter() {
            match runs.last_mut() {
                Some([first, length]) if *first + *length == index => *length += 1,
                _ => runs.push([index, 1]),
            }
        }
        runs.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Subset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut indices: Vec<u32> = Vec::new();
        for [first, length] in Vec::<[u32; 2]>::deserialize(deserializer)? {
            let ascends = indices.last().is_none_or(|&last| last < first);
            let end = first.checked_add(length).filter(|_| ascends);
            let end = end.ok_or_else(|| serde::de::Error::custom("runs of points must be in ascending order"))?;
            if indices.len() as u64 + u64::from(length) > MAX_INDICES {
                return Err(serde::de::Error::custom("too many points"));
            }
            indices.extend(first..end);
        }
        Ok(Self(Arc::new(indices)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> Subset {
        Subset::new(numbers.to_vec())
    }

    #[test]
    fn set_operations() {
        let one = set(&[5, 1, 3]);
        assert_eq!(one.combined(&set(&[2, 3]), Combine::Add)[..], [1, 2, 3, 5]);
        assert_eq!(one.combined(&set(&[2, 3]), Combine::Remove)[..], [1, 5]);
        assert_eq!(one.combined(&set(&[2, 3]), Combine::Replace)[..], [2, 3]);
        assert_eq!(set(&[1, 3]).inverted(5)[..], [0, 2, 4]);
        assert_eq!(one.renumbered(&[0, 1, 4, 5])[..], [1, 3]);
    }

    #[test]
    fn operations_on_large_sets() {
        let mut random = base::random::Random::new(1, 2);
        for _ in 0..50 {
            let mut some = |share: f64| -> Vec<u32> { (0..2000).filter(|_| random.uniform() < share).collect() };
            let (one, other) = (some(0.9), some(0.1));
            let both = set(&one).combined(&set(&other), Combine::Add);
            assert!(both.iter().all(|n| one.contains(n) || other.contains(n)) && both.is_sorted_by(|a, b| a < b));
            assert!(one.iter().chain(&other).all(|&n| both.contains(n)));
            let less = both.combined(&set(&other), Combine::Remove);
            let expected: Vec<u32> = one.iter().copied().filter(|n| !other.contains(n)).collect();
            assert_eq!(less[..], expected);
        }
    }

    #[test]
    fn parallel_operations_match_serial_ones() {
        let every = |step: usize, from: u32, to: u32| (from..to).step_by(step).collect::<Vec<u32>>();
        let (some, many) = (every(3, 40_000, 500_000), every(2, 7, 700_000));
        for (one, other) in [(&some, &many), (&many, &some), (&many, &vec![]), (&vec![], &many)] {
            let (a, b) = (set(one), set(other));
            assert_eq!(a.combined(&b, Combine::Add)[..], union(one, other));
            assert_eq!(a.combined(&b, Combine::Remove)[..], difference(one, other));
        }
        assert_eq!(set(&many).inverted(800_000).len(), 800_000 - many.len());
    }

    #[test]
    fn sets_are_stored_as_runs() {
        let some = set(&[4, 5, 6, 9]);
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(text, "[[4,3],[9,1]]");
        assert_eq!(serde_json::from_str::<Subset>(&text).unwrap(), some);
        for wrong in ["[[4,3],[5,1]]", "[[4294967295,2]]", "[[0,4294967295]]", "7"] {
            assert!(serde_json::from_str::<Subset>(wrong).is_err(), "{wrong}");
        }
    }
}
