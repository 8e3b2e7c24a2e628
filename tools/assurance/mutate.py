"""Makes small changes of a C file, to see if a test fails (docs/assurance.md).

mutate.py FILE: prints a line for each change: its number, the line in FILE, the change.
mutate.py FILE shuffled SEED: prints these lines in an order that depends on SEED.
mutate.py FILE N: prints the file with change number N.

It does not change comments, strings and preprocessor lines."""

import random
import re
import sys

SKIPPED = r"""[ \t\n]+|//[^\n]*|\#(?:[^\\\n]|\\.|\\\n)*\n|\"{3}.*?\"{3}|\
'{3}.*?'{3}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/\*.*?\*/"""
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

closing, is_open = {}, [] # closing[t]: the token that closes the bracket t
for t, w in enumerate(word):
    if w in "({[":
        is_open.append(t)
    elif w in ")}]" and is_open:
        closing[is_open.pop()] = t

inside = 0 # depth of parentheses, where no statement begins
for t, w in enumerate(word):
    # Skips - * & + that are a sign, a pointer or an address, not a binary operator.
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

options = sys.argv[2:]
order = list(range(len(changes)))
if options and options[0] == "shuffled":
    random.Random(options[1] + sys.argv[1]).shuffle(order)
elif options:
    a, b, to = changes[int(options[0])]
    print(text[:a] + to + text[b:], end="")
    sys.exit()

for n in order:
    a, b, to = changes[n]
    line = text.count("\n", 0, a) + 1
    was, to = (s.split("\n")[0] for s in (text[a:b], to))
    print(f"{n}\t{line}\t{was} -> {to}")
