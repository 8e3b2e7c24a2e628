# One machine's roofline, measured, and the steps of chapters 04-06 on it.
# docs/complexity.md says what it shows.

enhanced = 'noenhanced'
eval picture('', 800, 500)

set style line 8 lc rgb '#666666' lw 2 dt 1

one = '$1 == "roof"' # thread; and after it, all of them
all = '$1 == "roof" && n++'
PEAK1 = real(field(one, 3)) # GFLOP/s
MEMORY1 = real(field(one, 4)) # GB/s
PEAK = real(field(all, 3))
MEMORY = real(field(all, 4))
roofed(x, peak, memory) = x * memory < peak ? x * memory : peak

set title 'Fewer bytes move a step to the right; only vectors and threads lift \
it'
set logscale xy
set xrange [0.05:4000]
set yrange [0.2:PEAK * 3]
set xtics ('0.1' 0.1, '1' 1, '10' 10, '100' 100, '1000' 1000)
set ytics ('1' 1, '10' 10, '100' 100, '1000' 1000)
set xlabel 'arithmetic intensity, FLOP per byte counted (N = 2048, d = 64, fp32)'
set ylabel 'GFLOP/s'
set label 1 sprintf('all threads: %.0f GFLOP/s', PEAK) at 3500,PEAK*1.25 right \
    tc ls 8
set label 2 sprintf('one thread: %.0f GFLOP/s', PEAK1) at 3500,PEAK1*1.25 \
    right tc ls 8
set label 3 sprintf('%.0f GB/s', MEMORY) at 0.3,MEMORY*0.3*1.6 right tc ls 8
set samples 400
# A chapter's steps; and those whose names stand on one side of their points,
# so that no two names meet.
of(pattern) = rows('$1 == "step" && $2 ~ /^('.pattern.')$/')
short(name) = system("echo '".name."' | sed 's/_attention//'")
right = 'one_pass_attention|tiled_attention|flash2|'. \
    'flash2_parallel|flash2_lanes|flash2_simd'
left = 'two_pass_attention'
above = 'standard_attention|split_kv'
below = 'three_pass_attention'
plot roofed(x, PEAK, MEMORY) with lines ls 8, \
     roofed(x, PEAK1, MEMORY1) with lines ls 8 dt 3, \
     of('.*_attention') using 3:4 with points ls 1, \
     of('flash1') using 3:4 with points ls 2, \
     of('flash2.*|split.*') using 3:4 with points ls 3, \
     of(right) using 3:4:(short(strcol(2))) with labels left \
         offset 1,0, \
     of(left) using 3:4:(short(strcol(2))) with labels right \
         offset -1,0, \
     of(above) using 3:4:(short(strcol(2))) with labels \
         offset 0,0.9, \
     of(below) using 3:4:(short(strcol(2))) with labels \
         offset 0,-0.9, \
     of('flash2_deferred') using 3:4:(strcol(2)) with labels right \
         offset -0.2,-0.9, \
     of('flash1') using 3:4:(strcol(2)) with labels left \
         offset 0,-0.9
