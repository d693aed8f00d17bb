# Words on many buttons.

common-cancel = Cancel
common-close = Close
common-remove = Remove
common-save = Save
common-name = Name
common-align-first = Align first
common-add = Add
common-browse = Browse…
common-none = none
