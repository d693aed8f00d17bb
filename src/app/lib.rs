//! Floor 6: the window. Panels send commands; the dispatcher runs them; the viewport shows the document.

mod choosing;
mod files;
mod interface;
mod leaving;
mod menu;
mod number_field;
mod open_dialog;
mod opening;
mod palette;
mod panels;
mod remembered;
mod subject;
mod theme;
mod viewport;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use compute::{self, Backend, DeviceId};
use dispatch::{Command, Context, Dispatcher, Message, Watch};
use geometry::Pose;
use session::Settings;
use session::plan::ElementId;
use session::project::Project;
use viewport::Viewport;

pub use choosing::missing_chooser;
pub use menu::Action;

/// The tabs at the top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workspace {
    /// Find where the sensor sits on the CMM.
    Calibrate,
    /// Bring scan and nominal together.
    #[default]
    Align,
    /// See and judge the deviations.
    Compare,
    /// Brush points, and fit features to them.
    Features,
    /// Hand over.
    Report,
}

impl Workspace {
    const ALL: [Self; 5] = [Self::Calibrate, Self::Align, Self::Compare, Self::Features, Self::Report];

    /// What showing it is called in menus.
    fn title(self) -> &'static str {
        match self {
            Self::Calibrate => "Workspace Calibrate",
            Self::Align => "Workspace Align",
            Self::Compare => "Workspace Compare",
            Self::Features => "Workspace Features",
            Self::Report => "Workspace Report",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Calibrate => "Calibrate",
            Self::Align => "Align",
            Self::Compare => "Compare",
            Self::Features => "Features",
            Self::Report => "Report",
        }
    }
}

/// What the window needs from whoever opens it.
pub struct Options {
    /// Device and CAD reader.
    pub context: Context,
    /// Files to open at start.
    pub files: Vec<PathBuf>,
    /// Where recent files and the autosave are kept; `None` keeps nothing.
    pub state_folder: Option<PathBuf>,
    /// Why the system's file chooser cannot be used; `None` where it can.
    pub no_chooser: Option<&'static str>,
}

/// The running best fit, as far as the viewport shows it.
#[derive(Clone, Default)]
pub(crate) struct Live {
    /// Pose and deviations of the first drawn points, mm (NaN is no data).
    frame: Option<(Pose, Arc<Vec<f32>>)>,
    /// RMS, mm.
    rms_mm: f64,
    /// Counts the frames.
    serial: u64,
}

/// The window's state.
pub struct App {
    dispatcher: Dispatcher,
    viewport: Option<Viewport>,
    /// Another, for the workspace Calibrate, once it was opened.
    artefact_viewport: Option<Viewport>,
    /// Why there is no viewport.
    no_viewport: Option<String>,
    workspace: Workspace,
    files: files::Files,
    remembered: remembered::Remembered,
    chooser: choosing::SystemDialog,
    no_chooser: Option<&'static str>,
    open_dialog: open_dialog::OpenDialog,
    leaving: leaving::Leaving,
    /// The title that the window was last given.
    title: String,
    context: egui::Context,
    palette: palette::Palette,
    live: Arc<Mutex<Live>>,
    wake: Arc<dyn Fn() + Send + Sync>,
    /// Settings as the panels edit them; sent when an edit ends.
    draft: Settings,
    report_folder: String,
    /// A dismissible sentence over the viewport.
    notice: Option<Message>,
    messages_seen: usize,
    log_open: bool,
    /// Whether the table of searches is shown.
    searches_open: bool,
    /// Many parts by a plan.
    series: panels::series::SeriesWindow,
    /// A name of an element that is being typed.
    renaming: panels::elements::Renaming,
    /// Features that are not drawn.
    unseen: std::collections::BTreeSet<ElementId>,
    /// How the Align panel registers with a chosen search.
    search_draft: panels::search_registration::Draft,
    /// A saved state of a run that did not end well, and one that is being brought back.
    restore: Option<PathBuf>,
    restoring: Option<PathBuf>,
    saved_at: Instant,
    needs_save: bool,
    /// Whether a command changed the document when it was sent.
    changed: bool,
    /// All devices with their names, and why there is no GPU.
    devices: (Vec<(DeviceId, String)>, Option<String>),
    /// What to show in the viewport.
    shown: Shown,
    /// Point pairs being picked: the nominal's place of the next pair.
    picking: Option<panels::align::Picking>,
    /// Whether there is a nominal, or one on its way.
    has_nominal: bool,
    /// How points are brushed.
    brush: viewport::brush::Brush,
    /// Strokes that are sent with the next frame.
    strokes_next: std::collections::VecDeque<Command>,
    /// Strokes whose points a graphics card looks for.
    sweeping: std::collections::VecDeque<viewport::sweeping::Sweeping>,
    /// What the Calibrate panel remembers.
    calibration: panels::calibrate::Draft,
    /// What the section on hybrid measuring remembers.
    probing: panels::probing::Draft,
    /// What the section on the sensor's acceptance remembers.
    acceptance: panels::acceptance::Draft,
    /// What the section on repeatability remembers.
    repeatability: panels::repeatability::Draft,
    subject_cache: subject::SubjectCache,
    /// What the Features panel remembers.
    feature_draft: panels::features::Draft,
    /// What its part on parallel planes remembers.
    plane_set_draft: panels::parallel_planes::Draft,
    /// What its parts on constructions and tolerances remember.
    construction_draft: panels::constructions::Draft,
    measure_draft: panels::measures::Draft,
    tolerance_draft: panels::tolerances::Draft,
    /// Figures of the cleaning of scans.
    cleaning: panels::cleaning::Draft,
    /// Actions waiting for the end of the frame.
    actions: Vec<Action>,
}

/// Which elements are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    nominal: bool,
    actual: bool,
    deviations: bool,
    /// Where the nominal has no data.
    unmeasured: bool,
}

/// Opens the window and runs it until it is closed.
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
    let remembered = remembered::Remembered::load(options.state_folder.as_deref());
    let native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Shadowgraph")
            .with_app_id("shadowgraph")
            .with_inner_size(remembered.size)
            .with_maximized(remembered.is_maximised)
            .with_min_inner_size([900.0, 600.0])
            .with_drag_and_drop(true),
        renderer: eframe::Renderer::Wgpu,
        wgpu_options,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native("shadowgraph", native, Box::new(|creation| Ok(Box::new(App::new(creation, options))))).map_err(
        |error| {
            format!(
                "The window could not be opened ({error}). It needs a display and the Debian packages libvulkan1, \
                 mesa-vulkan-drivers and libxkbcommon-x11-0; “shadowgraph inspect” works without."
            )
        },
    )
}

impl App {
    /// Builds the window's state and opens the files named.
    pub fn new(creation: &eframe::CreationContext<'_>, options: Options) -> Self {
        theme::install(&creation.egui_ctx);
        let viewport = creation.wgpu_render_state.as_ref().map(Viewport::new);
        if let Some(plain) = creation.wgpu_render_state.as_ref().and_then(interface::PlainInterface::new) {
            creation.egui_ctx.add_plugin(plain);
        }
        let context = creation.egui_ctx.clone();
        let remembered = remembered::Remembered::load(options.state_folder.as_deref());
        if let Some(dark) = remembered.dark {
            context.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
        }
        let files = files::Files::new(options.state_folder);
        let mut app = Self {
            draft: Settings::default(),
            report_folder: "report".into(),
            no_viewport: viewport.is_none().then(|| {
                "No graphics adapter was found: the Debian package mesa-vulkan-drivers brings one that needs no card."
                    .into()
            }),
            viewport,
            artefact_viewport: None,
            workspace: Workspace::default(),
            restore: files.left_over_autosave(),
            restoring: None,
            files,
            remembered,
            chooser: choosing::SystemDialog::default(),
            no_chooser: options.no_chooser,
            open_dialog: open_dialog::OpenDialog::default(),
            leaving: leaving::Leaving::default(),
            title: String::new(),
            context: creation.egui_ctx.clone(),
            palette: palette::Palette::default(),
            live: Arc::default(),
            wake: Arc::new(move || context.request_repaint()),
            dispatcher: Dispatcher::new(options.context),
            notice: None,
            messages_seen: 0,
            log_open: false,
            searches_open: false,
            series: panels::series::SeriesWindow::default(),
            renaming: panels::elements::Renaming::default(),
            unseen: std::collections::BTreeSet::new(),
            search_draft: panels::search_registration::Draft::default(),
            brush: viewport::brush::Brush::default(),
            strokes_next: std::collections::VecDeque::new(),
            sweeping: std::collections::VecDeque::new(),
            calibration: panels::calibrate::Draft::default(),
            probing: panels::probing::Draft::default(),
            acceptance: panels::acceptance::Draft::default(),
            repeatability: panels::repeatability::Draft::default(),
            subject_cache: subject::SubjectCache::default(),
            feature_draft: panels::features::Draft::default(),
            plane_set_draft: panels::parallel_planes::Draft::default(),
            construction_draft: panels::constructions::Draft::default(),
            measure_draft: panels::measures::Draft::default(),
            tolerance_draft: panels::tolerances::Draft::default(),
            cleaning: panels::cleaning::Draft::default(),
            saved_at: Instant::now(),
            needs_save: false,
            changed: false,
            devices: compute::devices(),
            shown: Shown { nominal: true, actual: true, deviations: true, unmeasured: true },
            picking: None,
            has_nominal: false,
            actions: Vec::new(),
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

    /// Whether something is under way.
    pub fn is_busy(&self) -> bool {
        self.dispatcher.job().is_some() || !self.sweeping.is_empty() || !self.strokes_next.is_empty()
    }

    /// Sends a command to the dispatcher.
    pub fn send(&mut self, command: impl Into<Command>) {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = Live::default();
        let watch = self.watch();
        self.changed |= self.dispatcher.send(command, &watch, &Arc::clone(&self.wake));
    }

    /// Follows a running best fit: poses are coloured and shown as fast as the device colours them.
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

    /// Tells one current comparison from another.
    fn current_check_address(&self) -> Option<usize> {
        self.dispatcher.document.current_check().map(|check| std::ptr::from_ref(check).addr())
    }

    /// Takes in finished work and follows the document.
    fn follow(&mut self, context: &egui::Context) {
        let watch = self.watch();
        let searches = self.dispatcher.document.searches.clone();
        let check = self.current_check_address();
        let changed = self.dispatcher.advance(&watch, &Arc::clone(&self.wake)) | std::mem::take(&mut self.changed);
        let fresh = self.dispatcher.document.searches.as_ref();
        self.searches_open |=
            fresh.is_some_and(|fresh| searches.as_ref().is_none_or(|before| !Arc::ptr_eq(before, fresh)));
        if changed || self.dispatcher.messages.len() != self.messages_seen {
            self.draft = self.dispatcher.document.settings.clone();
            self.follow_calibration();
            let fresh = self.dispatcher.messages.get(self.messages_seen..).unwrap_or_default();
            // What went well since makes the sentence untrue.
            match fresh.iter().rev().find(|message| message.is_error) {
                Some(error) => self.notice = Some(error.clone()),
                None if changed => self.notice = None,
                None => {}
            }
            self.messages_seen = self.dispatcher.messages.len();
            self.needs_save |= changed;
            let compared = self.current_check_address();
            let is_news = compared.is_some() && check != compared;
            if is_news && self.workspace == Workspace::Align {
                self.workspace = Workspace::Compare;
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
            self.open_by_kind(path);
        }
        if let Some((purpose, path)) = self.chooser.take() {
            let path = purpose.asks().completed(path);
            self.chosen(purpose, path);
        }
        self.follow_restoring();
    }

    /// The device that computes, as the status line names it.
    fn device_name(&self) -> String {
        let backend: &dyn Backend = self.dispatcher.context.backend.as_ref();
        let device = backend.device();
        format!("{}, {}", device.kind.name(), device.device)
    }
}

impl eframe::App for App {
    fn logic(&mut self, context: &egui::Context, _frame: &mut eframe::Frame) {
        self.follow_strokes(context);
        self.follow(context);
        self.follow_leaving(context);
        self.remembered.follow(context);
        let title = self.title();
        if title != self.title {
            context.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.shortcuts(ui);
        self.top_bar(ui);
        self.bottom_bar(ui);
        self.elements_panel(ui);
        self.properties_panel(ui);
        self.parts_bar(ui);
        self.central(ui);
        self.open_dialog_window(ui);
        self.searches_window(ui);
        let is_busy = self.is_busy();
        self.actions.extend(self.series.show(ui.ctx(), &self.dispatcher, is_busy));
        self.palette_window(ui);
        self.leaving_window(ui);
        for action in std::mem::take(&mut self.actions) {
            self.perform(action, ui.ctx());
        }
    }

    fn on_exit(&mut self) {
        self.remembered.save(self.files.state_folder());
        // A window that is closed over our head keeps what was not saved.
        if self.may_close() || self.dispatcher.is_saved() {
            self.files.forget_autosave();
        } else {
            self.files.finish_autosave();
        }
    }
}
