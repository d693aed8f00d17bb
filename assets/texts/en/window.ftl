# Menus, toolbar, keyboard and the window as a whole.

window-file = File
window-edit = Edit
window-inspect = Inspect
window-view = View
window-help = Help

# Menu File.

window-open = Open…
window-open-next-scan = Inspect next scan…
window-save-project = Save project
window-save-project-as = Save project as…
window-save-plan = Save plan for other parts…
window-write-report = Write report
window-preview-report = Preview report
window-new-inspection = New inspection
window-quit = Quit
window-recent-files = Recent files

# Menu Edit.

window-undo = Undo
window-undo-of = Undo: { $what }
window-redo = Redo
window-redo-of = Redo: { $what }
window-remove-outliers = Remove outliers from scan
window-find-normals = Find normals of scan
window-unify-winding = Unify winding of nominal

# Menu Inspect.

window-align-automatically = Align automatically
window-best-fit = Best fit from current pose
window-move-by-hand = Move the scan by hand
window-compare = Compare
window-align-and-compare = Align and compare
window-compare-searches = Compare search methods
window-measure-parts = Measure parts with a plan…
window-measured-parts = Measured parts…
window-update-all = Update all
window-evaluate-tolerances = Evaluate tolerances
window-cancel-job = Cancel running job
window-find-regions = Find artefact regions
window-calibrate-sensor = Calibrate sensor
window-start-mechanical = Start mechanical alignment
window-stop-mechanical = Stop mechanical alignment

# Menu View.

window-fit = Fit
window-lens = Perspective or orthographic
window-as-surface = Scan as surface or points
window-on-nominal = Deviations on the nominal or the scan
window-left-out = Points that are not in the surface
window-edges = Edges of the nominal
window-save-view = Save this view
window-results = Table of results
window-theme = Light or dark theme
window-palette = Command palette
window-next-region = Next region of the window
window-workspace = Workspace { $name }
window-language = Language: { $name }
window-decimals = Decimals: { $count }
window-unit = Unit: { $unit }
window-workspaces = Workspaces
window-standard-views = Standard views
window-languages = Language
window-choose-decimals = Decimals
window-choose-unit = Length unit
window-legend = Legend
window-legend-left = Legend: left
window-legend-right = Legend: right

# Menu Help.

window-keys = Keyboard and mouse
window-about = About Shadowgraph

# The bar at the top.

window-workspace-calibrate = Calibrate
window-workspace-align = Align
window-workspace-compare = Compare
window-workspace-features = Features
window-workspace-offset = Offset
window-workspace-detect = Detect
window-workspace-report = Report
window-inspect-next-scan = Inspect next scan
window-inspect-next-scan-hint = Inspect next scan: replaces the scan and repeats the inspection
window-load-nominal-first = Load a nominal first

# Command palette.

window-type-a-command = Type a command

# Help: the mouse, and about the program.

window-mouse = Mouse in the view
window-mouse-rotate = Rotate
window-mouse-rotate-by = Drag
window-mouse-pan = Pan
window-mouse-pan-by = Shift + drag, right drag or middle drag
window-mouse-zoom = Zoom at the pointer
window-mouse-zoom-by = Wheel or pinch
window-mouse-value = Value under the pointer
window-mouse-value-by = Hover
window-mouse-fly = Fly to a region
window-mouse-fly-by = Click its flag
window-mouse-brushing = Rotate while brushing
window-mouse-brushing-by = Alt + drag
window-mouse-brush-size = Size of the round brush
window-mouse-brush-size-by = Wheel while brushing
window-mouse-polygon = Close a polygon
window-mouse-polygon-by = Double click or Enter
window-about-what = Scan-to-CAD inspection for structured-light sensors on coordinate measuring machines.
window-computes-on = Computes on: { $device }
window-licences = Typeface: Inter, SIL Open Font License 1.1. Icons: Phosphor, MIT License.

# The window as a whole, and all panels.

window-no-adapter = No graphics adapter was found. The Debian package mesa-vulkan-drivers provides a software renderer.
window-number-from-to = Enter a number from { $min } to { $max }. The value was not changed.
window-waiting-for = Waiting for { $names }.
window-not-computed = Not computed yet: update it.

# Preview of the report.

window-preview-of = { $count ->
    [one] Preview, 1 page
   *[other] Preview, { $count } pages
 }
window-smaller = Smaller
window-larger = Larger
window-preview-stale = The inspection has changed since.
window-preview-template = This is the built-in layout; report.pdf follows the template { $template }.
window-lay-out-again = Lay out again
window-close-preview = Close preview
window-page = Page { $number }

# Titles of the dialogs for files and folders of the panels, and kinds of files.

window-pick-holes = List of holes
window-pick-probed-holes = Probed points of the holes
window-pick-target-folder = Folder for the probing targets
window-pick-log = Calibration log
window-pick-artefact-cad = CAD of the artefact
window-pick-artefact-regions = Points on the artefact regions
window-pick-bar = Scan of the ball bar
window-pick-flat = Scan of the flat standard
window-pick-own-tolerances = Table of own tolerances
window-pick-surface-points = Table of surface points
window-pick-found-parts = Folder for the parts found and their results
window-pick-plan = Inspection plan
window-pick-series-parts = Folder of scans, one per part
window-pick-series-folder = Folder for the results
window-pick-certificate = Calibration to compare with
window-kind-tables = Tables
window-kind-logs = Logs
window-kind-cad = CAD and meshes
window-kind-scans = Scans
window-kind-plans = Inspection plans
window-kind-calibrations = Calibrations
