#!/bin/sh
# tools/stepdiff.sh NN [STEP]: shows the main steps of chapter NN (or that one,
# or with ALL=1 all) next to the step before: the kernel, and all else between
# anchors that changed. Main are those at the chapter's door that change one
# thing, or its first two. It says how many lines it shows, `+42 -25, of which
# algorithm 14`, and checks of all, shown or not, that one step is one change: at
# most 15 lines of algorithm, the larger of added and removed, as normal_form.awk
# leaves them. Exit 1 if a step has more. The steps' order is in tools/steps.txt.
set -u
export LC_ALL=C
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh # shown

allowed=15
steps=tools/steps.txt
chapter=$1
only=${2-}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# parts FOLDER FILE: what is between the file's anchors, each in a file
# NAME; in names their names, in their order. An anchor inside of another
# is a part of that one.
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

# what_changed: of both steps the kernel and the parts that are not the same in
# both, in $tmp/before and $tmp/after.
what_changed() {
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

# The loop's anchors, in their order: the words that a comment begins with.
anchors() {
    word='(load|scores|update|finish)'
    sed -n 's|.*/\* *||p' "$1" |
        grep -oE "^($word([^a-zA-Z_]|\$)[ ,]*(and )?)+" |
        grep -oE "$word" | tr '\n' ' '
}

# side_by_side: one unified hunk over both steps. Lines moved sideways only are not
# marked; such a line is shown as it is now, and for that diff is asked the
# other way round and its answer turned over.
side_by_side() {
    diff -b -U 1000 "$tmp/after" "$tmp/before" | awk '
        function flush() { printf "%s%s", removed, added; removed = added = "" }
        NR <= 3 { next }
        /^-/ { added = added "+" substr($0, 2) "\n"; next }
        /^[+]/ { removed = removed "-" substr($0, 2) "\n"; next }
        { flush(); print }
        END { flush() }'
}

# show BEFORE AFTER VERDICT: in colours on a terminal that has them.
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

# launches FILE: the kernels that a CUDA file starts.
launches() {
    grep -c '<<<.*>>>' "$1"
}

# The lines of algorithm that changed: the larger of added and removed.
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
    echo "$(shown "$only"): no such step of chapter $chapter in $steps" >&2
    exit 1
}
# The main ones' names.
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
    what_changed
    # A step that calls the step before has removed nothing of it.
    [ "$rule" = calls ] && : >"$tmp/before"
    side_by_side >"$tmp/hunk"
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
        # Of CUDA alone: what fusing changes.
        case $before:$step in
        *.cu:*.cu)
            [ "$(launches "$before")" -eq "$(launches "$step")" ] ||
                verdict="$verdict; launches: $(launches "$before") become $(launches "$step")"
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

# A kernel that the list doesn't name would never be compared.
for file in $(find "$chapter"_* -name exercise -prune -o \( -name '*.c' -o \
    -name '*.cu' \) -exec grep -l 'ANCHOR: kernel' {} + | sort); do
    grep -q "^$file " "$steps" && continue
    echo "$file: a kernel that $steps does not name" >&2
    failed=1
done
[ "$failed" -eq 0 ] ||
    echo "next: make two steps of it, or another rule in $steps" >&2
[ "$hidden" -eq 0 ] ||
    echo "$hidden more are checked, not shown: ALL=1 shows them, STEP=NAME one."
[ "$only" ] ||
    echo "Algorithm leaves out declarations, first values, loads and stores."
exit $failed
