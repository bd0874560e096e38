"""The page: the same forecasts and plans in a browser, served to this machine alone unless a token is given.

A question is a query string (:mod:`question`), an answer is what ``outboard compare`` and ``outboard plan`` give
(:mod:`answers`), and a page shows one beside the other (:mod:`pages`). Nothing asks the network for anything.
"""
