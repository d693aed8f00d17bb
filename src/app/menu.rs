//! Top bar: menus, workspace tabs and the main button. Every entry is an [`Action`], also available by shortcut and in
//! the command palette.

use egui::{Key, KeyboardShortcut, Modifiers};

use super::choosing::Purpose;
use super::help::Page;
use super::leaving::Departure;
use super::open_dialog::Role;
use super::panels::series::Source;
use super::viewport::Spot;
use super::{App, Workspace, icons, theme};
use dispatch::mechanical::Order;
use dispatch::{Align, Calibrate, Command, Elements, Inspect, Parts, Tolerances};
use inspect::alignment::Method;
use inspect::cleaning::Step;
use render::camera::StandardView;
use session::calibration::Instrument;

/// An action of the window; includes the commands to the document.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sends a command.
    Send(Box<Command>),
    /// Shows the dialog to open a file.
    Open,
    /// Asks for the next scan and inspects it.
    InspectNext,
    /// Asks for a file or folder.
    Browse(Purpose),
    /// Starts a new inspection.
    New,
    /// Saves the project in its file.
    SaveProject,
    /// Shows the window that measures a series of parts with a plan.
    MeasureParts,
    /// Opens a part of the measured series.
    OpenSeries(usize),
    /// Shows the table of the parts measured in this inspection.
    ShowParts,
    /// Shows the comparison of search methods.
    ShowSearches,
    /// Writes the report into its folder.
    WriteReport,
    /// Shows the pages of the report.
    PreviewReport,
    /// Looks as the saved view of this name.
    LookAs(String),
    /// Saves the current view, under a new name or in place of the saved view of this name.
    SaveView(Option<String>),
    /// Opens a file or folder with the desktop's default application.
    OpenOutside(std::path::PathBuf),
    /// Shows the dialog to open a nominal or a scan.
    OpenAs(Role),
    /// Moves the camera to a spot on the part.
    FlyTo(Spot),
    /// Shows a workspace.
    Show(Workspace),
    /// Selects a standard view.
    Look(StandardView),
    /// Looks from a direction, z upwards.
    LookFrom([f32; 3]),
    /// Fits the view to all elements.
    Fit,
    /// Toggles between perspective and orthographic projection.
    ToggleLens,
    /// Toggles between light and dark theme.
    ToggleTheme,
    /// Draws the scan as a surface, or as points.
    ToggleSurface,
    /// Draws the edges of the nominal, or leaves them out.
    ToggleEdges,
    /// Cancels picking or the running job, or closes a message or window; the first of these that applies.
    Cancel,
    /// Stops the running job.
    StopJob,
    /// Opens the command palette.
    Palette,
    /// Opens a page of the help.
    Help(Page),
    /// Opens and inspects the demo part.
    Demo,
    /// Opens a file.
    OpenFile(std::path::PathBuf),
    /// Closes the window.
    Quit,
}

const COMMAND: Modifiers = Modifiers::COMMAND;
const COMMAND_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

fn key(modifiers: Modifiers, key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(modifiers, key))
}

fn send(command: impl Into<Command>) -> Action {
    Action::Send(Box::new(command.into()))
}

/// Menu, name, action and shortcut of all named actions, in the order of the menus and the command palette.
pub(super) fn entries() -> Vec<(&'static str, &'static str, Action, Option<KeyboardShortcut>)> {
    let mut entries = vec![
        ("File", "Open…", Action::Open, key(COMMAND, Key::O)),
        ("File", "Inspect next scan…", Action::InspectNext, key(COMMAND, Key::N)),
        ("File", "Save project", Action::SaveProject, key(COMMAND, Key::S)),
        ("File", "Save project as…", Action::Browse(Purpose::SaveProject), key(COMMAND_SHIFT, Key::S)),
        ("File", "Save plan for other parts…", Action::Browse(Purpose::SavePlan), None),
        ("File", "Write report", Action::WriteReport, key(COMMAND, Key::R)),
        ("File", "Preview report", Action::PreviewReport, key(COMMAND_SHIFT, Key::R)),
        ("File", "New inspection", Action::New, None),
        ("File", "Quit", Action::Quit, key(COMMAND, Key::Q)),
        ("Edit", "Undo", send(Command::Undo), key(COMMAND, Key::Z)),
        ("Edit", "Redo", send(Command::Redo), key(COMMAND_SHIFT, Key::Z)),
        ("Edit", "Remove outliers from scan", send(Parts::CleanScan(Step::OUTLIERS)), None),
        ("Edit", "Find normals of scan", send(Parts::CleanScan(Step::Normals)), None),
        ("Edit", "Unify winding of nominal", send(Parts::UnifyWinding), None),
        ("Inspect", "Align automatically", send(Align::Run(Method::Auto)), key(COMMAND, Key::L)),
        ("Inspect", "Best fit from current pose", send(Align::Run(Method::BestFit)), key(COMMAND, Key::B)),
        ("Inspect", "Compare", send(Inspect::Compare), key(COMMAND, Key::D)),
        ("Inspect", "Align and compare", send(Inspect::AlignAndCompare), key(COMMAND, Key::Enter)),
        ("Inspect", "Compare search methods", send(Align::CompareSearches { start: None }), None),
        ("Inspect", "Measure parts with a plan…", Action::MeasureParts, None),
        ("Inspect", "Measured parts…", Action::ShowParts, None),
        ("Inspect", "Update all", send(Elements::Update(None)), key(COMMAND, Key::U)),
        ("Inspect", "Evaluate tolerances", send(Tolerances::Judge), None),
        ("Inspect", "Cancel running job", Action::Cancel, key(Modifiers::NONE, Key::Escape)),
        ("Inspect", "Find artefact regions", send(Calibrate::FindRegions), None),
        ("Inspect", "Calibrate sensor", send(Calibrate::Run), None),
        ("Inspect", "Start mechanical alignment", send(Command::Mechanical(Order::Start)), None),
        ("Inspect", "Stop mechanical alignment", send(Command::Mechanical(Order::Stop)), None),
        ("View", "Fit", Action::Fit, key(Modifiers::NONE, Key::F)),
        ("View", "Perspective or orthographic", Action::ToggleLens, key(Modifiers::NONE, Key::P)),
        ("View", "Scan as surface or points", Action::ToggleSurface, key(Modifiers::NONE, Key::S)),
        ("View", "Edges of the nominal", Action::ToggleEdges, key(Modifiers::NONE, Key::E)),
        ("View", "Save this view", Action::SaveView(None), key(COMMAND_SHIFT, Key::V)),
        ("View", "Light or dark theme", Action::ToggleTheme, None),
        ("View", "Command palette", Action::Palette, key(COMMAND, Key::P)),
        ("Help", "Keyboard and mouse", Action::Help(Page::Keys), key(Modifiers::NONE, Key::F1)),
        ("Help", "About Shadowgraph", Action::Help(Page::About), None),
    ];
    let workspaces = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7];
    for (workspace, number) in Workspace::ALL.into_iter().zip(workspaces) {
        entries.push(("View", workspace.title(), Action::Show(workspace), key(COMMAND, number)));
    }
    let keys = [Key::Num0, Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6];
    for (view, number) in StandardView::ALL.into_iter().zip(keys) {
        entries.push(("View", view.name(), Action::Look(view), key(Modifiers::NONE, number)));
    }
    entries
}

impl App {
    /// Queues the actions whose shortcuts were pressed.
    pub(super) fn shortcuts(&mut self, ui: &mut egui::Ui) {
        // Dialogs and menus have exclusive use of the keyboard.
        let is_covered = ui.memory(|memory| memory.top_modal_layer().is_some()) || self.panels.elements.is_renaming();
        if is_covered || egui::Popup::is_any_open(ui.ctx()) {
            return;
        }
        let typing = ui.ctx().egui_wants_keyboard_input();
        // Those with more modifiers first, so that Ctrl+Shift+Z is not taken for Ctrl+Z.
        let mut keyed: Vec<_> = entries().into_iter().filter_map(|(_, _, action, key)| Some((action, key?))).collect();
        keyed
            .sort_by_key(|(_, key)| std::cmp::Reverse(u8::from(key.modifiers.shift) + u8::from(key.modifiers.command)));
        for (action, key) in keyed {
            let plain = key.modifiers == Modifiers::NONE;
            if (!plain || !typing) && ui.input_mut(|input| input.consume_shortcut(&key)) {
                self.actions.push(action);
            }
        }
    }

    pub(super) fn top_bar(&mut self, ui: &mut egui::Ui) {
        egui::Panel::top("top").show(ui, |ui| {
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                // Centres all items vertically in one row.
                ui.set_min_height(32.0);
                // A narrow window has the names of the rooms alone, and no name on the button at the right.
                let is_wide = ui.available_width() > 1110.0;
                self.menus(ui);
                ui.separator();
                for workspace in Workspace::ALL {
                    let is_shown = self.workspace == workspace;
                    let mut text = egui::RichText::new(workspace.name()).size(14.0);
                    if is_shown {
                        text = text.color(egui::Color32::WHITE).family(theme::strong_family());
                    }
                    let tab = if is_wide {
                        let icon = icons::atom(workspace.icon(), is_shown.then_some(egui::Color32::WHITE));
                        egui::Button::selectable(is_shown, (icon, text)).min_size(egui::vec2(84.0, 28.0))
                    } else {
                        egui::Button::selectable(is_shown, text).min_size(egui::vec2(0.0, 28.0))
                    };
                    if ui.add(tab).clicked() {
                        self.workspace = workspace;
                    }
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    self.next_part_button(ui, is_wide)
                });
            });
            ui.add_space(4.0);
        });
    }

    fn menus(&mut self, ui: &mut egui::Ui) {
        let (undo, redo) = (
            self.dispatcher.history.undo_label().map(str::to_owned),
            self.dispatcher.history.redo_label().map(str::to_owned),
        );
        // Not a menu bar, which would take the whole width: the tabs are in the same row.
        ui.scope(|ui| {
            ui.visuals_mut().widgets.inactive.weak_bg_fill = egui::Color32::TRANSPARENT;
            for menu in ["File", "Edit", "Inspect", "View", "Help"] {
                ui.menu_button(menu, |ui| {
                    ui.set_min_width(230.0);
                    for (_, name, action, key) in entries().into_iter().filter(|(of, ..)| *of == menu) {
                        let enabled = self.is_possible(&action);
                        let name = match name {
                            "Undo" => undo.as_ref().map_or("Undo".into(), |label| format!("Undo: {label}")),
                            "Redo" => redo.as_ref().map_or("Redo".into(), |label| format!("Redo: {label}")),
                            _ => name.to_owned(),
                        };
                        let mut button = egui::Button::new(name);
                        if let Some(key) = key {
                            button = button.shortcut_text(ui.ctx().format_shortcut(&key));
                        }
                        if ui.add_enabled(enabled, button).clicked() {
                            self.actions.push(action);
                        }
                    }
                    if menu == "File" && !self.files.recent.is_empty() {
                        ui.separator();
                        theme::weak(ui, "Recent files");
                        for path in &self.files.recent {
                            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                                self.actions.push(Action::OpenFile(path.clone()));
                            }
                        }
                    }
                });
            }
        });
    }

    fn next_part_button(&mut self, ui: &mut egui::Ui, is_wide: bool) {
        let ready = self.dispatcher.document.nominal().is_some() && !self.is_busy();
        let name = "Inspect next scan";
        let button = theme::main_button_with(icons::NEXT, if is_wide { name } else { "" }, ready);
        let response = ui.add_enabled(ready, button);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, ready, name));
        let hint = "Inspect next scan: replaces the scan and repeats the inspection";
        if response.on_hover_text(hint).on_disabled_hover_text("Load a nominal first").clicked() {
            self.actions.push(Action::InspectNext);
        }
    }

    /// See [`Action::Cancel`].
    fn escape(&mut self) {
        if self.display.picking.take().is_some() || self.display.section.measuring.take().is_some() {
            self.display.section.first_pick = None;
        } else if self.is_busy() {
            self.dispatcher.cancel();
        } else if self.notice.take().is_none() {
            (self.panels.searches.is_open, self.panels.series.is_open) = (false, false);
        }
    }

    /// Whether an action is available.
    pub(super) fn is_possible(&self, action: &Action) -> bool {
        let document = &self.dispatcher.document;
        let (nominal, actual) = (document.nominal().is_some(), document.actual().is_some());
        let calibration = &document.calibration;
        match action {
            Action::InspectNext => nominal,
            Action::ShowParts => document.stages.all().len() > 1,
            Action::WriteReport | Action::PreviewReport => document.current_check().is_some(),
            Action::SaveView(_) => nominal && self.viewport.is_some() && !self.is_busy(),
            Action::Browse(Purpose::SavePlan) => nominal && actual,
            Action::Cancel => {
                self.is_busy()
                    || self.display.picking.is_some()
                    || self.display.section.measuring.is_some()
                    || self.notice.is_some()
                    || self.panels.searches.is_open
                    || self.panels.series.is_open
            }
            Action::ToggleSurface => actual,
            Action::ToggleEdges => nominal,
            Action::Fit | Action::Look(_) | Action::LookFrom(_) | Action::ToggleLens => self.viewport.is_some(),
            Action::Send(command) => match command.as_ref() {
                Command::Undo => self.dispatcher.history.undo_label().is_some(),
                Command::Redo => self.dispatcher.history.redo_label().is_some(),
                Command::Align(Align::Run(_) | Align::CompareSearches { .. })
                | Command::Inspect(Inspect::Compare | Inspect::AlignAndCompare) => nominal && actual,
                Command::Elements(Elements::Update(None)) => nominal && actual,
                Command::Parts(Parts::CleanScan(_)) => actual,
                Command::Parts(Parts::UnifyWinding) => nominal,
                Command::Tolerances(Tolerances::Judge) => document.tolerances().next().is_some(),
                Command::Calibrate(Calibrate::FindRegions) => calibration.of(Instrument::Sensor).actual.is_some(),
                Command::Calibrate(Calibrate::Run) => {
                    Instrument::ALL.iter().all(|instrument| calibration.of(*instrument).actual.is_some())
                }
                Command::Mechanical(Order::Start) => {
                    let sources = &calibration.setup.mechanical;
                    !(sources.folder.trim().is_empty() && sources.line.trim().is_empty())
                }
                Command::Mechanical(Order::Stop) => self.dispatcher.mechanical.is_running(),
                _ => true,
            },
            _ => true,
        }
    }

    /// Performs an action.
    pub(super) fn perform(&mut self, action: Action, context: &egui::Context) {
        match action {
            Action::Send(command) => self.send(*command),
            Action::Open => {
                let role = if self.has_nominal { Role::Scan } else { Role::Nominal };
                self.open_dialog.ask_to_open(self.files.start(), role);
            }
            Action::InspectNext => self.browse(Purpose::NextScan, context),
            Action::MeasureParts => self.panels.series.open(Source::Series),
            Action::ShowParts => self.panels.series.open(Source::Stages),
            Action::OpenSeries(shown) if self.dispatcher.document.shows_series() => {
                self.send(Inspect::ShowPart(shown));
            }
            Action::OpenSeries(shown) => self.leave(Departure::Series(shown), context),
            Action::ShowSearches => self.panels.searches.is_open = true,
            Action::OpenOutside(path) => self.open_outside(&path),
            Action::OpenAs(role) => self.open_dialog.ask_to_open(self.files.start(), role),
            Action::FlyTo(spot) => {
                if let Some(viewport) = &mut self.viewport {
                    viewport.fly_to(spot, self.dispatcher.document.nominal());
                }
            }
            Action::StopJob => self.dispatcher.cancel(),
            Action::New => self.leave(Departure::New, context),
            Action::SaveProject => self.save_project(context),
            Action::WriteReport => {
                self.workspace = Workspace::Report;
                self.write_report();
            }
            Action::PreviewReport => {
                self.workspace = Workspace::Report;
                self.lay_out_report();
            }
            Action::LookAs(name) => self.look_at_saved(&name),
            Action::SaveView(name) => self.save_view(name),
            Action::Show(workspace) => self.workspace = workspace,
            Action::Browse(purpose) => self.browse(purpose, context),
            Action::Cancel => self.escape(),
            Action::Palette => self.palette.open(),
            Action::Help(page) => self.help = Some(page),
            Action::Demo => self.open_demo(),
            Action::OpenFile(path) => self.open_by_kind(path),
            Action::Quit => self.leave(Departure::Close, context),
            Action::ToggleTheme => {
                let dark = context.theme() != egui::Theme::Dark;
                context.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
                self.window_state.dark = Some(dark);
            }
            Action::ToggleEdges => self.display.shown.edges = !self.display.shown.edges,
            Action::ToggleSurface => self.display.shown.as_surface = !self.display.shown.as_surface,
            Action::Look(_) | Action::LookFrom(_) | Action::Fit | Action::ToggleLens => {
                if let Some(viewport) = self.shown_viewport() {
                    viewport.perform(&action);
                }
            }
        }
    }
}
