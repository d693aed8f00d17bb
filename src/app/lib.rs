//! Floor 6: the egui window. Panels send commands, the dispatcher executes them, and the viewport shows the document.

mod choosing;
mod edits;
mod files;
mod help;
mod icons;
mod interface;
mod leaving;
mod lengths;
mod menu;
mod number_field;
mod open_dialog;
mod opening;
mod palette;
mod panels;
mod preview;
mod regions;
mod remembered;
mod saved_scales;
mod subject;
mod theme;
mod viewport;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dispatch::{Command, Context, Dispatcher, Message, Watch};
use geometry::Pose;
use inspect::section::PlanePoint;
use inspect::section::dimension::DimensionKind;
use regions::Regions;
use session::Settings;
use session::plan::ElementId;
use session::project::Project;
use texts::{Language, text};
use viewport::Viewport;

pub use choosing::missing_chooser;
pub use menu::Action;

/// A workspace, opened by a tab of the top bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workspace {
    /// Determines the mounting of the sensor on the CMM.
    Calibrate,
    /// Aligns the scan with the nominal.
    #[default]
    Align,
    /// Computes and evaluates the deviations.
    Compare,
    /// Selects points, fits features to them and evaluates tolerances.
    Features,
    /// Computes offset volumes of the nominal.
    Offset,
    /// Finds the nominal in a scan of many things.
    Detect,
    /// Writes the report.
    Report,
}

impl Workspace {
    const ALL: [Self; 7] =
        [Self::Calibrate, Self::Align, Self::Compare, Self::Features, Self::Offset, Self::Detect, Self::Report];

    /// Menu entry that opens it.
    fn title(self) -> String {
        text!("window-workspace", name = self.name())
    }

    fn name(self) -> String {
        match self {
            Self::Calibrate => text!("window-workspace-calibrate"),
            Self::Align => text!("window-workspace-align"),
            Self::Compare => text!("window-workspace-compare"),
            Self::Features => text!("window-workspace-features"),
            Self::Offset => text!("window-workspace-offset"),
            Self::Detect => text!("window-workspace-detect"),
            Self::Report => text!("window-workspace-report"),
        }
    }

    fn icon(self) -> &'static str {
        match self {
            Self::Calibrate => icons::CALIBRATE,
            Self::Align => icons::ALIGN,
            Self::Compare => icons::COMPARE,
            Self::Features => icons::FEATURES,
            Self::Offset => icons::OFFSET,
            Self::Detect => icons::DETECT,
            Self::Report => icons::REPORT,
        }
    }
}

/// Parameters of the window.
pub struct Options {
    /// Compute device and CAD reader.
    pub context: Context,
    /// Files to open at start.
    pub files: Vec<PathBuf>,
    /// Folder of the recent files, window state and autosave; `None` keeps none of them.
    pub state_folder: Option<PathBuf>,
    /// Why the file chooser of the desktop is unavailable; `None` if it is available.
    pub no_chooser: Option<&'static str>,
}

/// Intermediate result of the running best fit, for display.
#[derive(Clone, Default)]
pub(crate) struct LiveFit {
    /// Pose, nominal from scan, and deviations of the first points in drawing order, mm; NaN if there is no data.
    frame: Option<(Pose, Arc<Vec<f32>>)>,
    /// RMS, mm.
    rms_mm: f64,
    /// Serial number of `frame`, from 1.
    serial: u64,
}

/// State of the window.
pub struct App {
    dispatcher: Dispatcher,
    viewport: Option<Viewport>,
    /// Viewport of the Calibrate workspace, created when it is first opened.
    artefact_viewport: Option<Viewport>,
    section_view: viewport::section_view::SectionView,
    /// Why there is no viewport.
    viewport_error: Option<String>,
    workspace: Workspace,
    files: files::Files,
    window_state: remembered::WindowState,
    saved_scales: saved_scales::SavedScales,
    /// The language while none is chosen.
    language: Language,
    regions: Regions,
    chooser: choosing::SystemDialog,
    no_chooser: Option<&'static str>,
    open_dialog: open_dialog::OpenDialog,
    leaving: leaving::LeavePrompt,
    /// Current window title.
    title: String,
    context: egui::Context,
    palette: palette::Palette,
    /// Page of the help that is open.
    help: Option<help::Page>,
    live: Arc<Mutex<LiveFit>>,
    wake: Arc<dyn Fn() + Send + Sync>,
    /// Settings being edited in the panels; sent when an edit ends.
    draft: Settings,
    /// The settings of the document that it was last taken from: what is being edited is lost to no job that ends.
    draft_of: Settings,
    /// Dismissible message over the viewport.
    notice: Option<Message>,
    /// Number of messages already processed.
    messages_seen: usize,
    panels: panels::Panels,
    display: Display,
    /// Autosave of a session that crashed.
    restore: Option<PathBuf>,
    /// Autosave that is being restored.
    restoring: Option<PathBuf>,
    saved_at: Instant,
    needs_save: bool,
    /// Whether a command changed the document since the last frame.
    changed: bool,
    /// Compute devices with their names, and why there is no GPU.
    devices: panels::Devices,
    /// Whether there is a nominal, or one is being loaded.
    has_nominal: bool,
    /// Strokes to be sent with the next frame.
    queued_strokes: std::collections::VecDeque<Command>,
    /// Strokes whose points are being selected on the GPU.
    pending_strokes: std::collections::VecDeque<viewport::sweeping::PendingStroke>,
    subject_cache: subject::SubjectCache,
    /// The inspection that the window shows.
    shown_inspection: u64,
    /// The pages of the report, while they are looked at.
    preview: Option<preview::OpenPreview>,
    /// Where the pages come from.
    preview_slot: dispatch::Preview,
    /// What the pages follow that are laid out.
    preview_follows: preview::Follows,
    /// Actions to be performed at the end of the frame.
    actions: Vec<Action>,
    /// Those that wait until the field is drawn once more that was being edited.
    waiting: Vec<Action>,
}

/// Display options of the viewport, and its mouse tools.
#[derive(Default)]
pub(crate) struct Display {
    shown: ElementVisibility,
    /// Hidden features.
    hidden: std::collections::BTreeSet<ElementId>,
    /// Element that was chosen in the tree, in the results or in the view, until its panel has turned to it.
    chosen: Option<ElementId>,
    /// Selection brush.
    brush: viewport::brush::Brush,
    /// Picking of the next point pair.
    picking: Option<panels::align::Picking>,
    main_alignment: panels::align::MainAlignmentDraft,
    /// Moves the scan by hand.
    by_hand: viewport::gizmo::HandTool,
    /// What the Compare workspace is turned to.
    compare: panels::CompareView,
    section: SectionDisplay,
    /// Clips the view as the saved view does that was chosen last.
    clip: Option<session::presentation::Clip>,
    /// The surface points shown.
    surface_points: Option<ElementId>,
    /// Whether regions out of tolerance have no flags in the view.
    hides_callouts: bool,
    overall: panels::OverallVerdict,
}

/// Which section is shown, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct SectionDisplay {
    selected: Option<ElementId>,
    /// The points that place it, while it is edited; `None` if it is placed by others than points.
    points: Option<panels::SectionPoints>,
    /// Plane whose drawing is shown, from 0.
    plane: usize,
    /// Factor by which its deviations are enlarged; `None` for one that shows them well.
    factor: Option<f64>,
    /// Whether the 3D view is clipped at the plane.
    clips: bool,
    /// Whether the side that the normal of the plane points to is kept, rather than the other.
    is_flipped: bool,
    /// The dimension that is being made by clicks in the drawing, and the first one.
    measuring: Option<DimensionKind>,
    first_pick: Option<PlanePoint>,
}

/// Visibility of the elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementVisibility {
    nominal: bool,
    actual: bool,
    deviations: bool,
    /// Whether the scan is drawn as a surface rather than as points.
    as_surface: bool,
    /// Whether deviations of points are drawn on the nominal rather than on the scan.
    on_nominal: bool,
    /// Whether the points that are left out of that surface are drawn beside it.
    left_out: bool,
    /// Whether the edges of the nominal are drawn.
    edges: bool,
    /// Unmeasured regions of the nominal.
    unmeasured: bool,
    /// What else the scan shows, where the part was found among other things.
    others: bool,
    /// 0 to 1.
    nominal_opacity: f32,
    /// Offset volumes.
    volumes: bool,
    /// 0 to 1.
    volume_opacity: f32,
    /// Distance at which distance fields are shown, mm.
    field_distance_mm: f64,
    /// Clips the view, while offsets are shown.
    clip: Option<ClipPlane>,
    /// Section whose contours are shown.
    section: Option<ElementId>,
    /// Clips the view, while no offsets are shown.
    cut: Option<render::Cut>,
    /// Pass of contact volumes that is shown, from 0.
    contact_pass: usize,
    /// Pass of offset volumes by templates that is shown, from 0; the last one if there are fewer.
    offset_pass: usize,
    /// Parts found in the scan.
    detections: bool,
    /// Of these the selected one, from 0.
    detection: usize,
    /// Points of the scan coloured by the part that they lie on.
    explanations: bool,
    /// The element of the Offset workspace that is selected.
    offset: Option<ElementId>,
    /// Pose to which the scan is being dragged by hand, nominal from scan.
    dragged_to: Option<Pose>,
}

/// A clip plane parallel to a coordinate plane of the nominal frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClipPlane {
    /// Axis that it is perpendicular to, from 0.
    axis: usize,
    /// Position on that axis, as a share of what is shown, 0 to 1.
    share: f32,
    /// Whether the side of smaller coordinates is cut away, rather than the other.
    is_flipped: bool,
}

impl ElementVisibility {
    /// Whether deviations of points are drawn on the nominal; a running best fit shows them on the scan.
    fn draws_on_nominal(&self, is_live: bool) -> bool {
        self.deviations && self.on_nominal && !is_live
    }
}

impl Default for ElementVisibility {
    fn default() -> Self {
        Self {
            nominal: true,
            actual: true,
            deviations: true,
            as_surface: true,
            on_nominal: false,
            left_out: false,
            edges: true,
            unmeasured: true,
            others: false,
            nominal_opacity: 1.0,
            volumes: false,
            volume_opacity: 0.5,
            field_distance_mm: 1.0,
            clip: None,
            section: None,
            cut: None,
            contact_pass: 0,
            offset_pass: usize::MAX,
            detections: false,
            detection: 0,
            explanations: false,
            offset: None,
            dragged_to: None,
        }
    }
}

/// Opens the window and runs it until it is closed.
///
/// Returns an error message if the window cannot be opened.
pub fn run(options: Options) -> Result<(), String> {
    let mut create = eframe::egui_wgpu::WgpuSetupCreateNew::without_display_handle();
    create.device_descriptor = Arc::new(|adapter: &wgpu::Adapter| wgpu::DeviceDescriptor {
        label: Some("window"),
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    });
    let wgpu_options = eframe::egui_wgpu::WgpuConfiguration {
        wgpu_setup: create.into(),
        ..eframe::egui_wgpu::WgpuConfiguration::default()
    };
    let window_state = remembered::WindowState::load(options.state_folder.as_deref());
    let native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Shadowgraph")
            .with_app_id("shadowgraph")
            .with_inner_size(window_state.size)
            .with_maximized(window_state.is_maximised)
            .with_min_inner_size([900.0, 600.0])
            .with_drag_and_drop(true),
        renderer: eframe::Renderer::Wgpu,
        wgpu_options,
        ..eframe::NativeOptions::default()
    };
    let language = Language::of_desktop();
    texts::set_language(window_state.language.unwrap_or(language));
    let app = |creation: &eframe::CreationContext<'_>| App { language, ..App::new(creation, options) };
    eframe::run_native("shadowgraph", native, Box::new(|creation| Ok(Box::new(app(creation))))).map_err(|error| {
        format!(
            "The window could not be opened ({error}). It needs a display and the Debian packages libvulkan1, \
             mesa-vulkan-drivers and libxkbcommon-x11-0; “shadowgraph inspect” works without a display."
        )
    })
}

impl App {
    /// Creates the state of the window and opens the files of `options`.
    pub fn new(creation: &eframe::CreationContext<'_>, options: Options) -> Self {
        theme::install(&creation.egui_ctx);
        let viewport = creation.wgpu_render_state.as_ref().map(Viewport::new);
        if let Some(plain) = creation.wgpu_render_state.as_ref().and_then(interface::PlainInterface::new) {
            creation.egui_ctx.add_plugin(plain);
        }
        let context = creation.egui_ctx.clone();
        let window_state = remembered::WindowState::load(options.state_folder.as_deref());
        if let Some(dark) = window_state.dark {
            context.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
        }
        let saved_scales = saved_scales::SavedScales::load(options.state_folder.clone());
        let files = files::Files::new(options.state_folder);
        let mut app = Self {
            draft: Settings::default(),
            draft_of: Settings::default(),
            viewport_error: viewport.is_none().then(|| text!("window-no-adapter")),
            viewport,
            artefact_viewport: None,
            section_view: viewport::section_view::SectionView::default(),
            workspace: Workspace::default(),
            restore: files.left_over_autosave(),
            restoring: None,
            files,
            window_state,
            saved_scales,
            language: Language::default(),
            regions: Regions::default(),
            chooser: choosing::SystemDialog::default(),
            no_chooser: options.no_chooser,
            open_dialog: open_dialog::OpenDialog::default(),
            leaving: leaving::LeavePrompt::default(),
            title: String::new(),
            context: creation.egui_ctx.clone(),
            palette: palette::Palette::default(),
            help: None,
            live: Arc::default(),
            wake: Arc::new(move || context.request_repaint()),
            dispatcher: Dispatcher::new(options.context),
            notice: None,
            messages_seen: 0,
            panels: panels::Panels::default(),
            display: Display::default(),
            queued_strokes: std::collections::VecDeque::new(),
            pending_strokes: std::collections::VecDeque::new(),
            subject_cache: subject::SubjectCache::default(),
            shown_inspection: 0,
            preview: None,
            preview_slot: dispatch::Preview::default(),
            preview_follows: (texts::language(), false),
            saved_at: Instant::now(),
            needs_save: false,
            changed: false,
            devices: compute::devices(),
            has_nominal: false,
            actions: Vec::new(),
            waiting: Vec::new(),
        };
        for path in options.files {
            app.open_by_kind(path);
        }
        app
    }

    /// The document and its history, for tests.
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Whether a job is running or strokes are pending.
    pub fn is_busy(&self) -> bool {
        self.dispatcher.job().is_some() || !self.pending_strokes.is_empty() || !self.queued_strokes.is_empty()
    }

    /// Whether the surface of a scan is being made for display, for tests.
    pub fn is_meshing(&self) -> bool {
        self.viewport.iter().chain(&self.artefact_viewport).any(viewport::Viewport::is_meshing)
    }

    /// Sends a command to the dispatcher.
    pub fn send(&mut self, command: impl Into<Command>) {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = LiveFit::default();
        let watch = self.watch();
        self.dispatcher.context.hides_flags = self.display.hides_callouts;
        self.changed |= self.dispatcher.send(command, &watch, &Arc::clone(&self.wake));
    }

    /// Observer of a running best fit: colours and shows its poses, at a rate limited by the device.
    fn watch(&self) -> Watch {
        let (live, wake) = (Arc::clone(&self.live), Arc::clone(&self.wake));
        let document = self.dispatcher.document.clone();
        let backend = Arc::clone(&self.dispatcher.context.backend);
        let interval = viewport::live::interval(backend.device().kind);
        let last = Mutex::new(None::<Instant>);
        Arc::new(move |pose, rms_mm| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_some_and(|at| at.elapsed() < interval) {
                return;
            }
            let deviations = viewport::live::deviations(backend.as_ref(), &document, pose);
            let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
            live.frame = Some((*pose, Arc::new(deviations)));
            live.rms_mm = rms_mm;
            live.serial += 1;
            *last = Some(Instant::now());
            wake();
        })
    }

    /// Identifies the current comparison.
    fn current_check_address(&self) -> Option<usize> {
        self.dispatcher.document.current_check().map(|check| std::ptr::from_ref(check).addr())
    }

    /// Applies finished jobs and updates the window to the document.
    fn follow(&mut self, context: &egui::Context) {
        let watch = self.watch();
        let searches = self.dispatcher.document.searches.clone();
        let check = self.current_check_address();
        let changed = self.dispatcher.advance(&watch, &Arc::clone(&self.wake)) | std::mem::take(&mut self.changed);
        let fresh = self.dispatcher.document.searches.as_ref();
        self.panels.searches.is_open |=
            fresh.is_some_and(|fresh| searches.as_ref().is_none_or(|before| !Arc::ptr_eq(before, fresh)));
        if self.dispatcher.document.inspection != self.shown_inspection {
            self.shown_inspection = self.dispatcher.document.inspection;
            (self.display.clip, self.preview, self.display.picking) = (None, None, None);
            self.display.section = SectionDisplay::default();
            self.display.by_hand = viewport::gizmo::HandTool::default();
            self.display.chosen = None;
            self.panels.begin(&self.dispatcher.document);
        }
        if changed || self.dispatcher.messages.len() != self.messages_seen {
            let fresh = self.dispatcher.messages.get(self.messages_seen..).unwrap_or_default();
            // What was refused is taken back.
            let is_refused = fresh.iter().any(|message| message.is_error);
            let settings = &self.dispatcher.document.settings;
            if is_refused || self.draft_of != *settings {
                (self.draft, self.draft_of) = (settings.clone(), settings.clone());
            }
            self.panels.calibrate.follow(&self.dispatcher.document, is_refused);
            // A later success makes an older error obsolete.
            match fresh.iter().rev().find(|message| message.is_error) {
                Some(error) => self.notice = Some(error.clone()),
                None if changed => self.notice = None,
                None => {}
            }
            self.messages_seen = self.dispatcher.messages.len();
            self.needs_save |= changed;
            let compared = self.current_check_address();
            let is_new = compared.is_some() && check != compared;
            // What a main alignment left is read where it was aligned.
            let is_main = self.dispatcher.document.alignment().is_some_and(|own| own.main.is_some());
            if is_new && !is_main && self.workspace == Workspace::Align {
                self.turn_to(Workspace::Compare, context);
            }
        }
        if !self.is_busy() {
            self.has_nominal = self.dispatcher.document.nominal().is_some();
        }
        let may_save = !self.is_busy() && !self.files.is_autosaving();
        if self.needs_save && may_save && self.saved_at.elapsed() > Duration::from_secs(2) {
            let belongs_in = self.dispatcher.project_path().map(std::path::Path::to_owned);
            if self.dispatcher.is_saved() {
                self.files.forget_autosave();
            } else {
                self.files.autosave(Project { belongs_in, ..Project::of(&self.dispatcher.document) });
            }
            self.needs_save = false;
            self.saved_at = Instant::now();
        } else if self.needs_save {
            context.request_repaint_after(Duration::from_millis(2100));
        }
        for path in self.files.take_dropped(context) {
            self.actions.push(Action::OpenFile(path));
        }
        if let Some((purpose, path)) = self.chooser.take() {
            let path = purpose.dialog().with_extension(path);
            self.actions.push(Action::Take(purpose, path));
        }
        self.follow_restoring();
        self.follow_preview();
    }

    /// Shows lengths in the unit and with the decimals that were chosen for the inspection.
    fn follow_shown_lengths(&self) {
        let settings = &self.dispatcher.document.settings;
        lengths::set_unit(settings.shown_unit);
        base::set_decimals(settings.report.decimals);
    }
}

impl eframe::App for App {
    fn logic(&mut self, context: &egui::Context, _frame: &mut eframe::Frame) {
        texts::set_language(self.window_state.language.unwrap_or(self.language));
        self.follow_shown_lengths();
        self.follow_strokes(context);
        self.follow(context);
        // What has just come may have others.
        self.follow_shown_lengths();
        self.follow_leaving(context);
        self.window_state.follow(context);
        let title = self.title();
        if title != self.title {
            context.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let waited = std::mem::take(&mut self.waiting);
        if !waited.is_empty() {
            edits::end(ui.ctx());
        }
        let was_editing = ui.ctx().text_edit_focused();
        self.shortcuts(ui);
        self.regions.follow(ui.ctx());
        self.top_bar(ui);
        self.surrounding_panels(ui);
        self.central(ui);
        self.open_dialog_window(ui);
        self.floating_panels(ui.ctx());
        self.palette_window(ui);
        self.help_window(ui);
        self.leaving_window(ui);
        self.perform_all(waited, was_editing, ui.ctx());
    }

    fn on_exit(&mut self) {
        self.window_state.save(self.files.state_folder());
        // If the window was closed from outside, unsaved work remains in the autosave.
        if self.may_close() || self.dispatcher.is_saved() {
            self.files.forget_autosave();
        } else {
            self.files.finish_autosave();
        }
    }
}
