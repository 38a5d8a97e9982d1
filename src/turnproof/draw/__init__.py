"""Pictures: what a rulebook says as Graphviz source (one module per view), and its rendering in process."""
