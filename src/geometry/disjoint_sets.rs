//! Union-find over indices.

/// Disjoint sets of indices (union-find, Tarjan 1975). Each set is represented by its lowest index, so results do not
/// depend on the order of the joins.
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// `count` sets of one index each.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Lowest index in the set that contains `index`.
    pub fn root(&mut self, mut index: u32) -> u32 {
        while self.parent[index as usize] != index {
            let grandparent = self.parent[self.parent[index as usize] as usize];
            self.parent[index as usize] = grandparent;
            index = grandparent;
        }
        index
    }

    /// Joins the sets that contain `a` and `b`.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Groups `members` by set, ordered by the lowest index of each set; each group keeps the order of `members`.
    pub fn groups(&mut self, members: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
        let mut groups: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
        for member in members {
            groups.entry(self.root(member)).or_default().push(member);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_do_not_depend_on_the_order_of_joins() {
        let mut forward = DisjointSets::new(6);
        [(0, 1), (1, 2), (4, 5)].into_iter().for_each(|(a, b)| forward.join(a, b));
        let mut backward = DisjointSets::new(6);
        [(5, 4), (2, 1), (2, 0)].into_iter().for_each(|(a, b)| backward.join(a, b));
        let expected = vec![vec![0, 1, 2], vec![3], vec![4, 5]];
        assert_eq!(forward.groups(0..6), expected);
        assert_eq!(backward.groups(0..6), expected);
    }
}
