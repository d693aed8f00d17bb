# Arbeitsbereich Bericht und seine Vorschau.

report-heading = Bericht
report-title = Titel
report-part-number = Teilenummer
report-serial-number = Seriennummer
report-operator = Prüfer
report-folder = Ordner
report-logo = Logo
report-no-logo = keines
report-template = Vorlage
report-no-template = keine: eingebautes Layout
report-page-size = Seitenformat
report-unit = Einheit
report-choose-folder = Ordner wählen …
report-choose-logo = Logo wählen …
report-remove-logo = Logo entfernen
report-choose-template = Vorlage wählen …
report-template-hint = Typst-Datei mit eigenem Seitenlayout, nach der report.pdf gesetzt wird; braucht das Programm typst
report-remove-template = Vorlage entfernen
report-save-template = Ausgangsvorlage speichern …
report-write = Bericht schreiben
report-preview = Vorschau
report-preview-hint = Zeigt die Seiten, wie sie gedruckt würden
report-open = Bericht öffnen
report-open-workbook = Tabelle öffnen
report-open-folder = Ordner öffnen
report-no-comparison = Ein Bericht braucht einen Vergleich: zuerst ausrichten und vergleichen.
report-writes = Schreibt report.pdf, report.html, results.csv, results.xlsx, results.qif, summary.json, deviations.csv, colormap.ply und Bilder.

# Inhalt.

report-contents = Inhalt
report-view-named = Ansicht { $view } im Bericht
report-saved-view = Ansicht „{ $name }“
report-flags = Fahnen in den Bildern
report-flags-hint = Bereiche außer Toleranz, Toleranzen und Oberflächenpunkte neben dem Teil; solange Sie nichts wählen, wie die Ansicht und die gespeicherten Ansichten sie zeigen
report-on-nominal = Abweichungen auf dem CAD
report-on-nominal-hint = Standardansichten und Bilder der Bereiche zeigen die Abweichungen auf dem CAD; gespeicherte Ansichten zeigen sie dort, wo sie beim Speichern waren
report-move-down-named = { $section } nach unten
report-move-down = Schiebt den Abschnitt nach unten
report-move-up-named = { $section } nach oben
report-move-up = Schiebt den Abschnitt nach oben
report-always = Titel, Ergebnis, Bemerkungen und Unterschriftszeilen stehen in jedem Bericht; er nennt, was weggelassen wurde.
report-language = Sprache
report-as-window = wie das Fenster
