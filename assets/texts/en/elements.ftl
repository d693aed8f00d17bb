# The tree of elements, the bar of parts and the bar at the bottom.

elements-heading = Elements

elements-nominal = Nominal
elements-no-nominal = No CAD or mesh loaded.
elements-open-nominal = Open nominal…
elements-opacity = Opacity
elements-facets = { $shown } facets
elements-add-nominal = Add nominal…
elements-add-nominal-hint = Such as a tool or the stock, in the frame of the first nominal

elements-actual = Actual
elements-no-scan = No scan loaded.
elements-open-scan = Open scan…
elements-points = { $shown } points
elements-left-out = { $shown } of them not in the surface
elements-left-out-hint = Stray points, and points nearly where others are. A right click on the scan shows them, too; S shows all points.
elements-show-left-out = Show points that are not in the surface

elements-alignment = Alignment
elements-given-pose = Given pose, not fitted
elements-alternatives = { $count ->
    [one] 1 alternative pose fits as well
   *[other] { $count } alternative poses fit as well
 }
elements-not-aligned = Not aligned.

elements-offsets = Offsets ({ $count })
# Parts found in the scan.
elements-found = Found
# Not “Features”, which is the name of a workspace.
elements-features = Measured features ({ $count })

elements-check = Check
elements-comparison-stale = Out of date: compare again.
elements-not-compared = Not compared.
elements-on-scan = On the scan
elements-on-nominal = On the nominal
elements-on-nominal-hint = The mean deviation of the scan points over each facet of the CAD; grey where there are none (D)
elements-deviation-colours = Deviation colours
elements-others = Other things in the scan
elements-others-hint = In the workspace Compare; elsewhere they are always shown
elements-regions = { $count ->
    [one] 1 region out of tolerance
   *[other] { $count } regions out of tolerance
 }

# Cleaning of the scan.
elements-clean = Clean scan
elements-outliers = Outliers beyond
elements-remove-outliers = Remove outliers
elements-outliers-hint = Removes points whose mean distance from their neighbours exceeds the mean of all points by more than this many standard deviations
elements-point-distance = Min. point distance
elements-thin = Thin
elements-thin-hint = Thins the points to an even density: no two closer than this
elements-find-normals = Find normals
elements-find-normals-hint = Estimates the normal of every point from its neighbours, oriented towards the sensor if its position is known from the scan
elements-cleaned = { $step }: done

# A row of an element, and its context menu.
elements-stale = Out of date: an input has changed.
elements-not-made = Not computed yet.
elements-waits = Waiting for { $names }.
elements-element-hint =
    { $kind } “{ $name }”
    { $status }
# For screen readers.
elements-element = Element { $name }
elements-new-name = New name
elements-rename = Rename…
elements-show = Show
elements-hide = Hide
elements-show-only = Show only this
elements-show-all = Show all
elements-update = Update
elements-on-faces = Measure on nominal faces
elements-move-up = Move up
elements-move-down = Move down

# Saved views.
elements-views = Views ({ $count })
elements-view-in-report = in the report
elements-view-hint = Looks as this view was saved; right-click for more
# For screen readers.
elements-view = View { $name }
elements-view-replace = Replace by the current view
elements-view-leave-out = Leave out of the report
elements-view-put-into = Put into the report

# The bar of parts.
elements-parts = Parts
elements-table = Table and trend…
elements-current-part = Current part
# For screen readers.
elements-part = Part { $name }

# The bar at the bottom.
elements-show-log = Show log
elements-hide-log = Hide log
elements-show-results = Show results
elements-hide-results = Hide results
elements-compute-on = Compute on { $device }
elements-device = Compute device
