#!/bin/sh
# tools/stepdiff.sh NN [STEP]: shows the main steps of chapter NN (with STEP that step,
# with ALL=1 all) compared with the step before: the kernel, and other parts between
# anchors that changed. The main steps are those in the chapter's top folder that change
# one thing, or else the first two. It prints the number of lines: `+42 -25, of which
# algorithm 14`. It checks all steps, also those that it does not show: a step changes
# at most 15 lines of algorithm, the larger of added and removed lines in the form of
# normal_form.awk. Exit 1 if a step changes more. tools/steps.txt has the order.
set -u
export LC_ALL=C
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh # printable

allowed=15
steps=tools/steps.txt
chapter=$1
only=${2-}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# parts FOLDER FILE: writes the lines between the file's anchors to FOLDER/ANCHOR, and
# the anchors' names in their order to FOLDER/names. An anchor inside another one is
# part of that one.
parts() {
    mkdir -p "$1" && rm -f "$1"/* && : >"$1/names"
    [ "$2" = - ] && return
    awk -v folder="$1" '
        /ANCHOR_END: / {
            sub(/.*ANCHOR_END: /, "")
            if ($1 == inside) inside = ""
            next
        }
        /ANCHOR: / {
            sub(/.*ANCHOR: /, "")
            if (inside == "") { inside = $1; print $1 >(folder "/names") }
            next
        }
        inside != "" { print >(folder "/" inside) }' "$2"
    [ -s "$1/kernel" ] || {
        echo "$2: no lines between ANCHOR: kernel and ANCHOR_END: kernel" >&2
        exit 1
    }
}

# changed_parts: writes the kernels of both steps and the parts that differ to
# $tmp/before and $tmp/after.
changed_parts() {
    : >"$tmp/before" && : >"$tmp/after"
    for part in $(grep -vxFf "$tmp/new/names" "$tmp/old/names") \
        $(cat "$tmp/new/names"); do
        [ "$part" != kernel ] && cmp -s "$tmp/old/$part" "$tmp/new/$part" &&
            continue
        for step_of in old:before new:after; do
            from=$tmp/${step_of%:*}/$part
            to=$tmp/${step_of#*:}
            [ -f "$from" ] || continue
            [ ! -s "$to" ] || echo >>"$to"
            cat "$from" >>"$to"
        done
    done
}

name_of() {
    basename "${1%.*}"
}

# anchors FILE: prints the words of the loop's comments: load, scores, update, finish.
anchors() {
    word='(load|scores|update|finish)'
    sed -n 's|.*/\* *||p' "$1" |
        grep -oE "^($word([^a-zA-Z_]|\$)[ ,]*(and )?)+" |
        grep -oE "$word" | tr '\n' ' '
}

# one_hunk: prints one unified hunk for both steps. A line whose indent changed is not
# marked, and has the new indent: so diff compares after with before, and awk swaps
# + and -.
one_hunk() {
    diff -b -U 1000 "$tmp/after" "$tmp/before" | awk '
        function flush() { printf "%s%s", removed, added; removed = added = "" }
        NR <= 3 { next }
        /^-/ { added = added "+" substr($0, 2) "\n"; next }
        /^[+]/ { removed = removed "-" substr($0, 2) "\n"; next }
        { flush(); print }
        END { flush() }'
}

# show BEFORE AFTER VERDICT: prints the hunk, in colours on a terminal that has them.
show() {
    colours=
    if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM-}" != dumb ]; then
        e=$(printf '\033[')
        colours="s/^@@.*/${e}36m&/; s/^-.*/${e}31m&/; s/^+.*/${e}32m&/"
        colours="$colours; s/$/${e}0m/"
    fi
    printf -- '--- %s\n+++ %s\n@@ %s @@\n' "$@" | cat - "$tmp/hunk" |
        sed "$colours"
}

# launches FILE: prints the number of kernels that a CUDA file launches.
launches() {
    grep -c '<<<.*>>>' "$1"
}

# changed_lines BEFORE AFTER: prints the larger of the numbers of added and removed
# lines of algorithm.
changed_lines() {
    for form in before after; do
        awk -v step="$(name_of "$1")" -f tools/normal_form.awk "$tmp/$form" \
            >"$tmp/$form.form"
        shift
    done
    diff "$tmp/before.form" "$tmp/after.form" | awk '
        /^[<>]/ { n[$1]++ }
        END { print (n[">"] > n["<"] ? n[">"] : n["<"]) + 0 }'
}

grep "^${chapter}_[^ ]*/${only:-[^ /]*}[.]c" "$steps" >"$tmp/steps" || {
    echo "$(printable "$only"): no such step of chapter $chapter in $steps" >&2
    exit 1
}
# The names of the main steps.
main=$(awk '$1 ~ "^[^/]*/[^/]*$" {
        door[++n] = $1
        if ($3 == "one" || $3 == "first") { print $1; found = 1 }
    }
    END { if (!found) print door[1] "\n" door[2] }' "$tmp/steps")
is_shown() {
    [ "$only" ] || [ "${ALL-}" ] || echo "$main" | grep -qxF "$1"
}
failed=0
hidden=0
while read -r step before rule; do
    parts "$tmp/new" "$step"
    parts "$tmp/old" "$before"
    changed_parts
    # A step that calls the step before removes nothing of it.
    [ "$rule" = calls ] && : >"$tmp/before"
    one_hunk >"$tmp/hunk"
    lines=$(changed_lines "$before" "$step")
    verdict="+$(grep -c '^+' "$tmp/hunk") -$(grep -c '^-' "$tmp/hunk"),\
 of which algorithm $lines"

    error=
    case $rule in
    first) before=/dev/null verdict="the first step" ;;
    one | calls)
        [ "$lines" -le "$allowed" ] || error="$verdict, and $allowed allowed"
        [ "$rule" = one ] || verdict="$verdict; it calls $(name_of "$before")"
        [ "$rule" = one ] || grep -q "$(name_of "$before")(" "$tmp/after" ||
            error="does not call $(name_of "$before")"
        ;;
    anchors)
        old=$(anchors "$tmp/old/kernel")
        new=$(anchors "$tmp/new/kernel")
        verdict="$verdict; another subject, the same loop: $new"
        verdict=${verdict% }
        # In CUDA, fusing changes the number of launches.
        case $before:$step in
        *.cu:*.cu)
            [ "$(launches "$before")" -eq "$(launches "$step")" ] ||
                verdict="$verdict; launches: $(launches "$before") become \
$(launches "$step")"
            ;;
        esac
        [ "$old" = "$new" ] && [ -n "$new" ] ||
            error="anchors ${new:-none }differ from ${old:-none }of $before"
        ;;
    exempt) verdict="$verdict; a new shape" ;;
    *) error="rule $rule is none of first, one, calls, anchors, exempt" ;;
    esac
    if is_shown "$step"; then
        show "$before" "$step" "$verdict"
        [ "$only" ] || echo
    else
        hidden=$((hidden + 1))
    fi
    [ -z "$error" ] || { echo "$step: $error" >&2; failed=1; }
done <"$tmp/steps"

# A kernel that is not in the list would never be compared.
for file in $(find "$chapter"_* -name exercise -prune -o \( -name '*.c' -o \
    -name '*.cu' \) -exec grep -l 'ANCHOR: kernel' {} + | sort); do
    grep -q "^$file " "$steps" && continue
    echo "$file: a kernel that $steps does not name" >&2
    failed=1
done
[ "$failed" -eq 0 ] ||
    echo "next: make two steps of it, or change the rule in $steps" >&2
[ "$hidden" -eq 0 ] ||
    echo "$hidden more are checked, not shown: ALL=1 shows them, STEP=NAME one."
[ "$only" ] ||
    echo "Algorithm leaves out declarations, first values, loads and stores."
exit $failed
