# Chapter 02's picture: the rows of chapter 01's, now without cliffs.
# docs/02_safe_softmax.md says what it shows.

lines = 30
eval picture('', 760, 420)

set style line 1 lc rgb '#D55E00' lw 2.5 dt 2
set style line 2 lc rgb '#0072B2' lw 2.5 dt 1
set style line 3 lc rgb '#009E73' lw 2.5 dt 4
set style line 8 lc rgb '#999999' lw 1 dt 1

set title 'Safe softmax has no cliff, in any format'

# Both signs and three decades of x on one axis: asinh is x near 0, ln beyond.
set xrange [asinh(-1500):asinh(1500)]
set xtics ('−1000' asinh(-1000), '−100' asinh(-100), '−10' asinh(-10), \
           '−1' asinh(-1), '0' 0, '1' asinh(1), '10' asinh(10), \
           '100' asinh(100), '1000' asinh(1000))
set xlabel 'x, the largest of 16 scores between x − 2 and x'
set ylabel 'largest relative error' offset 2
set logscale y
set format y '10^{%T}'
set yrange [1e-17:20]
set ytics ('10^{−16}' 1e-16, '10^{−12}' 1e-12, '10^{−8}' 1e-8, \
           '10^{−4}' 1e-4, 'all wrong' 1)
set lmargin 13

format(k) = word('fp16 fp32 fp64', k)
near(step, k) = strcol(2) eq step && strcol(3) eq format(k) ? \
    (strcol(5) eq 'nan' ? 1 : column(5)) : NaN
set label 1 'fp16' at 0,1e-2 center tc ls 1
set label 2 'fp32' at 0,3e-6 center tc ls 2
set label 3 'fp64' at 0,2e-14 center tc ls 3
if (!dumb) set label 4 'thin: naive softmax of the same rows' \
    at 0,1e-11 center tc rgb '#777777'
ghosts = dumb ? 0 : 3 # characters cannot be thin

plot for [k = 1:ghosts] data using (asinh(column(4))):(near('naive_softmax', k)) \
         with lines ls 8, \
     for [k = 1:3] data using (asinh(column(4))):(near('safe_softmax', k)) \
         with lines ls k
