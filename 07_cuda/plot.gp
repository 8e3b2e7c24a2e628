# Draws the memory traffic of each rung, for docs/07_cuda.md. bench/cards.gp draws
# the times of GPUs.

lines = 76
eval picture('', 760, 640)

# Columns: rung,hbm_bytes,sectors,shared_reads,conflicts,barriers,mma,wavefronts
# A log axis has no zero, so a count of 0 is not drawn.
positive(x) = x > 0 ? x : NaN
letter(k) = substr('abcdefghijklmnopqrstuvwxyz', k + 1, k + 1)
stats data skip 1 using 2 nooutput
set xrange [-0.5:STATS_records - 0.5]
set multiplot layout (dumb ? 4 : 3),1 title 'Memory accesses of each rung \
(1 head, N = 256, d = 64)' font ',16'
eval dumb ? '' : frame(0.1, 0.92, 0.70, 0.90)
set logscale y
set format y TENS
set xtics ('' 0)
set for [k = 0:STATS_records - 1] xtics add (dumb ? letter(k) : '' k)
set title 'HBM and L2: bytes in sectors of 32' font ',14' offset 0,-0.6
set yrange [1e5:3e7]
plot data skip 1 using 0:($3 * 32) with linespoints ls 2
eval dumb ? '' : heights(0.43, 0.63)
set title 'shared memory: reads by threads (no mark: only tensor cores read)'
set yrange [1e4:2e7]
plot data skip 1 using 0:(positive($4)) with linespoints ls 1
unset logscale y
set format y '%g'
eval dumb ? '' : heights(0.16, 0.36)
set title 'bank conflicts: thousands of wavefronts'
set yrange [0:80]
set ytics 20
rungs = system("awk -F, 'NR > 1 { print $1 }' ".data)
if (!dumb) {
    set xtics noenhanced rotate by -35 left
    set for [k = 0:STATS_records - 1] xtics add (word(rungs, k + 1) k)
}
plot data skip 1 using 0:($5 / 1000) with linespoints ls 4
if (dumb) { # the names of rungs a, b, ...
    unset border
    unset tics
    unset title
    do for [k = 0:STATS_records - 1] {
        set label k + 1 letter(k).' '.word(rungs, k + 1) \
            at graph 0.33 * int(k / 6),1 - 0.16 * (k % 6)
    }
    plot NaN
}
unset multiplot
