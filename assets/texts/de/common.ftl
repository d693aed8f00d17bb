# Wörter auf vielen Schaltflächen.

common-cancel = Abbrechen
common-close = Schließen
common-remove = Entfernen
common-save = Speichern
common-name = Name
common-align-first = Zuerst ausrichten
common-add = Hinzufügen
common-browse = Durchsuchen …
common-none = keine

# Schritte eines Arbeitsbereichs.
common-step = Schritt { $number }: { $name }
common-step-done = Erledigt.
common-back = Zurück
common-back-to = Zurück: { $name }
common-next-step = Weiter: { $name }
