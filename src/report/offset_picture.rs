//! Pictures of a part and its offset, off screen.

use base::Result;
use geometry::{Mesh, Pose, Vector};
use inspect::deviation::Tolerance;
use render::camera::StandardView;
use render::colour_scale::ColourScale;
use render::picture::{self, OVERSAMPLING, Picture};
use render::scene::Slice;
use render::{Colouring, Cut, Draw, FacetsItem, Frame, Gpu, Look, Scene, ViewCamera};

/// How a picture is taken.
#[derive(Clone, Copy, Debug)]
pub struct OffsetView {
    /// Where from.
    pub view: StandardView,
    /// An axis, from 0, and a share of the extent along it: what lies before that is cut away.
    pub section: Option<(usize, f64)>,
    /// Opacity of what lies around the other, 0 to 1.
    pub opacity: f32,
    /// Width and height, pixels.
    pub size: [u32; 2],
}

/// Background gradient, RGB from 0 to 1.
const BACKGROUND: [[f32; 3]; 2] = [[0.985, 0.988, 0.992], [0.90, 0.915, 0.93]];
const PART: [f32; 3] = [0.66, 0.69, 0.73];
const DILATED: [f32; 3] = [0.07, 0.60, 0.72];
const ERODED: [f32; 3] = [0.93, 0.58, 0.11];

/// Draws a part and its offset in two colours: the one that lies around the other is seen through.
///
/// Returns an error if there is no graphics adapter or rendering fails.
pub fn draw(part: &Mesh, offset: &Mesh, distance_mm: f64, view: &OffsetView) -> Result<Picture> {
    let gpu = Gpu::off_screen()?;
    let scene = Scene::new(&gpu);
    let bounds = part.bounds().union(&offset.bounds());
    let cut = view.section.map(|(axis, share)| {
        let (mut at, mut normal) = (bounds.min, Vector::zeros());
        at[axis] += share * bounds.size()[axis];
        // The isometric view is from +x, -y and +z.
        normal[axis] = if axis == 1 { 1.0 } else { -1.0 };
        Cut { at, normal }
    });
    let mut camera = ViewCamera::new(&bounds);
    camera.set_size(view.size[0] * OVERSAMPLING, view.size[1] * OVERSAMPLING);
    camera.look_from(view.view);
    let items = [FacetsItem::new(&gpu, part), FacetsItem::new(&gpu, offset)];
    let is_outside = distance_mm >= 0.0;
    let colours = [PART, if is_outside { DILATED } else { ERODED }];
    let mut draws: Vec<Draw<'_>> = Vec::new();
    for (number, item) in items.iter().enumerate().filter(|(_, item)| item.count > 0) {
        let is_around = (number == 1) == is_outside;
        let look = Look {
            scene_from_item: Pose::identity(),
            colour: colours[number],
            opacity: if is_around { view.opacity } else { 1.0 },
            colouring: Colouring::Plain,
            id: number as u32,
        };
        draws.push(Draw::Facets { item, look, moving: false });
    }
    let frame = Frame {
        camera: &camera,
        scale: ColourScale::new(Tolerance::default(), 1.0).into(),
        background: BACKGROUND,
        point_size: 1.0,
        points_in_front_mm: 0.0,
        lighting: 12.0,
        cut,
        slice: Slice::ALL,
    };
    picture::draw(&scene, view.size[0], view.size[1], &frame, &draws)
}
