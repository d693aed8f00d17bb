# Workspace Detect.

detect-about = Finds every copy of the nominal in the scan, however it lies, and says what is seen of it.
detect-load-first = Load a nominal and a scan of the scene that it lies in.
detect-find = Find parts
detect-find-again = Find parts again

# Options.

detect-options = Options
detect-least-score = Least score
detect-least-score-hint = Less of a part's visible side does not count as found
detect-least-agreement = Least agreement
detect-least-agreement-hint = More of what should be seen must be there, than is missing
detect-only-one = There is only one
detect-track = Look first where parts were found before
detect-track-hint = Quicker in repeated scans of one scene in which little has moved

# The result.

detect-stale = Out of date: find parts again.
detect-noticeable = Differences are noticed from { $width } wide, { $deviation } off.
detect-explained = They explain { $percent } % of the scene, floor and walls left out.
detect-colour = Colour the scan by what lies there
detect-colour-hint = Each part found has a colour of its own; what keeps the scan's colour is none of them
detect-share-background = Floor and walls: { $percent } % of the points
detect-share-nothing = Nothing that was found: { $percent } % of the points
detect-part = Part { $number }
detect-candidate = Candidate { $number }

# A part or candidate in the list.

detect-line = { $name }   score { $score }   { $percent } % seen
detect-line-in-doubt = { $name }   score { $score }   { $percent } % seen   in doubt
detect-line-accepted = { $name }   score { $score }   { $percent } % seen   accepted
detect-possible = Not found, but possible
detect-use = Align and compare here
detect-use-hint = Aligns the scan on this part by a best fit, and shows its deviations
detect-measure-all = Measure all { $count } parts…
detect-measure-all-hint = Writes the points of each part as a scan of its own, and measures all of them by this plan
detect-refuse = This is not one
detect-refuse-hint = Nothing like this is found here again; what it explained is searched for other parts
detect-accept = This is one
detect-accept-hint = It counts as found from now on; what is left is searched again
detect-said = { $accepted } accepted, { $refused } refused by you.
detect-forget = Search anew

# What speaks for a part.

detect-seen = Seen
detect-hidden = Hidden by others
detect-not-measured = Not measured
detect-tilted = Other direction
detect-missing = Not there
detect-goes-on = Surface that goes on beyond it
detect-points = Points on it
detect-fit = Fit
detect-origin = Its origin
detect-round = Round
detect-position-open = Its position is not determined.
detect-position = Its position is known to { $known } (1 σ) along the axes drawn, enlarged.
detect-position-partly = { $open ->
    [one] Its position is known to { $known } (1 σ) along the axes drawn, enlarged; along one more, in purple, it is not determined.
   *[other] Its position is known to { $known } (1 σ) along the axes drawn, enlarged; along two more, in purple, it is not determined.
 }
detect-position-hint = From the fit of its points, were their errors independent of each other; those of a sensor are not, so that it is somewhat worse
