# The times of three programs for the same multiplications and additions, and their time
# at the measured peak. docs/06_flash2.md explains the picture.

enhanced = 'noenhanced'
eval picture('', 760, 300)
set title 'The same 34 billion operations; the rest differs'
peers = rows('$1 ~ /^(flash2_simd|openblas|torch)$/ && \
    $2 == 1 && $4 == 4096 && $5 == 64 && $6 == 0')
name(step) = step eq 'openblas' ? "standard attention:\n3 calls of OpenBLAS" : \
    step eq 'torch' ? "PyTorch's\nFlashAttention" : step
set border 1
set lmargin 21
stats peers using 9 name 'all' nooutput
set xrange [0:1.15 * all_max]
set yrange [2.6:-0.6]
set ytics scale 0
set xlabel 'milliseconds: 8 heads, N = 4096, d = 64, on two cores'
set label 1 'multiply-adds at peak speed' at 0.015 * all_max,1 front tc rgb 'white'
plot peers using (0):0:(0):9:($0 - 0.35):($0 + 0.35):ytic(name(strcol(1))) \
         with boxxyerror fc rgb ORANGE fs solid noborder, \
     peers using (0):0:(0):($8 * $9 / 100):($0 - 0.35):($0 + 0.35) \
         with boxxyerror fc rgb BLUE fs solid noborder, \
     peers using (column(9) * (1 + column(8) / 100) / 2):0:\
         ($0 == 1 ? 'the rest' : '') with labels, \
     peers using ($9 + 0.015 * all_max):0:(sprintf('%.0f', $9)) with labels left
