"""What a check finds without being asked, one file for each kind: each finding names its rules, shows a situation, and
asks the designer a question. `clashing changes` and `range` stand in `verdict.findings`, since verdicts rest on them.
"""
