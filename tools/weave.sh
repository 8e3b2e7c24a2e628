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
#   fail COMMAND         the same, but it must fail
#   markdown COMMAND     what it prints, as Markdown: a table
#   diff NN STEP         the step beside the one before it, as make diff-NN does
#
# Commands run at the top of the project with all programs built; ./run is the
# program of the page's chapter, or of NN after `make chapter-NN && `, and
# build/ is $BUILD. Times that end a line are those of docs/results/times.tsv,
# or with RECORD=1 are written there.
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

# The program that ./run stands for: chapter NN's.
program_of() {
    for program in "$build/$1"_*/run; do
        [ -x "$program" ] && echo "$program" && return
    done
    echo "$page: there is no program of chapter $1" >&2
    return 1
}

# The command as it is run: `./run` by the path of the program it stands for.
resolve() {
    words=$1
    number=$(basename "$page")
    number=${number%%_*}
    case $words in
    "make chapter-"??" && ./run"*)
        number=${words#make chapter-}
        number=${number%% *}
        words=${words#*&& }
        ;;
    esac
    case $words in
    ./run | "./run "*)
        program=$(program_of "$number") || return 1
        echo "$program${words#./run}"
        ;;
    build/*) echo "$build/${words#build/}" ;;
    *" build/"*) echo "${words%% build/*} $build/${words#* build/}" ;; # A=b
    *) echo "$words" ;;
    esac
}

language() {
    case $1 in
    *.c | *.h) echo c ;;
    *.cu | *.cuh) echo cuda ;;
    *.cpp) echo cpp ;;
    *.sh | *.ci/run) echo sh ;;
    *.py) echo python ;;
    *.awk) echo awk ;;
    *.gp) echo gnuplot ;;
    *.mk | Makefile) echo make ;;
    *) echo text ;;
    esac
}

# code PATH [ANCHOR]: dedented, other anchors' lines left out.
code() {
    [ -f "$1" ] || { echo "$1: no such file" >&2; return 1; }
    awk -v path="$1" -v anchor="${2-}" '
        BEGIN {
            begin = "ANCHOR: " anchor "( |$)"
            end = "ANCHOR_END: " anchor "( |$)"
            inside = anchor == ""
        }
        anchor != "" && $0 ~ begin { inside = 1; found++; next }
        anchor != "" && $0 ~ end { inside = 0; ended++; next }
        !inside || /ANCHOR(_END)?: / { next }
        {
            line[++n] = $0
            match($0, /^ */)
            if ($0 != "" && (least == "" || RLENGTH < least))
                least = RLENGTH
        }
        END {
            if (anchor != "" && (found != 1 || ended != 1)) {
                print path ": needs ANCHOR: " anchor " and ANCHOR_END: " \
                    anchor ", once each" >"/dev/stderr"
                exit 1
            }
            for (i = 1; i <= n; i++)
                print substr(line[i], least + 1)
        }' "$1"
}

# bite PATH | A | B: dedented; comments that name an anchor left out.
bite() {
    path=${1%% | *}
    first=${1#* | }
    last=${first#* | }
    first=${first%% | *}
    [ -f "$path" ] || { echo "$path: no such file" >&2; return 1; }
    FIRST=$first LAST=$last awk -v path="$path" '
        /ANCHOR(_END)?: / { next }
        !n && !index($0, ENVIRON["FIRST"]) { next }
        {
            line[++n] = $0
            match($0, /^ */)
            if ($0 != "" && $0 !~ /^#pragma/ && (least == "" || RLENGTH < least))
                least = RLENGTH
        }
        index($0, ENVIRON["LAST"]) { ended = 1; exit }
        END {
            if (!ended || n > 12) {
                print path ": " (!n ? "no line has " ENVIRON["FIRST"] : \
                    !ended ? "no line below has " ENVIRON["LAST"] : \
                    "a bite of " n " lines, 12 allowed: " ENVIRON["FIRST"]) \
                    >"/dev/stderr"
                exit 1
            }
            for (i = 1; i <= n; i++)
                print line[i] ~ /^#pragma/ ? line[i] : substr(line[i], least + 1)
        }' "$path"
}

# said MUST COMMAND: its output, if it ends as it must (succeed or fail).
said() {
    command=$(resolve "$2") || return 1
    sh -c "$command" >"$tmp/said" 2>&1 </dev/null
    status=$?
    case $1:$status in
    succeed:0) ;;
    succeed:* | fail:0)
        cat "$tmp/said" >&2
        echo "exit $status: $2" >&2
        return 1
        ;;
    esac
    sed 's/[ 	]*$//' "$tmp/said" | # a blank and a tab
        awk -v command="$2" -v file="${TIMES:-docs/results/times.tsv}" \
            -v record="${RECORD-}" -f tools/times.awk
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

fence() {
    echo '```'"$1"
    cat
    echo '```'
}

# make_block KIND ARGUMENTS: writes $tmp/body.
make_block() {
    kind=$1
    arguments=$2
    case $kind in
    code)
        # shellcheck disable=SC2086 # two words
        code $arguments >"$tmp/text" || return 1
        language=$(language "${arguments%% *}")
        ;;
    bite)
        bite "$arguments" >"$tmp/text" || return 1
        language=$(language "${arguments%% *}")
        ;;
    lines)
        ranges=${arguments%% *}
        arguments=${arguments#* }
        said succeed "$arguments" >"$tmp/all" || return 1
        chosen "$ranges" <"$tmp/all" >"$tmp/output" || return 1
        { echo "\$ $arguments" && cat "$tmp/output"; } >"$tmp/text"
        language=text
        ;;
    run | fail)
        must=succeed
        [ "$kind" = fail ] && must=fail
        said $must "$arguments" >"$tmp/output" || return 1
        [ -s "$tmp/output" ] || return 2
        { echo "\$ $arguments" && cat "$tmp/output"; } >"$tmp/text"
        language=text
        ;;
    markdown) said succeed "$arguments" >"$tmp/text" || return 1 ;;
    diff)
        # shellcheck disable=SC2086 # two words
        sh tools/stepdiff.sh $arguments >"$tmp/text" || return 1
        language='diff'
        ;;
    *)
        echo "weave $kind: unknown (code, bite, run, lines, fail, markdown or diff)" >&2
        return 1
        ;;
    esac
    [ -s "$tmp/text" ] || return 2
    if [ "$kind" = markdown ]; then
        cat "$tmp/text"
    else
        fence "$language" <"$tmp/text"
    fi >"$tmp/body"
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
        /^<!-- end -->$/ && !fence {
            if (!inside) bad("an end without a weave line")
            inside = 0
            next
        }
        !inside && /^(```|~~~)/ { fence = !fence }
        END { if (inside && !failed) bad("a block without its end") }
    ' "$1" >"$tmp/blocks" || return 1

    rm -f "$tmp"/block.*
    while read -r line kind arguments; do
        make_block "$kind" "$arguments"
        case $? in
        0) mv "$tmp/body" "$tmp/block.$line" ;;
        2) echo "$1:$line: the block is empty" >&2 && return 1 ;;
        *) echo "$1:$line: weave $kind $arguments: failed" >&2 && return 1 ;;
        esac
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
