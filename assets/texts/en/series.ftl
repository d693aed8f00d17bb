# Series of parts.

series-title = Measure parts with a plan
series-title-measured = Measured parts
series-about = To create a plan, choose File › Save plan for other parts… in an inspection. It repeats alignment, comparison, features and tolerances on every part.
series-plan = Plan
series-plan-hint = an inspection plan (.sgplan)
series-plan-choose = Choose plan…
series-parts = Parts
series-parts-hint = a folder of scans, or a list
series-parts-choose = Choose parts…
series-results = Results
series-results-hint = a separate folder
series-results-choose = Choose results…
series-choose = Choose…
series-reports = Reports
series-measure = Measure parts
series-measure-hint = Choose plan, parts and results first
series-measured-before = Parts already measured with the same plan are read from the results.

# The table.

series-part = Part
series-verdict = Verdict
series-open-part = Open this part in the window
series-not-measured = not measured
series-no-verdict = no verdict
series-not-computed = not computed

# The trend of a value.

series-no-value = No part has a value.
series-trend-of = Trend of
series-axis-part = part
series-line-mean = mean
series-line-limit = limit
series-line-parts = parts
series-points-within = within
series-points-in-doubt = in doubt
series-points-beyond = beyond
series-count = Parts
series-count-beyond = { $count }, { $beyond } out of limits{ $doubtful ->
    [0] {""}
   *[other] , { $doubtful } in doubt
 }
series-limits = Limits
series-lower-limit = min. { $lower } { $unit }
series-upper-limit = max. { $upper } { $unit }
series-from-to = { $least } to { $greatest } { $unit }
series-mean = Mean
series-range = Range
series-sigma = Standard deviation
series-ppk-above = { $ppk } (above { $bound } with 95 % confidence)
series-few-parts = { $count ->
    [one] { $count } part: Pp and Ppk are stated from { $least } on.
   *[other] { $count } parts: Pp and Ppk are stated from { $least } on.
 }
