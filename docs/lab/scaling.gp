# How time grows with the length of the sequence, as measured on one machine.
# docs/complexity.md says what it shows.

of(step) = rows(sprintf('$1 == "%s"', step))
last(step) = of(step).' | tail -n 1'

enhanced = 'noenhanced'
eval picture('', 760, 440)
set logscale x 2
set logscale y
set xrange [200:1e6]
set xtics ('256' 256, '1024' 1024, '4096' 4096, '16,384' 16384, \
           '65,536' 65536)
set xlabel 'N, queries and keys (one head, d = 64, fp32)'
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
