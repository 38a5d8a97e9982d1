"""From Markdown to a syntax tree and back.

`markdown` blanks the prose, `layout` finds the lines and their nesting, `parser` reads each line by `grammar.lark`
into the values of `syntax`, `printer` writes them again, `format` does so to a whole file.
"""
