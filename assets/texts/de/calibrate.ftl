# Arbeitsbereich Kalibrieren.

# Das Feld und seine Einrichtung.

calibrate-mechanical-hint = Zeigt die verbleibenden Verdrehungen von Prüfkörper- und Sensormodul
calibrate-mechanical = Mechanische Ausrichtung
calibrate-setup = Einrichtung
calibrate-measurements = Messungen
calibrate-regions = Bereiche
calibrate-calibration = Kalibrierung
calibrate-stylus-radius = Tastkugelradius
calibrate-not-set = nicht angegeben
calibrate-artefact = Prüfkörper
calibrate-sensor-frame = Sensorkoordinaten
calibrate-right-handed = Rechtshändig
calibrate-left-handed = Linkshändig
calibrate-cmm-position = KMG-Position
calibrate-cmm-position-hint = KMG-Position { $axis } bei der Aufnahme, { $unit }
calibrate-bias = Syst. Sensorabweichung
calibrate-bias-hint = Max. systematische Abweichung im Messfeld des Sensors, laut Datenblatt oder Abnahmeprüfung; geht in die Unsicherheiten ein
calibrate-operator = Bediener
calibrate-serials = Seriennummern
calibrate-sensor = Sensor
calibrate-cmm = KMG
calibrate-artefact-cad = CAD des Prüfkörpers
calibrate-artefact-cad-about = Für einen eigenen Prüfkörper: Die Bereiche werden aus dem CAD-Modell und aus Punkten in jedem Bereich gefunden.
calibrate-cad-open = CAD …
calibrate-cad-open-hint = CAD-Datei oder Netz des Prüfkörpers
calibrate-points-open = Punkte …
calibrate-points-open-hint = Tabelle mit Bereich, x, y, z in mm im CAD-Koordinatensystem; mindestens ein Punkt auf jeder Fläche

# Schritte.

calibrate-step-setup-about = Prüfkörper, Tastkugel, KMG-Position und angegebene Abweichungen beider Geräte
calibrate-step-snapshot = Aufnahme
calibrate-step-snapshot-about = Aufnahme des Prüfkörpers durch den Sensor und ihre Bereiche
calibrate-step-probing = Antastung
calibrate-step-probing-about = Vom KMG angetastete Punkte des Prüfkörpers und ihre Bereiche; weitere Aufnahmen
calibrate-step-result = Ergebnis
calibrate-step-result-about = Den Sensor kalibrieren; Zertifizierung, Anbau und Zertifikat
calibrate-step-verification = Überprüfung
calibrate-step-verification-about = Kalibrierprotokoll, Wiederholpräzision und Abnahmeprüfung des Sensors
calibrate-step-use = Anwendung
calibrate-step-use-about = Aufnahmen mit der Kalibrierung zusammenführen und Löcher des Scans antasten
calibrate-missing-run = Alles ist da: den Sensor kalibrieren.
calibrate-missing-log = Kein Kalibrierprotokoll ist gewählt: Kalibrierungen werden nicht aufgezeichnet, die Wiederholpräzision ist unbekannt.
calibrate-missing-reading = Das Kalibrierprotokoll wurde noch nicht gelesen.
calibrate-missing-calibration = Zuerst den Sensor kalibrieren: Seine Kalibrierung führt die Aufnahmen zusammen.

# Messungen beider Geräte und ihre Bereiche.

calibrate-instrument-hint = Zeigt die Punkte in der Ansicht
calibrate-points = { $shown } Punkte
calibrate-none-yet = noch keine
calibrate-snapshot-open = Aufnahme öffnen …
calibrate-snapshot-open-hint = Aufnahme des Prüfkörpers, wie vom Sensor ausgegeben
calibrate-probed-open = Punkte öffnen …
calibrate-probed-open-hint = Vom KMG angetastete Punkte: Bereich, x, y, z oder nur x, y, z
calibrate-grey = Graustufen
calibrate-grey-hint = Grauwerte der Kamera des Sensors
calibrate-brush-hint = Diesen Bereich mit dem Pinsel wählen
calibrate-clear = Leeren
calibrate-find-regions = Bereiche finden
calibrate-find-regions-hint = Erkennt den Prüfkörper in der Aufnahme und ordnet seine Bereiche zu
calibrate-snapshots-more = Weitere Aufnahmen
calibrate-snapshots-needed = Eine einzelne Kugel legt keine Orientierung fest: Aufnahmen aus mindestens drei KMG-Positionen ablegen.
calibrate-snapshots-useful = Mehrere Aufnahmen verringern die Unsicherheit; um 90° gedrehte Lagen des Prüfkörpers zeigen Geometrieabweichungen des KMG.
calibrate-probed-points-of = Angetastete Punkte: { $file }
calibrate-store-hint = Legt diese Aufnahme mit Bereichen, angetasteten Punkten und Position ab, um die nächste zu öffnen
calibrate-store = Aufnahme ablegen
calibrate-squareness-estimate = Rechtwinkligkeit von X und Y schätzen
calibrate-scales-estimate = Maßstabsabweichungen der Achsen schätzen
calibrate-squareness-known = Rechtwinkligkeit des KMG ist bekannt
calibrate-scales-known = Maßstäbe des KMG sind bekannt
calibrate-known-hint = Von einem Kugelstab oder aus einem Zertifikat, mit U (k = 2). Wird angewandt, auch wo nicht geschätzt wird, und zählt sonst neben den Aufnahmen

# Angegebene Abweichungen der Geräte und die Zertifizierung.

calibrate-stated = Abweichungen und Anbau
calibrate-probing-error = KMG-Antastabweichung
calibrate-probing-error-hint = Max. Antastabweichung, ±, aus der Abnahmeprüfung des KMG; geht in die Unsicherheiten ein
calibrate-radius-error-known-hint = Max. Abweichung des Tastkugelradius, ±, aus dem Einmessen des Tasters. Sonst geht in die Unsicherheiten ein, was der Prüfkörper davon unbemerkt ließe
calibrate-radius-error-known = Abweichung des Tastkugelradius bekannt
calibrate-radius-error = Abweichung des Tastkugelradius
calibrate-field-known-hint = Seitenlängen in X und Y im Abstand des Prüfkörpers, mittig zur Z-Achse des Sensors, laut Datenblatt. Sonst gilt, dass die systematische Abweichung innerhalb dessen, was die Aufnahmen zeigen, ihr Maximum erreicht
calibrate-field-known = Messfeld des Sensors bekannt
calibrate-field = Messfeld
calibrate-field-hint = Entlang { $axis } des Sensors
calibrate-scale-known-hint = Falls genauer bekannt, als aus der systematischen Sensorabweichung folgt
calibrate-scale-known = Maßstabsabweichung des Sensors bekannt
calibrate-scale = Maßstabsabweichung
calibrate-any-mounting-hint = Bestätigt einen anderen Anbau als mit Sensor-X entlang KMG-X und Blick nach unten
calibrate-any-mounting = Beliebiger Anbau
calibrate-certified = Zertifiziert
calibrate-not-certified = Nicht zertifiziert
calibrate-comparison = Vergleich von Sensor und KMG
calibrate-quantity = Größe
calibrate-not-judged = nicht bewertet

# Das Ergebnis: der Anbau des Sensors.

calibrate-missing-sensor = Jeder Bereich braucht Punkte des Sensors.
calibrate-missing-cmm = Jeder Bereich braucht angetastete Punkte des KMG.
calibrate-missing-radius = Tastkugelradius eingeben.
calibrate-run = Sensor kalibrieren
calibrate-transformation = Transformation vom Sensor zum KMG, Winkel von R = Rx Ry Rz; ± U (k = 2), für Positionen am Prüfkörper.
calibrate-bootstrap = Winkel, U aus Bootstrap
calibrate-weakest-sensor = Schwächste Einpassung, Sensor
calibrate-weakest-cmm = Schwächste Einpassung, KMG
calibrate-rejected = Verworfene Punkte
calibrate-valid-until = Gültig bis
calibrate-has-expired = Diese Kalibrierung ist abgelaufen. Erneut kalibrieren.
calibrate-reason = Verwendungsgrund
calibrate-reason-hint = zum Zusammenführen nötig
calibrate-residual-colours = Farben der Restabweichungen
calibrate-folder = Ordner
calibrate-certificate-hint = Schreibt certificate.pdf und calibration.json
calibrate-certificate-save = Zertifikat speichern
calibrate-require-hint = Messungen am Teil beruhen auf der hier gespeicherten Kalibrierung: Ist sie abgelaufen, bleibt das Ergebnis offen
calibrate-require = Für Teile verlangen
calibrate-merge = Zusammenführen
calibrate-registration-hint = Richtet die Aufnahmen in den Überlappungen zueinander aus, soweit ihre Oberflächen es zulassen
calibrate-registration = Globale Registrierung der Aufnahmen
calibrate-pose-hint = Standardunsicherheit der Lage einer Aufnahme aus KMG und Kalibrierung
calibrate-shift-uncertainty = Positionsunsicherheit u
calibrate-turn-uncertainty = Drehunsicherheit u
calibrate-merge-hint = Transformiert Aufnahmen ins KMG-Koordinatensystem, nach einer Tabelle mit Datei und KMG-Position x, y, z
calibrate-merge-snapshots = Aufnahmen zusammenführen …
calibrate-snapshots = Aufnahmen
calibrate-normalised-rms = { $count }, normierter RMS { $rms }
calibrate-squareness = Rechtwinkligkeit
calibrate-scale-error-of = Maßstabsabweichung { $axis }
calibrate-radius-bias = Radius, Sensor minus KMG
calibrate-light-green = Restabweichungen wie erwartet
calibrate-light-amber = Restabweichungen größer als erwartet: Farben der Restabweichungen prüfen
calibrate-light-red = Restabweichungen viel größer als erwartet: diesen Bereich neu mit dem Pinsel wählen

# Wiederholpräzision und Gültigkeit.

calibrate-log-hint = Jede Kalibrierung wird an diese Datei angehängt; ohne Datei wird nicht protokolliert
calibrate-log = Kalibrierprotokoll
calibrate-log-choose = Protokoll wählen …
calibrate-repeatability = Wiederholpräzision
calibrate-compare-with = Vergleichen mit
calibrate-compare-with-hint = JSON-Datei einer Kalibrierung, mit der die letzte verglichen wird
calibrate-compare-choose = Kalibrierung wählen …
calibrate-log-read = Protokoll lesen
calibrate-log-add = Diese Kalibrierung ins Protokoll aufnehmen
calibrate-log-add-hint = Sie entstand, bevor dieses Protokoll benannt war, und fehlt darin.
calibrate-log-first = Zuerst das Kalibrierprotokoll wählen
calibrate-not-calibrated = Nicht kalibriert
calibrate-valid-for = Gültig für { $hours } h
calibrate-no-period = Keine Gültigkeitsdauer
calibrate-expired = Abgelaufen
calibrate-restarted = Ungültig nach KMG-Neustart
calibrate-in-future = Datum in der Zukunft
calibrate-restart-hint = Ein Neustart macht die Kalibrierung ungültig, da das KMG neu referenziert wird
calibrate-restart = KMG wurde neu gestartet
calibrate-switched-on = Sensor wurde eingeschaltet
calibrate-warm-up = Aufwärmzeit
calibrate-warm-up-hint = Aufwärmzeit des Sensors
calibrate-logged = { $count ->
    [one] Eine Kalibrierung im Protokoll.
   *[other] { $count } Kalibrierungen im Protokoll.
    }
calibrate-line = Zeile { $line }: { $reason }
calibrate-finding = Kalibrierung { $run } { $says }.
calibrate-no-file = keine Datei
calibrate-chart-axis = Abweichung vom Mittelwert, { $unit }
calibrate-chart-mean = Mittelwert
calibrate-chart-limit = Eingriffsgrenze
calibrate-chart-calibrations = Kalibrierungen
calibrate-chart-inside = beherrscht
calibrate-chart-outside = nicht beherrscht
calibrate-mean = Mittelwert
calibrate-standard-deviation = Standardabweichung
calibrate-stated-uncertainty = Angegebene Unsicherheit u
calibrate-control-limits = Eingriffsgrenzen
calibrate-scatter = Streuung / angegebenes u
calibrate-scatter-explained = { $ratio }, höchstens { $limit }: erklärt
calibrate-scatter-unexplained = { $ratio }, höchstens { $limit }: nicht erklärt
calibrate-scatter-limits = Streuung begrenzen
calibrate-scatter-limits-hint = Größte Standardabweichung der protokollierten Kalibrierungen, über das hinaus, was ihre angegebenen Unsicherheiten erklären
calibrate-scatter-shift = Max. Streuung der Position
calibrate-scatter-angle = Max. Streuung der Winkel
calibrate-drift = Drift
calibrate-certificate = Zertifikat
calibrate-agrees = En = { $en }, stimmt überein
calibrate-disagrees = En = { $en }, weicht ab
calibrate-in-control = Beherrscht
calibrate-out-of-control = Nicht beherrscht
calibrate-too-few = Zu wenige Kalibrierungen für Regelkarten

# Hybridmessung: Löcher des Scans, vom KMG angetastet.

calibrate-hybrid = Hybridmessung
calibrate-holes-hint = Tabelle der Soll-Löcher im KMG-Koordinatensystem, mm: Name, x, y, z, Achse i, j, k, Radius
calibrate-holes-open = Lochliste …
calibrate-hole-list = { $count ->
    [one] { $name }: 1 Loch
   *[other] { $name }: { $count } Löcher
    }
calibrate-search-radius = Suchradius
calibrate-search-radius-hint = Max. Abweichung eines Lochs vom Soll
calibrate-strategy = Antaststrategie
calibrate-missing-holes = Lochliste wählen.
calibrate-missing-scan = Scan im KMG-Koordinatensystem laden: Aufnahmen mit der Kalibrierung zusammenführen.
calibrate-plan = Löcher finden und Antastung planen
calibrate-targets-save = Ziele speichern …
calibrate-targets-save-hint = Schreibt targets.csv und program.dmi des nächsten Antastzyklus in einen Ordner
calibrate-table-save = Tabelle speichern …
calibrate-table-save-hint = Schreibt table.csv in einen Ordner
calibrate-probed-holes-hint = Vom KMG angetastete Punkte: Loch, Tastkugelmitte oder Oberflächenpunkt x, y, z in mm, Fläche
calibrate-probed-holes = Angetastete Punkte laden …
calibrate-clearance = Sicherheitsabstand
calibrate-clearance-hint = Höhe der Tastkugelmitte über dem Blech zu Beginn der Annäherung
calibrate-depth = Antasttiefe
calibrate-depth-hint = Tiefe der Tastkugelmitte unter dem Blech beim Antasten der Wand
calibrate-search-distance = Suchweg
calibrate-search-distance-hint = Max. Abweichung eines Lochs von der erwarteten Position, ±
calibrate-rim = Randabstand
calibrate-rim-hint = Abstand der Punkte auf dem Blech vom erwarteten Lochrand
calibrate-safe-plane = Höhe Sicherheitsebene
calibrate-safe-plane-hint = Über dem höchsten Startpunkt
calibrate-convergence = Konvergenzgrenze
calibrate-convergence-hint = Max. Änderung des Mittelpunkts zwischen Antastzyklen
calibrate-sheet-points = Punkte auf dem Blech
calibrate-wall-points = Punkte an der Wand
calibrate-cycles = Max. Antastzyklen
calibrate-hole = Loch
calibrate-source = Quelle
calibrate-dev = Abw.
calibrate-source-nominal = Soll
calibrate-source-scan = Scan
calibrate-source-probe = Taster
calibrate-source-converged = konvergiert
calibrate-table-note = In { $unit }, KMG-Koordinatensystem. Abw.: seitlicher Abstand vom Soll.
calibrate-hole-converged = Konvergiert
calibrate-hole-open = Noch anzutasten
calibrate-hole-failed = Fehlgeschlagen: siehe unten
calibrate-part-differences = Teil gegen Soll
calibrate-scan-differences = Scan gegen Taster
calibrate-differences = { $count ->
    [one] { $what }: bis { $axis } entlang einer Achse, { $lateral } seitlich; Radien { $least } bis { $most } (1 Loch).
   *[other] { $what }: bis { $axis } entlang einer Achse, { $lateral } seitlich; Radien { $least } bis { $most } ({ $count } Löcher).
    }

# Abnahmeprüfung des Sensors.

calibrate-acceptance = Abnahmeprüfung des Sensors
calibrate-bar-about = Scans einer kalibrierten Kugelhantel in mehreren Lagen, im Sensorkoordinatensystem.
calibrate-bar-add = Kugelhantel-Scan hinzufügen …
calibrate-sphere-radius = Kugelradius
calibrate-bar-length = Länge der Kugelhantel
calibrate-within = Max. Abstand von der Kugel
calibrate-flat-about = Scans eines Ebenheitsnormals in mehreren Lagen, ohne Rand.
calibrate-flat-add = Ebenheitsscan hinzufügen …
calibrate-mpe = MPE, { $name }
calibrate-test-uncertainty = Prüfunsicherheit u
calibrate-missing-scans = Scans der Kugelhantel oder des Ebenheitsnormals hinzufügen.
calibrate-missing-bar = Kalibrierten Kugelradius und Länge der Kugelhantel eingeben.
calibrate-evaluate = Abnahmeprüfung auswerten
calibrate-in-positions = { $count ->
    [one] { $symbol }, 1 Lage
   *[other] { $symbol }, { $count } Lagen
    }

# Mechanische Ausrichtung.

calibrate-module = Modul
calibrate-module-artefact = 1. Prüfkörpermodul
calibrate-module-sensor = 2. Sensormodul
calibrate-module-artefact-about = Platte (LP, RP oder PLATE) und ihre Seitenfläche (SIDE) oder die lange Nut (LL, LR) antasten, Schrauben verstellen und erneut antasten.
calibrate-module-sensor-about = Ausgerichteten Prüfkörper aufnehmen, Schrauben verstellen und erneut aufnehmen. Der Prüfkörper gilt als unverändert seit der letzten Antastung.
calibrate-sources = Datenquellen
calibrate-screws = Stellschrauben
calibrate-snapshot-folder = Aufnahmeordner
calibrate-snapshot-folder-empty = Ordner des Sensors
calibrate-snapshot-folder-hint = Aufnahmen werden beim Eintreffen gelesen
calibrate-connection = KMG-Verbindung
calibrate-connection-empty = tcp://host:port oder /dev/ttyUSB0
calibrate-connection-hint = Netzwerk oder serielle Schnittstelle. Andere Einstellungen als 9600,8N1 folgen nach @: /dev/ttyUSB0@19200,7E1
calibrate-stop = Überwachung stoppen
calibrate-start = Überwachung starten
calibrate-clear-probed-hint = Beginnt eine neue Messung
calibrate-clear-probed = Angetastete Punkte löschen
calibrate-angle-limit = Winkelgrenze
calibrate-angle-limit-hint = Grün bis zu diesem Winkel, einschließlich Unsicherheit
calibrate-screw-pitch = Gewindesteigung
calibrate-screw-pitch-hint = Weg je Umdrehung einer Schraube
calibrate-arm-roll = Hebelarm, Rollen
calibrate-arm-pitch = Hebelarm, Nicken
calibrate-arm-yaw = Hebelarm, Gieren
calibrate-arm-hint = Von der Drehachse zur Schraube
calibrate-state-off = aus
calibrate-state-opening = verbindet
calibrate-state-open = verbunden
calibrate-state-lost = getrennt
calibrate-folder-state = Status Ordner
calibrate-connection-state = Status Verbindung
calibrate-snapshots-received = Empfangene Aufnahmen
calibrate-points-received = Empfangene Punkte
calibrate-skipped = { $count ->
    [one] 1 Zeile übersprungen. { $reason }
   *[other] { $count } Zeilen übersprungen. { $reason }
    }
