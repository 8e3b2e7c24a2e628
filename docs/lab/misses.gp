# What a cache of twice M fetches, by cachegrind, against what is counted.
# Given: data, what build/docs/lab/misses printed; out, the picture's path
# without .svg; or dumb=1. docs/complexity.md says what it shows.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,30; else \
    set terminal svg size 800,430 font 'Helvetica,Arial,sans-serif,14' \
        background rgb 'white'
if (!dumb) set output out.'.svg'

# Okabe and Ito's colours, each with a dash and a mark of its own.
set style line 1 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 2 lc rgb '#0072B2' lw 2 dt 1 pt 5 ps 0.9
set style line 3 lc rgb '#D55E00' lw 2 dt 2 pt 9 ps 1.1
set style line 9 lc rgb '#dddddd' lw 1 dt 1
if (!dumb) set grid ls 9
set border 3
set tics nomirror
unset key

set title 'What a cache fetches, beside what the kernels are counted to read' \
    font ',16'
set logscale xy
set xrange [900:75000]
set yrange [5e4:3e7]
set xtics ('1024' 1024, '2048' 2048, '4096' 4096, '8192' 8192, \
           '16,384' 16384, '32,768' 32768)
set format y '10^{%T}'
set xlabel 'M, elements on chip; the cache has twice as many (N = 512, d = 32)'
set ylabel 'elements read'
of(step) = sprintf("< awk '$1 == \"%s\"' %s", step, data)
steps = 'standard_attention flash1 flash2'
set label 1 'standard' at 36000,573440 tc ls 1
set label 2 'flash1' at 36000,108000 tc ls 2
set label 3 'flash2' at 36000,76000 tc ls 3
set label 4 "lines: counted    filled: fetched by loads\nopen: by all that \
the kernel does" at 70000,2e7 right
plot for [k = 1:3] of(word(steps, k)) using 2:3 with lines ls k, \
     for [k = 1:3] of(word(steps, k)) using 2:4 with points ls k, \
     for [k = 1:3] of(word(steps, k)) using 2:5 with points ls k \
         pt (k == 1 ? 6 : k == 2 ? 4 : 8) ps 1.6
