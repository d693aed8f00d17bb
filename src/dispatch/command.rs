//! The commands.

use std::path::PathBuf;

use super::selecting::Visibility;
use super::{accept, mechanical, merge, probe, upkeep};
use base::LengthUnit;
use compute::DeviceId;
use geometry::Pose;
use geometry::subset::{Combine, Subset};
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::{Method, search_registration::Parameters as SearchParameters};
use inspect::cleaning;
use inspect::features::constructions::Construction;
use inspect::features::weights::Weights;
use inspect::features::{Kind, Objective};
use io::xyz::Columns;
use render::selecting::{Brushed, Stroke};
use session::Settings;
use session::calibrating::{Device, Setup};
use session::selection::Selectable;

/// Everything that can be asked of the program.
#[derive(Clone, Debug)]
pub enum Command {
    /// Loads a nominal.
    OpenNominal {
        /// Its file.
        path: PathBuf,
        /// Its unit; `None` takes what the format says, else mm.
        unit: Option<LengthUnit>,
    },
    /// Loads one or more snapshots of one part in one frame.
    OpenScans {
        /// Their files.
        paths: Vec<PathBuf>,
        /// Their unit.
        unit: Option<LengthUnit>,
        /// Columns of files of numbers.
        columns: Option<Columns>,
    },
    /// Replaces the scan and runs the saved alignment and comparison again.
    InspectNext {
        /// The next scan.
        paths: Vec<PathBuf>,
        /// Its unit.
        unit: Option<LengthUnit>,
    },
    /// Aligns as `method` says.
    Align(Method),
    /// Aligns by the enabled point pairs.
    AlignByPairs,
    /// Sets the pose outright.
    SetPose(Pose),
    /// Takes another of the poses that fit about as well, by its number among the alternatives.
    ChooseAlternative(usize),
    /// Compares scan and nominal.
    Compare,
    /// Aligns and compares with the current settings.
    Inspect,
    /// Registers with every search on every device, for comparison.
    CompareSearches {
        /// Where all of them start; `None` starts near the present pose.
        start: Option<Pose>,
    },
    /// Registers point to point with a chosen search, from the present pose.
    RegisterBySearch(Box<SearchParameters>),
    /// Adds a picked pair.
    AddPair(PointPair),
    /// Switches a pair on or off.
    TogglePair(usize),
    /// Removes a pair.
    RemovePair(usize),
    /// Removes all pairs.
    ClearPairs,
    /// Changes the selection by the scan's points inside an outline on the screen.
    Brush {
        /// The stroke.
        stroke: Brushed,
        /// What it does.
        how: Combine,
    },
    /// Changes the selection by some points or facets.
    Select(Selectable, Subset, Combine),
    /// Changes the selection by the nominal's facets inside an outline on the screen.
    BrushFacets {
        /// The stroke.
        stroke: Box<Stroke>,
        /// What it does.
        how: Combine,
    },
    /// Selects the whole faces that the selected facets are part of.
    SelectWholeFaces,
    /// Selects the points that lie by the selected facets.
    SelectPointsOnFacets,
    /// Takes the selected facets out of the nominal.
    RemoveFacets,
    /// Selects neither points nor facets.
    SelectNothing,
    /// Selects what was not.
    InvertSelection(Selectable),
    /// Shows some of the points or facets.
    Show(Selectable, Visibility),
    /// Writes what is selected into a file.
    ExportSelection(Selectable, PathBuf),
    /// Keeps the selection under a name.
    NameSelection(Selectable, String),
    /// Forgets a named selection, by its number.
    RemoveSelection(usize),
    /// Fits a feature to the selected points.
    FitFeature {
        /// The kind.
        kind: Kind,
        /// What makes one feature the best.
        objective: Objective,
        /// Whether the fit is robust (least median of squares).
        robust: bool,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits parallel planes to the points of named selections and features: one feature each, of one normal.
    FitParallelPlanes {
        /// Names of selections of points, or of features.
        planes: Vec<String>,
        /// How points are weighed.
        weights: Weights,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Removes a feature, by its number.
    RemoveFeature(usize),
    /// Takes what the selected facets are of as what the feature of that name should be.
    NominalFromFacets(String),
    /// Forgets what the feature of that name should be.
    ForgetNominal(String),
    /// Fits a line or a circle in a plane to the selected points.
    FitInPlane {
        /// The kind.
        kind: Kind,
        /// The name of the plane.
        plane: String,
        /// Whether the fit is robust (least median of squares).
        robust: bool,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits a slot to the selected points of its rim.
    FitSlot {
        /// The name of the plane that it lies in; `None` takes the one through its points.
        plane: Option<String>,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Removes a slot, by its number.
    RemoveSlot(usize),
    /// Makes an element from others.
    Construct {
        /// The way it is made.
        construction: Construction,
        /// Names of what it is made from, in order.
        sources: Vec<String>,
    },
    /// Removes a constructed element, by its number.
    RemoveConstruction(usize),
    /// Changes datum letters and tolerances.
    SetTolerancePlan(Box<inspect::tolerances::Plan>),
    /// Judges all tolerances.
    JudgeTolerances,
    /// Reads datum letters and tolerances from a JSON file.
    OpenTolerancePlan(PathBuf),
    /// Writes datum letters and tolerances to a JSON file.
    SaveTolerancePlan(PathBuf),
    /// Opens what a device measured of the calibration's artefact.
    OpenMeasurement {
        /// Which device.
        device: Device,
        /// Its file: points, or a table of touches with the names of their regions.
        path: PathBuf,
    },
    /// Changes what is said of the calibration's set-up.
    SetUpCalibration(Box<Setup>),
    /// Changes a region of the artefact by the points inside an outline on the screen.
    BrushRegion {
        /// Whose points.
        device: Device,
        /// The region's number.
        region: usize,
        /// The stroke.
        stroke: Brushed,
        /// What it does.
        how: Combine,
    },
    /// Empties a region of the artefact.
    ClearRegion(Device, usize),
    /// Finds the artefact's regions in the snapshot.
    FindRegions,
    /// Sets the snapshot aside, to calibrate from it together with others.
    KeepSnapshot,
    /// Forgets a snapshot that was set aside, by its number.
    ForgetSnapshot(usize),
    /// Calibrates the sensor from the regions of both devices.
    Calibrate,
    /// Begins or ends the mechanical alignment.
    Mechanical(mechanical::Order),
    /// Writes the certificate into a folder.
    WriteCertificate(PathBuf),
    /// Merges the snapshots that a table names with the CMM's positions, by the calibration, and opens them as the scan.
    MergeSnapshots {
        /// The table: file, x, y, z in mm.
        table: PathBuf,
        /// What is asked beside.
        wishes: merge::Wishes,
    },
    /// Measures holes by a touch probe where the scan has found them.
    Probe(probe::Probe),
    /// Judges the sensor by scans of artefacts.
    Accept(Box<accept::Accept>),
    /// Watches the calibration.
    Upkeep(upkeep::Request),
    /// Removes outliers of the scan, thins it, or finds its normals.
    CleanScan(cleaning::Step),
    /// Turns the nominal's facets so that they agree and face outward.
    UnifyWinding,
    /// Changes settings.
    SetSettings(Box<Settings>),
    /// Writes the report and its companions into a folder.
    WriteReport {
        /// The folder.
        folder: PathBuf,
    },
    /// Saves the project.
    SaveProject(PathBuf),
    /// Opens a project.
    OpenProject(PathBuf),
    /// Opens what a run that did not end well had saved by itself.
    RestoreAutosave(PathBuf),
    /// Begins anew.
    NewInspection,
    /// Computes on another device.
    UseDevice(DeviceId),
    /// Takes the last change back.
    Undo,
    /// Brings the last undone change again.
    Redo,
}
