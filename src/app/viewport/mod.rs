//! The 3D viewport: what lies on the graphics device, when it is redrawn, and how the pointer moves it.
//!
//! The scene is drawn off-screen, only when something changed; an idle frame shows the last picture again. While the
//! camera moves, points are drawn within a budget; at rest, all of them.

pub(super) mod brush;
mod central;
mod facet_shading;
mod legend;
pub(super) mod live;
mod overlay;
mod readout;
mod screen;
mod shading;
pub(super) mod sweeping;

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui_wgpu::RenderState;

use super::subject::Subject;
use super::{Action, Live, Shown, theme};
use compute::point_facet_matching::FacetDeviation;
use facet_shading::FacetsShaded;
use geometry::{Aabb, Point, Pose, Subset};
use inspect::deviation::DeviationMap;
use inspect::deviation::Measurement;
use inspect::parts::{Actual, Nominal};
use render::colour_scale::ColourScale;
use render::picking::{Pick, Picked};
use render::scene::{Look, Slice};
use render::selecting::on_device::Sweeper;
use render::{Draw, Frame, Gpu, MeshItem, PointsItem, Scatter, Scene, ViewCamera};
use screen::{Quality, Screen};
use session::Document;
use shading::{Shaded, groups_key};

/// Ids that picking returns.
const NOMINAL: u32 = 1;
const ACTUAL: u32 = 2;
/// Answers no question about what lies under the pointer.
const UNMEASURED: u32 = 3;
const UNMEASURED_COLOUR: [f32; 3] = [0.48, 0.36, 0.82];

/// The camera counts as moving for this long after its last move.
const MOVING: Duration = Duration::from_millis(160);

/// An item on the device, and the document's part that it shows.
struct Shows<T, I> {
    of: Arc<T>,
    item: I,
}

/// See the module.
pub struct Viewport {
    scene: Scene,
    scatter: Scatter,
    sweeper: Sweeper,
    camera: ViewCamera,
    screen: Screen,
    format: wgpu::TextureFormat,
    nominal: Option<Shows<Nominal, MeshItem>>,
    actual: Option<Shows<Actual, PointsItem>>,
    /// The measurement whose deviations are on the device, and the refined mesh of facet methods.
    measurement: Option<Shows<Measurement, Option<MeshItem>>>,
    /// Samples of the nominal's surface that it has no data of.
    unmeasured: Option<PointsItem>,
    /// Whether the parts were aligned when they were last shown.
    was_aligned: bool,
    live_serial: u64,
    /// What the points' shades were made from.
    shaded: Option<Shaded>,
    /// What the nominal's facets' shades were made from.
    facets_shaded: Option<FacetsShaded>,
    /// What a stroke on its way makes of the selection, as far as points are drawn while the view moves; and the
    /// address of the selection that it changes.
    foreseen: Option<(usize, Subset)>,
    /// Whether the graphics card looks for the points under a stroke: it comes before the rest of the picture.
    is_sweeping: bool,
    moved_at: Option<Instant>,
    spot: Option<Spot>,
    drawn: Option<Drawn>,
    pick: Option<Pick>,
    /// What lies under the pointer.
    hovered: Option<Picked>,
    hovered_at: Option<egui::Pos2>,
    bounds: Aabb,
    /// Where on the screen it was drawn, and pixels per point there.
    origin: egui::Pos2,
    scale: f32,
}

/// A spot of the part to look at, nominal frame.
#[derive(Clone, Debug)]
pub struct Spot {
    /// What it is called in the list that it was chosen from.
    pub name: String,
    /// Where it is, mm.
    pub at: Point,
    /// How far around it there is something to see, mm.
    pub radius_mm: f64,
}

/// What is on the screen.
struct Drawn {
    key: DrawnKey,
    quality: Quality,
    /// The slice of the whole picture that comes next.
    next_slice: usize,
}

/// Everything that decides the picture.
#[derive(Clone, PartialEq)]
struct DrawnKey {
    size: [u32; 2],
    shown: [bool; 4],
    dark: bool,
    live: u64,
    scale: ColourScale,
    parts: [usize; 3],
    shaded: [usize; 6],
    pose: Pose,
    camera: [[f32; 4]; 4],
}

impl Viewport {
    /// On the window's device.
    pub fn new(state: &RenderState) -> Self {
        let gpu = Gpu::of(&state.adapter, &state.device, &state.queue);
        let bounds = Aabb { min: Point::new(-50.0, -50.0, -50.0), max: Point::new(50.0, 50.0, 50.0) };
        Self::on(&gpu, state.target_format, bounds)
    }

    fn on(gpu: &Gpu, format: wgpu::TextureFormat, bounds: Aabb) -> Self {
        Self {
            scene: Scene::new(gpu),
            scatter: Scatter::new(gpu),
            sweeper: Sweeper::new(gpu),
            camera: ViewCamera::new(&bounds),
            screen: Screen::new(gpu, format),
            format,
            nominal: None,
            actual: None,
            measurement: None,
            unmeasured: None,
            was_aligned: false,
            live_serial: 0,
            shaded: None,
            facets_shaded: None,
            foreseen: None,
            is_sweeping: false,
            moved_at: None,
            spot: None,
            drawn: None,
            pick: None,
            hovered: None,
            hovered_at: None,
            bounds,
            origin: egui::Pos2::ZERO,
            scale: 1.0,
        }
    }

    /// Another view on the same device.
    pub fn another(&self) -> Self {
        let bounds = Aabb { min: Point::new(-50.0, -50.0, -50.0), max: Point::new(50.0, 50.0, 50.0) };
        Self::on(&self.gpu(), self.format, bounds)
    }

    fn gpu(&self) -> Gpu {
        self.scene.gpu().clone()
    }

    /// Camera actions.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Look(view) => self.camera.look_from(*view),
            Action::Fit => {
                self.camera.fit();
                self.spot = None;
            }
            Action::ToggleLens => self.camera.set_perspective(!self.camera.is_perspective()),
            _ => {}
        }
    }

    /// Shows a spot of the part from outside, with a ring about it.
    pub fn fly_to(&mut self, spot: Spot, nominal: Option<&Nominal>) {
        let at = spot.at;
        let outward = nominal.and_then(|nominal| {
            let hit = nominal.surface.closest_point(&at, f64::INFINITY)?;
            Some(nominal.surface.pseudo_normal(hit.facet, hit.feature))
        });
        let radius = (1.5 * spot.radius_mm).max(0.03 * self.bounds.diagonal());
        self.camera.fly_to(&at, radius, outward);
        self.spot = Some(spot);
    }

    /// Brings the device's items up to date with the document.
    fn sync(&mut self, subject: &Subject, live: &Live) {
        let document = &subject.document;
        let gpu = self.gpu();
        let mut refit = false;
        let (nominal, actual) = (document.shared_nominal(), document.shared_actual());
        if !same(self.nominal.as_ref().map(|shows| &shows.of), nominal.as_ref()) {
            // One that only lost some facets stays where it is seen.
            let file = |nominal: &Arc<Nominal>| nominal.source.hash.clone();
            refit = self.nominal.as_ref().map(|shows| file(&shows.of)) != nominal.as_ref().map(file);
            self.nominal =
                nominal.map(|nominal| Shows { item: MeshItem::new(&gpu, nominal.surface.mesh()), of: nominal });
            self.facets_shaded = None;
        }
        if !same(self.actual.as_ref().map(|shows| &shows.of), actual.as_ref()) {
            self.actual = actual.map(|actual| Shows { item: PointsItem::new(&gpu, &actual.cloud.points), of: actual });
            // Deviations and marks of the points before belong to nobody now.
            (self.measurement, self.shaded) = (None, None);
            refit |= document.alignment().is_none();
        }
        // Once the scan has moved onto the nominal, show both where they are now.
        refit |= document.alignment().is_some() && !self.was_aligned;
        self.was_aligned = document.alignment().is_some();
        let current = document.current_measurement();
        let was_live = self.live_serial != 0 && live.frame.is_none();
        if was_live || !same(self.measurement.as_ref().map(|shows| &shows.of), current) {
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
                actual.item.set_first_deviations(&gpu, deviations);
            }
        }
        if refit {
            if let Some(view) = subject.look {
                self.camera.look_from(view);
            }
            self.fit_bounds(document);
        }
    }

    /// What the view flew to last, as long as what was measured there is shown.
    pub fn spot(&self) -> Option<&Spot> {
        self.spot.as_ref()
    }

    /// Typical distance of neighbouring points, mm.
    fn spacing_mm(&self) -> f64 {
        self.actual.as_ref().map_or(0.0, |actual| actual.item.spacing_mm)
    }

    fn upload(&self, gpu: &Gpu, measurement: &Arc<Measurement>) -> Shows<Measurement, Option<MeshItem>> {
        let item = match measurement.map() {
            // Points take their shades with the selection.
            DeviationMap::Points(_) => None,
            DeviationMap::Facets { nominal, values, .. } => {
                let mesh = MeshItem::new(gpu, nominal);
                mesh.set_shades(gpu, |i| values.get(i).and_then(FacetDeviation::value).into());
                Some(mesh)
            }
        };
        Shows { of: Arc::clone(measurement), item }
    }

    fn fit_bounds(&mut self, document: &Document) {
        let pose = document.nominal_from_scan();
        let nominal = document.nominal().map(|nominal| *nominal.surface.bounds());
        let actual = document
            .actual()
            .map(|actual| Aabb::of_points(&actual.cloud.bounds().corners().map(|corner| pose * corner)));
        // Before the alignment the scan may lie anywhere: show both.
        let bounds = match (nominal, actual) {
            (Some(nominal), Some(_)) if document.alignment().is_some() => nominal,
            (Some(nominal), Some(actual)) => nominal.union(&actual),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        self.bounds = bounds;
        self.camera.set_bounds(&bounds);
        self.camera.fit();
    }

    /// Draws the scene where something changed.
    fn render(&mut self, context: &egui::Context, subject: &Subject, live: &Live, shown: Shown, size: [u32; 2]) {
        let document = &subject.document;
        // Where there is an alignment there is a legend, or will be.
        let legend = if document.alignment().is_some() { legend::WIDTH * context.pixels_per_point() } else { 0.0 };
        self.camera.cover_right(legend as u32);
        self.sync(subject, live);
        self.shade(subject, live, shown);
        self.shade_facets(subject);
        self.camera.set_size(size[0], size[1]);
        let moving = self.moved_at.is_some_and(|at| at.elapsed() < MOVING);
        if moving {
            context.request_repaint_after(MOVING);
        }
        let pose = live.frame.as_ref().map_or_else(|| document.nominal_from_scan(), |(pose, _)| *pose);
        let settings = &document.settings;
        let key = DrawnKey {
            size,
            shown: [shown.nominal, shown.actual, shown.deviations, shown.unmeasured],
            dark: context.theme() == egui::Theme::Dark,
            live: self.live_serial,
            scale: ColourScale::new(settings.deviation.tolerance, settings.scale_mm),
            parts: [
                address(self.nominal.as_ref().map(|shows| &shows.of)),
                address(self.actual.as_ref().map(|shows| &shows.of)),
                address(self.measurement.as_ref().map(|shows| &shows.of)),
            ],
            shaded: [
                self.shown_selection(document).address(),
                document.points.hidden.address(),
                document.facets.selected.address(),
                document.facets.hidden.address(),
                groups_key(document),
                address(subject.residuals.as_ref()),
            ],
            pose,
            camera: self.camera.clip_from_local(),
        };
        let live_points = live.frame.as_ref().map(|(_, deviations)| deviations.len());
        self.bring_up_to_date(context, key, shown, live_points, moving);
    }

    /// Draws what `key` asks for where it is not shown yet. Heavy scenes are shown reduced at once, and whole when
    /// several frames have each drawn a slice of them.
    fn bring_up_to_date(
        &mut self,
        context: &egui::Context,
        key: DrawnKey,
        shown: Shown,
        live_points: Option<usize>,
        moving: bool,
    ) {
        let is_live = live_points.is_some();
        let slices = self.slices();
        match &mut self.drawn {
            Some(drawn) if drawn.key == key => {
                // A pointer that is held down draws or drags: it comes before the rest of the picture.
                let is_held = context.input(|input| input.pointer.any_down());
                if drawn.quality == Quality::Whole || moving || is_live || is_held {
                    return;
                }
                if self.is_sweeping {
                    return context.request_repaint();
                }
                let slice = Slice { number: drawn.next_slice, of: slices };
                drawn.next_slice += 1;
                if slice.is_last() {
                    drawn.quality = Quality::Whole;
                } else {
                    context.request_repaint();
                }
                self.draw(&key, shown, live_points, Quality::Whole, slice);
                if slice.is_last() {
                    self.screen.show(&self.gpu(), Quality::Whole);
                    self.forget_pick();
                }
            }
            _ => {
                let quality = if moving || is_live || slices > 1 { Quality::Reduced } else { Quality::Whole };
                if quality == Quality::Reduced && !moving {
                    context.request_repaint();
                }
                self.draw(&key, shown, live_points, quality, Slice::ALL);
                self.screen.show(&self.gpu(), quality);
                self.forget_pick();
                self.drawn = Some(Drawn { key, quality, next_slice: 0 });
            }
        }
    }

    /// Whether the last picture was drawn at rest, and to its last slice.
    fn is_whole(&self) -> bool {
        self.drawn.as_ref().is_some_and(|drawn| drawn.quality == Quality::Whole)
    }

    /// What lay under the pointer was part of another picture.
    fn forget_pick(&mut self) {
        self.hovered = None;
        self.pick = None;
    }

    /// Frames that share the drawing of everything.
    fn slices(&self) -> usize {
        let facets = self.nominal.as_ref().map_or(0, |shows| shows.item.facets);
        let points = self.actual.as_ref().map_or(0, |shows| shows.item.points);
        (facets + points).div_ceil(self.scene.gpu().elements_per_frame()).max(1)
    }

    fn draw(&mut self, key: &DrawnKey, shown: Shown, live_points: Option<usize>, quality: Quality, slice: Slice) {
        let gpu = self.gpu();
        let moving = quality == Quality::Reduced;
        let target = self.screen.target(&gpu, key.size, quality);
        let look = |pose: Pose, colour, by_deviation, id| Look {
            scene_from_item: pose,
            colour,
            by_deviation,
            id,
            marked: None,
        };
        let mut draws = Vec::new();
        let facets = self.measurement.as_ref().and_then(|shows| shows.item.as_ref()).filter(|_| shown.deviations);
        if shown.nominal {
            if let Some(item) = facets {
                let look = look(Pose::identity(), [0.7; 3], true, NOMINAL);
                draws.push(Draw::Mesh { item, look, moving });
            } else if let Some(nominal) = &self.nominal {
                let grey = if key.dark { [0.56, 0.60, 0.66] } else { [0.72, 0.74, 0.77] };
                let marks = self.facets_shaded.as_ref().is_some_and(FacetsShaded::marks_any);
                let look = look(Pose::identity(), grey, marks, NOMINAL);
                draws.push(Draw::Mesh { item: &nominal.item, look, moving });
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
        let shaded = coloured || self.shaded.as_ref().is_some_and(Shaded::marks_any);
        if let Some(actual) = self.actual.as_ref().filter(|_| shown.actual && facets.is_none()) {
            let look = look(key.pose, [0.28, 0.58, 0.86], shaded, ACTUAL);
            draws.push(Draw::Points { item: &actual.item, look, budget });
        }
        if let Some(item) = self.unmeasured.as_ref().filter(|_| shown.unmeasured && live_points.is_none()) {
            let look = look(Pose::identity(), UNMEASURED_COLOUR, false, UNMEASURED);
            draws.push(Draw::Points { item, look, budget });
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

    /// Moves the camera with the pointer.
    fn navigate(&mut self, ui: &egui::Ui, response: &egui::Response, brush: Option<brush::Tool>) {
        let scale = ui.ctx().pixels_per_point();
        let before = self.camera.clip_from_local();
        let delta = response.drag_delta();
        let (shift, alt) = ui.input(|input| (input.modifiers.shift, input.modifiers.alt));
        let brushes = brush.is_some() && !alt;
        let pans = response.dragged_by(egui::PointerButton::Middle)
            || response.dragged_by(egui::PointerButton::Secondary)
            || (shift && !brushes && response.dragged_by(egui::PointerButton::Primary));
        if pans {
            self.camera.pan((delta.x * scale, delta.y * scale));
        } else if !brushes && response.dragged_by(egui::PointerButton::Primary) {
            self.camera.orbit((delta.x, delta.y));
        }
        if let Some(pointer) = response.hover_pos() {
            let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            // The wheel belongs to the circle; with Ctrl it zooms as ever.
            let wheel = if brush == Some(brush::Tool::Circle) { 0.0 } else { wheel };
            let factor = (wheel * 0.004).exp() * pinch;
            if (factor - 1.0).abs() > 1e-4 {
                let at = (pointer - response.rect.min) * scale;
                self.camera.zoom(factor, (at.x, at.y));
            }
        }
        if self.camera.clip_from_local() != before {
            self.moved_at = Some(Instant::now());
        }
    }

    /// Asks for, and takes in, what lies under the pointer.
    fn hover(&mut self, context: &egui::Context, response: &egui::Response) {
        let gpu = self.gpu();
        if let Some(answer) = self.pick.as_ref().and_then(|pick| pick.poll(&gpu)) {
            self.pick = None;
            if self.hovered != answer {
                self.hovered = answer;
                context.request_repaint();
            }
        }
        let pointer = response.hover_pos();
        if pointer.is_none() {
            self.hovered = None;
        }
        if pointer == self.hovered_at && self.hovered.is_some() {
            return;
        }
        if let (Some(pointer), Some(target), None) = (pointer, self.screen.pickable(), &self.pick)
            && !response.dragged()
        {
            let at = (pointer - response.rect.min) * context.pixels_per_point();
            self.pick = Some(Pick::start(&gpu, target, [at.x.max(0.0) as u32, at.y.max(0.0) as u32]));
            self.hovered_at = Some(pointer);
            context.request_repaint_after(Duration::from_millis(15));
        } else if self.pick.is_some() {
            context.request_repaint_after(Duration::from_millis(15));
        }
    }

    /// The number in the cloud of the point under the pointer.
    fn hovered_point(&self) -> Option<usize> {
        let picked = self.hovered.filter(|picked| picked.id == ACTUAL)?;
        Some(self.actual.as_ref()?.item.number(picked.element as usize))
    }

    /// The nominal's facet under the pointer.
    fn hovered_facet(&self) -> Option<usize> {
        self.hovered.filter(|picked| picked.id == NOMINAL).map(|picked| picked.element as usize)
    }
}

/// Whether both are one and the same copy.
pub(super) fn same<T>(shown: Option<&Arc<T>>, wanted: Option<&Arc<T>>) -> bool {
    match (shown, wanted) {
        (Some(shown), Some(wanted)) => Arc::ptr_eq(shown, wanted),
        (None, None) => true,
        _ => false,
    }
}

fn address<T>(part: Option<&Arc<T>>) -> usize {
    part.map_or(0, |part| Arc::as_ptr(part) as usize)
}
