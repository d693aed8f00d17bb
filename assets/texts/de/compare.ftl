# Arbeitsbereich Vergleichen.

compare-surface = Oberfläche
compare-surface-hint = Abweichungen über die ganze Oberfläche, farbig
compare-sections = Schnitte
compare-sections-hint = Das Teil in Ebenen geschnitten, mit den Abweichungen darin
compare-points = Punkte
compare-points-hint = Abweichungen an Punkten des CAD

# Über die Oberfläche.

compare-compare = Vergleichen
compare-now = Jetzt vergleichen
compare-comparison = Vergleich
compare-add = Vergleich hinzufügen
compare-add-hint = Weiterer Vergleich mit anderem Verfahren oder anderen Grenzen
compare-measured-in = Gemessen in
compare-method = Verfahren
compare-method-closest = nächster Punkt
compare-method-points = Punkte über Dreiecken
compare-method-facets = Dreiecke längs Normalen
compare-lower-limit = Untere Grenze
compare-upper-limit = Obere Grenze
compare-scale = Ende der Farbskala
compare-colours = Farben
compare-max-distance = Max. Abstand
compare-min-region = Min. Bereichsfläche
compare-min-coverage = Min. Abdeckung
compare-max-edge = Max. Dreieckskante (0: auto)
compare-stale = Veraltet: Die Eingaben haben sich seit dem letzten Vergleich geändert. Erneut vergleichen.
compare-not-yet = Noch nicht verglichen.
compare-component = { $name }: { $verdict } – { $reason }
compare-histogram = Histogramm
compare-statistics = Statistik
compare-surface-measured = Gemessene Oberfläche
compare-points-evaluated = Ausgewertete Punkte
compare-without-data = Ohne Daten
compare-mean = Mittelwert
compare-sigma = Standardabweichung
compare-rms = RMS
compare-min-max = Min., Max.
compare-percentiles = Perzentile 1, 99 %
compare-in-tolerance = In Toleranz
compare-regions = Bereiche außer Toleranz
compare-regions-none = Keine.
compare-flags = Fahnen in der Ansicht
compare-flags-hint = Für die zehn schlechtesten Bereiche
compare-show-region = Bereich anzeigen
compare-unmeasured = Nicht gemessene Bereiche
compare-show-unmeasured = Am Teil anzeigen

# Schnitte.

compare-section-load = CAD laden, um es zu schneiden.
compare-new-section = Neuer Schnitt
compare-section-shown = Angezeigter Schnitt
compare-perpendicular = Senkrecht zu
compare-section-position = Position des Schnitts
compare-plane = Ebene { $place }.
compare-position = Position
compare-planes = Anzahl der Ebenen
compare-spacing = Abstand der Ebenen
compare-cut-again = Erneut schneiden
compare-add-section = Schnitt hinzufügen
compare-not-aligned = Der Scan ist noch nicht ausgerichtet: Nur das CAD wird geschnitten.
compare-section-stale = Veraltet: erneut schneiden.
compare-contour = CAD-Kontur
compare-measured = Gemessen
compare-section-medians = Abweichungen in der Ebene, Mediane der Punkte im Umkreis von { $mm } mm um sie.
compare-view = Ansicht
compare-plane-of = Ebene { $number } von { $count }
compare-previous = Zurück
compare-next = Weiter
compare-enlarge = Überhöhung
compare-automatic = automatisch
compare-times = { $factor }-fach
compare-clip = Ansicht an der Ebene schneiden
compare-flip = Umkehren
compare-flip-hint = Zeigt die andere Seite
compare-save-drawings = Zeichnungen speichern …
compare-save-drawings-hint = SVG, DXF und CSV
compare-dimensions = Maße
compare-distance-hint = Zwischen zwei parallelen Geraden, zwei Bögen oder Gerade und Bogen: Spalt, Dicke
compare-step-hint = Höhe der zweiten Geraden über der ersten: wie bündig zwei Flächen sind
compare-angle-hint = Zwischen zwei Geraden
compare-radius-hint = Eines Bogens
compare-click-arc = Bogen in der Zeichnung anklicken.
compare-click-first = Erste Gerade oder ersten Bogen in der Zeichnung anklicken.
compare-click-second = Zweite Gerade oder zweiten Bogen anklicken.
compare-remove-of = { $name } entfernen
compare-limits = Grenzen
compare-limits-of = Grenzen von { $name }
compare-lower-limit-of = Untere Grenze von { $name }
compare-upper-limit-of = Obere Grenze von { $name }

# Oberflächenpunkte.

compare-points-load = CAD und Scan laden und ausrichten: Dann können Punkte des CAD gemessen werden.
compare-points-shown = Angezeigt
compare-pick-points = Punkte wählen
compare-stop-picking = Wählen beenden
compare-from-table = Aus Tabelle …
compare-from-table-hint = Tabelle mit Name, x, y, z in mm und Richtung: normal, x, y oder z
compare-click-points = Punkte auf dem CAD anklicken.
compare-points-none = Jeder auf dem CAD angeklickte Punkt wird entlang seiner Normalen gemessen, hier und an jedem weiteren Teil.
compare-column-point = Punkt
compare-column-along = Entlang
compare-column-deviation = Abweichung, mm
compare-point-at = Bei { $x }, { $y }, { $z } mm
compare-name-of-point = Name des Oberflächenpunkts { $number }
compare-direction-of-point = Richtung des Oberflächenpunkts { $number }
compare-point-found = Aus { $count ->
    [one] 1 Scanpunkt; zum Anzeigen klicken
   *[other] { $count } Scanpunkten; zum Anzeigen klicken
 }
compare-not-measured = nicht gemessen
compare-remove-point-hint = Punkt entfernen
compare-remove-point = Oberflächenpunkt { $number } entfernen
compare-smallest-hint = Kleinste zulässige Abweichung an jedem Punkt
compare-largest-hint = Größte zulässige Abweichung an jedem Punkt
compare-measured-within = Messradius
compare-measured-within-hint = Scanpunkte in diesem Radius um einen Punkt ergeben dort die Oberfläche
compare-measure-again = Erneut messen
