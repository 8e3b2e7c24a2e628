#!/bin/sh
# tools/stepdiff.sh NN [STEP]: shows each kernel of chapter NN (or that one)
# beside the step before it, and checks that one step is one change: at most
# 15 lines, the larger of added and removed, counted as normal_form.awk leaves
# them. Exit 1 if a step has more. The steps' order is in tools/steps.txt.
set -u
LC_ALL=C
export LC_ALL

allowed=15
steps=${STEPS_FILE:-tools/steps.txt}
chapter=$1
only=${2-}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

colour=false
[ -t 1 ] && [ -z "${NO_COLOR-}" ] && colour=true

# The kernel as it stands in the file, without the anchor lines.
kernel() {
    sed -n '/ANCHOR: kernel/,/ANCHOR_END: kernel/p' "$1" |
        sed '/ANCHOR/d' >"$2"
    [ -s "$2" ] || {
        echo "$1: no lines between ANCHOR: kernel and ANCHOR_END: kernel" >&2
        exit 1
    }
}

name_of() {
    name=${1##*/}
    echo "${name%.*}"
}

# The loop's anchors, in their order: the words that a comment begins with.
anchors() {
    awk '
        /\/\*/ {
            sub(/^.*\/\* */, "")
            while (match($0, /^(load|scores|update|finish)/)) {
                word = substr($0, 1, RLENGTH)
                $0 = substr($0, RLENGTH + 1)
                if ($0 ~ /^[a-zA-Z_]/)
                    break
                printf "%s ", word
                sub(/^[ ,]*(and )?/, "")
            }
        }' "$1"
}

# show BEFORE AFTER VERDICT: one unified hunk over both kernels. Lines moved
# sideways only are not marked; such a line is shown as it is now, and for
# that diff is asked the other way round and its answer turned over.
show() {
    echo "--- $1"
    echo "+++ $2"
    echo "@@ $3 @@"
    diff -b -U 1000 "$tmp/after" "$tmp/before" | awk '
        function flush() { printf "%s%s", removed, added; removed = added = "" }
        NR <= 3 { next }
        /^-/ { added = added "+" substr($0, 2) "\n"; next }
        /^[+]/ { removed = removed "-" substr($0, 2) "\n"; next }
        { flush(); print }
        END { flush() }'
}

paint() {
    "$colour" || { cat; return; }
    awk '
        /^@@/  { print "\033[36m" $0 "\033[0m"; next }
        /^-/   { print "\033[31m" $0 "\033[0m"; next }
        /^[+]/ { print "\033[32m" $0 "\033[0m"; next }
        { print }'
}

# The lines that count, counted: the larger of added and removed. A step that
# calls the step before has removed nothing: it stands whole, elsewhere.
changed_lines() {
    awk -v step="$(name_of "$1")" -f tools/normal_form.awk "$1" >"$tmp/old"
    [ "$rule" = calls ] && : >"$tmp/old"
    awk -v step="$(name_of "$2")" -f tools/normal_form.awk "$2" >"$tmp/new"
    diff "$tmp/old" "$tmp/new" | awk '
        /^</ { removed++ }
        /^>/ { added++ }
        END { print (added > removed ? added : removed) + 0 }'
}

failures=0
shown=0
while read -r step before rule; do
    case $step in
    '' | '#'*) continue ;;
    "$chapter"_*/*) ;;
    *) continue ;;
    esac
    [ -z "$only" ] || [ "$only" = "$(name_of "$step")" ] || continue

    [ "$shown" -gt 0 ] && echo
    shown=$((shown + 1))
    for file in "$step" "$before"; do
        [ "$file" = - ] || [ -f "$file" ] || {
            echo "$steps: $file: no such file" >&2
            exit 1
        }
    done
    kernel "$step" "$tmp/after"
    if [ "$rule" = first ]; then
        : >"$tmp/before"
        show /dev/null "$step" "the first step" | paint
        continue
    fi
    kernel "$before" "$tmp/before"

    error=
    case $rule in
    one)
        lines=$(changed_lines "$before" "$step")
        verdict="$lines lines changed, $allowed allowed"
        [ "$lines" -le "$allowed" ] || error="$verdict"
        ;;
    calls)
        lines=$(changed_lines "$before" "$step")
        verdict="calls $(name_of "$before"); $lines lines, $allowed allowed"
        [ "$lines" -le "$allowed" ] || error="$verdict"
        grep -q "$(name_of "$before")(" "$tmp/after" ||
            error="does not call $(name_of "$before")"
        : >"$tmp/before"
        ;;
    anchors)
        old=$(anchors "$tmp/before")
        new=$(anchors "$tmp/after")
        verdict="another subject, the same loop: $new"
        verdict=${verdict% }
        [ "$old" = "$new" ] && [ -n "$new" ] ||
            error="anchors ${new:-none }differ from ${old:-none }of $before"
        ;;
    exempt) verdict="a new shape, not counted" ;;
    *)
        echo "$steps: $step: rule $rule is none of" \
            "first, one, calls, anchors, exempt" >&2
        exit 1
        ;;
    esac
    show "$before" "$step" "$verdict" | paint
    if [ -n "$error" ]; then
        echo "$step: $error" >&2
        failures=$((failures + 1))
    fi
done <"$steps"

# A kernel that the list doesn't name would never be compared.
for file in "$chapter"_*/*.c "$chapter"_*/*.cu; do
    if [ -f "$file" ] && grep -q 'ANCHOR: kernel' "$file" &&
        ! grep -q "^$file " "$steps"; then
        echo "$file: a kernel that $steps does not name" >&2
        failures=$((failures + 1))
    fi
done
if [ -n "$only" ] && [ "$shown" -eq 0 ]; then
    echo "$only: no such step of chapter $chapter in $steps" >&2
    exit 1
fi
[ "$failures" -eq 0 ]
