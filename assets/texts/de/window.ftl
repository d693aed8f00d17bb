# Menüs, Werkzeugleiste, Tastatur und das Fenster als Ganzes.

window-file = Datei
window-edit = Bearbeiten
window-inspect = Prüfen
window-view = Ansicht
window-help = Hilfe

# Menü Datei.

window-open = Öffnen …
window-open-next-scan = Nächsten Scan prüfen …
window-save-project = Projekt speichern
window-save-project-as = Projekt speichern unter …
window-save-plan = Prüfplan für weitere Teile speichern …
window-write-report = Bericht schreiben
window-preview-report = Berichtsvorschau
window-new-inspection = Neue Prüfung
window-quit = Beenden
window-recent-files = Zuletzt geöffnet

# Menü Bearbeiten.

window-undo = Rückgängig
window-undo-of = Rückgängig: { $what }
window-redo = Wiederholen
window-redo-of = Wiederholen: { $what }
window-remove-outliers = Ausreißer aus dem Scan entfernen
window-find-normals = Normalen des Scans bestimmen
window-unify-winding = Umlaufsinn des CAD vereinheitlichen

# Menü Prüfen.

window-align-automatically = Automatisch ausrichten
window-best-fit = Best-Fit aus aktueller Lage
window-move-by-hand = Scan von Hand bewegen
window-compare = Vergleichen
window-align-and-compare = Ausrichten und vergleichen
window-compare-searches = Suchverfahren vergleichen
window-measure-parts = Teile nach Prüfplan messen …
window-measured-parts = Gemessene Teile …
window-update-all = Alles aktualisieren
window-evaluate-tolerances = Toleranzen auswerten
window-cancel-job = Laufenden Vorgang abbrechen
window-find-regions = Bereiche des Prüfkörpers suchen
window-calibrate-sensor = Sensor kalibrieren
window-start-mechanical = Mechanische Ausrichtung starten
window-stop-mechanical = Mechanische Ausrichtung beenden

# Menü Ansicht.

window-fit = Einpassen
window-lens = Perspektive oder Parallelprojektion
window-as-surface = Scan als Oberfläche oder Punkte
window-on-nominal = Abweichungen auf dem CAD oder dem Scan
window-left-out = Punkte außerhalb der Oberfläche
window-edges = Kanten des CAD
window-save-view = Diese Ansicht speichern
window-results = Ergebnistabelle
window-theme = Helles oder dunkles Design
window-palette = Befehlspalette
window-next-region = Nächster Bereich des Fensters
window-workspace = Arbeitsbereich { $name }
window-language = Sprache: { $name }
window-decimals = Nachkommastellen: { $count }
window-unit = Einheit: { $unit }
window-workspaces = Arbeitsbereiche
window-standard-views = Standardansichten
window-languages = Sprache
window-choose-decimals = Nachkommastellen
window-choose-unit = Längeneinheit
window-legend = Legende
window-legend-left = Legende: links
window-legend-right = Legende: rechts

# Menü Hilfe.

window-keys = Tastatur und Maus
window-about = Über Shadowgraph

# Die Leiste oben.

window-workspace-calibrate = Kalibrieren
window-workspace-align = Ausrichten
window-workspace-compare = Vergleichen
window-workspace-features = Geometrie
window-workspace-offset = Offset
window-workspace-detect = Erkennen
window-workspace-report = Bericht
window-inspect-next-scan = Nächster Scan
window-inspect-next-scan-hint = Nächsten Scan prüfen: ersetzt den Scan und wiederholt die Prüfung
window-load-nominal-first = Zuerst CAD laden

# Befehlspalette.

window-type-a-command = Befehl eingeben

# Hilfe: die Maus und über das Programm.

window-mouse = Maus in der Ansicht
window-mouse-rotate = Drehen
window-mouse-rotate-by = Ziehen
window-mouse-pan = Verschieben
window-mouse-pan-by = Umschalt + Ziehen, rechts oder mittig ziehen
window-mouse-zoom = Am Zeiger zoomen
window-mouse-zoom-by = Mausrad oder Fingergeste
window-mouse-value = Wert unter dem Zeiger
window-mouse-value-by = Zeigen
window-mouse-fly = Bereich anfliegen
window-mouse-fly-by = Auf seine Fahne klicken
window-mouse-brushing = Mit dem Pinsel drehen
window-mouse-brushing-by = Alt + Ziehen
window-mouse-brush-size = Größe des runden Pinsels
window-mouse-brush-size-by = Mausrad beim Pinseln
window-mouse-polygon = Polygon schließen
window-mouse-polygon-by = Doppelklick oder Eingabetaste
window-about-what = Soll-Ist-Vergleich von Scan und CAD für Streifenlichtsensoren an Koordinatenmessgeräten.
window-computes-on = Rechnet auf: { $device }
window-licences = Schrift: Inter, SIL Open Font License 1.1. Symbole: Phosphor, MIT-Lizenz.

# Das Fenster als Ganzes und alle Bereiche darin.

window-no-adapter = Kein Grafikadapter gefunden. Das Debian-Paket mesa-vulkan-drivers enthält einen Software-Renderer.
window-number-from-to = Eine Zahl von { $min } bis { $max } eingeben. Der Wert blieb unverändert.
window-waiting-for = Wartet auf { $names }.
window-not-computed = Noch nicht berechnet: aktualisieren.

# Vorschau des Berichts.

window-preview-of = { $count ->
    [one] Vorschau, 1 Seite
   *[other] Vorschau, { $count } Seiten
 }
window-smaller = Kleiner
window-larger = Größer
window-preview-stale = Die Prüfung hat sich seitdem geändert.
window-preview-template = Dies ist das eingebaute Layout; report.pdf wird nach der Vorlage { $template } gesetzt.
window-lay-out-again = Neu setzen
window-close-preview = Vorschau schließen
window-page = Seite { $number }

# Titel der Dialoge für Dateien und Ordner, und Arten von Dateien.

window-pick-holes = Liste der Bohrungen
window-pick-probed-holes = Angetastete Punkte der Bohrungen
window-pick-target-folder = Ordner für die Antastziele
window-pick-log = Kalibrierprotokoll
window-pick-artefact-cad = CAD des Prüfkörpers
window-pick-artefact-regions = Punkte auf den Bereichen des Prüfkörpers
window-pick-bar = Scan des Kugelstabs
window-pick-flat = Scan des Ebenheitsnormals
window-pick-own-tolerances = Tabelle der eigenen Toleranzen
window-pick-surface-points = Tabelle der Oberflächenpunkte
window-pick-found-parts = Ordner für die gefundenen Teile und ihre Ergebnisse
window-pick-plan = Prüfplan
window-pick-series-parts = Ordner mit Scans, einer je Teil
window-pick-series-folder = Ordner für die Ergebnisse
window-pick-certificate = Kalibrierung zum Vergleich
window-kind-tables = Tabellen
window-kind-logs = Protokolle
window-kind-cad = CAD und Netze
window-kind-scans = Scans
window-kind-plans = Prüfpläne
window-kind-calibrations = Kalibrierungen
