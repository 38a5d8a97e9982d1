"""Three layers: `smt` translates, `ask` puts one question to the solver, `induction`, `search` and `lemmas` are the
strategies. None of them prints or reads options."""
