# Arbeitsbereich Ausrichten.

align-heading = Ausrichten
align-and-compare = Ausrichten und vergleichen
align-automatically = Autom. ausrichten
align-automatically-hint = Findet die Lage ohne Vorausrichtung
align-best-fit = Best-Fit
align-best-fit-hint = Geht von der aktuellen Lage aus
align-by-hand = Von Hand
align-by-hand-hint = Bewegt den Scan mit Griffen in der Ansicht oder durch eingegebene Werte (M)
align-load-first = Zum Beginnen CAD und Scan laden.

# Bewegen von Hand.

align-hand = Von Hand bewegen
align-hand-how = Pfeil, Quadrat, Ring oder Scheibe ziehen. Mit Strg in Schritten; Esc nimmt einen Zug zurück.
align-hand-main = Angezeigt wird eine Hauptausrichtung, die den Scan zurückstellt: unter „Angezeigt“ die Ausrichtung davor wählen.
align-hand-axes = Achsen
align-hand-axes-part = des Teils
align-hand-axes-view = der Ansicht
align-hand-pivot = Drehpunkt
align-hand-pivot-scan = Mitte des Scans
align-hand-pivot-origin = Ursprung
align-hand-pivot-picked = Gewählter Punkt
align-hand-shift = Verschiebung, { $unit }
align-hand-shift-along = Verschiebung entlang { $axis }
align-hand-turn = Drehung, °
align-hand-turn-about = Winkel um { $axis }
align-hand-apply = Anwenden
align-hand-apply-hint = Dreht den Scan um x, y und z des Teils durch den Drehpunkt, in dieser Reihenfolge, und verschiebt ihn dann
align-not-fitted = Von Hand bewegt, nicht eingepasst.

# Das Ergebnis.

align-result = Ergebnis
align-method = Verfahren
align-rms = Minimierter RMS
align-points-used = Verwendete Punkte
align-iterations = Iterationen
align-rotation = Rotation
align-translation = Translation
align-as-before = { $motions }: wie in der Vorausrichtung.
align-rivals = Alternative Lagen: { $rivals }.
align-alternatives = Gleichwertige alternative Lagen; soweit dieser Scan zeigt, ist das Teil symmetrisch:
align-rotated = Drehung { $angle }°, RMS { $rms }
align-rotated-about = Drehung { $angle }° um { $axis }, RMS { $rms }
align-rotated-about-direction = Drehung { $angle }° um die Richtung { $direction }, RMS { $rms }
align-use-pose = Diese Lage verwenden

# Hauptausrichtungen.

align-main = Hauptausrichtung
align-main-before = Zuerst den Scan ausrichten, dann nach dem, worauf sich die Zeichnung bezieht.
align-main-shown = Angezeigt
align-references = Referenzpunkte
align-references-hint = Die Oberfläche geht durch gegebene Punkte (RPS); 3, 2 und 1 davon auf drei Flächen sind 3-2-1
align-datums = Bezugssystem
align-datums-hint = Die Bezüge liegen wie auf der Zeichnung
align-faces = Gewählte Flächen
align-faces-hint = Best-Fit nur über einige Flächen
align-tolerance = In Toleranz
align-tolerance-hint = Bewegt das Teil nur so weit, wie es nötig ist, um die Abweichungen in die Grenzen zu bringen
align-tolerance-limits = Grenzen des Vergleichs: { $low } bis { $high }.
align-pick-points = Punkte wählen
align-stop-picking = Auswahl beenden
align-click-points = Punkte auf dem CAD anklicken.
align-reference-point = Punkt
align-reference-along = Richtung
align-reference-before = Vorher, { $unit }
align-reference-left = Rest, { $unit }
align-reference-at = Bei { $x }, { $y }, { $z }
align-reference-name = Name von Referenzpunkt { $number }
align-reference-held = Referenzpunkt { $number } in Richtung { $direction } gebunden
align-reference-held-hint = Bindet den Punkt in dieser Richtung. Auf einer glatten Fläche zählen alle Richtungen eines Punktes als eine; an einer Kante wird jede auf der Fläche gemessen, die ihr zugewandt ist.
align-reference-surface = Fläche
align-reference-centre = Referenzpunkt { $number } gemessen an
align-reference-centre-hint = Die gescannte Fläche dort oder die Mitte einer gemessenen Bohrung, eines Langlochs oder Zapfens, die quer zu ihrer Achse festgehalten wird
align-reference-remove = Referenzpunkt { $number } entfernen
align-reference-remove-hint = Diesen Punkt entfernen
align-references-none = Referenzpunkte der Zeichnung auf dem CAD wählen: sechs bestimmen die Lage des Teils.
align-references-radius = Messradius
align-references-radius-hint = Scanpunkte innerhalb dieses Radius um einen Referenzpunkt ergeben dort die Oberfläche
align-freedoms-held = Alle 6 Freiheitsgrade sind gebunden.
align-freedoms-open = { $held } von 6 Freiheitsgraden gebunden. Wie in der Vorausrichtung: { $motions }.
align-datums-none = Zuerst unter „Geometrie“ die Bezugselemente messen.
align-datum-primary = Primärbezug
align-datum-secondary = Sekundärbezug
align-datum-tertiary = Tertiärbezug
align-associated = Zuordnung
align-contacting = Anliegend
align-contacting-hint = Ebenen durch die höchsten Stellen der Fläche, das Rauschen des Scans herausgemittelt; der größte Dorn in einer Bohrung, der kleinste Ring um eine Welle (ISO 5459)
align-contacting-extreme = Einzelpunkte
align-contacting-extreme-hint = Anliegend an den äußersten Einzelpunkten, wie sie gemessen wurden, mit ihrem Rauschen
align-as-fitted = Wie eingepasst
align-as-fitted-hint = Die Geometrieelemente, wie sie eingepasst wurden
align-faces-none = Dreiecke des CAD wählen: unter „Geometrie“ mit dem Pinsel auf CAD-Dreiecken.
align-faces-stored = Auf den { $shown } Dreiecken, mit denen sie erstellt wurde.
align-faces-selected = { $shown } Dreiecke des CAD sind gewählt.
align-main-again = Erneut ausrichten
align-main-add = Als neue Ausrichtung hinzufügen
align-main-add-hint = Behält diese Ausrichtung und fügt eine weitere hinzu
align-to-these = Danach ausrichten

# Optionen des Best-Fits.

align-options = Best-Fit-Optionen
align-distance-to = Abstand zu
align-distance-surface = wahrer Oberfläche
align-distance-planes = Dreiecksebenen
align-distance-points = nächsten Punkten
align-reject-outliers = Ausreißer verwerfen (Tukey-Gewichte)
align-reject-farthest = Fernste Punkte verwerfen
align-locked = Gesperrte Freiheitsgrade
align-locked-rotation-x = Rotation x
align-locked-rotation-y = Rotation y
align-locked-rotation-z = Rotation z
align-locked-translation-x = Translation x
align-locked-translation-y = Translation y
align-locked-translation-z = Translation z
align-search = Suche
align-reject-pairs = Paare verwerfen
align-reject-sigma = nach Standardabweichung
align-reject-mad = nach MAD (robust)
align-reject-beyond = Jenseits
align-reject-from = ab Iteration
align-max-iterations = Max. Iterationen
align-error-limit = Grenze mittleres Quadrat
align-error-limit-hint = Endet unter diesem mittleren quadratischen Abstand; 0: aus
align-change-limit = Änderungsgrenze
align-change-limit-hint = Endet unter dieser Änderung des mittleren quadratischen Abstands; Vorgabe: Quadrat eines Millionstels der Diagonale des CAD
align-min-change = Min. Änderung
align-register = Mit diesem Verfahren registrieren
align-register-hint = Punkt-zu-Punkt-Registrierung auf abgetastete Dreiecke von der aktuellen Lage aus, mit diesem Suchverfahren

# Punktpaare.

align-pairs = Punktpaare
align-pick-pairs = Paare wählen
align-click-nominal = Punkt auf dem CAD anklicken.
align-click-scan = Denselben Punkt auf dem Scan anklicken.
align-pair = Paar { $number }
align-by-pairs = Über Paare ausrichten
align-remove-all = Alle entfernen
align-few-pairs = Mindestens drei Paare, die nicht auf einer Geraden liegen, sind nötig.

# Suchverfahren und das Fenster, das sie vergleicht.

align-searches = Suchverfahren
align-compare-searches = Suchverfahren vergleichen
align-compare-searches-hint = Registriert diesen Scan von der aktuellen Lage aus mit jedem Suchverfahren für nächste Punkte auf jedem Gerät
align-show-last = Letzten zeigen
align-searches-title = Vergleich der Suchverfahren
align-searches-points = { $scan } Punkte des Scans auf { $nominal } Punkte des CAD. { $agreement }
align-searches-about = Suchstrukturen werden vorher aufgebaut: der k-d-Baum in { $tree } ms, der Delaunay-Graph in { $graph } ms. Die Paarung mit abgetasteten Punkten verfälscht die Lage systematisch; der Best-Fit auf die Dreiecke des CAD (letzte Zeile) ist genauer und weicht deshalb ab.
align-searches-method = Suchverfahren
align-searches-method-hint = Verfahren, das den nächsten Punkt findet
align-searches-device = Gerät
align-searches-device-hint = Recheneinheit
align-searches-time = Zeit
align-searches-time-hint = Von den Punkten im Speicher bis zur Lage; grün: schnellstes exaktes Verfahren auf seinem Gerät
align-searches-iterations = Iterationen
align-searches-iterations-hint = Bis der Fehler nicht weiter abnahm
align-searches-rms = RMS
align-searches-rms-hint = Minimierter Abstand: zu Punkten des CAD, in der letzten Zeile zu seinen Dreiecken
align-searches-difference = Differenz
align-searches-difference-hint = Abstand von der Lage, die mit dem k-d-Baum auf der CPU gefunden wurde, in der Mitte des Teils
align-searches-visited = Besucht
align-searches-visited-hint = Mittlere Zahl der je Lauf besuchten Punkte, nach der ersten Iteration
align-searches-share = Suchanteil
align-searches-share-hint = Anteil der Suche an der Rechenzeit
align-searches-walks = Länge der Läufe
align-searches-copy = Tabelle kopieren
align-searches-copy-hint = Als kommagetrennte Werte
align-searches-axis-visited = besuchte Punkte
align-searches-axis-walks = % der Läufe
