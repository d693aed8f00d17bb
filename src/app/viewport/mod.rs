//! 3D viewport: the items on the GPU, when the view is redrawn, and mouse navigation.
//!
//! The scene is drawn off-screen, and only if something has changed; an idle frame shows the last picture again. While
//! the camera moves, a limited number of points is drawn; at rest, all of them.

pub(super) mod brush;
mod central;
mod facet_shading;
mod feature_lines;
mod legend;
pub(super) mod live;
mod overlay;
mod pointer;
mod readout;
mod screen;
mod shading;
pub(super) mod sweeping;
mod volumes;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui_wgpu::RenderState;

use super::subject::Subject;
use super::{Action, ElementVisibility, LiveFit, theme};
use compute::point_facet_matching::FacetDeviation;
use facet_shading::FacetShading;
use feature_lines::FeatureLines;
use geometry::{Aabb, Point, Pose, Subset};
use inspect::deviation::DeviationMap;
use inspect::deviation::Measurement;
use inspect::parts::{Actual, Nominal};
use render::colour_scale::ColourScale;
use render::picking::{Pick, PickedElement};
use render::scene::Slice;
use render::selecting::on_device::PointSelector;
use render::{Colouring, Draw, FacetsItem, Frame, Gpu, Look, MarkWriter, PointsItem, Scene, ViewCamera};
use screen::{Quality, Screen};
use session::Document;
use session::plan::ElementId;
use shading::{PointShading, groups_key};
use volumes::Volumes;

/// Object ids for picking.
const NOMINAL: u32 = 1;
const ACTUAL: u32 = 2;
/// Ignored by the readout.
const UNMEASURED: u32 = 3;
const UNMEASURED_COLOUR: [f32; 3] = [0.48, 0.36, 0.82];
const DILATED_COLOUR: [f32; 3] = [0.07, 0.60, 0.72];
const ERODED_COLOUR: [f32; 3] = [0.93, 0.58, 0.11];

/// Width of the outlines of features, screen points.
const FEATURE_LINE_WIDTH: f32 = 1.8;

/// Time after its last move for which the camera counts as moving.
const MOVING_DURATION: Duration = Duration::from_millis(160);

/// An item on the GPU, and the data that it shows.
struct DisplayItem<T, I> {
    source: Arc<T>,
    item: I,
}

/// A 3D view with its items on the GPU.
pub struct Viewport {
    scene: Scene,
    mark_writer: MarkWriter,
    selector: PointSelector,
    camera: ViewCamera,
    screen: Screen,
    format: wgpu::TextureFormat,
    nominal: Option<DisplayItem<Nominal, FacetsItem>>,
    actual: Option<DisplayItem<Actual, PointsItem>>,
    /// The measurement shown, with the refined mesh of facet methods.
    measurement: Option<DisplayItem<Measurement, Option<FacetsItem>>>,
    /// Samples of the unmeasured regions of the nominal.
    unmeasured: Option<PointsItem>,
    /// Outlines of features.
    feature_lines: FeatureLines,
    /// Offset volumes.
    volumes: Volumes,
    /// Whether there was an alignment at the last update.
    was_aligned: bool,
    /// Serial number of the best-fit frame shown; 0 if none.
    live_serial: u64,
    /// Inputs of the current point colours.
    point_shading: Option<PointShading>,
    /// Inputs of the current facet colours.
    facet_shading: Option<FacetShading>,
    /// Preview of the selection during a stroke, for the points drawn while the view moves; with the address of the
    /// selection that the stroke changes.
    previewed_selection: Option<(usize, Subset)>,
    /// Whether points are being selected on the GPU, which takes precedence over completing the view.
    is_selecting: bool,
    /// Whether the view is refitted when its size changes; until the operator moves it.
    auto_fit: bool,
    /// Last size of the view, and width covered by the legend, pixels.
    fitted_size: ([u32; 2], u32),
    moved_at: Option<Instant>,
    spot: Option<Spot>,
    last_picture: Option<LastPicture>,
    pick: Option<Pick>,
    /// Element under the pointer.
    hovered: Option<PickedElement>,
    hovered_at: Option<egui::Pos2>,
    bounds: Aabb,
    /// Upper left corner on the screen, points.
    origin: egui::Pos2,
    /// Pixels per point.
    scale: f32,
}

/// A spot on the part to be shown, nominal frame.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Name in the list that it was chosen from.
    pub name: String,
    /// Position, mm.
    pub at: Point,
    /// Radius of the area of interest, mm.
    pub radius_mm: f64,
}

/// The picture drawn last.
struct LastPicture {
    key: PictureKey,
    quality: Quality,
    /// Next slice of the complete picture.
    next_slice: usize,
}

/// All inputs of a picture.
#[derive(Clone, PartialEq)]
struct PictureKey {
    size: [u32; 2],
    shown: [bool; 4],
    nominal_opacity: f32,
    dark: bool,
    live: u64,
    scale: ColourScale,
    /// Addresses of nominal, scan and measurement.
    sources: [usize; 3],
    /// Addresses of the inputs of the colours.
    shading: [usize; 6],
    lines: u64,
    volumes: u64,
    volume_opacity: f32,
    pose: Pose,
    camera: [[f32; 4]; 4],
}

impl Viewport {
    /// A viewport on the window's GPU.
    pub fn new(state: &RenderState) -> Self {
        let gpu = Gpu::of(&state.adapter, &state.device, &state.queue);
        let bounds = Aabb { min: Point::new(-50.0, -50.0, -50.0), max: Point::new(50.0, 50.0, 50.0) };
        Self::on(&gpu, state.target_format, bounds)
    }

    fn on(gpu: &Gpu, format: wgpu::TextureFormat, bounds: Aabb) -> Self {
        Self {
            scene: Scene::new(gpu),
            mark_writer: MarkWriter::new(gpu),
            selector: PointSelector::new(gpu),
            camera: ViewCamera::new(&bounds),
            screen: Screen::new(gpu, format),
            format,
            nominal: None,
            actual: None,
            measurement: None,
            unmeasured: None,
            feature_lines: FeatureLines::default(),
            volumes: Volumes::default(),
            was_aligned: false,
            live_serial: 0,
            point_shading: None,
            facet_shading: None,
            previewed_selection: None,
            is_selecting: false,
            auto_fit: true,
            fitted_size: ([0; 2], 0),
            moved_at: None,
            spot: None,
            last_picture: None,
            pick: None,
            hovered: None,
            hovered_at: None,
            bounds,
            origin: egui::Pos2::ZERO,
            scale: 1.0,
        }
    }

    /// Another viewport on the same GPU.
    pub fn another(&self) -> Self {
        let bounds = Aabb { min: Point::new(-50.0, -50.0, -50.0), max: Point::new(50.0, 50.0, 50.0) };
        Self::on(&self.gpu(), self.format, bounds)
    }

    fn gpu(&self) -> Gpu {
        self.scene.gpu().clone()
    }

    /// Performs a camera action; ignores others.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Look(view) => self.camera.look_from(*view),
            Action::Fit => {
                self.camera.fit();
                self.auto_fit = true;
                self.spot = None;
            }
            Action::ToggleLens => self.camera.set_perspective(!self.camera.is_perspective()),
            _ => {}
        }
    }

    /// Moves the camera to a spot on the part, looking along the surface normal, and marks it.
    pub fn fly_to(&mut self, spot: Spot, nominal: Option<&Nominal>) {
        let at = spot.at;
        let outward = nominal.and_then(|nominal| {
            let hit = nominal.surface.closest_point(&at, f64::INFINITY)?;
            Some(nominal.surface.pseudo_normal(hit.facet, hit.feature))
        });
        let radius = (1.5 * spot.radius_mm).max(0.03 * self.bounds.diagonal());
        self.camera.fly_to(&at, radius, outward);
        self.auto_fit = false;
        self.spot = Some(spot);
    }

    /// Updates the items on the GPU to the document.
    fn sync(&mut self, subject: &Subject, live: &LiveFit) {
        let document = &subject.document;
        let gpu = self.gpu();
        let mut refit = false;
        let (nominal, actual) = (document.shared_nominal(), document.shared_actual());
        if !same(self.nominal.as_ref().map(|item| &item.source), nominal.as_ref()) {
            // The view is kept if only facets were deleted.
            let file = |nominal: &Arc<Nominal>| nominal.source.hash.clone();
            refit = self.nominal.as_ref().map(|item| file(&item.source)) != nominal.as_ref().map(file);
            self.nominal = nominal
                .map(|nominal| DisplayItem { item: FacetsItem::new(&gpu, nominal.surface.mesh()), source: nominal });
            self.facet_shading = None;
        }
        if !same(self.actual.as_ref().map(|item| &item.source), actual.as_ref()) {
            self.actual =
                actual.map(|actual| DisplayItem { item: PointsItem::new(&gpu, &actual.cloud.points), source: actual });
            // Deviations and marks belong to the previous scan.
            (self.measurement, self.point_shading) = (None, None);
            refit |= document.alignment().is_none();
        }
        // Show both once the scan is aligned.
        refit |= document.alignment().is_some() && !self.was_aligned;
        self.was_aligned = document.alignment().is_some();
        let current = document.current_measurement();
        let was_live = self.live_serial != 0 && live.frame.is_none();
        if was_live || !same(self.measurement.as_ref().map(|item| &item.source), current) {
            self.live_serial = 0;
            self.spot = None;
            self.measurement = current.map(|measurement| self.upload(&gpu, measurement));
            let samples = current.map(|own| &own.coverage.unmeasured_points).filter(|samples| !samples.is_empty());
            self.unmeasured = samples.map(|samples| PointsItem::new(&gpu, samples));
        }
        if let Some((_, deviations)) = &live.frame
            && live.serial != self.live_serial
        {
            self.live_serial = live.serial;
            if let Some(actual) = &self.actual {
                actual.item.set_first_values(&gpu, deviations);
            }
        }
        if refit {
            if let Some(view) = subject.look {
                self.camera.look_from(view);
            }
            self.fit_bounds(document);
        }
    }

    /// The spot shown last, while its measurement is shown.
    pub fn spot(&self) -> Option<&Spot> {
        self.spot.as_ref()
    }

    /// Typical point spacing of the scan, mm; 0 without scan.
    fn spacing_mm(&self) -> f64 {
        self.actual.as_ref().map_or(0.0, |actual| actual.item.spacing_mm)
    }

    fn upload(&self, gpu: &Gpu, measurement: &Arc<Measurement>) -> DisplayItem<Measurement, Option<FacetsItem>> {
        let item = match measurement.map() {
            // Points are coloured by `shade`.
            DeviationMap::Points(_) => None,
            DeviationMap::Facets { nominal, values, .. } => {
                let mesh = FacetsItem::new(gpu, nominal);
                mesh.set_values(gpu, |i| values.get(i).and_then(FacetDeviation::value));
                Some(mesh)
            }
        };
        DisplayItem { source: Arc::clone(measurement), item }
    }

    fn fit_bounds(&mut self, document: &Document) {
        let pose = document.nominal_from_scan();
        let nominal = document.nominal().map(|nominal| *nominal.surface.bounds());
        let actual = document
            .actual()
            .map(|actual| Aabb::of_points(&actual.cloud.bounds().corners().map(|corner| pose * corner)));
        // Before the alignment the scan may be anywhere, so both are shown.
        let bounds = match (nominal, actual) {
            (Some(nominal), Some(_)) if document.alignment().is_some() => nominal,
            (Some(nominal), Some(actual)) => nominal.union(&actual),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        let bounds = bounds.union(&self.volumes.bounds());
        self.bounds = bounds;
        self.camera.set_bounds(&bounds);
        self.camera.fit();
        self.auto_fit = true;
    }

    /// Draws the scene if something has changed.
    fn render(
        &mut self,
        context: &egui::Context,
        subject: &Subject,
        live: &LiveFit,
        (shown, hidden): (ElementVisibility, &BTreeSet<ElementId>),
        size: [u32; 2],
    ) {
        let document = &subject.document;
        // With an alignment there is a legend, or will be.
        let legend = if document.alignment().is_some() { legend::WIDTH * context.pixels_per_point() } else { 0.0 };
        self.camera.set_covered_right(legend as u32);
        self.sync(subject, live);
        self.shade(subject, live, shown);
        self.shade_facets(subject);
        self.feature_lines.update(self.scene.gpu(), document, hidden);
        let have_changed = match shown.volumes {
            true => self.volumes.update(self.scene.gpu(), document, hidden),
            false => self.volumes.clear(),
        };
        if have_changed && self.auto_fit {
            self.fit_bounds(document);
        }
        let covered = legend as u32;
        if (size, covered) != self.fitted_size {
            self.fitted_size = (size, covered);
            self.camera.set_size(size[0], size[1]);
            if self.auto_fit {
                self.camera.fit();
            }
        }
        let moving = self.moved_at.is_some_and(|at| at.elapsed() < MOVING_DURATION);
        if moving {
            context.request_repaint_after(MOVING_DURATION);
        }
        let pose = live.frame.as_ref().map_or_else(|| document.nominal_from_scan(), |(pose, _)| *pose);
        let settings = &document.settings;
        let key = PictureKey {
            size,
            shown: [shown.nominal, shown.actual, shown.deviations, shown.unmeasured],
            nominal_opacity: shown.nominal_opacity,
            dark: context.theme() == egui::Theme::Dark,
            live: self.live_serial,
            scale: ColourScale::new(settings.deviation.tolerance, settings.scale_mm),
            sources: [
                address(self.nominal.as_ref().map(|item| &item.source)),
                address(self.actual.as_ref().map(|item| &item.source)),
                address(self.measurement.as_ref().map(|item| &item.source)),
            ],
            shading: [
                self.shown_selection(document).address(),
                document.points.hidden.address(),
                document.facets.selected.address(),
                document.facets.hidden.address(),
                groups_key(document),
                address(subject.residuals.as_ref()),
            ],
            lines: self.feature_lines.revision(),
            volumes: self.volumes.revision(),
            volume_opacity: shown.volume_opacity,
            pose,
            camera: self.camera.clip_from_local(),
        };
        let live_points = live.frame.as_ref().map(|(_, deviations)| deviations.len());
        self.refresh(context, key, shown, live_points, moving);
    }

    /// Draws the picture of `key` unless it is shown already. Large scenes are shown reduced at first, and completely
    /// after several frames that each draw a slice.
    fn refresh(
        &mut self,
        context: &egui::Context,
        key: PictureKey,
        shown: ElementVisibility,
        live_points: Option<usize>,
        moving: bool,
    ) {
        let is_live = live_points.is_some();
        let slices = self.slices();
        match &mut self.last_picture {
            Some(last) if last.key == key => {
                // During a drag, the response to the mouse takes precedence over completing the picture.
                let is_dragging = context.input(|input| input.pointer.any_down());
                if last.quality == Quality::Full || moving || is_live || is_dragging {
                    return;
                }
                if self.is_selecting {
                    return context.request_repaint();
                }
                let slice = Slice { number: last.next_slice, of: slices };
                last.next_slice += 1;
                if slice.is_last() {
                    last.quality = Quality::Full;
                } else {
                    context.request_repaint();
                }
                self.draw(&key, shown, live_points, Quality::Full, slice);
                if slice.is_last() {
                    self.screen.show(&self.gpu(), Quality::Full);
                    self.clear_pick();
                }
            }
            _ => {
                let quality = if moving || is_live || slices > 1 { Quality::Reduced } else { Quality::Full };
                if quality == Quality::Reduced && !moving {
                    context.request_repaint();
                }
                self.draw(&key, shown, live_points, quality, Slice::ALL);
                self.screen.show(&self.gpu(), quality);
                self.clear_pick();
                self.last_picture = Some(LastPicture { key, quality, next_slice: 0 });
            }
        }
    }

    /// Whether the last picture is complete.
    fn is_complete(&self) -> bool {
        self.last_picture.as_ref().is_some_and(|last| last.quality == Quality::Full)
    }

    /// Resets the element under the pointer, which belongs to the previous picture.
    fn clear_pick(&mut self) {
        self.hovered = None;
        self.pick = None;
    }

    /// Number of frames over which a complete picture is drawn.
    fn slices(&self) -> usize {
        let facets = self.nominal.as_ref().map_or(0, |nominal| nominal.item.count);
        let points = self.actual.as_ref().map_or(0, |actual| actual.item.count);
        (facets + points).div_ceil(self.scene.gpu().elements_per_frame()).max(1)
    }

    fn draw(
        &mut self,
        key: &PictureKey,
        shown: ElementVisibility,
        live_points: Option<usize>,
        quality: Quality,
        slice: Slice,
    ) {
        let gpu = self.gpu();
        let moving = quality == Quality::Reduced;
        let target = self.screen.target(&gpu, key.size, quality);
        let look =
            |pose: Pose, colour, colouring, id| Look { scene_from_item: pose, colour, opacity: 1.0, colouring, id };
        let mut draws = Vec::new();
        let facets =
            self.measurement.as_ref().and_then(|measurement| measurement.item.as_ref()).filter(|_| shown.deviations);
        if shown.nominal {
            if let Some(item) = facets {
                let look = look(Pose::identity(), [0.7; 3], Colouring::Deviation, NOMINAL);
                draws.push(Draw::Facets { item, look, moving });
            } else if let Some(nominal) = &self.nominal {
                let grey = if key.dark { [0.56, 0.60, 0.66] } else { [0.72, 0.74, 0.77] };
                let marks = self.facet_shading.as_ref().is_some_and(FacetShading::marks_any);
                // Marks belong to the facets of the full mesh, not to a simplified one.
                // An offset inside the part is seen through it.
                let opacity = key.nominal_opacity * if self.volumes.are_inside() { 0.3 } else { 1.0 };
                let look = Look { opacity, ..look(Pose::identity(), grey, Colouring::Plain, NOMINAL) };
                draws.push(Draw::Facets { item: &nominal.item, look, moving: moving && !marks });
            }
        }
        let budget = if let Some(points) = live_points {
            points
        } else if moving {
            gpu.moving_points()
        } else {
            usize::MAX
        };
        let coloured = shown.deviations && (live_points.is_some() || (self.measurement.is_some() && facets.is_none()));
        let colouring = match &self.point_shading {
            _ if live_points.is_some() => {
                if shown.deviations {
                    Colouring::Deviation
                } else {
                    Colouring::Plain
                }
            }
            Some(shading) => shading.colouring(),
            None => Colouring::Plain,
        };
        if let Some(actual) = self.actual.as_ref().filter(|_| shown.actual && facets.is_none()) {
            let look = look(key.pose, [0.28, 0.58, 0.86], colouring, ACTUAL);
            draws.push(Draw::Points { item: &actual.item, look, budget });
        }
        if let Some(item) = self.unmeasured.as_ref().filter(|_| shown.unmeasured && live_points.is_none()) {
            let look = look(Pose::identity(), UNMEASURED_COLOUR, Colouring::Plain, UNMEASURED);
            draws.push(Draw::Points { item, look, budget });
        }
        for (volume, item) in self.volumes.items() {
            let colour = if volume.parameters.distance_mm < 0.0 { ERODED_COLOUR } else { DILATED_COLOUR };
            let opacity = key.volume_opacity;
            let look = Look { opacity, ..look(Pose::identity(), colour, Colouring::Plain, 0) };
            draws.push(Draw::Facets { item, look, moving });
        }
        // Outlines do not follow a running best fit.
        if live_points.is_none() {
            let [r, g, b, _] = theme::FEATURE.to_array().map(|channel| f32::from(channel) / 255.0);
            let look = look(key.pose, [r, g, b], Colouring::Plain, 0);
            let width = FEATURE_LINE_WIDTH * target.size[1] as f32 / key.size[1] as f32 * self.scale;
            draws.extend(self.feature_lines.items().map(|item| Draw::Lines { item, look, width }));
        }
        let pixels_per_mm = f64::from(target.size[1]) / self.camera.height_mm();
        let closing = self.actual.as_ref().map_or(1.0, |actual| actual.item.closing_size(budget, pixels_per_mm));
        self.scene.draw(
            target,
            &Frame {
                camera: &self.camera,
                scale: key.scale,
                background: theme::backdrop(key.dark),
                point_size: closing.clamp(1.0, 60.0),
                points_in_front_mm: if coloured { 1.5 * key.scale.end_mm as f32 } else { 0.0 },
                lighting: 14.0,
                slice,
            },
            &draws,
        );
    }
}

/// Whether both point to the same allocation, or both are `None`.
pub(super) fn same<T>(shown: Option<&Arc<T>>, wanted: Option<&Arc<T>>) -> bool {
    match (shown, wanted) {
        (Some(shown), Some(wanted)) => Arc::ptr_eq(shown, wanted),
        (None, None) => true,
        _ => false,
    }
}

/// Address of a shared object; 0 for `None`.
fn address<T>(part: Option<&Arc<T>>) -> usize {
    part.map_or(0, |part| Arc::as_ptr(part) as usize)
}
