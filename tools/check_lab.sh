#!/bin/sh
# tools/check_lab.sh: compares the lines that `precision.sh quick` prints with
# docs/results/precision.tsv. The first nine columns identify a line. The table may
# lack lines of a new step. Processors and compilers round differently, so docs.py
# compares the numbers with a tolerance. Two runs on one machine must print equal bytes.
set -u
. tools/tally.sh

kept=docs/results/precision.tsv

# lines_of A B: prints the lines of B whose first nine columns are also in A.
lines_of() {
    awk -F '\t' '
        { key = ""; for (k = 1; k <= 9; k++) key = key FS $k }
        FNR == NR { keys[key]; next }
        key in keys' "$1" "$2"
}

sh docs/lab/precision.sh quick 2>"$tmp/said" >"$tmp/new" &
sh docs/lab/precision.sh quick 2>"$tmp/said" >"$tmp/again"
count $? "precision.sh quick exits with an error"
wait
lines_of "$tmp/new" "$kept" >"$tmp/old"
must "$kept has lines of precision.sh quick" test -s "$tmp/old"
lines_of "$tmp/old" "$tmp/new" >"$tmp/now"
python3 tools/docs.py compare "$tmp/old" "$tmp/now" 0.001
count $? "$kept and precision.sh quick have different numbers"
cmp "$tmp/again" "$tmp/new"
count $? "two runs of precision.sh quick print different bytes"

# `flash precision` and chapter 03's program must print the same errors.
"${BUILD:-build}/tools/flash/run" precision softmax --csv --n 16,1024 \
    --rows normal:4 --types fp32,bf16 2>/dev/null |
    awk -F , 'NR > 1 { printf "peaked,%s,%s,%s,%.3g\n", $3, $4, $5, $10 }' |
    sort >"$tmp/loss"
"${BUILD:-build}/03_online_softmax/run" --csv 2>/dev/null |
    grep -E '^peaked,(fp32|bf16),[^,]*,(16|1024),' | sort >"$tmp/chapter"
must "flash precision and chapter 03 print the same errors" cmp "$tmp/chapter" "$tmp/loss"
must "flash precision prints lines to compare" test -s "$tmp/loss"
finish "if the change is intended: make lab-precision; copy its table to docs/results"
