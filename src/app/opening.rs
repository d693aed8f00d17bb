//! Opening of files that were dropped, chosen or passed at start.

use std::path::{Path, PathBuf};

use super::choosing::Purpose;
use super::files::{Kind, kind_of};
use super::open_dialog::{self, Role};
use super::{App, Workspace};
use base::LengthUnit;
use dispatch::merge::MergeOptions;
use dispatch::{Align, Calibrate, Inspect, Merge, Offset, Parts, Present, Projects, Report, Sections, Select, demo};
use inspect::alignment::Method;
use inspect::deviation::OwnScale;
use io::region_table;
use report::logo::Logo;
use report::template::Template;
use session::calibration::Instrument;
use session::plan::Recipe;

impl App {
    /// Opens a file according to its kind; shows the open dialog if the kind is unknown.
    pub(crate) fn open_by_kind(&mut self, path: PathBuf) {
        if self.workspace == Workspace::Calibrate && kind_of(&path) != Kind::Project {
            // CMMs report probed points as tables with region names.
            let instrument =
                if region_table::is_region_table(&path) { Instrument::Cmm } else { self.panels.calibrate.instrument };
            return self.open_measurement(instrument, path);
        }
        match kind_of(&path) {
            Kind::Project => self.open_project(path),
            Kind::Scan => self.open_scan(path),
            Kind::Nominal => self.open_nominal(path),
            // The first mesh is opened as nominal, the next as scan; the open dialog allows other choices.
            Kind::Either if self.has_nominal => self.open_scan(path),
            Kind::Either => self.open_nominal(path),
            Kind::Unknown => self.open_dialog.ask_to_open(path, Role::Scan),
        }
    }

    /// Asks for a file or folder with the desktop's dialog, or with our own if there is none.
    pub(super) fn browse(&mut self, purpose: Purpose, context: &egui::Context) {
        match self.no_chooser {
            None => self.chooser.show(purpose, self.files.folder(), context),
            Some(_) => {
                let name = match purpose.dialog().kind {
                    super::choosing::PathKind::NewFile(name, _) => name,
                    _ => "",
                };
                self.open_dialog
                    .ask(purpose, self.files.folder().map_or_else(|| name.into(), |folder| folder.join(name)));
            }
        }
    }

    /// Uses the chosen path.
    pub(super) fn chosen(&mut self, purpose: Purpose, path: PathBuf) {
        match purpose {
            Purpose::Open => self.open_dialog.fill(path),
            Purpose::NextScan => self.inspect_next(path),
            Purpose::Snapshot => self.open_measurement(Instrument::Sensor, path),
            Purpose::Positions => {
                let reason = Some(self.panels.calibrate.reason.clone());
                let refine = self.panels.calibrate.refines.then_some(self.panels.calibrate.registration);
                self.send(Merge { table: path, options: MergeOptions { reason, refine } });
            }
            Purpose::ProbedPoints => self.open_measurement(Instrument::Cmm, path),
            Purpose::Machine(pick) => self.picked(pick, path),
            Purpose::SaveProject => {
                self.files.remember(&path);
                self.send(Projects::Save(path));
            }
            Purpose::SavePlan => self.send(Projects::SavePlan(path)),
            Purpose::ExportSelection(of) => self.send(Select::Export(of, path)),
            Purpose::OffsetMesh(id) => {
                let recipe = self.dispatcher.document.plan.get(id).map(|own| &own.recipe);
                let command = match recipe {
                    Some(Recipe::Contact(_)) => Offset::SavePass(id, self.display.shown.contact_pass, path),
                    _ => Offset::SaveMesh(id, self.display.shown.offset_pass, path),
                };
                self.send(command);
            }
            Purpose::OffsetVoxels(id) => self.send(Offset::SaveVoxels(id, path)),
            Purpose::SectionFolder(id) => self.send(Sections::Save(id, path, self.display.section.factor)),
            Purpose::OffsetSlices(id) => self.send(Offset::SaveSlices(id, path)),
            Purpose::ResultsTable => self.send(Report::SaveResults(path)),
            Purpose::ReportFolder => self.panels.report.folder = path.display().to_string(),
            Purpose::Logo => match Logo::read(&path) {
                Ok(_) => {
                    self.change_settings(|settings| settings.report.logo = Some(path));
                }
                Err(error) => self.show_error(error.sentence),
            },
            Purpose::Template => match Template::read(&path) {
                Ok(_) => self.send(Present::SetTemplate(Some(path))),
                Err(error) => self.show_error(error.sentence),
            },
            Purpose::StartingTemplate => self.send(Report::SaveTemplate(path)),
            Purpose::LoadColours => match OwnScale::read(&path) {
                Ok(own) => {
                    self.saved_scales.keep(own.clone());
                    self.send(Present::SetColours(self.dispatcher.document.settings.colours, Some(own)));
                }
                Err(error) => self.show_error(error.sentence),
            },
            Purpose::SaveColours => {
                let own = self.dispatcher.document.plan.presentation.colours.clone();
                own.into_iter().for_each(|own| self.saved_scales.keep(own));
                self.send(Present::SaveColours(path));
            }
        }
    }

    /// Marks a restored autosave as obsolete once the restored work is autosaved again.
    pub(super) fn follow_restoring(&mut self) {
        if self.is_busy() {
            return;
        }
        if let Some(path) = self.restoring.take()
            && !self.dispatcher.is_saved()
        {
            self.files.supersede(path);
        }
    }

    /// Opens the demo part and its scan, and inspects them.
    pub(super) fn open_demo(&mut self) {
        let folder = self.files.state_folder().map_or_else(std::env::temp_dir, Path::to_owned).join("demo");
        match demo::unpack(&folder, &self.dispatcher.context.cad) {
            Ok(files) => {
                self.has_nominal = true;
                self.send(Parts::OpenNominal { path: files.mesh, unit: None });
                self.send(Parts::OpenScans { paths: vec![files.scan], unit: None, columns: None });
                self.send(Inspect::AlignAndCompare);
            }
            Err(error) => self.show_error(error.sentence),
        }
    }

    fn open_nominal(&mut self, path: PathBuf) {
        self.files.remember(&path);
        self.has_nominal = true;
        self.send(Parts::OpenNominal { path, unit: None });
    }

    fn open_scan(&mut self, path: PathBuf) {
        if open_dialog::asks_for_columns(&path) {
            return self.open_dialog.ask_to_open(path, Role::Scan);
        }
        self.files.remember(&path);
        self.send(Parts::OpenScans { paths: vec![path], unit: None, columns: None });
    }

    /// Opens an instrument's measurement of the artefact, and shows it.
    fn open_measurement(&mut self, instrument: Instrument, path: PathBuf) {
        self.files.remember(&path);
        self.panels.calibrate.show_instrument(instrument);
        self.send(Calibrate::OpenMeasurement { instrument, path });
    }

    /// Reopens the scan in another unit and aligns it.
    pub(super) fn reopen_scan(&mut self, unit: Option<LengthUnit>) {
        let Some(actual) = self.dispatcher.document.actual() else { return };
        let paths = actual.sources.iter().map(|source| source.path.clone()).collect();
        let columns = actual.sources.first().and_then(|source| source.columns);
        self.send(Parts::OpenScans { paths, unit, columns });
        self.send(Align::Run(Method::Auto));
    }

    fn inspect_next(&mut self, path: PathBuf) {
        self.files.remember(&path);
        let unit = self.dispatcher.document.actual().and_then(|actual| actual.sources.first()?.unit);
        self.send(Inspect::Next { paths: vec![path], unit });
    }
}
