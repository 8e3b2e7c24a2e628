# How long each of 132 multiprocessors is busy, for three ways to hand out
# tiles. docs/pictures.md says what it shows.

letters = 18
eval picture('', 640, 600)

ORANGE = '#D55E00'
set style fill solid 1 noborder
set boxwidth 0.8

way(k) = word('stride grid longest', k)
about(k) = k == 1 ? 'Every 132nd tile to the same one' : \
    k == 2 ? 'To who is free, head by head' : 'To who is free, longest first'
of(k) = rows(sprintf('$1 == "busy" && $2 == "%s"', way(k)))
share(k) = int(field(sprintf('$1 == "share" && $2 == "%s" && $4 == 64 && \
$5 == 4096 && $6 == 64 && $7 == 1', way(k)), 8))
stats rows('$1 == "busy"') using 4 name 'every' nooutput
stats of(2) using 4 name 'free' nooutput

set multiplot title 'The last one to finish decides' font ',20'
eval sides(0.12, 0.97)
set xrange [-1:132]
set yrange [0:every_max * 1.3]
set xtics nomirror scale 0 (1 0, 33 32, 66 65, 99 98, 132 131) font ',14'
set ytics nomirror scale 0 0,100,300 font ',14'
do for [k = 1:3] {
    eval heights(0.69 - 0.295 * (k - 1), 0.90 - 0.295 * (k - 1))
    unset label
    unset arrow
    set label 1 sprintf('%s: %d%% of the time used', about(k), share(k)) \
        at 0,every_max * 1.17 font ',16'
    set arrow 1 from -1,free_mean to 132,free_mean nohead lc rgb ORANGE lw 2 front
    if (k == 2) { set ylabel 'busy, in tiles of keys' font ',15' } \
        else { unset ylabel }
    if (k == 3) { set xlabel 'multiprocessor' font ',15' offset 0,0.9 } \
        else { unset xlabel }
    plot of(k) using 3:4 with boxes fc rgb BLUE
}
unset multiplot
