# Where fp16 overflows: rows of real scores that a softmax loses, by what the
# scores are multiplied with. docs/precision.md says what it shows.

set datafile missing NaN
eval picture('', 760, 420)

set title 'Without the scale nearly every row overflows in fp16, but none of safe \
softmax'
set logscale x 2
set xrange [0.22:20000]
set xtics (0.25, 1, 4, 16, 64, 256, 1024, 4096, 16384)
set xlabel 'factor that the scaled scores are multiplied by'
set yrange [0:114]
set ytics 0,25,100
set ylabel 'rows that become NaN, % of 3012'
share(step, format) = strcol(1) eq step && strcol(2) eq format ? \
    100.0 * column(4) / column(5) : NaN
set arrow 1 from 1,0 to 1,114 nohead lc rgb '#666666' dt 3
set arrow 2 from 5.657,0 to 5.657,114 nohead lc rgb '#666666' dt 3
set label 1 'scaled' at 0.93,109 right tc rgb '#666666'
set label 2 'scale left out' at 6.1,109 left tc rgb '#666666'
set label 3 "naive,\nfp16" at 0.9,60 right tc ls 3
set label 4 "naive,\nfp32" at 12.5,60 right tc ls 2
set label 5 "safe, fp16:\nthe score itself\nis beyond 65504" at 8000,68 right \
    tc ls 4
plot data using 3:(share('naive_softmax', 'fp16')) smooth unique with \
         linespoints ls 3 ps 0.6, \
     data using 3:(share('naive_softmax', 'fp32')) smooth unique with \
         linespoints ls 2 ps 0.6, \
     data using 3:(share('safe_softmax', 'fp16')) smooth unique with \
         linespoints ls 4 ps 0.6
