"""spell.py FILE...: checks words in pages, comments and printed strings.

tools/words.txt has a list of phrases and a list of words. No file may contain one
of the phrases. In a page (.md) every word must also be in aspell's en_GB
dictionary or in the list of words. The script ignores code, formulas, the targets
of links, and names with digits or underscores.
"""

import re
import subprocess
import sys

C = re.compile(
    r"""(?P<skip>\#include[^\n]*|'(?:\\.|[^'\\\n])+')
    |(?P<comment>/\*.*?\*/|//[^\n]*)
    |"(?P<string>(?:\\.|[^"\\\n])*)\"""", re.S | re.X)
HASH = re.compile(
    r"""(?P<comment>^\#[^\n]*|(?<=\s)\#[^\n]*)
    |\"{3}(?P<doc>.*?)\"{3}
    |"(?P<string>(?:\\.|[^"\\\n])*)"
    |'(?P<quoted>[^'\n]*)'
    |<<-?'?(?P<end>\w+)'?\n(?P<here>.*?)\n\s*(?P=end)$""", re.S | re.X | re.M)
C_SUFFIXES = "c", "h", "cu", "cuh", "cpp", "js"
# The blanks between two words of a phrase: they may contain one line end.
NEWLINE = r"(?:[ \\t]+|[ \\t]*\\n[ \\t]*)"
MARKS = re.compile(r"^[ \t]*(?:/\*+|\*/|\*|//+|#+)?|\*/$", re.M)


def pieces(text, language):
    """Yields (line number, text) of each comment and string. Joins adjacent ones."""
    begun, joined, end = 1, "", 0
    for m in language.finditer(text):
        kind = m.lastgroup if m.lastgroup != "end" else "here"
        if kind == "skip":
            continue
        content = MARKS.sub("", m[0]) if kind == "comment" else \
            blank(r"\{[^{}]*\}", m[kind])
        if kind != "comment" and " " not in content:
            continue
        gap = text[end:m.start()]
        if joined and not gap.strip(' \t\n"'):
            joined += "\n" * gap.count("\n") + content
        else:
            yield begun, joined
            begun, joined = text.count("\n", 0, m.start(kind)) + 1, content
        end = m.end()
    yield begun, joined


def blank(pattern, text, flags=re.M):
    """Returns the text; each match is replaced by a space and the match's line ends."""
    return re.sub(pattern, lambda m: " " + "\n" * m[0].count("\n"), text,
                  flags=flags)


def prose(page):
    """Returns the text of a page without code, formulas, tags and targets of links."""
    page = blank(r"^ *(```|~~~).*?^ *\1[^\n]*", page, re.M | re.S)
    page = blank(r"^\$\$.*?\$\$", page, re.M | re.S)
    page = blank(r"^    .*", page)
    page = blank(r"<!--.*?-->|<code>.*?</code>|</?[a-z][^>`]*>", page, re.S)
    page = blank(r"`[^`]*`|\$[^$]*\$", page)
    page = blank(r"\]\([^)]*\)|https?:[^ )]*", page)
    return blank(r"[\w./-]*[\d_/][\w./-]*", page)


def unknown(text):
    """Returns the words that are not in aspell's dictionary."""
    return subprocess.run(
        "aspell list --lang=en_GB --encoding=utf-8 --ignore=2".split(),
        input=text, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()


def read_words(path):
    known, phrases = set(), []
    for line in open(path, encoding="utf-8"):
        phrase, bar, advice = line.partition(" | ")
        if line.startswith("#"):
            continue
        if bar:
            pattern = re.sub(" +", NEWLINE, phrase.strip())
            phrases.append((re.compile(rf"\b(?:{pattern})\b", re.I),
                            advice.strip()))
        else:
            known.update(line.split())
    return known, phrases


def findings(path, known, phrases):
    """Yields one line for each error in a file."""
    text = open(path, encoding="utf-8").read()
    suffix = path.rpartition(".")[2]
    parts = [(1, prose(text))] if suffix == "md" else \
        pieces(text, C if suffix in C_SUFFIXES else HASH)
    for begun, part in parts:
        for pattern, advice in phrases:
            for m in pattern.finditer(part):
                line = begun + part.count("\n", 0, m.start())
                found = " ".join(m[0].split())
                yield f'{path}:{line}: "{found}"; use: {advice}'
        if suffix == "md":
            words = [re.sub("['’]s$", "", w) for w in unknown(part)]
            for word in sorted(set(unknown("\n".join(words))) - known):
                yield f'{path}: "{word}": not in the dictionary or tools/words.txt'


def main():
    known, phrases = read_words("tools/words.txt")
    passed = failed = 0
    for path in sys.argv[1:]:
        found = list(findings(path, known, phrases))
        failed += bool(found)
        passed += not found
        for line in found:
            print("  FAILED ", line)
    print(f"{passed} passed, {failed} failed")
    if failed or not passed:
        print("next: use another word, or add it to tools/words.txt")
        sys.exit(1)


main()
