"""The phase graph: `edges` finds the ways from step to step, `graph` makes a networkx graph of them."""
