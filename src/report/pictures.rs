//! The pictures of a report, drawn off-screen by the same renderer as the viewport.

use super::Input;
use base::{Progress, Result};
use compute::point_deviation::PointDeviation;
use compute::point_facet_matching::FacetDeviation;
use geometry::Pose;
use inspect::deviation::DeviationMap;
use render::camera::StandardView;
use render::colour_scale::ColourScale;
use render::picture::{self, OVERSAMPLING};
use render::scene::{Look, Slice};
use render::{Draw, Frame, Gpu, MeshItem, PointsItem, Scene, ViewCamera};

/// A picture, PNG.
#[derive(Clone, Debug)]
pub struct View {
    /// File name under `views/`.
    pub file: String,
    /// Line under it.
    pub caption: String,
    /// PNG bytes.
    pub png: Vec<u8>,
}

/// All pictures, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    /// The pictures.
    pub views: Vec<View>,
    /// The sentence shown when there are none.
    pub missing: Option<String>,
}

/// Pixels of a standard view.
const SIZE: [u32; 2] = [1000, 720];
const PAPER: [[f32; 3]; 2] = [[0.985, 0.988, 0.992], [0.90, 0.915, 0.93]];
/// Colour of the nominal behind the scan.
const NOMINAL: [f32; 3] = [0.72, 0.74, 0.77];

/// Draws four standard views and the worst spot; says why where there is no graphics adapter.
pub fn draw(input: &Input<'_>, scale: &ColourScale, progress: &Progress) -> Result<Pictures> {
    match Gpu::off_screen() {
        Ok(gpu) => draw_on(&gpu, input, scale, progress),
        Err(error) => Ok(Pictures { views: Vec::new(), missing: Some(error.sentence) }),
    }
}

fn draw_on(gpu: &Gpu, input: &Input<'_>, scale: &ColourScale, progress: &Progress) -> Result<Pictures> {
    let studio = Studio::new(gpu, input, scale);
    let bounds = input.nominal.surface.bounds();
    let mut views = Vec::new();
    let standard = [StandardView::Isometric, StandardView::Top, StandardView::Front, StandardView::Right];
    for (i, view) in standard.into_iter().enumerate() {
        progress.report(i as f32 / 5.0, "Drawing the pictures")?;
        let mut camera = ViewCamera::new(bounds);
        camera.set_size(SIZE[0] * OVERSAMPLING, SIZE[1] * OVERSAMPLING);
        camera.look_from(view);
        views.push(studio.take(
            &camera,
            format!("views/{}.png", view.name().to_lowercase()),
            view.name().to_owned(),
        )?);
    }
    if let Some(worst) = input.check.regions.first() {
        progress.report(0.8, "Drawing the pictures")?;
        let at = worst.peak_at_mm.into();
        let outward = input
            .nominal
            .surface
            .closest_point(&at, f64::INFINITY)
            .map(|hit| input.nominal.surface.pseudo_normal(hit.facet, hit.feature));
        let mut camera = ViewCamera::new(bounds);
        camera.set_size(SIZE[0] * OVERSAMPLING, SIZE[1] * OVERSAMPLING);
        camera.fly_to(&at, (1.5 * worst.radius_mm).max(0.03 * bounds.diagonal()), outward);
        let caption = format!("Worst spot: {:+.3} mm over {:.1} mm²", worst.peak_mm, worst.area_mm2);
        views.push(studio.take(&camera, "views/worst.png".into(), caption)?);
    }
    Ok(Pictures { views, missing: None })
}

/// The part and its scan on the graphics device.
struct Studio<'a> {
    scene: Scene,
    scale: &'a ColourScale,
    nominal: MeshItem,
    points: Option<PointsItem>,
    pose: Pose,
}

impl<'a> Studio<'a> {
    fn new(gpu: &Gpu, input: &Input<'_>, scale: &'a ColourScale) -> Self {
        let (nominal, points) = match input.check.measurement.map() {
            DeviationMap::Points(deviations) => {
                let points = PointsItem::new(gpu, &input.actual.cloud.points);
                points.set_shades(gpu, |i| deviations.get(i).and_then(PointDeviation::value).into());
                (MeshItem::new(gpu, input.nominal.surface.mesh()), Some(points))
            }
            DeviationMap::Facets { nominal, values, .. } => {
                let mesh = MeshItem::new(gpu, nominal);
                mesh.set_shades(gpu, |i| values.get(i).and_then(FacetDeviation::value).into());
                (mesh, None)
            }
        };
        Self { scene: Scene::new(gpu), scale, nominal, points, pose: input.check.measurement.nominal_from_scan }
    }

    fn take(&self, camera: &ViewCamera, file: String, caption: String) -> Result<View> {
        let look =
            |pose, by_deviation| Look { scene_from_item: pose, colour: NOMINAL, by_deviation, id: 1, marked: None };
        let mut draws = vec![Draw::Mesh {
            item: &self.nominal,
            look: look(Pose::identity(), self.points.is_none()),
            moving: false,
        }];
        if let Some(item) = &self.points {
            draws.push(Draw::Points { item, look: look(self.pose, true), budget: usize::MAX });
        }
        let frame = Frame {
            camera,
            scale: *self.scale,
            background: PAPER,
            point_size: self.point_size(camera),
            points_in_front_mm: 1.5 * self.scale.end_mm as f32,
            lighting: 12.0,
            slice: Slice::ALL,
        };
        let picture = picture::draw(&self.scene, SIZE[0], SIZE[1], &frame, &draws)?;
        Ok(View { file, caption, png: picture.png()? })
    }

    /// Discs just large enough to close the surface at this zoom.
    fn point_size(&self, camera: &ViewCamera) -> f32 {
        let Some(points) = &self.points else { return 1.0 };
        points.closing_size(usize::MAX, f64::from(SIZE[1] * OVERSAMPLING) / camera.height_mm()).max(2.0)
    }
}
