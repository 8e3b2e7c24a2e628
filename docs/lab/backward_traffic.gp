# What making P again saves, by on-chip memory and d; backward alone, and with
# the forward pass. docs/backward.md says what they show.

set datafile missing NaN # the rows of other lines: lines go on across them

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
eval picture('_alone', 800, 470)
set title 'Whether making P again moves less depends on M and on d'
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
eval picture('_both', 800, 470)
set title 'Forward and backward together'
set ylabel "HBM elements moved, over standard's two passes"
unset label 8
plot 1 ls 1, \
     for [d in '32 64 128'] data using 4:(line(1, d + 0, 8)) with lines ls 2, \
     for [d in '32 64 128'] data using 4:(line(2, d + 0, 8)) with lines ls 3, \
     for [d in '32 64 128'] data using 4:(line(3, d + 0, 8)) with lines ls 4
