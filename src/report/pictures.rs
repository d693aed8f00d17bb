//! Pictures of the inspection report, rendered off screen by the renderer of the viewport.

use super::Input;
use base::{Progress, Result};
use compute::Backend;
use compute::point_deviation::PointDeviation;
use compute::point_facet_matching::FacetDeviation;
use geometry::Pose;
use inspect::deviation::DeviationMap;
use render::camera::StandardView;
use render::colour_scale::ColourScale;
use render::picture::{self, OVERSAMPLING};
use render::scene::Slice;
use render::{Colouring, Draw, FacetsItem, Frame, Gpu, Look, PointsItem, Scene, SurfaceItem, ViewCamera};

/// A rendered view.
#[derive(Clone, Debug)]
pub struct View {
    /// Path relative to the folder of the report, `views/….png`.
    pub file: String,
    /// Caption.
    pub caption: String,
    /// PNG file.
    pub png: Vec<u8>,
}

/// The pictures, or the reason why there are none.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    /// Standard views, then the worst region if any is out of tolerance.
    pub views: Vec<View>,
    /// Message shown if there are no pictures.
    pub missing: Option<String>,
}

/// Width and height of a picture, pixels.
const SIZE: [u32; 2] = [1000, 720];
/// Background gradient, RGB from 0 to 1.
const BACKGROUND: [[f32; 3]; 2] = [[0.985, 0.988, 0.992], [0.90, 0.915, 0.93]];
/// Colour of the nominal, RGB from 0 to 1.
const NOMINAL: [f32; 3] = [0.72, 0.74, 0.77];

/// Renders four standard views and the worst region; without a graphics adapter the result states the reason. `backend`
/// makes the surface of the scan if there is none yet.
///
/// Returns an error if rendering fails or the work is cancelled.
pub fn draw(input: &Input<'_>, scale: &ColourScale, backend: &dyn Backend, progress: &Progress) -> Result<Pictures> {
    match Gpu::off_screen() {
        Ok(gpu) => draw_on(&gpu, input, scale, backend, progress),
        Err(error) => Ok(Pictures { views: Vec::new(), missing: Some(error.sentence) }),
    }
}

fn draw_on(
    gpu: &Gpu,
    input: &Input<'_>,
    scale: &ColourScale,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Pictures> {
    let renderer = ViewRenderer::new(gpu, input, scale, backend, &progress.part(0.0, 0.5))?;
    let progress = progress.part(0.5, 1.0);
    let bounds = input.nominal.surface.bounds();
    let mut views = Vec::new();
    let standard = [StandardView::Isometric, StandardView::Top, StandardView::Front, StandardView::Right];
    for (i, view) in standard.into_iter().enumerate() {
        progress.report(i as f32 / 5.0, "Drawing the pictures")?;
        let mut camera = ViewCamera::new(bounds);
        camera.set_size(SIZE[0] * OVERSAMPLING, SIZE[1] * OVERSAMPLING);
        camera.look_from(view);
        views.push(renderer.render(
            &camera,
            format!("views/{}.png", view.name().to_lowercase()),
            view.name().to_owned(),
        )?);
    }
    if let Some(worst) = input.check.regions.first() {
        progress.report(0.8, "Drawing the pictures")?;
        let peak = worst.peak_at_mm.into();
        let outward = input
            .nominal
            .surface
            .closest_point(&peak, f64::INFINITY)
            .map(|hit| input.nominal.surface.pseudo_normal(hit.facet, hit.feature));
        let mut camera = ViewCamera::new(bounds);
        camera.set_size(SIZE[0] * OVERSAMPLING, SIZE[1] * OVERSAMPLING);
        camera.fly_to(&peak, (1.5 * worst.radius_mm).max(0.03 * bounds.diagonal()), outward);
        let caption = format!("Worst region: peak {:+.3} mm, area {:.1} mm²", worst.peak_mm, worst.area_mm2);
        views.push(renderer.render(&camera, "views/worst.png".into(), caption)?);
    }
    Ok(Pictures { views, missing: None })
}

/// Nominal and scan on the graphics device.
struct ViewRenderer<'a> {
    scene: Scene,
    scale: &'a ColourScale,
    nominal: FacetsItem,
    points: Option<(PointsItem, Option<SurfaceItem>)>,
    nominal_from_scan: Pose,
}

impl<'a> ViewRenderer<'a> {
    fn new(
        gpu: &Gpu,
        input: &Input<'_>,
        scale: &'a ColourScale,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<Self> {
        let (nominal, points) = match input.check.measurement.map() {
            DeviationMap::Points(deviations) => {
                let points = PointsItem::new(gpu, &input.actual.cloud.points);
                points.set_values(gpu, |i| deviations.get(i).and_then(PointDeviation::value));
                let surface = if input.actual.shows_surface() && points.can_carry_surface() {
                    let surface = input.actual.surface(backend, progress)?;
                    SurfaceItem::new(gpu, &points, (&surface.corners, None), &surface.normals)
                } else {
                    None
                };
                (FacetsItem::new(gpu, input.nominal.surface.mesh()), Some((points, surface)))
            }
            DeviationMap::Facets { nominal, values, .. } => {
                let mesh = FacetsItem::new(gpu, nominal);
                mesh.set_values(gpu, |i| values.get(i).and_then(FacetDeviation::value));
                (mesh, None)
            }
        };
        let nominal_from_scan = input.check.measurement.nominal_from_scan;
        Ok(Self { scene: Scene::new(gpu), scale, nominal, points, nominal_from_scan })
    }

    fn render(&self, camera: &ViewCamera, file: String, caption: String) -> Result<View> {
        let look = |scene_from_item, by_deviation: bool| Look {
            scene_from_item,
            colour: NOMINAL,
            opacity: 1.0,
            colouring: if by_deviation { Colouring::Scale } else { Colouring::Plain },
            id: 1,
        };
        let mut draws = vec![Draw::Facets {
            item: &self.nominal,
            look: look(Pose::identity(), self.points.is_none()),
            moving: false,
        }];
        if let Some((points, surface)) = &self.points {
            let look = look(self.nominal_from_scan, true);
            draws.push(match surface {
                Some(item) => Draw::Surface { item, points, look, moving: false },
                None => Draw::Points { item: points, look, budget: usize::MAX },
            });
        }
        let frame = Frame {
            camera,
            scale: (*self.scale).into(),
            background: BACKGROUND,
            point_size: self.point_size(camera),
            points_in_front_mm: 1.5 * self.scale.end_mm as f32,
            lighting: 12.0,
            cut: None,
            slice: Slice::ALL,
        };
        let picture = picture::draw(&self.scene, SIZE[0], SIZE[1], &frame, &draws)?;
        Ok(View { file, caption, png: picture.png()? })
    }

    /// Point size, pixels, just large enough to close the surface at this zoom.
    fn point_size(&self, camera: &ViewCamera) -> f32 {
        let Some((points, _)) = &self.points else { return 1.0 };
        points.closing_size(usize::MAX, f64::from(SIZE[1] * OVERSAMPLING) / camera.height_mm()).max(2.0)
    }
}
