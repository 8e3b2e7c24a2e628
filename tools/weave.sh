#!/bin/sh
# tools/weave.sh [-d DIR] PAGE...: fills the woven blocks of Markdown pages in
# place, or into DIR/PAGE. A block stands between two lines,
#
#     <!-- weave KIND ARGUMENTS -->
#     <!-- end -->
#
# and what was between them is replaced by
#
#   code PATH [ANCHOR]   the lines between ANCHOR: and ANCHOR_END: (or the file)
#   bite PATH | A | B    the lines from the first that has the text A to the
#                        next that has B, at most 12; without B: A's line
#   run COMMAND          `$ COMMAND` and what it prints; it must succeed
#   lines A-B,... COMMAND  the same, but only these lines of what it prints
#   markdown COMMAND     what it prints, as Markdown: a table
#   diff NN STEP         the step beside the one before it, as make diff-NN does
#
# Commands run at the top of the project with all programs built; build/ is
# $BUILD. Times that end a line are those of docs/results/times.tsv, or with
# RECORD=1 are written there.
# If any block fails, or is empty, its page stays as it was: exit 1.
set -u

LC_ALL=C NO_COLOR=1 COLUMNS=80
export LC_ALL NO_COLOR COLUMNS

directory=
if [ "${1-}" = -d ]; then
    directory=$2
    shift 2
fi
build=${BUILD:-build}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

language() {
    case $1 in
    *.c | *.h) echo c ;;
    *.cu | *.cuh) echo cuda ;;
    *.gp) echo gnuplot ;;
    *.mk | Makefile) echo make ;;
    *.*) echo "${1##*.}" ;;
    *) echo text ;;
    esac
}

# piece PATH FIRST LAST MOST: the lines from the first that has FIRST to the
# next that has LAST, at most MOST (0: those between them, of any number; the
# whole file where FIRST is empty). Dedented, and without anchors' lines.
piece() {
    [ -f "$1" ] || { echo "$1: no such file" >&2; return 1; }
    FIRST=$2 LAST=$3 awk -v path="$1" -v most="$4" '
        BEGIN { first = ENVIRON["FIRST"]; last = ENVIRON["LAST"] }
        !most && last != "" && ($0 " ") ~ last "[ */]" { ended++; inside = 0 }
        !most && first != "" && ($0 " ") ~ first "[ */]" { begun++; inside = 1 }
        /ANCHOR(_END)?: / { next }
        most && !begun && index($0, first) { begun = inside = 1 }
        !inside && first != "" { next }
        {
            line[++n] = $0
            match($0, /^ */)
            if ($0 != "" && $0 !~ /^#pragma/ && (least == "" || RLENGTH < least))
                least = RLENGTH
        }
        most && index($0, last) { ended = 1; exit }
        END {
            if (first != "" && (begun != 1 || ended != 1))
                wrong = "needs, once each and in this order: " first ", " last
            else if (most && n > most)
                wrong = "has " n " lines, and " most " allowed, from " first
            if (wrong != "") {
                print path ": " wrong >"/dev/stderr"
                exit 1
            }
            for (i = 1; i <= n; i++)
                print line[i] ~ /^#pragma/ ? line[i] : substr(line[i], least + 1)
        }' "$1"
}

# said COMMAND: its output, if it succeeds.
said() {
    command=$(printf '%s\n' "$1" | sed "s|^build/|$build/|; s| build/| $build/|")
    sh -c "$command" >"$tmp/said" 2>&1 </dev/null || {
        echo "exit $?: $1" >&2
        cat "$tmp/said" >&2
        return 1
    }
    sed 's/[ 	]*$//' "$tmp/said" | # a blank and a tab
        awk -v command="$1" -v file="${TIMES:-docs/results/times.tsv}" \
            -v record="${RECORD-}" -f tools/times.awk
}

# chosen A-B,...: these lines, with ... for those between them and after; all of
# them where none are named.
chosen() {
    awk -v ranges="$1" '
        BEGIN {
            n = split(ranges, range, ",")
            for (r = 1; r <= n; r++) {
                split(range[r], end, "-")
                for (i = end[1] + 0; i <= end[2] + 0; i++)
                    wanted[i] = most = i
            }
        }
        ranges == "" || NR in wanted { print; dots = 0; next }
        !dots++ { print "..." }
        END { exit ranges != "" && (!most || NR < most) }'
}

# make_block KIND ARGUMENTS: writes $tmp/body.
make_block() {
    kind=$1
    arguments=$2
    language=text
    case $kind in
    code)
        path=${arguments%% *}
        anchor=${arguments#"$path"}
        piece "$path" "${anchor:+ANCHOR:$anchor}" \
            "${anchor:+ANCHOR_END:$anchor}" 0
        ;;
    bite)
        path=${arguments%% | *}
        last=${arguments#* | }
        piece "$path" "${last%% | *}" "${last#* | }" 12
        ;;
    run | lines)
        ranges=
        [ "$kind" = run ] || ranges=${arguments%% *} arguments=${arguments#* }
        said "$arguments" >"$tmp/all" && [ -s "$tmp/all" ] || return 1
        echo "\$ $arguments"
        chosen "$ranges" <"$tmp/all"
        ;;
    markdown) said "$arguments" ;;
    diff)
        # shellcheck disable=SC2086 # two words
        sh tools/stepdiff.sh $arguments
        ;;
    *)
        echo "weave $kind: unknown (code, bite, run, lines, markdown, diff)" >&2
        return 1
        ;;
    esac >"$tmp/text" || return 1
    [ -s "$tmp/text" ] || return 1
    case $kind in
    code | bite) language=$(language "$path") ;;
    diff) language='diff' ;;
    markdown) mv "$tmp/text" "$tmp/body" && return ;;
    esac
    { echo '```'"$language" && cat "$tmp/text" && echo '```'; } >"$tmp/body"
}

# weave PAGE TARGET
weave() {
    # Where the blocks are; a marker inside another fence is only an example.
    awk -v page="$1" '
        function bad(what) {
            print page ":" NR ": " what >"/dev/stderr"
            failed = 1
            exit 1
        }
        /^<!-- weave .* -->$/ && !fence {
            if (inside) bad("a block begins inside another")
            inside = NR
            sub(/^<!-- weave /, ""); sub(/ -->$/, "")
            print NR, $0
            next
        }
        # What the book leaves out, or shows in another way.
        /^<!-- (book stepper .*|outside the book) -->$/ && !fence { book = NR }
        /^<!-- end -->$/ && !fence {
            if (!inside && !book) bad("an end without a weave line")
            inside = book = 0
            next
        }
        !inside && /^(```|~~~)/ { fence = !fence }
        END { if (inside && !failed) bad("a block without its end") }
    ' "$1" >"$tmp/blocks" || return 1

    rm -f "$tmp"/block.*
    while read -r line kind arguments; do
        make_block "$kind" "$arguments" || {
            echo "$1:$line: weave $kind $arguments: failed, or empty" >&2
            return 1
        }
        mv "$tmp/body" "$tmp/block.$line"
    done <"$tmp/blocks"

    awk -v blocks="$tmp/block." '
        inside && /^<!-- end -->$/ { inside = 0 }
        !inside { print }
        /^<!-- weave .* -->$/ && !inside {
            file = blocks NR
            if ((getline text <file) > 0) {
                inside = 1
                do print text
                while ((getline text <file) > 0)
                close(file)
            }
        }' "$1" >"$tmp/page" || return 1

    # In place only what changed, so that make and editors see no more.
    cmp -s "$tmp/page" "$2" && return 0
    cp "$tmp/page" "$2.part" && mv "$2.part" "$2"
}

failures=0
for page in "$@"; do
    target=$page
    if [ -n "$directory" ]; then
        target=$directory/$page
        mkdir -p "$(dirname "$target")"
        rm -f "$target"
    fi
    weave "$page" "$target" || failures=$((failures + 1))
done
[ "$failures" -eq 0 ]
