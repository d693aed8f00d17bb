# The inspection report.

printed-title = Inspection report
printed-subtitle = { $scan } against { $nominal }
printed-grey = grey: no data
printed-grey-and-others = grey: no data; other things in the scan are not shown
printed-along = deviations along { $along }; { $grey }
printed-across = deviations perpendicular to { $across }; { $grey }
printed-own-tolerances = { $count ->
    [one] { $grey }; limits of the part, 1 face has an own tolerance
   *[other] { $grey }; limits of the part, { $count } faces have own tolerances
 }
printed-histogram = Histogram
printed-histogram-of-deviations = Histogram of the deviations
printed-regions = Regions out of tolerance
printed-no-regions = None.
printed-area = Area
printed-peak = Peak
printed-region = Region { $number }: peak { $peak }, area { $area } mm²
printed-drawings = Drawings of the sections
printed-remarks = Remarks
printed-inspected-by = Inspected by: name, date, signature
printed-released-by = Released by: name, date, signature
printed-page = Page { $number } of { $count }
printed-left-out = Left out of this report: { $sections }.
printed-views-left-out = Views left out: { $views }.
printed-worst-regions = { $count ->
    [one] Worst region
   *[other] Worst regions
    }
printed-enlarged = { $name }; deviations { $factor } times enlarged
printed-results = Features and checks, U with k = 2

# The calibration certificate; most of its words are those of the floors below.

printed-certificate-subtitle = Sensor on a coordinate measuring machine · artefact: { $artefact }
printed-certificate-radius = Radius of sphere { $sphere }, sensor minus CMM
printed-certificate-weakest = The fit of { $name } contributes most to the uncertainty of the angles.
