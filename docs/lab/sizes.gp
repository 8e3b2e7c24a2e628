# What standard attention, FlashAttention and FlashAttention-2 move through HBM
# against N, M and d.
# Given: data, what build/docs/lab/sizes printed; out, the picture's path
# without .svg; or dumb=1. docs/complexity.md says what it shows.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,60; else \
    set terminal svg size 960,430 font 'Helvetica,Arial,sans-serif,14' \
        background rgb 'white'
if (!dumb) set output out.'.svg'

# Okabe and Ito's colours, each with a dash and a mark of its own.
set style line 1 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.7
set style line 2 lc rgb '#0072B2' lw 2 dt 1 pt 5 ps 0.7
set style line 3 lc rgb '#D55E00' lw 2 dt 2 pt 11 ps 0.9
set style line 9 lc rgb '#dddddd' lw 1 dt 1
if (!dumb) set grid ls 9
set border 3
set tics nomirror
unset key

set logscale x 2
set logscale y
set format y '10^{%T}'
of(axis, step) = sprintf("< awk '$1 == \"%s\" && $3 == \"%s\"' %s", axis, step, \
    data)
steps = 'standard_attention flash1 flash2'
drawn = 'for [k = 1:3] of(axis, word(steps, k)) using 2:4 with lines ls k, \
    for [k = 1:3] of(axis, word(steps, k)) using 2:($5 > 0 ? $5 : NaN) \
        with points ls k'

dumb_rows = dumb ? 3 : 1
set multiplot layout dumb_rows,4 - dumb_rows title \
    'What is gained depends on M against d², not on N' font ',16' \
    margins screen 0.08,0.98,0.15,0.86 spacing screen 0.07

axis = 'N'
set xrange [50:100000]
set yrange [1e4:5e10]
set xtics (64, 1024, 16384)
set xlabel 'N (d = 64, M = 16,384)'
set ylabel 'HBM elements read and written'
set label 1 'standard' at 3000,3e8 right tc ls 1
set label 2 'flash1' at 3000,6.5e6 left tc ls 2
set label 3 'flash2' at 3000,2.4e6 left tc ls 3
set label 4 "lines: formula\nmarks: counted" at 70,1.5e10 left
plot @drawn
unset label
unset ylabel

axis = 'M'
set xrange [800:400000]
set yrange [1e5:1e8]
set xtics ('1024' 1024, '16,384' 16384, '262,144' 262144)
set xlabel 'M, elements on chip (N = 1024, d = 64)'
set label 1 'standard' at 262144,6.2e6 right tc ls 1
set label 2 'flash1' at 2700,3e7 left tc ls 2
set label 3 'flash2' at 1150,8e6 left tc ls 3
set label 4 '3d²' at 10500,1.35e5 right tc rgb '#666666'
set arrow 4 from 12288,1e5 to 12288,4.4e6 nohead lc rgb '#666666' dt 3
plot @drawn
unset label
unset arrow

axis = 'd'
set xrange [7:290]
set yrange [3e4:1e8]
set xtics (8, 16, 32, 64, 128, 256)
set xlabel 'd (N = 1024, M = 16,384)'
set label 1 'standard' at 8,6.5e6 left tc ls 1
set label 2 'flash1' at 16,6e5 right tc ls 2
set label 3 'flash2' at 26,1.9e5 left tc ls 3
set label 4 '√(M/3)' at 58,4.5e4 right tc rgb '#666666'
set arrow 4 from 73.9,3e4 to 73.9,4.4e6 nohead lc rgb '#666666' dt 3
plot @drawn
unset multiplot
