# Which lane holds what, which warp computes what, and how a copy travels while
# something else is done: three pictures for chapter 07. docs/pictures.md says
# what they show.

unset border
unset tics
unset colorbox
set palette defined (0 '#ffffff', 1 '#e4eef5', 2 '#56B4E9')
set cbrange [0:2]
LANE = 13

# --- lanes -------------------------------------------------------------------
eval picture('_lanes', 860, 470)
set multiplot title 'The lane that gets a score is the lane that must hold the \
weight' font ',16'
set xrange [-0.6:16]
set yrange [16.6:-1.8]
eval heights(0.06, 0.88)
shade(lane) = lane == LANE ? 2 : int(lane / 4) % 2
do for [k = 1:2] {
    eval sides(0.02 + 0.5 * (k - 1), 0.49 + 0.5 * (k - 1))
    unset label
    unset arrow
    set label 1 k == 1 ? 'S = Q K^T: two tiles of 8 keys come out' : \
        'P V: the 16 keys of P go in' at 8, -1.3 center
    set label 2 k == 1 ? '8 keys' : '16 keys' at k == 1 ? 4 : 8, -0.4 center font ',12'
    set label 3 k == 1 ? '8 keys' : '' at 12, -0.4 center font ',12'
    set label 4 '16 queries' at -0.4, 8 center rotate by 90 font ',12'
    if (k == 1) {
        set arrow 1 from 8, 0 to 8, 16 nohead lw 3 lc rgb '#444444' front
    }
    plot rows(k == 1 ? '$1 == "out"' : '$1 == "in"') using ($3 + 0.5):($2 + 0.5):3:($3 + 1):2:\
             ($2 + 1):(shade($4)) with boxxyerror lc palette lw 0.5 \
             fs solid border lc rgb '#999999', \
         rows(k == 1 ? '$1 == "out"' : '$1 == "in"') using ($3 + 0.5):($2 + 0.5):4 \
             with labels font ',11'
}
unset multiplot

# --- warps -------------------------------------------------------------------
eval picture('_warps', 860, 380)
set multiplot title 'Four warps and a tile of S: who takes what?' font ',16'
set palette defined (0 '#cfe5f4', 1 '#f7dcae', 2 '#c9e7dc', 3 '#eed3e2')
set cbrange [0:3]
set xrange [-6:70]
set yrange [104:-14]
eval heights(0.02, 0.92)
do for [k = 1:2] {
    eval sides(0.02 + 0.5 * (k - 1), 0.48 + 0.5 * (k - 1))
    unset label
    unset arrow
    set label 1 k == 1 ? 'sliced-K: to each warp a slice of the keys' : \
        'split-Q: to each warp its own queries' at 32, -10 center
    set label 2 '64 keys' at 32, -3 center font ',12'
    set label 3 '64 queries' at -3, 32 center rotate by 90 font ',12'
    if (k == 1) {
        do for [w = 0:3] {
            set arrow 1 + w from 8 + 16 * w, 65 to 32, 80 lc rgb '#c05000'
        }
        set label 9 'four maxima of each row, four parts of P V:' at 32, 86 \
            center font ',13' tc rgb '#c05000'
        set label 10 'they meet in shared memory, with barriers' at 32, 93 \
            center font ',13' tc rgb '#c05000'
    } else {
        do for [w = 0:3] {
            set arrow 1 + w from 65, 8 + 16 * w to 69, 8 + 16 * w \
                lc rgb '#00755a'
        }
        set label 9 'a row is one warp’s: its maximum, its sum' at 32, 86 \
            center font ',13' tc rgb '#00755a'
        set label 10 'and its O stay in that warp’s registers' at 32, 93 \
            center font ',13' tc rgb '#00755a'
    }
    warps = rows(sprintf('$1 == "warp" && $2 == "%s"', \
        k == 1 ? 'sliced_k' : 'split_q'))
    plot warps using (0.5 * ($5 + $6)):(0.5 * ($3 + $4)):5:6:3:4:7 \
             with boxxyerror lc palette fs solid border lc rgb '#666666', \
         warps using (0.5 * ($5 + $6)):(0.5 * ($3 + $4)):\
             (sprintf('warp %d', $7)) with labels font ',13'
}
unset multiplot

# --- a pipeline --------------------------------------------------------------
eval picture('_pipeline', 860, 330)
set title 'One place for a tile, or two: what can be done at the same time'
unset lmargin
unset rmargin
unset tmargin
unset bmargin
set xrange [-2.6:12.6]
set yrange [9.4:-0.6]
unset label
unset arrow
unset object
# Above: copy, multiply, copy, multiply. Below, with two places: the next copy
# beside the product.
do for [k = 0:1] {
    y = 4 * k
    set label 100 + 3 * k word('swizzle cp.async', k + 1) at -2.5, y + 0.9 \
        font ',14'
    set label 101 + 3 * k 'copies' at -0.1, y + 0.9 right font ',12'
    set label 102 + 3 * k 'products' at -0.1, y + 2.1 right font ',12'
    do for [j = 0:2] {
        n = 20 * k + j
        x = (k == 0 ? 4 : 2) * j
        set object 1 + n rectangle from x, y + 0.4 to x + 2, y + 1.4 \
            fc rgb n == 21 ? '#8fc4e8' : '#cfe5f4' fs solid border lc rgb '#666666'
        set object 11 + n rectangle from x + 2, y + 1.6 to x + 4, y + 2.6 \
            fc rgb '#f7dcae' fs solid border lc rgb '#666666'
        set label 1 + n sprintf('tile %d', j) at x + 1, y + 0.9 center font ',12'
        set label 11 + n sprintf('tile %d', j) at x + 3, y + 2.1 center font ',12'
        do for [m = 0:1 - k] {
            set arrow 1 + n + 10 * m from x + 2 + 2 * m, y + 0.1 \
                to x + 2 + 2 * m, y + 2.9 nohead lw 2 lc rgb '#c05000'
        }
    }
}
set label 106 'second place: darker' at 7, 4.9 left font ',12' \
    tc rgb '#555555'
set label 107 'time, not to scale →' at 0, 8 font ',12' tc rgb '#555555'
set label 108 'a barrier of all threads' at 4.6, 8 font ',12' tc rgb '#c05000'
plot NaN
