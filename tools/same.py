"""same.py OLD NEW [floor=ERROR] [loose=SHARE] [name=NAME]: is what the programs give
now what is committed? Exit 1 and the first lines that differ. Machines round
differently: a number in scientific notation, an error, may be up to twice or half,
and all below the floor are the same; with loose=SHARE any other number with a point
may differ by that share, or by 2 in its last digit. Blanks of any length are one."""

import itertools
import re
import sys

given = dict(word.split("=", 1) for word in sys.argv[3:])
name = given.get("name", sys.argv[1])
floor, loose = (float(given.get(what, 0)) for what in ("floor", "loose"))

def same_number(a, b):
    x, y = float(a), float(b)
    if a == b:
        return True
    if "e" in a + b:
        return max(abs(x), abs(y)) < floor or y != 0 and 0.5 <= x / y <= 2
    last = 10.0 ** -len(a.partition(".")[2])
    return loose > 0 and "." in a and abs(x - y) <= max(loose * abs(x), 2.01 * last)

def same_line(a, b):
    """Numbers, and what is between them."""
    a, b = (re.split(r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)", re.sub("[ \t]+", " ", line))
            for line in (a, b))
    return len(a) == len(b) and a[::2] == b[::2] and \
        all(map(same_number, a[1::2], b[1::2]))

old, new = (open(file).read().splitlines() for file in sys.argv[1:3])
wrong = [(n, a, b) for n, (a, b) in enumerate(itertools.zip_longest(
    old, new, fillvalue="(no line)"), 1) if not same_line(a, b)]
for n, a, b in wrong[:5]:
    print(f"{name}:{n}: is not what the program gives\n  there: {a}\n  now:   {b}")
sys.exit(bool(wrong))
