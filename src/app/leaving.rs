//! The question before unsaved work is left: save it, drop it, or stay.

use std::path::PathBuf;

use super::choosing::Purpose;
use super::{App, files, theme};
use dispatch::Projects;

/// What would drop the inspection.
#[derive(Clone, Debug)]
pub enum Departure {
    /// Closing the window.
    Close,
    /// A new inspection.
    New,
    /// Another project, or an inspection plan.
    Open(PathBuf),
}

/// See the module.
#[derive(Default)]
pub struct Leaving {
    /// What is asked about.
    asked: Option<Departure>,
    /// Whether the main answer is to get the keyboard.
    wants_focus: bool,
    /// What follows once the project is saved.
    after_saving: Option<Departure>,
    /// Whether the window may close.
    may_close: bool,
}

impl Leaving {
    fn ask(&mut self, departure: Departure) {
        (self.asked, self.wants_focus) = (Some(departure), true);
    }

    /// The dialog that asked for a path is gone; nothing follows where it was not committed.
    pub fn dialog_closed(&mut self, committed: bool) {
        if !committed {
            self.after_saving = None;
        }
    }
}

/// What was answered.
enum Answer {
    Save,
    Drop,
    Stay,
}

impl App {
    /// Whether the window may close now, for tests.
    pub fn may_close(&self) -> bool {
        self.leaving.may_close
    }

    /// Leaves the inspection, after a question where something would be lost.
    pub(super) fn leave(&mut self, departure: Departure, context: &egui::Context) {
        let is_close = matches!(departure, Departure::Close);
        if self.dispatcher.is_saved() && !(is_close && self.is_busy()) {
            self.depart(departure, context);
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

    fn depart(&mut self, departure: Departure, context: &egui::Context) {
        match departure {
            Departure::Close => {
                self.leaving.may_close = true;
                self.dispatcher.cancel();
                context.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Departure::New => self.send(Projects::New),
            Departure::Open(path) if files::is_plan(&path) => self.send(Projects::OpenPlan(path)),
            Departure::Open(path) => self.send(Projects::Open(path)),
        }
    }

    /// Holds the window open while something would be lost, and leaves once it is saved.
    pub(super) fn follow_leaving(&mut self, context: &egui::Context) {
        if context.input(|input| input.viewport().close_requested()) && !self.leaving.may_close {
            if self.dispatcher.is_saved() && !self.is_busy() {
                self.leaving.may_close = true;
            } else {
                context.send_viewport_cmd(egui::ViewportCommand::CancelClose);
                self.leaving.ask(Departure::Close);
            }
        }
        let waits = self.is_busy() || self.open_dialog.is_open() || self.chooser.is_shown();
        if waits {
            return;
        }
        if let Some(departure) = self.leaving.after_saving.take()
            && self.dispatcher.is_saved()
        {
            // Where it could not be saved the reason is shown, and nothing is left.
            self.depart(departure, context);
        }
    }

    /// The project's name as the title and the question say it.
    fn project_name(&self) -> String {
        let path = self.dispatcher.project_path();
        let name = path.and_then(std::path::Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "Untitled".to_owned())
    }

    /// The window's title: the file, with a mark where something is not saved.
    pub fn title(&self) -> String {
        let mark = if self.dispatcher.is_saved() { "" } else { "• " };
        format!("{mark}{} – Shadowgraph", self.project_name())
    }

    pub(super) fn leaving_window(&mut self, ui: &egui::Ui) {
        let Some(departure) = self.leaving.asked.clone() else { return };
        let unsaved = !self.dispatcher.is_saved();
        let job = self.dispatcher.job().map(|(label, _)| label.to_owned());
        if !unsaved && job.is_none() {
            // A job that was asked about has ended.
            self.leaving.asked = None;
            return self.depart(departure, ui.ctx());
        }
        let mut answer = None;
        let modal = theme::dialog("leaving", ui.ctx()).show(ui.ctx(), |ui| {
            ui.set_width(400.0);
            let title =
                if unsaved { format!("Save “{}”?", self.project_name()) } else { "Stop what is running?".into() };
            theme::heading(ui, &title);
            if unsaved {
                let since = if self.dispatcher.project_path().is_some() { "since it was last saved" } else { "so far" };
                ui.label(format!("What was done {since} would be lost."));
            }
            if let Some(job) = job {
                ui.label(format!("“{job}” is still running and would be stopped."));
            }
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                let main = ui.add(theme::main_button(if unsaved { "Save" } else { "Keep open" }, true));
                if std::mem::take(&mut self.leaving.wants_focus) {
                    main.request_focus();
                }
                if main.clicked() {
                    answer = Some(if unsaved { Answer::Save } else { Answer::Stay });
                }
                if ui.button(if unsaved { "Don’t save" } else { "Stop and close" }).clicked() {
                    answer = Some(Answer::Drop);
                }
                if unsaved && ui.button("Cancel").clicked() {
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
            Answer::Drop => self.depart(departure, ui.ctx()),
            Answer::Stay => {}
        }
    }

    /// Saves in the project's file, or asks for one.
    pub(super) fn save_project(&mut self, context: &egui::Context) {
        match self.dispatcher.project_path().map(std::path::Path::to_owned) {
            Some(path) => self.send(Projects::Save(path)),
            None => self.browse(Purpose::SaveProject, context),
        }
    }
}
