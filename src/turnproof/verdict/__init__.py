"""From a claim to its verdict: `claims` says what a claim means, `decide` finds the verdict, `result` holds it."""
