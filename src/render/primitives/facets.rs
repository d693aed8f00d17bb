//! Facets, flat and lit from the eye: triangles stored vertex by vertex, so that a facet's index is its vertex index over
//! three and nothing else has to be stored of it.

use rayon::prelude::*;

use super::{Chunk, Look, Mark, POSITIONS, Phase, filled, parts, shader, upload_marks, upload_values};
use crate::Gpu;
use crate::scene::Frame;
use geometry::{Mesh, Point, simplify};

/// Facets per buffer: keeps each buffer well under the limits of small devices.
const FACETS_PER_CHUNK: usize = 1_000_000;

/// A mesh on the device.
pub struct FacetsItem {
    chunks: Vec<Chunk>,
    /// What its coordinates are about, mm.
    pub centre: Point,
    /// Number of facets.
    pub count: usize,
    /// Drawn while the view moves, where a software rasteriser would be too slow.
    coarse: Option<Coarse>,
}

/// Fewer facets, without values and marks: they share their corners, of which each is computed once.
struct Coarse {
    corners: Chunk,
    facets: wgpu::Buffer,
    /// Number of indices.
    count: u32,
}

impl Coarse {
    /// About the centre of the item.
    fn new(gpu: &Gpu, mesh: &Mesh, centre: &Point) -> Self {
        let positions: Vec<[f32; 3]> = mesh.vertices.iter().map(|vertex| (vertex - centre).cast().into()).collect();
        let facets = filled(gpu, "coarse facets", bytemuck::cast_slice(&mesh.facets), wgpu::BufferUsages::INDEX);
        let corners = Chunk::new(gpu, bytemuck::cast_slice(&positions), 0..positions.len(), true);
        Self { corners, facets, count: 3 * mesh.facets.len() as u32 }
    }
}

impl FacetsItem {
    /// Uploads `mesh`.
    pub fn new(gpu: &Gpu, mesh: &Mesh) -> Self {
        let full = Self::in_full(gpu, mesh);
        let wanted = gpu.moving_facets();
        let coarse = (gpu.is_software && mesh.facets.len() > 2 * wanted).then(|| simplify::by_clusters(mesh, wanted));
        let coarse = coarse.filter(|coarse| !coarse.facets.is_empty());
        Self { coarse: coarse.map(|coarse| Coarse::new(gpu, &coarse, &full.centre)), ..full }
    }

    /// Uploads `mesh` with the value of each facet, by its index; there is no coarser one, which could not carry them.
    pub fn with_values(gpu: &Gpu, mesh: &Mesh, value: impl Fn(usize) -> Option<f64> + Sync) -> Self {
        let item = Self::in_full(gpu, mesh);
        item.set_values(gpu, value);
        item
    }

    fn in_full(gpu: &Gpu, mesh: &Mesh) -> Self {
        let centre = mesh.bounds().centre();
        let mut chunks = Vec::new();
        for first in (0..mesh.facets.len()).step_by(FACETS_PER_CHUNK) {
            let range = first..(first + FACETS_PER_CHUNK).min(mesh.facets.len());
            let corners = |facet| mesh.corners(facet).map(|corner| -> [f32; 3] { (corner - centre).cast().into() });
            let positions: Vec<[f32; 3]> = range.clone().into_par_iter().flat_map_iter(corners).collect();
            chunks.push(Chunk::new(gpu, bytemuck::cast_slice(&positions), range, true));
        }
        Self { chunks, centre, count: mesh.facets.len(), coarse: None }
    }

    /// Sets the value of each facet, by its index.
    pub fn set_values(&self, gpu: &Gpu, value: impl Fn(usize) -> Option<f64> + Sync) {
        upload_values(gpu, &self.chunks, value);
    }

    /// Sets the mark of each facet, by its index.
    pub fn set_marks(&self, gpu: &Gpu, mark: impl Fn(usize) -> Mark + Sync) {
        upload_marks(gpu, &self.chunks, mark);
    }
}

pub(super) struct Pipelines(super::Pipelines);

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        let shader = shader(gpu, "facets", include_str!("../shaders/facets.wgsl"));
        let layout = (wgpu::PrimitiveTopology::TriangleList, [POSITIONS].as_slice());
        Self(super::Pipelines::new(gpu, &shader, ("facet_vertex", "facet_pixel"), layout))
    }

    pub fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Frame<'_>,
        phase: Phase,
        (item, look, moving): (&FacetsItem, &Look, bool),
    ) {
        // Values and marks belong to the facets as they are.
        let is_plain = look.colouring == super::Colouring::Plain;
        pass.set_pipeline(self.0.of(phase, frame.cut.is_some()));
        if let Some(coarse) = item.coarse.as_ref().filter(|_| moving && is_plain) {
            coarse.corners.bind(gpu, pass, frame, (look, &item.centre, 0.0));
            pass.set_index_buffer(coarse.facets.slice(..), wgpu::IndexFormat::Uint32);
            return pass.draw_indexed(0..coarse.count, 0, 0..1);
        }
        for (chunk, part) in parts(&item.chunks, frame.slice.of_elements(item.count)) {
            chunk.bind(gpu, pass, frame, (look, &item.centre, 0.0));
            pass.draw(part.start * 3..part.end * 3, 0..1);
        }
    }
}
