//! The surface between points: facets whose corners are points that are on the device already, with their values and
//! marks. Shaded by the normals of the points, which may point either way.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::points::PointsItem;
use super::{Look, POSITIONS, Phase, filled, shader};
use crate::Gpu;
use crate::scene::Frame;

/// Facets per buffer of indices.
const FACETS_PER_BUFFER: usize = 8_000_000;

/// Facets between the points of a [`PointsItem`] on the device.
pub struct SurfaceItem {
    facets: Facets,
    /// Fewer of them, to draw while the view moves.
    coarse: Option<Facets>,
    /// The normal of each point, in the order in which they are drawn.
    normals: wgpu::Buffer,
}

/// Three points each, by their indices in the order in which they are drawn.
struct Facets {
    buffers: Vec<wgpu::Buffer>,
    count: usize,
}

impl Facets {
    /// Uploads facets by the indices of their corners in the cloud.
    fn new(gpu: &Gpu, points: &PointsItem, facets: &[[u32; 3]]) -> Self {
        let drawn = points.drawn_of();
        let upload = |facets: &[[u32; 3]]| {
            let facets: Vec<[u32; 3]> = facets.par_iter().map(|corners| corners.map(&drawn)).collect();
            filled(gpu, "surface", bytemuck::cast_slice(&facets), wgpu::BufferUsages::INDEX)
        };
        Self { buffers: facets.chunks(FACETS_PER_BUFFER).map(upload).collect(), count: facets.len() }
    }
}

/// A unit vector on an octahedron unfolded into a square (Meyer et al., "On floating-point normal vectors", 2010).
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Normal([i16; 2]);

impl Normal {
    fn new([x, y, z]: [f32; 3]) -> Self {
        let sum = x.abs() + y.abs() + z.abs();
        if !(sum > 0.0) {
            return Self([0; 2]);
        }
        let (u, v) = (x / sum, y / sum);
        let folded = |own: f32, other: f32| (1.0 - other.abs()) * if own < 0.0 { -1.0 } else { 1.0 };
        let (u, v) = if z < 0.0 { (folded(u, v), folded(v, u)) } else { (u, v) };
        Self([u, v].map(|own| (own * f32::from(i16::MAX)).round() as i16))
    }
}

impl SurfaceItem {
    /// Uploads facets by the indices of their corners in the cloud of `points`, and the unit normal of each point (zero
    /// where it is unknown); `coarse` are drawn in their place while the view moves. `None` if the points cannot carry
    /// it ([`PointsItem::can_carry_surface`]) or there are no facets.
    pub fn new(
        gpu: &Gpu,
        points: &PointsItem,
        (facets, coarse): (&[[u32; 3]], Option<&[[u32; 3]]>),
        normals: &[[f32; 3]],
    ) -> Option<Self> {
        if !points.can_carry_surface() || facets.is_empty() {
            return None;
        }
        let normal = |at| Normal::new(normals.get(points.index(at)).copied().unwrap_or_default());
        let normals: Vec<Normal> = (0..points.count).into_par_iter().map(normal).collect();
        Some(Self {
            facets: Facets::new(gpu, points, facets),
            coarse: coarse.map(|coarse| Facets::new(gpu, points, coarse)),
            normals: filled(gpu, "surface", bytemuck::cast_slice(&normals), wgpu::BufferUsages::VERTEX),
        })
    }

    /// Number of facets at rest.
    pub fn count(&self) -> usize {
        self.facets.count
    }
}

pub(super) struct Pipelines(super::Pipelines);

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        let shader = shader(gpu, "surface", include_str!("../shaders/surface.wgsl"));
        let normals = wgpu::VertexBufferLayout {
            array_stride: size_of::<Normal>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![1 => Snorm16x2],
        };
        let buffers = [POSITIONS, Some(normals)];
        let layout = (wgpu::PrimitiveTopology::TriangleList, buffers.as_slice());
        Self(super::Pipelines::new(gpu, &shader, ("surface_vertex", "surface_pixel"), layout))
    }

    pub fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Frame<'_>,
        phase: Phase,
        (item, points, look, moving): (&SurfaceItem, &PointsItem, &Look, bool),
    ) {
        let facets = item.coarse.as_ref().filter(|_| moving).unwrap_or(&item.facets);
        let [chunk] = points.chunks.as_slice() else { return };
        pass.set_pipeline(self.0.of(phase, frame.cut.is_some() || points.hides_any()));
        chunk.bind(gpu, pass, frame, (look, &points.centre, 0.0));
        pass.set_vertex_buffer(1, item.normals.slice(..));
        let range = frame.slice.of_elements(facets.count);
        for (index, buffer) in facets.buffers.iter().enumerate() {
            let first = index * FACETS_PER_BUFFER;
            let count = (facets.count - first).min(FACETS_PER_BUFFER);
            let [begin, end] = [range.start, range.end].map(|at| at.clamp(first, first + count) - first);
            if begin < end {
                pass.set_index_buffer(buffer.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(3 * begin as u32..3 * end as u32, 0, 0..1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_are_kept_to_a_thousandth() {
        let mut random = base::random::Random::new(1, 0);
        for _ in 0..1000 {
            let normal = random.rotation() * geometry::Vector::z();
            let Normal([u, v]) = Normal::new(normal.cast::<f32>().into());
            let [u, v] = [u, v].map(|own| f64::from(own) / f64::from(i16::MAX));
            let z = 1.0 - u.abs() - v.abs();
            let unfolded = |own: f64, other: f64| (1.0 - other.abs()) * own.signum();
            let (x, y) = if z < 0.0 { (unfolded(u, v), unfolded(v, u)) } else { (u, v) };
            assert!((geometry::Vector::new(x, y, z).normalize() - normal).norm() < 1e-3);
        }
        assert_eq!(Normal::new([0.0; 3]).0, [0, 0]);
    }
}
