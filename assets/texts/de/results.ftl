# Die Ergebnistabelle und ihre Überschriften im Bericht.

results-heading = Ergebnisse
results-element = Element
results-characteristic = Merkmal
results-nominal = Nennwert
results-actual = Istwert
results-deviation = Abweichung
results-lower = Untere Grenze
results-upper = Obere Grenze
results-uncertainty = U (k = 2)
results-verdict = Urteil

results-all = Alle Zeilen
results-of-features = Nur Geometrieelemente
results-of-checks = Nur Prüfungen
results-only-open = Nur, was nicht i. O. ist
results-only-open-hint = Außerhalb der Grenzen, innerhalb der Unsicherheit einer Grenze oder nicht bewertet
results-filter = Filter
results-filter-hint = Text in der Zeile
results-count = { $shown } von { $all }
results-copy = Zeilen kopieren
results-copy-hint = Kopiert die gezeigten Zeilen, durch Tabulatoren getrennt, für eine Tabellenkalkulation
results-save = Als CSV speichern …
results-save-hint = Speichert alle Zeilen mit vollständigen Zahlen
results-close = Ergebnisse schließen
results-none = Geometrieelemente und Prüfungen stehen hier, sobald es welche gibt.
results-no-match = Keine Zeile passt zum Filter.

# Für Bildschirmleser.
results-sort = Nach { $column } sortieren
results-sorted = Nach { $column } sortiert, aufsteigend
results-sorted-down = Nach { $column } sortiert, absteigend
results-row = Ergebnis { $title }: { $figures }
