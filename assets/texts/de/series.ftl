# Serien von Teilen.

series-title = Teile nach Prüfplan messen
series-title-measured = Gemessene Teile
series-about = Einen Prüfplan legt in einer Prüfung der Menüpunkt „Datei › Prüfplan für weitere Teile speichern …“ an. Er wiederholt Ausrichtung, Vergleich, Geometrieelemente und Toleranzen an jedem Teil.
series-plan = Prüfplan
series-plan-hint = ein Prüfplan (.sgplan)
series-plan-choose = Prüfplan wählen …
series-parts = Teile
series-parts-hint = ein Ordner mit Scans oder eine Liste
series-parts-choose = Teile wählen …
series-results = Ergebnisse
series-results-hint = ein eigener Ordner
series-results-choose = Ergebnisse wählen …
series-choose = Wählen …
series-reports = Berichte
series-measure = Teile messen
series-measure-hint = Zuerst Prüfplan, Teile und Ergebnisse wählen
series-measured-before = Teile, die mit demselben Prüfplan schon gemessen sind, werden aus den Ergebnissen gelesen.

# Die Tabelle.

series-part = Teil
series-verdict = Ergebnis
series-open-part = Dieses Teil im Fenster öffnen
series-not-measured = nicht gemessen
series-no-verdict = kein Ergebnis
series-not-computed = nicht berechnet

# Der Verlauf eines Werts.

series-no-value = Kein Teil hat einen Wert.
series-trend-of = Verlauf von
series-axis-part = Teil
series-line-mean = Mittelwert
series-line-limit = Grenze
series-line-parts = Teile
series-points-within = innerhalb
series-points-in-doubt = unentschieden
series-points-beyond = außerhalb
series-count = Teile
series-count-beyond = { $count }, davon { $beyond } außerhalb der Grenzen{ $doubtful ->
    [0] {""}
   *[other] , { $doubtful } unentschieden
 }
series-limits = Grenzen
series-lower-limit = min. { $lower } { $unit }
series-upper-limit = max. { $upper } { $unit }
series-from-to = { $least } bis { $greatest } { $unit }
series-mean = Mittelwert
series-range = Spannweite
series-sigma = Standardabweichung
series-ppk-above = { $ppk } (über { $bound } mit 95 % Vertrauen)
series-few-parts = { $count ->
    [one] { $count } Teil: Pp und Ppk werden ab { $least } Teilen genannt.
   *[other] { $count } Teile: Pp und Ppk werden ab { $least } Teilen genannt.
 }
