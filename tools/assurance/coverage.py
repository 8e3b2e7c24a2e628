"""gcov -t -j -b ... | coverage.py: the lines and branches that no test reached, and
how many did. A function in a header is compiled into many objects: what one of
them reaches is reached. Those of unreached.tsv have a reason there. Exit 1 if
others are missed, or more than 1% have one."""

import collections
import csv
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

reasons = {(r[0], r[1]) for r in csv.reader(open("docs/results/unreached.tsv"),
                                            "excel-tab", quoting=csv.QUOTE_NONE)}
needless, bad = set(reasons), not reached
of = {}
for what, counts in ("lines", reached), ("branches", taken):
    missed = [at for at in sorted(counts) if counts[at] == 0]
    named = 0
    for path, n, *_ in missed:
        text = open(path).read().split("\n")[n - 1].strip()
        named += (path, text) in reasons
        needless.discard((path, text))
        if (path, text) not in reasons:
            print(f"{path}:{n}: {what}: {text}")
    bad |= named < len(missed) or named > len(counts) / 100
    of[what] = f"{len(counts) - len(missed):,} of {len(counts):,} {what}, " \
               f"{named} with a reason"
for path, text in needless:
    print(f"{path}: is reached, or gone: {text}")
print("; ".join(of.values()))
sys.exit(bad or bool(needless))
