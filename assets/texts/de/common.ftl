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
