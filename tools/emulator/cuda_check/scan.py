"""scan.py: finds brackets and separators in C++, outside of comments and strings."""

import re

SKIPPED = re.compile(r'''//(?:[^\\\n]|\\.|\\\n)*|/\*.*?\*/|
    R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.|\\\n)*"|'(?:[^'\\\n]|\\.)+'
    ''', re.S | re.X)
OPEN, CLOSED = "([{", ")]}"


def masked(text):
    """Returns the text with blanks in place of comments and of the contents of strings.
    The length does not change."""
    def blank(found):
        word = found[0]
        inside = re.sub(r"[^\n\\]", " ", word) if word[0] == "/" else \
            word[0] + re.sub(r"[^\n]", " ", word[1:-1]) + word[-1]
        return re.sub(r"\\(?!\n)", " ", inside)
    # The ' in 1'000 does not begin a character constant.
    return SKIPPED.sub(blank, re.sub(r"(?<=\d)'(?=\d)", "_", text))


def partner(code, at, opened=OPEN, closed=CLOSED):
    """Returns the position of the bracket that matches the one at `at`."""
    step = 1 if code[at] in opened else -1
    depth = 0
    for i in range(at, len(code) if step > 0 else -1, step):
        depth += (code[i] in opened) - (code[i] in closed)
        if depth == 0:
            return i
    return i


def parts(code, separator=",", opened=OPEN, closed=CLOSED):
    """Returns a list of (begin, end) of the parts between top-level separators."""
    found, depth, begin = [], 0, 0
    for i, c in enumerate(code):
        depth += (c in opened) - (c in closed)
        if c == separator and depth == 0:
            found.append((begin, i))
            begin = i + 1
    return found + [(begin, len(code))]
