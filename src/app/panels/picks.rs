//! Files and folders that sections of the panels ask for.

use std::path::PathBuf;

use super::super::App;
use super::super::choosing::DialogSpec;
use super::calibrate::Artefact;
use dispatch::probe::Probe;
use dispatch::{Detect, Inspect, SurfacePoints};
use io::format::Format;
use session::plan::ElementId;
use texts::text;

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
    /// A table of own tolerances of faces.
    OwnTolerances,
    /// A scan for the sensor acceptance test.
    Accepted(Artefact),
}

impl Pick {
    /// The dialog for it.
    pub fn dialog(self) -> DialogSpec {
        let tables = ["csv", "txt"];
        match self {
            Self::Holes => DialogSpec::file(text!("window-pick-holes"), text!("window-kind-tables"), &tables),
            Self::ProbedHoles => {
                DialogSpec::file(text!("window-pick-probed-holes"), text!("window-kind-tables"), &tables)
            }
            Self::TargetFolder => DialogSpec::folder(text!("window-pick-target-folder")),
            Self::Log => {
                DialogSpec::file(text!("window-pick-log"), text!("window-kind-logs"), &["jsonl", "json", "log"])
            }
            Self::ArtefactCad => DialogSpec::file(
                text!("window-pick-artefact-cad"),
                text!("window-kind-cad"),
                &Format::NOMINAL_EXTENSIONS,
            ),
            Self::ArtefactRegions => {
                DialogSpec::file(text!("window-pick-artefact-regions"), text!("window-kind-tables"), &tables)
            }
            Self::Accepted(Artefact::Bar) => {
                DialogSpec::file(text!("window-pick-bar"), text!("window-kind-scans"), &Format::SCAN_EXTENSIONS)
            }
            Self::Accepted(Artefact::Flat) => {
                DialogSpec::file(text!("window-pick-flat"), text!("window-kind-scans"), &Format::SCAN_EXTENSIONS)
            }
            Self::SurfacePoints => {
                DialogSpec::file(text!("window-pick-surface-points"), text!("window-kind-tables"), &tables)
            }
            Self::OwnTolerances => {
                DialogSpec::file(text!("window-pick-own-tolerances"), text!("window-kind-tables"), &tables)
            }
            Self::FoundParts(_) => DialogSpec::folder(text!("window-pick-found-parts")),
            Self::SeriesPlan => DialogSpec::file(text!("window-pick-plan"), text!("window-kind-plans"), &["sgplan"]),
            Self::SeriesParts => DialogSpec::folder(text!("window-pick-series-parts")),
            Self::SeriesFolder => DialogSpec::folder(text!("window-pick-series-folder")),
            Self::Certificate => {
                DialogSpec::file(text!("window-pick-certificate"), text!("window-kind-calibrations"), &["json"])
            }
        }
    }
}

impl App {
    /// Uses the chosen path.
    pub(in super::super) fn picked(&mut self, pick: Pick, path: PathBuf) {
        match pick {
            Pick::Holes => self.send(Probe::OpenHoles(path)),
            Pick::SurfacePoints => self.send(SurfacePoints::Open(self.display.surface_points, path)),
            Pick::OwnTolerances => self.send(Inspect::OpenOwnTolerances(path)),
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
