# Chapter 06's pictures: the traffic that FlashAttention-2 saves, and the effect
# of the tile shape. docs/06_flash2.md and docs/complexity.md explain them.

set datafile missing NaN # draws lines across the rows of other steps
lines = 44

# Columns: step,N,d,M,Br,counted,formula. In the sweep of N, each N is a power of two. In
# the sweep of Br, N = 500, d = 64 and M = 16384.
name(k) = word('standard_attention flash1 flash2', k)
by_N(k) = strcol(1) eq name(k) && column(2) != 500
by_Br(k) = strcol(1) eq name(k) && column(4) == 16384
formula(by) = by ? column(7) : NaN
counted(by) = by ? column(6) : NaN

# --- traffic -----------------------------------------------------------------
eval picture('', 760, 460)
set title 'Traffic through HBM: flash2 has the least (d = 32, M = 8192)'
set logscale x 2
set logscale y
set format y TENS
set xrange [48:5500]
set yrange [5e3:5e7]
set xtics (64, 128, 256, 512, 1024, 2048)
set xlabel 'N, queries and keys'
set ylabel 'HBM elements read and written'
set label 1 'standard' at 2350,1.7e7 tc ls 1
set label 2 'flash1' at 2350,7e6 tc ls 2
set label 4 'flash2' at 2350,4e6 tc ls 3
set label 5 "lines: formula\nmarks: counted" at 56,2.5e7
plot for [k = 1:3] data using 2:(formula(by_N(k))) smooth unique \
         with lines ls k, \
     for [k = 1:3] data using 2:(counted(by_N(k))) with points ls k

# --- the shape of the tiles --------------------------------------------------
lines = 32
eval picture('_tiles', 860, 440)
unset label
set format y '%g'
set title 'Least traffic: FlashAttention with many keys per tile, \
FlashAttention-2 with many queries'
unset logscale x
set xrange [0:128]
set yrange [0.3:10]
set ytics (0.5, 1, 2, 5, 10)
set xtics ('8 : 120' 8, '32 : 96' 32, '64 : 64' 64, '96 : 32' 96, '120 : 8' 120)
set xlabel 'Br : Bc, 128 rows in total (M = 16384, d = 64, N = 500)'
set ylabel 'million HBM elements read and written'
set arrow 1 from 64,0.3 to 64,10 nohead lc rgb '#999999' dt 3
set label 1 'standard' at 2,1.3 tc ls 1
set label 2 'flash1' at 90,3.2 right tc ls 2
set label 4 'flash2' at 14,6 tc ls 3
set label 5 'tile sizes of both papers' at (dumb ? 68 : 65),7 tc rgb '#666666'
plot (4.0 * 500 * 64 + 4.0 * 500**2) / 1e6 with lines ls 1, \
     for [k = 2:3] data using 5:(formula(by_Br(k)) / 1e6) smooth unique \
         with lines ls k, \
     for [k = 2:3] data using 5:(counted(by_Br(k)) / 1e6) with points ls k
