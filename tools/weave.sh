#!/bin/sh
# tools/weave.sh [-d DIR] PAGE...: fills the woven blocks of Markdown pages in
# place, or into DIR/PAGE. A block stands between two lines,
#
#     <!-- weave KIND ARGUMENTS -->
#     <!-- end -->
#
# and what was between them is replaced by
#
#   code PATH ANCHOR     the lines between ANCHOR: and ANCHOR_END:
#   bite PATH | A | B    the lines from the first that has the text A to the
#                        next that has B, at most 12; without B: A's line
#   run COMMAND          `$ COMMAND` and what it prints; it must succeed
#   lines A-B,... COMMAND  the same, but only these lines of what it prints
#   markdown COMMAND     what it prints, as Markdown: a table
#   diff NN STEP         the step beside the one before it, as make diff-NN does
#
# Commands run at the top of the project with all programs built; build/ is
# $BUILD. Times that end a line are those of docs/results/times.tsv, or are written
# there: in place those of a new step, with RECORD=1 and -d all of them.
# If any block fails, or is empty, its page stays as it was: exit 1.
set -u

export LC_ALL=C NO_COLOR=1 COLUMNS=80

directory=
record=new
if [ "${1-}" = -d ]; then
    directory=$2
    record=${RECORD:+all}
    shift 2
fi
build=${BUILD:-build}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# piece PATH FIRST LAST MOST: the lines from the first that has FIRST to the
# next that has LAST, at most MOST (0: those between these two anchors, of any
# number). Dedented, and without anchors' lines.
piece() {
    [ -f "$1" ] || { echo "$1: no such file" >&2; return 1; }
    FIRST=$2 LAST=$3 awk -v path="$1" -v most="$4" '
        BEGIN { first = ENVIRON["FIRST"]; last = ENVIRON["LAST"] }
        !most && ($0 " ") ~ last "[ */]" { ended++; inside = 0 }
        !most && ($0 " ") ~ first "[ */]" { begun++; inside = 1 }
        /ANCHOR(_END)?: / { next }
        most && !begun && index($0, first) { begun = inside = 1 }
        !inside { next }
        {
            line[++n] = $0
            match($0, /^ */)
            if ($0 != "" && $0 !~ /^#pragma/ && (least == "" || RLENGTH < least))
                least = RLENGTH
        }
        most && index($0, last) { ended = 1; exit }
        END {
            if (begun != 1 || ended != 1)
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

# said COMMAND: its output (tools/said.sh), with the times of the pages.
said() {
    command=$(printf '%s\n' "$1" | sed "s|^build/|$build/|; s| build/| $build/|")
    sh tools/said.sh "$command" >"$tmp/said" || return
    sed 's/[ 	]*$//' "$tmp/said" | # a blank and a tab
        awk -v command="$1" -v file="${TIMES:-docs/results/times.tsv}" \
            -v record="$record" -f tools/times.awk
}

# chosen A-B,...: these lines, with ... for those between them and after.
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
        NR in wanted { print; dots = 0; next }
        !dots++ { print "..." }
        END { exit !most || NR < most }'
}

# block KIND ARGUMENTS: prints what stands in such a block.
block() {
    kind=$1
    arguments=$2
    word=${arguments%% *}
    rest=${arguments#* }
    last=${arguments#* | }
    language=text
    case $kind in
    code | bite) # .h is C; .cu and .cuh are CUDA
        language=$(echo "${word##*.}" | sed 's/^h$/c/; s/^cuh*$/cuda/') ;;
    diff) language='diff' ;;
    esac
    case $kind in
    code) piece "$word" "ANCHOR: $rest" "ANCHOR_END: $rest" 0 ;;
    bite) piece "$word" "${last%% | *}" "${last#* | }" 12 ;;
    run) echo "\$ $arguments" && said "$arguments" ;;
    lines)
        echo "\$ $rest"
        said "$rest" >"$tmp/all" && chosen "$word" <"$tmp/all"
        ;;
    markdown) said "$arguments" ;;
    diff) sh tools/stepdiff.sh "$word" "$rest" ;;
    *)
        echo "weave $kind: unknown (code, bite, run, lines, markdown, diff)" >&2
        return 1
        ;;
    esac >"$tmp/text" && [ -s "$tmp/text" ] || return 1
    [ "$kind" = markdown ] || echo '```'"$language"
    cat "$tmp/text"
    [ "$kind" = markdown ] || echo '```'
}

# woven PAGE: prints it with its blocks made anew. A marker inside another fence
# is only an example.
woven() {
    number=0
    begun= # the line of the marker whose end is still to come
    fence=
    skip= # what a block was before
    while IFS= read -r line; do
        number=$((number + 1))
        case $fence$line in
        '<!-- weave '*' -->')
            [ -z "$skip" ] || break
            begun=$number skip=1
            printf '%s\n' "$line"
            line=${line#<!-- weave }
            line=${line% -->}
            block "${line%% *}" "${line#* }" && continue
            echo "$1:$number: weave $line: failed, or empty" >&2
            return 1
            ;;
        '<!-- end -->')
            [ "$begun" ] || { begun=$number && break; }
            begun='' skip=''
            ;;
        '```'* | '~~~'*) [ "$skip" ] || fence='in a fence: ' ;;
        'in a fence: ```'* | 'in a fence: ~~~'*) fence= ;;
        esac
        [ "$skip" ] || printf '%s\n' "$line"
    done <"$1"
    [ -z "$begun" ] || {
        echo "$1:$begun: a block without its end, or an end alone" >&2
        return 1
    }
}

# What must be asked anew, first, on all processors.
[ "${RECORD-}" ] || sed -nE "/^<!-- weave (run|lines|markdown) .*build\// {
    s/^<!-- weave (run|lines [0-9,-]+|markdown) (.*) -->\$/\2/
    s|^build/|$build/|; s| build/| $build/|p
}" "$@" | sort -u | tr '\n' '\0' |
    xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN || echo 2)" \
        sh tools/said.sh >/dev/null 2>&1

failed=0
for page in "$@"; do
    target=${directory:+$directory/}$page
    mkdir -p "$(dirname "$target")"
    woven "$page" >"$tmp/page" || { failed=1; continue; }
    # In place only what changed, so that make and editors see no more.
    cmp -s "$tmp/page" "$target" && continue
    cp "$tmp/page" "$target.part" && mv "$target.part" "$target" || failed=1
done
exit $failed
