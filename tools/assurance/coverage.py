"""gcov -t -j -b ... | coverage.py: lines and branches that no test reached, in none of
the objects that a header is compiled into. Exit 1 if one of them has no reason in
unreached.tsv, or more than 1% have one."""

import collections
import json
import sys

reached, taken = collections.Counter(), collections.Counter()
for document in sys.stdin:
    for file in json.loads(document)["files"]:
        for line in file["lines"] if not file["file"].startswith("/") else []:
            at = file["file"], line["line_number"]
            reached[at] += line["count"]
            for k, branch in enumerate(line["branches"]):
                taken[at + (k,)] += branch["count"]

reasons = {tuple(line.split("\t")[:2]) for line in open("docs/results/unreached.tsv")}
needless, bad = set(reasons), not reached
for what, counts in ("lines", reached), ("branches", taken):
    missed = [at for at in sorted(counts) if counts[at] == 0]
    for path, n, *_ in missed:
        text = open(path).read().split("\n")[n - 1].strip()
        needless.discard((path, text))
        if (path, text) not in reasons:
            print(f"{path}:{n}: {what}: {text}")
            bad = True
    bad |= len(missed) > len(counts) / 100
    print(f"{len(missed):,} of {len(counts):,} {what} are not reached")
for path, text in needless:
    print(f"{path}: is reached, or gone: {text}")
sys.exit(bad or bool(needless))
