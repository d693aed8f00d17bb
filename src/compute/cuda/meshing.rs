//! Meshing on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::grid::DeviceGrid;
use super::scan;
use crate::Capability;
use crate::cpu::meshing as cpu;
use crate::meshing::{Facets, Request};
use base::{Progress, Result, UserError};
use geometry::Aabb;

/// `Cells` of meshing.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct CellsParameter {
    points: u64,
    keys: u64,
    starts: u64,
    cell_of: u64,
    cells: u32,
    count: u32,
    spacing_mm: f64,
    per_spacing: f64,
}

/// `Stars` of meshing.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct StarsParameter {
    begins: u64,
    lengths: u64,
    normals: u64,
    neighbours: u64,
    used: u64,
    capacity: u32,
    pad: u32,
}

/// Neighbours that are provided for each point; on a surface it has six, and those of some points are found twice.
const NEIGHBOURS_PER_POINT: usize = 12;
/// Device memory at once for each point, bytes.
const BYTES_PER_POINT: usize = 240;

/// Points resident on a device; the computation can be repeated.
pub struct MeshingJob {
    driver: Arc<dyn Driver>,
    grid: DeviceGrid,
    /// Of each point its index in the cloud.
    point_indices: Buffer<u32>,
    /// Bits of a cell's coordinates, x, y and z.
    key_bits: [u32; 3],
    spacing_mm: f64,
}

/// Points in the order of their cells.
struct Cells {
    parameter: CellsParameter,
    order: Buffer<u32>,
    _points: Buffer<f64>,
    _keys: Buffer<u64>,
    _indices: [Buffer<u32>; 2],
}

/// The neighbours of all points.
struct Stars {
    parameter: StarsParameter,
    _indices: [Buffer<u32>; 3],
    normals: Buffer<f32>,
    used: Buffer<u32>,
}

/// Facets on the device.
pub struct DeviceFacets {
    /// Three for each facet.
    corners: Buffer<u32>,
    /// Three for each point.
    normals: Buffer<f32>,
    left_out: usize,
}

impl MeshingJob {
    /// Uploads the points; `None` if they are too few to have a spacing.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Option<Self>> {
        let ordered = request.points;
        let count = ordered.points.len();
        let Some(spacing_mm) = cpu::spacing_mm(&ordered.points) else { return Ok(None) };
        require(driver.as_ref(), count * BYTES_PER_POINT, Request::LABEL)?;
        let bounds = Aabb::of_points_parallel(&ordered.points);
        let cell_mm = cpu::cell_edge_mm(spacing_mm);
        let bits = |axis| u32::BITS - cpu::cell_coordinate(bounds.size()[axis] / cell_mm).leading_zeros();
        Ok(Some(Self {
            grid: DeviceGrid::new(driver, &ordered.points, &bounds.min, cell_mm)?,
            point_indices: Buffer::from_slice(driver, &ordered.numbers)?,
            driver: Arc::clone(driver),
            key_bits: [0, 1, 2].map(bits),
            spacing_mm,
        }))
    }

    /// Meshes; waits where the next step depends on the last one.
    pub fn launch(&self, progress: &Progress) -> Result<DeviceFacets> {
        let cells = self.cells()?;
        progress.report(0.2, Request::LABEL)?;
        let stars = self.stars(&cells)?;
        progress.report(0.7, Request::LABEL)?;
        self.facets(&cells, &stars)
    }

    fn cells(&self) -> Result<Cells> {
        let (driver, count) = (&self.driver, self.grid.parameter.count as usize);
        let grid = bytes_of(&self.grid.parameter);
        let [x, y, z] = self.key_bits;
        let order = self.grid.sorted(driver, "mesh_keys", &[(2, z), (1, y), (0, x)])?;
        let (points, is_first) = (Buffer::<f64>::new(driver, 3 * count)?, Buffer::<u32>::new(driver, count)?);
        self.each("mesh_sorted", count, &[grid, &to(&order), &to(&points), &to(&is_first)])?;
        let (before, cells) = scan::exclusive(driver, &is_first)?;
        let (keys, starts) = (Buffer::<u64>::new(driver, cells as usize)?, Buffer::new(driver, cells as usize + 1)?);
        let cell_of = Buffer::<u32>::new(driver, count)?;
        let arguments: [&[u8]; 7] =
            [grid, &to(&order), &to(&is_first), &to(&before), &to(&keys), &to(&starts), &to(&cell_of)];
        self.each("mesh_cells", count, &arguments)?;
        let parameter = CellsParameter {
            points: points.address(),
            keys: keys.address(),
            starts: starts.address(),
            cell_of: cell_of.address(),
            cells,
            count: self.grid.parameter.count,
            spacing_mm: self.spacing_mm,
            per_spacing: 1.0 / self.spacing_mm,
        };
        Ok(Cells { parameter, order, _points: points, _keys: keys, _indices: [starts, cell_of] })
    }

    fn stars(&self, cells: &Cells) -> Result<Stars> {
        let (driver, count) = (&self.driver, self.grid.parameter.count as usize);
        let capacity = (NEIGHBOURS_PER_POINT * count + 4096).min(u32::MAX as usize) as u32;
        let (begins, lengths) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
        let neighbours = Buffer::<u32>::new(driver, capacity as usize)?;
        let (normals, used) = (Buffer::<f32>::new(driver, 3 * count)?, Buffer::<u32>::zeros(driver, 1)?);
        let parameter = StarsParameter {
            begins: begins.address(),
            lengths: lengths.address(),
            normals: normals.address(),
            neighbours: neighbours.address(),
            used: used.address(),
            capacity,
            pad: 0,
        };
        let stars = Stars { parameter, _indices: [begins, lengths, neighbours], normals, used };
        let is_open = Buffer::<u32>::new(driver, count)?;
        let both = [bytes_of(&cells.parameter), bytes_of(&stars.parameter)];
        self.each("mesh_stars", count, &[both[0], both[1], &to(&is_open)])?;
        let open = self.list(&is_open)?;
        let (is_sparse, radii) = (Buffer::<u32>::new(driver, open.count())?, Buffer::<f32>::new(driver, open.count())?);
        let opens = open.count() as u32;
        let arguments: [&[u8]; 6] = [both[0], both[1], &to(&open), bytes_of(&opens), &to(&is_sparse), &to(&radii)];
        self.each("mesh_wider_stars", open.count(), &arguments)?;
        let sparse = self.list(&is_sparse)?;
        let sparses = sparse.count() as u32;
        let arguments: [&[u8]; 6] = [both[0], both[1], &to(&open), &to(&radii), &to(&sparse), bytes_of(&sparses)];
        self.each("mesh_sparse_stars", sparse.count(), &arguments)?;
        if stars.used.read()?.iter().any(|&used| used > capacity) {
            return Err(UserError::input("The points have more neighbours than there is room for on the CUDA device."));
        }
        Ok(stars)
    }

    fn facets(&self, cells: &Cells, stars: &Stars) -> Result<DeviceFacets> {
        let (driver, count) = (&self.driver, self.grid.parameter.count);
        let stars_parameter = bytes_of(&stars.parameter);
        let is_doubtful = Buffer::<u32>::zeros(driver, count as usize)?;
        let nowhere = 0_u64.to_ne_bytes();
        let counts = Buffer::<u32>::new(driver, count as usize)?;
        let agreed = |begins: &[u8], facets: &[u8]| {
            let arguments = [stars_parameter, bytes_of(&count), &to(&counts), &to(&is_doubtful), begins, facets];
            self.each("mesh_agreed", count as usize, &arguments)
        };
        agreed(&nowhere, &nowhere)?;
        let (begins, agreed_count) = scan::exclusive(driver, &counts)?;
        let doubtful = self.list(&is_doubtful)?;
        let doubtful_count = doubtful.count() as u32;
        let filling_counts = Buffer::<u32>::new(driver, doubtful.count())?;
        let fillings = |begins: &[u8], facets: &[u8]| {
            let (own, list, counts) = (to(&is_doubtful), to(&doubtful), to(&filling_counts));
            let arguments = [stars_parameter, &own, &list, bytes_of(&doubtful_count), &counts, begins, facets];
            self.each("mesh_fillings", doubtful.count(), &arguments)
        };
        fillings(&nowhere, &nowhere)?;
        let (filling_begins, filling_count) = scan::exclusive(driver, &filling_counts)?;
        let facets = (agreed_count + filling_count) as usize;
        let corners = Buffer::<u32>::new(driver, 3 * facets)?;
        agreed(&to(&begins), &to(&corners))?;
        let after = corners.address() + 12 * u64::from(agreed_count);
        fillings(&to(&filling_begins), bytes_of(&after))?;
        let is_corner = Buffer::<u32>::zeros(driver, count as usize)?;
        let corner_count = 3 * facets as u32;
        let (order, point_indices) = (to(&cells.order), to(&self.point_indices));
        let arguments: [&[u8]; 5] = [&to(&corners), bytes_of(&corner_count), &order, &point_indices, &to(&is_corner)];
        self.each("mesh_corners", 3 * facets, &arguments)?;
        let normals = Buffer::<f32>::new(driver, 3 * count as usize)?;
        let arguments: [&[u8]; 5] = [&to(&stars.normals), bytes_of(&count), &order, &point_indices, &to(&normals)];
        self.each("mesh_normals", count as usize, &arguments)?;
        let (_, corner_points) = scan::exclusive(driver, &is_corner)?;
        Ok(DeviceFacets { corners, normals, left_out: (count - corner_points) as usize })
    }

    /// Indices of the values that are not zero.
    fn list(&self, values: &Buffer<u32>) -> Result<Buffer<u32>> {
        let (before, total) = scan::exclusive(&self.driver, values)?;
        let (list, count) = (Buffer::new(&self.driver, total as usize)?, values.count() as u32);
        self.each("mesh_list", values.count(), &[&to(values), &to(&before), bytes_of(&count), &to(&list)])?;
        Ok(list)
    }

    fn each(&self, kernel: &'static str, count: usize, arguments: &[&[u8]]) -> Result<()> {
        launch_each(self.driver.as_ref(), kernel, count, arguments)
    }

    /// Waits, and downloads facets and normals.
    pub fn read(&self, facets: &DeviceFacets) -> Result<Facets> {
        Ok(Facets {
            corners: triples(facets.corners.read()?),
            normals: triples(facets.normals.read()?),
            spacing_mm: self.spacing_mm,
            left_out: facets.left_out,
        })
    }
}

/// The address of a buffer, as kernels take it.
fn to<T: Pod>(buffer: &Buffer<T>) -> [u8; 8] {
    buffer.address().to_ne_bytes()
}

fn triples<T: Pod>(values: Vec<T>) -> Vec<[T; 3]> {
    bytemuck::allocation::cast_vec(values)
}
