//! Pictures of the inspection report, rendered off screen by the renderer of the viewport.

use super::Input;
use super::flags::{self, Flag, FlagKind, FlagPicture};
use base::{Progress, Result};
use compute::Backend;
use compute::point_deviation::PointDeviation;
use compute::point_facet_matching::FacetDeviation;
use geometry::{Point, Pose, Surface};
use inspect::deviation::regions::Region;
use inspect::deviation::{DeviationMap, on_nominal};
use render::camera::StandardView;
use render::colour_scale::ColourScale;
use render::picture::{self, OVERSAMPLING};
use render::scene::Slice;
use render::sight;
use render::{
    Colouring, Cut, Draw, FacetsItem, Frame, Gpu, LineStyle, LinesItem, Look, Mark, PointsItem, Scene, SurfaceItem,
    ViewCamera,
};
use session::presentation::{ReportSection, Shows};

/// A rendered view.
#[derive(Clone, Debug)]
pub struct View {
    /// Path relative to the folder of the report, `views/….png`.
    pub file: String,
    /// Caption.
    pub caption: String,
    /// PNG file.
    pub png: Vec<u8>,
    /// What it shows.
    pub kind: ViewKind,
    /// Where it shows peaks of regions out of tolerance.
    pub marks: Vec<RegionMark>,
    /// Its flags, which take the place of the marks; `None` if it is shown without.
    pub flags: Option<FlagPicture>,
}

/// What a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// The whole part from one of its sides.
    Standard,
    /// What the operator chose.
    Saved,
    /// A region out of tolerance.
    Region,
}

/// The number of a region out of tolerance in a picture.
#[derive(Clone, Copy, Debug)]
pub struct RegionMark {
    /// Number of the region, from 1.
    pub number: usize,
    /// Position of its peak from the upper left corner, as shares of width and height.
    pub at: [f32; 2],
}

/// The pictures, or the reason why there are none.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    /// Standard views, the first one larger than the others; then the saved ones and the worst regions out of tolerance.
    pub views: Vec<View>,
    /// Message shown if there are no pictures.
    pub missing: Option<String>,
}

/// Width and height of the first picture and of the others, pixels.
const LARGE: [u32; 2] = [1000, 720];
const SMALL: [u32; 2] = [640, 460];
/// Width of the first picture, and of saved views and regions, in points of the flags on it: what is printed smaller has
/// larger flags.
const LARGE_POINTS: f32 = 680.0;
const SMALL_POINTS: f32 = 520.0;
/// Number of regions out of tolerance that have a number in the standard views, and a picture of their own.
const MAX_MARKS: usize = 20;
const MAX_REGION_VIEWS: usize = 4;
/// Views of the whole part, in their order.
const STANDARD: [StandardView; 7] = [
    StandardView::Isometric,
    StandardView::Top,
    StandardView::Bottom,
    StandardView::Front,
    StandardView::Right,
    StandardView::Back,
    StandardView::Left,
];
/// Background gradient, RGB from 0 to 1.
const BACKGROUND: [[f32; 3]; 2] = [[0.985, 0.988, 0.992], [0.90, 0.915, 0.93]];
/// Colour of the nominal, RGB from 0 to 1.
const NOMINAL: [f32; 3] = [0.72, 0.74, 0.77];
/// Colour of the scan where it has no colours of deviations.
const SCAN: [f32; 3] = [0.28, 0.58, 0.86];
/// Colour of its edges, and their width, pixels.
const EDGES: [f32; 3] = [0.07, 0.08, 0.10];
const EDGE_WIDTH: f32 = 1.4;

/// Renders the standard views and the worst regions out of tolerance; without a graphics adapter the result states the
/// reason. `backend` makes the surface of the scan if there is none yet. `has_flags`: whether the standard views and those
/// of regions have flags if the plan leaves that open.
///
/// Returns an error if rendering fails or the work is cancelled.
pub fn draw(
    input: &Input<'_>,
    scale: &ColourScale,
    has_flags: bool,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Pictures> {
    match Gpu::off_screen() {
        Ok(gpu) => draw_on(&gpu, input, (scale, has_flags), backend, progress),
        Err(error) => Ok(Pictures { views: Vec::new(), missing: Some(error.sentence) }),
    }
}

fn draw_on(
    gpu: &Gpu,
    input: &Input<'_>,
    (scale, has_flags): (&ColourScale, bool),
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Pictures> {
    let renderer = ViewRenderer::new(gpu, input, scale, backend, &progress.part(0.0, 0.5))?;
    let progress = progress.part(0.5, 1.0);
    let surface = &input.nominal.surface;
    let regions = &input.check.regions;
    let mut views = Vec::new();
    let presentation = &input.document.plan.presentation;
    let contents = &presentation.report;
    let has = |section: ReportSection| contents.has(section);
    let standard = STANDARD.into_iter().filter(|view| has(ReportSection::Views) && contents.has_view(*view));
    let saved = presentation.views.all().iter().filter(|view| has(ReportSection::Views) && view.in_report);
    let count = standard.clone().count() + saved.clone().count() + regions.len().min(MAX_REGION_VIEWS);
    let usual = Shows { on_nominal: contents.on_nominal(), flags: has_flags, ..Shows::default() };
    let all_flags = flags::of_report(input);
    let flags_of = |camera: &ViewCamera, shows: &Shows, width: f32| {
        // Without colours the window has no flags of regions.
        let is_shown = |flag: &&Flag| shows.deviations || flag.kind != FlagKind::Region;
        let has_flags = contents.flags().unwrap_or(shows.flags);
        has_flags.then(|| FlagPicture::of(all_flags.iter().filter(is_shown).cloned().collect(), camera, surface, width))
    };
    let camera_of = |[width, height]: [u32; 2]| {
        let mut camera = ViewCamera::new(surface.bounds());
        camera.set_size(width * OVERSAMPLING, height * OVERSAMPLING);
        camera
    };
    for view in standard {
        progress.report(views.len() as f32 / count as f32, "Drawing the pictures")?;
        // Small as they are printed, the others have numbers alone: flags would hide the part, and not be read.
        let is_large = views.is_empty();
        let size = if is_large { LARGE } else { SMALL };
        let mut camera = camera_of(size);
        camera.look_from(view);
        views.push(View {
            file: format!("views/{}.png", view.name().to_lowercase()),
            caption: texts::word(view.name()).into_owned(),
            png: renderer.render(&camera, size, &usual, None)?,
            kind: ViewKind::Standard,
            marks: marks(regions, surface, &camera),
            flags: is_large.then(|| flags_of(&camera, &usual, LARGE_POINTS)).flatten(),
        });
    }
    for (number, view) in (1..).zip(saved) {
        progress.report(views.len() as f32 / count as f32, "Drawing the pictures")?;
        let mut camera = camera_of(SMALL);
        camera.look_as(&view.viewpoint);
        let clip = view.clip.as_ref().map(super::cut);
        // What hides a peak may be cut away or transparent: such views have no numbers.
        let Shows { on_nominal, flags, .. } = view.shows;
        let is_whole = clip.is_none() && view.shows == Shows { on_nominal, flags, ..Shows::default() };
        views.push(View {
            file: format!("views/saved-{number}.png"),
            caption: view.name.clone(),
            png: renderer.render(&camera, SMALL, &view.shows, clip)?,
            kind: ViewKind::Saved,
            marks: if is_whole { marks(regions, surface, &camera) } else { Vec::new() },
            flags: flags_of(&camera, &view.shows, SMALL_POINTS),
        });
    }
    for (number, region) in (1..).zip(regions).take(MAX_REGION_VIEWS).filter(|_| has(ReportSection::Regions)) {
        progress.report(views.len() as f32 / count as f32, "Drawing the pictures")?;
        let peak = region.peak_at_mm.into();
        let unit = input.document.settings.shown_unit;
        let digits = unit.decimals(base::decimals(3));
        let hit = surface.closest_point(&peak, f64::INFINITY);
        let outward = hit.map(|hit| surface.pseudo_normal(hit.facet, hit.feature));
        let mut camera = camera_of(SMALL);
        camera.fly_to(&peak, (1.5 * region.radius_mm).max(0.03 * surface.bounds().diagonal()), outward);
        views.push(View {
            file: format!("views/region-{number}.png"),
            caption: texts::text!(
                "printed-region",
                number = number,
                peak = format!("{:+.*} {}", digits, unit.from_mm(region.peak_mm), unit.symbol()),
                area = format!("{:.1}", region.area_mm2)
            ),
            png: renderer.render(&camera, SMALL, &usual, None)?,
            kind: ViewKind::Region,
            marks: Vec::new(),
            flags: flags_of(&camera, &usual, SMALL_POINTS),
        });
    }
    Ok(Pictures { views, missing: None })
}

/// Where a view shows the peaks of regions.
fn marks(regions: &[Region], surface: &Surface, camera: &ViewCamera) -> Vec<RegionMark> {
    let [width, height] = camera.size().map(|side| side as f32);
    let mark = |(number, region): (usize, &Region)| {
        let at = Point::from(region.peak_at_mm);
        let ((x, y), is_hidden) = sight::of(camera, Some(surface), (&at, region.peak_mm))?;
        (!is_hidden).then_some(RegionMark { number, at: [x / width, y / height] })
    };
    (1..).zip(regions).take(MAX_MARKS).filter_map(mark).collect()
}

/// The facets of a map with their deviations on the graphics device; `None` if it is of points.
pub fn facets_of(gpu: &Gpu, map: &DeviationMap) -> Option<FacetsItem> {
    let DeviationMap::Facets { nominal, values, .. } = map else { return None };
    Some(FacetsItem::with_values(gpu, nominal, |index| values.get(index).and_then(FacetDeviation::value)))
}

/// Deviations of points on the facets of the nominal, if a picture shows them there.
fn deviations_on_nominal(
    gpu: &Gpu,
    input: &Input<'_>,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Option<FacetsItem>> {
    let presentation = &input.document.plan.presentation;
    let mut saved = presentation.views.all().iter().filter(|view| view.in_report);
    let is_wanted =
        presentation.report.on_nominal() || saved.any(|view| view.shows.on_nominal && view.shows.deviations);
    let measurement = &input.check.measurement;
    if !is_wanted || !matches!(measurement.map(), DeviationMap::Points(_)) {
        return Ok(None);
    }
    let parts = (input.nominal, input.actual);
    let map = on_nominal(backend, parts, measurement, gpu.elements_per_frame(), progress)?;
    Ok(facets_of(gpu, &map))
}

/// Nominal and scan on the graphics device.
struct ViewRenderer<'a> {
    scene: Scene,
    scale: &'a ColourScale,
    nominal: FacetsItem,
    edges: LinesItem,
    /// Facets of the nominal with the deviations of points.
    on_nominal: Option<FacetsItem>,
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
        let on_nominal = deviations_on_nominal(gpu, input, backend, &progress.part(0.0, 0.5))?;
        let progress = &progress.part(0.5, 1.0);
        let (nominal, points) = match input.check.measurement.map() {
            DeviationMap::Points(deviations) => {
                let points = PointsItem::new(gpu, &input.actual.cloud.points);
                points.set_values(gpu, |i| deviations.get(i).and_then(PointDeviation::value));
                if input.is_among_others() {
                    let others: Vec<u32> = input.check.measurement.other_things(input.nominal).collect();
                    let is_other = |i: usize| others.binary_search(&(i as u32)).is_ok();
                    points.set_marks(gpu, |i| if is_other(i) { Mark::Hidden } else { Mark::default() });
                }
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
        let edges = LinesItem::new(gpu, &input.nominal.edges(gpu.line_segments()));
        Ok(Self { scene: Scene::new(gpu), scale, nominal, edges, on_nominal, points, nominal_from_scan })
    }

    /// The picture as a PNG file, cut off by a plane if there is one.
    fn render(
        &self,
        camera: &ViewCamera,
        [width, height]: [u32; 2],
        shows: &Shows,
        cut: Option<Cut>,
    ) -> Result<Vec<u8>> {
        let look = |scene_from_item, by_deviation: bool| Look {
            scene_from_item,
            colour: NOMINAL,
            opacity: 1.0,
            colouring: if by_deviation && shows.deviations { Colouring::Scale } else { Colouring::Plain },
            id: 1,
        };
        let mut draws = Vec::new();
        // In place of the scan, which would hide it, and opaque, as in the window.
        let on_nominal = self.on_nominal.as_ref().filter(|_| shows.deviations && shows.on_nominal);
        if let Some(item) = on_nominal.filter(|_| shows.nominal) {
            draws.push(Draw::Facets { item, look: look(Pose::identity(), true), moving: false });
        } else if shows.nominal {
            let look = Look {
                opacity: shows.nominal_opacity.clamp(0.0, 1.0),
                ..look(Pose::identity(), self.points.is_none())
            };
            draws.push(Draw::Facets { item: &self.nominal, look, moving: false });
        }
        if let Some((points, surface)) = self.points.as_ref().filter(|_| shows.scan && on_nominal.is_none()) {
            let mut look = look(self.nominal_from_scan, true);
            if !shows.deviations {
                look.colour = SCAN;
            }
            draws.push(match surface {
                Some(item) => Draw::Surface { item, points, look, moving: false },
                None => Draw::Points { item: points, look, budget: usize::MAX },
            });
        }
        if shows.edges {
            draws.push(Draw::Lines {
                item: &self.edges,
                look: Look { colour: EDGES, opacity: 0.8, ..look(Pose::identity(), false) },
                style: LineStyle { width: EDGE_WIDTH * OVERSAMPLING as f32, hidden_opacity: 0.0 },
            });
        }
        let frame = Frame {
            camera,
            scale: self.scale.clone().into(),
            background: BACKGROUND,
            point_size: self.point_size(camera),
            points_in_front_mm: 1.5 * self.scale.end_mm as f32,
            lighting: 12.0,
            cut,
            slice: Slice::ALL,
        };
        picture::draw(&self.scene, width, height, &frame, &draws)?.png()
    }

    /// Point size, pixels, just large enough to close the surface at this zoom.
    fn point_size(&self, camera: &ViewCamera) -> f32 {
        let Some((points, _)) = &self.points else { return 1.0 };
        points.closing_size(usize::MAX, f64::from(camera.size()[1]) / camera.height_mm()).max(2.0)
    }
}
