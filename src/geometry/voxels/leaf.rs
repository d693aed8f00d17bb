//! Leaves: dense grids of L³ voxels of two bits, columns along z.
//!
//! Voxel `[x, y, z]` of a leaf is bits `2n` and `2n + 1` of the leaf, n = (y·L + x)·L + z: for L = 16 a 32-bit word holds
//! one column along z, for L = 8 two columns.

/// Voxels in one 32-bit word.
pub const VOXELS_PER_WORD: usize = 16;

/// State of a voxel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voxel {
    /// Outside the solid.
    Empty = 0,
    /// Part of the solid's skin: active.
    Surface = 1,
    /// Inside the solid.
    Full = 2,
}

impl Voxel {
    /// The state of a two-bit code; the unused fourth code is empty.
    #[inline]
    pub fn of_code(code: u32) -> Self {
        match code & 3 {
            1 => Self::Surface,
            2 => Self::Full,
            _ => Self::Empty,
        }
    }
}

/// A word of one state.
#[inline]
pub fn uniform_word(voxel: Voxel) -> u32 {
    0x5555_5555 * voxel as u32
}

/// Word and shift of a voxel.
#[inline]
pub fn position(leaf: u32, [x, y, z]: [u32; 3]) -> (usize, u32) {
    let number = (y * leaf + x) * leaf + z;
    ((number / 16) as usize, 2 * (number % 16))
}

/// State of a voxel in the words of a leaf.
#[inline]
pub fn get(words: &[u32], leaf: u32, voxel: [u32; 3]) -> Voxel {
    let (word, shift) = position(leaf, voxel);
    Voxel::of_code(words[word] >> shift)
}

/// Sets the state of a voxel.
#[inline]
pub fn set(words: &mut [u32], leaf: u32, voxel: [u32; 3], state: Voxel) {
    let (word, shift) = position(leaf, voxel);
    words[word] = words[word] & !(3 << shift) | (state as u32) << shift;
}

/// The only state of a leaf; `None` if it has several.
pub fn uniform_state(words: &[u32]) -> Option<Voxel> {
    let first = Voxel::of_code(words[0]);
    let word = uniform_word(first);
    words.iter().all(|own| *own == word).then_some(first)
}

/// Number of surface voxels in a word.
#[inline]
pub fn active_in(word: u32) -> u32 {
    (word & 0x5555_5555 & !(word >> 1)).count_ones()
}
