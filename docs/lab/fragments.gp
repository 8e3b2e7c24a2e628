# Two pictures for docs/07_cuda.md: the elements of each lane, and the work of each warp.

unset border
unset tics
unset colorbox
set palette defined (0 '#ffffff', 1 '#e4eef5', 2 '#56B4E9')
set cbrange [0:2]
LANE = 13

# Row, column and lane of each element of S, the result of the first product. P, the input
# of the second product, has the same lanes (ptx.h; cute-check and the tests check this).
set print $elements
do for [r = 0:15] { do for [c = 0:15] {
    print sprintf("%d\t%d\t%d", r, c, r % 8 * 4 + c % 8 / 2)
} }
unset print

# --- lanes -------------------------------------------------------------------
eval picture('_lanes', 480, 860)
set multiplot title "The lane that gets a score\n\
is the lane that needs its weight" font ',16'
set xrange [-0.6:16]
set yrange [16.6:-1.8]
eval sides(0.05, 0.99)
shade(lane) = lane == LANE ? 2 : int(lane / 4) % 2
do for [k = 1:2] {
    eval heights(0.49 - 0.47 * (k - 1), 0.92 - 0.47 * (k - 1))
    unset label
    unset arrow
    set label 1 k == 1 ? 'S = Q K^T: the result is two tiles of 8 keys' : \
        'P V: the input is P for 16 keys' at 8, -1.3 center
    set label 2 k == 1 ? '8 keys' : '16 keys' at k == 1 ? 4 : 8, -0.4 center font ',13'
    set label 3 k == 1 ? '8 keys' : '' at 12, -0.4 center font ',12'
    set label 4 '16 queries' at -0.4, 8 center rotate by 90 font ',12'
    if (k == 1) {
        set arrow 1 from 8, 0 to 8, 16 nohead lw 3 lc rgb '#444444' front
    }
    plot $elements using ($2 + 0.5):($1 + 0.5):2:($2 + 1):1:\
             ($1 + 1):(shade($3)) with boxxyerror lc palette lw 0.5 \
             fs solid border lc rgb '#999999', \
         $elements using ($2 + 0.5):($1 + 0.5):3 with labels font ',13'
}
unset multiplot

# --- warps -------------------------------------------------------------------
eval picture('_warps', 480, 800)
set multiplot title "The part of a tile of S\n\
that each of four warps computes" font ',16'
set palette defined (0 '#cfe5f4', 1 '#f7dcae', 2 '#c9e7dc', 3 '#eed3e2')
set cbrange [0:3]
set xrange [-6:70]
set yrange [104:-14]
set samples 4
eval sides(0.02, 0.98)
do for [k = 1:2] {
    eval heights(0.47 - 0.46 * (k - 1), 0.92 - 0.46 * (k - 1))
    unset label
    unset arrow
    set label 1 k == 1 ? 'sliced-K: each warp has a slice of the keys' : \
        'split-Q: each warp has its own queries' at 32, -10 center
    set label 2 '64 keys' at 32, -3 center font ',12'
    set label 3 '64 queries' at -3, 32 center rotate by 90 font ',12'
    if (k == 1) {
        do for [w = 0:3] {
            set arrow 1 + w from 8 + 16 * w, 65 to 32, 80 lc rgb '#c05000'
        }
        set label 9 'four maxima of each row, and four parts of P V,' at 32, 86 \
            center font ',13' tc rgb '#c05000'
        set label 10 'are combined in shared memory, with barriers' at 32, 93 \
            center font ',13' tc rgb '#c05000'
    } else {
        do for [w = 0:3] {
            set arrow 1 + w from 65, 8 + 16 * w to 69, 8 + 16 * w \
                lc rgb '#00755a'
        }
        set label 9 'the maximum, the sum and the O of a row' at 32, 86 \
            center font ',13' tc rgb '#00755a'
        set label 10 'stay in the registers of one warp' at 32, 93 \
            center font ',13' tc rgb '#00755a'
    }
    # Warp w has columns of S with sliced-K, and rows of S with split-Q.
    from(w, has) = has ? 16 * w : 0
    to(w, has) = has ? 16 * w + 16 : 64
    mid(w, has) = 0.5 * (from(w, has) + to(w, has))
    plot '+' using (mid($0, k == 1)):(mid($0, k == 2)):(from($0, k == 1)):\
             (to($0, k == 1)):(from($0, k == 2)):(to($0, k == 2)):($0) \
             with boxxyerror lc palette fs solid border lc rgb '#666666', \
         '+' using (mid($0, k == 1)):(mid($0, k == 2)):\
             (sprintf('warp %d', $0)) with labels font ',13'
}
unset multiplot
