#!/bin/sh
# docs/lab/results_table.sh: README's table of results, a row a step: all that it
# moves through HBM for the bundled Q, K, V, counted now, and how long that took
# on the machine of docs/results/times.tsv.
set -eu
build=${BUILD:-build}

for chapter in 04_tiled_attention 06_flash2; do
    echo "chapter,$chapter"
    "$build/$chapter/run" --q common/data/q.npy --k common/data/k.npy \
        --v common/data/v.npy --csv
done | awk -F, -v times=docs/results/times.tsv '
    BEGIN {
        while ((getline line <times) > 0) {
            split(line, field, "\t")
            time[field[1], field[2]] = field[3]
        }
        print "| chapter | step | through HBM | of standard | time |"
        print "|---|---|---|---|---|"
    }
    $1 == "chapter" { chapter = $2; next }
    $1 == "step" { for (k = 1; k <= NF; k++) column[$k] = k; next }
    seen[$1]++ || $1 ~ /split_kv/ { next }
    {
        moved = 4 * ($column["hbm_read"] + $column["hbm_written"] + \
            $column["init"] + $column["L"] + $column["mask"])
        standard = standard ? standard : moved
        # the fast steps of 06 keep no count
        printf "| %s | `%s` | %s | %s | %s |\n", \
            $1 == "flash1" ? "05" : substr(chapter, 1, 2), $1, \
            moved ? sprintf("%.1f MB", moved / 1e6) : "not counted", \
            moved ? sprintf("%.2f", moved / standard) : "", \
            time["build/" chapter "/run", $1]
    }'
