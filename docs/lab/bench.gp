# flash2_lanes and flash2_simd at each shape of the benchmark, in percent of the measured
# peak. docs/cpu_speed.md explains the picture.

enhanced = 'noenhanced'
eval picture('', 760, 480)

# Returns the points of a step with or without a causal limit, in the order of the shapes
# in the file.
of(step, causal) = sprintf("< awk -F '\t' '$1 == \"forward\" { \
    shape = $3 \" x \" $4 \" heads, N \" $5 \", d \" $6; \
    if (!(shape in at)) at[shape] = ++n; \
    if ($2 == \"%s\" && $7 == %d) print at[shape] FS $9 FS shape }' %s", \
    step, causal, data)
stats of('flash2_simd', 0) using 1 name 'shapes' nooutput

set title 'Long sequences are near the peak, short ones are not'
set xrange [0:101]
set yrange [shapes_max + 0.6:0.2]
set xlabel "percent of the cores' peak (filled: all keys, open: causal)"
set lmargin 27
set label 1 'flash2_simd' at 72,0.62 center tc ls 2
set label 2 'flash2_lanes' at 20,0.62 center tc ls 3
plot of('flash2_simd', 0) using 2:1:ytic(3) with points ls 2, \
     of('flash2_simd', 1) using 2:1 with points ls 2 pt 4, \
     of('flash2_lanes', 0) using 2:1 with points ls 3, \
     of('flash2_lanes', 1) using 2:1 with points ls 3 pt 10
