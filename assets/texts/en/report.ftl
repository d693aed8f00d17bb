# Workspace Report and its preview.

report-heading = Report
report-title = Title
report-part-number = Part number
report-serial-number = Serial number
report-operator = Operator
report-folder = Folder
report-logo = Logo
report-no-logo = none
report-template = Template
report-no-template = none: built-in layout
report-page-size = Page size
report-unit = Report unit
report-choose-folder = Choose folder…
report-choose-logo = Choose logo…
report-remove-logo = Remove logo
report-choose-template = Choose template…
report-template-hint = Typst file with your own page design, which report.pdf follows; needs the program typst
report-remove-template = Remove template
report-save-template = Save a starting template…
report-write = Write report
report-preview = Preview
report-preview-hint = Shows the pages as they would be printed
report-open = Open report
report-open-workbook = Open workbook
report-open-folder = Open folder
report-no-comparison = A report needs a comparison: align and compare first.
report-writes = Writes report.pdf, report.html, results.csv, results.xlsx, results.qif, summary.json, deviations.csv, colormap.ply and pictures.

# Contents.

report-contents = Contents
report-view-named = View { $view } in the report
report-saved-view = View “{ $name }”
report-flags = Flags in pictures
report-flags-hint = Regions out of tolerance, tolerances and surface points beside the part; until you choose, as the view and the saved views show them
report-on-nominal = Deviations on the nominal
report-on-nominal-hint = Standard views and views of regions show the deviations on the CAD; saved views show them where they did when they were saved
report-move-down-named = Move { $section } down
report-move-down = Moves the section down
report-move-up-named = Move { $section } up
report-move-up = Moves the section up
report-always = Title, verdict, remarks and the lines to sign on are in every report; it says what was left out.
report-language = Language
report-as-window = as the window
