# Das Gesamtergebnis: seine Bestandteile und deren Begründung.

verdict-comparison = Vergleich
verdict-comparison-stale = Der Vergleich ist veraltet.

verdict-cad = Toleranzen des CAD
verdict-cad-untouched = { $count ->
    [one] Die CAD-Datei enthält 1 Toleranz oder Maß, das nicht beurteilt wurde.
   *[other] Die CAD-Datei enthält { $count } Toleranzen und Maße, von denen nichts beurteilt wurde.
 }
verdict-cad-partly = Von { $stated } Toleranzen und Maßen der CAD-Datei sind { $judged } im Prüfplan.
verdict-cad-earlier = Toleranzen einer früheren CAD-Datei
verdict-cad-changed = In der CAD-Datei jetzt anders angegeben: { $names }.
verdict-cad-gone = In der CAD-Datei nicht mehr angegeben: { $names }.

verdict-tolerances = Toleranzen
verdict-tolerances-not-judged = { $count ->
    [one] 1 Toleranz wurde nicht beurteilt.
   *[other] { $count } Toleranzen wurden nicht beurteilt.
 }
verdict-measures = Abstände und Winkel
# Von Toleranzen oder von Abständen und Winkeln mit Grenzen.
verdict-summary = { $met } von { $all } eingehalten, { $failed } nicht eingehalten, { $open } offen oder nicht beurteilbar.

verdict-section-stale = Der Schnitt ist veraltet.
verdict-surface-points-stale = Die Oberflächenpunkte sind veraltet.
verdict-thickness-stale = Die Wanddickenkarte ist veraltet.
verdict-thickness-no-limits = „{ $name }“ wurde nicht bewertet: keine Grenzen.
# covers: etwa „on 61 % of the contour“.
verdict-judged = Beurteilt: { $covers }.

verdict-calibration-not-read = Die Kalibrierung wurde nicht gelesen: aktualisieren.

verdict-features = Geometrieelemente
verdict-datum-alignment = Ausrichtung an Bezügen
verdict-not-converged = Einpassung nicht konvergiert: { $names }.
verdict-not-measured = Nicht messbar: { $names }.
verdict-quoted = „{ $name }“
verdict-and = { $rest } und { $last }
