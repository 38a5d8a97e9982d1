"""The checked rulebook: `model` holds its values, `check` makes one from a syntax tree, `elaborate` gives expressions
their meaning over the variables of a game, `permissions` decides who may do what."""
