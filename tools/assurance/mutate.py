"""Makes small changes of a C file (docs/assurance.md).

mutate.py FILE              lists the changes: number, line, change, key
mutate.py FILE N            prints the file with change number N
mutate.py FILE kept KEY...  lists the changes with these keys, which do not depend on
                            line numbers; for a key that does not exist, five others

It does not change comments, strings and preprocessor lines."""

import re
import sys
import zlib

SKIPPED = r"""[ \t\n]+|//[^\n]*|\#(?:[^\\\n]|\\.|\\\n)*\n|"(?:[^"\\]|\\.)*"|\
'(?:[^'\\]|\\.)*'|/\*.*?\*/"""
TOKEN = r"""[0-9](?:[pP][-+]|[0-9A-Za-z_.])*|[A-Za-z_][A-Za-z_0-9]*|\
<<=|>>=|->|\+\+|--|<<|>>|&&|\|\||[-<>=!+*/%&|^]=|."""
ONE_WAY = "< <= < >= <= < <= > > >= > <= >= > >= < * + * / % / / *".split()
BOTH_WAYS = """&& || & | == != + - += -= *= /= ++ -- << >> continue break true
 false i j Nq Nk d dv Br Bc br bc i0 j0 K V Q K O Q m l alpha beta rows cols
 fmaxf fminf a b read written""".split()
PAIRS = ONE_WAY + BOTH_WAYS + BOTH_WAYS[::-1]
NO_STATEMENT = set("""if for while do else switch case default return break
 continue static typedef struct enum { } ; )""".split())

text = open(sys.argv[1]).read()
tokens = [found for found in re.finditer(
    f"(?:{SKIPPED})|({TOKEN})".replace("\\\n", ""), text, re.S) if found[1]]
word = [token[1] for token in tokens]
changes = [] # (start, end, new text)

def change(first, last, to):
    changes.append((tokens[first].start(), tokens[last].end(), to))

closing, is_open = {}, [] # the token that closes a bracket or brace
for t, w in enumerate(word):
    if w in "({[":
        is_open.append(t)
    elif w in ")}]" and is_open:
        closing[is_open.pop()] = t

inside = 0 # depth of parentheses, where no statement begins
for t, w in enumerate(word):
    # Not a sign, a pointer or an address.
    if w not in ("-", "*", "&", "+") or re.search(r"[A-Za-z0-9_.)\]]$", word[t - 1]):
        for a, b in zip(PAIRS[::2], PAIRS[1::2]):
            if w == a:
                change(t, t, b)
    if w[0].isdigit():
        change(t, t, f"({w} + 1)")
        change(t, t, f"({w} - 1)")
    if w == "if" and word[t + 1] == "(":
        last = closing[t + 1]
        change(t + 1, last, f"(!{text[tokens[t + 1].start():tokens[last].end()]})")
    inside += (w == "(") - (w == ")")
    if t and not inside and word[t - 1] in (";", "{", "}", ")", "else") and \
            w not in NO_STATEMENT:
        last = t
        while last < len(word) and word[last] not in (";", "{", ")"):
            last = closing.get(last, last) + 1
        if last < len(word) and word[last] == ";" and last > t + 1:
            change(t, last, ";")

if sys.argv[2:] and sys.argv[2] != "kept":
    a, b, to = changes[int(sys.argv[2])]
    print(text[:a] + to + text[b:], end="")
    sys.exit()

by_key = {}
for n, (a, b, to) in enumerate(changes):
    line = text.count("\n", 0, a)
    was, to = (s.split("\n")[0] for s in (text[a:b], to))
    described = f"{text.splitlines()[line].strip()}\t{was} -> {to}"
    key = "%05x" % (zlib.crc32(described.encode()) >> 12)
    row = f"{n}\t{line + 1}\t{was} -> {to}\t"
    if sys.argv[2:]:
        by_key.setdefault(key, row)
    else:
        print(row + key)

kept = sys.argv[3:]
free = sorted(set(by_key) - set(kept))
for key in kept:
    if key in by_key:
        print(by_key[key] + key)
        continue
    free.sort(key=lambda other: (other < key, other))
    for other in free[:5]:
        print(by_key[other] + key)
    free = free[5:]
