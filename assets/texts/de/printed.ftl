# Der Prüfbericht.

printed-title = Prüfbericht
printed-subtitle = { $scan } gegen { $nominal }
printed-grey = grau: keine Daten
printed-grey-and-others = grau: keine Daten; anderes im Scan ist nicht dargestellt
printed-along = Abweichungen längs { $along }; { $grey }
printed-across = Abweichungen senkrecht zu { $across }; { $grey }
printed-own-tolerances = { $count ->
    [one] { $grey }; Grenzen des Teils, 1 Fläche hat eine eigene Toleranz
   *[other] { $grey }; Grenzen des Teils, { $count } Flächen haben eigene Toleranzen
 }
printed-histogram = Histogramm
printed-histogram-of-deviations = Histogramm der Abweichungen
printed-regions = Bereiche außer Toleranz
printed-no-regions = Keine.
printed-area = Fläche
printed-peak = Spitzenwert
printed-region = Bereich { $number }: Spitzenwert { $peak }, Fläche { $area } mm²
printed-drawings = Zeichnungen der Schnitte
printed-remarks = Bemerkungen
printed-inspected-by = Geprüft: Name, Datum, Unterschrift
printed-released-by = Freigegeben: Name, Datum, Unterschrift
printed-page = Seite { $number } von { $count }
printed-left-out = Nicht in diesem Bericht: { $sections }.
printed-views-left-out = Weggelassene Ansichten: { $views }.
printed-worst-regions = { $count ->
    [one] Größter Bereich
   *[other] Größte Bereiche
    }
printed-enlarged = { $name }; Abweichungen { $factor }-fach vergrößert
printed-results = Geometrieelemente und Prüfungen, U mit k = 2

# Der Kalibrierschein; die meisten seiner Wörter sind die der unteren Ebenen.

printed-certificate-subtitle = Sensor an einem Koordinatenmessgerät · Prüfkörper: { $artefact }
printed-certificate-radius = Radius der Kugel { $sphere }, Sensor minus KMG
printed-certificate-weakest = Die Einpassung von { $name } trägt am meisten zur Unsicherheit der Winkel bei.
