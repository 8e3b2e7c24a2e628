# Chapter 04's picture shows that the steps that do not store S move more elements.
# docs/04_tiled_attention.md explains it.

set datafile missing NaN # lines continue across rows of other steps
lines = 34
eval picture('', 760, 480)

set style line 2 lc rgb '#E69F00' lw 2 dt 2 pt 5 ps 0.7
set style line 3 lc rgb '#009E73' lw 2 dt 4 pt 9 ps 0.8
set style line 4 lc rgb '#D55E00' lw 2 dt 1 pt 11 ps 0.8

# Columns: step,N,d,M,Br,counted,formula
name(k) = word('standard_attention three_pass_attention two_pass_attention \
                tiled_attention', k)
of(k) = strcol(1) eq name(k)
counted(k) = of(k) ? column(6) : NaN
formula(k) = of(k) ? column(7) : NaN

set title 'Without S in HBM every query rereads all of K and V: more is moved'
set logscale x 2
set logscale y
set xrange [52:9000]
set yrange [1e4:2e9]
set xtics (64, 128, 256, 512, 1024, 2048)
set format y TENS
set xlabel 'N, queries and keys (d = 32)'
set ylabel 'HBM elements read and written'
set label 1 'three pass' at 2250,7.5e8 tc rgb '#8a6000'
set label 2 'two pass' at 2250,3.9e8 tc ls 3
set label 3 "one pass, tiled:\n2Nd + N + 2N^2d" at 2250,2.0e8 tc ls 4
set label 4 "standard: 4Nd + 4N^2" at 2250,1.6e7 tc ls 1
set label 5 'lines: the formula    marks: counted' at 60,9e8
plot for [k = 1:4] data using 2:(formula(k)) with lines ls k, \
     for [k = 1:4] data using 2:(counted(k)) with points ls k
