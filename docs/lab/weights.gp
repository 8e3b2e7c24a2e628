# The weights of a real head: the whole matrix in its tiles with the running
# maximum of some queries under it. docs/pictures.md says what it shows.

# One hue, dark for a large weight: the same order in black and white.
set palette defined (0 '#d6e6f2', 0.3 '#56a0d3', 1 '#00284a')
set cbrange [0:1]
set style line 1 lc rgb '#D55E00' lw 2 dt 1
set style line 2 lc rgb '#000000' lw 2 dt 2
set style line 3 lc rgb '#009E73' lw 2 dt 4
set style line 8 lc rgb '#999999' lw 0.7 dt 1
set tics nomirror out
unset grid

query(k) = real(word('8 100 230', k))
is(kind, x) = strcol(1) eq kind ? x : NaN
of(k, x) = strcol(1) eq 'max' && column(2) == query(k) ? x : NaN

eval picture('', 760, 900)
set multiplot title 'Every row finds its maximum somewhere else; no tile knows \
it beforehand' font ',16'
eval sides(0.10, 0.86)
set xrange [-0.5:250.5]
set xtics 0,32,250 format ''

eval heights(0.31, 0.95)
set yrange [250.5:-0.5]
set ytics 0,64,250
set label 8 'query i, tiles of 64' at screen 0.02,0.63 center rotate by 90
set colorbox user origin 0.915,0.73 size 0.02,0.2
set cbtics 0,0.5,1
set label 9 "weight P_{ij}\n(from 0.01 on)" at screen 0.995,0.66 right font ',12'
do for [t = 1:7] {
    set arrow t from 32 * t - 0.5,-0.5 to 32 * t - 0.5,250.5 nohead ls 8
}
do for [t = 1:3] {
    set arrow 7 + t from -0.5,64 * t - 0.5 to 250.5,64 * t - 0.5 nohead ls 8
}
do for [k = 1:3] {
    set label k sprintf('%d', query(k)) at 252,query(k) tc ls k
    set arrow 20 + k from 250.5,query(k) to 246,query(k) nohead ls k dt 1
}
plot data using (is('p', $3)):(column(2)):(0.5):(0.5):(column(4)) \
    with boxxyerror lc palette lw 0 fs solid noborder

unset colorbox
unset label 8
unset label 9
do for [t = 8:10] { unset arrow t }
do for [k = 1:3] { unset arrow 20 + k }
eval heights(0.08, 0.26)
set yrange [-3:14]
set ytics 0,4
set ylabel 'running max m'
set xlabel 'key j, tiles of 32 (head 8 of the bundled layer)'
set format x '%g'
do for [t = 1:7] {
    set arrow t from 32 * t - 0.5,-3 to 32 * t - 0.5,14 nohead ls 8
}
last(k) = real(field(sprintf('$1 == "max" && $2 == %d && $3 == 250', query(k)), 4))
do for [k = 1:3] {
    set label k sprintf('query %d', query(k)) at 252,last(k) + (k == 1 ? -1 : 0.6) tc ls k
}
plot for [k = 1:3] data using (of(k, $3)):(column(4)) with steps ls k
unset multiplot
