# Workspace Calibrate.

# The panel and its setup.

calibrate-mechanical-hint = Shows the remaining rotations of the artefact and sensor modules
calibrate-mechanical = Mechanical alignment
calibrate-setup = Setup
calibrate-measurements = Measurements
calibrate-regions = Regions
calibrate-calibration = Calibration
calibrate-stylus-radius = Stylus tip radius
calibrate-not-set = not set
calibrate-artefact = Artefact
calibrate-sensor-frame = Sensor frame
calibrate-right-handed = Right-handed
calibrate-left-handed = Left-handed
calibrate-cmm-position = CMM position
calibrate-cmm-position-hint = CMM position { $axis } at the snapshot, { $unit }
calibrate-bias = Systematic sensor error
calibrate-bias-hint = Max. systematic error over the sensor's field of view, from its data sheet or acceptance test; included in the uncertainties
calibrate-operator = Operator
calibrate-serials = Serial numbers
calibrate-sensor = Sensor
calibrate-cmm = CMM
calibrate-artefact-cad = Artefact CAD
calibrate-artefact-cad-about = For a custom artefact: its regions are found from its CAD model and points on each region.
calibrate-cad-open = CAD…
calibrate-cad-open-hint = CAD file or mesh of the artefact
calibrate-points-open = Points…
calibrate-points-open-hint = Table of region, x, y, z in mm in the CAD frame; at least one point on every face

# Steps.

calibrate-step-setup-about = Artefact, stylus tip, CMM position and stated errors of both instruments
calibrate-step-snapshot = Snapshot
calibrate-step-snapshot-about = Snapshot of the artefact by the sensor, and its regions
calibrate-step-probing = Probing
calibrate-step-probing-about = Points of the artefact probed by the CMM, and their regions; further snapshots
calibrate-step-result = Result
calibrate-step-result-about = Calibrate the sensor; certification, mounting and certificate
calibrate-step-verification = Verification
calibrate-step-verification-about = Calibration log, repeatability and acceptance test of the sensor
calibrate-step-use = Use
calibrate-step-use-about = Merge snapshots with the calibration, and probe holes of the scan
calibrate-missing-run = Everything is there: calibrate the sensor.
calibrate-missing-log = No calibration log is chosen: calibrations are not recorded, and repeatability is not known.
calibrate-missing-reading = The calibration log has not been read yet.
calibrate-missing-calibration = Calibrate the sensor first: its calibration merges the snapshots.

# Measurements of both instruments and their regions.

calibrate-instrument-hint = Shows the points in the viewport
calibrate-points = { $shown } points
calibrate-none-yet = none yet
calibrate-snapshot-open = Open snapshot…
calibrate-snapshot-open-hint = Snapshot of the artefact as reported by the sensor
calibrate-probed-open = Open points…
calibrate-probed-open-hint = Points probed by the CMM: region, x, y, z, or x, y, z only
calibrate-grey = Greyscale
calibrate-grey-hint = Grey values of the sensor's camera
calibrate-brush-hint = Brush this region
calibrate-clear = Clear
calibrate-find-regions = Find regions
calibrate-find-regions-hint = Recognises the artefact in the snapshot and assigns its regions
calibrate-snapshots-more = Additional snapshots
calibrate-snapshots-needed = A single sphere determines no orientation: store snapshots from at least three CMM positions.
calibrate-snapshots-useful = Several snapshots reduce the uncertainty; artefact orientations 90° apart reveal CMM geometric errors.
calibrate-probed-points-of = Probed points: { $file }
calibrate-store-hint = Stores this snapshot with its regions, probed points and position, to open the next one
calibrate-store = Store snapshot
calibrate-squareness-estimate = Estimate squareness of X and Y
calibrate-scales-estimate = Estimate scale errors of the axes
calibrate-squareness-known = Squareness of the CMM is known
calibrate-scales-known = Scales of the CMM are known
calibrate-known-hint = From a ball bar or a certificate, with U (k = 2). It is applied even where it is not estimated, and weighs with the snapshots where it is

# Stated errors of the instruments, and the certification.

calibrate-stated = Stated errors and mounting
calibrate-probing-error = CMM probing error
calibrate-probing-error-hint = Max. probing error, ±, from the CMM's acceptance test; included in the uncertainties
calibrate-radius-error-known-hint = Max. error of the stylus tip radius, ±, from the qualification of the stylus. Otherwise as much is included in the uncertainties as the artefact would leave undetected
calibrate-radius-error-known = Error of the stylus tip radius is known
calibrate-radius-error = Stylus tip radius error
calibrate-field-known-hint = Sides in X and Y at the artefact's distance, centred on the sensor's Z axis, from its data sheet. Otherwise the systematic error is taken to reach its maximum within what the snapshots show
calibrate-field-known = Sensor's measuring field is known
calibrate-field = Measuring field
calibrate-field-hint = Along the sensor's { $axis }
calibrate-scale-known-hint = If it is known more accurately than the systematic sensor error implies
calibrate-scale-known = Sensor scale error is known
calibrate-scale = Sensor scale error
calibrate-any-mounting-hint = Confirms a mounting other than with the sensor X along the CMM X, looking down
calibrate-any-mounting = Any mounting
calibrate-certified = Certified
calibrate-not-certified = Not certified
calibrate-comparison = Comparison of sensor and CMM
calibrate-quantity = Quantity
calibrate-not-judged = not judged

# The result: the mounting of the sensor.

calibrate-missing-sensor = Every region needs points of the sensor.
calibrate-missing-cmm = Every region needs probed points of the CMM.
calibrate-missing-radius = Enter the stylus tip radius.
calibrate-run = Calibrate sensor
calibrate-transformation = Transformation from sensor to CMM, angles of R = Rx Ry Rz; ± U (k = 2), for positions at the artefact.
calibrate-bootstrap = Angles, U by bootstrap
calibrate-weakest-sensor = Weakest fit, sensor
calibrate-weakest-cmm = Weakest fit, CMM
calibrate-rejected = Rejected points
calibrate-valid-until = Valid until
calibrate-has-expired = This calibration has expired. Calibrate again.
calibrate-reason = Reason for use
calibrate-reason-hint = required for merging
calibrate-residual-colours = Residual colours
calibrate-folder = Folder
calibrate-certificate-hint = Writes certificate.pdf and calibration.json
calibrate-certificate-save = Save certificate
calibrate-require-hint = What is measured on a part rests on the calibration saved here: the verdict is open once it expires
calibrate-require = Require for parts
calibrate-merge = Merge
calibrate-registration-hint = Registers the snapshots to each other where they overlap, as far as their surfaces allow
calibrate-registration = Global registration of snapshots
calibrate-pose-hint = Standard uncertainty of the pose of a snapshot from CMM and calibration
calibrate-shift-uncertainty = Position uncertainty u
calibrate-turn-uncertainty = Rotation uncertainty u
calibrate-merge-hint = Transforms snapshots into the CMM frame, from a table of file and CMM position x, y, z
calibrate-merge-snapshots = Merge snapshots…
calibrate-snapshots = Snapshots
calibrate-normalised-rms = { $count }, normalised RMS { $rms }
calibrate-squareness = Squareness
calibrate-scale-error-of = Scale error of { $axis }
calibrate-radius-bias = Radius, sensor minus CMM
calibrate-light-green = Residuals as expected
calibrate-light-amber = Residuals larger than expected: check the residual colours
calibrate-light-red = Residuals much larger than expected: brush this region again

# Repeatability and validity.

calibrate-log-hint = Every calibration is appended to this file; without a file, calibrations are not logged
calibrate-log = Calibration log
calibrate-log-choose = Choose log…
calibrate-repeatability = Repeatability
calibrate-compare-with = Compare with
calibrate-compare-with-hint = JSON file of a calibration that the last one is compared with
calibrate-compare-choose = Choose calibration…
calibrate-log-read = Read log
calibrate-log-add = Add this calibration to the log
calibrate-log-add-hint = It was made before this log was named, so that the log lacks it.
calibrate-log-first = Choose the calibration log first
calibrate-not-calibrated = Not calibrated
calibrate-valid-for = Valid for { $hours } h
calibrate-no-period = No validity period
calibrate-expired = Expired
calibrate-restarted = Invalidated by a CMM restart
calibrate-in-future = Dated in the future
calibrate-restart-hint = A restart invalidates the calibration, as the CMM is homed again
calibrate-restart = CMM was restarted
calibrate-switched-on = Sensor was switched on
calibrate-warm-up = Warm-up time
calibrate-warm-up-hint = Warm-up time of the sensor
calibrate-logged = { $count } calibrations in the log.
calibrate-line = Line { $line }: { $reason }
calibrate-finding = Calibration { $run } { $says }.
calibrate-no-file = no file
calibrate-chart-axis = deviation from mean, { $unit }
calibrate-chart-mean = mean
calibrate-chart-limit = control limit
calibrate-chart-calibrations = calibrations
calibrate-chart-inside = in control
calibrate-chart-outside = out of control
calibrate-mean = Mean
calibrate-standard-deviation = Standard deviation
calibrate-stated-uncertainty = Stated uncertainty u
calibrate-control-limits = Control limits
calibrate-scatter = Scatter / stated u
calibrate-scatter-explained = { $ratio }, at most { $limit }: explained
calibrate-scatter-unexplained = { $ratio }, at most { $limit }: not explained
calibrate-scatter-limits = Limit the scatter
calibrate-scatter-limits-hint = Largest standard deviation of the logged calibrations, besides what their stated uncertainties explain
calibrate-scatter-shift = Max. scatter of the position
calibrate-scatter-angle = Max. scatter of the angles
calibrate-drift = Drift
calibrate-certificate = Certificate
calibrate-agrees = En = { $en }, agrees
calibrate-disagrees = En = { $en }, disagrees
calibrate-in-control = In control
calibrate-out-of-control = Out of control
calibrate-too-few = Too few calibrations for control charts

# Hybrid measurement: holes of the scan, probed by the CMM.

calibrate-hybrid = Hybrid measurement
calibrate-holes-hint = Table of nominal holes in the CMM frame, mm: name, x, y, z, axis i, j, k, radius
calibrate-holes-open = Hole list…
calibrate-hole-list = { $name }: { $count } holes
calibrate-search-radius = Search radius
calibrate-search-radius-hint = Max. deviation of a hole from nominal
calibrate-strategy = Probing strategy
calibrate-missing-holes = Choose a hole list.
calibrate-missing-scan = Load a scan in the CMM frame: merge snapshots with the calibration.
calibrate-plan = Find holes and plan probing
calibrate-targets-save = Save targets…
calibrate-targets-save-hint = Writes targets.csv and program.dmi of the next probing cycle into a folder
calibrate-table-save = Save table…
calibrate-table-save-hint = Writes table.csv into a folder
calibrate-probed-holes-hint = Points probed by the CMM: hole, tip centre or surface point x, y, z in mm, face
calibrate-probed-holes = Load probed points…
calibrate-clearance = Clearance
calibrate-clearance-hint = Height of the tip centre above the sheet at the start of an approach
calibrate-depth = Probing depth
calibrate-depth-hint = Depth of the tip centre below the sheet when it probes the wall
calibrate-search-distance = Search distance
calibrate-search-distance-hint = Max. deviation of a hole from its expected position, ±
calibrate-rim = Rim distance
calibrate-rim-hint = Distance of the points on the sheet from the expected rim
calibrate-safe-plane = Safe plane height
calibrate-safe-plane-hint = Above the highest starting point
calibrate-convergence = Convergence limit
calibrate-convergence-hint = Max. change of the centre between probing cycles
calibrate-sheet-points = Points on the sheet
calibrate-wall-points = Points on the wall
calibrate-cycles = Max. probing cycles
calibrate-hole = Hole
calibrate-source = Source
calibrate-dev = Dev.
calibrate-source-nominal = nominal
calibrate-source-scan = scan
calibrate-source-probe = probe
calibrate-source-converged = converged
calibrate-table-note = In { $unit }, CMM frame. Dev.: lateral distance from nominal.
calibrate-hole-converged = Converged
calibrate-hole-open = To be probed
calibrate-hole-failed = Failed: see below
calibrate-part-differences = Part against nominal
calibrate-scan-differences = Scan against probe
calibrate-differences = { $what }: up to { $axis } along an axis, { $lateral } laterally; radii { $least } to { $most } ({ $count } holes).

# Acceptance test of the sensor.

calibrate-acceptance = Sensor acceptance test
calibrate-bar-about = Scans of a calibrated ball bar in several positions, in the sensor frame.
calibrate-bar-add = Add ball bar scan…
calibrate-sphere-radius = Sphere radius
calibrate-bar-length = Ball bar length
calibrate-within = Max. distance from sphere
calibrate-flat-about = Scans of a flat standard in several positions, without its border.
calibrate-flat-add = Add flat scan…
calibrate-mpe = MPE, { $name }
calibrate-test-uncertainty = Test uncertainty u
calibrate-missing-scans = Add scans of the ball bar or of the flat standard.
calibrate-missing-bar = Enter the calibrated sphere radius and ball bar length.
calibrate-evaluate = Evaluate acceptance test
calibrate-in-positions = { $symbol }, { $count } positions

# Mechanical alignment.

calibrate-module = Module
calibrate-module-artefact = 1. Artefact module
calibrate-module-sensor = 2. Sensor module
calibrate-module-artefact-about = Probe the plate (LP, RP or PLATE) and its side face (SIDE) or the long slot (LL, LR), adjust the screws, and probe again.
calibrate-module-sensor-about = Take a snapshot of the aligned artefact, adjust the screws, and take the next. The artefact is assumed to be as last probed.
calibrate-sources = Data sources
calibrate-screws = Adjustment screws
calibrate-snapshot-folder = Snapshot folder
calibrate-snapshot-folder-empty = folder of the sensor
calibrate-snapshot-folder-hint = Snapshots are read on arrival
calibrate-connection = CMM connection
calibrate-connection-empty = tcp://host:port or /dev/ttyUSB0
calibrate-connection-hint = Network or serial port. Serial settings other than 9600,8N1 follow an @: /dev/ttyUSB0@19200,7E1
calibrate-stop = Stop monitoring
calibrate-start = Start monitoring
calibrate-clear-probed-hint = Starts a new measurement
calibrate-clear-probed = Clear probed points
calibrate-angle-limit = Angle limit
calibrate-angle-limit-hint = Green up to this angle, including uncertainty
calibrate-screw-pitch = Screw pitch
calibrate-screw-pitch-hint = Travel per turn of a screw
calibrate-arm-roll = Lever arm, roll
calibrate-arm-pitch = Lever arm, pitch
calibrate-arm-yaw = Lever arm, yaw
calibrate-arm-hint = From the axis of rotation to the screw
calibrate-state-off = off
calibrate-state-opening = connecting
calibrate-state-open = connected
calibrate-state-lost = lost
calibrate-folder-state = Folder state
calibrate-connection-state = Connection state
calibrate-snapshots-received = Snapshots received
calibrate-points-received = Points received
calibrate-skipped = { $count } lines skipped. { $reason }
