"""An adversary of the judge, and the good engineer beside it: what each types, and what the judge says to it.

`universal` draws scripts that ask no question, `masks` what only looks like a repair or spoils one, `repairs` good ones
in the spellings of many people. `play` plays them on forks, `table` counts.
"""
