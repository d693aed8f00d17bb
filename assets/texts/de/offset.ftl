# Arbeitsbereich Offset.

offset-live = Live-Offset
offset-live-hint = Das Teil in jedem Abstand, während ein Schieber bewegt wird
offset-volume = Offset-Volumen
offset-volume-hint = Das Teil um einen Abstand vergrößert oder verkleinert, exakt, als speicherbares Netz
offset-contact = Kontaktvolumen
offset-contact-hint = Wo sich der Mittelpunkt eines Fräsers bewegen darf, Durchgang für Durchgang
offset-thickness = Wanddicke
offset-thickness-hint = Wie dick Wände und wie breit Spalte sind, farbig
offset-load = CAD laden, um zu beginnen, oder einen Scan für einen Offset.
offset-stale = Veraltet: aktualisieren.
offset-view = Ansicht
offset-opacity = Deckkraft
offset-opacity-of = Deckkraft des Offsets
offset-clip = Schneiden
offset-clip-off = Aus
offset-clip-hint = Senkrecht zu { $axis } schneiden
offset-clip-position = Position der Schnittebene
offset-flip = Umkehren
offset-flip-hint = Zeigt die andere Seite
offset-pass = Durchgang
offset-pass-of = Durchgang { $number } von { $count }
offset-previous = Zurück
offset-next = Weiter

# In mehreren davon.

offset-apply = Anwenden
offset-distance = Abstand
offset-distance-hint = Vergrößert das Teil, wenn positiv; verkleinert es, wenn negativ
offset-preview = Vorschau
offset-coarse = Grob
offset-medium = Mittel
offset-fine = Fein
offset-voxels-per-axis = { $count } Voxel pro Achse
offset-volume-figure = Volumen
offset-facets = Dreiecke
offset-voxel = Voxel
offset-save-mesh = Netz speichern …

# Live-Offset.

offset-live-about = Einmal vorbereiten, dann das Teil per Schieber in jedem Abstand sehen.
offset-reach-detail = Reichweite und Detail
offset-reach = Reichweite
offset-reach-hint = Größter Abstand zu beiden Seiten des Teils
offset-draft = Entwurf
offset-normal = Normal
offset-detailed = Detailliert
offset-very-detailed = Sehr detailliert
offset-samples-hint = { $count } Stützstellen über Teil und Reichweite, weniger, wo das genau genug ist
offset-prepare = Live-Offset vorbereiten
offset-prepare-again = Erneut vorbereiten
offset-field-name = Abstandsfeld
offset-live-distance = Live-Abstand
offset-exactness = Die Ansicht liegt an 95 % von { $points } Punkten innerhalb { $within } vom wahren Abstand, höchstens { $most } daneben.
offset-field-size = { $bricks } Blöcke, { $memory }, { $seconds } s
offset-make-volume = Volumen daraus erzeugen …
offset-make-volume-hint = Beginnt ein Offset-Volumen in diesem Abstand; es wird exakt berechnet und kann als Netz gespeichert werden

# Offset-Volumen.

offset-select = Volumen im Baum auswählen, um seine Werte zu sehen und es zu ändern.
offset-of = Von
offset-of-nominal = CAD
offset-of-nominal-hint = Das angezeigte CAD
offset-of-scan = Scan
offset-of-scan-hint = Die gemessene Oberfläche: ihre Dreiecke oder eine Scheibe um jeden Punkt
offset-splat = Scheibenradius
offset-splat-hint = Radius der Scheibe um jeden Punkt; 0 leitet ihn aus dem Punktabstand ab
offset-resolution = Auflösung
offset-resolution-hint = Voxel je Achse des Würfels um das Offset-Teil
offset-voxels-suffix = {" "}Voxel
offset-one-voxel = Ein Voxel misst { $length }.
offset-volume-new = Neues Offset-Volumen
offset-volume-add = Offset-Volumen hinzufügen
offset-shells = Toleranzhüllen hinzufügen
offset-shells-hint = Zwei Volumen: das CAD auf { $high } vergrößert und auf { $low } verkleinert, die Grenzen des Vergleichs
offset-method-tree = Verfahren und Voxelbaum
offset-method = Verfahren
offset-passes = Durchgänge
offset-passes-hint = Jeder geht einen gleichen Teil des Abstands: schneller, aber ungenauer
offset-templates = Voxelschablonen dienen dem Vergleich: Der exakte Abstand ist schneller und feiner.
offset-root = Wurzelgitter
offset-branching = Verzweigung
offset-leaf = Blatt
offset-leaf-size = { $size } Voxel
offset-tree-about = Wurzelgitter, Verzweigung und Blatt ändern Tempo und Speicherbedarf, nie die Voxel.
offset-times = { $voxels } s für die Voxel, { $mesh } s für das Netz
offset-shown-after = Gezeigt nach { $length }.
offset-area = Fläche
offset-mesh-deviates = Netzabweichung
offset-rms = { $length } RMS
offset-at-most = Höchstens
offset-surface-from-mesh = Offsetfläche vom Netz, höchstens
offset-use-resolution = { $count } Voxel pro Achse nehmen
offset-use-resolution-hint = Berechnet es erneut mit so vielen Voxeln, wie die dünnste verlorene Wand oder der engste Spalt braucht
offset-skin-deviates = Hautabweichung
offset-voxels-average = { $voxels } Voxel im Mittel
offset-voxels-worst = { $voxels } Voxel
offset-skin-voxels = Voxel der Haut
offset-leaves = Blätter, Zellen
offset-memory = Speicher
offset-save-mesh-hint = Schreibt das geschlossene Netz um das Volumen: STL, PLY, 3MF …
offset-save-voxels = Voxel speichern …
offset-save-voxels-hint = Schreibt die Voxel: hybrider dynamischer Baum (.hdt) oder Level-Set für andere Programme (.nvdb)
offset-save-layers = Schichten speichern …
offset-save-layers-hint = Schreibt ein Bild jeder Voxelschicht in einen Ordner

# Kontaktvolumen.

offset-tool-radius = Werkzeugradius
offset-tool-radius-hint = Radius der Kugel am Ende des Werkzeugs
offset-depth = Schnitttiefe
offset-depth-hint = Abtrag am Rohteil je Durchgang
offset-margin = Aufmaß
offset-margin-hint = Überstand des Rohteilquaders über das Teil auf jeder Seite
offset-contact-new = Neue Kontaktvolumen
offset-contact-add = Kontaktvolumen hinzufügen
offset-contact-name = Kontaktvolumen
offset-taken-off = Abgetragen
offset-clearance = Werkzeug zu Teil
offset-too-close = { $length } zu nah
offset-to-spare = { $length } Luft
offset-contact-about = Der Werkzeugmittelpunkt bewegt sich auf dieser Fläche: Das Werkzeug berührt dann das Teil oder schneidet so tief wie der Durchgang.
offset-save-pass-hint = Schreibt das geschlossene Netz dieses Durchgangs: STL, PLY, 3MF …

# Wanddicke.

offset-measure = Messen
offset-walls = Wände
offset-walls-hint = Materialdicke
offset-gaps = Spalte
offset-gaps-hint = Breite von Schlitzen und Spiel zwischen Teilen
offset-by = Mit
offset-ball = Kugel
offset-ball-hint = Durchmesser der größten Kugel, die die Oberfläche berührt und in die keine Gegenseite ragt
offset-ray = Normale
offset-ray-hint = Länge der Normalen bis zur Gegenseite
offset-up-to = Bis
offset-up-to-hint = Größte gesuchte Dicke; Dickeres ist grau
offset-at-least = Mindestens
offset-at-least-hint = Kleinste zulässige Dicke; 0 für keine Grenze
offset-thickest = Nicht mehr als
offset-thickest-hint = Größte zulässige Dicke, kleiner als die größte gesuchte; 0 für keine Grenze
offset-min-coverage = Min. Abdeckung
offset-min-coverage-hint = Anteil der Oberfläche, der für „i. O.“ gemessen sein muss
offset-measure-again = Erneut messen
offset-map-new = Neue Karte
offset-measure-walls = Wände messen
offset-measure-gaps = Spalte messen
offset-walls-name = Wanddicke
offset-gaps-name = Spaltbreite
offset-measured = Gemessen
offset-too-thin = Zu dünn
offset-too-thick = Zu dick
offset-too-little = Nur { $measured } der Oberfläche wurden gemessen; gefordert sind { $required }.
offset-thickest-point = Dickste Stelle
offset-least = Kleinste
offset-five-below = 5 % unter
offset-half-below = Hälfte unter
offset-greatest = Größte
offset-not-judged = Nicht bewertet: keine Grenzen.
offset-grey = Grau: keine Gegenseite innerhalb { $length }.
offset-thinnest = Dünnste Stellen
offset-thinnest-none = Keine: Die halbe Fläche ist so dünn wie die dünnste Stelle.
offset-show-point = Punkt anzeigen
