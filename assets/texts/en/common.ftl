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

# Steps of a panel.
common-step = Step { $number }: { $name }
common-step-done = Done.
common-back = Back
common-back-to = Back: { $name }
common-next-step = Next: { $name }
