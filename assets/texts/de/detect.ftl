# Arbeitsbereich Erkennen.

detect-about = Findet jedes Exemplar des CAD im Scan, wie es auch liegt, und sagt, was davon zu sehen ist.
detect-load-first = CAD und einen Scan der Szene laden, in der das Teil liegt.
detect-find = Teile suchen
detect-find-again = Teile erneut suchen

# Optionen.

detect-options = Optionen
detect-least-score = Mindestbewertung
detect-least-score-hint = Weniger von der sichtbaren Seite eines Teils gilt nicht als gefunden
detect-least-agreement = Mindestübereinstimmung
detect-least-agreement-hint = Von dem, was zu sehen sein müsste, muss mehr da sein als fehlen
detect-only-one = Es gibt nur eines
detect-track = Zuerst bei früheren Fundstellen suchen
detect-track-hint = Schneller bei wiederholten Scans einer Szene, in der sich wenig bewegt hat

# Das Ergebnis.

detect-stale = Veraltet: Teile erneut suchen.
detect-noticeable = Abweichungen fallen ab { $width } Breite und { $deviation } auf.
detect-explained = Sie erklären { $percent } % der Szene, ohne Boden und Wände.
detect-colour = Scan nach Gefundenem einfärben
detect-colour-hint = Jedes gefundene Teil hat eine eigene Farbe; was die Farbe des Scans behält, gehört zu keinem
detect-share-background = Boden und Wände: { $percent } % der Punkte
detect-share-nothing = Nichts Gefundenes: { $percent } % der Punkte
detect-part = Teil { $number }
detect-candidate = Kandidat { $number }

# Ein Teil oder Kandidat in der Liste.

detect-line = { $name }   Bewertung { $score }   { $percent } % gesehen
detect-line-in-doubt = { $name }   Bewertung { $score }   { $percent } % gesehen   zweifelhaft
detect-line-accepted = { $name }   Bewertung { $score }   { $percent } % gesehen   bestätigt
detect-possible = Nicht gefunden, aber möglich
detect-use = Hier ausrichten und vergleichen
detect-use-hint = Richtet den Scan durch einen Best-Fit an diesem Teil aus und zeigt dessen Abweichungen
detect-measure-all = Alle { $count } Teile messen …
detect-measure-all-hint = Schreibt die Punkte jedes Teils als eigenen Scan und misst alle nach diesem Prüfplan
detect-refuse = Das ist keines
detect-refuse-hint = Hier wird nichts dergleichen mehr gefunden; was es erklärte, wird nach anderen Teilen durchsucht
detect-accept = Das ist eines
detect-accept-hint = Es gilt von nun an als gefunden; der Rest wird erneut durchsucht
detect-said = { $accepted } vom Bediener bestätigt, { $refused } abgelehnt.
detect-forget = Neu suchen

# Was für ein Teil spricht.

detect-seen = Gesehen
detect-hidden = Von anderen verdeckt
detect-not-measured = Nicht gemessen
detect-tilted = Andere Richtung
detect-missing = Nicht vorhanden
detect-goes-on = Oberfläche, die darüber hinausgeht
detect-points = Punkte darauf
detect-fit = Einpassung
detect-origin = Sein Ursprung
detect-round = Durchlauf
detect-position-open = Seine Position ist nicht bestimmt.
detect-position = Seine Position ist entlang der vergrößert gezeichneten Achsen auf { $known } (1 σ) bekannt.
detect-position-partly = { $open ->
    [one] Seine Position ist entlang der vergrößert gezeichneten Achsen auf { $known } (1 σ) bekannt; entlang einer weiteren, violetten, ist sie nicht bestimmt.
   *[other] Seine Position ist entlang der vergrößert gezeichneten Achsen auf { $known } (1 σ) bekannt; entlang zweier weiterer, violetter, ist sie nicht bestimmt.
 }
detect-position-hint = Aus der Einpassung seiner Punkte, als wären deren Fehler voneinander unabhängig; die eines Sensors sind es nicht, sodass sie etwas schlechter bekannt ist
