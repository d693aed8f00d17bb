# The table of results, and its headings in the report.

results-heading = Results
results-element = Element
results-characteristic = Characteristic
results-nominal = Nominal
results-actual = Actual
results-deviation = Deviation
results-lower = Lower limit
results-upper = Upper limit
results-uncertainty = U (k = 2)
results-verdict = Verdict

results-all = All rows
results-of-features = Features alone
results-of-checks = Checks alone
results-only-open = Only what is not pass
results-only-open-hint = Out of limits, within the uncertainty of a limit, or not judged
results-filter = Filter
results-filter-hint = Text in the row
results-count = { $shown } of { $all }
results-copy = Copy rows
results-copy-hint = Copies the rows shown, separated by tabs, for a spreadsheet
results-save = Save as CSV…
results-save-hint = Saves all rows with their figures in full
results-close = Close results
results-none = Features and checks stand here once there are any.
results-no-match = No row matches the filter.

# For screen readers.
results-sort = Sort by { $column }
results-sorted = Sorted by { $column }, ascending
results-sorted-down = Sorted by { $column }, descending
results-row = Result { $title }: { $figures }
