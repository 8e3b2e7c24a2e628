# What a cache of twice M fetches, by cachegrind, against what is counted.
# docs/complexity.md says what it shows.

eval picture('', 800, 430)

set title 'What a cache fetches, beside what the kernels are counted to read'
set logscale xy
set xrange [900:75000]
set yrange [5e4:3e7]
set xtics ('1024' 1024, '2048' 2048, '4096' 4096, '8192' 8192, \
           '16,384' 16384, '32,768' 32768)
set format y '10^{%T}'
set xlabel 'M, elements on chip; the cache has twice as many (N = 512, d = 32)'
set ylabel 'elements read'
of(step) = rows(sprintf('$1 == "%s"', step))
steps = 'standard_attention flash1 flash2'
set label 1 'standard' at 36000,573440 tc ls 1
set label 2 'flash1' at 36000,108000 tc ls 2
set label 3 'flash2' at 36000,76000 tc ls 3
set label 4 "lines: counted    filled: fetched by loads\nopen: by all that \
the kernel does" at 70000,2e7 right
plot for [k = 1:3] of(word(steps, k)) using 2:3 with lines ls k, \
     for [k = 1:3] of(word(steps, k)) using 2:4 with points ls k, \
     for [k = 1:3] of(word(steps, k)) using 2:5 with points ls k \
         pt (k == 1 ? 6 : k == 2 ? 4 : 10) ps 1.6
