//! Arguments of `calibrate` and `merge`.

use std::path::PathBuf;

use clap::Args;

use super::values::{three, two};
use base::PageSize;
use compute::DeviceChoice;
use inspect::calibration::{ArtefactKind, Handedness};

/// `calibrate`
#[derive(Args, Debug)]
#[command(
    after_help = "Tables are CSV: region, x, y, z in mm, the regions LP, RP (plate left and right), LL, LR (flanks of \
    the long slot), SU, SL (flanks of the short slot).\n\nExit code 4: calibrated, but not certified; the reasons are \
    printed and stated in the JSON and on the certificate.\n\nExample:\n  shadowgraph calibrate --sensor snapshot.ply \
    --cmm touches.csv --handedness left --probe-radius-mm 1.5 --clip-sigmas 3 --out calibration.json --certificate \
    certificate.pdf"
)]
pub struct Calibrate {
    /// The artefact.
    #[arg(long, value_enum, default_value = "angled-slots")]
    pub artefact: ArtefactKind,
    /// CAD of the artefact, to find its regions by; with --artefact-regions.
    #[arg(long, requires = "artefact_regions")]
    pub artefact_cad: Option<PathBuf>,
    /// Points on the CAD, in its frame, mm: CSV of region, x, y, z, at least one on every face of a region.
    #[arg(long, requires = "artefact_cad")]
    pub artefact_regions: Option<PathBuf>,
    /// Points measured by the sensor: a whole snapshot, in which the regions are found, or a CSV of region, x, y, z.
    #[arg(long, required_unless_present = "snapshots")]
    pub sensor: Option<PathBuf>,
    /// Points probed by the CMM: CSV of region, x, y, z.
    #[arg(long, required_unless_present = "snapshots")]
    pub cmm: Option<PathBuf>,
    /// Several snapshots instead: a CSV of sensor file, CMM file, x, y, z of the CMM in mm. Rows with the same CMM file
    /// belong to one placement of the artefact. The mounting is stated for the first.
    #[arg(long, conflicts_with_all = ["sensor", "cmm", "position_mm"])]
    pub snapshots: Option<PathBuf>,
    /// Also estimate the squareness of the CMM's X and Y axes, from placements in different orientations.
    #[arg(long)]
    pub squareness: bool,
    /// Also estimate the scales of the CMM's axes, relative to the sensor's.
    #[arg(long)]
    pub scales: bool,
    /// Known squareness error of the CMM's X and Y axes, such as from a ball bar, and its U (k = 2), µrad: 90° minus the angle
    /// between them.
    #[arg(long, value_parser = two, allow_hyphen_values = true)]
    pub known_squareness_urad: Option<[f64; 2]>,
    /// Known scale errors of the CMM's axes X,Y,Z, µm/m: by how much true lengths are longer than indicated.
    #[arg(long, value_parser = three, allow_hyphen_values = true, requires = "known_scales_u_um_per_m")]
    pub known_scales_um_per_m: Option<[f64; 3]>,
    /// U (k = 2) of these, µm/m.
    #[arg(long, requires = "known_scales_um_per_m")]
    pub known_scales_u_um_per_m: Option<f64>,
    /// Handedness of the sensor's coordinate system.
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// Stylus tip radius to be compensated, mm; 0 if the CMM reports surface points.
    #[arg(long)]
    pub probe_radius_mm: f64,
    /// Error of the stylus tip radius, mm (maximum, ±), from its qualification. Without it, as much is included in the
    /// uncertainty as the artefact would leave undetected.
    #[arg(long)]
    pub probe_radius_error_mm: Option<f64>,
    /// CMM position at the snapshot, X,Y,Z mm.
    #[arg(long, value_parser = three, default_value = "0,0,0", allow_hyphen_values = true)]
    pub position_mm: [f64; 3],
    /// Drop points of the sensor beyond this many robust standard deviations from their plane.
    #[arg(long)]
    pub clip_sigmas: Option<f64>,
    /// Systematic sensor error over the measuring volume, mm (maximum), from its data sheet or an acceptance test; in
    /// whichever form: tilt, bowl, cubic, scale or waves along the line of sight, or across it scale, shear, distortion or
    /// waves of the image.
    #[arg(long, default_value_t = 0.01)]
    pub sensor_bias_mm: f64,
    /// Relative scale error of the sensor (maximum), if known better than from that error, such as 2e-5.
    #[arg(long)]
    pub sensor_scale_error: Option<f64>,
    /// Measuring field of the sensor at the artefact's distance, X,Y mm, centred on the sensor's Z axis, from its data
    /// sheet. Without it the systematic error is taken to reach its maximum within what the snapshots show of the field.
    #[arg(long, value_parser = two)]
    pub sensor_field_mm: Option<[f64; 2]>,
    /// Probing error of the CMM, mm (maximum, ±), from its acceptance test.
    #[arg(long, default_value_t = 0.002)]
    pub cmm_probing_mm: f64,
    /// Confirm that the sensor is mounted other than with its X axis along that of the CMM, looking down.
    #[arg(long)]
    pub any_mounting: bool,
    /// Name of the operator.
    #[arg(long, default_value = "")]
    pub operator: String,
    /// Serial number of the sensor, for the certificate.
    #[arg(long, default_value = "")]
    pub sensor_serial: String,
    /// Serial number of the CMM, for the certificate.
    #[arg(long, default_value = "")]
    pub machine_serial: String,
    /// Serial number of the artefact, for the certificate.
    #[arg(long, default_value = "")]
    pub artefact_serial: String,
    /// Validity of the calibration, hours; it also ends with every restart of the CMM.
    #[arg(long, default_value_t = 24.0)]
    pub valid_hours: f64,
    /// Append the calibration to this log, which `repeatability` evaluates.
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// Write the calibration to this JSON file.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the certificate to this PDF file.
    #[arg(long)]
    pub certificate: Option<PathBuf>,
    /// Size of its pages.
    #[arg(long, value_enum, default_value = "a4")]
    pub page_size: PageSize,
}

/// `merge`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  shadowgraph merge --calibration calibration.json --positions positions.csv --out \
    scan.ply\n\npositions.csv has one row per snapshot: file, x, y, z of the CMM in mm; the files are in the same \
    folder. Tables of `calibrate --snapshots`, with a second file for the probed points, are read as \
    well.")]
pub struct Merge {
    /// The calibration that `calibrate --out` wrote.
    #[arg(long)]
    pub calibration: PathBuf,
    /// The snapshots and the CMM position at each: CSV of file, x, y, z in mm. If the calibration determined the CMM's
    /// squareness or scales, positions are corrected for them.
    #[arg(long)]
    pub positions: PathBuf,
    /// The merged scan to write; a record is written beside it as JSON.
    #[arg(long)]
    pub out: PathBuf,
    /// Use a calibration that has expired, is not certified or was edited, for this reason, which is kept in the
    /// record.
    #[arg(long, visible_alias = "use-anyway-because")]
    pub use_expired_because: Option<String>,
    /// Global registration of the snapshots: align them where they overlap, as far as their surfaces determine it.
    #[arg(long)]
    pub refine: bool,
    /// With --refine: standard deviation of each coordinate of a snapshot's centre as placed by the calibration, mm.
    #[arg(long, default_value_t = 0.05, requires = "refine")]
    pub placed_to_mm: f64,
    /// With --refine: standard deviation of a snapshot's rotation about each axis as placed by the calibration,
    /// degrees.
    #[arg(long, default_value_t = 0.01, requires = "refine")]
    pub turned_to_deg: f64,
    /// With --refine: compute device.
    #[arg(long, value_enum, default_value = "auto", requires = "refine")]
    pub backend: DeviceChoice,
}
