# Der Elementbaum, die Teileleiste und die Fußleiste.

elements-heading = Elemente

elements-nominal = CAD
elements-no-nominal = Kein CAD oder Netz geladen.
elements-open-nominal = CAD öffnen …
elements-opacity = Deckkraft
elements-facets = { $shown } Dreiecke
elements-add-nominal = CAD hinzufügen …
elements-add-nominal-hint = Etwa ein Werkzeug oder das Rohteil, im Koordinatensystem des ersten CAD

elements-actual = Ist
elements-no-scan = Kein Scan geladen.
elements-open-scan = Scan öffnen …
elements-points = { $shown } Punkte
elements-left-out = { $shown } davon nicht in der Oberfläche
elements-left-out-hint = Streupunkte sowie Punkte, die fast mit anderen zusammenfallen. Ein Rechtsklick auf den Scan zeigt auch sie; S zeigt alle Punkte.
elements-show-left-out = Punkte außerhalb der Oberfläche anzeigen

elements-alignment = Ausrichtung
elements-given-pose = Vorgegebene Lage, nicht eingepasst
elements-alternatives = { $count ->
    [one] 1 andere Lage passt ebenso gut
   *[other] { $count } andere Lagen passen ebenso gut
 }
elements-not-aligned = Nicht ausgerichtet.

elements-offsets = Offsets ({ $count })
# Im Scan gefundene Teile.
elements-found = Gefunden
# Nicht „Geometrie“, so heißt ein Arbeitsbereich.
elements-features = Gemessene Elemente ({ $count })

elements-check = Prüfung
elements-comparison-stale = Veraltet: neu vergleichen.
elements-not-compared = Nicht verglichen.
elements-on-scan = Auf dem Scan
elements-on-nominal = Auf dem CAD
elements-on-nominal-hint = Die mittlere Abweichung der Scanpunkte über jedem Dreieck des CAD; grau, wo keine sind (D)
elements-deviation-colours = Abweichungsfarben
elements-others = Anderes im Scan
elements-others-hint = Im Arbeitsbereich Vergleich; in den anderen immer sichtbar
elements-regions = { $count ->
    [one] 1 Bereich außer Toleranz
   *[other] { $count } Bereiche außer Toleranz
 }

# Bereinigen des Scans.
elements-clean = Scan bereinigen
elements-outliers = Ausreißer ab
elements-remove-outliers = Ausreißer entfernen
elements-outliers-hint = Entfernt Punkte, deren mittlerer Abstand zu ihren Nachbarn den Mittelwert aller Punkte um mehr als so viele Standardabweichungen übersteigt
elements-point-distance = Min. Punktabstand
elements-thin = Ausdünnen
elements-thin-hint = Dünnt die Punkte auf eine gleichmäßige Dichte aus: keine zwei näher beieinander
elements-find-normals = Normalen bestimmen
elements-find-normals-hint = Schätzt die Normale jedes Punktes aus seinen Nachbarn, zum Sensor hin gerichtet, falls dessen Position aus dem Scan bekannt ist
elements-cleaned = { $step }: erledigt

# Zeile eines Elements und ihr Kontextmenü.
elements-stale = Veraltet: Eine Eingabe hat sich geändert.
elements-not-made = Noch nicht berechnet.
elements-waits = Wartet auf { $names }.
elements-element-hint =
    { $kind } „{ $name }“
    { $status }
# Für Bildschirmleser.
elements-element = Element { $name }
elements-new-name = Neuer Name
elements-rename = Umbenennen …
elements-show = Einblenden
elements-hide = Ausblenden
elements-show-only = Nur dieses zeigen
elements-show-all = Alle einblenden
elements-update = Aktualisieren
elements-on-faces = Auf CAD-Flächen messen
elements-move-up = Nach oben
elements-move-down = Nach unten

# Gespeicherte Ansichten.
elements-views = Ansichten ({ $count })
elements-view-in-report = im Bericht
elements-view-hint = Zeigt die gespeicherte Ansicht; Rechtsklick für mehr
# Für Bildschirmleser.
elements-view = Ansicht { $name }
elements-view-replace = Durch aktuelle Ansicht ersetzen
elements-view-leave-out = Aus dem Bericht nehmen
elements-view-put-into = In den Bericht aufnehmen

# Die Teileleiste.
elements-parts = Teile
elements-table = Tabelle und Trend …
elements-current-part = Aktuelles Teil
# Für Bildschirmleser.
elements-part = Teil { $name }

# Die Fußleiste.
elements-show-log = Protokoll zeigen
elements-hide-log = Protokoll ausblenden
elements-show-results = Ergebnisse zeigen
elements-hide-results = Ergebnisse ausblenden
elements-compute-on = Rechnen auf { $device }
elements-device = Rechengerät
