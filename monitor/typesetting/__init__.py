"""Words and pictures set as PDF: Typst lays a part out, what is long is joined of parts.

    sheet (data) ── typeset ── typesetter, a process of its own ── PDF of a part
                                                                       │
                                      footers, known last ── joined ───┴── PDF

Typst holds a whole document while it lays it out, ten times what it comes to, and what it laid out before as well. So a
long document is given to it in parts, each in a process that ends with its part. Both who exports and who reports come
here; what stands on a page, and where a part ends, is theirs.
"""
