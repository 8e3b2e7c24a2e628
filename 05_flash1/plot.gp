# Chapter 05's picture shows where FlashAttention moves fewer elements than standard
# attention.
# docs/05_flash1.md explains it.

set datafile missing NaN # lines continue across rows of other steps
lines = 60
letters = 15
eval picture('', 480, 1080)

set style line 2 lc rgb '#D55E00' lw 2 dt 2 pt 11 ps 0.8
set style line 3 lc rgb '#0072B2' lw 2 dt 1 pt 5 ps 0.7

# Columns: step,N,d,M,Br,counted,formula
# In the sweeps of d (at M = 8192) and of M (at d = 32) N is 500; in the sweep of N
# it is a power of two.
name(k) = word('standard_attention tiled_attention flash1', k)
by_N(k) = strcol(1) eq name(k) && column(2) != 500
by_M(k) = strcol(1) eq name(k) && column(2) == 500 && column(3) == 32
by_d(k) = strcol(1) eq name(k) && column(2) == 500 && column(4) == 8192

if (dumb) set multiplot layout 3,1; else \
    set multiplot layout 3,1 title "FlashAttention moves less than\nstandard \
attention where M is large against d^2" font ',16'
set logscale x 2
set logscale y
set format y TENS
if (!dumb) set rmargin 2; set lmargin 9

set xrange [48:16000]
set yrange [8e3:2e9]
set xtics (64, 256, 1024)
set xlabel 'N (d = 32, M = 8192)'
set ylabel 'HBM elements read and written'
set label 1 'tiled' at 2700,2.6e8 tc ls 2
set label 2 'standard' at 2700,2e7 tc ls 1
set label 3 'flash1' at 2700,5.6e6 tc ls 3
set label 4 "lines: formula\nmarks: counted" at 74,1.4e9
plot for [k = 1:3] data using 2:(by_N(k) ? column(7) : NaN) smooth unique \
         with lines ls k, \
     for [k = 1:3] data using 2:(by_N(k) ? column(6) : NaN) with points ls k

unset label
set xrange [100:90000]
set yrange [6e4:6e7]
set xtics ('128' 128, '1024' 1024, '8192' 8192, '65536' 65536)
set xlabel 'M, elements on chip (N = 500, d = 32)'
set label 2 'standard' at 10000,1.4e6 tc ls 1
set label 3 'flash1' at 900,6e6 tc ls 3
plot 4.0 * 500 * 32 + 4.0 * 500**2 with lines ls 1, \
     data using 4:(by_M(3) ? column(7) : NaN) smooth unique \
         with lines ls 3, \
     data using 4:(by_M(3) ? column(6) : NaN) with points ls 3

unset label
set xrange [6:170]
set yrange [2e4:2e7]
set xtics (8, 16, 32, 64, 128)
set xlabel 'd (N = 500, M = 8192)'
set label 2 'standard' at 9,1.4e6 tc ls 1
set label 3 'flash1' at 40,3e5 tc ls 3
plot for [k = 1:3:2] data using 3:(by_d(k) ? column(7) : NaN) smooth unique \
         with lines ls k, \
     for [k = 1:3:2] data using 3:(by_d(k) ? column(6) : NaN) with points ls k
unset multiplot
