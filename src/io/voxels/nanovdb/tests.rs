use super::*;

const VOXELS: u32 = 200;
const BAND_MM: f32 = 1.5;

fn lattice() -> Lattice {
    Lattice { origin: Point::new(-10.0, -20.0, -30.0), voxel_mm: 0.5, voxels: VOXELS }
}

/// Signed distance of a ball that reaches over the borders of lower nodes, mm.
fn distance_mm(voxel: [i32; 3]) -> f64 {
    (lattice().centre(voxel) - Point::new(42.0, 31.0, 22.0)).norm() - 35.0
}

fn level_set() -> LevelSet<'static> {
    let blocks = VOXELS as i32 / BLOCK;
    let mut set = LevelSet { name: "ball", lattice: lattice(), band_mm: BAND_MM, blocks: Vec::new() };
    for number in 0..blocks.pow(3) {
        let min = [number / (blocks * blocks), number / blocks % blocks, number % blocks].map(|index| BLOCK * index);
        let [x, y, z] = min;
        let values: Vec<f32> = (0..512)
            .map(|own| distance_mm([x + own / 64, y + own / 8 % 8, z + own % 8]) as f32)
            .map(|value| value.clamp(-BAND_MM, BAND_MM))
            .collect();
        set.blocks.push(Block { min, distances_mm: Box::new(values.try_into().unwrap()) });
    }
    set
}

/// Reads values as the published layout says, from the offsets in the file alone.
struct Reader(Vec<u8>);

impl Reader {
    fn at<T: Pod>(&self, offset: usize) -> T {
        bytemuck::pod_read_unaligned(&self.0[offset..offset + size_of::<T>()])
    }

    /// Where the grid begins.
    fn grid(&self) -> usize {
        16 + 176 + self.at::<u32>(16 + 136) as usize
    }

    fn value(&self, [x, y, z]: [i32; 3]) -> f32 {
        let root = self.grid() + 672 + self.at::<u64>(self.grid() + 672 + 24) as usize;
        let key = (z as u64 >> 12) | (y as u64 >> 12) << 21 | (x as u64 >> 12) << 42;
        let tile = (0..self.at::<u32>(root + 24) as usize)
            .map(|number| root + 64 + 32 * number)
            .find(|tile| self.at::<u64>(*tile) == key);
        let Some(tile) = tile else { return self.at(root + 28) };
        let child = self.at::<i64>(tile + 8);
        if child == 0 {
            return self.at(tile + 20);
        }
        let mut node = root + child as usize;
        for (bits, outer, masks, table) in [(5, 7, 4096, 8256), (4, 3, 512, 1088)] {
            let mask = (1 << bits) - 1;
            let of = |index: i32| (index >> outer & mask) as usize;
            let entry = of(x) << (2 * bits) | of(y) << bits | of(z);
            if self.0[node + 32 + masks + entry / 8] >> (entry % 8) & 1 == 0 {
                return self.at(node + table + 8 * entry);
            }
            node += self.at::<i64>(node + table + 8 * entry) as usize;
        }
        let entry = ((x & 7) << 6 | (y & 7) << 3 | z & 7) as usize;
        let value = self.at::<f32>(node + 96 + 4 * entry);
        let is_active = self.0[node + 16 + entry / 8] >> (entry % 8) & 1 == 1;
        assert_eq!(is_active, value.abs() < BAND_MM);
        value
    }
}

#[test]
fn every_voxel_is_read_back_by_the_published_layout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.nvdb");
    let set = level_set();
    write(&path, &set, |voxel| distance_mm(voxel) < 0.0).unwrap();
    let reader = Reader(std::fs::read(&path).unwrap());
    assert_eq!(reader.at::<u64>(0), MAGIC);
    assert_eq!(reader.at::<u64>(16) as usize, reader.0.len() - reader.grid());
    // Of the blocks of eight, every voxel is met.
    let step = 3;
    for x in (-9..VOXELS as i32 + 9).step_by(step) {
        for y in (0..VOXELS as i32).step_by(step) {
            for z in 0..VOXELS as i32 {
                let expected = (distance_mm([x, y, z]) as f32).clamp(-BAND_MM, BAND_MM);
                let expected = if (0..VOXELS as i32).contains(&x) { expected } else { BAND_MM };
                assert_eq!(reader.value([x, y, z]), expected, "{x} {y} {z}");
            }
        }
    }
    let active = (0..VOXELS.pow(3) as i32)
        .map(|number| [number / 40_000, number / 200 % 200, number % 200])
        .filter(|voxel| (distance_mm(*voxel) as f32).abs() < BAND_MM)
        .count();
    assert_eq!(reader.at::<u64>(16 + 24) as usize, active);
    assert_eq!(reader.at::<u64>(reader.grid() + 672 + 56) as usize, active);
}

#[test]
fn without_a_surface_there_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let set = LevelSet { name: "nothing", lattice: lattice(), band_mm: BAND_MM, blocks: Vec::new() };
    assert!(write(&folder.path().join("x.nvdb"), &set, |_| false).unwrap_err().sentence.contains("no surface"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
