# Chapter 07's picture: what each rung of the ladder asks of the memories. What
# cards need for it is drawn by make gpu-check. docs/07_cuda.md says what it shows.

lines = 34
eval picture('', 760, 480)

set style line 2 lc rgb '#E69F00' lw 2 dt 2 pt 5 ps 0.8
set style line 3 lc rgb '#009E73' lw 2 dt 4 pt 9 ps 0.9

# rung,hbm_bytes,sectors,shared_reads,conflicts,barriers,mma
# Zero has no place on a log axis: where nothing is counted, the line ends.
set title 'Up the ladder each memory is asked for less (1 head, N = 256, d = 64)'
set logscale y
set format y '10^{%T}'
set yrange [1e3:3e7]
stats data skip 1 using 2 nooutput
set xrange [-0.5:STATS_records - 0.4]
set xtics noenhanced rotate by -35 left
set ylabel 'counted'
set label 1 'shared memory, reads' at 3.5, 2e6 textcolor ls 1
set label 2 'HBM and L2, bytes in sectors' at 6.2, 8e5 textcolor rgb '#8a6000'
set label 4 'at split_q both are nearly equal' at 7.1, 1.4e5 noenhanced
set label 3 'bank conflicts, wavefronts' at 3.4, 2.9e4 textcolor ls 3
plot data skip 1 using 0:($4 > 0 ? $4 : NaN):xtic(1) with linespoints ls 1, \
     '' skip 1 using 0:($3 * 32) with linespoints ls 2, \
     '' skip 1 using 0:($5 > 0 ? $5 : NaN) with linespoints ls 3
