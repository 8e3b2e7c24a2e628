# What making P again saves, by on-chip memory and d; backward alone, and with
# the forward pass.
# Given: data, what build/docs/lab/backward_traffic printed; out, the pictures'
# path without their last part; or dumb=1. docs/backward.md says what they show.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
set datafile missing NaN # the rows of other lines: lines go on across them
if (dumb) set terminal dumb size 79,30; else \
    set terminal svg size 800,470 font 'Helvetica,Arial,sans-serif,14' \
        background rgb 'white'

# Okabe and Ito's colours, each with a dash and a mark of its own.
set style line 1 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 2 lc rgb '#0072B2' lw 2 dt 1 pt 5 ps 0.8
set style line 3 lc rgb '#D55E00' lw 2 dt 2 pt 11 ps 1
set style line 4 lc rgb '#009E73' lw 2 dt 4 pt 9 ps 1
set style line 9 lc rgb '#dddddd' lw 1 dt 1
if (!dumb) set grid ls 9
set border 3
set tics nomirror
unset key

name(k) = word('flash1_backward flash2_backward two_kernel_backward', k)
at(k, d) = strcol(1) eq 'over' && strcol(2) eq name(k) && column(3) == d
line(k, d, c) = at(k, d) ? column(c) : NaN
mark(k, d) = at(k, d) && column(5) > 0 ? column(7) * column(5) / column(6) : NaN

set logscale x 2
set logscale y
set xrange [2048:262144]
set yrange [0.03:30]
set xtics ('2048' 2048, '4096' 4096, '8192' 8192, '16,384' 16384, \
           '32,768' 32768, '65,536' 65536, '131,072' 131072, '262,144' 262144)
set ytics ('0.05' 0.05, '0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2, '5' 5, \
           '10' 10, '20' 20)
set xlabel 'M, elements on chip (N = 4096)'

# --- d = 64, 128 and 32: the backward pass alone -----------------------------
if (!dumb) set output out.'_alone.svg'
set title 'Whether making P again moves less depends on M and on d' \
    font ',16'
set ylabel "HBM elements moved, over standard's"
set rmargin 10
set label 1 'standard' at 275000,1 left
set label 2 'd = 128' at 275000,0.33 left tc rgb '#666666'
set label 3 'd = 64' at 275000,0.09 left tc rgb '#666666'
set label 4 'd = 32' at 275000,0.034 left tc rgb '#666666'
set label 5 'flash1' at 2300,0.2 left tc ls 2
set label 6 'flash2' at 2300,0.12 left tc ls 3
set label 7 'two kernels' at 2300,0.07 left tc ls 4
set label 8 'lines: formula    marks: counted' at 250000,22 right
plot 1 ls 1, \
     for [d in '32 64 128'] data using 4:(line(1, d + 0, 7)) with lines ls 2, \
     for [d in '32 64 128'] data using 4:(line(2, d + 0, 7)) with lines ls 3, \
     for [d in '32 64 128'] data using 4:(line(3, d + 0, 7)) with lines ls 4, \
     data using 4:(mark(1, 64)) with points ls 2, \
     data using 4:(mark(2, 64)) with points ls 3, \
     data using 4:(mark(3, 64)) with points ls 4

# --- forward and backward together -------------------------------------------
if (!dumb) set output out.'_both.svg'
set title 'Forward and backward together' font ',16'
set ylabel "HBM elements moved, over standard's two passes"
unset label 8
plot 1 ls 1, \
     for [d in '32 64 128'] data using 4:(line(1, d + 0, 8)) with lines ls 2, \
     for [d in '32 64 128'] data using 4:(line(2, d + 0, 8)) with lines ls 3, \
     for [d in '32 64 128'] data using 4:(line(3, d + 0, 8)) with lines ls 4
