#!/bin/sh
# tools/test_plots.sh PLOT...: draws each PLOT of plot.sh with this system's gnuplot, also
# on a text terminal, and the plots of a user's own data. `make plots-check` runs it.
# shellcheck disable=SC2016 # `eval` expands the variables
set -u
. tools/tally.sh

build=${BUILD:-build}
export PLOTS="$tmp/plots"

# New functions in gnuplot 6. gnuplot refuses to define a function with such a name.
NEW='conj|round|cbrt|invigamma|invibeta|Ai|Bi|Bessel[IJKY]|Hankel[12]|LambertW|lnGamma|
Sign|zeta|uigamma|cerf|cdawson|erfi|VP|VP_fwhm|faddeeva|Fresnel[CS]|SynchrotronF|join|
split|index|rgbcolor'
NEW=$(echo "$NEW" | tr -d '\n')
for script in tools/*.gp docs/lab/*.gp 0[1-7]_*/*.gp 0[1-7]_*/*/*.gp; do
    must "$script defines no function that gnuplot 6 has" \
        not grep -nE "^ *($NEW)\([^()]*\) *=[^=~]" "$script"
done

# is_drawn COMMAND...: true if the command succeeds and writes complete pictures.
is_drawn() {
    rm -rf "$PLOTS"
    "$@" || return
    for picture in "$PLOTS"/*.svg; do
        grep -qE '<(path|rect|use)' "$picture" && tail -n 2 "$picture" | grep '</svg>' ||
            return
    done
}

# is_legible COMMAND...: true if the command prints lines of at most 80 columns without
# gnuplot's markup, and at least two numbers on a y axis.
is_legible() {
    PLOT=dumb "$@" >"$tmp/drawn" &&
        tr -d '\200-\277' <"$tmp/drawn" >"$tmp/said" &&
        not grep -E '.{81}|[{}]' "$tmp/said" &&
        [ "$(grep -cE '^ *[0-9.^e-]+ (\+|\|)' "$tmp/said")" -ge 2 ]
}

for plot in "$@"; do
    must "plot.sh draws $plot" is_drawn sh tools/plot.sh "$plot"
done
# Some systems have several kinds of awk.
for awk in gawk mawk original-awk; do
    for script in docs/lab/race.awk docs/lab/pipeline.awk; do
        table=${script##*/}
        table=$build/lab/${table%.awk}.tsv
        ! command -v $awk >/dev/null || [ ! -e "$table" ] || must "$awk runs $script" eval '$awk -f "$script" "$table" | grep "</svg>"'
    done
done
for chapter in 0[1-7]_*; do
    case " $* " in *" $chapter "*)
        must "$chapter is legible on a text terminal" is_legible \
            sh tools/plot.sh "$chapter"
        ;;
    esac
done

# --- own data: the options of plot-03 and plot-precision -----------------------

# of VARIABLE=VALUE...: draws the output of `flash precision` with these options.
of() {
    env REPEAT=1 "$@" sh tools/plot.sh docs/lab/loss.gp
}
# marks N: true if the picture of softmax has at least N marks.
marks() {
    [ "$(grep -o '<use ' "$PLOTS/loss_softmax.svg" | wc -l)" -ge "$1" ]
}
# has TEXT...: true if a picture has each text.
has() {
    for text in "$@"; do
        grep -hF ">$text<" "$PLOTS"/*.svg || return
    done
}
own="$tmp/my 'own' rows.npy"
must "flash writes rows of 3000 numbers" "$build/tools/flash/run" attention \
    --n 4 --nk 4 --d 8 --dv 3000 --out "$own"
must "an array whose name has blanks gives a curve for each step" eval \
    'is_drawn of LOSS=softmax TYPES=fp32 ROWS="file:$own" && marks 27'
must "the title is the name of the file, and the axis shows its lengths" \
    has "my own rows.npy, fp32" 3000 "scores in the row, n" safe_softmax
must "title, legend and axis of other rows are words" eval '
    is_drawn of LOSS=softmax N=64,1048576 TYPES=fp32,bf16 \
        ROWS=normal:0.25,sorted:4,uniform:2 &&
    has "normal, sigma 0.25" "sorted, sigma 4" "all steps, bf16" "safe_softmax, fp32" &&
    grep ">20<" "$PLOTS"/*.svg && not has 1048576'
must "attention is drawn over tile sizes" eval '
    is_drawn of LOSS=attention N=128 BC=1,16,64 D=16,32 TYPES=fp32,bf16 &&
    has "keys of a tile, Bc" "flash1, d 16, bf16"'
must "attention is drawn over lengths, and a step without bf16 in fp32 only" eval '
    is_drawn of LOSS=attention N=256,64,128 BC=8,16 TYPES=bf16,fp32 \
        STEPS=flash2_simd,flash1 && has "flash2_simd, Bc 8, fp32" "keys, N"'
for loss in softmax attention; do
    must "errors of $loss are legible on a text terminal" is_legible \
        of LOSS=$loss TYPES=fp32,bf16
done
# y_labels COMMAND...: prints the labels of the y axes on a text terminal.
y_labels() {
    PLOT=dumb "$@" | sed -nE 's/^ *([0-9.^e-]+) [+|].*/\1/p'
}
must "the labels of an axis of one decade differ" eval '
    y_labels of LOSS=attention N=128 ROWS=normal:1 >"$tmp/said" &&
    [ "$(wc -l <"$tmp/said")" -ge 3 ] && not sh -c "sort $tmp/said | uniq -d | grep ."'
must "without an error to draw the message says so, and there is no picture" eval '
    rm -rf "$PLOTS"
    not of LOSS=softmax N=1 >"$tmp/said" 2>&1 && not ls "$PLOTS"/*.svg &&
    grep "all errors are 0, NaN or infinite" "$tmp/said"'

# --- cards.gp ------------------------------------------------------------------

for card in one two; do
    {
        printf 'card\tstep\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\t-\t-\terror\n'
        printf '%s\tr\tbf16\t4\t16\t4096\t128\t0\t1.5\t90\t-\t-\t1e-3\n' $card
        printf '%s\tlast\tbf16\t4\t16\t4096\t128\t0\t1.2\t112\t-\t-\t1e-3\n' $card
    } >"$tmp/$card.tsv"
done
cards() {
    mkdir -p "$PLOTS"
    gnuplot -e "tables = '$tmp/one.tsv $tmp/two.tsv'; data = ''; out = '$PLOTS/cards'" \
        tools/prelude.gp 07_cuda/bench/cards.gp 2>&1 | grep -v 'degree sign' >"$tmp/said"
    [ ! -s "$tmp/said" ]
}
must "cards.gp draws the times of two cards" eval 'is_drawn cards && has one two last'
finish "fix the failed plots, then make plots-check"
