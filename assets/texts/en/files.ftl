# Opening and saving files, leaving, and the start screen.

# Empty view.

files-welcome = Compare a scan with its CAD model
files-step-nominal = Open the nominal
files-step-nominal-text = CAD or mesh: STEP, IGES, STL, 3MF …
files-step-scan = Open the scan
files-step-scan-text = Points or mesh: PLY, PCD, E57, STL, XYZ …
files-step-compare = Align and compare
files-step-compare-text = One click; colours show where the part deviates
files-open-a-file = Open a file…
files-demo = Try the demo part
files-demo-hint = Opens a bracket and its scan, aligns them and compares
files-recent = Recent files
files-drop-here = Or drop files here.
files-mouse = Drag to rotate, Shift-drag or right-drag to pan, scroll to zoom.
files-welcome-sensor = Calibrate the sensor on the CMM
files-drop-snapshot = Drop a snapshot of the artefact here, or open it.
files-open-snapshot = Open a snapshot…
files-welcome-probed = Points probed by the CMM on the artefact
files-drop-probed = Drop the table of probed points here, or open it: region, x, y, z, or x, y, z only.
files-open-probed = Open probed points…

# Titles of file dialogs, and kinds of files in them.

files-open-title = Open a file
files-next-scan-title = Inspect the next scan
files-snapshot-title = Open a snapshot
files-probed-title = Open probed points
files-positions-title = Snapshots and positions
files-save-project-title = Save the project
files-save-plan-title = Save the inspection plan
files-export-points-title = Export the selected points
files-export-facets-title = Export the selected facets
files-offset-mesh-title = Save the mesh around the volume
files-voxels-title = Save the voxels
files-layers-title = Folder for the layers
files-drawings-title = Folder for the drawings
files-results-title = Save the results
files-report-title = Folder for the report
files-logo-title = Open a logo
files-template-title = Open a template for the report
files-starting-template-title = Save a starting template for the report
files-load-colours-title = Load colours
files-save-colours-title = Save colours
files-kind-all = Nominals, scans, projects, plans
files-kind-scans = Scans
files-kind-tables = Tables
files-kind-pictures = PNG pictures
files-kind-templates = Typst templates
files-kind-colours = Colour scales

# The window's own file dialog.

files-file = File
files-folder = Folder
files-file-path = Path of the file, or drop it on the window
files-folder-path = Path of the folder
files-open-as = Open as
files-as-nominal = Nominal (CAD)
files-as-further-nominal = Further nominal
files-as-scan = Scan (measured)
files-unit = Unit
files-unit-of-file = from the file, or mm
files-cad-unit = CAD files specify their unit.
files-column = Column of { $axis }
files-decimal-commas = The file uses decimal commas.
files-exists = { $path } already exists and will be replaced.
files-replace = Replace
files-choose = Choose
files-open = Open

# Leaving the inspection.

files-untitled = Untitled
files-save-asked = Save “{ $name }”?
files-changes-lost = Otherwise all changes since the last save will be lost.
files-all-lost = Otherwise all changes will be lost.
files-dont-save = Don’t save
files-stop-asked = Stop the running job?
files-still-running = “{ $job }” is still running and will be stopped.
files-keep-open = Keep open
files-stop-and-close = Stop and close

# Errors.

files-no-report-folder = Enter a folder for the report first.
files-not-opened-outside = { $path } could not be opened ({ $error }). Install the Debian package xdg-utils.

# Legend and view cube.

files-legend-deviation = Deviation, { $unit }
files-legend-deviation-along = Along { $along }, { $unit }
files-legend-deviation-across = Perpendicular to { $across }, { $unit }
files-legend-thickness = Thickness, { $unit }
files-legend-gap = Gap, { $unit }
files-legend-no-data = no data
files-legend-unmeasured = unmeasured
files-legend-own-tolerances = { $count ->
    [one] 1 own tolerance
   *[other] { $count } own tolerances
 }
files-legend = Legend
files-view-cube = Click a face, an edge or a corner to look from there; drag to rotate

# Readout of the mechanical alignment, read at the CMM.

files-readout-artefact = Remaining rotation of the artefact
files-readout-sensor = Remaining rotation of the sensor
files-readout-evaluating = Evaluating
files-readout-not-started = Not started
files-readout-awaits-points = Waiting for probed points
files-readout-awaits-snapshot = Waiting for a snapshot
files-readout-aligned = Aligned
files-readout-nearly = Nearly aligned
files-readout-adjust = Adjust
files-readout-turn = { $state }: { $sense } about { $axis }, { $turns } turns of the screw (± { $expanded }°)
files-readout-last-snapshot = Last snapshot: { $when }, { $name }
files-readout-last-measurement = Last measurement: { $when }, { $name }
files-readout-as-probed = Artefact as probed; X Y Z towards { $along }. Sense of rotation seen from the positive end of the axis; ± U (k = 2).
files-readout-as-assumed = Artefact assumed parallel to the CMM axes; X Y Z towards { $along }. Sense of rotation seen from the positive end of the axis; ± U (k = 2).
files-readout-evaluating-name = Evaluating { $name }
