//! What becomes of files that were dropped, chosen or named at start.

use std::path::PathBuf;

use super::choosing::Purpose;
use super::files::{Kind, kind_of};
use super::open_dialog::Role;
use super::{App, Workspace};
use base::LengthUnit;
use dispatch::merge::MergeOptions;
use dispatch::{Align, Calibrate, Inspect, Merge, Parts, Projects, Select};
use inspect::alignment::Method;
use io::region_table;
use session::calibrating::Device;

impl App {
    /// Opens a file as what its name says; asks where that is open.
    pub(crate) fn open_by_kind(&mut self, path: PathBuf) {
        if self.workspace == Workspace::Calibrate && kind_of(&path) != Kind::Project {
            // Tables with names of regions are how machines report touches.
            let device = if region_table::is_one(&path) { Device::Cmm } else { self.calibration.device };
            return self.open_measurement(device, path);
        }
        match kind_of(&path) {
            Kind::Project => self.open_project(path),
            Kind::Scan => self.open_scan(path),
            Kind::Nominal => self.open_nominal(path),
            // The first mesh is the nominal, one after it the scan; undo and the open dialog are there for the rest.
            Kind::Either if self.has_nominal => self.open_scan(path),
            Kind::Either => self.open_nominal(path),
            Kind::Unknown => self.open_dialog.ask_to_open(path, Role::Scan),
        }
    }

    /// Asks for a file or folder: by the system's dialog, or where it has none by our own.
    pub(super) fn browse(&mut self, purpose: Purpose, context: &egui::Context) {
        match self.no_chooser {
            None => self.chooser.show(purpose, self.files.folder(), context),
            Some(_) => {
                let name = match purpose.asks().of {
                    super::choosing::Wanted::NewFile(name, _) => name,
                    _ => "",
                };
                self.open_dialog
                    .ask(purpose, self.files.folder().map_or_else(|| name.into(), |folder| folder.join(name)));
            }
        }
    }

    /// Takes over what was chosen.
    pub(super) fn chosen(&mut self, purpose: Purpose, path: PathBuf) {
        match purpose {
            Purpose::Open => self.open_dialog.fill(path),
            Purpose::NextScan => self.inspect_next(path),
            Purpose::Snapshot => self.open_measurement(Device::Sensor, path),
            Purpose::Positions => {
                let reason = Some(self.calibration.reason.clone());
                let refine = self.calibration.refines.then_some(self.calibration.placed);
                self.send(Merge { table: path, options: MergeOptions { reason, refine } });
            }
            Purpose::Touches => self.open_measurement(Device::Cmm, path),
            Purpose::Machine(pick) => self.picked(pick, path),
            Purpose::SaveProject => {
                self.files.remember(&path);
                self.send(Projects::Save(path));
            }
            Purpose::SavePlan => self.send(Projects::SavePlan(path)),
            Purpose::ExportSelection(of) => self.send(Select::Export(of, path)),
            Purpose::ReportFolder => self.report_folder = path.display().to_string(),
        }
    }

    /// An autosave that was brought back is needless once what it held is saved again.
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

    fn open_nominal(&mut self, path: PathBuf) {
        self.files.remember(&path);
        self.has_nominal = true;
        self.send(Parts::OpenNominal { path, unit: None });
    }

    fn open_scan(&mut self, path: PathBuf) {
        self.files.remember(&path);
        self.send(Parts::OpenScans { paths: vec![path], unit: None, columns: None });
    }

    /// Opens what a device measured of the artefact, and shows it.
    fn open_measurement(&mut self, device: Device, path: PathBuf) {
        self.files.remember(&path);
        self.calibration.device = device;
        self.send(Calibrate::OpenMeasurement { device, path });
    }

    /// Opens the scan again in another unit, and aligns it.
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
