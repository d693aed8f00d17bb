//! What can be drawn, a file for each primitive: [`facets`], [`points`], the [`surface`] between them, [`lines`]
//! and [`fields`].
//!
//! Coordinates are f32 about the item's own centre, in mm. Facets and points carry two channels, one entry an element:
//! a value (a deviation in mm, or a brightness from 0 to 1; NaN is no data) and a [`Mark`], which goes before the value.
//! What decides how an item looks lies beside it on the device and is only written, never made, when it is drawn.

pub mod facets;
pub mod fields;
pub mod lines;
pub mod marks;
pub mod points;
pub mod surface;

use rayon::prelude::*;
use wgpu::util::DeviceExt;

use super::scene::Frame;
use super::{Gpu, Target};
use facets::FacetsItem;
use fields::FieldItem;
use geometry::{Point, Pose};
use lines::{LineStyle, LinesItem};
pub use marks::{Mark, MarkWriter};
use points::PointsItem;
use surface::SurfaceItem;

/// Colours of groups, RGB 0 to 1; the shaders hold the same.
pub const GROUP_COLOURS: [[f32; 3]; 8] = [
    [0.86, 0.27, 0.27],
    [0.17, 0.62, 0.38],
    [0.48, 0.36, 0.82],
    [0.93, 0.58, 0.11],
    [0.07, 0.60, 0.72],
    [0.84, 0.35, 0.65],
    [0.55, 0.42, 0.28],
    [0.45, 0.55, 0.15],
];

/// Colour of what is of no interest; the shaders hold the same.
pub const BACKGROUND_COLOUR: [f32; 3] = [0.62, 0.64, 0.67];

/// What all shaders of primitives begin with.
pub(super) const COMMON: &str = include_str!("../shaders/common.wgsl");

/// Something to draw.
pub enum Draw<'a> {
    /// Facets.
    Facets {
        /// The facets.
        item: &'a FacetsItem,
        /// How to draw them.
        look: Look,
        /// Whether the view moves, so that speed counts more than detail.
        moving: bool,
    },
    /// Points.
    Points {
        /// The points.
        item: &'a PointsItem,
        /// How to draw them.
        look: Look,
        /// Maximum number of points to draw (an even subset).
        budget: usize,
    },
    /// The surface between points.
    Surface {
        /// The facets.
        item: &'a SurfaceItem,
        /// The points.
        points: &'a PointsItem,
        /// How to draw them.
        look: Look,
        /// Whether the view moves, so that speed counts more than detail.
        moving: bool,
    },
    /// All points at a distance from a surface, by its distance field.
    Field {
        /// The field.
        item: &'a FieldItem,
        /// How to draw them.
        look: Look,
        /// Distance, mm.
        distance_mm: f64,
    },
    /// Lines, over the lit picture: solid where they are seen, dashed behind facets and points.
    Lines {
        /// The lines.
        item: &'a LinesItem,
        /// How to draw them.
        look: Look,
        /// Width, and what is drawn where something lies before them.
        style: LineStyle,
    },
}

/// What an item takes its colour from where no mark says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Colouring {
    /// From [`Look::colour`].
    Plain = 0,
    /// From its values as deviations or thicknesses in mm, by the frame's colour scale.
    Scale = 1,
    /// From its values as brightness, 0 to 1.
    Grey = 2,
}

/// How an item looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Moves the item into the scene.
    pub scene_from_item: Pose,
    /// Plain colour, RGB 0 to 1.
    pub colour: [f32; 3],
    /// From 0 to 1; below 1 it is drawn after what is opaque, and is not picked.
    pub opacity: f32,
    /// Where colours come from.
    pub colouring: Colouring,
    /// Comes back from picking; 0 is nothing.
    pub id: u32,
}

/// When a draw has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// First, with depth and ids.
    Opaque,
    /// After what is opaque, blended, without ids.
    Transparent,
    /// Over the lit picture.
    Overlay,
}

impl Draw<'_> {
    pub(super) fn phase(&self) -> Phase {
        match self {
            Self::Lines { .. } => Phase::Overlay,
            Self::Facets { look, .. }
            | Self::Points { look, .. }
            | Self::Surface { look, .. }
            | Self::Field { look, .. } => {
                if look.opacity < 1.0 {
                    Phase::Transparent
                } else {
                    Phase::Opaque
                }
            }
        }
    }
}

/// What the shaders know of an item, as they lay it out.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct LookUniform {
    local_from_item: [[f32; 4]; 4],
    /// RGB and opacity.
    colour: [f32; 4],
    colouring: u32,
    id: u32,
    /// Index of the chunk's first element.
    first: u32,
    /// Of lines their width, pixels; of distance fields the distance at which they are drawn, spacings.
    parameter: f32,
}

/// One piece of an item: its geometry and its channels.
pub(super) struct Chunk {
    pub geometry: wgpu::Buffer,
    pub values: wgpu::Buffer,
    /// Four to a word.
    pub marks: wgpu::Buffer,
    /// Elements: facets, points or segments.
    pub count: u32,
    /// Index of its first element.
    pub first: u32,
}

impl Chunk {
    /// `channels` where elements are to have values and marks.
    fn new(gpu: &Gpu, geometry: &[u8], range: std::ops::Range<usize>, channels: bool) -> Self {
        let elements = if channels { range.len() } else { 1 };
        let storage = |label, size| buffer(gpu, label, size, wgpu::BufferUsages::STORAGE);
        // New buffers hold zeros, which mark nothing.
        let channels = [storage("values", 4 * elements), storage("marks", elements.next_multiple_of(4))];
        Self::with_channels(gpu, geometry, range, channels)
    }

    /// With what the shaders find as values and marks.
    fn with_channels(
        gpu: &Gpu,
        geometry: &[u8],
        range: std::ops::Range<usize>,
        [values, marks]: [wgpu::Buffer; 2],
    ) -> Self {
        let geometry = filled(gpu, "geometry", geometry, wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE);
        Self { geometry, values, marks, count: range.len() as u32, first: range.start as u32 }
    }

    fn indices(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// Makes it what the pass draws from, with that look. Each time it is told anew, since one item may be drawn several
    /// times with other looks.
    fn bind(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, frame: &Frame<'_>, about: (&Look, &Point, f32)) {
        let look = self.look(frame, about);
        let look = filled(gpu, "look", bytemuck::bytes_of(&look), wgpu::BufferUsages::UNIFORM);
        pass.set_bind_group(
            1,
            &group(gpu, &gpu.layouts.item, &[&look, &self.values, &self.marks, &self.geometry]),
            &[],
        );
        pass.set_vertex_buffer(0, self.geometry.slice(..));
    }

    fn look(&self, frame: &Frame<'_>, (look, centre, parameter): (&Look, &Point, f32)) -> LookUniform {
        // Composed in f64: far from the origin the parts are large, their sum is not.
        let matrix = (nalgebra::Translation3::from(-frame.camera.origin().coords)
            * look.scene_from_item
            * nalgebra::Translation3::from(centre.coords))
        .to_homogeneous()
        .cast::<f32>();
        let [r, g, b] = look.colour;
        LookUniform {
            local_from_item: matrix.into(),
            colour: [r, g, b, look.opacity],
            colouring: look.colouring as u32,
            id: look.id,
            first: self.first,
            parameter,
        }
    }
}

/// What shaders find as the buffers of a layout.
fn group(gpu: &Gpu, layout: &wgpu::BindGroupLayout, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    let resources = buffers.iter().map(|buffer| buffer.as_entire_binding());
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..).zip(resources).map(entry).collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("item"), layout, entries: &entries })
}

fn buffer(gpu: &Gpu, label: &str, size: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(4) as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn filled(gpu: &Gpu, label: &str, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage })
}

/// Sets the values of all elements; `None` is no data.
fn upload_values(gpu: &Gpu, chunks: &[Chunk], value: impl Fn(usize) -> Option<f64> + Sync) {
    for chunk in chunks {
        let as_f32 = |i: usize| value(i).map_or(f32::NAN, |value| value as f32);
        let values: Vec<f32> = chunk.indices().into_par_iter().map(as_f32).collect();
        gpu.queue.write_buffer(&chunk.values, 0, bytemuck::cast_slice(&values));
    }
}

/// Sets the marks of all elements.
fn upload_marks(gpu: &Gpu, chunks: &[Chunk], mark: impl Fn(usize) -> Mark + Sync) {
    for chunk in chunks {
        let mut marks: Vec<u8> = chunk.indices().into_par_iter().map(|i| mark(i).code()).collect();
        marks.resize(marks.len().next_multiple_of(4), 0);
        gpu.queue.write_buffer(&chunk.marks, 0, &marks);
    }
}

/// The chunks that hold elements of `range`, and which of their own.
fn parts(chunks: &[Chunk], range: std::ops::Range<usize>) -> impl Iterator<Item = (&Chunk, std::ops::Range<u32>)> {
    let (from, to) = (range.start as u32, range.end as u32);
    chunks.iter().filter_map(move |chunk| {
        let start = from.max(chunk.first);
        let end = to.min(chunk.first + chunk.count);
        (start < end).then(|| (chunk, start - chunk.first..end - chunk.first))
    })
}

/// Pipelines of all primitives.
pub(super) struct Primitives {
    facets: facets::Pipelines,
    fields: fields::Pipelines,
    points: points::Pipelines,
    surface: surface::Pipelines,
    lines: lines::Pipelines,
}

impl Primitives {
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            facets: facets::Pipelines::new(gpu),
            fields: fields::Pipelines::new(gpu),
            points: points::Pipelines::new(gpu),
            surface: surface::Pipelines::new(gpu),
            lines: lines::Pipelines::new(gpu),
        }
    }

    /// Computes what `draws` need before they are drawn into a target of `size`.
    pub fn prepare(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame_group: &wgpu::BindGroup,
        (size, frame): ([u32; 2], &Frame<'_>),
        draws: &[Draw<'_>],
    ) {
        for draw in draws {
            // Pixels cannot be divided among slices as elements are.
            if let Draw::Field { item, look, distance_mm } = draw
                && frame.slice.is_last()
            {
                self.fields.trace(gpu, encoder, frame_group, (size, frame), (item, look, *distance_mm));
            }
        }
    }

    pub fn draw(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, frame: &Frame<'_>, draw: &Draw<'_>) {
        let phase = draw.phase();
        match draw {
            Draw::Facets { item, look, moving } => self.facets.draw(gpu, pass, frame, phase, (item, look, *moving)),
            Draw::Points { item, look, budget } => self.points.draw(gpu, pass, frame, phase, (item, look, *budget)),
            Draw::Surface { item, points, look, moving } => {
                self.surface.draw(gpu, pass, frame, phase, (item, points, look, *moving));
            }
            Draw::Field { item, .. } => self.fields.draw(pass, frame, phase, item),
            Draw::Lines { item, look, style } => self.lines.draw(gpu, pass, frame, (item, look, style)),
        }
    }
}

/// Positions, one after another.
const POSITIONS: Option<wgpu::VertexBufferLayout<'static>> = Some(wgpu::VertexBufferLayout {
    array_stride: size_of::<[f32; 3]>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3],
});

/// The pipelines of a primitive, by phase and by whether pixels may be left out.
struct Pipelines([[wgpu::RenderPipeline; 2]; 2]);

impl Pipelines {
    fn new(
        gpu: &Gpu,
        shader: &wgpu::ShaderModule,
        entries: (&str, &str),
        layout: (wgpu::PrimitiveTopology, &[Option<wgpu::VertexBufferLayout<'_>>]),
    ) -> Self {
        let made = |phase, cuts| pipeline(gpu, shader, entries, layout, (phase, cuts));
        let of_phase = |phase| [false, true].map(|cuts| made(phase, cuts));
        Self([Phase::Opaque, Phase::Transparent].map(of_phase))
    }

    /// `cuts`: whether pixels may be left out.
    fn of(&self, phase: Phase, cuts: bool) -> &wgpu::RenderPipeline {
        &self.0[usize::from(phase != Phase::Opaque)][usize::from(cuts)]
    }
}

/// A pipeline that draws into colour, ids and depth in a phase.
fn pipeline(
    gpu: &Gpu,
    shader: &wgpu::ShaderModule,
    (vertex, pixel): (&str, &str),
    (topology, buffers): (wgpu::PrimitiveTopology, &[Option<wgpu::VertexBufferLayout<'_>>]),
    (phase, cuts): (Phase, bool),
) -> wgpu::RenderPipeline {
    let constants = [("CUTS", f64::from(u8::from(cuts)))];
    let compilation_options =
        || wgpu::PipelineCompilationOptions { constants: &constants, ..wgpu::PipelineCompilationOptions::default() };
    let is_opaque = phase == Phase::Opaque;
    let blend = (!is_opaque).then_some(wgpu::BlendState::ALPHA_BLENDING);
    let ids = if is_opaque { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() };
    let targets = [
        Some(wgpu::ColorTargetState { format: Target::COLOUR, blend, write_mask: wgpu::ColorWrites::ALL }),
        Some(wgpu::ColorTargetState { format: Target::IDS, blend: None, write_mask: ids }),
    ];
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(vertex),
        layout: Some(&gpu.layouts.pipeline),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(vertex),
            compilation_options: compilation_options(),
            buffers,
        },
        primitive: wgpu::PrimitiveState { topology, ..wgpu::PrimitiveState::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: Target::DEPTH,
            depth_write_enabled: Some(is_opaque),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some(pixel),
            compilation_options: compilation_options(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// A shader after what all have in common.
fn shader(gpu: &Gpu, label: &str, source: &str) -> wgpu::ShaderModule {
    gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(format!("{COMMON}\n{source}").into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shader_has_the_colours_of_groups() {
        for [r, g, b] in GROUP_COLOURS {
            assert!(COMMON.contains(&format!("vec3f({r:.2}, {g:.2}, {b:.2}),")), "{r} {g} {b}");
        }
        let [r, g, b] = BACKGROUND_COLOUR;
        assert!(COMMON.contains(&format!("BACKGROUND_COLOUR = vec3f({r:.2}, {g:.2}, {b:.2});")));
    }

    #[test]
    fn the_shader_has_the_codes_of_marks() {
        for (name, mark) in [
            ("SELECTED", Mark::Selected),
            ("HIDDEN", Mark::Hidden),
            ("FIRST_GROUP", Mark::Group(0)),
            ("BACKGROUND", Mark::Background),
        ] {
            assert!(COMMON.contains(&format!("const {name} = {}u;", mark.code())), "{name}");
        }
    }
}
