//! Some of the points of a cloud, or of the facets of a mesh.

use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers of points or facets, in ascending order. Copies share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subset(Arc<Vec<u32>>);

/// How one set changes another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// Adds to it.
    #[default]
    Add,
    /// Takes from it.
    Remove,
    /// Takes its place.
    Replace,
}

/// More points than a file could sensibly name.
const MOST_POINTS: u64 = 1 << 30;

impl Subset {
    /// Of any numbers.
    pub fn new(mut numbers: Vec<u32>) -> Self {
        // Brushes give them in order: looking is cheaper than sorting.
        if !numbers.is_sorted_by(|one, next| one < next) {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Self(Arc::new(numbers))
    }

    /// Whether that number is one of them.
    pub fn contains(&self, number: u32) -> bool {
        self.0.binary_search(&number).is_ok()
    }

    /// Whether all are among `count`.
    pub fn is_within(&self, count: usize) -> bool {
        self.0.last().is_none_or(|&last| (last as usize) < count)
    }

    /// Whether both are one and the same copy, so that comparing costs nothing.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Of the shared numbers, to notice changes by.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// This set changed by `other`.
    pub fn combined(&self, other: &Self, how: Combine) -> Self {
        match how {
            Combine::Replace => other.clone(),
            Combine::Remove => Self(Arc::new(in_pieces(self, other, without))),
            Combine::Add => Self(Arc::new(in_pieces(self, other, merged))),
        }
    }

    /// All of `count` but these.
    pub fn inverted(&self, count: usize) -> Self {
        Self(Arc::new(in_pieces(&(0..count as u32).collect::<Vec<_>>(), self, without)))
    }

    /// The same ones by their numbers after only those `kept` (ascending) are left.
    pub fn renumbered(&self, kept: &[u32]) -> Self {
        let place = |number: &u32| kept.binary_search(number).ok().map(|place| place as u32);
        Self(Arc::new(self.iter().filter_map(place).collect()))
    }
}

/// Numbers of the larger set in one task.
const PIECE: usize = 32_768;

/// What `combine` gives of two rows of ascending numbers, piece by piece on all cores.
fn in_pieces(one: &[u32], other: &[u32], combine: impl Fn(&[u32], &[u32]) -> Vec<u32> + Sync) -> Vec<u32> {
    let larger = if one.len() < other.len() { other } else { one };
    if larger.len() <= PIECE {
        return combine(one, other);
    }
    let starts: Vec<u32> = larger.iter().copied().step_by(PIECE).skip(1).collect();
    let piece = |numbers: &'_ [u32], from: Option<&u32>, to: Option<&u32>| {
        let place = |start: &u32| numbers.partition_point(|number| number < start);
        from.map_or(0, place)..to.map_or(numbers.len(), place)
    };
    let pieces = (0..=starts.len()).into_par_iter().map(|i| {
        let (from, to) = (i.checked_sub(1).and_then(|i| starts.get(i)), starts.get(i));
        combine(&one[piece(one, from, to)], &other[piece(other, from, to)])
    });
    pieces.collect::<Vec<_>>().concat()
}

/// Numbers compared at once.
const BLOCK: usize = 16;

/// The ascending numbers of `one` that are not among those of `other`.
fn without(mut one: &[u32], mut other: &[u32]) -> Vec<u32> {
    let mut left = Vec::new();
    loop {
        // Selections differ little from one stroke to the next: where both go on alike, whole blocks are passed over.
        while let (Some((a, after)), Some((b, others))) = (one.split_at_checked(BLOCK), other.split_at_checked(BLOCK))
            && a == b
        {
            (one, other) = (after, others);
        }
        let Some((&number, after)) = one.split_first() else { return left };
        match other.split_first() {
            Some((&next, others)) if next < number => other = others,
            Some((&next, others)) if next == number => (one, other) = (after, others),
            Some(_) => {
                left.push(number);
                one = after;
            }
            None => {
                left.extend_from_slice(one);
                return left;
            }
        }
    }
}

/// Both rows of ascending numbers as one, each number once.
fn merged(one: &[u32], other: &[u32]) -> Vec<u32> {
    let (mut many, few) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let mut all = Vec::with_capacity(many.len() + few.len());
    for &number in few {
        // What lies before it is copied whole; its end is sought in strides that double.
        let mut reach = 1;
        while many.get(reach - 1).is_some_and(|&own| own < number) {
            reach *= 2;
        }
        let (before, after) = many.split_at(many[..reach.min(many.len())].partition_point(|&own| own < number));
        all.extend_from_slice(before);
        all.push(number);
        many = if after.first() == Some(&number) { &after[1..] } else { after };
    }
    all.extend_from_slice(many);
    all
}

impl Deref for Subset {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

/// As runs of first number and length: points brushed together often follow each other.
impl Serialize for Subset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs: Vec<[u32; 2]> = Vec::new();
        for &number in self.iter() {
            match runs.last_mut() {
                Some([first, length]) if *first + *length == number => *length += 1,
                _ => runs.push([number, 1]),
            }
        }
        runs.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Subset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut numbers: Vec<u32> = Vec::new();
        for [first, length] in Vec::<[u32; 2]>::deserialize(deserializer)? {
            let ascends = numbers.last().is_none_or(|&last| last < first);
            let end = first.checked_add(length).filter(|_| ascends);
            let end = end.ok_or_else(|| serde::de::Error::custom("runs of points must ascend"))?;
            if numbers.len() as u64 + u64::from(length) > MOST_POINTS {
                return Err(serde::de::Error::custom("too many points"));
            }
            numbers.extend(first..end);
        }
        Ok(Self(Arc::new(numbers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> Subset {
        Subset::new(numbers.to_vec())
    }

    #[test]
    fn sets_are_added_removed_replaced_inverted_and_renumbered() {
        let one = set(&[5, 1, 3]);
        assert_eq!(one.combined(&set(&[2, 3]), Combine::Add)[..], [1, 2, 3, 5]);
        assert_eq!(one.combined(&set(&[2, 3]), Combine::Remove)[..], [1, 5]);
        assert_eq!(one.combined(&set(&[2, 3]), Combine::Replace)[..], [2, 3]);
        assert_eq!(set(&[1, 3]).inverted(5)[..], [0, 2, 4]);
        assert_eq!(one.renumbered(&[0, 1, 4, 5])[..], [1, 3]);
    }

    #[test]
    fn large_sets_change_as_small_ones_do() {
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
    fn sets_of_several_pieces_change_as_one_does() {
        let every = |step: usize, from: u32, to: u32| (from..to).step_by(step).collect::<Vec<u32>>();
        let (some, many) = (every(3, 40_000, 500_000), every(2, 7, 700_000));
        for (one, other) in [(&some, &many), (&many, &some), (&many, &vec![]), (&vec![], &many)] {
            let (a, b) = (set(one), set(other));
            assert_eq!(a.combined(&b, Combine::Add)[..], merged(one, other));
            assert_eq!(a.combined(&b, Combine::Remove)[..], without(one, other));
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
