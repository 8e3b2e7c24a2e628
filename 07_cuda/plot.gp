# Draws the memory traffic of each rung, for docs/07_cuda.md: three bars for each rung.
# bench/cards.gp draws the times of GPUs.

lines = 72
eval picture('', 480, 580)

# Columns: rung,hbm_bytes,sectors,shared_reads,conflicts,barriers,mma,wavefronts,d,blocks
# A log axis has no zero, so a count of 0 has no bar.
at_64 = "awk -F, 'NR == 1 || $9 == 64' ".data
rungs = system(at_64." | sed '1d; s/,.*//'")
data = '< '.at_64
set yrange [words(rungs) - 0.4:-0.6]
set ytics scale 0 noenhanced
set for [k = 1:words(rungs)] ytics add ((dumb ? sprintf('%d', k) : word(rungs, k)) k - 1)
set grid noytics
set style fill solid
set multiplot layout (dumb ? 3 : 1),(dumb ? 1 : 3) title 'Memory accesses of each \
rung (1 head, N = 256, d = 64)' font ',16'
# Draws a panel: from and to are the ends of its axis, pt the mark on a terminal.
bars = "plot data skip 1 using (from):0:(from):(@count > from ? @count : from): \
($0 - 0.35):($0 + 0.35) with boxxyerror lc rgb colour"
marks = "plot data skip 1 using (@count > from ? @count : NaN):0 with points pt 1, \
data skip 1 using (to):0:1 with labels right"
heights_of = heights(0.1, 0.81)

eval dumb ? '' : sides(0.22, 0.45).heights_of
set logscale x
set format x TENS
set title "HBM, L2: bytes\nin sectors of 32" font ',13'
set xtics (1e5, 1e7, 1e9)
from = 1e5
to = dumb ? 1e9 : 3e7
set xrange [0.99 * from:to]
colour = BLUE
count = '($3 * 32)'
eval dumb ? marks : bars

unset ytics
eval dumb ? '' : sides(0.49, 0.72).heights_of
set title "shared memory:\nreads by threads"
set xtics (1e4, 1e6, 1e8)
from = 1e4
set xrange [0.99 * from:to]
colour = '#444444'
count = '($4)'
eval dumb ? marks : bars

eval dumb ? '' : sides(0.76, 0.97).heights_of
set title "bank conflicts:\nthousands"
unset logscale x
set format x '%g'
set xtics 0, 40
from = 0
to = dumb ? 110 : 80
set xrange [0:to]
colour = '#009E73'
count = '($5 / 1000)'
eval dumb ? marks : bars
unset multiplot
