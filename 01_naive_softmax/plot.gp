# Chapter 01's picture shows that naive softmax is right only between two limits of x:
# it overflows above the upper one and underflows below the lower one.
# docs/01_naive_softmax.md explains it.

lines = 30
eval picture('', 760, 420)

set style line 1 lc rgb '#D55E00' lw 2.5 dt 2
set style line 2 lc rgb '#0072B2' lw 2.5 dt 1
set style line 3 lc rgb '#009E73' lw 2.5 dt 4

# asinh shows both signs of x and three decades on one axis: it is nearly x near
# 0, and nearly a logarithm far from 0.
set xrange [asinh(-3000):asinh(3000)]
set xtics ('−1000' asinh(-1000), '−100' asinh(-100), '−10' asinh(-10), \
           '−1' asinh(-1), '0' 0, '1' asinh(1), '10' asinh(10), \
           '100' asinh(100), '1000' asinh(1000))
format(k) = word('fp16 fp32 fp64', k)
near(k) = strcol(3) eq format(k) ? (strcol(5) eq 'nan' ? 1 : column(5)) : NaN

set title 'Naive softmax is right only between two cliffs: overflow and underflow'
set lmargin 13
set rmargin 4

set ylabel 'largest relative error' offset 2
set logscale y
set format y TENS
set yrange [1e-17:1e3]
set ytics (raised(10, -16) 1e-16, raised(10, -12) 1e-12, raised(10, -8) 1e-8, \
           raised(10, -4) 1e-4, 'all wrong' 1)
set label 1 'fp16' at asinh(0.3),3e-2 center tc ls 1
set label 2 'fp32' at asinh(0.3),1e-5 center tc ls 2
set label 3 'fp64' at asinh(0.3),1e-13 center tc ls 3
# A text terminal has no room for decimals.
short(x) = dumb ? sprintf('%.0f', real(x)) : x
do for [k = 1:3] {
    x = word('11.09 88.72 709.78', k)
    set label 10 + k short(x) at asinh(real(x)),60 center tc ls k
    x = word('17.33 103.97 745.13', k)
    set label 20 + k '−'.short(x) at -asinh(real(x)),60 center tc ls k
}
set xlabel 'x, the largest of 16 scores between x − 2 and x'
plot for [k = 1:3] data using (asinh(column(4))):(near(k)) with lines ls k
