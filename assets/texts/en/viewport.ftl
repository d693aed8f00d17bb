# The 3D view: notes, flags, legend, sections.

viewport-3d = 3D viewport
viewport-not-on-nominal = Deviations stay on the scan: they could not be mapped onto the nominal. { $reason }
viewport-best-fit = Best fit: RMS { $rms }
viewport-drop = Drop to open

# Toolbar.
viewport-fit = Fit
viewport-fit-hint = Fits the view to all elements (F)
viewport-isometric = Isometric
viewport-isometric-hint = Isometric: looks from above and aside (0)
viewport-projection = Projection
viewport-projection-hint = Projection: perspective or orthographic (P)
viewport-views = Views
viewport-views-hint = Saved views of the part; the report has pictures of them
viewport-save-view = Save this view
viewport-end-clipping = End clipping
viewport-end-clipping-hint = End clipping: shows what the saved view cuts away

# Notices over the view.
viewport-reopen = Open the scan in { $unit } and align
viewport-dismiss = Dismiss
viewport-unsaved = The last session ended without saving. Its inspection can be restored.
viewport-restore = Restore
viewport-discard = Discard

# Beside the pointer.
viewport-no-opposite-side = no opposite side
viewport-no-data = no data
viewport-scan-point = scan point

# Handles that move the scan by hand.
viewport-move-in-view = Move in the plane of the view
viewport-move-along = Move along { $axis }
viewport-move-in = Move in the plane { $first }{ $second }
viewport-turn-about = Turn about { $axis }

# Tools of the brush.
viewport-brush-off = Off
viewport-brush-round = Round
viewport-brush-rectangle = Rectangle
viewport-brush-lasso = Lasso
viewport-brush-polygon = Polygon

# Flags; of a size, the measured one and its limits.
viewport-callout = Callout { $name }
viewport-size = { $size } { $unit } ({ $lower } to { $upper })
viewport-show-measured = Show where it was measured
viewport-show-region = Show this region
viewport-show-point = Show this point
viewport-feature = Feature { $name }
viewport-hole = Hole { $name }
viewport-show-feature = Show its results

# The drawing of a section.
viewport-section-view = Section view
viewport-section = Section { $name }
viewport-section-enlarged = Section { $name }, deviations { $factor } times enlarged
viewport-whisker = { $length }, median of { $count } points
viewport-not-measured = not measured
