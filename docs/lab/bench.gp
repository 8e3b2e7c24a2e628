# Percent of the measured peak of lanes and simd at each shape of the benchmark.
# Given: data, what make bench wrote; out, the picture's path without .svg; or
# dumb=1. docs/cpu_speed.md says what it shows.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,30; else \
    set terminal svg noenhanced size 760,480 font 'Helvetica,Arial,sans-serif,14' \
        background rgb 'white'
if (!dumb) set output out.'.svg'

# Okabe and Ito's colours, each with a mark of its own.
set style line 1 lc rgb '#0072B2' pt 7 ps 1.1
set style line 2 lc rgb '#0072B2' pt 6 ps 1.1
set style line 3 lc rgb '#D55E00' pt 11 ps 1.1
set style line 4 lc rgb '#D55E00' pt 10 ps 1.1
set style line 9 lc rgb '#dddddd' lw 1 dt 1
if (!dumb) set grid ls 9
set border 3
set tics nomirror
unset key

# A step's points, shape by shape as they come in the file; causal ones or not.
of(step, causal) = sprintf("< awk -F '\t' 'NR > 1 { \
    shape = \"(\" $2 \", \" $3 \", \" $4 \", \" $5 \")\" } \
    NR > 1 && !(shape in at) { at[shape] = ++n } \
    $1 == \"%s\" && $6 == %d { print at[shape] FS $8 FS shape }' %s", \
    step, causal, data)
count = int(system("awk -F '\t' '$1 == \"flash2_simd\" && !$6' ".data." | wc -l"))

set title 'Long sequences come near the peak, short ones wait for memory' \
    font ',16'
set xrange [0:101]
set yrange [count + 0.6:0.2]
set xlabel 'percent of the multiply-adds that the cores can do (filled: all \
keys, open: causal)'
set ylabel '(B, H, N, d)'
set lmargin 20
set label 1 'flash2_simd' at 72,0.62 center tc ls 1
set label 2 'flash2_lanes' at 20,0.62 center tc ls 3
plot of('flash2_simd', 0) using 2:1:ytic(3) with points ls 1, \
     of('flash2_simd', 1) using 2:1 with points ls 2, \
     of('flash2_lanes', 0) using 2:1 with points ls 3, \
     of('flash2_lanes', 1) using 2:1 with points ls 4
