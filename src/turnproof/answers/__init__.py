"""From a question to its answer: `words` puts it into the rulebook's own words, `scene` says what is so as it is asked,
`ask` finds out what can come of it, `judge` on what that turns."""
