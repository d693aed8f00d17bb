# Die 3D-Ansicht: Hinweise, Fahnen, Legende, Schnitte.

viewport-3d = 3D-Ansicht
viewport-not-on-nominal = Die Abweichungen bleiben auf dem Scan: Sie ließen sich nicht auf das CAD abbilden. { $reason }
viewport-best-fit = Best-Fit: RMS { $rms }
viewport-drop = Zum Öffnen ablegen

# Werkzeugleiste.
viewport-fit = Einpassen
viewport-fit-hint = Ansicht auf alle Elemente einpassen (F)
viewport-isometric = Isometrisch
viewport-isometric-hint = Isometrisch: Blick von schräg oben (0)
viewport-projection = Projektion
viewport-projection-hint = Projektion: perspektivisch oder orthografisch (P)
viewport-views = Ansichten
viewport-views-hint = Gespeicherte Ansichten des Teils; der Bericht enthält Bilder davon
viewport-save-view = Diese Ansicht speichern
viewport-end-clipping = Schnitt aufheben
viewport-end-clipping-hint = Schnitt aufheben: zeigt, was die gespeicherte Ansicht wegschneidet

# Meldungen über der Ansicht.
viewport-reopen = Scan in { $unit } öffnen und ausrichten
viewport-dismiss = Ausblenden
viewport-unsaved = Die letzte Sitzung endete, ohne zu speichern. Ihre Prüfung lässt sich wiederherstellen.
viewport-restore = Wiederherstellen
viewport-discard = Verwerfen

# Neben dem Zeiger.
viewport-no-opposite-side = keine Gegenseite
viewport-no-data = keine Daten
viewport-scan-point = Scanpunkt

# Griffe, die den Scan von Hand bewegen.
viewport-move-in-view = In der Bildebene verschieben
viewport-move-along = Entlang { $axis } verschieben
viewport-move-in = In der Ebene { $first }{ $second } verschieben
viewport-turn-about = Um { $axis } drehen

# Werkzeuge des Pinsels.
viewport-brush-off = Aus
viewport-brush-round = Rund
viewport-brush-rectangle = Rechteck
viewport-brush-lasso = Lasso
viewport-brush-polygon = Polygon

# Fahnen; bei einem Maß das gemessene und seine Grenzen.
viewport-callout = Fahne { $name }
viewport-size = { $size } { $unit } ({ $lower } bis { $upper })
viewport-show-measured = Messstelle zeigen
viewport-show-region = Diesen Bereich zeigen
viewport-show-point = Diesen Punkt zeigen
viewport-feature = Geometrieelement { $name }
viewport-hole = Loch { $name }
viewport-show-feature = Seine Ergebnisse zeigen

# Die Zeichnung eines Schnitts.
viewport-section-view = Schnittansicht
viewport-section = Schnitt { $name }
viewport-section-enlarged = Schnitt { $name }, Abweichungen { $factor }-fach vergrößert
viewport-whisker = { $count ->
    [one] { $length }, Median aus 1 Punkt
   *[other] { $length }, Median aus { $count } Punkten
 }
viewport-not-measured = nicht gemessen
