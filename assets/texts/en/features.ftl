# Workspace Features.

# Steps.
features-step-select = Select
features-step-select-about = Brush points of the scan or facets of the nominal, and store selections under a name
features-step-fit = Fit
features-step-fit-about = Fit features to the selected points; their results, nominals and fit options
features-step-construct = Construct
features-step-construct-about = Make elements from features: intersections, projections, midpoints, bolt circles
features-step-measure = Measure
features-step-measure-about = Distances and angles between features, with their limits
features-step-tolerances = Tolerances
features-step-tolerances-about = Datums and geometrical tolerances of the drawing or the CAD file, and their results
features-missing-selection = Nothing is selected: choose a tool of the brush and drag over the part.
features-missing-points = No points are selected: fits need points of the scan.
features-missing-features = Distances and angles need two features: fit or construct them first.
features-missing-results = { $count } without a result; the reason stands beside each.

# Brush and selection.
features-brush = Brush
features-load-first = Load a scan, then brush the points of a feature.
features-scan-points = Scan points
features-nominal-facets = Nominal facets
features-load-scan = Load a scan first
features-load-nominal = Load a nominal first
features-visible-only = Visible only
features-visible-only-hint = Excludes occluded points and facets
features-radius = Radius
features-how-polygon = Click the vertices; Enter, double click or a click on the first vertex closes, Esc discards. Ctrl removes. Alt-drag rotates the view, right-drag pans.
features-how-circle = The mouse wheel sets the radius. Ctrl removes. Alt-drag rotates the view, right-drag pans.
features-how-drag = Drag over the part. Ctrl removes. Alt-drag rotates the view, right-drag pans.
features-selection = Selection
features-selected = { $shown } { $kind } selected
features-selected-hidden = { $shown } { $kind } selected, { $hidden } hidden
features-selected-too = { $shown } points of the scan are selected too; fits use them.
features-deselect = None
features-deselect-hint = Deselects all points and facets
features-invert = Invert
features-invert-hint = Inverts the selection
features-delete-points = Delete points
features-delete-points-hint = Removes the selected points from the scan
features-delete-facets = Delete facets
features-delete-facets-hint = Removes the selected facets from the nominal; its file is not changed
features-export = Export…
features-export-hint = Writes the selection into a file
features-hide = Hide
features-hide-hint = Hides the selection; it is still evaluated
features-show-only = Show only these
features-show-only-hint = Hides everything else
features-show-all = Show all
features-show-all-hint = Shows all hidden points or facets
features-whole-faces = Whole faces
features-whole-faces-hint = Extends the selection to whole CAD faces; on a mesh, up to its edges
features-points-on-facets = Select points on these
features-points-on-facets-hint = Selects the scan points near these facets
features-store = Store
features-store-hint = Stores the selection under this name
features-select-again = Selects these again
features-delete = Delete

# Fits.
features-fit = Fit to the selected points
features-brush-first = Brush some points first
features-slot = Slot
features-in-plane = In plane
features-in-plane-hint = Lines, circles and slots are fitted in this plane
features-none = none
features-choose = choose
features-objective = Objective
features-robust = Robust (LMedS)
features-robust-hint = Starts from the least median of squares; for selections that extend beyond an edge
features-reject-points = Reject points beyond

# Parallel planes.
features-parallel-planes = Parallel planes
features-parallel-planes-note = Common normal for all ticked planes, each through its own centroid.
features-weights = Weights
features-mask-incidence = Mask incidence above
features-max-incidence = Max. angle of incidence
features-fit-parallel-planes = Fit parallel planes
features-tick-two = Tick at least two planes

# Fitted features.
features-features = Features
features-no-features = No features fitted yet.
features-nominal-frame = Positions and directions in the nominal frame; ± U (k = 2).
features-scan-frame = Positions and directions in the scan frame; ± U (k = 2).
features-on-facets = Measured on every part: points on { $count } facets of the nominal.
features-in-prism = Measured on every part: points inside a prism.
features-on-this-part = On this part only.
features-on-faces = Measure on nominal faces
features-on-faces-hint = Selects by the nominal faces under its points, so that it is measured on every part
features-robust-of = Robust (LMedS) { $name }
features-reject = Reject beyond
features-reject-points-of = Reject points of { $name }
features-max-residual-of = Max. residual of { $name }
features-reject-spikes = Reject spikes beyond
features-reject-spikes-hint = Single points that stand off all their neighbours; dents, bumps and scratches are kept
features-reject-spikes-of = Reject spikes of { $name }
features-spike-limit-of = Limit for spikes of { $name }
features-nominal-from-facets = Nominal from facets
features-nominal-from-facets-hint = Fits the nominal feature to the selected facets
features-select-facets-first = Select its facets on the nominal first
features-remove-nominal = Remove nominal
features-align-to-compare = Align to compare it with its nominal.
features-select-points = Select its points
features-select-points-of = Select points of { $name }
features-remove-named = Remove { $name }

# Their results.
features-position = Position
features-direction = Direction
features-radius-at-position = Radius at position
features-half-angle = Half angle
features-major-radius = Major radius
features-minor-radius = Minor radius
features-arc-seen = Arc seen
features-no-uncertainty = no uncertainty
features-form-error = Form error
features-global-optimum = { $objective }, proven global optimum
features-local-optimum = { $objective }, proven local optimum
features-open-optimum = { $objective }, optimum not proven
features-contact-points = Contact points
features-points = Points
features-points-used = { $used } used, { $rejected } rejected
features-weights-masked = { $by }, points above { $degrees }° incidence masked
features-normal = Normal
features-common-normal = common to { $count } planes
features-deviation = Deviation
features-angular-deviation = Angular deviation
features-angle-deviation = Angle deviation
features-size-deviation = Size deviation
features-length = Length
features-width = Width
features-centre = Centre

# Constructions.
features-construct = Construct
features-construct-first = Fit features first, then construct elements from them.
features-construction = Construction
features-source = Element { $number }
features-offset = Offset
features-construct-element = Construct element
features-choose-elements = Choose the elements first
features-constructed-from = Constructed from
features-section = Section
features-section-circle = circle of radius { $length }
features-section-ellipse = ellipse, semi-axes { $long }, { $short }
features-misfit = Misfit

# Measures.
features-measure = Measure
features-from = From
features-to = To
features-choose-two = Choose two elements to measure their distance and angle.
features-distance = Distance
features-angle = Angle
features-angle-how = { $how }. ± U (k = 2); constructed elements are taken as exact.
features-add-distance = Add distance
features-add-angle = Add angle
features-add-measure-hint = Measures it on every part; limits can be set below
features-from-to = { $from } to { $to }
features-min = min.
features-max = max.
features-min-of = Min. { $name }
features-max-of = Max. { $name }
features-remove-from-plan = Removes it from the plan

# Tolerances.
features-tolerances = Tolerances
features-pmi-stated = The CAD file states { $all } tolerances and dimensions; { $planned } are in the plan.
features-pmi-take = Take from the CAD
features-pmi-take-hint = Fits the features that they refer to, adds them to the plan and judges them
features-pmi-none = None of them can be evaluated
features-pmi-earlier = Taken from an earlier CAD file:
features-pmi-changed = { $name }: stated otherwise now
features-pmi-gone = { $name }: no longer stated
features-pmi-follow = Update from the CAD
features-pmi-follow-hint = Takes the values of the CAD file that is loaded, and removes what it no longer states; one step to undo
features-at-work = At work
features-pmi-list = Stated in the CAD ({ $all })
features-pmi-faces-hint =
    { $hint }
    Click to select its faces.
features-pmi-datum = Datum { $letter }: { $feature }
features-pmi-limits = { $lower } to { $upper }
features-pmi-at-most = at most { $upper }
features-pmi-measure = { $name }: { $lower } to { $upper }
features-pmi-not-evaluated = { $what }: not evaluated
features-tolerances-first = Fit features, assign the datum letters, then add the tolerances of the drawing.
features-datum = Datum { $letter }
features-no-tolerances = No tolerances yet: add one, or open a list.
features-feature-of = Feature of tolerance { $number }
features-remove-tolerance-hint = Removes this tolerance
features-remove-tolerance = Remove tolerance { $number }
features-characteristic-of = Characteristic { $number }
features-lower-limit-of = Lower limit { $number }
features-limits-to = to
features-limit-of = Limit { $number }
features-datum-of = Datum { $position } of tolerance { $number }
features-common-datum-hint = Common datum: one axis or plane fitted to the points of all these features together (ISO 5459)
features-not-evaluated = Not evaluated yet, or changed since.
features-add-tolerance = Add tolerance
features-flags = Flags in the view
features-flags-hint = Of the tolerances that were evaluated
features-evaluate = Evaluate tolerances
features-how-not-proven =
    { $how }
    The uncertainty is unknown, so conformity is not proven.
features-measured-of = { $measured } of { $upper }
features-measured-between = { $measured } of { $lower } to { $upper }
features-tolerance-how = Tolerance { $number }: { $how }
features-list = List
features-open-list = Open list
features-open-list-hint = Reads datums and tolerances from this file
features-save-list = Save list
features-save-list-hint = Writes datums and tolerances to this file

# Details of a tolerance.
features-at-angle = at
features-angle-of = Angle { $number }
features-at = at
features-at-hint = Theoretically exact position in the datum system, { $unit }
features-exact-wanted = State the theoretically exact position in the datum system.
features-exact-use = Use
features-exact-use-of = Use the exact position of tolerance { $number }
features-exact-of = Exact { $axis } of tolerance { $number }
features-along = along
features-along-hint = Axis or normal, in the datum system
features-zone = zone
features-zone-hint = Tolerance zone: cylinder, sphere, or parallel planes
features-zone-diameter = diameter
features-zone-along = width along { $axis }
features-zone-along-other = width along another direction
features-zone-of = Zone { $number }
features-maximum-material = Maximum material
features-maximum-material-hint = The limit grows with the departure of the actual mating envelope from the maximum material size
features-maximum-material-of = Maximum material, tolerance { $number }
features-hole = Hole
features-shaft = Shaft
features-maximum-material-size = Maximum material size { $number }
features-maximum-material-size-hint = Lower limit of size of a hole, upper limit of size of a shaft
features-filter = Gaussian filter
features-filter-hint = Smooths the points (ISO 16610-21 of circles and lines, ISO 16610-61 of surfaces) before their zone is evaluated, so that it is not noise that is judged
features-filter-of = Gaussian filter of tolerance { $number }
features-filter-of-cad = Gaussian filter for tolerances of the CAD
features-nesting-of = Nesting index of tolerance { $number }
features-nesting-of-cad = Nesting index for tolerances of the CAD
features-nesting-hint = Nesting index: waves of this length keep half of their height
features-upr-hint = Undulations per revolution: waves of this number on the circumference keep half of their height
features-upr-of = Undulations per revolution of tolerance { $number }
features-outliers = Remove outliers
features-outliers-hint = Removes single points that stand off their neighbours before form is evaluated; the result states their number
features-outliers-of = Remove outliers of tolerance { $number }
features-outlier-limit-of = Outlier limit of tolerance { $number }
features-size-class = Tolerance class
features-size-class-hint = Tolerance class of ISO 286 with its nominal size, such as 25 H7; it sets the limits
features-size-class-of = Tolerance class of tolerance { $number }
