//! Hybrid dynamic trees as files (`.hdt`), little-endian: the header, the cells as they are stored, the words of all
//! leaves, and the BLAKE3 hash of all of it.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `SHADOHDT` |
//! | 4 | version, 1 |
//! | 4 | bytes per cell, 12 or 24 |
//! | 3 x 4 | root cells, children and leaf voxels per axis |
//! | 4 | voxels per axis |
//! | 3 x 8, 8 | origin and edge of a voxel, mm |
//! | 8, 8 | number of cells and of words |

use std::io::Write;
use std::path::Path;

use bytemuck::{Pod, Zeroable};

use crate::Source;
use crate::atomic;
use base::{Progress, Result, UserError};
use geometry::Point;
use geometry::voxels::{CellFormat, Cells, Lattice, Layout, Parts, VoxelTree};

const MAGIC: [u8; 8] = *b"SHADOHDT";
const VERSION: u32 = 1;
const HASH_BYTES: usize = blake3::OUT_LEN;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Header {
    magic: [u8; 8],
    version: u32,
    cell_bytes: u32,
    layout: [u32; 3],
    voxels: u32,
    origin: [f64; 3],
    voxel_mm: f64,
    cells: u64,
    words: u64,
}

/// Writes a tree.
pub fn write(path: &Path, tree: &VoxelTree) -> Result<()> {
    let (lattice, layout) = (tree.lattice(), tree.layout());
    let header = Header {
        magic: MAGIC,
        version: VERSION,
        cell_bytes: tree.cells().format().bytes() as u32,
        layout: [layout.root, layout.branching, layout.leaf],
        voxels: lattice.voxels,
        origin: lattice.origin.into(),
        voxel_mm: lattice.voxel_mm,
        cells: tree.cells().len() as u64,
        words: tree.words().len() as u64,
    };
    let parts = [bytemuck::bytes_of(&header), tree.cells().as_bytes(), bytemuck::cast_slice(tree.words())];
    let mut hasher = blake3::Hasher::new();
    parts.iter().for_each(|part| {
        hasher.update(part);
    });
    atomic::write(path, |writer| {
        parts.iter().try_for_each(|part| writer.write_all(part))?;
        writer.write_all(hasher.finalize().as_bytes())
    })
}

/// Reads a tree. Returns an error if the file is not one, was cut short or changed, or is of a newer version.
pub fn read(path: &Path, progress: &Progress) -> Result<VoxelTree> {
    let bytes = Source::open(path, progress)?.read_all()?;
    let refused = |reason: &str| UserError::input(format!("{}: {reason}.", path.display()));
    let header = bytes.get(..size_of::<Header>()).map(bytemuck::pod_read_unaligned::<Header>);
    let header = header.filter(|header| header.magic == MAGIC);
    let header = header.ok_or_else(|| refused("this is not a voxel tree of Shadowgraph (.hdt)"))?;
    if header.version > VERSION {
        return Err(refused(&format!(
            "this voxel tree was written by a newer version ({}, {VERSION} is known); update the program",
            header.version
        )));
    }
    let format =
        [CellFormat::Wide, CellFormat::Compact].into_iter().find(|own| own.bytes() as u32 == header.cell_bytes);
    let format = format.ok_or_else(|| refused(&format!("cells of {} bytes are not known", header.cell_bytes)))?;
    let sizes = [header.cells.checked_mul(format.bytes() as u64), header.words.checked_mul(4)];
    let [Some(cell_bytes), Some(word_bytes)] = sizes else { return Err(refused("its header is damaged")) };
    let content = (size_of::<Header>() as u64).checked_add(cell_bytes).and_then(|sum| sum.checked_add(word_bytes));
    if content.and_then(|sum| sum.checked_add(HASH_BYTES as u64)) != Some(bytes.len() as u64) {
        return Err(refused("it does not have the length that its header says; it was cut short, so copy it again"));
    }
    let (content, hash) = bytes.split_at(bytes.len() - HASH_BYTES);
    if blake3::hash(content).as_bytes() != hash {
        return Err(refused("its checksum is wrong; it was damaged or changed, so copy or write it again"));
    }
    let (cells, words) = content.split_at(size_of::<Header>()).1.split_at(cell_bytes as usize);
    let [root, branching, leaf] = header.layout;
    let tree = VoxelTree::restore(Parts {
        lattice: Lattice { origin: Point::from(header.origin), voxel_mm: header.voxel_mm, voxels: header.voxels },
        layout: Layout { root, branching, leaf },
        format,
        cells: Cells::of_bytes(cells, format),
        words: bytemuck::pod_collect_to_vec(words),
    });
    tree.map_err(|error| refused(error.sentence.trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxels::slices;
    use geometry::voxels::{Class, Cube, Solid, build, leaf};

    /// A ball about the middle of 64 voxels per axis, without a skin.
    struct Ball;

    fn is_in(voxel: [u32; 3]) -> bool {
        voxel.map(|index| (f64::from(index) - 31.5).powi(2)).iter().sum::<f64>() < 20.0 * 20.0
    }

    impl Solid for Ball {
        type Hint = ();

        fn classify(&self, _: &Cube, _: Option<&()>) -> Class<()> {
            Class::Mixed(())
        }

        fn fill(&self, cube: &Cube, (): &(), words: &mut [u32]) {
            for number in 0..cube.edge.pow(3) {
                let own = [number % cube.edge, number / cube.edge % cube.edge, number / cube.edge.pow(2)];
                if is_in([0, 1, 2].map(|axis| cube.min[axis] + own[axis])) {
                    leaf::set(words, cube.edge, own, geometry::voxels::Voxel::Full);
                }
            }
        }
    }

    fn tree(format: CellFormat) -> VoxelTree {
        let lattice = Lattice { origin: Point::new(1.0, 2.0, 3.0), voxel_mm: 0.125, voxels: 64 };
        let layout = Layout { root: 4, branching: 2, leaf: 8 };
        build(&Ball, lattice, layout, format, &Progress::silent()).unwrap().tree
    }

    #[test]
    fn trees_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        for format in [CellFormat::Wide, CellFormat::Compact] {
            let (path, tree) = (folder.path().join("ball.hdt"), tree(format));
            write(&path, &tree).unwrap();
            let back = read(&path, &Progress::silent()).unwrap();
            assert_eq!((back.lattice(), back.layout()), (tree.lattice(), tree.layout()));
            assert_eq!(back.cells().as_bytes(), tree.cells().as_bytes());
            assert_eq!(back.words(), tree.words());
        }
    }

    #[test]
    fn damaged_files_are_refused_with_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ball.hdt");
        write(&path, &tree(CellFormat::Compact)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read(&path, &Progress::silent()).unwrap_err().sentence
        };
        assert!(refused(&whole[..whole.len() / 2]).contains("cut short"));
        assert!(refused(&whole[..20]).contains("not a voxel tree"));
        let mut random = base::random::Random::new(5, 0);
        for _ in 0..300 {
            let mut bytes = whole.clone();
            let at = random.index(bytes.len());
            bytes[at] ^= 1 << random.index(8);
            assert!(!refused(&bytes).is_empty());
        }
        // With a right checksum, too, only trees are read.
        let mut misread = 0;
        for _ in 0..300 {
            let mut bytes = whole[..whole.len() - HASH_BYTES].to_vec();
            let at = random.index(size_of::<Header>() + 3000);
            bytes[at] = bytes[at].wrapping_add(1 + random.index(255) as u8);
            bytes.extend_from_slice(blake3::hash(&bytes.clone()).as_bytes());
            std::fs::write(&path, &bytes).unwrap();
            // A state or a lattice may be another valid one; the tree must be safe to walk.
            if let Ok(tree) = read(&path, &Progress::silent()) {
                misread += 1;
                assert!(tree.statistics().cells > 0 && tree.voxel([31, 31, 31]) as u32 <= 2);
            }
        }
        assert!(misread < 150, "{misread}");
        let newer = [&whole[..8], &2_u32.to_le_bytes(), &whole[12..]].concat();
        assert!(refused(&newer).contains("newer version"));
    }

    #[test]
    fn layers_show_what_is_inside_along_every_axis() {
        let folder = tempfile::tempdir().unwrap();
        let tree = tree(CellFormat::Compact);
        for axis in 0..3 {
            let into = folder.path().join(axis.to_string());
            assert_eq!(slices::write(&into, &tree, axis, 20, &Progress::silent()).unwrap(), 4);
            let picture = image::open(into.join("layer-00040.png")).unwrap().to_luma8();
            let inside: usize = picture.pixels().filter(|pixel| pixel.0[0] == slices::GREYS[2]).count();
            let expected = (0..64_u32.pow(2)).filter(|own| is_in([40, own % 64, own / 64])).count();
            assert_eq!((picture.dimensions(), inside), ((64, 64), expected));
        }
    }
}
