//! Files and folders that sections of the panels ask for.

use std::path::PathBuf;

use super::super::App;
use super::super::choosing::DialogSpec;
use super::calibrate::Artefact;
use dispatch::probe::Probe;
use dispatch::{Detect, SurfacePoints};
use io::format::Format;
use session::plan::ElementId;

/// File or folder asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The list of holes to be measured.
    Holes,
    /// The points probed in them.
    ProbedHoles,
    /// The folder for the targets of the next probing cycle.
    TargetFolder,
    /// The calibration log.
    Log,
    /// The calibration that the last one is compared with.
    Certificate,
    /// The CAD model of the calibration artefact.
    ArtefactCad,
    /// Points on the regions of the artefact.
    ArtefactRegions,
    /// The inspection plan of a series of parts.
    SeriesPlan,
    /// The folder of the scans of the series.
    SeriesParts,
    /// The folder for the results of the series.
    SeriesFolder,
    /// The folder for the parts found by a detection and what is measured of them.
    FoundParts(ElementId),
    /// A table of surface points.
    SurfacePoints,
    /// A scan for the sensor acceptance test.
    Accepted(Artefact),
}

impl Pick {
    /// The dialog for it.
    pub fn dialog(self) -> DialogSpec {
        let tables = ["csv", "txt"];
        match self {
            Self::Holes => DialogSpec::file("List of holes", "Tables", &tables),
            Self::ProbedHoles => DialogSpec::file("Probed points of the holes", "Tables", &tables),
            Self::TargetFolder => DialogSpec::folder("Folder for the probing targets"),
            Self::Log => DialogSpec::file("Calibration log", "Logs", &["jsonl", "json", "log"]),
            Self::ArtefactCad => DialogSpec::file("CAD of the artefact", "CAD and meshes", &Format::NOMINAL_EXTENSIONS),
            Self::ArtefactRegions => DialogSpec::file("Points on the artefact regions", "Tables", &tables),
            Self::Accepted(Artefact::Bar) => {
                DialogSpec::file("Scan of the ball bar", "Scans", &Format::SCAN_EXTENSIONS)
            }
            Self::Accepted(Artefact::Flat) => {
                DialogSpec::file("Scan of the flat standard", "Scans", &Format::SCAN_EXTENSIONS)
            }
            Self::SurfacePoints => DialogSpec::file("Table of surface points", "Tables", &tables),
            Self::FoundParts(_) => DialogSpec::folder("Folder for the parts found and their results"),
            Self::SeriesPlan => DialogSpec::file("Inspection plan", "Inspection plans", &["sgplan"]),
            Self::SeriesParts => DialogSpec::folder("Folder of scans, one per part"),
            Self::SeriesFolder => DialogSpec::folder("Folder for the results"),
            Self::Certificate => DialogSpec::file("Calibration to compare with", "Calibrations", &["json"]),
        }
    }
}

impl App {
    /// Uses the chosen path.
    pub(in super::super) fn picked(&mut self, pick: Pick, path: PathBuf) {
        match pick {
            Pick::Holes => self.send(Probe::OpenHoles(path)),
            Pick::SurfacePoints => self.send(SurfacePoints::Open(self.display.surface_points, path)),
            Pick::ProbedHoles => self.send(Probe::Take(path)),
            Pick::TargetFolder => self.send(Probe::Write(path)),
            Pick::SeriesPlan | Pick::SeriesParts | Pick::SeriesFolder => self.panels.series.take(pick, &path),
            Pick::FoundParts(id) => {
                self.panels.series.follow_found(&path);
                self.send(Detect::MeasureEach(id, path));
            }
            Pick::Log | Pick::Certificate | Pick::ArtefactCad | Pick::ArtefactRegions | Pick::Accepted(_) => {
                self.panels.calibrate.take(pick, path);
            }
        }
    }
}
