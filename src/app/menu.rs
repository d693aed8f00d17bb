//! Top bar: menus, workspace tabs and the main button. Every entry is an [`Action`], also available by shortcut and in
//! the command palette.

use egui::{Key, KeyboardShortcut, Modifiers};

use super::choosing::Purpose;
use super::help::Page;
use super::leaving::Departure;
use super::open_dialog::Role;
use super::panels::series::Source;
use super::regions::Region;
use super::remembered::Side;
use super::viewport::Spot;
use super::{App, Workspace, icons, theme};
use base::{Decimals, LengthUnit};
use dispatch::mechanical::Order;
use dispatch::{Align, Calibrate, Command, Elements, Inspect, Parts, Tolerances};
use inspect::alignment::Method;
use inspect::cleaning::Step;
use inspect::deviation::{DeviationMap, OwnScale};
use inspect::parts::Actual;
use render::camera::StandardView;
use session::calibration::Instrument;
use texts::{Language, text};

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
    /// Uses a file or folder that was asked for.
    Take(Purpose, std::path::PathBuf),
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
    /// Keeps a colour scale to choose from in other projects.
    KeepColours(OwnScale),
    /// No longer keeps the colour scale of this name.
    ForgetColours(String),
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
    /// Writes the texts of the window in a language.
    Speak(Language),
    /// Shows lengths with these decimals, in the window and in the report.
    ShowDecimals(Decimals),
    /// Shows lengths in this unit, in the window and in the report.
    ShowUnit(LengthUnit),
    /// Puts the legend at a side of the view.
    PutLegend(Side),
    /// Draws the scan as a surface, or as points.
    ToggleSurface,
    /// Draws deviations of points on the nominal, or on the scan.
    ToggleOnNominal,
    /// Draws the points that are left out of the surface of the scan, or not.
    ToggleLeftOut,
    /// Draws the edges of the nominal, or leaves them out.
    ToggleEdges,
    /// Shows the handles that move the scan by hand, or takes them away.
    ToggleByHand,
    /// Cancels picking or the running job, or closes a message or window; the first of these that applies.
    Cancel,
    /// Stops the running job.
    StopJob,
    /// Opens the command palette.
    Palette,
    /// Shows the table of results, or hides it.
    ToggleResults,
    /// Leads the keyboard to the next region of the window.
    NextRegion,
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

/// A menu of the top bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Menu {
    /// Files and the report.
    File,
    /// Undo, and changes of the scan and the nominal.
    Edit,
    /// Alignment, comparison and measurement.
    Inspect,
    /// The view and the window.
    View,
    /// Keys, and about the program.
    Help,
}

impl Menu {
    const ALL: [Self; 5] = [Self::File, Self::Edit, Self::Inspect, Self::View, Self::Help];

    /// Its name.
    pub(super) fn name(self) -> String {
        match self {
            Self::File => text!("window-file"),
            Self::Edit => text!("window-edit"),
            Self::Inspect => text!("window-inspect"),
            Self::View => text!("window-view"),
            Self::Help => text!("window-help"),
        }
    }
}

/// A named action.
pub(super) struct Entry {
    /// The menu that it is in.
    pub menu: Menu,
    /// Name in the menu and the command palette.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// The keys that do it.
    pub key: Option<KeyboardShortcut>,
}

impl Entry {
    fn new(menu: Menu, name: String, action: Action, key: Option<KeyboardShortcut>) -> Self {
        Self { menu, name, action, key }
    }
}

/// All named actions, in the order of the menus and the command palette.
pub(super) fn entries() -> Vec<Entry> {
    use Menu::{Edit, File, Help, View};

    let [two, three, four, five] = Decimals::ALL.map(shows);
    let [mm, cm, m, inch] = LengthUnit::ALL.map(shows_in);
    let mut entries = vec![
        Entry::new(File, text!("window-open"), Action::Open, key(COMMAND, Key::O)),
        Entry::new(File, text!("window-open-next-scan"), Action::InspectNext, key(COMMAND, Key::N)),
        Entry::new(File, text!("window-save-project"), Action::SaveProject, key(COMMAND, Key::S)),
        Entry::new(
            File,
            text!("window-save-project-as"),
            Action::Browse(Purpose::SaveProject),
            key(COMMAND_SHIFT, Key::S),
        ),
        Entry::new(File, text!("window-save-plan"), Action::Browse(Purpose::SavePlan), None),
        Entry::new(File, text!("window-write-report"), Action::WriteReport, key(COMMAND, Key::R)),
        Entry::new(File, text!("window-preview-report"), Action::PreviewReport, key(COMMAND_SHIFT, Key::R)),
        Entry::new(File, text!("window-new-inspection"), Action::New, None),
        Entry::new(File, text!("window-quit"), Action::Quit, key(COMMAND, Key::Q)),
        Entry::new(Edit, text!("window-undo"), send(Command::Undo), key(COMMAND, Key::Z)),
        Entry::new(Edit, text!("window-redo"), send(Command::Redo), key(COMMAND_SHIFT, Key::Z)),
        Entry::new(Edit, text!("window-remove-outliers"), send(Parts::CleanScan(Step::OUTLIERS)), None),
        Entry::new(Edit, text!("window-find-normals"), send(Parts::CleanScan(Step::Normals)), None),
        Entry::new(Edit, text!("window-unify-winding"), send(Parts::UnifyWinding), None),
        Entry::new(
            Menu::Inspect,
            text!("window-align-automatically"),
            send(Align::Run(Method::Auto)),
            key(COMMAND, Key::L),
        ),
        Entry::new(Menu::Inspect, text!("window-best-fit"), send(Align::Run(Method::BestFit)), key(COMMAND, Key::B)),
        Entry::new(Menu::Inspect, text!("window-move-by-hand"), Action::ToggleByHand, key(Modifiers::NONE, Key::M)),
        Entry::new(Menu::Inspect, text!("window-compare"), send(Inspect::Compare), key(COMMAND, Key::D)),
        Entry::new(
            Menu::Inspect,
            text!("window-align-and-compare"),
            send(Inspect::AlignAndCompare),
            key(COMMAND, Key::Enter),
        ),
        Entry::new(Menu::Inspect, text!("window-compare-searches"), send(Align::CompareSearches { start: None }), None),
        Entry::new(Menu::Inspect, text!("window-measure-parts"), Action::MeasureParts, None),
        Entry::new(Menu::Inspect, text!("window-measured-parts"), Action::ShowParts, None),
        Entry::new(Menu::Inspect, text!("window-update-all"), send(Elements::Update(None)), key(COMMAND, Key::U)),
        Entry::new(Menu::Inspect, text!("window-evaluate-tolerances"), send(Tolerances::Judge), None),
        Entry::new(Menu::Inspect, text!("window-cancel-job"), Action::Cancel, key(Modifiers::NONE, Key::Escape)),
        Entry::new(Menu::Inspect, text!("window-find-regions"), send(Calibrate::FindRegions), None),
        Entry::new(Menu::Inspect, text!("window-calibrate-sensor"), send(Calibrate::Run), None),
        Entry::new(Menu::Inspect, text!("window-start-mechanical"), send(Command::Mechanical(Order::Start)), None),
        Entry::new(Menu::Inspect, text!("window-stop-mechanical"), send(Command::Mechanical(Order::Stop)), None),
        Entry::new(View, text!("window-fit"), Action::Fit, key(Modifiers::NONE, Key::F)),
        Entry::new(View, text!("window-lens"), Action::ToggleLens, key(Modifiers::NONE, Key::P)),
        Entry::new(View, text!("window-as-surface"), Action::ToggleSurface, key(Modifiers::NONE, Key::S)),
        Entry::new(View, text!("window-on-nominal"), Action::ToggleOnNominal, key(Modifiers::NONE, Key::D)),
        Entry::new(View, text!("window-edges"), Action::ToggleEdges, key(Modifiers::NONE, Key::E)),
        Entry::new(View, text!("window-save-view"), Action::SaveView(None), key(COMMAND_SHIFT, Key::V)),
        Entry::new(View, text!("window-results"), Action::ToggleResults, key(COMMAND, Key::T)),
        Entry::new(View, text!("window-theme"), Action::ToggleTheme, None),
        speaks(Language::English),
        speaks(Language::German),
        two,
        three,
        four,
        five,
        mm,
        cm,
        m,
        inch,
        Entry::new(View, text!("window-left-out"), Action::ToggleLeftOut, None),
        Entry::new(View, text!("window-legend-left"), Action::PutLegend(Side::Left), None),
        Entry::new(View, text!("window-legend-right"), Action::PutLegend(Side::Right), None),
        Entry::new(View, text!("window-palette"), Action::Palette, key(COMMAND, Key::P)),
        Entry::new(View, text!("window-next-region"), Action::NextRegion, key(Modifiers::NONE, Key::F6)),
        Entry::new(Help, text!("window-keys"), Action::Help(Page::Keys), key(Modifiers::NONE, Key::F1)),
        Entry::new(Help, text!("window-about"), Action::Help(Page::About), None),
    ];
    let workspaces = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7];
    for (workspace, number) in Workspace::ALL.into_iter().zip(workspaces) {
        entries.push(Entry::new(View, workspace.title(), Action::Show(workspace), key(COMMAND, number)));
    }
    let keys = [Key::Num0, Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6];
    for (view, number) in StandardView::ALL.into_iter().zip(keys) {
        let name = texts::word(view.name()).into_owned();
        entries.push(Entry::new(View, name, Action::Look(view), key(Modifiers::NONE, number)));
    }
    entries
}

impl Action {
    /// Whether what is being edited is sent before it is performed: all but what only changes the view, or leads on.
    pub(super) fn ends_edits(&self) -> bool {
        !matches!(
            self,
            Self::Cancel
                | Self::StopJob
                | Self::Palette
                | Self::NextRegion
                | Self::Help(_)
                | Self::FlyTo(_)
                | Self::Look(_)
                | Self::LookFrom(_)
                | Self::Fit
                | Self::ToggleLens
                | Self::ToggleTheme
                | Self::ToggleSurface
                | Self::ToggleOnNominal
                | Self::ToggleLeftOut
                | Self::ToggleEdges
                | Self::ToggleResults
                | Self::PutLegend(_)
                | Self::KeepColours(_)
                | Self::ForgetColours(_)
        )
    }

    /// What it chooses one of several of, which a menu has a menu of its own for.
    fn choice(&self) -> Option<String> {
        match self {
            Self::Show(_) => Some(text!("window-workspaces")),
            Self::Look(_) => Some(text!("window-standard-views")),
            Self::Speak(_) => Some(text!("window-languages")),
            Self::ShowDecimals(_) => Some(text!("window-choose-decimals")),
            Self::ShowUnit(_) => Some(text!("window-choose-unit")),
            Self::PutLegend(_) => Some(text!("window-legend")),
            _ => None,
        }
    }
}

/// The entry that chooses decimals.
fn shows(decimals: Decimals) -> Entry {
    Entry::new(Menu::View, text!("window-decimals", count = decimals.count()), Action::ShowDecimals(decimals), None)
}

/// The entry that chooses the unit of lengths.
fn shows_in(unit: LengthUnit) -> Entry {
    Entry::new(Menu::View, text!("window-unit", unit = unit.symbol()), Action::ShowUnit(unit), None)
}

/// The entry that chooses a language.
fn speaks(language: Language) -> Entry {
    Entry::new(Menu::View, text!("window-language", name = language.name()), Action::Speak(language), None)
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
        let mut keyed: Vec<_> = entries().into_iter().filter_map(|entry| Some((entry.action, entry.key?))).collect();
        keyed
            .sort_by_key(|(_, key)| std::cmp::Reverse(u8::from(key.modifiers.shift) + u8::from(key.modifiers.command)));
        for (action, key) in keyed {
            let is_typed = key.modifiers == Modifiers::NONE && key.logical_key != Key::F6;
            if (!is_typed || !typing) && ui.input_mut(|input| input.consume_shortcut(&key)) {
                self.actions.push(action);
            }
        }
    }

    pub(super) fn top_bar(&mut self, ui: &mut egui::Ui) {
        self.regions.begin(ui, Region::Top);
        egui::Panel::top("top").show(ui, |ui| {
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                // Centres all items vertically in one row.
                ui.set_min_height(32.0);
                // A narrow window has the names of the rooms alone, and no name on the button at the right; where the
                // names of a language are too long for that, their icons alone.
                let letters = |name: String| name.chars().count();
                let of_menus: usize = Menu::ALL.into_iter().map(|menu| letters(menu.name())).sum();
                let of_tabs: usize = Workspace::ALL.into_iter().map(|workspace| letters(workspace.name())).sum();
                let of_button = letters(text!("window-inspect-next-scan"));
                let is_wide = ui.available_width() > 501.0 + 7.0 * (of_menus + of_tabs + of_button) as f32;
                let is_narrow = ui.available_width() < 340.0 + 7.0 * (of_menus + of_tabs) as f32;
                self.menus(ui);
                ui.separator();
                for workspace in Workspace::ALL {
                    let is_shown = self.workspace == workspace;
                    let name = workspace.name();
                    let mut text = egui::RichText::new(name.as_str()).size(14.0);
                    if is_shown {
                        text = text.color(egui::Color32::WHITE).family(theme::strong_family());
                    }
                    let icon = icons::atom(workspace.icon(), is_shown.then_some(egui::Color32::WHITE));
                    let tab = if is_narrow {
                        egui::Button::selectable(is_shown, icon).min_size(egui::vec2(28.0, 28.0))
                    } else if is_wide {
                        egui::Button::selectable(is_shown, (icon, text)).min_size(egui::vec2(84.0, 28.0))
                    } else {
                        egui::Button::selectable(is_shown, text).min_size(egui::vec2(0.0, 28.0))
                    };
                    let mut response = ui.add(tab);
                    if is_narrow {
                        response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, is_shown, &name));
                        response = response.on_hover_text(name);
                    }
                    if response.clicked() {
                        self.turn_to(workspace, ui.ctx());
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
        let history = &self.dispatcher.history;
        let name_of = |label: &str| texts::word(label).into_owned();
        let (undo, redo) = (history.undo_label().map(name_of), history.redo_label().map(name_of));
        // Not a menu bar, which would take the whole width: the tabs are in the same row.
        ui.scope(|ui| {
            ui.visuals_mut().widgets.inactive.weak_bg_fill = egui::Color32::TRANSPARENT;
            for menu in Menu::ALL {
                ui.menu_button(menu.name(), |ui| {
                    ui.set_min_width(230.0);
                    // In a small window the longest menu is higher than the window.
                    let height = (ui.ctx().content_rect().height() - 70.0).max(100.0);
                    let scrolled = egui::ScrollArea::vertical().max_height(height);
                    // It would scroll in less than half of the window, too.
                    scrolled.min_scrolled_height(height).show(ui, |ui| {
                        self.menu_entries(ui, menu, undo.as_deref(), redo.as_deref());
                    });
                });
            }
        });
    }

    fn menu_entries(&mut self, ui: &mut egui::Ui, menu: Menu, undo: Option<&str>, redo: Option<&str>) {
        let mut choices: Vec<(String, Vec<Entry>)> = Vec::new();
        for mut entry in entries().into_iter().filter(|entry| entry.menu == menu) {
            entry.name = match (&entry.action, undo, redo) {
                (Action::Send(command), Some(undo), _) if matches!(**command, Command::Undo) => {
                    text!("window-undo-of", what = undo)
                }
                (Action::Send(command), _, Some(redo)) if matches!(**command, Command::Redo) => {
                    text!("window-redo-of", what = redo)
                }
                _ => entry.name,
            };
            match (entry.action.choice(), choices.last_mut()) {
                (None, _) => self.menu_entry(ui, entry),
                (Some(choice), Some((last, entries))) if *last == choice => entries.push(entry),
                (Some(choice), _) => choices.push((choice, vec![entry])),
            }
        }
        for (choice, entries) in choices {
            ui.menu_button(choice, |ui| entries.into_iter().for_each(|entry| self.menu_entry(ui, entry)));
        }
        if menu == Menu::File && !self.files.recent.is_empty() {
            ui.separator();
            theme::weak(ui, text!("window-recent-files"));
            for path in &self.files.recent {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                    self.actions.push(Action::OpenFile(path.clone()));
                }
            }
        }
    }

    fn menu_entry(&mut self, ui: &mut egui::Ui, Entry { name, action, key, .. }: Entry) {
        let is_chosen = match &action {
            Action::Show(workspace) => *workspace == self.workspace,
            Action::Speak(language) => *language == texts::language(),
            Action::ShowDecimals(decimals) => *decimals == self.dispatcher.document.settings.report.decimals,
            Action::ShowUnit(unit) => *unit == self.dispatcher.document.settings.shown_unit,
            Action::PutLegend(side) => *side == self.window_state.legend.side,
            _ => false,
        };
        let mut button = egui::Button::selectable(is_chosen, name);
        if let Some(key) = key {
            button = button.shortcut_text(ui.ctx().format_shortcut(&key));
        }
        if ui.add_enabled(self.is_possible(&action), button).clicked() {
            self.actions.push(action);
        }
    }

    fn next_part_button(&mut self, ui: &mut egui::Ui, is_wide: bool) {
        let ready = self.dispatcher.document.nominal().is_some() && !self.is_busy();
        let name = text!("window-inspect-next-scan");
        let button = theme::main_button_with(icons::NEXT, if is_wide { name.as_str() } else { "" }, ready);
        let response = ui.add_enabled(ready, button);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, ready, &name));
        let response = response.on_hover_text(text!("window-inspect-next-scan-hint"));
        if response.on_disabled_hover_text(text!("window-load-nominal-first")).clicked() {
            self.actions.push(Action::InspectNext);
        }
    }

    /// See [`Action::Cancel`].
    fn escape(&mut self) {
        // The view has taken it back already.
        if self.display.by_hand.is_held() {
            return;
        }
        if self.display.picking.take().is_some() || self.display.section.measuring.take().is_some() {
            self.display.section.first_pick = None;
        } else if self.is_busy() {
            self.dispatcher.cancel();
        } else if self.notice.take().is_none() {
            (self.panels.searches.is_open, self.panels.series.is_open) = (false, false);
        }
    }

    /// Shows the handles that move the scan by hand in their workspace; takes them away where they are in sight.
    fn toggle_by_hand(&mut self) {
        let is_in_sight = self.display.by_hand.is_on && self.workspace == Workspace::Align;
        self.display.by_hand.is_on = !is_in_sight && self.is_possible(&Action::ToggleByHand);
        if self.display.by_hand.is_on {
            self.workspace = Workspace::Align;
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
                    || self.display.by_hand.is_held()
                    || self.display.picking.is_some()
                    || self.display.section.measuring.is_some()
                    || self.notice.is_some()
                    || self.panels.searches.is_open
                    || self.panels.series.is_open
            }
            Action::ShowDecimals(_) | Action::ShowUnit(_) => !self.is_busy(),
            Action::ToggleSurface => actual,
            Action::ToggleOnNominal => {
                document.current_measurement().is_some_and(|own| matches!(own.map(), DeviationMap::Points(_)))
            }
            Action::ToggleLeftOut => {
                let surface = document.actual().and_then(Actual::made_surface);
                self.display.shown.as_surface && surface.is_some_and(|own| own.left_out > 0)
            }
            Action::ToggleByHand => nominal && actual,
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
            Action::KeepColours(own) => self.saved_scales.keep(own),
            Action::ForgetColours(name) => self.saved_scales.forget(&name),
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
            Action::Take(purpose, path) => self.chosen(purpose, path),
            Action::Cancel => self.escape(),
            Action::Palette => self.palette.open(),
            Action::NextRegion => self.regions.go_on(self.panels.results.is_open),
            Action::Help(page) => self.help = Some(page),
            Action::Demo => self.open_demo(),
            Action::OpenFile(path) => self.open_by_kind(path),
            Action::Quit => self.leave(Departure::Close, context),
            Action::ToggleTheme => {
                let dark = context.theme() != egui::Theme::Dark;
                context.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
                self.window_state.dark = Some(dark);
            }
            Action::Speak(language) => {
                self.window_state.language = Some(language);
                texts::set_language(language);
                context.request_repaint();
            }
            Action::ToggleResults => self.panels.results.is_open = !self.panels.results.is_open,
            Action::ShowDecimals(decimals) => {
                self.change_settings(|settings| settings.report.decimals = decimals);
            }
            Action::ShowUnit(unit) => {
                self.change_settings(|settings| settings.shown_unit = unit);
            }
            Action::PutLegend(side) => self.window_state.legend.side = side,
            Action::ToggleByHand => self.toggle_by_hand(),
            Action::ToggleEdges => self.display.shown.edges = !self.display.shown.edges,
            Action::ToggleOnNominal => self.display.shown.on_nominal = !self.display.shown.on_nominal,
            Action::ToggleLeftOut => self.display.shown.left_out = !self.display.shown.left_out,
            Action::ToggleSurface => self.display.shown.as_surface = !self.display.shown.as_surface,
            Action::Look(_) | Action::LookFrom(_) | Action::Fit | Action::ToggleLens => {
                if let Some(viewport) = self.shown_viewport() {
                    viewport.perform(&action);
                }
            }
        }
    }
}
