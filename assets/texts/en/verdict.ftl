# The overall verdict: its components, and the reasons for each.

verdict-comparison = Comparison
verdict-comparison-stale = The comparison is out of date.

verdict-cad = Tolerances of the CAD
verdict-cad-untouched = { $count ->
    [one] The CAD file states 1 tolerance or dimension, of which none was judged.
   *[other] The CAD file states { $count } tolerances and dimensions, of which none was judged.
 }
verdict-cad-partly = { $judged } of the { $stated } tolerances and dimensions that the CAD file states are in the plan.
verdict-cad-earlier = Tolerances of an earlier CAD file
verdict-cad-changed = Stated otherwise by the CAD file now: { $names }.
verdict-cad-gone = No longer stated by the CAD file: { $names }.

verdict-tolerances = Tolerances
verdict-tolerances-not-judged = { $count } tolerances were not judged.
verdict-measures = Distances and angles
# Of tolerances, or of distances and angles with limits.
verdict-summary = { $met } of { $all } are met, { $failed } are not, { $open } are undecided or could not be judged.

verdict-section-stale = The section is out of date.
verdict-surface-points-stale = The surface points are out of date.
verdict-thickness-stale = The thickness map is out of date.
verdict-thickness-no-limits = “{ $name }” was not judged: no limits.
# covers: such as “on 61 % of the contour”.
verdict-judged = Judged { $covers }.

verdict-calibration-not-read = The calibration was not read: update it.

verdict-features = Features
verdict-datum-alignment = Alignment to datums
verdict-not-converged = The fit of { $names } did not converge.
verdict-not-measured = { $names } could not be measured.
verdict-quoted = “{ $name }”
verdict-and = { $rest } and { $last }
