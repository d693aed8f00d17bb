# Der Prüfbericht.

printed-title = Prüfbericht
printed-subtitle = { $scan } gegen { $nominal }
printed-grey = grau: keine Daten
printed-grey-and-others = grau: keine Daten; anderes im Scan ist nicht dargestellt
printed-histogram = Histogramm
printed-histogram-of-deviations = Histogramm der Abweichungen
printed-regions = Bereiche außer Toleranz
printed-no-regions = Keine.
printed-area = Fläche
printed-peak = Spitzenwert
printed-region = Bereich { $number }: Spitzenwert { $peak } mm, Fläche { $area } mm²
printed-drawings = Zeichnungen der Schnitte
printed-remarks = Bemerkungen
printed-inspected-by = Geprüft: Name, Datum, Unterschrift
printed-released-by = Freigegeben: Name, Datum, Unterschrift
printed-page = Seite { $number } von { $count }
printed-left-out = Nicht in diesem Bericht: { $sections }.
printed-views-left-out = Weggelassene Ansichten: { $views }.
printed-worst-regions = { $count ->
    [one] Größter Bereich
   *[other] Größte Bereiche
    }
printed-enlarged = { $name }; Abweichungen { $factor }-fach vergrößert
