//! Files and folders that sections about the machine ask for, and what becomes of them.

use std::path::PathBuf;

use super::super::App;
use super::super::choosing::Asks;
use super::acceptance::Artefact;
use dispatch::probe::Probe;
use io::format::Format;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The list of holes to measure.
    Holes,
    /// What the machine touched of them.
    TouchedHoles,
    /// Where the next targets go.
    TargetFolder,
    /// The log of calibrations.
    Log,
    /// The calibration that the last one is held against.
    Certificate,
    /// The CAD of the calibration's artefact.
    ArtefactCad,
    /// Where its regions are on it.
    ArtefactRegions,
    /// The plan of a series of parts.
    SeriesPlan,
    /// The folder of its scans.
    SeriesParts,
    /// Where its results go.
    SeriesFolder,
    /// A scan that the sensor is accepted by.
    Accepted(Artefact),
}

impl Pick {
    /// How a dialog asks for it.
    pub fn asks(self) -> Asks {
        let tables = ["csv", "txt"];
        match self {
            Self::Holes => Asks::file("List of holes", "Tables", &tables),
            Self::TouchedHoles => Asks::file("Touches of the holes", "Tables", &tables),
            Self::TargetFolder => Asks::folder("Folder for the targets"),
            Self::Log => Asks::file("Log of calibrations", "Logs", &["jsonl", "json", "log"]),
            Self::ArtefactCad => Asks::file("CAD of the artefact", "CAD and meshes", &Format::NOMINAL_EXTENSIONS),
            Self::ArtefactRegions => Asks::file("Places on the artefact", "Tables", &tables),
            Self::Accepted(Artefact::Bar) => Asks::file("Scan of the ball bar", "Scans", &Format::SCAN_EXTENSIONS),
            Self::Accepted(Artefact::Flat) => Asks::file("Scan of the flat", "Scans", &Format::SCAN_EXTENSIONS),
            Self::SeriesPlan => Asks::file("Inspection plan", "Inspection plans", &["sgplan"]),
            Self::SeriesParts => Asks::folder("Folder of scans, one a part"),
            Self::SeriesFolder => Asks::folder("Folder for the results"),
            Self::Certificate => Asks::file("Calibration to hold against", "Calibrations", &["json"]),
        }
    }
}

impl App {
    /// Takes over what was chosen.
    pub(in super::super) fn picked(&mut self, pick: Pick, path: PathBuf) {
        match pick {
            Pick::Holes => self.send(Probe::OpenHoles(path)),
            Pick::TouchedHoles => self.send(Probe::Take(path)),
            Pick::TargetFolder => self.send(Probe::Write(path)),
            // Sent with the rest of the section, as if typed.
            Pick::Log => self.repeatability.log = path.display().to_string(),
            Pick::ArtefactCad => self.calibration.setup.nominal.cad = Some(path),
            Pick::ArtefactRegions => self.calibration.setup.nominal.regions = Some(path),
            Pick::Accepted(artefact) => self.acceptance.add(artefact, path),
            Pick::SeriesPlan | Pick::SeriesParts | Pick::SeriesFolder => self.series.take(pick, &path),
            Pick::Certificate => self.repeatability.certificate = path.display().to_string(),
        }
    }
}
