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
set grid ls 9
set border 3
set tics nomirror
unset key

# Line n of a step, not causal or causal, has shape n.
of(step, causal) = sprintf("< awk -F '\t' 'BEGIN { OFS = FS } \
    $1 == \"flash2_simd\" && !$6 { at[$2 $3 $4 $5] = ++n } \
    $1 == \"%s\" && $6 == %d { print at[$2 $3 $4 $5], $8, \
        \"(\" $2 \", \" $3 \", \" $4 \", \" $5 \")\" }' %s %s", \
    step, causal, data, '')
last(step, causal) = of(step, causal)." | tail -n 1"
count = int(system("awk -F '\t' '$1 == \"flash2_simd\" && !$6' ".data." | wc -l"))

set title 'Long sequences come near the peak, short ones wait for memory' \
    font ',16'
set xrange [0:101]
set yrange [count + 0.6:0.4]
set xlabel "percent of the multiply-adds that the cores can do"
set ylabel '(B, H, N, d)'
set lmargin 20
set label 1 'filled: all keys; open: causal' at 2,0.7 left tc rgb '#666666'
set label 2 'flash2_simd' at 98,0.7 right tc ls 1
set label 3 'flash2_lanes' at 30,0.7 left tc ls 3
plot of('flash2_simd', 0) using 2:1:ytic(3) with points ls 1, \
     of('flash2_simd', 1) using 2:1 with points ls 2, \
     of('flash2_lanes', 0) using 2:1 with points ls 3, \
     of('flash2_lanes', 1) using 2:1 with points ls 4
