# Öffnen und Speichern, Verlassen und der Startbildschirm.

# Leere Ansicht.

files-welcome = Scan mit seinem CAD-Modell vergleichen
files-step-nominal = CAD (Soll) öffnen
files-step-nominal-text = CAD oder Netz: STEP, IGES, STL, 3MF …
files-step-scan = Scan öffnen
files-step-scan-text = Punkte oder Netz: PLY, PCD, E57, STL, XYZ …
files-step-compare = Ausrichten und vergleichen
files-step-compare-text = Ein Klick; Farben zeigen, wo das Teil abweicht
files-open-a-file = Datei öffnen …
files-demo = Demoteil ansehen
files-demo-hint = Öffnet einen Winkel und seinen Scan, richtet aus und vergleicht
files-recent = Zuletzt geöffnet
files-drop-here = Oder Dateien hier ablegen.
files-mouse = Ziehen dreht, Ziehen mit Umschalttaste oder rechts verschiebt, Mausrad zoomt.
files-welcome-sensor = Sensor auf dem KMG kalibrieren
files-drop-snapshot = Aufnahme des Prüfkörpers hier ablegen oder öffnen.
files-open-snapshot = Aufnahme öffnen …
files-welcome-probed = Vom KMG angetastete Punkte des Prüfkörpers
files-drop-probed = Tabelle der angetasteten Punkte hier ablegen oder öffnen: Bereich, x, y, z oder nur x, y, z.
files-open-probed = Punkte öffnen …

# Titel der Dateidialoge und Arten von Dateien darin.

files-open-title = Datei öffnen
files-next-scan-title = Nächsten Scan prüfen
files-snapshot-title = Aufnahme öffnen
files-probed-title = Angetastete Punkte öffnen
files-positions-title = Aufnahmen und Positionen
files-save-project-title = Projekt speichern
files-save-plan-title = Prüfplan speichern
files-export-points-title = Ausgewählte Punkte exportieren
files-export-facets-title = Ausgewählte Dreiecke exportieren
files-offset-mesh-title = Netz um das Volumen speichern
files-voxels-title = Voxel speichern
files-layers-title = Ordner für die Schichten
files-drawings-title = Ordner für die Zeichnungen
files-results-title = Ergebnisse speichern
files-report-title = Ordner für den Bericht
files-logo-title = Logo öffnen
files-template-title = Vorlage für den Bericht öffnen
files-starting-template-title = Ausgangsvorlage für den Bericht speichern
files-load-colours-title = Farben laden
files-save-colours-title = Farben speichern
files-kind-all = CAD, Scans, Projekte, Prüfpläne
files-kind-scans = Scans
files-kind-tables = Tabellen
files-kind-pictures = PNG-Bilder
files-kind-templates = Typst-Vorlagen
files-kind-colours = Farbskalen

# Der eigene Dateidialog des Fensters.

files-file = Datei
files-folder = Ordner
files-file-path = Pfad der Datei, oder Datei auf dem Fenster ablegen
files-folder-path = Pfad des Ordners
files-open-as = Öffnen als
files-as-nominal = CAD (Soll)
files-as-further-nominal = Weiteres CAD
files-as-scan = Scan (Ist)
files-unit = Einheit
files-unit-of-file = aus der Datei, sonst mm
files-cad-unit = CAD-Dateien geben ihre Einheit an.
files-column = Spalte für { $axis }
files-decimal-commas = Die Datei verwendet Dezimalkommas.
files-exists = { $path } existiert bereits und wird ersetzt.
files-replace = Ersetzen
files-choose = Auswählen
files-open = Öffnen

# Verlassen der Prüfung.

files-untitled = Unbenannt
files-save-asked = „{ $name }“ speichern?
files-changes-lost = Sonst gehen alle Änderungen seit dem letzten Speichern verloren.
files-all-lost = Sonst gehen alle Änderungen verloren.
files-dont-save = Nicht speichern
files-stop-asked = Laufenden Auftrag abbrechen?
files-still-running = „{ $job }“ läuft noch und wird abgebrochen.
files-keep-open = Offen lassen
files-stop-and-close = Abbrechen und schließen

# Fehler.

files-no-report-folder = Zuerst einen Ordner für den Bericht angeben.
files-not-opened-outside = { $path } konnte nicht geöffnet werden ({ $error }). Debian-Paket xdg-utils installieren.

# Legende und Ansichtswürfel.

files-legend-deviation = Abweichung, { $unit }
files-legend-deviation-along = Längs { $along }, { $unit }
files-legend-deviation-across = Senkrecht zu { $across }, { $unit }
files-legend-thickness = Dicke, { $unit }
files-legend-gap = Spalt, { $unit }
files-legend-no-data = keine Daten
files-legend-unmeasured = nicht erfasst
files-legend-own-tolerances = { $count ->
    [one] 1 eigene Toleranz
   *[other] { $count } eigene Toleranzen
 }
files-legend = Legende
files-view-cube = Klick auf Fläche, Kante oder Ecke zeigt die Ansicht von dort; Ziehen dreht

# Anzeige der mechanischen Ausrichtung, am KMG abzulesen.

files-readout-artefact = Verbleibende Drehung des Prüfkörpers
files-readout-sensor = Verbleibende Drehung des Sensors
files-readout-evaluating = Auswertung läuft
files-readout-not-started = Nicht gestartet
files-readout-awaits-points = Warten auf angetastete Punkte
files-readout-awaits-snapshot = Warten auf eine Aufnahme
files-readout-aligned = Ausgerichtet
files-readout-nearly = Fast ausgerichtet
files-readout-adjust = Nachstellen
files-readout-turn = { $state }: { $sense } um { $axis }, { $turns } Umdrehungen der Schraube (± { $expanded }°)
files-readout-last-snapshot = Letzte Aufnahme: { $when }, { $name }
files-readout-last-measurement = Letzte Messung: { $when }, { $name }
files-readout-as-probed = Prüfkörper wie angetastet; X Y Z in Richtung { $along }. Drehsinn vom positiven Ende der Achse gesehen; ± U (k = 2).
files-readout-as-assumed = Prüfkörper als parallel zu den KMG-Achsen angenommen; X Y Z in Richtung { $along }. Drehsinn vom positiven Ende der Achse gesehen; ± U (k = 2).
files-readout-evaluating-name = Auswertung von { $name } läuft
