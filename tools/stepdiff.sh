#!/bin/sh
# tools/stepdiff.sh NN [STEP]: shows steps of chapter NN as a diff from the step before
# (tools/steps.txt). By default it shows the main steps: the steps in the chapter's top
# folder with the rule `one` or `first`, or if there is none, the first two. With STEP it
# shows and checks only that step, with ALL=1 it shows all steps.
#
# It checks the rules of steps.txt. `one` and `calls` allow 15 changed lines of algorithm:
# the larger number of added or removed lines in the form of normal_form.awk. The script
# exits with 1 after an error.
set -u
export LC_ALL=C
. tools/exercise_lib.sh # for printable

allowed=15
steps=tools/steps.txt
chapter=$1
only=${2-}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# parts FOLDER FILE: writes the lines of each anchor to FOLDER/ANCHOR, and the anchors'
# names to FOLDER/names. A nested anchor belongs to the outer anchor.
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

# changed_parts: writes the kernels and the changed parts to $tmp/before and $tmp/after.
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

# anchors FILE: prints the words load, scores, update and finish of the loop's comments.
anchors() {
    word='(load|scores|update|finish)'
    sed -n 's|.*/\* *||p' "$1" |
        grep -oE "^($word([^a-zA-Z_]|\$)[ ,]*(and )?)+" |
        grep -oE "$word" | tr '\n' ' '
}

# one_hunk: prints one unified hunk. A line whose indent changed is not marked. `diff
# -b` prints the first file's indent, so its first file is `after`, and awk swaps + and
# -.
one_hunk() {
    diff -b -U 1000 "$tmp/after" "$tmp/before" | awk '
        function flush() { printf "%s%s", removed, added; removed = added = "" }
        NR <= 3 { next }
        /^-/ { added = added "+" substr($0, 2) "\n"; next }
        /^[+]/ { removed = removed "-" substr($0, 2) "\n"; next }
        { flush(); print }
        END { flush() }'
}

# show BEFORE AFTER VERDICT: prints the hunk, with colours if the output is a terminal.
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

launches() {
    grep -c '<<<.*>>>' "$1"
}

# changed_lines BEFORE AFTER: prints the number of changed lines of algorithm.
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
# $main has the paths of the main steps.
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
    # A step that calls the step before does not repeat its kernel, so no line counts as
    # removed.
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
            error="must call $(name_of "$before") by its rule"
        ;;
    anchors)
        old=$(anchors "$tmp/old/kernel")
        new=$(anchors "$tmp/new/kernel")
        verdict="$verdict; another subject, the same loop: $new"
        verdict=${verdict% }
        # In CUDA a fused step has fewer launches.
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
    *) error="$rule: unknown rule; allowed: first, one, calls, anchors, exempt" ;;
    esac
    if is_shown "$step"; then
        show "$before" "$step" "$verdict"
        [ "$only" ] || echo
    else
        hidden=$((hidden + 1))
    fi
    [ -z "$error" ] || { echo "$step: $error" >&2; failed=1; }
done <"$tmp/steps"

# A kernel that is not in steps.txt would never be compared.
for file in $(find "$chapter"_* -name exercise -prune -o \( -name '*.c' -o \
    -name '*.cu' \) -exec grep -l 'ANCHOR: kernel' {} + | sort); do
    grep -q "^$file " "$steps" && continue
    echo "$file: has a kernel, but is not in $steps" >&2
    failed=1
done
[ "$failed" -eq 0 ] ||
    echo "next: split the step in two, or change its rule in $steps" >&2
[ "$hidden" -eq 0 ] ||
    echo "$hidden more steps are checked but not shown: ALL=1 shows all, STEP=NAME one."
[ "$only" ] ||
    echo "Lines of algorithm exclude declarations, initial values, loads and stores."
exit $failed
