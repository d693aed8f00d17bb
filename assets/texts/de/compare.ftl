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
compare-along = Gemessen längs
compare-along-normal = Normale, zum nächsten Punkt
compare-along-x = X
compare-along-y = Y
compare-along-z = Z
compare-along-vector = eigener Vektor
compare-along-plane-xy = Ebene XY
compare-along-plane-yz = Ebene YZ
compare-along-plane-zx = Ebene ZX
compare-along-plane-vector = senkrecht zu eigenem Vektor
compare-along-vector-x = X der Richtung
compare-along-vector-y = Y der Richtung
compare-along-vector-z = Z der Richtung
compare-lower-limit = Untere Grenze
compare-upper-limit = Obere Grenze
compare-scale = Ende der Farbskala
compare-colours = Farben
compare-colours-colours = Eigene Farben…
compare-colours-name = Eigene Farben
compare-colours-boundaries = Grenzen in
compare-colours-shares = Anteilen der Toleranz
compare-colours-stepped = Stufen
compare-colours-stepped-hint = Jede Farbe gilt von ihrer Grenze bis zur nächsten; sonst gehen die Farben ineinander über
compare-colours-below = darunter
compare-colours-colour = Farbe { $number }
compare-colours-boundary = Grenze { $number }
compare-colours-add = Farbe über { $number } hinzufügen
compare-colours-add-hint = Fügt über dieser eine Farbe hinzu
compare-colours-remove = Farbe { $number } entfernen
compare-colours-remove-hint = Entfernt diese Farbe
compare-colours-reset = Zurücksetzen
compare-colours-reset-hint = Beginnt neu mit den eingebauten Farben
compare-colours-keep = Merken
compare-colours-keep-hint = Bietet diese Farben auch in anderen Projekten an
compare-colours-forget = Nicht mehr merken
compare-colours-forget-hint = Bietet diese Farben in anderen Projekten nicht mehr an
compare-colours-save = Farben speichern…
compare-colours-load = Farben laden…
compare-max-distance = Max. Abstand
compare-min-region = Min. Bereichsfläche
compare-min-region-hint = Fläche, ab der ein Bereich außer Toleranz das Teil durchfallen lässt; 0: jeder Bereich, den das Rauschen des Scans nicht erklärt
compare-min-coverage = Min. Abdeckung
compare-max-edge = Max. Dreieckskante (0: auto)
compare-face-tolerances = Eigene Toleranzen ({ $count })
compare-face-name = Fläche { $number }
compare-face-name-of = Name der eigenen Toleranz { $number }
compare-face-facets = { $count ->
    [one] 1 Dreieck
   *[other] { $count } Dreiecke
 }
compare-face-facets-hint = Wählt ihre Dreiecke aus
compare-face-lower = Untere Grenze der eigenen Toleranz { $number }
compare-face-upper = Obere Grenze der eigenen Toleranz { $number }
compare-face-remove = Eigene Toleranz { $number } entfernen
compare-face-remove-hint = Beurteilt diese Flächen nach den Grenzen des Teils
compare-face-not-judged = nicht beurteilt
compare-face-add = Eigene Toleranz hinzufügen
compare-face-add-hint = Gibt den gewählten Dreiecken eigene Grenzen; wo mehrere eigene Toleranzen ein Dreieck teilen, gilt die letzte
compare-face-table-hint = Tabelle mit Name, x, y, z eines Punkts auf der Fläche sowie unterer und oberer Grenze, alles in mm
compare-stale = Veraltet: Die Eingaben haben sich seit dem letzten Vergleich geändert. Erneut vergleichen.
compare-not-yet = Noch nicht verglichen.
compare-component = { $name }: { $verdict } – { $reason }
compare-more-remarks = { $count ->
    [one] und 1 weitere Bemerkung im Bericht
   *[other] und { $count } weitere Bemerkungen im Bericht
 }
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
compare-three-picks = Drei Punkte
compare-three-picks-hint = Die Ebene durch drei Punkte, die am Teil angeklickt oder eingegeben werden
compare-along-curve = Entlang einer Kurve
compare-along-curve-hint = Ebenen senkrecht zu einer glatten Kurve durch Punkte, die am Teil angeklickt oder eingegeben werden
compare-along-edge = Entlang einer Kante
compare-along-edge-hint = Ebenen senkrecht zu der Kante des CAD, die einem am Teil angeklickten oder eingegebenen Punkt am nächsten liegt
compare-pick-again = Neu wählen
compare-click-plane = Punkt { $number } von 3 am Teil anklicken. Rücktaste nimmt den letzten zurück, Esc bricht ab.
compare-click-curve = Die Punkte der Kurve am Teil anklicken, in ihrer Richtung. Rücktaste nimmt den letzten zurück, Esc bricht ab.
compare-click-edge = Einen Punkt des Teils an der Kante anklicken. Esc bricht ab.
compare-add-point = Punkt hinzufügen
compare-add-point-hint = Fügt einen Punkt hinzu, dessen Koordinaten eingegeben werden
compare-column-coordinate = { $axis }, { $unit }
compare-coordinate-of-point = { $axis } von Punkt { $number }
compare-remove-section-point = Punkt { $number } entfernen
compare-closed-curve = Geschlossene Kurve
compare-closed-curve-hint = Die Kurve kehrt vom letzten Punkt zum ersten zurück
compare-stations = Ebenen nach
compare-stations-number = Anzahl
compare-stations-number-hint = So viele in gleichen Abständen, vom Anfang der Kurve bis zu ihrem Ende
compare-stations-distance = Abstand
compare-stations-distance-hint = Eine am Anfang der Kurve und eine nach jedem solchen Abstand entlang der Kurve
compare-stations-edge-number-hint = So viele in gleichen Abständen entlang der Kante, keine an ihren Enden
compare-stations-edge-distance-hint = Eine nach jedem solchen Abstand entlang der Kante, keine an ihren Enden
compare-plane = Ebene { $position }.
compare-position = Position
compare-planes = Anzahl der Ebenen
compare-spacing = Abstand der Ebenen
compare-cut-again = Erneut schneiden
compare-add-section = Schnitt hinzufügen
compare-not-aligned = Der Scan ist noch nicht ausgerichtet: Nur das CAD wird geschnitten.
compare-section-stale = Veraltet: erneut schneiden.
compare-contour = CAD-Kontur
compare-measured = Gemessen
compare-section-medians = Abweichungen in der Ebene, Mediane der Punkte im Umkreis von { $width } um sie.
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
compare-gap-hint = Zwischen den Enden zweier Flächen, entlang der ersten, und wie bündig diese sind
compare-gap-depth = Tiefe unter den Flächen
compare-gap-depth-of = Tiefe von { $name }
compare-flush-length = Länge neben dem Spalt
compare-flush-length-of = Länge von { $name }
compare-click-reference = Bezugsfläche neben dem Spalt dort anklicken, wo sie geradlinig verläuft.
compare-click-other-side = Fläche auf der anderen Seite des Spalts anklicken.
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
compare-column-deviation = Abweichung, { $unit }
compare-point-at = Bei { $x }, { $y }, { $z }
compare-name-of-point = Name des Oberflächenpunkts { $number }
compare-direction-of-point = Richtung des Oberflächenpunkts { $number }
compare-point-found = Aus { $count ->
    [one] 1 Scanpunkt; zum Anzeigen klicken
   *[other] { $count } Scanpunkten; zum Anzeigen klicken
 }
compare-point-found-uncertain = Aus { $count ->
    [one] 1 Scanpunkt
   *[other] { $count } Scanpunkten
 }, erweiterte Unsicherheit U { $uncertainty }; zum Anzeigen klicken
compare-not-measured = nicht gemessen
compare-remove-point-hint = Punkt entfernen
compare-remove-point = Oberflächenpunkt { $number } entfernen
compare-smallest-hint = Kleinste zulässige Abweichung an jedem Punkt
compare-largest-hint = Größte zulässige Abweichung an jedem Punkt
compare-measured-within = Messradius
compare-measured-within-hint = Scanpunkte in diesem Radius um einen Punkt ergeben dort die Oberfläche
compare-measure-again = Erneut messen
