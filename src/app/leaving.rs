//! Prompt to save or discard unsaved work before it is closed.

use std::path::PathBuf;

use super::choosing::Purpose;
use super::{Action, App, files, theme};
use dispatch::{Inspect, Projects};
use texts::text;

/// Action that closes the inspection.
#[derive(Clone, Debug)]
pub enum Departure {
    /// Close the window.
    Close,
    /// Start a new inspection.
    New,
    /// Open another project or an inspection plan.
    Open(PathBuf),
    /// Open a part of the measured series.
    Series(usize),
}

/// State of the prompt.
#[derive(Default)]
pub struct LeavePrompt {
    /// Action that the prompt is shown for.
    asked: Option<Departure>,
    /// Whether the main button is to get the keyboard focus.
    wants_focus: bool,
    /// Action to perform once the project is saved.
    after_saving: Option<Departure>,
    /// Whether the window may close.
    may_close: bool,
}

impl LeavePrompt {
    fn ask(&mut self, departure: Departure) {
        (self.asked, self.wants_focus) = (Some(departure), true);
    }

    /// Tells the prompt that the dialog for the path was closed; without a path the action is cancelled.
    pub fn dialog_closed(&mut self, committed: bool) {
        if !committed {
            self.after_saving = None;
        }
    }
}

/// Answer to the prompt.
enum Answer {
    Save,
    Discard,
    Stay,
}

impl App {
    /// Whether the window may close now, for tests.
    pub fn may_close(&self) -> bool {
        self.leaving.may_close
    }

    /// Performs `departure`, after a prompt if work would be lost.
    pub(super) fn leave(&mut self, departure: Departure, context: &egui::Context) {
        self.send_edits();
        let is_close = matches!(departure, Departure::Close);
        // The measured parts have their own files.
        let is_series_alone =
            matches!(departure, Departure::Series(_)) && self.dispatcher.document.plan.elements().is_empty();
        if (self.dispatcher.is_saved() || is_series_alone) && !(is_close && self.is_busy()) {
            self.perform_departure(departure, context);
        } else {
            self.leaving.ask(departure);
        }
    }

    /// Opens a project in place of the inspection.
    pub(super) fn open_project(&mut self, path: PathBuf) {
        self.files.remember(&path);
        let context = self.context.clone();
        self.leave(Departure::Open(path), &context);
    }

    fn perform_departure(&mut self, departure: Departure, context: &egui::Context) {
        match departure {
            Departure::Close => {
                self.leaving.may_close = true;
                self.dispatcher.cancel();
                context.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Departure::New => self.send(Projects::New),
            Departure::Open(path) if files::is_plan(&path) => self.send(Projects::OpenPlan(path)),
            Departure::Open(path) => self.send(Projects::Open(path)),
            Departure::Series(shown) => self.send(Inspect::OpenSeries { shown }),
        }
    }

    /// Keeps the window open while work would be lost, and performs the pending action once it is saved.
    pub(super) fn follow_leaving(&mut self, context: &egui::Context) {
        if context.input(|input| input.viewport().close_requested()) && !self.leaving.may_close {
            self.send_edits();
            if context.text_edit_focused() {
                // What was typed is taken and sent first.
                context.send_viewport_cmd(egui::ViewportCommand::CancelClose);
                self.actions.push(Action::Quit);
            } else if self.dispatcher.is_saved() && !self.is_busy() {
                self.leaving.may_close = true;
            } else {
                context.send_viewport_cmd(egui::ViewportCommand::CancelClose);
                self.leaving.ask(Departure::Close);
            }
        }
        let is_acting = !self.actions.is_empty() || !self.waiting.is_empty();
        let waits = self.is_busy() || is_acting || self.open_dialog.is_open() || self.chooser.is_shown();
        if waits || self.leaving.after_saving.is_none() {
            return;
        }
        self.send_edits();
        if let Some(departure) = self.leaving.after_saving.take()
            && self.dispatcher.is_saved()
        {
            // If saving failed, the error is shown and the inspection stays open.
            self.perform_departure(departure, context);
        }
    }

    /// File name of the project, or that it has none.
    fn project_name(&self) -> String {
        let path = self.dispatcher.project_path();
        let name = path.and_then(std::path::Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| text!("files-untitled"))
    }

    /// Window title: the file name, with a bullet if there are unsaved changes.
    pub fn title(&self) -> String {
        let mark = if self.dispatcher.is_saved() { "" } else { "• " };
        format!("{mark}{} – Shadowgraph", self.project_name())
    }

    pub(super) fn leaving_window(&mut self, ui: &egui::Ui) {
        let Some(departure) = self.leaving.asked.clone() else { return };
        self.send_edits();
        let unsaved = !self.dispatcher.is_saved();
        let job = self.dispatcher.job().map(|(label, _)| label.to_owned());
        if !unsaved && job.is_none() {
            // The running job has ended in the meantime.
            self.leaving.asked = None;
            return self.perform_departure(departure, ui.ctx());
        }
        let mut answer = None;
        let modal = theme::dialog("leaving", ui.ctx()).show(ui.ctx(), |ui| {
            ui.set_width(400.0);
            let title =
                if unsaved { text!("files-save-asked", name = self.project_name()) } else { text!("files-stop-asked") };
            theme::heading(ui, title);
            if unsaved {
                let has_file = self.dispatcher.project_path().is_some();
                ui.label(if has_file { text!("files-changes-lost") } else { text!("files-all-lost") });
            }
            if let Some(job) = job {
                ui.label(text!("files-still-running", job = texts::word(&job).into_owned()));
            }
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                let main = if unsaved { text!("common-save") } else { text!("files-keep-open") };
                let main = ui.add(theme::main_button(main, true));
                if std::mem::take(&mut self.leaving.wants_focus) {
                    main.request_focus();
                }
                if main.clicked() {
                    answer = Some(if unsaved { Answer::Save } else { Answer::Stay });
                }
                let discard = if unsaved { text!("files-dont-save") } else { text!("files-stop-and-close") };
                if ui.button(discard).clicked() {
                    answer = Some(Answer::Discard);
                }
                if unsaved && ui.button(text!("common-cancel")).clicked() {
                    answer = Some(Answer::Stay);
                }
            });
        });
        if modal.should_close() && answer.is_none() {
            answer = Some(Answer::Stay);
        }
        let Some(answer) = answer else { return };
        self.leaving.asked = None;
        match answer {
            Answer::Save => {
                self.leaving.after_saving = Some(departure);
                self.save_project(ui.ctx());
            }
            Answer::Discard => self.perform_departure(departure, ui.ctx()),
            Answer::Stay => {}
        }
    }

    /// Saves the project in its file, or asks for a file.
    pub(super) fn save_project(&mut self, context: &egui::Context) {
        match self.dispatcher.project_path().map(std::path::Path::to_owned) {
            Some(path) => self.send(Projects::Save(path)),
            None => self.browse(Purpose::SaveProject, context),
        }
    }
}
