"""draw.py SEED HOW_MANY RESULTS: of the changes that RESULTS (mutants.sh) calls
killed, HOW_MANY by chance, of each file as many as of the others while it has
any: file, line of code, change. Only what is still in its file, and only once,
so that the code and the change say which it is. docs/assurance.md"""

import collections
import os
import random
import subprocess
import sys

seed, how_many, results = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
killed = collections.defaultdict(set)  # by file: number, line, change
for row in open(results):
    name, number, line, change, verdict = row.rstrip("\n").split("\t")
    if "/" in verdict and os.path.exists(name):
        killed[name].add((number, line, change))

chance = random.Random(seed)
drawn = {}  # by file, in the order in which they are taken
for name in sorted(killed):
    code = [line.strip() for line in open(name)]
    changes = [tuple(row.split("\t")) for row in subprocess.run(
        [sys.executable, "tools/assurance/mutate.py", name],
        capture_output=True, text=True, check=True).stdout.splitlines()]
    called = collections.Counter(
        (code[int(line) - 1], change) for _, line, change in changes)
    drawn[name] = [(name, code[int(line) - 1], change)
                   for number, line, change in changes
                   if (number, line, change) in killed[name]
                   and called[code[int(line) - 1], change] == 1]
    chance.shuffle(drawn[name])

taken = []
while len(taken) < how_many and any(drawn.values()):
    for name in drawn:
        if drawn[name] and len(taken) < how_many:
            taken.append(drawn[name].pop())
for row in sorted(taken):
    print(*row, sep="\t")
