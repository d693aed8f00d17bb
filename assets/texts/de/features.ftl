# Arbeitsbereich Geometrie.

# Schritte.
features-step-select = Auswählen
features-step-select-about = Punkte des Scans oder Dreiecke des CAD mit dem Pinsel auswählen und Auswahlen unter einem Namen merken
features-step-fit = Einpassen
features-step-fit-about = Geometrieelemente in die ausgewählten Punkte einpassen; Ergebnisse, Sollgeometrie und Einpassoptionen
features-step-construct = Konstruieren
features-step-construct-about = Elemente aus Geometrieelementen bilden: Schnitte, Projektionen, Mitten, Lochkreise
features-step-measure = Messen
features-step-measure-about = Abstände und Winkel zwischen Geometrieelementen mit ihren Grenzen
features-step-tolerances = Tolerieren
features-step-tolerances-about = Bezüge und geometrische Toleranzen der Zeichnung oder der CAD-Datei und ihre Ergebnisse
features-missing-selection = Nichts ist ausgewählt: ein Werkzeug des Pinsels wählen und über das Teil ziehen.
features-missing-points = Keine Punkte sind ausgewählt: Einpassungen brauchen Punkte des Scans.
features-missing-features = Abstände und Winkel brauchen zwei Geometrieelemente: diese zuerst einpassen oder konstruieren.
features-missing-results = { $count } ohne Ergebnis; der Grund steht jeweils daneben.

# Pinsel und Auswahl.
features-brush = Pinsel
features-load-first = Einen Scan laden, dann die Punkte eines Geometrieelements mit dem Pinsel auswählen.
features-scan-points = Scanpunkte
features-nominal-facets = CAD-Dreiecke
features-load-scan = Zuerst einen Scan laden
features-load-nominal = Zuerst ein CAD laden
features-visible-only = Nur sichtbare
features-visible-only-hint = Lässt verdeckte Punkte und Dreiecke aus
features-radius = Radius
features-how-polygon = Eckpunkte anklicken; Enter, Doppelklick oder ein Klick auf den ersten Eckpunkt schließt, Esc verwirft. Strg entfernt. Ziehen mit Alt dreht die Ansicht, rechtes Ziehen verschiebt sie.
features-how-circle = Das Mausrad stellt den Radius ein. Strg entfernt. Ziehen mit Alt dreht die Ansicht, rechtes Ziehen verschiebt sie.
features-how-drag = Über das Teil ziehen. Strg entfernt. Ziehen mit Alt dreht die Ansicht, rechtes Ziehen verschiebt sie.
features-selection = Auswahl
features-selected = { $shown } { $kind } ausgewählt
features-selected-hidden = { $shown } { $kind } ausgewählt, { $hidden } ausgeblendet
features-selected-too = { $shown } Punkte des Scans sind auch ausgewählt; Einpassungen verwenden sie.
features-deselect = Keine
features-deselect-hint = Hebt die Auswahl aller Punkte und Dreiecke auf
features-invert = Umkehren
features-invert-hint = Kehrt die Auswahl um
features-delete-points = Punkte löschen
features-delete-points-hint = Entfernt die ausgewählten Punkte aus dem Scan
features-delete-facets = Dreiecke löschen
features-delete-facets-hint = Entfernt die ausgewählten Dreiecke aus dem CAD; die Datei bleibt unverändert
features-export = Exportieren …
features-export-hint = Schreibt die Auswahl in eine Datei
features-hide = Ausblenden
features-hide-hint = Blendet die Auswahl aus; sie wird weiter ausgewertet
features-show-only = Nur diese zeigen
features-show-only-hint = Blendet alles andere aus
features-show-all = Alle zeigen
features-show-all-hint = Zeigt alle ausgeblendeten Punkte oder Dreiecke
features-whole-faces = Ganze Flächen
features-whole-faces-hint = Erweitert die Auswahl auf ganze CAD-Flächen; auf einem Netz bis zu dessen Kanten
features-points-on-facets = Punkte darauf wählen
features-points-on-facets-hint = Wählt die Scanpunkte nahe diesen Dreiecken aus
features-store = Merken
features-store-hint = Merkt die Auswahl unter diesem Namen
features-select-again = Wählt diese erneut aus
features-delete = Löschen

# Einpassungen.
features-fit = In die ausgewählten Punkte einpassen
features-brush-first = Zuerst Punkte mit dem Pinsel auswählen
features-slot = Langloch
features-in-plane = In Ebene
features-in-plane-hint = Geraden, Kreise und Langlöcher werden in dieser Ebene eingepasst
features-none = ohne
features-choose = wählen
features-objective = Kriterium
features-robust = Robust (LMedS)
features-robust-hint = Beginnt mit dem kleinsten Median der Quadrate; für Auswahlen, die über eine Kante reichen
features-reject-points = Punkte verwerfen ab

# Parallele Ebenen.
features-parallel-planes = Parallele Ebenen
features-parallel-planes-note = Gemeinsame Normale aller angekreuzten Ebenen, jede durch ihren eigenen Schwerpunkt.
features-weights = Gewichte
features-mask-incidence = Ausschließen ab Einfallswinkel
features-max-incidence = Max. Einfallswinkel
features-fit-parallel-planes = Parallele Ebenen einpassen
features-tick-two = Mindestens zwei Ebenen ankreuzen

# Eingepasste Geometrieelemente.
features-features = Geometrieelemente
features-no-features = Noch keine Geometrieelemente eingepasst.
features-nominal-frame = Positionen und Richtungen im CAD-Koordinatensystem; ± U (k = 2).
features-scan-frame = Positionen und Richtungen im Scan-Koordinatensystem; ± U (k = 2).
features-on-facets = { $count ->
    [one] An jedem Teil gemessen: Punkte auf 1 Dreieck des CAD.
   *[other] An jedem Teil gemessen: Punkte auf { $count } Dreiecken des CAD.
 }
features-in-prism = An jedem Teil gemessen: Punkte in einem Prisma.
features-on-this-part = Nur an diesem Teil.
features-on-faces = Auf CAD-Flächen messen
features-on-faces-hint = Wählt nach den CAD-Flächen unter den Punkten aus, sodass es an jedem Teil gemessen wird
features-robust-of = Robust (LMedS) { $name }
features-reject = Verwerfen ab
features-reject-points-of = Punkte von { $name } verwerfen
features-max-residual-of = Max. Residuum von { $name }
features-reject-spikes = Spitzen verwerfen ab
features-reject-spikes-hint = Einzelne Punkte, die von allen ihren Nachbarn abstehen; Dellen, Beulen und Kratzer bleiben erhalten
features-reject-spikes-of = Spitzen von { $name } verwerfen
features-spike-limit-of = Grenze für Spitzen von { $name }
features-nominal-from-facets = Soll aus Dreiecken
features-nominal-from-facets-hint = Passt das Soll-Element in die ausgewählten Dreiecke ein
features-select-facets-first = Zuerst seine Dreiecke auf dem CAD auswählen
features-remove-nominal = Soll entfernen
features-align-to-compare = Zum Vergleich mit dem Soll ausrichten.
features-select-points = Seine Punkte auswählen
features-select-points-of = Punkte von { $name } auswählen
features-remove-named = { $name } entfernen

# Ihre Ergebnisse.
features-position = Position
features-direction = Richtung
features-radius-at-position = Radius an der Position
features-half-angle = Halber Kegelwinkel
features-major-radius = Großer Radius
features-minor-radius = Kleiner Radius
features-arc-seen = Erfasster Bogen
features-no-uncertainty = ohne Unsicherheit
features-form-error = Formabweichung
features-global-optimum = { $objective }, globales Optimum bewiesen
features-local-optimum = { $objective }, lokales Optimum bewiesen
features-open-optimum = { $objective }, Optimum nicht bewiesen
features-contact-points = Berührpunkte
features-points = Punkte
features-points-used = { $used } verwendet, { $rejected } verworfen
features-weights-masked = { $by }, Punkte über { $degrees }° Einfallswinkel ausgeschlossen
features-normal = Normale
features-common-normal = { $count } Ebenen gemeinsam
features-deviation = Abweichung
features-angular-deviation = Richtungsabweichung
features-angle-deviation = Winkelabweichung
features-size-deviation = Maßabweichung
features-length = Länge
features-width = Breite
features-centre = Mittelpunkt

# Konstruktionen.
features-construct = Konstruieren
features-construct-first = Zuerst Geometrieelemente einpassen, dann daraus Elemente konstruieren.
features-construction = Konstruktion
features-source = Element { $number }
features-offset = Abstand
features-construct-element = Element konstruieren
features-choose-elements = Zuerst die Elemente wählen
features-constructed-from = Konstruiert aus
features-section = Schnitt
features-section-circle = Kreis mit Radius { $length }
features-section-ellipse = Ellipse, Halbachsen { $long }, { $short }
features-misfit = Restabweichung

# Maße.
features-measure = Messen
features-from = Von
features-to = Zu
features-choose-two = Zwei Elemente wählen, um Abstand und Winkel zu messen.
features-distance = Abstand
features-angle = Winkel
features-angle-how = { $how }. ± U (k = 2); konstruierte Elemente gelten als exakt.
features-add-distance = Abstand hinzufügen
features-add-angle = Winkel hinzufügen
features-add-measure-hint = Wird an jedem Teil gemessen; Grenzen lassen sich unten setzen
features-from-to = { $from } – { $to }
features-min = min.
features-max = max.
features-min-of = Min. { $name }
features-max-of = Max. { $name }
features-remove-from-plan = Entfernt es aus dem Prüfplan

# Toleranzen.
features-tolerances = Toleranzen
features-pmi-stated = Angaben zu Toleranzen und Maßen in der CAD-Datei: { $all }; davon im Prüfplan: { $planned }.
features-pmi-take = Aus CAD übernehmen
features-pmi-take-hint = Passt die Geometrieelemente ein, auf die sie sich beziehen, nimmt sie in den Prüfplan auf und bewertet sie
features-pmi-none = Keine davon ist auswertbar
features-pmi-earlier = Aus einer früheren CAD-Datei übernommen:
features-pmi-changed = { $name }: jetzt anders angegeben
features-pmi-gone = { $name }: nicht mehr angegeben
features-pmi-follow = Aus CAD aktualisieren
features-pmi-follow-hint = Übernimmt die Werte der geladenen CAD-Datei und entfernt, was sie nicht mehr angibt; ein Schritt zum Rückgängigmachen
features-at-work = Rechnet noch
features-pmi-list = Angaben im CAD ({ $all })
features-pmi-faces-hint =
    { $hint }
    Klicken wählt die Flächen aus.
features-pmi-datum = Bezug { $letter }: { $feature }
features-pmi-limits = { $lower } bis { $upper }
features-pmi-at-most = höchstens { $upper }
features-pmi-measure = { $name }: { $lower } bis { $upper }
features-pmi-not-evaluated = { $what }: nicht ausgewertet
features-tolerances-first = Geometrieelemente einpassen, Bezugsbuchstaben zuordnen, dann die Toleranzen der Zeichnung hinzufügen.
features-datum = Bezug { $letter }
features-no-tolerances = Noch keine Toleranzen: eine hinzufügen oder eine Liste öffnen.
features-feature-of = Geometrieelement der Toleranz { $number }
features-remove-tolerance-hint = Entfernt diese Toleranz
features-remove-tolerance = Toleranz { $number } entfernen
features-characteristic-of = Merkmal { $number }
features-lower-limit-of = Untere Grenze { $number }
features-limits-to = bis
features-limit-of = Grenze { $number }
features-datum-of = Bezug { $position } der Toleranz { $number }
features-common-datum-hint = Gemeinsamer Bezug: eine Achse oder Ebene, an die Punkte aller dieser Geometrieelemente zusammen angepasst (ISO 5459)
features-not-evaluated = Noch nicht ausgewertet oder seitdem geändert.
features-add-tolerance = Toleranz hinzufügen
features-flags = Fahnen in der Ansicht
features-flags-hint = Der ausgewerteten Toleranzen
features-evaluate = Toleranzen auswerten
features-how-not-proven =
    { $how }
    Die Unsicherheit ist unbekannt, die Konformität also nicht nachgewiesen.
features-measured-of = { $measured } von { $upper }
features-measured-between = { $measured } bei { $lower } bis { $upper }
features-tolerance-how = Toleranz { $number }: { $how }
features-list = Liste
features-open-list = Liste öffnen
features-open-list-hint = Liest Bezüge und Toleranzen aus dieser Datei
features-save-list = Liste speichern
features-save-list-hint = Schreibt Bezüge und Toleranzen in diese Datei

# Einzelheiten einer Toleranz.
features-at-angle = unter
features-angle-of = Winkel { $number }
features-at = bei
features-at-hint = Theoretisch exakte Position im Bezugssystem, { $unit }
features-exact-wanted = Die theoretisch exakte Position im Bezugssystem angeben.
features-exact-use = Verwenden
features-exact-use-of = Exakte Position der Toleranz { $number } verwenden
features-exact-of = Exaktes { $axis } der Toleranz { $number }
features-along = längs
features-along-hint = Achse oder Normale, im Bezugssystem
features-zone = Zone
features-zone-hint = Toleranzzone: Zylinder, Kugel oder parallele Ebenen
features-zone-diameter = Durchmesser
features-zone-along = Breite längs { $axis }
features-zone-along-other = Breite längs einer anderen Richtung
features-zone-of = Zone { $number }
features-maximum-material = Maximum-Material
features-maximum-material-hint = Die Grenze wächst um den Abstand der Paarungshülle des Ist-Elements vom Maximum-Material-Maß
features-maximum-material-of = Maximum-Material, Toleranz { $number }
features-hole = Bohrung
features-shaft = Welle
features-maximum-material-size = Maximum-Material-Maß { $number }
features-maximum-material-size-hint = Mindestmaß einer Bohrung, Höchstmaß einer Welle
features-filter = Gauß-Filter
features-filter-hint = Glättet die Punkte (ISO 16610-21 von Kreisen und Geraden, ISO 16610-61 von Flächen), bevor ihre Zone ausgewertet wird, damit nicht das Rauschen bewertet wird
features-filter-of = Gauß-Filter der Toleranz { $number }
features-filter-of-cad = Gauß-Filter für Toleranzen des CAD
features-nesting-of = Nesting-Index der Toleranz { $number }
features-nesting-of-cad = Nesting-Index für Toleranzen des CAD
features-nesting-hint = Nesting-Index: Wellen dieser Länge behalten die halbe Höhe
features-upr-hint = Wellen pro Umdrehung (UPR): so viele Wellen auf dem Umfang behalten die halbe Höhe
features-upr-of = Wellen pro Umdrehung der Toleranz { $number }
features-outliers = Ausreißer entfernen
features-outliers-hint = Entfernt einzelne Punkte, die von ihren Nachbarn abstehen, bevor die Form ausgewertet wird; das Ergebnis nennt ihre Zahl
features-outliers-of = Ausreißer der Toleranz { $number } entfernen
features-outlier-limit-of = Ausreißergrenze der Toleranz { $number }
features-size-class = Toleranzklasse
features-size-class-hint = Toleranzklasse nach ISO 286 mit ihrem Nennmaß, etwa 25 H7; sie setzt die Grenzmaße
features-size-class-of = Toleranzklasse der Toleranz { $number }
