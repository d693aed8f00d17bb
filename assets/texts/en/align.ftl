# Workspace Align.

align-heading = Align
align-and-compare = Align and compare
align-automatically = Align automatically
align-automatically-hint = Finds the pose without initial alignment
align-best-fit = Best fit
align-best-fit-hint = Starts from the current pose
align-by-hand = By hand
align-by-hand-hint = Moves the scan by handles in the view, or by typed values (M)
align-load-first = Load a nominal and a scan to begin.

# Moving by hand.

align-hand = Move by hand
align-hand-how = Drag an arrow, a square, a ring or the disc. With Ctrl it moves in steps; Esc takes a drag back.
align-hand-main = A main alignment is shown, which puts the scan back: choose the alignment before it under Shown.
align-hand-axes = Axes of
align-hand-axes-part = Part
align-hand-axes-view = View
align-hand-pivot = Pivot
align-hand-pivot-scan = Centre of scan
align-hand-pivot-origin = Origin
align-hand-pivot-picked = Picked point
align-hand-shift = Shift, { $unit }
align-hand-shift-along = Shift along { $axis }
align-hand-turn = Turn, °
align-hand-turn-about = Angle about { $axis }
align-hand-apply = Apply
align-hand-apply-hint = Turns the scan about x, y and z of the part through the pivot, in this order, and then shifts it
align-not-fitted = Moved by hand, not fitted.

# The result.

align-result = Result
align-method = Method
align-rms = RMS minimised
align-points-used = Points used
align-iterations = Iterations
align-rotation = Rotation
align-translation = Translation
align-as-before = { $motions }: as in the pre-alignment.
align-rivals = Alternative poses: { $rivals }.
align-alternatives = Comparable alternative poses; the part is symmetric as far as this scan shows:
align-rotated = Rotated by { $angle }°, RMS { $rms }
align-rotated-about = Rotated by { $angle }° about { $axis }, RMS { $rms }
align-rotated-about-direction = Rotated by { $angle }° about the direction { $direction }, RMS { $rms }
align-use-pose = Use this pose

# Main alignments.

align-main = Main alignment
align-main-before = Align the scan first; then align it to what the drawing refers to.
align-main-shown = Shown
align-references = Reference points
align-references-hint = The surface passes through given points (RPS); 3, 2 and 1 of them on three faces are 3-2-1
align-datums = Datum system
align-datums-hint = The datums lie as on the drawing
align-faces = Selected faces
align-faces-hint = Best fit on some faces alone
align-tolerance = Within tolerance
align-tolerance-hint = Moves the part no further than needed to bring its deviations within the limits
align-tolerance-limits = The limits of the comparison: { $low } to { $high }.
align-pick-points = Pick points
align-stop-picking = Stop picking
align-click-points = Click points on the nominal.
align-reference-point = Point
align-reference-along = Along
align-reference-before = Before, { $unit }
align-reference-left = Left, { $unit }
align-reference-at = At { $x }, { $y }, { $z }
align-reference-name = Name of reference point { $number }
align-reference-held = Reference point { $number } held along { $direction }
align-reference-held-hint = Hold the point in this direction. On one smooth face, all directions of a point count as one; at an edge each is measured on the face that faces it.
align-reference-surface = Surface
align-reference-centre = Reference point { $number } measured at
align-reference-centre-hint = The scanned surface there, or the centre of a measured hole, slot or pin, which is held across its axis
align-reference-remove = Remove reference point { $number }
align-reference-remove-hint = Remove this point
align-references-none = Pick the reference points of the drawing on the nominal: six hold the part.
align-references-radius = Measured within
align-references-radius-hint = Scan points within this radius of a reference point give the surface there
align-freedoms-held = All 6 degrees of freedom are held.
align-freedoms-open = { $held } of 6 degrees of freedom are held. As in the pre-alignment: { $motions }.
align-datums-none = Measure the datum features first, in Features.
align-datum-primary = Primary datum
align-datum-secondary = Secondary datum
align-datum-tertiary = Tertiary datum
align-associated = Associated
align-contacting = Contacting
align-contacting-hint = Planes through the high points of the surface, the noise of the scan averaged out; the largest pin in a hole, the smallest ring about a shaft (ISO 5459)
align-contacting-extreme = Single points
align-contacting-extreme-hint = Contacting the outermost single points as they were measured, with their noise
align-as-fitted = As fitted
align-as-fitted-hint = The features as they were fitted
align-faces-none = Select facets of the nominal: in Features, with the brush on nominal facets.
align-faces-stored = On the { $shown } facets that it was made with.
align-faces-selected = { $shown } facets of the nominal are selected.
align-main-again = Align again
align-main-add = Add as new alignment
align-main-add-hint = Keeps this alignment and adds another one
align-to-these = Align to these

# Options of the best fit.

align-options = Best fit options
align-distance-to = Distance to
align-distance-surface = true surface
align-distance-planes = facet planes
align-distance-points = closest points
align-reject-outliers = Reject outliers (Tukey weights)
align-reject-farthest = Reject farthest points
align-locked = Locked degrees of freedom
align-locked-rotation-x = Rotation x
align-locked-rotation-y = Rotation y
align-locked-rotation-z = Rotation z
align-locked-translation-x = Translation x
align-locked-translation-y = Translation y
align-locked-translation-z = Translation z
align-search = Search
align-reject-pairs = Reject pairs
align-reject-sigma = by standard deviation
align-reject-mad = by MAD (robust)
align-reject-beyond = Beyond
align-reject-from = from iteration
align-max-iterations = Max. iterations
align-error-limit = Mean square limit
align-error-limit-hint = Stops below this mean squared distance; 0: off
align-change-limit = Change limit
align-change-limit-hint = Stops below this change of the mean squared distance; default: square of a millionth of the nominal's diagonal
align-min-change = Min. change
align-register = Register with this method
align-register-hint = Point-to-point registration to sampled facets from the current pose, with this search method

# Point pairs.

align-pairs = Point pairs
align-pick-pairs = Pick pairs
align-click-nominal = Click a point on the nominal.
align-click-scan = Click the same point on the scan.
align-pair = Pair { $number }
align-by-pairs = Align by pairs
align-remove-all = Remove all
align-few-pairs = At least three non-collinear pairs are required.

# Search methods, and the window that compares them.

align-searches = Search methods
align-compare-searches = Compare search methods
align-compare-searches-hint = Registers this scan with every closest-point search method on every device, from the current pose
align-show-last = Show last
align-searches-title = Comparison of search methods
align-searches-points = { $scan } points of the scan on { $nominal } points of the nominal. { $agreement }
align-searches-about = Search structures are built beforehand: the k-d tree in { $tree } ms, the Delaunay graph in { $graph } ms. Pairing with sampled points biases the pose; the best fit to the triangles of the nominal (last row) is more accurate and therefore differs.
align-searches-method = Search method
align-searches-method-hint = Method that finds the closest point
align-searches-device = Device
align-searches-device-hint = Compute device
align-searches-time = Time
align-searches-time-hint = From the points in memory to the pose; green: fastest exact method on its device
align-searches-iterations = Iterations
align-searches-iterations-hint = Until the error no longer decreased
align-searches-rms = RMS
align-searches-rms-hint = Minimised distance: to points of the nominal, in the last row to its triangles
align-searches-difference = Difference
align-searches-difference-hint = Distance from the pose found with the k-d tree on the CPU, at the centre of the part
align-searches-visited = Visited
align-searches-visited-hint = Mean number of points visited per walk, after the first iteration
align-searches-share = Search share
align-searches-share-hint = Share of the computing time spent in the search
align-searches-walks = Walk length
align-searches-copy = Copy table
align-searches-copy-hint = As comma-separated values
align-searches-axis-visited = points visited
align-searches-axis-walks = % of walks
