# How memory and time grow with the length of the sequence, and time with the
# threads, as measured on one machine. docs/complexity.md says what they show.

# A step's first line for each N is the run on all threads; the lines with
# other numbers of threads come after.
of(step) = rows(sprintf('$1 == "%s" && !seen[$2]++', step))
last(step) = of(step).' | tail -n 1'
by_threads(step) = rows(sprintf('$1 == "%s" && (n += $3 == 1)', step))

set logscale x 2
set logscale y
set xrange [200:1e6]
set xtics ('256' 256, '1024' 1024, '4096' 4096, '16,384' 16384, \
           '65,536' 65536)
set xlabel 'N, queries and keys (one head, d = 64, fp32)'

# --- memory ------------------------------------------------------------------
enhanced = 'noenhanced'
eval picture('_memory', 760, 440)
set title 'Standard attention needs memory for N x N scores, FlashAttention-2 \
for its inputs'
set yrange [0.5:8000]
set ytics ('1' 1, '10' 10, '100' 100, '1000' 1000)
set ylabel 'peak memory of the process, MB'
inputs(N) = 4 * 4 * 64 * N / 1048576.0 # Q, K, V, O: MB
scores(N) = 4 * N * N / 1048576.0
set label 1 'S alone: 4N² bytes' at 400,1.1 left tc ls 8
set label 2 'Q, K, V, O alone' at 12000,8 left tc ls 8
plot [200:1e6] (x > 350 && x < 30000 ? scores(x) : NaN) with lines ls 8, \
     (x > 600 && x < 140000 ? inputs(x) : NaN) with lines ls 8, \
     of('standard_attention') using 2:5 with linespoints ls 1, \
     last('standard_attention') using 2:5:(' standard_attention') \
         with labels left offset 1,0 tc ls 1, \
     of('flash2') using 2:5 with points ls 3, \
     last('flash2') using 2:5:(' flash2') with labels left offset 0,1.2 tc ls 3, \
     of('flash2_simd') using 2:5 with linespoints ls 4, \
     last('flash2_simd') using 2:5:(' flash2_simd') \
         with labels left offset 1,0 tc ls 4
unset label

# --- time --------------------------------------------------------------------
eval picture('_time', 760, 440)
set title 'All take four times as long for twice the length; vectors set them \
apart'
set yrange [0.01:200000]
set ytics ('0.01' 0.01, '0.1' 0.1, '1' 1, '10' 10, '100' 100, '1000' 1e3, \
           '10,000' 1e4, '100,000' 1e5)
set ylabel 'time, ms'
plot of('standard_attention') using 2:4 with linespoints ls 1, \
     last('standard_attention') using 2:4:('standard_attention ') \
         with labels right offset -1,0.5 tc ls 1, \
     of('flash2') using 2:4 with linespoints ls 3, \
     last('flash2') using 2:4:(' flash2') with labels left offset 1,-0.5 tc ls 3, \
     of('flash2_lanes') using 2:4 with linespoints ls 2, \
     last('flash2_lanes') using 2:4:(' flash2_lanes') \
         with labels left offset 1,0.5 tc ls 2, \
     of('flash2_simd') using 2:4 with linespoints ls 4, \
     last('flash2_simd') using 2:4:(' flash2_simd') \
         with labels left offset 1,-0.5 tc ls 4

# --- threads -----------------------------------------------------------------
stats by_threads('flash2_parallel') using 3 nooutput name 'threads'
if (threads_records > 0) {
    eval picture('_threads', 760, 440)
    set title 'Query blocks are independent: twice the threads, half the time' \
        font ',16'
    unset logscale
    set logscale y
    set xrange [0.8:threads_max * 1.35]
    set xtics 1
    set yrange [*:*]
    set ytics auto
    set xlabel 'threads (N = 4096, one head, d = 64)'
    array steps[3] = ['flash2_parallel', 'flash2_lanes', 'flash2_simd']
    array style[3] = [3, 2, 4]
    first(step) = system(substr(by_threads(step), 3, -1).' | head -n 1 | \
        cut -f 4') + 0
    array one[3]
    do for [k = 1:3] { one[k] = first(steps[k]) }
    plot for [k = 1:3] one[k] / x with lines ls 8, \
         for [k = 1:3] by_threads(steps[k]) using 3:4 with linespoints \
             ls style[k], \
         for [k = 1:3] by_threads(steps[k]).' | tail -n 1' \
             using 3:4:(' '.steps[k]) with labels left offset 1,0 \
             tc ls style[k]
}
