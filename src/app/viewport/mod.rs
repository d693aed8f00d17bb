//! 3D viewport: the items on the GPU, when the view is redrawn, and mouse navigation.
//!
//! The scene is drawn off-screen, and only if something has changed; an idle frame shows the last picture again. While
//! the camera moves, a limited number of points is drawn; at rest, all of them.

pub(super) mod brush;
mod callouts;
mod central;
mod facet_shading;
mod feature_lines;
pub(super) mod gizmo;
mod legend;
pub(super) mod live;
mod nominal_deviations;
mod nominal_edges;
mod overlay;
mod picture;
mod pointer;
mod readout;
mod saved_views;
mod scan_surface;
mod screen;
mod section_lines;
pub(super) mod section_view;
mod shading;
mod spot;
pub(super) mod sweeping;
mod view_cube;
mod volumes;
mod welcome;

use std::sync::Arc;
use std::time::Instant;

use eframe::egui_wgpu::RenderState;

use super::subject::Subject;
use super::{Action, LiveFit};
use compute::Backend;
use facet_shading::FacetShading;
use feature_lines::FeatureLines;
use geometry::{Aabb, Point, Subset};
use inspect::detection::Found;
use inspect::deviation::Measurement;
use inspect::parts::{Actual, Nominal};
use nominal_deviations::NominalDeviations;
use nominal_edges::NominalEdges;
use picture::LastPicture;
pub use picture::{ACTUAL_COLOUR, SELECTED_COLOUR};
use render::picking::{Pick, PickedElement};
use render::selecting::on_device::PointSelector;
use render::{FacetsItem, Gpu, MarkWriter, PointsItem, Scene, ViewCamera};
use scan_surface::ScanSurface;
use screen::Screen;
use section_lines::SectionLines;
use session::Document;
use shading::PointShading;
pub use shading::part_group;
pub use spot::Spot;
use volumes::Volumes;

/// Object ids for picking.
const NOMINAL: u32 = 1;
const ACTUAL: u32 = 2;
/// Ignored by the readout.
const UNMEASURED: u32 = 3;
/// Points of the scan that are left out of its surface.
const LEFT_OUT: u32 = 4;

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
    scan_surface: ScanSurface,
    nominal_deviations: NominalDeviations,
    /// The measurement shown, with the refined mesh of facet methods.
    measurement: Option<DisplayItem<Measurement, Option<FacetsItem>>>,
    /// Samples of the unmeasured regions of the nominal.
    unmeasured: Option<PointsItem>,
    /// Outlines of features.
    feature_lines: FeatureLines,
    section_lines: SectionLines,
    nominal_edges: NominalEdges,
    /// Offset volumes.
    volumes: Volumes,
    /// Parts found in the scan, while they are shown.
    found: Option<Arc<Found>>,
    /// Whether the scan was on the nominal at the last update.
    was_aligned: bool,
    /// Serial number of the best-fit frame shown; 0 if none.
    live_serial: u64,
    /// Points of other things than the part in the scan, and the address of the measurement that they are of.
    other_things: (usize, Subset),
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
    /// Last size of the view, and widths covered by the legend at the left and at the right, pixels.
    fitted_size: ([u32; 2], [u32; 2]),
    moved_at: Option<Instant>,
    spot: Option<Spot>,
    last_picture: Option<LastPicture>,
    pick: Option<Pick>,
    /// Element under the pointer.
    hovered: Option<PickedElement>,
    /// Where this picture was asked for it.
    hovered_at: Option<egui::Pos2>,
    bounds: Aabb,
    /// Upper left corner on the screen, points.
    origin: egui::Pos2,
    /// Pixels per point.
    scale: f32,
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
            scan_surface: ScanSurface::default(),
            nominal_deviations: NominalDeviations::default(),
            measurement: None,
            unmeasured: None,
            feature_lines: FeatureLines::default(),
            section_lines: SectionLines::default(),
            nominal_edges: NominalEdges::default(),
            volumes: Volumes::default(),
            found: None,
            was_aligned: false,
            live_serial: 0,
            other_things: (0, Subset::default()),
            point_shading: None,
            facet_shading: None,
            previewed_selection: None,
            is_selecting: false,
            auto_fit: true,
            fitted_size: ([0; 2], [0; 2]),
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
            Action::LookFrom(direction) => self.camera.look_from_direction(*direction),
            Action::Fit => {
                self.camera.fit();
                self.auto_fit = true;
                self.spot = None;
            }
            Action::ToggleLens => self.camera.set_perspective(!self.camera.is_perspective()),
            _ => {}
        }
    }

    /// Updates the items on the GPU to the document.
    fn sync(&mut self, (context, backend): (&egui::Context, &Arc<dyn Backend>), subject: &Subject, live: &LiveFit) {
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
        self.nominal_edges.update((&gpu, context), self.nominal.as_ref().map(|item| &item.source));
        if !same(self.actual.as_ref().map(|item| &item.source), actual.as_ref()) {
            self.actual =
                actual.map(|actual| DisplayItem { item: PointsItem::new(&gpu, &actual.cloud.points), source: actual });
            // Deviations and marks belong to the previous scan.
            (self.measurement, self.point_shading) = (None, None);
            self.scan_surface = ScanSurface::default();
            refit |= document.alignment().is_none();
        }
        if let Some(actual) = self.actual.as_ref().filter(|_| !subject.draws_points) {
            self.scan_surface.update((&gpu, context), (&actual.source, &actual.item), backend);
        }
        // Show both once the scan is aligned; where it is moved by hand, the view stays.
        let is_aligned = is_on_nominal(document);
        refit |= is_aligned && !self.was_aligned;
        self.was_aligned = is_aligned;
        let current = document.current_measurement();
        let was_live = self.live_serial != 0 && live.frame.is_none();
        if was_live || !same(self.measurement.as_ref().map(|item| &item.source), current) {
            self.live_serial = 0;
            self.spot = None;
            // Points are coloured by `shade`.
            let upload = |own: &Arc<Measurement>| report::pictures::facets_of(&gpu, own.map());
            self.measurement = current.map(|own| DisplayItem { source: Arc::clone(own), item: upload(own) });
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

    /// Whether the surface of the scan, deviations on the nominal or its edges are being made.
    pub(super) fn is_meshing(&self) -> bool {
        self.scan_surface.is_meshing() || self.nominal_deviations.is_mapping() || self.nominal_edges.is_finding()
    }

    /// Typical point spacing of the scan, mm; 0 without scan.
    fn spacing_mm(&self) -> f64 {
        self.actual.as_ref().map_or(0.0, |actual| actual.item.spacing_mm)
    }

    fn fit_bounds(&mut self, document: &Document) {
        let pose = document.nominal_from_scan();
        let nominal = document.nominal().map(|nominal| *nominal.surface.bounds());
        let actual = document
            .actual()
            .map(|actual| Aabb::of_points(&actual.cloud.bounds().corners().map(|corner| pose * corner)));
        // Before the alignment the scan may be anywhere, so both are shown.
        let bounds = match (nominal, actual) {
            (Some(nominal), Some(_)) if is_on_nominal(document) => nominal,
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
}

/// Whether an alignment brought the scan onto the nominal; moved by hand, it may still lie anywhere.
fn is_on_nominal(document: &Document) -> bool {
    document.alignment().is_some_and(|own| !own.by_hand)
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
